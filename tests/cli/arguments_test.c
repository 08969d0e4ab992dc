/* arguments_test.c - calls every function of mapping.h with all combinations of arguments that are
 * NULL, empty, zero, negative, very large, or of another kind. Each call must return a status, and
 * a result if and only if the status is success. The sanitizers find all other errors (make asan).
 */
#include "mapping.h"

#include <ctype.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define EACH(type, value, array)                                                                   \
    for (type const *value = (array); value < (array) + COUNT(array); value++)

/* ---- Arguments ---- */

static mapping *contexts[2]; /* NULL, and one */
static const mapping_layout *layouts[5];
static const mapping_answer *answers[14];
static const mapping_item *items[32];
static char long_text[5000];
static const char *texts[] = {NULL,
                              "",
                              "tid",
                              "row",
                              "i",
                              "copy",
                              "row = ",
                              "t0 | |",
                              "t+99999999999999 | t0",
                              "text",
                              "ld.b32",
                              "cuda",
                              "((4,8),2):((1,4),32)",
                              "\xff%s",
                              "int if",
                              "json",
                              long_text};
static const size_t sizes[] = {0, 1, 2, 8, 9, SIZE_MAX};
static const uint32_t numbers[] = {0, 1, 31, 32, INT32_MAX, UINT32_MAX};
static const int enums[] = {-1, 0, 1, 2, 3, 7, 10, 11, 22, 23, INT_MAX, INT_MIN};

static const struct mapping_axis spaces[][9] = {
    {{"tid", 32}, {"i", 4}},
    {{"row", 16}, {"col", 8}},
    {{NULL, 0}},                     /* zeroed */
    {{"tid", 0}, {"i", UINT32_MAX}}, /* no point, too many */
    {{"tid", UINT32_MAX}, {"i", 2}},
    {{"tid", 1 << 20}, {"i", 1 << 20}}, /* more than 2^24 */
    {{"tid", 4}, {"tid", 4}},           /* twice the same name */
    {{"", 1}, {"while", 1}},
    {{"a", 65536},
     {"b", 65536},
     {"c", 65536},
     {"d", 65536},
     {"e", 65536},
     {"f", 65536},
     {"g", 65536},
     {"h", 65536},
     {"k", 65536}},
};

/* Refused, with a sentence if there is a context, and without a result; or done, with one. */
static void check(mapping *context, enum mapping_status returned, const void *result) {
    if (returned == MAPPING_OK || returned == MAPPING_DIFFERS || returned == MAPPING_NO_FORMULA) {
        assert_non_null(context);
        assert_true(result || returned == MAPPING_NO_FORMULA);
    } else {
        assert_null(result);
        assert_true(!context || *mapping_message(context));
    }
}

static enum mapping_status status; /* of the last call */

/* ---- Functions ---- */

static void call_version(void) {
    assert_int_equal(mapping_version(), MAPPING_VERSION_NUMBER);
}

static void call_open(void) {
    struct mapping_options all;
    memset(&all, 0, sizeof all);
    EACH(size_t, size, sizes) {
        all.size = *size;
        mapping_close(mapping_open(&all));
    }
    all = (struct mapping_options){.size = sizeof all, .columns = UINT_MAX, .has_colors = true};
    mapping *context = mapping_open(&all);
    const char *text;
    size_t size;
    assert_int_equal(mapping_run(context, 0, NULL, &text, &size), MAPPING_OK);
    mapping_close(context);
    mapping_close(mapping_open(NULL));
}

static void call_close(void) {
    mapping_close(NULL);
}

static void call_run(void) {
    const char *const words[] = {"--list", "--arch=sm_90", NULL};
    static const size_t few[] = {0, 1, 2, 3, SIZE_MAX};
    const char *text = NULL;
    size_t size = 0;
    EACH(mapping *, context, contexts)
    EACH(size_t, count, few) {
        mapping_run(*context, *count, NULL, &text, &size);
        mapping_run(*context, *count, words, NULL, &size);
        mapping_run(*context, *count, words, &text, NULL);
        status = mapping_run(*context, *count, words, &text, &size);
        assert_int_equal(status, *context && *count < 3 ? MAPPING_OK : MAPPING_INVALID);
    }
    EACH(const char *, word, texts)
    mapping_run(contexts[1], 1, word, &text, &size);
}

