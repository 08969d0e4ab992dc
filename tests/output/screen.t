#!/bin/sh
# The text of a layout fits a terminal of 80 x 50.
. "$(dirname "$0")/../lib/tap.sh"

needs python3
exec python3 "$here/screen_test.py" "$MAPPING"
