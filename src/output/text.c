/* text.c - --format=text: grids and formulae for human readers. */
#include "layout/sentence.h"
#include "output/annotated.h"
#include "output/comments.h"
#include "output/cuda_convert.h"
#include "output/formulae.h"
#include "output/output.h"

#include "report/braces.h"
#include "report/smem_report.h"
#include "report/tmem_report.h"

#include <string.h>

bool print_answer(struct printer *to, const struct report *report, const struct question *question,
                  size_t *position) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct answer answer;
    if (!question_next(question, report, position, &answer))
        return false;
    for (int part = 0; part < 2; part++) {
        const bool is_target = answer.is_by_target == (part == 0);
        print_text(to, part == 0 ? "" : ": ");
        print_point(to, is_target ? &layout->to : &layout->from,
                    is_target ? answer.target : answer.source);
        char *place = is_target ? answer_memory_text(report, &answer) : NULL;
        if (place)
            print(to, " (%s)", place);
        mapping_free(place);
    }
    if (report_copies(report) > 1)
        print(to, " (%s %u)", report_copy_axis(report), answer.copy);
    char *place = answer_register_text(report, &answer);
    if (place)
        print(to, " in %s", place);
    mapping_free(place);
    return true;
}

/* Prints the answers to a question, at most `most` of them. Returns the number of all answers. */
static size_t print_first_answers(struct printer *to, const struct report *report,
                                  const struct question *question, size_t most) {
    size_t position = 0, count = 0, end = to->size;
    for (; print_answer(to, report, question, &position); count++) {
        print_char(to, '\n');
        if (count < most)
            end = to->size;
        to->size = end;
    }
    return count;
}

/* Prints the answers. In a terminal, if there are many, prints only the first ones and the rule by
 * which the others follow. */
static void print_answers(struct printer *to, const struct report *report,
                          const struct style *style) {
    const struct question *question = &style->question;
    enum { OTHER_LINES = 6, FIRST_LINES = 8 };
    const size_t start = to->size;
    const bool is_cut = style->width > 0 && !style->excerpt.is_whole;
    const enum tightness tight = style->excerpt.tight;
    const size_t all = is_cut ? SCREEN_LINES - OTHER_LINES : SIZE_MAX;
    const size_t unfolded = is_cut && tight > TIGHT_NOT ? FIRST_LINES : all;
    const size_t most = tight == TIGHT_FOLDED ? SIZE_MAX : unfolded;
    struct question first = *question;
    struct strings below = {.count = 0};
    size_t count = print_first_answers(to, report, question, unfolded);
    const bool is_empty = count == 0;
    if (count > unfolded) {
        to->size = start;
        if (!view_fold_question(report, &first, &below))
            first = *question;
        count = print_first_answers(to, report, &first, most);
        if (count > most) {
            to->size = start;
            print_first_answers(to, report, &first, most - 1);
            print(to, "and %zu more; --whole prints all\n", count - (most - 1));
        }
        print_strings(to, &below);
    }
    const uint32_t padding = question_padding(question, report);
    if (padding > 0 && question->ranges[0].first == question->ranges[0].last)
        print(to, "offset %u: padding\n", question->ranges[0].first);
    else if (padding > 0)
        print(to, "%u other offset%s: padding\n", padding, mapping_plural(padding));
    else if (is_empty && report->has_choice)
        print(to, "there is no element of %s %u at this position\n", report_copy_axis(report),
              report->choice);
    else if (is_empty)
        print(to, "there is no element at this position%s\n",
              question->has_registers && question->count > 0 ? " in this register" : "");
}

enum { NAMES_WIDTH = 79 };

/* Converts names of fragments to patterns, and appends the names of tiles and matrices in memory
 * unchanged. Names with different architectures have different patterns: mma.m16n8k{8,16}.d.f32 on
 * sm_75. */
