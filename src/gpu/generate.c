/* generate.c - writes the kernels of executor.h as CUDA, when the program is built.
 *
 * generate PART PARTS        the kernels that every fragment can be observed with
 * generate PART PARTS all    the kernels of every opcode
 *
 * Parts are those of executor_part. */
#include "executor.h"
#include "mapping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A register as inline PTX knows it. */
struct kind {
    const char *type; /* in C++ */
    char constraint;
    unsigned words; /* of 32 bits */
};

static struct kind kind_of(enum mapping_type type) {
    if (type == MAPPING_F32)
        return (struct kind){"float", 'f', 1};
    if (type == MAPPING_F64)
        return (struct kind){"double", 'd', 2};
    return (struct kind){"unsigned", 'r', 1};
}

/* An opcode with the fragments of its operands, by letter. */
struct subject {
    struct mapping_opcode opcode;
    size_t index;
    struct mapping_fragment fragments[MAPPING_OPERANDS];
    size_t count;
};

static const struct mapping_fragment *find(const struct subject *subject, char operand) {
    for (size_t f = 0; f < subject->count; f++)
        if (subject->fragments[f].operand == operand)
            return &subject->fragments[f];
    return NULL;
}

static unsigned registers_of(const struct mapping_fragment *fragment) {
    return fragment->registers / kind_of(fragment->type).words;
}

/* Prints "{%4, %5}" and returns the number that is next. */
static unsigned print_places(unsigned first, unsigned count) {
    for (unsigned n = 0; n < count; n++)
        printf("%s%%%u", n ? ", " : "{", first + n);
    printf("}");
    return first + count;
}

/* Prints "+f"(d[0]), "+f"(d[1]) of an operand. */
static void print_constraints(const char *modifier, char constraint, const char *name,
                              unsigned count) {
    for (unsigned n = 0; n < count; n++)
        printf("%s\"%s%c\"(%s[%u])", n ? ", " : "", modifier, constraint, name, n);
}

/* The opcode as it is to be assembled. */
static void print_opcode(const struct mapping_opcode *opcode) {
    static const char sparse[] = "mma.sp.";
    if (strncmp(opcode->text, sparse, sizeof sparse - 1) == 0)
        printf("mma\" SP \".%s", opcode->text + sizeof sparse - 1);
    else
        printf("%s", opcode->text);
}

static bool is_wgmma(const struct mapping_opcode *opcode) {
    return opcode->instruction == MAPPING_WGMMA || opcode->instruction == MAPPING_WGMMA_SP;
}

/* How many sparsity selectors there are: the copies of the metadata. */
static unsigned count_selectors(const struct subject *subject) {
    const struct mapping_fragment *e = find(subject, 'e');
    return e ? e->threads * e->elements / (e->rows * e->cols) : 1;
}

/* Declares what a thread holds of an operand, and where it is. */
static void print_load(const struct mapping_fragment *fragment, const char *name) {
    struct kind kind = kind_of(fragment->type);
    printf("        const %s *%s = (const %s *)(job.images + step.%s) + threadIdx.x * %uu;\n",
           kind.type, name, kind.type, name, registers_of(fragment));
}

/* Prints the operands of an mma behind each other. */
static void print_operands(const struct mapping_fragment *const *operands, size_t count) {
    unsigned next = 0;
    for (size_t o = 0; o < count; o++) {
        printf(o > 0 ? ", " : "");
        next = print_places(next, registers_of(operands[o]));
    }
}

static void print_mma(const struct subject *subject) {
    const struct mapping_fragment *a = find(subject, 'a'), *b = find(subject, 'b'),
                                  *c = find(subject, 'c'), *d = find(subject, 'd'),
                                  *e = find(subject, 'e');
    struct kind kind = kind_of(d->type);
    unsigned outputs = registers_of(d);
    unsigned inputs = outputs + registers_of(a) + registers_of(b) + registers_of(c);
    print_load(a, "a");
    print_load(b, "b");
    print_load(c, "c");
    printf("        %s d[%u];\n", kind.type, outputs);
    for (unsigned selector = 0; selector < count_selectors(subject); selector++) {
        printf("        if (step.selector == %u)\n            asm volatile(\"", selector);
        print_opcode(&subject->opcode);
        printf(" ");
        print_operands((const struct mapping_fragment *const[]){d, a, b, c}, 4);
        if (e)
            printf(", %%%u, 0x%x", inputs, selector);
        printf(";\" : ");
        print_constraints("=", kind.constraint, "d", outputs);
        printf(" : ");
        print_constraints("", kind_of(a->type).constraint, "a", registers_of(a));
        printf(", ");
        print_constraints("", kind_of(b->type).constraint, "b", registers_of(b));
        printf(", ");
        print_constraints("", kind_of(c->type).constraint, "c", registers_of(c));
        printf(e ? ", \"r\"(job.images[step.e + threadIdx.x]));\n" : ");\n");
    }
    printf("        %s *out = (%s *)(job.output + step.d) + threadIdx.x * %uu;\n", kind.type,
           kind.type, outputs);
    for (unsigned n = 0; n < outputs;
         n++) /* no loop, which would need memory, and that takes long */
        printf("        out[%u] = d[%u];\n", n, n);
}

