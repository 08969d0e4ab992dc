/* detail.c - the facts of --detail as lines of text. */
#include "output/output.h"

#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "report/facts.h"
#include "report/tmem_report.h"

#include <string.h>

/* ---- Tensor Memory: rules of the PTX ISA, "tcgen05 family instructions" ---- */

/* Prints "lanes 0 to 127", "lanes 0 to 15 of each 32", or "lane 0 of each 32". */
static void print_lanes(struct printer *to, const struct tensor_memory *memory) {
    const bool is_of_each = memory->is_of_each_warp;
    print_text(to, memory->lanes == memory->ranges ? "lane" : "lanes");
    for (uint32_t r = 0; r < (is_of_each ? 1 : memory->ranges); r++) {
        print(to, "%s %u", r ? "," : "", memory->first[r]);
        if (memory->last[r] > memory->first[r])
            print(to, " to %u", memory->last[r]);
    }
    if (is_of_each)
        print(to, " of each %d-lane group", WARP_LANES);
}

/* Prints which bits of their columns elements occupy. */
static void print_bits(struct printer *to, const struct report *report,
                       const struct tensor_memory *memory) {
    enum { SHOWN = 8 };
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const uint32_t used = mapping_type_bits(fragment->type); /* may be fewer than the bits in
                                                                memory */
    const uint32_t bits =
        fragment->operand != MAPPING_E && used < fragment->bits ? used : fragment->bits;
    if (bits >= MAPPING_COLUMN_BITS) {
        print_text(to, "columns    have 32 bits; each holds one element\n");
        return;
    }
    print(to, "columns    have 32 bits; elements of %u bit%s begin at bit", bits,
          mapping_plural(bits));
    const bool is_long = memory->places > SHOWN;
    for (uint32_t b = 0; b < (is_long ? 2 : memory->places); b++)
        print(to, "%s%u", b ? ", " : " ", memory->bits[b]);
    print(to, is_long ? " .. %u\n" : "\n", memory->bits[memory->places - 1]);
}

/* Prints the number of copies of each element, and the values that select a copy. */
static void print_copies(struct printer *to, const struct report *report) {
    const struct mapping_space *from = &report->forward.layout.from;
    for (uint32_t a = 0; a < from->count; a++) {
        const char *name = from->axis[a].name;
        if (strcmp(name, MAPPING_AXIS_COPY) == 0)
            print(to, "copies     each element must be stored in %u places\n", from->axis[a].size);
        else if (strcmp(name, MAPPING_AXIS_ID) == 0 || strcmp(name, MAPPING_AXIS_SELECTOR) == 0)
            print(to, "%-10s a field of the instruction descriptor; %u of its values are shown\n",
                  name, from->axis[a].size);
    }
}

/* Prints what to wait for before and after an access to Tensor Memory: "done       after ...". */
static void print_waits(struct printer *to, const struct report *report) {
    enum { COLUMN = 11, WIDTH = 79 };
    const struct facts waits = tensor_memory_waits(report);
    for (size_t f = 0; f < waits.count; f++) {
        print(to, "%-*s", COLUMN, waits.fact[f].key);
        print_wrapped(to, waits.fact[f].text, strlen(waits.fact[f].text),
                      &(struct wrapping){COLUMN, WIDTH, " ", "           "});
        print_char(to, '\n');
    }
}

/* Prints the lanes and columns of Tensor Memory that an operand of a multiplication or a copy
 * occupies. */
static void print_allocated(struct printer *to, const struct report *report,
                            const struct tensor_memory *memory) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    if (mapping_fragment_letter(fragment))
        print(to, "layout     %s\n", mapping_fragment_letter(fragment));
    print_text(to, "memory     Tensor Memory: ");
    print_lanes(to, memory);
    print(to, ", %u column%s%s\n", memory->columns, mapping_plural(memory->columns),
          memory->ctas > 1 ? " in each CTA of a pair" : "");
    print_bits(to, report, memory);
    print_copies(to, report);
    print(to, "allocate   %u columns%s, with tcgen05.alloc (valid: 32, 64, 128, 256, 512)\n",
          memory->allocated, memory->ctas > 1 ? " in each CTA" : "");
    print(to, "issued by  one thread%s, with %s\n",
          memory->ctas > 1 ? " of one CTA of the pair" : "",
          mapping_instruction_multiplies(fragment->instruction)
              ? "tcgen05.mma"
              : mapping_instruction_name(fragment->instruction));
    print_waits(to, report);
    print(to,
          "warps      access only lanes 32 * w to 32 * w + %d (w: warp number %% 4):\n           "
          "tcgen05.ld reads them to registers, tcgen05.st writes them\n",
          WARP_LANES - 1);
}

