/* json.c - --format=json: every result as JSON, which mapping.schema.json describes:
 * {"arch":"sm_80","fragment":"mma.m16n8k16.d.f32","rows":16, ...}. */
#include "output/json.h"

#include "catalogue/catalogue.h"
#include "output/annotated.h"
#include "output/cuda_convert.h"
#include "output/list_columns.h"
#include "smem/matrix_descriptor.h"

#include "report/facts.h"
#include "report/tmem_report.h"

#include <stdio.h>
#include <string.h>

/* ---- Members of fragments, the same in lists and details ---- */

/* Prints architectures; bit n stands for mapping_arch_at(n). */
static void print_archs(struct printer *to, const char *key, uint32_t archs) {
    json(to, "%s:[", key);
    for (; archs; archs &= archs - 1)
        json(to, "\"sm_%u\"", mapping_arch_at((size_t)__builtin_ctz(archs))->number);
    print_char(to, ']');
}

/* Prints "targets":["sm_100a","sm_100f"]: the targets for which ptxas accepts the fragment, if it
 * needs a target with a suffix. */
static void print_targets(struct printer *to, const struct mapping_fragment *fragment,
                          uint32_t archs) {
    char targets[TARGETS_TEXT];
    mapping_targets_text(fragment, archs, "\",\"", targets);
    json(to, "targets:[\"%s\"]", targets);
}

/* Prints a list whose items have blanks between, each with `quote` before and after it. */
static void print_items(struct printer *to, const char *text, const char *quote) {
    print_char(to, '[');
    for (size_t length; *text; text += length + (text[length] == ' ')) {
        length = strcspn(text, " ");
        print_text(to, quote);
        print_raw(to, text, length);
        print_text(to, quote);
        print_text(to, text[length] == ' ' ? "," : "");
    }
    print_char(to, ']');
}

/* Prints a value of a column. */
static void print_value(struct printer *to, enum value_kind kind, const char *text) {
    switch (kind) {
    case VALUE_MISSING:
    case VALUE_NULL:
        print_text(to, "null");
        break;
    case VALUE_NUMBER:
        print_text(to, text);
        break;
    case VALUE_WORD:
        print_char(to, '"');
        print_text(to, text);
        print_char(to, '"');
        break;
    case VALUE_NUMBERS:
    case VALUE_WORDS:
        print_items(to, text, kind == VALUE_WORDS ? "\"" : "");
        break;
    case VALUE_SENTENCE:
        json(to, "%s", text);
        break;
    }
}

/* Prints columns of a list as members. */
static void print_columns(struct printer *to, enum list_column first, enum list_column last,
                          const struct list_entry *entry) {
    struct printer text = {.text = NULL};
    for (enum list_column c = first; c <= last; c++) {
        const bool is_left_out = list_headings[c].left_out & NOT_IN_JSON;
        const enum value_kind kind = is_left_out ? VALUE_MISSING : list_value(c, entry, &text);
        if (kind == VALUE_MISSING)
            continue;
        json_key(to, list_headings[c].name);
        print_value(to, kind, printer_string(&text));
    }
    printer_free(&text);
}

/* ---- What follows from a layout ---- */

static const char *const kind_names[] = {[CONVERT_SAME] = "same",
                                         [CONVERT_WORDS] = "words",
                                         [CONVERT_SLOTS] = "slots",
                                         [CONVERT_SHUFFLES] = "shuffles",
                                         [CONVERT_MEMORY] = "memory"};

static void print_sharing(struct printer *to, const struct report *report) {
    json(to, "\n  sharing:{");
    for (int columns = 0; columns < 2; columns++) {
        const char *axis = columns ? MAPPING_AXIS_COL : MAPPING_AXIS_ROW;
        struct mapping_sharing sharing;
        if (mapping_sharing_find(&report->forward.layout, columns, &sharing) != MAPPING_OK) {
            json(to, "%s:null", axis);
            continue;
        }
        json(to, "%s:{", axis);
        json_numbers(to, "masks", sharing.generators, sharing.generator_count);
        json(to, "threads:%u,elements:%u}", sharing.threads, sharing.elements);
    }
    print_char(to, '}');
}

/* Prints facts: "facts":[{"key":"tiling","text":"tiled by atom layout 2"}]. */
static void print_facts_of(struct printer *to, const struct facts *facts) {
    json(to, "\n facts:[");
    for (size_t f = 0; f < facts->count; f++)
        json(to, "\n  {key:%s,text:%s}", facts->fact[f].key, facts->fact[f].text);
    print_char(to, ']');
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
    if (mapping_fragment_letter(&report->observed.fragment))
        json(to, "layout:%s", mapping_fragment_letter(&report->observed.fragment));
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
                 reuse->matrices, reuse->targets, kind_names[reuse->kind], reuse->shuffles,
                 reuse->is_permutable);
        }
    }
    print_char(to, ']');
}

