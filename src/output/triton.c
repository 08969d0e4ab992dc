/* triton.c - layouts as Triton's attribute #ttg.linear: where each bit of the register, the lane
 * and the warp goes, all combined by exclusive or. */
#include "output/output.h"

#include "report/section.h"

#include <string.h>

/* Threads of a warp: bits of tid above them number the warp. */
enum { LANES = 32 };

static bool is_power(uint32_t size) {
    return (size & (size - 1)) == 0;
}

/* True if each bit of the source contributes to the target by itself. */
static bool is_linear(const struct mapping_layout *layout) {
    size_t entries = mapping_layout_entries(layout);
    for (uint32_t a = 0; a < layout->from.count; a++)
        if (!is_power(layout->from.axis[a].size))
            return false;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const uint32_t *value = layout->coordinate[c];
        for (size_t bit = 1; bit < entries; bit *= 2)
            for (size_t n = 0; n < bit; n++)
                if (value[bit + n] != (value[bit] ^ value[n]))
                    return false;
        if (value[0] != 0 || !is_power(layout->to.axis[c].size))
            return false;
    }
    return true;
}

/* True if it is what threads hold, and linear. */
static bool can_show(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    return layout->from.count == 2 && strcmp(layout->from.axis[0].name, MAPPING_AXIS_TID) == 0 &&
           strcmp(layout->from.axis[1].name, MAPPING_AXIS_I) == 0 && is_linear(layout);
}

/* Prints the bases of the bits from `first` to `end` - 1 of the number of an entry. */
static void print_bases(struct printer *to, const struct mapping_layout *layout, const char *name,
                        size_t first, size_t end) {
    print(to, "%s = [", name);
    for (size_t bit = first; bit < end; bit *= 2) {
        print_text(to, bit > first ? ", [" : "[");
        for (uint32_t c = 0; c < layout->to.count; c++)
            print(to, c ? ", %u" : "%u", layout->coordinate[c][bit]);
        print_char(to, ']');
    }
    print_text(to, "], ");
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *first) {
    const struct mapping_layout *layout = &report->forward.layout;
    (void)style;
    if (report != first)
        print_char(to, '\n');
    section_header(to, report);
    if (!can_show(report)) {
        print_text(to, "# no linear layout of tid and i, as Triton has them\n");
        return;
    }
    size_t elements = layout->from.axis[1].size, threads = layout->from.axis[0].size;
    size_t lanes = threads < LANES ? threads : LANES;
    print_text(to, "#ttg.linear<{");
    print_bases(to, layout, "register", 1, elements);
    print_bases(to, layout, "lane", elements, elements * lanes);
    print_bases(to, layout, "warp", elements * lanes, elements * threads);
    print_text(to, "block = []}>\n");
}

static void print_reports(struct pages *pages, const struct report *reports, size_t count,
                          const struct style *style) {
    pages_print(pages, reports, count, style, print_report, reports);
}

const struct output triton_output = {
    .name = "triton",
    .can_show = can_show,
    .reports = print_reports,
};
