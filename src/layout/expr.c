/* expr.c - the statements of expr.h: definitions, blocks, conditions and loops. */
#include "layout/expr.h"
#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/function.h"
#include "layout/macros.h"
#include "layout/parser.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "layout/types.h"
#include "system/arena.h"

#include <stdio.h>

/* ---- Statements ---- */

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

/* The left side of an assignment. */
struct target {
    const char *place; /* in the text */
    size_t length;
    char name[64];                 /* truncated if it is longer; add_variable refuses it */
    const struct binary *compound; /* of "+=" and similar operators, otherwise NULL */
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
        if (parser_take(parser, steps[n], ""))
            compound = parser_find_sign(steps[n][0]);
    const char *place = parser->next;
    size_t length = parser_name_length(place);
    *target = (struct target){.place = place, .length = length, .compound = compound};
    snprintf(target->name, sizeof target->name, "%.*s", (int)length, place);
    parser_advance(parser, length);
    for (int n = 0; n < 2 && length > 0 && !target->compound; n++)
        if (parser_take(parser, steps[n], ""))
            target->compound = parser_find_sign(steps[n][0]);
    target->is_step = length > 0 && target->compound;
    if (target->is_step)
        return true;
    target->is_label = length > 0 && parser_take(parser, ":", ":");
    if (target->is_label) {
        *target->name = ascii_lower(*target->name);
    } else if (length == 0 || !parser_take_assignment(parser, &target->compound)) {
        parser_go_back(parser, &before);
        return false;
    }
    return true;
}

enum { TARGETS_MAX = 8 };

/* Takes the "(" or "[" of a Python tuple or list. Returns the closing bracket, or NULL. */
static const char *take_bracket(struct parser *parser) {
    return parser_take(parser, "(", "") ? ")" : parser_take(parser, "[", "") ? "]" : NULL;
}

/* Takes the left side of a Python assignment to several names: "row, col =", "(row, col) =" or
 * "[row, col] =". Returns the number of names. If there are fewer than two, returns 0 and takes
 * nothing. */
static size_t take_targets(struct parser *parser, struct target targets[TARGETS_MAX]) {
    const struct parser before = *parser;
    const char *bracket = take_bracket(parser);
    size_t count = 0, length;
    do {
        const char *place = parser->next;
        length = parser_name_length(place);
        targets[count] = (struct target){.place = place, .length = length};
        snprintf(targets[count].name, sizeof targets->name, "%.*s", (int)length, place);
        parser_advance(parser, length);
        count++;
    } while (length > 0 && count < TARGETS_MAX && parser_take(parser, ",", ""));
    if (length > 0 && count > 1 && (!bracket || parser_take(parser, bracket, "")) &&
        parser_take(parser, "=", "="))
        return count;
    parser_go_back(parser, &before);
    return 0;
}

static int add_variable(struct parser *parser, const struct target *target, bool is_declared,
                        struct c_type type) {
    struct mapping_program *program = parser->program;
    if (target->length >= sizeof target->name || program->variables == VARIABLES_MAX)
        parser_fail(parser, target->place, "too many names, or a name is too long");
    if (mapping_is_keyword(target->name))
        parser_fail(parser, target->place, "C and C++ reserve this word, so it cannot be a name");
    if (program->variables < VARIABLES_MAX)
        program->variables++;
    struct variable *variable = &program->variable[program->variables - 1];
    *variable = (struct variable){.is_declared = is_declared, .type = type};
    memcpy(variable->name, target->name, sizeof variable->name);
    return (int)program->variables - 1;
}

/* Reads an expression after which a condition without "else" may follow. */
static struct c_type parse_case(struct parser *parser) {
    parser->case_depth = parser->depth + 1;
    const struct c_type type = parser_read_expression(parser);
    parser->case_depth = 0;
    return type;
}

/* Assigns the value on the stack to a variable. Without a declaration, the variable takes the type
 * of the value; if it keeps its old value at some points, the common type of both values. */
static void store(struct parser *parser, int variable, struct c_type type, const char *place) {
    struct variable *stored = &parser->program->variable[variable];
    parser->breaks_count |= variable < (int)parser->kept && stored->has_value;
    if ((!stored->is_declared && !stored->is_typed) || stored->type.bits == 0)
        stored->type = parser->guard != NONE && stored->has_value
                           ? parser_either_type(stored->type, type)
                           : type;
    stored->has_value = true;
    stored->varies = parser->varies || parser->guard != NONE;
    parser_emit(parser, STORE, stored->type, place, variable);
}

/* Excludes the points that have returned from the next steps. The slot of the guard stays in use;
 * the statement or function around it releases it. */
static void guard_live(struct parser *parser) {
    const char *place = parser->end;
    const bool varies = parser->varies, may_change = parser->may_change;
    const int outer = parser->guard, slot = parser->height;
    parser_emit_name(parser, parser->live, place);
    parser_emit_guard(parser, outer, WHEN, slot, place);
    parser->varies = varies;
    parser->may_change = may_change;
}

