/* placement.c - a matrix in memory as text; see placement.h. */
#include "output/placement.h"

#include "layout/banks.h"
#include "output/terminal_grid.h"
#include "report/section.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a line, which has a word of each bank. */
enum { LINE_BITS = BANKS * BANK_BYTES * 8, CELL_SIZE = 64 };

/* ---- By element ---- */

/* Prints the grids of offsets and of banks, or the one of both, "offset:bank". */
static void print_elements(struct printer *to, const struct report *report,
                           const struct style *style) {
    const struct mapping_layout *layout = &report->forward.layout;
    const uint32_t bank = style->cells, offset = !bank; /* grids begin with the last axis */
    struct mapping_space places = {.count = 2};
    places.axis[bank] = (struct mapping_axis){"bank", BANKS};
    places.axis[offset] = layout->to.axis[0];
    struct mapping_layout shown;
    struct mapping_error ignored;
    if (mapping_layout_init(&shown, &layout->from, &places, &ignored) != MAPPING_OK) {
        to->failed = true;
        return;
    }
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        shown.coordinate[bank][n] = placement_bank(report->placement, layout->coordinate[0][n]);
        shown.coordinate[offset][n] = layout->coordinate[0][n];
    }
    const struct view view = view_of(&shown, false);
    if (style->is_framed || style->cells)
        print_framed_grids(to, &view, report->placement->bits, style);
    else
        section_grids_of(to, &shown);
    mapping_layout_free(&shown);
}

/* ---- By address ---- */

/* What the picture of addresses is made of. */
struct picture {
    const struct report *report;
    const uint32_t *holders;
    struct run run;
    uint32_t in_a_line; /* cells: runs, or offsets */
    unsigned cell;      /* characters */
};

/* Writes what lies in a run of offsets: "(0, 8..15)", "(8..15, 0)", "(3, 5)"; "-" for nothing. */
static void write_cell(const struct picture *picture, size_t offset, char text[CELL_SIZE]) {
    const struct mapping_layout *layout = &picture->report->forward.layout;
    uint32_t point[MAPPING_AXES_MAX];
    size_t length = 0;
    snprintf(text, CELL_SIZE, "-");
    if (offset >= layout->to.axis[0].size || picture->holders[offset] == UINT32_MAX)
        return;
    mapping_space_point(&layout->from, picture->holders[offset], point);
    for (uint32_t a = 0; a < layout->from.count && length < CELL_SIZE; a++) {
        length +=
            (size_t)snprintf(text + length, CELL_SIZE - length, "%s%u", a ? ", " : "(", point[a]);
        if (a == picture->run.axis && picture->run.count > 1 && length < CELL_SIZE)
            length += (size_t)snprintf(text + length, CELL_SIZE - length, "..%u",
                                       point[a] + picture->run.count - 1);
    }
    if (length < CELL_SIZE)
        snprintf(text + length, CELL_SIZE - length, ")");
}

static size_t count_cells(const struct picture *picture) {
    size_t offsets = picture->report->forward.layout.to.axis[0].size;
    return (offsets + picture->run.count - 1) / picture->run.count;
}

