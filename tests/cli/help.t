#!/bin/sh
# --help and --version, from the outside. help_test.c checks that --help has every name of the tables.
. "$(dirname "$0")/../lib/tap.sh"

examples_work() {
    sed -n 's/.*  mapping /"$MAPPING" /p' "$folder/out" > "$folder/examples"
    is "$(wc -l < "$folder/examples")" 6 || return 1
    while read -r command; do
        sh -c "CUDA_VISIBLE_DEVICES= $command" > "$folder/shown" && [ -s "$folder/shown" ] || { echo "$command"; return 1; }
    done < "$folder/examples"
}
export MAPPING

run --help
ok '--help' is "$status $(head -c 14 "$folder/out")" '0 Usage: mapping'
ok '--help says nothing on standard error' empty "$folder/err"
ok '--help fits 80 columns' fails grep -q '.\{81\}' "$folder/out"
ok 'no line of it ends with a blank' fails grep -q ' $' "$folder/out"
ok '--help fits one screen of 24 lines' test "$(wc -l < "$folder/out")" -le 24
ok 'its six examples work' examples_work
ok 'it names the ten main options' is "$(sed -n '/^Main options:/,/^$/p' "$folder/out" | grep -oE -e '--[a-z]+' | sort | tr '\n' ' ')" \
    '--arch --at --convert --detail --format --load --operand --thread --type --verify '
cp "$folder/out" "$folder/help"
run -h
ok '-h is the same' cmp "$folder/out" "$folder/help"
run --list --frobnicate --help
ok 'what is wrong before --help is said' is "$status" 2
run --help --frobnicate
ok 'what stands behind --help is not looked at' cmp "$folder/out" "$folder/help"
run --version
version=$(sed -n 's/#define MAPPING_VERSION "\(.*\)"/\1/p' "$root/include/mapping.h")
ok '--version' is "$status $(cat "$folder/out")" "0 mapping $version"

# Each topic, and all of them.
sed -n 's/^  --help=\([a-z-]*\) .*/\1/p' "$folder/help" > "$folder/topics"
run --help=all
ok '--help=all fits 80 columns' fails grep -q '.\{81\}' "$folder/out"
ok 'no line of it ends with a blank' fails grep -q ' $' "$folder/out"
cp "$folder/out" "$folder/all"
topic_is_in_all() {
    run --help="$1"
    is "$status" 0 && [ -s "$folder/out" ] && is "$(grep -vxFf "$folder/all" "$folder/out")" ''
}
while read -r topic; do
    ok "--help=$topic is a part of it" topic_is_in_all "$topic"
done < "$folder/topics"

# Every option of the help is one, and takes an argument or not, as it says there.
sed '1,/--help=all/d' "$folder/all" | grep -oE '^ {2,6}(-[a-zA-Z], )?--[a-z-]+[=[]?' | grep -oE -e '--[a-z-]+[=[]?' |
    awk '!seen[$0]++' > "$folder/options"
sed -n 's/.*\.name = "\([a-z-]*\)".*/--\1/p' "$root/src/cli/option_rows.c" | grep -vx -e --tid | sort > "$folder/rows"
ok 'all options are in the help' is "$(tr -d '=[' < "$folder/options" | sort | comm -3 - "$folder/rows")" ''
while read -r option; do
    case $option in
    *=) refused "$option has an argument" 2 "option '${option%=}' needs an argument" "${option%=}" ;;
    --help\[) ;;
    --order\[ | --causal\[) refused "$option] may have one" 2 'does nothing with --list' "${option%\[}" --list ;;
    *\[) refused "$option] may have one" 2 'cannot be combined' "${option%\[}" --list ;;
    *) refused "$option has none" 2 "option '$option' takes no argument" "$option=x" ;;
    esac
done < "$folder/options"
finish
