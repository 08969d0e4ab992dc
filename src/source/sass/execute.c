/* execute.c - running a warp's integer program on the host; see execute.h.
 *
 * From bottom to top: integers of which some bits may never have been written; the registers of a
 * warp; what each modelled opcode does in one lane; and the loop over instructions. The lanes run
 * in lockstep, one instruction after the other. That is enough for straight-line code and for
 * branches that all threads take together; others are refused. */
#include "source/sass/execute.h"

#include "system/system.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values of which some bits may never have been written ----
 *
 * A value is 64 bits wide; one that comes from a 32-bit register has zeros above, all known. An
 * operation's result is known in those bits that are the same whatever the unknown bits of its
 * operands are, as far as the operation can tell cheaply; it never calls a bit known that is not.
 */

struct value {
    uint64_t bits;
    uint64_t known; /* mask of the bits that were written */
};

#define LOW UINT64_C(0xffffffff)

/* A value that is known throughout. */
static struct value value_of(uint64_t bits) {
    return (struct value){bits, UINT64_MAX};
}

/* A 32-bit value of which nothing is known. */
static struct value value_unknown_word(void) {
    return (struct value){0, ~LOW};
}

/* True if the lowest `width` bits are known. */
static bool value_is_known(struct value value, unsigned width) {
    return width == 0 || ~value.known << (64 - width) == 0;
}

/* The lowest 32 bits, with zeros above. */
static struct value value_low(struct value value) {
    return (struct value){value.bits & LOW, value.known | ~LOW};
}

/* The lowest 32 bits, with copies of bit 31 above. */
static struct value value_sign_extend(struct value value) {
    bool negative = value.bits >> 31 & 1, known = value.known >> 31 & 1;
    return (struct value){(value.bits & LOW) | (negative ? ~LOW : 0),
                          (value.known & LOW) | (known ? ~LOW : 0)};
}

/* `low` and `high`, both of 32 bits, side by side. */
static struct value value_pair(struct value low, struct value high) {
    return (struct value){(low.bits & LOW) | high.bits << 32, (low.known & LOW) | high.known << 32};
}

/* The bits below the lowest unknown bit of either: all that carries leave alone. */
static uint64_t known_below(struct value a, struct value b) {
    uint64_t unknown = ~(a.known & b.known);
    return unknown ? (unknown & (0 - unknown)) - 1 : UINT64_MAX;
}

static struct value value_add(struct value a, struct value b) {
    return (struct value){a.bits + b.bits, known_below(a, b)};
}

static struct value value_negate(struct value a) {
    return (struct value){0 - a.bits, known_below(a, a)};
}

static bool is_zero(struct value a) {
    return a.bits == 0 && a.known == UINT64_MAX;
}

static struct value value_multiply(struct value a, struct value b) {
    if (is_zero(a) || is_zero(b))
        return value_of(0);
    return (struct value){a.bits * b.bits, known_below(a, b)};
}

static struct value value_shift_left(struct value a, unsigned amount) {
    return (struct value){a.bits << amount, a.known << amount | ((UINT64_C(1) << amount) - 1)};
}

/* Shifts by `amount`, 0 .. 63, with zeros coming in. */
static struct value value_shift_right(struct value a, unsigned amount) {
    return (struct value){a.bits >> amount, a.known >> amount | ~(UINT64_MAX >> amount)};
}

/* The table applied to known operands. */
static uint64_t lop3(uint64_t a, uint64_t b, uint64_t c, unsigned table) {
    uint64_t result = 0;
    for (unsigned row = 0; row < 8; row++)
        if (table >> row & 1)
            result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
    return result & LOW;
}

/* LOP3: bit (4a + 2b + c) of `table` is the result for the bits a, b, c. 32 bits. */
static struct value value_lop3(struct value a, struct value b, struct value c, unsigned table) {
    uint64_t first = lop3(a.bits & a.known, b.bits & b.known, c.bits & c.known, table);
    uint64_t same = UINT64_MAX;
    for (unsigned ones = 1; ones < 8; ones++) /* which operands have ones for their unknown bits */
        same &= ~(first ^ lop3(ones & 4 ? a.bits | ~a.known : a.bits & a.known,
                               ones & 2 ? b.bits | ~b.known : b.bits & b.known,
                               ones & 1 ? c.bits | ~c.known : c.bits & c.known, table));
    return (struct value){first, same};
}

/* PRMT: nibble n of `selector` chooses byte n of the result among the 8 bytes of b:a, a being the
 * lower; its highest bit copies the chosen byte's sign over all 8 bits. 32 bits. */
static struct value value_permute(struct value a, struct value b, unsigned selector) {
    struct value bytes = value_pair(a, b), result = value_of(0);
    for (unsigned n = 0; n < 4; n++) {
        unsigned nibble = selector >> (4 * n) & 15, from = 8 * (nibble & 7), to = 8 * n;
        uint64_t bits = bytes.bits >> from & 0xff, known = bytes.known >> from & 0xff;
        if (nibble & 8) {
            bits = bits & 0x80 ? 0xff : 0;
            known = known & 0x80 ? 0xff : 0;
        }
        result.bits |= bits << to;
        result.known &= ~(UINT64_C(0xff) << to) | known << to;
    }
    return result;
}

