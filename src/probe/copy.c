/* copy.c - findings about a kernel that should copy A to D; see copy.h.
 *
 * In each run, the elements of A hold one digit of their own address; in the last run, a check
 * digit. So D tells which element of A each of its elements is, even if the kernel read padding.
 * The check digit detects values that are not elements of A. */
#include "probe/copy.h"

#include "probe/causes.h"
#include "probe/fit.h"

#include <stdlib.h>
#include <string.h>

void copy_plan(struct plan *plan) {
    const struct operand_memory *a = &plan->problem.operand[PROBE_A];
    struct addresses *addresses = &plan->addresses[PROBE_A];
    *addresses = addresses_make(codes_of_copies(a->type), memory_elements(a), 1);
    addresses->check = 1;
    plan->runs = addresses->digits + 1; /* and one for a check digit */
}

void copy_fill(const struct plan *plan, size_t run, void *a) {
    const struct operand_memory *of = &plan->problem.operand[PROBE_A];
    for (size_t e = 0; e < memory_elements(of); e++)
        number_put(a, number_bits(of->type), e, address_element(&plan->addresses[PROBE_A], run, e));
}

/* The kinds of elements of D that are not an address in A. */
#define NEVER_WRITTEN UINT32_MAX
#define NO_ELEMENT (UINT32_MAX - 1)

struct copied {
    const struct plan *plan;
    uint32_t *from; /* the digits read so far, by row and column of D */
    unsigned char *is_bad;
    struct written written;
};

struct copied *copied_begin(const struct plan *plan) {
    const struct problem *problem = &plan->problem;
    const size_t count = (size_t)problem->m * problem->n;
    struct copied *copied = memory_get(1, sizeof *copied);
    *copied = (struct copied){.plan = plan,
                              .from = memory_get(count, sizeof(uint32_t)),
                              .is_bad = memory_get(count, 1),
                              .written = written_begin(problem)};
    return copied;
}

bool copied_take(struct copied *copied, size_t run, const void *d) {
    const struct problem *problem = &copied->plan->problem;
    const struct operand_memory *of = &problem->operand[PROBE_D];
    for (uint32_t row = 0; row < problem->m; row++)
        for (uint32_t col = 0; col < problem->n; col++) {
            const size_t e = (size_t)row * problem->n + col;
            const uint64_t element =
                number_get(d, number_bits(of->type), memory_index(of, row, col));
            if (!address_read(&copied->plan->addresses[PROBE_A], run, element, &copied->from[e]))
                copied->is_bad[e] = true;
        }
    return written_take(&copied->written, problem, number_poison(of->type, run), true, d);
}

/* ---- Findings ---- */

/* Counts what was not moved at all, and which elements of A arrive. */
static void find_lost(struct copied *copied, struct findings *findings) {
    const struct problem *problem = &copied->plan->problem;
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
            if (copied->written.poison[e] == copied->plan->runs)
                copied->from[e] = NEVER_WRITTEN;
            else if (copied->is_bad[e])
                copied->from[e] = NO_ELEMENT;
            if (copied->from[e] >= NO_ELEMENT) {
                finding_note(copied->from[e] == NEVER_WRITTEN ? &never : &none, row, col);
                continue;
            }
            memory_place(a, copied->from[e], place);
            if (place[0] >= problem->m || place[1] >= problem->n)
                finding_note(&padding, row, col);
            is_beyond[0] |= place[0] >= problem->m;
            is_beyond[1] |= place[1] >= problem->n;
            if (arrives[copied->from[e]] < 2)
                arrives[copied->from[e]]++;
        }
    findings->wrong += never.count + none.count;
    findings_add(findings, &never);
    findings_add(findings, &none);
    struct printer beyond = {.text = NULL};
    print_text(&beyond, "the kernel reads ");
    print_beyond(&beyond, problem, PROBE_A, is_beyond[0], is_beyond[1]);
    padding.text = printer_string(&beyond);
    findings_add(findings, &padding);
    findings_add(findings, &copied->written.outside);
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

/* Chooses samples: all, or some at random with wrong ones more often. */
static size_t choose(const struct copied *copied, uint64_t moved, struct sample *samples,
                     size_t capacity) {
    const struct problem *problem = &copied->plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A];
    const uint64_t total = (uint64_t)problem->m * problem->n;
    size_t count = 0;
    for (size_t e = 0; e < total && count < capacity; e++) {
        struct sample sample = {{(uint32_t)(e / problem->n), (uint32_t)(e % problem->n), 0}, {0}};
        if (copied->from[e] >= NO_ELEMENT)
            continue;
        memory_place(a, copied->from[e], sample.out);
        sample.out[2] = copied->from[e];
        const bool is_moved = sample.out[0] != sample.in[0] || sample.out[1] != sample.in[1];
        const uint64_t of = is_moved ? moved : total - moved;
        if (number_hash(2, e) % of < capacity / 2)
            samples[count++] = sample;
    }
    fit_shuffle(samples, count);
    return count;
}

