/* mlir.c - operations of MLIR and intrinsics of LLVM; see mlir.h. */
#include "catalogue/mlir.h"
#include "layout/ascii.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "system/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 24, MAX_WORDS = 20 };

/* ---- Text without names ---- */

static bool is_in_word(char c) {
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_';
}

/* +1 for an opening bracket, -1 for a closing one; the '>' of "->" is none. */
static int bracket(const char *start, const char *at) {
    if (!*at)
        return 0;
    const bool is_arrow = *at == '>' && at > start && at[-1] == '-';
    return strchr("([{<", *at) ? 1 : strchr(")]}>", *at) && !is_arrow ? -1 : 0;
}

/* The length of a string at `text`, with its quotes. */
static size_t quoted(const char *text) {
    size_t length = 1;
    while (text[length] && text[length] != '"')
        length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return length + (text[length] == '"');
}

/* The length of a word at `text` that does not belong to the syntax of an operation: the name of a
 * value, such as "%unpacked" or "%0#1", a comment of MLIR or LLVM, a location "loc(...)", or a
 * string. A string before '(' counts: in the generic form it is the name of an operation,
 * "nvvm.ldmatrix"(%p). 0 for everything else. */
static size_t foreign(const char *start, const char *text) {
    if (*text == '%' && text[1] == '"')
        return 1 + quoted(text + 1);
    if (*text == '%') {
        size_t length = 1;
        while (is_in_word(text[length]) || (text[length] && strchr("$.-#", text[length])))
            length++;
        return length;
    }
    if (*text == ';' || strncmp(text, "//", 2) == 0)
        return strcspn(text, "\n");
    if ((text == start || !is_in_word(text[-1])) && strncmp(text, "loc(", 4) == 0) {
        size_t length = 4;
        for (int depth = 1; text[length] && depth > 0;) {
            depth += (text[length] == '(') - (text[length] == ')');
            length += text[length] == '"' ? quoted(text + length) : 1;
        }
        return length;
    }
    if (*text == '"') {
        const size_t length = quoted(text);
        return text[length + strspn(text + length, " ")] == '(' ? 0 : length;
    }
    return 0;
}

/* A copy of the text with blanks in place of foreign words. */
static char *without_names(const char *text) {
    char *copy = memory_text(text);
    for (size_t at = 0; text[at];) {
        const size_t length = foreign(text, text + at);
        memset(copy + at, ' ', length);
        /* the name in a string that counts is no string itself */
        at += length > 0 ? length : text[at] == '"' ? quoted(text + at) : 1;
    }
    return copy;
}

/* ---- Attributes ---- */

/* The text after the name of an operation, "nvvm.ldmatrix"; NULL if the text does not contain it.
 * Ends the text before the next operation. */
static char *behind_name(char *text, const char *name) {
    static const char *const dialects[] = {"nvvm.", "nvgpu.", "llvm."};
    const size_t length = strlen(name);
    char *found = text;
    while ((found = strstr(found, name))) {
        const bool begins =
            found == text || (!is_in_word(found[-1]) && !strchr(".#!$-", found[-1]));
        if (begins && found[length] != '.' && !is_in_word(found[length]))
            break;
        found += length;
    }
    if (!found)
        return NULL;
    found += length;
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++)
        for (char *next = found; (next = strstr(next, dialects[d])); next++)
            if (!is_in_word(next[-1]) && !strchr(".#!", next[-1]))
                *next = '\0';
    return found;
}

/* The types of an operation: the text after the ':' outside of brackets, which this replaces by the
 * end of the text; "" if there is none. */
static const char *cut_types(char *text) {
    int depth = 0;
    for (char *at = text; *at; at++) {
        depth += bracket(text, at);
        if (*at == ':' && depth == 0) {
            *at = '\0';
            return at + 1;
        }
    }
    return "";
}

/* The text behind a word; NULL if there is none. */
static const char *keyword(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at == text || (!is_in_word(at[-1]) && !strchr(".#!<", at[-1]))) &&
            !is_in_word(at[length]) && at[length] != '.')
            return at + length;
    return NULL;
}

