/* execute.c - executes a warp's integer program on the host; see execute.h.
 *
 * From top to bottom: integers whose bits may be undefined; the registers of a warp; the effect of
 * each supported opcode in one lane; and the loop over instructions. The lanes run in lockstep.
 * That is enough for straight-line code and for branches that all threads take together; other
 * branches are an error. */
#include "source/sass/execute.h"

#include "system/system.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values with bits that may be undefined ----
 *
 * A value is 64 bits wide; if it comes from a 32-bit register, its upper bits are zeros, which are
 * known. A bit of a result is known if it does not depend on unknown bits of the operands. An
 * operation may mark such a bit as unknown if the exact answer is expensive, but never the other
 * way around.
 */

struct value {
    uint64_t bits;
    uint64_t known; /* mask of the bits that were written */
};

#define LOW UINT64_C(0xffffffff)

/* A value with all bits known. */
static struct value value_of(uint64_t bits) {
    return (struct value){bits, UINT64_MAX};
}

/* A 32-bit value with no known bits. */
static struct value value_unknown_word(void) {
    return (struct value){0, ~LOW};
}

/* True if the lowest `width` bits are known. */
static bool value_is_known(struct value value, unsigned width) {
    return width == 0 || ~value.known << (64 - width) == 0;
}

/* The lowest 32 bits; the upper bits are zero. */
static struct value value_low(struct value value) {
    return (struct value){value.bits & LOW, value.known | ~LOW};
}

/* The lowest 32 bits; the upper bits are copies of bit 31. */
static struct value value_sign_extend(struct value value) {
    bool negative = value.bits >> 31 & 1, known = value.known >> 31 & 1;
    return (struct value){(value.bits & LOW) | (negative ? ~LOW : 0),
                          (value.known & LOW) | (known ? ~LOW : 0)};
}

/* Concatenates `low` and `high`, both of 32 bits. */
static struct value value_pair(struct value low, struct value high) {
    return (struct value){(low.bits & LOW) | high.bits << 32, (low.known & LOW) | high.known << 32};
}

/* The bits below the lowest unknown bit of both values. Unknown carries cannot change them. */
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

/* Shifts right by `amount`, 0 .. 63; zeros are shifted in. */
static struct value value_shift_right(struct value a, unsigned amount) {
    return (struct value){a.bits >> amount, a.known >> amount | ~(UINT64_MAX >> amount)};
}

/* Applies the table of a LOP3 to known operands. */
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
    for (unsigned ones = 1; ones < 8; ones++) /* operands with ones for unknown bits */
        same &= ~(first ^ lop3(ones & 4 ? a.bits | ~a.known : a.bits & a.known,
                               ones & 2 ? b.bits | ~b.known : b.bits & b.known,
                               ones & 1 ? c.bits | ~c.known : c.bits & c.known, table));
    return (struct value){first, same};
}

/* PRMT: nibble n of `selector` selects byte n of the result from the 8 bytes of b:a, where a has
 * the lower bytes. The highest bit of a nibble repeats the byte's sign. 32 bits. */
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

/* The bits of `number` as a half-precision float; false if it cannot be represented exactly. */
static bool half_bits(double number, uint32_t *bits) {
    int exponent;
    double magnitude = fabs(number);
    frexp(magnitude, &exponent);
    if (!(magnitude <= 65504))
        return false;
    if (magnitude == 0 || exponent < -13)
        exponent = -13; /* zero and subnormal halves are multiples of 2^-24 */
    double units = ldexp(magnitude, 11 - exponent); /* 1024 .. 2047 with the leading one */
    *bits = (signbit(number) ? 0x8000 : 0) + (uint32_t)units + ((uint32_t)(exponent + 13) << 10);
    return units == (double)(uint32_t)units;
}

/* ---- The state of a warp, read and written ---- */

enum { LANES = MAPPING_WARP, REGISTERS = 256, PREDICATES = 8 };

