/* expression.c - from the text of statements to a program; see expression.h. Recursive descent,
 * from the loosest operator to the tightest, as in the grammar of C. */
#include "layout/program.h"

#include "layout/space.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    const char *text, *next;
    struct mapping_program *program;
    struct mapping_error *error;
    unsigned depth;
    int guard; /* the node of the condition under which a statement counts, or NONE */
};

/* A node, or none where the text cannot be read; the error says why. */
enum { NONE = -1 };

/* ---- What is wrong ---- */

enum mapping_status mapping_point_at(const char *text, const char *place, const char *what,
                                     struct mapping_error *error) {
    enum { BEFORE = 50, AROUND = 74 };
    char line[AROUND + 1];
    const char *start = place - text > BEFORE ? place - BEFORE : text;
    size_t length = 0;
    for (; length < AROUND && start[length]; length++)
        line[length] = (char)(isprint((unsigned char)start[length])   ? start[length]
                              : isspace((unsigned char)start[length]) ? ' '
                                                                      : '?');
    line[length] = '\0';
    return mapping_fail(error, MAPPING_INVALID, "%.300s:\n  %s\n  %*s^", what, line,
                        (int)(place - start), "");
}

static int fail_at(struct parser *parser, const char *place, const char *what) {
    mapping_point_at(parser->text, place, what, parser->error);
    return NONE;
}

/* ---- Words ---- */

/* Moves over blanks and comments. */
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
    return isalpha((unsigned char)c) || c == '_';
}

