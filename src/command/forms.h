/* forms.h - finds the meaning of the instructions of a listing, once for each combination of an
 * opcode and the kinds of its operands. */
#ifndef FORMS_H
#define FORMS_H

#include "command/constants.h"
#include "command/name.h"
#include "listing/listing.h"
#include "report/form.h"

/* A cache of forms. Must be zeroed at first. */
struct forms {
    struct known_form **table; /* a hash table with a power of two of entries, or NULL */
    size_t capacity, count;
};

/* Returns the form of an instruction on an architecture (0 if it is unknown), given the constants
 * in registers. Splits the operands of the instruction into `operands`, and sets *count. Returns
 * NULL if the instruction does not use tensor cores. The form is valid as long as the arena. */
struct form *forms_find(struct forms *forms, const struct listing_instruction *instruction,
                        unsigned arch, const struct constants *constants,
                        struct operand operands[OPERANDS_MAX], size_t *count);

#endif
