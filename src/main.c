/* main.c - the command: passes the words of the command line to the library, prints the text or the
 * message, and returns the exit status. On a terminal, long output goes through a pager. */
#include "mapping.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Writing ---- */

/* Writes a piece of text from the library, unless an earlier write failed. `taker` points to 0, or
 * to the errno of the failed write. */
static void take(void *taker, const char *text, size_t size) {
    int *cause = taker;
    if (*cause == 0)
        *cause = write_all(STDOUT_FILENO, text, size);
}

/* True if the output, with a line for the prompt, does not fit on the terminal. */
static bool is_long(const char *text, size_t size, const struct winsize *terminal) {
    enum { ROWS_MIN = 3 }; /* a pager needs this many */
    return terminal->ws_row >= ROWS_MIN &&
           1 + terminal_rows(text, size, terminal->ws_col) > terminal->ws_row;
}

/* Writes a text to the terminal, or to the pager if it is long. Returns 0 or an errno. */
static int show(const char *text, size_t size, const struct winsize *terminal) {
    const int pager = is_long(text, size, terminal) ? pager_start() : -1;
    if (pager >= 0) {
        write_all(pager, text, size); /* the user quit the pager early */
        if (pager_end())
            return 0;
    }
    return write_all(STDOUT_FILENO, text, size);
}

/* Prints a message to standard error. In a terminal, its first line is folded, but not inside
 * quotes, so that quoted text can be copied. Further lines show code with a mark below it, and are
 * not folded. */
static void print_message(const char *message) {
    const unsigned columns = terminal_size(STDERR_FILENO).ws_col;
    const size_t end = columns > 0 ? strcspn(message, "\n") : 0;
    size_t column = strlen("mapping:"), length;
    fputs(columns > 0 ? "mapping:" : "mapping: ", stderr);
    for (size_t at = 0; at < end; at += length + (at + length < end)) {
        const char *word = message + at;
        const char *quote = *word == '\'' ? memchr(word + 1, '\'', end - at - 1) : NULL;
        size_t width = 0; /* in characters of UTF-8 */
        length = quote ? (size_t)(quote - word) : 0;
        length += strcspn(word + length, " \n");
        for (size_t n = 0; n < length; n++)
            width += ((unsigned char)word[n] & 0xc0) != 0x80;
        const bool fits = column + 1 + width <= columns;
        fprintf(stderr, "%s%.*s", fits ? " " : "\n  ", (int)length, word);
        column = (fits ? column + 1 : 2) + width;
    }
    fprintf(stderr, "%s\n", message + end);
}

/* ---- The command ---- */

/* The value of an environment variable; "" if it is not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

/* True if the terminal has colors, $NO_COLOR is not set, and $TERM is set and not "dumb". */
static bool has_colors(void) {
    const char *term = variable("TERM");
    return *term && strcmp(term, "dumb") != 0 && !*variable("NO_COLOR");
}

int main(int argc, char **argv) {
    const struct winsize terminal = terminal_size(STDOUT_FILENO);
    const char *colors = variable("COLORTERM"), *text;
    const bool is_for_terminal = terminal.ws_col > 0; /* in a terminal, the text is passed as a
                                                         whole */
    size_t size;
    int cause = 0;
    /* Ask the CUDA driver for one work queue and one copy queue instead of 8 or more: on an H200, a
     * context is then created in 45 ms instead of 90, and destroyed in 55 ms instead of 85.
     * Variables that the user has set stay. setenv() is not safe once there are threads. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
    const struct mapping_options options = {
        .size = sizeof options,
        .may_start_tools = true,
        .catches_signals = true,
        .columns = terminal.ws_col,
        .has_colors = has_colors(),
        .has_true_color = strcmp(colors, "truecolor") == 0 || strcmp(colors, "24bit") == 0,
        .take = is_for_terminal ? NULL : take,
        .taker = &cause,
        /* In a loop that runs a command with words for each line, standard input may be the list of
           the loop. */
        .has_unread_input = argc > 1 ? file_is_waiting : input_is_waiting,
    };
    mapping *context = mapping_open(&options);
    if (!context) {
        fputs("mapping: out of memory\n", stderr);
        return MAPPING_FAILED;
    }
    int status = (int)mapping_run(context, argc > 0 ? (size_t)argc - 1 : 0,
                                  (const char *const *)(argv + (argc > 0)), &text, &size);
    if (is_for_terminal)
        cause = show(text, size, &terminal);
    if (cause != 0) {
        fprintf(stderr, "mapping: could not write to standard output: %s\n", strerror(cause));
        status = MAPPING_FAILED;
    } else if (*mapping_message(context)) {
        print_message(mapping_message(context));
    }
    mapping_close(context);
    return status;
}
