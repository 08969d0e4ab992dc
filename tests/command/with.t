#!/bin/sh
# --with=tcgen05.ld and tcgen05.st: the elements of operands in Tensor Memory that threads hold.
#
# Expected values: rules of the PTX ISA; a simulation; wgmma's D as recorded from hardware; compiled headers.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

# checked NAME KIND ARGUMENT...: all cases of with_test.py.
checked() {
    name=$1
    shift
    python3 "$here/with_test.py" "$MAPPING" "$@" > "$folder/checked" 2> "$folder/err"
    ok "$name: $(tail -n 1 "$folder/checked")" is "$(tail -n 1 "$folder/checked" | sed 's/^[1-9][0-9]* cases, 0 wrong$/right/')" right
}
if has python3; then
    checked 'formulae of the PTX ISA and of CUTLASS' formulae
    checked 'Tensor Memory filled, and loads executed' simulate
    checked 'D of wgmma, seen on hardware' wgmma "$root/results/wgmma.txt"
    checked 'functions of a header in C' header "${CC:-cc}" -std=c99
    if [ "$(one_in 2)" != 1 ]; then
        : # C++ takes longer, and finds the same, so it is tried with THOROUGH=1
    elif has "${CXX:-c++}"; then
        checked 'functions of a header in C++' header "${CXX:-c++}"
    else
        skip 'functions of a header in C++' c++
    fi
else
    skip 'what threads hold' python3
fi

# ---- As it is printed ----

d=tcgen05.mma.m128n128k16.d.f32
run $d --with=tcgen05.ld.32x32b.x32 --brief
ok 'four loads, each by itself' is "$status $(shown)" "0 $d $d $d $d "
ok 'which are told apart' is "$(grep '^# with\|^# columns' "$folder/out" | tr '\n' ';')" \
'# with tcgen05.ld.32x32b.x32, load 0 of 4: warp w at lane 32 * w, column 0;# columns 0 to 31;'\
'# with tcgen05.ld.32x32b.x32, load 1 of 4: warp w at lane 32 * w, column 32;# columns 32 to 63;'\
'# with tcgen05.ld.32x32b.x32, load 2 of 4: warp w at lane 32 * w, column 64;# columns 64 to 95;'\
'# with tcgen05.ld.32x32b.x32, load 3 of 4: warp w at lane 32 * w, column 96;# columns 96 to 127;'
ok 'formulae of the last' is "$(tail -n 6 "$folder/out" | tr '\n' ';')" \
    'Row: return (tid & 127);;Col: return 96 + (i & 31);;;Inverse:;Tid: return (row & 127);;I: return (col & 31);;'
ok 'nobody has seen it' is "$(count '^# not confirmed on hardware; CUTLASS, Triton, JAX, TVM use the same layout$')" 4
ok 'the sections of both instructions' is "$(count '9.7.16.10.5 and 9.7.16.2.3.1)$')" 4

run $d --with=tcgen05.ld.32x32b.x32 --whole
ok 'grids have the columns of the load alone' is "$(sed -n '/^Element/,/^$/p' "$folder/out" | sed -n 2p | wc -w)" 64
run tcgen05.mma.m128n32k16.d.f32 --with=tcgen05.ld.16x256b --whole
ok '16 lanes at a time: which rows' is "$status $(grep -o '^# rows .*\|lane 32.*' "$folder/out" | tr '\n' ';')" \
'0 lane 32 * w, column 0;# rows 0 to 15, 32 to 47, 64 to 79, 96 to 111;'\
'lane 32 * w + 16, column;# rows 16 to 31, 48 to 63, 80 to 95, 112 to 127;'
ok 'and a line for each' is "$(count '^ [0-9 ]\{60\}')" 128
run tcgen05.mma.m128n32k16.d.f32 --with=tcgen05.ld.16x256b --cells --whole
ok 'numbered as in D' is "$(grep -c '^ *\(16\|63\|127\) |' "$folder/out")" 3
run tcgen05.mma.m64n32k16.d.f32 --with=tcgen05.ld.16x32bx2 --brief
ok 'half of the threads elsewhere' is "$status $(count '16x32bx2.x16: warp w at lane 32 \* w, column 0;$') $(count '^#   immHalfSplitoff = 16$')" '0 1 1'
run tcgen05.mma.m128n96k16.d.f32 --with=tcgen05.ld.32x32b --brief
ok 'as many columns at once as fit' is "$status $(count 'x32, load [012] of 3')" '0 3'
run tcgen05.mma.cta2.m128n96k16.d.f32 --with=tcgen05.ld.32x32b.x16 --brief
ok 'D that has no formula may have some in parts' is "$status $(count '^Col: return') $(count 'CTA 1 of 2')" '0 6 3'

