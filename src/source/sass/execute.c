/* execute.c - running a warp's integer program on the host; see execute.h.
 *
 * The lanes run in lockstep, one instruction after the other. That is enough for straight-line code
 * and for branches that all threads take together; others are refused. */
#include "source/sass/machine.h"

#include "system/system.h"

#include <stdlib.h>
#include <string.h>

/* Instructions that a program may execute before it is taken for one that never ends. */
enum { STEPS_MAX = 10000 };

/* After so many the time limit is looked at. */
enum { CHECKED_STEPS = 256 };

static const char several_undecided[] = "several branches have an undefined predicate";

/* How a branch goes whose condition was never written, and whether there was one. */
struct undecided {
    bool taken;
    unsigned met;
};

/* The guard of the instruction in this lane: 0 or 1, perhaps not known. */
static struct value guard_of(const struct machine *machine, const struct instruction *instruction,
                             unsigned lane) {
    const struct operand *guard = &instruction->guard;
    if (guard->kind == OPERAND_UNIFORM_PREDICATE)
        lane = UNIFORM_LANE;
    struct value value = guard->index == TRUE_PREDICATE
                             ? value_of(1)
                             : machine->lanes[lane].predicates[guard->index];
    value.bits ^= guard->inverted;
    return value;
}

/* Marks the active lanes whose guard holds. Returns how many they are. */
static unsigned select_lanes(struct step *step, struct undecided *undecided, bool selected[LANES]) {
    bool is_branch = strcmp(step->instruction->opcode, "BRA") == 0, met = false;
    unsigned count = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct value guard = guard_of(step->machine, step->instruction, lane);
        bool known = value_is_known(guard, 1), active = step->machine->lanes[lane].active;
        if (active && !known && !is_branch)
            step_fail(step, "its predicate is undefined");
        met |= active && !known;
        selected[lane] = active && (known ? guard.bits != 0 : undecided->taken);
        count += selected[lane];
    }
    undecided->met += met;
    return count;
}

static unsigned active_lanes(const struct machine *machine) {
    unsigned count = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        count += machine->lanes[lane].active;
    return count;
}

/* The index of the instruction that BRA goes to. */
static size_t branch_target(struct step *step) {
    const struct instruction *instruction = step->instruction;
    const struct label *label = NULL;
    if (instruction->count == 1 && instruction->operands[0].kind == OPERAND_LABEL)
        label = kernel_label(step->machine->kernel, instruction->operands[0].text);
    if (!label)
        step_fail(step, "its target is not modelled");
    return label ? label->target : 0;
}

/* True if the instruction works on the warp, once, and not on each thread. */
static bool is_uniform(const struct instruction *instruction) {
    return instruction->count > 0 && (instruction->operands[0].kind == OPERAND_UNIFORM ||
                                      instruction->operands[0].kind == OPERAND_UNIFORM_PREDICATE);
}

/* MOVM.16.MT88 d, a. Row r of the matrix is in threads 4r .. 4r + 3, two elements in each, the
 * first in the lower half (PTX ISA, movmatrix). */
static void transpose(struct step *step) {
    struct value rows[LANES], columns[LANES];
    if (active_lanes(step->machine) != LANES || step->instruction->count != 2) {
        step_fail(step, "it is modelled only if all threads execute it");
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        step->lane = lane;
        rows[lane] = read_word(step, 1);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        struct value halves[2];
        for (unsigned h = 0; h < 2; h++) {
            unsigned row = lane / 4, col = lane % 4 * 2 + h; /* in the result */
            halves[h] = value_shift_right(value_low(rows[col * 4 + row / 2]), row % 2 * 16);
        }
        columns[lane] = value_permute(halves[0], halves[1], 0x5410);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        step->lane = lane;
        write_word(step, 0, columns[lane]);
    }
}

/* Runs the instruction in the selected lanes, or once for the warp. */
static void run_operation(struct step *step, const bool selected[LANES]) {
    const struct operation *operation = operation_find(step->instruction->opcode);
    if (!operation) {
        step_fail(step, "this instruction is not modelled");
    } else if (is_uniform(step->instruction)) {
        step->lane = UNIFORM_LANE;
        operation->run(step, operation->variant);
    } else {
        for (unsigned lane = 0; lane < LANES && !step->failed; lane++) {
            step->lane = lane;
            if (selected[lane])
                operation->run(step, operation->variant);
        }
    }
}