/* Notes that the points of the guard have returned. */
static void end_points(struct parser *parser, const char *place) {
    parser->returns++;
    parser->breaks_count = true;
    if (parser->live == NONE)
        return;
    parser_emit(parser, NUMBER, INT, place, 0);
    parser_emit(parser, STORE, INT, place, parser->live);
    guard_live(parser);
}

/* Makes the variable of the points that have not returned. */
static void begin_points(struct parser *parser) {
    struct target target = {.place = parser->next, .length = 1, .name = "0"};
    parser->live = add_variable(parser, &target, false, INT);
    struct variable *live = &parser->program->variable[parser->live];
    parser_emit(parser, NUMBER, INT, parser->next, 1);
    parser_emit(parser, STORE, INT, parser->next, parser->live);
    live->is_hidden = live->is_read = live->has_value = live->varies = true;
}

/* Reads "row = EXPR", "row: return EXPR", "row += EXPR", "row++" or a bare EXPR; after a type, also
 * "row" alone. A declared name is visible, without a value, in its own EXPR. Any other name is
 * visible after its first value: in "tid = tid % 32" the second tid is the axis. */
static void parse_definition(struct parser *parser, bool is_declaration, struct c_type declared,
                             const char *kinds) {
    struct target target;
    const bool is_assignment = take_target(parser, &target);
    if (!is_assignment && !is_declaration)
        target = (struct target){.place = target.place, .name = MAPPING_RESULT};
    int variable = mapping_program_find(parser->program, target.name);
    if (is_declaration) {
        if (!is_assignment)
            parser_advance(parser, target.length);
        if (*parser->next == '[')
            parser_fail(parser, target.place, "an array is a table, which --map=FILE reads");
        if (is_assignment ? target.compound != NULL
                          : target.length == 0 || !strchr(",;", *parser->next))
            parser_fail(parser, target.place, "expected a name and '='");
        if (!is_assignment && declared.bits == 0)
            parser_fail(parser, target.place, "auto needs a value");
        if (!is_assignment && strchr(kinds, 'e'))
            parser_fail(parser, target.place, "constexpr needs a value");
        if (variable >= (int)parser->scope && parser->program->variable[variable].is_declared)
            parser_fail(parser, target.place, "this name is declared twice");
        variable = add_variable(parser, &target, true, declared);
        parser->program->variable[variable].is_const = strpbrk(kinds, "ke") != NULL;
        if (!is_assignment)
            return;
    } else if (variable != NONE && parser->program->variable[variable].is_const) {
        parser_fail(parser, target.place, "this is const, so it cannot be assigned");
    }
    const bool was_read = variable != NONE && parser->program->variable[variable].is_read;
    struct c_type old = INT;
    bool returns = false;
    parser->varies = parser->may_change = false;
    if (!target.compound) {
        if (!is_assignment || target.is_label)
            returns = parser_take_word(parser, "return") && !is_assignment;
    } else { /* "lane &= 31" makes a variable of an input, as "lane = lane & 31" does */
        const struct parser behind = *parser;
        parser->next = target.place;
        old = parser_read_name(parser);
        parser_go_back(parser, &behind);
    }
    const int outer = parser->guard, height = parser->height;
    struct c_type type = target.is_step    ? parser_emit(parser, NUMBER, INT, target.place, 1)
                         : target.compound ? parser_read_expression(parser)
                                           : parse_case(parser);
    if (parser->may_change && strpbrk(kinds, "eo"))
        parser_fail(parser, target.place,
                    "constexpr and static need a value that is constant in C");
    if (target.compound)
        type = parser_emit_binary(parser, target.compound->operation, old, type, target.place);
    if (variable == NONE)
        variable = add_variable(parser, &target, false, INT);
    store(parser, variable, type, target.place);
    for (int within = outer; parser->guard != within;) { /* "row = a for ai where i < 2" */
        const int slot = parser->height - 1;
        struct target other;
        parser_emit_guard(parser, within, UNLESS, slot, target.place);
        within = slot;
        const struct parser before = *parser;
        if (!parser_take(parser, ";", ""))
            parser_take(parser, ",", "");
        const struct parser next = *parser;
        if (!*parser->next || *parser->next == '}' || take_target(parser, &other)) {
            parser_go_back(parser, &before);
            break;
        }
        parser_go_back(parser, &next);
        bool is_last = mapping_word_is_in("otherwise Otherwise", parser->next,
                                          parser_name_length(parser->next));
        if (is_last)
            parser_advance(parser, parser_name_length(parser->next));
        type = parse_case(parser);
        if (parser->guard == within && !is_last && !parser_take_word(parser, "otherwise") &&
            !parser_take_word(parser, "Otherwise"))
            parser_fail(parser, parser->next, "expected 'for', 'if' or 'otherwise'");
        store(parser, variable, type, target.place);
    }
    parser->guard = outer;
    parser->height = height - (target.compound != NULL);
    parser->program->variable[variable].is_read = was_read; /* a variable's own definition does not
                                                               count as a read */
    if (returns)
        end_points(parser, target.place);
}