static void move(const void *context, const uint32_t at[2], uint32_t from[2]) {
    const struct piece *piece = context;
    const uint32_t in[FIT_INPUTS] = {at[0], at[1]};
    for (unsigned axis = 0; axis < 2; axis++)
        from[axis] = function_value(&piece->out[axis], in);
}

/* Says how one piece moves elements. */
static void name_piece(const struct problem *problem, const struct fit_space *space,
                       const struct piece *piece, bool by_address, struct finding *finding) {
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
        function_print(&text, space, &out[0]);
        print_text(&text, ", ");
    }
    function_print(&text, space, &out[by_address || !is_flat ? !by_address : 1]);
    print_text(&text, by_address ? "" : ")");
    piece_print(&text, space, piece);
    const struct operand_memory *d = &problem->operand[PROBE_D];
    const bool is_of_d = has_other_ld && a->ld == memory_cols(a) && factor[!inner] == d->ld &&
                         d->is_column_major == a->is_column_major;
    if (is_of_d && out[0].constant == 0)
        print(&text, ": D is written with leading dimension %u instead of %u", a->ld, d->ld);
    else if (has_other_ld && out[0].constant == 0)
        print(&text, ": A is read with leading dimension %llu instead of %u",
              (unsigned long long)factor[!inner], a->ld);
    finding->text = printer_string(&text);
    finding->is_explained = true;
    if (!by_address)
        causes_add(finding, problem, PROBE_A, false, move, piece);
}

/* Prints which elements of A the first wrong elements of D hold. */
static void say_places(const struct copied *copied, struct finding *moved) {
    const struct problem *problem = &copied->plan->problem;
    struct printer text = {.text = NULL};
    print_text(&text, "no formula: ");
    for (size_t p = 0; p < moved->places; p++) {
        const uint32_t *to = moved->place[p];
        uint32_t from[3];
        memory_place(&problem->operand[PROBE_A], copied->from[(size_t)to[0] * problem->n + to[1]],
                     from);
        print(&text, "%sD(%u, %u) holds A(%u, %u)", p > 0 ? ", " : "", to[0], to[1], from[0],
              from[1]);
    }
    moved->text = printer_string(&text);
}

/* Finds how elements are moved: by rows and columns, or else by addresses. Each element of D that
 * holds another one than it should is compared with the formula. */
static void find_moved(struct copied *copied, struct findings *findings) {
    enum { ROOM = 1 << 16 };
    const struct problem *problem = &copied->plan->problem;
    const struct operand_memory *a = &problem->operand[PROBE_A];
    const size_t total = (size_t)problem->m * problem->n;
    struct finding moved = {.name = "moved"};
    for (size_t e = 0; e < total; e++) {
        const uint32_t row = (uint32_t)(e / problem->n), col = (uint32_t)(e % problem->n);
        if (copied->from[e] < NO_ELEMENT && copied->from[e] != memory_index(a, row, col))
            finding_note(&moved, row, col);
    }
    findings->wrong += moved.count;
    if (moved.count == 0)
        return;
    struct sample *samples = memory_get(ROOM, sizeof *samples);
    const size_t count = choose(copied, moved.count, samples, ROOM);
    struct fit_space space = {
        .in_size = {problem->m, problem->n, 1},
        .in_name = {"row", "col", "k"},
        .outs = 2,
        .out_size = {memory_size(a, 0), memory_size(a, 1)},
        .right = {0, 1},
    };
    struct piece *pieces = memory_get(FIT_PIECES, sizeof *pieces);
    size_t parts = fit_samples(&space, samples, count, pieces);
    const bool by_address = parts == 0;
    if (by_address) {
        for (size_t s = 0; s < count; s++)
            samples[s].out[0] = samples[s].out[2];
        space.outs = 1;
        space.out_size[0] = (uint32_t)memory_elements(a);
        space.right[0] = FIT_NO_INPUT;
        parts = fit_samples(&space, samples, count, pieces);
    }
    struct finding *found = memory_get(FIT_PIECES, sizeof *found);
    uint64_t left = 0;
    for (size_t e = 0; e < total && parts > 0; e++) {
        const uint32_t in[FIT_INPUTS] = {(uint32_t)(e / problem->n), (uint32_t)(e % problem->n)};
        if (copied->from[e] >= NO_ELEMENT)
            continue;
        const size_t p = piece_of(pieces, parts, in);
        const uint32_t first = function_value(&pieces[p].out[0], in);
        const uint32_t second = by_address ? 0 : function_value(&pieces[p].out[1], in);
        const size_t from = by_address ? first : memory_index(a, first, second);
        left += from != copied->from[e];
        if (copied->from[e] != memory_index(a, in[0], in[1]))
            finding_note(&found[p], in[0], in[1]);
    }
    if (parts == 0 || left > 0) {
        say_places(copied, &moved);
        findings_add(findings, &moved);
        return;
    }
    for (size_t p = 0; p < parts; p++)
        if (found[p].count > 0) {
            name_piece(problem, &space, &pieces[p], by_address, &found[p]);
            findings_add(findings, &found[p]);
        }
}

void copied_end(struct copied *copied, struct findings *findings) {
    findings->plan = copied->plan;
    find_lost(copied, findings);
    find_moved(copied, findings);
}
