/* tile.c - a multiplication repeated over threads and values, which is CuTe's TiledMMA; and the
 * layout algebra that it needs.
 *
 * Atoms are placed side by side over threads, in the order of the atom layout. The result is
 * repeated over values until the tile is full. Then a permutation moves each coordinate to its
 * place in the tile. (CUTLASS, include/cute/atom/mma_atom.hpp: make_tiled_mma, thrfrg_A, thrfrg_B,
 * thrfrg_C, tile_size_mnk.) */
#include "layout/cute_layout.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <string.h>

/* ---- Reading ---- */

static const struct mapping_modes one_mode = {1, {1}, {0}};

/* Converts the ThrLayoutVMNK that CuTe prints for a TiledMMA, (_32,_2,_2,_1):(_1,_32,_64,_0), to an
 * atom layout. The first mode of ThrLayoutVMNK is the threads of an atom, and the strides of the
 * others count threads. The threads of a quad pair, (_4,_2):(_1,_16), leave (4,n):(4,32) to the
 * other atoms. False if the layout has another form. */
static bool remove_threads(const struct mapping_modes vmnk[4], struct mapping_modes atoms[3]) {
    const uint32_t threads = mapping_modes_size(&vmnk[0]);
    const bool is_quad_pair = threads == 8;
    if ((!is_quad_pair && threads != 32 && threads != 128) || vmnk[0].stride[0] != 1)
        return false;
    for (int mode = 0; mode < 3; mode++) {
        atoms[mode] = vmnk[1 + mode];
        for (uint32_t m = 0; m < atoms[mode].count; m++) {
            uint32_t *stride = &atoms[mode].stride[m];
            const uint32_t unit = !is_quad_pair ? threads : *stride < 32 ? 4 : 32;
            if (*stride % unit != 0)
                return false;
            *stride = *stride / unit * (unit == 32 && is_quad_pair ? 4 : 1);
        }
    }
    return true;
}

static enum mapping_status read_atoms(const char *text, struct mapping_tiling *tiling,
                                      struct mapping_error *error) {
    unsigned count;
    struct mapping_modes_fault fault = {"there are too many modes", text};
    struct mapping_modes modes[4];
    char shape[104];
    const char *rest = mapping_behind_label(text); /* "ThrLayoutVMNK:" */
    if (strspn(text, "0123456789,_ ") == strlen(text) && strchr(text, ',')) {
        snprintf(shape, sizeof shape, "(%.100s)", text); /* 2,2,1 is short for (2,2,1) */
        rest = shape;
    }
    rest = mapping_modes_read(rest, modes, 4, &count, &fault);
    if (rest && count == 4 && !remove_threads(modes, tiling->atoms))
        rest = NULL;
    if (!rest || *rest)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.80s' is not a valid atom layout in CuTe's notation%s%s; examples: "
                            "(2,2,1):(2,1,0), (2,2)",
                            text, rest ? "" : ": ", rest ? "" : fault.reason);
    for (unsigned mode = 0; mode < 3 && count < 4; mode++)
        tiling->atoms[mode] = mode < count ? modes[mode] : one_mode;
    return MAPPING_OK;
}

/* Reads "_", a number or a layout, with or without parentheses of its own. */
static const char *read_permutation(const char *text, struct mapping_modes *permutation,
                                    struct mapping_modes_fault *fault) {
    unsigned count;
    const char *open = mapping_behind_word(text, "_ Underscore");
    *permutation = (struct mapping_modes){.count = 0};
    const char *value = open ? mapping_behind_word(open, "{}") : NULL;
    if (open && !(*open >= '0' && *open <= '9'))
        return mapping_skip_scopes(value ? value : open);
    text = mapping_skip_scopes(text);
    const char *rest = mapping_modes_read(text, permutation, 0, &count, fault);
    if (*text == '(' && (!rest || !strchr(",)", *rest))) {
        rest = mapping_modes_read(text + 1, permutation, 0, &count, fault);
        if (!rest || *rest != ')')
            return NULL;
        rest = mapping_skip_scopes(rest + 1);
    }
    return rest;
}

