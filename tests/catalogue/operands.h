/* operands.h - the operands of an opcode, as PTX; for opcodes.c. */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "catalogue/fragment.h"

#include <stdio.h>
#include <string.h>

/* Longest list of operands with its end: 128 registers of D, and A. */
enum { LIST_SIZE = 2600 };

static const struct mapping_fragment *find(const struct mapping_fragment *fragments, size_t count,
                                           enum mapping_operand operand) {
    for (size_t f = 0; f < count; f++)
        if (fragments[f].operand == operand)
            return &fragments[f];
    return NULL;
}

static void append(char list[LIST_SIZE], const char *text) {
    strncat(list, text, LIST_SIZE - strlen(list) - 1);
}

/* Appends the registers of an operand: "{d0,d1}", of 64 bits "{dd0}". */
static void append_registers(char list[LIST_SIZE], const struct mapping_fragment *fragment) {
    const char *name = mapping_operand_name(fragment->operand);
    bool is_double = fragment->type == MAPPING_F64;
    unsigned count = fragment->registers / (is_double ? 2 : 1);
    for (unsigned n = 0; n < count; n++) {
        char one[16];
        snprintf(one, sizeof one, "%s%s%s%u", n ? "," : "{", name, is_double ? name : "", n);
        append(list, one);
    }
    append(list, "}");
}

/* Declares what append_registers names, C and D as registers of those types: 128 registers are the
 * most that there are. */
static void declare_registers(const char *c, const char *d) {
    printf("    .reg .b32 a<128>, b<128>, r<128>, e, f; .reg .%s c<128>; .reg .%s d<128>;\n"
           "    .reg .b64 aa<8>, bb<8>, cc<8>, dd<8>, p, q;\n",
           c, d);
}

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/* Operands of wgmma: A in registers, B a descriptor, and whether to add to D; in floating point the
 * signs of A and B; in 16 bits whether B is transposed. */
static void append_wgmma(char list[LIST_SIZE], const struct mapping_fragment *a,
                         const struct mapping_fragment *d, bool is_sparse) {
    append_registers(list, d);
    append(list, ",");
    append_registers(list, a);
    append(list, is_sparse ? ",q,e,0,1" : ",q,1");
    append(list, d->type == MAPPING_S32 ? "" : ",1,1");
    append(list, mapping_type_bits(a->type) == 16 ? ",0" : "");
}

/* Operands of tcgen05.mma, which depend on the words of the opcode: D; A, in Tensor Memory, as
 * .ashift has it, or by a descriptor; B; metadata; the instruction descriptor; scale factors; and
 * whether to add to D. */
static void append_tcgen05(char list[LIST_SIZE], const char *opcode) {
    append(list, strstr(opcode, ".ashift") ? "[e],[e],q" : "[e],q,q");
    append(list, strstr(opcode, ".sp") ? ",[e]" : "");
    append(list, ",e");
    append(list, strstr(opcode, ".block_scale") ? ",[e],[e]" : "");
    append(list, ",1");
}

/* The address in Tensor Memory; for .16x32bx2, also that of the other half. */
static void append_columns(char list[LIST_SIZE], const char *opcode) {
    append(list, strstr(opcode, ".16x32bx2") ? "[e],2" : "[e]");
}

/* Writes the operands of an opcode that has these fragments, of tcgen05.mma none. */
static void write_operands(const char *opcode, const struct mapping_fragment *fragments,
                           size_t count, char list[LIST_SIZE]) {
    const struct mapping_fragment *a = find(fragments, count, MAPPING_A),
                                  *b = find(fragments, count, MAPPING_B),
                                  *c = find(fragments, count, MAPPING_C),
                                  *d = find(fragments, count, MAPPING_D),
                                  *e = find(fragments, count, MAPPING_E);
    *list = '\0';
    if (count == 0) {
        append_tcgen05(list, opcode);
        return;
    }
    switch (fragments[0].instruction) {
    case MAPPING_LDMATRIX:
        append_registers(list, &fragments[0]);
        append(list, ",[p]");
        return;
    case MAPPING_STMATRIX:
        append(list, "[p],");
        append_registers(list, &fragments[0]);
        return;
    case MAPPING_MOVMATRIX:
        append(list, "d0,a0");
        return;
    case MAPPING_WGMMA:
    case MAPPING_WGMMA_SP:
        append_wgmma(list, a, d, e != NULL);
        return;
    case MAPPING_TCGEN05_LD:
        append_registers(list, &fragments[0]);
        append(list, ",");
        append_columns(list, opcode);
        return;
    case MAPPING_TCGEN05_ST:
        append_columns(list, opcode);
        append(list, ",");
        append_registers(list, &fragments[0]);
        return;
    default:
        break;
    }
    if (count == 1) { /* wmma.load and wmma.store */
        append(list, starts_with(opcode, "wmma.store") ? "[p]," : "");
        append_registers(list, &fragments[0]);
        append(list, starts_with(opcode, "wmma.store") ? "" : ",[p]");
        return;
    }
    append_registers(list, d);
    append(list, ",");
    append_registers(list, a);
    append(list, ",");
    append_registers(list, b);
    append(list, ",");
    append_registers(list, c);
    append(list, e ? ",e,0" : "");
    append(list, find(fragments, count, MAPPING_SFA) ? ",e,{0,0},f,{0,0}" : "");
}

#endif
