/* observe.h - finding out where an operand's elements are, by executing its instruction. No CUDA:
 * the steps and images of one execution are planned, and what came out is read. */
#ifndef OBSERVE_H
#define OBSERVE_H

#include "executor.h"
#include "images.h"

/* What a kernel is to do to observe one fragment. */
struct plan {
    struct executor_step *steps;
    size_t count, room;
    uint32_t outputs;       /* registers of D for each thread */
    size_t output_words;    /* of all steps */
    enum mapping_type type; /* of the numbers that they hold */
    uint32_t numbers;       /* of one step */
    unsigned bytes;         /* that such a number fits into, 1 or 2, all ones apart */
};

/* Plans how the operand of that letter is observed. MAPPING_FAILED if out of memory. Free the
 * plan in any case; a zeroed one is allowed. */
enum mapping_status observe_plan(const struct scene *scene, char operand, struct images *images,
                                 struct plan *plan, struct mapping_error *error);

/* Makes the operand's map from what the steps of its plan have written, as numbers of plan->bytes
 * bytes, of which all ones stand for none. Nothing is taken for granted but the operands that are
 * given: for D of mma, A and B; for A, B, C and metadata, D and the others; for D of wgmma none.
 * MAPPING_FAILED if what came out makes no sense; that it is a map is still to be checked. */
enum mapping_status observe_read(const struct scene *scene, char operand, const struct plan *plan,
                                 const void *numbers, struct mapping_map *map,
                                 struct mapping_error *error);

void plan_free(struct plan *plan);

#endif
