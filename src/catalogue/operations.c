/* operations.c - names of the CuTe DSL: classes of cutlass.cute.nvgpu (nvidia-cutlass-dsl 4.7) in
 * warp, warpgroup and tcgen05, with or without their arguments.
 *
 *     warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
 *                                        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
 *     warp.LdMatrix8x8x16bOp(True, 4)    ldmatrix.m8n8.x4.trans
 *     tcgen05.Ld32x32bOp(tcgen05.Repetition.x32)    tcgen05.ld.32x32b.x32 */
#include "catalogue/family.h"

#include <stdio.h>
#include <string.h>

/* ---- Arguments ---- */

/* The arguments of an operation. */
struct operation {
    char text[MAPPING_TEXT_SIZE]; /* the text in lower case, without blanks and "Op" */
    const char *scope, *name;     /* "tcgen05" or "cute.nvgpu.tcgen05", and "ld32x32b" */
    enum mapping_type types[4];
    size_t type_count, number_count;
    uint16_t numbers[4]; /* M, N and K; or repeats or matrices, and the size that they unpack to */
    bool has_arguments, is_transposed, is_pair, is_a_shared, is_packed;
};

/* Parses Float8E4M3FN, in lower case. */
static bool read_type(const char *word, enum mapping_type *type) {
    static const struct {
        const char *name;
        enum mapping_type type;
    } others[] = {{"float8e4m3fn", MAPPING_E4M3},
                  {"float8e4m3", MAPPING_E4M3},
                  {"float8e5m2", MAPPING_E5M2},
                  {"float6e3m2fn", MAPPING_E3M2},
                  {"float6e2m3fn", MAPPING_E2M3},
                  {"float4e2m1fn", MAPPING_E2M1},
                  {"tfloat32", MAPPING_TF32},
                  {"float8e8m0fnu", MAPPING_UE8M0},
                  {"int8", MAPPING_S8}};
    for (size_t o = 0; o < COUNT(others); o++)
        if (strcmp(word, others[o].name) == 0) {
            *type = others[o].type;
            return true;
        }
    return mapping_type_find(word, type);
}

/* Parses the arguments: types, sizes, and values such as CtaGroup.TWO or transpose=True. */
static void read_arguments(char *text, struct operation *operation) {
    for (char *word = strsep(&text, "(),"); word; word = strsep(&text, "(),")) {
        const char *equals = strrchr(word, '='), *value = equals ? equals + 1 : word;
        const bool is_first = operation->number_count == 0 && operation->type_count == 0;
        const bool is_flag = !equals || strncmp(word, "transpose=", 10) == 0;
        value = strrchr(value, '.') ? strrchr(value, '.') + 1 : value;
        if (operation->type_count < COUNT(operation->types) &&
            read_type(value, &operation->types[operation->type_count]))
            operation->type_count++;
        else if (operation->number_count < COUNT(operation->numbers) &&
                 mapping_number_read(value + (*value == 'x'),
                                     &operation->numbers[operation->number_count]))
            operation->number_count++;
        operation->is_transposed |= is_flag && is_first && strcmp(value, "true") == 0;
        operation->is_pair |= strcmp(value, "two") == 0;
        operation->is_a_shared |= strcmp(value, "smem") == 0;
        operation->is_packed |=
            strcmp(value, "pack_16b_in_32b") == 0 || strcmp(value, "unpack_32b_in_16b") == 0;
    }
}

/* Extracts the first argument of make_mma_atom(OPERATION) and make_copy_atom(OPERATION, TYPE). */
static void unwrap(char *text) {
    static const char *const wrappers[] = {"make_mma_atom(", "make_copy_atom("};
    for (size_t w = 0; w < COUNT(wrappers); w++) {
        const char *inside = strstr(text, wrappers[w]);
        if (!inside)
            continue;
        inside += strlen(wrappers[w]);
        size_t length = 0;
        for (int depth = 0; inside[length]; length++) {
            depth += (inside[length] == '(') - (inside[length] == ')');
            if (depth < 0 || (depth == 0 && inside[length] == ','))
                break;
        }
        memmove(text, inside, length);
        text[length] = '\0';
    }
}

/* Parses a name; false if it does not end in "Op", or has text after its arguments. */
static bool read_operation(const char *name, struct operation *operation) {
    char *end = operation->text;
    *operation = (struct operation){.scope = ""};
    if (!mapping_name_lower(name, operation->text))
        return false;
    for (const char *c = operation->text; *c; c++) /* skip blanks */
        if (!strchr(" \t\n", *c))
            *end++ = *c;
    *end = '\0';
    unwrap(operation->text);
    end = operation->text + strlen(operation->text);
    char *arguments = strchr(operation->text, '(');
    if (arguments && end[-1] != ')')
        return false;
    if (arguments)
        *arguments++ = '\0';
    char *word = strrchr(operation->text, '.');
    if (word) {
        *word++ = '\0';
        operation->scope = operation->text;
    }
    operation->name = word = word ? word : operation->text;
    const size_t length = strlen(word);
    if (length < 3 || strcmp(word + length - 2, "op") != 0)
        return false;
    word[length - 2] = '\0';
    operation->has_arguments = arguments;
    if (arguments)
        read_arguments(arguments, operation);
    return true;
}

