/* brought.c - makes reports from tables and Triton layouts; see brought.h. */
#include "command/brought.h"

#include "command/array_table.h"
#include "command/same.h"
#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/sentence.h"
#include "layout/triton_layout.h"
#include "layout/triton_text.h"
#include "layout/tv_layout.h"
#include "report/derive.h"
#include "report/table.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_of_triton(const char *name) {
    const enum triton_kind kind =
        mapping_triton_is_meant(name) ? mapping_triton_kind(name) : TRITON_SWIZZLED;
    return kind < TRITON_REGISTERS_END || kind > TRITON_SHARED_END;
}

/* The file name after the prefix BROUGHT_TABLE; NULL if the name does not have this prefix. */
static const char *behind_mark(const char *name) {
    const size_t length = strlen(BROUGHT_TABLE);
    return strncmp(name, BROUGHT_TABLE, length) == 0 ? name + length : NULL;
}

/* True if the name has the suffix of a table, or the prefix BROUGHT_TABLE. */
static bool is_table(const char *name) {
    return behind_mark(name) ||
           ((ascii_ends_alike(name, ".csv") || ascii_ends_alike(name, ".npy")) &&
            access(name, R_OK) == 0);
}

bool is_brought(const char *name) {
    return is_of_triton(name) || mapping_tv_is_meant(name) || is_table(name);
}

bool is_about_brought(const struct request *request) {
    for (size_t s = 0; s < request->subject_count; s++)
        if (is_brought(request->subjects[s]))
            return true;
    return false;
}

/* ---- Tables ---- */

enum mapping_status brought_table(const char *path, const char *outputs, struct report *report,
                                  struct mapping_error *error) {
    struct printer content = {.text = NULL};
    struct table table = {.names = NULL};
    struct mapping_error cause;
    char *reading = NULL;
    path = behind_mark(path) ? behind_mark(path) : path;
    const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
    enum mapping_status status = file_read(path, "map", &content, error);
    if (status == MAPPING_UNAVAILABLE &&
        (strncmp(path, "row", 3) == 0 || strncmp(path, "col", 3) == 0) &&
        path[3 + strspn(path + 3, " ")] == '=') /* "row = ..." */
        status = mapping_fail(error, MAPPING_INVALID,
                              "--map reads a file with the columns tid,i,row,col, not a formula; "
                              "--verify=CODE checks a formula");
    if (status == MAPPING_INVALID && array_is_meant(&content)) {
        *error->message = '\0'; /* an array is not text */
        status = array_read(&content, shown, &outputs, &reading, error);
    }
    if (status == MAPPING_OK && array_text_is_meant(content.text))
        status = array_read_text(&content, shown, &outputs, &reading, error);
    if (status == MAPPING_OK) {
        status = table_read(content.text, outputs, &table, &cause);
        if (status == MAPPING_INVALID)
            mapping_fail(error, status, "%.200s: %-s", shown, cause.message);
        else if (status != MAPPING_OK)
            *error = cause;
    }
    printer_free(&content);
    if (status != MAPPING_OK)
        return status;
    *report = (struct report){.kind = "file", .is_of_file = true, .reading = reading};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : shown;
    if (name[strspn(name, "0123456789")] == '\0') /* a descriptor: /dev/fd/63 */
        name = "the table";
    mapping_printable(name, strlen(name), report->name, sizeof report->name - 1);
    report->forward.layout = table.layout;
    return derive_table(report);
}

/* ---- Triton ---- */

/* The type of elements without a type, by their size in bits; MAPPING_TYPES for other sizes. */
static enum mapping_type untyped(uint32_t bits) {
    return bits == 64   ? MAPPING_F64
           : bits == 32 ? MAPPING_B32
           : bits == 16 ? MAPPING_B16
           : bits == 8  ? MAPPING_B8
                        : MAPPING_TYPES;
}

