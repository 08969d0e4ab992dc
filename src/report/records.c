/* records.c - results/: one record for each distinct layout; see records.h.
 *
 * In this order: lines, entries, the lines above a record, its formulae, files. The layout of a
 * record follows from its formulae. Its grids are not read: record_check (output/results.h) prints
 * them again and compares. */
#include "report/records.h"

#include "catalogue/catalogue.h"
#include "report/braces.h"
#include "report/report.h"
#include "smem/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds on what is read: entries of a file, and bytes of a name or of a line that goes on. */
enum { ENTRIES_MAX = 1 << 16, TEXT_MAX = 1 << 16 };

/* ---- Lines ---- */

struct reader {
    const char *next;
    unsigned line;
};

static enum mapping_status malformed(const struct reader *reader, const char *expected,
                                     struct mapping_error *error) {
    return mapping_fail(error, MAPPING_INVALID, "line %u: %sexpected %s", reader->line,
                        strchr(reader->next, '\n') ? "" : "the file ends early; ", expected);
}

static bool begins(const struct reader *reader, const char *start) {
    return strncmp(reader->next, start, strlen(start)) == 0 && strchr(reader->next, '\n');
}

static void skip_line(struct reader *reader) {
    reader->next = strchr(reader->next, '\n') + 1;
    reader->line++;
}

static enum mapping_status take_line(struct reader *reader, const char *line, const char *expected,
                                     struct mapping_error *error) {
    const size_t length = strlen(line);
    if (!begins(reader, line) || reader->next[length] != '\n')
        return malformed(reader, expected, error);
    skip_line(reader);
    return MAPPING_OK;
}

/* Appends a line without its label to a text, after a blank, and advances. False if there is no
 * room. */
static bool append_line(struct reader *reader, size_t label, char *text) {
    const size_t used = strlen(text), length = strcspn(reader->next, "\n") - label;
    if (used + length + 2 > TEXT_MAX)
        return false;
    snprintf(text + used, TEXT_MAX - used, "%s%.*s", used > 0 ? " " : "", (int)length,
             reader->next + label);
    skip_line(reader);
    return true;
}

/* ---- Entries ---- */

static const char *intern(struct records *records, const char *evidence) {
    for (size_t e = 0; e < records->evidence.count; e++)
        if (strcmp(records->evidence.text[e], evidence) == 0)
            return records->evidence.text[e];
    strings_add(&records->evidence, evidence);
    return records->evidence.text[records->evidence.count - 1];
}

void records_set_evidence(struct records *records, struct record_entry *entry,
                          const char *evidence) {
    entry->evidence = intern(records, evidence);
}

bool record_entry_make(const char *name, struct record_entry *entry) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    char canonical[MAPPING_NAME_SIZE];
    *entry = (struct record_entry){.is_atom = strncmp(name, "Layout_", 7) == 0};
    snprintf(entry->name, sizeof entry->name, "%s", name);
    if (entry->is_atom)
        return strlen(name) < sizeof entry->name;
    if (mapping_catalogue_find(name, found) != 1)
        return false;
    entry->fragment = found[0];
    entry->place = mapping_fragment_index(&found[0]);
    mapping_fragment_name(&found[0], canonical);
    return strcmp(name, canonical) == 0;
}

void record_add_entry(struct record *record, const struct record_entry *entry) {
    record->entries =
        array_grow(record->entries, record->count, 1, &record->capacity, sizeof *entry);
    record->entries[record->count++] = *entry;
}

/* Orders entries by place in the catalogue, then by name, then by architecture. */
static int compare_entries(const void *a, const void *b) {
    const struct record_entry *one = a, *other = b;
    if (one->place != other->place)
        return one->place < other->place ? -1 : 1;
    const int names = strverscmp(one->name, other->name); /* several widths have one place */
    return names ? names : (one->arch > other->arch) - (one->arch < other->arch);
}

void record_sort(struct record *record) {
    qsort(record->entries, record->count, sizeof *record->entries, compare_entries);
}

