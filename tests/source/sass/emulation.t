#!/bin/sh
# Executes ptxas's emulation of Volta's mma.m8n8k4 in f16 on the host: the result must be the product of the fragments
# in results/emulated.txt. Needs ptxas and nvdisasm; uses the first of each in $PATH.
. "$(dirname "$0")/../../lib/tap.sh"

name='the emulation of m8n8k4 by ptxas gives the product of its fragments, but not if two elements are exchanged'
for bin in $(echo "${CUDA_HOME:+$CUDA_HOME/bin:}$PATH" | tr : '\n'); do
    [ -x "$bin/ptxas" ] && [ -x "$bin/nvdisasm" ] && break
    bin=
done
if ! has python3; then
    skip "$name" python3
elif [ -z "$bin" ]; then
    skip "$name" ptxas nvdisasm
else
    ok "$name" python3 "$here/emulation_test.py" "$MAPPING" "$bin"
fi
finish
