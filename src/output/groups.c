/* groups.c - reports of one name on several architectures; see groups.h. */
#include "output/groups.h"

#include "system/system.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const struct report *a, const struct report *b) {
    int names = strcmp(a->name, b->name);
    return names ? names : (a->tiling != NULL) - (b->tiling != NULL);
}

/* By name, then by architecture; of what is there twice, the one that comes first. */
static int by_name(const void *a, const void *b) {
    const struct report *const *one = a, *const *other = b;
    int names = compare_names(*one, *other);
    if (names == 0 && (*one)->arch != (*other)->arch)
        return (*one)->arch < (*other)->arch ? -1 : 1;
    return names ? names : (*one > *other) - (*one < *other);
}

static void collect(const struct groups *groups, size_t start, struct group *group) {
    *group = (struct group){.count = 0};
    for (size_t n = start;
         n < groups->count && compare_names(groups->sorted[start], groups->sorted[n]) == 0; n++) {
        const struct report *report = groups->sorted[n];
        size_t r = group->count, same = 0;
        if (r > 0 && group->reports[r - 1]->arch == report->arch)
            continue; /* named twice */
        while (same < r && !mapping_layout_equal(&group->reports[same]->forward.layout,
                                                 &report->forward.layout))
            same++;
        group->reports[r] = report;
        group->first[r] = same;
        group->differs |= same > 0;
        group->count++;
    }
}

bool groups_collect(const struct groups *groups, const struct report *report, struct group *group) {
    size_t start = groups->start[report - groups->first];
    if (start < groups->count)
        collect(groups, start, group);
    return start < groups->count;
}

void groups_make(const struct report *reports, size_t count, struct groups *groups) {
    *groups = (struct groups){reports, memory_get(count, sizeof *groups->sorted),
                              memory_get(count, sizeof *groups->start), count};
    for (size_t r = 0; r < count; r++) {
        groups->sorted[r] = &reports[r];
        groups->start[r] = count;
    }
    qsort(groups->sorted, count, sizeof *groups->sorted, by_name);
    for (size_t n = 0, start; n < count; n = start) {
        const struct report *earliest = groups->sorted[n];
        for (start = n;
             start < count && compare_names(groups->sorted[n], groups->sorted[start]) == 0; start++)
            if (groups->sorted[start] < earliest)
                earliest = groups->sorted[start];
        groups->start[earliest - reports] = n;
    }
}