/* Reads "divmod(a, b)" as the values a // b and a % b. */
static void parse_divmod(struct parser *parser, struct c_type types[2]) {
    static const int operations[2] = {FLOOR, MODULO};
    const struct parser start = *parser;
    for (int n = 0; n < 2; n++) {
        parser->next = start.next;
        parser->end = start.end;
        parser_expect(parser, "(");
        const char *place = parser->next;
        const struct c_type left = parser_read_expression(parser);
        parser_expect(parser, ",");
        const struct c_type right = parser_read_expression(parser);
        parser_expect(parser, ")");
        types[n] = parser_emit_binary(parser, operations[n], left, right, place);
    }
}

/* True if brackets enclose the values: "(a, b)", but not "(a + b) * 2, max(a, b)". */
static bool has_brackets(const char *text) {
    unsigned depth = 0;
    for (; *text && *text != ';'; text++) {
        depth += *text == '(' || *text == '[';
        depth -= *text == ')' || *text == ']';
        if (depth == 0)
            return false;
        if (depth == 1 && *text == ',')
            return true;
    }
    return false;
}

/* Reads the values after "row, col =", then assigns all of them at once, as Python does. */
static void parse_values(struct parser *parser, const struct target *targets, size_t count) {
    struct c_type types[TARGETS_MAX];
    const char *bracket = has_brackets(parser->next) ? take_bracket(parser) : NULL;
    parser->varies = parser->may_change = false;
    parser->enclosed += bracket != NULL;
    if (count == 2 && parser_take_word(parser, "divmod")) {
        parse_divmod(parser, types);
    } else {
        for (size_t t = 0; t < count; t++) {
            if (t > 0 && !parser_take(parser, ",", ""))
                parser_fail(parser, parser->next, "expected a value for each name");
            types[t] = parser_read_expression(parser);
        }
    }
    if (bracket) {
        parser->enclosed--;
        parser_take(parser, ",", "");
        parser_expect(parser, bracket);
    }
    for (size_t t = count; t-- > 0;) {
        int variable = mapping_program_find(parser->program, targets[t].name);
        if (variable == NONE)
            variable = add_variable(parser, &targets[t], false, INT);
        else if (parser->program->variable[variable].is_const)
            parser_fail(parser, targets[t].place, "this is const, so it cannot be assigned");
        store(parser, variable, types[t], targets[t].place);
    }
}

/* ---- Functions ---- */

static void parse_statement(struct parser *parser, bool is_scope);

/* The axes of two values that a function returns: a row and a column, or a thread and an element.
 */
static const char *returned_axis(const struct mapping_space *from, size_t value) {
    static const char *const axes[2][2] = {{MAPPING_AXIS_TID, MAPPING_AXIS_I},
                                           {MAPPING_AXIS_ROW, MAPPING_AXIS_COL}};
    return axes[mapping_space_find(from, MAPPING_AXIS_TID) >= 0][value];
}

/* The type of a value of "return"; 0 bits if it stays as it is. `open` is the bracket of several
 * values. */
static struct c_type result_type(const struct parser *parser, const char *open, size_t value) {
    const char *end = open;
    while (open && end > parser->text && (ascii_is_letter(end[-1]) || ascii_is_digit(end[-1])))
        end--;
    const struct vector_type *vector = types_find_vector(end, open ? (size_t)(open - end) : 0);
    return parser->function && parser->result_types[value].bits > 0 ? parser->result_types[value]
           : vector                                                 ? vector->type
                                                                    : (struct c_type){0, true};
}