/* One wgmma with A from registers or from shared memory. Behind the operands come the immediates:
 * whether D is added, and for floating point the signs of A and B, and where the types allow it,
 * whether they are transposed. */
static void print_wgmma_asm(const struct subject *subject, bool from_shared, unsigned selector,
                            bool accumulates) {
    const struct mapping_fragment *a = find(subject, 'a'), *d = find(subject, 'd'),
                                  *e = find(subject, 'e');
    struct kind kind = kind_of(d->type);
    bool is_float = d->type != MAPPING_S32;
    bool can_transpose = a->type == MAPPING_F16 || a->type == MAPPING_BF16;
    printf("            asm volatile(\"wgmma.fence.sync.aligned; ");
    print_opcode(&subject->opcode);
    printf(" ");
    unsigned next = print_places(0, registers_of(d));
    printf(", ");
    if (from_shared)
        printf("%%%u", next++);
    else
        next = print_places(next, registers_of(a));
    printf(", %%%u", next++);
    if (e)
        printf(", %%%u, %u", next++, selector);
    printf(", %d%s%s%s; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\" : ",
           accumulates, is_float ? ", 1, 1" : "", can_transpose ? ", 0" : "",
           can_transpose && from_shared ? ", 0" : "");
    print_constraints(accumulates ? "+" : "=", kind.constraint, "d", registers_of(d));
    printf(" : ");
    if (from_shared)
        printf("\"l\"(describe(shared_a, 256))");
    else
        print_constraints("", 'r', "a", registers_of(a));
    printf(", \"l\"(describe(shared_b, %u))%s);\n", e ? 512U : 256U, e ? ", \"r\"(e)" : "");
}

/* Adds C to the product, and takes A from registers with any selector, only where `accumulates`
 * says so: it takes the compiler's time. */
static void print_wgmma(const struct subject *subject, bool accumulates) {
    const struct mapping_fragment *a = find(subject, 'a'), *d = find(subject, 'd'),
                                  *e = find(subject, 'e');
    struct kind kind = kind_of(d->type);
    unsigned outputs = registers_of(d), a_words = 128 * a->registers;
    unsigned b_words = subject->opcode.shape.n * (e ? 16U : 8U);
    printf("        copy(shared_a, job.images + step.a, step.from_shared ? %uu : 0u);\n", a_words);
    printf("        copy(shared_b, job.images + step.b, %uu);\n", b_words);
    print_load(a, "a");
    if (e)
        printf("        unsigned e = job.images[step.e + threadIdx.x];\n");
    printf("        %s d[%u];\n", kind.type, outputs);
    if (accumulates)
        for (unsigned n = 0; n < outputs; n++)
            printf("        d[%u] = ((const %s *)(job.images + step.c))[threadIdx.x * %uu + %u];\n",
                   n, kind.type, outputs, n);
    printf("        begin();\n");
    for (unsigned selector = 0; selector < count_selectors(subject); selector++)
        for (unsigned from_shared = accumulates || selector == 0 ? 0 : 1; from_shared < 2;
             from_shared++) {
            printf("        if (step.selector == %u && step.from_shared == %u)\n", selector,
                   from_shared);
            print_wgmma_asm(subject, from_shared, selector, accumulates);
        }
    for (unsigned n = 0; n < outputs; n++)
        printf("        out[%u] = %s(d[%u]);\n", n, d->type == MAPPING_F32 ? "__float_as_uint" : "",
               n);
}

