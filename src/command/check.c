/* check.c - deriving results files again, and comparing; and writing down who confirmed them. */
#include "command/check_opcodes.h"
#include "command/check_shared.h"
#include "command/request.h"
#include "layout/printable.h"
#include "report/judge.h"
#include "source/assembled.h"
#include "source/recorded.h"
#include "source/sass/outcomes.h"
#include "source/witness.h"
#include "system/file.h"
#include "system/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

/* A section, the file that it is of, and what became of it. */
struct item {
    struct section section;
    const char *file;
    struct verdict verdict;
};

/* A file without sections of fragments: of what opcodes become, or of shared memory. */
struct table {
    const char *text, *name;
    bool is_of_opcodes;
};

/* A file as it is called in what is printed. */
enum { SHOWN_NAME = 256 };
typedef char shown_name[SHOWN_NAME];

/* All that is checked. */
struct items {
    struct item *item;
    size_t count, room;
    struct table *tables; /* with room for each file */
    size_t table_count;
    struct printer *contents; /* of the files */
    shown_name *names;        /* of the files */
    size_t content_count;
};

/* Reads a results file. */
static enum mapping_status read_results(const char *path, struct printer *content,
                                        struct mapping_error *error) {
    enum mapping_status status = file_read(path, "results file", content, error);
    if (status == MAPPING_OK && strchr(content->text, '\r'))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s has carriage returns; a results file has plain newlines", path);
    return status;
}

/* Reads the sections of a text, of the architectures that are asked for. */
static enum mapping_status read_sections(const struct request *request, const char *text,
                                         const char *name, struct items *items,
                                         struct mapping_error *error) {
    struct section_reader reader = section_reader_of(text);
    for (bool more = true; more;) {
        struct section section;
        struct mapping_error cause;
        enum mapping_status status = section_read(&reader, &section, &more, &cause);
        if (status == MAPPING_FAILED)
            return mapping_out_of_memory(error);
        if (status != MAPPING_OK)
            return mapping_fail(error, status, "%.200s is malformed: %-s", name, cause.message);
        if (!more || !request_wants(request, section.arch)) {
            section_free(&section);
            continue;
        }
        struct item *grown =
            array_grow(items->item, items->count, 1, &items->room, sizeof *items->item);
        if (!grown) {
            section_free(&section);
            return mapping_out_of_memory(error);
        }
        items->item = grown;
        items->item[items->count++] = (struct item){.section = section, .file = name};
    }
    return MAPPING_OK;
}

/* Reads what a file has in it. */
static enum mapping_status read_contents(const struct request *request, const char *text,
                                         const char *name, struct items *items,
                                         struct mapping_error *error) {
    bool is_of_opcodes = outcomes_begin(text);
    if (!is_of_opcodes && !is_shared_file(text))
        return read_sections(request, text, name, items, error);
    if (request->action == ACTION_CONFIRM)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s has no sections that --confirm could add to; make %s makes it",
                            name, is_of_opcodes ? "sass" : "shared");
    items->tables[items->table_count++] = (struct table){text, name, is_of_opcodes};
    return MAPPING_OK;
}

/* Reads the files of the request, or what is recorded. */
static enum mapping_status read_items(const struct request *request, struct items *items,
                                      struct mapping_error *error) {
    size_t count = request->subject_count;
    enum mapping_status status = MAPPING_OK;
    items->contents = calloc(count + 1, sizeof *items->contents);
    items->names = calloc(count + 1, sizeof *items->names);
    items->tables = calloc(count + 2, sizeof *items->tables);
    if (!items->contents || !items->names || !items->tables)
        return mapping_out_of_memory(error);
    items->content_count = count;
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        const char *name = request->subjects[n];
        const char *shown = strcmp(name, "-") == 0 ? "standard input" : name;
        mapping_printable(shown, strlen(shown), items->names[n], SHOWN_NAME - 1);
        status = read_results(name, &items->contents[n], error);
        if (status == MAPPING_OK)
            status = read_contents(request, items->contents[n].text, items->names[n], items, error);
    }
    for (size_t f = 0; count == 0 && recorded_files[f].name && status == MAPPING_OK; f++)
        status = read_sections(request, recorded_files[f].text, "recorded", items, error);
    if (count == 0 && request->action == ACTION_CHECK) {
        if (status == MAPPING_OK)
            status = read_contents(request, recorded_assembled, "recorded", items, error);
        if (status == MAPPING_OK)
            status = read_contents(request, recorded_shared, "recorded", items, error);
    }
    if (status == MAPPING_OK && items->count == 0 && items->table_count == 0)
        status = mapping_fail(error, MAPPING_UNAVAILABLE, "there is no section of %s%u%s to check",
                              request->arch_count > 1 ? "these architectures, sm_" : "sm_",
                              request->arch_count > 0 ? request->archs[0]->number : 0,
                              request->arch_count > 1 ? " and so on," : "");
    return status;
}

