#!/bin/sh
# The command line from the outside: options, exit status, and what is said when something is wrong.
. "$(dirname "$0")/tap.sh"

export CUDA_VISIBLE_DEVICES= # the same with and without a GPU
show() { run --source=recorded "$@"; }
head_is() { is "$status $(head -1 "$folder/out")" "0 $1"; }

# What is shown.
show
ok 'the default without a GPU' head_is '# wmma.m16n16k16.d.f32 on sm_80'
ok 'the default is said' says '# no GPU here, so sm_80 is shown; --arch=ARCH shows another' "$folder/out"
show --arch=80
ok 'an architecture that was asked for is no default' is "$(grep -c 'no GPU' "$folder/out")" 0
ok 'the source is said' grep -q '^# source: recorded: sass (ptxas [0-9.]*, nvdisasm [0-9.]*)$' "$folder/out"
for name in sm_75 75 7.5 SM_75 turing Turing T4 compute_75 sm75; do
    show --arch=$name
    ok "--arch=$name" head_is '# wmma.m16n16k16.d.f32 on sm_75'
done
for pair in volta:70 v100:70 xavier:72 a100:80 ampere:80 orin:87 ada:89 h200:90 hopper:90 sm_90a:90 blackwell:100 sm_100f:100 sm_103a:103 thor:110 11.0:110 rtx5090:120 spark:121; do
    show -a "${pair%:*}"
    ok "-a ${pair%:*}" head_is "# wmma.m16n16k16.d.f32 on sm_${pair#*:}"
done
for name in half f16 HALF; do
    show -a70 -t $name
    ok "--type=$name" head_is '# wmma.m16n16k16.d.f16 on sm_70'
done
show -a 75 wmma.m8n32k16.d.f16 wmma.m32n8k16.d.f32
ok 'fragments by name' is "$(grep '^# wmma' "$folder/out" | tr '\n' ' ')" '# wmma.m8n32k16.d.f16 on sm_75 # wmma.m32n8k16.d.f32 on sm_75 '
show -a 75 --type=half wmma.m8n32k16.d.f16
ok 'a name and a type that agree' head_is '# wmma.m8n32k16.d.f16 on sm_75'
show -a 75 -- wmma.m8n32k16.d.f16
ok '-- ends the options' head_is '# wmma.m8n32k16.d.f16 on sm_75'
run --list
ok '--list names every fragment once' is "$status $(wc -l < "$folder/out") $(cut -d' ' -f1 "$folder/out" | sort -u | wc -l)" '0 1296 1296'
ok '--list says what was seen on hardware' is "$(grep -c 'sass; sm_90: gpu (NVIDIA H200, nvcc [0-9.]*)$' "$folder/out")" 88
run --list --arch=sm_75 --type=s8
ok '--list for an architecture and a type' is "$(wc -l < "$folder/out") $(cut -d' ' -f1 "$folder/out" | grep -c '\.s8$')" '14 14'
ok '--list for an architecture says with which tools' is "$(grep -c 'sm_72+  sass (ptxas [0-9.]*, nvdisasm [0-9.]*)$' "$folder/out")" 12
run --list wmma.m8n8k4.a.row.f64
ok '--list for a fragment' is "$(cut -d' ' -f1 "$folder/out")" wmma.m8n8k4.a.row.f64
run --list --arch=75 wmma.m16n16k16.d.f32 wmma.m16n16k16.a.row.f16
ok '--list for fragments in any order' is "$(grep -c 'sass (ptxas' "$folder/out")" 2
run --list --arch=72 'wmma.*'
cut -d' ' -f1 "$folder/out" > "$folder/names"
ok '--list: sm_72 has no 4-bit types' is "$status $(grep -c 's4' "$folder/names")" '0 0'
show -a 72 --all
grep '^# wmma' "$folder/out" | cut -d' ' -f2 > "$folder/shown"
ok '--all shows all that --list names' cmp "$folder/names" "$folder/shown"
ok '--all prints the text of the results file but for "recorded"' sh -c 'sed "s/^# source: recorded: /# source: /" "$1" | cmp - "$2"' - "$folder/out" "$tests/../results/sm_72.txt"
ok 'no line ends with a blank' sh -c '! grep -q " \$" "$1"' - "$folder/out"
run --help
ok '--help' is "$status $(head -c 14 "$folder/out")" '0 Usage: mapping'
ok '--help fits 80 columns' sh -c '! grep -q ".\{81\}" "$1"' - "$folder/out"
run --version
ok '--version' is "$status $(cat "$folder/out")" "0 mapping $(sed -n 's/#define MAPPING_VERSION "\(.*\)"/\1/p' "$tests/../include/mapping.h")"

