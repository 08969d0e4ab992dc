/* generate.c - run by the build: prints the rows that the kernels include, from the catalogue. A
 * row is an opcode with the PTX that loads its registers, executes it, and stores the result. A
 * comment above the macro of a row explains its arguments.
 *
 *     generate FORM        the rows of one form of instruction, one opcode for each fragment: wmma
 *                          (wmma.cu), mma, mma_sp and matrix_moves (mma.cu), wgmma_0 to wgmma_3
 *                          (wgmma.cu)
 *     generate FORM all    the same for every opcode, and wgmma with A in registers and in shared
 *                          memory, for every sparsity selector: for tests/source/gpu/products.c
 *     generate fragments   the opcode that observes each fragment (experiment.c) */
#include "source/gpu/kernels.h"
#include "source/gpu/operands.h"

#include "catalogue/catalogue.h"
#include "catalogue/fragment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what, const char *opcode) {
    fprintf(stderr, "generate: %s: %s\n", opcode, what);
    exit(1);
}

/* ---- The opcode that observes a fragment ---- */

/* A fragment, and the oldest opcode that has it as an operand, the first of several; for wmma, the
 * fragment itself. */
struct choice {
    struct mapping_fragment fragment;
    char name[MAPPING_NAME_SIZE];
    size_t number;
    unsigned since, ptx; /* index of the opcode */
};

static struct choice choices[4096];
static size_t choice_count;

static struct choice *find_choice(const struct mapping_fragment *fragment) {
    for (size_t c = 0; c < choice_count; c++)
        if (mapping_fragment_equal(&choices[c].fragment, fragment))
            return &choices[c];
    return NULL;
}

/* False for exclusive or, which cannot show a layout: D would be A + B - 2 x A x B. */
static bool is_product(const struct operands *operands) {
    return !strstr(operands->opcode.text, ".xor.");
}

static void choose(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    for (size_t f = 0; f < operands->count; f++) {
        const struct mapping_fragment *fragment = &operands->fragments[f];
        struct choice *choice = find_choice(fragment);
        if (choice && (choice->since < opcode->since ||
                       (choice->since == opcode->since && choice->ptx <= opcode->ptx)))
            continue;
        if (!choice && choice_count == sizeof choices / sizeof *choices)
            fail("there are more fragments than choices[]", opcode->text);
        if (!choice)
            choice = &choices[choice_count++];
        *choice = (struct choice){.fragment = *fragment,
                                  .number = operands->number,
                                  .since = opcode->since,
                                  .ptx = opcode->ptx};
        mapping_fragment_name(fragment, choice->name);
    }
}

static void choose_all(void) {
    struct operands operands;
    struct mapping_fragment fragment;
    for (size_t number = 0; mapping_catalogue_at(number, &fragment); number++)
        if (operands_of_wmma(number, &operands))
            choose(&operands);
    for (size_t number = 0; operands_of_opcode(number, &operands); number++)
        if (operands_have_kernels(&operands) && is_product(&operands))
            choose(&operands);
}

/* True if this opcode observes the operand. */
static bool is_chosen(const struct operands *operands, const struct mapping_fragment *fragment) {
    const struct choice *choice = find_choice(fragment);
    return choice && choice->number == operands->number;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(((const struct choice *)a)->name, ((const struct choice *)b)->name);
}

static void print_fragments(void) {
    if (choice_count > 0)
        qsort(choices, choice_count, sizeof *choices, compare_names);
    for (size_t c = 0; c < choice_count; c++)
        printf("{\"%s\", %zu, %u, %u},\n", choices[c].name, choices[c].number, choices[c].since,
               choices[c].ptx);
}

/* ---- PTX ---- */

/* The registers of one operand, which PTX names by a letter: 4 of 32 bits are declared as .reg .b32
 * a<4>. .b32 fits every type of 32 bits, .b64 fits .f64 (PTX ISA 9.0, section 5.2.1). */
struct registers {
    char letter;
    unsigned count, bits;
};

static void print_declared(struct registers registers) {
    printf(".reg .b%u %c<%u>; ", registers.bits, registers.letter, registers.count);
}

/* Prints their declaration, and loads from an operand of the asm block: ld.b32 a0, [%1+0]; ld.b32
 * a1, [%1+4]; and so on. */
static void print_loaded(struct registers registers, unsigned from) {
    print_declared(registers);
    for (unsigned n = 0; n < registers.count; n++)
        printf("ld.b%u %c%u, [%%%u+%u]; ", registers.bits, registers.letter, n, from,
               n * registers.bits / 8);
}

