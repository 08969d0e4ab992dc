/* section.h - a layout as text, as people read it and as results files hold it: written and read.
 *
 *     # mma.m8n8k4.d.f16 on sm_70          what it is
 *     # source: isa (PTX ISA 9.0 ...)      what it rests on
 *     # copy 0 of 2                        before each copy, where there are several
 *     # block 0 of 4                       before each matrix, where there are several
 *     Element / ThreadIdx:                 two grids side by side: who holds row r, column c
 *      0  1  2  3          0  0  1  1
 *
 *     Formulae:
 *     Row: return (tid & 3) + ((tid & 16) >> 2);
 *     Col: return (i & 7);
 *
 *     Inverse:
 *     Tid: return ...;
 *     I: return ...;
 *
 * A brief section has no grids. A layout whose target is no plane has grids of its source, which
 * show its targets. */
#ifndef SECTION_H
#define SECTION_H

#include "report/reader.h"
#include "report/report.h"
#include "system/printer.h"

/* Prints the lines on top, the grids, the formulae. */
void section_header(struct printer *to, const struct report *report);
void section_grids(struct printer *to, const struct report *report);
/* Prints grids of a layout's source: at each row and column its targets, side by side. */
void section_grids_of(struct printer *to, const struct mapping_layout *shown);
/* Writes, of what is a part, which instruction loads it, and what of the matrix that is. */
void section_part(struct printer *to, const struct report *report);
void section_formulae(struct printer *to, const struct report *report);

/* Prints a whole section. */
void section_write(struct printer *to, const struct report *report, bool brief);

/* One section as it stands in a text. */
struct section {
    const char *text; /* in the reader's text */
    size_t size;
    unsigned line; /* of its first line */
    unsigned arch; /* 75 for sm_75 */
    struct mapping_fragment fragment;
    bool is_default_arch; /* it says that nobody asked for this architecture */
    char suffix;          /* behind which ptxas wants another; '\0' if it does not say so */
    struct provenance provenance;
    struct confirmation confirmation; /* where nothing but the PTX ISA says so */
    bool brief;
    struct mapping_space from, to;    /* of the fragment */
    struct mapping_formula *formulae; /* of a brief one, for each axis of `to`; owned */
    struct mapping_layout grids;      /* of one that is not brief: what the grids show; owned */
};

/* Reads the next section, which is of a fragment. *more is false where there is none left.
 * MAPPING_INVALID, with the line, where the text has not the form of a section; whether the numbers
 * make sense is not asked. Free the section with section_free if *more is true. */
enum mapping_status section_read(struct section_reader *reader, struct section *section, bool *more,
                                 struct mapping_error *error);

void section_free(struct section *section);

/* Makes the layout that the section shows. MAPPING_INVALID if it shows none that can be inverted;
 * MAPPING_FAILED if out of memory. Free it in any case. */
enum mapping_status section_layout(const struct section *section, struct mapping_layout *layout,
                                   struct mapping_error *error);

/* Reads grids of a layout between these spaces, whose copies are called `copy`, as section_grids
 * prints them; makes what they show, which is the inverse where the target is a plane. */
enum mapping_status section_read_grids(struct section_reader *reader,
                                       const struct mapping_space *from,
                                       const struct mapping_space *to, const char *copy,
                                       struct mapping_layout *shown, struct mapping_error *error);

/* Makes the layout out of what its grids show. MAPPING_INVALID if it is none. */
enum mapping_status section_layout_of_grids(const struct mapping_layout *shown,
                                            const struct mapping_space *from,
                                            const struct mapping_space *to,
                                            struct mapping_layout *layout,
                                            struct mapping_error *error);

#endif
