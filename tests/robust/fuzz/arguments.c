/* arguments.c - fuzzes command lines, one argument per line: each gives a consistent request or an
 * error message. */
#include "fuzz.h"

#include "cli/options.h"

#include <getopt.h>

enum { ARGUMENTS_MAX = 40 };

static void check_request(const struct request *request) {
    const struct question *question = &request->style.question;
    must(request->output != NULL, "there is a format");
    must(request->arch_count <= MAPPING_ARCHS_MAX, "there are no more architectures than all");
    must(request->source_count <= SOURCES_MAX, "there are no more sources than all");
    must(question->count <= MAPPING_AXES_MAX, "there are no more ranges than axes");
    must(request->machinery.timeout > 0, "there is a time limit");
    for (size_t s = 0; s < request->subject_count; s++)
        must(request->subjects[s] != NULL, "a subject has a name");
    for (size_t u = 0; u < request->use_count; u++)
        must(request->uses[u].name != NULL, "what is loaded has a name");
    must((request->action != ACTION_ACCESS) == !request->access, "an access has an operation");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char program[] = "mapping";
    char *text = text_of(data, size), *next = text, *argument, *argv[ARGUMENTS_MAX + 2] = {program};
    int argc = 1;
    struct request request;
    enum mode mode;
    struct mapping_error error = {""};
    while (argc <= ARGUMENTS_MAX && (argument = cut_line(&next)))
        argv[argc++] = argument;
    optind = 0; /* of glibc: begin anew */
    enum mapping_status status = options_parse(argc, argv, &request, &mode, &error);
    must(status == MAPPING_OK || status == MAPPING_INVALID || status == MAPPING_UNAVAILABLE,
         "a command line is right or wrong");
    must_say_why(status, &error);
    if (status == MAPPING_OK && mode == MODE_REQUEST)
        check_request(&request);
    memory_release();
    free(text);
    return 0;
}
