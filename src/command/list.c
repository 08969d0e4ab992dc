/* list.c - --list: the fragments, and the evidence for their layouts. */
#include "catalogue/catalogue.h"
#include "command/select.h"
#include "layout/sentence.h"
#include "source/codegen_records.h"
#include "source/recorded.h"
#include "source/source.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds a source to the short form of the evidence, unless it is already there: "isa, gpu (sm_90)".
 */
static void add_source(struct list_entry *entry, const char *kind, unsigned arch) {
    char text[32];
    const char *source = arch ? text : kind;
    if (arch)
        snprintf(text, sizeof text, "%s (sm_%u)", kind, arch);
    if (!*entry->sources)
        snprintf(entry->sources, sizeof entry->sources, "%s", source);
    else if (!strstr(entry->sources, source))
        mapping_append(entry->sources, sizeof entry->sources, ", %s", source);
}

/* Sets the evidence for the fragment's layout, in the long and in the short form. For one
 * architecture it has everything; if `arch` is 0, it has the devices. `text` is a buffer for both.
 */
static void note_all(struct list_entry *entry, unsigned arch, struct printer *text) {
    const struct mapping_fragment *fragment = &entry->fragment;
    struct provenance provenance;
    char specified[ISA_TEXT], name[MAPPING_NAME_SIZE];
    size_t count;
    text->size = 0;
    mapping_fragment_name(fragment, name);
    if (fragment->reported || fragment->section || arch == 0)
        add_source(entry, fragment->reported ? "published" : fragment->section ? "isa" : "sass", 0);
    if (fragment->reported) {
        print(text, "published (%s)", fragment->reported);
    } else if (arch == 0) {
        print_text(text, fragment->section ? "isa" : "sass");
    } else if (fragment->section) {
        isa_section(fragment, specified);
        print(text, "isa (%s)", specified);
    }
    const struct recorded_entry *recorded = recorded_find(name, &count);
    for (size_t n = 0; n < count && arch == 0; n++) {
        struct confirmation seen;
        if (!recorded_confirmation(&recorded[n], &seen))
            continue;
        for (uint32_t left = recorded[n].archs; left; left &= left - 1) {
            const unsigned on = mapping_arch_at((size_t)__builtin_ctz(left))->number;
            print(text, "%ssm_%u: gpu (%s)", text->size > 0 ? "; " : "", on, seen.with);
            add_source(entry, "gpu", on);
        }
    }
    recorded = arch ? recorded_on(name, arch, false) : NULL;
    if (recorded) {
        print(text, "%s%s", text->size > 0 ? "; " : "", recorded_strings + recorded->evidence);
        if (provenance_parse(recorded_strings + recorded->evidence, &provenance))
            for (unsigned e = 0; e < provenance.count; e++)
                add_source(entry, provenance.evidence[e].kind, 0);
    }
    entry->evidence = memory_text(printer_string(text));
}

enum mapping_status command_list(const struct request *request, struct pages *pages,
                                 struct mapping_error *error) {
    unsigned arch = request->arch_count == 1 ? request->archs[0]->number : 0;
    const uint32_t asked = arch == 0 ? UINT32_MAX : mapping_arch_bit(arch);
    struct selection selection;
    struct printer text = {.text = NULL};
    struct request wanted = *request;
    wanted.all = request->subject_count == 0;
    wanted.source_count = 0;
    enum mapping_status status = select_fragments(&wanted, arch, &selection, error);
    if (status != MAPPING_OK)
        return status;
    const size_t count = selection.count;
    struct list_entry *entries = memory_get(count, sizeof *entries);
    pages_init(pages, 1);
    for (size_t e = 0; e < count; e++) {
        const struct codegen_archs *archs = &recorded_archs[selection.items[e].index];
        entries[e].fragment = selection.items[e].fragment;
        for (uint32_t a = 0; mapping_arch_at(a); a++)
            if (mapping_fragment_on(&entries[e].fragment, mapping_arch_at(a)->number))
                entries[e].archs |= UINT32_C(1) << a & asked;
        entries[e].native = archs->native & asked;
        entries[e].emulated = archs->emulated & ~archs->native & asked;
        note_all(&entries[e], arch, &text);
    }
    request->output->list(pages->page, entries, count, &request->style);
    return MAPPING_OK;
}
