/* families.c - the table of families, and fragments out of the rows that they write down. */
#include "catalogue/family.h"

#include <stdio.h>
#include <string.h>

/* In the order in which they are listed. */
static const struct family *const families[MAPPING_INSTRUCTIONS] = {
    [MAPPING_WMMA] = &mapping_wmma,         [MAPPING_MMA] = &mapping_mma,
    [MAPPING_MMA_SP] = &mapping_mma_sp,     [MAPPING_LDMATRIX] = &mapping_ldmatrix,
    [MAPPING_STMATRIX] = &mapping_stmatrix, [MAPPING_MOVMATRIX] = &mapping_movmatrix,
    [MAPPING_WGMMA] = &mapping_wgmma,       [MAPPING_WGMMA_SP] = &mapping_wgmma_sp,
};

const struct family *mapping_family(enum mapping_instruction instruction) {
    return families[instruction];
}

/* ---- Sets and widths ---- */

size_t mapping_set_size(uint32_t set) {
    size_t size = 0;
    for (; set; set &= set - 1)
        size++;
    return size;
}

int mapping_set_member(uint32_t set, size_t n) {
    for (; n > 0; n--)
        set &= set - 1;
    return __builtin_ctz(set);
}

size_t mapping_widths_count(const struct widths *widths) {
    return widths ? widths->count : 1;
}

bool mapping_widths_have(const struct widths *widths, uint16_t n) {
    for (size_t w = 0; w < widths->count; w++)
        if (widths->n[w] == n)
            return true;
    return false;
}

/* ---- What a family says of its instruction ---- */

const char *mapping_instruction_name(enum mapping_instruction instruction) {
    return families[instruction]->name;
}

bool mapping_instruction_is_sparse(enum mapping_instruction instruction) {
    return families[instruction]->is_sparse;
}

bool mapping_instruction_reads_shared(enum mapping_instruction instruction) {
    return families[instruction]->reads_shared;
}

bool mapping_instruction_multiplies(enum mapping_instruction instruction) {
    return families[instruction]->multiplies;
}

enum probe mapping_instruction_probe(enum mapping_instruction instruction) {
    return families[instruction]->probe;
}

const char *mapping_fragment_results(const struct mapping_fragment *fragment) {
    return families[fragment->instruction]->results;
}

/* ---- Fragments out of rows ---- */

/* Which fragment of a row. */
struct choice {
    enum mapping_operand operand;
    enum mapping_type type;
    enum mapping_order order;
    uint16_t n; /* the width */
};

static uint32_t or_one(uint32_t number) {
    return number ? number : 1;
}

/* Sets rows and columns. Of a sparse A, and of what says which elements those are, there are half
 * as many columns as are multiplied. */
static void set_size(const struct family *family, const struct fragment_row *row,
                     struct mapping_fragment *fragment) {
    const struct mapping_shape shape = fragment->shape;
    uint32_t depth = family->is_sparse ? shape.k / 2U : shape.k;
    fragment->rows = shape.m;
    fragment->cols = shape.n;
    switch (fragment->operand) {
    case MAPPING_A: /* of movmatrix k counts matrices, and A is one of them */
        fragment->cols = family->multiplies ? depth : shape.n;
        break;
    case MAPPING_B:
        fragment->rows = shape.k;
        break;
    case MAPPING_E:
        fragment->cols = row->is_paired ? depth / 2 : depth;
        break;
    case MAPPING_SFA:
        fragment->cols = row->scale_vector;
        break;
    case MAPPING_SFB:
        fragment->rows = row->scale_vector;
        break;
    case MAPPING_P:
        fragment->cols = 1;
        break;
    case MAPPING_C:
    case MAPPING_D:
    case MAPPING_R:
    case MAPPING_OPERANDS:
        break;
    }
}

static struct mapping_fragment make(const struct family *family, const struct fragment_group *group,
                                    const struct fragment_row *row, const struct choice *choice) {
    struct mapping_fragment fragment = {
        .instruction = family->instruction,
        .shape = {group->shape.m, choice->n, group->shape.k},
        .operand = choice->operand,
        .order = choice->order,
        .is_transposed = row->is_transposed,
        .scale_vector = row->scale_vector,
        .type = choice->type,
        .bits = row->bits ? row->bits : mapping_type_bits(choice->type),
        .blocks = or_one(group->blocks),
        .threads = family->threads,
        .since = group->since,
        .until = group->until,
        .ptx = group->ptx,
        .section = group->section,
        .bases = row->bases,
    };
    set_size(family, row, &fragment);
    if (fragment.operand == MAPPING_P) /* one thread for each address */
        fragment.threads = fragment.blocks * fragment.rows;
    fragment.elements =
        fragment.blocks * fragment.rows * fragment.cols * or_one(row->copies) / fragment.threads;
    fragment.registers = fragment.elements * fragment.bits / 32;
    return fragment;
}

/* ---- Listing ---- */

static size_t count_fragments(const struct fragment_group *group, const struct fragment_row *row) {
    size_t orders = row->orders ? mapping_set_size(row->orders) : 1;
    return mapping_set_size(row->operands) * mapping_set_size(row->types) * orders *
           mapping_widths_count(group->widths);
}

