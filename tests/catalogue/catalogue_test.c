/* catalogue_test.c - fragments, opcodes, families, and what the PTX ISA states. */
#include "catalogue/family.h"
#include "catalogue/fragment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- Fragments ---- */

/* How many there are, results/README.md says, which source/evidence.t compares. */
static void every_fragment_is_found_by_its_name(void **state) {
    (void)state;
    struct mapping_fragment fragment, found[MAPPING_FOUND_MAX];
    char name[MAPPING_NAME_SIZE], again[MAPPING_NAME_SIZE];
    size_t count = 0;
    for (; mapping_catalogue_at(count, &fragment); count++) {
        mapping_fragment_name(&fragment, name);
        assert_int_equal(mapping_catalogue_find(name, found), 1);
        mapping_fragment_name(&found[0], again);
        assert_string_equal(name, again);
        assert_true(mapping_fragment_equal(&fragment, &found[0]));
        if (fragment.place == MAPPING_IN_TENSOR_MEMORY) {
            assert_true(fragment.elements == 0 && fragment.registers == 0);
            assert_true(fragment.columns > 0 && fragment.ctas > 0);
            continue;
        }
        uint32_t cells = fragment.blocks * fragment.rows * fragment.cols;
        assert_true(fragment.elements > 0 && cells > 0);
        assert_int_equal(fragment.threads * fragment.elements,
                         mapping_fragment_copies(&fragment) * cells);
        assert_int_equal(fragment.elements * fragment.bits, fragment.registers * 32);
    }
}

/* In Tensor Memory everything has a place of its own, also copies; not all places are taken. Where
 * K is 96 that is so of the scale factors of each ID. */
static void check_places(const struct mapping_fragment *fragment,
                         const struct mapping_layout *layout) {
    static uint8_t taken[2 * MAPPING_LANES * 256 * MAPPING_COLUMN_BITS];
    uint32_t point[MAPPING_AXES_MAX];
    assert_true(mapping_space_size(&layout->to) <= sizeof taken);
    memset(taken, 0, mapping_space_size(&layout->to));
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        for (uint32_t c = 0; c < layout->to.count; c++)
            point[c] = layout->coordinate[c][n];
        uint8_t *place = &taken[mapping_space_number(&layout->to, point)];
        size_t id = fragment->shape.k == 96 ? n % fragment->choices : 0;
        assert_false(*place >> id & 1);
        *place |= (uint8_t)(1U << id);
    }
}

static void what_is_stated_is_a_layout_with_formulae(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        struct mapping_layout layout;
        struct mapping_formula formula;
        struct mapping_error error;
        assert_int_equal(fragment.section == NULL, fragment.instruction == MAPPING_WMMA);
        assert_int_equal(mapping_fragment_state(&fragment, &layout, &error), MAPPING_OK);
        if (fragment.place == MAPPING_IN_TENSOR_MEMORY) {
            check_places(&fragment, &layout);
        } else {
            assert_int_equal(mapping_layout_check(&layout, &error), MAPPING_OK);
            assert_int_equal(mapping_layout_copies(&layout), mapping_fragment_copies(&fragment));
        }
        /* If K is 96, the column depends on the sum of factor and ID. */
        const bool has_sum = fragment.scale_vector == 3 || fragment.scale_vector == 6;
        for (uint32_t c = 0; c < layout.to.count; c++) {
            const char *axis = layout.to.axis[c].name;
            bool is_found = mapping_deduce(&layout.from, layout.coordinate[c], &formula);
            if (!has_sum || strcmp(axis, MAPPING_AXIS_BIT) != 0)
                assert_true(is_found == !(has_sum && strcmp(axis, MAPPING_AXIS_COLUMN) == 0));
        }
        mapping_layout_free(&layout);
    }
}

