/* check.c - --check compares records with the sources; --confirm prints the records with new
 * evidence.
 *
 * An entry of a file of records is one fragment on one architecture. Every available source
 * observes all entries of one architecture at once, and each element is compared with the
 * record. */
#include "catalogue/catalogue.h"
#include "command/request.h"
#include "command/select.h"
#include "layout/sentence.h"
#include "output/results.h"
#include "smem/matrix.h"
#include "source/recorded.h"
#include "source/source.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of a record, and the result of checking it. */
struct item {
    struct record *record; /* NULL if the entry was requested, but has no record */
    struct record_entry *entry;
    struct mapping_layout layout; /* if there is no record, the layout of the first source */
    struct provenance confirmed;
    char difference[384]; /* the first difference from a source, or from the record's own formulae;
                             "" if there is none */
    bool is_told_by_source;
};

/* The reason why a source could not check some architectures. Bit n stands for mapping_arch_at(n).
 */
struct cause {
    struct mapping_error why; /* "gpu: this program was built without nvcc" */
    uint32_t archs;
};

struct checked {
    struct records records;
    struct record_entry *added; /* entries of fragments on the command line */
    struct item *items;
    size_t count;
    struct printer content; /* the content of the file */
    char name[256];         /* the name of the file, escaped for printing */
    const struct output *output;
    struct printer *lines;                  /* the printed results */
    struct cause causes[MAPPING_ARCHS_MAX]; /* the first causes; later ones are dropped */
    size_t cause_count;
    struct checked_summary sum;
    char reasons[480]; /* "; REASON; REASON": why sources could not check */
};

static void add_reason(struct checked *checked, const char *reason) {
    enum { MOST = 240 };
    char shown[MOST + 1];
    const size_t length = strlen(checked->reasons);
    mapping_printable(reason, strlen(reason), shown, MOST);
    if (!strstr(checked->reasons, shown) && length + strlen(shown) + 3 < sizeof checked->reasons)
        snprintf(checked->reasons + length, sizeof checked->reasons - length, "; %s", shown);
}

/* ---- Reading ---- */

/* Files under results/ without records, and the text with which each begins. */
static const struct {
    const char *start, *what, *checked_by;
} others[] = {
    {"# What every opcode becomes", "the SASS of opcodes", "make check"},
    {"# What ptxas emulates", "products that ptxas emulates",
     "python3 tests/source/sass/emulation_test.py ./mapping"},
    {"# The shortest expressions of all formulae", "the shortest expressions", "make test"},
    {"# The evidence for the layouts", "a table of the evidence for all layouts", "make test"},
};

static enum mapping_status read_file(const char *path, struct checked *checked,
                                     struct mapping_error *error) {
    const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
    struct mapping_error cause;
    mapping_printable(shown, strlen(shown), checked->name, sizeof checked->name - 1);
    enum mapping_status status = file_read(path, "results file", &checked->content, error);
    if (status != MAPPING_OK)
        return status;
    const char *text = checked->content.text;
    if (strchr(text, '\r'))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s has carriage returns; convert its line ends to plain newlines",
                            path);
    for (size_t o = 0; o < sizeof others / sizeof *others; o++)
        if (strncmp(text, others[o].start, strlen(others[o].start)) == 0)
            return mapping_fail(
                error, MAPPING_INVALID,
                "%.200s contains %s, but --check and --confirm need records of layouts, as in "
                "results/mma.txt; to check this file, use '%s'",
                checked->name, others[o].what, others[o].checked_by);
    if (!records_begin(text))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s is not a file of records, such as --confirm prints: its first "
                            "line is not '# Layouts, each once, ...'",
                            checked->name);
    status = records_read(text, &checked->records, &cause);
    return status == MAPPING_OK ? status
                                : mapping_fail(error, status, "%.200s is malformed: %-s",
                                               checked->name, cause.message);
}

