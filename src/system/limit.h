/* limit.h - how long something may take. What may take long asks now and then whether it is over.
 */
#ifndef LIMIT_H
#define LIMIT_H

#include "mapping.h"

struct limit {
    double seconds; /* that were given */
    double end;     /* by the clock that limit_left reads */
};

/* The time that begins now. */
struct limit limit_begin(double seconds);

/* The seconds that are left; none if it is 0 or less. */
double limit_left(const struct limit *limit);

/* MAPPING_FAILED with a sentence if the time of reading something is over, or a signal has arrived
 * since interrupt_begin. */
enum mapping_status limit_check(const struct limit *limit, struct mapping_error *error);

#endif
