/* copy.c - a probe of a kernel that should copy A to D.
 *
 * In each run, the elements of A hold one digit of their own address; in the last run, a check
 * digit. So D of all runs gives the address in A from which each of its elements comes, even if the
 * kernel reads padding. The check digit detects values that are not elements of A. */
#include "probe/causes.h"
#include "probe/computation.h"
#include "probe/locate.h"

#include <stdlib.h>
#include <string.h>

static void make_plan(struct plan *plan) {
    const struct operand_memory *a = &plan->problem.operand[PROBE_A];
    struct addresses *addresses = &plan->addresses[PROBE_A];
    *addresses = addresses_make(codes_of_copies(a->type), memory_elements(a), 1);
    addresses->check = 1;
    plan_add(plan, 0, addresses->digits + 1, false); /* the last run is for the check digit */
    plan->proof_runs = plan->runs;
}

static void fill(const struct plan *plan, size_t run, enum probe_role role, void *a) {
    const struct operand_memory *of = &plan->problem.operand[role];
    for (size_t e = 0; e < memory_elements(of); e++)
        number_put(a, number_bits(of->type), e, address_element(&plan->addresses[role], run, e));
}

/* Values of `from` for elements of D that do not come from an address in A. */
#define NEVER_WRITTEN UINT32_MAX
#define NO_ELEMENT (UINT32_MAX - 1)

struct copy_reading {
    const struct plan *plan;
    uint32_t *from; /* by row and column of D: the address in A, from the digits read so far */
    unsigned char *is_bad;
    const struct written *written;
};

static void *begin(const struct plan *plan, struct written *written) {
    const struct problem *problem = &plan->problem;
    const size_t count = (size_t)problem->m * problem->n;
    struct copy_reading *reading = memory_get(1, sizeof *reading);
    *reading = (struct copy_reading){.plan = plan,
                                     .from = memory_get(count, sizeof(uint32_t)),
                                     .is_bad = memory_get(count, 1),
                                     .written = written};
    return reading;
}

static bool take(void *state, size_t run, const void *d, bool is_changed) {
    struct copy_reading *reading = state;
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *of = &problem->operand[PROBE_D];
    for (uint32_t row = 0; row < problem->m; row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t e = (size_t)row * problem->n + col;
            const uint64_t element =
                number_get(d, number_bits(of->type), memory_index(of, row, col));
            if (!address_read(&reading->plan->addresses[PROBE_A], run, element, &reading->from[e]))
                reading->is_bad[e] = true;
        }
    return is_changed;
}

/* ---- Findings ---- */

/* Adds findings about elements of D that were never written or do not come from A, reads of
 * padding, and elements of A that do not reach D. */
static void find_lost(struct copy_reading *reading, struct findings *findings) {
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A];
    struct finding never = {.name = "never written", .text = memory_text("D is never written")};
    struct finding none = {
        .name = "no element of A",
        .text = memory_text("D holds values that are not elements of A, or only parts of them")};
    struct finding padding = {
        .name = "read outside",
    };
    bool is_beyond[2] = {false, false};
    struct finding nowhere = {.name = "lost elements"};
    unsigned char *arrives = memory_get(memory_elements(a), 1);
    for (uint32_t row = 0; row < problem->m; row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t e = (size_t)row * problem->n + col;
            uint32_t place[3];
            if (reading->written->poison[e] == reading->plan->proof_runs)
                reading->from[e] = NEVER_WRITTEN;
            else if (reading->is_bad[e])
                reading->from[e] = NO_ELEMENT;
            if (reading->from[e] >= NO_ELEMENT) {
                finding_note(reading->from[e] == NEVER_WRITTEN ? &never : &none, row, col);
                continue;
            }
            memory_place(a, reading->from[e], place);
            if (place[0] >= problem->m || place[1] >= problem->n)
                finding_note(&padding, row, col);
            is_beyond[0] |= place[0] >= problem->m;
            is_beyond[1] |= place[1] >= problem->n;
            if (arrives[reading->from[e]] < 2)
                arrives[reading->from[e]]++;
        }
    findings->wrong += never.count + none.count;
    findings_add(findings, &never);
    findings_add(findings, &none);
    struct printer beyond = {.text = NULL};
    print_text(&beyond, "the kernel reads ");
    print_beyond(&beyond, problem, PROBE_A, is_beyond[0], is_beyond[1]);
    padding.text = printer_string(&beyond);
    findings_add(findings, &padding);
    findings_add(findings, &reading->written->outside);
    uint64_t twice = 0;
    for (uint32_t row = 0; row < problem->m; row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const unsigned char times = arrives[memory_index(a, row, col)];
            twice += times > 1;
            if (times == 0)
                finding_note(&nowhere, row, col);
        }
    struct printer text = {.text = NULL};
    print(&text, "%llu element%s of A arrive%s nowhere, and %llu more than once",
          (unsigned long long)nowhere.count, nowhere.count == 1 ? "" : "s",
          nowhere.count == 1 ? "s" : "", (unsigned long long)twice);
    nowhere.text = printer_string(&text);
    findings_add(findings, &nowhere);
}

static bool is_by_address(const struct map *map) {
    return map->space.outs == 1;
}

/* The sample of an element of D: the row and column, or the address, of the element of A that it
 * holds. */
static bool sample_of(const struct map *map, uint64_t element, struct sample *sample,
                      bool *is_wrong) {
    const struct copy_reading *reading = map->context;
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A];
    const uint32_t row = (uint32_t)(element / problem->n), col = (uint32_t)(element % problem->n);
    const uint32_t from = reading->from[element];
    *sample = (struct sample){.in = {row, col}};
    if (from >= NO_ELEMENT || !is_wrong)
        return false;
    *is_wrong = from != memory_index(a, row, col);
    if (is_by_address(map))
        sample->out[0] = from;
    else
        memory_place(a, from, sample->out);
    return true;
}

