/* equality.c - compares two layouts; see equality.h.
 *
 * It compares all entries, and then explains a difference: by the permutation that maps one layout
 * to the other, or, for scale factors, by a condition on their sizes. To find the condition, it
 * compares the layouts in many sizes. */
#include "report/equality.h"

#include "report/smem_report.h"
#include "system/system.h"

#include <string.h>

/* ---- Spaces ---- */

static const char *space_text(const struct mapping_space *space) {
    struct printer to = {.text = NULL};
    for (uint32_t a = 0; a < space->count; a++)
        print(&to, "%s%u %s", a ? " x " : "", space->axis[a].size,
              mapping_axis_plural(space->axis[a].name));
    return printer_string(&to);
}

/* True if both have one number for each element, and one is a table of the user, whose column of
 * offsets may have any name. */
static bool has_one_number(const struct report *one, const struct report *other) {
    return one->forward.layout.to.count == 1 && other->forward.layout.to.count == 1 &&
           (one->is_of_file || other->is_of_file);
}

static enum mapping_status check_spaces(const struct report *one, const struct report *other,
                                        struct mapping_error *error) {
    const struct mapping_layout *a = &one->forward.layout, *b = &other->forward.layout;
    if (!mapping_space_alike(&a->from, &b->from) ||
        (!mapping_space_alike(&a->to, &b->to) && !has_one_number(one, other))) {
        const bool is_tv = (one->has_fragment || other->has_fragment) && (one->smem || other->smem);
        return mapping_fail(error, MAPPING_INVALID, "%.100s and %.100s cannot be compared: %s",
                            one->name, other->name,
                            is_tv ? "one is a fragment, the other a matrix in memory; to compare a "
                                    "fragment with a TV layout, use FRAGMENT --verify=LAYOUT"
                                  : "their axes differ");
    }
    if (!mapping_space_equal(&a->from, &b->from))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s has %s, but %.100s has %s; both need the same size%s",
                            one->name, space_text(&a->from), other->name, space_text(&b->from),
                            one->smem ? " (--extent)" : "");
    return MAPPING_OK;
}

/* ---- Permutations ---- */

/* The maximum number of terms in a formula of an explanation. */
enum { SIMPLE_TERMS = 10 };

/* Writes "offset = ...", the formula for these values; false if there is no simple one. */
static bool add_move(struct equality *equality, const struct mapping_space *from,
                     const uint32_t *values, const char *axis) {
    struct mapping_formula formula;
    if (!mapping_deduce(from, values, &formula) || formula.first[from->count] > SIMPLE_TERMS)
        return false;
    strings_add(&equality->moves, memory_format("%s = %s", axis, factored_formula(from, values)));
    return true;
}

/* Collects the offsets of the same elements in both layouts; for scale factors, also of the padding
 * of both. Returns the number of offsets of the first layout, or 0 if the second layout has fewer.
 */
static uint32_t collect_offsets(const struct equality *equality, uint32_t *offsets[2]) {
    const struct mapping_scales *scales[2] = {NULL, NULL};
    const uint32_t count = equality->sides[0]->forward.layout.to.axis[0].size;
    for (int side = 0; side < 2; side++) {
        const struct smem_report *smem = equality->sides[side]->smem;
        offsets[side] = equality->sides[side]->forward.layout.coordinate[0];
        scales[side] = smem && smem->scales.kind ? &smem->scales : NULL;
    }
    if (count == equality->entries)
        return count;
    if (!scales[0] || !scales[1] || scales[0]->padded[0] > scales[1]->padded[0] ||
        scales[0]->padded[1] > scales[1]->padded[1])
        return 0;
    for (int side = 0; side < 2; side++) {
        struct mapping_cute cute = scales[side]->cute;
        offsets[side] = memory_get(count, sizeof **offsets);
        for (uint32_t n = 0; n < count; n++)
            offsets[side][n] = mapping_modes_at(&cute.axis[0], n / scales[0]->padded[1]) +
                               mapping_modes_at(&cute.axis[1], n % scales[0]->padded[1]);
    }
    return count;
}

/* Finds a formula for the offset in one buffer as a function of the offset in the other. */
static void find_offset_move(struct equality *equality) {
    uint32_t *offsets[2];
    const uint32_t count = equality->is_in_bytes ? 0 : collect_offsets(equality, offsets);
    if (count == 0)
        return;
    const struct mapping_space from = {1, {{MAPPING_AXIS_OFFSET, count}}};
    uint32_t *values = memory_get(count, sizeof *values), met = 0;
    memset(values, 0xff, count * sizeof *values);
    for (uint32_t n = 0; n < count; n++) {
        if (offsets[0][n] >= count)
            break; /* a table may leave some offsets out */
        met += values[offsets[0][n]] == UINT32_MAX;
        values[offsets[0][n]] = offsets[1][n];
    }
    if (met == count)
        add_move(equality, &from, values, MAPPING_AXIS_OFFSET);
    mapping_free(values);
}

