/* json.c - the same for programs. */
#include "output/detail.h"

#include <stdio.h>
#include <string.h>

static void print_string(struct printer *to, const char *text) {
    enum { LONGEST = 6 }; /* \u001f */
    char *start = printer_room(to, strlen(text) * LONGEST + 2), *end = start;
    if (!start)
        return;
    *end++ = '"';
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            *end++ = '\\';
        if (c < 0x20)
            end += sprintf(end, "\\u%04x", c);
        else
            *end++ = (char)c;
    }
    *end++ = '"';
    to->size += (size_t)(end - start);
}

/* What the layout was taken from, and all that it rests on. */
static void print_source(struct printer *to, const struct provenance *provenance) {
    const struct evidence *first = &provenance->evidence[0];
    print_text(to, "{\"kind\":");
    print_string(to, first->is_recorded ? "recorded" : first->kind);
    print_text(to, ",\"evidence\":[");
    for (unsigned e = 0; e < provenance->count; e++) {
        const struct evidence *evidence = &provenance->evidence[e];
        print_text(to, e > 0 ? ",{\"kind\":" : "{\"kind\":");
        print_string(to, evidence->kind);
        print_text(to, ",\"with\":");
        print_string(to, evidence->with);
        print(to, ",\"recorded\":%s}", evidence->is_recorded ? "true" : "false");
    }
    print_text(to, "]}");
}

/* What confirmed the statement of the PTX ISA, or null. */
static void print_confirmation(struct printer *to, const struct confirmation *confirmation) {
    print_text(to, "\"confirmed\":");
    if (confirmation->arch) {
        print(to, "{\"arch\":\"sm_%u\",\"with\":", confirmation->arch);
        print_string(to, confirmation->with);
        print_text(to, "},\n ");
    } else {
        print_text(to, "null,\n ");
    }
}

/* Prints where an entry lies: "[3,5]", or "3" where the target has one axis. */
static void print_target(struct printer *to, const struct mapping_layout *layout, size_t entry) {
    bool one = layout->to.count == 1;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        if (!one)
            print_char(to, c ? ',' : '[');
        print_number(to, layout->coordinate[c][entry]);
    }
    if (!one)
        print_char(to, ']');
}

/* Prints the table: arrays in arrays, one level for each axis of the source. */
static void print_table(struct printer *to, const struct mapping_layout *layout) {
    const struct mapping_space *from = &layout->from;
    uint32_t last = from->axis[from->count - 1].size;
    for (size_t entry = 0; entry < mapping_layout_entries(layout); entry++) {
        size_t run = entry;
        /* How many arrays begin and end here: those whose indices are all 0 and all the last. */
        uint32_t begins = 0, ends = 0;
        for (uint32_t a = from->count; a-- > 0 && run % from->axis[a].size == 0; begins++)
            run /= from->axis[a].size;
        run = entry;
        for (uint32_t a = from->count;
             a-- > 0 && run % from->axis[a].size == from->axis[a].size - 1; ends++)
            run /= from->axis[a].size;
        if (entry > 0)
            print_char(to, ',');
        for (uint32_t a = begins; a-- > 0;)
            print_text(to, a == 0 && from->count > 1 ? "\n  [" : "[");
        print_target(to, layout, entry);
        for (uint32_t a = 0; a < ends; a++)
            print_char(to, ']');
    }
    if (last == 0)
        print_text(to, "[]");
}

/* Prints "name":"formula", or null where there is none. */
static void print_formula(struct printer *to, const char *name, const char *formula) {
    print(to, "\"%s\":", name);
    if (*formula)
        print_string(to, formula);
    else
        print_text(to, "null");
}

/* Prints a member for each axis of the target. */
static void print_formulae(struct printer *to, const struct solved *solved) {
    for (uint32_t c = 0; c < solved->layout.to.count; c++) {
        char text[FORMULA_TEXT];
        solved_formula(solved, c, text);
        if (c > 0)
            print_char(to, ',');
        print_formula(to, solved->layout.to.axis[c].name, text);
    }
}