/* Reads the values after "return": "a", "a, b", "(a, b)", "{a, b}" or "make_coord(a, b)". */
static void parse_return(struct parser *parser) {
    struct mapping_program *program = parser->program;
    const char *place = parser->next, *open = function_bracket(place);
    char result[16] = MAPPING_RESULT;
    struct c_type types[2] = {INT, INT};
    size_t count = 0;
    if (open)
        parser_advance(parser, (size_t)(open + 1 - place));
    parser->varies = parser->may_change = false;
    if (parser->function && !parser->function->is_python && strchr(";}", *place)) {
        end_points(parser, place); /* "return;" */
        return;
    }
    if (parser->function)
        function_result(parser->function, result);
    parser->enclosed += open != NULL;
    do {
        const struct c_type type = parser_read_expression(parser);
        if (count == 2)
            parser_fail(parser, place, "expected one value, or a row and a column");
        types[count < 2 ? count : 1] = type;
    } while (count++ < 2 && parser_take(parser, ",", ""));
    parser->enclosed -= open != NULL;
    if (open)
        parser_expect(parser, *open == '(' ? ")" : *open == '[' ? "]" : "}");
    if (count == 1 && parser->needs_type) {
        char what[160];
        snprintf(what, sizeof what,
                 "the type '%.*s' is not known; write an integer type, such as int",
                 (int)(parser->needs_length < 40 ? parser->needs_length : 40), parser->needs_type);
        parser_fail(parser, parser->needs_type, what);
    }
    for (size_t t = count < 2 ? count : 2; t-- > 0;) {
        struct target target = {.place = place};
        const struct c_type type = result_type(parser, open, t);
        if (type.bits > 0)
            types[t] = parser_emit(parser, CAST, type, place, 0);
        snprintf(target.name, sizeof target.name, "%s",
                 count == 2 ? returned_axis(&program->from, t) : result);
        target.length = strlen(target.name);
        if (parser->results[t] == NONE)
            parser->results[t] = add_variable(parser, &target, false, INT);
        store(parser, parser->results[t], types[t], place);
    }
    end_points(parser, place);
}

/* Makes a variable of a parameter that is an output; it has the type of the parameter. */
static void bind_output(struct parser *parser, const struct function_parameter *parameter,
                        const struct target *target) {
    struct c_type type;
    const char *name;
    size_t length;
    if (!types_find(parameter->start, parameter->name, &type, &name, &length))
        return; /* the address of an array or of a matrix */
    const int variable = add_variable(parser, target, false, type);
    parser->program->variable[variable].is_typed = type.bits > 0;
    parser->program->variable[variable].is_read = true; /* the function may leave it alone */
    static const char *const axes[] = {MAPPING_AXIS_ROW, MAPPING_AXIS_COL, MAPPING_AXIS_TID,
                                       MAPPING_AXIS_I};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++)
        parser->must_execute |= mapping_axis_is_called(axes[a], parameter->name, parameter->length);
}

/* Makes variables of the parameters of a function: of the axes with these names, or of the next
 * axes in order, with the types of the parameters. A single parameter is the element, because such
 * functions read threadIdx.x. */
static void bind_parameters(struct parser *parser) {
    struct mapping_program *program = parser->program;
    const struct mapping_space *from = &program->from;
    const uint32_t known = program->variables;
    const char *at = parser->function->parameters, *type_name;
    const int i = mapping_space_find(from, MAPPING_AXIS_I);
    struct function_parameter parameter;
    uint32_t taken = 0, unknown = 0;
    size_t length;
    struct c_type type;
    int of_warp;
    while (function_parameter(parser->function, &at, &parameter)) {
        if (parameter.is_output)
            continue;
        const int axis = parser_find_axis(from, parameter.name, parameter.length, &of_warp);
        taken |= axis != NONE ? UINT32_C(1) << axis : 0;
        unknown += axis == NONE && program_find(program, parameter.name, parameter.length) == NONE;
        parser->must_execute |= axis == i;
    }
    if (unknown == 1 && taken == 0 && i >= 0)
        taken = ~(UINT32_C(1) << i);
    at = parser->function->parameters;
    while (function_parameter(parser->function, &at, &parameter)) {
        const char *name = parameter.name;
        struct target target = {.place = name, .length = parameter.length};
        uint32_t axis = 0;
        snprintf(target.name, sizeof target.name, "%.*s", (int)parameter.length, name);
        if (parameter.is_output) {
            bind_output(parser, &parameter, &target);
            continue;
        }
        const bool is_integer = parser->function->is_python ||
                                types_find(parameter.start, name, &type, &type_name, &length);
        const int before = program_find(program, name, parameter.length);
        if (before != NONE && before < (int)known)
            continue;
        if (!is_integer) {
            char what[160];
            if (parameter.is_reference)
                continue; /* a layout or an array */
            snprintf(what, sizeof what,
                     "the type '%.*s' is not known; write an integer type, such as int",
                     (int)(length < 40 ? length : 40), type_name);
            parser_fail(parser, type_name, what);
            return;
        }
        if (parser->function->is_python || type.bits == 0)
            type = INT;
        if (parser_find_axis(from, name, parameter.length, &of_warp) != NONE) {
            const struct parser behind = *parser;
            parser->next = name;
            parser_read_name(parser);
            parser_go_back(parser, &behind);
        } else {
            while (axis < from->count && taken >> axis & 1)
                axis++;
            if (axis == from->count) {
                parser_fail(parser, name,
                            "this function has more parameters than there are inputs");
                return;
            }
            taken |= UINT32_C(1) << axis;
            parser_emit(parser, INPUT, INT, name, axis);
        }
        const int variable = add_variable(parser, &target, true, type);
        program->variable[variable].has_value = program->variable[variable].varies = true;
        program->variable[variable].is_read = true;
        parser_emit(parser, STORE, type, name, variable);
    }
}