static void print_move(struct printer *to, const struct report *report,
                       const struct tensor_memory *memory) {
    const bool is_load = mapping_instruction_loads(report->observed.fragment.instruction);
    print(to, "memory     %s Tensor Memory: %u lanes x %u column%s, starting at the address\n",
          is_load ? "reads" : "writes", memory->lanes, memory->columns,
          mapping_plural(memory->columns));
    if (report->observed.fragment.bits < MAPPING_COLUMN_BITS)
        print(to, "columns    have 32 bits, of which the lower %u are moved\n",
              report->observed.fragment.bits);
    print(to,
          "issued by  one warp, all threads together; warp w can access only lanes\n"
          "           32 * w to 32 * w + %d (w: warp number %% 4)\n",
          WARP_LANES - 1);
    print(to,
          memory->lanes < WARP_LANES ? "address    lane 32 * w or 32 * w + %u\n"
                                     : "address    lane 32 * w\n",
          memory->lanes);
    print_waits(to, report);
}

/* Prints how threads address the elements that they load. */
static void print_part(struct printer *to, const struct report *report) {
    print(to,
          "issued by  each warp of the warpgroup, all threads of the warp together\n"
          "address    %s\n           (w: warp number %% 4; the lane is in bits 16-31)\n",
          tmem_address(report->tmem));
    print_waits(to, report);
}

/* ---- Who shares a row ---- */

static void print_sharing(struct printer *to, const struct report *report, bool is_columns) {
    struct mapping_sharing sharing;
    if (mapping_sharing_find(&report->forward.layout, is_columns, &sharing) != MAPPING_OK)
        return;
    const char *line = is_columns ? "column" : "row";
    print(to, "%-10s %u thread%s per %s, %u element%s%s", is_columns ? "columns" : "rows",
          sharing.threads, mapping_plural(sharing.threads), line, sharing.elements,
          mapping_plural(sharing.elements), sharing.threads == 1 ? "" : " each");
    uint32_t shown = 0; /* a shuffle only reads lanes of its own warp */
    const enum mapping_operand operand = report->observed.fragment.operand;
    if (report_copies(report) > 1 || operand == MAPPING_P || operand == MAPPING_E) {
        /* with masks, an element would be added to its copies; addresses and indices are never
         * added */
        print_char(to, '\n');
        return;
    }
    for (uint32_t g = 0; g < sharing.generator_count; g++)
        if (sharing.generators[g] < MAPPING_WARP) {
            if (shown++ == 0)
                print(to, "\n           to reduce a %s: __shfl_xor_sync with laneMask", line);
            else
                print_char(to, ',');
            print(to, " %u", sharing.generators[g]);
        }
    print_text(to, sharing.crosses_warps ? ";\n           then reduce across warps\n" : "\n");
}

/* ---- The next product ---- */

static void print_reuse(struct printer *to, const struct reuse *reuse) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&reuse->target, name);
    print_text(to, name);
    for (size_t t = 0; t < reuse->types.count; t++)
        print(to, ", %s", reuse->types.text[t]);
    print(to, ":\n           ");
    if (reuse->matrices > 1)
        print(to, "%u D side by side become 1 A: ", reuse->matrices);
    else if (reuse->targets > 1)
        print(to, "1 D becomes %u A side by side: ", reuse->targets);
    else
        print_text(to, "1 D becomes 1 A: ");
    if (reuse->kind == CONVERT_SAME)
        print_text(to, "same registers after type conversion");
    else if (reuse->kind == CONVERT_WORDS)
        print_text(to, "only the register numbers change");
    else if (reuse->kind == CONVERT_SLOTS)
        print_text(to, "elements move within each thread");
    else if (reuse->kind == CONVERT_SHUFFLES)
        print(to, "%u shuffles", reuse->shuffles);
    else
        print_text(to, "conversion through shared memory");
    print_text(to, reuse->is_permutable ? ", none if you permute K\n" : "\n");
}

/* ---- The order of K ---- */

static void print_k_order(struct printer *to, const struct report *report,
                          const struct detail *detail) {
    const struct mapping_k_order *k_order = &detail->k_order;
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const char *formula = permutation_text(&k_order->k);
    char partner[MAPPING_NAME_SIZE];
    uint32_t bits = k_order->run * fragment->bits;
    if (k_order->run < 2 || !formula || bits % 8 != 0)
        return;
    mapping_fragment_name(&detail->partner, partner);
    print(to, "K order    a thread can load its %u elements of a %s (%u byte%s) ", k_order->run,
          fragment->operand == MAPPING_A ? "row" : "column", bits / 8, mapping_plural(bits / 8));
    if (bits > 128) /* the widest load of any architecture */
        print_text(to, "16 bytes at a time");
    else
        print_text(to, "at once");
    if (k_order->is_identity && detail->is_partner_alike) {
        print(to, ";\n           K keeps its order in memory, also for %s\n", partner);
        return;
    }
    if (k_order->is_identity)
        print_text(to, ";\n           K keeps its order in memory;\n");
    else
        print(to,
              "\n           if you reorder K in memory: at position 'place', store element k =\n"
              "           %s;\n",
              formula);
    print(to, "           %s %s\n",
          detail->is_partner_alike ? "use the same order for" : "use another order for", partner);
}

