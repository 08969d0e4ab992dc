/* factored.c - formulae of addresses as people write them: sums of products with common factors
 * taken out, and with an exclusive or only where bits overlap:
 *
 *     ((tid & 7) << 4) ^ ((tid & 15) << 7) ^ (tid & 16)      is, for 32 threads,
 *     tid % 16 * 128 + (tid / 16 ^ tid % 8) * 16
 *
 * A run is a range of adjacent bits of an axis in which each bit counts twice as much as the bit
 * below: tid % 16 * 128. If each bit contributes independently, by addition or by exclusive or, the
 * function is written with the fewest runs that are found. If both operations work, both are tried.
 */
#include "layout/expr.h"
#include "layout/formula.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "system/arena.h"

#include <string.h>

enum {
    BITS_OF_AXIS = 32,
    RUNS_MAX = 64,
    TRIES_MAX = 4096 /* limits the search for the fewest runs */
};

struct run {
    uint32_t axis, lowest, length; /* bits lowest to lowest + length - 1 */
    uint32_t weight;               /* the contribution of the lowest bit */
    uint32_t group;                /* 0: added; else exclusive-ored with others of its group */
};

struct runs {
    unsigned count, operators;
    struct run run[RUNS_MAX];
};

/* A way to write the formula. */
struct sum {
    struct runs runs;
    uint32_t constant;          /* the constant that is added */
    uint32_t meeting[RUNS_MAX]; /* for each group: its bits of the constant */
    uint32_t groups;            /* groups are numbered 1 to groups */
    const struct mapping_space *from;
};

/* ---- Runs ---- */

/* True if an axis has bits above a run. */
static bool has_higher_bits(const struct mapping_space *from, const struct run *run) {
    return (uint64_t)(from->axis[run->axis].size - 1) >> (run->lowest + run->length) != 0;
}

/* The number of operators of a run: / % and *. */
static unsigned count_operators(const struct mapping_space *from, const struct run *run) {
    return (run->lowest > 0 ? 1U : 0) + (has_higher_bits(from, run) ? 1U : 0) +
           (run->weight > 1 ? 1U : 0);
}

static void add_run(struct runs *runs, const struct mapping_space *from, const struct run *run) {
    runs->operators += count_operators(from, run);
    runs->run[runs->count++] = *run;
}

/* Searches for the fewest runs whose sum is the contribution of each bit of an axis. */
struct search {
    const struct mapping_space *from;
    uint32_t axis, bits;
    unsigned tries;
    struct runs best;
};

/* The length of the longest run from a bit on. If is_exact, its bits contribute exactly the weights
 * of the run; otherwise, they may contribute other bits in addition. */
static uint32_t run_length(const struct search *search, const uint32_t *weights, uint32_t lowest,
                           uint64_t weight, bool is_exact) {
    uint32_t length = 1;
    while (lowest + length < search->bits &&
           (is_exact ? weights[lowest + length] == weight << length
                     : (weights[lowest + length] & weight << length) == weight << length))
        length++;
    return length;
}

static void search_runs(struct search *search, const uint32_t *weights, const struct runs *before) {
    uint32_t low = 0;
    while (low < search->bits && weights[low] == 0)
        low++;
    const struct runs *best = &search->best;
    if (low == search->bits) {
        if (before->count < best->count ||
            (before->count == best->count && before->operators < best->operators))
            search->best = *before;
        return;
    }
    if (before->count + 1 > best->count || before->count == RUNS_MAX ||
        search->tries++ >= TRIES_MAX)
        return;
    const uint32_t weight = weights[low];
    const uint32_t tried[] = {weight, weight & -weight,
                              UINT32_C(1) << (31 - __builtin_clz(weight))};
    for (unsigned t = 0; t < 3; t++)
        for (int is_exact = 0; is_exact < 2; is_exact++) {
            struct run run = {.axis = search->axis, .lowest = low, .weight = tried[t]};
            struct runs runs = *before;
            uint32_t rest[BITS_OF_AXIS];
            run.length = run_length(search, weights, low, run.weight, is_exact);
            memcpy(rest, weights, sizeof rest);
            for (uint32_t b = 0; b < run.length; b++)
                rest[low + b] -= run.weight << b;
            add_run(&runs, search->from, &run);
            search_runs(search, rest, &runs);
        }
}

/* Adds the fewest runs for the contributions of the bits of one axis. False if there are too many.
 */
static bool add_weights(struct sum *sum, uint32_t axis, const uint32_t *weights) {
    struct search search = {.from = sum->from,
                            .axis = axis,
                            .bits = mapping_bits_below(sum->from->axis[axis].size),
                            .best = {.count = RUNS_MAX, .operators = UINT32_MAX}};
    search_runs(&search, weights, &(struct runs){.count = 0});
    if (search.best.operators == UINT32_MAX || sum->runs.count + search.best.count > RUNS_MAX)
        return false;
    for (unsigned r = 0; r < search.best.count; r++)
        add_run(&sum->runs, sum->from, &search.best.run[r]);
    return true;
}

