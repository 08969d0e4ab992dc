/* copies_test.c - the layouts of Tensor Memory after tcgen05.cp and tcgen05.shift.
 *
 * Expected values: the layouts of CUTLASS 4.2, copy_traits_sm100.hpp, which map the bits of a copy
 * to addresses of Tensor Memory (the next lane is at the next multiple of DP); and the text of the
 * PTX ISA 9.1, 9.7.16.9. */
#include "catalogue/catalogue.h"
#include "catalogue/fragment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct mapping_fragment find(const char *name) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    if (mapping_catalogue_find(name, found) != 1)
        fail_msg("%s is not found", name);
    return found[0];
}

static struct mapping_layout state(const char *name) {
    struct mapping_layout layout;
    struct mapping_error error = {""};
    const struct mapping_fragment fragment = find(name);
    if (mapping_fragment_state(&fragment, &layout, &error) != MAPPING_OK)
        fail_msg("%s: %s", name, error.message);
    return layout;
}

/* ValID of Copy_Traits: rows are (low, rows / low):(low_stride, high_stride), in lanes. */
struct copy_case {
    const char *shape, *form; /* of the name */
    uint32_t rows, bits, copies;
    uint32_t low, low_stride, high_stride, copy_stride;
};

static const struct copy_case copies[] = {
    /* (128,256):(DP,1), (128,128):(DP,1) */
    {"128x256b", "", 128, 256, 1, 128, 1, 0, 0},
    {"128x128b", "", 128, 128, 1, 128, 1, 0, 0},
    /* (64,128,2):(DP,1,DPx64) */
    {"64x128b", ".02_13", 64, 128, 2, 64, 1, 0, 64},
    /* (32,128,2,2):(DP,1,DPx64,DPx32), of which the last mode is the copy */
    {"64x128b", ".01_23", 64, 128, 2, 32, 1, 64, 32},
    /* (32,128,4):(DP,1,DPx32) */
    {"32x128b", ".warpx4", 32, 128, 4, 32, 1, 0, 32},
    /* (4,256):(32,128) in (128,256):(DP,1): row 1 is row 32 of what is refreshed */
    {"4x256b", "", 4, 256, 1, 4, 32, 0, 0},
};

/* Compares all elements of one type; of 6 and 4 bits they are bytes there. */
static void expect_copy(const struct copy_case *copy, const char *type, uint32_t bits,
                        uint32_t begins) {
    char name[MAPPING_NAME_SIZE];
    snprintf(name, sizeof name, "tcgen05.cp.%s.d%s.%s", copy->shape, copy->form, type);
    struct mapping_layout layout = state(name);
    const uint32_t cols = copy->bits / bits;
    assert_int_equal(mapping_layout_entries(&layout), copy->rows * cols * copy->copies);
    assert_int_equal(layout.to.count, bits < 32 ? 3 : 2);
    for (uint32_t row = 0, n = 0; row < copy->rows; row++)
        for (uint32_t col = 0; col < cols; col++)
            for (uint32_t again = 0; again < copy->copies; again++, n++) {
                assert_int_equal(layout.coordinate[0][n], row % copy->low * copy->low_stride +
                                                              row / copy->low * copy->high_stride +
                                                              again * copy->copy_stride);
                assert_int_equal(layout.coordinate[1][n], col * bits / 32);
                if (bits < 32)
                    assert_int_equal(layout.coordinate[2][n], col * bits % 32 + begins);
            }
    mapping_layout_free(&layout);
}

static void rows_lie_in_the_lanes_that_CUTLASS_has(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
        expect_copy(&copies[c], "b32", 32, 0);
        expect_copy(&copies[c], "b8", 8, 0);
    }
}

/* 9.7.16.9.1: 16 elements become 16 bytes. */
static void narrow_elements_become_bytes(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof copies / sizeof *copies; c++) {
        expect_copy(&copies[c], "b6", 8, 0);
        expect_copy(&copies[c], "b4", 8, 2);
    }
}

/* 9.7.16.9.2: warps 0 and 2, and 1 and 3, or 0 and 1, and 2 and 3, are pairs; a warp has 32 lanes,
 * and both of a pair hold the same. */
