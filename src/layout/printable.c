/* printable.c - text from outside as it may be printed; see printable.h. */
#include "layout/printable.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t mapping_utf8(const char *text, size_t size, uint32_t *character) {
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

/* True if no text should have the character as it is. */
static bool is_hidden(uint32_t character) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0, 0x1f},          {0x7f, 0x9f},     {0xad, 0xad},     /* controls; soft hyphen */
        {0x61c, 0x61c},     {0x200b, 0x200f}, {0x2028, 0x202e}, /* directions, ends of lines */
        {0x2060, 0x206f},   {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, /* and what has no width */
        {0xe0000, 0xe0fff}, {0xfdd0, 0xfdef},                   /* tags; set aside */
    };
    for (size_t h = 0; h < sizeof hidden / sizeof *hidden; h++)
        if (character >= hidden[h].first && character <= hidden[h].last)
            return true;
    return (character & 0xfffe) == 0xfffe; /* U+FFFE, U+FFFF and so on are set aside too */
}

size_t mapping_printable_character(const char *text, size_t size, char printed[PRINTABLE_SIZE]) {
    static const char letters[] = "abtnvfr"; /* of 7 to 13 */
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

/* How many bytes the text has when it is printed. */
static size_t printed_length(const char *text, size_t size) {
    char printed[PRINTABLE_SIZE];
    size_t length = 0;
    for (size_t n = 0; n < size; length += strlen(printed))
        n += mapping_printable_character(text + n, size - n, printed);
    return length;
}

size_t mapping_printable(const char *text, size_t size, char *printed, size_t most) {
    static const char gap[] = "...";
    size_t all = printed_length(text, size), room = most > 3 ? most - 3 : 0;
    size_t head = all > most ? (room + 1) / 2 : all, tail = all > most ? all - room / 2 : all;
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
