/* transfer.h - from what a load or store moved to the layout of a fragment. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "mapping.h"

/* What was moved between a fragment and a matrix that lies in memory without padding. */
struct transfer {
    const struct mapping_fragment
        *fragment;            /* of one block, each element of it held equally often */
    enum mapping_order order; /* of the matrix in memory */
    bool is_store;
    /* Of a load, origins[tid * elements + i] is the place in memory, in elements, that (tid, i) was
     * loaded from; of a store, origins[place] is the tid * elements + i that was stored there. */
    const uint32_t *origins;
};

/* How many origins there are, and how many there can be of each. */
uint32_t transfer_targets(const struct transfer *transfer);
uint32_t transfer_sources(const struct transfer *transfer);

/* Makes the layout. MAPPING_INVALID if what was moved is none. */
enum mapping_status transfer_layout(const struct transfer *transfer, struct mapping_layout *layout,
                                    struct mapping_error *error);

#endif
