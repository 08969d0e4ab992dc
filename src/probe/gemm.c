/* gemm.c - findings about a kernel that should compute a matrix product; see gemm.h.
 *
 * Proof runs have random integers as inputs (gemm_plan.c). They are checked with Freivalds' method:
 * D x must be A (B x) for a random x, modulo 2^64, and y D must be (y A) B. This finds the wrong
 * rows and columns of D. Only the elements where a wrong row meets a wrong column are computed one
 * by one. */
#include "probe/gemm.h"

#include "probe/computation.h"
#include "probe/scaled.h"

#include <math.h>
#include <string.h>

/* More kinds of errors of an element. */
enum { WRONG_VALUE = 2, IS_NAN = 4, HAS_OLD = 8, OLD_FOR_C = 16 };

/* The least and the largest row, column and batch of some elements of D. */
struct extent {
    bool has_any;
    uint32_t least[3], most[3];
};

struct gemm_reading {
    const struct plan *plan;
    double unit;                 /* the unit of products of A and B */
    double factor;               /* 1 / alpha, a power of two */
    struct number_reader reader; /* of D */
    unsigned char *wrong;        /* kinds of errors, by row and column */
    struct written *written;     /* unwritten elements in proof runs, and written padding in all
                                    runs */
    void *first, *plain;         /* D of proof run 0, and of the run in which all scale factors are
                                    1 */
    void *values_run[2];         /* D of a value run, if it is wrong; otherwise NULL */
    struct finding differing;    /* elements that differ in two runs with the same inputs */
    struct extent where_differing;
    unsigned char *outside; /* by row and column: a bit for each place outside of A, B or C on which
                               the element depends */
    struct energies energies;
    struct terms *terms[2]; /* terms of all k, and of the k of the focus */
    struct scaled *scaled;
    bool is_bound;     /* wrong elements may include some that are right */
    bool has_overflow; /* an element of D is infinite in a proof run */
    bool was_located;  /* the kernel has done the locating runs */
};

static void *begin(const struct plan *plan, struct written *written) {
    const struct problem *problem = &plan->problem;
    const size_t count = (size_t)gemm_rows(problem) * problem->n;
    struct gemm_reading *reading = memory_get(1, sizeof *reading);
    reading->plan = plan;
    reading->factor = 1 / problem->alpha;
    reading->unit =
        gemm_unit(problem->operand[PROBE_A].type) * gemm_unit(problem->operand[PROBE_B].type);
    reading->wrong = memory_get(count, 1);
    reading->outside = memory_get(count, 1);
    reading->written = written;
    reading->reader = number_reader(problem->operand[PROBE_D].type);
    return reading;
}

/* Returns an element of D as a number. */
static double d_at(const struct gemm_reading *reading, const void *d, uint32_t row, uint32_t col) {
    const struct operand_memory *of = &reading->plan->problem.operand[PROBE_D];
    return number_read(&reading->reader, d, memory_index(of, row, col));
}

/* Returns an element of A B in a proof run, in units: D divided by alpha, without C and the bias.
 */
static double product_at(const struct gemm_reading *reading, const void *d, size_t run,
                         uint32_t row, uint32_t col) {
    const struct plan *plan = reading->plan;
    const struct problem *problem = &plan->problem;
    double sum = d_at(reading, d, row, col) * reading->factor;
    if (problem->beta != 0)
        sum -= gemm_c(plan, run, row, col);
    if (problem->bias != NO_BIAS)
        sum -= gemm_bias(plan, run, problem->bias == BIAS_OF_ROW ? row % problem->m : col);
    return sum / reading->unit;
}

static void extend(struct extent *extent, const struct problem *problem, uint32_t row,
                   uint32_t col) {
    const uint32_t at[3] = {row % problem->m, col, row / problem->m};
    for (size_t a = 0; a < 3; a++) {
        if (!extent->has_any || at[a] < extent->least[a])
            extent->least[a] = at[a];
        extent->most[a] = at[a] > extent->most[a] ? at[a] : extent->most[a];
    }
    extent->has_any = true;
}

static void print_extent(struct printer *to, const struct problem *problem,
                         const struct extent *extent) {
    const uint32_t *least = extent->least, *most = extent->most;
    if (problem->batches > 1)
        print(to, "batches %u to %u, ", least[2], most[2]);
    print(to, "rows %u to %u, columns %u to %u", least[0], most[0], least[1], most[1]);
}

