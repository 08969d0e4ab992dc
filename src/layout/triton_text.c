/* triton_text.c - parses the text of Triton's layouts: attributes of MLIR, alone or in types. The
 * spellings of all versions are accepted, `#triton_gpu.blocked` and `#ttg.blocked`; triton_layout.c
 * interprets the result. */
#include "layout/triton_text.h"

#include "layout/ascii.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
    const char *start, *next;
    struct mapping_error *error;
};

static bool refuse(const struct cursor *cursor, const char *reason) {
    if (*cursor->next)
        mapping_fail(cursor->error, MAPPING_INVALID,
                     "'%.80s' is not a valid layout of Triton: at character %zu, '%.24s': %s",
                     cursor->start, (size_t)(cursor->next - cursor->start) + 1, cursor->next,
                     reason);
    else
        mapping_fail(cursor->error, MAPPING_INVALID,
                     "'%.80s' is not a valid layout of Triton: %s at the end", cursor->start,
                     reason);
    return false;
}

static const char *skip_blanks(const char *text) {
    while (ascii_is_blank(*text))
        text++;
    return text;
}

static bool accept(struct cursor *cursor, const char *word) {
    const char *next = skip_blanks(cursor->next);
    const size_t length = strlen(word);
    const bool is_there = strncmp(next, word, length) == 0;
    cursor->next = is_there ? next + length : next;
    return is_there;
}

/* ---- Which attribute ---- */

/* Names of attributes, with those of older versions. */
static const struct {
    const char *name;
    enum triton_kind kind;
} kinds[] = {
    {"linear", TRITON_LINEAR},
    {"generic_linear", TRITON_LINEAR},
    {"blocked", TRITON_BLOCKED},
    {"nvidia_mma", TRITON_MMA},
    {"mma", TRITON_MMA},
    {"dot_op", TRITON_DOT},
    {"slice", TRITON_SLICE},
    {"swizzled_shared", TRITON_SWIZZLED},
    {"shared", TRITON_SWIZZLED},
    {"nvmma_shared", TRITON_NVMMA},
    {"padded_shared", TRITON_PADDED},
    {"shared_linear", TRITON_SHARED_LINEAR},
    {"tensor_memory_encoding", TRITON_TENSOR_MEMORY},
    {"tensor_memory_scales_encoding", TRITON_SCALES},
};

/* Returns the text after "#ttg." or a similar prefix; NULL if there is no such prefix. */
static const char *behind_dialect(const char *text) {
    static const char *const dialects[] = {"#ttg.", "#triton_gpu.", "#ttng.",
                                           "#triton_nvidia_gpu."};
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++)
        if (strncmp(text, dialects[d], strlen(dialects[d])) == 0)
            return text + strlen(dialects[d]);
    return NULL;
}

/* Returns the text after "tensor<" or "!ttg.memdesc<"; NULL if it begins with neither. */
static const char *behind_type(const char *text) {
    static const char *const types[] = {"tensor<", "!ttg.memdesc<", "!tt.memdesc<",
                                        "!triton_gpu.memdesc<"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strncmp(text, types[t], strlen(types[t])) == 0) {
            text += strlen(types[t]);
            return strncmp(text, "ptr<", 4) == 0 ? NULL : text; /* CuTe prints "tensor<ptr<" */
        }
    return NULL;
}

/* Skips the name of a definition, "#mma = ". */
static const char *skip_definition(const char *text) {
    text = skip_blanks(text);
    if (*text != '#')
        return text;
    const char *behind = skip_blanks(text + 1 + ascii_identifier_length(text + 1));
    return *behind == '=' ? skip_blanks(behind + 1) : text;
}

bool mapping_triton_is_meant(const char *text) {
    text = skip_definition(text);
    if (behind_type(text))
        return true;
    return behind_dialect(text) || (*text == '#' && ascii_identifier_length(text + 1) > 0);
}

const char *mapping_triton_untyped(const char *text) {
    text = skip_definition(text);
    return behind_dialect(text) ? text : NULL;
}

static enum triton_kind kind_of(const char *name, size_t length) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strlen(kinds[k].name) == length && strncmp(kinds[k].name, name, length) == 0)
            return kinds[k].kind;
    return TRITON_OTHER;
}

