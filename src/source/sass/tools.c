/* tools.c - finding pairs of ptxas and nvdisasm, and running them; see tools.h. */
#include "source/sass/tools.h"

#include "system/system.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Finding toolkits ---- */

/* Where installers put the CUDA Toolkit. */
static const char *const usual_folders[] = {
    "/usr/local/cuda",
    "/usr/local/cuda-*",
    "/opt/cuda",
    "/usr/lib/nvidia-cuda-toolkit",
    "/opt/nvidia/hpc_sdk/Linux_*/*/cuda",
    "/usr",
};

/* Writes folder/name to `path` if that is a program. */
static bool program_in(const char *folder, const char *name, char path[PATH_MAX]) {
    struct stat information;
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX && access(path, X_OK) == 0 &&
           stat(path, &information) == 0 && S_ISREG(information.st_mode);
}

/* True if both are the same program, perhaps by links. */
static bool is_same(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static void add(struct toolkits *toolkits, const char *ptxas, const char *nvdisasm) {
    for (size_t t = 0; t < toolkits->count; t++)
        if (is_same(toolkits->toolkit[t].ptxas, ptxas))
            return;
    if (toolkits->count < TOOLKITS_MAX) {
        struct toolkit *toolkit = &toolkits->toolkit[toolkits->count++];
        snprintf(toolkit->ptxas, PATH_MAX, "%s", ptxas);
        snprintf(toolkit->nvdisasm, PATH_MAX, "%s", nvdisasm);
    }
}

/* What a search has come across so far: the first of each tool, whether or not they are a pair. */
struct seen {
    char ptxas[PATH_MAX], nvdisasm[PATH_MAX];
};

/* Adds the pair in the folder, if both tools are in it. */
static void look_into(const char *folder, struct toolkits *toolkits, struct seen *seen) {
    char ptxas[PATH_MAX], nvdisasm[PATH_MAX];
    bool has_ptxas = program_in(folder, "ptxas", ptxas);
    bool has_nvdisasm = program_in(folder, "nvdisasm", nvdisasm);
    if (has_ptxas && has_nvdisasm)
        add(toolkits, ptxas, nvdisasm);
    if (has_ptxas && !*seen->ptxas)
        memcpy(seen->ptxas, ptxas, PATH_MAX);
    if (has_nvdisasm && !*seen->nvdisasm)
        memcpy(seen->nvdisasm, nvdisasm, PATH_MAX);
}

/* Looks into a toolkit's folder: its bin/, and itself. */
static void look_into_toolkit(const char *folder, struct toolkits *toolkits, struct seen *seen) {
    char bin[PATH_MAX];
    if (snprintf(bin, sizeof bin, "%s/bin", folder) < (int)sizeof bin)
        look_into(bin, toolkits, seen);
    look_into(folder, toolkits, seen);
}

static void look_along_path(struct toolkits *toolkits, struct seen *seen) {
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char folder[PATH_MAX];
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, path, length);
            folder[length] = '\0';
            look_into(folder, toolkits, seen);
        }
        path += length + (path[length] == ':');
    }
}

/* Orders paths by the versions in them, the latest first: cuda-13.0, cuda-9.2. */
static int compare_versions(const void *left, const void *right) {
    return strverscmp(*(char *const *)right, *(char *const *)left);
}

static void look_into_usual_folders(struct toolkits *toolkits, struct seen *seen) {
    for (size_t f = 0; f < sizeof usual_folders / sizeof *usual_folders; f++) {
        glob_t found;
        int failed = glob(usual_folders[f], 0, NULL, &found);
        if (failed == GLOB_NOSPACE)
            memory_exhausted();
        if (!failed) {
            qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, compare_versions);
            for (size_t g = 0; g < found.gl_pathc; g++)
                look_into_toolkit(found.gl_pathv[g], toolkits, seen);
            globfree(&found);
        }
    }
}

enum mapping_status toolkits_find(const struct machinery *machinery, struct toolkits *toolkits,
                                  struct mapping_error *error) {
    struct seen seen = {"", ""};
    toolkits->count = 0;
    for (size_t f = 0; f < machinery->cuda_folder_count; f++)
        look_into_toolkit(machinery->cuda_folders[f], toolkits, &seen);
    if (machinery->cuda_folder_count == 0) {
        static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
        for (size_t v = 0; v < sizeof variables / sizeof *variables; v++) {
            const char *folder = getenv(variables[v]);
            if (folder && *folder)
                look_into_toolkit(folder, toolkits, &seen);
        }
        look_along_path(toolkits, &seen);
        look_into_usual_folders(toolkits, &seen);
    }
    if (*seen.ptxas && *seen.nvdisasm) /* not of one folder, but perhaps of one generation */
        add(toolkits, seen.ptxas, seen.nvdisasm);
    if (toolkits->count > 0)
        return MAPPING_OK;
    const char *where = machinery->cuda_folder_count > 0
                            ? "the folders of --cuda"
                            : "$CUDA_HOME, $CUDA_PATH, $PATH and the usual folders";
    if (!*seen.ptxas && !*seen.nvdisasm)
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "ptxas and nvdisasm were not found in %s; use --cuda=DIR with the folder of a CUDA "
            "Toolkit",
            where);
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "%s was found, but %s was not found in %s; use --cuda=DIR with the folder "
                        "of a CUDA Toolkit",
                        *seen.ptxas ? seen.ptxas : seen.nvdisasm,
                        *seen.ptxas ? "nvdisasm" : "ptxas", where);
}

/* ---- Running their tools ---- */

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