/* The bit pattern of `number` as a half-precision float; false if half cannot hold it exactly. */
static bool half_bits(double number, uint32_t *bits) {
    uint32_t sign = signbit(number) ? 0x8000 : 0;
    double magnitude = fabs(number);
    if (magnitude < 0x1p-14) { /* zero and subnormal halves are multiples of 2^-24 */
        double units = magnitude * 0x1p24;
        *bits = sign | (uint32_t)units;
        return units == (double)(uint32_t)units;
    }
    if (!(magnitude <= 65504))
        return false;
    int exponent;
    double fraction = frexp(magnitude, &exponent) * 0x1p11; /* 1024 .. 2047 with the leading one */
    *bits = sign | (uint32_t)(exponent + 14) << 10 | ((uint32_t)fraction & 0x3ff);
    return fraction == (double)(uint32_t)fraction;
}

/* ---- The state of a warp, read and written ---- */

enum { LANES = MAPPING_WARP, REGISTERS = 256, PREDICATES = 8 };

/* The lane of an instruction that the warp executes once, on uniform registers. */
enum { UNIFORM_LANE = LANES };

/* Registers and predicates of one thread, or the uniform ones of the warp. */
struct lane {
    struct value registers[REGISTERS];
    struct value predicates[PREDICATES]; /* 1 bit wide */
    bool active;
};

struct machine {
    const struct kernel *kernel;
    const struct buffer *input, *output;
    uint8_t *written;
    const struct limit *limit;
    struct mapping_error *error;
    struct lane lanes[LANES + 1];
};

/* An instruction under way in one lane. Once `failed`, everything reads as 0 and nothing is
 * written; the sentence is in machine->error. */
struct step {
    struct machine *machine;
    const struct instruction *instruction;
    unsigned lane;
    bool failed;
};

/* Fails with the instruction's address and opcode before the sentence. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static void
step_fail(struct step *step, const char *format, ...) {
    if (step->failed)
        return;
    step->failed = true;
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    mapping_fail(step->machine->error, MAPPING_FAILED, "at 0x%04x, %.80s: %s",
                 step->instruction->address, step->instruction->opcode, sentence);
}

/* Operand `n`; one of no kind that anything takes if there are fewer. */
static const struct operand *operand_at(struct step *step, unsigned n) {
    static const struct operand none = {.kind = OPERAND_OTHER, .text = ""};
    return n < step->instruction->count ? &step->instruction->operands[n] : &none;
}

static void fail_operand(struct step *step, unsigned n) {
    step_fail(step, "operand %u, '%.80s', is not modelled", n + 1, operand_at(step, n)->text);
}

/* The file of registers that the operand is in: the lane's or the uniform one. */
static struct lane *file_of(struct step *step, const struct operand *operand) {
    bool uniform = operand->kind == OPERAND_UNIFORM || operand->kind == OPERAND_UNIFORM_PREDICATE;
    if (!uniform && step->lane == UNIFORM_LANE)
        step_fail(step, "'%.80s' is not uniform", operand->text);
    return &step->machine->lanes[uniform ? UNIFORM_LANE : step->lane];
}

static bool is_register(const struct operand *operand) {
    return operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_UNIFORM;
}

static struct value read_register_behind(struct step *step, unsigned n, unsigned offset) {
    const struct operand *operand = operand_at(step, n);
    if (!is_register(operand) || (offset > 0 && (operand->negated || operand->inverted))) {
        fail_operand(step, n);
        return value_of(0);
    }
    if (operand->index == ZERO_REGISTER)
        return value_of(0);
    unsigned index = (unsigned)operand->index + offset;
    if (index >= ZERO_REGISTER) {
        fail_operand(step, n);
        return value_of(0);
    }
    return file_of(step, operand)->registers[index];
}

/* Reads or writes the register `offset` places behind operand `n`. */
static void write_register_behind(struct step *step, unsigned n, unsigned offset,
                                  struct value value) {
    const struct operand *operand = operand_at(step, n);
    unsigned index = (unsigned)operand->index + offset;
    bool zero = operand->index == ZERO_REGISTER;
    if (!is_register(operand) || operand->negated || operand->inverted ||
        (!zero && index >= ZERO_REGISTER)) {
        fail_operand(step, n);
        return;
    }
    struct lane *file = file_of(step, operand);
    if (!zero && !step->failed)
        file->registers[index] = value_low(value);
}

/* Reads 32 bits of constant bank 0 at a byte offset. Constants other than parameters are unknown.
 */
static struct value read_constant_word(struct step *step, uint32_t bank, uint32_t offset) {
    if (bank != 0 || offset % 4 != 0)
        step_fail(step, "constant c[0x%x][0x%x] is not modelled", bank, offset);
    const struct machine *machine = step->machine;
    uint32_t place = offset - machine->kernel->parameters;
    if (offset < machine->kernel->parameters || place >= 16)
        return value_unknown_word();
    uint64_t parameter = place < 8 ? machine->input->address : machine->output->address;
    return value_low(value_of(parameter >> (place % 8 * 8)));
}

