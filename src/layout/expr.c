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
#include "system/arena.h"

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

/* Operations beside the operators of C: first those of Python, which have two operands. FLOOR and
 * MODULO round down; the value of BOTH_VALUE, "a and b", and of EITHER_VALUE is that of a or b. */
enum {
    FLOOR = C_OPERATORS,
    MODULO,
    POWER,
    BOTH_VALUE,
    EITHER_VALUE,
    NUMBER,
    INPUT,
    NAME,
    CAST,
    WHEN,
    UNLESS,
    SELECT,
    STORE
};

struct step {
    int operation;            /* an operator of C, or one of the above */
    struct c_type type;       /* of the operands; of CAST, SELECT and STORE, of the result */
    const char *place, *text; /* the place in the text, and all of it */
    int64_t number;           /* of NUMBER; of INPUT the axis; of NAME and STORE the variable */
    int slot;                 /* of the first operand and of the result; other operands follow */
    int guard; /* the slot with the condition and mask of its points; NONE for all points */
};

struct variable {
    char name[64];
    bool is_declared, is_const, has_value;
    bool is_hidden;     /* after the end of its block */
    bool is_read;       /* by the definition of another variable, or by a condition */
    bool varies;        /* it may differ between points */
    struct c_type type; /* bits is 0 for auto without a value */
};

enum { STEPS_MAX = 2048, VARIABLES_MAX = 256, DEPTH_MAX = 256, NONE = -1 };

struct mapping_program {
    struct mapping_space from;
    bool is_unsigned;                                      /* inputs are unsigned */
    enum precedence { OF_C, OF_GO, OF_PYTHON } precedence; /* of operators */
    uint32_t count;                                        /* of steps */
    uint32_t variables;
    int slots; /* the most that are in use at once */
    struct step step[STEPS_MAX];
    struct variable variable[VARIABLES_MAX];
};

struct mapping_program *mapping_program_make(const struct mapping_space *from, unsigned dialect) {
    struct mapping_program *program = mapping_allocate(1, sizeof *program);
    if (program) {
        program->from = *from;
        program->is_unsigned = dialect & MAPPING_UNSIGNED_INPUTS;
        program->precedence = dialect & MAPPING_BITS_FIRST ? OF_GO : OF_C;
    }
    return program;
}

/* A program as it was, to read a text again. */
struct mark {
    uint32_t count, variables;
    struct variable variable[VARIABLES_MAX];
};

static void save(const struct mapping_program *program, struct mark *mark) {
    mark->count = program->count;
    mark->variables = program->variables;
    memcpy(mark->variable, program->variable, program->variables * sizeof *program->variable);
}

