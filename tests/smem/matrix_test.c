/* matrix_test.c - matrices in memory: the offsets of every notation.
 *
 * Expected values: offsets by hand. matrix.t compares with CUTLASS's headers, and
 * command/smem_matrix.t with the grids of CUTLASS's example 03_visualize_layout. */
#include "catalogue/fragment.h"
#include "layout/cute_layout.h"
#include "smem/matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mapping_smem_matrix make(const char *text, uint32_t bits, uint32_t first,
                                       uint32_t second) {
    const struct mapping_smem_matrix_request request = {
        .text = text, .bits = bits, .extent = {first, second}};
    struct mapping_smem_matrix memory;
    struct mapping_error error = {""};
    if (mapping_smem_matrix_make(&request, &memory, &error) != MAPPING_OK)
        fail_msg("%s: %s", text, error.message);
    return memory;
}

static uint32_t at(const struct mapping_smem_matrix *memory, uint32_t row, uint32_t col) {
    const struct mapping_space *from = &memory->layout.from;
    return memory->layout.coordinate[0][row * from->axis[from->count - 1].size + col];
}

/* ---- CuTe's notation ---- */

static void spellings_are_the_same_layout(void **state) {
    (void)state;
    static const char *const same[][6] = {
        {"(64,64):(64,1)", "(_64,_64):(_64,_1)", " ( 64 , 64 ) : ( 64 , 1 ) ",
         "((8,8),(64,1)):((64,512),(1,0))", "Layout<Shape <_64,_64>,\n\t  Stride<_64, _1>>",
         "cute::Layout<cute::tuple<cute::C<64>, C<64> >, tuple<C<64>, C<1> > >"},
        {"(4,(2,3))", "(4,(2,3)):(1,(4,8))", "Layout<Shape<_4,Shape<_2,_3>>>",
         "Layout<Shape<Int<4>,tuple<_2,_3>>,Stride<_1,Stride<_4,_8>>>", "(4,(2,3)):(_1,(_4,_8))",
         NULL},
        {"Sw<3,3,3> o 0 o (64,64):(64,1)", "Swizzle<3,3,3> o 0 o (64,64):(64,1)",
         "Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)",
         "Sw<3,4,3>_smem_ptr[16b](0x7f5e94000000) o (64,64):(64,1)",
         "ComposedLayout<Swizzle<3,4>,smem_ptr_flag_bits<16>,Layout<tuple<_64,_64>,tuple<_64,_1>>>",
         "ComposedLayout<Swizzle<3,3,3>,_0,Layout<Shape<_64,_64>,Stride<_64,_1>>>"},
        {"Layout_K_SW128_Atom", "GMMA::Layout_K_SW128_Atom<half_t>",
         "cute::SM90::GMMA::Layout_K_SW128_Atom<cutlass::bfloat16_t>",
         "Layout_SW128_Atom<half_t, GMMA::Major::K>", "TensorOpMultiplicand<16,64>",
         "Sw<3,3,3> o _0 o (8,64):(64,1)"},
        {"RowMajor", "cutlass::layout::RowMajor", "PitchLinear", "(16,16):(16,1)",
         "smem_ptr[16b](unset) o (16,16):(16,1)", "smem_ptr_16b(unset) o (16,16):(16,1)"},
    };
    for (size_t s = 0; s < sizeof same / sizeof *same; s++) {
        struct mapping_smem_matrix first = make(same[s][0], 0, 0, 0);
        for (size_t t = 1; t < 6 && same[s][t]; t++) {
            struct mapping_smem_matrix other = make(same[s][t], 0, 0, 0);
            if (!layout_equal(&first.layout, &other.layout))
                fail_msg("%s is not %s", same[s][t], same[s][0]);
            assert_int_equal(other.bits, 16);
            mapping_smem_matrix_free(&other);
        }
        mapping_smem_matrix_free(&first);
    }
}