/* Reads operand `n`: a register, immediate or constant, with its sign; 32 bits. */
static struct value read_word(struct step *step, unsigned n) {
    const struct operand *operand = operand_at(step, n);
    struct value value = value_of(0);
    if (is_register(operand) && !operand->inverted)
        value = read_register_behind(step, n, 0);
    else if (operand->kind == OPERAND_IMMEDIATE)
        value = value_of(operand->value);
    else if (operand->kind == OPERAND_CONSTANT)
        value = read_constant_word(step, operand->bank, operand->value);
    else
        fail_operand(step, n);
    return operand->negated ? value_low(value_negate(value)) : value;
}

/* The same for 64 bits: two registers, two constants, or an immediate that is not negative. */
static struct value read_double_word(struct step *step, unsigned n) {
    const struct operand *operand = operand_at(step, n);
    if (is_register(operand) && !operand->negated && !operand->inverted)
        return value_pair(read_register_behind(step, n, 0), read_register_behind(step, n, 1));
    if (operand->kind == OPERAND_CONSTANT)
        return value_pair(read_constant_word(step, operand->bank, operand->value),
                          read_constant_word(step, operand->bank, operand->value + 4));
    if (operand->kind == OPERAND_IMMEDIATE && operand->value >> 31 == 0)
        return value_of(operand->value);
    fail_operand(step, n);
    return value_of(0);
}

/* Reads operand `n`, which has to be an immediate of at most `limit`. */
static unsigned read_immediate(struct step *step, unsigned n, unsigned limit) {
    const struct operand *operand = operand_at(step, n);
    if (operand->kind == OPERAND_IMMEDIATE && operand->value <= limit)
        return operand->value;
    fail_operand(step, n);
    return 0;
}

/* Reads operand `n`, a predicate: 0 or 1. */
static struct value read_predicate(struct step *step, unsigned n) {
    const struct operand *operand = operand_at(step, n);
    if (operand->kind != OPERAND_PREDICATE && operand->kind != OPERAND_UNIFORM_PREDICATE) {
        fail_operand(step, n);
        return value_of(0);
    }
    struct value value = operand->index == TRUE_PREDICATE
                             ? value_of(1)
                             : file_of(step, operand)->predicates[operand->index];
    value.bits ^= operand->inverted;
    return value;
}

static void write_word(struct step *step, unsigned n, struct value value) {
    write_register_behind(step, n, 0, value);
}

static void write_double_word(struct step *step, unsigned n, struct value value) {
    write_register_behind(step, n, 0, value);
    write_register_behind(step, n, 1, value_shift_right(value, 32));
}

/* Writes operand `n`, one register, two registers, or a predicate. */
static void write_predicate(struct step *step, unsigned n, struct value value) {
    const struct operand *operand = operand_at(step, n);
    if ((operand->kind != OPERAND_PREDICATE && operand->kind != OPERAND_UNIFORM_PREDICATE) ||
        operand->inverted) {
        fail_operand(step, n);
        return;
    }
    struct lane *file = file_of(step, operand);
    if (operand->index != TRUE_PREDICATE && !step->failed)
        file->predicates[operand->index] =
            (struct value){value.bits & 1, value.known | ~UINT64_C(1)};
}

/* The address that operand `n` names, [..]; it has to be known. */
static uint64_t read_address(struct step *step, unsigned n) {
    const struct operand *operand = operand_at(step, n);
    /* Without .64 a register holds a whole address only in the style of Volta and Turing. */
    const char *opcode = step->instruction->opcode;
    bool old_style = strlen(opcode) > 4 && strcmp(opcode + strlen(opcode) - 4, ".SYS") == 0;
    if (operand->kind != OPERAND_ADDRESS || operand->index == NO_REGISTER ||
        (!operand->wide && !old_style)) {
        fail_operand(step, n);
        return 0;
    }
    const struct lane *lane = &step->machine->lanes[step->lane];
    const struct lane *uniform = &step->machine->lanes[UNIFORM_LANE];
    struct value address = value_of((uint64_t)(int64_t)(int32_t)operand->value);
    if (operand->index != ZERO_REGISTER) {
        const struct value *pair = &lane->registers[operand->index];
        address = value_add(address, value_pair(pair[0], pair[1]));
    }
    if (operand->uniform != NO_REGISTER && operand->uniform != ZERO_REGISTER) {
        const struct value *pair = &uniform->registers[operand->uniform];
        address = value_add(address, value_pair(pair[0], pair[1]));
    }
    if (!value_is_known(address, 64))
        step_fail(step, "the address in '%.80s' comes from a register that was never written",
                  operand->text);
    return address.bits;
}

/* The place of `size` bytes at `address` in the buffer. Fails if they are not inside or not
 * aligned. */
