/* evaluate.c - what a program comes to at a point, by the rules of C (C17 6.3.1, 6.5); see
 * expression.h. */
#include "layout/program.h"
#include "layout/space.h"

#include <stdlib.h>
#include <string.h>

/* An integer; of an unsigned type of 64 bits, its bits. */
struct value {
    int64_t n;
    struct c_type type;
    bool is_undefined; /* of a name that has a type, but no value yet */
};

struct evaluation {
    const struct mapping_program *program;
    const uint32_t *point;
    struct value names[NAMES_MAX];
    const char *place, *what; /* of what C leaves undefined; what is NULL as long as nothing is */
    const struct value
        *tables; /* of nodes that are tabulated: node->value is where theirs begins */
};

static const struct c_type INT = {32, true}, BOOL = {1, false};

/* Notes what is undefined, the first time. */
static void fail_at(struct evaluation *evaluation, const struct node *node, const char *what) {
    if (evaluation->what)
        return;
    evaluation->what = what;
    evaluation->place = node->place;
}

/* ---- Types ---- */

/* The number as a type has it: what does not fit loses its upper bits, as all compilers do. */
static struct value convert(struct value value, struct c_type type) {
    uint64_t bits = (uint64_t)value.n;
    if (type.bits == 1)
        bits = bits != 0;
    else if (type.bits < 64)
        bits &= (UINT64_C(1) << type.bits) - 1;
    if (type.is_signed && type.bits < 64 && bits >> (type.bits - 1))
        bits |= ~UINT64_C(0) << type.bits;
    return (struct value){(int64_t)bits, type, value.is_undefined};
}

/* Integer promotion: what is smaller than int becomes int. */
static struct value promote(struct value value) {
    return value.type.bits < 32 ? convert(value, INT) : value;
}

/* The usual arithmetic conversions. */
static struct c_type common_type(struct c_type a, struct c_type b) {
    if (a.bits != b.bits)
        return a.bits > b.bits ? a : b;
    return (struct c_type){a.bits, a.is_signed && b.is_signed};
}

static bool is_less(struct value a, struct value b) {
    return a.type.is_signed ? a.n < b.n : (uint64_t)a.n < (uint64_t)b.n;
}

/* ---- Operators ---- */

/* A result that was computed in 64 bits, and whether these overflowed; signed ones have to fit. */
static struct value fit(struct evaluation *evaluation, const struct node *node, int64_t n,
                        bool overflows, struct c_type type) {
    struct value value = convert((struct value){.n = n, .type = type}, type);
    if (type.is_signed && (overflows || value.n != n))
        fail_at(evaluation, node, "this overflows");
    return value;
}

static struct value divide(struct evaluation *evaluation, const struct node *node, struct value a,
                           struct value b) {
    bool is_quotient = node->operation == '/';
    if (b.n == 0) {
        fail_at(evaluation, node, "this divides by zero");
        return a;
    }
    if (!a.type.is_signed)
        return (struct value){.n = (int64_t)(is_quotient ? (uint64_t)a.n / (uint64_t)b.n
                                                         : (uint64_t)a.n % (uint64_t)b.n),
                              .type = a.type};
    if (b.n == -1) { /* the one quotient that may be too large, also where its rest is asked for */
        struct value quotient =
            fit(evaluation, node, (int64_t)(0 - (uint64_t)a.n), a.n == INT64_MIN, a.type);
        return is_quotient ? quotient : (struct value){.n = 0, .type = a.type};
    }
    return (struct value){.n = is_quotient ? a.n / b.n : a.n % b.n, .type = a.type};
}

static struct value shift(struct evaluation *evaluation, const struct node *node, struct value a,
                          struct value b) {
    a = promote(a);
    b = promote(b);
    if ((uint64_t)b.n >= a.type.bits) { /* where b is negative, too */
        fail_at(evaluation, node, "this shifts by a negative number or by too many bits");
        return a;
    }
    if (node->operation == SHIFT_RIGHT)
        return (struct value){.n = a.type.is_signed ? a.n >> b.n : (int64_t)((uint64_t)a.n >> b.n),
                              .type = a.type};
    if (a.type.is_signed && a.n < 0)
        fail_at(evaluation, node, "this shifts a negative number to the left");
    int64_t moved = (int64_t)((uint64_t)a.n << b.n);
    return fit(evaluation, node, moved, moved >> b.n != a.n, a.type);
}

