/* expr.c - the parser and the evaluator of C expressions; see expr.h.
 *
 * The parser makes steps, which work on a stack of values. "row = i < 2 ? tid / 4 : 8" becomes
 *
 *     INPUT i, NUMBER 2, LESS, WHEN, INPUT tid, NUMBER 4, DIVIDE, UNLESS, NUMBER 8, SELECT,
 *     STORE row
 *
 * Each step runs at 64 points at once. WHEN and UNLESS guard the steps that follow: they make masks
 * of 64 bits with the points where i < 2, and the other points. An undefined result at a point
 * outside the guard's mask is not reported, because C does not evaluate the step there.
 * "a ? b : c", &&, || and "if" all use guards.
 *
 * Types are known when a step is made (C17 6.3.1, 6.5). Signed values are stored sign-extended to
 * 64 bits, unsigned values zero-extended. */
#include "layout/expr.h"
#include "layout/ascii.h"
#include "layout/sentence.h"
#include "layout/space.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Types ---- */

static const struct c_type INT = {32, true}, BOOL = {1, false};

/* Integer promotion. */
static struct c_type promote(struct c_type type) {
    return type.bits < 32 ? INT : type;
}

/* The usual arithmetic conversions, including those of types smaller than int. */
static struct c_type common_type(struct c_type a, struct c_type b) {
    a = promote(a);
    b = promote(b);
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return (struct c_type){a.bits, a.is_signed && b.is_signed};
}

static bool is_shift(int operation) {
    return operation == C_SHIFT_LEFT || operation == C_SHIFT_RIGHT;
}

/* The type of a value that comes from one of two expressions, as that of "x ? a : b". */
static struct c_type either_type(struct c_type a, struct c_type b) {
    return a.bits == b.bits && a.is_signed == b.is_signed ? a : common_type(a, b);
}

/* ---- Programs ---- */

/* Operations beside the operators of C. */
enum { NUMBER = C_OPERATORS, INPUT, NAME, CAST, WHEN, UNLESS, SELECT, STORE };

struct step {
    int operation;            /* an operator of C, or one of the above */
    struct c_type type;       /* of the operands; of CAST, SELECT and STORE, of the result */
    const char *place, *text; /* the place in the text, and all of it */
    int64_t number;           /* of NUMBER; of INPUT the axis; of NAME and STORE the variable */
    int slot;                 /* of the first operand and of the result; other operands follow */
    int guard; /* the slot with the condition and mask of its points; NONE for all points */
};

struct variable {
    char name[64]; /* begins with OUT_OF_SCOPE after the end of its block */
    bool is_declared, has_value;
    struct c_type type; /* bits is 0 for auto without a value */
};

enum { OUT_OF_SCOPE = '}', STEPS_MAX = 2048, VARIABLES_MAX = 256, DEPTH_MAX = 256, NONE = -1 };

struct mapping_program {
    struct mapping_space from;
    bool is_unsigned; /* inputs are unsigned */
    bool bits_first;  /* see enum mapping_dialect */
    uint32_t count;   /* of steps */
    uint32_t variables;
    int slots; /* the most that are in use at once */
    struct step step[STEPS_MAX];
    struct variable variable[VARIABLES_MAX];
};

struct mapping_program *mapping_program_make(const struct mapping_space *from, unsigned dialect) {
    struct mapping_program *program = calloc(1, sizeof *program);
    if (program) {
        program->from = *from;
        program->is_unsigned = dialect & MAPPING_UNSIGNED_INPUTS;
        program->bits_first = dialect & MAPPING_BITS_FIRST;
    }
    return program;
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

/* True if the value of an operator is bool, as in C++. */
static bool is_truth(int operation) {
    return operation == C_NOT || (operation >= C_BOTH && operation < C_OPERATORS);
}

/* ---- Tokens ---- */

/* A failure ends the text: nothing more is read or made, so that no function has to stop. */
struct parser {
    const char *text, *next; /* the whole text, and the next token */
    struct mapping_program *program;
    struct mapping_error *error;
    bool has_failed;
    unsigned depth; /* of nested statements and expressions */
    int height;     /* slots that are in use */
    int guard;      /* of the steps that are made */
    uint32_t scope; /* the first variable of the block */
};

/* Writes what is wrong, with the text around the place and a caret under it. */
static void point_at(const char *text, const char *place, const char *what,
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
    mapping_fail(error, MAPPING_INVALID, "%.300s:\n  %s\n  %.*s^", what, line, (int)(place - start),
                 pointer);
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
        if (text[0] == '/' && text[1] == '/')
            text += strcspn(text, "\n");
        else if (text[0] == '/' && text[1] == '*' && strstr(text + 2, "*/"))
            text = strstr(text + 2, "*/") + 2;
        else
            return text;
    }
}

