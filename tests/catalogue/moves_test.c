/* moves_test.c - ldmatrix and stmatrix of 8, 6 and 4 bits, and the additions of PTX 9.1 to mma:
 * layouts by the rules of the PTX ISA, 9.7.14.5.15 and 9.7.14.5.16, and the syntax of opcodes. */
#include "catalogue/family.h"
#include "catalogue/fragment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- Layouts ---- */

struct place {
    uint32_t block, row, col; /* in memory */
};
typedef struct place rule(uint32_t tid, uint32_t i);

/* "Each component of the vector expression holds a fragment from the corresponding matrix"; "a row
 * of the matrix can be loaded by a group of four consecutive and aligned threads. Each thread in a
 * warp loads 4 consecutive columns". */
static struct place m8n16(uint32_t tid, uint32_t i) {
    return (struct place){i / 4, tid / 4, tid % 4 * 4 + i % 4};
}

/* "two destination registers r0 and r1"; "4 consecutive columns across 2 rows". With .trans "the
 * matrix is loaded in column-major format": its columns are the rows in memory. */
static struct place m16n16(uint32_t tid, uint32_t i) {
    uint32_t r = i % 8 / 4, e = i % 4;
    return (struct place){i / 8, tid % 4 * 4 + e, tid / 4 + 8 * r};
}

/* "four 8 bit elements e0, e1, e2, e3": rows and columns are those of D of mma.m16n8, 9.7.14.5.8,
 * and stored in column-major format. */
static struct place m16n8(uint32_t tid, uint32_t i) {
    uint32_t e = i % 4;
    return (struct place){i / 4, tid % 4 * 2 + e % 2, e < 2 ? tid / 4 : tid / 4 + 8};
}

/* "Addresses addr0-addr7 correspond to the rows of the first matrix, addresses addr8-addr15
 * correspond to the rows of the second matrix, and so on"; of 16 x 16 there are 16 rows. */
static struct place of_8_rows(uint32_t tid, uint32_t i) {
    return (struct place){tid / 8, tid % 8, i};
}
static struct place of_16_rows(uint32_t tid, uint32_t i) {
    return (struct place){tid / 16, tid % 16, i};
}

static struct mapping_fragment find(const char *name) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    if (mapping_catalogue_find(name, found) != 1)
        fail_msg("there is no %s", name);
    return found[0];
}

static void check_rule(const char *name, rule *is_at, uint32_t rows, uint32_t cols,
                       uint32_t threads, uint32_t elements) {
    struct mapping_fragment fragment = find(name);
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(fragment.rows, rows);
    assert_int_equal(fragment.cols, cols);
    assert_int_equal(fragment.threads, threads);
    assert_int_equal(fragment.elements, elements);
    assert_int_equal(fragment.registers, elements * fragment.bits / 32);
    assert_int_equal(mapping_fragment_state(&fragment, &layout, &error), MAPPING_OK);
    assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_OK);
    uint32_t row = layout.to.count - 2; /* in front of it the block, if there are several */
    for (uint32_t n = 0; n < threads * elements; n++) {
        struct place place = is_at(n / elements, n % elements);
        if (layout.coordinate[row][n] != place.row || layout.coordinate[row + 1][n] != place.col ||
            (row ? layout.coordinate[0][n] : 0) != place.block)
            fail_msg("%s: entry %u is elsewhere", name, n);
    }
    mapping_layout_free(&layout);
}

static void narrow_moves_are_as_the_isa_says(void **state) {
    (void)state;
    static const struct {
        const char *form, *variant, *types[4];
        rule *registers, *addresses;
        uint32_t rows, most;   /* rows in memory; most matrices */
        uint32_t per_register; /* registers of one matrix */
    } moves[] = {
        {"ldmatrix.m8n16", "", {"b6", "b4", "s4"}, m8n16, of_8_rows, 8, 4, 1},
        {"ldmatrix.m16n16", "trans.", {"b8", "b6", "b4"}, m16n16, of_16_rows, 16, 2, 2},
        {"stmatrix.m16n8", "trans.", {"b8"}, m16n8, of_8_rows, 8, 4, 1},
    };
    for (size_t m = 0; m < sizeof moves / sizeof *moves; m++) {
        for (uint32_t count = 1; count <= moves[m].most; count *= 2) {
            for (const char *const *type = moves[m].types; *type; type++) {
                char name[MAPPING_NAME_SIZE];
                snprintf(name, sizeof name, "%s.x%u.r.%s%s", moves[m].form, count, moves[m].variant,
                         *type);
                check_rule(name, moves[m].registers, moves[m].rows, 16, 32,
                           4 * moves[m].per_register * count);
                assert_int_equal(find(name).bits, 8);
                snprintf(name, sizeof name, "%s.x%u.p.%s", moves[m].form, count, *type);
                check_rule(name, moves[m].addresses, moves[m].rows, 1, moves[m].rows * count, 1);
            }
        }
    }
}

