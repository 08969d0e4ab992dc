/* tensor_memory_absent.c - names of tcgen05 that stand for nothing, and what there is instead, read
 * off the catalogue. */
#include "catalogue/family.h"

#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name says. */
struct said {
    char text[MAPPING_TEXT_SIZE]; /* in lower case */
    struct words words;           /* behind the mnemonic */
    enum mapping_instruction instruction;
    struct mapping_shape shape;
    uint32_t types; /* a set; 0 where none is said */
};

static const char *name_of(const struct said *said) {
    return mapping_instruction_name(said->instruction);
}

static bool has(const struct said *said, const char *word) {
    for (size_t w = 0; w < said->words.count; w++)
        if (strcmp(said->words.word[w], word) == 0)
            return true;
    return false;
}

/* ---- Numbers that there are ---- */

/* Finds the next fragment that is one of the given operands of an instruction and has the given
 * sizes; a size of 0 stands for any. A fragment with a list of widths fits every n. */
static bool next(struct mapping_cursor *at, enum mapping_instruction instruction, uint16_t operands,
                 struct mapping_shape shape, struct mapping_fragment *fragment) {
    while (mapping_catalogue_next(at, fragment))
        if (fragment->instruction == instruction && operands >> fragment->operand & 1 &&
            (!shape.m || shape.m == fragment->shape.m) &&
            (!shape.n || fragment->widths || shape.n == fragment->shape.n) &&
            (!shape.k || shape.k == fragment->shape.k))
            return true;
    return false;
}

/* Operands that have all sizes of an instruction: D, or the registers that are moved. */
enum { SIZED = D | R };

static bool exists(enum mapping_instruction instruction, uint16_t operands,
                   struct mapping_shape shape) {
    struct mapping_fragment fragment;
    return next(&(struct mapping_cursor){0}, instruction, operands, shape, &fragment);
}

#define SIZES_TEXT 96

/* Writes which m or k there are with these other sizes, in ascending order and each behind the
 * prefix: "64, 128 or 256". */
static void write_sizes(enum mapping_instruction instruction, struct mapping_shape others,
                        bool is_m, const char *prefix, char text[SIZES_TEXT]) {
    struct mapping_fragment fragment;
    *text = '\0';
    for (uint16_t last = 0, least = 1; least > 0; last = least) {
        least = 0;
        for (struct mapping_cursor at = {0}; next(&at, instruction, SIZED, others, &fragment);) {
            uint16_t size = is_m ? fragment.shape.m : fragment.shape.k;
            if (size > last && (least == 0 || size < least))
                least = size;
        }
        if (least > 0)
            mapping_append(text, SIZES_TEXT, "%s%s%u", last > 0 ? ", " : "", prefix, least);
    }
    mapping_list_end(text);
}

/* Writes widths: "a multiple of 16 from 16 to 256", "8, 16, 24, 32, 48, ... or 256". */
static void write_widths(const struct mapping_widths *widths, char text[SIZES_TEXT]) {
    const unsigned least = widths->n[0], most = widths->n[widths->count - 1];
    *text = '\0';
    if (widths->count > 2 && most == least * widths->count) {
        mapping_append(text, SIZES_TEXT, "a multiple of %u from %u to %u", least, least, most);
        return;
    }
    for (size_t w = 0; w < widths->count; w++) {
        size_t last = w + 1; /* of those that are equally far apart */
        while (last + 1 < widths->count &&
               widths->n[last + 1] - widths->n[last] == widths->n[w + 1] - widths->n[w])
            last++;
        mapping_append(text, SIZES_TEXT, "%s%u", w > 0 ? ", " : "", widths->n[w]);
        if (last < w + 4)
            continue;
        mapping_append(text, SIZES_TEXT, ", %u, ..., %u", widths->n[w + 1], widths->n[last]);
        w = last;
    }
    mapping_list_end(text);
}

/* ---- Multiplications ---- */

/* True if an instruction multiplies operands in Tensor Memory. */
static bool multiplies(enum mapping_instruction instruction) {
    const struct family *family = mapping_family(instruction);
    return family->multiplies && family->place == MAPPING_IN_TENSOR_MEMORY;
}

