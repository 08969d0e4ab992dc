#!/bin/sh
# The fragments that a name selects: names, opcodes, C++ types, patterns; and the suggestions for a name that does not
# exist.
#
# Expected values: by hand; ptxas.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

# ---- Names of one fragment ----

same_fragment() {
    run --source=recorded -a 80 "$1"
    ok "$1" is "$status $(shown)" "0 $2 "
}
same_fragment WMMA.m16n16k16.A.row.F16 wmma.m16n16k16.a.row.f16
same_fragment wmma.m16n16k16.d.float wmma.m16n16k16.d.f32
same_fragment wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 wmma.m16n16k16.a.row.f16
same_fragment wmma.load.b.sync.aligned.col.m8n8k32.global.s4 wmma.m8n8k32.b.col.s4
same_fragment wmma.load.c.sync.aligned.col.m16n16k8.f32 wmma.m16n16k8.c.f32
same_fragment wmma.store.d.sync.aligned.row.m8n8k4.f64 wmma.m8n8k4.d.f64
same_fragment 'fragment<matrix_a, 16, 16, 16, half, row_major>' wmma.m16n16k16.a.row.f16
same_fragment 'wmma::fragment<wmma::matrix_b,8,32,16,signed char,wmma::col_major>' wmma.m8n32k16.b.col.s8
same_fragment 'nvcuda::wmma::fragment<matrix_a, 16, 16, 8, wmma::precision::tf32, col_major>' \
    wmma.m16n16k8.a.col.tf32
same_fragment 'fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>' wmma.m8n8k128.b.col.b1
same_fragment 'fragment<accumulator, 32, 8, 16, int>' wmma.m32n8k16.d.s32
same_fragment 'fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>' wmma.m16n16k16.a.row.bf16
same_fragment wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 \
    'wmma.m16n16k16.a.row.f16 wmma.m16n16k16.b.col.f16 wmma.m16n16k16.c.f16 wmma.m16n16k16.d.f32'
same_fragment wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 \
    'wmma.m16n16k16.a.row.s8 wmma.m16n16k16.b.col.s8 wmma.m16n16k16.c.s32 wmma.m16n16k16.d.s32'

for name in wmma. wmma.m16n16k16.d.row.f32 \
    wmma.load.d.sync.aligned.row.m16n16k16.f32 \
    wmma.m16n16k16.a.row.f16.f16 wmma.m16n16k16.a.row.f16.row wmma.m16n16k16..f32 .wmma \
    wmma.mma.sync.aligned.row.col.m16n16k16.f32 \
    'fragment<>' 'fragment<matrix_a' 'fragment<matrix_a, 16, 16, 16, half>' \
    'fragment<matrix_c, 16, 16, 16, half, row_major>' 'x::fragment<accumulator, 16, 16, 16, float>' \
    "$(printf %300s x)"; do
    refused "no fragment: '$(echo "$name" | head -c 60)'" 2 'unknown fragment' "$name"
done

# ---- Several fragments: operands of an opcode, patterns. Their layouts tests/catalogue compares with the PTX ISA. ----

# shows_all NAME ARCH FRAGMENTS ARGUMENT...
shows_all() {
    name=$1 arch=$2 expected=$3
    shift 3
    run --source=isa --arch="$arch" --brief "$@"
    ok "$name" is "$status $(shown)" "0 $expected "
}
shows_all 'all operands of an mma' 80 \
    'mma.m16n8k16.a.bf16 mma.m16n8k16.b.bf16 mma.m16n8k16.c.f32 mma.m16n8k16.d.f32' \
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
shows_all 'one of them' 80 mma.m16n8k16.b.bf16 --operand=b mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
shows_all 'all operands of a wgmma' 90 'wgmma.m64n128k16.a.f16 wgmma.m64n128k16.d.f32' \
    wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
