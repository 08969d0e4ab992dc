/* shorten_test.c - short expressions: right at every entry, of as many operators as they say, and
 * where that is called proved, a brute force finds none with fewer.
 *
 * Expressions are read and evaluated here, by a parser of all operators, as int and as unsigned.
 * The brute force makes all tables bottom-up, in the plainest way, for 4 threads of 2 elements and
 * small constants. */
#include "layout/search.h"
#include "layout/shorten.h"
#include "mapping.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- The operators of C ---- */

struct number {
    int64_t value;
    bool is_unsigned, is_good;
};

static struct number number_of(int64_t value, bool is_unsigned, bool is_good) {
    if (is_unsigned)
        value &= UINT32_MAX;
    is_good = is_good && (is_unsigned || (value >= INT32_MIN && value <= INT32_MAX));
    return (struct number){value, is_unsigned, is_good};
}

static struct number divided(struct number a, struct number b, bool rest, bool is_unsigned) {
    if (b.value == 0)
        return (struct number){0, is_unsigned, false};
    return number_of(rest ? a.value % b.value : a.value / b.value, is_unsigned, true);
}

static struct number shifted(struct number a, struct number b, bool left) {
    if (b.value < 0 || b.value > 31 || a.value < 0)
        return (struct number){0, a.is_unsigned, false};
    int64_t factor = INT64_C(1) << b.value;
    return number_of(left ? a.value * factor : a.value / factor, a.is_unsigned, true);
}

static struct number related(int64_t a, int64_t b, const char *operation) {
    bool result = false;
    if (strcmp(operation, "<") == 0)
        result = a < b;
    else if (strcmp(operation, ">") == 0)
        result = a > b;
    else if (strcmp(operation, "<=") == 0)
        result = a <= b;
    else if (strcmp(operation, ">=") == 0)
        result = a >= b;
    else if (strcmp(operation, "==") == 0)
        result = a == b;
    else if (strcmp(operation, "!=") == 0)
        result = a != b;
    else
        result = strcmp(operation, "&&") == 0 ? a && b : a || b;
    return (struct number){result, false, true};
}

static struct number apply(const char *operation, struct number a, struct number b) {
    bool is_good = a.is_good && b.is_good, is_unsigned = a.is_unsigned || b.is_unsigned;
    if (!is_good)
        return (struct number){0, false, false};
    if (*operation != '\0' && strchr("<>", *operation) && operation[1] == *operation)
        return shifted(a, b, *operation == '<');
    if (is_unsigned) {
        a.value &= UINT32_MAX;
        b.value &= UINT32_MAX;
    }
    switch (operation[1] ? '?' : *operation) {
    case '+':
        return number_of(a.value + b.value, is_unsigned, true);
    case '-':
        return number_of(a.value - b.value, is_unsigned, true);
    case '*':
        if (is_unsigned)
            return number_of((int64_t)(uint32_t)((uint64_t)a.value * (uint64_t)b.value), true,
                             true);
        return number_of(a.value * b.value, false, true);
    case '/':
        return divided(a, b, false, is_unsigned);
    case '%':
        return divided(a, b, true, is_unsigned);
    case '&':
        return number_of(a.value & b.value, is_unsigned, true);
    case '|':
        return number_of(a.value | b.value, is_unsigned, true);
    case '^':
        return number_of(a.value ^ b.value, is_unsigned, true);
    default:
        return related(a.value, b.value, operation);
    }
}

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

/* Reads an operator of the level; NULL if there is none, or a longer one begins so. */
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
        value = apply(operation, value, read_level(r, level + 1));
    return value;
}

/* ---- What is claimed ---- */

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

