/* statements.c - from the text of statements to a program; see expression.h. */
#include "layout/parser.h"

#include "layout/space.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a statement defines. */
struct target {
    const char *place;      /* in the text */
    char name[NAME_LENGTH]; /* cut off if it is too long, which is then said */
    size_t length;
    char operation; /* of "+=" and the like, else '\0' */
};

/* Takes a name and what assigns to it, or ':'. A formula is printed as "Row: return", with a
 * capital letter, and called row. */
static bool take_target(struct parser *parser, struct target *target) {
    struct parser ahead = *parser;
    target->place = mapping_skip_blanks(parser->next);
    target->length = mapping_name_length(target->place);
    snprintf(target->name, sizeof target->name, "%.*s", (int)target->length, target->place);
    ahead.next = target->place + target->length;
    target->operation = '\0';
    if (target->length == 0)
        return false;
    if (mapping_take(&ahead, ":", ":"))
        *target->name = (char)tolower((unsigned char)*target->name);
    else if (!mapping_take_assignment(&ahead, &target->operation))
        return false;
    parser->next = ahead.next;
    return true;
}

/* What is assigned under a condition: else the name stays as it is. */
static int add_guard(struct parser *parser, const struct target *target, int node, int name) {
    if (name < 0) {
        mapping_fail_at(parser, target->place, "this is defined under a condition alone");
        return NONE;
    }
    int old = mapping_add_node(
        parser,
        (struct node){.kind = NODE_NAME, .type = INT, .value = name, .place = target->place});
    int both =
        mapping_add_operation(parser, NODE_CONDITION, '?', parser->guard, node, target->place);
    if (both == NONE) /* as it is where there was no room for the old */
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
        return mapping_fail_at(parser, target->place,
                               "these are longer or more names than can be read") != NONE;
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
        return mapping_unknown_name(parser, target->place, target->length);
    int left = mapping_add_node(
        parser,
        (struct node){.kind = NODE_NAME, .type = INT, .value = name, .place = target->place});
    return mapping_add_operation(parser, NODE_BINARY, target->operation, left,
                                 mapping_parse_condition(parser), target->place);
}

/* "int row, col;": names that are declared alone are 0. */
static bool parse_declaration(struct parser *parser, struct c_type type, bool *is_one) {
    struct target target = {.place = mapping_skip_blanks(parser->next)};
    target.length = mapping_name_length(target.place);
    const char *end = mapping_skip_blanks(target.place + target.length);
    *is_one = target.length > 0 && (*end == ',' || *end == ';' || *end == '\0');
    if (!*is_one)
        return true;
    snprintf(target.name, sizeof target.name, "%.*s", (int)target.length, target.place);
    parser->next = end;
    int zero = mapping_add_node(
        parser, (struct node){.kind = NODE_NUMBER, .type = INT, .place = target.place});
    return add_statement(parser, &target, zero, type);
}

/* One definition: "row = EXPR", "row += EXPR", "Row: return EXPR"; or, without a type, a bare EXPR.
 */
static bool parse_definition(struct parser *parser, bool has_type, struct c_type type) {
    struct target target;
    bool is_named = take_target(parser, &target);
    if (has_type && !is_named)
        return mapping_fail_at(parser, target.place, "expected a name and '='") != NONE;
    if (!is_named)
        target = (struct target){.place = target.place, .name = MAPPING_RESULT};
    if (target.operation)
        return add_statement(parser, &target, parse_compound(parser, &target), type);
    mapping_take_word(parser, "return");
    return add_statement(parser, &target, mapping_parse_condition(parser), type);
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
    return !added ? NONE
                  : mapping_add_node(parser, (struct node){.kind = NODE_NAME,
                                                           .type = INT,
                                                           .value = mapping_program_find(
                                                               parser->program, target.name),
                                                           .place = place});
}

/* A statement under a condition, inside of those that there are. */
static bool parse_guarded(struct parser *parser, int condition, const char *place) {
    int outer = parser->guard;
    if (condition != NONE && outer != NONE)
        condition = mapping_add_operation(parser, NODE_BINARY, BOTH, outer, condition, place);
    parser->guard = condition;
    bool parsed = condition != NONE && parse_statement(parser);
    parser->guard = outer;
    return parsed;
}

/* "if (a) statement else statement" */
static bool parse_if(struct parser *parser) {
    const char *place = mapping_skip_blanks(parser->next);
    if (!mapping_take(parser, "(", ""))
        return mapping_fail_at(parser, place, "expected '('") != NONE;
    int condition = mapping_close(parser, mapping_parse_condition(parser), ")");
    if (condition != NONE)
        condition = keep_condition(parser, condition, place);
    if (!parse_guarded(parser, condition, place))
        return false;
    if (!mapping_take_word(parser, "else"))
        return true;
    int negation = mapping_add_operation(parser, NODE_UNARY, '!', condition, 0, place);
    return parse_guarded(parser, negation, place);
}

/* "{ statements }" */
static bool parse_block(struct parser *parser) {
    for (;;) {
        parser->next = mapping_skip_blanks(parser->next);
        if (mapping_take(parser, "}", ""))
            return true;
        if (!*parser->next)
            return mapping_fail_at(parser, parser->next, "expected '}'") != NONE;
        if (!parse_statement(parser))
            return false;
    }
}

/* Takes the type that names are defined with: behind it is a name, or it is a cast. */
static bool take_declared_type(struct parser *parser, struct c_type *type) {
    struct parser ahead = *parser;
    struct c_type taken;
    if (!mapping_take_type(&ahead, &taken) || !mapping_name_length(mapping_skip_blanks(ahead.next)))
        return false;
    parser->next = ahead.next;
    *type = taken;
    return true;
}

/* Definitions of names of one type, if there is one, up to ';' or the end. */
static bool parse_definitions(struct parser *parser) {
    struct c_type type = {0, true};
    bool has_type = take_declared_type(parser, &type);
    do {
        bool is_declared = false;
        if ((has_type && !parse_declaration(parser, type, &is_declared)) ||
            (!is_declared && !parse_definition(parser, has_type, type)))
            return false;
    } while (has_type && mapping_take(parser, ",", ""));
    const char *end = mapping_skip_blanks(parser->next);
    if (*end && *end != ';')
        return mapping_fail_at(parser, end, "expected an operator, ';' or the end") != NONE;
    mapping_take(parser, ";", "");
    return true;
}

/* Any one statement. */
static bool parse_statement(struct parser *parser) {
    if (++parser->depth > DEPTH_MAX)
        return mapping_fail_at(parser, mapping_skip_blanks(parser->next),
                               "this is nested deeper than can be read") != NONE;
    bool parsed = mapping_take(parser, ";", "")     ? true
                  : mapping_take(parser, "{", "")   ? parse_block(parser)
                  : mapping_take_word(parser, "if") ? parse_if(parser)
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
    if (!*mapping_skip_blanks(text))
        return mapping_point_at(text, text, "expected an expression", error);
    for (;;) {
        parser.next = mapping_skip_blanks(parser.next);
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
        parser.next = mapping_skip_blanks(parser.next);
        mapping_take_word(&parser, "else");
        mapping_take_type(&parser, &type);
        if (take_target(&parser, &target) &&
            mapping_axis_is_called(name, target.name, strlen(target.name)))
            return true;
        /* On to the next statement, or the next definition of this one; behind ")" may be one. */
        while (*parser.next && !strchr(";,{})", *parser.next))
            parser.next = mapping_skip_blanks(parser.next + 1);
        if (!*parser.next++)
            return false;
    }
}
