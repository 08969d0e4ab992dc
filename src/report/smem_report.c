/* smem_report.c - reports of matrices in memory: the formulae of both directions, and descriptors;
 * see smem_report.h. */
#include "report/smem_report.h"

#include "layout/cute_layout.h"
#include "layout/expr.h"
#include "report/derive.h"
#include "smem/banks.h"
#include "smem/matrix_descriptor.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t smem_bytes(const struct report *report) {
    uint64_t bits = (uint64_t)report->forward.layout.to.axis[0].size * report->smem->bits;
    return (bits + 7) / 8;
}

uint32_t smem_bank(const struct smem_report *smem, uint32_t offset) {
    return (uint32_t)((uint64_t)offset * smem->bits / ((uint64_t)8 * BANK_BYTES) % BANKS);
}

uint32_t smem_slice(const struct smem_report *smem) {
    enum { SLICE_BITS = 256 }; /* PTX ISA, wgmma and tcgen05.mma: K of their shapes is 32 bytes */
    return SLICE_BITS / smem->bits;
}

uint32_t smem_slices(const struct report *report) {
    const struct smem_report *smem = report->smem;
    const struct mapping_space *from = &report->forward.layout.from;
    return from->axis[from->count - (smem->is_k_by_mn ? 2 : 1)].size / smem_slice(smem);
}

uint32_t smem_stages(const struct report *report) {
    const struct mapping_space *from = &report->forward.layout.from;
    return from->count > 2 ? from->axis[0].size : 1;
}

uint32_t smem_slice_start(const struct report *report, uint32_t stage, uint32_t slice) {
    const struct mapping_layout *layout = &report->forward.layout;
    const uint32_t cols = layout->from.axis[layout->from.count - 1].size;
    const size_t step = report->smem->is_k_by_mn ? cols : 1;
    const size_t entry = step * slice * smem_slice(report->smem) +
                         mapping_layout_entries(layout) / smem_stages(report) * stage;
    return (uint32_t)((uint64_t)layout->coordinate[0][entry] * report->smem->bits / 8);
}

/* Transposes a layout. The caller frees the new table, turned->coordinate[0]. */
static void turn(const struct mapping_layout *layout, struct mapping_layout *turned) {
    const uint32_t rows = layout->from.axis[0].size, cols = layout->from.axis[1].size;
    *turned = *layout;
    turned->from.axis[0].size = cols;
    turned->from.axis[1].size = rows;
    turned->coordinate[0] = memory_get(mapping_layout_entries(layout), sizeof(uint32_t));
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t col = 0; col < cols; col++)
            turned->coordinate[0][(size_t)col * rows + row] =
                layout->coordinate[0][(size_t)row * cols + col];
}

/* Finds the descriptors of one stage. Keeps those of the first stage. Removes the descriptor of an
 * instruction if another stage needs a different one. */
static enum mapping_status find_descriptors(struct report *report, uint32_t stage,
                                            struct mapping_error *error) {
    struct smem_report *smem = report->smem;
    struct mapping_layout layout = report->forward.layout; /* rows and columns of the stage */
    layout.coordinate[0] += mapping_layout_entries(&layout) / smem_stages(report) * stage;
    if (layout.from.count > 2)
        layout.from = (struct mapping_space){2, {layout.from.axis[1], layout.from.axis[2]}};
    struct mapping_smem_matrix memory = {.layout = layout, .bits = smem->bits};
    enum mapping_status status = MAPPING_OK;
    if (smem->is_k_by_mn)
        turn(&layout, &memory.layout);
    for (enum mapping_reader r = READER_WGMMA; r < READERS && status == MAPPING_OK; r++) {
        struct mapping_descriptor found;
        const uint64_t start = UINT64_C(0x3fff), first = smem->descriptor[r].value;
        if (stage > 0 && !smem->has_descriptor[r])
            continue;
        smem->has_descriptor[r] = mapping_smem_matrix_descriptor(&memory, r, &found);
        if (!smem->has_descriptor[r])
            continue;
        status = mapping_descriptor_place(&found, smem->address, smem_slice_start(report, stage, 0),
                                          error);
        if (stage == 0)
            smem->descriptor[r] = found;
        else
            smem->has_descriptor[r] = (found.value & ~start) == (first & ~start);
    }
    if (smem->is_k_by_mn)
        mapping_free(memory.layout.coordinate[0]);
    return status;
}

