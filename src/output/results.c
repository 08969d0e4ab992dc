/* results.c - writes records, and checks them; see results.h. */
#include "output/results.h"

#include "catalogue/catalogue.h"
#include "output/formulae.h"
#include "output/grid.h"
#include "report/braces.h"
#include "report/derive.h"
#include "report/smem_report.h"
#include "smem/matrix.h"

#include <string.h>

/* ---- Bodies ---- */

/* True if every axis of the inverse has a formula. */
static bool has_inverse(const struct report *report) {
    for (uint32_t c = 0; c < report->inverse.layout.to.count; c++)
        if (!derived_formula(&report->inverse, c))
            return false;
    return report->inverse.layout.to.count > 0;
}

/* Prints grids and formulae of the layout of the first entry. If an axis has no formula, prints
 * this, too, and fails with MAPPING_NO_FORMULA. */
static enum mapping_status print_body(struct printer *to, const struct record *record,
                                      struct mapping_error *error) {
    static const struct tile_request no_tile = {.is_given = false};
    static const struct grid_style plain = {.is_framed = false};
    const struct record_entry *entry = &record->entries[0];
    struct mapping_smem_matrix memory = {.bits = 0};
    struct report *report = memory_get(1, sizeof *report);
    struct mapping_layout *layout = entry->is_atom ? &memory.layout : &report->observed.layout;
    enum mapping_status status = MAPPING_OK;
    if (entry->is_atom)
        status = mapping_smem_matrix_make(
            &(struct mapping_smem_matrix_request){.text = entry->name}, &memory, error);
    mapping_layout_free(layout);
    if (status == MAPPING_OK)
        status = record_layout(record, entry, layout, error);
    report->observed.arch = entry->arch;
    report->observed.fragment = entry->fragment;
    if (status == MAPPING_OK)
        status = entry->is_atom ? smem_derive(&memory, NULL, report)
                                : derive_all(report, 1, &no_tile, error);
    if (status == MAPPING_NO_FORMULA)
        mapping_fail(error, status, "%s on sm_%u has no formula, but a record needs one",
                     entry->name, entry->arch);
    const bool is_derived = status == MAPPING_OK || status == MAPPING_NO_FORMULA;
    const size_t start = to->size;
    if (is_derived && !record->is_brief) {
        const struct view view = view_of_report(report);
        grids_print(to, &view, 0, &plain, 0);
    }
    if (is_derived)
        print_formulae(to, report);
    const char *text = printer_string(to), *inverse = NULL;
    if (is_derived && !(record->has_inverse && has_inverse(report)))
        inverse = strstr(text + start, "\nInverse:\n");
    if (inverse)
        to->size = (size_t)(inverse - text);
    return status;
}

enum mapping_status record_check(const struct record *record, struct mapping_error *error) {
    struct printer wanted = {.text = NULL};
    enum mapping_status status = print_body(&wanted, record, error);
    if (status == MAPPING_NO_FORMULA) /* the line about the missing formula is compared, too */
        status = MAPPING_OK;
    const char *text = status == MAPPING_OK ? printer_string(&wanted) : NULL, *read = record->body;
    unsigned line = record->body_line;
    for (; text && status == MAPPING_OK && *text; line++) {
        const size_t length = strcspn(text, "\n"), other = strcspn(read, "\n");
        if (length != other || strncmp(text, read, length) != 0)
            status = mapping_fail(error, MAPPING_DIFFERS,
                                  "line %u does not match the layout; expected '%.*s'", line,
                                  (int)(length < 100 ? length : 100), text);
        text += length + 1;
        read += other + 1;
    }
    if (text && status == MAPPING_OK && read < record->body + record->size)
        status = mapping_fail(error, MAPPING_DIFFERS,
                              "line %u is unexpected: it does not follow from the layout", line);
    printer_free(&wanted);
    return status;
}

/* ---- Files ---- */

/* Merges records that have the same body: moves their entries to the first of them, and removes the
 * others. Prints the body of each remaining record to `bodies`. */