static void collect_patterns(char *const *names, size_t count, struct strings *patterns) {
    struct strings fragments = {.count = 0}, others = {.count = 0};
    for (size_t n = 0; n < count; n++) {
        const int length = (int)strcspn(names[n], " ");
        const char *text = memory_format(names[n][length] ? "%.*s.%s" : "%.*s%s", length, names[n],
                                         names[n] + length);
        const bool is_fragment = strchr(names[n], '.') && !strpbrk(names[n], "(,");
        strings_add(is_fragment ? &fragments : &others, is_fragment ? text : names[n]);
    }
    const char *all = fragments.count > 0 ? braces_in_width(&fragments, NAMES_WIDTH) : "";
    for (const char *c = all, *end; *c; c = end + strspn(end, ", ")) {
        end = strstr(c, ", ");
        end = end ? end : c + strlen(c);
        const char *suffix = strstr(c, ". on ");
        const char *name_end = suffix && suffix < end ? suffix : end;
        strings_add(patterns, memory_format("%.*s%.*s", (int)(name_end - c), c,
                                            (int)(end - name_end) - (name_end < end),
                                            name_end + (name_end < end)));
    }
    for (size_t n = 0; n < others.count; n++)
        strings_add(patterns, others.text[n]);
}

/* Prints names as a list, in lines that fit a terminal. If it leaves some out, it prints their
 * number and the option that lists them. */
static void print_names(struct printer *to, const char *start, char *const *names, size_t count,
                        bool all, const char *option) {
    enum { SHOWN = 8, LINES = 7 };
    struct strings patterns = {.count = 0};
    if (!all)
        collect_patterns(names, count, &patterns);
    if (patterns.text) {
        names = patterns.text;
        count = patterns.count;
    }
    const size_t begin = to->size;
    size_t shown = all || count <= SHOWN + 1 ? count : SHOWN;
    const bool fits = count > 0 && strlen(start) + 1 + strlen(names[0]) + 1 <= NAMES_WIDTH;
    size_t column = fits ? strlen(start) + 1 : 2;
    print(to, fits ? "%s " : "%s\n  ", start);
    for (size_t n = 0; n < shown; n++) {
        column = print_folded(to, names[n], n == 0, column, 2);
        if (!all && count_lines(to, begin) >= LINES)
            shown = n + 1;
    }
    if (shown < count)
        print(to, ",\n  and %zu more; %s lists them", count - shown, option);
    print_char(to, '\n');
}

/* Prints the known layouts that are equal to that of a file, or the nearest one and its first
 * difference. */
static void print_same(struct printer *to, const struct report *report, const struct style *style) {
    const struct mapping_layout *layout = &report->forward.layout;
    uint32_t source[MAPPING_AXES_MAX], target[MAPPING_AXES_MAX];
    print_char(to, '\n');
    if (report->same.count > 0)
        print_names(to, "The same as", report->same.text, report->same.count, style->verbose,
                    "--verbose");
    else if (!report->nearly)
        print_text(to, NOTHING_IS_THE_SAME);
    if (!report->nearly)
        return;
    print(to, "The same as %s except at %zu entr%s; the first one is\n  ", report->nearly,
          report->differing, report->differing == 1 ? "y" : "ies");
    mapping_space_point(&layout->from, report->first_differing, source);
    for (uint32_t c = 0; c < layout->to.count; c++)
        target[c] = layout->coordinate[c][report->first_differing];
    print_point(to, &layout->from, source);
    print_text(to, ": ");
    print_point(to, &layout->to, target);
    print_char(to, '\n');
}

/* Prints the instruction of a tmem load or store, and the rows and columns that it moves. */
static void print_part(struct printer *to, const struct report *report) {
    comment(to, memory_format("with %s", tmem_describe(report->tmem)));
    comment(to, tmem_describe_extent(report));
}

/* True if the facts that a user needs are printed below the formulae: for fragments in a terminal.
 * In a pipe, all facts are above the layout. */
static bool has_facts_below(const struct report *report, const struct style *style) {
    return style->width > 0 && report->has_fragment && !report->smem;
}

/* Prints the lines above a report. With --brief, answers have only lines that distinguish the
 * reports. */
static void print_header(struct printer *to, const struct report *report, const struct style *style,
                         const struct batch *batch) {
    const bool is_first = report == batch->reports;
    const bool is_asked = style->question.kind != ASK_NOTHING;
    if (is_asked && style->brief && batch->count == 1 && !(report->tmem && report->tmem->count > 1))
        return;
    if (!is_first)
        print_char(to, '\n');
    /* another tmem load of the same operand */
    const bool is_next_part = !is_first && is_asked && report->tmem && report[-1].tmem &&
                              report->arch == report[-1].arch &&
                              strcmp(report->name, report[-1].name) == 0;
    if (!is_next_part && is_asked && !style->brief && report->smem) {
        comment_name(to, report);
        comment_facts(to, report, report->smem->scales.kind ? FACTS_BELOW_ANSWER : FACTS_ABOVE);
        return;
    }
    if (!is_asked && has_facts_below(report, style)) {
        comment_name(to, report);
        comment_facts(to, report, FACTS_OF_EVIDENCE);
        return;
    }
    if (!is_next_part && !(is_asked && style->brief)) {
        comment_header(to, report);
        return;
    }
    if (!is_next_part)
        comment_name(to, report);
    if (report->tmem)
        print_part(to, report);
}

