/* html.c - a page to explore layouts: one file that fetches nothing. It contains the layouts as
 * JSON. Its scripts, the other files in this folder, draw everything from this JSON.
 *
 * For each coordinate, a layout stores what each bit of tid and of i contributes, lowest bit first;
 * the coordinate is the exclusive or of these and the base. wmma.m16n16k16.d.f32 is
 * {"from":[["tid",32],["i",8]],"to":[["row",16],...],
 * "at":[{"base":0,"step":0,"bits":[[0,0,1,2,4],[0,8,0]]},...],...}. An axis with 12 = 3 * 2^2
 * values has 2 bits; every 4 values, the coordinate grows by the step. */
#include "layout/f2.h"
#include "output/annotated.h"
#include "output/colors.h"
#include "output/json.h"
#include "report/facts.h"
#include "report/smem_report.h"
#include "report/view.h"

#include <stdlib.h>
#include <string.h>

/* page.css, page.html, and all scripts; see embedded.s. */
extern const char page_style[], page_body[], page_script[];

/* Entries that a layout has at most: each becomes a cell of the page. */
enum { PAGE_ENTRIES_MAX = 1 << 17 };

/* ---- What can be shown ---- */

static enum mapping_status check(const struct report *reports, size_t count,
                                 struct mapping_error *error) {
    for (size_t r = 0; r < count; r++) {
        size_t entries = mapping_layout_entries(&reports[r].forward.layout);
        if (entries > PAGE_ENTRIES_MAX)
            return mapping_fail(error, MAPPING_INVALID,
                                "a page shows at most %d elements of a layout, but %.80s has %zu",
                                PAGE_ENTRIES_MAX, reports[r].name, entries);
    }
    return MAPPING_OK;
}

/* ---- Layouts ---- */

/* Prints a coordinate as the contributions of bits, if these give its value at every entry;
 * otherwise as a table. */
static void print_coordinate(struct printer *to, const struct mapping_layout *layout, uint32_t c) {
    const struct mapping_layout alone = {.from = layout->from,
                                         .to = {.axis = {layout->to.axis[c]}, .count = 1},
                                         .coordinate = {layout->coordinate[c]}};
    struct bit_layout found;
    if (!mapping_bits_of_layout(&alone, &found)) {
        json_array(to, layout->coordinate[c], mapping_layout_entries(layout));
        return;
    }
    json(to, "{base:%u,step:%lld,bits:[", found.base, (long long)(int32_t)found.step);
    for (uint32_t a = 0; a < layout->from.count; a++) {
        json(to, "[");
        const uint32_t width = (uint32_t)__builtin_ctz(layout->from.axis[a].size);
        for (uint32_t bit = 0; bit < width; bit++)
            json(to, "%u", found.bits.column[found.first_in[a] + bit]);
        print_char(to, ']');
    }
    print_text(to, "]}");
}

static void print_space(struct printer *to, const char *key, const struct mapping_space *space) {
    json(to, "%s:[", key);
    for (uint32_t a = 0; a < space->count; a++)
        json(to, "[%s,%u]", space->axis[a].name, space->axis[a].size);
    print_char(to, ']');
}

/* Prints each formula with its remark, "" if it has none; null if there is no formula. */
static void print_formulae(struct printer *to, const struct derived *derived) {
    for (uint32_t c = 0; c < derived->layout.to.count; c++) {
        const char *text = derived_formula(derived, c);
        json(to, text ? "[%s,%s]" : "null", text, derived_remark(derived, c));
    }
}

/* Prints the size of the first period of a grid, and how the other cells are computed:
 * {"size":{"row":16,"col":8},"lines":["rows 16 to 63: T + 32 for each 16 rows",...]}; null if the
 * page shows all cells. */
static void print_fold(struct printer *to, const struct report *report) {
    const struct excerpt excerpt = {.is_whole = false};
    struct view view = view_of_report(report);
    if (!report->tmem && view.row_axis != view.col_axis)
        view_fold(&view, &excerpt, PARTS_STAY, 0);
    if (view.below.count == 0) {
        json(to, "fold:null");
        return;
    }
    json(to, "fold:{size:{%s:%u,%s:%u},lines:", view_axis(&view, VIEW_ROWS), view.rows,
         view_axis(&view, VIEW_COLS), view.cols);
    json_strings(to, &view.below);
    print_char(to, '}');
}

