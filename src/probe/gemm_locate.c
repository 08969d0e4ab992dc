/* gemm_locate.c - finds which elements of A a kernel multiplied by which elements of B; see gemm.h.
 *
 * In the count and digit runs, all elements of A and B except selected ones are 0, so that with a
 * right kernel each element of D has one term. The count run (GEMM_COUNT) shows which elements have
 * one term, and the digits give the addresses of the two elements in A and B. No assumption about
 * the mistake is needed. One of the four coordinates, usually k of B, numbers the terms of an
 * element of D. The other coordinates are fitted as functions of row, column and this coordinate. A
 * formula is reported as an explanation only if its prediction of a proof run agrees with D, bit by
 * bit. */
#include "probe/causes.h"
#include "probe/gemm.h"
#include "probe/locate.h"

#include <math.h>
#include <string.h>

struct terms {
    const struct plan *plan;
    bool is_focused;
    unsigned char *count;      /* number of selected terms; TERMS_MINUS_1 if one is subtracted;
                                  TERMS_BAD if D is not such a number */
    unsigned char *is_garbage; /* a value is not a digit, so the addresses are unknown */
    uint32_t *rank[2];         /* ranks of the addresses in A and B, from the digits read so far */
};
#define MINUS_1 UINT32_MAX /* the value of a function for terms that are subtracted */
enum { TERMS_MINUS_1 = 253, TERMS_IGNORED, TERMS_BAD };

struct terms *terms_begin(const struct plan *plan, bool is_focused) {
    const size_t count = (size_t)plan->problem.batches * plan->problem.m * plan->problem.n;
    struct terms *terms = memory_get(1, sizeof *terms);
    *terms = (struct terms){
        .plan = plan,
        .is_focused = is_focused,
        .count = memory_get(count, 1),
        .is_garbage = memory_get(count, 1),
        .rank = {memory_get(count, sizeof(uint32_t)), memory_get(count, sizeof(uint32_t))}};
    return terms;
}

void terms_take(struct terms *terms, enum gemm_stage stage, size_t index, size_t element,
                double d) {
    const struct plan *plan = terms->plan;
    if (stage == GEMM_COUNT) {
        const bool is_count = number_is_whole(d) && d >= 0 && d < (double)TERMS_MINUS_1;
        terms->count[element] = is_count ? (unsigned char)d : d == -1 ? TERMS_MINUS_1 : TERMS_BAD;
        return;
    }
    const enum probe_role role = gemm_coded(plan, stage, &index);
    uint64_t bits; /* + 0.0 converts -0 to 0 */
    if (!number_find(plan->problem.operand[role].type, d + 0.0, &bits) ||
        !address_read(&plan->addresses[role], index, bits, &terms->rank[role][element]))
        terms->is_garbage[element] = 1;
}

void terms_ignore(struct terms *terms, size_t element) {
    terms->count[element] = TERMS_IGNORED;
}

/* ---- Samples ---- */

/* The coordinates of a term: row, k and batch of the element of A, and k, column and batch of the
 * element of B that it is multiplied by; and the addresses of both. If all batches share an
 * operand, its batch is that of D. */
enum coordinate { AM, AK, AB, BK, BN, BB, A_ADDRESS, B_ADDRESS, COORDINATES };

struct meeting {
    uint32_t is[COORDINATES];
};

/* Decodes the only term of an element of D. False if the element does not have exactly one term, or
 * if its addresses are unknown. */
static bool meeting_of(const struct terms *terms, size_t element, struct meeting *meeting) {
    const struct problem *problem = &terms->plan->problem;
    const struct operand_memory *operand = problem->operand;
    if (terms->count[element] != 1 || terms->is_garbage[element])
        return false;
    for (unsigned o = 0; o < 2; o++)
        meeting->is[A_ADDRESS + o] =
            address_of_rank(&terms->plan->addresses[o], terms->rank[o][element]);
    for (unsigned o = 0; o < 2; o++) {
        memory_place(&operand[o], meeting->is[A_ADDRESS + o], &meeting->is[o == 0 ? AM : BK]);
        if (operand[o].batches == 1)
            meeting->is[o == 0 ? AB : BB] = (uint32_t)(element / problem->n / problem->m);
    }
    return true;
}

/* The coordinate that numbers the terms of an element of D, and the `outs` coordinates that are
 * fitted. */
struct mode {
    enum coordinate counts;
    unsigned outs;
    enum coordinate out[FIT_OUTPUTS];
};
enum { MODES = 6 };
static const struct mode modes[MODES] = {
    {BK, 5, {AM, AK, BN, AB, BB}}, {AK, 5, {AM, BK, BN, AB, BB}}, {BK, 3, {A_ADDRESS, BN, BB}},
    {AK, 3, {AM, B_ADDRESS, AB}},  {AM, 5, {AK, BK, BN, AB, BB}}, {BN, 5, {AM, AK, BK, AB, BB}},
};

/* Returns the inputs and outputs of the samples of a mode. NULL is the mode that fits the number of
 * terms. */
static struct fit_space space_of(const struct problem *problem, const struct mode *mode) {
    const struct operand_memory *a = &problem->operand[PROBE_A], *b = &problem->operand[PROBE_B];
    const uint32_t sizes[COORDINATES] = {memory_size(a, 0),
                                         memory_size(a, 1),
                                         problem->batches,
                                         memory_size(b, 0),
                                         memory_size(b, 1),
                                         problem->batches,
                                         (uint32_t)memory_elements(a),
                                         (uint32_t)memory_elements(b)};
    static const unsigned right[COORDINATES] = {0, 2, 3, 2, 1, 3, FIT_NO_INPUT, FIT_NO_INPUT};
    struct fit_space space = {.in_size = {problem->m, problem->n, problem->k, problem->batches},
                              .in_name = {"row", "col", "k", "b"},
                              .outs = mode ? mode->outs : 1,
                              .out_size = {TERMS_BAD},
                              .right = {FIT_NO_INPUT},
                              .has_constants = !mode};
    for (size_t o = 0; mode && o < mode->outs; o++) {
        space.out_size[o] = sizes[mode->out[o]];
        space.right[o] = right[mode->out[o]];
        if ((mode->counts == AM || mode->counts == BN) && space.right[o] == 2)
            space.right[o] = FIT_NO_INPUT;
    }
    return space;
}