static void print_all_of(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    const struct batch *batch = context;
    const bool is_asked = style->question.kind != ASK_NOTHING,
               is_tight = style->excerpt.tight >= TIGHT_DETAIL;
    if (report->tmem && report->tmem->is_left_out)
        return;
    if (is_asked && style->width > 0 && !style->brief && !report->tmem) { /* evidence is below */
        print_text(to, report == batch->reports ? "" : "\n");
        if (batch->count > 1)
            comment_name(to, report);
        print_answers(to, report, style);
        if (batch->count == 1)
            comment_name(to, report);
        comment_facts(to, report, FACTS_BELOW_ANSWER);
    } else if (is_asked) {
        print_header(to, report, style, batch);
        print_answers(to, report, style);
    } else {
        const bool is_below = has_facts_below(report, style);
        print_header(to, report, style, batch);
        if (!is_below)
            comment_facts(to, report, FACTS_OF_REGISTERS);
        if (!style->brief && report->smem) {
            comment_facts(to, report, FACTS_OF_MATRIX);
            print_smem_grid(to, report, style);
        } else if (!style->brief && (!report->is_of_file || report->is_drawn)) {
            struct view view = view_of_report(report);
            view_crop(&view, &style->excerpt);
            view_fold(&view, &style->excerpt, PARTS_OF_LARGE, 0);
            grids_print(to, &view, report->observed.fragment.bits, &style->grid, style->width);
        }
        if (is_tight) {
            print_text(to, "Formulae:\n");
            print_short_formulae(to, report, false);
        } else {
            print_formulae(to, report);
        }
        if (report->is_of_file)
            print_same(to, report, style);
        if (report->smem)
            print_descriptor(to, report);
        if (report->tmem && report->tmem->others.count > 0) {
            print_char(to, '\n');
            print_strings(to, &report->tmem->others);
        }
        if (is_below) { /* after an empty line, if there is room */
            const size_t start = to->size, has_room = style->excerpt.tight == TIGHT_NOT;
            print_text(to, has_room ? "\n" : "");
            comment_facts(to, report, FACTS_OF_USE);
            to->size = to->size == start + has_room ? start : to->size;
        }
    }
    if (report->detail) {
        print_text(to, is_tight ? "Detail:\n" : "\nDetail:\n");
        print_facts(to, report, false, is_tight);
        if (is_tight && batch->count == 1)
            print_text(to, "--whole also shows the inverse, and the SASS on all architectures\n");
    }
}

/* Replaces the text of a page by a report. In a terminal, folds the report more and more until it
 * has at most `most` lines. */
static void print_within(struct printer *to, const struct report *report, const struct style *style,
                         const void *context, size_t most) {
    const enum tightness tightest = report->detail ? TIGHT_DETAIL : TIGHT_LEFT_OUT;
    struct style tight = *style;
    for (;; tight.excerpt.tight++) {
        to->size = 0;
        print_all_of(to, report, &tight, context);
        if (style->width == 0 || to->size == 0)
            return;
        fold_lines(to, style->width);
        if (style->excerpt.is_whole || tight.excerpt.tight == tightest ||
            count_lines(to, 0) <= most)
            return;
    }
}

static void print_report(struct printer *to, const struct report *report, const struct style *style,
                         const void *context) {
    print_within(to, report, style, context, SCREEN_LINES);
}

/* ---- Several reports on one screen ----
 *
 * The first report is printed with its grids, the others with formulae only. Those that do not fit
 * are only named. */

/* The form of the second and later reports: with grids, with formulae of both directions, with
 * forward formulae only, or like SHORT_FORWARD, with room for the names of the reports that do not
 * fit. */
enum shortness { SHORT_NOT, SHORT_INVERSE, SHORT_FORWARD, SHORT_NAMED };