/* The lane that executes instructions on uniform registers, once for the warp. */
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
    bool taken;         /* whether to take a branch whose condition has unknown bits */
    unsigned undecided; /* number of such branches so far */
    struct lane lanes[LANES + 1];
};

/* An instruction that is being executed in one lane. After `failed`, everything reads as 0, and
 * nothing is written; the message is in machine->error. */
struct step {
    struct machine *machine;
    const struct instruction *instruction;
    unsigned lane;
    bool failed;
};

/* Fails with the instruction's address and opcode before the message. */
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

/* Operand `n`. If there are fewer, an operand of a kind that no instruction accepts. */
static const struct operand *operand_at(struct step *step, unsigned n) {
    static const struct operand none = {.kind = OPERAND_OTHER, .text = ""};
    return n < step->instruction->count ? &step->instruction->operands[n] : &none;
}

static void fail_operand(struct step *step, unsigned n) {
    step_fail(step, "operand %u, '%.80s', is not supported", n + 1, operand_at(step, n)->text);
}

/* The registers that contain the operand: those of the lane, or the uniform ones. */
static struct lane *file_of(struct step *step, const struct operand *operand) {
    if (!operand->is_uniform && step->lane == UNIFORM_LANE)
        step_fail(step, "'%.80s' is not uniform", operand->text);
    return &step->machine->lanes[operand->is_uniform ? UNIFORM_LANE : step->lane];
}

/* True if the opcode of a load or store ends with .SYS, as those of Volta and Turing do. */
static bool has_system_scope(const char *opcode) {
    size_t length = strlen(opcode);
    return length > 4 && strcmp(opcode + length - 4, ".SYS") == 0;
}

/* The register `offset` registers after operand `n`; NULL if the operand is RZ or URZ. */
static struct value *register_behind(struct step *step, unsigned n, unsigned offset) {
    const struct operand *operand = operand_at(step, n);
    bool is_zero_register = operand->index == ZERO_REGISTER;
    unsigned index = (unsigned)operand->index + offset;
    if (operand->kind == OPERAND_REGISTER && !is_zero_register && index < ZERO_REGISTER)
        return &file_of(step, operand)->registers[index];
    if (operand->kind != OPERAND_REGISTER || !is_zero_register)
        fail_operand(step, n);
    return NULL;
}

/* Reads this register, ignoring the operand's sign. */
static struct value read_register_behind(struct step *step, unsigned n, unsigned offset) {
    const struct value *place = register_behind(step, n, offset);
    return place ? *place : value_of(0);
}

/* Writes a register of operand 0, the result. */
static void write_result(struct step *step, unsigned offset, struct value value) {
    struct value *place = register_behind(step, 0, offset);
    if (operand_at(step, 0)->negated || operand_at(step, 0)->inverted)
        fail_operand(step, 0);
    if (place && !step->failed)
        *place = value_low(value);
}

/* Reads 32 bits of constant bank 0 at a byte offset. Only parameters are known. */
static struct value read_constant_word(struct step *step, uint32_t bank, uint32_t offset) {
    if (bank != 0 || offset % 4 != 0)
        step_fail(step, "constant c[0x%x][0x%x] is not supported", bank, offset);
    const struct machine *machine = step->machine;
    uint32_t place = offset - machine->kernel->parameters;
    if (offset < machine->kernel->parameters || place >= 16)
        return value_unknown_word();
    uint64_t parameter = place < 8 ? machine->input->address : machine->output->address;
    return value_low(value_of(parameter >> (place % 8 * 8)));
}

/* Reads word 0 or 1 of operand `n`, a register, immediate or constant, ignoring its sign. */
static struct value read_unsigned(struct step *step, unsigned n, unsigned word) {
    const struct operand *operand = operand_at(step, n);
    if (operand->kind == OPERAND_REGISTER)
        return read_register_behind(step, n, word);
    if (operand->kind == OPERAND_CONSTANT)
        return read_constant_word(step, operand->bank, operand->value + 4 * word);
    if (operand->kind != OPERAND_IMMEDIATE)
        fail_operand(step, n);
    return value_of(word == 0 ? operand->value : 0);
}

