/* show.c - makes and prints the reports of a request; see show.h. */
#include "command/show.h"

#include "command/brought.h"
#include "command/select.h"
#include "command/smem_matrix.h"
#include "layout/sentence.h"
#include "report/tmem_report.h"
#include "report/view.h"
#include "system/system.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Observes the layouts of all selected fragments with the requested sources. If there are many,
 * reports with the same layout share one table, unless later steps change the tables (--with,
 * tilings). Fails as observe_all() does. */
static enum mapping_status observe(const struct request *request, unsigned arch,
                                   const struct selection *selection, struct shared_layouts *shared,
                                   struct report *reports, struct mapping_error *error) {
    enum { FEW = 16 };
    const size_t count = selection->count;
    const bool is_shared = count > FEW && !request->has_tmem_load && !request->tile.is_given;
    struct machinery machinery = request->machinery;
    machinery.shared = is_shared ? shared : NULL;
    if (is_shared && !shared->layouts)
        shared->layouts = memory_get(SHARED_MAX, sizeof *shared->layouts);
    struct observation **observations = memory_get(count, sizeof *observations);
    for (size_t r = 0; r < count; r++) {
        reports[r].is_shared = is_shared;
        observations[r] = &reports[r].observed;
        observations[r]->arch = arch;
        observations[r]->fragment = selection->items[r].fragment;
    }
    const enum mapping_status status = observe_all(request->sources, request->source_count,
                                                   observations, count, &machinery, error);
    mapping_free(observations);
    return status;
}

/* Returns a text that introduces the PTX opcodes of a subject, on one line: "HMMA.16816.F32 is", or
 * "HMMA.884.F32.F32.STEP2 (registers 4 and 5 of D) is part of". It is in the arena. */
static char *describe(const struct resolution *subject) {
    char asked[NAME_SIZE + 64] = "", *end = asked;
    struct name_step step;
    for (const char *c = subject->name->name; *c; c++)
        if (!isspace((unsigned char)*c))
            *end++ = *c;
        else if (end > asked && end[-1] != ' ')
            *end++ = ' ';
    while (end > asked && end[-1] == ' ')
        end--;
    if (name_read_step(subject->name, &step))
        end += snprintf(end, sizeof asked - (size_t)(end - asked), " (registers %u and %u of D)",
                        step.first_d, step.first_d + 1);
    snprintf(end, sizeof asked - (size_t)(end - asked), subject->is_part ? " is part of" : " is");
    return memory_text(asked);
}

/* Adds those opcodes of a subject to a report that have its fragment. */
static void add_opcodes(const struct resolution *subject, const struct mapping_fragment *fragment,
                        struct report *report) {
    for (size_t o = 0; o < subject->opcode_count; o++)
        for (size_t f = 0; f < subject->opcodes[o].read->count; f++)
            if (mapping_fragment_equal(&subject->opcodes[o].read->found[f], fragment))
                strings_add(&report->opcodes, subject->opcodes[o].text);
}

/* Stores in each report the opcodes, the registers and the selected copy of its subject.
 * MAPPING_INVALID if the operands of a subject contradict its opcode. */
static enum mapping_status note_opcodes(const struct selection *selection, struct report *reports,
                                        struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t r = 0; r < selection->count && status == MAPPING_OK; r++) {
        const struct selected *selected = &selection->items[r];
        reports[r].subject = selected->subject;
        if (selected->subject == NO_SUBJECT)
            continue;
        const struct resolution *subject = &selection->subjects[selected->subject];
        const struct name *name = subject->name;
        add_opcodes(subject, &selected->fragment, &reports[r]);
        if (name->is_translated)
            reports[r].asked = describe(subject);
        status = name_registers(name, subject->is_part, &selected->fragment, &reports[r].registers,
                                error);
        if (status == MAPPING_OK)
            status = name_choice(name, &selected->fragment, &reports[r].has_choice,
                                 &reports[r].choice, error);
    }
    return status;
}

/* Appends the reports of one architecture, with observed layouts but without formulae. If it fails,
 * *count is not changed. */
