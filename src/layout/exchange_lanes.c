/* exchange_lanes.c - from which lanes a thread needs something, and on which route it comes.
 *
 * The lane that has element e of thread t is start(t) ^ offset(e). Vectors are numbers of lanes, of
 * which xor is the sum; the offsets span a space of 2^k. Say v of them spans it.
 *
 * Directly, thread t reads in round j what has the offset j ^ detour(t), from lane start(t) ^
 * detour(t) ^ j; that takes 2^k rounds of 1 / 2^k of the words. The detour is such that the lane
 * is another one for each t: then no lane has to send two things at once. If it can be such that
 * the lane is t ^ j, then one of the rounds is none, as nothing moves.
 *
 * Where there are fewer words than rounds, their slots would be mostly empty. Then the vectors are
 * divided among stages: each gathers, by rounds of xors, what has the same offset in its part, as
 * in a butterfly. */
#include "layout/exchange_state.h"

#include <stdlib.h>
#include <string.h>

/* A space of vectors: reduced[b] is the one with highest bit b, or 0. */
struct span {
    uint32_t reduced[8];
    uint32_t dimension;
};

static uint32_t top_bit(uint32_t vector) {
    return 31 - (uint32_t)__builtin_clz(vector);
}

/* What is left of a vector when what lies in the span is taken away; 0 if all does. */
static uint32_t reduce(const struct span *span, uint32_t vector) {
    for (int b = 7; b >= 0; b--)
        if (vector >> b & 1)
            vector ^= span->reduced[b];
    return vector;
}

/* Adds a vector. False if it was in the span already. */
static bool extend(struct span *span, uint32_t vector) {
    vector = reduce(span, vector);
    if (vector == 0)
        return false;
    span->reduced[top_bit(vector)] = vector;
    span->dimension++;
    return true;
}

/* Splits lanes into what the thread and what the element contributes. False if they are none. */
static bool split(const struct exchange *exchange, struct exchange_route *route) {
    const struct mapping_exchange *plan = exchange->plan;
    uint32_t total = plan->target.total, difference = 0;
    const uint32_t *first = exchange->lane;
    for (uint32_t t = 0; t < plan->threads; t++) {
        const uint32_t *lane = first + (size_t)t * total;
        route->start[t] = lane[0];
        for (uint32_t e = 0; e < total; e++)
            difference |= lane[e] ^ lane[0] ^ first[e] ^ first[0];
    }
    for (uint32_t t = 1; t < plan->threads; t++) { /* is it linear? */
        uint32_t low = t & -t;
        difference |= route->start[t] ^ route->start[t ^ low] ^ route->start[low] ^ route->start[0];
    }
    return difference == 0;
}

/* Finds the vectors that span the offsets, and the coordinates of all that they span. */
static void find_basis(const struct exchange *exchange, struct exchange_route *route) {
    const uint32_t *lane = exchange->lane;
    struct span span = {.dimension = 0};
    for (uint32_t e = 0; e < exchange->plan->target.total; e++)
        if (extend(&span, lane[e] ^ lane[0]))
            route->basis[span.dimension - 1] = lane[e] ^ lane[0];
    route->dimension = span.dimension;
    for (uint32_t x = 0; x < EXCHANGE_WARP; x++)
        route->coordinates[x] = EXCHANGE_NONE;
    for (uint32_t c = 0; c < UINT32_C(1) << route->dimension; c++) {
        uint32_t x = 0;
        for (uint32_t b = 0; b < route->dimension; b++)
            x ^= c >> b & 1 ? route->basis[b] : 0;
        route->coordinates[x] = c;
    }
    for (uint32_t e = 0; e < exchange->plan->target.total; e++)
        route->element[e] = route->coordinates[lane[e] ^ lane[0]];
}

/* ---- Detours ---- */

/* True if threads t and t ^ bit get the same, for each t. */
static bool are_copies(const struct exchange *exchange, uint32_t bit) {
    uint32_t total = exchange->plan->target.total;
    size_t size = total * sizeof *exchange->lane;
    for (uint32_t t = 0; t < exchange->plan->threads; t++) {
        size_t one = (size_t)t * total, other = (size_t)(t ^ bit) * total;
        if (memcmp(exchange->lane + one, exchange->lane + other, size) != 0 ||
            memcmp(exchange->place + one, exchange->place + other, size) != 0)
            return false;
    }
    return true;
}

/* The detours that lead each thread to its own lane, or to t ^ c for one c; false if there are
 * none. `allowed` is what a detour may consist of. */
static bool detour_home(const struct exchange *exchange, const struct span *allowed,
                        struct exchange_route *route) {
    uint32_t constant = reduce(allowed, route->start[0]);
    for (uint32_t t = 0; t < exchange->plan->threads; t++) {
        route->detour[t] = route->start[t] ^ t ^ constant;
        if (reduce(allowed, route->detour[t]) != 0)
            return false;
    }
    route->arrives = constant == 0;
    return true;
}

/* A vector of threads, none of `copies`, that has no influence on the lane where all ends, or 0. */
static uint32_t find_conflict(const struct mapping_exchange *plan,
                              const struct exchange_route *route, uint32_t copies) {
    uint32_t origin = route->start[0] ^ route->detour[0];
    for (uint32_t t = 1; t < plan->threads; t++)
        if ((t & copies) == 0 && (route->start[t] ^ route->detour[t]) == origin)
            return t;
    return 0;
}

