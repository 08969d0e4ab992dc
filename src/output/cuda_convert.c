/* cuda_convert.c - register conversions as device functions of CUDA; see cuda_convert.h.
 *
 * The file has, in this order:
 * - conditional expressions that choose by bits of tid;
 * - words combined from elements of other words, by __byte_perm or by masks and shifts;
 * - functions for a plan of shuffles, for a conversion through shared memory, and for both with
 *   rounding from f32 or s32;
 * - the functions of a conversion with their include guards. */
#include "output/cuda_convert.h"

#include "layout/sentence.h"
#include "layout/space.h"
#include "output/guard.h"

#include <string.h>

/* ---- Choices by bits of tid ---- */

enum { THREADS_MAX = 128 };

/* The kinds of items in a choice: values of a plan, such as in[0] or v4; selectors of __byte_perm;
 * or threads of a step, whose slots are printed as an expression. */
enum item_kind { ITEM_VALUE, ITEM_SELECTOR, ITEM_THREAD };

/* A choice by bits of tid: thread t uses item[t & by]. MAPPING_NO_VALUE means that any value is
 * right for this thread. Other items are not used. */
struct choice {
    enum item_kind kind;
    uint32_t by;
    uint32_t item[THREADS_MAX];
};

static uint32_t cases_of(uint32_t by) {
    return UINT32_C(1) << __builtin_popcount(by);
}

/* The next larger number that has only bits of `by`; 0 after the last one. */
static uint32_t next_thread(uint32_t t, uint32_t by) {
    return (t - by) & by;
}

/* Drops bits of tid on which the choice does not depend. */
static struct choice reduce(const struct choice *choice) {
    struct choice reduced = *choice;
    for (uint32_t bit = THREADS_MAX / 2; bit > 0; bit /= 2) {
        bool differs = false;
        if ((reduced.by & bit) == 0)
            continue;
        struct choice one = reduced;
        one.by &= ~bit;
        for (uint32_t c = 0, t = 0; c < cases_of(one.by); c++, t = next_thread(t, one.by)) {
            const uint32_t other = reduced.item[t | bit];
            if (one.item[t] == MAPPING_NO_VALUE)
                one.item[t] = other;
            differs = differs || (other != MAPPING_NO_VALUE && other != one.item[t]);
        }
        reduced = differs ? reduced : one;
    }
    return reduced;
}

/* ---- Items ---- */

/* A step that combines slots of several values. */
struct combined {
    const struct shuffle_plan *plan;
    uint32_t value; /* the value that the step computes */
    uint32_t by;
    const uint32_t *picks; /* slot s of thread t takes picks[t * per + s] */
    const char *type;      /* the type of the value */
};

/* Prints a value of a plan: in[0], v4. */
static void print_value(struct printer *to, const struct shuffle_plan *plan, uint32_t value) {
    const bool is_input = value < plan->source.words;
    print_text(to, is_input ? "in[" : "v");
    print_number(to, value);
    print_text(to, is_input ? "]" : "");
}

/* Prints the beginning of the statement that makes a value: "    const unsigned v4 = ". */
static void print_begin(struct printer *to, const char *type, const struct shuffle_plan *plan,
                        uint32_t value) {
    print_text(to, "    const ");
    print_text(to, type);
    print_char(to, ' ');
    print_value(to, plan, value);
    print_text(to, " = ");
}

/* Prints the slots that a thread combines as masks and shifts, with one term for all slots with the
 * same shift: ((in[0] & 0x0000ffff) | (in[1] << 16 & 0xffff0000)). */
static void print_masks(struct printer *to, const struct shuffle_plan *plan,
                        const uint32_t *picks) {
    const char *before = "(";
    for (uint32_t s = 0; s < plan->per; s++) {
        const uint32_t slot = (UINT32_C(1) << plan->bits) - 1, from = picks[s] % plan->per;
        uint32_t mask = 0, first = s;
        for (uint32_t n = plan->per; n-- > 0;)
            if (picks[n] - n == picks[s] - s && picks[n] / plan->per == picks[s] / plan->per) {
                mask |= slot << n * plan->bits;
                first = n;
            }
        if (picks[s] == MAPPING_NO_VALUE || first < s)
            continue;
        print(to, "%s(", before);
        print_value(to, plan, picks[s] / plan->per);
        if (from > s)
            print(to, " >> %u", (from - s) * plan->bits);
        else if (from < s)
            print(to, " << %u", (s - from) * plan->bits);
        print(to, " & 0x%08x)", mask);
        before = " | ";
    }
    print_char(to, ')');
}

