/* recorded.c - the sources that are always there: results/ as they were when the program was built,
 * what others published, and what the PTX ISA states. */
#include "source/recorded.h"

#include "source/source.h"

#include "system/system.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
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

static const struct recorded_entry *find_on(unsigned arch, const struct mapping_fragment *fragment,
                                            bool is_published) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    return recorded_on(name, arch, is_published);
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

/* Reads an entry of an observation's fragment back: its layout, and its evidence. */
static enum mapping_status recorded_read(const struct recorded_entry *entry,
                                         struct observation *observed,
                                         struct mapping_error *error) {
    struct mapping_space from, to;
    mapping_fragment_spaces(&observed->fragment, &from, &to);
    if (!recorded_provenance(entry, NULL, &observed->provenance))
        observed->provenance.count = 0;
    return recorded_layout(entry, &from, &to, &observed->layout, error);
}

/* ---- Observations that do not need each other ---- */

/* Makes one observation. */
typedef enum mapping_status observe_one_function(struct observation *observed,
                                                 struct mapping_error *error);

struct each {
    struct observation *const *observations;
    observe_one_function *observe;
    enum mapping_status *statuses;
    struct mapping_error *errors;
};

static void observe_nth(void *context, size_t n) {
    struct each *each = context;
    each->statuses[n] = each->observe(each->observations[n], &each->errors[n]);
}

/* Makes each of several observations by itself, several at a time. The first failure counts. */
static enum mapping_status observe_each(struct observation *const *observations, size_t count,
                                        observe_one_function *observe,
                                        struct mapping_error *error) {
    struct each each = {observations, observe, memory_get(count, sizeof *each.statuses),
                        memory_get(count, sizeof *each.errors)};
    enum mapping_status status = MAPPING_OK;
    parallel_for(count, observe_nth, &each);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++)
        if ((status = each.statuses[n]) != MAPPING_OK)
            *error = each.errors[n];
    free(each.statuses);
    free(each.errors);
    return status;
}

/* ---- The source recorded ---- */

bool recorded_covers(unsigned arch, const struct mapping_fragment *fragment) {
    return find_on(arch, fragment, false) != NULL;
}

static enum mapping_status read_back(struct observation *observed, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    const struct recorded_entry *entry = find_on(observed->arch, &observed->fragment, false);
    mapping_fragment_name(&observed->fragment, name);
    if (!entry)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s on sm_%u is not recorded", name,
                            observed->arch);
    enum mapping_status status = recorded_read(entry, observed, error);
    for (unsigned e = 0; e < observed->provenance.count; e++)
        observed->provenance.evidence[e].is_recorded = true;
    return status;
}

enum mapping_status recorded_observe(unsigned arch, struct observation *const *observations,
                                     size_t count, const struct machinery *machinery,
                                     struct mapping_error *error) {
    (void)arch, (void)machinery;
    return observe_each(observations, count, read_back, error);
}

/* ---- What others published ---- */

bool published_covers(unsigned arch, const struct mapping_fragment *fragment) {
    return fragment->reported || find_on(arch, fragment, true);
}

/* Where hardware was reported to differ from the text of the PTX ISA, the catalogue has the layout
 * and the report. */
static enum mapping_status read_published(struct observation *observed,
                                          struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    const struct recorded_entry *entry = find_on(observed->arch, &observed->fragment, true);
    if (observed->fragment.reported) {
        provenance_add(&observed->provenance, "published", observed->fragment.reported);
        return mapping_fragment_state(&observed->fragment, &observed->layout, error);
    }
    mapping_fragment_name(&observed->fragment, name);
    return entry ? recorded_read(entry, observed, error)
                 : mapping_fail(error, MAPPING_UNAVAILABLE, "no published layout of %s on sm_%u",
                                name, observed->arch);
}

enum mapping_status published_observe(unsigned arch, struct observation *const *observations,
                                      size_t count, const struct machinery *machinery,
                                      struct mapping_error *error) {
    (void)arch, (void)machinery;
    return observe_each(observations, count, read_published, error);
}

/* ---- What the PTX ISA states ---- */

bool isa_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->section != NULL;
}

/* The version whose sections the catalogue has: 9.0. */
enum { PTX_ISA = 90 };

void isa_print(const char *section, unsigned ptx, char text[ISA_TEXT]) {
    ptx = ptx > PTX_ISA ? ptx : PTX_ISA;
    if (isdigit((unsigned char)*section))
        snprintf(text, ISA_TEXT, "PTX ISA %u.%u section %s", ptx / 10, ptx % 10, section);
    else /* of another specification, which it names */
        snprintf(text, ISA_TEXT, "%s", section);
}

void isa_section(const struct mapping_fragment *fragment, char text[ISA_TEXT]) {
    isa_print(fragment->section, fragment->ptx, text);
}

static enum mapping_status read_isa(struct observation *observed, struct mapping_error *error) {
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
    return observe_each(observations, count, read_isa, error);
}

/* ---- Confirmation ---- */

/* Finds among the entries of the fragment one that was observed on a device, of whatever
 * architecture, and is the same in every entry; notes it in the observation. */
static enum mapping_status confirm(struct observation *observed, struct mapping_error *error) {
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

enum mapping_status recorded_confirm(struct observation *const *observations, size_t count,
                                     struct mapping_error *error) {
    return observe_each(observations, count, confirm, error);
}