/* Prints stores of the first `count` registers to the address in operand 0 of the asm block. */
static void print_stored(struct registers registers, unsigned count) {
    for (unsigned n = 0; n < count; n++)
        printf("st.b%u [%%0+%u], %c%u; ", registers.bits, n * registers.bits / 8, registers.letter,
               n);
}

/* {a0, a1, a2, a3} */
static void print_list(struct registers registers) {
    for (unsigned n = 0; n < registers.count; n++)
        printf("%s%c%u", n ? ", " : "{", registers.letter, n);
    putchar('}');
}

/* ---- Rows ---- */

/* The registers of an operand: 64 bits wide for f64, otherwise 32 bits. */
static struct registers registers_of(const struct operands *operands, enum mapping_operand operand,
                                     char letter) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    unsigned bits = mapping_type_bits(fragment->type) == 64 ? 64 : 32;
    return (struct registers){letter, fragment->registers * 32 / bits, bits};
}

static void print_wmma(const struct operands *operands) {
    static const char *const orders[] = {"", "row_major", "col_major"};
    const struct mapping_fragment *fragment = &operands->fragments[0];
    const struct mapping_shape shape = fragment->shape;
    const char *type = mapping_type_name(fragment->type);
    if (fragment->operand == MAPPING_A || fragment->operand == MAPPING_B) {
        printf("WMMA_LOAD(%u, %u, %s, %u, matrix_%s, %u, %u, %u, %s)\n",
               wmma_row_number(operands->number, 0), fragment->since, type,
               fragment->order == MAPPING_ROW_MAJOR ? fragment->cols : fragment->rows,
               mapping_operand_name(fragment->operand), shape.m, shape.n, shape.k,
               orders[fragment->order]);
        return;
    }
    for (unsigned col_major = 0; col_major < 2; col_major++)
        printf("%s(%u, %u, %s, %u, mem_%s, %u, %u, %u)\n",
               fragment->operand == MAPPING_D ? "WMMA_STORE_D" : "WMMA_LOAD_C",
               wmma_row_number(operands->number, col_major), fragment->since, type,
               col_major ? fragment->rows : fragment->cols, orders[MAPPING_ROW_MAJOR + col_major],
               shape.m, shape.n, shape.k);
}

static void print_mma(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    const struct registers a = registers_of(operands, MAPPING_A, 'a'),
                           b = registers_of(operands, MAPPING_B, 'b'),
                           c = registers_of(operands, MAPPING_C, 'c'),
                           d = registers_of(operands, MAPPING_D, 'd');
    bool is_sparse = operands_are_sparse(operands);
    for (uint32_t selector = 0; selector < operands_selectors(operands); selector++) {
        printf("MMA(%u, %u, %u, %u, %u, %u, %u, \"{ ",
               row_number(operands->number, (struct variant){.selector = selector}), opcode->since,
               opcode->ptx, a.count * a.bits / 32, b.count * b.bits / 32, c.count * c.bits / 32,
               d.count * d.bits / 32);
        print_loaded(a, 1);
        print_loaded(b, 2);
        print_loaded(c, 3);
        print_declared(d);
        if (is_sparse)
            printf("mma.sp\" ORDERED_METADATA \"%s ", opcode->text + strlen("mma.sp"));
        else
            printf("%s ", opcode->text);
        print_list(d), printf(", ");
        print_list(a), printf(", ");
        print_list(b), printf(", ");
        print_list(c);
        if (is_sparse)
            printf(", %%4, %u", selector);
        printf("; ");
        print_stored(d, d.count);
        printf("}\")\n");
    }
}

/* Prints the row of a move. movmatrix has a register on both sides. ldmatrix and stmatrix have a
 * list on one side and an address on the other; the state space precedes their type. */
static void print_move(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    const char *type = strrchr(opcode->text, '.');
    const enum instruction_form form = mapping_instruction_form(opcode->instruction);
    const enum mapping_operand operand = form == MOVMATRIX_FORM ? MAPPING_A : MAPPING_R;
    const struct registers read = registers_of(operands, operand, 'c'),
                           written = registers_of(operands, operand, 'd');
    printf("MOVE(%u, %u, %u, %u, \"{ ", row_number(operands->number, (struct variant){0}),
           opcode->since, opcode->ptx, read.count);
    if (form != LDMATRIX_FORM)
        print_loaded(read, 1);
    if (form != STMATRIX_FORM)
        print_declared(written);
    if (form == MOVMATRIX_FORM)
        printf("%s d0, c0", opcode->text);
    else
        printf("%.*s.shared%s ", (int)(type - opcode->text), opcode->text, type);
    if (form == LDMATRIX_FORM)
        print_list(written), printf(", [%%2]");
    if (form == STMATRIX_FORM)
        printf("[%%2], "), print_list(read);
    printf("; ");
    if (form != STMATRIX_FORM)
        print_stored(written, written.count);
    printf("}\")\n");
}