/* The number of characters before a place in its line. */
static size_t column_of(const struct parser *parser, const char *place) {
    const char *start = place;
    while (start > parser->text && start[-1] != '\n')
        start--;
    return (size_t)(place - start);
}

/* True if a definition of Python ends here: the next line is not indented more than "def". */
static bool is_behind_python(const struct parser *parser) {
    const struct function_head *head = parser->function;
    return head->is_python && parser_is_on_new_line(parser) &&
           column_of(parser, parser->next) <= column_of(parser, head->start);
}

/* Reads the definition of a function; its values are those of the axes that it computes. */
static bool parse_function(struct parser *parser) {
    struct mapping_program *program = parser->program;
    struct function_head head;
    const struct parser outer = *parser;
    const uint32_t first = program->variables;
    if (parser->function || !function_head_read(parser->next, &head)) {
        if (parser_take_word(parser, "def"))
            parser_fail(parser, outer.next, "expected 'def f(tid, i):' and a 'return'");
        return false;
    }
    parser->function = &head;
    if (head.is_python)
        parser_need_python(parser);
    parser->results[0] = parser->results[1] = NONE;
    parser->scope = first;
    types_find_results(parser);
    begin_points(parser);
    bind_parameters(parser);
    if (!parser->has_failed)
        parser_advance(parser, (size_t)(head.body - parser->next));
    if (head.is_lambda)
        parse_return(parser);
    else
        while (*parser->next && *parser->next != '}' && !is_behind_python(parser))
            parse_statement(parser, false);
    if (!head.is_python)
        parser_expect(parser, "}");
    for (uint32_t v = first; v < program->variables; v++) { /* without "return", it has outputs */
        struct variable *variable = &program->variable[v];
        const bool is_result = (int)v == parser->results[0] || (int)v == parser->results[1];
        variable->is_hidden |= variable->is_declared ||
                               (parser->results[0] != NONE && !is_result && !variable->is_typed);
        variable->is_read |= variable->is_hidden;
    }
    parser->guard = outer.guard;
    parser->height = outer.height;
    parser->scope = outer.scope;
    parser->live = outer.live;
    parser->returns = outer.returns;
    parser->function = NULL;
    parser->needs_type = NULL;
    parser->must_execute = false;
    parser->results[0] = parser->results[1] = NONE;
    return true;
}

/* Ends a statement with branches or passes: the next steps have the guard before it, without the
 * points that have returned. */
static void end_branches(struct parser *parser, int guard, int height, unsigned returns) {
    parser->guard = guard;
    parser->height = height;
    if (parser->returns != returns && parser->live != NONE && !parser->has_failed)
        guard_live(parser);
}

/* Reads "if (x) ... else ...". */
static void parse_if(struct parser *parser) {
    const int outer = parser->guard, slot = parser->height;
    const unsigned returns = parser->returns;
    parser_take_word(parser, "constexpr");
    const char *place = parser->next;
    if (*place == '(')
        parser_read_enclosed(parser);
    if (*place != '(' || *parser->next == ':')
        parser_fail(parser, parser->next,
                    "expected '(x)'; an 'if' of Python must be 'row = a if x else b'");
    parser_emit_guard(parser, outer, WHEN, slot, place);
    parse_statement(parser, true);
    parser->height = slot + 1;
    if (parser_take_word(parser, "else")) {
        parser_emit_guard(parser, outer, UNLESS, slot, place);
        parse_statement(parser, true);
    }
    end_branches(parser, outer, slot, returns);
}

/* ---- Loops ---- */

/* Evaluates the next expression, which must be a constant; removes its steps. */
static int64_t parse_constant(struct parser *parser) {
    struct mapping_program *program = parser->program;
    const uint32_t count = program->count;
    const char *place = parser->next;
    const int slot = parser->height;
    int64_t value = 0;
    parser->varies = false;
    parser_read_expression(parser);
    if (parser->varies && parser->is_counting)
        parser->breaks_count = true;
    else if (parser->varies)
        parser_fail(parser, place, "the bounds of a loop must be constants");
    else if (!parser->has_failed)
        value = program_run(program, slot);
    program->count = count;
    parser->height = slot;
    return value;
}

/* The parts of "for (init; condition; step) body". */
struct loop {
    const char *place;
    struct parser condition, step, body;
    int variable; /* the variable that the step changes */
};

/* Reads "(int j = 0;", and finds the other parts. The steps are not guarded: the loop variable has
 * its value at all points. */
