#!/bin/sh
# Names of LLVM's intrinsics: each must have the same answer as the opcode of PTX that it becomes. By default, one in 11.
#
# Expected values: the opcodes, put together by the syntax in the PTX ISA (9.7.14 and 9.7.16); the names by the rules of
# LLVM's IntrinsicsNVVM.td.
. "$(dirname "$0")/../lib/tap.sh"

if ! has python3; then
    echo '1..0 # SKIP needs python3'
    exit
fi
exec python3 "$here/intrinsics_test.py" "$MAPPING"