/* Prints the row of a wgmma, which stores only the first `stored` registers of D. The operands
 * after B are (PTX ISA 9.0, "wgmma.mma_async", syntax): metadata and selector; whether C is added;
 * for floating point, the signs of A and B; for f16 and bf16, whether B, and A in shared memory,
 * are transposed. */
static void print_wgmma(const struct operands *operands, struct variant variant, unsigned stored,
                        bool adds) {
    const struct mapping_opcode *opcode = &operands->opcode;
    const struct registers a = {'a', WGMMA_REGISTERS_A, 32},
                           d = registers_of(operands, MAPPING_D, 'd');
    bool can_transpose = opcode->a == MAPPING_F16 || opcode->a == MAPPING_BF16;
    printf("WGMMA(%u, %u, %u, %u, %u, \"{ ", opcode->shape.n, row_number(operands->number, variant),
           opcode->ptx, d.count, stored);
    if (adds)
        print_loaded(d, 1);
    else
        print_declared(d);
    if (!variant.a_in_shared)
        print_loaded(a, 2);
    printf("wgmma.fence.sync.aligned; %s ", opcode->text);
    print_list(d), printf(", ");
    if (variant.a_in_shared)
        printf("%%3");
    else
        print_list(a);
    printf(", %%4");
    if (operands_are_sparse(operands))
        printf(", %%5, %u", variant.selector);
    printf(", %d%s", adds, opcode->d == MAPPING_S32 ? "" : ", 1, 1");
    if (can_transpose)
        printf("%s", variant.a_in_shared ? ", 0, 0" : ", 0");
    printf("; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; ");
    print_stored(d, stored);
    printf("}\")\n");
}

/* Prints the rows of a wgmma that observe its operands. */
static void print_wgmma_observed(const struct operands *operands) {
    for (size_t f = 0; f < operands->count; f++) {
        const struct mapping_fragment *fragment = &operands->fragments[f];
        if (!is_chosen(operands, fragment))
            continue;
        uint32_t selectors = fragment->operand == MAPPING_E ? operands_selectors(operands) : 1;
        for (uint32_t selector = 0; selector < selectors; selector++)
            print_wgmma(operands, operands_variant(operands, fragment->operand, selector),
                        operands_stored(operands, fragment->operand).registers, false);
    }
}

static void print_wgmma_all(const struct operands *operands) {
    for (uint32_t selector = 0; selector < operands_selectors(operands); selector++)
        for (uint32_t a_in_shared = 0; a_in_shared < 2; a_in_shared++)
            print_wgmma(operands, (struct variant){selector, a_in_shared, 1},
                        registers_of(operands, MAPPING_D, 'd').count, true);
}

/* The form that contains the row of an opcode. */
static const char *form_of(const struct operands *operands) {
    static const char *const wgmma[WGMMA_PARTS] = {"wgmma_0", "wgmma_1", "wgmma_2", "wgmma_3"};
    if (operands_read_shared(operands))
        return wgmma[wgmma_part(operands->opcode.shape.n)];
    if (!operands_are_multiplied(operands))
        return "matrix_moves";
    return operands_are_sparse(operands) ? "mma_sp" : "mma";
}

static void print_rows(const struct operands *operands, bool all) {
    bool is_needed = all;
    for (size_t f = 0; f < operands->count; f++)
        is_needed |= is_chosen(operands, &operands->fragments[f]);
    if (!is_needed)
        return;
    switch (mapping_instruction_form(operands->opcode.instruction)) {
    case MMA_FORM:
        print_mma(operands);
        break;
    case WGMMA_FORM:
        all ? print_wgmma_all(operands) : print_wgmma_observed(operands);
        break;
    case LDMATRIX_FORM:
    case STMATRIX_FORM:
    case MOVMATRIX_FORM:
        print_move(operands);
        break;
    default:
        fail("print_rows does not know the probe of its family", operands->opcode.text);
    }
}

int main(int argc, char **argv) {
    struct operands operands;
    struct mapping_fragment fragment;
    if (argc < 2) {
        fputs("usage: generate FORM [all] | generate fragments\n", stderr);
        return 2;
    }
    choose_all();
    if (strcmp(argv[1], "fragments") == 0)
        print_fragments();
    if (strcmp(argv[1], "wmma") == 0)
        for (size_t number = 0; mapping_catalogue_at(number, &fragment); number++)
            if (operands_of_wmma(number, &operands))
                print_wmma(&operands);
    for (size_t number = 0; operands_of_opcode(number, &operands); number++)
        if (operands_have_kernels(&operands) && strcmp(argv[1], form_of(&operands)) == 0)
            print_rows(&operands, argc > 2);
    return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
