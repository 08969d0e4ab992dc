/* tools.c - running ptxas and nvdisasm; see tools.h. */
#include "source/sass/tools.h"

#include "system/system.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum mapping_status tools_write(const char *path, const char *text, struct mapping_error *error) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int cause = fd < 0 ? errno : write_all(fd, text, strlen(text));
    if (fd >= 0 && close(fd) != 0 && cause == 0)
        cause = errno;
    if (cause == ENOMEM)
        memory_exhausted();
    if (cause != 0)
        return mapping_fail(error, MAPPING_FAILED, "could not write %s: %s", path, strerror(cause));
    return MAPPING_OK;
}

static bool failed(const struct tool_output *output) {
    return output->exit_status != 0 || output->ended_by != 0;
}

/* What the tool complained about: the first line that has an error in it, else the first that says
 * something. ptxas gives advice, too. */
static const char *complaint_of(const struct tool_output *output) {
    const char *text = output->err_size > 0 ? output->err : output->out;
    const char *place = strstr(text, " error   :");
    while (place && place > text && place[-1] != '\n')
        place--;
    return place ? place : text + strspn(text, " \t\r\n");
}

/* Fails with what the tool complained about. */
static enum mapping_status fail_tool(const char *tool, const struct tool_output *output,
                                     enum mapping_status status, struct mapping_error *error) {
    const char *complaint = complaint_of(output);
    int length = (int)strcspn(complaint, "\r\n");
    if (length > 300)
        length = 300;
    if (output->ended_by)
        return mapping_fail(error, status, "%s was killed by signal %d", tool, output->ended_by);
    return mapping_fail(error, status, "%s failed with exit status %d%s%.*s", tool,
                        output->exit_status, length ? ": " : " and no message", length, complaint);
}

enum mapping_status tools_assemble(const struct toolkit *toolkit, const char *target,
                                   const char *ptx, const char *cubin, double timeout,
                                   struct mapping_error *error) {
    const char *ptxas = toolkit->ptxas;
    char option[32];
    snprintf(option, sizeof option, "-arch=%s", target);
    const char *const argv[] = {ptxas, option, ptx, "-o", cubin, NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    if (status != MAPPING_OK || !failed(&output))
        return status;
    if (strstr(output.err, "is not defined for option 'gpu-name'"))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s does not support %s", ptxas, target);
    if (strstr(output.err, "Unsupported .version"))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s is too old for the PTX of %s", ptxas,
                            target);
    return fail_tool(ptxas, &output, MAPPING_FAILED, error);
}

/* True if there are no control characters but those between lines and words. */
static bool is_text(const char *text, size_t size) {
    for (size_t n = 0; n < size; n++)
        if (iscntrl((unsigned char)text[n]) && !isspace((unsigned char)text[n]))
            return false;
    return true;
}

enum mapping_status tools_disassemble(const struct toolkit *toolkit, const char *cubin,
                                      double timeout, char **text, struct mapping_error *error) {
    const char *nvdisasm = toolkit->nvdisasm;
    const char *const argv[] = {nvdisasm, cubin, NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    *text = output.out;
    if (status == MAPPING_OK && failed(&output)) {
        bool unknown = strstr(output.err, "does not contain Cuda architecture information") ||
                       strstr(output.err, "Cannot decode architecture") ||
                       strstr(output.err, "is deprecated");
        return fail_tool(nvdisasm, &output, unknown ? MAPPING_UNAVAILABLE : MAPPING_FAILED, error);
    }
    return status != MAPPING_OK || is_text(output.out, output.out_size)
               ? status
               : mapping_fail(error, MAPPING_FAILED, "%s printed no text", nvdisasm);
}

/* Reads the version that a tool has, e.g. "11.8.89". */
static enum mapping_status read_version(const char *tool, double timeout,
                                        char version[TOOL_VERSION_SIZE],
                                        struct mapping_error *error) {
    const char *const argv[] = {tool, "--version", NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    if (status != MAPPING_OK)
        return status;
    const char *place = strstr(output.out, ", V");
    if (failed(&output))
        return fail_tool(tool, &output, MAPPING_FAILED, error);
    return place && sscanf(place, ", V%31[0-9.]", version) == 1
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_FAILED, "%s --version printed no version", tool);
}

enum mapping_status tools_versions(const struct toolkit *toolkit, double timeout,
                                   struct tool_versions *versions, struct mapping_error *error) {
    enum mapping_status status = read_version(toolkit->ptxas, timeout, versions->ptxas, error);
    return status == MAPPING_OK
               ? read_version(toolkit->nvdisasm, timeout, versions->nvdisasm, error)
               : status;
}