static enum mapping_status add_observed(const struct request *request, unsigned arch,
                                        struct shared_layouts *shared, struct report **reports,
                                        size_t *count, struct mapping_error *error) {
    struct selection selection;
    enum mapping_status status = select_fragments(request, arch, &selection, error);
    if (status != MAPPING_OK)
        return status;
    *reports = memory_resize(*reports, *count + selection.count, sizeof **reports);
    struct report *added = *reports + *count;
    memset(added, 0, selection.count * sizeof *added);
    status = observe(request, arch, &selection, shared, added, error);
    if (status == MAPPING_OK)
        status = note_opcodes(&selection, added, error);
    if (status != MAPPING_OK)
        return status;
    *count += selection.count;
    return status;
}

/* Derives the formulae of observed reports. For --with, first splits operands in Tensor Memory into
 * loads, and keeps only the loads that answer --at. MAPPING_NO_FORMULA if a layout has no formula.
 */
static enum mapping_status derive(const struct request *request, struct report **reports,
                                  size_t *count, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    if (request->has_tmem_load)
        status =
            split_reports(reports, count, &request->tmem_load, request->output->tmem_loads, error);
    if (status == MAPPING_OK)
        status = derive_all(*reports, *count, &request->tile, error);
    for (size_t r = 0; r < *count && has_reports(status) && request->has_tmem_load; r++) {
        const struct mapping_layout *layout = &(*reports)[r].forward.layout;
        const enum mapping_status checked = question_check_fragment(
            &request->style.question, (*reports)[r].name, &(*reports)[r].observed.fragment,
            &layout->from, &layout->to, &(*reports)[r].registers, error);
        status = checked == MAPPING_OK ? status : checked;
    }
    if (!has_reports(status) || !request->has_tmem_load ||
        request->style.question.kind != ASK_TARGET)
        return status;
    size_t kept = 0; /* keep only the loads that contain an answer */
    for (size_t r = 0; r < *count; r++) {
        struct answer answer;
        size_t position = 0;
        if (question_next(&request->style.question, &(*reports)[r], &position, &answer))
            (*reports)[kept++] = (*reports)[r];
    }
    *count = kept;
    return status;
}

enum mapping_status make_reports(const struct request *request, unsigned arch,
                                 struct report **reports, size_t *count,
                                 struct mapping_error *error) {
    *reports = NULL;
    *count = 0;
    struct shared_layouts shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    enum mapping_status status = add_observed(request, arch, &shared, reports, count, error);
    return status == MAPPING_OK ? derive(request, reports, count, error) : status;
}

/* Makes the reports of several architectures. With --arch=all, skips architectures that do not have
 * the fragments; MAPPING_UNAVAILABLE if none has them. */
static enum mapping_status make_several(const struct request *request, struct report **reports,
                                        size_t *count, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    struct shared_layouts shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct mapping_error cause;
    for (size_t a = 0; a < request->arch_count && status == MAPPING_OK; a++) {
        status = add_observed(request, request->archs[a]->number, &shared, reports, count, &cause);
        if (status == MAPPING_UNAVAILABLE && request->every_arch)
            status = MAPPING_OK;
    }
    if (status == MAPPING_OK && *count > 0)
        return derive(request, reports, count, error);
    *error = cause;
    return status == MAPPING_OK ? MAPPING_UNAVAILABLE : status;
}

/* ---- Axes ---- */

struct matrix_axes operand_axes(enum mapping_operand operand) {
    switch (operand) {
    case MAPPING_A:
    case MAPPING_SFA: /* k is the index of a scale factor */
        return (struct matrix_axes){'m', 'k'};
    case MAPPING_B:
    case MAPPING_SFB:
        return (struct matrix_axes){'k', 'n'};
    case MAPPING_C:
    case MAPPING_D:
        return (struct matrix_axes){'m', 'n'};
    default:
        return (struct matrix_axes){0, 0};
    }
}

enum mapping_status check_axes(const struct matrix_axes *asked, const struct matrix_axes *own,
                               const char *name, struct mapping_error *error) {
    if (!own->rows)
        return mapping_fail(error, MAPPING_INVALID,
                            "--axes works only for operands a, b, c, d, sfa and sfb, not for "
                            "%.100s",
                            name);
    return (asked->rows == own->rows && asked->cols == own->cols) ||
                   (asked->rows == own->cols && asked->cols == own->rows)
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "the axes of %.100s are %c and %c; --axes=%c,%c is wrong", name,
                              own->rows, own->cols, asked->rows, asked->cols);
}

/* If --axes exchanges the rows and columns of a fragment, adds a note that the fragment is shown
 * with its own axes. */