/* The length of the name at the beginning of the text; 0 if there is none. */
static size_t name_length(const char *text) {
    size_t length = 0;
    if (ascii_is_digit(*text))
        return 0;
    while (ascii_is_letter(text[length]) || ascii_is_digit(text[length]) || text[length] == '_')
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
    uint8_t level, level_in_go;
    int operation;
} binaries[] = {
    {"||", "", 0, 0, C_EITHER},        {"&&", "", 1, 1, C_BOTH},
    {"|", "|=", 2, 8, C_OR},           {"^", "=", 3, 8, C_EXCLUSIVE},
    {"&", "&=", 4, 9, C_AND},          {"==", "", 5, 5, C_EQUAL},
    {"!=", "", 5, 5, C_NOT_EQUAL},     {"<=", "", 6, 6, C_LESS_EQUAL},
    {">=", "", 6, 6, C_GREATER_EQUAL}, {"<<", "=", 7, 9, C_SHIFT_LEFT},
    {">>", "=", 7, 9, C_SHIFT_RIGHT},  {"<", "<", 6, 6, C_LESS},
    {">", ">", 6, 6, C_GREATER},       {"+", "=+", 8, 8, C_ADD},
    {"-", "=-", 8, 8, C_SUBTRACT},     {"*", "=", 9, 9, C_MULTIPLY},
    {"/", "=", 9, 9, C_DIVIDE},        {"%", "=", 9, 9, C_REMAINDER},
};

static int level_of(const struct parser *parser, const struct binary *binary) {
    return parser->program->bits_first ? binary->level_in_go : binary->level;
}

/* Takes an operator of at least a level, or returns NULL. */
static const struct binary *take_binary(struct parser *parser, int level) {
    for (size_t b = 0; b < sizeof binaries / sizeof *binaries; b++)
        if (level_of(parser, &binaries[b]) >= level &&
            take(parser, binaries[b].sign, binaries[b].unless))
            return &binaries[b];
    return NULL;
}

/* Takes "=", "+=" or another operator that assigns; *compound is NULL for "=". */
static bool take_assignment(struct parser *parser, const struct binary **compound) {
    for (size_t b = 0; b < sizeof binaries / sizeof *binaries; b++) {
        size_t length = strlen(binaries[b].sign);
        *compound = &binaries[b];
        if (!is_truth(binaries[b].operation) &&
            strncmp(parser->next, binaries[b].sign, length) == 0 && parser->next[length] == '=') {
            advance(parser, length + 1);
            return true;
        }
    }
    *compound = NULL;
    return take(parser, "=", "=");
}

/* ---- Steps ---- */

/* Appends a step, which replaces its operands on the stack by its value. STORE has none; WHEN and
 * UNLESS leave their condition where it is. Returns the type of the value. */
static struct c_type emit(struct parser *parser, int operation, struct c_type type,
                          const char *place, int64_t number) {
    struct mapping_program *program = parser->program;
    const bool is_guard = operation == WHEN || operation == UNLESS;
    const int operands = operation == SELECT ? 3
                         : operation >= C_MULTIPLY && operation < C_OPERATORS
                             ? 2
                             : operation < C_MULTIPLY || operation == CAST || operation == STORE;
    if (program->count == STEPS_MAX)
        fail_at(parser, place, "the code is too long");
    if (parser->has_failed)
        return INT;
    const int slot = is_guard ? (int)number : parser->height - operands;
    program->step[program->count++] =
        (struct step){operation, type, place, parser->text, number, slot, parser->guard};
    if (!is_guard)
        parser->height = slot + (operation != STORE);
    if (parser->height > program->slots)
        program->slots = parser->height;
    return is_truth(operation) ? BOOL : type;
}

static struct c_type emit_name(struct parser *parser, int variable, const char *place) {
    const struct c_type type = parser->program->variable[variable].type;
    /* auto without a value: undefined when it is read */
    return emit(parser, NAME, type.bits == 0 ? INT : type, place, variable);
}

