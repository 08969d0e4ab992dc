/* expression.c - from the text of an expression to the nodes of a program; see parser.h. */
#include "layout/ascii.h"
#include "layout/parser.h"

#include "layout/space.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is wrong ---- */

enum mapping_status mapping_point_at(const char *text, const char *place, const char *what,
                                     struct mapping_error *error) {
    enum { BEFORE = 50, AROUND = 74 };
    char line[AROUND + 1], pointer[BEFORE + 1];
    const char *start = place - text > BEFORE ? place - BEFORE : text;
    size_t length = 0;
    for (; length < AROUND && start[length]; length++)
        line[length] = (char)(isprint((unsigned char)start[length]) ? start[length]
                              : ascii_is_blank(start[length])       ? ' '
                                                                    : '?');
    line[length] = '\0';
    memset(pointer, ' ', sizeof pointer);
    return mapping_fail(error, MAPPING_INVALID, "%.300s:\n  %s\n  %.*s^", what, line,
                        (int)(place - start), pointer);
}

int mapping_fail_at(struct parser *parser, const char *place, const char *what) {
    mapping_point_at(parser->text, place, what, parser->error);
    return NONE;
}

/* ---- Words ---- */

const char *mapping_skip_blanks(const char *text) {
    for (;;) {
        text += strspn(text, " \t\r\n\v\f");
        if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
        } else if (text[0] == '/' && text[1] == '*' && strstr(text + 2, "*/")) {
            text = strstr(text + 2, "*/") + 2;
        } else {
            return text;
        }
    }
}

static bool is_letter(char c) {
    return ascii_is_letter(c) || c == '_';
}

