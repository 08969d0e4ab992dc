/* colors.c - the colors of cells; see colors.h. */
#include "output/colors.h"

#include "layout/layouts.h"

#include <stddef.h>

static const struct {
    const char *name, *axis;
} kinds[] = {[COLOR_BY_USUAL] = {NULL, NULL},
             [COLOR_BY_THREAD] = {"thread", MAPPING_AXIS_TID},
             [COLOR_BY_ELEMENT] = {"element", MAPPING_AXIS_I},
             [COLOR_BY_BANK] = {"bank", "bank"},
             [COLOR_BY_LANE] = {"lane", MAPPING_AXIS_LANE},
             [COLOR_BY_COLUMN] = {"column", MAPPING_AXIS_COLUMN}};

const char *color_by_name(enum color_by by) {
    return kinds[by].name;
}

const char *color_by_axis(enum color_by by) {
    return kinds[by].axis;
}

unsigned color_of(enum color_by by, uint32_t number, uint32_t bits) {
    enum { REGISTER_BITS = 32 };
    if (by != COLOR_BY_ELEMENT)
        return number % COLORS;
    uint32_t in_register = bits < REGISTER_BITS ? REGISTER_BITS / bits : 1;
    uint32_t held_by = number / in_register, shade = number % in_register + held_by / HUES;
    return held_by % HUES * SHADES + shade % SHADES;
}

uint32_t color_rgb(unsigned color) {
    static const uint32_t rgb[HUES][SHADES] = {
        {0xd5e5ff, 0xb3d3fe, 0x8ec2fe, 0x62b1fe}, {0xfcf3e8, 0xe9dfd4, 0xd6ccbf, 0xc5b9ac},
        {0xd1ffbf, 0xb9eca5, 0xa1da8d, 0x8ac975}, {0xffdaeb, 0xffbedd, 0xffa1d0, 0xf788c2},
        {0xdee9c1, 0xcad6aa, 0xb6c493, 0xa3b27e}, {0xc3fcff, 0x75f1f6, 0x48dfe6, 0x05cdd4},
        {0xf5e69f, 0xe2d384, 0xcfc069, 0xbdaf4e}, {0xa8f4d3, 0x8ce2be, 0x6fd0a9, 0x51bf96}};
    return rgb[color / SHADES % HUES][color % SHADES];
}
