/* names.c - the ways in which people name a fragment.
 *
 * All of them come apart into words: what is multiplied, shape, operand, layout and type. Each kind
 * of name is read into the same pattern, and the catalogue is searched for what fits it. */
#include "family.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What is known of the wanted fragments. For a whole multiplication, one of each operand. */
struct pattern {
    enum mapping_instruction instruction;
    struct mapping_shape shape;
    bool has_shape;
    char operand; /* 0 if it is not said */
    unsigned layout_count, type_count;
    enum mapping_layout layouts[2];
    enum mapping_type types[4];
};

/* Cuts the next word off at one of `separators`, and blanks off its ends. NULL if there is none
 * left. */
static char *next_word(char **text, const char *separators) {
    if (!*text)
        return NULL;
    char *word = *text + strspn(*text, " ");
    size_t length = strcspn(word, separators);
    *text = word[length] ? word + length + 1 : NULL;
    word[length] = '\0';
    while (length > 0 && word[length - 1] == ' ')
        word[--length] = '\0';
    return word;
}

static bool is_any(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Reads a number of at most three digits, and returns what follows it, or NULL. */
static const char *read_size(const char *text, uint16_t *size) {
    unsigned digits = 0;
    for (*size = 0; isdigit((unsigned char)*text) && digits < 3; text++, digits++)
        *size = (uint16_t)(*size * 10 + (*text - '0'));
    return digits > 0 ? text : NULL;
}

/* Reads m16n16k16, or m8n8, which is one matrix. */
static bool read_shape(const char *word, struct mapping_shape *shape) {
    uint16_t *const sizes[] = {&shape->m, &shape->n, &shape->k};
    shape->k = 1;
    for (int s = 0; s < 3 && (s < 2 || *word); s++)
        if (*word != "mnk"[s] || !(word = read_size(word + 1, sizes[s])))
            return false;
    return *word == '\0';
}

/* Reads the x4 of m8n8.x4. */
static bool read_count(const char *word, struct mapping_shape *shape) {
    const char *end = *word == 'x' ? read_size(word + 1, &shape->k) : NULL;
    return end && *end == '\0';
}

/* Reads a layout, or what mma.h calls it. */
static bool read_layout(const char *word, enum mapping_layout *layout) {
    for (int l = MAPPING_NO_LAYOUT + 1; l < MAPPING_LAYOUTS; l++) {
        *layout = (enum mapping_layout)l;
        if (strcmp(word, mapping_layout_name(*layout)) == 0)
            return true;
    }
    static const char *const rows[] = {"row", "row_major", "mem_row_major", NULL};
    static const char *const cols[] = {"col", "col_major", "mem_col_major", NULL};
    *layout = is_any(word, rows) ? MAPPING_ROW_MAJOR : MAPPING_COL_MAJOR;
    return *layout == MAPPING_ROW_MAJOR || is_any(word, cols);
}

/* Takes a word that may stand in any of the names: shape, layout or type. False if it is neither.
 */
static bool take_word(const char *word, struct pattern *pattern) {
    if (!pattern->has_shape && read_shape(word, &pattern->shape))
        return pattern->has_shape = true;
    if (pattern->layout_count < 2 && read_layout(word, &pattern->layouts[pattern->layout_count]))
        return ++pattern->layout_count;
    if (pattern->type_count < 4 && mapping_type_find(word, &pattern->types[pattern->type_count]))
        return ++pattern->type_count;
    return false;
}

/* Reads what follows the instruction in a name of the catalogue: m16n16k16.a.row.f16. */
static bool read_name(char *text, struct pattern *pattern) {
    bool moves =
        pattern->instruction == MAPPING_LDMATRIX || pattern->instruction == MAPPING_STMATRIX;
    char *word = next_word(&text, ".");
    if (!word || !read_shape(word, &pattern->shape))
        return false;
    pattern->has_shape = true;
    if (moves && (!(word = next_word(&text, ".")) || !read_count(word, &pattern->shape)))
        return false;
    if (!(word = next_word(&text, ".")) || !(pattern->operand = mapping_operand_find(word)))
        return false;
    while ((word = next_word(&text, ".")))
        if (!take_word(word, pattern))
            return false;
    return true;
}

/* Reads what follows "wmma." in a PTX opcode. */
static bool read_wmma_opcode(char *text, struct pattern *pattern) {
    /* Parts of an opcode that do not change the fragment. */
    static const char *const ignored[] = {"sync", "aligned", "global", "shared", "shared::cta",
                                          "rn",   "rz",      "rm",     "rp",     "satfinite",
                                          "xor",  "and",     "popc",   NULL};
    const char *opcode = next_word(&text, ".");
    for (char *word; (word = next_word(&text, "."));) {
        if (!pattern->operand && strlen(word) == 1 && strchr("abcd", *word))
            pattern->operand = *word;
        else if (!take_word(word, pattern) && !is_any(word, ignored))
            return false;
    }
    bool is_mma = strcmp(opcode, "mma") == 0;
    if (!pattern->has_shape || is_mma != !pattern->operand)
        return false;
    if (!is_mma) {
        if ((pattern->operand == 'd') != (strcmp(opcode, "store") == 0) ||
            pattern->layout_count != 1)
            return false;
        /* For C and D it is the layout in memory, which is not part of the fragment. */
        if (pattern->operand == 'c' || pattern->operand == 'd')
            pattern->layout_count = 0;
    }
    return true;
}

/* Reads what begins with the name of an instruction. */
static bool read_dotted(char *text, struct pattern *pattern) {
    static const char *const opcodes[] = {"load.", "store.", "mma."};
    size_t longest = 0;
    for (int n = 0; n < MAPPING_INSTRUCTIONS; n++) {
        const char *name = mapping_instruction_name((enum mapping_instruction)n);
        size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && text[length] == '.' && length > longest) {
            pattern->instruction = (enum mapping_instruction)n;
            longest = length;
        }
    }
    if (longest == 0)
        return false;
    text += longest + 1;
    for (size_t o = 0; o < 3 && pattern->instruction == MAPPING_WMMA; o++)
        if (strncmp(text, opcodes[o], strlen(opcodes[o])) == 0)
            return read_wmma_opcode(text, pattern);
    return read_name(text, pattern);
}

