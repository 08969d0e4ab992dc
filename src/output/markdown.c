/* markdown.c - --format=markdown: tables for documents and issues. */
#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "output/annotated.h"
#include "output/list_columns.h"
#include "report/alike.h"
#include "report/facts.h"
#include "report/smem_report.h"
#include "report/tmem_report.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Prints a text of the user without markup or HTML: "<b" would be a tag, "<3" not. */
static void print_plain(struct printer *to, const char *text, size_t length) {
    for (const char *end = text + length; text < end; text++) {
        bool is_tag = *text == '<' && text + 1 < end && !strchr("0123456789 <", text[1]);
        if (is_tag || strchr("\\`*[]&", *text))
            print_char(to, '\\');
        print_char(to, *text);
    }
}

/* Prints code in a cell of a table. A | must be escaped, because it ends the cell. */
static void print_code(struct printer *to, const char *code, size_t length) {
    print_char(to, '`');
    for (size_t c = 0; c < length; c++)
        print(to, code[c] == '|' ? "\\%c" : "%c", code[c]);
    print_char(to, '`');
}

/* Prints a grid without its corner. A cell has `copies` entries, "3:5 7:1". The grid begins at
 * entry `start`. */
static void print_grid(struct printer *to, const struct view *view, size_t start, uint32_t copies) {
    for (uint32_t col = 0; col < view->cols; col++)
        print(to, " %u |", view_col(view, col));
    print_text(to, "\n| --- |");
    for (uint32_t col = 0; col < view->cols; col++)
        print_text(to, " --- |");
    for (uint32_t row = 0; row < view->rows; row++) {
        print(to, "\n| **%u** |", view_row(view, row));
        for (uint32_t col = 0; col < view->cols; col++) {
            const size_t entry = view_entry(view, start, row, col);
            for (uint32_t copy = 0; copy < copies; copy++)
                for (uint32_t c = 0; c < view->shown->to.count; c++) {
                    print_char(to, c ? ':' : ' ');
                    print_number(to, view->shown->coordinate[c][entry + copy]);
                }
            print_text(to, " |");
        }
    }
    print_text(to, "\n\n");
}

/* Prints the corner of a grid: the number of its part, if there are several, and what its cells
 * contain: "block 0, tid:i". */
static void print_corner(struct printer *to, const struct report *report, const struct view *view,
                         uint32_t part) {
    const struct mapping_layout *forward = &report->forward.layout;
    const bool is_placed = is_in_lanes(&forward->from, &forward->to);
    struct mapping_space outer = report->smem ? forward->from : forward->to;
    uint32_t point[MAPPING_AXES_MAX];
    print_text(to, "| ");
    for (uint32_t o = 0; o < view->outer_count && is_placed; o++) {
        const char *title = view_part_title(view, part, o);
        if (title)
            print(to, "%s, ", title);
    }
    outer.count = outer.count > 2 ? outer.count - 2 : 0;
    mapping_space_point(&outer, part, point);
    for (uint32_t a = 0; a < outer.count && !is_placed; a++)
        print(to, "%s %u, ", outer.axis[a].name, point[a]);
    if (report->smem)
        print(to, "offset in %s", report->smem->type);
    for (uint32_t c = 0; c < view->shown->to.count && !report->smem; c++)
        print(to, "%s%s", c ? ":" : "", view->shown->to.axis[c].name);
    print_text(to, " |");
}

/* Prints the thread of each element, its place in Tensor Memory, or its offset in memory. */
static void print_tables(struct printer *to, const struct report *report,
                         const struct style *style) {
    struct view view = view_of_report(report);
    if (report->smem) {
        fold_smem_grid(&view, report, style, 0);
    } else {
        view_crop(&view, &style->excerpt);
        view_fold(&view, &style->excerpt, PARTS_STAY, 0); /* a cell has all copies of an element */
    }
    for (uint32_t part = 0; part < view.parts / view.copies; part++) {
        print_corner(to, report, &view, part);
        print_grid(to, &view, view_part_start(&view, part), view.copies);
    }
    for (size_t n = 0; n < view.below.count; n++)
        print(to, "- %s\n%s", view.below.text[n], n + 1 == view.below.count ? "\n" : "");
}

static void print_solution(struct printer *to, const struct derived *derived) {
    for (uint32_t c = 0; c < derived->layout.to.count; c++) {
        const char *formula = derived_formula(derived, c), *remark = derived_remark(derived, c);
        print(to, "| %s | ", derived->layout.to.axis[c].name);
        if (formula)
            print_code(to, formula, strlen(formula));
        else
            print_text(to, "no formula");
        print(to, "%s%s |\n", *remark ? ", " : "", remark);
    }
}

/* Prints a table line with the names of axes, or with the coordinates of a point. */
static void print_names(struct printer *to, const struct mapping_space *space) {
    for (uint32_t a = 0; a < space->count; a++)
        print(to, "| %s ", space->axis[a].name);
}

