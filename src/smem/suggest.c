/* suggest.c - suggests layouts of a tile in shared memory; see suggest.h.
 *
 * Every candidate is a table of offsets. The program simulates the requested accesses on it
 * everywhere in the tile, so wavefronts are counted, not estimated. */
#include "smem/suggest.h"

#include "layout/f2.h"
#include "system/arena.h"

#include <stdlib.h>
#include <string.h>

struct search {
    const struct mapping_suggest_request *request;
    struct mapping_cute plain;       /* the tile without swizzle and padding */
    struct mapping_layout candidate; /* owned; it has the spaces of the tile */
    int size_bits;                   /* the number of bits of the largest offset */
    struct mapping_suggestions *found;
    uint32_t like[SUGGEST_USES_MAX]; /* the first use that is the same as this one */
    bool wants_free;                 /* candidates with bank conflicts are not counted to the end */
};

/* ---- Counting ---- */

/* The wavefronts of accesses, and their number without bank conflicts. */
struct cost {
    uint32_t wavefronts, minimum;
};

/* Adds the cost of a plan, and frees the plan. False if planning failed, or if the plan has bank
 * conflicts and wants_free is set. */
static bool add_plan(struct search *search, enum mapping_status status,
                     struct mapping_copy_plan *plan, struct cost *cost) {
    const bool is_free = plan->wavefronts == plan->minimum;
    cost->wavefronts += plan->wavefronts;
    cost->minimum += plan->minimum;
    mapping_copy_plan_free(plan);
    return status == MAPPING_OK && (is_free || !search->wants_free);
}

/* The request of one use, at row 0 and column 0 of the candidate. */
static struct mapping_copy_request request_of(const struct search *search,
                                              const struct mapping_use *use) {
    return (struct mapping_copy_request){.memory = &search->candidate,
                                         .fragment = use->fragment,
                                         .bits = use->bits ? use->bits : search->request->bits,
                                         .memory_bits = search->request->bits,
                                         .is_signed = search->request->is_signed,
                                         .is_store = use->is_store,
                                         .arch = search->request->arch};
}

/* True if the elements of the fragment at `there` have the offsets of those at `here`, plus or
 * exclusive-or a constant that is a multiple of 16 bytes. Then each access has the same bank
 * conflicts: the constant permutes the banks, and the words of each bank. */
static bool is_moved(const struct search *search, const struct mapping_use *use,
                     const uint32_t *here, const uint32_t *there) {
    const struct mapping_axis *step = use->fragment->to.axis;
    const size_t cols = search->candidate.from.axis[1].size;
    const uint32_t farther = *there - *here, changed = *there ^ *here;
    const uint32_t bits = search->request->bits, factor = bits & -bits; /* a power of two */
    const uint32_t below = 128 / factor - 1;
    bool is_sum = (farther & below) == 0, is_xor = (changed & below) == 0 && bits == factor;
    for (size_t r = 0; r < step[0].size && (is_sum || is_xor); r++)
        for (size_t c = 0; c < step[1].size; c++) {
            const uint32_t one = here[r * cols + c], other = there[r * cols + c];
            is_sum = is_sum && other == one + farther;
            is_xor = is_xor && other == (one ^ changed);
        }
    return is_sum || is_xor;
}

/* Counts the wavefronts of one operation at all multiples of the fragment's size. False if it fails
 * at one of them, takes `most` wavefronts or more, or has bank conflicts and wants_free is set. */
static bool count_everywhere(struct search *search, const struct mapping_use *use,
                             const struct mapping_access *with, uint32_t most, struct cost *cost) {
    enum { PLANNED = 32 }; /* the number of places that later ones are compared with */
    struct planned {
        const uint32_t *place;
        struct cost cost;
    } planned[PLANNED];
    struct mapping_copy_request request = request_of(search, use);
    const struct mapping_axis *size = search->candidate.from.axis, *step = use->fragment->to.axis;
    uint64_t left = (uint64_t)(size[0].size / step[0].size) * (size[1].size / step[1].size);
    uint32_t count = 0;
    *cost = (struct cost){0, 0};
    for (uint32_t row = 0; row < size[0].size; row += step[0].size)
        for (uint32_t col = 0; col < size[1].size; col += step[1].size) {
            const uint32_t *place =
                search->candidate.coordinate[0] + (size_t)row * size[1].size + col;
            struct cost here = {0, 0};
            struct mapping_copy_plan plan;
            uint32_t p = 0;
            while (p < count && !is_moved(search, use, planned[p].place, place))
                p++;
            request.origin[0] = row;
            request.origin[1] = col;
            if (p < count)
                here = planned[p].cost;
            else if (!add_plan(search, mapping_copy_plan_make(&request, with, &plan, NULL), &plan,
                               &here))
                return false;
            if (p == count && count < PLANNED)
                planned[count++] = (struct planned){place, here};
            cost->wavefronts += here.wavefronts;
            cost->minimum += here.minimum;
            /* The places that are left take at least the minimum each. */
            if (cost->wavefronts + --left * here.minimum >= most)
                return false;
        }
    return true;
}