/* Reads up to three permutations, separated by commas, and returns the text after them. NULL, with
 * the reason in *fault, if one cannot be read or if a fourth one follows. */
static const char *read_permutations(const char *text, struct mapping_tiling *tiling,
                                     struct mapping_modes_fault *fault) {
    for (unsigned mode = 0; mode < 3; mode++) {
        text = read_permutation(text, &tiling->permutations[mode], fault);
        if (!text || *text != ',')
            return text;
        text++;
    }
    *fault = (struct mapping_modes_fault){"there are more than three, for M, N and K", text};
    return NULL;
}

enum mapping_status mapping_tiling_parse(const char *atom_layout, const char *permutation,
                                         struct mapping_tiling *tiling,
                                         struct mapping_error *error) {
    *tiling = (struct mapping_tiling){.atoms = {one_mode, one_mode, one_mode}};
    enum mapping_status status = atom_layout ? read_atoms(atom_layout, tiling, error) : MAPPING_OK;
    if (status != MAPPING_OK || !permutation)
        return status;
    /* All three may be enclosed in parentheses or a type: (32,32,4), Tile<_32,_32,_4>. */
    const char *start = mapping_skip_scopes(mapping_behind_label(permutation));
    const char *inside = mapping_behind_word(start, MAPPING_TUPLES);
    const char *end = mapping_behind_parentheses(start);
    if (*start == '(' && (!end || *mapping_skip_scopes(end)))
        inside = NULL; /* the parentheses enclose only the first one, as in (4,8):(1,4),32,4 */
    struct mapping_modes_fault fault = {NULL, NULL};
    const char *rest = read_permutations(inside ? inside : start, tiling, &fault);
    const char *reason = rest ? NULL : fault.reason;
    if (rest && inside) {
        rest = mapping_behind_word(rest, inside[-1] == '(' ? ")" : ">");
        const char *value = rest && inside[-1] == '<' ? mapping_behind_word(rest, "{}") : NULL;
        rest = value ? value : rest;
        rest = rest ? mapping_skip_scopes(rest) : NULL;
    }
    if (rest && !*rest)
        return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_INVALID,
        "'%.80s' is not a valid permutation of M, N and K in CuTe's notation%s%s; examples: "
        "((4,4,2):(1,8,4)),32,4 and 32,32,_",
        permutation, reason ? ": " : "", reason ? reason : "");
}

/* ---- Algebra ----
 *
 * The steps are those of include/cute/layout.hpp of CUTLASS 4.2, where the conditions are
 * static_asserts. The conditions do not exclude every case without divisibility: CuTe composes
 * (12,4):(4,1) with 6:8 to (2,3):(32,1), whose values are not those of (12,4):(4,1) at 0, 8, 16,
 * ... Kernels get this result, so it is the result here, too. */

/* Appends a mode. False if there are too many modes, or if numbers become too large. */
static bool append_mode(struct mapping_modes *modes, uint64_t shape, uint64_t stride) {
    if (modes->count == MAPPING_MODES || shape * mapping_modes_size(modes) > INT32_MAX ||
        stride > INT32_MAX / shape)
        return false;
    modes->shape[modes->count] = (uint32_t)shape;
    modes->stride[modes->count++] = (uint32_t)stride;
    return true;
}

/* CuTe's coalesce: the same function with as few modes as possible. */
static struct mapping_modes coalesce(const struct mapping_modes *modes) {
    struct mapping_modes result = {.count = 0};
    for (uint32_t m = 0; m < modes->count; m++) {
        uint32_t last = result.count - 1, shape = modes->shape[m], stride = modes->stride[m];
        if (shape == 1)
            continue;
        if (result.count > 0 && result.shape[last] * (uint64_t)result.stride[last] == stride) {
            result.shape[last] *= shape;
        } else {
            result.shape[result.count] = shape;
            result.stride[result.count++] = stride;
        }
    }
    if (result.count == 0)
        result = (struct mapping_modes){1, {1}, {0}};
    return result;
}

/* CuTe's coalesce_x: as coalesce, but the function stays the same beyond its size, too. There the
 * last mode continues with its stride, even if its shape is 1. */
