/* error.c - errors are values that travel up with a sentence. */
#include "mapping.h"

#include <stdarg.h>
#include <stdio.h>

enum mapping_status mapping_fail(struct mapping_error *error, enum mapping_status status,
                                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

enum mapping_status mapping_out_of_memory(struct mapping_error *error) {
    return mapping_fail(error, MAPPING_FAILED, "out of memory");
}
