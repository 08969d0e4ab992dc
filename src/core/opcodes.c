/* opcodes.c - the instructions themselves: which shapes and types each takes together. */
#include "family.h"

#include <stdio.h>
#include <string.h>

/* Opcodes that differ only in width, layouts and types: every combination of these is one. An empty
 * set for B or C means that its type is that of A or D. */
struct opcodes {
    uint8_t instruction;        /* MAPPING_MMA ... */
    struct mapping_shape shape; /* n = 0: every width of wgmma */
    const char *layouts;        /* of A and B: pairs of letters, as in "rc cr" */
    uint32_t d, a, b, c;        /* sets of types */
    const char *kind;           /* words in front of the types */
    const char *end;            /* words behind the types */
    char scale;                 /* factors for a row, '1', '2' or '4'; '-' where there are none */
    uint8_t since, until, ptx;
};

/* PTX ISA 9.0: the syntax and the notes on target and version of mma, mma.sp, ldmatrix, stmatrix,
 * movmatrix, wgmma.mma_async and wgmma.mma_async.sp. That they are these and no others was tried
 * with ptxas 13.5 and, for sm_70, 11.8; tests/opcodes.t tries it again. */
static const struct opcodes table[] = {
    /* clang-format off */
    {MAPPING_MMA, {8, 8, 4}, "rc rr cc cr", F32, F16, 0, F32 | F16, "", "", '-', 70, 0, 64},
    {MAPPING_MMA, {8, 8, 4}, "rc rr cc cr", F16, F16, 0, 0, "", "", '-', 70, 0, 64},
    {MAPPING_MMA, {16, 8, 8}, "rc", F32 | F16, F16, 0, 0, "", "", '-', 75, 0, 65},
    {MAPPING_MMA, {16, 8, 16}, "rc", F32 | F16, F16, 0, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 8}, "rc", F32, BF16, 0, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 16}, "rc", F32, BF16, 0, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 4}, "rc", F32, TF32, 0, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 8}, "rc", F32, TF32, 0, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {8, 8, 4}, "rc", F64, F64, 0, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 4}, "rc", F64, F64, 0, 0, "", "", '-', 90, 0, 78},
    {MAPPING_MMA, {16, 8, 8}, "rc", F64, F64, 0, 0, "", "", '-', 90, 0, 78},
    {MAPPING_MMA, {16, 8, 16}, "rc", F64, F64, 0, 0, "", "", '-', 90, 0, 78},
    {MAPPING_MMA, {16, 8, 16}, "rc", F32 | F16, FP8, FP8, 0, "", "", '-', 89, 0, 87},
    {MAPPING_MMA, {16, 8, 32}, "rc", F32, FP8, FP8, 0, "", "", '-', 89, 0, 84},
    {MAPPING_MMA, {16, 8, 32}, "rc", F16, FP8, FP8, 0, "", "", '-', 89, 0, 87},
    {MAPPING_MMA, {8, 8, 16}, "rc", S32, INT8, INT8, 0, "", "", '-', 75, 0, 65},
    {MAPPING_MMA, {16, 8, 16}, "rc", S32, INT8, INT8, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 32}, "rc", S32, INT8, INT8, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {8, 8, 32}, "rc", S32, INT4, INT4, 0, "", "", '-', 75, 0, 65},
    {MAPPING_MMA, {16, 8, 32}, "rc", S32, INT4, INT4, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 64}, "rc", S32, INT4, INT4, 0, "", "", '-', 80, 0, 70},
    {MAPPING_MMA, {8, 8, 128}, "rc", S32, B1, 0, 0, "", ".and.popc", '-', 80, 0, 71},
    {MAPPING_MMA, {16, 8, 128}, "rc", S32, B1, 0, 0, "", ".and.popc", '-', 80, 0, 71},
    {MAPPING_MMA, {16, 8, 256}, "rc", S32, B1, 0, 0, "", ".and.popc", '-', 80, 0, 71},
    {MAPPING_MMA, {8, 8, 128}, "rc", S32, B1, 0, 0, "", ".xor.popc", '-', 75, 0, 70},
    {MAPPING_MMA, {16, 8, 128}, "rc", S32, B1, 0, 0, "", ".xor.popc", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 256}, "rc", S32, B1, 0, 0, "", ".xor.popc", '-', 80, 0, 70},
    {MAPPING_MMA, {16, 8, 32}, "rc", F32 | F16, FP864, FP864, 0, ".kind::f8f6f4", "", '-', 120, 0, 87},
    {MAPPING_MMA, {16, 8, 32}, "rc", F32, FP864, FP864, 0, ".kind::mxf8f6f4.block_scale.scale_vec::1X", ".ue8m0", '1', 120, 0, 87},
    {MAPPING_MMA, {16, 8, 64}, "rc", F32, E2M1, 0, 0, ".kind::mxf4.block_scale.scale_vec::2X", ".ue8m0", '2', 120, 0, 87},
    {MAPPING_MMA, {16, 8, 64}, "rc", F32, E2M1, 0, 0, ".kind::mxf4nvf4.block_scale.scale_vec::2X", ".ue8m0", '2', 120, 0, 87},
    {MAPPING_MMA, {16, 8, 64}, "rc", F32, E2M1, 0, 0, ".kind::mxf4nvf4.block_scale.scale_vec::4X", ".ue4m3", '4', 120, 0, 87},
    {MAPPING_MMA_SP, {16, 8, 16}, "rc", F32 | F16, F16, 0, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 32}, "rc", F32 | F16, F16, 0, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 16}, "rc", F32, BF16, 0, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 32}, "rc", F32, BF16, 0, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 8}, "rc", F32, TF32, 0, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 16}, "rc", F32, TF32, 0, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 64}, "rc", F32, FP8, FP8, 0, "", "", '-', 89, 0, 84},
    {MAPPING_MMA_SP, {16, 8, 32}, "rc", S32, INT8, INT8, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 64}, "rc", S32, INT8, INT8, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 64}, "rc", S32, INT4, INT4, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 128}, "rc", S32, INT4, INT4, 0, "", "", '-', 80, 0, 71},
    {MAPPING_MMA_SP, {16, 8, 64}, "rc", F16, FP8, FP8, 0, "", "", '-', 120, 0, 87},
    {MAPPING_MMA_SP, {16, 8, 64}, "rc", F32 | F16, FP864, FP864, 0, ".kind::f8f6f4", "", '-', 120, 0, 87},
    {MAPPING_MMA_SP, {16, 8, 64}, "rc", F32, FP864, FP864, 0, ".kind::mxf8f6f4.block_scale.scale_vec::1X", ".ue8m0", '1', 120, 0, 87},
    {MAPPING_MMA_SP, {16, 8, 128}, "rc", F32, E2M1, 0, 0, ".kind::mxf4.block_scale.scale_vec::2X", ".ue8m0", '2', 120, 0, 87},
    {MAPPING_MMA_SP, {16, 8, 128}, "rc", F32, E2M1, 0, 0, ".kind::mxf4nvf4.block_scale.scale_vec::2X", ".ue8m0", '2', 120, 0, 87},
    {MAPPING_MMA_SP, {16, 8, 128}, "rc", F32, E2M1, 0, 0, ".kind::mxf4nvf4.block_scale.scale_vec::4X", ".ue4m3", '4', 120, 0, 87},
    {MAPPING_LDMATRIX, {8, 8, 1}, "-- t-", 0, B16, 0, 0, "", "", '-', 75, 0, 65},
    {MAPPING_LDMATRIX, {8, 8, 2}, "-- t-", 0, B16, 0, 0, "", "", '-', 75, 0, 65},
    {MAPPING_LDMATRIX, {8, 8, 4}, "-- t-", 0, B16, 0, 0, "", "", '-', 75, 0, 65},
    {MAPPING_STMATRIX, {8, 8, 1}, "-- t-", 0, B16, 0, 0, "", "", '-', 90, 0, 78},
    {MAPPING_STMATRIX, {8, 8, 2}, "-- t-", 0, B16, 0, 0, "", "", '-', 90, 0, 78},
    {MAPPING_STMATRIX, {8, 8, 4}, "-- t-", 0, B16, 0, 0, "", "", '-', 90, 0, 78},
    {MAPPING_MOVMATRIX, {8, 8, 1}, "t-", 0, B16, 0, 0, "", "", '-', 75, 0, 78},
    {MAPPING_WGMMA, {64, 0, 16}, "--", F32 | F16, F16, 0, 0, "", "", '-', 90, 90, 80},
    {MAPPING_WGMMA, {64, 0, 16}, "--", F32, BF16, 0, 0, "", "", '-', 90, 90, 80},
    {MAPPING_WGMMA, {64, 0, 8}, "--", F32, TF32, 0, 0, "", "", '-', 90, 90, 80},
    {MAPPING_WGMMA, {64, 0, 32}, "--", F32 | F16, FP8, FP8, 0, "", "", '-', 90, 90, 80},
    {MAPPING_WGMMA, {64, 0, 32}, "--", S32, INT8, 0, 0, "", "", '-', 90, 90, 80},
    {MAPPING_WGMMA, {64, 0, 32}, "--", S32, S8, U8, 0, "", "", '-', 90, 90, 84},
    {MAPPING_WGMMA, {64, 0, 32}, "--", S32, U8, S8, 0, "", "", '-', 90, 90, 84},
    {MAPPING_WGMMA, {64, 0, 256}, "--", S32, B1, 0, 0, "", ".and.popc", '-', 90, 90, 80},
    {MAPPING_WGMMA_SP, {64, 0, 32}, "--", F32 | F16, F16, 0, 0, "", "", '-', 90, 90, 82},
    {MAPPING_WGMMA_SP, {64, 0, 32}, "--", F32, BF16, 0, 0, "", "", '-', 90, 90, 82},
    {MAPPING_WGMMA_SP, {64, 0, 16}, "--", F32, TF32, 0, 0, "", "", '-', 90, 90, 82},
    {MAPPING_WGMMA_SP, {64, 0, 64}, "--", F32 | F16, FP8, FP8, 0, "", "", '-', 90, 90, 82},
    {MAPPING_WGMMA_SP, {64, 0, 64}, "--", S32, INT8, 0, 0, "", "", '-', 90, 90, 82},
    {MAPPING_WGMMA_SP, {64, 0, 64}, "--", S32, S8, U8, 0, "", "", '-', 90, 90, 84},
    {MAPPING_WGMMA_SP, {64, 0, 64}, "--", S32, U8, S8, 0, "", "", '-', 90, 90, 84},
    /* clang-format on */
};

