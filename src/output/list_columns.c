/* list_columns.c - the columns of --list; see list_columns.h. */
#include "output/list_columns.h"

#include "layout/sentence.h"

#include <stdio.h>
#include <string.h>

enum {
    ONLY_MARKDOWN = NOT_IN_CSV | NOT_IN_JSON, /* a text that combines other columns */
    ONLY_JSON = NOT_IN_CSV | NOT_IN_MARKDOWN,
    IN_NAME = NOT_IN_MARKDOWN,            /* people read it in the name, or in another column */
    SIZE = NOT_IN_JSON | NOT_IN_MARKDOWN, /* JSON has the sizes of all axes, see print_sizes */
};

const struct list_heading list_headings[LIST_COLUMNS] = {
    [COLUMN_FRAGMENT] = {"fragment", NULL, 1, 0},
    [COLUMN_SIZE] = {NULL, "size", 0, ONLY_MARKDOWN},
    [COLUMN_HELD] = {NULL, "elements per thread", 0, ONLY_MARKDOWN},
    [COLUMN_TARGET] = {NULL, "since", 0, ONLY_MARKDOWN},
    [COLUMN_BLOCKS] = {"blocks", NULL, 13, SIZE},
    [COLUMN_ROWS] = {"rows", NULL, 5, SIZE},
    [COLUMN_COLS] = {"cols", NULL, 6, SIZE},
    [COLUMN_THREADS] = {"threads", NULL, 7, SIZE},
    [COLUMN_ELEMENTS] = {"elements", NULL, 8, SIZE},
    [COLUMN_COLUMNS] = {"columns", NULL, 18, SIZE},
    [COLUMN_INSTRUCTION] = {"instruction", NULL, 0, ONLY_JSON},
    [COLUMN_SHAPE] = {"shape", NULL, 0, ONLY_JSON},
    [COLUMN_OPERAND] = {"operand", NULL, 2, IN_NAME},
    [COLUMN_LAYOUT] = {"layout", NULL, 3, IN_NAME},
    [COLUMN_TYPE] = {"type", NULL, 4, IN_NAME},
    [COLUMN_BITS] = {"bits", NULL, 0, ONLY_JSON},
    [COLUMN_REGISTERS] = {"registers", NULL, 9, NOT_IN_MARKDOWN},
    [COLUMN_BYTES] = {"bytes", NULL, 0, ONLY_JSON},
    [COLUMN_SINCE] = {"since", NULL, 10, IN_NAME},
    [COLUMN_UNTIL] = {"until", NULL, 0, ONLY_JSON},
    [COLUMN_PTX] = {"ptx", NULL, 11, NOT_IN_MARKDOWN},
    [COLUMN_TARGETS] = {"targets", NULL, 16, IN_NAME},
    [COLUMN_N] = {"n", NULL, 17, IN_NAME},
    [COLUMN_EMULATED_ON] = {NULL, "emulated on", 0, ONLY_MARKDOWN},
    [COLUMN_EVIDENCE] = {"rests_on", "source", 12, 0},
    [COLUMN_NATIVE] = {"native", NULL, 14, NOT_IN_MARKDOWN},
    [COLUMN_EMULATED] = {"emulated", NULL, 15, IN_NAME},
};

size_t list_columns(unsigned format, enum list_column columns[LIST_COLUMNS]) {
    size_t count = 0;
    for (int c = 0; c < LIST_COLUMNS; c++) {
        const struct list_heading *column = &list_headings[c];
        if (column->left_out & format)
            continue;
        /* In unsigned arithmetic, a place of 0 minus 1 is greater than all others. */
        size_t at = count++;
        for (; format == NOT_IN_CSV && at > 0; at--) {
            if (list_headings[columns[at - 1]].place - 1 <= column->place - 1)
                break;
            columns[at] = columns[at - 1];
        }
        columns[at] = (enum list_column)c;
    }
    return count;
}

/* ---- Values ---- */

static enum value_kind number(struct printer *to, uint32_t number) {
    print_number(to, number);
    return VALUE_NUMBER;
}

static enum value_kind word(struct printer *to, const char *word) {
    print_text(to, word);
    return *word ? VALUE_WORD : VALUE_NULL;
}

/* "sm_80"; null for 0. */
static enum value_kind arch(struct printer *to, unsigned arch) {
    if (arch == 0)
        return VALUE_NULL;
    print_text(to, "sm_");
    print_number(to, arch);
    return VALUE_WORD;
}

/* "sm_80 sm_86"; bit n of `archs` is mapping_arch_at(n). */
static enum value_kind list_archs(struct printer *to, uint32_t archs) {
    for (const char *blank = ""; archs; archs &= archs - 1, blank = " ") {
        print_text(to, blank);
        arch(to, mapping_arch_at((size_t)__builtin_ctz(archs))->number);
    }
    return VALUE_WORDS;
}

