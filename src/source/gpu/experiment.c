/* experiment.c - planning the runs of an experiment; see experiment.h. */
#include "source/gpu/experiment.h"

#include "source/gpu/numbers.h"

#include "catalogue/catalogue.h"
#include "system/system.h"

#include <stdlib.h>

static uint32_t entries_of(const struct mapping_fragment *fragment) {
    return fragment->threads * fragment->elements;
}

static uint32_t divide_up(uint32_t number, uint32_t by) {
    return (number + by - 1) / by;
}

/* ---- What the runs go through ---- */

uint32_t largest_digit(const struct operands *operands, enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    if (operand == MAPPING_E)
        return 1;
    if (operand == MAPPING_D && operands_are_multiplied(operands))
        return fragment->rows > fragment->cols ? fragment->rows : fragment->cols;
    return number_largest(fragment->type);
}

static struct loops loops_of_wmma(const struct mapping_fragment *fragment) {
    bool is_store = fragment->operand == MAPPING_D;
    uint32_t moved = is_store ? entries_of(fragment) : fragment->rows * fragment->cols;
    return (struct loops){.halves = 1,
                          .selectors = 1,
                          .chunks = 1,
                          .orders = fragment->order == MAPPING_NO_ORDER ? 2 : 1,
                          .passes = number_digits(moved, number_largest(fragment->type))};
}

struct loops loops_of(const struct operands *operands, enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    const struct mapping_shape shape = operands->opcode.shape;
    struct loops loops = {1, 1, 1, 1, 1};
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_WMMA)
        return loops_of_wmma(fragment);
    if (!operands_are_multiplied(operands))
        return loops;
    if (operand == MAPPING_D)
        loops.passes = fragment->blocks > 1 ? 3 : 2;
    else
        loops.passes = number_digits(entries_of(fragment), largest_digit(operands, operand));
    if (operand == MAPPING_A || operand == MAPPING_E)
        loops.chunks = divide_up(fragment->cols, shape.n);
    if (operand == MAPPING_E)
        loops.selectors = operands_selectors(operands);
    if (operand == MAPPING_B) {
        loops.halves = operands_are_sparse(operands) ? 2 : 1;
        loops.chunks = divide_up(operands_depth(operands), shape.m);
    }
    return loops;
}

/* ---- One run ---- */

/* Where one run is in the loops. */
struct turn {
    uint32_t half, selector, chunk, order, pass;
};

/* How the operands are filled. */
struct fillings {
    enum filling a, b, c, e;
    uint32_t a_parameter, b_parameter, c_parameter, e_parameter;
};

/* D: the pass says which coordinate is written into it. */
static struct fillings fillings_for_d(uint32_t pass, uint32_t half) {
    enum { ROW, COLUMN };
    return (struct fillings){.a = pass == ROW      ? FILL_ROWS
                                  : pass == COLUMN ? FILL_ONES
                                                   : FILL_BLOCKS,
                             .b = pass == COLUMN ? FILL_COLUMNS : FILL_ONES,
                             .e = FILL_HALF,
                             .e_parameter = half};
}

static struct fillings fillings_for(const struct operands *operands, enum mapping_operand operand,
                                    struct turn turn) {
    const struct mapping_shape shape = operands->opcode.shape;
    switch (operand) {
    case MAPPING_A:
        return (struct fillings){.a = FILL_NUMBERS,
                                 .a_parameter = turn.pass,
                                 .b = FILL_PICK,
                                 .b_parameter = turn.chunk * shape.n,
                                 .e = FILL_HALF,
                                 .e_parameter = turn.half};
    case MAPPING_B:
        return (struct fillings){.a = FILL_PICK,
                                 .a_parameter = turn.chunk * shape.m,
                                 .b = FILL_NUMBERS,
                                 .b_parameter = turn.pass,
                                 .e = FILL_HALF,
                                 .e_parameter = turn.half};
    case MAPPING_C:
        return (struct fillings){
            .c = FILL_NUMBERS, .c_parameter = turn.pass, .e = FILL_HALF, .e_parameter = turn.half};
    case MAPPING_E:
        return (struct fillings){.a = FILL_ONES,
                                 .b = FILL_TELL,
                                 .b_parameter = turn.chunk * shape.n,
                                 .e = FILL_NUMBERS,
                                 .e_parameter = turn.pass};
    default:
        return fillings_for_d(turn.pass, turn.half);
    }
}