/* Counts with the operation that takes the fewest wavefronts everywhere in the tile. If several are
 * equal, whole matrices come first, then wider accesses. If no operation is possible, *with is NULL
 * and the result is false. */
static bool count_best(struct search *search, const struct mapping_use *use,
                       const struct mapping_access **with, struct cost *cost) {
    const struct mapping_copy_request request = request_of(search, use);
    const struct mapping_access *access;
    struct cost counted;
    cost->wavefronts = UINT32_MAX;
    for (int plain = 0; plain < 2; plain++)
        for (size_t a = 0; (access = mapping_access_at(a)); a++)
            if ((access->matrices == 0) == plain && mapping_copy_plan_suits(&request, access) &&
                (!access->matrices || !*with || (*with)->matrices <= access->matrices ||
                 (*with)->rows != access->rows || (*with)->unit != access->unit ||
                 (*with)->is_transposed != access->is_transposed) && /* no fewer matrices */
                count_everywhere(search, use, access, cost->wavefronts, &counted)) {
                *cost = counted;
                *with = access;
            }
    return *with;
}

/* Plans the copy of a whole tile. */
static enum mapping_status plan_copy(const struct search *search, const struct mapping_use *use,
                                     struct mapping_copy_plan *plan, struct mapping_error *error) {
    const uint32_t bits = search->request->bits;
    *plan = (struct mapping_copy_plan){.steps = NULL};
    enum mapping_status status =
        use->is_tma ? mapping_tma_find(&search->candidate, bits, NULL, error) : MAPPING_OK;
    return status == MAPPING_OK ? mapping_copy_plan_matrix(&search->candidate, bits, plan, error)
                                : status;
}

static bool count_copy(struct search *search, const struct mapping_use *use, struct cost *cost) {
    struct mapping_copy_plan plan;
    enum mapping_status status = plan_copy(search, use, &plan, NULL);
    *cost = (struct cost){0, 0};
    return add_plan(search, status, &plan, cost);
}

/* Counts the wavefronts of all uses of the candidate, each with its operation, or with the best
 * one, which is stored in `suggestion`. False for the reasons given at count_everywhere(). */
static bool count_all(struct search *search, struct mapping_suggestion *suggestion) {
    struct cost costs[SUGGEST_USES_MAX] = {{0}};
    suggestion->wavefronts = suggestion->minimum = 0;
    for (uint32_t u = 0; u < search->request->use_count; u++) {
        const struct mapping_use *use = &search->request->uses[u];
        const struct mapping_access **with = &suggestion->with[u];
        const uint32_t like = search->like[u];
        struct cost *cost = &costs[u];
        if (use->with)
            *with = use->with;
        if (like < u) {
            *with = suggestion->with[like];
            *cost = costs[like];
        } else if (!(!use->fragment ? count_copy(search, use, cost)
                     : *with        ? count_everywhere(search, use, *with, UINT32_MAX, cost)
                                    : count_best(search, use, with, cost))) {
            return false;
        }
        suggestion->each[u] = cost->wavefronts;
        suggestion->wavefronts += cost->wavefronts;
        suggestion->minimum += cost->minimum;
    }
    return true;
}

/* Adds a candidate that has been counted. */
static void add(struct search *search, struct mapping_suggestion *suggestion) {
    struct mapping_suggestions *found = search->found;
    found->items =
        array_grow(found->items, found->count, 1, &found->capacity, sizeof *found->items);
    uint64_t bits = search->request->bits, elements = mapping_layout_entries(&search->candidate);
    suggestion->wasted =
        (uint32_t)((search->candidate.to.axis[0].size * bits + 7) / 8 - elements * bits / 8);
    found->items[found->count++] = *suggestion;
}

/* ---- Swizzles and paddings ---- */

/* Makes the candidate that a layout of CuTe gives. */
static void make_table(struct search *search, const struct mapping_cute *cute) {
    struct mapping_layout *table = &search->candidate;
    table->to.axis[0].size = mapping_cute_fill(cute, 0, table->coordinate[0]) + 1;
}

