/* sample.h - how many of thousands of cases a test tries. All tests use this rule: scripts by
 * `one_in` of tap.sh, Python by `sample` of tap.py.
 *
 * `make test` tries one case in N, evenly spread. `make test THOROUGH=1` tries all cases, and
 * THOROUGH=2 also those that take a quarter of an hour. Fewer cases are tried if tests run many
 * times slower: under valgrind with VALGRIND=1, and in `make msan` and `make asan` with FEW=1. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static inline int thoroughness(void) {
    const char *text = getenv("THOROUGH");
    return text ? atoi(text) : 0;
}

/* True if tests run many times slower than usual. */
static inline bool is_slow(void) {
    return getenv("VALGRIND") || getenv("FEW");
}

/* The number to divide by: 1, that of `make test`, or that of a slow run. */
static inline size_t one_in(size_t usually, size_t when_slow) {
    return is_slow() ? when_slow : thoroughness() > 0 ? 1 : usually;
}

/* True for one number in `divisor`. Multiples of the golden ratio are spread evenly between 0 and
 * 2^32, and share no period with the numbering of cases, unlike every third or hundredth case. */
static inline bool is_in_sample(size_t number, size_t divisor) {
    return (uint32_t)(number * UINT32_C(2654435769)) <= UINT32_MAX / divisor;
}

#endif
