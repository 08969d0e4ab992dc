/* memory_refusals_test.c - texts that are no layout of a matrix in memory, and layouts that none
 * can have, are refused with the numbers that say why; what is another subject is left to others.
 *
 * Expected sentences are written out by hand. */
#include "layout/memory.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- What is refused ---- */

static void what_is_wrong_is_refused_with_its_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t bits, extent[2];
        const char *sentence;
    } cases[] = {
        {"", 0, {0, 0}, "'' is no layout of a matrix in memory; one is (64,64):(64,1)"},
        {"mma.m16n8k16.a.f16", 0, {0, 0}, "is no layout of a matrix in memory"},
        {"(64,64):(0,1)", 0, {0, 0}, "elements (0, 0) and (1, 0) both lie at offset 0"},
        {"(2,2,2):(1,2,1)", 0, {0, 0}, "elements (0, 1, 0) and (1, 0, 0) (stage, row, column)"},
        {"Sw<3,3,3> o 0 o (8,8):(8,1)",
         0,
         {0, 0},
         "takes bits up to bit 8, but the largest offset of the layout, 63, has no bit above bit "
         "5"},
        {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,8):(8,1)",
         0,
         {0, 0},
         "Sw<3,3,3> of element offsets takes bits up to bit 8"},
        {"Sw<1,0,-3> o 0 o (2,4)", 0, {0, 0}, "bit 3, but the largest offset of the layout, 7"},
        {"Sw<3,3,2> o 0 o (64,64)",
         0,
         {0, 0},
         "the shift, 2, has to be at least the number of bits, 3"},
        {"Sw<9,9,31> o 0 o (64,64)", 0, {0, 0}, "Sw<9,9,31> reaches beyond the 31 bits"},
        {"Sw<31,0,31> o 0 o (64,64)", 0, {0, 0}, "reaches beyond"},
        {"Sw<1,1,99999999> o 0 o (64,64)", 0, {0, 0}, "reaches beyond"},
        {"Sw<1,30,1> o 0 o (64,64)", 0, {0, 0}, "Sw<1,30,1> reaches beyond"},
        {"Sw<1,29,1> o 0 o (64,64)", 0, {0, 0}, "takes bits up to bit 30"},
        {"Sw<1,3,3> o smem_ptr[128b](unset) o (64,64)",
         0,
         {0, 0},
         "moves 64 bits at a time, which tears elements of 128 bits apart"},
        {"Sw<1,3,3> o smem_ptr[6b](unset) o (64,64)", 0, {0, 0}, "not of 6"},
        {"Sw<3,3", 0, {0, 0}, "a swizzle is not closed at its end"},
        {"Sw<,3,3> o 0 o (8,8)",
         0,
         {0, 0},
         "the bits of a swizzle are missing at character 4, ',3,3> o"},
        {"Sw<3,3,x> o 0 o (8,8)", 0, {0, 0}, "the shift of a swizzle is missing at character 8"},
        {"Sw<3,3,3> 0 o (8,8)", 0, {0, 0}, "' o ' is missing"},
        {"Sw<3,3,3> o 4 (8,8)", 0, {0, 0}, "something follows at character 15, '(8,8)'"},
        {"Sw<3,3,3>_(64,64)", 0, {0, 0}, "' o ' is missing"},
        {"Sw<3,3,3> o -1 o (64,64)", 0, {0, 0}, "a number is missing at character 13"},
        {"Sw<3,3,3> o 99999999999 o (64,64)", 0, {0, 0}, "a number is 2^31 or more"},
        {"smem_ptr[16b] o (8,8)", 0, {0, 0}, "an address in parentheses is missing"},
        {"smem_ptr[16b](unset o (8,8)", 0, {0, 0}, "an address in parentheses is missing"},
        {"smem_ptr[](unset) o (8,8)", 0, {0, 0}, "no [16b] at character 9"},
        {"smem_ptr[129b](unset) o (8,8)", 0, {0, 0}, "an element has no 1 to 128 bits"},
        {"smem_ptr[0b](unset) o (8,8)", 0, {0, 0}, "an element has no 1 to 128 bits"},
        {"smem_ptr[16b](unset) (8,8)", 0, {0, 0}, "' o ' is missing at character 22"},
        {"smem_ptr[16b](unset) o (8,8)", 8, {0, 0}, "has elements of 16 bits, but 8 are asked for"},
        {"(8,8)", 129, {0, 0}, "an element has 1 to 128 bits, not 129"},
        {"(8,8)", 0, {8, 4}, "an extent of its own, 8 x 8, which is not 8 x 4"},
        {"(8,8)", 0, {8, 0}, "an extent of 8 x 0 has no elements"},
        {"(64,64):(64,1)x", 0, {0, 0}, "something follows at character 15, 'x'"},
        {"(64,64):(64)", 0, {0, 0}, "the strides are not nested as the shape is at character 9"},
        {"((8,8),64):(64,(1,1))", 0, {0, 0}, "the strides are not nested"},
        {"(64,64):", 0, {0, 0}, "a number is missing at its end"},
        {"(64,64", 0, {0, 0}, "a parenthesis is not closed at its end"},
        {"(64,,64)", 0, {0, 0}, "a number is missing at character 5, ',64)'"},
        {"(64,0)", 0, {0, 0}, "a mode has size 0"},
        {"(2,2,2,2)", 0, {0, 0}, "there are too many modes"},
        {"(2048,1024)", 0, {0, 0}, "more than 2^20 elements"},
        {"(99999999,99999999)", 0, {0, 0}, "more than 2^20 elements"},
        {"(4000000000,1)", 0, {0, 0}, "a number is 2^31 or more at character 2"},
        {"(1,2):(0,2147483648)", 0, {0, 0}, "a number is 2^31 or more at character 10"},
        {"(1,3):(0,2147483647)",
         0,
         {0, 0},
         "the largest offset is 4294967294, which is 2^31 or more"},
        {"(1,23):(1,97612894)",
         0,
         {0, 0},
         "the largest offset is 2147483668, which is 2^31 or more"},
        {"(1,64):(1,99999999)",
         0,
         {0, 0},
         "the largest offset is 6299999937, which is 2^31 or more"},
        {"Layout<Shape<_64,_64>,Stride<_64,_1>", 0, {0, 0}, "a '>' is missing at its end"},
        {"Layout<Shape<_64,X>>", 0, {0, 0}, "a shape is malformed at character 18, 'X>>'"},
        {"Layout<Shape<_8,_8>,Stride<_8>>", 0, {0, 0}, "the strides are not nested"},
        {"ComposedLayout<Swizzle<3,3,3>,Layout<Shape<_8,_8>>>",
         0,
         {0, 0},
         "an offset is missing at character 31"},
        {"ComposedLayout<Shape<_8>>", 0, {0, 0}, "Swizzle<B,M,S> is missing"},
        {"ComposedLayout<Swizzle<3,3,3>,_123456789,Layout<Shape<_8,_8>>>",
         0,
         {0, 0},
         "an offset is missing at character 41, ',Layout<"},
        {"(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
         0,
         {0, 0},
         "there are more than 32 modes at character 65"},
        {"Layout_K_SW256_Atom",
         0,
         {0, 0},
         "is none of CuTe's atoms; these are Layout_K_INTER_Atom"},
        {"Layout_K_SW128_Atom<foo_t>", 0, {0, 0}, "is none of CuTe's atoms"},
        {"Layout_K_SW128_Atom<half_t> x", 0, {0, 0}, "is none of CuTe's atoms"},
        {"Layout_SW128_Atom<half_t>", 0, {0, 0}, "is none of CuTe's atoms"},
        {"Layout_SW128_Atom", 0, {0, 0}, "is none of CuTe's atoms"},
        {"Layout_SW128_Atom<half_t, K>", 0, {0, 0}, "is none of CuTe's atoms"},
        {"Layout_SW128_Atom<half_t, Major::N>", 0, {0, 0}, "is none of CuTe's atoms"},
        {"Layout_SW128_Atom<half_t, Major::KN>", 0, {0, 0}, "is none of CuTe's atoms"},
        {"Layout_K_SW128_32B_Atom<float>", 0, {0, 0}, "is none of CuTe's atoms"},
        {NULL, 0, {0, 0}, "'' is no layout of a matrix in memory"},
        {"Layout_K_SW128_Atom<half_t>", 8, {0, 0}, "has elements of 16 bits, but 8 are asked for"},
        {"Layout_K_SW128_Atom", 24, {0, 0}, "128 bits, not of 24"},
        {"Layout_K_SW128_Atom", 16, {12, 64}, "has 8 rows, and 12 are no multiple of that"},
        {"Layout_K_SW128_Atom", 16, {64, 65}, "has 64 columns, and 65 are no multiple"},
        {"Layout_K_SW128_Atom",
         16,
         {4096, 4096},
         "a matrix of 4096 x 4096 elements is more than 2^20"},
        {"RowMajor", 16, {4294967295, 4294967295}, "more than 2^20 elements"},
        {"TensorOpMultiplicant<16,64>",
         0,
         {0, 0},
         "is no layout of CUTLASS 2; there are PitchLinear, RowMajor"},
        {"RowMajorTensorOpMultiplicand<16,64>", 0, {0, 0}, "is no layout of CUTLASS 2; there are"},
        {"TensorOpMultiplicand<16>",
         0,
         {0, 0},
         "it is written TensorOpMultiplicand<bits,crosswise>"},
        {"TensorOpMultiplicand<16,64>x",
         0,
         {0, 0},
         "it is written TensorOpMultiplicand<bits,crosswise>"},
        {"TensorOpMultiplicand<16,64", 0, {0, 0}, "it is written"},
        {"TensorOpMultiplicand<16,64,1>", 0, {0, 0}, "it is written"},
        {"RowMajor<4>", 0, {0, 0}, "it is written RowMajor"},
        {"TensorOpMultiplicand<16,128>",
         0,
         {0, 0},
         "crosswise size of 128; of elements of 16 bits 64, 32, 16 or 8 make"},
        {"TensorOpMultiplicand<16,0>", 0, {0, 0}, "crosswise size of 0"},
        {"TensorOpMultiplicand<16,4>", 0, {0, 0}, "crosswise size of 4"},
        {"TensorOpMultiplicand<17,64>",
         0,
         {0, 0},
         "elements of 17 bits; a power of two up to the 128 bits"},
        {"VoltaTensorOpMultiplicandCrosswise<128,32>",
         0,
         {0, 0},
         "elements of 128 bits; a power of two up to the 64"},
        {"VoltaTensorOpMultiplicandCrosswise<16,0>", 0, {0, 0}, "blocks of 0 along K"},
        {"RowMajorInterleaved<0>", 0, {0, 0}, "interleaves 0 rows"},
        {"RowMajorInterleaved<99999999>", 0, {0, 0}, "more than 2^20 elements"},
        {"TensorOpMultiplicand<16,64>", 8, {0, 0}, "has elements of 16 bits, but 8 are asked for"},
        {"TensorOpMultiplicand<16,64>",
         0,
         {96, 8},
         "has tiles of 64 contiguous, and an extent of 96 is no multiple"},
        {"TensorOpMultiplicand<16,64>", 0, {64, 12}, "has tiles of 8 strided, and an extent of 12"},
        {"RowMajorTensorOpMultiplicandCongruous<16,64>",
         0,
         {12, 64},
         "has tiles of 8 rows, and an extent of 12"},
        {"ColumnMajorTensorOpMultiplicandCongruous<16,64>",
         0,
         {64, 12},
         "has tiles of 8 columns, and an extent of 12"},
        {"RowMajorInterleaved<4>", 0, {6, 4}, "has tiles of 4 rows, and an extent of 6"},
        {"TensorOpMultiplicand64bCrosswise", 0, {32, 16}, "not 32 contiguous and 16 strided"},
        {"TensorOpMultiplicandColumnMajorInterleaved<8,32>",
         0,
         {0, 0},
         "elements (0, 0) and (0, 1) both lie at offset 0"},
        {"TensorOpMultiplicandColumnMajorInterleaved<8,48>", 0, {0, 0}, "interleaves by 48"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct mapping_memory_request request = {
            .text = cases[c].text,
            .bits = cases[c].bits,
            .extent = {cases[c].extent[0], cases[c].extent[1]}};
        struct mapping_memory memory;
        struct mapping_error error = {""};
        assert_int_equal(mapping_memory_make(&request, &memory, &error), MAPPING_INVALID);
        if (!strstr(error.message, cases[c].sentence))
            fail_msg("%s: '%s' does not say '%s'", cases[c].text, error.message, cases[c].sentence);
        mapping_memory_free(&memory);
    }
}