static void print_layout(struct printer *to, const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    const bool has_inverse = report_has_inverse(report);
    print_char(to, '{');
    print_space(to, "from", &layout->from);
    print_space(to, "to", &layout->to);
    json(to, "at:[");
    for (uint32_t c = 0; c < layout->to.count; c++)
        print_coordinate(to, layout, c);
    json(to, "],\nformulae:[");
    print_formulae(to, &report->forward);
    json(to, has_inverse ? "],copy:%s,inverse:[" : "],copy:null,inverse:[",
         report_copy_axis(report));
    if (has_inverse)
        print_formulae(to, report_inverse(report));
    if (report->has_choice)
        json(to, "],choice:%u,", report->choice);
    else
        json(to, "],choice:null,");
    print_fold(to, report);
    print_char(to, '}');
}

/* Prints the notes on a report as one text, a note per line. */
static void print_notes(struct printer *to, const struct report *report) {
    struct printer notes = {.text = NULL};
    const struct facts facts = facts_of(report);
    for (size_t f = 0; f < facts.count; f++)
        print(&notes, "%s\n", facts.fact[f].text);
    if (report->smem)
        print_descriptor(&notes, report);
    for (size_t s = 0; s < report->same.count; s++)
        print(&notes, "This is the layout of %s.\n", report->same.text[s]);
    if (report->nearly)
        print(&notes, "This is the layout of %s except at %zu entr%s.\n", report->nearly,
              report->differing, report->differing == 1 ? "y" : "ies");
    else if (report->is_of_file && report->same.count == 0)
        print_text(&notes, NOTHING_IS_THE_SAME);
    if (report->detail)
        print_facts(&notes, report, false, false);
    json(to, "%s", printer_string(&notes));
    printer_free(&notes);
}

/* The reports of a page. Many have the same tables: report r has those of report first[r]. */
struct drawn {
    const struct report *reports;
    size_t *first;
};

/* True if print_layout prints the same text for both. */
static bool has_same_tables(const struct report *a, const struct report *b) {
    return a->forward.layout.coordinate[0] == b->forward.layout.coordinate[0] &&
           a->inverse.layout.coordinate[0] == b->inverse.layout.coordinate[0] &&
           a->forward.formulae == b->forward.formulae &&
           a->inverse.formulae == b->inverse.formulae && a->tmem == b->tmem &&
           a->has_choice == b->has_choice && (!a->has_choice || a->choice == b->choice);
}

static struct drawn find_first(const struct report *reports, size_t count) {
    const struct drawn drawn = {reports, memory_get(count, sizeof *drawn.first)};
    size_t *distinct = memory_get(count, sizeof *distinct), found = 0;
    for (size_t r = 0; r < count; r++) {
        size_t n = 0;
        while (n < found && !has_same_tables(&reports[distinct[n]], &reports[r]))
            n++;
        if (n == found)
            distinct[found++] = r;
        drawn.first[r] = distinct[n];
    }
    mapping_free(distinct);
    return drawn;
}

/* Prints the page of a report, which print_data reads: the notes, a line break, and the layout if
 * no earlier report has the same. */
static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct drawn *drawn = context;
    const size_t r = (size_t)(report - drawn->reports);
    (void)style;
    print_notes(to, report);
    print_char(to, '\n');
    if (drawn->first[r] == r)
        print_layout(to, report);
}

/* ---- A pool of texts, each stored once ---- */

struct pooled {
    size_t start, size;
};

/* An empty pool is zeroed. */
struct pool {
    struct printer text; /* all items, separated by commas */
    struct pooled *items;
    size_t count, capacity;
};

/* Adds a text unless the pool has it. Returns its number. */
static uint32_t pool_add(struct pool *pool, const char *text, size_t size) {
    for (size_t n = 0; n < pool->count; n++)
        if (pool->items[n].size == size &&
            memcmp(pool->text.text + pool->items[n].start, text, size) == 0)
            return (uint32_t)n;
    pool->items = array_grow(pool->items, pool->count, 1, &pool->capacity, sizeof *pool->items);
    if (pool->count > 0)
        print_text(&pool->text, ",\n");
    pool->items[pool->count] = (struct pooled){pool->text.size, size};
    print_raw(&pool->text, text, size);
    return (uint32_t)pool->count++;
}

/* ---- Reports ---- */

