/* terminal.c - what standard output is connected to; see terminal.h. */
#include "system/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { COLUMNS_USUAL = 80 };

/* The variable of the environment; "" if it is not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

struct terminal terminal_of_output(void) {
    const char *term = variable("TERM"), *colors = variable("COLORTERM");
    struct terminal terminal = {
        .is_there = isatty(STDOUT_FILENO),
        .has_colors = *term && strcmp(term, "dumb") != 0 && !*variable("NO_COLOR"),
        .has_true_color = strcmp(colors, "truecolor") == 0 || strcmp(colors, "24bit") == 0};
    struct winsize size;
    if (!terminal.is_there)
        return terminal;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        size = (struct winsize){.ws_col = 0};
    terminal.columns = size.ws_col > 0 ? size.ws_col : COLUMNS_USUAL;
    terminal.rows = size.ws_row;
    return terminal;
}

/* The bytes of an escape sequence that changes colors, "ESC [ 0 m"; 0 if there is none. */
static size_t escape_length(const char *text, size_t size) {
    size_t length = 2;
    if (size < 2 || text[0] != '\033' || text[1] != '[')
        return 0;
    while (length < size && text[length] != 'm')
        length++;
    return length < size ? length + 1 : size;
}

size_t terminal_rows_of(const char *text, size_t size, unsigned columns) {
    size_t rows = 0, column = 0;
    for (size_t n = 0, escape; n<size; n += escape> 0 ? escape : 1) {
        escape = escape_length(text + n, size - n);
        if (text[n] == '\n') {
            rows += 1 + (column > 0 ? (column - 1) / columns : 0);
            column = 0;
        } else if (escape == 0 && ((unsigned char)text[n] & 0xc0) != 0x80) /* UTF-8 goes on */
            column++;
    }
    return rows + (column > 0);
}
