/* expression.h - evaluates C expressions of numbers, names, & << >> + ^ and parentheses.
 *
 * Formulae are tested as they are printed, and nothing of the code under test evaluates them. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "mapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct expression {
    const char *next;
    const struct mapping_variable *variables;
    const uint32_t *x;
    size_t count;
};

static uint32_t parse_level(struct expression *e, int level);

static void skip_blanks(struct expression *e) {
    e->next += strspn(e->next, " ");
}

static uint32_t parse_atom(struct expression *e) {
    skip_blanks(e);
    if (*e->next == '(') {
        e->next++;
        uint32_t value = parse_level(e, 0);
        skip_blanks(e);
        assert_int_equal(*e->next, ')');
        e->next++;
        return value;
    }
    if (*e->next >= '0' && *e->next <= '9') {
        char *end;
        uint32_t value = (uint32_t)strtoul(e->next, &end, 10);
        e->next = end;
        return value;
    }
    for (size_t v = 0; v < e->count; v++) {
        size_t length = strlen(e->variables[v].name);
        if (strncmp(e->next, e->variables[v].name, length) == 0) {
            e->next += length;
            return e->x[v];
        }
    }
    fail_msg("cannot parse: %s", e->next);
    return 0;
}

/* Levels of precedence as in C, the loosest first. */
static uint32_t parse_level(struct expression *e, int level) {
    static const char *const operators[][2] = {{"^", "^"}, {"&", "&"}, {"<<", ">>"}, {"+", "+"}};
    if (level == 4)
        return parse_atom(e);
    uint32_t value = parse_level(e, level + 1);
    for (;;) {
        skip_blanks(e);
        const char *operator= NULL;
        for (int o = 0; o < 2; o++)
            if (strncmp(e->next, operators[level][o], strlen(operators[level][o])) == 0)
                operator= operators[level][o];
        if (!operator)
            return value;
        e->next += strlen(operator);
        uint32_t right = parse_level(e, level + 1);
        value = *operator== '^'    ? value ^ right
                : * operator== '&' ? value & right
                : * operator== '+' ? value + right
                : * operator== '<' ? value << right
                                   : value>> right;
    }
}

static inline uint32_t evaluate(const char *text, const struct mapping_variable *variables,
                                size_t count, const uint32_t *x) {
    struct expression e = {text, variables, x, count};
    uint32_t value = parse_level(&e, 0);
    assert_string_equal(e.next, "");
    return value;
}

#endif
