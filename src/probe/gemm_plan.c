/* gemm_plan.c - the inputs of a kernel that should compute a matrix product; see gemm.h.
 *
 * Proof runs show whether the kernel is right. Their elements are random integers, so small that
 * every partial sum is exact: |a| |b| K is below the first integer that the accumulator cannot
 * represent, or the probability of a larger sum is less than 2^-100 (Hoeffding). If a kernel
 * computes another bilinear form, its error is a polynomial of degree 1 in each element. If
 * elements of A and B have qA and qB values, one run misses the error with a probability of at most
 * 1 - (1 - 1/qA)(1 - 1/qB) (Schwartz and Zippel).
 *
 * If D represents fewer integers than the accumulator, the elements of D must be small. Then a run
 * may pair all but a few k at random, so that the two terms of a pair cancel. The plan uses pairs
 * if a run then misses errors less often. */
#include "probe/gemm.h"

#include "probe/scaled.h"

#include <math.h>
#include <string.h>

enum { HALVES = 15, HALVES_ZERO = 7, UNIT_MOST = 512 };
/* With fewer factors, a wrong factor is more often right by chance, so more runs are needed. */
enum { PROOF_RUNS_MAX = 16, SCALED_RUNS_MAX = 32 };

/* All values of e2m1, in halves. */
static const int16_t halves[HALVES] = {-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12};

double gemm_unit(enum mapping_type type) {
    return type == MAPPING_E2M1 ? 0.5 : 1;
}

/* Returns a limit for sums in this type, which can represent all smaller integers. Hopper adds
 * products of 8-bit floats with about 14 bits. */
static double counts_to(enum mapping_type type, bool is_fp8) {
    const double most = number_counts_to(type);
    return is_fp8 && type == MAPPING_F32 ? 8192 : most < INT32_MAX ? most : 2147483648.0;
}

/* Returns the largest n, at most 512, for which the operand represents all integers from 0 to n, in
 * units. For e2m1, the largest element is 12 halves, or 3 with scale factors. */
static uint32_t most_of(const struct problem *problem, unsigned operand) {
    const enum mapping_type type = problem->operand[operand].type;
    const double most = number_counts_to(type);
    if (type == MAPPING_E2M1)
        return problem->scales[operand].kind ? 3 : 12;
    return most < UNIT_MOST ? (uint32_t)most : UNIT_MOST;
}

/* Returns the number of values that an element can have. */
static double values_of(enum mapping_type type, uint32_t most) {
    if (type == MAPPING_E2M1 && most == 12)
        return HALVES;
    return number_is_unsigned(type) ? most + 1.0 : 2.0 * most + 1;
}

static double square_root(double x) {
    double root = x > 1 ? x : 1;
    for (unsigned step = 0; step < 60; step++) /* Newton's method, because libmapping does not use
                                                  libm */
        root = (root + x / root) / 2;
    return root;
}

/* Returns the integer part of a number, limited to 1 to `most`. */
static uint32_t within(double x, uint32_t most) {
    return x < 1 ? 1 : x > most ? most : (uint32_t)(x + 1e-9);
}

/* Chooses the range of the integers of proof runs so that sums are below a limit. */
static void choose_values(struct plan *plan, double limit) {
    const enum mapping_type type[2] = {plan->problem.operand[PROBE_A].type,
                                       plan->problem.operand[PROBE_B].type};
    const double k = plan->problem.k, sum = limit / (gemm_unit(type[0]) * gemm_unit(type[1]));
    const double certain = sum / k, likely = sum / (11.83 * square_root(k));
    const double product = certain > likely ? certain : likely;
    const uint32_t most[2] = {most_of(&plan->problem, 0), most_of(&plan->problem, 1)};
    const uint32_t first = within(square_root(product), most[0]);
    plan->most[1] = within(product / first, most[1]);
    plan->most[0] = within(product / plan->most[1], most[0]);
    for (unsigned o = 0; o < 2; o++) /* e2m1 represents multiples of 1/2 only up to 2 */
        if (type[o] == MAPPING_E2M1 && plan->most[o] < 12 && plan->most[o] > 4)
            plan->most[o] = 4;
    plan->is_exact = product >= (double)plan->most[0] * plan->most[1];
}

