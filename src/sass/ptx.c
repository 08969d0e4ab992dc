/* ptx.c - the PTX that makes the compiler spell out a fragment's layout; see ptx.h. */
#include "ptx.h"

#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

void ptx_kernel_name(size_t index, char name[KERNEL_NAME_SIZE]) {
    snprintf(name, KERNEL_NAME_SIZE, "k%zu", index);
}

/* The registers that PTX has a fragment in: those of the type for f32 and f64, else 32 plain bits.
 */
static const char *register_type(const struct mapping_fragment *fragment) {
    return fragment->type == MAPPING_F32 ? "f32" : fragment->type == MAPPING_F64 ? "f64" : "b32";
}

/* The operands that wmma.load and wmma.store share: shape, type, {r0, r1, ...}. */
static void print_registers(FILE *file, unsigned count) {
    for (unsigned r = 0; r < count; r++)
        fprintf(file, "%sr%u", r ? ", " : "{", r);
    fputc('}', file);
}

/* Prints ".row.m16n16k16.global.f16 ". */
static void print_modifiers(FILE *file, const struct ptx_kernel *kernel) {
    const struct mapping_fragment *fragment = &kernel->fragment;
    fprintf(file, ".%s.m%un%uk%u.global.%s ", mapping_layout_name(kernel->layout),
            fragment->shape.m, fragment->shape.n, fragment->shape.k,
            mapping_type_name(fragment->type));
}

static void print_kernel(FILE *file, const struct ptx_kernel *kernel, const char *name) {
    const struct mapping_fragment *fragment = &kernel->fragment;
    const char *type = register_type(fragment);
    unsigned size = fragment->type == MAPPING_F64 ? 8 : 4; /* bytes of a register of PTX */
    unsigned count = fragment->registers * 4U / size;
    unsigned stride = kernel->layout == MAPPING_ROW_MAJOR ? fragment->cols : fragment->rows;
    bool store = fragment->operand == 'd';
    fprintf(file,
            "\n.visible .entry %s(.param .u64 in, .param .u64 out)\n{\n"
            "    .reg .b32 tid;\n"
            "    .reg .b64 source, target, offset;\n"
            "    .reg .%s r<%u>;\n"
            "    ld.param.u64 source, [in];\n"
            "    ld.param.u64 target, [out];\n"
            "    mov.u32 tid, %%tid.x;\n"
            "    mul.wide.u32 offset, tid, %u;\n"
            "    add.u64 %s, offset;\n",
            name, type, count, fragment->registers * 4U,
            store ? "source, source" : "target, target");
    if (store) {
        for (unsigned r = 0; r < count; r++)
            fprintf(file, "    ld.global.%s r%u, [source+%u];\n", type, r, r * size);
        fputs("    wmma.store.d.sync.aligned", file);
        print_modifiers(file, kernel);
        fputs("[target], ", file);
        print_registers(file, count);
        fprintf(file, ", %u;\n", stride);
    } else {
        fprintf(file, "    wmma.load.%c.sync.aligned", fragment->operand);
        print_modifiers(file, kernel);
        print_registers(file, count);
        fprintf(file, ", [source], %u;\n", stride);
        for (unsigned r = 0; r < count; r++)
            fprintf(file, "    st.global.%s [target+%u], r%u;\n", type, r * size, r);
    }
    fputs("    ret;\n}\n", file);
}

char *ptx_module(const struct ptx_kernel *kernels, size_t count) {
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    /* Version 6.3 is the first with .aligned for wmma. Older assemblers refuse versions and targets
     * that they do not know, so neither is newer than what the fragments need. */
    unsigned target = 70, version = 63;
    for (size_t k = 0; k < count; k++) {
        if (kernels[k].fragment.since > target)
            target = kernels[k].fragment.since;
        if (kernels[k].fragment.ptx > version)
            version = kernels[k].fragment.ptx;
    }
    fprintf(file, ".version %u.%u\n.target sm_%u\n.address_size 64\n", version / 10, version % 10,
            target);
    for (size_t k = 0; k < count; k++) {
        char name[KERNEL_NAME_SIZE];
        ptx_kernel_name(k, name);
        print_kernel(file, &kernels[k], name);
    }
    if (!memory_close(file, &size)) {
        free(text);
        return NULL;
    }
    return text;
}