/* Executes one instruction and moves on to the next, or jumps. */
static void advance(struct step *step, struct undecided *undecided, size_t *next) {
    bool selected[LANES];
    unsigned count = select_lanes(step, undecided, selected);
    const char *opcode = step->instruction->opcode;
    ++*next;
    if (count == 0 || step->failed)
        return;
    if (strcmp(opcode, "BRA") == 0) {
        *next = branch_target(step);
        if (count != active_lanes(step->machine))
            step_fail(step, "only some threads branch; divergence is not modelled");
    } else if (strcmp(opcode, "EXIT") == 0) {
        for (unsigned lane = 0; lane < LANES; lane++)
            step->machine->lanes[lane].active &= !selected[lane];
    } else if (strcmp(opcode, "MOVM.16.MT88") == 0) {
        if (count != LANES)
            step_fail(step, "it is modelled only if all threads execute it");
        transpose(step);
    } else {
        run_operation(step, selected);
    }
}

/* Nothing in the machine has been written, and all threads are about to run. */
static void reset(struct machine *machine) {
    const struct value unknown_word = value_unknown_word(), unknown_predicate = {0, ~UINT64_C(1)};
    for (unsigned lane = 0; lane <= LANES; lane++) {
        struct lane *state = &machine->lanes[lane];
        for (unsigned r = 0; r < REGISTERS; r++)
            state->registers[r] = unknown_word;
        for (unsigned p = 0; p < PREDICATES; p++)
            state->predicates[p] = unknown_predicate;
        state->active = true;
    }
    memset(machine->written, 0, machine->output->size);
}

/* Runs the program once. */
static enum mapping_status run(struct machine *machine, struct undecided *undecided) {
    const struct kernel *kernel = machine->kernel;
    size_t next = 0;
    reset(machine);
    for (unsigned steps = 0; active_lanes(machine) > 0; steps++) {
        if (next >= kernel->count)
            return mapping_fail(machine->error, MAPPING_FAILED, "the program ends without EXIT");
        struct step step = {.machine = machine, .instruction = &kernel->code[next]};
        if (steps % CHECKED_STEPS == 0 && limit_check(machine->limit, machine->error) != MAPPING_OK)
            return MAPPING_FAILED;
        if (steps == STEPS_MAX)
            step_fail(&step, "the program does not end within %d instructions", STEPS_MAX);
        else
            advance(&step, undecided, &next);
        if (step.failed)
            return MAPPING_FAILED;
    }
    return MAPPING_OK;
}

/* Runs the program again with the undecided branch taken, and compares what it stored. */
static enum mapping_status run_other_way(struct machine *machine) {
    size_t size = machine->output->size;
    uint8_t *first = memory_get(2, size);
    memcpy(first, machine->output->bytes, size);
    memcpy(first + size, machine->written, size);
    struct undecided taken = {.taken = true};
    enum mapping_status status = run(machine, &taken);
    if (status == MAPPING_OK && taken.met > 1)
        status = mapping_fail(machine->error, MAPPING_FAILED, "%s", several_undecided);
    if (status == MAPPING_OK && (memcmp(first, machine->output->bytes, size) != 0 ||
                                 memcmp(first + size, machine->written, size) != 0))
        status = mapping_fail(machine->error, MAPPING_FAILED,
                              "the output depends on a branch with an undefined predicate");
    memory_free(first);
    return status;
}

enum mapping_status execute(const struct kernel *kernel, const struct buffer *input,
                            const struct buffer *output, uint8_t *written,
                            const struct limit *limit, struct mapping_error *error) {
    struct machine *machine = memory_get(1, sizeof *machine);
    machine->kernel = kernel;
    machine->input = input;
    machine->output = output;
    machine->written = written;
    machine->limit = limit;
    machine->error = error;
    struct undecided undecided = {.taken = false};
    enum mapping_status status = run(machine, &undecided);
    if (status == MAPPING_OK && undecided.met > 1)
        status = mapping_fail(error, MAPPING_FAILED, "%s", several_undecided);
    if (status == MAPPING_OK && undecided.met == 1)
        status = run_other_way(machine);
    memory_free(machine);
    return status;
}
