/* context.h - the data of a context of mapping.h, and functions that run other functions in its
 * arenas. */
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
    struct mapping_arena *arena; /* of the last mapping_run; NULL before the first call */
    struct kept *kept;           /* the innermost arena of results; NULL before the first result */
    struct mapping_error message;
};

/* Calls a function that allocates from an arena. The context's message becomes `error`.
 * MAPPING_FAILED if memory runs out. */
typedef enum mapping_status arena_work(void *arguments, struct mapping_error *error);
enum mapping_status context_work_in(mapping *context, struct mapping_arena **arena,
                                    arena_work *work, void *arguments);

/* The same for a function whose results are kept: in the innermost arena of results. */
enum mapping_status context_work(mapping *context, arena_work *work, void *arguments);

/* Frees an arena, which may be NULL, and sets it to NULL. */
void context_free(struct mapping_arena **arena);

/* Fails because a pointer, perhaps the context itself, must not be NULL. */
enum mapping_status context_refuse_null(mapping *context);

/* True if no word of a command line is NULL. */
bool context_has_words(size_t count, const char *const words[]);

#endif
