/* tile.c - a multiplication repeated over threads and values: CuTe's TiledMMA.
 *
 * Atoms lie side by side over threads as the atom layout numbers them; what they cover is repeated
 * over values until the tile is full; and a permutation says where in the tile each coordinate
 * goes. (CUTLASS, include/cute/atom/mma_atom.hpp: make_tiled_mma, thrfrg_A, thrfrg_B, thrfrg_C,
 * tile_size_mnk.) */
#include "layout/cute.h"

#include <string.h>

/* ---- Reading ---- */

static const struct mapping_modes one_mode = {1, {1}, {0}};

static enum mapping_status read_atoms(const char *text, struct mapping_tiling *tiling,
                                      struct mapping_error *error) {
    unsigned count;
    const char *rest = mapping_modes_parse(text, tiling->atoms, 3, &count);
    if (!rest || *rest)
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.80s' is no atom layout; one is (2,2,1):(2,1,0), or (2,2), in CuTe's "
            "notation",
            text);
    for (; count < 3; count++)
        tiling->atoms[count] = one_mode;
    return MAPPING_OK;
}

/* Reads "_", a number or a layout, which may stand in parentheses of its own. */
static const char *read_permutation(const char *text, struct mapping_modes *permutation) {
    struct mapping_modes modes[MAPPING_MODES];
    unsigned count;
    text += strspn(text, " ");
    *permutation = (struct mapping_modes){.count = 0};
    if (*text == '_' && !(text[1] >= '0' && text[1] <= '9'))
        return text + 1 + strspn(text + 1, " ");
    const char *rest = mapping_modes_parse(text, modes, MAPPING_MODES, &count);
    bool wrapped = *text == '(' && (!rest || !strchr(",)", *rest));
    if (wrapped) {
        rest = mapping_modes_parse(text + 1, modes, MAPPING_MODES, &count);
        if (!rest || *rest != ')')
            return NULL;
        rest += 1 + strspn(rest + 1, " ");
    }
    for (unsigned m = 0; m < count && rest; m++)
        for (uint32_t leaf = 0; leaf < modes[m].count; leaf++) {
            permutation->shape[permutation->count] = modes[m].shape[leaf];
            permutation->stride[permutation->count++] = modes[m].stride[leaf];
        }
    return rest;
}

/* Reads up to three permutations with commas between them, and returns what follows. */
static const char *read_permutations(const char *text, struct mapping_tiling *tiling) {
    for (unsigned mode = 0; mode < 3; mode++) {
        text = read_permutation(text, &tiling->permutations[mode]);
        if (!text || *text != ',')
            return text;
        text++;
    }
    return NULL;
}

/* True if the parenthesis at the start is closed at the end. */
static bool is_wrapped(const char *text) {
    unsigned depth = 0;
    do {
        depth += *text == '(';
        depth -= *text == ')';
    } while (depth > 0 && *text++);
    return depth == 0 && *text == ')' && text[1 + strspn(text + 1, " ")] == '\0';
}

enum mapping_status mapping_tiling_parse(const char *atom_layout, const char *permutation,
                                         struct mapping_tiling *tiling,
                                         struct mapping_error *error) {
    *tiling = (struct mapping_tiling){.atoms = {one_mode, one_mode, one_mode}};
    enum mapping_status status = atom_layout ? read_atoms(atom_layout, tiling, error) : MAPPING_OK;
    if (status != MAPPING_OK || !permutation)
        return status;
    /* All three may stand in parentheses together, as in (32,32,4). */
    const char *start = permutation + strspn(permutation, " ");
    bool together = is_wrapped(start);
    const char *rest = read_permutations(start + together, tiling);
    if (rest && together)
        rest = *rest == ')' ? rest + 1 + strspn(rest + 1, " ") : NULL;
    if (rest && !*rest)
        return MAPPING_OK;
    return mapping_fail(
        error, MAPPING_INVALID,
        "'%.80s' is no permutation; one is ((4,4,2):(1,8,4)),32,4, or 32,32,_, of M, N "
        "and K in CuTe's notation",
        permutation);
}

/* ---- Sizes ---- */

/* What is known of a tiled multiplication. */
struct tile {
    const struct mapping_tiling *tiling;
    const struct mapping_atom *atom;
    const struct mapping_layout *layout; /* of the atom, where it is known */
    uint32_t count[3];                   /* of atoms side by side, along M, N and K */
    uint32_t size[3];                    /* of the tile */
    uint32_t threads;                    /* of an atom */
};

/* The thread of the instruction that is number v of the atom: of a quad pair, 0 to 3 and 16 to 19.
 */