static void items_free(struct items *items) {
    for (size_t n = 0; n < items->count; n++)
        section_free(&items->item[n].section);
    for (size_t n = 0; n < items->content_count; n++)
        printer_free(&items->contents[n]);
    free(items->item);
    free(items->tables);
    free(items->contents);
    free(items->names);
}

/* ---- Comparing ---- */

/* Notes that a source could not check the sections of an architecture. */
static void note_unavailable(unsigned arch, const char *reason, struct account *account) {
    print(account->lines, "note  sm_%u is not checked by %s\n", arch, reason);
    account_add_reason(account, reason);
}

/* Sections that follow each other in one file, of one architecture. */
struct group {
    struct item *items;
    size_t count;
};

/* Makes reports of the sections of a group that a source covers; places[] says which they are. */
static enum mapping_status make_reports_of(const struct source *source, const struct group *group,
                                           const struct machinery *machinery,
                                           struct report *reports, size_t *places, size_t *covered,
                                           struct mapping_error *error) {
    static const struct tile_request no_tile = {.is_given = false};
    struct observation **observations = malloc(group->count * sizeof *observations);
    if (!observations)
        return mapping_out_of_memory(error);
    *covered = 0;
    for (size_t n = 0; n < group->count; n++) {
        const struct section *section = &group->items[n].section;
        if (!source->covers(section->arch, &section->fragment))
            continue;
        struct observation *observed = &reports[*covered].observed;
        observed->arch = section->arch;
        observed->fragment = section->fragment;
        observations[*covered] = observed;
        places[(*covered)++] = n;
    }
    enum mapping_status status =
        *covered > 0 ? observe_with(source, observations, *covered, machinery, error) : MAPPING_OK;
    if (status == MAPPING_OK && *covered > 0)
        status = derive_all(reports, *covered, &no_tile, error);
    free(observations);
    return status == MAPPING_NO_FORMULA ? MAPPING_OK : status;
}

/* Checks the sections of a group against one source with one machinery. A source that cannot serve
 * is noted. */
static enum mapping_status check_group(const struct source *source, const struct group *group,
                                       const struct machinery *machinery, struct account *account,
                                       struct mapping_error *error) {
    struct report *reports = calloc(group->count, sizeof *reports);
    size_t *places = calloc(group->count, sizeof *places), covered = 0;
    struct mapping_error cause;
    enum mapping_status status =
        reports && places
            ? make_reports_of(source, group, machinery, reports, places, &covered, &cause)
            : mapping_out_of_memory(&cause);
    for (size_t n = 0; n < covered && status == MAPPING_OK; n++) {
        struct item *item = &group->items[places[n]];
        if (!*item->verdict.difference)
            status =
                judge_section(&item->section, &reports[n], source->name, &item->verdict, &cause);
    }
    reports_free(reports, group->count);
    free(places);
    if (status == MAPPING_UNAVAILABLE) {
        note_unavailable(group->items[0].section.arch, cause.message, account);
        return MAPPING_OK;
    }
    if (status != MAPPING_OK)
        *error = cause;
    return status;
}

/* Checks a group against one source: if it needs a toolkit and several are named, with each. */
static enum mapping_status check_with(const struct source *source, const struct group *group,
                                      const struct machinery *machinery, struct account *account,
                                      struct mapping_error *error) {
    if (!source->needs_toolkit || machinery->cuda_folder_count < 2)
        return check_group(source, group, machinery, account, error);
    enum mapping_status status = MAPPING_OK;
    for (size_t f = 0; f < machinery->cuda_folder_count && status == MAPPING_OK; f++) {
        struct machinery one = *machinery;
        one.cuda_folders[0] = machinery->cuda_folders[f];
        one.cuda_folder_count = 1;
        status = check_group(source, group, &one, account, error);
    }
    return status;
}

static void print_verdict(const struct item *item, struct account *account) {
    char name[MAPPING_NAME_SIZE], sources[PROVENANCE_TEXT];
    const struct section *section = &item->section;
    const struct verdict *verdict = &item->verdict;
    mapping_fragment_name(&section->fragment, name);
    provenance_print(&verdict->confirmed, sources);
    if (*verdict->difference) {
        account->different++;
        print(account->lines, "FAIL  %s on sm_%u: %s, %s\n", name, section->arch, item->file,
              verdict->difference);
    } else if (verdict->confirmed.count == 0) {
        account->unchecked++;
        print(account->lines, "skip  %s on sm_%u: no source could check it\n", name, section->arch);
    } else {
        account->confirmed++;
        print(account->lines, "ok    %s on sm_%u: %s\n", name, section->arch, sources);
    }
}

static bool is_wanted(const struct request *request, const struct source *source) {
    for (size_t s = 0; s < request->source_count; s++)
        if (request->sources[s] == source)
            return true;
    return request->source_count == 0 && !source->is_recorded;
}