/* Prints the names of the reports that are left out, and a hint that tells how to see the hidden
 * parts. */
static void print_left_out(struct printer *to, const struct batch *batch, const bool *is_left_out,
                           bool is_brief, bool has_inverse) {
    struct strings names = {.count = 0};
    const unsigned first = batch->reports[0].arch, last = batch->reports[batch->count - 1].arch;
    for (size_t r = 0; r < batch->count; r++)
        for (const struct report *one = is_left_out[r] ? &batch->reports[r] : NULL; one;
             one = one->alike)
            strings_add(&names,
                        memory_format(first != last ? "%s on sm_%u" : "%s", one->name, one->arch));
    const char *hidden = !is_brief     ? has_inverse ? "grids" : "grids and its inverse"
                         : has_inverse ? ""
                                       : "inverse";
    if (names.count > 0)
        print_names(to, "\nNot shown:", names.text, names.count, false, "--list");
    if (*hidden)
        print(to, "%sName a layout to see its %s; --whole shows all.\n",
              names.count > 0 ? "" : "\n", hidden);
}

/* True if reports may be shortened to fit the screen: in a terminal, for several layouts of
 * fragments or matrices, without --whole. */
static bool has_to_fold(const struct batch *batch, const struct style *style) {
    size_t count = 0;
    for (size_t r = 0; r < batch->count; r++) {
        if (batch->reports[r].tmem || batch->reports[r].is_of_file)
            return false;
        count += !batch->reports[r].has_same_layout;
    }
    return style->width > 0 && count > 1 && !style->excerpt.is_whole;
}

/* Prints reports until the screen is full. If `form` is SHORT_NOT, all have grids, otherwise only
 * the first one. Returns true if all fit. Sets is_left_out[] for those that do not. */
static bool print_until_full(struct pages *pages, const struct batch *batch,
                             const struct style *style, enum shortness form, bool *is_left_out) {
    enum { HINT_LINES = 2, NAMES_LINES = 7 };
    size_t lines = form == SHORT_NOT ? 0 : form == SHORT_NAMED ? NAMES_LINES : HINT_LINES;
    bool fits = true;
    for (size_t r = 0; r < batch->count; r++) {
        const struct report *report = &batch->reports[r];
        struct printer *page = &pages->page[r + 1];
        page->size = 0;
        is_left_out[r] = !fits && !report->has_same_layout;
        if (report->has_same_layout || !fits)
            continue;
        if (r == 0 || form == SHORT_NOT) {
            print_within(page, report, style, batch, SCREEN_LINES - lines);
        } else {
            print_char(page, '\n');
            comment_name(page, report);
            print_short_formulae(page, report, form == SHORT_INVERSE);
            comment_facts(page, report, FACTS_OF_REGISTERS);
        }
        lines += count_lines(page, 0);
        fits = lines <= SCREEN_LINES;
        if (!fits && r > 0) {
            page->size = 0;
            is_left_out[r] = true;
        }
    }
    return fits;
}

/* Prints a report to an empty page, without folding it to fit the screen. */
static void print_report_as_it_is(struct printer *to, const struct report *report,
                                  const struct style *style, const void *context) {
    print_all_of(to, report, style, context);
    if (to->size > 0)
        fold_lines(to, style->width);
}

/* Prints the answers of each report until the screen is full, and the names of the others. */
static void print_questions_until_full(struct pages *pages, const struct batch *batch,
                                       const struct style *style) {
    enum { NAMES_LINES = 6 };
    struct strings others = {.count = 0};
    struct style tight = *style;
    size_t lines = SCREEN_LINES + 1;
    for (int pass = 0; pass < 2 && lines > SCREEN_LINES; pass++) {
        lines = 0;
        for (size_t r = 0; r < batch->count; r++) {
            const struct report *report = &batch->reports[r];
            struct printer *page = &pages->page[r + 1];
            page->size = 0;
            if (report->has_same_layout)
                continue;
            print_report_as_it_is(page, report, &tight, batch);
            lines += count_lines(page, 0) + (r > 0);
            if (pass > 0 && r > 0 && (others.count > 0 || lines > SCREEN_LINES - NAMES_LINES)) {
                page->size = 0;
                for (const struct report *one = report; one; one = one->alike)
                    strings_add(&others, one->name);
            }
        }
        tight.excerpt.tight = TIGHT_CUT;
    }
    if (others.count > 0)
        print_names(&pages->page[batch->count], "\nNot shown:", others.text, others.count, false,
                    "--list");
}

