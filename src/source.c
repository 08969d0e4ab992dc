/* source.c - the table of sources. */
#include "source.h"

#include <string.h>

static const struct source sources[] = {
    {"gpu", gpu_observe, gpu_covers, "there is no probe for it"},
    {"sass", sass_observe, sass_covers, "compilers spell out the layout of wmma only"},
    {"recorded", recorded_observe, recorded_covers, "it is not recorded"},
    {"isa", isa_observe, isa_covers, "the PTX ISA does not specify it"},
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
