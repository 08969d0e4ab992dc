/* opcodes.c - opcodes out of the rows that families write down, and back, and their fragments; see
 * opcode_form. */
#include "catalogue/family.h"

#include <stdio.h>
#include <string.h>

/* ---- Writing ---- */

/* The orders of A and B, by the places of their bits: ROW_COL, ROW_ROW, COL_COL, COL_ROW. */
static const struct {
    enum mapping_order a, b;
    const char *text;
} order_pairs[] = {
    {MAPPING_ROW_MAJOR, MAPPING_COL_MAJOR, "row.col"},
    {MAPPING_ROW_MAJOR, MAPPING_ROW_MAJOR, "row.row"},
    {MAPPING_COL_MAJOR, MAPPING_COL_MAJOR, "col.col"},
    {MAPPING_COL_MAJOR, MAPPING_ROW_MAJOR, "col.row"},
};
enum { PART_TEXT = 64 };

/* The words of a part, written to `text` or elsewhere; "" if there are none. */
static const char *part_text(enum part part, const struct opcode_row *row,
                             const struct mapping_opcode *opcode, char text[PART_TEXT]) {
    const struct mapping_shape shape = opcode->shape;
    *text = '\0';
    switch (part) {
    case PARTS_END:
        break;
    case PART_MNK:
        snprintf(text, PART_TEXT, "m%un%uk%u", shape.m, shape.n, shape.k);
        break;
    case PART_MN:
        snprintf(text, PART_TEXT, "m%un%u", shape.m, shape.n);
        break;
    case PART_LANES:
        mapping_lanes_text(shape, text);
        break;
    case PART_COUNT:
        snprintf(text, PART_TEXT, "x%u", shape.k);
        break;
    case PART_ORDERS:
        for (size_t p = 0; p < COUNT(order_pairs); p++)
            if (order_pairs[p].a == opcode->a_order && order_pairs[p].b == opcode->b_order)
                return order_pairs[p].text;
        break;
    case PART_TRANS:
        return opcode->is_transposed ? "trans" : "";
    case PART_KIND:
        if (row->kind && row->scale_vector)
            snprintf(text, PART_TEXT, "kind::%s.block_scale.scale_vec::%uX", row->kind,
                     row->scale_vector);
        else if (row->kind)
            snprintf(text, PART_TEXT, "kind::%s", row->kind);
        break;
    case PART_BLOCK:
        if (row->block)
            snprintf(text, PART_TEXT, "block_scale%s%s", *row->block ? "." : "", row->block);
        break;
    case PART_D:
        return mapping_type_name(opcode->d);
    case PART_A:
        return row->format ? row->format : mapping_type_name(opcode->a);
    case PART_B:
        return mapping_type_name(opcode->b);
    case PART_C:
        return mapping_type_name(opcode->c);
    case PART_SCALE:
        return row->scale_vector ? mapping_type_name(opcode->scale) : "";
    case PART_OPERATION:
        return row->operation ? row->operation : "";
    case PART_FORM:
        if (row->form)
            snprintf(text, PART_TEXT, "%s::16b", row->form);
        break;
    case PART_B32:
        return "b32";
    }
    return text;
}

/* Writes the opcode; parts that do not fit are left out. */
static void write_text(const struct opcode_form *form, const struct opcode_row *row,
                       struct mapping_opcode *opcode) {
    char text[PART_TEXT], *end = opcode->text;
    const char *words = form->start;
    for (const enum part *part = form->parts;; part++) {
        const size_t length = strlen(words);
        if (end + length + 2 > opcode->text + sizeof opcode->text)
            return;
        if (length > 0 && end > opcode->text)
            *end++ = '.';
        memcpy(end, words, length + 1);
        end += length;
        if (*part == PARTS_END)
            return;
        words = part_text(*part, row, opcode, text);
    }
}

/* ---- Listing ---- */

static size_t count_opcodes(const struct opcode_row *row) {
    return mapping_set_choices(row->d) * mapping_set_choices(row->a) * mapping_set_choices(row->b) *
           mapping_set_choices(row->c) * mapping_widths_count(row->widths) *
           mapping_widths_count(row->counts) * mapping_set_choices(row->orders) *
           mapping_set_choices(row->moves);
}

static bool has_part(const struct opcode_form *form, enum part wanted) {
    const enum part *part = form->parts;
    while (*part != PARTS_END && *part != wanted)
        part++;
    return *part == wanted;
}