/* The inverse with its last axis called "copy", as it is for all programs. */
static void print_inverse(struct printer *to, const struct report *report) {
    struct solved inverse = report->inverse;
    struct mapping_space *from = &inverse.layout.from;
    from->axis[from->count - 1].name = MAPPING_AXIS_COPY;
    print_formulae(to, &inverse);
}

/* Prints "name":7 and "name":"text". A list has thousands of them, for which printf takes half of
 * the time. */
static void print_member_name(struct printer *to, const char *name) {
    print_char(to, '"');
    print_text(to, name);
    print_text(to, "\":");
}

static void print_number_member(struct printer *to, const char *name, uint32_t number) {
    print_member_name(to, name);
    print_number(to, number);
}

static void print_text_member(struct printer *to, const char *name, const char *text) {
    print_member_name(to, name);
    print_string(to, text);
}

/* Prints "name":"sm_80", or null for 0. */
static void print_arch_member(struct printer *to, const char *name, uint32_t arch) {
    print_member_name(to, name);
    print_text(to, arch ? "\"sm_" : "null");
    if (!arch)
        return;
    print_number(to, arch);
    print_char(to, '"');
}

/* Prints the members that a fragment has on every architecture, without braces. */
static void print_facts(struct printer *to, const struct mapping_fragment *f) {
    const uint32_t shape[] = {f->shape.m, f->shape.n, f->shape.k};
    const char *variant = mapping_fragment_variant(f);
    print_text_member(to, "instruction", mapping_instruction_name(f->instruction));
    print_text(to, ",\"shape\":");
    for (int s = 0; s < 3; s++) {
        print_char(to, s ? ',' : '[');
        print_number(to, shape[s]);
    }
    print_text(to, "],");
    print_text_member(to, "operand", mapping_operand_name(f->operand));
    print_text(to, *variant ? "," : ",\"layout\":null");
    if (*variant)
        print_text_member(to, "layout", variant);
    print_char(to, ',');
    print_text_member(to, "type", mapping_type_name(f->type));
    print_char(to, ',');
    print_number_member(to, "bits", f->bits);
    print_char(to, ',');
    print_number_member(to, "registers", f->registers);
    print_char(to, ',');
    print_number_member(to, "bytes", fragment_bytes(f));
    print_char(to, ',');
    print_arch_member(to, "since", f->since);
    print_char(to, ',');
    print_arch_member(to, "until", f->until);
    print_text(to, ",\"ptx\":\"");
    print_number(to, f->ptx / 10);
    print_char(to, '.');
    print_number(to, f->ptx % 10);
    print_char(to, '"');
}

/* Prints the sizes of both spaces: "rows":16,"cols":16,"threads":32, ... */
static void print_sizes(struct printer *to, const struct mapping_space *from,
                        const struct mapping_space *target) {
    const struct mapping_space *const spaces[] = {target, from};
    for (int s = 0; s < 2; s++)
        for (uint32_t a = 0; a < spaces[s]->count; a++) {
            print_number_member(to, mapping_axis_plural(spaces[s]->axis[a].name),
                                spaces[s]->axis[a].size);
            print_char(to, ',');
        }
    print_number_member(to, "copies",
                        (uint32_t)(mapping_space_size(from) / mapping_space_size(target)));
}

/* Prints an array of strings. */
static void print_strings(struct printer *to, char *const *strings, size_t count) {
    print_char(to, '[');
    for (size_t n = 0; n < count; n++) {
        if (n > 0)
            print_char(to, ',');
        print_string(to, strings[n]);
    }
    print_char(to, ']');
}

static void print_coordinates(struct printer *to, const struct mapping_space *space,
                              const uint32_t *point) {
    for (uint32_t a = 0; a < space->count; a++)
        print(to, "%s\"%s\":%u", a ? "," : "", space->axis[a].name, point[a]);
}

