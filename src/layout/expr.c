/* expr.c - the parser and the evaluator of C expressions; see expr.h.
 *
 * The parser emits code for a stack machine. "row = i < 2 ? tid / 4 : 8" becomes
 *
 *     INPUT i, NUMBER 2, LESS, THEN, INPUT tid, NUMBER 4, DIVIDE, ELSE, NUMBER 8, SELECT, STORE row
 *
 * Each instruction works at 64 points. An entry of the stack is a vector of 64 values, and a mask
 * of 64 bits has the points that count: THEN narrows it to the points where i < 2, ELSE to the
 * others, and SELECT restores it. What is undefined at points outside of the mask is not reported,
 * as C does not evaluate that. "if" stores its condition in a variable without a name, and MASK
 * makes it the mask of the statements that depend on it.
 *
 * Types are known when code is emitted (C17 6.3.1, 6.5). A value of a signed type is held with its
 * sign extended to 64 bits, of an unsigned type with zeros. */
#include "layout/expr.h"
#include "layout/ascii.h"
#include "layout/space.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Programs ---- */

/* Integers of C. Types smaller than int occur in declarations and casts. */
struct c_type {
    uint8_t bits; /* 1 for bool, 8, 16, 32, 64; 0 for auto */
    bool is_signed;
};

static const struct c_type INT = {32, true}, BOOL = {1, false};

enum operation {
    /* These push a value. */
    NUMBER,
    INPUT,
    NAME,
    /* These replace the top of the stack, or leave the stack as it is. */
    CAST,
    NEGATE,
    COMPLEMENT,
    NOT,
    AND_THEN, /* after the left operand of &&: narrows the mask to where it is true */
    OR_ELSE,  /* after the left operand of ||: narrows the mask to where it is false */
    THEN,
    ELSE,
    MASK,
    /* These pop one value. */
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    ADD,
    SUBTRACT,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    AND,
    EXCLUSIVE,
    OR,
    LESS,
    GREATER,
    LESS_EQUAL,
    GREATER_EQUAL,
    EQUAL,
    NOT_EQUAL,
    BOTH,
    EITHER,
    STORE,
    /* This pops two. */
    SELECT
};

/* By how many values an operation changes the stack. */
static int change_of(enum operation operation) {
    return operation <= NAME ? 1 : operation <= MASK ? 0 : operation < SELECT ? -1 : -2;
}

struct instruction {
    enum operation operation;
    struct c_type type;       /* of the operands; of CAST, SELECT and STORE, of the result */
    int64_t number;           /* of NUMBER; of INPUT the axis; else the variable, or NONE */
    const char *place, *text; /* the place in the text, and all of it */
};

struct variable {
    char name[64]; /* OUT_OF_SCOPE and more after the end of its block, and for conditions of if */
    bool is_declared, has_value;
    struct c_type type; /* bits is 0 for auto without a value */
};

enum { OUT_OF_SCOPE = '}', CODE_MAX = 2048, VARIABLES_MAX = 256, DEPTH_MAX = 256, NONE = -1 };

struct mapping_program {
    struct mapping_space from;
    uint32_t lanes;        /* threads of one warp */
    bool is_unsigned;      /* inputs are */
    uint32_t count, stack; /* instructions; values that are on the stack at most */
    uint32_t variables;
    struct instruction code[CODE_MAX];
    struct variable variable[VARIABLES_MAX];
};

const struct mapping_space *mapping_program_inputs(const struct mapping_program *program) {
    return &program->from;
}

int mapping_program_find(const struct mapping_program *program, const char *name) {
    uint32_t v = program->variables;
    while (v-- > 0) /* the names of an inner block hide those of outer ones */
        if (strcmp(program->variable[v].name, name) == 0)
            return (int)v;
    return NONE;
}

void mapping_program_free(struct mapping_program *program) {
    free(program);
}

struct mapping_program *mapping_program_make(uint32_t lanes) {
    struct mapping_program *program = malloc(sizeof *program);
    if (!program)
        return NULL;
    program->count = program->stack = program->variables = 0; /* the rest is written before read */
    program->lanes = lanes;
    program->is_unsigned = false;
    return program;
}

/* ---- Types ---- */

/* Integer promotion. */
static struct c_type promote(struct c_type type) {
    return type.bits < 32 ? INT : type;
}

static bool same_type(struct c_type a, struct c_type b) {
    return a.bits == b.bits && a.is_signed == b.is_signed;
}

/* The usual arithmetic conversions, also of types that are smaller than int. */
static struct c_type common_type(struct c_type a, struct c_type b) {
    a = promote(a);
    b = promote(b);
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return (struct c_type){a.bits, a.is_signed && b.is_signed};
}

/* ---- Tokens ---- */

