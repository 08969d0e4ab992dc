/* answers.c - mapping_ask, and the functions that read the items of an answer.
 *
 * A command makes structs and passes them to a format, a struct output. Here the format keeps
 * pointers to the structs instead of printing them. Any other format can print them later. */
#include "cli/context.h"
#include "cli/options.h"

#include "command/show.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "listing/triton_file.h"
#include "output/annotated.h"
#include "report/equality.h"
#include "report/facts.h"
#include "report/scale_copy.h"
#include "report/smem_report.h"
#include "report/tmem_report.h"
#include "report/view.h"
#include "system/system.h"

#include <stdlib.h>
#include <string.h>

struct mapping_item {
    const struct mapping_answer *answer;
    size_t at;                       /* index of the struct that the command passed */
    const struct report *report;     /* of a layout, place or verdict; the matrix of a plan */
    const struct report *other;      /* the target of a conversion; on the second architecture */
    struct answer place;             /* only for MAPPING_KIND_PLACE */
    const struct verified *verified; /* only for MAPPING_KIND_VERDICT */
    const struct mapping_fragment *fragment; /* NULL if the item is not about a fragment */
    const mapping_layout *layout;            /* of a plan or suggestion; NULL for other items */
    struct facts facts;
    const char *texts[MAPPING_REASON + 1];
    uint64_t numbers[MAPPING_INSTRUCTION + 1]; /* UINT64_MAX: the item has no such number */
};

static struct mapping_item new_item(const struct mapping_answer *answer) {
    struct mapping_item item = {.answer = answer};
    memset(item.numbers, 0xff, sizeof item.numbers);
    return item;
}

/* Makes facts with the same key from several texts. The facts point to these texts. */
static struct facts keyed_facts(const char *key, const char *const *texts, size_t count) {
    struct facts facts = {.fact = memory_get(count, sizeof *facts.fact), .count = count};
    for (size_t n = 0; n < count; n++)
        facts.fact[n] = (struct fact){key, texts[n]};
    return facts;
}

/* The structs that a command passes to a format. */
struct taken {
    enum mapping_kind kind;
    const void *items;
    size_t count;
};

struct mapping_answer {
    struct taken taken;
    enum action action;
    struct style style;
    bool has_style;   /* --style was given */
    bool has_formula; /* each layout has formulae */
    struct mapping_item *items;
    size_t count;
};

/* ---- A format that stores results instead of printing them ---- */

static void keep(struct printer *to, enum mapping_kind kind, const void *items, size_t count) {
    const struct taken taken = {kind, items, count};
    print_raw(to, (const char *)&taken, sizeof taken);
}

/* Stores a copy of a struct that is on the stack of the command. */
static void keep_copy(struct printer *to, enum mapping_kind kind, const void *item, size_t size) {
    keep(to, kind, memcpy(memory_get(1, size), item, size), 1);
}

static void keep_reports(struct pages *pages, struct report *reports, size_t count,
                         const struct style *style) {
    struct report *kept = memory_get(count, sizeof *kept);
    if (count > 0)
        memcpy(kept, reports, count * sizeof *kept);
    keep(pages->page,
         style->question.kind == ASK_NOTHING ? MAPPING_KIND_LAYOUT : MAPPING_KIND_PLACE, kept,
         count);
}

static void keep_list(struct printer *to, const struct list_entry *entries, size_t count,
                      const struct style *style) {
    (void)style;
    keep(to, MAPPING_KIND_FRAGMENT, entries, count);
}

static void keep_comparison(struct printer *to, const struct comparison *comparison,
                            const struct style *style) {
    (void)style;
    keep_copy(to, MAPPING_KIND_DIFFERENCE, comparison, sizeof *comparison);
}

static void keep_verified(struct printer *to, const struct verified *verified, size_t count,
                          const struct style *style) {
    (void)style;
    keep(to, MAPPING_KIND_VERDICT, verified, count);
}

static bool keep_conversions(struct printer *to, const struct conversion *conversions, size_t count,
                             const struct style *style) {
    (void)style;
    keep(to, MAPPING_KIND_CONVERSION, conversions, count);
    return true;
}

static void keep_loads(struct printer *to, const struct load *loads, size_t count,
                       const struct style *style) {
    (void)style;
    keep(to, MAPPING_KIND_PLAN, loads, count);
}

static void keep_suggestions(struct printer *to, const struct suggested *suggested,
                             const struct style *style) {
    (void)style;
    keep_copy(to, MAPPING_KIND_SUGGESTION, suggested, sizeof *suggested);
}

static void keep_access(struct printer *to, const struct access *access) {
    keep_copy(to, MAPPING_KIND_ACCESS, access, sizeof *access);
}

static void keep_descriptors(struct printer *to, const struct described *described, size_t count,
                             const struct style *style) {
    (void)style;
    keep(to, MAPPING_KIND_DESCRIPTOR, described, count);
}

static void keep_equality(struct printer *to, const struct equality *equality) {
    keep_copy(to, MAPPING_KIND_EQUALITY, equality, sizeof *equality);
}

