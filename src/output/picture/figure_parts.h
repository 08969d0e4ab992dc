/* figure_parts.h - what the files that draw reports share. */
#ifndef FIGURE_PARTS_H
#define FIGURE_PARTS_H

#include "output/picture/figure.h"
#include "report/view.h"

/* One report as it is drawn. */
struct drawing {
    const struct report *report;
    const struct style *style;
    struct view view;    /* of a wide matrix whose columns repeat, the first period alone */
    uint32_t whole_cols; /* columns of the matrix, of which view.cols are drawn */
    const char *growing; /* the coordinate that is larger by `growth` in each further period; */
    uint32_t growth;     /* 0 if none is */
    bool *marked;        /* of each entry of what is shown; NULL if nothing is asked */
    size_t marked_count; /* how many answers there are */
};

/* Finds the columns to draw, and the cells to outline. */
void drawing_make(struct drawing *drawing, const struct report *report, const struct style *style);

/* How many copies there are of what is shown, and how many matrices in each. Part numbers count
 * matrices first. */
uint32_t drawing_copies(const struct drawing *drawing);
uint32_t drawing_matrices(const struct drawing *drawing);

/* Adds one part as a panel. Its title begins with `name`, if that is not empty, and says which part
 * it is. */
struct panel *figure_add_part(struct figure *figure, const struct drawing *drawing, uint32_t part,
                              const char *name);

/* Writes the letter of a fragment's operand, "A" or "SFA"; "" if the report is of none. */
#define OPERAND_SIZE 8
void operand_letter(const struct report *report, char letter[OPERAND_SIZE]);

/* Adds what stands below reports that are drawn together: what cells say, what the layouts rest on,
 * once where that is the same for all, and their formulae. */
void figure_add_words(struct figure *figure, const struct drawing *drawings, size_t count);

#endif
