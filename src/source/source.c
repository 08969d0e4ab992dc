/* source.c - the table of all sources, and the sources that are always available; chooses the
 * source of a fragment, and checks whether several sources agree. */
#include "source/source.h"

#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "source/recorded.h"
#include "system/system.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Equal layouts ---- */

/* A hash as FNV-1a, but of pairs of coordinates, which takes half of the time. */
static uint64_t hash_layout(const struct mapping_layout *layout) {
    const uint64_t prime = UINT64_C(0x100000001B3);
    const size_t count = mapping_layout_entries(layout);
    uint64_t hash = count;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const uint32_t *const values = layout->coordinate[c];
        for (size_t n = 0; n + 1 < count; n += 2)
            hash = (hash ^ ((uint64_t)values[n + 1] << 32 | values[n])) * prime;
        hash = (hash ^ values[count - 1]) * prime;
    }
    return hash;
}

/* Replaces the table by an equal one that is already shared; otherwise adds it. */
static void share(struct shared_layouts *shared, struct mapping_layout *layout) {
    const uint64_t hash = hash_layout(layout);
    struct mapping_layout other = {.from.count = 0};
    pthread_mutex_lock(&shared->lock);
    size_t s = 0;
    while (s < shared->count &&
           !(shared->layouts[s].hash == hash && layout_equal(layout, &shared->layouts[s].layout)))
        s++;
    if (s < shared->count) {
        other = shared->layouts[s].layout;
    } else if (s < SHARED_MAX) {
        shared->layouts[s] = (struct shared_layout){hash, *layout};
        shared->count++;
    }
    pthread_mutex_unlock(&shared->lock);
    if (other.from.count > 0) {
        mapping_layout_free(layout);
        *layout = other;
    }
}

/* ---- Independent observations ---- */

struct each {
    struct observation *const *observations;
    observe_one_function *observe;
    enum mapping_status *statuses;
    struct mapping_error *errors;
    struct shared_layouts *shared;
};

static void observe_nth(void *context, size_t n) {
    struct each *each = context;
    each->statuses[n] = each->observe(each->observations[n], &each->errors[n]);
    if (each->shared && each->statuses[n] == MAPPING_OK)
        share(each->shared, &each->observations[n]->layout);
}

/* Makes several independent observations in parallel. The first failure counts. */
static enum mapping_status observe_each(struct observation *const *observations, size_t count,
                                        observe_one_function *observe,
                                        struct shared_layouts *shared,
                                        struct mapping_error *error) {
    struct each each = {observations, observe, memory_get(count, sizeof *each.statuses),
                        memory_get(count, sizeof *each.errors), shared};
    enum mapping_status status = MAPPING_OK;
    parallel_for(count, observe_nth, &each);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++)
        if ((status = each.statuses[n]) != MAPPING_OK)
            *error = each.errors[n];
    mapping_free(each.errors);
    mapping_free(each.statuses);
    return status;
}

/* ---- Records ---- */

static const struct recorded_entry *find_on(unsigned arch, const struct mapping_fragment *fragment,
                                            bool is_published) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    return recorded_on(name, arch, is_published);
}

/* Reads the recorded or published layout of an observation's fragment, and its evidence. */
static enum mapping_status read_back(struct observation *observed, bool is_published,
                                     struct mapping_error *error) {
    const struct recorded_entry *entry = find_on(observed->arch, &observed->fragment, is_published);
    struct mapping_space from, to;
    mapping_fragment_spaces(&observed->fragment, &from, &to);
    recorded_provenance(entry, &observed->provenance);
    return recorded_layout(entry, &from, &to, &observed->layout, error);
}

static bool recorded_covers(unsigned arch, const struct mapping_fragment *fragment) {
    return find_on(arch, fragment, false) != NULL;
}

static enum mapping_status recorded_observe(struct observation *observed,
                                            struct mapping_error *error) {
    return read_back(observed, false, error);
}

/* ---- Published layouts ---- */

