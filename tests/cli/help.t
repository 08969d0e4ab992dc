#!/bin/sh
# --help and --version, from the outside; that --help has every name of the tables shows help_test.c.
. "$(dirname "$0")/../tap.sh"

run --help
ok '--help' is "$status $(head -c 14 "$folder/out")" '0 Usage: mapping'
ok '--help says nothing on standard error' empty "$folder/err"
ok '--help fits 80 columns' fails grep -q '.\{81\}' "$folder/out"
ok 'no line of it ends with a blank' fails grep -q ' $' "$folder/out"
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

# Every option of the help is one, and takes an argument or not, as it says there.
grep -oE '^ {2,6}(-[a-zA-Z], )?--[a-z-]+[=[]?' "$folder/help" | grep -oE -e '--[a-z-]+[=[]?' |
    awk '!seen[$0]++' > "$folder/options"
ok 'all options are in the help' is "$(wc -l < "$folder/options")" 41
while read -r option; do
    case $option in
    *=) refused "$option has an argument" 2 "option '${option%=}' needs an argument" "${option%=}" ;;
    *\[) refused "$option] may have one" 2 'one at a time' "${option%\[}" --list ;;
    *) refused "$option has none" 2 "option '$option' takes no argument" "$option=x" ;;
    esac
done < "$folder/options"
finish
