/* gemm_sums.c - explains a wrong matrix product by wrong numbers: a wrong factor of A B, C or the
 * bias, a constant that is added, C or the bias at a wrong index, a change such as a lost sign, or
 * an accumulator that is not set to 0 between tiles; see gemm.h. */
#include "probe/fit.h"
#include "probe/gemm.h"

#include <math.h>
#include <string.h>

/* An element of D in proof run 0 that is wrong in a proof run, and what a right kernel adds up
 * there: A B, C and the bias, without alpha and beta. The last entry of `of` is D. */
enum { OF_PRODUCT, OF_C, OF_BIAS, PARTS, OF_D = FIT_INPUTS };
struct sum {
    uint32_t row, col;
    double of[FIT_INPUTS + 1];
};
struct sums {
    const struct plan *plan;
    const void *d;
    const unsigned char *wrong;
    struct number_reader reader; /* of D */
    struct sum *sum;
    size_t count;
};

/* Returns the sum of an element of D, given the product of A and B. */
static struct sum sum_of(const struct sums *sums, uint32_t row, uint32_t col, double product) {
    const struct problem *problem = &sums->plan->problem;
    const double to_c = problem->beta != 0 ? problem->alpha / problem->beta : 0;
    const uint32_t at = problem->bias == BIAS_OF_ROW ? row % problem->m : col;
    const size_t in_memory = memory_index(&problem->operand[PROBE_D], row, col);
    return (struct sum){row,
                        col,
                        {[OF_PRODUCT] = product,
                         [OF_C] = to_c * gemm_c(sums->plan, 0, row, col),
                         [OF_BIAS] = problem->alpha * gemm_bias(sums->plan, 0, at),
                         [OF_D] = number_read(&sums->reader, sums->d, in_memory)}};
}

/* Sets the sums of all wrong elements of D. If there are too many, chooses some at random. */
static void choose_sums(struct sums *sums) {
    enum { DOTS_MAX = 1 << 24, ROOM = 1 << 16 };
    const struct plan *plan = sums->plan;
    const struct problem *problem = &plan->problem;
    const uint64_t total = (uint64_t)gemm_rows(problem) * problem->n;
    const double unit =
        gemm_unit(problem->operand[PROBE_A].type) * gemm_unit(problem->operand[PROBE_B].type);
    uint64_t wrong = 0;
    int16_t *integers[2];
    for (enum probe_role r = PROBE_A; r <= PROBE_B; r++) {
        integers[r] = memory_get((size_t)gemm_lines(problem, r) * problem->k, sizeof(int16_t));
        gemm_integers(plan, 0, r, integers[r]);
    }
    for (uint64_t e = 0; e < total; e++)
        wrong += (sums->wrong[e] & WRONG) != 0;
    const uint64_t step = wrong * problem->k / DOTS_MAX + wrong / (ROOM / 2) + 1;
    sums->sum = memory_get(wrong < ROOM ? wrong + 1 : ROOM, sizeof *sums->sum);
    for (uint64_t e = 0; e < total && sums->count < ROOM; e++) {
        const uint32_t row = (uint32_t)(e / problem->n), col = (uint32_t)(e % problem->n);
        if ((sums->wrong[e] & WRONG) == 0 || (step > 1 && number_hash(31, e) % step != 0))
            continue;
        const size_t a = gemm_line(problem, PROBE_A, row, col),
                     b = gemm_line(problem, PROBE_B, row, col);
        const int64_t product =
            gemm_dot(integers[0] + a * problem->k, integers[1] + b * problem->k, problem->k);
        sums->sum[sums->count++] = sum_of(sums, row, col, (double)product * unit);
    }
    for (unsigned o = 0; o < 2; o++)
        mapping_free(integers[o]);
}

/* Adds a finding about all wrong elements of D. */
static void find_wrong(const struct sums *sums, const char *name, char *text,
                       struct findings *findings) {
    const struct problem *problem = &sums->plan->problem;
    struct finding finding = {.name = name, .text = text, .is_explained = true};
    for (uint32_t row = 0; row < gemm_rows(problem); row++)
        for (uint32_t col = 0; col < problem->n; col++)
            if ((sums->wrong[(size_t)row * problem->n + col] & WRONG) != 0)
                gemm_note(problem, &finding, row, col);
    findings_add(findings, &finding);
}