/* ---- One opcode ---- */

/* Takes the next of `count` choices off a mixed-radix number. */
static size_t take(size_t *number, size_t count) {
    size_t choice = *number % count;
    *number /= count;
    return choice;
}

static size_t count_types(uint32_t types) {
    return types ? (size_t)__builtin_popcount(types) : 1;
}

static size_t count_widths(const struct opcodes *row) {
    size_t count = 1;
    if (row->shape.n == 0)
        while (wgmma_width(row->a, count) != 0)
            count++;
    return count;
}

static size_t count_layouts(const struct opcodes *row) {
    return (strlen(row->layouts) + 1) / 3;
}

static void print_text(const struct opcodes *row, struct mapping_opcode *opcode) {
    const char *d = mapping_type_name(opcode->d), *a = mapping_type_name(opcode->a),
               *b = mapping_type_name(opcode->b), *c = mapping_type_name(opcode->c);
    unsigned m = opcode->shape.m, n = opcode->shape.n, k = opcode->shape.k;
    bool sparse = row->instruction == MAPPING_MMA_SP || row->instruction == MAPPING_WGMMA_SP;
    const char *name = mapping_instruction_name(opcode->instruction);
    switch (row->instruction) {
    case MAPPING_MMA:
    case MAPPING_MMA_SP:
        snprintf(opcode->text, sizeof opcode->text,
                 "mma%s.sync.aligned.m%un%uk%u.%s.%s%s.%s.%s.%s.%s%s", sparse ? ".sp" : "", m, n, k,
                 mapping_layout_name(opcode->a_layout), mapping_layout_name(opcode->b_layout),
                 row->kind, d, a, b, c, row->end);
        break;
    case MAPPING_WGMMA:
    case MAPPING_WGMMA_SP:
        snprintf(opcode->text, sizeof opcode->text,
                 "wgmma.mma_async%s.sync.aligned.m%un%uk%u.%s.%s.%s%s", sparse ? ".sp" : "", m, n,
                 k, d, a, b, row->end);
        break;
    case MAPPING_MOVMATRIX:
        snprintf(opcode->text, sizeof opcode->text, "%s.sync.aligned.m%un%u.trans.%s", name, m, n,
                 a);
        break;
    default:
        snprintf(opcode->text, sizeof opcode->text, "%s.sync.aligned.m%un%u.x%u%s.%s", name, m, n,
                 k, opcode->a_layout == MAPPING_TRANSPOSED ? ".trans" : "", a);
    }
}

