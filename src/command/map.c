/* map.c - a layout that somebody brings: its formulae, and what else has it. */
#include "command/matches.h"
#include "command/show.h"
#include "layout/sentence.h"
#include "report/table.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file is called: its name without the folder. */
static void name_report(const char *path, struct report *report) {
    const char *slash = strrchr(path, '/');
    const char *name = strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
    mapping_printable(name, strlen(name), report->name, sizeof report->name - 1);
}

/* True of "row = ..." and "col=...". */
static bool is_formula(const char *path) {
    const char *end = path + 3 + strspn(path + strnlen(path, 3), " ");
    return (strncmp(path, "row", 3) == 0 || strncmp(path, "col", 3) == 0) && *end == '=';
}

/* Reads the table, and makes a report of it. */
static enum mapping_status make_report(const struct request *request, struct table *table,
                                       struct report *report, struct mapping_error *error) {
    const char *path = request->subjects[0];
    struct printer content = {.text = NULL};
    struct mapping_error cause;
    enum mapping_status status = file_read(path, "map", &content, error);
    if (status == MAPPING_UNAVAILABLE && is_formula(path))
        status = mapping_fail(error, MAPPING_INVALID,
                              "--map reads a file with the columns tid,i,row,col, not a formula; "
                              "--verify=CODE checks a formula");
    if (status == MAPPING_OK) {
        status = table_read(content.text, request->outputs, table, &cause);
        if (status == MAPPING_INVALID)
            mapping_fail(error, status, "%.200s: %-s",
                         strcmp(path, "-") == 0 ? "standard input" : path, cause.message);
        else if (status != MAPPING_OK)
            *error = cause;
    }
    printer_free(&content);
    if (status != MAPPING_OK)
        return status;
    *report = (struct report){.kind = "file", .is_of_file = true};
    name_report(path, report);
    report->observed.layout = table->layout;
    return derive_map(report);
}

enum mapping_status command_map(const struct request *request, struct pages *pages,
                                struct mapping_error *error) {
    struct table table = {.names = NULL};
    struct report report = {.kind = "file"};
    enum mapping_status status = make_report(request, &table, &report, error);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA) {
        find_matches(&report);
        restyle(&report, 1, request->style.formula);
        enum mapping_status other = print_reports(request, &report, 1, pages, error);
        if (other != MAPPING_OK || request->output->can_show)
            status = other;
    }
    return status;
}