static void keep_scale_copy(struct printer *to, const struct scale_copy *copy,
                            const struct style *style) {
    (void)style;
    keep_copy(to, MAPPING_KIND_SCALE_COPY, copy, sizeof *copy);
}

static void keep_findings(struct printer *to, const struct findings *findings) {
    struct findings kept = *findings;
    kept.plan = memcpy(memory_get(1, sizeof *kept.plan), kept.plan, sizeof *kept.plan);
    keep_copy(to, MAPPING_KIND_FINDING, &kept, sizeof kept);
}

/* A Triton file, and its name in the output. */
struct defined {
    const char *path;
    struct triton_file file;
};

static void keep_defined(struct printer *to, const char *path, const struct triton_file *file) {
    const struct defined defined = {memory_text(path), *file};
    keep_copy(to, MAPPING_KIND_DEFINITION, &defined, sizeof defined);
}

/* ---- Items that a command passes one by one; the page collects them as an array ---- */

/* Adds an item to the page. */
static struct mapping_item *keep_item(struct printer *to) {
    const struct mapping_item item = new_item(NULL);
    print_raw(to, (const char *)&item, sizeof item);
    return (struct mapping_item *)(void *)to->text + to->size / sizeof item - 1;
}

static void end_items(struct printer *to, enum mapping_kind kind) {
    const struct mapping_item *items = (const struct mapping_item *)(const void *)to->text;
    const size_t count = to->size / sizeof *items;
    *to = (struct printer){.text = NULL};
    keep(to, kind, items, count);
}

/* Adds an item for each operand, and one for an instruction that has none. */
static void keep_instruction(struct printer *to, const struct annotated_line *line, size_t n) {
    const struct annotated *one = &line->instructions[n];
    const struct form *form = one->form;
    for (size_t o = 0; o < form->count || o == 0; o++) {
        const struct form_operand *operand = o < form->count ? &form->operands[o] : NULL;
        struct mapping_item *item = keep_item(to);
        struct printer place = {.text = NULL};
        item->numbers[MAPPING_ARCH] = form->arch ? form->arch : UINT64_MAX;
        item->numbers[MAPPING_LINE] = line->number;
        item->numbers[MAPPING_ADDRESS] = one->has_address ? one->address : UINT64_MAX;
        item->numbers[MAPPING_INSTRUCTION] = line->before + n;
        item->texts[MAPPING_OPERATION] = form->opcode;
        item->texts[MAPPING_MEANING] = form->kind == FORM_UNKNOWN ? NULL : form->what;
        item->texts[MAPPING_FUNCTION] = line->function;
        item->facts = annotated_facts(one, o);
        if (!operand)
            continue;
        print_annotated_operand(&place, one, operand);
        item->texts[MAPPING_OPERAND] = operand->label;
        item->texts[MAPPING_REGISTER] = printer_string(&place);
        item->report = form->reports[o];
        item->fragment = operand->has_fragment ? &operand->fragment : NULL;
    }
}

static void keep_line(struct printer *to, const struct annotated_line *line) {
    for (size_t n = 0; n < line->count; n++)
        keep_instruction(to, line, n);
}

static void end_listing(struct printer *to, const struct listing_summary *summary,
                        const struct style *style) {
    (void)summary;
    if (!style->brief) /* the summary is not an item */
        end_items(to, MAPPING_KIND_INSTRUCTION);
}

static void keep_checked(struct printer *to, const struct checked_entry *entry) {
    struct mapping_item *item = keep_item(to);
    item->numbers[MAPPING_ARCH] = entry->arch;
    item->numbers[MAPPING_COMPARED] = entry->verdict != CHECK_SKIPPED;
    item->numbers[MAPPING_WRONG] = entry->verdict == CHECK_DIFFERS;
    item->texts[MAPPING_NAME] = memory_text(entry->name);
    item->texts[MAPPING_SOURCE] = memory_text(entry->sources);
    item->texts[MAPPING_REASON] = memory_text(entry->reason);
}

static void end_checked(struct printer *to, const struct checked_summary *summary) {
    (void)summary;
    end_items(to, MAPPING_KIND_CHECK);
}

static const struct output kept_output = {
    .name = "values",
    .keeps = true,
    .has_formulae = true,
    .styles_loads = true,
    .takes_origins = true,
    .has_brief = true,
    .has_brief_answers = true,
    .has_answers = true,
    .has_origins = true,
    .has_listed_fragments = true,
    .detail = DETAIL_OF_LAYOUTS,
    .reports = keep_reports,
    .list = keep_list,
    .comparison = keep_comparison,
    .verified = keep_verified,
    .conversions = keep_conversions,
    .loads = keep_loads,
    .suggestions = keep_suggestions,
    .access = keep_access,
    .descriptors = keep_descriptors,
    .equality = keep_equality,
    .listing_line = keep_line,
    .listing_end = end_listing,
    .checked = keep_checked,
    .checked_end = end_checked,
    .scale_copy = keep_scale_copy,
    .defined = keep_defined,
    .probed = keep_findings,
};