/* Reads operand `n` with its sign; 32 bits. */
static struct value read_word(struct step *step, unsigned n) {
    struct value value = read_unsigned(step, n, 0);
    if (operand_at(step, n)->inverted)
        fail_operand(step, n);
    return operand_at(step, n)->negated ? value_low(value_negate(value)) : value;
}

/* Reads operand `n`, 64 bits. Refuses signs, and immediates that are negative. */
static struct value read_double_word(struct step *step, unsigned n) {
    const struct operand *operand = operand_at(step, n);
    if (operand->negated || operand->inverted ||
        (operand->kind == OPERAND_IMMEDIATE && operand->value >> 31))
        fail_operand(step, n);
    return value_pair(read_unsigned(step, n, 0), read_unsigned(step, n, 1));
}

/* Reads operand `n`, which has to be an immediate of at most `limit`. */
static unsigned read_immediate(struct step *step, unsigned n, unsigned limit) {
    const struct operand *operand = operand_at(step, n);
    if (operand->kind == OPERAND_IMMEDIATE && operand->value <= limit)
        return operand->value;
    fail_operand(step, n);
    return 0;
}

/* The value of a predicate: 0 or 1, or unknown. */
static struct value predicate_value(struct step *step, const struct operand *operand) {
    struct value value = operand->index == TRUE_PREDICATE
                             ? value_of(1)
                             : file_of(step, operand)->predicates[operand->index];
    value.bits ^= operand->inverted;
    return value;
}

/* Reads operand `n`, a predicate. */
static struct value read_predicate(struct step *step, unsigned n) {
    const struct operand *operand = operand_at(step, n);
    if (operand->kind == OPERAND_PREDICATE && !operand->negated)
        return predicate_value(step, operand);
    fail_operand(step, n);
    return value_of(0);
}

/* Writes operand `n`, a predicate. */
static void write_predicate(struct step *step, unsigned n, struct value value) {
    const struct operand *operand = operand_at(step, n);
    if (operand->kind != OPERAND_PREDICATE || operand->negated || operand->inverted) {
        fail_operand(step, n);
        return;
    }
    struct lane *file = file_of(step, operand);
    if (operand->index != TRUE_PREDICATE && !step->failed)
        file->predicates[operand->index] =
            (struct value){value.bits & 1, value.known | ~UINT64_C(1)};
}

/* The address in operand `n`, [...]; it must be known. */
static uint64_t read_address(struct step *step, unsigned n) {
    const struct operand *operand = operand_at(step, n);
    /* Without .64, a register contains a whole address only in the code of Volta and Turing. */
    if (operand->kind != OPERAND_ADDRESS || operand->index == NO_REGISTER ||
        (!operand->wide && !has_system_scope(step->instruction->opcode))) {
        fail_operand(step, n);
        return 0;
    }
    struct value address = value_of((uint64_t)(int64_t)(int32_t)operand->value);
    for (unsigned uniform = 0; uniform < 2; uniform++) {
        const struct lane *lane = &step->machine->lanes[uniform ? UNIFORM_LANE : step->lane];
        int index = uniform ? operand->uniform : operand->index;
        if (index != NO_REGISTER && index != ZERO_REGISTER)
            address =
                value_add(address, value_pair(lane->registers[index], lane->registers[index + 1]));
    }
    if (!value_is_known(address, 64))
        step_fail(step, "the address in '%.80s' comes from a register that was never written",
                  operand->text);
    return address.bits;
}

/* The pointer to `size` bytes at `address` in the buffer. Fails if they are outside or not aligned.
 */
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

