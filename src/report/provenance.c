/* provenance.c - the evidence for a layout, as data and as a line of text; see observation.h. */
#include "report/observation.h"

#include "system/system.h"

#include <stdio.h>
#include <string.h>

static const char recorded_prefix[] = "recorded: ";

void provenance_add(struct provenance *provenance, const char *kind, const char *with) {
    if (provenance->count == PROVENANCE_MAX)
        return;
    provenance->evidence[provenance->count++] =
        (struct evidence){.kind = kind, .with = memory_format("%.*s", EVIDENCE_TEXT - 1, with)};
}

static bool are_alike(const struct evidence *a, const struct evidence *b) {
    return a->is_recorded == b->is_recorded && strcmp(a->kind, b->kind) == 0;
}

/* Adds evidence unless it is already there. Evidence of one kind is sorted by version,
 * "ptxas 11.8.89" before "ptxas 12.4.99"; evidence of a new kind is appended. */
static void merge_one(struct provenance *provenance, const struct evidence *evidence) {
    unsigned place = provenance->count;
    bool is_before = false; /* insert before the first later version */
    for (unsigned e = 0; e < provenance->count; e++) {
        const int order = strverscmp(provenance->evidence[e].with, evidence->with);
        if (!are_alike(&provenance->evidence[e], evidence))
            continue;
        if (order == 0)
            return;
        if (!is_before)
            place = order > 0 ? e : e + 1;
        is_before = is_before || order > 0;
    }
    if (provenance->count == PROVENANCE_MAX)
        return;
    memmove(&provenance->evidence[place + 1], &provenance->evidence[place],
            (provenance->count - place) * sizeof *evidence);
    provenance->evidence[place] = *evidence;
    provenance->count++;
}

void provenance_merge(struct provenance *provenance, const struct provenance *other) {
    for (unsigned e = 0; e < other->count; e++)
        merge_one(provenance, &other->evidence[e]);
}

const struct evidence *provenance_find(const struct provenance *provenance, const char *kind) {
    for (unsigned e = 0; e < provenance->count; e++)
        if (strcmp(provenance->evidence[e].kind, kind) == 0)
            return &provenance->evidence[e];
    return NULL;
}

char *provenance_text(const struct provenance *provenance) {
    struct printer to = {.text = NULL};
    for (unsigned e = 0; e < provenance->count; e++) {
        const struct evidence *evidence = &provenance->evidence[e];
        bool goes_on = e > 0 && are_alike(evidence, &provenance->evidence[e - 1]);
        bool is_last = e + 1 == provenance->count || !are_alike(evidence, evidence + 1);
        const char *close = is_last ? ")" : "";
        if (goes_on)
            print(&to, "; %s%s", evidence->with, close);
        else
            print(&to, "%s%s%s (%s%s", e > 0 ? "; " : "",
                  evidence->is_recorded ? recorded_prefix : "", evidence->kind, evidence->with,
                  close);
    }
    return printer_string(&to);
}

/* Copies "11.8" from "ptxas 11.8.89, nvdisasm 11.8.86"; false if the text has no ptxas. */
static bool short_version(const char *with, char version[16]) {
    static const char tool[] = "ptxas ";
    size_t length = 0;
    if (strncmp(with, tool, sizeof tool - 1) != 0)
        return false;
    with += sizeof tool - 1;
    for (unsigned dots = 0; with[length] && with[length] != ',' && length < 15; length++)
        if ((dots += with[length] == '.') == 2)
            break;
    snprintf(version, 16, "%.*s", (int)length, with);
    return true;
}

char *provenance_summarize(const struct provenance *provenance, size_t width) {
    struct printer text = {.text = NULL};
    char *in_full = provenance_text(provenance);
    if (strlen(in_full) <= width)
        return in_full;
    for (unsigned e = 0, next; e < provenance->count; e = next) {
        const struct evidence *first = &provenance->evidence[e];
        char from[16], to[16];
        for (next = e + 1; next < provenance->count; next++)
            if (!are_alike(first, &provenance->evidence[next]))
                break;
        const bool is_recorded_before = e > 0 && first[-1].is_recorded;
        const size_t name = strcspn(first->with, ",");
        if (e > 0 && next == e + 1 && strcmp(first->kind, first[-1].kind) == 0 &&
            strncmp(first->with, first[-1].with, name) == 0)
            continue; /* the short form */
        print(&text, "%s%s%s (", e > 0 ? "; " : "",
              first->is_recorded && !is_recorded_before ? recorded_prefix : "", first->kind);
        if (next - e > 1 && short_version(first->with, from) &&
            short_version(provenance->evidence[next - 1].with, to))
            print(&text, "ptxas %s to %s)", from, to);
        else if (next - e > 1)
            print(&text, "%.*s and %u more)", (int)name, first->with, next - e - 1);
        else
            print(&text, "%s%.*s)", strcmp(first->kind, "published") == 0 ? "by others, on " : "",
                  (int)name, first->with);
    }
    return printer_string(&text);
}

/* Parses the text in parentheses: "ptxas 11.8.89; ptxas 13.5.37)". Each item is evidence of the
 * same kind as `like`. Returns the text after it, or NULL. */
static const char *parse_withs(const char *text, const struct evidence *like,
                               struct provenance *provenance) {
    for (;;) {
        size_t length = strcspn(text, ";()");
        if (length == 0 || length >= EVIDENCE_TEXT || provenance->count == PROVENANCE_MAX)
            return NULL;
        for (size_t n = 0; n < length; n++)
            if (text[n] < ' ' || text[n] > '~')
                return NULL;
        provenance->evidence[provenance->count++] = (struct evidence){
            like->is_recorded, like->kind, memory_format("%.*s", (int)length, text)};
        text += length;
        if (*text == ')')
            return text + 1;
        if (strncmp(text, "; ", 2) != 0)
            return NULL;
        text += 2;
    }
}

/* Parses the evidence of one kind. Returns the text after it, or NULL. */
static const char *parse_kind(const char *text, struct provenance *provenance) {
    static const char *const kinds[] = {"gpu", "sass", "published", "isa"};
    struct evidence like = {.is_recorded =
                                strncmp(text, recorded_prefix, sizeof recorded_prefix - 1) == 0};
    if (like.is_recorded)
        text += sizeof recorded_prefix - 1;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t length = strlen(kinds[k]);
        if (strncmp(text, kinds[k], length) == 0 && strncmp(text + length, " (", 2) == 0) {
            like.kind = kinds[k];
            return parse_withs(text + length + 2, &like, provenance);
        }
    }
    return NULL;
}

bool provenance_parse(const char *text, struct provenance *provenance) {
    *provenance = (struct provenance){.count = 0};
    for (;;) {
        text = parse_kind(text, provenance);
        if (text && *text == '\0')
            return true;
        if (!text || strncmp(text, "; ", 2) != 0)
            return false;
        text += 2;
    }
}

bool observation_needs_confirmation(const struct observation *observation) {
    return observation->provenance.count > 0 && !provenance_find(&observation->provenance, "gpu") &&
           !provenance_find(&observation->provenance, "published");
}

bool observation_is_statement(const struct observation *observation) {
    const struct provenance *provenance = &observation->provenance;
    unsigned stated = 0; /* evidence of the PTX ISA */
    for (unsigned e = 0; e < provenance->count; e++)
        stated += strcmp(provenance->evidence[e].kind, "isa") == 0;
    return stated == provenance->count ||
           (observation->fragment.reported && !provenance_find(provenance, "gpu"));
}