/* Counts of wrong elements of D. */
struct tally {
    uint64_t moved, other_terms; /* moved: one term, but a wrong one; other_terms: no term, or
                                    several */
};

static bool is_moved(const struct selection_of_k *selection, uint32_t row, uint32_t col,
                     const struct meeting *meeting) {
    const uint32_t k = gemm_selected_k(selection, row, col), m = selection->plan->problem.m;
    const uint32_t right[] = {row % m, k, row / m, k, col, row / m};
    return memcmp(meeting->is, right, sizeof right) != 0;
}

static bool has_other_terms(const struct terms *terms, size_t element) {
    return terms->count[element] != 1 && terms->count[element] != TERMS_IGNORED;
}

static struct tally count_all(const struct terms *terms, const struct selection_of_k *selection) {
    const uint32_t cols = terms->plan->problem.n, rows = gemm_rows(&terms->plan->problem);
    struct tally tally = {.moved = 0};
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t col = 0; col < cols; col++) {
            struct meeting meeting;
            if (!meeting_of(terms, (size_t)row * cols + col, &meeting))
                tally.other_terms += has_other_terms(terms, (size_t)row * cols + col);
            else
                tally.moved += is_moved(selection, row, col, &meeting);
        }
    return tally;
}

/* ---- Prediction ---- */

/* The integers of A or B that a piece multiplies, for each row (A) or column (B) of D; NULL until
 * they are made. They are crossed if elements of A depend on the column of D, or those of B on its
 * row; then they are made again for each element of D. */
struct gathered {
    int16_t **of;
    bool are_crossed;
};

/* A formula for the terms of all elements of D. Its map has one sample for each element of D that
 * has exactly one term or, without a mode, for each element. */
struct formula {
    struct map *map;
    const struct terms *terms;
    const struct selection_of_k *selection;
    const struct problem *problem;
    const struct mode *mode; /* NULL: the pieces give the number of times that terms are added */
    struct map *times;       /* the same for the terms of a mode, if they are not added once */
    unsigned char *in_focus; /* by k: true if terms may be wrong. NULL: all may be wrong */
    proof_agrees *agrees;    /* compares a prediction of proof run 0 with D */
    const void *context;
    const unsigned char *is_wrong;
    bool has_other_terms;                    /* some elements of D have no term, or several */
    uint64_t compared;                       /* number of compared elements of D */
    int16_t *integers[2];                    /* A and B of proof run 0 */
    struct gathered gathered[FIT_PIECES][2]; /* by piece and operand; for predictions */
    uint32_t *values[COORDINATES];           /* coordinates by k; for predictions */
    unsigned char *is_added;                 /* by k: the term is in the prediction */
    unsigned char *has_k[FIT_PIECES];        /* by piece and k: its conditions on k are met */
};

static bool sample_of(const struct map *map, uint64_t element, struct sample *sample,
                      bool *is_wrong) {
    const struct formula *formula = map->context;
    const struct problem *problem = formula->problem;
    const struct mode *mode = formula->mode;
    const uint32_t row = (uint32_t)(element / problem->n), col = (uint32_t)(element % problem->n);
    *sample = (struct sample){.in = {row % problem->m, col, 0, row / problem->m}};
    if (!is_wrong)
        return false;
    if (mode) {
        struct meeting meeting;
        if (!meeting_of(formula->terms, element, &meeting) ||
            meeting.is[mode->counts] >= problem->k)
            return false;
        sample->in[FIT_K] = meeting.is[mode->counts];
        for (size_t o = 0; o < mode->outs; o++)
            sample->out[o] = meeting.is[mode->out[o]];
        *is_wrong = is_moved(formula->selection, row, col, &meeting);
    } else {
        const unsigned char count = formula->terms->count[element];
        if (count == TERMS_IGNORED)
            return false;
        sample->in[FIT_K] = gemm_selected_k(formula->selection, row, col);
        sample->out[0] = count == TERMS_MINUS_1 ? MINUS_1 : count;
        *is_wrong = sample->out[0] != 1;
    }
    return !formula->in_focus || formula->in_focus[sample->in[FIT_K]];
}

/* True if a coordinate belongs to this operand, A or B. */
static bool is_of(enum coordinate coordinate, enum probe_role role) {
    return (coordinate <= AB || coordinate == A_ADDRESS) == (role == PROBE_A);
}

/* True if elements of A depend on the column of D, or elements of B on its row. */
static bool is_crossed(const struct formula *formula, const struct piece *piece,
                       enum probe_role role) {
    bool is = false;
    for (size_t o = 0; formula->mode && o < formula->mode->outs; o++)
        is |= is_of(formula->mode->out[o], role) && function_uses(&piece->out[o], 1 - role);
    return is;
}

/* Computes formula->values for all terms of an element of D, by k: row, k and batch of A, or k,
 * column and batch of B. */
static void make_places(const struct formula *formula, const struct piece *piece,
                        enum probe_role role, const uint32_t in[FIT_INPUTS]) {
    static const unsigned right[] = {0, FIT_K, FIT_BATCH, FIT_K, 1, FIT_BATCH};
    const struct mode *mode = formula->mode;
    const enum coordinate first = role == PROBE_A ? AM : BK;
    uint32_t *const *is = formula->values;
    for (unsigned c = first; c < first + 3U; c++) {
        const bool is_k = right[c] == FIT_K || (mode && mode->counts == c);
        for (uint32_t k = 0; k < in[FIT_K]; k++)
            is[c][k] = is_k ? k : in[right[c]];
    }
    for (size_t o = 0; mode && o < mode->outs; o++) {
        const enum coordinate c = mode->out[o];
        if (!is_of(c, role))
            continue;
        function_values(&piece->out[o], in, is[c]);
        for (uint32_t k = 0; k < in[FIT_K] && c >= A_ADDRESS; k++) {
            uint32_t place[3];
            memory_place(&formula->problem->operand[role], is[c][k], place);
            for (unsigned axis = 0; axis < 3; axis++)
                is[first + axis][k] = place[axis];
        }
    }
}

