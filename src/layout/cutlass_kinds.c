/* cutlass_kinds.c - the layouts of CUTLASS 2; see cutlass_kinds.h. */
#include "layout/cutlass_kinds.h"

/* ---- The functions ---- */

static uint32_t pitch_linear(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    return c + s * x->stride;
}

/* RowMajorInterleaved<n>: n rows alternate, element by element. */
static uint32_t interleaved(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t n = x->interleave;
    return s / n * n * x->stride + c * n + s % n;
}

/* TensorOpMultiplicand<bits,crosswise>. A line is 8 accesses of 128 bits, and `factor` rows fill
 * it; the accesses of line n are exclusive-ored with n, as far as the tile has lines. */
static uint32_t multiplicand(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t in_row = 8 / x->factor, lines = in_row > 4 ? in_row : 4;
    uint32_t access = c / x->access, line = s / x->factor;
    uint32_t place = access % in_row + s % x->factor * in_row;
    uint32_t swizzled = place ^ line % lines;
    return (access / in_row * 8 + swizzled) * x->access + c % x->access +
           line * x->factor * x->stride;
}

/* TensorOpMultiplicandCongruous<32,crosswise>: 4 rows, exclusive-ored with twice the row. */
static uint32_t congruous_32(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    return (c / 4 ^ 2 * (s % 4)) * 4 + c % 4 + s * x->stride;
}

/* TensorOpMultiplicandCongruous64b: of 16 columns, bits 1 and 2 become the row. */
static uint32_t congruous_64(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t row = c / 2 % 4, column = c % 2 * 8 + row * 2 + c / 8 % 2;
    return c / 16 * 16 + (column ^ s % 2 * 2 ^ s / 2 % 2 * 4) + (s / 4 * 4 + row) * x->stride;
}

/* TensorOpMultiplicand64bCrosswise: of 16 x 16 elements groups of 4 columns come one after the
 * other, and bits 1 and 2 of the strided coordinate become the row. */
static uint32_t crosswise_64(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t group = c / 4 % 4, row = s / 2 % 4;
    uint32_t column = s % 2 * 8 + c % 4 * 2 + s / 8 % 2;
    return (c / 16 * 16 + group * 4 + row) * x->stride + s / 16 * 16 +
           (column ^ group / 2 * 8 ^ group % 2);
}

/* TensorOpMultiplicandCongruous128b: of 8 columns, bits 1 and 2 become the row. */
static uint32_t congruous_128(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t row = c % 8 / 2;
    return c / 8 * 8 + (c % 2 * 4 | (s % 4 ^ row)) + (s / 4 * 4 + row) * x->stride;
}

/* TensorOpMultiplicandCrosswise128x4. */
static uint32_t crosswise_128(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t row = c % 8 / 4 * 4 + s % 8 / 4 * 2 + s % 4 / 2;
    return (c / 8 * 8 + row) * x->stride + s / 8 * 8 + ((c % 4 + s % 2 * 4) ^ (c & 4));
}

/* TensorOpMultiplicandColumnMajorInterleaved<bits,n> and its row-major twin: where the access
 * begins in which an element lies, so that 16 of them have one offset. */
static uint32_t access_interleaved(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t n = x->interleave, rows = 128 / n;
    uint32_t access = (s % rows * n + c) / 16, line = s / rows;
    return line * 128 + (access ^ line % 2) * 16;
}

/* VoltaTensorOpMultiplicandCongruous<bits>: of 8 accesses bits 1 and 2 become the row. */
static uint32_t volta_congruous(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t access = c / x->access % 8, row = access / 2;
    uint32_t place = (s % 4 ^ row) | access % 2 * 4;
    return (c / x->access / 8 * 8 + place) * x->access + c % x->access +
           (s / 4 * 4 + row) * x->stride;
}

/* VoltaTensorOpMultiplicandBCongruous<bits>: bits 0 and 1 do. */
static uint32_t volta_b_congruous(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t access = c / x->access % 8, row = access % 4;
    uint32_t place = (s % 4 ^ row) | (access & 4);
    return (c / x->access / 8 * 8 + place) * x->access + c % x->access +
           (s / 4 * 4 + row) * x->stride;
}

/* VoltaTensorOpMultiplicandCrosswise<bits,kblock>: accesses of 64 bits; those of one contiguous
 * place and all strided ones follow one another, sixteen by sixteen transposed as 4 x 4. */