static struct run plan_multiplication(const struct operands *operands, enum mapping_operand operand,
                                      struct contents *contents, struct turn turn) {
    const struct variant variant = operands_variant(operands, operand, turn.selector);
    const struct fillings fill = fillings_for(operands, operand, turn);
    bool is_wgmma = operands_read_shared(operands);
    struct run run = {.row = row_number(operands->number, variant)};
    run.a =
        contents_get(contents, operands, MAPPING_A, fill.a, fill.a_parameter, variant.a_in_shared);
    run.b = contents_get(contents, operands, MAPPING_B, fill.b, fill.b_parameter, is_wgmma);
    if (!is_wgmma)
        run.c = contents_get(contents, operands, MAPPING_C, fill.c, fill.c_parameter, false);
    if (operands_are_sparse(operands))
        run.e = contents_get(contents, operands, MAPPING_E, fill.e, fill.e_parameter, false);
    if (variant.a_in_shared)
        run.words_a = operands->opcode.shape.m * operands_line_bytes(operands, MAPPING_A) / 4;
    if (is_wgmma)
        run.words_b = operands->opcode.shape.n * operands_line_bytes(operands, MAPPING_B) / 4;
    return run;
}

/* The run of ldmatrix, stmatrix or movmatrix. */
static struct run plan_move(const struct operands *operands, struct contents *contents) {
    const struct variant variant = {.selector = 0};
    struct run run = {.row = row_number(operands->number, variant)};
    const uint32_t slots = SLOTS * SLOT_BYTES / 4;
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_MOVMATRIX) {
        run.a = contents_get(contents, operands, MAPPING_A, FILL_NUMBERS, 0, false);
        return run;
    }
    bool stores = mapping_instruction_probe(operands->opcode.instruction) == PROBE_STMATRIX;
    run.a = contents_get(contents, operands, MAPPING_P, FILL_ADDRESSES, 0, false);
    run.b = contents_get(contents, operands, MAPPING_P, stores ? FILL_EMPTY : FILL_SLOTS, 0, false);
    run.words_b = slots;
    if (stores) {
        run.c = contents_get(contents, operands, MAPPING_R, FILL_NUMBERS, 0, false);
        run.words_d = slots;
    }
    return run;
}

/* A run of wmma: loads a matrix, or for D stores registers. */
static struct run plan_wmma(const struct operands *operands, struct contents *contents,
                            struct turn turn) {
    enum mapping_operand operand = operands->fragments[0].operand;
    return (struct run){.row = wmma_row_number(operands->number, turn.order),
                        .a = contents_get(contents, operands, operand, FILL_NUMBERS, turn.pass,
                                          operand != MAPPING_D)};
}

static struct run plan_run(const struct operands *operands, enum mapping_operand operand,
                           struct contents *contents, struct turn turn) {
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_WMMA)
        return plan_wmma(operands, contents, turn);
    if (operands_are_multiplied(operands))
        return plan_multiplication(operands, operand, contents, turn);
    return plan_move(operands, contents);
}

/* ---- All of them ---- */

/* What a run stores: a matrix of wmma, the shared memory of stmatrix, or registers. */
static void plan_output(const struct operands *operands, enum mapping_operand operand,
                        struct experiment *experiment) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    enum probe probe = mapping_instruction_probe(operands->opcode.instruction);
    unsigned bits = 16;
    if (probe == PROBE_WMMA && operand == MAPPING_D) {
        bits = fragment->bits;
        experiment->type = fragment->type;
        experiment->words = fragment->rows * fragment->cols * bits / 32;
    } else if (probe == PROBE_STMATRIX) {
        experiment->type = MAPPING_B16;
        experiment->words = SLOTS * SLOT_BYTES / 4;
    } else {
        const struct mapping_fragment stored = probe == PROBE_WMMA ? *fragment
                                               : probe == PROBE_LDMATRIX
                                                   ? *operands_find(operands, MAPPING_R)
                                                   : operands_stored(operands, operand);
        bits = stored.bits;
        experiment->type = stored.type;
        experiment->words = stored.threads * stored.registers;
    }
    experiment->numbers = experiment->words * 32 / bits;
    experiment->bytes = largest_digit(operands, operand) < UINT8_MAX ? 1 : 2;
}

/* The place of run number `n` in the loops. */
static struct turn turn_of(const struct loops *loops, uint32_t n) {
    struct turn turn;
    turn.pass = n % loops->passes, n /= loops->passes;
    turn.order = n % loops->orders, n /= loops->orders;
    turn.chunk = n % loops->chunks, n /= loops->chunks;
    turn.selector = n % loops->selectors;
    turn.half = n / loops->selectors;
    return turn;
}

void experiment_plan(const struct operands *operands, enum mapping_operand operand,
                     struct contents *contents, struct experiment *experiment) {
    const struct loops loops = loops_of(operands, operand);
    uint32_t count = loops.halves * loops.selectors * loops.chunks * loops.orders * loops.passes;
    experiment->runs = memory_get(count, sizeof *experiment->runs);
    experiment->count = count;
    plan_output(operands, operand, experiment);
    for (uint32_t n = 0; n < count; n++) {
        struct run *run = &experiment->runs[n];
        *run = plan_run(operands, operand, contents, turn_of(&loops, n));
        run->d = n * experiment->words;
    }
}

void experiment_free(struct experiment *experiment) {
    memory_free(experiment->runs);
    *experiment = (struct experiment){0};
}
