/* memory_test.c - matrices in memory: every notation gives the offsets that it should.
 *
 * Expected offsets are written out by hand, or are those of the grids that CUTLASS's example
 * 03_visualize_layout prints; memory_headers.py compares with CUTLASS's headers. */
#include "layout/cute.h"
#include "layout/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct mapping_memory make(const char *text, uint32_t bits, uint32_t first,
                                  uint32_t second) {
    const struct mapping_memory_request request = {
        .text = text, .bits = bits, .extent = {first, second}};
    struct mapping_memory memory;
    struct mapping_error error = {""};
    if (mapping_memory_make(&request, &memory, &error) != MAPPING_OK)
        fail_msg("%s: %s", text, error.message);
    return memory;
}

static uint32_t at(const struct mapping_memory *memory, uint32_t row, uint32_t col) {
    const struct mapping_space *from = &memory->layout.from;
    return memory->layout.coordinate[0][row * from->axis[from->count - 1].size + col];
}

/* ---- CuTe's notation ---- */

static void spellings_are_the_same_layout(void **state) {
    (void)state;
    static const char *const same[][6] = {
        {"(64,64):(64,1)", "(_64,_64):(_64,_1)", " ( 64 , 64 ) : ( 64 , 1 ) ",
         "((8,8),(64,1)):((64,512),(1,0))", "Layout<Shape<_64,_64>,Stride<_64,_1>>",
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
        struct mapping_memory first = make(same[s][0], 0, 0, 0);
        for (size_t t = 1; t < 6 && same[s][t]; t++) {
            struct mapping_memory other = make(same[s][t], 0, 0, 0);
            if (!mapping_layout_equal(&first.layout, &other.layout))
                fail_msg("%s is not %s", same[s][t], same[s][0]);
            assert_int_equal(other.bits, 16);
            mapping_memory_free(&other);
        }
        mapping_memory_free(&first);
    }
}

/* (2,3,2):(3,1,8): rows, columns and stages, of which the space has the stages first. */
static void three_modes_are_rows_columns_stages(void **state) {
    (void)state;
    static const uint32_t expected[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13};
    struct mapping_memory memory = make("(2,3,2):(3,1,8)", 8, 0, 0);
    const struct mapping_space from = {
        3, {{MAPPING_AXIS_STAGE, 2}, {MAPPING_AXIS_ROW, 2}, {MAPPING_AXIS_COL, 3}}};
    assert_true(mapping_space_equal(&memory.layout.from, &from));
    assert_int_equal(memory.layout.to.count, 1);
    assert_string_equal(memory.layout.to.axis[0].name, MAPPING_AXIS_OFFSET);
    assert_int_equal(memory.layout.to.axis[0].size, 14);
    assert_memory_equal(memory.layout.coordinate[0], expected, sizeof expected);
    assert_int_equal(memory.bits, 8);
    mapping_memory_free(&memory);
}

static void one_mode_is_a_row(void **state) {
    (void)state;
    struct mapping_memory memory = make("(4):(2)", 0, 1, 4);
    assert_int_equal(memory.layout.from.count, 2);
    assert_int_equal(memory.layout.from.axis[0].size, 1);
    assert_int_equal(memory.layout.from.axis[1].size, 4);
    assert_int_equal(at(&memory, 0, 3), 6);
    assert_int_equal(memory.layout.to.axis[0].size, 7);
    mapping_memory_free(&memory);
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
        struct mapping_memory memory = make(cases[c].text, 0, 0, 0);
        for (uint32_t n = 0; n < 8; n++)
            if (at(&memory, 0, n) != cases[c].offset[n])
                fail_msg("%s: offset %u is %u", cases[c].text, n, at(&memory, 0, n));
        mapping_memory_free(&memory);
    }
}

/* ---- CUTLASS 2 ---- */

/* What CUTLASS's example 03_visualize_layout prints with --vectorize=8 --output-shape=64,4, as
 * public notes on the TensorOpMultiplicand layouts quote it ("Using CUTLASS's matrix
 * multiplication", in Chinese): which 8 elements, from (contiguous, strided) on, lie at offsets 0,
 * 8, 16, ... */