static void print_all_reports(struct pages *pages, struct report *reports, size_t count,
                              const struct style *style) {
    const struct batch batch = {reports, count};
    bool *is_left_out = memory_get(count, sizeof *is_left_out);
    struct style tight = *style;
    enum shortness form = SHORT_NOT;
    if (!has_to_fold(&batch, style)) {
        pages_print(pages, reports, count, style, print_report, &batch, true);
        return;
    }
    if (print_until_full(pages, &batch, style, SHORT_NOT, is_left_out))
        return;
    tight.excerpt.tight = TIGHT_FOLDED;
    if (style->question.kind != ASK_NOTHING) { /* print only the first answers of each report,
                                                  without evidence */
        tight.brief = true;
        print_questions_until_full(pages, &batch, &tight);
        return;
    }
    while (!print_until_full(pages, &batch, &tight, form, is_left_out) && form < SHORT_NAMED)
        form++;
    if (form > SHORT_NOT)
        print_left_out(&pages->page[count], &batch, is_left_out, style->brief,
                       form == SHORT_INVERSE);
}

/* Prints the formulae of one fragment on one architecture. */
static void print_side(struct printer *to, unsigned arch, const struct report *report) {
    print(to, "  sm_%-4u ", arch);
    for (uint32_t c = 0; c < report->forward.layout.to.count; c++) {
        const char *formula = derived_formula(&report->forward, c);
        print(to, "%s%s: %s\n", c ? "          " : "",
              axis_label(report->forward.layout.to.axis[c].name), formula ? formula : "no formula");
    }
}

static void print_comparison(struct printer *to, const struct comparison *comparison,
                             const struct style *style) {
    const size_t start = to->size;
    print(to, "# sm_%u and sm_%u: %zu fragment%s the same, %zu differ%s\n", comparison->archs[0],
          comparison->archs[1], comparison->same, comparison->same == 1 ? " is" : "s are",
          comparison->different, comparison->different == 1 ? "s" : "");
    for (int side = 0; side < 2; side++)
        if (comparison->only[side] > 0)
            print(to, "# fragments that only sm_%u has: %zu%s\n", comparison->archs[side],
                  comparison->only[side], style->verbose ? "" : "; --verbose lists them");
    struct strings others = {.count = 0}; /* names of fragments that do not fit the screen */
    struct strings only[2] = {{.count = 0}, {.count = 0}};
    for (size_t d = 0; d < comparison_shown(comparison, style); d++) {
        const struct difference *difference = &comparison->items[d];
        if (style->width > 0 && !style->verbose && count_lines(to, start) > SCREEN_LINES - 12) {
            strings_add(&others, difference_name(difference));
            continue;
        }
        if (style->width > 0 && (!difference->first || !difference->second)) {
            strings_add(&only[!difference->first], difference_name(difference));
            continue;
        }
        if (!difference->first || !difference->second) {
            print(to, "%s: only on sm_%u\n", difference_name(difference),
                  comparison->archs[!difference->first]);
            continue;
        }
        print(to, "%s\n", difference_name(difference));
        print_side(to, comparison->archs[0], difference->first);
        print_side(to, comparison->archs[1], difference->second);
    }
    for (int side = 0; side < 2; side++) {
        const char *label = memory_format("Only on sm_%u:", comparison->archs[side]);
        struct strings patterns = {.count = 0};
        if (only[side].count > 0)
            collect_patterns(only[side].text, only[side].count, &patterns);
        if (patterns.count > 0)
            print_names(to, label, patterns.text, patterns.count, true, "");
    }
    if (others.count > 0) {
        print_names(to, "These differ, too:", others.text, others.count, false, "--verbose");
        print(to, "--verbose shows the formulae of all %zu\n", comparison->different);
    }
    char replaced[REPLACED_TEXT];
    replaced_text(comparison, replaced);
    for (const char *line = replaced; *line; line += strspn(line, "\n")) {
        const size_t length = strcspn(line, "\n");
        print(to, "# %.*s\n", (int)length, line);
        line += length;
    }
}

/* ---- Checks of formulae ---- */

