/* format.c - functions that formats share: they print reports in parallel, describe comparisons and
 * conversions, break lines, escape markup, and list the values of N for which a fragment exists. */
#include "output/output.h"

#include "layout/sentence.h"
#include "report/alike.h"

#include <stdio.h>
#include <string.h>

/* ---- Pages ---- */

void pages_init(struct pages *pages, size_t count) {
    *pages = (struct pages){.page = memory_get(count, sizeof *pages->page), .count = count};
}

struct printing {
    struct pages *pages;
    struct report *reports;
    bool is_last; /* each report is released after it is printed */
    const struct style *style;
    print_report_function *print_one;
    const void *context;
};

static void print_page(void *context, size_t r) {
    const struct printing *printing = context;
    struct report *report = &printing->reports[r];
    if (report->has_same_layout)
        return;
    printing->print_one(&printing->pages->page[r + 1], report, printing->style, printing->context);
    for (; report && printing->is_last; report = report->alike)
        report_release(report);
}

void pages_print(struct pages *pages, struct report *reports, size_t count,
                 const struct style *style, print_report_function *print_one, const void *context,
                 bool is_last) {
    struct printing printing = {pages, reports, is_last, style, print_one, context};
    parallel_for(count, print_page, &printing);
}

void output_reports(const struct output *output, struct pages *pages, struct report *reports,
                    size_t count, const struct style *style) {
    const struct batch batch = {reports, count};
    /* Answers contain names of registers, so they are only equal for elements of the same width,
     * and without a line of PTX or SASS. */
    const bool is_asked = style->question.kind != ASK_NOTHING;
    if (output->merges_alike && !style->excerpt.is_whole &&
        (!is_asked || (style->width > 0 && count > 0 && reports->registers.count == 0)))
        alike_find(reports, count, is_asked || style->grid.color_by == COLOR_BY_ELEMENT);
    if (output->reports)
        output->reports(pages, reports, count, style);
    else
        pages_print(pages, reports, count, style, output->report, &batch, true);
}

/* ---- Words ---- */

const char *difference_name(const struct difference *difference) {
    return (difference->first ? difference->first : difference->second)->name;
}

void replaced_text(const struct comparison *comparison, char text[REPLACED_TEXT]) {
    const char *const *names = comparison->replaced;
    const unsigned *archs = comparison->archs;
    *text = '\0';
    if (!names[0] || !names[1])
        return;
    /* The instruction of the older architecture is the one that is replaced, unless it has none. */
    int old = archs[0] < archs[1] ? 0 : 1;
    old = *names[old] ? old : 1 - old;
    if (*names[1 - old] && comparison->in_tensor_memory[1 - old])
        snprintf(text, REPLACED_TEXT,
                 "only sm_%u has %s; sm_%u has %s instead:\none thread issues the MMA; A is in "
                 "shared memory or Tensor Memory,\nB is in shared memory, D is in Tensor Memory; "
                 "a warpgroup reads D with\ntcgen05.ld, 32 lanes per warp; --detail of a "
                 "tcgen05.mma fragment shows more",
                 archs[old], names[old], archs[1 - old], names[1 - old]);
    else if (*names[1 - old])
        snprintf(text, REPLACED_TEXT, "only sm_%u has %s; sm_%u has %s instead", archs[old],
                 names[old], archs[1 - old], names[1 - old]);
    else
        snprintf(text, REPLACED_TEXT,
                 "only sm_%u has %s; on sm_%u, use mma, with all operands in registers", archs[old],
                 names[old], archs[1 - old]);
}

size_t comparison_shown(const struct comparison *comparison, const struct style *style) {
    return style->verbose ? comparison->count : comparison->different;
}

void print_side_by_side(struct printer *to, const struct report *report,
                        const struct plan_side *side) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const uint32_t down = side->grid[1], across = side->grid[2];
    print(to, "%s (%ux%u)", report->name, fragment->rows, fragment->cols);
    if (down > 1 && across > 1)
        print(to, ", %u x %u in row-major order", down, across);
    else if (down > 1 || across > 1)
        print_text(to, down > 1 ? ", one below the other" : ", side by side");
}

const char *lanes_text(const struct source_lanes *lanes, uint32_t threads) {
    const struct mapping_space space = {.count = 1, .axis = {{MAPPING_AXIS_TID, threads}}};
    return lanes->is_xor ? memory_format("tid ^ %u", lanes->mask)
                         : formula_text(&lanes->formula, &space);
}

bool plan_is_not_linear(const struct shuffle_plan *plan) {
    return plan->kind == CONVERT_MEMORY &&
           (!plan->source.is_over_bits || !plan->target.is_over_bits);
}

const char *permutation_text(const struct mapping_permutation *permutation) {
    const struct mapping_space space = {1, {{permutation->axis, permutation->count}}};
    return permutation->has_formula ? formula_text(&permutation->formula, &space) : NULL;
}

uint32_t fragment_bytes(const struct mapping_fragment *fragment) {
    return fragment->blocks * fragment->rows * fragment->cols * fragment->bits / 8;
}

bool folds_tmem_loads(const struct output *output, const struct style *style) {
    return output->folds && !style->excerpt.is_whole && (!style->brief || style->width > 0) &&
           style->question.kind == ASK_NOTHING;
}

void print_point(struct printer *to, const struct mapping_space *space, const uint32_t *point) {
    for (uint32_t a = 0; a < space->count; a++)
        print(to, a + 2 < space->count ? "%s%s %u" : "%s%s %2u", a ? ", " : "", space->axis[a].name,
              point[a]);
}

