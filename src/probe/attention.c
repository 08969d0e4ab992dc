/* attention.c - findings about a kernel that should compute attention; see attention_plan.h.
 *
 * O of each run is compared with O of a right kernel: bit for bit where the probabilities are 1 and
 * 0, otherwise with a tolerance. If O is wrong, known mistakes are tried first: a model of each
 * mistake predicts O of all runs. Then formulae are fitted to the positions of the elements of V
 * that O holds, or to those of the rows of O. Their prediction of a run with random V is compared
 * with O bit for bit. */
#include "probe/attention_model.h"
#include "probe/computation.h"
#include "probe/locate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of errors of an element of O in any run. */
enum {
    WRONG_V = 1,
    WRONG_MASK = 2,
    WRONG_SCALE = 4,
    NOT_A_NUMBER = 8,
    CHANGES = 16,
    UNWRITTEN = 32
};

struct attention_reading {
    const struct plan *plan;
    const struct attention *of;
    const struct operand_memory *operand; /* the memory of O */
    struct number_reader reader;
    unsigned char **o; /* O of each run, as in memory */
    struct written *written;
    unsigned char *wrong; /* kinds of errors, by head, query and column */
    struct attention_inputs inputs;
    struct findings *findings;
};

static void *begin(const struct plan *plan, struct written *written) {
    struct attention_reading *reading = memory_get(1, sizeof *reading);
    *reading =
        (struct attention_reading){.plan = plan,
                                   .of = &plan->problem.attention,
                                   .operand = &plan->problem.operand[PROBE_D],
                                   .reader = number_reader(plan->problem.operand[PROBE_D].type),
                                   .o = memory_get(plan->runs, sizeof *reading->o),
                                   .written = written};
    return reading;
}

static bool take(void *state, size_t run, const void *o, bool is_changed) {
    struct attention_reading *reading = state;
    const size_t size = number_bytes(reading->operand->type, memory_elements(reading->operand));
    reading->o[run] = memory_get(size, 1);
    memcpy(reading->o[run], o, size);
    return is_changed;
}

/* ---- Comparing ---- */

/* Returns the number of a row, head * queries + query, which does not depend on the layout. */
static size_t row_at(const struct attention_reading *reading, uint32_t head, uint32_t query) {
    return (size_t)head * reading->of->queries + query;
}

static size_t index_of_o(const struct attention_reading *reading, size_t row, uint32_t col) {
    const struct attention *of = reading->of;
    const uint32_t at = attention_row(of, PROBE_D, of->is_bshd, (uint32_t)(row / of->queries),
                                      (uint32_t)(row % of->queries));
    return memory_index(reading->operand, at, col);
}

static uint64_t bits_of_o(const struct attention_reading *reading, size_t run, size_t row,
                          uint32_t col) {
    return number_get(reading->o[run], reading->reader.bits, index_of_o(reading, row, col));
}

static double value_of_o(const struct attention_reading *reading, size_t run, size_t row,
                         uint32_t col) {
    return number_read(&reading->reader, reading->o[run], index_of_o(reading, row, col));
}

/* Returns the relative error that is allowed, because kernels may round probabilities and scores to
 * the type of V. */
static double tolerance_of(const struct attention_reading *reading, enum attention_stage stage) {
    const enum mapping_type type = reading->plan->problem.operand[PROBE_C].type;
    const double of_type = number_bits(type) == 8 ? 1.0 / 16
                           : type == MAPPING_BF16 ? 1.0 / 128
                                                  : 1.0 / 512;
    return stage != ATTENTION_SCALE ? of_type : number_bits(type) == 8 ? 1.0 / 8 : 4 * of_type;
}

static bool is_near(double value, double right, double relative, double absolute) {
    return value == right || fabs(value - right) <= relative * fabs(right) + absolute;
}
#define NEARLY_0 1e-6

/* Returns the number of keys below `seen` for which V has a 1 in the column, in the two stages that
 * detect wrong masks. */
static uint32_t keys_with_1(enum attention_stage stage, uint32_t dim, uint32_t seen, uint32_t col) {
    const uint32_t blocks = seen / dim, rest = seen % dim;
    return stage == ATTENTION_RESIDUES
               ? blocks + (col < rest)
               : (blocks / dim + (col < blocks % dim)) * dim + (blocks % dim == col ? rest : 0);
}

/* Returns the element of O that a right kernel writes for a query that sees `seen` keys. `lower` of
 * these keys have lower scores than the others. */
static double right_value(const struct attention_reading *reading, size_t run, size_t row,
                          uint32_t col, uint32_t seen, uint32_t lower) {
    const struct attention *of = reading->of;
    const uint32_t head = (uint32_t)(row / of->queries), query = (uint32_t)(row % of->queries);
    size_t index;
    const enum attention_stage stage = attention_stage(reading->plan, run, &index);
    if (stage <= ATTENTION_REPEAT)
        return attention_v(reading->plan, run, attention_kv_head(of, head),
                           attention_target(reading->plan, run, head, query), col);
    if (stage != ATTENTION_SCALE)
        return keys_with_1(stage, of->dim, seen, col) / (double)seen;
    const double weight = lower * exp(reading->inputs.scores.of_lower);
    return (col % 2 == 0 ? weight : seen - lower) / (weight + seen - lower);
}

static unsigned char compare_row(const struct attention_reading *reading, size_t run, size_t row,
                                 uint32_t seen, uint32_t lower, unsigned char *wrong) {
    static const unsigned char kinds[] = {WRONG_V,    WRONG_V,    WRONG_V,
                                          WRONG_MASK, WRONG_MASK, WRONG_SCALE};
    unsigned char all = 0;
    size_t index;
    const enum attention_stage stage = attention_stage(reading->plan, run, &index);
    for (uint32_t col = 0; col < reading->of->dim; col++) {
        const double value = value_of_o(reading, run, row, col);
        const double right = right_value(reading, run, row, col, seen, lower);
        const bool is_right = stage <= ATTENTION_REPEAT
                                  ? value == right
                                  : is_near(value, right, tolerance_of(reading, stage), NEARLY_0);
        if (!is_right)
            wrong[col] |= (unsigned char)(kinds[stage] | (isfinite(value) ? 0 : NOT_A_NUMBER));
        if (stage == ATTENTION_REPEAT &&
            bits_of_o(reading, run, row, col) != bits_of_o(reading, 0, row, col))
            wrong[col] |= CHANGES;
        all |= wrong[col];
    }
    return all;
}

/* Compares O of all runs with that of a right kernel, and sets reading->wrong. Skips queries that
 * see no key, because kernels differ there. */