static void parse_loop(struct parser *parser, struct loop *loop) {
    struct mapping_program *program = parser->program;
    loop->place = parser->next;
    if (*parser->next != '(')
        parser_fail(parser, parser->next, "a loop must be as in C: 'for (int j = 0; j < 2; j++)'");
    parser_expect(parser, "(");
    parse_statement(parser, false);
    loop->condition = *parser;
    if (*parser->next == ';')
        parser_fail(parser, parser->next, "a loop needs a condition, such as j < 2");
    parse_constant(parser);
    parser_expect(parser, ";");
    loop->step = *parser;
    struct target target;
    if (!take_target(parser, &target))
        parser_fail(parser, parser->next, "expected a step, such as j++");
    loop->variable = program_find(program, target.name, strlen(target.name));
    if (!parser->has_failed && loop->variable == NONE)
        parser_fail_unknown(parser, target.place, target.length);
    if (!target.is_step && !parser->has_failed) {
        const uint32_t count = program->count;
        parser_read_expression(parser);
        program->count = count;
        parser->height = loop->step.height;
    }
    parser_expect(parser, ")");
    loop->body = *parser;
}

/* True if the condition of a loop holds. */
static bool goes_on(struct parser *parser, const struct loop *loop) {
    parser_go_back(parser, &loop->condition);
    return parse_constant(parser) != 0 && !parser->has_failed;
}

static void parse_step(struct parser *parser, const struct loop *loop) {
    parser_go_back(parser, &loop->step);
    parse_definition(parser, false, INT, "");
}

/* Executes a loop: reads its body once for each pass. */
static void unroll(struct parser *parser, struct loop *loop) {
    struct mapping_program *program = parser->program;
    const int outer = parser->guard, height = parser->height;
    const unsigned returns = parser->returns;
    const bool was_unrolled = parser->is_unrolled;
    struct parser behind = loop->body;
    int guard = outer;
    bool runs = false;
    parser->is_unrolled = true;
    while (parser->guard = NONE, goes_on(parser, loop)) {
        parser->guard = guard;
        parser_go_back(parser, &loop->body);
        parse_statement(parser, true);
        runs = true;
        behind = *parser;
        end_branches(parser, outer, height, returns);
        guard = parser->guard;
        parser->guard = NONE;
        parse_step(parser, loop);
    }
    parser->guard = guard;
    parser_go_back(parser, &behind);
    if (!runs) { /* the body is read without keeping its steps */
        const uint32_t count = program->count, variables = program->variables;
        const struct parser before = *parser;
        parse_statement(parser, true);
        program->count = count;
        program->variables = variables;
        parser->guard = before.guard;
        parser->height = before.height;
        parser->returns = before.returns;
        memcpy(parser->results, before.results, sizeof before.results);
    }
    parser->is_unrolled = was_unrolled;
}

/* Computes the loop variable from i, because the passes are elements of a thread: first + (i / left
 * % passes) * step. If the variable has the name of an axis, and the passes are its coordinates, it
 * is the axis. */
static void count_passes(struct parser *parser, struct loop *loop) {
    struct mapping_program *program = parser->program;
    struct variable *variable = &program->variable[loop->variable];
    const uint32_t count = program->count, size = parser->left;
    const int i = mapping_space_find(&program->from, MAPPING_AXIS_I);
    int64_t first = 0, last = 0, value = 0;
    uint32_t passes = 0;
    int of_warp,
        axis = parser_find_axis(&program->from, variable->name, strlen(variable->name), &of_warp);
    for (; goes_on(parser, loop); passes++) {
        const int slot = parser->height;
        parser_emit_name(parser, loop->variable, loop->place);
        if (!parser->has_failed)
            value = program_run(program, slot);
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
        parser->left = passes > 0 && size % passes == 0 ? size / passes : 0; /* 0: no number of
                                                                                elements per pass */
        parser_emit(parser, INPUT, INT, loop->place, i);
        parser_emit_binary(
            parser, C_DIVIDE, INT,
            parser_emit(parser, NUMBER, INT, loop->place, parser->left + !parser->left),
            loop->place);
        parser_emit_binary(parser, C_REMAINDER, INT,
                           parser_emit(parser, NUMBER, INT, loop->place, passes + !passes),
                           loop->place);
        parser_emit_binary(parser, C_MULTIPLY, INT,
                           parser_emit(parser, NUMBER, INT, loop->place,
                                       passes > 1 ? (last - first) / (passes - 1) : 0),
                           loop->place);
        parser_emit_binary(parser, C_ADD, INT, parser_emit(parser, NUMBER, INT, loop->place, first),
                           loop->place);
        parser_emit(parser, STORE, variable->type, loop->place, loop->variable);
        variable->varies = true;
    }
    const uint32_t left = parser->left;
    parser_go_back(parser, &loop->body);
    parser->is_body = true;
    parser->innermost = true;
    parse_statement(parser, false);
    if (parser->innermost && left != 1 && !parser->breaks_count) {
        char what[192];
        snprintf(what, sizeof what,
                 "the passes of the loops over %s are not the %u elements of a thread; write the "
                 "body alone, with these variables computed from i",
                 parser->loops, program->from.axis[i].size);
        parser_fail(parser, loop->place, what);
    }
    parser->innermost = false;
    parser->left = size;
    program->variable[loop->variable].is_hidden = true;
}