static uint32_t thread_of(const struct tile *tile, uint32_t v) {
    return tile->atom->is_quad_pair ? v % 4 + v / 4 * 16 : v;
}

/* How many threads and values the atom's layout has. */
static uint32_t size_along(const struct mapping_atom *atom, uint32_t axis) {
    return atom->from.axis[axis].size;
}

static enum mapping_status measure(const struct mapping_tiling *tiling,
                                   const struct mapping_atom *atom, struct tile *tile,
                                   struct mapping_error *error) {
    uint64_t atoms = 1;
    *tile = (struct tile){.tiling = tiling, .atom = atom};
    tile->threads = atom->is_quad_pair ? 8 : size_along(atom, 0);
    for (int mode = 0; mode < 3; mode++) {
        const struct mapping_modes *permutation = &tiling->permutations[mode];
        tile->count[mode] = mapping_modes_size(&tiling->atoms[mode]);
        atoms *= tile->count[mode];
        uint32_t core = atom->size[mode] * tile->count[mode];
        uint32_t size = permutation->count > 0 ? mapping_modes_size(permutation) : core;
        tile->size[mode] = size > core ? size : core;
        if (tile->size[mode] % core != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "%u along %c is no multiple of %u, which %u atom%s of %u cover%s",
                                tile->size[mode], "MNK"[mode], core, tile -> count[mode],
                                tile -> count[mode] == 1 ? "" : "s", atom->size[mode],
                                tile->count[mode] == 1 ? "s" : "");
    }
    if (atoms * tile->threads > 1024)
        return mapping_fail(error, MAPPING_INVALID,
                            "%u atoms of %u threads are more than the 1024 threads of a block",
                            (unsigned)atoms, tile->threads);
    return MAPPING_OK;
}

enum mapping_status mapping_tile_spaces(const struct mapping_tiling *tiling,
                                        const struct mapping_atom *atom, struct mapping_space *from,
                                        struct mapping_space *to, struct mapping_error *error) {
    struct tile tile;
    enum mapping_status status = measure(tiling, atom, &tile, error);
    if (status != MAPPING_OK)
        return status;
    uint64_t elements = size_along(atom, 1);
    uint32_t rows = tile.size[atom->mode[0]], cols = tile.size[atom->mode[1]];
    for (int m = 0; m < 2; m++)
        elements *=
            tile.size[atom->mode[m]] / atom->size[atom->mode[m]] / tile.count[atom->mode[m]];
    if ((uint64_t)rows * cols > MODES_SIZE_MAX || elements > MODES_SIZE_MAX / 1024)
        return mapping_fail(error, MAPPING_INVALID, "a tile of %u x %u x %u is too large",
                            tile.size[0], tile.size[1], tile.size[2]);
    uint32_t threads = tile.threads * tile.count[0] * tile.count[1] * tile.count[2];
    *from = (struct mapping_space){
        2, {{MAPPING_AXIS_TID, threads}, {MAPPING_AXIS_I, (uint32_t)elements}}};
    *to = (struct mapping_space){2, {{MAPPING_AXIS_ROW, rows}, {MAPPING_AXIS_COL, cols}}};
    return MAPPING_OK;
}

/* ---- Layouts ---- */

/* Where coordinate x of the tile goes along one mode. */
static uint32_t permute(const struct mapping_modes *permutation, uint32_t size, uint32_t x) {
    struct mapping_modes rest;
    uint32_t permuted = permutation->count > 0 ? mapping_modes_size(permutation) : 0;
    if (permuted == 0)
        return x;
    if (permuted >= size || !mapping_modes_complement(permutation, size, &rest))
        return mapping_modes_at(permutation, x);
    return mapping_modes_at(permutation, x % permuted) + mapping_modes_at(&rest, x / permuted);
}

/* The number of a thread: as the atom's own, beside those of all atoms before. */
static bool number_thread(const struct tile *tile, uint32_t v, const uint32_t place[3],
                          uint32_t *tid) {
    /* The threads of a quad pair, and of any other atom. */
    static const struct mapping_modes pair = {2, {4, 2}, {1, 16}};
    const struct mapping_modes whole = {1, {tile->threads}, {1}};
    const struct mapping_modes *own = tile->atom->is_quad_pair ? &pair : &whole;
    uint32_t atom = 0, reach = 1;
    struct mapping_modes beside;
    for (int mode = 0; mode < 3; mode++) {
        const struct mapping_modes *modes = &tile->tiling->atoms[mode];
        atom += mapping_modes_at(modes, place[mode]);
        for (uint32_t m = 0; m < modes->count; m++)
            reach += (modes->shape[m] - 1) * modes->stride[m];
    }
    if (reach > MODES_SIZE_MAX || !mapping_modes_complement(own, tile->threads * reach, &beside))
        return false;
    *tid = mapping_modes_at(own, v) + mapping_modes_at(&beside, atom);
    return true;
}