static void several_matrices_are_an_axis(void **state) {
    (void)state;
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_space from, to;
    assert_int_equal(mapping_catalogue_find("ldmatrix.m8n8.x4.r.b16", found), 1);
    mapping_fragment_spaces(&found[0], &from, &to);
    assert_int_equal(from.count, 2);
    assert_string_equal(from.axis[0].name, "tid");
    assert_string_equal(from.axis[1].name, "i");
    assert_int_equal(from.axis[1].size, 8);
    assert_int_equal(to.count, 3);
    assert_string_equal(to.axis[0].name, "block");
    assert_int_equal(to.axis[0].size, 4);
    assert_int_equal(mapping_catalogue_find("ldmatrix.m8n8.x1.r.b16", found), 1);
    mapping_fragment_spaces(&found[0], &from, &to);
    assert_int_equal(to.count, 2);
    assert_string_equal(to.axis[0].name, "row");
    assert_string_equal(to.axis[1].name, "col");
}

static void bases_of_unknown_letters_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "x2 t3 t4 i1 | i0 t0 t1", "t2 t3 t4 i1 | i0 t0", "t2 t3 t4 i2 | i0 t0 t1",
        "t2 t3 t5 i1 | i0 t0 t1", "t2 t3 t4 i1",         "",
    };
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(mapping_catalogue_find("mma.m16n8k16.d.f32", found), 1);
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        found[0].bases = wrong[w];
        enum mapping_status status = mapping_fragment_state(&found[0], &layout, &error);
        if (status == MAPPING_OK) { /* a bit that is nowhere makes copies: too many here */
            status = mapping_layout_check(&layout, &error);
            mapping_layout_free(&layout);
        }
        if (status != MAPPING_INVALID)
            fail_msg("'%s' is taken", wrong[w]);
    }
}

/* ---- Opcodes ---- */

/* Which there are, results/sass.txt says, which source/codegen_records_test.c compares. */
static void every_opcode_has_its_operands(void **state) {
    (void)state;
    static const char *const operands[MAPPING_INSTRUCTIONS] = {
        [MAPPING_WMMA] = "a b c d ", [MAPPING_MMA] = "a b c d ",    [MAPPING_MMA_SP] = "a b c d e ",
        [MAPPING_LDMATRIX] = "r p ", [MAPPING_STMATRIX] = "r p ",   [MAPPING_MOVMATRIX] = "a d ",
        [MAPPING_WGMMA] = "a d ",    [MAPPING_WGMMA_SP] = "a d e ", [MAPPING_TCGEN05_LD] = "r ",
        [MAPPING_TCGEN05_ST] = "r "};
    struct mapping_opcode opcode;
    struct mapping_fragment direct[MAPPING_FOUND_MAX], found[MAPPING_FOUND_MAX];
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        char names[64] = "", wanted[64];
        size_t count = mapping_opcode_fragments(&opcode, direct);
        for (size_t f = 0, length = 0; f < count; f++)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s ",
                                       mapping_operand_name(direct[f].operand));
        const char *of_instruction = operands[opcode.instruction]; /* NULL of tcgen05.mma */
        if (!of_instruction && count > 0)
            fail_msg("add the operands of %s to this test", opcode.text);
        snprintf(wanted, sizeof wanted, "%s%s", of_instruction ? of_instruction : "",
                 opcode.scale_vector ? "sfa sfb " : "");
        assert_string_equal(names, wanted);
        assert_int_equal(mapping_catalogue_find(opcode.text, found), count);
        for (size_t f = 0; f < count; f++) {
            assert_true(mapping_fragment_equal(&direct[f], &found[f]));
            assert_true(found[f].since >= opcode.since && found[f].ptx >= opcode.ptx);
        }
    }
}

/* Loads and stores are those of wmma; the opcodes that are listed have all others. Those of
 * tcgen05.mma, which do not say M and N, have all of their instruction. */
