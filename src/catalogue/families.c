/* families.c - the table of families; makes fragments from the rows of the families. */
#include "catalogue/family.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <string.h>

#define ADDRESS(constant, object) &(object),
static const struct family *const families[] = {MAPPING_FAMILIES(ADDRESS)};
#undef ADDRESS

/* A text for every set of the projects that have the same layout. */
#define CUTLASS_4 "CUTLASS 4.2"
#define TRITON_3 "Triton 3.6"
#define JAX_0 "JAX 0.10"
#define TVM_0 "TVM 0.27"

static const char *const who_agrees[] = {
    NULL,
    CUTLASS_4,
    TRITON_3,
    CUTLASS_4 ", " TRITON_3,
    JAX_0,
    CUTLASS_4 ", " JAX_0,
    TRITON_3 ", " JAX_0,
    CUTLASS_4 ", " TRITON_3 ", " JAX_0,
    TVM_0,
    CUTLASS_4 ", " TVM_0,
    TRITON_3 ", " TVM_0,
    CUTLASS_4 ", " TRITON_3 ", " TVM_0,
    JAX_0 ", " TVM_0,
    CUTLASS_4 ", " JAX_0 ", " TVM_0,
    TRITON_3 ", " JAX_0 ", " TVM_0,
    CUTLASS_4 ", " TRITON_3 ", " JAX_0 ", " TVM_0,
};

const struct family *mapping_family(enum mapping_instruction instruction) {
    return families[instruction];
}

/* ---- The properties of an instruction ---- */

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

bool mapping_instruction_loads(enum mapping_instruction instruction) {
    return families[instruction]->loads;
}

enum mapping_instruction mapping_instruction_dense(enum mapping_instruction instruction) {
    return families[instruction]->is_sparse ? families[instruction]->dense : instruction;
}

bool mapping_instruction_find_sparse(enum mapping_instruction dense,
                                     enum mapping_instruction *sparse) {
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++)
        if (families[i]->is_sparse && families[i]->dense == dense) {
            *sparse = (enum mapping_instruction)i;
            return true;
        }
    return false;
}

const char *mapping_instruction_operands(enum mapping_instruction instruction, bool is_sass,
                                         bool is_scaled) {
    const struct family *family = families[instruction];
    return is_sass && is_scaled && family->scaled_sass_operands ? family->scaled_sass_operands
           : is_sass && family->sass_operands                   ? family->sass_operands
                                                                : family->ptx_operands;
}

const char *mapping_fragment_letter(const struct mapping_fragment *fragment) {
    const struct lane_layout *letters = families[fragment->instruction]->letters;
    for (int l = 0; l < LANE_LAYOUTS_MAX && fragment->operand == MAPPING_D; l++)
        if (letters[l].m > 0 && letters[l].m == fragment->shape.m)
            return letters[l].name;
    return NULL;
}

enum instruction_form mapping_instruction_form(enum mapping_instruction instruction) {
    return families[instruction]->form;
}

/* ---- Fragments from rows ---- */

static uint32_t or_one(uint32_t number) {
    return number ? number : 1;
}