/* Prints the members of a report, with the numbers of its layout and its notes in the pool. */
static void print_entry(struct printer *to, const struct report *report, uint32_t layout,
                        uint32_t notes) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    json(to, "\n{name:%s,arch:%u,layout:%u,notes:%u", report->name, report->arch, layout, notes);
    if (report->has_fragment) { /* a layout of Triton may have no type */
        uint32_t used[2];
        element_bits(fragment, used);
        json(to, "type:%s,bits:%u,used:[%u,%u]", mapping_type_name(fragment->type), fragment->bits,
             used[0], used[1]);
    }
    if (report->smem)
        json(to, "type:%s,bits:%u,bytes:%llu", report->smem->type, report->smem->bits,
             (unsigned long long)smem_bytes(report));
    json(to, "kind:%s}", report->smem ? "memory" : report->has_fragment ? "fragment" : "map");
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Prints the names of A, B and D of each opcode whose operands the page has:
 * ["mma.m16n8k16.a.f16","mma.m16n8k16.b.f16","mma.m16n8k16.d.f32"]; only A and D if B is in shared
 * memory. Opcodes with the same operands are printed once. */
static void print_products(struct printer *to, const struct report *reports, size_t count) {
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    struct mapping_opcode opcode;
    struct pool products = {.items = NULL};
    if (count < 2)
        return;
    const char **names = memory_get(count, sizeof *names);
    for (size_t r = 0; r < count; r++)
        names[r] = reports[r].name;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        struct printer product = {.text = NULL};
        size_t found = mapping_opcode_fragments(&opcode, fragments);
        bool has_a = false, has_d = false, has_all = true;
        for (size_t f = 0; f < found; f++) { /* in the order of operands */
            const enum mapping_operand operand = fragments[f].operand;
            char name[MAPPING_NAME_SIZE];
            const char *wanted = name;
            if (operand > MAPPING_D || operand == MAPPING_C)
                continue;
            mapping_fragment_name(&fragments[f], name);
            has_a |= operand == MAPPING_A;
            has_d |= operand == MAPPING_D;
            has_all = has_all && bsearch(&wanted, names, count, sizeof *names, compare_names);
            print(&product, "%s\"%s\"", product.size > 0 ? "," : "[", name);
        }
        print_char(&product, ']');
        if (has_a && has_d && has_all)
            pool_add(&products, product.text, product.size);
        printer_free(&product);
    }
    print_text(to, printer_string(&products.text));
}

/* Prints JSON for a script element: escapes each character that could end the element. */
static void print_for_script(struct printer *to, const char *json_text) {
    for (const char *c = json_text; *c; c++)
        if (strchr("<>&", *c))
            print(to, "\\u%04x", (unsigned)*c);
        else
            print_char(to, *c);
}

/* Prints all reports, their texts, and the forms of a listing. Takes the notes and the layout of
 * each report from its page, and frees the page. */
static void print_data(struct pages *pages, const struct drawn *drawn, size_t count,
                       const char *forms, const struct style *style) {
    const struct report *reports = drawn->reports;
    uint32_t *numbers = memory_get(count, sizeof *numbers); /* the index of each report's layout */
    struct printer data = {.text = NULL}, *to = &data;
    struct pool layouts = {.items = NULL}, texts = {.items = NULL};
    const char *by = color_by_name(style->grid.color_by);
    json(to, "{version:\"" MAPPING_VERSION "\",color:%s,reports:[", by ? by : "");
    for (size_t r = 0; r < count; r++) {
        struct printer *page = &pages->page[r + 1];
        const size_t size = (size_t)(strchr(page->text, '\n') - page->text);
        const uint32_t notes = pool_add(&texts, page->text, size);
        numbers[r] = drawn->first[r] < r
                         ? numbers[drawn->first[r]]
                         : pool_add(&layouts, page->text + size + 1, page->size - size - 1);
        printer_free(page);
        print_entry(to, &reports[r], numbers[r], notes);
    }
    mapping_free(numbers);
    json(to, "],\nproducts:[");
    print_products(to, reports, count);
    print(to, "],\n\"texts\":[%s]", printer_string(&texts.text));
    print(to, ",\n\"layouts\":[\n%s]%s}", printer_string(&layouts.text), forms);
    print_for_script(&pages->page[0], printer_string(to));
}

/* ---- The page ---- */

/* Prints the page up to its body. The title is that of the reports, or of a listing if there are
 * none. */
static void print_head(struct printer *to, const struct report *reports, size_t count) {
    print_text(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; "
                   "base-uri 'none'\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>mapping: ");
    if (count > 0)
        print_markup(to, reports[0].name, strlen(reports[0].name));
    else
        print_text(to, "a listing");
    if (count > 1)
        print(to, " and %zu more", count - 1);
    print_text(to, "</title>\n<style>\n");
    print_text(to, page_style);
    for (unsigned color = 0; color < COLORS; color++)
        print(to, ".c%u { background: #%06x; }\n", color, color_rgb(color));
    print_text(to, "</style>\n</head>\n");
}

