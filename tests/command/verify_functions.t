#!/bin/sh
# --verify of random functions: verify_functions_test.py counts wrong entries with a C++ compiler and Python.
. "$(dirname "$0")/../lib/tap.sh"
export CUDA_VISIBLE_DEVICES=

count=$([ "${THOROUGH:-0}" -gt 0 ] && echo 2000 || echo 40)
if has python3 && has "${CXX:-g++}"; then
    python3 "$here/verify_functions_test.py" "$MAPPING" "$count" > "$folder/tap"
fi
ok_with "python3 ${CXX:-g++}" 'verdicts are those of a C++ compiler and of Python' is \
    "$(grep -c '^ok' "$folder/tap") $(grep -v '^ok' "$folder/tap" | head -n 20)" "1 $(grep '^# .* functions' "$folder/tap")
1..1"
finish