# Other names for a fragment.
same_fragment() {
    show -a 80 "$1"
    ok "$1" is "$status $(grep -c "^# $2 on sm_80" "$folder/out")" '0 1'
}
same_fragment WMMA.m16n16k16.A.row.F16 wmma.m16n16k16.a.row.f16
same_fragment wmma.m16n16k16.d.float wmma.m16n16k16.d.f32
same_fragment wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 wmma.m16n16k16.a.row.f16
same_fragment wmma.load.b.sync.aligned.col.m8n8k32.global.s4 wmma.m8n8k32.b.col.s4
same_fragment wmma.load.c.sync.aligned.col.m16n16k8.f32 wmma.m16n16k8.c.f32
same_fragment wmma.store.d.sync.aligned.row.m8n8k4.f64 wmma.m8n8k4.d.f64
same_fragment 'fragment<matrix_a, 16, 16, 16, half, row_major>' wmma.m16n16k16.a.row.f16
same_fragment 'wmma::fragment<wmma::matrix_b,8,32,16,signed char,wmma::col_major>' wmma.m8n32k16.b.col.s8
same_fragment 'nvcuda::wmma::fragment<matrix_a, 16, 16, 8, wmma::precision::tf32, col_major>' wmma.m16n16k8.a.col.tf32
same_fragment 'fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>' wmma.m8n8k128.b.col.b1
same_fragment 'fragment<accumulator, 32, 8, 16, int>' wmma.m32n8k16.d.s32
same_fragment 'fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>' wmma.m16n16k16.a.row.bf16
show -a 80 wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16
ok 'a whole multiplication' is "$(grep '^# wmma' "$folder/out" | cut -d' ' -f2 | tr '\n' ' ')" 'wmma.m16n16k16.a.row.f16 wmma.m16n16k16.b.col.f16 wmma.m16n16k16.c.f16 wmma.m16n16k16.d.f32 '
show -a 80 wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32
ok 'one of integers' is "$(grep '^# wmma' "$folder/out" | cut -d' ' -f2 | tr '\n' ' ')" 'wmma.m16n16k16.a.row.s8 wmma.m16n16k16.b.col.s8 wmma.m16n16k16.c.s32 wmma.m16n16k16.d.s32 '
for name in wmma. wmma wmma.m16n16k16 wmma.m16n16k16.a.f16 wmma.m16n16k16.d.row.f32 wmma.load.d.sync.aligned.row.m16n16k16.f32 \
    wmma.load.a.sync.aligned.m16n16k16.f16 wmma.m16n16k16.a.row.f16.f16 wmma.m16n16k16.a.row.f16.row 'fragment<>' 'fragment<matrix_a' \
    'fragment<matrix_a, 16, 16, 16, half>' 'fragment<matrix_c, 16, 16, 16, half, row_major>' 'x::fragment<accumulator, 16, 16, 16, float>' \
    wmma.mma.sync.aligned.row.col.m16n16k16.f32 wmma.m16n16k16..f32 .wmma "$(printf %300s x)"; do
    refused "no fragment: '$(echo "$name" | head -c 60)'" 2 'unknown fragment' "$name"
done

