/* name_test.c - the kinds of names, the fragments that patterns select, the architecture that shows
 * a name, the matrix that a name describes, and that an opcode of PTX is read once for each name.
 *
 * Expected values: kinds by the definitions in name.h, of names from the PTX ISA, mma.h, CUTLASS
 * and cuobjdump; patterns by fnmatch on every name of the catalogue; architectures from the PTX
 * ISA; offsets of matrices by hand. */
#include "command/resolve.h"
#include "command/unknown.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- Kinds ---- */

static const struct {
    const char *text;
    enum name_kind kind;
    size_t fragments, operands;
    bool is_sass, is_translated;
} kinds[] = {
    {"mma.m16n8k16.d.f32", NAME_FRAGMENT, 1, 0, false, false},
    {" MMA.m16n8k16.d.f32 ", NAME_FRAGMENT, 1, 0, false, false},
    {"fragment<matrix_a, 16, 16, 16, half, row_major> *", NAME_UNKNOWN, 0, 0, false, false},
    {"fragment<matrix_a, 16, 16, 16, half, row_major> a;", NAME_FRAGMENT, 1, 0, false, false},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", NAME_OPCODE, 4, 0, false, false},
    {"asm(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
     "{%8,%9}, {%0,%1,%2,%3};\"",
     NAME_OPCODE, 4, 4, false, false},
    {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];", NAME_OPCODE, 2, 2, false,
     false},
    {"SM80_16x8x16_F32F16F16F32_TN", NAME_ATOM, 4, 0, false, true},
    {"warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))", NAME_ATOM, 4, 0, false,
     true},
    {"mma.m16n8k16", NAME_PARTIAL, 0, 0, false, false},
    {"m16n8k16", NAME_PARTIAL, 0, 0, false, false},
    {"mma.m16n8k16.*", NAME_PATTERN, 0, 0, false, false},
    {"nothing.*", NAME_PATTERN, 0, 0, false, false},
    {"@!P0 HMMA.16816.F32 R4, R8, R16, R4 ;", NAME_SASS, 0, 4, true, true},
    {"UTCCP.T.S tmem[UR9], gdesc[UR16]", NAME_OPCODE, 1, 2, true, true},
    {"HMMA.16817.F32", NAME_OTHER_SASS, 0, 0, true, true},
    {"FFMA R0, R1, R2, R3", NAME_OTHER_SASS, 0, 4, true, true},
    {"MOVM.U4TO8.M832 R4, R5", NAME_OTHER_SASS, 0, 2, true, true},
    {"(64,64):(64,1)", NAME_MATRIX, 0, 0, false, false},
    {"hmma.16816.f32", NAME_UNKNOWN, 0, 0, false, false},
    {"m16n8k17", NAME_UNKNOWN, 0, 0, false, false},
    {"", NAME_UNKNOWN, 0, 0, false, false},
};

static void the_form_of_a_name_is_its_kind(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct name *name = name_read(kinds[k].text);
        if (name->kind != kinds[k].kind || name->operand_count != kinds[k].operands)
            fail_msg("'%s' has kind %d and %zu operands", kinds[k].text, (int)name->kind,
                     name->operand_count);
        if (name->kind <= NAME_ATOM && name->read.count != kinds[k].fragments)
            fail_msg("'%s' has %zu fragments", kinds[k].text, name->read.count);
        assert_int_equal(name->is_sass, kinds[k].is_sass);
        assert_int_equal(name->is_translated, kinds[k].is_translated);
        assert_int_equal(name->match_count > 0,
                         name->kind == NAME_PARTIAL || strcmp(name->name, "mma.m16n8k16.*") == 0);
        assert_int_equal(name->row_count > 0, name->kind == NAME_SASS);
    }
}

static void names_that_select_nothing_are_refused(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct mapping_error error = {""};
        const enum mapping_status expected =
            kinds[k].kind >= NAME_OTHER_SASS ? MAPPING_INVALID : MAPPING_OK;
        struct name *name = name_read(kinds[k].text);
        assert_int_equal(refuse(name, 0, &error), expected);
        assert_int_equal(refuse(name, 0, NULL), expected);
        assert_int_equal(*error.message != '\0', expected != MAPPING_OK);
        assert_null(strchr(error.message, '{')); /* no value is left out */
    }
}

/* ---- Patterns ---- */

static void patterns_select_the_names_that_match(void **state) {
    static const char *const patterns[] = {
        "*",           "mma.m16n8k16.*", "[mw]*.d.f32",    "w*",    "wgmma.m64n24*",
        "*.a.e?m*",    "mma.*.d.f3[12]", "mm\\a.m8n8k4.*", "?ma.*", "tcgen05.mma.m128n*.d.*",
        "mma?m8n8k4*", "*n8k16.d.f32",   "tcgen05.*.x2*",  "mma*",  "mma.sp.*.e.*"};
    (void)state;
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        const struct name *name = name_read(patterns[p]);
        struct mapping_fragment listed, one;
        char own[MAPPING_NAME_SIZE];
        size_t count = 0;
        for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &listed);) {
            const size_t before = count;
            for (size_t w = 0; count == before || w > 0; w++) {
                /* The listed width stands for all; else each of the others may match. */
                const bool is_there =
                    w == 0 ? (one = listed, true) : mapping_fragment_at_width(&listed, w - 1, &one);
                if (!is_there)
                    break;
                mapping_fragment_name(&one, own);
                if (fnmatch(patterns[p], own, 0) != 0)
                    continue;
                assert_true(count < name->match_count);
                assert_true(mapping_fragment_equal(&name->matches[count].fragment, &one));
                assert_int_equal(name->matches[count++].index, at.passed - 1);
                if (w == 0)
                    break;
            }
        }
        assert_int_equal(count, name->match_count);
        assert_true(count > 0);
    }
    assert_int_equal(name_all()->match_count, name_read("*")->match_count);
}

