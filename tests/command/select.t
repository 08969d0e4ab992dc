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

# ---- Names without a fragment ----

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

# ---- Opcodes as in programs ----

run --brief '    tcgen05.ld.sync.aligned.16x64b.x4.b32 {%r0, %r1, %r2, %r3}, [%r4];'
ok 'a load from Tensor Memory' is "$status $(shown)" '0 tcgen05.ld.16x64b.x4.r.b32 '
run --brief 'tcgen05.ld.sync.aligned.16x32bx2.x2.pack::16b.b32 {%r0, %r1}, [%r4], 4;'
ok 'of halves' is "$status $(shown)" '0 tcgen05.ld.16x32bx2.x2.r.pack.b16 '
run --brief 'tcgen05.st.aligned.b32.x1.unpack::16b.16x256b.sync [taddr], {r0, r1, r2, r3};'
ok 'a store, with its words in another order' is "$status $(shown)" '0 tcgen05.st.16x256b.x1.r.unpack.b16 '

run -a80 --brief mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
cp "$folder/out" "$folder/opcode"
run -a80 --brief '	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3},
    {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};'
ok 'an instruction with its operands' cmp "$folder/opcode" "$folder/out"
run -a80 --brief '@p asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, ..;\n"'
ok 'and with what is around it' cmp "$folder/opcode" "$folder/out"

run -a80 --brief 'mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};'
ok 'of 64 bits' is "$status" 0
run -a90 --brief 'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;'
ok 'with descriptors' is "$status" 0

# Opcodes that ptxas 13.0 accepts or rejects: a state space on an instruction without one, two state spaces, .satfinite
# on bits, .sp::ordered_metadata on wgmma, scale factors without .block_scale.
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

first=$("$MAPPING" --list | awk 'NR == 1 { print $1 }')
refused 'also the first of all' 2 "unknown fragment '${first}x'; did you mean $first" "${first}x"

# ---- Fragments that the architecture, the type or the source does not have ----

run --source=isa --arch=80 --operand=a
ok 'a source that has not the default' is "$status $(cat "$folder/err")" \
    '3 mapping: --source=isa cannot show wmma.m16n16k16.a.row.f16 on sm_80: the PTX ISA does not specify it; use --source=gpu, --source=sass or --source=recorded'

# ---- tcgen05: shapes that do not exist, and suggestions: 9.7.16.2.1 and 9.7.16.2.3.1 of the PTX ISA ----

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

# Only the first unknown name is read, and compared with all names.
start=$(date +%s)
# shellcheck disable=SC2046 # 20,000 words
refused '20,000 unknown names' 2 "unknown fragment 'mma.x1'" $(seq 20000 | sed 's/^/mma.x/')
ok 'which takes 10 ms, and 20 s at most' test $(($(date +%s) - start)) -lt 20
finish
