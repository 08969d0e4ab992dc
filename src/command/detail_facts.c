/* detail_facts.c - derives the facts of --detail from a layout and its opcode. */
#include "catalogue/catalogue.h"
#include "command/show.h"
#include "report/conversion.h"
#include "source/codegen_records.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What opcodes become ---- */

static void add_codegen(const struct report *report, struct detail *detail) {
    size_t capacity = 0;
    for (size_t o = 0; o < report->opcodes.count; o++) {
        struct codegen row;
        for (size_t position = 0; codegen_next(report->opcodes.text[o], &position, &row);) {
            detail->codegen =
                array_grow(detail->codegen, detail->codegen_count, 1, &capacity, sizeof row);
            detail->codegen[detail->codegen_count++] = row;
        }
    }
}

/* ---- The next product ---- */

/* True if D of one product may be A of the next product of this instruction: both have the same M,
 * and A is not wider. A of wgmma does not depend on N, so only the one with the N of D counts. */
static bool can_follow(const struct mapping_fragment *d, const struct mapping_fragment *a,
                       unsigned arch) {
    struct mapping_error ignored;
    bool is_width = !mapping_instruction_reads_shared(d->instruction) || a->shape.n == d->shape.n;
    return a->operand == MAPPING_A && is_width && a->shape.m == d->shape.m && a->bits <= d->bits &&
           mapping_fragment_on(a, arch) && conversion_check(d, "d", a, "a", &ignored) == MAPPING_OK;
}

/* Finds a reuse with the same layout and another type; NULL if there is none. */
static struct reuse *find_alike(struct detail *detail, const struct mapping_fragment *a) {
    for (size_t r = 0; r < detail->reuse_count; r++) {
        const struct mapping_fragment *other = &detail->reuses[r].target;
        if (other->shape.k == a->shape.k && other->shape.n == a->shape.n &&
            other->order == a->order && other->elements == a->elements && other->bits == a->bits &&
            strcmp(other->bases, a->bases) == 0)
            return &detail->reuses[r];
    }
    return NULL;
}

/* Makes the layout of the first `cols` columns of a layout that repeats along columns with
 * ascending i, as the accumulators of wide wgmma do. False if it does not repeat so. */
static bool cut_period(const struct mapping_layout *layout, uint32_t cols,
                       struct mapping_layout *period) {
    const uint32_t axes = layout->to.count, all = layout->to.axis[axes - 1].size,
                   elements = layout->from.axis[1].size;
    struct mapping_space from = layout->from, to = layout->to;
    struct mapping_error ignored;
    bool repeats = axes == 2 && all > cols && all % cols == 0 && elements % (all / cols) == 0;
    if (!repeats)
        return false;
    const uint32_t held = from.axis[1].size = elements / (all / cols);
    to.axis[1].size = cols;
    if (mapping_layout_init(period, &from, &to, &ignored) != MAPPING_OK)
        return false;
    const uint32_t *row = layout->coordinate[0], *col = layout->coordinate[1];
    for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
        const uint32_t i = (uint32_t)(n % elements);
        const size_t first = n - i + i % held, place = n / elements * held + i % held;
        repeats = repeats && row[n] == row[first] && col[n] == col[first] + i / held * cols;
        period->coordinate[0][place] = row[first];
        period->coordinate[1][place] = col[first];
    }
    return repeats;
}

/* Plans how D becomes A of the next product. False if that is impossible. */
static bool plan_reuse(const struct mapping_layout *d, struct reuse *reuse) {
    struct mapping_layout a = {.from.count = 0}, period = {.from.count = 0};
    struct shuffle_plan plan = {.threads = 0};
    struct mapping_permutation permutation = {.count = 0};
    struct mapping_error ignored;
    uint32_t periods = 1;
    if (cut_period(d, reuse->target.cols, &period)) {
        periods = d->to.axis[1].size / reuse->target.cols;
        d = &period;
    }
    enum mapping_status status = mapping_fragment_state(&reuse->target, &a, &ignored);
    if (status == MAPPING_OK)
        status = mapping_convert_plan(d, &a, reuse->target.bits, NULL, &plan, &ignored);
    reuse->kind = plan.kind;
    reuse->matrices = plan.source.matrices;
    reuse->targets = plan.target.matrices * periods;
    reuse->shuffles = plan.shuffles * periods;
    if (status == MAPPING_OK && plan.kind >= CONVERT_SHUFFLES)
        reuse->is_permutable = mapping_permutation_find(&plan, false, &permutation);
    mapping_free(permutation.table);
    mapping_convert_free(&plan);
    mapping_layout_free(&a);
    mapping_layout_free(&period);
    return status == MAPPING_OK;
}

