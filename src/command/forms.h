/* forms.h - finds the form (report/form.h) of each instruction of a listing. A form is an opcode
 * with the kinds of its operands, and is parsed only once. */
#ifndef FORMS_H
#define FORMS_H

#include "command/constants.h"
#include "command/name.h"
#include "listing/listing.h"
#include "report/form.h"

/* A cache of forms. Initialize it with zeros; its memory is in the arena. */
struct forms {
    struct known_form **table; /* hash table with 0 or a power of two of entries */
    size_t capacity, count;
};

/* Returns the form of an instruction on an architecture; `arch` is 0 if the architecture is
 * unknown. `constants` are the known values of registers, used for the instruction descriptor of
 * tcgen05.mma. Splits the operands of the instruction into `operands`, and sets *count. Returns
 * NULL, without splitting, if the name is not that of a tensor-core instruction, or is too long.
 * The form is owned by the cache, and valid as long as the arena. */
struct form *forms_find(struct forms *forms, const struct listing_instruction *instruction,
                        unsigned arch, const struct constants *constants,
                        struct operand operands[OPERANDS_MAX], size_t *count);

#endif