static int compare_records(const void *a, const void *b) {
    const struct record *one = a, *other = b;
    return compare_entries(&one->entries[0], &other->entries[0]);
}

void records_sort(struct records *records) {
    for (size_t r = 0; r < records->count; r++)
        record_sort(&records->record[r]);
    if (records->count > 0)
        qsort(records->record, records->count, sizeof *records->record, compare_records);
}

static struct record *add_record(struct records *records) {
    records->record =
        array_grow(records->record, records->count, 1, &records->capacity, sizeof *records->record);
    records->record[records->count] = (struct record){.count = 0};
    return &records->record[records->count++];
}

enum mapping_status record_spaces(const struct record_entry *entry, struct mapping_space *from,
                                  struct mapping_space *to, struct mapping_error *error) {
    struct mapping_smem_matrix memory = {.bits = 0};
    if (!entry->is_atom) {
        mapping_fragment_spaces(&entry->fragment, from, to);
        return MAPPING_OK;
    }
    enum mapping_status status = mapping_smem_matrix_make(
        &(struct mapping_smem_matrix_request){.text = entry->name}, &memory, error);
    *from = memory.layout.from;
    *to = memory.layout.to;
    mapping_smem_matrix_free(&memory);
    return status;
}

/* True for fragments of a warpgroup, and for atoms: several sizes have the same formulae. */
static bool is_brief(const struct record_entry *entry) {
    return entry->is_atom || entry->fragment.threads > MAPPING_WARP;
}

