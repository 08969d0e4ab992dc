/* ptx.c - the PTX that makes the compiler spell out a fragment's layout; see ptx.h. */
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>

void ptx_kernel_name(size_t index, char name[KERNEL_NAME_SIZE]) {
    snprintf(name, KERNEL_NAME_SIZE, "k%zu", index);
}

/* Prints "r0, r1, ..." */
static void print_registers(FILE *file, unsigned count) {
    for (unsigned r = 0; r < count; r++)
        fprintf(file, "%sr%u", r ? ", " : "", r);
}

/* PTX has f32 fragments in f32 registers, and packed f16 in registers of plain bits. */
static const char *register_type(const struct mapping_fragment *fragment) {
    return fragment->type == MAPPING_F32 ? "f32" : "b32";
}

static void print_kernel(FILE *file, const struct mapping_fragment *fragment, const char *name) {
    const char *type = register_type(fragment);
    fprintf(file,
            "\n.visible .entry %s(.param .u64 in, .param .u64 out)\n{\n"
            "    .reg .b32 tid;\n"
            "    .reg .b64 source, target, offset;\n"
            "    .reg .%s r<%u>;\n"
            "    ld.param.u64 source, [in];\n"
            "    ld.param.u64 target, [out];\n"
            "    mov.u32 tid, %%tid.x;\n"
            "    mul.wide.u32 offset, tid, %u;\n"
            "    add.u64 source, source, offset;\n",
            name, type, fragment->registers, fragment->registers * 4U);
    for (unsigned r = 0; r < fragment->registers; r++)
        fprintf(file, "    ld.global.%s r%u, [source+%u];\n", type, r, r * 4);
    fprintf(file, "    wmma.store.d.sync.aligned.row.m%un%uk%u.global.%s [target], {",
            fragment->shape.m, fragment->shape.n, fragment->shape.k,
            mapping_type_name(fragment->type));
    print_registers(file, fragment->registers);
    fprintf(file, "}, %u;\n    ret;\n}\n", fragment->cols);
}

char *ptx_module(const struct mapping_fragment *fragments, size_t count) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    unsigned target = 70;
    for (size_t f = 0; f < count; f++)
        if (fragments[f].since > target)
            target = fragments[f].since;
    /* PTX ISA 6.3 is the first with .aligned for wmma; older assemblers refuse a newer version. */
    fprintf(file, ".version 6.3\n.target sm_%u\n.address_size 64\n", target);
    for (size_t f = 0; f < count; f++) {
        char name[KERNEL_NAME_SIZE];
        ptx_kernel_name(f, name);
        print_kernel(file, &fragments[f], name);
    }
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
