/* flow.h - computes reaching definitions: which write of a register reaches each use. The caller
 * passes the instructions of a function in the order of the listing: the registers that each reads
 * and writes, and its branch target. For example, with registers 4 and 5:
 *
 *     write 4        this write reaches the use below on both paths
 *     branch to X
 *     write 5        an older write may reach the use below instead: FLOW_UNSURE
 *     X: use 4, 5
 *
 * This module does not know the meaning of instructions. */
#ifndef FLOW_H
#define FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_UNSURE = INT32_MAX };

/* FLOW_MAYBE is a write that may not happen; FLOW_KILL writes all registers. FLOW_COPY writes the
 * value of the register that the event before it uses: a use of the copy sees the write of the
 * original. So a register that a loop spills and reloads keeps its write. */
enum flow_kind { FLOW_USE, FLOW_WRITE, FLOW_COPY, FLOW_MAYBE, FLOW_KILL };

/* A use or a write of a register. Its number is its index in the list of all events. */
struct flow_event {
    uint32_t reg;
    enum flow_kind kind;
    uint32_t found; /* for a use, set by flow_solve: the number of the write, or FLOW_UNSURE; for a
                       write, a number of the caller */
};

enum flow_way { FLOW_ALWAYS, FLOW_SOMETIMES, FLOW_CALL };

struct flow_branch {
    uint32_t from;   /* instruction */
    uint64_t target; /* an address, or the key of a label */
    bool is_label;
    enum flow_way way;
};

struct flow_label {
    uint64_t key;
    uint32_t at;
};

/* Must be zeroed at first. */
struct flow {
    bool is_named;      /* registers are virtual: one that is written once has no other value */
    bool is_lost;       /* it has a branch to an unknown target */
    uint32_t registers; /* number of registers */
    struct flow_event *events;
    size_t count, capacity;
    struct flow_place {
        uint32_t first; /* its first event */
        bool ends;      /* the next instruction is not executed after it */
        uint64_t address;
    } * places; /* an array with an element for each instruction */
    size_t place_count, place_capacity;
    struct flow_branch *branches;
    size_t branch_count, branch_capacity;
    struct flow_label *labels;
    size_t label_count, label_capacity;
};

/* Begins a new function. */
void flow_reset(struct flow *flow);

/* Begins the next instruction. The following calls are about this instruction. */
void flow_next(struct flow *flow, uint64_t address);

/* Adds an event, and returns its number. */
uint32_t flow_add(struct flow *flow, enum flow_kind kind, uint32_t reg);

/* Records that the instruction branches to an address or a label, or that execution does not
 * continue after it. */
void flow_branch(struct flow *flow, enum flow_way way, bool is_label, uint64_t target);
void flow_stop(struct flow *flow);

/* Records a label before the next instruction. */
void flow_label(struct flow *flow, uint64_t key);

/* The index of the instruction that contains an event. */
uint32_t flow_place(const struct flow *flow, uint32_t event);

/* Finds the write that reaches each use. */
void flow_solve(struct flow *flow);

#endif