for name in TCGEN05.LD.32x32b.x32 tcgen05.ld.32x32b.x32.r.b32 tcgen05.ld.sync.aligned.32x32b.x32.b32 \
    tcgen05.ld.x32.aligned.sync.32x32b.b32 'tcgen05.ld.sync.aligned.32x32b.x32.b32 {r0, r1}, [taddr];'; do
    run $d --with="$name" --brief
    ok "spelled $name" is "$status $(count '^# with tcgen05.ld.32x32b.x32, load')" '0 4'
done
run tcgen05.mma.m128n64k16.d.f16 --with=tcgen05.ld.32x32b.x8.r.pack.b16 --brief
ok 'packed, by the name of the fragment' is "$status $(count '^# with tcgen05.ld.32x32b.x8.pack::16b, load')" '0 4'
run tcgen05.mma.m128n64k16 --with=tcgen05.ld.32x32b --brief
ok 'of all operands D alone' is "$status $(shown)" '0 tcgen05.mma.m128n64k16.d.f32 tcgen05.mma.m128n64k16.d.f16 '

# ---- Questions ----

run $d --with=tcgen05.ld.32x32b.x32 --at=3,40
ok 'who holds it: of the load that does' is "$status $(last);$(shown)" "0 row  3, col 40: tid  3, i  8 in register 8;$d "
run $d --with=tcgen05.ld.32x32b.x32 --thread=5,7
ok 'what a thread holds, below one header' is "$status $(count '^# tcgen05.mma') $(count '^# with') $(count '^tid  5, i  7: row  5, col ')" \
    '0 1 4 4'
run $d --with=tcgen05.ld.32x32b.x32 --thread=5,7 -f csv
ok 'what a thread holds: of all loads' is "$(cut -d, -f 3-10 "$folder/out" | tr '\n' ' ')" \
    'tid,i,row,col,copy,with,cta,load 5,7,5,7,0,tcgen05.ld.32x32b.x32,0,0 5,7,5,39,0,tcgen05.ld.32x32b.x32,0,1 '\
'5,7,5,71,0,tcgen05.ld.32x32b.x32,0,2 5,7,5,103,0,tcgen05.ld.32x32b.x32,0,3 '
run tcgen05.mma.m128n32k16.d.f32 --with=tcgen05.st.32x32b.x16 --format=csv
ok 'stores are numbered as stores' is "$status $(sed -n 1p "$folder/out")" \
    '0 arch,fragment,tid,i,row,col,copy,with,cta,store,source'
refused 'an element that no load has' 2 'has no element 32; each thread holds elements 0 to 31' $d --with=tcgen05.ld.32x32b.x32 --thread=0,32
refused 'a column that D does not have' 2 'has no column 128' $d --with=tcgen05.ld.32x32b.x32 --at=0,128
run tcgen05.mma.m64n64k16.d.f32 --with=tcgen05.ld.32x32b --verify='row = tid; col = i'
ok 'a claim on what cannot be loaded so' is "$status" 2
run tcgen05.mma.m128n64k16.d.f32 --with=tcgen05.ld.32x32b --verify='row = tid; col = i'
ok 'a claim that is right' is "$status $(count 'right at all 8192 entries')" '0 2'
run $d --with=tcgen05.ld.32x32b.x32 --detail --brief
# .32x32b.x32 is 32 registers of 32 bits: PTX ISA, tcgen05.ld.
ok 'what a thread holds then' is "$(count '^registers  32 per thread, 1 element in each$') $(count '^elements   32 per thread; 1 copy of each matrix element$')" \
    '4 4'