static void print_k_order(struct printer *to, const struct detail *detail) {
    const struct mapping_k_order *k_order = &detail->k_order;
    char partner[MAPPING_NAME_SIZE];
    mapping_fragment_name(&detail->partner, partner);
    json(to, "\n  k_order:{elements:%u,k:%s", k_order->run, permutation_text(&k_order->k));
    json_numbers(to, "order", k_order->k.table, k_order->k.count);
    json(to, "with:%s,alike:%d}", partner, detail->is_partner_alike);
}

/* Prints the registers of the larger product that an operand of a step takes. */
static void print_operand(struct printer *to, const char *key, const struct shuffle_plan *plan,
                          uint32_t part) {
    const uint32_t words = plan->target.words / plan->target.matrices;
    json_numbers(to, key, plan->outputs + (size_t)part * words, words);
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

/* Prints the instruction descriptors of a D of tcgen05.mma, with A and B K-major. */
static void print_instruction_descriptors(struct printer *to,
                                          const struct mapping_fragment *fragment) {
    struct mapping_instruction_descriptor it;
    if (!mapping_instruction_descriptor(fragment, 0, &it))
        return;
    json(to, "\n  instruction_descriptors:[");
    for (size_t n = 0; mapping_instruction_descriptor(fragment, n, &it); n++) {
        char value[16];
        snprintf(value, sizeof value, "0x%08x", it.value);
        json(to, "\n   {value:%s,mma_kind:%s,type:%s,scale_type:%s}", value, it.kind,
             mapping_type_name(it.a), it.has_scales ? mapping_type_name(it.scales) : NULL);
    }
    print_char(to, ']');
}

/* Prints the SASS of one opcode. An instruction that occurs n times is printed n times:
 * "QMMA.16832.F32.E4M3.E4M3". */
static void print_sass(struct printer *to, const struct codegen *row) {
    const char *sass = row->sass;
    struct codegen_run run;
    json(to, "sass:[");
    while (codegen_next_run(&sass, &run))
        for (unsigned n = 0; n < run.count; n++)
            print(to, "%s\"%.*s\"", to->text[to->size - 1] == '[' ? "" : ",", run.length, run.name);
    json(to, "],instructions:%u", row->instructions);
}

/* Prints the SASS of all opcodes on all architectures. */
static void print_codegen(struct printer *to, const struct detail *detail) {
    json(to, "\n  becomes:[");
    for (size_t n = 0; n < detail->codegen_count; n++) {
        const struct codegen *row = &detail->codegen[n];
        json(to, "\n   {opcode:%s", row->opcode);
        print_archs(to, "archs", row->archs);
        json(to, "native:%d", codegen_is_native(row));
        print_sass(to, row);
        print_char(to, '}');
    }
    print_char(to, ']');
}

static void print_detail(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    const struct facts waits = tensor_memory_waits(report);
    json(to, "\n detail:{");
    print_columns(to, COLUMN_INSTRUCTION, COLUMN_PTX,
                  &(struct list_entry){.fragment = report->observed.fragment});
    if (report->observed.fragment.suffix)
        print_targets(to, &report->observed.fragment, mapping_arch_bit(report->arch));
    print_sharing(to, report);
    print_places(to, report);
    if (waits.count > 0)
        print_facts_of(to, &waits);
    print_instruction_descriptors(to, &report->observed.fragment);
    if (detail->product.count > 0) {
        json(to, "\n  product:");
        json_strings(to, &detail->product);
    }
    if (detail->reuse_count > 0)
        print_reuses(to, detail);
    if (detail->has_k_order)
        print_k_order(to, detail);
    if (detail->codegen_count > 0)
        print_codegen(to, detail);
    if (*detail->composition.opcode.text)
        print_composition(to, &detail->composition);
    print_char(to, '}');
}

static void print_becomes(struct printer *to, const struct report *report) {
    const struct detail *detail = report->detail;
    for (size_t n = 0; report->opcodes.count == 1 && n < detail->codegen_count; n++)
        if (detail->codegen[n].archs & mapping_arch_bit(report->arch)) {
            print_text(to, ",\n ");
            print_sass(to, &detail->codegen[n]);
        }
}

/* ---- Parts of a report ---- */

/* Prints the source of the layout, and all its evidence. */
static void print_source(struct printer *to, const struct provenance *provenance) {
    const struct evidence *evidence = provenance->evidence;
    json(to, "\n source:{kind:%s,evidence:[",
         evidence[0].is_recorded ? "recorded" : evidence[0].kind);
    for (unsigned e = 0; e < provenance->count; e++)
        json(to, "{kind:%s,with:%s,recorded:%d}", evidence[e].kind, evidence[e].with,
             evidence[e].is_recorded);
    print_text(to, "]}");
}

/* Prints the hardware that confirmed the layout, if the source does not name it, or null; then the
 * projects that have the same layout, and a note, if there are any. */
static void print_confirmation(struct printer *to, const struct report *report) {
    const struct confirmation *confirmation = &report->observed.confirmation;
    const struct mapping_fragment *fragment = &report->observed.fragment;
    if (observation_needs_confirmation(&report->observed))
        json(to, confirmation->arch ? "\n confirmed:{arch:\"sm_%u\",with:%s}" : "\n confirmed:null",
             confirmation->arch, confirmation->with);
    const bool is_statement = report->has_fragment && observation_is_statement(&report->observed);
    if (is_statement && fragment->agrees)
        json(to, "\n agrees:%s", fragment->agrees);
    if (is_statement && fragment->note)
        json(to, "\n note:%s", fragment->note);
}

/* The facts that text prints with a layout. */
static void print_list_of_facts(struct printer *to, const struct report *report) {
    const struct facts facts = facts_of(report);
    print_facts_of(to, &facts);
}

/* Prints the output of an entry: "[3,5]", or "3" if it has one axis. */
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

/* Prints the table from one axis of the input on: an array for each axis. The table can have
 * millions of entries, so the function prints the commas itself, and the last axis in a loop. */
static void print_table(struct printer *to, const struct mapping_layout *layout, uint32_t axis,
                        size_t *entry) {
    const struct mapping_space *from = &layout->from;
    const bool is_last = axis + 1 == from->count;
    print_text(to, axis > 0 && is_last ? "\n  [" : "[");
    for (uint32_t n = 0; n < from->axis[axis].size; n++) {
        if (n > 0)
            print_char(to, ',');
        if (is_last)
            print_target(to, layout, (*entry)++);
        else
            print_table(to, layout, axis + 1, entry);
    }
    print_char(to, ']');
}

/* Prints an object with a member for each axis of the output. */
static void print_formulae(struct printer *to, const char *key, const struct derived *derived) {
    json(to, "%s:{", key);
    for (uint32_t c = 0; c < derived->layout.to.count; c++)
        json(to, "%s:%s", derived->layout.to.axis[c].name, derived_formula(derived, c));
    print_char(to, '}');
}

/* Prints the inverse. Its last axis is always called "copy", so that programs find it. */
static void print_inverse(struct printer *to, const struct report *report) {
    struct derived inverse = *report_inverse(report);
    struct mapping_space *from = &inverse.layout.from;
    if (report_has_inverse(report))
        from->axis[from->count - 1].name = MAPPING_AXIS_COPY;
    else
        inverse.layout.to.count = 0;
    print_formulae(to, "inverse", &inverse);
}

/* Prints the sizes of both spaces: "rows":16,"cols":16,"threads":32, ..., and the number of copies
 * last. */
static void print_sizes(struct printer *to, const struct mapping_space *from,
                        const struct mapping_space *target, uint32_t copies) {
    const struct mapping_space *const spaces[] = {target, from};
    for (int s = 0; s < 2; s++)
        for (uint32_t a = 0; a < spaces[s]->count; a++)
            if (strcmp(spaces[s]->axis[a].name, MAPPING_AXIS_COPY) != 0) {
                json_key(to, mapping_axis_plural(spaces[s]->axis[a].name));
                print_number(to, spaces[s]->axis[a].size);
            }
    json(to, "copies:%u", copies);
}

/* The number of entries with the same output; for Tensor Memory, the number of copies of an
 * element. */
static uint32_t copies_of(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    return report->has_fragment && report->observed.fragment.place == MAPPING_IN_TENSOR_MEMORY
               ? mapping_fragment_copies(&report->observed.fragment)
           : report->tmem ? report_copies(report)
                          : mapping_layout_copies(layout);
}

static void print_coordinates(struct printer *to, const struct mapping_space *space,
                              const uint32_t *point) {
    for (uint32_t a = 0; a < space->count; a++)
        json(to, "%s:%u", space->axis[a].name, point[a]);
}

/* Prints the register of an answer: "register":0,"bits":[16,31],"names":["R8"]. */
static void print_register(struct printer *to, const struct report *report,
                           const struct answer *answer) {
    struct register_bits place;
    if (!answer_register(report, answer, &place))
        return;
    json(to, "register:%u,bits:[%u,%u]", place.first, place.bits[0],
         place.bits[1] + 32 * (place.count - 1));
    if (place.name[0])
        json(to, place.name[1] ? "names:[%s,%s]" : "names:[%s]", place.name[0], place.name[1]);
}

/* Prints the position of an element in memory: "byte":480,"bank":24, and "bit":4 if elements may
 * begin inside a byte. */
static void print_memory(struct printer *to, const struct report *report,
                         const struct answer *answer) {
    const struct smem_report *smem = report->smem;
    if (!smem)
        return;
    const uint64_t bit = (uint64_t)answer->target[0] * smem->bits;
    json(to, "byte:%llu", (unsigned long long)(bit / 8));
    if (smem->bits % 8 != 0)
        json(to, "bit:%u", (unsigned)(bit % 8));
    json(to, "bank:%u", smem_bank(smem, answer->target[0]));
}

static void print_answers(struct printer *to, const struct report *report,
                          const struct question *question) {
    const struct mapping_layout *layout = &report->forward.layout;
    const bool has_copy = mapping_space_find(&layout->from, MAPPING_AXIS_COPY) < 0;
    struct answer answer;
    json(to, "\n answers:[");
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        json(to, "\n  {");
        print_coordinates(to, &layout->to, answer.target);
        if (has_copy)
            json(to, "%s:%u", MAPPING_AXIS_COPY, answer.copy);
        print_coordinates(to, &layout->from, answer.source);
        print_register(to, report, &answer);
        print_memory(to, report, &answer);
        print_char(to, '}');
    }
    print_char(to, ']');
    if (report->smem && report->smem->scales.kind && question->is_of_offset)
        json(to, "padding:%u", question_padding(question, report));
}

