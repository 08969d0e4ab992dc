/* statements.c - from the text of statements to a program; see expression.h. */
#include "layout/ascii.h"
#include "layout/parser.h"

#include "layout/space.h"

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
        *target->name = ascii_lower(*target->name);
    else if (!mapping_take_assignment(&ahead, &target->operation))
        return false;
    parser->next = ahead.next;
    return true;
}

/* What is assigned under a condition: else the name stays as it is, or without a value. */
static int add_guard(struct parser *parser, const struct target *target, int node, int name,
                     bool is_new) {
    const struct node kept = {.kind = is_new ? NODE_UNDEFINED : NODE_KEPT,
                              .type = INT,
                              .value = name,
                              .place = target->place};
    int old = mapping_add_node(parser, kept);
    int both =
        mapping_add_operation(parser, NODE_CONDITION, '?', parser->guard, node, target->place);
    if (both == NONE) /* as it is where there was no room for the old */
        return NONE;
    parser->program->node[both].child[2] = (uint16_t)old;
    return both;
}

/* Makes a name. -1 if there is no room. */
static int add_name(struct parser *parser, const struct target *target, const struct c_type *type) {
    struct mapping_program *program = parser->program;
    if (target->length >= NAME_LENGTH || program->names == NAMES_MAX) {
        mapping_fail_at(parser, target->place, "too many names, or a name is too long");
        return -1;
    }
    int name = (int)program->names++;
    memcpy(program->name[name], target->name, NAME_LENGTH);
    program->is_declared[name] = type != NULL;
    program->declared[name] = type ? *type : (struct c_type){0, true};
    return name;
}

/* Declares a name in this block. -1 if it is declared there already, or there is no room. */
static int declare(struct parser *parser, const struct target *target, struct c_type type) {
    const struct mapping_program *program = parser->program;
    int name = mapping_program_find(program, target->name);
    if (name >= (int)parser->scope && program->is_declared[name]) {
        mapping_fail_at(parser, target->place, "this name is declared twice");
        return -1;
    }
    return add_name(parser, target, &type);
}