ok 'a row is in one thread' is "$(count '^rows       1 thread per row, 32 elements$')" 4
ok 'the address of each load' is "$(sed -n 's/^address  *//p' "$folder/out" | tr '\n' ';')" \
    'taddr + (32 * w << 16);taddr + (32 * w << 16) + 32;taddr + (32 * w << 16) + 64;taddr + (32 * w << 16) + 96;'
ok 'what comes before, and after' is "$(sed -n 's/^before  *//p; s/^done  *//p' "$folder/out" | head -n 2 | tr '\n' ';')" \
    'wait on the mbarrier of tcgen05.commit, then execute;after tcgen05.wait::ld.sync.aligned;'
run $d --with=tcgen05.ld.16x64b --detail --brief
ok 'of the upper lanes of warps' says 'address    taddr + ((32 * w + 16) << 16)' "$folder/out"
run tcgen05.mma.m64n64k16.d.f32 --with=tcgen05.ld.16x256b.x2 --detail --brief
ok 'or in four' is "$(count '^           to reduce a row: __shfl_xor_sync with laneMask 1, 2$')" 4

# ---- Formats ----

# The address of each load in C: warp w begins at lane 32 w, and bits 16 and up are the lane (PTX ISA 9.1, 9.7.16.1 and
# 9.7.16.2.3.1).
cat > "$folder/address.c" << 'END'
#include "it.h"
#include <stdio.h>
#define D(what) mapping_tcgen05_mma_m128n128k16_d_f32_by_ld_##what
#define HALVES(what) mapping_tcgen05_mma_m128n64k16_d_f32_by_ld_##what
#define PAIR(what) mapping_tcgen05_mma_cta2_m256n32k16_d_f32_by_ld_##what
int main(void) {
    unsigned wrong = 0;
    for (unsigned w = 0; w < 8; w++) {
        for (unsigned n = 0; n < 4; n++) {
            wrong += D(32x32b_x32_address)(n, w) != (32 * (w % 4) << 16) + 32 * n;
            wrong += HALVES(16x64b_x16_address)(n, w) != ((32 * (w % 4) + 16 * (n % 2)) << 16) + 32 * (n / 2);
        }
        wrong += HALVES(16x64b_x32_address)(1, w) != (32 * (w % 4) + 16) << 16;
        wrong += PAIR(32x32b_x32_address)(1, w) != 32 * (w % 4) << 16;
    }
    /* The address and the layout agree: thread 37 holds row 37 in .32x32b. */
    wrong += D(32x32b_x32_row)(2, 37, 5) != 37 || D(32x32b_x32_col)(2, 37, 5) != (D(32x32b_x32_address)(2, 0) & 0xffff) + 5;
    printf("%u\n", wrong);
    return wrong != 0;
}
END
if has "${CC:-cc}"; then
    for pair in $d,32x32b.x32 tcgen05.mma.m128n64k16.d.f32,16x64b.x16 tcgen05.mma.m128n64k16.d.f32,16x64b.x32 \
        tcgen05.mma.cta2.m256n32k16.d.f32,32x32b.x32; do
        "$MAPPING" --format=cuda "${pair%,*}" --with="tcgen05.ld.${pair#*,}"
    done > "$folder/it.h"
    ok 'the functions of addresses compile' "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -Wno-unused-function \
        -o "$folder/address" "$folder/address.c"
    ok 'and say where each load begins' "$folder/address"
else
    skip 'the functions of addresses compile' cc
    skip 'and say where each load begins' cc
fi

