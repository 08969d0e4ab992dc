/* made_up_space_test.c - layouts between spaces that no fragment has, from the table to every
 * format: formulae deduced, printed as text, read back, asked, printed as JSON, CSV and Markdown.
 *
 * Each case states its layout as a C function, and the expected formulae, derived by hand.
 * Everything else is compared with the function, entry by entry.
 *
 * Expected values: by hand; brute force over the table. */
#include "expression.h"
#include "output/grid.h"
#include "output/output.h"
#include "random.h"
#include "report/derive.h"

#include <stdio.h>

/* ---- Cases ---- */

struct made_up {
    const char *name;
    struct mapping_space from, to;
    void (*place)(const uint32_t *from, uint32_t *to);
    const char *forward[4], *inverse[4]; /* NULL for none in the space of formulae */
};

/* A matrix in memory by columns. */
static void by_columns(const uint32_t *from, uint32_t *to) {
    to[0] = from[0] + 2 * from[1];
}

/* Rows of 8 elements whose columns are exclusive-ored with the row: no bank conflicts. */
static void swizzled(const uint32_t *from, uint32_t *to) {
    to[0] = 8 * from[0] + (from[1] ^ from[0]);
}

/* 3 rows of 5: no size is a power of two, and to divide by 5 takes more than masks and shifts. */
static void odd(const uint32_t *from, uint32_t *to) {
    to[0] = 5 * from[0] + from[1];
}

/* A matrix in two blocks of slots, half of the rows in each. */
static void two_blocks(const uint32_t *from, uint32_t *to) {
    to[0] = from[0] / 4;
    to[1] = from[0] % 4;
    to[2] = from[1];
}

/* A load out of Tensor Memory, as tcgen05.ld.16x64b has it. */
static void load(const uint32_t *from, uint32_t *to) {
    to[0] = from[0] / 4 + from[1] / 2 * 8;
    to[1] = from[0] % 4 * 2 + from[1] % 2;
}

/* The bank of column c in step s: each is met four times. */
static void bank(const uint32_t *from, uint32_t *to) {
    to[0] = from[0] ^ from[1] * 8;
}

/* From one axis to one. */
static void backwards(const uint32_t *from, uint32_t *to) {
    to[0] = 7 - from[0];
}

/* From three axes to four. */
static void many(const uint32_t *from, uint32_t *to) {
    to[0] = from[2] & 1;
    to[1] = from[1];
    to[2] = from[0];
    to[3] = from[2] / 2;
}

/* A multiplication modulo 7, which no masks and shifts are. */
static void scattered(const uint32_t *from, uint32_t *to) {
    to[0] = from[0] * 3 % 7;
}

/* Several matrices in memory, one inside of the other. */
static void nested(const uint32_t *from, uint32_t *to) {
    to[0] = from[0] + 2 * from[2] + 8 * from[1];
}

