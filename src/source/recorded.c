/* recorded.c - results/ as they were when the program was built; see recorded.h. */
#include "source/recorded.h"

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

static bool has_arch(const struct recorded_entry *entry, unsigned arch) {
    for (uint32_t left = entry->archs; left; left &= left - 1)
        if (mapping_arch_at((size_t)__builtin_ctz(left))->number == arch)
            return true;
    return false;
}

const struct recorded_entry *recorded_on(const char *name, unsigned arch, bool is_published) {
    size_t count;
    const struct recorded_entry *entries = recorded_find(name, &count);
    for (size_t n = 0; n < count; n++)
        if (entries[n].is_published == is_published && has_arch(&entries[n], arch))
            return &entries[n];
    return NULL;
}

bool recorded_provenance(const struct recorded_entry *entry, const char *kind,
                         struct provenance *provenance) {
    const char *evidence = recorded_strings + entry->evidence;
    if (kind && !strstr(evidence, kind)) /* most have none, and parsing takes longer */
        return false;
    return provenance_parse(evidence, provenance) && (!kind || provenance_find(provenance, kind));
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

/* ---- Confirmation ---- */

enum mapping_status recorded_confirm(struct observation *observed, struct mapping_error *error) {
    size_t count;
    char name[MAPPING_NAME_SIZE];
    enum mapping_status status = MAPPING_OK;
    mapping_fragment_name(&observed->fragment, name);
    const struct recorded_entry *entries = recorded_find(name, &count);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        struct provenance provenance;
        struct mapping_layout layout;
        if (!recorded_provenance(&entries[n], "gpu", &provenance))
            continue;
        status = recorded_layout(&entries[n], &observed->layout.from, &observed->layout.to, &layout,
                                 error);
        if (status == MAPPING_OK && mapping_layout_equal(&layout, &observed->layout)) {
            observed->confirmation.arch =
                mapping_arch_at((size_t)__builtin_ctz(entries[n].archs))->number;
            snprintf(observed->confirmation.with, sizeof observed->confirmation.with, "%s",
                     provenance_find(&provenance, "gpu")->with);
            n = count;
        }
        mapping_layout_free(&layout);
    }
    return status;
}
