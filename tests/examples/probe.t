#!/bin/sh
# probe.cu compiles as C++17 without warnings, so include/mapping.h can be used from CUDA C++. It needs nvcc, and no GPU.
# source/gpu/device.t runs it.
. "$(dirname "$0")/../lib/tap.sh"

nvcc=${NVCC-nvcc}
if [ -n "$nvcc" ] && has "$nvcc"; then
    ok 'probe.cu compiles without warnings' "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra \
        -I"$root/include" -c -o "$folder/probe.o" "$here/probe.cu"
else
    skip 'probe.cu compiles without warnings' nvcc
fi
finish