static const struct made_up cases[] = {
    {
        .name = "by columns",
        .from = {2, {{"row", 2}, {"col", 4}}},
        .to = {1, {{"offset", 8}}},
        .place = by_columns,
        .forward = {"(row & 1) + ((col & 3) << 1)"},
        .inverse = {"(offset & 1)", "((offset & 6) >> 1)"},
    },
    {
        .name = "Sw<3,0,3> o 0 o (8,8):(8,1)",
        .from = {2, {{"row", 8}, {"col", 8}}},
        .to = {1, {{"offset", 64}}},
        .place = swizzled,
        .forward = {"(row & 7) ^ ((row & 7) << 3) ^ (col & 7)"},
        .inverse = {"((offset & 56) >> 3)", "(offset & 7) ^ ((offset & 56) >> 3)"},
    },
    {
        .name = "(3,5):(5,1)",
        .from = {2, {{"row", 3}, {"col", 5}}},
        .to = {1, {{"offset", 15}}},
        .place = odd,
        .forward = {"(row & 3) + ((row & 3) << 2) + (col & 7)"},
        .inverse = {NULL, NULL},
    },
    {
        .name = "two blocks",
        .from = {2, {{"row", 8}, {"col", 2}}},
        .to = {3, {{"half", 2}, {"line", 4}, {"slot", 2}}},
        .place = two_blocks,
        .forward = {"((row & 4) >> 2)", "(row & 3)", "(col & 1)"},
        .inverse = {"((half & 1) << 2) + (line & 3)", "(slot & 1)"},
    },
    {
        .name = "a load",
        .from = {2, {{"tid", 32}, {"i", 4}}},
        .to = {2, {{"lane", 16}, {"column", 8}}},
        .place = load,
        .forward = {"((i & 2) << 2) + ((tid & 28) >> 2)", "(i & 1) + ((tid & 3) << 1)"},
        .inverse = {"((lane & 7) << 2) + ((column & 6) >> 1)", "((lane & 8) >> 2) + (column & 1)"},
    },
    {
        .name = "banks",
        .from = {2, {{"c", 32}, {"s", 4}}},
        .to = {1, {{"bank", 32}}},
        .place = bank,
        .forward = {"(c & 31) ^ ((s & 3) << 3)"},
        .inverse = {"(bank & 7) + ((copy & 3) << 3)", "((bank & 24) >> 3) ^ (copy & 3)"},
    },
    {
        .name = "backwards",
        .from = {1, {{"n", 8}}},
        .to = {1, {{"place", 8}}},
        .place = backwards,
        .forward = {"7 ^ (n & 7)"},
        .inverse = {"7 ^ (place & 7)"},
    },
    {
        .name = "many axes",
        .from = {3, {{"x", 2}, {"y", 4}, {"z", 4}}},
        .to = {4, {{"p", 2}, {"q", 4}, {"r", 2}, {"s", 2}}},
        .place = many,
        .forward = {"(z & 1)", "(y & 3)", "(x & 1)", "((z & 2) >> 1)"},
        .inverse = {"(r & 1)", "(q & 3)", "(p & 1) + ((s & 1) << 1)"},
    },
    {
        .name = "scattered",
        .from = {1, {{"n", 7}}},
        .to = {1, {{"place", 7}}},
        .place = scattered,
        .forward = {NULL},
        .inverse = {NULL},
    },
    {
        .name = "nested",
        .from = {3, {{"h", 2}, {"row", 2}, {"col", 4}}},
        .to = {1, {{"offset", 16}}},
        .place = nested,
        .forward = {"(h & 1) + ((row & 1) << 3) + ((col & 3) << 1)"},
        .inverse = {"(offset & 1)", "((offset & 8) >> 3)", "((offset & 6) >> 1)"},
    },
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- Helpers ---- */

/* Makes the table of a case. */
static struct mapping_layout tabulate(const struct made_up *made_up) {
    struct mapping_layout layout;
    struct mapping_error error;
    uint32_t from[MAPPING_AXES_MAX], to[MAPPING_AXES_MAX];
    assert_int_equal(mapping_layout_init(&layout, &made_up->from, &made_up->to, &error),
                     MAPPING_OK);
    for (size_t n = 0; n < mapping_layout_entries(&layout); n++) {
        mapping_space_point(&made_up->from, n, from);
        made_up->place(from, to);
        for (uint32_t c = 0; c < made_up->to.count; c++)
            layout.coordinate[c][n] = to[c];
    }
    return layout;
}

/* True if every axis has a formula. */
static bool is_solved(const struct made_up *made_up) {
    bool solved = true;
    for (uint32_t c = 0; c < made_up->to.count; c++)
        solved = solved && made_up->forward[c];
    return solved;
}

/* Makes the report of a case; nothing observed it, and it is of no architecture. */
static struct report solve(const struct made_up *made_up) {
    struct report report = {.kind = "layout"};
    struct mapping_error error;
    snprintf(report.name, sizeof report.name, "%s", made_up->name);
    report.observed.layout = tabulate(made_up);
    assert_int_equal(derive_solution(&report, MAPPING_AXIS_COPY, &error),
                     is_solved(made_up) ? MAPPING_OK : MAPPING_NO_FORMULA);
    return report;
}

/* The output of a format for some reports. */
static char *print_with(const struct output *output, struct report *reports, size_t count,
                        const struct style *style) {
    struct pages pages;
    struct printer all = {.text = NULL};
    pages_init(&pages, count + 1);
    output_reports(output, &pages, reports, count, style);
    for (size_t p = 0; p < pages.count; p++)
        if (pages.page[p].size > 0)
            print(&all, "%.*s", (int)pages.page[p].size, pages.page[p].text);
    assert_non_null(printer_string(&all));
    return all.text;
}

static char *print_case(const struct output *output, const struct made_up *made_up,
                        const struct style *style) {
    struct report report = solve(made_up);
    char *text = print_with(output, &report, 1, style);
    return text;
}

static void expect_part(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

static const struct style plain = {.width = 0};

/* ---- Formulae ---- */

/* Each formula is the expected one, and gives the values of the function. */
static void check_solved(const struct derived *derived, const char *const *expected) {
    const struct mapping_layout *layout = &derived->layout;
    uint32_t point[MAPPING_AXES_MAX];
    for (uint32_t c = 0; c < layout->to.count; c++) {
        const char *text = derived_formula(derived, c);
        assert_string_equal(text ? text : "", expected[c] ? expected[c] : "");
        for (size_t n = 0; n < mapping_layout_entries(layout) && text; n++) {
            mapping_space_point(&layout->from, n, point);
            assert_int_equal(evaluate(text, &layout->from, point), layout->coordinate[c][n]);
        }
    }
}

static void formulae_are_deduced_both_ways(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        struct report report = solve(&cases[c]);
        struct mapping_layout table = tabulate(&cases[c]);
        assert_true(layout_equal(&report.forward.layout, &table));
        check_solved(&report.forward, cases[c].forward);
        check_solved(&report.inverse, cases[c].inverse);
        mapping_layout_free(&table);
    }
}

/* A layout that cannot be inverted is refused with the place, in the names of its axes. */
static void what_cannot_be_inverted_is_refused(void **state) {
    (void)state;
    struct report report = {.kind = "layout"};
    struct mapping_error error;
    report.observed.layout = tabulate(&cases[0]);
    report.observed.layout.coordinate[0][5] = 0; /* row 1, column 1 where row 0, column 0 is */
    assert_int_equal(derive_solution(&report, MAPPING_AXIS_COPY, &error), MAPPING_INVALID);
    assert_string_equal(error.message,
                        "offset 0 occurs too often; its last occurrence is in row 1, column 1");
    mapping_layout_free(&report.forward.layout);
}

/* ---- Text ---- */

static void text_shows_the_target_of_each_source(void **state) {
    (void)state;
    char *text = print_case(&text_output, &cases[0], &plain);
    assert_string_equal(text, "# by columns\n"
                              "Offset:\n"
                              " 0  2  4  6\n"
                              " 1  3  5  7\n"
                              "\n"
                              "Formulae:\n"
                              "Offset: return (row & 1) + ((col & 3) << 1);\n"
                              "\n"
                              "Inverse:\n"
                              "Row: return (offset & 1);\n"
                              "Col: return ((offset & 6) >> 1);\n");
}

/* If the target is two-dimensional: the source at each of its places, as one pair of grids for each
 * block. */
static void text_shows_who_is_at_each_place_of_a_plane(void **state) {
    (void)state;
    char *text = print_case(&text_output, &cases[3], &plain);
    assert_string_equal(text, "# two blocks\n"
                              "# half 0 of 2\n"
                              "Col / Row:\n"
                              " 0  1          0  0\n"
                              " 0  1          1  1\n"
                              " 0  1          2  2\n"
                              " 0  1          3  3\n"
                              "\n"
                              "# half 1 of 2\n"
                              "Col / Row:\n"
                              " 0  1          4  4\n"
                              " 0  1          5  5\n"
                              " 0  1          6  6\n"
                              " 0  1          7  7\n"
                              "\n"
                              "Formulae:\n"
                              "Half: return ((row & 4) >> 2);\n"
                              "Line: return (row & 3);\n"
                              "Slot: return (col & 1);\n"
                              "\n"
                              "Inverse:\n"
                              "Row: return ((half & 1) << 2) + (line & 3);\n"
                              "Col: return (slot & 1);\n");
}

/* If the source has more than two axes: one grid for each value of the others. */
static void text_shows_parts_of_the_source(void **state) {
    (void)state;
    char *text = print_case(&text_output, &cases[9], &plain);
    expect_part(text, "# nested\n"
                      "# h 0 of 2\nOffset:\n 0  2  4  6\n 8 10 12 14\n\n"
                      "# h 1 of 2\nOffset:\n 1  3  5  7\n 9 11 13 15\n\n");
}

/* A layout without a formula says so with the names of its own axes; copies occur only if there are
 * any. */
static void text_says_where_there_is_no_formula(void **state) {
    (void)state;
    char *text = print_case(&text_output, &cases[2], &plain);
    expect_part(text,
                "\nRow: no formula: the value is not a sum or XOR of masked and shifted offset\n"
                "Col: no formula: the value is not a sum or XOR of masked and shifted offset\n");
    text = print_case(&text_output, &cases[8], &plain);
    expect_part(text,
                "\nPlace: no formula: the value is not a sum or XOR of masked and shifted n\n");
}

/* A layout with an architecture and evidence states them, as fragments do. */
static void text_has_the_source(void **state) {
    (void)state;
    struct report report = solve(&cases[0]);
    report.arch = 100;
    provenance_add(&report.observed.provenance, "gpu", "NVIDIA B200");
    char *text = print_with(&text_output, &report, 1, &plain);
    expect_part(text, "# by columns on sm_100\n# source: gpu (NVIDIA B200)\nOffset:\n");
}

/* Grids wider than a line are printed in blocks of columns: read here, number by number. */
static void wide_grids_are_printed_in_blocks(void **state) {
    (void)state;
    static const struct made_up wide = {
        .name = "wide",
        .from = {2, {{"row", 2}, {"col", 1024}}},
        .to = {1, {{"offset", 2048}}},
        .place = by_columns,
        .forward = {"(row & 1) + ((col & 1023) << 1)"},
    };
    struct report report = solve(&wide);
    const struct view view = view_of_report(&report);
    struct printer printer = {.text = NULL};
    grids_print(&printer, &view, 0, &(struct grid_style){.cells = false}, 0);
    char *next = strstr(printer_string(&printer), "columns 0 to 511:\n");
    assert_non_null(next);
    for (unsigned first = 0; first < 1024; first += 512) {
        char title[32];
        snprintf(title, sizeof title, "columns %u to %u:\n", first, first + 511);
        assert_memory_equal(next, title, strlen(title));
        next += strlen(title);
        for (unsigned row = 0; row < 2; row++) {
            for (unsigned col = first; col < first + 512; col++)
                assert_int_equal(strtoul(next, &next, 10), row + 2 * col);
            assert_int_equal(*next++, '\n');
        }
    }
    assert_string_equal(next, "\n");
}

/* ---- Questions ---- */

/* True if the last or first coordinates of the point are those that are asked for. */
static bool is_asked(const uint32_t *point, const uint32_t *asked, uint32_t count) {
    return memcmp(point, asked, count * sizeof *point) == 0;
}

/* True if the target is an offset in memory. */
static bool has_offsets(const struct made_up *made_up) {
    return strcmp(made_up->to.axis[0].name, "offset") == 0;
}

/* Asks by target for each of its points: the answers are the entries that lead there, in order. */
static void check_target(const struct report *report, const struct made_up *made_up) {
    uint32_t wanted[MAPPING_AXES_MAX], from[MAPPING_AXES_MAX], to[MAPPING_AXES_MAX];
    uint32_t axes = made_up->to.count;
    for (size_t place = 0; place < mapping_space_size(&made_up->to); place++) {
        struct question question = {
            .kind = ASK_TARGET, .count = axes, .is_of_offset = has_offsets(made_up)};
        struct answer answer;
        size_t position = 0;
        uint32_t copy = 0;
        mapping_space_point(&made_up->to, place, wanted);
        for (uint32_t a = 0; a < axes; a++)
            question.ranges[a] = (struct range){wanted[a], wanted[a]};
        for (size_t n = 0; n < mapping_space_size(&made_up->from); n++) {
            mapping_space_point(&made_up->from, n, from);
            made_up->place(from, to);
            if (!is_asked(to, wanted, axes))
                continue;
            assert_true(question_next(&question, report, &position, &answer));
            assert_memory_equal(answer.source, from, made_up->from.count * sizeof *from);
            assert_memory_equal(answer.target, to, axes * sizeof *to);
            assert_int_equal(answer.copy, copy++);
        }
        assert_false(question_next(&question, report, &position, &answer));
    }
}

/* Asks by source for each value of its first axis: the answers are the entries that have it. */
static void check_source(const struct report *report, const struct made_up *made_up) {
    uint32_t from[MAPPING_AXES_MAX], to[MAPPING_AXES_MAX];
    for (uint32_t first = 0; first < made_up->from.axis[0].size; first++) {
        struct question question = {.kind = ASK_SOURCE, .count = 1, .ranges = {{first, first}}};
        struct answer answer;
        size_t position = 0;
        for (size_t n = 0; n < mapping_space_size(&made_up->from); n++) {
            mapping_space_point(&made_up->from, n, from);
            made_up->place(from, to);
            if (!is_asked(from, &first, 1))
                continue;
            assert_true(question_next(&question, report, &position, &answer));
            assert_memory_equal(answer.source, from, made_up->from.count * sizeof *from);
            assert_memory_equal(answer.target, to, made_up->to.count * sizeof *to);
        }
        assert_false(question_next(&question, report, &position, &answer));
    }
}

/* Asks for ranges of the first axes of the source, or of the last ones of the target: the answers
 * are the entries inside, each once. */
static void check_ranges(const struct report *report, const struct made_up *made_up,
                         enum question_kind kind) {
    const struct mapping_space *space = kind == ASK_TARGET ? &made_up->to : &made_up->from;
    struct question question = {.kind = kind,
                                .count = 1 + random_below(space->count),
                                .is_of_offset = kind == ASK_TARGET && has_offsets(made_up)};
    const uint32_t first = kind == ASK_TARGET ? space->count - question.count : 0;
    uint32_t from[MAPPING_AXES_MAX], to[MAPPING_AXES_MAX];
    struct answer answer;
    for (uint32_t r = 0; r < question.count; r++) {
        struct range *range = &question.ranges[r];
        range->first = random_below(space->axis[first + r].size);
        range->last = random_below(5) == 0
                          ? UINT32_MAX
                          : range->first + random_below(space->axis[first + r].size - range->first);
    }
    size_t found = 0, inside = 0;
    for (size_t n = 0; n < mapping_space_size(&made_up->from); n++) {
        mapping_space_point(&made_up->from, n, from);
        made_up->place(from, to);
        const uint32_t *point = (kind == ASK_TARGET ? to : from) + first;
        uint32_t r = 0;
        while (r < question.count && question.ranges[r].first <= point[r] &&
               point[r] <= question.ranges[r].last)
            r++;
        inside += r == question.count;
    }
    uint64_t last = 0;
    for (size_t position = 0; question_next(&question, report, &position, &answer); found++) {
        made_up->place(answer.source, to);
        assert_memory_equal(answer.target, to, made_up->to.count * sizeof *to);
        const uint32_t *point = kind == ASK_TARGET ? answer.target : answer.source;
        for (uint32_t r = 0; r < question.count; r++)
            assert_true(question.ranges[r].first <= point[first + r] &&
                        point[first + r] <= question.ranges[r].last);
        uint64_t number = mapping_space_number(space, point) * UINT64_C(1000) + answer.copy;
        assert_true(found == 0 || last < number);
        last = number;
    }
    assert_int_equal(found, inside);
}

static void questions_are_answered_both_ways(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        struct report report = solve(&cases[c]);
        check_target(&report, &cases[c]);
        check_source(&report, &cases[c]);
        for (int n = 0; n < 100; n++)
            check_ranges(&report, &cases[c], n % 2 ? ASK_TARGET : ASK_SOURCE);
    }
}

