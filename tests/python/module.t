#!/bin/sh
# The Python module cuda_mapping, with the library that make has built.
. "$(dirname "$0")/../lib/tap.sh"

if ! has_module numpy; then
    skip 'the module cuda_mapping' "$(has python3 && echo numpy || echo python3 numpy)"
    finish
    exit
fi
# Python loads no library that is sanitized.
if nm -D "$LIBRARY" 2> /dev/null | grep -q __asan_init; then
    skip 'the module cuda_mapping' unsanitized-program
    finish
    exit
fi
PYTHONPATH=$PYTHON_PARTS
export PYTHONPATH
exec python3 "$here/module_test.py"