/* The longest cell. */
static unsigned find_width(const struct picture *picture) {
    char text[CELL_SIZE];
    size_t width = strlen("bank 31");
    for (size_t c = 0; c < count_cells(picture); c++) {
        write_cell(picture, c * picture->run.count, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (unsigned)width;
}

/* Prints a cell, and blanks behind it where another one follows. */
static void print_cell(struct printer *to, const struct picture *picture, const char *text,
                       bool is_last) {
    if (is_last)
        print(to, " %s\n", text);
    else
        print(to, " %-*s", (int)picture->cell, text);
}

/* Prints some of the cells of every line, and above them their banks. */
static void print_block(struct printer *to, const struct picture *picture, uint32_t first,
                        uint32_t end) {
    const struct placement *placement = picture->report->placement;
    char text[CELL_SIZE];
    print(to, "%8s", "byte");
    for (uint32_t cell = first; cell < end; cell++) {
        snprintf(text, sizeof text, "bank %u",
                 placement_bank(placement, cell * picture->run.count));
        print_cell(to, picture, text, cell + 1 == end);
    }
    for (size_t line = 0; line * picture->in_a_line < count_cells(picture); line++) {
        print(to, "%8zu", line * (LINE_BITS / 8));
        for (uint32_t cell = first; cell < end; cell++) {
            write_cell(picture, (line * picture->in_a_line + cell) * picture->run.count, text);
            print_cell(to, picture, text, cell + 1 == end);
        }
    }
}

/* How many cells stand side by side: all of a line, unless the terminal is too narrow. */
static uint32_t cells_in_a_block(const struct picture *picture, unsigned width) {
    uint32_t cells = picture->in_a_line;
    while (width > 0 && cells > 1 && 8 + cells * (picture->cell + 1) > width)
        cells /= 2;
    return cells;
}

/* What a cell says, where it is about several elements. */
static void print_title(struct printer *to, const struct picture *picture) {
    const struct mapping_space *from = &picture->report->forward.layout.from;
    print_text(to, "By address, 128 bytes in a line: (");
    for (uint32_t a = 0; a < from->count; a++)
        print(to, "%s%s%s", a ? ", " : "", from->axis[a].name,
              a == picture->run.axis && picture->run.count > 1 ? "s" : "");
    print_text(to, "):\n");
}

static void print_addresses(struct printer *to, const struct report *report, unsigned width) {
    if (placement_is_wide(report)) {
        print_text(to, "By address: most of the memory is empty.\n\n");
        return;
    }
    uint32_t *holders = placement_holders(report);
    struct picture picture = {.report = report, .holders = holders};
    if (!holders) {
        to->failed = true;
        return;
    }
    picture.run = placement_run(report, holders);
    picture.in_a_line = LINE_BITS / (report->placement->bits * picture.run.count);
    picture.cell = find_width(&picture);
    uint32_t cells = cells_in_a_block(&picture, width), all = picture.in_a_line;
    if (count_cells(&picture) < all)
        all = (uint32_t)count_cells(&picture);
    print_title(to, &picture);
    for (uint32_t first = 0; first < all; first += cells)
        print_block(to, &picture, first, first + cells < all ? first + cells : all);
    print_char(to, '\n');
    free(holders);
}

/* ---- All of it ---- */

void print_placement(struct printer *to, const struct report *report, const struct style *style) {
    const struct mapping_space *from = &report->forward.layout.from;
    const struct placement *placement = report->placement;
    print_text(to, "# ");
    for (uint32_t a = 0; a < from->count; a++)
        print(to, a ? " x %u" : "%u", from->axis[a].size);
    print(to, " elements of %s, %llu bytes\n", placement->type,
          (unsigned long long)placement_bytes(report));
    print_elements(to, report, style);
    print_addresses(to, report, style->width);
}

void print_descriptor(struct printer *to, const struct report *report) {
    const struct placement *placement = report->placement;
    const struct mapping_descriptor *descriptor = &placement->descriptor;
    const struct mapping_layout *layout = &report->forward.layout;
    uint32_t slice = placement_slice(placement), cols = layout->from.axis[1].size;
    if (!placement->has_descriptor)
        return;
    print(to, "\nwgmma reads it as %s-major, ", descriptor->is_k_major ? "K" : "MN");
    if (descriptor->swizzle_bytes > 0)
        print(to, "with the swizzle of %u bytes", descriptor->swizzle_bytes);
    else
        print_text(to, "without swizzle");
    print(to, " (bits 62-63: %u),\n", descriptor->mode);
    if (descriptor->has_leading)
        print(to, "leading byte offset %u, ", descriptor->leading_bytes);
    print(to, "stride byte offset %u.\n", descriptor->stride_bytes);
    if (cols <= slice)
        return;
    print(to, "K of one instruction is %u columns; they begin at bytes", slice);
    for (uint32_t col = 0; col < cols; col += slice)
        print(to, "%s %u%s", col > 0 && col / slice % 8 == 4 ? "\n " : "",
              layout->coordinate[0][col] * placement->bits / 8, col + slice < cols ? "," : ".\n");
}