static void print_numbers(struct printer *to, const struct mapping_space *space,
                          const uint32_t *point) {
    for (uint32_t a = 0; a < space->count; a++)
        print(to, "| %u ", point[a]);
}

static void print_answers(struct printer *to, const struct report *report,
                          const struct question *question) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct answer answer;
    struct register_bits first;
    print_names(to, &layout->to);
    print(to, "| %s ", report_copy_axis(report));
    print_names(to, &layout->from);
    /* Add registers to the table if each has several elements, or a name. */
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const bool has_registers = answer_register(report, &(struct answer){.copy = 0}, &first) &&
                               (fragment->bits < 32 || first.name[0]);
    const bool has_place = has_registers || report->smem;
    print_text(to, !has_place ? "|\n" : has_registers ? "| register |\n" : "| byte and bank |\n");
    for (uint32_t a = 0; a < layout->to.count + 1 + layout->from.count + has_place; a++)
        print_text(to, "| --- ");
    print_text(to, "|\n");
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        print_numbers(to, &layout->to, answer.target);
        print(to, "| %u ", answer.copy);
        print_numbers(to, &layout->from, answer.source);
        char *place = has_registers ? answer_register_text(report, &answer)
                                    : answer_memory_text(report, &answer);
        if (has_place)
            print(to, "| %s ", place);
        mapping_free(place);
        print_text(to, "|\n");
    }
}

static void print_detail(struct printer *to, const struct report *report) {
    const struct mapping_fragment *f = &report->observed.fragment;
    const bool has_table = f->place != MAPPING_IN_TENSOR_MEMORY;
    if (has_table)
        print(to,
              "\n| operand | type | registers per thread | elements per thread | copies | since |\n"
              "| --- | --- | --- | --- | --- | --- |\n| %u x %u | %s | %u | %u | %u | sm_%u, PTX "
              "%u.%u |\n",
              f->rows, f->cols, mapping_type_name(f->type), f->registers, f->elements,
              report_copies(report), f->since, f->ptx / 10, f->ptx % 10);
    print_text(to, "\n```\n");
    print_facts(to, report, has_table, false);
    print_text(to, "```\n");
}

/* True if a word is the name of an instruction or a file: mma.m16n8k16.a.f16. */
static bool is_name(const char *word, size_t length) {
    const char *dot = memchr(word, '.', length);
    return *word >= 'a' && *word <= 'z' && dot && dot + 1 < word + length;
}

/* Prints a fact as a paragraph: with a capital letter, names as code, and a period after a
 * sentence. A "*" between blanks is not markup. */
static void print_fact(struct printer *to, const struct fact *fact) {
    static const char *const phrases = "source opcode tiling with extent confirmed";
    for (const char *word = fact->text, *end; *word; word = end + strspn(end, " ")) {
        end = word + strcspn(word, " ");
        size_t length = (size_t)(end - word);
        while (length > 1 && strchr(",.;:", word[length - 1]))
            length--;
        if (word > fact->text)
            print_char(to, ' ');
        if (is_name(word, length)) {
            print_code(to, word, length);
        } else if (word == fact->text && strncmp(word, "ptxas ", 6) != 0) {
            print_char(to, (char)toupper((unsigned char)*word));
            print_plain(to, word + 1, length - 1);
        } else if (length == 1) {
            print_char(to, *word);
        } else {
            print_plain(to, word, length);
        }
        print(to, "%.*s", (int)(end - word - (ptrdiff_t)length), word + length);
    }
    print_text(to, strstr(phrases, fact->key) ? "\n\n" : ".\n\n");
}

static void print_name(struct printer *to, const struct report *report) {
    const char *names = report->alike ? alike_names(report) : report->name;
    print_text(to, "### ");
    print_plain(to, names, strlen(names));
    print(to, report->arch ? " on sm_%u\n\n" : "\n\n", report->arch);
}

