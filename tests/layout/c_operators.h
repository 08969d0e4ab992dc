/* c_operators.h - the operators of C on int and unsigned, and the cases that C leaves undefined:
 * for tests of short expressions and of the search for them. */
#ifndef C_OPERATORS_H
#define C_OPERATORS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

static struct number applied(const char *operation, struct number a, struct number b) {
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

static const char *const all_operators[] = {"+",  "-", "*", "/",  "%",  "&",  "|",  "^",  "<<",
                                            ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};

#endif
