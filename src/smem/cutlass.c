/* cutlass.c - the layouts of CUTLASS 2, by their names; see matrix.h.
 *
 * Each row of the table is a class in include/cutlass/layout/ of CUTLASS: pitch_linear.h, matrix.h,
 * tensor_op_multiplicand_sm70.h, ..._sm75.h, ..._sm80.h. The table has the classes that
 * examples/03_visualize_layout registers. The classes "RowMajor..." and "ColumnMajor..." for
 * matrices only exchange the coordinates.
 *
 * Nearly all of these classes permute the accesses of a small tile. Each bit of the new coordinates
 * is the exclusive or of some bits of c, the number of the access along the contiguous axis, and s,
 * the strided coordinate. The table lists these bits, lowest first. For example, operator() of
 * TensorOpMultiplicandCongruous128b, whose tiles are 8 x 4, sends bits 1 and 2 of c to the row:
 *
 *     place  "s0^c1 s1^c2 c0"     row  "c1 c2"
 *
 * The place is the new number of the access in its row. So (c, s) = (6, 1) has place 2 (bits: s0 ^
 * c1 = 1 ^ 1, s1 ^ c2 = 0 ^ 1, c0 = 0) in row 3. */
#include "smem/matrix_table.h"

#include "layout/ascii.h"
#include "layout/f2.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Classes ---- */

/* The kinds of template arguments. */
enum arguments { NONE, INTERLEAVE, BITS, BITS_CROSSWISE, BITS_INTERLEAVE, BITS_KBLOCK };

/* The names of a class: alone, or with RowMajor and ColumnMajor before it, or both. */
enum forms { ALONE = 1, AFTER_MAJOR = 2, BOTH = 3 };

/* How the accesses of a tile are permuted. */
struct pattern {
    const char *place, *row;
};

static const struct pattern pitch_linear = {"", ""};
static const struct pattern congruous_32 = {"c0 c1^s0 c2^s1", "s0 s1"};
static const struct pattern congruous_64 = {"c3 c1^s0 c2^s1 c0", "c1 c2"};
static const struct pattern congruous_128 = {"s0^c1 s1^c2 c0", "c1 c2"}; /* also for Volta */
static const struct pattern crosswise_64 = {"s3^c2 c0 c1 s0^c3", "s1 s2 c2 c3"};
static const struct pattern crosswise_128 = {"c0 c1 s0^c2", "s1 s2 c2"};
static const struct pattern volta_b_congruous = {"s0^c0 s1^c1 c2", "c0 c1"};
static const struct pattern volta_crosswise = {"s2^c1 s3^s4^c2 s0 s1 s4", "c0 c1 c2"};

/* TensorOpMultiplicand<bits,crosswise>, indexed by kFactor, the number of rows that share a line of
 * 8 accesses. In line n of a tile, the index of each access is XORed with n. */
static const struct pattern multiplicands[] = {
    [1] = {"c0^s0 c1^s1 c2^s2", "s0 s1 s2"},
    [2] = {"c0^s1 c1^s2 s0", "0 s1 s2"},
    [4] = {"c0^s2 s0^s3 s1", "0 0 s2 s3"},
    [8] = {"s0^s3 s1^s4 s2", "0 0 0 s3 s4"},
};

/* A class. */
struct kind {
    const char *name;
    enum forms forms;
    enum arguments arguments;
    uint32_t bits;        /* the size of an element, if the arguments do not state it; or the size
                             in the arguments for which this row holds */
    uint32_t access_bits; /* the size of an access; 0 if elements are moved one by one */
    bool is_strided;      /* tiles follow along the strided axis, else the contiguous one */
    const struct pattern *pattern; /* NULL if it depends on the arguments */
};