/* ---- What is meant ---- */

static void other_subjects_are_not_meant(void **state) {
    (void)state;
    static const char *const others[] = {
        "",
        " ",
        "(",
        "(tid & 1)",
        "wmma.m16n16k16.d.f32",
        "ldmatrix.x4",
        "HMMA.16816.F32 R4, R8, R16, R4",
        "fragment<matrix_a, 16, 16, 16, half, row_major>",
        "nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major>",
        "SM80_16x8x16_F32F16F16F32_TN",
        "cute::SM80_16x8x16_F32F16F16F32_TN",
        "MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>",
        "cute::MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>",
        "SM90_64x32x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::K>",
        "SM90::GMMA::MMA_64x32x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>",
        "*",
        "mma.m16n8k16.*",
    };
    static const char *const meant[] = {
        "(64,64)",
        "(_64",
        "((",
        " (64)",
        "Sw<",
        "Swizzle<",
        "smem_ptr",
        "ComposedLayout<",
        "Layout<",
        "cute::Layout<",
        "Layout_",
        "GMMA::Layout_X",
        "cutlass::layout::Foo",
        "TensorOpMultiplicant<16,64>",
        "VoltaTensorOpFoo",
        "RowMajorr",
        "ColumnMajor",
        "PitchLinearX",
        "layout::RowMajor",
    };
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        if (mapping_memory_is_meant(others[o]))
            fail_msg("'%s' is meant", others[o]);
    for (size_t m = 0; m < sizeof meant / sizeof *meant; m++)
        if (!mapping_memory_is_meant(meant[m]))
            fail_msg("'%s' is not meant", meant[m]);
    assert_false(mapping_memory_is_meant(NULL));
}

