/* machine.c - reading and writing the state of a warp; see machine.h. */
#include "source/sass/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void step_fail(struct step *step, const char *format, ...) {
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

struct value read_register_behind(struct step *step, unsigned n, unsigned offset) {
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

void write_register_behind(struct step *step, unsigned n, unsigned offset, struct value value) {
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

struct value read_constant_word(struct step *step, uint32_t bank, uint32_t offset) {
    if (bank != 0 || offset % 4 != 0)
        step_fail(step, "constant c[0x%x][0x%x] is not modelled", bank, offset);
    const struct machine *machine = step->machine;
    uint32_t place = offset - machine->kernel->parameters;
    if (offset < machine->kernel->parameters || place >= 16)
        return value_unknown_word();
    uint64_t parameter = place < 8 ? machine->input->address : machine->output->address;
    return value_low(value_of(parameter >> (place % 8 * 8)));
}

struct value read_word(struct step *step, unsigned n) {
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

struct value read_double_word(struct step *step, unsigned n) {
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

unsigned read_immediate(struct step *step, unsigned n, unsigned limit) {
    const struct operand *operand = operand_at(step, n);
    if (operand->kind == OPERAND_IMMEDIATE && operand->value <= limit)
        return operand->value;
    fail_operand(step, n);
    return 0;
}

struct value read_predicate(struct step *step, unsigned n) {
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

void write_word(struct step *step, unsigned n, struct value value) {
    write_register_behind(step, n, 0, value);
}

void write_double_word(struct step *step, unsigned n, struct value value) {
    write_register_behind(step, n, 0, value);
    write_register_behind(step, n, 1, value_shift_right(value, 32));
}

void write_predicate(struct step *step, unsigned n, struct value value) {
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

uint64_t read_address(struct step *step, unsigned n) {
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

uint8_t *locate(struct step *step, const struct buffer *buffer, const char *name, uint64_t address,
                unsigned size) {
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