static void print_axis_check(struct printer *to, const struct mapping_space *from,
                             const struct axis_check *axis, size_t entries) {
    const char *label = axis_label(axis->axis);
    if (axis->wrong == 0)
        print(to, "%s: right at all %zu entries\n", label, entries);
    else
        print(to, "%s: wrong at %zu of %zu entries\n", label, axis->wrong, entries);
    for (size_t w = 0; w < axis->wrong && w < WRONG_SHOWN; w++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(from, axis->first[w].entry, point);
        print_text(to, "  ");
        print_point(to, from, point);
        print(to, ": formula gives %lld, correct value is %u\n", (long long)axis->first[w].says,
              axis->first[w].is);
    }
}

/* Returns a mask of the wrong formulae: bit a is for axis a of the check. */
static unsigned wrong_axes(const struct check *check) {
    unsigned wrong = 0;
    for (uint32_t a = 0; a < check->count; a++)
        wrong |= (unsigned)(check->axes[a].wrong > 0) << a;
    return wrong;
}

/* Prints the fragments for which the same formulae are wrong as in check `first`, from this check
 * on: "Row wrong for mma.m16n8k16.{a,b}.f16". */
static void print_verdicts(struct printer *to, const struct verified *verified, size_t count,
                           size_t first) {
    const struct check *check = &verified[first].check;
    const unsigned wrong = wrong_axes(check);
    struct printer start = {.text = NULL};
    struct strings names = {.count = 0};
    for (size_t v = first; v < count; v++)
        if (wrong_axes(&verified[v].check) == wrong)
            strings_add(&names, verified[v].report->name);
    for (uint32_t a = 0; a < check->count; a++)
        if (wrong >> a & 1)
            print(&start, "%s%s", start.size > 0 ? " and " : "", axis_label(check->axes[a].axis));
    print_text(&start, start.size > 0 ? " wrong for" : "Right for");
    print_names(to, printer_string(&start), names.text, names.count, false, "--verbose");
}

static void print_each_verified(struct printer *to, const struct verified *verified, size_t count,
                                const struct style *style) {
    for (size_t v = 0; v < count; v++) {
        const struct check *check = &verified[v].check;
        const char *formulae = check->count == 1 ? "formula is" : "formulae are";
        const char *right_for = memory_format("The %s right for", formulae);
        if (v > 0)
            print_char(to, '\n');
        if (!style->brief || count > 1)
            comment_header(to, verified[v].report);
        for (uint32_t a = 0; a < check->count; a++)
            print_axis_check(to, &check->layout->from, &check->axes[a], check->entries);
        if (style->brief)
            continue;
        if (*check->comment && check_is_wrong(check))
            print(to, "Note: '%s' was read as a comment, not as a division.\n", check->comment);
        for (size_t n = 0; n < verified[v].conditions; n++)
            print(to, "The %s right if %s.\n", formulae, verified[v].right_for.text[n]);
        size_t others = verified[v].right_for.count - verified[v].conditions;
        const bool is_explained = verified[v].conditions > 0 && !style->verbose;
        if (others > 0 && !is_explained)
            print_names(to, right_for, verified[v].right_for.text + verified[v].conditions, others,
                        style->verbose, "--verbose");
        else if (verified[v].right_for.count == 0 && check_is_wrong(check) &&
                 verified[v].searched > 0)
            print(to, "%s none of the %zu fragments of the catalogue.\n", right_for,
                  verified[v].searched);
    }
}

/* Prints all checks. In a terminal, if they do not fit the screen, prints the first one that is
 * wrong, and then the fragments for which the same formulae are wrong, in one line for each set of
 * formulae. */
static void print_verified(struct printer *to, const struct verified *verified, size_t count,
                           const struct style *style) {
    const size_t start = to->size;
    size_t shown = 0;
    print_each_verified(to, verified, count, style);
    if (count == 1 || style->width == 0 || style->verbose || count_lines(to, start) <= SCREEN_LINES)
        return;
    to->size = start;
    while (shown + 1 < count && !check_is_wrong(&verified[shown].check))
        shown++;
    if (!check_is_wrong(&verified[shown].check))
        shown = 0;
    print_each_verified(to, &verified[shown], 1, style);
    print(to, "\nAll %zu fragments; --verbose shows each:\n", count);
    for (size_t v = 0; v < count; v++) {
        bool is_new = true;
        for (size_t other = 0; other < v && is_new; other++)
            is_new = wrong_axes(&verified[other].check) != wrong_axes(&verified[v].check);
        if (is_new)
            print_verdicts(to, verified, count, v);
    }
}

