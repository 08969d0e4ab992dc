#!/bin/sh
# --annotate: where the registers of an operand come from, in random listings, compared with a simulation (origins_test.py).
. "$(dirname "$0")/../lib/tap.sh"
export CUDA_VISIBLE_DEVICES=

python3 "$here/origins_test.py" "$MAPPING" > "$folder/tap"
ok_with python3 'origins are those of a simulation of registers and stack' is \
    "$(grep -c ^ok "$folder/tap") $(grep -A20 '^not ok' "$folder/tap")" '2 '
finish
