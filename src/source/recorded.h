/* recorded.h - the text of results/, embedded when the program is built, and an index of it.
 *
 * Made by embed.c. */
#ifndef RECORDED_H
#define RECORDED_H

#include "report/observation.h"

/* A results file. */
struct recorded_file {
    const char *name; /* "sm_80" of results/sm_80.txt, "mma.sp" of results/mma.sp.txt */
    const char *text; /* ends with '\0' */
};

/* One of its sections. */
struct recorded_section {
    uint16_t file, arch; /* index of the file; 80 for sm_80 */
    uint32_t offset;     /* of its first line in the text */
    uint32_t name;       /* where the name of its fragment starts in recorded_names */
    uint32_t source;     /* where what it rests on starts in recorded_sources */
};

/* All files, with an end that has no name; all sections by name of the fragment, then by
 * architecture. */
extern const struct recorded_file recorded_files[];
extern const struct recorded_section recorded_index[];
extern const char recorded_names[];
extern const char recorded_sources[]; /* what "# source: " is followed by; "" where there is none */
extern const uint32_t recorded_index_count;

/* The text of a section. */
const char *recorded_text(const struct recorded_section *section);

/* Finds the sections of a fragment, which stand behind each other in the index: *count of them. */
const struct recorded_section *recorded_find(const struct mapping_fragment *fragment,
                                             size_t *count);

/* Makes the layout that a section shows. MAPPING_FAILED if it shows none, or if out of memory; free
 * the layout in any case. */
enum mapping_status recorded_layout(const struct recorded_section *section,
                                    struct mapping_layout *layout, struct mapping_error *error);

/* What the source line of a section says. False if it is none, or if it has no evidence of `kind`,
 * which may be NULL for any. */
bool recorded_provenance(const struct recorded_section *section, const char *kind,
                         struct provenance *provenance);

/* Finds among the recorded sections of the fragment one that was observed on a device, of whatever
 * architecture, and is the same in every entry; notes it in the observation. */
enum mapping_status recorded_confirm(struct observation *observed, struct mapping_error *error);

#endif
