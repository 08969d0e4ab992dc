/* lines.c - a matrix in memory by address; see lines.h. */
#include "output/lines.h"

#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE_BITS = LINE_BYTES * 8 };

const char *lines_refusal(const struct report *report) {
    if (placement_is_wide(report))
        return "Not shown by address: most of the memory is empty.";
    if (LINE_BITS % report->placement->bits != 0)
        return "Not shown by address: 128 bytes are not a whole number of 6-bit elements.";
    return NULL;
}

void lines_init(struct memory_lines *lines, const struct report *report) {
    size_t offsets = report->forward.layout.to.axis[0].size;
    *lines = (struct memory_lines){.report = report, .holders = placement_holders(report)};
    lines->run = placement_run(report, lines->holders);
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
