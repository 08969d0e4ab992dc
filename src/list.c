/* list.c - which fragments there are, and what is known of them; see list.h. */
#include "list.h"

#include "choose.h"
#include "recorded.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Appends to what an entry rests on. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static void
note(struct list_entry *entry, const char *format, ...) {
    size_t length = strlen(entry->rests_on);
    va_list arguments;
    va_start(arguments, format);
    if (length > 0 && length + 2 < sizeof entry->rests_on) {
        memcpy(entry->rests_on + length, "; ", 3);
        length += 2;
    }
    vsnprintf(entry->rests_on + length, sizeof entry->rests_on - length, format, arguments);
    va_end(arguments);
}

/* The "# source:" of a section without these words, and its length. */
static const char *section_source(const char *section, size_t *length) {
    static const char label[] = "\n# source: ";
    const char *source = strstr(section, label) + sizeof label - 1;
    *length = strcspn(source, "\n");
    return source;
}

/* Notes what the layout rests on: of one architecture, all; of any, what is known without a device,
 * and where a device observed it. `arch` is 0 for any. */
static void note_all(struct list_entry *entry, unsigned arch,
                     const char *places[MAPPING_ARCHS_MAX]) {
    const struct mapping_arch *one;
    size_t length;
    if (arch == 0)
        note(entry, "%s", entry->fragment.bases ? "isa" : "sass");
    for (size_t a = 0; (one = mapping_arch_at(a)) && a < MAPPING_ARCHS_MAX; a++) {
        const char *section = arch == 0 || arch == one->number
                                  ? recorded_section(one->number, &entry->fragment, &places[a])
                                  : NULL;
        if (!section)
            continue;
        const char *source = section_source(section, &length);
        const char *gpu = strstr(source, "gpu (");
        if (arch != 0)
            note(entry, "%.*s", (int)length, source);
        else if (gpu && gpu < source + length)
            note(entry, "sm_%u: %.*s", one->number, (int)(length - (size_t)(gpu - source)), gpu);
    }
    if (!*entry->rests_on && entry->fragment.section)
        note(entry, "isa (PTX ISA 9.0 section %s)", entry->fragment.section);
}

enum mapping_status list(const struct options *options, struct list_entry **entries, size_t *count,
                         struct mapping_error *error) {
    unsigned arch = options->arch ? options->arch->number : 0;
    struct mapping_fragment *fragments = NULL;
    *entries = NULL;
    struct options wanted = *options;
    wanted.all = options->name_count == 0;
    wanted.source_count = 0;
    enum mapping_status status = choose_fragments(&wanted, arch, &fragments, count, error);
    if (status != MAPPING_OK) {
        free(fragments);
        return status;
    }
    *entries = calloc(*count + 1, sizeof **entries);
    for (size_t e = 0; e < *count && *entries; e++)
        (*entries)[e].fragment = fragments[e];
    free(fragments);
    if (!*entries)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    const char *places[MAPPING_ARCHS_MAX] = {NULL};
    for (size_t e = 0; e < *count; e++)
        note_all(&(*entries)[e], arch, places);
    return MAPPING_OK;
}