static uint32_t random_number(void) {
    static uint32_t state = 2463534242;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static bool is_slow(void) {
    return getenv("VALGRIND") != NULL;
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

static const char *const all_operators[] = {"+",  "-", "*", "/",  "%",  "&",  "|",  "^",  "<<",
                                            ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};

static void add_binary(const char *operation, struct table a, struct table b) {
    struct table result = {{0}};
    for (int k = 0; k < SMALL; k++) {
        struct number x = {a.value[k], false, true}, y = {b.value[k], false, true};
        struct number z = apply(operation, x, y);
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
        uint32_t value;
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
        {{2, {{"tid", 32}, {"i", 4}}}, "i + (tid << 2)", "tid * 4 + i", 2, true},
        {{2, {{"tid", 32}, {"i", 4}}}, "(tid & 6) >> 1", "tid % 8 / 2", 2, true},
        {{1, {{"tid", 32}}}, "(tid & 3) + ((tid & 16) >> 2)", "(tid & 19) % 12", 2, true},
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
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        uint32_t values[128] = {0};
        char text[128];
        unsigned operators;
        bool is_proved;
        tabulate(cases[c].given, &cases[c].space, values);
        assert_int_equal(mapping_shorten(&cases[c].space, values, SHORTEN_QUICK, text, sizeof text,
                                         &operators, &is_proved),
                         SHORTEN_FOUND);
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

/* What is proved is not undercut by brute force, and what brute force finds with up to two
 * operators is found. */
static void brute_force_agrees(void **state) {
    (void)state;
    unsigned proved = 0;
    for (unsigned n = 0; n < 125; n++) {
        uint32_t values[SMALL] = {0};
        char text[128];
        unsigned operators;
        bool is_proved;
        small_formula(n, values);
        assert_int_equal(mapping_shorten(&small, values, SHORTEN_QUICK, text, sizeof text,
                                         &operators, &is_proved),
                         SHORTEN_FOUND);
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

/* ---- The search, of expressions that are there ---- */

/* 8 threads of 2 elements, which are all lanes. */
static const struct mapping_space lanes = {2, {{"tid", 8}, {"i", 2}}};

static struct table_of_lanes {
    struct number value[SEARCH_LANES];
    bool is_good;
} random_tree(unsigned operators) {
    struct table_of_lanes tree = {.is_good = true}, left, right;
    uint32_t point[MAPPING_AXES_MAX], leaf = random_number();
    for (size_t k = 0; k < SEARCH_LANES && operators == 0; k++) {
        mapping_space_point(&lanes, k, point);
        uint32_t constant = leaf & 8 ? leaf >> 8 & 255 : leaf >> 8 & 15;
        tree.value[k] = (struct number){leaf & 1 ? point[leaf >> 1 & 1] : constant, false, true};
    }
    if (operators == 0)
        return tree;
    unsigned split = random_number() % operators;
    const char *operation =
        all_operators[random_number() % (sizeof all_operators / sizeof *all_operators)];
    left = random_tree(split);
    right = random_tree(operators - 1 - split);
    for (size_t k = 0; k < SEARCH_LANES; k++) {
        tree.value[k] = apply(operation, left.value[k], right.value[k]);
        if (leaf % 8 == 0 && split == operators - 1) /* unary */
            tree.value[k] = number_of(leaf & 64 ? -left.value[k].value : ~left.value[k].value,
                                      false, left.value[k].is_good);
        tree.is_good = tree.is_good && tree.value[k].is_good;
    }
    return tree;
}

/* How many expressions were found, and whether all are right. */
struct findings {
    const struct search *search;
    unsigned count;
    bool is_right;
};

static struct number value_of(const struct search *search, const struct search_tree *tree, int k) {
    static const char *const names[SEARCH_OPERATORS] = {
        [SEARCH_MULTIPLY] = "*",       [SEARCH_DIVIDE] = "/",
        [SEARCH_REMAINDER] = "%",      [SEARCH_ADD] = "+",
        [SEARCH_SUBTRACT] = "-",       [SEARCH_SHIFT_LEFT] = "<<",
        [SEARCH_SHIFT_RIGHT] = ">>",   [SEARCH_LESS] = "<",
        [SEARCH_GREATER] = ">",        [SEARCH_LESS_EQUAL] = "<=",
        [SEARCH_GREATER_EQUAL] = ">=", [SEARCH_EQUAL] = "==",
        [SEARCH_NOT_EQUAL] = "!=",     [SEARCH_AND] = "&",
        [SEARCH_EXCLUSIVE] = "^",      [SEARCH_OR] = "|",
        [SEARCH_BOTH] = "&&",          [SEARCH_EITHER] = "||"};
    if (tree->operation == SEARCH_CONSTANT)
        return (struct number){tree->value, false, true};
    if (tree->operation == SEARCH_VARIABLE)
        return (struct number){search->variable[tree->value][k], false, true};
    struct number left = value_of(search, tree->left, k);
    if (tree->operation == SEARCH_NEGATE)
        return number_of(-left.value, false, left.is_good);
    if (tree->operation == SEARCH_COMPLEMENT)
        return number_of(~left.value, false, left.is_good);
    if (tree->operation == SEARCH_NOT)
        return number_of(left.value == 0, false, left.is_good);
    return apply(names[tree->operation], left, value_of(search, tree->right, k));
}

static bool count_finding(void *context, const struct search_tree *tree) {
    struct findings *findings = context;
    findings->count++;
    for (int k = 0; k < SEARCH_LANES; k++) {
        struct number value = value_of(findings->search, tree, k);
        findings->is_right =
            findings->is_right && value.is_good && value.value == findings->search->target[k];
    }
    return findings->count > 1000;
}

/* Makes the search of a table. False if the table is not what can be searched. */
static bool search_of(const struct table_of_lanes *table, struct search *search) {
    uint32_t point[MAPPING_AXES_MAX];
    bool differs = false, is_good = table->is_good;
    int greatest = 0;
    *search = (struct search){.variables = 2, .all = INT32_MAX, .found = count_finding};
    for (int k = 0; k < SEARCH_LANES; k++) {
        is_good = is_good && table->value[k].value >= 0;
        differs = differs || table->value[k].value != table->value[0].value;
        greatest = table->value[k].value > table->value[greatest].value ? k : greatest;
    }
    for (int k = 0; k < SEARCH_LANES && is_good; k++) {
        int entry = k == 0 ? greatest : k == greatest ? 0 : k;
        mapping_space_point(&lanes, (size_t)entry, point);
        search->target[k] = (int32_t)table->value[entry].value;
        search->variable[0][k] = (int32_t)point[0];
        search->variable[1][k] = (int32_t)point[1];
        search->any |= search->target[k];
        search->all &= search->target[k];
        is_good = is_good && (search->target[k] <= 255 || random_number() % 4 == 0);
    }
    return is_good && differs;
}

/* True if the target is a variable. */
static bool is_variable(const struct search *search) {
    return memcmp(search->target, search->variable[0], sizeof search->target) == 0 ||
           memcmp(search->target, search->variable[1], sizeof search->target) == 0;
}

/* An expression with so many operators is found, or a shorter one, and what is found is right. */
static void search_finds(unsigned operators, unsigned rounds) {
    while (rounds > 0) {
        struct search search;
        struct table_of_lanes table = random_tree(operators);
        if (!search_of(&table, &search) || is_variable(&search))
            continue;
        struct findings findings = {&search, 0, true};
        search.context = &findings;
        for (unsigned level = 1; level <= operators && findings.count == 0; level++)
            assert_int_not_equal(mapping_search_run(&search, level), SEARCH_FAILED);
        assert_true(findings.count > 0);
        assert_true(findings.is_right);
        rounds--;
    }
}

/* Random expressions with all constants of one byte are found again. LONG=1 goes to the end. */
static void search_misses_nothing(void **state) {
    (void)state;
    search_finds(1, is_slow() ? 20 : 3000);
    search_finds(2, is_slow() ? 2 : 1500);
    if (!is_slow())
        search_finds(3, getenv("LONG") ? 300 : 12);
    if (getenv("LONG"))
        search_finds(4, 10);
}

/* The thorough search finds what the quick one does not, and proves it. */
static void thorough_search_goes_further(void **state) {
    (void)state;
    static const struct mapping_space space = {2, {{"tid", 32}, {"i", 4}}};
    static const char *const given = "((i & 2) << 2) + ((tid & 28) >> 2)";
    uint32_t values[128] = {0};
    char text[128];
    unsigned operators;
    bool is_proved;
    if (is_slow())
        return;
    tabulate(given, &space, values);
    assert_int_equal(mapping_shorten(&space, values, SHORTEN_THOROUGH, text, sizeof text,
                                     &operators, &is_proved),
                     SHORTEN_FOUND);
    assert_string_equal(text, "tid / 4 + i / 2 * 8");
    assert_int_equal(operators, 4);
    assert_true(is_proved);
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

static void random_formulae_are_right(void **state) {
    (void)state;
    unsigned found = 0;
    for (unsigned round = 0; round < (is_slow() ? 4 : 200); round++) {
        const struct mapping_space space = {3,
                                            {{"row", 1 + random_number() % 3},
                                             {"tid", 1 + random_number() % 40},
                                             {"i", 1 + random_number() % 20}}};
        uint32_t values[3 * 40 * 20] = {0};
        char text[2048];
        unsigned operators;
        bool is_proved;
        random_values(&space, round, values);
        enum shorten_result result = mapping_shorten(&space, values, SHORTEN_QUICK, text,
                                                     sizeof text, &operators, &is_proved);
        found += result == SHORTEN_FOUND;
        assert_true(result == SHORTEN_FOUND || (result == SHORTEN_CANONICAL && !is_proved));
        if (result == SHORTEN_FOUND && !is_right(text, operators, &space, values))
            fail_msg("%u operators, wrong: %s", operators, text);
    }
    assert_true(is_slow() || found > 160);
}

/* What is wrong is noticed: another constant, operator or axis, a number of operators, a claim. */
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

/* Nothing is claimed of what cannot be, and nothing is written where there is no room. */
static void limits_are_respected(void **state) {
    (void)state;
    static const struct mapping_space space = {1, {{"tid", 4}}};
    char text[64] = "untouched";
    unsigned operators;
    bool is_proved = true;
    const uint32_t none[] = {0, 1, 2, 5};
    assert_int_equal(
        mapping_shorten(&space, none, SHORTEN_QUICK, text, sizeof text, &operators, &is_proved),
        SHORTEN_NO_FORMULA);
    assert_false(is_proved);
    const uint32_t great[] = {0, 1U << 31, 1, (1U << 31) + 1};
    assert_int_equal(
        mapping_shorten(&space, great, SHORTEN_QUICK, text, sizeof text, &operators, &is_proved),
        SHORTEN_CANONICAL);
    assert_string_equal(text, "((tid & 1) << 31) + ((tid & 2) >> 1)");
    assert_int_equal(operators, 5);
    assert_false(is_proved);
    const uint32_t half[] = {0, 0, 1, 1};
    assert_int_equal(mapping_shorten(&space, half, SHORTEN_QUICK, text, 7, &operators, &is_proved),
                     SHORTEN_NO_ROOM);
    assert_int_equal(mapping_shorten(&space, half, SHORTEN_QUICK, text, 8, &operators, &is_proved),
                     SHORTEN_FOUND);
    assert_string_equal(text, "tid / 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parser_reads_c),
        cmocka_unit_test(short_ones_are_found),
        cmocka_unit_test(brute_force_agrees),
        cmocka_unit_test(search_misses_nothing),
        cmocka_unit_test(thorough_search_goes_further),
        cmocka_unit_test(random_formulae_are_right),
        cmocka_unit_test(wrong_claims_are_noticed),
        cmocka_unit_test(limits_are_respected),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, make_tables, free_tables);
}