/* Answers, and refusals, in the names of the axes. */
static void answers_name_the_axes(void **state) {
    (void)state;
    static const struct {
        int made_up;
        enum question_kind kind;
        const char *ranges, *answers;
    } asked[] = {
        {1, ASK_TARGET, "9", "# Sw<3,0,3> o 0 o (8,8):(8,1)\noffset  9: row  1, col  0\n"},
        {3, ASK_TARGET, "1,2,0", "# two blocks\nhalf 1, line  2, slot  0: row  6, col  0\n"},
        {3, ASK_SOURCE, "6,*",
         "# two blocks\nrow  6, col  0: half 1, line  2, slot  0\n"
         "row  6, col  1: half 1, line  2, slot  1\n"},
        {4, ASK_SOURCE, "31,3", "# a load\ntid 31, i  3: lane 15, column  7\n"},
        {5, ASK_TARGET, "9",
         "# banks\nbank  9: c  1, s  1 (copy 0)\nbank  9: c  9, s  0 (copy 1)\n"
         "bank  9: c 17, s  3 (copy 2)\nbank  9: c 25, s  2 (copy 3)\n"},
        {6, ASK_SOURCE, "2", "# backwards\nn  2: place  5\n"},
    };
    for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
        const bool is_of_offset =
            asked[a].kind == ASK_TARGET && has_offsets(&cases[asked[a].made_up]);
        struct style style = {.question = {.kind = asked[a].kind, .is_of_offset = is_of_offset}};
        assert_true(question_parse(asked[a].ranges, 1, MAPPING_AXES_MAX, &style.question, NULL));
        char *text = print_case(&text_output, &cases[asked[a].made_up], &style);
        assert_string_equal(text, asked[a].answers);
    }
    static const struct {
        const char *ranges, *sentence;
    } refused[] = {
        {"2,0,0", "two blocks has no half 2; the last one is half 1"},
        {"4,0", "two blocks has no line 4; the last one is line 3"},
        {"0,0,0,0", "two blocks has only the coordinates HALF,LINE,SLOT; give at most 3 numbers"},
    };
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
        struct question question = {.kind = ASK_TARGET};
        struct mapping_error error;
        assert_true(question_parse(refused[r].ranges, 1, MAPPING_AXES_MAX, &question, NULL));
        assert_int_equal(
            question_check(&question, cases[3].name, &cases[3].from, &cases[3].to, &error),
            MAPPING_INVALID);
        assert_string_equal(error.message, refused[r].sentence);
    }
}

