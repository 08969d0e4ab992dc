/* figure_printed.h - what was printed to memory, as texts of a picture. */
#ifndef FIGURE_PRINTED_H
#define FIGURE_PRINTED_H

#include "output/picture/figure.h"

/* Adds what was printed as one text. */
figure_text figure_add_printed(struct figure *figure, struct printer *printed);

/* Adds it as captions, line by line. */
void figure_add_printed_captions(struct figure *figure, enum caption_kind kind,
                                 struct printer *printed);

#endif