enum mapping_status smem_find_descriptors(struct report *report, struct mapping_error *error) {
    struct smem_report *smem = report->smem;
    enum mapping_status status = MAPPING_OK;
    for (uint32_t stage = 0; stage < smem_stages(report) && status == MAPPING_OK; stage++)
        status = find_descriptors(report, stage, error);
    if (status != MAPPING_OK && !smem->has_address) /* the address of a stage is too large for a
                                                       descriptor */
        smem->has_descriptor[READER_WGMMA] = smem->has_descriptor[READER_TCGEN05] = false;
    return smem->has_address ? status : MAPPING_OK;
}

uint32_t smem_padding(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    return report->smem->scales.kind
               ? layout->to.axis[0].size - (uint32_t)mapping_layout_entries(layout)
               : 0;
}

bool smem_is_wide(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    return report->smem->repeats > 0 ||
           (!report->smem->scales.kind &&
            layout->to.axis[0].size > 4096 + 4 * mapping_layout_entries(layout));
}

/* ---- Quotients ---- */

/* A digit of a coordinate: offset / stride % shape. It counts `weight` times. */
struct digit {
    uint32_t shape, stride, weight, axis;
};

static int by_stride(const void *a, const void *b) {
    const struct digit *one = a, *other = b;
    return one->stride != other->stride ? (one->stride > other->stride ? 1 : -1) : 0;
}

/* Collects the digits of all coordinates, and sorts them by stride. False if they overlap. */
static bool collect_digits(const struct mapping_cute *cute, struct digit *digits, size_t *count) {
    *count = 0;
    for (uint32_t a = 0; a < cute->count; a++) {
        uint32_t weight = 1;
        for (uint32_t m = 0; m < cute->axis[a].count; m++) {
            digits[(*count)++] =
                (struct digit){cute->axis[a].shape[m], cute->axis[a].stride[m], weight, a};
            weight *= cute->axis[a].shape[m];
        }
    }
    qsort(digits, *count, sizeof *digits, by_stride);
    uint64_t reached = 0;
    for (size_t d = 0; d < *count; d++) {
        if (digits[d].stride <= reached)
            return false;
        reached += (uint64_t)(digits[d].shape - 1) * digits[d].stride;
    }
    return true;
}

/* The formula of one coordinate: "offset / 72", "offset % 72 / 8 + offset / 512 * 8". */
static char *quotient_text(const struct digit *digits, size_t count, uint32_t axis) {
    struct printer to = {.text = NULL};
    for (size_t d = 0; d < count; d++) {
        const struct digit *digit = &digits[d];
        if (digit->axis != axis)
            continue;
        print(&to, "%soffset", to.size > 0 ? " + " : "");
        if (d + 1 < count)
            print(&to, " %% %u", digits[d + 1].stride);
        if (digit->stride > 1)
            print(&to, " / %u", digit->stride);
        if (digit->weight > 1)
            print(&to, " * %u", digit->weight);
    }
    print_text(&to, to.size > 0 ? "" : "0");
    return printer_string(&to);
}

/* True if the expression maps the offset of every element to its coordinate. */
static bool leads_back(const char *text, const struct mapping_layout *layout, uint32_t axis) {
    const struct mapping_space from = {1, {{MAPPING_AXIS_OFFSET, layout->to.axis[0].size}}};
    struct mapping_program *program = mapping_program_make(&from, 0);
    struct mapping_error ignored;
    enum mapping_status status = mapping_program_parse(program, text, &ignored);
    int name = status == MAPPING_OK ? mapping_program_find(program, MAPPING_RESULT) : -1;
    bool holds = name >= 0;
    for (size_t first = 0; first < mapping_layout_entries(layout) && holds;
         first += MAPPING_POINTS) {
        struct mapping_points entries, offsets;
        int64_t says[1][MAPPING_POINTS];
        unsigned undefined;
        mapping_points_from(&layout->from, first, &entries);
        offsets.mask = entries.mask;
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            offsets.coordinate[0][n] = entries.mask >> n & 1 ? layout->coordinate[0][first + n] : 0;
        holds = mapping_program_evaluate(program, &offsets, &name, 1, says, &undefined, &ignored) ==
                MAPPING_OK;
        for (unsigned n = 0; n < MAPPING_POINTS && holds; n++)
            holds = !(entries.mask >> n & 1) || says[0][n] == entries.coordinate[axis][n];
    }
    mapping_free(program);
    return holds;
}

/* Finds formulae of quotients for the coordinates of the inverse that have no formula of bits. Uses
 * the layout in CuTe's notation. False if a coordinate gets none. */
