/* cutlass.c - the layouts of CUTLASS 2, by their names; see memory.h.
 *
 * Each row of the table is the operator() of a class in include/cutlass/layout/ of CUTLASS:
 * pitch_linear.h, matrix.h, tensor_op_multiplicand_sm70.h, ..._sm75.h, ..._sm80.h, as a function of
 * the place in pitch-linear memory; those that examples/03_visualize_layout registers are among
 * them. The classes for matrices, "RowMajor..." and "ColumnMajor...", exchange coordinates and are
 * otherwise the same. */
#include "layout/memory_parts.h"

#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Classes ---- */

/* A layout with its template arguments, and what its class computes from them. */
struct cutlass_instance {
    uint32_t argument[2];
    uint32_t bits;       /* of an element; 0 where the name does not say it */
    uint32_t access;     /* elements in one access, kElementsPerAccess; 1 where there are none */
    uint32_t factor;     /* how many rows share a line of 128 bytes, kFactor; likewise */
    uint32_t interleave; /* rows or columns that alternate; likewise */
    uint32_t stride;     /* of packed() */
};

/* What the template arguments are. */
enum cutlass_arguments { NONE, INTERLEAVE, BITS, BITS_CROSSWISE, BITS_INTERLEAVE, BITS_KBLOCK };

/* A class. The tile after which its pattern repeats is `tile` accesses by rows where it does not
 * depend on the arguments. */
struct cutlass_kind {
    const char *name;     /* for pitch-linear coordinates; NULL if there is no such class */
    const char *of_major; /* what follows RowMajor and ColumnMajor; NULL likewise */
    enum cutlass_arguments arguments;
    uint32_t bits;        /* of an element, where the arguments do not say it; or those of them
                             that this row is for */
    uint32_t access_bits; /* of an access; 0 if elements are on their own */
    uint32_t tile[2];
    bool has_factor; /* rows share lines */
    bool is_strided; /* the stride is the strided extent, else the contiguous one */
    uint32_t (*offset)(const struct cutlass_instance *x, uint32_t c, uint32_t s);
};

static uint32_t pitch_linear(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    return c + s * x->stride;
}

/* RowMajorInterleaved<n>: n rows alternate, element by element. */
static uint32_t interleaved(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t n = x->interleave;
    return s / n * n * x->stride + c * n + s % n;
}

/* TensorOpMultiplicand<bits,crosswise>. A line is 8 accesses of 128 bits, and `factor` rows fill
 * it; the accesses of line n are exclusive-ored with n, as far as the tile has lines. */
static uint32_t multiplicand(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t in_row = 8 / x->factor, lines = in_row > 4 ? in_row : 4;
    uint32_t access = c / x->access, line = s / x->factor;
    uint32_t place = access % in_row + s % x->factor * in_row;
    uint32_t swizzled = place ^ line % lines;
    return (access / in_row * 8 + swizzled) * x->access + c % x->access +
           line * x->factor * x->stride;
}

/* TensorOpMultiplicandCongruous<32,crosswise>: 4 rows, exclusive-ored with twice the row. */
static uint32_t congruous_32(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    return (c / 4 ^ 2 * (s % 4)) * 4 + c % 4 + s * x->stride;
}

/* TensorOpMultiplicandCongruous64b: of 16 columns, bits 1 and 2 become the row. */
static uint32_t congruous_64(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t row = c / 2 % 4, column = c % 2 * 8 + row * 2 + c / 8 % 2;
    return c / 16 * 16 + (column ^ s % 2 * 2 ^ s / 2 % 2 * 4) + (s / 4 * 4 + row) * x->stride;
}

/* TensorOpMultiplicand64bCrosswise: of 16 x 16 elements groups of 4 columns come one after the
 * other, and bits 1 and 2 of the strided coordinate become the row. */
static uint32_t crosswise_64(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t group = c / 4 % 4, row = s / 2 % 4;
    uint32_t column = s % 2 * 8 + c % 4 * 2 + s / 8 % 2;
    return (c / 16 * 16 + group * 4 + row) * x->stride + s / 16 * 16 +
           (column ^ group / 2 * 8 ^ group % 2);
}

/* TensorOpMultiplicandCongruous128b: of 8 columns, bits 1 and 2 become the row. */
static uint32_t congruous_128(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t row = c % 8 / 2;
    return c / 8 * 8 + (c % 2 * 4 | (s % 4 ^ row)) + (s / 4 * 4 + row) * x->stride;
}

