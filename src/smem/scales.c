/* scales.c - layouts of block scale factors in memory; see scales.h.
 *
 * A layout is one row of kinds[]. aliases[] has the names that libraries use for it. The member
 * .source of a row names the documents and the code that define the layout. Most of this code was
 * run and compared with the row. */
#include "smem/scales.h"

#include "layout/ascii.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of blocks, to be added up. */
enum { BLOCK_16 = 16, BLOCK_32 = 32, BLOCK_128 = 128, SMALL_BLOCKS = 16 + 32, ALL_BLOCKS = 176 };

static const char zeros[] =
    "must exist and be 0 (cuBLAS: \"fill out of bounds values with zeroes\"); outputs may "
    "overwrite it";
static const char not_said[] =
    "must exist; no source says what it must hold (use 0, as cuBLAS wants for 128x4)";

#define TILE_128X4 "(((32,4),R/128),(4,C/4)):(((16,4),128*C),(1,512))"

static const struct mapping_scale_kind kinds[] = {
    {
        .name = "128x4",
        .layout = TILE_128X4,
        .pad = {128, 4},
        .usual = {128, 4},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = SMALL_BLOCKS,
        .padding = zeros,
        .source = "cuBLAS 13 documentation 3.1.4.4.2; CUTLASS 4.7.0, torchao 0.18.0, flashinfer "
                  "0.7.4, sglang 0.5.23, TransformerEngine 2.20 (d0067d0), CuTe DSL 4.8.1",
        .differs =
            "triton_kernels pads columns to 8 instead (128x8k); with ROCm 7.13 or later, "
            "SWIZZLE_32_4_4 goes with gfx950's 32x8 tiles instead (PyTorch 0174dfa); "
            "sf_inner_dim of cuBLAS's pseudocode is the padded number of columns, but nvmath "
            "1.0.0 uses the unpadded one; nvFuser's linear_to_swizzled_128_4 (215a4a9) cuts "
            "off padding after the swizzle; tiles follow each other along K first, which "
            "CUTLASS's Step<_2,_1,_3> also means",
    },
    {
        .name = "8x4",
        .layout = "((8,R/8),(4,C/4)):((4,8*C),(1,32))",
        .pad = {8, 4},
        .usual = {8, 4},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = SMALL_BLOCKS,
        .padding = "must exist; write 0, because padding rows have leaked into results "
                   "(flashinfer#2861)",
        .source = "flashinfer 0.7.4, TensorRT-LLM; for trtllm-gen kernels with small M, A only",
        .differs = "SfLayout of flashinfer numbers 128x4, 8x4 and linear 0, 1, 2, but trtllm-gen "
                   "numbers R8c4, LINEAR and R128c4 1, 2, 3",
    },
    {
        .name = "linear",
        .layout = "(R,C):(C,1)",
        .pad = {1, 1},
        .usual = {128, 4},
        .rows_of_block = 1,
        .blocks = ALL_BLOCKS,
        .padding = "",
        .source = "OCP order; flashinfer 0.7.4, TensorRT-LLM, PyTorch, checkpoints",
        .differs = "",
    },
    {
        .name = "linear-padded",
        .layout = "(R,C):(C,1)",
        .pad = {128, 4},
        .usual = {128, 4},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = SMALL_BLOCKS,
        .padding = "must exist; write 0, because padding bytes have been copied as factors "
                   "(TransformerEngine#3070)",
        .source = "TransformerEngine 2.20 (d0067d0), get_scale_shape",
        .differs = "columnwise_scale_inv of nvfp4 is transposed, [R][C]; that of mxfp8 is not "
                   "(columnwise)",
    },
    {
        .name = "columnwise",
        .layout = "(R,C):(1,R)",
        .pad = {128, 4},
        .usual = {128, 4},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = BLOCK_32,
        .padding = not_said,
        .source = "TransformerEngine 2.20 (d0067d0), mxfp8 columnwise_scale_inv; row is the column "
                  "of the tensor, col its row / 32",
        .differs = "columnwise_scale_inv of nvfp4 is transposed (linear-padded)",
    },
    {
        .name = "mn-major",
        .layout = "(R,C):(1,R)",
        .pad = {1, 1},
        .usual = {128, 4},
        .bits = 32,
        .rows_of_block = 1,
        .blocks = BLOCK_128,
        .padding = "",
        .source = "cuBLAS 13 documentation 3.1.4.5.1 (M and N must be multiples of 4); PyTorch "
                  "ScaledBlas.cpp 0174dfa",
        .differs = "DeepGEMM and TransformerEngine round the stride up to a multiple of 4 "
                   "(mn-major-4), which differs unless rows % 4 == 0; flashinfer calls contiguous "
                   "(k/128, m) column-major (flashinfer#2147)",
    },
    {
        .name = "mn-major-4",
        .layout = "(R,C):(1,R)",
        .pad = {4, 1},
        .usual = {128, 4},
        .bits = 32,
        .rows_of_block = 1,
        .blocks = BLOCK_128,
        .padding = "only makes strides multiples of 16 bytes, for TMA; no source says what it must "
                   "hold",
        .source = "DeepGEMM 54e2261 smxx_layout.hpp; TransformerEngine Float8BlockScaling",
        .differs = "cuBLAS and PyTorch do not round the stride up (mn-major), which differs unless "
                   "rows % 4 == 0",
    },
    {
        .name = "blk128",
        .layout = "(R,C):(C,1)",
        .pad = {1, 4},
        .usual = {4, 4},
        .bits = 32,
        .rows_of_block = 128,
        .blocks = BLOCK_128,
        .padding = not_said,
        .source = "cuBLAS 13 documentation 3.1.4.5.1; PyTorch ScaledBlas.cpp 0174dfa; row is the "
                  "row of the matrix / 128",
        .differs =
            "DeepSeek checkpoints and DeepGEMM do not pad the columns (blk128-linear), which "
            "differs unless columns % 4 == 0",
    },
    {
        .name = "blk128-linear",
        .layout = "(R,C):(C,1)",
        .pad = {1, 1},
        .usual = {4, 4},
        .bits = 32,
        .rows_of_block = 128,
        .blocks = BLOCK_128,
        .padding = "",
        .source = "DeepSeek checkpoints; DeepGEMM 54e2261 check_sf_layout, which also accepts the "
                  "transposed order; row is the row of the matrix / 128",
        .differs = "cuBLAS pads the columns to a multiple of 4 (blk128), which differs unless "
                   "columns % 4 == 0",
    },
    {
        .name = "outer-vec",
        .layout = "(R,C):(1,R)",
        .pad = {1, 1},
        .usual = {128, 1},
        .bits = 32,
        .rows_of_block = 1,
        .blocks = ALL_BLOCKS,
        .is_of_row = true,
        .padding = "",
        .source = "cuBLAS 13 documentation 3.1.4.3; PyTorch ScaledBlas.cpp 0174dfa",
        .differs = "",
    },
    {
        .name = "ue8m0x4",
        .layout = "(R,(4,C/4)):(4,(1,4*R))",
        .pad = {4, 4},
        .usual = {128, 4},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = BLOCK_32 + BLOCK_128,
        .padding =
            "must be 0 in columns; padding rows only make strides multiples of 16 bytes, for "
            "TMA (DeepGEMM)",
        .source = "DeepGEMM 54e2261 tests/test_layout.py; an int32 holds the factors of 4 columns, "
                  "int32 offset / 4, byte offset % 4",
        .differs =
            "the last 4 columns have up(rows, 4) ints in DeepGEMM, only `rows` in flashinfer "
            "and vLLM: same offsets, another size",
    },
    {
        .name = "ue8m0x4-utccp",
        .layout = "(((32,4),R/128),(4,C/4)):(((16,4),512),(1,4*R))",
        .pad = {128, 4},
        .usual = {128, 4},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = BLOCK_32 + BLOCK_128,
        .padding = not_said,
        .source = "DeepGEMM 54e2261 deep_gemm/mega; an int32 holds the factors of 4 columns",
        .differs = "the tiles of 128x4 follow each other along K first, these along M or N first",
    },
    {
        .name = "128x8k",
        .layout = TILE_128X4,
        .pad = {128, 8},
        .usual = {128, 8},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = BLOCK_32,
        .padding = not_said,
        .source = "triton_kernels blackwell_scale.py 00a287a; 128x4 with columns padded to 8",
        .differs = "cuBLAS, torchao, CUTLASS, flashinfer and TransformerEngine pad columns to 4 "
                   "(128x4)",
    },
    {
        .name = "hopper-mx",
        .layout = "((8,2,W,2,R/32/W),(2,C/2)):((4,1,32*C,32,32*W*C),(2,64))",
        .pad = {32, 2},
        .usual = {32, 2},
        .argument = 8,
        .bits = 8,
        .rows_of_block = 1,
        .blocks = BLOCK_32,
        .padding = not_said,
        .source = "triton_kernels hopper_scale.py 14dd7a1; the argument is num_warps",
        .differs = "",
    },
    {
        .name = "nvfp4-kv-v",
        .layout = "((4,R/4),C):((1,4*C),4)",
        .pad = {4, 1},
        .multiple = 4,
        .usual = {16, 8},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = BLOCK_16,
        .padding = not_said,
        .source = "flashinfer 0.7.4; vLLM nvfp4_kv_cache_kernels.cu; V factors of one page and "
                  "head: row is the token, col the block of head_dim",
        .differs = "K factors are linear; readers for sm_120 want linear V factors, too "
                   "(vllm#50084)",
    },
    {
        .name = "aiter",
        .layout = "((16,2,R/32),(4,2,C/8)):((4,1,32*C),(64,2,256))",
        .pad = {256, 8},
        .usual = {256, 8},
        .bits = 8,
        .rows_of_block = 1,
        .blocks = BLOCK_32,
        .padding = "must exist; aiter leaves it uninitialized (torch.empty)",
        .source = "AMD aiter 0122c48 e8m0_shuffle, for gfx950",
        .differs = "hipBLASLt's HostPreSwizzle puts blocks along K first and pads rows to 32 "
                   "(rocm-libraries#12232)",
    },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- Names ---- */

static const char of_output[] = "for D, cuBLAS and CUTLASS mean: row is n, col is m / block "
                                "(CUTLASS's Major::K: row m, col n / block)";

static const char of_pytorch[] = "PyTorch's SwizzleType states the layout: this is SWIZZLE_32_4_4; "
                                 "NO_SWIZZLE is linear";
static const char of_tensor[] = "is one factor for the whole matrix, so it has no layout";

/* A name that a library uses, in lower case, with "_" for "-". */
static const struct alias {
    const char *name, *kind;
    uint32_t block;     /* the size of the block; 0 if the name does not state it */
    bool takes_block;   /* the size of the block follows in angle brackets or parentheses */
    const char *remark; /* or NULL; if `kind` is NULL, the reason why there is no layout */
} aliases[] = {
    {"VEC32_UE8M0", "128x4", 32, false, NULL}, /* cuBLASLt */
    {"VEC16_UE4M3", "128x4", 16, false, NULL},
    {"D_OUT_SCALE", "128x4", 0, false, of_output},
    {"D_OUT_SCALE_POINTER", "128x4", 0, false, of_output},
    {"F8_128x4", "128x4", 0, false, NULL},             /* cuDNN */
    {"SWIZZLE_32_4_4", "128x4", 0, false, NULL},       /* PyTorch */
    {"BlockWise1x32", "128x4", 32, false, of_pytorch}, /* PyTorch's ScalingType */
    {"BlockWise1x16", "128x4", 16, false, of_pytorch},
    {"to_blocked", "128x4", 0, false, NULL},            /* torchao */
    {"Sm1xxBlockScaledConfig", "128x4", 0, true, NULL}, /* CUTLASS */
    {"Sm1xxBlkScaledConfig", "128x4", 0, true, NULL},
    {"Sm1xxBlockScaledBasicChunk", "128x4", 0, true, NULL},
    {"Sm1xxBlockScaledOutputConfig", "128x4", 0, true, of_output},
    {"SfAtom", "128x4", 0, false, NULL},
    {"BlockScaledBasicChunk", "128x4", 0, true, NULL}, /* CuTe DSL */
    {"layout_128x4", "128x4", 0, false, NULL},         /* flashinfer */
    {"block_scale_interleave", "128x4", 0, false, NULL},
    {"nvfp4_block_scale_interleave", "128x4", 16, false, NULL},
    {"R128c4", "128x4", 0, false, NULL},
    {"SWIZZLED_128x4", "128x4", 0, false, NULL}, /* TensorRT-LLM */
    {"SWIZZLED", "128x4", 0, false, NULL},
    {"swizzle_blockscale", "128x4", 0, false, NULL},      /* vLLM, sglang */
    {"swizzle_scaling_factors", "128x4", 0, false, NULL}, /* TransformerEngine */
    {"GEMM_swizzled", "128x4", 0, false, NULL},
    {"get_block_scale_offset", "128x4", 0, false, NULL}, /* nvmath */
    {"linear_to_swizzled_128_4", "128x4", 0, false,
     "for sizes that are no multiples, nvFuser's function cuts off padding after the swizzle"},
    {"layout_8x4", "8x4", 0, false, NULL},
    {"use_8x4_sf_layout", "8x4", 0, false, NULL},
    {"R8c4", "8x4", 0, false, NULL},
    {"SWIZZLED_8x4", "8x4", 0, false, NULL},
    {"layout_linear", "linear", 0, false, NULL},
    {"NO_SWIZZLE", "linear", 0, false, NULL},
    {"rowwise_scale_inv", "linear-padded", 0, false, NULL},
    {"columnwise_scale_inv", "columnwise", 32, false,
     "this is mxfp8's columnwise_scale_inv; nvfp4's is linear-padded"},
    {"VEC128_32F", "mn-major", 128, false, NULL},
    {"BlockWise1x128", "mn-major", 128, false, NULL},
    {"scale_major_mode=MN", "mn-major", 128, false, NULL},
    {"column_major_scales", "mn-major", 128, false, NULL},
    {"get_mn_major_tma_aligned_tensor", "mn-major-4", 128, false, NULL},
    {"get_col_major_tma_aligned_tensor", "mn-major-4", 128, false, NULL},
    {"Float8BlockScaling", "mn-major-4", 128, false, NULL},
    {"scale_tma_aligned", "mn-major-4", 128, false, NULL},
    {"BLK128x128_32F", "blk128", 128, false, NULL},
    {"BlockWise128x128", "blk128", 128, false, NULL},
    {"block_scaling_dim=2", "blk128", 128, false, NULL},
    {"weight_scale_inv", "blk128-linear", 128, false, NULL},
    {"check_sf_layout", "blk128-linear", 128, false, NULL},
    {"scale_major_mode=K", "blk128-linear", 128, false, NULL},
    {"OUTER_VEC_32F", "outer-vec", 0, false, NULL},
    {"RowWise", "outer-vec", 0, false, NULL},
    {"get_mn_major_tma_aligned_packed_ue8m0_tensor", "ue8m0x4", 0, false, NULL},
    {"PerTokenGroupFP8PackedQuant", "ue8m0x4", 0, false, NULL},
    {"transpose_sf_for_utccp", "ue8m0x4-utccp", 0, false, NULL},
    {"BLACKWELL_SCALE", "128x8k", 32, false, NULL},
    {"BLACKWELL_ACT_SCALE", "128x8k", 32, false, NULL},
    {"BlackwellMXScaleLayout", "128x8k", 32, false, NULL},
    {"BlackwellActMXScaleLayout", "128x8k", 32, false, NULL},
    {"HOPPER_MX_SCALE", "hopper-mx", 32, false, NULL},
    {"HOPPER_SCALE", "hopper-mx", 32, false, NULL},
    {"HopperMXScaleLayout", "hopper-mx", 32, false, NULL},
    {"swizzle_scale_offset", "nvfp4-kv-v", 16, false, NULL},
    {"v_sf_swizzled", "nvfp4-kv-v", 16, false, NULL},
    {"e8m0_shuffle", "aiter", 32, false, NULL},
    {"shuffle_scale", "aiter", 32, false, NULL},
    /* PyTorch, ROCm: not known */
    {"BlockWiseBlk32Ue8m0_32_8_EXT", NULL, 32, false,
     "has tiles of 32 x 8 on ROCm, but no source says in which order its factors are; 'aiter' is "
     "the layout of AMD's aiter"},
    {"TensorWise", NULL, 0, false, of_tensor}, /* PyTorch */
    {"SCALAR_32F", NULL, 0, false, of_tensor}, /* cuBLASLt */
};

enum { ALIASES = sizeof aliases / sizeof *aliases };

const char *mapping_scale_name_at(size_t n) {
    return n < KINDS ? kinds[n].name : n - KINDS < ALIASES ? aliases[n - KINDS].name : NULL;
}

/* Words that may precede a name without a dot or colon. */
static const char *const prefixes[] = {"cublaslt_matmul_matrix_scale_", "cublaslt_matmul_desc_",
                                       "cudnn_tensor_reordering_", "matrix_scale_", "nvte_"};

/* Copies a name in lower case, without blanks and quotes and with "_" for "-", and the text after
 * "<" or "(" to `argument`. False if the name is too long. */
static bool split(const char *text, char name[96], char argument[96]) {
    size_t length = 0, behind = 0;
    bool is_behind = false;
    for (; *text; text++) {
        const char c = ascii_lower(*text);
        is_behind = is_behind || c == '<' || c == '(' || c == '{';
        if (length + 1 >= 96 || behind + 1 >= 96)
            return false;
        if (is_behind)
            argument[behind++] = c;
        else if (!ascii_is_blank(c) && c != '"' && c != '\'')
            name[length++] = (char)(c == '-' ? '_' : c);
        else if (ascii_is_blank(c) && length > 0 && text[1] && !ascii_is_digit(name[length - 1]) &&
                 name[length - 1] != 'x' && name[length - 1] != '_')
            name[length++] = '_'; /* "GEMM swizzled", but "128 x 4" */
    }
    while (length > 0 && name[length - 1] == '_')
        length--;
    name[length] = '\0';
    argument[behind] = '\0';
    return length > 0;
}

static bool is_named(const char *known, const char *name) {
    for (; *known && *name; known++, name++)
        if ((*known == '-' ? '_' : ascii_lower(*known)) != *name)
            return false;
    return *known == *name;
}

/* Finds the row and the alias; false if there is none. */
static bool find(const char *text, const struct mapping_scale_kind **kind,
                 const struct alias **alias, char argument[96]) {
    char whole[96];
    const char *name = whole;
    *kind = NULL;
    *alias = NULL;
    if (!text || strchr(text, '#') || !split(text, whole, argument))
        return false;
    for (const char *c = whole; *c; c++)
        if (*c == '.' || (*c == ':' && c[1] != ':'))
            name = c + 1; /* after the last scope */
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
        if (strncmp(name, prefixes[p], strlen(prefixes[p])) == 0)
            name += strlen(prefixes[p]);
    while (*name == '_') /* "_swizzle_blockscale" */
        name++;
    for (size_t k = 0; k < KINDS; k++)
        if (is_named(kinds[k].name, name))
            *kind = &kinds[k];
    for (size_t a = 0; a < ALIASES && !*kind && !*alias; a++)
        if (is_named(aliases[a].name, name))
            *alias = &aliases[a];
    for (size_t k = 0; k < KINDS && *alias && (*alias)->kind; k++)
        if (strcmp(kinds[k].name, (*alias)->kind) == 0)
            *kind = &kinds[k];
    const bool may_have_argument =
        (*alias && (*alias)->takes_block) || (*kind && (*kind)->argument);
    return (*kind || *alias) &&
           (may_have_argument || strcmp(argument, "()") == 0 || strcmp(argument, "{}") == 0 ||
            !*argument || ascii_is_digit(argument[1]));
}

bool mapping_scales_is_meant(const char *text) {
    const struct mapping_scale_kind *kind;
    const struct alias *alias;
    char argument[96];
    return find(text, &kind, &alias, argument);
}

static bool is_block(unsigned long number) {
    return number == BLOCK_16 || number == BLOCK_32 || number == BLOCK_128;
}

enum mapping_status mapping_scales_read(const char *text, struct mapping_scales *scales,
                                        struct mapping_error *error) {
    const struct mapping_scale_kind *kind;
    const struct alias *alias;
    char argument[96];
    if (!find(text, &kind, &alias, argument))
        return mapping_fail(error, MAPPING_INVALID, "'%.80s' is no layout of scale factors", text);
    if (!kind)
        return mapping_fail(error, MAPPING_INVALID, "'%.80s' %s", text, alias->remark);
    *scales = (struct mapping_scales){.kind = kind, .argument = kind->argument, .remark = ""};
    if (alias) {
        scales->block = alias->block;
        scales->remark = alias->remark ? alias->remark : "";
    }
    snprintf(scales->name, sizeof scales->name, "%s", kind->name);
    const char *digits = argument + strcspn(argument, "0123456789");
    if (!*digits)
        return MAPPING_OK;
    const unsigned long number = strtoul(digits, NULL, 10);
    if (alias && alias->takes_block) {
        if (!is_block(number) || !(kind->blocks & number))
            return mapping_fail(error, MAPPING_INVALID,
                                "'%.80s': a factor is for 16 or 32 elements, not %lu", text,
                                number);
        scales->block = (uint32_t)number;
        return MAPPING_OK;
    }
    if (kind->argument == 0)
        return mapping_fail(error, MAPPING_INVALID, "'%.80s': %s takes no argument", text,
                            kind->name);
    if (number < 1 || number > 32 || (number & (number - 1)) != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s': the number of warps must be 1, 2, 4, 8, 16 or 32, not %lu",
                            text, number);
    scales->argument = (uint32_t)number;
    return MAPPING_OK;
}

/* ---- Sizes ---- */

/* Reads a product, "32*W*C", "R/32/W", up to the first character that cannot be part of it. */
static uint32_t read_product(const char **text, const struct mapping_scales *scales) {
    uint64_t value = 1;
    char operation = '*';
    for (;; operation = *(*text)++) {
        uint32_t factor;
        if (ascii_is_digit(**text)) {
            char *end;
            factor = (uint32_t)strtoul(*text, &end, 10);
            *text = end;
        } else {
            const char letter = *(*text)++;
            factor = letter == 'R'   ? scales->padded[scales->is_turned]
                     : letter == 'C' ? scales->padded[!scales->is_turned]
                                     : scales->argument;
        }
        value = operation == '*' ? value * factor : value / factor;
        if (**text != '*' && **text != '/')
            return (uint32_t)value;
    }
}

/* Writes the notation with numbers, rows before columns, and reads it. */
static void fill_notation(struct mapping_scales *scales) {
    struct mapping_modes_fault fault;
    unsigned rank;
    char part[2][2][sizeof scales->notation / 4 - 1] = {{"", ""}, {"", ""}};
    int depth = 0, axis = 0;
    bool is_behind = false; /* strides follow the colon */
    for (const char *c = scales->kind->layout; *c;) {
        char *text = part[is_behind][axis ^ scales->is_turned];
        if (!strchr("(),:", *c)) {
            mapping_append(text, sizeof part[0][0], "%u", read_product(&c, scales));
            continue;
        }
        const bool is_inside = depth > (*c == ',' || *c == ')' ? 1 : 0) && *c != ':';
        if (is_inside)
            mapping_append(text, sizeof part[0][0], "%c", *c);
        depth += (*c == '(') - (*c == ')');
        is_behind = is_behind || *c == ':';
        axis = *c == ':' ? 0 : axis + (*c == ',' && !is_inside);
        c++;
    }
    snprintf(scales->notation, sizeof scales->notation, "(%s,%s):(%s,%s)", part[0][0], part[0][1],
             part[1][0], part[1][1]);
    scales->cute = (struct mapping_cute){.count = 2};
    mapping_modes_read(scales->notation, scales->cute.axis, 2, &rank, &fault);
}

static uint32_t round_up(uint32_t value, uint32_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

/* The number to a multiple of which rows or columns of the kind are padded, before any exchange of
 * rows and columns. */
static uint32_t padding_of(const struct mapping_scales *scales, int axis) {
    return scales->kind->pad[axis] * (axis == 0 && scales->argument ? scales->argument : 1);
}

enum mapping_status mapping_scales_resize(struct mapping_scales *scales, const uint32_t extent[2],
                                          uint32_t block, struct mapping_error *error) {
    enum { SIZE_MOST = 1 << 24 };
    const struct mapping_scale_kind *kind = scales->kind;
    if (block && !(kind->blocks & block))
        return mapping_fail(error, MAPPING_INVALID,
                            "--block=%u: %s is used with blocks of %s elements", block, kind->name,
                            kind->blocks == SMALL_BLOCKS           ? "16 or 32"
                            : kind->blocks == BLOCK_16             ? "16"
                            : kind->blocks == BLOCK_32             ? "32"
                            : kind->blocks == BLOCK_128            ? "128"
                            : kind->blocks == BLOCK_32 + BLOCK_128 ? "32 or 128"
                                                                   : "16, 32 or 128");
    if (block && scales->block && block != scales->block)
        return mapping_fail(error, MAPPING_INVALID,
                            "--block=%u: the name says that blocks have %u elements", block,
                            scales->block);
    for (int axis = 0; axis < 2; axis++) {
        const int place = axis ^ scales->is_turned;
        uint32_t size = extent[place]                 ? extent[place]
                        : axis == 0 && kind->argument ? kind->usual[0] * scales->argument
                                                      : kind->usual[axis];
        const uint32_t of = axis == 0 ? kind->rows_of_block : block;
        if (extent[place] && block)
            size = axis == 1 && kind->is_of_row ? 1 : (size + of - 1) / of;
        scales->extent[place] = size;
        scales->padded[place] = round_up(size, padding_of(scales, axis));
    }
    const uint32_t along_k = scales->extent[!scales->is_turned];
    scales->block = kind->is_of_row ? 0 : block ? block : scales->block;
    if (kind->is_of_row && along_k != 1)
        return mapping_fail(
            error, MAPPING_INVALID, "%s has one factor for each %s, so its extent is %s, not %u,%u",
            kind->name, scales->is_turned ? "column" : "row",
            scales->is_turned ? "1,COLUMNS" : "ROWS,1", scales->extent[0], scales->extent[1]);
    if (kind->multiple && along_k % kind->multiple != 0)
        return mapping_fail(error, MAPPING_INVALID, "%s needs a multiple of %u %s, not %u",
                            kind->name, kind->multiple, scales->is_turned ? "rows" : "columns",
                            along_k);
    if ((uint64_t)scales->padded[0] * scales->padded[1] > SIZE_MOST)
        return mapping_fail(error, MAPPING_INVALID,
                            "%u x %u scale factors, padded to %u x %u, are too many: the limit is "
                            "2^24",
                            scales->extent[0], scales->extent[1], scales->padded[0],
                            scales->padded[1]);
    if (kind->argument)
        snprintf(scales->name, sizeof scales->name, "%s<%u>", kind->name, scales->argument);
    fill_notation(scales);
    return MAPPING_OK;
}

uint32_t mapping_scales_offset(const struct mapping_scales *scales, uint32_t row, uint32_t col) {
    return mapping_modes_at(&scales->cute.axis[0], row) +
           mapping_modes_at(&scales->cute.axis[1], col);
}

uint32_t mapping_scales_size(const struct mapping_scales *scales) {
    return scales->padded[0] * scales->padded[1];
}

const char *mapping_scales_type(const struct mapping_scales *scales) {
    const bool is_wide =
        scales->kind->bits == 32 || (scales->kind->bits == 0 && scales->block == 128);
    return is_wide                                                         ? "f32"
           : scales->block == BLOCK_16 || scales->kind->blocks == BLOCK_16 ? "ue4m3"
                                                                           : "ue8m0";
}

/* ---- As expressions ---- */

/* The largest number of digits of a layout, and the size of the text of a product. */
enum { DIGITS = 8, PRODUCT = 48 };

/* Copies a product up to the next comma or parenthesis. Sizes become numbers, or R and C. */
static const char *copy_product(const char *text, const struct mapping_scales *scales,
                                bool is_general, char product[PRODUCT]) {
    *product = '\0';
    if (!is_general) {
        snprintf(product, PRODUCT, "%u", read_product(&text, scales));
        return text;
    }
    for (; !strchr("(),:", *text); text++)
        if (*text == 'W')
            mapping_append(product, PRODUCT, "%u", scales->argument);
        else if (scales->is_turned && strchr("RC", *text))
            mapping_append(product, PRODUCT, "%c", *text == 'R' ? 'C' : 'R');
        else
            mapping_append(product, PRODUCT, strchr("*/", *text) ? " %c " : "%c", *text);
    return text;
}

static bool is_number(const char *text) {
    return text[strspn(text, "0123456789")] == '\0';
}

/* A digit of a coordinate: its axis, and its shape and stride in CuTe's notation. */
struct digit {
    char shape[PRODUCT], stride[PRODUCT];
    int axis;
};

/* Reads the digits of a layout, those of M or N before those of K. Returns their number. */
static size_t read_digits(const struct mapping_scales *scales, bool is_general,
                          struct digit digits[DIGITS]) {
    size_t count = 0, strides = 0;
    int axis = 0, depth = 0;
    bool is_behind = false; /* strides follow the colon */
    for (const char *c = scales->kind->layout; *c;) {
        if (!strchr("(),:", *c)) {
            struct digit *digit = &digits[is_behind ? strides++ : count++];
            digit->axis = axis ^ scales->is_turned;
            c = copy_product(c, scales, is_general, is_behind ? digit->stride : digit->shape);
            continue;
        }
        depth += (*c == '(') - (*c == ')');
        is_behind = is_behind || *c == ':';
        axis = *c == ':' ? 0 : axis + (*c == ',' && depth == 1);
        c++;
    }
    return count;
}

void mapping_scales_formula(const struct mapping_scales *scales, bool is_general,
                            char text[MAPPING_SCALES_TEXT]) {
    struct digit digits[DIGITS] = {{"", "", 0}};
    const size_t count = read_digits(scales, is_general, digits);
    char weight[PRODUCT] = "1"; /* the divisor of a digit: the product of the shapes before it */
    *text = '\0';
    for (size_t d = 0; d < count; d++) {
        const struct digit *digit = &digits[d];
        const bool is_last = d + 1 == count || digits[d + 1].axis != digit->axis;
        char whole[PRODUCT];
        if (is_number(weight) && is_number(digit->shape))
            snprintf(whole, sizeof whole, "%lu",
                     strtoul(weight, NULL, 10) * strtoul(digit->shape, NULL, 10));
        else
            snprintf(whole, sizeof whole, "%.*s", PRODUCT - 1,
                     digit->shape); /* only a first digit has shape 1 */
        if (strcmp(digit->shape, "1") != 0) {
            mapping_append(text, MAPPING_SCALES_TEXT, "%s%s", *text ? " + " : "",
                           digit->axis == 0 ? "row" : "col");
            if (!is_last)
                mapping_append(text, MAPPING_SCALES_TEXT, is_number(whole) ? " %% %s" : " %% (%s)",
                               whole);
            if (strcmp(weight, "1") != 0)
                mapping_append(text, MAPPING_SCALES_TEXT, is_number(weight) ? " / %s" : " / (%s)",
                               weight);
            if (strcmp(digit->stride, "1") != 0)
                mapping_append(text, MAPPING_SCALES_TEXT,
                               strchr(digit->stride, ' ') ? " * (%s)" : " * %s", digit->stride);
        }
        snprintf(weight, sizeof weight, "%s", is_last ? "1" : whole);
    }
    if (!*text)
        snprintf(text, MAPPING_SCALES_TEXT, "0");
}

void mapping_scales_rounded(const struct mapping_scales *scales, int axis, const char *name,
                            char text[64]) {
    const uint32_t pad = padding_of(scales, axis ^ scales->is_turned);
    if (pad == 1)
        snprintf(text, 64, "%s", name);
    else
        snprintf(text, 64, "(%s + %u) / %u * %u", name, pad - 1, pad, pad);
}