/* Finds a change that explains all sums. Adds its finding and returns true if there is one. */
static bool find_change(const struct sums *sums, struct findings *findings) {
    static const struct {
        const char *name, *text;
    } changes[] = {
        {"negative values", "negative elements of D are 0"},
        {"negative values", "negative elements of A B count as 0"},
        {"sign", "D is the absolute value of A B"},
        {"precision", "D is rounded to f16"},
        {"precision", "D is rounded to bf16"},
        {"C", "C is read transposed"},
        {"bias", "the bias is added along the other axis"},
    };
    enum { CHANGES = sizeof changes / sizeof *changes };
    const struct plan *plan = sums->plan;
    const struct problem *problem = &plan->problem;
    const enum mapping_type type = problem->operand[PROBE_D].type;
    const double alpha = problem->alpha;
    bool fits[CHANGES], has_any = true;
    size_t unlike = 0;
    memset(fits, true, sizeof fits);
    for (size_t n = 0; n < sums->count && has_any; n++) {
        const struct sum *sum = &sums->sum[n];
        const uint32_t in = sum->row % problem->m; /* row in its batch */
        const double product = alpha * sum->of[OF_PRODUCT], c = problem->beta * sum->of[OF_C];
        const double bias = sum->of[OF_BIAS], all = product + c + bias, d = sum->of[OF_D];
        const double other_c = alpha * gemm_c(plan, 0, sum->row - in + sum->col, in);
        const double other_bias =
            alpha * gemm_bias(plan, 0, problem->bias == BIAS_OF_ROW ? sum->col : in);
        const double of[CHANGES] = {all > 0 ? all : 0,
                                    c + bias + (sum->of[OF_PRODUCT] > 0 ? product : 0),
                                    fabs(all),
                                    number_rounded(MAPPING_F16, all),
                                    number_rounded(MAPPING_BF16, all),
                                    product + other_c + bias,
                                    product + c + other_bias};
        has_any = false;
        unlike += !number_is_rounded(type, d, all);
        for (size_t change = 0; change < CHANGES; change++) {
            fits[change] = fits[change] && number_is_rounded(type, d, of[change]);
            has_any |= fits[change];
        }
    }
    size_t change = 0;
    while (change < CHANGES && !fits[change])
        change++;
    if (!has_any || unlike == 0)
        return false;
    find_wrong(sums, changes[change].name, memory_text(changes[change].text), findings);
    return true;
}

/* Describes a factor of A B, C or the bias that should be `right`. */
static void print_factor(struct printer *to, const struct problem *problem, unsigned part,
                         double is, double right) {
    static const char *const names[PARTS] = {"A B", "C", "the bias"};
    const double times = is / right;
    print(to, "%s%s ", to->size > 0 ? "; " : "", names[part]);
    if (is == 0)
        print_text(to, "is not added");
    else if (is == 1)
        print(to, "is not multiplied by %s", part == OF_PRODUCT ? "alpha" : "beta");
    else if (times == -1)
        print_text(to, "is subtracted instead of added");
    else if (part != OF_PRODUCT && times == 2)
        print_text(to, "is added twice");
    else
        print(to, "is multiplied by %g instead of %g", is, right);
    const char *reason = is == 1                   ? NULL
                         : times != problem->alpha ? NULL
                         : part == OF_PRODUCT      ? "alpha is applied twice"
                                                   : "alpha is applied to it, too";
    if (part == OF_C && times == problem->beta)
        reason = "beta is applied twice";
    if (reason)
        print(to, ": %s", reason);
    if (part == OF_PRODUCT && times > 1 && number_is_whole(times))
        print(to, times == 2 ? "%s each term is added twice" : "%s each term is added %g times",
              reason ? ", or" : ":", times);
}

/* Finds wrong factors of A B, C and the bias, and a constant that is added: solves for them, and
 * compares the sums with D. Adds a finding and returns true if they explain all sums. */
