/* matrix_table.h - functions that the parsers of matrices in memory share; see matrix.h.
 *
 * matrix_readers.c asks each reader in turn whether a text is meant for it. The reader makes the
 * table, with an offset for each element, and sets memory->bits if the text states the element
 * size. matrix_readers.c then checks that the request does not give another size, and that no two
 * elements have the same offset.
 */
#ifndef SMEM_MATRIX_TABLE_H
#define SMEM_MATRIX_TABLE_H

#include "layout/cute_layout.h"
#include "smem/matrix.h"

/* Matrices of scale factors, which are in global memory, may be larger. */
enum { ENTRIES_LOG2_MAX = 20, SCALES_LOG2_MAX = 22 };
enum { MEMORY_BITS_DEFAULT = 16, MEMORY_BITS_MAX = 128 };

/* A notation: whether a text is meant to be in it, even if it is malformed; and the function that
 * makes its table. */
struct mapping_smem_matrix_reader {
    bool (*is_meant)(const char *text);
    enum mapping_status (*make)(const struct mapping_smem_matrix_request *request,
                                struct mapping_smem_matrix *memory, struct mapping_error *error);
};

/* CuTe's notation, as printed or as a C++ type: notation.c. */
extern const struct mapping_smem_matrix_reader mapping_notation_reader;

/* "Layout_K_SW128_Atom" and similar names: canonical.c. With an extent, the layout is
 * tile_to_shape(atom, (rows, columns)), with rows along M or N and columns along K; consecutive
 * atoms run along M or N first. */
extern const struct mapping_smem_matrix_reader mapping_canonical_reader;

/* Makes one of these atoms as a layout with rows along M or N and columns along K. Offsets count
 * elements of `bits` bits. */
struct mapping_canonical {
    struct mapping_cute cute;
    uint32_t bits;
};

/* Reads "Layout_K_SW128_Atom<half_t>", or a call in the CuTe DSL:
 * "make_smem_layout_atom(SmemLayoutAtomKind.K_SW128, cutlass.Float16)". `bits` is the size of an
 * element if the text names no type. Returns the text after the atom, or NULL if the text does not
 * begin with an atom. */
const char *mapping_canonical_read(const char *text, uint32_t bits,
                                   struct mapping_canonical *canonical);

/* "TensorOpMultiplicand<16,64>" and similar names: cutlass.c. The layout is packed. In pitch-linear
 * layouts, rows are the strided coordinate and columns the contiguous one. Without an extent, the
 * matrix is the smallest tile after which the pattern repeats; a single element or a strip, as for
 * RowMajor, is extended to at least 16 x 16. */
extern const struct mapping_smem_matrix_reader mapping_cutlass_reader;

/* "#ttg.swizzled_shared<{...}>" and other layouts of Triton, also in a type, "!ttg.memdesc<...>":
 * triton_shared.c. */
extern const struct mapping_smem_matrix_reader mapping_triton_reader;

/* ---- What readers share: matrix_table.c ---- */

/* Makes the table, ([stage,] row, col) -> offset, without filling it; `stages` is 0 for a matrix
 * without stages. MAPPING_INVALID if the matrix, with all stages that are read as modes, has more
 * than 2^20 elements. */
enum mapping_status mapping_smem_matrix_begin(struct mapping_smem_matrix *memory, uint32_t stages,
                                              uint32_t rows, uint32_t cols,
                                              struct mapping_error *error);

/* Makes the table of a layout of CuTe and fills it. The axes of the layout are those of the table.
 * `start` is added to all offsets before they are swizzled. */
enum mapping_status mapping_smem_matrix_fill(struct mapping_smem_matrix *memory,
                                             const struct mapping_cute *cute, uint32_t start,
                                             struct mapping_error *error);

#endif
