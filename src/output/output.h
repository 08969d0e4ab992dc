/* output.h - the formats. A new one is a new file and a new row in output.c. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "question.h"
#include "report.h"

#include <stdio.h>

/* How reports are printed, and what of them. */
struct style {
    unsigned width;           /* columns of the terminal, 0 if there is none */
    bool detail;              /* with the facts about the instruction */
    bool brief;               /* formulae alone, without the map */
    struct question question; /* if one is asked, the answers instead of the map */
};

/* A fragment in a list. */
struct list_entry {
    struct mapping_fragment fragment;
    char rests_on[PROVENANCE_TEXT]; /* what its layout was observed by, and where */
};

/* A fragment that differs between two architectures; NULL where one does not have it. */
struct difference {
    const struct report *first, *second;
};

struct comparison {
    unsigned first, second;   /* architectures, 70 for sm_70 */
    size_t same;              /* fragments that do not differ */
    struct difference *items; /* those that do */
    size_t count;
};

struct output {
    const char *name;
    /* Prints `count` reports, at least one. */
    void (*reports)(FILE *file, const struct report *reports, size_t count,
                    const struct style *style);
    void (*list)(FILE *file, const struct list_entry *entries, size_t count);
    void (*comparison)(FILE *file, const struct comparison *comparison);
};

extern const struct output text_output, json_output, csv_output, markdown_output;

/* The format at `index`; NULL from the end on. */
const struct output *output_at(size_t index);

/* Finds a format by name; NULL if there is none. */
const struct output *output_find(const char *name);

/* Writes the name of the fragment that differs. */
void difference_name(const struct difference *difference, char name[MAPPING_NAME_SIZE]);

/* Prints both sides of each difference with `print`; `report` is NULL where one does not have it.
 */
void comparison_sides(FILE *file, const struct comparison *comparison,
                      void (*print)(FILE *file, const char *name, unsigned arch,
                                    const struct report *report));

/* Room for any formula as text. */
#define FORMULA_TEXT 2048

/* The coordinates in the order in which they are printed: block, row, col. */
int coordinate_at(const struct mapping_map *map, int index);

/* "row", "col" or "block"; with a capital letter "Row", "Col" or "Block". */
const char *coordinate_name(int coordinate);
const char *coordinate_label(int coordinate);

/* Writes the formula of one coordinate, in i and tid; "" if there is none. */
void formula_text(const struct report *report, int coordinate, char text[FORMULA_TEXT]);

/* Writes the formula of tid or i, in INVERSE_VARIABLES, of which the last is called `copy`; "" if
 * there is none. */
void inverse_text(const struct report *report, int which, const char *copy,
                  char text[FORMULA_TEXT]);

/* Prints one section of a results file: the text form of one report, or its brief form. */
void text_section(FILE *file, const struct report *report, bool brief);

/* Lines of a results file: behind the source; before the grids of each copy and of each block, if
 * there are several; before each pair of grids; before the formulae; before the inverse. */
#define DEFAULT_ARCH_NOTE "# no GPU here, so sm_%u is shown; --arch=ARCH shows another"
#define CONFIRMED_NOTE "# confirmed on sm_%u: %s"
#define UNCONFIRMED_NOTE "# not confirmed on hardware"
#define PART_TITLE "# %s %zu of %zu"
#define GRID_TITLE "Element / ThreadIdx:"
#define FORMULAE_TITLE "Formulae:"
#define INVERSE_TITLE "Inverse:"

#endif
