/* parser.c - the parser of expressions; see parser.h. */
#include "layout/parser.h"
#include "layout/ascii.h"
#include "layout/function.h"
#include "layout/sentence.h"
#include "layout/space.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Types ---- */

static const struct c_type BOOL = {1, false};

/* Integer promotion. */
static struct c_type promote(struct c_type type) {
    return type.bits < 32 ? INT : type;
}

/* The usual arithmetic conversions of C, which include the promotion of types smaller than int. */
static struct c_type common_type(struct c_type a, struct c_type b) {
    a = promote(a);
    b = promote(b);
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return (struct c_type){a.bits, a.is_signed && b.is_signed};
}

struct c_type parser_either_type(struct c_type a, struct c_type b) {
    return a.bits == b.bits && a.is_signed == b.is_signed ? a : common_type(a, b);
}

/* True if the value of an operator is bool, as in C++. */
static bool is_truth(int operation) {
    return operation == C_NOT || (operation >= C_BOTH && operation < C_OPERATORS);
}

/* ---- Tokens ---- */

void parser_fail(struct parser *parser, const char *place, const char *what) {
    if (!parser->has_failed)
        program_point_at(parser->text, place, what, parser->error);
    parser->has_failed = true;
    parser->next = parser->end = "";
}

const char *parser_skip(const char *text, bool has_lines) {
    for (;;) {
        text += strspn(text, " \t\r\n\v\f");
        if (has_lines && (strncmp(text, "//", 2) == 0 || strncmp(text, "#pragma", 7) == 0 ||
                          (text[0] == '#' && !ascii_is_letter(text[1]))))
            text += strcspn(text, "\n");
        else if (text[0] == '/' && text[1] == '*' && strstr(text + 2, "*/"))
            text = strstr(text + 2, "*/") + 2;
        else
            return text;
    }
}

size_t parser_name_length(const char *text) {
    size_t length = 0;
    if (ascii_is_digit(*text))
        return 0;
    while (ascii_is_letter(text[length]) || ascii_is_digit(text[length]) || text[length] == '_')
        length++;
    return strncmp(text, "threadIdx.x", 11) == 0 ? 11 : length;
}

void parser_advance(struct parser *parser, size_t length) {
    parser->end = parser->next + length;
    parser->next = parser_skip(parser->end, true);
}

void parser_go_back(struct parser *parser, const struct parser *before) {
    if (!parser->has_failed) {
        parser->next = before->next;
        parser->end = before->end;
    }
}

bool parser_is_on_new_line(const struct parser *parser) {
    return *parser->next && memchr(parser->end, '\n', (size_t)(parser->next - parser->end));
}

bool parser_take(struct parser *parser, const char *sign, const char *unless) {
    const char *end = parser->next + strlen(sign);
    if (strncmp(parser->next, sign, strlen(sign)) != 0 || (*end && strchr(unless, *end)))
        return false;
    parser_advance(parser, strlen(sign));
    return true;
}

bool parser_take_word(struct parser *parser, const char *word) {
    if (!is_word(parser->next, parser_name_length(parser->next), word))
        return false;
    parser_advance(parser, strlen(word));
    return true;
}

void parser_expect(struct parser *parser, const char *sign) {
    char what[32];
    snprintf(what, sizeof what, "expected '%s'", sign);
    if (!parser_take(parser, sign, ""))
        parser_fail(parser, parser->next, what);
}

/* Words that form types. */
static const struct type_word {
    const char *name;
    char kind;    /* 'k': const; 'q': volatile; 'o': static; 'e': constexpr; '+': sign; 't': a
                     complete type */
    uint8_t bits; /* 0 if the word does not state them */
    bool is_unsigned;
} type_words[] = {
    {"const", 'k', 0, 0},     {"volatile", 'q', 0, 0},   {"static", 'o', 0, 0},
    {"constexpr", 'e', 0, 0}, {"unsigned", '+', 0, 1},   {"signed", '+', 0, 0},
    {"char", 'c', 8, 0},      {"short", 's', 16, 0},     {"int", 'i', 0, 0},
    {"long", 'l', 64, 0},     {"bool", 't', 1, 1},       {"auto", 't', 0, 0},
    {"int8_t", 't', 8, 0},    {"uint8_t", 't', 8, 1},    {"int16_t", 't', 16, 0},
    {"uint16_t", 't', 16, 1}, {"int32_t", 't', 32, 0},   {"uint32_t", 't', 32, 1},
    {"int64_t", 't', 64, 0},  {"uint64_t", 't', 64, 1},  {"uint", 't', 32, 1},
    {"size_t", 't', 64, 1},   {"ptrdiff_t", 't', 64, 0},
};

