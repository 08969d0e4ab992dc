/* exchange_choice.c - choices by bits of tid as conditional expressions. */
#include "output/exchange_choice.h"

static uint32_t count_cases(uint32_t by) {
    return UINT32_C(1) << __builtin_popcount(by);
}

/* The case with a zero put in at place `at`, and what is there already moved up. */
static uint32_t widen(uint32_t c, uint32_t at) {
    uint32_t low = c & ((UINT32_C(1) << at) - 1);
    return (c ^ low) << 1 | low;
}

/* The choice that is left where bit number `at` of those in `by` is `set`. */
static struct choice half_of(const struct choice *choice, uint32_t at, uint32_t set) {
    struct choice half = {.by = 0};
    uint32_t number = 0;
    for (uint32_t by = choice->by; by; by &= by - 1, number++)
        half.by |= number == at ? 0 : by & -by;
    for (uint32_t c = 0; c < count_cases(half.by); c++)
        half.item[c] = choice->item[widen(c, at) | set << at];
    return half;
}

/* Puts together two halves that nowhere differ; where one of them may be anything, the other says
 * what. False if they differ. */
static bool unite(struct choice *one, const struct choice *other) {
    for (uint32_t c = 0; c < count_cases(one->by); c++) {
        if (one->item[c] == MAPPING_NO_VALUE)
            one->item[c] = other->item[c];
        else if (other->item[c] != MAPPING_NO_VALUE && other->item[c] != one->item[c])
            return false;
    }
    return true;
}

/* Drops the bits on which nothing depends. */
static struct choice reduce(const struct choice *choice) {
    struct choice reduced = *choice;
    for (uint32_t at = (uint32_t)__builtin_popcount(choice->by); at-- > 0;) {
        struct choice one = half_of(&reduced, at, 0), other = half_of(&reduced, at, 1);
        if (unite(&one, &other))
            reduced = one;
    }
    return reduced;
}

void choice_print(struct printer *to, const struct choice *choice, choice_print_item *print_item,
                  const void *context) {
    struct choice reduced = reduce(choice);
    if (reduced.by == 0) {
        if (reduced.item[0] == MAPPING_NO_VALUE)
            print_char(to, '0');
        else
            print_item(to, context, reduced.item[0]);
        return;
    }
    uint32_t at = (uint32_t)__builtin_popcount(reduced.by) - 1;
    struct choice one = half_of(&reduced, at, 0), other = half_of(&reduced, at, 1);
    print(to, "(tid & %u ? ", (unsigned)(UINT32_C(1) << (31 - __builtin_clz(reduced.by))));
    choice_print(to, &other, print_item, context);
    print_text(to, " : ");
    choice_print(to, &one, print_item, context);
    print_char(to, ')');
}
