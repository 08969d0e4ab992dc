/* triton_names.h - the layouts that files of Triton define, by name: 'kernel.ttgir#mma', or '#mma'
 * with
 * --map=kernel.ttgir; of several in an IR dump, 'kernel.mlir:90#mma' is the last one before
 * line 90.
 */
#ifndef TRITON_NAMES_H
#define TRITON_NAMES_H

#include "command/request.h"

/* Replaces all names of such layouts by what they stand for, in the type of a tensor; and gives all
 * layouts of Triton without a type the shape of --shape. A file alone becomes ACTION_DEFINED, which
 * lists its layouts; a table of --map with a question, the subject that it is asked about.
 * MAPPING_INVALID if a name is unknown, or of several layouts or shapes. */
enum mapping_status defined_resolve(struct request *request, struct mapping_error *error);

#endif
