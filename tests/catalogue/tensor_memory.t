#!/bin/sh
# Tensor Memory: what CUTLASS's C++ headers, Triton, JAX and TVM make of it, recorded; and shapes that there are not.
. "$(dirname "$0")/../tap.sh"

export CUDA_VISIBLE_DEVICES=
for who in cute triton jax tvm; do
    name="$(sed -n '2s/^# //p' "$here/tcgen05_$who.txt") gives the same, and the program says so"
    if command -v python3 > /dev/null; then
        python3 "$here/tcgen05_$who.py" --recorded "$MAPPING" "$here/tcgen05_$who.txt" > "$folder/tap"
        ok "$name, $(grep -c '^ok' "$folder/tap") times" is "$? $(grep -A1 '^not ok' "$folder/tap")" '0 '
    else
        skip "$name" 'python3 is missing: apt-get install python3'
    fi
done

# Table 39 of the PTX ISA 9.1, section 9.7.16.2.1, and Tables 49 and 50: what is not in them.
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
finish