static void print_names(struct printer *to, const char *key, const struct mapping_space *space) {
    json(to, "%s:[", key);
    for (uint32_t a = 0; a < space->count; a++)
        json(to, "%s", space->axis[a].name);
    print_text(to, "],\n ");
}

/* Prints the number of operators of the formulae, and if none can have fewer, with --style=short.
 */
static void print_counts(struct printer *to, const struct report *report) {
    const struct derived *const sides[] = {&report->forward, report_inverse(report)};
    for (int proofs = 0; proofs < 2; proofs++) {
        bool is_open = false;
        for (int s = 0; s < 2; s++)
            for (uint32_t c = 0; c < sides[s]->layout.to.count; c++) {
                const struct deduced *deduced = &sides[s]->formulae[c];
                if (!deduced->is_counted)
                    continue;
                if (!is_open)
                    json(to, proofs ? "\n proved:{" : "\n operators:{");
                is_open = true;
                json(to, proofs ? "%s:%d" : "%s:%u", sides[s]->layout.to.axis[c].name,
                     proofs ? deduced->is_proved : deduced->operators);
            }
        print_text(to, is_open ? "}" : "");
    }
}

/* Prints the periods of a large layout:
 * "period":{"row":[{"from":16,"to":63,"every":16,"add":{"tid":32}}], ...}. */
