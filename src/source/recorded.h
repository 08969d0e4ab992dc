/* recorded.h - the records of results/, embedded by the build (tools/embed.c): for each fragment,
 * and each atom in shared memory, the formulae of its layouts and their evidence. */
#ifndef RECORDED_H
#define RECORDED_H

#include "report/observation.h"

/* A layout of a fragment or atom on some architectures, with the same evidence on all of them.
 * Texts are in recorded_strings, from these places on. */
struct recorded_entry {
    uint32_t name;     /* "wmma.m16n16k16.d.f32" */
    uint32_t archs;    /* bit n: mapping_arch_at(n) */
    uint32_t evidence; /* "sass (...); gpu (...)" */
    uint32_t formulae; /* one for each axis of the target, behind each other, each with its '\0' */
    bool is_published; /* it is of results/published.txt: what others printed */
};

/* By name, then by the first architecture. */
extern const struct recorded_entry recorded_entries[];
extern const uint32_t recorded_count;
extern const char recorded_strings[];

/* The entries of a name, *count of them in a row. If there are none, the first entry whose name
 * sorts later. */
const struct recorded_entry *recorded_find(const char *name, size_t *count);

/* The entry of a name on an architecture, 75 for sm_75: what was observed, or published. NULL if
 * there is none. */
const struct recorded_entry *recorded_on(const char *name, unsigned arch, bool is_published);

/* Makes the layout of an entry between these spaces. MAPPING_FAILED if it is none, or out of
 * memory; free the layout in any case. */
enum mapping_status recorded_layout(const struct recorded_entry *entry,
                                    const struct mapping_space *from,
                                    const struct mapping_space *to, struct mapping_layout *layout,
                                    struct mapping_error *error);

/* The evidence of an entry. */
void recorded_provenance(const struct recorded_entry *entry, struct provenance *provenance);

/* Finds the recorded atom of shared memory, with elements of `bits` bits, whose layout (row, col)
 * -> offset equals the first rows and columns of the given one. *is_whole becomes true if the
 * layout has no more than the atom. NULL if no recorded atom matches. */
const struct recorded_entry *recorded_atom(const struct mapping_layout *layout, uint32_t bits,
                                           bool *is_whole);

/* Finds the device that has observed an entry, on the first of its architectures. False if none
 * has. */
bool recorded_confirmation(const struct recorded_entry *entry, struct confirmation *confirmation);

/* Finds among the entries of the fragment one that was observed on a device, of whatever
 * architecture, and is the same in every entry; notes it in the observation. */
enum mapping_status recorded_confirm(struct observation *observed, struct mapping_error *error);

#endif