static uint8_t *locate(struct step *step, const struct buffer *buffer, const char *name,
                       uint64_t address, unsigned size) {
    if (step->failed)
        return NULL;
    if (address % size != 0)
        step_fail(step, "address 0x%llx is not aligned to %u bytes", (unsigned long long)address,
                  size);
    else if (size > buffer->size || address < buffer->address ||
             address - buffer->address > buffer->size - size)
        step_fail(step,
                  "thread %u accesses %u bytes at 0x%llx, outside the %s of %zu bytes at 0x%llx",
                  step->lane, size, (unsigned long long)address, name, buffer->size,
                  (unsigned long long)buffer->address);
    return step->failed ? NULL : buffer->bytes + (address - buffer->address);
}

/* ---- What each modelled instruction does in one lane ----
 *
 * The opcodes are matched with all their modifiers, and the operands are counted: what is not in
 * the table, or has another form, is refused. Their meaning: NVIDIA's "CUDA Binary Utilities",
 * instruction set tables, for what they are; the PTX ISA for the instructions of the same name
 * (lop3, prmt, shf, mad.wide, movmatrix); address arithmetic seen to work on an H200 for the order
 * of operands. */

/* What an opcode does in one lane. */
struct operation {
    const char *opcode;
    void (*run)(struct step *step, unsigned variant);
    unsigned variant;
};

/* Fails unless the instruction has `count` operands. */
static bool has_operands(struct step *step, unsigned count) {
    if (step->instruction->count != count)
        step_fail(step, "the form with %u operands is not modelled", step->instruction->count);
    return !step->failed;
}

/* How many predicates follow operand 0, of so many at most. */
static unsigned carries_out(const struct step *step, unsigned most) {
    unsigned count = 0;
    const struct instruction *instruction = step->instruction;
    while (count < most && 1 + count < instruction->count &&
           (instruction->operands[1 + count].kind == OPERAND_PREDICATE ||
            instruction->operands[1 + count].kind == OPERAND_UNIFORM_PREDICATE))
        count++;
    return count;
}

/* Where more than 32 bits count, a subtraction is not modelled: no operand may have a minus sign.
 */
static void refuse_negated(struct step *step) {
    for (unsigned n = 0; n < step->instruction->count; n++)
        if (step->instruction->operands[n].negated)
            step_fail(step, "'%.80s' is not modelled here", step->instruction->operands[n].text);
}

/* MOV d, a */
static void do_mov(struct step *step, unsigned unused) {
    (void)unused;
    if (has_operands(step, 2))
        write_word(step, 0, read_word(step, 1));
}

/* S2R d, SR_TID.X: the warp is the first of its block, so thread index and lane are the same. */
static void do_s2r(struct step *step, unsigned unused) {
    (void)unused;
    if (!has_operands(step, 2))
        return;
    const char *name = step->instruction->operands[1].text;
    if (step->lane == UNIFORM_LANE ||
        (strcmp(name, "SR_TID.X") != 0 && strcmp(name, "SR_LANEID") != 0))
        step_fail(step, "'%.80s' is not modelled", name);
    write_word(step, 0, value_of(step->lane));
}

/* IMAD d, a, b, c: d = a * b + c. The modifiers .MOV, .SHL, .IADD and .U32 say what it is used for,
 * or how the upper half would look, which is not kept. */
static void do_imad(struct step *step, unsigned unused) {
    (void)unused;
    if (has_operands(step, 4))
        write_word(
            step, 0,
            value_add(value_multiply(read_word(step, 1), read_word(step, 2)), read_word(step, 3)));
}

/* IMAD.X d, a, b, c, p: d = a * b + c + p */
static void do_imad_x(struct step *step, unsigned unused) {
    (void)unused;
    if (!has_operands(step, 5))
        return;
    struct value product = value_multiply(read_word(step, 1), read_word(step, 2));
    write_word(step, 0, value_add(value_add(product, read_word(step, 3)), read_predicate(step, 4)));
}

/* IMAD.WIDE d, a, b, c: 64-bit d = a * b + 64-bit c */
static void do_imad_wide(struct step *step, unsigned is_signed) {
    if (!has_operands(step, 4))
        return;
    refuse_negated(step);
    struct value a = read_word(step, 1), b = read_word(step, 2);
    if (is_signed) {
        a = value_sign_extend(a);
        b = value_sign_extend(b);
    }
    write_double_word(step, 0, value_add(value_multiply(a, b), read_double_word(step, 3)));
}

/* IADD d, a, b */
static void do_iadd(struct step *step, unsigned unused) {
    (void)unused;
    if (has_operands(step, 3))
        write_word(step, 0, value_add(read_word(step, 1), read_word(step, 2)));
}

/* IADD.64 d, a, b */
static void do_iadd_64(struct step *step, unsigned unused) {
    (void)unused;
    if (has_operands(step, 3))
        write_double_word(step, 0, value_add(read_double_word(step, 1), read_double_word(step, 2)));
}

/* IADD3 d[, p[, q]], a, b, c[, r, s]: d = a + b + c (+ r + s with .X). The carry is 0, 1 or 2: p is
 * set from 1 on, q from 2 on. */
