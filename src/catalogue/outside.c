/* outside.c - atoms of CuTe that are not in the catalogue, and what they are instead. */
#include "catalogue/family.h"
#include "layout/ascii.h"

#include <string.h>

/* include/cute/arch/ of CUTLASS 4.2. A star at the end of a name stands for anything. */
static const struct {
    const char *scope, *name; /* in the namespace cute */
    const char *what;
} outside[] = {
    /* mma.hpp, mma_sm61.hpp, mma_sm100.hpp */
    {"", "universalfma", "one multiply-add of one thread, not a matrix instruction"},
    {"", "sm61_dp4a", "dp4a, not a matrix instruction"},
    {"", "sm61_dp2a", "dp2a, not a matrix instruction"},
    {"", "sm100_2x1x1_f32f32f32f32", "fma.f32x2, not a matrix instruction"},
    {"", "sm100_1x2x1_f32f32f32f32", "fma.f32x2, not a matrix instruction"},
    /* mma_sm80.hpp, mma_sm90.hpp: complex numbers */
    {"", "sm80_8x8x4_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM80_8x8x4_F64F64F64F64_TN"},
    {"", "sm80_8x8x4_gc64c64c64gc64_tn",
     "three mma instructions, each with the fragments of SM80_8x8x4_F64F64F64F64_TN"},
    {"", "sm90_16x8x4_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x4_F64F64F64F64_TN"},
    {"", "sm90_16x8x8_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x8_F64F64F64F64_TN"},
    {"", "sm90_16x8x16_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x16_F64F64F64F64_TN"},
    {"sm90", "mma_16x8x4_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x4_F64F64F64F64_TN"},
    {"sm90", "mma_16x8x8_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x8_F64F64F64F64_TN"},
    {"sm90", "mma_16x8x16_c64c64c64c64_tn",
     "four mma instructions, each with the fragments of SM90_16x8x16_F64F64F64F64_TN"},
    /* mma_sm100_umma.hpp */
    {"", "sm100_mma_*",
     "tcgen05.mma, with D in Tensor Memory; M and N are template arguments of the atom"},
    {"sm103", "sm103_mxf4_ultra_*",
     "tcgen05.mma, with D in Tensor Memory; M and N are template arguments of the atom"},
    /* copy_sm50.hpp, copy_sm80.hpp, copy_sm90_tma.hpp, copy_sm100.hpp */
    {"", "sm50_shuffle_*", "shfl.sync, not a matrix instruction"},
    {"", "sm80_cp_async_*", "cp.async, which moves no data to or from registers"},
    {"", "sm90_tma_*", "cp.async.bulk.tensor, which moves no data to or from registers"},
    {"", "sm100_tma_*", "cp.async.bulk.tensor, which moves no data to or from registers"},
    {"", "sm100_load_256bit_cache_noallocation", "ld.global, not a matrix instruction"},
    {"", "sm100_store_256bit_cache_noallocation", "st.global, not a matrix instruction"},
    {"", "sm100_u8x8_ldsm_t",
     "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8, followed by a byte permutation of its "
     "registers"},
    {"", "sm100_u8x16_ldsm_t",
     "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8, followed by a byte permutation of its "
     "registers"},
};

static bool matches(const char *name, const char *pattern) {
    size_t length = strcspn(pattern, "*");
    return strncmp(name, pattern, length) == 0 &&
           (pattern[length] ? name[length] != '\0' : name[length] == '\0');
}

const char *mapping_atom_outside(const char *name) {
    struct cpp_name cpp;
    if (!mapping_cpp_read(&cpp, name))
        return NULL;
    for (size_t o = 0; o < sizeof outside / sizeof *outside; o++)
        if (matches(cpp.name, outside[o].name) && mapping_cpp_is_in(&cpp, outside[o].scope))
            return outside[o].what;
    return NULL;
}

/* True if the text begins with these letters, in upper or lower case, and a digit. */
static bool is_numbered(const char *text, const char *letters) {
    size_t length = strlen(letters);
    return ascii_begins_alike(text, letters, length) && ascii_is_digit(text[length]);
}

/* True if the word, whose length is given, begins as the name of an atom does. */
static bool is_atom(const char *word, size_t length) {
    static const char fma[] = "universalfma";
    return (is_numbered(word, "sm") && memchr(word, '_', length)) || is_numbered(word, "mma_") ||
           is_numbered(word, "gmma_") ||
           (length == sizeof fma - 1 && ascii_begins_alike(word, fma, length));
}

bool mapping_atom_is_meant(const char *name) {
    for (;;) {
        size_t length = 0;
        name += strspn(name, " \t\r\n:<");
        while (ascii_is_letter(name[length]) || ascii_is_digit(name[length]) || name[length] == '_')
            length++;
        if (is_atom(name, length))
            return true;
        name += length;
        if (length == 0 || !*name || !strchr(" :<", *name))
            return false;
    }
}
