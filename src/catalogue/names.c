/* names.c - the ways in which people name fragments: by the catalogue's name, whole or with words
 * left out, by an opcode (opcodes.c), or by a type of C++ (atoms.c). */
#include "catalogue/family.h"

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

/* ---- Names of the catalogue: wmma.m16n16k16.a.row.f16 ---- */

/* Finds the instruction with the longest name that the text begins with, and returns what follows
 * it, which is "" or begins with '.'; NULL if there is none. */
static const char *read_instruction(const char *text, enum mapping_instruction *instruction) {
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
    const char *end = word && *word == 'x' ? mapping_size_read(word + 1, &shape->k) : NULL;
    return end && *end == '\0';
}

bool mapping_order_find(const char *name, enum mapping_order *order) {
    const bool is_row = strcmp(name, "row") == 0 || strcmp(name, "row_major") == 0;
    if (!is_row && strcmp(name, "col") != 0 && strcmp(name, "col_major") != 0)
        return false;
    *order = is_row ? MAPPING_ROW_MAJOR : MAPPING_COL_MAJOR;
    return true;
}

/* Reads what stands between operand and type; false if it is nothing that can. */
static bool read_variant(const char *word, struct mapping_fragment *fragment) {
    if (mapping_order_find(word, &fragment->order))
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
    const char *behind = read_instruction(name, &wanted.instruction);
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

/* ---- All of them ---- */

/* Writes a name in lower case, and of a name of tcgen05.mma .cta2, or .cta_group::2, which means
 * the same there, in its place: tcgen05.mma.cta2.sp for tcgen05.mma.sp.cta_group::2. False if the
 * name is too long. */
static bool settle(const char *name, char text[MAPPING_TEXT_SIZE]) {
    static const char start[] = "tcgen05.mma", one[] = ".cta_group::1", pair[] = ".cta2";
    static const char *const words[] = {one, ".cta_group::2", pair};
    if (!mapping_name_lower(name, text))
        return false;
    bool is_opcode = strstr(text, ".kind::") || strncmp(text, start, sizeof start - 1) != 0;
    for (size_t w = 0; w < COUNT(words) && !is_opcode; w++) {
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
        settle(name, copy);
        if (find_named(copy, &found[0]))
            return 1;
        if (mapping_find_cpp_fragment(text, &found[0]))
            return 1;
        count = mapping_find_opcode(text, found);
    }
    return count > 0 ? count : mapping_find_atom(name, found);
}

/* ---- Names that leave words out, and stand for all fragments that the others fit ---- */

/* Reads a word of opcodes that says nothing about a fragment; false if it is none, or was there. */
static bool read_silent(const char *word, struct mapping_partial *partial) {
    static const char of_all[] = "sync aligned";
    char all[64];
    const char *own = mapping_family(partial->instruction)->silent;
    unsigned place = 0;
    snprintf(all, sizeof all, "%s %s", of_all, own ? own : "");
    for (const char *one = all; *one; one += strspn(one, " "), place++) {
        size_t length = strcspn(one, " ");
        if (strlen(word) == length && strncmp(word, one, length) == 0) {
            bool is_first = !(partial->silent >> place & 1);
            partial->silent |= (uint8_t)(1U << place);
            return is_first;
        }
        one += length;
    }
    return false;
}

/* Reads "sp"; false if the instruction has no sparse form. */
static bool read_sparse(const char *word, struct mapping_partial *partial) {
    return strcmp(word, "sp") == 0 &&
           mapping_instruction_find_sparse(partial->instruction, &partial->instruction);
}

/* Reads "x4", of matrices that are moved; of lanes that are, up to "x128". */
static bool read_count(const char *word, struct mapping_partial *partial) {
    static const char *const counts[] = {"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"};
    enum { OF_MATRICES = 3, OF_LANES = COUNT(counts) };
    const enum shape_style style = mapping_family(partial->instruction)->shape_style;
    const size_t known = style == SHAPE_LANES      ? OF_LANES
                         : style == SHAPE_MN_COUNT ? OF_MATRICES
                                                   : 0;
    for (size_t c = 0; c < known && !partial->count; c++)
        if (strcmp(word, counts[c]) == 0) {
            partial->count = (uint8_t)(1U << c);
            return true;
        }
    return false;
}

/* True if the fragment has the width n, or stands for several widths of which n is one. */
static bool fits_width(uint16_t n, const struct mapping_fragment *fragment) {
    return n == 0 ||
           (fragment->widths ? mapping_widths_have(fragment->widths, n) : n == fragment->shape.n);
}

/* Finds a shape that is written without letters: "16x8x16", or "16816" as in names of SASS. Looks
 * at one instruction, or, if that is MAPPING_INSTRUCTIONS, at all that multiply, which need
 * "16x8x16". *found becomes the first instruction that has it. */
static bool find_plain_shape(const char *word, enum mapping_instruction instruction,
                             struct mapping_shape *shape, enum mapping_instruction *found) {
    struct mapping_fragment fragment;
    if (*word < '1' || *word > '9' || strspn(word, "0123456789x") != strlen(word))
        return false;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        char with_x[32], digits[32];
        const struct mapping_shape *one = &fragment.shape;
        const bool is_any = instruction == MAPPING_INSTRUCTIONS;
        if (is_any ? !mapping_instruction_multiplies(fragment.instruction)
                   : fragment.instruction != instruction)
            continue;
        snprintf(with_x, sizeof with_x, "%ux%ux%u", one->m, one->n, one->k);
        snprintf(digits, sizeof digits, "%u%u%u", one->m, one->n, one->k);
        if (strcmp(word, with_x) == 0 || (!is_any && strcmp(word, digits) == 0)) {
            *shape = *one;
            *found = fragment.instruction;
            return true;
        }
    }
    return false;
}