static struct value compare(const struct node *node, struct value a, struct value b) {
    bool less = is_less(a, b), more = is_less(b, a), result = false;
    switch (node->operation) {
    case EQUAL:
        result = !less && !more;
        break;
    case UNEQUAL:
        result = less || more;
        break;
    case AT_MOST:
        result = !more;
        break;
    case AT_LEAST:
        result = !less;
        break;
    case '<':
        result = less;
        break;
    case '>':
        result = more;
        break;
    default:
        break;
    }
    return (struct value){.n = result, .type = BOOL};
}

static struct value compute(struct evaluation *evaluation, const struct node *node, struct value a,
                            struct value b) {
    int64_t n = 0;
    bool overflows = false;
    switch (node->operation) {
    case '+':
        overflows = __builtin_add_overflow(a.n, b.n, &n);
        break;
    case '-':
        overflows = __builtin_sub_overflow(a.n, b.n, &n);
        break;
    case '*':
        overflows = __builtin_mul_overflow(a.n, b.n, &n);
        break;
    case '&':
        n = a.n & b.n;
        break;
    case '|':
        n = a.n | b.n;
        break;
    case '^':
        n = a.n ^ b.n;
        break;
    case '/':
    case '%':
        return divide(evaluation, node, a, b);
    default:
        return compare(node, a, b);
    }
    return fit(evaluation, node, n, overflows, a.type);
}

/* ---- Nodes ---- */

static struct value evaluate(struct evaluation *evaluation, uint16_t number);

static struct value evaluate_binary(struct evaluation *evaluation, const struct node *node) {
    struct value a = evaluate(evaluation, node->child[0]);
    if (node->operation == BOTH || node->operation == EITHER) {
        bool decided = (a.n != 0) == (node->operation == EITHER);
        if (decided)
            return (struct value){.n = node->operation == EITHER, .type = BOOL};
        return (struct value){.n = evaluate(evaluation, node->child[1]).n != 0, .type = BOOL};
    }
    struct value b = evaluate(evaluation, node->child[1]);
    if (node->operation == SHIFT_LEFT || node->operation == SHIFT_RIGHT)
        return shift(evaluation, node, a, b);
    struct c_type type = common_type(promote(a).type, promote(b).type);
    return compute(evaluation, node, convert(a, type), convert(b, type));
}

static struct value evaluate_unary(struct evaluation *evaluation, const struct node *node) {
    struct value a = promote(evaluate(evaluation, node->child[0]));
    switch (node->operation) {
    case '!':
        return (struct value){.n = a.n == 0, .type = BOOL};
    case '~':
        return convert((struct value){.n = ~a.n, .type = a.type}, a.type);
    case '-':
        return fit(evaluation, node, (int64_t)(0 - (uint64_t)a.n), a.n == INT64_MIN, a.type);
    default:
        return a;
    }
}

/* Both results have a common type, whichever is taken. NODE_UNDEFINED has no type: the other result
 * keeps its own. */
static struct value evaluate_condition(struct evaluation *evaluation, const struct node *node) {
    struct evaluation other = *evaluation; /* what is not taken has a type, and no effects */
    bool yes = evaluate(evaluation, node->child[0]).n != 0;
    struct value taken = evaluate(evaluation, node->child[yes ? 1 : 2]);
    if (evaluation->program->node[node->child[yes ? 2 : 1]].kind == NODE_UNDEFINED)
        return taken;
    struct value left = evaluate(&other, node->child[yes ? 2 : 1]);
    if (taken.type.bits == left.type.bits && taken.type.is_signed == left.type.is_signed)
        return taken;
    taken = promote(taken);
    return convert(taken, common_type(taken.type, promote(left).type));
}

static struct value evaluate_name(struct evaluation *evaluation, const struct node *node) {
    if (evaluation->names[node->value].is_undefined)
        fail_at(evaluation, node, "this is read before it has a value");
    return evaluation->names[node->value];
}

static struct value evaluate(struct evaluation *evaluation, uint16_t number) {
    const struct node *node = &evaluation->program->node[number];
    switch (node->kind) {
    case NODE_NUMBER:
        return (struct value){.n = node->value, .type = node->type};
    case NODE_INPUT:
        return (struct value){.n = evaluation->point[node->value], .type = node->type};
    case NODE_NAME:
        return evaluate_name(evaluation, node);
    case NODE_KEPT:
        return evaluation->names[node->value];
    case NODE_UNDEFINED:
        return (struct value){.type = node->type, .is_undefined = true};
    case NODE_UNARY:
        return evaluate_unary(evaluation, node);
    case NODE_CONDITION:
        return evaluate_condition(evaluation, node);
    case NODE_CAST:
        return convert(evaluate(evaluation, node->child[0]), node->type);
    case NODE_TABLE:
        return evaluation->tables[(size_t)node->value + evaluation->point[node->child[0]]];
    case NODE_BINARY:
        break;
    }
    return evaluate_binary(evaluation, node);
}