static void do_iadd3(struct step *step, unsigned extended) {
    unsigned carries = carries_out(step, 2);
    if (!has_operands(step, 4 + carries + (extended ? 2 : 0)))
        return;
    if (carries > 0 || extended)
        refuse_negated(step);
    struct value sum =
        value_add(value_add(read_word(step, 1 + carries), read_word(step, 2 + carries)),
                  read_word(step, 3 + carries));
    if (extended)
        sum = value_add(value_add(sum, read_predicate(step, 4 + carries)),
                        read_predicate(step, 5 + carries));
    struct value carry = value_shift_right(sum, 32);
    bool known = value_is_known(carry, 32);
    for (unsigned c = 0; c < carries; c++)
        write_predicate(step, 1 + c, (struct value){carry.bits > c, known ? UINT64_MAX : 0});
    write_word(step, 0, sum);
}

/* LEA d[, p], a, b, s: d = (a << s) + b, p = its carry */
static void do_lea(struct step *step, unsigned unused) {
    (void)unused;
    unsigned carries = carries_out(step, 1);
    if (!has_operands(step, 4 + carries))
        return;
    if (carries > 0)
        refuse_negated(step);
    unsigned shift = read_immediate(step, 3 + carries, 31);
    struct value shifted = value_low(value_shift_left(read_word(step, 1 + carries), shift));
    struct value sum = value_add(shifted, read_word(step, 2 + carries));
    if (carries > 0)
        write_predicate(step, 1, value_shift_right(sum, 32));
    write_word(step, 0, sum);
}

/* LEA.HI.X d, a, b, c, s, p: d = upper half of (c:a << s) + b + p */
static void do_lea_hi_x(struct step *step, unsigned unused) {
    (void)unused;
    if (!has_operands(step, 6))
        return;
    refuse_negated(step);
    struct value pair = value_pair(read_word(step, 1), read_word(step, 3));
    unsigned shift = read_immediate(step, 4, 31);
    struct value high = value_low(value_shift_right(value_shift_left(pair, shift), 32));
    write_word(step, 0, value_add(value_add(high, read_word(step, 2)), read_predicate(step, 5)));
}

enum shift { SHIFT_LEFT, SHIFT_RIGHT_HIGH };

/* SHF.L.U32 d, a, s, c: d = lower half of c:a << s. SHF.R.U32.HI: d = upper half of c:a >> s. */
static void do_shf(struct step *step, unsigned direction) {
    if (!has_operands(step, 4))
        return;
    unsigned amount = read_immediate(step, 2, 31);
    struct value pair = value_pair(read_word(step, 1), read_word(step, 3));
    if (direction == SHIFT_LEFT)
        write_word(step, 0, value_shift_left(pair, amount));
    else
        write_word(step, 0, value_shift_right(value_shift_right(pair, amount), 32));
}

/* LOP3.LUT d, a, b, c, table, !PT */
static void do_lop3(struct step *step, unsigned unused) {
    (void)unused;
    if (!has_operands(step, 6))
        return;
    struct value nothing = read_predicate(step, 5);
    if (!value_is_known(nothing, 1) || nothing.bits != 0)
        step_fail(step, "its predicate is modelled only as !PT");
    write_word(step, 0,
               value_lop3(read_word(step, 1), read_word(step, 2), read_word(step, 3),
                          read_immediate(step, 4, 255)));
}

/* PRMT d, a, selector, b */
static void do_prmt(struct step *step, unsigned unused) {
    (void)unused;
    if (has_operands(step, 4))
        write_word(
            step, 0,
            value_permute(read_word(step, 1), read_word(step, 3), read_immediate(step, 2, 0xffff)));
}

enum comparison { EQUAL, NOT_EQUAL };

/* ISETP.EQ.U32.AND p, q, a, b, r: p = (a == b) && r, q = !(a == b) && r. Only with q = PT. */
static void do_isetp(struct step *step, unsigned comparison) {
    if (!has_operands(step, 5))
        return;
    struct value a = read_word(step, 2), b = read_word(step, 3), and = read_predicate(step, 4);
    const struct operand *second = &step->instruction->operands[1];
    if (second->kind != OPERAND_PREDICATE || second->index != TRUE_PREDICATE)
        step_fail(step, "a second result is not modelled");
    bool known = value_is_known(a, 32) && value_is_known(b, 32) && value_is_known(and, 1);
    bool result = (comparison == EQUAL) == (a.bits == b.bits) && and.bits;
    write_predicate(step, 0, (struct value){result, known ? UINT64_MAX : 0});
}

/* LDC d, c[0x0][0x160]; `words` registers */
static void do_ldc(struct step *step, unsigned words) {
    if (!has_operands(step, 2))
        return;
    const struct operand *from = &step->instruction->operands[1];
    if (from->kind != OPERAND_CONSTANT)
        step_fail(step, "'%.80s' is not modelled", from->text);
    for (unsigned w = 0; w < words; w++)
        write_register_behind(step, 0, w,
                              read_constant_word(step, from->bank, from->value + 4 * w));
}