/* Reads "64x128", of which k is 0, or "16x8x16"; false if it is neither. */
static bool read_crossed(const char *word, struct mapping_shape *shape) {
    enum { DIGITS_MAX = 4 };
    uint16_t *const sizes[] = {&shape->m, &shape->n, &shape->k};
    *shape = (struct mapping_shape){0};
    for (int s = 0; s < 3; s++) {
        const size_t digits = strspn(word, "0123456789");
        if (digits == 0 || digits > DIGITS_MAX || *word == '0')
            return false;
        for (size_t d = 0; d < digits; d++)
            *sizes[s] = (uint16_t)(*sizes[s] * 10 + (*word++ - '0'));
        if (!*word)
            return s > 0;
        if (*word++ != 'x')
            return false;
    }
    return false;
}

static bool read_partial_shape(const char *word, struct mapping_partial *partial) {
    struct mapping_shape shape = {0};
    enum mapping_instruction found;
    if (partial->shape.m ||
        (!mapping_shape_read(word, &shape) && !mapping_lanes_read(word, &shape) &&
         !find_plain_shape(word, partial->instruction, &shape, &found) &&
         !read_crossed(word, &shape)))
        return false;
    partial->shape = shape;
    return true;
}

static bool read_operand(const char *word, struct mapping_partial *partial) {
    if (partial->has_operand || !mapping_operand_find(word, &partial->operand))
        return false;
    partial->has_operand = true;
    return true;
}

/* Behind .pack and .unpack of opcodes. */
#define HALVES "::16b"

static bool read_partial_variant(const char *word, struct mapping_partial *partial) {
    static const char *const variants[] = {"row", "col", "trans", "1x", "2x", "4x"};
    if (partial->variant)
        return false;
    char form[16];
    size_t length = strcspn(word, ":");
    snprintf(form, sizeof form, "%.*s", (int)length, word);
    if (!word[length] || strcmp(word + length, HALVES) == 0)
        partial->variant = mapping_form_find(partial->instruction, form);
    for (size_t v = 0; v < COUNT(variants); v++)
        if (!partial->variant && strcmp(word, variants[v]) == 0)
            partial->variant = variants[v];
    return partial->variant;
}

static bool read_types(const char *word, struct mapping_partial *partial) {
    if (partial->types)
        return false;
    partial->types = mapping_types_find(word);
    return partial->types != 0;
}

/* The first instruction that multiplies and has the shape that a name begins with, "m16n8k16.a.f16"
 * or "16x8x16"; false if there is none. */