/* The value of an attribute, the text after "name ="; NULL if there is none. */
static const char *attribute(const char *text, const char *name) {
    for (const char *at = text; (at = keyword(at, name));) {
        const char *behind = ascii_skip_blanks(at);
        if (*behind == '=')
            return ascii_skip_blanks(behind + 1);
    }
    return NULL;
}

/* True if an attribute without a value is set, such as "pack" in "{pack, num = 4 : i32}". */
static bool is_set(const char *text, const char *name) {
    const char *value = attribute(text, name);
    return value ? strncmp(value, "false", 5) != 0 : keyword(text, name) != NULL;
}

/* The number of an attribute, such as "num = 4 : i32"; 0 if there is none. */
static unsigned number(const char *text, const char *name) {
    const char *value = attribute(text, name);
    return value && ascii_is_digit(*value) ? (unsigned)strtoul(value, NULL, 10) : 0;
}

/* The m, n and k of "shape = #nvvm.shape<m = 16, n = 8, k = 16>", or of "m = 16 : i32". */
static void read_shape(const char *text, unsigned sizes[3]) {
    static const char *const names[] = {"m", "n", "k"};
    const char *shape = attribute(text, "shape");
    for (int s = 0; s < 3; s++) {
        /* keyword() does not take a name after '<', where the first of "<m = 16" is */
        const char *open = shape ? shape + strcspn(shape, "<{") : NULL;
        sizes[s] = number(open && *open ? open + 1 : text, names[s]);
    }
}

/* The numbers of "[16 : i64, 8 : i64, 16 : i64]", "[16, 8, 16]" or "array<i64: 16, 8, 16>". */
static void read_list(const char *text, unsigned sizes[3]) {
    int count = 0;
    while (*text && !strchr("]>}", *text) && count < 3) {
        const size_t length = ascii_identifier_length(text);
        if (length > 0 && ascii_is_digit(*text))
            sizes[count++] = (unsigned)strtoul(text, NULL, 10);
        text += length > 0 ? length : 1;
    }
}

/* Copies the name in the first "<...>" of a text: "row" for "#nvvm.mma_layout<row>". */
static bool copy_name(const char *text, char word[WORD_SIZE]) {
    const char *name = text ? strchr(text, '<') : NULL;
    size_t length = 0;
    while (name && (is_in_word(name[1 + length]) || name[1 + length] == '.')) /* b8x16.b6x16_p32 */
        length++;
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

/* nvvm.mma.sync, nvvm.mma.sp.sync, nvgpu.mma.sync, nvgpu.mma.sp.sync, nvvm.mma.block_scale and
 * nvvm.mma.sp.block_scale. */
static bool read_mma(const char *text, const char *types, const char *name, char *ptx) {
    const bool is_nvgpu = strncmp(name, "nvgpu", 5) == 0, is_scaled = strstr(name, "block_scale");
    const char *result = strstr(types, "->");
    const char *shape = is_nvgpu ? attribute(text, "mmaShape") : NULL, *sparse = "";
    unsigned size[3] = {0};
    char a_name[WORD_SIZE], b_name[WORD_SIZE], layouts[2][WORD_SIZE], kind[WORD_SIZE];
    char operation[WORD_SIZE], overflow[WORD_SIZE], middle[64] = "", end[WORD_SIZE + 1] = "";
    if (shape)
        read_list(shape, size);
    else
        read_shape(text, size);
    if (!result || size[0] == 0 || size[1] == 0 || size[2] == 0)
        return false;
    const char *c = last_type(types, result), *d = type_in(result);
    const char *a = type_in(types), *b = a;
    if (copy_name(attribute(text, "multiplicandAPtxType"), a_name))
        b = a = type_in(a_name);
    if (copy_name(attribute(text, "multiplicandBPtxType"), b_name))
        b = type_in(b_name);
    if (is_nvgpu && a && strcmp(a, "f32") == 0)
        b = a = "tf32";
    named(text, "layoutA", "row", layouts[0]);
    named(text, "layoutB", "col", layouts[1]);
    named(text, "kind", "", kind);
    named(text, "b1Op", "", operation);
    named(text, "intOverflowBehavior", "", overflow);
    if (!a || !b || !c || !d || (is_scaled && !*kind))
        return false;
    if (strstr(name, ".sp."))
        sparse = is_set(text, "orderedMetadata") || attribute(text, "metadataType") ||
                         is_scaled /* the only kind of metadata */
                     ? ".sp::ordered_metadata"
                     : ".sp";
    if (*kind)
        mapping_append(middle, sizeof middle, ".kind::%s", kind);
    if (is_scaled) {
        char vector[WORD_SIZE], format[WORD_SIZE];
        named(text, "scaleVecSize", "", vector); /* x2 */
        named(text, "blockScaleFormat", "ue8m0", format);
        mapping_append(middle, sizeof middle, ".block_scale%s%s%s", *vector ? ".scale_vec::" : "",
                       *vector ? vector + 1 : "", *vector ? "X" : "");
        snprintf(end, sizeof end, ".%s", format);
        c = d;
    }
    if (strcmp(overflow, "satfinite") == 0)
        mapping_append(middle, sizeof middle, ".satfinite");
    if (strcmp(a, "b1") == 0 && *operation)
        snprintf(end, sizeof end, ".%s",
                 strcmp(operation, "and_popc") == 0 ? "and.popc" : "xor.popc");
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "mma%s.sync.aligned.m%un%uk%u.%s.%s%s.%s.%s.%s.%s%s",
                   sparse, size[0], size[1], size[2], layouts[0], layouts[1], middle, d, a, b, c,
                   end);
    return true;
}