static void note_axes(const struct request *request, const struct report *report,
                      struct pages *pages) {
    const struct matrix_axes own = operand_axes(report->observed.fragment.operand);
    if (report->has_fragment && request->axes.rows && request->axes.rows != own.rows)
        snprintf(pages->note, sizeof pages->note,
                 "--axes describes a matrix in memory; %.100s is shown with %c along its rows and "
                 "%c along its columns",
                 report->name, own.rows, own.cols);
}

enum mapping_status make_all_reports(const struct request *request, struct report **reports,
                                     size_t *count, struct mapping_error *error) {
    unsigned arch;
    bool is_default = false;
    const bool is_memory = is_about_memory(request);
    const bool is_brought = !is_memory && is_about_brought(request);
    const bool is_at_offset = request->style.question.is_of_offset;
    const char *of_memory = is_at_offset && !is_brought             ? "--offset"
                            : request->extent[0] > 0 && !is_brought ? "--extent"
                            : request->block                        ? "--block"
                            : request->address                      ? "--address"
                                                                    : NULL;
    enum mapping_status status;
    *reports = NULL;
    *count = 0;
    if (is_memory && request->has_tmem_load)
        return mapping_fail(error, MAPPING_INVALID,
                            "--with=tcgen05 needs an operand in Tensor Memory, such as "
                            "tcgen05.mma.m128n128k16.d.f32, not a matrix in shared memory");
    if (!is_memory && of_memory)
        return mapping_fail(error, MAPPING_INVALID, "%s needs %sa matrix in memory, such as %s",
                            of_memory, strcmp(of_memory, "--address") == 0 ? "--access, or " : "",
                            request->block ? "128x4" : "'(64,64):(64,1)'");
    if (is_memory) {
        status = make_memory_reports(request, NULL, reports, count, error);
    } else if (is_brought) {
        status = make_brought_reports(request, reports, count, error);
    } else if (request->arch_count > 1) {
        status = make_several(request, reports, count, error);
    } else {
        status = select_arch(request, &arch, &is_default, error);
        if (status == MAPPING_OK)
            status = make_reports(request, arch, reports, count, error);
    }
    if (!has_reports(status))
        return status;
    for (size_t r = 0; r < *count && *reports; r++) {
        struct report *report = &(*reports)[r];
        const struct matrix_axes own = report->has_fragment
                                           ? operand_axes(report->observed.fragment.operand)
                                           : (struct matrix_axes){0, 0};
        if (!report->smem && request->axes.rows && request->use_count == 0 &&
            check_axes(&request->axes, &own, report->name, error) != MAPPING_OK)
            return MAPPING_INVALID;
        report->is_default_arch = is_default && r == 0; /* printed only once */
        if (report->smem)
            report->smem->is_in_detail = request->style.detail;
        for (size_t a = 0; a < request->arch_count; a++)
            if (request->archs[a]->number == report->arch)
                report->suffix = request->suffixes[a];
    }
    if (request->style.detail && !is_memory && !is_brought) {
        add_details(*reports, *count, &request->tile);
        for (size_t r = 0; r < *count; r++)
            add_product(*reports, *count, &(*reports)[r], &request->style.question);
    }
    restyle(*reports, *count, request->style.formula);
    return status;
}

static bool has_axis(const struct report *report, const char *axis) {
    const struct mapping_layout *layout = &report->forward.layout;
    return mapping_space_find(&layout->from, axis) >= 0 ||
           mapping_space_find(&layout->to, axis) >= 0;
}

/* MAPPING_INVALID if a report does not have the property that --color-by shows: a bank, which only
 * matrices in memory have, or an axis, which only fragments have. */