/* ---- JSON ---- */

/* Reads the numbers of the member "map", which are the coordinates of each entry in turn. */
static void check_json_map(const char *json, const struct made_up *made_up) {
    const char *next = strstr(json, "\"map\":"), *end = strstr(json, "\"formulae\":");
    uint32_t from[MAPPING_AXES_MAX], to[MAPPING_AXES_MAX];
    assert_non_null(next);
    assert_non_null(end);
    for (size_t n = 0; n < mapping_space_size(&made_up->from); n++) {
        mapping_space_point(&made_up->from, n, from);
        made_up->place(from, to);
        for (uint32_t c = 0; c < made_up->to.count; c++) {
            next += strcspn(next, "0123456789");
            assert_true(next < end);
            char *behind;
            assert_int_equal(strtoul(next, &behind, 10), to[c]);
            next = behind;
        }
    }
    assert_true(next + strcspn(next, "0123456789") >= end);
}

/* Every bracket and quote has its other half. */
static void check_json_brackets(const char *json) {
    char open[64];
    size_t depth = 0;
    bool quoted = false;
    for (const char *c = json; *c; c++) {
        if (*c == '"')
            quoted = !quoted;
        else if (!quoted && (*c == '{' || *c == '[') && depth < sizeof open)
            open[depth++] = *c;
        else if (!quoted && (*c == '}' || *c == ']'))
            assert_true(depth > 0 && open[--depth] == (*c == '}' ? '{' : '['));
    }
    assert_false(quoted);
    assert_int_equal(depth, 0);
}

