/* lines.c - lines of a matrix, which are its rows or its columns; see shuffles.h. Finds
 * - the threads that hold elements of the same line;
 * - the scale factors that a thread needs for its elements;
 * - the order of K in which a thread's elements of a line are adjacent;
 * - the permutation of lines that makes the shuffles of a conversion unnecessary.
 *
 * In a layout over bits (layout/f2.h), the line of an element is a linear map of the bits of tid
 * and i. Threads t and t ^ d hold elements of the same lines if, for some e, (d, e) is in the
 * kernel of this map: line(d, e) = 0. For example, the row in D of mma.m16n8k16 is tid / 4 + i / 2
 * * 8. It does not depend on bits 0 and 1 of tid, nor on bit 0 of i: four threads share a row, and
 * each has two elements of it. */
#include "convert/shuffles.h"
#include "system/arena.h"

#include <stdlib.h>
#include <string.h>

/* The graph of the contributions of the lowest bits of the input to some bits of the output. */
static struct f2_span graph_of(const struct bit_layout *bits, uint32_t in, uint32_t mask) {
    struct f2 map = bits->bits;
    map.in = in;
    for (uint32_t b = 0; b < in; b++)
        map.column[b] &= mask;
    return mapping_f2_graph(&map);
}

/* The differences between threads that hold elements with the same values in some bits of the
 * output. */
static struct f2_span threads_alike(const struct bit_layout *bits, uint32_t mask) {
    const struct f2_span graph = graph_of(bits, bits->bits.in, mask);
    struct f2_span threads = {.pivots = 0};
    for (uint32_t b = 0; b < bits->bits.in; b++)
        if (graph.pivots >> b & 1)
            mapping_f2_extend(&threads, graph.reduced[b] >> bits->first_in[0]);
    return threads;
}

/* The bits of the output that belong to one axis. */
static uint32_t mask_of(const struct mapping_layout *layout, const struct bit_layout *bits,
                        uint32_t axis) {
    const uint32_t size = layout->to.axis[axis].size;
    return size > 1 ? UINT32_MAX >> __builtin_clz(size - 1) << bits->first_out[axis] : 0;
}

/* ---- Which threads share a line ---- */

enum mapping_status mapping_sharing_find(const struct mapping_layout *layout, bool is_columns,
                                         struct mapping_sharing *sharing) {
    struct bit_layout bits;
    *sharing = (struct mapping_sharing){.threads = 0};
    const uint32_t threads = layout->from.axis[0].size;
    if (!mapping_convert_takes(layout) || threads > 128 || (threads & (threads - 1)) != 0 ||
        !mapping_bits_of_layout(layout, &bits))
        return MAPPING_NO_FORMULA;
    const uint32_t line = ~mask_of(layout, &bits, layout->to.count - 1 - is_columns);
    const struct f2_span all = graph_of(&bits, bits.first_in[0], UINT32_MAX);
    const struct f2_span along = graph_of(&bits, bits.first_in[0], line);
    sharing->lines = UINT32_C(1) << mapping_f2_rank(&along);
    sharing->elements = (UINT32_C(1) << mapping_f2_rank(&all)) / sharing->lines;
    /* an odd factor of i multiplies one of the two, if its step lies above all bits of that part */
    const uint32_t part = bits.step & line ? line : ~line;
    uint32_t occupied = bits.base;
    for (uint32_t b = 0; b < bits.bits.in; b++)
        occupied |= bits.bits.column[b];
    if (bits.outer > 1 &&
        ((bits.step & ~part) != 0 || (occupied & part) >= (bits.step & -bits.step)))
        return MAPPING_NO_FORMULA;
    *(part == line ? &sharing->lines : &sharing->elements) *= bits.outer;
    const struct f2_span masks = threads_alike(&bits, line);
    for (uint64_t left = masks.pivots; left; left &= left - 1) {
        const uint64_t pivot = left & -left, rest = masks.reduced[__builtin_ctzll(left)] ^ pivot;
        const uint32_t mask = (uint32_t)(pivot | mapping_f2_reduce(&masks, rest));
        sharing->generators[sharing->generator_count++] = mask;
        sharing->crosses_warps = sharing->crosses_warps || mask >= MAPPING_WARP;
    }
    sharing->threads = UINT32_C(1) << sharing->generator_count;
    return MAPPING_OK;
}

/* ---- The factors of a thread's elements ---- */

/* A layout whose lines are divided into blocks of `block` elements. It is repeated along the lines
 * until they have `length` elements. */
struct blocks {
    const struct mapping_layout *layout;
    uint32_t line_axis, block, length;
};