/* Returns the integers of A or B that a piece multiplies in an element of D, by k; OUTSIDE for
 * elements that are in padding or beyond the array. An extra last entry is 1 if there are such
 * elements, otherwise 0. */
enum { OUTSIDE = INT16_MIN };
static const int16_t *gather(const struct formula *formula, size_t p, enum probe_role role,
                             uint32_t row, uint32_t col) {
    const struct problem *problem = formula->problem;
    const struct operand_memory *of = &problem->operand[role];
    const struct piece *piece = &formula->map->pieces[p];
    const uint32_t depth = problem->k, batch = row / problem->m;
    const uint32_t in[FIT_INPUTS] = {row % problem->m, col, depth, batch};
    const uint32_t right = of->batches > 1 ? batch : 0,
                   size = role == PROBE_A ? of->rows : of->cols;
    const struct gathered *gathered = &formula->gathered[p][role];
    int16_t **line = &gathered->of[role == PROBE_A ? row : batch * problem->n + col];
    uint32_t *const *is = &formula->values[role == PROBE_A ? AM : BK];
    if (!*line)
        *line = memory_get((size_t)depth + 1, sizeof **line);
    else if (!gathered->are_crossed)
        return *line;
    make_places(formula, piece, role, in);
    (*line)[depth] = 0;
    for (uint32_t k = 0; k < depth; k++) {
        uint32_t at = is[role][k], at_k = is[1 - role][k],
                 in_batch = of->batches > 1 ? is[2][k] : 0;
        if (formula->in_focus && !formula->in_focus[k]) {
            at = in[role];
            at_k = k;
            in_batch = right;
        }
        const bool is_outside = at >= size || at_k >= depth || in_batch >= of->batches;
        (*line)[k] = (int16_t)OUTSIDE;
        if (is_outside)
            (*line)[depth] = 1;
        else
            (*line)[k] = formula->integers[role][((size_t)in_batch * size + at) * depth + at_k];
    }
    return *line;
}

/* Predicts an element of A B in proof run 0. A product with an element outside of A or B counts as
 * `outside`, which is NaN or 0. */
static double predict(const struct formula *formula, uint32_t row, uint32_t col, double outside) {
    const uint32_t depth = formula->problem->k, m = formula->problem->m;
    const struct map *all_times = formula->times;
    uint32_t left = depth;
    double sum = 0;
    for (size_t p = 0; p < formula->map->parts && left > 0; p++) {
        const struct piece *piece = &formula->map->pieces[p];
        uint32_t in[FIT_INPUTS] = {row % m, col, depth, row / m};
        const bool is_last = p + 1 == formula->map->parts; /* it has all other terms */
        if (!is_last && !piece_has_apart(piece, in, FIT_K))
            continue;
        uint32_t times[FIT_OUTPUTS] = {formula->mode ? 1 : function_value(piece->out, in)};
        const int16_t *a = gather(formula, p, PROBE_A, row, col);
        const int16_t *b = gather(formula, p, PROBE_B, row, col);
        const bool is_inside = !a[depth] && !b[depth];
        if (left == depth && (is_last || !piece_depends_on(piece, FIT_K)) && !formula->in_focus &&
            !all_times && (is_inside || isnan(outside)))
            return is_inside ? (int32_t)*times * (double)gemm_dot(a, b, depth) : outside;
        if (left == depth)
            memset(formula->is_added, 0, depth);
        for (uint32_t k = in[FIT_K] = 0; k < depth; in[FIT_K] = ++k) {
            if (formula->is_added[k] || (!is_last && !formula->has_k[p][k]))
                continue;
            const bool is_changed = !formula->in_focus || formula->in_focus[k];
            const bool is_outside = a[k] == OUTSIDE || b[k] == OUTSIDE;
            if (all_times)
                map_values(all_times, in, times);
            const int32_t factor = is_changed ? (int32_t)*times : 1;
            if (factor != 0)
                sum += is_outside ? outside : factor * (a[k] * b[k]);
            formula->is_added[k] = 1;
            left--;
        }
    }
    return sum;
}

/* Returns n, if every n-th element is compared. A comparison takes at most about a second. */
static uint64_t step_of(const struct problem *problem) {
    enum { TERMS_MAX = 1 << 21 };
    const uint64_t total = (uint64_t)gemm_rows(problem) * problem->n;
    uint64_t step = total * problem->k / TERMS_MAX + 1;
    while (step > 1 && total % step == 0) /* so that not always the same columns are compared */
        step++;
    return step;
}

/* Frees the integers of the previous pieces, and prepares predictions with the new ones. */
static void begin_prediction(struct formula *formula) {
    const struct problem *problem = formula->problem;
    for (size_t p = 0; p < formula->map->parts; p++) {
        const struct piece *piece = &formula->map->pieces[p];
        struct piece of_k = {.conditions = 0};
        for (size_t c = 0; c < piece->conditions; c++)
            if (piece->condition[c].axis == FIT_K)
                of_k.condition[of_k.conditions++] = piece->condition[c];
        mapping_free(formula->has_k[p]);
        formula->has_k[p] = memory_get(problem->k, 1);
        for (uint32_t k = 0; k < problem->k; k++)
            formula->has_k[p][k] = piece_has(&of_k, (uint32_t[FIT_INPUTS]){0, 0, k});
    }
    const size_t count[2] = {gemm_rows(problem), (size_t)problem->batches * problem->n};
    for (size_t n = 0; n / 2 < FIT_PIECES; n++) {
        const size_t p = n / 2, role = n % 2;
        struct gathered *gathered = &formula->gathered[p][role];
        for (size_t line = 0; gathered->of && line < count[role]; line++)
            mapping_free(gathered->of[line]);
        mapping_free(gathered->of);
        *gathered = (struct gathered){.of = NULL};
        if (p < formula->map->parts)
            *gathered = (struct gathered){
                memory_get(count[role], sizeof *gathered->of),
                is_crossed(formula, &formula->map->pieces[p], (enum probe_role)role)};
    }
}