/* ---- Conversions ---- */

/* Prints, for each register of the target, the register of the source, in lines that fit a
 * terminal. */
static void print_registers(struct printer *to, const struct shuffle_plan *plan) {
    enum { IN_A_LINE = 4 };
    for (uint32_t w = 0; w < plan->target.words; w++)
        print(to, "%sout[%u] = in[%u]%s", w % IN_A_LINE ? " " : "  ", w, plan->outputs[w],
              w + 1 == plan->target.words      ? "\n"
              : w % IN_A_LINE + 1 == IN_A_LINE ? ",\n"
                                               : ",");
}

static void print_shuffles(struct printer *to, const struct shuffle_plan *plan) {
    struct strings lanes = {.count = 0};
    print(to, "%u register shuffle%s%s from %s:\n  ", plan->shuffles,
          mapping_plural(plan->shuffles), plan->shuffles == 1 ? "" : ", each",
          plan->lanes_count == 1 ? "this source lane" : "one of these source lanes");
    for (uint32_t n = 0; n < plan->lanes_count; n++)
        strings_add(&lanes, lanes_text(&plan->lanes[n], plan->threads));
    print_listed(to, &lanes, 2, 2);
}

static void print_plan(struct printer *to, const struct shuffle_plan *plan) {
    switch (plan->kind) {
    case CONVERT_SAME:
        print(to, "The registers are the same: out[n] = in[n], n = 0 to %u.\n",
              plan->target.words - 1);
        break;
    case CONVERT_WORDS:
        print_text(to, "Each register of the target is a register of the source:\n");
        print_registers(to, plan);
        break;
    case CONVERT_SLOTS:
        print_text(to, "Each thread moves elements between its own registers, without shuffles.\n");
        break;
    case CONVERT_SHUFFLES:
        print_shuffles(to, plan);
        break;
    case CONVERT_MEMORY:
        print(to, "The conversion uses shared memory%s.\n",
              plan_is_not_linear(plan)
                  ? ": without it, only layouts that are\nlinear over bits are converted"
              : plan->crosses_warps ? ": elements move from one warp to another"
                                    : "");
        break;
    }
}

/* Returns a hint that names the format that shows the steps of a plan; "" if print_plan has printed
 * all of them. */
static const char *steps_hint(const struct conversion *conversion,
                              const struct shuffle_plan *plan) {
    if (plan->kind != CONVERT_SLOTS && plan->kind != CONVERT_SHUFFLES)
        return "";
    return conversion_has_function(conversion, plan)
               ? "--format=cuda prints a function with every step.\n"
               : "This conversion is too long for a function; use shared memory instead.\n";
}

/* True if print_plan prints in[] and out[], the registers of the source and the target. */
static bool names_registers(const struct shuffle_plan *plan) {
    return plan->kind == CONVERT_SAME || plan->kind == CONVERT_WORDS;
}

/* Prints the number of shuffles that a permutation saves. */
static void print_permuted(struct printer *to, const struct conversion *conversion) {
    const struct mapping_permutation *permutation = &conversion->permutation;
    const char *word = mapping_axis_word(permutation->axis);
    const enum mapping_operand operand = conversion->target->observed.fragment.operand;
    const char *other =
        operand == MAPPING_A && strcmp(word, "column") == 0
            ? "\nK is the column index of A, so permute the rows of B in the same way."
        : operand == MAPPING_B && strcmp(word, "row") == 0
            ? "\nK is the row index of B, so permute the columns of A in the same way."
            : "";
    const char *formula = permutation_text(permutation);
    print(to,
          "\nNo shuffles are needed if you permute the %ss of %s.%s\n"
          "The elements of target %s '%s' come from this source %s:\n  ",
          word, conversion->target->name, other, word, permutation->axis, word);
    for (uint32_t n = 0; n < permutation->count && !formula; n++)
        print(to, "%s%u", n ? " " : "", permutation->table[n]);
    print(to, "%s\n", formula ? formula : "");
    print_plan(to, &conversion->permuted);
    const char *hint = steps_hint(conversion, &conversion->permuted);
    if (strcmp(hint, steps_hint(conversion, &conversion->plan)) != 0)
        print_text(to, hint);
}