static bool find_quotients(struct report *report, const struct mapping_cute *cute) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct digit digits[MAPPING_AXES_MAX * MAPPING_MODES] = {{0}};
    size_t count = 0;
    if (cute->swizzle.bits > 0 || !collect_digits(cute, digits, &count))
        return false;
    for (uint32_t c = 0; c < layout->from.count; c++) {
        struct deduced *deduced = &report->inverse.formulae[c];
        if (deduced->found)
            continue;
        char *text = quotient_text(digits, count, c);
        if (!leads_back(text, layout, c))
            return false;
        deduced->text = text;
    }
    return true;
}

/* ---- Both directions ---- */

/* Makes the inverse of scale factors. Its formulae are also valid for padding, where they give rows
 * and columns that only the padded matrix has. */
static void solve_padded(struct report *report) {
    const struct mapping_scales *scales = &report->smem->scales;
    const struct mapping_space from = {
        2, {{MAPPING_AXIS_ROW, scales->padded[0]}, {MAPPING_AXIS_COL, scales->padded[1]}}};
    struct mapping_layout padded;
    struct mapping_error ignored;
    struct derived whole = {.formulae = NULL};
    mapping_layout_init(&padded, &from, &report->forward.layout.to, &ignored);
    mapping_cute_fill(&scales->cute, 0, padded.coordinate[0]);
    derive_places(&padded, &whole.layout);
    derive_formulae(&whole);
    derive_places(&report->forward.layout, &report->inverse.layout);
    report->inverse.formulae = whole.formulae;
    find_quotients(report, &scales->cute);
    mapping_free(whole.layout.coordinate[0]);
    mapping_free(padded.coordinate[0]);
}

/* Makes the inverse and its formulae; see smem_derive for the cases without an inverse. */
static void solve_inverse(struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct mapping_cute cute;
    bool has_holes = mapping_layout_entries(layout) < layout->to.axis[0].size;
    if (smem_is_wide(report))
        return;
    derive_places(layout, &report->inverse.layout);
    if (derive_formulae(&report->inverse) != MAPPING_OK &&
        !(mapping_cute_find(&layout->from, layout->coordinate[0], &cute) &&
          find_quotients(report, &cute)) &&
        has_holes)
        report->inverse = (struct derived){.formulae = NULL};
}

enum mapping_status smem_derive(struct mapping_smem_matrix *memory, const char *type,
                                struct report *report) {
    struct smem_report *smem = memory_get(1, sizeof *smem);
    report->smem = smem;
    smem->bits = memory->bits;
    smem->is_mn_by_k = memory->is_mn_by_k;
    smem->repeats = memory->repeats;
    memcpy(smem->note, memory->note, sizeof smem->note);
    if (type)
        snprintf(smem->type, sizeof smem->type, "%s", type);
    else
        snprintf(smem->type, sizeof smem->type, "b%u", memory->bits);
    report->forward.layout = memory->layout;
    smem->scales = memory->scales;
    if (!memory->scales.kind) {
        solve_inverse(report);
        return derive_formulae(&report->forward);
    }
    solve_padded(report);
    if (derive_formulae(&report->forward) != MAPPING_OK) { /* use the one of quotients */
        char formula[MAPPING_SCALES_TEXT];
        mapping_scales_formula(&memory->scales, false, formula);
        report->forward.formulae[0].text = memory_text(formula);
    }
    return MAPPING_OK;
}

const char *smem_stride_note(const struct mapping_descriptor *descriptor, char between) {
    enum { USUAL_ATOMICITY = 16 };
    if (descriptor->piece_bytes <= USUAL_ATOMICITY)
        return NULL;
    return memory_format("The stride byte offset is the distance between groups of 4 columns%c"
                         "(CUTLASS 4.2); the PTX ISA says groups of 8 columns for every swizzle.",
                         between);
}

/* Only tcgen05.mma can read such a matrix, and only if its type has 32 bits and it has the columns
 * of a whole slice. */
const char *smem_lack(const struct report *report, uint32_t *cols) {
    static const char atom[] = "Layout_MN_SW128_32B_Atom";
    const struct mapping_space *from = &report->forward.layout.from;
    const struct smem_report *smem = report->smem;
    const uint32_t slice = smem_slice(smem);
    *cols = 0;
    if (smem->has_descriptor[READER_TCGEN05] || from->count != 2 ||
        strncmp(report->name, atom, sizeof atom - 1) != 0)
        return NULL;
    if (smem->bits != 32)
        return "With this swizzle, instructions read only 32-bit types, such as tf32";
    if (from->axis[1].size >= slice)
        return NULL;
    *cols = slice;
    return memory_format("One instruction needs %u columns", slice);
}
