/* triton.c - --format=triton: the layout of a fragment as #ttg.linear, a matrix in memory as
 * #ttg.swizzled_shared. #ttg.linear lists what each bit of the register, the lane and the warp
 * contributes to the coordinates, by exclusive or. Also prints which layouts a Triton file has, as
 * text and as JSON. */
#include "output/comments.h"
#include "output/json.h"
#include "output/output.h"

#include "layout/f2.h"
#include "layout/sentence.h"
#include "listing/triton_file.h"

#include <string.h>

/* True if each bit of the input contributes to the output independently, and all sizes are powers
 * of two. */
static bool is_linear(const struct mapping_layout *layout) {
    struct bit_layout bits;
    for (uint32_t c = 0; c < layout->to.count; c++)
        if ((layout->to.axis[c].size & (layout->to.axis[c].size - 1)) != 0)
            return false;
    return mapping_bits_of_layout(layout, &bits) && bits.outer == 1 && bits.base == 0;
}

/* ---- Matrices in memory ---- */

/* A matrix without gaps, rows of it (order[0] 1) or columns (0) one behind the other; in row r, or
 * column, pieces of `vec` elements change places: piece p lies where p ^ r / per_phase % max_phase
 * would (Triton, TritonGPUAttrDefs.td, SwizzledSharedEncodingAttr). */
struct swizzled {
    uint32_t fast, vec, per_phase, max_phase;
};

static bool is_swizzled(const struct mapping_layout *layout, const struct swizzled *swizzled) {
    uint32_t width = layout->from.axis[swizzled->fast].size, cols = layout->from.axis[1].size;
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        const uint32_t point[] = {(uint32_t)(n / cols), (uint32_t)(n % cols)};
        uint32_t line = point[!swizzled->fast], place = point[swizzled->fast];
        uint32_t phase = line / swizzled->per_phase % swizzled->max_phase;
        uint32_t piece = place / swizzled->vec ^ phase;
        if (layout->coordinate[0][n] !=
            line * width + piece * swizzled->vec + place % swizzled->vec)
            return false;
    }
    return true;
}

/* Finds these numbers for a matrix with such a layout, with the fewest phases. */
static bool find_swizzled(const struct mapping_layout *layout, struct swizzled *swizzled) {
    enum { VEC_MAX = 16, PHASE_MAX = 16 };
    if (layout->from.count != 2 || mapping_layout_entries(layout) != layout->to.axis[0].size)
        return false;
    for (uint32_t fast = 2; fast-- > 0;)
        for (uint32_t phases = 1; phases <= PHASE_MAX; phases *= 2)
            for (uint32_t per = 1; per == 1 || (phases > 1 && per <= PHASE_MAX); per *= 2)
                for (uint32_t vec = 1; vec == 1 || (phases > 1 && vec <= VEC_MAX); vec *= 2) {
                    *swizzled = (struct swizzled){fast, vec, per, phases};
                    if (is_swizzled(layout, swizzled))
                        return true;
                }
    return false;
}

/* ---- All ---- */

/* True if the outermost axis is the CTA of a pair, which Triton calls a block. */
static bool has_ctas(const struct mapping_layout *layout) {
    return strcmp(layout->from.axis[0].name, MAPPING_AXIS_CTA) == 0;
}

/* True for a linear layout of registers, and for a matrix that Triton has such layouts for. */
static bool can_show(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct swizzled ignored;
    if (report->smem)
        return find_swizzled(layout, &ignored);
    uint32_t outer = has_ctas(layout);
    return layout->from.count == 2 + outer &&
           strcmp(layout->from.axis[outer].name, MAPPING_AXIS_TID) == 0 &&
           strcmp(layout->from.axis[outer + 1].name, MAPPING_AXIS_I) == 0 && is_linear(layout);
}

