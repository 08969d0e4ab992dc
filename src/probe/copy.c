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
    bool is_0, is_negative; /* all elements of D that are no digits are 0, or those of A negated */
    const struct written *written;
};

static void *begin(const struct plan *plan, struct written *written) {
    const struct problem *problem = &plan->problem;
    const size_t count = (size_t)problem->m * problem->n;
    struct copy_reading *reading = memory_get(1, sizeof *reading);
    *reading = (struct copy_reading){.plan = plan,
                                     .from = memory_get(count, sizeof(uint32_t)),
                                     .is_bad = memory_get(count, 1),
                                     .is_0 = true,
                                     .is_negative = true,
                                     .written = written};
    return reading;
}

static bool take(void *state, size_t run, const void *d, bool is_changed) {
    struct copy_reading *reading = state;
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A], *of = &problem->operand[PROBE_D];
    const struct addresses *addresses = &reading->plan->addresses[PROBE_A];
    for (uint32_t row = 0; row < problem->m; row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t e = (size_t)row * problem->n + col;
            const uint64_t element =
                number_get(d, number_bits(of->type), memory_index(of, row, col));
            if (address_read(addresses, run, element, &reading->from[e]))
                continue;
            reading->is_bad[e] = true;
            if (element == number_poison(of->type, run))
                continue;
            const double is = number_value(of->type, element);
            const uint64_t right = address_element(addresses, run, memory_index(a, row, col));
            reading->is_0 &= is == 0;
            reading->is_negative &= is == -number_value(of->type, right);
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
        .is_explained = reading->is_0 || reading->is_negative,
        .text = memory_text(reading->is_0 ? "D is 0"
                            : reading->is_negative
                                ? "D is the negative of A"
                                : "D holds values that are not elements of A, or only parts of "
                                  "them")};
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

/* What a formula gives: the row and column of the element of A that D(row, col) holds; its offset
 * in A; the offset in D at which A(row, col) is stored; or the number of the element of A that
 * element i of D holds, counted by rows. */
enum copy_map { BY_PLACE, BY_OFFSET, BY_STORE, BY_NUMBER, COPY_MAPS };

static enum copy_map kind_of(const struct map *map) {
    return map->space.outs == 2     ? BY_PLACE
           : !map->space.in_name[0] ? BY_NUMBER
           : map->space.in_name[2]  ? BY_STORE
                                    : BY_OFFSET;
}

/* The sample of an element of D. */
static bool sample_of(const struct map *map, uint64_t element, struct sample *sample,
                      bool *is_wrong) {
    const struct copy_reading *reading = map->context;
    const struct problem *problem = &reading->plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A];
    const uint32_t row = (uint32_t)(element / problem->n), col = (uint32_t)(element % problem->n);
    const uint32_t from = reading->from[element];
    const enum copy_map kind = kind_of(map);
    uint32_t place[3];
    *sample = (struct sample){.in = {row, col}};
    if (kind == BY_NUMBER)
        *sample = (struct sample){.in = {0, (uint32_t)element}};
    if (from >= NO_ELEMENT)
        return false;
    memory_place(a, from, place);
    if (kind == BY_STORE)
        *sample = (struct sample){.in = {place[0], place[1]}};
    if (!is_wrong)
        return false;
    *is_wrong = from != memory_index(a, row, col);
    if (kind == BY_PLACE)
        memcpy(sample->out, place, 2 * sizeof *place);
    else
        sample->out[0] = kind == BY_OFFSET ? from
                         : kind == BY_STORE
                             ? (uint32_t)memory_index(&problem->operand[PROBE_D], row, col)
                             : place[0] * problem->n + place[1];
    return kind != BY_NUMBER || (place[0] < problem->m && place[1] < problem->n);
}

static void note(const struct map *map, uint64_t element, struct finding *finding) {
    const uint32_t cols = ((const struct copy_reading *)map->context)->plan->problem.n;
    struct sample sample;
    bool is_wrong;
    if (sample_of(map, element, &sample, &is_wrong) && is_wrong)
        finding_note(finding, (uint32_t)(element / cols), (uint32_t)(element % cols));
}

