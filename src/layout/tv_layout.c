/* tv_layout.c - makes tables from TV layouts of CuTe; see tv_layout.h. */
#include "layout/tv_layout.h"

#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512 };

/* Returns the text after the first of these labels that the text contains; NULL if it contains
 * none. */
static const char *behind_label(const char *text, const char *const labels[2]) {
    for (int l = 0; l < 2; l++) {
        const char *found = strstr(text, labels[l]);
        if (found)
            return found + strlen(labels[l]);
    }
    return NULL;
}

static const char *behind_tiled(const char *text) {
    static const char *const labels[] = {"TiledLayout_TV:", "TV Layout tiled:"};
    return behind_label(text, labels);
}

/* Returns the layout after a label such as "LayoutA_TV:"; NULL if there is none. */
static const char *behind_own_label(const char *text) {
    const char *behind = mapping_behind_label(text);
    for (const char *c = text; c + 1 < behind; c++)
        if (c[0] == 'T' && c[1] == 'V')
            return behind;
    return NULL;
}

/* Returns the arguments of a call that makes a TiledCopy; NULL if the text is no such call. */
static const char *behind_call(const char *text) {
    static const char *const names[] = {"make_tiled_copy(", "make_tiled_copy_tv("};
    const char *behind = behind_label(text, names);
    return behind;
}

/* Returns the tile in a print of a TiledCopy; NULL if there is none. */
static const char *behind_tiler(const char *text) {
    static const char *const labels[] = {"Tiler_MN:", "Tiler MN:"};
    return behind_label(text, labels);
}

/* Returns a call that takes its layout from variables, "make_tiled_copy_A(atom, mma)"; NULL if
 * there is none. */
static const char *call_of_variables(const char *text) {
    const char *call = strstr(text, "make_tiled_copy_");
    return call && !behind_call(text) && call[ascii_identifier_length(call)] == '(' ? call : NULL;
}

/* Returns why the first lines of a print do not contain the layout, which the lines below have;
 * NULL if the text is something else. */
static const char *piece_reason(const char *text) {
    static const char
        of_copy[] = "a print of a Copy_Atom does not name its instruction; give its "
                    "type, such as Copy_Atom<SM75_U32x4_LDSM_N, half_t>, or the "
                    "whole print of the TiledCopy",
        of_mma[] = "this line does not give the layout of a fragment; write the whole print of "
                   "the MMA_Atom or TiledMMA";
    static const char *const pieces[][2] = {
        {"Copy_Atom", of_copy},       {"Copy Atom", of_copy},      {"ThrLayoutVMNK:", of_mma},
        {"Thr Layout VMNK:", of_mma}, {"PermutationMNK:", of_mma}, {"Permutation MNK:", of_mma},
        {"ThrID:", of_mma},
    };
    text += strspn(text, " \n");
    if (behind_tiled(text) || strstr(text, "MMA_Atom") || strstr(text, "MMA Atom"))
        return NULL;
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        const size_t length = strlen(pieces[p][0]);
        if (strncmp(text, pieces[p][0], length) == 0 && text[length] &&
            strchr(" \n(_", text[length]))
            return pieces[p][1];
    }
    return NULL;
}

bool mapping_tv_is_sized(const char *text) {
    return (behind_tiled(text) && behind_tiler(text)) || behind_call(text);
}

bool mapping_tv_is_meant(const char *text) {
    return behind_tiled(text) || behind_call(text) || call_of_variables(text) ||
           behind_own_label(text) || piece_reason(text);
}

/* Copies a layout up to the next label, without blanks, and without the '_' of numbers. */
static void copy_layout(const char *text, char layout[TEXT]) {
    size_t length = 0;
    for (; *text && strchr("0123456789_,:() ", *text) && length < TEXT - 1; text++)
        if (*text != ' ' && *text != '_')
            layout[length++] = *text;
    layout[length] = '\0';
}

/* Reads the tiler, "(_16,_64)" or "(16:1,64:1)". False if its rows or columns are not adjacent. */
static bool read_tiler(const char *text, uint32_t tile[2]) {
    char tiler[TEXT];
    copy_layout(text, tiler);
    const char *next = tiler;
    for (int mode = 0; mode < 2; mode++) {
        char *end;
        if (*next != "(,"[mode] || !ascii_is_digit(next[1]))
            return false;
        tile[mode] = (uint32_t)strtoul(next + 1, &end, 10);
        next = strncmp(end, ":1", 2) == 0 ? end + 2 : end;
        if (tile[mode] == 0 || tile[mode] > MODES_SIZE_MAX)
            return false;
    }
    return strcmp(next, ")") == 0;
}

/* The size in "ValueType: 16b"; 0 if there is no such line. */
static uint32_t read_bits(const char *text) {
    static const char *const labels[] = {"ValueType:", "Value type:"};
    const char *found = behind_label(text, labels);
    return found ? (uint32_t)strtoul(found + strspn(found, " "), NULL, 10) & 127 : 0;
}