/* TensorOpMultiplicandCrosswise128x4. */
static uint32_t crosswise_128(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t row = c % 8 / 4 * 4 + s % 8 / 4 * 2 + s % 4 / 2;
    return (c / 8 * 8 + row) * x->stride + s / 8 * 8 + ((c % 4 + s % 2 * 4) ^ (c & 4));
}

/* TensorOpMultiplicandColumnMajorInterleaved<bits,n> and its row-major twin: where the access
 * begins in which an element lies, so that 16 of them have one offset. */
static uint32_t access_interleaved(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t n = x->interleave, rows = 128 / n;
    uint32_t access = (s % rows * n + c) / 16, line = s / rows;
    return line * 128 + (access ^ line % 2) * 16;
}

/* VoltaTensorOpMultiplicandCongruous<bits>: of 8 accesses bits 1 and 2 become the row. */
static uint32_t volta_congruous(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t access = c / x->access % 8, row = access / 2;
    uint32_t place = (s % 4 ^ row) | access % 2 * 4;
    return (c / x->access / 8 * 8 + place) * x->access + c % x->access +
           (s / 4 * 4 + row) * x->stride;
}

/* VoltaTensorOpMultiplicandBCongruous<bits>: bits 0 and 1 do. */
static uint32_t volta_b_congruous(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t access = c / x->access % 8, row = access % 4;
    uint32_t place = (s % 4 ^ row) | (access & 4);
    return (c / x->access / 8 * 8 + place) * x->access + c % x->access +
           (s / 4 * 4 + row) * x->stride;
}

/* VoltaTensorOpMultiplicandCrosswise<bits,kblock>: accesses of 64 bits; those of one contiguous
 * place and all strided ones follow one another, sixteen by sixteen transposed as 4 x 4. */
static uint32_t volta_crosswise(const struct cutlass_instance *x, uint32_t c, uint32_t s) {
    uint32_t access = c / x->access;
    uint32_t place = s / 16 * 16 + s % 4 * 4 + (s / 4 % 4 ^ s / 16 % 2 * 2);
    return (place ^ access / 2 % 4) * x->access + c % x->access + access * x->stride * x->access;
}

/* Where several have one name, those for elements of one size come first. */
static const struct cutlass_kind kinds[] = {
    {.name = "PitchLinear", .of_major = "", .tile = {1, 1}, .offset = pitch_linear},
    {.of_major = "Interleaved", .arguments = INTERLEAVE, .tile = {1, 0}, .offset = interleaved},
    {.name = "TensorOpMultiplicand",
     .arguments = BITS_CROSSWISE,
     .access_bits = 128,
     .has_factor = true,
     .offset = multiplicand},
    {.name = "TensorOpMultiplicandCongruous",
     .of_major = "TensorOpMultiplicandCongruous",
     .arguments = BITS_CROSSWISE,
     .bits = 32,
     .access_bits = 128,
     .tile = {8, 4},
     .offset = congruous_32},
    {.name = "TensorOpMultiplicandCongruous",
     .of_major = "TensorOpMultiplicandCongruous",
     .arguments = BITS_CROSSWISE,
     .access_bits = 128,
     .has_factor = true,
     .offset = multiplicand},
    {.name = "TensorOpMultiplicandCrosswise",
     .of_major = "TensorOpMultiplicandCrosswise",
     .arguments = BITS_CROSSWISE,
     .access_bits = 128,
     .has_factor = true,
     .offset = multiplicand},
    {.name = "TensorOpMultiplicandCongruous64b",
     .of_major = "TensorOpMultiplicandCongruous64b",
     .bits = 64,
     .tile = {16, 4},
     .offset = congruous_64},
    {.name = "TensorOpMultiplicand64bCrosswise",
     .of_major = "TensorOpMultiplicand64bCrosswise",
     .bits = 64,
     .tile = {16, 16},
     .is_strided = true,
     .offset = crosswise_64},
    {.name = "TensorOpMultiplicandCongruous128b",
     .of_major = "TensorOpMultiplicandCongruous128b",
     .bits = 128,
     .tile = {8, 4},
     .offset = congruous_128},
    {.name = "TensorOpMultiplicandCrosswise128x4",
     .of_major = "TensorOpMultiplicandCrosswise128x4",
     .bits = 128,
     .tile = {8, 8},
     .is_strided = true,
     .offset = crosswise_128},
    {.name = "TensorOpMultiplicandColumnMajorInterleaved",
     .arguments = BITS_INTERLEAVE,
     .access_bits = 128,
     .offset = access_interleaved},
    {.name = "TensorOpMultiplicandRowMajorInterleaved",
     .arguments = BITS_INTERLEAVE,
     .access_bits = 128,
     .offset = access_interleaved},
    {.name = "VoltaTensorOpMultiplicandCongruous",
     .of_major = "VoltaTensorOpMultiplicandCongruous",
     .arguments = BITS,
     .access_bits = 128,
     .tile = {8, 4},
     .offset = volta_congruous},
    {.name = "VoltaTensorOpMultiplicandBCongruous",
     .of_major = "VoltaTensorOpMultiplicandBCongruous",
     .arguments = BITS,
     .access_bits = 128,
     .tile = {8, 4},
     .offset = volta_b_congruous},
    {.name = "VoltaTensorOpMultiplicandCrosswise",
     .of_major = "VoltaTensorOpMultiplicandCrosswise",
     .arguments = BITS_KBLOCK,
     .access_bits = 64,
     .tile = {8, 32},
     .is_strided = true,
     .offset = volta_crosswise},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

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
        for (name->kind = kinds; name->kind < kinds + KINDS; name->kind++)
            if (is_kind(name->kind, text + prefix, length - prefix, name))
                return true;
    }
    return false;
}

