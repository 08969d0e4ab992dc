/* shorten_test.c - short expressions: they are right at every entry, and have as many operators as
 * stated. If an expression is called proved, brute force finds none with fewer operators.
 *
 * A parser of all operators in this file evaluates expressions, as int and as unsigned. The brute
 * force makes all tables bottom-up, without optimization, for 4 threads of 2 elements and small
 * constants.
 *
 * Expected values: brute force over small spaces; an evaluator of its own. */
#include "layout/c_operators.h"
#include "layout/found_again.h"
#include "sample.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* NOLINTNEXTLINE(bugprone-suspicious-include): its parts are tested, too. */
#include "layout/shorten.c"

/* ---- A parser of C expressions ---- */

struct reader {
    const char *next;
    const struct mapping_space *space;
    const uint32_t *point;
    bool is_unsigned;
    unsigned operators;
    int64_t greatest; /* constant */
};

/* The levels of precedence, the loosest first. */
static const char *const levels[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};

#define LEVELS (sizeof levels / sizeof *levels)

static struct number read_level(struct reader *r, size_t level);

static void skip_blanks(struct reader *r) {
    r->next += strspn(r->next, " ");
}

static struct number read_name(struct reader *r) {
    for (uint32_t a = 0; a < r->space->count; a++) {
        size_t length = strlen(r->space->axis[a].name);
        if (strncmp(r->next, r->space->axis[a].name, length) == 0 &&
            !isalnum((unsigned char)r->next[length])) {
            r->next += length;
            return (struct number){r->point[a], r->is_unsigned, true};
        }
    }
    fail_msg("cannot read: %s", r->next);
    return (struct number){0, false, false};
}

static struct number read_unary(struct reader *r) {
    skip_blanks(r);
    char first = *r->next;
    if (first == '(') {
        r->next++;
        struct number inside = read_level(r, 0);
        skip_blanks(r);
        assert_int_equal(*r->next++, ')');
        return inside;
    }
    if (first == '-' || first == '~' || first == '!') {
        r->next++;
        r->operators++;
        struct number x = read_unary(r);
        if (first == '!')
            return (struct number){x.value == 0, false, x.is_good};
        return number_of(first == '-' ? -x.value : ~x.value, x.is_unsigned, x.is_good);
    }
    if (!isdigit((unsigned char)first))
        return read_name(r);
    char *end;
    int64_t value = strtoll(r->next, &end, 10);
    r->next = end;
    r->greatest = value > r->greatest ? value : r->greatest;
    return (struct number){value, false, true};
}

/* Reads an operator of the level; NULL if there is none, or if a longer operator begins with it. */
static const char *read_operator(struct reader *r, size_t level) {
    skip_blanks(r);
    size_t length = strcspn(r->next, " ");
    for (int o = 0; o < 5 && levels[level][o]; o++)
        if (strlen(levels[level][o]) == length && strncmp(r->next, levels[level][o], length) == 0) {
            r->next += length;
            r->operators++;
            return levels[level][o];
        }
    return NULL;
}

static struct number read_level(struct reader *r, size_t level) {
    if (level == LEVELS)
        return read_unary(r);
    struct number value = read_level(r, level + 1);
    const char *operation;
    while ((operation = read_operator(r, level)) != NULL)
        value = applied(operation, value, read_level(r, level + 1));
    return value;
}

/* ---- Claims ---- */

/* True if the text has the values at all points, as int and as unsigned, that many operators, and
 * constants of one byte. */
static bool is_right(const char *text, unsigned operators, const struct mapping_space *space,
                     const uint32_t *values) {
    uint32_t point[MAPPING_AXES_MAX];
    for (size_t n = 0; n < mapping_space_size(space); n++) {
        mapping_space_point(space, n, point);
        for (int is_unsigned = 0; is_unsigned < 2; is_unsigned++) {
            struct reader r = {text, space, point, is_unsigned, 0, 0};
            struct number value = read_level(&r, 0);
            if (*r.next != '\0' || !value.is_good || (uint32_t)value.value != values[n] ||
                r.operators != operators || r.greatest > 255)
                return false;
        }
    }
    return true;
}