run $d --with=tcgen05.ld.32x32b.x32 --format=triton
ok 'all loads as one linear layout of Triton' is "$status $(last)" '0 #ttg.linear<{register = [[0, 1], [0, 2], [0, 4], '\
'[0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]], block = []}>'
run tcgen05.mma.cta2.m256n32k16.d.f32 --with=tcgen05.ld.32x32b --format=triton
ok 'the pair as its blocks' is "$status $(last | grep -o 'block = .*')" '0 block = [[128, 0]]}>'
run $d --with=tcgen05.ld.32x32b.x32 --format=cute
ok 'and of CuTe' is "$status $(last)" '0 (128,128):(1,128)'
run tcgen05.mma.m64n32k16.d.f32 --with=tcgen05.ld.16x256b.x2 --format=svg --whole
ok 'pictures, with the columns of each' is "$status $(count '>D, load [01] of 2, 64 x 16<') $(grep -o '>31<' "$folder/out" | wc -l)" '0 2 4'
run tcgen05.mma.m64n32k16.d.f32 --with=tcgen05.ld.16x256b.x2 --format=markdown --whole
ok 'Markdown, too' is "$status $(count '^| tid:i | 16 | 17 ')" '0 1'
for format in html tikz; do
    run tcgen05.mma.m128n32k16.d.f32 --with=tcgen05.ld.16x128b.x2 --format=$format
    ok "$format" is "$status" 0
done
run tcgen05.mma.m128n16k16.d.f32 --with=tcgen05.ld.16x256b.x1 --style=divide --brief
ok 'formulae in another style' is "$status $(count '^Row: return tid % 32 / 4 + tid / 32 \* 32 + i / 2 \* 8;$')" '0 2'

run $d --with=tcgen05.ld.32x32b.x32 --format=csv
cp "$folder/out" "$folder/loads.csv"
run --map="$folder/loads.csv"
ok 'CSV of a series can be read back' is "$status $(grep '^Col: ' "$folder/out")" \
    '0 Col: return (i & 31) + ((load & 3) << 5);'

# To try the formula on all other fragments again for each of 128 loads took 15 seconds of processor time.
wgmma='row = tid / 32 * 16 + lane / 4 + i % 4 / 2 * 8; col = lane % 4 * 2 + i % 2 + i / 4 * 8'
(ulimit -t 5 && exec "$MAPPING" tcgen05.mma.cta2.m256n64k16.d.f32 --with=tcgen05.ld.32x32b.x1 --verify="$wgmma") \
    > "$folder/out" 2> "$folder/err"
status=$?
ok 'a formula that is wrong is tried on other fragments once' is \
    "$status $(count '^# tcgen05') $(count '^The formulae are right for mma.{m16n8k8,m16n8k16}.a.{f16,bf16},')" '1 128 128'

# ---- What does not fit ----

refused 'halves of f32' 2 'take all 32 bits; use tcgen05.ld.32x32b.x8' $d --with=tcgen05.ld.32x32b.x8.pack::16b
for name in tcgen05.ld.32x32b.x3 tcgen05.ld.16x256b.x64 tcgen05.ld.32x32b.x256 tcgen05.ld tcgen05.cp.128x256b \
    tcgen05.ld.32x32b.x8.unpack::16b tcgen05.st.32x32b.x8.pack::16b tcgen05.ld.32x32b.x8.b16 tcgen05.ld.32x32b.x8.x8; do
    refused "no such load: $name" 2 "'$name' is not a valid load or store of Tensor Memory; write tcgen05.ld.SHAPE or tcgen05.st.SHAPE" $d --with=$name
done
refused 'an operation on shared memory' 2 '--with needs --load or --store; for an operand in Tensor Memory, use --with=tcgen05.ld.32x32b or --with=tcgen05.st.32x32b' \
    $d --with=ld.b32
