/* matrix_descriptor_test.c - the matrices in memory that wgmma and tcgen05.mma can read, and those
 * that they cannot.
 *
 * Expected values: descriptors by hand, from the PTX ISA's table of canonical layouts; fields of
 * numbers from its tables Matrix Descriptor Format (wgmma) and Shared memory descriptor (tcgen05),
 * which CUTLASS has as the unions GmmaDescriptor and UMMA::SmemDescriptor. */
#include "random.h"
#include "smem/matrix_descriptor.h"

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

static void expect_equal(const struct mapping_descriptor *found,
                         const struct mapping_descriptor *expected) {
    assert_int_equal(found->is_k_major, expected->is_k_major);
    assert_int_equal(found->swizzle_bytes, expected->swizzle_bytes);
    assert_int_equal(found->mode, expected->mode);
    assert_int_equal(found->leading_bytes, expected->leading_bytes);
    assert_int_equal(found->stride_bytes, expected->stride_bytes);
    assert_int_equal(found->has_leading, expected->has_leading);
    assert_int_equal(found->piece_bytes, expected->piece_bytes);
}

/* By hand, from the table of canonical layouts; make_gmma_desc gives the same (matrix_headers.py).
 * Values are put together by hand from the PTX ISA's Matrix Descriptor Format: 14 bits of 16 bytes
 * at 16 and 32, the mode at 62. */
static void descriptors_are_found(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t bits, extent[2];
        struct mapping_descriptor descriptor;
    } cases[] = {
        {"Layout_K_SW128_Atom",
         16,
         {64, 64},
         {true, 128, 1, 0, 1024, false, 16, 0x4000004000010000}},
        {"Layout_K_SW64_Atom", 16, {64, 64}, {true, 64, 2, 0, 512, false, 16, 0x8000002000010000}},
        {"Layout_K_SW32_Atom", 8, {64, 64}, {true, 32, 3, 0, 256, false, 16, 0xc000001000010000}},
        {"Layout_K_INTER_Atom", 32, {64, 8}, {true, 0, 0, 1024, 128, true, 0, 0x0000000800400000}},
        {"Layout_MN_SW128_Atom",
         16,
         {128, 64},
         {false, 128, 1, 1024, 2048, true, 16, 0x4000008000400000}},
        {"Layout_MN_INTER_Atom",
         16,
         {64, 64},
         {false, 0, 0, 1024, 128, true, 0, 0x0000000800400000}},
        {"(64,(8,2)):(8,(1,131064))",
         16,
         {0, 0},
         {true, 0, 0, 262128, 128, true, 0, 0x000000083fff0000}},
        {"TensorOpMultiplicand<16,64>",
         0,
         {64, 128},
         {true, 128, 1, 0, 1024, false, 16, 0x4000004000010000}},
        {"Sw<3,3,3> o 512 o (64,64):(64,1)",
         16,
         {0, 0},
         {true, 128, 1, 0, 1024, false, 16, 0x4000004000010000}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_descriptor found = {0};
        const struct mapping_descriptor *expected = &cases[c].descriptor;
        struct mapping_smem_matrix memory =
            make(cases[c].text, cases[c].bits, cases[c].extent[0], cases[c].extent[1]);
        if (!mapping_smem_matrix_descriptor(&memory, READER_WGMMA, &found))
            fail_msg("%s has no descriptor", cases[c].text);
        expect_equal(&found, expected);
        assert_true(found.value == cases[c].descriptor.value);
        mapping_smem_matrix_free(&memory);
    }
}