/* Sets rows and columns. A sparse A and its metadata have K / 2 columns. */
static void set_size(const struct family *family, const struct fragment_group *group,
                     const struct fragment_row *row, struct mapping_fragment *fragment) {
    const struct mapping_shape shape = fragment->shape;
    uint32_t depth = family->is_sparse ? shape.k / 2U : shape.k;
    fragment->rows = group->has_rows_of_m ? shape.n : shape.m;
    fragment->cols = group->has_rows_of_m ? shape.m : shape.n;
    switch (fragment->operand) {
    case MAPPING_A: /* for movmatrix, k is the number of matrices, and A is one of them */
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

/* Sets the threads and registers of a fragment. */
static void set_registers(const struct fragment_row *row, struct mapping_fragment *fragment) {
    uint32_t held = fragment->blocks * fragment->rows * fragment->cols * or_one(row->copies);
    if (fragment->operand == MAPPING_P) /* one thread for each address */
        fragment->threads = held;
    fragment->elements = fragment->operand == MAPPING_P ? 1 : held / fragment->threads;
    fragment->registers = fragment->elements * fragment->bits / 32;
}

/* Sets the columns of Tensor Memory that the operand uses; the name of a load or store has the
 * lanes and the bits. */
static void set_columns(const struct family *family, const struct fragment_row *row, uint16_t n,
                        struct mapping_fragment *fragment) {
    fragment->place = family->place;
    fragment->columns =
        row->columns ? row->columns : (n + or_one(row->divided) - 1) / or_one(row->divided);
    fragment->choices = or_one(row->choices);
    fragment->has_bit = row->has_bit;
    fragment->in_memory = or_one(row->copies);
    if (family->shape_style == SHAPE_LANES_ONCE)
        fragment->cols = fragment->columns * MAPPING_COLUMN_BITS / fragment->bits;
    if (family->place == MAPPING_IN_TENSOR_MEMORY)
        return;
    fragment->columns = (uint32_t)row->columns * fragment->shape.k;
    fragment->rows = fragment->shape.m;
    fragment->cols = fragment->columns;
    fragment->in_memory = 1;
    set_registers(row, fragment);
}

/* Adds the remarks of the family. */
static void remark(const struct family *family, uint8_t agrees, struct mapping_fragment *fragment) {
    const unsigned depth = family->is_sparse ? fragment->shape.k / 2U : fragment->shape.k;
    for (size_t r = 0; r < family->remark_count; r++) {
        const struct fragment_remark *one = &family->remarks[r];
        if ((one->instructions && !(one->instructions >> fragment->instruction & 1)) ||
            (one->operands && !(one->operands >> fragment->operand & 1)) ||
            (one->m && !(one->m & fragment->shape.m)) ||
            (one->n && !(one->n & fragment->shape.n)) ||
            (one->depths && !(one->depths >> depth / 8 & 1)) ||
            (one->types && !(one->types >> fragment->type & 1)))
            continue;
        agrees |= one->agrees;
        fragment->note = fragment->note ? fragment->note : one->note;
    }
    fragment->agrees = who_agrees[agrees];
}

/* Makes the fragment of a row with the shape, operand, type and order of `wanted`. */
static struct mapping_fragment make(const struct family *family, const struct fragment_group *group,
                                    const struct fragment_row *row,
                                    const struct mapping_fragment *wanted) {
    struct mapping_fragment fragment = {
        .instruction = family->instruction,
        .shape = {group->shape.m, row->omits_n ? 0 : wanted->shape.n, wanted->shape.k},
        .operand = wanted->operand,
        .order = wanted->order,
        .is_transposed = row->is_transposed,
        .scale_vector = row->scale_vector,
        .type = wanted->type,
        .bits = row->bits ? row->bits : mapping_type_bits(wanted->type),
        .blocks = or_one(group->blocks),
        .threads = family->threads,
        .lanes = MAPPING_WARP,
        .since = group->since,
        .until = group->until,
        .except = group->except,
        .suffix = group->suffix,
        .ptx = row->ptx ? row->ptx : group->ptx,
        .section = row->section ? row->section : group->section,
        .bases = row->bases,
        .reported = row->reported,
        .form = row->form,
        .ctas = or_one(family->ctas),
        .widths = family->lists_widest ? group->widths : NULL,
        .note = row->note,
    };
    remark(family, row->agrees, &fragment);
    set_size(family, group, row, &fragment);
    if (family->place == MAPPING_IN_REGISTERS)
        set_registers(row, &fragment);
    else
        set_columns(family, row, wanted->shape.n, &fragment);
    return fragment;
}

/* ---- Listing ---- */

/* The number of fragments of a row that are listed: one for each width, or only the widest. */
static size_t count_fragments(const struct family *family, const struct fragment_group *group,
                              const struct fragment_row *row) {
    return mapping_set_size(row->operands) * mapping_set_size(row->types) *
           mapping_set_choices(row->orders) * mapping_widths_count(group->counts) *
           (family->lists_widest ? 1 : mapping_widths_count(group->widths));
}

/* Makes the fragment at `index` of a row. Widths run fastest, then counts, orders, types, operands.
 */
static struct mapping_fragment choose(const struct family *family,
                                      const struct fragment_group *group,
                                      const struct fragment_row *row, size_t index) {
    const struct mapping_widths *widths = group->widths;
    const uint16_t n = widths && family->lists_widest
                           ? widths->n[widths->count - 1]
                           : mapping_widths_take(widths, group->shape.n, &index),
                   k = mapping_widths_take(group->counts, group->shape.k, &index);
    const int order = mapping_set_take(row->orders, &index),
              type = mapping_set_take(row->types, &index),
              operand = mapping_set_take(row->operands, &index);
    return (struct mapping_fragment){
        .operand = (enum mapping_operand)operand,
        .type = (enum mapping_type)type,
        .order = (enum mapping_order)order,
        .shape.n = n,
        .shape.k = k,
    };
}

/* Advances the cursor to the first row that still has fragments, beginning with its own, and
 * returns the number of fragments of this row; 0 at the end. Groups of earlier layouts list
 * nothing, because a later group lists their fragments. */
static size_t find_row(struct mapping_cursor *cursor) {
    for (; cursor->family < MAPPING_INSTRUCTIONS; cursor->family++, cursor->group = 0) {
        const struct family *family = families[cursor->family];
        for (; cursor->group < family->group_count; cursor->group++, cursor->row = 0) {
            const struct fragment_group *group = &family->groups[cursor->group];
            for (; !group->layouts_until && group->rows[cursor->row].operands; cursor->row++) {
                const size_t count = count_fragments(family, group, &group->rows[cursor->row]);
                if (cursor->n < count)
                    return count;
                cursor->n = 0;
            }
        }
    }
    return 0;
}

bool mapping_catalogue_next(struct mapping_cursor *cursor, struct mapping_fragment *fragment) {
    if (!find_row(cursor))
        return false;
    const struct family *family = families[cursor->family];
    const struct fragment_group *group = &family->groups[cursor->group];
    const struct fragment_row *row = &group->rows[cursor->row];
    const struct mapping_fragment wanted = choose(family, group, row, cursor->n++);
    *fragment = make(family, group, row, &wanted);
    cursor->passed++;
    return true;
}

/* A cursor before the first fragment of an instruction. */
static struct mapping_cursor start_of(enum mapping_instruction instruction) {
    struct mapping_cursor cursor = {.family = 0};
    for (size_t count; (count = find_row(&cursor)) && cursor.family < instruction;
         cursor.passed += count)
        cursor.n = (uint32_t)count;
    return cursor;
}

bool mapping_catalogue_next_of(struct mapping_cursor *cursor, enum mapping_instruction instruction,
                               struct mapping_fragment *fragment) {
    if (cursor->family < instruction)
        *cursor = start_of(instruction);
    return mapping_catalogue_next(cursor, fragment) && fragment->instruction == instruction;
}

bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment) {
    struct mapping_cursor cursor = {.family = 0};
    for (size_t count; (count = find_row(&cursor)) && index >= count; index -= count)
        cursor.n = (uint32_t)count;
    cursor.n = (uint32_t)index;
    return mapping_catalogue_next(&cursor, fragment);
}

/* ---- Finding ---- */

/* True if the group has the shape. n may be 0 if names do not contain it. */
static bool has_shape(const struct fragment_group *group, const struct fragment_row *row,
                      struct mapping_shape shape) {
    return group->shape.m == shape.m &&
           mapping_widths_have(group->counts, group->shape.k, shape.k) &&
           (mapping_widths_have(group->widths, group->shape.n, shape.n) ||
            (row->omits_n && shape.n == 0));
}

static bool has_form(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has_fragment(const struct fragment_row *row, const struct mapping_fragment *wanted) {
    return row->operands >> wanted->operand & 1 && row->types >> wanted->type & 1 &&
           (row->orders ? row->orders >> wanted->order & 1 : wanted->order == MAPPING_NO_ORDER) &&
           row->is_transposed == wanted->is_transposed &&
           row->scale_vector == wanted->scale_vector && has_form(row->form, wanted->form);
}

bool mapping_fragment_find(const struct mapping_fragment *wanted, unsigned arch,
                           struct mapping_fragment *fragment) {
    const struct family *family = families[wanted->instruction];
    for (const struct fragment_group *group = family->groups;
         group < family->groups + family->group_count; group++) {
        if (group->layouts_until && (arch == 0 || arch > group->layouts_until))
            continue;
        for (const struct fragment_row *row = group->rows; row->operands; row++) {
            if (has_shape(group, row, wanted->shape) && has_fragment(row, wanted)) {
                *fragment = make(family, group, row, wanted);
                return arch == 0 || mapping_fragment_on(fragment, arch);
            }
        }
    }
    return false;
}

/* ---- Questions ---- */

const char *mapping_fragment_variant(const struct mapping_fragment *fragment) {
    static const char *const orders[] = {
        [MAPPING_NO_ORDER] = "", [MAPPING_ROW_MAJOR] = "row", [MAPPING_COL_MAJOR] = "col"};
    static const char *const vectors[] = {
        [1] = "1x", [2] = "2x", [3] = "3x", [4] = "4x", [6] = "6x"};
    if (fragment->form)
        return fragment->form;
    if (fragment->scale_vector)
        return vectors[fragment->scale_vector];
    return fragment->is_transposed ? "trans" : orders[fragment->order];
}

static void add_axis(struct mapping_space *space, const char *name, uint32_t size) {
    space->axis[space->count++] = (struct mapping_axis){name, size};
}

/* The spaces of operands in Tensor Memory. */
static void tensor_memory_spaces(const struct mapping_fragment *fragment,
                                 struct mapping_space *from, struct mapping_space *to) {
    add_axis(from, MAPPING_AXIS_ROW, fragment->rows);
    add_axis(from, MAPPING_AXIS_COL, fragment->cols);
    if (fragment->in_memory > 1)
        add_axis(from, MAPPING_AXIS_COPY, fragment->in_memory);
    if (fragment->choices > 1)
        add_axis(from, fragment->operand == MAPPING_E ? MAPPING_AXIS_SELECTOR : MAPPING_AXIS_ID,
                 fragment->choices);
    if (fragment->ctas > 1)
        add_axis(to, MAPPING_AXIS_CTA, fragment->ctas);
    add_axis(to, MAPPING_AXIS_LANE, MAPPING_LANES);
    add_axis(to, MAPPING_AXIS_COLUMN, fragment->columns);
    if (fragment->has_bit)
        add_axis(to, MAPPING_AXIS_BIT, MAPPING_COLUMN_BITS);
}

void mapping_fragment_spaces(const struct mapping_fragment *fragment, struct mapping_space *from,
                             struct mapping_space *to) {
    *from = *to = (struct mapping_space){.count = 0};
    if (fragment->place == MAPPING_IN_TENSOR_MEMORY) {
        tensor_memory_spaces(fragment, from, to);
        return;
    }
    bool is_across = fragment->place == MAPPING_ACROSS;
    add_axis(from, MAPPING_AXIS_TID, fragment->threads);
    add_axis(from, MAPPING_AXIS_I, fragment->elements);
    if (fragment->blocks > 1)
        add_axis(to, MAPPING_AXIS_BLOCK, fragment->blocks);
    add_axis(to, is_across ? MAPPING_AXIS_LANE : MAPPING_AXIS_ROW, fragment->rows);
    add_axis(to, is_across ? MAPPING_AXIS_COLUMN : MAPPING_AXIS_COL, fragment->cols);
}

const char *mapping_fragment_copy_axis(const struct mapping_fragment *fragment) {
    return fragment->operand == MAPPING_E && fragment->place == MAPPING_IN_REGISTERS
               ? MAPPING_AXIS_SELECTOR
               : MAPPING_AXIS_COPY;
}

uint32_t mapping_fragment_copies(const struct mapping_fragment *fragment) {
    if (fragment->place == MAPPING_IN_TENSOR_MEMORY)
        return fragment->in_memory;
    const uint32_t places = fragment->blocks * fragment->rows * fragment->cols;
    return places > 0 ? fragment->threads * fragment->elements / places : 0;
}

/* ---- Names: wmma.m16n16k16.a.row.f16 ---- */

/* Appends a text at `end` and returns the new end. For the more than a thousand names of a list,
 * snprintf would take half of the time. */
static char *append(char *end, const char *text) {
    size_t length = strlen(text);
    memcpy(end, text, length + 1);
    return end + length;
}

/* Appends a letter and a size of at most five digits. */
static char *append_size(char *end, char letter, unsigned size) {
    char digits[6], *first = digits + sizeof digits - 1;
    *first = '\0';
    do {
        *--first = (char)('0' + size % 10);
        size /= 10;
    } while (size > 0);
    *end++ = letter;
    return append(end, first);
}

/* Appends the shape in the style of the family. */
static char *append_shape(char *end, const struct mapping_fragment *fragment) {
    const struct mapping_shape shape = fragment->shape;
    const enum shape_style style = mapping_family(fragment->instruction)->shape_style;
    if (style == SHAPE_LANES || style == SHAPE_LANES_ONCE) {
        char lanes[LANES_TEXT];
        mapping_lanes_text(shape, lanes);
        end = append(end, lanes);
        return style == SHAPE_LANES ? append_size(append(end, "."), 'x', shape.k) : end;
    }
    end = append_size(end, 'm', shape.m);
    if (shape.n > 0)
        end = append_size(end, 'n', shape.n);
    switch (style) {
    case SHAPE_LANES:
    case SHAPE_LANES_ONCE:
    case SHAPE_MNK:
        return append_size(end, 'k', shape.k);
    case SHAPE_MN:
        return end;
    case SHAPE_MN_COUNT:
        return append_size(append(end, "."), 'x', shape.k);
    }
    return end;
}

void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]) {
    const char *variant = mapping_fragment_variant(fragment);
    char *end = append(name, mapping_instruction_name(fragment->instruction));
    end = append_shape(append(end, "."), fragment);
    end = append(append(end, "."), mapping_operand_name(fragment->operand));
    if (*variant)
        end = append(append(end, "."), variant);
    append(append(end, "."), mapping_type_name(fragment->type));
}

