/* batch.h - many experiments executed at once: planned, copied to the device, executed, copied back
 * and read. */
#ifndef BATCH_H
#define BATCH_H

#include "report/observation.h"

struct batch;

/* Plans an experiment for each of `count` observations, at least one; takes no device. These have
 * to live as long as the batch. MAPPING_UNAVAILABLE if there is no kernel for one of them.
 * Free the batch in any case. */
enum mapping_status batch_plan(struct observation *const *observations, size_t count,
                               struct batch **batch, struct mapping_error *error);

/* Executes all of them on a device, and makes the layouts of the observations. MAPPING_UNAVAILABLE
 * if the kernels were not compiled for an architecture that has a fragment, MAPPING_FAILED if CUDA
 * fails or what came out makes no sense. */
enum mapping_status batch_execute(const struct batch *batch, int device,
                                  struct mapping_error *error);

/* One of the kernels that were launched. */
const void *batch_kernel(const struct batch *batch);

void batch_free(struct batch *batch);

#endif
