/* triton_names.c - layouts that files of Triton define; see triton_names.h. */
#include "command/triton_names.h"

#include "command/brought.h"
#include "command/gluon.h"
#include "layout/ascii.h"
#include "layout/sentence.h"
#include "layout/triton_text.h"
#include "listing/triton_file.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The file that was read last, and the values of --shape and --type. */
struct definitions {
    const char *path; /* the name of the file; NULL before the first */
    struct triton_file file;
    const char *shape; /* the shape in --shape, "64x64"; or NULL */
    bool has_shaped;   /* a layout has used the shape */
    char type[16];     /* Triton's name for --type; "" if it is not given */
};

static bool is_regular(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Reads a file, unless it was the last one. */
static enum mapping_status read_file(struct definitions *known, const char *path,
                                     struct mapping_error *error) {
    struct printer content = {.text = NULL};
    if (known->path && strcmp(known->path, path) == 0)
        return MAPPING_OK;
    const enum mapping_status status = file_read(path, "file of Triton", &content, error);
    if (status != MAPPING_OK)
        return status;
    triton_file_read(content.text, &known->file);
    known->path = memory_text(path);
    printer_free(&content);
    return MAPPING_OK;
}

/* True if a file name has a suffix of Triton's files. */
static bool is_named_so(const char *path) {
    return ascii_ends_alike(path, ".ttgir") || ascii_ends_alike(path, ".ttir") ||
           ascii_ends_alike(path, ".mlir");
}

/* True if a file is one of Triton: it has the suffix, or contains layouts. */
static bool is_file(struct definitions *known, const char *path) {
    struct mapping_error ignored;
    if (is_named_so(path) && !strchr(path, '#'))
        return true;
    return strpbrk(path, "./") && !ascii_ends_alike(path, ".csv") &&
           !ascii_ends_alike(path, ".npy") && is_regular(path) &&
           read_file(known, path, &ignored) == MAPPING_OK && known->file.count > 0;
}

/* ---- Shapes ---- */

/* Converts --shape=64,64, --shape='(64, 64)' or --shape='[64, 64]' to "64x64". */
static enum mapping_status read_shape(const char *text, const char **shape,
                                      struct mapping_error *error) {
    struct printer written = {.text = NULL};
    unsigned count = 0;
    const char *end = *text == '(' ? ")" : *text == '[' ? "]" : "", *next = text + strlen(end);
    for (;; next++) {
        next += count > 0 ? strspn(next, " ") : 0;
        const size_t digits = strspn(next, "0123456789");
        if (digits == 0 || digits > 7 || ++count > TRITON_RANK)
            break;
        print(&written, "%s%.*s", count > 1 ? "x" : "", (int)digits, next);
        next += digits;
        if (strcmp(next, end) == 0) {
            *shape = printer_string(&written);
            return MAPPING_OK;
        }
        if (*next != ',' && *next != 'x')
            break;
    }
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.60s' is not a valid shape; --shape takes the sizes of a tensor of "
                        "Triton, 1 to %d of them, such as 128,64",
                        text, TRITON_RANK);
}

/* Writes Triton's name of --type: "bf16", or "i8" for e4m3; "" if --type is not one type. */
static void read_type(const struct request *request, char type[16]) {
    *type = '\0';
    const enum mapping_type one = mapping_types_only(request->types, MAPPING_TYPES);
    if (one == MAPPING_TYPES)
        return;
    const char *name = mapping_type_name(one);
    if (mapping_triton_bits(name) > 0)
        snprintf(type, 16, "%s", name);
    else
        snprintf(type, 16, "i%u", mapping_type_bits(one));
}

/* The element type for a layout without one. In Tensor Memory it is the type of --type, because the
 * column of an element depends on it. */
static const char *type_of(const struct definitions *known, const char *layout) {
    return strstr(layout, "tensor_memory_encoding") ? known->type : "";
}

/* The shape in a type. If it has more than two dimensions, the first one is dropped. */
static const char *matrix_of(const struct triton_text *type, char text[32]) {
    const uint32_t rank = type->rank, first = rank > 2 ? rank - 2 : 0;
    snprintf(text, 32, rank - first > 1 ? "%ux%u" : "%u", type->shape[first],
             type->shape[rank - 1]);
    return text;
}

/* Chooses the tensor type with which a layout is shown. All its tensors must have the same shape.
 * Types of numbers are preferred to pointers and indices. With --shape, chooses only the element
 * type, preferably that of a tensor with this shape. */
