/* generate.c - prints the rows that the kernels include, out of the catalogue, when the program is
 * built. What a row means stands above the macro of its name.
 *
 * generate FORM        the rows of one form of instruction: wmma (wmma.cuh), mma and mma_sp
 *                      (mma.cuh), matrix_moves (matrix_moves.cuh), wgmma_0 to wgmma_3 (wgmma.cuh);
 *                      of one opcode for each fragment
 * generate FORM all    the same of every opcode, and wgmma executed in every way: for
 *                      tests/source/gpu/products.c
 * generate fragments   which opcode each fragment is observed with (experiment.c)
 * generate types       the types of numbers (narrow.cuh), so that kernels need not include
 * mapping.h: a new family does not compile them again */
#include "source/gpu/kernels.h"
#include "source/gpu/operands.h"

#include "catalogue/catalogue.h"
#include "mapping.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which opcode a fragment is observed with ---- */

/* A fragment, and the oldest opcode that has it as an operand, the first of these; of wmma, it
 * itself. */
struct choice {
    struct mapping_fragment fragment;
    char name[MAPPING_NAME_SIZE];
    size_t number;
    unsigned since, ptx; /* of the opcode */
};

static struct choice *choices;
static size_t choice_count, choice_room;

static struct choice *find_choice(const struct mapping_fragment *fragment) {
    for (size_t c = 0; c < choice_count; c++)
        if (mapping_fragment_equal(&choices[c].fragment, fragment))
            return &choices[c];
    return NULL;
}

/* An exclusive or in place of products shows no layout: D would be A + B - 2 x A x B. */
static bool is_product(const struct operands *operands) {
    return !strstr(operands->opcode.text, ".xor.");
}

static struct choice *add_choice(void) {
    if (choice_count == choice_room) {
        choice_room = choice_room ? 2 * choice_room : 1024;
        choices = realloc(choices, choice_room * sizeof *choices);
        if (!choices)
            abort();
    }
    return &choices[choice_count++];
}

static void choose(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    for (size_t f = 0; f < operands->count; f++) {
        const struct mapping_fragment *fragment = &operands->fragments[f];
        struct choice *choice = find_choice(fragment);
        if (choice && (choice->since < opcode->since ||
                       (choice->since == opcode->since && choice->ptx <= opcode->ptx)))
            continue;
        if (!choice)
            choice = add_choice();
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

/* True if the operand is observed with this opcode. */
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

static void print_types(void) {
    puts("enum number_type {");
    for (int type = 0; type < MAPPING_TYPES; type++) {
        printf("    NUMBER_");
        for (const char *c = mapping_type_name((enum mapping_type)type); *c; c++)
            putchar(toupper((unsigned char)*c));
        printf(" = %d,\n", type);
    }
    puts("};");
}

/* ---- Rows ---- */

/* The registers of an operand: of 64 bits for f64, else of 32. */
static unsigned count_registers(const struct operands *operands, enum mapping_operand operand) {
    const struct mapping_fragment *fragment = operands_find(operands, operand);
    return fragment->registers * 32 / (mapping_type_bits(fragment->type) == 64 ? 64U : 32U);
}

static void print_wmma(const struct operands *operands) {
    static const char *const orders[] = {"", "row_major", "col_major"};
    const struct mapping_fragment *fragment = &operands->fragments[0];
    const struct mapping_shape shape = fragment->shape;
    const char *type = mapping_type_name(fragment->type);
    bool is_multiplicand = fragment->operand == MAPPING_A || fragment->operand == MAPPING_B;
    if (is_multiplicand) {
        printf("WMMA_LOAD(%u, %u, matrix_%s, %u, %u, %u, %s, %s)\n",
               wmma_row_number(operands->number, 0), fragment->since,
               mapping_operand_name(fragment->operand), shape.m, shape.n, shape.k, type,
               orders[fragment->order]);
        return;
    }
    for (unsigned col_major = 0; col_major < 2; col_major++)
        printf("%s(%u, %u, %u, %u, %u, %s, mem_%s)\n",
               fragment->operand == MAPPING_D ? "WMMA_STORE_D" : "WMMA_LOAD_C",
               wmma_row_number(operands->number, col_major), fragment->since, shape.m, shape.n,
               shape.k, type, orders[MAPPING_ROW_MAJOR + col_major]);
}

static void print_mma(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    bool is_sparse = operands_are_sparse(operands);
    for (uint32_t selector = 0; selector < operands_selectors(operands); selector++) {
        printf("%s(%u, %u, %u, %u, %u, %u, %u, %u, ", is_sparse ? "MMA_SP" : "MMA",
               row_number(operands->number, (struct variant){.selector = selector}), opcode->since,
               opcode->ptx, mapping_type_bits(opcode->d) == 64 ? 64U : 32U,
               count_registers(operands, MAPPING_A), count_registers(operands, MAPPING_B),
               count_registers(operands, MAPPING_C), count_registers(operands, MAPPING_D));
        if (is_sparse)
            printf("%u, \"%s\")\n", selector, opcode->text + strlen("mma.sp"));
        else
            printf("\"%s\")\n", opcode->text);
    }
}

static void print_move(const struct operands *operands) {
    const struct mapping_opcode *opcode = &operands->opcode;
    const char *type = strrchr(opcode->text, '.'); /* in front of it comes the state space */
    uint32_t row = row_number(operands->number, (struct variant){0});
    if (mapping_instruction_probe(opcode->instruction) == PROBE_MOVMATRIX)
        printf("MOVMATRIX(%u, %u, %u, \"%s\")\n", row, opcode->since, opcode->ptx, opcode->text);
    else
        printf("%s(%u, %u, %u, %u, \"%.*s.shared%s\")\n",
               mapping_instruction_probe(opcode->instruction) == PROBE_LDMATRIX ? "LDMATRIX"
                                                                                : "STMATRIX",
               row, opcode->since, opcode->ptx, count_registers(operands, MAPPING_R),
               (int)(type - opcode->text), opcode->text, type);
}

static void print_wgmma(const struct operands *operands, struct variant variant, unsigned stored,
                        bool adds) {
    const struct mapping_opcode *opcode = &operands->opcode;
    bool can_transpose = opcode->a == MAPPING_F16 || opcode->a == MAPPING_BF16;
    printf("WGMMA(%u, %u, %u, %u, %u, %s, ", opcode->shape.n, row_number(operands->number, variant),
           opcode->ptx, count_registers(operands, MAPPING_D), stored,
           variant.a_in_shared ? "SHARED" : "REGISTERS");
    printf(operands_are_sparse(operands) ? "%u" : "DENSE", variant.selector);
    printf(", %s, %s, \"%s\")\n",
           can_transpose              ? "HALF"
           : opcode->d == MAPPING_S32 ? "INTEGER"
                                      : "FLOAT",
           adds ? "ADD" : "CLEAR", opcode->text);
}

/* The rows of a wgmma that its operands are observed with. */
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
                        count_registers(operands, MAPPING_D), true);
}