shows_all 'all operands of a sparse one' 90 \
    'wgmma.sp.m64n8k64.a.e4m3 wgmma.sp.m64n8k64.d.f16 wgmma.sp.m64n8k64.e.e4m3' \
    wgmma.mma_async.sp.sync.aligned.m64n8k64.f16.e4m3.e5m2
shows_all 'registers and addresses' 75 'ldmatrix.m8n8.x2.r.trans.b16 ldmatrix.m8n8.x2.p.b16' \
    ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
shows_all 'scale factors' 120 'mma.m16n8k64.sfa.4x.ue4m3 mma.m16n8k64.sfb.4x.ue4m3' 'mma.m16n8k64.sf?.4x.ue4m3'
shows_all 'fragments by a pattern' 80 'mma.m16n8k8.a.f16 mma.m16n8k8.b.f16 mma.m16n8k8.c.f16 mma.m16n8k8.d.f16' \
    'mma.m16n8k8.*.f16'

# ---- Names with words left out ----

shows_all 'an instruction without operand' 80 'mma.m16n8k8.a.f16 mma.m16n8k8.a.bf16 mma.m16n8k8.b.f16 mma.m16n8k8.b.bf16 mma.m16n8k8.c.f32 mma.m16n8k8.c.f16 mma.m16n8k8.d.f32 mma.m16n8k8.d.f16 mma.m16n8k8.a.tf32 mma.m16n8k8.b.tf32' \
    mma.m16n8k8
shows_all 'with --operand and --type' 80 mma.m16n8k16.a.bf16 mma.m16n8k16 --operand=a --type=bf16
shows_all 'with the words of an opcode' 80 mma.m16n8k16.d.f32 mma.sync.m16n8k16.d.f32
shows_all 'the beginning of an opcode' 80 mma.m16n8k4.a.tf32 mma.sync.aligned.m16n8k4 -oa
shows_all 'matrices that are moved' 80 'ldmatrix.m8n8.x4.r.trans.b16 ldmatrix.m8n8.x4.p.b16' ldmatrix.x4.trans
shows_all 'and in shared memory' 80 'ldmatrix.m8n8.x4.r.trans.b16 ldmatrix.m8n8.x4.p.b16' ldmatrix.sync.aligned.shared.x4.trans
shows_all 'without an order' 80 'mma.m8n8k4.a.row.f16 mma.m8n8k4.a.col.f16' mma.m8n8k4.a.f16
shows_all 'in another order' 80 mma.m8n8k4.a.col.f16 mma.f16.col.m8n8k4.a
shows_all 'a group of types' 89 'mma.m16n8k32.b.e5m2 mma.m16n8k32.b.e4m3' mma.m16n8k32.b.fp8
shows_all 'sparse' 80 'mma.sp.m16n8k16.e.tf32' mma.sp.m16n8k16.e.tf32
shows_all 'wgmma.mma_async' 90 'wgmma.sp.m64n8k64.e.e5m2 wgmma.sp.m64n8k64.e.e4m3' wgmma.mma_async.sp.m64n8k64.e.fp8
run --list mma
ok 'a family' is "$status $(grep -c '^mma\.m' "$folder/out") $(grep -vc '^mma\.m' "$folder/out")" \
    "0 $("$MAPPING" --list | grep -c '^mma\.m') 0"
run --arch=all --brief --source=isa mma.m16n8k16.a.f16 mma.m16n8k32.a.fp8
ok 'where there are such' is "$(sed -n 's/^# mma.*a\.\([^ ]*\) on sm_\(.*\)/\1:\2/p' "$folder/out" | head -6 | tr '\n' ' ')" \
    'f16:80 f16:86 f16:87 f16:88 f16:89 {e5m2,e4m3}:89 '
