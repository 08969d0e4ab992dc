/* main.c - run by make: prints what is installed beside the program; see describe.h.
 *
 *     describe 1|bash|zsh|fish     the manual, or completions for a shell */
#include "describe/describe.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    void (*print)(struct printer *to);
} descriptions[] = {
    {"1", describe_manual},
    {"bash", describe_bash},
    {"zsh", describe_zsh},
    {"fish", describe_fish},
};

int main(int argc, char **argv) {
    size_t n = 0, count = sizeof descriptions / sizeof *descriptions;
    while (n < count && (argc != 2 || strcmp(argv[1], descriptions[n].name) != 0))
        n++;
    if (n == count) {
        fprintf(stderr, "usage: describe 1|bash|zsh|fish\n");
        return MAPPING_INVALID;
    }
    struct printer text = {0};
    descriptions[n].print(&text);
    bool done = printer_write(&text, STDOUT_FILENO) == 0;
    if (!done)
        fprintf(stderr, "describe: standard output cannot be written\n");
    return done ? MAPPING_OK : MAPPING_FAILED;
}
