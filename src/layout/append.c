/* append.c - text that is put together from pieces; see append.h. */
#include "layout/append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void mapping_append(char *text, size_t size, const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

const char *mapping_plural(uint32_t count) {
    return count == 1 ? "" : "s";
}