static void what_wgmma_does_not_read_has_no_descriptor(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t bits, extent[2];
    } cases[] = {
        {"(64,64):(64,1)", 16, {0, 0}},                 /* lines of 128 bytes without a swizzle */
        {"Sw<2,3,3> o 0 o (64,64):(64,1)", 16, {0, 0}}, /* the swizzle of 64 bytes in such lines */
        {"Sw<3,3,4> o 0 o (64,64):(64,1)", 16, {0, 0}},
        {"Sw<3,3,3> o 4 o (64,64):(64,1)", 16, {0, 0}}, /* starts amid 16 bytes */
        {"Sw<3,3,3> o 0 o (64,64):(1,64)", 8, {0, 0}},  /* MN-major 8-bit types */
        {"Layout_MN_SW128_Atom", 32, {0, 0}},           /* MN-major tf32 */
        {"Layout_K_SW128_Atom", 64, {0, 0}},            /* no such types */
        {"Sw<3,3,3> o 0 o (64,64,2):(64,1,4096)", 16, {0, 0}},
        {"(64,8):(8,1)", 16, {0, 0}}, /* half of a K of 16 */
        {"(12,16):(16,1)", 16, {0, 0}},
        {"TensorOpMultiplicand<16,64>", 0, {128, 64}}, /* lines of 256 bytes */
        {"(64,(8,2)):(8,(1,131072))", 16, {0, 0}},     /* does not fit 14 bits of 16 bytes */
        {"((8,7,2),(8,2)):((8,64,512),(1,2048))", 16, {0, 0}}, /* two strides along M */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_descriptor found;
        struct mapping_smem_matrix memory =
            make(cases[c].text, cases[c].bits, cases[c].extent[0], cases[c].extent[1]);
        if (mapping_smem_matrix_descriptor(&memory, READER_WGMMA, &found))
            fail_msg("%s of %u bits has a descriptor", cases[c].text, cases[c].bits);
        mapping_smem_matrix_free(&memory);
    }
}

/* The first five are the examples of the PTX ISA 9.1, 9.7.16.3.3. Of the second one, only K of the
 * first instruction is used, because the rest overlaps. Its offsets in elements are converted to
 * bytes. For 8- and 32-bit types: 9.7.16.10.3 and make_umma_desc (matrix_headers.py). Values are
 * built by hand from Table 40: 14 bits of 16 bytes at 16 and 32, 0b001 at 46, the mode at 61. */
static void descriptors_of_tcgen05_are_found(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t bits, extent[2];
        struct mapping_descriptor descriptor;
    } cases[] = {
        {"((8,2),(4,4)):((4,32),(1,64))",
         32,
         {0, 0},
         {true, 0, 0, 256, 128, true, 0, 0x0000400800100000}},
        {"Sw<1,4,3> o smem_ptr[32b](unset) o ((8,2),(4,2)):((8,64),(1,4))",
         0,
         {0, 0},
         {true, 32, 6, 0, 256, false, 16, 0xc000401000010000}},
        {"((8,1,2),(8,2)):((1,8,64),(8,128))",
         16,
         {0, 0},
         {false, 0, 0, 256, 128, true, 0, 0x0000400800100000}},
        {"Sw<1,4,3> o smem_ptr[16b](unset) o ((8,2,2),(8,2)):((1,8,128),(16,256))",
         0,
         {0, 0},
         {false, 32, 6, 256, 512, true, 16, 0xc000402000100000}},
        {"Sw<2,4,3> o smem_ptr[16b](unset) o ((8,4,2),(8,2)):((1,8,256),(32,512))",
         0,
         {0, 0},
         {false, 64, 4, 512, 1024, true, 16, 0x8000404000200000}},
        {"Layout_K_SW128_Atom",
         16,
         {64, 64},
         {true, 128, 2, 0, 1024, false, 16, 0x4000404000010000}},
        {"Layout_K_SW128_Atom",
         4,
         {128, 256},
         {true, 128, 2, 0, 1024, false, 16, 0x4000404000010000}},
        {"Layout_MN_SW128_Atom",
         8,
         {256, 32},
         {false, 128, 2, 1024, 2048, true, 16, 0x4000408000400000}},
        {"Layout_MN_SW128_32B_Atom",
         32,
         {64, 16},
         {false, 128, 1, 512, 1024, true, 32, 0x2000404000200000}},
        {"Sw<2,5,2> o smem_ptr[32b](unset) o (32,8):(1,32)",
         0,
         {0, 0},
         {false, 128, 1, 0, 512, true, 32, 0x2000402000000000}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_descriptor found = {0};
        struct mapping_smem_matrix memory =
            make(cases[c].text, cases[c].bits, cases[c].extent[0], cases[c].extent[1]);
        if (!mapping_smem_matrix_descriptor(&memory, READER_TCGEN05, &found))
            fail_msg("%s has no descriptor", cases[c].text);
        expect_equal(&found, &cases[c].descriptor);
        assert_true(found.value == cases[c].descriptor.value);
        mapping_smem_matrix_free(&memory);
    }
}