static void nothing_of_the_catalogue_is_meant(void **state) {
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

/* ---- Hostile texts ---- */

/* Texts out of pieces that layouts consist of: each is made or refused with a sentence, and what is
 * made has no two elements at one offset. */
static void random_texts_are_made_or_refused(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "(",
        ")",
        ",",
        ":",
        " ",
        " o ",
        "_",
        "Sw<",
        "Swizzle<",
        ">",
        "<",
        "smem_ptr",
        "[16b]",
        "(unset)",
        "Layout<",
        "Shape<",
        "Stride<",
        "ComposedLayout<",
        "C<",
        "0",
        "1",
        "2",
        "3",
        "4",
        "8",
        "16",
        "64",
        "1024",
        "99999999",
        "-1",
        "TensorOpMultiplicand",
        "Congruous",
        "Crosswise",
        "RowMajor",
        "Volta",
        "<16,64>",
        "<16>",
        "Interleaved<4>",
        "Layout_K_SW128_Atom",
        "<half_t>",
        "cute::",
        "(64,64):(64,1)",
        "Sw<3,3,3> o 0 o ",
        "(2,(2,4))",
        "smem_ptr[16b](unset) o ",
        "\xff",
        "\n",
    };
    size_t made = 0;
    for (int round = 0; round < 60000; round++) {
        char text[256] = "";
        for (uint32_t p = random_number() % 9; p < 9; p++)
            strcat(text, pieces[random_number() % (sizeof pieces / sizeof *pieces)]);
        const struct mapping_memory_request request = {
            .text = text,
            .bits = random_number() % 4 ? 0 : 8,
            .extent = {round % 8 ? 0 : 64, round % 8 ? 0 : random_number() % 66}};
        struct mapping_memory memory;
        struct mapping_error error = {""};
        struct mapping_descriptor found;
        enum mapping_status status = mapping_memory_make(&request, &memory, &error);
        assert_true(status == MAPPING_OK || status == MAPPING_INVALID);
        assert_true(status == MAPPING_OK || error.message[0]);
        if (status == MAPPING_OK)
            mapping_memory_descriptor(&memory, &found);
        made += status == MAPPING_OK;
        mapping_memory_free(&memory);
    }
    assert_true(made > 100);
}