/* Prints a choice as an expression: an item, or (tid & 2 ? a : b). */
static void choice_print(struct printer *to, const struct choice *choice,
                         const struct combined *step) {
    struct choice reduced = reduce(choice);
    const uint32_t item = reduced.item[0];
    if (reduced.by > 0) {
        const uint32_t bit = UINT32_C(1) << (31 - __builtin_clz(reduced.by));
        reduced.by &= ~bit;
        struct choice other = reduced;
        for (uint32_t c = 0, t = 0; c < cases_of(other.by); c++, t = next_thread(t, other.by))
            other.item[t] = reduced.item[t | bit];
        print_text(to, "(tid & ");
        print_number(to, bit);
        print_text(to, " ? ");
        choice_print(to, &other, step);
        print_text(to, " : ");
        choice_print(to, &reduced, step);
        print_char(to, ')');
    } else if (item == MAPPING_NO_VALUE) {
        print_char(to, '0');
    } else if (choice->kind == ITEM_VALUE) {
        print_value(to, step->plan, item);
    } else if (choice->kind == ITEM_SELECTOR) {
        print(to, "0x%04x", item);
    } else {
        print_masks(to, step->plan, step->picks + (size_t)item * step->plan->per);
    }
}

/* ---- Words combined from slots of other words ----
 *
 * If a step copies only whole bytes, __byte_perm combines bytes of two words; its selector lists
 * these bytes. Each further call adds one word. Words and selectors depend on tid. Otherwise, the
 * code chooses between whole expressions of masks and shifts by tid. */

enum { BYTES = 4 };

/* The bytes of a step, for each thread that has only bits of the step's `by`. */
struct bytes {
    uint32_t byte[THREADS_MAX][BYTES]; /* source of each byte: value * 4 + byte; or no value */
    uint32_t word[THREADS_MAX][BYTES]; /* the values that contain these bytes; or
                                          MAPPING_NO_VALUE */
    uint32_t count;                    /* number of words per thread, at least 2, the same for all
                                          threads */
};

/* Finds the byte that a thread copies to byte b. False if it is not a whole byte. */
static bool read_byte(const struct shuffle_plan *plan, const uint32_t *picks, uint32_t b,
                      uint32_t *byte) {
    *byte = MAPPING_NO_VALUE;
    for (uint32_t bit = 8 * b; bit < 8 * b + 8; bit += plan->bits < 8 ? plan->bits : 8) {
        const uint32_t pick = picks[bit / plan->bits], from = pick * plan->bits + bit % plan->bits;
        if (pick == MAPPING_NO_VALUE)
            continue;
        if (from % 8 != bit % 8 || (*byte != MAPPING_NO_VALUE && *byte != from / 8))
            return false;
        *byte = from / 8;
    }
    return true;
}

/* The index of a word (or MAPPING_NO_VALUE) in the list; BYTES if it is not there. */
static uint32_t find_word(const uint32_t words[BYTES], uint32_t word) {
    uint32_t n = 0;
    while (n < BYTES && words[n] != word)
        n++;
    return n;
}

/* Lists the words from which a thread takes bytes. A word gets the index that it has in earlier
 * threads, or an index that no thread has used, so that the word does not depend on tid. Otherwise
 * it gets any index that is free in this thread. usual[] has the first word of each index. */
static void list_words(const uint32_t byte[BYTES], uint32_t count, uint32_t usual[BYTES],
                       uint32_t words[BYTES]) {
    uint32_t own[BYTES];
    for (uint32_t b = 0; b < BYTES; b++)
        own[b] = byte[b] == MAPPING_NO_VALUE ? byte[b] : byte[b] / BYTES;
    for (uint32_t n = 0; n < BYTES; n++)
        words[n] = find_word(own, usual[n]) < BYTES ? usual[n] : MAPPING_NO_VALUE;
    for (uint32_t b = 0; b < BYTES; b++) {
        if (find_word(words, own[b]) < BYTES) /* the word is already listed, or there is none */
            continue;
        uint32_t n = find_word(usual, MAPPING_NO_VALUE);
        n = n < count ? n : find_word(words, MAPPING_NO_VALUE);
        words[n] = own[b];
        usual[n] = usual[n] == MAPPING_NO_VALUE ? own[b] : usual[n];
    }
}