/* ---- Layouts ---- */

/* If K is 96, an instruction uses 3 or 6 of the 8 scale factors in two groups of columns, starting
 * at its ID. Makes the layout of these factors from the layout of all 8. */
static void take_factors(const struct mapping_fragment *fragment, const struct mapping_layout *all,
                         struct mapping_layout *layout) {
    const int factor = fragment->operand == MAPPING_SFA ? 1 : 0, /* of the column, or row */
        id = mapping_space_find(&layout->from, MAPPING_AXIS_ID);
    const uint32_t step = 4 / fragment->choices;
    for (size_t n = 0, entries = mapping_layout_entries(layout); n < entries; n++) {
        uint32_t point[MAPPING_AXES_MAX];
        mapping_space_point(&layout->from, n, point);
        point[factor] += step * point[id]; /* the ID is the last axis, and not an axis of `all` */
        const size_t taken = mapping_space_number(&all->from, point);
        for (uint32_t c = 0; c < layout->to.count; c++)
            layout->coordinate[c][n] = all->coordinate[c][taken];
    }
}

/* Makes the layout of such a fragment from the bases of all 8 factors. */
static enum mapping_status state_factors(const struct mapping_fragment *fragment,
                                         struct mapping_layout *layout,
                                         struct mapping_error *error) {
    enum { FACTORS = 8 };
    struct mapping_fragment of_all = *fragment;
    struct mapping_layout all;
    struct mapping_space from, to;
    of_all.choices = 1;
    *(fragment->operand == MAPPING_SFA ? &of_all.cols : &of_all.rows) = FACTORS;
    mapping_fragment_spaces(&of_all, &from, &to);
    enum mapping_status status = mapping_layout_state(&all, &from, &to, fragment->bases, error);
    if (status != MAPPING_OK) {
        *layout = (struct mapping_layout){.from.count = 0};
        return status;
    }
    mapping_fragment_spaces(fragment, &from, &to);
    status = mapping_layout_init(layout, &from, &to, error);
    if (status == MAPPING_OK)
        take_factors(fragment, &all, layout);
    mapping_layout_free(&all);
    return status;
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
    if (fragment->scale_vector == 3 || fragment->scale_vector == 6)
        return state_factors(fragment, layout, error);
    mapping_fragment_spaces(fragment, &from, &to);
    return mapping_layout_state(layout, &from, &to, fragment->bases, error);
}

