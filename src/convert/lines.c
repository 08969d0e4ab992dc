/* lines.c - lines of a matrix, which are its rows or its columns: which threads hold elements of
 * the same line, and in which order of K a thread's elements of a line are adjacent; see convert.h.
 *
 * In a layout over bits (layout/f2.h) the line of an element is a linear map of the bits of tid and
 * i. Threads t and t ^ d hold elements of the same lines if d, with some e, is in the kernel of
 * this map: line(d, e) = 0. In D of mma.m16n8k16 the row is tid / 4 + i / 2 * 8, so that the bits 1
 * and 2 of tid, and bit 1 of i, do not matter: four threads share a row, and each has two elements.
 */
#include "convert/convert.h"
#include "layout/f2.h"

#include <stdlib.h>
#include <string.h>

/* A layout (tid, i) seen as lines. */
struct lines {
    struct bit_layout bits;
    uint32_t element_bits; /* of i, which are the lowest of the source */
    uint32_t line, beside; /* the bits of the target that say which line, and where in it */
    uint32_t first_beside; /* the lowest of the latter */
};

/* Takes rows as lines, or columns. False if the layout is not one over bits. */
static bool find_lines(const struct mapping_layout *layout, bool is_columns, struct lines *lines) {
    const uint32_t axis = layout->to.count - 1 - is_columns, size = layout->to.axis[axis].size;
    if (!mapping_bits_of_layout(layout, &lines->bits))
        return false;
    lines->element_bits = lines->bits.first_in[0];
    lines->first_beside = lines->bits.first_out[axis];
    lines->beside = size > 1 ? UINT32_MAX >> __builtin_clz(size - 1) << lines->first_beside : 0;
    lines->line = ~lines->beside;
    return true;
}

/* The graph of what the lowest bits of the source contribute to some bits of the target. */
static struct f2_span graph_of(const struct lines *lines, uint32_t in, uint32_t mask) {
    struct f2 map = lines->bits.bits;
    map.in = in;
    for (uint32_t b = 0; b < in; b++)
        map.column[b] &= mask;
    return mapping_f2_graph(&map);
}

/* The next vector of a basis of the kernel whose highest bit is `bit` or above; 0 if there is
 * none. */
static uint32_t next_of_kernel(const struct f2_span *graph, uint32_t bit) {
    const uint32_t left = (uint32_t)graph->pivots & (bit < 32 ? UINT32_MAX << bit : 0);
    return left ? (uint32_t)graph->reduced[__builtin_ctz(left)] : 0;
}

static uint32_t bit_above(uint32_t vector) {
    return 32 - (uint32_t)__builtin_clz(vector);
}

/* ---- Which threads share a line ---- */

/* Counts the lines and elements of a thread. An odd part of i multiplies one of them. False if it
 * does not lie apart from the rest. */
static bool count(const struct lines *lines, struct mapping_sharing *sharing) {
    const struct bit_layout *bits = &lines->bits;
    const struct f2_span all = graph_of(lines, lines->element_bits, UINT32_MAX);
    const struct f2_span along = graph_of(lines, lines->element_bits, lines->line);
    uint32_t occupied = bits->base;
    sharing->lines = UINT32_C(1) << mapping_f2_rank(&along);
    sharing->elements = (UINT32_C(1) << mapping_f2_rank(&all)) / sharing->lines;
    if (bits->outer == 1)
        return true;
    const uint32_t part = bits->step & lines->line ? lines->line : lines->beside;
    for (uint32_t b = 0; b < bits->bits.in; b++)
        occupied |= bits->bits.column[b];
    *(part == lines->line ? &sharing->lines : &sharing->elements) *= bits->outer;
    return (bits->step & ~part) == 0 && (occupied & part) < (bits->step & -bits->step);
}

