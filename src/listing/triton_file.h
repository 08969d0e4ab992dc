/* triton_file.h - the layouts in a file that Triton dumps (.ttgir), or in a test of MLIR:
 *
 *     #blocked = #ttg.blocked<{...}>
 *     #mma = #ttg.nvidia_mma<{...}>
 *     ... tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> ...
 *
 * This file has three layouts: #blocked, #mma, and #ttg.dot_op<{...}>, which has no name. */
#ifndef TRITON_FILE_H
#define TRITON_FILE_H

#include "system/system.h"

/* A layout. In `text` and `expanded`, names of other layouts are replaced by their definitions. */
struct triton_definition {
    const char *name;        /* "#mma"; for a layout without a name, its text in the file */
    const char *text;        /* "#ttg.nvidia_mma<{...}>" */
    size_t line;             /* where it is defined, or first used; from 1 */
    bool is_ambiguous;       /* the file also defines another layout with this name */
    struct strings types;    /* types with this layout, as in the file: "tensor<64x64xf32, #mma>" */
    struct strings expanded; /* the same types with all names expanded */
};

struct triton_file {
    struct triton_definition *items;
    size_t count, capacity;
};

/* Finds the layouts in a file; other files have none. */
void triton_file_read(const char *text, struct triton_file *file);

/* Prints a text, and replaces each name of a layout by its last definition in the file. Other names
 * stay. */
void triton_file_expand(const struct triton_file *file, const char *text, size_t length,
                        struct printer *to);

#endif