/* True if the prediction of proof run 0 agrees with D, at as many elements as can be compared in a
 * second. Elements outside of A and B are NaN, or 0 if a kernel fills its tiles with zeros. */
static bool predicts(struct formula *formula) {
    const uint32_t cols = formula->problem->n;
    const uint64_t step = step_of(formula->problem);
    formula->compared = 0;
    for (uint64_t e = 0; e < formula->map->elements; e += step) {
        const uint32_t row = (uint32_t)(e / cols), col = (uint32_t)(e % cols);
        const double product = predict(formula, row, col, NAN);
        if (!formula->agrees(formula->context, row, col, product) &&
            !(isnan(product) &&
              formula->agrees(formula->context, row, col, predict(formula, row, col, 0))))
            return false;
        formula->compared++;
    }
    return true;
}

/* Sets in[FIT_K] to the number of the selected term that an element of D has, according to a
 * formula. False if it has not exactly one, or if that is outside of A or B. */
static bool term_of(const struct formula *formula, uint32_t row, uint32_t col,
                    uint32_t in[FIT_INPUTS]) {
    const struct problem *problem = formula->problem;
    uint32_t *const *is = formula->values;
    uint32_t found = UINT32_MAX, terms = 0;
    memcpy(in, (uint32_t[FIT_INPUTS]){row % problem->m, col, 0, row / problem->m},
           FIT_INPUTS * sizeof *in);
    for (size_t p = 0; p < formula->map->parts; p++) {
        const struct piece *piece = &formula->map->pieces[p];
        if (!piece_has_apart(piece, in, FIT_K))
            continue;
        in[FIT_K] = problem->k;
        make_places(formula, piece, PROBE_A, in);
        make_places(formula, piece, PROBE_B, in);
        for (uint32_t k = in[FIT_K] = 0; k < problem->k; in[FIT_K] = ++k) {
            if (is[AM][k] >= problem->m || is[AK][k] >= problem->k || is[BK][k] >= problem->k ||
                is[BN][k] >= problem->n || is[AB][k] >= problem->batches ||
                is[BB][k] >= problem->batches ||
                piece_of(formula->map->pieces, formula->map->parts, in) != p)
                continue;
            const uint32_t a = gemm_line(problem, PROBE_A, is[AB][k] * problem->m + is[AM][k], 0);
            const uint32_t b = gemm_line(problem, PROBE_B, is[BB][k] * problem->m, is[BN][k]);
            if (gemm_is_selected(formula->selection, PROBE_A, a, is[AK][k]) &&
                gemm_is_selected(formula->selection, PROBE_B, b, is[BK][k])) {
                found = k;
                terms++;
            }
        }
    }
    in[FIT_K] = found;
    return terms == 1;
}

/* Finds how often terms are added, if the formula is right for each term. For example, a kernel
 * exchanges rows, and fills the last k with zeros. Chooses about as many elements without a term as
 * with one. */
static void find_times(struct formula *formula) {
    enum { TERMS_MAX = 1 << 20, FEWEST = 64 };
    const struct problem *problem = formula->problem;
    struct map *times = memory_get(1, sizeof *times);
    uint64_t has[2] = {1, 1};
    const size_t most = TERMS_MAX / problem->k + 1;
    struct sample *samples = memory_get(2 * most, sizeof *samples);
    size_t count = 0;
    *times = *formula->map;
    times->space = space_of(problem, NULL);
    for (uint64_t e = 0; e < times->elements; e++)
        if (formula->terms->count[e] <= 1)
            has[formula->terms->count[e]]++;
    for (uint64_t e = 0; e < times->elements && count < 2 * most; e++) {
        const unsigned char is = formula->terms->count[e];
        struct sample *sample = &samples[count];
        if (is > 1 || number_hash(33, e) % has[is] > most)
            continue;
        sample->out[0] = is;
        count +=
            term_of(formula, (uint32_t)(e / problem->n), (uint32_t)(e % problem->n), sample->in);
    }
    fit_shuffle(samples, count);
    times->parts = count < FEWEST ? 0 : fit_samples(&times->space, samples, count, times->pieces);
    mapping_free(samples);
    formula->times = times->parts > 1 ? times : NULL;
}

static bool explains(struct map *map) {
    struct formula *formula = map->context;
    formula->times = NULL;
    begin_prediction(formula);
    if (predicts(formula))
        return true;
    if (!formula->mode || !formula->has_other_terms || formula->in_focus ||
        (formula->mode->counts != BK && formula->mode->counts != AK))
        return false;
    find_times(formula);
    return formula->times && predicts(formula);
}

/* True if a piece is crossed: another mode may have a simpler formula. */
static bool has_crossed(const struct map *map) {
    bool has = false;
    for (size_t p = 0; p < map->parts; p++)
        has |= is_crossed(map->context, &map->pieces[p], PROBE_A) ||
               is_crossed(map->context, &map->pieces[p], PROBE_B);
    return has;
}

/* ---- Names ---- */

static bool is_input(const struct function *function, unsigned axis) {
    return function && function->kind == FUNCTION_SAME && function->axis == axis;
}

/* Describes the offset at which an operand is read. Returns the name of the finding. */
static const char *name_address(struct printer *to, const struct formula *formula,
                                enum probe_role role, const struct function *function) {
    const struct operand_memory *of = &formula->problem->operand[role];
    const unsigned line = role == PROBE_A ? 0 : 1;
    const unsigned inner = of->is_column_major == (role == PROBE_A) ? line : 2;
    const unsigned outer = inner == 2 ? line : 2;
    const char *name = probe_role_name(role);
    const bool is_sum = function->kind == FUNCTION_SUM;
    print(to, "%s(%s%s) is read at offset ", name, of->batches > 1 ? "b, " : "",
          role == PROBE_A ? "row, k" : "k, col");
    function_print(to, &formula->map->space, function);
    if (is_sum && of->batches > 1 && function->factor[inner] == 1 &&
        function->factor[outer] == of->ld && function->factor[1 - line] == 0 &&
        function->factor[3] != (int64_t)memory_stride(of)) {
        print(to, ": with batch stride %lld instead of %llu", (long long)function->factor[3],
              (unsigned long long)memory_stride(of));
        return "batch stride";
    }
    if (is_sum && function->factor[inner] == 1 && function->factor[outer] > 1 &&
        function->factor[1 - line] == 0 && function->factor[outer] != of->ld) {
        print(to, ": with leading dimension %llu instead of %u",
              (unsigned long long)function->factor[outer], of->ld);
        return "leading dimension";
    }
    if (is_sum && function->factor[outer] == 1 && function->factor[inner] > 1) {
        print(to, ": as a %s-major matrix with leading dimension %llu",
              of->is_column_major ? "row" : "column", (unsigned long long)function->factor[inner]);
        return "transposed";
    }
    return role == PROBE_A ? "A moved" : "B moved";
}