/* ---- Opcodes ---- */

/* Prints instructions in lines that fit a terminal: "2 HMMA.16816.F32, IMMA.16816.S8.S8". */
static void print_runs(struct printer *to, const char *sass) {
    enum { START = 11 };
    struct codegen_run run;
    size_t column = START;
    while (codegen_next_run(&sass, &run)) {
        const char *text = memory_format("%.*s", run.length, run.name);
        if (run.count > 1)
            text = memory_format("%u %s", run.count, text);
        column = print_folded(to, text, column == START, column, START);
    }
}

/* Prints the SASS of all opcodes on all architectures. If `is_brief`, prints it on the architecture
 * of the report only, and counts many instructions. */
static void print_codegen(struct printer *to, const struct report *report, bool is_brief) {
    enum { FEW = 4 };
    const struct detail *detail = report->detail;
    const char *last = "";
    for (size_t n = 0; n < detail->codegen_count; n++) {
        const struct codegen *row = &detail->codegen[n];
        unsigned others = row->instructions - row->tensor_cores;
        char archs[ARCHS_TEXT];
        if (is_brief && !(row->archs & mapping_arch_bit(report->arch)))
            continue;
        if (strcmp(last, row->opcode) != 0)
            print(to, "SASS of    %s:\n", row->opcode);
        last = row->opcode;
        mapping_archs_text(row->archs, archs);
        print(to, "  %-8s %s:\n           ", codegen_is_native(row) ? "native" : "emulated", archs);
        if (row->tensor_cores == 0) {
            print(to, "%u instructions, none on tensor cores", row->instructions);
        } else if (is_brief && row->tensor_cores > FEW) {
            print(to, "%u instructions, %u on tensor cores", row->instructions, row->tensor_cores);
        } else {
            print_runs(to, row->sass);
            if (others > 0)
                print(to, " and %u other instruction%s", others, mapping_plural(others));
        }
        print_char(to, '\n');
    }
}

/* Prints the registers of the larger product that an operand of a part takes: "a0,a1". */
static void print_operand(struct printer *to, char letter, const struct shuffle_plan *plan,
                          uint32_t part) {
    const uint32_t words = plan->target.words / plan->target.matrices;
    for (uint32_t w = 0; w < words; w++)
        print(to, "%s%c%u", w ? "," : "", letter, plan->outputs[(size_t)part * words + w]);
}

static void print_composition(struct printer *to, const struct composition *composition) {
    const uint32_t *parts = composition->parts;
    print(to, "equals     %u %s (sm_%u and later):\n", parts[0] * parts[1] * parts[2],
          composition->opcode.text, composition->opcode.since);
    for (uint32_t k = 0; k < parts[2]; k++)
        for (uint32_t m = 0; m < parts[0]; m++)
            for (uint32_t n = 0; n < parts[1]; n++) {
                const uint32_t d = m * parts[1] + n;
                print_text(to, "           ");
                print_operand(to, 'd', &composition->d, d);
                print_text(to, " = ");
                print_operand(to, 'a', &composition->a, m * parts[2] + k);
                print_text(to, " * ");
                print_operand(to, 'b', &composition->b, k * parts[1] + n);
                print_text(to, " + ");
                print_operand(to, k == 0 ? 'c' : 'd', &composition->d, d);
                print_char(to, '\n');
            }
}

static void print_instruction_descriptors(struct printer *to,
                                          const struct mapping_fragment *fragment) {
    struct mapping_instruction_descriptor it;
    bool has_scales = false;
    size_t n = 0;
    for (; mapping_instruction_descriptor(fragment, n, &it); n++) {
        print(to, "%s0x%08x of kind::%s with A and B of %s", n ? "           " : "idesc      ",
              it.value, it.kind, mapping_type_name(it.a));
        print(to, it.has_scales ? ", scales of %s;\n" : ";\n", mapping_type_name(it.scales));
        has_scales |= it.has_scales;
    }
    if (n > 0)
        print(to, "           K-major%s; bits 17-22 hold N / 8, %s\n",
              has_scales ? ", scale factor IDs 0" : "",
              has_scales ? "27-28 hold M / 128" : "24-28 hold M / 16");
}