enum mapping_status record_layout(const struct record *record, const struct record_entry *entry,
                                  struct mapping_layout *layout, struct mapping_error *error) {
    struct mapping_space from, to;
    *layout = (struct mapping_layout){.from.count = 0};
    enum mapping_status status = record_spaces(entry, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    if (record->formulae) {
        status = mapping_layout_evaluate(layout, &from, &to, record->formulae, error);
        return status == MAPPING_OK ? mapping_layout_check(layout, error) : status;
    }
    status = mapping_layout_init(layout, &from, &to, error);
    for (uint32_t c = 0; c < to.count && status == MAPPING_OK; c++)
        memcpy(layout->coordinate[c], record->layout.coordinate[c],
               mapping_layout_entries(layout) * sizeof(uint32_t));
    return status;
}

void records_add(struct records *records, const struct record_entry *entry,
                 struct mapping_layout *layout) {
    struct record *record = add_record(records);
    struct record_entry added = *entry;
    added.evidence = intern(records, entry->evidence);
    record_add_entry(record, &added);
    record->is_brief = is_brief(entry);
    record->has_inverse = true;
    record->layout = *layout;
}

/* ---- Reading the lines above a record ---- */

/* The mapping_arch_bit of the architecture with this name, "sm_90"; 0 if there is none. */
static uint32_t bit_of(const char *name, size_t length) {
    char text[16];
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    const struct mapping_arch *arch =
        strncmp(text, "sm_", 3) == 0 && length < sizeof text ? mapping_arch_find(text) : NULL;
    return arch ? mapping_arch_bit(arch->number) : 0;
}

/* Reads the first lines: the architectures that existed when the file was written. */
static enum mapping_status read_head(struct reader *reader, uint32_t *known,
                                     struct mapping_error *error) {
    static const char expected[] = "'" ARCHS_LABEL " sm_70 ...'";
    enum mapping_status status = take_line(reader, "", "the first line of a records file", error);
    if (status != MAPPING_OK || !begins(reader, ARCHS_LABEL))
        return status == MAPPING_OK ? malformed(reader, expected, error) : status;
    *known = 0;
    for (const char *next = reader->next + strlen(ARCHS_LABEL); *next != '\n';) {
        const size_t length = strcspn(next + 1, " \n");
        const uint32_t arch = bit_of(next + 1, length);
        if (arch == 0 || *next != ' ')
            return malformed(reader, expected, error);
        *known |= arch;
        next += 1 + length;
    }
    skip_line(reader);
    return *reader->next ? take_line(reader, "", "an empty line", error) : MAPPING_OK;
}

/* Parses "sm_70, sm_75 to sm_89: ", and returns the text after it; NULL for other texts. */
static const char *read_archs(const char *text, uint32_t known, uint32_t *archs) {
    uint32_t from = 0;
    for (*archs = 0;; text += 2) {
        const size_t length = strcspn(text, " ,:");
        const uint32_t arch = bit_of(text, length);
        if (arch <= *archs || !(known & arch))
            return NULL;
        text += length;
        *archs |= known & (from ? 2 * arch - from : arch); /* all bits from `from` to `arch` */
        from = 0;
        if (strncmp(text, " to ", 4) == 0) {
            from = arch;
            text += 2;
        } else if (strncmp(text, ": ", 2) == 0) {
            return text + 2;
        } else if (strncmp(text, ", ", 2) != 0) {
            return NULL;
        }
    }
}

/* True if the next line has names: its first word contains dots, or is the type of an atom. */
static bool is_name_line(const struct reader *reader) {
    if (!begins(reader, "# ") || begins(reader, EVIDENCE_LABEL))
        return false;
    const char *word = reader->next + 2, *found = strpbrk(word, ".<");
    return found && (size_t)(found - word) < strcspn(word, " \n");
}

/* Reads names on one line or several. Each line but the last ends with a comma. */
static enum mapping_status read_names(struct reader *reader, struct strings *names,
                                      struct mapping_error *error) {
    const struct reader start = *reader;
    struct mapping_error cause;
    char text[TEXT_MAX] = "";
    enum mapping_status status = MAPPING_OK;
    while (status == MAPPING_OK && is_name_line(reader))
        if (!append_line(reader, 2, text))
            status = mapping_fail(&cause, MAPPING_INVALID, "there are too many names");
    if (status == MAPPING_OK)
        status = braces_read(text, strlen(text), names, &cause);
    return status == MAPPING_OK
               ? status
               : mapping_fail(error, status, "line %u: %-s", start.line, cause.message);
}

static enum mapping_status add_entries(const struct strings *names, uint32_t archs,
                                       const char *evidence, unsigned line, struct record *record,
                                       struct mapping_error *error) {
    for (size_t n = 0; n < names->count; n++) {
        struct record_entry entry;
        if (!record_entry_make(names->text[n], &entry))
            return mapping_fail(error, MAPPING_INVALID, "line %u: there is no fragment '%.100s'",
                                line, names->text[n]);
        entry.evidence = evidence;
        for (uint32_t left = archs; left; left &= left - 1) {
            entry.arch = mapping_arch_at((size_t)__builtin_ctz(left))->number;
            if (!entry.is_atom && !mapping_fragment_on(&entry.fragment, entry.arch))
                return mapping_fail(error, MAPPING_INVALID, "line %u: sm_%u has no %s", line,
                                    entry.arch, entry.name);
            if (record->count == ENTRIES_MAX)
                return mapping_fail(error, MAPPING_INVALID,
                                    "line %u: the record has more than %d entries", line,
                                    ENTRIES_MAX);
            record_add_entry(record, &entry);
        }
    }
    return MAPPING_OK;
}

/* Reads one piece of evidence, which may be continued on further lines, for the names above it,
 * from entry `line` on. */
static enum mapping_status read_evidence(struct reader *reader, uint32_t known,
                                         const struct strings *names, unsigned line,
                                         struct records *records, struct record *record,
                                         struct mapping_error *error) {
    static const char expected[] = "'" EVIDENCE_LABEL "sm_70, sm_75 to sm_89: sass (...); ...', "
                                   "with architectures that have all fragments above";
    const struct reader start = *reader;
    char text[TEXT_MAX] = "";
    struct provenance provenance;
    uint32_t archs = 0;
    bool is_read = append_line(reader, sizeof EVIDENCE_LABEL - 1, text);
    while (is_read && begins(reader, CONTINUED_LABEL))
        is_read = append_line(reader, sizeof CONTINUED_LABEL - 1, text);
    const char *source = is_read ? read_archs(text, known, &archs) : NULL;
    is_read = source && provenance_parse(source, &provenance);
    for (unsigned e = 0; is_read && e < provenance.count; e++)
        is_read = !provenance.evidence[e].is_recorded;
    if (!is_read)
        return malformed(&start, expected, error);
    const char *evidence = intern(records, provenance_text(&provenance));
    return add_entries(names, archs, evidence, line, record, error);
}

static enum mapping_status read_header(struct reader *reader, uint32_t known,
                                       struct records *records, struct record *record,
                                       struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    if (!is_name_line(reader))
        return malformed(reader, "'# NAME, NAME ...', the fragments that have a layout", error);
    while (status == MAPPING_OK && is_name_line(reader)) {
        struct strings names = {NULL, 0, 0};
        const unsigned line = reader->line;
        status = read_names(reader, &names, error);
        if (status == MAPPING_OK && !begins(reader, EVIDENCE_LABEL))
            status = malformed(reader, "'" EVIDENCE_LABEL "sm_70: ...', the evidence", error);
        while (status == MAPPING_OK && begins(reader, EVIDENCE_LABEL))
            status = read_evidence(reader, known, &names, line, records, record, error);
    }
    return status;
}

/* ---- Reading formulae ---- */

/* Reads a line such as "Row: return (i & 1);", the formula of an axis. */
static enum mapping_status read_formula(struct reader *reader, const char *axis,
                                        const struct mapping_space *from,
                                        struct mapping_formula *formula,
                                        struct mapping_error *error) {
    const char *start = memory_format("%s: return ", axis_label(axis));
    const char *expected = memory_format("'%s...;', a formula", start);
    const size_t before = strlen(start), length = strcspn(reader->next, "\n");
    if (!begins(reader, start) || reader->next[length - 1] != ';')
        return malformed(reader, expected, error);
    const char *text = memory_format("%.*s", (int)(length - before - 1), reader->next + before);
    if (!mapping_formula_parse(text, from, formula))
        return malformed(reader, expected, error);
    skip_line(reader);
    return MAPPING_OK;
}

static enum mapping_status read_body(struct reader *reader, struct record *record,
                                     struct mapping_error *error) {
    static const char title[] = "Formulae:";
    struct mapping_space from, to;
    struct mapping_formula ignored;
    enum mapping_status status = record_spaces(&record->entries[0], &from, &to, error);
    record->is_brief = begins(reader, title);
    while (!record->is_brief && !record->entries[0].is_atom && begins(reader, "") &&
           !begins(reader, title) && !is_name_line(reader))
        skip_line(reader); /* the grid is not read; record_check compares it with the formulae */
    record->layout.from = from;
    record->layout.to = to;
    if (status == MAPPING_OK)
        status = take_line(reader, title, "'Formulae:'", error);
    if (status == MAPPING_OK)
        record->formulae = memory_get(to.count, sizeof *record->formulae);
    for (uint32_t c = 0; c < to.count && status == MAPPING_OK; c++)
        status = read_formula(reader, to.axis[c].name, &from, &record->formulae[c], error);
    record->has_inverse = begins(reader, "\nInverse:\n");
    if (status != MAPPING_OK || !record->has_inverse)
        return status;
    skip_line(reader);
    status = take_line(reader, "Inverse:", "'Inverse:'", error);
    struct mapping_space back = to;
    if (!record->entries[0].is_atom)
        back.axis[back.count++] =
            (struct mapping_axis){mapping_fragment_copy_axis(&record->entries[0].fragment), 1};
    for (uint32_t c = 0; c < from.count && status == MAPPING_OK; c++)
        status = read_formula(reader, from.axis[c].name, &back, &ignored, error);
    return status;
}

/* Sees that all entries have the sizes of the first, or that the formulae hold in all. */
static enum mapping_status check_sizes(const struct record *record, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t n = 0; n < record->count && status == MAPPING_OK; n++) {
        const struct record_entry *entry = &record->entries[n];
        struct mapping_space from, to;
        struct mapping_error cause;
        status = record_spaces(entry, &from, &to, error);
        if (status != MAPPING_OK)
            break;
        if (!record->is_brief && (!mapping_space_equal(&from, &record->layout.from) ||
                                  !mapping_space_equal(&to, &record->layout.to)))
            return mapping_fail(error, MAPPING_INVALID, "line %u: %s and %s differ in size",
                                record->line, entry->name, record->entries[0].name);
        if (!mapping_space_alike(&from, &record->layout.from) ||
            !mapping_space_alike(&to, &record->layout.to))
            return mapping_fail(error, MAPPING_INVALID, "line %u: %s and %s have different axes",
                                record->line, entry->name, record->entries[0].name);
        struct mapping_layout layout = {.from.count = 0};
        if (n == 0 || (record->is_brief && strcmp(entry->name, entry[-1].name) != 0))
            status = record_layout(record, entry, &layout, &cause);
        mapping_layout_free(&layout);
        if (status != MAPPING_OK)
            return mapping_fail(error, status, "line %u: %s: %-s", record->line, entry->name,
                                cause.message);
    }
    return status;
}

