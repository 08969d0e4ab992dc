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
    SHARED_BYTES_MAX = 232448 /* the largest for a block on sm_90: CUDA C++ Programming Guide,
                                 Technical Specifications per Compute Capability */
};

/* An operation on shared memory. */
struct mapping_access {
    const char *name; /* "ld.b64", "st.u8", "ldmatrix.x4", "ldmatrix.m16n16.x2.trans.b8" */
    uint8_t bytes;    /* bytes at the address of a lane: 1 to 16; 16, a row, for matrices */
    uint8_t matrices; /* 1, 2 or 4 for ldmatrix and stmatrix; else 0 */
    uint8_t phases;   /* each has the same number of lanes */
    uint8_t merged;   /* phases if neighbouring lanes read the same address; 0: no difference */
    bool is_store;
    bool is_transposed; /* ldmatrix.x4.trans */
    /* Only for ldmatrix and stmatrix: */
    uint8_t rows;   /* of a matrix: 8, or 16 for m16n16, which fills two registers */
    uint8_t unit;   /* the number of adjacent bytes of a register that are adjacent in memory: 4, or
                       2 if transposed; 1 if elements have 8 bits */
    uint8_t packed; /* bits of an element in memory, 4 or 6, if it has 8 in a register; or 0 */
    bool is_signed; /* packed elements are sign-extended: .s8.s4 */
};

/* The operation at `index`, loads first, the widest first; NULL after the last one. */
const struct mapping_access *mapping_access_at(size_t index);

/* Finds an operation by name, which operands may follow. Names of PTX and SASS are understood:
 * "ld.shared.v4.f32", "LDS.128", "LDSM.8.MT1616.2". For "cp.async.ca.shared.global [%r1], [%rd1],
 * 8" and "LDGSTS.E.64", it is the store. NULL if there is none. */
const struct mapping_access *mapping_access_find(const char *name);

/* If an instruction accesses other memory than shared memory, says which: "reads global memory".
 * NULL if it is unknown. */
const char *mapping_access_elsewhere(const char *name);

/* The first architecture that has the operation, 75 for sm_75; 0 if all have it. (PTX ISA, Target
 * ISA Notes of ldmatrix and stmatrix; for .s8.s4 PTX ISA 9.4.) */
uint32_t mapping_access_since(const struct mapping_access *access);

/* True if only targets with a letter have it: sm_100a, sm_100f. */
bool mapping_access_needs_letter(const struct mapping_access *access);

/* The number of lanes that provide an address: 32, or for ldmatrix and stmatrix the lowest lanes,
 * one for each row. */
uint32_t mapping_access_lanes(const struct mapping_access *access);

/* The address of a lane that does not take part. */
#define MAPPING_INACTIVE UINT32_MAX

struct mapping_phase {
    uint32_t lanes;      /* its active lanes: bit n for lane n */
    uint32_t wavefronts; /* 0 if no lane is active */
    uint32_t bank;       /* the lowest of the banks with the most words */
    uint32_t banks;      /* the number of banks with that many words */
    uint32_t meeting;    /* the lanes that access a word in `bank` */
};

struct mapping_wavefronts {
    uint32_t wavefronts; /* the sum over the phases */
    uint32_t minimum;    /* without bank conflicts: one for each phase with active lanes */
    uint32_t phase_count;
    struct mapping_phase phases[PHASES_MAX];
};

/* MAPPING_INVALID, with the lane and the numbers, if an address is not aligned as the operation
 * requires or lies outside of shared memory, or if a lane that must provide the address of a row of
 * a matrix is inactive. The addresses of the other lanes are ignored. */
enum mapping_status mapping_access_check(const struct mapping_access *access,
                                         const uint32_t address[LANES],
                                         struct mapping_error *error);

/* The distinct words that the lanes of a phase access in each bank. Each takes one wavefront. */
struct mapping_words {
    uint32_t count[BANKS];
    /* The words of each bank, ordered by the lowest lane that accesses them. word: the address of
     * the word divided by BANK_BYTES; lanes: the lanes that access it, bit n for lane n. */
    uint32_t word[BANKS][LANES], lanes[BANKS][LANES];
};

/* Finds the words that the lanes of a phase access; all of them must be active. */
void mapping_access_words(const struct mapping_access *access, const uint32_t address[LANES],
                          uint32_t lanes, struct mapping_words *words);

/* Counts the wavefronts of an access that mapping_access_check accepts. */
void mapping_access_count(const struct mapping_access *access, const uint32_t address[LANES],
                          struct mapping_wavefronts *result);

#endif