static void print_registers(struct printer *to, const struct report *report) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const unsigned bits = fragment->bits;
    const uint32_t copies = report_copies(report);
    if (bits <= 32)
        print(to, "registers  %u per thread, %u element%s in each\n", fragment->registers,
              32 / bits, bits == 32 ? "" : "s");
    else
        print(to, "registers  %u per thread, %u for each element\n", fragment->registers,
              bits / 32);
    print(to, "elements   %u per thread; %u cop%s of each matrix element\n", fragment->elements,
          copies, copies == 1 ? "y" : "ies");
}

static void print_type(struct printer *to, const struct mapping_fragment *fragment) {
    const char *name = mapping_type_name(fragment->type),
               *alias = mapping_type_alias(fragment->type);
    const bool is_placed = fragment->place != MAPPING_IN_REGISTERS;
    const unsigned bits = fragment->bits;
    if (fragment->operand == MAPPING_E) {
        print(to, "type       %u-bit indices of the nonzero elements of A (%s)\n", bits, name);
        return;
    }
    if (fragment->operand == MAPPING_P) {
        print(to, "type       %u-bit addresses of rows of %s elements\n", bits, name);
        return;
    }
    print(to, is_placed && strcmp(name, alias) == 0 ? "type       %s, " : "type       %s (%s), ",
          name, alias);
    if (mapping_type_bits(fragment->type) < bits)
        print(to, "%u bits, stored in %u\n", mapping_type_bits(fragment->type), bits);
    else
        print(to, "%u bit%s\n", bits, mapping_plural(bits));
}

static void print_matrix(struct printer *to, const struct report *report, bool has_table) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    if (!has_table || fragment->blocks > 1) {
        print(to, "matrix     %s is ", mapping_operand_name(fragment->operand));
        if (fragment->blocks > 1)
            print(to, "%u separate matrices, each ", fragment->blocks);
        print(to, "%u x %u\n", fragment->rows, fragment->cols);
    }
    print_type(to, fragment);
    if (!has_table && fragment->place != MAPPING_IN_TENSOR_MEMORY)
        print_registers(to, report);
}

/* Prints the bytes of a fragment, its instruction descriptors, and which targets have it. If it
 * `has_since`, what is above says since when all later architectures have it. */
static void print_targets(struct printer *to, const struct report *report, bool has_since) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const bool is_address = fragment->operand == MAPPING_P;
    print_text(to, "bytes      ");
    if (!is_address)
        print(to, "%u for the matrix%s", fragment_bytes(fragment), fragment->threads ? ", " : "");
    if (fragment->threads)
        print(to, "%u in the registers of all %u threads",
              fragment->threads * fragment->registers * 4U, fragment->threads);
    print_char(to, '\n');
    print_instruction_descriptors(to, fragment);
    const bool is_only = fragment->until == fragment->since;
    if (!has_since || fragment->until) {
        print(to, is_only ? "only on    sm_%u" : "since      sm_%u", fragment->since);
        if (fragment->ptx > 0)
            print(to, is_only ? "; since PTX %u.%u" : ", PTX %u.%u", fragment->ptx / 10,
                  fragment->ptx % 10);
        print(to, fragment->until && !is_only ? "; up to sm_%u\n" : "\n", fragment->until);
    }
    char targets[TARGETS_TEXT];
    mapping_targets_text(fragment, mapping_arch_bit(report->arch), ", ", targets);
    if (*targets)
        print(to, "targets    %s\n", targets);
}

void print_facts(struct printer *to, const struct report *report, bool has_table, bool is_brief) {
    const struct detail *detail = report->detail;
    struct tensor_memory memory;
    for (size_t n = 0; n < detail->product.count; n++)
        print(to, "%-11s%s\n", n == 0 ? "product" : "", detail->product.text[n]);
    print_matrix(to, report, has_table);
    if (report->tmem)
        print_part(to, report);
    if (tensor_memory_find(report, &memory)) {
        const bool is_moved = report->observed.fragment.place == MAPPING_ACROSS;
        (is_moved ? print_move : print_allocated)(to, report, &memory);
    }
    print_targets(to, report, has_table);
    for (int columns = 0; columns < 2; columns++)
        print_sharing(to, report, columns);
    for (size_t r = 0; r < detail->reuse_count; r++) {
        print_text(to, r == 0 ? "reuse as A " : "           ");
        print_reuse(to, &detail->reuses[r]);
    }
    if (detail->has_k_order)
        print_k_order(to, report, detail);
    print_codegen(to, report, is_brief);
    if (*detail->composition.opcode.text)
        print_composition(to, &detail->composition);
}
