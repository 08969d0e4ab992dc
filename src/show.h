/* show.h - from a request to reports. */
#ifndef SHOW_H
#define SHOW_H

#include "options.h"

/* Makes the reports that the options ask for, `*count` of them; owned by the caller, also after a
 * failure: free them with show_free. MAPPING_NO_FORMULA if one has no formula. */
enum mapping_status show(const struct options *options, struct report **reports, size_t *count,
                         struct mapping_error *error);

/* Makes reports of `count` fragments from one source, which covers them. `reports` are zeroed
 * before. */
enum mapping_status show_from(const struct source *source, unsigned arch,
                              const struct mapping_fragment *fragments, size_t count,
                              const struct source_options *options, struct report *reports,
                              struct mapping_error *error);

void show_free(struct report *reports, size_t count);

#endif
