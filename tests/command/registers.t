#!/bin/sh
# A line of PTX and the line of SASS that ptxas makes of it name the same registers: see registers_test.py. Needs a
# ptxas for sm_80 to sm_120a, and nvdisasm; uses the first of each in $PATH.
. "$(dirname "$0")/../lib/tap.sh"

name='PTX and the SASS that ptxas makes of it name the same registers'
for bin in $(echo "${CUDA_HOME:+$CUDA_HOME/bin:}$PATH" | tr : '\n'); do
    [ -x "$bin/ptxas" ] && [ -x "$bin/nvdisasm" ] && "$bin/ptxas" --help | grep -q sm_120a && break
    bin=
done
if ! has python3; then
    skip "$name" python3
elif [ -z "$bin" ]; then
    skip "$name" ptxas-13.1 nvdisasm
else
    ok "$name" python3 "$here/registers_test.py" "$MAPPING" "$bin"
fi
finish
