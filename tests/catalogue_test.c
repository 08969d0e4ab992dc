/* catalogue_test.c - fragments, opcodes, what the PTX ISA states, and formulae read back. */
#include "confirm.h"
#include "mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_fragment_is_found_by_its_name(void **state) {
    (void)state;
    struct mapping_fragment fragment, found[MAPPING_OPERANDS];
    char name[MAPPING_NAME_SIZE], again[MAPPING_NAME_SIZE];
    size_t count = 0;
    for (; mapping_catalogue_at(count, &fragment); count++) {
        mapping_fragment_name(&fragment, name);
        assert_int_equal(mapping_catalogue_find(name, found), 1);
        mapping_fragment_name(&found[0], again);
        assert_string_equal(name, again);
        assert_true(mapping_fragment_equal(&fragment, &found[0]));
        uint32_t cells = fragment.blocks * fragment.rows * fragment.cols;
        assert_true(fragment.elements > 0 && cells > 0);
        assert_int_equal(fragment.threads * fragment.elements % cells, 0);
        assert_int_equal(fragment.elements * fragment.bits, fragment.registers * 32);
    }
    /* wmma 88; mma 104 and on sm_120a 16; mma.sp 66 and 22; moving 20; wgmma 410; wgmma.sp 570. */
    assert_int_equal(count, 88 + 104 + 16 + 66 + 22 + 20 + 410 + 570);
}

static void what_is_stated_is_a_map_with_formulae(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        struct mapping_map map;
        struct mapping_formula formula;
        struct mapping_error error;
        if (!fragment.bases)
            continue;
        assert_true(mapping_map_state(&map, &fragment));
        assert_int_equal(mapping_map_check(&map, &error), MAPPING_OK);
        const struct mapping_variable variables[] = {{"i", map.elements}, {"tid", map.threads}};
        for (int c = 0; c < mapping_map_coordinates(&map); c++)
            assert_true(mapping_deduce(variables, 2, map.plane[c], &formula));
        mapping_map_free(&map);
    }
}

static void every_opcode_has_its_operands(void **state) {
    (void)state;
    static const char *const operands[MAPPING_INSTRUCTIONS] = {
        [MAPPING_MMA] = "abcd",    [MAPPING_MMA_SP] = "abcde", [MAPPING_LDMATRIX] = "rp",
        [MAPPING_STMATRIX] = "rp", [MAPPING_MOVMATRIX] = "ad", [MAPPING_WGMMA] = "ad",
        [MAPPING_WGMMA_SP] = "ade"};
    struct mapping_opcode opcode;
    struct mapping_fragment direct[MAPPING_OPERANDS], found[MAPPING_OPERANDS];
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        char letters[MAPPING_OPERANDS + 1] = "", wanted[MAPPING_OPERANDS + 1];
        size_t count = mapping_opcode_fragments(&opcode, direct);
        for (size_t f = 0; f < count; f++)
            letters[f] = direct[f].operand;
        snprintf(wanted, sizeof wanted, "%s%s", operands[opcode.instruction],
                 opcode.scale == MAPPING_NO_LAYOUT ? "" : "xy");
        assert_string_equal(letters, wanted);
        assert_int_equal(mapping_catalogue_find(opcode.text, found), count);
        for (size_t f = 0; f < count; f++)
            assert_true(mapping_fragment_equal(&direct[f], &found[f]));
    }
}

/* True if one of the opcode's operands is the fragment. */
static bool has_operand(const struct mapping_opcode *opcode,
                        const struct mapping_fragment *fragment) {
    struct mapping_fragment operands[MAPPING_OPERANDS];
    size_t count = mapping_opcode_fragments(opcode, operands);
    for (size_t f = 0; f < count; f++)
        if (mapping_fragment_equal(&operands[f], fragment))
            return true;
    return false;
}

static void every_fragment_belongs_to_an_opcode(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    struct mapping_opcode opcode;
    /* All of them; under valgrind some. */
    size_t stride = getenv("VALGRIND") ? 41 : 1;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index += stride) {
        bool found = fragment.instruction == MAPPING_WMMA;
        for (size_t o = 0; !found && mapping_opcode_at(o, &opcode); o++)
            found = opcode.instruction == fragment.instruction &&
                    opcode.shape.n == fragment.shape.n && opcode.shape.k == fragment.shape.k &&
                    has_operand(&opcode, &fragment);
        assert_true(found);
    }
}