/* Prints the coordinates of an operand's element: "A(row ^ 8, k)", or "A(b, row ^ 8, k)" with
 * batches. */
static void print_element(struct printer *to, const struct formula *formula, enum probe_role role,
                          const struct function *const is[COORDINATES]) {
    const enum coordinate first = role == PROBE_A ? AM : BK;
    print(to, "%s(", probe_role_name(role));
    if (formula->problem->operand[role].batches > 1) {
        function_print(to, &formula->map->space, is[first + 2]);
        print_text(to, ", ");
    }
    for (unsigned c = 0; c < 2; c++) {
        print_text(to, c > 0 ? ", " : "");
        if (is[first + c])
            function_print(to, &formula->map->space, is[first + c]);
        else
            print_text(to, "k");
    }
    print_char(to, ')');
}

/* Returns the function for the batch whose result D holds. NULL if A and B come from different
 * batches. */
static const struct function *batch_of(const struct problem *problem,
                                       const struct function *const is[COORDINATES]) {
    const bool has_a = problem->operand[PROBE_A].batches > 1;
    const bool has_b = problem->operand[PROBE_B].batches > 1;
    const struct function *a = is[has_a ? AB : BB], *b = is[has_b ? BB : AB];
    for (uint32_t batch = 0; batch < problem->batches; batch++) {
        const uint32_t in[FIT_INPUTS] = {0, 0, 0, batch};
        if (function_value(a, in) != function_value(b, in))
            return NULL;
    }
    for (unsigned axis = 0; axis < 3 && problem->batches > 1; axis++)
        if (function_uses(a, axis) || function_uses(b, axis))
            return NULL;
    return a;
}

/* Prints the text of the finding about a piece. Returns its name. */
static const char *name_piece(struct printer *to, const struct formula *formula,
                              const struct piece *piece) {
    const struct mode *mode = formula->mode;
    const struct function *is[COORDINATES] = {NULL};
    const struct function *out = piece->out;
    if (!mode) {
        const uint32_t times = function_value(&out[0], (uint32_t[FIT_INPUTS]){0});
        if (times == 0 || times == MINUS_1)
            print_text(to, times == 0 ? "terms are not added"
                                      : "terms are subtracted instead of added");
        else
            print(to, "terms are added %u times", times);
        return times == 0 ? "missing terms" : times == MINUS_1 ? "sign" : "repeated terms";
    }
    for (size_t o = 0; o < mode->outs; o++)
        is[mode->out[o]] = &out[o];
    if (is[A_ADDRESS])
        return name_address(to, formula, PROBE_A, is[A_ADDRESS]);
    if (is[B_ADDRESS])
        return name_address(to, formula, PROBE_B, is[B_ADDRESS]);
    const bool has_k = mode->counts == BK || mode->counts == AK;
    const struct function *other_k = mode->counts == BK ? is[AK] : is[BK];
    const bool keeps_k = has_k && is_input(other_k, 2);
    const bool keeps_place = has_k && is_input(is[AM], 0) && is_input(is[BN], 1);
    const struct function *batch = batch_of(formula->problem, is);
    const bool keeps_batch = batch && is_input(batch, 3);
    const bool is_of_d = has_k && batch && !function_uses(is[AM], 2) && !function_uses(is[BN], 2);
    const bool is_a = is_input(is[BB], 3), is_one = is_a || is_input(is[AB], 3);
    if (keeps_k && keeps_place && !keeps_batch && (batch || is_one)) {
        if (batch)
            print_text(to, "batch b of D holds the result for batch ");
        else
            print(to, "batch b reads %s of batch ", is_a ? "A" : "B");
        function_print(to, &formula->map->space, batch ? batch : is[is_a ? AB : BB]);
        return batch ? "batches moved" : is_a ? "batches of A moved" : "batches of B moved";
    }
    if (keeps_k && is_of_d) {
        print(to, "D(%srow, col) holds the result for (", keeps_batch ? "" : "b, ");
        if (!keeps_batch) {
            function_print(to, &formula->map->space, batch);
            print_text(to, ", ");
        }
        function_print(to, &formula->map->space, is[AM]);
        print_text(to, ", ");
        function_print(to, &formula->map->space, is[BN]);
        print_char(to, ')');
        if (is_input(is[AM], 1) && is_input(is[BN], 0))
            return "D transposed";
        return is_input(is[BN], 1)   ? "rows moved"
               : is_input(is[AM], 0) ? "columns moved"
                                     : "D moved";
    }
    if (keeps_place && keeps_batch && !function_uses(other_k, 0) && !function_uses(other_k, 1) &&
        !function_uses(other_k, 3)) {
        print(to, "k of %s meets ", mode->counts == BK ? "B" : "A");
        function_print(to, &formula->map->space, other_k);
        print(to, " of %s", mode->counts == BK ? "A" : "B");
        return "k moved";
    }
    print_element(to, formula, PROBE_A, is);
    print_text(to, " meets ");
    print_element(to, formula, PROBE_B, is);
    if (mode->counts == BK && is_input(is[BN], 1) && is_input(is[BB], 3))
        return is_input(is[AM], 2) && is_input(is[AK], 0) ? "A transposed" : "A moved";
    if (mode->counts == AK && is_input(is[AM], 0) && is_input(is[AB], 3))
        return is_input(is[BN], 2) && is_input(is[BK], 1) ? "B transposed" : "B moved";
    return "A and B moved";
}

