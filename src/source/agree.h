/* agree.h - from sources to observations: which source serves which fragment, and whether several
 * agree. */
#ifndef AGREE_H
#define AGREE_H

#include "source/source.h"

/* The first entry where two layouts of the same spaces differ: "thread 0, element 1", and where
 * each has it, "row 0, column 1". */
struct disagreement {
    char entry[128], one[128], other[128];
};

/* Finds it, for two layouts that are not equal. */
void find_disagreement(const struct mapping_layout *one, const struct mapping_layout *other,
                       struct disagreement *found);

/* Lets one source, which covers them all, make `count` observations, each of which has its
 * architecture, the same for all, and its fragment. What is only stated is compared with what is
 * recorded of a device. Statuses as of observe_function; the sentence begins with the source's
 * name.
 */
enum mapping_status observe_with(const struct source *source,
                                 struct observation *const *observations, size_t count,
                                 const struct machinery *machinery, struct mapping_error *error);

/* Makes each of the observations with the first source that can serve. MAPPING_UNAVAILABLE, with
 * what the others lack, if there is none for one of them. */
enum mapping_status observe_with_any(struct observation *const *observations, size_t count,
                                     const struct machinery *machinery,
                                     struct mapping_error *error);

/* Makes all of them with all of these sources. MAPPING_DIFFERS, with the first entry, if they do
 * not agree. */
enum mapping_status observe_with_all(const struct source *const *sources, size_t source_count,
                                     struct observation *const *observations, size_t count,
                                     const struct machinery *machinery,
                                     struct mapping_error *error);

#endif
