/* names.c - finds fragments by the names that people use: the catalogue's name, with or without
 * some of its words; an opcode (opcodes.c); or a C++ type (atoms.c). Names and opcodes are words
 * separated by dots. */
#include "catalogue/family.h"

#include "layout/ascii.h"
#include "layout/space.h"

#include <stdio.h>
#include <string.h>

/* ---- Parts of names ---- */

/* Finds the longest name of an instruction at the start of the text, and returns the text after it,
 * which is "" or begins with '.'; NULL if there is none. */
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

/* ---- Names of the catalogue; partial names select several fragments ---- */

/* Parses a word that occurs only in opcodes and does not affect the fragment: "sync". */
static bool read_silent(const char *word, struct mapping_partial *partial) {
    const char *own = mapping_family(partial->instruction)->silent;
    const bool is_silent = mapping_word_is_in("sync aligned", word, strlen(word)) ||
                           (own && mapping_word_is_in(own, word, strlen(word)));
    partial->is_opcode |= is_silent;
    return is_silent;
}

/* Parses "sp"; false if the instruction has no sparse form. */
static bool read_sparse(const char *word, struct mapping_partial *partial) {
    return strcmp(word, "sp") == 0 &&
           mapping_instruction_find_sparse(partial->instruction, &partial->instruction);
}

/* Parses "cta_group::1" of tcgen05.mma, "ws" after it, and "cta_group::2" or "cta2". */
static bool read_group(const char *word, struct mapping_partial *partial) {
    const bool is_pair = strcmp(word, "cta_group::2") == 0 || strcmp(word, "cta2") == 0;
    const enum mapping_instruction instruction = partial->instruction;
    if (partial->has_group && instruction == MAPPING_TCGEN05_MMA && strcmp(word, "ws") == 0) {
        partial->instruction = MAPPING_TCGEN05_MMA_WS;
        return true;
    }
    if (partial->has_group || mapping_family(instruction)->form != TCGEN05_FORM ||
        !mapping_family(instruction)->multiplies || (!is_pair && strcmp(word, "cta_group::1") != 0))
        return false;
    partial->has_group = true;
    if (!is_pair)
        return true;
    partial->instruction =
        instruction == MAPPING_TCGEN05_MMA ? MAPPING_TCGEN05_MMA_CTA2 : MAPPING_TCGEN05_MMA_CTA2_SP;
    return instruction == MAPPING_TCGEN05_MMA || instruction == MAPPING_TCGEN05_MMA_SP;
}

/* Parses a number of matrices, "x1" to "x4", or of repeats of tcgen05.ld and st, "x1" to "x128". */
static bool read_count(const char *word, struct mapping_partial *partial) {
    const enum shape_style style = mapping_family(partial->instruction)->shape_style;
    const unsigned most = style == SHAPE_LANES ? 128 : style == SHAPE_MN_COUNT ? 4 : 0;
    uint16_t count;
    if (partial->count || *word != 'x' || !mapping_number_read(word + 1, &count) || count > most ||
        mapping_set_size(count) != 1)
        return false;
    partial->count = (uint8_t)count;
    return true;
}

/* True if the fragment has the width n, or n is one of its several widths. */
static bool fits_width(uint16_t n, const struct mapping_fragment *fragment) {
    return n == 0 || mapping_widths_have(fragment->widths, fragment->shape.n, n);
}

/* Finds the shape of the instruction for a word of SASS: m16n8k16 for "16816". */
static bool find_digits(const char *word, enum mapping_instruction instruction,
                        struct mapping_shape *shape) {
    struct mapping_fragment fragment;
    for (struct mapping_cursor at = {0};
         ascii_is_digit(*word) && mapping_catalogue_next_of(&at, instruction, &fragment);) {
        char digits[32];
        *shape = fragment.shape;
        snprintf(digits, sizeof digits, "%u%u%u", shape->m, shape->n, shape->k);
        if (strcmp(word, digits) == 0)
            return true;
    }
    return false;
}

