/* colors.h - the colors of cells: eight hues in four shades. Cells of one group have the same hue.
 * Adjacent cells of a group have shades that also differ in grey. Dark text is readable on all
 * colors. */
#ifndef COLORS_H
#define COLORS_H

#include <stdint.h>

enum { HUES = 8, SHADES = 4, COLORS = HUES * SHADES };

/* The property that a color shows. */
enum color_by {
    COLOR_BY_USUAL, /* the thread; in Tensor Memory, the lane; for a matrix in memory or an access,
                       the bank */
    COLOR_BY_THREAD,
    COLOR_BY_ELEMENT,
    COLOR_BY_BANK,
    COLOR_BY_LANE,
    COLOR_BY_COLUMN,
    COLOR_BY_COUNT
};

/* "thread", "element", "bank", "lane", "column"; NULL for the default. */
const char *color_by_name(enum color_by by);

/* The axis that these colors show: "tid", "i", "bank", "lane", "column". */
const char *color_by_axis(enum color_by by);

/* The color for a number. Four adjacent threads, lanes, columns or banks have the same hue, and
 * colors repeat after 32. Elements of `bits` bits in the same register have the same hue. */
unsigned color_of(enum color_by by, uint32_t number, uint32_t bits);

/* A color as 0xrrggbb. */
uint32_t color_rgb(unsigned color);

#endif