/* ---- The effect of each supported instruction in one lane ----
 *
 * Opcodes are compared with all their modifiers, and operands are counted. An opcode that is not in
 * the table, or has another form, is refused. The sources of their meaning are the instruction set
 * tables in NVIDIA's "CUDA Binary Utilities", and the PTX ISA for instructions with the same name
 * (lop3, prmt, shf, mad.wide, movmatrix). The order of operands follows from compiled address
 * arithmetic that ran on an H200.
 *
 * The form of an instruction has a letter for each operand. IADD3 is "dccwww": a register that is
 * written, two carries that may be missing, and three words that are read. */

/* A row for opcodes with the same effect. Either `compute` maps the values of the operands that are
 * read, in order and padded with zeros, to the result; or `move` accesses the operands itself. */
struct operation {
    const char *opcodes; /* separated by blanks */
    const char *form;
    struct value (*compute)(const struct value in[OPERANDS_MAX]);
    void (*move)(struct step *step, unsigned size);
    unsigned size; /* number of bytes, for `move` */
};

/* MOV d, a; S2R d, SR_TID.X */
static struct value copy(const struct value in[OPERANDS_MAX]) {
    return in[0];
}

/* IADD d, a, b; IADD3 d[, p[, q]], a, b, c; IADD3.X d[, p[, q]], a, b, c, r, s: the sum of all */
static struct value add(const struct value in[OPERANDS_MAX]) {
    struct value sum = in[0];
    for (unsigned n = 1; n < OPERANDS_MAX; n++)
        sum = value_add(sum, in[n]);
    return sum;
}

/* IMAD d, a, b, c[, p]: d = a * b + c + p. The modifiers .MOV, .SHL, .IADD and .U32 only state the
 * purpose, or affect only the upper half of the result, which is dropped. */
static struct value multiply_add(const struct value in[OPERANDS_MAX]) {
    return value_add(value_add(value_multiply(in[0], in[1]), in[2]), in[3]);
}

/* LEA d[, p], a, b, s: d = (a << s) + b, p = its carry */
static struct value shift_add(const struct value in[OPERANDS_MAX]) {
    return value_add(value_low(value_shift_left(in[0], (unsigned)in[2].bits)), in[1]);
}

/* LEA.HI.X d, a, b, c, s, p: d = upper half of (c:a << s) + b + p */
static struct value shift_add_high(const struct value in[OPERANDS_MAX]) {
    struct value shifted = value_shift_left(value_pair(in[0], in[2]), (unsigned)in[3].bits);
    return value_add(value_add(value_low(value_shift_right(shifted, 32)), in[1]), in[4]);
}

/* SHF.L.U32 d, a, s, c: d = lower half of c:a << s */
static struct value shift_left(const struct value in[OPERANDS_MAX]) {
    return value_shift_left(value_pair(in[0], in[2]), (unsigned)in[1].bits);
}

/* SHF.R.U32.HI d, a, s, c: d = upper half of c:a >> s */
static struct value shift_right_high(const struct value in[OPERANDS_MAX]) {
    struct value pair = value_pair(in[0], in[2]);
    return value_shift_right(value_shift_right(pair, (unsigned)in[1].bits), 32);
}

/* LOP3.LUT d, a, b, c, table, !PT */
static struct value bitwise(const struct value in[OPERANDS_MAX]) {
    return value_lop3(in[0], in[1], in[2], (unsigned)in[3].bits);
}

/* PRMT d, a, selector, b */
static struct value permute(const struct value in[OPERANDS_MAX]) {
    return value_permute(in[0], in[2], (unsigned)in[1].bits);
}

/* ISETP.EQ.U32.AND p, q, a, b, r: p = (a == b) && r, q = !(a == b) && r. Only q = PT, which is
 * in[0], is supported. */
static struct value equal(const struct value in[OPERANDS_MAX]) {
    bool known = value_is_known(in[1], 32) && value_is_known(in[2], 32) && value_is_known(in[3], 1);
    return (struct value){in[1].bits == in[2].bits && in[3].bits, known ? UINT64_MAX : 0};
}

