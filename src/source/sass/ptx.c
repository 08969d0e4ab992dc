/* ptx.c - the PTX that makes the compiler spell out a fragment's layout; see ptx.h. */
#include "source/sass/ptx.h"

#include "system/system.h"

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
static void print_registers(struct printer *to, unsigned count) {
    for (unsigned r = 0; r < count; r++)
        print(to, "%sr%u", r ? ", " : "{", r);
    print_char(to, '}');
}

/* Prints ".row.m16n16k16.global.f16 ". */
static void print_modifiers(struct printer *to, const struct ptx_kernel *kernel) {
    const struct mapping_fragment *fragment = &kernel->fragment;
    print(to, ".%s.m%un%uk%u.global.%s ", kernel->order == MAPPING_ROW_MAJOR ? "row" : "col",
          fragment->shape.m, fragment->shape.n, fragment->shape.k,
          mapping_type_name(fragment->type));
}

static void print_kernel(struct printer *to, const struct ptx_kernel *kernel, const char *name) {
    const struct mapping_fragment *fragment = &kernel->fragment;
    const char *type = register_type(fragment);
    unsigned size = fragment->type == MAPPING_F64 ? 8 : 4; /* bytes of a register of PTX */
    unsigned count = fragment->registers * 4U / size;
    unsigned stride = kernel->order == MAPPING_ROW_MAJOR ? fragment->cols : fragment->rows;
    bool store = fragment->operand == MAPPING_D;
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
    if (store) {
        for (unsigned r = 0; r < count; r++)
            print(to, "    ld.global.%s r%u, [source+%u];\n", type, r, r * size);
        print_text(to, "    wmma.store.d.sync.aligned");
        print_modifiers(to, kernel);
        print_text(to, "[target], ");
        print_registers(to, count);
        print(to, ", %u;\n", stride);
    } else {
        print(to, "    wmma.load.%s.sync.aligned", mapping_operand_name(fragment->operand));
        print_modifiers(to, kernel);
        print_registers(to, count);
        print(to, ", [source], %u;\n", stride);
        for (unsigned r = 0; r < count; r++)
            print(to, "    st.global.%s [target+%u], r%u;\n", type, r * size, r);
    }
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