/* ---- Bits ---- */

/* "The matrix element of type .e2m1 resides in central 4 bits of the 8-bit container"; "of type
 * .e3m2 or .e2m3, ... in the lower 6 bits": 9.7.14.5.14. */
static void mma_says_where_narrow_types_are(void **state) {
    (void)state;
    static const struct {
        const char *name, *bits;
    } operands[] = {
        {"mma.m16n8k32.a.e2m1", "bits 5:2"},    {"mma.m16n8k32.b.e2m1", "bits 5:2"},
        {"mma.m16n8k32.a.e3m2", "bits 5:0"},    {"mma.m16n8k32.b.e2m3", "bits 5:0"},
        {"mma.sp.m16n8k64.a.e2m1", "bits 5:2"}, {"mma.sp.m16n8k64.b.e2m1", "bits 5:2"},
        {"mma.sp.m16n8k64.a.e2m3", "bits 5:0"}, {"mma.sp.m16n8k64.b.e3m2", "bits 5:0"},
        {"mma.m16n8k64.a.e2m1", NULL},          {"mma.sp.m16n8k128.b.e2m1", NULL},
        {"mma.m16n8k32.a.e4m3", NULL},
    };
    for (size_t o = 0; o < sizeof operands / sizeof *operands; o++) {
        struct mapping_fragment fragment = find(operands[o].name);
        if (operands[o].bits)
            assert_true(fragment.note && strstr(fragment.note, operands[o].bits));
        else
            assert_null(fragment.note);
        assert_int_equal(fragment.bits, operands[o].bits ? 8 : mapping_type_bits(fragment.type));
    }
}

/* ---- Opcodes ---- */

static void opcodes_are_taken_in_every_spelling(void **state) {
    (void)state;
    static const struct {
        const char *opcode, *first; /* fragment that it has */
    } opcodes[] = {
        {"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64",
         "ldmatrix.m16n16.x2.r.trans.b4"},
        {"ldmatrix.b8x16.sync.x1.b6x16_p32.aligned.shared::cta.trans.m16n16",
         "ldmatrix.m16n16.x1.r.trans.b6"},
        {"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", "ldmatrix.m16n16.x2.r.trans.b8"},
        {"ldmatrix.sync.aligned.m8n16.x4.b8x16.b4x16_p64", "ldmatrix.m8n16.x4.r.b4"},
        {"ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32", "ldmatrix.m8n16.x2.r.b6"},
        {"ldmatrix.sync.aligned.m8n16.x4.shared.s8.s4", "ldmatrix.m8n16.x4.r.s4"},
        {"ldmatrix.s8.x1.aligned.s4.shared::cta.m8n16.sync", "ldmatrix.m8n16.x1.r.s4"},
        {"stmatrix.sync.aligned.m16n8.x4.trans.shared.b8", "stmatrix.m16n8.x4.r.trans.b8"},
        {"stmatrix.b8.trans.x1.m16n8.aligned.sync", "stmatrix.m16n8.x1.r.trans.b8"},
        {"SM100_SU4_DU8x16_x4_LDSM_N", "ldmatrix.m8n16.x4.r.b4"},
        {"SM100_SU6_DU8x16_x1_LDSM_N", "ldmatrix.m8n16.x1.r.b6"},
        {"SM100_U8x16_STSM_T", "stmatrix.m16n8.x4.r.trans.b8"},
        {"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1"
         ".f32.ue8m0",
         "mma.m16n8k64.a.e2m1"},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale"
         ".scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
         "mma.sp.m16n8k128.a.e2m1"},
        {"mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata.m16n8k64.row.col.f16.e2m3.e2m1.f16",
         "mma.sp.m16n8k64.a.e2m3"},
        {"mma.sync.aligned.kind::mxf8f6f4.sp::ordered_metadata.block_scale.scale_vec::1X.m16n8k64"
         ".row.col.f32.e4m3.e3m2.f32.ue8m0",
         "mma.sp.m16n8k64.a.e4m3"},
    };
    for (size_t o = 0; o < sizeof opcodes / sizeof *opcodes; o++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        char name[MAPPING_NAME_SIZE];
        if (mapping_catalogue_find(opcodes[o].opcode, found) < 2)
            fail_msg("%s is refused", opcodes[o].opcode);
        mapping_fragment_name(&found[0], name);
        assert_string_equal(name, opcodes[o].first);
    }
}

