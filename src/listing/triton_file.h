/* triton_file.h - the layouts in a file that Triton dumps (.ttgir), or in a test of MLIR:
 *
 *     #blocked = #ttg.blocked<{...}>
 *     #mma = #ttg.nvidia_mma<{...}>
 *     ... tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> ...
 *
 * are the three layouts #blocked, #mma and #ttg.dot_op<{...}>, the last without a name. */
#ifndef TRITON_FILE_H
#define TRITON_FILE_H

#include "system/system.h"

/* A layout. In `text` and `expanded`, names of other layouts are replaced by what they stand for.
 */
struct triton_definition {
    const char *name;        /* "#mma"; of a layout that has none, its text as in the file */
    const char *text;        /* "#ttg.nvidia_mma<{...}>" */
    size_t line;             /* where it is defined, or first used; from 1 */
    bool is_ambiguous;       /* the file also defines another layout with this name */
    struct strings types;    /* that use it, as in the file: "tensor<64x64xf32, #mma>" */
    struct strings expanded; /* the same types */
};

struct triton_file {
    struct triton_definition *items;
    size_t count, room;
};

/* Finds the layouts of a file; none in a text that is no such file. */
void triton_file_read(const char *text, struct triton_file *file);

/* Prints a text, with the names of layouts that the file has defined last replaced by what they
 * stand for. Other names stay. */
void triton_file_expand(const struct triton_file *file, const char *text, size_t length,
                        struct printer *to);

#endif