/* Makes records from the data that is built into the program. */
static enum mapping_status read_recorded(struct checked *checked, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    snprintf(checked->name, sizeof checked->name, "recorded");
    for (uint32_t r = 0; r < recorded_count && status == MAPPING_OK; r++) {
        const struct recorded_entry *recorded = &recorded_entries[r];
        struct record_entry entry;
        struct mapping_layout layout;
        struct mapping_space from, to;
        if (recorded->is_published)
            continue;
        record_entry_make(recorded_strings + recorded->name, &entry);
        entry.evidence = recorded_strings + recorded->evidence;
        for (uint32_t left = recorded->archs; left && status == MAPPING_OK; left &= left - 1) {
            entry.arch = mapping_arch_at((size_t)__builtin_ctz(left))->number;
            status = record_spaces(&entry, &from, &to, error);
            if (status == MAPPING_OK)
                status = recorded_layout(recorded, &from, &to, &layout, error);
            if (status == MAPPING_OK)
                records_add(&checked->records, &entry, &layout);
        }
    }
    return status;
}

/* Adds an item for each entry that the request selects. */
static void add_items(const struct request *request, struct checked *checked) {
    size_t count = 0;
    for (size_t r = 0; r < checked->records.count; r++)
        count += checked->records.record[r].count;
    checked->items = memory_get(count, sizeof *checked->items);
    for (size_t r = 0; r < checked->records.count; r++) {
        struct record *record = &checked->records.record[r];
        for (size_t n = 0; n < record->count; n++)
            if (request_wants(request, record->entries[n].arch))
                checked->items[checked->count++] =
                    (struct item){.record = record, .entry = &record->entries[n]};
    }
}

/* ---- Comparing ---- */

/* Compares the layout of an item with the one that a source observed, and notes the first entry
 * that differs. If no layout is recorded, the observed one becomes the item's. */
static enum mapping_status compare(struct item *item, struct mapping_layout *observed,
                                   const struct provenance *provenance, const char *source,
                                   struct mapping_error *error) {
    struct mapping_layout layout = {.from.count = 0};
    const bool is_new = !item->record && item->layout.from.count == 0;
    if (is_new) {
        item->layout = *observed;
        *observed = layout;
    }
    enum mapping_status status =
        item->record ? record_layout(item->record, item->entry, &layout, error) : MAPPING_OK;
    const struct mapping_layout *has = item->record ? &layout : &item->layout;
    if (status == MAPPING_OK && !is_new && !layout_equal(has, observed)) {
        struct disagreement found;
        find_disagreement(has, observed, &found);
        item->is_told_by_source = true;
        *item->difference = '\0';
        mapping_append(item->difference, sizeof item->difference, "%s is at %s; %s has it at %s",
                       found.entry, found.one, source, found.other);
    } else if (status == MAPPING_OK) {
        provenance_merge(&item->confirmed, provenance);
    }
    mapping_layout_free(&layout);
    return status;
}

/* Records that a source could not check the entries of an architecture. */
static void note_unavailable(unsigned arch, const struct mapping_error *why,
                             struct checked *checked) {
    size_t c = 0;
    while (c < checked->cause_count && strcmp(checked->causes[c].why.message, why->message) != 0)
        c++;
    add_reason(checked, why->message);
    if (c == MAPPING_ARCHS_MAX)
        return;
    checked->causes[c].why = *why;
    checked->cause_count += c == checked->cause_count;
    checked->causes[c].archs |= mapping_arch_bit(arch);
}

/* Lists the causes: "gpu could not check sm_90 and later: this program was built without nvcc". */
static void list_causes(struct checked *checked) {
    for (size_t c = 0; c < checked->cause_count; c++) {
        const char *reason = checked->causes[c].why.message;
        const int name = (int)strcspn(reason, ":");
        char archs[ARCHS_TEXT];
        mapping_archs_text(checked->causes[c].archs, archs);
        struct printer cause = {.text = NULL};
        print(&cause, "%.*s could not check %s%s", name, reason, archs, reason + name);
        strings_add(&checked->sum.causes, printer_string(&cause));
    }
}

/* True if a source may have the layout of an entry. Only the PTX ISA states layouts of
 * shared-memory atoms. */
static bool covers(const struct source *source, const struct record_entry *entry) {
    return entry->is_atom ? source->is_statement : source->covers(entry->arch, &entry->fragment);
}

/* Makes the layout of an atom from the rules of the PTX ISA. */
static enum mapping_status state_atom(const char *name, struct observation *observed,
                                      struct mapping_error *error) {
    struct mapping_smem_matrix memory = {.bits = 0};
    bool is_whole = false;
    enum mapping_status status = mapping_smem_matrix_make(
        &(struct mapping_smem_matrix_request){.text = name}, &memory, error);
    observed->layout = memory.layout;
    if (status == MAPPING_OK)
        recorded_atom(&memory.layout, memory.bits, &is_whole);
    isa_add_atom(&observed->provenance);
    return is_whole || status != MAPPING_OK
               ? status
               : mapping_fail(error, MAPPING_INVALID, "isa: no source has observed %s", name);
}