/* Reads the outermost loop of a nest as elements of a thread. False, with nothing changed, if the
 * loop must be executed, because it reads i or changes a variable that had a value before. */
static bool count_elements(struct parser *parser) {
    struct mapping_program *program = parser->program;
    const int i = mapping_space_find(&program->from, MAPPING_AXIS_I);
    const struct parser before = *parser;
    struct mark mark;
    struct loop loop;
    if (i == NONE || parser->guard != NONE || parser->is_unrolled || parser->must_execute)
        return false;
    program_save(program, &mark);
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
    program_restore(program, &mark);
    *parser = before;
    return false;
}

/* "for (int j = 0; j < 2; j++) ...". If the body does not read i, its passes are the elements of a
 * thread, as in kernels. Otherwise, it is executed as in C. */
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
    if (guard != NONE && loop.variable < (int)parser->scope)
        parser_fail(parser, loop.place,
                    "declare the variable of this loop in it: 'for (int j = 0;'");
    parser->guard = guard;
    if (!parser->has_failed && parser->is_counting)
        count_passes(parser, &loop);
    else if (!parser->has_failed)
        unroll(parser, &loop);
    for (uint32_t v = parser->scope; v < program->variables && !parser->is_counting; v++)
        program->variable[v].is_hidden |= program->variable[v].is_declared;
    parser->scope = scope;
}

/* Takes ";", or checks that the statement ends with its line or block. */
static void end_statement(struct parser *parser) {
    const bool is_end = parser->function && *parser->next == '}';
    if (*parser->next && !is_end && !parser_take(parser, ";", "") && !parser_is_on_new_line(parser))
        parser_fail(parser, parser->next, "expected an operator, ';' or the end");
}

/* True if "return" of a function, or of several values, is next. */
static bool is_return(const struct parser *parser) {
    const size_t length = parser_name_length(parser->next);
    return is_word(parser->next, length, "return") &&
           (parser->function || function_bracket(parser_skip(parser->next + length, true)));
}

/* Takes a call that has no value here, such as "static_assert(...);" or "NO_DEVICE_CODE;". False if
 * there is none. */
static bool take_call(struct parser *parser) {
    static const char calls[] = "static_assert assert __trap __builtin_unreachable __syncwarp "
                                "NO_DEVICE_CODE GGML_UNUSED";
    const char *next = parser->next;
    const size_t length = parser_name_length(next);
    if (length == 0 || !mapping_word_is_in(calls, next, length))
        return false;
    const char *end = next + strcspn(next, ";}");
    parser_advance(parser, (size_t)(end + (*end == ';') - next));
    return true;
}

/* Reads a block, "if", or declarations of one type or assignments, up to ';' or the end. A
 * statement that begins like a cast is not a declaration. A name that is declared in a block, or in
 * a statement that is a scope, is not visible after it. */
