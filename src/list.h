/* list.h - which fragments there are, and what is known of them. */
#ifndef LIST_H
#define LIST_H

#include "options.h"

/* Makes the entries of the fragments that the options choose; *entries is for the caller to free.
 */
enum mapping_status list(const struct options *options, struct list_entry **entries, size_t *count,
                         struct mapping_error *error);

#endif