/* (2,3,2):(3,1,8): rows, columns and stages, of which the space has the stages first. */
static void three_modes_are_rows_columns_stages(void **state) {
    (void)state;
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13};
    struct mapping_smem_matrix memory = make("(2,3,2):(3,1,8)", 8, 0, 0);
    const struct mapping_space from = {
        3, {{MAPPING_AXIS_STAGE, 2}, {MAPPING_AXIS_ROW, 2}, {MAPPING_AXIS_COL, 3}}};
    assert_true(mapping_space_equal(&memory.layout.from, &from));
    assert_int_equal(memory.layout.to.count, 1);
    assert_string_equal(memory.layout.to.axis[0].name, MAPPING_AXIS_OFFSET);
    assert_int_equal(memory.layout.to.axis[0].size, 14);
    assert_memory_equal(memory.layout.coordinate[0], expected, sizeof expected);
    assert_int_equal(memory.bits, 8);
    mapping_smem_matrix_free(&memory);
}

static void one_mode_is_a_row(void **state) {
    (void)state;
    struct mapping_smem_matrix memory = make("(4):(2)", 0, 1, 4);
    assert_int_equal(memory.layout.from.count, 2);
    assert_int_equal(memory.layout.from.axis[0].size, 1);
    assert_int_equal(memory.layout.from.axis[1].size, 4);
    assert_int_equal(at(&memory, 0, 3), 6);
    assert_int_equal(memory.layout.to.axis[0].size, 7);
    mapping_smem_matrix_free(&memory);
}

/* Sw<1,0,2>: bit 2 is exclusive-ored onto bit 0; Sw<1,0,-2>: bit 0 onto bit 2; an offset of 4 comes
 * first. Of 8-bit elements a swizzle of bytes is one of elements, of 32-bit ones two bits lower. */
static void swizzles_move_bits(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t offset[8];
    } cases[] = {
        {"Sw<1,0,2> o 0 o (1,8)", {0, 1, 2, 3, 5, 4, 7, 6}},
        {"Sw<1,0,-2> o 0 o (1,8)", {0, 5, 2, 7, 4, 1, 6, 3}},
        {"Sw<1,0,2> o 4 o (1,8)", {5, 4, 7, 6, 8, 9, 10, 11}},
        {"Sw<0,4,3> o 0 o (1,8)", {0, 1, 2, 3, 4, 5, 6, 7}},
        {"Sw<1,0,2> o smem_ptr[8b](unset) o (1,8)", {0, 1, 2, 3, 5, 4, 7, 6}},
        {"Sw<1,2,2> o smem_ptr[32b](unset) o (1,8)", {0, 1, 2, 3, 5, 4, 7, 6}},
        {"Sw<1,0,1> o smem_ptr[4b](unset) o (1,8)", {0, 1, 2, 3, 6, 7, 4, 5}},
        {"Swizzle<1,0> o 0 o (1,8)", {0, 1, 3, 2, 4, 5, 7, 6}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_smem_matrix memory = make(cases[c].text, 0, 0, 0);
        for (uint32_t n = 0; n < 8; n++)
            if (at(&memory, 0, n) != cases[c].offset[n])
                fail_msg("%s: offset %u is %u", cases[c].text, n, at(&memory, 0, n));
        mapping_smem_matrix_free(&memory);
    }
}

/* ---- Names ---- */

/* The whole tile is there by default, as rows and columns; its bits come from the name. */
static void tiles_are_the_default(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t rows, cols, bits;
    } cases[] = {
        {"RowMajor", 16, 16, 16},
        {"ColumnMajorInterleaved<32>", 16, 32, 16},
        {"RowMajorInterleaved<3>", 18, 16, 16},
        {"TensorOpMultiplicand<16,64>", 8, 64, 16},
        {"TensorOpMultiplicand<16,32>", 8, 32, 16},
        {"TensorOpMultiplicand<1,256>", 16, 256, 1},
        {"TensorOpMultiplicandCongruous<32,32>", 4, 32, 32},
        {"TensorOpMultiplicandCongruous<128,4>", 8, 4, 128},
        {"ColumnMajorTensorOpMultiplicandCrosswise<16,32>", 32, 8, 16},
        {"RowMajorTensorOpMultiplicandCrosswise<16,32>", 8, 32, 16},
        {"TensorOpMultiplicand64bCrosswise", 16, 16, 64},
        {"TensorOpMultiplicandCrosswise128x4", 8, 8, 128},
        {"VoltaTensorOpMultiplicandCongruous<16>", 4, 64, 16},
        {"VoltaTensorOpMultiplicandCrosswise<16,32>", 32, 32, 16},
        {"ColumnMajorVoltaTensorOpMultiplicandBCongruous<16>", 64, 4, 16},
        {"Layout_MN_SW64_Atom", 32, 8, 16},
        {"Layout_K_INTER_Atom<uint8_t>", 8, 16, 8},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_smem_matrix memory = make(cases[c].text, 0, 0, 0);
        assert_int_equal(memory.layout.from.axis[0].size, cases[c].rows);
        assert_int_equal(memory.layout.from.axis[1].size, cases[c].cols);
        assert_int_equal(memory.bits, cases[c].bits);
        mapping_smem_matrix_free(&memory);
    }
}

