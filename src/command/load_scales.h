/* load_scales.h - --load of scale factors in Tensor Memory. */
#ifndef COMMAND_LOAD_SCALES_H
#define COMMAND_LOAD_SCALES_H

#include "command/request.h"

/* True if the request loads such an operand from a matrix in memory. */
bool is_scale_copy(const struct request *request);

/* Prints with which instructions tcgen05.cp copies it. */
enum mapping_status command_scale_copy(const struct request *asked, struct pages *pages,
                                       struct mapping_error *error);

#endif