/* Finds the bytes of a step. False if it does not copy whole bytes. */
static bool read_bytes(const struct combined *step, struct bytes *bytes) {
    const uint32_t cases = cases_of(step->by), none = MAPPING_NO_VALUE;
    uint32_t usual[BYTES] = {none, none, none, none};
    for (uint32_t c = 0, t = 0; c < cases; c++, t = next_thread(t, step->by)) {
        uint32_t first[BYTES] = {none, none, none, none}, ignored[BYTES], count = 0;
        for (uint32_t b = 0; b < BYTES; b++)
            if (!read_byte(step->plan, step->picks + (size_t)t * step->plan->per, b,
                           &bytes->byte[t][b]))
                return false;
        list_words(bytes->byte[t], BYTES, first, ignored);
        while (count < BYTES && first[count] != none)
            count++;
        bytes->count = count > bytes->count ? count : bytes->count;
    }
    for (uint32_t c = 0, t = 0; c < cases; c++, t = next_thread(t, step->by))
        list_words(bytes->byte[t], bytes->count, usual, bytes->word[t]);
    return true;
}

/* Prints one call of __byte_perm for each word but the first. The first call takes bytes of words 0
 * and 1; call n takes bytes of the result so far and of word n. */
static void print_bytes(struct printer *to, const struct combined *step,
                        const struct bytes *bytes) {
    for (uint32_t n = 1; n < bytes->count; n++) {
        struct choice before = {ITEM_VALUE, step->by, {0}}, added = before, selector = before;
        selector.kind = ITEM_SELECTOR;
        for (uint32_t c = 0, t = 0; c < cases_of(step->by); c++, t = next_thread(t, step->by)) {
            before.item[t] = n == 1 ? bytes->word[t][0] : step->value;
            added.item[t] = bytes->word[t][n];
            for (uint32_t b = 0; b < BYTES; b++) {
                const uint32_t from = bytes->byte[t][b];
                uint32_t digit = n > 1                      ? b
                                 : from == MAPPING_NO_VALUE ? b * 8 % step->plan->bits / 8
                                                            : from % BYTES;
                if (from / BYTES == added.item[t])
                    digit = BYTES + from % BYTES;
                selector.item[t] |= digit << 4 * b;
            }
        }
        const char *type = n > 1 ? "" : bytes->count > 2 ? "unsigned " : "const unsigned ";
        print_text(to, "    ");
        print_text(to, type);
        print_value(to, step->plan, step->value);
        print_text(to, " = __byte_perm(");
        choice_print(to, &before, step);
        print_text(to, ", ");
        choice_print(to, &added, step);
        print_text(to, ", ");
        choice_print(to, &selector, step);
        print_text(to, ");\n");
    }
}

static const char *word_type(const struct shuffle_plan *plan) {
    return plan->bits == 64 ? "unsigned long long" : "unsigned";
}

/* Prints the statements that make a value from others: a choice among whole values, calls of
 * __byte_perm, or a choice among expressions, one for all threads with the same picks. */
static void print_combined(struct printer *to, const struct combined *step) {
    const struct shuffle_plan *plan = step->plan;
    const uint32_t per = plan->per, none = MAPPING_NO_VALUE;
    struct choice choice = {ITEM_VALUE, step->by, {0}};
    struct bytes bytes = {.count = 2};
    for (uint32_t c = 0, t = 0; c < cases_of(step->by); c++, t = next_thread(t, step->by)) {
        const uint32_t *picks = step->picks + (size_t)t * per, word = *picks / per;
        choice.item[t] = *picks == none ? none : word;
        for (uint32_t s = 0; s < per; s++)
            if (picks[s] != (*picks == none ? none : word * per + s))
                choice.kind = ITEM_THREAD;
    }
    if (choice.kind == ITEM_THREAD && read_bytes(step, &bytes)) {
        print_bytes(to, step, &bytes);
        return;
    }
    for (uint32_t c = 0, t = 0; c < cases_of(step->by) && choice.kind == ITEM_THREAD; c++) {
        const uint32_t *picks = step->picks + (size_t)t * per;
        uint32_t used = 0, first = 0;
        while (used < per && picks[used] == none)
            used++;
        while (memcmp(step->picks + (size_t)first * per, picks, per * sizeof *picks) != 0)
            first = next_thread(first, step->by);
        choice.item[t] = used == per ? none : first;
        t = next_thread(t, step->by);
    }
    print_begin(to, step->type, plan, step->value);
    choice_print(to, &choice, step);
    print_text(to, ";\n");
}

