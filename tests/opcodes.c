/* opcodes.c - PTX with every opcode that an architecture has: opcodes SM VERSION, e.g. opcodes
 * 90 80.
 *
 * One kernel for each, of those of wgmma with widths 8, 24 and 256. VERSION is the newest PTX
 * version that the assembler knows, 80 for 8.0; opcodes that are newer are left out, and counted at
 * the end. */
#include "mapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints the registers of an operand: {d0, d1}. */
static void print_registers(const char *name, const struct mapping_fragment *fragment) {
    unsigned words = fragment->type == MAPPING_F64 ? 2 : 1;
    for (unsigned n = 0; n < fragment->registers / words; n++)
        printf("%s%s%u", n ? ", " : "{", name, n);
    printf("}");
}

static const struct mapping_fragment *find(const struct mapping_fragment *fragments, size_t count,
                                           char operand) {
    for (size_t f = 0; f < count; f++)
        if (fragments[f].operand == operand)
            return &fragments[f];
    return NULL;
}

/* Declares the registers of an operand. */
static void declare(const char *name, const struct mapping_fragment *fragment) {
    if (fragment)
        printf("    .reg .%s %s<%u>;\n",
               fragment->type == MAPPING_F64   ? "f64"
               : fragment->type == MAPPING_F32 ? "f32"
                                               : "b32",
               name, fragment->registers);
}

static void print_kernel(const struct mapping_opcode *opcode, size_t index, bool ordered) {
    struct mapping_fragment fragments[MAPPING_OPERANDS];
    size_t count = mapping_opcode_fragments(opcode, fragments);
    const struct mapping_fragment *a = find(fragments, count, 'a'),
                                  *b = find(fragments, count, 'b'),
                                  *c = find(fragments, count, 'c'),
                                  *d = find(fragments, count, 'd'),
                                  *e = find(fragments, count, 'e'),
                                  *r = find(fragments, count, 'r');
    bool sparse = strncmp(opcode->text, "mma.sp.", 7) == 0;
    printf(".entry k%zu() {\n    .reg .b32 e, f; .reg .b64 p, q;\n", index);
    declare("a", a);
    declare("b", b);
    declare("c", c);
    declare("d", d);
    declare("r", r);
    printf("    %s%s ",
           sparse && ordered ? "mma.sp::ordered_metadata."
           : sparse          ? "mma.sp."
                             : "",
           opcode->text + (sparse ? 7 : 0));
    switch (opcode->instruction) {
    case MAPPING_LDMATRIX:
        print_registers("r", r);
        printf(", [p]");
        break;
    case MAPPING_STMATRIX:
        printf("[p], ");
        print_registers("r", r);
        break;
    case MAPPING_MOVMATRIX:
        printf("d0, a0");
        break;
    case MAPPING_WGMMA:
    case MAPPING_WGMMA_SP:
        print_registers("d", d);
        printf(", ");
        print_registers("a", a);
        printf(", q%s, 1%s%s", e ? ", e, 0" : "", d->type == MAPPING_S32 ? "" : ", 1, 1",
               a->type == MAPPING_F16 || a->type == MAPPING_BF16 ? ", 0" : "");
        break;
    default:
        print_registers("d", d);
        printf(", ");
        print_registers("a", a);
        printf(", ");
        print_registers("b", b);
        printf(", ");
        print_registers("c", c);
        printf("%s%s", e ? ", e, 0" : "",
               opcode->scale == MAPPING_NO_LAYOUT ? "" : ", e, {0, 0}, f, {0, 0}");
    }
    printf(";\n}\n");
}

int main(int argc, char **argv) {
    struct mapping_opcode opcode;
    if (argc != 3)
        return 2;
    unsigned arch = (unsigned)strtoul(argv[1], NULL, 10);
    unsigned version = (unsigned)strtoul(argv[2], NULL, 10);
    size_t printed = 0, left_out = 0;
    printf(".version %u.%u\n.target sm_%u%s\n.address_size 64\n", version / 10, version % 10, arch,
           arch >= 90 ? "a" : "");
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        unsigned n = opcode.shape.n;
        if (opcode.since > arch || (opcode.until && opcode.until < arch) ||
            (opcode.since >= 90 && opcode.until && n != 8 && n != 24 && n != 256))
            continue;
        if (opcode.ptx > version) {
            left_out++;
            continue;
        }
        print_kernel(&opcode, index, version >= 85);
        printed++;
    }
    printf("// %zu opcodes, %zu are newer\n", printed, left_out);
    return 0;
}