enum mapping_status mapping_program_evaluate(const struct mapping_program *program,
                                             const uint32_t *point, const int *names, size_t count,
                                             int64_t *values, struct mapping_error *error) {
    struct evaluation evaluation; /* names are written before they are read */
    evaluation.program = program;
    evaluation.point = point;
    evaluation.what = NULL;
    evaluation.tables = NULL;
    for (uint32_t s = 0; s < program->statements; s++) {
        const struct statement *statement = &program->statement[s];
        struct value value = evaluate(&evaluation, statement->node);
        if (statement->type.bits > 0)
            value = convert(value, statement->type);
        else if (statement->keeps_type)
            value = convert(value, evaluation.names[statement->name].type);
        evaluation.names[statement->name] = value;
        if (evaluation.what)
            return mapping_point_at(statement->text, evaluation.place, evaluation.what, error);
    }
    for (size_t n = 0; n < count; n++) {
        if (evaluation.names[names[n]].is_undefined)
            return mapping_fail(error, MAPPING_INVALID, "'%s' has no value",
                                program->name[names[n]]);
        values[n] = evaluation.names[names[n]].n;
    }
    return MAPPING_OK;
}

/* ---- At all points ---- */

/* How many children a node has. */
static unsigned count_children(const struct node *node) {
    switch (node->kind) {
    case NODE_UNARY:
    case NODE_CAST:
        return 1;
    case NODE_BINARY:
        return 2;
    case NODE_CONDITION:
        return 3;
    default:
        return 0;
    }
}

/* Which axes a node depends on, a bit for each. Its children have been asked before. */
static unsigned find_axes(const struct node *node, const uint8_t *axes) {
    unsigned all = node->kind == NODE_INPUT ? 1U << node->value : 0;
    for (unsigned c = 0; c < count_children(node); c++)
        all |= axes[node->child[c]];
    return all;
}

/* Replaces what depends on one axis alone by a table, inside of what depends on several. Returns
 * where the next table begins; what has no value everywhere stays as it is. */
static size_t tabulate(struct mapping_program *program, uint16_t number, const uint8_t *axes,
                       struct value *tables, size_t next) {
    struct node *node = &program->node[number];
    uint32_t point[MAPPING_AXES_MAX] = {0};
    if ((axes[number] & (axes[number] - 1)) != 0) {
        for (unsigned c = 0; c < count_children(node); c++)
            next = tabulate(program, node->child[c], axes, tables, next);
        return next;
    }
    if (axes[number] == 0)
        return next;
    unsigned axis = (unsigned)__builtin_ctz(axes[number]);
    struct evaluation evaluation = {.program = program, .point = point};
    for (uint32_t x = 0; x < program->from.axis[axis].size; x++) {
        point[axis] = x;
        tables[next + x] = evaluate(&evaluation, number);
    }
    if (evaluation.what)
        return next;
    *node = (struct node){.kind = NODE_TABLE, .child = {(uint16_t)axis}, .value = (int64_t)next};
    return next + program->from.axis[axis].size;
}

/* Compares a program of one expression, which is changed, with all values, point by point. */
static bool gives(struct mapping_program *program, const uint32_t *values, const uint8_t *axes,
                  struct value *tables) {
    uint32_t point[MAPPING_AXES_MAX] = {0};
    uint16_t root = program->statement[0].node;
    tabulate(program, root, axes, tables, 0);
    struct evaluation evaluation = {.program = program, .point = point, .tables = tables};
    for (size_t n = 0; n < mapping_space_size(&program->from); n++) {
        if (evaluate(&evaluation, root).n != values[n] || evaluation.what)
            return false;
        mapping_space_step(&program->from, point);
    }
    return true;
}

/* ---- Sums ---- */

/* What each axis contributes to a sum of expressions of one axis each, as mapping_space_combine
 * takes it, and the rest. Everything is below 2^31, also when it is added up. */
struct sum {
    const struct mapping_program *program;
    const uint8_t *axes;
    char operation; /* '+' or '^' */
    uint32_t *parts;
    int64_t constant, largest;
};