/* ---- Proof runs ---- */

/* The integers of A and B in a run, and random vectors. */
struct proof {
    int16_t *a, *b;  /* a by row and k, b by column and k */
    uint64_t *x, *y; /* x by column, y by row */
};

/* Returns matrix (lines x depth) times a vector or, if `is_left`, the vector times the matrix. */
static uint64_t *times(const int16_t *matrix, uint32_t lines, uint32_t depth,
                       const uint64_t *vector, bool is_left) {
    uint64_t *result = memory_get(is_left ? depth : lines, sizeof *result);
    for (uint32_t line = 0; line < lines; line++) {
        const int16_t *of = matrix + (size_t)line * depth;
        uint64_t sum = 0;
        for (uint32_t k = 0; k < depth; k++)
            if (is_left)
                result[k] += vector[line] * (uint64_t)(int64_t)of[k];
            else
                sum += vector[k] * (uint64_t)(int64_t)of[k];
        if (!is_left)
            result[line] = sum;
    }
    return result;
}

/* Makes the integers of a run for all batches, and random vectors. The caller frees them with
 * proof_free. */
static struct proof proof_make(const struct plan *plan, size_t run) {
    const uint32_t m = plan->problem.m, n = plan->problem.n, depth = plan->problem.k;
    struct proof proof = {
        .a = memory_get((size_t)gemm_lines(&plan->problem, PROBE_A) * depth, sizeof(int16_t)),
        .b = memory_get((size_t)gemm_lines(&plan->problem, PROBE_B) * depth, sizeof(int16_t)),
        .x = memory_get(n, sizeof(uint64_t)),
        .y = memory_get(m, sizeof(uint64_t))};
    gemm_integers(plan, run, PROBE_A, proof.a);
    gemm_integers(plan, run, PROBE_B, proof.b);
    for (uint32_t col = 0; col < n; col++)
        proof.x[col] = number_hash(50 + run, col);
    for (uint32_t row = 0; row < m; row++)
        proof.y[row] = number_hash(80 + run, row);
    return proof;
}

/* Returns the row of A, or the column of B, from which an element of D is computed. */
static const int16_t *line_of(const struct plan *plan, const struct proof *proof,
                              enum probe_role role, uint32_t row, uint32_t col) {
    const size_t line = gemm_line(&plan->problem, role, row, col);
    return (role == PROBE_A ? proof->a : proof->b) + line * plan->problem.k;
}

static void proof_free(const struct proof *proof) {
    void *arrays[] = {proof->a, proof->b, proof->x, proof->y};
    for (size_t n = 0; n < sizeof arrays / sizeof *arrays; n++)
        mapping_free(arrays[n]);
}

/* True if a value can be a sum of products: a whole number of units that is not too large. */
static bool is_sum(double units) {
    return number_is_whole(units) && fabs(units) <= 2147483648.0;
}

/* D of one batch in a proof run; `top` is its first row. */
struct batch_of_d {
    const struct gemm_reading *reading;
    const void *d;
    size_t run;
    uint32_t top;
};

static bool row_of_d(const void *context, uint32_t row, double *values) {
    const struct batch_of_d *of = context;
    bool are_sums = true;
    for (uint32_t col = 0; col < of->reading->plan->problem.n; col++) {
        values[col] = product_at(of->reading, of->d, of->run, of->top + row, col);
        if (isinf(values[col])) /* f16 overflowed */
            values[col] = values[col] < 0 ? -65536 : 65536;
        are_sums = are_sums && is_sum(values[col]);
    }
    return are_sums;
}

/* Marks the wrong elements of D of one batch, whose first row is `top`. If there are too many to
 * compute, marks all elements where a wrong row meets a wrong column. */
