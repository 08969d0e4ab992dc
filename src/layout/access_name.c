/* access_name.c - operations on shared memory by name, as PTX and machine code spell them; see
 * banks.h.
 *
 * A name is words with points between: ld.shared.v4.f32, LDS.128, LDSM.16.MT88.4. The first says
 * which kind it is, each other a property of it, which may be said once, or nothing that matters
 * to banks. */
#include "layout/ascii.h"
#include "layout/banks.h"

#include <string.h>

enum kind { PTX = 1, SASS = 2, PTX_MATRIX = 4, SASS_MATRIX = 8 };

/* What a name begins with. PTX ISA, ld, st, ldmatrix and stmatrix; nvdisasm's names of these. */
static const struct {
    const char *word;
    enum kind kind;
    bool is_store;
} beginnings[] = {
    {"ld", PTX, false},
    {"st", PTX, true},
    {"lds", SASS, false},
    {"sts", SASS, true},
    {"ldmatrix", PTX_MATRIX, false},
    {"stmatrix", PTX_MATRIX, true},
    {"ldsm", SASS_MATRIX, false},
    {"stsm", SASS_MATRIX, true},
};

enum property { IGNORED, BITS, VECTOR, MATRICES, TRANSPOSED, PROPERTIES };

/* What else there is in names of these kinds, but for types. */
static const struct {
    const char *word;
    unsigned kinds;
    enum property property;
    uint8_t value;
} words[] = {
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

/* What a name says; 0 where it does not. */
struct said {
    enum kind kind;
    bool is_store;
    uint32_t value[PROPERTIES];
};

static bool take_beginning(const char *word, struct said *said) {
    for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++)
        if (strcmp(word, beginnings[b].word) == 0) {
            said->kind = beginnings[b].kind;
            said->is_store = beginnings[b].is_store;
            return true;
        }
    return false;
}

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

static bool set_once(struct said *said, enum property property, uint32_t value) {
    bool is_new = property == IGNORED || said->value[property] == 0;
    said->value[property] = value;
    return is_new;
}

static bool take_word(const char *word, struct said *said) {
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if ((words[w].kinds & said->kind) && strcmp(word, words[w].word) == 0)
            return set_once(said, words[w].property, words[w].value);
    uint32_t bits = (said->kind & (PTX | SASS)) ? type_bits(word) : 0;
    return bits > 0 && set_once(said, BITS, bits);
}

/* Reads all words of a name. */
static bool read_name(const char *name, struct said *said) {
    enum { LONGEST = 16 };
    bool is_first = true, is_read = true;
    for (const char *next = name; is_read; is_first = false) {
        char word[LONGEST];
        size_t length = strcspn(next, ".");
        if (length == 0 || length >= sizeof word)
            return false;
        for (size_t n = 0; n < length; n++)
            word[n] = ascii_lower(next[n]);
        word[length] = '\0';
        is_read = is_first ? take_beginning(word, said) : take_word(word, said);
        if (next[length] == '\0')
            break;
        next += length + 1;
    }
    return is_read;
}

/* What machine code leaves out: 32 bits, one matrix. */
static uint32_t value_of(const struct said *said, enum property property, uint32_t default_value) {
    return said->value[property] == 0 ? default_value : said->value[property];
}

/* How many bytes a lane brings an address for. */
static uint32_t bytes_of(const struct said *said) {
    uint32_t bits = value_of(said, BITS, said->kind == SASS ? 32 : 0);
    return bits * value_of(said, VECTOR, 1) / 8;
}

const struct mapping_access *mapping_access_find(const char *name) {
    enum { ROW_BYTES = 16 };
    const struct mapping_access *access;
    struct said said = {.is_store = false};
    if (!read_name(name, &said))
        return NULL;
    bool is_matrix = said.kind == PTX_MATRIX || said.kind == SASS_MATRIX;
    uint32_t matrices = value_of(&said, MATRICES, said.kind == SASS_MATRIX ? 1 : 0);
    uint32_t bytes = is_matrix ? ROW_BYTES : bytes_of(&said);
    if (is_matrix && matrices == 0)
        return NULL;
    for (size_t a = 0; (access = mapping_access_at(a)); a++)
        if (access->bytes == bytes && access->matrices == matrices &&
            access->is_store == said.is_store &&
            access->is_transposed == (said.value[TRANSPOSED] > 0))
            return access;
    return NULL;
}
