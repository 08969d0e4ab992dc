#!/bin/sh
# What a terminal of 80 x 50 shows of a layout fits it.
. "$(dirname "$0")/../tap.sh"

needs python3
exec python3 "$here/screen_test.py" "$MAPPING"
