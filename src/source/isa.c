/* isa.c - the source that states what the PTX ISA does, of fragments whose layout it specifies. */
#include "source/source.h"

#include <ctype.h>
#include <stdio.h>

bool isa_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->section != NULL;
}

/* The version whose sections the catalogue has: 9.0. */
enum { PTX_ISA = 90 };

void isa_section(const struct mapping_fragment *fragment, char text[ISA_TEXT]) {
    if (!isdigit(
            (unsigned char)*fragment->section)) { /* of another specification, which it names */
        snprintf(text, ISA_TEXT, "%s", fragment->section);
        return;
    }
    unsigned ptx = fragment->ptx > PTX_ISA ? fragment->ptx : PTX_ISA;
    snprintf(text, ISA_TEXT, "PTX ISA %u.%u section %s", ptx / 10, ptx % 10, fragment->section);
}

static enum mapping_status state(struct observation *observed, struct mapping_error *error) {
    char with[ISA_TEXT], name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&observed->fragment, name);
    if (observed->fragment.reported)
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "the PTX ISA and %s give different layouts for %s; use --source=published for the "
            "second",
            observed->fragment.reported, name);
    enum mapping_status status =
        mapping_fragment_state(&observed->fragment, &observed->layout, error);
    if (status != MAPPING_OK)
        return status;
    isa_section(&observed->fragment, with);
    provenance_add(&observed->provenance, "isa", with);
    return MAPPING_OK;
}

enum mapping_status isa_observe(unsigned arch, struct observation *const *observations,
                                size_t count, const struct machinery *machinery,
                                struct mapping_error *error) {
    (void)arch, (void)machinery;
    return observe_each(observations, count, state, error);
}