/* LDG d, [address]; `size` bytes, the upper bits of a register become 0 */
static void do_ldg(struct step *step, unsigned size) {
    if (!has_operands(step, 2))
        return;
    const uint8_t *from = locate(step, step->machine->input, "input", read_address(step, 1), size);
    for (unsigned byte = 0; from && byte < size; byte += 4) {
        uint32_t word = 0;
        memcpy(&word, from + byte, size < 4 ? size : 4);
        write_register_behind(step, 0, byte / 4, value_of(word));
    }
}

/* STG [address], a; `size` bytes */
static void do_stg(struct step *step, unsigned size) {
    if (!has_operands(step, 2))
        return;
    const struct operand *stored = &step->instruction->operands[1];
    if (stored->negated || stored->inverted)
        step_fail(step, "'%.80s' is not modelled here", stored->text);
    uint8_t *to = locate(step, step->machine->output, "output", read_address(step, 0), size);
    for (unsigned byte = 0; to && byte < size; byte++) {
        struct value word = read_register_behind(step, 1, byte / 4);
        struct value content = value_shift_right(value_low(word), byte % 4 * 8);
        if (!value_is_known(content, 8))
            step_fail(step, "thread %u stores a register that was never written", step->lane);
        uint8_t *written = step->machine->written + (to - step->machine->output->bytes) + byte;
        uint8_t bits = (uint8_t)(content.bits & 0xff);
        if (*written && to[byte] != bits)
            step_fail(step, "thread %u overwrites an earlier store with another value", step->lane);
        if (step->failed)
            return;
        to[byte] = bits;
        *written = 1;
    }
}

/* HFMA2 d, -RZ, RZ, high, low: loads two constants as half-precision floats */
static void do_hfma2(struct step *step, unsigned unused) {
    (void)unused;
    if (!has_operands(step, 5))
        return;
    const struct operand *operands = step->instruction->operands;
    if (operands[1].kind != OPERAND_REGISTER || operands[1].index != ZERO_REGISTER ||
        !operands[1].negated || operands[2].kind != OPERAND_REGISTER ||
        operands[2].index != ZERO_REGISTER || operands[2].negated) {
        step_fail(step, "half-precision arithmetic is not modelled");
        return;
    }
    uint32_t halves[2];
    for (unsigned h = 0; h < 2; h++) {
        const struct operand *constant = &operands[3 + h];
        if (constant->kind != OPERAND_NUMBER || !half_bits(constant->number, &halves[h])) {
            step_fail(step, "'%.80s' is not a half-precision constant", constant->text);
            return;
        }
    }
    write_word(step, 0, value_of(halves[0] << 16 | halves[1]));
}

/* BMOV: convergence barriers guide threads together; they hold no data. */
static void do_bmov(struct step *step, unsigned unused) {
    (void)unused;
    if (!has_operands(step, 2) || step->instruction->operands[0].kind != OPERAND_BARRIER)
        step_fail(step, "moving a barrier to '%.80s' is not modelled",
                  step->instruction->operands[0].text);
}

static void do_nothing(struct step *step, unsigned unused) {
    (void)step, (void)unused;
}

static const struct operation operations[] = {
    {"MOV", do_mov, 0},
    {"S2R", do_s2r, 0},
    {"IMAD", do_imad, 0},
    {"IMAD.MOV.U32", do_imad, 0},
    {"IMAD.SHL.U32", do_imad, 0},
    {"IMAD.IADD", do_imad, 0},
    {"IMAD.U32", do_imad, 0},
    {"IMAD.X", do_imad_x, 0},
    {"IMAD.WIDE", do_imad_wide, true},
    {"IMAD.WIDE.U32", do_imad_wide, false},
    {"IADD", do_iadd, 0},
    {"IADD.64", do_iadd_64, 0},
    {"IADD3", do_iadd3, false},
    {"IADD3.X", do_iadd3, true},
    {"LEA", do_lea, 0},
    {"LEA.HI.X", do_lea_hi_x, 0},
    {"SHF.L.U32", do_shf, SHIFT_LEFT},
    {"SHF.R.U32.HI", do_shf, SHIFT_RIGHT_HIGH},
    {"LOP3.LUT", do_lop3, 0},
    {"PRMT", do_prmt, 0},
    {"ISETP.EQ.AND", do_isetp, EQUAL},
    {"ISETP.EQ.U32.AND", do_isetp, EQUAL},
    {"ISETP.NE.AND", do_isetp, NOT_EQUAL},
    {"ISETP.NE.U32.AND", do_isetp, NOT_EQUAL},
    {"LDC", do_ldc, 1},
    {"LDC.64", do_ldc, 2},
    {"LDC.128", do_ldc, 4},
    {"LDG.E.U8", do_ldg, 1},
    {"LDG.E.U16", do_ldg, 2},
    {"LDG.E", do_ldg, 4},
    {"LDG.E.64", do_ldg, 8},
    {"LDG.E.128", do_ldg, 16},
    {"STG.E.U8", do_stg, 1},
    {"STG.E.U16", do_stg, 2},
    {"STG.E", do_stg, 4},
    {"STG.E.64", do_stg, 8},
    {"STG.E.128", do_stg, 16},
    {"HFMA2", do_hfma2, 0},
    {"HFMA2.MMA", do_hfma2, 0},
    {"BMOV.32", do_bmov, 0},
    {"BMOV.32.CLEAR", do_bmov, 0},
    {"NOP", do_nothing, 0},
};

