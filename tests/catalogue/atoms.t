#!/bin/sh
# Names of CuTe's atoms: all atoms of CUTLASS 4.2, which atoms.txt lists with the opcodes of CUTLASS's headers, and some
# names that are not atoms. atoms_test.c tries names that differ from an atom in one word.
. "$(dirname "$0")/../lib/tap.sh"

export CUDA_VISIBLE_DEVICES=

if has python3; then
    python3 "$here/atoms.py" "$MAPPING" "$here/atoms.txt" > "$folder/atoms"
    status=$?
    grep '^#\|^not' "$folder/atoms" > "$folder/err"
    count=$(awk '/atoms are/ { sum += $(NF - 6) } END { print sum }' "$folder/atoms")
    ok "all atoms show what their opcodes do: $count" \
        is "$status $(grep -c '^ok' "$folder/atoms")" "0 $(sed -n 's/^1\.\.//p' "$folder/atoms")"
else
    skip 'all atoms show what their opcodes do' python3
fi

unwrap() { sed -e ':a' -e '$!{N;ba' -e '}' -e 's/\n#   / /g' "$1"; } # long lines above a layout are wrapped

# ---- As people write them. The PTX is that of the structs' asm statements. ----

shows_as() { # ARCH OPCODE NAME...
    arch=$1 opcode=$2
    shift 2
    run --brief --arch="$arch" "$opcode"
    unwrap "$folder/out" > "$folder/opcode"
    for name; do
        run --brief --arch="$arch" "$name"
        unwrap "$folder/out" | sed -e '/^# .* is [a-z]*\./d' -e '/ as a* *descriptors*;/d' > "$folder/named" # without what only names say
        ok "$(echo "$name" | tr -s '\n ' ' ')" cmp "$folder/opcode" "$folder/named"
    done
}
shows_as 80 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 \
    SM80_16x8x16_F32F16F16F32_TN \
    'SM80_16x8x16_F32F16F16F32_TN{}' \
    cute::SM80_16x8x16_F32F16F16F32_TN \
    'MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{}' \
    sm80_16x8x16_f32f16f16f32_tn \
    'cute::MMA_Atom< cute::MMA_Traits<::cute::SM80_16x8x16_F32F16F16F32_TN> >()'
shows_as 90 wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 \
    SM90_64x128x16_F32F16F16_RS \
    'SM90_64x128x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::MN>' \
    'cute::SM90_64x128x16_F32F16F16_RS<cute::GMMA::Major::K, cute::SM90::GMMA::Major::K, GMMA::ScaleIn::One>' \
    'MMA_Atom<SM90::GMMA::MMA_64x128x16_F32F16F16_RS<
        GMMA::Major::K, GMMA::Major::MN,
        GMMA::ScaleIn::One, GMMA::ScaleIn::Neg>>' \
    'cute::MMA_Atom<cute::MMA_Traits<cute::SM90::GMMA::MMA_64x128x16_F32F16F16_RS<(cute::SM90::GMMA::Major)0, '\
'(cute::SM90::GMMA::Major)1, (cute::SM90::GMMA::ScaleIn)1, (cute::SM90::GMMA::ScaleIn)-1> > >'
shows_as 120 mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 \
    'SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 16>' \
    'cute::SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<cutlass::float_e2m1_t, cute::float_e2m1_t, float, '\
'cutlass::float_ue4m3_t, (int)16>'
shows_as 75 ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 \
    SM75_U16x8_LDSM_T \
    'Copy_Atom<SM75_U16x8_LDSM_T, cute::half_t>{}' \
    'Copy_Traits<SM75_U16x8_LDSM_T>'

shown_by() { # NAME TEST FRAGMENTS
    run --brief "$1"
    ok "$2" is "$status $(shown)" "0 $3 "
}
shown_by 'SM90_64x8x16_F32F16F16_SS<GMMA::Major::MN, GMMA::Major::MN>' 'A in shared memory is left out' \
    wgmma.m64n8k16.d.f32