static enum mapping_status merge_records(struct records *records, struct printer *bodies,
                                         struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    size_t kept = 0;
    for (size_t r = 0; r < records->count; r++) {
        const struct record *record = &records->record[r];
        status = print_body(&bodies[r], record, error);
        const char *text = printer_string(&bodies[r]);
        size_t same = 0;
        if (status != MAPPING_OK)
            break;
        while (same < kept && strcmp(printer_string(&bodies[same]), text) != 0)
            same++;
        if (same == kept) {
            records->record[kept] = *record;
            bodies[kept++] = bodies[r];
            continue;
        }
        for (size_t n = 0; n < record->count; n++)
            record_add_entry(&records->record[same], &record->entries[n]);
    }
    records->count = kept;
    return status;
}

/* Prints a text that begins with `label`. Breaks long lines after `at`; each further line begins
 * with `next`. */
static void print_labeled(struct printer *to, const char *text, const char *label, const char *next,
                          const char *at) {
    print_text(to, label);
    print_wrapped(to, text, strlen(text), &(struct wrapping){strlen(label), 100, at, next});
    print_char(to, '\n');
}

/* Returns the number of consecutive entries, from `first` on, that have the same name. Each is for
 * one architecture. */
static size_t count_archs(const struct record *record, size_t first) {
    size_t n = first;
    while (n < record->count && strcmp(record->entries[n].name, record->entries[first].name) == 0)
        n++;
    return n - first;
}

/* True if two fragments with `count` entries each have the same evidence on the same architectures.
 */
static bool same_evidence(const struct record_entry *a, const struct record_entry *b,
                          size_t count) {
    for (size_t n = 0; n < count; n++)
        if (a[n].arch != b[n].arch || a[n].evidence != b[n].evidence)
            return false;
    return true;
}

/* Prints the names and the evidence of the fragments that have the same evidence as the one whose
 * entries begin at `first`. Marks them in done[]. */
static void print_group(struct printer *to, const struct record *record, size_t first, bool *done) {
    const struct record_entry *entries = record->entries;
    const size_t archs = count_archs(record, first);
    struct strings having = {NULL, 0, 0};
    for (size_t n = first, count; n < record->count; n += count) {
        count = count_archs(record, n);
        if (done[n] || count != archs || !same_evidence(entries + first, entries + n, count))
            continue;
        done[n] = true;
        strings_add(&having, entries[n].name);
    }
    print_labeled(to, braces_text(&having), "# ", "# ", ", ");
    uint32_t printed = 0;
    for (size_t n = first; n < first + archs; n++) {
        uint32_t same = 0;
        for (size_t m = n; m < first + archs; m++)
            same |=
                entries[m].evidence == entries[n].evidence ? mapping_arch_bit(entries[m].arch) : 0;
        if (printed & mapping_arch_bit(entries[n].arch))
            continue;
        printed |= same;
        char archs_named[ARCHS_TEXT];
        mapping_archs_text(same, archs_named);
        print_labeled(to, memory_format("%s: %s", archs_named, entries[n].evidence), EVIDENCE_LABEL,
                      CONTINUED_LABEL, "; ");
    }
}

enum mapping_status records_write(struct printer *to, struct records *records,
                                  struct mapping_error *error) {
    const size_t count = records->count;
    struct printer *bodies = memory_get(count, sizeof *bodies);
    records_sort(records);
    enum mapping_status status = merge_records(records, bodies, error);
    print_text(to, RECORDS_LABEL ARCHS_LABEL);
    for (size_t a = 0; mapping_arch_at(a); a++)
        print(to, " sm_%u", mapping_arch_at(a)->number);
    print_char(to, '\n');
    for (size_t r = 0; r < records->count && status == MAPPING_OK; r++) {
        struct record *record = &records->record[r];
        record_sort(record);
        print_char(to, '\n');
        bool *done = memory_get(record->count, sizeof *done);
        for (size_t n = 0; n < record->count; n += count_archs(record, n))
            if (!done[n])
                print_group(to, record, n, done);
        print_text(to, printer_string(&bodies[r]));
    }
    return status;
}