/* PTX ISA 9.1, 9.7.16.10.3: which types may be MN-major with which swizzle; no kind has 1 bit. */
static void what_tcgen05_does_not_read_has_no_descriptor(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t bits, extent[2];
    } cases[] = {
        {"Layout_MN_SW128_Atom", 32, {64, 16}},     {"Layout_MN_INTER_Atom", 32, {64, 16}},
        {"Layout_MN_SW128_Atom", 4, {256, 64}},     {"Layout_MN_SW128_32B_Atom", 16, {64, 16}},
        {"Layout_MN_SW128_32B_Atom", 8, {128, 32}}, {"Layout_K_SW128_Atom", 1, {8, 1024}},
        {"Layout_K_SW128_Atom", 64, {0, 0}},        {"(8,64):(64,1)", 6, {0, 0}},
        {"Layout_MN_SW128_32B_Atom", 32, {32, 4}}, /* half of a K of 8 */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_descriptor found;
        struct mapping_smem_matrix memory =
            make(cases[c].text, cases[c].bits, cases[c].extent[0], cases[c].extent[1]);
        if (mapping_smem_matrix_descriptor(&memory, READER_TCGEN05, &found))
            fail_msg("%s of %u bits has a descriptor", cases[c].text, cases[c].bits);
        mapping_smem_matrix_free(&memory);
    }
}

/* Exchanging any two elements of a canonical matrix makes it another one. */
static void every_element_of_a_descriptor_counts(void **state) {
    (void)state;
    struct mapping_descriptor found;
    struct mapping_smem_matrix memory = make("Layout_MN_SW64_Atom", 16, 64, 32);
    uint32_t *offset = memory.layout.coordinate[0];
    assert_true(mapping_smem_matrix_descriptor(&memory, READER_WGMMA, &found));
    for (uint32_t n = 0; n < 64 * 32; n++) {
        uint32_t other = (n + 1 + random_number() % 2047) % 2048, saved = offset[n];
        offset[n] = offset[other];
        offset[other] = saved;
        assert_false(mapping_smem_matrix_descriptor(&memory, READER_WGMMA, &found));
        offset[other] = offset[n];
        offset[n] = saved;
    }
    mapping_smem_matrix_free(&memory);
}

/* ---- Numbers ---- */

static void numbers_are_read_as_C_and_Python_write_them(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool is_number, is_wide;
        uint64_t value;
    } cases[] = {
        {"0xC000000800080000", true, true, 0xC000000800080000},
        {"0XC000000800080000ULL", true, true, 0xC000000800080000},
        {"0x4000'0040'0001'0000", true, true, 0x4000004000010000},
        {"0x4000_0040_0001_0000", true, true, 0x4000004000010000},
        {"13835058089642426368", true, true, 0xC000000800080000},
        {"0x8100010", true, false, 0x8100010},
        {"0x08100010u", true, false, 0x8100010},
        {"135266320", true, false, 0x8100010},
        {"135266320ull", true, true, 0x8100010},
        {"135266320uL", true, false, 0x8100010},
        {"0b1000000100000000000000010000", true, false, 0x8100010},
        {"0x000008100010", true, true, 0x8100010},
        {"4294967295", true, false, UINT32_MAX},
        {"4294967296", true, true, UINT64_C(1) << 32},
        {"18446744073709551615", true, true, UINT64_MAX},
        {"0", true, false, 0},
        {"18446744073709551616", false, false, 0},
        {"0x10000000000000000", false, false, 0},
        {"", false, false, 0},
        {"0x", false, false, 0},
        {"x1", false, false, 0},
        {"0400", false, false, 0},
        {"-1", false, false, 0},
        {"1 ", false, false, 0},
        {"1lll", false, false, 0},
        {"1uu", false, false, 0},
        {"0x1_", false, false, 0},
        {"0b2", false, false, 0},
        {"12a", false, false, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint64_t value;
        bool is_wide = false;
        const bool is_number = mapping_literal_read(cases[c].text, &value, &is_wide);
        if (is_number != cases[c].is_number ||
            (is_number && (value != cases[c].value || is_wide != cases[c].is_wide)))
            fail_msg("%s", cases[c].text);
    }
}

