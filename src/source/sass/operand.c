/* operand.c - operands as nvdisasm prints them; see operand.h. */
#include "source/sass/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* If text starts with `prefix` and goes on with a number or with `zero`, reads the register's index
 * (`zero` is `last`) and returns what follows; else NULL. */
static const char *read_index(const char *text, const char *prefix, const char *zero, int last,
                              int *index) {
    size_t length = strlen(prefix);
    if (strncmp(text, prefix, length) != 0)
        return NULL;
    text += length;
    if (*zero && *text == *zero && !isalnum((unsigned char)text[1]) && text[1] != '_') {
        *index = last;
        return text + 1;
    }
    if (!isdigit((unsigned char)*text))
        return NULL;
    char *end;
    long number = strtol(text, &end, 10);
    if (number >= last)
        return NULL;
    *index = (int)number;
    return end;
}

/* Reads 0x10 or -0x10. Returns what follows, or NULL. */
static const char *read_hexadecimal(const char *text, uint32_t *value) {
    bool negative = *text == '-';
    text += negative;
    if (strncmp(text, "0x", 2) != 0 || !isxdigit((unsigned char)text[2]))
        return NULL;
    char *end;
    unsigned long number = strtoul(text, &end, 16);
    if (number > UINT32_MAX)
        return NULL;
    *value = negative ? 0 - (uint32_t)number : (uint32_t)number;
    return end;
}

/* Reads the inside of [R4.64+UR6+0x10]; `text` is behind the opening bracket. */
static bool read_address(const char *text, struct operand *operand) {
    operand->kind = OPERAND_ADDRESS;
    operand->index = operand->uniform = NO_REGISTER;
    for (;;) {
        const char *end;
        int index;
        if (operand->index == NO_REGISTER && (end = read_index(text, "R", "Z", 255, &index))) {
            operand->index = index;
            if (strncmp(end, ".64", 3) == 0) {
                operand->wide = true;
                end += 3;
            }
        } else if (operand->uniform == NO_REGISTER &&
                   (end = read_index(text, "UR", "Z", 255, &index))) {
            operand->uniform = index;
        } else if (operand->value == 0 && (end = read_hexadecimal(text, &operand->value))) {
        } else {
            return false;
        }
        if (strcmp(end, "]") == 0)
            return true;
        if (*end != '+')
            return false;
        text = end + 1;
    }
}

static bool read_constant(const char *text, struct operand *operand) {
    operand->kind = OPERAND_CONSTANT;
    const char *end = read_hexadecimal(text, &operand->bank);
    if (!end || strncmp(end, "][", 2) != 0)
        return false;
    end = read_hexadecimal(end + 2, &operand->value);
    return end && strcmp(end, "]") == 0;
}

/* True if there is nothing left but a hint to the register cache. */
static bool at_end(const char *end) {
    return end && (*end == '\0' || strcmp(end, ".reuse") == 0);
}

/* Reads `(.L_x_0) and cuts the name out of it. */
static bool read_label(char *text, struct operand *operand) {
    size_t length = strlen(text);
    operand->kind = OPERAND_LABEL;
    operand->text = text + 2;
    if (length < 4 || text[1] != '(' || text[length - 1] != ')')
        return false;
    text[length - 1] = '\0';
    return true;
}

/* Reads R4, -UR6, !P0, B1 and the like. */
static bool read_register(const char *text, struct operand *operand) {
    static const struct {
        const char *prefix, *zero;
        int last;
        enum operand_kind kind;
    } files[] = {
        {"R", "Z", ZERO_REGISTER, OPERAND_REGISTER},
        {"UR", "Z", ZERO_REGISTER, OPERAND_UNIFORM},
        {"P", "T", TRUE_PREDICATE, OPERAND_PREDICATE},
        {"UP", "T", TRUE_PREDICATE, OPERAND_UNIFORM_PREDICATE},
        {"B", "", 32, OPERAND_BARRIER},
    };
    operand->negated = *text == '-';
    operand->inverted = *text == '!' || *text == '~';
    text += operand->negated || operand->inverted;
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        operand->kind = files[f].kind;
        if (at_end(
                read_index(text, files[f].prefix, files[f].zero, files[f].last, &operand->index)))
            return true;
    }
    return false;
}

static bool read_number(const char *text, struct operand *operand) {
    operand->kind = OPERAND_IMMEDIATE;
    if (at_end(read_hexadecimal(text, &operand->value)))
        return true;
    char *end;
    operand->kind = OPERAND_NUMBER;
    operand->number = strtod(text, &end);
    return end != text && *end == '\0';
}

struct operand operand_read(char *text) {
    struct operand operand = {.text = text};
    const char *inner;
    bool understood;
    if (*text == '`')
        understood = read_label(text, &operand);
    else if (strncmp(text, "SR_", 3) == 0)
        return (struct operand){.kind = OPERAND_SPECIAL, .text = text};
    else if (strncmp(text, "c[", 2) == 0)
        understood = read_constant(text + 2, &operand);
    else if (strncmp(text, "desc[", 5) == 0) /* says how to access, not where */
        understood = (inner = read_index(text + 5, "UR", "Z", ZERO_REGISTER, &operand.index)) &&
                     strncmp(inner, "][", 2) == 0 && read_address(inner + 2, &operand);
    else if (*text == '[')
        understood = read_address(text + 1, &operand);
    else
        understood = read_number(text, &operand) || read_register(text, &operand);
    return understood ? operand : (struct operand){.kind = OPERAND_OTHER, .text = text};
}
