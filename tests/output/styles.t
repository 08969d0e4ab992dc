#!/bin/sh
# --style. The formulae of m16n8k16 as the PTX ISA writes them; cuda.t evaluates those of all fragments.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
formulae() { sed -n 's/^[A-Z][a-z]*: return \(.*;\)/\1/p' "$folder/out" | tr '\n' ' '; }

run --arch=80 mma.m16n8k16.d.f32 --brief --style=divide
ok 'quotients and remainders' is "$status $(formulae)" \
    '0 tid / 4 + i / 2 * 8; tid % 4 * 2 + i % 2; row % 8 * 4 + col / 2; row / 8 * 2 + col % 2; '
run --arch=80 mma.m16n8k16.d.f32 --brief --style=bits
cp "$folder/out" "$folder/bits"
run --arch=80 mma.m16n8k16.d.f32 --brief
ok 'bits is the default' cmp "$folder/out" "$folder/bits"
run --arch=80 mma.m16n8k16.d.f32 --format=json --style=divide
ok 'JSON' says '"formulae":{"row":"tid / 4 + i / 2 * 8","col":"tid % 4 * 2 + i % 2"}' "$folder/out"
run --arch=80 'mma.m16n8k16.*.f16' --format=markdown --style=divide
ok 'Markdown' says 'tid / 4 + i % 4 / 2 * 8' "$folder/out"

# The fewest operators. That these are enough is plain, and that fewer are not, layout/shorten_test.c shows.
run --arch=80 mma.m16n8k16.d.f32 --brief --style=short
ok 'few operators, and how many' is "$status $(grep '^[RC]o[wl]: ' "$folder/out" | tr '\n' ' ')" \
    '0 Row: return tid / 4 + i / 2 * 8; // 4 operators, proved to be the fewest Col: return tid % 4 * 2 + i % 2; // 4 operators, proved to be the fewest '
run --arch=80 mma.m16n8k16.b.f16 --brief --style=short
ok 'where it is not proved, that is said' says '// 5 operators, not proved to be the fewest' "$folder/out"
run --arch=80 mma.m16n8k16.d.f32 --format=json --style=short
ok 'JSON of it' says '"operators":{"row":4,"col":4,"tid":4,"i":3},' "$folder/out"
ok 'and what is proved' says '"proved":{"row":true,"col":true,"tid":true,"i":true}' "$folder/out"
run --arch=80 mma.m16n8k16.d.f32 --atom-layout='(2,2,1)' --brief --style=short
ok 'of what is not in the catalogue' is "$status $(count '// [0-9]* operators*, ')" '0 4'
run --arch=80 mma.m16n8k16.d.f32 --format=markdown --style=short
ok 'Markdown of it' says '| row | `tid / 4 + i / 2 * 8`, 4 operators, proved to be the fewest |' "$folder/out"
run --arch=80 mma.m16n8k16.d.f32 --format=cuda --style=short
ok 'code of it' says 'return tid / 4 + i / 2 * 8; /* 4 operators, proved to be the fewest */' "$folder/out"

printf 'a,b,offset\n0,0,3\n0,1,2\n1,0,1\n1,1,0\n' > "$folder/map.csv"
run --map="$folder/map.csv" --style=divide
ok 'a constant and exclusive or' is "$status $(formulae | cut -d';' -f1)" '0 3 ^ a * 2 ^ b'
finish
