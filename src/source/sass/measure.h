/* measure.h - measuring what opcodes become: each is assembled in a kernel, and the kernel's code
 * is compared with that of the same kernel without the opcode. */
#ifndef MEASURE_H
#define MEASURE_H

#include "source/sass/outcomes.h"

/* With which tools. */
struct measurement {
    const struct toolkits *toolkits;
    const struct tool_versions *versions; /* of each toolkit */
    /* For mapping_arch_at(n), bit t: toolkits->toolkit[t] may be used. Of those that may, the first
     * is that knows the architecture. */
    uint32_t allowed[MAPPING_ARCHS_MAX];
    double timeout; /* seconds for one run of a tool */
};

/* Measures all opcodes on all architectures that have an allowed toolkit. An architecture that none
 * of these knows stays unknown. MAPPING_FAILED with the first thing that went wrong. It takes about
 * 25 seconds on 2 cores. */
enum mapping_status measure(const struct measurement *measurement, struct outcomes *outcomes,
                            struct mapping_error *error);

#endif
