/* comments.c - prints comments above and below a layout; see comments.h. */
#include "output/comments.h"

#include "report/alike.h"
#include "report/facts.h"
#include "report/smem_report.h"

#include <string.h>

/* Prints a comment in lines that fit a terminal. The first line is broken as if its text began in
 * column `column`. */
static void print_comment(struct printer *to, const char *text, size_t column) {
    struct wrapping how = {column, 79, " ", "#   "};
    for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        print_text(to, "# ");
        print_wrapped(to, line, (size_t)(end - line), &how);
        print_char(to, '\n');
        how.column = 2;
    }
}

void comment(struct printer *to, const char *text) {
    print_comment(to, text, 2);
}

/* ---- Facts ---- */

static bool is_one_of(const char *key, const char *const *keys) {
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys;
}

/* True for facts that are printed as "label: text". Their first line may be two columns longer than
 * that of others. */
static bool has_label(const char *key) {
    static const char *const keys[] = {"confirmed",     "reported", "note",    "dense-column",
                                       "tensor-memory", "padding",  "general", "instruction",
                                       "registers",     NULL};
    return is_one_of(key, keys);
}

static bool is_of_scale_factors(const struct report *report) {
    return report->smem && report->smem->scales.kind;
}

/* True if the fact is printed beside an answer: not the confirmation of a layout, and not the
 * number of fragments with the same layout. For scale factors, only the name of the layout. */
static bool is_beside_answer(const struct report *report, const char *key) {
    return is_of_scale_factors(report) ? strcmp(key, "asked") == 0
                                       : strcmp(key, "confirmed") != 0 && strcmp(key, "alike") != 0;
}

/* True if a user of the layout needs the fact. Hints, whose key is "", are not such facts. */
static bool is_of_use(const char *key) {
    static const char *const keys[] = {"note",         "k-order",   "selector",
                                       "choice",       "targets",   "transposed",
                                       "dense-column", "registers", NULL};
    return is_one_of(key, keys);
}

static bool is_placed(const struct report *report, const struct fact *fact,
                      enum facts_place place) {
    const char *key = fact->key;
    const bool is_of_registers = strcmp(key, "registers") == 0;
    if (fact_is_of_matrix(report, fact) != (place == FACTS_OF_MATRIX))
        return false;
    switch (place) {
    case FACTS_ABOVE:
        return !is_of_registers;
    case FACTS_BELOW_ANSWER:
        return !is_of_registers && (facts_are_detailed(report) || is_beside_answer(report, key));
    case FACTS_OF_EVIDENCE:
        return *key && !is_of_use(key);
    case FACTS_OF_MATRIX:
        return true;
    case FACTS_OF_USE:
        return is_of_use(key);
    default:
        return is_of_registers;
    }
}

void comment_facts(struct printer *to, const struct report *report, enum facts_place place) {
    const struct facts facts = facts_in_brief(report);
    for (size_t f = 0; f < facts.count; f++) {
        const struct fact *fact = &facts.fact[f];
        if (!is_placed(report, fact, place))
            continue;
        if (strcmp(fact->key, "source") == 0 && !report->alike && !is_of_scale_factors(report))
            print(to, "# %s\n", fact->text);
        else
            print_comment(to, fact->text, has_label(fact->key) ? 2 : 4);
    }
    for (size_t f = 0; f < facts.count && place == FACTS_OF_USE; f++)
        if (!*facts.fact[f].key)
            print_comment(to, facts.fact[f].text, 4);
}

/* ---- The lines above a layout ---- */

void comment_name(struct printer *to, const struct report *report) {
    if (report->alike)
        comment(to, memory_format("%s on sm_%u", alike_names(report), report->arch));
    else
        print(to, report->arch ? "# %s on sm_%u\n" : "# %s\n", report->name, report->arch);
}

void comment_header(struct printer *to, const struct report *report) {
    comment_name(to, report);
    comment_facts(to, report, FACTS_ABOVE);
}

void comment_unused(struct printer *to, const struct report *report) {
    if (report->has_choice)
        print(to, "# the layout is that of all threads, with every %s\n", report_copy_axis(report));
}
