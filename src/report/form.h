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
    FORM_NOTHING, /* the instruction neither multiplies on tensor cores nor moves matrices */
    FORM_UNKNOWN, /* it does so according to its name, but nothing else is known */
    FORM_OTHER,   /* it manages Tensor Memory or a barrier; `what` describes it */
    FORM_KNOWN
};

/* An operand: a fragment in registers, or a place in memory. */
struct form_operand {
    char label[24];                   /* "D", "D[4-5]", "metadata", "data", "address" */
    bool has_fragment;                /* false if the registers do not contain a whole fragment */
    struct mapping_fragment fragment; /* the operand in `registers` */
    size_t index;                     /* index of the operand in the instruction */
    unsigned offset;                  /* SASS: number of registers between the named register and
                                         these */
    uint32_t registers;               /* SASS: number of registers, 0 for an operand in memory; PTX
                                         lists them */
};

enum { FORM_OPERANDS_MAX = 8, FORM_OPCODE_SIZE = 128, FORM_WHAT_SIZE = 192 };

struct form {
    enum form_kind kind;
    bool is_sass;
    char opcode[FORM_OPCODE_SIZE]; /* the opcode in the listing */
    char ptx[MAPPING_OPCODE_SIZE]; /* the corresponding opcode of PTX; "" if there is none */
    char what[FORM_WHAT_SIZE];     /* "mma.m16n8k16 f32 += f16 f16" */
    char note[64];                 /* why this is known: "idesc[UR15] is 0x8210010"; or "" */
    unsigned arch;                 /* 80 for sm_80; 0 if the listing does not have it */
    bool is_native, is_emulated;   /* true if the PTX opcode is native or emulated there; both false
                                      if unknown */
    struct form_operand operands[FORM_OPERANDS_MAX];
    size_t count;
    size_t number;                             /* number of its report, from 1 on; 0 if it has
                                                  none */
    bool is_reported;                          /* the following members are set */
    struct report *reports[FORM_OPERANDS_MAX]; /* reports of operands in registers; NULL if there is
                                                  none */
};

/* How the layout of the results of instructions compares with that of the operand that reads them.
 * Unless the opcode says otherwise, rows in memory are rows of A, or columns of B. */
enum agreement {
    AGREE_UNKNOWN, /* the instructions have no fragment */
    AGREE_EQUAL,
    AGREE_EXCHANGED,  /* equal, except for the order of registers */
    AGREE_TRANSPOSED, /* rows and columns are exchanged */
    AGREE_NOT,
    AGREEMENTS
};

/* The instructions that define the registers of an operand. */
enum { ORIGINS_MAX = 4 };
struct origin {
    size_t operand; /* index of the operand in the form */
    size_t count;   /* 0 if the origin is unknown */
    struct origin_place {
        const char *name; /* the opcode */
        bool is_load;     /* it loads a matrix; otherwise it is a product, or a load without a
                             fragment */
        bool is_product;
        size_t line;
        uint64_t address; /* UINT64_MAX if the listing has no addresses */
    } from[ORIGINS_MAX];
    bool is_computed;  /* arithmetic instructions are between: P = exp2(S - max) */
    const char *packs; /* the instruction that packs between them, "F2FP"; or NULL */
    enum agreement agreement;
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
    struct strings below;         /* lines about its operands: answers, formulae */
    const struct origin *origins; /* origins of operands, in their order */
    size_t origin_count;
};

/* A line of a listing, and the instructions that end in it. */
struct annotated_line {
    const char *text; /* without its line break */
    size_t size;
    const char *end; /* "\n", "\r\n", or "" for the last line */
    bool is_last;    /* the last line of its file */
    size_t number;   /* number of the line; the first is 1 */
    const char *function;
    const struct annotated *instructions;
    size_t count;
    size_t before; /* number of instructions in all previous lines */
    bool is_first; /* the first line that is printed */
};

/* The number of instructions of a form in a function. */
struct form_count {
    const struct form *form;
    size_t count;
};

/* The number of loads with a name whose results are an operand, and how their layouts agree. */
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
    size_t passed;       /* number of functions without */
    size_t instructions; /* number of all instructions, including unknown ones */
    size_t unknown;
    size_t printed;               /* number of lines */
    const struct form **reported; /* forms with reports, ordered by number */
    size_t reported_count, reported_capacity;
};

#endif