size_t mapping_name_length(const char *text) {
    size_t length = 0;
    if (!is_letter(*text))
        return 0;
    while (is_letter(text[length]) || ascii_is_digit(text[length]))
        length++;
    return strncmp(text, "threadIdx.x", 11) == 0 ? 11 : length;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

bool mapping_take(struct parser *parser, const char *sign, const char *unless) {
    const char *text = mapping_skip_blanks(parser->next);
    size_t length = strlen(sign);
    if (strncmp(text, sign, length) != 0 || (text[length] && strchr(unless, text[length])))
        return false;
    parser->next = text + length;
    return true;
}

bool mapping_take_word(struct parser *parser, const char *word) {
    const char *text = mapping_skip_blanks(parser->next);
    if (!is_word(text, mapping_name_length(text), word))
        return false;
    parser->next = text + strlen(word);
    return true;
}

/* ---- Types ---- */

/* Types of one word. */
static const struct {
    const char *name;
    struct c_type type;
} type_words[] = {
    {"bool", {1, false}},      {"int8_t", {8, true}},     {"uint8_t", {8, false}},
    {"int16_t", {16, true}},   {"uint16_t", {16, false}}, {"int32_t", {32, true}},
    {"uint32_t", {32, false}}, {"int64_t", {64, true}},   {"uint64_t", {64, false}},
    {"size_t", {64, false}},   {"uint", {32, false}},     {"ptrdiff_t", {64, true}},
};

bool mapping_take_type(struct parser *parser, struct c_type *type) {
    bool is_unsigned = false, is_signed = false, found = false;
    uint8_t bits = 0;
    for (bool more = true; more;) {
        more = true;
        if (mapping_take_word(parser, "const") || mapping_take_word(parser, "constexpr") ||
            mapping_take_word(parser, "static") || mapping_take_word(parser, "volatile"))
            continue;
        if (mapping_take_word(parser, "unsigned"))
            is_unsigned = found = true;
        else if (mapping_take_word(parser, "signed"))
            is_signed = found = true;
        else if (mapping_take_word(parser, "long"))
            bits = 64, found = true;
        else if (mapping_take_word(parser, "short"))
            bits = 16, found = true;
        else if (mapping_take_word(parser, "char"))
            bits = 8, found = true;
        else if (mapping_take_word(parser, "int"))
            bits = bits ? bits : 32, found = true;
        else
            more = false;
    }
    *type = (struct c_type){bits || !(is_unsigned || is_signed) ? bits : 32, !is_unsigned};
    for (size_t w = 0; w < sizeof type_words / sizeof *type_words && !found; w++)
        if ((found = mapping_take_word(parser, type_words[w].name)))
            *type = type_words[w].type;
    if (!found && (found = mapping_take_word(parser, "auto")))
        *type = (struct c_type){0, true};
    while (found && mapping_take_word(parser, "const"))
        ;
    return found;
}

/* ---- Nodes ---- */

static int parse_unary(struct parser *parser);

int mapping_add_node(struct parser *parser, struct node node) {
    struct mapping_program *program = parser->program;
    if (program->nodes == NODES_MAX)
        return mapping_fail_at(parser, node.place, "the code is too long");
    program->node[program->nodes] = node;
    return (int)program->nodes++;
}

int mapping_add_operation(struct parser *parser, enum node_kind kind, char operation, int left,
                          int right, const char *place) {
    if (left == NONE || right == NONE)
        return NONE;
    return mapping_add_node(parser, (struct node){.kind = kind,
                                                  .operation = operation,
                                                  .child = {(uint16_t)left, (uint16_t)right},
                                                  .place = place});
}

static int add_cast(struct parser *parser, struct c_type type, int child, const char *place) {
    if (child == NONE)
        return NONE;
    if (type.bits == 0)
        return mapping_fail_at(parser, place, "a cast to auto is not possible");
    return mapping_add_node(
        parser,
        (struct node){.kind = NODE_CAST, .type = type, .child = {(uint16_t)child}, .place = place});
}

/* ---- Numbers and names ---- */

/* Reads what is behind the digits: u, l, ll in any order. False if it is something else. */
static bool take_suffix(struct parser *parser, bool *is_unsigned, unsigned *longs) {
    *is_unsigned = false;
    *longs = 0;
    for (;; parser->next++) {
        char c = ascii_lower(*parser->next);
        if (c == 'u' && !*is_unsigned)
            *is_unsigned = true;
        else if (c == 'l' && *longs < 2)
            ++*longs;
        else
            return !is_letter(*parser->next) && !ascii_is_digit(*parser->next) &&
                   *parser->next != '.';
    }
}

/* Reads digits of a base. False if there are none, or more than 64 bits hold. */
static bool take_digits(struct parser *parser, unsigned base, uint64_t *number) {
    const char *start = parser->next;
    for (*number = 0;; parser->next++) {
        char c = ascii_lower(*parser->next);
        unsigned digit = ascii_is_digit(c)    ? (unsigned)(c - '0')
                         : ascii_is_letter(c) ? (unsigned)(c - 'a') + 10
                                              : 99;
        if (c == '\'' && parser->next > start && isxdigit((unsigned char)parser->next[1]))
            continue;
        if (digit >= base)
            return parser->next > start;
        if (__builtin_mul_overflow(*number, (uint64_t)base, number) ||
            __builtin_add_overflow(*number, (uint64_t)digit, number))
            return false;
    }
}

/* A number has the first type of C that holds it; decimal ones are never unsigned by themselves. */
static struct c_type type_of_number(uint64_t number, bool is_decimal, bool is_unsigned,
                                    unsigned longs) {
    bool fits_int = number <= INT32_MAX && longs == 0;
    bool fits_unsigned = number <= UINT32_MAX && longs == 0 && (is_unsigned || !is_decimal);
    if (!is_unsigned && fits_int)
        return INT;
    if (fits_unsigned)
        return (struct c_type){32, false};
    return (struct c_type){64, !is_unsigned && number <= INT64_MAX};
}

static int parse_number(struct parser *parser) {
    const char *place = parser->next;
    unsigned base = 10, longs;
    bool is_unsigned;
    uint64_t number;
    if (place[0] == '0' && (place[1] == 'x' || place[1] == 'X'))
        base = 16, parser->next += 2;
    else if (place[0] == '0' && (place[1] == 'b' || place[1] == 'B'))
        base = 2, parser->next += 2;
    else if (place[0] == '0')
        base = 8;
    if (!take_digits(parser, base, &number) || !take_suffix(parser, &is_unsigned, &longs))
        return mapping_fail_at(parser, place, "not a C integer");
    return mapping_add_node(
        parser, (struct node){.kind = NODE_NUMBER,
                              .type = type_of_number(number, base == 10, is_unsigned, longs),
                              .value = (int64_t)number,
                              .place = place});
}

int mapping_program_find(const struct mapping_program *program, const char *name) {
    uint32_t n = program->names;
    while (n-- > 0) /* the name of an inner block hides those of outer ones */
        if (strcmp(program->name[n], name) == 0)
            return (int)n;
    return -1;
}

static int find_name(const struct mapping_program *program, const char *text, size_t length) {
    char name[NAME_LENGTH];
    if (length >= sizeof name)
        return -1;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    return mapping_program_find(program, name);
}

/* True if a name can be used here: its block has not ended, and it has been given a value. */
static bool is_usable(const struct mapping_program *program, uint32_t name) {
    for (uint32_t s = 0; s < program->statements && *program->name[name] != OUT_OF_SCOPE; s++)
        if (program->statement[s].name == name &&
            program->node[program->statement[s].node].kind != NODE_UNDEFINED)
            return true;
    return false;
}

int mapping_unknown_name(struct parser *parser, const char *place, size_t length) {
    const struct mapping_program *program = parser->program;
    char what[320];
    size_t used = (size_t)snprintf(what, sizeof what, "unknown name '%.*s'; known names:",
                                   (int)(length < 40 ? length : 40), place);
    for (uint32_t a = 0; a < program->from.count && used < sizeof what; a++) {
        const char *name = program->from.axis[a].name, *others = mapping_axis_names(name);
        used += (size_t)snprintf(what + used, sizeof what - used,
                                 *others ? "%s %s (%s%s)" : "%s %s", a ? "," : "", name, others,
                                 strcmp(name, MAPPING_AXIS_TID) == 0 ? "; warp" : "");
    }
    for (uint32_t n = 0; n < program->names && used < sizeof what; n++)
        if (is_usable(program, n))
            used += (size_t)snprintf(what + used, sizeof what - used, ", %s", program->name[n]);
    return mapping_fail_at(parser, place, what);
}

/* The thread in its warp, or the warp of the thread; NONE if the word is neither, or if the threads
 * are those of one warp, and the thread in it is the thread. */
static int parse_warp_name(struct parser *parser, const char *place, size_t length, uint32_t axis) {
    const uint32_t warp = parser->program->lanes;
    const struct mapping_axis *tid = &parser->program->from.axis[axis];
    bool is_lane = mapping_word_is_in(MAPPING_LANE_NAMES, place, length);
    bool is_warp = mapping_word_is_in(MAPPING_WARP_NAMES, place, length);
    if (strcmp(tid->name, MAPPING_AXIS_TID) != 0 || !(is_warp || (is_lane && tid->size > warp)))
        return NONE;
    int thread = mapping_add_node(
        parser, (struct node){.kind = NODE_INPUT, .type = INT, .value = axis, .place = place});
    int lanes = mapping_add_node(
        parser, (struct node){.kind = NODE_NUMBER, .type = INT, .value = warp, .place = place});
    return mapping_add_operation(parser, NODE_BINARY, is_warp ? '/' : '%', thread, lanes, place);
}

static int parse_name(struct parser *parser) {
    const char *place = parser->next;
    const struct mapping_space *from = &parser->program->from;
    size_t length = mapping_name_length(place);
    struct node node = {.kind = NODE_NAME, .type = INT, .place = place};
    parser->next += length;
    node.value = find_name(parser->program, place, length);
    if (node.value >= 0)
        return mapping_add_node(parser, node);
    if (is_word(place, length, "true") || is_word(place, length, "false")) {
        node.kind = NODE_NUMBER;
        node.type = BOOL;
        node.value = *place == 't';
        return mapping_add_node(parser, node);
    }
    for (uint32_t a = 0; a < from->count; a++) {
        int of_warp = parse_warp_name(parser, place, length, a);
        if (of_warp != NONE)
            return of_warp;
        if (mapping_axis_is_called(from->axis[a].name, place, length)) {
            node.kind = NODE_INPUT;
            node.value = a;
            node.type.is_signed = !is_word(place, length, "threadIdx.x");
            return mapping_add_node(parser, node);
        }
    }
    return mapping_unknown_name(parser, place, length);
}

/* ---- Operators ---- */

int mapping_close(struct parser *parser, int node, const char *sign) {
    char what[32];
    if (node == NONE || mapping_take(parser, sign, ""))
        return node;
    snprintf(what, sizeof what, "expected '%s'", sign);
    return mapping_fail_at(parser, mapping_skip_blanks(parser->next), what);
}

/* "int(x)", "static_cast<int>(x)" */
static int parse_call_cast(struct parser *parser, const char *place) {
    struct c_type type;
    if (mapping_take_word(parser, "static_cast")) {
        if (!mapping_take(parser, "<", "") || !mapping_take_type(parser, &type) ||
            !mapping_take(parser, ">", ""))
            return mapping_fail_at(parser, mapping_skip_blanks(parser->next),
                                   "expected a type, such as '<int>'");
    } else if (!mapping_take_type(parser, &type)) {
        return mapping_fail_at(parser, place, "expected a number, a name or '('");
    }
    if (!mapping_take(parser, "(", ""))
        return mapping_fail_at(parser, mapping_skip_blanks(parser->next), "expected '('");
    return add_cast(parser, type, mapping_close(parser, mapping_parse_condition(parser), ")"),
                    place);
}

static int parse_primary(struct parser *parser) {
    parser->next = mapping_skip_blanks(parser->next);
    const char *place = parser->next;
    struct parser ahead = *parser;
    struct c_type type;
    if (ascii_is_digit(*place))
        return parse_number(parser);
    if (mapping_take(parser, "(", ""))
        return mapping_close(parser, mapping_parse_condition(parser), ")");
    if (mapping_name_length(place) > 0 && !mapping_take_type(&ahead, &type) &&
        !mapping_take_word(&ahead, "static_cast"))
        return parse_name(parser);
    return parse_call_cast(parser, place);
}

/* "(int)x"; *is_cast says whether it is one. */
static int parse_cast(struct parser *parser, bool *is_cast) {
    struct parser ahead = *parser;
    struct c_type type;
    const char *place = mapping_skip_blanks(parser->next);
    *is_cast = mapping_take(&ahead, "(", "") && mapping_take_type(&ahead, &type) &&
               mapping_take(&ahead, ")", "");
    if (!*is_cast)
        return NONE;
    parser->next = ahead.next;
    return add_cast(parser, type, parse_unary(parser), place);
}

static int parse_unary_inside(struct parser *parser) {
    static const char *const signs[] = {"-", "+", "~", "!"};
    const char *place = mapping_skip_blanks(parser->next);
    bool is_cast;
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (mapping_take(parser, signs[s],
                         *signs[s] == '!'   ? "="
                         : *signs[s] == '~' ? ""
                                            : signs[s])) {
            int child = parse_unary(parser);
            return mapping_add_operation(parser, NODE_UNARY, *signs[s], child,
                                         child == NONE ? NONE : 0, place);
        }
    int node = parse_cast(parser, &is_cast);
    return is_cast ? node : parse_primary(parser);
}

/* Whatever nests goes through here, so this bounds how deep. */
static int parse_unary(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        return mapping_fail_at(parser, mapping_skip_blanks(parser->next), "nested too deeply");
    int node = parse_unary_inside(parser);
    parser->depth--;
    return node;
}

/* Operators of two operands, the loosest first; none of `not` may follow. */
static const struct binary {
    const char *sign, *not ;
    int level;
    char operation;
} binaries[] = {
    {"||", "", 0, EITHER},      {"&&", "", 1, BOTH},         {"|", "|=", 2, '|'},
    {"^", "=", 3, '^'},         {"&", "&=", 4, '&'},         {"==", "", 5, EQUAL},
    {"!=", "", 5, UNEQUAL},     {"<=", "", 6, AT_MOST},      {">=", "", 6, AT_LEAST},
    {"<<", "=", 7, SHIFT_LEFT}, {">>", "=", 7, SHIFT_RIGHT}, {"<", "<", 6, '<'},
    {">", ">", 6, '>'},         {"+", "=+", 8, '+'},         {"-", "=-", 8, '-'},
    {"*", "=", 9, '*'},         {"/", "=", 9, '/'},          {"%", "=", 9, '%'},
};
enum { BINARIES = sizeof binaries / sizeof *binaries, LEVELS = 10 };

static const struct binary *take_binary(struct parser *parser, int level) {
    for (size_t b = 0; b < BINARIES; b++)
        if (binaries[b].level == level && mapping_take(parser, binaries[b].sign, binaries[b].not ))
            return &binaries[b];
    return NULL;
}

static int parse_level(struct parser *parser, int level) {
    if (level == LEVELS)
        return parse_unary(parser);
    int left = parse_level(parser, level + 1);
    while (left != NONE) {
        const char *place = mapping_skip_blanks(parser->next);
        const struct binary *binary = take_binary(parser, level);
        if (!binary)
            return left;
        left = mapping_add_operation(parser, NODE_BINARY, binary->operation, left,
                                     parse_level(parser, level + 1), place);
    }
    return NONE;
}

/* "a ? b : c" and all that is tighter. */
static int parse_condition_inside(struct parser *parser) {
    int condition = parse_level(parser, 0);
    const char *place = mapping_skip_blanks(parser->next);
    if (condition == NONE || !mapping_take(parser, "?", ""))
        return condition;
    int yes = mapping_close(parser, mapping_parse_condition(parser), ":");
    int no = yes == NONE ? NONE : mapping_parse_condition(parser);
    int node = mapping_add_operation(parser, NODE_CONDITION, '?', condition, yes, place);
    if (node == NONE || no == NONE)
        return NONE;
    parser->program->node[node].child[2] = (uint16_t)no;
    return node;
}

int mapping_parse_condition(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        return mapping_fail_at(parser, mapping_skip_blanks(parser->next), "nested too deeply");
    int node = parse_condition_inside(parser);
    parser->depth--;
    return node;
}

bool mapping_take_assignment(struct parser *parser, char *operation) {
    enum { EQUALITIES = 5, COMPARISONS = 6, FIRST_BITWISE = 2 };
    for (size_t b = 0; b < BINARIES; b++) {
        struct parser ahead = *parser;
        int level = binaries[b].level;
        if (level < FIRST_BITWISE || level == EQUALITIES || level == COMPARISONS ||
            !mapping_take(&ahead, binaries[b].sign, "") || *ahead.next != '=')
            continue;
        parser->next = ahead.next + 1;
        *operation = binaries[b].operation;
        return true;
    }
    *operation = '\0';
    return mapping_take(parser, "=", "=");
}