/* ---- The rules of the PTX ISA, as its sections on fragments give them ---- */

typedef void rule(int tid, int i, int *block, int *row, int *col);

static void m8n8k4_a_row(int tid, int i, int *block, int *row, int *col) {
    *block = tid % 16 / 4;
    *row = tid < 16 ? tid % 4 : tid % 4 + 4;
    *col = i;
}
static void m8n8k4_a_col(int tid, int i, int *block, int *row, int *col) {
    *block = tid % 16 / 4;
    *row = tid < 16 ? i % 4 : i % 4 + 4;
    *col = tid % 4;
}
static void m8n8k4_b_row(int tid, int i, int *block, int *row, int *col) {
    *block = tid % 16 / 4;
    *row = tid % 4;
    *col = tid < 16 ? i : i + 4;
}
static void m8n8k4_b_col(int tid, int i, int *block, int *row, int *col) {
    *block = tid % 16 / 4;
    *row = i;
    *col = tid < 16 ? tid % 4 : tid % 4 + 4;
}
static void m8n8k4_d_f16(int tid, int i, int *block, int *row, int *col) {
    *block = tid % 16 / 4;
    *row = tid < 16 ? tid % 4 : tid % 4 + 4;
    *col = i;
}
static void m8n8k4_d_f32(int tid, int i, int *block, int *row, int *col) {
    int x = (tid & 1) + (i & 2);
    *block = tid % 16 / 4;
    *row = tid < 16 ? x : x + 4;
    *col = (i & 4) + (tid & 2) + (i & 1);
}
static void m16n8k16_a_f16(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 2 || (4 <= i && i < 6) ? tid >> 2 : (tid >> 2) + 8;
    *col = i < 4 ? tid % 4 * 2 + (i & 1) : tid % 4 * 2 + (i & 1) + 8;
}
static void m16n8k16_b_f16(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 2 ? tid % 4 * 2 + (i & 1) : tid % 4 * 2 + (i & 1) + 8;
    *col = tid >> 2;
}
static void m16n8_d(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 2 ? tid >> 2 : (tid >> 2) + 8;
    *col = tid % 4 * 2 + (i & 1);
}
static void m16n8k8_a_tf32(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i == 0 || i == 2 ? tid >> 2 : (tid >> 2) + 8;
    *col = i < 2 ? tid % 4 : tid % 4 + 4;
}
static void m16n8k16_a_f64(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i % 2 == 0 ? tid >> 2 : (tid >> 2) + 8;
    *col = i % 2 == 0 ? i * 2 + tid % 4 : i * 2 - 2 + tid % 4;
}
static void m16n8k32_a_s8(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 4 || (8 <= i && i < 12) ? tid >> 2 : (tid >> 2) + 8;
    *col = i < 8 ? tid % 4 * 4 + (i & 3) : tid % 4 * 4 + (i & 3) + 16;
}
static void m16n8k64_a_s4(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 8 || (16 <= i && i < 24) ? tid >> 2 : (tid >> 2) + 8;
    *col = i < 16 ? tid % 4 * 8 + (i & 7) : tid % 4 * 8 + (i & 7) + 32;
}
static void m16n8k128_a_b1(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 32 ? tid >> 2 : (tid >> 2) + 8;
    *col = tid % 4 * 32 + (i & 31);
}
static void sp_m16n8k64_b_s8(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = tid % 4 * 4 + i % 4 + i / 4 * 16;
    *col = tid >> 2;
}
/* Of A the ISA gives the 8 columns, of all K, that 4 elements that are held are among; of 4 bits
 * the 16 that 8 are among. Here columns are those that are held. */
static void sp_m16n8k64_a_s8(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 4 || (8 <= i && i < 12) ? tid >> 2 : (tid >> 2) + 8;
    *col = (i < 8 ? tid % 4 * 8 : tid % 4 * 8 + 32) / 2 + i % 4;
}
static void sp_m16n8k128_a_s4(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = i < 8 || (16 <= i && i < 24) ? tid >> 2 : (tid >> 2) + 8;
    *col = (i < 16 ? tid % 4 * 16 : tid % 4 * 16 + 64) / 2 + i % 8;
}
static void m8n8k16_b_s8(int tid, int i, int *block, int *row, int *col) {
    *block = 0;
    *row = tid % 4 * 4 + i;
    *col = tid >> 2;
}