static bool print_conversions(struct printer *to, const struct conversion *conversions,
                              size_t count, const struct style *style) {
    for (size_t c = 0; c < count; c++) {
        const struct conversion *conversion = &conversions[c];
        const struct shuffle_plan *plan = &conversion->plan;
        if (!style->brief || count > 1)
            print(to, "%s# %s as %s on sm_%u\n", c ? "\n" : "", conversion->source->name,
                  conversion->target->name, conversion->source->arch);
        if (conversion->source->is_default_arch && !style->brief)
            print(to, "# no GPU here, so sm_%u is shown; --arch=ARCH shows another\n",
                  conversion->source->arch);
        if (conversion->source->tiling && !style->brief)
            print(to, "# %s tiled by %s\n",
                  conversion->target->tiling ? "both are" : "the first is",
                  conversion->source->tiling);
        if (conversion->scales && !style->brief) {
            const struct strings lines = line_scales_describe(conversion->scales);
            for (size_t n = 0; n < lines.count; n++)
                comment(to, lines.text[n]);
        }
        print(to, "%u ", plan->source.matrices);
        print_side_by_side(to, conversion->source, &plan->source);
        const bool is_phrase = plan->source.grid[1] > 1 || plan->source.grid[2] > 1;
        print(to, "%s %s the elements of\n", is_phrase ? "," : "",
              plan->source.matrices == 1 ? "holds" : "hold");
        print(to, "%u ", plan->target.matrices);
        print_side_by_side(to, conversion->target, &plan->target);
        print_text(to, ".\n");
        if (conversion_rounds(conversion))
            print(to, "Convert the elements to %s first.\n",
                  mapping_type_name(conversion->target->observed.fragment.type));
        print(to, "Registers hold %u-bit elements in the order of i%s.\n", plan->bits,
              plan->bits < 32 ? ", lowest i in the lowest bits" : "");
        const bool has_several = plan->source.matrices > 1 || plan->target.matrices > 1;
        const bool has_registers =
            names_registers(plan) ||
            (conversion->is_permutable && names_registers(&conversion->permuted));
        print_text(to, has_several && has_registers
                           ? "in[] and out[] hold the registers of all matrices, one matrix "
                             "after the other.\n\n"
                           : "\n");
        print_plan(to, plan);
        print_text(to, steps_hint(conversion, plan));
        if (conversion->is_permutable)
            print_permuted(to, conversion);
    }
    return true;
}

/* ---- Checks of records ---- */

static void print_checked(struct printer *to, const struct checked_entry *entry) {
    static const char *const words[] = {"ok  ", "FAIL", "skip"};
    print(to, "%s  %s on sm_%u: ", words[entry->verdict], entry->name, entry->arch);
    if (entry->verdict == CHECK_DIFFERS)
        print(to, "%s, ", entry->file);
    print(to, "%s\n", entry->verdict == CHECK_CONFIRMED ? entry->sources : entry->reason);
}

static void print_checked_end(struct printer *to, const struct checked_summary *summary) {
    const size_t all = summary->confirmed + summary->different + summary->skipped;
    for (size_t c = 0; c < summary->causes.count; c++)
        print(to, "note  source %s\n", summary->causes.text[c]);
    print(to, "%zu %s: %zu confirmed, %zu different, %zu not checked\n", all,
          all == 1 ? "entry" : "entries", summary->confirmed, summary->different, summary->skipped);
}

const struct output text_output = {
    .name = "text",
    .detail = DETAIL_OF_FRAGMENTS,
    .merges_alike = true,
    .has_formulae = true,
    .has_descriptors = true,
    .styles_loads = true,
    .usual_loads = FORMULA_DIVIDE,
    .has_brief = true,
    .has_brief_answers = true,
    .folds = true,
    .has_answers = true,
    .listing_line = listing_text_line,
    .listing_end = listing_text_end,
    .has_records = true,
    .checked = print_checked,
    .checked_end = print_checked_end,
    .has_colors = true,
    .has_cells = true,
    .reports = print_all_reports,
    .list = print_text_list,
    .comparison = print_comparison,
    .verified = print_verified,
    .conversions = print_conversions,
    .loads = print_loads,
    .suggestions = print_suggestions,
    .access = print_access,
    .descriptors = print_descriptors,
    .probed = print_findings,
    .equality = print_equality,
    .defined = print_defined,
    .scale_copy = print_scale_copy,
};
