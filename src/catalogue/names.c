/* names.c - the ways in which people name fragments: by the catalogue's name, by a type of mma.h,
 * by an opcode, which the families read themselves, or by an atom of CuTe, see atoms.c. */
#include "catalogue/family.h"
#include "layout/ascii.h"

#include <stdio.h>
#include <string.h>

/* Cuts the next word off at the separator, or at the end of the text; NULL if there is none left.
 */
static char *next_word(char **text, char separator) {
    char *word = *text;
    if (!word)
        return NULL;
    *text = strchr(word, separator);
    if (*text)
        *(*text)++ = '\0';
    return word;
}

/* Reads a number of one to three digits that does not begin with 0, and returns what follows it, or
 * NULL. */
static const char *read_size(const char *text, uint16_t *size) {
    const char *start = text;
    for (*size = 0; ascii_is_digit(*text) && text < start + 3; text++)
        *size = (uint16_t)(*size * 10 + (*text - '0'));
    return text > start && *start != '0' ? text : NULL;
}

bool mapping_shape_read(const char *word, struct mapping_shape *shape) {
    uint16_t *const sizes[] = {&shape->m, &shape->n, &shape->k};
    shape->n = shape->k = 0;
    for (int s = 0; s < 3 && (s == 0 || *word); s++)
        if (*word == "mnk"[s] ? !(word = read_size(word + 1, sizes[s])) : s != 1)
            return false;
    return *word == '\0' && (shape->n > 0 || shape->k > 0);
}

/* ---- Names of the catalogue: wmma.m16n16k16.a.row.f16 ---- */

/* Appends text at `end` and returns the new end. The list prints more than a thousand names, which
 * snprintf would take half of the time for. */
static char *append(char *end, const char *text) {
    size_t length = strlen(text);
    memcpy(end, text, length + 1);
    return end + length;
}

/* Appends a letter and a size of at most five digits. */
static char *append_size(char *end, char letter, unsigned size) {
    char digits[6], *first = digits + sizeof digits - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + size % 10);
        size /= 10;
    } while (size > 0);
    *end++ = letter;
    return append(end, first);
}

void mapping_lanes_text(struct mapping_shape shape, char text[LANES_TEXT]) {
    snprintf(text, LANES_TEXT, "%hux%hub%s", shape.m, shape.n,
             mapping_lanes_are_twice(shape) ? "x2" : "");
}

/* Appends the shape as the family has it in names. */
static char *append_shape(char *end, const struct mapping_fragment *fragment) {
    const struct mapping_shape shape = fragment->shape;
    const enum shape_style style = mapping_family(fragment->instruction)->shape_style;
    if (style == SHAPE_LANES || style == SHAPE_LANES_ONCE) {
        char lanes[LANES_TEXT];
        mapping_lanes_text(shape, lanes);
        end = append(end, lanes);
        return style == SHAPE_LANES ? append_size(append(end, "."), 'x', shape.k) : end;
    }
    end = append_size(end, 'm', shape.m);
    if (shape.n > 0)
        end = append_size(end, 'n', shape.n);
    switch (style) {
    case SHAPE_LANES:
    case SHAPE_LANES_ONCE:
    case SHAPE_MNK:
        return append_size(end, 'k', shape.k);
    case SHAPE_MN:
        return end;
    case SHAPE_MN_COUNT:
        return append_size(append(end, "."), 'x', shape.k);
    }
    return end;
}

void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]) {
    const char *variant = mapping_fragment_variant(fragment);
    char *end = append(name, mapping_instruction_name(fragment->instruction));
    end = append_shape(append(end, "."), fragment);
    end = append(append(end, "."), mapping_operand_name(fragment->operand));
    if (*variant)
        end = append(append(end, "."), variant);
    append(append(end, "."), mapping_type_name(fragment->type));
}

const char *mapping_instruction_read(const char *text, enum mapping_instruction *instruction) {
    size_t longest = 0;
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++) {
        const char *name = mapping_instruction_name((enum mapping_instruction)i);
        size_t length = strlen(name);
        if (strncmp(text, name, length) == 0 && (text[length] == '.' || text[length] == '\0') &&
            length > longest) {
            *instruction = (enum mapping_instruction)i;
            longest = length;
        }
    }
    return longest > 0 ? text + longest : NULL;
}

