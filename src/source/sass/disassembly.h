/* disassembly.h - parses the output of nvdisasm into instructions. For example,
 *
 *     @!P0 IMAD.WIDE.U32 R2, R0, 0x8, c[0x0][0x168] ;
 *
 * has the guard !P0, the opcode IMAD.WIDE.U32 and four operands: two registers, an immediate and a
 * constant. */
#ifndef SASS_DISASSEMBLY_H
#define SASS_DISASSEMBLY_H

#include "system/system.h"

#include "catalogue/fragment.h"

/* The kinds of operands that nvdisasm prints. */
enum operand_kind {
    OPERAND_REGISTER,  /* R4, RZ; UR4, URZ */
    OPERAND_PREDICATE, /* P0, PT; UP0, UPT */
    OPERAND_BARRIER,   /* B0 */
    OPERAND_SPECIAL,   /* SR_TID.X */
    OPERAND_IMMEDIATE, /* 0x10, -0x1 */
    OPERAND_NUMBER,    /* 9.5367431640625e-07 */
    OPERAND_CONSTANT,  /* c[0x0][0x160] */
    OPERAND_ADDRESS,   /* [R4+0x10], desc[UR4][R2.64+0x10], [R4.64+UR6+0x80] */
    OPERAND_LABEL,     /* `(.L_x_0) */
    OPERAND_OTHER      /* anything else; no supported instruction takes it */
};

/* The numbers of RZ and URZ, and of PT and UPT. */
enum { ZERO_REGISTER = 255, TRUE_PREDICATE = 7, NO_REGISTER = -1 };

struct operand {
    enum operand_kind kind;
    bool negated;    /* -R4 */
    bool inverted;   /* !P0, ~R4 */
    bool is_uniform; /* UR4, UP0 */
    bool wide;       /* the register of an address is the first of two: [R2.64] */
    int index;       /* of a register, also of an address, or predicate; or NO_REGISTER */
    int uniform;     /* index of an address's uniform register; or NO_REGISTER */
    uint32_t bank;   /* bank of a constant */
    uint32_t value;  /* value of an immediate; offset of a constant or an address */
    double number;
    const char *text; /* the text as printed; the name of a label or special register */
};

#define OPERANDS_MAX 10

struct instruction {
    unsigned address;
    struct operand guard; /* the guard of the instruction; PT if there is none */
    const char *opcode;   /* the opcode with all its modifiers: "IMAD.WIDE.U32" */
    unsigned count;
    struct operand operands[OPERANDS_MAX];
};

struct label {
    const char *name;
    size_t target; /* index of the next instruction */
};

/* A kernel. In a listing, one section of a kernel: its code with labels, or its attributes. */
struct kernel {
    const char *name;
    unsigned parameters; /* offset of the first parameter in constant bank 0 */
    size_t count;
    const struct instruction *code; /* these belong to the listing, and so do the labels */
    size_t label_count;
    const struct label *labels;
};

struct listing {
    char *text; /* the text that contains all names */
    size_t part_count, instruction_count, label_count;
    struct kernel *parts;
    struct instruction *code;
    struct label *labels;
};

/* Parses the output of `nvdisasm CUBIN`. The function takes ownership of the text, and changes it.
 * MAPPING_FAILED if it cannot parse a line, whose number is in the message; if there are more lines
 * than any listing has; or if it takes longer than the limit. Memory is at most 200 MiB for any
 * text, and time is proportional to its size. Free the listing with listing_free in any case. */
enum mapping_status listing_parse(char *text, const struct limit *limit, struct listing *listing,
                                  struct mapping_error *error);

void listing_free(struct listing *listing);

/* Joins the sections of a kernel. Without such a kernel in the listing, the result has no
 * instructions. MAPPING_FAILED if the listing has the code of the kernel twice. */
enum mapping_status listing_kernel(const struct listing *listing, const char *name,
                                   struct kernel *kernel, struct mapping_error *error);

#endif