/* nvvm.ldmatrix, nvgpu.ldmatrix and nvvm.stmatrix. */
static bool read_matrices(const char *text, const char *types, const char *name, char *ptx) {
    const bool is_store = strcmp(name, "stmatrix") == 0;
    char layout[WORD_SIZE], type[WORD_SIZE];
    unsigned count = number(text, "num") + number(text, "numTiles"), size[3];
    read_shape(text, size);
    for (const char *at = types; is_store && (at = strstr(at, "i32")); at += 3)
        count++;
    named(text, "layout", "row", layout);
    named(text, "eltType", "b16", type);
    const bool is_transposed = strcmp(layout, "col") == 0 || is_set(text, "transpose");
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "%s.sync.aligned.m%un%u.x%u%s.shared.%s", name,
                   size[0] > 0 ? size[0] : 8, size[1] > 0 ? size[1] : 8, count,
                   is_transposed ? ".trans" : "", type);
    return count > 0;
}

/* nvvm.wgmma.mma_async. */
static bool read_wgmma(const char *text, const char *signature, char *ptx) {
    const char *lists[] = {strstr(text, "D ["), strstr(text, "A ["), strstr(text, "B [")};
    const char *result = strstr(signature, "->"), *shape = strstr(text, "#nvvm.shape<"),
               *types[3] = {NULL};
    unsigned size[3] = {0};
    char word[WORD_SIZE];
    for (int t = 0; t < 3; t++)
        if (lists[t] && lists[t][3] == '<' && copy_name(lists[t], word))
            types[t] = type_in(word);
    if (!types[0] && result)
        types[0] = type_in(result);
    if (!types[0] || !types[1] || !types[2] || !shape)
        return false;
    shape += strlen("#nvvm.shape<");
    size[0] = number(shape, "m"), size[1] = number(shape, "n"), size[2] = number(shape, "k");
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "wgmma.mma_async.sync.aligned.m%un%uk%u.%s.%s.%s",
                   size[0], size[1], size[2], types[0], types[1], types[2]);
    return size[2] > 0;
}

