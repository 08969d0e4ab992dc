/* markup.c - text inside of XML and HTML; see markup.h. */
#include "output/markup.h"

void print_markup(struct printer *to, const char *text, size_t length) {
    for (const char *end = text + length; text < end; text++) {
        if (*text == '&')
            print_text(to, "&amp;");
        else if (*text == '<' || *text == '>')
            print_text(to, *text == '<' ? "&lt;" : "&gt;");
        else
            print_char(to, *text);
    }
}