for name in mma.m16n8k16.a.a mma.m16n8k16.m16n8k16 mma.m16n8k16.a.f16.bf16 mma.sync.sync.m16n8k16 mma.shared.m16n8k16 \
    ldmatrix.mma_async.x4 ldmatrix.x3 mma.x4 mma.sp.sp.m16n8k32 wmma.sp.m16n16k16 mma..m16n8k16 mma.m16n8k16. ldmatrix.x4.x4; do
    refused "no such name: $name" 2 "unknown fragment '$name'" "$name"
done

# ---- What is no fragment ----

run "$(printf 'mma\033[31m.\001\177')"
ok 'control characters do not reach the terminal' is "$status $(tr -d '\n[:print:]' < "$folder/err" | wc -c)" '2 0'

# the instruction descriptor of tcgen05.mma has M and N; K is that of the kind: PTX ISA, 9.7.16.2.1.
while IFS='|' read -r opcode asked k fragment; do
    refused "$asked" 2 "M and N of $opcode are set in the instruction descriptor, not in the opcode (K is $k); name a fragment, such as $fragment, or " \
        "$asked"
    run --brief "$fragment"
    ok "there is $fragment" is "$status $(shown)" "0 $fragment "
done << 'END'
tcgen05.mma.cta_group::1.kind::f16|tcgen05.mma.cta_group::1.kind::f16|16|tcgen05.mma.m128n256k16.d.f32
tcgen05.mma.cta_group::1.kind::tf32|@p tcgen05.mma.kind::tf32.cta_group::1 [d], a, b, idesc, p;|8|tcgen05.mma.m128n256k8.d.f32
tcgen05.mma.sp.cta_group::1.kind::i8|tcgen05.mma.sp.cta_group::1.kind::i8.collector::a::use [d], a, b, [e], idesc, p;|64|tcgen05.mma.sp.m128n256k64.d.s32
tcgen05.mma.cta_group::2.kind::f8f6f4|tcgen05.mma.cta_group::2.kind::f8f6f4|32|tcgen05.mma.cta2.m256n256k32.d.f32
tcgen05.mma.sp.cta_group::2.kind::mxf4.block_scale.block32|tcgen05.mma.sp.cta_group::2.kind::mxf4.block_scale.block32|128|tcgen05.mma.cta2.sp.m256n256k128.d.f32
tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X|tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X|64|tcgen05.mma.m128n256k64.d.f32
tcgen05.mma.ws.cta_group::1.kind::f16|tcgen05.mma.ws.cta_group::1.kind::f16|16|tcgen05.mma.ws.m128n256k16.d.f32
tcgen05.mma.ws.sp.cta_group::1.kind::tf32|tcgen05.mma.ws.sp.cta_group::1.kind::tf32|16|tcgen05.mma.ws.sp.m128n128k16.d.f32
END
refused 'a kind that wants scale factors' 2 '.kind::mxf8f6f4 needs .block_scale' \
    tcgen05.mma.cta_group::1.kind::mxf8f6f4
refused 'a word that it does not have' 2 'did you mean tcgen05.mma.cta_group::1.kind::f16' tcgen05.mma.cta_group::1.kind::f16.row
while IFS='|' read -r opcode what; do
    refused "$opcode" 2 "'$opcode' $what" "$opcode"
done << 'END'
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32|has no fragment; it allocates columns of Tensor Memory
tcgen05.dealloc.cta_group::1.sync.aligned.b32|has no fragment; it frees columns of Tensor Memory
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned|has no fragment; it gives up the right to allocate Tensor Memory
tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64|has no fragment; it signals a barrier when earlier tcgen05 instructions are done
tcgen05.wait::ld.sync.aligned|has no fragment; it waits for earlier loads or stores of Tensor Memory
tcgen05.fence::after_thread_sync|has no fragment; it orders tcgen05 instructions around a synchronization of threads
tcgen05.ld.red.sync.aligned.32x32b.x4.min.u32|is not in the catalogue; use tcgen05.ld of the same shape: its registers have the same layout
END
refused 'no matrix' 2 "'wgmma.fence.sync.aligned' has no fragment; it orders accesses to registers before wgmma" wgmma.fence.sync.aligned

