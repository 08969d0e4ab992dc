#!/bin/sh
# Printed functions that make descriptors for wgmma and tcgen05.mma, and the boxes of TMA, compared with separate rules
# (descriptors_test.py); nvcc compiles the printed calls for TMA.
. "$(dirname "$0")/../lib/tap.sh"
export CUDA_VISIBLE_DEVICES=

python3 "$here/descriptors_test.py" "$MAPPING" > "$folder/tap"
ok_with python3 'descriptors and tensor maps are those of the layouts' is \
    "$(grep -c ^ok "$folder/tap") $(grep '^not ok' "$folder/tap")" '16 '

echo > "$folder/tma.cu"
for layout in 'Layout_K_SW128_Atom --extent=64,128' '(128,32):(32,1) --type=e2m1'; do
    # shellcheck disable=SC2086
    run $layout --store=tma --format=cuda
    name=$(sed -n 's/.*inline CUresult \(mapping_.*\)_map(.*/\1/p' "$folder/out")
    cp "$folder/out" "$folder/$name.h"
    printf '#include "%s.h"\n__global__ void kernel_%s(const __grid_constant__ CUtensorMap map) { %s_copy(0, &map, 8, 64, 0); }\n' \
        "$name" "$name" "$name" >> "$folder/tma.cu"
    printf 'CUresult make_%s(CUtensorMap *map, void *of) { return %s_map(map, of, 512, 512, 1024); }\n' "$name" "$name" >> "$folder/tma.cu"
done
ok 'there are two kernels' is "$(grep -c '^#include "mapping_[^"]*.h"' "$folder/tma.cu") $(sort -u "$folder/tma.cu" | grep -c include)" '2 2'
ok_with nvcc 'nvcc compiles the calls of cuTensorMapEncodeTiled for an atom and for packed elements' \
    nvcc -arch=sm_90 -c -o "$folder/tma.o" "$folder/tma.cu"
finish
