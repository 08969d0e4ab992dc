/* main.c - the command: reads what is wanted, does it, prints it, and says how it went. */
#include "cli/options.h"
#include "source/gpu/gpu.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Columns of the terminal that is written to, 0 if it is none. */
static unsigned terminal_width(void) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Prints help or the version. */
static enum mapping_status tell(enum wish wish, struct pages *pages, struct mapping_error *error) {
    if (!pages_init(pages, 1))
        return mapping_out_of_memory(error);
    if (wish == WISH_HELP)
        options_help(pages->page);
    else
        print_text(pages->page, "mapping " MAPPING_VERSION "\n");
    return pages_failed(pages) ? mapping_out_of_memory(error) : MAPPING_OK;
}

/* Does what the command line asks for. */
static enum mapping_status act(int argc, char **argv, struct pages *pages,
                               struct mapping_error *error) {
    struct request request;
    enum wish wish;
    enum mapping_status status = options_parse(argc, argv, &request, &wish, error);
    if (status == MAPPING_INVALID)
        strncat(error->message, " ('mapping --help' explains the options)",
                sizeof error->message - strlen(error->message) - 1);
    request.style.width = terminal_width();
    if (status == MAPPING_OK && wish != WISH_REQUEST)
        status = tell(wish, pages, error);
    else if (status == MAPPING_OK)
        status = command_run(&request, pages, error);
    request_free(&request);
    return status;
}

/* Writes everything to standard output. */
static enum mapping_status write_out(const struct pages *pages, struct mapping_error *error) {
    for (size_t p = 0; p < pages->count; p++) {
        int cause = printer_write(&pages->page[p], STDOUT_FILENO);
        if (cause != 0)
            return mapping_fail(error, MAPPING_FAILED, "could not write to standard output: %s",
                                strerror(cause));
    }
    return MAPPING_OK;
}

/* Prints the sentence. What is quoted in it may be anything, and must not act on a terminal. */
static void print_error(struct mapping_error *error) {
    for (char *c = error->message; *c; c++)
        if (iscntrl((unsigned char)*c) && *c != '\n')
            *c = '?';
    fprintf(stderr, "mapping: %s\n", error->message);
}

int main(int argc, char **argv) {
    struct pages pages = {NULL, 0};
    struct mapping_error error = {""}, write_error;
    gpu_prepare_environment();
    enum mapping_status status = act(argc, argv, &pages, &error);
    /* Nothing is printed before it is known that all went well. */
    if ((status == MAPPING_OK || status == MAPPING_DIFFERS || status == MAPPING_NO_FORMULA) &&
        write_out(&pages, &write_error) != MAPPING_OK) {
        status = MAPPING_FAILED;
        error = write_error;
    }
    if (*error.message && status != MAPPING_OK)
        print_error(&error);
    pages_free(&pages);
    return (int)status;
}