static void check_batch(struct gemm_reading *reading, size_t run, const struct proof *proof,
                        uint32_t top, const void *d) {
    enum { DOTS_MAX = 1 << 27 };
    const struct plan *plan = reading->plan;
    const uint32_t m = plan->problem.m, n = plan->problem.n, depth = plan->problem.k;
    const int16_t *a = line_of(plan, proof, PROBE_A, top, 0);
    const int16_t *b = line_of(plan, proof, PROBE_B, top, 0);
    uint64_t *bx = times(b, n, depth, proof->x, true), *ya = times(a, m, depth, proof->y, true);
    uint64_t *abx = times(a, m, depth, bx, false), *yab = times(b, n, depth, ya, false);
    unsigned char *bad_row = memory_get(m, 1), *bad_col = memory_get(n, 1);
    uint64_t rows = 0, cols = 0;
    for (uint32_t row = 0; row < m; row++) {
        uint64_t sum = 0;
        for (uint32_t col = 0; col < n; col++) {
            const double units = product_at(reading, d, run, top + row, col);
            unsigned char *wrong = &reading->wrong[(size_t)(top + row) * n + col];
            if (is_sum(units)) {
                sum += proof->x[col] * (uint64_t)(int64_t)units;
                yab[col] -= proof->y[row] * (uint64_t)(int64_t)units;
                continue;
            }
            *wrong |= (unsigned char)(WRONG | (isnan(units) && run % 2 == 1 ? IS_NAN : 0));
            reading->has_overflow |= isinf(units) != 0;
            bad_row[row] = bad_col[col] = 1;
        }
        bad_row[row] |= sum != abx[row];
        rows += bad_row[row];
    }
    for (uint32_t col = 0; col < n; col++) {
        bad_col[col] |= yab[col] != 0;
        cols += bad_col[col];
    }
    const struct batch_of_d of_d = {reading, d, run, top};
    if (rows * cols > 0)
        energies_add(&reading->energies, &plan->problem, a, b, row_of_d, &of_d);
    const bool is_dear = rows * cols * depth > DOTS_MAX / plan->problem.batches;
    const enum mapping_type type = plan->problem.operand[PROBE_D].type;
    const double old = number_value(type, gemm_poison(plan, run));
    for (uint32_t row = 0; row < m && rows * cols > 0; row++)
        for (uint32_t col = 0; col < n && bad_row[row]; col++) {
            unsigned char *wrong = &reading->wrong[(size_t)(top + row) * n + col];
            if (!bad_col[col] || (run % 2 == 0 && (*wrong & WRONG) != 0))
                continue;
            if (is_dear) {
                *wrong |= WRONG;
                continue;
            }
            const double is = product_at(reading, d, run, top + row, col);
            const int64_t right = gemm_dot(a + (size_t)row * depth, b + (size_t)col * depth, depth);
            if (is == (double)right)
                continue;
            *wrong |= WRONG;
            if (run % 2 == 0)
                continue;
            /* Compares D itself: rounding may have lost C and the bias. */
            const double raw = d_at(reading, d, top + row, col);
            const double sum = raw + ((double)right - is) * reading->unit * plan->problem.alpha;
            const double c = plan->problem.alpha * gemm_c(plan, run, top + row, col);
            if (number_is_rounded(type, raw, sum + old))
                *wrong |= HAS_OLD;
            if (plan->problem.beta != 0 &&
                number_is_rounded(type, raw, sum - c + plan->problem.beta * old))
                *wrong |= OLD_FOR_C;
        }
    reading->is_bound |= is_dear;
    void *arrays[] = {bx, ya, abx, yab, bad_row, bad_col};
    for (size_t f = 0; f < sizeof arrays / sizeof *arrays; f++)
        mapping_free(arrays[f]);
}

static void check_proof(struct gemm_reading *reading, size_t run, const void *d) {
    const struct plan *plan = reading->plan;
    const struct proof proof = proof_make(plan, run);
    for (uint32_t batch = 0; batch < plan->problem.batches; batch++)
        check_batch(reading, run, &proof, batch * plan->problem.m, d);
    proof_free(&proof);
}

/* ---- Value runs ---- */

/* Returns the element of A or B that D should hold in value run `index`. */
static uint64_t selected_element(const struct gemm_reading *reading,
                                 const struct selection_of_k *selection, size_t index, uint32_t row,
                                 uint32_t col) {
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *of = &problem->operand[index];
    const uint32_t k = gemm_selected_k(selection, row, col);
    const size_t address = index == PROBE_A
                               ? memory_index(of, gemm_line(problem, PROBE_A, row, col), k)
                               : memory_index(of, k, gemm_line(problem, PROBE_B, row, col));
    return gemm_random_element(of->type, address);
}

