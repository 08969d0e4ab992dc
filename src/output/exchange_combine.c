/* exchange_combine.c - a word made of slots of others.
 *
 * Where all slots come as whole bytes, __byte_perm puts together the bytes of two words as a
 * selector says, and one more word with each further call; words and selectors are chosen by tid.
 * Otherwise the expressions are masks and shifts, and the whole of them is chosen. */
#include "output/exchange_choice.h"

enum { BYTES = 4, SLOTS_MAX = 32 };

/* The picks of a case. */
static const struct slot_pick *picks_of(const struct shuffle_plan *plan,
                                        const struct shuffle_step *step, uint32_t c) {
    return plan->picks + step->first + (size_t)c * plan->per;
}

static uint32_t count_cases(const struct shuffle_step *step) {
    return UINT32_C(1) << __builtin_popcount(step->by);
}

/* ---- Bytes ---- */

/* Where a byte comes from. */
struct byte {
    uint32_t value; /* or MAPPING_NO_VALUE */
    uint32_t place; /* 0 to 3, lowest first */
};

/* From which words a case takes its bytes; MAPPING_NO_VALUE for none. */
struct words {
    uint32_t value[BYTES];
};

/* A step in bytes. */
struct bytes {
    const struct shuffle_plan *plan;
    const struct shuffle_step *step;
    struct byte byte[CHOICE_CASES][BYTES];
    struct words words[CHOICE_CASES];
    uint32_t count; /* of words, 2 at least; the same of all cases */
};

/* Reads byte b of a case off its slots. False if it is put together of parts. */
static bool read_byte(const struct shuffle_plan *plan, const struct slot_pick *picks, uint32_t b,
                      struct byte *byte) {
    byte->value = MAPPING_NO_VALUE;
    byte->place = 0;
    if (plan->bits >= 8) {
        uint32_t bytes = plan->bits / 8;
        const struct slot_pick *pick = &picks[b / bytes];
        byte->value = pick->value;
        byte->place = pick->slot * bytes + b % bytes;
        return true;
    }
    uint32_t slots = 8 / plan->bits;
    for (uint32_t s = 0; s < slots; s++) {
        const struct slot_pick *pick = &picks[b * slots + s];
        if (pick->value == MAPPING_NO_VALUE)
            continue;
        if (pick->slot % slots != s)
            return false;
        if (byte->value != MAPPING_NO_VALUE &&
            (byte->value != pick->value || byte->place != pick->slot / slots))
            return false;
        byte->value = pick->value;
        byte->place = pick->slot / slots;
    }
    return true;
}

/* True if a word is met here for the first time among the bytes of a case. */
static bool is_first(const struct byte byte[BYTES], uint32_t b) {
    for (uint32_t before = 0; before < b; before++)
        if (byte[before].value == byte[b].value)
            return false;
    return byte[b].value != MAPPING_NO_VALUE;
}

static uint32_t count_words(const struct byte byte[BYTES]) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < BYTES; b++)
        count += is_first(byte, b);
    return count;
}

/* Puts a word where it is in cases before; else where none has been yet, so that it need not be
 * chosen by tid; else where none is in this case. usual[] has what came first in each place. */
static void put_word(uint32_t value, uint32_t count, struct words *usual, struct words *words) {
    uint32_t place = 0;
    while (place < count &&
           (usual->value[place] != value || words->value[place] != MAPPING_NO_VALUE))
        place++;
    for (uint32_t n = 0; n < count && place == count; n++)
        if (usual->value[n] == MAPPING_NO_VALUE && words->value[n] == MAPPING_NO_VALUE)
            place = n;
    for (uint32_t n = 0; n < count && place == count; n++)
        if (words->value[n] == MAPPING_NO_VALUE)
            place = n;
    words->value[place] = value;
    if (usual->value[place] == MAPPING_NO_VALUE)
        usual->value[place] = value;
}

/* Lists the words of a case: first those that have a place. */
static void list_words(const struct byte byte[BYTES], uint32_t count, struct words *usual,
                       struct words *words) {
    const struct words before = *usual;
    for (uint32_t n = 0; n < BYTES; n++)
        words->value[n] = MAPPING_NO_VALUE;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t b = 0; b < BYTES; b++) {
            bool is_usual = false;
            for (uint32_t n = 0; n < count; n++)
                is_usual = is_usual || before.value[n] == byte[b].value;
            if (is_usual == (pass == 0) && is_first(byte, b))
                put_word(byte[b].value, count, usual, words);
        }
}

/* Reads a step in bytes. False if it cannot be. */
static bool read_bytes(const struct shuffle_plan *plan, const struct shuffle_step *step,
                       struct bytes *bytes) {
    struct words usual = {{MAPPING_NO_VALUE, MAPPING_NO_VALUE, MAPPING_NO_VALUE, MAPPING_NO_VALUE}};
    bytes->plan = plan;
    bytes->step = step;
    for (uint32_t c = 0; c < count_cases(step); c++) {
        for (uint32_t b = 0; b < BYTES; b++)
            if (!read_byte(plan, picks_of(plan, step, c), b, &bytes->byte[c][b]))
                return false;
        uint32_t count = count_words(bytes->byte[c]);
        bytes->count = count > bytes->count ? count : bytes->count;
    }
    for (uint32_t c = 0; c < count_cases(step); c++)
        list_words(bytes->byte[c], bytes->count, &usual, &bytes->words[c]);
    return true;
}