enum triton_kind mapping_triton_kind(const char *text) {
    text = skip_definition(text);
    if (behind_type(text))
        text += strcspn(text, "#");
    const char *name = behind_dialect(text);
    return name ? kind_of(name, ascii_identifier_length(name)) : TRITON_OTHER;
}

/* ---- Values ---- */

static bool add_number(struct cursor *cursor, struct triton_value *value) {
    const char *text = skip_blanks(cursor->next);
    const size_t digits = strspn(text, "0123456789");
    cursor->next = text;
    if (digits == 0 || digits > 7)
        return refuse(cursor, "write a whole number below 10^7 here");
    if (value->count == TRITON_NUMBERS)
        return refuse(cursor, "this list is too long");
    value->number[value->count++] = (uint32_t)strtoul(text, NULL, 10);
    cursor->next = text + digits;
    return true;
}

/* Reads a list, "[1, 2]", "[[1, 0], [2, 0]]" or "[32:+4, 128:+8]", after its first bracket. */
static bool read_list(struct cursor *cursor, struct triton_value *value, bool is_inner) {
    if (accept(cursor, "]"))
        return true;
    do {
        const uint32_t before = value->count;
        if (!is_inner && accept(cursor, "[")) {
            if (!read_list(cursor, value, true))
                return false;
        } else if (!add_number(cursor, value)) {
            return false;
        } else if (!is_inner && accept(cursor, ":")) {
            accept(cursor, "+");
            if (!add_number(cursor, value))
                return false;
        } else {
            continue;
        }
        if (value->count - before != (value->width ? value->width : value->count))
            return refuse(cursor, "the lists before have another length");
        value->width = value->count - before;
    } while (accept(cursor, ","));
    return accept(cursor, "]") || refuse(cursor, "a comma or ] is missing");
}

static bool read_attribute(struct cursor *cursor, struct triton_text *read);

static bool read_member(struct cursor *cursor, struct triton_value *value,
                        struct triton_text *read) {
    if (accept(cursor, "["))
        return read_list(cursor, value, false);
    if (accept(cursor, "true") || accept(cursor, "kThenMn"))
        value->number[value->count++] = 1;
    else if (accept(cursor, "false") || accept(cursor, "mnThenK"))
        value->number[value->count++] = 0;
    else if (*cursor->next == '#')
        return read_attribute(cursor, read);
    else
        return add_number(cursor, value);
    return true;
}

/* Reads "blocked<{key = value, ...}>", beginning at its name. Braces only group values. */
static bool read_attribute(struct cursor *cursor, struct triton_text *read) {
    const char *name = behind_dialect(cursor->next);
    const size_t alias = ascii_identifier_length(cursor->next + 1);
    if (!name) {
        mapping_fail(
            cursor->error, MAPPING_INVALID,
            "#%.*s is the name of a layout; give the layout itself, such as #ttg.blocked<{...}>",
            (int)alias, cursor->next + 1);
        return false;
    }
    if (read->depth == TRITON_NESTED)
        return refuse(cursor, "parents are nested too deep");
    struct triton_attribute *attribute = &read->attribute[read->depth++];
    const size_t length = ascii_identifier_length(name);
    *attribute = (struct triton_attribute){.kind = kind_of(name, length)};
    snprintf(attribute->name, sizeof attribute->name, "%.*s", (int)length, name);
    cursor->next = name + length;
    if (attribute->kind == TRITON_OTHER) {
        mapping_fail(
            cursor->error, MAPPING_INVALID,
            "Triton's %.32s layouts are not supported; the supported ones are linear, blocked, "
            "nvidia_mma, dot_op, slice, swizzled_shared, nvmma_shared, padded_shared, "
            "shared_linear, tensor_memory_encoding and tensor_memory_scales_encoding",
            attribute->name);
        return false;
    }
    if (!accept(cursor, "<"))
        return refuse(cursor, "< is missing");
    while (!accept(cursor, ">")) {
        if (accept(cursor, "{") || accept(cursor, "}") || accept(cursor, ","))
            continue;
        if (attribute->count == TRITON_VALUES)
            return refuse(cursor, "there are too many values");
        struct triton_value *value = &attribute->value[attribute->count];
        *value = (struct triton_value){.count = 0};
        const size_t key = ascii_identifier_length(cursor->next);
        snprintf(value->key, sizeof value->key, "%.*s", (int)key,
                 key > 0 ? cursor->next : "intervals");
        if (key == 0)
            snprintf(value->key, sizeof value->key, "intervals");
        cursor->next += key;
        attribute->count++;
        if (key > 0 ? !accept(cursor, "=") : *cursor->next != '[')
            return refuse(cursor, key > 0 ? "= is missing" : "> or the name of a value is missing");
        if (accept(cursor, "{"))
            attribute->count--; /* the values in the braces are those of the attribute */
        else if (!read_member(cursor, value, read))
            return false;
    }
    return true;
}