static void compare(struct attention_reading *reading) {
    const struct attention *of = reading->of;
    const size_t rows = reading->plan->problem.m;
    uint32_t *lower = memory_get((size_t)of->keys + 1, sizeof *lower);
    reading->wrong = memory_get(rows * of->dim, 1);
    for (size_t row = 0; row < rows; row++) {
        const uint32_t head = (uint32_t)(row / of->queries), query = (uint32_t)(row % of->queries);
        const uint32_t seen = attention_visible(of, of->causal, 0, query);
        for (uint32_t key = 0; key < of->keys && query == 0; key++)
            lower[key + 1] = lower[key] + attention_is_lower(attention_kv_head(of, head), key);
        for (size_t run = 0; run < reading->plan->runs && seen > 0; run++)
            compare_row(reading, run, row, seen, lower[seen], reading->wrong + row * of->dim);
        const uint32_t at = attention_row(of, PROBE_D, of->is_bshd, head, query);
        for (uint32_t col = 0; col < of->dim; col++)
            if (reading->written->poison[(size_t)at * of->dim + col] == reading->plan->proof_runs)
                reading->wrong[row * of->dim + col] = UNWRITTEN;
    }
    mapping_free(lower);
}

/* True if an element of the row has one of these kinds of errors. */
static bool row_has(const struct attention_reading *reading, size_t row, unsigned char kinds) {
    unsigned char all = 0;
    for (uint32_t col = 0; col < reading->of->dim; col++)
        all |= reading->wrong[row * reading->of->dim + col];
    return (all & kinds) != 0;
}

enum { ANY_WRONG = WRONG_V | WRONG_MASK | WRONG_SCALE };

static void add_finding(struct attention_reading *reading, const char *name, char *text,
                        bool is_explained, unsigned char kinds) {
    struct finding finding = {.name = name, .text = text, .is_explained = is_explained};
    const uint32_t dim = reading->of->dim;
    for (size_t e = 0; e < (size_t)reading->plan->problem.m * dim; e++)
        if (reading->wrong[e] & kinds)
            finding_note(&finding, (uint32_t)(e / dim), (uint32_t)(e % dim));
    findings_add(reading->findings, &finding);
}

/* ---- Known mistakes ---- */

enum { TRIED_ROWS = 48, PREDICTED_ROWS = 6, CHECKED_ROWS = 2048 };

/* The rows of O with which models are compared. */
struct search {
    struct attention_reading *reading;
    size_t *rows, count;
    double *row;
};

/* Compares a row of O with the prediction of a model. False if they differ. Increments *predictions
 * if there is a prediction: there is none if the query sees no key, or if the kernel of the model
 * reads outside of an array. */
static bool predicts(const struct search *search, const struct attention_model *model, size_t run,
                     size_t row, size_t *predictions) {
    const struct attention_reading *reading = search->reading;
    const struct attention *of = reading->of;
    const uint32_t head = (uint32_t)(row / of->queries), query = (uint32_t)(row % of->queries);
    size_t index;
    const enum attention_stage stage = attention_stage(reading->plan, run, &index);
    const double tolerance = fmax(tolerance_of(reading, stage), 1.0 / 64);
    /* f16 rounds small probabilities to multiples of 2^-24, and V is up to 2^13. */
    const double absolute = stage <= ATTENTION_REPEAT ? 1.0 / 256 : NEARLY_0;
    if (attention_visible(of, of->causal, 0, query) == 0 ||
        !attention_predict(&reading->inputs, model, run, head, query, search->row))
        return true;
    ++*predictions;
    for (uint32_t col = 0; col < of->dim; col++) {
        const double value = value_of_o(reading, run, row, col), right = search->row[col];
        const bool is_inf = isinf(value) && right > 3e4;
        if (reading->wrong[row * of->dim + col] != UNWRITTEN && !is_inf &&
            !is_near(value, right, tolerance, absolute))
            return false;
    }
    return true;
}

/* If the model predicts O, adds a finding and returns true. `format` and the arguments after it are
 * those of printf(). */
