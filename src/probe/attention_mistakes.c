/* attention_mistakes.c - known mistakes of attention kernels; see attention_reading.h.
 *
 * A model of each mistake predicts O of all runs (attention_model.h). A mistake is reported if its
 * model predicts every tested row of O. */
#include "probe/attention_reading.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { TRIED_ROWS = 48, PREDICTED_ROWS = 6, CHECKED_ROWS = 2048 };

/* The rows of O with which models are compared, and the mistakes that predict them. */
struct search {
    struct attention_reading *reading;
    size_t *rows, count;
    double *row;
    const char *name; /* of the first mistake */
    struct printer text;
    size_t found;
    bool is_complete;
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
    const double tolerance = fmax(attention_tolerance(reading, stage), 1.0 / 64);
    /* f16 rounds small probabilities to multiples of 2^-24, and V is up to 2^13. */
    const double absolute = stage <= ATTENTION_REPEAT ? 1.0 / 256 : ATTENTION_NEARLY_0;
    if (attention_visible(of, of->causal, 0, query) == 0 ||
        !attention_predict(&reading->inputs, model, run, head, query, search->row))
        return true;
    ++*predictions;
    for (uint32_t col = 0; col < of->dim; col++) {
        const double value = attention_o(reading, run, row, col), right = search->row[col];
        const bool is_inf = isinf(value) && right > 3e4;
        if (reading->wrong[row * of->dim + col] != UNWRITTEN && !is_inf &&
            !attention_is_near(value, right, tolerance, absolute))
            return false;
    }
    return true;
}

/* If the model predicts O, adds the mistake to the text and returns true. `format` and the
 * arguments after it are those of printf(). */
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
    print(&search->text, "%s%s", search->found++ > 0 ? "; or " : "", text);
    search->name = search->found == 1 ? name : search->name;
    search->is_complete = search->found == 1 ? is_complete : search->is_complete && is_complete;
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
        if (attention_row_has(reading, row, ANY_WRONG))
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
        const double right = (attention_keys_with_1(stage, dim, seen, col) +
                              attention_keys_with_1(stage, dim, first, col) -
                              attention_keys_with_1(stage, dim, end, col)) /
                             sum;
        const double is = attention_o(reading, reading->plan->runs - 3 + is_block, row, col);
        const double difference = (is - right) / (right + ATTENTION_NEARLY_0);
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
        if (visible > seen && attention_row_has(reading, search->rows[n], ANY_WRONG)) {
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

double attention_factor(const struct attention_reading *reading) {
    const struct attention *of = reading->of;
    const size_t run = reading->plan->runs - 1;
    double sum = 0, least = INFINITY, most = -INFINITY;
    size_t count = 0;
    for (size_t row = 0; row < reading->plan->problem.m; row++) {
        const uint32_t head = (uint32_t)(row / of->queries), query = (uint32_t)(row % of->queries);
        const uint32_t seen = attention_visible(of, of->causal, 0, query);
        uint32_t lower = 0;
        if (count >= 256 || seen < 16 || attention_row_has(reading, row, UNWRITTEN))
            continue;
        for (uint32_t key = 0; key < seen; key++)
            lower += attention_is_lower(attention_kv_head(of, head), key);
        const double weight = attention_o(reading, run, row, 0) /
                              attention_o(reading, run, row, 1) * (seen - lower) / lower;
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
    const double measured = attention_factor(search->reading);
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

/* Different kinds of mistakes can give the same O: all of them are named, the first of each kind.
 */
bool attention_try_mistakes(struct attention_reading *reading) {
    struct search search = search_begin(reading);
    bool is_found = false;
    try_masks(&search);
    try_scales(&search);
    try_heads(&search);
    try_layouts(&search);
    try_hidden(&search);
    try_arrays(&search);
    for (size_t t = 0; t < TILES && !is_found; t++)
        is_found = try_tile(&search, tiles[t]) || try_splits(&search, tiles[t]);
    try_columns(&search);
    if (search.found > 0)
        attention_add_finding(reading, search.name, printer_string(&search.text),
                              search.is_complete, ANY_WRONG);
    return search.found > 0;
}
