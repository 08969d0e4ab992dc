#!/bin/sh
# Tensor Memory: layouts recorded from CUTLASS's C++ headers, Triton, JAX and TVM; and invalid shapes.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=
for who in cute triton jax tvm; do
    name="$(sed -n '2s/^# //p' "$here/tcgen05_$who.txt") gives the same, and the program says so"
    if has python3; then
        python3 "$here/tcgen05_$who.py" --recorded "$MAPPING" "$here/tcgen05_$who.txt" > "$folder/tap"
        status=$?
        ok "$name, $(grep -c '^ok' "$folder/tap") times" is "$status $(grep -A1 '^not ok' "$folder/tap")" '0 '
    else
        skip "$name" python3
    fi
done

# Table 39 of the PTX ISA 9.1, section 9.7.16.2.1, and Tables 49 and 50: fragments that they do not have.
none() { refused "there is no $1" 2 "$1" "$1"; }
for name in m128n12k16.d.f32 m128n264k16.d.f32 m96n64k16.d.f32 m64n64k64.d.f32 m256n64k16.d.f32 m128n40k32.d.s32 \
    m128n64k16.d.s32 m128n64k8.d.f16 m128k64.sfa.1x.ue8m0 m128k64.sfa.2x.ue4m3 m128k64.sfa.3x.ue8m0 \
    m128k96.sfa.3x.ue4m3 m128k96.sfa.2x.ue8m0 m128n64k16.e.f16 m128n64k16.b.f16 \
    cta2.m64n64k16.d.f32 cta2.m256n24k16.d.f32 cta2.m256n48k32.d.s32 cta2.sp.m128n64k128.d.f32 \
    cta2.sp.m128n64k64.sfb.1x.ue8m0 ws.m32n32k16.d.f32 ws.m128n96k16.d.f32 ws.m256n64k16.d.f32 ws.m128n64k64.d.f32 \
    ws.sp.m64n256k32.d.f32; do
    none "tcgen05.mma.$name"
done
for name in ld.16x64b.x3.r.b32 ld.16x128b.x128.r.b32 ld.16x256b.x64.r.b32 ld.32x64b.x1.r.b32 \
    ld.16x64b.x4.r.unpack.b16 st.16x64b.x4.r.pack.b16; do
    none "tcgen05.$name"
done
elsewhere() { refused "sm_$1 has no $2" 3 "sm_$1 has no tcgen05.$2" --arch="sm_$1" "tcgen05.$2"; }
elsewhere 103 mma.m128n64k32.d.s32
elsewhere 103 mma.cta2.m256k32.a.s8
elsewhere 100 mma.m128n64k96.d.f32
elsewhere 110 mma.cta2.m256n64k96.d.f32
elsewhere 100 mma.m128k96.sfa.3x.ue8m0
elsewhere 90 mma.m128n64k16.d.f32
elsewhere 120 mma.m128n64k32.d.f32
elsewhere 120 ld.32x32b.x1.r.b32

# ---- Notes: 9.7.16.10.4, .7 and .8, and differences of CUTLASS ----

is_said() { # TEXT NAME
    run --arch=103 --brief --detail "$2"
    ok "$2: $1" is "$(sed -n 's/^# *//p' "$folder/out" | tr '\n' ' ' | grep -c "$1")" 1
}
is_said 'the scale factor ID of the instruction descriptor (0, 1, 2 or 3) note: the PTX ISA allows .scale_vec::1X only on sm_100a note: ptxas 13.5 also accepts it on sm_103a and sm_110a' \
    tcgen05.mma.m128k32.sfa.1x.ue8m0