static void print_period(struct printer *to, const struct report *report) {
    const struct excerpt all = {.is_whole = false};
    struct view view = view_of_report(report);
    view_fold(&view, &all, PARTS_OF_LARGE, 0);
    if (view.below.count == 0)
        return;
    json(to, "period:{");
    for (uint32_t d = VIEW_ROWS; d < VIEW_OUTER + view.outer_count; d++) {
        const struct mapping_period *period = &view.periods[d];
        if (period->levels > 0)
            json(to, "%s:[", view_axis(&view, d));
        for (uint32_t l = 0; l < period->levels; l++) {
            const struct mapping_repeat *repeat = &period->level[l];
            const struct repeat_numbers numbers = view_repeat_numbers(&view, d, repeat);
            print_text(to, l > 0 ? ",{" : "{");
            json(to, "from:%u,to:%u,every:%u,add:{", numbers.first, numbers.last, numbers.every);
            for (uint32_t c = 0; c < view.shown->to.count; c++)
                if (repeat->growth[c] != 0)
                    json(to, "%s:%lld", view.shown->to.axis[c].name, (long long)repeat->growth[c]);
            print_text(to, "}}");
        }
        print_text(to, period->levels > 0 ? "]" : "");
    }
    print_text(to, "},\n ");
}

static void print_layout(struct printer *to, const struct report *report, bool brief) {
    const struct mapping_layout *layout = &report->forward.layout;
    size_t entry = 0;
    print_text(to, report->is_of_file ? "," : ",\n ");
    if (report->is_of_file || !is_of_threads(&layout->from))
        print_names(to, "inputs", &layout->from);
    print_names(to, "coordinates", &layout->to);
    if (!brief) {
        json(to, "map:");
        print_table(to, layout, 0, &entry);
        print_text(to, ",\n ");
        if (!report->is_of_file)
            print_period(to, report);
    }
    print_formulae(to, "formulae", &report->forward);
    print_text(to, ",\n ");
    print_inverse(to, report);
    print_counts(to, report);
    if (report->is_of_file) { /* known layouts that are equal */
        print_list_of_facts(to, report);
        json(to, "\n same:");
        json_strings(to, &report->same);
        json(to, report->nearly ? "\n nearly:{same:%s,differing:%zu}" : "\n nearly:null",
             report->nearly, report->differing);
    }
}

/* Prints the instruction that loads a part of an operand in Tensor Memory, the number of the part
 * and of all parts, and the offset of its address, to which 32 lanes are added for each warp:
 * "with":"tcgen05.ld.32x32b.x32","load":1, ... */
static void print_part(struct printer *to, const struct tmem_report *tmem) {
    char with[TMEM_LOAD_NAME_SIZE];
    const char *word = tmem_word(tmem);
    mapping_tmem_load_name(&tmem->tmem_load, with);
    json(to, "\n with:%s,%s:%u,%s:%u", with, word, tmem->number, mapping_axis_plural(word),
         tmem->count);
    if (tmem->ctas > 1)
        json(to, "cta:%u,ctas:%u", tmem->cta, tmem->ctas);
    json(to, "address:{lane:%u,column:%u}", tmem->lane, tmem->column);
}

/* ---- Matrices in memory ---- */