shown_by SM90::GMMA::SPARSE::GMMA_64x8x32_F32F16F16_SS 'that of a sparse one is, its metadata is not' \
    'wgmma.sp.m64n8k32.d.f32 wgmma.sp.m64n8k32.e.f16'
shown_by SM75_16x8x8_F32F16F16F32_TN 'without an architecture, on one that has it' \
    'mma.m16n8k8.a.f16 mma.m16n8k8.b.f16 mma.m16n8k8.c.f32 mma.m16n8k8.d.f32'

# ---- Names that are not atoms ----

no_atoms() {
    for name; do
        refused "no atom: '$(echo "$name" | head -c 100)'" 2 '' "$name"
    done
}
# Another architecture, shape, type, order or ending; a width that integers and single bits do not have.
no_atoms SM75_16x8x16_F32F16F16F32_TN SM86_16x8x16_F32F16F16F32_TN \
    SM80_16x8x16_F32F32F32F32_TN SM80_16x8x16_F32F16F16F16_TN SM70_8x8x4_F32F16F16F16_TN \
    SM80_16x8x16_F32F16F16F32_NT SM80_16x8x16_F32F16F16F32 SM80_16x8x16_F32F16F16F32_TN_SATURATE \
    SM90_64x264x16_F32F16F16_SS SM90_64x40x32_S32S8S8_SS_TN SM90_64x8x256_S32U1U1_SS_TN \
    SM75_U32x8_LDSM_N SM75_U16x8_LDSM_N SM75_U32x4_STSM_N
# Mistakes in writing.
no_atoms SM80_16x8x016_F32F16F16F32_TN SM80_16x8x16F32F16F16F32_TN SM80_16x8x16_F32F16F16F32_TN_ SM80_ SM90_64x \
    SM90_64xx 'SM80_16x8x16 _F32F16F16F32_TN' "SM80_$(printf '%3000s' '' | tr ' ' x)" :: cute:: '<' '>' '<>' '{}' , '()'
# Scopes that it is not in.
no_atoms SM90::GMMA::SM90_64x8x16_F32F16F16_SS GMMA::SM80_16x8x16_F32F16F16F32_TN x::SM80_16x8x16_F32F16F16F32_TN \
    cute:SM80_16x8x16_F32F16F16F32_TN cute:a::SM80_16x8x16_F32F16F16F32_TN cute:::SM80_16x8x16_F32F16F16F32_TN
# Brackets, and the text around an atom.
no_atoms 'SM80_16x8x16_F32F16F16F32_TN<>' 'SM80_16x8x16_F32F16F16F32_TN<float>' 'SM80_16x8x16_F32F16F16F32_TN>' \
    'MMA_Atom<SM80_16x8x16_F32F16F16F32_TN' 'MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>>' 'MMA_Atom<>' \
    'MMA_Atom<SM80_16x8x16_F32F16F16F32_TN, half_t>' 'Copy_Atom<SM80_16x8x16_F32F16F16F32_TN, half_t>' \
    'MMA_Atom<SM75_U32x4_LDSM_N>' 'Copy_Atom<SM75_U32x4_LDSM_N,>' "MMA_Atom$(printf '%4000s' '' | tr ' ' '<')"
# Values of other enumerations, or too few, or those that a static_assert excludes.
no_atoms 'SM90_64x8x16_F32F16F16_SS<GMMA::Major::K>' 'SM90_64x8x16_F32F16F16_SS<K, K>' 'SM90_64x8x16_F32F16F16_SS<>' \
    'SM90_64x8x16_F32F16F16_SS<GMMA::ScaleIn::One, GMMA::ScaleIn::One>' \
    'SM90_64x8x16_F32F16F16_SS<UMMA::Major::K, UMMA::Major::K>' \
    'SM90_64x8x16_F32F16F16_SS<(GMMA::Major)2, (GMMA::Major)0>' \
    'SM90_64x8x16_F32F16F16_SS<(GMMA::Major, GMMA::Major::K>' \
    'SM90_64x8x16_F32F16F16_RS<GMMA::Major::MN, GMMA::Major::K>' \
    'SM90_64x8x32_S32S8S8_SS_TN<GMMA::ScaleIn::One>'