is_said 'IDs 0 and 2 of the instruction descriptor note: the PTX ISA allows .scale_vec::2X only on sm_100a note: ptxas 13.5 also accepts it on sm_103a and sm_110a' tcgen05.mma.cta2.m256n64k64.sfb.2x.ue8m0
# Hardware was reported to have them elsewhere than the text says.
halved=tcgen05.mma.cta2.m128n64k64.sfb.2x.ue8m0
is_said '^tcgen05.mma.cta2.m128n64k64.sfb.2x.ue8m0 on sm_103 source: published (facebookexperimental/triton PR 3653) '\
'CUTLASS 4.2 uses the same layout note: id 0 and 1 stand for the' $halved
is_said 'IDs 0 and 2 of the instruction descriptor .* 9.7.16.10.7 and TVM 0.27 store matrix column n in column n / 32 of Tensor Memory, in all four groups of 32 lanes' $halved
run --arch=100 --at=0,64 tcgen05.mma.cta2.m128n128k64.sfb.4x.ue4m3
ok 'column 64 is column 0 of the other half' is "$(count 'lane 64, column  0, bit  0'),$(count 'lane 96, column  0, bit  0')" '2,2'
refused 'the text has none of that' 3 'isa: tcgen05.mma.cta2.m128n64k64.sfb.2x.ue8m0 is not shown, because facebookexperimental/triton PR 3653 contradicts the layout in the PTX ISA; --source=published shows the reported layout' --arch=100 --source=isa $halved
run --list --arch=100 $halved
ok 'and lists say so' is "$(count "  published; n = ")" 1
is_said 'the PTX ISA allows .scale_vec::4X only on sm_100a note: ptxas 13.5 also accepts it on sm_103a and sm_110a' tcgen05.mma.sp.m128k128.sfa.4x.ue4m3
is_said 'with .block16, each row of A or column of B has 6 scale factors' tcgen05.mma.cta2.m256k96.sfa.6x.ue4m3
is_said 'K = 96 only for pairs of CTAs with M = 256' tcgen05.mma.m128n64k96.d.f32
is_said 'K = 96 only for pairs of CTAs with M = 256' tcgen05.mma.m128n64k96.sfb.3x.ue8m0
is_said 'does not specify the location of this A note: CUTLASS stores two copies' tcgen05.mma.cta2.m128k16.a.f16
is_said 'does not specify the destination lanes.*4 bytes of padding' tcgen05.cp.4x256b.d.b6
is_said 'in bits 5:2 of its byte, as the PTX ISA says for mma with the same .kind' tcgen05.mma.sp.m64k64.a.e2m1
is_said 'if the address has lane 16, rows are in lanes 16 to 31 note: sparsity selector' tcgen05.mma.cta2.sp.m128k32.e.f16

# ---- Opcodes, which do not say M and N ----

shapeless() { # ARCH SENTENCE OPCODE
    refused "$3 for $1" 2 "$2" "--arch=$1" "tcgen05.mma.$3"
}
shapeless sm_100 '(K is 64); name a fragment' cta_group::2.kind::mxf4nvf4.block_scale.block16
shapeless sm_103 '(K is 64 or 96); name a fragment' cta_group::2.kind::mxf4nvf4.block_scale.block16
shapeless sm_103 '(K is 128); name' sp.cta_group::2.kind::mxf4nvf4.block_scale.block16
shapeless all '(K is 16); name a fragment' cta_group::1.kind::f16
for arch in 90 120; do
    refused "tcgen05.mma for sm_$arch" 3 "sm_$arch has no tcgen05.mma.cta_group::1.kind::f16; use sm_100" --arch=$arch \
        tcgen05.mma.cta_group::1.kind::f16
done

# If there is no formula, all axes are named: N / 2 = 48 is no power of two.
run --arch=100 --brief tcgen05.mma.cta2.m128n96k64.sfb.4x.ue4m3
ok 'three axes' is "$(count '^Lane: no formula: the value is not a sum or XOR of masked and shifted row, col and copy$')" 1
run --arch=100 --brief tcgen05.mma.cta2.m128n96k32.sfb.1x.ue8m0
ok 'four axes' is "$(count '^Lane: no formula: the value is not a sum or XOR of masked and shifted row, col, copy and id$')" 1
run --brief --map=- <<MAP
x,y,row
0,0,1
1,0,0
2,0,5
3,0,3
MAP
ok 'also an axis of one value' is "$(count '^Row: no formula: the value is not a sum or XOR of masked and shifted x and y$')" 1
finish
