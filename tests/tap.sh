# tap.sh - for test scripts: runs the program, compares, prints TAP.

: "${MAPPING:?the program to test}"
tests=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
number=0
failures=0

# run ARGUMENT...: runs the program; leaves $status, $folder/out and $folder/err.
run() {
    "$MAPPING" "$@" > "$folder/out" 2> "$folder/err"
    status=$?
}

# ok NAME COMMAND...: passes if the command succeeds.
ok() {
    name=$1
    shift
    number=$((number + 1))
    if "$@" > "$folder/why" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failures=$((failures + 1))
        { echo "$* failed" && head -c 2000 "$folder/why"; [ -f "$folder/err" ] && cat "$folder/err"; } | sed 's/^/# /'
    fi
}

skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; false; }; }
empty() { [ ! -s "$1" ]; }
says() { grep -qF -- "$1" "$2"; }

# refused NAME STATUS SENTENCE ARGUMENT...: that exit status, nothing printed, and one line on standard
# error that has the sentence in it.
refused() {
    name=$1 expected=$2 sentence=$3
    shift 3
    run "$@"
    ok "$name" refused_as_expected
}
refused_as_expected() {
    is "$status" "$expected" && empty "$folder/out" && is "$(wc -l < "$folder/err")" 1 &&
        says "mapping: " "$folder/err" && says "$sentence" "$folder/err"
}

finish() {
    echo "1..$number"
    [ "$failures" -eq 0 ]
    exit
}