static uint32_t volta_crosswise(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t access = c / x->access;
    uint32_t place = s / 16 * 16 + s % 4 * 4 + (s / 4 % 4 ^ s / 16 % 2 * 2);
    return (place ^ access / 2 % 4) * x->access + c % x->access + access * x->stride * x->access;
}

/* ---- The table ---- */

static const struct cutlass_kind kinds[] = {
    {.name = "PitchLinear", .of_major = "", .tile = {1, 1}, .offset = pitch_linear},
    {.of_major = "Interleaved", .arguments = INTERLEAVE, .tile = {1, 0}, .offset = interleaved},
    {.name = "TensorOpMultiplicand",
     .arguments = BITS_CROSSWISE,
     .access_bits = 128,
     .has_factor = true,
     .offset = multiplicand},
    {.name = "TensorOpMultiplicandCongruous",
     .of_major = "TensorOpMultiplicandCongruous",
     .arguments = BITS_CROSSWISE,
     .bits = 32,
     .access_bits = 128,
     .tile = {8, 4},
     .offset = congruous_32},
    {.name = "TensorOpMultiplicandCongruous",
     .of_major = "TensorOpMultiplicandCongruous",
     .arguments = BITS_CROSSWISE,
     .access_bits = 128,
     .has_factor = true,
     .offset = multiplicand},
    {.name = "TensorOpMultiplicandCrosswise",
     .of_major = "TensorOpMultiplicandCrosswise",
     .arguments = BITS_CROSSWISE,
     .access_bits = 128,
     .has_factor = true,
     .offset = multiplicand},
    {.name = "TensorOpMultiplicandCongruous64b",
     .of_major = "TensorOpMultiplicandCongruous64b",
     .bits = 64,
     .tile = {16, 4},
     .offset = congruous_64},
    {.name = "TensorOpMultiplicand64bCrosswise",
     .of_major = "TensorOpMultiplicand64bCrosswise",
     .bits = 64,
     .tile = {16, 16},
     .is_strided = true,
     .offset = crosswise_64},
    {.name = "TensorOpMultiplicandCongruous128b",
     .of_major = "TensorOpMultiplicandCongruous128b",
     .bits = 128,
     .tile = {8, 4},
     .offset = congruous_128},
    {.name = "TensorOpMultiplicandCrosswise128x4",
     .of_major = "TensorOpMultiplicandCrosswise128x4",
     .bits = 128,
     .tile = {8, 8},
     .is_strided = true,
     .offset = crosswise_128},
    {.name = "TensorOpMultiplicandColumnMajorInterleaved",
     .arguments = BITS_INTERLEAVE,
     .access_bits = 128,
     .offset = access_interleaved},
    {.name = "TensorOpMultiplicandRowMajorInterleaved",
     .arguments = BITS_INTERLEAVE,
     .access_bits = 128,
     .offset = access_interleaved},
    {.name = "VoltaTensorOpMultiplicandCongruous",
     .of_major = "VoltaTensorOpMultiplicandCongruous",
     .arguments = BITS,
     .access_bits = 128,
     .tile = {8, 4},
     .offset = volta_congruous},
    {.name = "VoltaTensorOpMultiplicandBCongruous",
     .of_major = "VoltaTensorOpMultiplicandBCongruous",
     .arguments = BITS,
     .access_bits = 128,
     .tile = {8, 4},
     .offset = volta_b_congruous},
    {.name = "VoltaTensorOpMultiplicandCrosswise",
     .of_major = "VoltaTensorOpMultiplicandCrosswise",
     .arguments = BITS_KBLOCK,
     .access_bits = 64,
     .tile = {8, 32},
     .is_strided = true,
     .offset = volta_crosswise},
};

const struct cutlass_kind *mapping_cutlass_kind(size_t index) {
    return index < sizeof kinds / sizeof *kinds ? &kinds[index] : NULL;
}

void mapping_cutlass_tile(const struct cutlass_kind *kind, const struct cutlass_instance *x,
                          uint32_t tile[2]) {
    tile[0] = kind->tile[0] * x->access;
    tile[1] = kind->tile[1];
    if (kind->arguments == INTERLEAVE)
        tile[1] = x->interleave;
    if (kind->arguments == BITS_INTERLEAVE) {
        tile[0] = x->interleave;
        tile[1] = 2 * (128 / x->interleave);
    }
    if (kind->has_factor) {
        uint32_t in_row = 8 / x->factor;
        tile[0] = in_row * x->access;
        tile[1] = x->factor * (in_row > 4 ? in_row : 4);
    }
}
