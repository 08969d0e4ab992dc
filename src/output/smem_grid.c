/* smem_grid.c - a matrix in shared memory, as text and as a picture. It is shown by element,
 * with offset and bank, and by address, in lines of 128 bytes, which contain one word of each bank:
 *
 *        byte bank 0      bank 4     bank 8    ...
 *           0 (0, 0..7)  (0, 8..15) (0, 16..23) ... */
#include "output/output.h"

#include "output/picture/figure.h"
#include "report/facts.h"
#include "smem/matrix_descriptor.h"

#include <string.h>

/* ---- Lines of 128 bytes ---- */

/* The size of a line. */
enum { LINE_BYTES = 128, LINE_BITS = LINE_BYTES * 8 };

/* Consecutive elements in memory that are also consecutive along `axis` of the matrix. Memory
 * consists of whole runs, and gaps of the same size. `count` is a power of two; a run has at most
 * 16 bytes. */
struct run {
    uint32_t count, axis;
};

struct memory_lines {
    const struct report *report;
    uint32_t *holders;  /* the element at each offset; UINT32_MAX if there is none */
    struct run run;     /* the elements of one cell */
    uint32_t in_a_line; /* number of cells in a full line */
    size_t cells;       /* number of cells up to the last element; the last cell has a whole run or
                           is empty */
};

/* The reason why a matrix is not shown by address, as a sentence; NULL if it is shown. */
static const char *lines_refusal(const struct report *report) {
    if (report->smem->repeats > 0)
        return "Not shown by address: several elements share each offset.";
    if (smem_is_wide(report))
        return "Not shown by address: most of the memory is empty.";
    if (LINE_BITS % report->smem->bits != 0)
        return "Not shown by address: 128 bytes are not a whole number of 6-bit elements.";
    return NULL;
}

/* True if at every multiple of `count` offsets there are `count` consecutive elements along an
 * axis, or none. The axis has `size` elements, whose entries are `stride` apart. */
static bool is_run(const struct mapping_layout *layout, const uint32_t *holders, uint32_t count,
                   uint32_t stride, uint32_t size) {
    const size_t offsets = layout->to.axis[0].size;
    for (size_t first = 0; first < offsets; first += count) {
        const uint32_t holder = holders[first];
        const bool is_none = holder == UINT32_MAX;
        if (!is_none && (holder / stride % size + count > size || offsets - first < count))
            return false;
        for (uint32_t place = 1; place < count && place < offsets - first; place++)
            if (holders[first + place] != (is_none ? UINT32_MAX : holder + place * stride))
                return false;
    }
    return true;
}

static struct run find_run(const struct report *report, const uint32_t *holders) {
    const struct mapping_layout *layout = &report->forward.layout;
    uint32_t stride = 1, axes = layout->from.count;
    struct run best = {1, axes - 1};
    for (uint32_t a = axes; a-- > axes - 2; stride *= layout->from.axis[a].size)
        for (uint32_t count = 2; count * report->smem->bits <= 128; count *= 2)
            if (count > best.count &&
                is_run(layout, holders, count, stride, layout->from.axis[a].size))
                best = (struct run){count, a};
    return best;
}

/* Makes the lines of a matrix that lines_refusal() accepts. */
static void lines_init(struct memory_lines *lines, const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    const size_t offsets = layout->to.axis[0].size;
    uint32_t *holders = memory_get(offsets, sizeof *holders);
    memset(holders, 0xff, offsets * sizeof *holders);
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        holders[layout->coordinate[0][n]] = (uint32_t)n;
    const struct run run = find_run(report, holders);
    *lines = (struct memory_lines){
        .report = report,
        .holders = holders,
        .run = run,
        .in_a_line = LINE_BITS / (report->smem->bits * run.count),
        .cells = (offsets + run.count - 1) / run.count,
    };
}

static uint32_t lines_width(const struct memory_lines *lines) {
    return lines->cells < lines->in_a_line ? (uint32_t)lines->cells : lines->in_a_line;
}

/* The first element of a cell, as the number of its row and column; UINT32_MAX if it is empty. */
static uint32_t lines_holder(const struct memory_lines *lines, size_t cell) {
    size_t offset = cell * lines->run.count;
    bool is_behind = offset >= lines->report->forward.layout.to.axis[0].size;
    return is_behind ? UINT32_MAX : lines->holders[offset];
}