static const char lines_of_32[] = "0,0 8,0 16,0 24,0 0,1 8,1 16,1 24,1 "
                                  "8,2 0,2 24,2 16,2 8,3 0,3 24,3 16,3 "
                                  "16,4 24,4 0,4 8,4 16,5 24,5 0,5 8,5 "
                                  "24,6 16,6 8,6 0,6 24,7 16,7 8,7 0,7 "
                                  "0,8 8,8 16,8 24,8 0,9 8,9 16,9 24,9 "
                                  "8,10 0,10 24,10 16,10 8,11 0,11 24,11 16,11 "
                                  "16,12 24,12 0,12 8,12 16,13 24,13 0,13 8,13 "
                                  "24,14 16,14 8,14 0,14 24,15 16,15 8,15 0,15 "
                                  "0,16 8,16 16,16 24,16 0,17 8,17 16,17 24,17 "
                                  "8,18 0,18 24,18 16,18 8,19 0,19 24,19 16,19 "
                                  "16,20 24,20 0,20 8,20 16,21 24,21 0,21 8,21 "
                                  "24,22 16,22 8,22 0,22 24,23 16,23 8,23 0,23 "
                                  "0,24 8,24 16,24 24,24 0,25 8,25 16,25 24,25 "
                                  "8,26 0,26 24,26 16,26 8,27 0,27 24,27 16,27 "
                                  "16,28 24,28 0,28 8,28 16,29 24,29 0,29 8,29 "
                                  "24,30 16,30 8,30 0,30 24,31 16,31 8,31 0,31";

static const char lines_of_64[] = "0,0 8,0 16,0 24,0 32,0 40,0 48,0 56,0 "
                                  "8,1 0,1 24,1 16,1 40,1 32,1 56,1 48,1 "
                                  "16,2 24,2 0,2 8,2 48,2 56,2 32,2 40,2 "
                                  "24,3 16,3 8,3 0,3 56,3 48,3 40,3 32,3 "
                                  "32,4 40,4 48,4 56,4 0,4 8,4 16,4 24,4 "
                                  "40,5 32,5 56,5 48,5 8,5 0,5 24,5 16,5 "
                                  "48,6 56,6 32,6 40,6 16,6 24,6 0,6 8,6 "
                                  "56,7 48,7 40,7 32,7 24,7 16,7 8,7 0,7 "
                                  "0,8 8,8 16,8 24,8 32,8 40,8 48,8 56,8 "
                                  "8,9 0,9 24,9 16,9 40,9 32,9 56,9 48,9 "
                                  "16,10 24,10 0,10 8,10 48,10 56,10 32,10 40,10 "
                                  "24,11 16,11 8,11 0,11 56,11 48,11 40,11 32,11 "
                                  "32,12 40,12 48,12 56,12 0,12 8,12 16,12 24,12 "
                                  "40,13 32,13 56,13 48,13 8,13 0,13 24,13 16,13 "
                                  "48,14 56,14 32,14 40,14 16,14 24,14 0,14 8,14 "
                                  "56,15 48,15 40,15 32,15 24,15 16,15 8,15 0,15";

static const char many_lines_of_32[] = "0,0 8,0 16,0 24,0 0,1 8,1 16,1 24,1 "
                                       "8,2 0,2 24,2 16,2 8,3 0,3 24,3 16,3 "
                                       "16,4 24,4 0,4 8,4 16,5 24,5 0,5 8,5 "
                                       "24,6 16,6 8,6 0,6 24,7 16,7 8,7 0,7 "
                                       "0,8 8,8 16,8 24,8 0,9 8,9 16,9 24,9 "
                                       "8,10 0,10 24,10 16,10 8,11 0,11 24,11 16,11 "
                                       "16,12 24,12 0,12 8,12 16,13 24,13 0,13 8,13 "
                                       "24,14 16,14 8,14 0,14 24,15 16,15 8,15 0,15 "
                                       "0,16 8,16 16,16 24,16 0,17 8,17 16,17 24,17 "
                                       "8,18 0,18 24,18 16,18 8,19 0,19 24,19 16,19 "
                                       "16,20 24,20 0,20 8,20 16,21 24,21 0,21 8,21 "
                                       "24,22 16,22 8,22 0,22 24,23 16,23 8,23 0,23 "
                                       "0,24 8,24 16,24 24,24 0,25 8,25 16,25 24,25 "
                                       "8,26 0,26 24,26 16,26 8,27 0,27 24,27 16,27 "
                                       "16,28 24,28 0,28 8,28 16,29 24,29 0,29 8,29 "
                                       "24,30 16,30 8,30 0,30 24,31 16,31 8,31 0,31 "
                                       "0,32 8,32 16,32 24,32 0,33 8,33 16,33 24,33 "
                                       "8,34 0,34 24,34 16,34 8,35 0,35 24,35 16,35 "
                                       "16,36 24,36 0,36 8,36 16,37 24,37 0,37 8,37 "
                                       "24,38 16,38 8,38 0,38 24,39 16,39 8,39 0,39 "
                                       "0,40 8,40 16,40 24,40 0,41 8,41 16,41 24,41 "
                                       "8,42 0,42 24,42 16,42 8,43 0,43 24,43 16,43 "
                                       "16,44 24,44 0,44 8,44 16,45 24,45 0,45 8,45 "
                                       "24,46 16,46 8,46 0,46 24,47 16,47 8,47 0,47 "
                                       "0,48 8,48 16,48 24,48 0,49 8,49 16,49 24,49 "
                                       "8,50 0,50 24,50 16,50 8,51 0,51 24,51 16,51 "
                                       "16,52 24,52 0,52 8,52 16,53 24,53 0,53 8,53 "
                                       "24,54 16,54 8,54 0,54 24,55 16,55 8,55 0,55 "
                                       "0,56 8,56 16,56 24,56 0,57 8,57 16,57 24,57 "
                                       "8,58 0,58 24,58 16,58 8,59 0,59 24,59 16,59 "
                                       "16,60 24,60 0,60 8,60 16,61 24,61 0,61 8,61";

