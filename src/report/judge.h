/* judge.h - whether what is written down holds: verdicts on sections of results files. */
#ifndef JUDGE_H
#define JUDGE_H

#include "report/section.h"

/* What became of one section. */
struct verdict {
    struct provenance confirmed; /* by which sources */
    char difference[384];        /* where it first differs from one of them; "" if it does not */
};

/* Compares a section, as text, with what a source gives: adds to the verdict who confirmed it, or
 * where it differs. The report is changed: its lines on top become those of the section, for they
 * say who made the file, not who checks it. MAPPING_FAILED if out of memory. */
enum mapping_status judge_section(const struct section *section, struct report *report,
                                  const char *source, struct verdict *verdict,
                                  struct mapping_error *error);

#endif