/* ldmatrix and stmatrix. */
static void print_move(const struct subject *subject) {
    bool is_store = subject->opcode.instruction == MAPPING_STMATRIX;
    unsigned count = subject->opcode.shape.k;
    printf("        slots[threadIdx.x] = ((const uint4 *)(job.images + step.b))[threadIdx.x];\n");
    printf("        unsigned address[1] = {(unsigned)__cvta_generic_to_shared(slots) +\n"
           "                               job.images[step.a + threadIdx.x]};\n");
    if (is_store)
        printf("        const unsigned *c = job.images + step.c + threadIdx.x * %uu;\n", count);
    else
        printf("        unsigned d[%u];\n", count);
    printf("        __syncwarp();\n        asm volatile(\"");
    /* The state space stands in front of the type. */
    printf("%.*s.shared.b16 ", (int)(strlen(subject->opcode.text) - strlen(".b16")),
           subject->opcode.text);
    if (is_store) {
        printf("[%%0], ");
        print_places(1, count);
        printf(";\" ::\"r\"(address[0]), ");
        print_constraints("", 'r', "c", count);
        printf(" : \"memory\");\n        __syncwarp();\n");
        printf("        ((uint4 *)(job.output + step.d))[threadIdx.x] = slots[threadIdx.x];\n");
    } else {
        print_places(0, count);
        printf(", [%%%u];\" : ", count);
        print_constraints("=", 'r', "d", count);
        printf(" : \"r\"(address[0]) : \"memory\");\n");
        for (unsigned n = 0; n < count; n++)
            printf("        job.output[step.d + threadIdx.x * %uu + %u] = d[%u];\n", count, n, n);
    }
}

static void print_movmatrix(const struct subject *subject) {
    printf("        asm volatile(\"%s %%0, %%1;\"\n"
           "                     : \"=r\"(job.output[step.d + threadIdx.x])\n"
           "                     : \"r\"(job.images[step.a + threadIdx.x]));\n",
           subject->opcode.text);
}

/* The version of nvcc, 1280 for 12.8, that came with a PTX version, 87 for 8.7. */
static unsigned nvcc_version(unsigned ptx) {
    if (ptx >= 90)
        return 1300 + (ptx - 90) * 10;
    if (ptx >= 86)
        return 1270 + (ptx - 86) * 10;
    return ptx >= 80 ? 1200 + (ptx - 80) * 10 : 1100 + (ptx > 70 ? (ptx - 70) * 10 : 0);
}

/* The opcode as one case of a kernel. */
static void print_case(const struct subject *subject, bool accumulates) {
    const struct mapping_opcode *opcode = &subject->opcode;
    printf("    /* %s */\n#if NVCC >= %u%s", opcode->text, nvcc_version(opcode->ptx),
           is_wgmma(opcode) ? "\n" : "");
    if (!is_wgmma(opcode))
        printf(" && __CUDA_ARCH__ >= %u\n", opcode->since * 10);
    printf("    case %zu: {\n", subject->index);
    switch (opcode->instruction) {
    case MAPPING_MMA:
    case MAPPING_MMA_SP:
        print_mma(subject);
        break;
    case MAPPING_LDMATRIX:
    case MAPPING_STMATRIX:
        print_move(subject);
        break;
    case MAPPING_MOVMATRIX:
        print_movmatrix(subject);
        break;
    default:
        print_wgmma(subject, accumulates);
    }
    printf("        break;\n    }\n#endif\n");
}

/* What is in front of the cases of a kernel. Of wgmma `width` is that of its opcodes, else 0. */
static void print_kernel_start(unsigned width) {
    printf("\n[[maybe_unused]] static __global__ void\nkernel_%u(const __grid_constant__ "
           "executor_job job) {\n",
           width);
    printf(width ? "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n" : "#ifdef __CUDA_ARCH__\n");
    if (width)
        printf("    __shared__ __align__(128) unsigned shared_a[512], shared_b[%u];\n"
               "    unsigned out[%u];\n",
               16 * width, width / 2);
    else
        printf("    [[maybe_unused]] __shared__ uint4 slots[32];\n");
    printf("    const executor_step step = job.steps[blockIdx.x];\n    switch (step.opcode) {\n");
}

static void print_kernel_end(unsigned width) {
    printf("    }\n");
    if (width)
        printf(
            "    uint2 *output = (uint2 *)(job.output + step.d + threadIdx.x * step.outputs);\n");
    for (unsigned n = 0; n < width / 2; n += 2)
        printf("    if (%u < step.outputs)\n        output[%u] = {out[%u], out[%u]};\n", n, n / 2,
               n, n + 1);
    printf("#endif\n}\n");
}

static void print_head(void) {
    printf("/* Written by generate.c. */\n"
           "#include \"gpu/executor.h\"\n\n"
           "#define NVCC (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ * 10)\n"
           "#if NVCC >= 1250\n#define SP \".sp::ordered_metadata\"\n#else\n#define SP \".sp\"\n"
           "#endif\n"
           "#if NVCC < 1170\n#define __grid_constant__\n#endif\n");
}

