#!/bin/sh
# Matrices in memory: the layouts that CUTLASS's C++ headers make, recorded.
. "$(dirname "$0")/../tap.sh"

: "${MEMORY_OFFSETS:?the helper of this test}"
python3 "$here/memory_headers.py" --recorded "$MEMORY_OFFSETS" "$here/memory_layouts.txt" > "$folder/tap"
ok "CUTLASS's headers give the same $(grep -c ^ok "$folder/tap") times" is "$? $(grep -A1 '^not ok' "$folder/tap")" '0 '
finish