/* Reads the arguments of fragment<matrix_a, 16, 16, 16, half, row_major>. */
static bool read_template(char *text, struct pattern *pattern) {
    static const struct {
        const char *name;
        char operand;
    } uses[] = {{"matrix_a", 'a'}, {"matrix_b", 'b'}, {"accumulator", 'd'}};
    uint16_t *const sizes[] = {&pattern->shape.m, &pattern->shape.n, &pattern->shape.k};
    char *word = next_word(&text, ","), *colon = strrchr(word, ':');
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++)
        if (strcmp(colon ? colon + 1 : word, uses[u].name) == 0)
            pattern->operand = uses[u].operand;
    for (int s = 0; s < 3; s++) {
        word = next_word(&text, ",");
        const char *end = word ? read_size(word, sizes[s]) : NULL;
        if (!pattern->operand || !end || *end)
            return false;
    }
    pattern->has_shape = true;
    while ((word = next_word(&text, ","))) {
        /* nvcuda::wmma::experimental::precision::s4 is known as precision::s4, row_major as itself.
         */
        char *precision = strstr(word, "precision::"), *last = strrchr(word, ':');
        if (!take_word(precision ? precision : last ? last + 1 : word, pattern))
            return false;
    }
    return true;
}

/* Finds the fragment of one operand. */
static bool find_one(const struct pattern *pattern, struct mapping_fragment *fragment) {
    const struct mapping_fragment wanted = {
        .instruction = pattern->instruction,
        .shape = pattern->shape,
        .operand = pattern->operand,
        .layout = pattern->layout_count == 1 ? pattern->layouts[0] : MAPPING_NO_LAYOUT,
        .type = pattern->types[0],
    };
    if (pattern->type_count != 1 || pattern->layout_count > 1)
        return false;
    return family_find(&wanted, fragment);
}

/* Finds A, B, C and D of a whole wmma.mma: of types d, a, b, c, or for half precision d, c. */
static bool find_all(const struct pattern *whole, struct mapping_fragment *fragments) {
    if (whole->layout_count != 2 || (whole->type_count != 2 && whole->type_count != 4))
        return false;
    for (unsigned o = 0; o < 4; o++) {
        static const unsigned places[] = {1, 2, 3, 0}; /* of the types of a, b, c, d among four */
        struct pattern one = *whole;
        one.operand = "abcd"[o];
        one.type_count = 1;
        one.types[0] = whole->types[places[o]];
        if (whole->type_count == 2)
            one.types[0] = o < 2 ? MAPPING_F16 : whole->types[3 - o];
        one.layout_count = o < 2;
        if (o < 2)
            one.layouts[0] = whole->layouts[o];
        if (!find_one(&one, &fragments[o]))
            return false;
    }
    return true;
}

/* ---- Other opcodes ---- */

/* An opcode taken apart: kind and scale_vec may stand in several places, the other words may not.
 */
struct words {
    char rest[MAPPING_OPCODE_SIZE], kind[32], scale[32];
};

