#!/bin/sh
# Every format states the same facts about a layout: its evidence, packing, targets, notes.
#
# Expected values: text, unwrapped.
. "$(dirname "$0")/../lib/tap.sh"

needs python3
exec python3 "$here/facts_test.py" "$MAPPING"
