/* product.c - for --at with --detail: the row of A and the column of B that contribute to an
 * element of D, and the threads and registers that hold them. */
#include "catalogue/catalogue.h"
#include "command/show.h"
#include "layout/formula.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <string.h>

enum {
    LINE_TEXT = 512,
    THREADS_MAX = 128,
    WIDTH = 68 /* text without indentation; the printer indents it */
};

/* Reports that may have the layouts of the other operands. */
struct operands {
    const struct report *of; /* D, with its opcodes */
    const struct report *reports;
    size_t count;
};

/* ---- Operands ---- */

/* True if a product of A in one type can have D in the other. */
static bool can_make(enum mapping_type d, enum mapping_type a) {
    const bool is_whole =
        a == MAPPING_S8 || a == MAPPING_U8 || a == MAPPING_S4 || a == MAPPING_U4 || a == MAPPING_B1;
    return (d == MAPPING_S32) == is_whole && (d == MAPPING_F64) == (a == MAPPING_F64);
}

/* True if the fragment is an operand of one of D's opcodes, or no opcode is known. */
static bool is_of_opcodes(const struct report *report, const struct mapping_fragment *fragment) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    for (size_t o = 0; o < report->opcodes.count; o++) {
        const size_t count = mapping_catalogue_find(report->opcodes.text[o], found);
        for (size_t f = 0; f < count; f++)
            if (mapping_fragment_equal(&found[f], fragment))
                return true;
    }
    return report->opcodes.count == 0;
}

/* Finds the next A, or the first B with the type of an A, that D may be the product of. */
static bool next_operand(const struct operands *operands, struct mapping_cursor *at,
                         enum mapping_operand operand, const struct mapping_fragment *a,
                         struct mapping_fragment *found) {
    const struct mapping_fragment *d = &operands->of->observed.fragment;
    while (mapping_catalogue_next_of(at, d->instruction, found))
        if (found->operand == operand && memcmp(&found->shape, &d->shape, sizeof d->shape) == 0 &&
            can_make(d->type, found->type) && (!a || a->type == found->type) &&
            is_of_opcodes(operands->of, found) &&
            mapping_fragment_find(found, operands->of->arch, found))
            return true;
    return false;
}

/* Finds the layout of an operand in the reports; otherwise takes the rules of the PTX ISA. False if
 * it is unknown, or if the operand has several matrices. */
static bool find_layout(const struct operands *operands, const struct mapping_fragment *fragment,
                        struct mapping_layout *layout) {
    struct mapping_error ignored;
    bool is_found = false;
    for (size_t r = 0; r < operands->count && !is_found; r++) {
        const struct report *report = &operands->reports[r];
        is_found = report->arch == operands->of->arch && !report->tmem &&
                   mapping_fragment_equal(&report->observed.fragment, fragment);
        if (is_found)
            *layout = report->forward.layout;
    }
    is_found = is_found || (!operands->of->tiling &&
                            mapping_fragment_state(fragment, layout, &ignored) == MAPPING_OK);
    return is_found && layout->to.count == 2 && layout->from.axis[0].size <= THREADS_MAX;
}

/* ---- A row or a column ---- */

static unsigned count_set(const bool *set, uint32_t size) {
    unsigned count = 0;
    for (uint32_t n = 0; n < size; n++)
        count += set[n];
    return count;
}

/* Appends the numbers of a set: "12 to 15, 20". */
static void append_set(const bool *set, uint32_t size, char text[LINE_TEXT]) {
    bool is_first = true;
    for (uint32_t n = 0, end; n < size; n = end + 1) {
        for (end = n; end < size && set[end];)
            end++;
        if (end == n)
            continue;
        mapping_append(text, LINE_TEXT, "%s%u", is_first ? "" : ", ", n);
        if (end - n > 1)
            mapping_append(text, LINE_TEXT, end - n > 2 ? " to %u" : ", %u", end - 1);
        is_first = false;
    }
}

/* Adds the holders of a row (`axis` 0) or a column of an operand: threads, registers, and, if each
 * element has one copy, the thread and the element as a function of k. */