/* Prints the descriptor for wgmma or tcgen05.mma, or null. */
static void print_matrix_descriptor(struct printer *to, const struct report *report,
                                    enum mapping_reader reader) {
    const struct smem_report *smem = report->smem;
    const struct mapping_descriptor *descriptor = &smem->descriptor[reader];
    json(to, reader == READER_WGMMA ? "\n descriptor:" : "\n tcgen05_descriptor:");
    if (!smem->has_descriptor[reader]) {
        print_text(to, "null");
        return;
    }
    json(to, "{major:%s,swizzle:%u,mode:%u", descriptor->is_k_major ? "k" : "mn",
         descriptor->swizzle_bytes, descriptor->mode);
    json(to, descriptor->has_leading ? "leading:%u" : "leading:null", descriptor->leading_bytes);
    json(to, "stride:%u,starts:[", descriptor->stride_bytes);
    for (uint32_t slice = 0; slice < smem_slices(report); slice++)
        json(to, "%u", smem->address + smem_slice_start(report, 0, slice));
    print_char(to, ']');
    if (smem_stages(report) > 1) {
        json(to, "stages:[");
        for (uint32_t stage = 0; stage < smem_stages(report); stage++)
            json(to, "%u", smem->address + smem_slice_start(report, stage, 0));
        print_char(to, ']');
    }
    if (reader == READER_TCGEN05)
        json(to, "atomicity:%u,confirmed:%d", descriptor->piece_bytes, false);
    const char *note = smem_stride_note(descriptor, ' ');
    if (note)
        json(to, "note:%s", note);
    json(to, "base_offset:%u", mapping_base_offset(descriptor->swizzle_bytes, smem->address));
    print(to, ",\"value\":\"0x%016llx\"}", (unsigned long long)descriptor->value);
}

/* Prints the members of a matrix in memory: its type, sizes and descriptors. */
static void print_matrix(struct printer *to, const struct report *report) {
    const struct smem_report *smem = report->smem;
    const struct mapping_space *from = &report->forward.layout.from;
    json(to, "type:%s", smem->type);
    for (uint32_t a = 0; a < from->count; a++) { /* rows and columns first */
        const struct mapping_axis *axis = &from->axis[(from->count - 2 + a) % from->count];
        json(to, "%s:%u", mapping_axis_plural(axis->name), axis->size);
    }
    json(to, "bits:%u,offsets:%u,bytes:%llu", smem->bits, report->forward.layout.to.axis[0].size,
         (unsigned long long)smem_bytes(report));
    if (*smem->note)
        json(to, "\n note:%s", smem->note);
    const struct mapping_scales *scales = &smem->scales;
    if (scales->kind) {
        json(to, "\n scales:{asked:%s,padded:[%u,%u],padding:%u,", report->asked, scales->padded[0],
             scales->padded[1], smem_padding(report) * (smem->bits / 8));
        const uint32_t along_mn = scales->kind->rows_of_block;
        json(to, scales->block ? "block:[%u,%u]," : "block:null,",
             scales->is_turned ? scales->block : along_mn,
             scales->is_turned ? along_mn : scales->block);
        json(to, "notation:%s}", scales->notation);
    }
    for (enum mapping_reader r = READER_WGMMA; r < READERS; r++)
        print_matrix_descriptor(to, report, r);
    uint32_t cols;
    const char *lack = smem_lack(report, &cols);
    if (lack)
        json(to, "\n descriptor_lacks:%s", lack);
}

/* ---- Reports ---- */

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct batch *batch = context;
    const struct provenance *provenance = &report->observed.provenance;
    const struct mapping_layout *layout = &report->forward.layout;
    print_text(to, report != batch->reports ? ",\n{" : batch->count > 1 ? "[{" : "{");
    json(to, "kind:%s",
         strcmp(report->kind, "layout") == 0 ? "memory"
         : report->is_of_file                ? "map"
                                             : "fragment");
    if (report->arch)
        json(to, "arch:\"sm_%u\"", report->arch);
    json(to, "%s:%s", report->kind, report->name);
    if (report->smem)
        print_matrix(to, report);
    else if (!report->is_of_file)
        print_sizes(to, &layout->from, &layout->to, copies_of(report));
    if (report->tmem)
        print_part(to, report->tmem);
    if (provenance->count > 0)
        print_source(to, provenance);
    if (report->tiling)
        json(to, "\n tiling:%s", report->tiling);
    if (provenance->count > 0)
        print_confirmation(to, report);
    if (report->opcodes.count > 0 && (report->asked || style->detail)) {
        json(to, "\n opcodes:");
        json_strings(to, &report->opcodes);
    }
    if (report_wants_suffix(report)) {
        print_text(to, ",\n ");
        print_targets(to, &report->observed.fragment, mapping_arch_bit(report->arch));
    }
    if (!report->is_of_file)
        print_list_of_facts(to, report);
    if (report->detail) {
        print_detail(to, report);
        print_becomes(to, report);
    }
    if (style->question.kind == ASK_NOTHING)
        print_layout(to, report, style->brief);
    else
        print_answers(to, report, &style->question);
    const bool is_last = report + 1 == batch->reports + batch->count;
    print_text(to, !is_last ? "}" : batch->count > 1 ? "}]\n" : "}\n");
}

/* ---- Lists and comparisons ---- */