static void try_layout(struct search *search, struct mapping_suggestion *suggestion) {
    make_table(search, &suggestion->layout);
    const uint64_t bits = (uint64_t)search->candidate.to.axis[0].size * search->request->bits;
    if (bits <= SHARED_BYTES_MAX * UINT64_C(8) && count_all(search, suggestion))
        add(search, suggestion);
}

static void try_swizzles(struct search *search) {
    for (int bits = 1; 2 * bits <= search->size_bits; bits++)
        for (int shift = bits; bits + shift <= search->size_bits; shift++)
            for (int base = 0; base + shift + bits <= search->size_bits; base++) {
                struct mapping_suggestion suggestion = {.kind = SUGGEST_SWIZZLE,
                                                        .layout = search->plain};
                suggestion.layout.swizzle = (struct mapping_swizzle){bits, base, shift};
                try_layout(search, &suggestion);
            }
}

/* Makes each row longer, or each column if columns are contiguous; only for layouts with one stride
 * for each axis. */
static void try_paddings(struct search *search) {
    const struct mapping_modes *rows = &search->plain.axis[0], *cols = &search->plain.axis[1];
    if (rows->count != 1 || cols->count != 1)
        return;
    uint32_t far = rows->stride[0] > cols->stride[0] ? 0 : 1U;
    uint32_t most = SUGGEST_PADDING_BYTES * 8 / search->request->bits;
    for (uint32_t padding = 1; padding <= most; padding++) {
        struct mapping_suggestion suggestion = {
            .kind = SUGGEST_PADDING, .layout = search->plain, .padding = padding};
        suggestion.layout.axis[far].stride[0] += padding;
        try_layout(search, &suggestion);
    }
}

/* ---- What TMA writes ---- */

/* Tries boxes as wide as each of TMA's swizzles, side by side along the contiguous axis. */
static void try_boxes(struct search *search) {
    const struct mapping_axis *size = search->candidate.from.axis;
    const uint32_t bits = search->request->bits;
    uint32_t inner =
        search->plain.axis[0].count > 0 && search->plain.axis[0].stride[0] == 1 ? 0 : 1;
    if ((bits & (bits - 1)) != 0)
        return;
    int base = 0;
    while (bits << base < 128)
        base++;
    /* in this order: 32B, 64B, 128B, 128B_ATOM_32B and 128B_ATOM_64B */
    const struct mapping_swizzle modes[] = {
        {1, base, 3}, {2, base, 3}, {3, base, 3}, {2, base + 1, 2}, {1, base + 2, 1}};
    const size_t count = search->request->arch < 100 ? 3 : sizeof modes / sizeof *modes;
    for (size_t m = 0; m < count; m++) {
        const uint32_t bytes = m < 2 ? 32U << m : 128, width = bytes * 8 / bits;
        const uint32_t lines = size[!inner].size;
        struct mapping_suggestion suggestion = {.kind = SUGGEST_SWIZZLE};
        struct mapping_cute *cute = &suggestion.layout;
        if (size[inner].size % width != 0)
            continue;
        cute->count = 2;
        cute->swizzle = modes[m];
        cute->axis[inner] = (struct mapping_modes){1, {width}, {1}};
        if (size[inner].size > width)
            cute->axis[inner] =
                (struct mapping_modes){2, {width, size[inner].size / width}, {1, width * lines}};
        cute->axis[!inner] = (struct mapping_modes){1, {lines}, {width}};
        try_layout(search, &suggestion);
    }
}

static bool has_tma(const struct mapping_suggest_request *request) {
    for (uint32_t u = 0; u < request->use_count; u++)
        if (request->uses[u].is_tma)
            return true;
    return false;
}

/* ---- Orders ---- */

/* Bits of the offset above a piece of 16 bytes: 3 for its place among all banks, then those that
 * are exclusive-ored into them. */
enum { PLACE_BITS = 3, ORDERS_MAX = 1 << 16 };

/* An order of the bits of an offset: bit n of the new offset is bit[n] of the old one. */
struct order {
    uint8_t bit[32];
    uint32_t low, count; /* bits below `low` are not moved; `count` is the number of all bits */
};

/* Makes the candidate for an order and a swizzle. Both are linear, so the contribution of each bit
 * of the element number is computed separately. */