/* ---- SASS ---- */

static void each_opcode_is_read_once(void **state) {
    struct name *name = name_read("HMMA.16816.F32 R4, R8, R16, R4");
    struct resolution first, again;
    (void)state;
    resolve_opcodes(name, 80, &first);
    resolve_opcodes(name, 86, &again);
    assert_int_equal(first.opcode_count, 1);
    assert_int_equal(again.opcode_count, 1);
    assert_false(first.is_part);
    assert_string_equal(first.opcodes->text, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    assert_ptr_equal(first.opcodes->read, again.opcodes->read);
    assert_int_equal(first.opcodes->read->count, 4);
    resolve_opcodes(name, 75, &again); /* sm_75 has only m16n8k8 */
    assert_int_equal(again.opcode_count, 0);
}

/* The orders of A and B in a step of Volta's product are those of the PTX opcode. */
static void a_step_is_of_one_pair_of_orders(void **state) {
    struct resolution found;
    (void)state;
    resolve_opcodes(name_read("HMMA.884.F32.F32.STEP2 R12, R4.ROW, R6.COL, R12"), 70, &found);
    assert_true(found.opcode_count > 0 && found.is_part);
    for (size_t o = 0; o < found.opcode_count; o++)
        assert_non_null(strstr(found.opcodes[o].text, ".row.col."));
}

/* ---- Matrices in shared memory ---- */

static void a_name_is_fragments_or_a_matrix(void **state) {
    static const struct {
        const char *text;
        uint32_t types;
        enum mapping_status status;
        uint32_t bits;    /* 0: fragments */
        const char *type; /* of the request */
    } names[] = {
        {"mma.m16n8k16.d.f32", 0, MAPPING_OK, 0, NULL},
        {"(8,16):(24,1)", 0, MAPPING_OK, 16, NULL},
        {"(8,16):(24,1)", 1 << MAPPING_F32, MAPPING_OK, 32, "f32"},
        {"(8,16):(24,1)", 1 << MAPPING_F16 | 1 << MAPPING_BF16, MAPPING_OK, 16, NULL},
        {"(8,16):(24,1)", 1 << MAPPING_F16 | 1 << MAPPING_F32, MAPPING_INVALID, 0, NULL},
        {"(8,16):(1,1)", 0, MAPPING_INVALID, 0, NULL}, /* two elements at one offset */
    };
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const struct request limits = {.types = names[n].types, .type_name = "TYPE"};
        struct mapping_error error = {""};
        struct resolution found;
        assert_int_equal(resolve(name_read(names[n].text), 80, &limits, &found, &error),
                         names[n].status);
        assert_int_equal(*error.message != '\0', names[n].status != MAPPING_OK);
        if (names[n].bits == 0) {
            assert_int_equal(!found.matrix, names[n].status == MAPPING_OK);
            continue;
        }
        assert_int_equal(found.count, 0);
        assert_int_equal(found.matrix->bits, names[n].bits);
        assert_int_equal(found.matrix->layout.coordinate[0][3 * 16 + 5], 3 * 24 + 5);
        assert_int_equal(!found.matrix_type, !names[n].type);
        if (names[n].type)
            assert_string_equal(found.matrix_type, names[n].type);
    }
}

/* ---- Architectures ---- */

static void a_name_raises_the_architecture(void **state) {
    static const struct {
        const char *text;
        unsigned at_least, expected;
    } names[] = {{"mma.m16n8k16.d.f32", 80, 80},   {"mma.m16n8k16.d.f32", 89, 89},
                 {"wgmma.m64n8k16.d.f32", 80, 90}, {"wgmma.*", 80, 90},
                 {"wgmma.m64n8k16", 80, 90},       {"tcgen05.mma.m128n256k16.d.f32", 80, 100},
                 {"HGMMA.64x8x16.F32", 80, 90},    {"HMMA.884.F32.F32.STEP2", 80, 70}};
    const struct request any = {.type_name = ""};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        assert_int_equal(resolve_arch(name_read(names[n].text), &any, names[n].at_least),
                         names[n].expected);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_of_a_name_is_its_kind),
        cmocka_unit_test(names_that_select_nothing_are_refused),
        cmocka_unit_test(patterns_select_the_names_that_match),
        cmocka_unit_test(each_opcode_is_read_once),
        cmocka_unit_test(a_step_is_of_one_pair_of_orders),
        cmocka_unit_test(a_name_is_fragments_or_a_matrix),
        cmocka_unit_test(a_name_raises_the_architecture),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena_begin();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    memory_release();
    return failed;
}