/* If several rows have the same name, those for one element size come first. */
static const struct kind kinds[] = {
    {"PitchLinear", ALONE, NONE, 0, 0, false, &pitch_linear},
    {"", AFTER_MAJOR, NONE, 0, 0, false, &pitch_linear},
    {"Interleaved", AFTER_MAJOR, INTERLEAVE, 0, 0, false, NULL},
    {"TensorOpMultiplicand", ALONE, BITS_CROSSWISE, 0, 128, false, NULL},
    {"TensorOpMultiplicandCongruous", BOTH, BITS_CROSSWISE, 32, 128, false, &congruous_32},
    {"TensorOpMultiplicandCongruous", BOTH, BITS_CROSSWISE, 0, 128, false, NULL},
    {"TensorOpMultiplicandCrosswise", BOTH, BITS_CROSSWISE, 0, 128, false, NULL},
    {"TensorOpMultiplicandCongruous64b", BOTH, NONE, 64, 0, false, &congruous_64},
    {"TensorOpMultiplicand64bCrosswise", BOTH, NONE, 64, 0, true, &crosswise_64},
    {"TensorOpMultiplicandCongruous128b", BOTH, NONE, 128, 0, false, &congruous_128},
    {"TensorOpMultiplicandCrosswise128x4", BOTH, NONE, 128, 0, true, &crosswise_128},
    {"TensorOpMultiplicandColumnMajorInterleaved", ALONE, BITS_INTERLEAVE, 0, 128, false, NULL},
    {"TensorOpMultiplicandRowMajorInterleaved", ALONE, BITS_INTERLEAVE, 0, 128, false, NULL},
    {"VoltaTensorOpMultiplicandCongruous", BOTH, BITS, 0, 128, false, &congruous_128},
    {"VoltaTensorOpMultiplicandBCongruous", BOTH, BITS, 0, 128, false, &volta_b_congruous},
    {"VoltaTensorOpMultiplicandCrosswise", BOTH, BITS_KBLOCK, 0, 64, true, &volta_crosswise},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* The coordinates of a class: pitch-linear, or rows and columns, and which is contiguous. */
enum order { BARE, ROW_MAJOR, COLUMN_MAJOR };

/* A layout whose name has been read. */
struct instance {
    const struct kind *kind;
    enum order order;
    uint32_t argument[2];
    unsigned count;      /* the number of arguments */
    uint32_t bits;       /* the size of an element; 0 if the name does not state it */
    uint32_t access;     /* elements in one access, kElementsPerAccess; or 1 */
    uint32_t interleave; /* rows or columns that alternate; 1 if there are none */
    uint32_t stride;     /* the stride from row to row of packed(), in accesses */
    /* The pattern: its argument has c in bits 0 to 15 and s above; its value has place in bits 0 to
     * 15 and row above. */
    struct f2 pattern;
    uint32_t log2_tile[2], log2_moved[2]; /* the number of bits of c and s, and of place and row */
    uint32_t tile[2]; /* elements after which the pattern repeats, contiguous and strided */
};

/* ---- Names ---- */

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

/* Reads "<16,64>" and returns what follows, or NULL if it is malformed. A text that does not begin
 * with "<" has no arguments. */
static const char *read_arguments(const char *text, struct instance *x) {
    text += strspn(text, " ");
    if (*text != '<')
        return text;
    do {
        text++;
        text += strspn(text, " ");
        size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > 8 || x->count == 2)
            return NULL;
        x->argument[x->count++] = (uint32_t)strtoul(text, NULL, 10);
        text += digits;
        text += strspn(text, " ");
    } while (*text == ',');
    return *text == '>' ? text + 1 + strspn(text + 1, " ") : NULL;
}

/* Finds the row for a name. Some rows hold only for one element size. */
static bool find_kind(const char *text, size_t length, struct instance *x) {
    static const char *const prefixes[] = {
        [BARE] = "", [ROW_MAJOR] = "RowMajor", [COLUMN_MAJOR] = "ColumnMajor"};
    for (unsigned order = BARE; order <= COLUMN_MAJOR; order++) {
        const size_t prefix = strlen(prefixes[order]);
        if (length < prefix || strncmp(text, prefixes[order], prefix) != 0)
            continue;
        for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++)
            if ((kind->forms & (order == BARE ? ALONE : AFTER_MAJOR)) &&
                strlen(kind->name) == length - prefix &&
                strncmp(text + prefix, kind->name, length - prefix) == 0 &&
                (kind->arguments == NONE || kind->bits == 0 || kind->bits == x->argument[0])) {
                x->kind = kind;
                x->order = (enum order)order;
                return true;
            }
    }
    return false;
}

static void list_name(char *list, size_t size, const char *order, const struct kind *kind) {
    mapping_append(list, size, "%s%s%s%s", *list ? ", " : "", order, kind->name,
                   arguments_forms[kind->arguments].text);
}

static void refuse_name(const char *text, struct mapping_error *error) {
    char alone[320] = "", with_order[448] = "";
    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
        if (kind > kinds && strcmp(kind->name, kind[-1].name) == 0)
            continue;
        if (kind->forms == BOTH) {
            list_name(with_order, sizeof with_order, "", kind);
        } else if (kind->forms == ALONE) {
            list_name(alone, sizeof alone, "", kind);
        } else {
            list_name(alone, sizeof alone, "RowMajor", kind);
            list_name(alone, sizeof alone, "ColumnMajor", kind);
        }
    }
    mapping_fail(error, MAPPING_INVALID,
                 "'%.60s' is not a valid CUTLASS 2 layout; valid: %-s; valid with or without "
                 "RowMajor or ColumnMajor: %-s",
                 text, alone, with_order);
}

