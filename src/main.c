/* main.c - the command: parses the command line, runs the action, prints the result, and returns
 * the exit status. Long output on a terminal goes through a pager. */
#include "cli/options.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Writing ---- */

/* Writes everything to a file descriptor. Returns 0 or an errno. */
static int write_pages(const struct pages *pages, int fd) {
    int cause = 0;
    for (size_t p = 0; p < pages->count && cause == 0; p++)
        cause = write_all(fd, pages->page[p].text, pages->page[p].size);
    return cause;
}

/* True if the output, with a line for the prompt, does not fit on the terminal. */
static bool is_long(const struct pages *pages, const struct winsize *terminal) {
    enum { ROWS_MIN = 3 }; /* a pager needs this many */
    size_t rows = 1;
    if (terminal->ws_row < ROWS_MIN)
        return false;
    for (size_t p = 0; p < pages->count && rows <= terminal->ws_row; p++)
        rows += terminal_rows(pages->page[p].text, pages->page[p].size, terminal->ws_col);
    return rows > terminal->ws_row;
}

/* Writes everything to standard output, or to the pager if it is long. */
static enum mapping_status write_out(const struct pages *pages, const struct winsize *terminal,
                                     struct mapping_error *error) {
    const int pager = is_long(pages, terminal) ? pager_start() : -1;
    if (pager >= 0) {
        write_pages(pages, pager); /* as much as the user wants to see */
        if (pager_end())
            return MAPPING_OK;
    }
    int cause = write_pages(pages, STDOUT_FILENO);
    return cause == 0 ? MAPPING_OK
                      : mapping_fail(error, MAPPING_FAILED,
                                     "could not write to standard output: %s", strerror(cause));
}

/* ---- The command ---- */

/* The value of an environment variable; "" if it is not set. */
static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

/* Sets the style of text. A terminal gets numbers around grids and, with --color=auto, colors
 * unless $NO_COLOR is set, or $TERM is dumb or not set. --color=always gives both to any output. */
static void set_style(struct request *request, const struct winsize *terminal) {
    const char *term = variable("TERM"), *colors = variable("COLORTERM");
    const bool always = request->color == COLOR_ALWAYS, is_there = terminal->ws_col > 0;
    request->style.width = terminal->ws_col;
    request->style.is_framed = always || is_there;
    request->style.is_tinted = always || (request->color == COLOR_AUTO && is_there && *term &&
                                          strcmp(term, "dumb") != 0 && !*variable("NO_COLOR"));
    request->style.has_true_color =
        strcmp(colors, "truecolor") == 0 || strcmp(colors, "24bit") == 0;
}

/* Parses the command line, and runs its action, or prints help or the version. */
static enum mapping_status run(int argc, char **argv, const struct winsize *terminal,
                               struct pages *pages, struct mapping_error *error) {
#define COMMAND(name, function, can_print) command_##function,
    static command_function *const commands[ACTIONS] = {REQUEST_ACTIONS(COMMAND)};
    struct request request;
    enum mode mode;
    enum mapping_status status = options_parse(argc, argv, &request, &mode, error);
    set_style(&request, terminal);
    if (status != MAPPING_OK)
        return status;
    if (mode == MODE_REQUEST)
        return commands[request.action](&request, pages, error);
    pages_init(pages, 1);
    if (mode == MODE_HELP)
        options_help(pages->page, request.help_topic);
    else
        print_text(pages->page, "mapping " MAPPING_VERSION "\n");
    return MAPPING_OK;
}

/* Runs the command line in an arena, which main ends. */
static enum mapping_status run_or_exhaust(int argc, char **argv, const struct winsize *terminal,
                                          struct pages *pages, struct mapping_error *error) {
    static jmp_buf exhausted;
    if (setjmp(exhausted) != 0 || !mapping_arena_begin(&exhausted))
        return mapping_out_of_memory(error);
    enum mapping_status status = run(argc, argv, terminal, pages, error);
    mapping_arena_catch(NULL);
    return status;
}

int main(int argc, char **argv) {
    struct pages pages = {.page = NULL};
    struct mapping_error error = {""}, write_error;
    const struct winsize terminal = terminal_size();
    /* Ask the CUDA driver for one work queue and one copy queue instead of 8 or more: on an H200, a
     * context is then created in 45 ms instead of 90, and destroyed in 55 ms instead of 85.
     * Variables that the user has set stay. setenv() is not safe once there are threads. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
    enum mapping_status status = run_or_exhaust(argc, argv, &terminal, &pages, &error);
    /* Nothing is printed before it is known that all went well. */
    if ((status == MAPPING_OK || status == MAPPING_DIFFERS || status == MAPPING_NO_FORMULA) &&
        write_out(&pages, &terminal, &write_error) != MAPPING_OK) {
        status = MAPPING_FAILED;
        error = write_error;
    }
    if (*error.message && status != MAPPING_OK)
        fprintf(stderr, "mapping: %s\n", error.message);
    else if (*pages.note)
        fprintf(stderr, "mapping: %s\n", pages.note);
    memory_release();
    return (int)status;
}
