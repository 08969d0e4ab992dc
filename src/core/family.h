/* family.h - the catalogue as it is written down: fragments that differ in little are one row. */
#ifndef FAMILY_H
#define FAMILY_H

#include "mapping.h"

/* Sets of types, for the tables. */
enum {
    F64 = 1 << MAPPING_F64,
    F32 = 1 << MAPPING_F32,
    TF32 = 1 << MAPPING_TF32,
    BF16 = 1 << MAPPING_BF16,
    F16 = 1 << MAPPING_F16,
    E5M2 = 1 << MAPPING_E5M2,
    E4M3 = 1 << MAPPING_E4M3,
    E3M2 = 1 << MAPPING_E3M2,
    E2M3 = 1 << MAPPING_E2M3,
    E2M1 = 1 << MAPPING_E2M1,
    UE8M0 = 1 << MAPPING_UE8M0,
    UE4M3 = 1 << MAPPING_UE4M3,
    S32 = 1 << MAPPING_S32,
    S8 = 1 << MAPPING_S8,
    U8 = 1 << MAPPING_U8,
    S4 = 1 << MAPPING_S4,
    U4 = 1 << MAPPING_U4,
    B1 = 1 << MAPPING_B1,
    B16 = 1 << MAPPING_B16,
    FP8 = E5M2 | E4M3,
    FP6 = E3M2 | E2M3,
    INT8 = S8 | U8,
    INT4 = S4 | U4,
    FP864 = FP8 | FP6 | E2M1
};

/* One operand of an instruction, in each of the layouts and types that it comes in. */
struct family {
    enum mapping_instruction instruction;
    struct mapping_shape shape; /* n = 0: every width that wgmma has for the types */
    char operand;
    const char *layouts; /* letters, see family.c */
    uint32_t types;      /* a set, 1 << MAPPING_F16 | ... */
    uint8_t registers;   /* per thread; 0: as many as hold the matrix once */
    uint8_t bits;        /* that an element takes in registers; 0: as many as the type has */
    uint8_t since, until, ptx;
    const char *section, *bases; /* of the PTX ISA, and what it states; see families.c */
};

extern const struct family families[];
extern const size_t family_count;

/* The widths of wgmma: the one at `index`, for all of the types in the set; 0 from the end on. */
uint16_t wgmma_width(uint32_t types, size_t index);

/* The layout that a letter stands for. */
enum mapping_layout family_layout(char letter);

/* The type that is the nth of a set. */
enum mapping_type nth_type(uint32_t types, size_t n);

/* Finds the fragment that is equal to `wanted`; false if there is none. */
bool family_find(const struct mapping_fragment *wanted, struct mapping_fragment *fragment);

#endif
