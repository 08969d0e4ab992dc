/* cutlass.c - the layouts of CUTLASS 2, by their names; see cutlass.h. */
#include "layout/cutlass.h"

#include "layout/cutlass_kinds.h"

#include <stdlib.h>
#include <string.h>

/* ---- Names ---- */

/* Which coordinates a class takes, and what is contiguous. */
enum order { BARE, ROW_MAJOR, COLUMN_MAJOR };

/* A name that has been read. */
struct name {
    const struct cutlass_kind *kind;
    enum order order;
    uint32_t argument[2];
    unsigned count;
};

/* How template arguments are written. */
static const struct arguments_form {
    unsigned count;
    const char *text;
} arguments_forms[] = {
    [NONE] = {0, ""},
    [INTERLEAVE] = {1, "<rows or columns>"},
    [BITS] = {1, "<bits>"},
    [BITS_CROSSWISE] = {2, "<bits,crosswise>"},
    [BITS_INTERLEAVE] = {2, "<bits,interleave>"},
    [BITS_KBLOCK] = {2, "<bits,kblock>"},
};

static bool is_word(const char *text, size_t length, const char *word) {
    return word && strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Reads "<16,64>" and returns what follows, or NULL; without it there are no arguments. */
static const char *read_arguments(const char *text, struct name *name) {
    text += strspn(text, " ");
    if (*text != '<')
        return text;
    do {
        text++;
        text += strspn(text, " ");
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > 8 || name->count == 2)
            return NULL;
        name->argument[name->count++] = (uint32_t)strtoul(text, NULL, 10);
        text += digits;
        text += strspn(text, " ");
    } while (*text == ',');
    return *text == '>' ? text + 1 + strspn(text + 1, " ") : NULL;
}

/* True if the row is for this name, which has to be of the same order; some are for elements of one
 * size alone. */
static bool is_kind(const struct cutlass_kind *kind, const char *text, size_t length,
                    const struct name *name) {
    return is_word(text, length, name->order == BARE ? kind->name : kind->of_major) &&
           (kind->arguments == NONE || kind->bits == 0 || kind->bits == name->argument[0]);
}

static bool find_kind(const char *text, size_t length, struct name *name) {
    static const char *const prefixes[] = {
        [BARE] = "", [ROW_MAJOR] = "RowMajor", [COLUMN_MAJOR] = "ColumnMajor"};
    for (unsigned order = BARE; order <= COLUMN_MAJOR; order++) {
        size_t prefix = strlen(prefixes[order]);
        name->order = (enum order)order;
        if (length < prefix || strncmp(text, prefixes[order], prefix) != 0)
            continue;
        for (size_t k = 0; (name->kind = mapping_cutlass_kind(k)); k++)
            if (is_kind(name->kind, text + prefix, length - prefix, name))
                return true;
    }
    return false;
}

static enum mapping_status refuse_name(const char *text, struct mapping_error *error) {
    return mapping_fail(
        error, MAPPING_INVALID,
        "'%.60s' is not a valid CUTLASS 2 layout; valid: PitchLinear, RowMajor, ColumnMajor, "
        "RowMajorInterleaved<n>, ColumnMajorInterleaved<n>, TensorOpMultiplicand<bits,crosswise>, "
        "TensorOpMultiplicandCongruous<bits,crosswise>, "
        "TensorOpMultiplicandCrosswise<bits,crosswise>, TensorOpMultiplicandCongruous64b, "
        "TensorOpMultiplicand64bCrosswise, TensorOpMultiplicandCongruous128b, "
        "TensorOpMultiplicandCrosswise128x4, VoltaTensorOpMultiplicandCongruous<bits>, "
        "VoltaTensorOpMultiplicandBCongruous<bits>, "
        "VoltaTensorOpMultiplicandCrosswise<bits,kblock>; RowMajor or ColumnMajor may precede "
        "every name except the first five and TensorOpMultiplicand<...>",
        text);
}

static enum mapping_status read_name(const char *text, struct name *name,
                                     struct mapping_error *error) {
    const char *start = mapping_skip_scopes(text);
    size_t length = mapping_identifier_length(start);
    const char *rest = read_arguments(start + length, name);
    if (!find_kind(start, length, name))
        return refuse_name(text, error);
    const struct arguments_form *form = &arguments_forms[name->kind->arguments];
    if (!rest || *rest || name->count != form->count)
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.80s' is not a valid CUTLASS 2 layout; write %.*s%s with valid numbers", text,
            (int)length, start, form->text);
    return MAPPING_OK;
}

/* ---- Template arguments ---- */

/* What the class computes from the size of its elements. */
static enum mapping_status set_access(const char *text, const struct cutlass_kind *kind,
                                      struct cutlass_instance *x, struct mapping_error *error) {
    if (kind->access_bits == 0)
        return MAPPING_OK;
    if (x->bits == 0 || (x->bits & (x->bits - 1)) || x->bits > kind->access_bits)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' has elements of %u bits; the element size must be a power of "
                            "two from 1 to %u, the bits of one access",
                            text, x->bits, kind->access_bits);
    x->access = kind->access_bits / x->bits;
    return MAPPING_OK;
}

/* How many rows share a line: there must be at least one (a static_assert of CUTLASS's), and a row
 * at least one access. */
static enum mapping_status set_factor(const char *text, struct cutlass_instance *x,
                                      struct mapping_error *error) {
    uint32_t crosswise = x->argument[1], line = 8 * x->access;
    uint32_t factor = crosswise ? line / crosswise : 0;
    if (factor == 1 || factor == 2 || factor == 4 || factor == 8) {
        x->factor = factor;
        return MAPPING_OK;
    }
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.80s' has a crosswise size of %u, but elements of %u bits need %u, %u, "
                        "%u or %u; a line of 128 bytes then holds 1, 2, 4 or 8 rows",
                        text, crosswise, x->bits, line, line / 2, line / 4, line / 8);
}