/* The length of the name that text begins with; 0 if that is none. */
static size_t name_length(const char *text) {
    size_t length = 0;
    if (!is_letter(*text))
        return 0;
    while (is_letter(text[length]) || isdigit((unsigned char)text[length]))
        length++;
    if (strncmp(text, "threadIdx.x", 11) == 0 && length == 9)
        length = 11;
    return length;
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Takes a sign, which must not go on as one of `not`. */
static bool take(struct parser *parser, const char *sign, const char * not ) {
    const char *text = skip_blanks(parser->next);
    size_t length = strlen(sign);
    if (strncmp(text, sign, length) != 0 || (text[length] && strchr(not, text[length])))
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

/* ---- Types ---- */

static const struct c_type INT = {32, true};

/* What people call the number of the warp that a thread is in. */
#define MAPPING_WARP_NAMES "warp warp_id warpid warpId warp_idx warpIdx"

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

/* Takes a type: some of unsigned, signed, char, short, int and long in any order, or one word;
 * const and the like are passed over. False, and nothing is taken, if there is none. `auto` leaves
 * bits 0. */
static bool take_type(struct parser *parser, struct c_type *type) {
    bool is_unsigned = false, is_signed = false, found = false;
    uint8_t bits = 0;
    for (bool more = true; more;) {
        more = true;
        if (take_word(parser, "const") || take_word(parser, "constexpr") ||
            take_word(parser, "static") || take_word(parser, "volatile"))
            continue;
        if (take_word(parser, "unsigned"))
            is_unsigned = found = true;
        else if (take_word(parser, "signed"))
            is_signed = found = true;
        else if (take_word(parser, "long"))
            bits = 64, found = true;
        else if (take_word(parser, "short"))
            bits = 16, found = true;
        else if (take_word(parser, "char"))
            bits = 8, found = true;
        else if (take_word(parser, "int"))
            bits = bits ? bits : 32, found = true;
        else
            more = false;
    }
    *type = (struct c_type){bits || !(is_unsigned || is_signed) ? bits : 32, !is_unsigned};
    for (size_t w = 0; w < sizeof type_words / sizeof *type_words && !found; w++)
        if ((found = take_word(parser, type_words[w].name)))
            *type = type_words[w].type;
    if (!found && (found = take_word(parser, "auto")))
        *type = (struct c_type){0, true};
    while (found && take_word(parser, "const"))
        ;
    return found;
}

/* ---- Nodes ---- */

static int parse_condition(struct parser *parser);
static int parse_unary(struct parser *parser);

static int add_node(struct parser *parser, struct node node) {
    struct mapping_program *program = parser->program;
    if (program->nodes == NODES_MAX)
        return fail_at(parser, node.place, "this is longer than what can be read");
    program->node[program->nodes] = node;
    return (int)program->nodes++;
}

/* A node of up to two others; NONE if one of them is. */
static int add_operation(struct parser *parser, enum node_kind kind, char operation, int left,
                         int right, const char *place) {
    if (left == NONE || right == NONE)
        return NONE;
    return add_node(parser, (struct node){.kind = kind,
                                          .operation = operation,
                                          .child = {(uint16_t)left, (uint16_t)right},
                                          .place = place});
}

static int add_cast(struct parser *parser, struct c_type type, int child, const char *place) {
    if (child == NONE)
        return NONE;
    return add_node(
        parser,
        (struct node){.kind = NODE_CAST, .type = type, .child = {(uint16_t)child}, .place = place});
}

/* ---- Numbers and names ---- */

/* Reads what is behind the digits: u, l, ll in any order. False if it is something else. */
static bool take_suffix(struct parser *parser, bool *is_unsigned, unsigned *longs) {
    *is_unsigned = false;
    *longs = 0;
    for (;; parser->next++) {
        int c = tolower((unsigned char)*parser->next);
        if (c == 'u' && !*is_unsigned)
            *is_unsigned = true;
        else if (c == 'l' && *longs < 2)
            ++*longs;
        else
            return !is_letter(*parser->next) && !isdigit((unsigned char)*parser->next) &&
                   *parser->next != '.';
    }
}

/* Reads digits of a base. False if there are none, or more than 64 bits hold. */
static bool take_digits(struct parser *parser, unsigned base, uint64_t *number) {
    const char *start = parser->next;
    for (*number = 0;; parser->next++) {
        int c = tolower((unsigned char)*parser->next);
        unsigned digit = isdigit(c)   ? (unsigned)(c - '0')
                         : isalpha(c) ? (unsigned)(c - 'a') + 10
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
        return fail_at(parser, place, "this is no integer of C");
    return add_node(parser,
                    (struct node){.kind = NODE_NUMBER,
                                  .type = type_of_number(number, base == 10, is_unsigned, longs),
                                  .value = (int64_t)number,
                                  .place = place});
}

int mapping_program_find(const struct mapping_program *program, const char *name) {
    for (uint32_t n = 0; n < program->names; n++)
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

/* Says which names there are. */
static int unknown_name(struct parser *parser, const char *place, size_t length) {
    const struct mapping_program *program = parser->program;
    char what[320];
    size_t used = (size_t)snprintf(what, sizeof what, "unknown name '%.*s'; there are",
                                   (int)(length < 40 ? length : 40), place);
    for (uint32_t a = 0; a < program->from.count && used < sizeof what; a++) {
        const char *name = program->from.axis[a].name, *others = mapping_axis_names(name);
        used += (size_t)snprintf(what + used, sizeof what - used,
                                 *others ? "%s %s (%s%s)" : "%s %s", a ? "," : "", name, others,
                                 strcmp(name, MAPPING_AXIS_TID) == 0 ? "; warp" : "");
    }
    for (uint32_t n = 0; n < program->names && used < sizeof what; n++)
        used += (size_t)snprintf(what + used, sizeof what - used, ", %s", program->name[n]);
    return fail_at(parser, place, what);
}

/* True if the word is in a list with blanks between. */
static bool is_one_of(const char *place, size_t length, const char *list) {
    for (; *list; list += strspn(list, " ")) {
        size_t one = strcspn(list, " ");
        if (one == length && memcmp(place, list, one) == 0)
            return true;
        list += one;
    }
    return false;
}

/* The thread in its warp, or the warp of the thread; NONE if the word is neither, or if the threads
 * are those of one warp, and the thread in it is the thread. */
static int parse_warp_name(struct parser *parser, const char *place, size_t length, uint32_t axis) {
    enum { LANES = 32 };
    const struct mapping_axis *tid = &parser->program->from.axis[axis];
    bool is_lane = is_one_of(place, length, "lane lane_id laneid laneId");
    bool is_warp = is_one_of(place, length, MAPPING_WARP_NAMES);
    if (strcmp(tid->name, MAPPING_AXIS_TID) != 0 || !(is_warp || (is_lane && tid->size > LANES)))
        return NONE;
    int thread = add_node(
        parser, (struct node){.kind = NODE_INPUT, .type = INT, .value = axis, .place = place});
    int lanes = add_node(
        parser, (struct node){.kind = NODE_NUMBER, .type = INT, .value = LANES, .place = place});
    return add_operation(parser, NODE_BINARY, is_warp ? '/' : '%', thread, lanes, place);
}

static int parse_name(struct parser *parser) {
    const char *place = parser->next;
    const struct mapping_space *from = &parser->program->from;
    size_t length = name_length(place);
    struct node node = {.kind = NODE_NAME, .type = INT, .place = place};
    parser->next += length;
    node.value = find_name(parser->program, place, length);
    if (node.value >= 0)
        return add_node(parser, node);
    if (is_word(place, length, "true") || is_word(place, length, "false")) {
        node.kind = NODE_NUMBER;
        node.value = *place == 't';
        return add_node(parser, node);
    }
    for (uint32_t a = 0; a < from->count; a++) {
        int of_warp = parse_warp_name(parser, place, length, a);
        if (of_warp != NONE)
            return of_warp;
        if (mapping_axis_is_called(from->axis[a].name, place, length)) {
            node.kind = NODE_INPUT;
            node.value = a;
            node.type.is_signed = !is_word(place, length, "threadIdx.x");
            return add_node(parser, node);
        }
    }
    return unknown_name(parser, place, length);
}

/* ---- Operators ---- */

/* Takes what closes. */
static int close(struct parser *parser, int node, const char *sign) {
    char what[32];
    if (node == NONE || take(parser, sign, ""))
        return node;
    snprintf(what, sizeof what, "expected '%s'", sign);
    return fail_at(parser, skip_blanks(parser->next), what);
}

/* "int(x)", "static_cast<int>(x)" */
static int parse_call_cast(struct parser *parser, const char *place) {
    struct c_type type;
    if (take_word(parser, "static_cast")) {
        if (!take(parser, "<", "") || !take_type(parser, &type) || !take(parser, ">", ""))
            return fail_at(parser, skip_blanks(parser->next), "expected '<int>' or another type");
    } else if (!take_type(parser, &type)) {
        return fail_at(parser, place, "expected a number, a name or '('");
    }
    if (!take(parser, "(", ""))
        return fail_at(parser, skip_blanks(parser->next), "expected '('");
    return add_cast(parser, type, close(parser, parse_condition(parser), ")"), place);
}

static int parse_primary(struct parser *parser) {
    parser->next = skip_blanks(parser->next);
    const char *place = parser->next;
    struct parser ahead = *parser;
    struct c_type type;
    if (isdigit((unsigned char)*place))
        return parse_number(parser);
    if (take(parser, "(", ""))
        return close(parser, parse_condition(parser), ")");
    if (name_length(place) > 0 && !take_type(&ahead, &type) && !take_word(&ahead, "static_cast"))
        return parse_name(parser);
    return parse_call_cast(parser, place);
}

/* "(int)x"; *is_cast says whether it is one. */
static int parse_cast(struct parser *parser, bool *is_cast) {
    struct parser ahead = *parser;
    struct c_type type;
    const char *place = skip_blanks(parser->next);
    *is_cast = take(&ahead, "(", "") && take_type(&ahead, &type) && take(&ahead, ")", "");
    if (!*is_cast)
        return NONE;
    parser->next = ahead.next;
    return add_cast(parser, type, parse_unary(parser), place);
}

static int parse_unary_inside(struct parser *parser) {
    static const char *const signs[] = {"-", "+", "~", "!"};
    const char *place = skip_blanks(parser->next);
    bool is_cast;
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++)
        if (take(parser, signs[s], *signs[s] == '!' ? "=" : *signs[s] == '~' ? "" : signs[s])) {
            int child = parse_unary(parser);
            return add_operation(parser, NODE_UNARY, *signs[s], child, child == NONE ? NONE : 0,
                                 place);
        }
    int node = parse_cast(parser, &is_cast);
    return is_cast ? node : parse_primary(parser);
}

/* Whatever nests goes through here, so this bounds how deep. */
static int parse_unary(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        return fail_at(parser, skip_blanks(parser->next), "this is nested deeper than can be read");
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
        if (binaries[b].level == level && take(parser, binaries[b].sign, binaries[b].not ))
            return &binaries[b];
    return NULL;
}

static int parse_level(struct parser *parser, int level) {
    if (level == LEVELS)
        return parse_unary(parser);
    int left = parse_level(parser, level + 1);
    while (left != NONE) {
        const char *place = skip_blanks(parser->next);
        const struct binary *binary = take_binary(parser, level);
        if (!binary)
            return left;
        left = add_operation(parser, NODE_BINARY, binary->operation, left,
                             parse_level(parser, level + 1), place);
    }
    return NONE;
}

/* "a ? b : c" and all that is tighter. */
static int parse_condition_inside(struct parser *parser) {
    int condition = parse_level(parser, 0);
    const char *place = skip_blanks(parser->next);
    if (condition == NONE || !take(parser, "?", ""))
        return condition;
    int yes = close(parser, parse_condition(parser), ":");
    int no = yes == NONE ? NONE : parse_condition(parser);
    int node = add_operation(parser, NODE_CONDITION, '?', condition, yes, place);
    if (node == NONE || no == NONE)
        return NONE;
    parser->program->node[node].child[2] = (uint16_t)no;
    return node;
}

static int parse_condition(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        return fail_at(parser, skip_blanks(parser->next), "this is nested deeper than can be read");
    int node = parse_condition_inside(parser);
    parser->depth--;
    return node;
}

/* ---- Statements ---- */

/* What a statement defines. */
struct target {
    const char *place;      /* in the text */
    char name[NAME_LENGTH]; /* cut off if it is too long, which is then said */
    size_t length;
    char operation; /* of "+=" and the like, else '\0' */
};

/* Takes "=", "+=" or another that assigns; writes its operation. */
static bool take_assignment(struct parser *parser, char *operation) {
    enum { EQUALITIES = 5, COMPARISONS = 6, FIRST_BITWISE = 2 };
    for (size_t b = 0; b < BINARIES; b++) {
        struct parser ahead = *parser;
        int level = binaries[b].level;
        if (level < FIRST_BITWISE || level == EQUALITIES || level == COMPARISONS ||
            !take(&ahead, binaries[b].sign, "") || *ahead.next != '=')
            continue;
        parser->next = ahead.next + 1;
        *operation = binaries[b].operation;
        return true;
    }
    *operation = '\0';
    return take(parser, "=", "=");
}

/* Takes a name and what assigns to it, or ':'. A formula is printed as "Row: return", with a
 * capital letter, and called row. */
static bool take_target(struct parser *parser, struct target *target) {
    struct parser ahead = *parser;
    target->place = skip_blanks(parser->next);
    target->length = name_length(target->place);
    snprintf(target->name, sizeof target->name, "%.*s", (int)target->length, target->place);
    ahead.next = target->place + target->length;
    target->operation = '\0';
    if (target->length == 0)
        return false;
    if (take(&ahead, ":", ":"))
        *target->name = (char)tolower((unsigned char)*target->name);
    else if (!take_assignment(&ahead, &target->operation))
        return false;
    parser->next = ahead.next;
    return true;
}

/* What is assigned under a condition: else the name stays as it is. */
static int add_guard(struct parser *parser, const struct target *target, int node, int name) {
    if (name < 0) {
        fail_at(parser, target->place, "this is defined under a condition alone");
        return NONE;
    }
    int old = add_node(
        parser,
        (struct node){.kind = NODE_NAME, .type = INT, .value = name, .place = target->place});
    int both = add_operation(parser, NODE_CONDITION, '?', parser->guard, node, target->place);
    if (old == NONE || both == NONE)
        return NONE;
    parser->program->node[both].child[2] = (uint16_t)old;
    return both;
}

/* Adds what defines a name, which is made only now: in "tid = tid % 32" the second is the thread.
 */
static bool add_statement(struct parser *parser, const struct target *target, int node,
                          struct c_type type) {
    struct mapping_program *program = parser->program;
    int name = mapping_program_find(program, target->name);
    if (node == NONE)
        return false;
    if (target->length >= NAME_LENGTH || (name < 0 && program->names == NAMES_MAX) ||
        program->statements == STATEMENTS_MAX)
        return fail_at(parser, target->place, "these are longer or more names than can be read") !=
               NONE;
    if (parser->guard != NONE && (node = add_guard(parser, target, node, name)) == NONE)
        return false;
    if (name < 0) {
        name = (int)program->names++;
        memcpy(program->name[name], target->name, NAME_LENGTH);
    }
    if (type.bits > 0)
        program->declared[name] = type;
    else
        type = program->declared[name];
    program->statement[program->statements++] =
        (struct statement){(uint16_t)name, (uint16_t)node, type, parser->text};
    return true;
}

/* What is assigned by "name += EXPR": name + EXPR. */
static int parse_compound(struct parser *parser, const struct target *target) {
    int name = mapping_program_find(parser->program, target->name);
    if (name < 0)
        return unknown_name(parser, target->place, target->length);
    int left = add_node(
        parser,
        (struct node){.kind = NODE_NAME, .type = INT, .value = name, .place = target->place});
    return add_operation(parser, NODE_BINARY, target->operation, left, parse_condition(parser),
                         target->place);
}

/* "int row, col;": names that are declared alone are 0. */
static bool parse_declaration(struct parser *parser, struct c_type type, bool *is_one) {
    struct target target = {.place = skip_blanks(parser->next)};
    target.length = name_length(target.place);
    const char *end = skip_blanks(target.place + target.length);
    *is_one = target.length > 0 && (*end == ',' || *end == ';' || *end == '\0');
    if (!*is_one)
        return true;
    snprintf(target.name, sizeof target.name, "%.*s", (int)target.length, target.place);
    parser->next = end;
    int zero =
        add_node(parser, (struct node){.kind = NODE_NUMBER, .type = INT, .place = target.place});
    return add_statement(parser, &target, zero, type);
}

/* One definition: "row = EXPR", "row += EXPR", "Row: return EXPR"; or a bare EXPR. */
static bool parse_definition(struct parser *parser, struct c_type type) {
    struct target target;
    if (!take_target(parser, &target))
        target = (struct target){.place = target.place, .name = MAPPING_RESULT};
    if (target.operation)
        return add_statement(parser, &target, parse_compound(parser, &target), type);
    take_word(parser, "return");
    return add_statement(parser, &target, parse_condition(parser), type);
}

static bool parse_statement(struct parser *parser);

/* Keeps the value of a condition under a name of its own, for what follows may change what it
 * depends on. Returns the node that has it. */
static int keep_condition(struct parser *parser, int condition, const char *place) {
    struct target target = {.place = place};
    int guard = parser->guard;
    snprintf(target.name, sizeof target.name, "condition %u", parser->program->statements);
    target.length = strlen(target.name);
    parser->guard = NONE;
    bool added = add_statement(parser, &target, condition, INT);
    parser->guard = guard;
    return !added
               ? NONE
               : add_node(parser,
                          (struct node){.kind = NODE_NAME,
                                        .type = INT,
                                        .value = mapping_program_find(parser->program, target.name),
                                        .place = place});
}

/* A statement under a condition, inside of those that there are. */
static bool parse_guarded(struct parser *parser, int condition, const char *place) {
    int outer = parser->guard;
    if (condition != NONE && outer != NONE)
        condition = add_operation(parser, NODE_BINARY, BOTH, outer, condition, place);
    parser->guard = condition;
    bool parsed = condition != NONE && parse_statement(parser);
    parser->guard = outer;
    return parsed;
}

/* "if (a) statement else statement" */
static bool parse_if(struct parser *parser) {
    const char *place = skip_blanks(parser->next);
    if (!take(parser, "(", ""))
        return fail_at(parser, place, "expected '('") != NONE;
    int condition = close(parser, parse_condition(parser), ")");
    if (condition != NONE)
        condition = keep_condition(parser, condition, place);
    if (!parse_guarded(parser, condition, place))
        return false;
    if (!take_word(parser, "else"))
        return true;
    int negation = add_operation(parser, NODE_UNARY, '!', condition, 0, place);
    return parse_guarded(parser, negation, place);
}

/* "{ statements }" */
static bool parse_block(struct parser *parser) {
    for (;;) {
        parser->next = skip_blanks(parser->next);
        if (take(parser, "}", ""))
            return true;
        if (!*parser->next)
            return fail_at(parser, parser->next, "expected '}'") != NONE;
        if (!parse_statement(parser))
            return false;
    }
}

/* Definitions of names of one type, if there is one, up to ';' or the end. */
static bool parse_definitions(struct parser *parser) {
    struct c_type type = {0, true};
    bool has_type = take_type(parser, &type);
    do {
        bool is_declared = false;
        if ((has_type && !parse_declaration(parser, type, &is_declared)) ||
            (!is_declared && !parse_definition(parser, type)))
            return false;
    } while (has_type && take(parser, ",", ""));
    const char *end = skip_blanks(parser->next);
    if (*end && *end != ';')
        return fail_at(parser, end, "expected an operator, ';' or the end") != NONE;
    take(parser, ";", "");
    return true;
}

/* Any one statement. */
static bool parse_statement(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        return fail_at(parser, skip_blanks(parser->next),
                       "this is nested deeper than can be read") != NONE;
    bool parsed = take(parser, ";", "")     ? true
                  : take(parser, "{", "")   ? parse_block(parser)
                  : take_word(parser, "if") ? parse_if(parser)
                                            : parse_definitions(parser);
    parser->depth--;
    return parsed;
}

const struct mapping_space *mapping_program_inputs(const struct mapping_program *program) {
    return &program->from;
}

void mapping_program_free(struct mapping_program *program) {
    free(program);
}

/* An empty program; nodes and names are written before they are read. */
static struct mapping_program *make_program(void) {
    struct mapping_program *program = malloc(sizeof *program);
    if (!program)
        return NULL;
    program->nodes = program->statements = program->names = 0;
    memset(program->declared, 0, sizeof program->declared);
    return program;
}

enum mapping_status mapping_program_parse(const char *text, const struct mapping_space *from,
                                          struct mapping_program **program,
                                          struct mapping_error *error) {
    if (!*program && !(*program = make_program()))
        return mapping_out_of_memory(error);
    (*program)->from = *from;
    struct parser parser = {
        .text = text, .next = text, .program = *program, .error = error, .guard = NONE};
    if (!*skip_blanks(text))
        return mapping_point_at(text, text, "expected an expression", error);
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
        /* On to the next statement, or the next definition of this one; behind ")" may be one. */
        while (*parser.next && !strchr(";,{})", *parser.next))
            parser.next = skip_blanks(parser.next + 1);
        if (!*parser.next++)
            return false;
    }
}
