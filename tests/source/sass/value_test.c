/* value_test.c - arithmetic on partly unknown integers, compared with all values that the unknown
 * bits can have.
 *
 * Expected values: all values of 3 bits; the PTX ISA for lop3, prmt. */
#include "source/sass/execute.c" /* NOLINT(bugprone-suspicious-include) */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* All values of 3 bits, known in part, at the bottom of a word. */
#define FOR_PARTLY_KNOWN(a)                                                                        \
    for (struct value a = {0, UINT64_MAX - 7}; a.known >= UINT64_MAX - 7;                          \
         a = a.bits < 7 ? (struct value){a.bits + 1, a.known}                                      \
                        : (struct value){0, a.known == UINT64_MAX ? 0 : a.known + 1})

/* True if `number` is one of the values that `value` may have. */
static bool may_be(struct value value, uint64_t number) {
    return ((value.bits ^ number) & value.known) == 0;
}

/* For all values of the unknown bits, the result must be among the allowed ones. */
static void sums_and_products_call_no_bit_known_that_is_not(void **state) {
    (void)state;
    FOR_PARTLY_KNOWN(a)
    FOR_PARTLY_KNOWN(b)
    for (uint64_t x = 0; x < 8; x++)
        for (uint64_t y = 0; y < 8; y++)
            if (may_be(a, x) && may_be(b, y)) {
                assert_true(may_be(value_add(a, b), x + y));
                assert_true(may_be(value_multiply(a, b), x * y));
                assert_true(may_be(value_negate(a), 0 - x));
                assert_true(may_be(value_pair(a, b), x | y << 32));
                assert_true(may_be(value_shift_left(a, 61), x << 61));
                assert_true(may_be(value_shift_right(a, 1), x >> 1));
                assert_true(may_be(value_low(value_pair(a, b)), x));
            }
}

/* Bit by bit, LOP3 is exact: known where, and only where, the table leaves no choice. */
static void lop3_is_exact(void **state) {
    (void)state;
    for (unsigned table = 0; table < 256; table++)
        for (unsigned known = 0; known < 8; known++)
            for (unsigned bits = 0; bits < 8; bits++) {
                struct value operands[3];
                for (int o = 0; o < 3; o++) {
                    unsigned place = 2U - (unsigned)o;
                    operands[o] = (struct value){bits >> place & 1,
                                                 known >> place & 1 ? UINT64_MAX : UINT64_MAX - 1};
                }
                unsigned zeros = 0, ones = 0;
                for (unsigned row = 0; row < 8; row++)
                    if (((row ^ bits) & known) == 0)
                        table >> row & 1 ? ones++ : zeros++;
                struct value result = value_lop3(operands[0], operands[1], operands[2], table);
                assert_int_equal(result.known & 1, zeros == 0 || ones == 0);
                if (result.known & 1)
                    assert_int_equal(result.bits & 1, ones > 0);
            }
}

/* PTX ISA, lop3: the table is the function applied to 0xF0, 0xCC and 0xAA. */
static void lop3_follows_the_isa(void **state) {
    (void)state;
    struct value a = value_of(0xff00ff00), b = value_of(0x0ff00ff0), c = value_of(0x12345678);
    assert_int_equal(value_lop3(a, b, c, 0xf0 & 0xcc & 0xaa).bits,
                     0xff00ff00 & 0x0ff00ff0 & 0x12345678);
    assert_int_equal(value_lop3(a, b, c, 0xf0 | 0xcc | 0xaa).bits,
                     0xff00ff00 | 0x0ff00ff0 | 0x12345678);
    assert_int_equal(value_lop3(a, b, c, 0xf0 & ~0xcc & 0xff).bits, 0xff00ff00 & ~0x0ff00ff0U);
    assert_int_equal(value_lop3(a, b, c, (0xf0 & 0xcc) | (~0xf0 & 0xaa)).bits,
                     (0xff00ff00 & 0x0ff00ff0) | (~0xff00ff00U & 0x12345678));
}

/* PTX ISA, prmt, default mode: bytes of {b, a} from 7 down to 0, and the sign's copy with 8. */
static void permute_follows_the_isa(void **state) {
    (void)state;
    struct value a = value_of(0x33221100), b = value_of(0x77665584);
    assert_int_equal(value_permute(a, b, 0x3210).bits, 0x33221100);
    assert_int_equal(value_permute(a, b, 0x7654).bits, 0x77665584);
    assert_int_equal(value_permute(a, b, 0x5410).bits, 0x55841100);
    assert_int_equal(value_permute(a, b, 0x7632).bits, 0x77663322);
    assert_int_equal(value_permute(a, b, 0x6540).bits, 0x66558400);
    assert_int_equal(value_permute(a, b, 0x80c4).bits, 0x0000ff84);
    struct value half_known = {0x1234, ~UINT64_C(0xffff0000)};
    assert_true(value_is_known(value_permute(half_known, b, 0x5410), 32));
    assert_false(value_is_known(value_permute(half_known, b, 0x3210), 32));
    struct value sign_unknown = {0x00, ~UINT64_C(0x80)};
    assert_int_equal(value_permute(sign_unknown, b, 0x5548).known & 0xff, 0);
    assert_int_equal(value_permute(sign_unknown, b, 0x5540).known & 0xff, 0x7f);
}

static void widths_are_kept(void **state) {
    (void)state;
    assert_int_equal(value_sign_extend(value_of(0x80000000)).bits, 0xffffffff80000000);
    assert_int_equal(value_sign_extend(value_of(0x7fffffff)).bits, 0x7fffffff);
    struct value unknown_sign = {0, ~UINT64_C(0x80000000)};
    assert_int_equal(value_sign_extend(unknown_sign).known, 0x7fffffff);
    assert_true(value_is_known(value_unknown_word(), 0));
    assert_false(value_is_known(value_unknown_word(), 1));
    assert_true(value_is_known(value_of(0), 64));
}

/* Bit patterns from the definition of IEEE 754 binary16. */
static void half_constants(void **state) {
    (void)state;
    static const struct {
        double number;
        uint32_t bits;
    } exact[] = {
        {0.0, 0x0000},
        {-0.0, 0x8000},
        {1.0, 0x3c00},
        {-2.0, 0xc000},
        {65504, 0x7bff},
        {0x1p-24, 0x0001},
        {0x1p-20, 0x0010},
        {0x1p-14, 0x0400},
        {0x1.ff8p-15, 0x03ff},
        {0.333251953125, 0x3555},
        {9.5367431640625e-07, 0x0010},
        {1.9073486328125e-06, 0x0020},
    };
    uint32_t bits = 0;
    for (size_t n = 0; n < sizeof exact / sizeof *exact; n++) {
        assert_true(half_bits(exact[n].number, &bits));
        assert_int_equal(bits, exact[n].bits);
    }
    assert_false(half_bits(0x1p-25, &bits));
    assert_false(half_bits(65505, &bits));
    assert_false(half_bits(1.0 / 3, &bits));
    assert_false(half_bits(0.0 / 0.0 * bits, &bits));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_call_no_bit_known_that_is_not),
        cmocka_unit_test(lop3_is_exact),
        cmocka_unit_test(lop3_follows_the_isa),
        cmocka_unit_test(permute_follows_the_isa),
        cmocka_unit_test(widths_are_kept),
        cmocka_unit_test(half_constants),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
