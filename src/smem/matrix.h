/* matrix.h - matrices in memory: makes tables from the names of their layouts.
 *
 *     (64,64):(64,1)                                       CuTe, as it prints layouts
 *     Sw<3,3,3> o 0 o (64,64):(64,1)                       with a swizzle of element offsets
 *     S<3,3,3> o 0 o (64,64):(64,1)                        the same, as its Python DSL prints it
 *     Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)    with a swizzle of byte addresses
 *     tensor<ptr<f16, smem, S<3,4,3>> o (64,64):(64,1)>    a tensor, as its Python DSL prints it
 *     Layout_K_SW128_Atom                                  CuTe's canonical atoms for wgmma,
 *                                                          tcgen05.mma and TMA
 *     TensorOpMultiplicand<16,64>, RowMajor, ...           the layouts of CUTLASS 2
 *     128x4, SWIZZLE_32_4_4, ...                           block scale factors, see scales.h */
#ifndef SMEM_MATRIX_H
#define SMEM_MATRIX_H

#include "smem/scales.h"

/* A request for a matrix in memory. */
struct mapping_smem_matrix_request {
    const char *text;
    uint32_t bits; /* of an element, 1 to 128; 0 if nothing is said, see mapping_smem_matrix_make */
    uint32_t usual_bits; /* what they are where nothing is said; 0 for 16 */
    uint32_t extent[2];  /* what --extent says: contiguous and strided, or rows and columns;
                            {0, 0} if nothing is said */
    uint32_t block;      /* of scale factors: the extent is that of elements, of which so many along
                            K share a factor; 0: it is that of factors */
    bool is_k_by_mn;     /* of scale factors: rows run along K, else columns do */
};

/* How wgmma or tcgen05.mma is told where a tile of A or B lies: its descriptor (PTX ISA, Matrix
 * Descriptor; Shared memory descriptor). */
struct mapping_descriptor {
    bool is_k_major;        /* else MN-major */
    uint32_t swizzle_bytes; /* 128, 64, 32; 0 for none, which CuTe calls INTER */
    uint32_t mode;          /* field of bits 62-63: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes; of
                               tcgen05 61-63: 0 none, 1 128 bytes by 32, 2 128, 4 64, 6 32 bytes */
    uint32_t leading_bytes; /* leading dimension byte offset; 0 where the mode has none */
    uint32_t stride_bytes;  /* stride dimension byte offset */
    bool has_leading;       /* the mode uses the leading offset */
    uint32_t piece_bytes;   /* that the swizzle moves as they are, its atomicity: 16 or 32; 0 for
                               none */
    uint64_t value; /* the 64 bits: for a matrix that begins at address 0, where the base offset is
                       0, as at every multiple of 1024 bytes; or see mapping_descriptor_place */
};

/* The instructions that take a descriptor. */
enum mapping_reader { READER_WGMMA, READER_TCGEN05, READERS };

/* A matrix in memory. */
struct mapping_smem_matrix {
    struct mapping_layout layout; /* owned; ([stage,] row, col) -> offset, in elements; the size of
                                     that axis is the largest offset + 1 */
    uint32_t bits;                /* of an element */
    char type[24];                /* the element type in the text, "bf16"; or "" */
    bool is_mn_by_k;              /* by its name: rows along M or N, columns along K */
    uint32_t repeats; /* how many elements share an offset, because modes have stride 0; or 0 */
    char note[320];   /* what a person may want to know of it; or "" */
    struct mapping_scales scales; /* if it is one of scale factors; else its kind is NULL. The size
                                     of the axis of offsets is then that of the whole buffer */
};

/* True if the text is to be the layout of a matrix in memory: it may still be malformed. Names of
 * fragments and opcodes are not. */
bool mapping_smem_matrix_is_meant(const char *text);

/* The grid behind a layout, as print_layout of CuTe prints it; NULL if there is none. */
const char *mapping_smem_matrix_grid(const char *text);

/* Makes the table. Bits are what the text says, where it does ("smem_ptr[16b]",
 * "TensorOpMultiplicand<16,64>"), else those of the request, else the usual ones. MAPPING_INVALID
 * with a sentence that has the numbers in it: a text that is none, bits that contradict it, extents
 * that are not multiples of the tile, two elements at one offset (with both), a swizzle wider than
 * the layout, numbers that overflow, more than 2^20 elements. Free it with mapping_smem_matrix_free
 * in any case. */
enum mapping_status mapping_smem_matrix_make(const struct mapping_smem_matrix_request *request,
                                             struct mapping_smem_matrix *memory,
                                             struct mapping_error *error);

void mapping_smem_matrix_free(struct mapping_smem_matrix *memory);

/* Finds the descriptor with which an instruction reads the matrix, whose rows run along M or N and
 * columns along K. False if the matrix has none of the instruction's canonical layouts. */
bool mapping_smem_matrix_descriptor(const struct mapping_smem_matrix *memory,
                                    enum mapping_reader reader,
                                    struct mapping_descriptor *descriptor);

#endif
