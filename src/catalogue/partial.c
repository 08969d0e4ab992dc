/* partial.c - names that leave words out, and stand for all fragments that the others fit. */
#include "catalogue/family.h"

#include <stdio.h>
#include <string.h>

/* True if the word is one of `count`; then *which becomes it. */
static bool is_one_of(const char *word, const char *const words[], size_t count,
                      const char **which) {
    for (size_t w = 0; w < count; w++) {
        if (strcmp(word, words[w]) == 0) {
            *which = words[w];
            return true;
        }
    }
    return false;
}

/* Words of opcodes that say nothing about a fragment, and the form that has them. */
static const struct {
    const char *word;
    bool is_of_all;
    enum probe probe, other;
} silent_words[] = {
    {.word = "sync", .is_of_all = true},
    {.word = "aligned", .is_of_all = true},
    {.word = "mma_async", .probe = PROBE_WGMMA, .other = PROBE_WGMMA},
    {.word = "shared", .probe = PROBE_LDMATRIX, .other = PROBE_STMATRIX},
    {.word = "b8x16", .probe = PROBE_LDMATRIX, .other = PROBE_LDMATRIX},
};

/* Reads one of these; false if it is none, or was there. */
static bool read_silent(const char *word, struct mapping_partial *partial) {
    enum probe probe = mapping_instruction_probe(partial->instruction);
    for (size_t s = 0; s < sizeof silent_words / sizeof *silent_words; s++) {
        if (strcmp(word, silent_words[s].word) != 0)
            continue;
        bool is_own = silent_words[s].is_of_all || probe == silent_words[s].probe ||
                      probe == silent_words[s].other;
        bool is_first = !(partial->silent >> s & 1);
        partial->silent |= (uint8_t)(1U << s);
        return is_own && is_first;
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
    enum { OF_MATRICES = 3, OF_LANES = sizeof counts / sizeof *counts };
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

/* True if n is that of the fragment, or one of those that it stands for. */
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

static bool read_shape(const char *word, struct mapping_partial *partial) {
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

static bool read_variant(const char *word, struct mapping_partial *partial) {
    static const char *const variants[] = {"row", "col", "trans", "1x", "2x", "4x"};
    if (partial->variant)
        return false;
    char form[16];
    size_t length = strcspn(word, ":");
    snprintf(form, sizeof form, "%.*s", (int)length, word);
    if (!word[length] || strcmp(word + length, HALVES) == 0)
        partial->variant = mapping_form_find(partial->instruction, form);
    return partial->variant ||
           is_one_of(word, variants, sizeof variants / sizeof *variants, &partial->variant);
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
            mapping_instruction_read(whole, &instruction) != whole + letters)
            return;
    }
    if (strlen(whole) < MAPPING_TEXT_SIZE)
        memcpy(text, whole, strlen(whole) + 1);
}

bool mapping_partial_read(const char *name, struct mapping_partial *partial) {
    char text[MAPPING_TEXT_SIZE];
    *partial = (struct mapping_partial){.instruction = MAPPING_WMMA};
    const bool is_settled = mapping_name_settled(name, text);
    if (is_settled)
        complete(text);
    const char *rest = is_settled ? mapping_instruction_read(text, &partial->instruction) : NULL;
    struct words words = {.count = 0};
    if (!rest || (*rest && !mapping_words_split(&words, text,
                                                mapping_instruction_name(partial->instruction))))
        return false;
    for (size_t w = 0; w < words.count; w++) {
        const char *word = words.word[w];
        if (!read_silent(word, partial) && !read_sparse(word, partial) &&
            !read_count(word, partial) && !read_shape(word, partial) &&
            !read_operand(word, partial) && !read_variant(word, partial) &&
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