/* True if two reuses differ only in the type of A, and the second has only one type so far. */
static bool is_same_reuse(const struct reuse *a, const struct reuse *b) {
    const struct mapping_fragment *one = &a->target, *other = &b->target;
    const uint32_t says[][8] = {{one->shape.k, one->order, one->bits, a->kind, a->matrices,
                                 a->targets, a->shuffles, a->is_permutable},
                                {other->shape.k, other->order, other->bits, b->kind, b->matrices,
                                 b->targets, b->shuffles, b->is_permutable}};
    return b->types.count == 0 && memcmp(says[0], says[1], sizeof *says) == 0;
}

/* Adds the operands A that D can become in the next product, for all layouts that are known. */
static void add_reuses(const struct report *report, struct detail *detail) {
    const struct mapping_fragment *d = &report->observed.fragment;
    struct mapping_fragment a;
    size_t capacity = 0, kept = 0;
    const enum mapping_instruction next = mapping_instruction_dense(d->instruction);
    for (struct mapping_cursor at = {0};
         d->operand == MAPPING_D && mapping_catalogue_next_of(&at, next, &a);)
        if (can_follow(d, &a, report->arch) && mapping_fragment_find(&a, report->arch, &a)) {
            struct reuse *alike = find_alike(detail, &a);
            if (alike) {
                strings_add(&alike->types, mapping_type_name(a.type));
                continue;
            }
            detail->reuses = array_grow(detail->reuses, detail->reuse_count, 1, &capacity,
                                        sizeof *detail->reuses);
            detail->reuses[detail->reuse_count++] = (struct reuse){.target = a};
        }
    for (size_t r = 0; r < detail->reuse_count; r++) {
        struct reuse reuse = detail->reuses[r], *last = &detail->reuses[kept > 0 ? kept - 1 : 0];
        if (!plan_reuse(&report->forward.layout, &reuse))
            continue;
        if (kept > 0 && is_same_reuse(last, &reuse))
            strings_add(&last->types, mapping_type_name(reuse.target.type));
        else
            detail->reuses[kept++] = reuse;
    }
    detail->reuse_count = kept;
}

/* ---- The order of K ---- */

/* Finds the operand in registers that an A or B of the same type is multiplied by. */
static bool find_partner(const struct mapping_fragment *fragment, unsigned arch,
                         struct mapping_fragment *partner) {
    enum mapping_operand operand = fragment->operand == MAPPING_A ? MAPPING_B : MAPPING_A;
    bool is_multiplied = fragment->operand == MAPPING_A || fragment->operand == MAPPING_B;
    for (struct mapping_cursor at = {0};
         is_multiplied && mapping_catalogue_next_of(&at, fragment->instruction, partner);)
        if (partner->operand == operand && partner->shape.m == fragment->shape.m &&
            partner->shape.n == fragment->shape.n && partner->shape.k == fragment->shape.k &&
            partner->type == fragment->type &&
            !mapping_instruction_is_sparse(fragment->instruction) &&
            mapping_fragment_find(partner, arch, partner))
            return true;
    return false;
}

/* Adds the order of K that permits the widest loads. The layout of the other operand may be
 * unknown. */
static void add_k_order(const struct report *report, const struct tile_request *tile,
                        struct detail *detail) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    const bool is_a = fragment->operand == MAPPING_A;
    struct mapping_k_order other = {.run = 0};
    struct mapping_layout layout = {.from.count = 0}, tiled;
    struct mapping_atom atom;
    struct mapping_error ignored;
    if (!find_partner(fragment, report->arch, &detail->partner))
        return;
    detail->has_k_order = mapping_k_order_find(&report->forward.layout, is_a, &detail->k_order);
    if (!detail->has_k_order)
        return;
    enum mapping_status status = mapping_fragment_state(&detail->partner, &layout, &ignored);
    if (status == MAPPING_OK && tile->is_given) {
        status = derive_atom(&detail->partner, &atom, &ignored);
        if (status == MAPPING_OK)
            status = mapping_tile(&tile->tiling, &atom, &layout, &tiled, &ignored);
        if (status == MAPPING_OK) {
            mapping_layout_free(&layout);
            layout = tiled;
        }
    }
    detail->is_partner_alike = status == MAPPING_OK &&
                               mapping_k_order_find(&layout, !is_a, &other) &&
                               mapping_k_order_equal(&detail->k_order, &other);
    mapping_free(other.k.table);
    mapping_layout_free(&layout);
}

/* ---- Larger products out of smaller ones ---- */

/* True if the names of two opcodes differ only in the shape. */
static bool is_same_but_shape(const struct mapping_opcode *a, const struct mapping_opcode *b) {
    const char *texts[] = {a->text, b->text}, *rests[2];
    size_t lengths[2];
    for (int t = 0; t < 2; t++) {
        const char *shape = strstr(texts[t], ".m");
        if (!shape)
            return false;
        lengths[t] = (size_t)(shape - texts[t]);
        rests[t] = shape + 1 + strcspn(shape + 1, ".");
    }
    return lengths[0] == lengths[1] && strncmp(texts[0], texts[1], lengths[0]) == 0 &&
           strcmp(rests[0], rests[1]) == 0;
}