/* True if D is correct for a value: equal to it or, if D or the accumulator cannot represent it,
 * one of the two nearest numbers. */
static bool is_near(const struct problem *problem, double value, double is) {
    const enum mapping_type holds[] = {problem->operand[PROBE_D].type, problem->accumulator};
    uint64_t bits;
    if (is == value || !isfinite(value))
        return is == value || isnan(is) == isnan(value);
    for (size_t h = 0; h < 2; h++) {
        double low, high;
        if (number_find(holds[h], value, &bits) || !number_is_float(holds[h]))
            continue;
        number_around(holds[h], fabs(value), &low, &high);
        if ((fabs(is) == low || fabs(is) == high || (isinf(high) && !isnan(is))) &&
            (signbit(is) != 0) == (signbit(value) != 0))
            return true;
    }
    return false;
}

static void check_values(struct gemm_reading *reading, size_t index, const void *d) {
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *of = &problem->operand[PROBE_D];
    const struct selection_of_k selection = gemm_select(reading->plan, 20, false);
    bool is_wrong = false;
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const uint64_t element = selected_element(reading, &selection, index, row, col);
            const double value =
                problem->alpha * number_value(problem->operand[index].type, element);
            if (is_near(problem, value, d_at(reading, d, row, col)))
                continue;
            reading->wrong[(size_t)row * problem->n + col] |= WRONG_VALUE;
            is_wrong = true;
        }
    if (is_wrong) {
        const size_t size = number_bytes(of->type, memory_elements(of));
        reading->values_run[index] = memcpy(memory_get(size, 1), d, size);
    }
}

/* ---- All runs ---- */

/* Finds the elements of D that differ from those of run 0, which has the same inputs. */
static void compare_runs(struct gemm_reading *reading, const void *d) {
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *of = &problem->operand[PROBE_D];
    const unsigned bits = number_bits(of->type);
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t at = memory_index(of, row, col);
            if (number_get(d, bits, at) == number_get(reading->first, bits, at))
                continue;
            gemm_note(problem, &reading->differing, row, col);
            extend(&reading->where_differing, problem, row, col);
        }
}

/* Finds the elements of D that depend on the memory that holds canaries in this run. */
static void check_canaries(struct gemm_reading *reading, size_t index, const void *d) {
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *of = &problem->operand[PROBE_D];
    const unsigned bits = number_bits(of->type);
    struct outside outside;
    if (!gemm_outside(reading->plan, index, &outside))
        return;
    const bool has_nan = gemm_has_nan(problem->operand[outside.role].type);
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t at = memory_index(of, row, col);
            if (has_nan ? isnan(d_at(reading, d, row, col))
                        : number_get(d, bits, at) != number_get(reading->first, bits, at))
                reading->outside[(size_t)row * problem->n + col] |= (unsigned char)(1U << index);
        }
}

/* True if an element is NaN in every run with canaries, wherever they are, and so probably for
 * another reason: it is also NaN in a value run, which has no canaries, or sums overflow. */
static bool is_nan_anyway(const struct gemm_reading *reading, uint32_t row, uint32_t col) {
    const struct problem *problem = &reading->plan->problem;
    bool is_nan = reading->has_overflow;
    struct outside outside;
    size_t count = 0;
    for (; gemm_outside(reading->plan, count, &outside); count++)
        if (!gemm_has_nan(problem->operand[outside.role].type))
            return false;
    if (reading->outside[(size_t)row * problem->n + col] != (1U << count) - 1 || count < 2)
        return false;
    for (size_t index = 0; index < 2; index++)
        is_nan |= reading->values_run[index] &&
                  isnan(d_at(reading, reading->values_run[index], row, col));
    return is_nan;
}

/* Adds findings about reads from outside of A, B and C. Returns the largest number of wrong
 * elements of D that one of them explains. */
