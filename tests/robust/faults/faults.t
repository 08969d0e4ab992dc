#!/bin/sh
# A sample of `make faults`: failing calls, and problems with streams, folders, signals and terminals. FAULT_TOOLS is
# the folder of sweep and fault.so.
. "$(dirname "$0")/../../lib/tap.sh"

: "${FAULT_TOOLS:?sweep and fault.so}"
cd "$root" || exit 1
whole='the output is whole, or there is a sentence with the reason, whichever call fails'
if grep -q __asan_init "$MAPPING"; then
    skip "$whole" unsanitized-program
    finish
fi
if [ -z "${NVCC-}" ]; then
    ok "$whole" "$FAULT_TOOLS/sweep" "$MAPPING" "$FAULT_TOOLS/fault.so" tests/robust/faults/lines.txt 1
    ok 'also where tools are started' "$FAULT_TOOLS/sweep" "$MAPPING" "$FAULT_TOOLS/fault.so" tests/robust/faults/tools.txt 2
fi # the CUDA runtime, which nvcc links, does not survive it
ok_with python3 'closed and full streams, folders, signals, many at once, terminals that go away' \
    python3 tests/robust/faults/trouble.py "$MAPPING" "$FAULT_TOOLS/fault.so" 8
finish