static void call_mark(void) {
    assert_int_equal(mapping_mark(NULL), MAPPING_INVALID);
}

static void call_release(void) {
    mapping_release(NULL);
}

static void call_message(void) {
    assert_string_equal(mapping_message(NULL), "");
}

typedef enum mapping_status from_text(mapping *, const struct mapping_axis *, size_t,
                                      const struct mapping_axis *, size_t, const char *,
                                      const mapping_layout **);

static void call_from(from_text *function) {
    static const size_t counts[] = {0, 1, 2, 9, SIZE_MAX};
    const mapping_layout *layout;
    EACH(mapping *, context, contexts)
    EACH(const char *, text, texts)
    for (size_t from = 0; from <= COUNT(spaces); from++)
        for (size_t to = 0; to <= COUNT(spaces); to++)
            EACH(size_t, count, counts) {
                const struct mapping_axis *const axes[] = {from ? spaces[from - 1] : NULL,
                                                           to ? spaces[to - 1] : NULL};
                layout = NULL;
                status = function(*context, axes[0], *count, axes[1], *count, *text, &layout);
                check(*context, status, layout);
                function(*context, axes[0], *count, axes[1], 2, *text, NULL);
            }
}

static void call_from_bases(void) {
    call_from(mapping_layout_from_bases);
}

static void call_from_cute(void) {
    call_from(mapping_layout_from_cute);
}

static void call_from_formulas(void) {
    call_from(mapping_layout_from_formulas);
}

static void call_from_table(void) {
    static const uint32_t large[128] = {UINT32_MAX, 7}, zeros[128] = {0};
    const uint32_t *const values[][2] = {
        {NULL, NULL}, {zeros, NULL}, {zeros, zeros}, {large, zeros}};
    const mapping_layout *layout;
    EACH(mapping *, context, contexts)
    for (size_t v = 0; v < COUNT(values); v++) {
        layout = NULL;
        status =
            mapping_layout_from_table(*context, spaces[0], 2, spaces[1], 2, values[v], &layout);
        check(*context, status, layout);
        layout = NULL;
        status = mapping_layout_from_table(*context, spaces[0], 2, spaces[1], SIZE_MAX, values[v],
                                           &layout);
        check(*context, status, layout);
        mapping_layout_from_table(*context, spaces[0], 2, spaces[1], 2, values[v], NULL);
        mapping_layout_from_table(*context, NULL, 2, NULL, 2, values[v], &layout);
        mapping_layout_from_table(*context, spaces[0], 2, spaces[1], 2, NULL, &layout);
    }
}

static void call_axis(void) {
    uint32_t size;
    EACH(const mapping_layout *, layout, layouts)
    EACH(int, side, enums)
    EACH(size_t, n, sizes) {
        mapping_layout_axis(*layout, (enum mapping_side) * side, *n, NULL);
        mapping_layout_axis(*layout, (enum mapping_side) * side, *n, &size);
    }
}

static void call_size(void) {
    assert_int_equal(mapping_layout_size(NULL), 0);
}

static void call_values(void) {
    EACH(const mapping_layout *, layout, layouts)
    EACH(const char *, text, texts)
    mapping_layout_values(*layout, *text);
}

static void call_equal(void) {
    EACH(const mapping_layout *, a, layouts)
    EACH(const mapping_layout *, b, layouts)
    assert_true(mapping_layout_equal(*a, *b) == (*a && a == b));
}

static void call_invert(void) {
    EACH(mapping *, context, contexts)
    EACH(const mapping_layout *, layout, layouts)
    EACH(const char *, text, texts) {
        const mapping_layout *result = NULL;
        status = mapping_layout_invert(*context, *layout, *text, &result);
        check(*context, status, result);
        mapping_layout_invert(*context, *layout, *text, NULL);
    }
}

typedef enum mapping_status of_two(mapping *, const mapping_layout *, const mapping_layout *,
                                   const mapping_layout **);

static void call_two(of_two *function) {
    EACH(mapping *, context, contexts)
    EACH(const mapping_layout *, a, layouts)
    EACH(const mapping_layout *, b, layouts) {
        const mapping_layout *result = NULL;
        status = function(*context, *a, *b, &result);
        check(*context, status, result);
        function(*context, *a, *b, NULL);
    }
}

