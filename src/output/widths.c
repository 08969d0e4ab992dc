/* widths.c - all widths of a fragment; see widths.h. */
#include "output/widths.h"

#include "layout/sentence.h"

#include <stdio.h>

/* How many widths from the first on are equally far apart. */
static size_t count_equal(const struct mapping_widths *widths, size_t first) {
    const uint16_t *n = widths->n;
    size_t end = first + 1;
    while (end < widths->count && n[end] - n[end - 1] == n[first + 1] - n[first])
        end++;
    return end - first;
}

void widths_text(const struct mapping_fragment *fragment, char text[WIDTHS_TEXT]) {
    enum { LONG = 4 }; /* which are not all written */
    const struct mapping_widths *widths = fragment->widths;
    *text = '\0';
    for (size_t w = 0, equal; widths && w < widths->count; w += equal) {
        const char *comma = w > 0 ? ", " : "";
        equal = count_equal(widths, w);
        if (equal >= LONG) {
            mapping_append(text, WIDTHS_TEXT, "%s%u, %u .. %u", comma, widths->n[w],
                           widths->n[w + 1], widths->n[w + equal - 1]);
            continue;
        }
        equal = 1;
        mapping_append(text, WIDTHS_TEXT, "%s%u", comma, widths->n[w]);
    }
}

void widths_print(struct printer *to, const struct mapping_fragment *fragment, char between) {
    const struct mapping_widths *widths = fragment->widths;
    for (size_t w = 0; widths && w < widths->count; w++) {
        if (w > 0)
            print_char(to, between);
        print_number(to, widths->n[w]);
    }
}
