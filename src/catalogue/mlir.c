/* mlir.c - operations of MLIR and intrinsics of LLVM; see mlir.h. */
#include "catalogue/mlir.h"
#include "layout/ascii.h"
#include "layout/sentence.h"
#include "layout/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 24 };

/* The text after the name of an operation, "nvvm.ldmatrix"; NULL if the text does not contain it.
 */
static const char *behind_name(const char *text, const char *name) {
    const char *found = strstr(text, name);
    if (!found || (found > text && (found[-1] == '.' || ascii_identifier_length(found - 1) > 0)))
        return NULL;
    const char *behind = found + strlen(name);
    return *behind == '.' || ascii_identifier_length(behind) > 0 ? NULL : behind;
}

/* The value of an attribute, the text after "name ="; NULL if there is none. */
static const char *attribute(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *behind = at + length + strspn(at + length, " ");
        if (*behind == '=' && (at == text || ascii_identifier_length(at - 1) == 0))
            return behind + 1 + strspn(behind + 1, " ");
    }
    return NULL;
}

/* The number of an attribute, such as "num = 4 : i32"; 0 if there is none. */
static unsigned number(const char *text, const char *name) {
    const char *value = attribute(text, name);
    return value && ascii_is_digit(*value) ? (unsigned)strtoul(value, NULL, 10) : 0;
}

/* Copies the name in the first "<...>" of a text: "row" for "#nvvm.mma_layout<row>". */
static bool copy_name(const char *text, char word[WORD_SIZE]) {
    const char *name = text ? strchr(text, '<') : NULL;
    const size_t length = name ? ascii_identifier_length(name + 1) : 0;
    if (length == 0 || length >= WORD_SIZE)
        return false;
    snprintf(word, WORD_SIZE, "%.*s", (int)length, name + 1);
    return true;
}

/* As copy_name, for the value of an attribute, with a default. */
static void named(const char *text, const char *name, const char *otherwise, char word[WORD_SIZE]) {
    if (!copy_name(attribute(text, name), word))
        snprintf(word, WORD_SIZE, "%s", otherwise);
}

/* The name in PTX of the first type of numbers in a text: "f16" for "vector<2xf16>". */
static const char *type_in(const char *text) {
    static const char *const types[][2] = {
        {"i32", "s32"},     {"i8", "s8"},         {"i4", "s4"},         {"f8E4M3FN", "e4m3"},
        {"f8E5M2", "e5m2"}, {"f6E2M3FN", "e2m3"}, {"f6E3M2FN", "e3m2"}, {"f4E2M1FN", "e2m1"},
    };
    for (; *text; text++) {
        const size_t length = ascii_identifier_length(text);
        const size_t sizes = strspn(text, "0123456789x"); /* "2xf16" is a type, too */
        char word[WORD_SIZE] = "";
        enum mapping_type type;
        if (sizes < length && length - sizes < sizeof word)
            snprintf(word, sizeof word, "%.*s", (int)(length - sizes), text + sizes);
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (strcmp(types[t][0], word) == 0)
                return types[t][1];
        if (mapping_type_find(word, &type))
            return mapping_type_name(type);
        text += length > 0 ? length - 1 : 0;
    }
    return NULL;
}

/* The last of the types before "->" or the end: the one of C. */
static const char *last_type(const char *types, const char *end) {
    const char *last = NULL, *found;
    for (const char *at = types; at < end; at++) {
        char one[64];
        const size_t length = strcspn(at, ",)");
        snprintf(one, sizeof one, "%.*s", (int)length, at);
        found = at + length <= end ? type_in(one) : NULL;
        last = found ? found : last;
        at += length;
    }
    return last;
}

