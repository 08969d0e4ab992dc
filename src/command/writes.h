/* writes.h - the effect of the instructions of a listing: the registers that each instruction
 * writes, and the bytes that move and pack instructions copy. origins.c uses both to find the
 * origin of operands. */
#ifndef WRITES_H
#define WRITES_H

#include "listing/flow.h"
#include "listing/listing.h"
#include "report/form.h"

/* The number of registers of the largest operand: tcgen05.st.32x32b.x128. */
enum { ASKED_REGISTERS = 128 };

/* The origin of a byte of a register. If `width` is 0, it is byte `start` of a source. Otherwise it
 * is byte `part` of the result of converting the element of `width` bytes at byte `start`. */
struct moved_byte {
    uint32_t source; /* 0 to 2 in a move, an index of `uses`; after resolving, a write; FLOW_UNSURE
                        if unknown */
    uint8_t start, width, part;
};

/* A write that moves, packs or computes. */
struct move {
    uint32_t uses[3]; /* events of the flow analysis */
    struct moved_byte bytes[4];
    const char *packs; /* the instruction that packs, "F2FP"; NULL for a plain move */
    bool is_refill;    /* loads a spilled register again */
    bool is_computed;  /* computes one f32 from others; `bytes` belong to the source that is an
                          element of a product, if there is one */
};

/* An instruction of a function. */
struct told {
    const char *name; /* the opcode */
    struct form *form;
    uint32_t first; /* the event of its first write */
    size_t line;
    uint64_t address; /* UINT64_MAX if the listing has no addresses */
};

/* An operand whose origin was requested. */
struct asked {
    uint32_t place, first, count; /* the instruction, and the events of its uses */
    uint32_t operand;             /* index in the form */
    size_t instruction;           /* the number that the caller gave to the instruction */
};

/* Must be zeroed, and initialized by writes_reset. */
struct writes {
    struct flow flow;
    struct told *told; /* one for each instruction of `flow` */
    size_t told_room;
    struct move *moves;
    size_t move_count, move_room;
    struct asked *asked;
    size_t asked_count, asked_room;
    struct opcode_rule **rules; /* SASS: a hash table of rules by name */
    size_t rule_count, rule_room;
    struct virtual_register *names; /* PTX: a hash table of register numbers by name */
    size_t name_count, name_capacity;
    bool has_product;   /* the function contains a product; otherwise computations are not
                           recorded */
    bool has_spills;    /* SASS: the function has spilled registers at [R1+N] */
    bool is_spill_lost; /* local memory is written at an unknown address, or R1 changes after a
                           spill */
    size_t solved;      /* the bytes of all computations before this move are resolved */
    uint32_t function;  /* number of functions so far */
    uint64_t joins[16]; /* the targets of BSSY, where threads meet again */
    bool join_is_label[16];
};

/* Begins a new function. */
void writes_reset(struct writes *writes);

/* Records the instruction of a line. `form` is NULL for an instruction that does not use tensor
 * cores. If `is_asked`, the origin of the operands of `form` that it reads will be found. */
void writes_note(struct writes *writes, const struct listing_instruction *instruction,
                 struct form *form, const struct operand *operands, size_t count, size_t line,
                 bool is_asked, size_t number);

/* Records a label before the next instruction. */
void writes_label(struct writes *writes, const char *name, size_t length);

/* Finds the writes that reach every use (reaching definitions), at the end of a function. */
void writes_reach(struct writes *writes);

/* Resolves the bytes of the register that a use reads, through moves, packs and computations.
 * *packs becomes the name of the last instruction that packs, or NULL; *is_computed becomes true if
 * an instruction computes the value. */
void writes_resolve(const struct writes *writes, uint32_t use, struct moved_byte bytes[4],
                    const char **packs, bool *is_computed);

#endif
