/* check_shared.c - checking a file of where elements of canonical layouts lie; see check_shared.h.
 */
#include "command/check_shared.h"

#include "report/placement.h"
#include "source/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char section_start[] = "# Layout_";

bool is_shared_file(const char *text) {
    return strncmp(text, section_start, sizeof section_start - 1) == 0;
}

/* A section: its text, the atom, and the architecture that it was seen on. */
struct atom_section {
    const char *text;
    size_t size;
    char name[WITNESS_NAME_SIZE];
    struct canonical which;
    unsigned arch;
};

/* Reads the section that a text begins with. */
static enum mapping_status read_section(const char *text, const char *file,
                                        struct atom_section *section, struct mapping_error *error) {
    struct mapping_memory memory = {.bits = 0};
    bool is_whole = false, is_atom = false;
    const char *end = strstr(text, "\n\n# ");
    *section =
        (struct atom_section){.text = text, .size = end ? (size_t)(end + 1 - text) : strlen(text)};
    /* NOLINTNEXTLINE(cert-err34-c): three digits are a number */
    bool is_read = sscanf(text, "# %63s on sm_%3u", section->name, &section->arch) == 2;
    enum mapping_status status =
        is_read ? mapping_memory_make(&(struct mapping_memory_request){.text = section->name},
                                      &memory, error)
                : MAPPING_INVALID;
    if (status == MAPPING_OK)
        status =
            witness_find(&memory.layout, memory.bits, &section->which, &is_atom, &is_whole, error);
    mapping_memory_free(&memory);
    if (status == MAPPING_FAILED)
        return status;
    return status == MAPPING_OK && is_atom && is_whole
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "%.200s is malformed: '%.60s' is not '# ATOM on sm_NN', with an atom "
                              "such as Layout_K_SW128_Atom<half_t>",
                              file, text);
}

/* Prints what the section should say behind its first lines. */
static enum mapping_status print_wanted(const struct atom_section *section, struct printer *to,
                                        struct mapping_error *error) {
    struct report report = {.kind = "layout"};
    struct mapping_memory memory;
    struct pages pages = {NULL, 0};
    const struct style style = {.brief = true};
    snprintf(report.name, sizeof report.name, "%s", section->name);
    enum mapping_status status = mapping_memory_make(
        &(struct mapping_memory_request){.text = section->name}, &memory, error);
    if (status == MAPPING_OK)
        status = placement_derive(&memory, NULL, &report, error);
    if (status == MAPPING_OK && !pages_init(&pages, 3))
        status = mapping_out_of_memory(error);
    if (status == MAPPING_OK) {
        text_output.reports(&pages, &report, 1, &style);
        const char *text = printer_string(&pages.page[1]);
        print_text(to, text ? strchr(text, '\n') + 1 : "");
        to->failed |= pages_failed(&pages);
    }
    pages_free(&pages);
    report_free(&report);
    mapping_memory_free(&memory);
    return status;
}

/* Compares with the statement. Writes what differs, or "". */
static enum mapping_status compare_text(const struct atom_section *section, char difference[384],
                                        struct mapping_error *error) {
    struct printer wanted = {.text = NULL};
    enum mapping_status status = print_wanted(section, &wanted, error);
    const char *text = status == MAPPING_OK ? printer_string(&wanted) : NULL;
    const char *body = strstr(section->text, "Formulae:");
    *difference = '\0';
    if (status == MAPPING_OK && !text)
        status = mapping_out_of_memory(error);
    bool is_here = body && body < section->text + section->size;
    size_t size = is_here ? section->size - (size_t)(body - section->text) : 0;
    bool is_same = text && is_here && size == strlen(text) && strncmp(body, text, size) == 0;
    if (text && !is_same)
        snprintf(difference, 384, "differs from isa, which has\n%.340s", text);
    printer_free(&wanted);
    return status;
}

static bool may_ask(const struct request *request, const struct source *source) {
    for (size_t s = 0; s < request->source_count; s++)
        if (request->sources[s] == source)
            return true;
    return request->source_count == 0 && !source->is_recorded;
}

/* Compares with a source. One that cannot serve is passed over. */
static enum mapping_status
compare_layout(const struct request *request, const struct source *source,
               const struct atom_section *section, const struct mapping_layout *stated,
               struct provenance *confirmed, char difference[384], struct mapping_error *error) {
    struct mapping_layout layout;
    struct provenance provenance = {.count = 0};
    struct mapping_error cause;
    unsigned arch = section->arch;
    enum mapping_status status = witness_observe(source, &section->which, &request->machinery,
                                                 &layout, &provenance, &arch, &cause);
    if (status == MAPPING_OK && !mapping_layout_equal(&layout, stated))
        snprintf(difference, 384, "differs from what %s shows", source->name);
    else if (status == MAPPING_OK)
        provenance_merge(confirmed, &provenance);
    mapping_layout_free(&layout);
    return status == MAPPING_OK || status == MAPPING_UNAVAILABLE
               ? MAPPING_OK
               : mapping_fail(error, status, "%s: %-s", source->name, cause.message);
}

/* Checks one section. */
static enum mapping_status check_section(const struct request *request,
                                         const struct atom_section *section, const char *file,
                                         struct account *account, struct mapping_error *error) {
    struct provenance confirmed = {.count = 0};
    struct mapping_memory memory;
    char difference[384], sources[PROVENANCE_TEXT];
    const struct source *source;
    enum mapping_status status = mapping_memory_make(
        &(struct mapping_memory_request){.text = section->name}, &memory, error);
    if (status == MAPPING_OK)
        status = compare_text(section, difference, error);
    for (size_t s = 0; (source = source_at(s)) && status == MAPPING_OK && !*difference; s++)
        if (may_ask(request, source) && (source->needs_device || source->is_statement))
            status = compare_layout(request, source, section, &memory.layout, &confirmed,
                                    difference, error);
    mapping_memory_free(&memory);
    if (status != MAPPING_OK)
        return status;
    provenance_print(&confirmed, sources);
    if (*difference) {
        account->different++;
        print(account->lines, "FAIL  %s on sm_%u: %s, %s\n", section->name, section->arch, file,
              difference);
    } else if (confirmed.count > 0) {
        account->confirmed++;
        print(account->lines, "ok    %s on sm_%u: %s\n", section->name, section->arch, sources);
    } else {
        account->unchecked++;
        print(account->lines, "skip  %s on sm_%u: no source could check it\n", section->name,
              section->arch);
    }
    return MAPPING_OK;
}

enum mapping_status check_shared(const struct request *request, const char *text, const char *name,
                                 struct account *account, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    while (*text && status == MAPPING_OK) {
        struct atom_section section;
        status = read_section(text, name, &section, error);
        if (status == MAPPING_OK && request_wants(request, section.arch))
            status = check_section(request, &section, name, account, error);
        text += section.size;
        text += *text == '\n';
    }
    return status;
}