static void long_texts_are_refused(void **state) {
    (void)state;
    static const char *const repeated[] = {
        "(", "((1,",     "cute::",           "Layout<Shape<", "Sw<1,1,1> o ", "(1,",
        "1", "smem_ptr", "Layout<Shape<_1,", "tuple<",        "(2,2),"};
    for (size_t r = 0; r < sizeof repeated / sizeof *repeated; r++)
        for (int front = 0; front < 3; front++) {
            static const char *const fronts[] = {"(", "Layout<", "smem_ptr[16b]("};
            char *text = calloc(1, 100064);
            assert_non_null(text);
            size_t length = (size_t)sprintf(text, "%s", fronts[front]), piece = strlen(repeated[r]);
            for (; length + piece < 100000; length += piece)
                memcpy(text + length, repeated[r], piece);
            const struct mapping_memory_request request = {.text = text};
            struct mapping_memory memory;
            struct mapping_error error = {""};
            assert_int_equal(mapping_memory_make(&request, &memory, &error), MAPPING_INVALID);
            mapping_memory_free(&memory);
            free(text);
        }
}

/* Appends a piece so many times. */
static void repeat(char *text, const char *piece, size_t times) {
    for (; times > 0; times--)
        strcat(text, piece);
}

static void expect_refusal(const char *text, const char *sentence) {
    const struct mapping_memory_request request = {.text = text};
    struct mapping_memory memory;
    struct mapping_error error = {""};
    assert_int_equal(mapping_memory_make(&request, &memory, &error), MAPPING_INVALID);
    if (!strstr(error.message, sentence))
        fail_msg("%s: '%s' does not say '%s'", text, error.message, sentence);
    mapping_memory_free(&memory);
}

/* Parentheses around each of few numbers, one more each time: read, up to a length. Types that are
 * translated, of any length. */
static void nesting_has_a_limit(void **state) {
    (void)state;
    bool was_too_long = false;
    for (size_t mode = 1; mode < 32; mode++)
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
            /* of each: two parentheses for each that is around it, and what is before it */
            bool is_too_long = 15 * (mode - 1) + 1 + 2 * depth + 1 > 8 * 32 - 1;
            if (mode > 3)
                expect_refusal(text, is_too_long ? "too many parentheses" : "too many modes");
            was_too_long = was_too_long || is_too_long;
        }
    assert_true(was_too_long);
    for (size_t length = 500; length < 530; length++)
        for (size_t comma = 0; comma < 2; comma++) {
            char text[2048] = "Layout<Shape<";
            repeat(text, "1", comma + 1);
            repeat(text, ",1", length / 2);
            repeat(text, "1", length % 2);
            expect_refusal(strcat(text, ">,1>"), "");
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused_with_its_numbers),
        cmocka_unit_test(other_subjects_are_not_meant),
        cmocka_unit_test(nothing_of_the_catalogue_is_meant),
        cmocka_unit_test(random_texts_are_made_or_refused),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(nesting_has_a_limit),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
