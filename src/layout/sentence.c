/* sentence.c - formats messages; see sentence.h.
 *
 * An error is a value with a message. The format of a message is a constant of the program, but its
 * arguments may be untrusted text. So this file formats %s itself, and uses snprintf only for
 * numbers. */
#include "layout/sentence.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text that is put together from pieces ---- */

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

const char *mapping_separator(size_t n, size_t count, const char *last) {
    return n == 0 ? "" : n + 1 < count ? ", " : last;
}

/* ---- Untrusted text ---- */

/* The size of the longest escaped character with its final '\0'. */
enum { PRINTABLE_SIZE = 12 };

/* Reads the UTF-8 character at the start of `size` bytes, at least 1. Returns its length in bytes,
 * and writes its code point; UINT32_MAX, with length 1, if it is not valid. */
static size_t mapping_utf8(const char *text, size_t size, uint32_t *character) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = *bytes < 0xc0 ? 1 : *bytes < 0xe0 ? 2 : *bytes < 0xf0 ? 3 : 4;
    bool is_valid = (*bytes < 0x80 || *bytes >= 0xc0) && *bytes < 0xf8 && length <= size;
    uint32_t code = length == 1 ? *bytes : *bytes & (0x7fU >> length);
    for (size_t n = 1; n < length && is_valid; n++) {
        is_valid = (bytes[n] & 0xc0) == 0x80;
        code = code << 6 | (bytes[n] & 0x3f);
    }
    is_valid =
        is_valid && code >= least[length] && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    *character = is_valid ? code : UINT32_MAX;
    return is_valid ? length : 1;
}

/* True if the character must not be printed unescaped. */
static bool is_hidden(uint32_t character) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0, 0x1f},          {0x7f, 0x9f},
        {0xad, 0xad}, /* control characters; soft
                         hyphen */
        {0x61c, 0x61c},     {0x200b, 0x200f},
        {0x2028, 0x202e}, /* directional marks, line
                             separators */
        {0x2060, 0x206f},   {0xfeff, 0xfeff},
        {0xfff9, 0xfffb},                     /* and characters without width */
        {0xe0000, 0xe0fff}, {0xfdd0, 0xfdef}, /* tags; noncharacters */
    };
    for (size_t h = 0; h < sizeof hidden / sizeof *hidden; h++)
        if (character >= hidden[h].first && character <= hidden[h].last)
            return true;
    return (character & 0xfffe) == 0xfffe; /* noncharacters U+FFFE, U+FFFF and so on */
}

/* Writes the first character of a text of `size` bytes, at least 1, in printable form, and returns
 * its length in the text in bytes. */
static size_t mapping_printable_character(const char *text, size_t size,
                                          char printed[PRINTABLE_SIZE]) {
    static const char letters[] = "abtnvfr"; /* the escapes of characters 7 to 13 */
    uint32_t character;
    size_t length = mapping_utf8(text, size, &character);
    unsigned byte = (unsigned char)*text;
    if (character == UINT32_MAX || (is_hidden(character) && length == 1)) {
        if (byte >= '\a' && byte <= '\r')
            snprintf(printed, PRINTABLE_SIZE, "\\%c", letters[byte - '\a']);
        else
            snprintf(printed, PRINTABLE_SIZE, "\\x%02x", byte);
    } else if (is_hidden(character)) {
        snprintf(printed, PRINTABLE_SIZE, character > 0xffff ? "\\U%08x" : "\\u%04x",
                 (unsigned)character);
    } else {
        memcpy(printed, text, length);
        printed[length] = '\0';
    }
    return length;
}

/* The number of bytes of the text in printable form. */
static size_t printed_length(const char *text, size_t size) {
    char printed[PRINTABLE_SIZE];
    size_t length = 0;
    for (size_t n = 0; n < size; length += strlen(printed))
        n += mapping_printable_character(text + n, size - n, printed);
    return length;
}

size_t mapping_printable(const char *text, size_t size, char *printed, size_t most) {
    static const char gap[] = "...";
    size_t all = printed_length(text, size), capacity = most > 3 ? most - 3 : 0;
    size_t head = all > most ? (capacity + 1) / 2 : all,
           tail = all > most ? all - capacity / 2 : all;
    size_t length = 0, place = 0;
    bool has_gap = all <= most || most < sizeof gap - 1;
    for (size_t n = 0, one; n < size; place += one) {
        char character[PRINTABLE_SIZE];
        n += mapping_printable_character(text + n, size - n, character);
        one = strlen(character);
        if (place + one > head && place < tail) {
            memcpy(printed + length, gap, has_gap ? 0 : 3);
            length += has_gap ? 0 : 3;
            has_gap = true;
        } else {
            memcpy(printed + length, character, one);
            length += one;
        }
    }
    printed[length] = '\0';
    return length;
}

/* ---- Errors ---- */

/* An error message that is being written. */
struct sentence {
    struct mapping_error *error;
    size_t length, most; /* most: the largest number of bytes of each text in it, at least 3 */
    bool is_whole;       /* nothing was cut off at its end */
};

