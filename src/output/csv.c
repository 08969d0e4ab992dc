/* csv.c - --format=csv: one line for each element and its place, for spreadsheets and data frames
 * (RFC 4180, but with plain newlines). */
#include "output/annotated.h"
#include "output/list_columns.h"

#include "report/tmem_report.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS_MAX = 4 * MAPPING_AXES_MAX + 1 };

/* The columns: all axes of the reports' inputs; the last two axes of the outputs; the number of the
 * copy; and the axes that only some outputs have, such as the block. */
struct columns {
    const char *name[COLUMNS_MAX];
    size_t count, outer; /* number of all columns; index of the first one after the copy */
    bool has_tiling;
    const char *part; /* the axis that numbers loads or stores; NULL if there is none */
    const char *kind;
    const struct style *style;
    struct question question;
};

/* Adds a column unless it exists. */
static void add(struct columns *columns, const char *name) {
    for (size_t n = 0; n < columns->count; n++)
        if (strcmp(columns->name[n], name) == 0)
            return;
    if (columns->count < COLUMNS_MAX)
        columns->name[columns->count++] = name;
}

/* Adds columns for the axes of an output. In Tensor Memory these are all axes; otherwise the last
 * two, or those before them. */
static void add_target(struct columns *columns, const struct mapping_space *to, bool outer) {
    const bool has_lanes = mapping_space_find(to, MAPPING_AXIS_LANE) >= 0;
    const uint32_t inner = has_lanes || to->count < 2 ? 0 : to->count - 2;
    for (uint32_t a = 0; a < to->count; a++)
        if ((a < inner) == outer)
            add(columns, to->axis[a].name);
}

static struct columns columns_of(const struct report *reports, size_t count,
                                 const struct style *style) {
    struct columns columns = {.kind = reports[0].kind, .style = style, .question = style->question};
    bool has_copy = false, has_copy_axis = false; /* a table of --map may have an axis "copy" */
    if (columns.question.kind == ASK_NOTHING)
        columns.question = (struct question){.kind = ASK_SOURCE}; /* a question about every entry */
    for (size_t r = 0; r < count; r++) {
        const struct mapping_space *from = &reports[r].forward.layout.from;
        const struct mapping_space *to = &reports[r].forward.layout.to;
        for (uint32_t a = 0; a < from->count; a++)
            add(&columns, from->axis[a].name);
        columns.has_tiling |= reports[r].tiling != NULL;
        if (reports[r].tmem)
            columns.part = tmem_word(reports[r].tmem);
        has_copy |= !is_in_lanes(from, to);
        has_copy_axis |= mapping_space_find(to, MAPPING_AXIS_COPY) >= 0;
    }
    for (size_t r = 0; r < count; r++)
        add_target(&columns, &reports[r].forward.layout.to, false);
    if (has_copy && !has_copy_axis)
        add(&columns, MAPPING_AXIS_COPY);
    columns.outer = columns.count;
    for (size_t r = 0; r < count; r++)
        add_target(&columns, &reports[r].forward.layout.to, true);
    return columns;
}

/* The columns of --detail, which are the same as in lists. */
static const enum list_column detail_columns[] = {COLUMN_TYPE,  COLUMN_BITS,  COLUMN_REGISTERS,
                                                  COLUMN_BYTES, COLUMN_SINCE, COLUMN_PTX};
enum { DETAIL_COLUMNS = sizeof detail_columns / sizeof *detail_columns };

/* Prints a text; in quotes if it would otherwise not be one field. */
static void print_field(struct printer *to, const char *text) {
    if (strpbrk(text, ",\"\n\r"))
        csv_quoted(to, text);
    else
        print_text(to, text);
}

static void print_header(struct printer *to, const struct columns *columns) {
    print(to, "arch,%s", columns->kind);
    for (size_t n = 0; n < columns->count; n++) {
        print_char(to, ',');
        print_field(to, columns->name[n]);
    }
    if (columns->has_tiling)
        print_text(to, ",tiling");
    if (columns->part)
        print(to, ",with,cta,%s", columns->part);
    for (size_t d = 0; columns->style->detail && d < DETAIL_COLUMNS; d++)
        print(to, ",%s", list_headings[detail_columns[d]].name);
    print_text(to, ",source\n");
}

/* The number in a column for an answer; NULL if the column is empty, because the layout does not
 * have this axis. The block of a matrix without blocks is 0. */
static const uint32_t *find_number(const struct columns *columns, size_t n,
                                   const struct mapping_layout *layout,
                                   const struct answer *answer) {
    static const uint32_t zero = 0;
    int source = mapping_space_find(&layout->from, columns->name[n]);
    int target = mapping_space_find(&layout->to, columns->name[n]);
    if (source >= 0)
        return &answer->source[source];
    if (target >= 0)
        return &answer->target[target];
    if (strcmp(columns->name[n], MAPPING_AXIS_COPY) == 0)
        return &answer->copy;
    return n >= columns->outer ? &zero : NULL;
}

