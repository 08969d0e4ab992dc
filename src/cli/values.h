/* values.h - what options are given: each function reads one argument into a request.
 * MAPPING_INVALID, with a sentence that says what would be right, if it cannot be read. */
#ifndef VALUES_H
#define VALUES_H

#include "command/request.h"

typedef enum mapping_status take_function(char *text, struct request *request,
                                          struct mapping_error *error);

take_function take_archs, take_diff, take_type, take_operand, take_format, take_style,
    take_color_by, take_color, take_sources, take_device, take_timeout, take_cuda, take_at,
    take_thread, take_register, take_lane, take_offset, take_extent, take_origin, take_axes,
    take_with, take_access, take_load, take_store, take_formula, take_topic;

/* Writes a list as a sentence has it: "a, b and c". Each word comes from name_at(n), NULL from the
 * end on. */
typedef const char *name_function(size_t n);
void list_names(name_function *name_at, char *text, size_t size);

/* What there is to choose from. */
name_function operand_name_at, format_name_at, style_name_at, color_by_name_at, color_name_at,
    source_name_at, access_name_at, topic_name_at;

#endif