static uint64_t find_outside(const struct gemm_reading *reading, struct findings *findings) {
    const struct problem *problem = &reading->plan->problem;
    struct outside outside;
    uint64_t most = 0;
    for (size_t n = 0; gemm_outside(reading->plan, n, &outside); n++) {
        struct finding finding = {.name = "read outside"};
        struct printer text = {.text = NULL};
        for (uint32_t row = 0; row < gemm_rows(problem); row++)
            for (uint32_t col = 0; col < problem->n; col++)
                if (reading->outside[(size_t)row * problem->n + col] >> n & 1 &&
                    !is_nan_anyway(reading, row, col))
                    gemm_note(problem, &finding, row, col);
        const bool is_row = outside.is_guard != problem->operand[outside.role].is_column_major;
        print_text(&text, "the kernel reads ");
        print_beyond(&text, problem, outside.role, is_row, !is_row);
        finding.text = printer_string(&text);
        finding.is_explained = true;
        findings_add(findings, &finding);
        most = finding.count > most ? finding.count : most;
    }
    return most;
}

static void take_scales(struct gemm_reading *reading, size_t index, const void *d) {
    uint32_t at[2];
    if (!reading->scaled)
        reading->scaled = scaled_begin(reading->plan);
    for (size_t n = 0; scaled_sample(reading->scaled, n, at); n++)
        scaled_take(reading->scaled, index, n,
                    d_at(reading, d, at[0], at[1]) / reading->plan->problem.alpha);
}

static bool take(void *state, size_t run, const void *d, bool is_changed) {
    struct gemm_reading *reading = state;
    const struct plan *plan = reading->plan;
    const struct problem *problem = &plan->problem;
    const struct operand_memory *of = &problem->operand[PROBE_D];
    const size_t size = number_bytes(of->type, memory_elements(of));
    size_t index;
    const bool is_focused = plan_stage(plan, run, &index)->is_focused;
    const enum gemm_stage stage = gemm_stage(plan, run, &index);
    if (stage == GEMM_PROOF && run == 0)
        reading->first = memcpy(memory_get(size, 1), d, size);
    if (stage == GEMM_PROOF)
        check_proof(reading, run, d);
    if (stage == GEMM_REPEAT)
        compare_runs(reading, d);
    if (stage == GEMM_VALUES)
        check_values(reading, index, d);
    if (stage == GEMM_CANARIES)
        check_canaries(reading, index, d);
    if (stage < GEMM_COUNT)
        return is_changed;
    reading->was_located |= is_changed;
    if (stage == GEMM_PLAIN)
        reading->plain = memcpy(memory_get(size, 1), d, size);
    if (stage == GEMM_SCALES)
        take_scales(reading, index, d);
    if (stage >= GEMM_PLAIN)
        return is_changed;
    struct terms **terms = &reading->terms[is_focused];
    if (!*terms)
        *terms = terms_begin(plan, is_focused);
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++)
            terms_take(*terms, stage, index, (size_t)row * problem->n + col,
                       d_at(reading, d, row, col) / problem->alpha);
    /* D can be 0, like the poison, if no term is of the focus. */
    return is_changed || (is_focused && reading->was_located);
}

/* ---- Findings ---- */

static bool is_never_written(const struct gemm_reading *reading, size_t element) {
    return reading->written->poison[element] == reading->plan->proof_runs;
}

/* Adds a finding about all elements with a flag; if `flag` is 0, about those that were never
 * written. */
static void find_flagged(const struct gemm_reading *reading, unsigned flag, const char *name,
                         const char *text, struct findings *findings) {
    const struct problem *problem = &reading->plan->problem;
    struct finding finding = {
        .name = name, .text = memory_text(text), .is_explained = flag >= HAS_OLD};
    uint32_t last = 0;
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t e = (size_t)row * problem->n + col;
            const bool is_never = is_never_written(reading, e);
            if (flag == 0 ? is_never : (reading->wrong[e] & flag) != 0)
                gemm_note(problem, &finding, row, col);
            if (flag == 0 && is_never)
                last = row / problem->m;
        }
    if (finding.count == 0)
        return;
    const uint64_t elements = (uint64_t)problem->m * problem->n, batches = finding.count / elements;
    if (flag == 0 && problem->batches > 1 && finding.count == batches * elements && batches > 0 &&
        last - finding.place[0][2] + 1 == batches) { /* whole batches are unwritten */
        struct printer whole = {.text = NULL};
        print(&whole, "D of batch%s %u", batches > 1 ? "es" : "", finding.place[0][2]);
        if (batches > 1)
            print(&whole, " to %u", last);
        print_text(&whole, " is never written");
        finding.text = printer_string(&whole);
    }
    findings_add(findings, &finding);
}