static bool read_shape(const char *word, struct mapping_partial *partial) {
    struct mapping_shape shape = {0};
    if (partial->shape.m ||
        (!mapping_shape_read(word, &shape) && !mapping_lanes_read(word, &shape) &&
         !mapping_crossed_read(word, &shape) && !find_digits(word, partial->instruction, &shape)))
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

/* Finds the form with this name in the rows of the instruction; NULL if there is none. */
static const char *find_form(enum mapping_instruction instruction, const char *name) {
    const struct family *family = mapping_family(instruction);
    for (const struct fragment_group *group = family->groups;
         group < family->groups + family->group_count; group++)
        for (const struct fragment_row *row = group->rows; row->operands; row++)
            if (row->form && strcmp(row->form, name) == 0)
                return row->form;
    return NULL;
}

/* Follows .pack and .unpack in opcodes. */
#define HALVES "::16b"

static bool read_variant(const char *word, struct mapping_partial *partial) {
    static const char *const variants[] = {"row", "col", "trans", "1x", "2x", "3x", "4x", "6x"};
    enum mapping_order order;
    if (partial->variant)
        return false;
    char form[16];
    size_t length = strcspn(word, ":");
    snprintf(form, sizeof form, "%.*s", (int)length, word);
    if (!word[length] || strcmp(word + length, HALVES) == 0)
        partial->variant = find_form(partial->instruction, form);
    if (mapping_order_find(word, &order))
        partial->variant = variants[order == MAPPING_COL_MAJOR];
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

/* The first instruction that multiplies and has the shape at the start of a name, "m16n8k16.a.f16"
 * or "16x8x16"; false if there is none. */
static bool find_instruction(const char *name, enum mapping_instruction *instruction) {
    char word[32];
    struct mapping_shape shape;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "."), name);
    if ((!mapping_shape_read(word, &shape) && !mapping_crossed_read(word, &shape)) ||
        shape.n == 0 || shape.k == 0)
        return false;
    for (*instruction = 0; *instruction < MAPPING_INSTRUCTIONS; ++*instruction) {
        const struct family *family = mapping_family(*instruction);
        for (const struct fragment_group *group = family->groups;
             family->multiplies && group < family->groups + family->group_count; group++)
            if (group->shape.m == shape.m &&
                mapping_widths_have(group->widths, group->shape.n, shape.n) &&
                mapping_widths_have(group->counts, group->shape.k, shape.k))
                return true;
    }
    return false;
}

/* Completes a name without an instruction or without dots: "m16n8k16.a" becomes "mma.m16n8k16.a",
 * "mma16816" becomes "mma.16816", and "mma.m16n8k16 f16" becomes "mma.m16n8k16.f16". */
static void complete(char text[MAPPING_TEXT_SIZE]) {
    enum mapping_instruction instruction = MAPPING_INSTRUCTIONS;
    char whole[2 * MAPPING_TEXT_SIZE], *end = text;
    for (const char *c = text; *c; c++)
        if (*c != ' ')
            *end++ = *c;
        else if (end > text && end[-1] != '.')
            *end++ = '.';
    *end = '\0';
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
    char text[MAPPING_TEXT_SIZE], operation[MAPPING_OPCODE_SIZE];
    const char *words[32];
    bool is_a_shared;
    *partial = (struct mapping_partial){.instruction = MAPPING_WMMA};
    if (!mapping_name_lower(
            mapping_operation_read(name, operation, &is_a_shared) ? operation : name, text))
        return false;
    complete(text);
    const char *rest = read_instruction(text, &partial->instruction);
    if (!rest)
        return false;
    const bool has_halves = strstr(text, HALVES),
               is_padded = strstr(text, ".b8x16") && strstr(text, ".sync");
    char *next = *rest ? text + (rest + 1 - text) : NULL;
    for (size_t w = 0; next && w < COUNT(words); w++) {
        const char *word = words[w] = strsep(&next, ".");
        for (size_t before = 0; before < w; before++)
            if (strcmp(words[before], word) == 0)
                return false;
        if (!read_silent(word, partial) && !read_sparse(word, partial) &&
            !read_group(word, partial) && !read_count(word, partial) &&
            !read_shape(word, partial) && !read_operand(word, partial) &&
            !read_variant(word, partial) && !read_types(word, partial))
            return false;
    }
    const bool is_of_opcode = has_halves && (partial->types || partial->is_opcode);
    return !next && !is_of_opcode &&       /* opcodes are parsed elsewhere */
           (!is_padded || partial->types); /* an opcode with .b8x16 also has a format */
}

void mapping_partial_narrow(const struct mapping_partial *partial,
                            struct mapping_fragment *fragment) {
    if (!fragment->widths || partial->shape.n == 0)
        return;
    struct mapping_fragment wanted = *fragment;
    wanted.shape.n = partial->shape.n;
    mapping_fragment_find(&wanted, 0, fragment);
}

bool mapping_fragment_at_width(const struct mapping_fragment *listed, size_t index,
                               struct mapping_fragment *found) {
    const struct mapping_widths *widths = listed->shape.n > 0 ? listed->widths : NULL;
    *found = *listed;
    if (widths && index < widths->count)
        mapping_partial_narrow(&(struct mapping_partial){.shape.n = widths->n[index]}, found);
    return index < mapping_widths_count(widths);
}

/* True if the fragment has the variant in a name. The row addresses of ldmatrix and stmatrix are
 * the same with and without .trans; m8n16 only exists without it. */
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

bool mapping_partial_next(struct mapping_cursor *cursor, const struct mapping_partial *partial,
                          struct mapping_fragment *fragment) {
    while (mapping_catalogue_next_of(cursor, partial->instruction, fragment))
        if (mapping_partial_fits(partial, fragment)) {
            mapping_partial_narrow(partial, fragment);
            return true;
        }
    return false;
}

/* ---- All names ---- */