static struct mapping_modes coalesce_endless(const struct mapping_modes *modes) {
    struct mapping_modes endless = *modes;
    if (endless.shape[endless.count - 1] == 1)
        endless.shape[endless.count - 1] = 2;
    return coalesce(&endless);
}

/* CuTe's composition_impl (include/cute/layout.hpp): composes `modes`, which must be coalesced,
 * with the mode shape:stride, and appends the result. False if its conditions do not hold. */
static bool compose_mode(const struct mapping_modes *modes, uint64_t shape, uint64_t stride,
                         struct mapping_modes *result) {
    uint32_t last = modes->count - 1, before = result->count;
    if (stride == 0)
        return append_mode(result, shape, 0);
    for (uint32_t m = 0; m < last; m++) {
        uint64_t size = modes->shape[m], step = stride * modes->stride[m];
        if (stride % size != 0 && stride > size)
            return false; /* Stride Divisibility Condition */
        uint64_t here = (size + stride - 1) / stride;
        stride = (stride + size - 1) / size;
        if (here == 1 || shape == 1)
            continue;
        here = here < shape ? here : shape;
        if (shape % here != 0 || !append_mode(result, here, step))
            return false; /* Shape Divisibility Condition */
        shape /= here;
    }
    return (shape == 1 && result->count > before) ||
           append_mode(result, shape, stride * modes->stride[last]);
}

/* CuTe's composition: outer(inner(x)). Each mode of inner becomes one or several modes, in order.
 * False if CuTe refuses it: composed with 12:1, (3,8):(8,1) gives (3,4):(8,1), but with 4:1 there
 * is no result, because 3 does not divide 4. */
static bool compose(const struct mapping_modes *outer, const struct mapping_modes *inner,
                    struct mapping_modes *result) {
    const struct mapping_modes flat = coalesce_endless(outer);
    *result = (struct mapping_modes){.count = 0};
    for (uint32_t m = 0; m < inner->count; m++)
        if (!compose_mode(&flat, inner->shape[m], inner->stride[m], result))
            return false;
    return true;
}

/* CuTe's complement: the layout of the numbers below the size of `whole` that begin copies of
 * `modes`, in ascending order; the complement of 4:2 in 16 is (2,2):(1,8). False if CuTe refuses
 * it, as for several modes with the same stride. */
static bool complement_of(const struct mapping_modes *modes, const struct mapping_modes *whole,
                          struct mapping_modes *complement) {
    struct mapping_modes left = *modes, gaps = {.count = 0};
    for (uint32_t m = 0; m < left.count; m++)
        if (left.stride[m] == 0)
            left.shape[m] = 1;
    left = coalesce(&left);
    uint64_t reached = 1;
    for (uint32_t done = 0; left.stride[0] > 0 && done < left.count; done++) {
        uint32_t next = 0; /* the mode with the lowest stride; those that are done have the stride
                              UINT32_MAX */
        for (uint32_t m = 1; m < left.count; m++)
            if (left.stride[m] < left.stride[next])
                next = m;
        if (left.stride[next] < reached ||
            !append_mode(&gaps, left.stride[next] / reached, reached))
            return false; /* CuTe's "Non-injective Layout detected in complement." */
        reached = left.stride[next] * (uint64_t)left.shape[next];
        left.stride[next] = UINT32_MAX;
    }
    /* The number of copies of the part so far that fill the whole, mode by mode. */
    uint64_t rest = 1, reach = reached;
    for (uint32_t m = 0; m < whole->count; m++) {
        uint64_t size = whole->shape[m];
        rest *= (size + reach - 1) / reach;
        reach = (reach + size - 1) / size;
    }
    if (!append_mode(&gaps, rest, reached))
        return false;
    *complement = coalesce(&gaps);
    return true;
}

/* CuTe's logical_divide: the part of `modes` at the arguments that `divisor` gives, and the rest.
 * 16:3 divided by 4:2 is 4:6 and (2,2):(3,24). False if CuTe refuses it. */
