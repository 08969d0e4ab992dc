/* lines.c - a matrix in memory by address; see lines.h. */
#include "output/lines.h"

#include "layout/sentence.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BITS = LINE_BYTES * 8 };

const char *lines_refusal(const struct report *report) {
    if (placement_is_wide(report))
        return "Not shown by address: most of the memory is empty.";
    if (LINE_BITS % report->placement->bits != 0)
        return "Not shown by address: 128 bytes are not a whole number of 6-bit elements.";
    return NULL;
}

/* Makes the table of which element lies at each offset, UINT32_MAX for none. */
static uint32_t *find_holders(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    size_t size = layout->to.axis[0].size;
    uint32_t *holders = memory_get(size, sizeof *holders);
    memset(holders, 0xff, size * sizeof *holders);
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        holders[layout->coordinate[0][n]] = (uint32_t)n;
    return holders;
}

/* True if so many elements stand along the axis at every multiple of as many offsets; entries along
 * it are `stride` apart. */
static bool is_run(const struct mapping_layout *layout, const uint32_t *holders, uint32_t count,
                   uint32_t stride, uint32_t size) {
    size_t offsets = layout->to.axis[0].size;
    for (size_t n = 0; n < offsets; n++) {
        size_t first = n - n % count, place = n % count;
        if (place == 0 && (holders[n] == UINT32_MAX || holders[n] / stride % size + count <= size))
            continue;
        bool is_none = holders[first] == UINT32_MAX;
        if (place == 0 ||
            (is_none ? holders[n] != UINT32_MAX : holders[n] != holders[first] + place * stride))
            return false;
    }
    /* The last one has to be whole. */
    size_t rest = offsets % count;
    return rest == 0 || holders[offsets - rest] == UINT32_MAX;
}

static struct run find_run(const struct report *report, const uint32_t *holders) {
    const struct mapping_layout *layout = &report->forward.layout;
    uint32_t stride = 1, axes = layout->from.count;
    struct run best = {1, axes - 1};
    for (uint32_t a = axes; a-- > axes - 2; stride *= layout->from.axis[a].size)
        for (uint32_t count = 2; count * report->placement->bits <= 128; count *= 2)
            if (count > best.count &&
                is_run(layout, holders, count, stride, layout->from.axis[a].size))
                best = (struct run){count, a};
    return best;
}

void lines_init(struct memory_lines *lines, const struct report *report) {
    size_t offsets = report->forward.layout.to.axis[0].size;
    *lines = (struct memory_lines){.report = report, .holders = find_holders(report)};
    lines->run = find_run(report, lines->holders);
    lines->in_a_line = LINE_BITS / (report->placement->bits * lines->run.count);
    lines->cells = (offsets + lines->run.count - 1) / lines->run.count;
}

uint32_t lines_width(const struct memory_lines *lines) {
    return lines->cells < lines->in_a_line ? (uint32_t)lines->cells : lines->in_a_line;
}

uint32_t lines_holder(const struct memory_lines *lines, size_t cell) {
    size_t offset = cell * lines->run.count;
    bool is_behind = offset >= lines->report->forward.layout.to.axis[0].size;
    return is_behind ? UINT32_MAX : lines->holders[offset];
}

void lines_cell(const struct memory_lines *lines, size_t cell, char text[LINE_CELL_SIZE]) {
    const struct mapping_layout *layout = &lines->report->forward.layout;
    const struct run *run = &lines->run;
    uint32_t point[MAPPING_AXES_MAX], holder = lines_holder(lines, cell);
    if (holder == UINT32_MAX) {
        snprintf(text, LINE_CELL_SIZE, "-");
        return;
    }
    *text = '\0';
    mapping_space_point(&layout->from, holder, point);
    for (uint32_t a = 0; a < layout->from.count; a++) {
        mapping_append(text, LINE_CELL_SIZE, "%s%u", a ? ", " : "(", point[a]);
        if (a == run->axis && run->count > 1)
            mapping_append(text, LINE_CELL_SIZE, "..%u", point[a] + run->count - 1);
    }
    mapping_append(text, LINE_CELL_SIZE, ")");
}

void lines_title(struct printer *to, const struct memory_lines *lines) {
    const struct mapping_space *from = &lines->report->forward.layout.from;
    print(to, "By address, %d bytes per line; each cell shows (", LINE_BYTES);
    for (uint32_t a = 0; a < from->count; a++)
        print(to, "%s%s%s", a ? ", " : "", from->axis[a].name,
              a == lines->run.axis && lines->run.count > 1 ? "s" : "");
    print_char(to, ')');
}
