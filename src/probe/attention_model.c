/* attention_model.c - predicts the output O of an attention kernel that makes a known mistake; see
 * attention_model.h.
 *
 * For each query, the kernel processes slots, one after another. A right kernel has a slot for each
 * visible key. A mistake changes the rows of K and V that a slot holds, or the number of slots. */
#include "probe/attention_model.h"

#include <math.h>
#include <string.h>

/* A key that the kernel processes: the score of its row of K, and the head and key of its row of V.
 */
struct slot {
    double score;
    bool has_v; /* false if the kernel reads zeros instead of a row of V */
    uint32_t head, key;
};

struct attention_inputs attention_inputs(const struct plan *plan) {
    size_t index;
    float **elements = memory_get(3 * plan->runs, sizeof *elements);
    struct attention_inputs inputs = {
        .plan = plan,
        .scores = attention_scores(&plan->problem),
        .codes = memory_get(plan->runs, sizeof *inputs.codes),
        .elements = {elements, elements + plan->runs, elements + 2 * plan->runs},
        .row = {memory_get(plan->problem.n, sizeof(float)),
                memory_get(plan->problem.n, sizeof(float))},
        .slots = memory_get(2 * (size_t)plan->problem.attention.keys + 512, sizeof *inputs.slots)};
    for (size_t run = 0; run < plan->runs; run++)
        if (attention_stage(plan, run, &index) <= ATTENTION_REPEAT)
            inputs.codes[run] = attention_codes_of_keys(plan, run);
    return inputs;
}

/* Converts the head and row for which the kernel computes an address to the head and row that it
 * reads there. They differ if the kernel assumes the other layout. False if the address is outside
 * of the array. */
static bool read_place(const struct attention *of, enum probe_role role, bool has_other_layout,
                       uint32_t *head, uint32_t *row) {
    const uint32_t all = role == PROBE_A ? of->heads * of->queries : of->kv_heads * of->keys;
    const uint32_t at = attention_row(of, role, of->is_bshd != has_other_layout, *head, *row);
    if (at >= of->batch * all)
        return false;
    attention_place(of, role, of->is_bshd, at, head, row);
    return true;
}

static uint32_t batch_read(const struct attention *of, enum which_batch which, uint32_t batch) {
    return which == BATCH_FIRST ? 0 : which == BATCH_NEXT ? (batch + 1) % of->batch : batch;
}

static uint32_t head_read(const struct attention *of, const struct attention_model *model,
                          enum attention_array array, uint32_t head) {
    const uint32_t batch = batch_read(of, model->batch[array], head / of->heads);
    const uint32_t h = head % of->heads, group = of->heads / of->kv_heads;
    const enum which which = model->head[array];
    return batch * of->kv_heads + (which == HEAD_MODULO  ? h % of->kv_heads
                                   : which == HEAD_FIRST ? 0
                                   : which == HEAD_NEXT  ? (h / group + 1) % of->kv_heads
                                                         : h / group);
}

/* Sets *row to the row of K or V that a slot holds. False if the kernel reads zeros instead. */
static bool row_of_slot(const struct attention *of, const struct attention_model *model,
                        enum attention_array array, uint32_t slot, uint32_t *row) {
    *row = slot;
    if (!model->is_late[array])
        return slot < of->keys || model->behind_are_next;
    if (slot >= model->tile)
        *row = slot - model->tile;
    return slot >= model->tile || !model->starts_with_zeros;
}

static float *make_elements(const struct plan *plan, size_t run, enum probe_role role) {
    const struct operand_memory *of = &plan->problem.operand[role];
    void *array = memory_get(number_bytes(of->type, memory_elements(of)), 1);
    float *elements = memory_get((size_t)of->rows * of->cols, sizeof *elements);
    attention_fill(plan, run, role, array);
    for (uint32_t row = 0; row < of->rows; row++)
        for (uint32_t col = 0; col < of->cols; col++)
            elements[(size_t)row * of->cols + col] =
                (float)number_read(&plan->reader, array, memory_index(of, row, col));
    mapping_free(array);
    return elements;
}

/* Returns all elements of Q, K or V in a run, by row in memory. They are made once. */
static const float *elements_of(const struct attention_inputs *inputs, size_t run,
                                enum probe_role role) {
    const unsigned index = role == PROBE_A ? 0 : role == PROBE_B ? 1 : 2;
    float **elements = &inputs->elements[index][run];
    if (!*elements)
        *elements = make_elements(inputs->plan, run, role);
    return *elements;
}

/* Returns the elements that the kernel of the model multiplies instead of a row of Q or K. They may
 * be in `capacity`. */
