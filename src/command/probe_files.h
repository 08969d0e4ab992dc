/* probe_files.h - the folder of a probe: plan.json, and A0.npy, D0.npy, A1.npy, ... */
#ifndef PROBE_FILES_H
#define PROBE_FILES_H

#include "probe/problem.h"

/* Reads alpha, beta, "row" or "col"; each may be NULL. */
enum mapping_status probe_read_factors(const char *alpha, const char *beta, const char *bias,
                                       struct problem *problem, struct mapping_error *error);

/* Reads "bshd", "bottom-right" and the scale of attention; each may be NULL. */
enum mapping_status probe_read_attention(const char *layout, const char *causal, const char *scale,
                                         struct problem *problem, struct mapping_error *error);

/* Writes plan.json, and the arrays of the runs from `first` on. Makes the folder if there is none.
 * MAPPING_UNAVAILABLE or MAPPING_FAILED if a file cannot be written. */
enum mapping_status probe_write(const char *folder, const struct plan *plan, size_t first,
                                struct mapping_error *error);

/* Reads plan.json: the problem, and how many runs were written. MAPPING_UNAVAILABLE if there is
 * none, MAPPING_INVALID if it is not one. */
enum mapping_status probe_read_plan(const char *folder, struct problem *problem, size_t *runs,
                                    struct mapping_error *error);

/* Reads D of a run to an array with room for it. MAPPING_UNAVAILABLE if there is none,
 * MAPPING_INVALID if it is another array. */
enum mapping_status probe_read_d(const char *folder, const struct plan *plan, size_t run, void *d,
                                 struct mapping_error *error);

#endif