/* True if one section follows the other in the same file, and is of the same architecture. */
static bool belong_together(const struct section *first, const struct section *second) {
    return second->arch == first->arch && second->text == first->text + first->size + 1;
}

/* Adds a reason for each source that is asked for and has nothing to say of any section. */
static void add_lacking(const struct request *request, const struct items *items,
                        struct account *account) {
    for (size_t s = 0; s < request->source_count && items->count > 0; s++) {
        const struct source *source = request->sources[s];
        char name[MAPPING_NAME_SIZE], reason[256];
        bool is_covered = false;
        for (size_t n = 0; n < items->count && !is_covered; n++)
            is_covered =
                source->covers(items->item[n].section.arch, &items->item[n].section.fragment);
        const struct section *first = &items->item[0].section;
        mapping_fragment_name(&first->fragment, name);
        snprintf(reason, sizeof reason, "%s: cannot show %s on sm_%u: %s", source->name, name,
                 first->arch, source->lacks);
        if (!is_covered)
            account_add_reason(account, reason);
    }
}

/* Checks all sections against every source that may be used, those that belong together in one go.
 */
static enum mapping_status check_items(const struct request *request, struct items *items,
                                       struct account *account, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t start = 0, end; start < items->count && status == MAPPING_OK; start = end) {
        for (end = start + 1; end < items->count; end++)
            if (!belong_together(&items->item[end - 1].section, &items->item[end].section))
                break;
        const struct group group = {items->item + start, end - start};
        const struct source *source;
        for (size_t s = 0; (source = source_at(s)) && status == MAPPING_OK; s++)
            if (is_wanted(request, source))
                status = check_with(source, &group, &request->machinery, account, error);
        for (size_t n = start; n < end && status == MAPPING_OK; n++)
            print_verdict(&items->item[n], account);
    }
    for (size_t t = 0; t < items->table_count && status == MAPPING_OK; t++)
        status = items->tables[t].is_of_opcodes
                     ? check_opcodes(request, items->tables[t].text, items->tables[t].name,
                                     is_wanted(request, source_find("sass")), account, error)
                     : check_shared(request, items->tables[t].text, items->tables[t].name, account,
                                    error);
    if (status == MAPPING_OK)
        print(account->lines, "%zu sections: %zu confirmed, %zu different, %zu not checked\n",
              account->confirmed + account->different + account->unchecked, account->confirmed,
              account->different, account->unchecked);
    return status;
}

/* ---- Commands ---- */

/* Checks what the request names, and prints how it went to the first of two pages. MAPPING_DIFFERS
 * if a section is not what a source gives; MAPPING_UNAVAILABLE if none could be checked. */
static enum mapping_status check(const struct request *request, struct items *items,
                                 struct pages *pages, struct mapping_error *error) {
    if (!pages_init(pages, 2))
        return mapping_out_of_memory(error);
    struct account account = {.lines = &pages->page[0]};
    enum mapping_status status = read_items(request, items, error);
    if (status == MAPPING_OK)
        status = check_items(request, items, &account, error);
    if (status == MAPPING_OK && account.different > 0)
        return MAPPING_DIFFERS;
    if (status == MAPPING_OK && account.confirmed == 0) {
        add_lacking(request, items, &account);
        return mapping_fail(error, MAPPING_UNAVAILABLE, "nothing could be checked%s",
                            account.reasons);
    }
    return status;
}

enum mapping_status command_check(const struct request *request, struct pages *pages,
                                  struct mapping_error *error) {
    struct items items = {.item = NULL};
    enum mapping_status status = check(request, &items, pages, error);
    items_free(&items);
    return status;
}

/* Prints a section again, with who confirmed it added to its second line. */
static void print_confirmed(struct printer *to, const struct item *item) {
    char sources[PROVENANCE_TEXT];
    const struct section *section = &item->section;
    struct provenance provenance = section->provenance;
    provenance_merge(&provenance, &item->verdict.confirmed);
    provenance_print(&provenance, sources);
    const char *source_line = strchr(section->text, '\n') + 1;
    const char *rest = strchr(source_line, '\n') + 1;
    print(to, "%.*s# source: %s\n", (int)(source_line - section->text), section->text, sources);
    print(to, "%.*s", (int)(section->text + section->size - rest), rest);
}

enum mapping_status command_confirm(const struct request *request, struct pages *pages,
                                    struct mapping_error *error) {
    struct items items = {.item = NULL};
    enum mapping_status status = check(request, &items, pages, error);
    if (status == MAPPING_OK) {
        printer_free(&pages->page[0]);
        for (size_t n = 0; n < items.count; n++) {
            print_text(&pages->page[1], n > 0 ? "\n" : "");
            print_confirmed(&pages->page[1], &items.item[n]);
        }
    }
    items_free(&items);
    return status;
}
