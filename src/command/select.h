/* select.h - selects the architecture and the fragments of a request. */
#ifndef SELECT_H
#define SELECT_H

#include "command/request.h"
#include "command/resolve.h"

/* Returns an empty cache of parsed names, for the member `names` of a request. It is in the arena.
 */
struct names *make_names(void);

/* Returns the parsed name of a text: a subject, or the argument of --convert, --load or another
 * option; NULL means all fragments. Each text is parsed once in a request. `n` is the expected
 * index in the cache. If the cache has at most `n` names, the text is parsed without a search. */
struct name *subject_name(const struct request *request, const char *text, size_t n);

/* Sets *arch to the first architecture of --arch, otherwise to that of the GPU. If there is
 * neither, sets *arch to a default, and *is_default to true. MAPPING_UNAVAILABLE if there is no
 * GPU, and --device is given, or a requested source needs a GPU and --arch is not given. */
enum mapping_status select_arch(const struct request *request, unsigned *arch, bool *is_default,
                                struct mapping_error *error);

/* MAPPING_UNAVAILABLE if an architecture does not have an operation on shared memory. */
enum mapping_status access_check_arch(const struct mapping_access *access, uint32_t arch,
                                      struct mapping_error *error);

/* A fragment, its index in the catalogue, and the index of the subject that selected it. NO_SUBJECT
 * if --all or a default selected it. */
struct selected {
    struct mapping_fragment fragment;
    size_t index, subject;
};
#define NO_SUBJECT SIZE_MAX

/* Fragments in the order in which they are shown. */
struct selection {
    struct selected *items;
    size_t count, capacity;
    struct resolution *subjects; /* the resolved subjects of the request, in its order */
    size_t subject_count;
};

/* Selects the fragments of a request; `arch` 0 means any architecture. MAPPING_INVALID if a
 * fragment does not exist, cannot be tiled as requested, or cannot answer the question.
 * MAPPING_UNAVAILABLE if the architecture or a requested source does not have it. The arrays of
 * *selection are in the arena. */
enum mapping_status select_fragments(const struct request *request, unsigned arch,
                                     struct selection *selection, struct mapping_error *error);

#endif