# mma, wgmma and the rest. What the PTX ISA says of them, catalogue_test.c compares.
names() { grep '^# [a-z0-9.]* on sm_[0-9]*$' "$folder/out" | cut -d' ' -f2 | tr '\n' ' '; }
shows_all() {
    name=$1 arch=$2 expected=$3
    shift 3
    run --source=isa --arch="$arch" --brief "$@"
    ok "$name" is "$status $(names)" "0 $expected"
}
shows_all 'all operands of an mma' 80 'mma.m16n8k16.a.bf16 mma.m16n8k16.b.bf16 mma.m16n8k16.c.f32 mma.m16n8k16.d.f32 ' mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
shows_all 'one of them' 80 'mma.m16n8k16.b.bf16 ' mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 --operand=b
shows_all 'all operands of a wgmma' 90 'wgmma.m64n128k16.a.f16 wgmma.m64n128k16.d.f32 ' wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
shows_all 'all operands of a sparse one' 90 'wgmma.sp.m64n8k64.a.e4m3 wgmma.sp.m64n8k64.d.f16 wgmma.sp.m64n8k64.e.e4m3 ' wgmma.mma_async.sp.sync.aligned.m64n8k64.f16.e4m3.e5m2
shows_all 'registers and addresses' 75 'ldmatrix.m8n8.x2.r.trans.b16 ldmatrix.m8n8.x2.p.b16 ' ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
shows_all 'scale factors' 120 'mma.m16n8k64.sfa.4x.ue4m3 mma.m16n8k64.sfb.4x.ue4m3 ' 'mma.m16n8k64.sf?.4x.ue4m3'
shows_all 'fragments by a pattern' 80 'mma.m16n8k8.a.f16 mma.m16n8k8.b.f16 mma.m16n8k8.c.f16 mma.m16n8k8.d.f16 ' 'mma.m16n8k8.*.f16'
run --source=isa --arch=80 --operand=a
ok '--operand alone' is "$status $(cat "$folder/err")" '3 mapping: isa: cannot show wmma.m16n16k16.a.row.f16 on sm_80: the PTX ISA does not specify it'
run --source=isa --arch=70 mma.m8n8k4.d.f16 --at=2,0,5
ok 'an element of a block' is "$status $(tail -1 "$folder/out")" '0 block 2, row  0, col  5: tid  8, i  5'
run --source=isa --arch=70 mma.m8n8k4.d.f16 --thread=31,7 --format=csv
ok 'a block as CSV' is "$(tr '\n' ' ' < "$folder/out")" 'arch,fragment,tid,i,row,col,copy,block sm_70,mma.m8n8k4.d.f16,31,7,7,7,0,3 '
run --source=isa --arch=80 mma.sp.m16n8k16.e.f16 --at=8,0
ok 'metadata by selector' is "$status $(grep '^row' "$folder/out" | sed 's/.*tid/tid/' | tr '\n' ';')" '0 tid  0, i  8 (selector 0);tid  1, i  8 (selector 1);tid  2, i  8 (selector 2);tid  3, i  8 (selector 3);'
run --source=isa --arch=80 mma.m16n8k16.d.f32
ok 'a statement says what confirmed it' grep -q '^# confirmed on sm_90: NVIDIA H200, nvcc [0-9.]*$' "$folder/out"
run --source=isa --arch=120 mma.m16n8k32.a.e2m1
ok 'or that nothing has' grep -q '^# not confirmed on hardware$' "$folder/out"
cp "$folder/out" "$folder/stated"
run --check "$folder/stated"
ok 'and can be checked' is "$status $(grep -c '^ok .*: isa (PTX ISA 9.0 section 9.7.14.5.10)$' "$folder/out")" '0 1'
run --arch=90 --source=recorded mma.m16n8k16.d.f32 wgmma.m64n8k16.d.f32
ok 'what is recorded was seen' is "$status $(grep -c '^# source: recorded: isa (.*); recorded: gpu (NVIDIA H200, ' "$folder/out")" '0 2'
run --arch=90 --source=recorded,isa 'wgmma.*k8.*' --brief
ok 'what is recorded and what is stated agree' is "$status $(grep -c '; isa (' "$folder/out")" "0 $(grep -c '^# wgmma' "$folder/out")"
run --check "$tests/../results/wgmma.txt" --source=isa
ok 'results without grids are checked' is "$status $(tail -1 "$folder/out")" '0 980 sections: 980 confirmed, 0 different, 0 not checked'
sed '4s/28/24/' "$tests/../results/wgmma.txt" > "$folder/bent"
run --check "$folder/bent" --source=isa
ok 'and differences found' is "$status $(grep -c ^FAIL "$folder/out")" '1 1'
sed '4s/28/x/' "$tests/../results/wgmma.txt" > "$folder/bent"
refused 'and what is no formula' 2 "line 4: expected a formula" --check="$folder/bent"
run --all --arch=80 --source=auto --cuda="$folder" --brief
ok '--all takes each from where it is' is "$status $(grep -c '^# source: recorded: sass' "$folder/out") $(grep -c '^# source: isa' "$folder/out")" "0 88 $(($("$MAPPING" --list --arch=80 | wc -l) - 88))"
refused 'an opcode that is none' 2 'did you mean mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 or mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32?' mma.sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32
refused 'a width that is none' 2 'did you mean wgmma.mma_async.sync.aligned.m64n48k32.s32.s8.s8 or wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8?' wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8
refused 'a width that is too large' 2 'did you mean wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16, ' wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16
refused 'a layout left out' 2 "unknown fragment 'mma.m8n8k4.a.f16'; did you mean mma.m8n8k4.a.row.f16 or mma.m8n8k4.a.col.f16?" mma.m8n8k4.a.f16
refused 'what is left out at the end' 2 'did you mean mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc or mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc?' mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32
refused 'an opcode that is younger than its operands' 3 'sm_90 has no mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32; sm_120 and later have' -a90 mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e5m2.f32
refused 'another' 3 'sm_75 has no mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc; sm_80 and later have' -a75 mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc
refused 'scale factors that PTX 9.0 does not have' 2 'did you mean ' -a120 mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0
run -a80 --brief mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
cp "$folder/out" "$folder/opcode"
run -a80 --brief '	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3},
    {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};'
