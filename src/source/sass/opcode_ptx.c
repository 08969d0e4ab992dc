/* opcode_ptx.c - the PTX that shows what opcodes become; see opcode_ptx.h. */
#include "source/sass/opcode_ptx.h"

#include "catalogue/catalogue.h"

#include <stdio.h>
#include <string.h>

/* ---- Targets ---- */

/* The first PTX version that has the target: PTX ISA, "Release Notes". */
static const struct {
    unsigned arch, ptx;
} targets[] = {
    {70, 60}, {72, 61}, {75, 63},  {80, 70},  {86, 71},  {87, 74},  {88, 90},
    {89, 78}, {90, 80}, {100, 86}, {103, 88}, {110, 90}, {120, 87}, {121, 88},
};

/* Version 6.4 is the first with mma.m8n8k4, and no ptxas of today is older. */
enum { OLDEST_PTX = 64, FIRST_WITH_A = 90 };

void opcode_ptx_target(unsigned arch, char target[TARGET_SIZE]) {
    snprintf(target, TARGET_SIZE, "sm_%u%s", arch, arch >= FIRST_WITH_A ? "a" : "");
}

void opcode_ptx_start(struct printer *to, unsigned arch, unsigned ptx) {
    char target[TARGET_SIZE];
    unsigned version = ptx > OLDEST_PTX ? ptx : OLDEST_PTX;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        if (targets[t].arch == arch && targets[t].ptx > version)
            version = targets[t].ptx;
    opcode_ptx_target(arch, target);
    print(to, ".version %u.%u\n.target %s\n.address_size 64\n", version / 10, version % 10, target);
}

/* ---- Operands ---- */

/* The registers of one operand: a0, a1 and so on of `type`, of `size` bytes each. */
struct registers {
    char name;
    const char *type;
    unsigned count, size;
};

/* Those of all operands: A, B, C, D, metadata, two scale factors, and an address. */
enum { NAME_ADDRESS = 'p', OPERANDS = 9 };

struct operands {
    const struct mapping_opcode *opcode;
    struct registers registers[OPERANDS];
    size_t count;
};

/* The registers of an operand. f32 is the type that ptxas wants of C and D. */
static struct registers registers_of(const struct mapping_fragment *fragment) {
    static const char names[MAPPING_OPERANDS] = {
        [MAPPING_A] = 'a', [MAPPING_B] = 'b',   [MAPPING_C] = 'c',   [MAPPING_D] = 'd',
        [MAPPING_E] = 'e', [MAPPING_SFA] = 'x', [MAPPING_SFB] = 'y',
    };
    bool is_double = fragment->type == MAPPING_F64;
    return (struct registers){
        .name = names[fragment->operand],
        .type = is_double                       ? "b64"
                : fragment->type == MAPPING_F32 ? "f32"
                                                : "b32",
        .count = fragment->registers / (is_double ? 2 : 1),
        .size = is_double ? 8 : 4,
    };
}

/* The operands of a load or store: an address, and registers that are loaded or stored. */
static void add_moved(struct operands *operands, const struct mapping_fragment *moved) {
    operands->registers[operands->count++] = (struct registers){NAME_ADDRESS, "b32", 1, 4};
    bool is_load =
        moved->instruction == MAPPING_LDMATRIX || moved->instruction == MAPPING_TCGEN05_LD;
    operands->registers[operands->count++] =
        (struct registers){is_load ? 'd' : 'a', "b32", moved->registers, 4};
}

static struct operands operands_of(const struct mapping_opcode *opcode) {
    struct operands operands = {.opcode = opcode};
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    size_t count = mapping_opcode_fragments(opcode, fragments);
    for (size_t f = 0; f < count; f++) {
        if (fragments[f].operand == MAPPING_R)
            add_moved(&operands, &fragments[f]);
        else if (fragments[f].operand != MAPPING_P)
            operands.registers[operands.count++] = registers_of(&fragments[f]);
    }
    return operands;
}

static const struct registers *find(const struct operands *operands, char name) {
    for (size_t r = 0; r < operands->count; r++)
        if (operands->registers[r].name == name)
            return &operands->registers[r];
    return NULL;
}

static bool is_wgmma(const struct operands *operands) {
    return mapping_instruction_probe(operands->opcode->instruction) == PROBE_WGMMA;
}

/* ---- The instruction ---- */

/* Prints {a0, a1}. */
static void print_registers(struct printer *to, const struct operands *operands, char name) {
    const struct registers *registers = find(operands, name);
    for (unsigned n = 0; registers && n < registers->count; n++)
        print(to, "%s%c%u", n ? ", " : "{", name, n);
    print_char(to, '}');
}