/* Finds a formula for the holder of an element in the other fragment, if each element is held once.
 */
static void find_holder_move(struct equality *equality) {
    const struct mapping_layout *one = &equality->sides[0]->forward.layout,
                                *other = &equality->sides[1]->forward.layout;
    const size_t points = mapping_space_size(&other->to);
    if (points != equality->entries || !mapping_space_equal(&one->to, &other->to))
        return;
    uint32_t *holder = memory_get(points, sizeof *holder);
    uint32_t *values = memory_get(points, sizeof *values), point[MAPPING_AXES_MAX];
    memset(holder, 0xff, points * sizeof *holder);
    for (size_t n = 0; n < points; n++)
        holder[mapping_layout_target(other, n)] = (uint32_t)n;
    bool is_found = true;
    for (uint32_t axis = 0; axis < one->from.count && is_found; axis++) {
        for (size_t n = 0; n < points && is_found; n++) {
            const uint32_t held = holder[mapping_layout_target(one, n)];
            is_found = held != UINT32_MAX;
            mapping_space_point(&other->from, is_found ? held : 0, point);
            values[n] = point[axis];
        }
        is_found = is_found && add_move(equality, &one->from, values, one->from.axis[axis].name);
    }
    if (!is_found)
        equality->moves.count = 0;
    mapping_free(values);
    mapping_free(holder);
}

/* ---- Conditions on sizes ---- */

/* A size, with rows along M or N and columns along K, and whether both layouts are equal for this
 * size. */
struct trial {
    uint32_t size[2];
    bool is_equal;
};

enum { TRIALS_MAX = 512 };

/* Makes the layout of one side for another size. False if its size is fixed, as for (64,64):(64,1),
 * or it does not exist in this size. */
static bool resize(const struct report *side, const uint32_t size[2], bool is_turned,
                   struct mapping_smem_matrix *resized) {
    const struct mapping_smem_matrix_request wanted = {
        .text = side->name,
        .bits = side->smem->bits,
        .extent = {size[is_turned], size[!is_turned]},
        .is_k_by_mn = is_turned};
    struct mapping_error ignored;
    const struct mapping_axis *axis = resized->layout.from.axis;
    return mapping_smem_matrix_make(&wanted, resized, &ignored) == MAPPING_OK &&
           resized->layout.from.count == 2 && axis[is_turned].size == size[0] &&
           axis[!is_turned].size == size[1];
}

/* True if rows are along K, columns along M or N. */
static bool is_turned(const struct equality *equality) {
    return equality->sides[0]->smem->scales.is_turned || equality->sides[1]->smem->scales.is_turned;
}

/* Compares the layouts in sizes around the multiples to which layouts pad. */
static size_t try_sizes(const struct equality *equality, struct trial trials[TRIALS_MAX]) {
    static const uint32_t rows[] = {1,  2,  3,  4,   5,   7,   8,   9,   12,  15,  16,  31, 32,
                                    33, 40, 64, 127, 128, 129, 130, 132, 136, 160, 256, 257},
                          cols[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17};
    const uint64_t bits[2] = {equality->sides[0]->smem->bits, equality->sides[1]->smem->bits};
    size_t count = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
            struct trial trial = {{rows[r], cols[c]}, true};
            struct mapping_smem_matrix sides[2] = {{.bits = 0}, {.bits = 0}};
            bool exists = true;
            for (int s = 0; s < 2 && exists; s++) {
                exists = resize(equality->sides[s], trial.size, is_turned(equality), &sides[s]);
                if (!exists && !equality->sides[s]->smem->scales.kind)
                    return 0; /* too few sizes to find a condition */
            }
            for (size_t n = 0; n < (size_t)rows[r] * cols[c] && exists && trial.is_equal; n++)
                trial.is_equal = sides[0].layout.coordinate[0][n] * bits[0] ==
                                 sides[1].layout.coordinate[0][n] * bits[1];
            if (exists)
                trials[count++] = trial;
            for (int s = 0; s < 2; s++)
                mapping_smem_matrix_free(&sides[s]);
        }
    return count;
}

/* A condition on the number of rows (axis 0) or columns: it is a multiple of a number, it is at
 * most a number, or padding to this number and to twice this number has the same result. */
struct atom {
    enum { MULTIPLE, AT_MOST, PADDED_ALIKE, KINDS } kind;
    uint32_t axis, number;
};

static bool holds(const struct atom *atom, const struct trial *trial) {
    const uint32_t size = trial->size[atom->axis], number = atom->number;
    return atom->kind == MULTIPLE  ? size % number == 0
           : atom->kind == AT_MOST ? size <= number
                                   : (size - 1) % (2 * number) >= number;
}