/* Returns the largest magnitude of an element of C or the bias for which D is still exact. */
static int added_most(const struct problem *problem) {
    const double most = number_counts_to(problem->operand[PROBE_D].type) / 8;
    return most < 1 ? 1 : most < UNIT_MOST ? (int)most : UNIT_MOST;
}

void gemm_plan(struct plan *plan) {
    const struct problem *problem = &plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A], *b = &problem->operand[PROBE_B];
    const enum mapping_type d = problem->operand[PROBE_D].type;
    const bool is_fp8 = number_is_float(a->type) && number_bits(a->type) == 8;
    const bool has_more = problem->beta != 0 || problem->bias != NO_BIAS;
    const double capacity = has_more ? 0.75 : 1; /* the rest is for C and the bias */
    const double sum = capacity * counts_to(problem->accumulator, is_fp8),
                 kept = capacity * counts_to(d, false);
    const uint32_t unpaired = kept < 256 && d != MAPPING_S8 ? 6 : 16;
    double miss = 1;
    const struct scaled_range range[2] = {scaled_range(problem, 0), scaled_range(problem, 1)};
    const bool is_scaled = problem_is_scaled(problem);
    const uint32_t few = range[0].count > 1 ? range[0].count : range[1].count;
    const uint32_t factors = range[1].count > 1 && range[1].count < few ? range[1].count : few;
    const size_t runs_max = is_scaled ? SCALED_RUNS_MAX : PROOF_RUNS_MAX;
    const unsigned ways = kept < sum && problem->k > unpaired + 1 ? 2 : 1;
    for (unsigned pairs = 0; pairs < ways; pairs++) {
        struct plan tried = *plan;
        tried.has_pairs = pairs == 1;
        tried.unpaired = pairs == 1 ? unpaired + (problem->k - unpaired) % 2 : 0;
        choose_values(&tried, pairs == 1 || sum < kept ? sum : kept);
        const double share = (double)tried.unpaired / problem->k;
        const double values[2] = {values_of(a->type, tried.most[0]),
                                  values_of(b->type, tried.most[1])};
        const double most = 1 - (1 - 1 / values[0]) * (1 - 1 / values[1]);
        double misses = share * 5 / 9 + (1 - share) * most;
        if (is_scaled)
            misses = 1 - (1 - misses) * (1 - 1.0 / factors);
        if (misses < miss && (pairs == 1 || tried.is_exact)) {
            miss = misses;
            *plan = tried;
        }
    }
    double passes = 1;
    int power;
    const double values = 2 * added_most(problem) + 1; /* values of an element of C or the bias */
    if (has_more && miss * values < 1)
        miss = 1 / values;
    while (plan->proof_runs < runs_max && passes * 1099511627776.0 > 1) {
        passes *= miss;
        plan->proof_runs++;
    }
    frexp(passes, &power);
    plan->doubt_bits = (unsigned)-power;
    plan_add(plan, GEMM_PROOF, plan->proof_runs, false);
    plan_add(plan, GEMM_REPEAT, 1, false);
    plan_add(plan, GEMM_VALUES, 2, false);
    if (!plan->is_locating)
        return;
    const enum mapping_type holds[] = {problem->accumulator, d};
    for (unsigned o = 0; o < 2; o++)
        plan->addresses[o] =
            addresses_make(codes_of_sums(problem->operand[o].type, -25, 25, holds, 2),
                           memory_elements(&problem->operand[o]), 0);
    struct outside outside;
    while (gemm_outside(plan, plan->canaries, &outside))
        plan->canaries++;
    const size_t digits = plan->addresses[PROBE_A].digits + plan->addresses[PROBE_B].digits;
    plan_add(plan, GEMM_CANARIES, plan->canaries, false);
    plan_add(plan, GEMM_COUNT, 1, false);
    plan_add(plan, GEMM_DIGITS, digits, false);
    for (unsigned side = 0; side < 2; side++)
        if (problem->scales[side].kind)
            plan->addresses[PROBE_SFA + side] = scaled_addresses(problem, side);
    const size_t of_scales = plan->addresses[PROBE_SFA].digits + plan->addresses[PROBE_SFB].digits;
    if (is_scaled) {
        plan_add(plan, GEMM_PLAIN, 1, false);
        plan_add(plan, GEMM_SCALES, of_scales, false);
    }
    if (problem->focus_count > 0) {
        plan_add(plan, GEMM_COUNT, 1, true);
        plan_add(plan, GEMM_DIGITS, digits, true);
    }
}