/* Lets a source observe, at once, all fragments of one architecture that it covers. */
static enum mapping_status observe_items(const struct source *source, struct item **items,
                                         size_t count, const struct machinery *machinery,
                                         struct checked *checked, struct mapping_error *error) {
    struct observation *observed = memory_get(count, sizeof *observed),
                       **fragments = memory_get(count, sizeof *fragments);
    struct mapping_error cause;
    size_t fragment_count = 0;
    enum mapping_status status = MAPPING_OK;
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        const struct record_entry *entry = items[n]->entry;
        observed[n] = (struct observation){.arch = entry->arch, .fragment = entry->fragment};
        if (entry->is_atom)
            status = state_atom(entry->name, &observed[n], &cause);
        else
            fragments[fragment_count++] = &observed[n];
    }
    if (status == MAPPING_OK)
        status = observe_with(source, fragments, fragment_count, machinery, &cause);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++)
        status =
            compare(items[n], &observed[n].layout, &observed[n].provenance, source->name, &cause);
    for (size_t n = 0; n < count; n++)
        mapping_layout_free(&observed[n].layout);
    mapping_free(observed);
    if (status == MAPPING_UNAVAILABLE) {
        note_unavailable(items[0]->entry->arch, &cause, checked);
        return MAPPING_OK;
    }
    if (status != MAPPING_OK)
        *error = cause;
    return status;
}

/* Checks all entries of an architecture that a source covers. A source that needs a toolkit does so
 * with each toolkit on the command line. */
static enum mapping_status check_with(const struct source *source, unsigned arch,
                                      const struct request *request, struct checked *checked,
                                      struct mapping_error *error) {
    const struct machinery *all = &request->machinery;
    const size_t folders =
        source->needs_toolkit && all->cuda_folder_count > 1 ? all->cuda_folder_count : 0;
    struct item **items = memory_get(checked->count + 1, sizeof *items);
    enum mapping_status status = MAPPING_OK;
    for (size_t f = 0; f < (folders ? folders : 1) && status == MAPPING_OK; f++) {
        struct machinery machinery = *all;
        size_t count = 0;
        if (folders) {
            machinery.cuda_folders[0] = all->cuda_folders[f];
            machinery.cuda_folder_count = 1;
        }
        for (size_t n = 0; n < checked->count; n++) {
            struct item *item = &checked->items[n];
            if (item->entry->arch == arch && !item->is_told_by_source &&
                covers(source, item->entry))
                items[count++] = item;
        }
        if (count > 0)
            status = observe_items(source, items, count, &machinery, checked, error);
    }
    mapping_free(items);
    return status;
}

static bool is_wanted(const struct request *request, const struct source *source) {
    for (size_t s = 0; s < request->source_count; s++)
        if (request->sources[s] == source)
            return true;
    return request->source_count == 0 && !source->is_recorded;
}

/* Checks that the printed form of each record's layout equals the text that was read. */
static enum mapping_status check_records(struct checked *checked, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    struct mapping_error difference = {""};
    for (size_t n = 0; n < checked->count; n++) {
        struct item *item = &checked->items[n];
        if (!item->record || !item->record->body)
            continue;
        if (n == 0 || item->record != item[-1].record)
            status = record_check(item->record, &difference);
        if (status == MAPPING_DIFFERS)
            snprintf(item->difference, sizeof item->difference, "%.380s", difference.message);
        else if (status != MAPPING_OK)
            return mapping_fail(error, status, "%-s", difference.message);
    }
    return MAPPING_OK;
}

/* True if the evidence contains an observation, not only a rule in a document. */
static bool is_observed(const struct provenance *provenance) {
    for (unsigned e = 0; e < provenance->count; e++)
        if (!source_find(provenance->evidence[e].kind)->is_statement)
            return true;
    return false;
}