static void add_line(const struct mapping_layout *layout, const struct mapping_fragment *fragment,
                     uint32_t axis, uint32_t line, struct strings *lines) {
    const uint32_t elements = layout->from.axis[1].size, depth = layout->to.axis[1 - axis].size;
    const struct mapping_space space = {1, {{"k", depth}}};
    uint32_t *tid = memory_get(depth, sizeof *tid), *i = memory_get(depth, sizeof *i);
    uint32_t *copies = memory_get(depth, sizeof *copies), most = 0;
    bool threads[THREADS_MAX] = {false}, *registers = memory_get(2 * (size_t)elements, 1);
    char text[LINE_TEXT], place[32];
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        const uint32_t k = layout->coordinate[1 - axis][n], held = (uint32_t)(n % elements);
        if (layout->coordinate[axis][n] != line)
            continue;
        tid[k] = (uint32_t)(n / elements);
        i[k] = held;
        most = ++copies[k] > most ? copies[k] : most;
        threads[tid[k]] = true;
        for (uint32_t b = 0; b < fragment->bits; b += b + 32 < fragment->bits ? 32 : fragment->bits)
            registers[(held * fragment->bits + b) / 32] = true;
    }
    snprintf(place, sizeof place, axis == 0 ? "A(%u,k)" : "B(k,%u)", line);
    snprintf(text, LINE_TEXT, "%s: thread%s ", place,
             count_set(threads, THREADS_MAX) > 1 ? "s" : "");
    append_set(threads, THREADS_MAX, text);
    mapping_append(text, LINE_TEXT, ", register%s ",
                   count_set(registers, 2 * elements) > 1 ? "s" : "");
    append_set(registers, 2 * elements, text);
    if (most > 1)
        mapping_append(text, LINE_TEXT, " (%u copies)", most);
    strings_add(lines, text);
    struct mapping_formula formula[2];
    char written[2][LINE_TEXT];
    if (most > 1 || !mapping_deduce(&space, tid, &formula[0]) ||
        !mapping_deduce(&space, i, &formula[1]))
        return;
    for (int f = 0; f < 2; f++)
        mapping_formula_print_factored(&formula[f], &space, written[f], LINE_TEXT);
    const int indent = (int)strlen(place) + 2;
    snprintf(text, LINE_TEXT, "%*stid = %.100s", indent, "", written[0]);
    if (strlen(text) + strlen(written[1]) + strlen(", i = ") > WIDTH) {
        strings_add(lines, text);
        snprintf(text, LINE_TEXT, "%*si = %.100s", indent, "", written[1]);
    } else {
        mapping_append(text, LINE_TEXT, ", i = %.100s", written[1]);
    }
    strings_add(lines, text);
}

/* ---- The product ---- */

/* Adds the contribution of one A and its B. */
static void add_contribution(const struct operands *operands, const struct mapping_fragment *a,
                             uint32_t row, uint32_t col, struct strings *lines) {
    const struct mapping_fragment *d = &operands->of->observed.fragment;
    const bool is_sparse = mapping_instruction_is_sparse(d->instruction);
    struct mapping_cursor at = {0};
    struct mapping_layout layout;
    struct mapping_fragment b;
    char text[LINE_TEXT], name[MAPPING_NAME_SIZE];
    if (!find_layout(operands, a, &layout))
        return;
    mapping_fragment_name(a, name);
    snprintf(text, LINE_TEXT, "D(%u,%u) is the sum of A(%u,k) * B(%s,%u), k = 0 to %u;", row, col,
             row, is_sparse ? "k'" : "k", col, layout.to.axis[1].size - 1);
    strings_add(lines, text);
    snprintf(text, LINE_TEXT, "A is %s%s", name,
             is_sparse ? "; the metadata E say which k' is that of k" : "");
    strings_add(lines, text);
    add_line(&layout, a, 0, row, lines);
    if (!next_operand(operands, &at, MAPPING_B, a, &b)) {
        snprintf(text, LINE_TEXT, "B(k,%u): in shared memory", col);
        strings_add(lines, text);
    } else if (find_layout(operands, &b, &layout)) {
        add_line(&layout, &b, 1, col, lines);
    }
}

void add_product(const struct report *reports, size_t count, struct report *report,
                 const struct question *question) {
    enum { KINDS = 2 };
    const struct mapping_fragment *d = &report->observed.fragment;
    const struct operands operands = {report, reports, count};
    const struct range *row = &question->ranges[0], *col = &question->ranges[1];
    struct mapping_fragment a, known[KINDS];
    size_t kinds = 0;
    if (question->kind != ASK_TARGET || question->count != 2 || row->first != row->last ||
        col->first != col->last || !report->has_fragment || d->operand != MAPPING_D ||
        d->place != MAPPING_IN_REGISTERS || report->forward.layout.to.count != 2)
        return;
    struct mapping_cursor at = {0};
    while (kinds < KINDS && next_operand(&operands, &at, MAPPING_A, NULL, &a)) {
        size_t k = 0; /* types with the same number of bits have the same layout */
        while (k < kinds && (known[k].bits != a.bits || known[k].order != a.order))
            k++;
        if (k < kinds)
            continue;
        known[kinds++] = a;
        add_contribution(&operands, &a, row->first, col->first, &report->detail->product);
    }
}
