/* lines.h - a matrix in memory by address: lines of 128 bytes, which have a word of each bank, and
 * in each cell of a line what lies there. */
#ifndef OUTPUT_LINES_H
#define OUTPUT_LINES_H

#include "report/placement.h"
#include "system/system.h"

/* Bytes of a line, and room for what a cell says. */
enum { LINE_BYTES = 128, LINE_CELL_SIZE = 64 };

/* How elements lie behind each other: `count` of them, a power of two and no more than 16 bytes,
 * stand along `axis` of the matrix at every multiple of as many offsets. */
struct run {
    uint32_t count, axis;
};

struct memory_lines {
    const struct report *report;
    uint32_t *holders;  /* the element at each offset, UINT32_MAX for none */
    struct run run;     /* what is in one cell */
    uint32_t in_a_line; /* cells, where a line is full */
    size_t cells;       /* up to the last element; in the last one all of a run or nothing lies */
};

/* Why there are no lines of a matrix, as a sentence; NULL if there are. */
const char *lines_refusal(const struct report *report);

/* Makes the lines of a matrix that is not refused. */
void lines_init(struct memory_lines *lines, const struct report *report);

/* Cells that the first line has. */
uint32_t lines_width(const struct memory_lines *lines);

/* The first element of a cell, as the number of its row and column; UINT32_MAX if it is empty. */
uint32_t lines_holder(const struct memory_lines *lines, size_t cell);

/* Writes what lies in a cell: "(0, 8..15)", "(8..15, 0)", "(3, 5)"; "-" for nothing. */
void lines_cell(const struct memory_lines *lines, size_t cell, char text[LINE_CELL_SIZE]);

/* Prints what lines are, and what their cells say: "By address, 128 bytes in a line: (row, cols)".
 */
void lines_title(struct printer *to, const struct memory_lines *lines);

#endif
