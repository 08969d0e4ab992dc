/* comments.h - the lines above and below a layout that begin with "# ", in text and in formats that
 * have such comments.
 *
 *     # mma.m16n8k32.a.e2m1 on sm_120
 *     # source: isa (PTX ISA 9.0 section 9.7.14.5.11)
 *     # an element of 4 bits is in bits 5:2 of its byte */
#ifndef COMMENTS_H
#define COMMENTS_H

#include "report/report.h"

/* Where facts are printed. In a terminal, the evidence is above a layout; facts that its user
 * needs, such as the packing of elements, are below its formulae. */
enum facts_place {
    FACTS_ABOVE,        /* all but the packing, and those of FACTS_OF_MATRIX */
    FACTS_BELOW_ANSWER, /* with at most one line of evidence */
    FACTS_OF_EVIDENCE,  /* and how the layout is tiled or loaded */
    FACTS_OF_MATRIX,    /* the size of a matrix in memory, and notes on its notation */
    FACTS_OF_USE,       /* all others, the packing too; last, hints about the command line */
    FACTS_OF_REGISTERS  /* the packing of elements in registers alone */
};

/* Prints a text of one or more lines as a comment, wrapped to fit a terminal. */
void comment(struct printer *to, const char *text);

/* Prints the facts of a place. */
void comment_facts(struct printer *to, const struct report *report, enum facts_place place);

/* Prints the line above the facts: "# mma.m8n8k4.d.f16 on sm_70"; then that line and the facts. */
void comment_name(struct printer *to, const struct report *report);
void comment_header(struct printer *to, const struct report *report);

/* Says that a layout from threads has all copies, though a line of PTX or SASS selects one. */
void comment_unused(struct printer *to, const struct report *report);

#endif
