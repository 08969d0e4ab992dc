/* output.h - the formats. A new one is a new file and a new row in output.c. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "report.h"

#include <stdio.h>

struct output {
    const char *name;
    /* Prints `count` reports, at least one. */
    void (*reports)(FILE *file, const struct report *reports, size_t count);
    /* Prints the names of `count` fragments and which architectures have them. */
    void (*list)(FILE *file, const struct mapping_fragment *fragments, size_t count);
};

extern const struct output text_output, json_output;

/* Finds a format by name; NULL if there is none. */
const struct output *output_find(const char *name);

/* Prints one section of a results file: the text form of one report. */
void text_section(FILE *file, const struct report *report);

/* What stands before the grids of each copy, and before the formulae. */
#define GRID_TITLE "Element / ThreadIdx:"
#define FORMULAE_TITLE "Formulae:"

#endif