/* How many rows or columns alternate; some classes fill lines of 128 elements with them. */
static enum mapping_status set_interleave(const char *text, const struct cutlass_kind *kind,
                                          struct cutlass_instance *x, struct mapping_error *error) {
    uint32_t interleave = x->argument[kind->arguments == BITS_INTERLEAVE];
    if (interleave == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' interleaves 0 rows or columns; use at least 1", text);
    if (kind->arguments == BITS_INTERLEAVE && 128 % interleave != 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.80s' interleaves by %u; use a divisor of 128, the number of elements in a line",
            text, interleave);
    x->interleave = interleave;
    return MAPPING_OK;
}

static enum mapping_status set_arguments(const char *text, const struct name *name,
                                         struct cutlass_instance *x, struct mapping_error *error) {
    const struct cutlass_kind *kind = name->kind;
    *x = (struct cutlass_instance){.argument = {name->argument[0], name->argument[1]},
                                   .bits = kind->arguments >= BITS ? name->argument[0] : kind->bits,
                                   .access = 1,
                                   .factor = 1,
                                   .interleave = 1};
    if (kind->arguments == BITS_KBLOCK && x->argument[1] == 0)
        return mapping_fail(error, MAPPING_INVALID, "'%.80s' has a kblock of 0; use at least 1",
                            text);
    enum mapping_status status = set_access(text, kind, x, error);
    if (status == MAPPING_OK && kind->has_factor)
        status = set_factor(text, x, error);
    if (status == MAPPING_OK &&
        (kind->arguments == INTERLEAVE || kind->arguments == BITS_INTERLEAVE))
        status = set_interleave(text, kind, x, error);
    return status;
}

/* ---- Extents ---- */

/* Sets the extent, contiguous and strided, to what is asked for, or else to a tile. */
static enum mapping_status set_extent(const struct mapping_memory_request *request,
                                      const struct name *name, const struct cutlass_instance *x,
                                      uint32_t extent[2], struct mapping_error *error) {
    static const char *const axes[2][2] = {{"contiguous extent", "strided extent"},
                                           {"number of rows", "number of columns"}};
    unsigned first = name->order == ROW_MAJOR ? 1 : 0; /* which of both is contiguous */
    uint32_t tile[2];
    mapping_cutlass_tile(name->kind, x, tile);
    for (unsigned a = 0; a < 2; a++) {
        bool is_filled = name->kind->arguments <= INTERLEAVE && name->kind->tile[0] == 1;
        uint32_t asked = request->extent[a ^ first];
        extent[a] = is_filled ? (15 + tile[a]) / tile[a] * tile[a] : tile[a];
        if (asked % tile[a] != 0)
            return mapping_fail(
                error, MAPPING_INVALID, "the %s of '%.80s' must be a multiple of %u, not %u",
                axes[name->order != BARE][a ^ first], request->text, tile[a], asked);
        extent[a] = asked ? asked : extent[a];
    }
    return MAPPING_OK;
}

/* Sets the stride as packed() does. Of two classes it takes the contiguous extent where the
 * strided one would be right, but for matrices: theirs are right for a square alone. */
static enum mapping_status set_stride(const char *text, const struct name *name,
                                      const uint32_t extent[2], struct cutlass_instance *x,
                                      struct mapping_error *error) {
    x->stride = extent[name->kind->is_strided];
    bool is_wrong = name->kind->is_strided && name->kind->arguments == NONE && name->order == BARE;
    if (is_wrong && extent[0] != extent[1])
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' needs equal extents, not %u contiguous and %u strided: "
                            "CUTLASS uses the wrong extent as the stride",
                            text, extent[0], extent[1]);
    return MAPPING_OK;
}

/* ---- To a table ---- */

enum mapping_status mapping_cutlass_make(const struct mapping_memory_request *request,
                                         struct mapping_memory *memory,
                                         struct mapping_error *error) {
    struct name name = {.count = 0};
    struct cutlass_instance x = {.stride = 0};
    uint32_t extent[2] = {0, 0};
    enum mapping_status status = read_name(request->text, &name, error);
    if (status == MAPPING_OK)
        status = set_arguments(request->text, &name, &x, error);
    if (status == MAPPING_OK)
        status = mapping_memory_set_bits(memory, request, x.bits, error);
    if (status == MAPPING_OK)
        status = set_extent(request, &name, &x, extent, error);
    if (status == MAPPING_OK)
        status = set_stride(request->text, &name, extent, &x, error);
    if (status != MAPPING_OK)
        return status;
    bool is_column_major = name.order == COLUMN_MAJOR;
    uint32_t rows = extent[!is_column_major], cols = extent[is_column_major];
    status = mapping_memory_begin(memory, 0, rows, cols, error);
    for (uint32_t n = 0; status == MAPPING_OK && n < rows * cols; n++) {
        uint32_t row = n / cols, col = n % cols;
        memory->layout.coordinate[0][n] =
            is_column_major ? name.kind->offset(&x, row, col) : name.kind->offset(&x, col, row);
    }
    return status;
}

/* What has one of the words that all names are made of is meant to be one. */
bool mapping_cutlass_is_meant(const char *text) {
    static const char *const words[] = {"TensorOp", "Major", "PitchLinear"};
    static const char scope[] = "cutlass::layout::";
    text += strspn(text, " ");
    bool is_meant = strncmp(text, scope, sizeof scope - 1) == 0;
    text = mapping_skip_scopes(text);
    const char *end = text + mapping_identifier_length(text);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const char *place = strstr(text, words[w]);
        is_meant |= place && place < end;
    }
    return is_meant;
}