enum mapping_type brought_type_named(const char *name) {
    static const struct {
        const char *start;
        enum mapping_type type;
    } types[] = {{"f8E5M2", MAPPING_E5M2}, {"f8E4M3", MAPPING_E4M3}, {"f4E2M1", MAPPING_E2M1},
                 {"i32", MAPPING_S32},     {"i16", MAPPING_B16},     {"i8", MAPPING_S8},
                 {"i4", MAPPING_S4},       {"i1", MAPPING_B1}};
    enum mapping_type type;
    if (mapping_type_find(name, &type))
        return type;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strncmp(types[t].start, name, strlen(types[t].start)) == 0)
            return types[t].type;
    return untyped(mapping_triton_bits(name));
}

static enum mapping_status make_of_triton(const struct request *request, const char *name,
                                          struct report *report, enum mapping_type *type,
                                          struct mapping_error *error) {
    struct mapping_triton triton;
    const enum mapping_status status = mapping_triton_make(name, request->extent, &triton, error);
    if (status != MAPPING_OK)
        return status;
    *report = (struct report){.kind = "triton", .is_of_file = true, .is_drawn = true};
    mapping_printable(name, strlen(name), report->name, sizeof report->name - 1);
    report->forward.layout = triton.layout;
    report->observed.fragment.lanes = triton.lanes;
    *type = brought_type_named(triton.type);
    return triton.lanes ? derive_table(report) : derive_lanes(report);
}

/* ---- CuTe ---- */

static enum mapping_status make_tv(const struct request *request, const char *name,
                                   struct report *report, enum mapping_type *type,
                                   struct mapping_error *error) {
    struct mapping_tv tv;
    const enum mapping_status status = mapping_tv_make(name, request->extent, &tv, error);
    if (status != MAPPING_OK)
        return status;
    *report = (struct report){.kind = "tv", .is_of_file = true, .is_drawn = true};
    mapping_printable(tv.name, strlen(tv.name), report->name, sizeof report->name - 1);
    report->forward.layout = tv.layout;
    *type = untyped(tv.bits);
    return derive_table(report);
}

/* ---- All ---- */

/* Sets the sizes as of a fragment; false if the layout does not map threads. */
static bool set_sizes(struct report *report, enum mapping_type type) {
    struct mapping_fragment *fragment = &report->observed.fragment;
    const struct mapping_layout *layout = &report->forward.layout;
    const struct mapping_space *to = &layout->to;
    fragment->type = type;
    fragment->operand = MAPPING_R;
    fragment->bits = type < MAPPING_TYPES ? mapping_type_bits(type) : 0;
    if (!mapping_convert_takes(layout))
        return false;
    fragment->threads = layout->from.axis[0].size;
    fragment->elements = layout->from.axis[1].size;
    fragment->registers = fragment->elements * fragment->bits / 32;
    fragment->blocks = to->count > 2 ? to->axis[0].size : 1;
    fragment->rows = to->axis[to->count - 2].size;
    fragment->cols = to->axis[to->count - 1].size;
    return true;
}

enum mapping_status make_brought(const struct request *request, const char *name,
                                 struct report *report, struct mapping_error *error) {
    enum mapping_type type = MAPPING_TYPES;
    const enum mapping_status status =
        is_of_triton(name)          ? make_of_triton(request, name, report, &type, error)
        : mapping_tv_is_meant(name) ? make_tv(request, name, report, &type, error)
                                    : brought_table(name, request->outputs, report, error);
    if (has_reports(status)) {
        const bool is_of_threads = set_sizes(report, mapping_types_only(request->types, type));
        report->is_drawn |= is_of_threads;
    }
    return status;
}

/* Returns a table of offsets in CuTe's notation; NULL if `name` is something else, or the table has
 * no such notation. If the table cannot be read, *status is the reason. */
