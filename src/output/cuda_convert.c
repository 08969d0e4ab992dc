/* cuda_convert.c - register conversions as device functions of CUDA; see cuda_convert.h.
 *
 * From the bottom up: a choice by bits of tid as a conditional expression, and its items; a word
 * combined from slots of other words, by __byte_perm or by masks and shifts; a plan as a function;
 * a plan through shared memory; and the functions of a conversion with their guards. */
#include "output/cuda_convert.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "output/guard.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Choices by bits of tid ---- */

enum { CHOICE_BITS = 7, CHOICE_CASES = 1 << CHOICE_BITS };

/* What the items of a choice are: numbers of values of a plan, in[0] or v4; selectors of
 * __byte_perm; or numbers of cases of a step, which are printed as expressions. */
enum item_kind { ITEM_VALUE, ITEM_SELECTOR, ITEM_CASE };

/* A choice by bits of tid: item[c] for case c of a step; MAPPING_NO_VALUE if any item will do.
 * struct shuffle_step describes cases. */
struct choice {
    enum item_kind kind;
    uint32_t by;
    uint32_t item[CHOICE_CASES];
};

static uint32_t cases_of(uint32_t by) {
    return UINT32_C(1) << __builtin_popcount(by);
}

/* The case with a zero put in at place `at`, and what is there already moved up. */
static uint32_t widen(uint32_t c, uint32_t at) {
    uint32_t low = c & ((UINT32_C(1) << at) - 1);
    return (c ^ low) << 1 | low;
}

/* The choice that is left where bit number `at` of those in `by` is `set`. */
static struct choice half_of(const struct choice *choice, uint32_t at, uint32_t set) {
    struct choice half = {.kind = choice->kind};
    uint32_t number = 0;
    for (uint32_t by = choice->by; by; by &= by - 1, number++)
        half.by |= number == at ? 0 : by & -by;
    for (uint32_t c = 0; c < cases_of(half.by); c++)
        half.item[c] = choice->item[widen(c, at) | set << at];
    return half;
}

/* Puts together two halves that nowhere differ; where one of them may be anything, the other says
 * what. False if they differ. */