static void apply_order(struct search *search, const struct f2 *plain, const struct order *order,
                        const struct mapping_swizzle *swizzle) {
    struct f2 ordered = {.in = plain->in};
    for (uint32_t b = 0; b < plain->in; b++) {
        for (uint32_t n = 0; n < order->count; n++)
            ordered.column[b] |= (plain->column[b] >> order->bit[n] & 1) << n;
        ordered.column[b] = mapping_swizzled(swizzle, ordered.column[b]);
    }
    uint32_t *offset = search->candidate.coordinate[0];
    offset[0] = 0;
    for (uint32_t b = 0, count = 1; b < plain->in; b++, count *= 2)
        for (uint32_t n = 0; n < count; n++)
            offset[count + n] = offset[n] ^ ordered.column[b];
}

/* Tries one order with a swizzle. True if it has no bank conflicts. */
static bool try_order(struct search *search, const struct f2 *plain, const struct order *order,
                      int bits) {
    struct mapping_suggestion suggestion = {.kind = SUGGEST_ORDER};
    const struct mapping_swizzle none = {.bits = 0}, swizzle = {bits, (int)order->low, PLACE_BITS};
    memcpy(suggestion.with, search->found->items[0].with, sizeof suggestion.with);
    apply_order(search, plain, order, &swizzle);
    if (!count_all(search, &suggestion))
        return false;
    apply_order(search, plain, order, &none);
    if (!mapping_cute_find(&search->candidate.from, search->candidate.coordinate[0],
                           &suggestion.layout))
        return false;
    suggestion.layout.swizzle = swizzle;
    add(search, &suggestion);
    return true;
}

/* Tries all choices of bits for the places from `place` to `end`; others keep their order. */
static bool try_orders(struct search *search, const struct f2 *plain, struct order *order,
                       uint32_t place, uint32_t end, int bits) {
    if (place == end)
        return try_order(search, plain, order, bits);
    const struct order before = *order;
    for (uint32_t b = place; b < order->count; b++) {
        *order = before;
        order->bit[place] = before.bit[b];
        for (uint32_t n = place; n < b; n++)
            order->bit[n + 1] = before.bit[n];
        if (try_orders(search, plain, order, place + 1, end, bits))
            return true;
    }
    *order = before;
    return false;
}

/* Searches for an order without bank conflicts, if the sizes of the tile are powers of two and the
 * tile fills its memory. */
static void find_order(struct search *search) {
    const struct mapping_layout *matrix = &search->candidate;
    const size_t entries = mapping_layout_entries(matrix);
    struct order order = {.low = 0, .count = (uint32_t)search->size_bits};
    struct bit_layout plain;
    if ((search->request->bits & (search->request->bits - 1)) != 0)
        return;
    make_table(search, &search->plain);
    for (uint32_t bits = search->request->bits; bits < 128; bits *= 2)
        order.low++;
    if (order.count < order.low + PLACE_BITS || matrix->to.axis[0].size != entries ||
        !mapping_bits_of_layout(matrix, &plain) || plain.outer > 1)
        return;
    search->wants_free = true;
    search->candidate.to.axis[0].size = (uint32_t)entries;
    uint64_t orders = 1; /* the number of orders to try */
    for (uint32_t n = 0; n < PLACE_BITS; n++)
        orders *= order.count - order.low - n;
    bool is_found = false;
    for (int bits = 0; bits <= PLACE_BITS && !is_found; bits++) {
        const uint32_t chosen = PLACE_BITS + (uint32_t)bits;
        if (order.low + chosen > order.count || orders > ORDERS_MAX)
            break;
        for (uint32_t b = 0; b < order.count; b++)
            order.bit[b] = (uint8_t)b;
        is_found = try_orders(search, &plain.bits, &order, order.low, order.low + chosen, bits);
        orders *= order.count - order.low - chosen;
    }
}

/* ---- All ---- */