static void print_list(struct printer *to, const struct list_entry *entries, size_t count,
                       const struct style *style) {
    (void)style;
    enum { USUAL = 400 }; /* characters of a usual entry; reserving room for all avoids copies */
    printer_room(to, count * USUAL);
    print_char(to, '[');
    for (size_t e = 0; e < count; e++) {
        const struct mapping_fragment *fragment = &entries[e].fragment;
        struct mapping_space from, target;
        mapping_fragment_spaces(fragment, &from, &target);
        print_text(to, e ? ",\n {" : "{");
        print_columns(to, COLUMN_FRAGMENT, COLUMN_FRAGMENT, &entries[e]);
        print_sizes(to, &from, &target, mapping_fragment_copies(fragment));
        print_columns(to, COLUMN_FRAGMENT + 1, LIST_COLUMNS - 1, &entries[e]);
        print_char(to, '}');
    }
    print_text(to, "]\n");
}

static void print_side(struct printer *to, unsigned arch, const struct report *report) {
    char key[16];
    snprintf(key, sizeof key, "sm_%u", arch);
    if (report)
        print_formulae(to, key, &report->forward);
    else
        json(to, "%s:null", key);
}

static void print_comparison(struct printer *to, const struct comparison *comparison,
                             const struct style *style) {
    const unsigned *archs = comparison->archs;
    const char *const *replaced = comparison->replaced;
    json(to, "{kind:\"diff\",archs:[\"sm_%u\",\"sm_%u\"],same:%zu,\n only:{\"sm_%u\":%zu", archs[0],
         archs[1], comparison->same, archs[0], comparison->only[0]);
    if (archs[0] != archs[1])
        json(to, "\"sm_%u\":%zu", archs[1], comparison->only[1]);
    print_char(to, '}');
    if (replaced[0])
        json(to, "\n replaced:{\"sm_%u\":%s,\"sm_%u\":%s}", archs[0],
             *replaced[0] ? replaced[0] : NULL, archs[1], *replaced[1] ? replaced[1] : NULL);
    json(to, "\n different:[");
    for (size_t d = 0; d < comparison_shown(comparison, style); d++) {
        const struct difference *difference = &comparison->items[d];
        json(to, "\n  {fragment:%s", difference_name(difference));
        print_side(to, archs[0], difference->first);
        print_side(to, archs[1], difference->second);
        print_char(to, '}');
    }
    print_text(to, "]}\n");
}

/* ---- Checks of formulae ---- */

static void print_axis_check(struct printer *to, const struct mapping_space *from,
                             const struct axis_check *axis, size_t entries) {
    json(to, "\n  {axis:%s,entries:%zu,wrong:%zu,first:[", axis->axis, entries, axis->wrong);
    for (size_t w = 0; w < axis->wrong && w < WRONG_SHOWN; w++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(from, axis->first[w].entry, point);
        json(to, "{");
        print_coordinates(to, from, point);
        json(to, "says:%lld,is:%u}", (long long)axis->first[w].says, axis->first[w].is);
    }
    print_text(to, "]}");
}

static void print_verified(struct printer *to, const struct verified *verified, size_t count,
                           const struct style *style) {
    (void)style;
    print_text(to, count > 1 ? "[" : "");
    for (size_t v = 0; v < count; v++) {
        const struct report *report = verified[v].report;
        const struct check *check = &verified[v].check;
        print_text(to, v ? ",\n{" : "{");
        json(to, "kind:\"verify\"");
        if (report->arch)
            json(to, "arch:\"sm_%u\"", report->arch);
        json(to, "%s:%s", report->kind, report->name);
        if (report->tmem)
            print_part(to, report->tmem);
        if (report->observed.provenance.count > 0)
            print_source(to, &report->observed.provenance);
        json(to, "\n verdicts:[");
        for (uint32_t a = 0; a < check->count; a++)
            print_axis_check(to, &check->layout->from, &check->axes[a], check->entries);
        json(to, "],\n right_for:");
        json_strings(to, &verified[v].right_for);
        if (*check->comment && check_is_wrong(check))
            json(to, "comment:%s", check->comment);
        print_char(to, '}');
    }
    print_text(to, count > 1 ? "]\n" : "\n");
}

/* ---- Conversions ---- */

/* Prints the members of a plan: its kind, the registers if it only renames them, and the shuffles.
 */
static void print_plan(struct printer *to, const struct conversion *conversion,
                       const struct shuffle_plan *plan) {
    json(to, "kind:%s", kind_names[plan->kind]);
    if (plan->kind <= CONVERT_WORDS)
        json_numbers(to, "registers", plan->outputs, plan->target.words);
    else
        json(to, "registers:null");
    json(to, "shuffles:%u,function:%d,lanes:[", plan->shuffles,
         conversion_has_function(conversion, plan));
    for (uint32_t n = 0; n < plan->lanes_count; n++)
        json(to, "%s", lanes_text(&plan->lanes[n], plan->threads));
    print_char(to, ']');
    if (plan->kind == CONVERT_MEMORY)
        json(to, "reason:%s",
             plan_is_not_linear(plan) ? "not-linear"
             : plan->crosses_warps    ? "crosses-warps"
                                      : NULL);
}