static void call_compose(void) {
    call_two(mapping_layout_compose);
}

static void call_product(void) {
    call_two(mapping_layout_product);
}

static void call_restrict(void) {
    EACH(mapping *, context, contexts)
    EACH(const mapping_layout *, layout, layouts)
    EACH(const char *, axis, texts)
    EACH(uint32_t, first, numbers)
    EACH(uint32_t, count, numbers) {
        const mapping_layout *result = NULL;
        status = mapping_layout_restrict(*context, *layout, *axis, *first, *count, &result);
        check(*context, status, result);
        mapping_layout_restrict(*context, *layout, *axis, *first, *count, NULL);
    }
}

static void call_formula(void) {
    EACH(mapping *, context, contexts)
    EACH(const mapping_layout *, layout, layouts)
    EACH(const char *, axis, texts)
    EACH(int, style, enums) {
        const char *text = NULL;
        status =
            mapping_layout_formula(*context, *layout, *axis, (enum mapping_style) * style, &text);
        check(*context, status, text);
        mapping_layout_formula(*context, *layout, *axis, (enum mapping_style) * style, NULL);
    }
}

static void call_ask(void) {
    EACH(mapping *, context, contexts)
    EACH(const char *, text, texts) {
        const mapping_answer *answer = NULL;
        status = mapping_ask(*context, 1, text, &answer);
        check(*context, status, answer);
        answer = NULL;
        status = mapping_ask(*context, SIZE_MAX, NULL, &answer);
        check(*context, status, answer);
        mapping_ask(*context, 1, text, NULL);
    }
}

typedef enum mapping_status about_layout(mapping *, const mapping_layout *, const char *,
                                         const mapping_answer **);

static void call_about(about_layout *function) {
    EACH(mapping *, context, contexts)
    EACH(const mapping_layout *, layout, layouts)
    EACH(const char *, text, texts) {
        const mapping_answer *answer = NULL;
        status = function(*context, *layout, *text, &answer);
        check(*context, status, answer);
        function(*context, *layout, *text, NULL);
    }
}

static void call_describe(void) {
    call_about(mapping_describe);
}

static void call_verify(void) {
    call_about(mapping_verify);
}

static void call_count_wavefronts(void) {
    static const uint32_t addresses[64] = {UINT32_MAX, 1, 2}, zeros[64] = {0};
    static const uint32_t *lists[] = {NULL, addresses, zeros};
    static const size_t counts[] = {0, 1, 8, 16, 31, 32, 33, SIZE_MAX};
    static const char *operations[] = {NULL,          "",         "ld.b32", "ldmatrix.x4",
                                       "ldmatrix.x1", "cp.async", long_text};
    EACH(mapping *, context, contexts)
    EACH(const char *, operation, operations)
    EACH(const uint32_t *, list, lists)
    EACH(size_t, count, counts) {
        uint32_t wavefronts = 0, least = 0;
        status = mapping_count_wavefronts(*context, *operation, *list, *count, &wavefronts, &least);
        check(*context, status, status == MAPPING_OK ? &wavefronts : NULL);
        mapping_count_wavefronts(*context, *operation, *list, *count, NULL, &least);
        mapping_count_wavefronts(*context, *operation, *list, *count, &wavefronts, NULL);
    }
}

static void call_kind(void) {
    assert_int_equal(mapping_answer_kind(NULL), 0);
}

static void call_count(void) {
    assert_int_equal(mapping_answer_count(NULL), 0);
}

static void call_item(void) {
    EACH(const mapping_answer *, answer, answers)
    EACH(size_t, n, sizes)
    mapping_answer_item(*answer, *n);
}

static void call_format(void) {
    EACH(size_t, n, sizes)
    mapping_format(*n);
}

static void call_print(void) {
    EACH(mapping *, context, contexts)
    EACH(const mapping_answer *, answer, answers)
    EACH(const char *, format, texts) {
        const char *text = NULL;
        size_t size = 0;
        mapping_answer_print(*context, *answer, *format, &text, &size);
        mapping_answer_print(*context, *answer, *format, NULL, &size);
        mapping_answer_print(*context, *answer, *format, &text, NULL);
    }
}

