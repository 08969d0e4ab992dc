/* program.c - makes and runs programs of steps; see program.h. */
#include "layout/program.h"
#include "layout/ascii.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "system/arena.h"

#include <ctype.h>

struct mapping_program *mapping_program_make(const struct mapping_space *from, unsigned dialect) {
    struct mapping_program *program = memory_get(1, sizeof *program);
    program->from = *from;
    program->is_unsigned = dialect & MAPPING_UNSIGNED_INPUTS;
    program->precedence = dialect & MAPPING_BITS_FIRST ? OF_GO : OF_C;
    return program;
}

void program_save(const struct mapping_program *program, struct mark *mark) {
    mark->count = program->count;
    mark->variables = program->variables;
    memcpy(mark->variable, program->variable, program->variables * sizeof *program->variable);
}

void program_restore(struct mapping_program *program, const struct mark *mark) {
    program->count = mark->count;
    program->variables = mark->variables;
    memcpy(program->variable, mark->variable, mark->variables * sizeof *mark->variable);
}

int program_find(const struct mapping_program *program, const char *name, size_t length) {
    int v = (int)program->variables - 1;
    while (v >= 0 &&
           (program->variable[v].is_hidden || !is_word(name, length, program->variable[v].name)))
        v--;
    return v;
}

int mapping_program_find(const struct mapping_program *program, const char *name) {
    return program_find(program, name, strlen(name));
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

void program_point_at(const char *text, const char *place, const char *what,
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

/* ---- Evaluation ---- */

/* Converts MAPPING_POINTS values to a type: upper bits are dropped, as by all compilers. */
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
    case MINIMUM:
    case MAXIMUM: {
        const bool is_less = type.is_signed ? a < b : (uint64_t)a < (uint64_t)b;
        *result = is_less == (operation == MINIMUM) ? a : b;
        return true;
    }
    case FLOOR:
    case MODULO:
    case CEILING:
        if (!mapping_operate(C_DIVIDE, type, a, b, &quotient) ||
            !mapping_operate(C_REMAINDER, type, a, b, result))
            return false;
        if (operation == CEILING) {
            const bool is_positive = !type.is_signed || (*result < 0) == (b < 0);
            *result = quotient + (*result != 0 && is_positive);
            return true;
        }
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
 * results replace the values a. Returns a mask: bit n is set if result n is undefined. For a unary
 * operator, b is a. */
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

/* The reason why a result is undefined: "this overflows". */
static const char *why_undefined(int operation, struct c_type type, int64_t a, int64_t b) {
    const bool divides = operation == C_DIVIDE || operation == C_REMAINDER || operation == FLOOR ||
                         operation == MODULO || operation == CEILING;
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
    uint64_t points; /* for a variable, the points where it has a value; for a guard, its mask */
};

struct machine {
    const struct mapping_points *points;
    struct slot *variable, *slot;
    unsigned undefined; /* the first point where something is undefined, or MAPPING_POINTS */
    struct mapping_error *error;
};

/* Records that a step, or a variable at the end, is undefined at points. Keeps the first record for
 * the lowest point. */
static void note_undefined(struct machine *machine, uint64_t points, const struct step *step,
                           const char *what) {
    const unsigned point = points ? (unsigned)__builtin_ctzll(points) : MAPPING_POINTS;
    if (point >= machine->undefined)
        return;
    machine->undefined = point;
    if (step)
        program_point_at(step->text, step->place, what, machine->error);
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

/* Replaces values by others at the given points. */
static void put(int64_t *values, const int64_t *others, uint64_t points) {
    for (unsigned n = 0; n < MAPPING_POINTS; n++)
        values[n] = points >> n & 1 ? others[n] : values[n];
}

/* Executes a step at all points. */
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
    /* do_step computes addresses of two more slots, but accesses only those of operands. */
    struct slot *slots =
        memory_resize(NULL, program->variables + (size_t)program->slots + 2, sizeof *slots);
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

int64_t program_run(const struct mapping_program *program, int slot) {
    const struct mapping_points points = {.mask = 1};
    struct mapping_error ignored;
    const size_t count = program->variables + (size_t)program->slots + 2;
    struct slot *slots = memory_get(count, sizeof *slots);
    struct machine machine = {&points, slots, slots + program->variables, MAPPING_POINTS, &ignored};
    for (uint32_t n = 0; n < program->count; n++)
        do_step(&machine, &program->step[n]);
    const int64_t value = machine.slot[slot].value[0];
    mapping_free(slots);
    return value;
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