bool mapping_opcode_at(size_t index, struct mapping_opcode *opcode) {
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        const struct opcodes *row = &table[t];
        size_t members = count_types(row->d) * count_types(row->a) * count_types(row->b) *
                         count_types(row->c) * count_widths(row) * count_layouts(row);
        if (index >= members) {
            index -= members;
            continue;
        }
        size_t choice = index;
        *opcode = (struct mapping_opcode){.instruction = (enum mapping_instruction)row->instruction,
                                          .shape = row->shape,
                                          .scale = family_layout(row->scale),
                                          .since = row->since,
                                          .until = row->until,
                                          .ptx = row->ptx};
        const char *layouts = row->layouts + 3 * take(&choice, count_layouts(row));
        opcode->a_layout = family_layout(layouts[0]);
        opcode->b_layout = family_layout(layouts[1]);
        opcode->c = row->c ? nth_type(row->c, take(&choice, count_types(row->c))) : MAPPING_TYPES;
        opcode->b = row->b ? nth_type(row->b, take(&choice, count_types(row->b))) : MAPPING_TYPES;
        opcode->a = nth_type(row->a, take(&choice, count_types(row->a)));
        opcode->d = row->d ? nth_type(row->d, take(&choice, count_types(row->d))) : opcode->a;
        if (!row->b)
            opcode->b = opcode->a;
        if (!row->c)
            opcode->c = opcode->d;
        if (row->shape.n == 0)
            opcode->shape.n = wgmma_width(row->a, choice);
        if (opcode->scale != MAPPING_NO_LAYOUT)
            mapping_type_find(row->end + 1, &opcode->scale_type);
        print_text(row, opcode);
        return true;
    }
    return false;
}

