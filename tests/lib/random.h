/* random.h - random numbers for tests, the same in each run: xorshift (Marsaglia, 2003). */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static inline uint32_t random_number(void) {
    static uint32_t state = 2463534242;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

/* A number below the end, or 0. */
static inline uint32_t random_below(uint32_t end) {
    return end > 0 ? random_number() % end : 0;
}

#endif
