/* sm120.c - atoms of CuTe that are templates of types:
 *
 *     SM120_16x8x32_TN<float_e4m3_t, float_e5m2_t, float>
 *
 * of A, B and C and, with scale factors, theirs and how many elements share one. Which there are
 * say the specializations in CUTLASS 4.2, include/cute/arch/mma_sm120.hpp and mma_sm120_sparse.hpp.
 */
#include "catalogue/family.h"

#include <stdio.h>
#include <string.h>

struct atom_template {
    const char *scope, *name; /* in the namespace cute */
    const char *words;        /* of the opcode, up to the shape */
    const char *sizes;        /* that static_asserts let through */
    uint32_t c, ab, scale;    /* sets of types; scale empty: there are no scale factors */
    bool is_sparse;
};

static const struct atom_template templates[] = {
    /* clang-format off */
    {.scope = "", .name = "sm120_16x8x32_tn",
     .words = "kind::f8f6f4.m16n8k32", .c = F32 | F16, .ab = FP8_TO_4},
    {.scope = "sm120::blockscaled", .name = "sm120_16x8x32_tn_vs",
     .words = "kind::mxf8f6f4.block_scale.scale_vec::1x.m16n8k32", .c = F32, .ab = FP8_TO_4,
     .scale = UE8M0, .sizes = "32"},
    {.scope = "sm120::blockscaled", .name = "sm120_16x8x64_tn_vs",
     .words = "kind::mxf4nvf4.block_scale.scale_vec::2x.m16n8k64", .c = F32, .ab = E2M1,
     .scale = UE8M0, .sizes = "16 32"},
    {.scope = "sm120::blockscaled", .name = "sm120_16x8x64_tn_vs",
     .words = "kind::mxf4nvf4.block_scale.scale_vec::4x.m16n8k64", .c = F32, .ab = E2M1,
     .scale = UE4M3, .sizes = "16 32"},
    {.scope = "sm120::sparse", .name = "sm120_sparse_16x8x64_tn", .is_sparse = true,
     .words = "kind::f8f6f4.m16n8k64", .c = F32 | F16, .ab = FP8_TO_4},
    {.scope = "sm120::blockscaled::sparse", .name = "sm120_sparse_16x8x64_tn_vs",
     .is_sparse = true, .words = "kind::mxf8f6f4.block_scale.scale_vec::1x.m16n8k64",
     .c = F32, .ab = FP8_TO_4, .scale = UE8M0, .sizes = "64"},
    {.scope = "sm120::blockscaled::sparse", .name = "sm120_sparse_16x8x128_tn_vs",
     .is_sparse = true, .words = "kind::mxf4nvf4.block_scale.scale_vec::2x.m16n8k128",
     .c = F32, .ab = E2M1, .scale = UE8M0, .sizes = "32 64"},
    {.scope = "sm120::blockscaled::sparse", .name = "sm120_sparse_16x8x128_tn_vs",
     .is_sparse = true, .words = "kind::mxf4nvf4.block_scale.scale_vec::4x.m16n8k128",
     .c = F32, .ab = E2M1, .scale = UE4M3, .sizes = "32"},
    /* clang-format on */
};

/* Reads float, half_t, or float_e4m3_t and its like as one of the types; the namespaces cute and
 * cutlass have all but float. */
static bool read_argument(const char *argument, uint32_t types, enum mapping_type *type) {
    static const char *const scopes[] = {"", "cute::", "cutlass::"};
    char spelling[32];
    for (; types; types &= types - 1) {
        *type = (enum mapping_type)mapping_set_member(types, 0);
        if (*type == MAPPING_F32 && strcmp(argument, "float") == 0)
            return true;
        for (size_t s = 0; s < sizeof scopes / sizeof *scopes && *type != MAPPING_F32; s++) {
            if (*type == MAPPING_F16)
                snprintf(spelling, sizeof spelling, "%shalf_t", scopes[s]);
            else
                snprintf(spelling, sizeof spelling, "%sfloat_%s_t", scopes[s],
                         mapping_type_name(*type));
            if (strcmp(argument, spelling) == 0)
                return true;
        }
    }
    return false;
}

/* Reads a number, "32" or "(int)32", as one of those of a list; there are none but of two digits.
 */
static bool read_number(const char *argument, const char *numbers) {
    static const char cast[] = "(int)";
    if (strncmp(argument, cast, sizeof cast - 1) == 0)
        argument += sizeof cast - 1;
    return strlen(argument) == 2 && strstr(numbers, argument);
}

/* Writes the opcode of an instance of the template; false if it is none. */
static bool read_instance(const struct atom_template *of, const struct cpp_name *cpp,
                          char opcode[MAPPING_OPCODE_SIZE]) {
    enum mapping_type a, b, c, scale;
    const char *scale_name = "";
    if (strcmp(cpp->name, of->name) != 0 || !mapping_cpp_is_in(cpp, of->scope) ||
        cpp->argument_count != (of->scale ? 5 : 3) ||
        !read_argument(cpp->arguments[0], of->ab, &a) ||
        !read_argument(cpp->arguments[1], of->ab, &b) ||
        !read_argument(cpp->arguments[2], of->c, &c))
        return false;
    if (of->scale) {
        if (!read_argument(cpp->arguments[3], of->scale, &scale) ||
            !read_number(cpp->arguments[4], of->sizes))
            return false;
        scale_name = mapping_type_name(scale);
    }
    snprintf(opcode, MAPPING_OPCODE_SIZE, "mma.%ssync.aligned.%s.row.col.%s.%s.%s.%s%s%s",
             of->is_sparse ? "sp::ordered_metadata." : "", of->words, mapping_type_name(c),
             mapping_type_name(a), mapping_type_name(b), mapping_type_name(c),
             *scale_name ? "." : "", scale_name);
    return true;
}

bool mapping_instance_read(const struct cpp_name *cpp, char opcode[MAPPING_OPCODE_SIZE]) {
    for (size_t t = 0; t < sizeof templates / sizeof *templates; t++)
        if (read_instance(&templates[t], cpp, opcode))
            return true;
    return false;
}
