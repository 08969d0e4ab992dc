/* terminal.h - what standard output is connected to. */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

struct terminal {
    bool is_there;          /* standard output is a terminal */
    unsigned columns, rows; /* of it; 0 if it is none. Rows are 0 also if they are unknown */
    bool has_colors;        /* it has them, as $TERM says, and $NO_COLOR does not object */
    bool has_true_color;    /* more than 256, as $COLORTERM says; also where there is none */
};

struct terminal terminal_of_output(void);

/* How many rows a text takes in so many columns, in which long lines go on below. Escape sequences
 * take no room. */
size_t terminal_rows_of(const char *text, size_t size, unsigned columns);

#endif