/* ---- A plan as a function ---- */

enum { FORMULA_SIZE = 2048 };

/* Prints what the registers of one side contain. */
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

/* Prints the comment and the head of a function. in[] has the source of `unpacked`, which is the
 * plan itself or a plan for wider elements. Threads call the function together if `called` needs
 * it. */
static void print_head(struct printer *to, const struct shuffle_plan *plan,
                       const struct shuffle_plan *unpacked, const struct shuffle_plan *called,
                       const char *name, const char *type, uint32_t inputs, bool has_memory,
                       const char *comment) {
    const char *group = plan->threads > 32 ? "warpgroup" : "warp";
    print_text(to, "/* ");
    guard_comment(to, comment);
    print_char(to, '\n');
    print_side(to, unpacked, &unpacked->source, "in");
    print_side(to, plan, &plan->target, "out");
    print(to, " * tid: the thread of the %s, 0 to %u", group, plan->threads - 1);
    if (has_memory)
        print(to,
              "; all threads of the %s must call this function together\n"
              " * memory: %zu bytes of shared memory for each %s, aligned like an element\n",
              plan->crosses_warps ? "warpgroup" : "warp",
              (size_t)plan->size[0] * plan->size[1] * plan->size[2] * plan->bits / 8, group);
    else
        print(to, "%s\n",
              called->shuffles > 0 ? "; all threads of its warp must call this function together"
                                   : "");
    if (has_memory && plan->crosses_warps)
        print_text(to, " * barrier: the number, 0 to 15, of a barrier that nothing else uses\n");
    print(to,
          " */\n"
          "static __device__ __forceinline__ void %s(\n"
          "    unsigned tid, const %s in[%u], %s out[%u]%s%s) {\n",
          name, type, inputs, word_type(plan), plan->target.words,
          has_memory ? ", unsigned char *memory" : "",
          has_memory && plan->crosses_warps ? ", unsigned barrier" : "");
}

/* Prints constants for the source lanes that are not tid ^ constant, then a statement for each
 * step. */
static void print_steps(struct printer *to, const struct shuffle_plan *plan, const char *type) {
    for (uint32_t n = 0; n < plan->lanes_count; n++) {
        if (!plan->lanes[n].is_xor)
            print(to, "    const int lane%u = (int)(%s);\n", n,
                  lanes_text(&plan->lanes[n], plan->threads));
    }
    for (uint32_t n = 0; n < plan->step_count; n++) {
        const uint32_t value = plan->source.words + n, index = plan->steps[n].lanes;
        const uint32_t *picks = plan->picks + (size_t)n * plan->threads * plan->per;
        if (!plan->steps[n].is_shuffle) {
            print_combined(to, &(struct combined){plan, value, plan->steps[n].by, picks, type});
            continue;
        }
        const struct source_lanes *lanes = &plan->lanes[index];
        print_begin(to, type, plan, value);
        print_text(to, lanes->is_xor ? "__shfl_xor_sync(0xffffffff, " : "__shfl_sync(0xffffffff, ");
        print_value(to, plan, *picks / plan->per);
        print_text(to, lanes->is_xor ? ", " : ", lane");
        print_number(to, lanes->is_xor ? lanes->mask : index);
        print_text(to, ");\n");
    }
}

/* True if word w of the source is still needed after word w of the target is written. */
static bool is_needed_later(const struct shuffle_plan *plan, uint32_t w) {
    for (uint32_t later = w + 1; later < plan->target.words; later++)
        if (plan->outputs[later] == w)
            return true;
    return false;
}

/* Writes out[]. If in[] is the same array, elements that would be overwritten too early are saved
 * first. */