/* nvvm.wmma.mma, nvvm.wmma.load and nvvm.wmma.store. */
static bool read_wmma(const char *text, const char *what, char *ptx) {
    char layouts[2][WORD_SIZE], types[2][WORD_SIZE], operand[WORD_SIZE];
    char shape[48];
    unsigned size[3];
    read_shape(text, size);
    snprintf(shape, sizeof shape, "m%un%uk%u", size[0], size[1], size[2]);
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
static bool read_tmem(const char *text, const char *types, bool is_load, char *ptx) {
    char shape[WORD_SIZE];
    const char *vector = strstr(types, "vector<");
    unsigned registers = vector ? (unsigned)strtoul(vector + strlen("vector<"), NULL, 10) : 1;
    if (!copy_name(attribute(text, "shape"), shape) || strncmp(shape, "shape_", 6) != 0)
        return false;
    const char *size = shape + strlen("shape_");
    registers /= strcmp(size, "16x128b") == 0 ? 2 : strcmp(size, "16x256b") == 0 ? 4 : 1;
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.%s.sync.aligned.%s.x%u%s.b32",
                   is_load ? "ld" : "st", size, registers,
                   !is_set(text, is_load ? "pack" : "unpack") ? ""
                   : is_load                                  ? ".pack::16b"
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

/* ---- Intrinsics ---- */

/* The name of an intrinsic, in words. */
struct intrinsic {
    char words[MAX_WORDS][WORD_SIZE];
    size_t count, at;      /* the words that are read are those from `at` */
    const char *arguments; /* the text after '(' if there are arguments; otherwise "" */
};

/* True if the next word is this one, which is read. */
static bool takes(struct intrinsic *of, const char *word) {
    const bool is_it = of->at < of->count && strcmp(of->words[of->at], word) == 0;
    of->at += is_it;
    return is_it;
}

/* The next word, which is read; "" if there is none. */
static const char *next(struct intrinsic *of) {
    return of->at < of->count ? of->words[of->at++] : "";
}

/* The constant of an argument, the last for from_end = 1; -1 if it is none: 3 for "i32 3", 1 for
 * "i1 true". */
static int constant(const struct intrinsic *of, size_t from_end) {
    const char *starts[64], *at = of->arguments;
    size_t count = 0;
    int depth = 0;
    for (starts[count++] = at; *at && depth >= 0; at++) {
        depth += bracket(of->arguments, at);
        if (*at == ',' && depth == 0 && count < 64)
            starts[count++] = at + 1;
    }
    if (depth >= 0 || count < from_end)
        return -1;
    const char *type = ascii_skip_blanks(starts[count - from_end]);
    const char *value = ascii_skip_blanks(type + ascii_identifier_length(type));
    return *type != 'i'                      ? -1
           : strncmp(value, "true", 4) == 0  ? 1
           : strncmp(value, "false", 5) == 0 ? 0
           : ascii_is_digit(*value)          ? (int)strtol(value, NULL, 10)
                                             : -1;
}

/* Reads the types of a product, which are D and C if A and B are f16, the one of A and B, those of
 * A and B, or D, A, B and C. Stores them in this order. False if a word is no type. */
static bool read_types(struct intrinsic *of, const char *end, const char *types[4]) {
    const char *words[4] = {NULL};
    size_t count = 0;
    enum mapping_type type;
    while (of->at < of->count && count < 4 && !(*end && strcmp(of->words[of->at], end) == 0)) {
        words[count] = next(of);
        if (!mapping_type_find(words[count++], &type))
            return false;
    }
    if (count == 0 || count == 3)
        return false;
    const char *a = words[0], *b = count == 2 ? words[1] : a;
    const char *sum = *a == 's' || *a == 'u' || strcmp(a, "b1") == 0 ? "s32"
                      : strcmp(a, "f64") == 0                        ? "f64"
                                                                     : "f32";
    const bool is_f16 = count == 2 && *a == 'f';
    types[0] = count == 4 || is_f16 ? words[0] : sum;
    types[1] = count == 4 ? words[1] : is_f16 ? "f16" : a;
    types[2] = count == 4 ? words[2] : is_f16 ? "f16" : b;
    types[3] = count == 4 ? words[3] : is_f16 ? words[1] : sum;
    return true;
}

/* "xor.popc" or "and.popc"; "" if the next words are neither. */
static const char *read_bits(struct intrinsic *of) {
    const char *bits = takes(of, "xor") ? "xor.popc" : takes(of, "and") ? "and.popc" : "";
    return !*bits || takes(of, "popc") ? bits : "";
}

/* mma[.sp[.ordered.metadata]][.block.scale][.xor.popc].SHAPE.row.col[.kind.f8f6f4][.satfinite]
 * with types, where .block.scale has .mxf4[.scale.2x] in place of .kind.f8f6f4, and the type of the
 * scale factors at the end. */
static bool read_mma_intrinsic(struct intrinsic *of, char *ptx) {
    const char *types[4], *scale = "", *kind = "", *vector = "";
    const bool is_sparse = takes(of, "sp");
    const bool is_ordered = is_sparse && takes(of, "ordered") && takes(of, "metadata");
    const bool is_scaled = takes(of, "block") && takes(of, "scale");
    const char *bits = read_bits(of), *shape = next(of), *a = next(of), *b = next(of);
    if (*shape != 'm' || !ascii_is_digit(shape[1]))
        return false;
    if (is_scaled || takes(of, "kind"))
        kind = next(of);
    if (is_scaled && takes(of, "scale"))
        vector = next(of); /* "2x" */
    const bool is_finite = takes(of, "satfinite");
    if (!read_types(of, "", types))
        return false;
    if (is_scaled)
        scale = next(of);
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "mma%s%s.sync.aligned.%s.%s.%s",
                   is_sparse ? ".sp" : "", is_ordered ? "::ordered_metadata" : "", shape, a, b);
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "%s%s%s", *kind ? ".kind::" : "", kind,
                   is_scaled ? ".block_scale" : "");
    if (*vector)
        mapping_append(ptx, MAPPING_OPCODE_SIZE, ".scale_vec::%cX", *vector);
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "%s.%s.%s.%s.%s%s%s", is_finite ? ".satfinite" : "",
                   types[0], types[1], types[2], types[3], *bits || *scale ? "." : "",
                   *bits ? bits : scale);
    return of->at == of->count;
}

