#!/bin/sh
# --probe and --decode with scale factors find no error in correct kernels, and say in which layout wrong kernels read
# factors, and which ones they read. Expected: kernels simulated in NumPy; the known effect of each mistake.
. "$(dirname "$0")/../lib/tap.sh"

if ! has_module numpy; then
    echo "1..0 # SKIP needs $(has python3 && echo numpy || echo python3 numpy)"
    exit
fi
exec python3 "$here/scaled_test.py" "$MAPPING"
