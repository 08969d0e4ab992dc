#!/bin/sh
# --probe and --decode find no error in correct kernels and random problems, and name the mistake of each of many wrong
# kernels. Expected: kernels simulated in NumPy; the known effect of each mistake.
. "$(dirname "$0")/../lib/tap.sh"

if ! has_module numpy; then
    echo "1..0 # SKIP needs $(has python3 && echo numpy || echo python3 numpy)"
    exit
fi
exec python3 "$here/zoo_test.py" "$MAPPING"
