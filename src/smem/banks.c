/* banks.c - the operations on shared memory, and counting their wavefronts; see banks.h.
 *
 * ncu counted the wavefronts of 2,484 patterns of addresses on an H200 (sm_90), with the metric
 * l1tex__data_pipe_lsu_wavefronts_mem_shared. The rule gives all of these counts. NVIDIA's talk on
 * Volta (GTC 2019, Programming Tensor Cores, "Conflict-Free Access to Shared Memory") also states
 * that accesses of 64 bits have two phases of half a warp each, and accesses of 128 bits four
 * phases of a quarter.
 *
 * To add an operation, add
 * - here, a row, the widest first; the words of its PTX and SASS names in `words`, a new size in
 *   `type_bits`; its first architecture in mapping_access_since, which --load and --store use. If
 *   it agrees with another row in everything that mapping_access_find compares, add a property;
 * - for more than 4 phases or registers, PHASES_MAX in banks.h and LOAD_PIECES in copy_plan.h;
 * - its PTX in output/cuda_load.c, and the help of --access in cli/option_rows.c;
 * - in tests/, ACCESSES of bank_patterns.py or SHAPES of simulated_warp.py, a kernel in
 *   source/gpu/banks.cu, and its first architecture in smem/banks_test.c. */
#include "smem/banks.h"

#include "layout/ascii.h"
#include "layout/space.h"

#include <string.h>

/* ---- Operations ---- */

enum { ROW_BYTES = 16 };

static const char blanks[] = " \t\r\n";

/* Rows for ldmatrix and stmatrix: m8n8, and the shapes of elements with 8, 6 and 4 bits. */
#define M8N8(name, count, is_store)                                                                \
    {name ".x" #count, ROW_BYTES, count, count, 0, is_store, false, 8, 4, 0, false}, {             \
        name ".x" #count ".trans", ROW_BYTES, count, count, 0, is_store, true, 8, 2, 0, false      \
    }
#define M16N16(count, type, packed)                                                                \
    {                                                                                              \
        "ldmatrix.m16n16.x" #count ".trans." type, ROW_BYTES, count, 2 * (count), 0, false, true,  \
            16, 1, packed, false                                                                   \
    }
#define M8N16(count, type, packed, is_signed)                                                      \
    {                                                                                              \
        "ldmatrix.m8n16.x" #count "." type, ROW_BYTES, count, count, 0, false, false, 8, 1,        \
            packed, is_signed                                                                      \
    }
#define M16N8(count)                                                                               \
    {                                                                                              \
        "stmatrix.m16n8.x" #count ".trans.b8", ROW_BYTES, count, count, 0, true, true, 8, 1, 0,    \
            false                                                                                  \
    }
#define EACH_M16N16(count)                                                                         \
    M16N16(count, "b8", 0), M16N16(count, "b6x16_p32", 6), M16N16(count, "b4x16_p64", 4)
#define EACH_M8N16(count)                                                                          \
    M8N16(count, "b6x16_p32", 6, false), M8N16(count, "b4x16_p64", 4, false),                      \
        M8N16(count, "s8.s4", 4, true)

/* ld and st: the widths of the SASS instructions: LDS and STS .U8, .U16, 32 bits, .64 and .128.
 * Matrices: PTX ISA, ldmatrix and stmatrix. Phases of ld and st were measured; loads of 64 and 128
 * bits have half as many if, in the whole warp, every two active lanes l and l ^ 1 have the same
 * address, or every two active lanes l and l ^ 2 do. The phases of m16n16, m8n16 and m16n8 are
 * assumed: 8 rows each, as for m8n8. */
