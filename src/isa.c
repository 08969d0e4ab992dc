/* isa.c - the source that states what the PTX ISA does, of fragments whose layout it specifies. */
#include "source.h"

#include <stdio.h>

bool isa_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->bases != NULL;
}

enum mapping_status isa_observe(unsigned arch, const struct mapping_fragment *fragments,
                                size_t count, const struct source_options *options,
                                struct mapping_map *maps, struct provenance *provenances,
                                struct mapping_error *error) {
    (void)arch, (void)options;
    for (size_t f = 0; f < count; f++) {
        char with[64];
        if (!mapping_map_state(&maps[f], &fragments[f]))
            return mapping_fail(error, MAPPING_FAILED, "out of memory");
        snprintf(with, sizeof with, "PTX ISA 9.0 section %s", fragments[f].section);
        provenance_add(&provenances[f], "isa", with);
    }
    return MAPPING_OK;
}
