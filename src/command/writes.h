/* writes.h - the effect of the instructions of a listing: the registers that each writes, and the
 * bytes that moves and packs copy. The origin of operands is found from these. */
#ifndef WRITES_H
#define WRITES_H

#include "listing/flow.h"
#include "listing/listing.h"
#include "report/form.h"

/* The origin of a byte of a register: byte `part` of an element of `width` bytes at byte `start` of
 * a source, converted; or, if `width` is 0, byte `start` as it is. */
struct moved_byte {
    uint32_t source; /* 0 to 2 in a move; a write once it is resolved; FLOW_UNSURE: unknown */
    uint8_t start, width, part;
};

/* A write that moves, packs or computes. */
struct move {
    uint32_t uses[3]; /* events */
    struct moved_byte bytes[4];
    const char *packs; /* "F2FP"; NULL of a plain move */
    bool is_computed;  /* computes one f32 from others; `bytes` are those of the source that is an
                          element of a product, if any */
};

/* An instruction of a function. */
struct told {
    const char *name; /* its opcode */
    struct form *form;
    uint32_t first; /* the event that is its first write */
    size_t line;
    uint64_t address; /* UINT64_MAX: the listing does not say */
};

/* An operand whose origin is wanted. */
struct asked {
    uint32_t place, first, count; /* the instruction, and its uses: events */
    uint32_t operand;             /* of its form */
    size_t instruction;           /* as the caller counts */
};

/* Begins zeroed, with writes_reset. */
struct writes {
    struct flow flow;
    struct told *told; /* one for each place of `flow` */
    size_t told_room;
    struct move *moves;
    size_t move_count, move_room;
    struct asked *asked;
    size_t asked_count, asked_room;
    struct opcode_rule **rules; /* of SASS, by hash: what those of one name do */
    size_t rule_count, rule_room;
    struct virtual_register *names; /* of PTX, by hash: their numbers */
    size_t name_count, name_capacity;
    bool has_product;   /* the function has a product; else computations do not matter */
    size_t solved;      /* the bytes of all computations before this move are known */
    uint32_t function;  /* how many were begun */
    uint64_t joins[16]; /* where BSSY says that threads meet again */
    bool join_is_label[16];
};

/* Begins another function. */
void writes_reset(struct writes *writes);

/* Records the instruction of a line. If `is_asked`, finds the origin of the operands of `form` that
 * it reads; `form` is NULL if it does not use tensor cores. */
void writes_note(struct writes *writes, const struct listing_instruction *instruction,
                 struct form *form, const struct operand *operands, size_t count, size_t line,
                 bool is_asked, size_t number);

/* Notes a label in front of the next instruction. */
void writes_label(struct writes *writes, const char *name, size_t length);

/* Finds the writes that reach every use, at the end of a function. */
void writes_reach(struct writes *writes);

/* Resolves the bytes of the register that a use sees, through moves, packs and computations; *packs
 * becomes the last instruction that packs, if one does, and *is_computed true if one computes. */
void writes_resolve(const struct writes *writes, uint32_t use, struct moved_byte bytes[4],
                    const char **packs, bool *is_computed);

#endif