/* ---- Items ---- */

/* Adds an item to an answer. */
static struct mapping_item *add_item(struct mapping_answer *answer, size_t *capacity) {
    answer->items = array_grow(answer->items, answer->count, 1, capacity, sizeof *answer->items);
    struct mapping_item *item = &answer->items[answer->count++];
    *item = new_item(answer);
    return item;
}

static void set_wavefronts(struct mapping_item *item, uint32_t wavefronts, uint32_t least) {
    item->numbers[MAPPING_WAVEFRONTS] = wavefronts;
    item->numbers[MAPPING_LEAST] = least;
}

static void set_compared(struct mapping_item *item, uint64_t compared, uint64_t wrong) {
    item->numbers[MAPPING_COMPARED] = compared;
    item->numbers[MAPPING_WRONG] = wrong;
}

/* Adds the places that answer the question about a report. */
static void add_places(struct mapping_answer *answer, const struct report *report,
                       size_t *capacity) {
    struct answer place;
    size_t position = 0;
    while (question_next(&answer->style.question, report, &position, &place)) {
        struct register_bits bits;
        struct mapping_item *item = add_item(answer, capacity);
        item->report = report;
        item->place = place;
        if (answer_register(report, &place, &bits)) {
            item->numbers[MAPPING_FIRST_BIT] = bits.bits[0];
            item->numbers[MAPPING_LAST_BIT] = bits.bits[1];
        }
        const char *text = answer_register_text(report, &place);
        item->texts[MAPPING_REGISTER] = text ? text : answer_memory_text(report, &place);
    }
}

/* The addresses of a plan: (step, tid) -> address; UINT32_MAX for threads without an address. */
static const mapping_layout *addresses_of(const struct mapping_copy_plan *plan) {
    struct mapping_layout *layout = memory_get(1, sizeof *layout);
    struct mapping_error ignored;
    uint32_t largest = 0;
    const struct mapping_space from = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    for (uint32_t s = 0; s < plan->step_count; s++)
        for (uint32_t t = 0; t < plan->threads; t++)
            if (plan->steps[s].address[t] != MAPPING_INACTIVE &&
                plan->steps[s].address[t] > largest)
                largest = plan->steps[s].address[t];
    const struct mapping_space to = {1, {{"address", largest + 1}}};
    if (plan->step_count == 0 || mapping_layout_init(layout, &from, &to, &ignored) != MAPPING_OK)
        return NULL;
    for (uint32_t s = 0; s < plan->step_count; s++)
        memcpy(layout->coordinate[0] + (size_t)s * plan->threads, plan->steps[s].address,
               plan->threads * sizeof(uint32_t));
    return layout;
}

static void add_plans(struct mapping_answer *answer, const struct load *load, size_t *capacity) {
    for (size_t p = 0; p < load->count; p++) {
        const struct mapping_copy_plan *plan = &load->plans[p];
        struct mapping_item *item = add_item(answer, capacity);
        item->report = load->matrix;
        item->facts = load->facts;
        item->layout = addresses_of(plan);
        item->texts[MAPPING_OPERATION] = plan->access ? plan->access->name : NULL;
        item->numbers[MAPPING_STEPS] = plan->step_count;
        set_wavefronts(item, plan->wavefronts, plan->minimum);
    }
}

/* The layout of a suggestion: (row, col) -> offset. */
static const mapping_layout *layout_of(const struct report *matrix,
                                       const struct mapping_suggestion *suggestion) {
    struct mapping_layout *layout = memory_get(1, sizeof *layout);
    struct mapping_error ignored;
    const struct mapping_space to = {1, {{MAPPING_AXIS_OFFSET, UINT32_MAX}}};
    if (mapping_layout_init(layout, &matrix->forward.layout.from, &to, &ignored) != MAPPING_OK)
        return NULL;
    layout->to.axis[0].size = mapping_cute_fill(&suggestion->layout, 0, layout->coordinate[0]) + 1;
    return layout;
}

static void add_suggestions(struct mapping_answer *answer, const struct suggested *suggested,
                            size_t *capacity) {
    for (size_t s = 0; s < suggested->suggestions.count; s++) {
        char text[REPORT_NAME_SIZE];
        const struct mapping_suggestion *suggestion = &suggested->suggestions.items[s];
        struct mapping_item *item = add_item(answer, capacity);
        item->report = suggested->matrix;
        item->layout = layout_of(suggested->matrix, suggestion);
        mapping_cute_print(&suggestion->layout, text, sizeof text);
        item->texts[MAPPING_NOTATION] = memory_text(text);
        item->numbers[MAPPING_WASTED] = suggestion->wasted;
        set_wavefronts(item, suggestion->wavefronts, suggestion->minimum);
    }
}

static void add_definitions(struct mapping_answer *answer, const struct triton_file *file,
                            size_t *capacity) {
    for (size_t d = 0; d < file->count; d++) {
        const struct triton_definition *definition = &file->items[d];
        struct mapping_item *item = add_item(answer, capacity);
        item->numbers[MAPPING_LINE] = definition->line;
        item->texts[MAPPING_NAME] = definition->name;
        item->texts[MAPPING_NOTATION] = definition->text;
        item->facts = keyed_facts("type", (const char *const *)definition->types.text,
                                  definition->types.count);
    }
}