static void the_isa_is_stated_as_it_says(void **state) {
    (void)state;
    static const struct {
        const char *name;
        rule *rule;
    } rules[] = {
        {"mma.m8n8k4.a.row.f16", m8n8k4_a_row},
        {"mma.m8n8k4.a.col.f16", m8n8k4_a_col},
        {"mma.m8n8k4.b.row.f16", m8n8k4_b_row},
        {"mma.m8n8k4.b.col.f16", m8n8k4_b_col},
        {"mma.m8n8k4.d.f16", m8n8k4_d_f16},
        {"mma.m8n8k4.c.f32", m8n8k4_d_f32},
        {"mma.m16n8k16.a.bf16", m16n8k16_a_f16},
        {"mma.m16n8k16.b.f16", m16n8k16_b_f16},
        {"mma.m16n8k16.d.f32", m16n8_d},
        {"mma.m16n8k16.d.f16", m16n8_d},
        {"mma.m16n8k16.d.f64", m16n8_d},
        {"mma.m16n8k8.a.tf32", m16n8k8_a_tf32},
        {"mma.m16n8k16.a.f64", m16n8k16_a_f64},
        {"mma.m16n8k32.a.s8", m16n8k32_a_s8},
        {"mma.m16n8k32.a.e2m1", m16n8k32_a_s8},
        {"mma.m16n8k64.a.u4", m16n8k64_a_s4},
        {"mma.m16n8k128.a.b1", m16n8k128_a_b1},
        {"mma.m8n8k16.b.u8", m8n8k16_b_s8},
        {"mma.sp.m16n8k64.a.s8", sp_m16n8k64_a_s8},
        {"mma.sp.m16n8k64.a.e3m2", sp_m16n8k64_a_s8},
        {"mma.sp.m16n8k64.b.e2m1", sp_m16n8k64_b_s8},
        {"mma.sp.m16n8k64.d.f16", m16n8_d},
        {"mma.sp.m16n8k128.a.u4", sp_m16n8k128_a_s4},
        {"mma.sp.m16n8k128.a.e2m1", sp_m16n8k128_a_s4},
        {"mma.sp.m16n8k128.d.f32", m16n8_d},
    };
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        struct mapping_fragment found[MAPPING_OPERANDS];
        struct mapping_map map;
        assert_int_equal(mapping_catalogue_find(rules[r].name, found), 1);
        assert_true(mapping_map_state(&map, &found[0]));
        for (uint32_t entry = 0; entry < mapping_map_entries(&map); entry++) {
            int block, row, col;
            rules[r].rule((int)(entry / map.elements), (int)(entry % map.elements), &block, &row,
                          &col);
            assert_int_equal(map.plane[MAPPING_ROW][entry], row);
            assert_int_equal(map.plane[MAPPING_COL][entry], col);
            assert_int_equal(map.plane[MAPPING_BLOCK] ? map.plane[MAPPING_BLOCK][entry] : 0, block);
        }
        mapping_map_free(&map);
    }
}

/* ---- Confirmation ---- */

/* What is recorded of a device confirms a statement that is the same, and no other. */
static void statements_are_confirmed(void **state) {
    (void)state;
    struct report report = {.arch = 80};
    struct mapping_fragment found[MAPPING_OPERANDS];
    const char *place = NULL;
    assert_int_equal(mapping_catalogue_find("mma.m16n8k16.a.f16", found), 1);
    report.fragment = found[0];
    assert_true(mapping_map_state(&report.map, &report.fragment));
    confirm_statement(&report, &place);
    assert_int_equal(report.confirmation.arch, 90);
    assert_non_null(strstr(report.confirmation.with, "NVIDIA"));
    report.confirmation.arch = 0;
    report.map.plane[MAPPING_ROW][5] ^= 8;
    confirm_statement(&report, &place);
    assert_int_equal(report.confirmation.arch, 0);
    report_free(&report);
}

/* ---- Names ---- */