/* The elements in a cell: "(0, 8..15)", "(8..15, 0)", "(3, 5)"; "-" if it is empty. */
static const char *cell_text(const struct memory_lines *lines, size_t cell) {
    const struct mapping_layout *layout = &lines->report->forward.layout;
    const struct run *run = &lines->run;
    struct printer to = {.text = NULL};
    uint32_t point[MAPPING_AXES_MAX], holder = lines_holder(lines, cell);
    if (holder == UINT32_MAX)
        return "-";
    mapping_space_point(&layout->from, holder, point);
    for (uint32_t a = 0; a < layout->from.count; a++) {
        print(&to, "%s%u", a ? ", " : "(", point[a]);
        if (a == run->axis && run->count > 1)
            print(&to, "..%u", point[a] + run->count - 1);
    }
    print_char(&to, ')');
    return printer_string(&to);
}

/* Prints the title of the lines: "By address, 128 bytes per line; each cell shows (row, cols)". */
static void lines_title(struct printer *to, const struct memory_lines *lines) {
    const struct mapping_space *from = &lines->report->forward.layout.from;
    print(to, "By address, %d bytes per line; each cell shows (", LINE_BYTES);
    for (uint32_t a = 0; a < from->count; a++)
        print(to, "%s%s%s", a ? ", " : "", from->axis[a].name,
              a == lines->run.axis && lines->run.count > 1 ? "s" : "");
    print_char(to, ')');
}

/* ---- As text ---- */

/* Shows only the first element of each 16 bytes, if a swizzle moves these as a whole, and no
 * shorter pattern repeats along the row or the column. */
static void join_chunks(struct view *view, const struct report *report,
                        const struct excerpt *excerpt, uint32_t wraps) {
    enum { CHUNK_BITS = 128 };
    struct memory_lines lines;
    struct mapping_grid grid;
    if (!view_can_fold(view, excerpt) || lines_refusal(report))
        return;
    lines_init(&lines, report);
    const uint32_t count = lines.run.count;
    const uint32_t d = lines.run.axis == view->row_axis ? VIEW_ROWS : VIEW_COLS;
    if (excerpt->has[d] || count < 2 || count * report->smem->bits != CHUNK_BITS ||
        !view_grid(view, wraps, &grid) || grid.size[d] % count != 0 ||
        mapping_period_find(&grid, d, 1, count).size <= count)
        return;
    const char *word = mapping_axis_word(view_axis(view, d));
    view_join(view, d, count);
    strings_add(&view->below,
                memory_format("each cell: the first of %u %ss (%d bytes), offset + 1 for each %s",
                              count, word, CHUNK_BITS / 8, word));
}

void fold_smem_grid(struct view *view, const struct report *report, const struct style *style,
                    uint32_t wraps) {
    view_crop(view, &style->excerpt);
    if (!style->grid.cells || style->excerpt.tight >= TIGHT_CUT)
        join_chunks(view, report, &style->excerpt, wraps);
    view_fold(view, &style->excerpt, PARTS_OF_LARGE, wraps);
}

/* Prints a grid of offsets and a grid of banks, or one grid of both, "offset:bank". */
static void print_elements(struct printer *to, const struct report *report,
                           const struct style *style) {
    const struct mapping_layout *layout = &report->forward.layout;
    const uint32_t bank = style->grid.cells, offset = !bank; /* grids begin with the last axis */
    struct mapping_space places = {.count = 2};
    places.axis[bank] = (struct mapping_axis){"bank", BANKS};
    places.axis[offset] = layout->to.axis[0];
    struct mapping_layout shown;
    struct mapping_error ignored;
    mapping_layout_init(&shown, &layout->from, &places, &ignored);
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        shown.coordinate[bank][n] = smem_bank(report->smem, layout->coordinate[0][n]);
        shown.coordinate[offset][n] = layout->coordinate[0][n];
    }
    struct view view = view_of_report(report);
    view.shown = &shown;
    fold_smem_grid(&view, report, style, 1U << bank);
    grids_print(to, &view, report->smem->bits, &style->grid, style->width);
    mapping_layout_free(&shown);
}