static void add_findings(struct mapping_answer *answer, const struct findings *findings,
                         size_t *capacity) {
    const struct problem *problem = &findings->plan->problem;
    for (size_t f = 0; f < findings->count; f++) {
        const struct finding *finding = &findings->item[f];
        struct mapping_item *item = add_item(answer, capacity);
        set_compared(item, (uint64_t)problem->m * problem->n, finding->count);
        item->texts[MAPPING_NAME] = finding->name;
        item->texts[MAPPING_REASON] = finding->text;
        item->facts = keyed_facts("cause", finding->cause, finding->causes);
    }
}

static uint64_t count_wrong(const struct check *check) {
    uint64_t wrong = 0;
    for (uint32_t a = 0; a < check->count; a++)
        wrong += check->axes[a].wrong;
    return wrong;
}

/* Adds the items for struct n that a command passed, such as several places or plans. */
static void add_taken(struct mapping_answer *answer, size_t n, size_t *capacity) {
    const void *items = answer->taken.items;
    const struct conversion *conversion = items;
    const struct access *access = items;
    const struct list_entry *entry = items;
    const struct equality *equality = items;
    const struct scale_copy *copy = items;
    struct mapping_item *item;
    char name[MAPPING_NAME_SIZE];
    switch (answer->taken.kind) {
    case MAPPING_KIND_LAYOUT:
        add_item(answer, capacity)->report = (const struct report *)items + n;
        break;
    case MAPPING_KIND_PLACE:
        add_places(answer, (const struct report *)items + n, capacity);
        break;
    case MAPPING_KIND_VERDICT:
        item = add_item(answer, capacity);
        item->verified = (const struct verified *)items + n;
        item->report = item->verified->report;
        set_compared(item, item->verified->check.entries, count_wrong(&item->verified->check));
        break;
    case MAPPING_KIND_CONVERSION:
        item = add_item(answer, capacity);
        item->report = conversion[n].source;
        item->other = conversion[n].target;
        item->numbers[MAPPING_SHUFFLES] = conversion[n].plan.shuffles;
        break;
    case MAPPING_KIND_PLAN:
        add_plans(answer, (const struct load *)items + n, capacity);
        break;
    case MAPPING_KIND_SUGGESTION:
        add_suggestions(answer, items, capacity);
        break;
    case MAPPING_KIND_ACCESS:
        item = add_item(answer, capacity);
        item->texts[MAPPING_OPERATION] = access->operation->name;
        set_wavefronts(item, access->counted.wavefronts, access->counted.minimum);
        break;
    case MAPPING_KIND_FRAGMENT:
        item = add_item(answer, capacity);
        item->fragment = &entry[n].fragment;
        mapping_fragment_name(item->fragment, name);
        item->texts[MAPPING_NAME] = memory_text(name);
        item->texts[MAPPING_SOURCE] = entry[n].evidence;
        break;
    case MAPPING_KIND_DESCRIPTOR:
        item = add_item(answer, capacity);
        item->report = ((const struct described *)items)[n].matrix;
        break;
    case MAPPING_KIND_EQUALITY:
        item = add_item(answer, capacity);
        item->report = equality->sides[0];
        item->other = equality->sides[1];
        set_compared(item, equality->entries, equality->different);
        break;
    case MAPPING_KIND_INSTRUCTION:
    case MAPPING_KIND_CHECK:
        item = add_item(answer, capacity);
        *item = ((const struct mapping_item *)items)[n];
        item->answer = answer;
        break;
    case MAPPING_KIND_DEFINITION:
        add_definitions(answer, &((const struct defined *)items)->file, capacity);
        break;
    case MAPPING_KIND_FINDING:
        add_findings(answer, items, capacity);
        break;
    case MAPPING_KIND_SCALE_COPY:
        item = add_item(answer, capacity);
        item->report = copy->matrix;
        item->other = copy->fragment;
        item->texts[MAPPING_OPERATION] = "tcgen05.cp";
        item->numbers[MAPPING_STEPS] = copy->count;
        break;
    case MAPPING_KIND_DIFFERENCE:
        for (size_t d = 0; d < ((const struct comparison *)items)->count; d++) {
            const struct difference *difference = &((const struct comparison *)items)->items[d];
            item = add_item(answer, capacity);
            item->report = difference->first;
            item->other = difference->second;
            item->texts[MAPPING_NAME] = difference_name(difference);
        }
        break;
    }
}