static const char *atom_text(const struct atom *atom, bool is_turned) {
    const char *name = atom->axis == is_turned ? "rows" : "cols";
    return memory_format(atom->kind == MULTIPLE       ? "%s %% %u == 0"
                         : atom->kind == PADDED_ALIKE ? "(%s - 1) %% %u >= %u"
                         : atom->number == 1          ? "%s == 1"
                                                      : "%s <= %u",
                         name, atom->kind == PADDED_ALIKE ? 2 * atom->number : atom->number,
                         atom->number);
}

static uint32_t make_atoms(struct atom atoms[64]) {
    uint32_t count = 0;
    for (uint32_t kind = MULTIPLE; kind < KINDS; kind++)
        for (uint32_t axis = 0; axis < 2; axis++)
            for (uint32_t number = kind == AT_MOST ? 1 : 2; number <= (axis == 0 ? 256 : 16);
                 number *= 2)
                atoms[count++] = (struct atom){kind, axis, number};
    return count;
}

/* True if the first condition, combined with the second by and / or, is true exactly for the sizes
 * at which both layouts are equal. */
static bool explains(const struct atom *one, const struct atom *other, bool is_or,
                     const struct trial *trials, size_t count) {
    for (size_t t = 0; t < count; t++) {
        const bool a = holds(one, &trials[t]), b = holds(other, &trials[t]);
        if ((is_or ? a || b : a && b) != trials[t].is_equal)
            return false;
    }
    return true;
}

static char *explain(const struct trial *trials, size_t count, bool is_turned) {
    struct atom atoms[64];
    const uint32_t atom_count = make_atoms(atoms);
    for (uint32_t distance = 0; distance < atom_count; distance++) /* try single conditions first */
        for (uint32_t a = 0; a + distance < atom_count; a++)
            for (int is_or = 0; is_or < 2; is_or++) {
                const struct atom *one = &atoms[a], *other = &atoms[a + distance];
                if (explains(one, other, is_or, trials, count))
                    return memory_format(distance == 0 ? "%s"
                                         : is_or       ? "%s or %s"
                                                       : "%s and %s",
                                         atom_text(one, is_turned), atom_text(other, is_turned));
            }
    return NULL;
}

static void find_condition(struct equality *equality) {
    struct trial *trials = memory_get(TRIALS_MAX, sizeof *trials);
    const size_t count = try_sizes(equality, trials);
    size_t equal = 0;
    for (size_t t = 0; t < count; t++) {
        equal += trials[t].is_equal;
        for (int axis = 0; axis < 2; axis++)
            if (trials[t].size[axis ^ is_turned(equality)] > equality->largest[axis])
                equality->largest[axis] = trials[t].size[axis ^ is_turned(equality)];
    }
    equality->extents = (uint32_t)count;
    if (count > 1 && equal == count)
        equality->condition = memory_text("");
    else if (count > 1)
        equality->condition = explain(trials, count, is_turned(equality));
    mapping_free(trials);
}

/* ---- Comparing ---- */

enum mapping_status equality_find(const struct report *one, const struct report *other,
                                  struct equality *equality, struct mapping_error *error) {
    const struct mapping_layout *layouts[2] = {&one->forward.layout, &other->forward.layout};
    *equality = (struct equality){.sides = {one, other}};
    const enum mapping_status status = check_spaces(one, other, error);
    if (status != MAPPING_OK)
        return status;
    const bool is_memory = one->smem && other->smem;
    equality->is_in_bytes = is_memory && one->smem->bits != other->smem->bits;
    if (equality->is_in_bytes && (one->smem->bits % 8 || other->smem->bits % 8))
        return mapping_fail(error, MAPPING_INVALID,
                            "elements of %u and %u bits cannot be compared; use --type",
                            one->smem->bits, other->smem->bits);
    const uint64_t units[2] = {equality->is_in_bytes ? one->smem->bits / 8 : 1,
                               equality->is_in_bytes ? other->smem->bits / 8 : 1};
    equality->entries = mapping_layout_entries(layouts[0]);
    for (size_t n = 0; n < equality->entries; n++) {
        struct equality_difference found;
        bool is_equal = true;
        for (uint32_t c = 0; c < layouts[0]->to.count; c++) {
            for (int side = 0; side < 2; side++)
                found.target[side][c] = layouts[side]->coordinate[c][n] * units[side];
            is_equal = is_equal && found.target[0][c] == found.target[1][c];
        }
        if (is_equal)
            continue;
        mapping_space_point(&layouts[0]->from, n, found.source);
        if (equality->different < EQUALITY_SHOWN)
            equality->first[equality->different] = found;
        equality->different++;
    }
    for (int side = 0; side < 2 && is_memory; side++)
        equality->bytes[side] = smem_bytes(equality->sides[side]);
    const struct mapping_space *to = &layouts[0]->to;
    if (equality->different > 0 && mapping_space_find(to, MAPPING_AXIS_OFFSET) == 0 &&
        to->count == 1)
        find_offset_move(equality);
    else if (equality->different > 0 && is_of_threads(&layouts[0]->from))
        find_holder_move(equality);
    if (is_memory)
        find_condition(equality);
    return MAPPING_OK;
}
