/* ascii.h - letters and digits of ASCII, independent of the locale: in a Turkish locale,
 * tolower('I') is not 'i'. */
#ifndef ASCII_H
#define ASCII_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool ascii_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline char ascii_upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static inline bool ascii_is_letter(char c) {
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

static inline bool ascii_is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline const char *ascii_skip_blanks(const char *text) {
    while (ascii_is_blank(*text))
        text++;
    return text;
}

/* True if the first `length` characters are the same, in upper or lower case. */
static inline bool ascii_begins_alike(const char *a, const char *b, size_t length) {
    for (size_t n = 0; n < length; n++) {
        if (ascii_lower(a[n]) != ascii_lower(b[n]))
            return false;
        if (!a[n])
            return true;
    }
    return true;
}

/* True if the text ends with `end`, in upper or lower case. */
static inline bool ascii_ends_alike(const char *text, const char *end) {
    const size_t length = strlen(text), size = strlen(end);
    return length >= size && ascii_begins_alike(text + length - size, end, size);
}

/* The length of the identifier at the start of the text: letters, digits and underscores. */
static inline size_t ascii_identifier_length(const char *text) {
    return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
}

#endif