const struct triton_value *mapping_triton_value(const struct triton_attribute *attribute,
                                                const char *names) {
    for (; *names; names += strspn(names, " ")) {
        const size_t length = strcspn(names, " ");
        for (uint32_t v = 0; v < attribute->count; v++)
            if (strlen(attribute->value[v].key) == length &&
                strncmp(attribute->value[v].key, names, length) == 0)
                return &attribute->value[v];
        names += length;
    }
    return NULL;
}

/* ---- Types ---- */

uint32_t mapping_triton_bits(const char *type) {
    static const char *const beginnings[] = {"bf", "f", "i", "si", "ui"};
    if (strncmp(type, "!tt.ptr", 7) == 0)
        return 64;
    for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; b++) {
        const size_t length = strlen(beginnings[b]);
        const unsigned long bits = strtoul(type + length, NULL, 10);
        if (strncmp(type, beginnings[b], length) == 0 && ascii_is_digit(type[length]))
            return bits <= 64 ? (uint32_t)bits : 0;
    }
    return strcmp(type, "tf32") == 0 ? 32 : 0;
}

/* Reads "128x64xf16," or "128x64," after the bracket of a type. */
static bool read_shape(struct cursor *cursor, struct triton_text *read) {
    for (;;) {
        const size_t digits = strspn(cursor->next, "0123456789");
        const bool is_last = digits > 0 && cursor->next[digits] == ','; /* the text has no type */
        if (digits == 0 || (cursor->next[digits] != 'x' && !is_last))
            break;
        if (digits > 7 || read->rank == TRITON_DIMS)
            return refuse(cursor, "the shape is too large");
        read->shape[read->rank] = (uint32_t)strtoul(cursor->next, NULL, 10);
        if (read->shape[read->rank++] == 0)
            return refuse(cursor, "a dimension has no elements");
        cursor->next += digits + 1;
        if (is_last)
            return true;
    }
    const size_t length = strcspn(cursor->next, ",");
    if (read->rank == 0)
        return refuse(cursor, "a shape such as 128x64 is missing");
    if (cursor->next[length] != ',')
        return refuse(cursor, "a layout is missing behind the type of the elements");
    snprintf(read->type, sizeof read->type, "%.*s", (int)length, cursor->next);
    cursor->next += length + 1;
    if (mapping_triton_bits(read->type) == 0) {
        mapping_fail(cursor->error, MAPPING_INVALID, "'%.24s' is no type of elements of Triton",
                     read->type);
        return false;
    }
    return true;
}

enum mapping_status mapping_triton_read(const char *text, struct triton_text *read,
                                        struct mapping_error *error) {
    struct cursor cursor = {.start = text, .next = skip_definition(text), .error = error};
    const char *shape = behind_type(cursor.next);
    *read = (struct triton_text){.rank = 0};
    if (shape) {
        cursor.next = shape;
        if (!read_shape(&cursor, read))
            return MAPPING_INVALID;
        cursor.next = skip_blanks(cursor.next);
        if (*cursor.next != '#') {
            refuse(&cursor, "a layout is missing");
            return MAPPING_INVALID;
        }
    }
    if (!read_attribute(&cursor, read))
        return MAPPING_INVALID;
    cursor.next = skip_blanks(cursor.next);
    if (shape) /* a memdesc has the memory and the whole shape after its layout */
        cursor.next += strcspn(cursor.next, ">");
    if (shape && !accept(&cursor, ">"))
        refuse(&cursor, "> is missing");
    else if (*skip_blanks(cursor.next))
        refuse(&cursor, "the layout ends before");
    else
        return MAPPING_OK;
    return MAPPING_INVALID;
}
