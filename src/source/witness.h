/* witness.h - who has seen where the elements of canonical layouts lie in shared memory: the
 * device, now or when results/shared.txt was made. The statement is that of the PTX ISA, which
 * layout/canonical.c makes. */
#ifndef WITNESS_H
#define WITNESS_H

#include "source/gpu/shared.h"
#include "source/source.h"

/* Finds the atom that the first rows and columns of a layout (row, col) -> offset are, elements of
 * so many bits. *is_whole becomes true if it is nothing else. False if there is none. */
bool witness_find(const struct mapping_layout *layout, uint32_t bits, struct canonical *which,
                  bool *is_whole);

/* Reads the name of an atom. MAPPING_INVALID if it is none that sources see. */
enum mapping_status witness_read(const char *name, struct canonical *which,
                                 struct mapping_error *error);

/* Adds to the provenance that it is a statement. */
void witness_add_statement(struct provenance *provenance);

/* Lets a source say where the elements of an atom lie: makes the layout, owned by the caller in any
 * case, adds to the provenance, and writes the architecture, which a statement leaves as it is.
 * MAPPING_UNAVAILABLE if the source has no such layouts, or not here; MAPPING_FAILED if it could
 * but did not. */
enum mapping_status witness_observe(const struct source *source, const struct canonical *which,
                                    const struct machinery *machinery,
                                    struct mapping_layout *layout, struct provenance *provenance,
                                    unsigned *arch, struct mapping_error *error);

/* Notes the device that has confirmed the statement, if one is recorded to have. */
enum mapping_status witness_confirm(const struct canonical *which,
                                    struct confirmation *confirmation, struct mapping_error *error);

#endif