/* Instructions on uniform registers, and those on a thread's registers that do the same. */
static const struct {
    const char *uniform, *same_as;
} uniforms[] = {
    {"UMOV", "MOV"},
    {"UIMAD", "IMAD"},
    {"UIMAD.WIDE", "IMAD.WIDE"},
    {"UIMAD.WIDE.U32", "IMAD.WIDE.U32"},
    {"USHF.L.U32", "SHF.L.U32"},
    {"USHF.R.U32.HI", "SHF.R.U32.HI"},
    {"ULDC", "LDC"},
    {"ULDC.64", "LDC.64"},
    {"LDCU", "LDC"},
    {"LDCU.64", "LDC.64"},
    {"LDCU.128", "LDC.128"},
};

static const char *uniform_same_as(const char *opcode) {
    for (size_t u = 0; u < sizeof uniforms / sizeof *uniforms; u++)
        if (strcmp(opcode, uniforms[u].uniform) == 0)
            return uniforms[u].same_as;
    return NULL;
}

/* Finds the operation of an opcode with all its modifiers; NULL if it is not modelled. */
static const struct operation *operation_find(const char *opcode) {
    const char *same = uniform_same_as(opcode);
    if (same)
        opcode = same;
    /* Volta and Turing name the scope of an access, the whole system. One warp sees no difference.
     */
    size_t length = strlen(opcode);
    if (length > 4 && strcmp(opcode + length - 4, ".SYS") == 0 &&
        (strncmp(opcode, "LDG.", 4) == 0 || strncmp(opcode, "STG.", 4) == 0))
        length -= 4;
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        if (strncmp(opcode, operations[o].opcode, length) == 0 &&
            operations[o].opcode[length] == '\0')
            return &operations[o];
    return NULL;
}

/* ---- Running a program ---- */

/* Instructions that a program may execute before it is taken for one that never ends. */
enum { STEPS_MAX = 10000 };

/* After so many the time limit is looked at. */
enum { CHECKED_STEPS = 256 };

static const char several_undecided[] = "several branches have an undefined predicate";

/* How a branch goes whose condition was never written, and whether there was one. */
struct undecided {
    bool taken;
    unsigned met;
};

/* The guard of the instruction in this lane: 0 or 1, perhaps not known. */
static struct value guard_of(const struct machine *machine, const struct instruction *instruction,
                             unsigned lane) {
    const struct operand *guard = &instruction->guard;
    if (guard->kind == OPERAND_UNIFORM_PREDICATE)
        lane = UNIFORM_LANE;
    struct value value = guard->index == TRUE_PREDICATE
                             ? value_of(1)
                             : machine->lanes[lane].predicates[guard->index];
    value.bits ^= guard->inverted;
    return value;
}

/* Marks the active lanes whose guard holds. Returns how many they are. */
static unsigned select_lanes(struct step *step, struct undecided *undecided, bool selected[LANES]) {
    bool is_branch = strcmp(step->instruction->opcode, "BRA") == 0, met = false;
    unsigned count = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct value guard = guard_of(step->machine, step->instruction, lane);
        bool known = value_is_known(guard, 1), active = step->machine->lanes[lane].active;
        if (active && !known && !is_branch)
            step_fail(step, "its predicate is undefined");
        met |= active && !known;
        selected[lane] = active && (known ? guard.bits != 0 : undecided->taken);
        count += selected[lane];
    }
    undecided->met += met;
    return count;
}

static unsigned active_lanes(const struct machine *machine) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        count += machine->lanes[lane].active;
    return count;
}

/* The index of the instruction that BRA goes to. */
static size_t branch_target(struct step *step) {
    const struct instruction *instruction = step->instruction;
    const struct label *label = NULL;
    if (instruction->count == 1 && instruction->operands[0].kind == OPERAND_LABEL)
        label = kernel_label(step->machine->kernel, instruction->operands[0].text);
    if (!label)
        step_fail(step, "its target is not modelled");
    return label ? label->target : 0;
}

/* True if the instruction works on the warp, once, and not on each thread. */
static bool is_uniform(const struct instruction *instruction) {
    return instruction->count > 0 && (instruction->operands[0].kind == OPERAND_UNIFORM ||
                                      instruction->operands[0].kind == OPERAND_UNIFORM_PREDICATE);
}

/* MOVM.16.MT88 d, a. Row r of the matrix is in threads 4r .. 4r + 3, two elements in each, the
 * first in the lower half (PTX ISA, movmatrix). */
static void transpose(struct step *step) {
    struct value rows[LANES], columns[LANES];
    if (active_lanes(step->machine) != LANES || step->instruction->count != 2) {
        step_fail(step, "it is modelled only if all threads execute it");
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        step->lane = lane;
        rows[lane] = read_word(step, 1);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct value halves[2];
        for (unsigned h = 0; h < 2; h++) {
            unsigned row = lane / 4, col = lane % 4 * 2 + h; /* in the result */
            halves[h] = value_shift_right(value_low(rows[col * 4 + row / 2]), row % 2 * 16);
        }
        columns[lane] = value_permute(halves[0], halves[1], 0x5410);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        step->lane = lane;
        write_word(step, 0, columns[lane]);
    }
}