/* Adds what gives a name its value. `is_new` is of names that had none before. */
static bool add_statement(struct parser *parser, const struct target *target, int name, int node,
                          bool is_new) {
    struct mapping_program *program = parser->program;
    if (node == NONE)
        return false;
    if (program->statements == STATEMENTS_MAX)
        return mapping_fail_at(parser, target->place, "too many statements") != NONE;
    if (parser->guard != NONE && (node = add_guard(parser, target, node, name, is_new)) == NONE)
        return false;
    const struct c_type type = program->declared[name];
    bool is_auto = program->is_declared[name] && type.bits == 0;
    program->statement[program->statements++] =
        (struct statement){(uint16_t)name, (uint16_t)node, type, is_auto && !is_new, parser->text};
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

/* What is assigned to a name, with or without "return" before it. */
static int parse_value(struct parser *parser) {
    mapping_take_word(parser, "return");
    return mapping_parse_condition(parser);
}

/* Behind a type: "row = EXPR", "row: EXPR", or "row" alone, which has no value yet. The name is
 * known, without a value, in its own EXPR. */
static bool parse_declaration(struct parser *parser, struct c_type type) {
    struct target target = {.place = mapping_skip_blanks(parser->next)};
    target.length = mapping_name_length(target.place);
    const char *end = mapping_skip_blanks(target.place + target.length);
    bool is_alone = target.length > 0 && (*end == ',' || *end == ';' || *end == '\0');
    if (!is_alone && (!take_target(parser, &target) || target.operation))
        return mapping_fail_at(parser, target.place, "expected a name and '='") != NONE;
    if (is_alone && type.bits == 0)
        return mapping_fail_at(parser, target.place, "auto needs a value") != NONE;
    if (is_alone) {
        snprintf(target.name, sizeof target.name, "%.*s", (int)target.length, target.place);
        parser->next = end;
    }
    int name = declare(parser, &target, type);
    const struct node undefined = {
        .kind = NODE_UNDEFINED, .type = type.bits > 0 ? type : INT, .place = target.place};
    int guard = parser->guard;
    parser->guard = NONE;
    bool is_added = name >= 0 &&
                    add_statement(parser, &target, name, mapping_add_node(parser, undefined), true);
    parser->guard = guard;
    return is_added &&
           (is_alone || add_statement(parser, &target, name, parse_value(parser), true));
}

/* Without a type: "row = EXPR", "row += EXPR", "Row: return EXPR", or a bare EXPR. A name that
 * nobody declared is made by its first value, behind that: in "tid = tid % 32" the second is the
 * thread. */
static bool parse_assignment(struct parser *parser) {
    struct target target;
    if (!take_target(parser, &target))
        target = (struct target){.place = target.place, .name = MAPPING_RESULT};
    int node = target.operation ? parse_compound(parser, &target) : parse_value(parser);
    int name = mapping_program_find(parser->program, target.name);
    bool is_new = name < 0;
    if (node == NONE || (is_new && (name = add_name(parser, &target, NULL)) < 0))
        return false;
    return add_statement(parser, &target, name, node, is_new);
}

static bool parse_statement(struct parser *parser);

/* Keeps the value of a condition, true or false, under a name of its own, for what follows may
 * change what it depends on. Returns the node that has it. */
static int keep_condition(struct parser *parser, int condition, const char *place) {
    struct target target = {.place = place};
    int guard = parser->guard;
    snprintf(target.name, sizeof target.name, "condition %u", parser->program->statements);
    target.length = strlen(target.name);
    parser->guard = NONE;
    int name = add_name(parser, &target, &BOOL);
    bool added = name >= 0 && add_statement(parser, &target, name, condition, true);
    parser->guard = guard;
    return !added
               ? NONE
               : mapping_add_node(
                     parser,
                     (struct node){.kind = NODE_NAME, .type = BOOL, .value = name, .place = place});
}

/* Where a block begins; returns where the one around it does. */
static uint32_t open_scope(struct parser *parser) {
    uint32_t outer = parser->scope;
    parser->scope = parser->program->names;
    return outer;
}

/* Where it ends: what was declared in it is known no longer. */
static void close_scope(struct parser *parser, uint32_t outer) {
    struct mapping_program *program = parser->program;
    for (uint32_t n = parser->scope; n < program->names; n++)
        if (program->is_declared[n])
            *program->name[n] = OUT_OF_SCOPE;
    parser->scope = outer;
}

/* A statement under a condition, inside of those that there are. */
static bool parse_guarded(struct parser *parser, int condition, const char *place) {
    int outer = parser->guard;
    if (condition != NONE && outer != NONE)
        condition = mapping_add_operation(parser, NODE_BINARY, BOTH, outer, condition, place);
    parser->guard = condition;
    uint32_t scope = open_scope(parser);
    bool parsed = condition != NONE && parse_statement(parser);
    close_scope(parser, scope);
    parser->guard = outer;
    return parsed;
}

/* "if (a) statement else statement" */
static bool parse_if(struct parser *parser) {
    const char *place = mapping_skip_blanks(parser->next);
    if (!mapping_take(parser, "(", ""))
        return mapping_fail_at(parser, place, "expected '('") != NONE;
    int condition = mapping_close(parser, mapping_parse_condition(parser), ")");
    /* Where the conditions around it do not hold, C does not evaluate it. */
    if (condition != NONE && parser->guard != NONE)
        condition =
            mapping_add_operation(parser, NODE_BINARY, BOTH, parser->guard, condition, place);
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
    uint32_t scope = open_scope(parser);
    for (;;) {
        parser->next = mapping_skip_blanks(parser->next);
        if (mapping_take(parser, "}", "")) {
            close_scope(parser, scope);
            return true;
        }
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
        if (!(has_type ? parse_declaration(parser, type) : parse_assignment(parser)))
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
        return mapping_fail_at(parser, mapping_skip_blanks(parser->next), "nested too deeply") !=
               NONE;
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

/* Nodes and names are written before they are read. */
struct mapping_program *mapping_program_make(uint32_t lanes) {
    struct mapping_program *program = malloc(sizeof *program);
    if (!program)
        return NULL;
    program->nodes = program->statements = program->names = 0;
    program->lanes = lanes;
    return program;
}

enum mapping_status mapping_program_parse(const char *text, const struct mapping_space *from,
                                          struct mapping_program **program,
                                          struct mapping_error *error) {
    if (!*program && !(*program = mapping_program_make(MAPPING_WARP)))
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