/* Adds a name to a list, unless the row before has the same. */
static void list_name(char *list, size_t size, const char *order, const char *name, size_t k) {
    if (name && !(k > 0 && kinds[k - 1].name && strcmp(kinds[k - 1].name, name) == 0))
        mapping_append(list, size, "%s%s%s%s", *list ? ", " : "", order, name,
                       arguments_forms[kinds[k].arguments].text);
}

static enum mapping_status refuse_name(const char *text, struct mapping_error *error) {
    char alone[320] = "", with_order[448] = "";
    for (size_t k = 0; k < KINDS; k++) {
        const char *name = kinds[k].name, *of_major = kinds[k].of_major;
        if (name && of_major && strcmp(name, of_major) == 0) {
            list_name(with_order, sizeof with_order, "", name, k);
            continue;
        }
        list_name(alone, sizeof alone, "", name, k);
        list_name(alone, sizeof alone, "RowMajor", of_major, k);
        list_name(alone, sizeof alone, "ColumnMajor", of_major, k);
    }
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.60s' is not a valid CUTLASS 2 layout; valid: %-s; also valid, alone or "
                        "after RowMajor or ColumnMajor: %-s",
                        text, alone, with_order);
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
                        "the parameter Crosswise of '%.80s' is %u; for %u-bit elements, it must be "
                        "%u, %u, %u or %u",
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

/* The tile after which its pattern repeats, contiguous and strided. */
static void find_tile(const struct cutlass_kind *kind, const struct cutlass_instance *x,
                      uint32_t tile[2]) {
    tile[0] = kind->tile[0] * x->access;
    tile[1] = kind->tile[1];
    if (kind->arguments == INTERLEAVE)
        tile[1] = x->interleave;
    if (kind->arguments == BITS_INTERLEAVE) {
        tile[0] = x->interleave;
        tile[1] = 2 * (128 / x->interleave);
    }
    if (kind->has_factor) {
        uint32_t in_row = 8 / x->factor;
        tile[0] = in_row * x->access;
        tile[1] = x->factor * (in_row > 4 ? in_row : 4);
    }
}

/* Sets the extent, contiguous and strided, to what is asked for, or else to a tile. */
static enum mapping_status set_extent(const struct mapping_memory_request *request,
                                      const struct name *name, const struct cutlass_instance *x,
                                      uint32_t extent[2], struct mapping_error *error) {
    static const char *const axes[2][2] = {{"contiguous extent", "strided extent"},
                                           {"number of rows", "number of columns"}};
    unsigned first = name->order == ROW_MAJOR ? 1 : 0; /* which of both is contiguous */
    uint32_t tile[2];
    find_tile(name->kind, x, tile);
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

static enum mapping_status make_table(const struct mapping_memory_request *request,
                                      struct mapping_memory *memory, struct mapping_error *error) {
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
static bool is_meant(const char *text) {
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

const struct mapping_memory_reader mapping_cutlass_reader = {is_meant, make_table};
