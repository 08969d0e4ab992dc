/* source.c - the table of sources. */
#include "source.h"

#include <string.h>

static const struct source sources[] = {
    {"gpu", gpu_observe},
    {"sass", sass_observe},
    {"recorded", recorded_observe},
};

const struct source *source_at(size_t index) {
    return index < sizeof sources / sizeof *sources ? &sources[index] : NULL;
}

const struct source *source_find(const char *name) {
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
        if (strcmp(name, sources[s].name) == 0)
            return &sources[s];
    return NULL;
}
