/* figure_printed.c - what was printed to memory, in a picture; see figure_printed.h. */
#include "output/picture/figure_printed.h"

figure_text figure_add_printed(struct figure *figure, struct printer *printed) {
    return figure_add_text(figure, "%s", printer_string(printed));
}

void figure_add_printed_captions(struct figure *figure, enum caption_kind kind,
                                 struct printer *printed) {
    figure_add_caption(figure, kind, printer_string(printed));
}