static enum mapping_status read_name(const char *text, struct instance *x,
                                     struct mapping_error *error) {
    const char *start = mapping_skip_scopes(text);
    size_t length = ascii_identifier_length(start);
    const char *rest = read_arguments(start + length, x);
    if (!find_kind(start, length, x)) {
        refuse_name(text, error);
        return MAPPING_INVALID; /* as analyzers see it */
    }
    const struct arguments_form *form = &arguments_forms[x->kind->arguments];
    if (!rest || *rest || x->count != form->count)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' is not a valid CUTLASS 2 layout; write %.*s%s with numbers of "
                            "at most 8 digits",
                            text, (int)length, start, form->text);
    return MAPPING_OK;
}

/* ---- Template arguments ---- */

/* Reads the bits of one coordinate, the lowest of which becomes bit `to`. Returns how many. */
static uint32_t read_bits(const char *text, uint32_t to, struct instance *x) {
    uint32_t count = *text != '\0';
    for (; *text; text++)
        if (*text == ' ') {
            count++;
            to++;
        } else if (*text == 'c' || *text == 's') {
            const uint32_t is_strided = *text == 's', bit = (uint32_t)(text[1] - '0') % 8;
            x->pattern.column[16 * is_strided + bit] |= UINT32_C(1) << to;
            if (x->log2_tile[is_strided] <= bit)
                x->log2_tile[is_strided] = bit + 1;
        }
    return count;
}

/* Initializes an instance of the class from its arguments. */
static enum mapping_status set_arguments(const char *text, struct instance *x,
                                         struct mapping_error *error) {
    const struct kind *kind = x->kind;
    const struct pattern *pattern = kind->pattern;
    const bool fills_lines = kind->arguments == BITS_INTERLEAVE;
    x->bits = kind->arguments >= BITS ? x->argument[0] : kind->bits;
    if (kind->arguments == BITS_KBLOCK && x->argument[1] == 0)
        return mapping_fail(error, MAPPING_INVALID, "'%.80s' has a kblock of 0; use at least 1",
                            text);
    if (kind->access_bits > 0) {
        if (x->bits == 0 || (x->bits & (x->bits - 1)) || x->bits > kind->access_bits)
            return mapping_fail(error, MAPPING_INVALID,
                                "'%.80s' has elements of %u bits; the element size must be a power "
                                "of two from 1 to %u bits, the size of an access",
                                text, x->bits, kind->access_bits);
        x->access = kind->access_bits / x->bits;
    }
    if (kind->arguments == BITS_CROSSWISE && !pattern) {
        /* At least one row has to share a line, a static_assert of CUTLASS's, and a row needs at
         * least one access. */
        const uint32_t crosswise = x->argument[1], line = 8 * x->access;
        const uint32_t factor = crosswise ? line / crosswise : 0;
        if (factor != 1 && factor != 2 && factor != 4 && factor != 8)
            return mapping_fail(error, MAPPING_INVALID,
                                "the parameter Crosswise of '%.80s' is %u; for %u-bit elements, it "
                                "must be %u, %u, %u or %u",
                                text, crosswise, x->bits, line, line / 2, line / 4, line / 8);
        pattern = &multiplicands[factor];
    }
    if (kind->arguments == INTERLEAVE || fills_lines) {
        const uint32_t interleave = x->argument[fills_lines];
        if (interleave == 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "'%.80s' interleaves 0 rows or columns; use at least 1", text);
        if (fills_lines && 128 % interleave != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "'%.80s' interleaves by %u; use a divisor of 128, the number of "
                                "elements in a line",
                                text, interleave);
        x->interleave = interleave;
        x->tile[0] = fills_lines ? interleave : 1;
        x->tile[1] = fills_lines ? 2 * (128 / interleave) : interleave;
    } else {
        x->pattern.in = 32;
        x->log2_moved[0] = read_bits(pattern->place, 0, x);
        x->log2_moved[1] = read_bits(pattern->row, 16, x);
        x->tile[0] = x->access << x->log2_tile[0];
        x->tile[1] = UINT32_C(1) << x->log2_tile[1];
    }
    return MAPPING_OK;
}

/* ---- Extents ---- */

/* Sets the contiguous and the strided extent to those requested, or else to the tile after which
 * the pattern repeats, and the stride as packed() does. In two classes, packed() uses the
 * contiguous extent as the stride where the strided one is right; without RowMajor or ColumnMajor,
 * they are right only for a square. */