static int compare(const void *a, const void *b) {
    const struct mapping_suggestion *one = a, *other = b;
    const struct mapping_swizzle *s = &one->layout.swizzle, *t = &other->layout.swizzle;
    const int64_t keys[][2] = {{one->wavefronts, other->wavefronts},
                               {one->wasted, other->wasted},
                               {one->kind, other->kind},
                               {one->padding, other->padding},
                               {s->bits, t->bits},
                               {s->shift, t->shift},
                               {s->base, t->base}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (keys[k][0] != keys[k][1])
            return keys[k][0] < keys[k][1] ? -1 : 1;
    return 0;
}

/* Finds the tile's layout without its swizzle, and checks that fragments divide its sizes. */
static enum mapping_status check(const struct mapping_suggest_request *request,
                                 struct mapping_cute *plain, struct mapping_error *error) {
    const struct mapping_layout *matrix = request->matrix;
    if (!mapping_cute_find(&matrix->from, matrix->coordinate[0], plain))
        return mapping_fail(
            error, MAPPING_INVALID, "--suggest needs a layout of CuTe, such as (%u,%u):(%u,1)",
            matrix->from.axis[0].size, matrix->from.axis[1].size, matrix->from.axis[1].size);
    plain->swizzle = (struct mapping_swizzle){.bits = 0};
    uint64_t bytes = (uint64_t)matrix->to.axis[0].size * request->bits / 8;
    if (bytes > SHARED_BYTES_MAX)
        return mapping_fail(
            error, MAPPING_INVALID,
            "a tile of %llu bytes is larger than shared memory, which has at most %d bytes",
            (unsigned long long)bytes, SHARED_BYTES_MAX);
    for (uint32_t u = 0; u < request->use_count; u++)
        for (uint32_t a = 0; a < 2 && request->uses[u].fragment; a++) {
            const struct mapping_axis *size = &request->uses[u].fragment->to.axis[a];
            if (matrix->from.axis[a].size % size->size != 0)
                return mapping_fail(error, MAPPING_INVALID,
                                    "the %ux%u tile is not a multiple of the %ux%u fragment",
                                    matrix->from.axis[0].size, matrix->from.axis[1].size,
                                    request->uses[u].fragment->to.axis[0].size,
                                    request->uses[u].fragment->to.axis[1].size);
        }
    return MAPPING_OK;
}

/* Reports why no candidate serves all uses: the first use that the plain tile lacks. */
static enum mapping_status fail_uses(struct search *search, struct mapping_error *error) {
    const struct mapping_suggest_request *request = search->request;
    enum mapping_status status = MAPPING_OK;
    make_table(search, &search->plain);
    for (uint32_t u = 0; u < request->use_count && status == MAPPING_OK; u++) {
        const struct mapping_use *use = &request->uses[u];
        const struct mapping_copy_request wanted = request_of(search, use);
        struct mapping_copy_plan plan = {.steps = NULL}, *plans = NULL;
        size_t count = 0;
        if (!use->fragment)
            status = plan_copy(search, use, &plan, error);
        else if (use->with)
            status = mapping_copy_plan_make(&wanted, use->with, &plan, error);
        else
            status = mapping_copy_plan_all(&wanted, &plans, &count, error);
        for (size_t p = 0; p < count; p++)
            mapping_copy_plan_free(&plans[p]);
        mapping_free(plans);
        mapping_copy_plan_free(&plan);
    }
    return status != MAPPING_OK
               ? status
               : mapping_fail(error, MAPPING_INVALID,
                              "no swizzle or padding works for all of these accesses in the whole "
                              "tile");
}

/* True if two uses take the same wavefronts with every candidate. */
static bool are_same(const struct mapping_use *a, const struct mapping_use *b) {
    return a->with == b->with && a->bits == b->bits && a->is_store == b->is_store &&
           a->is_tma == b->is_tma && !a->fragment == !b->fragment &&
           (!a->fragment || layout_equal(a->fragment, b->fragment));
}

enum mapping_status mapping_suggest(const struct mapping_suggest_request *request,
                                    struct mapping_suggestions *suggestions,
                                    struct mapping_error *error) {
    struct search search = {.request = request, .found = suggestions};
    const struct mapping_layout *matrix = request->matrix;
    *suggestions = (struct mapping_suggestions){.items = NULL};
    enum mapping_status status = check(request, &search.plain, error);
    if (status == MAPPING_OK)
        status = mapping_layout_init(&search.candidate, &matrix->from, &matrix->to, error);
    if (status != MAPPING_OK)
        return status;
    for (uint32_t u = 0; u < request->use_count; u++)
        while (!are_same(&request->uses[search.like[u]], &request->uses[u]))
            search.like[u]++;
    while ((matrix->to.axis[0].size - 1) >> search.size_bits)
        search.size_bits++;
    struct mapping_suggestion plain = {.kind = SUGGEST_PLAIN, .layout = search.plain};
    try_layout(&search, &plain);
    if (has_tma(request)) {
        try_boxes(&search);
    } else {
        try_swizzles(&search);
        try_paddings(&search);
    }
    if (suggestions->count > 0) {
        qsort(suggestions->items, suggestions->count, sizeof *suggestions->items, compare);
        const struct mapping_suggestion *best = suggestions->items;
        if (!has_tma(request) && (best->wavefronts > best->minimum || best->wasted > 0))
            find_order(&search);
        qsort(suggestions->items, suggestions->count, sizeof *suggestions->items, compare);
    } else {
        status = fail_uses(&search, error);
    }
    mapping_layout_free(&search.candidate);
    return status;
}
