/* form.h - a form: the properties that all instructions of a listing share if they have the same
 * opcode and the same kinds of operands. */
#ifndef FORM_H
#define FORM_H

#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An operand of a line without surrounding blanks: "{%f1,%f2}", "R8.ROW", "gdesc[UR4]". */
struct operand {
    const char *start;
    size_t length;
};
enum { OPERANDS_MAX = 16 };

enum form_kind {
    FORM_NOTHING, /* it neither multiplies on tensor cores nor moves matrices */
    FORM_UNKNOWN, /* it does, by its name, but that is all that is known */
    FORM_OTHER,   /* it manages Tensor Memory or a barrier: `what` says how */
    FORM_KNOWN
};

/* An operand: a fragment in registers, or a place in memory. */
struct form_operand {
    char label[24];                   /* "D", "D[4-5]", "metadata", "data", "address" */
    bool has_fragment;                /* else it is no whole fragment in registers */
    struct mapping_fragment fragment; /* all that is known of `registers` */
    size_t index;                     /* of the operand in the instruction */
    unsigned offset;                  /* SASS: registers between the one that is named and these */
    uint32_t registers;               /* SASS: how many, 0 of a place in memory; PTX lists them */
};

enum { FORM_OPERANDS_MAX = 8, FORM_OPCODE_SIZE = 128, FORM_WHAT_SIZE = 192 };

struct form {
    enum form_kind kind;
    bool is_sass;
    char opcode[FORM_OPCODE_SIZE]; /* as the listing has it */
    char ptx[MAPPING_OPCODE_SIZE]; /* the opcode of PTX that it is; "" if there is none */
    char what[FORM_WHAT_SIZE];     /* "mma.m16n8k16 f32 += f16 f16" */
    char note[64];                 /* how that is known: "idesc[UR15] is 0x8210010"; or "" */
    unsigned arch;                 /* 80; 0 if the listing does not say */
    bool is_native, is_emulated;   /* of PTX on that architecture; neither if not known */
    struct form_operand operands[FORM_OPERANDS_MAX];
    size_t count;
    size_t number;                             /* of its report, from 1; 0 if it has none */
    bool is_reported;                          /* the following are set */
    struct report *reports[FORM_OPERANDS_MAX]; /* of operands in registers; NULL if there is none */
};

/* How the layout of what instructions give compares with that of the operand that they feed. Rows
 * in memory are rows of A, or columns of B, where the opcode does not say otherwise. */
enum agreement {
    AGREE_UNKNOWN, /* they have no fragment */
    AGREE_EQUAL,
    AGREE_EXCHANGED,  /* but for the order of registers */
    AGREE_TRANSPOSED, /* rows and columns are exchanged */
    AGREE_NOT,
    AGREEMENTS
};

/* The instructions that define the registers of an operand. */
enum { ORIGINS_MAX = 4 };
struct origin {
    size_t operand; /* of the form */
    size_t count;   /* 0: not known */
    struct origin_place {
        const char *name; /* opcode */
        bool is_load;     /* of a matrix, else a product or a load without a fragment */
        bool is_product;
        size_t line;
        uint64_t address; /* UINT64_MAX: the listing does not say */
    } from[ORIGINS_MAX];
    bool is_computed;  /* arithmetic lies between: P = exp2(S - max) */
    const char *packs; /* "F2FP" if that is between; or NULL */
    enum agreement agreement;
    const char *order; /* in memory, of a load of a matrix that fits: "rows", "columns"; or NULL */
};

/* An instruction of a listing. */
struct annotated {
    struct form *form;
    struct operand operands[OPERANDS_MAX];
    size_t count;
    bool has_address;
    uint64_t address;
    struct strings below;         /* lines on its operands: answers, formulae */
    const struct origin *origins; /* of operands, in their order */
    size_t origin_count;
};

/* A line of a listing, and the instructions that end in it. */
struct annotated_line {
    const char *text; /* without its end */
    size_t size;
    const char *end; /* "\n", "\r\n", or "" of the last one */
    bool is_last;    /* of its file */
    size_t number;   /* from 1 */
    const char *function;
    const struct annotated *instructions;
    size_t count;
    size_t before; /* instructions of all lines before */
    bool is_first; /* that is printed */
};

/* How often a function has a form. */
struct form_count {
    const struct form *form;
    size_t count;
};

/* How often loads of a name feed an operand, and how they fit. */
struct load_count {
    const char *label; /* of the operand */
    const char *name;  /* of the load */
    enum agreement agreement;
    const char *order;  /* as of an origin */
    size_t count, line; /* of the first */
};

struct function_summary {
    const char *name; /* "" in front of all functions */
    unsigned arch;    /* 0: not known */
    struct form_count *forms;
    size_t count, capacity;
    struct load_count *loads;
    size_t load_count, load_capacity;
};

struct listing_summary {
    struct function_summary *functions; /* those that have tensor-core instructions */
    size_t count, capacity;
    size_t passed;       /* functions that have none */
    size_t instructions; /* in all, with those that are not known */
    size_t unknown;
    size_t printed;               /* lines */
    const struct form **reported; /* forms that have reports, by their numbers */
    size_t reported_count, reported_capacity;
};

#endif