/* Prints the shuffles that a permutation of columns or rows saves, or null. */
static void print_permuted(struct printer *to, const struct conversion *conversion) {
    const struct mapping_permutation *permutation = &conversion->permutation;
    if (!conversion->is_permutable) {
        json(to, "\n permuted:null");
        return;
    }
    json(to, "\n permuted:{axis:%s,formula:%s", permutation->axis, permutation_text(permutation));
    json_numbers(to, "permutation", permutation->table, permutation->count);
    print_plan(to, conversion, &conversion->permuted);
    print_char(to, '}');
}

/* Prints the scale factors that the threads of an accumulator need. */
static void print_line_scales(struct printer *to, const struct conversion *conversion) {
    const struct line_scales *scales = conversion->scales;
    const struct derived *derived = &scales->report.forward;
    json(to, "\n scales:{of:%s,side:%s,tiles:%u,block:[%u,%u],formulae:{", scales->of->name,
         conversion->source == &scales->report ? "from" : "to", scales->tiles,
         scales->is_columns ? scales->block : 1, scales->is_columns ? 1 : scales->block);
    for (uint32_t c = 0; c < 2; c++) {
        char formula[FORMULA_TEXT];
        mapping_formula_print(&derived->formulae[c].formula, &derived->layout.from, formula,
                              sizeof formula);
        json(to, "%s:%s", derived->layout.to.axis[c].name,
             derived->formulae[c].found ? formula : NULL);
    }
    print_char(to, '}');
    if (scales->has_sharing)
        json_numbers(to, "masks", scales->sharing.generators, scales->sharing.generator_count);
    else
        json(to, "masks:null");
    const struct strings lines = line_scales_describe(scales);
    struct facts facts = {.count = 0};
    for (size_t n = 0; n < lines.count; n++)
        facts_add(&facts, "scales", "%s", lines.text[n]);
    print_facts_of(to, &facts);
    print_char(to, '}');
}

static bool print_conversions(struct printer *to, const struct conversion *conversions,
                              size_t count, const struct style *style) {
    (void)style;
    print_text(to, count > 1 ? "[\n" : "");
    for (size_t c = 0; c < count; c++) {
        const struct conversion *conversion = &conversions[c];
        const struct shuffle_plan *plan = &conversion->plan;
        const uint32_t *from = plan->source.grid, *target = plan->target.grid;
        print_text(to, c ? ",\n{" : "{");
        json(to, "convert:%s,to:%s,arch:\"sm_%u\",threads:%u,bits:%u", conversion->source->name,
             conversion->target->name, conversion->source->arch, plan->threads, plan->bits);
        if (conversion->source->tiling)
            json(to, "\n tiling:%s", conversion->source->tiling);
        if (conversion->target->tiling)
            json(to, "to_tiling:%s", conversion->target->tiling);
        json(to, "\n from_tiles:[%u,%u],to_tiles:[%u,%u],in:%u,out:%u,rounds:%d", from[1], from[2],
             target[1], target[2], plan->source.words, plan->target.words,
             conversion_rounds(conversion));
        if (conversion->scales)
            print_line_scales(to, conversion);
        print_text(to, ",\n ");
        print_plan(to, conversion, plan);
        print_permuted(to, conversion);
        print_char(to, '}');
    }
    print_text(to, count > 1 ? "\n]\n" : "\n");
    return true;
}

/* ---- Loads and stores ---- */

/* The address of each thread; null for a thread without one. */
static void print_addresses(struct printer *to, const uint32_t *address, uint32_t threads) {
    json(to, "address:[");
    for (uint32_t t = 0; t < threads; t++)
        json(to, address[t] == MAPPING_INACTIVE ? "null" : "%u", address[t]);
    print_char(to, ']');
}

static void print_step(struct printer *to, const struct load *load,
                       const struct mapping_copy_plan *plan, const struct mapping_copy_step *step,
                       enum formula_style style) {
    json(to, "\n  {");
    print_addresses(to, step->address, plan->threads);
    json(to, "\n   formula:%s,wavefronts:%u,minimum:%u", load_formula(plan, step, style),
         step->wavefronts, step->minimum);
    json_numbers(to, "pieces", step->pieces, load->fragment ? step->piece_count : 0);
    print_char(to, '}');
}

static void print_load(struct printer *to, const struct load *load,
                       const struct mapping_copy_plan *plan, enum formula_style style) {
    const struct report *fragment = load->fragment;
    json(to, "{kind:\"load\",%s:%s,with:%s,layout:%s,type:%s,origin:[%u,%u]",
         load->is_store ? "store" : "load", load->name, plan->access->name, load->matrix->name,
         load->matrix->smem->type, load->origin[0], load->origin[1]);
    if (fragment && load->axes.rows)
        json(to, "axes:[%s,%s]", (char[]){load->axes.rows, '\0'}, (char[]){load->axes.cols, '\0'});
    if (fragment)
        json(to, "arch:\"sm_%u\"", fragment->arch);
    if (fragment && fragment->tiling)
        json(to, "tiling:%s", fragment->tiling);
    if (load->served)
        json(to, "mmas:%u", load->served);
    if (load->apart)
        json(to, "apart:%u", load->apart);
    if (load->is_tma)
        json(to, "tma:{swizzle:%s,box:[%u,%u],boxes:[%u,%u],alignment:%u}", load->tma.swizzle,
             load->tma.box[0], load->tma.box[1], load->tma.boxes[0], load->tma.boxes[1],
             load->tma.alignment);
    print_facts_of(to, &load->facts);
    json(to, "\n wavefronts:%u,minimum:%u,piece_bits:%u,formula:%s,\n steps:[", plan->wavefronts,
         plan->minimum, plan->access->bytes < 4 ? plan->access->bytes * 8U : 32U,
         load_formula(plan, NULL, style));
    for (uint32_t s = 0; s < plan->step_count; s++)
        print_step(to, load, plan, &plan->steps[s], style);
    print_text(to, "]}");
}