/* Sets the texts and numbers of a fragment. */
static void describe_fragment(struct mapping_item *item, const struct mapping_fragment *fragment) {
    uint64_t *numbers = item->numbers;
    item->texts[MAPPING_TYPE] = mapping_type_name(fragment->type);
    if (!item->texts[MAPPING_OPERAND])
        item->texts[MAPPING_OPERAND] = mapping_operand_name(fragment->operand);
    numbers[MAPPING_SINCE] = fragment->since;
    numbers[MAPPING_PTX] = fragment->ptx;
    numbers[MAPPING_ROWS] = fragment->rows;
    numbers[MAPPING_COLS] = fragment->cols;
    numbers[MAPPING_BLOCKS] = fragment->blocks;
    numbers[MAPPING_THREADS] = fragment->threads;
    numbers[MAPPING_ELEMENTS] = fragment->elements;
    numbers[MAPPING_REGISTERS] = fragment->registers;
    numbers[MAPPING_ELEMENT_BITS] = fragment->bits;
}

/* Sets the texts and numbers that all items have. */
static void complete(struct mapping_item *item) {
    enum { SOURCE_WIDTH = 200 };
    const struct report *report = item->report ? item->report : item->other;
    if (report && !item->texts[MAPPING_NAME])
        item->texts[MAPPING_NAME] = report->name;
    if (!item->fragment && report && report->has_fragment)
        item->fragment = &report->observed.fragment;
    if (item->fragment)
        describe_fragment(item, item->fragment);
    else if (report && report->smem)
        item->texts[MAPPING_TYPE] = report->smem->type;
    if (item->report && item->report->smem)
        item->numbers[MAPPING_ELEMENT_BITS] = item->report->smem->bits;
    if (item->report && item->report->arch && item->numbers[MAPPING_ARCH] == UINT64_MAX)
        item->numbers[MAPPING_ARCH] = item->report->arch;
    if (item->report && report_has_inverse(item->report))
        item->numbers[MAPPING_COPIES] = report_copies(item->report);
    if (!report)
        return;
    item->texts[MAPPING_TILING] = report->tiling;
    const char *source = provenance_summarize(&report->observed.provenance, SOURCE_WIDTH);
    if (*source)
        item->texts[MAPPING_SOURCE] = source;
    if (item->answer->taken.kind == MAPPING_KIND_LAYOUT)
        item->facts = facts_of(report);
}

/* Makes the answer from the structs that a command passed, which are in its first page. */
static const mapping_answer *make_answer(const struct pages *pages, const struct request *request,
                                         bool has_formula) {
    struct mapping_answer *answer = memory_get(1, sizeof *answer);
    size_t capacity = 0;
    memcpy(&answer->taken, pages->page->text, sizeof answer->taken);
    answer->action = request->action;
    answer->style = request->style;
    answer->has_style = request->has_style;
    answer->has_formula = has_formula;
    if (answer->taken.kind == MAPPING_KIND_PLACE && answer->taken.count > 0 &&
        ((const struct report *)answer->taken.items)->smem &&
        answer->style.question.kind == ASK_TARGET && !answer->style.question.is_of_offset)
        answer->style.question.kind = ASK_SOURCE; /* as in memory_question */
    for (size_t n = 0; n < answer->taken.count; n++) {
        size_t added = answer->count;
        add_taken(answer, n, &capacity);
        for (; added < answer->count; added++) {
            answer->items[added].at = n;
            complete(&answer->items[added]);
        }
    }
    return answer;
}

/* ---- Asking ---- */

struct asking {
    mapping *context;
    size_t count;
    const char *const *words;
    const mapping_layout *layout; /* a layout of the caller; NULL if words are given */
    const char *name, *statements;
    const mapping_answer **answer;
};

/* Calls a function that makes an answer. Refuses NULL for a required argument. */
static enum mapping_status begin(struct asking *asking, arena_work *work, bool has_arguments) {
    if (!asking->context || !asking->answer || !has_arguments)
        return context_refuse_null(asking->context);
    *asking->answer = NULL;
    return context_work(asking->context, work, asking);
}

static bool has_result(enum mapping_status status) {
    return status == MAPPING_OK || status == MAPPING_DIFFERS || status == MAPPING_NO_FORMULA;
}

static enum mapping_status conclude(enum mapping_status status, const struct pages *pages,
                                    const struct request *request, const mapping_answer **answer,
                                    struct mapping_error *error) {
    if (!has_result(status))
        return status;
    if (pages->count == 0 || pages->page->size != sizeof(struct taken))
        return mapping_fail(error, MAPPING_INVALID,
                            "the answer is only text; use mapping_run instead of mapping_ask");
    *answer = make_answer(pages, request, status != MAPPING_NO_FORMULA);
    if (!*error->message)
        memcpy(error->message, pages->note, sizeof pages->note);
    return status;
}

static enum mapping_status ask(void *arguments, struct mapping_error *error) {
    struct asking *asking = arguments;
    struct pages pages = {.page = NULL};
    struct request *request = memory_get(1, sizeof *request);
    enum mode mode;
    enum mapping_status status =
        request_parse(asking->context, asking->count, asking->words, request, &mode, error);
    if (status != MAPPING_OK)
        return status;
    if (mode != MODE_REQUEST || !options_can_print(&kept_output, request->action))
        return mapping_fail(error, MAPPING_INVALID,
                            "the answer is only text; use mapping_run instead of mapping_ask");
    if (request->output != output_at(0))
        return mapping_fail(error, MAPPING_INVALID,
                            "mapping_ask takes no format; mapping_answer_print prints its answer "
                            "as %s",
                            request->output->name);
    request->output = &kept_output;
    request->take = NULL;
    status = request_run(request, &pages, error);
    return conclude(status, &pages, request, asking->answer, error);
}

