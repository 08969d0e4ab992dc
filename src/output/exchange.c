/* exchange.c - a shuffle plan as a device function. */
#include "output/exchange.h"

#include "layout/sentence.h"
#include "output/exchange_choice.h"
#include "output/guard.h"

#include <stdlib.h>
#include <string.h>

enum { FORMULA_SIZE = 2048 };

void exchange_print_value(struct printer *to, const void *plan, uint32_t value) {
    const struct shuffle_plan *exchange = plan;
    bool is_input = value < exchange->source.words;
    print(to, is_input ? "in[%u]" : "v%u", (unsigned)value);
}

/* The type of a register. */
static const char *word_type(const struct shuffle_plan *plan) {
    return plan->bits == 64 ? "unsigned long long" : "unsigned";
}

/* ---- Comments ---- */

/* Says what the registers of one side hold. */
static void print_side(struct printer *to, const struct shuffle_plan *plan,
                       const struct plan_side *side, const char *name) {
    print(to, " * %s[]: %u element%s of %u bits", name, (unsigned)side->total,
          mapping_plural(side->total), (unsigned)plan->bits);
    if (plan->bits < 32)
        print_text(to, ", packed, the lowest index in the lowest bits");
    if (side->matrices > 1)
        print(to, ";\n *     the elements of %u fragments, tiled %u x %u, in reading order",
              (unsigned)side->matrices, (unsigned)(side->grid[0] * side->grid[1]),
              (unsigned)side->grid[2]);
    print_char(to, '\n');
}

static void print_head(struct printer *to, const struct shuffle_plan *plan, const char *comment) {
    print_text(to, "/* ");
    guard_comment(to, comment);
    print_char(to, '\n');
    print_side(to, plan, &plan->source, "in");
    print_side(to, plan, &plan->target, "out");
    print(to, " * tid: the thread of the %s, 0 to %u", plan->threads > 32 ? "warpgroup" : "warp",
          (unsigned)(plan->threads - 1));
}

static void print_signature(struct printer *to, const struct shuffle_plan *plan, const char *name,
                            const char *more) {
    const char *type = word_type(plan);
    print(to,
          "static __device__ __forceinline__ void %s(\n"
          "    unsigned tid, const %s in[%u], %s out[%u]%s) {\n",
          name, type, (unsigned)plan->source.words, type, (unsigned)plan->target.words, more);
}

/* ---- Steps ---- */

static void print_select(struct printer *to, const struct shuffle_plan *plan,
                         const struct shuffle_step *step, uint32_t value) {
    struct choice choice = {.by = step->by};
    for (uint32_t c = 0; c < UINT32_C(1) << __builtin_popcount(step->by); c++)
        choice.item[c] = plan->picks[step->first + c].value;
    print(to, "    const %s v%u = ", word_type(plan), (unsigned)value);
    choice_print(to, &choice, exchange_print_value, plan);
    print_text(to, ";\n");
}

static void print_shuffle(struct printer *to, const struct shuffle_plan *plan,
                          const struct shuffle_step *step, uint32_t value) {
    const struct source_lanes *lanes = &plan->lanes[step->lanes];
    print(to, "    const %s v%u = __shfl_%ssync(0xffffffff, ", word_type(plan), (unsigned)value,
          lanes->is_xor ? "xor_" : "");
    exchange_print_value(to, plan, step->value);
    print(to, lanes->is_xor ? ", %u);\n" : ", lane%u);\n",
          (unsigned)(lanes->is_xor ? lanes->mask : step->lanes));
}

/* The lanes that threads read from, where they are no xor. */
static void print_lanes(struct printer *to, const struct shuffle_plan *plan) {
    const struct mapping_space space = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    for (uint32_t n = 0; n < plan->lanes_count; n++) {
        char formula[FORMULA_SIZE];
        if (plan->lanes[n].is_xor)
            continue;
        mapping_formula_print(&plan->lanes[n].formula, &space, formula, sizeof formula);
        print(to, "    const int lane%u = (int)(%s);\n", (unsigned)n, formula);
    }
}

