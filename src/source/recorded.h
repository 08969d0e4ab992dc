/* recorded.h - the records of results/, embedded by the build (tools/embed.c): for each fragment,
 * and each atom in shared memory, the formulae of its layouts and their evidence. */
#ifndef RECORDED_H
#define RECORDED_H

#include "report/observation.h"

/* A layout of a fragment or atom on architectures with the same evidence. Texts are offsets in
 * recorded_strings. */
struct recorded_entry {
    uint32_t name;     /* "wmma.m16n16k16.d.f32" */
    uint32_t archs;    /* bit n: mapping_arch_at(n) */
    uint32_t evidence; /* "sass (...); gpu (...)" */
    uint32_t formulae; /* a formula for each axis of the output, each with its '\0' */
    bool is_published; /* the entry is from results/published.txt, which others observed */
};

/* Sorted by name, then by the first architecture. */
extern const struct recorded_entry recorded_entries[];
extern const uint32_t recorded_count;
extern const char recorded_strings[];

/* Returns the first of *count entries with a name. If there is none, the first with a larger name.
 */
const struct recorded_entry *recorded_find(const char *name, size_t *count);

/* The observed or published entry of a name on an architecture, 75 for sm_75; or NULL. */
const struct recorded_entry *recorded_on(const char *name, unsigned arch, bool is_published);

/* Makes the layout of an entry between these spaces. MAPPING_FAILED if the formulae do not give a
 * layout, or memory runs out. Free the layout in any case. */
enum mapping_status recorded_layout(const struct recorded_entry *entry,
                                    const struct mapping_space *from,
                                    const struct mapping_space *to, struct mapping_layout *layout,
                                    struct mapping_error *error);

/* Sets the evidence of an entry. */
void recorded_provenance(const struct recorded_entry *entry, struct provenance *provenance);

/* Finds the recorded atom of shared memory, with elements of `bits` bits, whose layout (row, col)
 * -> offset equals the first rows and columns of the given layout. *is_whole becomes true if the
 * layout has the size of the atom. NULL if no recorded atom matches. */
const struct recorded_entry *recorded_atom(const struct mapping_layout *layout, uint32_t bits,
                                           bool *is_whole);

/* Finds the device that observed an entry on its first architecture. False if none did. */
bool recorded_confirmation(const struct recorded_entry *entry, struct confirmation *confirmation);

/* Finds an entry of the fragment that a device observed, on any architecture, and whose layout
 * equals that of the observation. Records the device in the observation. */
enum mapping_status recorded_confirm(struct observation *observed, struct mapping_error *error);

#endif