static enum mapping_status set_extent(const struct mapping_smem_matrix_request *request,
                                      struct instance *x, uint32_t extent[2],
                                      struct mapping_error *error) {
    static const char *const axes[2][2] = {{"contiguous extent", "strided extent"},
                                           {"number of rows", "number of columns"}};
    const enum arguments arguments = x->kind->arguments;
    const unsigned first = x->order == ROW_MAJOR; /* the contiguous one of the two coordinates */
    const bool is_filled = arguments <= INTERLEAVE && x->tile[0] == 1;
    for (unsigned a = 0; a < 2; a++) {
        const uint32_t asked = request->extent[a ^ first], tile = x->tile[a];
        if (asked % tile != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "the %s of '%.80s' must be a multiple of %u, not %u",
                                axes[x->order != BARE][a ^ first], request->text, tile, asked);
        extent[a] = asked ? asked : is_filled ? (15 + tile) / tile * tile : tile;
    }
    x->stride = x->kind->is_strided ? extent[1] : extent[0] / x->access;
    if (x->kind->is_strided && arguments == NONE && x->order == BARE && extent[0] != extent[1])
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' needs equal extents, not %u contiguous and %u strided: "
                            "CUTLASS uses the wrong extent as the stride",
                            request->text, extent[0], extent[1]);
    return MAPPING_OK;
}

/* ---- To a table ---- */

/* The offset of an element, from its coordinates in pitch-linear memory. */
static uint32_t offset_of(const struct instance *x, uint32_t c, uint32_t s) {
    const uint32_t n = x->interleave;
    if (x->kind->arguments == INTERLEAVE) /* n rows alternate, element by element */
        return s / n * n * x->stride + c * n + s % n;
    if (x->kind->arguments == BITS_INTERLEAVE) {
        /* the offset where the access of the element begins: its 16 elements share one offset */
        const uint32_t rows = 128 / n, line = s / rows;
        return line * 128 + ((s % rows * n + c) / 16 ^ line % 2) * 16;
    }
    const uint32_t access = c / x->access;
    const uint32_t tile[2] = {access >> x->log2_tile[0], s >> x->log2_tile[1]};
    const uint32_t in_tile[2] = {access - (tile[0] << x->log2_tile[0]),
                                 s - (tile[1] << x->log2_tile[1])};
    const uint32_t moved = mapping_f2_apply(&x->pattern, in_tile[0] | in_tile[1] << 16);
    const uint32_t place = (tile[x->kind->is_strided] << x->log2_moved[0]) + (moved & 0xffff);
    const uint32_t row = (tile[!x->kind->is_strided] << x->log2_moved[1]) + (moved >> 16);
    return (place + row * x->stride) * x->access + c % x->access;
}

static enum mapping_status make_table(const struct mapping_smem_matrix_request *request,
                                      struct mapping_smem_matrix *memory,
                                      struct mapping_error *error) {
    struct instance x = {.access = 1, .interleave = 1, .tile = {1, 1}};
    uint32_t extent[2] = {0, 0};
    enum mapping_status status = read_name(request->text, &x, error);
    if (status == MAPPING_OK)
        status = set_arguments(request->text, &x, error);
    if (x.bits > 0)
        memory->bits = x.bits;
    if (status == MAPPING_OK)
        status = set_extent(request, &x, extent, error);
    if (status != MAPPING_OK)
        return status;
    const bool is_column_major = x.order == COLUMN_MAJOR;
    const uint32_t rows = extent[!is_column_major], cols = extent[is_column_major];
    status = mapping_smem_matrix_begin(memory, 0, rows, cols, error);
    for (uint32_t n = 0; status == MAPPING_OK && n < rows * cols; n++) {
        const uint32_t row = n / cols, col = n % cols;
        const uint32_t offset = is_column_major ? offset_of(&x, row, col) : offset_of(&x, col, row);
        struct mapping_axis *axis = &memory->layout.to.axis[0];
        memory->layout.coordinate[0][n] = offset;
        axis->size = offset >= axis->size ? offset + 1 : axis->size;
    }
    return status;
}

/* True for a name in the table, and for a word that such names are made of. */
static bool is_meant(const char *text) {
    static const char *const words[] = {"TensorOp", "Major", "PitchLinear"};
    static const char scope[] = "cutlass::layout::";
    text += strspn(text, " ");
    bool is_meant = strncmp(text, scope, sizeof scope - 1) == 0;
    text = mapping_skip_scopes(text);
    const char *end = text + ascii_identifier_length(text);
    struct instance x = {.count = 0};
    is_meant |= find_kind(text, (size_t)(end - text), &x);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const char *place = strstr(text, words[w]);
        is_meant |= place && place < end;
    }
    return is_meant;
}

const struct mapping_smem_matrix_reader mapping_cutlass_reader = {is_meant, make_table};