# ---- Opcodes as they stand in programs ----

run --brief '    tcgen05.ld.sync.aligned.16x64b.x4.b32 {%r0, %r1, %r2, %r3}, [%r4];'
ok 'a load from Tensor Memory' is "$status $(shown)" '0 tcgen05.ld.16x64b.x4.r.b32 '
run --brief 'tcgen05.ld.sync.aligned.16x32bx2.x2.pack::16b.b32 {%r0, %r1}, [%r4], 4;'
ok 'of halves' is "$status $(shown)" '0 tcgen05.ld.16x32bx2.x2.r.pack.b16 '
run --brief 'tcgen05.st.aligned.b32.x1.unpack::16b.16x256b.sync [taddr], {r0, r1, r2, r3};'
ok 'a store, with its words in another order' is "$status $(shown)" '0 tcgen05.st.16x256b.x1.r.unpack.b16 '
refused 'too few registers' 2 'tcgen05.ld.sync.aligned.16x128b.x2.b32 takes 4 registers for operand r, but 2 are given' \
    'tcgen05.ld.sync.aligned.16x128b.x2.b32 {r0, r1}, [taddr];'
refused 'more than there are' 2 'did you mean tcgen05.ld.16x64b.x128.r.b32 or tcgen05.ld.16x128b.x64.r.b32?' tcgen05.ld.sync.aligned.16x128b.x128.b32
refused 'the type of halves' 2 'did you mean' tcgen05.ld.sync.aligned.16x128b.x2.pack::16b.b16

run -a80 --brief mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
cp "$folder/out" "$folder/opcode"
run -a80 --brief '	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3},
    {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};'
ok 'an instruction with its operands' cmp "$folder/opcode" "$folder/out"
run -a80 --brief '@p asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, ..;\n"'
ok 'and with what is around it' cmp "$folder/opcode" "$folder/out"

refused 'too few registers' 2 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 takes 4 registers for operand a, but 2 are given' \
    'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4, %r5}, {%f0, %f1, %f2, %f3};'
refused 'one too many' 2 'takes 1 register for operand a, but 2 are given' \
    'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, {a0, a1}, {b0}, {c0, c1};'
refused 'too many' 2 'takes 2 registers for operand b, but 3 are given' \
    'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10}, {%0,%1,%2,%3};'
refused 'of ldmatrix' 2 'takes 4 registers for operand r, but 2 are given' 'ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1}, [%2];'
run -a80 --brief 'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};'
ok 'of 64 bits' is "$status" 0
run -a90 --brief 'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;'
ok 'with descriptors' is "$status" 0

# What ptxas 13.0 takes, and what it does not: a state space where there is none, two of them, .satfinite of bits,
# .sp::ordered_metadata of wgmma, scale factors without .block_scale.
run -a80 --brief mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32
cp "$folder/out" "$folder/opcode"
for opcode in mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 \
    mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32.satfinite \
    mma.sync.aligned.m16n8k16.row.col.s32.satfinite.s8.satfinite.s8.s32; do
    run -a80 --brief $opcode
    ok "the same opcode: $opcode" cmp "$folder/opcode" "$folder/out"
done
for opcode in movmatrix.sync.aligned.m8n8.shared.trans.b16 ldmatrix.shared.sync.shared.aligned.m8n8.x4.b16 \
    mma.sync.aligned.m8n8k128.row.col.satfinite.s32.b1.b1.s32.xor.popc \
    wgmma.mma_async.sp::ordered_metadata.sync.aligned.m64n8k32.f32.f16.f16 \
    mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0; do
    refused "no such opcode: $opcode" 2 'unknown fragment' -a120 $opcode
done

# ---- Suggestions ----

refused 'unknown fragment' 2 "unknown fragment 'wmma.m16n16k16.d.f31'; did you mean wmma.m16n16k16.d.f32" \
    wmma.m16n16k16.d.f31