/* ptxas 13.5 refuses all of these opcodes; the last two are names of CuTe. */
static void what_is_no_opcode_is_refused(void **state) {
    (void)state;
    static const char *const opcodes[] = {
        "ldmatrix.sync.aligned.m16n16.x2.b8",
        "ldmatrix.sync.aligned.m16n16.x4.trans.b8",
        "ldmatrix.sync.aligned.m16n16.x2.trans.b16",
        "ldmatrix.sync.aligned.m8n16.x2.b8",
        "ldmatrix.sync.aligned.m8n16.x2.trans.b8x16.b4x16_p64",
        "ldmatrix.sync.aligned.m8n16.x2.b4x16_p64.b8x16",
        "ldmatrix.sync.aligned.m8n16.x2.b4x16_p64",
        "ldmatrix.sync.aligned.m8n16.x2.b8x16",
        "ldmatrix.sync.aligned.m8n16.x2.b4",
        "ldmatrix.sync.aligned.m8n16.x2.b8x16.b4x16_p64.b4x16_p64",
        "ldmatrix.sync.aligned.m8n16.x2.s8",
        "ldmatrix.sync.aligned.m8n16.x2.s4",
        "ldmatrix.sync.aligned.m8n16.x2.s4.s8",
        "ldmatrix.sync.aligned.m8n16.x2.s8.u4",
        "ldmatrix.sync.aligned.m8n16.x2.u8.u4",
        "ldmatrix.sync.aligned.m8n16.x2.trans.s8.s4",
        "ldmatrix.sync.aligned.m16n16.x2.trans.s8.s4",
        "ldmatrix.sync.aligned.m8n8.x2.s8.s4",
        "ldmatrix.sync.aligned.m8n8.x2.b8x16.b4x16_p64",
        "ldmatrix.sync.aligned.m8n8.x2.b8",
        "stmatrix.sync.aligned.m16n8.x2.b8",
        "stmatrix.sync.aligned.m16n8.x3.trans.b8",
        "stmatrix.sync.aligned.m16n8.x2.trans.b16",
        "stmatrix.sync.aligned.m16n16.x2.trans.b8",
        "stmatrix.sync.aligned.m8n8.x2.trans.b8",
        "movmatrix.sync.aligned.m8n8.trans.b8",
        "mma.sync.aligned.kind::f8f6f4.sp.m16n8k64.row.col.f16.e2m3.e2m1.f16",
        "SM100_U8x16_LDSM_T", /* exchanges bytes after the instruction */
        "SM100_SU4_DU8x16_x4_LDSM_T",
    };
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    for (size_t o = 0; o < sizeof opcodes / sizeof *opcodes; o++)
        if (mapping_catalogue_find(opcodes[o], found) != 0)
            fail_msg("%s is taken", opcodes[o]);
}

/* "Requires sm_120a", and so on; ptxas 13.5 says the same, target by target. */
static void suffixes_are_those_of_the_target_notes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        enum mapping_suffix suffix;
        uint32_t since, ptx;
    } targets[] = {
        {"ldmatrix.m8n8.x4.r.b16", MAPPING_NO_SUFFIX, 75, 65},
        {"ldmatrix.m16n16.x2.r.trans.b8", MAPPING_SUFFIX_A_OR_F, 100, 86},
        {"ldmatrix.m8n16.x4.p.b6", MAPPING_SUFFIX_A_OR_F, 100, 86},
        {"ldmatrix.m8n16.x4.r.s4", MAPPING_SUFFIX_A_OR_F, 90, 94},
        {"stmatrix.m8n8.x4.r.b16", MAPPING_NO_SUFFIX, 90, 78},
        {"stmatrix.m16n8.x4.r.trans.b8", MAPPING_SUFFIX_A_OR_F, 100, 86},
        {"mma.m16n8k32.a.e4m3", MAPPING_NO_SUFFIX, 89, 84},
        {"mma.m16n8k32.a.e2m1", MAPPING_SUFFIX_A_OR_F, 120, 87},
        {"mma.m16n8k64.a.e2m1", MAPPING_SUFFIX_A_OR_F, 120, 87},
        {"mma.m16n8k64.sfa.4x.ue8m0", MAPPING_SUFFIX_A_OR_F, 120, 91},
        {"mma.sp.m16n8k64.e.e3m2", MAPPING_SUFFIX_A_OR_F, 120, 87},
        {"mma.sp.m16n8k64.sfb.1x.ue8m0", MAPPING_SUFFIX_A_OR_F, 120, 87},
        {"mma.sp.m16n8k128.a.e2m1", MAPPING_SUFFIX_A, 120, 87},
        {"mma.sp.m16n8k128.sfb.4x.ue4m3", MAPPING_SUFFIX_A, 120, 87},
        {"mma.sp.m16n8k128.sfb.4x.ue8m0", MAPPING_SUFFIX_A, 120, 91},
    };
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        struct mapping_fragment fragment = find(targets[t].name);
        assert_int_equal(fragment.suffix, targets[t].suffix);
        assert_int_equal(fragment.since, targets[t].since);
        assert_int_equal(fragment.ptx, targets[t].ptx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_moves_are_as_the_isa_says),
        cmocka_unit_test(mma_says_where_narrow_types_are),
        cmocka_unit_test(opcodes_are_taken_in_every_spelling),
        cmocka_unit_test(what_is_no_opcode_is_refused),
        cmocka_unit_test(suffixes_are_those_of_the_target_notes),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