ok 'an instruction with its operands' cmp "$folder/opcode" "$folder/out"
run -a80 --brief '@p asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1};\n"'
ok 'and with what is around it' cmp "$folder/opcode" "$folder/out"
run --source=isa,recorded --brief wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
ok 'without a GPU an architecture that has it' is "$status $(head -1 "$folder/out")" '0 # wgmma.m64n128k16.a.f16 on sm_90'
run --source=isa --brief 'mma.*.e3m2'
ok 'of a pattern too' is "$status $(head -1 "$folder/out")" '0 # mma.m16n8k32.a.e3m2 on sm_120'
run -a80 --source=isa mma.m16n8k16.c.f32 --atom-layout='(3,2,1)' --at=0,0
ok 'a question needs no formula' is "$status $(wc -c < "$folder/err")" '0 0'
run -a80 --source=isa mma.m16n8k16.c.f32 --atom-layout='(3,2,1)' --brief
ok 'but formulae do' is "$status $(wc -c < "$folder/err")" '4 0'
run -a80 --source=isa mma.m16n8k16.d.f32 --atom-layout='(1,2)' --permutation=16,1024
ok 'a wide tile comes in blocks of columns' is "$status $(grep -c '^columns ' "$folder/out") $(awk '{ if (length > most) most = length } END { print (most < 6000) }' "$folder/out")" '0 4 1'
refused 'strides that no tile has' 2 'mapping: ' -a80 mma.m16n8k256.a.b1 --permutation='_,_,64:67108864'
refused 'metadata of a tile' 2 'mma.sp.m16n8k16.e.f16 cannot be tiled' -a80 mma.sp.m16n8k16.e.f16 --atom-layout='(1)'
for opcode in movmatrix.sync.aligned.m8n8.shared.trans.b16 ldmatrix.shared.sync.shared.aligned.m8n8.x4.b16 \
    mma.sync.aligned.m16n8k16.row.col.s32.satfinite.s8.satfinite.s8.s32 \
    mma.sync.aligned.m8n8k128.row.col.satfinite.s32.b1.b1.s32.xor.popc \
    wgmma.mma_async.sp::ordered_metadata.sync.aligned.m64n8k32.f32.f16.f16 \
    mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0; do
    refused "no such opcode: $opcode" 2 'unknown fragment' -a120 $opcode