/* Prints ldmatrix or stmatrix up to the operands, with the state space in front of the type. */
static void print_shared(struct printer *to, const char *opcode) {
    const char *type = strrchr(opcode, '.');
    print(to, "    %.*s.shared%s ", (int)(type - opcode), opcode, type);
}

/* The descriptor of B, that D is added to; in floating point the signs of A and B; in 16 bits that
 * B is not transposed. */
static void print_wgmma(struct printer *to, const struct operands *operands) {
    const struct mapping_opcode *opcode = operands->opcode;
    print_registers(to, operands, 'd');
    print_text(to, ", ");
    print_registers(to, operands, 'a');
    print(to, ", descriptor%s, 1%s%s", find(operands, 'e') ? ", e0, 0" : "",
          opcode->d == MAPPING_S32 ? "" : ", 1, 1",
          mapping_type_bits(opcode->a) == 16 ? ", 0" : "");
}

/* D, A, B, C; metadata with selector 0; scale factors of byte and thread 0. */
static void print_mma(struct printer *to, const struct operands *operands) {
    for (const char *name = "dabc"; *name; name++) {
        print_text(to, *name == 'd' ? "" : ", ");
        print_registers(to, operands, *name);
    }
    print_text(to, find(operands, 'e') ? ", e0, 0" : "");
    print_text(to, find(operands, 'x') ? ", x0, {0, 0}, y0, {0, 0}" : "");
}

static bool is_of_tensor_memory(const struct operands *operands) {
    return operands->opcode->instruction == MAPPING_TCGEN05_LD ||
           operands->opcode->instruction == MAPPING_TCGEN05_ST;
}

/* The address, and of 16x32bx2 how far behind it the other half lies. */
static void print_columns(struct printer *to, const struct mapping_opcode *opcode) {
    print_text(to, "[p0]");
    if (opcode->shape.m == 16 && opcode->shape.n == 32)
        print(to, ", %u", opcode->shape.k * (opcode->form ? 2U : 1U));
}

static void print_instruction(struct printer *to, const struct operands *operands) {
    const struct mapping_opcode *opcode = operands->opcode;
    switch (opcode->instruction) {
    case MAPPING_LDMATRIX:
        print_shared(to, opcode->text);
        print_registers(to, operands, 'd');
        print_text(to, ", [p0]");
        break;
    case MAPPING_STMATRIX:
        print_shared(to, opcode->text);
        print_text(to, "[p0], ");
        print_registers(to, operands, 'a');
        break;
    case MAPPING_MOVMATRIX:
        print(to, "    %s d0, a0", opcode->text);
        break;
    case MAPPING_WGMMA:
    case MAPPING_WGMMA_SP:
        print(to, "    %s ", opcode->text);
        print_wgmma(to, operands);
        break;
    case MAPPING_WMMA:
    case MAPPING_MMA:
    case MAPPING_MMA_SP:
        print(to, "    %s ", opcode->text);
        print_mma(to, operands);
        break;
    case MAPPING_TCGEN05_LD:
        print(to, "    %s ", opcode->text);
        print_registers(to, operands, 'd');
        print_text(to, ", ");
        print_columns(to, opcode);
        break;
    case MAPPING_TCGEN05_ST:
        print(to, "    %s ", opcode->text);
        print_columns(to, opcode);
        print_text(to, ", ");
        print_registers(to, operands, 'a');
        break;
    case MAPPING_TCGEN05_MMA:
    case MAPPING_TCGEN05_MMA_SP:
    case MAPPING_TCGEN05_MMA_CTA2:
    case MAPPING_TCGEN05_MMA_CTA2_SP:
    case MAPPING_TCGEN05_MMA_WS:
    case MAPPING_TCGEN05_MMA_WS_SP: /* see print_tcgen05 */
    case MAPPING_TCGEN05_CP:
    case MAPPING_TCGEN05_SHIFT: /* have no opcodes in the catalogue */
    case MAPPING_INSTRUCTIONS:
        break;
    }
    print_text(to, ";\n");
}

static void print_executed(struct printer *to, const struct operands *operands, bool is_bare) {
    if (is_wgmma(operands))
        print_text(to, "    wgmma.fence.sync.aligned;\n");
    if (!is_bare)
        print_instruction(to, operands);
    if (is_wgmma(operands) && !is_bare)
        print_text(to, "    wgmma.commit_group.sync.aligned;\n");
    if (is_wgmma(operands))
        print_text(to, "    wgmma.wait_group.sync.aligned 0;\n");
    if (is_of_tensor_memory(operands))
        print(to, "    tcgen05.wait::%s.sync.aligned;\n", find(operands, 'd') ? "ld" : "st");
}