/* Counts an item, and prints its result. */
static void conclude_item(const struct item *item, struct checked *checked) {
    struct checked_entry entry = {item->entry->name, checked->name, item->entry->arch,
                                  CHECK_CONFIRMED,   NULL,          ""};
    entry.sources = provenance_text(&item->confirmed);
    if (*item->difference) {
        entry.verdict = CHECK_DIFFERS;
        entry.reason = item->difference;
        checked->sum.different++;
    } else if (item->confirmed.count == 0) {
        entry.verdict = CHECK_SKIPPED;
        entry.reason = "no source could check it";
    } else if (!item->record && !is_observed(&item->confirmed)) {
        entry.verdict = CHECK_SKIPPED;
        entry.reason = "only the PTX ISA states it; no source has observed it";
        add_reason(checked, "a new record needs an observation, but isa only states layouts");
    }
    checked->sum.confirmed += entry.verdict == CHECK_CONFIRMED;
    checked->sum.skipped += entry.verdict == CHECK_SKIPPED;
    checked->output->checked(checked->lines, &entry);
}

/* Adds a reason for each requested source that has no layout for any entry. */
static void add_lacking(const struct request *request, struct checked *checked) {
    for (size_t s = 0; s < request->source_count && checked->count > 0; s++) {
        const struct source *source = request->sources[s];
        const struct record_entry *first = checked->items[0].entry;
        char reason[256];
        bool is_covered = false;
        for (size_t n = 0; n < checked->count && !is_covered; n++)
            is_covered = covers(source, checked->items[n].entry);
        snprintf(reason, sizeof reason, "%s: cannot show %s on sm_%u: %s", source->name,
                 first->name, first->arch, source->lacks);
        if (!is_covered)
            add_reason(checked, reason);
    }
}

/* Checks all items of a file, architecture by architecture. If none is confirmed, notes which
 * sources have none of the layouts. */
static enum mapping_status check_items(const struct request *request, struct checked *checked,
                                       struct mapping_error *error) {
    enum mapping_status status = check_records(checked, error);
    const struct mapping_arch *arch;
    const struct source *source;
    for (size_t a = 0; (arch = mapping_arch_at(a)) && status == MAPPING_OK; a++)
        for (size_t s = 0; (source = source_at(s)) && status == MAPPING_OK; s++)
            if (is_wanted(request, source))
                status = check_with(source, arch->number, request, checked, error);
    for (size_t n = 0; n < checked->count && status == MAPPING_OK; n++)
        conclude_item(&checked->items[n], checked);
    if (status == MAPPING_OK && checked->sum.confirmed == 0)
        add_lacking(request, checked);
    return status;
}

/* ---- Commands ---- */

/* Prints the summary. MAPPING_DIFFERS if an entry differs from a source; MAPPING_UNAVAILABLE if no
 * entry could be checked. */
static enum mapping_status conclude(const struct request *request, struct checked *checked,
                                    struct pages *pages, struct mapping_error *error) {
    const struct checked_summary *sum = &checked->sum;
    const size_t all = sum->confirmed + sum->different + sum->skipped;
    const char *was = sum->skipped == 1 ? "was" : "were";
    if (all == 0 && request->arch_count == 0)
        return mapping_fail(error, MAPPING_INVALID, "there are no records to check");
    if (all == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no record of %s%u%s to check",
                            request->arch_count > 1 ? "these architectures, sm_" : "sm_",
                            request->arch_count > 0 ? request->archs[0]->number : 0,
                            request->arch_count > 1 ? " and so on," : "");
    list_causes(checked);
    checked->output->checked_end(checked->lines, &checked->sum);
    if (sum->different > 0)
        return MAPPING_DIFFERS;
    if (sum->confirmed == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "nothing could be checked%s",
                            checked->reasons);
    if (sum->skipped == 0)
        return MAPPING_OK;
    if (request->is_strict)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%zu of %zu entries %s not checked%s",
                            sum->skipped, all, was, checked->reasons);
    snprintf(pages->note, sizeof pages->note,
             "%zu of %zu entries %s not checked, which --strict makes an error%s", sum->skipped,
             all, was, checked->reasons);
    return MAPPING_OK;
}

