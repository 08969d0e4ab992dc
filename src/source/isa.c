/* isa.c - the source that states what the PTX ISA does, of fragments whose layout it specifies. */
#include "source/source.h"

#include <stdio.h>

bool isa_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->bases != NULL;
}

static enum mapping_status state(struct observation *observed, struct mapping_error *error) {
    char with[64];
    enum mapping_status status =
        mapping_fragment_state(&observed->fragment, &observed->layout, error);
    if (status != MAPPING_OK)
        return status;
    snprintf(with, sizeof with, "PTX ISA 9.0 section %s", observed->fragment.section);
    provenance_add(&observed->provenance, "isa", with);
    return MAPPING_OK;
}

enum mapping_status isa_observe(unsigned arch, struct observation *const *observations,
                                size_t count, const struct machinery *machinery,
                                struct mapping_error *error) {
    (void)arch, (void)machinery;
    return observe_each(observations, count, state, error);
}
