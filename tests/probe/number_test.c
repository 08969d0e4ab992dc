/* number_test.c - elements as numbers, compared with the definitions of their types and the C
 * compiler; headers of .npy, compared with those of numpy.save, and malicious ones.
 *
 * Expected values: IEEE 754; the OCP's formats; numpy.save; by hand. */
#include "probe/npy.h"
#include "probe/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const enum mapping_type types[] = {
    MAPPING_F64,  MAPPING_F32, MAPPING_TF32, MAPPING_BF16, MAPPING_F16, MAPPING_E4M3, MAPPING_E5M2,
    MAPPING_E2M1, MAPPING_S32, MAPPING_S8,   MAPPING_U8,   MAPPING_S4,  MAPPING_U4};

/* The largest numbers and the smallest: IEEE 754; the OCP's 8-bit and microscaling formats. */
static void known_elements_have_their_values(void **state) {
    static const struct {
        enum mapping_type type;
        uint64_t bits;
        double value;
    } known[] = {
        {MAPPING_F16, 0x3c00, 1},
        {MAPPING_F16, 0x7bff, 65504},
        {MAPPING_F16, 1, 0x1p-24},
        {MAPPING_F16, 0xc000, -2},
        {MAPPING_BF16, 0x3f80, 1},
        {MAPPING_BF16, 0x4049, 3.140625},
        {MAPPING_E4M3, 0x7e, 448},
        {MAPPING_E4M3, 1, 0x1p-9},
        {MAPPING_E4M3, 0x38, 1},
        {MAPPING_E5M2, 0x7b, 57344},
        {MAPPING_E5M2, 1, 0x1p-16},
        {MAPPING_E5M2, 0x3c, 1},
        {MAPPING_E2M1, 7, 6},
        {MAPPING_E2M1, 1, 0.5},
        {MAPPING_E2M1, 13, -3},
        {MAPPING_TF32, 0x3f802000, 1 + 0x1p-10},
        {MAPPING_F32, 0x3f800001, 1 + 0x1p-23},
        {MAPPING_F64, UINT64_C(0x4000000000000000), 2},
        {MAPPING_S8, 0x80, -128},
        {MAPPING_U8, 0x80, 128},
        {MAPPING_S4, 15, -1},
        {MAPPING_U4, 15, 15},
        {MAPPING_S32, 0xffffffff, -1},
    };
    (void)state;
    for (size_t n = 0; n < COUNT(known); n++) {
        uint64_t bits;
        assert_true(number_value(known[n].type, known[n].bits) == known[n].value);
        assert_true(number_find(known[n].type, known[n].value, &bits));
        assert_int_equal(bits, known[n].bits);
    }
}

/* f32 and f64 are the compiler's own. */
static void floats_are_those_of_the_compiler(void **state) {
    (void)state;
    for (uint64_t n = 0; n < 100000; n++) {
        const uint64_t bits = number_hash(1, n);
        const uint32_t low = (uint32_t)bits;
        double wide;
        float narrow;
        memcpy(&wide, &bits, sizeof wide);
        memcpy(&narrow, &low, sizeof narrow);
        if (!isnan(wide))
            assert_true(number_value(MAPPING_F64, bits) == wide);
        if (!isnan(narrow))
            assert_true(number_value(MAPPING_F32, low) == (double)narrow);
    }
}

static void every_number_is_found_again(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++)
        for (uint64_t n = 0; n < 1U << 16; n++) {
            const unsigned bits = number_bits(types[t]);
            uint64_t element = bits > 16 ? number_hash(2, n) : n, found, mask = UINT64_MAX;
            if (bits < 64)
                mask = (UINT64_C(1) << bits) - 1;
            element &= types[t] == MAPPING_TF32 ? 0xffffe000 : mask;
            const double value = number_value(types[t], element);
            assert_int_equal(number_find(types[t], value, &found), isfinite(value));
            if (isfinite(value))
                assert_true(found == element);
        }
}

static void numbers_between_elements_are_not_found(void **state) {
    (void)state;
    uint64_t bits;
    assert_false(number_find(MAPPING_F16, 65520, &bits));
    assert_false(number_find(MAPPING_F16, 2049, &bits));
    assert_false(number_find(MAPPING_BF16, 257, &bits));
    assert_false(number_find(MAPPING_E4M3, 480, &bits));
    assert_false(number_find(MAPPING_E4M3, 17, &bits));
    assert_false(number_find(MAPPING_E2M1, 5, &bits));
    assert_false(number_find(MAPPING_S8, 128, &bits));
    assert_false(number_find(MAPPING_U8, -1, &bits));
    assert_false(number_find(MAPPING_S4, 0.5, &bits));
    assert_false(number_find(MAPPING_F32, INFINITY, &bits));
}

/* The compiler rounds to f32. */
static void numbers_are_rounded_to_the_nearest(void **state) {
    (void)state;
    for (uint64_t n = 0; n < 100000; n++) {
        const int exponent = (int)(number_hash(3, n) % 300) - 155;
        const uint64_t part = number_hash(4, n) >> (n % 3 == 0 ? 38 : 11); /* ties, and others */
        const double value = ldexp((double)part, exponent - 26) * (n % 2 == 0 ? 1 : -1);
        assert_true(number_rounded(MAPPING_F32, value) == (double)(float)value);
    }
    assert_true(number_rounded(MAPPING_F16, 65519.9) == 65504);
    assert_true(number_rounded(MAPPING_F16, 65520) == INFINITY);
    assert_true(number_rounded(MAPPING_BF16, 257) == 256 &&
                number_rounded(MAPPING_BF16, 259) == 260);
}