enum probe_role gemm_coded(const struct plan *plan, enum gemm_stage stage, size_t *index) {
    const enum probe_role first = stage == GEMM_SCALES ? PROBE_SFA : PROBE_A;
    const size_t digits = plan->addresses[first].digits;
    if (*index < digits)
        return first;
    *index -= digits;
    return first + 1;
}

uint64_t gemm_poison(const struct plan *plan, size_t run) {
    const enum mapping_type type = plan->problem.operand[PROBE_D].type;
    size_t index;
    const enum gemm_stage stage = gemm_stage(plan, run, &index);
    struct outside outside;
    if (stage == GEMM_CANARIES &&
        /* as in run 0; if canaries are NaN, as in run 1, which has no NaN */
        gemm_outside(plan, index, &outside))
        index = gemm_has_nan(plan->problem.operand[outside.role].type);
    return stage >= GEMM_COUNT ? 0 : number_poison(type, index);
}

/* ---- Proof runs ---- */

/* Returns a random permutation of 0 to count - 1. */
static uint32_t *shuffled(uint32_t count, uint64_t stream) {
    uint32_t *order = memory_get(count, sizeof *order);
    shuffle(order, count, stream, 0);
    return order;
}

/* Returns a random integer in units. */
static int16_t integer_at(enum mapping_type type, uint32_t most, uint64_t hash) {
    const uint64_t random = hash >> 32;
    if (type == MAPPING_E2M1 && most == 12)
        return halves[random * HALVES >> 32];
    if (number_is_unsigned(type))
        return (int16_t)(random * (most + 1) >> 32);
    return (int16_t)((int32_t)(random * (2 * (uint64_t)most + 1) >> 32) - (int32_t)most);
}

void gemm_integers(const struct plan *plan, size_t run, enum probe_role role, int16_t *elements) {
    const struct problem *problem = &plan->problem;
    const enum mapping_type type = problem->operand[role].type;
    const uint32_t depth = problem->k, lines = gemm_lines(problem, role);
    const uint32_t most = plan->most[role];
    const uint64_t stream = 100 + 4 * run + role;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++) {
            const uint64_t e = (uint64_t)line * depth + k;
            elements[e] = integer_at(type, most, number_hash(stream, e));
        }
    if (!plan->has_pairs)
        return;
    /* The unpaired terms have factors -1, 0 and 1. In each pair of the others, the second term
     * repeats the first one, negated in one operand. */
    uint32_t *order = shuffled(depth, 99 + 4 * run);
    const bool negates_a = number_is_unsigned(problem->operand[PROBE_B].type);
    const int16_t sign = negates_a == (role == PROBE_A) ? -1 : 1;
    const int16_t one = type == MAPPING_E2M1 ? 2 : 1;
    for (uint32_t line = 0; line < lines; line++) {
        int16_t *of = elements + (size_t)line * depth;
        for (uint32_t p = 0; p < depth; p++)
            if (p < plan->unpaired)
                of[order[p]] =
                    (int16_t)(one *
                              integer_at(number_is_unsigned(type) ? type : MAPPING_S4, 1,
                                         number_hash(stream + 1000, (uint64_t)line * depth + p)));
            else if ((p - plan->unpaired) % 2 == 1)
                of[order[p]] = (int16_t)(sign * of[order[p - 1]]);
    }
    mapping_free(order);
}

int64_t gemm_dot(const int16_t *a, const int16_t *b, uint32_t depth) {
    enum { BLOCK = 64 }; /* integers are at most 512, so sums of a block fit in 32 bits */
    int64_t sum = 0;
    uint32_t k = 0;
    for (; k + BLOCK <= depth; k += BLOCK) {
        int32_t part = 0;
        for (uint32_t n = k; n < k + BLOCK; n++)
            part += a[n] * b[n];
        sum += part;
    }
    for (; k < depth; k++)
        sum += (int64_t)a[k] * b[k];
    return sum;
}

bool gemm_has_nan(enum mapping_type type) {
    return number_is_float(type) && type != MAPPING_E2M1;
}