static const float *elements_read(const struct attention_inputs *inputs,
                                  const struct attention_model *model, size_t run,
                                  enum probe_role role, uint32_t head, uint32_t row,
                                  float *capacity) {
    const struct attention *of = &inputs->plan->problem.attention;
    const uint32_t rows = role == PROBE_A ? of->queries : of->keys, dim = of->dim;
    const bool is_v = role == PROBE_B && model->k_is_v;
    const float *elements = elements_of(inputs, run, is_v ? PROBE_C : role);
    const float *right = elements + (size_t)attention_row(of, role, of->is_bshd, head, row) * dim;
    if (model->is_of_q != (role == PROBE_A) || model->columns == COLUMNS_RIGHT)
        return right;
    const uint32_t swizzle = model->columns == COLUMNS_XOR ? model->by
                             : model->columns == COLUMNS_SWIZZLED
                                 ? (row >> model->by & model->mask) << model->chunk
                                 : 0;
    const bool is_transposed = model->columns == COLUMNS_TRANSPOSED;
    const uint32_t end = model->columns == COLUMNS_FIRST ? model->by : dim;
    for (uint32_t col = 0; col < dim; col++) {
        const uint32_t from = is_transposed ? (col & ~7U) | (row & 7) : col ^ swizzle;
        const uint32_t line = is_transposed ? (row & ~7U) | (col & 7) : row;
        const float *of_line =
            line == row || line >= rows
                ? right
                : elements + (size_t)attention_row(of, role, of->is_bshd, head, line) * dim;
        capacity[col] = col < end && from < dim && line < rows ? of_line[from] : 0;
    }
    return capacity;
}

/* Computes the score of a query and a key from all columns. It is needed if columns or arrays are
 * wrong. */
static double full_score(const struct attention_inputs *inputs, const struct attention_model *model,
                         size_t run, const float *q, uint32_t head, uint32_t key) {
    const struct attention *of = &inputs->plan->problem.attention;
    const float *k = elements_read(inputs, model, run, PROBE_B, head, key, inputs->row[1]);
    double score = 0;
    for (uint32_t col = 0; col < of->dim; col++)
        score += (double)q[col] * (double)k[col];
    return score * of->scale;
}

static double score_of(const struct attention_inputs *inputs, size_t run, uint32_t code,
                       uint32_t head, uint32_t key) {
    const struct attention *of = &inputs->plan->problem.attention;
    size_t index;
    switch (attention_stage(inputs->plan, run, &index)) {
    case ATTENTION_RESIDUES:
        return inputs->scores.of_low;
    case ATTENTION_BLOCKS:
        return inputs->scores.of_block;
    case ATTENTION_SCALE:
        return attention_is_lower(head, key) ? inputs->scores.of_lower : 0;
    default:
        return inputs->scores.of_bit *
               __builtin_popcount(code ^ inputs->codes[run][head * of->keys + key]);
    }
}

/* Sets range[0] to the first slot for a query, and range[1] to the end of its slots. */
static void range_of(const struct attention *of, const struct attention_model *model,
                     uint32_t query, uint32_t range[2]) {
    uint32_t seen = attention_visible(of, model->causal, model->shift, query);
    range[0] = 0;
    if (model->is_by_tile)
        seen = (seen + model->tile - 1) / model->tile * model->tile;
    if (model->window > 0 && seen > model->window)
        range[0] = seen - model->window;
    if (model->is_suffix) {
        range[0] = seen > 0 ? seen - 1 : 0;
        seen = of->keys;
    }
    range[1] = (seen < of->keys ? seen : of->keys) + model->behind;
}

/* Makes the slots of a query. Returns their number, or SIZE_MAX if a slot is read outside of an
 * array. */
static size_t make_slots(const struct attention_inputs *inputs, const struct attention_model *model,
                         size_t run, uint32_t head, uint32_t query) {
    const struct attention *of = &inputs->plan->problem.attention;
    uint32_t q_head =
        batch_read(of, model->batch[IN_Q], head / of->heads) * of->heads + head % of->heads;
    uint32_t q_row = query, range[2], code = 0;
    range_of(of, model, query, range);
    read_place(of, PROBE_A, model->has_other_layout[IN_Q], &q_head, &q_row);
    if (inputs->codes[run])
        code = inputs->codes[run][attention_kv_head(of, q_head) * of->keys +
                                  attention_target(inputs->plan, run, q_head, q_row)];
    const float *q = model->columns != COLUMNS_RIGHT || model->k_is_v
                         ? elements_read(inputs, model, run, PROBE_A, q_head, q_row, inputs->row[0])
                         : NULL;
    size_t count = 0;
    const uint32_t end = model->masking != MASK_HIDES ? of->keys : range[1];
    for (uint32_t s = range[0]; s < end; s++) {
        const bool is_hidden = s >= model->hidden[0] && s < model->hidden[1];
        if (is_hidden && !model->hides_only_v)
            continue;
        struct slot *slot = &inputs->slots[count++];
        uint32_t k_head = head_read(of, model, IN_K, head), k_row;
        *slot = (struct slot){.head = head_read(of, model, IN_V, head)};
        slot->has_v = row_of_slot(of, model, IN_V, s, &slot->key) && !is_hidden &&
                      (s < range[1] || model->masking == MASK_IS_0);
        if (row_of_slot(of, model, IN_K, s, &k_row)) {
            if (!read_place(of, PROBE_B, model->has_other_layout[IN_K], &k_head, &k_row))
                return SIZE_MAX;
            slot->score = q ? full_score(inputs, model, run, q, k_head, k_row)
                            : score_of(inputs, run, code, k_head, k_row);
        }
        if (slot->has_v &&
            !read_place(of, PROBE_B, model->has_other_layout[IN_V], &slot->head, &slot->key))
            return SIZE_MAX;
        slot->score *= model->scale > 0 ? model->scale : 1;
        if (s >= range[1] && model->masking == MASK_IS_0)
            slot->score = 0;
    }
    return count;
}