bool mapping_lanes_read(const char *word, struct mapping_shape *shape) {
    const char *end = read_size(word, &shape->m);
    if (!end || *end != 'x' || !(end = read_size(end + 1, &shape->n)) || *end != 'b')
        return false;
    return strcmp(end + 1, mapping_lanes_are_twice(*shape) ? "x2" : "") == 0;
}

bool mapping_lanes_are_twice(struct mapping_shape shape) {
    return shape.m == 16 && shape.n == 32;
}

/* Reads the shape as append_shape writes it. */
static bool read_shape(char **text, enum shape_style style, struct mapping_shape *shape) {
    char *word = next_word(text, '.');
    bool has_lanes = style == SHAPE_LANES || style == SHAPE_LANES_ONCE;
    if (!word ||
        (has_lanes ? !mapping_lanes_read(word, shape)
                   : !mapping_shape_read(word, shape) || (shape->k != 0) != (style == SHAPE_MNK)))
        return false;
    if (style == SHAPE_MN)
        shape->k = 1;
    if (style != SHAPE_MN_COUNT && style != SHAPE_LANES)
        return true;
    word = next_word(text, '.');
    const char *end = word && *word == 'x' ? read_size(word + 1, &shape->k) : NULL;
    return end && *end == '\0';
}

/* Reads an order, as PTX or mma.h has it. */
static bool read_order(const char *word, enum mapping_order *order) {
    static const struct {
        const char *name;
        enum mapping_order order;
    } orders[] = {
        {"row", MAPPING_ROW_MAJOR},
        {"col", MAPPING_COL_MAJOR},
        {"row_major", MAPPING_ROW_MAJOR},
        {"col_major", MAPPING_COL_MAJOR},
    };
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        if (strcmp(word, orders[o].name) == 0) {
            *order = orders[o].order;
            return true;
        }
    }
    return false;
}

/* Reads what stands between operand and type; false if it is nothing that can. */
static bool read_variant(const char *word, struct mapping_fragment *fragment) {
    if (read_order(word, &fragment->order))
        return true;
    fragment->form = mapping_form_find(fragment->instruction, word);
    if (fragment->form)
        return true;
    if (strcmp(word, "trans") == 0)
        fragment->is_transposed = true;
    else if (strlen(word) == 2 && strchr("12346", word[0]) && word[1] == 'x')
        fragment->scale_vector = (uint8_t)(word[0] - '0');
    else
        return false;
    return true;
}

/* Finds the fragment of that name, which is changed. */
static bool find_named(char *name, struct mapping_fragment *fragment) {
    struct mapping_fragment wanted = {.instruction = MAPPING_WMMA};
    const char *behind = mapping_instruction_read(name, &wanted.instruction);
    if (!behind || *behind == '\0')
        return false;
    char *text = name + (behind - name) + 1;
    if (!read_shape(&text, mapping_family(wanted.instruction)->shape_style, &wanted.shape))
        return false;
    const char *operand = next_word(&text, '.'), *variant = next_word(&text, '.'),
               *type = next_word(&text, '.');
    if (!type) { /* there is no variant */
        type = variant;
        variant = NULL;
    }
    return type && !text && mapping_operand_find(operand, &wanted.operand) &&
           (!variant || read_variant(variant, &wanted)) && mapping_type_find(type, &wanted.type) &&
           mapping_fragment_find(&wanted, 0, fragment);
}

/* ---- Types of mma.h: fragment<matrix_a, 16, 16, 16, half, row_major> ---- */

/* What mma.h has in namespace nvcuda::wmma, as it may be written behind a scope. */
static const struct {
    const char *name;
    enum mapping_operand operand;
} uses[] = {{"matrix_a", MAPPING_A}, {"matrix_b", MAPPING_B}, {"accumulator", MAPPING_D}};

/* What follows wmma:: or nvcuda::wmma::, or all where there is no scope. */
static const char *skip_scope(const char *name) {
    static const char *const scopes[] = {"nvcuda::wmma::", "wmma::"};
    for (size_t s = 0; s < sizeof scopes / sizeof *scopes; s++)
        if (strncmp(name, scopes[s], strlen(scopes[s])) == 0)
            return name + strlen(scopes[s]);
    return name;
}