static void print_answers(struct printer *to, const struct report *report,
                          const struct question *question) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct answer answer;
    const char *separator = "\n  {";
    print_text(to, "\"answers\":[");
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        print_text(to, separator);
        print_coordinates(to, &layout->to, answer.target);
        print(to, ",\"copy\":%u,", answer.copy);
        print_coordinates(to, &layout->from, answer.source);
        print_char(to, '}');
        separator = ",\n  {";
    }
    print_char(to, ']');
}

static void print_names(struct printer *to, const char *label, const struct mapping_space *space) {
    print(to, "\"%s\":[", label);
    for (uint32_t a = 0; a < space->count; a++)
        print(to, "%s\"%s\"", a ? "," : "", space->axis[a].name);
    print_text(to, "],\n ");
}

/* True if the source is (tid, i), which goes without saying. */
static bool is_held_by_threads(const struct mapping_space *from) {
    return from->count == 2 && strcmp(from->axis[0].name, MAPPING_AXIS_TID) == 0 &&
           strcmp(from->axis[1].name, MAPPING_AXIS_I) == 0;
}

/* Prints what else has the layout of a file. */
static void print_same(struct printer *to, const struct report *report) {
    print_text(to, ",\n \"same\":");
    print_strings(to, report->same.text, report->same.count);
    print_text(to, ",\n \"nearly\":");
    if (report->nearly) {
        print_text(to, "{\"same\":");
        print_string(to, report->nearly);
        print(to, ",\"differing\":%zu}", report->differing);
    } else {
        print_text(to, "null");
    }
}

/* Prints how many operators formulae have, and whether none can have fewer, where that was asked
 * for. */
static void print_counts(struct printer *to, const struct report *report) {
    const struct solved *const sides[] = {&report->forward, &report->inverse};
    for (int proofs = 0; proofs < 2; proofs++) {
        const char *separator = proofs ? ",\n \"proved\":{" : ",\n \"operators\":{", *end = "";
        for (int s = 0; s < 2; s++)
            for (uint32_t c = 0; c < sides[s]->layout.to.count; c++) {
                const struct deduced *deduced = &sides[s]->formulae[c];
                if (!deduced->is_counted)
                    continue;
                print(to, "%s\"%s\":", separator, sides[s]->layout.to.axis[c].name);
                if (proofs)
                    print_text(to, deduced->is_proved ? "true" : "false");
                else
                    print_number(to, deduced->operators);
                separator = ",";
                end = "}";
            }
        print_text(to, end);
    }
}

static void print_layout(struct printer *to, const struct report *report, bool brief) {
    const struct mapping_layout *layout = &report->forward.layout;
    if (report->is_of_file || !is_held_by_threads(&layout->from))
        print_names(to, "inputs", &layout->from);
    print_names(to, "coordinates", &layout->to);
    if (!brief) {
        print_text(to, "\"map\":");
        print_table(to, layout);
        print_text(to, ",\n ");
    }
    print_text(to, "\"formulae\":{");
    print_formulae(to, &report->forward);
    print_text(to, "},\n \"inverse\":{");
    if (report_has_inverse(report))
        print_inverse(to, report);
    print_char(to, '}');
    print_counts(to, report);
    if (report->is_of_file)
        print_same(to, report);
}

/* ---- What follows from a layout ---- */

static void print_indices(struct printer *to, const char *name, const uint32_t *numbers,
                          uint32_t count) {
    print(to, "\"%s\":[", name);
    for (uint32_t n = 0; n < count; n++)
        print(to, "%s%u", n ? "," : "", numbers[n]);
    print_char(to, ']');
}

static void print_sharing(struct printer *to, const struct report *report) {
    print_text(to, ",\n  \"sharing\":{");
    for (int columns = 0; columns < 2; columns++) {
        struct mapping_sharing sharing;
        print(to, "%s\"%s\":", columns ? "," : "", columns ? MAPPING_AXIS_COL : MAPPING_AXIS_ROW);
        if (!mapping_sharing_find(&report->forward.layout, columns, &sharing)) {
            print_text(to, "null");
            continue;
        }
        print_char(to, '{');
        print_indices(to, "masks", sharing.generators, sharing.generator_count);
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
                  mapping_exchange_kind_name(reuse->kind), reuse->shuffles,
                  reuse->is_permutable ? "true" : "false");
        }
    }
    print_char(to, ']');
}

