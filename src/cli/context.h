/* context.h - the data of a context of mapping.h, and functions that run in its memory. */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "system/error.h"

/* An arena of results. A mark begins a new arena, which holds all results until its release. */
struct kept {
    struct kept *outer;
    struct mapping_arena *arena;
    bool is_marked;
};

struct mapping {
    struct mapping_options options;
    struct mapping_arena *arena; /* of the last mapping_run; NULL before the first */
    struct kept *kept;           /* the innermost; NULL before the first result */
    struct mapping_error message;
};

/* Does the work of a function whose results are kept: its allocations come from the innermost
 * arena. The message becomes what the work leaves in `error`. If memory runs out, MAPPING_FAILED.
 */
typedef enum mapping_status kept_work(mapping *context, void *arguments,
                                      struct mapping_error *error);
enum mapping_status context_work(mapping *context, kept_work *work, void *arguments);

/* Refuses a call with a pointer that must not be NULL, perhaps that of the context. */
enum mapping_status context_refuse_null(mapping *context);

/* True if the words of a command line are there. */
bool context_has_words(size_t count, const char *const words[]);

#endif
