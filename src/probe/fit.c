/* fit.c - fits formulae to the positions of the elements that a kernel reads; see fit.h. */
#include "probe/fit.h"

#include "layout/f2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t function_value(const struct function *function, const uint32_t in[FIT_INPUTS]) {
    int64_t sum = function->constant;
    uint32_t bits = function->base;
    switch (function->kind) {
    case FUNCTION_SAME:
        return in[function->axis];
    case FUNCTION_TABLE:
        return function->table[in[function->axis]];
    case FUNCTION_ROTATE:
        return (uint32_t)((in[function->axis] + (uint64_t)function->constant) % function->modulus);
    case FUNCTION_SUM:
        for (unsigned a = 0; a < FIT_INPUTS; a++)
            sum += function->factor[a] * in[a];
        return sum < 0 || sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
    default:
        for (unsigned a = 0; a < FIT_INPUTS; a++)
            for (uint32_t x = in[a]; x != 0; x &= x - 1)
                bits ^= function->column[a][__builtin_ctz(x)];
        return bits;
    }
}

void function_values(const struct function *function, const uint32_t in[FIT_INPUTS],
                     uint32_t values[]) {
    const uint32_t count = in[FIT_K];
    uint32_t at[FIT_INPUTS];
    memcpy(at, in, sizeof at);
    at[FIT_K] = 0;
    values[0] = function_value(function, at);
    if (function->kind != FUNCTION_BITS) {
        const bool is_constant = !function_uses(function, FIT_K);
        for (uint32_t k = at[FIT_K] = 1; k < count; at[FIT_K] = ++k)
            values[k] = is_constant ? values[0] : function_value(function, at);
        return;
    }
    for (uint32_t k = 1; k < count; k++) /* k without its lowest set bit is smaller, so its value is
                                            known */
        values[k] = values[k & (k - 1)] ^ function->column[FIT_K][__builtin_ctz(k)];
}

bool function_uses(const struct function *function, unsigned input) {
    uint32_t any = 0;
    if (function->kind == FUNCTION_SUM)
        return function->factor[input] != 0;
    if (function->kind != FUNCTION_BITS)
        return function->axis == input;
    for (unsigned b = 0; b < FIT_BITS; b++)
        any |= function->column[input][b];
    return any != 0;
}

static uint32_t width_of(uint32_t size) {
    uint32_t width = 0;
    while (width < FIT_BITS && size > UINT64_C(1) << width)
        width++;
    return width;
}

/* ---- One function ---- */

static bool fits(const struct function *function, const struct sample *samples, size_t count,
                 size_t out) {
    for (size_t s = 0; s < count; s++)
        if (function_value(function, samples[s].in) != samples[s].out[out])
            return false;
    return true;
}

