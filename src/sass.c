/* sass.c - `make sass`: assembles every opcode of the catalogue, and prints results/sass.txt, which
 * is embedded when the program is built; see source/assembled.h.
 *
 *     sass [DIR ...]     folders with a ptxas and its nvdisasm; none: all that are found
 *
 * Each architecture is measured with the newest ptxas that knows it. */
#include "source/sass/measure.h"

#include <stdio.h>
#include <stdlib.h>

/* Seconds for one run of a tool. */
#define TIMEOUT 300

/* True if version a is newer than b: "13.5.37" than "12.8.61". */
static bool is_newer(const char *a, const char *b) {
    while (*a && *b) {
        char *a_end, *b_end;
        unsigned long left = strtoul(a, &a_end, 10), right = strtoul(b, &b_end, 10);
        if (left != right)
            return left > right;
        a = a_end + (*a_end == '.');
        b = b_end + (*b_end == '.');
        if (a_end == a || b_end == b)
            break;
    }
    return false;
}

/* Sorts toolkits with their versions, the newest first. */
static void sort(struct toolkits *toolkits, struct tool_versions *versions) {
    for (size_t n = 1; n < toolkits->count; n++) {
        for (size_t p = n; p > 0 && is_newer(versions[p].ptxas, versions[p - 1].ptxas); p--) {
            struct toolkit toolkit = toolkits->toolkit[p];
            struct tool_versions version = versions[p];
            toolkits->toolkit[p] = toolkits->toolkit[p - 1];
            versions[p] = versions[p - 1];
            toolkits->toolkit[p - 1] = toolkit;
            versions[p - 1] = version;
        }
    }
}

static enum mapping_status find_toolkits(const struct machinery *machinery,
                                         struct toolkits *toolkits, struct tool_versions *versions,
                                         struct mapping_error *error) {
    enum mapping_status status = toolkits_find(machinery, toolkits, error);
    for (size_t t = 0; t < toolkits->count && status == MAPPING_OK; t++)
        status = tools_versions(&toolkits->toolkit[t], TIMEOUT, &versions[t], error);
    if (status == MAPPING_OK)
        sort(toolkits, versions);
    return status;
}

static enum mapping_status print_outcomes(const struct machinery *machinery,
                                          struct outcomes *outcomes, struct printer *to,
                                          struct mapping_error *error) {
    static struct toolkits toolkits;
    static struct tool_versions versions[TOOLKITS_MAX];
    struct measurement measurement = {
        .toolkits = &toolkits, .versions = versions, .timeout = TIMEOUT};
    enum mapping_status status = find_toolkits(machinery, &toolkits, versions, error);
    for (size_t arch = 0; arch < MAPPING_ARCHS_MAX; arch++)
        for (size_t t = 0; t < toolkits.count; t++)
            measurement.allowed[arch] |= UINT32_C(1) << t;
    if (status == MAPPING_OK)
        status = outcomes_init(outcomes, error);
    if (status == MAPPING_OK)
        status = measure(&measurement, outcomes, error);
    for (size_t arch = 0; mapping_arch_at(arch) && status == MAPPING_OK; arch++)
        if (!*outcomes->versions[arch].ptxas)
            status = mapping_fail(error, MAPPING_UNAVAILABLE,
                                  "no ptxas here knows all opcodes of sm_%u; name one more folder",
                                  mapping_arch_at(arch)->number);
    if (status == MAPPING_OK)
        outcomes_print(outcomes, to);
    return status == MAPPING_OK && to->failed ? mapping_out_of_memory(error) : status;
}

int main(int argc, char **argv) {
    struct machinery machinery = {.timeout = TIMEOUT};
    struct outcomes outcomes = {.count = 0};
    struct printer text = {.text = NULL};
    struct mapping_error error;
    for (int a = 1; a < argc && machinery.cuda_folder_count < CUDA_FOLDERS_MAX; a++)
        machinery.cuda_folders[machinery.cuda_folder_count++] = argv[a];
    enum mapping_status status = print_outcomes(&machinery, &outcomes, &text, &error);
    if (status == MAPPING_OK && printer_write(&text, 1) != 0)
        status = mapping_fail(&error, MAPPING_FAILED, "standard output could not be written");
    if (status != MAPPING_OK)
        fprintf(stderr, "sass: %s\n", error.message);
    outcomes_free(&outcomes);
    printer_free(&text);
    return (int)status;
}
