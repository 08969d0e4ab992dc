#!/bin/sh
# --origin=row,col: printed functions whose arguments are the row and column of the fragment, evaluated at every origin
# (origin_test.py); nvcc compiles them.
. "$(dirname "$0")/../lib/tap.sh"
export CUDA_VISIBLE_DEVICES=

python3 "$here/origin_test.py" "$MAPPING" > "$folder/tap"
ok_with python3 'functions find the fragment at every origin' is \
    "$(grep -c ^ok "$folder/tap") $(grep -A1 '^not ok' "$folder/tap")" '17 '

run --arch=90 'Sw<3,3,3> o 0 o (64,64):(64,1)' --origin=row,col --load=mma.m16n8k16.a.f16 --store=mma.m16n8k16.d.f16 --format=cuda
cp "$folder/out" "$folder/origin.h"
sed -n 's/.* void \(mapping_.*\)(/\1(memory, address, threadIdx.x, row, col);/p' "$folder/origin.h" > "$folder/calls"
printf '#include "origin.h"\n__global__ void kernel(unsigned *memory, unsigned address, unsigned row, unsigned col) {\n%s\n}\n' \
    "$(cat "$folder/calls")" > "$folder/origin.cu"
ok_with nvcc 'nvcc compiles functions that take row and col' nvcc -arch=sm_90 -cubin -o "$folder/origin.cubin" "$folder/origin.cu"
finish