static void json_has_the_layout(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        char *json = print_case(&json_output, &cases[c], &plain);
        check_json_map(json, &cases[c]);
        check_json_brackets(json);
    }
}

static void json_names_the_axes(void **state) {
    (void)state;
    char *json = print_case(&json_output, &cases[1], &plain);
    assert_int_equal(
        strncmp(json, "{\"kind\":\"memory\",\"layout\":\"Sw<3,0,3> o 0 o (8,8):(8,1)\",", 56), 0);
    expect_part(json, "\"rows\":8,\"cols\":8,");
    expect_part(json, "\"copies\":1");
    expect_part(json, "\"coordinates\":[\"offset\"]");
    expect_part(json, "\"map\":[\n  [0,1,2,3,4,5,6,7],\n  [9,8,11,10,13,12,15,14],");
    expect_part(json, "\"formulae\":{\"offset\":\"(row & 7) ^ ((row & 7) << 3) ^ (col & 7)\"}");
    expect_part(json, "\"inverse\":{\"row\":\"((offset & 56) >> 3)\","
                      "\"col\":\"(offset & 7) ^ ((offset & 56) >> 3)\"}");
    assert_null(strstr(json, "\"arch\""));
    assert_null(strstr(json, "\"source\""));
    json = print_case(&json_output, &cases[7], &plain);
    expect_part(json, "\"inputs\":[\"x\",\"y\",\"z\"]");
    expect_part(json, "\"coordinates\":[\"p\",\"q\",\"r\",\"s\"]");
    json = print_case(&json_output, &cases[8], &plain);
    expect_part(json, "\"map\":[0,3,6,2,5,1,4],");
    expect_part(json, "\"formulae\":{\"place\":null}");
}