/* ---- Causes ---- */

/* The move of the elements of an operand, according to a piece of a formula; for causes_add. */
struct moves {
    const struct formula *formula;
    const struct piece *piece;
    enum probe_role role;
    const struct function *k; /* k of the other operand as a function of this k; otherwise NULL */
    const uint32_t *k_from;   /* its inverse, or NULL */
};

/* True if the conditions of the piece on these inputs, a mask, are met, and if the k is in focus.
 */
static bool is_met(const struct formula *formula, const struct piece *piece, unsigned inputs,
                   const uint32_t in[FIT_INPUTS]) {
    struct piece part = {.conditions = 0};
    for (size_t c = 0; c < piece->conditions; c++)
        if (inputs >> piece->condition[c].axis & 1)
            part.condition[part.conditions++] = piece->condition[c];
    return piece_has(&part, in) &&
           (!(inputs >> FIT_K & 1) || !formula->in_focus ||
            (in[FIT_K] < formula->problem->k && formula->in_focus[in[FIT_K]]));
}

/* Elements stay in place where the conditions of the piece are not met. Conditions on inputs that
 * are no coordinates of the operand choose a part of D, and are ignored. */
static bool move(const void *context, const uint32_t at[2], uint32_t from[2]) {
    const struct moves *moves = context;
    const struct formula *formula = moves->formula;
    const struct mode *mode = formula->mode;
    const struct operand_memory *operand = formula->problem->operand;
    uint32_t in[FIT_INPUTS] = {0}, is[COORDINATES];
    const unsigned axis = moves->role == PROBE_A ? 1 : 0; /* fill in the axis of k */
    const bool is_of_d = moves->role == PROBE_D;
    memcpy(in, at, 2 * sizeof *in);
    memcpy(from, at, 2 * sizeof *from);
    if (!is_of_d) {
        in[moves->role] = at[moves->role];
        in[1 - moves->role] = 0;
        in[FIT_K] = at[axis];
        if (moves->k_from && at[axis] < formula->problem->k)
            in[FIT_K] = from[axis] = moves->k_from[at[axis]];
    }
    if (in[FIT_K] == UINT32_MAX)
        return false;
    is[mode->counts] = in[FIT_K];
    bool has_table = false; /* a table, too, can be limited to a part */
    for (size_t o = 0; o < mode->outs; o++) {
        const enum coordinate c = mode->out[o];
        is[c] = function_value(&moves->piece->out[o], in);
        has_table |= moves->piece->out[o].kind == FUNCTION_TABLE;
        if (c >= A_ADDRESS)
            memory_place(&operand[c - A_ADDRESS], is[c], &is[c == A_ADDRESS ? AM : BK]);
    }
    uint32_t to[2];
    memcpy(to, &is[moves->role == PROBE_B ? BK : AM], sizeof to);
    if (is_of_d)
        to[1] = is[BN];
    else if (moves->k_from)
        to[axis] = from[axis];
    if (!is_met(formula, moves->piece, is_of_d ? 3U : 1U << moves->role | 1U << FIT_K, in))
        return memcmp(to, at, sizeof to) != 0 ||
               (moves->k_from && function_value(moves->k, in) != in[FIT_K]);
    memcpy(from, to, sizeof to);
    return has_table && memcmp(to, at, sizeof to) == 0;
}

/* Adds the causes of a piece in each operand. The cause can be in A if row and k of A are functions
 * of row and k, and B is right. If k of B is a function of k, its inverse is an equally good
 * explanation of A. */
static void add_causes(const struct formula *formula, const struct piece *piece,
                       struct finding *finding) {
    const struct mode *mode = formula->mode;
    const struct function *out[COORDINATES] = {NULL};
    const bool is_everywhere = piece->conditions == 0;
    for (size_t o = 0; o < mode->outs; o++)
        out[mode->out[o]] = &piece->out[o];
    const bool counts_b = mode->counts == BK;
    if (!counts_b && mode->counts != AK)
        return;
    for (size_t o = 0; o < mode->outs; o++) { /* causes are the same in all batches */
        const bool is_batch = mode->out[o] == AB || mode->out[o] == BB;
        if (is_batch ? !is_input(&piece->out[o], 3) : function_uses(&piece->out[o], 3))
            return;
    }
    const struct function *k = out[counts_b ? AK : BK]; /* NULL if the piece gives addresses */
    const bool keeps_k = is_input(k, 2);
    bool is_of_k = k && !function_uses(k, 0) && !function_uses(k, 1);
    uint32_t *k_from = memory_get(formula->problem->k, sizeof *k_from);
    memset(k_from, 0xff, formula->problem->k * sizeof *k_from);
    for (uint32_t n = 0; is_of_k && n < formula->problem->k; n++) {
        const uint32_t in[FIT_INPUTS] = {0, 0, n};
        const uint32_t at = is_met(formula, piece, 1U << FIT_K, in) ? function_value(k, in) : n;
        is_of_k = at < formula->problem->k && k_from[at] == UINT32_MAX;
        if (is_of_k)
            k_from[at] = n;
    }
    for (enum probe_role role = 0; role <= PROBE_D; role++) {
        const bool is_direct = counts_b == (role == PROBE_A);
        bool is_alone = role == PROBE_D ? keeps_k : is_direct || is_of_k;
        for (size_t o = 0; o < mode->outs; o++) {
            const enum coordinate c = mode->out[o];
            if (c == AB || c == BB)
                continue;
            if (role == PROBE_D)
                is_alone = is_alone && (&piece->out[o] == k || !function_uses(&piece->out[o], 2));
            else if (c == (role == PROBE_A ? BN : AM)) /* the other operand is right */
                is_alone = is_alone && is_input(&piece->out[o], role == PROBE_A);
            else if (&piece->out[o] != k || is_direct)
                is_alone = is_alone && !function_uses(&piece->out[o], 1 - role) &&
                           (is_direct || !function_uses(&piece->out[o], 2));
        }
        const struct moves moves = {formula, piece, role, k, is_direct ? NULL : k_from};
        if (is_alone)
            causes_add(finding, formula->problem, role, is_everywhere, move, &moves);
    }
}