/* The same for ISETP.NE.U32.AND: p = (a != b) && r. */
static struct value not_equal(const struct value in[OPERANDS_MAX]) {
    struct value result = equal(in);
    result.bits = in[1].bits != in[2].bits && in[3].bits;
    return result;
}

/* LDC d, c[0x0][0x160]; one register for every 4 bytes */
static void load_constant(struct step *step, unsigned size) {
    const struct operand *from = operand_at(step, 1);
    if (from->kind != OPERAND_CONSTANT)
        step_fail(step, "'%.80s' is not supported", from->text);
    for (unsigned byte = 0; byte < size; byte += 4)
        write_result(step, byte / 4, read_constant_word(step, from->bank, from->value + byte));
}

/* LDG d, [address]; the upper bits of a register become 0 */
static void load(struct step *step, unsigned size) {
    const uint8_t *from = locate(step, step->machine->input, "input", read_address(step, 1), size);
    for (unsigned byte = 0; from && byte < size; byte += 4) {
        uint32_t word = 0;
        memcpy(&word, from + byte, size < 4 ? size : 4);
        write_result(step, byte / 4, value_of(word));
    }
}

/* STG [address], a */
static void store(struct step *step, unsigned size) {
    const struct operand *stored = operand_at(step, 1);
    if (stored->negated || stored->inverted)
        step_fail(step, "'%.80s' is not supported here", stored->text);
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
static void load_halves(struct step *step, unsigned unused) {
    (void)unused;
    uint32_t halves[2];
    for (unsigned n = 1; n <= 2; n++) {
        const struct operand *zero = operand_at(step, n);
        if (zero->kind != OPERAND_REGISTER || zero->is_uniform || zero->index != ZERO_REGISTER ||
            zero->negated != (n == 1)) {
            step_fail(step, "half-precision arithmetic is not supported");
            return;
        }
    }
    for (unsigned h = 0; h < 2; h++) {
        const struct operand *constant = operand_at(step, 3 + h);
        if (constant->kind != OPERAND_NUMBER || !half_bits(constant->number, &halves[h])) {
            step_fail(step, "'%.80s' is not a half-precision constant", constant->text);
            return;
        }
    }
    write_result(step, 0, value_of(halves[0] << 16 | halves[1]));
}

/* BMOV: convergence barriers synchronize threads; they contain no data. */
static void move_barrier(struct step *step, unsigned unused) {
    (void)unused;
    if (operand_at(step, 0)->kind != OPERAND_BARRIER)
        step_fail(step, "moving a barrier to '%.80s' is not supported", operand_at(step, 0)->text);
}

/* run_in_lane and read_source explain the letters of the form. A dot is an operand that `move`
 * reads or writes itself. */
static const struct operation operations[] = {
    {"MOV UMOV", "dw", .compute = copy},
    {"S2R", "dS", .compute = copy},
    {"IMAD IMAD.MOV.U32 IMAD.SHL.U32 IMAD.IADD IMAD.U32 UIMAD", "dwww", .compute = multiply_add},
    {"IMAD.X", "dwwwp", .compute = multiply_add},
    {"IMAD.WIDE UIMAD.WIDE", "DssW", .compute = multiply_add},
    {"IMAD.WIDE.U32 UIMAD.WIDE.U32", "DuuW", .compute = multiply_add},
    {"IADD", "dww", .compute = add},
    {"IADD.64", "DWW", .compute = add},
    {"IADD3", "dccwww", .compute = add},
    {"IADD3.X", "dccuuupp", .compute = add},
    {"LEA", "dcww5", .compute = shift_add},
    {"LEA.HI.X", "duuu5p", .compute = shift_add_high},
    {"SHF.L.U32 USHF.L.U32", "dw5w", .compute = shift_left},
    {"SHF.R.U32.HI USHF.R.U32.HI", "dw5w", .compute = shift_right_high},
    {"LOP3.LUT", "dwww8F", .compute = bitwise},
    {"PRMT", "dw6w", .compute = permute},
    {"ISETP.EQ.AND ISETP.EQ.U32.AND", "PTwwp", .compute = equal},
    {"ISETP.NE.AND ISETP.NE.U32.AND", "PTwwp", .compute = not_equal},
    {"LDC ULDC LDCU", "..", .move = load_constant, .size = 4},
    {"LDC.64 ULDC.64 LDCU.64", "..", .move = load_constant, .size = 8},
    {"LDC.128 LDCU.128", "..", .move = load_constant, .size = 16},
    {"LDG.E.U8", "..", .move = load, .size = 1},
    {"LDG.E.U16", "..", .move = load, .size = 2},
    {"LDG.E", "..", .move = load, .size = 4},
    {"LDG.E.64", "..", .move = load, .size = 8},
    {"LDG.E.128", "..", .move = load, .size = 16},
    {"STG.E.U8", "..", .move = store, .size = 1},
    {"STG.E.U16", "..", .move = store, .size = 2},
    {"STG.E", "..", .move = store, .size = 4},
    {"STG.E.64", "..", .move = store, .size = 8},
    {"STG.E.128", "..", .move = store, .size = 16},
    {"HFMA2 HFMA2.MMA", ".....", .move = load_halves},
    {"BMOV.32 BMOV.32.CLEAR", "..", .move = move_barrier},
};

/* Finds the operation of an opcode with all its modifiers; NULL if it is not supported. */
static const struct operation *operation_find(const char *opcode) {
    /* For Volta and Turing, opcodes contain the scope of an access, the whole system. This makes no
     * difference for one warp. */
    size_t length = strlen(opcode);
    if (has_system_scope(opcode) &&
        (strncmp(opcode, "LDG.", 4) == 0 || strncmp(opcode, "STG.", 4) == 0))
        length -= 4;
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (const char *name = operations[o].opcodes; *name; name += strspn(name, " ")) {
            size_t other = strcspn(name, " ");
            if (other == length && strncmp(opcode, name, length) == 0)
                return &operations[o];
            name += other;
        }
    return NULL;
}

/* Reads operand `n` according to its letter in the form. */
static struct value read_source(struct step *step, unsigned n, int letter) {
    const struct operand *operand = operand_at(step, n);
    switch (letter) {
    case 'w': /* a word */
        return read_word(step, n);
    case 'W': /* two words */
        return read_double_word(step, n);
    case 'u': /* a word in arithmetic wider than 32 bits; negation is not supported */
    case 's': /* the same, sign-extended */
        if (operand->negated)
            step_fail(step, "'%.80s' is not supported here", operand->text);
        return letter == 's' ? value_sign_extend(read_word(step, n)) : read_word(step, n);
    case 'p': /* a predicate */
        return read_predicate(step, n);
    case 'T': /* PT in place of a second result */
        if (operand->kind != OPERAND_PREDICATE || operand->is_uniform ||
            operand->index != TRUE_PREDICATE)
            step_fail(step, "a second result is not supported");
        return value_of(1);
    case 'F': { /* !PT */
        struct value predicate = read_predicate(step, n);
        if (!value_is_known(predicate, 1) || predicate.bits != 0)
            step_fail(step, "its predicate is supported only as !PT");
        return predicate;
    }
    case 'S': /* the lane, which is also the thread index in the first warp of a block */
        if (step->lane == UNIFORM_LANE ||
            (strcmp(operand->text, "SR_TID.X") != 0 && strcmp(operand->text, "SR_LANEID") != 0))
            step_fail(step, "'%.80s' is not supported", operand->text);
        return value_of(step->lane);
    case '5': /* an immediate of 5 bits: the amount of a shift */
        return value_of(read_immediate(step, n, 31));
    case '8': /* an immediate of 8 bits: the table of LOP3 */
        return value_of(read_immediate(step, n, 0xff));
    default: /* '6', an immediate of 16 bits: the selector of PRMT */
        return value_of(read_immediate(step, n, 0xffff));
    }
}

/* Executes an operation in one lane. Its result is written to operand 0: d is a register, D two of
 * them, P a predicate. A predicate that follows may be a carry, c. The carry out is 0, 1 or 2: the
 * first predicate is true if it is at least 1, the second if it is 2. */
static void run_in_lane(struct step *step, const struct operation *operation) {
    const char *sources = operation->form + 1;
    unsigned carries = 0, count = step->instruction->count;
    for (; *sources == 'c'; sources++)
        carries += operand_at(step, 1 + carries)->kind == OPERAND_PREDICATE;
    if (count != 1 + carries + strlen(sources)) {
        step_fail(step, "the form with %u operands is not supported", count);
        return;
    }
    if (operation->move) {
        operation->move(step, operation->size);
        return;
    }
    struct value in[OPERANDS_MAX];
    for (unsigned n = 0; n < OPERANDS_MAX; n++)
        in[n] = value_of(0);
    for (unsigned n = 0; sources[n]; n++)
        in[n] =
            read_source(step, 1 + carries + n, carries > 0 && sources[n] == 'w' ? 'u' : sources[n]);
    struct value result = operation->compute(in), carry = value_shift_right(result, 32);
    bool known = value_is_known(carry, 32);
    for (unsigned c = 0; c < carries; c++)
        write_predicate(step, 1 + c, (struct value){carry.bits > c, known ? UINT64_MAX : 0});
    if (*operation->form == 'P')
        write_predicate(step, 0, result);
    else
        write_result(step, 0, result);
    if (*operation->form == 'D')
        write_result(step, 1, carry);
}

/* ---- Running a program ---- */

/* The number of instructions after which a program is assumed not to end. */
enum { STEPS_MAX = 10000 };

/* The time limit is checked after this number of instructions. */
enum { CHECKED_STEPS = 256 };

/* Marks the active lanes whose guard is true. Returns their number. */
static unsigned select_lanes(struct step *step, bool selected[LANES]) {
    bool is_branch = strcmp(step->instruction->opcode, "BRA") == 0, met = false;
    unsigned count = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        step->lane = lane;
        struct value guard = predicate_value(step, &step->instruction->guard);
        bool known = value_is_known(guard, 1), active = step->machine->lanes[lane].active;
        if (active && !known && !is_branch)
            step_fail(step, "its predicate is undefined");
        met |= active && !known;
        selected[lane] = active && (known ? guard.bits != 0 : step->machine->taken);
        count += selected[lane];
    }
    step->machine->undecided += met;
    return count;
}

