/* banks.c - wavefronts of shared memory; see banks.h.
 *
 * The rule was counted on an H200 (sm_90) with ncu, as l1tex__data_pipe_lsu_wavefronts_mem_shared,
 * over 2,484 patterns of addresses, and gives all of them. That 64 bits are two phases of half a
 * warp, and 128 bits four of a quarter, NVIDIA's talk on Volta says too (GTC 2019, Programming
 * Tensor Cores, "Conflict-Free Access to Shared Memory"). */
#include "layout/banks.h"

#include <string.h>

/* ---- Operations ---- */

enum { MATRIX_ROWS = 8, ROW_BYTES = 16 };

/* ld and st: the widths that machine code has, LDS and STS .U8, .U16, 32 bits, .64 and .128.
 * Matrices: PTX ISA, ldmatrix and stmatrix, of shape m8n8 and type b16. Phases: as counted; loads
 * of 64 and 128 bits have half as many if, in the whole warp, every two active lanes l and l ^ 1
 * have the same address, or every two active lanes l and l ^ 2 do. */
static const struct mapping_access accesses[] = {
    {.name = "ldmatrix.x4", .bytes = ROW_BYTES, .matrices = 4, .phases = 4},
    {.name = "ldmatrix.x4.trans",
     .bytes = ROW_BYTES,
     .matrices = 4,
     .phases = 4,
     .is_transposed = true},
    {.name = "ld.b128", .bytes = 16, .phases = 4, .merged = 2},
    {.name = "ldmatrix.x2", .bytes = ROW_BYTES, .matrices = 2, .phases = 2},
    {.name = "ldmatrix.x2.trans",
     .bytes = ROW_BYTES,
     .matrices = 2,
     .phases = 2,
     .is_transposed = true},
    {.name = "ld.b64", .bytes = 8, .phases = 2, .merged = 1},
    {.name = "ldmatrix.x1", .bytes = ROW_BYTES, .matrices = 1, .phases = 1},
    {.name = "ldmatrix.x1.trans",
     .bytes = ROW_BYTES,
     .matrices = 1,
     .phases = 1,
     .is_transposed = true},
    {.name = "ld.b32", .bytes = 4, .phases = 1},
    {.name = "ld.u16", .bytes = 2, .phases = 1},
    {.name = "ld.u8", .bytes = 1, .phases = 1},
    {.name = "stmatrix.x4", .bytes = ROW_BYTES, .matrices = 4, .phases = 4, .is_store = true},
    {.name = "stmatrix.x4.trans",
     .bytes = ROW_BYTES,
     .matrices = 4,
     .phases = 4,
     .is_store = true,
     .is_transposed = true},
    {.name = "st.b128", .bytes = 16, .phases = 4, .is_store = true},
    {.name = "stmatrix.x2", .bytes = ROW_BYTES, .matrices = 2, .phases = 2, .is_store = true},
    {.name = "stmatrix.x2.trans",
     .bytes = ROW_BYTES,
     .matrices = 2,
     .phases = 2,
     .is_store = true,
     .is_transposed = true},
    {.name = "st.b64", .bytes = 8, .phases = 2, .is_store = true},
    {.name = "stmatrix.x1", .bytes = ROW_BYTES, .matrices = 1, .phases = 1, .is_store = true},
    {.name = "stmatrix.x1.trans",
     .bytes = ROW_BYTES,
     .matrices = 1,
     .phases = 1,
     .is_store = true,
     .is_transposed = true},
    {.name = "st.b32", .bytes = 4, .phases = 1, .is_store = true},
    {.name = "st.u16", .bytes = 2, .phases = 1, .is_store = true},
    {.name = "st.u8", .bytes = 1, .phases = 1, .is_store = true},
};

const struct mapping_access *mapping_access_at(size_t index) {
    return index < sizeof accesses / sizeof *accesses ? &accesses[index] : NULL;
}

uint32_t mapping_access_since(const struct mapping_access *access) {
    return access->matrices == 0 ? 0 : access->is_store ? 90 : 75;
}

uint32_t mapping_access_lanes(const struct mapping_access *access) {
    return access->matrices > 0 ? (uint32_t)access->matrices * MATRIX_ROWS : LANES;
}

/* ---- Addresses ---- */