/* Whatever room there is, as much is printed as fits, and the length is that of all. */
static void printed_layouts_are_cut(void **state) {
    (void)state;
    static const char whole[] = "Sw<3,3,3> o 0 o (64,64):(64,1)",
                      type[] = "ComposedLayout<Swizzle<3,3,3>,_0,Layout<Shape<_64,_64>,"
                               "Stride<_64,_1>>>";
    struct mapping_smem_matrix memory = make(whole, 0, 0, 0);
    const struct mapping_layout *layout = &memory.layout;
    struct mapping_cute cute;
    char text[128];
    assert_true(mapping_cute_find(&layout->from, layout->coordinate[0], &cute));
    mapping_cute_put_stages_last(&layout->from, &cute); /* matrices that do not exist */
    assert_int_equal(mapping_cute_print_type(&cute, text, sizeof text), sizeof type - 1);
    assert_string_equal(text, type);
    for (size_t size = 0; size <= sizeof whole; size++) {
        memset(text, '?', sizeof text);
        assert_int_equal(mapping_cute_print(&cute, text, size), sizeof whole - 1);
        assert_int_equal(text[size], '?');
        size_t length = size < sizeof whole ? size : sizeof whole;
        if (length > 1)
            assert_memory_equal(text, whole, length - 1);
        if (length > 1)
            assert_int_equal(text[length - 1], '\0');
    }
    mapping_smem_matrix_free(&memory);
}

/* Numbers have 32 bits: a stride of 2^31 is possible, twice as much is not. */
static void strides_do_not_wrap(void **state) {
    (void)state;
    static const struct mapping_space pair = {1, {{"x", 2}}}, three = {1, {{"x", 3}}},
                                      point = {.count = 0};
    const uint32_t far[] = {0, 1U << 31}, wrapped[] = {0, 1U << 31, 0};
    struct mapping_cute cute;
    char text[64];
    assert_true(mapping_cute_find(&pair, far, &cute));
    mapping_cute_print(&cute, text, sizeof text);
    assert_string_equal(text, "2:2147483648");
    assert_false(mapping_cute_find(&three, wrapped, &cute));
    assert_true(mapping_cute_find(&point, far, &cute));
    mapping_cute_put_stages_last(&point, &cute);
    assert_int_equal(cute.count, 0);
}

/* ---- Refusals ---- */

static void expect_refusal(const struct mapping_smem_matrix_request *request,
                           const char *sentence) {
    struct mapping_smem_matrix memory;
    struct mapping_error error = {""};
    assert_int_equal(mapping_smem_matrix_make(request, &memory, &error), MAPPING_INVALID);
    if (!strstr(error.message, sentence))
        fail_msg("%s: '%s' does not say '%s'", request->text, error.message, sentence);
    mapping_smem_matrix_free(&memory);
}