static void call_print_item(void) {
    EACH(mapping *, context, contexts)
    EACH(const mapping_item *, item, items)
    EACH(const char *, format, texts) {
        const char *text = NULL;
        size_t size = 0;
        mapping_item_print(*context, *item, *format, &text, &size);
        mapping_item_print(*context, *item, *format, NULL, &size);
        mapping_item_print(*context, *item, *format, &text, NULL);
    }
}

static void call_item_text(void) {
    EACH(const mapping_item *, item, items)
    EACH(int, which, enums)
    mapping_item_text(*item, (enum mapping_text) * which);
}

static void call_item_number(void) {
    uint64_t value;
    EACH(const mapping_item *, item, items)
    EACH(int, which, enums) {
        mapping_item_number(*item, (enum mapping_number) * which, &value);
        assert_false(mapping_item_number(*item, (enum mapping_number) * which, NULL));
    }
}

static void call_item_coordinate(void) {
    uint32_t value;
    EACH(const mapping_item *, item, items)
    EACH(const char *, axis, texts) {
        mapping_item_coordinate(*item, *axis, &value);
        assert_false(mapping_item_coordinate(*item, *axis, NULL));
    }
}

static void call_item_layout(void) {
    EACH(const mapping_item *, item, items)
    EACH(int, which, enums) {
        const mapping_layout *layout = mapping_item_layout(*item, (enum mapping_which) * which);
        assert_true(!layout || (*item && *which >= 0 && *which <= MAPPING_OTHER));
    }
}

static void call_item_fact(void) {
    const char *key, *text;
    EACH(const mapping_item *, item, items)
    EACH(size_t, n, sizes) {
        mapping_item_fact(*item, *n, &key, &text);
        assert_false(mapping_item_fact(*item, *n, NULL, &text));
        assert_false(mapping_item_fact(*item, *n, &key, NULL));
    }
}

static void call_item_wrong(void) {
    const char *axis;
    size_t entry;
    int64_t says;
    uint32_t is;
    EACH(const mapping_item *, item, items)
    EACH(size_t, n, sizes) {
        mapping_item_wrong(*item, *n, &axis, &entry, &says, &is);
        assert_false(mapping_item_wrong(*item, *n, NULL, &entry, &says, &is));
        assert_false(mapping_item_wrong(*item, *n, &axis, NULL, NULL, NULL));
    }
}

static void call_item_right_for(void) {
    EACH(const mapping_item *, item, items)
    EACH(size_t, n, sizes)
    mapping_item_right_for(*item, *n);
}

/* ---- All of them ---- */

static const struct {
    const char *name;
    void (*call)(void);
} functions[] = {
    {"mapping_version", call_version},
    {"mapping_open", call_open},
    {"mapping_close", call_close},
    {"mapping_run", call_run},
    {"mapping_mark", call_mark},
    {"mapping_release", call_release},
    {"mapping_message", call_message},
    {"mapping_layout_from_table", call_from_table},
    {"mapping_layout_from_bases", call_from_bases},
    {"mapping_layout_from_cute", call_from_cute},
    {"mapping_layout_from_formulas", call_from_formulas},
    {"mapping_layout_axis", call_axis},
    {"mapping_layout_size", call_size},
    {"mapping_layout_values", call_values},
    {"mapping_layout_invert", call_invert},
    {"mapping_layout_compose", call_compose},
    {"mapping_layout_product", call_product},
    {"mapping_layout_restrict", call_restrict},
    {"mapping_layout_equal", call_equal},
    {"mapping_layout_formula", call_formula},
    {"mapping_ask", call_ask},
    {"mapping_describe", call_describe},
    {"mapping_verify", call_verify},
    {"mapping_count_wavefronts", call_count_wavefronts},
    {"mapping_answer_kind", call_kind},
    {"mapping_answer_count", call_count},
    {"mapping_answer_item", call_item},
    {"mapping_format", call_format},
    {"mapping_answer_print", call_print},
    {"mapping_item_print", call_print_item},
    {"mapping_item_text", call_item_text},
    {"mapping_item_number", call_item_number},
    {"mapping_item_coordinate", call_item_coordinate},
    {"mapping_item_layout", call_item_layout},
    {"mapping_item_fact", call_item_fact},
    {"mapping_item_wrong", call_item_wrong},
    {"mapping_item_right_for", call_item_right_for},
};