/* "16 8 null": m, n and k; null for a size on which the layout does not depend. */
static enum value_kind shape(struct printer *to, const struct mapping_shape *shape) {
    const uint32_t sizes[] = {shape->m, shape->n, shape->k};
    for (int s = 0; s < 3; s++) {
        print_text(to, s > 0 ? " " : "");
        if (sizes[s] > 0)
            print_number(to, sizes[s]);
        else
            print_text(to, "null");
    }
    return VALUE_NUMBERS;
}

/* "64x16, n = 8 to 256 by 8" */
static enum value_kind size(struct printer *to, const struct mapping_fragment *fragment) {
    char widths[WIDTHS_TEXT];
    widths_text(fragment, widths);
    print(to, "%ux%u%s%s", fragment->rows, fragment->cols, *widths ? ", n = " : "", widths);
    return VALUE_SENTENCE;
}

/* "8", or "256 columns of Tensor Memory" */
static enum value_kind held(struct printer *to, const struct mapping_fragment *fragment) {
    if (fragment->threads > 0)
        return number(to, fragment->elements);
    print(to, "%u column%s of Tensor Memory", fragment->columns, mapping_plural(fragment->columns));
    return VALUE_SENTENCE;
}

/* "sm_100a or f" */
static enum value_kind target(struct printer *to, const struct mapping_fragment *fragment) {
    const char *letters = mapping_target_letters(fragment->suffix, fragment->since);
    arch(to, fragment->since);
    print_text(to, strlen(letters) > 1 ? "a or f" : letters);
    return VALUE_SENTENCE;
}

enum value_kind list_value(enum list_column column, const struct list_entry *entry,
                           struct printer *to) {
    const struct mapping_fragment *f = &entry->fragment;
    char text[TARGETS_TEXT];
    to->size = 0;
    switch (column) {
    case COLUMN_FRAGMENT:
        mapping_fragment_name(f, text);
        return word(to, text);
    case COLUMN_SIZE:
        return size(to, f);
    case COLUMN_HELD:
        return held(to, f);
    case COLUMN_TARGET:
        return target(to, f);
    case COLUMN_BLOCKS:
        return number(to, f->blocks);
    case COLUMN_ROWS:
        return number(to, f->rows);
    case COLUMN_COLS:
        return number(to, f->cols);
    case COLUMN_THREADS:
        return f->threads > 0 ? number(to, f->threads) : VALUE_NULL;
    case COLUMN_ELEMENTS:
        return f->threads > 0 ? number(to, f->elements) : VALUE_NULL;
    case COLUMN_COLUMNS:
        return f->columns > 0 ? number(to, f->columns) : VALUE_NULL;
    case COLUMN_INSTRUCTION:
        return word(to, mapping_instruction_name(f->instruction));
    case COLUMN_SHAPE:
        return shape(to, &f->shape);
    case COLUMN_OPERAND:
        return word(to, mapping_operand_name(f->operand));
    case COLUMN_LAYOUT:
        return word(to, mapping_fragment_variant(f));
    case COLUMN_TYPE:
        return word(to, mapping_type_name(f->type));
    case COLUMN_BITS:
        return number(to, f->bits);
    case COLUMN_REGISTERS:
        return f->threads > 0 ? number(to, f->registers) : VALUE_NULL;
    case COLUMN_BYTES:
        return number(to, fragment_bytes(f));
    case COLUMN_SINCE:
        return arch(to, f->since);
    case COLUMN_UNTIL:
        return arch(to, f->until);
    case COLUMN_PTX:
        print_number(to, f->ptx / 10);
        print_char(to, '.');
        print_number(to, f->ptx % 10);
        return VALUE_WORD;
    case COLUMN_TARGETS:
        if (!f->suffix)
            return VALUE_MISSING;
        mapping_targets_text(f, UINT32_MAX, " ", text);
        print_text(to, text);
        return VALUE_WORDS;
    case COLUMN_N:
        widths_print(to, f, ' ');
        return f->widths ? VALUE_NUMBERS : VALUE_MISSING;
    case COLUMN_EMULATED_ON:
        mapping_archs_text(entry->emulated, text);
        return word(to, text);
    case COLUMN_EVIDENCE:
        print_text(to, entry->evidence);
        return VALUE_SENTENCE;
    case COLUMN_NATIVE:
        return list_archs(to, entry->native);
    case COLUMN_EMULATED:
        return list_archs(to, entry->emulated);
    case LIST_COLUMNS:
        break;
    }
    return VALUE_MISSING;
}