__attribute__((format(printf, 4, 5))) static bool try_model(struct search *search,
                                                            const struct attention_model *model,
                                                            const char *name, const char *format,
                                                            ...) {
    struct attention_reading *reading = search->reading;
    size_t predictions = 0;
    bool is_complete = true;
    char text[256];
    va_list arguments;
    for (size_t n = 0; n < search->count; n++) {
        for (size_t run = 0; run < reading->plan->runs; run++)
            if (!predicts(search, model, run, search->rows[n], &predictions)) {
                if (n < TRIED_ROWS)
                    return false;
                is_complete = false;
            }
        if (n + 1 == TRIED_ROWS && predictions < PREDICTED_ROWS * reading->plan->runs)
            return false;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_finding(reading, name, memory_text(text), is_complete, ANY_WRONG);
    return true;
}

/* Chooses the rows for models: wrong rows in random order. Every second of the first TRIED_ROWS is
 * chosen from all rows. */
static struct search search_begin(struct attention_reading *reading) {
    const size_t rows = reading->plan->problem.m;
    size_t *wrong = memory_get(rows, sizeof *wrong), count = 0, next = 0;
    struct search search = {.reading = reading,
                            .rows = memory_get(CHECKED_ROWS, sizeof *search.rows),
                            .row = memory_get(reading->of->dim, sizeof *search.row)};
    for (size_t row = 0; row < rows; row++)
        if (row_has(reading, row, ANY_WRONG))
            wrong[count++] = row;
    for (size_t n = 0; n < count && n < CHECKED_ROWS; n++) {
        const size_t other = n + number_hash(201, n) % (count - n), row = wrong[other];
        wrong[other] = wrong[n];
        wrong[n] = row;
    }
    /* Predicting a row takes time proportional to keys and columns. */
    const double affordable = (1 << 28) / ((double)reading->of->keys * reading->of->dim);
    const size_t most = affordable < CHECKED_ROWS ? (size_t)affordable : CHECKED_ROWS;
    while (count > 0 && (search.count < TRIED_ROWS || (next < count && search.count < most))) {
        const size_t n = search.count++;
        const bool is_any = next == count || (n < TRIED_ROWS && n % 2 == 1);
        search.rows[n] = is_any ? number_hash(202, n) % rows : wrong[next++];
    }
    mapping_free(wrong);
    return search;
}

/* Numbers of keys in a tile, in the order in which they are tried. */
static const uint32_t tiles[] = {64, 128, 32, 16, 96, 80, 112, 160, 176, 192, 256, 48, 8};
enum { TILES = sizeof tiles / sizeof *tiles };

static bool try_masks(struct search *search) {
    const struct attention *of = search->reading->of;
    const enum causal_mask asked = of->causal;
    static const char *const aligned[] = {"", "top-left", "bottom-right"};
    struct attention_model model = {.causal = NOT_CAUSAL};
    const bool is_same = of->queries == of->keys;
    for (enum causal_mask causal = CAUSAL_TOP_LEFT;
         asked == NOT_CAUSAL && causal <= CAUSAL_BOTTOM_RIGHT; causal++) {
        model.causal = causal;
        if (try_model(search, &model, "causal mask applied",
                      "a causal mask is applied%s%s, but none is asked for",
                      is_same ? "" : ", aligned ", is_same ? "" : aligned[causal]))
            return true;
    }
    if (asked == NOT_CAUSAL)
        return false;
    if (try_model(search, &model, "causal mask missing",
                  "the causal mask is missing: each query sees all keys"))
        return true;
    model.causal = asked == CAUSAL_TOP_LEFT ? CAUSAL_BOTTOM_RIGHT : CAUSAL_TOP_LEFT;
    if (try_model(search, &model, "causal mask alignment",
                  "the causal mask is aligned %s instead of %s", aligned[model.causal],
                  aligned[asked]))
        return true;
    model = (struct attention_model){.causal = asked, .shift = -1};
    if (try_model(search, &model, "causal mask off by one",
                  "the causal mask hides the diagonal: each query sees one key too few"))
        return true;
    model.shift = 1;
    if (try_model(search, &model, "causal mask off by one",
                  "the causal mask leaves the key behind the diagonal: each query sees one key too "
                  "many"))
        return true;
    /* A window of n in flash-attn has n + 1 keys: it adds the diagonal. */
    model = (struct attention_model){.causal = asked};
    for (uint32_t left = 8; left < of->keys; left *= 2)
        for (model.window = left; model.window <= left + 1; model.window++)
            if (try_model(search, &model, "sliding window applied",
                          "each query sees only the last %u keys: a sliding window is applied, but "
                          "none is asked for",
                          model.window))
                return true;
    model = (struct attention_model){.causal = asked, .masking = MASK_IS_0};
    if (try_model(search, &model, "mask",
                  "masked scores are 0 instead of -infinity, so masked keys have a probability"))
        return true;
    model.masking = MASK_IS_LATE;
    if (try_model(search, &model, "mask",
                  "masked keys are part of the sum of a row: the mask is applied after the sum"))
        return true;
    model = (struct attention_model){.causal = asked, .is_suffix = true};
    if (try_model(search, &model, "causal mask transposed",
                  "the causal mask hides the keys before the diagonal instead of those behind it"))
        return true;
    model = (struct attention_model){.causal = asked, .is_by_tile = true};
    for (size_t t = 0; t < TILES; t++) {
        model.tile = tiles[t];
        if (try_model(search, &model, "causal mask by tiles",
                      "the causal mask hides only whole tiles of %u keys: the tile on the diagonal "
                      "is not masked",
                      tiles[t]))
            return true;
    }
    return false;
}

/* Tries wrong heads and batches of Q, K and V. A set of arrays is a mask: 1 << IN_K, ... */
static bool try_heads(struct search *search) {
    static const unsigned sets[] = {1 << IN_K | 1 << IN_V, 1 << IN_K, 1 << IN_V, 1 << IN_Q};
    static const char *const names[] = {"K and V", "K", "V", "Q"};
    const struct attention *of = search->reading->of;
    const uint32_t group = of->heads / of->kv_heads;
    for (size_t set = 0; set < 4; set++)
        for (int wrong = 0; wrong < 5; wrong++) {
            struct attention_model model = {.causal = of->causal};
            const bool is_head = wrong < 3;
            if (is_head ? of->kv_heads == 1 || set == 3 : of->batch == 1)
                continue;
            for (unsigned array = 0; array < ATTENTION_ARRAYS; array++)
                if (sets[set] >> array & 1) {
                    model.head[array] = is_head ? (enum which)(HEAD_MODULO + wrong) : HEAD_RIGHT;
                    model.batch[array] = wrong == 3   ? BATCH_FIRST
                                         : wrong == 4 ? BATCH_NEXT
                                                      : BATCH_RIGHT;
                }
            struct printer from = {.text = NULL};
            if (wrong == 0)
                print(&from, "kv head h %% %u instead of h / %u are used for query head h",
                      of->kv_heads, group);
            else if (wrong == 2)
                print(&from, "kv head (h / %u + 1) %% %u are used for query head h", group,
                      of->kv_heads);
            else if (wrong == 4)
                print(&from, "batch (b + 1) %% %u are used for batch b", of->batch);
            else
                print_text(&from, is_head ? "kv head 0 are used for all heads"
                                          : "batch 0 are used for all batches");
            if (try_model(search, &model, is_head ? "kv head" : "batch", "%s of %s", names[set],
                          printer_string(&from)))
                return true;
        }
    return false;
}

static bool try_layouts(struct search *search) {
    const struct attention *of = search->reading->of;
    const char *is = of->is_bshd ? "bshd" : "bhsd", *other = of->is_bshd ? "bhsd" : "bshd";
    for (unsigned set = (1 << ATTENTION_ARRAYS) - 1; set > 0; set--) {
        struct attention_model model = {.causal = of->causal};
        char names[16] = "";
        size_t length = 0;
        for (unsigned array = 0; array < ATTENTION_ARRAYS; array++)
            if (set >> array & 1) {
                model.has_other_layout[array] = true;
                length += (size_t)snprintf(names + length, sizeof names - length, "%s%c",
                                           length > 0 ? ", " : "", "QKVO"[array]);
            }
        if (try_model(search, &model, "layout",
                      "%s are taken as %s, but are %s: heads and rows are exchanged", names, other,
                      is))
            return true;
    }
    return false;
}

/* Tries tiles that are read a stage late, keys after the last one, and a missing rescale. */
static bool try_tile(struct search *search, uint32_t tile) {
    const struct attention *of = search->reading->of;
    const struct attention_model right = {.causal = of->causal, .tile = tile};
    const uint32_t ragged = of->keys % tile, behind = tile - ragged;
    struct attention_model model = right;
    for (int kind = 0; ragged > 0 && kind < 2; kind++) {
        model = right;
        model.behind = behind;
        model.behind_are_next = kind == 1;
        if (try_model(search, &model, "keys beyond the last",
                      "%u keys behind the last are not masked: the last tile of %u keys has %u, "
                      "and %s",
                      behind, tile, ragged,
                      kind == 0 ? "zeros" : "the rows of K and V that follow in memory"))
            return true;
    }
    for (unsigned set = 1; tile < of->keys && set < 8; set++) {
        model = right;
        model.is_late[IN_K] = set & 1;
        model.is_late[IN_V] = (set & 2) != 0;
        model.starts_with_zeros = (set & 4) != 0;
        if ((set & 3) != 0 &&
            try_model(search, &model, "tile read late",
                      "%s is read a stage late: tile t of %u keys is tile t - 1%s",
                      (set & 3) == 3 ? "each tile of K and V"
                      : set & 1      ? "K"
                                     : "V",
                      tile, set & 4 ? ", and the first tile is 0" : ""))
            return true;
    }
    for (unsigned set = 1; tile < of->keys && set < 8; set++) {
        model = right;
        model.keeps_o = set & 1;
        model.keeps_sum = (set & 2) != 0;
        model.is_backward = (set & 4) != 0;
        if ((set & 3) != 0 &&
            try_model(search, &model, "online softmax",
                      "%s not rescaled by exp(old - new maximum) between tiles of %u keys",
                      (set & 3) == 3 ? "O and the sum are"
                      : set & 1      ? "O is"
                                     : "the sum is",
                      tile))
            return true;
    }
    return false;
}

/* Returns the squared relative differences of a row of O, in the two stages that detect wrong
 * masks, from that of a kernel that does not read some keys, or not their rows of V. Stops when
 * they exceed `most`. */
static double error_of_hidden(const struct attention_reading *reading, size_t row, uint32_t seen,
                              const struct attention_model *model, double most) {
    const uint32_t dim = reading->of->dim, first = model->hidden[0];
    const uint32_t end = model->hidden[1] < seen ? model->hidden[1] : seen;
    const double sum = model->hides_only_v ? seen : seen - (end - first);
    double error = 0;
    for (uint32_t n = 0; n < 2 * dim && error < most; n++) {
        const uint32_t is_block = n % 2, col = n / 2;
        const enum attention_stage stage = is_block ? ATTENTION_BLOCKS : ATTENTION_RESIDUES;
        const double right =
            (keys_with_1(stage, dim, seen, col) + keys_with_1(stage, dim, first, col) -
             keys_with_1(stage, dim, end, col)) /
            sum;
        const double is = value_of_o(reading, reading->plan->runs - 3 + is_block, row, col);
        const double difference = (is - right) / (right + NEARLY_0);
        error += difference * difference;
    }
    return error;
}

/* Tries keys that are never read, or whose rows of V are not: chooses those that explain the row
 * with the most visible keys best. */
static bool try_hidden(struct search *search) {
    enum { FINE = 256 };
    const struct attention_reading *reading = search->reading;
    const struct attention *of = reading->of;
    const uint32_t keys = of->keys, grain = keys <= FINE ? 1 : keys / FINE;
    uint32_t seen = 0;
    size_t row = 0;
    for (size_t n = 0; n < search->count; n++) {
        const uint32_t query = (uint32_t)(search->rows[n] % of->queries);
        const uint32_t visible = attention_visible(of, of->causal, 0, query);
        if (visible > seen && row_has(reading, search->rows[n], ANY_WRONG)) {
            seen = visible;
            row = search->rows[n];
        }
    }
    struct attention_model best[2];
    double least[2] = {INFINITY, INFINITY};
    for (int kind = 0; kind < 2; kind++) {
        struct attention_model model = {.causal = of->causal, .hides_only_v = kind == 1};
        for (uint32_t first = 0; first < seen; first++)
            for (uint32_t end = first + 1, next; end <= seen; end = next) {
                next = first % grain != 0 ? seen + 1 : end - end % grain + grain;
                if (end - first == seen)
                    continue;
                model.hidden[0] = first;
                model.hidden[1] = end;
                const double error = error_of_hidden(reading, row, seen, &model, least[kind]);
                if (error < least[kind]) {
                    least[kind] = error;
                    best[kind] = model;
                }
            }
    }
    for (int n = 0; n < 2; n++) {
        const int kind = n == (least[0] <= least[1]);
        if (least[kind] == INFINITY)
            continue;
        const uint32_t first = best[kind].hidden[0], last = best[kind].hidden[1] - 1;
        struct printer which = {.text = NULL};
        print(&which, first == last ? "key %u" : "keys %u to %u", first, last);
        if (first < last && (first == 0 || last + 1 == keys))
            print(&which, ", the %s %u,", first == 0 ? "first" : "last", last + 1 - first);
        if (try_model(search, &best[kind], kind == 1 ? "V not read" : "keys not read",
                      kind == 1 ? "V of %s %s not added" : "%s %s never read, or masked",
                      printer_string(&which), first == last ? "is" : "are"))
            return true;
    }
    return false;
}

/* Tries K in place of V, V in place of K, and both. */
static bool try_arrays(struct search *search) {
    static const char *const texts[] = {"V is read instead of K", "K is read instead of V",
                                        "K and V are exchanged"};
    for (unsigned set = 1; set < 4; set++) {
        const struct attention_model model = {
            .causal = search->reading->of->causal, .k_is_v = set & 1, .v_is_k = (set & 2) != 0};
        if (try_model(search, &model, "K and V", "%s", texts[set - 1]))
            return true;
    }
    return false;
}

/* Tries split-KV with parts that are combined without the weights of their log-sum-exp. */
static bool try_splits(struct search *search, uint32_t tile) {
    const struct attention *of = search->reading->of;
    const uint32_t most = (of->keys + tile - 1) / tile;
    struct attention_model model = {.causal = of->causal, .tile = tile};
    for (model.splits = 2; model.splits <= most && model.splits <= 16; model.splits++)
        for (int kind = 0; kind < 2; kind++) {
            model.adds_splits = kind == 1;
            if (try_model(search, &model, "split-KV",
                          "%u parts of the keys are %s without the weights of their log-sum-exp",
                          model.splits, kind == 1 ? "added" : "averaged"))
                return true;
        }
    return false;
}

/* Returns the factor of all scores, measured by the weight of the lower scores in each row of the
 * last run. NAN if rows have different factors. */
static double factor_of(const struct attention_reading *reading) {
    const struct attention *of = reading->of;
    const size_t run = reading->plan->runs - 1;
    double sum = 0, least = INFINITY, most = -INFINITY;
    size_t count = 0;
    for (size_t row = 0; row < reading->plan->problem.m; row++) {
        const uint32_t head = (uint32_t)(row / of->queries), query = (uint32_t)(row % of->queries);
        const uint32_t seen = attention_visible(of, of->causal, 0, query);
        uint32_t lower = 0;
        if (count >= 256 || seen < 16 || row_has(reading, row, UNWRITTEN))
            continue;
        for (uint32_t key = 0; key < seen; key++)
            lower += attention_is_lower(attention_kv_head(of, head), key);
        const double weight = value_of_o(reading, run, row, 0) / value_of_o(reading, run, row, 1) *
                              (seen - lower) / lower;
        const double factor = log(weight) / reading->inputs.scores.of_lower;
        sum += factor;
        count++;
        least = fmin(least, factor);
        most = fmax(most, factor);
    }
    return count > 0 && most - least < 0.1 && sum > 0.1 * (double)count ? sum / (double)count : NAN;
}

static bool try_scales(struct search *search) {
    const struct attention *of = search->reading->of;
    const double dim = of->dim;
    const struct {
        double scale;
        const char *text;
    } scales[] = {
        {1, "1: the scores are not scaled"},
        {1 / dim, "1/D"},
        {1 / sqrt(dim), "1/sqrt(D)"},
        {of->scale * of->scale, "its square: it is applied twice"},
        {sqrt(of->scale), "its square root"},
        {of->scale * 0.6931471805599453, "scale * ln(2): exp2() has no log2(e)"},
        {of->scale * 1.4426950408889634, "scale * log2(e): exp() has a log2(e)"},
    };
    struct attention_model model = {.causal = of->causal, .is_unnormalised = true};
    if (try_model(search, &model, "not normalized", "O is not divided by the sum of its row"))
        return true;
    model.is_unnormalised = false;
    model.has_sink = true;
    if (try_model(search, &model, "not normalized",
                  "the sum of a row has one more score, 0: an attention sink, or a sum that begins "
                  "at 1"))
        return true;
    model.has_sink = false;
    const double measured = factor_of(search->reading);
    for (size_t n = 0; n < sizeof scales / sizeof *scales; n++) {
        model.scale = scales[n].scale / of->scale;
        if (fabs(model.scale - 1) > 0.01 && !(fabs(measured / model.scale - 1) > 0.01) &&
            try_model(search, &model, "scale", "the scale is not %g, but %g, which is %s",
                      of->scale, scales[n].scale, scales[n].text))
            return true;
    }
    return false;
}

/* Tries columns of Q or K that are multiplied by wrong columns, or not at all. */
static bool try_columns(struct search *search) {
    const struct attention *of = search->reading->of;
    const unsigned bits = number_bits(search->reading->plan->problem.operand[PROBE_A].type);
    struct attention_model model = {.causal = of->causal, .columns = COLUMNS_FIRST};
    for (uint32_t missing = 4; missing < of->dim && missing <= 128; missing *= 2) {
        model.by = of->dim - missing;
        if (try_model(search, &model, "columns not multiplied",
                      "only %u of %u columns of Q and K are multiplied, such as the first %u",
                      model.by, of->dim, model.by))
            return true;
    }
    for (unsigned side = 0; side < 2; side++) {
        const char *name = side == 0 ? "K" : "Q", *row = side == 0 ? "key" : "query";
        model = (struct attention_model){
            .causal = of->causal, .is_of_q = side == 1, .columns = COLUMNS_SWIZZLED};
        model.chunk = bits == 8 ? 4 : bits == 16 ? 3 : 2; /* chunks of 16 bytes */
        for (model.by = 0, model.mask = 7; model.mask > 0; model.by++, model.mask >>= 1) {
            char shift[16] = "";
            if (model.by > 0)
                snprintf(shift, sizeof shift, " >> %u", model.by);
            if (try_model(search, &model, "swizzle",
                          "%s(%s, col ^ ((%s%s & %u) << %u)) is multiplied for %s(%s, col): as if "
                          "%s were swizzled on one side only",
                          name, row, row, shift, model.mask, model.chunk, name, row, name))
                return true;
        }
        model.columns = COLUMNS_TRANSPOSED;
        if (try_model(search, &model, "transposed",
                      "8 x 8 blocks of %s are transposed: as if ldmatrix of %s had or lacked "
                      ".trans by mistake",
                      name, name))
            return true;
    }
    model = (struct attention_model){.causal = of->causal, .columns = COLUMNS_XOR};
    for (model.by = 1; model.by < of->dim; model.by *= 2)
        if (try_model(search, &model, "columns exchanged",
                      "column col of Q meets column col ^ %u of K", model.by))
            return true;
    return false;
}

static bool try_mistakes(struct attention_reading *reading) {
    struct search search = search_begin(reading);
    if (try_masks(&search) || try_scales(&search) || try_heads(&search) || try_layouts(&search) ||
        try_hidden(&search) || try_arrays(&search))
        return true;
    for (size_t t = 0; t < TILES; t++)
        if (try_tile(&search, tiles[t]) || try_splits(&search, tiles[t]))
            return true;
    return try_columns(&search);
}

/* ---- Elements of V that O holds ---- */

#define NO_ADDRESS UINT32_MAX

/* Decodes the address in V of the element that O holds. NO_ADDRESS if O does not hold an element of
 * V. */
static uint32_t address_of(const struct attention_reading *reading, size_t row, uint32_t col) {
    const struct plan *plan = reading->plan;
    uint32_t address = 0;
    for (size_t run = 0; run < attention_digit_runs(plan); run++) {
        uint64_t element;
        if (!number_find(plan->problem.operand[PROBE_C].type, value_of_o(reading, run, row, col),
                         &element) ||
            !address_read(&plan->addresses[PROBE_C], run, element, &address))
            return NO_ADDRESS;
    }
    return address;
}

/* Sets the query, the key whose probability is 1 in this run, and the column of an element of O.
 * False if the element was not written, or if its query sees no key. */
static bool place_of_v(const struct attention_reading *reading, size_t run, uint64_t element,
                       uint32_t in[FIT_INPUTS]) {
    const struct attention *of = reading->of;
    const uint32_t row = (uint32_t)(element / of->dim), query = row % of->queries;
    in[0] = query;
    in[1] = attention_target(reading->plan, run, row / of->queries, query);
    in[2] = (uint32_t)(element % of->dim);
    return reading->wrong[element] != UNWRITTEN && attention_visible(of, of->causal, 0, query) > 0;
}

/* The sample of an element of O: the key and the column of the element of V that it holds. False if
 * that element is of another head of V. */
static bool sample_of_v(const struct map *map, uint64_t element, struct sample *sample,
                        bool *is_wrong) {
    const struct attention_reading *reading = map->context;
    const struct attention *of = reading->of;
    const uint32_t row = (uint32_t)(element / of->dim);
    *sample = (struct sample){.in = {0}};
    if (!place_of_v(reading, 0, element, sample->in) || !is_wrong)
        return false;
    *is_wrong = (reading->wrong[element] & WRONG_V) != 0;
    const uint32_t address = address_of(reading, row, sample->in[2]);
    sample->out[0] = address / of->dim % of->keys;
    sample->out[1] = address % of->dim;
    return address != NO_ADDRESS &&
           address / of->dim / of->keys == attention_kv_head(of, row / of->queries);
}

/* True if O equals V at the fitted positions, bit for bit, in the runs with random V. */
static bool agrees_with_v(struct map *map) {
    const struct attention_reading *reading = map->context;
    const struct attention *of = reading->of;
    const size_t first = attention_digit_runs(reading->plan);
    for (size_t run = first; run < first + 2; run++)
        for (uint64_t e = 0; e < map->elements; e++) {
            const uint32_t row = (uint32_t)(e / of->dim);
            uint32_t in[FIT_INPUTS] = {0}, out[FIT_OUTPUTS];
            if (!place_of_v(reading, run, e, in))
                continue;
            map_values(map, in, out);
            if (out[0] >= of->keys || out[1] >= of->dim ||
                attention_v(reading->plan, run, attention_kv_head(of, row / of->queries), out[0],
                            out[1]) != value_of_o(reading, run, row, in[2]))
                return false;
        }
    return true;
}

static void note_element(const struct map *map, uint64_t element, struct finding *finding) {
    const struct attention_reading *reading = map->context;
    const uint32_t dim = reading->of->dim;
    if (reading->wrong[element] & ANY_WRONG)
        finding_note(finding, (uint32_t)(element / dim), (uint32_t)(element % dim));
}

/* Names the finding by the coordinates that are wrong, the key or the column. */
static void name_piece_of_v(const struct map *map, struct piece *piece, struct finding *finding) {
    const struct fit_space *space = &map->space;
    struct printer text = {.text = NULL};
    const struct function *key = &piece->out[0], *col = &piece->out[1];
    const bool key_moves = key->kind != FUNCTION_SAME || key->axis != 1;
    const bool col_moves = col->kind != FUNCTION_SAME || col->axis != 2;
    finding->name = !col_moves ? "keys moved" : !key_moves ? "columns moved" : "V moved";
    print_text(&text, "the probability of key meets V(");
    function_print(&text, space, key);
    print_text(&text, ", ");
    function_print(&text, space, col);
    print_text(&text, ")");
    piece_print(&text, space, piece);
    if (function_uses(key, 2) && function_uses(col, 1)) {
        finding->name = "V transposed";
        print_text(&text, ": as if V were loaded with or without .trans by mistake");
    } else if (!key_moves && function_uses(col, 1)) {
        print_text(&text, ": as if V were swizzled on one side only");
    } else if (key_moves && !col_moves) {
        print_text(&text, ": rows of K or V, or columns of P, are exchanged");
    }
    finding->text = printer_string(&text);
}

static bool find_v(struct attention_reading *reading) {
    const struct attention *of = reading->of;
    struct map map = {.context = reading,
                      .space = {.in_size = {of->queries, of->keys, of->dim},
                                .in_name = {"query", "key", "col"},
                                .outs = 2,
                                .out_size = {of->keys, of->dim},
                                .right = {1, 2}},
                      .elements = (uint64_t)reading->plan->problem.m * of->dim,
                      .free_input = FIT_NO_INPUT,
                      .sample = sample_of_v,
                      .agrees = agrees_with_v,
                      .note = note_element,
                      .name = name_piece_of_v};
    const struct map *found = maps_find(&map, 1);
    if (found)
        map_report(found, reading->findings);
    return found;
}

/* ---- Rows of O ---- */

struct hashed_row {
    uint64_t hash;
    uint32_t row;
    bool is_shared; /* several rows have this hash, so it does not identify a row */
};

static int compare_hashes(const void *a, const void *b) {
    const struct hashed_row *first = a, *second = b;
    return first->hash < second->hash ? -1 : first->hash > second->hash;
}

/* Returns a hash of a row in all runs with digits and proof runs: of the row of O, or of the row
 * that a right kernel writes. */
static uint64_t hash_of_row(const struct attention_reading *reading, size_t row, bool is_right) {
    uint64_t hash = 0;
    for (size_t run = 0; run < attention_digit_runs(reading->plan) + 2; run++)
        for (uint32_t col = 0; col < reading->of->dim; col++) {
            const double value = is_right ? right_value(reading, run, row, col, 1, 0)
                                          : value_of_o(reading, run, row, col);
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            hash = number_hash(hash, bits);
        }
    return hash;
}

/* The rows that a right kernel writes, sorted by their hashes. */
struct rows {
    struct attention_reading *reading;
    struct hashed_row *right;
};

static struct rows right_rows(struct attention_reading *reading) {
    const size_t count = reading->plan->problem.m;
    struct rows rows = {reading, memory_get(count, sizeof *rows.right)};
    struct hashed_row *right = rows.right;
    for (size_t row = 0; row < count; row++)
        right[row] =
            (struct hashed_row){.hash = hash_of_row(reading, row, true), .row = (uint32_t)row};
    qsort(right, count, sizeof *right, compare_hashes);
    for (size_t n = 1; n < count; n++)
        if (right[n].hash == right[n - 1].hash)
            right[n].is_shared = right[n - 1].is_shared = true;
    return rows;
}

static void place_of_row(const struct attention *of, size_t row, uint32_t place[3]) {
    place[0] = (uint32_t)(row / of->queries / of->heads);
    place[1] = (uint32_t)(row / of->queries) % of->heads;
    place[2] = (uint32_t)(row % of->queries);
}

/* The sample of a row of O: the batch, head and query of the right row that equals it. False if
 * there is no such row, or several. */
static bool sample_of_row(const struct map *map, uint64_t row, struct sample *sample,
                          bool *is_wrong) {
    const struct rows *rows = map->context;
    *sample = (struct sample){.in = {0}};
    place_of_row(rows->reading->of, row, sample->in);
    if (!is_wrong)
        return false;
    const struct hashed_row is = {.hash = hash_of_row(rows->reading, row, false)};
    const struct hashed_row *from =
        bsearch(&is, rows->right, map->elements, sizeof *rows->right, compare_hashes);
    if (!from || from->is_shared)
        return false;
    *is_wrong = from->row != row;
    place_of_row(rows->reading->of, from->row, sample->out);
    return true;
}

/* True if each row of O equals the right row that the formulae give. */
static bool agrees_with_rows(struct map *map) {
    const struct rows *rows = map->context;
    const struct attention_reading *reading = rows->reading;
    const struct attention *of = reading->of;
    for (size_t row = 0; row < map->elements; row++) {
        uint32_t in[FIT_INPUTS] = {0}, out[FIT_OUTPUTS];
        place_of_row(of, row, in);
        map_values(map, in, out);
        if (row_has(reading, row, UNWRITTEN) || attention_visible(of, of->causal, 0, in[2]) == 0)
            continue;
        if (out[0] >= of->batch || out[1] >= of->heads || out[2] >= of->queries ||
            hash_of_row(reading, row, false) !=
                hash_of_row(reading, row_at(reading, out[0] * of->heads + out[1], out[2]), true))
            return false;
    }
    return true;
}

static void note_row(const struct map *map, uint64_t row, struct finding *finding) {
    const struct attention_reading *reading = ((const struct rows *)map->context)->reading;
    for (uint32_t col = 0; col < reading->of->dim; col++)
        if (reading->wrong[row * reading->of->dim + col] & ANY_WRONG)
            finding_note(finding, (uint32_t)row, col);
}

static void name_piece_of_rows(const struct map *map, struct piece *piece,
                               struct finding *finding) {
    static const char *const names[] = {"batches exchanged", "heads exchanged", "queries moved"};
    struct printer text = {.text = NULL};
    finding->name = NULL;
    print_text(&text, "O(batch, head, query) holds the result for (");
    for (unsigned axis = 0; axis < 3; axis++) {
        const struct function *out = &piece->out[axis];
        if (out->kind != FUNCTION_SAME || out->axis != axis)
            finding->name = finding->name ? "rows moved" : names[axis];
        print_text(&text, axis > 0 ? ", " : "");
        function_print(&text, &map->space, out);
    }
    print_text(&text, ")");
    piece_print(&text, &map->space, piece);
    print_text(&text, ": rows of O, or of Q, are exchanged");
    finding->text = printer_string(&text);
}

/* Finds rows of O that hold the result for another query, head or batch. */
static bool find_rows(struct attention_reading *reading) {
    const struct attention *of = reading->of;
    struct rows rows = right_rows(reading);
    struct map map = {.context = &rows,
                      .space = {.in_size = {of->batch, of->heads, of->queries},
                                .in_name = {"batch", "head", "query"},
                                .outs = 3,
                                .out_size = {of->batch, of->heads, of->queries},
                                .right = {0, 1, 2}},
                      .elements = reading->plan->problem.m,
                      .free_input = FIT_NO_INPUT,
                      .sample = sample_of_row,
                      .agrees = agrees_with_rows,
                      .note = note_row,
                      .name = name_piece_of_rows};
    const struct map *found = maps_find(&map, 1);
    if (found)
        map_report(found, reading->findings);
    mapping_free(rows.right);
    return found;
}

/* ---- Masks ---- */

/* Returns the number of keys that a query sees, from key 0 on, as shown by the two stages that
 * detect wrong masks. 0 if no number fits, or several do. */
static uint32_t keys_seen(const struct attention_reading *reading, size_t row) {
    const struct attention *of = reading->of;
    uint32_t found = 0;
    for (uint32_t seen = 1; seen <= of->keys; seen++) {
        bool is_it = true;
        for (int stage = ATTENTION_RESIDUES; stage <= ATTENTION_BLOCKS && is_it; stage++) {
            const size_t run = reading->plan->runs - 3 + (size_t)(stage - ATTENTION_RESIDUES);
            for (uint32_t col = 0; col < of->dim && is_it; col++)
                is_it = is_near(value_of_o(reading, run, row, col),
                                right_value(reading, run, row, col, seen, 0),
                                tolerance_of(reading, (enum attention_stage)stage), NEARLY_0);
        }
        if (is_it && found > 0)
            return 0;
        found = is_it ? seen : found;
    }
    return found;
}

/* Fits a formula to the number of keys that each query sees. Known masks have been tried before. */
static bool find_mask(struct attention_reading *reading) {
    enum { ROWS = 1024 };
    const struct attention *of = reading->of;
    const size_t rows = reading->plan->problem.m;
    const struct fit_space space = {.in_size = {of->batch, of->heads, of->queries},
                                    .in_name = {"batch", "head", "query"},
                                    .outs = 1,
                                    .out_size = {of->keys},
                                    .right = {of->causal == CAUSAL_TOP_LEFT ? 2 : FIT_NO_INPUT}};
    struct sample *samples = memory_get(ROWS, sizeof *samples);
    struct piece *pieces = memory_get(FIT_PIECES, sizeof *pieces);
    size_t count = 0;
    bool is_unknown = false, is_other = false; /* some wrong rows see other keys than the first;
                                                  some rows see another number of keys */
    for (size_t n = 0; n < ROWS && n < rows; n++) {
        const size_t row = rows <= ROWS ? n : number_hash(205, n) % rows;
        const uint32_t seen = keys_seen(reading, row);
        is_unknown |= seen == 0 && row_has(reading, row, ANY_WRONG);
        is_other |=
            seen > 0 && seen != attention_visible(of, of->causal, 0, (uint32_t)(row % of->queries));
        if (seen > 0) {
            place_of_row(of, row, samples[count].in);
            samples[count++].out[0] = seen - 1;
        }
    }
    fit_shuffle(samples, count);
    const size_t parts = fit_samples(&space, samples, count, pieces);
    struct printer text = {.text = NULL};
    for (size_t p = 0; p < parts; p++) {
        print_text(&text, p > 0 ? "; it sees 0 to " : "each query sees keys 0 to ");
        function_print(&text, &space, &pieces[p].out[0]);
        piece_print(&text, &space, &pieces[p]);
    }
    const bool is_found = parts > 0 && !is_unknown && is_other;
    if (is_found)
        add_finding(reading, "mask", printer_string(&text), true, ANY_WRONG);
    mapping_free(samples);
    return is_found;
}

/* Finds a wrong factor of all scores. */
static bool find_factor(struct attention_reading *reading) {
    const double factor = factor_of(reading);
    struct printer text = {.text = NULL};
    if (isnan(factor))
        return false;
    print(&text,
          "the scores Q K^T are about %.3g times as large as they should be: another scale, or "
          "columns of Q and K that meet others or none",
          factor);
    add_finding(reading, "scores", printer_string(&text), false, ANY_WRONG);
    return true;
}

/* Finds an O that is a multiple of the right one. */
static bool find_multiple(struct attention_reading *reading) {
    const struct attention *of = reading->of;
    double times = 0;
    for (size_t row = 0; row < reading->plan->problem.m; row++) {
        const uint32_t query = (uint32_t)(row % of->queries);
        const uint32_t seen = attention_visible(of, of->causal, 0, query);
        for (size_t run = 0; run + 1 < reading->plan->runs && seen > 0; run++)
            for (uint32_t col = 0; col < of->dim; col++) {
                size_t index;
                const double tolerance =
                    tolerance_of(reading, attention_stage(reading->plan, run, &index));
                const double right = right_value(reading, run, row, col, seen, 0);
                const double is = value_of_o(reading, run, row, col);
                if (times == 0 && right != 0)
                    times = is / right;
                if (reading->wrong[row * of->dim + col] != UNWRITTEN &&
                    !is_near(is, times * right, tolerance, NEARLY_0))
                    return false;
            }
    }
    struct printer text = {.text = NULL};
    if (fabs(times - 1) < 1.0 / 64)
        return false;
    print(&text, "O is %.3g times the right O", times);
    add_finding(reading, "scaled", printer_string(&text), true, ANY_WRONG);
    return true;
}

/* ---- Findings ---- */

/* If O is infinite or NaN wherever it is wrong, adds a finding and returns true. */
static bool find_nan(struct attention_reading *reading) {
    const struct operand_memory *operand = reading->plan->problem.operand;
    const uint32_t dim = reading->of->dim;
    for (size_t e = 0; e < (size_t)reading->plan->problem.m * dim; e++)
        if ((reading->wrong[e] & ANY_WRONG) && !(reading->wrong[e] & NOT_A_NUMBER))
            return false;
    const bool has_padding =
        operand[PROBE_A].ld > dim || operand[PROBE_B].ld > dim || operand[PROBE_C].ld > dim;
    add_finding(reading, "not a number",
                memory_text(has_padding ? "O is infinite or NaN. The padding of Q, K and V is NaN: "
                                          "the kernel may read it"
                                        : "O is infinite or NaN"),
                false, ANY_WRONG);
    return true;
}

/* Adds a finding without a formula, which lists the elements of V that the first wrong elements of
 * O hold. */
static void find_rest(struct attention_reading *reading) {
    const struct attention *of = reading->of;
    struct printer text = {.text = NULL};
    size_t said = 0, whole = 0, wrong = 0;
    for (size_t e = 0; e < (size_t)reading->plan->problem.m * of->dim; e++)
        if (reading->wrong[e] & WRONG_V) {
            wrong++;
            const uint32_t address = address_of(reading, e / of->dim, (uint32_t)(e % of->dim));
            whole += address != NO_ADDRESS && address % of->dim == e % of->dim;
        }
    const bool are_whole = wrong > 0 && whole >= wrong - wrong / 8;
    print_text(&text, are_whole ? "O holds rows of V of other keys, without a formula: Q K^T, "
                                  "the mask or rows of V are wrong"
                                : "no formula");
    for (size_t e = 0; e < (size_t)reading->plan->problem.m * of->dim && said < 2; e++) {
        const uint32_t col = (uint32_t)(e % of->dim);
        uint32_t place[3];
        if (!(reading->wrong[e] & WRONG_V))
            continue;
        place_of_row(of, e / of->dim, place);
        const uint32_t address = address_of(reading, e / of->dim, col);
        const uint32_t head = address / of->dim / of->keys;
        print(&text, "%sO(%u, %u, %u, %u) holds ", said++ > 0 ? ", " : ": ", place[0], place[1],
              place[2], col);
        if (address == NO_ADDRESS)
            print(&text, "no element of V");
        else
            print(&text, "V(%u, %u, %u, %u)", head / of->kv_heads, head % of->kv_heads,
                  address / of->dim % of->keys, address % of->dim);
    }
    if (wrong == 0)
        add_finding(reading, "probabilities",
                    memory_text("O is not the mean that the visible keys give: probabilities are "
                                "wrong"),
                    false, ANY_WRONG);
    else
        add_finding(reading, "not explained", printer_string(&text), false, ANY_WRONG);
}

/* Finds the cause of wrong elements. Without WRONG_V, the keys with the largest scores are right,
 * so only the mask or the scale can be wrong. */
static void find_causes(struct attention_reading *reading) {
    const unsigned char *wrong = reading->wrong;
    unsigned char all = 0;
    for (size_t e = 0; e < (size_t)reading->plan->problem.m * reading->of->dim; e++)
        all |= wrong[e];
    if (!(all & ANY_WRONG))
        return;
    if (try_mistakes(reading) || find_nan(reading) || find_multiple(reading))
        return;
    if (all & WRONG_V      ? find_rows(reading) || find_v(reading)
        : all & WRONG_MASK ? find_mask(reading)
                           : find_factor(reading))
        return;
    find_rest(reading);
}

/* Finds a running maximum that is not subtracted, or that begins at 0 instead of -infinity. If it
 * is not subtracted, exp() of all scores is infinite in the run with large scores, and 0 in the run
 * with low ones. If it begins at 0, only the latter happens. So wrong elements of O are infinite,
 * NaN or, if the kernel avoids a division by 0, 0. All other runs are right. */
static bool find_exp(struct attention_reading *reading) {
    const struct attention *of = reading->of;
    const size_t first = reading->plan->runs - 3; /* the runs of ATTENTION_RESIDUES and
                                                     ATTENTION_BLOCKS */
    bool is_wrong[2] = {false, false};
    for (size_t e = 0; e < (size_t)reading->plan->problem.m * of->dim; e++) {
        const size_t row = e / of->dim;
        const uint32_t col = (uint32_t)(e % of->dim), query = (uint32_t)(row % of->queries);
        const uint32_t seen = attention_visible(of, of->causal, 0, query);
        if (!(reading->wrong[e] & ANY_WRONG))
            continue;
        if (reading->wrong[e] & ~(WRONG_MASK | NOT_A_NUMBER))
            return false;
        for (size_t n = 0; n < 2; n++) {
            const enum attention_stage stage = n == 0 ? ATTENTION_RESIDUES : ATTENTION_BLOCKS;
            const double value = value_of_o(reading, first + n, row, col);
            if (is_near(value, right_value(reading, first + n, row, col, seen, 0),
                        tolerance_of(reading, stage), NEARLY_0))
                continue;
            if (isfinite(value) && value != 0)
                return false;
            is_wrong[n] = true;
        }
    }
    if (is_wrong[1])
        add_finding(reading, "overflow",
                    memory_text("exp() overflows if all scores are large: the maximum of a row is "
                                "not subtracted"),
                    true, ANY_WRONG);
    else if (is_wrong[0])
        add_finding(reading, "underflow",
                    memory_text("the running maximum begins at 0 instead of -infinity: exp() "
                                "underflows if all scores of a row are far below 0"),
                    true, ANY_WRONG);
    return is_wrong[0] || is_wrong[1];
}

/* Converts the rows in the positions of a finding from rows in memory to head * queries + query. */
static void place_outside(const struct attention *of, struct finding *outside) {
    for (size_t p = 0; p < outside->places; p++) {
        uint32_t head, query;
        attention_place(of, PROBE_D, of->is_bshd, outside->place[p][0], &head, &query);
        outside->place[p][0] = head * of->queries + query;
    }
}

static void end(void *state, struct findings *findings) {
    struct attention_reading *reading = state;
    const struct plan *plan = reading->plan;
    reading->findings = findings;
    reading->inputs = attention_inputs(plan);
    compare(reading);
    for (size_t e = 0; e < (size_t)plan->problem.m * reading->of->dim; e++)
        findings->wrong += reading->wrong[e] != 0;
    place_outside(reading->of, &reading->written->outside);
    reading->written->outside.text = memory_text("the padding of O is written");
    findings_add(findings, &reading->written->outside);
    add_finding(reading, "never written", memory_text("O is never written"), false, UNWRITTEN);
    add_finding(reading, "two runs differ",
                memory_text("two runs with the same inputs differ: a race"), false, CHANGES);
    if (!find_exp(reading))
        find_causes(reading);
}

const struct computation attention_computation = {.complete = attention_complete,
                                                  .plan = attention_plan,
                                                  .fill = attention_fill,
                                                  .begin = begin,
                                                  .take = take,
                                                  .end = end};
