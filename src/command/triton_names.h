/* triton_names.h - the layouts that files of Triton define, by name: 'kernel.ttgir#mma', or '#mma'
 * with --map=kernel.ttgir. An IR dump can define a name several times; 'kernel.mlir:90#mma' is the
 * last definition before line 90. */
#ifndef TRITON_NAMES_H
#define TRITON_NAMES_H

#include "command/request.h"

/* Replaces all names of such layouts by tensor types that contain the definitions, and adds the
 * shape of --shape to Triton layouts without a type. If the subject is only a file, the action
 * becomes ACTION_DEFINED, which lists its layouts. If --map is used with a question, its table
 * becomes the subject. MAPPING_INVALID if a name is unknown, or has several definitions or shapes.
 */
enum mapping_status defined_resolve(struct request *request, struct mapping_error *error);

#endif