/* ---- What surrounds it ---- */

/* True if the registers are loaded: those of D only where it is what is added to. */
static bool is_loaded(const struct operands *operands, const struct registers *registers) {
    return registers->name != 'd' || is_wgmma(operands);
}

static void print_loads(struct printer *to, const struct operands *operands) {
    unsigned offset = 0; /* bytes */
    for (const struct registers *one = operands->registers;
         one < operands->registers + operands->count; one++)
        for (unsigned n = 0; is_loaded(operands, one) && n < one->count; n++, offset += one->size)
            print(to, "    ld.volatile.global.%s %c%u, [source+%u];\n", one->type, one->name, n,
                  offset);
}

/* The registers that are stored in place of D, again and again if they are too few: those of C, or
 * others of the same size. */
static const struct registers *substitute(const struct operands *operands,
                                          const struct registers *d) {
    for (const char *name = is_wgmma(operands) ? "d" : "cabp"; *name; name++) {
        const struct registers *found = find(operands, *name);
        if (found && found->size == d->size)
            return found;
    }
    return d;
}

static void print_stores(struct printer *to, const struct operands *operands, bool is_bare) {
    const struct registers *d = find(operands, 'd');
    const struct registers *stored = d && is_bare ? substitute(operands, d) : d;
    for (unsigned n = 0; d && n < d->count; n++)
        print(to, "    st.volatile.global.%s [target+%u], %c%u;\n", stored->type, n * d->size,
              stored->name, n % stored->count);
}

/* ---- tcgen05.mma ---- */

/* Of tcgen05.mma one thread issues the instruction. All operands are parameters, which are loaded
 * into registers that the warp shares: addresses of D, A, metadata and scale factors in Tensor
 * Memory, the instruction descriptor, and the descriptor of B, which is that of A where A is not
 * shifted. D is added to. */
static void print_tcgen05(struct printer *to, const struct mapping_opcode *opcode, bool is_bare) {
    bool is_shifted = strstr(opcode->text, ".ashift"),
         is_sparse = mapping_instruction_is_sparse(opcode->instruction),
         is_scaled = strstr(opcode->text, ".block_scale");
    print_text(to, "(.param .u64 out, .param .u64 b, .param .align 8 .b8 p[24])\n{\n"
                   "    .reg .b64 target, descriptor;\n    .reg .b32 p<6>;\n    .reg .pred one;\n"
                   "    ld.param.u64 target, [out];\n    ld.param.u64 descriptor, [b];\n");
    for (unsigned n = 0; n < 6; n++)
        print(to, "    ld.param.u32 p%u, [p+%u];\n", n, 4 * n);
    print_text(to, "    elect.sync _|one, 0xffffffff;\n    @!one bra end;\n");
    if (!is_bare)
        print(to, "    %s [p0], %s, descriptor%s, p3%s, 1;\n", opcode->text,
              is_shifted ? "[p1]" : "descriptor", is_sparse ? ", [p2]" : "",
              is_scaled ? ", [p4], [p5]" : "");
    print_text(to, "    st.volatile.global.b32 [target], p3;\nend:\n    ret;\n}\n");
}

static bool is_tcgen05_mma(const struct mapping_opcode *opcode) {
    return mapping_instruction_probe(opcode->instruction) == PROBE_TCGEN05 &&
           mapping_instruction_multiplies(opcode->instruction);
}

void opcode_ptx_body(struct printer *to, const struct mapping_opcode *opcode, bool is_bare) {
    if (is_tcgen05_mma(opcode)) {
        print_tcgen05(to, opcode, is_bare);
        return;
    }
    const struct operands operands = operands_of(opcode);
    bool has_descriptor = is_wgmma(&operands);
    print(to, "(.param .u64 in, .param .u64 out%s)\n{\n    .reg .b64 source, target, descriptor;\n",
          has_descriptor ? ", .param .u64 b" : "");
    for (const struct registers *one = operands.registers;
         one < operands.registers + operands.count; one++)
        print(to, "    .reg .%s %c<%u>;\n", one->type, one->name, one->count);
    print_text(to, "    ld.param.u64 source, [in];\n    ld.param.u64 target, [out];\n");
    if (has_descriptor)
        print_text(to, "    ld.param.u64 descriptor, [b];\n");
    print_loads(to, &operands);
    print_executed(to, &operands, is_bare);
    print_stores(to, &operands, is_bare);
    print_text(to, "    ret;\n}\n");
}
