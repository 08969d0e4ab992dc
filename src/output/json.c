/* json.c - the same for programs. */
#include "output/json_parts.h"
#include "output/loading_parts.h"
#include "output/widths.h"
#include "report/part.h"

#include <stdio.h>
#include <string.h>

/* What the layout was taken from, and all that it rests on. */
static void print_source(struct printer *to, const struct provenance *provenance) {
    const struct evidence *first = &provenance->evidence[0];
    print_text(to, "{\"kind\":");
    json_string(to, first->is_recorded ? "recorded" : first->kind);
    print_text(to, ",\"evidence\":[");
    for (unsigned e = 0; e < provenance->count; e++) {
        const struct evidence *evidence = &provenance->evidence[e];
        print_text(to, e > 0 ? ",{\"kind\":" : "{\"kind\":");
        json_string(to, evidence->kind);
        print_text(to, ",\"with\":");
        json_string(to, evidence->with);
        print(to, ",\"recorded\":%s}", evidence->is_recorded ? "true" : "false");
    }
    print_text(to, "]}");
}

/* What confirmed the statement of the PTX ISA, or null; who states the same, and what has to be
 * said of it, if anything. */
static void print_confirmation(struct printer *to, const struct report *report) {
    const struct confirmation *confirmation = &report->observed.confirmation;
    const struct mapping_fragment *fragment = &report->observed.fragment;
    print_text(to, "\"confirmed\":");
    if (confirmation->arch) {
        print(to, "{\"arch\":\"sm_%u\",\"with\":", confirmation->arch);
        json_string(to, confirmation->with);
        print_text(to, "},\n ");
    } else {
        print_text(to, "null,\n ");
    }
    if (report->has_fragment && fragment->agrees) {
        json_text_member(to, "agrees", fragment->agrees);
        print_text(to, ",\n ");
    }
    if (report->has_fragment && fragment->note) {
        json_text_member(to, "note", fragment->note);
        print_text(to, ",\n ");
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

/* Prints a member for each axis of the target. */
static void print_formulae(struct printer *to, const struct solved *solved) {
    for (uint32_t c = 0; c < solved->layout.to.count; c++) {
        char text[FORMULA_TEXT];
        solved_formula(solved, c, text);
        if (c > 0)
            print_char(to, ',');
        json_formula(to, solved->layout.to.axis[c].name, text);
    }
}

/* The inverse with its last axis called "copy", as it is for all programs. */
static void print_inverse(struct printer *to, const struct report *report) {
    struct solved inverse = report->inverse;
    struct mapping_space *from = &inverse.layout.from;
    from->axis[from->count - 1].name = MAPPING_AXIS_COPY;
    print_formulae(to, &inverse);
}

/* Prints the sizes of both spaces: "rows":16,"cols":16,"threads":32, ... and copies last. */
static void print_sizes(struct printer *to, const struct mapping_space *from,
                        const struct mapping_space *target, uint32_t copies) {
    const struct mapping_space *const spaces[] = {target, from};
    for (int s = 0; s < 2; s++)
        for (uint32_t a = 0; a < spaces[s]->count; a++) {
            if (strcmp(spaces[s]->axis[a].name, MAPPING_AXIS_COPY) == 0)
                continue;
            json_number_member(to, mapping_axis_plural(spaces[s]->axis[a].name),
                               spaces[s]->axis[a].size);
            print_char(to, ',');
        }
    json_number_member(to, "copies", copies);
}

/* How often a point of the target is met; of Tensor Memory, how often an element lies there. */
static uint32_t copies_of(const struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    return report->has_fragment && report->observed.fragment.place == MAPPING_IN_TENSOR_MEMORY
               ? mapping_fragment_copies(&report->observed.fragment)
           : report->part ? report_copies(report)
                          : mapping_layout_copies(layout);
}

static void print_coordinates(struct printer *to, const struct mapping_space *space,
                              const uint32_t *point) {
    for (uint32_t a = 0; a < space->count; a++)
        print(to, "%s\"%s\":%u", a ? "," : "", space->axis[a].name, point[a]);
}

/* Prints the register of an answer: "register":0,"bits":[16,31],"names":["R8"]. */
static void print_register(struct printer *to, const struct report *report,
                           const struct answer *answer) {
    struct register_bits place;
    if (!answer_register(report, answer, &place))
        return;
    print(to, ",\"register\":%u,\"bits\":[%u,%u]", place.first, place.bits[0],
          place.bits[1] + 32 * (place.count - 1));
    if (!place.name[0])
        return;
    print_text(to, ",\"names\":[");
    for (int n = 0; n < 2 && place.name[n]; n++) {
        print_text(to, n > 0 ? "," : "");
        json_string(to, place.name[n]);
    }
    print_char(to, ']');
}

static void print_answers(struct printer *to, const struct report *report,
                          const struct question *question) {
    const struct mapping_layout *layout = &report->forward.layout;
    const bool has_copy = mapping_space_find(&layout->from, MAPPING_AXIS_COPY) < 0;
    struct answer answer;
    const char *separator = "\n  {";
    print_text(to, "\"answers\":[");
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        print_text(to, separator);
        print_coordinates(to, &layout->to, answer.target);
        print(to, has_copy ? ",\"copy\":%u," : ",", answer.copy);
        print_coordinates(to, &layout->from, answer.source);
        print_register(to, report, &answer);
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

/* Prints what else has the layout of a file. */
static void print_same(struct printer *to, const struct report *report) {
    print_text(to, ",\n \"same\":");
    json_strings(to, report->same.text, report->same.count);
    print_text(to, ",\n \"nearly\":");
    if (report->nearly) {
        print_text(to, "{\"same\":");
        json_string(to, report->nearly);
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
    if (report->is_of_file || !is_of_threads(&layout->from))
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

/* Prints which instruction loads what is in Tensor Memory, which of how many it is, and what it
 * adds to the address, beside 32 lanes for each warp: "with":"tcgen05.ld.32x32b.x32","load":1, ...
 */
static void print_part(struct printer *to, const struct part *part) {
    char with[TRANSFER_NAME_SIZE];
    const char *word = part_word(part);
    mapping_transfer_name(&part->transfer, with);
    json_text_member(to, "with", with);
    print(to, ",\"%s\":%u,\"%s\":%u", word, part->number, mapping_axis_plural(word), part->count);
    if (part->ctas > 1)
        print(to, ",\"cta\":%u,\"ctas\":%u", part->cta, part->ctas);
    print(to, ",\"address\":{\"lane\":%u,\"column\":%u},\n ", part->lane, part->column);
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
    json_string(to, report->name);
    print_char(to, ',');
    if (report->placement) {
        json_placement(to, report);
    } else if (!report->is_of_file) {
        print_sizes(to, &layout->from, &layout->to, copies_of(report));
        print_text(to, ",\n ");
    }
    if (report->part)
        print_part(to, report->part);
    if (observed->provenance.count > 0) {
        print_text(to, "\"source\":");
        print_source(to, &observed->provenance);
        print_text(to, ",\n ");
    }
    if (report->tiling) {
        print_text(to, "\"tiling\":");
        json_string(to, report->tiling);
        print_text(to, ",\n ");
    }
    if (observed->provenance.count > 0 && observation_is_statement(observed))
        print_confirmation(to, report);
    if (report->opcodes.count > 0 && (report->asked || style->detail)) {
        print_text(to, "\"opcodes\":");
        json_strings(to, report->opcodes.text, report->opcodes.count);
        print_text(to, ",\n ");
    }
    if (report_wants_suffix(report)) {
        json_targets(to, &report->observed.fragment, report->arch);
        print_text(to, ",\n ");
    }
    if (report->detail) {
        json_detail(to, report);
        json_becomes(to, report);
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

static void print_list(struct printer *to, const struct list_entry *entries, size_t count,
                       const struct style *style) {
    (void)style;
    enum { USUAL = 400 }; /* characters of an entry: room for all at once is not copied */
    printer_room(to, count * USUAL);
    print_char(to, '[');
    for (size_t e = 0; e < count; e++) {
        char name[MAPPING_NAME_SIZE];
        struct mapping_space from, target;
        mapping_fragment_name(&entries[e].fragment, name);
        mapping_fragment_spaces(&entries[e].fragment, &from, &target);
        print_text(to, e ? ",\n {" : "{");
        json_text_member(to, "fragment", name);
        print_char(to, ',');
        print_sizes(to, &from, &target, mapping_fragment_copies(&entries[e].fragment));
        print_char(to, ',');
        json_facts(to, &entries[e].fragment);
        if (entries[e].fragment.suffix) {
            print_char(to, ',');
            json_targets(to, &entries[e].fragment, 0);
        }
        if (entries[e].fragment.widths) {
            print_text(to, ",\"n\":[");
            widths_print(to, &entries[e].fragment, ',');
            print_char(to, ']');
        }
        print_text(to, ",\"rests_on\":");
        json_string(to, entries[e].rests_on);
        json_archs(to, "native", entries[e].native);
        json_archs(to, "emulated", entries[e].emulated);
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
    print_char(to, '}');
    for (int side = 0; side < 2 && comparison->replaced[side]; side++) {
        print(to, "%s\"sm_%u\":", side ? "," : ",\n \"replaced\":{", comparison->archs[side]);
        if (*comparison->replaced[side])
            json_string(to, comparison->replaced[side]);
        else
            print_text(to, "null");
        print_text(to, side ? "}" : "");
    }
    print_text(to, ",\n \"different\":[");
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

/* ---- Checks of formulae ---- */

static void print_axis_check(struct printer *to, const struct mapping_space *from,
                             const struct axis_check *axis, size_t entries) {
    print(to, "{\"axis\":\"%s\",\"entries\":%zu,\"wrong\":%zu,\"first\":[", axis->axis, entries,
          axis->wrong);
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
        const struct check *check = &verified[v].check;
        print_text(to, v ? ",\n{" : "{");
        if (report->arch)
            print(to, "\"arch\":\"sm_%u\",", report->arch);
        json_text_member(to, report->kind, report->name);
        if (report->observed.provenance.count > 0) {
            print_text(to, ",\n \"source\":");
            print_source(to, &report->observed.provenance);
        }
        print_text(to, ",\n \"verdicts\":[");
        for (uint32_t a = 0; a < check->count; a++) {
            print_text(to, a ? ",\n  " : "\n  ");
            print_axis_check(to, &check->layout->from, &check->axes[a], check->entries);
        }
        print_text(to, "],\n \"right_for\":");
        json_strings(to, verified[v].right_for.text, verified[v].right_for.count);
        print_char(to, '}');
    }
    print_text(to, count > 1 ? "]\n" : "\n");
}

const struct output json_output = {
    .name = "json",
    .detail = DETAIL_OF_FRAGMENTS,
    .has_formulae = true,
    .styles_loadings = true,
    .has_brief = true,
    .has_answers = true,
    .reports = print_reports,
    .list = print_list,
    .comparison = print_comparison,
    .verified = print_verified,
    .conversions = json_conversions,
    .loadings = json_loadings,
    .suggestions = json_suggestions,
    .access = json_access,
};