static bool unite(struct choice *one, const struct choice *other) {
    for (uint32_t c = 0; c < cases_of(one->by); c++) {
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

/* ---- Items ---- */

/* Prints a value of a plan: in[0], v4. */
static void print_value(struct printer *to, const struct shuffle_plan *plan, uint32_t value) {
    print(to, value < plan->source.words ? "in[%u]" : "v%u", value);
}

/* The picks of a case. */
static const uint32_t *picks_of(const struct shuffle_plan *plan, const struct shuffle_step *step,
                                uint32_t c) {
    return plan->picks + step->first + (size_t)c * plan->per;
}

/* True if slots s and n of a case come from the same word, and move by the same distance. */
static bool moves_alike(const struct shuffle_plan *plan, const uint32_t *picks, uint32_t s,
                        uint32_t n) {
    return picks[n] - n == picks[s] - s && picks[n] / plan->per == picks[s] / plan->per;
}

/* Prints slot s of a case and all later slots that move like it, as one shift and mask. */
static void print_moved(struct printer *to, const struct shuffle_plan *plan, const uint32_t *picks,
                        uint32_t s) {
    uint32_t mask = 0, slot = (UINT32_C(1) << plan->bits) - 1, from = picks[s] % plan->per;
    for (uint32_t n = s; n < plan->per; n++)
        if (moves_alike(plan, picks, s, n))
            mask |= slot << n * plan->bits;
    print_char(to, '(');
    print_value(to, plan, picks[s] / plan->per);
    if (from > s)
        print(to, " >> %u", (from - s) * plan->bits);
    else if (from < s)
        print(to, " << %u", (s - from) * plan->bits);
    print(to, " & 0x%08x)", mask);
}

/* Prints case c as an expression of masks and shifts:
 * ((in[0] & 0x0000ffff) | (in[1] << 16 & 0xffff0000)). */
static void print_case(struct printer *to, const struct shuffle_plan *plan,
                       const struct shuffle_step *step, uint32_t c) {
    const uint32_t *picks = picks_of(plan, step, c);
    const char *before = "(";
    for (uint32_t s = 0; s < plan->per; s++) {
        bool is_done = picks[s] == MAPPING_NO_VALUE;
        for (uint32_t n = 0; n < s && !is_done; n++)
            is_done = moves_alike(plan, picks, s, n);
        if (is_done)
            continue;
        print_text(to, before);
        print_moved(to, plan, picks, s);
        before = " | ";
    }
    print_text(to, *before == '(' ? "0" : ")");
}

/* Prints a choice as an expression: an item, or (tid & 2 ? a : b). */
static void choice_print(struct printer *to, const struct choice *choice,
                         const struct shuffle_plan *plan, const struct shuffle_step *step) {
    struct choice reduced = reduce(choice);
    const uint32_t item = reduced.item[0];
    if (reduced.by > 0) {
        uint32_t at = (uint32_t)__builtin_popcount(reduced.by) - 1;
        struct choice one = half_of(&reduced, at, 0), other = half_of(&reduced, at, 1);
        print(to, "(tid & %u ? ", UINT32_C(1) << (31 - __builtin_clz(reduced.by)));
        choice_print(to, &other, plan, step);
        print_text(to, " : ");
        choice_print(to, &one, plan, step);
        print_char(to, ')');
    } else if (item == MAPPING_NO_VALUE) {
        print_char(to, '0');
    } else if (choice->kind == ITEM_VALUE) {
        print_value(to, plan, item);
    } else if (choice->kind == ITEM_SELECTOR) {
        print(to, "0x%04x", item);
    } else {
        print_case(to, plan, step, item);
    }
}

/* ---- Words made of slots of others ----
 *
 * Where all slots come as whole bytes, __byte_perm puts together the bytes of two words as a
 * selector says, and one more word with each further call; words and selectors are chosen by tid.
 * Otherwise the expressions are masks and shifts, and the whole of them is chosen. */

enum { BYTES = 4 };

/* Where a byte comes from. */
struct byte {
    uint32_t value; /* or MAPPING_NO_VALUE */
    uint32_t place; /* 0 to 3, lowest first */
};

/* From which words a case takes its bytes; MAPPING_NO_VALUE for none. */
struct words {
    uint32_t value[BYTES];
};

static const struct words no_words = {
    {MAPPING_NO_VALUE, MAPPING_NO_VALUE, MAPPING_NO_VALUE, MAPPING_NO_VALUE}};

/* A step in bytes. */
struct bytes {
    const struct shuffle_plan *plan;
    const struct shuffle_step *step;
    struct byte byte[CHOICE_CASES][BYTES];
    struct words words[CHOICE_CASES];
    uint32_t count; /* of words, 2 at least; the same of all cases */
};

/* Reads byte b of a case off its slots. False if it is put together of parts. */
static bool read_byte(const struct shuffle_plan *plan, const uint32_t *picks, uint32_t b,
                      struct byte *byte) {
    *byte = (struct byte){MAPPING_NO_VALUE, 0};
    if (plan->bits >= 8) {
        const uint32_t bytes = plan->bits / 8, pick = picks[b / bytes];
        if (pick != MAPPING_NO_VALUE)
            *byte = (struct byte){pick / plan->per, pick % plan->per * bytes + b % bytes};
        else
            byte->place = b % bytes;
        return true;
    }
    const uint32_t slots = 8 / plan->bits;
    for (uint32_t s = 0; s < slots; s++) {
        const uint32_t pick = picks[b * slots + s], slot = pick % plan->per;
        if (pick == MAPPING_NO_VALUE)
            continue;
        if (slot % slots != s || (byte->value != MAPPING_NO_VALUE &&
                                  (byte->value != pick / plan->per || byte->place != slot / slots)))
            return false;
        *byte = (struct byte){pick / plan->per, slot / slots};
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

/* Puts a word where it is in cases before; else where none has been yet, so that it need not be
 * chosen by tid; else where none is in this case. usual[] has what came first in each place. */
static void put_word(uint32_t value, uint32_t count, struct words *usual, struct words *words) {
    const uint32_t wanted[] = {value, MAPPING_NO_VALUE};
    for (int way = 0; way < 3; way++)
        for (uint32_t n = 0; n < count; n++) {
            if (words->value[n] != MAPPING_NO_VALUE || (way < 2 && usual->value[n] != wanted[way]))
                continue;
            words->value[n] = value;
            if (usual->value[n] == MAPPING_NO_VALUE)
                usual->value[n] = value;
            return;
        }
}

/* Lists the words of a case: first those that have a place. */
static void list_words(const struct byte byte[BYTES], uint32_t count, struct words *usual,
                       struct words *words) {
    const struct words before = *usual;
    *words = no_words;
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
    struct words usual = no_words;
    bytes->plan = plan;
    bytes->step = step;
    for (uint32_t c = 0; c < cases_of(step->by); c++) {
        for (uint32_t b = 0; b < BYTES; b++)
            if (!read_byte(plan, picks_of(plan, step, c), b, &bytes->byte[c][b]))
                return false;
        uint32_t count = 0;
        for (uint32_t b = 0; b < BYTES; b++)
            count += is_first(bytes->byte[c], b);
        bytes->count = count > bytes->count ? count : bytes->count;
    }
    for (uint32_t c = 0; c < cases_of(step->by); c++)
        list_words(bytes->byte[c], bytes->count, &usual, &bytes->words[c]);
    return true;
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
    struct choice choice = {ITEM_VALUE, bytes->step->by, {0}};
    for (uint32_t c = 0; c < cases_of(choice.by); c++)
        choice.item[c] = bytes->words[c].value[n];
    choice_print(to, &choice, bytes->plan, bytes->step);
}

static void print_bytes(struct printer *to, const struct bytes *bytes, uint32_t value) {
    struct choice selector = {ITEM_SELECTOR, bytes->step->by, {0}};
    for (uint32_t n = 1; n < bytes->count; n++) {
        for (uint32_t c = 0; c < cases_of(selector.by); c++)
            selector.item[c] = selector_of(bytes, c, n);
        const char *type = n > 1 ? "" : bytes->count > 2 ? "unsigned " : "const unsigned ";
        print(to, "    %sv%u = __byte_perm(", type, value);
        if (n == 1)
            print_word(to, bytes, 0);
        else
            print(to, "v%u", value);
        print_text(to, ", ");
        print_word(to, bytes, n);
        print_text(to, ", ");
        choice_print(to, &selector, bytes->plan, bytes->step);
        print_text(to, ");\n");
    }
}

/* A case without picks may be anything, and the first of those that are the same stands for all. */
static uint32_t number_of_case(const struct shuffle_plan *plan, const struct shuffle_step *step,
                               uint32_t c) {
    const uint32_t *picks = picks_of(plan, step, c);
    uint32_t used = 0, first = 0;
    while (used < plan->per && picks[used] == MAPPING_NO_VALUE)
        used++;
    while (memcmp(picks_of(plan, step, first), picks, plan->per * sizeof *picks) != 0)
        first++;
    return used == plan->per ? MAPPING_NO_VALUE : first;
}

static void print_bits(struct printer *to, const struct shuffle_plan *plan,
                       const struct shuffle_step *step, uint32_t value) {
    struct choice choice = {ITEM_CASE, step->by, {0}};
    for (uint32_t c = 0; c < cases_of(step->by); c++)
        choice.item[c] = number_of_case(plan, step, c);
    print(to, "    const unsigned v%u = ", value);
    choice_print(to, &choice, plan, step);
    print_text(to, ";\n");
}

/* Prints the statements that make a value by a step that combines slots. */
static void print_combine(struct printer *to, const struct shuffle_plan *plan,
                          const struct shuffle_step *step, uint32_t value) {
    struct bytes bytes = {.count = 2};
    if (read_bytes(plan, step, &bytes))
        print_bytes(to, &bytes, value);
    else
        print_bits(to, plan, step, value);
}

/* ---- A plan as a function ---- */

enum { FORMULA_SIZE = 2048 };

/* The type of a register. */
static const char *word_type(const struct shuffle_plan *plan) {
    return plan->bits == 64 ? "unsigned long long" : "unsigned";
}

/* Says what the registers of one side hold. */
static void print_side(struct printer *to, const struct shuffle_plan *plan,
                       const struct plan_side *side, const char *name) {
    print(to, " * %s[]: %u element%s of %u bits", name, side->total, mapping_plural(side->total),
          plan->bits);
    if (plan->bits < 32)
        print_text(to, ", packed, the lowest index in the lowest bits");
    if (side->matrices > 1)
        print(to, "\n *     (%u fragments, tiled %u x %u, one after the other in row-major order)",
              side->matrices, side->grid[0] * side->grid[1], side->grid[2]);
    print_char(to, '\n');
}

static void print_head(struct printer *to, const struct shuffle_plan *plan, const char *comment) {
    print_text(to, "/* ");
    guard_comment(to, comment);
    print_char(to, '\n');
    print_side(to, plan, &plan->source, "in");
    print_side(to, plan, &plan->target, "out");
    print(to, " * tid: the thread of the %s, 0 to %u", plan->threads > 32 ? "warpgroup" : "warp",
          plan->threads - 1);
}

static void print_signature(struct printer *to, const struct shuffle_plan *plan, const char *name,
                            const char *more) {
    const char *type = word_type(plan);
    print(to,
          "static __device__ __forceinline__ void %s(\n"
          "    unsigned tid, const %s in[%u], %s out[%u]%s) {\n",
          name, type, plan->source.words, type, plan->target.words, more);
}

/* Prints a step that chooses among whole values. False, and nothing is printed, if it is another.
 */
static bool print_select(struct printer *to, const struct shuffle_plan *plan,
                         const struct shuffle_step *step, uint32_t value) {
    struct choice choice = {ITEM_VALUE, step->by, {0}};
    for (uint32_t c = 0; c < cases_of(step->by); c++) {
        const uint32_t *picks = picks_of(plan, step, c), word = *picks / plan->per;
        choice.item[c] = *picks == MAPPING_NO_VALUE ? MAPPING_NO_VALUE : word;
        for (uint32_t s = 0; s < plan->per; s++)
            if (picks[s] != (*picks == MAPPING_NO_VALUE ? *picks : word * plan->per + s))
                return false;
    }
    print(to, "    const %s v%u = ", word_type(plan), value);
    choice_print(to, &choice, plan, step);
    print_text(to, ";\n");
    return true;
}

/* Prints the source lanes that are not a xor as constants, then a statement for each step. */
static void print_steps(struct printer *to, const struct shuffle_plan *plan) {
    for (uint32_t n = 0; n < plan->lanes_count; n++) {
        char lane[FORMULA_TEXT];
        lanes_text(&plan->lanes[n], plan->threads, lane);
        if (!plan->lanes[n].is_xor)
            print(to, "    const int lane%u = (int)(%s);\n", n, lane);
    }
    for (uint32_t n = 0; n < plan->step_count; n++) {
        const struct shuffle_step *step = &plan->steps[n];
        const uint32_t value = plan->source.words + n;
        if (step->kind == STEP_SHUFFLE) {
            const struct source_lanes *lanes = &plan->lanes[step->lanes];
            print(to, "    const %s v%u = __shfl_%ssync(0xffffffff, ", word_type(plan), value,
                  lanes->is_xor ? "xor_" : "");
            print_value(to, plan, step->value);
            print(to, lanes->is_xor ? ", %u);\n" : ", lane%u);\n",
                  lanes->is_xor ? lanes->mask : step->lanes);
        } else if (!print_select(to, plan, step, value)) {
            print_combine(to, plan, step, value);
        }
    }
}

/* True if word w of the source is needed behind where word w of the target is written. */
static bool is_needed_later(const struct shuffle_plan *plan, uint32_t w) {
    for (uint32_t later = w + 1; later < plan->target.words; later++)
        if (plan->outputs[later] == w)
            return true;
    return false;
}

/* Writes out[]. What it overwrites too early, if in[] is the same array, is kept before. */
static void print_outputs(struct printer *to, const struct shuffle_plan *plan) {
    uint32_t inputs = plan->source.words;
    for (uint32_t w = 0; w < plan->target.words && w < inputs; w++)
        if (is_needed_later(plan, w) && plan->outputs[w] != w)
            print(to, "    const %s w%u = in[%u];\n", word_type(plan), w, w);
    for (uint32_t w = 0; w < plan->target.words; w++) {
        uint32_t value = plan->outputs[w];
        bool is_kept = value < w && value < inputs && plan->outputs[value] != value;
        print(to, "    out[%u] = ", w);
        if (is_kept)
            print(to, "w%u", value);
        else
            print_value(to, plan, value);
        print_text(to, ";\n");
    }
}

/* ---- A plan through shared memory ---- */

static const char *element_type(const struct shuffle_plan *plan) {
    return plan->bits == 8    ? "unsigned char"
           : plan->bits == 16 ? "unsigned short"
                              : word_type(plan);
}

/* Writes the formula of where the elements of a side are in the matrix. False if there is none. */
static bool formula_of(const struct shuffle_plan *plan, const struct plan_side *side,
                       char text[FORMULA_SIZE]) {
    const struct mapping_space space = {
        2, {{MAPPING_AXIS_TID, plan->threads}, {MAPPING_AXIS_I, side->total}}};
    struct mapping_formula formula;
    return mapping_deduce(&space, side->points, &formula) &&
           mapping_formula_print(&formula, &space, text, FORMULA_SIZE) < FORMULA_SIZE;
}

/* Prints a function that does the same through shared memory, whatever the kind of the plan:
 *
 *     static __device__ __forceinline__ void NAME(unsigned tid, const unsigned in[4],
 *                                                 unsigned out[4], unsigned char *memory)
 *
 * If elements go from one warp to another, there is one more argument, `unsigned barrier`. */
static bool convert_print_memory(struct printer *to, const struct shuffle_plan *plan,
                                 const char *name, const char *comment) {
    static const char loop[] = "#pragma unroll\n    for (unsigned i = 0; i < %u; i++)\n        ";
    const char *type = element_type(plan), *group = plan->threads > 32 ? "warpgroup" : "warp";
    /* Waits for all threads that exchange elements. */
    const char *barrier =
        plan->crosses_warps
            ? "    asm volatile(\"barrier.sync %0, 128;\" ::\"r\"(barrier) : \"memory\");\n"
            : "    __syncwarp();\n";
    char store[FORMULA_SIZE], load[FORMULA_SIZE];
    if (plan->bits < 8 || !formula_of(plan, &plan->source, store) ||
        !formula_of(plan, &plan->target, load))
        return false;
    print_head(to, plan, comment);
    print(to,
          "; all threads of the %s must call this function together\n"
          " * memory: %zu bytes of shared memory for each %s, aligned like an element\n",
          plan->crosses_warps ? "warpgroup" : "warp",
          (size_t)plan->size[0] * plan->size[1] * plan->size[2] * plan->bits / 8, group);
    if (plan->crosses_warps)
        print_text(to, " * barrier: the number, 0 to 15, of a barrier that nothing else uses\n");
    print_text(to, " */\n");
    print_signature(to, plan, name,
                    plan->crosses_warps ? ", unsigned char *memory, unsigned barrier"
                                        : ", unsigned char *memory");
    print(to, "    %s *matrix = reinterpret_cast<%s *>(memory);\n", type, type);
    print(to, loop, plan->source.total);
    if (plan->per == 1)
        print(to, "matrix[%s] = in[i];\n", store);
    else
        print(to, "matrix[%s] = (%s)(in[i / %u] >> i %% %u * %u);\n", store, type, plan->per,
              plan->per, plan->bits);
    print_text(to, barrier);
    if (plan->per > 1) {
        print(to, loop, plan->target.words);
        print_text(to, "out[i] = 0;\n");
    }
    print(to, loop, plan->target.total);
    if (plan->per == 1)
        print(to, "out[i] = matrix[%s];\n", load);
    else
        print(to, "out[i / %u] |= (unsigned)matrix[%s] << i %% %u * %u;\n", plan->per, load,
              plan->per, plan->bits);
    print_text(to, barrier); /* no thread may write there before all have read */
    print_text(to, "}\n");
    return true;
}

/* Prints a function that does what the plan says, for CUDA C++:
 *
 *     static __device__ __forceinline__ void NAME(unsigned tid, const unsigned in[4],
 *                                                 unsigned out[4])
 *
 * with a comment that begins with `comment`, which may have several lines, and says what in[] and
 * out[] hold. Registers are unsigned long long where elements have 64 bits. in[] and out[] may be
 * the same array. A plan through memory is printed as convert_print_memory does.
 *
 * False, and nothing is printed, if that cannot be done: through memory with elements of less than
 * 8 bits, or where an address has no formula. */
static bool convert_print(struct printer *to, const struct shuffle_plan *plan, const char *name,
                          const char *comment) {
    if (plan->kind == CONVERT_MEMORY)
        return convert_print_memory(to, plan, name, comment);
    print_head(to, plan, comment);
    if (plan->shuffles > 0)
        print_text(to, "; all threads of its warp must call this function together");
    print_text(to, "\n */\n");
    print_signature(to, plan, name, "");
    print_text(to, "    (void)tid;\n"); /* in some nothing depends on it */
    print_steps(to, plan);
    print_outputs(to, plan);
    print_text(to, "}\n");
    return true;
}

/* ---- The functions of a conversion ---- */

/* Longest name of a function: two of fragments, and what is between and around them. */
enum { FUNCTION_NAME = 2 * MAPPING_NAME_SIZE + 64 };

static void function_name(const struct conversion *conversion, const char *ending,
                          char name[FUNCTION_NAME]) {
    const struct mapping_fragment *source = &conversion->source->observed.fragment;
    char tile[32] = "";
    if (conversion->source->tiling)
        snprintf(tile, sizeof tile, "_%ux%u", source->rows, source->cols);
    snprintf(name, FUNCTION_NAME, "mapping_%.63s%s_to_%.63s%s", conversion->source->name, tile,
             conversion->target->name, ending);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/* Writes "2 of mma.m16n8k16.d.f32 (16x8), side by side". */
static void describe_side(const struct report *report, const struct plan_side *side,
                          char text[128]) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    int length = side->matrices > 1 ? snprintf(text, 128, "%u ", side->matrices) : 0;
    snprintf(text + length, 128 - (size_t)length, "%.63s (%ux%u)%s", report->name, fragment->rows,
             fragment->cols, side->matrices > 1 ? ", side by side" : "");
}

/* Longest function, in characters. */
enum { FUNCTION_TEXT = 32 * 1024 };

/* Prints one function, in a guard, so that it may be in several headers; false if it cannot be, or
 * is too long. */
static bool print_function(struct printer *to, const struct conversion *conversion,
                           const struct shuffle_plan *plan, const char *ending,
                           const char *remark) {
    char name[FUNCTION_NAME], comment[512 + FORMULA_TEXT], from[128], into[128];
    function_name(conversion, ending, name);
    describe_side(conversion->source, &plan->source, from);
    describe_side(conversion->target, &plan->target, into);
    snprintf(comment, sizeof comment, "Converts %s\nto %s, on sm_%u.%s", from, into,
             conversion->source->arch, remark);
    print_text(to, "\n#ifndef ");
    guard_macro(to, name);
    print_text(to, "\n#define ");
    guard_macro(to, name);
    print_char(to, '\n');
    size_t start = to->size;
    bool printed = convert_print(to, plan, name, comment) && to->size - start <= FUNCTION_TEXT;
    print_text(to, "#endif\n");
    return printed;
}

bool conversion_has_function(const struct conversion *conversion, const struct shuffle_plan *plan) {
    enum { STEP = 100, PICK = 30 }; /* characters that whole bytes take, at most */
    if (plan->bits >= 8 && plan->kind != CONVERT_MEMORY &&
        (uint64_t)plan->step_count * STEP + (uint64_t)plan->pick_count * PICK < FUNCTION_TEXT / 2)
        return true;
    struct printer scratch = {.text = NULL};
    bool printed = print_function(&scratch, conversion, plan, "", "");
    printer_free(&scratch);
    return printed;
}

/* Prints the function that does without shuffles. */
static bool print_permuted(struct printer *to, const struct conversion *conversion) {
    const struct mapping_permutation *permutation = &conversion->permutation;
    const char *word = mapping_axis_word(permutation->axis);
    char formula[FORMULA_TEXT], remark[256 + FORMULA_TEXT];
    permutation_text(permutation, formula);
    snprintf(remark, sizeof remark, "\nEach target %s comes from this source %s:\n  %s", word, word,
             *formula ? formula : "(from a table without a formula)");
    return print_function(to, conversion, &conversion->permuted, "_permuted", remark);
}

bool print_conversions_cuda(struct printer *to, const struct conversion *conversions, size_t count,
                            const struct style *style) {
    (void)style;
    bool printed = true;
    print_text(to, "/* Functions that convert the registers of one fragment into those of another. "
                   "Made by mapping\n * --convert. */\n");
    for (size_t c = 0; c < count && printed; c++)
        printed = print_function(to, &conversions[c], &conversions[c].plan, "", "") &&
                  (!conversions[c].is_permutable || print_permuted(to, &conversions[c]));
    return printed;
}