/* Says of an M that the instruction does not have which one has it. */
static void explain_m(const struct said *said, char sentence[MAPPING_SENTENCE]) {
    const struct mapping_shape wanted = {.m = said->shape.m};
    char sizes[SIZES_TEXT];
    write_sizes(said->instruction, (struct mapping_shape){0}, true, "", sizes);
    snprintf(sentence, MAPPING_SENTENCE, "M of %s must be %s", name_of(said), sizes);
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++) {
        const struct family *other = mapping_family((enum mapping_instruction)i);
        if (!multiplies(other->instruction) || !exists(other->instruction, SIZED, wanted) ||
            other->is_sparse != mapping_instruction_is_sparse(said->instruction))
            continue;
        mapping_append(sentence, MAPPING_SENTENCE, "; for M = %u use %s%s", wanted.m, other->name,
                       other->ctas == 2 ? " (a pair of CTAs)" : "");
        return;
    }
}

/* Says which types D can have with this M and K; or, if the type is among them, which N. False if
 * both the type and N that the user gave are among them. */
static bool explain_type_or_n(const struct said *said, char sentence[MAPPING_SENTENCE]) {
    struct mapping_fragment fragment, widest = {.widths = NULL};
    char list[SIZES_TEXT] = "";
    uint32_t types = 0;
    bool has_n = said->shape.n == 0;
    for (struct mapping_cursor at = {0};
         next(&at, said->instruction, SIZED, said->shape, &fragment);) {
        if (!(types >> fragment.type & 1))
            mapping_append(list, sizeof list, "%s%s", types ? ", " : "",
                           mapping_type_name(fragment.type));
        types |= 1U << fragment.type;
        if (said->types && !(said->types >> fragment.type & 1))
            continue;
        has_n |= mapping_widths_have(fragment.widths, said->shape.n);
        widest = fragment;
    }
    if (said->types && has(said, "d") && !(types & said->types)) {
        mapping_list_end(list);
        snprintf(sentence, MAPPING_SENTENCE, "D of %s with K = %u must be %s", name_of(said),
                 said->shape.k, list);
        return true;
    }
    if (has_n || !widest.widths)
        return false;
    write_widths(widest.widths, list);
    snprintf(sentence, MAPPING_SENTENCE, "N of %s with M = %u%s must be %s", name_of(said),
             widest.shape.m, widest.type == MAPPING_S32 ? " and integer types" : "", list);
    return true;
}

static bool explain_shape(const struct said *said, char sentence[MAPPING_SENTENCE]) {
    const struct mapping_shape m = {.m = said->shape.m}, m_and_k = {m.m, 0, said->shape.k};
    char sizes[SIZES_TEXT];
    if (!exists(said->instruction, SIZED, m)) {
        explain_m(said, sentence);
        return true;
    }
    if (exists(said->instruction, SIZED, m_and_k))
        return explain_type_or_n(said, sentence);
    write_sizes(said->instruction, m, false, "", sizes);
    snprintf(sentence, MAPPING_SENTENCE, "K of %s with M = %u must be %s", name_of(said), m.m,
             sizes);
    return true;
}

/* What is no fragment of a multiplication, although there is such an operand. */
static bool explain_operand(const struct said *said, char sentence[MAPPING_SENTENCE]) {
    const struct mapping_shape m = {.m = said->shape.m}, m_and_k = {m.m, 0, said->shape.k};
    if (has(said, "a") && m.m && exists(said->instruction, SIZED, m_and_k) &&
        !exists(said->instruction, A, m))
        snprintf(
            sentence, MAPPING_SENTENCE,
            "the PTX ISA does not specify the location of A of %s with M = %u in Tensor Memory",
            name_of(said), m.m);
    else if (has(said, "b"))
        snprintf(sentence, MAPPING_SENTENCE,
                 "B of %s is in shared memory, with a layout such as Layout_K_SW128_Atom",
                 name_of(said));
    else if (has(said, "c"))
        snprintf(sentence, MAPPING_SENTENCE, "%s accumulates in place: C is D", name_of(said));
    else
        return false;
    return true;
}

/* Says of a .kind:: that there is none which there are, or of one with scale factors what it needs.
 */