/* Fills the table. MAPPING_INVALID if the layout leaves the tile. */
static enum mapping_status fill(const struct mapping_modes modes[2], const uint32_t tile[2],
                                struct mapping_tv *tv, struct mapping_error *error) {
    const uint32_t threads = mapping_modes_size(&modes[0]), values = mapping_modes_size(&modes[1]);
    const struct mapping_space from = {2, {{MAPPING_AXIS_TID, threads}, {MAPPING_AXIS_I, values}}},
                               to = {2, {{MAPPING_AXIS_ROW, tile[0]}, {MAPPING_AXIS_COL, tile[1]}}};
    const enum mapping_status status = mapping_layout_init(&tv->layout, &from, &to, error);
    for (uint32_t t = 0; t < threads && status == MAPPING_OK; t++)
        for (uint32_t v = 0; v < values; v++) {
            const uint32_t element =
                mapping_modes_at(&modes[0], t) + mapping_modes_at(&modes[1], v);
            const size_t entry = (size_t)t * values + v;
            if (element / tile[0] >= tile[1])
                return mapping_fail(
                    error, MAPPING_INVALID,
                    "thread %u, value %u of '%.100s' is element %u, but the tile of "
                    "%u x %u has only %u elements",
                    t, v, tv->name, element, tile[0], tile[1], tile[0] * tile[1]);
            tv->layout.coordinate[0][entry] = element % tile[0];
            tv->layout.coordinate[1][entry] = element / tile[0];
        }
    return status;
}

/* ---- Calls ---- */

/* Skips the name of an argument, "thr_layout =". */
static const char *skip_name(const char *argument) {
    const char *name = argument + strspn(argument, " \n");
    const size_t length = ascii_identifier_length(name);
    const char *behind = name + length + strspn(name + length, " ");
    return length > 0 && *behind == '=' ? behind + 1 : argument;
}

/* Returns the argument after the next comma outside of brackets, without its name; NULL if there is
 * none. */
static const char *behind_argument(const char *text) {
    int depth = 0;
    for (; *text; text++) {
        if (*text == ',' && depth == 0)
            return skip_name(text + 1);
        depth += strchr("<({[", *text) ? 1 : strchr(">)}]", *text) ? -1 : 0;
    }
    return NULL;
}

/* True if an argument is a tile, such as "(16, 64))", and not a layout. */
static bool is_tiler(const char *argument) {
    const char *const end = behind_argument(argument);
    const size_t length = end ? (size_t)(end - argument) : strlen(argument);
    for (size_t n = 0; n < length; n++)
        if (argument[n] == ':' || strncmp(argument + n, "ayout", 5) == 0)
            return false;
    return strpbrk(argument, "0123456789") != NULL;
}

/* Makes the layout of the DSL's make_tiled_copy(atom, layout_tv, tiler_mn); `next` is the text
 * after the first comma. */
static enum mapping_status make_call_of_tv(const char *next, struct mapping_tv *tv,
                                           struct mapping_error *error) {
    struct mapping_modes modes[2];
    struct mapping_modes_fault fault = {NULL, NULL};
    unsigned count = 0;
    uint32_t tile[2];
    char tiler[TEXT] = "";
    next = mapping_modes_read(next, modes, 2, &count, &fault);
    if (next && *next == ',')
        copy_layout(skip_name(next + 1), tiler);
    if (*tiler)
        tiler[strlen(tiler) - 1] = '\0'; /* the closing bracket of the call */
    if (!next || *next != ',' || count != 2 || !read_tiler(tiler, tile))
        return mapping_fail(error, MAPPING_INVALID,
                            "make_tiled_copy of CuTe's DSL has an atom, a TV layout and a tile, "
                            "such as cute.make_tiled_copy(atom, ((8,16),8):((128,1),16), (16,64))");
    return fill(modes, tile, tv, error);
}

/* Writes the element of each value of each thread. False if a thread or a value is missing or
 * occurs twice. */
static bool fill_call(const struct mapping_modes threads[2], const struct mapping_modes values[2],
                      struct mapping_layout *layout) {
    const uint32_t held = layout->from.axis[1].size;
    size_t count = 0;
    for (uint32_t row = 0; row < layout->to.axis[0].size; row++)
        for (uint32_t col = 0; col < layout->to.axis[1].size; col++, count++) {
            const uint32_t rows = mapping_modes_size(&values[0]),
                           cols = mapping_modes_size(&values[1]);
            const uint32_t t = mapping_modes_at(&threads[0], row / rows) +
                               mapping_modes_at(&threads[1], col / cols);
            const uint32_t v =
                mapping_modes_at(&values[0], row % rows) + mapping_modes_at(&values[1], col % cols);
            const size_t entry = (size_t)t * held + v;
            if (t >= layout->from.axis[0].size || v >= held ||
                layout->coordinate[0][entry] != UINT32_MAX)
                return false;
            layout->coordinate[0][entry] = row;
            layout->coordinate[1][entry] = col;
        }
    return count == mapping_layout_entries(layout);
}