/* The opcode at `index` of a row, without its text: orders run fastest, then the types of C, B, A
 * and D, counts and widths. */
static struct mapping_opcode choose(const struct family *family, const struct opcode_form *form,
                                    const struct opcode_row *row, size_t index) {
    struct mapping_opcode opcode = {
        .instruction = family->instruction,
        .shape = row->shape,
        .scale_vector = row->scale_vector,
        .scale = row->scale,
        .form = row->form,
        .since = row->since,
        .until = row->until,
        .ptx = row->ptx,
        .except = row->except,
        .suffix = row->suffix,
    };
    const int pair = mapping_set_take(row->orders, &index);
    if (has_part(form, PART_ORDERS)) {
        opcode.a_order = order_pairs[pair].a;
        opcode.b_order = order_pairs[pair].b;
    }
    opcode.is_transposed = 1 << mapping_set_take(row->moves, &index) == TRANSPOSED;
    const int c = mapping_set_take(row->c, &index), b = mapping_set_take(row->b, &index);
    opcode.a = (enum mapping_type)mapping_set_take(row->a, &index);
    const int d = mapping_set_take(row->d, &index);
    opcode.b = row->b ? (enum mapping_type)b : opcode.a;
    opcode.d = row->d ? (enum mapping_type)d : opcode.a;
    opcode.c = row->c ? (enum mapping_type)c : opcode.d;
    opcode.shape.k = mapping_widths_take(row->counts, row->shape.k, &index);
    opcode.shape.n = mapping_widths_take(row->widths, row->shape.n, &index);
    return opcode;
}

/* Makes the opcode at *index of the family; else takes those of the family off *index. */
static bool take_opcode_at(const struct family *family, size_t *index,
                           struct mapping_opcode *opcode) {
    for (size_t f = 0; f < family->form_count; f++) {
        const struct opcode_form *form = &family->forms[f];
        for (size_t r = 0; r < form->row_count; r++) {
            const struct opcode_row *row = &form->rows[r];
            const size_t count = count_opcodes(row);
            if (*index < count) {
                *opcode = choose(family, form, row, *index);
                write_text(form, row, opcode);
                return true;
            }
            *index -= count;
        }
    }
    return false;
}

bool mapping_opcode_at(size_t index, struct mapping_opcode *opcode) {
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++)
        if (take_opcode_at(mapping_family((enum mapping_instruction)i), &index, opcode))
            return true;
    return false;
}

/* ---- Reading ---- */

/* Takes out the words of a part, in any order; the last may be missing if it is implied. */
static bool take_each(struct words *words, const char *part, bool is_last_implied) {
    char text[MAPPING_TEXT_SIZE], *rest = text;
    if (!mapping_name_lower(part, text))
        return false;
    while (rest && *text) {
        const char *word = strsep(&rest, ".");
        if (!mapping_words_take(words, word) && (rest || !is_last_implied))
            return false;
    }
    return true;
}

/* Takes words out that have to be there in their order: those of an operation or a format. */
static bool take_in_order(struct words *words, const char *wanted) {
    size_t w = 0;
    for (const char *rest = wanted; *rest; w++) {
        if (w == words->count)
            return false;
        size_t length = strcspn(rest, ".");
        if (!words->word[w] || strlen(words->word[w]) != length ||
            memcmp(words->word[w], rest, length) != 0)
            continue;
        words->word[w] = NULL;
        rest += length + (rest[length] == '.');
    }
    return true;
}

/* Takes the words of a part out; false if they are not those of the opcode. */
static bool take_part(struct words *words, enum part part, const struct opcode_row *row,
                      const struct mapping_opcode *opcode) {
    char text[PART_TEXT];
    struct mapping_shape shape;
    if (part == PART_MNK) /* most opcodes of a row differ here, where this is faster than text */
        return mapping_words_take_shape(words, &shape) &&
               memcmp(&shape, &opcode->shape, sizeof shape) == 0;
    const char *wanted = part_text(part, row, opcode, text);
    const bool is_type = part == PART_D || part == PART_B || part == PART_C || part == PART_SCALE ||
                         (part == PART_A && !row->format);
    enum mapping_type type;
    if (part == PART_KIND || part == PART_BLOCK)
        return take_each(words, wanted, row->is_vector_implied);
    if (is_type && *wanted)
        return mapping_words_take_type(words, &type) &&
               strcmp(mapping_type_name(type), wanted) == 0;
    return take_in_order(words, wanted);
}