static void tabulate(const char *text, const struct mapping_space *space, uint32_t *values) {
    uint32_t point[MAPPING_AXES_MAX];
    for (size_t n = 0; n < mapping_space_size(space); n++) {
        mapping_space_point(space, n, point);
        struct reader r = {text, space, point, false, 0, 0};
        values[n] = (uint32_t)read_level(&r, 0).value;
    }
}

/* ---- Brute force ---- */

#define SMALL 8      /* entries: 4 threads of 2 elements */
#define CONSTANTS 16 /* and constants 0 to 15 */
#define SLOTS (1 << 22)

static const struct mapping_space small = {2, {{"tid", 4}, {"i", 2}}};

struct table {
    int64_t value[SMALL];
};

/* All tables, by the number of operators that they need at least: level l is
 * table[first[l] .. first[l + 1]). */
static struct table *tables;
static uint32_t *slots;
static size_t table_count, first_of[5];

static uint32_t *slot_of(const struct table *table) {
    uint64_t sum = 0;
    for (int k = 0; k < SMALL; k++)
        sum = (sum + (uint64_t)table->value[k]) * UINT64_C(6364136223846793005) + 1;
    size_t at = sum >> 42;
    while (slots[at] && memcmp(&tables[slots[at] - 1], table, sizeof *table) != 0)
        at = (at + 1) % SLOTS;
    return &slots[at];
}

static void add_table(const struct table *table) {
    uint32_t *slot = slot_of(table);
    if (*slot == 0) {
        assert_true(table_count < SLOTS / 2);
        tables[table_count++] = *table;
        *slot = (uint32_t)table_count;
    }
}

static void add_binary(const char *operation, struct table a, struct table b) {
    struct table result = {{0}};
    for (int k = 0; k < SMALL; k++) {
        struct number x = {a.value[k], false, true}, y = {b.value[k], false, true};
        struct number z = applied(operation, x, y);
        if (!z.is_good)
            return;
        result.value[k] = z.value;
    }
    add_table(&result);
}

static void add_unary(struct table a) {
    struct table minus = {{0}}, not = {{0}}, complement = {{0}};
    bool is_good = true;
    for (int k = 0; k < SMALL; k++) {
        minus.value[k] = -a.value[k];
        complement.value[k] = ~a.value[k];
        not .value[k] = a.value[k] == 0;
        is_good = is_good && minus.value[k] <= INT32_MAX;
    }
    if (is_good)
        add_table(&minus);
    add_table(&complement);
    add_table(&not );
}

static void make_level(int level) {
    first_of[level] = table_count;
    for (size_t a = first_of[level - 1]; a < first_of[level]; a++)
        add_unary(tables[a]);
    for (int left = 0; left < level; left++)
        for (size_t a = first_of[left]; a < first_of[left + 1]; a++)
            for (size_t b = first_of[level - 1 - left]; b < first_of[level - left]; b++)
                for (size_t o = 0; o < sizeof all_operators / sizeof *all_operators; o++)
                    add_binary(all_operators[o], tables[a], tables[b]);
    first_of[level + 1] = table_count;
}

static void make_leaves(void) {
    uint32_t point[MAPPING_AXES_MAX];
    for (int64_t leaf = -2; leaf < CONSTANTS; leaf++) {
        struct table table;
        for (size_t k = 0; k < SMALL; k++) {
            mapping_space_point(&small, k, point);
            table.value[k] = leaf < 0 ? point[leaf + 2] : leaf;
        }
        add_table(&table);
    }
    first_of[1] = table_count;
}

static int make_tables(void **state) {
    (void)state;
    tables = malloc(SLOTS / 2 * sizeof *tables);
    slots = calloc(SLOTS, sizeof *slots);
    assert_non_null(tables);
    assert_non_null(slots);
    make_leaves();
    make_level(1);
    if (!is_slow())
        make_level(2);
    return 0;
}

static int free_tables(void **state) {
    (void)state;
    free(tables);
    free(slots);
    return 0;
}

/* How many operators the table needs with small constants; one more than has been tried if that is
 * not enough. */
static unsigned least_operators(const uint32_t *values) {
    struct table table;
    unsigned levels_made = is_slow() ? 2 : 3;
    for (int k = 0; k < SMALL; k++)
        table.value[k] = values[k];
    size_t place = *slot_of(&table);
    for (unsigned level = 0; level < levels_made; level++)
        if (place > 0 && place <= first_of[level + 1])
            return level;
    return levels_made;
}