/* Prints a cell, padded with blanks unless it is the last of its line. */
static void print_cell(struct printer *to, const char *text, int width, bool is_last) {
    if (is_last)
        print(to, " %s\n", text);
    else
        print(to, " %-*s", width, text);
}

/* Finds the period of the lines of a large matrix. */
static struct mapping_period find_line_period(const struct memory_lines *lines,
                                              const struct excerpt *excerpt) {
    const struct mapping_space *from = &lines->report->forward.layout.from;
    const uint32_t width = lines_width(lines);
    const struct mapping_space places = {
        .count = 2,
        .axis = {{"line", (uint32_t)((lines->cells + width - 1) / width)}, {"cell", width}}};
    const struct view view = view_of_report(lines->report);
    struct mapping_layout table;
    struct mapping_error ignored;
    struct mapping_period period = {.size = places.axis[0].size};
    const uint32_t most = excerpt->tight ? FOLD_LEAST : FOLD_MOST;
    if (!view_can_fold(&view, excerpt) || period.size <= most ||
        mapping_layout_init(&table, &places, from, &ignored) != MAPPING_OK)
        return period;
    for (size_t cell = 0; cell < lines->cells; cell++) {
        const uint32_t holder = lines_holder(lines, cell);
        uint32_t point[MAPPING_AXES_MAX];
        if (holder != UINT32_MAX)
            mapping_space_point(from, holder, point);
        for (uint32_t a = 0; a < from->count && holder != UINT32_MAX; a++)
            table.coordinate[a][cell] = point[a];
    }
    const struct mapping_grid grid = {
        .layout = &table, .count = 2, .size = {places.axis[0].size, width}, .stride = {width, 1}};
    period = mapping_period_find(&grid, 0, FOLD_LEAST, most);
    mapping_layout_free(&table);
    return period;
}

/* Prints how the omitted lines are computed: "bytes 1024 to 8191: row + 8 for each 1024 bytes". */
static void print_line_period(struct printer *to, const struct memory_lines *lines,
                              const struct mapping_period *period) {
    const struct mapping_space *from = &lines->report->forward.layout.from;
    const uint64_t bytes = smem_bytes(lines->report);
    for (uint32_t l = 0; l < period->levels; l++) {
        const struct mapping_repeat *repeat = &period->level[l];
        const uint64_t end = (uint64_t)repeat->end * LINE_BYTES;
        print(to, "bytes %u to %llu: ", repeat->period * LINE_BYTES,
              (unsigned long long)(end < bytes ? end : bytes) - 1);
        print(to, "%s for each %u bytes\n", growth_text(from, repeat->growth, 0),
              repeat->period * LINE_BYTES);
    }
}

/* Prints which parts of truncated lines are omitted: "--whole also shows banks 8 to 31, and bytes
 * 1024 to 4219". */
static void print_cut(struct printer *to, const struct memory_lines *lines, uint32_t block,
                      size_t first_line) {
    const uint32_t cells = lines_width(lines);
    const bool has_banks = block < cells, has_bytes = first_line < SIZE_MAX;
    if (!has_banks && !has_bytes)
        return;
    print_text(to, "--whole also shows ");
    if (has_banks)
        print(to, "banks %u to %u%s", smem_bank(lines->report->smem, block * lines->run.count),
              BANKS - 1, has_bytes ? ", and " : "");
    if (has_bytes)
        print(to, "bytes %zu to %llu", first_line * LINE_BYTES,
              (unsigned long long)smem_bytes(lines->report) - 1);
    print_char(to, '\n');
}

/* Prints the elements in each line of 128 bytes, in several blocks of columns if the terminal is
 * too narrow for one. */
