/* recorded.c - the embedded records of results/; see recorded.h. */
#include "source/recorded.h"

#include "catalogue/catalogue.h"
#include "smem/matrix.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

/* ---- Finding ---- */

const struct recorded_entry *recorded_find(const char *name, size_t *count) {
    size_t low = 0, high = recorded_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(recorded_strings + recorded_entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < recorded_count; ++*count)
        if (strcmp(recorded_strings + recorded_entries[low + *count].name, name) != 0)
            break;
    return &recorded_entries[low];
}

const struct recorded_entry *recorded_on(const char *name, unsigned arch, bool is_published) {
    size_t count;
    const struct recorded_entry *entries = recorded_find(name, &count);
    for (size_t n = 0; n < count; n++)
        if (entries[n].is_published == is_published && entries[n].archs & mapping_arch_bit(arch))
            return &entries[n];
    return NULL;
}

void recorded_provenance(const struct recorded_entry *entry, struct provenance *provenance) {
    if (!provenance_parse(recorded_strings + entry->evidence, provenance))
        provenance->count = 0;
    for (unsigned e = 0; e < provenance->count; e++)
        provenance->evidence[e].is_recorded = !entry->is_published;
}

/* ---- Reading back ---- */

enum mapping_status recorded_layout(const struct recorded_entry *entry,
                                    const struct mapping_space *from,
                                    const struct mapping_space *to, struct mapping_layout *layout,
                                    struct mapping_error *error) {
    struct mapping_formula formulae[MAPPING_AXES_MAX];
    const char *text = recorded_strings + entry->formulae;
    *layout = (struct mapping_layout){.from.count = 0};
    for (uint32_t c = 0; c < to->count; c++, text += strlen(text) + 1)
        if (!mapping_formula_parse(text, from, &formulae[c]))
            return mapping_fail(error, MAPPING_FAILED, "the built-in data for %s is damaged",
                                recorded_strings + entry->name);
    return mapping_layout_evaluate(layout, from, to, formulae, error);
}

/* ---- Atoms of shared memory ---- */

/* True if the first rows and columns of one layout equal the other layout. */
static bool begins_with(const struct mapping_layout *layout, const struct mapping_layout *atom) {
    const struct mapping_axis *size = atom->from.axis;
    if (layout->from.axis[0].size < size[0].size || layout->from.axis[1].size < size[1].size)
        return false;
    for (uint32_t row = 0; row < size[0].size; row++)
        if (memcmp(layout->coordinate[0] + (size_t)row * layout->from.axis[1].size,
                   atom->coordinate[0] + (size_t)row * size[1].size,
                   size[1].size * sizeof(uint32_t)) != 0)
            return false;
    return true;
}

const struct recorded_entry *recorded_atom(const struct mapping_layout *layout, uint32_t bits,
                                           bool *is_whole) {
    static const char start[] = "Layout_";
    const struct recorded_entry *const end = recorded_entries + recorded_count;
    size_t count;
    *is_whole = false;
    if (layout->from.count != 2)
        return NULL;
    for (const struct recorded_entry *entry = recorded_find(start, &count); entry < end; entry++) {
        const char *name = recorded_strings + entry->name;
        struct mapping_smem_matrix stated;
        struct mapping_layout atom = {.from.count = 0};
        struct mapping_error ignored;
        if (strncmp(name, start, strlen(start)) != 0)
            return NULL;
        mapping_smem_matrix_make(&(struct mapping_smem_matrix_request){.text = name}, &stated,
                                 &ignored);
        const bool is_found = stated.bits == bits &&
                              recorded_layout(entry, &stated.layout.from, &stated.layout.to, &atom,
                                              &ignored) == MAPPING_OK &&
                              begins_with(layout, &atom);
        *is_whole = is_found && mapping_layout_entries(layout) == mapping_layout_entries(&atom);
        mapping_smem_matrix_free(&stated);
        mapping_layout_free(&atom);
        if (is_found)
            return entry;
    }
    return NULL;
}

/* ---- Confirmation ---- */

bool recorded_confirmation(const struct recorded_entry *entry, struct confirmation *confirmation) {
    struct provenance provenance;
    const struct evidence *seen;
    if (!strstr(recorded_strings + entry->evidence, "gpu")) /* parsing takes longer */
        return false;
    recorded_provenance(entry, &provenance);
    if (!(seen = provenance_find(&provenance, "gpu")))
        return false;
    confirmation->arch = mapping_arch_at((size_t)__builtin_ctz(entry->archs))->number;
    confirmation->with = seen->with;
    return true;
}

enum mapping_status recorded_confirm(struct observation *observed, struct mapping_error *error) {
    size_t count;
    char name[MAPPING_NAME_SIZE];
    enum mapping_status status = MAPPING_OK;
    if (provenance_find(&observed->provenance, "gpu") ||
        provenance_find(&observed->provenance, "published"))
        return MAPPING_OK; /* it already names hardware */
    mapping_fragment_name(&observed->fragment, name);
    const struct recorded_entry *entries = recorded_find(name, &count);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        struct confirmation confirmation;
        struct mapping_layout layout;
        if (!recorded_confirmation(&entries[n], &confirmation))
            continue;
        status = recorded_layout(&entries[n], &observed->layout.from, &observed->layout.to, &layout,
                                 error);
        if (status == MAPPING_OK && layout_equal(&layout, &observed->layout)) {
            observed->confirmation = confirmation;
            n = count;
        }
        mapping_layout_free(&layout);
    }
    return status;
}