enum mapping_status mapping_ask(mapping *context, size_t count, const char *const words[],
                                const mapping_answer **answer) {
    struct asking asking = {context, count, words, .answer = answer};
    return begin(&asking, ask, context_has_words(count, words));
}

/* Makes the report of a layout of the caller. */
static enum mapping_status own_report(const mapping_layout *layout, const char *name,
                                      struct report **report, struct mapping_error *error) {
    *report = memory_get(1, sizeof **report);
    (*report)->kind = "file";
    (*report)->is_of_file = true;
    mapping_printable(name, strlen(name), (*report)->name, REPORT_NAME_SIZE - 1);
    (*report)->forward.layout = *layout;
    const enum mapping_status status = derive_table(*report);
    return status == MAPPING_NO_FORMULA
               ? mapping_fail(error, status, "no formula gives all values of %.80s",
                              (*report)->name)
               : status;
}

static enum mapping_status describe(void *arguments, struct mapping_error *error) {
    const struct asking *asking = arguments;
    struct pages pages = {.page = NULL};
    struct request request = {.action = ACTION_MAP};
    struct report *report;
    const enum mapping_status status = own_report(asking->layout, asking->name, &report, error);
    pages_init(&pages, 1);
    keep(pages.page, MAPPING_KIND_LAYOUT, report, 1);
    return conclude(status, &pages, &request, asking->answer, error);
}

enum mapping_status mapping_describe(mapping *context, const mapping_layout *layout,
                                     const char *name, const mapping_answer **answer) {
    struct asking asking = {context, .layout = layout, .name = name, .answer = answer};
    return begin(&asking, describe, layout && name);
}

static enum mapping_status verify(void *arguments, struct mapping_error *error) {
    const struct asking *asking = arguments;
    struct pages pages = {.page = NULL};
    const char **formulae = memory_get(1, sizeof *formulae);
    struct request request = {.action = ACTION_VERIFY, .output = &kept_output};
    struct report *report;
    struct mapping_error ignored;
    formulae[0] = memory_text(asking->statements);
    request.formulae = formulae;
    request.formula_count = 1;
    enum mapping_status status = own_report(asking->layout, "the layout", &report, &ignored);
    if (has_result(status))
        status = verify_reports(&request, report, 1, &pages, error);
    return conclude(status, &pages, &request, asking->answer, error);
}

enum mapping_status mapping_verify(mapping *context, const mapping_layout *layout,
                                   const char *statements, const mapping_answer **answer) {
    struct asking asking = {context, .layout = layout, .statements = statements, .answer = answer};
    return begin(&asking, verify, layout && statements);
}

enum mapping_status mapping_count_wavefronts(mapping *context, const char *operation,
                                             const uint32_t *address, size_t count,
                                             uint32_t *wavefronts, uint32_t *least) {
    if (!context || !operation || (count > 0 && !address) || !wavefronts || !least)
        return context_refuse_null(context);
    const struct mapping_access *access = mapping_access_find(operation);
    struct mapping_error *error = &context->message;
    struct mapping_wavefronts counted;
    uint32_t of_lane[LANES];
    *error->message = '\0';
    if (!access)
        return mapping_fail(error, MAPPING_INVALID, "'%.60s' is no operation on shared memory",
                            operation);
    const uint32_t needed = mapping_access_lanes(access);
    if (count != LANES && count != needed)
        return mapping_fail(error, MAPPING_INVALID, "%s takes %u addresses, not %zu", access->name,
                            needed, count);
    for (uint32_t lane = 0; lane < LANES; lane++)
        of_lane[lane] = lane < count && lane < needed ? address[lane] : MAPPING_INACTIVE;
    const enum mapping_status status = mapping_access_check(access, of_lane, error);
    if (status != MAPPING_OK)
        return status;
    mapping_access_count(access, of_lane, &counted);
    *wavefronts = counted.wavefronts;
    *least = counted.minimum;
    return MAPPING_OK;
}

/* ---- Reading answers ---- */

enum mapping_kind mapping_answer_kind(const mapping_answer *answer) {
    return answer ? answer->taken.kind : 0;
}

size_t mapping_answer_count(const mapping_answer *answer) {
    return answer ? answer->count : 0;
}

const mapping_item *mapping_answer_item(const mapping_answer *answer, size_t n) {
    return answer && n < answer->count ? &answer->items[n] : NULL;
}

const char *mapping_item_text(const mapping_item *item, enum mapping_text which) {
    const char *text = item && which <= MAPPING_REASON ? item->texts[which] : NULL;
    return text && *text ? text : NULL;
}