/* Finds the fragment for a complete name: wmma.m16n16k16.a.row.f16. */
static bool find_named(const struct mapping_partial *said, struct mapping_fragment *fragment) {
    if (said->is_opcode || !said->has_operand || mapping_set_size(said->types) != 1)
        return false;
    struct mapping_fragment wanted = {
        .instruction = said->instruction,
        .shape = said->shape,
        .operand = said->operand,
        .type = (enum mapping_type)mapping_set_first(said->types),
        .form = said->variant ? find_form(said->instruction, said->variant) : NULL,
    };
    if (said->variant && !wanted.form && !mapping_order_find(said->variant, &wanted.order)) {
        wanted.is_transposed = strcmp(said->variant, "trans") == 0;
        wanted.scale_vector = wanted.is_transposed ? 0 : (uint8_t)(*said->variant - '0');
    }
    if (wanted.shape.k == 0) /* for moves, k is the number of matrices or repeats */
        wanted.shape.k =
            mapping_family(said->instruction)->shape_style == SHAPE_MN ? 1 : said->count;
    return mapping_fragment_find(&wanted, 0, fragment);
}

void mapping_name_read(const char *name, struct mapping_name *read) {
    char text[MAPPING_TEXT_SIZE];
    *read = (struct mapping_name){.count = 0};
    read->is_partial = mapping_partial_read(name, &read->partial);
    read->count = read->is_partial && find_named(&read->partial, &read->found[0]);
    if (read->count == 0 && mapping_name_lower(name, text))
        mapping_find_opcode(text, read);
    if (read->count == 0 && !*read->opcode.text)
        mapping_find_cpp(name, read);
}

size_t mapping_catalogue_find(const char *name, struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    struct mapping_name read;
    mapping_name_read(name, &read);
    memcpy(found, read.found, read.count * sizeof *found);
    return read.count;
}

/* ---- Loads and stores of Tensor Memory ---- */

bool mapping_tmem_load_read(const char *name, struct mapping_tmem_load *tmem_load) {
    char text[MAPPING_TEXT_SIZE], opcode[MAPPING_OPCODE_SIZE];
    static const char halves[] = "pack" HALVES;
    bool is_a_shared;
    struct mapping_partial said;
    if (!mapping_name_lower(mapping_atom_read(name, opcode, &is_a_shared) ? opcode : name, text))
        return false;
    text[strcspn(text, " \t\n")] = '\0'; /* a name without operands */
    char *pack = strstr(text, halves), *behind = pack ? pack + strlen(halves) : NULL;
    if (pack && (*behind == '.' || *behind == '\0')) /* names have "pack" for this */
        memmove(pack + strlen("pack"), behind, strlen(behind) + 1);
    if (!mapping_partial_read(text, &said) ||
        mapping_family(said.instruction)->place != MAPPING_ACROSS ||
        (said.has_operand && said.operand != MAPPING_R) ||
        (said.types && said.types != B32 && (said.types != B16 || !said.variant)))
        return false;
    const uint8_t repeats = said.count;
    said.is_opcode = false;
    said.has_operand = true;
    said.operand = MAPPING_R;
    said.types = said.variant ? B16 : B32;
    said.count = repeats ? repeats : 1;
    const bool is_found = find_named(&said, &tmem_load->move);
    tmem_load->move.shape.k = repeats;
    return is_found;
}

bool mapping_tmem_load_is_meant(const char *name) {
    static const char *const starts[] = {"tcgen05", "32x32b",  "16x32bx2", "16x64b",
                                         "16x128b", "16x256b", "ldtm",     "sttm"};
    char text[MAPPING_TEXT_SIZE] = "";
    bool is_meant = mapping_name_lower(name, text) && strstr(text, "sm100_tmem_");
    for (size_t s = 0; s < COUNT(starts) && *text; s++)
        is_meant |= strncmp(text, starts[s], strlen(starts[s])) == 0;
    return is_meant;
}

void mapping_tmem_load_name(const struct mapping_tmem_load *tmem_load,
                            char name[TMEM_LOAD_NAME_SIZE]) {
    const struct mapping_fragment *move = &tmem_load->move;
    char shape[LANES_TEXT], repeats[8] = "";
    mapping_lanes_text(move->shape, shape);
    if (move->shape.k)
        snprintf(repeats, sizeof repeats, ".x%u", move->shape.k);
    snprintf(name, TMEM_LOAD_NAME_SIZE, "%s.%s%s%s%s%s",
             mapping_instruction_name(move->instruction), shape, repeats, move->form ? "." : "",
             move->form ? move->form : "", move->form ? HALVES : "");
}

bool mapping_tmem_load_is_split(const struct mapping_fragment *move) {
    return move->place == MAPPING_ACROSS && mapping_lanes_are_twice(move->shape);
}

bool mapping_tmem_load_takes(const struct mapping_fragment *operand) {
    return operand->place == MAPPING_IN_TENSOR_MEMORY &&
           (operand->operand == MAPPING_D || operand->operand == MAPPING_A);
}
