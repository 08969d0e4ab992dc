#!/bin/sh
# probe.cu compiles, without warnings, as C++17: so include/mapping.h can be used from CUDA C++. It needs nvcc ($NVCC, or
# that of $PATH), and no GPU. source/gpu/device.t runs it.
. "$(dirname "$0")/../tap.sh"

if nvcc=$(command -v "${NVCC:-nvcc}"); then
    # shellcheck disable=SC2154 # tap.sh says where the repository is
    ok 'probe.cu compiles without warnings' "$nvcc" -std=c++17 -arch=sm_90 -Werror all-warnings -Xcompiler -Wall,-Wextra \
        -I"$root/include" -c -o "$folder/probe.o" "$here/probe.cu"
else
    skip 'probe.cu compiles without warnings' 'nvcc is missing'
fi
finish
