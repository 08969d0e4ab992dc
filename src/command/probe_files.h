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

/* Writes plan.json, and the arrays of the runs from `first` on. Creates the folder if it does not
 * exist. MAPPING_UNAVAILABLE or MAPPING_FAILED if a file cannot be written. */
enum mapping_status probe_write(const char *folder, const struct plan *plan, size_t first,
                                struct mapping_error *error);

/* Reads plan.json: the problem, and the number of runs that were written. MAPPING_UNAVAILABLE if
 * the file does not exist, MAPPING_INVALID if it is not a plan. */
enum mapping_status probe_read_plan(const char *folder, struct problem *problem, size_t *runs,
                                    struct mapping_error *error);

/* Reads D of a run into `d`, which has room for it. MAPPING_UNAVAILABLE if the file does not exist,
 * MAPPING_INVALID if it is another array. */
enum mapping_status probe_read_d(const char *folder, const struct plan *plan, size_t run, void *d,
                                 struct mapping_error *error);

#endif
