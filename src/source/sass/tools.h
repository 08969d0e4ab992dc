/* tools.h - finding pairs of ptxas and nvdisasm. */
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

#endif
