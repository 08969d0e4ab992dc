/* main.c - the command: reads what is wanted, does it, prints it, and says how it went. */
#include "cli/options.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints help or the version. */
static void tell(enum wish wish, const char *topic, struct pages *pages) {
    pages_init(pages, 1);
    if (wish == WISH_HELP)
        options_help(pages->page, topic);
    else
        print_text(pages->page, "mapping " MAPPING_VERSION "\n");
}

/* Decides what text gets that a file does not: a terminal has numbers around grids, and tints. */
static void dress(struct request *request, const struct terminal *terminal) {
    struct style *style = &request->style;
    bool always = request->color == COLOR_ALWAYS, may = request->color == COLOR_AUTO;
    style->width = terminal->columns;
    style->is_framed = always || terminal->is_there;
    style->is_tinted = always || (may && terminal->is_there && terminal->has_colors);
    style->has_true_color = terminal->has_true_color;
}

/* Does what the command line asks for. */
static enum mapping_status act(int argc, char **argv, const struct terminal *terminal,
                               struct pages *pages, struct mapping_error *error) {
    static command_function *const commands[] = {
        [ACTION_SHOW] = command_show,       [ACTION_ASK] = command_show,
        [ACTION_LIST] = command_list,       [ACTION_DIFF] = command_diff,
        [ACTION_CHECK] = command_check,     [ACTION_CONFIRM] = command_confirm,
        [ACTION_VERIFY] = command_verify,   [ACTION_MAP] = command_map,
        [ACTION_CONVERT] = command_convert, [ACTION_LOAD] = command_load,
        [ACTION_SUGGEST] = command_suggest, [ACTION_ACCESS] = command_access};
    _Static_assert(sizeof commands / sizeof *commands == ACTIONS, "every action has a command");
    struct request request;
    enum wish wish;
    enum mapping_status status = options_parse(argc, argv, &request, &wish, error);
    dress(&request, terminal);
    if (status == MAPPING_OK && wish == WISH_REQUEST)
        return commands[request.action](&request, pages, error);
    if (status == MAPPING_OK)
        tell(wish, request.help_topic, pages);
    return status;
}

/* Writes everything to a file descriptor. Returns 0 or an errno. */
static int write_pages(const struct pages *pages, int fd) {
    int cause = 0;
    for (size_t p = 0; p < pages->count && cause == 0; p++)
        cause = printer_write(&pages->page[p], fd);
    return cause;
}

/* Shows everything in a pager. False if that could not be. */
static bool page_out(const struct pages *pages) {
    int fd;
    if (!pager_start(&fd))
        return false;
    write_pages(pages, fd); /* as much as the user wants to see */
    return pager_end();
}

/* True if there is more than the terminal shows at once, with the line of the prompt. */
static bool is_long(const struct pages *pages, const struct terminal *terminal) {
    enum { ROWS_MIN = 3 }; /* in fewer nobody can read */
    size_t rows = 1;
    if (terminal->rows < ROWS_MIN)
        return false;
    for (size_t p = 0; p < pages->count && rows <= terminal->rows; p++)
        rows += terminal_rows_of(pages->page[p].text, pages->page[p].size, terminal->columns);
    return rows > terminal->rows;
}

/* Writes everything to standard output. */
static enum mapping_status write_out(const struct pages *pages, const struct terminal *terminal,
                                     struct mapping_error *error) {
    if (is_long(pages, terminal) && page_out(pages))
        return MAPPING_OK;
    int cause = write_pages(pages, STDOUT_FILENO);
    return cause == 0 ? MAPPING_OK
                      : mapping_fail(error, MAPPING_FAILED,
                                     "could not write to standard output: %s", strerror(cause));
}

/* Asks the CUDA driver for one queue for work and one for copies, where it makes 8 and more by
 * itself: on an H200 a context is then made in 45 ms in place of 90, and gone in 55 in place of 85.
 * What the user has set stays. */
static void prepare_environment(void) {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
}

int main(int argc, char **argv) {
    struct pages pages = {.page = NULL};
    struct mapping_error error = {""}, write_error;
    const struct terminal terminal = terminal_of_output();
    prepare_environment(); /* before there are threads */
    enum mapping_status status = act(argc, argv, &terminal, &pages, &error);
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