static bool divide(const struct mapping_modes *modes, const struct mapping_modes *divisor,
                   struct mapping_modes *part, struct mapping_modes *rest) {
    const struct mapping_modes whole = coalesce(modes);
    struct mapping_modes others;
    return complement_of(divisor, &whole, &others) && compose(modes, divisor, part) &&
           compose(modes, &others, rest);
}

/* ---- Sizes ---- */

/* One of the operand's modes: its size in the tile, and the contributions to the coordinate in the
 * tile of the coordinate in an atom, of the atom's position over threads, and of the number of its
 * repeat over values. */
struct axis {
    unsigned mode;
    uint32_t size;
    struct mapping_modes atom, place, repeat;
};

/* A tiled multiplication. Atoms that differ only along the mode that the operand does not have hold
 * the same elements. */
struct tile {
    const struct mapping_atom *atom;
    uint32_t count[3];              /* the number of atoms side by side, along M, N and K */
    uint32_t threads;               /* the number of threads of an atom */
    struct mapping_modes own;       /* the threads of the first atom */
    struct mapping_modes beside[3]; /* added to the thread for the position of another atom, along
                                       M, N and K */
    struct axis axes[2];            /* rows and columns */
};

static enum mapping_status fail_threads(const struct tile *tile, struct mapping_error *error) {
    const uint32_t atoms = tile->count[0] * tile->count[1] * tile->count[2];
    if (tile->atom->is_quad_pair && atoms % 4 != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "this atom layout has %u atom%s of 8 threads, which do not fill whole "
                            "warps; use a multiple of 4 atoms, such as --atom-layout='(2,2,1)'",
                            atoms, mapping_plural(atoms));
    return mapping_fail(
        error, MAPPING_INVALID,
        "this atom layout leaves some of the threads 0 to %u without an atom; write it without "
        "strides",
        tile->threads * atoms - 1);
}

/* The threads of further atoms are those that the atoms before them do not have: CuTe's
 * tiled_product. */
static enum mapping_status number_threads(const struct mapping_tiling *tiling, struct tile *tile,
                                          struct mapping_error *error) {
    static const struct mapping_modes pair = {2, {4, 2}, {1, 16}};
    const struct mapping_modes whole = {1, {tile->threads}, {1}};
    uint64_t reach = 1;
    for (int mode = 0; mode < 3; mode++)
        for (uint32_t m = 0; m < tiling->atoms[mode].count; m++)
            reach += (tiling->atoms[mode].shape[m] - 1) * (uint64_t)tiling->atoms[mode].stride[m];
    if (reach > MODES_SIZE_MAX)
        return fail_threads(tile, error);
    const struct mapping_modes all = {1, {tile->threads * (uint32_t)reach}, {1}};
    struct mapping_modes others;
    tile->own = tile->atom->is_quad_pair ? pair : whole;
    if (!complement_of(&tile->own, &all, &others))
        return fail_threads(tile, error);
    for (int mode = 0; mode < 3; mode++)
        if (!compose(&others, &tiling->atoms[mode], &tile->beside[mode]))
            return fail_threads(tile, error);
    return MAPPING_OK;
}

/* CuTe divides an atom into the modes of its threads and values. If these and the size are powers
 * of two, this changes nothing. But N of wgmma need not be a power of two (CLayout_64xN of
 * include/cute/atom/mma_traits_sm90_gmma.hpp). */
static bool take_apart(uint32_t size, struct mapping_modes *atom) {
    const struct mapping_modes digits = {3, {2, 4, size / 8}, {1, 2, 8}};
    const struct mapping_modes whole = *atom;
    bool is_power = (size & (size - 1)) == 0;
    return is_power || size % 8 != 0 || compose(&whole, &digits, atom);
}

/* Divides the tile by the permutation, the result by the atom, and the rest of that by the number
 * of atoms side by side. False if CuTe refuses this. */
