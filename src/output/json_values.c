/* json_values.c - prints JSON by patterns; see json.h. Numbers of arrays are printed without
 * printf, which would take half of the time for arrays of thousands of numbers. */
#include "output/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Prints a text in quotes; null for NULL. */
static void print_quoted(struct printer *to, const char *text) {
    enum { LONGEST = 6 }; /* \u001f */
    if (!text) {
        print_text(to, "null");
        return;
    }
    char *start = printer_room(to, strlen(text) * LONGEST + 2), *end = start;
    *end++ = '"';
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            *end++ = '\\';
        if (c < 0x20)
            end += sprintf(end, "\\u%04x", c);
        else
            *end++ = (char)c;
    }
    *end++ = '"';
    to->size += (size_t)(end - start);
}

/* Prints the comma between the previous and the next value. */
static void print_comma(struct printer *to) {
    size_t end = to->size;
    while (end > 0 && (to->text[end - 1] == ' ' || to->text[end - 1] == '\n'))
        end--;
    const bool is_first = end == 0 || memchr("{[:,", to->text[end - 1], 4);
    if (!is_first)
        print_char(to, ',');
}

/* Prints the argument for a conversion such as %u in the pattern; returns the text after the
 * conversion. */
static const char *print_value(struct printer *to, const char *conversion, bool is_quoted,
                               va_list *arguments) {
    if (*conversion == 'u') {
        print_number(to, va_arg(*arguments, unsigned));
    } else if (*conversion == 'd') {
        print_text(to, va_arg(*arguments, int) ? "true" : "false");
    } else if (*conversion == 's' && is_quoted) {
        print_text(to, va_arg(*arguments, const char *));
    } else if (*conversion == 's') {
        print_quoted(to, va_arg(*arguments, const char *));
    } else if (strncmp(conversion, "zu", 2) == 0) {
        print(to, "%zu", va_arg(*arguments, size_t));
        return conversion + 2;
    } else {
        const bool is_signed = strncmp(conversion, "lld", 3) == 0;
        print(to, is_signed ? "%lld" : "%llu", va_arg(*arguments, long long));
        return conversion + 3;
    }
    return conversion + 1;
}

/* The length of the word at the beginning of a pattern. */
static size_t word_length(const char *pattern) {
    size_t length = 0;
    while ((pattern[length] >= 'a' && pattern[length] <= 'z') || pattern[length] == '_' ||
           (pattern[length] >= '0' && pattern[length] <= '9'))
        length++;
    return length;
}

void json(struct printer *to, const char *pattern, ...) {
    bool is_quoted = false;
    va_list arguments;
    va_start(arguments, pattern);
    if (*pattern != '}' && *pattern != ']')
        print_comma(to);
    while (*pattern) {
        const size_t length = is_quoted ? 0 : word_length(pattern);
        if (*pattern == '%') {
            pattern = print_value(to, pattern + 1, is_quoted, &arguments);
        } else if (length > 0) {
            const bool is_key = pattern[length] == ':';
            char *place = printer_room(to, length + 2);
            *place = '"';
            memcpy(place + is_key, pattern, length);
            place[length + 1] = '"';
            to->size += is_key ? length + 2 : length;
            pattern += length;
        } else {
            is_quoted ^= *pattern == '"';
            print_char(to, *pattern++);
        }
    }
    va_end(arguments);
}

void json_key(struct printer *to, const char *key) {
    print_comma(to);
    print_char(to, '"');
    print_text(to, key);
    print_text(to, "\":");
}

void json_array(struct printer *to, const uint32_t *numbers, size_t count) {
    json(to, "[");
    for (size_t n = 0; n < count; n++)
        json(to, "%u", numbers[n]);
    print_char(to, ']');
}

void json_numbers(struct printer *to, const char *key, const uint32_t *numbers, size_t count) {
    json(to, "%s:", key);
    json_array(to, numbers, count);
}

void json_strings(struct printer *to, const struct strings *strings) {
    json(to, "[");
    for (size_t n = 0; n < strings->count; n++)
        json(to, "%s", strings->text[n]);
    print_char(to, ']');
}