/* nvvm.mma.sync and nvgpu.mma.sync. */
static bool read_mma(const char *text, bool is_nvgpu, char *ptx) {
    const char *types = strstr(text, " : ("), *result = types ? strstr(types, "->") : NULL;
    const char *shape = is_nvgpu ? attribute(text, "mmaShape") : NULL;
    unsigned m = number(text, "m"), n = number(text, "n"), k = number(text, "k");
    char a_name[WORD_SIZE], b_name[WORD_SIZE], layouts[2][WORD_SIZE];
    if (shape && *shape == '[') { /* "[16, 8, 16]" */
        char *end;
        m = (unsigned)strtoul(shape + 1, &end, 10);
        n = (unsigned)strtoul(end + strspn(end, ", "), &end, 10);
        k = (unsigned)strtoul(end + strspn(end, ", "), NULL, 10);
    }
    if (!result || m == 0 || n == 0 || k == 0)
        return false;
    const char *c = last_type(types + strlen(" : ("), result), *d = type_in(result);
    const char *a = type_in(types), *b = a;
    if (copy_name(attribute(text, "multiplicandAPtxType"), a_name))
        b = a = type_in(a_name);
    if (copy_name(attribute(text, "multiplicandBPtxType"), b_name))
        b = type_in(b_name);
    if (is_nvgpu && a && strcmp(a, "f32") == 0)
        b = a = "tf32";
    named(text, "layoutA", "row", layouts[0]);
    named(text, "layoutB", "col", layouts[1]);
    if (!a || !b || !c || !d)
        return false;
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "mma.sync.aligned.m%un%uk%u.%s.%s.%s.%s.%s.%s", m, n,
                   k, layouts[0], layouts[1], d, a, b, c);
    return true;
}

/* nvvm.ldmatrix, nvgpu.ldmatrix and nvvm.stmatrix. */
static bool read_matrices(const char *text, const char *name, char *ptx) {
    const bool is_store = strcmp(name, "stmatrix") == 0;
    char layout[WORD_SIZE], type[WORD_SIZE];
    const char *transpose = attribute(text, "transpose"), *types = strstr(text, " : ");
    unsigned count = number(text, "num") + number(text, "numTiles");
    unsigned m = number(text, "m"), n = number(text, "n");
    for (const char *at = types; is_store && at && (at = strstr(at, "i32")); at += 3)
        count++;
    named(text, "layout", "row", layout);
    named(text, "eltType", "b16", type);
    const bool is_transposed =
        strcmp(layout, "col") == 0 || (transpose && strncmp(transpose, "true", 4) == 0);
    m = m > 0 ? m : 8;
    n = n > 0 ? n : 8;
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "%s.sync.aligned.m%un%u.x%u%s.shared.%s", name, m, n,
                   count, is_transposed ? ".trans" : "", type);
    return count > 0;
}

/* nvvm.wgmma.mma_async. */
static bool read_wgmma(const char *text, char *ptx) {
    const char *lists[] = {strstr(text, "D ["), strstr(text, "A ["), strstr(text, "B [")};
    const char *result = strstr(text, "->"), *types[3] = {NULL};
    char word[WORD_SIZE];
    for (int t = 0; t < 3; t++)
        if (lists[t] && lists[t][3] == '<' && copy_name(lists[t], word))
            types[t] = type_in(word);
    if (!types[0] && result)
        types[0] = type_in(result);
    if (!types[0] || !types[1] || !types[2] || number(text, "k") == 0)
        return false;
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "wgmma.mma_async.sync.aligned.m%un%uk%u.%s.%s.%s",
                   number(text, "m"), number(text, "n"), number(text, "k"), types[0], types[1],
                   types[2]);
    return true;
}