static void json_answers_questions(void **state) {
    (void)state;
    struct style style = {
        .question = {.kind = ASK_TARGET, .is_of_offset = true, .count = 1, .ranges = {{9, 9}}}};
    char *json = print_case(&json_output, &cases[5], &style);
    expect_part(json, "\"answers\":[\n  {\"bank\":9,\"copy\":0,\"c\":1,\"s\":1},\n"
                      "  {\"bank\":9,\"copy\":1,\"c\":9,\"s\":0},\n");
    check_json_brackets(json);
}

/* ---- CSV ---- */

/* Lines of a text: calls for each in turn, NULL from the end on. */
static const char *next_line(const char **text, char line[512]) {
    size_t length = strcspn(*text, "\n");
    if (!**text)
        return NULL;
    assert_true(length < 512);
    memcpy(line, *text, length);
    line[length] = '\0';
    *text += length + 1;
    return line;
}

/* The two last axes of the target precede the copy, the others follow it. */
static void csv_has_a_line_for_each_entry(void **state) {
    (void)state;
    for (size_t c = 0; c < CASES; c++) {
        const struct made_up *made_up = &cases[c];
        struct report report = solve(made_up);
        report.arch = 100;
        snprintf(report.name, sizeof report.name, "name");
        char *csv = print_with(&csv_output, &report, 1, &plain), line[512], expected[512];
        const char *text = csv;
        uint32_t from[MAPPING_AXES_MAX], to[MAPPING_AXES_MAX], axes = made_up->to.count;
        uint32_t seen[64] = {0};
        assert_non_null(next_line(&text, line)); /* the header */
        for (size_t n = 0; n < mapping_space_size(&made_up->from); n++) {
            mapping_space_point(&made_up->from, n, from);
            made_up->place(from, to);
            int length = snprintf(expected, sizeof expected, "sm_100,name");
#define APPEND(...)                                                                                \
    length += snprintf(expected + length, sizeof expected - (size_t)length, __VA_ARGS__)
            for (uint32_t a = 0; a < made_up->from.count; a++)
                APPEND(",%u", from[a]);
            for (uint32_t a = axes > 2 ? axes - 2 : 0; a < axes; a++)
                APPEND(",%u", to[a]);
            size_t place = mapping_space_number(&made_up->to, to);
            APPEND(",%u", mapping_layout_copies(&report.forward.layout) > 1 ? seen[place]++ : 0);
            for (uint32_t a = 0; a + 2 < axes; a++)
                APPEND(",%u", to[a]);
            APPEND(",\"\"");
            assert_string_equal(next_line(&text, line), expected);
        }
        assert_null(next_line(&text, line));
    }
}