static double first_value(const void *context, uint32_t row, uint32_t col) {
    const struct gemm_reading *reading = context;
    return product_at(reading, reading->first, 0, row, col);
}

/* True if D of proof run 0, without scale factors, agrees with a value of A B. D is rounded; on
 * overflow, it can be infinity, NaN or the largest number of e4m3, 0x7e. If `product` is NaN, D
 * must be infinite or NaN. */
static bool plain_agrees(const void *context, uint32_t row, uint32_t col, double product) {
    const struct gemm_reading *reading = context;
    const struct plan *plan = reading->plan;
    const enum mapping_type type = plan->problem.operand[PROBE_D].type;
    const uint32_t index = plan->problem.bias == BIAS_OF_ROW ? row % plan->problem.m : col;
    const void *d = reading->plain ? reading->plain : reading->first;
    const double is = d_at(reading, d, row, col);
    if (is_never_written(reading, (size_t)row * plan->problem.n + col))
        return true;
    if (isnan(product))
        return !isfinite(is);
    if (product_at(reading, d, 0, row, col) == product)
        return true;
    const double sum = plan->problem.alpha * (product * reading->unit + gemm_c(plan, 0, row, col) +
                                              gemm_bias(plan, 0, index));
    if (number_is_float(type)) {
        const double rounded = number_rounded(type, sum);
        return is == rounded || (isinf(rounded) && (isnan(is) || is == number_value(type, 0x7e)));
    }
    return type == MAPPING_S8 && is == (sum > 127 ? 127 : -128) && fabs(sum) > 127;
}

/* Explains why the value run of A or B is wrong: elements are read as another type, or lose their
 * sign, bits, or small values. Adds a finding and returns true if one of these explains all
 * elements. If `is_last`, adds a finding without an explanation, too. */
