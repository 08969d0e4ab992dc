/* html.c - a page to explore layouts in: one file that fetches nothing. It has the layouts as data,
 * of which the script in page/ makes everything that is seen. */
#include "layout/sentence.h"
#include "output/colors.h"
#include "output/detail.h"
#include "output/page/html_data.h"
#include "output/placement.h"
#include "report/facts.h"
#include "report/placement.h"
#include "report/view.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files in page/, embedded. */
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

/* ---- The data ---- */

/* What is said of a report beside its layout: lines of text. */
static void print_notes(struct printer *to, const struct report *report) {
    struct facts facts = {.count = 0};
    facts_add(&facts, report);
    facts_print(to, &facts, "", 0);
    if (report->placement)
        print_descriptor(to, report);
    for (size_t s = 0; s < report->same.count; s++)
        print(to, "This is the layout of %s.\n", report->same.text[s]);
    if (report->nearly)
        print(to, "This is the layout of %s except at %zu entries.\n", report->nearly,
              report->differing);
    if (report->detail)
        print_facts(to, report);
}

/* Adds the notes to the texts. Returns their number. */
static uint32_t add_notes(struct pool *texts, const struct report *report) {
    struct printer notes = {.text = NULL}, quoted = {.text = NULL};
    print_notes(&notes, report);
    html_string(&quoted, printer_string(&notes));
    const uint32_t number = pool_add(texts, quoted.text, quoted.size);
    printer_free(&notes);
    printer_free(&quoted);
    return number;
}

/* Prints which layout a report has, and what is said of it. */
static void print_entry(struct printer *to, const struct report *report, uint32_t layout,
                        uint32_t notes) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    print_text(to, "{\"name\":");
    html_string(to, report->name);
    print(to, ",\"arch\":%u,\"layout\":%u,\"notes\":%u", report->arch, layout, notes);
    if (report->has_fragment)
        print(to, ",\"type\":\"%s\",\"bits\":%u", mapping_type_name(fragment->type),
              fragment->bits);
    if (report->placement)
        print(to, ",\"type\":\"%s\",\"bits\":%u,\"bytes\":%llu", report->placement->type,
              report->placement->bits, (unsigned long long)placement_bytes(report));
    print(to, ",\"kind\":\"%s\"}",
          report->placement      ? "memory"
          : report->has_fragment ? "fragment"
                                 : "map");
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Prints A, B and D of each opcode whose operands the page has, by their names:
 * ["mma.m16n8k16.a.f16","mma.m16n8k16.b.f16","mma.m16n8k16.d.f32"]; A and D alone if B is in shared
 * memory. Opcodes with the same operands print them once. */
static void print_products(struct printer *to, const struct report *reports, size_t count) {
    static const enum mapping_operand operands[] = {MAPPING_A, MAPPING_B, MAPPING_D};
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
        char product[3 * (MAPPING_NAME_SIZE + 4)] = "";
        size_t found = mapping_opcode_fragments(&opcode, fragments);
        bool has_a = false, has_d = false, has_all = true;
        for (size_t o = 0; o < sizeof operands / sizeof *operands; o++)
            for (size_t f = 0; f < found; f++) {
                char name[MAPPING_NAME_SIZE];
                const char *wanted = name;
                if (fragments[f].operand != operands[o])
                    continue;
                mapping_fragment_name(&fragments[f], name);
                has_a |= operands[o] == MAPPING_A;
                has_d |= operands[o] == MAPPING_D;
                has_all = has_all && bsearch(&wanted, names, count, sizeof *names, compare_names);
                mapping_append(product, sizeof product, "%s\"%s\"", *product ? "," : "[", name);
                break;
            }
        mapping_append(product, sizeof product, "]");
        if (has_a && has_d && has_all)
            pool_add(&products, product, strlen(product));
    }
    pool_print(to, &products);
}

/* Prints all reports and their texts. Each one's layout is on its page, which is emptied. */
static void print_data(struct pages *pages, const struct report *reports, size_t count,
                       const struct style *style) {
    struct printer *to = &pages->page[0];
    struct pool layouts = {.items = NULL}, texts = {.items = NULL};
    const char *by = color_by_name(style->color_by);
    print_text(to, "{\"version\":\"" MAPPING_VERSION "\",\"color\":");
    html_string(to, by ? by : "");
    print_text(to, ",\"reports\":[");
    for (size_t r = 0; r < count; r++) {
        struct printer *page = &pages->page[r + 1];
        const uint32_t layout = pool_add(&layouts, page->text, page->size);
        const uint32_t notes = add_notes(&texts, &reports[r]);
        printer_free(page);
        print_text(to, r ? ",\n" : "\n");
        print_entry(to, &reports[r], layout, notes);
    }
    print_text(to, "],\n\"products\":[");
    print_products(to, reports, count);
    print_text(to, "],\n\"texts\":[");
    pool_print(to, &texts);
    print_text(to, "],\n\"layouts\":[\n");
    pool_print(to, &layouts);
    print_text(to, "]}");
}

/* ---- The page ---- */

static void print_head(struct printer *to, const struct report *reports, size_t count) {
    print_text(to, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                   "style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; "
                   "base-uri 'none'\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>mapping: ");
    print_markup(to, reports[0].name, strlen(reports[0].name));
    if (count > 1)
        print(to, " and %zu more", count - 1);
    print_text(to, "</title>\n<style>\n");
    print_text(to, page_style);
    for (unsigned color = 0; color < COLORS; color++)
        print(to, ".c%u { background: #%06x; }\n", color, color_rgb(color));
    print_text(to, "</style>\n</head>\n");
}

static void print_layout(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    (void)style, (void)context;
    html_layout(to, report);
}

static void print_reports(struct pages *pages, const struct report *reports, size_t count,
                          const struct style *style) {
    struct printer *to = &pages->page[0];
    pages_print(pages, reports, count, style, print_layout, NULL);
    print_head(to, reports, count);
    print_text(to, page_body);
    print_text(to, "<script type=\"application/json\" id=\"data\">");
    print_data(pages, reports, count, style);
    print_text(to, "</script>\n<script>\n(() => {\n");
    print_text(to, page_script);
    print_text(to, "})();\n</script>\n</body>\n</html>\n");
}

const struct output html_output = {
    .name = "html",
    .detail = DETAIL_OF_FRAGMENTS,
    .has_formulae = true,
    .is_picture = true,
    .series = SERIES_NUMBERED,
    .has_colors = true,
    .check = check,
    .reports = print_reports,
};