static void print_selector(struct printer *to, const void *context, uint32_t selector) {
    (void)context;
    print(to, "0x%04x", (unsigned)selector);
}

/* The selector of call n, which adds word n to those before it: word 1 to word 0, word 2 to what
 * the call before made. */
static uint32_t selector_of(const struct bytes *bytes, uint32_t c, uint32_t n) {
    uint32_t selector = 0;
    for (uint32_t b = 0; b < BYTES; b++) {
        const struct byte *byte = &bytes->byte[c][b];
        uint32_t digit = n == 1 ? byte->place : b;
        if (byte->value != MAPPING_NO_VALUE && byte->value == bytes->words[c].value[n])
            digit = BYTES + byte->place;
        selector |= digit << 4 * b;
    }
    return selector;
}

static void print_word(struct printer *to, const struct bytes *bytes, uint32_t n) {
    struct choice choice = {.by = bytes->step->by};
    for (uint32_t c = 0; c < count_cases(bytes->step); c++)
        choice.item[c] = bytes->words[c].value[n];
    choice_print(to, &choice, exchange_print_value, bytes->plan);
}

static void print_bytes(struct printer *to, const struct bytes *bytes, uint32_t value) {
    for (uint32_t n = 1; n < bytes->count; n++) {
        struct choice selector = {.by = bytes->step->by};
        for (uint32_t c = 0; c < count_cases(bytes->step); c++)
            selector.item[c] = selector_of(bytes, c, n);
        const char *type = n > 1 ? "" : bytes->count > 2 ? "unsigned " : "const unsigned ";
        print(to, "    %sv%u = __byte_perm(", type, (unsigned)value);
        if (n == 1)
            print_word(to, bytes, 0);
        else
            print(to, "v%u", (unsigned)value);
        print_text(to, ", ");
        print_word(to, bytes, n);
        print_text(to, ", ");
        choice_print(to, &selector, print_selector, NULL);
        print_text(to, ");\n");
    }
}

/* ---- Bits ---- */

/* A step, and what of it is printed. */
struct bits {
    const struct shuffle_plan *plan;
    const struct shuffle_step *step;
};

/* Prints the slots of a case that come from the same word, and are moved as far as slot s: those
 * from s on. */
static void print_moved(struct printer *to, const struct shuffle_plan *plan,
                        const struct slot_pick *picks, uint32_t s) {
    uint32_t mask = 0, slot = (UINT32_C(1) << plan->bits) - 1;
    for (uint32_t n = s; n < plan->per; n++)
        if (picks[n].value == picks[s].value && picks[n].slot - n == picks[s].slot - s)
            mask |= slot << n * plan->bits;
    print_char(to, '(');
    exchange_print_value(to, plan, picks[s].value);
    if (picks[s].slot > s)
        print(to, " >> %u", (unsigned)((picks[s].slot - s) * plan->bits));
    else if (picks[s].slot < s)
        print(to, " << %u", (unsigned)((s - picks[s].slot) * plan->bits));
    print(to, " & 0x%08x)", (unsigned)mask);
}

/* Prints case c as an expression. */
static void print_case(struct printer *to, const void *context, uint32_t c) {
    const struct bits *bits = context;
    const struct shuffle_plan *plan = bits->plan;
    const struct slot_pick *picks = picks_of(plan, bits->step, c);
    const char *before = "(";
    for (uint32_t s = 0; s < plan->per; s++) {
        bool is_done = picks[s].value == MAPPING_NO_VALUE;
        for (uint32_t n = 0; n < s && !is_done; n++)
            is_done = picks[n].value == picks[s].value && picks[n].slot - n == picks[s].slot - s;
        if (is_done)
            continue;
        print_text(to, before);
        print_moved(to, plan, picks, s);
        before = " | ";
    }
    print_text(to, *before == '(' ? "0" : ")");
}

static bool same_picks(const struct shuffle_plan *plan, const struct slot_pick *one,
                       const struct slot_pick *other) {
    for (uint32_t s = 0; s < plan->per; s++)
        if (one[s].value != other[s].value || one[s].slot != other[s].slot)
            return false;
    return true;
}

/* A case without picks may be anything, and the first of those that are the same stands for all. */
static uint32_t number_of_case(const struct shuffle_plan *plan, const struct shuffle_step *step,
                               uint32_t c) {
    const struct slot_pick *picks = picks_of(plan, step, c);
    uint32_t used = 0, first = 0;
    while (used < plan->per && picks[used].value == MAPPING_NO_VALUE)
        used++;
    while (!same_picks(plan, picks_of(plan, step, first), picks))
        first++;
    return used == plan->per ? MAPPING_NO_VALUE : first;
}

static void print_bits(struct printer *to, const struct shuffle_plan *plan,
                       const struct shuffle_step *step, uint32_t value) {
    const struct bits bits = {plan, step};
    struct choice choice = {.by = step->by};
    for (uint32_t c = 0; c < count_cases(step); c++)
        choice.item[c] = number_of_case(plan, step, c);
    print(to, "    const unsigned v%u = ", (unsigned)value);
    choice_print(to, &choice, print_case, &bits);
    print_text(to, ";\n");
}

void exchange_print_combine(struct printer *to, const struct shuffle_plan *plan,
                            const struct shuffle_step *step, uint32_t value) {
    struct bytes bytes = {.count = 2};
    if (read_bytes(plan, step, &bytes))
        print_bytes(to, &bytes, value);
    else
        print_bits(to, plan, step, value);
}
