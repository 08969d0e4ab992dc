/* names_test.c - fragments, opcodes, types and architectures as people write them. */
#include "mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

/* What ptxas takes and refuses was tried with 13.5; opcodes.t tries much more. */
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
        /* words in any order, some of them repeated or left out, as ptxas takes them */
        {"mma.aligned.f32.row.sync.f16.m16n8k16.col.f16.sync.f32", 4},
        {"mma.sync.aligned.m16n8k16.row.col.s32.satfinite.s8.satfinite.s8.s32", 4},
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32.sp", 5},
        {"wgmma.mma_async.sync.m64n8k8.f32.tf32.tf32", 2},
        {"ldmatrix.shared.sync.sync.aligned.m8n8.x4.b16", 2},
        /* and what is none */
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
        /* and what is none */
        {"fragment<>", 0},
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
        {"ldmatrix.m8n8.r.b16", 0},
        {"ldmatrix.m8n8.x2k1.r.b16", 0},
        {"movmatrix.m8n8.d.b16", 0},
        {"mma.m16n8k64.sfb.3x.ue4m3", 0},
        {"mma.m16n8k64.sfb.ue4m3", 0},
        {longest, 0},
    };
    expect_found(cases, sizeof cases / sizeof *cases);
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

/* Suffixes as in ptxas --help, 13.5: sm_90a, and from sm_100 on sm_100a and sm_100f. */
static void architectures_are_found_as_people_write_them(void **state) {
    (void)state;
    static const struct {
        const char *name;
        unsigned number;
    } cases[] = {
        {"sm_75", 75},    {"75", 75},      {"7.5", 75},
        {"sm75", 75},     {"SM_80", 80},   {"compute_86", 86},
        {"turing", 75},   {"V100", 70},    {"sm_90a", 90},
        {"90A", 90},      {"9.0a", 90},    {"sm_100f", 100},
        {"sm_100a", 100}, {"10.3f", 103},  {"compute_120f", 120},
        {"h100", 90},     {"sm_75a", 0},   {"75f", 0},
        {"7.5a", 0},      {"sm_89a", 0},   {"sm_90f", 0},
        {"sm_90aa", 0},   {"sm_90b", 0},   {"sm_100af", 0},
        {"sm_76", 0},     {"sm_", 0},      {"", 0},
        {"a", 0},         {"turing a", 0}, {"7.", 0},
        {"rtx-pro", 0},   {"sm_00075", 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct mapping_arch *arch = mapping_arch_find(cases[c].name);
        if ((arch ? arch->number : 0) != cases[c].number)
            fail_msg("'%s' is sm_%u", cases[c].name, arch ? arch->number : 0);
    }
    for (size_t a = 0; mapping_arch_at(a); a++)
        assert_true(a == 0 || mapping_arch_at(a - 1)->number < mapping_arch_at(a)->number);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_are_found_as_people_write_them),
        cmocka_unit_test(an_opcode_may_be_younger_than_its_fragments),
        cmocka_unit_test(types_of_cpp_are_found),
        cmocka_unit_test(names_are_taken_whole),
        cmocka_unit_test(types_have_two_names),
        cmocka_unit_test(architectures_are_found_as_people_write_them),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