static void print_plans(struct printer *to, const struct load *loads, size_t count,
                        const struct style *style) {
    size_t plans = 0;
    for (size_t l = 0; l < count; l++)
        plans += style->brief ? 1 : loads[l].count;
    print_text(to, plans > 1 ? "[" : "");
    for (size_t l = 0; l < count; l++)
        for (size_t p = 0; p < (style->brief ? 1 : loads[l].count); p++) {
            print_text(to, l + p > 0 ? ",\n" : "");
            print_load(to, &loads[l], &loads[l].plans[p], style->formula);
        }
    print_text(to, plans > 1 ? "]\n" : "\n");
}

/* ---- Suggestions ---- */

static void print_suggested(struct printer *to, const struct suggested *suggested,
                            const struct style *style) {
    const struct mapping_suggestions *found = &suggested->suggestions;
    (void)style;
    json(to, "{kind:\"suggest\",suggest:%s,type:%s,\n suggestions:[", suggested->matrix->name,
         suggested->matrix->smem->type);
    for (size_t n = 0; n < found->count; n++) {
        const struct mapping_suggestion *item = &found->items[n];
        const struct mapping_swizzle *swizzle = &item->layout.swizzle;
        char layout[512];
        mapping_cute_print(&item->layout, layout, sizeof layout);
        json(to, "\n  {layout:%s", layout);
        json(to, swizzle->bits > 0 ? "swizzle:[%lld,%lld,%lld]" : "swizzle:null",
             (long long)swizzle->bits, (long long)swizzle->base, (long long)swizzle->shift);
        json(to, "padding:%u,wasted:%u,wavefronts:%u,minimum:%u,uses:[", item->padding,
             item->wasted, item->wavefronts, item->minimum);
        for (size_t u = 0; u < suggested->use_count; u++)
            json(to, "{%s:%s,with:%s,wavefronts:%u}",
                 suggested->uses[u].is_store ? "store" : "load", suggested->uses[u].name,
                 item->with[u] ? item->with[u]->name : "st.b128", item->each[u]);
        print_text(to, "]}");
    }
    print_text(to, "]}\n");
}

/* ---- Accesses ---- */

/* Prints an array of the lanes whose bits are set. */
static void print_lanes(struct printer *to, const char *key, uint32_t set) {
    json(to, "%s:[", key);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (set >> lane & 1)
            json(to, "%u", lane);
    print_char(to, ']');
}

static void print_accessed(struct printer *to, const struct access *access) {
    const struct mapping_wavefronts *counted = &access->counted;
    json(to, "{kind:\"access\",access:%s,wavefronts:%u,minimum:%u,phases:[",
         access->operation->name, counted->wavefronts, counted->minimum);
    for (uint32_t p = 0; p < counted->phase_count; p++) {
        const struct mapping_phase *phase = &counted->phases[p];
        const bool is_conflict = phase->wavefronts > 1;
        json(to, "\n  {");
        print_lanes(to, "lanes", phase->lanes);
        json(to, is_conflict ? "wavefronts:%u,bank:%u" : "wavefronts:%u,bank:null",
             phase->wavefronts, phase->bank);
        print_lanes(to, "meeting", is_conflict ? phase->meeting : 0);
        print_char(to, '}');
    }
    print_text(to, "],\n ");
    print_addresses(to, access->address, LANES);
    json(to, "\n counted:{arch:%s,device:%s}}\n", ACCESS_COUNTED_ARCH, ACCESS_COUNTED_DEVICE);
}

const struct output json_output = {
    .name = "json",
    .detail = DETAIL_OF_FRAGMENTS,
    .has_formulae = true,
    .has_descriptors = true,
    .styles_loads = true,
    .has_brief = true,
    .answers_are_brief = true,
    .has_answers = true,
    .report = print_report,
    .list = print_list,
    .comparison = print_comparison,
    .verified = print_verified,
    .conversions = print_conversions,
    .loads = print_plans,
    .suggestions = print_suggested,
    .access = print_accessed,
    .listing_line = listing_json_line,
    .listing_end = listing_json_end,
    .has_origins = true,
    .descriptors = json_descriptors,
    .probed = json_findings,
    .equality = json_equality,
    .defined = json_defined,
    .scale_copy = json_scale_copy,
};