static bool divide_axis(const struct mapping_tiling *tiling, const struct tile *tile,
                        struct axis *axis) {
    const struct mapping_modes whole = {1, {axis->size}, {1}};
    const struct mapping_modes atom = {1, {tile->atom->size[axis->mode]}, {1}};
    const struct mapping_modes beside = {1, {tile->count[axis->mode]}, {1}};
    const struct mapping_modes *permutation = &tiling->permutations[axis->mode];
    struct mapping_modes permuted, rest;
    if (!divide(&whole, permutation->count > 0 ? permutation : &whole, &permuted, &rest))
        return false;
    for (uint32_t m = 0; m < rest.count; m++)
        if (!append_mode(&permuted, rest.shape[m], rest.stride[m]))
            return false;
    return divide(&permuted, &atom, &axis->atom, &rest) &&
           divide(&rest, &beside, &axis->place, &axis->repeat) &&
           take_apart(tile->atom->size[axis->mode], &axis->atom);
}

/* True if a permutation contains each number below its size once. Otherwise, sets *number to the
 * smallest number that it contains twice or not at all. */
static bool is_bijective(const struct mapping_modes *permutation, uint32_t *number,
                         bool *is_twice) {
    struct mapping_modes left = *permutation;
    for (uint32_t m = 0; m < left.count; m++)
        if (left.shape[m] == 1)
            left.stride[m] = UINT32_MAX; /* skipped like the modes that are done */
    for (*number = 1;;) {
        uint32_t next = 0;
        for (uint32_t m = 1; m < left.count; m++)
            if (left.stride[m] < left.stride[next])
                next = m;
        if (left.stride[next] == UINT32_MAX)
            return true;
        *is_twice = left.stride[next] < *number;
        if (*is_twice)
            *number = left.stride[next];
        if (left.stride[next] != *number || *is_twice)
            return false;
        *number *= left.shape[next];
        left.stride[next] = UINT32_MAX;
    }
}

/* MAPPING_INVALID with the reason if the permutation along an axis does not contain each number
 * once, or if CuTe cannot divide its modes by the atoms. */
static enum mapping_status check_permutation(const struct mapping_tiling *tiling,
                                             const struct tile *tile, const struct axis *axis,
                                             struct mapping_error *error) {
    const struct mapping_modes *modes = &tiling->permutations[axis->mode];
    const struct mapping_cute layout = {.count = 1, .axis = {*modes}};
    const uint32_t atom = tile->atom->size[axis->mode], count = tile->count[axis->mode];
    const char along = "MNK"[axis->mode];
    uint32_t number;
    bool is_twice;
    char text[200];
    if (axis->size % (atom * count) != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "the permutation has size %u along %c; this size must be a multiple of "
                            "%u, because there %s %u atom%s of size %u along %c",
                            axis->size, along, atom * count, count == 1 ? "is" : "are", count,
                            mapping_plural(count), atom, along);
    if (modes->count == 0)
        return MAPPING_OK;
    mapping_cute_print(&layout, text, sizeof text);
    if (!is_bijective(modes, &number, &is_twice))
        return mapping_fail(error, MAPPING_INVALID,
                            "the permutation %s along %c must contain each number from 0 to %u "
                            "once, but it %s %u%s",
                            text, along, axis->size - 1, is_twice ? "contains" : "does not contain",
                            number, is_twice ? " twice" : "");
    for (uint32_t m = 0, size = 1; m + 1 < modes->count; m++) {
        char first[48] = "first mode has size", into[64];
        size *= modes->shape[m];
        const uint32_t divisor = size % atom && atom % size ? atom : atom * count;
        if (size % divisor == 0 || divisor % size == 0)
            continue;
        if (m > 0)
            snprintf(first, sizeof first, "first %u modes together have size", m + 1);
        if (divisor == atom)
            snprintf(into, sizeof into, "into atoms of size %u", atom);
        else
            snprintf(into, sizeof into, "by %u (%u atoms of size %u)", divisor, count, atom);
        return mapping_fail(error, MAPPING_INVALID,
                            "CuTe cannot divide the permutation %s along %c %s: its %s %u, which "
                            "neither divides %u nor is a multiple of %u",
                            text, along, into, first, size, divisor, divisor);
    }
    return MAPPING_OK;
}