done
run --diff=75,90 --source=isa --format=csv 'stmatrix.m8n8.x2.r.b16'
ok '--diff in CSV has blocks' is "$(tail -1 "$folder/out")" 'stmatrix.m8n8.x2.r.b16,sm_90,((tid & 28) >> 2),(i & 1) + ((tid & 3) << 1),((i & 2) >> 1)'
refused 'a pattern and an operand' 2 "no fragment matches 'mma.m16n8k16.*' and is of that type and operand" --operand=e 'mma.m16n8k16.*'
refused 'wgmma elsewhere' 3 'sm_100 has no wgmma.m64n8k16.d.f32; only sm_90 has' --arch=100 wgmma.m64n8k16.d.f32
refused 'an operand that is none' 2 "unknown operand 'q'; there are a, b, c, d, e, sfa, sfb, r and p" --operand=q
refused 'an operand that it does not have' 2 'has no operand e in registers' -a80 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 --operand=e
refused 'a pattern that nothing matches' 2 "no fragment matches 'mma.m99*'" 'mma.m99*'
refused 'a pattern that the architecture has nothing of' 3 "sm_80 has no fragment that matches 'wgmma.*'; sm_90 is the first that has one" -a80 'wgmma.*'
refused 'a source that has it not' 3 'sass: cannot show mma.m16n8k16.d.f32 on sm_80: compilers spell out the layout of wmma only' -a80 --source=sass mma.m16n8k16.d.f32
refused 'a block of one matrix' 2 'mma.m16n8k16.d.f32 is one matrix, without blocks; --at takes ROW,COL' -a80 mma.m16n8k16.d.f32 --at=0,0,0
refused '--brief with CSV' 2 '--brief leaves formulae alone' --brief --format=csv

# Questions. The answers are read off the tables of the seed, seed/volta_float.txt and the others.
show -a 70 --at=3,5
ok 'who holds row 3, column 5' is "$status $(tail -n +3 "$folder/out")" '0 row  3, col  5: tid  1, i  7'
show -a 70 --at=15,0-2
ok 'a range of columns' is "$(tail -n +3 "$folder/out" | tr '\n' ';')" 'row 15, col  0: tid 21, i  2;row 15, col  1: tid 21, i  3;row 15, col  2: tid 23, i  2;'
show -a 75 --at='0,*'
ok 'a whole row' is "$(tail -n +3 "$folder/out" | sed 's/.*tid *\([0-9]*\), i *\([0-9]*\)/\1:\2/' | tr '\n' ' ')" '0:0 0:1 1:0 1:1 2:0 2:1 3:0 3:1 0:4 0:5 1:4 1:5 2:4 2:5 3:4 3:5 '
show -a 75 --thread=31
ok 'what thread 31 holds' is "$(tail -n +3 "$folder/out" | sed 's/.*row *\([0-9]*\), col *\([0-9]*\)/\1,\2/' | tr '\n' ' ')" '7,6 7,7 15,6 15,7 7,14 7,15 15,14 15,15 '
show -a 75 --thread=4-5,1
ok 'element 1 of two threads' is "$(tail -n +3 "$folder/out" | tr '\n' ';')" 'tid  4, i  1: row  1, col  1;tid  5, i  1: row  1, col  3;'
show -a 75 --at=0,0 wmma.m16n16k16.a.row.f16
ok 'all copies' is "$(tail -n +3 "$folder/out" | tr '\n' ';')" 'row  0, col  0: tid  0, i  0 (copy 0);row  0, col  0: tid  0, i  8 (copy 1);'
show -a 75 --thread=3,2 --format=csv
ok 'an answer as CSV' is "$(tr '\n' ' ' < "$folder/out")" 'arch,fragment,tid,i,row,col,copy sm_75,wmma.m16n16k16.d.f32,3,2,8,6,0 '
show -a 75 --at=8,6 --format=markdown
ok 'an answer as Markdown' is "$(tail -1 "$folder/out")" '| 8 | 6 | 0 | 3 | 2 |'
for bad in 3 3, ,3 a,b 3,5,7,9 5-3,0 '3;5' -1,0 '' '*'; do
    refused "no element: '$bad'" 2 'no element; --at takes ROW,COL' "--at=$bad"
