/* attention_plan.c - the inputs of attention; see attention_plan.h.
 *
 * Each key has a code of n bits. A row of K holds the bits of its code as +-k, repeated over the
 * columns. A row of Q holds, as +-q, the code of the key that should get probability 1. The score
 * of this key is the largest. Three more columns subtract this largest score from all scores, so it
 * becomes 0. Every other score is lower by at least 128, and its exp() is 0 in f32. For example,
 * with two bits, four columns and k = q = 1:
 *
 *     K of code 01   +1 -1 +1 -1      Q of code 01   +1 -1 +1 -1      score 4 - 4 = 0
 *     K of code 11   +1 +1 +1 +1                                      score 0 - 4 = -4
 *
 * So the probabilities are exactly 1 and 0. These runs cannot detect a mask that hides too few
 * keys, a wrong scale, columns of Q and K that are not multiplied, or a maximum that is not
 * subtracted or begins at 0. The last three runs detect these mistakes. */
#include "probe/attention_plan.h"

#include <math.h>

enum { SPARE = 3, CODED_MOST = 253, PROOFS = 2 };

/* ---- Sizes ---- */

static uint32_t heads_of(const struct attention *of, enum probe_role role) {
    return role == PROBE_A || role == PROBE_D ? of->heads : of->kv_heads;
}

static uint32_t rows_of(const struct attention *of, enum probe_role role) {
    return role == PROBE_A || role == PROBE_D ? of->queries : of->keys;
}

uint32_t attention_row(const struct attention *of, enum probe_role role, bool is_bshd,
                       uint32_t head, uint32_t row) {
    const uint32_t heads = heads_of(of, role), rows = rows_of(of, role);
    return is_bshd ? (head / heads * rows + row) * heads + head % heads : head * rows + row;
}

void attention_place(const struct attention *of, enum probe_role role, bool is_bshd, uint32_t at,
                     uint32_t *head, uint32_t *row) {
    const uint32_t heads = heads_of(of, role), rows = rows_of(of, role);
    *head = is_bshd ? at / heads / rows * heads + at % heads : at / rows;
    *row = is_bshd ? at / heads % rows : at % rows;
}

uint32_t attention_kv_head(const struct attention *of, uint32_t head) {
    return head / of->heads * of->kv_heads + head % of->heads / (of->heads / of->kv_heads);
}

uint32_t attention_visible(const struct attention *of, enum causal_mask causal, int64_t shift,
                           uint32_t query) {
    int64_t count = (int64_t)query + 1 + shift;
    if (causal == CAUSAL_BOTTOM_RIGHT)
        count += (int64_t)of->keys - of->queries;
    if (causal == NOT_CAUSAL || count > of->keys)
        count = of->keys;
    return count < 0 ? 0 : (uint32_t)count;
}

static int power_at_least(double value) {
    int power;
    return frexp(value, &power) == 0.5 ? power - 1 : power;
}

struct scores attention_scores(const struct problem *problem) {
    const struct attention *of = &problem->attention;
    struct scores scores = {.bits = 1};
    while (of->keys > UINT64_C(1) << scores.bits)
        scores.bits++;
    const uint32_t capacity = of->dim < SPARE ? 0 : of->dim - SPARE;
    scores.repeats = (capacity < CODED_MOST ? capacity : CODED_MOST) / scores.bits;
    if (scores.repeats == 0)
        return scores;
    const int power = power_at_least(64 / (scores.repeats * of->scale));
    const int of_k = power < 0 ? 0 : power > 8 ? 4 : (power + 1) / 2;
    scores.k = ldexp(1, of_k);
    scores.q = ldexp(1, power < 0 ? 0 : power - of_k);
    scores.of_bit = -2 * scores.k * scores.q * scores.repeats * of->scale;
    scores.block = ldexp(1, power_at_least(96 / (of->dim * of->scale)));
    scores.of_block = scores.block * of->dim * of->scale;
    /* exp(-104) is 0 in f32. of_block has the largest magnitude of all scores. */
    scores.low = scores.of_block < 120 ? -1.5 : -1;
    scores.of_low = scores.low * scores.of_block;
    scores.lower = ldexp(1, power_at_least(1 / (of->dim * of->scale)));
    scores.of_lower = -scores.lower * of->dim * of->scale;
    return scores;
}