static void print_adjacency(struct printer *to, const struct detail *detail) {
    const struct mapping_adjacency *adjacency = &detail->adjacency;
    const struct mapping_space space = mapping_adjacency_space(adjacency);
    char formula[FORMULA_TEXT] = "", partner[MAPPING_NAME_SIZE];
    if (adjacency->has_formula)
        mapping_formula_print(&adjacency->formula, &space, formula, sizeof formula);
    mapping_fragment_name(&detail->partner, partner);
    print(to, ",\n  \"k_order\":{\"elements\":%u,", adjacency->run);
    print_formula(to, "k", formula);
    print_char(to, ',');
    print_indices(to, "order", adjacency->table, adjacency->count);
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
                print_indices(to, "d", d.registers, d.words);
                print_char(to, ',');
                print_indices(to, "a", a.registers, a.words);
                print_char(to, ',');
                print_indices(to, "b", b.registers, b.words);
                print_char(to, '}');
                separator = ",";
            }
    print_text(to, "]}");
}

/* Prints ,"native":["sm_80","sm_86"]: bit n is mapping_arch_at(n). */
static void print_archs(struct printer *to, const char *name, uint32_t archs) {
    const char *separator = "";
    print_text(to, ",\"");
    print_text(to, name);
    print_text(to, "\":[");
    for (size_t a = 0; mapping_arch_at(a); a++) {
        if (!(archs >> a & 1))
            continue;
        print_text(to, separator);
        print_text(to, "\"sm_");
        print_number(to, mapping_arch_at(a)->number);
        print_char(to, '"');
        separator = ",";
    }
    print_char(to, ']');
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
        print_archs(to, "archs", row->archs);
        print(to, ",\"native\":%s,", assembled_is_native(row) ? "true" : "false");
        print_sass(to, row);
        print_char(to, '}');
    }
    print_char(to, ']');
}

static void print_detail(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    print_text(to, "\"detail\":{");
    print_facts(to, &report->observed.fragment);
    print_sharing(to, report);
    if (detail && detail->reuse_count > 0)
        print_reuses(to, detail);
    if (detail && detail->has_adjacency)
        print_adjacency(to, detail);
    if (detail && detail->assembled_count > 0)
        print_assembled(to, detail);
    if (detail && *detail->composition.opcode.text)
        print_composition(to, &detail->composition);
    print_text(to, "},\n ");
}

/* Prints what the opcode that was asked for becomes on the architecture of the report. */
static void print_becomes(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    for (size_t n = 0; detail && report->opcodes.count == 1 && n < detail->assembled_count; n++)
        for (size_t a = 0; mapping_arch_at(a); a++)
            if (mapping_arch_at(a)->number == report->arch && detail->assembled[n].archs >> a & 1) {
                print_sass(to, &detail->assembled[n]);
                print_text(to, ",\n ");
            }
}

/* What a batch of reports starts with, and how many it has. */
struct batch {
    const struct report *first;
    size_t count;
};

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct batch *batch = context;
    const struct observation *observed = &report->observed;
    const struct mapping_layout *layout = &report->forward.layout;
    if (report != batch->first)
        print_text(to, ",\n");
    print_char(to, '{');
    if (report->arch)
        print(to, "\"arch\":\"sm_%u\",", report->arch);
    print(to, "\"%s\":", report->kind);
    print_string(to, report->name);
    print_char(to, ',');
    if (!report->is_of_file) {
        print_sizes(to, &layout->from, &layout->to);
        print_text(to, ",\n ");
    }
    if (observed->provenance.count > 0) {
        print_text(to, "\"source\":");
        print_source(to, &observed->provenance);
        print_text(to, ",\n ");
    }
    if (report->tiling) {
        print_text(to, "\"tiling\":");
        print_string(to, report->tiling);
        print_text(to, ",\n ");
    }
    if (observed->provenance.count > 0 && provenance_is_statement(&observed->provenance))
        print_confirmation(to, &observed->confirmation);
    if (report->opcodes.count > 0 && (report->asked || style->detail)) {
        print_text(to, "\"opcodes\":");
        print_strings(to, report->opcodes.text, report->opcodes.count);
        print_text(to, ",\n ");
    }
    if (style->detail && report->has_fragment) {
        print_detail(to, report);
        print_becomes(to, report);
    }
    if (style->question.kind == ASK_NOTHING)
        print_layout(to, report, style->brief);
    else
        print_answers(to, report, &style->question);
    print_char(to, '}');
}