static bool is_listed(const char *name, size_t length) {
    for (size_t f = 0; f < COUNT(functions); f++)
        if (strlen(functions[f].name) == length && memcmp(functions[f].name, name, length) == 0)
            return true;
    return false;
}

/* A declaration is a name that a parenthesis follows, outside of comments, which have stars. */
static void each_function_of_the_header_is_called(void **state) {
    FILE *header = fopen("include/mapping.h", "r");
    char line[256];
    bool is_comment = false;
    size_t found = 0;
    (void)state;
    assert_non_null(header);
    while (fgets(line, sizeof line, header)) {
        is_comment |= strstr(line, "/*") == line + strspn(line, " ");
        for (char *name = line; !is_comment && (name = strstr(name, "mapping_"));) {
            size_t length = 0;
            while (isalnum((unsigned char)name[length]) || name[length] == '_')
                length++;
            if (name[length] == '(') {
                found++;
                if (!is_listed(name, length))
                    fail_msg("no call of %.*s", (int)length, name);
            }
            name += length;
        }
        is_comment = is_comment && !strstr(line, "*/");
    }
    fclose(header);
    assert_int_equal(found, COUNT(functions));
}

static void no_argument_crashes_a_function(void **state) {
    (void)state;
    for (size_t f = 0; f < COUNT(functions); f++) {
        assert_int_equal(mapping_mark(contexts[1]), MAPPING_OK);
        functions[f].call();
        mapping_release(contexts[1]);
    }
}

/* Layouts: of a fragment, one to one, with everything at one point, with a hole. Answers of every
 * kind, and an item of each. */
static int make_arguments(void **state) {
    static const char *const questions[][4] = {
        {"mma.m16n8k16.d.f32"},
        {"mma.m16n8k16.d.f32", "--at=3,5"},
        {"mma.m16n8k16.d.f32", "--verify=row = i; col = tid"},
        {"mma.m16n8k16.d.f32", "--convert=mma.m16n8k16.a.f16"},
        {"(64,64):(64,1)", "--load=mma.m16n8k16.a.f16"},
        {"(64,64):(64,1)", "--suggest", "--load=mma.m16n8k16.a.f16"},
        {"--access=ld.b32", "--address=tid*8"},
        {"--list", "--arch=70"},
        {"--diff=sm_72,sm_75"},
        {"0x4000004000010000"},
        {"tcgen05.mma.m64n64k16.d.f32"},
        {"--check", "--source=isa", "--arch=90"},
        {"--annotate=tests/listing/listings/nvcc.ptx"}};
    static const uint32_t zeros[128] = {0};
    static const uint32_t *const values[] = {zeros, zeros};
    static const struct mapping_axis one = {"i", 1}, row = {"row", 1};
    (void)state;
    memset(long_text, '(', sizeof long_text - 1);
    mapping *context = contexts[1] = mapping_open(NULL);
    bool is_made =
        context &&
        mapping_layout_from_bases(context, spaces[0], 2, spaces[1], 2, "t2 t3 t4 i1 | i0 t0 t1",
                                  &layouts[1]) == MAPPING_OK &&
        mapping_layout_from_table(context, spaces[0], 2, spaces[1], 2, values, &layouts[2]) ==
            MAPPING_OK &&
        mapping_layout_from_table(context, &one, 1, &row, 1, values, &layouts[3]) == MAPPING_OK;
    size_t found = 1;
    for (size_t q = 0; q < COUNT(questions) && is_made; q++) {
        size_t words = 0;
        while (words < 4 && questions[q][words])
            words++;
        status = mapping_ask(context, words, questions[q], &answers[1 + q]);
        is_made = status == MAPPING_OK || status == MAPPING_DIFFERS;
        for (size_t n = 0; is_made && n < 2; n++)
            items[found++] = mapping_answer_item(answers[1 + q], n);
    }
    layouts[4] = is_made ? mapping_item_layout(items[1], MAPPING_INVERSE) : NULL;
    return is_made && layouts[4] ? 0 : 1;
}

static int drop_arguments(void **state) {
    (void)state;
    mapping_close(contexts[1]);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_function_of_the_header_is_called),
        cmocka_unit_test(no_argument_crashes_a_function),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_arguments, drop_arguments);
}
