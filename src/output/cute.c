/* cute.c - --format=cute: layouts as in CuTe's MMA_Traits. They map (thread, value) to m + M*k for
 * A, to n + N*k for B, and to m + M*n for C and D; in Tensor Memory to lane + 128*column. If
 * elements share a column, they map to lane + 128*(bit + 32*column). The layout of a matrix in
 * memory maps (row, col) to the offset. */
#include "output/comments.h"
#include "output/output.h"

#include "layout/cute_layout.h"
#include "report/smem_report.h"

/* The number of threads of a quad pair: threads 0 to 3 and 16 to 19 of the warp. */
enum { QUAD_PAIR = 8 };

/* True if the operand is distributed over quad pairs. CuTe describes only one of them. */
static bool is_of_quad_pair(const struct report *report) {
    return report->has_fragment && !report->tiling &&
           mapping_instruction_multiplies(report->observed.fragment.instruction) &&
           report->observed.fragment.blocks > 1;
}

/* The axes of the output in the order in which CuTe numbers places; the last one is the fastest. It
 * is the row of a matrix, but the column of B, because B is K x N here. In Tensor Memory it is the
 * lane, of all 128. */
static struct mapping_space order_of(const struct report *report) {
    static const char *const places[] = {MAPPING_AXIS_CTA, MAPPING_AXIS_COLUMN, MAPPING_AXIS_BIT,
                                         MAPPING_AXIS_LANE};
    const struct mapping_space *to = &report->forward.layout.to;
    const enum mapping_operand operand = report->observed.fragment.operand;
    const bool is_b = report->has_fragment && (operand == MAPPING_B || operand == MAPPING_SFB);
    struct mapping_space order = *to;
    if (has_lanes(to)) {
        order.count = 0;
        for (size_t p = 0; p < sizeof places / sizeof *places; p++)
            if (mapping_space_find(to, places[p]) >= 0)
                order.axis[order.count++] = to->axis[mapping_space_find(to, places[p])];
        order.axis[order.count - 1].size = MAPPING_LANES;
    } else if (to->count > 1 && !is_b) {
        order.axis[to->count - 1] = to->axis[to->count - 2];
        order.axis[to->count - 2] = to->axis[to->count - 1];
    }
    return order;
}

/* Prints what a number means in Tensor Memory. */
static void print_lanes(struct printer *to, const struct mapping_layout *layout) {
    int cta = mapping_space_find(&layout->to, MAPPING_AXIS_CTA),
        bit = mapping_space_find(&layout->to, MAPPING_AXIS_BIT),
        column = mapping_space_find(&layout->to, MAPPING_AXIS_COLUMN);
    uint32_t bits = bit >= 0 ? layout->to.axis[bit].size : 1;
    print_text(to, "# from ");
    for (uint32_t a = 0; a < layout->from.count; a++)
        print(to, "%s%s", a ? ", " : "(", layout->from.axis[a].name);
    print(to, ") to lane + %u * ", MAPPING_LANES);
    print(to, bit >= 0 ? "(bit + %u * column)" : "column", bits);
    if (cta >= 0)
        print(to, " + %u * cta", MAPPING_LANES * bits * layout->to.axis[column].size);
    print_char(to, '\n');
}

static uint32_t *make_numbers(const struct report *report, struct mapping_space *from) {
    const struct mapping_layout *layout = &report->forward.layout;
    const struct mapping_space order = order_of(report);
    *from = layout->from;
    if (is_of_quad_pair(report))
        from->axis[0].size = QUAD_PAIR;
    uint32_t values = from->axis[from->count - 1].size;
    uint32_t *numbers = memory_get(mapping_space_size(from), sizeof *numbers);
    for (size_t n = 0; n < mapping_space_size(from); n++) {
        const size_t thread = n / values, value = n % values;
        const size_t entry =
            is_of_quad_pair(report) ? (thread % 4 + thread / 4 * 16) * values + value : n;
        for (uint32_t a = 0; a < order.count; a++) {
            const int axis = mapping_space_find(&layout->to, order.axis[a].name);
            numbers[n] = numbers[n] * order.axis[a].size + layout->coordinate[axis][entry];
        }
    }
    return numbers;
}

/* True if all place numbers fit CuTe's type int. */
static bool has_small_numbers(const struct report *report) {
    const struct mapping_space order = order_of(report);
    uint64_t count = 1;
    for (uint32_t a = 0; a < order.count && count <= INT32_MAX; a++)
        count *= order.axis[a].size;
    return count <= (uint64_t)INT32_MAX + 1;
}

/* Finds the layout of a report. False if CuTe's algebra cannot express it. */
static bool find_layout(const struct report *report, struct mapping_cute *cute) {
    struct mapping_space from;
    if (report->smem && report->smem->scales.kind) { /* the layout of the padded matrix */
        *cute = report->smem->scales.cute;
        return true;
    }
    if (!has_small_numbers(report))
        return false;
    uint32_t *numbers = make_numbers(report, &from);
    const bool is_found = mapping_cute_find(&from, numbers, cute);
    if (is_found)
        mapping_cute_put_stages_last(&from, cute);
    mapping_free(numbers);
    return is_found;
}

static bool can_show(const struct report *report) {
    struct mapping_cute cute;
    return find_layout(report, &cute);
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct batch *batch = context;
    const struct mapping_space *space = &report->forward.layout.to;
    struct mapping_cute cute;
    char text[1024];
    if (report != batch->reports)
        print_char(to, '\n');
    if (!style->brief) {
        comment_header(to, report);
        comment_unused(to, report);
    }
    if (!find_layout(report, &cute)) {
        print_text(to,
                   has_small_numbers(report)
                       ? "# no layout in CuTe's algebra\n"
                       : "# no layout in CuTe's algebra: numbers of elements exceed 2^31 - 1\n");
        return;
    }
    if (has_lanes(space))
        print_lanes(to, &report->forward.layout);
    else if (is_of_quad_pair(report))
        print_text(to, "# layout of quad pair 0; its thread t is lane t % 4 + t / 4 * 16\n");
    else if (report->has_fragment && space->count > 2 && !report->tiling)
        print(to, "# from (tid, i) to row + %u * col + %u * block\n", space->axis[1].size,
              space->axis[1].size * space->axis[2].size);
    mapping_cute_print(&cute, text, sizeof text);
    print(to, "%s\n", text);
    if (!style->detail)
        return;
    mapping_cute_print_type(&cute, text, sizeof text);
    print(to, "%s\n", text);
}

const struct output cute_output = {
    .name = "cute",
    .detail = DETAIL_OF_LAYOUTS,
    .has_brief = true,
    .tmem_loads = TMEM_LOADS_JOINED, /* CuTe's layouts begin at 0 */
    .can_show = can_show,
    .report = print_report,
};
