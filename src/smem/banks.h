/* banks.h - counts the wavefronts of an access of a warp to shared memory.
 *
 * Shared memory has 32 banks of 32 bits. In one wavefront, each bank delivers one word. An access
 * is split into phases, each with a subset of the lanes. The number of wavefronts of a phase is the
 * largest number of distinct words in one bank. */
#ifndef SMEM_BANKS_H
#define SMEM_BANKS_H

#include "layout/layouts.h"

enum {
    LANES = MAPPING_WARP,
    BANKS = 32,
    BANK_BYTES = 4,
    PHASES_MAX = 4,
    SHARED_BYTES_MAX = 232448 /* of a block, on sm_90: CUDA C++ Programming Guide, Technical
                                 Specifications per Compute Capability */
};

/* An operation on shared memory. */
struct mapping_access {
    const char *name; /* "ld.b64", "st.u8", "ldmatrix.x4", "ldmatrix.m16n16.x2.trans.b8" */
    uint8_t bytes;    /* that a lane brings an address for: 1 to 16; of a matrix one row, 16 */
    uint8_t matrices; /* 1, 2 or 4 of ldmatrix and stmatrix; else 0 */
    uint8_t phases;   /* of as many lanes each */
    uint8_t merged; /* phases that it has where neighbours read the same; 0 if that is no matter */
    bool is_store;
    bool is_transposed; /* ldmatrix.x4.trans */
    /* Only of ldmatrix and stmatrix: */
    uint8_t rows;   /* of a matrix: 8, or 16 of m16n16, which has two registers */
    uint8_t unit;   /* bytes of a register that are adjacent in memory: 4, or transposed 2; 1 if
                       elements have 8 bits */
    uint8_t packed; /* bits of an element in memory, 4 or 6, that has 8 bits in a register */
    bool is_signed; /* which is sign-extended: .s8.s4 */
};

/* The operation at `index`, loads first, the widest first; NULL from the end on. */
const struct mapping_access *mapping_access_at(size_t index);

/* Finds an operation by name, which operands may follow. PTX and machine code are understood:
 * "ld.shared.v4.f32", "LDS.128", "LDSM.8.MT1616.2"; of "cp.async.ca.shared.global [%r1], [%rd1], 8"
 * and "LDGSTS.E.64" the store. NULL if there is none. */
const struct mapping_access *mapping_access_find(const char *name);

/* Describes an instruction that accesses other memory: "reads global memory". NULL if it is
 * unknown. */
const char *mapping_access_elsewhere(const char *name);

/* The first architecture that has it, 75 for sm_75; 0 if all have. (PTX ISA, Target ISA Notes of
 * ldmatrix and stmatrix; of .s8.s4 PTX ISA 9.4.) */
uint32_t mapping_access_since(const struct mapping_access *access);

/* True if only targets with a letter have it: sm_100a, sm_100f. */
bool mapping_access_needs_letter(const struct mapping_access *access);

/* The number of lanes that provide an address: 32, or for ldmatrix and stmatrix the lowest lanes,
 * one for each row. */
uint32_t mapping_access_lanes(const struct mapping_access *access);

/* The address of a lane that does not take part. */
#define MAPPING_INACTIVE UINT32_MAX

struct mapping_phase {
    uint32_t lanes;      /* that are in it and active: bit n for lane n */
    uint32_t wavefronts; /* 0 without lanes */
    uint32_t bank;       /* the lowest of the banks with the most words */
    uint32_t banks;      /* how many banks have that many words */
    uint32_t meeting;    /* the lanes that have a word in `bank` */
};

struct mapping_wavefronts {
    uint32_t wavefronts; /* of all phases */
    uint32_t minimum;    /* what these phases take at least: one for each that has lanes */
    uint32_t phase_count;
    struct mapping_phase phases[PHASES_MAX];
};

/* MAPPING_INVALID, with the lane and the numbers, unless every address is a multiple of what the
 * operation needs and lies inside of shared memory, and, of matrices, no lane that is needed is
 * inactive. Addresses of further lanes of matrices are not looked at. */
enum mapping_status mapping_access_check(const struct mapping_access *access,
                                         const uint32_t address[LANES],
                                         struct mapping_error *error);

/* The distinct words that the lanes of a phase ask for in each bank; each takes a wavefront of its
 * own. */
struct mapping_words {
    uint32_t count[BANKS];
    /* In the order of the lowest lane that asks for it: its number in memory, which is the byte
     * where it begins divided by BANK_BYTES; and who asks for it: bit n for lane n. */
    uint32_t word[BANKS][LANES], lanes[BANKS][LANES];
};

/* Finds the words that the lanes of a phase access; all of them must be active. */
void mapping_access_words(const struct mapping_access *access, const uint32_t address[LANES],
                          uint32_t lanes, struct mapping_words *words);

/* Counts the wavefronts of an access that mapping_access_check allows. */
void mapping_access_count(const struct mapping_access *access, const uint32_t address[LANES],
                          struct mapping_wavefronts *result);

#endif