# Templates of other types, or of too few.
no_atoms SM120_16x8x32_TN 'SM120_16x8x32_TN<float_e4m3_t, float_e5m2_t>' \
    'SM120_16x8x32_TN<float_e4m3_t, half_t, float>' \
    'SM120_16x8x32_TN<float_e4m3_t, float_e4m3_t, float' 'SM120_16x8x32_TN<<float_e4m3_t, float_e4m3_t, float>>' \
    'SM120_16x8x32_TN_VS<float_e4m3_t, float_e4m3_t, float, float_ue8m0_t, 16>' \
    'SM120_16x8x32_TN_VS<float_e4m3_t, float_e4m3_t, float, float_ue8m0_t, 2 >' \
    "SM120_16x8x32_TN<$(printf '%3000s' '' | tr ' ' ',')>"
# Atoms without fragments.
no_atoms SM80_8x8x4_C64C64C64C64_TN SM100_MMA_F16BF16_SS SM61_DP4A UniversalFMA SM100_U8x8_LDSM_T
# Of Tensor Memory: repeats, lanes, bits and endings that there are not, arguments, and other scopes.
no_atoms SM100_TMEM_LOAD_32dp32b3x SM100_TMEM_LOAD_16dp256b64x SM100_TMEM_LOAD_32dp64b2x SM100_TMEM_LOAD_32dp32b032x \
    SM100_TMEM_LOAD_32dp32b32x_32b SM100_TMEM_LOAD_32dp32b32 'SM100_TMEM_LOAD_32dp32b32x<float>' \
    SM100::TMEM::STORE::SM100_TMEM_LOAD_32dp32b32x 'MMA_Atom<SM100_TMEM_LOAD_32dp32b32x>'

# ---- Atoms of tcgen05.mma, whose arguments say M and N ----

says_d() {
    refused "$1 names a fragment" 2 "$1 is tcgen05.mma, with D in Tensor Memory; its template arguments, which give M and N, are missing; "\
"add them, or name a fragment, such as $2" "$1"
}
says_d SM100_MMA_F16BF16_SS tcgen05.mma.m128n128k16.d.f32
says_d SM100_MMA_TF32_TS tcgen05.mma.m128n128k8.d.f32
says_d SM100_MMA_S8_SS_SPARSE tcgen05.mma.sp.m128n128k64.d.s32
says_d SM100_MMA_MXF4_2x1SM_SS tcgen05.mma.cta2.m256n128k64.d.f32
says_d SM100_MMA_F8F6F4_2x1SM_SS_SPARSE tcgen05.mma.cta2.sp.m256n128k64.d.f32
shown_by 'SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>' \
    'D of an atom with its arguments is shown' tcgen05.mma.m128n64k16.d.f32
shown_by 'MMA_Atom<SM100_MMA_F16BF16_SS<half_t, half_t, cutlass::half_t, 64, 8, UMMA::Major::K, UMMA::Major::K>>' \
    'in the type that they say' tcgen05.mma.m64n8k16.d.f16
shown_by 'cute::SM100_MMA_MXF8F6F4_2x1SM_SS<float_e4m3_t, float_e5m2_t, float, float_ue8m0_t, 256, 32, UMMA::Major::K>' \
    'behind the type of scale factors' tcgen05.mma.cta2.m256n32k32.d.f32
no_atoms 'SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 20>' 'SM100_MMA_F16BF16_SS<half_t, half_t, float, 256, 32>' \
    'SM100_MMA_F16BF16_SS<half_t, half_t, double, 128, 32>'
finish