static bool find_factors(const struct sums *sums, struct findings *findings) {
    enum { FEWEST = 16, USED = 256, PARTS_OF_1 = 64 };
    const struct problem *problem = &sums->plan->problem;
    const enum mapping_type type = problem->operand[PROBE_D].type;
    const double right[PARTS] = {problem->alpha, problem->beta, problem->bias != NO_BIAS};
    const char *names[] = {"scaled", "C", "bias", "constant"};
    const char *name = NULL;
    double numbers[USED][FIT_INPUTS + 1], factor[FIT_INPUTS], mean[FIT_INPUTS + 1];
    const size_t used = sums->count < USED ? sums->count : USED;
    struct printer text = {.text = NULL};
    size_t unlike = 0;
    if (used < FEWEST)
        return false;
    for (size_t n = 0; n < used; n++) /* from everywhere */
        memcpy(numbers[n], sums->sum[n * sums->count / used].of, sizeof numbers[n]);
    fit_line((const double(*)[FIT_INPUTS + 1]) numbers, used, factor, mean);
    double constant = mean[OF_D];
    for (unsigned part = 0; part <= PARTS; part++) {
        double *is = part < PARTS ? &factor[part] : &constant;
        if (!(fabs(*is) < 1e9))
            return false;
        *is = (double)(int64_t)(*is * PARTS_OF_1 + (*is < 0 ? -0.5 : 0.5)) / PARTS_OF_1;
        for (unsigned p = 0; p < PARTS && part + 1 == PARTS; p++)
            constant -= factor[p] * mean[p];
    }
    for (size_t n = 0; n < sums->count; n++) {
        const double *of = sums->sum[n].of;
        double is = constant, all = 0;
        for (unsigned part = 0; part < PARTS; part++) {
            is += factor[part] * of[part];
            all += right[part] * of[part];
        }
        unlike += !number_is_rounded(type, of[OF_D], all);
        if (!number_is_rounded(type, of[OF_D], is))
            return false;
    }
    if (factor[OF_PRODUCT] == 1 || factor[OF_PRODUCT] == -right[OF_PRODUCT])
        names[OF_PRODUCT] = factor[OF_PRODUCT] == 1 ? "alpha" : "sign";
    for (unsigned part = 0; part < PARTS; part++)
        if (factor[part] != right[part]) {
            print_factor(&text, problem, part, factor[part], right[part]);
            name = name ? "factors" : names[part];
        }
    if (constant != 0) {
        print(&text, "%s%g is added to each element", text.size > 0 ? "; " : "", constant);
        name = name ? "factors" : names[PARTS];
    }
    const bool is_0 = constant == 0 && factor[0] == 0 && factor[1] == 0 && factor[2] == 0;
    if (!name || unlike == 0)
        return false;
    find_wrong(sums, is_0 ? "zero" : name, is_0 ? memory_text("D is 0") : printer_string(&text),
               findings);
    return true;
}

/* Returns A B as D shows it: without C and the bias, and divided by alpha. */
static double product_of(const struct problem *problem, const struct sum *sum) {
    return (sum->of[OF_D] - problem->beta * sum->of[OF_C] - sum->of[OF_BIAS]) / problem->alpha;
}

/* Finds an accumulator that is not set to 0 between tiles: D is A B plus the D that is `shift`
 * columns or rows before. For example, with tiles of 64 columns, D(3, 70) also has the sum of D(3,
 * 6). Adds a finding and returns true if all sums that are at least `shift` columns or rows from
 * the start are such, and these are at least half of them. */
static bool find_kept(const struct sums *sums, struct findings *findings) {
    enum { TILE = 8, FEWEST = 16 };
    const struct problem *problem = &sums->plan->problem;
    const uint32_t sizes[] = {problem->m, problem->n};
    if (problem->batches > 1)
        return false;
    for (unsigned axis = 2; axis-- > 0;)
        for (uint32_t shift = TILE; shift < sizes[axis]; shift += TILE) {
            size_t behind = 0;
            bool is_kept = true;
            for (size_t n = 0; n < sums->count && is_kept; n++) {
                const struct sum *sum = &sums->sum[n];
                uint32_t before[] = {sum->row, sum->col};
                if (before[axis] < shift)
                    continue;
                before[axis] -= shift;
                behind++;
                const struct sum other = sum_of(sums, before[0], before[1], 0);
                is_kept =
                    product_of(problem, sum) == sum->of[OF_PRODUCT] + product_of(problem, &other);
            }
            if (!is_kept || behind < FEWEST || 2 * behind < sums->count)
                continue;
            struct printer text = {.text = NULL};
            print(&text, axis == 0 ? "D(row - %u, col)" : "D(row, col - %u)", shift);
            print(
                &text,
                " is added to D(row, col) where %s >= %u: the accumulator is not set to 0 for each "
                "tile",
                axis == 0 ? "row" : "col", shift);
            find_wrong(sums, "accumulator kept", printer_string(&text), findings);
            return true;
        }
    return false;
}

/* A wrong index of C or the bias, such as col % 16. Kind 0 is the right index. */
enum { INDEX_KINDS = 7 };
struct index {
    unsigned kind;
    uint32_t by;
};

/* Returns what a kernel with this mistake uses instead of `at`; UINT32_MAX if it is negative. */
static uint32_t index_value(const struct index *index, uint32_t at) {
    const uint32_t by = index->by;
    const uint32_t values[INDEX_KINDS] = {
        at, at % by, at / by, at / by * by, at ^ by, at + by, at < by ? UINT32_MAX : at - by};
    return values[index->kind];
}

/* Sets an index to the next one for an axis of this size. Begins with the right one. False after
 * the last one. */
static bool index_next(struct index *index, uint32_t size) {
    if (index->kind > 0 && index->by * 2 < size)
        index->by *= 2;
    else
        *index = (struct index){index->kind + 1, 1};
    return index->kind < INDEX_KINDS && size > 1;
}

