/* expression.c - fuzzes C expressions: a formula has the same values in every printed style, and
 * comments or parentheses around an expression do not change its values. */
#include "fuzz.h"

#include "layout/expr.h"
#include "system/arena.h"

enum { NAMES_MAX = 64, POINTS_MAX = 64, TEXT_SIZE = 4096 };

/* One warp for half of the inputs, two for the others. */
static struct mapping_space space_of(size_t size) {
    return size % 2 ? (struct mapping_space){2, {{"tid", 64}, {"i", 3}}}
                    : (struct mapping_space){3, {{"tid", 4}, {"i", 2}, {"block", 2}}};
}

/* ---- Formulae ---- */

/* A printed formula, read as C, has the same value at every point where it is defined. */
static void check_text(const char *text, const struct mapping_space *from,
                       const struct mapping_formula *formula) {
    const int name = 0;
    struct mapping_program *program = mapping_program_make(from, 0);
    struct mapping_error error = {""};
    must(mapping_program_parse(program, text, &error) == MAPPING_OK,
         "a formula that is printed is an expression of C");
    for (size_t n = 0; n < mapping_space_size(from); n += 5) {
        struct mapping_points points;
        uint32_t point[MAPPING_AXES_MAX];
        int64_t value[1][MAPPING_POINTS];
        unsigned undefined;
        mapping_points_from(from, n, &points);
        mapping_space_point(from, n, point);
        points.mask = 1;
        if (mapping_program_evaluate(program, &points, &name, 1, value, &undefined, &error) ==
            MAPPING_OK)
            must((uint32_t)value[0][0] == mapping_formula_evaluate(formula, from->count, point),
                 "a formula that is printed has its value");
    }
    mapping_free(program);
}

static void check_formula(const char *text, const struct mapping_space *from) {
    struct mapping_formula formula;
    char printed[TEXT_SIZE];
    if (!mapping_formula_parse(text, from, &formula))
        return;
    mapping_formula_print(&formula, from, printed, sizeof printed);
    must(strcmp(printed, text) == 0, "a formula that is read is printed as it was");
    check_text(printed, from, &formula);
    mapping_formula_print_divided(&formula, from, printed, sizeof printed);
    check_text(printed, from, &formula);
}

/* ---- Programs ---- */

/* All that a program comes to at some points, and whether that is defined. */
struct values {
    size_t count;
    enum mapping_status status[POINTS_MAX];
    int64_t value[POINTS_MAX];
};

/* Evaluates the last definition, or the result of a program without names. Evaluations of single
 * points and of all points together must agree. */
static void evaluate(const struct mapping_program *program, const struct mapping_space *from,
                     struct values *values) {
    int name = mapping_program_find(program, MAPPING_RESULT);
    name = name >= 0 ? name : mapping_program_find(program, "row");
    struct mapping_points points, one;
    struct mapping_error error = {""};
    int64_t all[1][MAPPING_POINTS] = {{0}};
    unsigned undefined = MAPPING_POINTS, alone, first = MAPPING_POINTS;
    mapping_points_from(from, 0, &points);
    one = points;
    enum mapping_status together =
        mapping_program_evaluate(program, &points, &name, name >= 0, all, &undefined, &error);
    for (values->count = 0; values->count < POINTS_MAX; values->count++) {
        size_t n = values->count;
        int64_t value[1][MAPPING_POINTS] = {{0}};
        if (n >= mapping_space_size(from))
            break;
        one.mask = UINT64_C(1) << n;
        values->status[n] =
            mapping_program_evaluate(program, &one, &name, name >= 0, value, &alone, &error);
        values->value[n] = value[0][n];
        must(values->status[n] == MAPPING_OK || values->status[n] == MAPPING_INVALID,
             "a program has a value or none");
        must_say_why(values->status[n], &error);
        if (values->status[n] != MAPPING_OK && first == MAPPING_POINTS)
            first = (unsigned)n;
        must(n >= first || value[0][n] == all[0][n], "a point has its value among others");
    }
    must(together == (first == MAPPING_POINTS ? MAPPING_OK : MAPPING_INVALID) &&
             (together == MAPPING_OK || undefined == first),
         "the first point without a value is reported");
}

/* Reads the text with something around it, which changes nothing. Between parentheses it may be
 * none that can be read. */
static void check_around(const char *before, const char *text, const char *behind,
                         const struct mapping_space *from, const struct values *values) {
    struct mapping_program *program = mapping_program_make(from, 0);
    struct mapping_error error = {""};
    struct values again = {.count = 0};
    size_t size = strlen(before) + strlen(text) + strlen(behind) + 1;
    char *around = malloc(size);
    if (!around)
        abort();
    snprintf(around, size, "%s%s%s", before, text, behind);
    bool is_read = mapping_program_parse(program, around, &error) == MAPPING_OK;
    must(is_read || *before == '(', "what says nothing changes nothing");
    if (is_read)
        evaluate(program, from, &again);
    for (size_t n = 0; n < values->count && is_read; n++)
        must(values->status[n] == again.status[n] &&
                 (values->status[n] != MAPPING_OK || values->value[n] == again.value[n]),
             "what says nothing does not change values");
    mapping_free(program);
    free(around);
}

/* A bare expression gives its values at all points, and changed ones not. */
static void check_gives(const char *text, const struct mapping_space *from,
                        const struct values *values) {
    uint32_t expected[POINTS_MAX] = {0};
    size_t wrong;
    bool is_given = values->count == mapping_space_size(from);
    for (size_t n = 0; n < values->count && is_given; n++) {
        is_given = values->status[n] == MAPPING_OK && values->value[n] >= 0 &&
                   values->value[n] <= UINT32_MAX;
        expected[n] = (uint32_t)values->value[n];
    }
    if (!is_given)
        return;
    must(mapping_expression_gives(text, from, false, expected, &wrong) == MAPPING_OK,
         "an expression gives its values");
    expected[values->count - 1] ^= 1;
    must(mapping_expression_gives(text, from, false, expected, &wrong) == MAPPING_DIFFERS,
         "it gives no others");
}

static void check_program(const char *text, const struct mapping_space *from) {
    struct mapping_program *program = mapping_program_make(from, 0);
    struct mapping_error error = {""};
    struct values values;
    enum mapping_status status = mapping_program_parse(program, text, &error);
    must(status == MAPPING_OK || status == MAPPING_INVALID, "a program can be read or not");
    must_say_why(status, &error);
    mapping_text_defines(text, "row");
    if (status == MAPPING_OK) {
        bool is_bare = mapping_program_find(program, MAPPING_RESULT) == 0 && !strchr(text, ';') &&
                       !strstr(text, "return") && !strchr(text, '{');
        evaluate(program, from, &values);
        check_around(" /* 1; */ ", text, "\n", from, &values);
        if (is_bare && !strstr(text, "//")) { /* which may begin a comment, or divide */
            check_around("(", text, "\n)", from, &values);
            check_gives(text, from, &values);
        }
    }
    mapping_free(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct mapping_space from = space_of(size);
    char *text = text_of(data, size);
    check_formula(text, &from);
    check_program(text, &from);
    free(text);
    return 0;
}
