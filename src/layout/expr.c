/* expr.c - the parser and the evaluator of C expressions; see expr.h.
 *
 * The parser makes nodes. "row = i < 2 ? tid / 4 : 8" becomes
 *
 *     LESS i 2, WHEN <that>, DIVIDE tid 4, UNLESS <the first>, NUMBER 8, SELECT <...>, STORE row
 *
 * The nodes are evaluated in this order, each at 64 points at once. WHEN and UNLESS are the guards
 * of the nodes behind them: masks of 64 bits with the points where i < 2, and the others. What is
 * undefined at points outside of the mask of its guard is not reported, as C does not evaluate
 * that. "a ? b : c", &&, || and "if" all use guards.
 *
 * Types are known when a node is made (C17 6.3.1, 6.5). A value of a signed type is held with its
 * sign extended to 64 bits, of an unsigned type with zeros. */
#include "layout/expr.h"
#include "layout/ascii.h"
#include "layout/sentence.h"
#include "layout/space.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Programs ---- */

static const struct c_type INT = {32, true}, BOOL = {1, false};

/* Operations beside the operators of C. */
enum { NUMBER = C_OPERATORS, INPUT, NAME, CAST, WHEN, UNLESS, SELECT, STORE };

struct node {
    int operation;            /* an operator of C, or one of the above */
    struct c_type type;       /* of the operands; of CAST, SELECT and STORE, of the result */
    const char *place, *text; /* the place in the text, and all of it */
    int64_t number;           /* of NUMBER; of INPUT the axis; of NAME and STORE the variable */
    const struct node *guard; /* NULL for all points */
    uint32_t slot;            /* of its value: that of its first operand, or one of its own */
    const struct node *operand[3];
};

/* What stands in place of all nodes after a failure. */
static const struct node NO_NODE = {.operation = NUMBER, .type = {32, true}};

struct variable {
    char name[64]; /* OUT_OF_SCOPE and more after the end of its block */
    bool is_declared, has_value;
    struct c_type type; /* bits is 0 for auto without a value */
};

enum { OUT_OF_SCOPE = '}', NODES_MAX = 2048, VARIABLES_MAX = 256, DEPTH_MAX = 256, NONE = -1 };

struct mapping_program {
    struct mapping_space from;
    uint32_t lanes;   /* threads of one warp */
    bool is_unsigned; /* inputs are */
    uint32_t count;   /* nodes, each behind its operands */
    uint32_t slots, variables;
    struct node node[NODES_MAX];
    struct variable variable[VARIABLES_MAX];
};