static void index_print(struct printer *to, const struct index *index, const char *axis) {
    print(to, index->kind == 0 ? "%s" : "%s %c %u", axis, " %//^+-"[index->kind], index -> by);
    if (index->kind == 3)
        print(to, " * %u", index->by);
}

/* Sets *added to C or the bias at these indices, times its factor and divided by alpha. False if
 * they are beyond C or the bias. */
static bool index_added(const struct plan *plan, unsigned part, const struct index index[2],
                        uint32_t row, uint32_t col, double *added) {
    const struct problem *problem = &plan->problem;
    const uint32_t in = row % problem->m;
    const uint32_t other[2] = {index_value(&index[0], in), index_value(&index[1], col)};
    if (other[0] >= problem->m || other[1] >= problem->n)
        return false;
    *added = part == OF_C ? gemm_c(plan, 0, row - in + other[0], other[1])
                          : gemm_bias(plan, 0, problem->bias == BIAS_OF_ROW ? other[0] : other[1]);
    return true;
}

/* True if the kernel may have added C, or the bias, at these indices: D is as if it had, or they
 * are beyond C or the bias. The latter is so for at most half of the sums. */
static bool index_explains(const struct sums *sums, unsigned part, const struct index index[2]) {
    static const struct index right[2] = {{0, 1}, {0, 1}};
    const struct plan *plan = sums->plan;
    const struct problem *problem = &plan->problem;
    const enum mapping_type type = problem->operand[PROBE_D].type;
    const uint64_t total = (uint64_t)gemm_rows(problem) * problem->n, step = total / 4096 + 1;
    size_t beyond = 0, unlike = 0;
    double is, own;
    for (size_t n = 0; n < sums->count; n++) {
        const struct sum *sum = &sums->sum[n];
        index_added(plan, part, right, sum->row, sum->col, &own);
        if (!index_added(plan, part, index, sum->row, sum->col, &is)) {
            beyond++;
            continue;
        }
        unlike += is != own;
        if (!number_is_rounded(type, sum->of[OF_D],
                               problem->alpha * (sum->of[OF_PRODUCT] + is - own) +
                                   problem->beta * sum->of[OF_C] + sum->of[OF_BIAS]))
            return false;
    }
    for (uint64_t e = 0; e < total; e += step) { /* the elements that are right */
        const uint32_t row = (uint32_t)(e / problem->n), col = (uint32_t)(e % problem->n);
        if (sums->wrong[e] == 0 && index_added(plan, part, right, row, col, &own) &&
            index_added(plan, part, index, row, col, &is) && is != own)
            return false;
    }
    return 2 * beyond < sums->count && unlike > 0;
}

/* Finds C or a bias with wrong indices, such as col % 16. Adds a finding and returns true if these
 * explain all sums. */
static bool find_index(const struct sums *sums, unsigned part, struct findings *findings) {
    const struct problem *problem = &sums->plan->problem;
    const bool has[2] = {part == OF_C || problem->bias == BIAS_OF_ROW,
                         part == OF_C || problem->bias == BIAS_OF_COL};
    const uint32_t size[2] = {has[0] ? problem->m : 1, has[1] ? problem->n : 1};
    struct index index[2] = {{0, 1}};
    if (sums->count == 0 || (part == OF_C ? problem->beta == 0 : problem->bias == NO_BIAS))
        return false;
    do {
        index[1] = (struct index){0, 1};
        do {
            if (index[0].kind + index[1].kind == 0 || !index_explains(sums, part, index))
                continue;
            struct printer text = {.text = NULL};
            print_text(&text, part == OF_C ? "C(" : "the bias at ");
            if (has[0])
                index_print(&text, &index[0], "row");
            print_text(&text, part == OF_C ? ", " : "");
            if (has[1])
                index_print(&text, &index[1], "col");
            print_text(&text, part == OF_C ? ") is added instead of C(row, col)"
                              : has[0]     ? " is added instead of that at row"
                                           : " is added instead of that at col");
            find_wrong(sums, part == OF_C ? "C" : "bias", printer_string(&text), findings);
            return true;
        } while (index_next(&index[1], size[1]));
    } while (index_next(&index[0], size[0]));
    return false;
}

bool sums_explain(const struct plan *plan, const void *d, const unsigned char *wrong,
                  struct findings *findings) {
    struct sums sums = {plan, d, wrong, number_reader(plan->problem.operand[PROBE_D].type),
                        NULL, 0};
    choose_sums(&sums);
    const bool is_found = find_change(&sums, findings) || find_factors(&sums, findings) ||
                          (!problem_is_scaled(&plan->problem) &&
                           (find_index(&sums, OF_C, findings) ||
                            find_index(&sums, OF_BIAS, findings) || find_kept(&sums, findings)));
    mapping_free(sums.sum);
    return is_found;
}