static bool published_covers(unsigned arch, const struct mapping_fragment *fragment) {
    return fragment->reported || find_on(arch, fragment, true);
}

/* If hardware was reported to differ from the PTX ISA, the catalogue has the reported layout and
 * names the report. */
static enum mapping_status published_observe(struct observation *observed,
                                             struct mapping_error *error) {
    if (!observed->fragment.reported)
        return read_back(observed, true, error);
    provenance_add(&observed->provenance, "published", observed->fragment.reported);
    return mapping_fragment_state(&observed->fragment, &observed->layout, error);
}

/* ---- Layouts that the PTX ISA states ---- */

static bool isa_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->section != NULL;
}

/* The version whose sections the catalogue has: 9.0. */
enum { PTX_ISA = 90 };

/* Writes "PTX ISA 9.0 section 9.7.14.5.8", or the given later version: 91 for 9.1. */
static void isa_print(const char *section, unsigned ptx, char text[ISA_TEXT]) {
    ptx = ptx > PTX_ISA ? ptx : PTX_ISA;
    if (isdigit((unsigned char)*section))
        snprintf(text, ISA_TEXT, "PTX ISA %u.%u section %s", ptx / 10, ptx % 10, section);
    else /* a section of another specification, which the text names */
        snprintf(text, ISA_TEXT, "%s", section);
}

void isa_add_atom(struct provenance *provenance) {
    char with[ISA_TEXT];
    isa_print("9.7.15.5.1.2", 0, with);
    provenance_add(provenance, "isa", with);
}

void isa_section(const struct mapping_fragment *fragment, char text[ISA_TEXT]) {
    isa_print(fragment->section, fragment->ptx, text);
}

static enum mapping_status isa_observe(struct observation *observed, struct mapping_error *error) {
    char with[ISA_TEXT], name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&observed->fragment, name);
    if (observed->fragment.reported)
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "%s is not shown, because %s contradicts the layout in the PTX ISA; --source=published "
            "shows the reported layout",
            name, observed->fragment.reported);
    enum mapping_status status =
        mapping_fragment_state(&observed->fragment, &observed->layout, error);
    if (status != MAPPING_OK)
        return status;
    isa_section(&observed->fragment, with);
    provenance_add(&observed->provenance, "isa", with);
    return MAPPING_OK;
}

/* ---- The table ---- */

/* Only loads and stores of wmma compute an address for each element in their SASS. */
static bool sass_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return mapping_instruction_form(fragment->instruction) == WMMA_FORM;
}

static const struct source table[] = {
    {
        .name = "gpu",
        .observe = gpu_observe,
        .covers = gpu_covers,
        .lacks = "there is no probe for it",
        .help = "a kernel that runs on the installed GPU",
        .on_failure = "",
        .needs_device = true,
    },
    {
        .name = "sass",
        .observe = sass_observe,
        .covers = sass_covers,
        .lacks = "SASS reveals only the layouts of wmma",
        .help = "the SASS that ptxas generates, interpreted on the CPU: needs ptxas and nvdisasm, "
                "but no GPU",
        .on_failure = "; --source=recorded needs no tools",
        .needs_toolkit = true,
    },
    {
        .name = "recorded",
        .observe_one = recorded_observe,
        .covers = recorded_covers,
        .lacks = "it is not recorded",
        .help = "all layouts that are built into this program: earlier results of gpu and sass, "
                "and published ones",
        .on_failure = "",
        .is_recorded = true,
    },
    {
        .name = "published",
        .observe_one = published_observe,
        .covers = published_covers,
        .lacks = "no layout of it was published",
        .help = "only the recorded layouts that others measured and published",
        .on_failure = "",
    },
    {
        .name = "isa",
        .observe_one = isa_observe,
        .covers = isa_covers,
        .lacks = "the PTX ISA does not specify it",
        .help = "the rules of the PTX ISA, for all instructions except wmma; for some layouts of "
                "tcgen05, the rules that CUTLASS, Triton, JAX and TVM implement",
        .on_failure = "",
        .is_statement = true,
    },
};