static void packed_elements_begin_in_the_low_half(void **state) {
    (void)state;
    unsigned char bytes[2] = {0};
    number_put(bytes, 4, 0, 1);
    number_put(bytes, 4, 1, 2);
    number_put(bytes, 4, 3, 15);
    assert_int_equal(bytes[0], 0x21);
    assert_int_equal(bytes[1], 0xf0);
    assert_int_equal(number_get(bytes, 4, 3), 15);
}

/* ---- Headers ---- */

/* numpy.save of NumPy 2.1. */
static void headers_are_those_of_numpy(void **state) {
    char header[NPY_HEADER], right[NPY_HEADER];
    (void)state;
    const struct npy shape = npy_shape(MAPPING_F16, 1, 128, 64),
                     flat = npy_shape(MAPPING_U8, 1, 1, 4096);
    const struct npy packed = npy_shape(MAPPING_S4, 1, 16, 64);
    const struct npy batches = npy_shape(MAPPING_F16, 3, 1, 64);
    memset(right, ' ', sizeof right);
    memcpy(right, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(right + 10, "{'descr': '<f2', 'fortran_order': False, 'shape': (128, 64), }", 62);
    right[NPY_HEADER - 1] = '\n';
    npy_write(header, &shape);
    assert_memory_equal(header, right, sizeof right);
    npy_write(header, &flat);
    assert_non_null(
        strstr(header + 10, "'descr': '|u1', 'fortran_order': False, 'shape': (4096,), }"));
    npy_write(header, &packed);
    assert_non_null(strstr(header + 10, "'shape': (16, 32), }"));
    npy_write(header, &batches);
    assert_non_null(strstr(header + 10, "'shape': (3, 1, 64), }"));
}

/* Reads a header with this literal. */
static enum mapping_status read_literal(const char *literal, struct npy *npy) {
    static struct mapping_error error;
    char bytes[512];
    const int length = snprintf(bytes + 10, sizeof bytes - 10, "%s\n", literal);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (char)(unsigned char)(length % 256);
    bytes[9] = (char)(length / 256);
    return npy_read(bytes, 10 + (size_t)length, "x", npy, &error);
}

static void headers_are_read_strictly(void **state) {
    static const char *const wrong[] = {
        "",
        "{}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (4, 4), } x",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (4, 4)",
        "{'descr': '<f2', 'fortran_order': 0, 'shape': (4, 4)}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (4)}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (-4, 4)}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (4, 4.0)}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (99999999999999999999, 4)}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f2', 'fortran_order': False}",
        "{'descr': '<f2', 'descr': '<f2', 'fortran_order': False, 'shape': (4, 4)}",
        "{'descr': '<f2', 'fortran_order': False, 'shape': (4, 4), 'x': 1}",
        "{'descr': '<f2222222222222222222', 'fortran_order': False, 'shape': (4, 4)}",
        "{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (4, 4)}",
        "{'descr': '<f2, 'fortran_order': False, 'shape': (4, 4)}",
        "__import__('os')",
    };
    struct npy npy;
    (void)state;
    for (size_t n = 0; n < COUNT(wrong); n++)
        assert_int_equal(read_literal(wrong[n], &npy), MAPPING_INVALID);
    assert_int_equal(read_literal("{\"shape\":(4,4,),'fortran_order':True,'descr':'|V2',}", &npy),
                     MAPPING_OK);
    assert_true(npy.is_fortran);
    assert_int_equal(npy.axes, 2);
    assert_true(npy_holds(&npy, MAPPING_BF16));
    assert_false(npy_holds(&npy, MAPPING_F16));
    assert_false(npy_holds(&npy, MAPPING_E4M3));
    assert_int_equal(read_literal("{'descr': '<V1', 'fortran_order': False, 'shape': ()}", &npy),
                     MAPPING_OK);
    assert_true(npy_holds(&npy, MAPPING_E5M2));
    assert_int_equal(read_literal("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", &npy),
                     MAPPING_OK);
    assert_false(npy_holds(&npy, MAPPING_F32));
}

/* Every beginning of a header is refused, in memory of exactly its size. */
static void short_headers_are_refused(void **state) {
    char header[NPY_HEADER];
    struct mapping_error error;
    struct npy npy;
    (void)state;
    const struct npy shape = npy_shape(MAPPING_F16, 1, 128, 64);
    npy_write(header, &shape);
    for (size_t size = 0; size < sizeof header; size++)
        assert_int_equal(npy_read(header, size, "x", &npy, &error), MAPPING_INVALID);
    assert_int_equal(npy_read(header, sizeof header, "x", &npy, &error), MAPPING_OK);
    assert_int_equal(npy.data, 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_elements_have_their_values),
        cmocka_unit_test(floats_are_those_of_the_compiler),
        cmocka_unit_test(every_number_is_found_again),
        cmocka_unit_test(numbers_between_elements_are_not_found),
        cmocka_unit_test(numbers_are_rounded_to_the_nearest),
        cmocka_unit_test(packed_elements_begin_in_the_low_half),
        cmocka_unit_test(headers_are_those_of_numpy),
        cmocka_unit_test(headers_are_read_strictly),
        cmocka_unit_test(short_headers_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