static int64_t rounded(double x) {
    return (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

void fit_line(const double (*samples)[FIT_INPUTS + 1], size_t count, double factor[FIT_INPUTS],
              double mean[FIT_INPUTS + 1]) {
    enum { N = FIT_INPUTS };
    double rows[N][N + 1] = {{0}};
    bool is_solved[N] = {false};
    for (size_t a = 0; a <= N; a++) {
        mean[a] = 0;
        for (size_t s = 0; s < count; s++)
            mean[a] += samples[s][a] / (double)count;
    }
    for (size_t s = 0; s < count; s++)
        for (size_t r = 0; r < N; r++)
            for (size_t a = 0; a <= N; a++)
                rows[r][a] += (samples[s][r] - mean[r]) * (samples[s][a] - mean[a]);
    for (size_t step = 0; step < N; step++) { /* Gauss-Jordan elimination with the largest diagonal
                                                 element as pivot */
        size_t pivot = N;
        for (size_t r = 0; r < N; r++)
            if (!is_solved[r] && (pivot == N || rows[r][r] > rows[pivot][pivot]))
                pivot = r;
        if (rows[pivot][pivot] < 1e-6)
            break;
        is_solved[pivot] = true;
        for (size_t r = 0; r < N; r++) {
            const double times = rows[r][pivot] / rows[pivot][pivot];
            for (size_t a = 0; r != pivot && a <= N; a++)
                rows[r][a] -= times * rows[pivot][a];
        }
    }
    for (size_t a = 0; a < N; a++)
        factor[a] = is_solved[a] ? rows[a][N] / rows[a][a] : 0;
}

/* Computes the constant and the coefficients of a sum from a few samples, and rounds them. */
static void solve_sum(const struct sample *samples, size_t count, size_t out,
                      struct function *function) {
    enum { USED = 128, N = FIT_INPUTS };
    const size_t used = count < USED ? count : USED;
    double numbers[USED][N + 1], factor[N], mean[N + 1];
    for (size_t s = 0; s < used; s++)
        for (size_t a = 0; a <= N; a++)
            numbers[s][a] = a < N ? samples[s].in[a] : samples[s].out[out];
    fit_line((const double(*)[N + 1]) numbers, used, factor, mean);
    double constant = mean[N];
    for (size_t a = 0; a < N; a++) {
        function->factor[a] = fabs(factor[a]) < 1e9 ? rounded(factor[a]) : 0;
        constant -= (double)function->factor[a] * mean[a];
    }
    function->constant = fabs(constant) < 1e15 ? rounded(constant) : 0;
}

/* True if FUNCTION_BITS may use the bits of an input. Rows, columns and k do not use those of the
 * batch: different batches are different pieces. */
static bool is_mixed(const struct fit_space *space, size_t out, unsigned axis) {
    return axis != FIT_BATCH || space->right[out] == FIT_BATCH || space->right[out] == FIT_NO_INPUT;
}

/* Computes FUNCTION_BITS by Gaussian elimination over F2 on the bits of all inputs and a constant
 * 1. A bit that has the same value in all samples contributes as in a right kernel. False if no
 * function fits. */
static bool solve_bits(const struct fit_space *space, const struct sample *samples, size_t count,
                       size_t out, struct function *function) {
    uint32_t first[FIT_INPUTS], total = width_of(space->out_size[out]);
    const uint32_t low = total;
    for (unsigned a = 0; a < FIT_INPUTS; a++) {
        first[a] = total;
        total += is_mixed(space, out, a) ? width_of(space->in_size[a]) : 0;
    }
    if (total >= 64)
        return false;
    const uint64_t one = UINT64_C(1) << total;
    struct f2_span span = {.pivots = 0};
    for (size_t s = 0; s < count; s++) {
        uint64_t vector = one | samples[s].out[out];
        if (samples[s].out[out] >> low != 0)
            return false;
        for (unsigned a = 0; a < FIT_INPUTS; a++)
            if (is_mixed(space, out, a))
                vector |= (uint64_t)samples[s].in[a] << first[a];
        const uint64_t rest = mapping_f2_reduce(&span, vector);
        if (rest != 0 && rest >> low == 0)
            return false;
        if (rest != 0)
            mapping_f2_extend(&span, vector);
    }
    for (unsigned a = 0; a < FIT_INPUTS; a++)
        for (uint32_t b = 0; b < width_of(space->in_size[a]) && is_mixed(space, out, a); b++) {
            const uint64_t bit = UINT64_C(1) << (first[a] + b);
            const uint64_t right = a == space->right[out] && b < low ? UINT64_C(1) << b : 0;
            if (mapping_f2_reduce(&span, bit) >> low != 0)
                mapping_f2_extend(&span, bit | right);
            function->column[a][b] = (uint32_t)mapping_f2_reduce(&span, bit);
        }
    function->base = (uint32_t)mapping_f2_reduce(&span, one);
    return true;
}

/* Makes a table indexed by one input. Entries without a sample are those of a right kernel. False
 * if no table fits, or if there are fewer than two samples for each entry. */
static bool solve_table(const struct fit_space *space, const struct sample *samples, size_t count,
                        size_t out, unsigned axis, struct function *function) {
    const uint32_t size = space->in_size[axis];
    uint32_t *table = memory_get(size, sizeof *table), met = 0;
    memset(table, 0xff, size * sizeof *table);
    for (size_t s = 0; s < count; s++) {
        uint32_t *entry = &table[samples[s].in[axis]];
        met += *entry == UINT32_MAX;
        if (*entry != UINT32_MAX && *entry != samples[s].out[out]) {
            mapping_free(table);
            return false;
        }
        *entry = samples[s].out[out];
    }
    for (uint32_t x = 0; x < size; x++)
        if (table[x] == UINT32_MAX)
            table[x] = axis == space->right[out] ? x : 0;
    function->axis = axis;
    function->table = table;
    return count >= 2 * (size_t)met; /* otherwise a table could fit any samples */
}

/* Makes the rotation (input + constant) % size, of the input that the output equals in a right
 * kernel. False if it does not fit. */
static bool solve_rotation(const struct fit_space *space, const struct sample *samples,
                           size_t count, size_t out, struct function *function) {
    const unsigned a = function->axis = space->right[out];
    if (a == FIT_NO_INPUT)
        return false;
    const uint32_t size = function->modulus = space->in_size[a];
    function->constant = (int64_t)samples->out[out] - samples->in[a];
    function->constant += function->constant < 0 ? size : 0;
    return fits(function, samples, count, out);
}

static bool solve(const struct fit_space *space, const struct sample *samples, size_t count,
                  size_t out, bool has_tables, struct function *function) {
    enum { FEWEST = 8 };
    *function = (struct function){.kind = FUNCTION_SAME, .axis = space->right[out]};
    if (function->axis != FIT_NO_INPUT && fits(function, samples, count, out))
        return true;
    if (space->has_constants) {
        *function = (struct function){.kind = FUNCTION_SUM, .constant = samples->out[out]};
        return fits(function, samples, count, out);
    }
    if (count < FEWEST)
        return false;
    for (function->axis = 0; function->axis < FIT_INPUTS; function->axis++)
        if (space->in_size[function->axis] > 1 && fits(function, samples, count, out))
            return true;
    function->kind = FUNCTION_SUM;
    solve_sum(samples, count, out, function);
    if (fits(function, samples, count, out))
        return true;
    function->kind = FUNCTION_ROTATE;
    if (space->right[out] == FIT_BATCH && space->in_size[FIT_BATCH] > 2 &&
        solve_rotation(space, samples, count, out, function))
        return true;
    function->kind = FUNCTION_BITS;
    if (solve_bits(space, samples, count, out, function))
        return true;
    function->kind = FUNCTION_ROTATE;
    if (solve_rotation(space, samples, count, out, function))
        return true;
    function->kind = FUNCTION_TABLE;
    for (unsigned a = 0; a < FIT_INPUTS && has_tables; a++)
        if (space->in_size[a] > 1 && solve_table(space, samples, count, out, a, function))
            return true;
    return false;
}

/* ---- Pieces ---- */

static bool is_of(const struct condition *condition, const uint32_t in[FIT_INPUTS]) {
    const uint32_t x = in[condition->axis];
    const bool is_upper = condition->bit != 0 ? (x & condition->bit) != 0 : x >= condition->bound;
    return is_upper == condition->is_upper;
}

bool piece_has_apart(const struct piece *piece, const uint32_t in[FIT_INPUTS], unsigned axis) {
    for (size_t c = 0; c < piece->conditions; c++)
        if (piece->condition[c].axis != axis && !is_of(&piece->condition[c], in))
            return false;
    return true;
}

bool piece_has(const struct piece *piece, const uint32_t in[FIT_INPUTS]) {
    return piece_has_apart(piece, in, FIT_NO_INPUT);
}

bool piece_depends_on(const struct piece *piece, unsigned axis) {
    bool depends = false;
    for (size_t c = 0; c < piece->conditions; c++)
        depends |= piece->condition[c].axis == axis;
    return depends;
}

size_t piece_of(const struct piece *pieces, size_t parts, const uint32_t in[FIT_INPUTS]) {
    size_t p = 0;
    while (p + 1 < parts && !piece_has(&pieces[p], in))
        p++;
    return p;
}

static bool is_function_right(const struct fit_space *space, const struct function *function,
                              size_t out) {
    return function->kind == FUNCTION_SAME && function->axis == space->right[out];
}

bool piece_is_right(const struct piece *piece, const struct fit_space *space) {
    for (size_t o = 0; o < space->outs; o++)
        if (space->has_constants ? piece->out[o].constant != 1
                                 : !is_function_right(space, &piece->out[o], o))
            return false;
    return true;
}

/* Returns the only function that is not that of a right kernel, if it depends on no other input
 * than the one that it equals in a right kernel. Otherwise NULL. */
static struct function *only_wrong(struct piece *piece, const struct fit_space *space) {
    struct function *found = NULL;
    for (size_t o = 0; o < space->outs; o++) {
        struct function *function = &piece->out[o];
        if (is_function_right(space, function, o))
            continue;
        if (found || space->has_constants || space->right[o] == FIT_NO_INPUT)
            return NULL;
        found = function;
        for (unsigned a = 0; a < FIT_INPUTS; a++)
            if (a != space->right[o] && function_uses(function, a))
                return NULL;
    }
    return found;
}

void piece_tighten(struct piece *piece, const struct fit_space *space) {
    struct function *wrong = only_wrong(piece, space);
    for (unsigned a = 0; a < FIT_INPUTS; a++) {
        const bool is_of_wrong = wrong && space->right[wrong - piece->out] == a;
        uint32_t first = 0, last = 0, count = 0;
        struct piece of_axis = {.conditions = 0}, others = of_axis;
        for (size_t c = 0; c < piece->conditions; c++) {
            struct piece *to = piece->condition[c].axis == a ? &of_axis : &others;
            to->condition[to->conditions++] = piece->condition[c];
        }
        for (uint32_t x = 0; x < space->in_size[a] && of_axis.conditions > 0; x++) {
            uint32_t in[FIT_INPUTS] = {0};
            in[a] = x;
            if (!piece_has(&of_axis, in) || (is_of_wrong && function_value(wrong, in) == x))
                continue;
            first = count++ == 0 ? x : first;
            last = x;
        }
        if (count == 0 || count != last - first + 1)
            continue;
        if (first > 0)
            others.condition[others.conditions++] = (struct condition){a, 0, first, true};
        if (last + 1 < space->in_size[a])
            others.condition[others.conditions++] = (struct condition){a, 0, last + 1, false};
        memcpy(piece->condition, others.condition, sizeof piece->condition);
        piece->conditions = others.conditions;
        if (count == 1 && is_of_wrong) {
            uint32_t in[FIT_INPUTS] = {0};
            in[a] = first;
            *wrong = (struct function){.kind = FUNCTION_SUM, .constant = function_value(wrong, in)};
        }
    }
}

/* Moves the samples that meet a condition to the front. Returns their number. */
static size_t divide(const struct condition *condition, struct sample *samples, size_t count) {
    size_t front = 0;
    for (size_t s = 0; s < count; s++)
        if (is_of(condition, samples[s].in)) {
            const struct sample other = samples[front];
            samples[front++] = samples[s];
            samples[s] = other;
        }
    return front;
}

bool sample_is_right(const struct fit_space *space, const struct sample *sample) {
    for (size_t o = 0; o < space->outs; o++) {
        const unsigned right = space->right[o];
        if (space->has_constants ? sample->out[o] != 1
                                 : right == FIT_NO_INPUT || sample->out[o] != sample->in[right])
            return false;
    }
    return true;
}

static size_t fit_part(const struct fit_space *space, struct sample *samples, size_t count,
                       size_t depth, bool has_tables, const struct piece *part,
                       struct piece *pieces);

/* Fits the samples that meet a condition, then the others. Returns the number of pieces, or 0 if
 * one side does not fit. */
static size_t fit_sides(const struct fit_space *space, struct sample *samples, size_t count,
                        size_t depth, bool has_tables, const struct piece *part,
                        struct condition condition, struct piece *pieces) {
    struct piece side = *part;
    const size_t upper = divide(&condition, samples, count);
    if (upper == 0 || upper == count)
        return 0;
    side.condition[side.conditions++] = condition;
    const size_t first = fit_part(space, samples, upper, depth - 1, has_tables, &side, pieces);
    if (first == 0)
        return 0;
    side.condition[part->conditions].is_upper = false;
    const size_t second = fit_part(space, samples + upper, count - upper, depth - 1, has_tables,
                                   &side, pieces + first);
    return second > 0 ? first + second : 0;
}

/* Fits the samples of a part with at most 2^depth pieces. Returns the number of pieces, or 0 if no
 * functions fit. */
static size_t fit_part(const struct fit_space *space, struct sample *samples, size_t count,
                       size_t depth, bool has_tables, const struct piece *part,
                       struct piece *pieces) {
    bool is_fitted = true;
    *pieces = *part;
    for (size_t o = 0; o < space->outs && is_fitted; o++)
        is_fitted = solve(space, samples, count, o, has_tables, &pieces->out[o]);
    if (is_fitted)
        return 1;
    if (depth == 0)
        return 0;
    uint32_t least[FIT_INPUTS], most[FIT_INPUTS] = {0};
    memset(least, 0xff, sizeof least);
    for (size_t s = 0; s < count; s++)
        for (unsigned a = 0; a < FIT_INPUTS && !sample_is_right(space, &samples[s]); a++) {
            const uint32_t x = samples[s].in[a];
            least[a] = x < least[a] ? x : least[a];
            most[a] = x > most[a] ? x : most[a];
        }
    for (unsigned a = 0; a < FIT_INPUTS; a++) {
        size_t found = 0;
        const uint32_t width = width_of(space->in_size[a]);
        if (width == 0)
            continue;
        for (uint32_t b = width; b-- > 0 && found == 0;)
            found =
                fit_sides(space, samples, count, depth, has_tables, part,
                          (struct condition){.axis = a, .bit = 1U << b, .is_upper = true}, pieces);
        for (uint32_t bound = 0; bound < 2 && found == 0; bound++)
            found = fit_sides(space, samples, count, depth, has_tables, part,
                              (struct condition){.axis = a,
                                                 .bound = bound == 0 ? least[a] : most[a] + 1,
                                                 .is_upper = true},
                              pieces);
        if (found > 0)
            return found;
    }
    return 0;
}

/* True if the functions of the pieces give the outputs of every sample. */
static bool hold(const struct fit_space *space, const struct piece *pieces, size_t parts,
                 const struct sample *samples, size_t count) {
    for (size_t s = 0; s < count; s++) {
        const struct piece *piece = &pieces[piece_of(pieces, parts, samples[s].in)];
        for (size_t o = 0; o < space->outs; o++)
            if (function_value(&piece->out[o], samples[s].in) != samples[s].out[o])
                return false;
    }
    return true;
}

size_t fit_step(const struct fit_space *space, struct sample *samples, size_t count, size_t step,
                struct piece pieces[FIT_PIECES]) {
    enum { SEARCHED = 1536 };
    const struct piece whole = {.conditions = 0};
    const bool has_tables = step > FIT_DEPTH;
    const size_t depth = has_tables ? step - FIT_DEPTH - 1 : step;
    const size_t used = depth == 0 || count < SEARCHED ? count : SEARCHED;
    if (count == 0)
        return 0;
    const size_t parts = fit_part(space, samples, used, depth, has_tables, &whole, pieces);
    return parts > 0 && hold(space, pieces, parts, samples, count) ? parts : 0;
}

size_t fit_samples(const struct fit_space *space, struct sample *samples, size_t count,
                   struct piece pieces[FIT_PIECES]) {
    size_t parts = 0;
    for (size_t step = 0; step < FIT_STEPS && parts == 0; step++)
        parts = fit_step(space, samples, count, step, pieces);
    return parts;
}

void fit_shuffle(struct sample *samples, size_t count) {
    uint64_t state = 1;
    for (size_t s = count; s > 1; s--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t other = (size_t)(state >> 33) % s;
        const struct sample last = samples[s - 1];
        samples[s - 1] = samples[other];
        samples[other] = last;
    }
}

/* ---- Text ---- */

static void print_sign(struct printer *to, bool *is_first, const char *sign) {
    if (!*is_first)
        print(to, " %s ", sign);
    *is_first = false;
}

static void print_sum(struct printer *to, const struct fit_space *space,
                      const struct function *function) {
    bool is_first = true;
    for (unsigned a = 0; a < FIT_INPUTS; a++) {
        const int64_t factor = function->factor[a];
        if (factor == 0)
            continue;
        if (is_first && factor < 0)
            print_text(to, "-");
        print_sign(to, &is_first, factor < 0 ? "-" : "+");
        print_text(to, space->in_name[a]);
        if (factor != 1 && factor != -1)
            print(to, " * %llu", (unsigned long long)llabs(factor));
    }
    if (is_first)
        print(to, "%lld", (long long)function->constant);
    else if (function->constant != 0)
        print(to, " %c %llu", function->constant < 0 ? '-' : '+',
              (unsigned long long)llabs(function->constant));
}

/* Returns a mask of the bits of an input that contribute to the bit `shift` positions higher. */
static uint32_t moved_bits(const struct function *function, unsigned axis, int shift) {
    uint32_t mask = 0;
    for (int b = 0; b < FIT_BITS; b++)
        if (b + shift >= 0 && b + shift < FIT_BITS)
            mask |= (function->column[axis][b] >> (b + shift) & 1) << b;
    return mask;
}

/* Prints one term for each input and shift, such as (row & 7) << 3, joined by ^. */
static void print_bits(struct printer *to, const struct fit_space *space,
                       const struct function *function) {
    bool is_first = true;
    size_t terms = function->base != 0;
    for (unsigned a = 0; a < FIT_INPUTS; a++)
        for (int shift = 1 - FIT_BITS; shift < FIT_BITS; shift++)
            terms += moved_bits(function, a, shift) != 0;
    const char *open = terms > 1 ? "(" : "", *close = terms > 1 ? ")" : "";
    for (unsigned a = 0; a < FIT_INPUTS; a++)
        for (int shift = 1 - FIT_BITS; shift < FIT_BITS; shift++) {
            const uint32_t all = (uint32_t)((UINT64_C(1) << width_of(space->in_size[a])) - 1);
            const uint32_t mask = moved_bits(function, a, shift);
            const char *name = space->in_name[a], *sign = shift < 0 ? ">>" : "<<";
            const int places = shift < 0 ? -shift : shift;
            if (mask == 0)
                continue;
            print_sign(to, &is_first, "^");
            if (mask == all && shift == 0)
                print_text(to, name);
            else if (shift == 0)
                print(to, "%s%s & %u%s", open, name, mask, close);
            else if (mask == all)
                print(to, "%s%s %s %d%s", open, name, sign, places, close);
            else
                print(to, "%s(%s & %u) %s %d%s", open, name, mask, sign, places, close);
        }
    if (function->base != 0 || is_first) {
        print_sign(to, &is_first, "^");
        print(to, "%u", function->base);
    }
}

void function_print(struct printer *to, const struct fit_space *space,
                    const struct function *function) {
    enum { SHOWN = 4 };
    size_t shown = 0;
    switch (function->kind) {
    case FUNCTION_SAME:
        print_text(to, space->in_name[function->axis]);
        break;
    case FUNCTION_SUM:
        print_sum(to, space, function);
        break;
    case FUNCTION_ROTATE:
        print(to, "(%s + %lld) %% %u", space->in_name[function->axis],
              (long long)function->constant, function->modulus);
        break;
    case FUNCTION_BITS:
        print_bits(to, space, function);
        break;
    case FUNCTION_TABLE:
        print(to, "%s by a table: ", space->in_name[function->axis]);
        for (uint32_t x = 0; x < space->in_size[function->axis] && shown <= SHOWN; x++)
            if (function->table[x] != x) {
                if (shown < SHOWN)
                    print(to, "%s%u -> %u", shown > 0 ? ", " : "", x, function->table[x]);
                else
                    print_text(to, ", ...");
                shown++;
            }
        break;
    }
}

void piece_print(struct printer *to, const struct fit_space *space, const struct piece *piece) {
    const char *and = " where ";
    const size_t size = to->size;
    for (unsigned a = 0; a < FIT_INPUTS; a++) {
        const char *name = space->in_name[a];
        const uint64_t all = (UINT64_C(1) << width_of(space->in_size[a])) - 1;
        uint64_t fixed = 0, value = 0, first = 0, end = space->in_size[a];
        for (size_t c = 0; c < piece->conditions; c++) {
            const struct condition *condition = &piece->condition[c];
            if (condition->axis != a)
                continue;
            fixed |= condition->bit;
            value |= condition->is_upper ? condition->bit : 0;
            if (condition->bit == 0 && condition->is_upper && condition->bound > first)
                first = condition->bound;
            if (condition->bit == 0 && !condition->is_upper && condition->bound < end)
                end = condition->bound;
        }
        const uint64_t free = all & ~fixed;
        if ((free & (free + 1)) == 0) { /* the highest bits are fixed */
            first = value > first ? value : first;
            end = value + free + 1 < end ? value + free + 1 : end;
            fixed = 0;
        }
        if (first > 0 && end == first + 1)
            print(to, "%s%s == %llu", and, name, (unsigned long long)first);
        else if (first > 0 && end < space->in_size[a])
            print(to, "%s%llu <= %s < %llu", and, (unsigned long long)first, name,
                  (unsigned long long)end);
        else if (first > 0)
            print(to, "%s%s >= %llu", and, name, (unsigned long long)first);
        else if (end < space->in_size[a])
            print(to, "%s%s < %llu", and, name, (unsigned long long)end);
        if (to->size > size)
            and = " and ";
        if (fixed != 0)
            print(to, "%s(%s & %llu) == %llu", and, name, (unsigned long long)fixed,
                  (unsigned long long)value);
        if (to->size > size)
            and = " and ";
    }
}
