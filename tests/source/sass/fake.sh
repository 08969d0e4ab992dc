# shellcheck shell=sh
# fake.sh - for test scripts, after tap.sh: copies the fake ptxas and nvdisasm to $fake, a folder of this test.
#
# The program passes hardly any environment variables to its tools, and /proc may be missing. So `run` writes
# FAKE_PTXAS, FAKE_NVDISASM, FAKE_PID and LISTING to a file, which the fake tools read:
#     FAKE_PTXAS=fail run --source=sass --cuda="$fake"
# A test that starts the program in another way calls `set_tools` first.
fake=$folder/fake
mkdir "$fake"
for tool in ptxas nvdisasm; do
    sed "s|^settings=.*|settings='$folder/settings'|" "$tests/source/sass/fake/$tool" > "$fake/$tool"
    chmod +x "$fake/$tool"
done

set_tools() {
    for setting in FAKE_PTXAS FAKE_NVDISASM FAKE_PID LISTING; do
        eval "printf '%s=%s\n' $setting \"\${$setting-}\""
    done > "$folder/settings"
}
run() {
    set_tools
    "$MAPPING" "$@" > "$folder/out" 2> "$folder/err"
    status=$?
}
