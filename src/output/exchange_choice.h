/* exchange_choice.h - what the files that print a shuffle plan share: exchange.c,
 * exchange_combine.c and exchange_choice.c. */
#ifndef EXCHANGE_CHOICE_H
#define EXCHANGE_CHOICE_H

#include "output/exchange.h"

enum { CHOICE_BITS = 7, CHOICE_CASES = 1 << CHOICE_BITS };

/* A choice by bits of tid: item[c] for case c, see struct shuffle_step; MAPPING_NO_VALUE where
 * anything will do. */
struct choice {
    uint32_t by;
    uint32_t item[CHOICE_CASES];
};

/* Prints an item. */
typedef void choice_print_item(struct printer *to, const void *context, uint32_t item);

/* Prints a choice as an expression: an item, or (tid & 2 ? a : b). */
void choice_print(struct printer *to, const struct choice *choice, choice_print_item *print_item,
                  const void *context);

/* Prints a value of a plan, which is the context: in[0], v4. */
void exchange_print_value(struct printer *to, const void *plan, uint32_t value);

/* Prints the statements that make a value by a step that combines slots. */
void exchange_print_combine(struct printer *to, const struct shuffle_plan *plan,
                            const struct shuffle_step *step, uint32_t value);

#endif
