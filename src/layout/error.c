/* error.c - errors are values that travel up with a sentence; see mapping_fail.
 *
 * What stands in a format is ours. The texts that are put into it may be anything: so %s is done
 * here, and numbers are left to snprintf. */
#include "layout/error.h"

#include "layout/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sentence that is being written. */
struct sentence {
    struct mapping_error *error;
    size_t length, most; /* most: of bytes of each text in it, at least 3 */
    bool is_whole;       /* nothing had to be left out at its end */
};

/* One conversion of a format, such as "%.60s". */
struct conversion {
    const char *start;
    size_t length, stem; /* stem: of the part before its size and letter */
    bool is_message;     /* "%-s" */
    bool is_counted;     /* "%.*s": the bytes of the text are an argument */
    size_t precision;    /* SIZE_MAX if there is none */
    char size;           /* 'l', 'L' of "ll", 'z', or '\0' */
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

/* Adds text from outside. */
static void add_text(struct sentence *sentence, const char *text, size_t size, size_t most) {
    char printed[sizeof sentence->error->message];
    most = most < sentence->most ? most : sentence->most;
    const size_t length = mapping_printable(text, size, printed, most);
    add(sentence, printed, length);
}

/* Takes a whole number of any size. */
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

/* Adds a number as snprintf writes it: whole ones all as long long. */
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

/* Writes the sentence. False if it does not fit. */
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
    bool is_whole = !error; /* then nobody asks why */
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