size_t count_lines(const struct printer *printed, size_t start) {
    size_t lines = 0;
    for (size_t n = start; n < printed->size; n++)
        lines += printed->text[n] == '\n';
    return lines;
}

size_t print_folded(struct printer *to, const char *word, bool is_first, size_t column,
                    size_t indent) {
    enum { WIDTH = 79 };
    const size_t start = is_first ? column : column + 2;
    size_t length = strlen(word);
    const bool fits = is_first || start + length + 1 <= WIDTH; /* a comma may follow */
    if (!fits)
        print(to, ",\n%*s", (int)indent, "");
    else
        print_text(to, is_first ? "" : ", ");
    size_t at = fits ? start : indent;
    for (size_t end; at + length + 1 > WIDTH; word += end, length -= end, at = indent) {
        for (end = at < WIDTH ? WIDTH - at : 0; end > 0 && word[end - 1] != ',';)
            end--;
        if (end == 0)
            break;
        print(to, "%.*s\n%*s", (int)end, word, (int)indent, "");
    }
    print_text(to, word);
    return at + length;
}

void print_listed(struct printer *to, const struct strings *words, size_t column, size_t indent) {
    for (size_t n = 0; n < words->count; n++)
        column = print_folded(to, words->text[n], n == 0, column, indent);
    print_char(to, '\n');
}

/* The position at which to break a line: after a word; in a formula, after an operator, preferably
 * outside of parentheses, or before its comment. 0 if there is no such position after `least`
 * characters. */
static size_t find_break(const char *line, size_t least, size_t width, bool is_formula) {
    size_t found = 0, inside = 0;
    unsigned depth = 0;
    for (size_t n = 0; n <= width; n++) {
        depth += line[n] == '(';
        depth -= line[n] == ')' && depth > 0;
        if (line[n] != ' ' || n <= least)
            continue;
        const bool is_operator = n > 1 && strchr("+^", line[n - 1]) && line[n - 2] == ' ';
        if (!is_formula || (depth == 0 && (is_operator || strncmp(line + n, " //", 3) == 0)))
            found = n;
        else if (is_operator)
            inside = n;
        if (is_formula && strncmp(line + n, " //", 3) == 0)
            break;
    }
    return found > 0 ? found : inside;
}

/* The indentation of continuation lines: that of the text after "key   ", or that of the line plus
 * two. Sets *comment to the comment sign that precedes the indentation. */
static size_t find_indent(const char *line, const char *end, const char **comment) {
    const size_t own = strspn(line, " #/"), key = own + strcspn(line + own, " \n");
    const size_t gap = strspn(line + key, " ");
    *comment = *line == '#' ? "#" : strncmp(line, "//", 2) == 0 ? "//" : "";
    return line + key < end && gap > 1 ? key + gap : own + 2;
}

void fold_lines(struct printer *page, size_t width) {
    struct printer folded = {.text = NULL};
    const char *end;
    if (page->size == 0)
        return;
    for (const char *line = printer_string(page); *line; line = end + 1) {
        const char *comment = "", *const sign = strstr(line, ": return ");
        end = line + strcspn(line, "\n");
        if (*end == '\0')
            return; /* the last line of the text may have no line break */
        const bool is_formula = sign && sign < end,
                   is_grid = memchr(line, '\033', (size_t)(end - line));
        const size_t indent = is_formula ? 4 : find_indent(line, end, &comment);
        size_t blanks = 0, place;
        while (!is_grid && (size_t)(end - line) + blanks > width && width > 2 * indent &&
               (place = find_break(line, blanks ? 1 : indent, width - blanks, is_formula)) > 0) {
            print(&folded, "%.*s\n", (int)place, line);
            blanks = indent;
            line += place + 1;
            print(&folded, "%s%*s", comment, (int)(indent - strlen(comment)), "");
        }
        print(&folded, "%.*s\n", (int)(end - line), line);
    }
    printer_free(page);
    *page = folded;
}

void csv_quoted(struct printer *to, const char *text) {
    print_char(to, '"');
    for (; *text; text++)
        print_text(to, *text == '"' ? "\"\"" : (const char[]){*text, '\0'});
    print_char(to, '"');
}

void print_markup(struct printer *to, const char *text, size_t length) {
    for (const char *end = text + length; text < end; text++) {
        if (*text == '&')
            print_text(to, "&amp;");
        else if (*text == '<' || *text == '>')
            print_text(to, *text == '<' ? "&lt;" : "&gt;");
        else
            print_char(to, *text);
    }
}

/* ---- Widths ---- */

void widths_text(const struct mapping_fragment *fragment, char text[WIDTHS_TEXT]) {
    enum {
        LONG = 4
    }; /* if there are at least this many widths with equal steps, print "8 to 256
          by 8" */
    const struct mapping_widths *widths = fragment->widths;
    *text = '\0';
    for (size_t w = 0, end; widths && w < widths->count; w = end) {
        const uint16_t *n = widths->n;
        mapping_append(text, WIDTHS_TEXT, "%s%u", w > 0 ? ", " : "", n[w]);
        for (end = w + 1; end < widths->count && n[end] - n[end - 1] == n[w + 1] - n[w];)
            end++;
        if (end - w >= LONG)
            mapping_append(text, WIDTHS_TEXT, " to %u by %d", n[end - 1], n[w + 1] - n[w]);
        else
            end = w + 1;
    }
}

void widths_print(struct printer *to, const struct mapping_fragment *fragment, char between) {
    const struct mapping_widths *widths = fragment->widths;
    for (size_t w = 0; widths && w < widths->count; w++) {
        if (w > 0)
            print_char(to, between);
        print_number(to, widths->n[w]);
    }
}