_Static_assert(sizeof table / sizeof *table <= SOURCES_MAX, "more than source.h says");

const struct source *source_at(size_t index) {
    return index < sizeof table / sizeof *table ? &table[index] : NULL;
}

void sources_covering(unsigned arch, const struct mapping_fragment *fragment,
                      char text[SOURCES_TEXT]) {
    const char *names[SOURCES_MAX];
    size_t count = 0;
    for (size_t s = 0; s < sizeof table / sizeof *table; s++)
        if (table[s].covers(arch, fragment))
            names[count++] = table[s].name;
    *text = '\0';
    for (size_t n = 0; n < count; n++)
        mapping_append(text, SOURCES_TEXT, "%s--source=%s", mapping_separator(n, count, " or "),
                       names[n]);
}

const struct source *source_find(const char *name) {
    for (size_t s = 0; s < sizeof table / sizeof *table; s++)
        if (strcmp(name, table[s].name) == 0)
            return &table[s];
    return NULL;
}

/* ---- One source ---- */

enum mapping_status observe_with(const struct source *source,
                                 struct observation *const *observations, size_t count,
                                 const struct machinery *machinery, struct mapping_error *error) {
    struct mapping_error cause;
    if (count == 0)
        return MAPPING_OK;
    if ((source->needs_device || source->needs_toolkit) && !machinery->may_start)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "%s: mapping_options do not allow this source to start tools",
                            source->name);
    enum mapping_status status =
        source->observe
            ? source->observe(observations[0]->arch, observations, count, machinery, &cause)
            : observe_each(observations, count, source->observe_one, machinery->shared, &cause);
    for (size_t n = 0; n < count && status == MAPPING_OK && source->observe && machinery->shared;
         n++)
        share(machinery->shared, &observations[n]->layout);
    if (status == MAPPING_OK)
        status = observe_each(observations, count, recorded_confirm, NULL, &cause);
    if (status == MAPPING_OK)
        return status;
    return mapping_fail(error, status, "%s: %-s", source->name, cause.message);
}

/* ---- Any source ---- */

/* The size of the buffer for the reasons why sources are unavailable. */
enum { REASONS_SIZE = 1024 };

static void add_reason(char reasons[REASONS_SIZE], const char *reason) {
    enum { MOST = 240 };
    char shown[MOST + 1];
    mapping_printable(reason, strlen(reason), shown, MOST);
    mapping_append(reasons, REASONS_SIZE, "%s%s", *reasons ? "; " : "", shown);
}

/* Lets one source observe the fragments that it covers and that have no layout yet. If the source
 * is not available, this is not an error. */
static enum mapping_status try_source(const struct source *source,
                                      struct observation *const *observations, size_t count,
                                      const struct machinery *machinery, char reasons[REASONS_SIZE],
                                      struct mapping_error *error) {
    struct observation **covered = memory_get(count, sizeof *covered);
    struct mapping_error cause;
    size_t covered_count = 0;
    for (size_t n = 0; n < count; n++) {
        struct observation *observed = observations[n];
        if (observed->layout.from.count == 0 && source->covers(observed->arch, &observed->fragment))
            covered[covered_count++] = observed;
    }
    enum mapping_status status = observe_with(source, covered, covered_count, machinery, &cause);
    if (status == MAPPING_OK) {
        mapping_free(covered);
        return status;
    }
    if (status != MAPPING_UNAVAILABLE)
        return mapping_fail(error, status, "%-s%s", cause.message, source->on_failure);
    add_reason(reasons, cause.message);
    for (size_t n = 0; n < covered_count; n++) { /* reset for the next source */
        covered[n]->layout = (struct mapping_layout){.from.count = 0};
        covered[n]->provenance.count = 0;
        covered[n]->confirmation.arch = 0;
    }
    return MAPPING_OK;
}