static unsigned active_lanes(const struct machine *machine) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        count += machine->lanes[lane].active;
    return count;
}

/* Finds the first label of the kernel with this name; NULL if there is none. */
static const struct label *kernel_label(const struct kernel *kernel, const char *name) {
    for (size_t l = 0; l < kernel->label_count; l++)
        if (strcmp(kernel->labels[l].name, name) == 0)
            return &kernel->labels[l];
    return NULL;
}

/* The index of the target of BRA. */
static size_t branch_target(struct step *step) {
    const struct instruction *instruction = step->instruction;
    const struct label *label = NULL;
    if (instruction->count == 1 && instruction->operands[0].kind == OPERAND_LABEL)
        label = kernel_label(step->machine->kernel, instruction->operands[0].text);
    if (!label)
        step_fail(step, "its target is not supported");
    return label ? label->target : 0;
}

/* MOVM.16.MT88 d, a. Row r of the matrix is in threads 4r .. 4r + 3, two elements in each, the
 * first in the lower half (PTX ISA, movmatrix). */
static void transpose(struct step *step, unsigned lanes) {
    struct value rows[LANES], columns[LANES];
    if (lanes != LANES || step->instruction->count != 2) {
        step_fail(step, "it is supported only if all threads execute it");
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        step->lane = lane;
        rows[lane] = read_word(step, 1);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct value halves[2];
        for (unsigned h = 0; h < 2; h++) {
            unsigned row = lane / 4, col = lane % 4 * 2 + h; /* a half of the result */
            halves[h] = value_shift_right(value_low(rows[col * 4 + row / 2]), row % 2 * 16);
        }
        columns[lane] = value_permute(halves[0], halves[1], 0x5410);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        step->lane = lane;
        write_result(step, 0, columns[lane]);
    }
}