/* True if several products of the smaller shape make one of the larger, and the smaller is
 * available on older architectures. */
static bool can_make(const struct mapping_opcode *smaller, const struct mapping_opcode *larger) {
    const struct mapping_shape *s = &smaller->shape, *l = &larger->shape;
    return smaller->since < larger->since && l->m % s->m == 0 && l->n % s->n == 0 &&
           l->k % s->k == 0 && is_same_but_shape(smaller, larger);
}

static const struct mapping_fragment *find_operand(const struct mapping_fragment *fragments,
                                                   size_t count, enum mapping_operand operand) {
    for (size_t f = 0; f < count; f++)
        if (fragments[f].operand == operand)
            return &fragments[f];
    return NULL;
}

/* Plans how one operand of the larger product is split. False if it cannot be split, if the split
 * needs more than renaming registers, or if the parts do not fill whole registers. */
static bool split(const struct mapping_fragment *larger, const struct mapping_fragment *smaller,
                  struct shuffle_plan *plan) {
    struct mapping_layout from = {.from.count = 0}, to = {.from.count = 0};
    struct mapping_error ignored;
    if (!larger || !smaller || larger->blocks != smaller->blocks)
        return false;
    bool is_split =
        mapping_fragment_state(larger, &from, &ignored) == MAPPING_OK &&
        mapping_fragment_state(smaller, &to, &ignored) == MAPPING_OK &&
        mapping_convert_plan(&from, &to, smaller->bits, NULL, plan, &ignored) == MAPPING_OK;
    mapping_layout_free(&from);
    mapping_layout_free(&to);
    return is_split && plan->kind <= CONVERT_WORDS && smaller->elements % plan->per == 0;
}

/* Plans how several smaller products compute one larger product. False under the same conditions as
 * split(). */
static bool compose(const struct mapping_opcode *larger, const struct mapping_opcode *smaller,
                    struct composition *composition) {
    static const enum mapping_operand operands[] = {MAPPING_A, MAPPING_B, MAPPING_D};
    struct shuffle_plan *const plans[] = {&composition->a, &composition->b, &composition->d};
    struct mapping_fragment large[MAPPING_FOUND_MAX], small[MAPPING_FOUND_MAX];
    size_t large_count = mapping_opcode_fragments(larger, large),
           small_count = mapping_opcode_fragments(smaller, small);
    const struct mapping_shape *s = &smaller->shape, *l = &larger->shape;
    *composition = (struct composition){
        .opcode = *smaller,
        .parts = {l->m / s->m, l->n / s->n, l->k / s->k},
    };
    for (int o = 0; o < 3; o++)
        if (!split(find_operand(large, large_count, operands[o]),
                   find_operand(small, small_count, operands[o]), plans[o])) {
            *composition = (struct composition){.opcode.text = ""};
            return false;
        }
    return true;
}

/* Finds the decomposition of an opcode's product into the fewest products of older opcodes. */
static void add_composition(const struct report *report, struct detail *detail) {
    struct mapping_opcode larger, smaller, best[8];
    size_t count = 0;
    if (report->observed.fragment.operand != MAPPING_D || report->opcodes.count != 1 ||
        !mapping_opcode_find(report->opcodes.text[0], &larger) ||
        mapping_instruction_form(larger.instruction) != MMA_FORM ||
        mapping_instruction_is_sparse(larger.instruction))
        return;
    for (size_t index = 0; count < 8 && mapping_opcode_at(index, &smaller); index++)
        if (smaller.instruction == larger.instruction && can_make(&smaller, &larger))
            best[count++] = smaller;
    while (count > 0) { /* the largest first */
        size_t largest = 0;
        for (size_t n = 1; n < count; n++)
            if (best[n].shape.m * best[n].shape.n * best[n].shape.k >
                best[largest].shape.m * best[largest].shape.n * best[largest].shape.k)
                largest = n;
        if (compose(&larger, &best[largest], &detail->composition))
            return;
        best[largest] = best[--count];
    }
}

/* ---- All of them ---- */

void add_details(struct report *reports, size_t count, const struct tile_request *tile) {
    for (size_t r = 0; r < count; r++) {
        struct report *report = &reports[r];
        struct detail *detail = report->detail = memory_get(1, sizeof *detail);
        add_codegen(report, detail);
        if (!report->tiling)
            add_reuses(report, detail);
        add_k_order(report, tile, detail);
        add_composition(report, detail);
    }
}
