#!/bin/sh
# The kernels that device_test.py runs compile without warnings. It needs nvcc, and no GPU.
. "$(dirname "$0")/../lib/tap.sh"

nvcc=${NVCC-nvcc}
for kernel in mma_gemm:80 wgmma_gemm:90a; do
    name=${kernel%:*}.cu arch=${kernel#*:}
    if [ -n "$nvcc" ] && has "$nvcc"; then
        ok "$name compiles without warnings" "$nvcc" -std=c++17 -gencode "arch=compute_$arch,code=sm_$arch" -Werror all-warnings \
            -Xcompiler -Wall,-Wextra -c -o "$folder/kernel.o" "$here/$name"
    else
        skip "$name compiles without warnings" nvcc
    fi
done
finish