static enum mapping_status check_colors(const struct report *report, enum color_by by,
                                        struct mapping_error *error) {
    const char *axis = color_by_axis(by);
    bool is_in_memory = report->smem != NULL;
    if (by == COLOR_BY_USUAL ||
        (by == COLOR_BY_BANK ? is_in_memory : !is_in_memory && has_axis(report, axis)))
        return MAPPING_OK;
    const bool is_in_registers = has_axis(report, MAPPING_AXIS_TID);
    if (by == COLOR_BY_BANK)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--color-by=bank needs a matrix in memory, such as '(64,64):(64,1)', but %.80s is a "
            "fragment",
            report->name);
    return !is_in_memory && !is_in_registers && !has_axis(report, MAPPING_AXIS_LANE)
               ? mapping_fail(error, MAPPING_INVALID, "--color-by=%s: %.80s has no %s",
                              color_by_name(by), report->name, mapping_axis_plural(axis))
               : mapping_fail(error, MAPPING_INVALID,
                              "--color-by=%s needs %s, but %.80s is in %s; use --color-by=%s",
                              color_by_name(by),
                              by == COLOR_BY_LANE || by == COLOR_BY_COLUMN
                                  ? "an operand in Tensor Memory"
                                  : "a fragment in registers",
                              report->name,
                              is_in_memory      ? "shared memory"
                              : is_in_registers ? "registers"
                                                : "Tensor Memory",
                              is_in_memory      ? "bank"
                              : is_in_registers ? "thread"
                                                : "lane");
}

/* MAPPING_INVALID unless at least one report has elements that can be packed to 4 bits. */
static enum mapping_status check_packed(const struct report *reports, size_t count,
                                        enum packed_type packed, struct mapping_error *error) {
    const char *name = packed_name(packed);
    const struct report *nearest = NULL; /* a fragment in registers of type f16 or bf16 */
    for (size_t r = 0; r < count; r++) {
        const enum mapping_type type = reports[r].observed.fragment.type;
        if (can_pack(&reports[r]))
            return MAPPING_OK;
        if (!nearest && (type == MAPPING_F16 || type == MAPPING_BF16) &&
            report_has_order(&reports[r]))
            nearest = &reports[r];
    }
    if (!nearest)
        return mapping_fail(error, MAPPING_INVALID,
                            "--order=%s packs elements that a kernel converts to f16 or bf16; name "
                            "a fragment of one of these types in registers, not %.100s",
                            name, reports[0].name);
    const uint32_t elements = nearest->forward.layout.from.axis[1].size;
    return mapping_fail(error, MAPPING_INVALID,
                        "--order=%s: a thread holds %u element%s of %.100s, but a word has 8 "
                        "elements of 4 bits; tile it with --permutation, so that each thread holds "
                        "a multiple of 8",
                        name, elements, mapping_plural(elements), nearest->name);
}

enum mapping_status print_reports(const struct request *request, struct report *reports,
                                  size_t count, struct pages *pages, struct mapping_error *error) {
    const struct output *output = request->output;
    struct style style = request->style;
    enum mapping_status status = MAPPING_OK;
    bool has_order = count == 0; /* --order needs at least one report with registers */
    for (size_t r = 0; r < count && status == MAPPING_OK; r++) {
        status = check_colors(&reports[r], style.grid.color_by, error);
        if (status == MAPPING_OK)
            status = view_check_crop(&reports[r], &style.excerpt, error);
        has_order = has_order || report_has_order(&reports[r]);
    }
    if (status == MAPPING_OK && style.order && !has_order)
        return mapping_fail(error, MAPPING_INVALID,
                            "--order needs a fragment in registers, but '%.100s' is not in "
                            "registers; drop --order",
                            reports[0].name);
    if (status == MAPPING_OK && style.packed != PACKED_NOT)
        status = check_packed(reports, count, style.packed, error);
    if (status == MAPPING_OK && folds_tmem_loads(output, &style))
        fold_tmem_loads(reports, count);
    if (status == MAPPING_OK && output->check)
        status = output->check(reports, count, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, count + 1);
    for (size_t r = 0; r < count && output->can_show; r++)
        if (!output->can_show(&reports[r]))
            status = MAPPING_NO_FORMULA;
    if (count > 0 && reports[0].smem)
        style.question = memory_question(&style.question);
    output_reports(output, pages, reports, count, &style);
    return status;
}

enum mapping_status command_show(const struct request *request, struct pages *pages,
                                 struct mapping_error *error) {
    struct report *reports;
    size_t count;
    enum mapping_status status = make_all_reports(request, &reports, &count, error);
    if (has_reports(status)) {
        enum mapping_status printed = print_reports(request, reports, count, pages, error);
        if (count > 0 && printed == MAPPING_OK)
            note_axes(request, &reports[0], pages);
        /* A format without formulae, or an answer to a question, does not need formulae. */
        bool needs_none = request->output->can_show || request->style.question.kind != ASK_NOTHING;
        status = printed != MAPPING_OK || needs_none ? printed : status;
    }
    return status;
}