/* ---- Tests ---- */

/* The parser knows what C knows. */
static void parser_reads_c(void **state) {
    (void)state;
    static const struct mapping_space one = {1, {{"x", 1}}};
    static const struct {
        const char *text;
        int32_t value;
    } cases[] = {
        {"1 + 2 * 3", 1 + 2 * 3}, {"7 - 2 - 1", 7 - 2 - 1}, {"1 << 2 << 1", 8},
        {"6 & 3 + 1", 4},         {"1 | 6 ^ 2 & 3", 5},     {"5 % 3 * 2", 4},
        {"-7 / 2", -3},           {"-7 % 2", -1},           {"~5 & 15", 10},
        {"!0 + 1 < 3 == 1", 1},   {"2 || 0 && 0", 1},       {"3 > 2 && 2 >= 3", 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t value = 0;
        tabulate(cases[c].text, &one, &value);
        assert_int_equal((int32_t)value, cases[c].value);
    }
}

/* Shortest expressions that are plain to see, and one that is not. */
static void short_ones_are_found(void **state) {
    (void)state;
    static const struct {
        struct mapping_space space;
        const char *given, *expected;
        unsigned operators;
        bool is_proved;
    } cases[] = {
        {{2, {{"tid", 32}, {"i", 4}}}, "i & 3", "i", 0, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "0", "0", 0, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "255", "255", 0, true},
        {{2, {{"tid", 32}, {"i", 1}}}, "i", "0", 0, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "256", "1 << 8", 1, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "tid & 3", "tid % 4", 1, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "(tid & 28) >> 2", "tid / 4", 1, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "tid & 5", "tid & 5", 1, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "i ^ 1", "i ^ 1", 1, true},
        {{2, {{"tid", 32}, {"i", 8}}}, "i | 5", "i | 5", 1, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "i + (tid << 2)", "tid * 4 + i", 2, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "(tid & 6) >> 1", "tid % 8 / 2", 2, true},
        {{1, {{"tid", 32}}}, "(tid & 3) + ((tid & 16) >> 2)", "(tid & 19) % 12", 2, true},
        {{1, {{"tid", 1024}}}, "(tid & 512) >> 9", "tid >> 9", 1, true},
        {{4, {{"block", 2}, {"row", 8}, {"col", 4}, {"copy", 2}}},
         "row + (copy << 3)",
         "row + copy * 8",
         2,
         true},
        {{2, {{"tid", 32}, {"i", 4}}},
         "((i & 2) << 2) + ((tid & 28) >> 2)",
         "tid / 4 + i / 2 * 8",
         4,
         false},
        /* 514 may be had for less in another way */
        {{1, {{"tid", 1024}}}, "tid & 514", "tid & (2 + (2 << 8))", 3, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t values[1024] = {0};
        char text[128];
        unsigned operators = 0;
        bool is_proved = false;
        tabulate(cases[c].given, &cases[c].space, values);
        assert_true(shorten_values(&cases[c].space, values, SHORTEN_QUICK, text, sizeof text,
                                   &operators, &is_proved));
        assert_string_equal(text, cases[c].expected);
        assert_int_equal(operators, cases[c].operators);
        assert_int_equal(is_proved, cases[c].is_proved);
        assert_true(is_right(text, operators, &cases[c].space, values));
    }
}

/* Makes table number n of all in which each bit contributes nothing or a power of two. */
static void small_formula(unsigned n, uint32_t values[SMALL]) {
    static const uint32_t contribution[] = {0, 1, 2, 4, 8};
    uint32_t point[MAPPING_AXES_MAX];
    for (size_t k = 0; k < SMALL; k++) {
        mapping_space_point(&small, k, point);
        values[k] = (point[0] & 1) * contribution[n % 5] +
                    (point[0] >> 1) * contribution[n / 5 % 5] + point[1] * contribution[n / 25];
    }
}

/* Brute force finds nothing shorter than a formula that is proved shortest; formulae that it finds
 * with up to two operators are found, too. */
static void brute_force_agrees(void **state) {
    (void)state;
    unsigned proved = 0;
    for (unsigned n = 0; n < 125; n++) {
        uint32_t values[SMALL] = {0};
        char text[128];
        unsigned operators = 0;
        bool is_proved = false;
        small_formula(n, values);
        assert_true(shorten_values(&small, values, SHORTEN_QUICK, text, sizeof text, &operators,
                                   &is_proved));
        assert_true(is_right(text, operators, &small, values));
        unsigned least = least_operators(values);
        unsigned tried = is_slow() ? 1 : 2; /* operators; of more, only that they are needed */
        assert_true(!is_proved || least >= operators || (is_slow() && least > tried));
        assert_true(least > tried || operators <= least);
        assert_true(operators > 3 || is_proved);
        proved += is_proved;
    }
    assert_true(proved > 60 && proved < 125);
}

/* Random expressions with all constants of one byte are found again. THOROUGH=2 tries many. */
static void search_misses_nothing(void **state) {
    (void)state;
    search_finds(1, 1, 3000 / (unsigned)one_in(5, 150));
    search_finds(2, 1, 1500 / (unsigned)one_in(10, 750));
    if (!is_slow())
        search_finds(3, 1, thoroughness() > 1 ? 300 : 12 / (unsigned)one_in(4, 12));
}

/* The thorough search, which only `make prove` uses, finds an expression that the quick one does
 * not find, and proves it. In the second formula, it must refute this expression, which is right at
 * the entries that are compared first:
 *
 *     (152 + (38 + (81 * 179 << 8) << 8)) % (tid | 44)
 *
 * The two take four and eight seconds, so they need THOROUGH=1. */
static void thorough_search_goes_further(void **state) {
    (void)state;
    static const struct {
        struct mapping_space space;
        const char *given, *text;
    } cases[] = {
        {{2, {{"tid", 8}, {"i", 4}}}, "((i & 2) << 2) + ((tid & 28) >> 2)", "tid / 4 + i / 2 * 8"},
        {{2, {{"tid", 32}, {"i", 8}}},
         "(i & 2) + (tid & 1) + ((tid & 16) >> 2)",
         "(tid & 17) % 6 + (i & 2)"},
    };
    for (size_t c = 0; c < 2 && thoroughness() > 0 && !is_slow(); c++) {
        uint32_t values[256] = {0};
        char text[128];
        unsigned operators = 0;
        bool is_proved = false;
        tabulate(cases[c].given, &cases[c].space, values);
        assert_true(shorten_values(&cases[c].space, values, SHORTEN_THOROUGH, text, sizeof text,
                                   &operators, &is_proved));
        assert_string_equal(text, cases[c].text);
        assert_int_equal(operators, 4);
        assert_true(is_proved);
    }
}

/* A formula with contributions of any kind; '^' in every second. */
static void random_values(const struct mapping_space *space, unsigned round, uint32_t *values) {
    uint32_t contribution[3][6], point[MAPPING_AXES_MAX];
    uint32_t constant = round % 4 < 2 ? 0 : random_number() & (round % 8 < 4 ? 0xfff : 15);
    for (int a = 0; a < 3; a++)
        for (int bit = 0; bit < 6; bit++)
            contribution[a][bit] = round % 5 == 0        ? random_number() & 0xffff
                                   : random_number() % 3 ? 1U << random_number() % 9
                                                         : 0;
    for (size_t n = 0; n < mapping_space_size(space); n++) {
        mapping_space_point(space, n, point);
        values[n] = constant;
        for (int a = 0; a < 3; a++)
            for (int bit = 0; bit < 6; bit++)
                if (point[a] >> bit & 1)
                    values[n] = round & 1 ? values[n] ^ contribution[a][bit]
                                          : values[n] + contribution[a][bit];
    }
}

/* True if the text is the canonical formula. */
static bool is_canonical(const char *text, const struct mapping_space *space,
                         const uint32_t *values) {
    struct mapping_formula formula;
    char canonical[4096];
    assert_true(mapping_deduce(space, values, &formula));
    mapping_formula_print(&formula, space, canonical, sizeof canonical);
    return strcmp(text, canonical) == 0;
}

static void random_formulae_are_right(void **state) {
    (void)state;
    unsigned found = 0;
    const unsigned rounds = 200 / (unsigned)one_in(4, 50);
    for (unsigned round = 0; round < rounds; round++) {
        const struct mapping_space space = {3,
                                            {{"row", 1 + random_number() % 3},
                                             {"tid", 1 + random_number() % 40},
                                             {"i", 1 + random_number() % 20}}};
        uint32_t values[3 * 40 * 20] = {0};
        char text[2048] = "";
        unsigned operators = 0;
        bool is_proved = false;
        random_values(&space, round, values);
        assert_true(shorten_values(&space, values, SHORTEN_QUICK, text, sizeof text, &operators,
                                   &is_proved));
        if (is_right(text, operators, &space, values))
            found++;
        else if (is_proved || !is_canonical(text, &space, values))
            fail_msg("%u operators, wrong: %s", operators, text);
    }
    assert_true(is_slow() || found * 5 > rounds * 4);
}

/* A sum of 14 terms, more than plan_sum() takes at once: the bits of row and tid, in reverse. */
static void many_terms_are_planned(void **state) {
    (void)state;
    enum { BITS = 14, POINTS = 1 << BITS };
    static const struct mapping_space space = {2, {{"row", 128}, {"tid", 128}}};
    static uint32_t values[POINTS];
    char text[1024];
    unsigned operators;
    bool is_proved;
    for (uint32_t n = 0; n < POINTS; n++)
        for (unsigned bit = 0; bit < BITS; bit++)
            values[n] |= (n >> bit & 1) << (BITS - 1 - bit);
    assert_true(
        shorten_values(&space, values, SHORTEN_QUICK, text, sizeof text, &operators, &is_proved));
    assert_true(is_right(text, operators, &space, values));
    assert_true(operators < 40); /* of 14 masks, 13 shifts and 13 sums */
}

/* Errors are noticed: another constant, operator or axis, a wrong number of operators, a wrong
 * claim. */
static void wrong_claims_are_noticed(void **state) {
    (void)state;
    static const struct mapping_space space = {2, {{"tid", 32}, {"i", 4}}};
    uint32_t values[128] = {0};
    tabulate("tid / 4 + i / 2 * 8", &space, values);
    assert_true(is_right("tid / 4 + i / 2 * 8", 4, &space, values));
    assert_true(is_right("(tid >> 2) + ((i >> 1) << 3)", 4, &space, values));
    assert_false(is_right("tid / 4 + i / 2 * 8", 3, &space, values));
    assert_false(is_right("tid / 4 + i / 2 * 7", 4, &space, values));
    assert_false(is_right("tid / 4 + i / 2 / 8", 4, &space, values));
    assert_false(is_right("i / 4 + tid / 2 * 8", 4, &space, values));
    assert_false(is_right("tid * 256 / 1024 + i / 2 * 8", 5, &space, values));
    /* of int, but not of unsigned: -1 / 2 is 0 */
    tabulate("(tid - 1) / 32", &space, values);
    assert_false(is_right("(tid - 1) / 32", 2, &space, values));
    /* undefined where tid is 0, or i is 3 */
    for (size_t n = 0; n < 128; n++)
        values[n] = 0;
    assert_false(is_right("0 / tid", 1, &space, values));
    assert_false(is_right("0 << i - 3", 2, &space, values));
    /* brute force knows the least */
    uint32_t sum[SMALL] = {0};
    tabulate("tid * 2 + i", &small, sum);
    assert_int_equal(least_operators(sum), 2);
    tabulate("tid % 2", &small, sum);
    assert_int_equal(least_operators(sum), 1);
}

/* No claim is made for values without a formula, and nothing is written if there is no room. */
static void limits_are_respected(void **state) {
    (void)state;
    static const struct mapping_space space = {1, {{"tid", 4}}};
    char text[64] = "untouched";
    unsigned operators = 0;
    bool is_proved = true;
    const uint32_t none[] = {0, 1, 2, 5};
    assert_false(
        shorten_values(&space, none, SHORTEN_QUICK, text, sizeof text, &operators, &is_proved));
    assert_false(is_proved);
    const uint32_t great[] = {0, 1U << 31, 1, (1U << 31) + 1};
    assert_true(
        shorten_values(&space, great, SHORTEN_QUICK, text, sizeof text, &operators, &is_proved));
    assert_string_equal(text, "((tid & 1) << 31) + ((tid & 2) >> 1)");
    assert_int_equal(operators, 5);
    assert_false(is_proved);
    const uint32_t half[] = {0, 0, 1, 1};
    assert_false(shorten_values(&space, half, SHORTEN_QUICK, text, 7, &operators, &is_proved));
    assert_true(shorten_values(&space, half, SHORTEN_QUICK, text, 8, &operators, &is_proved));
    assert_string_equal(text, "tid / 2");
}

/* ---- Pieces ---- */

static const struct mapping_space lane_and_element = {2, {{"tid", 8}, {"i", 4}}};

/* Reads operands and operators in the order of a stack machine: "tid 3 +". */
static const struct tree *read_words(const char *words) {
    const struct tree *stack[16] = {NULL};
    unsigned depth = 0;
    char word[8];
    for (int length; sscanf(words, "%7s%n", word, &length) == 1; words += length) {
        unsigned operation = 0;
        while (operation < C_OPERATORS && strcmp(word, operator_names[operation]) != 0)
            operation++;
        if (operation == C_OPERATORS)
            stack[depth++] = isdigit((unsigned char)*word)
                                 ? make(TREE_CONSTANT, atoi(word), NULL, NULL)
                                 : make(TREE_VARIABLE, strcmp(word, "i") == 0, NULL, NULL);
        else if (operation < C_MULTIPLY)
            stack[depth - 1] = make(operation, 0, stack[depth - 1], NULL);
        else {
            depth--;
            stack[depth - 1] = make(operation, 0, stack[depth - 1], stack[depth]);
        }
    }
    assert_int_equal(depth, 1);
    return stack[0];
}

/* Words, and the text that they become. */
static void check_texts(const char *const (*cases)[2], size_t count) {
    for (size_t c = 0; c < count; c++) {
        struct writer w;
        write_tree(&w, &lane_and_element, read_words(cases[c][0]));
        assert_string_equal(w.text, cases[c][1]);
    }
    memory_release();
}

/* Parentheses are where C needs them, and where compilers warn that they are missing. */
static void parentheses_are_where_they_have_to_be(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"tid i < 3 <", "(tid < i) < 3"},
        {"tid 3 i < ==", "tid == (3 < i)"},
        {"tid i && 3 ||", "(tid && i) || 3"},
        {"tid i || 3 &&", "(tid || i) && 3"},
        {"tid i || 3 ||", "tid || i || 3"},
        {"tid i < 3 ||", "tid < i || 3"},
        {"tid i < ~", "~(tid < i)"},
        {"tid ~ i &", "~tid & i"},
        {"tid ~ ~", "~(~tid)"},
        {"tid i + 3 <<", "(tid + i) << 3"},
        {"tid i - 3 |", "(tid - i) | 3"},
        {"tid i & 3 |", "(tid & i) | 3"},
        {"tid i & 3 &", "tid & i & 3"},
        {"tid i == 3 &", "(tid == i) & 3"},
        {"tid i * 3 -", "tid * i - 3"},
        {"tid i 3 - -", "tid - (i - 3)"},
        {"tid i + 3 <", "tid + i < 3"},
        {"tid i << 3 +", "(tid << i) + 3"},
    };
    check_texts(cases, sizeof cases / sizeof *cases);
}

