/* resolve.h - resolves a name: finds its fragments on an architecture, makes the matrix in shared
 * memory that it describes, or fails with the reason why there is neither. */
#ifndef RESOLVE_H
#define RESOLVE_H

#include "command/name.h"
#include "command/request.h"
#include "smem/matrix.h"

/* The architecture to show if there is no GPU and --arch is not given. */
enum { DEFAULT_ARCH = 80 };

/* What a name resolves to: the PTX opcodes and the fragments on an architecture, or a matrix in
 * shared memory. The arrays and the matrix are in the arena. */
struct resolution {
    const struct name *name;
    struct mapping_smem_matrix *matrix; /* NULL for fragments */
    const char *matrix_type;     /* the element type that --type names; NULL if it names none, or
                                    several types of one size */
    struct name_opcode *opcodes; /* of PTX; for SASS, those that compile to it */
    size_t opcode_count;
    bool is_part;             /* SASS: the opcodes compile to more than this one instruction */
    struct name_match *items; /* fragments in the order in which they are shown */
    size_t count;
};

/* Resolves a name on an architecture; `arch` 0 means any. `limits` is the request: its --type,
 * --operand, tiling, --source and --arch restrict the fragments. MAPPING_INVALID if no fragment
 * remains; the message suggests similar names, or says which option to drop. MAPPING_UNAVAILABLE if
 * the architecture or a requested source does not have the fragments. With --arch=all, an
 * architecture without the named fragments is no error: `count` is 0.
 *
 * For a matrix, `limits` gives its extent, block, axes and element type, and the other options do
 * not matter. MAPPING_INVALID if the notation is malformed, or contradicts these options. */
enum mapping_status resolve(struct name *name, unsigned arch, const struct request *limits,
                            struct resolution *resolution, struct mapping_error *error);

/* Finds only the PTX opcodes of a name that refuse() accepts; the resolution has no fragments. For
 * SASS, finds the opcodes that compile to it on `arch`, where 0 means any architecture. There are
 * none if no opcode compiles to it there, or if the name contains no opcode. */
void resolve_opcodes(struct name *name, unsigned arch, struct resolution *resolution);

/* Returns the architecture on which a name should be resolved if --arch is not given: `arch`, or
 * the first architecture with the fragments if that is later. For SASS, ignores `arch`: returns
 * DEFAULT_ARCH if a PTX opcode compiles to it there, otherwise the first architecture where one
 * does. The name must select fragments. */
unsigned resolve_arch(const struct name *name, const struct request *limits, unsigned arch);

/* True if the fragment has the requested type and operand, if any. If a tiling is requested, false
 * for metadata and scale factors, which cannot be tiled. */
bool resolve_allows(const struct request *limits, const struct mapping_fragment *fragment);

/* MAPPING_UNAVAILABLE if the architecture does not have the fragment; the message says which
 * architectures have it. `name` is printed in the message. Always MAPPING_OK if `arch` is 0. */
enum mapping_status resolve_check_arch(unsigned arch, const char *name,
                                       const struct mapping_fragment *fragment,
                                       struct mapping_error *error);

#endif
