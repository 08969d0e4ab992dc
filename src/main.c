/* main.c - the command: reads the options, joins sources and outputs, prints, and says how it went.
 */
#include "check.h"
#include "diff.h"
#include "list.h"
#include "memory.h"
#include "show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static enum mapping_status print_list(const struct options *options, FILE *file,
                                      struct mapping_error *error) {
    struct list_entry *entries;
    size_t count;
    enum mapping_status status = list(options, &entries, &count, error);
    if (status == MAPPING_OK)
        options->output->list(file, entries, count);
    free(entries);
    return status;
}

/* Columns of the terminal that is written to, 0 if it is none. */
static unsigned terminal_width(void) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO))
        return 0;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* Makes the reports and prints them. They may be long, so they go straight to standard output: all
 * but writing has been done before. */
static enum mapping_status print_reports(const struct options *options,
                                         struct mapping_error *error) {
    struct report *reports;
    size_t count;
    struct style style = options->style;
    style.width = terminal_width();
    enum mapping_status status = show(options, &reports, &count, error);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA) {
        errno = 0;
        options->output->reports(stdout, reports, count, &style);
        if (fflush(stdout) != 0 || ferror(stdout))
            status = mapping_fail(error, MAPPING_FAILED, "could not write to standard output: %s",
                                  strerror(errno));
    }
    show_free(reports, count);
    if (status == MAPPING_NO_FORMULA && style.question.kind != ASK_NOTHING)
        status = MAPPING_OK; /* nobody has asked for one */
    return status;
}

/* Does what the options ask for, and prints it to `file`. */
static enum mapping_status act(const struct options *options, FILE *file,
                               struct mapping_error *error) {
    switch (options->action) {
    case ACTION_HELP:
        options_help(file);
        return MAPPING_OK;
    case ACTION_VERSION:
        fputs("mapping " MAPPING_VERSION "\n", file);
        return MAPPING_OK;
    case ACTION_LIST:
        return print_list(options, file, error);
    case ACTION_DIFF:
        return diff(options, file, error);
    case ACTION_CHECK:
        return check(options, file, error);
    case ACTION_SHOW:
        break;
    }
    return print_reports(options, error);
}

/* Writes everything to standard output. */
static enum mapping_status write_out(const char *text, size_t size, struct mapping_error *error) {
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, text, size);
        if (written < 0 && errno != EINTR)
            return mapping_fail(error, MAPPING_FAILED, "could not write to standard output: %s",
                                strerror(errno));
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return MAPPING_OK;
}

int main(int argc, char **argv) {
    struct options options;
    struct mapping_error error = {""};
    char *text = NULL;
    size_t size = 0;
    enum mapping_status status = options_parse(argc, argv, &options, &error);
    if (status == MAPPING_OK) {
        /* Nothing is printed before it is known that all went well. */
        FILE *file = open_memstream(&text, &size);
        status = file ? act(&options, file, &error)
                      : mapping_fail(&error, MAPPING_FAILED, "out of memory");
        if (file && !memory_close(file, &size))
            status = mapping_fail(&error, MAPPING_FAILED, "out of memory");
    } else if (status == MAPPING_INVALID) {
        strncat(error.message, " ('mapping --help' explains the options)",
                sizeof error.message - strlen(error.message) - 1);
    }
    if (status == MAPPING_OK || status == MAPPING_DIFFERS || status == MAPPING_NO_FORMULA) {
        struct mapping_error write_error;
        if (write_out(text, size, &write_error) != MAPPING_OK) {
            status = MAPPING_FAILED;
            error = write_error;
        }
    }
    if (*error.message && status != MAPPING_OK)
        fprintf(stderr, "mapping: %s\n", error.message);
    free(text);
    options_free(&options);
    return (int)status;
}
