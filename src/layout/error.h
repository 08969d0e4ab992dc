/* error.h - for those that write sentences for others; see mapping_fail. */
#ifndef ERROR_H
#define ERROR_H

#include "mapping.h"

#include <stdarg.h>

/* Is mapping_fail with the arguments of a function that takes what printf does. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 0)))
#endif
enum mapping_status
mapping_fail_with(struct mapping_error *error, enum mapping_status status, const char *format,
                  va_list arguments);

#endif