/* What the kernels of wgmma share. In shared memory 8 rows of 16 bytes are contiguous; 128 bytes
 * further the row goes on, and `stride` bytes further come the next 8 rows: K-major, without
 * swizzle (PTX ISA 9.0, section 9.7.15.5.1.2). B of sparse multiplications has rows of 64 bytes,
 * all else of 32. */
static void print_wgmma_head(void) {
    fputs("\n"
          "[[maybe_unused]] static __device__ void copy(unsigned *to, const unsigned *from,\n"
          "                                             unsigned words) {\n"
          "    for (unsigned n = threadIdx.x; n < words; n += 128)\n"
          "        to[n] = from[n];\n"
          "}\n"
          "\n"
          "[[maybe_unused]] static __device__ unsigned long long describe(const unsigned *matrix,\n"
          "                                                               unsigned stride) {\n"
          "    unsigned long long address = (unsigned)__cvta_generic_to_shared(matrix);\n"
          "    return (address & 0x3ffff) >> 4 | 128ull >> 4 << 16 |\n"
          "           (unsigned long long)stride >> 4 << 32;\n"
          "}\n"
          "\n"
          "[[maybe_unused]] static __device__ void begin() {\n"
          "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n"
          "    asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n"
          "    __syncthreads();\n"
          "#endif\n"
          "}\n",
          stdout);
}

/* Reads opcode `index` with its fragments; false from the end on. */
static bool read_subject(size_t index, struct subject *subject) {
    subject->index = index;
    if (!mapping_opcode_at(index, &subject->opcode))
        return false;
    subject->count = mapping_opcode_fragments(&subject->opcode, subject->fragments);
    return true;
}

/* True if this opcode is for that part. Kinds that no device has run this for yet are left out:
 * those of sm_120a. */
static bool is_of_part(const struct mapping_opcode *opcode, unsigned part, unsigned parts) {
    return opcode->since < 120 && part == executor_part(is_wgmma(opcode), opcode->shape.n, parts);
}

/* A line of the list of kernels: what the kernel is for, and of which opcode it is. */
struct row {
    char name[MAPPING_OPCODE_SIZE];
    size_t opcode;
};

/* Adds a row unless there is one of that name. False if there is. */
static bool add_row(struct row *rows, size_t *count, const char *name, size_t opcode) {
    for (size_t r = 0; r < *count; r++)
        if (strcmp(rows[r].name, name) == 0)
            return false;
    snprintf(rows[*count].name, sizeof rows[*count].name, "%s", name);
    rows[(*count)++].opcode = opcode;
    return true;
}

/* Adds rows for the fragments of an opcode that are new. False if there is none. */
static bool add_fragments(const struct subject *subject, struct row *rows, size_t *count) {
    bool is_new = false;
    for (size_t f = 0; f < subject->count; f++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&subject->fragments[f], name);
        is_new |= add_row(rows, count, name, subject->index);
    }
    return is_new;
}

static void print_rows(unsigned part, const struct row *rows, size_t count) {
    struct subject subject;
    printf("\nextern \"C\" const struct executor executors_%u[] = {\n", part);
    for (size_t r = 0; r < count && read_subject(rows[r].opcode, &subject); r++)
        printf("#if NVCC >= %u\n    {\"%s\", %zu, (const void *)kernel_%u},\n#endif\n",
               nvcc_version(subject.opcode.ptx), rows[r].name, rows[r].opcode,
               is_wgmma(&subject.opcode) ? subject.opcode.shape.n : 0U);
    printf("    {nullptr, 0, nullptr}};\n");
}

int main(int argc, char **argv) {
    static struct row rows[4096];
    size_t count = 0;
    struct subject subject;
    bool all = argc > 3;
    if (argc < 3) {
        fputs("usage: generate PART PARTS [all]\n", stderr);
        return 2;
    }
    unsigned part = (unsigned)strtoul(argv[1], NULL, 10);
    unsigned parts = (unsigned)strtoul(argv[2], NULL, 10);
    print_head();
    if (part > 0)
        print_wgmma_head();
    for (unsigned width = 0; width <= 256; width += 8) {
        if (part != executor_part(width > 0, width, parts))
            continue;
        print_kernel_start(width);
        for (size_t index = 0; read_subject(index, &subject); index++)
            if (is_of_part(&subject.opcode, part, parts) &&
                width == (is_wgmma(&subject.opcode) ? subject.opcode.shape.n : 0U) &&
                (all ? add_row(rows, &count, subject.opcode.text, index)
                     : add_fragments(&subject, rows, &count)))
                print_case(&subject, all);
        print_kernel_end(width);
    }
    print_rows(part, rows, count);
    return 0;
}