/* Operands of + and the like are sorted by their first axis, constants last, an axis before terms
 * that contain it. */
static void operands_go_by_axes(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"i tid +", "tid + i"},
        {"3 i ^ tid ^", "tid ^ i ^ 3"},
        {"i 7 tid - +", "7 - tid + i"},
        {"i tid 3 & ^", "(tid & 3) ^ i"},
        {"i tid ~ +", "~tid + i"},
        {"i i 7 tid - % +", "i % (7 - tid) + i"},
        {"tid 3 & tid +", "tid + (tid & 3)"},
        {"i tid -", "i - tid"},
    };
    check_texts(cases, sizeof cases / sizeof *cases);
}

/* Constants beyond a byte, and how many operators they take. */
static void constants_are_made_of_small_ones(void **state) {
    (void)state;
    static const struct mapping_space one = {1, {{"x", 1}}};
    static const struct {
        int64_t constant;
        unsigned operators;
    } cases[] = {
        {0, 0},     {255, 0}, {256, 1},   {257, 1},   {510, 1},     {511, 1},    {1000, 1},
        {65025, 1}, {521, 2}, {65537, 3}, {65792, 2}, {1 << 30, 1}, {131584, 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct writer w;
        const uint32_t value = (uint32_t)cases[c].constant;
        const struct tree *tree = make_constant(cases[c].constant);
        write_tree(&w, &one, tree);
        assert_int_equal(w.cost / OPERATOR_COST, cases[c].operators);
        if (!is_right(w.text, cases[c].operators, &one, &value))
            fail_msg("%s is not %lld", w.text, (long long)cases[c].constant);
    }
    memory_release();
}

/* An expression offered for tid / 2 is used if it is right, as int and as unsigned, and better. */
static void offers_are_tried_at_every_entry(void **state) {
    (void)state;
    static const struct {
        const char *words;
        enum offer expected;
        size_t wrong;
    } cases[] = {
        {"1 tid << 1 - 7 tid - / tid 2 / +", OFFER_WRONG, 3}, /* and undefined at 7 */
        {"6 tid /", OFFER_WRONG, 0},                          /* undefined */
        {"tid 2 / tid 0 && 1 - 0 < + 1 -", OFFER_TAKEN, 0},   /* && is int */
        {"tid 2 / 8 tid 1 + % 0 * +", OFFER_TAKEN, 0},
        {"tid 3 /", OFFER_WRONG, 2},
        {"0 0 tid - 2 / -", OFFER_UNCLEAR, 0}, /* an unsigned tid gives other values */
        {"tid 2 / 2 / 2 *", OFFER_WRONG, 2},
        {"tid 2 / 0 +", OFFER_TAKEN, 0},
        {"tid 2 / 0 |", OFFER_NOT_BETTER, 0}, /* harder to read */
        {"tid 2 / 1 *", OFFER_NOT_BETTER, 0},
        {"tid 2 /", OFFER_TAKEN, 0},
        {"tid 2 /", OFFER_NOT_BETTER, 0},
        {"tid 1 >>", OFFER_NOT_BETTER, 0},
        {"tid 2 / 0 +", OFFER_NOT_BETTER, 0},
    };
    static struct task task;
    struct mapping_formula formula;
    assert_true(mapping_formula_parse("((tid & 6) >> 1)", &lane_and_element, &formula));
    assert_true(init_task(&task, &lane_and_element, &formula));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct writer w;
        size_t wrong = 0;
        if (offer(&task, read_words(cases[c].words), &w, &wrong) != cases[c].expected ||
            (cases[c].expected == OFFER_WRONG && wrong != cases[c].wrong))
            fail_msg("%s: %zu", cases[c].words, wrong);
    }
    assert_string_equal(task.written.text, "tid / 2");
    memory_release();
}