/* What the fragment at `index` of a row is: widths run fastest, then orders, types and operands. */
static struct choice choose(const struct fragment_group *group, const struct fragment_row *row,
                            size_t index) {
    size_t widths = mapping_widths_count(group->widths),
           orders = row->orders ? mapping_set_size(row->orders) : 1,
           types = mapping_set_size(row->types);
    size_t width = index % widths, order = index / widths % orders,
           type = index / widths / orders % types, operand = index / widths / orders / types;
    return (struct choice){
        .operand = (enum mapping_operand)mapping_set_member(row->operands, operand),
        .type = (enum mapping_type)mapping_set_member(row->types, type),
        .order = row->orders ? (enum mapping_order)mapping_set_member(row->orders, order)
                             : MAPPING_NO_ORDER,
        .n = group->widths ? group->widths->n[width] : group->shape.n,
    };
}

/* Makes the fragment at `index` among those of the family; false from the end on. */
static bool fragment_at(const struct family *family, size_t index,
                        struct mapping_fragment *fragment) {
    for (const struct fragment_group *group = family->groups;
         group < family->groups + family->group_count; group++) {
        for (const struct fragment_row *row = group->rows; row->operands; row++) {
            size_t count = count_fragments(group, row);
            if (index < count) {
                const struct choice choice = choose(group, row, index);
                *fragment = make(family, group, row, &choice);
                return true;
            }
            index -= count;
        }
    }
    return false;
}

bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment) {
    for (size_t f = 0; f < MAPPING_INSTRUCTIONS; f++) {
        if (index < families[f]->fragment_count)
            return fragment_at(families[f], index, fragment);
        index -= families[f]->fragment_count;
    }
    return false;
}

/* ---- Finding ---- */

static bool has_shape(const struct fragment_group *group, struct mapping_shape shape) {
    return group->shape.m == shape.m && group->shape.k == shape.k &&
           (group->widths ? mapping_widths_have(group->widths, shape.n)
                          : group->shape.n == shape.n);
}

static bool has_fragment(const struct fragment_row *row, const struct mapping_fragment *wanted) {
    return row->operands >> wanted->operand & 1 && row->types >> wanted->type & 1 &&
           (row->orders ? row->orders >> wanted->order & 1 : wanted->order == MAPPING_NO_ORDER) &&
           row->is_transposed == wanted->is_transposed && row->scale_vector == wanted->scale_vector;
}

bool mapping_fragment_find(const struct mapping_fragment *wanted,
                           struct mapping_fragment *fragment) {
    const struct family *family = families[wanted->instruction];
    const struct choice choice = {.operand = wanted->operand,
                                  .type = wanted->type,
                                  .order = wanted->order,
                                  .n = wanted->shape.n};
    for (const struct fragment_group *group = family->groups;
         group < family->groups + family->group_count; group++) {
        if (!has_shape(group, wanted->shape))
            continue;
        for (const struct fragment_row *row = group->rows; row->operands; row++) {
            if (has_fragment(row, wanted)) {
                *fragment = make(family, group, row, &choice);
                return true;
            }
        }
    }
    return false;
}

/* ---- Questions ---- */

const char *mapping_fragment_variant(const struct mapping_fragment *fragment) {
    static const char *const orders[] = {
        [MAPPING_NO_ORDER] = "", [MAPPING_ROW_MAJOR] = "row", [MAPPING_COL_MAJOR] = "col"};
    static const char *const vectors[] = {[1] = "1x", [2] = "2x", [4] = "4x"};
    if (fragment->scale_vector)
        return vectors[fragment->scale_vector];
    return fragment->is_transposed ? "trans" : orders[fragment->order];
}

void mapping_fragment_spaces(const struct mapping_fragment *fragment, struct mapping_space *from,
                             struct mapping_space *to) {
    *from = (struct mapping_space){
        .count = 2,
        .axis = {{MAPPING_AXIS_TID, fragment->threads}, {MAPPING_AXIS_I, fragment->elements}}};
    *to = (struct mapping_space){.count = 0};
    if (fragment->blocks > 1)
        to->axis[to->count++] = (struct mapping_axis){MAPPING_AXIS_BLOCK, fragment->blocks};
    to->axis[to->count++] = (struct mapping_axis){MAPPING_AXIS_ROW, fragment->rows};
    to->axis[to->count++] = (struct mapping_axis){MAPPING_AXIS_COL, fragment->cols};
}

const char *mapping_fragment_copy_axis(const struct mapping_fragment *fragment) {
    return fragment->operand == MAPPING_E ? MAPPING_AXIS_SELECTOR : MAPPING_AXIS_COPY;
}

uint32_t mapping_fragment_copies(const struct mapping_fragment *fragment) {
    return fragment->threads * fragment->elements /
           (fragment->blocks * fragment->rows * fragment->cols);
}

enum mapping_status mapping_fragment_state(const struct mapping_fragment *fragment,
                                           struct mapping_layout *layout,
                                           struct mapping_error *error) {
    struct mapping_space from, to;
    if (!fragment->bases) {
        char name[MAPPING_NAME_SIZE];
        *layout = (struct mapping_layout){.from.count = 0};
        mapping_fragment_name(fragment, name);
        return mapping_fail(error, MAPPING_INVALID, "the PTX ISA does not specify %s", name);
    }
    mapping_fragment_spaces(fragment, &from, &to);
    return mapping_layout_state(layout, &from, &to, fragment->bases, error);
}

bool mapping_fragment_equal(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    return a->instruction == b->instruction && a->shape.m == b->shape.m &&
           a->shape.n == b->shape.n && a->shape.k == b->shape.k && a->operand == b->operand &&
           a->order == b->order && a->is_transposed == b->is_transposed &&
           a->scale_vector == b->scale_vector && a->type == b->type;
}

bool mapping_fragment_on(const struct mapping_fragment *fragment, unsigned arch) {
    return fragment->since <= arch && (fragment->until == 0 || arch <= fragment->until);
}