bool gemm_outside(const struct plan *plan, size_t index, struct outside *outside) {
    static const enum probe_role roles[] = {PROBE_A, PROBE_B, PROBE_C};
    for (size_t n = 0; n < 2 * sizeof roles / sizeof *roles; n++) {
        const struct operand_memory *of = &plan->problem.operand[roles[n / 2]];
        *outside = (struct outside){roles[n / 2], n % 2 == 1};
        if (of->is_used && (n % 2 == 1 ? of->lines > memory_rows(of) : of->ld > memory_cols(of)) &&
            index-- == 0)
            return true;
    }
    return false;
}

/* Returns a canary, which fills the padding in proof runs: NaN, or 6 and -6. */
static uint64_t canary(enum mapping_type type, uint64_t address) {
    uint64_t bits;
    if (gemm_has_nan(type))
        return type == MAPPING_E4M3 || type == MAPPING_E5M2 ? 0x7f : number_poison(type, 0);
    const bool is_signed = number_find(type, -1, &bits);
    number_find(type, number_hash(5, address) % 2 == 0 && is_signed ? -6 : 6, &bits);
    return bits;
}

static int added(const struct plan *plan, uint64_t stream, uint64_t index) {
    const int most = added_most(&plan->problem);
    return (int)(number_hash(stream, index) % (2 * (unsigned)most + 1)) - most;
}

double gemm_c(const struct plan *plan, size_t run, uint32_t row, uint32_t col) {
    return plan->problem.beta != 0 ? added(plan, 300 + run, (uint64_t)row << 32 | col) : 0;
}

double gemm_bias(const struct plan *plan, size_t run, uint32_t index) {
    return plan->problem.bias != NO_BIAS ? added(plan, 400 + run, index) : 0;
}

/* Returns an element of padding or of a guard row. `only` is the only place with canaries; NULL
 * means every place. If canaries of the type are NaN, other places are 0. Otherwise other places
 * are as in proof runs, and the canaries are 4. */
static uint64_t outside_element(const struct plan *plan, const struct outside *only,
                                enum probe_role role, const uint32_t at[3], size_t address) {
    const struct operand_memory *of = &plan->problem.operand[role];
    const bool is_guard = at[of->is_column_major] >= memory_rows(of);
    const bool is_here = only && only->role == role && only->is_guard == is_guard;
    uint64_t bits = 0;
    if (!only || (is_here && gemm_has_nan(of->type)))
        return canary(of->type, address);
    if (gemm_has_nan(of->type))
        return 0;
    if (!is_here)
        return canary(of->type, address);
    number_find(of->type, 4, &bits);
    return bits;
}

/* Fills an array with C or the bias. The padding is filled as for A and B. */
static void fill_added(const struct plan *plan, size_t run, bool is_proof,
                       const struct outside *only, enum probe_role role, void *array) {
    const struct problem *problem = &plan->problem;
    const struct operand_memory *of = &problem->operand[role];
    const unsigned bits = number_bits(of->type);
    for (size_t e = 0; e < memory_elements(of); e++) {
        uint64_t element = 0;
        uint32_t at[3];
        memory_place(of, e, at);
        if (is_proof && (at[0] >= of->rows || at[1] >= of->cols))
            element = outside_element(plan, only, role, at, e);
        else if (is_proof)
            number_find(of->type,
                        role == PROBE_C ? gemm_c(plan, run, at[2] * of->rows + at[0], at[1]) *
                                              problem->alpha / problem->beta
                                        : gemm_bias(plan, run, at[1]) * problem->alpha,
                        &element);
        number_put(array, bits, e, element);
    }
}

/* ---- Locating runs ---- */

struct selection_of_k gemm_select(const struct plan *plan, uint64_t stream, bool is_focused) {
    const struct problem *problem = &plan->problem;
    const uint32_t depth = is_focused ? problem->focus_count : problem->k, cols = problem->n;
    const uint32_t all = gemm_lines(problem, PROBE_B);
    struct selection_of_k selection = {.plan = plan, .stream = stream, .depth = depth};
    selection.classes = depth / 2 + 1 < cols ? (depth + 1) / 2 : cols;
    selection.k_at = shuffled(depth, stream);
    selection.place = memory_get(problem->k, sizeof *selection.place);
    memset(selection.place, 0xff, problem->k * sizeof *selection.place);
    for (uint32_t p = 0; p < depth; p++) {
        if (is_focused)
            selection.k_at[p] = problem->focus[selection.k_at[p]];
        selection.place[selection.k_at[p]] = p;
    }
    selection.class_of_col = shuffled(all, stream + 1);
    for (uint32_t c = 0; c < all && selection.classes > 0; c++)
        selection.class_of_col[c] %= selection.classes;
    return selection;
}