static void print_lines(struct printer *to, const struct report *report,
                        const struct style *style) {
    struct memory_lines lines;
    const char *refusal = lines_refusal(report);
    size_t cell = strlen("bank 31"); /* characters */
    if (!refusal && style->excerpt.tight >= TIGHT_LEFT_OUT)
        refusal = "Not shown by address: the screen is full; --whole shows it.";
    if (refusal) {
        print(to, "%s\n\n", refusal);
        return;
    }
    lines_init(&lines, report);
    if (report->smem->scales.kind && lines.in_a_line > LINE_BYTES / 16)
        return; /* its elements do not fit lines of 128 bytes, or it has too many cells */
    const struct mapping_period period = find_line_period(&lines, &style->excerpt);
    const bool is_cut = style->excerpt.tight == TIGHT_CUT;
    const uint32_t size = is_cut && period.size > FOLD_LEAST ? FOLD_LEAST : period.size;
    const size_t count = (size_t)size * lines.in_a_line, /* number of cells */
        shown = count < lines.cells ? count : lines.cells;
    for (size_t c = 0; c < shown; c++) {
        const size_t length = strlen(cell_text(&lines, c));
        cell = length > cell ? length : cell;
    }
    uint32_t in_a_block = lines.in_a_line;
    const uint32_t all = lines_width(&lines);
    while (style->width > 0 && in_a_block > 1 && 8 + in_a_block * (cell + 1) > style->width)
        in_a_block /= 2;
    lines_title(to, &lines);
    print_text(to, ":\n");
    for (uint32_t first = 0; first < all && (!is_cut || first == 0); first += in_a_block) {
        const uint32_t end = first + in_a_block < all ? first + in_a_block : all;
        print(to, "%8s", "byte");
        for (uint32_t c = first; c < end; c++) {
            const uint32_t bank = smem_bank(report->smem, c * lines.run.count);
            print_cell(to, memory_format("bank %u", bank), (int)cell, c + 1 == end);
        }
        for (size_t line = 0; line * lines.in_a_line < shown; line++) {
            print(to, "%8zu", line * LINE_BYTES);
            for (uint32_t c = first; c < end; c++)
                print_cell(to, cell_text(&lines, line * lines.in_a_line + c), (int)cell,
                           c + 1 == end);
        }
    }
    if (size == period.size)
        print_line_period(to, &lines, &period);
    if (is_cut)
        print_cut(to, &lines, in_a_block, size < period.size ? size : SIZE_MAX);
    print_char(to, '\n');
}

void print_smem_grid(struct printer *to, const struct report *report, const struct style *style) {
    const uint32_t rows = report->forward.layout.from.axis[0].size;
    /* If the first mode of a layout is nested and as large as a warp or a warpgroup, the user may
     * have meant a TV layout, which maps (thread, value) to elements of a fragment. */
    if (strncmp(report->name, "((", 2) == 0 && report->forward.layout.from.count == 2 &&
        (rows == MAPPING_WARP || rows == 4 * MAPPING_WARP))
        print_text(to,
                   "# shown as a matrix in memory; to compare a TV layout with a fragment, use\n"
                   "# FRAGMENT --verify=LAYOUT\n");
    print_elements(to, report, style);
    print_lines(to, report, style);
}

/* Prints a descriptor, and how the instruction reads the matrix with it. For the second
 * instruction, prints only the differences from the first. */
static void print_reader(struct printer *to, enum mapping_reader reader,
                         const struct mapping_descriptor *descriptor, bool is_second) {
    const bool is_tcgen05 = reader == READER_TCGEN05;
    struct strings words = {.count = 0};
    strings_add(&words, memory_format("%s: 0x%016llx", is_tcgen05 ? "tcgen05.mma" : "wgmma",
                                      (unsigned long long)descriptor->value));
    if (!is_second) {
        strings_add(&words, descriptor->is_k_major ? "K-major" : "MN-major");
        strings_add(&words, descriptor->swizzle_bytes > 0
                                ? memory_format("%u-byte swizzle", descriptor->swizzle_bytes)
                                : "no swizzle");
    }
    if (descriptor->piece_bytes > 16)
        strings_add(&words, memory_format("%u-byte atomicity", descriptor->piece_bytes));
    strings_add(&words,
                memory_format("bits %s are %u%s", is_tcgen05 ? "61-63" : "62-63", descriptor->mode,
                              is_tcgen05 ? "; not confirmed on hardware" : ""));
    print_listed(to, &words, 0, 2);
    const char *note = smem_stride_note(descriptor, '\n');
    if (note)
        print(to, "%s\n", note);
}

