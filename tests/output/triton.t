#!/bin/sh
# --format=triton, compared with Triton's own linear layouts in triton_layouts.txt.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
if has python3; then
    python3 "$here/triton_layouts.py" --recorded "$MAPPING" "$here/triton_layouts.txt" > "$folder/layouts"
    ok 'all that Triton has are as it makes them' is "$? $(grep -c '^ok' "$folder/layouts")" \
        "0 $(sed -n 's/^1\.\.//p' "$folder/layouts")"
else
    skip 'all that Triton has are as it makes them' python3
fi
# A 16x8 accumulator: i bit 0 is one column, bit 1 eight rows; tid bits 0, 1 are two and four columns.
run --arch=80 mma.m16n8k16.d.f32 --format=triton
ok 'one line behind the lines on top' is "$status $(last)" \
    '0 #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>'
run --arch=90 wgmma.m64n8k16.d.f32 --format=triton
ok 'a warpgroup' says 'warp = [[16, 0], [32, 0]], block = []}>' "$folder/out"
run --arch=90 wgmma.m64n24k16.d.f32 --format=triton
ok 'no power of two is not linear' is "$status $(last)" "4 # Triton's linear layouts cannot represent this layout of tid and i"
# The examples of Triton's documentation (TritonGPUAttrDefs.td, SwizzledSharedEncodingAttr): pieces of one element, four
# phases, of one row and of two; and tiles of 64 and 32 halves a row.
swizzled() { # NAME LAYOUT NUMBERS
    run "$2" --format=triton
    ok "$1" is "$status $(last)" "0 #ttg.swizzled_shared<{$3}>"
}
swizzled 'a phase a row' 'Sw<2,0,2> o 0 o (4,4):(4,1)' 'vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]'
swizzled 'a phase of two rows' 'Sw<1,0,3> o 0 o (4,4):(4,1)' 'vec = 1, perPhase = 2, maxPhase = 2, order = [1, 0]'
swizzled '64 halves' 'Sw<3,3,3> o 0 o (64,64):(64,1)' 'vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]'
swizzled '32 halves' 'Sw<2,3,3> o 0 o (64,32):(32,1)' 'vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]'
swizzled 'without' '(8,8):(1,8)' 'vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]'
run '(8,8):(9,1)' --format=triton
ok 'padding is none' is "$status $(last)" "4 # Triton's swizzled_shared layouts cannot represent this layout"
run --arch=80 --format=triton '(8,8,2):(8,1,64)'
ok 'nor are stages' is "$status $(last)" "4 # Triton's swizzled_shared layouts cannot represent this layout"

# 128 threads of a table, a row each: AMD's wavefronts have 64.
awk 'BEGIN { print "tid,i,row,col"; for (t = 0; t < 128; t++) print t ",0," t ",0" }' > "$folder/threads.csv"
bases='[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]'
run --map="$folder/threads.csv" --format=triton
ok 'warps of 32 threads' is "$status $(last)" "0 #ttg.linear<{register = [], lane = [$bases], warp = [[32, 0], [64, 0]], block = []}>"
ok 'are said' says '# warps of 32 threads, as on NVIDIA GPUs; --warp=64 for wavefronts of AMD GPUs' "$folder/out"
run --map="$folder/threads.csv" --format=triton --warp=64
ok 'warps of 64 threads' is "$status $(last)" "0 #ttg.linear<{register = [], lane = [$bases, [32, 0]], warp = [[64, 0]], block = []}>"
ok 'are said, too' says '# warps of 64 threads' "$folder/out"
refused 'a warp of 48 threads' 2 "unknown warp size '48'; valid warp sizes: 32 and 64" --map="$folder/threads.csv" --format=triton --warp=48
refused 'warps in a format without' 2 'it needs --format=triton' --map="$folder/threads.csv" --warp=64

# Linear is what takes the exclusive or of two points to that of what they lead to, and 0 to 0.
# map NAME EXPECTED ROW...: rows 0 to 7 of the threads
map() {
    name=$1
    expected=$2
    shift 2
    {
        echo tid,i,row,col
        tid=0
        for row; do
            printf '%d,0,%d,0\n%d,1,%d,1\n' "$tid" "$row" "$tid" "$row"
            tid=$((tid + 1))
        done
    } > "$folder/map.csv"
    run --map="$folder/map.csv" --format=triton
    ok "$name" is "$(count 'cannot represent this layout of tid and i')" "$expected"
}
map 'rows that bits of tid make' 0 0 2 1 3 4 6 5 7
map 'rows that they do not' 1 0 1 3 2 7 4 6 5
map 'the first row elsewhere' 1 1 0 3 2 5 4 7 6
map 'seven rows' 1 0 1 2 3 4 5 6 0
map 'the first and the last of three rows' 1 0 2 0 2 0 2 0 2
finish
