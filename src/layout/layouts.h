/* layouts.h - spaces, layouts as tables, formulae, and tiles. */
#ifndef LAYOUTS_H
#define LAYOUTS_H

#include "mapping.h"
#include "system/error.h"

/* The threads of a warp. */
#define MAPPING_WARP 32

/* ---- Spaces ---- */

#define MAPPING_AXES_MAX 8

/* A list of axes. Its points are numbered so that the last axis runs fastest. */
struct mapping_space {
    uint32_t count;
    struct mapping_axis axis[MAPPING_AXES_MAX];
};

/* The number of points: the product of the sizes, 1 without axes; SIZE_MAX if it is larger. */
size_t mapping_space_size(const struct mapping_space *space);

/* The index of the axis with that name, or -1. */
int mapping_space_find(const struct mapping_space *space, const char *name);

/* True if both have the same axes with the same sizes, in the same order. */
bool mapping_space_equal(const struct mapping_space *a, const struct mapping_space *b);

/* True if the axes have the same names, in the same order, whatever their sizes are. */
bool mapping_space_alike(const struct mapping_space *a, const struct mapping_space *b);

/* The number of a point, which has a coordinate for each axis, and the point of a number. */
size_t mapping_space_number(const struct mapping_space *space, const uint32_t *point);
void mapping_space_point(const struct mapping_space *space, size_t number, uint32_t *point);

/* Words for the axis: in a sentence, after a number, and above a grid: "thread", "threads" and
 * "ThreadIdx" for tid, "column", "cols" and "Col" for col. Other axes keep their names. */
const char *mapping_axis_word(const char *name);
const char *mapping_axis_plural(const char *name);
const char *mapping_axis_title(const char *name);

/* ---- Layouts ---- */

/* A table: coordinate[c][n] is the coordinate of point n of `from` along axis c of `to`. */
struct mapping_layout {
    struct mapping_space from, to;
    uint32_t *coordinate[MAPPING_AXES_MAX]; /* one allocation of the library, owned by the layout */
};

/* Makes a layout with every coordinate UINT32_MAX. MAPPING_INVALID if a space has more than
 * MAPPING_AXES_MAX axes or no points, or `from` has 2^32 points or more. Free it with
 * mapping_layout_free. */
enum mapping_status mapping_layout_init(struct mapping_layout *layout,
                                        const struct mapping_space *from,
                                        const struct mapping_space *to,
                                        struct mapping_error *error);

/* The same, but the coordinates are not initialized. */
enum mapping_status layout_allocate(struct mapping_layout *layout, const struct mapping_space *from,
                                    const struct mapping_space *to, struct mapping_error *error);

/* Frees the memory of the layout. A zeroed layout is allowed. */
void mapping_layout_free(struct mapping_layout *layout);

/* The number of entries: the size of `from`. */
size_t mapping_layout_entries(const struct mapping_layout *layout);

/* The number, in `to`, of the point that entry n maps to, which must be inside `to`. */
size_t mapping_layout_target(const struct mapping_layout *layout, size_t n);

/* The number of entries that map to the same point, if all points are reached equally often: the
 * quotient of the sizes; 0 if `to` has no points. */
uint32_t mapping_layout_copies(const struct mapping_layout *layout);

/* Makes a layout from its bases. `bases` has a list for each axis of `to`, separated by bars: the
 * bits of the coordinate along that axis, lowest first. A bit is the letter of an axis of `from`
 * and the number of a bit of its coordinate. In "t2 t3 t4 i1 | i0 t0 t1", bits 2, 3 and 4 of tid
 * are bits 0 to 2 of the row, and bit 1 of i is its bit 3. "i2.." is bit 2 of i and all bits above
 * it. Entries that differ only in bits that no list has are copies.
 *
 * Further forms: "r0-6" is bits 0 to 6, which are 0 if the axis does not have them. "i*" is all
 * bits of i. "0" and "1" are constant bits. "c/2" is the number of the half of the axis that
 * contains the coordinate, and "c%2" is the position in this half; sizes need not be powers of two.
 * "c%2:0-4" and "c%2:5.." are bits of this position. "r+1" is the coordinate plus 1. The letter of
 * an axis is the first letter of its name that is not the letter of an axis before it: o for copy
 * if there is an axis col.
 *
 * MAPPING_INVALID with a message for anything else: a letter that no axis has, a bit that the axis
 * does not have, too many or too few bars. */
enum mapping_status mapping_layout_state(struct mapping_layout *layout,
                                         const struct mapping_space *from,
                                         const struct mapping_space *to, const char *bases,
                                         struct mapping_error *error);

/* True if both have the same spaces and the same entries. */
bool layout_equal(const struct mapping_layout *a, const struct mapping_layout *b);

/* MAPPING_INVALID with a message unless each entry is inside `to` and the same number of entries
 * maps to each point of `to`, that is, unless the layout can be inverted. */
enum mapping_status mapping_layout_check(const struct mapping_layout *layout,
                                         struct mapping_error *error);

/* Inverts a layout: from the axes of `to`, followed by an axis with the name `copy` that numbers
 * the copies of a point in ascending order, to the axes of `from`. MAPPING_INVALID as in
 * mapping_layout_check. */
enum mapping_status layout_invert(const struct mapping_layout *layout, const char *copy,
                                  struct mapping_layout *inverse, struct mapping_error *error);

/* Makes the layout that applies `first` and then `second`. MAPPING_INVALID if first->to is not
 * second->from, or an entry of `first` lies outside of it. */
enum mapping_status layout_compose(const struct mapping_layout *first,
                                   const struct mapping_layout *second,
                                   struct mapping_layout *composed, struct mapping_error *error);