static bool find_instruction(const char *name, enum mapping_instruction *instruction) {
    char word[32];
    struct mapping_shape shape, plain;
    struct mapping_fragment fragment;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "."), name);
    if (find_plain_shape(word, MAPPING_INSTRUCTIONS, &plain, instruction))
        return true;
    if (*word != 'm' || !mapping_shape_read(word, &shape) || shape.n == 0 || shape.k == 0)
        return false;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        *instruction = fragment.instruction;
        if (mapping_instruction_multiplies(*instruction) && shape.m == fragment.shape.m &&
            shape.k == fragment.shape.k && fits_width(shape.n, &fragment))
            return true;
    }
    return false;
}

/* Completes a name without an instruction or without dots: "m16n8k16.a" becomes "mma.m16n8k16.a",
 * "mma16816" becomes "mma.16816", and "mma.m16n8k16 f16" becomes "mma.m16n8k16.f16". */
static void complete(char text[MAPPING_TEXT_SIZE]) {
    enum mapping_instruction instruction = MAPPING_INSTRUCTIONS;
    char whole[2 * MAPPING_TEXT_SIZE];
    size_t length = 0;
    for (const char *c = text; *c; c++)
        if (*c != ' ')
            whole[length++] = *c;
        else if (length > 0 && whole[length - 1] != '.')
            whole[length++] = '.';
    whole[length] = '\0';
    memcpy(text, whole, length + 1);
    const size_t letters = strcspn(text, "0123456789.");
    if (find_instruction(text, &instruction)) {
        snprintf(whole, sizeof whole, "%s.%s", mapping_instruction_name(instruction), text);
    } else {
        snprintf(whole, sizeof whole, "%.*s.%s", (int)letters, text, text + letters);
        if (!text[letters] || text[letters] == '.' ||
            read_instruction(whole, &instruction) != whole + letters)
            return;
    }
    if (strlen(whole) < MAPPING_TEXT_SIZE)
        memcpy(text, whole, strlen(whole) + 1);
}

bool mapping_partial_read(const char *name, struct mapping_partial *partial) {
    char text[MAPPING_TEXT_SIZE];
    *partial = (struct mapping_partial){.instruction = MAPPING_WMMA};
    const bool is_settled = settle(name, text);
    if (is_settled)
        complete(text);
    const char *rest = is_settled ? read_instruction(text, &partial->instruction) : NULL;
    struct words words = {.count = 0};
    if (!rest || (*rest && !mapping_words_split(&words, text,
                                                mapping_instruction_name(partial->instruction))))
        return false;
    for (size_t w = 0; w < words.count; w++) {
        const char *word = words.word[w];
        if (!read_silent(word, partial) && !read_sparse(word, partial) &&
            !read_count(word, partial) && !read_partial_shape(word, partial) &&
            !read_operand(word, partial) && !read_partial_variant(word, partial) &&
            !read_types(word, partial))
            return false;
    }
    bool is_of_opcode = strstr(text, HALVES) && (partial->types || partial->silent);
    return !is_of_opcode; /* which is none, or it would have been found */
}

void mapping_partial_narrow(const struct mapping_partial *partial,
                            struct mapping_fragment *fragment) {
    if (!fragment->widths || partial->shape.n == 0)
        return;
    struct mapping_fragment wanted = *fragment;
    wanted.shape.n = partial->shape.n;
    mapping_fragment_find(&wanted, 0, fragment);
}

/* True if the fragment has the variant of a name. The row addresses of ldmatrix and stmatrix are
 * the same with .trans and without it; m8n16 exists only without it. */
static bool fits_variant(const char *variant, const struct mapping_fragment *fragment) {
    const bool is_address = fragment->operand == MAPPING_P && strcmp(variant, "trans") == 0;
    return strcmp(variant, mapping_fragment_variant(fragment)) == 0 ||
           (is_address && !(fragment->shape.m == 8 && fragment->shape.n == 16));
}

bool mapping_partial_fits(const struct mapping_partial *partial,
                          const struct mapping_fragment *fragment) {
    const struct mapping_shape *shape = &partial->shape;
    return fragment->instruction == partial->instruction &&
           (shape->m == 0 || shape->m == fragment->shape.m) && fits_width(shape->n, fragment) &&
           (shape->k == 0 || shape->k == fragment->shape.k) &&
           (partial->count == 0 || partial->count == fragment->shape.k) &&
           (!partial->has_operand || partial->operand == fragment->operand) &&
           (!partial->variant || fits_variant(partial->variant, fragment)) &&
           (partial->types == 0 || partial->types >> fragment->type & 1);
}