enum mapping_status attention_complete(struct problem *problem, struct mapping_error *error) {
    struct attention *of = &problem->attention;
    const enum mapping_type type = problem->operand[PROBE_A].type,
                            o = problem->operand[PROBE_D].type;
    const uint32_t most = 1U << 26;
    const uint32_t sizes[] = {of->batch, of->heads, of->queries, of->keys, of->dim, of->kv_heads};
    const bool is_narrow = number_bits(type) == 8;
    for (enum probe_role r = 0; r <= PROBE_C; r++) {
        problem->operand[r].is_column_major = false;
        if (r != PROBE_D && problem->operand[r].type != type)
            return mapping_fail(error, MAPPING_INVALID, "Q, K and V must have one type");
    }
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        if (sizes[n] == 0 || sizes[n] > most)
            return mapping_fail(error, MAPPING_INVALID, "a size of attention is 0 or more than %u",
                                (unsigned)most);
    if (problem->guard > 0)
        return mapping_fail(error, MAPPING_INVALID, "attention is probed without guard rows");
    if (of->heads % of->kv_heads != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "%u heads cannot be divided among --kv-heads=%u", of->heads,
                            of->kv_heads);
    if (!number_is_float(type) || number_bits(type) < 8 || type == MAPPING_F64)
        return mapping_fail(error, MAPPING_INVALID,
                            "attention of %s is not probed; --type is f16, bf16, f32, tf32, e4m3 "
                            "or e5m2",
                            mapping_type_name(type));
    if (o != type && o != MAPPING_F32 && (!is_narrow || (o != MAPPING_F16 && o != MAPPING_BF16)))
        return mapping_fail(error, MAPPING_INVALID,
                            "O of type %s cannot hold all numbers of V, of type %s",
                            mapping_type_name(o), mapping_type_name(type));
    if (of->scale == 0)
        of->scale = 1 / sqrt(of->dim);
    if (!(of->scale >= 1e-4) || of->scale > 16)
        return mapping_fail(error, MAPPING_INVALID, "--scale must be 0.0001 to 16");
    const struct scores scores = attention_scores(problem);
    const double numbers[] = {8 * scores.q, 24 * scores.k, scores.block, scores.lower};
    uint64_t bits;
    if (scores.repeats == 0)
        return mapping_fail(error, MAPPING_INVALID, "%u keys need a head dimension of at least %u",
                            of->keys, scores.bits + SPARE);
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        if (!number_find(type, numbers[n], &bits))
            return mapping_fail(error, MAPPING_INVALID,
                                "a scale of %g and a head dimension of %u are not probed with type "
                                "%s",
                                of->scale, of->dim, mapping_type_name(type));
    const double rows = (double)of->batch * of->heads * of->queries;
    const double kv_rows = (double)of->batch * of->kv_heads * of->keys;
    if (fmax(rows, kv_rows) * of->dim > most)
        return mapping_fail(error, MAPPING_INVALID, "%s has more than %u elements",
                            rows > kv_rows ? "Q" : "K", (unsigned)most);
    problem->m = (uint32_t)rows;
    problem->n = of->dim;
    problem->k = (uint32_t)kv_rows;
    return MAPPING_OK;
}

/* ---- Runs ---- */