static enum mapping_status read_record(struct reader *reader, uint32_t known,
                                       struct records *records, struct mapping_error *error) {
    struct record *record = add_record(records);
    record->line = reader->line;
    enum mapping_status status = read_header(reader, known, records, record, error);
    record->body = reader->next;
    record->body_line = reader->line;
    if (status == MAPPING_OK)
        status = read_body(reader, record, error);
    record->size = (size_t)(reader->next - record->body);
    return status == MAPPING_OK ? check_sizes(record, error) : status;
}

static int compare_pointers(const void *a, const void *b) {
    return compare_entries(*(const struct record_entry *const *)a,
                           *(const struct record_entry *const *)b);
}

static enum mapping_status check_twice(const struct records *records, struct mapping_error *error) {
    size_t count = 0;
    for (size_t r = 0; r < records->count; r++)
        count += records->record[r].count;
    const struct record_entry **entries = memory_get(count, sizeof *entries);
    count = 0;
    for (size_t r = 0; r < records->count; r++)
        for (size_t n = 0; n < records->record[r].count; n++)
            entries[count++] = &records->record[r].entries[n];
    qsort(entries, count, sizeof(struct record_entry *), compare_pointers);
    for (size_t n = 1; n < count; n++)
        if (compare_entries(entries[n - 1], entries[n]) == 0)
            return mapping_fail(error, MAPPING_INVALID, "%s on sm_%u is recorded twice",
                                entries[n]->name, entries[n]->arch);
    return MAPPING_OK;
}

bool records_begin(const char *text) {
    return strncmp(text, RECORDS_LABEL, sizeof RECORDS_LABEL - 1) == 0;
}

enum mapping_status records_read(const char *text, struct records *records,
                                 struct mapping_error *error) {
    struct reader reader = {text, 1};
    uint32_t known = 0;
    *records = (struct records){.count = 0};
    if (!records_begin(text))
        return malformed(&reader, "the first line of a records file", error);
    reader.next += sizeof RECORDS_LABEL - 2; /* in front of its '\n' */
    enum mapping_status status = read_head(&reader, &known, error);
    while (status == MAPPING_OK && *reader.next) {
        status = read_record(&reader, known, records, error);
        if (status != MAPPING_OK || !*reader.next)
            break;
        status = take_line(&reader, "", "an empty line between records", error);
        if (status == MAPPING_OK && !*reader.next)
            status = malformed(&reader, "a record after the empty line", error);
    }
    return status == MAPPING_OK ? check_twice(records, error) : status;
}