static void print_steps(struct printer *to, const struct shuffle_plan *plan) {
    print_lanes(to, plan);
    for (uint32_t n = 0; n < plan->step_count; n++) {
        const struct shuffle_step *step = &plan->steps[n];
        uint32_t value = plan->source.words + n;
        if (step->kind == STEP_SELECT)
            print_select(to, plan, step, value);
        else if (step->kind == STEP_COMBINE)
            exchange_print_combine(to, plan, step, value);
        else
            print_shuffle(to, plan, step, value);
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
            print(to, "    const %s w%u = in[%u];\n", word_type(plan), (unsigned)w, (unsigned)w);
    for (uint32_t w = 0; w < plan->target.words; w++) {
        uint32_t value = plan->outputs[w];
        bool is_kept = value < w && value < inputs && plan->outputs[value] != value;
        print(to, "    out[%u] = ", (unsigned)w);
        if (is_kept)
            print(to, "w%u", (unsigned)value);
        else
            exchange_print_value(to, plan, value);
        print_text(to, ";\n");
    }
}

bool exchange_print(struct printer *to, const struct shuffle_plan *plan, const char *name,
                    const char *comment) {
    if (plan->kind == CONVERT_MEMORY)
        return exchange_print_memory(to, plan, name, comment);
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

/* ---- Memory ---- */

size_t exchange_memory_size(const struct shuffle_plan *plan) {
    return (size_t)plan->size[0] * plan->size[1] * plan->size[2] * plan->bits / 8;
}

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

/* Waits for the threads that exchange. */
static const char *barrier_of(const struct shuffle_plan *plan) {
    return plan->crosses_warps
               ? "    asm volatile(\"barrier.sync %0, 128;\" ::\"r\"(barrier) : \"memory\");\n"
               : "    __syncwarp();\n";
}

static void print_loop(struct printer *to, uint32_t count) {
    print(to,
          "#pragma unroll\n"
          "    for (unsigned i = 0; i < %u; i++)\n",
          (unsigned)count);
}

/* Puts each element where it is in the matrix. */
static void print_store(struct printer *to, const struct shuffle_plan *plan, const char *formula) {
    const char *type = element_type(plan);
    print_loop(to, plan->source.total);
    if (plan->per == 1)
        print(to, "        matrix[%s] = in[i];\n", formula);
    else
        print(to, "        matrix[%s] = (%s)(in[i / %u] >> i %% %u * %u);\n", formula, type,
              (unsigned)plan->per, (unsigned)plan->per, (unsigned)plan->bits);
}

static void print_load(struct printer *to, const struct shuffle_plan *plan, const char *formula) {
    if (plan->per == 1) {
        print_loop(to, plan->target.total);
        print(to, "        out[i] = matrix[%s];\n", formula);
        return;
    }
    print_loop(to, plan->target.words);
    print_text(to, "        out[i] = 0;\n");
    print_loop(to, plan->target.total);
    print(to, "        out[i / %u] |= (unsigned)matrix[%s] << i %% %u * %u;\n", (unsigned)plan->per,
          formula, (unsigned)plan->per, (unsigned)plan->bits);
}

bool exchange_print_memory(struct printer *to, const struct shuffle_plan *plan, const char *name,
                           const char *comment) {
    char store[FORMULA_SIZE], load[FORMULA_SIZE];
    if (plan->bits < 8 || !formula_of(plan, &plan->source, store) ||
        !formula_of(plan, &plan->target, load))
        return false;
    print_head(to, plan, comment);
    print(to,
          "; all threads of the %s must call this function together\n"
          " * memory: %zu bytes of shared memory for each %s, aligned like an element\n",
          plan->crosses_warps ? "warpgroup" : "warp", exchange_memory_size(plan),
          plan->threads > 32 ? "warpgroup" : "warp");
    if (plan->crosses_warps)
        print_text(to, " * barrier: the number, 0 to 15, of a barrier that nothing else uses\n");
    print_text(to, " */\n");
    print_signature(to, plan, name,
                    plan->crosses_warps ? ", unsigned char *memory, unsigned barrier"
                                        : ", unsigned char *memory");
    print(to, "    %s *matrix = reinterpret_cast<%s *>(memory);\n", element_type(plan),
          element_type(plan));
    print_store(to, plan, store);
    print_text(to, barrier_of(plan));
    print_load(to, plan, load);
    print_text(to, barrier_of(plan)); /* until all have read, nobody may write there again */
    print_text(to, "}\n");
    return true;
}
