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
    bool is_mma = partial->instruction == MAPPING_MMA;
    if (strcmp(word, "sp") != 0 || (!is_mma && partial->instruction != MAPPING_WGMMA))
        return false;
    partial->instruction = is_mma ? MAPPING_MMA_SP : MAPPING_WGMMA_SP;
    return true;
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

static bool read_shape(const char *word, struct mapping_partial *partial) {
    struct mapping_shape shape = {0};
    if (partial->shape.m ||
        (!mapping_shape_read(word, &shape) && !mapping_lanes_read(word, &shape)))
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

bool mapping_partial_read(const char *name, struct mapping_partial *partial) {
    char text[MAPPING_TEXT_SIZE];
    *partial = (struct mapping_partial){.instruction = MAPPING_WMMA};
    const char *rest = mapping_name_settled(name, text)
                           ? mapping_instruction_read(text, &partial->instruction)
                           : NULL;
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

/* True if n is that of the fragment, or one of those that it stands for. */
static bool fits_width(uint16_t n, const struct mapping_fragment *fragment) {
    return n == 0 ||
           (fragment->widths ? mapping_widths_have(fragment->widths, n) : n == fragment->shape.n);
}

void mapping_partial_narrow(const struct mapping_partial *partial,
                            struct mapping_fragment *fragment) {
    if (!fragment->widths || partial->shape.n == 0)
        return;
    struct mapping_fragment wanted = *fragment;
    wanted.shape.n = partial->shape.n;
    mapping_fragment_find(&wanted, 0, fragment);
}

bool mapping_partial_fits(const struct mapping_partial *partial,
                          const struct mapping_fragment *fragment) {
    const struct mapping_shape *shape = &partial->shape;
    return fragment->instruction == partial->instruction &&
           (shape->m == 0 || shape->m == fragment->shape.m) && fits_width(shape->n, fragment) &&
           (shape->k == 0 || shape->k == fragment->shape.k) &&
           (partial->count == 0 || partial->count == fragment->shape.k) &&
           (!partial->has_operand || partial->operand == fragment->operand) &&
           (!partial->variant ||
            strcmp(partial->variant, mapping_fragment_variant(fragment)) == 0) &&
           (partial->types == 0 || partial->types >> fragment->type & 1);
}