/* True if a thread holds an element of this line in block b. */
static bool holds_block(const struct blocks *of, uint32_t t, uint32_t line, uint32_t b) {
    const uint32_t elements = of->layout->from.axis[1].size,
                   size = of->layout->to.axis[!of->line_axis].size;
    const uint32_t *line_of = of->layout->coordinate[of->line_axis] + (size_t)t * elements,
                   *other_of = of->layout->coordinate[!of->line_axis] + (size_t)t * elements;
    for (uint32_t i = 0; i < elements; i++)
        for (uint32_t start = 0; line_of[i] == line && start < of->length; start += size)
            if ((start + other_of[i]) / of->block == b)
                return true;
    return false;
}

/* Finds the factors that a thread needs: lines in the order of its elements, and the blocks of a
 * line in ascending order. Writes the first `most` of them to line[] and block[], and returns their
 * number. */
static uint32_t find_factors(const struct blocks *of, uint32_t t, uint32_t most, uint32_t *line,
                             uint32_t *block) {
    const uint32_t elements = of->layout->from.axis[1].size;
    const uint32_t *line_of = of->layout->coordinate[of->line_axis] + (size_t)t * elements;
    uint32_t count = 0;
    for (uint32_t i = 0; i < elements; i++) {
        bool is_new = true;
        for (uint32_t e = 0; e < i; e++)
            is_new = is_new && line_of[e] != line_of[i];
        for (uint32_t b = 0; is_new && b < of->length / of->block; b++)
            if (holds_block(of, t, line_of[i], b)) {
                if (count < most) {
                    line[count] = line_of[i];
                    block[count] = b;
                }
                count++;
            }
    }
    return count;
}