/* Executes the instruction in the selected lanes, or once for the warp. */
static void run_operation(struct step *step, const bool selected[LANES]) {
    const struct operation *operation = operation_find(step->instruction->opcode);
    if (!operation) {
        step_fail(step, "this instruction is not supported");
    } else if (operand_at(step, 0)->is_uniform) {
        step->lane = UNIFORM_LANE;
        run_in_lane(step, operation);
    } else {
        for (unsigned lane = 0; lane < LANES && !step->failed; lane++) {
            step->lane = lane;
            if (selected[lane])
                run_in_lane(step, operation);
        }
    }
}

/* Executes one instruction and moves on to the next, or jumps. */
static void advance(struct step *step, size_t *next) {
    bool selected[LANES];
    unsigned count = select_lanes(step, selected);
    const char *opcode = step->instruction->opcode;
    ++*next;
    if (count == 0 || step->failed)
        return;
    if (strcmp(opcode, "BRA") == 0) {
        *next = branch_target(step);
        if (count != active_lanes(step->machine))
            step_fail(step, "only some threads branch; divergence is not supported");
    } else if (strcmp(opcode, "EXIT") == 0) {
        for (unsigned lane = 0; lane < LANES; lane++)
            step->machine->lanes[lane].active &= !selected[lane];
    } else if (strcmp(opcode, "MOVM.16.MT88") == 0) {
        transpose(step, count);
    } else if (strcmp(opcode, "NOP") != 0) {
        run_operation(step, selected);
    }
}