static bool find_values(const struct gemm_reading *reading, size_t index, bool is_last,
                        struct findings *findings) {
    static const enum mapping_type others[] = {MAPPING_F16,  MAPPING_BF16, MAPPING_E4M3,
                                               MAPPING_E5M2, MAPPING_S8,   MAPPING_U8,
                                               MAPPING_S4,   MAPPING_U4,   MAPPING_E2M1};
    enum { OTHERS = sizeof others / sizeof *others, PAIRS = 2 * OTHERS, BITS = 52 };
    const struct problem *problem = &reading->plan->problem;
    const enum mapping_type type = problem->operand[index].type;
    const struct selection_of_k selection = gemm_select(reading->plan, 20, false);
    const char *role = probe_role_name((enum probe_role)index);
    struct finding finding = {.name = "values"};
    struct printer text = {.text = NULL};
    bool is_other[PAIRS], is_absolute = true, is_flushed = true, is_cut[BITS];
    bool has_other = true, has_cut = true; /* some of is_other, or of is_cut, are true */
    double flushed = 0, kept = INFINITY, one[PAIRS];
    uint64_t numbers = 0, code;
    /* The selected elements of the other operand are 1. The kernel may read them as another type,
     * too, or exchange both types. */
    const enum mapping_type with = problem->operand[1 - index].type;
    number_find(with, 1, &code);
    for (size_t o = 0; o < OTHERS; o++) {
        const enum mapping_type read_as = with == others[o] ? type : others[o];
        one[o] = 1;
        one[OTHERS + o] =
            number_bits(read_as) == number_bits(with) ? number_value(read_as, code) : 0;
    }
    memset(is_other, true, sizeof is_other);
    memset(is_cut, true, sizeof is_cut);
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            if (is_never_written(reading, (size_t)row * problem->n + col))
                continue;
            const uint64_t element = selected_element(reading, &selection, index, row, col);
            const double value = problem->alpha * number_value(type, element);
            const double is = d_at(reading, reading->values_run[index], row, col);
            if (!is_near(problem, value, is))
                gemm_note(problem, &finding, row, col);
            numbers += isnan(is) ? 0 : 1;
            has_other = has_other && memchr(is_other, 1, sizeof is_other);
            has_cut = has_cut && memchr(is_cut, 1, BITS);
            for (size_t o = 0; o < PAIRS && has_other; o++) { /* NaN agrees with every type: an
                                                    infinite element times 0 is NaN */
                const enum mapping_type other = others[o % OTHERS];
                is_other[o] =
                    is_other[o] && number_bits(other) == number_bits(type) && one[o] != 0 &&
                    (isnan(is) ||
                     is_near(problem, problem->alpha * number_value(other, element) * one[o], is));
            }
            is_absolute = is_absolute && is_near(problem, fabs(value), is);
            if (is == 0)
                flushed = fabs(value) > flushed ? fabs(value) : flushed;
            else
                kept = fabs(value) < kept ? fabs(value) : kept;
            is_flushed &= flushed < kept && (is == 0 || is_near(problem, value, is));
            double cut = NAN;
            for (int bits = 0; bits < BITS && has_cut && (cut != value || is != value); bits++) {
                cut = cut == value ? value : number_cut(value, bits);
                is_cut[bits] = is_cut[bits] && cut == is;
            }
            if (!is_last && !is_absolute && !is_flushed && !memchr(is_cut, 1, BITS) &&
                !memchr(is_other, 1, sizeof is_other))
                return false;
        }
    int bits = 0;
    is_flushed &= flushed < kept && isfinite(kept);
    while (bits < BITS && !is_cut[bits])
        bits++;
    size_t other = 0;
    while (other < PAIRS && (!is_other[other] || numbers < 16))
        other++;
    finding.is_explained = other < PAIRS || is_absolute || bits < BITS || is_flushed;
    if (finding.count == 0 || (!finding.is_explained && !is_last))
        return false;
    if (other < PAIRS)
        print(&text, "elements of %s are read as %s", role,
              mapping_type_name(others[other % OTHERS]));
    else if (is_absolute)
        print(&text, "elements of %s lose their sign", role);
    else if (bits < BITS)
        print(&text, "elements of %s keep only %d bits behind the point", role, bits);
    else if (is_flushed)
        print(&text, "small elements of %s count as 0", role);
    else {
        const uint32_t *at = finding.place[0];
        print(&text, "elements of %s are changed: %.9g becomes %.9g", role,
              number_value(type, selected_element(reading, &selection, index, at[0], at[1])),
              d_at(reading, reading->values_run[index], at[0], at[1]));
    }
    finding.text = printer_string(&text);
    findings_add(findings, &finding);
    return finding.is_explained;
}

/* Adds a finding with the range of rows and columns that has all wrong elements. If the locating
 * runs show no wrong term, only the sums can be wrong. */
static void find_where(const struct gemm_reading *reading, struct findings *findings) {
    enum { FEWEST = 16 };
    const struct problem *problem = &reading->plan->problem;
    struct finding finding = {.name = "wrong"};
    struct extent extent = {.has_any = false};
    struct printer text = {.text = NULL};
    bool are_f16 = number_bits(problem->operand[PROBE_D].type) > 16;
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++)
            if ((reading->wrong[(size_t)row * problem->n + col] & WRONG) != 0) {
                const double d = d_at(reading, reading->first, row, col);
                are_f16 = are_f16 && (isnan(d) || d == number_rounded(MAPPING_F16, d));
                extend(&extent, problem, row, col);
                gemm_note(problem, &finding, row, col);
            }
    if (finding.count == 0)
        return;
    print_text(&text, "D is not A B in ");
    print_extent(&text, problem, &extent);
    if (reading->is_bound)
        print_text(&text, " (some elements there may be right)");
    if (reading->was_located)
        print_text(&text, are_f16 && finding.count >= FEWEST
                              ? ". Each term is right by itself, and D has only numbers of f16: as "
                                "if sums were rounded to f16"
                              : ". Each term is right by itself, so sums are rounded or overflow, "
                                "or the mistake depends on the run");
    finding.text = printer_string(&text);
    findings_add(findings, &finding);
}

/* Adds the finding that two runs with the same inputs differ. */
static void find_differing(struct gemm_reading *reading, struct findings *findings) {
    struct printer text = {.text = NULL};
    print_text(&text, "two runs with the same A and B have a different D in ");
    print_extent(&text, &reading->plan->problem, &reading->where_differing);
    print_text(&text, ": a race, or a read of uninitialized memory");
    reading->differing.name = "two runs differ";
    reading->differing.text = printer_string(&text);
    findings_add(findings, &reading->differing);
}