/* With long names, no expression exceeds the buffer. */
static void long_names_are_used_seldom(void **state) {
    (void)state;
    char name[601] = "";
    const struct mapping_space space = {1, {{name, 32}}};
    unsigned found = 0;
    for (size_t length = 100; length < sizeof name; length += 100) {
        uint32_t values[32];
        char text[4096];
        unsigned operators = 0;
        bool is_proved = false;
        memset(name, 'x', length);
        for (uint32_t n = 0; n < 32; n++)
            values[n] = (n & 3) + (n & 16) * 2 + (n & 8) * 16;
        assert_true(shorten_values(&space, values, SHORTEN_QUICK, text, sizeof text, &operators,
                                   &is_proved));
        if (is_canonical(text, &space, values))
            continue;
        found++;
        assert_true(strlen(text) < TEXT_SIZE);
        assert_true(is_right(text, operators, &space, values));
    }
    assert_true(found > 0 && found < 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parser_reads_c),
        cmocka_unit_test(short_ones_are_found),
        cmocka_unit_test(brute_force_agrees),
        cmocka_unit_test(search_misses_nothing),
        cmocka_unit_test(thorough_search_goes_further),
        cmocka_unit_test(random_formulae_are_right),
        cmocka_unit_test(many_terms_are_planned),
        cmocka_unit_test(wrong_claims_are_noticed),
        cmocka_unit_test(limits_are_respected),
        cmocka_unit_test(parentheses_are_where_they_have_to_be),
        cmocka_unit_test(operands_go_by_axes),
        cmocka_unit_test(constants_are_made_of_small_ones),
        cmocka_unit_test(offers_are_tried_at_every_entry),
        cmocka_unit_test(long_names_are_used_seldom),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_tables, free_tables);
}
