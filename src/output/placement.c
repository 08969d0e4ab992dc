/* placement.c - a matrix in memory as text; see placement.h. */
#include "output/placement.h"

#include "layout/banks.h"
#include "output/lines.h"
#include "output/terminal_grid.h"
#include "report/section.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

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
    memory_enough(mapping_layout_init(&shown, &layout->from, &places, &ignored));
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

/* Lines as they are printed. */
struct picture {
    const struct memory_lines *lines;
    unsigned cell; /* characters */
};

/* The longest cell. */
static unsigned find_width(const struct memory_lines *lines) {
    char text[LINE_CELL_SIZE];
    size_t width = strlen("bank 31");
    for (size_t c = 0; c < lines->cells; c++) {
        lines_cell(lines, c, text);
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
    const struct memory_lines *lines = picture->lines;
    char text[LINE_CELL_SIZE];
    print(to, "%8s", "byte");
    for (uint32_t cell = first; cell < end; cell++) {
        snprintf(text, sizeof text, "bank %u",
                 placement_bank(lines->report->placement, cell * lines->run.count));
        print_cell(to, picture, text, cell + 1 == end);
    }
    for (size_t line = 0; line * lines->in_a_line < lines->cells; line++) {
        print(to, "%8zu", line * LINE_BYTES);
        for (uint32_t cell = first; cell < end; cell++) {
            lines_cell(lines, line * lines->in_a_line + cell, text);
            print_cell(to, picture, text, cell + 1 == end);
        }
    }
}

/* How many cells stand side by side: all of a line, unless the terminal is too narrow. */
static uint32_t cells_in_a_block(const struct picture *picture, unsigned width) {
    uint32_t cells = picture->lines->in_a_line;
    while (width > 0 && cells > 1 && 8 + cells * (picture->cell + 1) > width)
        cells /= 2;
    return cells;
}

static void print_addresses(struct printer *to, const struct report *report, unsigned width) {
    struct memory_lines lines;
    const char *refusal = lines_refusal(report);
    if (refusal) {
        print(to, "%s\n\n", refusal);
        return;
    }
    lines_init(&lines, report);
    struct picture picture = {&lines, find_width(&lines)};
    uint32_t cells = cells_in_a_block(&picture, width), all = lines_width(&lines);
    lines_title(to, &lines);
    print_text(to, ":\n");
    for (uint32_t first = 0; first < all; first += cells)
        print_block(to, &picture, first, first + cells < all ? first + cells : all);
    print_char(to, '\n');
}

/* ---- All of it ---- */

void print_extent(struct printer *to, const struct report *report) {
    const struct mapping_space *from = &report->forward.layout.from;
    for (uint32_t a = 0; a < from->count; a++)
        print(to, a ? " x %u" : "%u", from->axis[a].size);
    print(to, " elements of %s, %llu bytes\n", report->placement->type,
          (unsigned long long)placement_bytes(report));
}

/* True if the layout may be meant to map (thread, value) to elements of a fragment: its first mode
 * is one of several, and as large as a warp or a warpgroup. */
static bool may_be_tv(const struct report *report) {
    const uint32_t rows = report->forward.layout.from.axis[0].size;
    return strncmp(report->name, "((", 2) == 0 && report->forward.layout.from.count == 2 &&
           (rows == MAPPING_WARP || rows == 4 * MAPPING_WARP);
}

void print_placement(struct printer *to, const struct report *report, const struct style *style) {
    print_text(to, "# ");
    print_extent(to, report);
    if (may_be_tv(report))
        print_text(to,
                   "# shown as a matrix in memory; to compare a TV layout with a fragment, use\n"
                   "# FRAGMENT --verify=LAYOUT\n");
    print_elements(to, report, style);
    print_addresses(to, report, style->width);
}

/* Prints how an instruction reads the matrix, up to its offsets. */
static void print_reading(struct printer *to, const char *instruction, const char *field,
                          const struct mapping_descriptor *descriptor) {
    print(to, "%s reads it as %s-major", instruction, descriptor->is_k_major ? "K" : "MN");
    if (descriptor->swizzle_bytes > 0)
        print(to, " with a %u-byte swizzle", descriptor->swizzle_bytes);
    else
        print_text(to, " without a swizzle");
    if (descriptor->piece_bytes > 16)
        print(to, ", with %u-byte atomicity", descriptor->piece_bytes);
    print(to, " (bits %s: %u),\n", field, descriptor->mode);
    if (descriptor->has_leading)
        print(to, "leading byte offset %u, ", descriptor->leading_bytes);
    print(to, "stride byte offset %u", descriptor->stride_bytes);
    if (descriptor->stride_bytes == 0)
        print_text(to, " (the matrix has only one group of 8)");
}

/* Prints the columns at which instructions begin, if there are several. */
static void print_starts(struct printer *to, const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    uint32_t slice = placement_slice(report->placement), cols = layout->from.axis[1].size;
    if (cols <= slice)
        return;
    print(to, "Each instruction reads %u columns (its K); their slices begin at bytes", slice);
    for (uint32_t col = 0; col < cols; col += slice)
        print(to, "%s %u%s", col > 0 && col / slice % 8 == 4 ? "\n " : "",
              (unsigned)((uint64_t)layout->coordinate[0][col] * report->placement->bits / 8),
              col + slice < cols ? "," : ".\n");
}

/* Prints the base offset. */
static void print_base(struct printer *to, const struct mapping_descriptor *descriptor) {
    print_text(to, ",\nbase offset 0");
    if (descriptor->swizzle_bytes > 0)
        print(to, " if the start address is a multiple of %u bytes", 8 * descriptor->swizzle_bytes);
    print_text(to, ";\n");
}

/* Prints the rest of the descriptor of wgmma. */
static void print_value(struct printer *to, const struct mapping_descriptor *descriptor) {
    print_base(to, descriptor);
    print(to, "the descriptor for address 0 is 0x%016llx.\n",
          (unsigned long long)mapping_descriptor_value(descriptor));
}

/* Prints the rest of the descriptor of tcgen05.mma. */
static void print_tcgen05_value(struct printer *to, const struct mapping_descriptor *descriptor) {
    print_base(to, descriptor);
    print(to,
          "with bits 46-48 = 1, the descriptor for address 0 is 0x%016llx.\n"
          "Not confirmed on hardware.\n",
          (unsigned long long)mapping_tcgen05_descriptor_value(descriptor));
    if (descriptor->piece_bytes > 16)
        print_text(to, "The stride byte offset is the distance between groups of 4 columns "
                       "(CUTLASS 4.2);\nthe PTX ISA says groups of 8 columns for every swizzle.\n");
}

/* Says what the atom lacks of which only tcgen05.mma with 32 bits reads columns of rows. */
static void print_lacking(struct printer *to, const struct report *report) {
    static const char atom[] = "Layout_MN_SW128_32B_Atom";
    const struct mapping_space *from = &report->forward.layout.from;
    const uint32_t bits = report->placement->bits, slice = placement_slice(report->placement);
    if (strncmp(report->name, atom, sizeof atom - 1) != 0 || from->count != 2)
        return;
    if (bits != 32)
        print_text(to, "\nInstructions read only 32-bit types with this swizzle, such as tf32.\n");
    else if (from->axis[1].size < slice)
        print(to, "\nOne instruction needs %u columns: an extent of %u,%u.\n", slice,
              from->axis[0].size, slice);
}

void print_descriptor(struct printer *to, const struct report *report) {
    const struct placement *placement = report->placement;
    if (!placement->has_descriptor && !placement->has_tcgen05)
        print_lacking(to, report);
    if (!placement->has_descriptor && !placement->has_tcgen05)
        return;
    print_char(to, '\n');
    if (placement->has_descriptor) {
        print_reading(to, "wgmma", "62-63", &placement->descriptor);
        print_value(to, &placement->descriptor);
    }
    if (placement->has_tcgen05) {
        print_reading(to, "tcgen05.mma", "61-63", &placement->tcgen05);
        print_tcgen05_value(to, &placement->tcgen05);
    }
    if (!placement->has_descriptor || !placement->has_tcgen05)
        print(to, "%s cannot read this layout.\n",
              placement->has_descriptor ? "tcgen05.mma" : "wgmma");
    print_starts(to, report);
}
