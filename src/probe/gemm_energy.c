/* gemm_energy.c - finds the k at which a matrix product is wrong; see gemm.h.
 *
 * Let E be D minus A B in a proof run, whose inputs are random integers (gemm_plan.c). If the terms
 * of some k are wrong, E contains multiples of columns k of A, or of rows k of B. So the entries of
 * E B^T and A^T E are large at these k. At other k, they are sums of products of independent
 * numbers. With N columns and s wrong k, the entries at the wrong k are N / s times as large. For
 * example, 16 wrong k of 4096 stand out if N is 128. A few random sums of rows and of columns of E
 * are enough. */
#include "probe/gemm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 16, SUMS_OF_LARGE = 4, LARGE = 1 << 22, RUNS_MAX = 4, DEPTH_LEAST = 128 };

static double sign_of(uint64_t stream, uint64_t index) {
    return number_hash(stream, index) >> 63 != 0 ? 1 : -1;
}

/* Adds `factor` times a line of numbers. */
static void add_line(double *sum, const int16_t *line, double factor, uint32_t count) {
    for (uint32_t k = 0; k < count; k++)
        sum[k] += factor * line[k];
}

/* Adds to energy[k] the square of entry k of (sum of rows of E) B^T, or of A^T (sum of columns of
 * E). `sums` is that sum of rows or columns of D. To subtract that of A B, `left` has the `lefts`
 * lines that are summed, with signs from `stream`, and `right` has the `rights` lines that they are
 * multiplied by. */
static void add_energy(double *energy, double *sums, uint64_t stream, const int16_t *left,
                       uint32_t lefts, const int16_t *right, uint32_t rights, uint32_t depth) {
    double *of_left = memory_get(depth, sizeof *of_left), *found = memory_get(depth, sizeof *found);
    for (uint32_t line = 0; line < lefts; line++)
        add_line(of_left, left + (size_t)line * depth, sign_of(stream, line), depth);
    for (uint32_t line = 0; line < rights; line++) {
        const int16_t *of = right + (size_t)line * depth;
        double part[4] = {0}; /* four independent sums, because an addition has a latency of several
                                 cycles */
        for (uint32_t k = 0; k < depth; k++)
            part[k % 4] += of_left[k] * of[k];
        add_line(found, of, sums[line] - (part[0] + part[1] + part[2] + part[3]), depth);
    }
    for (uint32_t k = 0; k < depth; k++)
        energy[k] += found[k] * found[k];
    mapping_free(of_left);
    mapping_free(found);
}

void energies_add(struct energies *energies, const struct problem *problem, const int16_t *a,
                  const int16_t *b, product_row *row_of, const void *context) {
    const uint32_t m = problem->m, n = problem->n, depth = problem->k;
    const size_t sums = (uint64_t)m * n > LARGE ? SUMS_OF_LARGE : SUMS;
    if (depth < DEPTH_LEAST || energies->runs / problem->batches >= RUNS_MAX)
        return;
    double *values = memory_get(n, sizeof *values);
    double *by_col = memory_get(sums * n, sizeof *by_col),
           *by_row = memory_get(sums * m, sizeof *by_row);
    double *signs = memory_get(sums * n, sizeof *signs);
    bool is_whole = true;
    for (size_t s = 0; s < sums; s++)
        for (uint32_t col = 0; col < n; col++)
            signs[s * n + col] = sign_of(600 + s, col);
    for (uint32_t row = 0; row < m && is_whole; row++) {
        is_whole = row_of(context, row, values);
        for (size_t s = 0; s < sums; s++) {
            const double sign = sign_of(500 + s, row);
            double sum = 0;
            for (uint32_t col = 0; col < n; col++) {
                by_col[s * n + col] += sign * values[col];
                sum += signs[s * n + col] * values[col];
            }
            by_row[s * m + row] = sum;
        }
    }
    for (unsigned side = 0; side < 2 && !energies->of[side]; side++)
        energies->of[side] = memory_get(depth, sizeof(double));
    for (size_t s = 0; s < sums && is_whole; s++) {
        add_energy(energies->of[0], by_col + s * n, 500 + s, a, m, b, n, depth);
        add_energy(energies->of[1], by_row + s * m, 600 + s, b, n, a, m, depth);
    }
    energies->runs += is_whole;
    void *arrays[] = {values, by_col, by_row, signs};
    for (size_t f = 0; f < sizeof arrays / sizeof *arrays; f++)
        mapping_free(arrays[f]);
}

static int compare(const void *first, const void *second) {
    const double x = *(const double *)first, y = *(const double *)second;
    return (x > y) - (x < y);
}

static double median(double *numbers, uint32_t count) {
    qsort(numbers, count, sizeof *numbers, compare);
    return numbers[count / 2];
}

uint32_t *energies_end(const struct energies *energies, uint32_t depth, uint32_t *count) {
    double *sorted = memory_get(depth, sizeof *sorted), limit[2] = {0, 0};
    uint32_t *flagged = memory_get(depth, sizeof *flagged);
    *count = 0;
    if (energies->runs == 0)
        return flagged;
    for (unsigned side = 0; side < 2; side++) {
        memcpy(sorted, energies->of[side], depth * sizeof *sorted);
        const double middle = median(sorted, depth);
        for (uint32_t k = 0; k < depth; k++)
            sorted[k] = fabs(energies->of[side][k] - middle);
        limit[side] = middle + 6 * median(sorted, depth);
    }
    for (uint32_t k = 0; k < depth; k++)
        if (energies->of[0][k] > limit[0] || energies->of[1][k] > limit[1])
            flagged[(*count)++] = k;
    if (*count > depth / 4) /* locating runs of all k will find them */
        *count = 0;
    return flagged;
}