/* Makes the product: `outer` repeats `inner`. An axis that both have is joined: its coordinate is
 * that of `inner` plus that of `outer` times the size in `inner`. MAPPING_INVALID if there are too
 * many axes, or if an axis becomes too long. */
enum mapping_status layout_product(const struct mapping_layout *inner,
                                   const struct mapping_layout *outer,
                                   struct mapping_layout *product, struct mapping_error *error);

/* Makes the part of a layout where the coordinate along an axis of `from` is first .. first + count
 * - 1; in the part, it counts from 0. MAPPING_INVALID if there is no such axis or coordinate. */
enum mapping_status layout_restrict(const struct mapping_layout *layout, const char *axis,
                                    uint32_t first, uint32_t count, struct mapping_layout *part,
                                    struct mapping_error *error);

/* ---- Formulae ---- */

/* ((v & mask) << shift), or >> -shift if shift is negative; v is the coordinate along `axis`. */
struct mapping_term {
    uint32_t mask;
    int8_t shift;
    uint8_t axis;
};

/* Enough for any formula in two coordinates, and in more if values have few bits. */
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
 * The formula is a constant plus a sum of shifted and masked coordinates, or, if there is no such
 * sum, an exclusive or of these. Its form is canonical: the terms of an axis are ordered by their
 * lowest mask bit, and there is one term for each axis and shift. True if the formula has been
 * evaluated and compared at every point; false if no such formula of up to MAPPING_MAX_TERMS terms
 * gives these values. Takes time linear in the number of points, and no memory. */
bool mapping_deduce(const struct mapping_space *from, const uint32_t *values,
                    struct mapping_formula *formula);

/* The value of the formula at a point of a space of `axes` axes. */
uint32_t mapping_formula_evaluate(const struct mapping_formula *formula, uint32_t axes,
                                  const uint32_t *point);

/* Makes the layout with these formulae, one for each axis of `to`. */
enum mapping_status mapping_layout_evaluate(struct mapping_layout *layout,
                                            const struct mapping_space *from,
                                            const struct mapping_space *to,
                                            const struct mapping_formula *formulae,
                                            struct mapping_error *error);

/* Writes the formula as a C expression, e.g. "16 + (i & 5) + (tid & 10)": the constant, then terms
 * by axis. The axes are in the order of the space, except that i comes before tid, and row and col
 * before block and copy. Works as snprintf does: returns the length of the whole expression, and
 * writes as much as fits into `size` bytes. */
size_t mapping_formula_print(const struct mapping_formula *formula,
                             const struct mapping_space *from, char *text, size_t size);

/* Writes the formula with / % and * for masks and shifts, "tid / 4 + i / 2 * 8", with axes in the
 * order of the space. It is correct for coordinates inside their axes. Works as above. */
size_t mapping_formula_print_divided(const struct mapping_formula *formula,
                                     const struct mapping_space *from, char *text, size_t size);

/* Reads an expression that mapping_formula_print has printed. False for any other text. */
bool mapping_formula_parse(const char *text, const struct mapping_space *from,
                           struct mapping_formula *formula);

/* ---- Tiled multiplications ---- */

#define MAPPING_MODES 48

/* A layout of CuTe with all nesting flattened: a function of one number. Its digits, with those of
 * the first mode lowest, are multiplied by the strides and added up. */
struct mapping_modes {
    uint32_t count;
    uint32_t shape[MAPPING_MODES], stride[MAPPING_MODES];
};

/* How a multiplication is repeated over a tile: the arguments of CuTe's make_tiled_mma other than
 * the atom, each for M, N and K. */
struct mapping_tiling {
    struct mapping_modes atoms[3];        /* AtomLayoutMNK, by mode */
    struct mapping_modes permutations[3]; /* PermutationMNK; no modes for "_" */
};

/* Reads an atom layout, "(2,2,1):(2,1,0)", and the permutations, "((4,4,2):(1,8,4)),32,4", in
 * CuTe's notation. "2" may be written as "_2". Modes at the end may be left out. A layout without
 * strides is compact with the first mode fastest. "_" is no permutation. NULL is CuTe's default.
 * MAPPING_INVALID with a message if one cannot be read. */
enum mapping_status mapping_tiling_parse(const char *atom_layout, const char *permutation,
                                         struct mapping_tiling *tiling,
                                         struct mapping_error *error);

/* One operand of an atom, which is repeated over the tile. */
struct mapping_atom {
    uint32_t size[3];  /* the size of the multiplication, along M, N and K */
    uint8_t mode[2];   /* the modes along which rows and columns run: 0 for M, 1 for N, 2 for K */
    bool is_quad_pair; /* of mma.m8n8k4: threads 0-3 and 16-19 of a warp, with block 0 */
    struct mapping_space from; /* (tid, i) of the whole instruction */
};

/* The spaces of the operand's tile: (tid, i) and (row, col). The permutations determine its size.
 * If they are smaller than the area of the atoms, several atoms hold the same elements.
 * MAPPING_INVALID if CuTe does not compile the tiling for this operand. */
enum mapping_status mapping_tile_spaces(const struct mapping_tiling *tiling,
                                        const struct mapping_atom *atom, struct mapping_space *from,
                                        struct mapping_space *to, struct mapping_error *error);

/* Makes the layout of the operand's tile from that of the atom. MAPPING_INVALID as above, or if it
 * does not cover the tile. */
enum mapping_status mapping_tile(const struct mapping_tiling *tiling,
                                 const struct mapping_atom *atom,
                                 const struct mapping_layout *layout, struct mapping_layout *tiled,
                                 struct mapping_error *error);

#endif