static enum mapping_status make_call(const char *text, struct mapping_tv *tv,
                                     struct mapping_error *error) {
    static const char one_value[] = "(1,1):(0,0))"; /* values are optional, as in C++ */
    struct mapping_modes threads[2], values[2];
    struct mapping_modes_fault fault = {NULL, NULL};
    unsigned count[2] = {0, 0};
    const char *next = behind_argument(behind_call(text));
    const char *last = next ? behind_argument(next) : NULL;
    mapping_printable(text, strlen(text), tv->name, sizeof tv->name - 1);
    if (last && is_tiler(last))
        return make_call_of_tv(next, tv, error);
    next = next ? mapping_modes_read(next, threads, 2, &count[0], &fault) : NULL;
    const bool has_values = next && *next == ',';
    next = next && (*next == ',' || *next == ')')
               ? mapping_modes_read(has_values ? skip_name(next + 1) : one_value, values, 2,
                                    &count[1], &fault)
               : NULL;
    if (!next || *next != ')' || count[0] == 0 || count[1] == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "a TiledCopy has an atom and layouts of threads and of values over "
                            "rows and columns, such as make_tiled_copy(Copy_Atom<...>{}, "
                            "Layout<Shape<_16,_8>,Stride<_8,_1>>{}, Layout<Shape<_1,_8>>{})");
    /* Where one side lacks columns, CuTe appends a mode of size 1. A vector is a row. */
    const bool is_vector = count[0] == 1 && (count[1] == 1 || !has_values);
    const struct mapping_modes one = {.count = 1, .shape = {1}};
    if (is_vector) {
        threads[1] = threads[0];
        values[1] = count[1] == 1 ? values[0] : values[1];
        threads[0] = values[0] = one;
    } else if (count[0] == 1 || count[1] == 1) {
        *(count[0] == 1 ? &threads[1] : &values[1]) = one;
    }
    const uint32_t rows[2] = {mapping_modes_size(&threads[0]), mapping_modes_size(&values[0])},
                   cols[2] = {mapping_modes_size(&threads[1]), mapping_modes_size(&values[1])};
    if ((uint64_t)rows[0] * cols[0] * rows[1] * cols[1] > MODES_SIZE_MAX)
        return mapping_fail(error, MAPPING_INVALID, "this TiledCopy has more than 2^20 elements");
    const struct mapping_space
        from = {2, {{MAPPING_AXIS_TID, rows[0] * cols[0]}, {MAPPING_AXIS_I, rows[1] * cols[1]}}},
        to = {2, {{MAPPING_AXIS_ROW, rows[0] * rows[1]}, {MAPPING_AXIS_COL, cols[0] * cols[1]}}};
    const enum mapping_status status = mapping_layout_init(&tv->layout, &from, &to, error);
    if (status == MAPPING_OK && !fill_call(threads, values, &tv->layout))
        return mapping_fail(error, MAPPING_INVALID,
                            "the layouts of threads and of values of a TiledCopy need each number "
                            "from 0 on once");
    return status;
}

enum mapping_status mapping_tv_make(const char *text, const uint32_t extent[2],
                                    struct mapping_tv *tv, struct mapping_error *error) {
    const char *tiled = behind_tiled(text), *tiler = behind_tiler(text);
    char layout[TEXT];
    struct mapping_modes modes[2];
    struct mapping_modes_fault fault = {NULL, NULL};
    unsigned count = 0;
    uint32_t tile[2] = {extent[0], extent[1]};
    *tv = (struct mapping_tv){.bits = read_bits(text)};
    if (!tiled && behind_call(text))
        return make_call(text, tv, error);
    if (!tiled && call_of_variables(text))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.*s takes its layout from a variable; give what print(tiled_copy) "
                            "prints",
                            (int)ascii_identifier_length(call_of_variables(text)),
                            call_of_variables(text));
    if (piece_reason(text))
        return mapping_fail(error, MAPPING_INVALID, "%s", piece_reason(text));
    copy_layout(tiled ? tiled : behind_own_label(text), layout);
    snprintf(tv->name, sizeof tv->name, "%s %.100s", tiled ? "TiledCopy" : "TV layout", layout);
    const char *rest = mapping_modes_read(layout, modes, 2, &count, &fault);
    if (!rest || *rest || count != 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.100s' is not a valid TV layout; it needs two modes, of threads and "
                            "of values, such as ((4,8),(2,2)):((32,1),(16,8))",
                            layout);
    if (tiled && tiler && !read_tiler(tiler, tile))
        return mapping_fail(error, MAPPING_INVALID,
                            "a print of a TiledCopy needs a tile of contiguous rows and columns, "
                            "such as 'Tiler_MN: (_16,_64)'");
    if (tiled && tiler && extent[0] && (extent[0] != tile[0] || extent[1] != tile[1]))
        return mapping_fail(error, MAPPING_INVALID,
                            "the print has its tile, %u x %u; drop --extent", tile[0], tile[1]);
    if (!tile[0])
        return mapping_fail(error, MAPPING_INVALID,
                            "a TV layout does not give the size of its tile; add --extent=16,8 "
                            "(M,K of A, N,K of B, M,N of C), or give the whole print of the "
                            "TiledMMA, MMA_Atom or TiledCopy");
    return fill(modes, tile, tv, error);
}
