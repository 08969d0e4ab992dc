/* comments.h - prints the comments above and below a layout, in text and in other formats whose
 * comments begin with "# ".
 *
 *     # mma.m16n8k32.a.e2m1 on sm_120
 *     # source: isa (PTX ISA 9.0 section 9.7.14.5.11)
 *     # an element of 4 bits is in bits 5:2 of its byte */
#ifndef COMMENTS_H
#define COMMENTS_H

#include "report/report.h"

/* The places where facts are printed. In a terminal, the evidence is above a layout, and facts that
 * a user of the layout needs, such as the packing of elements, are below its formulae. */
enum facts_place {
    FACTS_ABOVE,        /* above a layout: all but the packing and FACTS_OF_MATRIX */
    FACTS_BELOW_ANSWER, /* below an answer: the same, without confirmations and equal layouts */
    FACTS_OF_EVIDENCE,  /* above a layout in a terminal: the evidence, and how the layout is tiled
                           or loaded */
    FACTS_OF_MATRIX,    /* the size of a matrix in memory, and notes on its notation */
    FACTS_OF_USE,       /* below formulae in a terminal: facts that a user needs; then hints about
                           the command line */
    FACTS_OF_REGISTERS  /* only the packing of elements in registers */
};

/* Prints a text of one or more lines as a comment, wrapped to fit a terminal. */
void comment(struct printer *to, const char *text);

/* Prints the facts of a report that belong in this place, each as a comment. */
void comment_facts(struct printer *to, const struct report *report, enum facts_place place);

/* comment_name prints the line above the facts: "# mma.m8n8k4.d.f16 on sm_70". comment_header
 * prints that line and FACTS_ABOVE. */
void comment_name(struct printer *to, const struct report *report);
void comment_header(struct printer *to, const struct report *report);

/* If a line of PTX or SASS selects one copy of the elements, prints that the layout is nevertheless
 * that of all copies. */
void comment_unused(struct printer *to, const struct report *report);

#endif
