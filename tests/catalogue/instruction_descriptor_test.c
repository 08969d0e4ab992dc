/* instruction_descriptor_test.c - the 32-bit instruction descriptor of tcgen05.mma.
 *
 * Expected values: make_instr_desc<A, B, D, M, N, Major::K, Major::K> and
 * make_instr_desc_block_scaled of CUTLASS 4.2, run on the host; for K = 96, Table 44 of the PTX ISA
 * 9.1. The numbers to decode come from InstrDescriptor and InstrDescriptorBlockScaled, the unions
 * of CUTLASS's mma_sm100_desc.hpp, compiled and run with their fields set one by one. The invalid
 * numbers come from the PTX ISA, Tables 42 to 44. */
#include "catalogue/catalogue.h"
#include "catalogue/fragment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void descriptors_are_those_of_CUTLASS(void **state) {
    (void)state;
    static const struct {
        const char *name, *kind;
        enum mapping_type a;
        uint32_t value;
    } cases[] = {
        {"tcgen05.mma.m128n256k16.d.f32", "f16", MAPPING_F16, 0x08400010},
        {"tcgen05.mma.m64n8k16.d.f16", "f16", MAPPING_F16, 0x04020000},
        {"tcgen05.mma.m128n64k8.d.f32", "tf32", MAPPING_TF32, 0x08100910},
        {"tcgen05.mma.cta2.m256n128k32.d.f32", "f8f6f4", MAPPING_E4M3, 0x10200010},
        {"tcgen05.mma.m128n32k32.d.s32", "i8", MAPPING_S8, 0x080804a0},
        {"tcgen05.mma.m128n128k64.d.f32", "mxf4", MAPPING_E2M1, 0x08a00480},
        {"tcgen05.mma.sp.m128n128k32.d.f32", "f16", MAPPING_F16, 0x08200014},
        {"tcgen05.mma.m128n128k96.d.f32", "mxf4", MAPPING_E2M1, 0x88a00480},
        {"tcgen05.mma.m128n256k32.d.f32", "mxf8f6f4", MAPPING_E4M3, 0x08c00000},
        {"tcgen05.mma.m128n256k64.d.f32", "mxf4nvf4", MAPPING_E2M1, 0x08400480},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        struct mapping_instruction_descriptor it;
        size_t n = 0;
        assert_int_equal(mapping_catalogue_find(cases[c].name, found), 1);
        do
            assert_true(mapping_instruction_descriptor(found, n++, &it));
        while (strcmp(it.kind, cases[c].kind) != 0);
        if (it.value != cases[c].value || it.a != cases[c].a)
            fail_msg("%s: 0x%08x with %s", cases[c].name, it.value, mapping_type_name(it.a));
    }
}

static void every_D_of_tcgen05_has_one_and_nothing_else(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        struct mapping_instruction_descriptor it;
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&fragment, name);
        bool is_one = strncmp(name, "tcgen05.mma", 11) == 0 && fragment.operand == MAPPING_D;
        if (mapping_instruction_descriptor(&fragment, 0, &it) != is_one)
            fail_msg("%s", name);
    }
}

/* Kinds with scale factors are those whose scale factors are in the catalogue. */
static void scales_are_where_scale_factors_are(void **state) {
    (void)state;
    struct mapping_fragment fragment, found[MAPPING_FOUND_MAX];
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        struct mapping_instruction_descriptor it;
        bool says = false;
        char name[MAPPING_NAME_SIZE], *end;
        for (size_t n = 0; mapping_instruction_descriptor(&fragment, n, &it); n++)
            says |= it.has_scales;
        mapping_fragment_name(&fragment, name);
        if (!(end = strstr(name, ".d.f32")))
            continue;
        bool is = false;
        static const char *const scales[] = {".sfa.1x.ue8m0", ".sfa.2x.ue8m0", ".sfa.3x.ue8m0"};
        for (int s = 0; s < 3; s++) {
            strcpy(end, scales[s]);
            is |= mapping_catalogue_find(name, found) > 0;
        }
        if (strncmp(name, "tcgen05.mma", 11) == 0 && says != is)
            fail_msg("%s", name);
    }
}

/* Decodes a number as the kind of that name. */
static bool decode(uint32_t value, const char *kind, struct mapping_decoded *decoded) {
    size_t number = 0;
    while (strcmp(mapping_kind_name(number), kind) != 0)
        number++;
    return mapping_instruction_decode(value, number, decoded);
}

