/* ptx.c - the PTX that makes the compiler spell out a fragment's layout; see ptx.h. */
#include "source/sass/ptx.h"

#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>

void ptx_kernel_name(size_t index, char name[KERNEL_NAME_SIZE]) {
    snprintf(name, KERNEL_NAME_SIZE, "k%zu", index);
}

static void print_kernel(struct printer *to, const struct ptx_kernel *kernel, const char *name) {
    const struct mapping_fragment *fragment = &kernel->fragment;
    bool by_row = kernel->order == MAPPING_ROW_MAJOR, store = fragment->operand == MAPPING_D;
    /* PTX has a fragment in registers of its type if that is f32 or f64, else in 32 plain bits. */
    const char *type = fragment->type == MAPPING_F32   ? "f32"
                       : fragment->type == MAPPING_F64 ? "f64"
                                                       : "b32";
    unsigned size = fragment->type == MAPPING_F64 ? 8 : 4; /* bytes of a register of PTX */
    unsigned count = fragment->registers * 4U / size;
    print(to,
          "\n.visible .entry %s(.param .u64 in, .param .u64 out)\n{\n"
          "    .reg .b32 tid;\n"
          "    .reg .b64 source, target, offset;\n"
          "    .reg .%s r<%u>;\n"
          "    ld.param.u64 source, [in];\n"
          "    ld.param.u64 target, [out];\n"
          "    mov.u32 tid, %%tid.x;\n"
          "    mul.wide.u32 offset, tid, %u;\n"
          "    add.u64 %s, offset;\n",
          name, type, count, fragment->registers * 4U, store ? "source, source" : "target, target");
    for (unsigned r = 0; r < count && store; r++)
        print(to, "    ld.global.%s r%u, [source+%u];\n", type, r, r * size);
    print(to, "    wmma.%s.%s.sync.aligned.%s.m%un%uk%u.global.%s %s", store ? "store" : "load",
          mapping_operand_name(fragment->operand), by_row ? "row" : "col", fragment->shape.m,
          fragment->shape.n, fragment->shape.k, mapping_type_name(fragment->type),
          store ? "[target], " : "");
    for (unsigned r = 0; r < count; r++)
        print(to, "%sr%u", r ? ", " : "{", r);
    print(to, "}%s, %u;\n", store ? "" : ", [source]", by_row ? fragment->cols : fragment->rows);
    for (unsigned r = 0; r < count && !store; r++)
        print(to, "    st.global.%s [target+%u], r%u;\n", type, r * size, r);
    print_text(to, "    ret;\n}\n");
}

char *ptx_module(const struct ptx_kernel *kernels, size_t count) {
    struct printer to = {.text = NULL};
    /* Version 6.3 is the first with .aligned for wmma. Older assemblers refuse versions and targets
     * that they do not know, so neither is newer than what the fragments need. */
    unsigned target = 70, version = 63;
    for (size_t k = 0; k < count; k++) {
        if (kernels[k].fragment.since > target)
            target = kernels[k].fragment.since;
        if (kernels[k].fragment.ptx > version)
            version = kernels[k].fragment.ptx;
    }
    print(&to, ".version %u.%u\n.target sm_%u\n.address_size 64\n", version / 10, version % 10,
          target);
    for (size_t k = 0; k < count; k++) {
        char name[KERNEL_NAME_SIZE];
        ptx_kernel_name(k, name);
        print_kernel(&to, &kernels[k], name);
    }
    return printer_string(&to);
}