bool mapping_item_number(const mapping_item *item, enum mapping_number which, uint64_t *value) {
    if (!item || !value || which > MAPPING_INSTRUCTION || item->numbers[which] == UINT64_MAX)
        return false;
    *value = item->numbers[which];
    return true;
}

bool mapping_item_coordinate(const mapping_item *item, const char *axis, uint32_t *value) {
    if (!item || !axis || !value || item->answer->taken.kind != MAPPING_KIND_PLACE)
        return false;
    const struct mapping_layout *layout = &item->report->forward.layout;
    const int from = mapping_space_find(&layout->from, axis),
              to = mapping_space_find(&layout->to, axis);
    if (from >= 0)
        *value = item->place.source[from];
    else if (to >= 0)
        *value = item->place.target[to];
    else if (strcmp(axis, report_copy_axis(item->report)) == 0)
        *value = item->place.copy;
    else
        return false;
    return true;
}

/* The layout, or NULL if it is empty. */
static const mapping_layout *existing(const struct mapping_layout *layout) {
    return layout->from.count > 0 ? layout : NULL;
}

const mapping_layout *mapping_item_layout(const mapping_item *item, enum mapping_which which) {
    if (!item || which > MAPPING_OTHER)
        return NULL;
    if (which == MAPPING_OTHER)
        return item->other ? existing(&item->other->forward.layout) : NULL;
    const enum mapping_kind kind = item->answer->taken.kind;
    if (kind == MAPPING_KIND_PLAN || kind == MAPPING_KIND_SUGGESTION)
        return which == MAPPING_FORWARD ? item->layout : NULL;
    if (!item->report)
        return NULL;
    return existing(which == MAPPING_FORWARD ? &item->report->forward.layout
                                             : &item->report->inverse.layout);
}

bool mapping_item_fact(const mapping_item *item, size_t n, const char **key, const char **text) {
    if (!item || !key || !text || n >= item->facts.count)
        return false;
    *key = item->facts.fact[n].key;
    *text = item->facts.fact[n].text;
    return true;
}

bool mapping_item_wrong(const mapping_item *item, size_t n, const char **axis, size_t *entry,
                        int64_t *says, uint32_t *is) {
    const struct check *check = item && item->verified ? &item->verified->check : NULL;
    if (!axis || !entry || !says || !is)
        return false;
    for (uint32_t a = 0; check && a < check->count; a++) {
        const struct axis_check *one = &check->axes[a];
        const size_t kept = one->wrong < WRONG_SHOWN ? one->wrong : WRONG_SHOWN;
        if (n < kept) {
            *axis = one->axis;
            *entry = one->first[n].entry;
            *says = one->first[n].says;
            *is = one->first[n].is;
            return true;
        }
        n -= kept;
    }
    return false;
}

const char *mapping_item_right_for(const mapping_item *item, size_t n) {
    return item && item->verified && n < item->verified->right_for.count
               ? item->verified->right_for.text[n]
               : NULL;
}

/* ---- Printing ---- */

struct printing {
    const mapping_answer *answer;
    const mapping_item *item; /* NULL for the whole answer */
    const char *format;
    const char **text;
    size_t *size;
};

/* Copies the formulae, because restyle() changes them in place. */
static void copy_formulae(struct derived *derived) {
    const uint32_t count = derived->layout.to.count;
    struct deduced *copy = memory_get(count, sizeof *copy);
    if (derived->formulae)
        memcpy(copy, derived->formulae, count * sizeof *copy);
    derived->formulae = derived->formulae ? copy : NULL;
}

/* Prints copies of reports, because a format may release tables that the answer needs. */
static enum mapping_status print_layouts(const struct report *reports, size_t count,
                                         const mapping_answer *answer, const struct output *output,
                                         struct pages *pages, struct mapping_error *error) {
    struct report *copies = memory_get(count, sizeof *copies);
    atomic_size_t *users = memory_get(1, sizeof *users);
    struct style style = answer->style;
    enum mapping_status status = MAPPING_OK;
    *users = SIZE_MAX / 2;
    for (size_t r = 0; r < count; r++) {
        copies[r] = reports[r];
        copies[r].users = users;
        copies[r].is_shared = true;
        copy_formulae(&copies[r].forward);
        copy_formulae(&copies[r].inverse);
        if (copies[r].chosen) {
            copies[r].chosen = memcpy(memory_get(1, sizeof *copies[r].chosen), copies[r].chosen,
                                      sizeof *copies[r].chosen);
            copy_formulae(copies[r].chosen);
        }
    }
    if (!answer->has_style && style.formula == FORMULA_BITS) {
        style.formula = output->usual;
        restyle(copies, count, style.formula);
    }
    for (size_t r = 0; r < count; r++)
        if (copies[r].tmem)
            copies[r].tmem = memcpy(memory_get(1, sizeof *copies[r].tmem), copies[r].tmem,
                                    sizeof *copies[r].tmem);
    if (folds_tmem_loads(output, &style))
        fold_tmem_loads(copies, count);
    if (output->check)
        status = output->check(copies, count, error);
    if (status != MAPPING_OK)
        return status;
    for (size_t r = 0; r < count; r++)
        if (output->can_show ? !output->can_show(&copies[r])
                             : !answer->has_formula && answer->taken.kind == MAPPING_KIND_LAYOUT)
            status = MAPPING_NO_FORMULA;
    pages_init(pages, count + 1);
    output_reports(output, pages, copies, count, &style);
    return status;
}