enum mapping_status mapping_sharing_find(const struct mapping_layout *layout, bool is_columns,
                                         uint32_t lanes, struct mapping_sharing *sharing) {
    struct lines lines;
    struct f2_span masks = {.pivots = 0};
    *sharing = (struct mapping_sharing){.threads = 0};
    const uint32_t threads = layout->from.axis[0].size;
    if (!mapping_convert_takes(layout) || threads > 128 || (threads & (threads - 1)) != 0 ||
        !find_lines(layout, is_columns, &lines) || !count(&lines, sharing))
        return MAPPING_NO_FORMULA;
    const struct f2_span graph = graph_of(&lines, lines.bits.bits.in, lines.line);
    for (uint32_t v, bit = lines.element_bits; (v = next_of_kernel(&graph, bit));
         bit = bit_above(v))
        mapping_f2_extend(&masks, v >> lines.element_bits);
    for (uint64_t left = masks.pivots; left; left &= left - 1) {
        const uint64_t pivot = left & -left, rest = masks.reduced[__builtin_ctzll(left)] ^ pivot;
        const uint32_t mask = (uint32_t)(pivot | mapping_f2_reduce(&masks, rest));
        sharing->generators[sharing->generator_count++] = mask;
        sharing->crosses_warps = sharing->crosses_warps || mask >= lanes;
    }
    sharing->threads = UINT32_C(1) << sharing->generator_count;
    return MAPPING_OK;
}

/* ---- The order of K ---- */

/* Lists K coset by coset: what a thread holds of a line differs by the members of a span. */
static void list(const struct f2_span *held, struct mapping_k_order *order) {
    const struct mapping_space space = mapping_k_order_space(order);
    uint32_t place = 0;
    for (uint32_t lowest = 0; lowest < order->count; lowest++)
        for (uint32_t k = lowest; k < order->count && mapping_f2_reduce(held, lowest) == lowest;
             k++)
            if (mapping_f2_reduce(held, k) == lowest)
                order->table[place++] = k;
    order->is_identity = true;
    for (uint32_t k = 0; k < order->count; k++)
        order->is_identity &= order->table[k] == k;
    order->has_formula = mapping_deduce(&space, order->table, &order->formula);
}

enum mapping_status mapping_k_order_find(const struct mapping_layout *layout, bool is_columns,
                                         struct mapping_k_order *order,
                                         struct mapping_error *error) {
    struct lines lines;
    struct f2_span held = {.pivots = 0};
    *order = (struct mapping_k_order){.run = 0};
    if (layout->from.count != 2 || layout->to.count != 2 ||
        !find_lines(layout, !is_columns, &lines) || (lines.bits.step & lines.beside) != 0)
        return MAPPING_NO_FORMULA;
    const struct f2_span all = graph_of(&lines, lines.bits.bits.in, lines.beside);
    order->count = layout->to.axis[is_columns].size;
    if (order->count != UINT32_C(1) << mapping_f2_rank(&all)) /* somebody holds every k */
        return MAPPING_NO_FORMULA;
    const struct f2_span graph = graph_of(&lines, lines.element_bits, lines.line);
    for (uint32_t v, bit = 0; (v = next_of_kernel(&graph, bit)); bit = bit_above(v))
        mapping_f2_extend(&held, (mapping_f2_apply(&lines.bits.bits, v) & lines.beside) >>
                                     lines.first_beside);
    order->run = UINT32_C(1) << __builtin_popcountll(held.pivots);
    order->table = calloc(order->count, sizeof *order->table);
    if (!order->table)
        return mapping_out_of_memory(error);
    list(&held, order);
    return MAPPING_OK;
}

void mapping_k_order_free(struct mapping_k_order *order) {
    free(order->table);
    *order = (struct mapping_k_order){.run = 0};
}

bool mapping_k_order_equal(const struct mapping_k_order *a, const struct mapping_k_order *b) {
    return a->count == b->count && memcmp(a->table, b->table, a->count * sizeof *a->table) == 0;
}

struct mapping_space mapping_k_order_space(const struct mapping_k_order *order) {
    return (struct mapping_space){.count = 1, .axis = {{"place", order->count}}};
}
