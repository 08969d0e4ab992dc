/* operands.c - one instruction with its operands; see operands.h. */
#include "source/gpu/operands.h"

#include "catalogue/catalogue.h"

#include <string.h>

/* True for wmma, of which only loads and stores are executed. */
static bool is_wmma(enum mapping_instruction instruction) {
    return mapping_instruction_form(instruction) == WMMA_FORM;
}

bool operands_of_opcode(size_t number, struct operands *operands) {
    *operands = (struct operands){.number = number};
    if (!mapping_opcode_at(number, &operands->opcode))
        return false;
    operands->count = mapping_opcode_fragments(&operands->opcode, operands->fragments);
    return true;
}

bool operands_of_wmma(size_t number, struct operands *operands) {
    struct mapping_opcode *opcode = &operands->opcode;
    struct mapping_fragment *fragment = &operands->fragments[0];
    *operands = (struct operands){.number = number, .count = 1};
    if (!mapping_catalogue_at(number, fragment) || !is_wmma(fragment->instruction))
        return false;
    *opcode = (struct mapping_opcode){.instruction = fragment->instruction,
                                      .shape = fragment->shape,
                                      .a_order = fragment->order,
                                      .b_order = fragment->order,
                                      .a = fragment->type,
                                      .b = fragment->type,
                                      .c = fragment->type,
                                      .d = fragment->type,
                                      .since = fragment->since,
                                      .until = fragment->until,
                                      .ptx = fragment->ptx};
    mapping_fragment_name(fragment, opcode->text);
    return true;
}

const struct mapping_fragment *operands_find(const struct operands *operands,
                                             enum mapping_operand operand) {
    for (size_t f = 0; f < operands->count; f++)
        if (operands->fragments[f].operand == operand)
            return &operands->fragments[f];
    return NULL;
}

/* The newest architecture on which kernels have been executed. */
enum { EXECUTED_UNTIL = 90 };

bool operands_have_kernels(const struct operands *operands) {
    const bool is_wmma_mma = is_wmma(operands->opcode.instruction) && operands->count > 1;
    const bool is_narrow_move = !mapping_instruction_multiplies(operands->opcode.instruction) &&
                                mapping_type_bits(operands->opcode.a) < 16;
    return mapping_instruction_form(operands->opcode.instruction) != NO_FORM && !is_wmma_mma &&
           !is_narrow_move && operands->opcode.since <= EXECUTED_UNTIL;
}

bool operands_are_multiplied(const struct operands *operands) {
    enum mapping_instruction instruction = operands->opcode.instruction;
    return !is_wmma(instruction) && mapping_instruction_multiplies(instruction);
}

bool operands_are_sparse(const struct operands *operands) {
    return mapping_instruction_is_sparse(operands->opcode.instruction);
}

bool operands_read_shared(const struct operands *operands) {
    return mapping_instruction_reads_shared(operands->opcode.instruction);
}

uint32_t operands_depth(const struct operands *operands) {
    return operands->opcode.shape.k / (operands_are_sparse(operands) ? 2U : 1U);
}

uint32_t operands_selectors(const struct operands *operands) {
    const struct mapping_fragment *e = operands_find(operands, MAPPING_E);
    return e ? mapping_fragment_copies(e) : 1;
}

/* ---- Execution ---- */

struct variant operands_variant(const struct operands *operands, enum mapping_operand operand,
                                uint32_t selector) {
    if (!operands_read_shared(operands))
        return (struct variant){.selector = selector};
    return (struct variant){.selector = selector,
                            .a_in_shared = operand != MAPPING_A,
                            .stores_all = operand == MAPPING_D};
}

struct mapping_fragment operands_stored(const struct operands *operands,
                                        enum mapping_operand operand) {
    const struct mapping_fragment *d = operands_find(operands, MAPPING_D);
    const struct mapping_fragment *own = operands_find(operands, operand);
    if (!d || !own)
        return (struct mapping_fragment){.elements = 0};
    struct mapping_fragment stored = *d;
    uint32_t columns = own->cols;
    if (!operands_read_shared(operands) || operand == MAPPING_D || columns >= stored.cols)
        return stored;
    /* The first columns are at the same places as in a narrower wgmma. */
    stored.elements = stored.elements * columns / stored.cols;
    stored.registers = stored.registers * columns / stored.cols;
    stored.cols = columns;
    stored.shape.n = (uint16_t)columns;
    return stored;
}

uint32_t operands_line_bytes(const struct operands *operands, enum mapping_operand operand) {
    return operand == MAPPING_B && operands_are_sparse(operands) ? LINE_BYTES_SPARSE_B : LINE_BYTES;
}

size_t operands_place_in_shared(const struct operands *operands, enum mapping_operand operand,
                                uint32_t line, uint32_t depth) {
    uint32_t bits = mapping_type_bits(operands->opcode.a);
    uint32_t chunk = 8 * CORE_LINE_BYTES / bits; /* elements of a line in one core matrix */
    uint32_t cores_in_line = operands_line_bytes(operands, operand) / CORE_LINE_BYTES;
    size_t cores = (size_t)(line / CORE_LINES) * cores_in_line + depth / chunk;
    return (cores * CORE_LINES + line % CORE_LINES) * chunk + depth % chunk;
}