static enum mapping_status choose_type(struct definitions *known,
                                       const struct triton_definition *item, const char **text,
                                       struct mapping_error *error) {
    struct printer shaped = {.text = NULL};
    struct triton_text type;
    struct mapping_error ignored;
    char shape[32] = "", other[32], element[sizeof type.type] = "";
    int best = -1;
    *text = item->text;
    for (size_t t = 0; t < item->expanded.count; t++) {
        if (mapping_triton_read(item->expanded.text[t], &type, &ignored) != MAPPING_OK)
            continue;
        if (*shape && !known->shape && strcmp(shape, matrix_of(&type, other)) != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "%.100s has tensors of %.60s with several shapes, such as %s and "
                                "%s; choose one with --shape=ROWS,COLUMNS",
                                known->path, item->name, shape, other);
        const bool is_number = *type.type == 'f' || *type.type == 'b',
                   is_of_shape = known->shape && strcmp(known->shape, matrix_of(&type, other)) == 0;
        const int rank = 2 * is_of_shape + is_number;
        if (rank > best) {
            *text = item->expanded.text[t];
            memcpy(element, type.type, sizeof element);
            best = rank;
        }
        matrix_of(&type, shape);
    }
    if (known->shape) {
        known->has_shaped = true;
        const char *own = *element ? element : type_of(known, item->text);
        print(&shaped, "tensor<%s%s%s, %s>", known->shape, *own ? "x" : "", own, item->text);
        *text = printer_string(&shaped);
    }
    return MAPPING_OK;
}

/* ---- Names ---- */

static enum mapping_status fail_unknown(const struct definitions *known, const char *name,
                                        struct mapping_error *error) {
    char names[200] = "";
    for (size_t n = 0; n < known->file.count && strlen(names) < 150; n++)
        if (!strchr(known->file.items[n].name, '.'))
            mapping_append(names, sizeof names, "%s%.40s", *names ? ", " : "",
                           known->file.items[n].name);
    return mapping_fail(error, MAPPING_INVALID, "%.100s does not define %.60s%s%s", known->path,
                        name, *names ? "; it defines " : " or any other layout of Triton", names);
}

/* Expands a name, or the names in a text, by the definitions before a line; line 0 means the whole
 * file. */
static enum mapping_status resolve_name(struct definitions *known, const char *name, size_t line,
                                        const char **text, struct mapping_error *error) {
    const struct triton_definition *found = NULL;
    for (size_t n = 0; n < known->file.count; n++) {
        const struct triton_definition *item = &known->file.items[n];
        if (strcmp(item->name, name) != 0 || (line && item->line > line))
            continue;
        if (found && !line)
            return mapping_fail(error, MAPPING_INVALID,
                                "%.100s defines %.60s differently in lines %zu and %zu; "
                                "'%.100s:%zu%.60s' is one of them",
                                known->path, name, found->line, item->line, known->path, item->line,
                                name);
        found = item;
    }
    if (!found && !strpbrk(name, ".<"))
        return fail_unknown(known, name, error);
    if (found)
        return choose_type(known, found, text, error);
    struct printer expanded = {.text = NULL};
    triton_file_expand(&known->file, name, strlen(name), &expanded);
    *text = printer_string(&expanded);
    return MAPPING_OK;
}

/* Marks a file name as that of a table, whatever its suffix. */
static void mark_table(const char **word) {
    struct printer marked = {.text = NULL};
    print(&marked, BROUGHT_TABLE "%s", *word);
    *word = printer_string(&marked);
}

/* The character that MLIR has before a layout or a type of a dialect, if the text lacks it: '#' of
 * "ttg.blocked<{...}>"; or 0. */
static char missing_sigil(const char *text) {
    static const char *const dialects[] = {"ttg.", "ttng.", "triton_gpu.", "triton_nvidia_gpu."};
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++) {
        const size_t length = strlen(dialects[d]);
        if (strncmp(text, dialects[d], length) == 0 && strchr(text, '<'))
            return strncmp(text + length, "memdesc<", 8) == 0 ? '!' : '#';
    }
    return 0;
}

/* Replaces a layout of Gluon by the attribute that it stands for. */
static enum mapping_status resolve_gluon(const char **word, struct mapping_error *error) {
    struct printer text = {.text = NULL};
    if (*word && missing_sigil(*word)) {
        print(&text, "%c%s", missing_sigil(*word), *word);
        *word = printer_string(&text);
        return MAPPING_OK;
    }
    if (!*word || !gluon_is_meant(*word))
        return MAPPING_OK;
    const enum mapping_status status = gluon_translate(*word, &text, error);
    *word = printer_string(&text);
    return status;
}

