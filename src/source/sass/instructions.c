/* instructions.c - what each modelled instruction does in one lane.
 *
 * The opcodes are matched with all their modifiers, and the operands are counted: what is not in
 * the table, or has another form, is refused. Their meaning: NVIDIA's "CUDA Binary Utilities",
 * instruction set tables, for what they are; the PTX ISA for the instructions of the same name
 * (lop3, prmt, shf, mad.wide, movmatrix); address arithmetic seen to work on an H200 for the order
 * of operands. */
#include "source/sass/machine.h"

#include <string.h>

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

const struct operation *operation_find(const char *opcode) {
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