/* True if an atom has threads, elements, and sizes that a tile can have. */
static bool is_atom(const struct mapping_atom *atom) {
    const struct mapping_space *from = &atom->from;
    bool is_one = from->count == 2 && (!atom->is_quad_pair || from->axis[0].size == 32);
    for (uint32_t a = 0; a < 2 && is_one; a++)
        is_one = atom->mode[a] < 3 && from->axis[a].size > 0 && from->axis[a].size <= 1024;
    for (int mode = 0; mode < 3; mode++)
        is_one &= atom->size[mode] > 0 && atom->size[mode] <= MODES_SIZE_MAX / 1024;
    return is_one;
}

/* Computes the sizes of the tile, and its spaces. */
static enum mapping_status make_spaces(const struct mapping_tiling *tiling,
                                       const struct mapping_atom *atom, struct tile *tile,
                                       struct mapping_space *from, struct mapping_space *to,
                                       struct mapping_error *error) {
    enum mapping_status status;
    uint64_t atoms = 1;
    *tile = (struct tile){.atom = atom};
    if (!is_atom(atom)) {
        mapping_fail(error, MAPPING_INVALID,
                     "an atom needs threads, elements, and sizes along M, N and K");
        return MAPPING_INVALID; /* as analyzers see it */
    }
    tile->threads = atom->is_quad_pair ? 8 : atom->from.axis[0].size;
    for (int mode = 0; mode < 3; mode++) {
        tile->count[mode] = mapping_modes_size(&tiling->atoms[mode]);
        atoms *= tile->count[mode];
    }
    if (atoms * tile->threads > 1024)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%u atoms with %u threads each exceed the limit of 1024 threads in a block",
            (unsigned)atoms, tile->threads);
    for (int a = 0; a < 2; a++) {
        unsigned mode = atom->mode[a];
        const struct mapping_modes *permutation = &tiling->permutations[mode];
        struct axis *axis = &tile->axes[a];
        axis->mode = mode;
        axis->size = permutation->count > 0 ? mapping_modes_size(permutation)
                                            : atom->size[mode] * tile->count[mode];
        if (!divide_axis(tiling, tile, axis)) {
            const char along = "MNK"[mode];
            const uint32_t count = tile->count[mode];
            status = check_permutation(tiling, tile, axis, error);
            if (status != MAPPING_OK)
                return status;
            return mapping_fail(error, MAPPING_INVALID,
                                "CuTe cannot divide the permutation along %c by %u atom%s of size "
                                "%u",
                                along, count, mapping_plural(count), atom->size[mode]);
        }
    }
    status = number_threads(tiling, tile, error);
    if (status != MAPPING_OK)
        return status;
    uint64_t elements = atom->from.axis[1].size, entries = 1;
    for (int a = 0; a < 2; a++) {
        elements *= mapping_modes_size(&tile->axes[a].repeat);
        entries *= tile->axes[a].size;
    }
    const bool is_large = entries > MODES_SIZE_MAX;
    if (is_large || elements > MODES_SIZE_MAX / 1024)
        return mapping_fail(error, MAPPING_INVALID,
                            "the %u x %u tile is too large: %s %llu elements, but the limit is %u",
                            tile->axes[0].size, tile->axes[1].size,
                            is_large ? "it has" : "with its permutation, each thread would hold",
                            (unsigned long long)(is_large ? entries : elements),
                            (unsigned)(is_large ? MODES_SIZE_MAX : MODES_SIZE_MAX / 1024));
    const uint32_t threads = tile->threads * (uint32_t)atoms;
    *from = (struct mapping_space){
        2, {{MAPPING_AXIS_TID, threads}, {MAPPING_AXIS_I, (uint32_t)elements}}};
    *to = (struct mapping_space){
        2, {{MAPPING_AXIS_ROW, tile->axes[0].size}, {MAPPING_AXIS_COL, tile->axes[1].size}}};
    return MAPPING_OK;
}

enum mapping_status mapping_tile_spaces(const struct mapping_tiling *tiling,
                                        const struct mapping_atom *atom, struct mapping_space *from,
                                        struct mapping_space *to, struct mapping_error *error) {
    struct tile tile;
    return make_spaces(tiling, atom, &tile, from, to, error);
}

/* ---- Layouts ---- */

/* Fills in the elements of one thread: those of thread `atom_tid` of the instruction, for each
 * repeat of the atoms over the tile. */
