/* form.h - the form of an instruction: the properties that are the same for all instructions of a
 * listing with the same opcode and the same kinds of operands. */
#ifndef FORM_H
#define FORM_H

#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An operand in the text of a line, without surrounding blanks: "{%f1,%f2}", "R8.ROW",
 * "gdesc[UR4]". Does not own the text. */
struct operand {
    const char *start;
    size_t length;
};
enum { OPERANDS_MAX = 16 };

enum form_kind {
    FORM_NOTHING, /* not a tensor-core instruction */
    FORM_UNKNOWN, /* the name is that of a tensor-core instruction, but this opcode is unknown */
    FORM_OTHER,   /* manages Tensor Memory or synchronizes; `what` describes it */
    FORM_KNOWN
};

/* An operand of a form: a fragment in registers, or a place in memory. */
struct form_operand {
    char label[24];                   /* "D", "D[4-5]", "metadata", "data", "address" */
    bool has_fragment;                /* true if the registers contain a whole fragment */
    struct mapping_fragment fragment; /* set if has_fragment */
    size_t index;                     /* index of the operand in the instruction */
    unsigned offset; /* SASS: number of registers from the named register to the first of these */
    uint32_t registers; /* number of 32-bit registers; 0 for an operand in memory */
};

enum { FORM_OPERANDS_MAX = 8, FORM_OPCODE_SIZE = 128, FORM_WHAT_SIZE = 192 };

struct form {
    enum form_kind kind;
    bool is_sass;
    char opcode[FORM_OPCODE_SIZE]; /* the opcode in the listing */
    char ptx[MAPPING_OPCODE_SIZE]; /* the PTX opcode; for SASS, one that compiles to it; "" if there
                                      is none */
    char what[FORM_WHAT_SIZE];     /* "mma.m16n8k16 f32 += f16 f16" */
    char note[64];                 /* how the shape was found: "idesc[UR15] is 0x8210010"; or "" */
    unsigned arch;                 /* 80 for sm_80; 0 if the listing does not contain it */
    bool is_native, is_emulated;   /* the PTX opcode is native or emulated on `arch`; both are false
                                      if this is unknown */
    struct form_operand operands[FORM_OPERANDS_MAX];
    size_t count;
    size_t number; /* number of the form among those with reports, from 1; 0 if it has no reports */
    bool is_reported;                          /* the following members are set */
    struct report *reports[FORM_OPERANDS_MAX]; /* of each operand; NULL if it has none */
};

/* The operand with a fragment that an instruction writes; NULL if there is none. */
static inline const struct form_operand *form_result(const struct form *form) {
    for (size_t o = 0; form && o < form->count; o++)
        if (form->operands[o].index == 0 && form->operands[o].has_fragment)
            return &form->operands[o];
    return NULL;
}

/* Compares the layout of an operand with the layout of the results that it reads. Assumes that rows
 * in memory are rows of A or columns of B, unless the opcode contains another order. */
enum agreement {
    AGREE_UNKNOWN, /* no layout to compare: an instruction has no fragment */
    AGREE_EQUAL,
    AGREE_EXCHANGED,  /* equal, except for the order of registers */
    AGREE_TRANSPOSED, /* rows and columns are exchanged */
    AGREE_NOT,
    AGREEMENTS
};

/* The origin of an operand: the instructions that write its registers. */
enum { ORIGINS_MAX = 4 };
struct origin {
    size_t operand; /* index of the operand in the form */
    size_t count;   /* 0 if the origin is unknown */
    struct origin_place {
        const char *name; /* opcode */
        bool is_load;     /* loads a matrix; if both are false, it is a load without a fragment */
        bool is_product;
        size_t line;
        uint64_t address; /* UINT64_MAX if the listing has no addresses */
    } from[ORIGINS_MAX];
    bool is_computed;  /* arithmetic instructions are in between: P = exp2(S - max) */
    const char *packs; /* the instruction in between that packs values, "F2FP"; or NULL */
    enum agreement agreement;
    bool is_repeated;  /* the layouts differ, and the operand holds an element twice */
    const char *order; /* for a load of a matrix with the same layout, the direction in memory:
                          "rows", "columns"; or NULL */
};

/* An instruction of a listing. */
struct annotated {
    struct form *form;
    struct operand operands[OPERANDS_MAX];
    size_t count;
    bool has_address;
    uint64_t address;
    struct strings below; /* lines to print below it: answers and formulae of its operands */
    const struct origin *origins; /* origins, in the order of the operands */
    size_t origin_count;
};

/* A line of a listing, and the tensor-core instructions that end in it. */
struct annotated_line {
    const char *text; /* without its line break */
    size_t size;
    const char *end; /* "\n", "\r\n", or "" for the last line */
    bool is_last;    /* the last line of its file */
    size_t number;   /* number of the line; the first is 1 */
    const char *function;
    const struct annotated *instructions;
    size_t count;
    size_t before; /* number of these instructions in all previous lines */
    bool is_first; /* the first line that is printed */
};

/* The number of instructions of a form in a function. */
struct form_count {
    const struct form *form;
    size_t count;
};

/* The number of loads of one name that write an operand, and the agreement of the layouts. */
struct load_count {
    const char *label; /* the operand */
    const char *name;  /* the load */
    enum agreement agreement;
    const char *order;  /* as in struct origin */
    size_t count, line; /* the number of loads, and the line of the first */
};

struct function_summary {
    const char *name; /* "" before the first function */
    unsigned arch;    /* 0 if unknown */
    struct form_count *forms;
    size_t count, capacity;
    struct load_count *loads;
    size_t load_count, load_capacity;
};

struct listing_summary {
    struct function_summary *functions; /* functions with tensor-core instructions */
    size_t count, capacity;
    size_t passed;       /* number of functions without tensor-core instructions */
    size_t instructions; /* number of all tensor-core instructions, including unknown ones */
    size_t unknown;
    size_t printed;               /* number of printed lines */
    const struct form **reported; /* forms with reports, ordered by number */
    size_t reported_count, reported_capacity;
};

#endif