/* True if rows for this opcode are asked for. */
static bool is_of_form(const struct operands *operands, const char *form) {
    char wgmma[16];
    snprintf(wgmma, sizeof wgmma, "wgmma_%u", wgmma_part(operands->opcode.shape.n));
    switch (mapping_instruction_probe(operands->opcode.instruction)) {
    case PROBE_MMA:
        return strcmp(form, operands_are_sparse(operands) ? "mma_sp" : "mma") == 0;
    case PROBE_LDMATRIX:
    case PROBE_STMATRIX:
    case PROBE_MOVMATRIX:
        return strcmp(form, "matrix_moves") == 0;
    case PROBE_WGMMA:
        return strcmp(form, wgmma) == 0;
    case PROBE_NONE:
    case PROBE_WMMA:
    case PROBE_TCGEN05:
    case PROBES:
        break;
    }
    return false;
}

static void print_rows(const struct operands *operands, bool all) {
    bool is_needed = all;
    for (size_t f = 0; f < operands->count; f++)
        is_needed |= is_chosen(operands, &operands->fragments[f]);
    if (!is_needed)
        return;
    if (!operands_are_multiplied(operands))
        print_move(operands);
    else if (!operands_read_shared(operands))
        print_mma(operands);
    else if (all)
        print_wgmma_all(operands);
    else
        print_wgmma_observed(operands);
}

int main(int argc, char **argv) {
    struct operands operands;
    struct mapping_fragment fragment;
    if (argc < 2) {
        fputs("usage: generate FORM [all] | generate fragments | generate types\n", stderr);
        return 2;
    }
    choose_all();
    if (strcmp(argv[1], "fragments") == 0)
        print_fragments();
    if (strcmp(argv[1], "types") == 0)
        print_types();
    if (strcmp(argv[1], "wmma") == 0)
        for (size_t number = 0; mapping_catalogue_at(number, &fragment); number++)
            if (operands_of_wmma(number, &operands))
                print_wmma(&operands);
    for (size_t number = 0; operands_of_opcode(number, &operands); number++)
        if (is_of_form(&operands, argv[1]) && operands_have_kernels(&operands))
            print_rows(&operands, argc > 2);
    return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
