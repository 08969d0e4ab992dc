/* json_detail.c - what follows from a layout, as JSON. */
#include "output/detail.h"
#include "output/json.h"
#include "report/facts.h"
#include "system/system.h"

static void print_sharing(struct printer *to, const struct report *report) {
    json(to, "\n  sharing:{");
    for (int columns = 0; columns < 2; columns++) {
        const char *axis = columns ? MAPPING_AXIS_COL : MAPPING_AXIS_ROW;
        struct mapping_sharing sharing;
        if (memory_enough(mapping_sharing_find(&report->forward.layout, columns,
                                               report_lanes(report), &sharing)) != MAPPING_OK) {
            json(to, "%s:null", axis);
            continue;
        }
        json(to, "%s:{", axis);
        json_numbers(to, "masks", sharing.generators, sharing.generator_count);
        json(to, "threads:%u,elements:%u}", sharing.threads, sharing.elements);
    }
    print_char(to, '}');
}

static void print_places(struct printer *to, const struct report *report) {
    const bool is_moved = report->observed.fragment.place == MAPPING_ACROSS;
    struct tensor_memory memory;
    if (!tensor_memory_find(report, &memory))
        return;
    json(to, "\n  tensor_memory:{lanes:[");
    for (uint32_t r = 0; r < memory.ranges; r++)
        json(to, "[%u,%u]", memory.first[r], memory.last[r]);
    json(to, "],columns:%u,ctas:%u", memory.columns, memory.ctas);
    json_numbers(to, "bits", memory.bits, memory.places);
    if (!is_moved)
        json(to, "allocate:%u", memory.allocated);
    json(to, "issued_by:%s,lanes_of_warp:%u}", is_moved ? "warp" : "thread", (unsigned)WARP_LANES);
}

static void print_reuses(struct printer *to, const struct detail *detail) {
    json(to, "\n  next:[");
    for (size_t r = 0; r < detail->reuse_count; r++) {
        const struct reuse *reuse = &detail->reuses[r];
        struct mapping_fragment target = reuse->target;
        char name[MAPPING_NAME_SIZE];
        for (size_t t = 0; t <= reuse->types.count; t++) {
            if (t > 0)
                mapping_type_find(reuse->types.text[t - 1], &target.type);
            mapping_fragment_name(&target, name);
            json(to, "\n   {to:%s,matrices:%u,targets:%u,kind:%s,shuffles:%u,permutable:%d}", name,
                 reuse->matrices, reuse->targets, mapping_convert_kind_name(reuse->kind),
                 reuse->shuffles, reuse->is_permutable);
        }
    }
    print_char(to, ']');
}

static void print_k_order(struct printer *to, const struct detail *detail) {
    const struct mapping_k_order *k_order = &detail->k_order;
    char formula[FORMULA_TEXT], partner[MAPPING_NAME_SIZE];
    permutation_text(&k_order->k, formula);
    mapping_fragment_name(&detail->partner, partner);
    json(to, "\n  k_order:{elements:%u,k:%s", k_order->run, *formula ? formula : NULL);
    json_numbers(to, "order", k_order->k.table, k_order->k.count);
    json(to, "with:%s,alike:%d}", partner, detail->is_partner_alike);
}

/* The registers of one operand of a step. */
static void print_operand(struct printer *to, const char *key, const struct shuffle_plan *plan,
                          uint32_t part) {
    const struct part_operand operand = part_of(plan, part);
    json_numbers(to, key, operand.registers, operand.words);
}

static void print_composition(struct printer *to, const struct composition *composition) {
    const uint32_t *parts = composition->parts;
    json(to, "\n  made_of:{opcode:%s,since:\"sm_%u\",steps:[", composition->opcode.text,
         composition->opcode.since);
    for (uint32_t k = 0; k < parts[2]; k++)
        for (uint32_t m = 0; m < parts[0]; m++)
            for (uint32_t n = 0; n < parts[1]; n++) {
                json(to, "\n   {");
                print_operand(to, "d", &composition->d, m * parts[1] + n);
                print_operand(to, "a", &composition->a, m * parts[2] + k);
                print_operand(to, "b", &composition->b, k * parts[1] + n);
                print_char(to, '}');
            }
    print_text(to, "]}");
}

/* Prints what one opcode becomes: "QMMA.16832.F32.E4M3.E4M3", as often as it is there. */
static void print_sass(struct printer *to, const struct assembled *row) {
    const char *sass = row->sass;
    struct assembled_run run;
    json(to, "sass:[");
    while (assembled_next_run(&sass, &run))
        for (unsigned n = 0; n < run.count; n++)
            print(to, "%s\"%.*s\"", to->text[to->size - 1] == '[' ? "" : ",", run.length, run.name);
    json(to, "],instructions:%u", row->instructions);
}

/* Prints what opcodes become on all architectures. */
static void print_assembled(struct printer *to, const struct detail *detail) {
    json(to, "\n  becomes:[");
    for (size_t n = 0; n < detail->assembled_count; n++) {
        const struct assembled *row = &detail->assembled[n];
        json(to, "\n   {opcode:%s", row->opcode);
        json_archs(to, "archs", row->archs);
        json(to, "native:%d", assembled_is_native(row));
        print_sass(to, row);
        print_char(to, '}');
    }
    print_char(to, ']');
}

void json_detail(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    json(to, "\n detail:{");
    json_facts(to, &report->observed.fragment);
    if (report->observed.fragment.suffix)
        json_targets(to, &report->observed.fragment, report->arch);
    print_sharing(to, report);
    print_places(to, report);
    if (detail->reuse_count > 0)
        print_reuses(to, detail);
    if (detail->has_k_order)
        print_k_order(to, detail);
    if (detail->assembled_count > 0)
        print_assembled(to, detail);
    if (*detail->composition.opcode.text)
        print_composition(to, &detail->composition);
    print_char(to, '}');
}

void json_becomes(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    for (size_t n = 0; report->opcodes.count == 1 && n < detail->assembled_count; n++)
        for (size_t a = 0; mapping_arch_at(a); a++)
            if (mapping_arch_at(a)->number == report->arch && detail->assembled[n].archs >> a & 1) {
                print_text(to, ",\n ");
                print_sass(to, &detail->assembled[n]);
            }
}
