/* select.h - selects the architecture and the fragments of a request. */
#ifndef SELECT_H
#define SELECT_H

#include "command/request.h"
#include "command/resolve.h"

/* Makes an empty struct for the member `names` of a request. No names are resolved yet. */
struct names *make_names(void);

/* Chooses the architecture: the first one of --arch, or that of the device. If there is neither,
 * *is_default becomes true. MAPPING_UNAVAILABLE if a device is needed and there is none. */
enum mapping_status select_arch(const struct request *request, unsigned *arch, bool *is_default,
                                struct mapping_error *error);

/* Checks that an architecture has an operation on shared memory. MAPPING_UNAVAILABLE if not. */
enum mapping_status access_check_arch(const struct mapping_access *access, uint32_t arch,
                                      struct mapping_error *error);

/* A fragment, its index in the catalogue, and the index of the subject that selected it, or
 * NO_SUBJECT. */
struct selected {
    struct mapping_fragment fragment;
    size_t index, subject;
};
#define NO_SUBJECT SIZE_MAX

/* Fragments in the order in which they are shown. */
struct selection {
    struct selected *items;
    size_t count, capacity;
    struct resolution *subjects; /* as many as the request has */
    size_t subject_count;
};

/* Selects the fragments; `arch` 0 means any architecture. MAPPING_INVALID if a fragment does not
 * exist, MAPPING_UNAVAILABLE if this architecture, or a named source, does not have it. */
enum mapping_status select_fragments(const struct request *request, unsigned arch,
                                     struct selection *selection, struct mapping_error *error);

#endif