/* Takes a word of a type. A word that is the name of an axis is not taken. */
static const struct type_word *take_type_word(struct parser *parser) {
    for (size_t w = 0; w < sizeof type_words / sizeof *type_words; w++)
        if ((!parser->program ||
             mapping_space_find(&parser->program->from, type_words[w].name) < 0) &&
            parser_take_word(parser, type_words[w].name))
            return &type_words[w];
    return NULL;
}

bool parser_take_type(struct parser *parser, struct c_type *type, char kinds[8]) {
    const char *place = parser->next;
    unsigned count['t' + 1] = {0};
    uint8_t bits = 0;
    bool is_unsigned = false, is_auto = false;
    size_t length = 0;
    for (const struct type_word *word; (word = take_type_word(parser)); count[(int)word->kind]++) {
        bits = word->bits > 0 ? word->bits : bits;
        is_unsigned |= word->is_unsigned;
        is_auto |= word->kind == 't' && word->bits == 0;
        if (length < 7 && count[(int)word->kind] == 0)
            kinds[length++] = word->kind;
    }
    kinds[length] = '\0';
    const unsigned sized = count['c'] + count['s'] + (count['l'] > 0),
                   parts = sized + count['+'] + count['i'];
    *type = (struct c_type){is_auto ? 0 : bits > 0 ? bits : 32, !is_unsigned};
    if (parser->program &&
        (count['t'] > (parts == 0) || sized > 1 || count['l'] > 2 || count['i'] > 1 ||
         count['+'] > 1 || count['o'] > 1 || count['e'] > 1 || (count['c'] && count['i'])))
        parser_fail(parser, place, "this is no type of C");
    return count['t'] + parts > 0;
}

static const struct binary binaries[] = {
    {"||", "", {0, 0, 0}, C_EITHER},        {"&&", "", {1, 1, 1}, C_BOTH},
    {"|", "|=", {2, 8, 3}, C_OR},           {"^", "=", {3, 8, 4}, C_EXCLUSIVE},
    {"&", "&=", {4, 9, 5}, C_AND},          {"==", "", {5, 5, 2}, C_EQUAL},
    {"!=", "", {5, 5, 2}, C_NOT_EQUAL},     {"<=", "", {6, 6, 2}, C_LESS_EQUAL},
    {">=", "", {6, 6, 2}, C_GREATER_EQUAL}, {"<<", "=", {7, 9, 6}, C_SHIFT_LEFT},
    {">>", "=", {7, 9, 6}, C_SHIFT_RIGHT},  {"<", "<", {6, 6, 2}, C_LESS},
    {">", ">", {6, 6, 2}, C_GREATER},       {"+", "=+", {8, 8, 8}, C_ADD},
    {"-", "=-", {8, 8, 8}, C_SUBTRACT},     {"*", "=*", {9, 9, 9}, C_MULTIPLY},
    {"/", "=/", {9, 9, 9}, C_DIVIDE},       {"%", "=", {9, 9, 9}, C_REMAINDER},
};

/* Operators of Python. */
static const struct binary floor_division = {"//", "=", {9, 9, 9}, FLOOR},
                           words[] = {{"or", "", {0, 0, 0}, EITHER_VALUE},
                                      {"and", "", {1, 1, 1}, BOTH_VALUE}};
enum { LEVEL_OF_NOT = 2 };

static int level_of(const struct parser *parser, const struct binary *binary) {
    return binary->level[parser->program->precedence];
}

void parser_need_python(struct parser *parser) {
    if (parser->program->precedence != OF_PYTHON) {
        parser->program->precedence = OF_PYTHON;
        parser->has_failed = true;
        parser->next = parser->end = "";
    }
}

static bool is_known(const struct parser *parser, const char *place, size_t length);

/* Functions of integers that kernels and compilers use. */
static const struct function {
    const char *names;
    int operation; /* of two arguments; CAST: the value of the only argument; SELECT: "where(x, a,
                      b)" is a if x, otherwise b */
} functions[] = {
    {"min", MINIMUM},
    {"max", MAXIMUM},
    {"cdiv ceil_div ceildiv", CEILING},
    {"floordiv floor_div FloorDiv", FLOOR},
    {"floormod FloorMod", MODULO},
    {"where select Select if_then_else", SELECT},
    {"floor int32 Int32 Uint32", CAST},
};

static const struct function *find_function(const char *name, size_t length) {
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        if (mapping_word_is_in(functions[f].names, name, length))
            return &functions[f];
    return NULL;
}

/* The length of the name of a function, if "(" follows it: "min", "std::min", "tl.where". *name is
 * its last part. 0 if there is none. */
static size_t call_length(const char *text, const char **name) {
    const char *part = text + (strncmp(text, "::", 2) == 0 ? 2 : 0);
    size_t length;
    while ((length = ascii_identifier_length(part)) > 0 && !ascii_is_digit(*part)) {
        *name = part;
        part += length;
        if (strncmp(part, "::", 2) == 0)
            part += 2;
        else if (*part == '.')
            part++;
        else
            return *part == '(' ? (size_t)(part - text) : 0;
    }
    return 0;
}