/* Makes all registers and predicates unknown, all output unwritten, and all threads active. */
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

/* Runs the program once. `taken` decides branches with an unknown condition. */
static enum mapping_status run(struct machine *machine, bool taken) {
    const struct kernel *kernel = machine->kernel;
    size_t next = 0;
    reset(machine);
    machine->taken = taken;
    machine->undecided = 0;
    for (unsigned steps = 0; active_lanes(machine) > 0; steps++) {
        if (next >= kernel->count)
            return mapping_fail(machine->error, MAPPING_FAILED, "the program ends without EXIT");
        struct step step = {.machine = machine, .instruction = &kernel->code[next]};
        if (steps % CHECKED_STEPS == 0 && limit_check(machine->limit, machine->error) != MAPPING_OK)
            return MAPPING_FAILED;
        if (steps == STEPS_MAX)
            step_fail(&step, "the kernel does not end within %d instructions", STEPS_MAX);
        else
            advance(&step, &next);
        if (step.failed)
            return MAPPING_FAILED;
    }
    return machine->undecided <= 1 ? MAPPING_OK
                                   : mapping_fail(machine->error, MAPPING_FAILED,
                                                  "several branches have an undefined predicate");
}

/* Runs the program again with the undecided branches taken, and compares the stored values. */
static enum mapping_status run_other_way(struct machine *machine) {
    size_t size = machine->output->size;
    uint8_t *first = memory_get(2, size);
    memcpy(first, machine->output->bytes, size);
    memcpy(first + size, machine->written, size);
    enum mapping_status status = run(machine, true);
    if (status == MAPPING_OK && (memcmp(first, machine->output->bytes, size) != 0 ||
                                 memcmp(first + size, machine->written, size) != 0))
        status = mapping_fail(machine->error, MAPPING_FAILED,
                              "the output depends on a branch with an undefined predicate");
    mapping_free(first);
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
    enum mapping_status status = run(machine, false);
    if (status == MAPPING_OK && machine->undecided > 0)
        status = run_other_way(machine);
    mapping_free(machine);
    return status;
}