static const struct mapping_access accesses[] = {
    /* The widest first. Columns for ld and st: name, bytes, matrices, phases, merged phases,
       is_store. */
    M8N8("ldmatrix", 4, false),
    EACH_M16N16(2),
    EACH_M8N16(4),
    {"ld.b128", 16, 0, 4, 2, .is_store = false},
    M8N8("ldmatrix", 2, false),
    EACH_M16N16(1),
    EACH_M8N16(2),
    {"ld.b64", 8, 0, 2, 1, .is_store = false},
    M8N8("ldmatrix", 1, false),
    EACH_M8N16(1),
    {"ld.b32", 4, 0, 1, 0, .is_store = false},
    {"ld.u16", 2, 0, 1, 0, .is_store = false},
    {"ld.u8", 1, 0, 1, 0, .is_store = false},
    M8N8("stmatrix", 4, true),
    M16N8(4),
    {"st.b128", 16, 0, 4, 0, .is_store = true},
    M8N8("stmatrix", 2, true),
    M16N8(2),
    {"st.b64", 8, 0, 2, 0, .is_store = true},
    M8N8("stmatrix", 1, true),
    M16N8(1),
    {"st.b32", 4, 0, 1, 0, .is_store = true},
    {"st.u16", 2, 0, 1, 0, .is_store = true},
    {"st.u8", 1, 0, 1, 0, .is_store = true},
};

const struct mapping_access *mapping_access_at(size_t index) {
    return index < sizeof accesses / sizeof *accesses ? &accesses[index] : NULL;
}

uint32_t mapping_access_since(const struct mapping_access *access) {
    return access->matrices == 0                     ? 0
           : access->unit == 1 && !access->is_signed ? 100
           : access->unit == 1 || access->is_store   ? 90
                                                     : 75;
}

bool mapping_access_needs_letter(const struct mapping_access *access) {
    return access->unit == 1;
}

uint32_t mapping_access_lanes(const struct mapping_access *access) {
    return access->matrices > 0 ? (uint32_t)access->matrices * access->rows : LANES;
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
                access->name, lane % access->rows, lane / access->rows);
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

/* Counts the wavefronts of the phase of lanes `first` to `first` + `lanes` - 1. */
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
 * A name in PTX or SASS consists of words separated by points: ld.shared.v4.f32, LDS.128,
 * LDSM.16.MT88.4. The first word gives the kind of the operation. Each of the others gives a
 * property, which no other word may give, or does not matter to banks. */

enum kind {
    PTX = 1,
    SASS = 2,
    PTX_MATRIX = 4,
    SASS_MATRIX = 8,
    PTX_COPY = 16,
    SASS_COPY = 32,
    BEGINNING = 64,
    MATRIX = PTX_MATRIX | SASS_MATRIX
};

enum property {
    IGNORED,
    LOADS,
    STORES,
    BITS,
    VECTOR,
    MATRICES,
    TRANSPOSED,
    SHAPE,    /* M8N8_SHAPE and others, in machine code with TURNED */
    ELEMENTS, /* the size of an element in memory, or SIGNED_4 */
    WIDENED,  /* the size of an element in registers */
    PROPERTIES
};
enum { M8N8_SHAPE = 1, M16N16_SHAPE, M8N16_SHAPE, M16N8_SHAPE, TURNED = 8, SIGNED_4 = 5 };

/* The words of names of these kinds, except types; and the words that a name begins with, which
 * give its kind. (PTX ISA, ld, st, cp.async, ldmatrix and stmatrix; SASS as nvdisasm 12.8 and 13.5
 * print it.) */