/* Runs the instruction in the selected lanes, or once for the warp. */
static void run_operation(struct step *step, const bool selected[LANES]) {
    const struct operation *operation = operation_find(step->instruction->opcode);
    if (!operation) {
        step_fail(step, "this instruction is not modelled");
    } else if (is_uniform(step->instruction)) {
        step->lane = UNIFORM_LANE;
        operation->run(step, operation->variant);
    } else {
        for (unsigned lane = 0; lane < LANES && !step->failed; lane++) {
            step->lane = lane;
            if (selected[lane])
                operation->run(step, operation->variant);
        }
    }
}

/* Executes one instruction and moves on to the next, or jumps. */
static void advance(struct step *step, struct undecided *undecided, size_t *next) {
    bool selected[LANES];
    unsigned count = select_lanes(step, undecided, selected);
    const char *opcode = step->instruction->opcode;
    ++*next;
    if (count == 0 || step->failed)
        return;
    if (strcmp(opcode, "BRA") == 0) {
        *next = branch_target(step);
        if (count != active_lanes(step->machine))
            step_fail(step, "only some threads branch; divergence is not modelled");
    } else if (strcmp(opcode, "EXIT") == 0) {
        for (unsigned lane = 0; lane < LANES; lane++)
            step->machine->lanes[lane].active &= !selected[lane];
    } else if (strcmp(opcode, "MOVM.16.MT88") == 0) {
        if (count != LANES)
            step_fail(step, "it is modelled only if all threads execute it");
        transpose(step);
    } else {
        run_operation(step, selected);
    }
}

/* Nothing in the machine has been written, and all threads are about to run. */
static void reset(struct machine *machine) {
    const struct value unknown_word = value_unknown_word(), unknown_predicate = {0, ~UINT64_C(1)};
    for (unsigned lane = 0; lane <= LANES; lane++) {
        struct lane *state = &machine->lanes[lane];
        for (unsigned r = 0; r < REGISTERS; r++)
            state->registers[r] = unknown_word;
        for (unsigned p = 0; p < PREDICATES; p++)
            state->predicates[p] = unknown_predicate;
        state->active = true;
    }
    memset(machine->written, 0, machine->output->size);
}

/* Runs the program once. */
static enum mapping_status run(struct machine *machine, struct undecided *undecided) {
    const struct kernel *kernel = machine->kernel;
    size_t next = 0;
    reset(machine);
    for (unsigned steps = 0; active_lanes(machine) > 0; steps++) {
        if (next >= kernel->count)
            return mapping_fail(machine->error, MAPPING_FAILED, "the program ends without EXIT");
        struct step step = {.machine = machine, .instruction = &kernel->code[next]};
        if (steps % CHECKED_STEPS == 0 && limit_check(machine->limit, machine->error) != MAPPING_OK)
            return MAPPING_FAILED;
        if (steps == STEPS_MAX)
            step_fail(&step, "the program does not end within %d instructions", STEPS_MAX);
        else
            advance(&step, undecided, &next);
        if (step.failed)
            return MAPPING_FAILED;
    }
    return MAPPING_OK;
}

/* Runs the program again with the undecided branch taken, and compares what it stored. */
static enum mapping_status run_other_way(struct machine *machine) {
    size_t size = machine->output->size;
    uint8_t *first = memory_get(2, size);
    memcpy(first, machine->output->bytes, size);
    memcpy(first + size, machine->written, size);
    struct undecided taken = {.taken = true};
    enum mapping_status status = run(machine, &taken);
    if (status == MAPPING_OK && taken.met > 1)
        status = mapping_fail(machine->error, MAPPING_FAILED, "%s", several_undecided);
    if (status == MAPPING_OK && (memcmp(first, machine->output->bytes, size) != 0 ||
                                 memcmp(first + size, machine->written, size) != 0))
        status = mapping_fail(machine->error, MAPPING_FAILED,
                              "the output depends on a branch with an undefined predicate");
    memory_free(first);
    return status;
}

enum mapping_status execute(const struct kernel *kernel, const struct buffer *input,
                            const struct buffer *output, uint8_t *written,
                            const struct limit *limit, struct mapping_error *error) {
    struct machine *machine = memory_get(1, sizeof *machine);
    machine->kernel = kernel;
    machine->input = input;
    machine->output = output;
    machine->written = written;
    machine->limit = limit;
    machine->error = error;
    struct undecided undecided = {.taken = false};
    enum mapping_status status = run(machine, &undecided);
    if (status == MAPPING_OK && undecided.met > 1)
        status = mapping_fail(error, MAPPING_FAILED, "%s", several_undecided);
    if (status == MAPPING_OK && undecided.met == 1)
        status = run_other_way(machine);
    memory_free(machine);
    return status;
}
