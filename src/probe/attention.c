/* attention.c - findings about a kernel that should compute attention; see attention_plan.h.
 *
 * O of each run is compared with O of a right kernel: bit for bit in the runs whose probabilities
 * are all 1 or 0 (attention_plan.c), otherwise with a tolerance. If O is wrong, known mistakes are
 * tried first: a model of each mistake predicts O of all runs. Then formulae are fitted to the
 * positions of the elements of V that O holds, or to the positions of the rows that O holds. The O
 * that they predict for a run with random V is compared with O of this run bit for bit. */
#include "probe/attention_reading.h"
#include "probe/locate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static unsigned char compare_row(const struct attention_reading *reading, size_t run, size_t row,
                                 uint32_t seen, uint32_t lower, unsigned char *wrong) {
    static const unsigned char kinds[] = {WRONG_V,    WRONG_V,    WRONG_V,
                                          WRONG_MASK, WRONG_MASK, WRONG_SCALE};
    unsigned char all = 0;
    size_t index;
    const enum attention_stage stage = attention_stage(reading->plan, run, &index);
    for (uint32_t col = 0; col < reading->of->dim; col++) {
        const double value = attention_o(reading, run, row, col);
        const double right = attention_right(reading, run, row, col, seen, lower);
        const bool is_right =
            stage <= ATTENTION_REPEAT
                ? value == right
                : attention_is_near(value, right, attention_tolerance(reading, stage),
                                    ATTENTION_NEARLY_0);
        if (!is_right)
            wrong[col] |= (unsigned char)(kinds[stage] | (isfinite(value) ? 0 : NOT_A_NUMBER));
        if (stage == ATTENTION_REPEAT &&
            attention_o_bits(reading, run, row, col) != attention_o_bits(reading, 0, row, col))
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

/* ---- Elements of V that O holds ---- */

#define NO_ADDRESS UINT32_MAX

/* Decodes the address in V of the element that O holds. NO_ADDRESS if O does not hold an element of
 * V. */
static uint32_t address_of(const struct attention_reading *reading, size_t row, uint32_t col) {
    const struct plan *plan = reading->plan;
    uint32_t address = 0;
    for (size_t run = 0; run < attention_digit_runs(plan); run++) {
        uint64_t element;
        if (!number_find(plan->problem.operand[PROBE_C].type, attention_o(reading, run, row, col),
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
                            out[1]) != attention_o(reading, run, row, in[2]))
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
            const double value = is_right ? attention_right(reading, run, row, col, 1, 0)
                                          : attention_o(reading, run, row, col);
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
        if (attention_row_has(reading, row, UNWRITTEN) ||
            attention_visible(of, of->causal, 0, in[2]) == 0)
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
                is_it = attention_is_near(attention_o(reading, run, row, col),
                                          attention_right(reading, run, row, col, seen, 0),
                                          attention_tolerance(reading, (enum attention_stage)stage),
                                          ATTENTION_NEARLY_0);
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
        is_unknown |= seen == 0 && attention_row_has(reading, row, ANY_WRONG);
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
        attention_add_finding(reading, "mask", printer_string(&text), true, ANY_WRONG);
    mapping_free(samples);
    return is_found;
}

/* Finds a wrong factor of all scores. */
static bool find_factor(struct attention_reading *reading) {
    const double factor = attention_factor(reading);
    struct printer text = {.text = NULL};
    if (isnan(factor))
        return false;
    print(&text,
          "the scores Q K^T are about %.3g times as large as they should be: another scale, or "
          "columns of Q and K that meet others or none",
          factor);
    attention_add_finding(reading, "scores", printer_string(&text), false, ANY_WRONG);
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
                    attention_tolerance(reading, attention_stage(reading->plan, run, &index));
                const double right = attention_right(reading, run, row, col, seen, 0);
                const double is = attention_o(reading, run, row, col);
                if (times == 0 && right != 0)
                    times = is / right;
                if (reading->wrong[row * of->dim + col] != UNWRITTEN &&
                    !attention_is_near(is, times * right, tolerance, ATTENTION_NEARLY_0))
                    return false;
            }
    }
    struct printer text = {.text = NULL};
    if (fabs(times - 1) < 1.0 / 64)
        return false;
    print(&text, "O is %.3g times the right O", times);
    attention_add_finding(reading, "scaled", printer_string(&text), true, ANY_WRONG);
    return true;
}

/* Finds an O that is 0 in all runs. Several known mistakes predict this for some masks. */
static bool find_zeros(struct attention_reading *reading) {
    const struct attention *of = reading->of;
    for (size_t run = 0; run < reading->plan->runs; run++)
        for (size_t row = 0; row < reading->plan->problem.m; row++)
            for (uint32_t col = 0; col < of->dim; col++)
                if (attention_visible(of, of->causal, 0, (uint32_t)(row % of->queries)) > 0 &&
                    reading->wrong[row * of->dim + col] != UNWRITTEN &&
                    attention_o(reading, run, row, col) != 0)
                    return false;
    attention_add_finding(reading, "zeros", memory_text("O is 0 in all runs"), true, ANY_WRONG);
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
    attention_add_finding(
        reading, "not a number",
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
        attention_add_finding(
            reading, "probabilities",
            memory_text("O is not the mean that the visible keys give: probabilities are "
                        "wrong"),
            false, ANY_WRONG);
    else
        attention_add_finding(reading, "not explained", printer_string(&text), false, ANY_WRONG);
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
    if (find_zeros(reading) || attention_try_mistakes(reading) || find_nan(reading) ||
        find_multiple(reading))
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
            const double value = attention_o(reading, first + n, row, col);
            if (attention_is_near(value, attention_right(reading, first + n, row, col, seen, 0),
                                  attention_tolerance(reading, stage), ATTENTION_NEARLY_0))
                continue;
            if (isfinite(value) && value != 0)
                return false;
            is_wrong[n] = true;
        }
    }
    if (is_wrong[1])
        attention_add_finding(
            reading, "overflow",
            memory_text("exp() overflows if all scores are large: the maximum of a row is "
                        "not subtracted"),
            true, ANY_WRONG);
    else if (is_wrong[0])
        attention_add_finding(
            reading, "underflow",
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
    attention_add_finding(reading, "never written", memory_text("O is never written"), false,
                          UNWRITTEN);
    attention_add_finding(reading, "two runs differ",
                          memory_text("two runs with the same inputs differ: a race"), false,
                          CHANGES);
    if (!find_exp(reading))
        find_causes(reading);
}

const struct computation attention_computation = {.complete = attention_complete,
                                                  .plan = attention_plan,
                                                  .fill = attention_fill,
                                                  .begin = begin,
                                                  .take = take,
                                                  .end = end};