/* Fills in what one thread holds: what thread `atom_tid` of the instruction does, for each repeat
 * of the atoms over the tile. */
static void fill_thread(const struct tile *tile, uint32_t atom_tid, const uint32_t place[3],
                        uint32_t tid, struct mapping_layout *tiled) {
    const struct mapping_atom *atom = tile->atom;
    /* The rows and columns of an operand with blocks stand behind them. */
    uint32_t *const *inner = tile->layout->coordinate + tile->layout->to.count - 2;
    uint32_t values = size_along(atom, 1), elements = tiled->from.axis[1].size;
    /* Values are repeated along M or N first, then along the other, K last. */
    int first = atom->mode[0] == 2, second = !first;
    uint32_t first_mode = atom->mode[first];
    uint32_t repeats_along_first =
        tile->size[first_mode] / (atom->size[first_mode] * tile->count[first_mode]);
    for (uint32_t i = 0; i < elements; i++) {
        uint32_t repeat[2];
        repeat[first] = i / values % repeats_along_first;
        repeat[second] = i / values / repeats_along_first;
        for (int m = 0; m < 2; m++) {
            uint32_t mode = atom->mode[m], core = atom->size[mode] * tile->count[mode];
            uint32_t x = inner[m][(size_t)atom_tid * values + i % values] +
                         atom->size[mode] * place[mode] + core * repeat[m];
            tiled->coordinate[m][(size_t)tid * elements + i] =
                permute(&tile->tiling->permutations[mode], tile->size[mode], x);
        }
    }
}

/* Fills in what the threads of one atom hold. MAPPING_INVALID if they are none of the tile's. */
static enum mapping_status fill_atom(const struct tile *tile, const uint32_t place[3],
                                     struct mapping_layout *tiled, struct mapping_error *error) {
    uint32_t threads = tiled->from.axis[0].size;
    for (uint32_t v = 0; v < tile->threads; v++) {
        uint32_t tid;
        if (!number_thread(tile, v, place, &tid) || tid >= threads)
            return mapping_fail(
                error, MAPPING_INVALID, "atoms laid out so would not be threads 0 to %u%s",
                threads - 1, tile->atom->is_quad_pair ? "; quad pairs fill a warp by fours" : "");
        fill_thread(tile, thread_of(tile, v), place, tid, tiled);
    }
    return MAPPING_OK;
}

/* Fills in what the threads of all atoms hold. */
static enum mapping_status fill_tile(const struct tile *tile, struct mapping_layout *tiled,
                                     struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    uint32_t place[3];
    for (place[2] = 0; place[2] < tile->count[2] && status == MAPPING_OK; place[2]++)
        for (place[1] = 0; place[1] < tile->count[1] && status == MAPPING_OK; place[1]++)
            for (place[0] = 0; place[0] < tile->count[0] && status == MAPPING_OK; place[0]++)
                status = fill_atom(tile, place, tiled, error);
    return status;
}

/* Checks that the tile is covered. */
static enum mapping_status check_cover(const struct mapping_layout *tiled,
                                       struct mapping_error *error) {
    struct mapping_error cause;
    enum mapping_status status = mapping_layout_check(tiled, &cause);
    if (status == MAPPING_INVALID)
        return mapping_fail(error, status,
                            "atom layout and permutation do not cover the tile: %.400s",
                            cause.message);
    if (status != MAPPING_OK)
        *error = cause;
    return status;
}

enum mapping_status mapping_tile(const struct mapping_tiling *tiling,
                                 const struct mapping_atom *atom,
                                 const struct mapping_layout *layout, struct mapping_layout *tiled,
                                 struct mapping_error *error) {
    struct tile tile;
    struct mapping_space from, to;
    enum mapping_status status = mapping_tile_spaces(tiling, atom, &from, &to, error);
    if (status == MAPPING_OK)
        status = measure(tiling, atom, &tile, error);
    if (status == MAPPING_OK)
        status = mapping_layout_init(tiled, &from, &to, error);
    if (status != MAPPING_OK)
        return status;
    tile.layout = layout;
    status = fill_tile(&tile, tiled, error);
    if (status == MAPPING_OK)
        status = check_cover(tiled, error);
    if (status != MAPPING_OK)
        mapping_layout_free(tiled);
    return status;
}