/* Prints the fields that all readers share. */
static void print_fields(struct printer *to, const struct smem_report *smem,
                         const struct mapping_descriptor *descriptor) {
    const char *stride = memory_format("stride byte offset %u%s", descriptor->stride_bytes,
                                       descriptor->stride_bytes ? "" : " (only one group of 8)");
    const char *leading = memory_format("leading byte offset %u", descriptor->leading_bytes);
    const bool has_leading = descriptor->has_leading;
    struct strings words = {.count = 0};
    strings_add(&words, memory_format(smem->address ? "for address 0x%x; %s" : "for address %u; %s",
                                      smem->address, has_leading ? leading : stride));
    strings_add(&words, has_leading ? stride : "leading byte offset unused (1)");
    print_listed(to, &words, 0, 2);
}

/* If there are several stages, prints where they begin: their distance, or the address of each. */
static void print_stages(struct printer *to, const struct report *report) {
    const uint32_t stages = smem_stages(report), first = smem_slice_start(report, 0, 0);
    if (stages == 1)
        return;
    const uint32_t apart = smem_slice_start(report, 1, 0) - first;
    uint32_t stage = 1;
    while (stage < stages && smem_slice_start(report, stage, 0) == first + stage * apart)
        stage++;
    if (stage == stages && apart < UINT32_MAX / 2) {
        print(to, "%u stages, %u bytes apart: add 0x%x to the descriptor for each stage\n", stages,
              apart, apart / 16);
        return;
    }
    struct strings words = {.count = 0};
    strings_add(&words,
                memory_format("%u stages: bytes %u", stages, report->smem->address + first));
    for (stage = 1; stage < stages; stage++)
        strings_add(&words, memory_format("%u", report->smem->address +
                                                    smem_slice_start(report, stage, 0)));
    print_listed(to, &words, 0, 2);
}

/* Prints when the base offset is 0, and, if there are several, the first bytes that instructions
 * read. */
static void print_starts(struct printer *to, const struct report *report,
                         const struct mapping_descriptor *descriptor) {
    const struct smem_report *smem = report->smem;
    const uint32_t slices = smem_slices(report);
    struct printer line = {.text = NULL};
    print(&line, "base offset %u", mapping_base_offset(descriptor->swizzle_bytes, smem->address));
    if (descriptor->swizzle_bytes > 0 && !smem->has_address)
        print(&line, " at multiples of %u", 8 * descriptor->swizzle_bytes);
    if (slices > 1)
        print(&line, "; K steps of %u %s: bytes %u", smem_slice(smem),
              smem->is_k_by_mn ? "rows" : "columns",
              smem->address + smem_slice_start(report, 0, 0));
    struct strings words = {.count = 0};
    strings_add(&words, printer_string(&line));
    for (uint32_t slice = 1; slice < slices; slice++)
        strings_add(&words,
                    memory_format("%u", smem->address + smem_slice_start(report, 0, slice)));
    print_listed(to, &words, 0, 2);
}

/* Says why no instruction can read a matrix that has an atom for one. */
static void print_lack(struct printer *to, const struct report *report) {
    uint32_t cols;
    const char *text = smem_lack(report, &cols);
    if (cols > 0)
        print(to, "\n%s; --extent=%u,%u shows them.\n", text,
              report->forward.layout.from.axis[0].size, cols);
    else if (text)
        print(to, "\n%s.\n", text);
}

void print_descriptor(struct printer *to, const struct report *report) {
    const struct smem_report *smem = report->smem;
    const bool *has = smem->has_descriptor;
    if (!has[READER_WGMMA] && !has[READER_TCGEN05]) {
        print_lack(to, report);
        return;
    }
    const struct mapping_descriptor *first =
        &smem->descriptor[has[READER_WGMMA] ? READER_WGMMA : READER_TCGEN05];
    print_char(to, '\n');
    for (enum mapping_reader r = READER_WGMMA; r < READERS; r++)
        if (has[r])
            print_reader(to, r, &smem->descriptor[r], &smem->descriptor[r] != first);
    if (!has[READER_WGMMA] || !has[READER_TCGEN05])
        print(to, "%s cannot read this layout.\n", has[READER_WGMMA] ? "tcgen05.mma" : "wgmma");
    print_fields(to, smem, first);
    print_starts(to, report, first);
    print_stages(to, report);
}

/* ---- As a picture, by element ---- */