static void every_fragment_belongs_to_an_opcode(void **state) {
    (void)state;
    static struct mapping_fragment fragments[2000];
    static bool belongs[2000];
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_opcode opcode;
    size_t count = 0;
    for (; mapping_catalogue_at(count, &fragments[count]); count++) {
        const struct mapping_fragment *one = &fragments[count];
        assert_true(count + 1 < sizeof fragments / sizeof *fragments);
        if (!mapping_family(one->instruction)->forms->rows) { /* tcgen05.cp and tcgen05.shift */
            belongs[count] = one->place != MAPPING_IN_REGISTERS;
            continue;
        }
        char text[MAPPING_OPCODE_SIZE];
        snprintf(text, sizeof text, "wmma.%s.%s.sync.aligned.%s.m%un%uk%u.%s",
                 one->operand == MAPPING_D ? "store" : "load", mapping_operand_name(one->operand),
                 one->order == MAPPING_COL_MAJOR ? "col" : "row", one->shape.m, one->shape.n,
                 one->shape.k, mapping_type_name(one->type));
        belongs[count] = one->instruction == MAPPING_WMMA &&
                         mapping_catalogue_find(text, found) == 1 &&
                         mapping_fragment_equal(&found[0], one);
    }
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        size_t operands = mapping_opcode_fragments(&opcode, found);
        for (size_t one = 0; one < count; one++) {
            belongs[one] |= operands == 0 && fragments[one].instruction == opcode.instruction;
            for (size_t f = 0; f < operands; f++)
                belongs[one] |= mapping_fragment_equal(&fragments[one], &found[f]);
        }
    }
    for (size_t one = 0; one < count; one++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&fragments[one], name);
        if (!belongs[one])
            fail_msg("no opcode has %s", name);
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
/* The ISA numbers the columns of A before compression: 4 stored elements come from 8 columns; with
 * 4 bits, 8 from 16. Here, columns number the stored elements. */
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
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        struct mapping_layout layout;
        struct mapping_error error;
        assert_int_equal(mapping_catalogue_find(rules[r].name, found), 1);
        assert_int_equal(mapping_fragment_state(&found[0], &layout, &error), MAPPING_OK);
        uint32_t at =
            layout.to.count - 2; /* the row; in front of it the block, if there are some */
        for (size_t n = 0; n < mapping_layout_entries(&layout); n++) {
            int block, row, col;
            rules[r].rule((int)(n / found[0].elements), (int)(n % found[0].elements), &block, &row,
                          &col);
            assert_int_equal(layout.coordinate[at][n], row);
            assert_int_equal(layout.coordinate[at + 1][n], col);
            assert_int_equal(at ? layout.coordinate[0][n] : 0, block);
        }
        mapping_layout_free(&layout);
    }
}

/* ---- Families ---- */

static bool has_operand_in_catalogue(enum mapping_instruction instruction,
                                     enum mapping_operand operand) {
    struct mapping_fragment fragment;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++)
        if (fragment.instruction == instruction && fragment.operand == operand)
            return true;
    return false;
}

static void check_groups(const struct family *family) {
    assert_non_null(family->groups);
    for (size_t g = 0; g < family->group_count; g++) {
        const struct fragment_group *group = &family->groups[g];
        assert_true(group->since >= 70 && group->ptx >= 60);
        assert_true((group->widths != NULL) == (group->shape.n == 0));
        size_t rows = 0;
        while (rows < FRAGMENT_ROWS_MAX && group->rows[rows].operands)
            rows++;
        assert_in_range(rows, 1, FRAGMENT_ROWS_MAX - 1);
        for (size_t r = 0; r < rows; r++) {
            assert_true(group->rows[r].types != 0);
            assert_non_null(group->rows[r].bases);
        }
    }
}

static void check_forms(const struct family *family) {
    assert_true(family->forms && family->form_count > 0);
    for (size_t f = 0; f < family->form_count; f++) {
        const struct opcode_form *form = &family->forms[f];
        assert_int_equal(form->moved == 0, form->row_count > 0);
        if (form->moved)
            continue;
        if (form->mnemonic)
            assert_memory_equal(form->start, form->mnemonic, strlen(form->mnemonic));
        assert_int_equal(strstr(form->words, "sync+") != NULL,
                         strstr(form->start, ".sync") != NULL);
        assert_int_equal(form->parts[PARTS_MAX - 1], PARTS_END);
        assert_true(form->parts[0] != PARTS_END && form->row_count > 0);
        for (size_t r = 0; r < form->row_count; r++) {
            assert_true(form->rows[r].since >= 70 && form->rows[r].ptx >= 60);
            assert_true(form->rows[r].a != 0);
        }
    }
}

/* How many fragments the rows are: one for each operand, type, order, width and count that they
 * have. Groups of earlier layouts have fragments that others list. */