static void parse_statement(struct parser *parser, bool is_scope) {
    struct mapping_program *program = parser->program;
    const uint32_t scope = parser->scope;
    struct c_type type;
    parser_nest(parser);
    const struct parser start = *parser;
    const bool is_block = parser_take(parser, "{", ""), is_body = parser->is_body;
    parser->is_body = false; /* names of the body of a loop over elements stay visible */
    is_scope = is_scope || (is_block && !is_body);
    if (is_scope)
        parser->scope = program->variables;
    if (is_block) {
        while (*parser->next && *parser->next != '}')
            parse_statement(parser, false);
        parser_expect(parser, "}");
    } else if (parser_take_word(parser, "if")) {
        parse_if(parser);
    } else if (parse_function(parser) || take_call(parser)) {
        /* the definition is read */
    } else if (is_return(parser)) {
        parser_take_word(parser, "return");
        parse_return(parser);
        end_statement(parser);
    } else if (parser_take_word(parser, "for")) {
        parse_for(parser);
    } else if (*parser->next == '#') {
        parser_fail(parser, parser->next,
                    strncmp(parser->next, "#define", 7) == 0
                        ? "only macros without parameters, such as '#define G 4', are supported"
                        : "only '#define' and '#pragma' are supported; keep one branch of '#if'");
    } else if (!parser_take(parser, ";", "")) {
        char kinds[8];
        struct target targets[TARGETS_MAX];
        const size_t several = take_targets(parser, targets);
        const bool has_type = several == 0 && parser_take_type(parser, &type, kinds),
                   is_declaration = has_type && parser_name_length(parser->next) > 0;
        if (several > 0) {
            parse_values(parser, targets, several);
        } else {
            if (!has_type && *kinds && parser_name_length(parser->next) > 0)
                parser_fail(parser, parser->next, "a type is missing before this name");
            if (!is_declaration)
                parser_go_back(parser, &start);
            do
                parse_definition(parser, is_declaration, is_declaration ? type : INT,
                                 is_declaration ? kinds : "");
            while (parser_take(parser, ",", ""));
        }
        end_statement(parser);
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
    program_save(program, &mark);
    const enum precedence precedence = program->precedence;
    struct parser parser;
    const char *given = text;
    text = macros_expand(program, text);
    const bool returns = strstr(text, "return");
    do { /* reads the text again if an operator shows that it is Python */
        const enum precedence before = program->precedence;
        parser = (struct parser){.text = text,
                                 .next = parser_skip(text, true),
                                 .end = text,
                                 .program = program,
                                 .error = error,
                                 .guard = NONE,
                                 .live = NONE,
                                 .results = {NONE, NONE}};
        if (!*parser.next && text == given)
            parser_fail(&parser, text, "expected an expression");
        if (returns && !parser.has_failed)
            begin_points(&parser);
        while (*parser.next)
            parse_statement(&parser, false);
        if (program->precedence == before)
            break;
        program_restore(program, &mark);
    } while (true);
    program->precedence = precedence;
    return parser.has_failed ? MAPPING_INVALID : MAPPING_OK;
}

bool mapping_text_defines(const char *text, const char *name) {
    struct parser parser = {.next = parser_skip(text, true), .end = text};
    struct c_type type;
    struct target target;
    char kinds[8];
    for (char end = ';'; *parser.next;) {
        struct function_head head;
        if (function_head_read(parser.next, &head)) {
            const bool is_inverse = function_takes_places(&head);
            char result[16];
            function_result(&head, result);
            if ((function_returns_several(&head) &&
                 (mapping_axis_is_called(name, is_inverse ? MAPPING_AXIS_TID : MAPPING_AXIS_ROW,
                                         3) ||
                  mapping_axis_is_called(name, is_inverse ? MAPPING_AXIS_I : MAPPING_AXIS_COL,
                                         is_inverse ? 1 : 3))) ||
                mapping_axis_is_called(name, result, strlen(result)))
                return true;
            parser_advance(&parser, (size_t)(head.body - parser.next));
            continue;
        }
        parser_take_word(&parser, "else");
        parser_take_type(&parser, &type, kinds);
        const char *behind = parser_skip(parser.next + parser_name_length(parser.next), true);
        struct target targets[TARGETS_MAX];
        const size_t several = end == ';' || end == ')' ? take_targets(&parser, targets) : 0;
        for (size_t t = 0; t < several; t++)
            if (mapping_axis_is_called(name, targets[t].name, strlen(targets[t].name)))
                return true;
        if ((end != ')' || *behind != ':') && take_target(&parser, &target) &&
            mapping_axis_is_called(name, target.name, strlen(target.name)))
            return true;
        /* Skips to the next statement, or to the next name of this declaration. An assignment may
         * follow ")" or the end of a line, but "row:" may not: in "? (int)col : row", col is no
         * target. */
        end = '\0';
        while (*parser.next && !end) {
            end = (char)(strchr(";,{})", *parser.next) ? *parser.next : '\0');
            parser.enclosed += *parser.next == '(';
            parser.enclosed -= end == ')' && parser.enclosed > 0;
            const size_t length = parser_name_length(parser.next);
            parser_advance(&parser, length > 0 ? length : 1);
            if ((!end || end == ')') && parser_is_floor_division(&parser)) {
                parser.next = parser_skip(parser.end, false);
                parser_advance(&parser, 2);
            }
            if (!end && parser_is_on_new_line(&parser))
                end = ')';
        }
    }
    return false;
}

enum mapping_status mapping_expression_gives(const char *text, const struct mapping_space *from,
                                             bool is_unsigned, const uint32_t *values,
                                             size_t *wrong) {
    struct mapping_error ignored;
    struct mapping_program *program =
        mapping_program_make(from, is_unsigned * MAPPING_UNSIGNED_INPUTS);
    enum mapping_status status = mapping_program_parse(program, text, &ignored);
    const int name = mapping_program_find(program, MAPPING_RESULT);
    if (status == MAPPING_OK && name == NONE)
        status = MAPPING_INVALID;
    for (size_t first = 0; first < mapping_space_size(from) && status == MAPPING_OK;
         first += MAPPING_POINTS) {
        struct mapping_points points;
        int64_t says[1][MAPPING_POINTS];
        unsigned undefined = 0;
        mapping_points_from(from, first, &points);
        status = mapping_program_evaluate(program, &points, &name, 1, says, &undefined, &ignored);
        for (unsigned n = 0; n < MAPPING_POINTS; n++)
            if (points.mask >> n & 1 && (n == undefined || says[0][n] != values[first + n])) {
                *wrong = first + n;
                status = MAPPING_DIFFERS;
                break;
            }
    }
    mapping_free(program);
    return status;
}