/* Prints the columns after the coordinates, which are the same in all lines of a report. */
static void print_rest(struct printer *to, const struct report *report,
                       const struct columns *columns) {
    const struct list_entry entry = {.fragment = report->observed.fragment};
    struct printer value = {.text = NULL};
    if (columns->has_tiling) {
        print_char(to, ',');
        csv_quoted(to, report->tiling ? report->tiling : "");
    }
    if (columns->part) {
        char with[TMEM_LOAD_NAME_SIZE];
        mapping_tmem_load_name(&report->tmem->tmem_load, with);
        print(to, ",%s,%u,%u", with, report->tmem->cta, report->tmem->number);
    }
    for (size_t d = 0; columns->style->detail && d < DETAIL_COLUMNS; d++) {
        print_char(to, ',');
        if (report->detail) {
            list_value(detail_columns[d], &entry, &value);
            print_raw(to, value.text, value.size);
        }
    }
    print_char(to, ',');
    csv_quoted(to, provenance_text(&report->observed.provenance));
    print_char(to, '\n');
}

/* Prints the columns before the coordinates, which are the same in all lines of a report. */
static void print_start(struct printer *to, const struct report *report) {
    if (report->arch)
        print(to, "sm_%u", report->arch);
    print_char(to, ',');
    /* A spreadsheet takes a text that begins with one of these characters for a formula. With ./
     * before it, a path stays the same path. */
    char name[sizeof report->name + 2];
    bool is_formula = report->is_of_file && *report->name && strchr("=+-@", *report->name);
    snprintf(name, sizeof name, "%s%s", is_formula ? "./" : "", report->name);
    print_field(to, name);
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct columns *columns = context;
    struct printer start = {.text = NULL}, rest = {.text = NULL};
    struct answer answer = {.copy = 0};
    const uint32_t *number[COLUMNS_MAX];
    (void)style;
    for (size_t n = 0; n < columns->count; n++)
        number[n] = find_number(columns, n, &report->forward.layout, &answer);
    print_start(&start, report);
    print_rest(&rest, report, columns);
    for (size_t position = 0; question_next(&columns->question, report, &position, &answer);) {
        print_raw(to, start.text, start.size);
        for (size_t n = 0; n < columns->count; n++) {
            print_char(to, ',');
            if (number[n])
                print_number(to, *number[n]);
        }
        print_raw(to, rest.text, rest.size);
    }
}

static void print_reports(struct pages *pages, struct report *reports, size_t count,
                          const struct style *style) {
    const struct columns columns = columns_of(reports, count, style);
    print_header(&pages->page[0], &columns);
    pages_print(pages, reports, count, style, print_report, &columns, true);
}

static void print_list(struct printer *to, const struct list_entry *entries, size_t count,
                       const struct style *style) {
    enum list_column columns[LIST_COLUMNS];
    const size_t column_count = list_columns(NOT_IN_CSV, columns);
    struct printer text = {.text = NULL};
    (void)style;
    for (size_t c = 0; c < column_count; c++)
        print(to, "%s%s", c > 0 ? "," : "", list_headings[columns[c]].name);
    print_char(to, '\n');
    for (size_t e = 0; e < count; e++) {
        for (size_t c = 0; c < column_count; c++) {
            const enum value_kind kind = list_value(columns[c], &entries[e], &text);
            if (c > 0)
                print_char(to, ',');
            if (kind == VALUE_SENTENCE)
                csv_quoted(to, printer_string(&text));
            else
                print_raw(to, text.text, text.size);
        }
        print_char(to, '\n');
    }
}

/* Prints one side of a difference: a formula for each column; the field is empty if there is none.
 */
static void print_side(struct printer *to, const char *name, unsigned arch,
                       const struct report *report, const struct columns *columns) {
    print(to, "%s,sm_%u", name, arch);
    for (size_t n = 0; n < columns->count; n++) {
        int axis = report ? mapping_space_find(&report->forward.layout.to, columns->name[n]) : -1;
        const char *formula = axis >= 0 ? derived_formula(&report->forward, (uint32_t)axis) : NULL;
        print(to, ",%s", formula ? formula : "");
    }
    print_char(to, '\n');
}

static void print_comparison(struct printer *to, const struct comparison *comparison,
                             const struct style *style) {
    struct columns columns = {.count = 0};
    size_t shown = comparison_shown(comparison, style);
    add(&columns, MAPPING_AXIS_ROW);
    add(&columns, MAPPING_AXIS_COL);
    for (int outer = 0; outer < 2; outer++)
        for (size_t d = 0; d < shown; d++) {
            const struct difference *difference = &comparison->items[d];
            if (difference->first)
                add_target(&columns, &difference->first->forward.layout.to, outer);
            if (difference->second)
                add_target(&columns, &difference->second->forward.layout.to, outer);
        }
    print_text(to, "fragment,arch");
    for (size_t n = 0; n < columns.count; n++)
        print(to, ",%s", columns.name[n]);
    print_char(to, '\n');
    for (size_t d = 0; d < shown; d++) {
        const struct difference *difference = &comparison->items[d];
        const char *name = difference_name(difference);
        print_side(to, name, comparison->archs[0], difference->first, &columns);
        print_side(to, name, comparison->archs[1], difference->second, &columns);
    }
}

const struct output csv_output = {
    .name = "csv",
    .detail = DETAIL_OF_LAYOUTS,
    .has_answers = true,
    .reports = print_reports,
    .list = print_list,
    .comparison = print_comparison,
    .listing_line = listing_csv_line,
    .listing_end = listing_csv_end,
};
