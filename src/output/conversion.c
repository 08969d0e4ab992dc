/* conversion.c - conversions as code; see conversion.h. */
#include "output/conversion.h"

#include "layout/space.h"
#include "output/exchange.h"

#include <ctype.h>
#include <stdio.h>

/* Longest name of a function: two of fragments, and what is between and around them. */
enum { FUNCTION_NAME = 2 * MAPPING_NAME_SIZE + 32 };

static void function_name(const struct conversion *conversion, const char *ending,
                          char name[FUNCTION_NAME]) {
    snprintf(name, FUNCTION_NAME, "mapping_%.63s_to_%.63s%s", conversion->source->name,
             conversion->target->name, ending);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
}

/* Writes "2 of mma.m16n8k16.d.f32 (16x8), side by side". */
static void describe_side(const struct report *report, const struct plan_side *side,
                          char text[128]) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    snprintf(text, 128, "%u of %.63s (%ux%u)%s", side->matrices, report->name, fragment->rows,
             fragment->cols, side->matrices > 1 ? ", side by side" : "");
}

/* Longest function, in characters. */
enum { FUNCTION_TEXT = 32 * 1024 };

/* Prints one function, in a guard, so that it may be in several headers; false if it cannot be, or
 * is too long. */
static bool print_function(struct printer *to, const struct conversion *conversion,
                           const struct shuffle_plan *plan, const char *ending,
                           const char *remark) {
    char name[FUNCTION_NAME], comment[512 + FORMULA_TEXT], from[128], into[128];
    function_name(conversion, ending, name);
    describe_side(conversion->source, &plan->source, from);
    describe_side(conversion->target, &plan->target, into);
    snprintf(comment, sizeof comment, "From %s\nto %s, on sm_%u.%s", from, into,
             conversion->source->arch, remark);
    print_text(to, "\n#ifndef ");
    for (const char *c = name; *c; c++)
        print_char(to, (char)toupper((unsigned char)*c));
    print_text(to, "\n#define ");
    for (const char *c = name; *c; c++)
        print_char(to, (char)toupper((unsigned char)*c));
    print_char(to, '\n');
    size_t start = to->size;
    bool printed = exchange_print(to, plan, name, comment) && to->size - start <= FUNCTION_TEXT;
    print_text(to, "#endif\n");
    return printed;
}

bool conversion_has_function(const struct conversion *conversion, const struct shuffle_plan *plan,
                             const char *ending) {
    enum { STEP = 100, PICK = 30 }; /* characters that whole bytes take, at most */
    if (plan->bits >= 8 && plan->kind != CONVERT_MEMORY &&
        (uint64_t)plan->step_count * STEP + (uint64_t)plan->pick_count * PICK < FUNCTION_TEXT / 2)
        return true;
    struct printer scratch = {.text = NULL};
    bool printed = print_function(&scratch, conversion, plan, ending, "");
    printer_free(&scratch);
    return printed;
}

/* Prints the function that does without shuffles. */
static bool print_permuted(struct printer *to, const struct conversion *conversion) {
    const struct mapping_permutation *permutation = &conversion->permutation;
    const char *name = permutation->is_rows ? MAPPING_AXIS_ROW : MAPPING_AXIS_COL;
    const char *word = mapping_axis_word(name);
    char formula[FORMULA_TEXT], remark[256 + FORMULA_TEXT];
    permutation_text(permutation, formula);
    snprintf(remark, sizeof remark, "\nIn the target, %s %s is %s\n  %s\nof the source.", word,
             name, word, *formula ? formula : "(from a table without a formula)");
    return print_function(to, conversion, &conversion->permuted, PERMUTED_ENDING, remark);
}

bool print_conversions_cuda(struct printer *to, const struct conversion *conversions, size_t count,
                            const struct style *style) {
    (void)style;
    bool printed = true;
    print_text(to, "/* Functions that convert the registers of one fragment into those of another. "
                   "Made by mapping\n * --convert. */\n");
    for (size_t c = 0; c < count && printed; c++)
        printed = print_function(to, &conversions[c], &conversions[c].plan, "", "") &&
                  (!conversions[c].is_permutable || print_permuted(to, &conversions[c]));
    return printed;
}
