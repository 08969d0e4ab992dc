#!/bin/sh
# nvcc compiles the header of all fragments without a warning. cuda.t compiles it with the host's compilers.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
if [ -z "${NVCC:-}" ]; then
    skip 'nvcc compiles everything' nvcc
    finish
    exit
fi
"$MAPPING" --all --arch=all --cuda="$folder" --format=cuda --order > "$folder/all.h"
echo '#include "all.h"' > "$folder/all.cu"
compile() {
    "$NVCC" -std=c++17 -Werror all-warnings -Wno-deprecated-gpu-targets -Xcompiler -Wall,-Wextra "$@" -c \
        -o "$folder/all.o" "$folder/all.cu"
}
ok 'nvcc compiles everything without a warning' compile
for arch in $([ "$(one_in 2)" = 1 ] && "$NVCC" --list-gpu-arch | tr -dc '0-9\n'); do
    ok "and for sm_$arch" compile -arch="sm_$arch"
done
finish