static void pairs_of_warps_hold_the_same(void **context) {
    (void)context;
    static const struct {
        const char *name;
        uint32_t apart; /* the other warp of a pair */
    } cases[] = {{"tcgen05.cp.64x128b.d.02_13.b32", 2}, {"tcgen05.cp.64x128b.d.01_23.b32", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_layout layout = state(cases[c].name);
        uint32_t seen[4] = {0};
        for (size_t n = 0; n < mapping_layout_entries(&layout); n += 2) {
            uint32_t first = layout.coordinate[0][n] / 32,
                     second = layout.coordinate[0][n + 1] / 32;
            assert_int_equal(second, first ^ cases[c].apart);
            seen[first]++, seen[second]++;
        }
        for (int warp = 0; warp < 4; warp++)
            assert_int_equal(seen[warp], 32 * 4);
        mapping_layout_free(&layout);
    }
}

/* 9.7.16.9.3: all rows except the last, by one, 32 bytes of each. */
static void a_shift_moves_31_rows_by_one(void **context) {
    (void)context;
    struct mapping_layout layout = state("tcgen05.shift.31x256b.d.b32");
    assert_int_equal(mapping_layout_entries(&layout), 31 * 8);
    for (uint32_t n = 0; n < 31 * 8; n++) {
        assert_int_equal(layout.coordinate[0][n], n / 8 + 1);
        assert_int_equal(layout.coordinate[1][n], n % 8);
    }
    mapping_layout_free(&layout);
    assert_non_null(strstr(find("tcgen05.shift.31x256b.d.b32").note, "can also mean"));
}

/* ---- Names ---- */

struct name_case {
    const char *name, *fragment;
};

static void expect_names(const struct name_case *cases, size_t count) {
    for (size_t c = 0; c < count; c++) {
        char name[MAPPING_NAME_SIZE];
        const struct mapping_fragment fragment = find(cases[c].name);
        mapping_fragment_name(&fragment, name);
        assert_string_equal(name, cases[c].fragment);
    }
}

static void opcodes_are_found_whatever_the_order_of_their_words(void **state) {
    (void)state;
    static const struct name_case cases[] = {
        {"tcgen05.cp.cta_group::1.128x256b", "tcgen05.cp.128x256b.d.b32"},
        {"tcgen05.cp.cta_group::2.128x128b.b8x16.b6x16_p32", "tcgen05.cp.128x128b.d.b6"},
        {"tcgen05.cp.cta_group::1.64x128b.warpx2::02_13", "tcgen05.cp.64x128b.d.02_13.b32"},
        {"tcgen05.cp.warpx2::01_23.64x128b.cta_group::2.b8x16.b4x16_p64",
         "tcgen05.cp.64x128b.d.01_23.b4"},
        {"tcgen05.cp.cta_group::1.warpx4.32x128b", "tcgen05.cp.32x128b.d.warpx4.b32"},
        {"tcgen05.cp.4x256b.cta_group::1", "tcgen05.cp.4x256b.d.b32"},
        {"tcgen05.shift.cta_group::1.down", "tcgen05.shift.31x256b.d.b32"},
        {"tcgen05.shift.down.cta_group::2", "tcgen05.shift.31x256b.d.b32"},
        {"cute::SM100::TMEM::UTCCP::SM100_UTCCP_4x32dp128bit_1cta",
         "tcgen05.cp.32x128b.d.warpx4.b32"},
        {"SM100_UTCCP_2x64dp128bitlw0123_2cta", "tcgen05.cp.64x128b.d.01_23.b32"},
    };
    expect_names(cases, sizeof cases / sizeof *cases);
}

/* ptxas 13.0 refuses all of these. */
static void what_is_no_copy_is_not_found(void **state) {
    (void)state;
    static const char *const names[] = {
        "tcgen05.cp.128x256b",
        "tcgen05.cp.cta_group::1.64x128b",
        "tcgen05.cp.cta_group::1.32x128b",
        "tcgen05.cp.cta_group::1.128x128b.warpx4",
        "tcgen05.cp.cta_group::1.64x128b.warpx4",
        "tcgen05.cp.cta_group::1.32x128b.warpx2::02_13",
        "tcgen05.cp.cta_group::1.128x128b.b8x16",
        "tcgen05.cp.cta_group::1.128x128b.b6x16_p32",
        "tcgen05.cp.cta_group::1.128x64b",
        "tcgen05.cp.cta_group::3.128x128b",
        "tcgen05.shift.cta_group::1",
        "tcgen05.shift.cta_group::1.up",
        "tcgen05.shift.cta_group::1.down.31x256b",
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        if (mapping_catalogue_find(names[n], found) != 0)
            fail_msg("%s is found", names[n]);
    }
}

/* A fragment without elements, and one of more than 32 bits can count, has no copies. */
static void impossible_fragments_have_no_copies(void **state) {
    (void)state;
    const struct mapping_fragment none = {.threads = 32, .elements = 4},
                                  large = {.threads = 32,
                                           .elements = 4,
                                           .blocks = 1U << 16,
                                           .rows = 1U << 16,
                                           .cols = 1};
    assert_int_equal(mapping_fragment_copies(&none), 0);
    assert_int_equal(mapping_fragment_copies(&large), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_fragments_have_no_copies),
        cmocka_unit_test(rows_lie_in_the_lanes_that_CUTLASS_has),
        cmocka_unit_test(narrow_elements_become_bytes),
        cmocka_unit_test(pairs_of_warps_hold_the_same),
        cmocka_unit_test(a_shift_moves_31_rows_by_one),
        cmocka_unit_test(opcodes_are_found_whatever_the_order_of_their_words),
        cmocka_unit_test(what_is_no_copy_is_not_found),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