static void print_reports(struct pages *pages, const struct report *reports, size_t count,
                          const struct style *style) {
    const struct batch batch = {reports, count};
    if (count > 1)
        print_char(&pages->page[0], '[');
    pages_print(pages, reports, count, style, print_report, &batch);
    print_text(&pages->page[count + 1], count > 1 ? "]\n" : "\n");
}

static void print_list(struct printer *to, const struct list_entry *entries, size_t count) {
    print_char(to, '[');
    for (size_t e = 0; e < count; e++) {
        char name[MAPPING_NAME_SIZE];
        struct mapping_space from, target;
        mapping_fragment_name(&entries[e].fragment, name);
        mapping_fragment_spaces(&entries[e].fragment, &from, &target);
        print_text(to, e ? ",\n {" : "{");
        print_text_member(to, "fragment", name);
        print_char(to, ',');
        print_sizes(to, &from, &target);
        print_char(to, ',');
        print_facts(to, &entries[e].fragment);
        print_text(to, ",\"rests_on\":");
        print_string(to, entries[e].rests_on);
        print_archs(to, "native", entries[e].native);
        print_archs(to, "emulated", entries[e].emulated);
        print_char(to, '}');
    }
    print_text(to, "]\n");
}

static void print_side(struct printer *to, unsigned arch, const struct report *report) {
    print(to, "\"sm_%u\":", arch);
    if (!report) {
        print_text(to, "null");
        return;
    }
    print_char(to, '{');
    print_formulae(to, &report->forward);
    print_char(to, '}');
}

static void print_comparison(struct printer *to, const struct comparison *comparison,
                             const struct style *style) {
    print(to, "{\"archs\":[\"sm_%u\",\"sm_%u\"],\"same\":%zu,\n", comparison->archs[0],
          comparison->archs[1], comparison->same);
    print(to, " \"only\":{\"sm_%u\":%zu", comparison->archs[0], comparison->only[0]);
    if (comparison->archs[0] != comparison->archs[1])
        print(to, ",\"sm_%u\":%zu", comparison->archs[1], comparison->only[1]);
    print_text(to, "},\n \"different\":[");
    for (size_t d = 0; d < comparison_shown(comparison, style); d++) {
        const struct difference *difference = &comparison->items[d];
        print(to, "%s\n  {\"fragment\":\"%s\",", d ? "," : "", difference_name(difference));
        print_side(to, comparison->archs[0], difference->first);
        print_char(to, ',');
        print_side(to, comparison->archs[1], difference->second);
        print_char(to, '}');
    }
    print_text(to, "]}\n");
}

/* ---- Verdicts on what is said ---- */

static void print_axis_claim(struct printer *to, const struct mapping_space *from,
                             const struct axis_claim *axis) {
    print(to, "{\"axis\":\"%s\",\"entries\":%zu,\"wrong\":%zu,\"first\":[", axis->axis,
          mapping_space_size(from), axis->wrong);
    for (size_t w = 0; w < axis->wrong && w < WRONG_SHOWN; w++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(from, axis->first[w].entry, point);
        print_text(to, w ? ",{" : "{");
        print_coordinates(to, from, point);
        print(to, ",\"says\":%lld,\"is\":%u}", (long long)axis->first[w].says, axis->first[w].is);
    }
    print_text(to, "]}");
}