static size_t count_rows(const struct family *family) {
    size_t count = 0;
    for (size_t g = 0; g < family->group_count; g++) {
        const struct fragment_group *group = &family->groups[g];
        if (group->layouts_until)
            continue;
        size_t widths = group->widths && !family->lists_widest ? group->widths->count : 1;
        size_t counts = group->counts ? group->counts->count : 1;
        for (const struct fragment_row *row = group->rows; row->operands; row++)
            count += (size_t)__builtin_popcount(row->operands) *
                     (size_t)__builtin_popcount(row->types) *
                     (row->orders ? (size_t)__builtin_popcount(row->orders) : 1) * widths * counts;
    }
    return count;
}

static void check_trait(const struct family *family, const char *member, bool is, bool expected) {
    if (is != expected)
        fail_msg("%s: .%s is %d, but by its fragments it is %d", family->name, member, is,
                 expected);
}

static void every_family_has_every_part(void **state) {
    (void)state;
    size_t fragments[MAPPING_INSTRUCTIONS] = {0};
    struct mapping_fragment fragment, same;
    struct mapping_cursor at = {0};
    for (; mapping_catalogue_next(&at, &fragment); fragments[fragment.instruction]++) {
        assert_true(mapping_catalogue_at(at.passed - 1, &same));
        assert_true(mapping_fragment_equal(&same, &fragment));
        assert_ptr_equal(same.bases, fragment.bases);
    }
    assert_false(mapping_catalogue_at(at.passed, &same));
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++) {
        enum mapping_instruction instruction = (enum mapping_instruction)i;
        const struct family *family = mapping_family(instruction);
        assert_non_null(family);
        assert_int_equal(family->instruction, instruction);
        assert_true(family->name && *family->name);
        assert_in_range(family->shape_style, SHAPE_MNK, SHAPE_LANES_ONCE);
        assert_true(family->threads > 0 || family->place == MAPPING_IN_TENSOR_MEMORY);
        assert_int_equal(family->threads % MAPPING_WARP, 0);
        check_groups(family);
        check_forms(family);
        if (count_rows(family) != fragments[i])
            fail_msg("%s: its rows are %zu fragments, %zu are listed", family->name,
                     count_rows(family), fragments[i]);
        /* Traits are those of the fragments. Instructions of one warp have no probe of another. */
        check_trait(family, "is_sparse", family->is_sparse,
                    has_operand_in_catalogue(instruction, MAPPING_E));
        check_trait(family, "reads_shared", family->reads_shared,
                    family->multiplies && !has_operand_in_catalogue(instruction, MAPPING_B));
        check_trait(family, "multiplies", family->multiplies, family->shape_style == SHAPE_MNK);
        check_trait(family, "probe == WMMA_FORM", family->form == WMMA_FORM,
                    instruction == MAPPING_WMMA);
        check_trait(family, "probe == WGMMA_FORM", family->form == WGMMA_FORM,
                    family->threads == 128);
        const struct family *dense = mapping_family(mapping_instruction_dense(instruction));
        assert_false(dense->is_sparse);
        assert_true(dense->threads == family->threads && dense->ctas == family->ctas &&
                    dense->place == family->place && dense->multiplies == family->multiplies);
        assert_int_equal(strncmp(family->name, dense->name, strlen(dense->name)), 0);
        assert_false(family->loads && family->multiplies);
        assert_int_equal(family->ptx_operands != NULL, family->in_registers >> MAPPING_A & 1);
        for (int o = 0; o < MAPPING_OPERANDS && family->place == MAPPING_IN_REGISTERS; o++)
            assert_int_equal(family->in_registers >> o & 1,
                             has_operand_in_catalogue(instruction, (enum mapping_operand)o));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fragment_is_found_by_its_name),
        cmocka_unit_test(what_is_stated_is_a_layout_with_formulae),
        cmocka_unit_test(several_matrices_are_an_axis),
        cmocka_unit_test(bases_of_unknown_letters_are_refused),
        cmocka_unit_test(every_opcode_has_its_operands),
        cmocka_unit_test(every_fragment_belongs_to_an_opcode),
        cmocka_unit_test(the_isa_is_stated_as_it_says),
        cmocka_unit_test(every_family_has_every_part),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