done
refused 'a row that is not there' 2 'wmma.m16n16k16.d.f32 has no row 16, only 0 to 15' --at=16,0 -a80 --source=recorded
refused 'a column that is not there' 2 'wmma.m16n16k16.d.f32 has no column 20, only 0 to 15' --at=0,3-20 -a80 --source=recorded
refused 'a thread that is not there' 2 'has no thread 32, only 0 to 31' --thread=32 -a80 --source=recorded
refused 'an element of a thread that is not there' 2 'has no element 4294967294, only 0 to 7' --thread=3,99999999999 -a80 --source=recorded
refused 'two questions' 2 'one question at a time' --at=0,0 --thread=3
refused 'a question to a list' 2 'not with --list' --list --at=0,0
show -a 75 --detail wmma.m8n8k32.a.row.s4
ok '--detail' is "$(sed '1,/^Detail:/d' "$folder/out" | tr -s ' ' | tr '\n' ';')" 'matrix a is 8 x 32;type s4 (precision::s4), 4 bits;registers 1 per thread, 8 elements in each;elements 8 per thread; each held 1 time;bytes 128 in memory, 128 in the registers of all 32 threads;since sm_75, PTX 6.3;'

# Differences between architectures: what the seed says of Volta and Turing.
run --diff=sm_70,turing --type=half --source=recorded
ok '--diff' is "$status $(grep -A4 '^wmma.m16n16k16.d.f16' "$folder/out" | tr -s ' ' | tr '\n' ';')" '1 wmma.m16n16k16.d.f16; sm_70 Row: (tid & 3) + ((tid & 4) << 1) + ((tid & 16) >> 2); Col: (i & 7) + (tid & 8); sm_75 Row: ((i & 2) << 2) + ((tid & 28) >> 2); Col: (i & 1) + ((i & 4) << 1) + ((tid & 3) << 1);'
run --diff=80,90 --source=recorded 'wmma.*'
ok '--diff of the same' is "$status $(cat "$folder/out")" '0 # sm_80 and sm_90: 88 fragments are the same, 0 differ'
run --diff=75,80 --source=recorded wmma.m16n16k16.d.f32
ok '--diff of one fragment' is "$status $(cat "$folder/out")" '0 # sm_75 and sm_80: 1 fragments are the same, 0 differ'
run --diff=72,75 --source=recorded --format=csv --type=s4
ok '--diff where only one has it' is "$status $(grep -c '^wmma.*,sm_72,,$' "$folder/out")" '1 2'
ok '--diff where only one has it: nothing on standard error' empty "$folder/err"
refused '--diff where none has it' 3 'neither sm_70 nor sm_75 has it' --diff=70,75 --type=f64 --source=recorded
refused '--diff of one' 2 "'sm_70' is one architecture" --diff=sm_70
refused '--diff with --arch' 2 '--arch is too many' --diff=70,75 --arch=80

# Formats.
show -a 75 --format=csv
ok 'a map as CSV' is "$(wc -l < "$folder/out") $(sed -n 4p "$folder/out")" '257 sm_75,wmma.m16n16k16.d.f32,0,2,8,0,0'
show -a 75 --format=markdown
ok 'a map as Markdown' is "$(grep -c '^| \*\*' "$folder/out") $(grep '^| row' "$folder/out")" '16 | row | `((i & 2) << 2) + ((tid & 28) >> 2)` |'
run --list --format=csv --arch=75 --type=b1
ok 'a list as CSV' grep -q '^wmma.m8n8k128.a.row.b1,a,row,b1,8,128,32,32,1,sm_75,6.3,"sass (.*)",1$' "$folder/out"
run --list --format=markdown --type=b1
ok 'a list as Markdown' is "$(grep -c '^| `wmma' "$folder/out")" 2

# Wide grids are split to fit a terminal, and never in a pipe.
if command -v script > /dev/null; then
    script -qec "stty cols 80; '$MAPPING' --source=recorded --arch=75 wmma.m8n32k16.d.f32 wmma.m8n8k128.a.row.b1" /dev/null > "$folder/out" < /dev/null
    ok 'in a terminal 80 wide no line is wider' is "$(tr -d '\r' < "$folder/out" | grep -v '^#' | grep -c '.\{81\}')" 0
    ok 'columns are numbered there' is "$(grep -c '^columns 8 to 15:' "$folder/out")" 2
    script -qec "stty cols 250; '$MAPPING' --source=recorded --arch=75 wmma.m8n32k16.d.f32" /dev/null > "$folder/out" < /dev/null
    ok 'in a wide one nothing is split' is "$(grep -c '^columns' "$folder/out")" 0
