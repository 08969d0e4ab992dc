#!/bin/sh
# faults.sh MOST: the tests of `make faults`. MOST is the number of calls of each kind that fail in each command line, `all`, or
# `stacks` for one call of each call stack. FAULT_TOOLS is the folder of sweep and fault.so.
: "${MAPPING:?the program to test}" "${FAULT_TOOLS:?sweep and fault.so}"
cd "$(dirname "$0")/../../.." || exit 1
status=0
for lines in lines tools; do
    "$FAULT_TOOLS/sweep" "$MAPPING" "$FAULT_TOOLS/fault.so" tests/robust/faults/$lines.txt "$1" || status=1
done
python3 tests/robust/faults/trouble.py "$MAPPING" "$FAULT_TOOLS/fault.so" 200 || status=1
exit $status