/* nvvm.wmma.mma, nvvm.wmma.load and nvvm.wmma.store. */
static bool read_wmma(const char *text, const char *what, char *ptx) {
    char layouts[2][WORD_SIZE], types[2][WORD_SIZE], operand[WORD_SIZE];
    char shape[48];
    snprintf(shape, sizeof shape, "m%un%uk%u", number(text, "m"), number(text, "n"),
             number(text, "k"));
    if (strcmp(what, "mma") == 0) {
        named(text, "layoutA", "row", layouts[0]);
        named(text, "layoutB", "col", layouts[1]);
        named(text, "eltypeA", "f16", types[0]);
        named(text, "eltypeB", "f32", types[1]); /* the type of C and D */
        const bool is_f16 = strcmp(types[0], "f16") == 0;
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "wmma.mma.sync.aligned.%s.%s.%s.%s%s%s%s%s.%s",
                       layouts[0], layouts[1], shape, types[1], is_f16 ? "" : ".",
                       is_f16 ? "" : types[0], is_f16 ? "" : ".", is_f16 ? "" : types[0], types[1]);
        return true;
    }
    named(text, "layout", "row", layouts[0]);
    named(text, "eltype", "f16", types[0]);
    named(text, "frag", strcmp(what, "store") == 0 ? "d" : "a", operand);
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "wmma.%s.%s.sync.aligned.%s.%s.%s", what, operand,
                   layouts[0], shape, types[0]);
    return true;
}

/* nvvm.tcgen05.ld and nvvm.tcgen05.st. */
static bool read_tmem(const char *text, bool is_load, char *ptx) {
    char shape[WORD_SIZE];
    const char *vector = strstr(text, "vector<");
    const char *types = strstr(text, " : ");
    unsigned registers = vector ? (unsigned)strtoul(vector + strlen("vector<"), NULL, 10) : 1;
    if (!types || !copy_name(attribute(text, "shape"), shape) || strncmp(shape, "shape_", 6) != 0)
        return false;
    const char *size = shape + strlen("shape_");
    registers /= strcmp(size, "16x128b") == 0 ? 2 : strcmp(size, "16x256b") == 0 ? 4 : 1;
    const bool is_packed = strstr(text, is_load ? "pack" : "unpack") != NULL;
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.%s.sync.aligned.%s.x%u%s.b32",
                   is_load ? "ld" : "st", size, registers,
                   !is_packed ? ""
                   : is_load  ? ".pack::16b"
                              : ".unpack::16b");
    return registers > 0;
}

/* nvvm.tcgen05.mma, whose sizes are in the instruction descriptor. */
static bool read_tcgen05_mma(const char *text, char *ptx) {
    char kind[WORD_SIZE], group[WORD_SIZE];
    named(text, "kind", "", kind);
    named(text, "ctaGroup", "cta_1", group);
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.mma.cta_group::%s.kind::%s",
                   strcmp(group, "cta_2") == 0 ? "2" : "1", kind);
    return *kind != '\0';
}

/* An intrinsic of LLVM, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32". `text` is what follows
 * "llvm.nvvm.". */