/* Returns the place of the k that a row of A selects in a class. A column of B selects all k of its
 * class. */
static uint32_t selected_place(const struct selection_of_k *selection, uint32_t row,
                               uint32_t class) {
    const uint32_t classes = selection->classes;
    const uint32_t members = (selection->depth - class + classes - 1) / classes;
    const uint64_t hash = number_hash(selection->stream + 2, (uint64_t)row << 32 | class);
    return class + (uint32_t)(hash % members) * classes;
}

uint32_t gemm_selected_k(const struct selection_of_k *selection, uint32_t row, uint32_t col) {
    const struct problem *problem = &selection->plan->problem;
    const uint32_t class = selection->class_of_col[gemm_line(problem, PROBE_B, row, col)];
    return selection->k_at[selected_place(selection, gemm_line(problem, PROBE_A, row, col), class)];
}

bool gemm_is_selected(const struct selection_of_k *selection, enum probe_role role, uint32_t line,
                      uint32_t k) {
    const uint32_t place = selection->place[k], class = place % selection->classes;
    if (place == UINT32_MAX)
        return false;
    return role == PROBE_A ? selected_place(selection, line, class) == place
                           : selection->class_of_col[line] == class;
}

/* True if the element at a row, column and batch is selected. In padding, the same share of
 * elements is selected at random. */
static bool is_selected(const struct selection_of_k *selection, enum probe_role role,
                        const uint32_t at[3]) {
    const struct problem *problem = &selection->plan->problem;
    const uint32_t k = at[1 - role], size = role == PROBE_A ? problem->m : problem->n;
    const bool is_outside = at[role] >= size;
    const uint32_t line = (is_outside ? 1U << 31 : 0) + at[2] * size + at[role];
    const uint64_t hash = number_hash(selection->stream + 3 + role, (uint64_t)line << 32 | k);
    const uint32_t classes = selection->classes;
    if (k >= problem->k)
        return role == PROBE_A ? hash % problem->k < classes : hash % classes == 0;
    if (role == PROBE_A || !is_outside)
        return gemm_is_selected(selection, role, line, k);
    return selection->place[k] != UINT32_MAX && hash % classes == selection->place[k] % classes;
}

/* ---- All runs ---- */

uint64_t gemm_random_element(enum mapping_type type, uint64_t address) {
    const unsigned bits = number_bits(type);
    for (uint64_t n = 0;; n++) {
        uint64_t element = number_low(number_hash(7 + n, address), bits);
        if (type == MAPPING_TF32)
            element &= ~UINT64_C(0x1fff);
        const double value = number_value(type, element);
        const bool is_tiny = bits >= 32 && number_is_float(type) && fabs(value) < 1.2e-38;
        if (isfinite(value) && !is_tiny)
            return element;
    }
}

/* Returns the elements that represent -UNIT_MOST to UNIT_MOST units, divided by each factor of
 * proof runs. The caller frees them. */
static uint64_t *make_codes(enum mapping_type type, struct scaled_range range) {
    enum { VALUES = 2 * UNIT_MOST + 1 };
    uint64_t *codes = memory_get(range.count * (size_t)VALUES, sizeof *codes);
    for (uint32_t n = 0; n < range.count; n++)
        for (int v = -UNIT_MOST; v <= UNIT_MOST; v++)
            number_find(type, ldexp(v * gemm_unit(type), -range.least - (int)n),
                        &codes[n * VALUES + (uint32_t)(v + UNIT_MOST)]);
    return codes;
}

/* Fills an array with A or B of a proof run, and the canaries in its padding. In the plain run, all
 * scale factors are 1. */