refused 'a fragment that nothing is near to' 2 "unknown fragment 'x'; --list shows all fragments" x
first=$("$MAPPING" --list | awk 'NR == 1 { print $1 }')
refused 'one letter in the middle of a part' 2 "did you mean wgmma.m64n32k16.d.f16?" wgmma.m64n3dk16.d.f16
refused 'or in front of what is right' 2 "did you mean mma.m16n8k16.b.e4m3?" mma.m16n8k16.b.c4m3
refused 'also the first of all' 2 "unknown fragment '${first}x'; did you mean $first" "${first}x"
refused 'an opcode that is none' 2 "did you mean mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 \
or mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32?" mma.sync.aligned.m16n8k16.row.col.f32.bf16.f16.f32
refused 'a width that is none' 2 "did you mean wgmma.mma_async.sync.aligned.m64n48k32.s32.s8.s8 \
or wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8?" wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8
refused 'a width that is too large' 2 'did you mean wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16, ' \
    wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16
refused 'what is left out at the end' 2 "did you mean mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc \
or mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc?" mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32
refused 'scale factors that PTX does not have' 2 'did you mean ' \
    -a120 mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue4m3

# ---- What the architecture, the type or the source does not have ----

refused 'an opcode that is younger than its operands' 3 \
    'sm_90 has no mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e5m2.f32; sm_120 and later have it' \
    -a90 mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e5m2.f32
refused 'another' 3 'sm_75 has no mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc; sm_80 and later have it' \
    -a75 mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc
refused 'wgmma elsewhere' 3 'sm_100 has no wgmma.m64n8k16.d.f32; only sm_90 has' --arch=100 wgmma.m64n8k16.d.f32
refused 'a pattern and an operand' 2 "no fragment that matches 'mma.m16n8k16.*' has operand e" \
    --operand=e 'mma.m16n8k16.*'
refused 'a pattern that nothing matches' 2 "no fragment matches 'mma.m99*'" 'mma.m99*'
refused 'a pattern that the architecture has nothing of' 3 \
    "sm_80 has no fragment that matches 'wgmma.*'; use --arch=sm_90" -a80 'wgmma.*'
refused 'an operand that it does not have' 2 'mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 has no operand e; only sparse instructions have it, such as mma.sp' \
    -a80 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 --operand=e
refused 'a source that has it not' 3 \
    '--source=sass cannot show mma.m16n8k16.d.f32 on sm_80: SASS reveals only the layouts of wmma; use --source=gpu or --source=isa' \
    -a80 --source=sass mma.m16n8k16.d.f32
run --source=isa --arch=80 --operand=a
ok 'a source that has not the default' is "$status $(cat "$folder/err")" \
    '3 mapping: --source=isa cannot show wmma.m16n16k16.a.row.f16 on sm_80: the PTX ISA does not specify it; use --source=gpu, --source=sass or --source=recorded'

# ---- Of tcgen05, what is not there, and what is instead: 9.7.16.2.1 and 9.7.16.2.3.1 of the PTX ISA ----

