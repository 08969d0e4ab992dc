/* opcode_fragments.c - the fragments of opcodes, and opcodes by their names; see opcodes.c. */
#include "catalogue/family.h"

/* Finds the fragment of one operand. Orders and transposition count only where it depends on them.
 */
static bool find_operand(const struct mapping_opcode *opcode, enum mapping_operand operand,
                         struct mapping_fragment *fragment) {
    bool is_scale = operand == MAPPING_SFA || operand == MAPPING_SFB;
    struct mapping_fragment wanted = {
        .instruction = opcode->instruction,
        .shape = opcode->shape,
        .operand = operand,
        .order = is_scale               ? MAPPING_NO_ORDER
                 : operand == MAPPING_B ? opcode->b_order
                                        : opcode->a_order,
        .is_transposed = opcode->is_transposed,
        .scale_vector = is_scale ? opcode->scale_vector : 0,
        .form = opcode->form,
        .type = is_scale               ? opcode->scale
                : operand == MAPPING_B ? opcode->b
                : operand == MAPPING_C ? opcode->c
                : operand == MAPPING_D ? opcode->d
                                       : opcode->a,
    };
    if (is_scale && opcode->scale_vector == 0)
        return false;
    if (mapping_fragment_find(&wanted, 0, fragment))
        return true;
    wanted.order = MAPPING_NO_ORDER;
    wanted.is_transposed = false;
    return mapping_fragment_find(&wanted, 0, fragment);
}

size_t mapping_opcode_fragments(const struct mapping_opcode *opcode,
                                struct mapping_fragment fragments[MAPPING_FOUND_MAX]) {
    const uint16_t in_registers = mapping_family(opcode->instruction)->in_registers;
    size_t count = 0;
    for (int operand = 0; operand < MAPPING_OPERANDS; operand++)
        if (in_registers >> operand & 1)
            count += find_operand(opcode, (enum mapping_operand)operand, &fragments[count]);
    return count;
}

/* The fragments of an opcode, which may be younger than they are, and of fewer targets. */
static size_t find_fragments(const struct mapping_opcode *opcode,
                             struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    size_t count = mapping_opcode_fragments(opcode, found);
    for (struct mapping_fragment *one = found; one < found + count; one++) {
        one->since = one->since > opcode->since ? one->since : opcode->since;
        one->ptx = one->ptx > opcode->ptx ? one->ptx : opcode->ptx;
        one->suffix = one->suffix > opcode->suffix ? one->suffix : opcode->suffix;
    }
    return count;
}

size_t mapping_find_by_forms(const struct family *family, const char *opcode,
                             struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    struct mapping_opcode read;
    return mapping_opcode_read(family, opcode, &read) ? find_fragments(&read, found) : 0;
}

bool mapping_opcode_on(const struct mapping_opcode *opcode, unsigned arch) {
    return mapping_arch_is_within(arch, opcode->since, opcode->until, opcode->except);
}

bool mapping_opcode_find(const char *name, struct mapping_opcode *opcode) {
    char text[MAPPING_TEXT_SIZE];
    if (!mapping_name_lower(name, text))
        return false;
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++)
        if (mapping_opcode_read(mapping_family((enum mapping_instruction)i), text, opcode))
            return true;
    return false;
}

size_t mapping_find_opcode(const char *opcode, struct mapping_fragment found[MAPPING_FOUND_MAX]) {
    size_t count = 0;
    for (int i = 0; count == 0 && i < MAPPING_INSTRUCTIONS; i++) {
        const struct family *family = mapping_family((enum mapping_instruction)i);
        count = family->find(family, opcode, found);
    }
    return count;
}
