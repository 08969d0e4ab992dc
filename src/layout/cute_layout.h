/* cute_layout.h - layouts in the algebra of CuTe. */
#ifndef LAYOUT_CUTE_LAYOUT_H
#define LAYOUT_CUTE_LAYOUT_H

#include "layout/layouts.h"

/* The largest size of a layout that is accepted. */
enum { MODES_SIZE_MAX = 1 << 20 };

/* The reason why a text is not a layout, and the place of the error. */
struct mapping_modes_fault {
    const char *reason; /* "a parenthesis is not closed" */
    const char *place;  /* in the text */
};

/* Reads a layout: "(4,(2,2)):(1,(8,4))", "32", "32:1"; a C++ type,
 * "Layout<Shape<_2,_2>,Stride<_2,_1>>", with or without "{}"; or code, "make_layout(make_shape(2,
 * _2{}))" in C++ and "make_layout((2, 2), stride=(2, 1))" in Python. Returns the text after the
 * layout and the blanks that follow it; NULL, with the reason in *fault, if it is not a layout.
 * Writes the modes of its top level, at most `rank`, to modes[] and their number to *count. If
 * `rank` is 0, all modes are appended to modes[0], and *count is 1. */
const char *mapping_modes_read(const char *text, struct mapping_modes *modes, unsigned rank,
                               unsigned *count, struct mapping_modes_fault *fault);

/* Skips blanks, "using NAME =", and the scopes of CUTLASS, in any order: cutlass::, layout::,
 * cute::, cute., SM90::, SM100::, GMMA:: and UMMA::. Returns the rest of the text. */
const char *mapping_skip_scopes(const char *text);

/* Skips blanks and everything that often precedes a layout: a name ("tCsA: ", "T32V4:", "auto sA =
 * "), comments, and "(T32,V4) -> (M16,N8)". */
const char *mapping_behind_label(const char *text);

/* Skips blanks, scopes, and one word out of a list of words separated by blanks: returns "4>" for
 * "cute::C <4>" and "C< Int<". NULL if none of the words follows. */
const char *mapping_behind_word(const char *text, const char *words);

/* Returns the text after the parenthesis that closes the "(" at the start of the text; NULL if
 * there is none. */
const char *mapping_behind_parentheses(const char *text);

/* The words with which a tuple of CuTe begins: "(", or one of its types. All types have the same
 * meaning: a shape may also be written as Stride<...>. */
#define MAPPING_TUPLES                                                                             \
    "( Shape< Stride< Step< Coord< tuple< Tile< make_shape( make_stride( make_tuple( make_tile( "  \
    "make_step("

/* The words with which a layout in code begins. */
#define MAPPING_LAYOUTS "Layout< make_layout( make_ordered_layout( Layout("

/* The number of arguments of the function, and its value for one. For larger arguments, the last
 * mode continues. */
uint32_t mapping_modes_size(const struct mapping_modes *modes);
uint32_t mapping_modes_at(const struct mapping_modes *modes, uint32_t argument);

/* ---- From tables ---- */

/* A swizzle: `bits` bits of a number from bit `base` on are exclusive-ored with the bits `shift`
 * positions above them, Sw<bits,base,shift>. If shift is negative, the upper ones are
 * exclusive-ored with the lower ones. bits is 0 for no swizzle. */
struct mapping_swizzle {
    int bits, base, shift;
};

/* Applies the swizzle to a number. */
uint32_t mapping_swizzled(const struct mapping_swizzle *swizzle, uint32_t value);

/* A layout as CuTe prints it: a mode for each axis, and perhaps a swizzle, which is applied to the
 * result. */
struct mapping_cute {
    struct mapping_swizzle swizzle;
    uint32_t count;
    struct mapping_modes axis[MAPPING_AXES_MAX];
};

/* Writes the values of a layout at all points, with the last axis fastest, and returns the largest
 * value. `start` is added to each before the swizzle. */
uint32_t mapping_cute_fill(const struct mapping_cute *cute, uint32_t start, uint32_t *values);

/* Finds the layout in CuTe's algebra that has these values at all points of a space, given in the
 * order of the points. Each axis is coalesced, and the layout is compared at every point. False if
 * there is none. */
bool mapping_cute_find(const struct mapping_space *from, const uint32_t *values,
                       struct mapping_cute *cute);

/* Moves the mode of the stages, which are the first axis of a matrix in memory, after those of rows
 * and columns, as CuTe writes it: (64,64,3):(72,1,4608). */
void mapping_cute_put_stages_last(const struct mapping_space *from, struct mapping_cute *cute);

/* Writes "((4,8),(2,2)):((32,1),(16,8))", with "Sw<3,4,3> o 0 o " before it if there is a swizzle;
 * or the C++ type. Works as snprintf does. */
size_t mapping_cute_print(const struct mapping_cute *cute, char *text, size_t size);
size_t mapping_cute_print_type(const struct mapping_cute *cute, char *text, size_t size);

#endif