static void fill_proof(const struct plan *plan, size_t run, bool is_plain,
                       const struct outside *only, enum probe_role role, void *array) {
    enum { VALUES = 2 * UNIT_MOST + 1 };
    const struct problem *problem = &plan->problem;
    const struct operand_memory *of = &problem->operand[role];
    const unsigned bits = number_bits(of->type);
    const uint32_t depth = problem->k, lines = gemm_lines(problem, role);
    int16_t *elements = memory_get((size_t)lines * depth, sizeof *elements);
    const struct scaled_range range =
        is_plain ? (struct scaled_range){0, 1} : scaled_range(problem, role);
    uint64_t *codes = make_codes(of->type, range);
    gemm_integers(plan, run, role, elements);
    int exponent = range.least;
    if (memory_elements(of) > (size_t)lines * depth)
        for (size_t e = 0; e < memory_elements(of); e++) {
            uint32_t at[3];
            memory_place(of, e, at);
            number_put(array, bits, e, outside_element(plan, only, role, at, e));
        }
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t k = 0; k < depth; k++) {
            const int16_t element = elements[(size_t)line * depth + k];
            if (range.count > 1 && k % 16 == 0) /* the smallest block */
                exponent = scaled_exponent(problem, run, role, line, k);
            const uint64_t *code = &codes[(size_t)(exponent - range.least) * VALUES];
            const size_t at =
                role == PROBE_A ? memory_index(of, line, k) : memory_index(of, k, line);
            number_put(array, bits, at, code[element + UNIT_MOST]);
        }
    mapping_free(codes);
    mapping_free(elements);
}

/* Fills an array with SFA or SFB. In the stage of canaries, the factors are those of run 0. If
 * canaries are NaN, the padding of the factors is not, because D could not distinguish them. */
static void fill_factors(const struct plan *plan, enum gemm_stage stage, size_t index,
                         unsigned side, void *array) {
    struct outside outside;
    if (stage == GEMM_CANARIES && gemm_outside(plan, index, &outside))
        scaled_fill(plan, side,
                    gemm_has_nan(plan->problem.operand[outside.role].type) ? FACTORS_NO_NAN
                                                                           : FACTORS_PROOF,
                    0, array);
    else if (stage <= GEMM_REPEAT)
        scaled_fill(plan, side, FACTORS_PROOF, index, array);
    else if (stage == GEMM_SCALES && gemm_coded(plan, stage, &index) == PROBE_SFA + side)
        scaled_fill(plan, side, FACTORS_DIGIT, index, array);
    else
        scaled_fill(plan, side, FACTORS_ONE, 0, array);
}

void gemm_fill(const struct plan *plan, size_t run, enum probe_role role, void *array) {
    const struct problem *problem = &plan->problem;
    const struct operand_memory *of = &problem->operand[role];
    const unsigned bits = number_bits(of->type);
    size_t index;
    const bool is_focused = plan_stage(plan, run, &index)->is_focused;
    const enum gemm_stage stage = gemm_stage(plan, run, &index);
    struct outside outside = {.is_guard = false}, *only = NULL;
    if (role >= PROBE_SFA) {
        fill_factors(plan, stage, index, role - PROBE_SFA, array);
        return;
    }
    if (stage == GEMM_CANARIES && gemm_outside(plan, index, &outside)) {
        only = &outside;
        index = 0;
    }
    const bool is_proof = stage <= GEMM_REPEAT || stage == GEMM_PLAIN || only;
    if (role >= PROBE_C)
        fill_added(plan, index, is_proof, only, role, array);
    else if (is_proof)
        fill_proof(plan, index, stage == GEMM_PLAIN, only, role, array);
    if (role >= PROBE_C || is_proof)
        return;
    const bool has_digits = stage == GEMM_DIGITS && gemm_coded(plan, stage, &index) == role;
    const bool has_values = stage == GEMM_VALUES && index == (size_t)role;
    const struct selection_of_k selection =
        gemm_select(plan, stage == GEMM_VALUES ? 20 : 10, is_focused);
    uint64_t one;
    number_find(of->type, 1, &one);
    for (size_t e = 0; e < memory_elements(of); e++) {
        uint32_t at[3];
        uint64_t element = 0;
        memory_place(of, e, at);
        if (is_selected(&selection, role, at))
            element = has_digits   ? address_element(&plan->addresses[role], index, e)
                      : has_values ? gemm_random_element(of->type, e)
                                   : one;
        number_put(array, bits, e, element);
    }
    mapping_free(selection.place);
    mapping_free(selection.k_at);
    mapping_free(selection.class_of_col);
}
