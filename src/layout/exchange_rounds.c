/* exchange_rounds.c - the steps of a route: what each lane sends in each round, and where each item
 * is then. */
#include "layout/exchange_state.h"

#include <stdlib.h>
#include <string.h>

/* One round of a stage: items whose offset and detour differ by `coordinates`, in the vectors of
 * `mask`. */
struct round {
    struct exchange *exchange;
    const struct exchange_route *route;
    uint32_t mask, coordinates;
    bool is_last;                         /* of the stages: items go to their own threads */
    uint32_t vector;                      /* the xor of the vectors that `coordinates` says */
    uint32_t first[EXCHANGE_THREADS + 1]; /* in items[], of each receiving lane */
    uint32_t *items;                      /* that travel, by receiving lane */
    uint32_t *message;                    /* of each of them: message * per + slot */
    uint32_t *seen, *rank;                /* of each place: who has met it, and as which one */
    uint32_t messages;                    /* how many each lane sends */
    bool is_whole;                        /* messages are whole values */
};

/* ---- Who gets what ---- */

/* Lists elements by their coordinates in the vectors of the round: those with coordinates c are
 * elements[start[c]] to elements[start[c + 1] - 1]. */
static void list_elements(const struct round *round, uint32_t start[EXCHANGE_WARP + 1],
                          uint32_t *elements) {
    uint32_t total = round->exchange->plan->target.total, count = 0;
    for (uint32_t c = 0; c < EXCHANGE_WARP; c++) {
        start[c] = count;
        for (uint32_t e = 0; e < total && (c & ~round->mask) == 0; e++)
            if ((round->route->element[e] & round->mask) == c)
                elements[count++] = e;
    }
    start[EXCHANGE_WARP] = count;
}

/* Collects the items of the round by receiving lane, those of a lane by thread and element. Works
 * in message[]. */
static void collect(struct round *round) {
    const struct exchange *exchange = round->exchange;
    const struct exchange_route *route = round->route;
    uint32_t threads = exchange->plan->threads, total = exchange->plan->target.total;
    uint32_t start[EXCHANGE_WARP + 1], *elements = round->message;
    list_elements(round, start, elements);
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t fill[EXCHANGE_THREADS] = {0};
        memcpy(fill, round->first, pass ? threads * sizeof *fill : 0);
        for (uint32_t t = 0; t < threads; t++) {
            uint32_t c = (round->coordinates ^ route->coordinates[route->detour[t]]) & round->mask;
            uint32_t end = exchange->representative[t] == t ? start[c + 1] : 0;
            for (uint32_t n = start[c]; n < end; n++) {
                uint32_t item = t * total + elements[n];
                uint32_t to = round->is_last ? t : exchange->lane[item] ^ round->vector;
                if (pass)
                    round->items[fill[to]] = item;
                fill[to]++;
            }
        }
        for (uint32_t d = 0; d < threads && !pass; d++)
            round->first[d + 1] = round->first[d] + fill[d];
    }
}

/* True if all that a lane receives comes from one lane, which is the one that it reads from. */
static bool comes_from(const struct round *round, uint32_t to, uint32_t from) {
    for (uint32_t n = round->first[to]; n < round->first[to + 1]; n++)
        if (round->exchange->lane[round->items[n]] != from)
            return false;
    return true;
}

/* ---- What is sent ---- */

/* The place of what travels for item n: of elements that are needed as they are, that of the twin.
 */
static uint32_t place_of(const struct round *round, uint32_t n, bool by_word) {
    const struct exchange *exchange = round->exchange;
    return exchange->place[by_word ? round->items[n] : exchange->twin[round->items[n]]];
}

/* Numbers what a lane receives, in the order in which it is met: different places, or words. Writes
 * message[], and returns how many there are. */
static uint32_t number(struct round *round, uint32_t to, bool by_word) {
    unsigned shift = round->exchange->shift;
    uint32_t count = 0, inside = round->exchange->plan->per - 1;
    for (uint32_t n = round->first[to]; n < round->first[to + 1]; n++) {
        uint32_t place = place_of(round, n, by_word);
        uint32_t key = by_word ? place >> shift : place;
        if (round->seen[key] != to + 1) {
            round->seen[key] = to + 1;
            round->rank[key] = count++;
        }
        round->message[n] =
            by_word ? round->rank[key] << shift | (place & inside) : round->rank[key];
    }
    return count;
}

/* Numbers what all lanes receive. Returns how many messages that takes. */
static uint32_t number_all(struct round *round, bool by_word) {
    uint32_t most = 0, per = round->exchange->plan->per;
    size_t places = (size_t)mapping_exchange_values(round->exchange->plan) * per;
    memset(round->seen, 0, places * sizeof *round->seen);
    for (uint32_t d = 0; d < round->exchange->plan->threads; d++) {
        uint32_t count = number(round, d, by_word);
        most = count > most ? count : most;
    }
    return by_word ? most : (most + per - 1) / per;
}

/* Decides what messages consist of: whole words as they are, or where that would be more messages,
 * of what is needed alone. */
static void pack(struct round *round) {
    uint32_t fewest = number_all(round, false);
    round->messages = number_all(round, true);
    round->is_whole = round->messages <= fewest;
    if (!round->is_whole)
        round->messages = number_all(round, false);
}