/* A vector out of `allowed` that is no difference of two lanes where all ends, or 0; that of `bit`
 * if possible. */
static uint32_t find_free(const struct mapping_exchange *plan, const struct exchange_route *route,
                          const struct span *allowed, uint32_t bit) {
    struct span image = {.dimension = 0};
    uint32_t origin = route->start[0] ^ route->detour[0];
    for (uint32_t t = 1; t < plan->threads; t <<= 1)
        extend(&image, route->start[t] ^ route->detour[t] ^ origin);
    if (reduce(allowed, bit) == 0 && reduce(&image, bit) != 0)
        return bit;
    for (int b = 0; b < 8; b++)
        if (allowed->reduced[b] && reduce(&image, allowed->reduced[b]) != 0)
            return allowed->reduced[b];
    return 0;
}

/* The detours that lead to different lanes all threads but those that get the same. Bit by bit: a
 * vector that makes no difference yet is made to make one. */
static bool detour_anywhere(struct exchange *exchange, const struct span *allowed,
                            struct exchange_route *route) {
    const struct mapping_exchange *plan = exchange->plan;
    uint32_t copies = 0, conflict;
    for (uint32_t bit = 1; bit < plan->threads; bit <<= 1)
        copies |= are_copies(exchange, bit) ? bit : 0;
    memset(route->detour, 0, sizeof route->detour);
    while ((conflict = find_conflict(plan, route, copies)) != 0) {
        uint32_t bit = conflict & -conflict;
        uint32_t vector = find_free(plan, route, allowed, bit);
        if (vector == 0)
            return false;
        for (uint32_t t = 0; t < plan->threads; t++)
            route->detour[t] ^= t & bit ? vector : 0;
    }
    for (uint32_t t = 0; t < plan->threads; t++)
        exchange->representative[t] = t & ~copies;
    return true;
}

static bool find_detours(struct exchange *exchange, struct exchange_route *route) {
    struct span allowed = {.dimension = 0};
    for (uint32_t b = 0; b < route->dimension; b++)
        extend(&allowed, route->basis[b]);
    for (uint32_t bits = exchange->copy_bits; bits; bits &= bits - 1)
        extend(&allowed, bits & -bits);
    for (uint32_t t = 0; t < exchange->plan->threads; t++)
        exchange->representative[t] = t;
    return detour_home(exchange, &allowed, route) || detour_anywhere(exchange, &allowed, route);
}

/* Where copies are, there is a choice of where to start: what a detour has of their bits is that.
 */
static void choose_copies(struct exchange *exchange, struct exchange_route *route) {
    const struct mapping_exchange *plan = exchange->plan;
    for (uint32_t t = 0; t < plan->threads; t++) {
        uint32_t moved = 0; /* the part of the detour that is no xor of offsets */
        for (uint32_t bits = exchange->copy_bits;; bits = (bits - 1) & exchange->copy_bits) {
            if (route->coordinates[(route->detour[t] ^ bits) % EXCHANGE_WARP] != EXCHANGE_NONE)
                moved = bits;
            if (bits == 0)
                break;
        }
        route->start[t] ^= moved;
        route->detour[t] ^= moved;
        for (uint32_t e = 0; e < plan->target.total; e++)
            exchange->lane[(size_t)t * plan->target.total + e] ^= moved;
    }
}

/* ---- Stages ---- */

/* The shuffles of a stage of 2^d rounds, of which one may be none. */
static uint32_t count_shuffles(const struct exchange *exchange, uint32_t d, bool is_one_free) {
    uint32_t rounds = UINT32_C(1) << d, room = rounds * exchange->plan->per;
    return (rounds - is_one_free) * ((exchange->distinct + room - 1) / room);
}

/* Divides the vectors among as many stages as take the fewest shuffles; of these the fewest. Bit b
 * of `ends` says that a stage ends behind vector b. */
static void divide(const struct exchange *exchange, struct exchange_route *route) {
    uint32_t best = UINT32_MAX, dimension = route->dimension;
    for (uint32_t ends = 0; ends < UINT32_C(1) << dimension; ends++) {
        uint32_t sizes[EXCHANGE_LANE_BITS + 1] = {0}, stages = 1, shuffles = 0;
        for (uint32_t b = 0; b < dimension; b++) {
            sizes[stages - 1]++;
            stages += ends >> b & 1;
        }
        if (sizes[stages - 1] == 0 && route->arrives && stages > 1)
            stages--; /* nothing is left to do */
        for (uint32_t s = 0; s < stages; s++)
            shuffles += count_shuffles(exchange, sizes[s], s + 1 < stages || route->arrives);
        if (shuffles * 8 + stages >= best)
            continue;
        best = shuffles * 8 + stages;
        route->stages = stages;
        memcpy(route->sizes, sizes, sizeof sizes);
    }
}

enum exchange_result mapping_exchange_find_route(struct exchange *exchange,
                                                 struct exchange_route *route) {
    uint32_t total = exchange->plan->target.total;
    *route = (struct exchange_route){.element = malloc(total * sizeof *route->element)};
    if (!route->element)
        return EXCHANGE_NO_MEMORY;
    if (!split(exchange, route))
        return EXCHANGE_IMPOSSIBLE;
    find_basis(exchange, route);
    if (!find_detours(exchange, route))
        return EXCHANGE_IMPOSSIBLE;
    choose_copies(exchange, route);
    divide(exchange, route);
    return EXCHANGE_DONE;
}