/* Names, bits and values of all fields in one line. */
static void fields_are_cut_out_of_a_number(void **state) {
    (void)state;
    static const struct {
        uint64_t value;
        enum mapping_reader reader;
        size_t wrong;
        const char *fields;
    } cases[] = {
        {0xC000000800080000, READER_WGMMA, 0,
         "start_address 0-13 0, leading_byte_offset 16-29 8, stride_byte_offset 32-45 8, "
         "base_offset 49-51 0, swizzle_mode 62-63 3"},
        {0x7fee3fff3fff3fff, READER_WGMMA, 1,
         "start_address 0-13 16383, leading_byte_offset 16-29 16383, stride_byte_offset 32-45 "
         "16383, base_offset 49-51 7, reserved 52-61! 1022, swizzle_mode 62-63 1"},
        {0x400240400001c000, READER_WGMMA, 2,
         "start_address 0-13 0, reserved 14-15! 3, leading_byte_offset 16-29 1, stride_byte_offset "
         "32-45 64, reserved 46-48! 1, base_offset 49-51 1, swizzle_mode 62-63 1"},
        {0x4000404000010040, READER_TCGEN05, 0,
         "start_address 0-13 64, leading_byte_offset 16-29 1, stride_byte_offset 32-45 64, version "
         "46-48 1, base_offset 49-51 0, leading_mode 52 0, swizzle_mode 61-63 2"},
        {0x6010804040010000, READER_TCGEN05, 3,
         "start_address 0-13 0, leading_byte_offset 16-29 1, reserved 30-31! 1, "
         "stride_byte_offset 32-45 64, version 46-48! 2, base_offset 49-51 0, leading_mode 52 1, "
         "swizzle_mode 61-63! 3"},
        {0xa020404000010000, READER_TCGEN05, 2,
         "start_address 0-13 0, leading_byte_offset 16-29 1, stride_byte_offset 32-45 64, version "
         "46-48 1, base_offset 49-51 0, leading_mode 52 0, reserved 53-60! 1, swizzle_mode 61-63! "
         "5"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_fields fields;
        char text[400] = "";
        size_t length = 0;
        mapping_matrix_decode(cases[c].value, cases[c].reader, &fields);
        for (size_t f = 0; f < fields.count; f++) {
            const struct mapping_field *field = &fields.field[f];
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s %u",
                                       f ? ", " : "", field->name, field->low);
            if (field->high > field->low)
                length += (size_t)snprintf(text + length, sizeof text - length, "-%u", field->high);
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s %llu",
                                 field->is_wrong ? "!" : "", (unsigned long long)field->value);
        }
        assert_string_equal(text, cases[c].fields);
        assert_int_equal(fields.wrong, cases[c].wrong);
    }
}

/* PTX ISA: the base offset is 0 if the pattern begins at a multiple of 1024, 512 or 256 bytes;
 * otherwise (address >> 7) & 7. */
static void start_addresses_have_base_offsets(void **state) {
    (void)state;
    static const struct {
        uint32_t swizzle, address, first;
        uint64_t value; /* bits 0-13 and 49-51; 0 if it is refused */
    } cases[] = {
        {128, 0x400, 0, 0x40},
        {128, 0x480, 0, UINT64_C(1) << 49 | 0x48},
        {128, 0x7f80, 32, UINT64_C(7) << 49 | 0x7fa},
        {64, 0x600, 0, 0x60},
        {64, 0x700, 0, UINT64_C(6) << 49 | 0x70},
        {32, 0x700, 0, 0x70},
        {32, 0x780, 0, UINT64_C(7) << 49 | 0x78},
        {0, 0x410, 0, 0x41},
        {128, 0x410, 0, 0},
        {32, 0x440, 0, 0},
        {0, 0x408, 0, 0},
        {0, 0x3fff0, 0, 0x3fff},
        {0, 0x40000, 0, 0},
        {0, 0x3fff0, 16, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_descriptor descriptor = {.swizzle_bytes = cases[c].swizzle};
        struct mapping_error error;
        const enum mapping_status status =
            mapping_descriptor_place(&descriptor, cases[c].address, cases[c].first, &error);
        assert_int_equal(status, cases[c].value ? MAPPING_OK : MAPPING_INVALID);
        assert_true(descriptor.value == cases[c].value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_are_found),
        cmocka_unit_test(what_wgmma_does_not_read_has_no_descriptor),
        cmocka_unit_test(descriptors_of_tcgen05_are_found),
        cmocka_unit_test(what_tcgen05_does_not_read_has_no_descriptor),
        cmocka_unit_test(every_element_of_a_descriptor_counts),
        cmocka_unit_test(numbers_are_read_as_C_and_Python_write_them),
        cmocka_unit_test(fields_are_cut_out_of_a_number),
        cmocka_unit_test(start_addresses_have_base_offsets),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