/* Refusals that no command line reaches; all others are in tests/cases/memory_refusals.cases. */
static void requests_of_a_program_are_checked(void **state) {
    (void)state;
    static const struct {
        struct mapping_smem_matrix_request request;
        const char *sentence;
    } cases[] = {
        {{.text = NULL},
         "'' is not a valid layout of a matrix in memory; examples: (64,64):(64,1)"},
        {{.text = ""}, "'' is not a valid layout of a matrix in memory; examples: (64,64):(64,1)"},
        {{.text = "mma.m16n8k16.a.f16"}, "is not a valid layout of a matrix in memory"},
        {{.text = "(8,8)", .bits = 129}, "an element must have 1 to 128 bits, not 129"},
        {{.text = "(8,8)", .extent = {8, 0}}, "an extent of 8 x 0 has no elements"},
        {{.text = "Layout_K_SW128_Atom", .bits = 24}, "128 bits, not 24"},
        {{.text = "RowMajor", .bits = 16, .extent = {4294967295, 4294967295}},
         "the limit is 2^20 elements"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        expect_refusal(&cases[c].request, cases[c].sentence);
    assert_false(mapping_smem_matrix_is_meant(NULL));
}

static void names_of_fragments_and_opcodes_are_no_layouts(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    struct mapping_opcode opcode;
    char name[MAPPING_NAME_SIZE];
    size_t index = 0;
    for (; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, name);
        assert_false(mapping_smem_matrix_is_meant(name));
    }
    assert_true(index > 1000);
    for (index = 0; mapping_opcode_at(index, &opcode); index++)
        assert_false(mapping_smem_matrix_is_meant(opcode.text));
    assert_true(index > 1000);
}

/* Appends a piece `times` times. */
static void repeat(char *text, const char *piece, size_t times) {
    for (; times > 0; times--)
        strcat(text, piece);
}

/* 100,000 characters. */
static void long_texts_are_refused(void **state) {
    (void)state;
    static const char *const fronts[] = {"(", "Layout<", "smem_ptr[16b]("};
    static const char *const repeated[] = {
        "(", "((1,",     "cute::",           "Layout<Shape<", "Sw<1,1,1> o ", "(1,",
        "1", "smem_ptr", "Layout<Shape<_1,", "tuple<",        "(2,2),"};
    for (size_t r = 0; r < sizeof repeated / sizeof *repeated; r++)
        for (size_t f = 0; f < sizeof fronts / sizeof *fronts; f++) {
            char *text = calloc(1, 100064);
            assert_non_null(text);
            size_t length = (size_t)sprintf(text, "%s", fronts[f]), piece = strlen(repeated[r]);
            for (; length + piece < 100000; length += piece)
                memcpy(text + length, repeated[r], piece);
            expect_refusal(&(struct mapping_smem_matrix_request){.text = text}, "");
            free(text);
        }
}

/* 1 to 31 modes, all in 7 pairs of parentheses but the last, which is in 0 to 7. */
static void nesting_has_a_limit(void **state) {
    (void)state;
    bool was_too_long = false;
    for (size_t mode = 5; mode < 32; mode++)
        for (size_t depth = 0; depth < 8; depth++) {
            char text[1024] = "(";
            for (size_t m = 0; m < mode; m++) {
                size_t around = m + 1 < mode ? 7 : depth;
                strcat(text, m > 0 ? "," : "");
                repeat(text, "(", around);
                strcat(text, "1");
                repeat(text, ")", around);
            }
            strcat(text, ")");
            /* the kept form of the shape: the parentheses of each mode, and the text before it */
            bool is_too_long = 15 * (mode - 1) + 1 + 2 * depth + 1 > 8 * 32 - 1;
            expect_refusal(&(struct mapping_smem_matrix_request){.text = text},
                           is_too_long ? "too many parentheses" : "too many modes");
            was_too_long = was_too_long || is_too_long;
        }
    assert_true(was_too_long);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings_are_the_same_layout),
        cmocka_unit_test(three_modes_are_rows_columns_stages),
        cmocka_unit_test(one_mode_is_a_row),
        cmocka_unit_test(swizzles_move_bits),
        cmocka_unit_test(tiles_are_the_default),
        cmocka_unit_test(printed_layouts_are_cut),
        cmocka_unit_test(strides_do_not_wrap),
        cmocka_unit_test(requests_of_a_program_are_checked),
        cmocka_unit_test(names_of_fragments_and_opcodes_are_no_layouts),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(nesting_has_a_limit),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
