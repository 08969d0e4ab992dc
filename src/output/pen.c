/* pen.c - what text on a terminal is written with; see pen.h. */
#include "output/pen.h"

/* Black of the 256 colors, which no theme changes. */
#define DARK_TEXT "38;5;16"

struct pen pen_of(struct printer *to, const struct style *style) {
    return (struct pen){to, style->is_tinted, style->has_true_color, INK_PLAIN};
}

/* Changes the color behind the text; "0;" before it ends what was. */
static void take_color(const struct pen *pen, unsigned color) {
    const char *before = pen->ink == INK_PLAIN ? DARK_TEXT ";"
                         : pen->ink == INK_DIM ? "0;" DARK_TEXT ";"
                                               : "";
    uint32_t rgb = color_rgb(color);
    if (pen->has_true_color)
        print(pen->to, "\033[%s48;2;%u;%u;%um", before, rgb >> 16, rgb >> 8 & 255, rgb & 255);
    else
        print(pen->to, "\033[%s48;5;%um", before, color_of_256(color));
}

void pen_take(struct pen *pen, unsigned ink) {
    if (!pen->is_tinted || ink == pen->ink)
        return;
    if (ink < COLORS)
        take_color(pen, ink);
    else if (ink == INK_PLAIN)
        print_text(pen->to, "\033[0m");
    else
        print_text(pen->to, pen->ink == INK_PLAIN ? "\033[2m" : "\033[0;2m");
    pen->ink = ink;
}
