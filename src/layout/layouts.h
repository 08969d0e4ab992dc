/* layouts.h - spaces, layouts as tables, formulae, and tiles. */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include "mapping.h"
#include "system/error.h"

/* The threads of a warp. */
#define MAPPING_WARP 32

/* ---- Spaces ---- */

#define MAPPING_AXES_MAX 8

/* A list of axes. Its points are numbered with the last axis running fastest. */
struct mapping_space {
    uint32_t count;
    struct mapping_axis axis[MAPPING_AXES_MAX];
};

/* The number of points: the product of the sizes, 1 without axes; SIZE_MAX if it is larger. */
size_t mapping_space_size(const struct mapping_space *space);

/* The place of the axis of that name, or -1. */
int mapping_space_find(const struct mapping_space *space, const char *name);

/* True if both have the same axes, of the same sizes, in the same order. */
bool mapping_space_equal(const struct mapping_space *a, const struct mapping_space *b);

/* True if the axes have the same names, in the same order, whatever their sizes are. */
bool mapping_space_alike(const struct mapping_space *a, const struct mapping_space *b);

/* The number of a point, which has a coordinate for each axis, and the point of a number. */
size_t mapping_space_number(const struct mapping_space *space, const uint32_t *point);
void mapping_space_point(const struct mapping_space *space, size_t number, uint32_t *point);

/* Words for the axis: in a sentence, after a number, and as the title of a grid: "thread",
 * "threads" and "ThreadIdx" for tid, "column", "cols" and "Col" for col. Other axes keep their
 * names. */
const char *mapping_axis_word(const char *name);
const char *mapping_axis_plural(const char *name);
const char *mapping_axis_title(const char *name);

/* ---- Layouts ---- */

/* A table: coordinate[c][n] is where point n of `from` lies along axis c of `to`. */
struct mapping_layout {
    struct mapping_space from, to;
    uint32_t *coordinate[MAPPING_AXES_MAX]; /* one allocation of the library */
};

/* Makes a layout with every coordinate UINT32_MAX. MAPPING_INVALID if a space has more than
 * MAPPING_AXES_MAX axes or no points, or `from` has 2^32 points or more. Free it with
 * mapping_layout_free. */
enum mapping_status mapping_layout_init(struct mapping_layout *layout,
                                        const struct mapping_space *from,
                                        const struct mapping_space *to,
                                        struct mapping_error *error);

/* Frees the memory of the layout. A zeroed layout is allowed. */
void mapping_layout_free(struct mapping_layout *layout);

/* The number of entries: the size of `from`. */
size_t mapping_layout_entries(const struct mapping_layout *layout);

/* The number, in `to`, of the point that entry n goes to; its coordinates are inside. */
size_t mapping_layout_target(const struct mapping_layout *layout, size_t n);

/* The number of entries that map to the same point, if all points are reached equally often: the
 * quotient of the sizes; 0 if `to` has no points. */
uint32_t mapping_layout_copies(const struct mapping_layout *layout);

/* Makes the layout that is stated by its bases: for each axis of `to`, behind bars, the bits that
 * its coordinate consists of, lowest first; each is the letter of an axis of `from` and the number
 * of a bit of it. In "t2 t3 t4 i1 | i0 t0 t1" bits 2, 3 and 4 of tid are bits 0 to 2 of the row and
 * bit 1 of i is bit 3; "i2.." is bit 2 of i and all above. A bit that is nowhere numbers copies.
 *
 * Besides, "r0-6" is bits 0 to 6, those that the axis does not have being 0; "i*" all bits that
 * there are; "0" and "1" a bit that always is; "c/2" which half of its axis the coordinate is in,
 * and "c%2" its place there: of sizes that need no power of two; "c%2:0-4" and "c%2:5.." bits of
 * that place; and "r+1" is the coordinate and 1 more. The letter of an axis is the first of its
 * name that no axis before it has: o of copy where there is a col.
 *
 * MAPPING_INVALID with a sentence for anything else: a letter that no axis has, a bit that the axis
 * does not have, too many or too few bars. */
enum mapping_status mapping_layout_state(struct mapping_layout *layout,
                                         const struct mapping_space *from,
                                         const struct mapping_space *to, const char *bases,
                                         struct mapping_error *error);

/* True if both have the same spaces and the same entries. */
bool layout_equal(const struct mapping_layout *a, const struct mapping_layout *b);

/* MAPPING_INVALID with a sentence unless each entry lies inside `to` and each point of `to` is met
 * equally often, that is, unless the layout can be inverted. */
enum mapping_status mapping_layout_check(const struct mapping_layout *layout,
                                         struct mapping_error *error);

/* Inverts a layout: from the axes of `to`, and behind them one of that name that numbers the copies
 * of a point in ascending order, to the axes of `from`. MAPPING_INVALID as mapping_layout_check. */
enum mapping_status layout_invert(const struct mapping_layout *layout, const char *copy,
                                  struct mapping_layout *inverse, struct mapping_error *error);

/* Makes the layout that applies `first` and then `second`. MAPPING_INVALID if first->to is not
 * second->from, or an entry of `first` lies outside of it. */
enum mapping_status layout_compose(const struct mapping_layout *first,
                                   const struct mapping_layout *second,
                                   struct mapping_layout *composed, struct mapping_error *error);

/* Makes the product: `outer` repeats `inner`. An axis that both have is joined, and its coordinate
 * is that of `inner` plus the size there times that of `outer`. MAPPING_INVALID if there are too
 * many axes, or an axis becomes too long. */
enum mapping_status layout_product(const struct mapping_layout *inner,
                                   const struct mapping_layout *outer,
                                   struct mapping_layout *product, struct mapping_error *error);