static void csv_names_the_axes(void **state) {
    (void)state;
    static const char *const headers[CASES] = {
        [0] = "arch,layout,row,col,offset,copy,source\n",
        [3] = "arch,layout,row,col,line,slot,copy,half,source\n",
        [5] = "arch,layout,c,s,bank,copy,source\n",
        [7] = "arch,layout,x,y,z,r,s,copy,p,q,source\n",
    };
    for (size_t c = 0; c < CASES; c++) {
        char *csv = print_case(&csv_output, &cases[c], &plain);
        if (headers[c])
            assert_int_equal(strncmp(csv, headers[c], strlen(headers[c])), 0);
    }
}

/* A name with commas is in quotes, and rows without an architecture have none. */
static void csv_quotes_names(void **state) {
    (void)state;
    struct style style = {.question = {.kind = ASK_SOURCE, .count = 2, .ranges = {{1, 1}, {0, 0}}}};
    char *csv = print_case(&csv_output, &cases[1], &style);
    assert_string_equal(csv, "arch,layout,row,col,offset,copy,source\n"
                             ",\"Sw<3,0,3> o 0 o (8,8):(8,1)\",1,0,9,0,\"\"\n");
}

/* Several layouts with different axes: each line has all columns, empty for axes that it does not
 * have. */