const struct mapping_space *mapping_program_inputs(const struct mapping_program *program) {
    return &program->from;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* The names of an inner block hide those of outer ones. */
static int find_variable(const struct mapping_program *program, const char *name, size_t length) {
    int v = (int)program->variables - 1;
    while (v >= 0 && !is_word(name, length, program->variable[v].name))
        v--;
    return v;
}

int mapping_program_find(const struct mapping_program *program, const char *name) {
    return find_variable(program, name, strlen(name));
}

void mapping_program_free(struct mapping_program *program) {
    free(program);
}

struct mapping_program *mapping_program_make(uint32_t lanes) {
    struct mapping_program *program = malloc(sizeof *program);
    if (!program)
        return NULL;
    program->count = program->slots = program->variables = 0; /* the rest is written before read */
    program->lanes = lanes;
    program->is_unsigned = false;
    return program;
}

/* ---- Types ---- */

/* Integer promotion. */
static struct c_type promote(struct c_type type) {
    return type.bits < 32 ? INT : type;
}

/* The usual arithmetic conversions, also of types that are smaller than int. */
static struct c_type common_type(struct c_type a, struct c_type b) {
    a = promote(a);
    b = promote(b);
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return (struct c_type){a.bits, a.is_signed && b.is_signed};
}

/* The type of a value that may have either type. */
static struct c_type either_type(struct c_type a, struct c_type b) {
    return a.bits == b.bits && a.is_signed == b.is_signed ? a : common_type(a, b);
}

/* True if the value of an operator is bool, as in C++. */
static bool is_truth(int operation) {
    return operation == C_NOT || (operation >= C_BOTH && operation < C_OPERATORS);
}

static struct c_type type_of(const struct node *node) {
    return is_truth(node->operation) ? BOOL : node->type;
}

/* ---- Tokens ---- */

/* A failure ends the text: nothing more is read or made, so that no function has to stop. */
struct parser {
    const char *text, *next; /* the whole text, and the next token */
    struct mapping_program *program;
    struct mapping_error *error;
    bool has_failed;
    unsigned depth;           /* of nested statements and expressions */
    const struct node *guard; /* of the nodes that are made */
    uint32_t scope;           /* the first variable of the block */
};

/* Writes what is wrong, with the text around the place and a caret under it. MAPPING_INVALID. */
static enum mapping_status point_at(const char *text, const char *place, const char *what,
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

/* Fails at a place, unless the parser has failed before. */
static void fail_at(struct parser *parser, const char *place, const char *what) {
    if (!parser->has_failed)
        point_at(parser->text, place, what, parser->error);
    parser->has_failed = true;
    parser->next = "";
}

/* Skips blanks and comments. */
static const char *skip_blanks(const char *text) {
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

/* The length of the name at the beginning of the text; 0 if there is none. */
static size_t name_length(const char *text) {
    size_t length = 0;
    if (!is_letter(*text))
        return 0;
    while (is_letter(text[length]) || ascii_is_digit(text[length]))
        length++;
    return strncmp(text, "threadIdx.x", 11) == 0 ? 11 : length;
}

/* Goes on behind a token. */
static void advance(struct parser *parser, size_t length) {
    parser->next = skip_blanks(parser->next + length);
}

/* Takes a sign, unless one of the characters of `unless` follows. */
static bool take(struct parser *parser, const char *sign, const char *unless) {
    const char *end = parser->next + strlen(sign);
    if (strncmp(parser->next, sign, strlen(sign)) != 0 || (*end && strchr(unless, *end)))
        return false;
    advance(parser, strlen(sign));
    return true;
}

static bool take_word(struct parser *parser, const char *word) {
    if (!is_word(parser->next, name_length(parser->next), word))
        return false;
    advance(parser, strlen(word));
    return true;
}

static void expect(struct parser *parser, const char *sign) {
    char what[32];
    snprintf(what, sizeof what, "expected '%s'", sign);
    if (!take(parser, sign, ""))
        fail_at(parser, parser->next, what);
}

/* The words of types. */
static const struct type_word {
    const char *name;
    char kind;    /* 'q': qualifier; 's': signed; 'u': unsigned; 'a': auto; ' ': any of these */
    uint8_t bits; /* 0 if the word does not state them */
} type_words[] = {
    {"const", 'q', 0},    {"constexpr", 'q', 0}, {"static", 'q', 0},     {"volatile", 'q', 0},
    {"unsigned", 'u', 0}, {"signed", 's', 0},    {"char", ' ', 8},       {"short", ' ', 16},
    {"int", ' ', 0},      {"long", ' ', 64},     {"bool", 'u', 1},       {"auto", 'a', 0},
    {"int8_t", 's', 8},   {"uint8_t", 'u', 8},   {"int16_t", 's', 16},   {"uint16_t", 'u', 16},
    {"int32_t", 's', 32}, {"uint32_t", 'u', 32}, {"int64_t", 's', 64},   {"uint64_t", 'u', 64},
    {"uint", 'u', 32},    {"size_t", 'u', 64},   {"ptrdiff_t", 's', 64},
};

/* Takes a word of a type. A word that is the name of an axis is none. */
static const struct type_word *take_type_word(struct parser *parser) {
    for (size_t w = 0; w < sizeof type_words / sizeof *type_words; w++)
        if ((!parser->program ||
             mapping_space_find(&parser->program->from, type_words[w].name) < 0) &&
            take_word(parser, type_words[w].name))
            return &type_words[w];
    return NULL;
}

/* Takes a type: words in any order, as in "const long unsigned int". False if there is none, though
 * qualifiers are taken. */
static bool take_type(struct parser *parser, struct c_type *type) {
    char kind = 'q';
    uint8_t bits = 0;
    for (const struct type_word *word; (word = take_type_word(parser));) {
        bits = word->bits > 0 ? word->bits : bits;
        if (kind == 'q' || strchr("usa", word->kind))
            kind = word->kind;
    }
    *type = (struct c_type){kind == 'a' ? 0 : bits > 0 ? bits : 32, kind != 'u'};
    return kind != 'q';
}

/* Operators of two operands; none of `unless` may follow. A higher level binds tighter. */
static const struct binary {
    const char *sign, *unless;
    uint8_t level;
    enum c_operator operation;
} binaries[] = {
    {"||", "", 0, C_EITHER},      {"&&", "", 1, C_BOTH},         {"|", "|=", 2, C_OR},
    {"^", "=", 3, C_EXCLUSIVE},   {"&", "&=", 4, C_AND},         {"==", "", 5, C_EQUAL},
    {"!=", "", 5, C_NOT_EQUAL},   {"<=", "", 6, C_LESS_EQUAL},   {">=", "", 6, C_GREATER_EQUAL},
    {"<<", "=", 7, C_SHIFT_LEFT}, {">>", "=", 7, C_SHIFT_RIGHT}, {"<", "<", 6, C_LESS},
    {">", ">", 6, C_GREATER},     {"+", "=+", 8, C_ADD},         {"-", "=-", 8, C_SUBTRACT},
    {"*", "=", 9, C_MULTIPLY},    {"/", "=", 9, C_DIVIDE},       {"%", "=", 9, C_REMAINDER},
};

/* Takes an operator of at least a level, or returns NULL. */
static const struct binary *take_binary(struct parser *parser, int level) {
    for (size_t b = 0; b < sizeof binaries / sizeof *binaries; b++)
        if (binaries[b].level >= level && take(parser, binaries[b].sign, binaries[b].unless))
            return &binaries[b];
    return NULL;
}

/* Takes "=", "+=" or another operator that assigns; *compound is NULL for "=". */
static bool take_assignment(struct parser *parser, const struct binary **compound) {
    for (size_t b = 0; b < sizeof binaries / sizeof *binaries; b++) {
        size_t length = strlen(binaries[b].sign);
        *compound = &binaries[b];
        if (!is_truth((int)binaries[b].operation) &&
            strncmp(parser->next, binaries[b].sign, length) == 0 && parser->next[length] == '=') {
            advance(parser, length + 1);
            return true;
        }
    }
    *compound = NULL;
    return take(parser, "=", "=");
}

/* ---- Nodes ---- */

/* Appends a node to the program, with the guard of the parser. */
static const struct node *make_node(struct parser *parser, struct node node) {
    struct mapping_program *program = parser->program;
    if (program->count == NODES_MAX)
        fail_at(parser, node.place, "the code is too long");
    if (parser->has_failed)
        return &NO_NODE;
    node.text = parser->text;
    node.guard = parser->guard;
    node.slot = node.operand[0] && node.operation != WHEN && node.operation != UNLESS
                    ? node.operand[0]->slot
                    : program->slots++;
    program->node[program->count] = node;
    return &program->node[program->count++];
}

static const struct node *make_number(struct parser *parser, struct c_type type, int64_t number,
                                      const char *place) {
    return make_node(parser, (struct node){NUMBER, type, place, .number = number});
}

static const struct node *make_name(struct parser *parser, int variable, const char *place) {
    struct c_type type = parser->program->variable[variable].type;
    if (type.bits == 0) /* auto without a value: undefined when it is read */
        type = INT;
    return make_node(parser, (struct node){NAME, type, place, .number = variable});
}

static const struct node *make_cast(struct parser *parser, struct c_type type,
                                    const struct node *value, const char *place) {
    if (type.bits == 0)
        fail_at(parser, place, "a cast to auto is not possible");
    return make_node(parser, (struct node){CAST, type, place, .operand = {value}});
}

static const struct node *make_binary(struct parser *parser, int operation, const struct node *left,
                                      const struct node *right, const char *place) {
    bool is_shift = operation == C_SHIFT_LEFT || operation == C_SHIFT_RIGHT;
    struct c_type a = type_of(left), type = is_shift ? promote(a) : common_type(a, type_of(right));
    return make_node(parser, (struct node){operation, type, place, .operand = {left, right}});
}

/* Makes the guard of the next nodes: the points of an outer one where a condition is true or false.
 */
static void make_guard(struct parser *parser, const struct node *outer, int operation,
                       const struct node *condition, const char *place) {
    parser->guard = outer;
    parser->guard = make_node(parser, (struct node){operation, INT, place, .operand = {condition}});
}

/* ---- Expressions ---- */

static const struct node *parse_expression(struct parser *parser);

/* A number has the first type of C that holds it; decimal ones without u are never unsigned. What
 * is attached to it belongs to it; ' may stand between its digits. */
static const struct node *parse_number(struct parser *parser) {
    const char *place = parser->next, *c = place;
    char digits[80] = "", *suffix;
    size_t length = 0;
    for (; is_letter(*c) || ascii_is_digit(*c) || *c == '.' ||
           (*c == '\'' && isxdigit((unsigned char)c[-1]) && isxdigit((unsigned char)c[1]));
         c++)
        if (*c != '\'' && length + 1 < sizeof digits)
            digits[length++] = ascii_lower(*c);
    advance(parser, (size_t)(c - place));
    int base = digits[0] != '0' ? 10 : digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : 8;
    const char *first = base == 2 ? digits + 2 : digits;
    errno = 0;
    uint64_t number = strtoull(first, &suffix, base);
    if (suffix == first || errno == ERANGE ||
        (*suffix && !mapping_word_is_in("u l ul lu ll ull llu", suffix, strlen(suffix))))
        fail_at(parser, place, "not a C integer");
    bool is_unsigned = strchr(suffix, 'u') != NULL, is_long = strchr(suffix, 'l') != NULL;
    struct c_type type = {32, !is_unsigned};
    if (number > INT32_MAX && number <= UINT32_MAX && base != 10)
        type.is_signed = false;
    if (is_long || number > (type.is_signed ? INT32_MAX : UINT32_MAX))
        type = (struct c_type){64, !is_unsigned && number <= INT64_MAX};
    return make_number(parser, type, (int64_t)number, place);
}

static void fail_unknown(struct parser *parser, const char *place, size_t length) {
    const struct mapping_program *program = parser->program;
    char what[320];
    snprintf(what, sizeof what, "unknown name '%.*s'; this formula can use",
             (int)(length < 40 ? length : 40), place);
    for (uint32_t a = 0; a < program->from.count; a++) {
        const char *name = program->from.axis[a].name, *others = mapping_axis_names(name);
        mapping_append(what, sizeof what, *others ? "%s %s (or %s)%s" : "%s %s", a ? "," : "", name,
                       others, strcmp(name, MAPPING_AXIS_TID) == 0 ? ", warp" : "");
    }
    for (uint32_t v = 0; v < program->variables; v++)
        if (program->variable[v].has_value && *program->variable[v].name != OUT_OF_SCOPE)
            mapping_append(what, sizeof what, ", %s", program->variable[v].name);
    fail_at(parser, place,
            mapping_word_is_in("for while do", place, length)
                ? "loops are not supported; write the body of the loop, with j = i / 2 and "
                  "k = i % 2 for loops over j and k"
                : what);
}

/* The axis with a name, or else the first one with that alias, or NONE. */
static int find_axis(const struct mapping_space *from, const char *word, size_t length) {
    int found = NONE;
    for (uint32_t a = 0; a < from->count; a++) {
        if (is_word(word, length, from->axis[a].name))
            return (int)a;
        if (found == NONE && mapping_axis_is_called(from->axis[a].name, word, length))
            found = (int)a;
    }
    return found;
}

/* "warp" is tid divided by the threads of one warp, and "lane" is the remainder if there are
 * several warps, unless an axis has such a name. */
static const struct node *parse_name(struct parser *parser) {
    const struct mapping_program *program = parser->program;
    const struct mapping_space *from = &program->from;
    const char *place = parser->next;
    size_t length = name_length(place);
    int variable = find_variable(program, place, length), axis = find_axis(from, place, length);
    int tid = mapping_space_find(from, MAPPING_AXIS_TID), of_warp = NONE;
    advance(parser, length);
    if (variable != NONE)
        return make_name(parser, variable, place);
    if (tid != NONE && (axis == NONE || !is_word(place, length, from->axis[axis].name))) {
        if (mapping_word_is_in(MAPPING_WARP_NAMES, place, length))
            of_warp = C_DIVIDE;
        else if (mapping_word_is_in(MAPPING_LANE_NAMES, place, length) &&
                 from->axis[tid].size > program->lanes)
            of_warp = C_REMAINDER;
        axis = of_warp != NONE ? tid : axis;
    }
    if (axis == NONE && (is_word(place, length, "true") || is_word(place, length, "false")))
        return make_number(parser, BOOL, *place == 't', place);
    if (axis == NONE)
        fail_unknown(parser, place, length);
    struct c_type type = {32, !program->is_unsigned && !is_word(place, length, "threadIdx.x")};
    const struct node *input = make_node(parser, (struct node){INPUT, type, place, .number = axis});
    if (of_warp == NONE)
        return input;
    return make_binary(parser, of_warp, input, make_number(parser, INT, program->lanes, place),
                       place);
}

/* "(x)", with parentheses. */
static const struct node *parse_enclosed(struct parser *parser) {
    expect(parser, "(");
    const struct node *value = parse_expression(parser);
    expect(parser, ")");
    return value;
}

/* A number, a name, "(x)", "int(x)" or "static_cast<int>(x)". */
static const struct node *parse_primary(struct parser *parser) {
    const char *place = parser->next;
    struct c_type type;
    if (ascii_is_digit(*place))
        return parse_number(parser);
    if (*place == '(')
        return parse_enclosed(parser);
    if (take_type(parser, &type))
        return make_cast(parser, type, parse_enclosed(parser), place);
    parser->next = place;
    if (take_word(parser, "static_cast")) {
        if (!take(parser, "<", "") || !take_type(parser, &type) || !take(parser, ">", ""))
            fail_at(parser, parser->next, "expected a type, such as '<int>'");
        return make_cast(parser, type, parse_enclosed(parser), place);
    }
    if (name_length(place) == 0)
        fail_at(parser, place, "expected a number, a name or '('");
    return parser->has_failed ? &NO_NODE : parse_name(parser);
}

/* Counts one more level of nesting; the caller ends it. */
static void nest(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        fail_at(parser, parser->next, "nested too deeply");
}

/* An operator of one operand, a cast, or what binds tighter. */
static const struct node *parse_unary(struct parser *parser) {
    const struct node *value;
    struct c_type type;
    nest(parser);
    const char *place = parser->next;
    if (take(parser, "-", "-") || take(parser, "+", "+") || take(parser, "~", "") ||
        take(parser, "!", "=")) {
        int operation = *place == '-'   ? C_NEGATE
                        : *place == '+' ? CAST
                        : *place == '~' ? C_COMPLEMENT
                                        : C_NOT;
        value = parse_unary(parser);
        value = make_node(
            parser, (struct node){operation, promote(type_of(value)), place, .operand = {value}});
    } else if (take(parser, "(", "") && take_type(parser, &type) && take(parser, ")", "")) {
        value = make_cast(parser, type, parse_unary(parser), place);
    } else {
        parser->next = place;
        value = parse_primary(parser);
    }
    parser->depth--;
    return value;
}

/* Operators that bind at least as tight as `level`. */
static const struct node *parse_binary(struct parser *parser, int level) {
    const struct node *outer = parser->guard, *value = parse_unary(parser);
    for (;;) {
        const char *place = parser->next;
        const struct binary *binary = take_binary(parser, level);
        if (!binary)
            return value;
        if (binary->operation == C_BOTH || binary->operation == C_EITHER)
            make_guard(parser, outer, binary->operation == C_BOTH ? WHEN : UNLESS, value, place);
        const struct node *right = parse_binary(parser, binary->level + 1);
        parser->guard = outer;
        value = make_binary(parser, (int)binary->operation, value, right, place);
    }
}

/* "a ? b : c", of which b and c may have different types, and all that binds tighter. */
static const struct node *parse_expression(struct parser *parser) {
    nest(parser);
    const struct node *outer = parser->guard, *value = parse_binary(parser, 0);
    const char *place = parser->next;
    if (take(parser, "?", "")) {
        make_guard(parser, outer, WHEN, value, place);
        const struct node *yes = parse_expression(parser);
        expect(parser, ":");
        make_guard(parser, outer, UNLESS, value, place);
        const struct node *no = parse_expression(parser);
        parser->guard = outer;
        struct c_type type = either_type(type_of(yes), type_of(no));
        value = make_node(parser, (struct node){SELECT, type, place, .operand = {value, yes, no}});
    }
    parser->depth--;
    return value;
}

/* ---- Statements ---- */

/* The left side of an assignment. */
struct target {
    const char *place; /* in the text */
    size_t length;
    char name[64];                 /* cut off if it is longer; add_variable refuses it */
    const struct binary *compound; /* of "+=" and the like, else NULL */
};

/* Takes a name and an operator that assigns, or ':'. A formula is printed as "Row: return", with a
 * capital letter, and defines row. A name without an operator is in *target, but is not taken. */
static bool take_target(struct parser *parser, struct target *target) {
    const char *place = parser->next;
    size_t length = name_length(place);
    *target = (struct target){.place = place, .length = length};
    snprintf(target->name, sizeof target->name, "%.*s", (int)length, place);
    advance(parser, length);
    if (length > 0 && take(parser, ":", ":"))
        *target->name = ascii_lower(*target->name);
    else if (length == 0 || !take_assignment(parser, &target->compound)) {
        parser->next = place;
        return false;
    }
    return true;
}

static int add_variable(struct parser *parser, const struct target *target, bool is_declared,
                        struct c_type type) {
    struct mapping_program *program = parser->program;
    if (target->length >= sizeof target->name || program->variables == VARIABLES_MAX)
        fail_at(parser, target->place, "too many names, or a name is too long");
    if (program->variables < VARIABLES_MAX)
        program->variables++;
    struct variable *variable = &program->variable[program->variables - 1];
    *variable = (struct variable){.is_declared = is_declared, .type = type};
    memcpy(variable->name, target->name, sizeof variable->name);
    return (int)program->variables - 1;
}

/* Stores a value in a variable, at the points of the mask. A variable without a declaration takes
 * the type of the value; if it keeps its value at some points, that of both. */
static void make_store(struct parser *parser, int number, const struct node *value,
                       const char *place) {
    struct variable *variable = &parser->program->variable[number];
    bool keeps = parser->guard && variable->has_value;
    if (!variable->is_declared || variable->type.bits == 0)
        variable->type = keeps ? either_type(variable->type, type_of(value)) : type_of(value);
    variable->has_value = true;
    make_node(parser,
              (struct node){STORE, variable->type, place, .number = number, .operand = {value}});
}

/* "row = EXPR", "row: return EXPR", "row += EXPR" or a bare EXPR; behind a type, also "row" alone.
 * A name that is declared is visible, without a value, in its own EXPR. Another one is visible
 * behind its first value: in "tid = tid % 32" the second is the axis. */
static void parse_definition(struct parser *parser, bool is_declaration, struct c_type type) {
    struct target target;
    bool has_value = take_target(parser, &target);
    if (!has_value && is_declaration)
        advance(parser, target.length);
    else if (!has_value) {
        target = (struct target){.place = target.place, .name = MAPPING_RESULT};
        has_value = true;
    }
    if (is_declaration &&
        (has_value ? target.compound != NULL : target.length == 0 || !strchr(",;", *parser->next)))
        fail_at(parser, target.place, "expected a name and '='");
    if (!has_value && type.bits == 0)
        fail_at(parser, target.place, "auto needs a value");
    int variable = mapping_program_find(parser->program, target.name);
    if (is_declaration) {
        if (variable >= (int)parser->scope && parser->program->variable[variable].is_declared)
            fail_at(parser, target.place, "this name is declared twice");
        variable = add_variable(parser, &target, true, type);
    }
    if (!has_value)
        return;
    const struct node *old = NULL;
    if (!target.compound)
        take_word(parser, "return");
    else if (variable != NONE)
        old = make_name(parser, variable, target.place);
    else
        fail_unknown(parser, target.place, target.length);
    const struct node *value = parse_expression(parser);
    if (old)
        value = make_binary(parser, (int)target.compound->operation, old, value, target.place);
    if (variable == NONE)
        variable = add_variable(parser, &target, false, INT);
    make_store(parser, variable, value, target.place);
}

static void parse_statement(struct parser *parser);

/* The statements of a block up to '}', or one statement. What is declared in it is not visible
 * behind it. */
static void parse_scope(struct parser *parser, bool is_block) {
    struct mapping_program *program = parser->program;
    uint32_t scope = parser->scope;
    parser->scope = program->variables;
    if (!is_block)
        parse_statement(parser);
    while (is_block && *parser->next && *parser->next != '}')
        parse_statement(parser);
    if (is_block)
        expect(parser, "}");
    for (uint32_t v = parser->scope; v < program->variables; v++)
        if (program->variable[v].is_declared)
            *program->variable[v].name = OUT_OF_SCOPE;
    parser->scope = scope;
}

/* "if (a) statement else statement" */
static void parse_if(struct parser *parser) {
    const char *place = parser->next;
    const struct node *outer = parser->guard, *condition = parse_enclosed(parser);
    make_guard(parser, outer, WHEN, condition, place);
    parse_scope(parser, false);
    if (take_word(parser, "else")) {
        make_guard(parser, outer, UNLESS, condition, place);
        parse_scope(parser, false);
    }
    parser->guard = outer;
}

/* A block, "if", or declarations of one type, or an assignment, up to ';' or the end. What begins
 * like a cast is no declaration. */
static void parse_statement(struct parser *parser) {
    struct c_type type;
    nest(parser);
    const char *start = parser->next;
    if (take(parser, "{", "")) {
        parse_scope(parser, true);
    } else if (take_word(parser, "if")) {
        parse_if(parser);
    } else if (!take(parser, ";", "")) {
        if (take_type(parser, &type) && name_length(parser->next) > 0) {
            do
                parse_definition(parser, true, type);
            while (take(parser, ",", ""));
        } else {
            parser->next = start;
            parse_definition(parser, false, INT);
        }
        if (*parser->next && !take(parser, ";", ""))
            fail_at(parser, parser->next, "expected an operator, ';' or the end");
    }
    parser->depth--;
}

enum mapping_status mapping_program_parse(const char *text, const struct mapping_space *from,
                                          struct mapping_program **program,
                                          struct mapping_error *error) {
    if (!*program && !(*program = mapping_program_make(MAPPING_WARP)))
        return mapping_out_of_memory(error);
    (*program)->from = *from;
    struct parser parser = {
        .text = text, .next = skip_blanks(text), .program = *program, .error = error};
    if (!*parser.next)
        fail_at(&parser, text, "expected an expression");
    while (*parser.next)
        parse_statement(&parser);
    return parser.has_failed ? MAPPING_INVALID : MAPPING_OK;
}

bool mapping_text_defines(const char *text, const char *name) {
    struct parser parser = {.next = skip_blanks(text)};
    struct c_type type;
    struct target target;
    while (*parser.next) {
        take_word(&parser, "else");
        take_type(&parser, &type);
        if (take_target(&parser, &target) &&
            mapping_axis_is_called(name, target.name, strlen(target.name)))
            return true;
        /* On to the next statement, or the next name of this declaration; one may follow ")". */
        while (*parser.next && !strchr(";,{})", *parser.next))
            advance(&parser, 1);
        if (*parser.next)
            advance(&parser, 1);
    }
    return false;
}

/* ---- Evaluation ---- */

typedef int64_t vector[MAPPING_POINTS];

struct slot {
    vector value;
    uint64_t points; /* of a variable, those where it has a value; of a guard, its mask */
};

struct machine {
    const struct mapping_points *points;
    struct slot *variable, *slot;
    unsigned undefined;       /* the first point where something is undefined */
    const struct node *cause; /* NULL: a variable has no value at the end */
    const char *what; /* the sentence, or that variable; NULL as long as nothing is undefined */
};

/* Notes that something is undefined at points. Keeps what comes first at the first point. */
static void note_undefined(struct machine *machine, uint64_t points, const struct node *cause,
                           const char *what) {
    unsigned point = points ? (unsigned)__builtin_ctzll(points) : MAPPING_POINTS;
    if (points == 0 || (machine->what && point >= machine->undefined))
        return;
    machine->undefined = point;
    machine->cause = cause;
    machine->what = what;
}

/* Converts numbers to a type: upper bits are lost, as with all compilers. */
static void convert(int64_t *values, struct c_type type) {
    unsigned unused = 64U - type.bits;
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        values[n] = type.bits == 1   ? values[n] != 0
                    : type.is_signed ? (int64_t)((uint64_t)values[n] << unused) >> unused
                                     : (int64_t)((uint64_t)values[n] << unused >> unused);
}

inline bool mapping_operate(enum c_operator operation, struct c_type type, int64_t a, int64_t b,
                            int64_t *result) {
    /* Bits: true if a is less, equal, or greater. */
    static const uint8_t comparisons[] = {
        [C_LESS] = 1,       [C_EQUAL] = 2,         [C_GREATER] = 4,
        [C_LESS_EQUAL] = 3, [C_GREATER_EQUAL] = 6, [C_NOT_EQUAL] = 5};
    const bool is_signed = type.is_signed;
    const bool is_less = is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    bool overflows = false;
    int64_t n = 0;
    switch (operation) {
    case C_NEGATE:
        overflows = __builtin_sub_overflow(0, a, &n);
        break;
    case C_COMPLEMENT:
        n = ~a;
        break;
    case C_NOT:
        *result = a == 0;
        return true;
    case C_MULTIPLY:
        overflows = __builtin_mul_overflow(a, b, &n);
        break;
    case C_DIVIDE:
    case C_REMAINDER:
        if (b == 0 || (is_signed && b == -1 && a == (type.bits == 32 ? INT32_MIN : INT64_MIN)))
            return false;
        if (operation == C_DIVIDE)
            n = is_signed ? a / b : (int64_t)((uint64_t)a / (uint64_t)b);
        else
            n = is_signed ? a % b : (int64_t)((uint64_t)a % (uint64_t)b);
        break;
    case C_ADD:
        overflows = __builtin_add_overflow(a, b, &n);
        break;
    case C_SUBTRACT:
        overflows = __builtin_sub_overflow(a, b, &n);
        break;
    case C_SHIFT_LEFT:
        if ((uint64_t)b >= type.bits || (is_signed && a < 0))
            return false;
        n = (int64_t)((uint64_t)a << b);
        overflows = n >> b != a;
        break;
    case C_SHIFT_RIGHT:
        if ((uint64_t)b >= type.bits)
            return false;
        *result = is_signed ? a >> b : (int64_t)((uint64_t)a >> b);
        return true;
    case C_LESS:
    case C_GREATER:
    case C_LESS_EQUAL:
    case C_GREATER_EQUAL:
    case C_EQUAL:
    case C_NOT_EQUAL:
        *result = (comparisons[operation] & (is_less ? 1 : a == b ? 2 : 4)) != 0;
        return true;
    case C_AND:
        *result = a & b;
        return true;
    case C_EXCLUSIVE:
        *result = a ^ b;
        return true;
    case C_OR:
        *result = a | b;
        return true;
    case C_BOTH:
        *result = a != 0 && b != 0;
        return true;
    case C_EITHER:
        *result = a != 0 || b != 0;
        return true;
    case C_OPERATORS:
        return false;
    }
    if (is_signed && (overflows || (type.bits == 32 && n != (int32_t)n)))
        return false;
    *result = is_signed || type.bits == 64 ? n : (int64_t)(uint32_t)n;
    return true;
}

/* Why an operator is undefined. */
static const char *why_undefined(const struct node *node, int64_t a, int64_t b) {
    int operation = node->operation;
    bool shifts = operation == C_SHIFT_LEFT || operation == C_SHIFT_RIGHT;
    return (operation == C_DIVIDE || operation == C_REMAINDER) && b == 0 ? "this divides by zero"
           : shifts && (uint64_t)b >= node->type.bits
               ? "this shifts by a negative number or by too many bits"
           : shifts && a < 0 ? "this shifts a negative number to the left"
                             : "this overflows";
}

/* Computes one operator at all points. Returns those where it is undefined. */
static uint64_t operate_all(enum c_operator operation, struct c_type type, int64_t *a,
                            const int64_t *b) {
    uint64_t undefined = 0;
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        undefined |= (uint64_t)!mapping_operate(operation, type, a[n], b[n], &a[n]) << n;
    return undefined;
}

/* The points where a value is not 0. */
static uint64_t points_of(const int64_t *values) {
    uint64_t points = 0;
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        points |= (uint64_t)(values[n] != 0) << n;
    return points;
}

/* Replaces values by others at some points. */
static void put(int64_t *values, const int64_t *others, uint64_t points) {
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        values[n] = points >> n & 1 ? others[n] : values[n];
}

/* Evaluates a node, behind its operands and its guard. */
static void evaluate(struct machine *machine, const struct node *node) {
    const int operation = node->operation;
    const int64_t number = node->number;
    const uint64_t mask =
        node->guard ? machine->slot[node->guard->slot].points : machine->points->mask;
    const bool has_variable = operation == NAME || operation == STORE;
    struct slot *variable = &machine->variable[has_variable ? number : 0];
    struct slot *slot = &machine->slot[node->slot];
    int64_t *a = slot->value; /* of the first operand, too */
    int64_t *b = node->operand[1] ? machine->slot[node->operand[1]->slot].value : a;
    const uint32_t *coordinates = machine->points->coordinate[operation == INPUT ? number : 0];
    uint64_t undefined;
    switch (operation) {
    case NUMBER:
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            a[n] = number;
        break;
    case INPUT:
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            a[n] = coordinates[n];
        break;
    case NAME:
        note_undefined(machine, mask & ~variable->points, node,
                       "this is read before it has a value");
        memcpy(a, variable->value, sizeof(vector));
        break;
    case CAST:
        convert(a, node->type);
        break;
    case WHEN:
        slot->points = mask & points_of(machine->slot[node->operand[0]->slot].value);
        break;
    case UNLESS:
        slot->points = mask & ~points_of(machine->slot[node->operand[0]->slot].value);
        break;
    case SELECT:
        put(b, machine->slot[node->operand[2]->slot].value, ~points_of(a));
        memcpy(a, b, sizeof(vector));
        if (!node->type.is_signed)
            convert(a, node->type);
        break;
    case STORE:
        put(variable->value, a, mask);
        convert(variable->value, node->type);
        variable->points |= mask;
        break;
    default:
        if (!node->type.is_signed && operation != C_SHIFT_LEFT && operation != C_SHIFT_RIGHT) {
            convert(a, node->type);
            convert(b, node->type);
        }
        undefined = mask & operate_all((enum c_operator)operation, node->type, a, b);
        if (undefined) {
            unsigned n = (unsigned)__builtin_ctzll(undefined);
            note_undefined(machine, undefined, node, why_undefined(node, a[n], b[n]));
        }
        break;
    }
}

enum mapping_status mapping_program_evaluate(const struct mapping_program *program,
                                             const struct mapping_points *points, const int *names,
                                             size_t count, int64_t (*values)[MAPPING_POINTS],
                                             unsigned *undefined, struct mapping_error *error) {
    struct slot *slots = malloc((program->variables + program->slots) * sizeof *slots);
    if (!slots)
        return mapping_out_of_memory(error);
    struct machine machine = {
        .points = points, .variable = slots, .slot = slots + program->variables};
    memset(slots, 0, program->variables * sizeof *slots);
    for (uint32_t n = 0; n < program->count; n++)
        evaluate(&machine, &program->node[n]);
    for (size_t k = 0; k < count; k++) {
        const struct slot *variable = &machine.variable[names[k]];
        note_undefined(&machine, points->mask & ~variable->points, NULL,
                       program->variable[names[k]].name);
        memcpy(values[k], variable->value, sizeof *values);
    }
    *undefined = machine.undefined;
    free(slots);
    if (!machine.what)
        return MAPPING_OK;
    if (!machine.cause)
        return mapping_fail(error, MAPPING_INVALID, "'%s' has no value", machine.what);
    return point_at(machine.cause->text, machine.cause->place, machine.what, error);
}

void mapping_points_from(const struct mapping_space *space, size_t first,
                         struct mapping_points *points) {
    uint32_t point[MAPPING_AXES_MAX];
    size_t left = mapping_space_size(space) - first;
    points->mask = left >= MAPPING_POINTS ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
    mapping_space_point(space, first, point);
    for (unsigned n = 0; n < MAPPING_POINTS; n++) {
        for (uint32_t a = 0; a < space->count; a++)
            points->coordinate[a][n] = point[a];
        mapping_space_step(space, point);
    }
}

enum mapping_status mapping_expression_gives(const char *text, const struct mapping_space *from,
                                             bool is_unsigned, const uint32_t *values,
                                             size_t *wrong) {
    struct mapping_error ignored;
    struct mapping_program *program = mapping_program_make(MAPPING_WARP);
    if (!program)
        return MAPPING_FAILED;
    program->is_unsigned = is_unsigned;
    enum mapping_status status = mapping_program_parse(text, from, &program, &ignored);
    int name = mapping_program_find(program, MAPPING_RESULT);
    if (status == MAPPING_OK && name < 0)
        status = MAPPING_INVALID;
    size_t count = mapping_space_size(from);
    for (size_t first = 0; first < count && status == MAPPING_OK; first += MAPPING_POINTS) {
        struct mapping_points points;
        int64_t says[1][MAPPING_POINTS];
        unsigned undefined = 0;
        mapping_points_from(from, first, &points);
        status = mapping_program_evaluate(program, &points, &name, 1, says, &undefined, &ignored);
        if (status == MAPPING_OK)
            undefined = MAPPING_POINTS;
        for (unsigned n = 0; n < MAPPING_POINTS && status != MAPPING_FAILED; n++)
            if (points.mask >> n & 1 && (n == undefined || says[0][n] != values[first + n])) {
                *wrong = first + n;
                status = MAPPING_DIFFERS;
                break;
            }
    }
    mapping_program_free(program);
    return status;
}
