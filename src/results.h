/* results.h - reading the sections of a results file, which is what --all prints as text. */
#ifndef RESULTS_H
#define RESULTS_H

#include "report.h"

struct results_reader {
    const char *next; /* what is still to be read, ends with '\0' */
    unsigned line;    /* its number, from 1 */
};

/* One section: its header, and its grids as they stand there, or where it is brief, its formulae.
 */
struct section {
    const char *text; /* in the reader's text */
    size_t size;
    unsigned line; /* of its first line */
    unsigned arch; /* 75 for sm_75 */
    struct mapping_fragment fragment;
    bool default_arch; /* it says that nobody asked for this architecture */
    struct provenance provenance;
    struct confirmation confirmation; /* where nothing but the PTX ISA says so */
    bool brief;
    struct mapping_formula formulae[MAPPING_COORDINATES]; /* of a brief one */
    uint32_t *elements, *threads; /* [copy][block][row][col], of one that is not brief; one
                                     allocation, owned by the section */
};

/* Starts to read `text`, which ends with '\0'. */
struct results_reader results_read(const char *text);

/* Reads the next section. *more is false where there is none left. MAPPING_INVALID, with the line,
 * where the text has not the form of a results file; whether the numbers make sense is not asked.
 * Free the section with section_free if *more is true. */
enum mapping_status results_next(struct results_reader *reader, struct section *section, bool *more,
                                 struct mapping_error *error);

void section_free(struct section *section);

/* Makes the map that the section shows. MAPPING_INVALID if it shows none; MAPPING_FAILED if out of
 * memory. */
enum mapping_status section_map(const struct section *section, struct mapping_map *map,
                                struct mapping_error *error);

#endif
