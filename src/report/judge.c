/* judge.c - whether what is written down holds; see judge.h. */
#include "report/judge.h"

#include "layout/printable.h"

#include <stdio.h>
#include <string.h>

/* The most that is shown of a line, in bytes. */
enum { EXCERPT = 70 };

/* Prints the part of a line around `column`, from 0. */
static int print_excerpt(char *text, size_t size, const char *label, const char *line,
                         size_t column) {
    size_t length = strcspn(line, "\n");
    size_t start = column > EXCERPT / 2 ? column - EXCERPT / 2 : 0;
    if (start + EXCERPT > length) /* the end of the line, or all of it */
        start = length > EXCERPT ? length - EXCERPT : 0;
    size_t rest = length > start ? length - start : 0;
    char shown[EXCERPT + 1];
    mapping_printable(line + start, rest < EXCERPT ? rest : EXCERPT, shown, EXCERPT);
    return snprintf(text, size, "\n  %s %s%s%s", label, start ? "..." : "", shown,
                    rest > EXCERPT ? "..." : "");
}

/* Writes where the section first differs from `expected`. */
static void describe_difference(const struct section *section, const char *expected,
                                const char *source, char *text, size_t size) {
    size_t place = 0, line_start = 0;
    unsigned line = section->line;
    while (place < section->size && expected[place] == section->text[place])
        if (section->text[place++] == '\n') {
            line++;
            line_start = place;
        }
    size_t column = place - line_start;
    int length =
        snprintf(text, size, "line %u, column %zu differs from %s", line, column + 1, source);
    length += print_excerpt(text + length, size - (size_t)length, "has  ",
                            section->text + line_start, column);
    print_excerpt(text + length, size - (size_t)length, "wants", expected + line_start, column);
}

enum mapping_status judge_section(const struct section *section, struct report *report,
                                  const char *source, struct verdict *verdict,
                                  struct mapping_error *error) {
    struct printer expected = {.text = NULL};
    struct provenance evidence = report->observed.provenance;
    report->observed.provenance = section->provenance;
    report->observed.confirmation = section->confirmation;
    report->is_default_arch = section->is_default_arch;
    report->suffix = section->suffix;
    section_write(&expected, report, section->brief);
    const char *text = printer_string(&expected);
    if (!text) {
        printer_free(&expected);
        return mapping_out_of_memory(error);
    }
    if (expected.size != section->size || memcmp(text, section->text, section->size) != 0)
        describe_difference(section, text, source, verdict->difference, sizeof verdict->difference);
    else
        provenance_merge(&verdict->confirmed, &evidence);
    printer_free(&expected);
    return MAPPING_OK;
}