run $d --with=tcgen05.ld.32x32b.x32 --brief
cp "$folder/out" "$folder/opcode"
for name in SM100_TMEM_LOAD_32dp32b32x 'cute::SM100::TMEM::LOAD::SM100_TMEM_LOAD_32dp32b32x{}' \
    'Copy_Atom<SM100_TMEM_LOAD_32dp32b32x, float>'; do
    run $d "--with=$name" --brief
    ok "an atom of CuTe: $name" cmp "$folder/opcode" "$folder/out"
done
for name in SM100_TMEM_LOAD_32dp32b3x 32x32b.x32 LDTM.x32; do
    refused "nearly one: $name" 2 "'$name' is not a valid load or store of Tensor Memory; write tcgen05.ld.SHAPE or tcgen05.st.SHAPE" $d --with=$name
done
refused 'lanes of Tensor Memory' 2 '--lane selects a lane of Tensor Memory, but --with shows registers; use --thread=TID' \
    $d --with=tcgen05.ld.32x32b --lane=5
refused 'threads without a load' 2 '--with=tcgen05.ld.32x32b to see which thread loads each element' $d --thread=5
refused 'two' 2 "is given twice; the second one is 'tcgen05.ld.32x32b.x16'" $d --with=tcgen05.ld.32x32b.x32 --with=tcgen05.ld.32x32b.x16
refused 'both' 2 '--with=ld.b32 is for shared memory, and another --with is for Tensor Memory; give only one of them' $d --with=tcgen05.ld.32x32b --with=ld.b32
refused 'an architecture without' 3 'sm_90 has no' -a90 $d --with=tcgen05.ld.32x32b


# ---- The second access of .16x32bx2, at taddr + immHalfSplitoff: 9.7.16.8.3 ----

split="tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {r0, r1}, [taddr]"
for behind in 2 0x2 %9 offset; do
    run --arch=100 --brief $d --with="$split, $behind;"
    ok "immHalfSplitoff $behind" is "$status $(line)" "0 # $d on sm_100"
    run --arch=100 --brief "tcgen05.st.sync.aligned.16x32bx2.x2.b32 [taddr], $behind, {r0, r1};"
    ok "$behind of tcgen05.st" is "$status $(line)" '0 # tcgen05.st.16x32bx2.x2.r.b32 on sm_100'
done
for behind in 16 0 0x10; do
    refused "immHalfSplitoff $behind" 2 "immHalfSplitoff is $((behind)), but only 2 is supported" --arch=100 $d \
        --with="$split, $behind;"
    refused "$behind alone" 2 "immHalfSplitoff is $((behind)), but only 2 is supported" --arch=100 "$split,$behind;"
done
run --arch=100 --brief 'tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0, r1}, [taddr], 5;'
ok 'of what has no second access nothing is asked' is "$status" 0

# ---- A formula for all loads, which may use their numbers: columns as above ----

run --arch=100 $d --with=tcgen05.ld.32x32b.x32 --verify='row = tid; col = i + 32 * load'
ok 'the number of the load' is "$status $(count ': right at all 4096 entries')" '0 8'
run --arch=100 $d --with=tcgen05.ld.32x32b.x32 --verify='col = i + 16 * load'
ok 'a wrong one is right of the first load alone' is "$status $(count ': right at all') $(count ': wrong at')" '1 1 3'
run --arch=100 tcgen05.mma.cta2.m256n32k16.d.f32 --with=tcgen05.ld.32x32b.x32 --verify='row = tid + 128 * cta'
ok 'and of the CTA' is "$status $(count ': right at all 4096 entries')" '0 2'
run --arch=100 tcgen05.mma.m128k16.a.f16 --with=tcgen05.st.32x32b.x2 --verify='col = i + 4 * store'
ok 'and of the store' is "$status $(count ': right at all 512 entries')" '0 4'
run --arch=100 mma.m16n8k16.d.f32 --verify='col = load'
ok 'nothing else is loaded' is "$status $(grep -c "^mapping: unknown name 'load'; known names are tid" "$folder/err")" '2 1'
finish
