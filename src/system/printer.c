/* printer.c - text in memory, and printing to it. */
#include "system/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *printer_grow(struct printer *printer, size_t size) {
    printer->text = array_grow(printer->text, printer->size, size, &printer->capacity, 1);
    return printer->text + printer->size;
}

void print(struct printer *printer, const char *format, ...) {
    enum { USUAL = 64 }; /* most pieces are short, and are formatted directly into the text */
    va_list arguments;
    char *place = printer_room(printer, USUAL);
    size_t capacity = printer->capacity - printer->size;
    va_start(arguments, format);
    int length = vsnprintf(place, capacity, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length >= capacity) {
        place = printer_room(printer, (size_t)length + 1);
        va_start(arguments, format);
        vsnprintf(place, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    printer->size += length > 0 ? (size_t)length : 0;
}

void print_raw(struct printer *printer, const char *bytes, size_t size) {
    if (size == 0)
        return;
    memcpy(printer_room(printer, size), bytes, size);
    printer->size += size;
}

void print_strings(struct printer *printer, const struct strings *strings) {
    for (size_t n = 0; n < strings->count; n++)
        print(printer, "%s\n", strings->text[n]);
}

void print_text(struct printer *printer, const char *text) {
    print_raw(printer, text, strlen(text));
}

void print_wrapped(struct printer *printer, const char *text, size_t length,
                   const struct wrapping *how) {
    const size_t at = strlen(how->at);
    const char *const last = text + length;
    size_t column = how->column;
    for (const char *word = text, *end; word < last; word = end + 1) {
        for (end = word; end < last && strncmp(end, how->at, at) != 0;)
            end++;
        end += end < last ? at - 1 : 0;
        const size_t size = (size_t)(end - word);
        const bool fits = word == text || column + 1 + size <= how->width;
        if (word > text)
            print(printer, "%s%s", fits ? " " : "\n", fits ? "" : how->next);
        print_raw(printer, word, size);
        column = (fits ? column + (word > text) : strlen(how->next)) + size;
    }
}

void print_number(struct printer *printer, uint32_t number) {
    enum { DIGITS = 10 };
    size_t count = 1;
    for (uint32_t limit = 10; count < DIGITS && number >= limit; limit *= 10)
        count++;
    char *place = printer_room(printer, DIGITS);
    printer->size += count;
    while (number >= 10) {
        place[--count] = (char)('0' + number % 10);
        number /= 10;
    }
    *place = (char)('0' + number);
}

char *printer_string(struct printer *printer) {
    *printer_room(printer, 1) = '\0';
    return printer->text;
}

void printer_free(struct printer *printer) {
    mapping_free(printer->text);
    *printer = (struct printer){.text = NULL};
}
