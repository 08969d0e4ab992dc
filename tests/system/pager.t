#!/bin/sh
# Long output on a terminal goes through a pager.
. "$(dirname "$0")/../lib/tap.sh"

needs python3
python3 "$here/pager_test.py" "$MAPPING" "$folder"
exit