instead() { # SENTENCE NAME...
    there_is=$1
    shift
    for absent; do
        refused "instead of $absent" 2 "unknown fragment '$absent'; $there_is" "$absent"
    done
}
instead 'did you mean tcgen05.mma.m128n16k16.d.f32 or tcgen05.mma.m128n24k16.d.f32? N is a multiple of 8 from 8 to 256' tcgen05.mma.m128n20k16.d.f32
instead 'did you mean tcgen05.mma.m128n256k16.d.f32? N is a multiple of 8 from 8 to 256' tcgen05.mma.m128n264k16.d.f32
instead 'did you mean tcgen05.mma.m128n16k16 or tcgen05.mma.m128n24k16? N is a multiple of 8 from 8 to 256' tcgen05.mma.m128n20k16
instead 'did you mean tcgen05.mma.m64n32k32.d.s32 or tcgen05.mma.m64n48k32.d.s32? N is 8, 16, 24 or a multiple of 16 from 32 to 256' tcgen05.mma.m64n40k32.d.s32
instead 'did you mean tcgen05.mma.ws.m32n64k16.d.f32?' tcgen05.mma.ws.m32n16k16.d.f32
instead 'did you mean tcgen05.mma.cta2.m256n16k16.d.f32? N is a multiple of 16 from 16 to 256' tcgen05.mma.cta2.m256n8k16.d.f32
instead 'did you mean tcgen05.mma.cta2.m256n128k16.d.f32 or tcgen05.mma.m128n128k16.d.f32?' tcgen05.mma.m256n128k16.d.f32
instead 'did you mean tcgen05.mma.cta2.sp.m256n128k32.d.f32 or tcgen05.mma.sp.m128n128k32.d.f32?' tcgen05.mma.sp.m256n128k32.d.f32
instead 'did you mean tcgen05.mma.ws.m32n128k16.d.f32 or tcgen05.mma.m64n128k16.d.f32?' tcgen05.mma.m32n128k16.d.f32
instead 'did you mean tcgen05.mma.m64n64k16.d.f32 or tcgen05.mma.cta2.m128n64k16.d.f32?' tcgen05.mma.cta2.m64n64k16.d.f32
instead 'did you mean tcgen05.mma.sp.m64n64k64.d.f32 or tcgen05.mma.m64n64k32.d.f32?' tcgen05.mma.m64n64k64.d.f32
instead 'did you mean tcgen05.mma.m128n128k16.d.f32?' tcgen05.mma.m192n128k16.d.f32
instead 'did you mean tcgen05.mma.m128n128k16.d.f32 or tcgen05.mma.m128n128k8.d.f32?' tcgen05.mma.m128n128k12.d.f32
instead 'did you mean tcgen05.mma.m128n128k32.d.s32?' tcgen05.mma.m128n128k16.d.s32
instead 'did you mean mma.sp.m16n8k32.a.f16 or mma.m16n8k16.a.f16?' mma.m16n8k32.a.f16
for name in tcgen05.mma.ws.m64k16.a.f16 tcgen05.mma.ws.sp.m32n64k32.a.f16; do
    instead "the PTX ISA does not specify the location of A of ${name%.m*} with M = " $name
done
instead 'B of tcgen05.mma is in shared memory' tcgen05.mma.m128n128k16.b.f16 tcgen05.mma.b
instead 'tcgen05.mma accumulates in place: C is D' tcgen05.mma.m128n128k16.c.f32
instead 'did you mean tcgen05.ld.16x256b.x32.r.b32?' tcgen05.ld.16x256b.x64.r.b32
instead 'did you mean tcgen05.ld.32x32b.x4.r.b32, ' tcgen05.ld.32x32b.x3
instead 'did you mean tcgen05.st.16x64b.x2.r.b32 ' tcgen05.st.32x64b.x2
instead 'did you mean tcgen05.st.32x32b.x2.r.b32, ' tcgen05.st.x2.foo
instead 'did you mean ldmatrix.m16n16.x2.r.trans.b8, ' ldmatrix.m16n16.x4.trans
instead 'did you mean tcgen05.mma.cta_group::1.kind::f16, ' tcgen05.mma.cta_group::1.kind::foo
instead '.kind::mxf4 needs .block_scale' tcgen05.mma.cta_group::1.kind::mxf4
instead '.kind::mxf4nvf4 needs .block_scale, and .block16, .block32, .scale_vec::2X or .scale_vec::4X' tcgen05.mma.cta_group::1.kind::mxf4nvf4
instead 'it is a group of instructions: tcgen05.mma' tcgen05
instead 'did you mean tcgen05.ld.32x32b.x8.r.b32' tcgen05.ld.32x32b.x8.foo
instead 'did you mean tcgen05.mma.m128n256k16.d.f32' tcgen05.mma.m128n128k16.d.f33

