/* opcodes.c - prints opcodes from the rows of the families, parses opcodes, and finds their
 * fragments; see opcode_form. */
#include "catalogue/family.h"

#include <stdio.h>
#include <string.h>

/* ---- Writing ---- */

/* The orders of A and B, indexed by their bits: ROW_COL, ROW_ROW, COL_COL, COL_ROW. */
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

/* The words of a part, in `text` or elsewhere; "" if there are none. */
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
        return row->format               ? row->format
               : opcode->a == MAPPING_B6 ? "b8x16.b6x16_p32"
               : opcode->a == MAPPING_B4 ? "b8x16.b4x16_p64"
                                         : mapping_type_name(opcode->a);
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

/* Writes the opcode; parts that do not fit the buffer are omitted. */
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

/* The opcode at `index` of a row, without its text: orders change fastest, then the types of C, B,
 * A and D, counts and widths. */
static struct mapping_opcode choose(const struct family *family, const struct opcode_row *row,
                                    size_t index) {
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
        .note = row->note,
    };
    const int pair = mapping_set_take(row->orders, &index);
    if (family->in_registers & B) {
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

bool mapping_opcode_at(size_t index, struct mapping_opcode *opcode) {
    /* The row of the previous opcode, because callers enumerate opcodes. */
    static _Thread_local struct {
        size_t family, form, row, before; /* number of opcodes in the rows before it */
    } at;
    if (index < at.before)
        memset(&at, 0, sizeof at);
    for (; at.family < MAPPING_INSTRUCTIONS; at.family++, at.form = 0) {
        const struct family *family = mapping_family((enum mapping_instruction)at.family);
        for (; at.form < family->form_count; at.form++, at.row = 0)
            for (; at.row < family->forms[at.form].row_count; at.row++) {
                const struct opcode_row *row = &family->forms[at.form].rows[at.row];
                const size_t count = count_opcodes(row);
                if (index - at.before < count) {
                    *opcode = choose(family, row, index - at.before);
                    write_text(&family->forms[at.form], row, opcode);
                    return true;
                }
                at.before += count;
            }
    }
    return false;
}

/* ---- Parsing: words of an opcode are removed one by one when they are recognized ---- */

#define WORDS_MAX 64

/* The words of an opcode after its mnemonic. Removed words are NULL. */
struct words {
    size_t count;
    const char *word[WORDS_MAX];
    char text[MAPPING_TEXT_SIZE];
};

/* Splits an opcode into words; false if it does not begin with the mnemonic, or is too long. */
static bool split(struct words *words, const char *opcode, const struct opcode_form *form) {
    const char *mnemonic = form->mnemonic ? form->mnemonic : form->start;
    size_t length = form->mnemonic ? strlen(mnemonic) : strcspn(mnemonic, ".");
    size_t size = strlen(opcode) + 1;
    if (strncmp(opcode, mnemonic, length) != 0 || opcode[length] != '.' ||
        size > sizeof words->text)
        return false;
    memcpy(words->text, opcode, size);
    char *next = words->text + length;
    for (words->count = 0; next && words->count < WORDS_MAX; words->count++) {
        *next++ = '\0';
        words->word[words->count] = next;
        next = strchr(next, '.');
    }
    return !next;
}

/* Removes all words that are listed in `among`, "rn|rz|rm|rp", and returns their number. */
static size_t take_all(struct words *words, const char *among, size_t length) {
    size_t count = 0;
    for (size_t w = 0; w < words->count; w++) {
        size_t size = words->word[w] ? strlen(words->word[w]) : 0;
        for (const char *one = among; size > 0 && one < among + length;) {
            size_t part = strcspn(one, "|");
            part = one + part > among + length ? (size_t)(among + length - one) : part;
            if (part == size && memcmp(one, words->word[w], size) == 0) {
                words->word[w] = NULL;
                count++;
                break;
            }
            one += part + 1;
        }
    }
    return count;
}

/* Removes the words in the rules; false if one is missing, or if a word that may occur once occurs
 * more than `once` times; see opcode_form. */
static bool obey(struct words *words, const char *rules, size_t once) {
    for (const char *rule = rules; *rule; rule += strspn(rule, " ")) {
        size_t length = strcspn(rule, "+?* ");
        size_t count = take_all(words, rule, length);
        char frequency = rule[length];
        if ((count == 0 && frequency != '?' && frequency != '*') ||
            (count > once && frequency != '+' && frequency != '*'))
            return false;
        rule += strcspn(rule, " ");
    }
    return true;
}

/* True if all words have been removed. */
static bool are_taken(const struct words *words) {
    for (size_t w = 0; w < words->count; w++)
        if (words->word[w])
            return false;
    return true;
}

/* Removes the shape; false if it is missing. Most opcodes of a row have another shape, and numbers
 * are compared faster than text. */
static bool take_shape(struct words *words, struct mapping_shape wanted) {
    for (size_t w = 0; w < words->count; w++) {
        struct mapping_shape shape;
        if (words->word[w] && mapping_shape_read(words->word[w], &shape) &&
            memcmp(&shape, &wanted, sizeof shape) == 0) {
            words->word[w] = NULL;
            return true;
        }
    }
    return false;
}

/* Removes the first word that is a type of PTX; false if it is not `wanted`. */
static bool take_type(struct words *words, const char *wanted) {
    for (size_t w = 0; w < words->count; w++)
        for (int t = 0; words->word[w] && t < MAPPING_TYPES; t++)
            if (strcmp(words->word[w], mapping_type_name((enum mapping_type)t)) == 0) {
                const bool is_wanted = strcmp(words->word[w], wanted) == 0;
                words->word[w] = NULL;
                return is_wanted;
            }
    return false;
}

/* Removes the words of a part, in the order of the part or in any order. The last one may be
 * missing if it is implied. False if another one is missing. */
static bool take_each(struct words *words, const char *part, bool is_in_order,
                      bool is_last_implied) {
    char text[MAPPING_TEXT_SIZE], *rest = text;
    if (!mapping_name_lower(part, text))
        return false;
    for (size_t w = 0; rest && *text; w = is_in_order ? w : 0) {
        const char *word = strsep(&rest, ".");
        while (w < words->count && (!words->word[w] || strcmp(words->word[w], word) != 0))
            w++;
        if (w < words->count)
            words->word[w] = NULL;
        else if (rest || !is_last_implied)
            return false;
    }
    return true;
}

/* Removes the words of a part; false if they are missing or different. */
static bool take_part(struct words *words, enum part part, const struct opcode_row *row,
                      const struct mapping_opcode *opcode) {
    char text[PART_TEXT];
    if (part == PART_MNK)
        return take_shape(words, opcode->shape);
    const char *wanted = part_text(part, row, opcode, text);
    const bool is_type =
        part == PART_D || part == PART_A || part == PART_B || part == PART_C || part == PART_SCALE;
    const bool is_kind = part == PART_KIND || part == PART_BLOCK;
    if (is_type && *wanted && !strchr(wanted, '.'))
        return take_type(words, wanted);
    return take_each(words, wanted, !is_kind, is_kind && row->is_vector_implied);
}

/* True if the words are those of this opcode, which is in the row. */
static bool is_opcode(struct words words, const struct opcode_form *form,
                      const struct opcode_row *row, const struct mapping_opcode *opcode) {
    for (const enum part *part = form->parts; *part != PARTS_END; part++)
        if (!take_part(&words, *part, row, opcode))
            return false;
    return obey(&words, form->words, 1) && obey(&words, row->words ? row->words : "", 1) &&
           are_taken(&words);
}

/* Parses an opcode in lower case, by comparing it with all opcodes of the family; false if it is
 * not one of them. */
static bool read_opcode(const struct family *family, const char *text,
                        struct mapping_opcode *opcode) {
    struct words words;
    for (size_t f = 0; f < family->form_count; f++) {
        const struct opcode_form *form = &family->forms[f];
        if (!split(&words, text, form))
            continue;
        struct words rest = words; /* parts are not removed yet, so a word may occur more often */
        if (!obey(&rest, form->words, WORDS_MAX))
            continue;
        for (size_t r = 0; r < form->row_count; r++) {
            const struct opcode_row *row = &form->rows[r];
            for (size_t n = 0, count = count_opcodes(row); n < count; n++) {
                *opcode = choose(family, row, n);
                if (is_opcode(words, form, row, opcode)) {
                    write_text(form, row, opcode);
                    return true;
                }
            }
        }
    }
    return false;
}

/* Parses an opcode in lower case that moves one fragment, by comparing it with all fragments of the
 * family; false if it is not one of them. */
static bool read_move(const struct family *family, const char *text,
                      struct mapping_fragment *fragment) {
    struct words words;
    for (size_t f = 0; f < family->form_count; f++) {
        const struct opcode_form *form = &family->forms[f];
        if (!form->moved || !split(&words, text, form))
            continue;
        for (struct mapping_cursor at = {0};
             mapping_catalogue_next_of(&at, family->instruction, fragment);) {
            const char *variant = mapping_fragment_variant(fragment);
            const bool has_format = fragment->type == MAPPING_B6 || fragment->type == MAPPING_B4;
            char operation[PART_TEXT], format[PART_TEXT];
            snprintf(operation, sizeof operation, "%s%s", *variant == '0' ? "warpx2::" : "",
                     variant);
            const struct opcode_row row = {.operation = operation};
            const struct mapping_opcode opcode = {.shape = fragment->shape, .a = fragment->type};
            struct words rest = words;
            if (form->moved >> fragment->operand & 1 &&
                (!has_format ||
                 take_each(&rest, part_text(PART_A, &row, &opcode, format), false, false)) &&
                is_opcode(rest, form, &row, &opcode))
                return true;
        }
    }
    return false;
}

/* ---- Fragments ---- */

/* Finds the fragment of one operand. Orders and transposition matter only if it depends on them. */
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

void mapping_find_opcode(const char *name, struct mapping_name *read) {
    struct mapping_opcode *opcode = &read->opcode;
    const bool is_opcode = mapping_opcode_find(name, opcode);
    read->count = 0;
    if (!is_opcode)
        *opcode->text = '\0';
    for (int i = 0; i < MAPPING_INSTRUCTIONS && read->count == 0; i++)
        read->count = read_move(mapping_family((enum mapping_instruction)i), name, read->found);
    if (read->count > 0 || !is_opcode)
        return;
    read->count = mapping_opcode_fragments(opcode, read->found);
    for (struct mapping_fragment *one = read->found; one < read->found + read->count; one++) {
        one->since = one->since > opcode->since ? one->since : opcode->since;
        one->ptx = one->ptx > opcode->ptx ? one->ptx : opcode->ptx;
        one->suffix = one->suffix > opcode->suffix ? one->suffix : opcode->suffix;
        one->note = one->note ? one->note : opcode->note;
    }
}
