/* constants.h - finds the registers of a listing that hold a constant: their last write is a move
 * of a constant, such as UMOV UR23, 0x8100010 or mov.b32 %r137, 136380432. */
#ifndef CONSTANTS_H
#define CONSTANTS_H

#include "listing/listing.h"

enum { UNIFORM_REGISTERS = 256, PTX_CONSTANTS = 512, PTX_NAME_SIZE = 32 };

/* Must be zeroed before each function. */
struct constants {
    struct constant {
        bool is_known;
        uint32_t value;
    } uniform[UNIFORM_REGISTERS]; /* UR0, UR1, ... */
    struct named_constant {       /* registers of PTX, by hash; a register may replace another one
                                     with the same hash */
        char name[PTX_NAME_SIZE];
        struct constant is;
    } named[PTX_CONSTANTS];
};

/* Updates the constants after an instruction. */
void constants_note(struct constants *constants, const struct listing_instruction *instruction);

/* Finds the constant in the register at the beginning of the text, "UR23" or "%r137". False if the
 * register does not hold a constant. */
bool constants_find(const struct constants *constants, const char *text, uint32_t *value);

#endif