static bool read_use(const char *word, enum mapping_operand *operand) {
    for (size_t u = 0; u < sizeof uses / sizeof *uses; u++) {
        *operand = uses[u].operand;
        if (strcmp(skip_scope(word), uses[u].name) == 0)
            return true;
    }
    return false;
}

/* The element types of wmma::precision and wmma::experimental::precision are known by their last
 * scope. */
static bool read_element(const char *word, enum mapping_type *type) {
    static const char experimental[] = "experimental::";
    word = skip_scope(word);
    if (strncmp(word, experimental, sizeof experimental - 1) == 0)
        word += sizeof experimental - 1;
    return mapping_type_find(word, type);
}

/* Cuts the next argument of a template off, and blanks off its ends; "" if there is none left. */
static const char *next_argument(char **text) {
    char *word = next_word(text, ',');
    if (!word)
        return "";
    word += strspn(word, " ");
    size_t length = strlen(word);
    while (length > 0 && word[length - 1] == ' ')
        word[--length] = '\0';
    return word;
}

/* Finds the fragment of that type, which is changed. The order is that of A and B; accumulators
 * have none. */
static bool find_type(char *text, struct mapping_fragment *fragment) {
    static const char name[] = "fragment<";
    struct mapping_fragment wanted = {.instruction = MAPPING_WMMA};
    uint16_t *const sizes[] = {&wanted.shape.m, &wanted.shape.n, &wanted.shape.k};
    char *arguments = text + (skip_scope(text) - text);
    mapping_cut_names(arguments);
    size_t length = strlen(arguments);
    if (strncmp(arguments, name, sizeof name - 1) != 0 || arguments[length - 1] != '>')
        return false;
    arguments[length - 1] = '\0';
    arguments += sizeof name - 1;
    if (!read_use(next_argument(&arguments), &wanted.operand))
        return false;
    for (int s = 0; s < 3; s++) {
        const char *end = read_size(next_argument(&arguments), sizes[s]);
        if (!end || *end)
            return false;
    }
    return read_element(next_argument(&arguments), &wanted.type) &&
           (!arguments || read_order(skip_scope(next_argument(&arguments)), &wanted.order)) &&
           !arguments && mapping_fragment_find(&wanted, 0, fragment);
}

/* ---- All of them ---- */

bool mapping_name_lower(const char *name, char text[MAPPING_TEXT_SIZE]) {
    name += strspn(name, " ");
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    if (length >= MAPPING_TEXT_SIZE)
        return false;
    for (size_t c = 0; c < length; c++)
        text[c] = ascii_lower(name[c]);
    memset(text + length, 0, MAPPING_TEXT_SIZE - length);
    return true;
}

bool mapping_name_settled(const char *name, char text[MAPPING_TEXT_SIZE]) {
    static const char start[] = "tcgen05.mma", one[] = ".cta_group::1", pair[] = ".cta2";
    static const char *const words[] = {one, ".cta_group::2", pair};
    if (!mapping_name_lower(name, text))
        return false;
    bool is_opcode = strstr(text, ".kind::") || strncmp(text, start, sizeof start - 1) != 0;
    for (size_t w = 0; w < sizeof words / sizeof *words && !is_opcode; w++) {
        char *at = strstr(text, words[w]), *behind = at ? at + strlen(words[w]) : NULL;
        if (!at || (*behind && *behind != '.'))
            continue;
        memmove(at, behind, strlen(behind) + 1);
        if (words[w] == one)
            return true;
        at = text + sizeof start - 1;
        memmove(at + sizeof pair - 1, at, strlen(at) + 1);
        memcpy(at, pair, sizeof pair - 1);
        return true;
    }
    return true;
}

size_t mapping_catalogue_find(const char *name, struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    char text[MAPPING_TEXT_SIZE], copy[MAPPING_TEXT_SIZE];
    size_t count = 0;
    if (mapping_name_lower(name, text)) {
        mapping_name_settled(name, copy);
        if (find_named(copy, &found[0]))
            return 1;
        memcpy(copy, text, sizeof copy);
        if (find_type(copy, &found[0]))
            return 1;
        count = mapping_find_opcode(text, found);
    }
    return count > 0 ? count : mapping_find_atom(name, found);
}
