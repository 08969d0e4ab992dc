/* model.h - `make lint` includes this before each file. Static analyzers see only one file at a
 * time. These definitions show them that functions of sentence.c return the status that they are
 * given; clang 14 only follows the functions without "...". */
#ifndef MODEL_H
#define MODEL_H

#include "layout/sentence.h"

#define MODEL extern inline __attribute__((gnu_inline)) enum mapping_status

MODEL mapping_fail_with(struct mapping_error *error, enum mapping_status status, const char *format,
                        va_list arguments) {
    (void)arguments;
    if (error)
        error->message[0] = *format;
    return status;
}

MODEL mapping_fail(struct mapping_error *error, enum mapping_status status, const char *format,
                   ...) {
    if (error)
        error->message[0] = *format;
    return status;
}

MODEL mapping_out_of_memory(struct mapping_error *error) {
    if (error)
        error->message[0] = 'o';
    return MAPPING_FAILED;
}

#endif
