/* tools.h - finding pairs of ptxas and nvdisasm, and running them. `timeout` is seconds for one
 * run.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include "source/source.h"

#include <limits.h>

/* A pair that belongs together: nvdisasm reads the cubins of its own generation of ptxas. */
struct toolkit {
    char ptxas[PATH_MAX], nvdisasm[PATH_MAX];
};

#define TOOLKITS_MAX 32

struct toolkits {
    size_t count;
    struct toolkit toolkit[TOOLKITS_MAX];
};

/* Finds the toolkits, the preferred ones first: those of --cuda and no others if it is given, else
 * $CUDA_HOME, $CUDA_PATH, $PATH, and the usual install folders. MAPPING_UNAVAILABLE, with what is
 * missing, if there is none. */
enum mapping_status toolkits_find(const struct machinery *machinery, struct toolkits *toolkits,
                                  struct mapping_error *error);

/* Longest version of a tool with its end. */
#define TOOL_VERSION_SIZE 32

/* The versions of a toolkit's tools, e.g. "11.8.89". */
struct tool_versions {
    char ptxas[TOOL_VERSION_SIZE], nvdisasm[TOOL_VERSION_SIZE];
};

/* Asks both tools. MAPPING_FAILED if one does not run, or names none. */
enum mapping_status tools_versions(const struct toolkit *toolkit, double timeout,
                                   struct tool_versions *versions, struct mapping_error *error);

/* Writes a text to a file. */
enum mapping_status tools_write(const char *path, const char *text, struct mapping_error *error);

/* Assembles the file `ptx` for a target, e.g. "sm_90a". MAPPING_UNAVAILABLE if this ptxas does not
 * know it, or not the version of the PTX. */
enum mapping_status tools_assemble(const struct toolkit *toolkit, const char *target,
                                   const char *ptx, const char *cubin, double timeout,
                                   struct mapping_error *error);

/* Disassembles the cubin. On success *text is the listing. MAPPING_UNAVAILABLE if this
 * nvdisasm does not know the architecture. */
enum mapping_status tools_disassemble(const struct toolkit *toolkit, const char *cubin,
                                      double timeout, char **text, struct mapping_error *error);

#endif