static const struct {
    const char *words; /* separated by blanks */
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
    {"cp", BEGINNING, STORES, PTX_COPY},
    {"ldgsts", BEGINNING, STORES, SASS_COPY},
    {"shared shared::cta", PTX | PTX_MATRIX | PTX_COPY, IGNORED, 0},
    {"weak volatile relaxed acquire release cta cluster gpu sys", PTX, IGNORED, 0},
    {"async ca cg global l2::cache_hint l2::64b l2::128b l2::256b", PTX_COPY, IGNORED, 0},
    {"e bypass zfill ltc64b ltc128b ltc256b", SASS_COPY, IGNORED, 0},
    {"sync aligned", PTX_MATRIX, IGNORED, 0},
    {"u", SASS, IGNORED, 0},
    {"v2", PTX, VECTOR, 2},
    {"v4", PTX, VECTOR, 4},
    {"v8", PTX, VECTOR, 8},
    {"m8n8", PTX_MATRIX, SHAPE, M8N8_SHAPE},
    {"m16n16", PTX_MATRIX, SHAPE, M16N16_SHAPE},
    {"m8n16", PTX_MATRIX, SHAPE, M8N16_SHAPE},
    {"m16n8", PTX_MATRIX, SHAPE, M16N8_SHAPE},
    {"b16", PTX_MATRIX, ELEMENTS, 16},
    {"b8", PTX_MATRIX, ELEMENTS, 8},
    {"b6x16_p32", PTX_MATRIX, ELEMENTS, 6},
    {"b4x16_p64", PTX_MATRIX, ELEMENTS, 4},
    {"s4", PTX_MATRIX, ELEMENTS, SIGNED_4},
    {"b8x16", PTX_MATRIX, WIDENED, 1},
    {"s8", PTX_MATRIX, WIDENED, SIGNED_4},
    {"x1", PTX_MATRIX, MATRICES, 1},
    {"x2", PTX_MATRIX, MATRICES, 2},
    {"x4", PTX_MATRIX, MATRICES, 4},
    {"trans", PTX_MATRIX, TRANSPOSED, 1},
    {"16", SASS_MATRIX, ELEMENTS, 16},
    {"8", SASS_MATRIX, ELEMENTS, 8},
    {"u6x16p32to8", SASS_MATRIX, ELEMENTS, 6},
    {"u4x16p64to8", SASS_MATRIX, ELEMENTS, 4},
    {"m88", SASS_MATRIX, SHAPE, M8N8_SHAPE},
    {"mt88", SASS_MATRIX, SHAPE, M8N8_SHAPE | TURNED},
    {"mt1616", SASS_MATRIX, SHAPE, M16N16_SHAPE | TURNED},
    {"m816", SASS_MATRIX, SHAPE, M8N16_SHAPE},
    {"mt168", SASS_MATRIX, SHAPE, M16N8_SHAPE | TURNED},
    {"1", SASS_MATRIX, MATRICES, 1},
    {"2", SASS_MATRIX, MATRICES, 2},
    {"4", SASS_MATRIX, MATRICES, 4},
};

/* The size of a type in bits: 32 for "f32", "b32", "32" and "f16x2"; 0 for others. */
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
    uint32_t found = kind & (PTX | SASS | SASS_COPY) ? type_bits(word) : 0;
    enum property property = BITS;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (words[w].kinds & kind && mapping_word_is_in(words[w].words, word, strlen(word))) {
            property = words[w].property;
            found = words[w].value;
        }
    const bool is_new = property == IGNORED || (value[property] == 0 && found > 0);
    value[property] = found;
    return is_new;
}

/* Skips blanks, a comment with the address of the instruction, and a predicate. */
static const char *skip_to_name(const char *text) {
    text += strspn(text, blanks);
    if (strncmp(text, "/*", 2) == 0 && strstr(text, "*/"))
        text = strstr(text, "*/") + 2;
    text += strspn(text, blanks);
    if (*text == '@')
        text += strcspn(text, blanks);
    return text + strspn(text, blanks);
}

/* Copies a word of a name in lower case, and returns its length; "" if it is too long. */
enum { WORD_TEXT = 16 };
static size_t read_word(const char *text, char word[WORD_TEXT]) {
    const size_t length = strcspn(text, ". \t\r\n[{;,");
    memset(word, 0, WORD_TEXT);
    for (size_t n = 0; n < length && length < WORD_TEXT; n++)
        word[n] = ascii_lower(text[n]);
    return length;
}

/* Reads the properties of a name, 0 for those that it does not have. Returns its kind, 0 if it is
 * not valid, and sets *behind to what follows it. */
static unsigned read_name(const char *name, uint32_t value[PROPERTIES], const char **behind) {
    unsigned kind = BEGINNING;
    for (const char *next = name;; next++) {
        char word[WORD_TEXT];
        next += read_word(next, word);
        if (!*word || !take_word(word, kind, value))
            return 0;
        kind = value[LOADS] + value[STORES];
        *behind = next;
        if (*next != '.')
            return kind;
    }
}

/* The bytes that a cp.async copies for each lane: its third operand; 16 without it. */
static uint32_t copied_bytes(const char *operands) {
    const char *size = strchr(operands, ',');
    size = size ? strchr(size + 1, ',') : NULL;
    if (!size)
        return ROW_BYTES;
    size += 1 + strspn(size + 1, blanks);
    return strncmp(size, "16", 2) == 0    ? 16
           : *size == '4' || *size == '8' ? (uint32_t)*size - '0'
                                          : 0;
}