/* Replaces one word of the command line; `map` is the file of --map, or NULL. */
static enum mapping_status resolve(struct definitions *known, const char *map, const char **word,
                                   struct mapping_error *error) {
    enum mapping_status status = resolve_gluon(word, error);
    if (status != MAPPING_OK)
        return status;
    const char *hash = *word ? strchr(*word, '#') : NULL;
    struct printer text = {.text = NULL};
    size_t line = 0;
    if (!hash)
        return MAPPING_OK;
    print(&text, "%.*s", (int)(hash - *word), *word);
    char *path = printer_string(&text), *colon = strrchr(path, ':');
    if (colon && colon[1] && !is_regular(path) && !colon[1 + strspn(colon + 1, "0123456789")]) {
        *colon = '\0';
        line = strtoul(colon + 1, NULL, 10);
    }
    if (is_regular(path) || is_named_so(path)) {
        status = read_file(known, path, error);
        if (status == MAPPING_OK)
            status = resolve_name(known, hash, line, word, error);
    } else if (map && mapping_triton_is_meant(*word)) {
        status = read_file(known, map, error);
        if (status == MAPPING_OK)
            status = resolve_name(known, *word, 0, word, error);
    }
    const char *layout = status == MAPPING_OK ? mapping_triton_untyped(*word) : NULL;
    if (layout && known->shape) {
        text.size = 0;
        const char *type = type_of(known, layout);
        print(&text, "tensor<%s%s%s, %s>", known->shape, *type ? "x" : "", type, layout);
        *word = printer_string(&text);
        known->has_shaped = true;
    }
    return status;
}

/* Replaces the argument of --convert, --load or --store, which may also be a table. */
static enum mapping_status resolve_target(struct definitions *known, const char *map,
                                          const char **word, struct mapping_error *error) {
    if (*word && !strchr(*word, '#') && strpbrk(*word, "./") && is_regular(*word)) {
        mark_table(word);
        return MAPPING_OK;
    }
    return resolve(known, map, word, error);
}

enum mapping_status defined_resolve(struct request *request, struct mapping_error *error) {
    struct definitions known = {.path = NULL};
    const char *map = NULL;
    size_t kept = 0;
    enum mapping_status status = MAPPING_OK;
    read_type(request, known.type);
    if (request->shape)
        status = read_shape(request->shape, &known.shape, error);
    const bool is_one = request->subject_count == 1;
    const bool takes_fragments = request->action == ACTION_SHOW || request->action == ACTION_ASK ||
                                 request->action == ACTION_VERIFY ||
                                 request->action == ACTION_CONVERT;
    for (size_t s = 0; s < request->subject_count && status == MAPPING_OK; s++) {
        const char *subject = request->subjects[s];
        const bool is_table = request->table == subject;
        if ((is_table || takes_fragments) && is_file(&known, subject)) {
            if (is_one && (request->action == ACTION_SHOW || request->action == ACTION_MAP)) {
                request->action = ACTION_DEFINED;
                return MAPPING_OK;
            }
            if (!is_table || is_one)
                return mapping_fail(error, MAPPING_INVALID,
                                    "%.100s is a file of Triton; name one of its layouts, such as "
                                    "'%.100s#blocked'",
                                    subject, subject);
            map = subject; /* names are defined there */
            request->action = request->action == ACTION_MAP ? ACTION_SHOW : request->action;
            continue;
        }
        if (is_table && request->action != ACTION_MAP && request->action != ACTION_EQUALS)
            mark_table(&subject);
        request->subjects[kept++] = subject;
    }
    request->subject_count = status == MAPPING_OK ? kept : request->subject_count;
    for (size_t s = 0; s < request->subject_count && status == MAPPING_OK; s++)
        status = resolve(&known, map, &request->subjects[s], error);
    for (size_t u = 0; u < request->use_count && status == MAPPING_OK; u++)
        status = resolve_target(&known, map, &request->uses[u].name, error);
    if (status == MAPPING_OK)
        status = resolve_target(&known, map, &request->convert, error);
    if (status == MAPPING_OK && request->formula_count == 1)
        status = resolve(&known, map, &request->formulae[0], error);
    if (status == MAPPING_OK && request->formula_count == 1 && request->use_count == 0 &&
        mapping_triton_is_meant(request->formulae[0]) &&
        mapping_triton_kind(request->formulae[0]) != TRITON_OTHER) {
        request->equals = request->formulae[0]; /* a table of offsets has no formulae to verify */
        request->action = ACTION_EQUALS;
    }
    if (status == MAPPING_OK)
        status = resolve(&known, map, &request->equals, error);
    if (status == MAPPING_OK && known.shape && !known.has_shaped)
        return mapping_fail(error, MAPPING_INVALID,
                            "--shape needs a layout of Triton that has no shape, such as "
                            "'#ttg.blocked<{...}>'; --extent is for other matrices in memory");
    return status;
}

/* ---- The list ---- */

enum mapping_status command_defined(const struct request *request, struct pages *pages,
                                    struct mapping_error *error) {
    struct definitions known = {.path = NULL};
    const char *path = request->subjects[0];
    const enum mapping_status status = read_file(&known, path, error);
    if (status != MAPPING_OK)
        return status;
    if (known.file.count == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s has no layout of Triton; the .ttgir of a kernel has them, its "
                            ".ttir does not",
                            path);
    pages_init(pages, 1);
    request->output->defined(pages->page, path, &known.file);
    return MAPPING_OK;
}