static void csv_joins_different_spaces(void **state) {
    (void)state;
    struct report reports[2] = {solve(&cases[0]), solve(&cases[4])};
    struct style style = {.question = {.kind = ASK_SOURCE, .count = 2, .ranges = {{1, 1}, {3, 3}}}};
    reports[0].arch = reports[1].arch = 100;
    char *csv = print_with(&csv_output, reports, 2, &style);
    assert_string_equal(csv, "arch,layout,row,col,tid,i,offset,lane,column,copy,source\n"
                             "sm_100,by columns,1,3,,,7,,,0,\"\"\n"
                             "sm_100,a load,,,1,3,,8,3,0,\"\"\n");
}

/* ---- Markdown ---- */

static void markdown_shows_the_grids_of_text(void **state) {
    (void)state;
    char *text = print_case(&markdown_output, &cases[0], &plain);
    assert_string_equal(text, "### by columns\n\n"
                              "| offset | 0 | 1 | 2 | 3 |\n"
                              "| --- | --- | --- | --- | --- |\n"
                              "| **0** | 0 | 2 | 4 | 6 |\n"
                              "| **1** | 1 | 3 | 5 | 7 |\n\n"
                              "| | formula |\n| --- | --- |\n"
                              "| offset | `(row & 1) + ((col & 3) << 1)` |\n"
                              "| row | `(offset & 1)` |\n"
                              "| col | `((offset & 6) >> 1)` |\n");
    text = print_case(&markdown_output, &cases[3], &plain);
    expect_part(text, "| half 1, row:col | 0 | 1 |\n| --- | --- | --- |\n| **0** | 4:0 | 4:1 |\n");
    expect_part(text, "| half | `((row & 4) >> 2)` |\n");
    text = print_case(&markdown_output, &cases[5], &plain);
    expect_part(text, "| **29** | 29 | 21 | 13 | 5 |\n");
    text = print_case(&markdown_output, &cases[8], &plain);
    expect_part(text, "| place | no formula |\n| n | no formula |\n");
}

static void markdown_answers_questions(void **state) {
    (void)state;
    struct style style = {
        .question = {.kind = ASK_TARGET, .is_of_offset = true, .count = 1, .ranges = {{9, 9}}}};
    char *text = print_case(&markdown_output, &cases[1], &style);
    assert_string_equal(text, "### Sw<3,0,3> o 0 o (8,8):(8,1)\n\n"
                              "| offset | copy | row | col |\n| --- | --- | --- | --- |\n"
                              "| 9 | 0 | 1 | 0 |\n");
}

/* --detail is about instructions, and --brief leaves formulae: neither harms. */
static void details_are_of_fragments_alone(void **state) {
    (void)state;
    const struct style detailed = {.detail = true};
    for (size_t o = 0; output_at(o); o++) {
        if (output_at(o) == &csv_output || output_at(o) == &cute_output)
            continue; /* one has the same columns, the other a type in C++ for all */
        char *without = print_case(output_at(o), &cases[3], &plain);
        char *with = print_case(output_at(o), &cases[3], &detailed);
        assert_string_equal(with, without);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulae_are_deduced_both_ways),
        cmocka_unit_test(what_cannot_be_inverted_is_refused),
        cmocka_unit_test(text_shows_the_target_of_each_source),
        cmocka_unit_test(text_shows_who_is_at_each_place_of_a_plane),
        cmocka_unit_test(text_shows_parts_of_the_source),
        cmocka_unit_test(text_says_where_there_is_no_formula),
        cmocka_unit_test(text_has_the_source),
        cmocka_unit_test(wide_grids_are_printed_in_blocks),
        cmocka_unit_test(questions_are_answered_both_ways),
        cmocka_unit_test(answers_name_the_axes),
        cmocka_unit_test(json_has_the_layout),
        cmocka_unit_test(json_names_the_axes),
        cmocka_unit_test(json_answers_questions),
        cmocka_unit_test(csv_has_a_line_for_each_entry),
        cmocka_unit_test(csv_names_the_axes),
        cmocka_unit_test(csv_quotes_names),
        cmocka_unit_test(csv_joins_different_spaces),
        cmocka_unit_test(markdown_shows_the_grids_of_text),
        cmocka_unit_test(markdown_answers_questions),
        cmocka_unit_test(details_are_of_fragments_alone),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    arena_begin();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    memory_release();
    return failed;
}