static void append(char text[MAPPING_OPCODE_SIZE], const char *word) {
    size_t length = strlen(text);
    snprintf(text + length, MAPPING_OPCODE_SIZE - length, ".%s", word);
}

/* Takes an opcode apart, in lower case, without words that leave its operands alone. */
static struct words take_apart(char *text) {
    static const char *const states[] = {"shared", "shared::cta", NULL};
    static const char *const roundings[] = {"rn", "rz", "rm", "rp", NULL};
    struct words words = {"", "", ""};
    bool is_integer = strstr(text, ".s32.") && !strstr(text, ".b1."), is_scaled = false;
    bool is_double = strstr(text, ".f64."), is_mma = strncmp(text, "mma.", 4) == 0, ignored = false;
    bool moves = strncmp(text, "ldmatrix.", 9) == 0 || strncmp(text, "stmatrix.", 9) == 0;
    for (char *word; (word = next_word(&text, "."));) {
        bool is_ignored = (is_integer && strcmp(word, "satfinite") == 0) ||
                          (moves && is_any(word, states)) || (is_double && is_any(word, roundings));
        if (strncmp(word, "kind::", 6) == 0 && !*words.kind)
            snprintf(words.kind, sizeof words.kind, "%s", word + 6);
        else if (strncmp(word, "scale_vec::", 11) == 0 && !*words.scale)
            snprintf(words.scale, sizeof words.scale, "%s", word + 11);
        else if (strcmp(word, "block_scale") == 0 && !is_scaled)
            is_scaled = true;
        else if (is_mma && strcmp(word, "sp::ordered_metadata") == 0)
            append(words.rest, "sp");
        else if (is_ignored && !ignored)
            ignored = true;
        else
            append(words.rest, word);
    }
    if (!is_scaled && *words.scale)
        append(words.rest, "scale_vec");
    if (is_scaled && !*words.scale) /* what it is where it is not said */
        snprintf(words.scale, sizeof words.scale,
                 strcmp(words.kind, "mxf8f6f4") == 0 ? "1x"
                 : strcmp(words.kind, "mxf4") == 0   ? "2x"
                                                     : "?");
    return words;
}

static void copy_lower(char *copy, size_t size, const char *text) {
    size_t length = 0;
    for (; text[length] && length + 1 < size; length++)
        copy[length] = (char)tolower((unsigned char)text[length]);
    copy[length] = '\0';
}

/* The fragments of an opcode, which may be younger than they are. */
static size_t find_operands(const struct mapping_opcode *opcode,
                            struct mapping_fragment *fragments) {
    size_t count = mapping_opcode_fragments(opcode, fragments);
    for (struct mapping_fragment *one = fragments; one < fragments + count; one++) {
        one->since = one->since > opcode->since ? one->since : opcode->since;
        one->ptx = one->ptx > opcode->ptx ? one->ptx : opcode->ptx;
    }
    return count;
}

/* Finds the operands of an opcode, which is changed. */
static size_t find_opcode(char *text, struct mapping_fragment *fragments) {
    struct mapping_opcode opcode;
    const struct words wanted = take_apart(text);
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        char copy[MAPPING_OPCODE_SIZE];
        copy_lower(copy, sizeof copy, opcode.text);
        const struct words words = take_apart(copy);
        if (strcmp(words.rest, wanted.rest) == 0 && strcmp(words.kind, wanted.kind) == 0 &&
            strcmp(words.scale, wanted.scale) == 0)
            return find_operands(&opcode, fragments);
    }
    return 0;
}

size_t mapping_catalogue_find(const char *name,
                              struct mapping_fragment fragments[MAPPING_OPERANDS]) {
    static const char template[] = "fragment<";
    char text[160];
    struct pattern pattern = {0};
    size_t length = strlen(name);
    if (length == 0 || length >= sizeof text)
        return 0;
    copy_lower(text, sizeof text, name);
    char *template_start = strstr(text, template);
    if (template_start && text[length - 1] == '>') {
        static const char *const scopes[] = {"", "wmma::", "nvcuda::wmma::", NULL};
        text[length - 1] = *template_start = '\0';
        if (!is_any(text, scopes) || !read_template(template_start + sizeof template - 1, &pattern))
            return 0;
    } else if (strstr(text, ".sync.") && strncmp(text, "wmma.", 5) != 0) {
        return find_opcode(text, fragments);
    } else if (!read_dotted(text, &pattern)) {
        return 0;
    }
    if (pattern.operand)
        return find_one(&pattern, &fragments[0]) ? 1 : 0;
    return find_all(&pattern, fragments) ? 4 : 0;
}
