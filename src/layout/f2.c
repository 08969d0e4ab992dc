/* f2.c - linear algebra over bits, and layouts as matrices; see f2.h.
 *
 * An example is a register conversion of a tile with 4 rows and 2 columns. 4 threads hold 2
 * elements each; t is the number of the thread, i that of the element in the thread. In the source,
 * each thread holds one row. In the target, two threads share two rows, and each holds one column
 * of them. The tables show t.i at each row and column:
 *
 *     source  row = t, col = i                    target  row = (t & 2) + i, col = t & 1
 *
 *            col 0  col 1                                col 0  col 1
 *     row 0   0.0    0.1                          row 0   0.0    1.0
 *     row 1   1.0    1.1                          row 1   0.1    1.1
 *     row 2   2.0    2.1                          row 2   2.0    3.0
 *     row 3   3.0    3.1                          row 3   2.1    3.1
 *
 * Each layout is a linear map, written as a matrix of bits: S for the source, T for the target. Its
 * columns represent the bits of (t, i), its rows the bits of (row, col); t1 is bit 1 of t. Addition
 * is exclusive or. Element i of thread t of the target is at (row, col) = T (t, i). In the source,
 * thread t' holds it as element i', where S (t', i') = T (t, i). So (t', i') = C (t, i) with C =
 * S^-1 T. In this example, S is the identity:
 *
 *     S   t1 t0 i0         T   t1 t0 i0         C    t1 t0 i0
 *     r1   1  0  0         r1   1  0  0         t1'   1  0  0
 *     r0   0  1  0         r0   0  0  1         t0'   0  0  1
 *     c0   0  0  1         c0   0  1  0         i0'   0  1  0
 *
 * The rows of C say t' = (t & 2) ^ i and i' = t & 1. C is linear, so C (t, i) = C (t, 0) ^
 * C (0, i). A lane is a thread that sends. The source lane t' is start(t) ^ offset(i): start(t) is
 * t' of C (t, 0), offset(i) is t' of C (0, i). Here, start(t) = t & 2 and offset(i) = i.
 *
 * In a shuffle, each lane sends one register, here one element, and each thread reads from one
 * lane. The first attempt has a round, here of one shuffle, for each offset j: thread t reads from
 * lane start(t) ^ j. It fails: in round 0, threads 0 and 1 both read from lane 0, but thread 0
 * needs i' = 0 and thread 1 needs i' = 1, so lane 0 would have to send two registers.
 *
 * Instead, thread t reads from lane t ^ j in round j. Then each lane sends to one thread only. As
 * t = start(t) ^ (t & 1), this is lane start(t) ^ offset(i) for i = (t & 1) ^ j: thread t receives
 * its element (t & 1) ^ j of the target, and in the two rounds it receives both elements. In round
 * 0, each thread reads from its own lane and needs no shuffle. Round 1 is one shuffle. Reader t
 * needs i' = t & 1 from lane t ^ 1, so even lanes send in[1] to odd threads, and odd lanes send
 * in[0] to even threads. in[] are the registers of the source, out[] those of the target:
 *
 *     received = __shfl_xor_sync(0xf, t & 1 ? in[0] : in[1], 1)
 *     out[0] = t & 1 ? received : in[0]
 *     out[1] = t & 1 ? in[1] : received */
#include "layout/f2.h"

#include "layout/space.h"

static uint32_t top_bit(uint64_t vector) {
    return 63 - (uint32_t)__builtin_clzll(vector);
}

uint32_t mapping_f2_apply(const struct f2 *map, uint32_t x) {
    uint32_t y = 0;
    for (uint32_t b = 0; b < map->in; b++)
        y ^= x >> b & 1 ? map->column[b] : 0;
    return y;
}

/* ---- Spans ---- */

/* Clears pivots from the highest down: reduced[b] has no bit above b. */
uint64_t mapping_f2_reduce(const struct f2_span *span, uint64_t vector) {
    for (uint64_t left; (left = span->pivots & vector) != 0;)
        vector ^= span->reduced[top_bit(left)];
    return vector;
}

bool mapping_f2_extend(struct f2_span *span, uint64_t vector) {
    vector = mapping_f2_reduce(span, vector);
    if (vector == 0)
        return false;
    span->reduced[top_bit(vector)] = vector;
    span->pivots |= UINT64_C(1) << top_bit(vector);
    return true;
}

/* Reduces map(x) << 32 | x. If map(x) depends linearly on earlier columns, the reduced vector is an
 * element of the kernel. So the number of pivots from bit 32 on is the rank, and the vectors with
 * lower pivots span the kernel. */
struct f2_span mapping_f2_graph(const struct f2 *map) {
    struct f2_span graph = {.pivots = 0};
    for (uint32_t b = 0; b < map->in; b++)
        mapping_f2_extend(&graph, (uint64_t)map->column[b] << 32 | UINT64_C(1) << b);
    return graph;
}

uint32_t mapping_f2_rank(const struct f2_span *graph) {
    return (uint32_t)__builtin_popcountll(graph->pivots >> 32);
}

/* (y, near) reduced by (map(x), x) is (0, x ^ near). */
bool mapping_f2_solve(const struct f2_span *graph, uint32_t y, uint32_t near, uint32_t *x) {
    const uint64_t left = mapping_f2_reduce(graph, (uint64_t)y << 32 | near);
    *x = (uint32_t)left ^ near;
    return left >> 32 == 0;
}

