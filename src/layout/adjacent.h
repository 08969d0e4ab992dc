/* adjacent.h - the order of K in which what a thread holds of a row lies side by side.
 *
 * A product stays the same if the columns of A and the rows of B are permuted alike. So K may lie
 * in memory in the order in which threads read it in the widest loads. */
#ifndef ADJACENT_H
#define ADJACENT_H

#include "mapping.h"

struct mapping_adjacency {
    uint32_t run;     /* elements of a row of A, or column of B, that a thread holds */
    uint32_t count;   /* K */
    uint32_t *table;  /* table[place] = k; owned */
    bool is_identity; /* they lie side by side as it is */
    bool has_formula; /* of the axis "place" */
    struct mapping_formula formula;
};

/* Finds it for a layout from (tid, i) to (row, col), whose columns, else rows, are K. *found is
 * false where threads do not divide K alike in every row. MAPPING_FAILED if out of memory. Free it
 * in any case. */
enum mapping_status mapping_adjacency_find(const struct mapping_layout *layout, bool is_columns,
                                           struct mapping_adjacency *adjacency, bool *found,
                                           struct mapping_error *error);

/* A zeroed one is allowed. */
void mapping_adjacency_free(struct mapping_adjacency *adjacency);

/* True if both order K alike. */
bool mapping_adjacency_equal(const struct mapping_adjacency *a, const struct mapping_adjacency *b);

/* The space of the formula. */
struct mapping_space mapping_adjacency_space(const struct mapping_adjacency *adjacency);

#endif
