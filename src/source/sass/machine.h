/* machine.h - the state of a warp, and what instructions share in reading and writing it. */
#ifndef MACHINE_H
#define MACHINE_H

#include "source/sass/execute.h"
#include "source/sass/value.h"

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
void step_fail(struct step *step, const char *format, ...);

/* Reads operand `n`: a register, immediate or constant, with its sign; 32 bits. */
struct value read_word(struct step *step, unsigned n);

/* The same for 64 bits: two registers, two constants, or an immediate that is not negative. */
struct value read_double_word(struct step *step, unsigned n);

/* Reads operand `n`, which has to be an immediate of at most `limit`. */
unsigned read_immediate(struct step *step, unsigned n, unsigned limit);

/* Reads operand `n`, a predicate: 0 or 1. */
struct value read_predicate(struct step *step, unsigned n);

/* Writes operand `n`, one register, two registers, or a predicate. */
void write_word(struct step *step, unsigned n, struct value value);
void write_double_word(struct step *step, unsigned n, struct value value);
void write_predicate(struct step *step, unsigned n, struct value value);

/* Reads or writes the register `offset` places behind operand `n`. */
struct value read_register_behind(struct step *step, unsigned n, unsigned offset);
void write_register_behind(struct step *step, unsigned n, unsigned offset, struct value value);

/* Reads a constant of bank 0 at a byte offset; what is no parameter is unknown. 32 bits. */
struct value read_constant_word(struct step *step, uint32_t bank, uint32_t offset);

/* The address that operand `n` names, [..]; it has to be known. */
uint64_t read_address(struct step *step, unsigned n);

/* The place of `size` bytes at `address` in the buffer. Fails if they are not inside or not
 * aligned. */
uint8_t *locate(struct step *step, const struct buffer *buffer, const char *name, uint64_t address,
                unsigned size);

/* What an opcode does in one lane. */
struct operation {
    const char *opcode;
    void (*run)(struct step *step, unsigned variant);
    unsigned variant;
};

/* Finds the operation of an opcode with all its modifiers; NULL if it is not modelled. */
const struct operation *operation_find(const char *opcode);

#endif
