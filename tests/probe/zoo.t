#!/bin/sh
# --probe and --decode find nothing wrong with right kernels and random problems, and find and name each mistake of a zoo of
# wrong kernels. Expected: kernels simulated in NumPy; what each mistake moves where is known.
. "$(dirname "$0")/../tap.sh"

if ! has python3 || ! python3 -c 'import numpy' 2> /dev/null; then
    echo "1..0 # SKIP needs $(has python3 && echo numpy || echo python3 numpy)"
    exit
fi
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
exec python3 "$here/zoo_test.py" "$MAPPING"
