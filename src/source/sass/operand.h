/* operand.h - operands as nvdisasm prints them. */
#ifndef OPERAND_H
#define OPERAND_H

#include "mapping.h"

enum operand_kind {
    OPERAND_REGISTER,          /* R4, RZ */
    OPERAND_UNIFORM,           /* UR4, URZ */
    OPERAND_PREDICATE,         /* P0, PT */
    OPERAND_UNIFORM_PREDICATE, /* UP0, UPT */
    OPERAND_BARRIER,           /* B0 */
    OPERAND_SPECIAL,           /* SR_TID.X */
    OPERAND_IMMEDIATE,         /* 0x10, -0x1 */
    OPERAND_NUMBER,            /* 9.5367431640625e-07 */
    OPERAND_CONSTANT,          /* c[0x0][0x160] */
    OPERAND_ADDRESS,           /* [R4+0x10], desc[UR4][R2.64+0x10], [R4.64+UR6+0x80] */
    OPERAND_LABEL,             /* `(.L_x_0) */
    OPERAND_OTHER              /* anything else; no modelled instruction takes it */
};

/* The numbers of RZ and URZ, and of PT and UPT. */
enum { ZERO_REGISTER = 255, TRUE_PREDICATE = 7, NO_REGISTER = -1 };

struct operand {
    enum operand_kind kind;
    bool negated;   /* -R4 */
    bool inverted;  /* !P0, ~R4 */
    bool wide;      /* the register of an address is the first of two: [R2.64] */
    int index;      /* of a register or predicate; of an address's register or NO_REGISTER */
    int uniform;    /* of an address's uniform register or NO_REGISTER */
    uint32_t bank;  /* of a constant */
    uint32_t value; /* immediate; offset of a constant or an address */
    double number;
    const char *text; /* as it was printed; the name of a label or special register */
};

/* Reads one operand without blanks around it. `text` may be changed, and is pointed into. */
struct operand operand_read(char *text);

#endif