/* V holds only numbers that O can represent, too, in the first three stages. */
void attention_plan(struct plan *plan) {
    enum { LEAST = -14, MOST = 12 };
    const struct problem *problem = &plan->problem;
    const enum mapping_type type = problem->operand[PROBE_C].type;
    struct addresses *addresses = &plan->addresses[PROBE_C];
    *addresses = addresses_make(codes_of_sums(type, LEAST, MOST, NULL, 0),
                                (uint64_t)problem->k * problem->n, 1);
    addresses->check = 128 + addresses->digits;
    plan->reader = number_reader(type);
    plan_add(plan, ATTENTION_DIGITS, attention_digit_runs(plan), false);
    plan_add(plan, ATTENTION_PROOF, PROOFS, false);
    for (enum attention_stage s = ATTENTION_REPEAT; s <= ATTENTION_SCALE; s++)
        plan_add(plan, s, 1, false);
    plan->proof_runs = plan->runs;
}

/* Returns the stream of random numbers for Q and K. Runs with the same Q and K have the same
 * stream. */
static uint64_t stream_of(const struct plan *plan, size_t run) {
    size_t index;
    return attention_stage(plan, run, &index) == ATTENTION_PROOF ? 1 + index : 0;
}

/* Returns element `n` of a permutation of 0 to count - 1 that depends on the seed. Permutes all
 * numbers that have as many bits as count - 1, and repeats this while the result is too large. */
static uint32_t permuted(uint64_t seed, uint64_t n, uint32_t count) {
    unsigned bits = 0;
    while (count > UINT64_C(1) << bits)
        bits++;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    do {
        for (uint64_t step = 0; step < 4; step++) {
            n = (n * (number_hash(seed, 2 * step) | 1) + number_hash(seed, 2 * step + 1)) & mask;
            n ^= n >> (bits + 1) / 2;
        }
    } while (n >= count);
    return (uint32_t)n;
}

/* Without a mask, the three streams give the queries as many different keys as possible. So all
 * rows of V are read if there are enough queries. If there are more queries than keys, every `keys`
 * queries have another permutation: two queries with the same key in one stream usually have
 * different keys in another one, so that exchanged rows of O are seen. */
uint32_t attention_target(const struct plan *plan, size_t run, uint32_t head, uint32_t query) {
    const struct attention *of = &plan->problem.attention;
    const uint32_t visible = attention_visible(of, of->causal, 0, query);
    const uint32_t kv_head = attention_kv_head(of, head), group = of->heads / of->kv_heads;
    const uint64_t stream = stream_of(plan, run);
    if (visible == 0)
        return 0;
    if (of->causal != NOT_CAUSAL)
        return stream == 1
                   ? visible - 1
                   : (uint32_t)(number_hash(32 + stream, (uint64_t)head * of->queries + query) %
                                visible);
    const uint64_t number = (stream * group + head % group) * of->queries + query;
    const uint64_t seed = 1024 + kv_head + (number / of->keys << 32);
    return permuted(seed, number % of->keys, of->keys);
}

uint32_t *attention_codes_of_keys(const struct plan *plan, size_t run) {
    const struct attention *of = &plan->problem.attention;
    const uint64_t stream = 64 + stream_of(plan, run);
    uint32_t *codes = memory_get(plan->problem.k, sizeof *codes);
    for (uint32_t first = 0; first < plan->problem.k; first += of->keys)
        shuffle(codes + first, of->keys, stream, first);
    return codes;
}

bool attention_is_lower(uint32_t head, uint32_t key) {
    return number_hash(96, ((uint64_t)head << 32) + key) % 2 == 1;
}

/* Returns an element of V: a digit of its address or, in the proof runs, a random number. */
static double coded_v(const struct plan *plan, enum attention_stage stage, size_t index,
                      uint64_t at) {
    const struct addresses *addresses = &plan->addresses[PROBE_C];
    const struct codes *codes = &addresses->codes;
    return number_of(&plan->reader,
                     stage == ATTENTION_PROOF
                         ? code_element(codes, number_hash(128 + index, at) % codes->count)
                         : address_element(addresses, stage == ATTENTION_DIGITS ? index : 0, at));
}