static bool move(const void *context, const uint32_t at[2], uint32_t from[2]) {
    const struct piece *piece = context;
    const uint32_t in[FIT_INPUTS] = {at[0], at[1]};
    const bool is_moved = piece_has(piece, in); /* other elements stay in place */
    bool is_part = false, has_table = false;
    for (unsigned axis = 0; axis < 2; axis++) {
        const uint32_t value = function_value(&piece->out[axis], in);
        from[axis] = is_moved ? value : at[axis];
        is_part |= value != from[axis];
        has_table |= piece->out[axis].kind == FUNCTION_TABLE;
    }
    return is_part || (has_table && memcmp(from, at, 2 * sizeof *from) == 0);
}

/* Names and describes the finding about one piece of a formula. */
static void name_piece(const struct map *map, struct piece *piece, struct finding *finding) {
    const struct copy_reading *reading = map->context;
    const struct problem *problem = &reading->plan->problem;
    const enum copy_map kind = kind_of(map);
    const bool by_place = kind == BY_PLACE, by_address = !by_place;
    struct printer text = {.text = NULL};
    const struct operand_memory *a = &problem->operand[PROBE_A];
    const struct function *out = piece->out;
    const bool is_flat = problem->m == 1;
    const bool swaps = !by_address && !is_flat && out[0].kind == FUNCTION_SAME &&
                       out[1].kind == FUNCTION_SAME && out[0].axis == 1 && out[1].axis == 0;
    const int64_t *factor = out[0].factor;
    const struct operand_memory *d = &problem->operand[PROBE_D];
    const struct operand_memory *of = kind == BY_STORE ? d : a;
    const unsigned inner = !of->is_column_major;
    const bool has_other_ld = (kind == BY_OFFSET || kind == BY_STORE) &&
                              out[0].kind == FUNCTION_SUM && factor[inner] == 1 &&
                              factor[!inner] > 1 && factor[!inner] != of->ld;
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
    print_text(&text, kind == BY_NUMBER  ? "element i of D, by rows, holds element "
                      : kind == BY_STORE ? "A(row, col) is stored at offset "
                      : is_flat          ? "D(col) holds "
                                         : "D(row, col) holds ");
    print_text(&text, kind == BY_OFFSET ? "the element of A at offset " : by_place ? "A(" : "");
    if (!by_address && !is_flat) {
        function_print(&text, &map->space, &out[0]);
        print_text(&text, ", ");
    }
    function_print(&text, &map->space, &out[by_address || !is_flat ? !by_address : 1]);
    print_text(&text, by_place            ? ")"
                      : kind == BY_OFFSET ? ""
                      : kind == BY_STORE  ? " of D"
                                          : " of A");
    piece_print(&text, &map->space, piece);
    const bool is_of_d = has_other_ld && a->ld == memory_cols(a) && factor[!inner] == d->ld &&
                         d->is_column_major == a->is_column_major;
    if (is_of_d && out[0].constant == 0)
        print(&text, ": D is written with leading dimension %u instead of %u", a->ld, d->ld);
    else if (has_other_ld && out[0].constant == 0)
        print(&text, ": %s with leading dimension %llu instead of %u",
              kind == BY_STORE ? "D is written" : "A is read", (unsigned long long)factor[!inner],
              of->ld);
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
    struct map *maps = memory_get(COPY_MAPS, sizeof *maps);
    for (enum copy_map kind = BY_PLACE; kind < COPY_MAPS; kind++) {
        const struct operand_memory *of = kind == BY_STORE ? &problem->operand[PROBE_D] : a;
        maps[kind] = map;
        if (kind == BY_PLACE)
            continue;
        maps[kind].space.outs = 1;
        maps[kind].space.out_size[0] = (uint32_t)memory_elements(of);
        maps[kind].space.right[0] = FIT_NO_INPUT;
        maps[kind].space.in_name[2] = kind == BY_STORE ? "k" : NULL;
    }
    maps[BY_NUMBER].space.in_name[0] = NULL;
    maps[BY_NUMBER].space.in_name[1] = "i";
    maps[BY_NUMBER].space.in_size[0] = 1;
    maps[BY_NUMBER].space.in_size[1] = maps[BY_NUMBER].space.out_size[0] = (uint32_t)map.elements;
    maps[BY_NUMBER].space.right[0] = 1;
    const struct map *found = maps_find(maps, 1);
    found = found ? found : maps_find(maps + BY_OFFSET, COPY_MAPS - 1);
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