# As PTX has them.
lists() { # FRAGMENT NAME
    run --list "$2"
    ok "$2" is "$status $(cut -d' ' -f1 "$folder/out")" "0 $1"
}
lists tcgen05.ld.32x32b.x8.r.pack.b16 tcgen05.ld.32x32b.x8.pack::16b
lists tcgen05.st.16x64b.x2.r.unpack.b16 tcgen05.st.unpack::16b.16x64b.x2
lists tcgen05.mma.cta2.m256n128k16.d.f32 tcgen05.mma.cta_group::2.m256n128k16.d.f32
lists tcgen05.mma.cta2.sp.m256n128k32.d.f32 tcgen05.mma.sp.cta_group::2.m256n128k32.d.f32
lists tcgen05.mma.cta2.sp.m256n128k32.d.f32 tcgen05.mma.sp.cta2.m256n128k32.d.f32
lists tcgen05.mma.m128n128k16.d.f32 tcgen05.mma.cta_group::1.m128n128k16.d.f32
lists tcgen05.mma.m128n128k16.d.f32 tcgen05.mma.m128n128k16.cta_group::1.d.f32

refused 'an operand that cannot be tiled' 2 'operand e cannot be tiled; only operands a, b, c and d of mma and wgmma can be tiled' \
    --operand=e --atom-layout='(2,2)' --arch=70
refused 'an operand that wmma has not' 2 "no fragment that matches 'wmma.m16n16k16' has operand e" wmma.m16n16k16 --operand=e
refused 'a pattern that nothing matches' 2 "no fragment matches 'zzz*'; --list shows all" 'zzz*'
refused 'an operand that contradicts the name' 2 '--operand=a contradicts mma.m16n8k16.d.f32; drop --operand' --operand=a mma.m16n8k16.d.f32
refused 'a type that contradicts the opcode' 2 '--type=s8 contradicts HMMA.16816.F32; drop --type' --type=s8 --operand=a -a80 HMMA.16816.F32
refused 'a type that the operand never has' 2 'no fragment has operand r with type f64; --list shows all fragments' --type=f64 --operand=r
refused 'a type and an operand that nothing has' 2 'no fragment has operand ' \
    --list --type=f64 --operand=e
refused 'an opcode that comes later' 3 'sm_75 has no HGMMA.64x8x16.F32; use sm_90' -a75 HGMMA.64x8x16.F32
refused 'an operand that an opcode has not' 2 'mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 has no operand e' \
    mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 --operand=e
refused 'an operand that lies in shared memory' 2 'has no operand b in registers' \
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 --operand=b --arch=90
refused 'tcgen05 alone' 2 "unknown fragment 'tcgen05'; it is a group of instructions: tcgen05.mma" tcgen05
refused 'an unknown kind' 2 'did you mean tcgen05.mma.cta_group::1.kind::f16' tcgen05.mma.kind::f99

# Only the first unknown name is read, and compared with all names.
start=$(date +%s)
# shellcheck disable=SC2046 # 20,000 words
refused '20,000 unknown names' 2 "unknown fragment 'mma.x1'" $(seq 20000 | sed 's/^/mma.x/')
ok 'which takes 10 ms, and 20 s at most' test $(($(date +%s) - start)) -lt 20
refused 'a size that is left out stays the same' 2 "unknown fragment 'tcgen05.m128n256.d.f32'; did you mean tcgen05.mma.m128n256k16.d.f32" \
    tcgen05.m128n256.d.f32
refused 'B of wgmma is in shared memory' 2 "unknown fragment 'wgmma.m64n16k16.b.f16'; B of wgmma is in shared memory, with a layout such as Layout_K_SW128_Atom" \
    --arch=90 wgmma.m64n16k16.b.f16
finish