else
    skip 'in a terminal 80 wide no line is wider' 'script is missing'
fi
show -a 75 wmma.m8n32k16.d.f32
ok 'in a pipe nothing is split' is "$(grep -c '^columns' "$folder/out")" 0

# What is wrong with the command line: status 2, one sentence, nothing on standard output.
refused 'unknown long option' 2 "unknown or ambiguous option '--frobnicate'" --frobnicate
refused 'unknown short option' 2 "unknown option '-x'" -x
refused 'unknown short option among others' 2 "unknown option '-x'" --all -lx
refused 'missing argument' 2 "option '--arch' needs an argument" --arch
refused 'missing argument of a short option' 2 "option '--type' needs an argument" -t
refused 'superfluous argument' 2 "option '--all' takes no argument" --all=yes
refused 'unknown architecture' 2 "unknown architecture 'sm_71'; there are sm_70, sm_72" --arch=sm_71
for name in sm_ 7 75x sm_7500000000000000000 '' voltaic 7.; do
    refused "no architecture: '$name'" 2 "unknown architecture '$name'" --arch="$name"
done
refused 'unknown type' 2 "unknown type 'int7'; there are f64, f32, tf32, bf16, f16, e5m2, e4m3, e3m2, e2m3, e2m1, ue8m0, ue4m3, s32, s8, u8, s4, u4, b1, b16, and double, float, half, int" --type=int7
refused 'a type without accumulator' 2 'there is no accumulator of s8; --list --type=s8 shows the fragments that are' --type=s8
refused 'unknown fragment' 2 "unknown fragment 'wmma.m16n16k16.d.f31'; did you mean wmma.m16n16k16.d.f32" wmma.m16n16k16.d.f31
refused 'a fragment that nothing is near to' 2 "unknown fragment 'x'; --list shows all that there are" x
refused 'a fragment that the architecture does not have' 3 'sm_75 has no wmma.m8n8k4.d.f64; sm_80 and later have' -a 75 wmma.m8n8k4.d.f64
refused 'unknown format' 2 "unknown format 'xml'; there are text, json, csv and markdown" --format=xml
refused 'unknown source' 2 "unknown source 'oracle'" --source=oracle
refused 'source twice' 2 "source 'sass' is named twice" --source=sass,sass
refused 'empty source' 2 "unknown source ''" --source=
refused 'no device number' 2 "'one' is no device" --device=one
refused 'negative device' 2 "'-1' is no device" --device=-1
refused 'no time' 2 "'soon' is no time limit" --timeout=soon
refused 'no positive time' 2 "'0' is no time limit" --timeout=0
refused 'type against name' 2 'contradicts' --type=half wmma.m16n16k16.d.f32
refused '--all with a name' 2 '--all means every fragment' --all wmma.m16n16k16.d.f32
refused 'an architecture mistyped' 2 'did you mean turing?' --arch=turning
refused 'two things to do' 2 'one at a time' --list --check
refused '--check as JSON' 2 '--check prints text, not json' --check --format=json
refused 'auto with another source' 2 "source 'auto' stands alone" --source=auto,sass
refused '--check with recorded' 2 'recorded' --check --source=recorded
refused '--check with a type' 2 '--type' --check --type=half

# What exists but is not here: status 3.
refused 'no GPU for the gpu source' 3 'mapping: ' --source=gpu
refused 'no GPU for the gpu source and an architecture' 3 'mapping: gpu: ' --source=gpu --arch=sm_80
refused 'no such device' 3 'mapping: ' --device=99
refused 'no such device, though the architecture is given' 3 'mapping: ' --device=99 --arch=sm_80

# Output that cannot be written: status 5.
"$MAPPING" --source=recorded > /dev/full 2> "$folder/err"
ok 'a full device' is "$? $(cat "$folder/err")" '5 mapping: could not write to standard output: No space left on device'
"$MAPPING" --source=recorded >&- 2> "$folder/err"
ok 'a closed standard output' is "$? $(cat "$folder/err")" '5 mapping: could not write to standard output: Bad file descriptor'
ok 'a reader that leaves early' is "$("$MAPPING" --source=recorded --all --arch=70 | head -1)" '# wmma.m16n16k16.a.row.f16 on sm_70'
finish