/* The banks of `bits` bits from `first_bit` on: "3", "4-7". */
static const char *banks_text(uint64_t first_bit, uint64_t bits) {
    enum { BANK_BITS = BANK_BYTES * 8 };
    unsigned first = (unsigned)(first_bit / BANK_BITS % BANKS);
    unsigned last = (unsigned)((first_bit + bits - 1) / BANK_BITS % BANKS);
    return memory_format(first == last ? "%u" : "%u-%u", first, last);
}

/* Adds the matrix, or one stage of it. Each cell has the offset and the bank. */
static struct panel *add_elements(struct figure *figure, const struct report *report,
                                  const struct view *view, uint32_t part, const bool *marked) {
    const struct smem_report *smem = report->smem;
    struct panel *panel = figure_add_panel(figure, view->rows, view->cols);
    const uint32_t joined =
        view->joined[VIEW_ROWS] + view->joined[VIEW_COLS];              /* one of them is 0 */
    const uint64_t bits = (uint64_t)smem->bits * (joined ? joined : 1); /* size of a cell in bits */
    const char *title = view->outer_count > 0 ? view_part_title(view, part, 0) : NULL;
    panel->title = memory_format(title ? "By element, %s" : "By element", title);
    panel->row_axis = view->shown->from.axis[view->row_axis].name;
    panel->col_axis = view->shown->from.axis[view->col_axis].name;
    for (uint32_t row = 0; row < view->rows && view->row_numbers; row++)
        panel->row_labels[row] = memory_format("%u", view_row(view, row));
    for (uint32_t col = 0; col < view->cols && view->col_numbers; col++)
        panel->col_labels[col] = memory_format("%u", view_col(view, col));
    for (uint32_t row = 0; row < view->rows; row++)
        for (uint32_t col = 0; col < view->cols; col++) {
            const size_t element = view_entry(view, view_part_start(view, part), row, col);
            const uint32_t offset = view->shown->coordinate[0][element];
            const uint64_t bit = (uint64_t)offset * smem->bits;
            *figure_cell(panel, row, col) = (struct cell){
                .text = memory_format("%u\nb%s", offset, banks_text(bit, bits)),
                .color = (uint8_t)color_of(COLOR_BY_BANK, smem_bank(smem, offset), 0),
                .is_marked = marked && marked[element],
            };
        }
    return panel;
}

/* ---- As a picture, by address ---- */

/* The meaning of a color: a run of elements. If one run spans its whole axis, an index along the
 * other axis. */
static struct run find_pieces(const struct memory_lines *lines) {
    const struct mapping_space *from = &lines->report->forward.layout.from;
    uint32_t axis = lines->run.axis, last = from->count - 1;
    if (from->axis[axis].size > lines->run.count)
        return lines->run;
    return (struct run){1, axis == last ? last - 1 : last};
}

/* Adds the lines of 128 bytes. Each cell has the elements at its addresses. */
static struct panel *add_addresses(struct figure *figure, const struct memory_lines *lines,
                                   size_t rows, const bool *marked) {
    const struct mapping_layout *layout = &lines->report->forward.layout;
    const struct run pieces = find_pieces(lines);
    const uint64_t bits = (uint64_t)lines->run.count * lines->report->smem->bits;
    const size_t cells =
        rows * lines->in_a_line < lines->cells ? rows * lines->in_a_line : lines->cells;
    struct panel *panel = figure_add_panel(figure, (uint32_t)rows, lines_width(lines));
    struct printer title = {.text = NULL};
    lines_title(&title, lines);
    panel->title = printer_string(&title);
    panel->row_axis = "byte";
    panel->col_axis = "bank";
    for (uint32_t col = 0; col < panel->cols; col++)
        panel->col_labels[col] = banks_text(col * bits, bits);
    for (uint32_t row = 0; row < panel->rows; row++)
        panel->row_labels[row] = memory_format("%u", row * LINE_BYTES);
    for (size_t number = 0; number < cells; number++) {
        const uint32_t holder = lines_holder(lines, number);
        uint32_t point[MAPPING_AXES_MAX], piece;
        panel->cells[number].color = COLOR_NONE;
        panel->cells[number].is_hatched = holder == UINT32_MAX && lines->report->smem->scales.kind;
        if (holder == UINT32_MAX)
            continue;
        mapping_space_point(&layout->from, holder, point);
        piece = point[pieces.axis] / pieces.count;
        panel->cells[number].text = cell_text(lines, number);
        /* Adjacent pieces differ in hue. */
        panel->cells[number].color = (uint8_t)(piece % HUES * SHADES + piece / HUES % SHADES);
    }
    for (size_t n = 0; marked && n < mapping_layout_entries(layout); n++)
        if (marked[n])
            panel->cells[layout->coordinate[0][n] / lines->run.count].is_marked = true;
    return panel;
}

