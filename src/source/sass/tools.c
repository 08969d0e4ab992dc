/* tools.c - finding pairs of ptxas and nvdisasm; see tools.h. */
#include "source/sass/tools.h"

#include "system/system.h"

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

static void add(struct toolkits *toolkits, const struct toolkit *toolkit) {
    for (size_t t = 0; t < toolkits->count; t++)
        if (is_same(toolkits->toolkit[t].ptxas, toolkit->ptxas))
            return;
    if (toolkits->count < TOOLKITS_MAX)
        toolkits->toolkit[toolkits->count++] = *toolkit;
}

/* Adds the pair in the folder, if both tools are in it. `seen` has the first of each tool that the
 * search has come across, whether or not they are a pair. */
static void look_into(const char *folder, struct toolkits *toolkits, struct toolkit *seen) {
    struct toolkit here = {"", ""};
    bool has_ptxas = program_in(folder, "ptxas", here.ptxas);
    bool has_nvdisasm = program_in(folder, "nvdisasm", here.nvdisasm);
    if (has_ptxas && has_nvdisasm)
        add(toolkits, &here);
    if (has_ptxas && !*seen->ptxas)
        memcpy(seen->ptxas, here.ptxas, PATH_MAX);
    if (has_nvdisasm && !*seen->nvdisasm)
        memcpy(seen->nvdisasm, here.nvdisasm, PATH_MAX);
}

/* Looks into a toolkit's folder: its bin/, and itself. */
static void look_into_toolkit(const char *folder, struct toolkits *toolkits, struct toolkit *seen) {
    char bin[PATH_MAX];
    if (snprintf(bin, sizeof bin, "%s/bin", folder) < (int)sizeof bin)
        look_into(bin, toolkits, seen);
    look_into(folder, toolkits, seen);
}

static void look_along_path(struct toolkits *toolkits, struct toolkit *seen) {
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

static void look_into_usual_folders(struct toolkits *toolkits, struct toolkit *seen) {
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
    struct toolkit seen = {"", ""};
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
        add(toolkits, &seen);
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