/* wmma.SHAPE.load.a.row[.stride].f16, wmma.SHAPE.store.d.row[.stride].f16 and
 * wmma.SHAPE.mma[.xor.popc].row.col[.rn] with types and [.satfinite]. */
static bool read_wmma_intrinsic(struct intrinsic *of, char *ptx) {
    const char *shape = next(of), *what = next(of), *types[4], *rounding = "";
    const bool is_mma = strcmp(what, "mma") == 0;
    const char *bits = is_mma ? read_bits(of) : "", *a = next(of), *b = next(of);
    if (!is_mma) {
        takes(of, "stride");
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "wmma.%s.%s.sync.aligned.%s.%s.%s", what, a, b,
                       shape, next(of));
        return of->at == of->count;
    }
    if (of->at < of->count && *of->words[of->at] == 'r') /* rn, rz, rm, rp */
        rounding = next(of);
    if (!read_types(of, "satfinite", types))
        return false;
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "wmma.mma%s%s.sync.aligned.%s.%s.%s%s%s.%s",
                   *bits ? "." : "", bits, a, b, shape, *rounding ? "." : "", rounding, types[0]);
    if (strcmp(types[1], "f16") != 0)
        mapping_append(ptx, MAPPING_OPCODE_SIZE, ".%s.%s", types[1], types[2]);
    mapping_append(ptx, MAPPING_OPCODE_SIZE, ".%s%s", types[3],
                   takes(of, "satfinite") ? ".satfinite" : "");
    return of->at == of->count;
}

/* tcgen05.mma[.ws][.sp].tensor and others. Arguments give the kind and the number of CTAs; if they
 * are unknown, writes the words of the opcode before them. */
