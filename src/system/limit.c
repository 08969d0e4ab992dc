/* limit.c - how long something may take; see limit.h. */
#include "system/limit.h"

#include "system/interrupt.h"

#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct limit limit_begin(double seconds) {
    return (struct limit){seconds, now() + seconds};
}

double limit_left(const struct limit *limit) {
    return limit->end - now();
}

enum mapping_status limit_check(const struct limit *limit, struct mapping_error *error) {
    if (interrupted())
        return mapping_fail(error, MAPPING_FAILED, "interrupted");
    if (limit_left(limit) <= 0)
        return mapping_fail(error, MAPPING_FAILED,
                            "reading took longer than %g s; raise the limit with --timeout=SECS",
                            limit->seconds);
    return MAPPING_OK;
}