/* ---- Layouts ---- */

/* A layout whose bits are being derived. The number of an entry has three parts, from the highest
 * to the lowest: the bits of x from bit `low` on, q, and the `low` lowest bits of x. */
struct table {
    const struct mapping_layout *layout;
    const struct bit_layout *bits;
    uint32_t low;
};

/* The target coordinates of an entry as one number. */
static uint32_t point_of(const struct table *table, uint32_t x, uint32_t q) {
    const uint32_t high = x >> table->low, low = x ^ high << table->low;
    const size_t entry = ((size_t)high * table->bits->outer + q) << table->low | low;
    uint32_t point = 0;
    for (uint32_t c = 0; c < table->layout->to.count; c++)
        point |= table->layout->coordinate[c][entry] << table->bits->first_out[c];
    return point;
}

/* Finds the lowest bit of each axis, and the odd part. False for two odd parts, or too many bits.
 */
static bool measure(struct table *table, struct bit_layout *bits) {
    const struct mapping_space *from = &table->layout->from, *to = &table->layout->to;
    uint32_t out = 0;
    for (uint32_t a = from->count; a-- > 0;) {
        const uint32_t size = from->axis[a].size, width = (uint32_t)__builtin_ctz(size);
        bits->first_in[a] = bits->bits.in;
        bits->bits.in += width;
        if (size >> width > 1) {
            if (bits->outer > 1)
                return false;
            bits->outer = size >> width;
            table->low = bits->bits.in;
        }
    }
    for (uint32_t c = to->count; c-- > 0; out += mapping_bits_below(to->axis[c].size))
        bits->first_out[c] = out % 32; /* if out is 32, the axis has size 1 */
    return bits->bits.in < 32 && out <= 32;
}

/* True if all coordinates are inside the target. holds() checks this itself for powers of two. */
static bool is_inside(const struct mapping_layout *layout) {
    const size_t entries = mapping_layout_entries(layout);
    for (uint32_t c = 0; c < layout->to.count; c++) {
        uint32_t largest = 0;
        for (size_t n = 0; n < entries; n++)
            largest = layout->coordinate[c][n] > largest ? layout->coordinate[c][n] : largest;
        if (largest >= layout->to.axis[c].size)
            return false;
    }
    return true;
}

/* True if the columns give all entries of a layout without an odd part. Within a block, entries
 * differ from the first one in the same bits as in the first block. toggled[b] is the exclusive or
 * of columns 0 to b: x differs from x - 1 in all bits up to the lowest 1 of x, so the coordinates
 * differ by these columns. */
static bool holds(const struct mapping_layout *layout, const struct bit_layout *bits,
                  const uint32_t toggled[32]) {
    enum { BLOCK = 16 };
    const uint32_t entries = UINT32_C(1) << bits->bits.in;
    const uint32_t count = entries < BLOCK ? entries : BLOCK;
    uint32_t wrong = 0;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const uint32_t width = mapping_bits_below(layout->to.axis[c].size);
        const uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1);
        const uint32_t inside = toggled[__builtin_ctz(BLOCK) - 1]; /* of the bits within a block */
        uint32_t offset[BLOCK] = {0}, start = bits->base;
        for (uint32_t n = 1, point = 0; n < count; n++) {
            point ^= toggled[__builtin_ctz(n)];
            offset[n] = point >> bits->first_out[c] & mask;
        }
        for (uint32_t x = 0; x < entries; x += BLOCK) {
            start ^= x > 0 ? toggled[__builtin_ctz(x)] ^ inside : 0;
            const uint32_t first = start >> bits->first_out[c] & mask;
            for (uint32_t n = 0; n < count; n++)
                wrong |= layout->coordinate[c][x + n] ^ first ^ offset[n];
        }
    }
    return wrong == 0;
}

bool mapping_bits_of_layout(const struct mapping_layout *layout, struct bit_layout *bits) {
    struct table table = {layout, bits, 0};
    *bits = (struct bit_layout){.outer = 1};
    if (!measure(&table, bits))
        return false;
    bool is_checked = bits->outer == 1; /* checked by holds() */
    for (uint32_t c = 0; c < layout->to.count; c++)
        is_checked = is_checked && (layout->to.axis[c].size & (layout->to.axis[c].size - 1)) == 0;
    if (!is_checked && !is_inside(layout))
        return false;
    bits->base = point_of(&table, 0, 0);
    bits->step = bits->outer > 1 ? point_of(&table, 0, 1) - bits->base : 0;
    for (uint32_t b = 0; b < bits->bits.in; b++)
        bits->bits.column[b] = point_of(&table, UINT32_C(1) << b, 0) ^ bits->base;
    uint32_t toggled[32] = {0}, point = bits->base;
    for (uint32_t b = 0; b < bits->bits.in; b++)
        toggled[b] = bits->bits.column[b] ^ (b > 0 ? toggled[b - 1] : 0);
    if (bits->outer == 1)
        return holds(layout, bits, toggled);
    for (uint32_t x = 0; x < UINT32_C(1) << bits->bits.in; x++) {
        point ^= x > 0 ? toggled[__builtin_ctz(x)] : 0;
        for (uint32_t q = 0; q < bits->outer; q++)
            if (point_of(&table, x, q) != point + q * bits->step)
                return false;
    }
    return true;
}
