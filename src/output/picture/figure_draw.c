/* figure_draw.c - from what there is a picture of to what a format prints; see figure.h. */
#include "output/picture/figure.h"

void figure_draw_reports(struct printer *to, const struct report *reports, size_t count,
                         const struct style *style, print_figure_function *print_figure) {
    struct figure figure = {.panels = NULL};
    figure_reports(&figure, reports, count, style);
    print_figure(to, &figure);
}

void figure_draw_loadings(struct printer *to, const struct loading *loadings, size_t count,
                          const struct style *style, print_figure_function *print_figure) {
    struct figure figure = {.panels = NULL};
    figure_loadings(&figure, loadings, count, style);
    print_figure(to, &figure);
}

void figure_draw_access(struct printer *to, const struct access *access,
                        print_figure_function *print_figure) {
    struct figure figure = {.panels = NULL};
    figure_access(&figure, access);
    print_figure(to, &figure);
}
