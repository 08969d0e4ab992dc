/* json_detail.c - what follows from a layout, as JSON. */
#include "output/detail.h"
#include "output/json_parts.h"
#include "output/tensor_memory.h"
#include "system/system.h"

static void print_sharing(struct printer *to, const struct report *report) {
    print_text(to, ",\n  \"sharing\":{");
    for (int columns = 0; columns < 2; columns++) {
        struct mapping_sharing sharing;
        print(to, "%s\"%s\":", columns ? "," : "", columns ? MAPPING_AXIS_COL : MAPPING_AXIS_ROW);
        if (memory_enough(mapping_sharing_find(&report->forward.layout, columns,
                                               report_lanes(report), &sharing)) != MAPPING_OK) {
            print_text(to, "null");
            continue;
        }
        print_char(to, '{');
        json_indices(to, "masks", sharing.generators, sharing.generator_count);
        print(to, ",\"threads\":%u,\"elements\":%u}", sharing.threads, sharing.elements);
    }
    print_char(to, '}');
}

static void print_reuses(struct printer *to, const struct detail *detail) {
    print_text(to, ",\n  \"next\":[");
    for (size_t r = 0; r < detail->reuse_count; r++) {
        const struct reuse *reuse = &detail->reuses[r];
        struct mapping_fragment target = reuse->target;
        char name[MAPPING_NAME_SIZE];
        for (size_t t = 0; t <= reuse->types.count; t++) {
            if (t > 0)
                mapping_type_find(reuse->types.text[t - 1], &target.type);
            mapping_fragment_name(&target, name);
            print(to,
                  "%s\n   {\"to\":\"%s\",\"matrices\":%u,\"targets\":%u,\"kind\":\"%s\","
                  "\"shuffles\":%u,\"permutable\":%s}",
                  r + t > 0 ? "," : "", name, reuse->matrices, reuse->targets,
                  mapping_convert_kind_name(reuse->kind), reuse->shuffles,
                  reuse->is_permutable ? "true" : "false");
        }
    }
    print_char(to, ']');
}

static void print_k_order(struct printer *to, const struct detail *detail) {
    const struct mapping_k_order *k_order = &detail->k_order;
    char formula[FORMULA_TEXT], partner[MAPPING_NAME_SIZE];
    permutation_text(&k_order->k, formula);
    mapping_fragment_name(&detail->partner, partner);
    print(to, ",\n  \"k_order\":{\"elements\":%u,", k_order->run);
    json_formula(to, "k", formula);
    print_char(to, ',');
    json_indices(to, "order", k_order->k.table, k_order->k.count);
    print(to, ",\"with\":\"%s\",\"alike\":%s}", partner,
          detail->is_partner_alike ? "true" : "false");
}

static void print_composition(struct printer *to, const struct composition *composition) {
    const uint32_t *parts = composition->parts;
    const char *separator = "";
    print(to, ",\n  \"made_of\":{\"opcode\":\"%s\",\"since\":\"sm_%u\",\"steps\":[",
          composition->opcode.text, composition->opcode.since);
    for (uint32_t k = 0; k < parts[2]; k++)
        for (uint32_t m = 0; m < parts[0]; m++)
            for (uint32_t n = 0; n < parts[1]; n++) {
                struct part_operand d = part_of(&composition->d, m * parts[1] + n),
                                    a = part_of(&composition->a, m * parts[2] + k),
                                    b = part_of(&composition->b, k * parts[1] + n);
                print(to, "%s\n   {", separator);
                json_indices(to, "d", d.registers, d.words);
                print_char(to, ',');
                json_indices(to, "a", a.registers, a.words);
                print_char(to, ',');
                json_indices(to, "b", b.registers, b.words);
                print_char(to, '}');
                separator = ",";
            }
    print_text(to, "]}");
}

/* Prints what one opcode becomes: "QMMA.16832.F32.E4M3.E4M3", as often as it is there. */
static void print_sass(struct printer *to, const struct assembled *row) {
    const char *sass = row->sass, *separator = "";
    struct assembled_run run;
    print_text(to, "\"sass\":[");
    while (assembled_next_run(&sass, &run))
        for (unsigned n = 0; n < run.count; n++, separator = ",")
            print(to, "%s\"%.*s\"", separator, run.length, run.name);
    print(to, "],\"instructions\":%u", row->instructions);
}

/* Prints what opcodes become on all architectures. */
static void print_assembled(struct printer *to, const struct detail *detail) {
    print_text(to, ",\n  \"becomes\":[");
    for (size_t n = 0; n < detail->assembled_count; n++) {
        const struct assembled *row = &detail->assembled[n];
        print(to, "%s\n   {\"opcode\":\"%s\"", n ? "," : "", row->opcode);
        json_archs(to, "archs", row->archs);
        print(to, ",\"native\":%s,", assembled_is_native(row) ? "true" : "false");
        print_sass(to, row);
        print_char(to, '}');
    }
    print_char(to, ']');
}

void json_detail(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    print_text(to, "\"detail\":{");
    json_facts(to, &report->observed.fragment);
    if (report->observed.fragment.suffix) {
        print_char(to, ',');
        json_targets(to, &report->observed.fragment, report->arch);
    }
    print_sharing(to, report);
    json_tensor_memory(to, report);
    if (detail->reuse_count > 0)
        print_reuses(to, detail);
    if (detail->has_k_order)
        print_k_order(to, detail);
    if (detail->assembled_count > 0)
        print_assembled(to, detail);
    if (*detail->composition.opcode.text)
        print_composition(to, &detail->composition);
    print_text(to, "},\n ");
}

/* Prints what the opcode that was asked for becomes on the architecture of the report. */
void json_becomes(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    for (size_t n = 0; report->opcodes.count == 1 && n < detail->assembled_count; n++)
        for (size_t a = 0; mapping_arch_at(a); a++)
            if (mapping_arch_at(a)->number == report->arch && detail->assembled[n].archs >> a & 1) {
                print_sass(to, &detail->assembled[n]);
                print_text(to, ",\n ");
            }
}
