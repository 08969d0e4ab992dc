/* exchange_choose.c - from which thread of the source each element of the target comes. */
#include "layout/exchange_state.h"

#include <stdlib.h>

/* Who holds each point of the source: holders in ascending order, each tid << 16 | element. */
struct holders {
    uint32_t *first; /* of a point: the number of its first holder + 1; 0 if there is none */
    uint32_t *next;  /* of a holder: the number of the next + 1; 0 at the end */
    uint32_t *holder;
};

static bool collect(const struct mapping_exchange *plan, size_t points, struct holders *holders) {
    const struct mapping_side *source = &plan->source;
    size_t entries = (size_t)plan->threads * source->total;
    holders->first = calloc(points, sizeof *holders->first);
    holders->next = malloc(entries * sizeof *holders->next);
    holders->holder = malloc(entries * sizeof *holders->holder);
    if (!holders->first || !holders->next || !holders->holder)
        return false;
    for (uint32_t t = plan->threads, n = (uint32_t)entries; t-- > 0;)
        for (uint32_t f = source->total; f-- > 0;) {
            uint32_t *first = &holders->first[source->points[--n]];
            holders->holder[n] = t << 16 | f;
            holders->next[n] = *first;
            *first = n + 1;
        }
    return true;
}

/* Chooses for element e of thread t: of the copies one that is in the thread itself if there is
 * one, else in a thread that differs in bits as low as possible; there one in the same slot, that
 * of the same number or the first. `inside` is per - 1. */
static bool choose(const struct holders *holders, uint32_t point, uint32_t t, uint32_t e,
                   uint32_t inside, uint32_t *lane, uint32_t *place) {
    uint32_t best = UINT32_MAX;
    for (uint32_t n = holders->first[point]; n > 0; n = holders->next[n - 1]) {
        uint32_t holder = holders->holder[n - 1], other = holder >> 16, f = holder & 0xffff;
        uint32_t elsewhere = (f ^ e) & inside ? 2 : f != e;
        uint32_t badness = (other ^ t) << 2 | elsewhere;
        if (badness >= best)
            continue;
        best = badness;
        *lane = other;
        *place = f;
    }
    return best != UINT32_MAX;
}

/* The bits of tid on which no element of the side depends. */
static uint32_t find_copy_bits(const struct mapping_exchange *plan,
                               const struct mapping_side *side) {
    uint32_t bits = 0;
    for (uint32_t bit = 1; bit < EXCHANGE_WARP; bit <<= 1) {
        bool is_free = true;
        for (uint32_t t = 0; t < plan->threads && is_free; t++)
            for (uint32_t e = 0; e < side->total && is_free; e++)
                is_free =
                    side->points[t * side->total + e] == side->points[(t ^ bit) * side->total + e];
        if (is_free)
            bits |= bit;
    }
    return bits;
}

/* Finds the twin of each item. met[] has room for a number for each point. */
static void find_twins(struct exchange *exchange, uint32_t *met) {
    const struct mapping_side *target = &exchange->plan->target;
    for (uint32_t n = 0; n < exchange->items; n++)
        met[target->points[n]] = EXCHANGE_NONE;
    for (uint32_t first = 0; first < exchange->items; first += target->total)
        for (uint32_t n = first; n < first + target->total; n++) {
            uint32_t *twin = &met[target->points[n]];
            if (*twin == EXCHANGE_NONE || *twin < first)
                *twin = n;
            exchange->twin[n] = *twin;
            exchange->distinct += *twin == n && first == 0;
        }
}

static enum exchange_result choose_all(struct exchange *exchange, const struct holders *holders) {
    const struct mapping_exchange *plan = exchange->plan;
    const struct mapping_side *target = &plan->target;
    uint32_t difference = 0;
    for (uint32_t t = 0, n = 0; t < plan->threads; t++)
        for (uint32_t e = 0; e < target->total; e++, n++) {
            if (!choose(holders, target->points[n], t, e, plan->per - 1, &exchange->lane[n],
                        &exchange->place[n]))
                return EXCHANGE_IMPOSSIBLE;
            difference |= exchange->lane[n] ^ t;
        }
    exchange->moves = difference != 0;
    exchange->plan->crosses_warps = difference >= EXCHANGE_WARP;
    return difference >= EXCHANGE_WARP ? EXCHANGE_IMPOSSIBLE : EXCHANGE_DONE;
}

enum exchange_result mapping_exchange_choose(struct exchange *exchange) {
    const struct mapping_exchange *plan = exchange->plan;
    size_t points = (size_t)plan->size[0] * plan->size[1] * plan->size[2];
    size_t entries = (size_t)plan->threads * plan->source.total;
    struct holders holders = {NULL, NULL, NULL};
    enum exchange_result result = EXCHANGE_NO_MEMORY;
    if (collect(plan, points, &holders)) {
        result = choose_all(exchange, &holders);
        find_twins(exchange, holders.first);
    }
    exchange->copy_bits = entries > points ? find_copy_bits(plan, &plan->source) : 0;
    free(holders.first);
    free(holders.next);
    free(holders.holder);
    return result;
}