static void note(const struct map *map, uint64_t element, struct finding *finding) {
    struct sample sample;
    bool is_wrong;
    if (sample_of(map, element, &sample, &is_wrong) && is_wrong)
        finding_note(finding, sample.in[0], sample.in[1]);
}

static void move(const void *context, const uint32_t at[2], uint32_t from[2]) {
    const struct piece *piece = context;
    const uint32_t in[FIT_INPUTS] = {at[0], at[1]};
    for (unsigned axis = 0; axis < 2; axis++)
        from[axis] = function_value(&piece->out[axis], in);
}

/* Names and describes the finding about one piece of a formula. */
static void name_piece(const struct map *map, struct piece *piece, struct finding *finding) {
    const struct copy_reading *reading = map->context;
    const struct problem *problem = &reading->plan->problem;
    const bool by_address = is_by_address(map);
    struct printer text = {.text = NULL};
    const struct operand_memory *a = &problem->operand[PROBE_A];
    const struct function *out = piece->out;
    const bool is_flat = problem->m == 1;
    const bool swaps = !by_address && !is_flat && out[0].kind == FUNCTION_SAME &&
                       out[1].kind == FUNCTION_SAME && out[0].axis == 1 && out[1].axis == 0;
    const int64_t *factor = out[0].factor;
    const unsigned inner = !a->is_column_major;
    const bool has_other_ld =
        by_address && out[0].kind == FUNCTION_SUM && factor[inner] == 1 && factor[!inner] > 1;
    finding->name = "moved";
    if (swaps)
        finding->name = "transposed";
    else if (has_other_ld)
        finding->name = "leading dimension";
    else if (!by_address && is_flat)
        finding->name = "elements moved";
    else if (!by_address && out[0].kind == FUNCTION_SAME && out[0].axis == 0)
        finding->name = "columns moved";
    else if (!by_address && out[1].kind == FUNCTION_SAME && out[1].axis == 1)
        finding->name = "rows moved";
    print_text(&text, is_flat ? "D(col) holds " : "D(row, col) holds ");
    print_text(&text, by_address ? "the element of A at offset " : "A(");
    if (!by_address && !is_flat) {
        function_print(&text, &map->space, &out[0]);
        print_text(&text, ", ");
    }
    function_print(&text, &map->space, &out[by_address || !is_flat ? !by_address : 1]);
    print_text(&text, by_address ? "" : ")");
    piece_print(&text, &map->space, piece);
    const struct operand_memory *d = &problem->operand[PROBE_D];
    const bool is_of_d = has_other_ld && a->ld == memory_cols(a) && factor[!inner] == d->ld &&
                         d->is_column_major == a->is_column_major;
    if (is_of_d && out[0].constant == 0)
        print(&text, ": D is written with leading dimension %u instead of %u", a->ld, d->ld);
    else if (has_other_ld && out[0].constant == 0)
        print(&text, ": A is read with leading dimension %llu instead of %u",
              (unsigned long long)factor[!inner], a->ld);
    finding->text = printer_string(&text);
    if (!by_address)
        causes_add(finding, problem, PROBE_A, false, move, piece);
}

/* Describes the first wrong elements of D: the elements of A that they hold. */
static void say_places(const struct copy_reading *reading, struct finding *moved) {
    const struct problem *problem = &reading->plan->problem;
    struct printer text = {.text = NULL};
    print_text(&text, "no formula: ");
    for (size_t p = 0; p < moved->places; p++) {
        const uint32_t *to = moved->place[p];
        uint32_t from[3];
        memory_place(&problem->operand[PROBE_A], reading->from[(size_t)to[0] * problem->n + to[1]],
                     from);
        print(&text, "%sD(%u, %u) holds A(%u, %u)", p > 0 ? ", " : "", to[0], to[1], from[0],
              from[1]);
    }
    moved->text = printer_string(&text);
}

/* Adds findings about moved elements, with formulae for rows and columns, or else for addresses. */
static void find_moved(struct copy_reading *reading, struct findings *findings) {
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A];
    struct finding moved = {.name = "moved"};
    struct map map = {.context = reading,
                      .space = {.in_size = {problem->m, problem->n, 1},
                                .in_name = {"row", "col", "k"},
                                .outs = 2,
                                .out_size = {memory_size(a, 0), memory_size(a, 1)},
                                .right = {0, 1}},
                      .elements = (uint64_t)problem->m * problem->n,
                      .free_input = FIT_NO_INPUT,
                      .sample = sample_of,
                      .note = note,
                      .name = name_piece};
    for (uint64_t e = 0; e < map.elements; e++)
        note(&map, e, &moved);
    findings->wrong += moved.count;
    if (moved.count == 0)
        return;
    struct map by_address = map;
    by_address.space.outs = 1;
    by_address.space.out_size[0] = (uint32_t)memory_elements(a);
    by_address.space.right[0] = FIT_NO_INPUT;
    const struct map *found = maps_find(&map, 1);
    found = found ? found : maps_find(&by_address, 1);
    if (found) {
        map_report(found, findings);
        return;
    }
    say_places(reading, &moved);
    findings_add(findings, &moved);
}

static void end(void *reading, struct findings *findings) {
    find_lost(reading, findings);
    find_moved(reading, findings);
}

const struct computation copy_computation = {
    .plan = make_plan, .fill = fill, .begin = begin, .take = take, .end = end};