static bool read_tcgen05_mma_intrinsic(struct intrinsic *of, char *ptx) {
    static const char *const kinds[] = {"f16", "tf32", "f8f6f4", "i8"}; /* Tcgen05MMAKind */
    const bool is_ws = takes(of, "ws"), is_sparse = takes(of, "sp");
    const char *kind = "", *block = "";
    int group = is_ws ? 1 : constant(of, 2);
    size_t kind_at = 3; /* behind the kind: the group, or the buffer of B, and its use */
    if (!takes(of, "tensor") && !takes(of, "shared"))
        return false;
    while (of->at < of->count) {
        const char *word = next(of);
        if (strncmp(word, "mx", 2) == 0)
            kind = word;
        if (strncmp(word, "block", 5) == 0 && ascii_is_digit(word[5]))
            block = word;
        if (strcmp(word, "cg1") == 0 || strcmp(word, "cg2") == 0) {
            group = word[2] - '0';
            kind_at = 2;
        }
    }
    const bool is_scaled = *kind != '\0';
    const int number_of_kind = is_scaled ? -1 : constant(of, kind_at);
    if (number_of_kind >= 0 && number_of_kind < 4)
        kind = kinds[number_of_kind];
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.mma%s%s", is_ws ? ".ws" : "",
                   is_sparse ? ".sp" : "");
    if (*kind && (group == 1 || group == 2))
        mapping_append(ptx, MAPPING_OPCODE_SIZE, ".cta_group::%d.kind::%s%s%s%s", group, kind,
                       is_scaled ? ".block_scale" : "", *block ? "." : "", block);
    return true;
}

/* tcgen05.cp.SHAPE[.FORMAT].cg1, whose shape is as 64x128b_warpx2_02_13. */
static bool read_tcgen05_cp_intrinsic(struct intrinsic *of, char *ptx) {
    char shape[WORD_SIZE + 2];
    snprintf(shape, sizeof shape, "%s", next(of));
    const char *format = of->count - of->at == 2 ? next(of) : "", *group = next(of);
    char *warps = strchr(shape, '_'), *halves = warps ? strchr(warps + 1, '_') : NULL;
    if (warps)
        *warps++ = '\0';
    if (halves)
        *halves++ = '\0';
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.cp.cta_group::%s.%s%s%s%s%s%s%s",
                   strcmp(group, "cg2") == 0 ? "2" : "1", shape, warps ? "." : "",
                   warps ? warps : "", halves ? "::" : "", halves ? halves : "",
                   *format ? ".b8x16." : "", format);
    return of->at == of->count && strncmp(group, "cg", 2) == 0;
}

static bool read_tcgen05_intrinsic(struct intrinsic *of, char *ptx) {
    if (takes(of, "mma"))
        return read_tcgen05_mma_intrinsic(of, ptx);
    if (takes(of, "cp"))
        return read_tcgen05_cp_intrinsic(of, ptx);
    if (takes(of, "shift")) {
        const bool is_down = takes(of, "down");
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.shift.cta_group::%s.down",
                       strcmp(next(of), "cg2") == 0 ? "2" : "1");
        return is_down && of->at == of->count;
    }
    const bool is_load = takes(of, "ld");
    if (!is_load && !takes(of, "st"))
        return false;
    if (is_load && takes(of, "red")) { /* an argument says whether it is min or max */
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.ld.red");
        return true;
    }
    const char *shape = next(of), *count = next(of);
    mapping_append(ptx, MAPPING_OPCODE_SIZE, "tcgen05.%s.sync.aligned.%s.%s%s.b32",
                   is_load ? "ld" : "st", shape, count,
                   constant(of, 1) != 1 ? ""
                   : is_load            ? ".pack::16b"
                                        : ".unpack::16b");
    return *count && of->at == of->count;
}

/* An intrinsic of LLVM, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32". `text` is what follows
 * "llvm.nvvm.". */
