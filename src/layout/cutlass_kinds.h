/* cutlass_kinds.h - the classes of layouts of CUTLASS 2 as functions of the place in pitch-linear
 * memory: what cutlass.c finds by name.
 *
 * Each has the operator() of a class in include/cutlass/layout/ of CUTLASS: pitch_linear.h,
 * matrix.h, tensor_op_multiplicand_sm70.h, ..._sm75.h, ..._sm80.h; those that
 * examples/03_visualize_layout registers are among them. The classes for matrices, "RowMajor..."
 * and "ColumnMajor...", exchange coordinates and are otherwise the same. */
#ifndef CUTLASS_KINDS_H
#define CUTLASS_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A layout with its template arguments, and what its class computes from them. */
struct cutlass_instance {
    uint32_t argument[2];
    uint32_t bits;       /* of an element; 0 where the name does not say it */
    uint32_t access;     /* elements in one access, kElementsPerAccess; 1 where there are none */
    uint32_t factor;     /* how many rows share a line of 128 bytes, kFactor; likewise */
    uint32_t interleave; /* rows or columns that alternate; likewise */
    uint32_t stride;     /* of packed() */
};

/* What the template arguments are. */
enum cutlass_arguments { NONE, INTERLEAVE, BITS, BITS_CROSSWISE, BITS_INTERLEAVE, BITS_KBLOCK };

/* A class. The tile after which its pattern repeats is `tile` accesses by rows where it does not
 * depend on the arguments. */
struct cutlass_kind {
    const char *name;     /* for pitch-linear coordinates; NULL if there is no such class */
    const char *of_major; /* what follows RowMajor and ColumnMajor; NULL likewise */
    enum cutlass_arguments arguments;
    uint32_t bits;        /* of an element, where the arguments do not say it; or those of them
                             that this row is for */
    uint32_t access_bits; /* of an access; 0 if elements are on their own */
    uint32_t tile[2];
    bool has_factor; /* rows share lines */
    bool is_strided; /* the stride is the strided extent, else the contiguous one */
    uint32_t (*offset)(const struct cutlass_instance *x, uint32_t c, uint32_t s);
};

/* The class at a place in the table, or NULL behind its end. Where several have one name, those for
 * elements of one size come first. */
const struct cutlass_kind *mapping_cutlass_kind(size_t index);

/* The tile after which its pattern repeats, contiguous and strided. */
void mapping_cutlass_tile(const struct cutlass_kind *kind, const struct cutlass_instance *x,
                          uint32_t tile[2]);

#endif