/* Makes the part where the coordinate along an axis of `from` is first .. first + count - 1; there
 * it counts from 0. MAPPING_INVALID if there is no such axis or coordinate. */
enum mapping_status layout_restrict(const struct mapping_layout *layout, const char *axis,
                                    uint32_t first, uint32_t count, struct mapping_layout *part,
                                    struct mapping_error *error);

/* ---- Formulae ---- */

/* ((v & mask) << shift), or >> -shift where shift is negative; v is the coordinate along `axis`. */
struct mapping_term {
    uint32_t mask;
    int8_t shift;
    uint8_t axis;
};

/* Enough for any formula in two coordinates, or in more whose values have few bits. */
#define MAPPING_MAX_TERMS 128

/* A constant and terms, combined by `operation`, '+' or '^'. The terms of axis a are
 * terms[first[a]] .. terms[first[a + 1] - 1]. */
struct mapping_formula {
    char operation;
    uint32_t constant;
    uint8_t first[MAPPING_AXES_MAX + 1];
    struct mapping_term terms[MAPPING_MAX_TERMS];
};

/* Deduces the formula of one coordinate from its values at all points of a space, in their order.
 *
 * The search covers a constant plus a sum of shifted and masked coordinates, and, if no sum fits,
 * the same with exclusive or. The form is canonical: terms of one axis by lowest mask bit; terms of
 * one axis and one shift are one term. The formula has been evaluated and compared at every point
 * when this returns true; false means that no such formula of up to MAPPING_MAX_TERMS terms gives
 * these values. Takes time linear in the points, and no memory. */
bool mapping_deduce(const struct mapping_space *from, const uint32_t *values,
                    struct mapping_formula *formula);

/* The value of the formula at a point of a space of `axes` axes. */
uint32_t mapping_formula_evaluate(const struct mapping_formula *formula, uint32_t axes,
                                  const uint32_t *point);

/* Makes the layout that formulae give, one for each axis of `to`. */
enum mapping_status mapping_layout_evaluate(struct mapping_layout *layout,
                                            const struct mapping_space *from,
                                            const struct mapping_space *to,
                                            const struct mapping_formula *formulae,
                                            struct mapping_error *error);

/* Writes the formula as a C expression, e.g. "16 + (i & 5) + (tid & 10)": the constant, then terms
 * by axis, in the order of the space but for the axes of fragments, of which i comes before tid,
 * and row and col before block and copy. Works as snprintf does: returns the length that the whole
 * expression has, and writes what fits into `size` bytes. */
size_t mapping_formula_print(const struct mapping_formula *formula,
                             const struct mapping_space *from, char *text, size_t size);

/* Writes the formula with / % and * for masks and shifts, "tid / 4 + i / 2 * 8", axes in the order
 * of the space. It holds where coordinates lie inside of their axes. Works as above. */
size_t mapping_formula_print_divided(const struct mapping_formula *formula,
                                     const struct mapping_space *from, char *text, size_t size);

/* Reads an expression that mapping_formula_print has printed. False for any other text. */
bool mapping_formula_parse(const char *text, const struct mapping_space *from,
                           struct mapping_formula *formula);

/* ---- Tiled multiplications ---- */

#define MAPPING_MODES 48

/* A layout as CuTe has it, with all nesting flattened: a function of one number, whose digits, the
 * first mode's lowest, are multiplied by the strides and added up. */
struct mapping_modes {
    uint32_t count;
    uint32_t shape[MAPPING_MODES], stride[MAPPING_MODES];
};

/* How a multiplication is repeated over a tile: the arguments of CuTe's make_tiled_mma other than
 * the atom. For M, N, K. */
struct mapping_tiling {
    struct mapping_modes atoms[3];        /* AtomLayoutMNK, mode by mode */
    struct mapping_modes permutations[3]; /* PermutationMNK; without modes where it is "_" */
};

/* Reads an atom layout, "(2,2,1):(2,1,0)", and the permutations, "((4,4,2):(1,8,4)),32,4", in
 * CuTe's notation: "_2" for "2" is allowed, so are modes that are left out at the end, a layout
 * without strides, which is then compact with the first mode fastest, and "_" for no permutation.
 * NULL means CuTe's default. MAPPING_INVALID with a sentence. */
enum mapping_status mapping_tiling_parse(const char *atom_layout, const char *permutation,
                                         struct mapping_tiling *tiling,
                                         struct mapping_error *error);

/* One operand of an atom, which is repeated over the tile. */
struct mapping_atom {
    uint32_t size[3];  /* of the multiplication, along M, N and K */
    uint8_t mode[2];   /* which of these rows and columns run along: 0 for M, 1 for N, 2 for K */
    bool is_quad_pair; /* of mma.m8n8k4: threads 0 to 3 and 16 to 19 of a warp, and block 0 */
    struct mapping_space from; /* (tid, i) of the whole instruction */
};

/* The spaces of the operand's tile: (tid, i) and (row, col). The permutations determine its size.
 * If they are smaller than the area of the atoms, several atoms hold the same elements.
 * MAPPING_INVALID if CuTe does not compile the tiling for this operand. */
enum mapping_status mapping_tile_spaces(const struct mapping_tiling *tiling,
                                        const struct mapping_atom *atom, struct mapping_space *from,
                                        struct mapping_space *to, struct mapping_error *error);

/* Makes the layout of the operand's tile out of that of the atom. MAPPING_INVALID as above, or if
 * it does not cover the tile. */
enum mapping_status mapping_tile(const struct mapping_tiling *tiling,
                                 const struct mapping_atom *atom,
                                 const struct mapping_layout *layout, struct mapping_layout *tiled,
                                 struct mapping_error *error);

#endif
