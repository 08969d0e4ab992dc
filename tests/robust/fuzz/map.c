/* map.c - fuzzes CSV tables: a table that is read, written and read again is the same layout, and
 * its deduced formulae give the table. A first line "outputs=..." names its outputs. */
#include "fuzz.h"

#include "report/table.h"
#include "system/system.h"

enum { ENTRIES_MAX = 1 << 12 };

static void print_names(struct printer *to, const struct mapping_space *space, bool is_first) {
    for (uint32_t a = 0; a < space->count; a++, is_first = false)
        print(to, "%s%s", is_first ? "" : ",", space->axis[a].name);
}

/* Writes a layout as a table. */
static char *table_of(const struct mapping_layout *layout, struct printer *to) {
    print_names(to, &layout->from, true);
    print_names(to, &layout->to, false);
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(&layout->from, n, point);
        for (uint32_t a = 0; a < layout->from.count; a++)
            print(to, "%s%u", a == 0 ? "\n" : ",", point[a]);
        for (uint32_t c = 0; c < layout->to.count; c++)
            print(to, ",%u", layout->coordinate[c][n]);
    }
    return printer_string(to);
}

static void check_again(const struct mapping_layout *layout) {
    struct printer text = {.text = NULL}, outputs = {.text = NULL};
    struct table again;
    struct mapping_error error = {""};
    print_names(&outputs, &layout->to, true);
    const char *csv = table_of(layout, &text);
    enum mapping_status status = table_read(csv, printer_string(&outputs), &again, &error);
    if (status != MAPPING_OK)
        fprintf(stderr, "%s\n%s\n", csv, error.message);
    must(status == MAPPING_OK, "a table that is written can be read");
    must(layout_equal(layout, &again.layout), "it is the same layout");
}

static void check_formulae(const struct mapping_layout *layout) {
    for (uint32_t c = 0; c < layout->to.count; c++) {
        struct mapping_formula formula;
        if (!mapping_deduce(&layout->from, layout->coordinate[c], &formula))
            continue;
        for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
            uint32_t point[MAPPING_AXES_MAX];
            mapping_space_point(&layout->from, n, point);
            must(mapping_formula_evaluate(&formula, layout->from.count, point) ==
                     layout->coordinate[c][n],
                 "a formula that is deduced gives every entry");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char start[] = "outputs=";
    char *copy = text_of(data, size), *text = copy;
    const char *outputs =
        strncmp(text, start, sizeof start - 1) == 0 ? cut_line(&text) + sizeof start - 1 : NULL;
    struct table table;
    struct mapping_error error = {""};
    enum mapping_status status = table_read(text ? text : "", outputs, &table, &error);
    must(status == MAPPING_OK || status == MAPPING_INVALID, "a table is one or not");
    must_say_why(status, &error);
    if (status == MAPPING_OK && mapping_layout_entries(&table.layout) <= ENTRIES_MAX) {
        check_again(&table.layout);
        check_formulae(&table.layout);
    }
    memory_release();
    free(copy);
    return 0;
}
