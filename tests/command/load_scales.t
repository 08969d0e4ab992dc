#!/bin/sh
# Copies of scale factors to Tensor Memory, executed by the rule of the PTX ISA (load_scales_test.py); ptxas compiles the
# printed code.
. "$(dirname "$0")/../lib/tap.sh"
export CUDA_VISIBLE_DEVICES=

python3 "$here/load_scales_test.py" "$MAPPING" > "$folder/tap"
ok_with python3 'every factor is where tcgen05.mma reads it' is \
    "$(grep -c ^ok "$folder/tap") $(grep -A1 '^not ok' "$folder/tap")" '35 '

for layout in 128x4 ue8m0x4; do
    run "$layout" --extent=256,8 --load=tcgen05.mma.m128n256k64.sfb.4x.ue4m3 --format=cuda
    cp "$folder/out" "$folder/copy.h"
    # shellcheck disable=SC2016
    printf '#include "copy.h"\n__global__ void kernel(unsigned address) {\n    extern __shared__ unsigned tile[];\n' > "$folder/copy.cu"
    [ $layout = 128x4 ] || echo '    mapping_copy_tcgen05_mma_m128n256k64_sfb_4x_ue4m3_reorder(tile, threadIdx.x);' >> "$folder/copy.cu"
    printf '    mapping_copy_tcgen05_mma_m128n256k64_sfb_4x_ue4m3((unsigned)__cvta_generic_to_shared(tile), address);\n}\n' >> "$folder/copy.cu"
    ok_with nvcc "nvcc compiles the copy from $layout" nvcc -arch=sm_100a -cubin -o "$folder/copy.cubin" "$folder/copy.cu"
done
finish