static struct c_type emit_binary(struct parser *parser, int operation, struct c_type left,
                                 struct c_type right, const char *place) {
    const struct c_type type = is_shift(operation) ? promote(left) : common_type(left, right);
    return emit(parser, operation, type, place, 0);
}

/* Guards the next steps: they run only at those points of the outer guard where the condition in
 * `slot` is true (WHEN) or false (UNLESS). */
static void emit_guard(struct parser *parser, int outer, int operation, int slot,
                       const char *place) {
    parser->guard = outer;
    emit(parser, operation, INT, place, slot);
    parser->guard = slot;
}

/* ---- Expressions ---- */

static struct c_type parse_expression(struct parser *parser);

/* A number has the first type of C that holds it; decimal ones without u are unsigned only from
 * 2^63 on. What is attached to it belongs to it; ' may stand between its digits. */
static struct c_type parse_number(struct parser *parser) {
    const char *place = parser->next, *c = place;
    char digits[80] = "", *suffix;
    size_t length = 0;
    for (; ascii_is_letter(*c) || *c == '_' || ascii_is_digit(*c) || *c == '.' ||
           (*c == '\'' && isxdigit((unsigned char)c[-1]) && isxdigit((unsigned char)c[1]));
         c++)
        if (*c != '\'' && length + 1 < sizeof digits)
            digits[length++] = ascii_lower(*c);
    advance(parser, (size_t)(c - place));
    int base = digits[0] != '0' ? 10 : digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : 8;
    const char *first = base == 2 ? digits + 2 : digits;
    errno = 0;
    uint64_t number = strtoull(first, &suffix, base);
    if (suffix == first || errno == ERANGE || length + 1 == sizeof digits ||
        (*suffix && !mapping_word_is_in("u l ul lu ll ull llu", suffix, strlen(suffix))))
        fail_at(parser, place, errno == ERANGE ? "larger than 64 bits" : "not a C integer");
    bool is_unsigned = strchr(suffix, 'u') != NULL, is_long = strchr(suffix, 'l') != NULL;
    struct c_type type = {32, !is_unsigned};
    if (number > INT32_MAX && number <= UINT32_MAX && base != 10)
        type.is_signed = false;
    if (is_long || number > (type.is_signed ? INT32_MAX : UINT32_MAX))
        type = (struct c_type){64, !is_unsigned && number <= INT64_MAX};
    return emit(parser, NUMBER, type, place, (int64_t)number);
}

static void fail_unknown(struct parser *parser, const char *place, size_t length) {
    const struct mapping_program *program = parser->program;
    char what[320];
    snprintf(what, sizeof what, "unknown name '%.*s'; known names are",
             (int)(length < 40 ? length : 40), place);
    for (uint32_t a = 0; a < program->from.count; a++) {
        const char *name = program->from.axis[a].name, *others = mapping_axis_names(name);
        mapping_append(what, sizeof what, *others ? "%s %s (or " : "%s %s", a ? "," : "", name);
        for (const char *c = others; *c; c++)
            mapping_append(what, sizeof what, *c == ' ' ? ",%c" : "%c", *c);
        if (*others)
            mapping_append(what, sizeof what, ")%s",
                           strcmp(name, MAPPING_AXIS_TID) ? "" : ", warp");
    }
    for (uint32_t v = 0; v < program->variables; v++)
        if (program->variable[v].has_value && *program->variable[v].name != OUT_OF_SCOPE)
            mapping_append(what, sizeof what, ", %s", program->variable[v].name);
    if (mapping_word_is_in("row col column", place, length))
        mapping_append(what, sizeof what, "; %.*s is not an input of this formula", (int)length,
                       place);
    fail_at(parser, place,
            mapping_word_is_in("for while do", place, length)
                ? "loops are not supported; write the body of the loop, with j = i / 2 and "
                  "k = i % 2 for loops over j and k"
                : what);
}

/* A variable, an axis by its name, or an axis by an alias, in this order. "warp" is tid divided by
 * the number of threads in a warp, and "lane" is the remainder if there are several warps, unless
 * an axis has exactly this name. */