/* ---- Its operands ---- */

/* Finds the fragment of one operand; the layout counts only where the fragment depends on it. */
static bool find_operand(const struct mapping_opcode *opcode, char operand,
                         struct mapping_fragment *fragment) {
    bool is_scale = operand == 'x' || operand == 'y';
    struct mapping_fragment wanted = {.instruction = opcode->instruction,
                                      .shape = opcode->shape,
                                      .operand = operand,
                                      .layout = is_scale         ? opcode->scale
                                                : operand == 'b' ? opcode->b_layout
                                                                 : opcode->a_layout,
                                      .type = is_scale         ? opcode->scale_type
                                              : operand == 'b' ? opcode->b
                                              : operand == 'c' ? opcode->c
                                              : operand == 'd' ? opcode->d
                                                               : opcode->a};
    if (is_scale && opcode->scale == MAPPING_NO_LAYOUT)
        return false;
    if (wanted.layout != MAPPING_NO_LAYOUT && family_find(&wanted, fragment))
        return true;
    wanted.layout = MAPPING_NO_LAYOUT;
    return family_find(&wanted, fragment);
}

size_t mapping_opcode_fragments(const struct mapping_opcode *opcode,
                                struct mapping_fragment fragments[MAPPING_OPERANDS]) {
    static const char *const in_registers[MAPPING_INSTRUCTIONS] = {
        [MAPPING_WMMA] = "",       [MAPPING_MMA] = "abcdxy",  [MAPPING_MMA_SP] = "abcdexy",
        [MAPPING_LDMATRIX] = "rp", [MAPPING_STMATRIX] = "rp", [MAPPING_MOVMATRIX] = "ad",
        [MAPPING_WGMMA] = "ad",    [MAPPING_WGMMA_SP] = "ade"};
    size_t count = 0;
    for (const char *operand = in_registers[opcode->instruction]; *operand; operand++)
        count += find_operand(opcode, *operand, &fragments[count]);
    return count;
}