static void numbers_are_decoded_as_CUTLASS_sets_their_fields(void **state) {
    (void)state;
    static const struct {
        uint32_t value;
        const char *kind, *text;
        const char *results[RESULTS_MAX];
    } cases[] = {
        {0x08100010,
         "f16",
         "kind::f16 m128n64k16, D f32, A f16 K-major, B f16 K-major",
         {"tcgen05.mma.m128n64k16.d.f32", "tcgen05.mma.cta2.m128n64k16.d.f32",
          "tcgen05.mma.ws.m128n64k16.d.f32"}},
        {0x08100010,
         "f8f6f4",
         "kind::f8f6f4 m128n64k32, D f32, A e4m3 K-major, B e4m3 K-major",
         {"tcgen05.mma.m128n64k32.d.f32", "tcgen05.mma.cta2.m128n64k32.d.f32",
          "tcgen05.mma.ws.m128n64k32.d.f32"}},
        {0x040b2410,
         "f16",
         "kind::f16 m64n40k16, D f32, A -f16 K-major, B bf16 N-major",
         {"tcgen05.mma.m64n40k16.d.f32"}},
        {0x0818842e,
         "i8",
         "kind::i8 m128n96k64 sparse, D s32, A u8 M-major, B s8 K-major",
         {"tcgen05.mma.sp.m128n96k64.d.s32", "tcgen05.mma.cta2.sp.m128n96k64.d.s32"}},
        {0x82405600,
         "f8f6f4",
         "kind::f8f6f4 m32n256k32, D f16, A e3m2 K-major, B -e2m1 K-major",
         {"tcgen05.mma.ws.m32n256k32.d.f16"}},
        {0x10418910,
         "tf32",
         "kind::tf32 m256n256k8, D f32, A tf32 M-major, B tf32 N-major",
         {"tcgen05.mma.cta2.m256n256k8.d.f32"}},
        {0x30b18cb4,
         "mxf8f6f4",
         "kind::mxf8f6f4 m256n192k64 sparse, D f32, A e5m2 M-major, B e2m3 N-major, scales ue8m0 "
         "(IDs 1, 3)",
         {"tcgen05.mma.cta2.sp.m256n192k64.d.f32"}},
        {0x881004a0,
         "mxf4nvf4",
         "kind::mxf4nvf4 m128n64k96, D f32, A e2m1 K-major, B e2m1 K-major, scales ue4m3 (IDs 0, "
         "2)",
         {"tcgen05.mma.m128n64k96.d.f32"}},
        {0x08902480,
         "mxf4",
         "kind::mxf4 m128n64k64, D f32, A -e2m1 K-major, B e2m1 K-major, scales ue8m0 (IDs 0, 0)",
         {"tcgen05.mma.m128n64k64.d.f32", "tcgen05.mma.cta2.m128n64k64.d.f32"}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_decoded decoded;
        struct mapping_fragment found[RESULTS_MAX];
        char text[DECODED_TEXT], name[MAPPING_NAME_SIZE];
        if (!decode(cases[c].value, cases[c].kind, &decoded))
            fail_msg("0x%08x is not of kind::%s", cases[c].value, cases[c].kind);
        mapping_instruction_text(&decoded, text);
        assert_string_equal(text, cases[c].text);
        const size_t count = mapping_instruction_results(&decoded, 0, found);
        for (size_t r = 0; r < RESULTS_MAX; r++) {
            if (r < count)
                mapping_fragment_name(&found[r], name);
            assert_string_equal(r < count ? name : "none",
                                cases[c].results[r] ? cases[c].results[r] : "none");
        }
    }
}

/* Every descriptor that the catalogue writes is read again as the same. */
static void what_is_encoded_is_decoded(void **state) {
    (void)state;
    struct mapping_cursor cursor = {.passed = 0};
    struct mapping_fragment fragment;
    while (mapping_catalogue_next(&cursor, &fragment)) {
        struct mapping_instruction_descriptor it;
        for (size_t n = 0; mapping_instruction_descriptor(&fragment, n, &it); n++) {
            struct mapping_decoded decoded;
            assert_true(decode(it.value, it.kind, &decoded));
            assert_int_equal(decoded.m, fragment.shape.m);
            assert_int_equal(decoded.n, fragment.shape.n);
            assert_int_equal(decoded.k, fragment.shape.k);
            assert_int_equal(decoded.d, fragment.type);
            assert_int_equal(decoded.a, it.a);
            assert_int_equal(decoded.b, it.a);
            assert_int_equal(decoded.is_sparse,
                             mapping_instruction_is_sparse(fragment.instruction));
            assert_true(!it.has_scales || decoded.scales == it.scales);
        }
    }
}

/* The name of the only wrong field, its bits and its text. */
static void wrong_fields_are_named(void **state) {
    (void)state;
    static const struct {
        uint32_t value;
        const char *kind, *field;
        unsigned low, high;
        const char *text;
    } cases[] = {
        {0x08100018, "f16", "saturate", 3, 3, "only for kind::i8"},
        {0x08100020, "f16", "d_type", 4, 5, "no type; valid: 1 (f32), 0 (f16)"},
        {0x08100050, "f16", "reserved", 6, 6, "reserved, must be 0"},
        {0x08100110, "f16", "a_type", 7, 9, "no type; valid: 0 (f16), 1 (bf16)"},
        {0x08100810, "f16", "b_type", 10, 12, "no type; valid: 0 (f16), 1 (bf16)"},
        {0x08102020, "i8", "negate_a", 13, 13, "not for kind::i8"},
        {0x08104020, "i8", "negate_b", 14, 14, "not for kind::i8"},
        {0x08000010, "f16", "n", 17, 22, "N must not be 0"},
        {0x08420010, "f16", "n", 17, 22, "N = 264, more than 256"},
        {0x08900010, "f16", "reserved", 23, 23, "reserved, must be 0"},
        {0x00100010, "f16", "m", 24, 28, "M must not be 0"},
        {0x28100010, "f16", "reserved", 29, 29, "reserved, must be 0"},
        {0x08900001, "mxf8f6f4", "reserved", 0, 1, "reserved, must be 0"},
        {0x08100000, "mxf8f6f4", "scale_type", 23, 23, "ue4m3; this kind needs ue8m0 (1)"},
        {0x09900000, "mxf8f6f4", "reserved", 24, 26, "reserved, must be 0"},
        {0x88900000, "mxf8f6f4", "reserved", 31, 31, "reserved, must be 0"},
        {0x08901480, "mxf4", "reserved", 12, 12, "reserved, must be 0"},
        {0x08900490, "mxf4", "b_scale_factor_id", 4, 5, "must be 0 or 2 for this kind"},
        {0x28900480, "mxf4", "a_scale_factor_id", 29, 30, "must be 0 or 2 for this kind"},
        {0x08908480, "mxf4", "transpose_a", 15, 15, "A and B of 4 bits are K-major for this kind"},
        {0x88900484, "mxf4", "k", 31, 31, "K = 96 is only for dense A"},
        {0x08100480, "mxf4", "scale_type", 23, 23, "ue4m3; this kind needs ue8m0 (1)"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_decoded decoded;
        struct mapping_fragment found[RESULTS_MAX];
        size_t f = 0;
        assert_false(decode(cases[c].value, cases[c].kind, &decoded));
        assert_int_equal(decoded.fields.wrong, 1);
        while (!decoded.fields.field[f].is_wrong)
            f++;
        const struct mapping_field *field = &decoded.fields.field[f];
        assert_string_equal(field->name, cases[c].field);
        assert_int_equal(field->low, cases[c].low);
        assert_int_equal(field->high, cases[c].high);
        assert_string_equal(field->text, cases[c].text);
        assert_int_equal(mapping_instruction_results(&decoded, 0, found), 0);
    }
}

/* M of 48 and 16, and integers with N of 40: PTX ISA 9.1, Table 39. */
static void shapes_that_no_instruction_has_have_no_results(void **state) {
    (void)state;
    struct mapping_decoded decoded;
    struct mapping_fragment found[RESULTS_MAX];
    assert_true(decode(0x03100010, "f16", &decoded));
    assert_int_equal(mapping_instruction_results(&decoded, 0, found), 0);
    assert_true(decode(0x01100010, "f16", &decoded));
    assert_int_equal(mapping_instruction_results(&decoded, 0, found), 0);
    assert_true(decode(0x080a0020, "i8", &decoded));
    assert_int_equal(mapping_instruction_results(&decoded, 0, found), 0);
    assert_true(decode(0x080804a0, "i8", &decoded));
    assert_int_equal(mapping_instruction_results(&decoded, 100, found), 2);
    assert_int_equal(mapping_instruction_results(&decoded, 103, found), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_those_of_CUTLASS),
        cmocka_unit_test(every_D_of_tcgen05_has_one_and_nothing_else),
        cmocka_unit_test(scales_are_where_scale_factors_are),
        cmocka_unit_test(numbers_are_decoded_as_CUTLASS_sets_their_fields),
        cmocka_unit_test(what_is_encoded_is_decoded),
        cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(shapes_that_no_instruction_has_have_no_results),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