/* Prints the data, and the scripts that draw it. `forms` is additional data of a listing. */
static void print_scripts(struct pages *pages, const struct drawn *drawn, size_t count,
                          const char *forms, const struct style *style) {
    struct printer *to = &pages->page[0];
    print_text(to, "<script type=\"application/json\" id=\"data\">");
    print_data(pages, drawn, count, forms, style);
    print_text(to, "</script>\n<script>\n(() => {\n");
    print_text(to, page_script);
    print_text(to, "})();\n</script>\n");
}

static const char page_end[] = "</body>\n</html>\n";

static void print_reports(struct pages *pages, struct report *reports, size_t count,
                          const struct style *style) {
    struct printer *to = &pages->page[0];
    const struct drawn drawn = find_first(reports, count);
    pages_print(pages, reports, count, style, print_report, &drawn, true);
    print_head(to, reports, count);
    print_text(to, page_body);
    print_scripts(pages, &drawn, count, "", style);
    print_text(to, page_end);
}

/* ---- Listings ---- */

static void begin_listing(struct printer *to) {
    print_head(to, NULL, 0);
    print_text(to, "<body>\n<pre id=\"listing\" aria-label=\"Listing\">\n");
}

static void print_listing_line(struct printer *to, const struct annotated_line *line) {
    const bool is_alone = annotated_count(line) == 1;
    if (line->is_first)
        begin_listing(to);
    if (!is_alone)
        print_markup(to, line->text, line->size);
    for (size_t n = 0; n < line->count; n++) {
        const struct annotated *one = &line->instructions[n];
        struct printer text = {.text = NULL};
        if (one->form->kind == FORM_UNKNOWN)
            continue;
        if (is_alone)
            print_raw(&text, line->text, line->size);
        print_annotation(&text, line, one, is_alone);
        if (one->form->number > 0) /* shows the form when the pointer is over it */
            print(to, "<span data-form=\"%zu\" tabindex=\"0\">", one->form->number - 1);
        print_markup(to, text.text, text.size);
        print_text(to, one->form->number > 0 ? "</span>" : "");
    }
    print_text(to, line->is_last && !*line->end ? "\n" : line->end);
}

/* Adds a report unless it was added before. Returns its number. */
static size_t add_report(struct report *reports, size_t *count, const struct report *report) {
    for (size_t r = 0; r < *count; r++)
        if (reports[r].arch == report->arch && strcmp(reports[r].name, report->name) == 0)
            return r;
    reports[*count] = *report;
    return (*count)++;
}

static void print_listing_end(struct printer *to, const struct listing_summary *summary,
                              const struct style *style) {
    struct printer text = {.text = NULL}, forms = {.text = NULL};
    struct pages pages;
    size_t count = 0;
    struct report *reports =
        memory_get(summary->reported_count * FORM_OPERANDS_MAX + 1, sizeof *reports);
    if (summary->printed == 0)
        begin_listing(to);
    listing_text_end(&text, summary, style);
    print_markup(to, text.text, text.size);
    print_text(to, "</pre>\n");
    print_text(&forms, ",\n\"forms\":[");
    for (size_t f = 0; f < summary->reported_count; f++) {
        const struct form *form = summary->reported[f];
        json(&forms, "[");
        for (size_t o = 0; o < form->count; o++)
            if (form->reports[o])
                json(&forms, "%zu", add_report(reports, &count, form->reports[o]));
        print_char(&forms, ']');
    }
    print_char(&forms, ']');
    if (count > 0) {
        const struct drawn drawn = find_first(reports, count);
        pages_init(&pages, count + 1);
        pages_print(&pages, reports, count, style, print_report, &drawn, false);
        print_text(to, page_body + strlen("<body>\n"));
        print_scripts(&pages, &drawn, count, printer_string(&forms), style);
        print_text(to, printer_string(&pages.page[0]));
    }
    print_text(to, page_end);
}

const struct output html_output = {
    .name = "html",
    .detail = DETAIL_OF_FRAGMENTS,
    .has_formulae = true,
    .has_descriptors = true,
    .has_listed_fragments = true,
    .is_picture = true,
    .tmem_loads = TMEM_LOADS_NUMBERED,
    .has_colors = true,
    .check = check,
    .reports = print_reports,
    .listing_line = print_listing_line,
    .listing_end = print_listing_end,
};