/* Replaces the conditions on k of a piece by the range of those k of the focus that it contains. If
 * the range has other k, too, only prints it. */
static void bound_focus(struct printer *to, const struct formula *formula, struct piece *piece) {
    uint32_t first = UINT32_MAX, last = 0, count = 0;
    struct piece of_k = {.conditions = 0};
    for (size_t c = 0; c < piece->conditions; c++)
        if (piece->condition[c].axis == 2)
            of_k.condition[of_k.conditions++] = piece->condition[c];
    for (uint32_t k = 0; k < formula->problem->k; k++)
        if (formula->in_focus[k] && piece_has(&of_k, (uint32_t[FIT_INPUTS]){0, 0, k})) {
            first = first == UINT32_MAX ? k : first;
            last = k;
            count++;
        }
    if (count == last - first + 1) {
        size_t kept = 0; /* the range replaces other conditions on k */
        for (size_t c = 0; c < piece->conditions; c++)
            if (piece->condition[c].axis != 2)
                piece->condition[kept++] = piece->condition[c];
        piece->conditions = kept;
        piece->condition[piece->conditions++] = (struct condition){2, 0, first, true};
        piece->condition[piece->conditions++] = (struct condition){2, 0, last + 1, false};
    } else if (count > 0) {
        print(to, " at %u k from %u to %u", count, first, last);
    }
}

static void note(const struct map *map, uint64_t element, struct finding *finding) {
    const struct formula *formula = map->context;
    const uint32_t cols = formula->problem->n;
    if (formula->is_wrong[element])
        gemm_note(formula->problem, finding, (uint32_t)(element / cols),
                  (uint32_t)(element % cols));
}

static void name(const struct map *map, struct piece *piece, struct finding *finding) {
    const struct formula *formula = map->context;
    struct printer text = {.text = NULL};
    finding->name = name_piece(&text, formula, piece);
    if (formula->in_focus)
        bound_focus(&text, formula, piece);
    piece_print(&text, &map->space, piece);
    if (formula->compared < map->elements)
        print(&text, " (compared at %llu elements of D)", (unsigned long long)formula->compared);
    finding->text = printer_string(&text);
    if (formula->mode)
        add_causes(formula, piece, finding);
}

/* Prints "A(row, col)", or "A(batch, row, col)". */
static void print_place(struct printer *to, const struct problem *problem, enum probe_role role,
                        uint32_t row, uint32_t col, uint32_t batch) {
    print(to, "%s(", probe_role_name(role));
    if (problem->operand[role].batches > 1)
        print(to, "%u, ", batch);
    print(to, "%u, %u)", row, col);
}

/* Adds a finding without a formula: the terms of the first elements of D that have a wrong one, and
 * the number of elements that do not have one term. */
static void add_meetings(const struct terms *terms, const struct selection_of_k *selection,
                         const struct tally *tally, struct findings *findings) {
    const struct problem *problem = &terms->plan->problem;
    const uint32_t cols = problem->n;
    struct printer text = {.text = NULL};
    struct finding finding = {.name = "no formula"};
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < cols; col++) {
            struct meeting meeting;
            const bool has_one = meeting_of(terms, (size_t)row * cols + col, &meeting);
            if (has_one ? !is_moved(selection, row, col, &meeting)
                        : !has_other_terms(terms, (size_t)row * cols + col))
                continue;
            if (has_one && finding.places < PLACES_MAX) {
                const uint32_t *is = meeting.is;
                print_text(&text, text.size > 0 ? ", " : "");
                print_place(&text, problem, PROBE_D, row % problem->m, col, row / problem->m);
                print_text(&text, " has ");
                print_place(&text, problem, PROBE_A, is[AM], is[AK], is[AB]);
                print_text(&text, " ");
                print_place(&text, problem, PROBE_B, is[BK], is[BN], is[BB]);
            }
            gemm_note(problem, &finding, row, col);
        }
    if (tally->other_terms > 0)
        print(&text, "%s%llu element%s of D %s no or several terms in place of one",
              text.size > 0 ? "; " : "", (unsigned long long)tally->other_terms,
              tally->other_terms == 1 ? "" : "s", tally->other_terms == 1 ? "has" : "have");
    finding.text = printer_string(&text);
    findings_add(findings, &finding);
}

/* A wrong way to store D: with its own order, leading dimension and batch stride. */
struct storage {
    bool is_column_major;
    size_t ld, stride;
};

static size_t stored_at(const struct storage *as, const uint32_t at[3]) {
    return at[2] * as->stride + at[as->is_column_major] * as->ld + at[!as->is_column_major];
}

/* True if an element of D agrees with one of the results that are stored there, or if none is
 * stored there. */
static bool is_stored(const struct formula *formula, const struct storage *as, uint32_t row,
                      uint32_t col) {
    const struct operand_memory *d = &formula->problem->operand[PROBE_D];
    const uint32_t size = as->is_column_major ? d->rows : d->cols;
    const size_t at = memory_index(d, row, col);
    bool is_target = false;
    for (uint32_t batch = 0; batch < d->batches && batch * as->stride <= at; batch++) {
        const size_t in = at - batch * as->stride;
        for (size_t inner = in % as->ld; inner <= in && inner < size; inner += as->ld) {
            uint32_t of[2];
            of[as->is_column_major] = (uint32_t)((in - inner) / as->ld);
            of[!as->is_column_major] = (uint32_t)inner;
            if (of[0] >= d->rows || of[1] >= d->cols)
                continue;
            is_target = true;
            if (formula->agrees(formula->context, row, col,
                                predict(formula, batch * d->rows + of[0], of[1], NAN)))
                return true;
        }
    }
    return !is_target;
}

/* Finds a D whose elements are right, but stored with another leading dimension, in the other
 * order, or with another batch stride. If several results are stored to one element of D, it holds
 * one of them. Adds a finding and returns true if this is so. */