static void print_verified(struct printer *to, const struct verified *verified, size_t count,
                           const struct style *style) {
    (void)style;
    if (count > 1)
        print_char(to, '[');
    for (size_t v = 0; v < count; v++) {
        const struct report *report = verified[v].report;
        const struct claim *claim = &verified[v].claim;
        print(to, "%s{\"arch\":\"sm_%u\",\"fragment\":\"%s\",\n \"source\":", v ? ",\n" : "",
              report->arch, report->name);
        print_source(to, &report->observed.provenance);
        print_text(to, ",\n \"verdicts\":[");
        for (uint32_t a = 0; a < claim->count; a++) {
            print_text(to, a ? ",\n  " : "\n  ");
            print_axis_claim(to, &claim_subject(claim, report)->from, &claim->axes[a]);
        }
        print_text(to, "],\n \"right_for\":");
        print_strings(to, verified[v].right_for.text, verified[v].right_for.count);
        print_char(to, '}');
    }
    print_text(to, count > 1 ? "]\n" : "\n");
}

/* ---- Conversions ---- */

/* Prints the members of a plan: its kind, the registers where it only renames them, and the
 * shuffles. */
static void print_plan(struct printer *to, const struct mapping_exchange *plan) {
    print(to, "\"kind\":\"%s\",", mapping_exchange_kind_name(plan->kind));
    if (plan->kind <= MAPPING_EXCHANGE_WORDS)
        print_indices(to, "registers", plan->outputs, plan->target.words);
    else
        print_text(to, "\"registers\":null");
    print(to, ",\"shuffles\":%u,\"lanes\":[", plan->shuffles);
    for (uint32_t n = 0; n < plan->lanes_count; n++) {
        char lane[FORMULA_TEXT];
        lanes_text(&plan->lanes[n], plan->threads, lane);
        print_text(to, n ? "," : "");
        print_string(to, lane);
    }
    print_char(to, ']');
}

/* Prints what a permutation of columns or rows saves, or null. */
static void print_permuted(struct printer *to, const struct conversion *conversion) {
    const struct mapping_permutation *permutation = &conversion->permutation;
    char formula[FORMULA_TEXT];
    if (!conversion->is_permutable) {
        print_text(to, "null");
        return;
    }
    permutation_text(permutation, formula);
    print(to, "{\"axis\":\"%s\",", permutation->is_rows ? MAPPING_AXIS_ROW : MAPPING_AXIS_COL);
    print_formula(to, "formula", formula);
    print_char(to, ',');
    print_indices(to, "permutation", permutation->table, permutation->count);
    print_char(to, ',');
    print_plan(to, &conversion->permuted);
    print_char(to, '}');
}

static bool print_conversions(struct printer *to, const struct conversion *conversions,
                              size_t count) {
    print_text(to, count > 1 ? "[\n" : "");
    for (size_t c = 0; c < count; c++) {
        const struct mapping_exchange *plan = &conversions[c].plan;
        print(to, "%s{\"convert\":\"%s\",\"to\":\"%s\",\"arch\":\"sm_%u\",", c ? ",\n" : "",
              conversions[c].source->name, conversions[c].target->name,
              conversions[c].source->arch);
        print(to, "\"threads\":%u,\"bits\":%u,\n ", plan->threads, plan->bits);
        print_indices(to, "from_tiles", plan->source.grid + 1, 2);
        print_char(to, ',');
        print_indices(to, "to_tiles", plan->target.grid + 1, 2);
        print(to, ",\"in\":%u,\"out\":%u,\n ", plan->source.words, plan->target.words);
        print_plan(to, plan);
        print_text(to, ",\n \"permuted\":");
        print_permuted(to, &conversions[c]);
        print_char(to, '}');
    }
    print_text(to, count > 1 ? "\n]\n" : "\n");
    return true;
}

const struct output json_output = {
    .name = "json",
    .has_formulae = true,
    .has_answers = true,
    .reports = print_reports,
    .list = print_list,
    .comparison = print_comparison,
    .verified = print_verified,
    .conversions = print_conversions,
};