/* Prints the structs that a command passed, from `first` on. False if the format cannot. */
static bool print_others(const mapping_answer *answer, size_t first, size_t count,
                         const struct output *output, const struct style *style,
                         struct printer *to) {
    const void *items = answer->taken.items;
    const struct defined *defined = items;
    if (!options_can_print(output, answer->action))
        return false;
    switch (answer->taken.kind) {
    case MAPPING_KIND_VERDICT:
        output->verified(to, (const struct verified *)items + first, count, style);
        return true;
    case MAPPING_KIND_CONVERSION:
        return output->conversions(to, (const struct conversion *)items + first, count, style);
    case MAPPING_KIND_PLAN:
        output->loads(to, (const struct load *)items + first, count, style);
        return true;
    case MAPPING_KIND_SUGGESTION:
        output->suggestions(to, items, style);
        return true;
    case MAPPING_KIND_ACCESS:
        output->access(to, items);
        return true;
    case MAPPING_KIND_FRAGMENT:
        output->list(to, (const struct list_entry *)items + first, count, style);
        return true;
    case MAPPING_KIND_DESCRIPTOR:
        output->descriptors(to, (const struct described *)items + first, count, style);
        return true;
    case MAPPING_KIND_EQUALITY:
        output->equality(to, items);
        return true;
    case MAPPING_KIND_DEFINITION:
        output->defined(to, defined->path, &defined->file);
        return true;
    case MAPPING_KIND_FINDING:
        output->probed(to, items);
        return true;
    case MAPPING_KIND_SCALE_COPY:
        if (output->scale_copy)
            output->scale_copy(to, items, style);
        return output->scale_copy;
    case MAPPING_KIND_DIFFERENCE:
        output->comparison(to, items, style);
        return true;
    default:
        return false;
    }
}

static enum mapping_status print_kept(void *arguments, struct mapping_error *error) {
    const struct printing *printing = arguments;
    const struct taken *taken = &printing->answer->taken;
    const struct output *output = NULL, *candidate;
    struct pages pages = {.page = NULL};
    enum mapping_status status = MAPPING_OK;
    const mapping_item *item = printing->item;
    const size_t first = item ? item->at : 0, count = item ? 1 : taken->count;
    for (size_t o = 0; (candidate = output_at(o)); o++)
        if (strcmp(candidate->name, printing->format) == 0)
            output = candidate;
    if (!output)
        return mapping_fail(error, MAPPING_INVALID, "there is no format '%.40s'", printing->format);
    if (taken->kind == MAPPING_KIND_LAYOUT ||
        (taken->kind == MAPPING_KIND_PLACE && output->has_answers)) {
        status = print_layouts((const struct report *)taken->items + first, count, printing->answer,
                               output, &pages, error);
    } else {
        struct style style = printing->answer->style;
        if (!printing->answer->has_style)
            style.formula = taken->kind == MAPPING_KIND_PLAN ? output->usual_loads : output->usual;
        pages_init(&pages, 1);
        if (!print_others(printing->answer, first, count, output, &style, pages.page))
            return taken->kind == MAPPING_KIND_INSTRUCTION || taken->kind == MAPPING_KIND_CHECK
                       ? mapping_fail(error, MAPPING_INVALID,
                                      "answers of --annotate and --check cannot be printed; use "
                                      "mapping_run")
                       : mapping_fail(error, MAPPING_INVALID, "format %s cannot show this",
                                      output->name);
    }
    if (status != MAPPING_OK && status != MAPPING_NO_FORMULA)
        return status;
    struct printer whole = {.text = NULL};
    for (size_t p = 0; p < pages.count; p++)
        print_raw(&whole, pages.page[p].text, pages.page[p].size);
    *printing->text = printer_string(&whole);
    *printing->size = whole.size;
    return status;
}

static enum mapping_status print_with(mapping *context, struct printing printing) {
    if (!context || !printing.answer || !printing.format || !printing.text || !printing.size)
        return context_refuse_null(context);
    *printing.text = "";
    *printing.size = 0;
    return context_work(context, print_kept, &printing);
}

enum mapping_status mapping_answer_print(mapping *context, const mapping_answer *answer,
                                         const char *format, const char **text, size_t *size) {
    return print_with(context, (struct printing){answer, NULL, format, text, size});
}

enum mapping_status mapping_item_print(mapping *context, const mapping_item *item,
                                       const char *format, const char **text, size_t *size) {
    return print_with(context,
                      (struct printing){item ? item->answer : NULL, item, format, text, size});
}

const char *mapping_format(size_t n) {
    const struct output *output = NULL;
    for (size_t o = 0; o <= n; o++)
        if (!(output = output_at(o)))
            return NULL;
    return output->name;
}