static struct c_type parse_name(struct parser *parser) {
    const struct mapping_program *program = parser->program;
    const struct mapping_space *from = &program->from;
    const char *place = parser->next;
    const size_t length = name_length(place);
    const int variable = find_variable(program, place, length),
              tid = mapping_space_find(from, MAPPING_AXIS_TID);
    int axis = NONE, of_warp = NONE;
    bool is_exact = false;
    advance(parser, length);
    if (variable != NONE)
        return emit_name(parser, variable, place);
    for (int a = (int)from->count - 1; a >= 0; a--)
        if (is_word(place, length, from->axis[a].name) ||
            (!is_exact && mapping_axis_is_called(from->axis[a].name, place, length))) {
            is_exact = is_word(place, length, from->axis[a].name);
            axis = a;
        }
    if (tid != NONE && !is_exact) {
        if (mapping_word_is_in(MAPPING_WARP_NAMES, place, length))
            of_warp = C_DIVIDE;
        else if (mapping_word_is_in(MAPPING_LANE_NAMES, place, length) &&
                 from->axis[tid].size > MAPPING_WARP)
            of_warp = C_REMAINDER;
        axis = of_warp != NONE ? tid : axis;
    }
    if (axis == NONE && (is_word(place, length, "true") || is_word(place, length, "false")))
        return emit(parser, NUMBER, BOOL, place, *place == 't');
    if (axis == NONE)
        fail_unknown(parser, place, length);
    struct c_type type = {32, !program->is_unsigned && !is_word(place, length, "threadIdx.x")};
    type = emit(parser, INPUT, type, place, axis);
    if (of_warp == NONE)
        return type;
    return emit_binary(parser, of_warp, type, emit(parser, NUMBER, INT, place, MAPPING_WARP),
                       place);
}

/* "(x)", with parentheses. */
static struct c_type parse_enclosed(struct parser *parser) {
    expect(parser, "(");
    const struct c_type type = parse_expression(parser);
    expect(parser, ")");
    return type;
}

/* Takes what begins a cast: "(int)", "int" or "static_cast<int>". */
static bool take_cast(struct parser *parser, struct c_type *type) {
    const char *place = parser->next;
    if (take_word(parser, "static_cast")) {
        if (!take(parser, "<", "") || !take_type(parser, type) || !take(parser, ">", ""))
            fail_at(parser, parser->next, "expected a type, such as '<int>'");
        return true;
    }
    const bool is_enclosed = take(parser, "(", "");
    if (take_type(parser, type) && (!is_enclosed || take(parser, ")", "")))
        return true;
    parser->next = place;
    return false;
}

/* Counts one more level of nesting; the caller ends it. */
static void nest(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        fail_at(parser, parser->next, "nested too deeply");
}

/* A number, a name, "(x)", an operator of one operand, or a cast. */
static struct c_type parse_unary(struct parser *parser) {
    struct c_type type = INT;
    nest(parser);
    const char *place = parser->next;
    if (take(parser, "-", "-") || take(parser, "+", "+") || take(parser, "~", "") ||
        take(parser, "!", "=")) {
        const int operation = *place == '-'   ? C_NEGATE
                              : *place == '+' ? CAST
                              : *place == '~' ? C_COMPLEMENT
                                              : C_NOT;
        type = emit(parser, operation, promote(parse_unary(parser)), place, 0);
    } else if (take_cast(parser, &type)) {
        if (*place == '(')
            parse_unary(parser);
        else
            parse_enclosed(parser);
        if (type.bits == 0)
            fail_at(parser, place, "a cast to auto is not possible");
        type = emit(parser, CAST, type, place, 0);
    } else if (ascii_is_digit(*place)) {
        type = parse_number(parser);
    } else if (*place == '(') {
        type = parse_enclosed(parser);
    } else if (name_length(place + (*place == '%')) > 0) {
        advance(parser, *place == '%'); /* of a special register of PTX: %laneid */
        type = parse_name(parser);
    } else {
        fail_at(parser, place, "expected a number, a name or '('");
    }
    parser->depth--;
    return type;
}

/* Operators that bind at least as tight as `level`. */
static struct c_type parse_binary(struct parser *parser, int level) {
    const int outer = parser->guard, slot = parser->height;
    struct c_type type = parse_unary(parser);
    for (;;) {
        const char *place = parser->next;
        const struct binary *binary = take_binary(parser, level);
        if (!binary)
            return type;
        if (binary->operation == C_BOTH || binary->operation == C_EITHER)
            emit_guard(parser, outer, binary->operation == C_BOTH ? WHEN : UNLESS, slot, place);
        const struct c_type right = parse_binary(parser, level_of(parser, binary) + 1);
        parser->guard = outer;
        type = emit_binary(parser, binary->operation, type, right, place);
    }
}