static void print_same(struct printer *to, const struct report *report) {
    print_char(to, '\n');
    for (size_t s = 0; s < report->same.count; s++)
        print(to, "- the same as `%s`\n", report->same.text[s]);
    if (report->nearly)
        print(to, "- the same as `%s` except at %zu of %zu entries\n", report->nearly,
              report->differing, mapping_layout_entries(&report->forward.layout));
    else if (report->same.count == 0)
        print_text(to, "- no known layout is the same\n");
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct batch *batch = context;
    const bool is_answer_alone = style->question.kind != ASK_NOTHING && style->brief;
    if (report->tmem && report->tmem->is_left_out)
        return;
    if (report != batch->reports)
        print_char(to, '\n');
    const struct facts facts = facts_of(report);
    if (!is_answer_alone || batch->count > 1)
        print_name(to, report);
    for (size_t f = 0; f < facts.count; f++) { /* beside an answer, only what tells parts apart */
        const char *key = facts.fact[f].key;
        if (!is_answer_alone || (batch->count > 1 && report->tmem &&
                                 (strcmp(key, "with") == 0 || strcmp(key, "extent") == 0)))
            print_fact(to, &facts.fact[f]);
    }
    if (style->question.kind != ASK_NOTHING) {
        print_answers(to, report, &style->question);
    } else {
        if (!style->brief && (!report->is_of_file || report->is_drawn))
            print_tables(to, report, style);
        print_text(to, "| | formula |\n| --- | --- |\n");
        print_solution(to, &report->forward);
        print_solution(to, report_inverse(report));
        struct printer descriptor = {.text = NULL};
        if (report->smem)
            print_descriptor(&descriptor, report);
        if (descriptor.size > 0)
            print(to, "\n```%s```\n", printer_string(&descriptor));
        if (report->is_of_file)
            print_same(to, report);
        if (report->tmem && report->tmem->others.count > 0) {
            print_text(to, "\n```\n");
            print_strings(to, &report->tmem->others);
            print_text(to, "```\n");
        }
    }
    if (report->detail)
        print_detail(to, report);
}

static void print_list(struct printer *to, const struct list_entry *entries, size_t count,
                       const struct style *style) {
    (void)style;
    enum list_column columns[LIST_COLUMNS];
    const size_t column_count = list_columns(NOT_IN_MARKDOWN, columns);
    struct printer text = {.text = NULL};
    for (size_t c = 0; c < column_count; c++) {
        const struct list_heading *column = &list_headings[columns[c]];
        print(to, "| %s ", column->heading ? column->heading : column->name);
    }
    print_text(to, "|\n");
    for (size_t c = 0; c < column_count; c++)
        print_text(to, "| --- ");
    print_text(to, "|\n");
    for (size_t e = 0; e < count; e++) {
        for (size_t c = 0; c < column_count; c++) {
            const char *code = columns[c] == COLUMN_FRAGMENT ? "`" : "";
            list_value(columns[c], &entries[e], &text);
            print_text(to, "| ");
            print_text(to, code);
            print_raw(to, text.text, text.size);
            print_text(to, code);
            print_char(to, ' ');
        }
        print_text(to, "|\n");
    }
}

/* Prints one side of a difference: the last two axes in their own columns, then the others. */
static void print_side(struct printer *to, const char *name, unsigned arch,
                       const struct report *report) {
    if (!report) {
        print(to, "| `%s` | sm_%u | not available | |\n", name, arch);
        return;
    }
    const struct mapping_space *target = &report->forward.layout.to;
    uint32_t outer = target->count > 2 ? target->count - 2 : 0;
    print(to, "| `%s` | sm_%u ", name, arch);
    for (uint32_t c = outer; c < target->count; c++) {
        const char *formula = derived_formula(&report->forward, c);
        print_text(to, "| ");
        if (formula)
            print_code(to, formula, strlen(formula));
        else
            print_text(to, "no formula");
        print_text(to, c + 1 < target->count ? " " : "");
    }
    for (uint32_t c = 0; c < outer; c++) {
        const char *formula = derived_formula(&report->forward, c);
        if (formula) {
            print(to, ", %s ", target->axis[c].name);
            print_code(to, formula, strlen(formula));
        }
    }
    print_text(to, " |\n");
}

static void print_comparison(struct printer *to, const struct comparison *comparison,
                             const struct style *style) {
    print_text(to, "| fragment | architecture | row | col |\n| --- | --- | --- | --- |\n");
    for (size_t d = 0; d < comparison_shown(comparison, style); d++) {
        const struct difference *difference = &comparison->items[d];
        const char *name = difference_name(difference);
        print_side(to, name, comparison->archs[0], difference->first);
        print_side(to, name, comparison->archs[1], difference->second);
    }
    for (int side = 0; side < 2; side++)
        if (comparison->only[side] > 0)
            print(to, "\nFragments that only sm_%u has: %zu%s.\n", comparison->archs[side],
                  comparison->only[side], style->verbose ? "" : "; --verbose lists them");
    char replaced[REPLACED_TEXT];
    replaced_text(comparison, replaced);
    if (*replaced)
        print(to, "\n%s.\n", replaced);
}

const struct output markdown_output = {
    .name = "markdown",
    .detail = DETAIL_OF_FRAGMENTS,
    .merges_alike = true,
    .has_formulae = true,
    .has_descriptors = true,
    .has_brief = true,
    .has_brief_answers = true,
    .folds = true,
    .has_answers = true,
    .report = print_report,
    .list = print_list,
    .comparison = print_comparison,
    .listing_line = listing_markdown_line,
    .listing_end = listing_markdown_end,
};