/* Fills a table for each message: what lanes send. `source` says from where each lane reads. */
static void fill_tables(const struct round *round, const uint32_t *source, uint32_t *tables) {
    const struct exchange *exchange = round->exchange;
    uint32_t per = exchange->plan->per, threads = exchange->plan->threads;
    memset(tables, 0xff, (size_t)round->messages * threads * per * sizeof *tables);
    for (uint32_t d = 0; d < threads; d++)
        for (uint32_t n = round->first[d]; n < round->first[d + 1]; n++) {
            uint32_t place = place_of(round, n, round->is_whole), message = round->message[n];
            uint32_t *row =
                tables + (size_t)((message >> exchange->shift) * threads + source[d]) * per;
            for (uint32_t s = 0; s < per && round->is_whole; s++)
                row[s] = (place & ~(per - 1)) + s;
            row[message & (per - 1)] = place;
        }
}

/* Makes the steps of one message. Returns the value in which it is received. */
static uint32_t send(struct round *round, const uint32_t *table, uint32_t lanes) {
    uint32_t value = mapping_exchange_compose(round->exchange, table);
    if (value != MAPPING_NO_VALUE)
        value = mapping_exchange_shuffle(round->exchange, value, lanes);
    return value;
}

/* ---- Rounds ---- */

/* Moves the items to where they were received: message m as values[m]. */
static void arrive(struct round *round, const uint32_t *values) {
    struct exchange *exchange = round->exchange;
    uint32_t inside = exchange->plan->per - 1;
    for (uint32_t d = 0; d < exchange->plan->threads; d++)
        for (uint32_t n = round->first[d]; n < round->first[d + 1]; n++) {
            uint32_t item = round->items[n], message = round->message[n];
            exchange->place[item] =
                values[message >> exchange->shift] << exchange->shift | (message & inside);
            exchange->lane[item] = d;
        }
}

/* Makes the steps of a round whose messages are packed. */
static enum exchange_result send_all(struct round *round, const uint32_t *source) {
    const struct mapping_exchange *plan = round->exchange->plan;
    size_t size = (size_t)plan->threads * plan->per; /* of a table */
    uint32_t lanes, *values = malloc(round->messages * (1 + size) * sizeof *values);
    if (!values)
        return EXCHANGE_NO_MEMORY;
    uint32_t *tables = values + round->messages;
    fill_tables(round, source, tables);
    enum exchange_result result = mapping_exchange_add_lanes(round->exchange, source, &lanes);
    for (uint32_t m = 0; m < round->messages && result == EXCHANGE_DONE; m++) {
        values[m] = send(round, tables + m * size, lanes);
        if (values[m] == MAPPING_NO_VALUE)
            result = EXCHANGE_NO_MEMORY;
    }
    if (result == EXCHANGE_DONE)
        arrive(round, values);
    free(values);
    return result;
}

/* Does a round in which items move. */
static enum exchange_result move(struct round *round) {
    const struct exchange_route *route = round->route;
    uint32_t source[EXCHANGE_THREADS] = {0}, threads = round->exchange->plan->threads;
    collect(round);
    for (uint32_t d = 0; d < threads; d++) {
        uint32_t end = round->is_last ? route->start[d] ^ route->detour[d] : d;
        source[d] = end ^ round->vector;
        if (!comes_from(round, d, source[d]))
            return EXCHANGE_IMPOSSIBLE;
    }
    pack(round);
    return round->messages > 0 ? send_all(round, source) : EXCHANGE_DONE;
}

/* Does one round, with memory to work in. */
static enum exchange_result do_round(struct round *round) {
    struct exchange *exchange = round->exchange;
    size_t places = (size_t)mapping_exchange_values(exchange->plan) * exchange->plan->per;
    uint32_t *memory = malloc(2 * (exchange->items + places) * sizeof *memory);
    if (!memory)
        return EXCHANGE_NO_MEMORY;
    round->items = memory;
    round->message = round->items + exchange->items;
    round->seen = round->message + exchange->items;
    round->rank = round->seen + places;
    enum exchange_result result = move(round);
    free(memory);
    return result;
}

/* Gives threads that get the same as another one what that has. */
static void follow_representatives(struct exchange *exchange, bool is_last) {
    uint32_t total = exchange->plan->target.total;
    for (uint32_t t = 0; t < exchange->plan->threads; t++) {
        uint32_t other = exchange->representative[t];
        for (uint32_t e = 0; e < total && other != t; e++) {
            exchange->place[t * total + e] = exchange->place[other * total + e];
            exchange->lane[t * total + e] = is_last ? t : exchange->lane[other * total + e];
        }
    }
}

enum exchange_result mapping_exchange_follow(struct exchange *exchange,
                                             const struct exchange_route *route) {
    enum exchange_result result = EXCHANGE_DONE;
    uint32_t shift = 0;
    for (uint32_t stage = 0; stage < route->stages; shift += route->sizes[stage++]) {
        uint32_t rounds = UINT32_C(1) << route->sizes[stage];
        bool is_last = stage + 1 == route->stages;
        for (uint32_t j = 0; j < rounds && result == EXCHANGE_DONE; j++) {
            struct round round = {.exchange = exchange,
                                  .route = route,
                                  .mask = (rounds - 1) << shift,
                                  .coordinates = j << shift,
                                  .is_last = is_last};
            for (uint32_t b = 0; b < route->sizes[stage]; b++)
                round.vector ^= j >> b & 1 ? route->basis[shift + b] : 0;
            if (j > 0 || (is_last && !route->arrives))
                result = do_round(&round);
        }
        follow_representatives(exchange, is_last);
    }
    return result;
}
