/* resolve.h - resolves a name: finds its fragments on an architecture, or the reason why there are
 * none. */
#ifndef RESOLVE_H
#define RESOLVE_H

#include "command/name.h"
#include "command/request.h"

/* The architecture that is shown if there is no GPU and --arch is not given. */
enum { DEFAULT_ARCH = 80 };

/* What a name is on an architecture. */
struct resolution {
    const struct name *name;
    struct name_opcode *opcodes; /* of PTX: it is one of them, or they compile to it */
    size_t opcode_count;
    bool is_part;             /* of SASS: they become more than this one instruction */
    struct name_match *items; /* the fragments, in the order in which they are shown */
    size_t count;
};

/* Resolves a name on an architecture, or on any if it is 0. `limits` is the request with --type,
 * --operand, a tiling, sources, and the architectures that were asked for. MAPPING_INVALID if
 * nothing is selected, with the nearest names that exist; MAPPING_UNAVAILABLE if the architecture,
 * or a named source, does not have it. */
enum mapping_status resolve(struct name *name, unsigned arch, const struct request *limits,
                            struct resolution *resolution, struct mapping_error *error);

/* The same without fragments, for a name that refuse() allows. Of SASS there are no opcodes if the
 * architecture has none. */
void resolve_opcodes(struct name *name, unsigned arch, struct resolution *resolution);

/* The architecture that shows a name which selects something: `arch`, or the first later one that
 * has it. */
unsigned resolve_arch(const struct name *name, const struct request *limits, unsigned arch);

/* True if the fragment is of the type and operand that are asked for, if any. Metadata and scale
 * factors are not tiled. */
bool resolve_allows(const struct request *limits, const struct mapping_fragment *fragment);

/* Fails unless the architecture has the named fragment; 0 means any architecture. */
enum mapping_status resolve_check_arch(unsigned arch, const char *name,
                                       const struct mapping_fragment *fragment,
                                       struct mapping_error *error);

#endif