struct parser {
    const char *text, *next;
    struct mapping_program *program;
    struct mapping_error *error;
    unsigned depth; /* of nested statements and expressions */
    uint32_t stack; /* values that are on the stack here */
    int guard;      /* the variable whose points the statement is executed for, or NONE */
    uint32_t scope; /* the first variable of the block */
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

/* Writes what is wrong at a place. Returns false. */
static bool fail_at(struct parser *parser, const char *place, const char *what) {
    point_at(parser->text, place, what, parser->error);
    return false;
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

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Takes a sign, unless one of the characters of `unless` follows. */
static bool take(struct parser *parser, const char *sign, const char *unless) {
    const char *text = skip_blanks(parser->next);
    size_t length = strlen(sign);
    if (strncmp(text, sign, length) != 0 || (text[length] && strchr(unless, text[length])))
        return false;
    parser->next = text + length;
    return true;
}

static bool take_word(struct parser *parser, const char *word) {
    const char *text = skip_blanks(parser->next);
    if (!is_word(text, name_length(text), word))
        return false;
    parser->next = text + strlen(word);
    return true;
}

static bool expect(struct parser *parser, const char *sign) {
    char what[32];
    if (take(parser, sign, ""))
        return true;
    snprintf(what, sizeof what, "expected '%s'", sign);
    return fail_at(parser, skip_blanks(parser->next), what);
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
    enum operation operation;
} binaries[] = {
    {"||", "", 0, EITHER},      {"&&", "", 1, BOTH},         {"|", "|=", 2, OR},
    {"^", "=", 3, EXCLUSIVE},   {"&", "&=", 4, AND},         {"==", "", 5, EQUAL},
    {"!=", "", 5, NOT_EQUAL},   {"<=", "", 6, LESS_EQUAL},   {">=", "", 6, GREATER_EQUAL},
    {"<<", "=", 7, SHIFT_LEFT}, {">>", "=", 7, SHIFT_RIGHT}, {"<", "<", 6, LESS},
    {">", ">", 6, GREATER},     {"+", "=+", 8, ADD},         {"-", "=-", 8, SUBTRACT},
    {"*", "=", 9, MULTIPLY},    {"/", "=", 9, DIVIDE},       {"%", "=", 9, REMAINDER},
};
enum { BINARIES = sizeof binaries / sizeof *binaries };

/* Takes an operator of at least a level, or returns NULL. */
static const struct binary *take_binary(struct parser *parser, int level) {
    for (size_t b = 0; b < BINARIES; b++)
        if (binaries[b].level >= level && take(parser, binaries[b].sign, binaries[b].unless))
            return &binaries[b];
    return NULL;
}

/* Takes "=", "+=" or another operator that assigns; *compound is NULL for "=". */
static bool take_assignment(struct parser *parser, const struct binary **compound) {
    enum { LOGICAL = 1, EQUALITY = 5, COMPARISON = 6 };
    const char *start = parser->next;
    for (*compound = binaries; *compound < binaries + BINARIES; ++*compound) {
        if ((*compound)->level > LOGICAL && (*compound)->level != EQUALITY &&
            (*compound)->level != COMPARISON && take(parser, (*compound)->sign, "") &&
            *parser->next++ == '=')
            return true;
        parser->next = start;
    }
    *compound = NULL;
    return take(parser, "=", "=");
}

/* ---- Code ---- */

static bool emit(struct parser *parser, enum operation operation, struct c_type type,
                 int64_t number, const char *place) {
    struct mapping_program *program = parser->program;
    if (program->count == CODE_MAX)
        return fail_at(parser, place, "the code is too long");
    program->code[program->count++] =
        (struct instruction){operation, type, number, place, parser->text};
    parser->stack = (uint32_t)((int)parser->stack + change_of(operation));
    if (parser->stack > program->stack)
        program->stack = parser->stack;
    return true;
}

static bool emit_name(struct parser *parser, int variable, struct c_type *type, const char *place) {
    *type = parser->program->variable[variable].type;
    if (type->bits == 0) /* auto without a value: undefined when it is read */
        *type = INT;
    return emit(parser, NAME, *type, variable, place);
}

/* An operator of two operands. *type is that of the left one, and then that of the result. */
static bool emit_binary(struct parser *parser, enum operation operation, struct c_type *type,
                        struct c_type right, const char *place) {
    bool is_shift = operation == SHIFT_LEFT || operation == SHIFT_RIGHT;
    *type = is_shift ? promote(*type) : common_type(*type, right);
    if (!emit(parser, operation, *type, 0, place))
        return false;
    *type = operation >= LESS ? BOOL : *type;
    return true;
}

/* ---- Expressions ---- */

static bool parse_expression(struct parser *parser, struct c_type *type);
static bool parse_unary(struct parser *parser, struct c_type *type);

/* Copies a number without the ' between its digits, and with all that is attached to it. */
static void take_number(struct parser *parser, char *digits, size_t size) {
    size_t length = 0;
    for (const char *c = parser->next;
         is_letter(*c) || ascii_is_digit(*c) || *c == '.' ||
         (*c == '\'' && isxdigit((unsigned char)c[-1]) && isxdigit((unsigned char)c[1]));
         parser->next = ++c)
        if (*c != '\'' && length + 1 < size)
            digits[length++] = ascii_lower(*c);
    digits[length] = '\0';
}

/* A number has the first type of C that holds it; decimal ones without u are never unsigned. */
static bool parse_number(struct parser *parser, struct c_type *type) {
    const char *place = parser->next;
    char digits[80], *suffix;
    take_number(parser, digits, sizeof digits);
    int base = digits[0] != '0' ? 10 : digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : 8;
    const char *first = base == 2 ? digits + 2 : digits;
    errno = 0;
    uint64_t number = strtoull(first, &suffix, base);
    if (suffix == first || errno == ERANGE ||
        (*suffix && !mapping_word_is_in("u l ul lu ll ull llu", suffix, strlen(suffix))))
        return fail_at(parser, place, "not a C integer");
    bool is_unsigned = strchr(suffix, 'u') != NULL, is_long = strchr(suffix, 'l') != NULL;
    *type = (struct c_type){32, !is_unsigned};
    if (number > INT32_MAX && number <= UINT32_MAX && base != 10)
        type->is_signed = false;
    if (is_long || number > (type->is_signed ? INT32_MAX : UINT32_MAX))
        *type = (struct c_type){64, !is_unsigned && number <= INT64_MAX};
    return emit(parser, NUMBER, *type, (int64_t)number, place);
}

static bool unknown_name(struct parser *parser, const char *place, size_t length) {
    const struct mapping_program *program = parser->program;
    char what[320];
    if (mapping_word_is_in("for while do", place, length))
        return fail_at(parser, place,
                       "loops are not supported; write the body of the loop, with j = i / 2 and "
                       "k = i % 2 for loops over j and k");
    size_t used = (size_t)snprintf(what, sizeof what, "unknown name '%.*s'; known names:",
                                   (int)(length < 40 ? length : 40), place);
    for (uint32_t a = 0; a < program->from.count && used < sizeof what; a++) {
        const char *name = program->from.axis[a].name, *others = mapping_axis_names(name);
        used += (size_t)snprintf(what + used, sizeof what - used,
                                 *others ? "%s %s (or %s)%s" : "%s %s", a ? "," : "", name, others,
                                 strcmp(name, MAPPING_AXIS_TID) == 0 ? ", warp" : "");
    }
    for (uint32_t v = 0; v < program->variables && used < sizeof what; v++)
        if (program->variable[v].has_value && *program->variable[v].name != OUT_OF_SCOPE)
            used += (size_t)snprintf(what + used, sizeof what - used, ", %s",
                                     program->variable[v].name);
    return fail_at(parser, place, what);
}

/* The axis of a word, or NONE. The name of an axis comes before the aliases of others. "warp" is
 * tid divided by the threads of one warp, and "lane" is the remainder if there are several warps:
 * then *of_warp is DIVIDE or REMAINDER, else NUMBER. */
static int find_axis(const struct mapping_program *program, const char *word, size_t length,
                     enum operation *of_warp) {
    const struct mapping_space *from = &program->from;
    int tid = mapping_space_find(from, MAPPING_AXIS_TID);
    *of_warp = NUMBER;
    for (uint32_t a = 0; a < from->count; a++)
        if (is_word(word, length, from->axis[a].name))
            return (int)a;
    if (tid >= 0 && mapping_word_is_in(MAPPING_WARP_NAMES, word, length))
        *of_warp = DIVIDE;
    else if (tid >= 0 && from->axis[tid].size > program->lanes &&
             mapping_word_is_in(MAPPING_LANE_NAMES, word, length))
        *of_warp = REMAINDER;
    for (uint32_t a = 0; a < from->count && *of_warp == NUMBER; a++)
        if (mapping_axis_is_called(from->axis[a].name, word, length))
            return (int)a;
    return *of_warp == NUMBER ? NONE : tid;
}

static int find_variable(const struct mapping_program *program, const char *text, size_t length) {
    char name[sizeof program->variable->name];
    if (length >= sizeof name)
        return NONE;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    return mapping_program_find(program, name);
}

static bool parse_name(struct parser *parser, struct c_type *type) {
    const struct mapping_program *program = parser->program;
    const char *place = parser->next;
    size_t length = name_length(place);
    int variable = find_variable(program, place, length);
    enum operation of_warp;
    parser->next += length;
    if (variable != NONE)
        return emit_name(parser, variable, type, place);
    int axis = find_axis(program, place, length, &of_warp);
    *type = BOOL;
    if (axis == NONE && (is_word(place, length, "true") || is_word(place, length, "false")))
        return emit(parser, NUMBER, BOOL, *place == 't', place);
    if (axis == NONE)
        return unknown_name(parser, place, length);
    *type = (struct c_type){32, !program->is_unsigned && !is_word(place, length, "threadIdx.x")};
    return emit(parser, INPUT, *type, axis, place) &&
           (of_warp == NUMBER || (emit(parser, NUMBER, INT, program->lanes, place) &&
                                  emit_binary(parser, of_warp, type, INT, place)));
}

/* The operand of a cast, in parentheses or not; the value is converted. */
static bool parse_cast(struct parser *parser, struct c_type type, bool in_parentheses,
                       const char *place) {
    struct c_type inner;
    if (in_parentheses
            ? !expect(parser, "(") || !parse_expression(parser, &inner) || !expect(parser, ")")
            : !parse_unary(parser, &inner))
        return false;
    if (type.bits == 0)
        return fail_at(parser, place, "a cast to auto is not possible");
    return emit(parser, CAST, type, 0, place);
}

/* A number, a name, "(x)", "int(x)" or "static_cast<int>(x)". */
static bool parse_primary(struct parser *parser, struct c_type *type) {
    const char *place = parser->next = skip_blanks(parser->next);
    if (ascii_is_digit(*place))
        return parse_number(parser, type);
    if (take(parser, "(", ""))
        return parse_expression(parser, type) && expect(parser, ")");
    if (take_type(parser, type))
        return parse_cast(parser, *type, true, place);
    parser->next = place;
    if (name_length(place) == 0)
        return fail_at(parser, place, "expected a number, a name or '('");
    if (!take_word(parser, "static_cast"))
        return parse_name(parser, type);
    if (!take(parser, "<", "") || !take_type(parser, type) || !take(parser, ">", ""))
        return fail_at(parser, skip_blanks(parser->next), "expected a type, such as '<int>'");
    return parse_cast(parser, *type, true, place);
}

/* An operator of one operand, a cast, or what binds tighter. All nesting goes through here. */
static bool parse_unary(struct parser *parser, struct c_type *type) {
    const char *start = parser->next, *place = skip_blanks(start);
    bool parsed;
    if (++parser->depth > DEPTH_MAX)
        return fail_at(parser, place, "nested too deeply");
    if (take(parser, "-", "-") || take(parser, "+", "+") || take(parser, "~", "") ||
        take(parser, "!", "=")) {
        enum operation operation = *place == '-' ? NEGATE : *place == '~' ? COMPLEMENT : NOT;
        if (!parse_unary(parser, type))
            return false;
        *type = promote(*type);
        parsed = *place == '+' || emit(parser, operation, *type, 0, place);
        *type = *place == '!' ? BOOL : *type;
    } else if (take(parser, "(", "") && take_type(parser, type) && take(parser, ")", "")) {
        parsed = parse_cast(parser, *type, false, place);
    } else {
        parser->next = start;
        parsed = parse_primary(parser, type);
    }
    parser->depth--;
    return parsed;
}

/* Operators that bind at least as tight as `level`. */
static bool parse_binary(struct parser *parser, int level, struct c_type *type) {
    if (!parse_unary(parser, type))
        return false;
    for (;;) {
        const char *place = skip_blanks(parser->next);
        const struct binary *binary = take_binary(parser, level);
        struct c_type right;
        if (!binary)
            return true;
        if ((binary->operation == BOTH && !emit(parser, AND_THEN, BOOL, 0, place)) ||
            (binary->operation == EITHER && !emit(parser, OR_ELSE, BOOL, 0, place)) ||
            !parse_binary(parser, binary->level + 1, &right) ||
            !emit_binary(parser, binary->operation, type, right, place))
            return false;
    }
}

/* "a ? b : c", of which b and c may have different types, and all that binds tighter. */
static bool parse_condition(struct parser *parser, struct c_type *type) {
    struct c_type yes, no;
    if (!parse_binary(parser, 0, type))
        return false;
    const char *place = skip_blanks(parser->next);
    if (!take(parser, "?", ""))
        return true;
    if (!emit(parser, THEN, BOOL, 0, place) || !parse_expression(parser, &yes) ||
        !expect(parser, ":") || !emit(parser, ELSE, BOOL, 0, place) ||
        !parse_expression(parser, &no))
        return false;
    *type = same_type(yes, no) ? yes : common_type(yes, no);
    return emit(parser, SELECT, *type, 0, place);
}

static bool parse_expression(struct parser *parser, struct c_type *type) {
    if (++parser->depth > DEPTH_MAX)
        return fail_at(parser, skip_blanks(parser->next), "nested too deeply");
    bool parsed = parse_condition(parser, type);
    parser->depth--;
    return parsed;
}

/* ---- Statements ---- */

/* The left side of an assignment. */
struct target {
    const char *place; /* in the text */
    size_t length;
    char name[64];                 /* cut off if it is longer; add_variable refuses it */
    const struct binary *compound; /* of "+=" and the like, else NULL */
};

static void read_target(const char *place, struct target *target) {
    *target = (struct target){.place = place, .length = name_length(place)};
    snprintf(target->name, sizeof target->name, "%.*s", (int)target->length, place);
}

/* Takes a name and an operator that assigns, or ':'. A formula is printed as "Row: return", with a
 * capital letter, and defines row. */
static bool take_target(struct parser *parser, struct target *target) {
    const char *start = parser->next;
    read_target(skip_blanks(start), target);
    if (target->length == 0)
        return false;
    parser->next = target->place + target->length;
    if (take(parser, ":", ":"))
        *target->name = ascii_lower(*target->name);
    else if (!take_assignment(parser, &target->compound)) {
        parser->next = start;
        return false;
    }
    return true;
}

/* Adds a variable; NONE if there is no room. */
static int add_variable(struct parser *parser, const struct target *target, bool is_declared,
                        struct c_type type) {
    struct mapping_program *program = parser->program;
    if (target->length >= sizeof target->name || program->variables == VARIABLES_MAX) {
        fail_at(parser, target->place, "too many names, or a name is too long");
        return NONE;
    }
    struct variable *variable = &program->variable[program->variables];
    *variable = (struct variable){.is_declared = is_declared, .type = type};
    memcpy(variable->name, target->name, sizeof variable->name);
    return (int)program->variables++;
}

/* Stores the value on the stack in a variable, at the points of the mask. A variable without a
 * declaration takes the type of the value; if it keeps its value at some points, that of both. */
static bool emit_store(struct parser *parser, int number, struct c_type value, const char *place) {
    struct variable *variable = &parser->program->variable[number];
    bool keeps = parser->guard != NONE && variable->has_value;
    if (variable->type.bits == 0 || (!variable->is_declared && !keeps))
        variable->type = value;
    else if (!variable->is_declared && !same_type(variable->type, value))
        variable->type = common_type(variable->type, value);
    variable->has_value = true;
    return emit(parser, STORE, variable->type, number, place);
}

/* The right side of an assignment, with or without "return" before it. */
static bool parse_value(struct parser *parser, struct c_type *type) {
    take_word(parser, "return");
    return parse_expression(parser, type);
}

/* The rest of a declaration: "row = EXPR", "row: EXPR", or "row" alone. The name is visible,
 * without a value, in its own EXPR. */
static bool parse_declaration(struct parser *parser, struct c_type type) {
    struct target target;
    read_target(skip_blanks(parser->next), &target);
    const char *end = skip_blanks(target.place + target.length);
    bool is_alone = target.length > 0 && (*end == ',' || *end == ';' || *end == '\0');
    if (!is_alone && (!take_target(parser, &target) || target.compound))
        return fail_at(parser, target.place, "expected a name and '='");
    if (is_alone && type.bits == 0)
        return fail_at(parser, target.place, "auto needs a value");
    int variable = mapping_program_find(parser->program, target.name);
    if (variable >= (int)parser->scope && parser->program->variable[variable].is_declared)
        return fail_at(parser, target.place, "this name is declared twice");
    if ((variable = add_variable(parser, &target, true, type)) == NONE)
        return false;
    if (is_alone) {
        parser->next = end;
        return true;
    }
    return parse_value(parser, &type) && emit_store(parser, variable, type, target.place);
}

/* Without a type: "row = EXPR", "row += EXPR", "Row: return EXPR", or a bare EXPR. A name without a
 * declaration is visible behind its first value: in "tid = tid % 32" the second is the axis. */
static bool parse_assignment(struct parser *parser) {
    struct target target;
    struct c_type type, right;
    if (!take_target(parser, &target))
        target = (struct target){.place = target.place, .name = MAPPING_RESULT};
    int variable = mapping_program_find(parser->program, target.name);
    if (target.compound) {
        if (variable == NONE)
            return unknown_name(parser, target.place, target.length);
        if (!emit_name(parser, variable, &type, target.place) ||
            !parse_expression(parser, &right) ||
            !emit_binary(parser, target.compound->operation, &type, right, target.place))
            return false;
    } else if (!parse_value(parser, &type)) {
        return false;
    }
    if (variable == NONE && (variable = add_variable(parser, &target, false, INT)) == NONE)
        return false;
    return emit_store(parser, variable, type, target.place);
}

static bool parse_statement(struct parser *parser);

/* Ends a block: what was declared in it, from `first` on, is visible no longer. */
static void close_scope(struct mapping_program *program, uint32_t first) {
    for (uint32_t v = first; v < program->variables; v++)
        if (program->variable[v].is_declared)
            *program->variable[v].name = OUT_OF_SCOPE;
}

/* Stores the value on the stack as a condition, and executes a statement at the points where it is
 * true. It is false at points outside of the mask. */
static bool parse_guarded(struct parser *parser, struct c_type type, const char *place,
                          int *condition) {
    const struct target target = {.place = place, .name = {OUT_OF_SCOPE}};
    uint32_t scope = parser->scope;
    int outer = parser->guard;
    *condition = add_variable(parser, &target, true, BOOL);
    if (*condition == NONE || !emit_store(parser, *condition, type, place))
        return false;
    parser->scope = parser->program->variables;
    parser->guard = *condition;
    bool parsed = emit(parser, MASK, BOOL, *condition, place) && parse_statement(parser) &&
                  emit(parser, MASK, BOOL, outer, place);
    close_scope(parser->program, parser->scope);
    parser->scope = scope;
    parser->guard = outer;
    return parsed;
}

/* "if (a) statement else statement" */
static bool parse_if(struct parser *parser) {
    const char *place = skip_blanks(parser->next);
    struct c_type type;
    int condition;
    if (!expect(parser, "(") || !parse_expression(parser, &type) || !expect(parser, ")") ||
        !parse_guarded(parser, type, place, &condition))
        return false;
    return !take_word(parser, "else") ||
           (emit_name(parser, condition, &type, place) && emit(parser, NOT, BOOL, 0, place) &&
            parse_guarded(parser, BOOL, place, &condition));
}

/* "{ statements }" */
static bool parse_block(struct parser *parser) {
    uint32_t scope = parser->scope;
    parser->scope = parser->program->variables;
    while (!take(parser, "}", "")) {
        const char *next = skip_blanks(parser->next);
        if (!*next)
            return fail_at(parser, next, "expected '}'");
        if (!parse_statement(parser))
            return false;
    }
    close_scope(parser->program, parser->scope);
    parser->scope = scope;
    return true;
}

/* Declarations of one type, or an assignment, up to ';' or the end. What begins like a cast is no
 * declaration. */
static bool parse_definitions(struct parser *parser) {
    struct c_type type;
    const char *start = parser->next;
    bool has_type = take_type(parser, &type) && name_length(skip_blanks(parser->next)) > 0;
    if (!has_type)
        parser->next = start;
    do {
        if (!(has_type ? parse_declaration(parser, type) : parse_assignment(parser)))
            return false;
    } while (has_type && take(parser, ",", ""));
    const char *end = skip_blanks(parser->next);
    if (*end && *end != ';')
        return fail_at(parser, end, "expected an operator, ';' or the end");
    take(parser, ";", "");
    return true;
}

static bool parse_statement(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        return fail_at(parser, skip_blanks(parser->next), "nested too deeply");
    bool parsed = take(parser, ";", "")     ? true
                  : take(parser, "{", "")   ? parse_block(parser)
                  : take_word(parser, "if") ? parse_if(parser)
                                            : parse_definitions(parser);
    parser->depth--;
    return parsed;
}

enum mapping_status mapping_program_parse(const char *text, const struct mapping_space *from,
                                          struct mapping_program **program,
                                          struct mapping_error *error) {
    if (!*program && !(*program = mapping_program_make(MAPPING_WARP)))
        return mapping_out_of_memory(error);
    (*program)->from = *from;
    struct parser parser = {
        .text = text, .next = text, .program = *program, .error = error, .guard = NONE};
    if (!*skip_blanks(text))
        return point_at(text, text, "expected an expression", error);
    for (;;) {
        parser.next = skip_blanks(parser.next);
        if (!*parser.next)
            return MAPPING_OK;
        if (!parse_statement(&parser))
            return MAPPING_INVALID;
    }
}

bool mapping_text_defines(const char *text, const char *name) {
    struct parser parser = {.next = text};
    struct c_type type;
    struct target target;
    for (;;) {
        parser.next = skip_blanks(parser.next);
        take_word(&parser, "else");
        take_type(&parser, &type);
        if (take_target(&parser, &target) &&
            mapping_axis_is_called(name, target.name, strlen(target.name)))
            return true;
        /* On to the next statement, or the next name of this declaration; one may follow ")". */
        while (*parser.next && !strchr(";,{})", *parser.next))
            parser.next = skip_blanks(parser.next + 1);
        if (!*parser.next++)
            return false;
    }
}

/* ---- Evaluation ---- */

typedef int64_t vector[MAPPING_POINTS];

struct machine {
    uint64_t all, mask; /* points that are evaluated, and those that count here */
    vector *variable, *stack;
    uint64_t *defined;  /* of each variable, the points where it has a value */
    uint64_t *outer;    /* of each value on the stack, the mask that its operator restores */
    unsigned undefined; /* the first point where something is undefined */
    const struct instruction *cause; /* NULL: a variable has no value at the end */
    const char *what; /* the sentence, or that variable; NULL as long as nothing is undefined */
};

/* Notes that something is undefined at a point. Keeps what comes first at the first point. */
static void note_undefined(struct machine *machine, unsigned point, const struct instruction *cause,
                           const char *what) {
    if (machine->what && point >= machine->undefined)
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

/* Writes a result that was computed in 64 bits. False if it is signed and does not fit. */
static inline bool fit(struct c_type type, int64_t n, bool overflows, int64_t *result) {
    if (type.is_signed && (overflows || (type.bits == 32 && n != (int32_t)n)))
        return false;
    *result = type.is_signed || type.bits == 64 ? n : (int64_t)(n & UINT32_MAX);
    return true;
}

static inline bool divide(struct c_type type, int64_t a, int64_t b, bool is_quotient,
                          int64_t *result) {
    int64_t quotient = (int64_t)(0 - (uint64_t)a);
    if (b == 0)
        return false;
    if (!type.is_signed)
        *result = (int64_t)(is_quotient ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
    else if (b != -1)
        *result = is_quotient ? a / b : a % b;
    else if (!fit(type, quotient, a == INT64_MIN, &quotient)) /* of the remainder, too */
        return false;
    else
        *result = is_quotient ? quotient : 0;
    return true;
}

/* Computes one operator at one point. If it is undefined, returns false and leaves *result. */
static inline bool operate(enum operation operation, struct c_type type, int64_t a, int64_t b,
                           int64_t *result) {
    static const uint8_t orders[] = {[LESS] = 1,       [EQUAL] = 2,         [GREATER] = 4,
                                     [LESS_EQUAL] = 3, [GREATER_EQUAL] = 6, [NOT_EQUAL] = 5};
    bool overflows = false, is_less = type.is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    int64_t n = 0;
    switch (operation) {
    case NEGATE:
        return fit(type, (int64_t)(0 - (uint64_t)a), a == INT64_MIN, result);
    case COMPLEMENT:
        return fit(type, ~a, false, result);
    case NOT:
        n = a == 0;
        break;
    case MULTIPLY:
        overflows = __builtin_mul_overflow(a, b, &n);
        return fit(type, n, overflows, result);
    case DIVIDE:
    case REMAINDER:
        return divide(type, a, b, operation == DIVIDE, result);
    case ADD:
        overflows = __builtin_add_overflow(a, b, &n);
        return fit(type, n, overflows, result);
    case SUBTRACT:
        overflows = __builtin_sub_overflow(a, b, &n);
        return fit(type, n, overflows, result);
    case SHIFT_LEFT:
        if ((uint64_t)b >= type.bits || (type.is_signed && a < 0))
            return false;
        n = (int64_t)((uint64_t)a << b);
        return fit(type, n, n >> b != a, result);
    case SHIFT_RIGHT:
        if ((uint64_t)b >= type.bits)
            return false;
        n = type.is_signed ? a >> b : (int64_t)((uint64_t)a >> b);
        break;
    case AND:
        n = a & b;
        break;
    case EXCLUSIVE:
        n = a ^ b;
        break;
    case OR:
        n = a | b;
        break;
    case BOTH:
        n = a != 0 && b != 0;
        break;
    case EITHER:
        n = a != 0 || b != 0;
        break;
    default:
        n = (orders[operation] & (is_less ? 1 : a == b ? 2 : 4)) != 0;
        break;
    }
    *result = n;
    return true;
}

bool mapping_operate(enum c_operator operation, int32_t a, int32_t b, int32_t *result) {
    static const uint8_t operations[C_OPERATORS] = {[C_NEGATE] = NEGATE,
                                                    [C_COMPLEMENT] = COMPLEMENT,
                                                    [C_NOT] = NOT,
                                                    [C_MULTIPLY] = MULTIPLY,
                                                    [C_DIVIDE] = DIVIDE,
                                                    [C_REMAINDER] = REMAINDER,
                                                    [C_ADD] = ADD,
                                                    [C_SUBTRACT] = SUBTRACT,
                                                    [C_SHIFT_LEFT] = SHIFT_LEFT,
                                                    [C_SHIFT_RIGHT] = SHIFT_RIGHT,
                                                    [C_LESS] = LESS,
                                                    [C_GREATER] = GREATER,
                                                    [C_LESS_EQUAL] = LESS_EQUAL,
                                                    [C_GREATER_EQUAL] = GREATER_EQUAL,
                                                    [C_EQUAL] = EQUAL,
                                                    [C_NOT_EQUAL] = NOT_EQUAL,
                                                    [C_AND] = AND,
                                                    [C_EXCLUSIVE] = EXCLUSIVE,
                                                    [C_OR] = OR,
                                                    [C_BOTH] = BOTH,
                                                    [C_EITHER] = EITHER};
    int64_t n = 0;
    bool is_defined = operate((enum operation)operations[operation], INT, a, b, &n);
    *result = (int32_t)n;
    return is_defined;
}

/* Why an operator is undefined. */
static const char *why_undefined(const struct instruction *instruction, int64_t a, int64_t b) {
    enum operation operation = instruction->operation;
    bool shifts = operation == SHIFT_LEFT || operation == SHIFT_RIGHT;
    return (operation == DIVIDE || operation == REMAINDER) && b == 0 ? "this divides by zero"
           : shifts && (uint64_t)b >= instruction->type.bits
               ? "this shifts by a negative number or by too many bits"
           : shifts && a < 0 ? "this shifts a negative number to the left"
                             : "this overflows";
}

/* Computes one operator at all points. Returns those where it is undefined. */
static uint64_t operate_all(enum operation operation, struct c_type type, int64_t *a,
                            const int64_t *b) {
    uint64_t undefined = 0;
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        undefined |= (uint64_t)!operate(operation, type, a[n], b[n], &a[n]) << n;
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

/* Executes one instruction. Returns the new top of the stack. */
static vector *execute(struct machine *machine, const struct instruction *instruction,
                       const struct mapping_points *points, vector *top) {
    const int64_t number = instruction->number;
    const enum operation operation = instruction->operation;
    vector *result = top + change_of(operation);
    int64_t *a = *result, *b = *top; /* the same for one operand */
    uint64_t *outer = &machine->outer[result - machine->stack], undefined = 0;
    switch (operation) {
    case NUMBER:
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            a[n] = number;
        break;
    case INPUT:
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            a[n] = points->coordinate[number][n];
        break;
    case NAME:
        undefined = machine->mask & ~machine->defined[number];
        if (undefined)
            note_undefined(machine, (unsigned)__builtin_ctzll(undefined), instruction,
                           "this is read before it has a value");
        memcpy(a, machine->variable[number], sizeof *result);
        break;
    case CAST:
        convert(a, instruction->type);
        break;
    case AND_THEN:
    case THEN:
        *outer = machine->mask;
        machine->mask &= points_of(a);
        break;
    case OR_ELSE:
        *outer = machine->mask;
        machine->mask &= ~points_of(a);
        break;
    case ELSE: /* the condition is below the first value */
        machine->mask = outer[-1] & ~points_of(top[-1]);
        break;
    case SELECT:
        put(b, top[-1], points_of(a));
        memcpy(a, b, sizeof *result);
        convert(a, instruction->type);
        break;
    case STORE:
        put(machine->variable[number], b, machine->mask);
        convert(machine->variable[number], instruction->type);
        machine->defined[number] |= machine->mask;
        break;
    case MASK:
        machine->mask =
            number < 0 ? machine->all : machine->all & points_of(machine->variable[number]);
        break;
    default:
        if (!instruction->type.is_signed && operation != SHIFT_LEFT && operation != SHIFT_RIGHT) {
            convert(a, instruction->type);
            convert(b, instruction->type);
        }
        undefined = operate_all(operation, instruction->type, a, b) & machine->mask;
        if (undefined) {
            unsigned n = (unsigned)__builtin_ctzll(undefined);
            note_undefined(machine, n, instruction, why_undefined(instruction, a[n], b[n]));
        }
        break;
    }
    if (operation == BOTH || operation == EITHER || operation == SELECT)
        machine->mask = *outer;
    return result;
}

enum mapping_status mapping_program_evaluate(const struct mapping_program *program,
                                             const struct mapping_points *points, const int *names,
                                             size_t count, int64_t (*values)[MAPPING_POINTS],
                                             unsigned *undefined, struct mapping_error *error) {
    /* The vector below the first value on the stack is not used. */
    size_t vectors = program->variables + program->stack + 1;
    vector *room = malloc(vectors * (sizeof(vector) + sizeof(uint64_t)));
    if (!room)
        return mapping_out_of_memory(error);
    struct machine machine = {.all = points->mask,
                              .mask = points->mask,
                              .variable = room,
                              .stack = room + program->variables,
                              .defined = (uint64_t *)(room + vectors)};
    machine.outer = machine.defined + program->variables;
    memset(room, 0, program->variables * sizeof *room);
    memset(machine.defined, 0, program->variables * sizeof *machine.defined);
    vector *top = machine.stack;
    for (uint32_t c = 0; c < program->count; c++)
        top = execute(&machine, &program->code[c], points, top);
    for (size_t k = 0; k < count; k++) {
        uint64_t missing = machine.all & ~machine.defined[names[k]];
        if (missing)
            note_undefined(&machine, (unsigned)__builtin_ctzll(missing), NULL,
                           program->variable[names[k]].name);
        memcpy(values[k], machine.variable[names[k]], sizeof *values);
    }
    *undefined = machine.undefined;
    free(room);
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
        unsigned end = count - first < MAPPING_POINTS ? (unsigned)(count - first) : MAPPING_POINTS;
        unsigned undefined = end, n = 0;
        mapping_points_from(from, first, &points);
        status = mapping_program_evaluate(program, &points, &name, 1, says, &undefined, &ignored);
        if (status != MAPPING_INVALID)
            undefined = end;
        while (n < undefined && status != MAPPING_FAILED && says[0][n] == values[first + n])
            n++;
        *wrong = first + n;
        if (n < end && status != MAPPING_FAILED)
            status = MAPPING_DIFFERS;
    }
    mapping_program_free(program);
    return status;
}
