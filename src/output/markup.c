/* markup.c - text inside of XML and HTML; see markup.h. */
#include "output/markup.h"

#include "layout/printable.h"

#include <string.h>

int utf8_length(const char *text) {
    enum { LONGEST = 4 };
    char printed[PRINTABLE_SIZE];
    if ((*text >= ' ' && *text <= '~') || *text == '\n') /* mostly */
        return 1;
    size_t length = mapping_printable_character(text, strnlen(text, LONGEST), printed);
    return memcmp(printed, text, length) == 0 ? (int)length : 0;
}

static void print_character(struct printer *to, const char *text, int length) {
    for (int n = 0; n < length; n++)
        print_char(to, text[n]);
}

void print_markup(struct printer *to, const char *text, size_t length) {
    for (const char *end = text + length; text < end;) {
        int taken = utf8_length(text);
        if (taken == 0)
            print_char(to, '?');
        else if (*text == '&')
            print_text(to, "&amp;");
        else if (*text == '<' || *text == '>')
            print_text(to, *text == '<' ? "&lt;" : "&gt;");
        else
            print_character(to, text, taken);
        text += taken ? taken : 1;
    }
}