static bool read_intrinsic(const char *text, char *ptx) {
    char words[12][WORD_SIZE], name[MAPPING_OPCODE_SIZE];
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._");
    size_t count = 0;
    char *rest;
    if (length >= sizeof name)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    for (const char *word = strtok_r(name, ".", &rest); word && count < 12;
         word = strtok_r(NULL, ".", &rest))
        snprintf(words[count++], WORD_SIZE, "%.23s", word);
    while (count > 0 && words[count - 1][0] == 'p' && ascii_is_digit(words[count - 1][1]))
        count--; /* the address space of a pointer: "p3" */
    if (count < 3)
        return false;
    if (strcmp(words[0], "mma") == 0 && count >= 5) {
        /* mma.SHAPE.row.col with types: D and C if A and B are f16, otherwise the one of A and B,
         * or all four */
        const size_t types = count - 4;
        const bool is_f16 = types == 2 && words[4][0] == 'f';
        const char *a = words[4], *b = types == 2 ? words[5] : a;
        const char *sum = *a == 's' || *a == 'u' || strcmp(a, "b1") == 0 ? "s32"
                          : strcmp(a, "f64") == 0                        ? "f64"
                                                                         : "f32";
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "mma.sync.aligned.%s.%s.%s", words[1], words[2],
                       words[3]);
        if (types == 4)
            mapping_append(ptx, MAPPING_OPCODE_SIZE, ".%s.%s.%s.%s", words[4], words[5], words[6],
                           words[7]);
        else if (is_f16)
            mapping_append(ptx, MAPPING_OPCODE_SIZE, ".%s.f16.f16.%s", words[4], words[5]);
        else
            mapping_append(ptx, MAPPING_OPCODE_SIZE, ".%s.%s.%s.%s", sum, a, b, sum);
        return true;
    }
    if (strcmp(words[0], "ldmatrix") == 0 || strcmp(words[0], "stmatrix") == 0) {
        for (size_t w = 0; w < count; w++)
            mapping_append(ptx, MAPPING_OPCODE_SIZE, "%s%s", w > 0 ? "." : "", words[w]);
        return true;
    }
    if (strcmp(words[0], "tcgen05") == 0 && count == 4 &&
        (strcmp(words[1], "ld") == 0 || strcmp(words[1], "st") == 0)) {
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.%s.sync.aligned.%s.%s.b32", words[1],
                       words[2], words[3]);
        return true;
    }
    if (strcmp(words[0], "wmma") == 0 && count >= 6) {
        /* wmma.SHAPE.load.a.row[.stride].f16, wmma.SHAPE.mma.row.col.f32.f32 */
        const bool is_mma = strcmp(words[2], "mma") == 0;
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "wmma.%s%s%s.sync.aligned.%s", words[2],
                       is_mma ? "" : ".", is_mma ? "" : words[3], words[is_mma ? 3 : 4]);
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "%s%s.%s", is_mma ? "." : "",
                       is_mma ? words[4] : "", words[1]);
        for (size_t w = 5; w < count; w++)
            if (strcmp(words[w], "stride") != 0)
                mapping_append(ptx, MAPPING_OPCODE_SIZE, ".%s", words[w]);
        return true;
    }
    return false;
}

bool mapping_mlir_read(const char *text, char ptx[MAPPING_OPCODE_SIZE]) {
    const char *intrinsic = strstr(text, "llvm.nvvm."), *rest;
    *ptx = '\0';
    if (intrinsic)
        return read_intrinsic(intrinsic + strlen("llvm.nvvm."), ptx);
    if (!strstr(text, "nvvm.") && !strstr(text, "nvgpu."))
        return false;
    if ((rest = behind_name(text, "nvvm.mma.sync")))
        return read_mma(rest, false, ptx);
    if ((rest = behind_name(text, "nvgpu.mma.sync")))
        return read_mma(rest, true, ptx);
    if ((rest = behind_name(text, "nvvm.ldmatrix")) || (rest = behind_name(text, "nvgpu.ldmatrix")))
        return read_matrices(rest, "ldmatrix", ptx);
    if ((rest = behind_name(text, "nvvm.stmatrix")))
        return read_matrices(rest, "stmatrix", ptx);
    if ((rest = behind_name(text, "nvvm.wgmma.mma_async")))
        return read_wgmma(rest, ptx);
    if ((rest = behind_name(text, "nvvm.wmma.mma")))
        return read_wmma(rest, "mma", ptx);
    if ((rest = behind_name(text, "nvvm.wmma.load")))
        return read_wmma(rest, "load", ptx);
    if ((rest = behind_name(text, "nvvm.wmma.store")))
        return read_wmma(rest, "store", ptx);
    if ((rest = behind_name(text, "nvvm.tcgen05.ld")))
        return read_tmem(rest, true, ptx);
    if ((rest = behind_name(text, "nvvm.tcgen05.st")))
        return read_tmem(rest, false, ptx);
    if ((rest = behind_name(text, "nvvm.tcgen05.mma")))
        return read_tcgen05_mma(rest, ptx);
    return false;
}
