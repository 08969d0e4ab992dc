/* markup.c - text inside of XML and HTML; see markup.h. */
#include "output/markup.h"

#include <ctype.h>

int utf8_length(const char *text) {
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    if (*bytes < 0x80)
        return *bytes == '\n' || !iscntrl(*bytes);
    int length = *bytes < 0xc0 ? 0 : *bytes < 0xe0 ? 2 : *bytes < 0xf0 ? 3 : *bytes < 0xf8 ? 4 : 0;
    uint32_t code = *bytes & (0x7fU >> length);
    for (int n = 1; n < length; n++) {
        if ((bytes[n] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[n] & 0x3f);
    }
    bool is_set_aside = (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff;
    return code < least[length] || code > 0x10ffff || is_set_aside ? 0 : length;
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