double attention_v(const struct plan *plan, size_t run, uint32_t head, uint32_t key, uint32_t col) {
    const struct attention *of = &plan->problem.attention;
    size_t index;
    const enum attention_stage stage = attention_stage(plan, run, &index);
    switch (stage) {
    case ATTENTION_RESIDUES:
        return key % of->dim == col;
    case ATTENTION_BLOCKS:
        return key / of->dim % of->dim == col;
    case ATTENTION_SCALE:
        return attention_is_lower(head, key) == (col % 2 == 0);
    default:
        return coded_v(plan, stage, index, ((uint64_t)head * of->keys + key) * of->dim + col);
    }
}

/* ---- Q and K ---- */

/* Returns an element of Q or K in the first three stages. Three columns subtract the number of
 * columns with bits of codes. They hold it in base 8, 8 * 8 * d2 + 8 * d1 + d0, so that small
 * floats can represent each factor. */
static double coded(const struct scores *scores, bool is_q, uint32_t code, uint32_t place) {
    const uint32_t sum = scores->repeats * scores->bits;
    const double size = is_q ? scores->q : scores->k;
    const uint32_t of_q[SPARE] = {8, 8, 1}, of_k[SPARE] = {sum / 64 * 8, sum / 8 % 8, sum % 8};
    if (place < sum)
        return code >> place % scores->bits & 1 ? size : -size;
    if (place >= sum + SPARE)
        return 0;
    return is_q ? -size * of_q[place - sum] : size * of_k[place - sum];
}

/* Returns an element of Q or K in the last three stages. */
static double uncoded(const struct plan *plan, enum attention_stage stage,
                      const struct scores *scores, bool is_q, uint32_t head, uint32_t row,
                      uint32_t col) {
    const double sign = number_hash(98, col) % 2 == 0 ? 1 : -1;
    if (stage == ATTENTION_RESIDUES || stage == ATTENTION_BLOCKS)
        return !is_q ? scores->block : stage == ATTENTION_BLOCKS ? 1 : scores->low;
    if (is_q)
        return sign;
    if (attention_is_lower(head, row))
        return -sign * scores->lower;
    const bool is_last = col + 1 == plan->problem.n && col % 2 == 0;
    return is_last ? 0 : (col % 2 == 0 ? sign : -sign) * scores->lower;
}

void attention_fill(const struct plan *plan, size_t run, enum probe_role role, void *array) {
    const struct problem *problem = &plan->problem;
    const struct attention *of = &problem->attention;
    const struct operand_memory *operand = &problem->operand[role];
    const unsigned bits = number_bits(operand->type);
    const struct scores scores = attention_scores(problem);
    size_t index;
    const enum attention_stage stage = attention_stage(plan, run, &index);
    const bool is_q = role == PROBE_A, is_coded = stage <= ATTENTION_REPEAT;
    uint32_t *codes = role != PROBE_C && is_coded ? attention_codes_of_keys(plan, run) : NULL;
    uint32_t *order = memory_get(of->dim, sizeof *order); /* the place of each column; the first
                                                             places are for bits of codes */
    shuffle(order, of->dim, 97, 0);
    for (uint32_t at = 0; at < operand->rows; at++) {
        uint32_t head, row;
        attention_place(of, role, of->is_bshd, at, &head, &row);
        const uint32_t kv = is_q ? attention_kv_head(of, head) : head;
        const uint32_t key = is_q && codes ? attention_target(plan, run, head, row) : row;
        for (uint32_t col = 0; col < operand->ld; col++) {
            uint64_t element = number_poison(operand->type, 0); /* the padding is NaN */
            if (col < of->dim)
                number_find(operand->type,
                            role == PROBE_C ? attention_v(plan, run, head, row, col)
                            : codes ? coded(&scores, is_q, codes[kv * of->keys + key], order[col])
                                    : uncoded(plan, stage, &scores, is_q, head, row, col),
                            &element);
            number_put(array, bits, memory_index(operand, at, col), element);
        }
    }
    mapping_free(order);
    mapping_free(codes);
}
