/* forms.h - finds out what the instructions of a listing are, once for each opcode and kinds of
 * operands. */
#ifndef FORMS_H
#define FORMS_H

#include "command/constants.h"
#include "command/name.h"
#include "listing/listing.h"
#include "report/form.h"

/* Forms that were found before. Begins zeroed. */
struct forms {
    struct known_form **table; /* by hash; a power of two of places, or NULL */
    size_t capacity, count;
};

/* The form of an instruction on an architecture, 0 if that is not known, with these constants in
 * registers; its operands become `operands`, and their number *count. NULL if the instruction does
 * not use tensor cores. The form lives as long as the arena. */
struct form *forms_find(struct forms *forms, const struct listing_instruction *instruction,
                        unsigned arch, const struct constants *constants,
                        struct operand operands[OPERANDS_MAX], size_t *count);

#endif
