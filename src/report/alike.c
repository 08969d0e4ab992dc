/* alike.c - groups fragments with the same layout; see alike.h. */
#include "report/alike.h"

#include "report/braces.h"

#include <string.h>

/* True if the report shows only its layout and facts. */
static bool is_plain(const struct report *report) {
    return report->has_fragment && !report->tmem && !report->detail && !report->is_of_file;
}

/* True if the rows and columns of both have the same meaning: C and D both have those of the
 * product. The columns of a sparse A are not those of A. */
static bool have_same_axes(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    const bool are_products = (a->operand == MAPPING_C || a->operand == MAPPING_D) &&
                              (b->operand == MAPPING_C || b->operand == MAPPING_D);
    return are_products ||
           (a->operand == b->operand && mapping_instruction_is_sparse(a->instruction) ==
                                            mapping_instruction_is_sparse(b->instruction));
}

static bool are_alike(const struct report *a, const struct report *b, bool same_bits) {
    const struct mapping_layout *one = &a->forward.layout, *other = &b->forward.layout;
    return a->arch == b->arch && a->subject == b->subject && a->has_choice == b->has_choice &&
           a->choice == b->choice && is_plain(a) && is_plain(b) &&
           have_same_axes(&a->observed.fragment, &b->observed.fragment) &&
           (!same_bits || a->observed.fragment.bits == b->observed.fragment.bits) &&
           layout_equal(one, other);
}

void alike_find(struct report *reports, size_t count, bool same_bits) {
    struct report **last = memory_get(count, sizeof *last); /* last[r]: the last of the list that
 begins with r */
    size_t *firsts = memory_get(count, sizeof *firsts), first_count = 0;
    for (size_t r = 0, f; r < count; r++) {
        if (r > 0 && (reports[r].arch != reports[r - 1].arch ||
                      reports[r].subject != reports[r - 1].subject))
            first_count = 0; /* fragments of a subject are consecutive */
        for (f = 0; f < first_count; f++)
            if (are_alike(&reports[firsts[f]], &reports[r], same_bits))
                break;
        reports[r].has_same_layout = f < first_count;
        if (reports[r].has_same_layout)
            last[firsts[f]]->alike = &reports[r];
        else
            firsts[first_count++] = r;
        last[firsts[f]] = &reports[r];
    }
    mapping_free(firsts);
    mapping_free(last);
}

size_t alike_count(const struct report *report) {
    size_t count = 0;
    for (; report; report = report->alike)
        count++;
    return count;
}

char *alike_names(const struct report *report) {
    struct strings names = {.count = 0};
    for (; report; report = report->alike)
        strings_add(&names, report->name);
    return braces_text(&names);
}

/* The length of the words, each with its dot, with which all names begin. */
static size_t common_words(const struct report *report) {
    size_t length = 0;
    for (const char *c = report->name; *c; c++) {
        const struct report *other = report->alike;
        while (other && strncmp(other->name, report->name, (size_t)(c - report->name) + 1) == 0)
            other = other->alike;
        if (other)
            break;
        length = *c == '.' ? (size_t)(c - report->name) + 1 : length;
    }
    return length;
}

char *alike_some_names(const struct report *report, const bool *has) {
    const size_t start = common_words(report);
    struct strings names = {.count = 0};
    for (size_t n = 0; report; report = report->alike, n++)
        if (has[n])
            strings_add(&names, report->name + start);
    return braces_text(&names);
}