/* One conversion of a format, such as "%.60s". */
struct conversion {
    const char *start;
    size_t length, stem; /* stem: the length of the part before its size and letter */
    bool is_message;     /* "%-s": a message of the program */
    bool is_counted;     /* "%.*s": the length of the text is an argument */
    size_t precision;    /* SIZE_MAX if the conversion has none */
    char size;           /* 'l', 'L' for "ll", 'z', or '\0' */
    char letter;
};

static void add(struct sentence *sentence, const char *text, size_t length) {
    struct mapping_error *error = sentence->error;
    size_t left = sizeof error->message - sentence->length - 1;
    sentence->is_whole &= length <= left;
    length = length < left ? length : left;
    memcpy(error->message + sentence->length, text, length);
    sentence->length += length;
    error->message[sentence->length] = '\0';
}

static struct conversion read_conversion(const char *format) {
    struct conversion conversion = {.start = format, .precision = SIZE_MAX};
    const char *next = format + 1;
    conversion.is_message = *next == '-';
    next += strspn(next, "-0123456789");
    if (*next == '.') {
        conversion.is_counted = next[1] == '*';
        conversion.precision = strtoul(next + 1, NULL, 10);
        next += 1 + strspn(next + 1, "*0123456789");
    }
    conversion.stem = (size_t)(next - format);
    if (*next == 'l' || *next == 'z') {
        conversion.size = (char)(next[1] == 'l' ? 'L' : *next);
        next += next[1] == 'l' ? 2 : 1;
    }
    conversion.letter = *next;
    conversion.length = (size_t)(next - format) + 1;
    return conversion;
}

/* Adds untrusted text. */
static void add_text(struct sentence *sentence, const char *text, size_t size, size_t most) {
    char printed[sizeof sentence->error->message];
    most = most < sentence->most ? most : sentence->most;
    const size_t length = mapping_printable(text, size, printed, most);
    add(sentence, printed, length);
}

/* Reads the next argument, an integer of any size. */
static long long take_number(const struct conversion *conversion, va_list *arguments) {
    switch (conversion->size) {
    case 'L':
        return va_arg(*arguments, long long);
    case 'l':
        return va_arg(*arguments, long);
    case 'z':
        return (long long)va_arg(*arguments, size_t);
    default:
        if (conversion->letter == 'd')
            return va_arg(*arguments, int);
        return va_arg(*arguments, unsigned);
    }
}

/* Adds a number as snprintf writes it. All integers are converted to long long. */
static void add_number(struct sentence *sentence, const struct conversion *conversion,
                       va_list *arguments) {
    char format[16], number[64];
    bool is_whole = conversion->letter != 'g';
    snprintf(format, sizeof format, "%.*s%s%c", (int)conversion->stem, conversion->start,
             is_whole ? "ll" : "", conversion->letter);
    if (is_whole)
        snprintf(number, sizeof number, format, take_number(conversion, arguments));
    else
        snprintf(number, sizeof number, format, va_arg(*arguments, double));
    add(sentence, number, strlen(number));
}

static void add_argument(struct sentence *sentence, const struct conversion *conversion,
                         va_list *arguments) {
    if (conversion->letter == '%') {
        add(sentence, "%", 1);
    } else if (conversion->letter == 'c') {
        char c = (char)va_arg(*arguments, int);
        add_text(sentence, &c, 1, SIZE_MAX);
    } else if (conversion->letter != 's') {
        add_number(sentence, conversion, arguments);
    } else {
        int count = conversion->is_counted ? va_arg(*arguments, int) : 0;
        const char *text = va_arg(*arguments, const char *);
        if (conversion->is_message)
            add(sentence, text, strlen(text));
        else if (conversion->is_counted)
            add_text(sentence, text, strnlen(text, (size_t)count), SIZE_MAX);
        else
            add_text(sentence, text, strlen(text), conversion->precision);
    }
}

/* Writes the message. False if it does not fit. */
static bool write_sentence(struct sentence *sentence, const char *format, va_list *arguments) {
    while (*format) {
        size_t length = strcspn(format, "%");
        add(sentence, format, length);
        format += length;
        if (!*format)
            break;
        struct conversion conversion = read_conversion(format);
        add_argument(sentence, &conversion, arguments);
        format += conversion.length;
    }
    return sentence->is_whole;
}

enum mapping_status mapping_fail_with(struct mapping_error *error, enum mapping_status status,
                                      const char *format, va_list arguments) {
    enum { MOST = 512, LEAST = 8 };
    bool is_whole = !error; /* without an error object, no message is needed */
    for (size_t most = MOST; most >= LEAST && !is_whole; most /= 2) {
        struct sentence sentence = {error, 0, most, true};
        va_list again;
        va_copy(again, arguments);
        is_whole = write_sentence(&sentence, format, &again);
        va_end(again);
    }
    return status;
}

enum mapping_status mapping_fail(struct mapping_error *error, enum mapping_status status,
                                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    mapping_fail_with(error, status, format, arguments);
    va_end(arguments);
    return status;
}

enum mapping_status mapping_out_of_memory(struct mapping_error *error) {
    return mapping_fail(error, MAPPING_FAILED, "out of memory");
}