static void print_pieces(struct printer *to, const struct memory_lines *lines) {
    const struct run run = find_pieces(lines);
    const struct mapping_axis *axis = &lines->report->forward.layout.from.axis[run.axis];
    print(to, "By address, cells of the same color hold elements of ");
    if (run.count > 1)
        print(to, "the same %u %ss", run.count, mapping_axis_word(axis->name));
    else
        print(to, "the same %s", mapping_axis_word(axis->name));
    if (axis->size / run.count > COLORS)
        print(to, "; colors repeat every %u", COLORS * run.count);
    print_text(to, ". Cells below each other are in the same banks.\n");
    if (smem_padding(lines->report) > 0)
        print_text(to, "Hatched cells are padding.\n");
}

/* Adds a matrix in memory, with at most `across_most` stages side by side. If it `is_narrow`, the
 * lines are placed below the matrix. */
static void add_memory(struct figure *figure, const struct report *report, const bool *marked,
                       const struct style *style, uint32_t across_most, bool is_narrow) {
    const struct view all = view_of_report(report);
    struct view view = all;
    const char *refusal = lines_refusal(report);
    struct printer legend = {.text = NULL};
    uint32_t across = 1;
    struct style shown = *style;
    shown.excerpt.is_whole |= marked != NULL; /* any element may be an answer */
    fold_smem_grid(&view, report, &shown, 0);
    const uint32_t stages = view.parts;
    const struct facts facts = facts_of(report);
    for (size_t f = 0; f < facts.count; f++)
        if (fact_is_of_matrix(report, &facts.fact[f]))
            print(&legend, "%s\n", facts.fact[f].text);
    print(&legend,
          "By element, each cell shows the offset in elements, and the bank of shared memory, b0 "
          "to b%u. Colors show the bank; four neighboring banks share a hue.\n",
          BANKS - 1);
    print_strings(&legend, &view.below);
    /* Stages stand in a square of panels, unless there are very many. */
    while (across * across < stages && across < across_most)
        across++;
    for (uint32_t stage = 0; stage < stages; stage++) {
        struct panel *panel = add_elements(figure, report, &view, stage, marked);
        panel->across = stage % across;
        panel->down = stage / across;
    }
    if (refusal) {
        print_text(&legend, refusal);
    } else {
        /* The lines are beside one matrix that is at most twice as wide as high; otherwise below
         * it. */
        const bool is_beside = stages == 1 && view.cols <= 2 * view.rows && !is_narrow;
        struct memory_lines lines;
        lines_init(&lines, report);
        const struct mapping_period period = find_line_period(&lines, &shown.excerpt);
        uint32_t rows = period.size;
        if (rows > FOLD_ABOVE && view_can_fold(&all, &shown.excerpt)) {
            rows = FOLD_MOST;
            print_cut(&legend, &lines, lines_width(&lines), rows);
        } else {
            print_line_period(&legend, &lines, &period);
        }
        print_pieces(&legend, &lines);
        if (!is_beside)
            figure_arrange(figure, false);
        add_addresses(figure, &lines, rows, marked)->across = is_beside;
    }
    figure_arrange(figure, false);
    figure_add_caption(figure, CAPTION_NOTE, printer_string(&legend));
}

void draw_memory(struct figure *figure, const struct report *report, const bool *marked,
                 const struct style *style) {
    enum { ACROSS_MAX = 8 };
    const struct figure before = *figure;
    add_memory(figure, report, marked, style, ACROSS_MAX, false);
    for (uint32_t across = ACROSS_MAX;
         across > 0 && figure->width > PICTURE_WIDTH && !figure->is_whole; across /= 2) {
        figure_return(figure, &before);
        figure->splits = true;
        add_memory(figure, report, marked, style, across, true);
    }
    figure->splits = before.splits;
}