/* ---- Multiplications ---- */

static bool is_accumulator(enum mapping_type type) {
    return type == MAPPING_F32 || type == MAPPING_F16 || type == MAPPING_S32;
}

/* Multiplications of a warp with scale factors, whose class determines the shape. The last argument
 * is the type of the scale factors. */
static const struct {
    const char *name, *kind, *shape;
} scaled[] = {
    {"mmamxf4", "mxf4.block_scale.scale_vec::2x", "m16n8k64"},
    {"mmamxf4nvf4", "mxf4nvf4.block_scale.scale_vec::4x", "m16n8k64"},
    {"mmamxf8", "mxf8f6f4.block_scale.scale_vec::1x", "m16n8k32"},
    {"mmamxf8f6f4", "mxf8f6f4.block_scale.scale_vec::1x", "m16n8k32"},
};

/* Writes the opcode of a multiplication, or, for tcgen05, the name of D. The types are those of A
 * and B, or one for both; the type of D, if there are several; and the type of scale factors. */
static bool write_multiplication(const struct operation *operation,
                                 char text[MAPPING_OPCODE_SIZE]) {
    const uint16_t *mnk = operation->numbers;
    const enum mapping_type *types = operation->types;
    const size_t count = operation->type_count;
    const bool is_tf32 = strcmp(operation->name, "mmatf32") == 0;
    enum mapping_type a = is_tf32 ? MAPPING_TF32 : types[0], b = a;
    enum mapping_type d =
        count > 0 && (a == MAPPING_S8 || a == MAPPING_U8) ? MAPPING_S32 : MAPPING_F32;
    for (size_t t = 1; t < count; t++) /* the type of D follows that of B */
        if (is_accumulator(types[t])) {
            d = types[t];
            break;
        } else if (t == 1)
            b = types[t];
    if (strstr(operation->scope, "tcgen05") || mnk[0] >= 128) {
        snprintf(text, MAPPING_OPCODE_SIZE, "tcgen05.mma%s.m%un%uk%u.d.%s",
                 operation->is_pair ? ".cta2" : "", mnk[0], mnk[1], mnk[2], mapping_type_name(d));
        return operation->number_count == 3;
    }
    const char *in_a = mapping_type_name(a), *in_b = mapping_type_name(b),
               *in_d = mapping_type_name(d);
    for (size_t s = 0; s < COUNT(scaled) && operation->number_count == 0 && count > 2; s++)
        if (strcmp(operation->name, scaled[s].name) == 0) {
            const enum mapping_type scale =
                types[count - 1] == MAPPING_E4M3 ? MAPPING_UE4M3 : types[count - 1];
            snprintf(text, MAPPING_OPCODE_SIZE,
                     "mma.sync.aligned.kind::%s.%s.row.col.%s.%s.%s.%s.%s", scaled[s].kind,
                     scaled[s].shape, in_d, in_a, in_b, in_d, mapping_type_name(scale));
            return true;
        }
    if (strstr(operation->scope, "warpgroup") || mnk[0] == 64)
        snprintf(text, MAPPING_OPCODE_SIZE, "wgmma.mma_async.sync.aligned.m%un%uk%u.%s.%s.%s",
                 mnk[0], mnk[1], mnk[2], in_d, in_a, in_b);
    else
        snprintf(text, MAPPING_OPCODE_SIZE, "mma.sync.aligned.m%un%uk%u.row.col.%s.%s.%s.%s",
                 mnk[0], mnk[1], mnk[2], in_d, in_a, in_b, in_d);
    return operation->number_count == 3 && (count > 0 || is_tf32);
}

/* ---- Copies ---- */