/* The shape and the elements of a name, as words[] numbers them. */
static uint32_t shape_of(const struct mapping_access *access) {
    return access->unit > 1     ? M8N8_SHAPE
           : access->rows == 16 ? M16N16_SHAPE
           : access->is_store   ? M16N8_SHAPE
                                : M8N16_SHAPE;
}

static uint32_t elements_of(const struct mapping_access *access) {
    return access->unit > 1    ? 16
           : access->is_signed ? SIGNED_4
           : access->packed    ? access->packed
                               : 8;
}

const struct mapping_access *mapping_access_find(const char *name) {
    const struct mapping_access *access;
    const char *behind = name;
    uint32_t value[PROPERTIES] = {0};
    const unsigned kind = read_name(skip_to_name(name), value, &behind);
    /* SASS names leave out 32 bits and a single matrix. */
    if (kind == SASS_MATRIX && value[MATRICES] == 0)
        value[MATRICES] = 1;
    if (kind & (SASS | SASS_COPY) && value[BITS] == 0)
        value[BITS] = 32;
    if (kind == PTX_COPY)
        value[BITS] = 8 * copied_bytes(behind);
    if (value[SHAPE] & TURNED)
        value[TRANSPOSED] = 1;
    value[SHAPE] &= ~(uint32_t)TURNED;
    if (kind & MATRIX && value[SHAPE] == 0)
        value[SHAPE] = M8N8_SHAPE;
    if (kind & MATRIX && value[ELEMENTS] == 0)
        value[ELEMENTS] = value[SHAPE] == M8N8_SHAPE ? 16 : 8;
    if ((kind & MATRIX && value[MATRICES] == 0) ||
        (value[WIDENED] && (value[WIDENED] == SIGNED_4) != (value[ELEMENTS] == SIGNED_4)))
        return NULL;
    const uint32_t vector = value[VECTOR] ? value[VECTOR] : 1;
    const uint32_t bytes = kind & MATRIX ? ROW_BYTES : value[BITS] * vector / 8;
    for (size_t a = 0; kind && (access = mapping_access_at(a)); a++)
        if (access->bytes == bytes && access->matrices == value[MATRICES] &&
            access->is_store == (value[STORES] > 0) &&
            access->is_transposed == (value[TRANSPOSED] > 0) &&
            (access->matrices == 0 ||
             (shape_of(access) == value[SHAPE] && elements_of(access) == value[ELEMENTS])))
            return access;
    return NULL;
}

const char *mapping_access_elsewhere(const char *name) {
    static const struct {
        bool is_first; /* the first word of a name; otherwise any other word */
        const char *words, *what;
    } others[] = {
        {true, "ldg ldu", "reads global memory"},
        {true, "stg", "writes global memory"},
        {true, "ldl", "reads local memory"},
        {true, "stl", "writes local memory"},
        {true, "ldc ldcu uldc", "reads constant memory"},
        {true, "ldtm", "reads Tensor Memory"},
        {true, "sttm", "writes Tensor Memory"},
        {true, "atom atoms atomg red reds redg", "is an atomic operation"},
        {true, "tcgen05", "accesses Tensor Memory"},
        {true, "stas", "writes shared memory of any block of the cluster"},
        {true, "ublkcp utmaldg utmastg", "is a copy without addresses of lanes"},
        {false, "bulk", "is a copy without addresses of lanes"},
        {false, "global", "accesses global memory"},
        {false, "local", "accesses local memory"},
        {false, "const", "accesses constant memory"},
        {false, "param", "accesses parameters"},
        {false, "shared::cluster", "accesses shared memory of any block of the cluster"},
        {false, "e", "takes generic addresses"},
    };
    const char *next = skip_to_name(name);
    const bool is_copy = ascii_begins_alike(next, "cp.", 3); /* from .global to .shared */
    for (bool is_first = true; *next; is_first = false) {
        char word[WORD_TEXT];
        next += read_word(next, word);
        for (size_t n = 0; n < sizeof others / sizeof *others; n++)
            if (is_first == others[n].is_first &&
                (!is_copy || strcmp(others[n].words, "bulk") == 0) &&
                mapping_word_is_in(others[n].words, word, strlen(word)))
                return others[n].what;
        if (*next++ != '.')
            return NULL;
    }
    return NULL;
}