static enum mapping_status check_lane(const struct mapping_access *access, uint32_t lane,
                                      uint32_t address, struct mapping_error *error) {
    if (address % access->bytes != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "lane %u: address %u is not aligned to %u bytes, as %s requires", lane,
                            address, access->bytes, access->name);
    if (address > (uint32_t)SHARED_BYTES_MAX - access->bytes)
        return mapping_fail(
            error, MAPPING_INVALID,
            "lane %u: address %u is outside of shared memory; a block has at most %d bytes", lane,
            address, SHARED_BYTES_MAX);
    return MAPPING_OK;
}

enum mapping_status mapping_access_check(const struct mapping_access *access,
                                         const uint32_t address[LANES],
                                         struct mapping_error *error) {
    uint32_t lanes = mapping_access_lanes(access);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        if (address[lane] == MAPPING_INACTIVE && access->matrices > 0)
            return mapping_fail(
                error, MAPPING_INVALID,
                "lane %u is inactive, but %s needs its address for row %u of matrix %u", lane,
                access->name, lane % MATRIX_ROWS, lane / MATRIX_ROWS);
        enum mapping_status status = address[lane] == MAPPING_INACTIVE
                                         ? MAPPING_OK
                                         : check_lane(access, lane, address[lane], error);
        if (status != MAPPING_OK)
            return status;
    }
    return MAPPING_OK;
}

/* ---- Wavefronts ---- */

static void add_word(struct mapping_words *words, uint32_t word, uint32_t lane) {
    uint32_t bank = word % BANKS, n = 0;
    while (n < words->count[bank] && words->word[bank][n] != word)
        n++;
    if (n == words->count[bank]) {
        words->count[bank]++;
        words->word[bank][n] = word;
        words->lanes[bank][n] = 0;
    }
    words->lanes[bank][n] |= UINT32_C(1) << lane;
}

void mapping_access_words(const struct mapping_access *access, const uint32_t address[LANES],
                          uint32_t lanes, struct mapping_words *words) {
    memset(words->count, 0, sizeof words->count);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (lanes >> lane & 1)
            for (uint32_t word = address[lane] / BANK_BYTES;
                 word <= (address[lane] + access->bytes - 1) / BANK_BYTES; word++)
                add_word(words, word, lane);
}

/* Counts what the active lanes among `lanes` from the first one on take together. */
static void count_phase(const struct mapping_access *access, const uint32_t address[LANES],
                        uint32_t first, uint32_t lanes, struct mapping_phase *phase) {
    struct mapping_words words;
    *phase = (struct mapping_phase){.lanes = 0};
    for (uint32_t lane = first; lane < first + lanes; lane++)
        if (address[lane] != MAPPING_INACTIVE)
            phase->lanes |= UINT32_C(1) << lane;
    mapping_access_words(access, address, phase->lanes, &words);
    for (uint32_t bank = 0; bank < BANKS; bank++)
        if (words.count[bank] > phase->wavefronts) {
            phase->wavefronts = words.count[bank];
            phase->bank = bank;
        }
    for (uint32_t n = 0; n < words.count[phase->bank]; n++)
        phase->meeting |= words.lanes[phase->bank][n];
}

/* True if, in the whole warp, every two active lanes l and l ^ mask have the same address. */
static bool partners_agree(const uint32_t address[LANES], uint32_t mask) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
        uint32_t other = address[lane ^ mask];
        if (address[lane] != MAPPING_INACTIVE && other != MAPPING_INACTIVE &&
            address[lane] != other)
            return false;
    }
    return true;
}

void mapping_access_count(const struct mapping_access *access, const uint32_t address[LANES],
                          struct mapping_wavefronts *result) {
    bool merges = access->merged > 0 && (partners_agree(address, 1) || partners_agree(address, 2));
    uint32_t phases = merges ? access->merged : access->phases;
    uint32_t each = mapping_access_lanes(access) / phases;
    *result = (struct mapping_wavefronts){.phase_count = phases};
    for (uint32_t p = 0; p < phases; p++) {
        struct mapping_phase *phase = &result->phases[p];
        count_phase(access, address, p * each, each, phase);
        result->wavefronts += phase->wavefronts;
        result->minimum += phase->lanes != 0;
    }
}