static bool find_stored(struct formula all, struct findings *findings) {
    struct formula *formula = &all;
    struct map map = {.context = formula, .parts = 1};
    all.map = &map;
    map.pieces[0].out[0] = (struct function){.kind = FUNCTION_SUM, .constant = 1};
    enum { FEWEST = 8 };
    const struct operand_memory *d = &formula->problem->operand[PROBE_D];
    const size_t total = (size_t)gemm_rows(formula->problem) * d->cols;
    const size_t step = step_of(formula->problem);
    const bool is_square = d->rows == d->cols && d->ld == d->cols; /* a formula is shorter */
    for (unsigned turn = is_square ? 2 : 0; turn < (d->batches > 1 ? 3U : 2U); turn++) {
        struct storage as = {d->is_column_major != (turn == 1), 0, memory_stride(d)};
        struct finding finding = {.name = turn == 0   ? "leading dimension"
                                          : turn == 1 ? "D transposed"
                                                      : "batch stride",
                                  .is_explained = true};
        struct printer text = {.text = NULL};
        size_t samples = 0, changes = 0;
        bool fits = true;
        if (turn == 2)
            as = (struct storage){as.is_column_major, d->ld, 0};
        for (size_t e = 0; e < total && fits; e++) {
            struct meeting meeting;
            if (!meeting_of(formula->terms, e, &meeting))
                continue;
            const uint32_t *is = meeting.is, of[3] = {is[AM], is[BN], is[AB]};
            const uint32_t outer = of[as.is_column_major], inner = of[!as.is_column_major];
            const size_t at = memory_index(d, (uint32_t)(e / d->cols), (uint32_t)(e % d->cols));
            const size_t in = at - (turn < 2 ? of[2] * as.stride : 0);
            if (as.ld == 0 && outer > 0 && at >= of[2] * as.stride && in > inner)
                as.ld = (in - inner) / outer;
            if (as.stride == 0 && of[2] > 0 && at > outer * as.ld + inner)
                as.stride = (at - outer * as.ld - inner) / of[2];
            fits = is[AK] == is[BK] && is[AB] == is[BB] && stored_at(&as, of) == at;
            samples++;
            changes += is[AM] != e / d->cols % d->rows || is[BN] != e % d->cols ||
                       is[AB] != e / d->cols / d->rows;
        }
        if (!fits || samples < FEWEST || changes == 0 || as.ld == 0 || as.stride == 0)
            continue;
        begin_prediction(formula);
        for (size_t e = 0; e < total && fits; e++) {
            const uint32_t row = (uint32_t)(e / d->cols), col = (uint32_t)(e % d->cols);
            note(formula->map, e, &finding);
            if (e % step == 0)
                fits = is_stored(formula, &as, row, col);
        }
        if (!fits)
            continue;
        if (turn == 2)
            print(&text, "D is stored with batch stride %zu instead of %zu", as.stride,
                  memory_stride(d));
        else
            print(&text, "D is stored as a %s-major matrix with leading dimension %zu",
                  as.is_column_major ? "column" : "row", as.ld);
        if (turn == 0)
            print(&text, " instead of %u", d->ld);
        finding.text = printer_string(&text);
        findings_add(findings, &finding);
        return true;
    }
    return false;
}

/* Sets formula->in_focus to the k that have wrong samples. */
static void make_focus(struct formula *formula) {
    unsigned char *in_focus = memory_get(formula->problem->k, 1);
    for (uint64_t e = 0; e < formula->map->elements; e++) {
        struct sample sample;
        bool is_wrong;
        if (sample_of(formula->map, e, &sample, &is_wrong) &&
            !sample_is_right(&formula->map->space, &sample))
            in_focus[sample.in[FIT_K]] = 1;
    }
    formula->in_focus = in_focus;
}

bool terms_end(const struct terms *terms, proof_agrees *agrees, const void *context,
               const unsigned char *is_wrong, struct findings *findings) {
    const struct problem *problem = &terms->plan->problem;
    const struct selection_of_k selection = gemm_select(terms->plan, 10, terms->is_focused);
    const struct tally tally = count_all(terms, &selection);
    struct formula all = {.terms = terms,
                          .selection = &selection,
                          .problem = problem,
                          .agrees = agrees,
                          .context = context,
                          .is_wrong = is_wrong,
                          .has_other_terms = tally.other_terms > 0,
                          .is_added = memory_get(problem->k, 1)};
    size_t count = 0;
    if (tally.moved + tally.other_terms == 0)
        return false;
    for (enum probe_role r = PROBE_A; r <= PROBE_B; r++) {
        all.integers[r] = memory_get((size_t)gemm_lines(problem, r) * problem->k, sizeof(int16_t));
        gemm_integers(terms->plan, 0, r, all.integers[r]);
    }
    for (size_t c = 0; c < COORDINATES; c++)
        all.values[c] = memory_get(problem->k, sizeof *all.values[c]);
    struct map *maps = memory_get(MODES + 1, sizeof *maps);
    struct formula *formulae = memory_get(MODES + 1, sizeof *formulae);
    for (size_t m = 0; m <= MODES; m++) { /* the last map is for the number of terms */
        const struct mode *mode = m < MODES ? &modes[m] : NULL;
        const bool counts_k = !mode || mode->counts == BK || mode->counts == AK;
        if ((mode ? tally.moved : tally.other_terms) == 0 || (terms->is_focused && !counts_k))
            continue;
        maps[count] = (struct map){.context = &formulae[count],
                                   .space = space_of(problem, mode),
                                   .elements = (uint64_t)gemm_rows(problem) * problem->n,
                                   .free_input = FIT_K,
                                   .sample = sample_of,
                                   .agrees = explains,
                                   .is_late = has_crossed,
                                   .note = note,
                                   .name = name};
        formulae[count] = all;
        formulae[count].map = &maps[count];
        formulae[count].mode = mode;
        if (terms->is_focused)
            make_focus(&formulae[count]);
        count++;
    }
    if (tally.moved > 0 && find_stored(all, findings))
        return true;
    const struct map *found = maps_find(maps, count);
    struct formula *formula = found ? found->context : NULL;
    if (found)
        map_report(found, findings);
    else
        add_meetings(terms, &selection, &tally, findings);
    if (formula && formula->times) {
        formula->mode = NULL;
        map_report(formula->times, findings);
    }
    return true;
}
