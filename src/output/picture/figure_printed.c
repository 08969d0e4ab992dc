/* figure_printed.c - what was printed to memory, in a picture; see figure_printed.h. */
#include "output/picture/figure_printed.h"

figure_text figure_add_printed(struct figure *figure, struct printer *printed) {
    const char *words = printer_string(printed);
    figure_text text = figure_add_text(figure, "%s", words ? words : "");
    figure->failed |= !words;
    printer_free(printed);
    return text;
}

void figure_add_printed_captions(struct figure *figure, enum caption_kind kind,
                                 struct printer *printed) {
    const char *words = printer_string(printed);
    if (words)
        figure_add_caption(figure, kind, words);
    figure->failed |= !words;
    printer_free(printed);
}
