#!/bin/sh
# --suggest: every swizzle and padding of small tiles, compared with brute force in suggest_test.py; layouts that
# kernels use come first; errors. odd_lines_test.py tries unusual tiles.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

if has python3; then
    python3 "$here/suggest_test.py" "$MAPPING" > "$folder/held" 2>&1
    ok "brute force: $(tail -n 1 "$folder/held")" is "$(sed 1q "$folder/held")" "$(grep ' 0 wrong$' "$folder/held")"
    count=$((1500 / $(one_in 11)))
    python3 "$here/odd_lines_test.py" "$MAPPING" $count > "$folder/held" 2>&1
    ok "odd ones: $(tail -n 1 "$folder/held")" is "$(sed 1q "$folder/held")" "$count command lines, 0 wrong"
else
    skip 'brute force' python3
fi

# first NAME EXPECTED OPTION...: wavefronts, the least, and the layout that is suggested first.
first() {
    name=$1 expected=$2
    shift 2
    run --suggest --format=json "$@"
    ok "$name" is "$status $(sed -n 's/^  {"layout":"\([^"]*\)".*"wavefronts":\([0-9]*\),"minimum":\([0-9]*\),.*/\2 \3 \1/p' "$folder/out" | head -n 1)" \
        "0 $expected"
}
a='--load=mma.m16n8k16.a.f16'
# CUTLASS and CuTe: Layout_K_SW128 for rows of 128 bytes, Layout_K_SW64 for 64.
first 'rows of 64 halves' '64 64 Sw<3,3,3> o 0 o (64,64):(64,1)' -a80 $a '(64,64):(64,1)'
first 'rows of 32 halves' '32 32 Sw<2,3,3> o 0 o (64,32):(32,1)' -a80 $a '(64,32):(32,1)'
first 'rows of 16 halves, with the copy' '32 32 Sw<1,3,3> o 0 o (64,16):(16,1)' -a80 $a --store=cp.async '(64,16):(16,1)'
first 'A and B of one tile' '128 128 Sw<3,3,3> o 0 o (64,64):(64,1)' -a80 $a --load=mma.m16n8k16.b.f16 '(64,64):(64,1)'
first 'columns' '64 64 Sw<3,3,3> o 0 o (64,64):(1,64)' -a80 $a '(64,64):(1,64)'
run --suggest -a80 $a '(64,64):(64,1)'
ok 'the usual padding has none, too' is "$status $(count '^ *64  *1008  64 ldmatrix.x4 *(64,64):(72,1)$')" '0 1'
ok 'no line is longer than 80' fails grep -q '.\{81\}' "$folder/out"
run --suggest --verbose -a80 $a '(64,64):(64,1)'
ok '--verbose has all, the plain tile with 8 times as many' is "$status $(count '^ *512  *0  512 ldmatrix.x4 *(64,64):(64,1)$')" '0 1'
# NVIDIA's talk on Volta's tensor cores (GTC 2019) has an order of this tile without conflicts: 4 wavefronts for the
# copy, 4 for each of two loads.
first "Volta's tile" '12 12 Sw<2,3,3> o 0 o ((16,2,2),4):((1,32,16),64)' -a70 --store=cp.async \
    --load=mma.m8n8k4.a.col.f16 --with=ld.b128 --atom-layout='(2,2,1)' --permutation='((4,4,2):(1,8,4)),32,4' '(64,4):(1,64)'

# Shared memory has 232448 bytes: 512 rows of 2 * 227 bytes fit, and 512 of 2 * 228 do not, though each access would look
# like the first one.
run --suggest --verbose -a80 --load=mma.m16n8k8.b.f16 '(512,216):(216,1)'
ok 'a padding that shared memory cannot hold is not suggested' is \
    "$status $(count '(512,216):(227,1)$') $(count '(512,216):(228,1)$')" '0 1 0'

# A matrix with a swizzle has the suggestions of the same matrix without it.
run --suggest --json -a80 $a '(64,64):(64,1)'
plain=$(sed 1d "$folder/out")
run --suggest --json -a80 $a 'Sw<2,4,3> o 0 o (64,64):(64,1)'
ok 'a swizzle is replaced' is "$status $(sed 1d "$folder/out")" "0 $plain"

# ---- Refusals ----

refused 'no matrix' 2 'need a matrix in memory' --suggest -a80 $a
refused 'two matrices' 2 '--suggest takes one matrix, but 2 are named' --suggest -a80 $a '(64,64):(64,1)' '(32,64):(64,1)'
refused 'a fragment that does not divide the tile' 2 'the 24x64 tile is not a multiple of the 16x16 fragment' \
    --suggest -a80 $a '(24,64):(64,1)'
refused 'a tile that is too large' 2 'a tile of 262144 bytes is larger than shared memory, which has at most 232448 bytes' \
    --suggest -a80 $a '(2048,64):(64,1)'
refused 'what no order serves' 2 'ld.b128 needs addresses that are multiples of 16, but element 0 is at byte 0 in thread 0 and at byte 4 in thread 1' --suggest -a80 $a --with=ld.b128 '(64,64):(64,1)'
refused 'a format that has none' 2 '--suggest does not support --format=csv; use text or json' --suggest -fcsv -a80 $a '(64,64):(64,1)'
refused 'more than 8 uses' 2 'at most 8 loads and stores' --suggest -a80 $a $a $a $a $a $a $a $a $a '(64,64):(64,1)'
refused 'an origin' 2 '--origin does nothing with --suggest; it is for --load or --store' --suggest -a80 $a --origin=16,0 '(64,64):(64,1)'
refused 'an origin before all' 2 '--origin does nothing with --suggest; it is for --load or --store' --origin=0,0 --suggest -a80 $a '(64,64):(64,1)'

refused 'stages' 2 '--suggest takes one matrix, but (64,64,3):(64,1,4096) has 3 stages' --suggest -a80 $a '(64,64,3):(64,1,4096)'
run --suggest -a80 $a --permutation=32,16,16 '(64,64):(64,1)'
ok 'a tile says so' is "$(sed -n 2,3p "$folder/out" | tr -d '\n')" '# access 1: load each mma.m16n8k16.a.f16 fragment of the matrix; each is tiled#   by permutation 32,16,16'
finish