/* True if what is between "//" and the next "//", ';' or the end of the line can go on an
 * expression: then "//" divides. It begins a comment instead if this is no expression, or if the
 * next line goes on with an operator of C, unless that is between parentheses and all names are
 * known. In the middle of parentheses with known names it divides; what cannot go on is refused. */
static bool divides(const struct parser *parser, const char *text) {
    bool needs_operand = true, has_unknown = false;
    unsigned depth = 0;
    for (;;) {
        text += strspn(text, " \t\r");
        const size_t length = parser_name_length(text);
        const char *before = text;
        char *end;
        if (!*text || strchr("\n;#}", *text) || strncmp(text, "//", 2) == 0)
            break;
        if (length > 0) {
            const bool is_operator = mapping_word_is_in("and or if else", text, length);
            const char *name;
            const size_t call = needs_operand && !is_operator ? call_length(text, &name) : 0;
            text += call > 0 ? call : length;
            if (is_word(before, length, "not"))
                continue;
            if (call > 0) {
                has_unknown = has_unknown || !find_function(name, (size_t)(text - name));
                continue;
            }
            if (needs_operand == is_operator)
                return depth > 0 && !has_unknown;
            needs_operand = is_operator;
            has_unknown = has_unknown || (!is_operator && !is_known(parser, before, length));
        } else if (needs_operand && ascii_is_digit(*text)) {
            strtoull(text, &end, 0);
            text = end;
            if (parser_name_length(text) > 0 || ascii_is_digit(*text) || *text == '.')
                return false;
            needs_operand = false;
        } else if (needs_operand) {
            depth += *text == '(';
            if (!strchr("(+-~!%", *text++))
                return false;
        } else if (*text == ',' || (strchr(")]", *text) && ++text)) {
            if (*text == ',' && before == text)
                break;
            depth -= depth > 0;
        } else {
            size_t sign = strspn(text, "|&^=!<>+-*/%?:");
            needs_operand = true;
            text += sign;
            if (sign == 0 || (sign == 1 && *before == '='))
                return false;
        }
    }
    const char *line = *text == '\n' ? parser_skip(text, true) : "";
    const bool goes_on = *line && strchr("|&^<>+-*/%?:)=;", *line);
    return !needs_operand && !(goes_on && (parser->enclosed == 0 || has_unknown));
}

bool parser_is_floor_division(const struct parser *parser) {
    const char *sign = parser_skip(parser->end, false);
    if (strncmp(sign, "//", 2) != 0 || sign[2] == '=')
        return false;
    const bool is_division =
        (parser->function && parser->function->is_python) || divides(parser, sign + 2);
    if (!is_division && parser->program && !parser->program->comment)
        parser->program->comment = sign;
    return is_division;
}

/* Takes an operator of at least this level, or returns NULL. */
static const struct binary *take_binary(struct parser *parser, int level) {
    if (level_of(parser, &floor_division) >= level && parser_is_floor_division(parser)) {
        parser->next = parser_skip(parser->end, false);
        parser_advance(parser, 2);
        return &floor_division;
    }
    for (size_t b = 0; b < sizeof binaries / sizeof *binaries; b++)
        if (level_of(parser, &binaries[b]) >= level &&
            parser_take(parser, binaries[b].sign, binaries[b].unless))
            return &binaries[b];
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (level_of(parser, &words[w]) >= level && parser_take_word(parser, words[w].sign))
            return &words[w];
    return NULL;
}

const struct binary *parser_find_sign(char sign) {
    const struct binary *binary = binaries;
    while (binary->sign[0] != sign || binary->sign[1])
        binary++;
    return binary;
}

bool parser_take_assignment(struct parser *parser, const struct binary **compound) {
    const char *sign = parser_skip(parser->end, false);
    if (strncmp(sign, "//=", 3) == 0) {
        *compound = &floor_division;
        parser->next = sign;
        parser_advance(parser, 3);
        return true;
    }
    for (size_t b = 0; b < sizeof binaries / sizeof *binaries; b++) {
        size_t length = strlen(binaries[b].sign);
        *compound = &binaries[b];
        if (!is_truth(binaries[b].operation) &&
            strncmp(parser->next, binaries[b].sign, length) == 0 && parser->next[length] == '=') {
            parser_advance(parser, length + 1);
            return true;
        }
    }
    *compound = NULL;
    return parser_take(parser, "=", "=");
}

/* ---- Steps ---- */

