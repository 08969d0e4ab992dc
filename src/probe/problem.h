/* problem.h - what a kernel should compute, and what was found of one that runs.
 *
 * A problem has operands in memory. A plan is a list of runs: the inputs of each, all exact, and
 * what D holds before it. Whoever runs the kernel brings back D of each run; findings say whether
 * the kernel is right, and if not, why.
 *
 *     problem_plan(&problem, &plan)         how many runs
 *     plan_fill(&plan, run, PROBE_A, a)     the inputs of each
 *     reading_begin, reading_take(run, d), reading_end        the findings */
#ifndef PROBE_PROBLEM_H
#define PROBE_PROBLEM_H

#include "probe/number.h"
#include "system/system.h"

/* D is A, element by element; the product of A and B. */
enum probe_op { PROBE_COPY, PROBE_OPS };

enum probe_role { PROBE_A, PROBE_B, PROBE_D, PROBE_ROLES };

/* "copy", ..., and "A", ...; NULL from the last on. */
const char *probe_op_name(size_t op);
const char *probe_role_name(enum probe_role role);

/* A matrix: rows (or columns) of `ld` elements, of which the last are padding. */
struct operand_memory {
    bool is_used, is_column_major;
    enum mapping_type type;
    uint32_t rows, cols, ld;
};

struct problem {
    enum probe_op op;
    uint32_t m, n, k;
    struct operand_memory operand[PROBE_ROLES];
};

/* Rows of memory: of a column-major matrix its columns. */
static inline uint32_t memory_rows(const struct operand_memory *of) {
    return of->is_column_major ? of->cols : of->rows;
}

/* Elements of each that are no padding. */
static inline uint32_t memory_cols(const struct operand_memory *of) {
    return of->is_column_major ? of->rows : of->cols;
}

static inline size_t memory_elements(const struct operand_memory *of) {
    return (size_t)memory_rows(of) * of->ld;
}

static inline size_t memory_index(const struct operand_memory *of, uint32_t row, uint32_t col) {
    return of->is_column_major ? (size_t)col * of->ld + row : (size_t)row * of->ld + col;
}

/* Sets the sizes of operands from m, n and k, and a leading dimension where it is 0.
 * MAPPING_INVALID if the problem cannot be probed. */
enum mapping_status problem_complete(struct problem *problem, struct mapping_error *error);

struct plan {
    struct problem problem;
    size_t runs;
    size_t digits; /* of a number that says where an element comes from */
};

struct plan problem_plan(const struct problem *problem);

/* Makes an operand before a run: memory_elements of its type. Of D it is what the kernel
 * overwrites.
 */
void plan_fill(const struct plan *plan, size_t run, enum probe_role role, void *array);

/* ---- Findings ---- */

enum { PLACES_MAX = 3 };

struct finding {
    const char *name; /* of its kind: "never written" */
    char *text;       /* a sentence without a stop */
    uint64_t count;   /* of elements of D that are wrong */
    bool is_explained;
    size_t places;
    uint32_t place[PLACES_MAX][2]; /* the first of them: row, column */
};

struct findings {
    const struct plan *plan;
    struct finding *item;
    size_t count, room;
    uint64_t wrong; /* elements of D */
};

/* Adds a finding; its text is printed to it. */
struct finding *findings_add(struct findings *findings, const char *name);

/* Notes a place of a finding. */
void finding_note(struct finding *finding, uint32_t row, uint32_t col);

#endif