static void fill_thread(const struct tile *tile, const struct mapping_layout *layout,
                        uint32_t atom_tid, const uint32_t place[3], uint32_t tid,
                        struct mapping_layout *tiled) {
    /* The last two coordinates: if the operand has blocks, the block precedes row and column. */
    uint32_t *const *inner = layout->coordinate + layout->to.count - 2;
    uint32_t values = layout->from.axis[1].size, elements = tiled->from.axis[1].size;
    /* Values are repeated along M or N first, and along K last. */
    int first = tile->axes[0].mode == 2;
    uint32_t along_first = mapping_modes_size(&tile->axes[first].repeat);
    for (uint32_t i = 0; i < elements; i++) {
        const uint32_t repeat = i / values;
        for (int a = 0; a < 2; a++) {
            const struct axis *axis = &tile->axes[a];
            uint32_t x = inner[a][(size_t)atom_tid * values + i % values];
            tiled->coordinate[a][(size_t)tid * elements + i] =
                mapping_modes_at(&axis->atom, x) +
                mapping_modes_at(&axis->place, place[axis->mode]) +
                mapping_modes_at(&axis->repeat,
                                 a == first ? repeat % along_first : repeat / along_first);
        }
    }
}

/* Fills in the elements of the threads of all atoms. MAPPING_INVALID unless the threads of the
 * atoms are all threads of the tile, each exactly once. */
static enum mapping_status fill_tile(const struct tile *tile, const struct mapping_layout *layout,
                                     struct mapping_layout *tiled, struct mapping_error *error) {
    const uint32_t threads = tiled->from.axis[0].size;
    for (uint32_t n = 0; n < threads; n++) {
        const uint32_t v = n % tile->threads, atom = n / tile->threads;
        const uint32_t place[3] = {atom % tile->count[0], atom / tile->count[0] % tile->count[1],
                                   atom / tile->count[0] / tile->count[1]};
        uint32_t tid = mapping_modes_at(&tile->own, v);
        for (int mode = 0; mode < 3; mode++)
            tid += mapping_modes_at(&tile->beside[mode], place[mode]);
        if (tid >= threads ||
            tiled->coordinate[0][(size_t)tid * tiled->from.axis[1].size] != UINT32_MAX)
            return fail_threads(tile, error);
        /* the threads of a quad pair are 0 to 3 and 16 to 19 of the instruction's */
        fill_thread(tile, layout, tile->atom->is_quad_pair ? v % 4 + v / 4 * 16 : v, place, tid,
                    tiled);
    }
    return MAPPING_OK;
}

/* Fails with the reason why the tile is not covered. */
static enum mapping_status fail_cover(const struct mapping_tiling *tiling, const struct tile *tile,
                                      const struct mapping_error *cause,
                                      struct mapping_error *error) {
    for (int a = 0; a < 2; a++)
        if (check_permutation(tiling, tile, &tile->axes[a], error) != MAPPING_OK)
            return MAPPING_INVALID;
    return mapping_fail(error, MAPPING_INVALID,
                        "CuTe cannot build a tile from this atom layout and permutation: %-s",
                        cause->message);
}

enum mapping_status mapping_tile(const struct mapping_tiling *tiling,
                                 const struct mapping_atom *atom,
                                 const struct mapping_layout *layout, struct mapping_layout *tiled,
                                 struct mapping_error *error) {
    struct tile tile;
    struct mapping_space from, to;
    struct mapping_error cause;
    enum mapping_status status = make_spaces(tiling, atom, &tile, &from, &to, error);
    if (status == MAPPING_OK &&
        (!mapping_space_equal(&layout->from, &atom->from) || layout->to.count < 2))
        status = mapping_fail(error, MAPPING_INVALID, "the layout does not belong to the atom");
    if (status == MAPPING_OK)
        status = mapping_layout_init(tiled, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    status = fill_tile(&tile, layout, tiled, error);
    if (status == MAPPING_OK && mapping_layout_check(tiled, &cause) != MAPPING_OK)
        status = fail_cover(tiling, &tile, &cause, error);
    if (status != MAPPING_OK)
        mapping_layout_free(tiled);
    return status;
}
