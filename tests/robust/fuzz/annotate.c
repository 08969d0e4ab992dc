/* annotate.c - fuzzes --annotate: every line of the listing is unchanged, and the summary is the
 * same with and without the lines. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

/* Annotates the file with one more option; returns the text, or NULL if it is no listing. */
static const char *annotate(mapping *context, const char *file, const char *option) {
    const char *const words[] = {file, option}, *text;
    size_t size;
    const enum mapping_status status = mapping_run(context, option ? 2 : 1, words, &text, &size);
    must(status == MAPPING_OK || status == MAPPING_INVALID, "a listing is read or refused");
    must(status != MAPPING_OK || strlen(text) == size, "a listing without zeros stays without");
    return status == MAPPING_OK ? text : NULL;
}

/* The next line; NULL at the end. */
static const char *next_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end && end[1] ? end + 1 : NULL;
}

static bool is_comment(const char *line) {
    return strncmp(line, "//", 2) == 0;
}

/* Every line of the input is there, in order, with comments after and between lines. */
static void check_lines(const char *input, const char *text) {
    for (const char *line = input; line; line = next_line(line)) {
        const size_t length = strcspn(line, "\n");
        while (text && is_comment(text) && (!is_comment(line) || strncmp(text, line, length) != 0))
            text = next_line(text);
        must(text && strncmp(text, line, length) == 0, "a line stays as it is");
        text = text ? next_line(text) : NULL;
    }
}

/* The text ends with a summary, of which each line is a comment there. */
static void check_summary(const char *text, const char *summary) {
    size_t size = 0;
    for (const char *line = summary; line; line = next_line(line))
        size += 3;
    size += strlen(summary);
    must(strlen(text) >= size, "there is a summary");
    text += strlen(text) - size;
    for (const char *line = summary; line; line = next_line(line)) {
        const size_t length = strcspn(line, "\n");
        must(strncmp(text, "// ", 3) == 0 && strncmp(text + 3, line, length) == 0,
             "the summary is the same behind the lines");
        text += 3 + length + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const options[] = {NULL, "--detail", "--at=3,5", "--register=R4"};
    char *input = text_of(data, size), file[64];
    const size_t length = strlen(input);
    const int fd = memfd_create("listing", 0);
    if (fd < 0 || write(fd, input, length) != (ssize_t)length)
        abort();
    snprintf(file, sizeof file, "--annotate=/proc/self/fd/%d", fd);
    mapping *context = mapping_open(NULL);
    const char *brief = context ? annotate(context, file, "--brief") : NULL;
    char *summary = brief ? strdup(brief) : NULL;
    if (summary) { /* one of the options, or it would take long */
        const char *text =
            annotate(context, file, options[length % (sizeof options / sizeof *options)]);
        must(text != NULL, "a listing is one with every option");
        check_lines(input, text);
        check_summary(text, summary);
        must(annotate(context, file, "--json") != NULL, "a listing is one in every format");
    }
    mapping_close(context);
    close(fd);
    free(summary);
    free(input);
    return 0;
}