/* True if the words are the opcode, which is one of the row. */
static bool is_opcode(struct words words, const struct opcode_form *form,
                      const struct opcode_row *row, const struct mapping_opcode *opcode) {
    for (const enum part *part = form->parts; *part != PARTS_END; part++)
        if (!take_part(&words, *part, row, opcode))
            return false;
    return mapping_words_obey(&words, form->words) &&
           mapping_words_obey(&words, row->words ? row->words : "") &&
           mapping_words_are_taken(&words);
}

/* Reads an opcode in lower case, by comparison with all opcodes of the family; false if it is
 * none. */
static bool read_opcode(const struct family *family, const char *text,
                        struct mapping_opcode *opcode) {
    struct words words;
    for (size_t f = 0; f < family->form_count; f++) {
        const struct opcode_form *form = &family->forms[f];
        if (!mapping_words_split(&words, text, form->mnemonic))
            continue;
        for (size_t r = 0; r < form->row_count; r++) {
            const struct opcode_row *row = &form->rows[r];
            for (size_t n = 0, count = count_opcodes(row); n < count; n++) {
                *opcode = choose(family, form, row, n);
                if (is_opcode(words, form, row, opcode)) {
                    write_text(form, row, opcode);
                    return true;
                }
            }
        }
    }
    return false;
}

/* ---- Fragments ---- */

/* Finds the fragment of one operand. Orders and transposition count only where it depends on them.
 */
static bool find_operand(const struct mapping_opcode *opcode, enum mapping_operand operand,
                         struct mapping_fragment *fragment) {
    bool is_scale = operand == MAPPING_SFA || operand == MAPPING_SFB;
    struct mapping_fragment wanted = {
        .instruction = opcode->instruction,
        .shape = opcode->shape,
        .operand = operand,
        .order = is_scale               ? MAPPING_NO_ORDER
                 : operand == MAPPING_B ? opcode->b_order
                                        : opcode->a_order,
        .is_transposed = opcode->is_transposed,
        .scale_vector = is_scale ? opcode->scale_vector : 0,
        .form = opcode->form,
        .type = is_scale               ? opcode->scale
                : operand == MAPPING_B ? opcode->b
                : operand == MAPPING_C ? opcode->c
                : operand == MAPPING_D ? opcode->d
                                       : opcode->a,
    };
    if (is_scale && opcode->scale_vector == 0)
        return false;
    if (mapping_fragment_find(&wanted, 0, fragment))
        return true;
    wanted.order = MAPPING_NO_ORDER;
    wanted.is_transposed = false;
    return mapping_fragment_find(&wanted, 0, fragment);
}

size_t mapping_opcode_fragments(const struct mapping_opcode *opcode,
                                struct mapping_fragment fragments[MAPPING_FOUND_MAX]) {
    const uint16_t in_registers = mapping_family(opcode->instruction)->in_registers;
    size_t count = 0;
    for (int operand = 0; operand < MAPPING_OPERANDS; operand++)
        if (in_registers >> operand & 1)
            count += find_operand(opcode, (enum mapping_operand)operand, &fragments[count]);
    return count;
}

bool mapping_opcode_on(const struct mapping_opcode *opcode, unsigned arch) {
    return mapping_arch_is_within(arch, opcode->since, opcode->until, opcode->except);
}

bool mapping_opcode_find(const char *name, struct mapping_opcode *opcode) {
    char text[MAPPING_TEXT_SIZE];
    if (!mapping_name_lower(name, text))
        return false;
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++)
        if (read_opcode(mapping_family((enum mapping_instruction)i), text, opcode))
            return true;
    return false;
}

size_t mapping_find_opcode(const char *name, struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    struct mapping_fragment wanted;
    struct mapping_opcode opcode;
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++) {
        const struct family *family = mapping_family((enum mapping_instruction)i);
        if (family->read && family->read(family, name, &wanted))
            return mapping_fragment_find(&wanted, 0, found) ? 1 : 0;
    }
    if (!mapping_opcode_find(name, &opcode))
        return 0;
    size_t count = mapping_opcode_fragments(&opcode, found);
    for (struct mapping_fragment *one = found; one < found + count; one++) {
        one->since = one->since > opcode.since ? one->since : opcode.since;
        one->ptx = one->ptx > opcode.ptx ? one->ptx : opcode.ptx;
        one->suffix = one->suffix > opcode.suffix ? one->suffix : opcode.suffix;
    }
    return count;
}
