/* help.c - prints --help; see options.h. */
#include "cli/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 23, ARCH_COLUMN = 10, HELP_WIDTH = 79 };

/* Prints words from column `indent` on, in lines that begin there and fit a terminal; a '\n' begins
 * a new one. */
static void print_indented(struct printer *to, const char *text, size_t indent) {
    char next[64];
    snprintf(next, sizeof next, "%*s", (int)indent, "");
    const char *end = text;
    for (const char *line = text; line == text || *end; line = end + 1) {
        end = line + strcspn(line, "\n");
        print_text(to, line > text ? next : "");
        print_wrapped(to, line, (size_t)(end - line),
                      &(struct wrapping){indent, HELP_WIDTH, " ", next});
        print_char(to, '\n');
    }
}

char *option_help(const struct option_row *row) {
    struct printer help = {0};
    char choices[LIST_TEXT] = "";
    if (row->choices && row->help[strlen(row->help) - 1] == ' ')
        write_choices(row, " and ", choices);
    print(&help, "%s%s", row->help, choices);
    return printer_string(&help);
}

static void print_row(struct printer *to, const struct option_row *row) {
    enum { CHOICE_COLUMN = HELP_COLUMN + 11 };
    char left[64];
    char letter[] = "   ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c,", row->letter);
    if (!row->name)
        snprintf(left, sizeof left, "  %s", row->argument);
    else if (row->is_optional)
        snprintf(left, sizeof left, "  %s --%s[=%s]%s", letter, row->name, row->argument,
                 row->is_subject ? " [FILE]..." : "");
    else
        snprintf(left, sizeof left, "  %s --%s%s%s", letter, row->name, row->argument ? "=" : "",
                 row->argument ? row->argument : "");
    print_text(to, left);
    if (strlen(left) < HELP_COLUMN)
        print(to, "%*s", (int)(HELP_COLUMN - strlen(left)), "");
    else
        print(to, "\n%*s", HELP_COLUMN, "");
    for (size_t n = 0; row->choice_help && row->choices(n); n++) {
        print(to, "%-*s", CHOICE_COLUMN - HELP_COLUMN, row->choices(n));
        print_indented(to, row->choice_help(n), CHOICE_COLUMN);
        print(to, "%*s", HELP_COLUMN, "");
    }
    print_indented(to, option_help(row), HELP_COLUMN);
}

const char *options_status(int status) {
    static const char *const meanings[] = {
        [MAPPING_OK] = "success",
        [MAPPING_DIFFERS] = "a difference was found",
        [MAPPING_INVALID] = "wrong arguments or file contents",
        [MAPPING_UNAVAILABLE] = "no GPU, tool, file or layout",
        [MAPPING_NO_FORMULA] = "no formula fits the table",
        [MAPPING_FAILED] = "system or CUDA error",
    };
    return status <= MAPPING_FAILED ? meanings[status] : NULL;
}

static void print_statuses(struct printer *to) {
    enum { HALF = (MAPPING_FAILED + 1) / 2 };
    for (int status = 0; status < HALF; status++)
        print(to, "%-13s%d %-34s%d %s\n", status == 0 ? "Exit status:" : "", status,
              options_status(status), status + HALF, options_status(status + HALF));
}

/* One line for each exit status. */
static const struct {
    const char *what, *command;
} examples[] = {
    {"show a FRAGMENT", "mapping mma.m16n8k16.a.bf16"},
    {"find an element", "mapping mma.m16n8k16.d.f32 --at=3,5"},
    {"check a formula", "mapping mma.m16n8k16.d.f32 --verify='row = lane/4 + i/2*8'"},
    {"print code", "mapping mma.m16n8k16 --arch=sm_80 --format=cuda"},
    {"load from LAYOUT", "mapping '(64,64):(72,1)' --load=mma.m16n8k16.a.f16"},
    {"list fragments", "mapping --list 'mma.*.bf16'"},
};

/* Prints the options that most users need, in lines that fit a terminal. */
static void print_main_options(struct printer *to) {
    const struct option_row *row;
    struct printer options = {.text = NULL};
    print_text(&options, "Main options:");
    for (size_t r = 0; (row = option_at(r)); r++)
        if (row->is_main)
            print(&options, " --%s%s%s", row->name, row->argument ? "=" : "",
                  row->argument ? row->argument : "");
    print_char(to, '\n');
    print_wrapped(to, printer_string(&options), options.size,
                  &(struct wrapping){0, HELP_WIDTH, " ", "  "});
    print_text(to, "\n\n");
}

static void print_start(struct printer *to) {
    const struct option_row *row;
    print_text(to,
               "Usage: mapping [OPTION]... [FRAGMENT | LAYOUT]...\n"
               "Print the layout of a tensor-core fragment: the matrix element in each register\n"
               "of each thread, and formulae for its row and column. For example:\n");
    for (size_t e = 0; e < sizeof examples / sizeof *examples; e++)
        print(to, "  %-18s %s\n", examples[e].what, examples[e].command);
    print_main_options(to);
    print_text(to, "All options, by topic:\n");
    for (size_t r = 0; (row = option_at(r)); r++)
        if (row->about)
            print(to, "  --help=%-13s %s\n", row->topic, row->about);
    print(to, "  --help=%-13s %s\n", "all", "all topics, and what the exit status means");
}

static void print_archs(struct printer *to) {
    const struct mapping_arch *arch;
    print_char(to, '\n');
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++) {
        print(to, *arch->names ? "  sm_%-4u " : "  sm_%u", arch->number);
        print_indented(to, arch->names, ARCH_COLUMN);
    }
}

void options_help(struct printer *to, const char *name) {
    const struct option_row *row;
    const bool is_all = name && strcmp(name, "all") == 0;
    bool is_shown = false; /* the topic to which the following rows belong */
    if (!name || is_all)
        print_start(to);
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (row->topic) {
            is_shown = is_all || (name && strcmp(name, row->topic) == 0);
            print_text(to, is_all ? "\n" : "");
        }
        if (!is_shown || row->is_alias)
            continue;
        if (row->about) /* "Names, types and operands; grids:" */
            print(to, "%c%s:\n", toupper((unsigned char)*row->about), row->about + 1);
        if (row->group)
            print(to, "\n%s\n", row->group);
        if (!row->topic)
            print_row(to, row);
        if (row->argument && strcmp(row->argument, "ARCH") == 0)
            print_archs(to);
    }
    if (is_all)
        print_text(to,
                   "\n"
                   "On a terminal, rows and columns of grids are numbered, and long output goes\n"
                   "through $PAGER (default: less); PAGER=cat disables the pager.\n"
                   "\n");
    if (is_all)
        print_statuses(to);
}