static void end(void *state, struct findings *findings) {
    struct gemm_reading *reading = state;
    const struct plan *plan = reading->plan;
    const size_t total = (size_t)gemm_rows(&plan->problem) * plan->problem.n;
    uint64_t sums = 0, old = 0, old_for_c = 0, nan = 0;
    for (size_t e = 0; e < total; e++) {
        const bool is_never = is_never_written(reading, e);
        findings->wrong += reading->wrong[e] != 0 || is_never;
        if (is_never)
            reading->wrong[e] = 0; /* it has a finding of its own */
        sums += (reading->wrong[e] & WRONG) != 0;
        old += (reading->wrong[e] & HAS_OLD) != 0;
        old_for_c += (reading->wrong[e] & OLD_FOR_C) != 0;
        nan += (reading->wrong[e] & IS_NAN) != 0;
        for (size_t n = 0; n < 2 && is_never; n++)
            if (reading->terms[n])
                terms_ignore(reading->terms[n], e);
    }
    find_flagged(reading, 0, "never written", "D is never written", findings);
    findings_add(findings, &reading->written->outside);
    if (reading->differing.count > 0) { /* so other findings may be due to chance */
        find_differing(reading, findings);
        return;
    }
    if (old > 0 && old == sums) {
        find_flagged(reading, HAS_OLD, "old D added",
                     "D is A B and what D held before: the accumulator does not start at 0",
                     findings);
        return;
    }
    if (old_for_c > 0 && old_for_c == sums) {
        find_flagged(reading, OLD_FOR_C, "C",
                     "what D held before is added instead of C: the kernel reads C from D",
                     findings);
        return;
    }
    const uint64_t outside = find_outside(reading, findings);
    const bool has_scales = reading->was_located && reading->scaled && sums > 0;
    if (has_scales &&
        scaled_end(reading->scaled, false, first_value, reading, reading->wrong, findings))
        return;
    if (outside < nan)
        find_flagged(reading, IS_NAN, "NaN in D",
                     reading->has_overflow
                         ? "D is NaN or infinite: sums overflow, as in an accumulator of f16, or "
                           "the kernel reads uninitialized memory"
                     : problem_is_scaled(&plan->problem)
                         ? "D is NaN: the kernel reads outside of A or B, the padding of their "
                           "scale factors, or uninitialized memory"
                         : "D is NaN: the kernel reads outside of A or B, or uninitialized memory",
                     findings);
    bool is_explained = false;
    /* the locating runs may show other scale factors, or reads outside of A, B and C */
    const bool may_be_other =
        !reading->was_located && (problem_is_scaled(&plan->problem) || nan > 0);
    if (sums > 0 && !may_be_other && sums_explain(plan, reading->first, reading->wrong, findings))
        return;
    for (size_t index = 0; index < 2; index++)
        if (reading->values_run[index])
            is_explained |= find_values(reading, index, sums == 0, findings);
    if (sums == 0 || is_explained)
        return;
    const size_t count = findings->count;
    for (unsigned is_all = 0; reading->was_located && is_all < 2; is_all++) {
        const struct terms *terms = reading->terms[!is_all];
        if (!terms || !terms_end(terms, plain_agrees, reading, reading->wrong, findings))
            continue;
        if (findings->item[count].is_explained)
            return;
        if (!is_all || outside >= sums) /* only the reads outside, or the terms of the focus, are
                                           wrong */
            findings->count = count;
        if (is_all)
            return;
    }
    if (has_scales &&
        scaled_end(reading->scaled, true, first_value, reading, reading->wrong, findings))
        return;
    if (outside < sums && (nan < sums || !reading->was_located))
        find_where(reading, findings);
    findings->needs_locating = !reading->was_located;
    if (findings->needs_locating)
        findings->focus = energies_end(&reading->energies, plan->problem.k, &findings->focus_count);
}

const struct computation gemm_computation = {.plan = gemm_plan,
                                             .fill = gemm_fill,
                                             .poison = gemm_poison,
                                             .begin = begin,
                                             .take = take,
                                             .end = end};
