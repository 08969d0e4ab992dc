#!/bin/sh
# --format=triton against the linear layouts that Triton makes of its own, as recorded in triton_layouts.txt.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
if command -v python3 > /dev/null; then
    python3 "$here/triton_layouts.py" --recorded "$MAPPING" "$here/triton_layouts.txt" > "$folder/layouts"
    ok 'all that Triton has are as it makes them' is "$? $(grep -c '^ok' "$folder/layouts")" \
        "0 $(sed -n 's/^1\.\.//p' "$folder/layouts")"
else
    skip 'all that Triton has are as it makes them' 'python3 is missing: apt-get install python3'
fi
# A 16x8 accumulator: i bit 0 is one column, bit 1 eight rows; tid bits 0, 1 are two and four columns.
run --arch=80 mma.m16n8k16.d.f32 --format=triton
ok 'one line behind the lines on top' is "$status $(last)" \
    '0 #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>'
run --arch=90 wgmma.m64n8k16.d.f32 --format=triton
ok 'a warpgroup' says 'warp = [[16, 0], [32, 0]], block = []}>' "$folder/out"
run --arch=90 wgmma.m64n24k16.d.f32 --format=triton
ok 'no power of two is not linear' is "$status $(last)" '4 # no linear layout of tid and i, as Triton has them'
finish