static const char *notation_of(const char *name, enum mapping_status *status,
                               struct mapping_error *error) {
    struct report report = {.is_of_file = true};
    struct mapping_cute cute;
    char text[REPORT_NAME_SIZE];
    *status = MAPPING_OK;
    if (!is_table(name))
        return NULL;
    *status = brought_table(name, NULL, &report, error);
    if (!has_reports(*status))
        return NULL;
    *status = MAPPING_OK;
    const struct mapping_layout *layout = &report.forward.layout;
    const int count = (int)layout->from.count;
    if (mapping_space_find(&layout->from, MAPPING_AXIS_ROW) != count - 2 ||
        mapping_space_find(&layout->from, MAPPING_AXIS_COL) != count - 1 || layout->to.count != 1 ||
        mapping_space_find(&layout->to, MAPPING_AXIS_OFFSET) != 0 ||
        !mapping_cute_find(&layout->from, layout->coordinate[0], &cute))
        return NULL;
    mapping_cute_put_stages_last(&layout->from, &cute);
    return mapping_cute_print(&cute, text, sizeof text) < sizeof text ? memory_text(text) : NULL;
}

enum mapping_status brought_as_memory(struct request *request, struct mapping_error *error) {
    const char **subjects = memory_get(request->subject_count, sizeof *subjects);
    for (size_t s = 0; s < request->subject_count; s++) {
        enum mapping_status status;
        const char *notation = notation_of(request->subjects[s], &status, error);
        if (status != MAPPING_OK)
            return status;
        subjects[s] = notation ? notation : request->subjects[s];
    }
    request->subjects = subjects;
    return MAPPING_OK;
}

void brought_type(struct report *report, const struct report *other) {
    struct mapping_fragment *fragment = &report->observed.fragment;
    if (report->has_fragment || fragment->type < MAPPING_TYPES)
        return;
    fragment->type =
        other->observed.fragment.type < MAPPING_TYPES ? other->observed.fragment.type : MAPPING_F16;
    fragment->bits = mapping_type_bits(fragment->type);
    fragment->registers = fragment->elements * fragment->bits / 32;
}

/* Refuses options that only apply to fragments. */
static enum mapping_status check_request(const struct request *request,
                                         struct mapping_error *error) {
    const char *too_many = request->has_operand     ? "--operand"
                           : request->atom_layout   ? "--atom-layout"
                           : request->permutation   ? "--permutation"
                           : request->has_tmem_load ? "--with=tcgen05"
                           : request->style.detail  ? "--detail"
                           : request->source_count  ? "--source"
                                                    : NULL;
    for (size_t s = 0; s < request->subject_count; s++)
        if (!is_brought(request->subjects[s]))
            return mapping_fail(
                error, MAPPING_INVALID,
                "'%.60s' is not a layout of Triton's registers, a TV layout or a table; use a "
                "separate command for it",
                request->subjects[s]);
    if (request->style.question.has_registers)
        return mapping_fail(error, MAPPING_INVALID,
                            "--register needs a fragment, but nothing says which registers hold "
                            "'%.60s'; use --thread=TID,I",
                            request->subjects[0]);
    return too_many
               ? mapping_fail(error, MAPPING_INVALID, "%s needs a fragment, but '%.60s' is none",
                              too_many, request->subjects[0])
               : MAPPING_OK;
}

enum mapping_status make_brought_reports(const struct request *request, struct report **reports,
                                         size_t *count, struct mapping_error *error) {
    enum mapping_status status = check_request(request, error);
    *count = 0;
    *reports = NULL;
    if (status != MAPPING_OK)
        return status;
    *reports = memory_get(request->subject_count, sizeof **reports);
    for (size_t s = 0; s < request->subject_count; s++) {
        struct report *report = &(*reports)[s];
        const enum mapping_status one = make_brought(request, request->subjects[s], report, error);
        if (!has_reports(one))
            return one;
        const enum mapping_status asked =
            question_check(&request->style.question, report->name, &report->forward.layout.from,
                           &report->forward.layout.to, error);
        if (asked != MAPPING_OK)
            return asked;
        if (request->action == ACTION_SHOW) {
            add_same(report);
            add_instructions(report);
        }
        *count = s + 1;
        status = one == MAPPING_OK ? status : one;
    }
    return status;
}