/* True if both are equal, or differ only in a width n of which only one is listed. */
static bool are_alike(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    return a->instruction == b->instruction && a->shape.m == b->shape.m &&
           (a->shape.n == b->shape.n || (a->widths && a->widths == b->widths)) &&
           a->shape.k == b->shape.k && a->operand == b->operand && a->order == b->order &&
           a->is_transposed == b->is_transposed && a->scale_vector == b->scale_vector &&
           has_form(a->form, b->form) && a->type == b->type;
}

bool mapping_fragment_equal(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    return are_alike(a, b) && a->shape.n == b->shape.n;
}

size_t mapping_fragment_index(const struct mapping_fragment *fragment) {
    struct mapping_fragment other;
    struct mapping_cursor at = start_of(fragment->instruction);
    while (mapping_catalogue_next(&at, &other) && !are_alike(&other, fragment))
        continue;
    return at.passed - 1;
}

bool mapping_fragment_on(const struct mapping_fragment *fragment, unsigned arch) {
    return mapping_arch_is_within(arch, fragment->since, fragment->until, fragment->except);
}

void mapping_targets_text(const struct mapping_fragment *fragment, uint32_t archs,
                          const char *between, char text[TARGETS_TEXT]) {
    *text = '\0';
    for (size_t a = 0; mapping_arch_at(a); a++) {
        const unsigned arch = mapping_arch_at(a)->number;
        if (!(archs >> a & 1) || !mapping_fragment_on(fragment, arch))
            continue;
        for (const char *l = mapping_target_letters(fragment->suffix, arch); *l; l++)
            mapping_append(text, TARGETS_TEXT, "%ssm_%u%c", *text ? between : "", arch, *l);
    }
}