static void print_outputs(struct printer *to, const struct shuffle_plan *plan) {
    uint32_t inputs = plan->source.words;
    for (uint32_t w = 0; w < plan->target.words && w < inputs; w++)
        if (is_needed_later(plan, w) && plan->outputs[w] != w)
            print(to, "    const %s w%u = in[%u];\n", word_type(plan), w, w);
    for (uint32_t w = 0; w < plan->target.words; w++) {
        uint32_t value = plan->outputs[w];
        bool is_kept = value < w && value < inputs && plan->outputs[value] != value;
        print_text(to, "    out[");
        print_number(to, w);
        print_text(to, "] = ");
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

/* Writes the formula that maps the elements of a side to the matrix. False if there is none. */
static bool formula_of(const struct plan_side *side, char text[FORMULA_SIZE]) {
    const struct mapping_space *space = &side->layout.from;
    const size_t entries = mapping_layout_entries(&side->layout);
    uint32_t *points = memory_get(entries, sizeof *points);
    struct mapping_formula formula;
    for (size_t n = 0; n < entries; n++)
        points[n] = (uint32_t)mapping_layout_target(&side->layout, n);
    const bool has_formula = mapping_deduce(space, points, &formula);
    mapping_free(points);
    return has_formula && mapping_formula_print(&formula, space, text, FORMULA_SIZE) < FORMULA_SIZE;
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
    const char *type = element_type(plan);
    /* Waits for all threads that exchange elements. */
    const char *barrier =
        plan->crosses_warps
            ? "    asm volatile(\"barrier.sync %0, 128;\" ::\"r\"(barrier) : \"memory\");\n"
            : "    __syncwarp();\n";
    char store[FORMULA_SIZE], load[FORMULA_SIZE];
    if (plan->bits < 8 || !formula_of(&plan->source, store) || !formula_of(&plan->target, load))
        return false;
    print_head(to, plan, plan, plan, name, word_type(plan), plan->source.words, true, comment);
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
    print_text(to, barrier); /* no thread may write to shared memory before all have read */
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
    print_head(to, plan, plan, plan, name, word_type(plan), plan->source.words, false, comment);
    print_text(to, "    (void)tid;\n"); /* in some functions, nothing depends on tid */
    print_steps(to, plan, word_type(plan));
    print_outputs(to, plan);
    print_text(to, "}\n");
    return true;
}

/* ---- Rounding ---- */

/* How the result of an opcode for one or two elements becomes part of a word. */
enum packing {
    PACK_PARTS, /* it is the word, or one half or one byte of it */
    PACK_TWICE, /* it is a byte with two elements, and the operand has a byte for each: bits 5:2 of
                   each are used */
    PACK_CHAIN  /* the opcode shifts its last operand up and adds the result below, so the last
                   elements come first */
};

/* A conversion of registers of f32 or s32 to packed registers of another type. */
struct rounding {
    enum mapping_type from, type;
    const char *opcode; /* an opcode that rounds one element or two; of two, the second is the first
                           operand */
    uint32_t bits;      /* size of an element in a register */
    uint32_t takes;     /* number of elements that the opcode rounds, 1 or 2 */
    unsigned since;     /* the first architecture with this opcode */
    enum packing packing;
};

/* PTX ISA, "cvt" and "cvt.pack". The first row with the types and an opcode of the architecture
 * applies. */
static const struct rounding roundings[] = {
    {MAPPING_F32, MAPPING_F16, "cvt.rn.f16x2.f32", 16, 2, 80, PACK_PARTS},
    {MAPPING_F32, MAPPING_F16, "cvt.rn.f16.f32", 16, 1, 70, PACK_PARTS},
    {MAPPING_F32, MAPPING_BF16, "cvt.rn.bf16x2.f32", 16, 2, 80, PACK_PARTS},
    {MAPPING_F32, MAPPING_TF32, "cvt.rna.tf32.f32", 32, 1, 80, PACK_PARTS},
    {MAPPING_F32, MAPPING_E4M3, "cvt.rn.satfinite.e4m3x2.f32", 8, 2, 89, PACK_PARTS},
    {MAPPING_F32, MAPPING_E5M2, "cvt.rn.satfinite.e5m2x2.f32", 8, 2, 89, PACK_PARTS},
    {MAPPING_F32, MAPPING_E3M2, "cvt.rn.satfinite.e3m2x2.f32", 8, 2, 100, PACK_PARTS},
    {MAPPING_F32, MAPPING_E2M3, "cvt.rn.satfinite.e2m3x2.f32", 8, 2, 100, PACK_PARTS},
    {MAPPING_F32, MAPPING_E2M1, "cvt.rn.satfinite.e2m1x2.f32", 8, 2, 100, PACK_TWICE},
    {MAPPING_F32, MAPPING_E2M1, "cvt.rn.satfinite.e2m1x2.f32", 4, 2, 100, PACK_PARTS},
    {MAPPING_S32, MAPPING_S8, "cvt.pack.sat.s8.s32.b32", 8, 2, 72, PACK_CHAIN},
    {MAPPING_S32, MAPPING_U8, "cvt.pack.sat.u8.s32.b32", 8, 2, 72, PACK_CHAIN},
    {MAPPING_S32, MAPPING_S4, "cvt.pack.sat.s4.s32.b32", 4, 2, 75, PACK_CHAIN},
    {MAPPING_S32, MAPPING_U4, "cvt.pack.sat.u4.s32.b32", 4, 2, 75, PACK_CHAIN},
};

static const struct rounding *rounding_of(const struct conversion *conversion) {
    const struct mapping_fragment *source = &conversion->source->observed.fragment,
                                  *target = &conversion->target->observed.fragment;
    const size_t count = sizeof roundings / sizeof *roundings;
    for (size_t n = 0; n < count; n++)
        if (roundings[n].from == source->type && roundings[n].type == target->type &&
            roundings[n].bits == target->bits && conversion->source->arch >= roundings[n].since)
            return &roundings[n];
    return NULL;
}

static const char *source_type(const struct rounding *rounding) {
    return rounding->from == MAPPING_F32 ? "float" : "int";
}

/* Prints the instructions that compute a word from the operands %1 and following. Each part of the
 * word has its own register. */
static void print_parts(struct printer *to, const struct rounding *rounding, uint32_t parts) {
    static const char *const halves[] = {"lo", "hi"}, *const bytes[] = {"b0", "b1", "b2", "b3"};
    const bool are_bytes = parts > 2 || rounding->packing == PACK_TWICE;
    const char *const *names = are_bytes ? bytes : halves;
    print_text(to, parts == 1 ? "" : are_bytes ? "{ .reg .b8 " : "{ .reg .b16 ");
    for (uint32_t part = 0; part < parts && parts > 1; part++)
        print(to, "%s%s", part > 0 ? ", " : "", names[part]);
    print_text(to, parts > 1 ? ";" : "");
    for (uint32_t part = 0; part < parts; part++) {
        print(to, "%s%s %s", parts > 1 ? " " : "", rounding->opcode,
              parts == 1 ? "%0" : names[part]);
        for (uint32_t n = rounding->takes; n-- > 0;)
            print(to, ", %%%u", part * rounding->takes + 1 + n);
        print_char(to, ';');
    }
    print_text(to, parts > 1 ? " mov.b32 %0, {" : "");
    for (uint32_t part = 0; part < parts && parts > 1; part++) {
        print(to, "%s%s", part > 0 ? ", " : "", names[part]);
        if (rounding->packing == PACK_TWICE)
            print(to, ", %s", names[part]);
    }
    print_text(to, parts > 1 ? "}; }" : "");
}

/* Prints the same for an opcode that adds its result below the other bits of the word. */
static void print_chain(struct printer *to, const struct rounding *rounding, uint32_t parts) {
    print_text(to, "{ .reg .b32 t;");
    for (uint32_t part = parts; part-- > 0;)
        print(to, " %s %s, %%%u, %%%u, %s;", rounding->opcode, part == 0 ? "%0" : "t", 2 * part + 2,
              2 * part + 1, part + 1 == parts ? "0" : "t");
    print_text(to, " }");
}

/* Prints statements that round all elements of a side and pack them into its words, out[] or
 * packed[]. Element e is value values[e] of `plan`, or value e if values is NULL. */
static void print_packed(struct printer *to, const struct rounding *rounding,
                         const struct shuffle_plan *plan, uint32_t total, uint32_t per,
                         const uint32_t *values, const char *words) {
    const bool is_float = rounding->from == MAPPING_F32;
    for (uint32_t first = 0; first < total; first += per) {
        const uint32_t word = first / per;
        print_text(to, "    asm(\"");
        if (rounding->packing == PACK_CHAIN)
            print_chain(to, rounding, per / rounding->takes);
        else
            print_parts(to, rounding, per / rounding->takes);
        print(to, "\" : \"=r\"(%s[%u]) :", words, word);
        for (uint32_t e = first; e < first + per; e++) {
            print(to, "%s \"%c\"(", e > first ? "," : "", is_float ? 'f' : 'r');
            if (e < total)
                print_value(to, plan, values ? values[e] : e);
            else
                print_text(to, is_float ? "0.0f" : "0");
            print_char(to, ')');
        }
        print_text(to, ");\n");
        if (rounding->packing == PACK_TWICE)
            print(to, "    %s[%u] = (%s[%u] << 2 & 0x003c003c) | (%s[%u] >> 2 & 0x3c003c00);\n",
                  words, word, words, word, words, word);
    }
}

/* True if a plan that moves elements of f32 has fewer steps than one that moves packed elements. */
static bool moves_unpacked(const struct shuffle_plan *plan, const struct shuffle_plan *unpacked) {
    if (unpacked->kind == CONVERT_MEMORY || plan->kind == CONVERT_MEMORY)
        return unpacked->kind < plan->kind;
    return unpacked->shuffles != plan->shuffles ? unpacked->shuffles < plan->shuffles
                                                : unpacked->step_count <= plan->step_count;
}

/* Prints a function from registers of f32 or s32 to packed registers, with `moving`, the name of
 * the function that convert_print prints for the plan:
 *
 *     static __device__ __forceinline__ void NAME(unsigned tid, const float in[8],
 *                                                 unsigned out[4]) */
static void print_rounded(struct printer *to, const struct rounding *rounding,
                          const struct shuffle_plan *plan, const struct shuffle_plan *unpacked,
                          const char *name, const char *moving, const char *comment) {
    const bool is_before = moves_unpacked(plan, unpacked),
               has_memory = plan->kind == CONVERT_MEMORY && !is_before;
    print_head(to, plan, unpacked, is_before ? unpacked : plan, name, source_type(rounding),
               unpacked->source.total, has_memory, comment);
    if (is_before) {
        print_text(to, "    (void)tid;\n");
        print_steps(to, unpacked, source_type(rounding));
        print_packed(to, rounding, unpacked, plan->target.total, plan->per, unpacked->outputs,
                     "out");
    } else {
        print(to, "    unsigned packed[%u];\n", plan->source.words);
        print_packed(to, rounding, unpacked, plan->source.total, plan->per, NULL, "packed");
        print(to, "    %s(tid, packed, out%s%s);\n", moving, has_memory ? ", memory" : "",
              has_memory && plan->crosses_warps ? ", barrier" : "");
    }
    print_text(to, "}\n");
}

/* ---- The functions of a conversion ---- */

/* Prints the name of a side, and the size of a tile. Triton layouts have long names, so a hash
 * distinguishes those with the same beginning. */
static void print_side_name(struct printer *to, const struct report *report) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const size_t length = strlen(report->name);
    guard_name(to, memory_format("%.63s", report->name));
    if (length > 63)
        print(to, "_%08x", guard_add(GUARD_START, report->name, length));
    if (report->tiling)
        print(to, "_%ux%u", fragment->rows, fragment->cols);
}

static const char *function_name(const struct conversion *conversion, const char *ending) {
    struct printer to = {.text = NULL};
    print_text(&to, "mapping_");
    print_side_name(&to, conversion->source);
    print_text(&to, "_to_");
    print_side_name(&to, conversion->target);
    print_text(&to, ending);
    return printer_string(&to);
}

/* Prints "2 mma.m16n8k16.d.f32 (16x8), side by side", and how it is tiled. */
static void print_described(struct printer *to, const struct report *report,
                            const struct plan_side *side) {
    if (side->matrices > 1)
        print(to, "%u ", side->matrices);
    print_side_by_side(to, report, side);
    if (report->tiling)
        print(to, ", tiled by %s", report->tiling);
}

/* Longest function, in characters. */
enum { FUNCTION_TEXT = 32 * 1024 };

/* Prints one function in an include guard, whose hash is that of its code, so that several headers
 * may contain it. False if the function cannot be printed, or is too long. With a rounding, prints
 * the function that rounds. If `to` is NULL, only returns whether it can be printed. */
static bool print_function(struct printer *to, const struct conversion *conversion,
                           const struct shuffle_plan *plan, const char *ending,
                           const struct rounding *rounding, const char *remark) {
    static const char end_of_head[] = "\n */\n";
    const struct mapping_fragment *target = &conversion->target->observed.fragment;
    const char *moving = function_name(conversion, ending), *name = moving;
    struct printer function = {.text = NULL}, words = {.text = NULL};
    if (rounding)
        name = memory_format("%s_from_%s", moving, mapping_type_name(rounding->from));
    print_text(&words, "Converts ");
    print_described(&words, conversion->source, &plan->source);
    print_text(&words, "\nto ");
    print_described(&words, conversion->target, &plan->target);
    print(&words, ", on sm_%u.", conversion->source->arch);
    if (rounding)
        print(&words, "\n%s the elements to %s with %s.",
              rounding->from == MAPPING_F32 ? "Rounds" : "Clamps", mapping_type_name(target->type),
              rounding->opcode);
    else if (conversion_rounds(conversion))
        print(&words, "\nFirst convert the elements to %s.", mapping_type_name(target->type));
    print_text(&words, remark);
    const struct strings lines = conversion->scales ? line_scales_describe(conversion->scales)
                                                    : (struct strings){.count = 0};
    for (size_t n = 0; n < lines.count; n++)
        print(&words, "\n%s", lines.text[n]);
    const char *comment = printer_string(&words);
    bool printed = true;
    if (rounding) {
        struct shuffle_plan unpacked;
        struct mapping_error ignored;
        printed = mapping_convert_plan(
                      &conversion->source->forward.layout, &conversion->target->forward.layout, 32,
                      plan == &conversion->permuted ? &conversion->permutation : NULL, &unpacked,
                      &ignored) == MAPPING_OK;
        print_rounded(&function, rounding, plan, &unpacked, name, moving, comment);
    } else {
        printed = convert_print(&function, plan, name, comment);
    }
    printed = printed && (rounding || function.size <= FUNCTION_TEXT);
    const char *text = printer_string(&function), *code = to ? strstr(text, end_of_head) : NULL;
    if (printed && code) {
        print_char(to, '\n');
        guard_open(to, "", name, "", guard_add(GUARD_START, code, strlen(code)));
        print_text(to, text);
        print_text(to, "#endif\n");
    }
    printer_free(&function);
    return printed;
}

bool conversion_has_function(const struct conversion *conversion, const struct shuffle_plan *plan) {
    return print_function(NULL, conversion, plan, "", NULL, "");
}

/* Prints the function that needs no shuffles. */
static bool print_permuted(struct printer *to, const struct conversion *conversion,
                           const struct rounding *rounding) {
    const struct mapping_permutation *permutation = &conversion->permutation;
    const char *word = mapping_axis_word(permutation->axis);
    const char *formula = permutation_text(permutation);
    const char *remark = memory_format(
        "\nThe elements of target %s '%s' come from this source %s:\n  %s", word, permutation->axis,
        word, formula ? formula : "(from a table without a formula)");
    return print_function(to, conversion, &conversion->permuted, "_permuted", rounding, remark);
}

bool print_conversions_cuda(struct printer *to, const struct conversion *conversions, size_t count,
                            const struct style *style) {
    (void)style;
    bool printed = true;
    print_text(to, "/* Functions that convert the registers of one fragment into those of another. "
                   "Made by mapping\n * --convert. */\n");
    for (size_t c = 0; c < count && printed; c++) {
        const struct conversion *it = &conversions[c];
        const struct rounding *rounding = rounding_of(it);
        printed = print_function(to, it, &it->plan, "", NULL, "") &&
                  (!it->is_permutable || print_permuted(to, it, NULL));
        if (printed && rounding)
            printed = print_function(to, it, &it->plan, "", rounding, "") &&
                      (!it->is_permutable || print_permuted(to, it, rounding));
    }
    return printed;
}