static bool explain_kind(const char *text, char sentence[MAPPING_SENTENCE]) {
    static const char *const kinds[] = {"f16",      "tf32", "f8f6f4",  "i8",
                                        "mxf8f6f4", "mxf4", "mxf4nvf4"};
    const char *kind = strstr(text, ".kind::");
    if (!kind)
        return false;
    kind += strlen(".kind::");
    size_t length = strcspn(kind, ". \t");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strlen(kinds[k]) != length || strncmp(kinds[k], kind, length) != 0)
            continue;
        snprintf(sentence, MAPPING_SENTENCE, ".kind::%s needs .block_scale%s", kinds[k],
                 strcmp(kinds[k], "mxf4nvf4") == 0
                     ? ", and .block16, .block32, .scale_vec::2X or .scale_vec::4X"
                     : "");
        return kind[0] == 'm' && !strstr(text, ".block_scale");
    }
    snprintf(sentence, MAPPING_SENTENCE,
             "tcgen05.mma has no .kind::%.*s; valid kinds: f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 "
             "and mxf4nvf4",
             length < 40 ? (int)length : 40, kind);
    return true;
}

/* ---- Moves ---- */

/* Says which shapes tcgen05.ld or tcgen05.st has, or how often one repeats. */
static bool explain_move(struct said *said, char sentence[MAPPING_SENTENCE]) {
    char lanes[LANES_TEXT], sizes[SIZES_TEXT];
    struct mapping_shape *shape = &said->shape;
    bool has_count = false;
    *shape = (struct mapping_shape){0};
    if (!mapping_words_take_lanes(&said->words, shape) ||
        !exists(said->instruction, SIZED, *shape)) {
        snprintf(sentence, MAPPING_SENTENCE,
                 "valid shapes of %s: .32x32b, .16x64b, .16x128b, .16x256b and .16x32bx2",
                 name_of(said));
        return true;
    }
    write_sizes(said->instruction, *shape, false, ".x", sizes);
    for (size_t w = 0; w < said->words.count; w++) {
        const char *word = said->words.word[w];
        const size_t digits = word && *word == 'x' ? strspn(word + 1, "0123456789") : 0;
        if (digits == 0 || digits > 4 || word[1 + digits])
            continue;
        shape->k = (uint16_t)strtoul(word + 1, NULL, 10);
        has_count = true;
    }
    if (!has_count || exists(said->instruction, SIZED, *shape))
        return false;
    mapping_lanes_text(*shape, lanes);
    snprintf(sentence, MAPPING_SENTENCE, "valid repeats of %s.%s: %s", name_of(said), lanes, sizes);
    return true;
}

/* ---- All of them ---- */

static bool read_name(const char *name, struct said *said) {
    *said = (struct said){.text = ""};
    if (!mapping_name_settled(name, said->text) ||
        !mapping_instruction_read(said->text, &said->instruction))
        return false;
    mapping_words_split(&said->words, said->text, name_of(said));
    for (size_t w = 0; w < said->words.count; w++) {
        const char *word = said->words.word[w];
        if (!mapping_operand_find(word, &(enum mapping_operand){MAPPING_A}) && !said->types)
            said->types = mapping_types_find(word);
        if (!said->shape.m && !mapping_shape_read(word, &said->shape))
            said->shape = (struct mapping_shape){0};
    }
    return true;
}

bool mapping_tensor_memory_absent(const char *name, char sentence[MAPPING_SENTENCE]) {
    struct said said;
    if (strcmp(name, "tcgen05") == 0) {
        snprintf(sentence, MAPPING_SENTENCE,
                 "it is a group of instructions: tcgen05.mma (D, A and scale factors are in Tensor "
                 "Memory), tcgen05.ld and tcgen05.st (to and from registers), tcgen05.cp and "
                 "tcgen05.shift; name a fragment, such as the accumulator "
                 "tcgen05.mma.m128n128k16.d.f32; --with=tcgen05.ld.32x32b shows its registers");
        return true;
    }
    if (!read_name(name, &said) || mapping_family(said.instruction)->place == MAPPING_IN_REGISTERS)
        return false;
    if (mapping_family(said.instruction)->place == MAPPING_ACROSS)
        return explain_move(&said, sentence);
    if (!multiplies(said.instruction))
        return false;
    return explain_kind(said.text, sentence) || explain_operand(&said, sentence) ||
           (said.shape.m && explain_shape(&said, sentence));
}