/* ---- Exclusive or ---- */

/* The bits of the value that a run can set. */
static uint32_t reach(const struct run *run) {
    return (uint32_t)(((UINT64_C(1) << run->length) - 1) * run->weight);
}

/* Splits the contributions of bits to an exclusive or into runs: adjacent bits of one axis that are
 * shifted by the same amount. False if there are too many. */
static bool split_terms(const struct mapping_space *from, uint32_t (*moved)[BITS_OF_AXIS],
                        struct runs *runs) {
    for (uint32_t a = 0; a < from->count; a++) {
        const uint32_t bits = mapping_bits_below(from->axis[a].size);
        for (uint32_t b = 0; b < bits; b++)
            for (uint32_t left = moved[a][b]; left; left &= left - 1) {
                const uint32_t weight = left & -left;
                if (b > 0 && weight > 1 && moved[a][b - 1] & weight >> 1)
                    continue; /* it belongs to a run that began before */
                struct run run = {.axis = a, .lowest = b, .length = 1, .weight = weight};
                while (b + run.length < bits && moved[a][b + run.length] & (uint64_t)weight
                                                                               << run.length)
                    run.length++;
                if (runs->count == RUNS_MAX)
                    return false;
                add_run(runs, from, &run);
            }
    }
    return true;
}

/* Numbers the groups of runs that can set the same bits. The constant counts as a run. A run that
 * shares no bits is in group 0. */
static void find_groups(struct runs *runs, uint32_t constant, struct sum *sum) {
    for (unsigned r = 0; r < runs->count; r++) {
        struct run *first = &runs->run[r];
        if (first->group)
            continue;
        uint32_t all = reach(first), members = 1, before;
        first->group = ++sum->groups;
        do {
            before = members;
            for (unsigned other = r + 1; other < runs->count; other++)
                if (!runs->run[other].group && reach(&runs->run[other]) & all) {
                    runs->run[other].group = first->group;
                    all |= reach(&runs->run[other]);
                    members++;
                }
        } while (members > before);
        if (members == 1 && (all & constant) == 0) {
            first->group = 0;
            sum->groups--;
        } else {
            sum->meeting[first->group - 1] = all & constant;
        }
    }
}

/* Writes an exclusive or as a sum of groups. */
static bool make_exclusive(uint32_t (*moved)[BITS_OF_AXIS], uint32_t constant, struct sum *sum) {
    struct runs runs = {.count = 0};
    uint32_t added[MAPPING_AXES_MAX][BITS_OF_AXIS] = {{0}};
    if (!split_terms(sum->from, moved, &runs))
        return false;
    find_groups(&runs, constant, sum);
    sum->constant = constant;
    for (uint32_t g = 0; g < sum->groups; g++)
        sum->constant &= ~sum->meeting[g];
    for (unsigned r = 0; r < runs.count; r++) {
        const struct run *run = &runs.run[r];
        if (run->group)
            add_run(&sum->runs, sum->from, run);
        for (uint32_t b = 0; b < run->length && !run->group; b++)
            added[run->axis][run->lowest + b] += run->weight << b;
    }
    for (uint32_t a = 0; a < sum->from->count; a++)
        if (!add_weights(sum, a, added[a]))
            return false;
    return true;
}

/* ---- Text ---- */

/* A part of a sum: a run, a group, or the constant. */
struct part {
    const struct run *run; /* the first run of a group; NULL: the constant */
    uint32_t weight;       /* the part with the greatest weight comes first */
};

/* Appends a run divided by a power of two: "tid % 16 / 8 * 4". */
static void print_run(const struct sum *sum, const struct run *run, uint32_t divisor, char *text,
                      size_t size) {
    mapping_append(text, size, "%s", sum->from->axis[run->axis].name);
    if (has_higher_bits(sum->from, run))
        mapping_append(text, size, " %% %u", 1U << (run->lowest + run->length));
    if (run->lowest > 0)
        mapping_append(text, size, " / %u", 1U << run->lowest);
    if (run->weight / divisor > 1)
        mapping_append(text, size, " * %u", run->weight / divisor);
}

/* The greatest power of two that divides all members of a group. */
static uint32_t divisor_of(const struct sum *sum, uint32_t group) {
    uint32_t bits = sum->meeting[group - 1];
    for (unsigned r = 0; r < sum->runs.count; r++)
        if (sum->runs.run[r].group == group)
            bits |= sum->runs.run[r].weight;
    return bits & -bits;
}

