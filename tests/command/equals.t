#!/bin/sh
# --equals: random pairs of layouts, compared with formulae in equals_test.py.
. "$(dirname "$0")/../lib/tap.sh"
export CUDA_VISIBLE_DEVICES=

count=$([ "${THOROUGH:-0}" -gt 0 ] && echo 10000 || echo 60)
python3 "$here/equals_test.py" "$MAPPING" "$count" > "$folder/tap"
ok_with python3 'differences and conditions on sizes are those of the formulae' is \
    "$(grep -c ^ok "$folder/tap") $(grep -A5 '^not ok' "$folder/tap")" '1 '
finish