static void opcodes_are_found_as_people_write_them(void **state) {
    (void)state;
    static const struct {
        const char *opcode;
        size_t operands;
    } cases[] = {
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
        /* and what is none */
        {"mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32", 0},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16", 0},
        {"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32", 0},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16", 0},
        {"mma.sync.aligned.m16n8k32.row.col.f32.e3m2.e4m3.f32", 0},
        {"mma.sync.aligned.kind::mxf4nvf4.block_scale.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3", 0},
        {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8", 0},
        {"wgmma.mma_async.sync.aligned.m64n264k16.f32.f16.f16", 0},
        {"ldmatrix.sync.aligned.m8n8.x3.b16", 0},
        {"movmatrix.sync.aligned.m8n8.b16", 0},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.", 0},
        {".sync.", 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_fragment found[MAPPING_OPERANDS];
        if (mapping_catalogue_find(cases[c].opcode, found) != cases[c].operands)
            fail_msg("%s", cases[c].opcode);
    }
}

/* ---- Formulae ---- */

static void formulae_are_read_as_they_are_printed(void **state) {
    (void)state;
    const struct mapping_variable variables[] = {{"i", 64}, {"tid", 128}};
    static const char *const texts[] = {
        "0",
        "(i & 1)",
        "((tid & 28) >> 2)",
        "((i & 2) << 2) + ((tid & 28) >> 2) + ((tid & 96) >> 1)",
        "(i & 5) ^ ((i & 2) << 3) ^ (tid & 127)",
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct mapping_formula formula;
        char text[256];
        assert_true(mapping_formula_parse(texts[t], variables, 2, &formula));
        mapping_formula_print(&formula, variables, 2, text, sizeof text);
        assert_string_equal(text, texts[t]);
    }
    const uint32_t x[] = {0x2b, 0x55};
    struct mapping_formula formula;
    assert_true(mapping_formula_parse(texts[3], variables, 2, &formula));
    assert_int_equal(mapping_formula_evaluate(&formula, 2, x),
                     ((0x2b & 2) << 2) + ((0x55 & 28) >> 2) + ((0x55 & 96) >> 1));
    assert_true(mapping_formula_parse(texts[4], variables, 2, &formula));
    assert_int_equal(mapping_formula_evaluate(&formula, 2, x),
                     (0x2b & 5) ^ ((0x2b & 2) << 3) ^ (0x55 & 127));
}

static void what_is_no_formula_is_refused(void **state) {
    (void)state;
    const struct mapping_variable variables[] = {{"i", 64}, {"tid", 128}};
    static const char *const texts[] = {
        "",
        " ",
        "1",
        "i",
        "(i)",
        "(i & )",
        "(i & 1",
        "(i & 1) ",
        "(i & 1)+(i & 2)",
        "(i & 1) + ",
        "(i & 1) - (i & 2)",
        "(j & 1)",
        "(ti & 1)",
        "((i & 1) << 32)",
        "((i & 1) << )",
        "((i & 1))",
        "((i & 1) <> 2)",
        "(i & 4294967296)",
        "(i & 99999999999)",
        "(tid & 1) + (i & 1)",
        "(i & 1) + (i & 2) ^ (i & 4)",
        "0 ",
        "0 + 0",
        "(i & -1)",
    };
    char many[8192] = "(i & 1)";
    struct mapping_formula formula;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        if (mapping_formula_parse(texts[t], variables, 2, &formula))
            fail_msg("'%s' is read", texts[t]);
    for (int n = 0; n < MAPPING_MAX_TERMS - 1; n++)
        strcat(many, " + (i & 1)");
    assert_true(mapping_formula_parse(many, variables, 2, &formula));
    strcat(many, " + (i & 1)");
    assert_false(mapping_formula_parse(many, variables, 2, &formula));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fragment_is_found_by_its_name),
        cmocka_unit_test(what_is_stated_is_a_map_with_formulae),
        cmocka_unit_test(every_opcode_has_its_operands),
        cmocka_unit_test(every_fragment_belongs_to_an_opcode),
        cmocka_unit_test(the_isa_is_stated_as_it_says),
        cmocka_unit_test(statements_are_confirmed),
        cmocka_unit_test(opcodes_are_found_as_people_write_them),
        cmocka_unit_test(formulae_are_read_as_they_are_printed),
        cmocka_unit_test(what_is_no_formula_is_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