/* Appends a group: "(tid / 16 ^ tid % 8) * 16", the runs of higher bits and of later axes first. */
static void print_group(const struct sum *sum, uint32_t group, bool is_alone, char *text,
                        size_t size) {
    const uint32_t divisor = divisor_of(sum, group);
    const bool is_bare = is_alone && divisor == 1;
    bool is_first = true;
    mapping_append(text, size, is_bare ? "" : "(");
    for (uint32_t lowest = BITS_OF_AXIS; lowest-- > 0;)
        for (unsigned r = sum->runs.count; r-- > 0;) {
            const struct run *run = &sum->runs.run[r];
            if (run->group != group || run->lowest != lowest)
                continue;
            mapping_append(text, size, is_first ? "" : " ^ ");
            print_run(sum, run, divisor, text, size);
            is_first = false;
        }
    if (sum->meeting[group - 1])
        mapping_append(text, size, " ^ %u", sum->meeting[group - 1] / divisor);
    mapping_append(text, size, is_bare ? "" : ")");
    if (divisor > 1)
        mapping_append(text, size, " * %u", divisor);
}

/* Writes a sum. Returns the number of its runs and constants. */
static unsigned print_sum(const struct sum *sum, char *text, size_t size) {
    struct part parts[RUNS_MAX + 1];
    unsigned count = 0, terms = sum->runs.count;
    for (unsigned r = 0; r < sum->runs.count; r++) {
        const struct run *run = &sum->runs.run[r];
        bool is_new = true;
        for (unsigned p = 0; p < count && run->group; p++)
            is_new = is_new && parts[p].run->group != run->group;
        if (is_new)
            parts[count++] =
                (struct part){run, run->group ? divisor_of(sum, run->group) : run->weight};
    }
    for (uint32_t g = 0; g < sum->groups; g++)
        terms += sum->meeting[g] != 0;
    *text = '\0';
    for (unsigned done = 0; done < count; done++) {
        unsigned next = 0;
        for (unsigned p = 1; p < count; p++)
            if (parts[p].weight > parts[next].weight)
                next = p;
        const struct run *run = parts[next].run;
        mapping_append(text, size, done ? " + " : "");
        if (run->group)
            print_group(sum, run->group, count == 1 && sum->constant == 0, text, size);
        else
            print_run(sum, run, 1, text, size);
        parts[next].weight = 0;
    }
    if (sum->constant || count == 0)
        mapping_append(text, size, count ? " + %u" : "%u", sum->constant);
    return terms + (sum->constant != 0);
}

/* ---- Both ways ---- */

/* Makes the sum for a formula with '+'. */
static bool make_added(const struct mapping_formula *formula, struct sum *sum) {
    sum->constant = formula->constant;
    for (uint32_t a = 0; a < sum->from->count; a++) {
        uint32_t weights[BITS_OF_AXIS] = {0};
        const uint32_t bits = mapping_bits_below(sum->from->axis[a].size);
        for (uint32_t b = 0; b < bits; b++)
            weights[b] = formula_part(formula, a, UINT32_C(1) << b);
        if (!add_weights(sum, a, weights))
            return false;
    }
    return true;
}

/* Makes a sum from an exclusive or: each bit contributes the change that it makes to the value of
 * the first point. is_right() must check whether it has the right values. */
static bool make_exclusive_of(const uint32_t *values, struct sum *sum) {
    uint32_t moved[MAPPING_AXES_MAX][BITS_OF_AXIS] = {{0}};
    for (uint32_t a = 0; a < sum->from->count; a++) {
        const size_t stride = mapping_space_stride(sum->from, a);
        const uint32_t bits = mapping_bits_below(sum->from->axis[a].size);
        for (uint32_t b = 0; b < bits; b++)
            moved[a][b] = values[stride << b] ^ values[0];
    }
    return make_exclusive(moved, values[0], sum);
}

/* True if the text has these values at every point, for signed and unsigned inputs. */
static bool is_right(const char *text, const struct mapping_space *from, const uint32_t *values) {
    size_t wrong;
    return mapping_expression_gives(text, from, false, values, &wrong) == MAPPING_OK &&
           mapping_expression_gives(text, from, true, values, &wrong) == MAPPING_OK;
}

size_t mapping_formula_print_factored(const struct mapping_formula *formula,
                                      const struct mapping_space *from, char *text, size_t size) {
    const size_t points = mapping_space_size(from);
    uint32_t *values = memory_get(points, sizeof *values), point[MAPPING_AXES_MAX];
    char *tried = memory_get(size, 1);
    unsigned fewest = UINT32_MAX;
    size_t length = 0;
    for (size_t n = 0; n < points; n++) {
        mapping_space_point(from, n, point);
        values[n] = mapping_formula_evaluate(formula, from->count, point);
    }
    for (int is_added = 0; is_added < 2; is_added++) {
        struct sum sum = {.from = from};
        if (is_added ? formula->operation != '+' || !make_added(formula, &sum)
                     : !make_exclusive_of(values, &sum))
            continue;
        const unsigned terms = print_sum(&sum, tried, size);
        const bool is_better = terms < fewest || (terms == fewest && strlen(tried) < strlen(text));
        if (!is_better || strlen(tried) + 1 == size || !is_right(tried, from, values))
            continue;
        fewest = terms;
        length = strlen(tried);
        memcpy(text, tried, length + 1);
    }
    mapping_free(tried);
    mapping_free(values);
    return fewest < UINT32_MAX ? length : mapping_formula_print_divided(formula, from, text, size);
}