static void restore(struct mapping_program *program, const struct mark *mark) {
    program->count = mark->count;
    program->variables = mark->variables;
    memcpy(program->variable, mark->variable, mark->variables * sizeof *mark->variable);
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* The names of an inner block hide those of outer ones. */
static int find_variable(const struct mapping_program *program, const char *name, size_t length) {
    int v = (int)program->variables - 1;
    while (v >= 0 &&
           (program->variable[v].is_hidden || !is_word(name, length, program->variable[v].name)))
        v--;
    return v;
}

int mapping_program_find(const struct mapping_program *program, const char *name) {
    return find_variable(program, name, strlen(name));
}

uint32_t mapping_program_variables(const struct mapping_program *program) {
    return program->variables;
}

const char *mapping_program_unused(const struct mapping_program *program, uint32_t first,
                                   const int *names, size_t count) {
    for (uint32_t v = first; v < program->variables; v++) {
        bool is_used = program->variable[v].is_read;
        for (size_t n = 0; n < count; n++)
            is_used |= names[n] == (int)v;
        if (!is_used)
            return program->variable[v].name;
    }
    return NULL;
}

bool mapping_is_keyword(const char *name) {
    static const char keywords[] =
        "alignas,alignof,and,and_eq,asm,auto,bitand,bitor,bool,break,case,catch,char,char8_t,"
        "char16_t,char32_t,class,compl,concept,const,const_cast,consteval,constexpr,constinit,"
        "continue,co_await,co_return,co_yield,decltype,default,delete,do,double,dynamic_cast,else,"
        "enum,explicit,export,extern,false,float,for,friend,goto,if,inline,int,long,mutable,"
        "namespace,new,noexcept,not,not_eq,nullptr,operator,or,or_eq,private,protected,public,"
        "register,reinterpret_cast,requires,restrict,return,short,signed,sizeof,static,"
        "static_assert,static_cast,struct,switch,template,this,thread_local,throw,true,try,"
        "typedef,typeid,typename,typeof,typeof_unqual,union,unsigned,using,virtual,void,volatile,"
        "wchar_t,while,xor,xor_eq";
    return mapping_word_is_in(keywords, name, strlen(name));
}

/* True if the value of an operator is bool, as in C++. */
static bool is_truth(int operation) {
    return operation == C_NOT || (operation >= C_BOTH && operation < C_OPERATORS);
}

/* ---- Tokens ---- */

/* A failure ends the text: nothing more is read or made, so that no function has to stop. */
struct parser {
    const char *text, *next; /* the whole text, and the next token */
    const char *end;         /* of the last token */
    struct mapping_program *program;
    struct mapping_error *error;
    bool has_failed;
    unsigned depth;      /* of nested statements and expressions */
    unsigned enclosed;   /* how many parentheses are open */
    int height;          /* slots that are in use */
    int guard;           /* of the steps that are made */
    uint32_t scope;      /* the first variable of the block */
    bool varies;         /* the expression reads an input */
    unsigned case_depth; /* of an expression that a condition without "else" may follow */
    /* For loops whose passes are the elements of a thread: the number of elements that the
     * enclosing loops do not tell apart; the number of variables before the loops; the loops'
     * names. */
    uint32_t left, kept;
    bool is_counting, is_unrolled, is_body, innermost, breaks_count;
    char loops[64];
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
    parser->next = parser->end = "";
}

/* Skips blanks, comments of C and, if `has_lines`, comments up to the end of a line, those of
 * Python and #pragma. */
static const char *skip(const char *text, bool has_lines) {
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
    parser->end = parser->next + length;
    parser->next = skip(parser->end, true);
}

/* Goes back to where a token was next. */
static void go_back(struct parser *parser, const struct parser *before) {
    if (!parser->has_failed) {
        parser->next = before->next;
        parser->end = before->end;
    }
}

/* True if the next token is on another line than the last one. */
static bool is_on_new_line(const struct parser *parser) {
    return *parser->next && memchr(parser->end, '\n', (size_t)(parser->next - parser->end));
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
    char kind;    /* 'k': const; 'q': volatile; 'o': static; 'e': constexpr; '+': sign; 't': a whole
                     type */
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

/* Takes a word of a type. A word that is the name of an axis is none. */
static const struct type_word *take_type_word(struct parser *parser) {
    for (size_t w = 0; w < sizeof type_words / sizeof *type_words; w++)
        if ((!parser->program ||
             mapping_space_find(&parser->program->from, type_words[w].name) < 0) &&
            take_word(parser, type_words[w].name))
            return &type_words[w];
    return NULL;
}

/* Takes a type: words in any order, as in "const long unsigned int". Stores the words that are
 * taken, as their kinds, in kinds[]. False if there is no type, though qualifiers are taken. Fails
 * if C has no type of these words. */
static bool take_type(struct parser *parser, struct c_type *type, char kinds[8]) {
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
        fail_at(parser, place, "this is no type of C");
    return count['t'] + parts > 0;
}

/* Operators of two operands; none of `unless` may follow. A higher level binds tighter. */
static const struct binary {
    const char *sign, *unless;
    uint8_t level[3]; /* by enum precedence */
    int operation;
} binaries[] = {
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

/* Reads the text again from the start as Python: comparisons bind less than bits, "a < b < c" means
 * "a < b and b < c", and remainders are never of the sign of the dividend. */
static void need_python(struct parser *parser) {
    if (parser->program->precedence != OF_PYTHON) {
        parser->program->precedence = OF_PYTHON;
        parser->has_failed = true;
        parser->next = parser->end = "";
    }
}

static bool is_known(const struct parser *parser, const char *place, size_t length);

/* True if what is between "//" and the next "//", ';' or the end of the line can go on an
 * expression: then "//" divides. It begins a comment instead if this is no expression, or if the
 * next line goes on with an operator of C, unless that is between parentheses and all names are
 * known. */
static bool divides(const struct parser *parser, const char *text) {
    bool needs_operand = true, has_unknown = false;
    for (;;) {
        text += strspn(text, " \t\r");
        const size_t length = name_length(text);
        const char *before = text;
        char *end;
        if (!*text || strchr("\n;#}", *text) || strncmp(text, "//", 2) == 0)
            break;
        if (length > 0) {
            const bool is_operator = mapping_word_is_in("and or if else", text, length);
            text += length;
            if (is_word(before, length, "not") || (*text == '(' && needs_operand))
                continue;
            if (needs_operand == is_operator)
                return false;
            needs_operand = is_operator;
            has_unknown = has_unknown || (!is_operator && !is_known(parser, before, length));
        } else if (needs_operand && ascii_is_digit(*text)) {
            strtoull(text, &end, 0);
            text = end;
            if (name_length(text) > 0 || ascii_is_digit(*text) || *text == '.')
                return false;
            needs_operand = false;
        } else if (needs_operand) {
            if (!strchr("(+-~!%", *text++))
                return false;
        } else if (*text == ',' || (*text == ')' && ++text)) {
            if (*text == ',' && before == text)
                break;
        } else {
            size_t sign = strspn(text, "|&^=!<>+-*/%?:");
            needs_operand = true;
            text += sign;
            if (sign == 0 || (sign == 1 && *before == '='))
                return false;
        }
    }
    const char *line = *text == '\n' ? skip(text, true) : "";
    const bool goes_on = *line && strchr("|&^<>+-*/%?:)=;", *line);
    return !needs_operand && !(goes_on && (parser->enclosed == 0 || has_unknown));
}

/* True if "//" stands behind the last token, and divides. */
static bool is_floor_division(const struct parser *parser) {
    const char *sign = skip(parser->end, false);
    return strncmp(sign, "//", 2) == 0 && sign[2] != '=' && divides(parser, sign + 2);
}

/* Takes an operator of at least a level, or returns NULL. */
static const struct binary *take_binary(struct parser *parser, int level) {
    if (level_of(parser, &floor_division) >= level && is_floor_division(parser)) {
        parser->next = skip(parser->end, false);
        advance(parser, 2);
        return &floor_division;
    }
    for (size_t b = 0; b < sizeof binaries / sizeof *binaries; b++)
        if (level_of(parser, &binaries[b]) >= level &&
            take(parser, binaries[b].sign, binaries[b].unless))
            return &binaries[b];
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (level_of(parser, &words[w]) >= level && take_word(parser, words[w].sign))
            return &words[w];
    return NULL;
}

static const struct binary *find_sign(char sign) {
    const struct binary *binary = binaries;
    while (binary->sign[0] != sign || binary->sign[1])
        binary++;
    return binary;
}

/* Takes "=", "+=" or another operator that assigns; *compound is NULL for "=". */
static bool take_assignment(struct parser *parser, const struct binary **compound) {
    const char *sign = skip(parser->end, false);
    if (strncmp(sign, "//=", 3) == 0) {
        *compound = &floor_division;
        parser->next = sign;
        advance(parser, 3);
        return true;
    }
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
                         : operation >= C_MULTIPLY && operation < NUMBER
                             ? 2
                             : operation < C_MULTIPLY || operation == CAST || operation == STORE;
    if (program->count == STEPS_MAX)
        fail_at(parser, place, "the code is too long");
    parser->varies |= operation == INPUT || (operation == NAME && program->variable[number].varies);
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
    parser->program->variable[variable].is_read = true;
    /* auto without a value: undefined when it is read */
    return emit(parser, NAME, type.bits == 0 ? INT : type, place, variable);
}

static struct c_type emit_binary(struct parser *parser, int operation, struct c_type left,
                                 struct c_type right, const char *place) {
    const bool is_python = parser->program->precedence == OF_PYTHON;
    if (operation == FLOOR || operation == POWER || operation == BOTH_VALUE ||
        operation == EITHER_VALUE)
        need_python(parser);
    if (operation == C_REMAINDER && is_python)
        operation = MODULO;
    const struct c_type type = is_shift(operation) ? promote(left)
                               : operation == BOTH_VALUE || operation == EITHER_VALUE
                                   ? either_type(left, right)
                                   : common_type(left, right);
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

static bool run(const struct mapping_program *program, const struct mapping_points *points,
                int slot, int64_t *value, struct mapping_error *error);
static struct c_type parse_expression(struct parser *parser);
static struct c_type parse_binary(struct parser *parser, int level);

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
        if (program->variable[v].has_value && !program->variable[v].is_hidden)
            mapping_append(what, sizeof what, ", %s", program->variable[v].name);
    if (mapping_word_is_in("row col column", place, length))
        mapping_append(what, sizeof what, "; %.*s is not an input of this formula", (int)length,
                       place);
    fail_at(parser, place,
            mapping_word_is_in("for while do", place, length)
                ? "only loops such as 'for (int j = 0; j < 2; j++)' are supported, with constants"
                : what);
}

/* Finds an axis by its name or by an alias; NONE if there is none. "warp" is tid divided by the
 * number of threads in a warp, and "lane" is the remainder if there are several warps, unless an
 * axis has exactly this name: then *of_warp is the operator. */
static int find_axis(const struct mapping_space *from, const char *place, size_t length,
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

static bool is_truth_value(const char *place, size_t length) {
    return mapping_word_is_in("true false True False", place, length);
}

/* True for what parse_name reads. Without a program, any name may be known. */
static bool is_known(const struct parser *parser, const char *place, size_t length) {
    int of_warp;
    return !parser->program || find_variable(parser->program, place, length) != NONE ||
           find_axis(&parser->program->from, place, length, &of_warp) != NONE ||
           is_truth_value(place, length);
}

/* A variable, an axis, or a truth value, in this order. */
static struct c_type parse_name(struct parser *parser) {
    const struct mapping_program *program = parser->program;
    const char *place = parser->next;
    const size_t length = name_length(place);
    const int variable = find_variable(program, place, length);
    int of_warp, axis = find_axis(&program->from, place, length, &of_warp);
    advance(parser, length);
    if (variable != NONE)
        return emit_name(parser, variable, place);
    if (axis == NONE && is_truth_value(place, length))
        return emit(parser, NUMBER, BOOL, place, ascii_lower(*place) == 't');
    if (axis == NONE)
        fail_unknown(parser, place, length);
    parser->breaks_count |= axis == mapping_space_find(&program->from, MAPPING_AXIS_I);
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
    parser->enclosed++;
    const struct c_type type = parse_expression(parser);
    parser->enclosed--;
    expect(parser, ")");
    return type;
}

/* Takes what begins a cast: "(int)", "int" or "static_cast<int>". */
static bool take_cast(struct parser *parser, struct c_type *type) {
    const struct parser before = *parser;
    char kinds[8] = "";
    bool is_cast = false;
    if (take_word(parser, "static_cast")) {
        is_cast = true;
        if (!take(parser, "<", "") || !take_type(parser, type, kinds) || !take(parser, ">", ""))
            fail_at(parser, parser->next, "expected a type, such as '<int>'");
    } else {
        const bool is_enclosed = take(parser, "(", "");
        is_cast = take_type(parser, type, kinds) && (!is_enclosed || take(parser, ")", ""));
    }
    if (is_cast && strpbrk(kinds, "oe"))
        fail_at(parser, before.next, "a cast cannot be static or constexpr");
    if (!is_cast)
        go_back(parser, &before);
    return is_cast;
}

/* Counts one more level of nesting; the caller ends it. */
static void nest(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        fail_at(parser, parser->next, "nested too deeply");
}

/* A number, a name, "(x)", an operator of one operand, or a cast. */
static struct c_type parse_unary(struct parser *parser) {
    struct c_type type = INT;
    bool has_sign = false;
    nest(parser);
    const char *place = parser->next;
    if (take(parser, "-", "-") || take(parser, "+", "+") || take(parser, "~", "") ||
        take(parser, "!", "=")) {
        const int operation = *place == '-'   ? C_NEGATE
                              : *place == '+' ? CAST
                              : *place == '~' ? C_COMPLEMENT
                                              : C_NOT;
        type = emit(parser, operation, promote(parse_unary(parser)), place, 0);
        has_sign = true;
    } else if (take_word(parser, "not")) {
        need_python(parser);
        type = emit(parser, C_NOT, promote(parse_binary(parser, LEVEL_OF_NOT)), place, 0);
        has_sign = true;
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
    place = parser->next;
    if (!has_sign && take(parser, "**", "="))
        type = emit_binary(parser, POWER, type, parse_unary(parser), place);
    parser->depth--;
    return type;
}

/* Moves the slots of steps, and their guards from slot `least` on. */
static void shift_slots(struct parser *parser, uint32_t first, uint32_t end, int least, int by) {
    for (struct step *step = parser->program->step + first; first < end; first++, step++) {
        step->slot += by;
        step->guard += step->guard >= least ? by : 0;
    }
}

/* Appends the steps of the right operand of a comparison again, in the slot behind `slot`. */
static void emit_again(struct parser *parser, uint32_t first, uint32_t end, int slot) {
    struct mapping_program *program = parser->program;
    const uint32_t copy = program->count;
    if (end - first > STEPS_MAX - copy)
        fail_at(parser, parser->next, "the code is too long");
    if (parser->has_failed)
        return;
    memcpy(program->step + copy, program->step + first, (end - first) * sizeof *program->step);
    program->count += end - first;
    const int by = slot + 1 - program->step[program->count - 1].slot;
    shift_slots(parser, copy, program->count, slot + 1 - by, by);
    parser->height++;
}

/* Operators that bind at least as tight as `level`. */
static struct c_type parse_binary(struct parser *parser, int level) {
    const int outer = parser->guard, slot = parser->height;
    struct c_type type = parse_unary(parser), right = INT;
    uint32_t first = 0, end = 0; /* steps of the last operand, if it was compared */
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
            emit_guard(parser, outer, WHEN, slot, place);
        else if (operation == C_EITHER || operation == EITHER_VALUE)
            emit_guard(parser, outer, UNLESS, slot, place);
        if (is_chain)
            emit_again(parser, first, end, slot);
        first = parser->program->count;
        right = parse_binary(parser, level_of(parser, binary) + 1);
        end = is_comparison ? parser->program->count : 0;
        if (is_chain)
            right = emit_binary(parser, operation, middle, right, place);
        parser->guard = outer;
        type = emit_binary(parser, is_chain ? C_BOTH : operation, type, right, place);
    }
}

static void reverse(struct step *step, uint32_t first, uint32_t end) {
    for (; first + 1 < end; first++) {
        const struct step one = step[first];
        step[first] = step[--end];
        step[end] = one;
    }
}

/* Takes a number, as in {0, 1}, or of an element, as in "a0 and a1". False if there is none. */
static bool take_index(struct parser *parser, uint32_t *index) {
    const char *digit = parser->next;
    while (ascii_is_letter(*digit))
        digit++;
    if (!ascii_is_digit(*digit))
        return false;
    char *end;
    *index = (uint32_t)strtoul(digit, &end, 10);
    advance(parser, (size_t)(end - parser->next));
    return name_length(end) == 0;
}

/* "0, 1", "0,..,3" or "a0 and a1": true if the coordinate is one of these. */
static void parse_indices(struct parser *parser, int axis) {
    const char *place = parser->next;
    bool has_more = true;
    uint32_t low = 0, high = 0;
    for (bool is_first = true; has_more; is_first = false) {
        if (!take_index(parser, &low))
            fail_at(parser, parser->next, "expected an element, such as a0, or 'ai where i < 2'");
        high = low;
        const struct parser before = *parser;
        take(parser, ",", "");
        if (take(parser, "..", "")) {
            take(parser, ".", "");
            take(parser, ",", "");
            if (!take_index(parser, &high))
                fail_at(parser, parser->next, "expected a number");
        } else {
            go_back(parser, &before);
        }
        emit(parser, INPUT, INT, place, axis);
        emit_binary(parser, C_GREATER_EQUAL, INT, emit(parser, NUMBER, INT, place, low), place);
        emit(parser, INPUT, INT, place, axis);
        emit_binary(parser, C_LESS_EQUAL, INT, emit(parser, NUMBER, INT, place, high), place);
        emit_binary(parser, C_AND, BOOL, BOOL, place);
        if (!is_first)
            emit_binary(parser, C_OR, BOOL, BOOL, place);
        const struct parser last = *parser;
        uint32_t next;
        has_more = (take(parser, ",", "") || take_word(parser, "and") || take_word(parser, "or")) &&
                   take_index(parser, &next);
        if (has_more || !parser->has_failed)
            go_back(parser, &last);
        if (has_more && !take(parser, ",", "") && !take_word(parser, "and"))
            take_word(parser, "or");
    }
}

/* A condition of the PTX ISA: "ai where 0 <= i < 2", "ai where i = {0,..,3}", "a0 and a1", or one
 * of C or Python. */
static void parse_isa_condition(struct parser *parser, bool is_case) {
    const struct parser before = *parser;
    const char *place = parser->next;
    int of_warp, axis;
    advance(parser, name_length(place));
    bool has_where = is_case && take_word(parser, "where");
    if (!has_where)
        go_back(parser, &before);
    const struct parser start = *parser;
    place = parser->next;
    size_t length = name_length(place);
    axis = find_axis(&parser->program->from, place, length, &of_warp);
    advance(parser, length);
    if (is_case && axis != NONE && of_warp == NONE && take(parser, "=", "=") &&
        take(parser, "{", "")) {
        parse_indices(parser, axis);
        expect(parser, "}");
        return;
    }
    go_back(parser, &start);
    if (is_case && !has_where && !is_known(parser, place, length) && length > 0) {
        axis = mapping_space_find(&parser->program->from, MAPPING_AXIS_I);
        if (axis == NONE)
            fail_unknown(parser, place, length);
        parse_indices(parser, axis);
        return;
    }
    parse_binary(parser, 0);
}

/* Reads the condition of "a if b else c", and moves its steps before those of a, which begin with
 * step `first`: then `slot` has the condition, and the next one a. */
static void parse_condition(struct parser *parser, uint32_t first, int slot, const char *place,
                            bool is_case) {
    struct mapping_program *program = parser->program;
    const uint32_t middle = program->count;
    const int outer = parser->guard;
    need_python(parser);
    parse_isa_condition(parser, is_case);
    emit_guard(parser, outer, WHEN, slot + 1, place);
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

/* "a ? b : c", of which b and c may have different types, "b if a else c", and all that binds
 * tighter. In a definition, "b if a" and "b for ai where a" may lack "else": then the guard is a.
 */
static struct c_type parse_expression(struct parser *parser) {
    nest(parser);
    const int outer = parser->guard, slot = parser->height;
    const uint32_t first = parser->program->count;
    struct c_type type = parse_binary(parser, 0);
    const char *place = parser->next;
    const bool is_case = parser->depth == parser->case_depth,
               has_condition = parser->enclosed > 0 || !is_on_new_line(parser),
               has_for = has_condition && is_case && take_word(parser, "for");
    if (has_for || (has_condition && take_word(parser, "if"))) {
        parse_condition(parser, first, slot, place, has_for);
        if (has_for || !take_word(parser, "else")) {
            if (!is_case)
                fail_at(parser, parser->next, "expected 'else'");
            parser->depth--;
            return type;
        }
        emit_guard(parser, outer, UNLESS, slot, place);
        type = either_type(type, parse_expression(parser));
        parser->guard = outer;
        emit(parser, SELECT, type, place, 0);
    } else if (take(parser, "?", "")) {
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
    bool is_label;                 /* "row:" */
    bool is_step;                  /* "row++" or "++row" */
};

/* Takes a name and an operator that assigns, or ':'. A formula is printed as "Row: return", with a
 * capital letter, and defines row. A name without an operator is in *target, but is not taken. */
static bool take_target(struct parser *parser, struct target *target) {
    static const char *const steps[] = {"++", "--"};
    const struct binary *compound = NULL;
    const struct parser before = *parser;
    for (int n = 0; n < 2 && !compound; n++)
        if (take(parser, steps[n], ""))
            compound = find_sign(steps[n][0]);
    const char *place = parser->next;
    size_t length = name_length(place);
    *target = (struct target){.place = place, .length = length, .compound = compound};
    snprintf(target->name, sizeof target->name, "%.*s", (int)length, place);
    advance(parser, length);
    for (int n = 0; n < 2 && length > 0 && !target->compound; n++)
        if (take(parser, steps[n], ""))
            target->compound = find_sign(steps[n][0]);
    target->is_step = length > 0 && target->compound;
    if (target->is_step)
        return true;
    target->is_label = length > 0 && take(parser, ":", ":");
    if (target->is_label) {
        *target->name = ascii_lower(*target->name);
    } else if (length == 0 || !take_assignment(parser, &target->compound)) {
        go_back(parser, &before);
        return false;
    }
    return true;
}

static int add_variable(struct parser *parser, const struct target *target, bool is_declared,
                        struct c_type type) {
    struct mapping_program *program = parser->program;
    if (target->length >= sizeof target->name || program->variables == VARIABLES_MAX)
        fail_at(parser, target->place, "too many names, or a name is too long");
    if (mapping_is_keyword(target->name))
        fail_at(parser, target->place, "C and C++ reserve this word, so it cannot be a name");
    if (program->variables < VARIABLES_MAX)
        program->variables++;
    struct variable *variable = &program->variable[program->variables - 1];
    *variable = (struct variable){.is_declared = is_declared, .type = type};
    memcpy(variable->name, target->name, sizeof variable->name);
    return (int)program->variables - 1;
}

/* An expression that a condition without "else" may follow. */
static struct c_type parse_case(struct parser *parser) {
    parser->case_depth = parser->depth + 1;
    const struct c_type type = parse_expression(parser);
    parser->case_depth = 0;
    return type;
}

/* Gives a variable the value on the stack. Without a declaration, it takes the type of the value;
 * if it keeps its old value at some points, that of both. */
static void store(struct parser *parser, int variable, struct c_type type, const char *place) {
    struct variable *stored = &parser->program->variable[variable];
    parser->breaks_count |= variable < (int)parser->kept && stored->has_value;
    if (!stored->is_declared || stored->type.bits == 0)
        stored->type =
            parser->guard != NONE && stored->has_value ? either_type(stored->type, type) : type;
    stored->has_value = true;
    stored->varies = parser->varies || parser->guard != NONE;
    emit(parser, STORE, stored->type, place, variable);
}

/* "row = EXPR", "row: return EXPR", "row += EXPR", "row++" or a bare EXPR; behind a type, also
 * "row" alone. A name that is declared is visible, without a value, in its own EXPR. Another one is
 * visible behind its first value: in "tid = tid % 32" the second is the axis. */
static void parse_definition(struct parser *parser, bool is_declaration, struct c_type declared,
                             bool is_const) {
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
        parser->program->variable[variable].is_const = is_const;
        if (!is_assignment)
            return;
    } else if (variable != NONE && parser->program->variable[variable].is_const) {
        fail_at(parser, target.place, "this is const, so it cannot be assigned");
    }
    const bool was_read = variable != NONE && parser->program->variable[variable].is_read;
    struct c_type old = INT;
    parser->varies = false;
    if (!target.compound) {
        if (!is_assignment || target.is_label)
            take_word(parser, "return");
    } else { /* "lane &= 31" makes a variable of an input, as "lane = lane & 31" does */
        const struct parser behind = *parser;
        parser->next = target.place;
        old = parse_name(parser);
        go_back(parser, &behind);
    }
    const int outer = parser->guard, height = parser->height;
    struct c_type type = target.is_step    ? emit(parser, NUMBER, INT, target.place, 1)
                         : target.compound ? parse_expression(parser)
                                           : parse_case(parser);
    if (target.compound)
        type = emit_binary(parser, target.compound->operation, old, type, target.place);
    if (variable == NONE)
        variable = add_variable(parser, &target, false, INT);
    store(parser, variable, type, target.place);
    for (int within = outer; parser->guard != within;) { /* "row = a for ai where i < 2" */
        const int slot = parser->height - 1;
        struct target other;
        emit_guard(parser, within, UNLESS, slot, target.place);
        within = slot;
        const struct parser before = *parser;
        if (!take(parser, ";", ""))
            take(parser, ",", "");
        const struct parser next = *parser;
        if (!*parser->next || *parser->next == '}' || take_target(parser, &other)) {
            go_back(parser, &before);
            break;
        }
        go_back(parser, &next);
        bool is_last =
            mapping_word_is_in("otherwise Otherwise", parser->next, name_length(parser->next));
        if (is_last)
            advance(parser, name_length(parser->next));
        type = parse_case(parser);
        if (parser->guard == within && !is_last && !take_word(parser, "otherwise") &&
            !take_word(parser, "Otherwise"))
            fail_at(parser, parser->next, "expected 'for', 'if' or 'otherwise'");
        store(parser, variable, type, target.place);
    }
    parser->guard = outer;
    parser->height = height - (target.compound != NULL);
    parser->program->variable[variable].is_read = was_read; /* not by its own definition */
}

/* ---- Loops ---- */

static void parse_statement(struct parser *parser, bool is_scope);

/* The value of the expression that is next, which has to be a constant; its steps are dropped. */
static int64_t parse_constant(struct parser *parser) {
    struct mapping_program *program = parser->program;
    const uint32_t count = program->count;
    const char *place = parser->next;
    const int slot = parser->height;
    struct mapping_points points = {.mask = 1};
    struct mapping_error ignored;
    int64_t value = 0;
    parser->varies = false;
    parse_expression(parser);
    if (parser->varies && parser->is_counting)
        parser->breaks_count = true;
    else if (parser->varies)
        fail_at(parser, place, "the bounds of a loop must be constants");
    else if (!parser->has_failed && !run(program, &points, slot, &value, &ignored))
        fail_at(parser, place, ignored.message);
    program->count = count;
    parser->height = slot;
    return value;
}

/* The parts of "for (init; condition; step) body". */
struct loop {
    const char *place;
    struct parser condition, step, body;
    int variable; /* that the step changes */
};

/* Reads "(int j = 0;", and finds the other parts. The steps are not guarded: the variable has its
 * values at all points. */
static void parse_loop(struct parser *parser, struct loop *loop) {
    struct mapping_program *program = parser->program;
    loop->place = parser->next;
    if (*parser->next != '(')
        fail_at(parser, parser->next, "a loop must be as in C: 'for (int j = 0; j < 2; j++)'");
    expect(parser, "(");
    parse_statement(parser, false);
    loop->condition = *parser;
    if (*parser->next == ';')
        fail_at(parser, parser->next, "a loop needs a condition, such as j < 2");
    parse_constant(parser);
    expect(parser, ";");
    loop->step = *parser;
    struct target target;
    if (!take_target(parser, &target))
        fail_at(parser, parser->next, "expected a step, such as j++");
    loop->variable = find_variable(program, target.name, strlen(target.name));
    if (!parser->has_failed && loop->variable == NONE)
        fail_unknown(parser, target.place, target.length);
    if (!target.is_step && !parser->has_failed) {
        const uint32_t count = program->count;
        parse_expression(parser);
        program->count = count;
        parser->height = loop->step.height;
    }
    expect(parser, ")");
    loop->body = *parser;
}

/* True if a loop goes on. */
static bool goes_on(struct parser *parser, const struct loop *loop) {
    go_back(parser, &loop->condition);
    return parse_constant(parser) != 0 && !parser->has_failed;
}

static void parse_step(struct parser *parser, const struct loop *loop) {
    go_back(parser, &loop->step);
    parse_definition(parser, false, INT, false);
}

/* Executes a loop: reads its body again and again. */
static void unroll(struct parser *parser, struct loop *loop) {
    struct mapping_program *program = parser->program;
    const int guard = parser->guard;
    const bool was_unrolled = parser->is_unrolled;
    struct parser behind = loop->body;
    bool runs = false;
    parser->is_unrolled = true;
    while (parser->guard = NONE, goes_on(parser, loop)) {
        parser->guard = guard;
        go_back(parser, &loop->body);
        parse_statement(parser, true);
        runs = true;
        behind = *parser;
        parser->guard = NONE;
        parse_step(parser, loop);
    }
    parser->guard = guard;
    go_back(parser, &behind);
    if (!runs) { /* the body is only read */
        const uint32_t count = program->count, variables = program->variables;
        parse_statement(parser, true);
        program->count = count;
        program->variables = variables;
    }
    parser->is_unrolled = was_unrolled;
}

/* Takes the passes of a loop for elements of a thread, or for the coordinates of an axis that the
 * variable is called after: the variable is first + (i / left % passes) * step. */
static void count_passes(struct parser *parser, struct loop *loop) {
    struct mapping_program *program = parser->program;
    struct variable *variable = &program->variable[loop->variable];
    const uint32_t count = program->count, size = parser->left;
    const int i = mapping_space_find(&program->from, MAPPING_AXIS_I);
    struct mapping_points points = {.mask = 1};
    struct mapping_error ignored;
    int64_t first = 0, last = 0, value = 0;
    uint32_t passes = 0;
    int of_warp, axis = find_axis(&program->from, variable->name, strlen(variable->name), &of_warp);
    for (; goes_on(parser, loop); passes++) {
        const int slot = parser->height;
        emit_name(parser, loop->variable, loop->place);
        if (!parser->has_failed)
            run(program, &points, slot, &value, &ignored);
        parser->height = slot;
        first = passes == 0 ? value : first;
        parser->breaks_count |= passes > 1 && value - last != (last - first) / (passes - 1);
        last = value;
        parse_step(parser, loop);
    }
    program->count = count;
    variable->is_read = true;
    if (axis != NONE && axis != i && passes == program->from.axis[axis].size && first == 0) {
        variable->is_hidden = true;
    } else {
        mapping_append(parser->loops, sizeof parser->loops, "%s%.16s (%u)",
                       *parser->loops ? ", " : "", variable->name, passes);
        parser->left = passes > 0 && size % passes == 0 ? size / passes : 0; /* 0: no such passes */
        emit(parser, INPUT, INT, loop->place, i);
        emit_binary(parser, C_DIVIDE, INT,
                    emit(parser, NUMBER, INT, loop->place, parser->left + !parser->left),
                    loop->place);
        emit_binary(parser, C_REMAINDER, INT,
                    emit(parser, NUMBER, INT, loop->place, passes + !passes), loop->place);
        emit_binary(
            parser, C_MULTIPLY, INT,
            emit(parser, NUMBER, INT, loop->place, passes > 1 ? (last - first) / (passes - 1) : 0),
            loop->place);
        emit_binary(parser, C_ADD, INT, emit(parser, NUMBER, INT, loop->place, first), loop->place);
        emit(parser, STORE, variable->type, loop->place, loop->variable);
        variable->varies = true;
    }
    const uint32_t left = parser->left;
    go_back(parser, &loop->body);
    parser->is_body = true;
    parser->innermost = true;
    parse_statement(parser, false);
    if (parser->innermost && left != 1 && !parser->breaks_count) {
        char what[192];
        snprintf(what, sizeof what,
                 "the passes of the loops over %s are not the %u elements of a thread; write the "
                 "body alone, with these variables computed from i",
                 parser->loops, program->from.axis[i].size);
        fail_at(parser, loop->place, what);
    }
    parser->innermost = false;
    parser->left = size;
    program->variable[loop->variable].is_hidden = true;
}

/* Reads the outermost loop of a nest as elements. False if it has to be executed, as it reads i or
 * changes a variable that had a value: then nothing has happened. */
static bool count_elements(struct parser *parser) {
    struct mapping_program *program = parser->program;
    const int i = mapping_space_find(&program->from, MAPPING_AXIS_I);
    const struct parser before = *parser;
    struct mark mark;
    struct loop loop;
    if (i == NONE || parser->guard != NONE || parser->is_unrolled)
        return false;
    save(program, &mark);
    parser->is_counting = true;
    parser->left = program->from.axis[i].size;
    parser->kept = program->variables;
    parser->breaks_count = false;
    *parser->loops = '\0';
    parse_loop(parser, &loop);
    if (!parser->has_failed)
        count_passes(parser, &loop);
    parser->is_counting = false;
    if (!parser->breaks_count)
        return true;
    restore(program, &mark);
    *parser = before;
    return false;
}

/* "for (int j = 0; j < 2; j++) ...". If the body tells nothing of i, its passes are the elements of
 * a thread, as in kernels. Else it is executed as C does. */
static void parse_for(struct parser *parser) {
    struct mapping_program *program = parser->program;
    struct loop loop;
    if (!parser->is_counting && count_elements(parser))
        return;
    const uint32_t scope = parser->scope;
    const int guard = parser->guard;
    parser->scope = program->variables;
    parser->guard = NONE;
    parse_loop(parser, &loop);
    parser->guard = guard;
    if (!parser->has_failed && parser->is_counting)
        count_passes(parser, &loop);
    else if (!parser->has_failed)
        unroll(parser, &loop);
    for (uint32_t v = parser->scope; v < program->variables && !parser->is_counting; v++)
        program->variable[v].is_hidden |= program->variable[v].is_declared;
    parser->scope = scope;
}

/* A block, "if", or declarations of one type or assignments, up to ';' or the end. What begins
 * like a cast is no declaration. What is declared in a block, or in a statement that is a scope of
 * its own, is not visible behind it. */
static void parse_statement(struct parser *parser, bool is_scope) {
    struct mapping_program *program = parser->program;
    const uint32_t scope = parser->scope;
    struct c_type type;
    nest(parser);
    const struct parser start = *parser;
    const bool is_block = take(parser, "{", ""), is_body = parser->is_body;
    parser->is_body = false; /* names of the body of a loop over elements stay visible */
    is_scope = is_scope || (is_block && !is_body);
    if (is_scope)
        parser->scope = program->variables;
    if (is_block) {
        while (*parser->next && *parser->next != '}')
            parse_statement(parser, false);
        expect(parser, "}");
    } else if (take_word(parser, "if")) {
        const int outer = parser->guard, slot = parser->height;
        const char *place = parser->next;
        if (*place == '(')
            parse_enclosed(parser);
        if (*place != '(' || *parser->next == ':')
            fail_at(parser, parser->next,
                    "expected '(x)'; an 'if' of Python must be 'row = a if x else b'");
        emit_guard(parser, outer, WHEN, slot, place);
        parse_statement(parser, true);
        if (take_word(parser, "else")) {
            emit_guard(parser, outer, UNLESS, slot, place);
            parse_statement(parser, true);
        }
        parser->guard = outer;
        parser->height = slot;
    } else if (take_word(parser, "for")) {
        parse_for(parser);
    } else if (*parser->next == '#') {
        fail_at(parser, parser->next, "macros are not supported; write 'G = 4;' for '#define G 4'");
    } else if (!take(parser, ";", "")) {
        char kinds[8];
        const bool is_declaration =
            take_type(parser, &type, kinds) && name_length(parser->next) > 0;
        if (!is_declaration)
            go_back(parser, &start);
        do
            parse_definition(parser, is_declaration, is_declaration ? type : INT,
                             strpbrk(kinds, "ke") != NULL);
        while (take(parser, ",", ""));
        if (*parser->next && !take(parser, ";", "") && !is_on_new_line(parser))
            fail_at(parser, parser->next, "expected an operator, ';' or the end");
    }
    for (uint32_t v = parser->scope; v < program->variables && is_scope; v++)
        if (program->variable[v].is_declared)
            program->variable[v].is_hidden = true;
    parser->scope = scope;
    parser->depth--;
}

enum mapping_status mapping_program_parse(struct mapping_program *program, const char *text,
                                          struct mapping_error *error) {
    struct mark mark;
    if (!program)
        return mapping_out_of_memory(error);
    save(program, &mark);
    const enum precedence precedence = program->precedence;
    struct parser parser;
    do { /* if an operator of Python shows that it is Python, once more */
        const enum precedence before = program->precedence;
        parser = (struct parser){.text = text,
                                 .next = skip(text, true),
                                 .end = text,
                                 .program = program,
                                 .error = error,
                                 .guard = NONE};
        if (!*parser.next)
            fail_at(&parser, text, "expected an expression");
        while (*parser.next)
            parse_statement(&parser, false);
        if (program->precedence == before)
            break;
        restore(program, &mark);
    } while (true);
    program->precedence = precedence;
    return parser.has_failed ? MAPPING_INVALID : MAPPING_OK;
}

bool mapping_text_defines(const char *text, const char *name) {
    struct parser parser = {.next = skip(text, true), .end = text};
    struct c_type type;
    struct target target;
    char kinds[8];
    for (char end = ';'; *parser.next;) {
        take_word(&parser, "else");
        take_type(&parser, &type, kinds);
        const char *behind = skip(parser.next + name_length(parser.next), true);
        if ((end != ')' || *behind != ':') && take_target(&parser, &target) &&
            mapping_axis_is_called(name, target.name, strlen(target.name)))
            return true;
        /* On to the next statement, or the next name of this declaration. An assignment may follow
         * ")" or the end of a line, but not "row:": in "? (int)col : row", col is no target. */
        end = '\0';
        while (*parser.next && !end) {
            end = (char)(strchr(";,{})", *parser.next) ? *parser.next : '\0');
            parser.enclosed += *parser.next == '(';
            parser.enclosed -= end == ')' && parser.enclosed > 0;
            const size_t length = name_length(parser.next);
            advance(&parser, length > 0 ? length : 1);
            if ((!end || end == ')') && is_floor_division(&parser)) {
                parser.next = skip(parser.end, false);
                advance(&parser, 2);
            }
            if (!end && is_on_new_line(&parser))
                end = ')';
        }
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

/* Applies an operator of C or Python to two values, as mapping_operate does. */
static bool operate(int operation, struct c_type type, int64_t a, int64_t b, int64_t *result) {
    int64_t quotient;
    switch (operation) {
    case FLOOR:
    case MODULO:
        if (!mapping_operate(C_DIVIDE, type, a, b, &quotient) ||
            !mapping_operate(C_REMAINDER, type, a, b, result))
            return false;
        const bool rounds = type.is_signed && *result != 0 && (*result < 0) != (b < 0);
        *result = operation == FLOOR ? quotient - rounds : *result + (rounds ? b : 0);
        return true;
    case POWER:
        if (type.is_signed && b < 0)
            return false;
        *result = 1;
        for (; b > 0; b = (int64_t)((uint64_t)b >> 1))
            if ((b % 2 && !mapping_operate(C_MULTIPLY, type, *result, a, result)) ||
                (b > 1 && !mapping_operate(C_MULTIPLY, type, a, a, &a)))
                return false;
        return true;
    case BOTH_VALUE:
        *result = a ? b : a;
        return true;
    case EITHER_VALUE:
        *result = a ? a : b;
        return true;
    default:
        return mapping_operate((enum c_operator)operation, type, a, b, result);
    }
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
        undefined |= (uint64_t)!operate(operation, type, a[n], b[n], &a[n]) << n;
    return undefined;
}

/* Why a result is undefined: "this overflows". */
static const char *why_undefined(int operation, struct c_type type, int64_t a, int64_t b) {
    const bool divides = operation == C_DIVIDE || operation == C_REMAINDER || operation == FLOOR ||
                         operation == MODULO;
    return divides && b == 0             ? "this divides by zero"
           : operation == POWER && b < 0 ? "this has a negative exponent"
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
    struct slot *slots =
        mapping_reallocate(NULL, (program->variables + (size_t)program->slots + 2), sizeof *slots);
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
    mapping_free(slots);
    return machine.undefined < MAPPING_POINTS ? MAPPING_INVALID : MAPPING_OK;
}

/* Does all steps at the first point, and writes what is in a slot then. False if out of memory. */
static bool run(const struct mapping_program *program, const struct mapping_points *points,
                int slot, int64_t *value, struct mapping_error *error) {
    const size_t count = program->variables + (size_t)program->slots + 2;
    struct slot *slots = mapping_allocate(count, sizeof *slots);
    if (!slots)
        return mapping_out_of_memory(error) == MAPPING_OK;
    struct machine machine = {points, slots, slots + program->variables, MAPPING_POINTS, error};
    for (uint32_t n = 0; n < program->count; n++)
        do_step(&machine, &program->step[n]);
    *value = machine.slot[slot].value[0];
    mapping_free(slots);
    return true;
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
    mapping_free(program);
    return status;
}