enum mapping_status command_check(const struct request *request, struct pages *pages,
                                  struct mapping_error *error) {
    struct checked checked = {.output = request->output};
    enum mapping_status status = MAPPING_OK;
    pages_init(pages, 1);
    checked.lines = pages->page;
    printer_string(checked.lines); /* allocated in the caller's arena, which outlives the arenas of
                                      the loop */
    for (size_t f = 0; (f == 0 || f < request->subject_count) && status == MAPPING_OK; f++) {
        if (!request->output->keeps)
            arena_begin();
        checked.records = (struct records){.count = 0};
        checked.content = (struct printer){.text = NULL};
        checked.count = 0;
        status = request->subject_count ? read_file(request->subjects[f], &checked, error)
                                        : read_recorded(&checked, error);
        if (status == MAPPING_OK) {
            add_items(request, &checked);
            status = check_items(request, &checked, error);
        }
        if (!request->output->keeps)
            mapping_arena_end();
    }
    return status == MAPPING_OK ? conclude(request, &checked, pages, error) : status;
}

/* Adds items for the fragments on the command line that have no record yet. */
static enum mapping_status add_fragments(const struct request *request, struct checked *checked,
                                         struct mapping_error *error) {
    struct request asked = *request;
    struct selection selection = {.count = 0};
    const struct mapping_arch *arch;
    size_t capacity = 0, count = 0;
    asked.subjects++;
    asked.subject_count--;
    asked.every_arch = true;
    asked.source_count = 0;
    enum mapping_status status =
        asked.subject_count ? select_fragments(&asked, 0, &selection, error) : MAPPING_OK;
    for (size_t s = 0; s < selection.count && status == MAPPING_OK; s++)
        for (size_t a = 0; (arch = mapping_arch_at(a)) && status == MAPPING_OK; a++) {
            struct record_entry entry;
            char name[MAPPING_NAME_SIZE];
            bool is_there = !mapping_fragment_on(&selection.items[s].fragment, arch->number) ||
                            !request_wants(request, arch->number);
            mapping_fragment_name(&selection.items[s].fragment, name);
            for (size_t n = 0; n < checked->count && !is_there; n++)
                is_there = checked->items[n].entry->arch == arch->number &&
                           strcmp(checked->items[n].entry->name, name) == 0;
            if (is_there || !record_entry_make(name, &entry))
                continue;
            checked->added = array_grow(checked->added, count, 1, &capacity, sizeof entry);
            entry.arch = arch->number;
            checked->added[count++] = entry;
        }
    if (status != MAPPING_OK)
        return status;
    checked->items = memory_resize(checked->items, checked->count + count, sizeof *checked->items);
    for (size_t n = 0; n < count; n++)
        checked->items[checked->count++] = (struct item){.entry = &checked->added[n]};
    return MAPPING_OK;
}

/* Adds the device or tool that has just observed the layout to the evidence of an item. Rules in
 * documents do not count. */
static void add_evidence(struct item *item, struct records *records) {
    struct provenance provenance = {.count = 0}, seen = {.count = 0};
    if (item->record)
        provenance_parse(item->entry->evidence, &provenance);
    for (unsigned e = 0; e < item->confirmed.count; e++)
        if (!source_find(item->confirmed.evidence[e].kind)->is_statement)
            provenance_add(&seen, item->confirmed.evidence[e].kind,
                           item->confirmed.evidence[e].with);
    provenance_merge(&provenance, &seen);
    const char *text = provenance_text(&provenance);
    if (item->record)
        records_set_evidence(records, item->entry, text);
    if (item->record || provenance.count == 0)
        return;
    struct record_entry entry = *item->entry;
    entry.evidence = text;
    records_add(records, &entry, &item->layout);
}

enum mapping_status command_confirm(const struct request *request, struct pages *pages,
                                    struct mapping_error *error) {
    struct checked checked = {.output = request->output};
    pages_init(pages, 2);
    checked.lines = &pages->page[0];
    const char *path = request->subjects[0];
    enum mapping_status status =
        strcmp(path, "/dev/null") == 0 ? MAPPING_OK : read_file(path, &checked, error);
    if (status != MAPPING_OK)
        return status;
    add_items(request, &checked);
    status = add_fragments(request, &checked, error);
    if (status == MAPPING_OK)
        status = check_items(request, &checked, error);
    if (status == MAPPING_OK)
        status = conclude(request, &checked, pages, error);
    if (status != MAPPING_OK)
        return status;
    printer_free(&pages->page[0]);
    /* Handle entries with a record first, because adding records moves them. */
    for (int is_new = 0; is_new < 2; is_new++)
        for (size_t n = 0; n < checked.count; n++)
            if ((checked.items[n].record == NULL) == (is_new == 1))
                add_evidence(&checked.items[n], &checked.records);
    return records_write(&pages->page[1], &checked.records, error);
}