/* Prints the bases for the bits from `first` to `end` - 1 of the entry's index. */
static void print_bases(struct printer *to, const struct mapping_layout *layout, const char *name,
                        size_t first, size_t end) {
    print(to, "%s = [", name);
    for (size_t bit = first; bit < end; bit *= 2) {
        print_text(to, bit > first ? ", [" : "[");
        for (uint32_t c = 0; c < layout->to.count; c++)
            print(to, c ? ", %u" : "%u", layout->coordinate[c][bit]);
        print_char(to, ']');
    }
    print_char(to, ']');
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct batch *batch = context;
    const struct mapping_layout *layout = &report->forward.layout;
    struct swizzled swizzled;
    if (report != batch->reports && !style->brief)
        print_char(to, '\n');
    if (!style->brief) {
        comment_header(to, report);
        comment_unused(to, report);
    }
    if (report->smem && find_swizzled(layout, &swizzled)) {
        print(to,
              "#ttg.swizzled_shared<{vec = %u, perPhase = %u, maxPhase = %u, order = [%u, %u]}>\n",
              swizzled.vec, swizzled.per_phase, swizzled.max_phase, swizzled.fast, !swizzled.fast);
        return;
    }
    if (report->smem || !can_show(report)) {
        print_text(to,
                   report->smem
                       ? "# Triton's swizzled_shared layouts cannot represent this layout\n"
                       : "# Triton's linear layouts cannot represent this layout of tid and i\n");
        return;
    }
    const struct mapping_axis *held = &layout->from.axis[has_ctas(layout)];
    size_t elements = held[1].size, threads = held[0].size;
    size_t lanes = style->warp ? style->warp
                   : report->observed.fragment.lanes
                       ? report->observed.fragment.lanes
                       : MAPPING_WARP; /* the higher bits of tid are the warp */
    if (threads > lanes && !report->has_fragment && !report->observed.fragment.lanes &&
        !style->brief)
        print(to, "# warps of %zu threads%s\n", lanes,
              style->warp ? "" : ", as on NVIDIA GPUs; --warp=64 for wavefronts of AMD GPUs");
    lanes = threads < lanes ? threads : lanes;
    print_text(to, "#ttg.linear<{");
    print_bases(to, layout, "register", 1, elements);
    print_bases(to, layout, ", lane", elements, elements * lanes);
    print_bases(to, layout, ", warp", elements * lanes, elements * threads);
    print_bases(to, layout, ", block", elements * threads, mapping_layout_entries(layout));
    print_text(to, "}>\n");
}

/* Triton's layouts in Tensor Memory have shapes of blocks, not of instructions. */
static enum mapping_status check(const struct report *reports, size_t count,
                                 struct mapping_error *error) {
    for (size_t r = 0; r < count; r++)
        if (is_in_lanes(&reports[r].forward.layout.from, &reports[r].forward.layout.to))
            return mapping_fail(error, MAPPING_INVALID,
                                "--format=triton describes registers, but %.80s is in Tensor "
                                "Memory; use --format=text, json, cuda or cute",
                                reports[r].name);
    return MAPPING_OK;
}

/* ---- The layouts of a Triton file ---- */

/* The suffix of the file name that selects a layout: ":90#mma", or "#mma". */
static void print_name(struct printer *to, const char *path, const struct triton_definition *item) {
    if (item->is_ambiguous)
        print(to, "%s:%zu%s", path, item->line, item->name);
    else
        print(to, "%s%s", path, item->name);
}

void print_defined(struct printer *to, const char *path, const struct triton_file *file) {
    print(to, "# %s: %zu layout%s; to show one: mapping '", path, file->count,
          mapping_plural((uint32_t)file->count));
    print_name(to, path, file->items);
    print_text(to, "'\n");
    for (size_t n = 0; n < file->count; n++) {
        const struct triton_definition *item = &file->items[n];
        print(to, "%s", item->name);
        if (!strchr(item->name, '.')) /* a layout without a name: this is its text */
            print(to, " = %s", item->text);
        if (item->is_ambiguous)
            print(to, " (line %zu)", item->line);
        print_char(to, '\n');
        for (size_t t = 0; t < item->types.count; t++)
            print(to, "    %s\n", item->types.text[t]);
    }
}

void json_defined(struct printer *to, const char *path, const struct triton_file *file) {
    json(to, "{kind:\"layouts\",defined_in:%s,layouts:[", path);
    for (size_t n = 0; n < file->count; n++) {
        const struct triton_definition *item = &file->items[n];
        struct printer subject = {.text = NULL};
        print_name(&subject, path, item);
        json(to, "\n {name:%s,line:%zu,layout:%s,subject:%s,types:", item->name, item->line,
             item->text, printer_string(&subject));
        json_strings(to, &item->types);
        print_char(to, '}');
    }
    print_text(to, "]}\n");
}

const struct output triton_output = {
    .name = "triton",
    .has_brief = true,
    .has_warps = true,
    .tmem_loads = TMEM_LOADS_JOINED,
    .can_show = can_show,
    .check = check,
    .report = print_report,
};
