/* list_opcodes.c - prints every architecture with its first PTX version. Then it prints every
 * opcode with its PTX version, its architectures, and its operands in registers: their types, and
 * their number of 32-bit registers. sass.py reads it.
 *
 *     sm_70 60
 *     mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 65 sm_75,sm_80 a:s8:1 b:s8:1 c:s32:2 d:s32:2
 */
#include "catalogue/fragment.h"

#include <stdio.h>

int main(void) {
    struct mapping_opcode opcode;
    const struct mapping_arch *arch;
    for (size_t n = 0; (arch = mapping_arch_at(n)); n++)
        printf("sm_%u %u\n", arch->number, arch->ptx);
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        struct mapping_fragment fragments[MAPPING_FOUND_MAX];
        const size_t count = mapping_opcode_fragments(&opcode, fragments);
        const char *separator = " ";
        printf("%s %u", opcode.text, opcode.ptx);
        for (size_t n = 0; (arch = mapping_arch_at(n)); n++)
            if (mapping_opcode_on(&opcode, arch->number)) {
                printf("%ssm_%u", separator, arch->number);
                separator = ",";
            }
        for (size_t f = 0; f < count; f++)
            printf(" %s:%s:%u", mapping_operand_name(fragments[f].operand),
                   mapping_type_name(fragments[f].type), fragments[f].registers);
        putchar('\n');
    }
    return 0;
}