static bool read_intrinsic(const char *text, char *ptx) {
    struct intrinsic of = {.count = 0};
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._");
    const char *behind = text + length + strspn(text + length, "\" ");
    of.arguments = *behind == '(' ? behind + 1 : "";
    for (size_t at = 0; at < length; at++) {
        const size_t size =
            strcspn(text + at, ".") < length - at ? strcspn(text + at, ".") : length - at;
        if (of.count == MAX_WORDS || size == 0 || size >= WORD_SIZE)
            return false;
        snprintf(of.words[of.count++], WORD_SIZE, "%.*s", (int)size, text + at);
        at += size;
    }
    while (of.count > 0 && of.words[of.count - 1][0] == 'p' &&
           ascii_is_digit(of.words[of.count - 1][1]))
        of.count--; /* the address space of a pointer: "p3" */
    if (takes(&of, "mma"))
        return read_mma_intrinsic(&of, ptx);
    if (takes(&of, "wmma"))
        return read_wmma_intrinsic(&of, ptx);
    if (takes(&of, "tcgen05"))
        return read_tcgen05_intrinsic(&of, ptx);
    if (!takes(&of, "ldmatrix") && !takes(&of, "stmatrix") && !takes(&of, "movmatrix"))
        return false;
    for (size_t w = 0; w < of.count; w++)
        mapping_append(ptx, MAPPING_OPCODE_SIZE, "%s%s", w > 0 ? "." : "", of.words[w]);
    return true;
}

/* The text after "llvm.nvvm."; NULL if the text has no such intrinsic. */
static const char *find_intrinsic(const char *text) {
    static const char prefix[] = "llvm.nvvm.";
    for (const char *at = text; (at = strstr(at, prefix)); at++)
        if (at == text || (!is_in_word(at[-1]) && at[-1] != '.'))
            return at + strlen(prefix);
    return NULL;
}

/* The operations, and the word that their readers need. */
static const struct operation {
    const char *name, *word;
} operations[] = {
    {"nvvm.mma.sync", "mma"},        {"nvvm.mma.sp.sync", "mma"},
    {"nvvm.mma.block_scale", "mma"}, {"nvvm.mma.sp.block_scale", "mma"},
    {"nvgpu.mma.sync", "mma"},       {"nvgpu.mma.sp.sync", "mma"},
    {"nvvm.ldmatrix", "ldmatrix"},   {"nvgpu.ldmatrix", "ldmatrix"},
    {"nvvm.stmatrix", "stmatrix"},   {"nvvm.wgmma.mma_async", "wgmma"},
    {"nvvm.wmma.mma", "wmma"},       {"nvvm.wmma.load", "wmma"},
    {"nvvm.wmma.store", "wmma"},     {"nvvm.tcgen05.ld", "ld"},
    {"nvvm.tcgen05.st", "st"},       {"nvvm.tcgen05.mma", "tcgen05"},
};

static bool read_operation(const struct operation *operation, char *text, char *ptx) {
    const char *types = cut_types(text), *word = operation->word;
    return strcmp(word, "mma") == 0     ? read_mma(text, types, operation->name, ptx)
           : strstr(word, "matrix")     ? read_matrices(text, types, word, ptx)
           : strcmp(word, "wgmma") == 0 ? read_wgmma(text, types, ptx)
           : strcmp(word, "wmma") == 0
               ? read_wmma(text, operation->name + strlen("nvvm.wmma."), ptx)
           : strcmp(word, "tcgen05") == 0 ? read_tcgen05_mma(text, ptx)
                                          : read_tmem(text, types, strcmp(word, "ld") == 0, ptx);
}

bool mapping_mlir_read(const char *text, char ptx[MAPPING_OPCODE_SIZE]) {
    *ptx = '\0';
    if (!strstr(text, "nvvm.") && !strstr(text, "nvgpu."))
        return false;
    char *copy = without_names(text), *rest;
    const char *intrinsic = find_intrinsic(copy);
    if (intrinsic)
        return read_intrinsic(intrinsic, ptx);
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        if ((rest = behind_name(copy, operations[o].name)))
            return read_operation(&operations[o], rest, ptx);
    return false;
}