enum mapping_status mapping_line_factors(const struct mapping_layout *layout, bool is_columns,
                                         uint32_t block, uint32_t length,
                                         struct mapping_layout *factors,
                                         struct mapping_error *error) {
    const struct blocks of = {layout, is_columns, block, length};
    struct mapping_space from = layout->from, to = layout->to;
    to.axis[!is_columns].size = length / block;
    const uint32_t count = from.axis[1].size = find_factors(&of, 0, 0, NULL, NULL);
    const enum mapping_status status = mapping_layout_init(factors, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    for (uint32_t t = 0; t < from.axis[0].size; t++) {
        const size_t first = (size_t)t * count;
        const uint32_t found = find_factors(&of, t, count, factors->coordinate[is_columns] + first,
                                            factors->coordinate[!is_columns] + first);
        if (found != count)
            return mapping_fail(error, MAPPING_INVALID,
                                "thread 0 needs %u scale factors for its elements, but thread %u "
                                "needs %u",
                                count, t, found);
    }
    return MAPPING_OK;
}

/* ---- The order of K ---- */

static void find_formula(struct mapping_permutation *permutation) {
    const struct mapping_space space = {1, {{permutation->axis, permutation->count}}};
    permutation->has_formula = mapping_deduce(&space, permutation->table, &permutation->formula);
}

bool mapping_k_order_find(const struct mapping_layout *layout, bool is_columns,
                          struct mapping_k_order *order) {
    struct bit_layout bits;
    struct f2_span held = {.pivots = 0}; /* elements of a line in one thread differ by members of
                                            this span */
    *order = (struct mapping_k_order){.is_identity = true};
    if (layout->from.count != 2 || layout->to.count != 2 || !mapping_bits_of_layout(layout, &bits))
        return false;
    const uint32_t mask = mask_of(layout, &bits, is_columns),
                   count = layout->to.axis[is_columns].size;
    const struct f2_span all = graph_of(&bits, bits.bits.in, mask);
    if ((bits.step & mask) != 0 || count != UINT32_C(1) << mapping_f2_rank(&all))
        return false; /* no thread holds some k */
    const struct f2_span graph = graph_of(&bits, bits.first_in[0], ~mask);
    for (uint32_t b = 0; b < bits.first_in[0]; b++)
        if (graph.pivots >> b & 1)
            mapping_f2_extend(&held,
                              (mapping_f2_apply(&bits.bits, (uint32_t)graph.reduced[b]) & mask) >>
                                  bits.first_out[is_columns]);
    uint32_t *table = memory_get(count, sizeof *table), place = 0;
    for (uint32_t lowest = 0; lowest < count; lowest++)
        for (uint32_t k = lowest; k < count && mapping_f2_reduce(&held, lowest) == lowest; k++)
            if (mapping_f2_reduce(&held, k) == lowest) {
                order->is_identity = order->is_identity && place == k;
                table[place++] = k;
            }
    order->run = UINT32_C(1) << __builtin_popcountll(held.pivots);
    order->k = (struct mapping_permutation){.axis = "place", .count = count, .table = table};
    find_formula(&order->k);
    return true;
}

bool mapping_k_order_equal(const struct mapping_k_order *a, const struct mapping_k_order *b) {
    return a->k.count == b->k.count &&
           memcmp(a->k.table, b->k.table, a->k.count * sizeof *a->k.table) == 0;
}

/* ---- Permutations that save shuffles ---- */

/* The lines of one side. */
struct side {
    uint32_t *holders; /* [line * across + position]: the lowest thread that holds it; NOBODY;
                          MANY */
    uint32_t *order;   /* lines, sorted by their lowest element number; then scratch memory */
};

/* No thread; or several threads that do not hold the same points. */
enum { NOBODY = -1, MANY = -2 };

/* Sets the members of a side. Threads that differ by a member of `alike` hold the same points of
 * the source; the lowest of them represents them. */
static void fill(const struct shuffle_plan *plan, const struct plan_side *from, bool is_rows,
                 const struct f2_span *alike, const struct side *side) {
    uint32_t *const *coordinate = from->layout.coordinate, axes = from->layout.to.count;
    const uint32_t *line_of = coordinate[axes - 1 - is_rows],
                   *other_of = coordinate[axes - 2 + is_rows];
    const uint32_t lines = plan->size[is_rows ? 1 : 2], others = plan->size[is_rows ? 2 : 1];
    const uint32_t across = plan->size[0] * others;
    uint32_t *first = side->order + lines; /* for each line, its lowest element number */
    memset(side->holders, NOBODY, (size_t)lines * across * sizeof *side->holders);
    memset(first, 0xff, lines * sizeof *first);
    for (uint32_t t = 0, n = 0; t < plan->threads; t++) {
        const uint32_t thread = (uint32_t)mapping_f2_reduce(alike, t);
        for (uint32_t e = 0; e < from->total; e++, n++) {
            const uint32_t line = line_of[n];
            const uint32_t place = (axes == 3 ? coordinate[0][n] * others : 0) + other_of[n];
            uint32_t *holder = &side->holders[line * across + place];
            *holder = *holder == (uint32_t)NOBODY || *holder == thread ? thread : (uint32_t)MANY;
            first[line] = e < first[line] ? e : first[line];
        }
    }
    for (uint32_t e = 0, count = 0; count < lines; e++)
        for (uint32_t line = 0; line < lines; line++)
            if (first[line] == e || (e == from->total && first[line] > e))
                side->order[count++] = line;
}

/* In layouts over bits, two lines of the target need either the same lines of the source, or have
 * none in common. So any free line is as good as another. */
bool mapping_permutation_find(const struct shuffle_plan *plan, bool is_rows,
                              struct mapping_permutation *permutation) {
    const uint32_t lines = plan->size[is_rows ? 1 : 2];
    const size_t across = (size_t)plan->size[0] * plan->size[is_rows ? 2 : 1], all = across * lines,
                 rest = 2 * (size_t)lines;
    *permutation = (struct mapping_permutation){
        .axis = is_rows ? MAPPING_AXIS_ROW : MAPPING_AXIS_COL,
        .count = lines,
        .table = memory_resize(NULL, lines, sizeof *permutation->table)};
    bool found = plan->source.is_over_bits && plan->target.is_over_bits;
    if (found) {
        uint32_t *memory = memory_resize(NULL, 2 * (all + rest), sizeof *memory);
        const struct f2_span alike = threads_alike(&plan->source.bits, UINT32_MAX);
        const struct side source = {memory, memory + all};
        const struct side target = {source.order + rest, source.order + rest + all};
        fill(plan, &plan->source, is_rows, &alike, &source);
        fill(plan, &plan->target, is_rows, &alike, &target);
        for (uint32_t n = 0; n < lines && found; n++) {
            const uint32_t line = target.order[n];
            uint32_t p = 0; /* source.order[] loses each line of the source that is taken */
            while (p < lines - n &&
                   memcmp(target.holders + line * across, source.holders + source.order[p] * across,
                          across * sizeof *source.holders) != 0)
                p++;
            found = p < lines - n;
            if (found) {
                permutation->table[line] = source.order[p];
                memmove(source.order + p, source.order + p + 1,
                        (lines - n - p - 1) * sizeof *source.order);
            }
        }
        if (found)
            find_formula(permutation);
        mapping_free(memory);
    }
    return found;
}