/* Adds a row of V, multiplied by its probability, to `part`. In the last three stages, only the
 * elements of V that are 1 are added. */
static void add_v(const struct attention_inputs *inputs, const struct attention_model *model,
                  size_t run, const struct slot *slot, double p, double *part) {
    const struct plan *plan = inputs->plan;
    const struct attention *of = &plan->problem.attention;
    const uint32_t dim = of->dim, key = slot->key;
    const uint32_t at = attention_row(of, PROBE_B, of->is_bshd, slot->head, key);
    size_t index;
    for (uint32_t col = 0; col < dim && model->v_is_k; col++)
        part[col] += p * (double)elements_of(inputs, run, PROBE_B)[(size_t)at * dim + col];
    if (model->v_is_k)
        return;
    switch (attention_stage(plan, run, &index)) {
    case ATTENTION_RESIDUES:
        part[key % dim] += p;
        break;
    case ATTENTION_BLOCKS:
        part[key / dim % dim] += p;
        break;
    case ATTENTION_SCALE:
        for (uint32_t col = !attention_is_lower(slot->head, key); col < dim; col += 2)
            part[col] += p;
        break;
    default:
        for (uint32_t col = 0; col < dim; col++)
            part[col] += p * attention_v(plan, run, slot->head, key, col);
    }
}

/* Adds the result for some slots, computed with an online softmax, to `row`. `part` is a buffer. */
static void add_slots(const struct attention_inputs *inputs, const struct attention_model *model,
                      size_t run, const struct slot *slots, size_t count, double *part,
                      double *row) {
    const uint32_t dim = inputs->plan->problem.attention.dim;
    const bool is_online = model->keeps_o || model->keeps_sum;
    const size_t tile = is_online ? model->tile : count, tiles = (count + tile - 1) / tile;
    double most = -INFINITY, sum = 0;
    memset(part, 0, dim * sizeof *part);
    for (size_t t = 0; t < tiles; t++) {
        const size_t first = (model->is_backward ? tiles - 1 - t : t) * tile;
        const size_t end = first + tile < count ? first + tile : count;
        double next = most;
        for (size_t s = first; s < end; s++)
            next = fmax(next, slots[s].score);
        const double factor = exp(most - next);
        most = next;
        sum *= model->keeps_sum ? 1 : factor;
        for (uint32_t col = 0; col < dim; col++)
            part[col] *= model->keeps_o ? 1 : factor;
        for (size_t s = first; s < end; s++) {
            const double p = exp(slots[s].score - most);
            if (p < 1e-40)
                continue;
            sum += p;
            if (slots[s].has_v)
                add_v(inputs, model, run, &slots[s], p, part);
        }
    }
    sum += model->has_sink ? exp(-most) : 0;
    for (uint32_t col = 0; col < dim; col++)
        row[col] += model->is_unnormalised ? part[col] : part[col] / sum;
}

bool attention_predict(const struct attention_inputs *inputs, const struct attention_model *model,
                       size_t run, uint32_t head, uint32_t query, double *row) {
    const struct attention *of = &inputs->plan->problem.attention;
    if (model->has_other_layout[OUT_O]) {
        const uint32_t at = attention_row(of, PROBE_D, of->is_bshd, head, query);
        attention_place(of, PROBE_D, !of->is_bshd, at, &head, &query);
    }
    const size_t count = make_slots(inputs, model, run, head, query);
    if (count == SIZE_MAX || count == 0)
        return false;
    const uint32_t all = model->splits > 0 ? (of->keys + model->tile - 1) / model->tile : 0;
    const size_t chunk =
        model->splits > 0 ? (size_t)(all + model->splits - 1) / model->splits * model->tile : count;
    const size_t parts = (count + chunk - 1) / chunk;
    double *part = memory_get(of->dim, sizeof *part);
    memset(row, 0, of->dim * sizeof *row);
    for (size_t p = 0; p < parts; p++)
        add_slots(inputs, model, run, inputs->slots + p * chunk,
                  p + 1 < parts ? chunk : count - p * chunk, part, row);
    for (uint32_t col = 0; col < of->dim && !model->adds_splits; col++)
        row[col] /= (double)parts;
    mapping_free(part);
    return true;
}
