#!/bin/sh
# results/short.txt: every expression is compiled and evaluated at every point, with int and with unsigned variables, and
# compared with the formula that it is short for; its operators are counted by splitting it into words.
. "$(dirname "$0")/../tap.sh"

if ! command -v python3 > /dev/null; then
    echo '1..0 # SKIP python3 is missing: apt-get install python3'
    exit 0
fi
python3 "$here/short_test.py" "$root/results/short.txt" > "$folder/short.c" 2> "$folder/wrong"
ok 'the lines are in order, and have as many operators as they say' is "$? $(cat "$folder/wrong")" '0 '
ok 'they compile without a warning' \
    "${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Wno-type-limits -Werror -o "$folder/short" "$folder/short.c"
ok 'each gives what its formula gives' is "$("$folder/short")" 'done'

# Every formula of the catalogue is in it: none is shortened on the spot, which shows where tables are large.
export CUDA_VISIBLE_DEVICES=
mkdir "$folder/none"
for arch in 70 72 80 90 120; do
    "$MAPPING" --arch=$arch --all --cuda="$folder/none" --style=short --brief --format=json > "$folder/short.json"
    ok "all of sm_$arch" python3 "$here/short_test.py" "$root/results/short.txt" "$folder/short.json"
done
finish
