#!/bin/sh
# check_gemm and check_copy of the Python module cuda_mapping, with the library that make has built.
. "$(dirname "$0")/../lib/tap.sh"

if ! has_module numpy; then
    echo "1..0 # SKIP needs $(has python3 && echo numpy || echo python3 numpy)"
    exit
fi
# Python loads no library that is sanitized.
if nm -D "$LIBRARY" 2> /dev/null | grep -q __asan_init; then
    echo '1..0 # SKIP needs unsanitized-program'
    exit
fi
PYTHONPATH=$PYTHON_PARTS
export PYTHONPATH
exec python3 "$here/probe_test.py"
