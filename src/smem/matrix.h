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
    uint32_t bits;       /* the size of an element, 1 to 128; 0 if not stated, see
                            mapping_smem_matrix_make */
    uint32_t usual_bits; /* the size if neither this request nor the text states it; 0 for 16 */
    uint32_t
        extent[2];   /* --extent: contiguous and strided, or rows and columns; {0, 0} without it */
    uint32_t block;  /* for scale factors: the number of elements along K that share a factor,
                        if the extent counts elements; 0 if it counts factors */
    bool is_k_by_mn; /* for scale factors: rows run along K; otherwise, columns do */
};

/* The descriptor by which wgmma or tcgen05.mma finds a tile of A or B in shared memory (PTX ISA,
 * Matrix Descriptor; Shared memory descriptor). */
struct mapping_descriptor {
    bool is_k_major;        /* otherwise MN-major */
    uint32_t swizzle_bytes; /* 128, 64, 32; 0 for none, which CuTe calls INTER */
    uint32_t mode;          /* for wgmma, bits 62-63: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes;
                               for tcgen05, bits 61-63: 0 none, 1 128 bytes by 32, 2 128, 4 64, 6 32
                               bytes */
    uint32_t leading_bytes; /* leading dimension byte offset; 0 if the mode has none */
    uint32_t stride_bytes;  /* stride dimension byte offset */
    bool has_leading;       /* the mode uses the leading offset */
    uint32_t piece_bytes;   /* the atomicity of the swizzle, the bytes that it moves together: 16 or
                               32; 0 without a swizzle */
    uint64_t value; /* the 64 bits of the descriptor for a matrix that begins at address 0, where
                       the base offset is 0, as at every multiple of 1024 bytes;
                       mapping_descriptor_place sets another address */
};

/* The instructions that take a descriptor. */
enum mapping_reader { READER_WGMMA, READER_TCGEN05, READERS };

/* A matrix in memory. */
struct mapping_smem_matrix {
    struct mapping_layout layout; /* owned; ([stage,] row, col) -> offset, in elements; the size of
                                     the axis of offsets is the largest offset + 1 */
    uint32_t bits;                /* the size of an element */
    char type[24];                /* the element type in the text, "bf16"; or "" */
    bool is_mn_by_k;              /* rows run along M or N, columns along K */
    uint32_t repeats;             /* elements that share an offset, as modes have stride 0; or 0 */
    char note[320];               /* a remark for the user; or "" */
    struct mapping_scales scales; /* for a matrix of scale factors; otherwise its kind is NULL. The
                                     size of the axis of offsets is then that of the whole buffer */
};

/* True if the text is meant as the layout of a matrix in memory, even if it is malformed. Names of
 * fragments and opcodes are not. */
bool mapping_smem_matrix_is_meant(const char *text);

/* Returns the grid that print_layout of CuTe prints after a layout; NULL if there is none. */
const char *mapping_smem_matrix_grid(const char *text);

/* Makes the table. The size of an element is the one in the text ("smem_ptr[16b]",
 * "TensorOpMultiplicand<16,64>"), otherwise that of the request, otherwise the usual one.
 * MAPPING_INVALID with a message that has the numbers in it, for a text that is no layout, a size
 * that contradicts the text, extents that are not multiples of the tile, two elements at one offset
 * (the message names both), a swizzle wider than the layout, numbers that overflow, and more than
 * 2^20 elements. Free it with mapping_smem_matrix_free in any case. */
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