/* Names are without "Op". In names of tcgen05.st, `packed` follows the number of repeats. */
static const struct {
    const char *name, *start, *packed;
} moves[] = {
    {"ldmatrix8x8x16b", "ldmatrix.m8n8", ""},
    {"ldmatrix8x16x8b", "ldmatrix.m8n16", ""},
    {"ldmatrix16x16x8b", "ldmatrix.m16n16", ""},
    {"stmatrix8x8x16b", "stmatrix.m8n8", ""},
    {"stmatrix16x8x8b", "stmatrix.m16n8", ""},
    {"ld16x64b", "tcgen05.ld.16x64b", ".pack"},
    {"ld16x128b", "tcgen05.ld.16x128b", ".pack"},
    {"ld16x256b", "tcgen05.ld.16x256b", ".pack"},
    {"ld16x32bx2", "tcgen05.ld.16x32bx2", ".pack"},
    {"ld32x32b", "tcgen05.ld.32x32b", ".pack"},
    {"st16x64b", "tcgen05.st.16x64b", ".unpack"},
    {"st16x128b", "tcgen05.st.16x128b", ".unpack"},
    {"st16x256b", "tcgen05.st.16x256b", ".unpack"},
    {"st16x32bx2", "tcgen05.st.16x32bx2", ".unpack"},
    {"st32x32b", "tcgen05.st.32x32b", ".unpack"},
    {"cp128x256b", "tcgen05.cp.128x256b", ""},
    {"cp128x128b", "tcgen05.cp.128x128b", ""},
    {"cp4x256b", "tcgen05.cp.4x256b", ""},
    {"cp4x32x128b", "tcgen05.cp.32x128b.warpx4", ""},
    {"cp2x64x128b0213", "tcgen05.cp.64x128b.02_13", ""},
    {"cp2x64x128b0123", "tcgen05.cp.64x128b.01_23", ""},
};

/* Writes the opcode of a copy; for ldmatrix and stmatrix, a partial name without .trans. */
static bool write_move(const struct operation *operation, char text[MAPPING_OPCODE_SIZE]) {
    const bool is_matrix = strstr(operation->name, "matrix");
    size_t m = 0;
    while (m < COUNT(moves) && strcmp(operation->name, moves[m].name) != 0)
        m++;
    if (m == COUNT(moves))
        return false;
    const bool is_counted = operation->has_arguments && !strstr(moves[m].start, ".cp.");
    const uint16_t count = operation->number_count > 0 ? operation->numbers[0] : is_counted,
                   unpacked = operation->number_count > 1 ? operation->numbers[1] : 0;
    if (count > 0 && is_matrix && !operation->is_transposed && strstr(operation->name, "8x8x16b")) {
        snprintf(text, MAPPING_OPCODE_SIZE, "%.8s.sync.aligned.m8n8.x%u.b16", moves[m].start,
                 count);
        return true;
    }
    int length = snprintf(text, MAPPING_OPCODE_SIZE, "%s", moves[m].start);
    if (count > 0)
        length += snprintf(text + length, 8, ".x%u", count);
    if (is_matrix && unpacked > 0) /* elements of 4 or 6 bits, each in a byte */
        length += snprintf(text + length, 8, ".b%u", unpacked);
    snprintf(text + length, MAPPING_OPCODE_SIZE - (size_t)length, "%s%s",
             operation->is_transposed ? ".trans" : "",
             operation->is_packed       ? moves[m].packed
             : is_counted && !is_matrix ? ".b32"
                                        : "");
    return true;
}

/* ---- Operations without fragments ---- */

static const struct {
    const char *name, *what; /* the beginning of the name */
} outside[] = {
    {"mmauniversal", "one multiply-add of one thread, not a matrix instruction"},
    {"ldmatrix16x8x8b", "ldmatrix.sync.aligned.m16n16.trans.shared.b8, followed by a permutation "
                        "of its registers"},
    {"ldred", "tcgen05.ld.red, which loads the registers of tcgen05.ld with the same shape, and "
              "one more with their maximum or minimum"},
    {"copyuniversal", "an assignment, not a matrix instruction"},
    {"copyg2s", "cp.async, which moves no data to or from registers"},
    {"copybulk", "cp.async.bulk, which moves no data to or from registers"},
    {"copyreducebulk", "cp.reduce.async.bulk, which moves no data to or from registers"},
    {"copyg2r", "ld.global, not a matrix instruction"},
    {"copyr2g", "st.global, not a matrix instruction"},
    {"copys2r", "ld.shared, not a matrix instruction"},
    {"copyr2s", "st.shared, not a matrix instruction"},
};

const char *mapping_operation_outside(const char *name) {
    struct operation operation = {.scope = ""};
    const bool is_read = read_operation(name, &operation);
    for (size_t o = 0; is_read && o < COUNT(outside); o++)
        if (strncmp(operation.name, outside[o].name, strlen(outside[o].name)) == 0)
            return outside[o].what;
    return NULL;
}

/* ---- All of them ---- */

bool mapping_operation_read(const char *name, char text[MAPPING_OPCODE_SIZE], bool *is_a_shared) {
    struct operation operation = {.scope = ""};
    if (!read_operation(name, &operation))
        return false;
    *is_a_shared = operation.is_a_shared;
    return strncmp(operation.name, "mma", 3) == 0 || strncmp(operation.name, "sm103mma", 8) == 0
               ? write_multiplication(&operation, text)
               : write_move(&operation, text);
}
