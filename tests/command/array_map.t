#!/bin/sh
# --map=FILE.npy: arrays of all integer types, orders and shapes.
#
# Expected values: the same table as text in CSV; the format of numpy.lib.format, whose files the test writes itself.
. "$(dirname "$0")/../lib/tap.sh"

if ! has python3; then
    echo '1..0 # SKIP needs python3'
    exit
fi
exec python3 "$here/array_map_test.py" "$MAPPING"
