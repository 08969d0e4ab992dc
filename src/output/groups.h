/* groups.h - reports of one name on several architectures, which a header has as one. */
#ifndef GROUPS_H
#define GROUPS_H

#include "report/report.h"

/* Reports of one fragment, by ascending architecture; first[r] is the first with the layout of
 * report r. */
struct group {
    const struct report *reports[MAPPING_ARCHS_MAX];
    size_t count, first[MAPPING_ARCHS_MAX];
    bool differs; /* there are several layouts */
};

/* All reports by name, and for each of them where its group begins in that, if it is printed there:
 * where its first report is met. */
struct groups {
    const struct report *first, **sorted;
    size_t *start, count;
};

/* Sorts the reports, and notes where each group is printed. */
void groups_make(const struct report *reports, size_t count, struct groups *groups);

/* Collects the group that is printed where a report is met; false if that is another one's place.
 */
bool groups_collect(const struct groups *groups, const struct report *report, struct group *group);

#endif