static int64_t combine(const struct sum *sum, int64_t a, int64_t b) {
    return sum->operation == '+' ? a + b : a ^ b;
}

/* Adds what depends on one axis, or on none. False if that is undefined or negative somewhere, or
 * the sum may become too large. */
static bool add_part(struct sum *sum, uint16_t number) {
    uint32_t point[MAPPING_AXES_MAX] = {0}, *part = sum->parts;
    struct evaluation evaluation = {.program = sum->program, .point = point};
    unsigned axis = sum->axes[number] ? (unsigned)__builtin_ctz(sum->axes[number]) : 0;
    uint32_t size = sum->axes[number] ? sum->program->from.axis[axis].size : 1;
    int64_t largest = 0;
    for (unsigned a = 0; a < axis; a++)
        part += sum->program->from.axis[a].size;
    for (uint32_t x = 0; x < size; x++) {
        point[axis] = x;
        int64_t n = evaluate(&evaluation, number).n;
        if (n < 0 || n > INT32_MAX || evaluation.what)
            return false;
        if (sum->axes[number])
            part[x] = (uint32_t)combine(sum, part[x], n);
        else
            sum->constant = combine(sum, sum->constant, n);
        largest = n > largest ? n : largest;
    }
    sum->largest += largest; /* of an exclusive or, too, no bit is beyond that of a sum */
    return sum->largest <= INT32_MAX;
}

/* Takes a sum apart. False if it is none of expressions of one axis each. */
static bool add_parts(struct sum *sum, uint16_t number) {
    const struct node *node = &sum->program->node[number];
    if ((sum->axes[number] & (sum->axes[number] - 1)) == 0)
        return add_part(sum, number);
    return node->kind == NODE_BINARY && node->operation == sum->operation &&
           add_parts(sum, node->child[0]) && add_parts(sum, node->child[1]);
}

/* Evaluates a sum at all points at once, which is many times as fast as point by point.
 * MAPPING_NO_FORMULA if it is none. */
static enum mapping_status sum_gives(struct sum *sum, const uint32_t *values) {
    const struct mapping_space *from = &sum->program->from;
    size_t entries = mapping_space_size(from), parts = mapping_space_parts(from);
    uint16_t root = sum->program->statement[0].node;
    enum mapping_status status = MAPPING_NO_FORMULA;
    sum->operation = sum->program->node[root].operation == '^' ? '^' : '+';
    sum->parts = malloc((parts + entries) * sizeof *sum->parts);
    if (!sum->parts)
        return MAPPING_FAILED;
    memset(sum->parts, 0, parts * sizeof *sum->parts);
    if (add_parts(sum, root)) {
        uint32_t *sums = sum->parts + parts, difference = 0;
        mapping_space_combine(from, sum->parts, sum->operation, sums);
        for (size_t n = 0; n < entries; n++)
            difference |= values[n] ^ (uint32_t)combine(sum, sum->constant, sums[n]);
        status = difference == 0 ? MAPPING_OK : MAPPING_DIFFERS;
    }
    free(sum->parts);
    return status;
}

/* Evaluates any expression, point by point. */
static enum mapping_status each_gives(struct mapping_program *program, const uint8_t *axes,
                                      const uint32_t *values) {
    /* No axis is tabulated more often than there are nodes. */
    size_t count = program->nodes * mapping_space_parts(&program->from) + 1;
    struct value *tables = malloc(count * sizeof *tables);
    if (!tables)
        return MAPPING_FAILED;
    bool right = gives(program, values, axes, tables);
    free(tables);
    return right ? MAPPING_OK : MAPPING_DIFFERS;
}

enum mapping_status mapping_expression_gives(const char *text, const struct mapping_space *from,
                                             const uint32_t *values) {
    struct mapping_program *program = NULL;
    struct mapping_error ignored;
    uint8_t axes[NODES_MAX];
    axes[0] = 0; /* the others are written in order */
    enum mapping_status status = mapping_program_parse(text, from, &program, &ignored);
    if (status == MAPPING_INVALID || (status == MAPPING_OK && program->statements != 1))
        status = MAPPING_DIFFERS;
    if (status == MAPPING_OK) {
        struct sum sum = {.program = program, .axes = axes};
        for (uint32_t n = 0; n < program->nodes; n++)
            axes[n] = (uint8_t)find_axes(&program->node[n], axes);
        status = sum_gives(&sum, values);
        if (status == MAPPING_NO_FORMULA)
            status = each_gives(program, axes, values);
    }
    mapping_program_free(program);
    return status;
}
