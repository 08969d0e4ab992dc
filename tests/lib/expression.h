/* expression.h - evaluates C expressions of numbers, names, & << >> + ^ and parentheses.
 *
 * Tests evaluate formulae as they are printed, without using the code under test. */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "catalogue/fragment.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct expression {
    const char *next;
    const struct mapping_space *space;
    const uint32_t *point;
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
    for (uint32_t a = 0; a < e->space->count; a++) {
        size_t length = strlen(e->space->axis[a].name);
        if (strncmp(e->next, e->space->axis[a].name, length) == 0 &&
            !isalnum((unsigned char)e->next[length])) {
            e->next += length;
            return e->point[a];
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
        const char *word = NULL;
        for (int o = 0; o < 2; o++)
            if (strncmp(e->next, operators[level][o], strlen(operators[level][o])) == 0)
                word = operators[level][o];
        if (!word)
            return value;
        e->next += strlen(word);
        uint32_t right = parse_level(e, level + 1);
        value = *word == '^'   ? value ^ right
                : *word == '&' ? value & right
                : *word == '+' ? value + right
                : *word == '<' ? value << right
                               : value >> right;
    }
}

/* The value of an expression of the axes of a space at one of its points. */
static inline uint32_t evaluate(const char *text, const struct mapping_space *space,
                                const uint32_t *point) {
    struct expression e = {text, space, point};
    uint32_t value = parse_level(&e, 0);
    assert_string_equal(e.next, "");
    return value;
}

#endif
