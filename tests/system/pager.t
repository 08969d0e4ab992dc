#!/bin/sh
# Long output on a terminal goes through a pager.
. "$(dirname "$0")/../tap.sh"

if ! command -v python3 > /dev/null; then
    echo '1..0 # SKIP python3 is missing: apt-get install python3'
    exit
fi
python3 "$here/pager_test.py" "$MAPPING" "$folder"
exit
