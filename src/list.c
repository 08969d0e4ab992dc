/* list.c - which fragments there are, and what is known of them; see list.h. */
#include "list.h"

#include "recorded.h"
#include "show.h"

#include <stdlib.h>
#include <string.h>

/* Writes what a section's layout was observed by. `place` is behind its header. */
static void note_one(const char *place, struct list_entry *entry) {
    static const char label[] = "# source: ";
    size_t length = strcspn(place, "\n");
    if (strncmp(place, label, sizeof label - 1) == 0)
        snprintf(entry->rests_on, sizeof entry->rests_on, "%.*s",
                 (int)(length - (sizeof label - 1)), place + sizeof label - 1);
}

/* Notes, where no architecture is chosen, that this one was observed by more than the compiler's
 * code. All of them were by that. */
static void note_any(unsigned arch, const char *place, struct list_entry *entry) {
    struct list_entry one = {.rests_on = ""};
    note_one(place, &one);
    const char *gpu = strstr(one.rests_on, "gpu (");
    size_t length = strlen(entry->rests_on);
    if (length == 0)
        length = (size_t)snprintf(entry->rests_on, sizeof entry->rests_on, "sass");
    if (gpu)
        snprintf(entry->rests_on + length, sizeof entry->rests_on - length, "; sm_%u: %s", arch,
                 gpu);
}

/* Goes through the sections of one results file. Most entries come in the order of its headers. */
static void note_file(const char *text, unsigned arch, const struct options *options,
                      struct list_entry *entries, size_t count) {
    char header[MAPPING_NAME_SIZE + 32], name[MAPPING_NAME_SIZE];
    const char *place = text;
    for (size_t e = 0; e < count; e++) {
        mapping_fragment_name(&entries[e].fragment, name);
        snprintf(header, sizeof header, "# %s on sm_%u\n", name, arch);
        const char *found = strstr(place, header);
        if (!found)
            found = strstr(text, header);
        if (!found)
            continue;
        place = found;
        if (options->arch)
            note_one(found + strlen(header), &entries[e]);
        else
            note_any(arch, found + strlen(header), &entries[e]);
    }
}

enum mapping_status list(const struct options *options, struct list_entry **entries, size_t *count,
                         struct mapping_error *error) {
    unsigned arch = options->arch ? options->arch->number : 0;
    struct mapping_fragment *fragments = NULL;
    *entries = NULL;
    struct options wanted = *options;
    wanted.all = options->name_count == 0;
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
    const struct mapping_arch *one;
    for (size_t a = 0; (one = mapping_arch_at(a)); a++) {
        const char *text = recorded_file(one->number);
        if (text && (!options->arch || options->arch == one))
            note_file(text, one->number, options, *entries, *count);
    }
    return MAPPING_OK;
}