/* Of one grid the last line is missing there. */
static void check_grid(const char *text, uint32_t contiguous, uint32_t strided, uint32_t missing,
                       const char *grid) {
    struct mapping_memory memory = make(text, 0, contiguous, strided);
    uint32_t count = 0;
    for (char *next = NULL; *grid; grid = next + strspn(next, " "), count += 8) {
        uint32_t c = (uint32_t)strtoul(grid, &next, 10);
        uint32_t s = (uint32_t)strtoul(next + 1, &next, 10);
        for (uint32_t n = 0; n < 8; n++)
            assert_int_equal(at(&memory, s, c + n), count + n);
    }
    assert_int_equal(memory.layout.to.axis[0].size, contiguous * strided);
    mapping_memory_free(&memory);
    assert_int_equal(count, contiguous * strided - missing);
}

static void multiplicands_are_those_of_the_example(void **state) {
    (void)state;
    check_grid("TensorOpMultiplicand<16,32>", 32, 32, 0, lines_of_32);
    check_grid("TensorOpMultiplicand<16,64>", 64, 16, 0, lines_of_64);
    check_grid("cutlass::layout::TensorOpMultiplicand<16, 32>", 32, 64, 64, many_lines_of_32);
}

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
        struct mapping_memory memory = make(cases[c].text, 0, 0, 0);
        assert_int_equal(memory.layout.from.axis[0].size, cases[c].rows);
        assert_int_equal(memory.layout.from.axis[1].size, cases[c].cols);
        assert_int_equal(memory.bits, cases[c].bits);
        mapping_memory_free(&memory);
    }
}

