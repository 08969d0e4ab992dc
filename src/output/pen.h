/* pen.h - what text on a terminal is written with: tints, by escape sequences. Without tints they
 * are left out, and the text is as it would be in a file. */
#ifndef PEN_H
#define PEN_H

#include "output/colors.h"
#include "output/output.h"

/* Beside the colors, which are behind dark text: usual text, and text that stands back. */
enum { INK_PLAIN = COLORS, INK_DIM };

struct pen {
    struct printer *to;
    bool is_tinted, has_true_color;
    unsigned ink;
};

/* A pen with plain ink. */
struct pen pen_of(struct printer *to, const struct style *style);

/* What is printed from here on has this ink. Every line has to end with plain ink. */
void pen_take(struct pen *pen, unsigned ink);

#endif