struct c_type parser_emit(struct parser *parser, int operation, struct c_type type,
                          const char *place, int64_t number) {
    struct mapping_program *program = parser->program;
    const bool is_guard = operation == WHEN || operation == UNLESS;
    const int operands = operation == SELECT ? 3
                         : operation >= C_MULTIPLY && operation < NUMBER
                             ? 2
                             : operation < C_MULTIPLY || operation == CAST || operation == STORE;
    if (program->count == STEPS_MAX)
        parser_fail(parser, place, "the code is too long");
    parser->varies |= operation == INPUT || (operation == NAME && program->variable[number].varies);
    parser->may_change |=
        parser->varies || (operation == NAME && !program->variable[number].is_const);
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

struct c_type parser_emit_name(struct parser *parser, int variable, const char *place) {
    const struct c_type type = parser->program->variable[variable].type;
    parser->program->variable[variable].is_read = true;
    /* a variable that is declared as auto and has no value: reading it is an error */
    return parser_emit(parser, NAME, type.bits == 0 ? INT : type, place, variable);
}

struct c_type parser_emit_binary(struct parser *parser, int operation, struct c_type left,
                                 struct c_type right, const char *place) {
    const bool is_python = parser->program->precedence == OF_PYTHON;
    if (operation == FLOOR || operation == POWER || operation == BOTH_VALUE ||
        operation == EITHER_VALUE)
        parser_need_python(parser);
    if (operation == C_DIVIDE && parser->function && parser->function->is_python)
        parser_fail(parser, place, "in Python, '/' gives a fraction; write '//'");
    if (operation == C_REMAINDER && is_python)
        operation = MODULO;
    const struct c_type type = is_shift(operation) ? promote(left)
                               : operation == BOTH_VALUE || operation == EITHER_VALUE
                                   ? parser_either_type(left, right)
                                   : common_type(left, right);
    return parser_emit(parser, operation, type, place, 0);
}

void parser_emit_guard(struct parser *parser, int outer, int operation, int slot,
                       const char *place) {
    parser->guard = outer;
    parser_emit(parser, operation, INT, place, slot);
    parser->guard = slot;
}

/* ---- Expressions ---- */

static struct c_type parse_binary(struct parser *parser, int level);

/* A number has the first type in C's list that can hold it; decimal numbers without u are unsigned
 * only from 2^63 on. Letters that follow it directly are part of it; ' may separate its digits. */
static struct c_type parse_number(struct parser *parser) {
    const char *place = parser->next, *c = place;
    char digits[80] = "", *suffix;
    size_t length = 0;
    for (; ascii_is_letter(*c) || *c == '_' || ascii_is_digit(*c) || *c == '.' ||
           (*c == '\'' && isxdigit((unsigned char)c[-1]) && isxdigit((unsigned char)c[1]));
         c++)
        if (*c != '\'' && length + 1 < sizeof digits)
            digits[length++] = ascii_lower(*c);
    parser_advance(parser, (size_t)(c - place));
    int base = digits[0] != '0' ? 10 : digits[1] == 'x' ? 16 : digits[1] == 'b' ? 2 : 8;
    const char *first = base == 2 ? digits + 2 : digits;
    errno = 0;
    uint64_t number = strtoull(first, &suffix, base);
    if (suffix == first || errno == ERANGE || length + 1 == sizeof digits ||
        (*suffix && !mapping_word_is_in("u l ul lu ll ull llu", suffix, strlen(suffix))))
        parser_fail(parser, place, errno == ERANGE ? "larger than 64 bits" : "not a C integer");
    bool is_unsigned = strchr(suffix, 'u') != NULL, is_long = strchr(suffix, 'l') != NULL;
    struct c_type type = {32, !is_unsigned};
    if (parser->program->precedence == OF_PYTHON && number <= INT64_MAX)
        base = 10; /* no number is unsigned */
    if (number > INT32_MAX && number <= UINT32_MAX && base != 10)
        type.is_signed = false;
    if (is_long || number > (type.is_signed ? INT32_MAX : UINT32_MAX))
        type = (struct c_type){64, !is_unsigned && number <= INT64_MAX};
    return parser_emit(parser, NUMBER, type, place, (int64_t)number);
}

void parser_fail_unknown(struct parser *parser, const char *place, size_t length) {
    const struct mapping_program *program = parser->program;
    char what[320];
    if (mapping_word_is_in("for while do", place, length))
        parser_fail(
            parser, place,
            "only loops such as 'for (int j = 0; j < 2; j++)' are supported, with constants");
    if (mapping_word_is_in(
            "switch goto enum struct class using typedef asm template break continue", place,
            length)) {
        snprintf(what, sizeof what,
                 "'%.*s' is not supported; write declarations, assignments, 'if', '?:' and 'for'",
                 (int)length, place);
        parser_fail(parser, place, what);
    }
    if (place[length] == '[') {
        snprintf(what, sizeof what,
                 "'%.*s' is an array, which has no value here; write formulae, such as 'row = lane "
                 "/ 4'",
                 (int)(length < 40 ? length : 40), place);
        parser_fail(parser, place, what);
    }
    while (place[length] == '.' && ascii_is_letter(place[length + 1])) /* threadIdx.y */
        length += 1 + ascii_identifier_length(place + length + 1);
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
        if (program->variable[v].has_value && !program->variable[v].is_hidden)
            mapping_append(what, sizeof what, ", %s", program->variable[v].name);
    if (mapping_word_is_in("row col column", place, length))
        mapping_append(what, sizeof what, "; %.*s is not an input of this formula", (int)length,
                       place);
    parser_fail(parser, place, what);
}

int parser_find_axis(const struct mapping_space *from, const char *place, size_t length,
                     int *of_warp) {
    const int tid = mapping_space_find(from, MAPPING_AXIS_TID);
    int axis = NONE;
    bool is_exact = false;
    *of_warp = NONE;
    for (int a = (int)from->count - 1; a >= 0; a--)
        if (is_word(place, length, from->axis[a].name) ||
            (!is_exact && mapping_axis_is_called(from->axis[a].name, place, length))) {
            is_exact = is_word(place, length, from->axis[a].name);
            axis = a;
        }
    if (tid == NONE || is_exact)
        return axis;
    if (mapping_word_is_in(MAPPING_WARP_NAMES, place, length))
        *of_warp = C_DIVIDE;
    else if (mapping_word_is_in(MAPPING_LANE_NAMES, place, length) &&
             from->axis[tid].size > MAPPING_WARP)
        *of_warp = C_REMAINDER;
    return *of_warp != NONE ? tid : axis;
}

/* A name whose value is the same everywhere: a truth value, or the number of threads in a warp. */
static bool is_constant(const char *place, size_t length) {
    return mapping_word_is_in("true false True False", place, length) ||
           mapping_word_is_in(MAPPING_WARP_SIZE_NAMES, place, length);
}

/* True if parse_name can read the name. Without a program, every name is taken as known. */
static bool is_known(const struct parser *parser, const char *place, size_t length) {
    int of_warp;
    return !parser->program || program_find(parser->program, place, length) != NONE ||
           parser_find_axis(&parser->program->from, place, length, &of_warp) != NONE ||
           is_constant(place, length);
}

/* Emits the value of an axis; axis and of_warp are results of parser_find_axis. */
static struct c_type emit_axis(struct parser *parser, int axis, int of_warp, const char *place) {
    const struct mapping_program *program = parser->program;
    const bool is_thread_idx = strncmp(place, "threadIdx.x", 11) == 0;
    parser->breaks_count |= axis == mapping_space_find(&program->from, MAPPING_AXIS_I);
    const struct c_type type = parser_emit(
        parser, INPUT, (struct c_type){32, !program->is_unsigned && !is_thread_idx}, place, axis);
    if (of_warp == NONE)
        return type;
    return parser_emit_binary(parser, of_warp, type,
                              parser_emit(parser, NUMBER, INT, place, MAPPING_WARP), place);
}

struct c_type parser_read_name(struct parser *parser) {
    const struct mapping_program *program = parser->program;
    const char *place = parser->next;
    const size_t length = parser_name_length(place);
    const int variable = program_find(program, place, length);
    int of_warp, axis = parser_find_axis(&program->from, place, length, &of_warp);
    parser_advance(parser, length);
    if (variable != NONE)
        return parser_emit_name(parser, variable, place);
    if (axis == NONE && mapping_word_is_in(MAPPING_WARP_SIZE_NAMES, place, length))
        return parser_emit(parser, NUMBER, INT, place, MAPPING_WARP);
    if (axis == NONE && is_constant(place, length))
        return parser_emit(parser, NUMBER, BOOL, place, ascii_lower(*place) == 't');
    if (axis == NONE)
        parser_fail_unknown(parser, place, length);
    return emit_axis(parser, axis, of_warp, place);
}

struct c_type parser_read_enclosed(struct parser *parser) {
    parser_expect(parser, "(");
    parser->enclosed++;
    const struct c_type type = parser_read_expression(parser);
    parser->enclosed--;
    parser_expect(parser, ")");
    return type;
}

/* Takes the beginning of a cast: "(int)", "int" or "static_cast<int>". */
static bool take_cast(struct parser *parser, struct c_type *type) {
    const struct parser before = *parser;
    char kinds[8] = "";
    bool is_cast = false;
    if (parser_take_word(parser, "static_cast")) {
        is_cast = true;
        if (!parser_take(parser, "<", "") || !parser_take_type(parser, type, kinds) ||
            !parser_take(parser, ">", ""))
            parser_fail(parser, parser->next, "expected a type, such as '<int>'");
    } else {
        const bool is_enclosed = parser_take(parser, "(", "");
        is_cast =
            parser_take_type(parser, type, kinds) && (!is_enclosed || parser_take(parser, ")", ""));
    }
    if (is_cast && strpbrk(kinds, "oe"))
        parser_fail(parser, before.next, "a cast cannot be static or constexpr");
    if (!is_cast)
        parser_go_back(parser, &before);
    return is_cast;
}

void parser_nest(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        parser_fail(parser, parser->next, "nested too deeply");
}

/* Reads a call of one of `functions`, or of a function that gives the lane or the warp, such as
 * "cutlass::canonical_lane_idx()". `length` is that of the name, whose last part is `name`. */
static struct c_type parse_call(struct parser *parser, const char *name, size_t length) {
    const char *place = parser->next;
    const size_t own = length - (size_t)(name - place);
    const struct function *function = find_function(name, own);
    const int outer = parser->guard, slot = parser->height;
    char what[160], lower[64];
    struct c_type type = INT;
    snprintf(lower, sizeof lower, "%.*s", (int)own, name);
    for (char *c = lower; *c; c++)
        *c = ascii_lower(*c);
    const char *axis_name = strstr(lower, "lane") ? "lane" : strstr(lower, "warp") ? "warp" : "";
    int of_warp,
        axis = parser_find_axis(&parser->program->from, axis_name, strlen(axis_name), &of_warp);
    parser_advance(parser, length);
    if (!function && axis != NONE && *parser_skip(parser->next + 1, true) == ')') {
        parser_expect(parser, "(");
        parser_expect(parser, ")");
        return emit_axis(parser, axis, of_warp, place);
    }
    snprintf(what, sizeof what,
             "the function '%.*s' is not known; known are min, max, where, cdiv, floordiv and "
             "floormod",
             (int)(length < 40 ? length : 40), place);
    if (!function)
        parser_fail(parser, place, what);
    const int operation = function ? function->operation : CAST;
    parser_expect(parser, "(");
    parser->enclosed++;
    type = parser_read_expression(parser);
    if (operation != CAST) {
        parser_expect(parser, ",");
        if (operation == SELECT)
            parser_emit_guard(parser, outer, WHEN, slot, place);
        const struct c_type second = parser_read_expression(parser);
        if (operation == SELECT) {
            parser_expect(parser, ",");
            parser_emit_guard(parser, outer, UNLESS, slot, place);
            type = parser_either_type(second, parser_read_expression(parser));
            parser->guard = outer;
        } else {
            type = common_type(type, second);
        }
        type = parser_emit(parser, operation, type, place, 0);
    }
    parser->enclosed--;
    parser_expect(parser, ")");
    return type;
}

/* Reads a constant of CuTe: "_4{}", "Int<4>{}" or "cute::Int<4>()". False if there is none. */
static bool take_cute_number(struct parser *parser, struct c_type *type) {
    const char *place = parser->next, *digits = place;
    digits += strncmp(digits, "cute::", 6) == 0 ? 6 : 0;
    const bool is_template = strncmp(digits, "Int<", 4) == 0 || strncmp(digits, "C<", 2) == 0;
    digits += is_template ? strcspn(digits, "<") + 1 : *digits == '_';
    const size_t count = strspn(digits, "0123456789");
    const char *end = digits + count;
    if (count == 0 || count > 9 || digits == place || *end != (is_template ? '>' : *end))
        return false;
    end += is_template;
    if (strncmp(end, "{}", 2) != 0 && strncmp(end, "()", 2) != 0)
        return false;
    parser_advance(parser, (size_t)(end + 2 - place));
    *type = parser_emit(parser, NUMBER, INT, place, strtol(digits, NULL, 10));
    return true;
}

struct c_type parser_read_operand(struct parser *parser) {
    struct c_type type = INT;
    bool has_sign = false;
    const char *name;
    size_t call;
    parser_nest(parser);
    const char *place = parser->next;
    if (parser_take(parser, "-", "-") || parser_take(parser, "+", "+") ||
        parser_take(parser, "~", "") || parser_take(parser, "!", "=")) {
        const int operation = *place == '-'   ? C_NEGATE
                              : *place == '+' ? CAST
                              : *place == '~' ? C_COMPLEMENT
                                              : C_NOT;
        type = parser_emit(parser, operation, promote(parser_read_operand(parser)), place, 0);
        has_sign = true;
    } else if (parser_take_word(parser, "not")) {
        parser_need_python(parser);
        type = parser_emit(parser, C_NOT, promote(parse_binary(parser, LEVEL_OF_NOT)), place, 0);
        has_sign = true;
    } else if (take_cast(parser, &type)) {
        if (*place == '(')
            parser_read_operand(parser);
        else
            parser_read_enclosed(parser);
        if (type.bits == 0)
            parser_fail(parser, place, "a cast to auto is not possible");
        type = parser_emit(parser, CAST, type, place, 0);
    } else if (ascii_is_digit(*place)) {
        type = parse_number(parser);
    } else if (*place == '(') {
        type = parser_read_enclosed(parser);
    } else if (take_cute_number(parser, &type)) {
        /* the number is taken */
    } else if ((call = call_length(place, &name)) > 0) {
        type = parse_call(parser, name, call);
    } else if (parser_name_length(place + (*place == '%')) > 0) {
        parser_advance(parser, *place == '%'); /* the name of a special register of PTX: %laneid */
        type = parser_read_name(parser);
    } else {
        parser_fail(parser, place, "expected a number, a name or '('");
    }
    place = parser->next;
    if (!has_sign && parser_take(parser, "**", "="))
        type = parser_emit_binary(parser, POWER, type, parser_read_operand(parser), place);
    parser->depth--;
    return type;
}

/* Adds `distance` to the slots of steps, and to their guards from slot `least` on. */
static void shift_slots(struct parser *parser, uint32_t first, uint32_t end, int least, int by) {
    for (struct step *step = parser->program->step + first; first < end; first++, step++) {
        step->slot += by;
        step->guard += step->guard >= least ? by : 0;
    }
}

/* Appends the steps of the right operand of a comparison again, with results in the slot after
 * `slot`. */
static void emit_again(struct parser *parser, uint32_t first, uint32_t end, int slot) {
    struct mapping_program *program = parser->program;
    const uint32_t copy = program->count;
    if (end - first > STEPS_MAX - copy)
        parser_fail(parser, parser->next, "the code is too long");
    if (parser->has_failed)
        return;
    memcpy(program->step + copy, program->step + first, (end - first) * sizeof *program->step);
    program->count += end - first;
    const int by = slot + 1 - program->step[program->count - 1].slot;
    shift_slots(parser, copy, program->count, slot + 1 - by, by);
    parser->height++;
}

/* Reads operands and the binary operators between them that bind at least as tightly as `level`. */
static struct c_type parse_binary(struct parser *parser, int level) {
    const int outer = parser->guard, slot = parser->height;
    struct c_type type = parser_read_operand(parser), right = INT;
    uint32_t first = 0, end = 0; /* the steps of the last operand, if it was the right side of a
                                    comparison */
    for (;;) {
        const char *place = parser->next;
        const struct binary *binary = take_binary(parser, level);
        if (!binary)
            return type;
        const int operation = binary->operation;
        place = operation == FLOOR ? parser->end - 2 : place;
        const bool is_comparison = operation >= C_EQUAL && operation < C_OPERATORS;
        const bool is_chain = is_comparison && end > 0 && parser->program->precedence == OF_PYTHON;
        const struct c_type middle = right;
        if (operation == C_BOTH || operation == BOTH_VALUE || is_chain)
            parser_emit_guard(parser, outer, WHEN, slot, place);
        else if (operation == C_EITHER || operation == EITHER_VALUE)
            parser_emit_guard(parser, outer, UNLESS, slot, place);
        if (is_chain)
            emit_again(parser, first, end, slot);
        first = parser->program->count;
        right = parse_binary(parser, level_of(parser, binary) + 1);
        end = is_comparison ? parser->program->count : 0;
        if (is_chain)
            right = parser_emit_binary(parser, operation, middle, right, place);
        parser->guard = outer;
        type = parser_emit_binary(parser, is_chain ? C_BOTH : operation, type, right, place);
    }
}

static void reverse(struct step *step, uint32_t first, uint32_t end) {
    for (; first + 1 < end; first++) {
        const struct step one = step[first];
        step[first] = step[--end];
        step[end] = one;
    }
}

/* Takes an index: a number, as in {0, 1}, or the number of an element, as in "a0 and a1". False if
 * there is none. */
static bool take_index(struct parser *parser, uint32_t *index) {
    const char *digit = parser->next;
    while (ascii_is_letter(*digit))
        digit++;
    if (!ascii_is_digit(*digit))
        return false;
    char *end;
    *index = (uint32_t)strtoul(digit, &end, 10);
    parser_advance(parser, (size_t)(end - parser->next));
    return parser_name_length(end) == 0;
}

/* Reads "0, 1", "0,..,3" or "a0 and a1". Its value is true if the coordinate is one of these. */
static void parse_indices(struct parser *parser, int axis) {
    const char *place = parser->next;
    bool has_more = true;
    uint32_t low = 0, high = 0;
    for (bool is_first = true; has_more; is_first = false) {
        if (!take_index(parser, &low))
            parser_fail(parser, parser->next,
                        "expected an element, such as a0, or 'ai where i < 2'");
        high = low;
        const struct parser before = *parser;
        parser_take(parser, ",", "");
        if (parser_take(parser, "..", "")) {
            parser_take(parser, ".", "");
            parser_take(parser, ",", "");
            if (!take_index(parser, &high))
                parser_fail(parser, parser->next, "expected a number");
        } else {
            parser_go_back(parser, &before);
        }
        parser_emit(parser, INPUT, INT, place, axis);
        parser_emit_binary(parser, C_GREATER_EQUAL, INT,
                           parser_emit(parser, NUMBER, INT, place, low), place);
        parser_emit(parser, INPUT, INT, place, axis);
        parser_emit_binary(parser, C_LESS_EQUAL, INT, parser_emit(parser, NUMBER, INT, place, high),
                           place);
        parser_emit_binary(parser, C_AND, BOOL, BOOL, place);
        if (!is_first)
            parser_emit_binary(parser, C_OR, BOOL, BOOL, place);
        const struct parser last = *parser;
        uint32_t next;
        has_more = (parser_take(parser, ",", "") || parser_take_word(parser, "and") ||
                    parser_take_word(parser, "or")) &&
                   take_index(parser, &next);
        if (has_more || !parser->has_failed)
            parser_go_back(parser, &last);
        if (has_more && !parser_take(parser, ",", "") && !parser_take_word(parser, "and"))
            parser_take_word(parser, "or");
    }
}

/* Reads a condition of the PTX ISA, "ai where 0 <= i < 2", "ai where i = {0,..,3}" or "a0 and a1",
 * or of C or Python. */
static void parse_isa_condition(struct parser *parser, bool is_case) {
    const struct parser before = *parser;
    const char *place = parser->next;
    int of_warp, axis;
    parser_advance(parser, parser_name_length(place));
    bool has_where = is_case && parser_take_word(parser, "where");
    if (!has_where)
        parser_go_back(parser, &before);
    const struct parser start = *parser;
    place = parser->next;
    size_t length = parser_name_length(place);
    axis = parser_find_axis(&parser->program->from, place, length, &of_warp);
    parser_advance(parser, length);
    if (is_case && axis != NONE && of_warp == NONE && parser_take(parser, "=", "=") &&
        parser_take(parser, "{", "")) {
        parse_indices(parser, axis);
        parser_expect(parser, "}");
        return;
    }
    parser_go_back(parser, &start);
    if (is_case && !has_where && !is_known(parser, place, length) && length > 0) {
        axis = mapping_space_find(&parser->program->from, MAPPING_AXIS_I);
        if (axis == NONE)
            parser_fail_unknown(parser, place, length);
        parse_indices(parser, axis);
        return;
    }
    parse_binary(parser, 0);
}

/* Reads the condition of "a if b else c", and moves its steps before those of a, which begin with
 * step `first`. After that, `slot` holds the condition, and the next slot holds a. */
static void parse_condition(struct parser *parser, uint32_t first, int slot, const char *place,
                            bool is_case) {
    struct mapping_program *program = parser->program;
    const uint32_t middle = program->count;
    const int outer = parser->guard;
    parser_need_python(parser);
    parse_isa_condition(parser, is_case);
    parser_emit_guard(parser, outer, WHEN, slot + 1, place);
    if (parser->has_failed)
        return;
    for (struct step *step = program->step + first; step < program->step + middle; step++)
        step->guard = step->guard < slot ? slot - 1 : step->guard;
    shift_slots(parser, first, middle, slot - 1, 1);
    shift_slots(parser, middle, program->count, slot + 1, -1);
    reverse(program->step, first, middle);
    reverse(program->step, middle, program->count);
    reverse(program->step, first, program->count);
    program->slots++;
    parser->guard = slot;
}

struct c_type parser_read_expression(struct parser *parser) {
    parser_nest(parser);
    const int outer = parser->guard, slot = parser->height;
    const uint32_t first = parser->program->count;
    struct c_type type = parse_binary(parser, 0);
    const char *place = parser->next;
    const bool is_case = parser->depth == parser->case_depth,
               has_condition = parser->enclosed > 0 || !parser_is_on_new_line(parser),
               has_for = has_condition && is_case && parser_take_word(parser, "for");
    if (has_for || (has_condition && parser_take_word(parser, "if"))) {
        parse_condition(parser, first, slot, place, has_for);
        if (has_for || !parser_take_word(parser, "else")) {
            if (!is_case)
                parser_fail(parser, parser->next, "expected 'else'");
            parser->depth--;
            return type;
        }
        parser_emit_guard(parser, outer, UNLESS, slot, place);
        type = parser_either_type(type, parser_read_expression(parser));
        parser->guard = outer;
        parser_emit(parser, SELECT, type, place, 0);
    } else if (parser_take(parser, "?", "")) {
        parser_emit_guard(parser, outer, WHEN, slot, place);
        const struct c_type yes = parser_read_expression(parser);
        parser_expect(parser, ":");
        parser_emit_guard(parser, outer, UNLESS, slot, place);
        const struct c_type no = parser_read_expression(parser);
        parser->guard = outer;
        type = parser_emit(parser, SELECT, parser_either_type(yes, no), place, 0);
    }
    parser->depth--;
    return type;
}
