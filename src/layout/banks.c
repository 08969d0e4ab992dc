/* banks.c - operations on shared memory by their names, and their wavefronts; see banks.h.
 *
 * The rule was counted on an H200 (sm_90) with ncu, as l1tex__data_pipe_lsu_wavefronts_mem_shared,
 * over 2,484 patterns of addresses, and gives all of them. That 64 bits are two phases of half a
 * warp, and 128 bits four of a quarter, NVIDIA's talk on Volta says too (GTC 2019, Programming
 * Tensor Cores, "Conflict-Free Access to Shared Memory"). */
#include "layout/banks.h"

#include "layout/ascii.h"

#include <string.h>

/* ---- Operations ---- */

enum { MATRIX_ROWS = 8, ROW_BYTES = 16 };

/* ld and st: the widths that machine code has, LDS and STS .U8, .U16, 32 bits, .64 and .128.
 * Matrices: PTX ISA, ldmatrix and stmatrix, of shape m8n8 and type b16. Phases: as counted; loads
 * of 64 and 128 bits have half as many if, in the whole warp, every two active lanes l and l ^ 1
 * have the same address, or every two active lanes l and l ^ 2 do. */
static const struct mapping_access accesses[] = {
    /* name, bytes, matrices, phases, merged phases, is_store, is_transposed */
    {"ldmatrix.x4", ROW_BYTES, 4, 4, 0, false, false},
    {"ldmatrix.x4.trans", ROW_BYTES, 4, 4, 0, false, true},
    {"ld.b128", 16, 0, 4, 2, false, false},
    {"ldmatrix.x2", ROW_BYTES, 2, 2, 0, false, false},
    {"ldmatrix.x2.trans", ROW_BYTES, 2, 2, 0, false, true},
    {"ld.b64", 8, 0, 2, 1, false, false},
    {"ldmatrix.x1", ROW_BYTES, 1, 1, 0, false, false},
    {"ldmatrix.x1.trans", ROW_BYTES, 1, 1, 0, false, true},
    {"ld.b32", 4, 0, 1, 0, false, false},
    {"ld.u16", 2, 0, 1, 0, false, false},
    {"ld.u8", 1, 0, 1, 0, false, false},
    {"stmatrix.x4", ROW_BYTES, 4, 4, 0, true, false},
    {"stmatrix.x4.trans", ROW_BYTES, 4, 4, 0, true, true},
    {"st.b128", 16, 0, 4, 0, true, false},
    {"stmatrix.x2", ROW_BYTES, 2, 2, 0, true, false},
    {"stmatrix.x2.trans", ROW_BYTES, 2, 2, 0, true, true},
    {"st.b64", 8, 0, 2, 0, true, false},
    {"stmatrix.x1", ROW_BYTES, 1, 1, 0, true, false},
    {"stmatrix.x1.trans", ROW_BYTES, 1, 1, 0, true, true},
    {"st.b32", 4, 0, 1, 0, true, false},
    {"st.u16", 2, 0, 1, 0, true, false},
    {"st.u8", 1, 0, 1, 0, true, false},
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
        if (address[lane] == MAPPING_INACTIVE)
            continue;
        if (address[lane] % access->bytes != 0)
            return mapping_fail(
                error, MAPPING_INVALID,
                "lane %u: address %u is not a multiple of %u bytes, which %s requires", lane,
                address[lane], access->bytes, access->name);
        if (address[lane] > (uint32_t)SHARED_BYTES_MAX - access->bytes)
            return mapping_fail(
                error, MAPPING_INVALID,
                "lane %u: address %u is outside of shared memory; a block has at most %d bytes",
                lane, address[lane], SHARED_BYTES_MAX);
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
            phase->banks = 1;
        } else if (words.count[bank] == phase->wavefronts) {
            phase->banks++;
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

/* ---- Names ----
 *
 * As PTX and machine code spell them: words with points between, ld.shared.v4.f32, LDS.128,
 * LDSM.16.MT88.4. The first says which kind it is, each other a property of it, which may be said
 * once, or nothing that matters to banks. */

enum kind { PTX = 1, SASS = 2, PTX_MATRIX = 4, SASS_MATRIX = 8, BEGINNING = 16 };

enum property { IGNORED, LOADS, STORES, BITS, VECTOR, MATRICES, TRANSPOSED, PROPERTIES };

/* The words of names of these kinds, except types; and the words that a name begins with, which say
 * its kind. PTX ISA, ld, st, ldmatrix and stmatrix; nvdisasm's names of these. */
static const struct {
    const char *word;
    unsigned kinds;
    enum property property;
    uint8_t value;
} words[] = {
    {"ld", BEGINNING, LOADS, PTX},
    {"st", BEGINNING, STORES, PTX},
    {"lds", BEGINNING, LOADS, SASS},
    {"sts", BEGINNING, STORES, SASS},
    {"ldmatrix", BEGINNING, LOADS, PTX_MATRIX},
    {"stmatrix", BEGINNING, STORES, PTX_MATRIX},
    {"ldsm", BEGINNING, LOADS, SASS_MATRIX},
    {"stsm", BEGINNING, STORES, SASS_MATRIX},
    {"shared", PTX | PTX_MATRIX, IGNORED, 0},
    {"shared::cta", PTX | PTX_MATRIX, IGNORED, 0},
    {"weak", PTX, IGNORED, 0},
    {"volatile", PTX, IGNORED, 0},
    {"v2", PTX, VECTOR, 2},
    {"v4", PTX, VECTOR, 4},
    {"sync", PTX_MATRIX, IGNORED, 0},
    {"aligned", PTX_MATRIX, IGNORED, 0},
    {"m8n8", PTX_MATRIX, IGNORED, 0},
    {"b16", PTX_MATRIX, IGNORED, 0},
    {"x1", PTX_MATRIX, MATRICES, 1},
    {"x2", PTX_MATRIX, MATRICES, 2},
    {"x4", PTX_MATRIX, MATRICES, 4},
    {"trans", PTX_MATRIX, TRANSPOSED, 1},
    {"u", SASS, IGNORED, 0},
    {"16", SASS_MATRIX, IGNORED, 0},
    {"m88", SASS_MATRIX, IGNORED, 0},
    {"mt88", SASS_MATRIX, TRANSPOSED, 1},
    {"1", SASS_MATRIX, MATRICES, 1},
    {"2", SASS_MATRIX, MATRICES, 2},
    {"4", SASS_MATRIX, MATRICES, 4},
};

/* The bits of a type: 32 of "f32", "b32", "32" and "f16x2"; 0 if the word is none. */
static uint32_t type_bits(const char *word) {
    static const struct {
        const char *word;
        uint32_t bits;
    } sizes[] = {{"8", 8}, {"16", 16}, {"16x2", 32}, {"32", 32}, {"64", 64}, {"128", 128}};
    size_t letters = strspn(word, "bfstu");
    if (letters > 2 || (letters == 2 && strncmp(word, "bf", 2) != 0 && strncmp(word, "tf", 2) != 0))
        return 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        if (strcmp(word + letters, sizes[s].word) == 0)
            return sizes[s].bits;
    return 0;
}

/* Stores the property of a word. False if this kind has no such word, or the property is set. */
static bool take_word(const char *word, unsigned kind, uint32_t value[PROPERTIES]) {
    uint32_t found = kind & (PTX | SASS) ? type_bits(word) : 0;
    enum property property = BITS;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if ((words[w].kinds & kind) && strcmp(word, words[w].word) == 0) {
            property = words[w].property;
            found = words[w].value;
        }
    const bool is_new = property == IGNORED || (value[property] == 0 && found > 0);
    value[property] = found;
    return is_new;
}

/* Reads the properties of a name, 0 for those that it does not have. Returns its kind, 0 if it is
 * not valid. */
static unsigned read_name(const char *name, uint32_t value[PROPERTIES]) {
    enum { LONGEST = 16 };
    unsigned kind = BEGINNING;
    for (const char *next = name;; next++) {
        char word[LONGEST];
        size_t length = strcspn(next, ".");
        if (length == 0 || length >= sizeof word)
            return 0;
        for (size_t n = 0; n < length; n++)
            word[n] = ascii_lower(next[n]);
        word[length] = '\0';
        if (!take_word(word, kind, value))
            return 0;
        kind = value[LOADS] + value[STORES];
        next += length;
        if (!*next)
            return kind;
    }
}

const struct mapping_access *mapping_access_find(const char *name) {
    const struct mapping_access *access;
    uint32_t value[PROPERTIES] = {0};
    const unsigned kind = read_name(name, value);
    const bool is_matrix = kind & (PTX_MATRIX | SASS_MATRIX);
    /* Machine code leaves out 32 bits, and one matrix. */
    if (kind == SASS_MATRIX && value[MATRICES] == 0)
        value[MATRICES] = 1;
    if (kind == SASS && value[BITS] == 0)
        value[BITS] = 32;
    const uint32_t vector = value[VECTOR] ? value[VECTOR] : 1;
    const uint32_t bytes = is_matrix ? ROW_BYTES : value[BITS] * vector / 8;
    for (size_t a = 0; kind && (access = mapping_access_at(a)); a++)
        if (access->bytes == bytes && access->matrices == value[MATRICES] &&
            (access->matrices > 0) == is_matrix && access->is_store == (value[STORES] > 0) &&
            access->is_transposed == (value[TRANSPOSED] > 0))
            return access;
    return NULL;
}
