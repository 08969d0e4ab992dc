/* tensor_memory_atoms.c - names of CuTe's atoms whose operands lie in Tensor Memory: those of
 * tcgen05.ld and tcgen05.st, whose names say all, and those of tcgen05.mma, which say M and N as
 * arguments of the template. See include/cute/arch/copy_sm100.hpp and mma_sm100_umma.hpp of CUTLASS
 * 4.2. */
#include "catalogue/family.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Moves: SM100_TMEM_LOAD_32dp32b32x_16b ---- */

static const struct {
    const char *scope, *start, *mnemonic, *form; /* the scope is in the namespace cute */
} moves[] = {
    {"sm100::tmem::load", "sm100_tmem_load_", "tcgen05.ld", "pack::16b"},
    {"sm100::tmem::store", "sm100_tmem_store_", "tcgen05.st", "unpack::16b"},
};

/* Cuts a text off the front; false if it is not there. */
static bool cut(const char **text, const char *front) {
    size_t length = strlen(front);
    if (strncmp(*text, front, length) != 0)
        return false;
    *text += length;
    return true;
}

/* Cuts a number of one to three digits that does not begin with 0 off the front. */
static bool cut_number(const char **text, uint16_t *number) {
    size_t length = strspn(*text, "0123456789");
    if (length == 0 || length > 3 || **text == '0')
        return false;
    *number = (uint16_t)strtoul(*text, NULL, 10);
    *text += length;
    return true;
}

/* Reads "32dp32b32x" or "32dp32b32x_16b": lanes, bits, repeats. */
static bool read_move(const char *text, struct mapping_shape *shape, bool *is_packed) {
    if (!cut_number(&text, &shape->m) || !cut(&text, "dp") || !cut_number(&text, &shape->n) ||
        !cut(&text, "b") || !cut_number(&text, &shape->k) || !cut(&text, "x"))
        return false;
    *is_packed = cut(&text, "_16b");
    return *text == '\0';
}

bool mapping_move_atom_read(const struct cpp_name *cpp, char opcode[MAPPING_OPCODE_SIZE]) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    for (size_t n = 0; n < sizeof moves / sizeof *moves; n++) {
        const char *rest = cpp->name;
        struct mapping_shape shape;
        char lanes[LANES_TEXT];
        bool is_packed;
        if (cpp->argument_count > 0 || cpp->is_multiplication || !cut(&rest, moves[n].start) ||
            !mapping_cpp_is_in(cpp, moves[n].scope) || !read_move(rest, &shape, &is_packed))
            continue;
        mapping_lanes_text(shape, lanes);
        snprintf(opcode, MAPPING_OPCODE_SIZE, "%s.sync.aligned.%s.x%u%s%s.b32", moves[n].mnemonic,
                 lanes, shape.k, is_packed ? "." : "", is_packed ? moves[n].form : "");
        return mapping_find_opcode(opcode, found) > 0;
    }
    return false;
}

/* ---- Multiplications: SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128, ...> ---- */

/* What a name says of types behind "sm100_mma_", and K of what is not sparse. */
static const struct {
    const char *types;
    unsigned k;
} kinds[] = {{"tf32", 8},      {"f16bf16", 16}, {"s8", 32},      {"f8f6f4", 32},
             {"mxf8f6f4", 32}, {"mxf4", 64},    {"mxf4nvf4", 64}};

/* K of the name, and false of those that are none. */
static bool read_kind(const char *name, unsigned *k) {
    size_t length = strcspn(name, "_");
    for (size_t n = 0; n < sizeof kinds / sizeof *kinds && name[length]; n++)
        if (strlen(kinds[n].types) == length && strncmp(name, kinds[n].types, length) == 0) {
            *k = kinds[n].k;
            return true;
        }
    return false;
}

static bool is_number(const char *text) {
    size_t length = strspn(text, "0123456789");
    return length > 0 && length <= 3 && *text != '0' && !text[length];
}

/* Finds M and N among the arguments: two numbers that follow the types. False if there are none. */
static bool find_sizes(const struct cpp_name *cpp, struct mapping_shape *shape) {
    for (size_t a = 3; a + 1 < cpp->argument_count; a++)
        if (is_number(cpp->arguments[a]) && is_number(cpp->arguments[a + 1])) {
            shape->m = (uint16_t)strtoul(cpp->arguments[a], NULL, 10);
            shape->n = (uint16_t)strtoul(cpp->arguments[a + 1], NULL, 10);
            return true;
        }
    return false;
}

/* The type of D, the third argument; that which is usual if there are no arguments. */
static enum mapping_type type_of_d(const struct cpp_name *cpp) {
    enum mapping_type type =
        strncmp(cpp->name, "sm100_mma_s8", 12) == 0 ? MAPPING_S32 : MAPPING_F32;
    if (cpp->argument_count > 2) {
        const char *scope = strrchr(cpp->arguments[2], ':');
        mapping_type_find(scope ? scope + 1 : cpp->arguments[2], &type);
    }
    return type;
}

bool mapping_accumulator_of_atom(const char *name, struct mapping_fragment *fragment,
                                 bool *is_said) {
    static const char start[] = "sm100_mma_";
    struct cpp_name cpp;
    unsigned k;
    if (!mapping_cpp_read(&cpp, name) || cpp.is_copy || !mapping_cpp_is_in(&cpp, "") ||
        strncmp(cpp.name, start, sizeof start - 1) != 0 ||
        !read_kind(cpp.name + sizeof start - 1, &k))
        return false;
    bool is_pair = strstr(cpp.name, "_2x1sm_"), is_sparse = strstr(cpp.name, "_sparse");
    struct mapping_fragment wanted = {.operand = MAPPING_D, .type = type_of_d(&cpp)};
    wanted.instruction = is_pair ? MAPPING_TCGEN05_MMA_CTA2 : MAPPING_TCGEN05_MMA;
    if (is_sparse)
        mapping_instruction_find_sparse(wanted.instruction, &wanted.instruction);
    wanted.shape = (struct mapping_shape){.m = is_pair ? 256 : 128, .n = 128};
    wanted.shape.k = (uint16_t)(is_sparse ? 2 * k : k);
    *is_said = find_sizes(&cpp, &wanted.shape);
    return mapping_fragment_find(&wanted, 0, fragment);
}