static enum mapping_status observe_with_any(struct observation *const *observations, size_t count,
                                            const struct machinery *machinery,
                                            struct mapping_error *error) {
    char reasons[REASONS_SIZE] = "";
    const struct source *source;
    enum mapping_status status = MAPPING_OK;
    for (size_t s = 0; (source = source_at(s)) && status == MAPPING_OK; s++)
        status = try_source(source, observations, count, machinery, reasons, error);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++)
        if (observations[n]->layout.from.count == 0)
            status =
                mapping_fail(error, MAPPING_UNAVAILABLE, "no source is available: %-s", reasons);
    return status;
}

/* ---- All sources ---- */

/* Fails if the source does not cover one of the fragments. */
static enum mapping_status check_coverage(const struct source *source,
                                          struct observation *const *observations, size_t count,
                                          struct mapping_error *error) {
    for (size_t n = 0; n < count; n++) {
        const struct observation *observed = observations[n];
        char name[MAPPING_NAME_SIZE], others[SOURCES_TEXT];
        if (source->covers(observed->arch, &observed->fragment))
            continue;
        mapping_fragment_name(&observed->fragment, name);
        sources_covering(observed->arch, &observed->fragment, others);
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "--source=%s cannot show %s on sm_%u: %s%s%s", source->name, name,
                            observed->arch, source->lacks, *others ? "; use " : "", others);
    }
    return MAPPING_OK;
}

void find_disagreement(const struct mapping_layout *one, const struct mapping_layout *other,
                       struct disagreement *found) {
    size_t entry = 0, target, other_target;
    while ((target = mapping_layout_target(one, entry)) ==
           (other_target = mapping_layout_target(other, entry)))
        entry++;
    mapping_space_describe(&one->from, entry, found->entry, sizeof found->entry);
    mapping_space_describe(&one->to, target, found->one, sizeof found->one);
    mapping_space_describe(&other->to, other_target, found->other, sizeof found->other);
}

/* Fails with the first difference between two observations. */
static enum mapping_status disagree(const struct observation *first, const char *first_source,
                                    const struct observation *second, const char *second_source,
                                    struct mapping_error *error) {
    struct disagreement found;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&first->fragment, name);
    find_disagreement(&first->layout, &second->layout, &found);
    return mapping_fail(
        error, MAPPING_DIFFERS, "%s on sm_%u: the sources disagree on %s: %s says %s, %s says %s",
        name, first->arch, found.entry, first_source, found.one, second_source, found.other);
}

/* Lets another source make the same observations, and adds its evidence if it agrees. */
static enum mapping_status confirm_with(const struct source *first, const struct source *source,
                                        struct observation *const *observations, size_t count,
                                        const struct machinery *machinery,
                                        struct mapping_error *error) {
    struct observation *others = memory_get(count, sizeof *others);
    struct observation **pointers = memory_get(count, sizeof *pointers);
    struct machinery alone = *machinery;
    alone.shared = NULL; /* the tables are freed below */
    for (size_t n = 0; n < count; n++) {
        others[n].arch = observations[n]->arch;
        others[n].fragment = observations[n]->fragment;
        pointers[n] = &others[n];
    }
    enum mapping_status status = observe_with(source, pointers, count, &alone, error);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        if (layout_equal(&observations[n]->layout, &others[n].layout))
            provenance_merge(&observations[n]->provenance, &others[n].provenance);
        else
            status = disagree(observations[n], first->name, &others[n], source->name, error);
    }
    for (size_t n = 0; n < count; n++)
        mapping_layout_free(&others[n].layout);
    mapping_free(others);
    return status;
}

enum mapping_status observe_all(const struct source *const *sources, size_t source_count,
                                struct observation *const *observations, size_t count,
                                const struct machinery *machinery, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    if (source_count == 0)
        return observe_with_any(observations, count, machinery, error);
    for (size_t s = 0; s < source_count && status == MAPPING_OK; s++)
        status = check_coverage(sources[s], observations, count, error);
    if (status == MAPPING_OK)
        status = observe_with(sources[0], observations, count, machinery, error);
    for (size_t s = 1; s < source_count && status == MAPPING_OK; s++)
        status = confirm_with(sources[0], sources[s], observations, count, machinery, error);
    return status;
}
