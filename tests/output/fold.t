#!/bin/sh
# Large grids are folded: their first period and the lines below it determine every cell.
. "$(dirname "$0")/../lib/tap.sh"

needs python3
exec python3 "$here/fold_test.py" "$MAPPING"