/* "a ? b : c", of which b and c may have different types, and all that binds tighter. */
static struct c_type parse_expression(struct parser *parser) {
    nest(parser);
    const int outer = parser->guard, slot = parser->height;
    struct c_type type = parse_binary(parser, 0);
    const char *place = parser->next;
    if (take(parser, "?", "")) {
        emit_guard(parser, outer, WHEN, slot, place);
        const struct c_type yes = parse_expression(parser);
        expect(parser, ":");
        emit_guard(parser, outer, UNLESS, slot, place);
        const struct c_type no = parse_expression(parser);
        parser->guard = outer;
        type = emit(parser, SELECT, either_type(yes, no), place, 0);
    }
    parser->depth--;
    return type;
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

/* "row = EXPR", "row: return EXPR", "row += EXPR" or a bare EXPR; behind a type, also "row" alone.
 * A name that is declared is visible, without a value, in its own EXPR. Another one is visible
 * behind its first value: in "tid = tid % 32" the second is the axis. */
static void parse_definition(struct parser *parser, bool is_declaration, struct c_type declared) {
    struct target target;
    const bool is_assignment = take_target(parser, &target);
    if (!is_assignment && !is_declaration)
        target = (struct target){.place = target.place, .name = MAPPING_RESULT};
    int variable = mapping_program_find(parser->program, target.name);
    if (is_declaration) {
        if (!is_assignment)
            advance(parser, target.length);
        if (is_assignment ? target.compound != NULL
                          : target.length == 0 || !strchr(",;", *parser->next))
            fail_at(parser, target.place, "expected a name and '='");
        if (!is_assignment && declared.bits == 0)
            fail_at(parser, target.place, "auto needs a value");
        if (variable >= (int)parser->scope && parser->program->variable[variable].is_declared)
            fail_at(parser, target.place, "this name is declared twice");
        variable = add_variable(parser, &target, true, declared);
        if (!is_assignment)
            return;
    }
    struct c_type old = INT;
    if (!target.compound) {
        take_word(parser, "return");
    } else { /* "lane &= 31" makes a variable of an input, as "lane = lane & 31" does */
        const char *behind = parser->next;
        parser->next = target.place;
        old = parse_name(parser);
        parser->next = behind;
    }
    struct c_type type = parse_expression(parser);
    if (target.compound)
        type = emit_binary(parser, target.compound->operation, old, type, target.place);
    if (variable == NONE)
        variable = add_variable(parser, &target, false, INT);
    /* A variable without a declaration takes the type of the value; if it keeps its old value at
     * some points, that of both. */
    struct variable *stored = &parser->program->variable[variable];
    if (!stored->is_declared || stored->type.bits == 0)
        stored->type =
            parser->guard != NONE && stored->has_value ? either_type(stored->type, type) : type;
    stored->has_value = true;
    emit(parser, STORE, stored->type, target.place, variable);
}

/* A block, "if", or declarations of one type or assignments, up to ';' or the end. What begins
 * like a cast is no declaration. What is declared in a block, or in a statement that is a scope of
 * its own, is not visible behind it. */
static void parse_statement(struct parser *parser, bool is_scope) {
    struct mapping_program *program = parser->program;
    const uint32_t scope = parser->scope;
    struct c_type type;
    nest(parser);
    const char *start = parser->next;
    const bool is_block = take(parser, "{", "");
    is_scope = is_scope || is_block;
    if (is_scope)
        parser->scope = program->variables;
    if (is_block) {
        while (*parser->next && *parser->next != '}')
            parse_statement(parser, false);
        expect(parser, "}");
    } else if (take_word(parser, "if")) {
        const int outer = parser->guard, slot = parser->height;
        const char *place = parser->next;
        parse_enclosed(parser);
        emit_guard(parser, outer, WHEN, slot, place);
        parse_statement(parser, true);
        if (take_word(parser, "else")) {
            emit_guard(parser, outer, UNLESS, slot, place);
            parse_statement(parser, true);
        }
        parser->guard = outer;
        parser->height = slot;
    } else if (!take(parser, ";", "")) {
        const bool is_declaration = take_type(parser, &type) && name_length(parser->next) > 0;
        if (!is_declaration)
            parser->next = start;
        do
            parse_definition(parser, is_declaration, is_declaration ? type : INT);
        while (take(parser, ",", ""));
        if (*parser->next && !take(parser, ";", ""))
            fail_at(parser, parser->next, "expected an operator, ';' or the end");
    }
    for (uint32_t v = parser->scope; v < program->variables && is_scope; v++)
        if (program->variable[v].is_declared)
            *program->variable[v].name = OUT_OF_SCOPE;
    parser->scope = scope;
    parser->depth--;
}

enum mapping_status mapping_program_parse(struct mapping_program *program, const char *text,
                                          struct mapping_error *error) {
    if (!program)
        return mapping_out_of_memory(error);
    struct parser parser = {
        .text = text, .next = skip_blanks(text), .program = program, .error = error, .guard = NONE};
    if (!*parser.next)
        fail_at(&parser, text, "expected an expression");
    while (*parser.next)
        parse_statement(&parser, false);
    return parser.has_failed ? MAPPING_INVALID : MAPPING_OK;
}

bool mapping_text_defines(const char *text, const char *name) {
    struct parser parser = {.next = skip_blanks(text)};
    struct c_type type;
    struct target target;
    for (char end = ';'; *parser.next;) {
        take_word(&parser, "else");
        take_type(&parser, &type);
        const char *behind = skip_blanks(parser.next + name_length(parser.next));
        if ((end != ')' || *behind != ':') && take_target(&parser, &target) &&
            mapping_axis_is_called(name, target.name, strlen(target.name)))
            return true;
        /* On to the next statement, or the next name of this declaration. An assignment may follow
         * ")", but not "row:": in "? (int)col : row", col is no target. */
        while (*parser.next && !strchr(";,{})", *parser.next))
            advance(&parser, 1);
        end = *parser.next;
        if (end)
            advance(&parser, 1);
    }
    return false;
}

/* ---- Evaluation ---- */

/* Converts MAPPING_POINTS values to a type: upper bits are dropped, as all compilers do. */
static void convert(int64_t *values, struct c_type type) {
    unsigned unused = 64U - type.bits;
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        values[n] = type.bits == 1   ? values[n] != 0
                    : type.is_signed ? (int64_t)((uint64_t)values[n] << unused) >> unused
                                     : (int64_t)((uint64_t)values[n] << unused >> unused);
}

/* Applies an operator to MAPPING_POINTS pairs of values of any types, after converting them. The
 * results replace the values a. Returns a mask: bit n is set if result n is undefined. For an
 * operator with one operand, b is a. */
static uint64_t operate_all(int operation, struct c_type type, int64_t *a, int64_t *b) {
    uint64_t undefined = 0;
    if (!type.is_signed && !is_shift(operation)) {
        convert(a, type);
        convert(b, type);
    }
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        undefined |= (uint64_t)!mapping_operate((enum c_operator)operation, type, a[n], b[n], &a[n])
                     << n;
    return undefined;
}

/* Why a result is undefined: "this overflows". */
static const char *why_undefined(int operation, struct c_type type, int64_t a, int64_t b) {
    return (operation == C_DIVIDE || operation == C_REMAINDER) && b == 0 ? "this divides by zero"
           : is_shift(operation) && (uint64_t)b >= type.bits
               ? "this shifts by a negative number or by too many bits"
           : is_shift(operation) && a < 0 ? "this shifts a negative number to the left"
                                          : "this overflows";
}

typedef int64_t vector[MAPPING_POINTS];

struct slot {
    vector value;
    uint64_t points; /* of a variable, those where it has a value; of a guard, its mask */
};

struct machine {
    const struct mapping_points *points;
    struct slot *variable, *slot;
    unsigned undefined; /* the first point where something is undefined, or MAPPING_POINTS */
    struct mapping_error *error;
};

/* Notes that something is undefined at points. Keeps what comes first at the first point: a step,
 * or a variable that has no value at the end. */
static void note_undefined(struct machine *machine, uint64_t points, const struct step *step,
                           const char *what) {
    const unsigned point = points ? (unsigned)__builtin_ctzll(points) : MAPPING_POINTS;
    if (point >= machine->undefined)
        return;
    machine->undefined = point;
    if (step)
        point_at(step->text, step->place, what, machine->error);
    else
        mapping_fail(machine->error, MAPPING_INVALID,
                     *what ? "'%s' has no value" : "the result has no value%s", what);
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

/* Does a step at all points. */
static void do_step(struct machine *machine, const struct step *step) {
    const int operation = step->operation;
    const uint64_t mask =
        step->guard == NONE ? machine->points->mask : machine->slot[step->guard].points;
    struct slot *slot = &machine->slot[step->slot];
    const int64_t number = step->number;
    struct slot *variable =
        &machine->variable[operation == NAME || operation == STORE ? number : 0];
    int64_t *a = slot->value, *b = operation < C_MULTIPLY ? a : slot[1].value;
    uint64_t undefined;
    switch (operation) {
    case NUMBER:
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            a[n] = number;
        break;
    case INPUT:
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            a[n] = machine->points->coordinate[number][n];
        break;
    case NAME:
        note_undefined(machine, mask & ~variable->points, step,
                       "this is read before it has a value");
        memcpy(a, variable->value, sizeof(vector));
        break;
    case CAST:
        convert(a, step->type);
        break;
    case WHEN:
    case UNLESS:
        slot->points = mask & (operation == WHEN ? points_of(a) : ~points_of(a));
        break;
    case SELECT:
        put(b, slot[2].value, ~points_of(a));
        memcpy(a, b, sizeof(vector));
        if (!step->type.is_signed)
            convert(a, step->type);
        break;
    case STORE:
        put(variable->value, a, mask);
        convert(variable->value, step->type);
        variable->points |= mask;
        break;
    default:
        undefined = mask & operate_all(operation, step->type, a, b);
        if (undefined) {
            const unsigned n = (unsigned)__builtin_ctzll(undefined);
            note_undefined(machine, undefined, step,
                           why_undefined(operation, step->type, a[n], b[n]));
        }
        break;
    }
}

enum mapping_status mapping_program_evaluate(const struct mapping_program *program,
                                             const struct mapping_points *points, const int *names,
                                             size_t count, int64_t (*values)[MAPPING_POINTS],
                                             unsigned *undefined, struct mapping_error *error) {
    /* do_step points to two more slots, but uses those of operands alone. */
    struct slot *slots = malloc((program->variables + (size_t)program->slots + 2) * sizeof *slots);
    if (!slots)
        return mapping_out_of_memory(error);
    struct machine machine = {points, slots, slots + program->variables, MAPPING_POINTS, error};
    memset(slots, 0, program->variables * sizeof *slots);
    for (uint32_t n = 0; n < program->count; n++)
        do_step(&machine, &program->step[n]);
    for (size_t k = 0; k < count; k++) {
        const struct slot *variable = &machine.variable[names[k]];
        note_undefined(&machine, points->mask & ~variable->points, NULL,
                       program->variable[names[k]].name);
        memcpy(values[k], variable->value, sizeof *values);
    }
    *undefined = machine.undefined;
    free(slots);
    return machine.undefined < MAPPING_POINTS ? MAPPING_INVALID : MAPPING_OK;
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
    struct mapping_program *program =
        mapping_program_make(from, is_unsigned * MAPPING_UNSIGNED_INPUTS);
    enum mapping_status status = mapping_program_parse(program, text, &ignored);
    const int name = program ? mapping_program_find(program, MAPPING_RESULT) : NONE;
    if (status == MAPPING_OK && name == NONE)
        status = MAPPING_INVALID;
    for (size_t first = 0; first < mapping_space_size(from) && status == MAPPING_OK;
         first += MAPPING_POINTS) {
        struct mapping_points points;
        int64_t says[1][MAPPING_POINTS];
        unsigned undefined = 0;
        mapping_points_from(from, first, &points);
        status = mapping_program_evaluate(program, &points, &name, 1, says, &undefined, &ignored);
        for (unsigned n = 0; n < MAPPING_POINTS && status != MAPPING_FAILED; n++)
            if (points.mask >> n & 1 && (n == undefined || says[0][n] != values[first + n])) {
                *wrong = first + n;
                status = MAPPING_DIFFERS;
                break;
            }
    }
    free(program);
    return status;
}
