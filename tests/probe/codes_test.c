/* codes_test.c - elements that are digits of addresses can be moved and summed, and every address
 * is read back from its digits. */
#include "probe/codes.h"
#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const enum mapping_type types[] = {
    MAPPING_F64,  MAPPING_F32, MAPPING_TF32, MAPPING_BF16, MAPPING_F16, MAPPING_E4M3, MAPPING_E5M2,
    MAPPING_E2M1, MAPPING_S32, MAPPING_S8,   MAPPING_U8,   MAPPING_S4,  MAPPING_U4};

static void codes_are_distinct_and_no_poison(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        const struct codes codes = codes_of_copies(types[t]);
        const uint64_t step = codes.count > 1 << 16 ? codes.count >> 16 : 1;
        for (uint64_t n = 0; n < codes.count; n += step) {
            const uint64_t element = code_element(&codes, n);
            uint64_t found;
            assert_true(isfinite(number_value(types[t], element)));
            assert_true(code_find(&codes, element, &found));
            assert_true(found == n);
            assert_true(element != number_poison(types[t], 0));
            assert_true(element != number_poison(types[t], 1));
        }
        for (size_t run = 0; run < 2; run++) {
            uint64_t found;
            assert_false(code_find(&codes, number_poison(types[t], run), &found));
        }
    }
}

/* The numbers of digits follow from the formats: binades times numbers in each. */
static void sums_hold_each_digit(void **state) {
    static const struct {
        enum mapping_type type, holds[2];
        uint64_t count;
    } known[] = {{MAPPING_F16, {MAPPING_F32, MAPPING_F32}, 30 << 10},
                 {MAPPING_F16, {MAPPING_F32, MAPPING_BF16}, 30 << 7},
                 {MAPPING_BF16, {MAPPING_F32, MAPPING_F32}, 51 << 7},
                 {MAPPING_F32, {MAPPING_F32, MAPPING_F16}, 30 << 10},
                 {MAPPING_TF32, {MAPPING_F32, MAPPING_F32}, 51 << 10},
                 {MAPPING_F64, {MAPPING_F64, MAPPING_F64}, 51 << 10},
                 {MAPPING_E4M3, {MAPPING_F32, MAPPING_F32}, (15 << 3) - 1},
                 {MAPPING_E5M2, {MAPPING_F32, MAPPING_E4M3}, 15 << 2},
                 {MAPPING_S8, {MAPPING_S32, MAPPING_S32}, 128},
                 {MAPPING_U4, {MAPPING_S32, MAPPING_S32}, 8},
                 {MAPPING_E2M1, {MAPPING_F32, MAPPING_F32}, 8}};
    (void)state;
    for (size_t n = 0; n < COUNT(known); n++) {
        const struct codes codes = codes_of_sums(known[n].type, -25, 25, known[n].holds, 2);
        double before = -1;
        assert_int_equal(codes.count, known[n].count);
        for (uint64_t code = 0; code < codes.count; code++) {
            const double value = number_value(known[n].type, code_element(&codes, code));
            uint64_t bits;
            assert_true(value > before); /* so all are different, and none is NaN */
            assert_true(number_find(known[n].holds[0], value, &bits));
            assert_true(number_find(known[n].holds[1], value, &bits));
            before = value;
        }
    }
}

static void every_address_is_read_back(void **state) {
    static const uint64_t counts[] = {1, 2, 119, 120, 4096, 20000};
    (void)state;
    for (size_t n = 0; n < 2 * COUNT(counts); n++) {
        const uint64_t count = counts[n / 2];
        const struct addresses addresses =
            addresses_make(codes_of_copies(MAPPING_E4M3), count, n % 2);
        assert_int_equal(addresses.digits, count <= 119 ? 1 : count <= 119 * 119 ? 2 : 3);
        for (uint64_t address = 0; address < count; address++) {
            uint32_t rank = 0;
            for (size_t digit = 0; digit < addresses.digits; digit++)
                assert_true(address_read(&addresses, digit,
                                         address_element(&addresses, digit, address), &rank));
            assert_int_equal(address_of_rank(&addresses, rank), address);
        }
    }
}

static void check_digits_and_ends_reject_other_elements(void **state) {
    const struct addresses addresses = addresses_make(codes_of_copies(MAPPING_S4), 20, 1);
    uint32_t rank = 5, last = 19;
    (void)state;
    assert_int_equal(addresses.digits, 2); /* base 14 */
    assert_true(address_read(&addresses, 2, address_element(&addresses, 2, 5), &rank));
    assert_false(address_read(&addresses, 2, (address_element(&addresses, 2, 5) + 1) & 15, &rank));
    rank = 6;
    assert_false(address_read(&addresses, 1, address_element(&addresses, 1, 19), &rank)); /* 20 */
    assert_int_equal(rank, 6);
    rank = 5;
    assert_true(address_read(&addresses, 1, address_element(&addresses, 1, last), &rank));
    assert_int_equal(rank, last);
    assert_false(address_read(&addresses, 0, number_poison(MAPPING_S4, 0), &rank));
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_distinct_and_no_poison),
        cmocka_unit_test(sums_hold_each_digit),
        cmocka_unit_test(every_address_is_read_back),
        cmocka_unit_test(check_digits_and_ends_reject_other_elements),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