/* Of an atom's 128 bytes: how many elements of each type. */
static void types_have_their_bits(void **state) {
    (void)state;
    static const struct {
        const char *types;
        uint32_t bits;
    } cases[] = {
        {"uint1b_t bin1_t", 1},
        {"int4b_t uint4_t float_e2m1_t", 4},
        {"int8_t uint8_t float_e4m3_t float_e5m2_t float_ue8m0_t", 8},
        {"half_t bfloat16_t __half __nv_bfloat16 uint16_t", 16},
        {"float tf32_t tfloat32_t int32_t", 32},
        {"double int64_t", 64},
        {"uint128_t", 128},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (const char *type = cases[c].types; *type; type += strspn(type, " ")) {
            char text[64];
            size_t length = strcspn(type, " ");
            snprintf(text, sizeof text, "Layout_K_SW128_Atom<%.*s>", (int)length, type);
            struct mapping_memory memory = make(text, 0, 0, 0);
            assert_int_equal(memory.bits, cases[c].bits);
            assert_int_equal(memory.layout.from.axis[1].size, 1024 / cases[c].bits);
            mapping_memory_free(&memory);
            type += length;
        }
}

/* RowMajorInterleaved<4>: 4 rows alternate; its extent is (rows, columns), as that of RowMajor. */
static void rows_and_columns_are_where_they_should_be(void **state) {
    (void)state;
    struct mapping_memory memory = make("RowMajorInterleaved<4>", 0, 8, 3);
    assert_int_equal(at(&memory, 1, 2), 2 * 4 + 1);
    assert_int_equal(at(&memory, 6, 1), 3 * 4 + 1 * 4 + 2);
    mapping_memory_free(&memory);
    memory = make("ColumnMajor", 8, 5, 3);
    assert_int_equal(at(&memory, 4, 2), 14);
    mapping_memory_free(&memory);
    memory = make("PitchLinear", 8, 5, 3); /* 5 contiguous, 3 strided */
    assert_int_equal(memory.layout.from.axis[0].size, 3);
    assert_int_equal(at(&memory, 2, 4), 14);
    mapping_memory_free(&memory);
}

/* Whatever room there is, as much is printed as fits, and the length is that of all. */
static void printed_layouts_are_cut(void **state) {
    (void)state;
    static const char whole[] = "Sw<3,3,3> o 0 o (64,64):(64,1)",
                      type[] = "ComposedLayout<Swizzle<3,3,3>,_0,Layout<Shape<_64,_64>,"
                               "Stride<_64,_1>>>";
    struct mapping_memory memory = make(whole, 0, 0, 0);
    const struct mapping_layout *layout = &memory.layout;
    struct mapping_cute cute;
    char text[128];
    assert_true(mapping_cute_find(&layout->from, layout->coordinate[0], &cute));
    mapping_cute_put_stages_last(&layout->from, &cute); /* of which there are none */
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
    mapping_memory_free(&memory);
}

/* Numbers have 32 bits: a stride of 2^31 is one of them, twice as much is none. */
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

static void expect_refusal(const struct mapping_memory_request *request, const char *sentence) {
    struct mapping_memory memory;
    struct mapping_error error = {""};
    assert_int_equal(mapping_memory_make(request, &memory, &error), MAPPING_INVALID);
    if (!strstr(error.message, sentence))
        fail_msg("%s: '%s' does not say '%s'", request->text, error.message, sentence);
    mapping_memory_free(&memory);
}

/* Refusals that no command line reaches; all others are in tests/cases/memory_refusals.cases. */
static void requests_of_a_program_are_checked(void **state) {
    (void)state;
    static const struct {
        struct mapping_memory_request request;
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
    assert_false(mapping_memory_is_meant(NULL));
}

static void names_of_fragments_and_opcodes_are_no_layouts(void **state) {
    (void)state;
    struct mapping_fragment fragment;
    struct mapping_opcode opcode;
    char name[MAPPING_NAME_SIZE];
    size_t index = 0;
    for (; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, name);
        assert_false(mapping_memory_is_meant(name));
    }
    assert_true(index > 1000);
    for (index = 0; mapping_opcode_at(index, &opcode); index++)
        assert_false(mapping_memory_is_meant(opcode.text));
    assert_true(index > 1000);
}

/* Appends a piece `times` times. */
static void repeat(char *text, const char *piece, size_t times) {
    for (; times > 0; times--)
        strcat(text, piece);
}

/* 100,000 characters, and Layout<Shape<1,1,...>,1> of all lengths around the longest that is
 * translated. */
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
            expect_refusal(&(struct mapping_memory_request){.text = text}, "");
            free(text);
        }
    for (size_t length = 500; length < 530; length++)
        for (size_t comma = 0; comma < 2; comma++) {
            char text[2048] = "Layout<Shape<";
            repeat(text, "1", comma + 1);
            repeat(text, ",1", length / 2);
            repeat(text, "1", length % 2);
            strcat(text, ">,1>");
            expect_refusal(&(struct mapping_memory_request){.text = text}, "");
        }
}

/* 1 to 31 modes, all in 7 pairs of parentheses but the last, which is in 0 to 7. */
static void nesting_has_a_limit(void **state) {
    (void)state;
    bool was_too_long = false;
    for (size_t mode = 4; mode < 32; mode++)
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
            /* what is kept of the shape: each mode's parentheses, and what stands before it */
            bool is_too_long = 15 * (mode - 1) + 1 + 2 * depth + 1 > 8 * 32 - 1;
            expect_refusal(&(struct mapping_memory_request){.text = text},
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
        cmocka_unit_test(multiplicands_are_those_of_the_example),
        cmocka_unit_test(tiles_are_the_default),
        cmocka_unit_test(types_have_their_bits),
        cmocka_unit_test(rows_and_columns_are_where_they_should_be),
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
