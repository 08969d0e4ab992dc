/* choose.h - which architecture and which fragments are wanted. */
#ifndef CHOOSE_H
#define CHOOSE_H

#include "options.h"

/* The architecture that no --arch chooses and no GPU. */
enum { DEFAULT_ARCH = 80 };

/* Chooses the architecture: the one given, that of the GPU, or the default. MAPPING_UNAVAILABLE if
 * a GPU is asked for and not there. */
enum mapping_status choose_arch(const struct options *options, unsigned *arch, bool *is_default,
                                struct mapping_error *error);

/* Chooses the fragments that the options name, all, or the default; all architectures' if `arch` is
 * 0. MAPPING_UNAVAILABLE if the architecture does not have one. *fragments is for the caller to
 * free, also after a failure. */
enum mapping_status choose_fragments(const struct options *options, unsigned arch,
                                     struct mapping_fragment **fragments, size_t *count,
                                     struct mapping_error *error);

#endif
