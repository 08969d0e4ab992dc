/* value.h - integers of which some bits may never have been written.
 *
 * A value is 64 bits wide; one that comes from a 32-bit register has zeros above, all known. An
 * operation's result is known in those bits that are the same whatever the unknown bits of its
 * operands are, as far as the operation can tell cheaply; it never calls a bit known that is not.
 */
#ifndef VALUE_H
#define VALUE_H

#include <stdbool.h>
#include <stdint.h>

struct value {
    uint64_t bits;
    uint64_t known; /* mask of the bits that were written */
};

/* A value that is known throughout. */
struct value value_of(uint64_t bits);

/* A 32-bit value of which nothing is known. */
struct value value_unknown_word(void);

/* True if the lowest `width` bits are known. */
bool value_is_known(struct value value, unsigned width);

/* The lowest 32 bits, with zeros above. */
struct value value_low(struct value value);

/* The lowest 32 bits, with copies of bit 31 above. */
struct value value_sign_extend(struct value value);

/* `low` and `high`, both of 32 bits, side by side. */
struct value value_pair(struct value low, struct value high);

struct value value_add(struct value a, struct value b);
struct value value_negate(struct value a);
struct value value_multiply(struct value a, struct value b);

/* Shifts by `amount`, 0 .. 63, with zeros coming in. */
struct value value_shift_left(struct value a, unsigned amount);
struct value value_shift_right(struct value a, unsigned amount);

/* LOP3: bit (4a + 2b + c) of `table` is the result for the bits a, b, c. 32 bits. */
struct value value_lop3(struct value a, struct value b, struct value c, unsigned table);

/* PRMT: nibble n of `selector` chooses byte n of the result among the 8 bytes of b:a, a being the
 * lower; its highest bit copies the chosen byte's sign over all 8 bits. 32 bits. */
struct value value_permute(struct value a, struct value b, unsigned selector);

/* The bit pattern of `number` as a half-precision float; false if half cannot hold it exactly. */
bool half_bits(double number, uint32_t *bits);

#endif
