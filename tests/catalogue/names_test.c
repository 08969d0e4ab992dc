/* names_test.c - the names of fragments, opcodes, types and architectures that people write. */
#include "catalogue/catalogue.h"

#include "compiled.h"

#include <ctype.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct name_case {
    const char *name;
    size_t count; /* of fragments that are found */
};

static void expect_found(const struct name_case *cases, size_t count) {
    for (size_t c = 0; c < count; c++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        size_t number = mapping_catalogue_find(cases[c].name, found);
        if (number != cases[c].count)
            fail_msg("%s: %zu fragments, not %zu", cases[c].name, number, cases[c].count);
    }
}

/* ptxas 13.5 accepted and rejected these; opcodes.t tries many more. */
static void opcodes_are_found_as_people_write_them(void **state) {
    (void)state;
    static const struct name_case cases[] = {
        {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", 4},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32.satfinite", 4},
        {"MMA.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rn", 4},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 5},
        {"mma.sync.aligned.kind::mxf4.block_scale.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue8m0", 6},
        {"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m3."
         "f32.ue8m0",
         6},
        {"ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16", 2},
        {"stmatrix.sync.aligned.m8n8.x2.shared.b16", 2},
        {"wgmma.mma_async.sync.aligned.m64n40k16.f32.f16.f16", 2},
        {"wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.u8.satfinite", 3},
        {"wmma.load.a.sync.aligned.row.m16n16k16.shared::cta.f16", 1},
        {"wmma.store.d.sync.aligned.col.m16n16k16.global.f32", 1},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", 4},
        {"wmma.mma.sync.aligned.col.row.m16n16k16.s32.s8.s8.s32.satfinite", 4},
        {"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 4},
        {"wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64", 4},
        /* words in any order, some of them repeated or left out, as ptxas accepts them */
        {"mma.aligned.f32.row.sync.f16.m16n8k16.col.f16.sync.f32", 4},
        {"mma.sync.aligned.m16n8k16.row.col.s32.satfinite.s8.satfinite.s8.s32", 4},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32.sp", 5},
        {"wgmma.mma_async.sync.m64n8k8.f32.tf32.tf32", 2},
        {"ldmatrix.shared.sync.sync.aligned.m8n8.x4.b16", 2},
        /* and texts that are not opcodes */
        {"mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32", 0},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16", 0},
        {"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32", 0},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16", 0},
        {"mma.sync.m16n8k16.row.col.f32.f16.f16.f32", 0},
        {"mma.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.tf32", 0},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e3m2.e4m3.f32", 0},
        {"mma.sync.aligned.m016n8k16.row.col.f32.f16.f16.f32", 0},
        {"mma.sync.aligned.m16n8k16.row.col.float.half.half.float", 0},
        {"mma.sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32", 0},
        {"mma.sync.aligned.kind::mxf4nvf4.block_scale.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3", 0},
        {"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1."
         "f32.ue4m3",
         0},
        {"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32."
         "ue8m0",
         0},
        {"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0",
         0},
        {"mma.sync.aligned.m8n8k128.row.col.satfinite.s32.b1.b1.s32.xor.popc", 0},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.popc.xor", 0},
        {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8", 0},
        {"wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16", 0},
        {"wgmma.mma_async.sp::ordered_metadata.sync.aligned.m64n8k32.f32.f16.f16", 0},
        {"ldmatrix.sync.aligned.m8n8.x3.b16", 0},
        {"ldmatrix.sync.aligned.m8n8k0.x4.b16", 0},
        {"ldmatrix.shared.sync.shared.aligned.m8n8.x4.b16", 0},
        {"ldmatrix.sync.aligned.m8n8.x4.row.b16", 0},
        {"movmatrix.sync.aligned.m8n8.b16", 0},
        {"movmatrix.sync.aligned.m8n8.shared.trans.b16", 0},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.", 0},
        {"mma..sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 0},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.s32.f16.f16.s32", 0},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.f16.f32", 0},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.f16.f32", 0},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.s8.u8.f32", 0},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f16.bf16.bf16.f16", 0},
        {"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32", 0},
        {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16.satfinite", 0},
        {"wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 0},
        {"wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32", 0},
        {"wmma.mma.row.col.m16n16k16.f32.f32", 0},
        {"wmma.mma.sync.row.col.m16n16k16.f32.f32", 0},
        {"wmma.mma.sync.sync.sync.row.col.m16n16k16.f32.f32", 0},
        {"wmma.mma.sync.aligned.row.m16n16k16.f32.f32", 0},
        {"wmma.load.a.satfinite.popc.row.sync.aligned.m16n16k16.f16", 0},
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.shared.f16", 0},
        {"wmma.load.a.sync.aligned.row.m16n16k16.local.f16", 0},
        {"wmma.load.a.sync.aligned.row.m16n16k16.half", 0},
        {"wmma.load.a.sync.aligned.row.m8n32k16.f64", 0},
        {"wmma.load.sync.aligned.a.row.m16n16k16.f16", 0},
        {"wmma.load.d.sync.aligned.row.m16n16k16.f32", 0},
        {"wmma.store.a.sync.aligned.row.m16n16k16.f16", 0},
        {".sync.", 0},
        {"sync", 0},
    };
    expect_found(cases, sizeof cases / sizeof *cases);
}

static void an_opcode_may_be_younger_than_its_fragments(void **state) {
    (void)state;
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    assert_int_equal(mapping_catalogue_find(
                         "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", found),
                     4);
    assert_int_equal(found[0].since, 80);
    assert_int_equal(found[0].ptx, 71);
    assert_int_equal(mapping_catalogue_find("wmma.m8n8k128.a.row.b1", found), 1);
    assert_int_equal(found[0].since, 75);
    assert_int_equal(found[0].ptx, 63);
}

static void widths_are_other_fragments(void **state) {
    (void)state;
    struct mapping_fragment narrow[MAPPING_FOUND_MAX], wide[MAPPING_FOUND_MAX];
    assert_int_equal(mapping_catalogue_find("wgmma.m64n8k16.d.f32", narrow), 1);
    assert_int_equal(mapping_catalogue_find("wgmma.m64n16k16.d.f32", wide), 1);
    assert_true(mapping_fragment_equal(narrow, narrow));
    assert_false(mapping_fragment_equal(narrow, wide));
}

static void types_of_cpp_are_found(void **state) {
    (void)state;
    static const struct name_case cases[] = {
        {"fragment<matrix_a, 16, 16, 16, half, row_major>", 1},
        {"fragment<matrix_a,16,16,16,__half,col_major>", 1},
        {"wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::col_major>", 1},
        {"nvcuda::wmma::fragment<matrix_a, 16, 16, 8, wmma::precision::tf32, col_major>", 1},
        {"fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>", 1},
        {"fragment<matrix_a, 8, 8, 32, nvcuda::wmma::experimental::precision::u4, row_major>", 1},
        {"fragment<accumulator, 32, 8, 16, int>", 1},
        {" fragment<accumulator , 32 , 8 , 16 , int > ", 1},
        {"fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>", 1},
        {"fragment<matrix_a, 16, 16, 16, __nv_bfloat16, row_major>", 1},
        {"fragment<matrix_b, 16, 16, 16, uint8_t, row_major>", 1},
        {"fragment<matrix_a, 8, 8, 4, double, row_major>", 1},
        /* with names of PTX */
        {"fragment<matrix_a, 16, 16, 16, half, row>", 1},
        {"fragment<matrix_a, 16, 16, 16, f16, row_major>", 1},
        {"fragment<matrix_a, 8, 8, 32, precision::s4, row_major>", 1},
        {"fragment<matrix_a, 16, 16, 8, tf32, row_major>", 1},
        {"fragment<matrix_a, 16, 16, 16, wmma::half, row_major>", 1},
        /* and texts that are not names */
        {"fragment<>", 0},
        {"fragment<matrix_a, 16>", 0},
        {"fragment<accumulator, 16x, 16, 16, float>", 0},
        {"fragment<accumulator, , 16, 16, float>", 0},
        {"fragment<matrix_a", 0},
        {"fragment<matrix_a, 16, 16, 16, half>", 0},
        {"fragment<matrix_a, 16, 16, 16, half, row_major", 0},
        {"fragment<matrix_a, 16, 16, 16, half, row_major, row_major>", 0},
        {"fragment<matrix_a, 16, 16, 16, half, row_major,>", 0},
        {"fragment<matrix_a, 16, 16, 16, row_major, half>", 0},
        {"fragment<matrix_a, 16, 16, 16, half, mem_row_major>", 0},
        {"fragment<matrix_a, 16, 16, half, row_major>", 0},
        {"fragment<matrix_a, 016, 16, 16, half, row_major>", 0},
        {"fragment<matrix_a, 16, 16, 8, foo::precision::tf32, row_major>", 0},
        {"fragment<foo::matrix_a, 16, 16, 16, half, row_major>", 0},
        {"fragment<matrix_a, 16, 16, 16, foo::half, row_major>", 0},
        {"fragment<matrix_a, 16, 16, 16, half, bar::row_major>", 0},
        {"nvcuda::fragment<accumulator, 16, 16, 16, float>", 0},
        {"x::fragment<accumulator, 16, 16, 16, float>", 0},
        {"fragment<matrix_c, 16, 16, 16, half, row_major>", 0},
        {"fragment<accumulator, 16, 16, 16, float, row_major>", 0},
        {"fragment<accumulator, 16, 16, 16, double>", 0},
    };
    expect_found(cases, sizeof cases / sizeof *cases);
}

static void names_are_taken_whole(void **state) {
    (void)state;
    char longest[600];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const struct name_case cases[] = {
        {"wmma.m16n16k16.a.row.f16", 1},
        {"WMMA.M16N16K16.A.ROW.HALF", 1},
        {"wmma.m16n16k16.d.float", 1},
        {"wmma.m16n16k16.a.col.__nv_bfloat16", 1},
        {"ldmatrix.m8n8.x2.r.trans.b16", 1},
        {"movmatrix.m8n8.d.trans.b16", 1},
        {"mma.m16n8k64.sfb.4x.ue4m3", 1},
        {"mma.sp.m16n8k16.e.f16", 1},
        {"wgmma.sp.m64n256k64.e.s8", 1},
        {"", 0},
        {"  ", 0},
        {".", 0},
        {"wmma", 0},
        {"wmma.", 0},
        {".wmma", 0},
        {"wmma.m16n16k16", 0},
        {"wmma.m16n16k16..f32", 0},
        {"wmma.m16n16k16.d", 0},
        {"wmma.m16n16k16.a.f16", 0},
        {"wmma.m16n16k16.d.row.f32", 0},
        {"wmma.m16n16k16.a.row.f16.f16", 0},
        {"wmma.m16n16k16.a.row.f16.row", 0},
        {"wmma.m16n16k16.a.row.f16.", 0},
        {"wmma.m16n16.a.row.f16", 0},
        {"wmma.m16.a.row.f16", 0},
        {"wmma.m1600n16k16.a.row.f16", 0},
        {"ldmatrix.m8n8.r.b16", 0},
        {"ldmatrix.m8n8", 0},
        {"ldmatrix.m8n8.2.r.b16", 0},
        {"tcgen05.ld.32x32b.x1.r.b32", 1},
        {"tcgen05.ld.32x32c.x1.r.b32", 0},
        {"tcgen05.ld.32xb.x1.r.b32", 0},
        {"tcgen05.ld.32.x1.r.b32", 0},
        {"tcgen05.mma.cta_group::1.m128n64k16.d.f32", 1},
        {"tcgen05.mma.cta_group::1x.m128n64k16.d.f32", 0},
        {"tcgen05.mma.m128n64k16.d.f32.cta_group::1", 1},
        {"ldmatrix.m8n8.x2k1.r.b16", 0},
        {"movmatrix.m8n8.d.b16", 0},
        {"mma.m16n8k64.sfb.3x.ue4m3", 0},
        {"mma.m16n8k64.sfb.ue4m3", 0},
        {"mma.m16n8k64.sfb.zx.ue4m3", 0},
        {"mma.m16n8k64.sfb.4y.ue4m3", 0},
        {"mma.m16n8k64.sfb.4.ue4m3", 0},
        {longest, 0},
    };
    expect_found(cases, sizeof cases / sizeof *cases);
}

/* CuTe atoms are refused with brackets, arguments or scopes that C++ would not accept. */
static void atoms_are_taken_whole(void **state) {
    (void)state;
    static const struct name_case cases[] = {
        {"SM80_16x8x16_F32F16F16F32_TN", 4},
        {"MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>", 4},
        {"SM80_16x8x1600_F32F16F16F32_TN", 0},
        {"SM80_16x8x16_F32F16F16F32_TN>", 0},
        {"SM80_16x8x16_F32F16F16F32_TN><", 0},
        {"SM90_64x64x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>", 1},
        {"SM90_64x64x16_F16F16F16_SS<MMA::Major::K, GMMA::Major::K>", 0},
        {"SM90_64x64x16_F16F16F16_RS<GMMA::Major::K, GMMA::Major::K>", 2},
        {"SM90_64x64x16_F16F16F16_RS<>", 0},
        {"SM90_64x64x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,"
         "1, 1, 1, 1, 1>",
         0},
        {"Copy_Atom<SM75_U32x4_LDSM_N, half_t>", 2},
        {"Copy_Atom<SM75_U32x4_LDSM_N,>", 0},
        {"SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>", 1},
        {"SM100_MMA_F16BF16_SS<half_t, half_t, float, 1280, 64, UMMA::Major::K, UMMA::Major::K>",
         0},
        {"SM100_MMA_F16BF16_SS<half_t, half_t, float, 128x, 64, UMMA::Major::K, UMMA::Major::K>",
         0},
        {"SM100_MMA_F16BF16_SS<half_t, half_t, float, 0, 64, UMMA::Major::K, UMMA::Major::K>", 0},
        {"SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, x, UMMA::Major::K, UMMA::Major::K>", 0},
        {"SM100_TMEM_LOAD_32dp32b1000x", 0},
    };
    expect_found(cases, sizeof cases / sizeof *cases);
    assert_null(mapping_atom_outside("sm100_u8x8_ldsm_tt"));
    assert_non_null(mapping_atom_outside("sm100_u8x8_ldsm_t"));
    assert_true(mapping_atom_is_meant("UniversalFMA<float>"));
    assert_false(mapping_atom_is_meant("UniversalAdd<float>"));
}

/* A name may leave words out, but a word must not be wrong or repeated. */
static void words_may_be_left_out(void **state) {
    (void)state;
    char many[512] = "mma";
    for (int w = 0; w < 70; w++)
        strcat(many, ".sync");
    const struct {
        const char *name;
        bool is_partial;
    } cases[] = {
        {"mma", true},
        {"mma.sync.aligned.m16n8k16", true},
        {"mma.m16n8k16.f16", true},
        {"mma.m16n8k32.sp", true},
        {"wgmma.m64n8k32.sp", true},
        {"wgmma.mma_async.m64n8k16", true},
        {"ldmatrix.shared.x4", true},
        {"stmatrix.shared.x4", true},
        {"ldmatrix.b8x16", true},
        {"tcgen05.ld.16x64b.x4.pack", true},
        {"tcgen05.mma.m128k96.sfa.3x", true},
        {"mma.m16n8k64.sfa.6x", true},
        {"mma.16816.f16", true},
        {"mma.16817.f16", false},
        {"16x8x16.a", true},
        {"16x8x17.a", false},
        {"mma.16x", false},
        {"ldmatrix.x3", false},
        {"ldmatrix.x8", false},
        {"mma.mma_async.m16n8k16", false},
        {"mma.shared.m16n8k16", false},
        {"mma.sync.sync", false},
        {"ldmatrix.sp", false},
        {"stmatrix.b8x16", false},
        {"ldmatrix.sync.b8x16", false},
        {"mma.sp.sp", false},
        {"mma.x4", false},
        {"mma.m16n8k16.m16n8k16", false},
        {"mma.a.b", false},
        {"mma.f16.f16", false},
        {"mma.row.col", false},
        {"tcgen05.ld.16x64b.x4.pack::16b", true},
        {"tcgen05.ld.16x64b.x4.pack::16b.b32", false},
        {"tcgen05.ld.sync.16x64b.x4.pack::16b", false},
        {many, false},
        {"", false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_partial partial;
        if (mapping_partial_read(cases[c].name, &partial) != cases[c].is_partial)
            fail_msg("'%s' is%s partial", cases[c].name, cases[c].is_partial ? " not" : "");
    }
}

/* Loads and stores of the PTX ISA, "tcgen05.ld": repeats are powers of two up to 128. */
static void transfers_have_a_shape_and_repeats(void **state) {
    (void)state;
    char longest[600];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const struct {
        const char *name;
        bool is_read;
    } cases[] = {
        {"tcgen05.ld.32x32b", true},
        {"tcgen05.ld.32x32b.x4", true},
        {"tcgen05.ld.sync.aligned.16x64b.x4.pack::16b.b32", true},
        {"tcgen05.st.sync.aligned.16x64b.x4.unpack::16b.b32", true},
        {"tcgen05.ld.sync.aligned.16x64b.pack::16b.b32", true},
        {"tcgen05.ld.16x64b.x4.r.pack.b16", true},
        {"tcgen05.ld.16x64b.x4.r.b16", false},
        {"tcgen05.ld.16x64b.x4.a", false},
        {"tcgen05.ld.16x64b.x4.f32", false},
        {"tcgen05.ld.16x64b.x4.unpack", false},
        {"tcgen05.ld.16x64b.x4.pack::16b::16b", false},
        {"tcgen05.ld.x4", false},
        {"tcgen05.ld.32x32b.x", false},
        {"tcgen05.ld.32x32b.xy", false},
        {"tcgen05.ld.32x32b.x4y", false},
        {"tcgen05.ld.32x32b.x0", false},
        {"tcgen05.ld.32x32b.x3", false},
        {"tcgen05.ld.32x32b.x256", false},
        {"tcgen05.ld.32x32b.x4.x4", false},
        {longest, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_tmem_load tmem_load;
        if (mapping_tmem_load_read(cases[c].name, &tmem_load) != cases[c].is_read)
            fail_msg("'%s' is%s read", cases[c].name, cases[c].is_read ? " not" : "");
    }
    assert_false(mapping_tmem_load_is_meant(longest));
    assert_true(mapping_tmem_load_is_meant("SM100_TMEM_LOAD_32dp32b4x"));
}

static void types_have_two_names(void **state) {
    (void)state;
    enum mapping_type type;
    for (int t = 0; t < MAPPING_TYPES; t++) {
        assert_true(mapping_type_find(mapping_type_name((enum mapping_type)t), &type));
        assert_int_equal(type, t);
        assert_true(mapping_type_find(mapping_type_alias((enum mapping_type)t), &type));
        assert_int_equal(type, t);
        assert_int_equal(32 * mapping_type_bits(type) % 32, 0);
        assert_true(mapping_type_bits(type) > 0);
    }
    assert_true(mapping_type_find("INT8_T", &type));
    assert_int_equal(type, MAPPING_S8);
    assert_false(mapping_type_find("f17", &type));
    assert_false(mapping_type_find("", &type));
}

/* Suffixes as in ptxas --help, 13.5: sm_90a, and from sm_100 on sm_100a and sm_100f. "Targets
 * sm_{101,101f,101a} are renamed to targets sm_{110,110f,110a} from PTX ISA version 9.0". */
static void architectures_are_found_as_people_write_them(void **state) {
    (void)state;
    static const struct {
        const char *name;
        unsigned number;
    } cases[] = {
        {"sm_75", 75},    {"75", 75},       {"7.5", 75},
        {"sm75", 75},     {"SM_80", 80},    {"compute_86", 86},
        {"turing", 75},   {"V100", 70},     {"sm_90a", 90},
        {"90A", 90},      {"9.0a", 90},     {"sm_100f", 100},
        {"sm_100a", 100}, {"10.3f", 103},   {"compute_120f", 120},
        {"h100", 90},     {"sm_75a", 0},    {"75f", 0},
        {"7.5a", 0},      {"sm_89a", 0},    {"sm_90f", 0},
        {"sm_90aa", 0},   {"sm_90b", 0},    {"sm_100af", 0},
        {"sm_76", 0},     {"sm_", 0},       {"", 0},
        {"a", 0},         {"turing a", 0},  {"7.", 0},
        {"rtx-pro", 0},   {"sm_00075", 0},  {"sm_100ff", 0},
        {"sm_101", 110},  {"sm_101f", 110}, {"10.1a", 110},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct mapping_arch *arch = mapping_arch_find(cases[c].name);
        if ((arch ? arch->number : 0) != cases[c].number)
            fail_msg("'%s' is sm_%u", cases[c].name, arch ? arch->number : 0);
    }
    for (size_t a = 0; mapping_arch_at(a); a++)
        assert_true(a == 0 || mapping_arch_at(a - 1)->number < mapping_arch_at(a)->number);
}

/* In Turkish, i is not the small letter of I. */
static void names_do_not_depend_on_the_language(void **state) {
    (void)state;
    char folder[FOLDER_PATH];
    assert_true(make_folder(folder));
    setenv("LOCPATH", folder, 1);
    bool is_turkish = run(folder, "localedef -i tr_TR -f ISO-8859-9 ./tr_TR 2> said") &&
                      setlocale(LC_ALL, "tr_TR") && tolower('I') != 'i';
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    enum mapping_type type;
    const struct mapping_arch *turing = mapping_arch_find("TURING");
    size_t count = mapping_catalogue_find("SM80_16X8X16_F32F16F16F32_TN", found);
    bool is_type =
        mapping_type_find("SIGNED CHAR", &type) == mapping_type_find("signed char", &type);
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    assert_true(run(folder, "rm -r ../\"${FOLDER##*/}\""));
    if (!is_turkish) {
        puts("ok - names in the Turkish locale # SKIP needs locale");
        return;
    }
    assert_non_null(turing);
    assert_int_equal(turing->number, 75);
    assert_int_equal(count, mapping_catalogue_find("SM80_16X8X16_F32F16F16F32_TN", found));
    assert_true(is_type);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_are_found_as_people_write_them),
        cmocka_unit_test(an_opcode_may_be_younger_than_its_fragments),
        cmocka_unit_test(widths_are_other_fragments),
        cmocka_unit_test(types_of_cpp_are_found),
        cmocka_unit_test(names_are_taken_whole),
        cmocka_unit_test(atoms_are_taken_whole),
        cmocka_unit_test(words_may_be_left_out),
        cmocka_unit_test(transfers_have_a_shape_and_repeats),
        cmocka_unit_test(types_have_two_names),
        cmocka_unit_test(architectures_are_found_as_people_write_them),
        cmocka_unit_test(names_do_not_depend_on_the_language),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
