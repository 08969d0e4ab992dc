/* tile.c - a multiplication repeated over threads and values: CuTe's TiledMMA.
 *
 * Atoms lie side by side over threads as the atom layout numbers them; what they cover is repeated
 * over values until the tile is full; and a permutation says where in the tile each coordinate
 * goes. (CUTLASS, include/cute/atom/mma_atom.hpp: make_tiled_mma, thrfrg_A, thrfrg_B, thrfrg_C,
 * tile_size_mnk.) */
#include "cute.h"

#include <string.h>

/* ---- Reading ---- */

static const struct mapping_modes one_mode = {1, {1}, {0}};

static enum mapping_status read_atoms(const char *text, struct mapping_tiling *tiling,
                                      struct mapping_error *error) {
    unsigned count;
    const char *rest = modes_parse(text, tiling->atoms, 3, &count);
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
    const char *rest = modes_parse(text, modes, MAPPING_MODES, &count);
    bool wrapped = *text == '(' && (!rest || !strchr(",)", *rest));
    if (wrapped) {
        rest = modes_parse(text + 1, modes, MAPPING_MODES, &count);
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

/* An operand's two modes, 0 for M, 1 for N, 2 for K: that along its rows first. The atoms along the
 * third hold the same elements. */
static const unsigned modes_of[][2] = {
    ['a' - 'a'] = {0, 2}, ['b' - 'a'] = {2, 1}, ['c' - 'a'] = {0, 1}, ['d' - 'a'] = {0, 1}};

/* What is known of a tiled multiplication. */
struct tile {
    uint32_t atom[3];  /* of an atom */
    uint32_t count[3]; /* of atoms side by side */
    uint32_t size[3];  /* of the tile */
    uint32_t threads;  /* of an atom */
};

/* The thread of the instruction that is number v of the atom: of a quad pair, 0 to 3 and 16 to 19.
 */
static uint32_t thread_of(const struct tile *tile, uint32_t v) {
    return tile->threads == 8 ? v % 4 + v / 4 * 16 : v;
}

static enum mapping_status measure(const struct mapping_tiling *tiling,
                                   const struct mapping_fragment *atom, struct tile *tile,
                                   struct mapping_error *error) {
    const uint32_t shape[] = {atom->shape.m, atom->shape.n, atom->shape.k};
    uint64_t atoms = 1;
    tile->threads = atom->blocks > 1 ? atom->threads / atom->blocks : atom->threads;
    for (int mode = 0; mode < 3; mode++) {
        const struct mapping_modes *permutation = &tiling->permutations[mode];
        tile->atom[mode] = shape[mode];
        tile->count[mode] = modes_size(&tiling->atoms[mode]);
        atoms *= tile->count[mode];
        uint32_t core = tile->atom[mode] * tile->count[mode];
        uint32_t size = permutation->count > 0 ? modes_size(permutation) : core;
        tile->size[mode] = size > core ? size : core;
        if (tile->size[mode] % core != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "%u along %c is no multiple of %u, which %u atom%s of %u cover%s",
                                tile->size[mode], "MNK"[mode], core, tile -> count[mode],
                                tile -> count[mode] == 1 ? "" : "s", tile->atom[mode],
                                tile->count[mode] == 1 ? "s" : "");
    }
    if (atoms * tile->threads > 1024)
        return mapping_fail(error, MAPPING_INVALID,
                            "%u atoms of %u threads are more than the 1024 threads of a block",
                            (unsigned)atoms, tile->threads);
    return MAPPING_OK;
}

enum mapping_status mapping_tile_fragment(const struct mapping_tiling *tiling,
                                          const struct mapping_fragment *atom,
                                          struct mapping_fragment *tiled,
                                          struct mapping_error *error) {
    struct tile tile = {.threads = 1};
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(atom, name);
    if ((atom->instruction != MAPPING_MMA && atom->instruction != MAPPING_WGMMA) ||
        atom->operand > 'd')
        return mapping_fail(error, MAPPING_INVALID,
                            "%s cannot be tiled; A, B, C and D of mma and wgmma can", name);
    enum mapping_status status = measure(tiling, atom, &tile, error);
    if (status != MAPPING_OK)
        return status;
    const unsigned *modes = modes_of[atom->operand - 'a'];
    uint64_t elements = atom->elements;
    for (int m = 0; m < 2; m++)
        elements *= tile.size[modes[m]] / tile.atom[modes[m]] / tile.count[modes[m]];
    if ((uint64_t)tile.size[modes[0]] * tile.size[modes[1]] > MODES_SIZE_MAX ||
        elements > MODES_SIZE_MAX / 1024)
        return mapping_fail(error, MAPPING_INVALID, "a tile of %u x %u x %u is too large",
                            tile.size[0], tile.size[1], tile.size[2]);
    *tiled = *atom;
    tiled->blocks = 1;
    tiled->rows = tile.size[modes[0]];
    tiled->cols = tile.size[modes[1]];
    tiled->threads = tile.threads * tile.count[0] * tile.count[1] * tile.count[2];
    tiled->elements = (uint32_t)elements;
    tiled->registers = tiled->elements * atom->bits / 32;
    return MAPPING_OK;
}

/* ---- Maps ---- */

/* Where coordinate x of the tile goes along one mode. */
static uint32_t permute(const struct mapping_modes *permutation, uint32_t size, uint32_t x) {
    struct mapping_modes rest;
    uint32_t permuted = permutation->count > 0 ? modes_size(permutation) : 0;
    if (permuted == 0)
        return x;
    if (permuted >= size || !modes_complement(permutation, size, &rest))
        return modes_at(permutation, x);
    return modes_at(permutation, x % permuted) + modes_at(&rest, x / permuted);
}

/* The number of a thread: as the atom's own, beside those of all atoms before. */
static bool number_thread(const struct mapping_tiling *tiling, const struct tile *tile, uint32_t v,
                          const uint32_t place[3], uint32_t *tid) {
    /* The threads of a quad pair, and of any other atom. */
    static const struct mapping_modes pair = {2, {4, 2}, {1, 16}};
    const struct mapping_modes whole = {1, {tile->threads}, {1}};
    const struct mapping_modes *own = tile->threads == 8 ? &pair : &whole;
    uint32_t atom = 0, reach = 1;
    struct mapping_modes beside;
    for (int mode = 0; mode < 3; mode++) {
        const struct mapping_modes *modes = &tiling->atoms[mode];
        atom += modes_at(modes, place[mode]);
        for (uint32_t m = 0; m < modes->count; m++)
            reach += (modes->shape[m] - 1) * modes->stride[m];
    }
    if (reach > MODES_SIZE_MAX || !modes_complement(own, tile->threads * reach, &beside))
        return false;
    *tid = modes_at(own, v) + modes_at(&beside, atom);
    return true;
}

/* Fills in what one thread holds. */
static void fill_thread(const struct mapping_tiling *tiling, const struct tile *tile,
                        const unsigned modes[2], const struct mapping_map *atom_map,
                        uint32_t atom_tid, const uint32_t place[3], uint32_t tid,
                        struct mapping_map *map) {
    uint32_t core[2], rest = 1;
    for (int m = 0; m < 2; m++)
        core[m] = tile->atom[modes[m]] * tile->count[modes[m]];
    /* Values are repeated along M or N first, then along the other, K last. */
    int first = modes[0] == 2, second = !first;
    rest = tile->size[modes[first]] / core[first];
    for (uint32_t i = 0; i < map->elements; i++) {
        uint32_t value = i % atom_map->elements, repeat = i / atom_map->elements;
        size_t from = (size_t)atom_tid * atom_map->elements + value;
        const uint32_t inner[2] = {atom_map->plane[MAPPING_ROW][from],
                                   atom_map->plane[MAPPING_COL][from]};
        uint32_t repeats[2];
        repeats[first] = repeat % rest;
        repeats[second] = repeat / rest;
        for (int m = 0; m < 2; m++) {
            uint32_t x = inner[m] + tile->atom[modes[m]] * place[modes[m]] + core[m] * repeats[m];
            map->plane[m == 0 ? MAPPING_ROW : MAPPING_COL][(size_t)tid * map->elements + i] =
                permute(&tiling->permutations[modes[m]], tile->size[modes[m]], x);
        }
    }
}

/* Fills in what the threads of one atom hold. MAPPING_INVALID if they are none of the tile's. */
static enum mapping_status fill_atom(const struct mapping_tiling *tiling, const struct tile *tile,
                                     const unsigned modes[2], const struct mapping_map *atom_map,
                                     const uint32_t place[3], struct mapping_map *map,
                                     struct mapping_error *error) {
    for (uint32_t v = 0; v < tile->threads; v++) {
        uint32_t tid;
        if (!number_thread(tiling, tile, v, place, &tid) || tid >= map->threads)
            return mapping_fail(
                error, MAPPING_INVALID, "atoms laid out so would not be threads 0 to %u%s",
                map->threads - 1, tile->threads == 8 ? "; quad pairs fill a warp by fours" : "");
        fill_thread(tiling, tile, modes, atom_map, thread_of(tile, v), place, tid, map);
    }
    return MAPPING_OK;
}

enum mapping_status mapping_tile_map(const struct mapping_tiling *tiling,
                                     const struct mapping_fragment *atom,
                                     const struct mapping_map *atom_map, struct mapping_map *map,
                                     struct mapping_error *error) {
    struct mapping_fragment tiled = *atom;
    struct tile tile = {.threads = 1};
    *map = (struct mapping_map){.threads = 0};
    enum mapping_status status = mapping_tile_fragment(tiling, atom, &tiled, error);
    if (status == MAPPING_OK)
        status = measure(tiling, atom, &tile, error);
    if (status == MAPPING_OK && !mapping_map_init(map, &tiled))
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    uint32_t place[3];
    for (place[2] = 0; place[2] < tile.count[2] && status == MAPPING_OK; place[2]++)
        for (place[1] = 0; place[1] < tile.count[1] && status == MAPPING_OK; place[1]++)
            for (place[0] = 0; place[0] < tile.count[0] && status == MAPPING_OK; place[0]++)
                status = fill_atom(tiling, &tile, modes_of[atom->operand - 'a'], atom_map, place,
                                   map, error);
    struct mapping_error cause;
    if (status == MAPPING_OK && mapping_map_check(map, &cause) != MAPPING_OK)
        status = mapping_fail(error, MAPPING_INVALID,
                              "atom layout and permutation do not cover the tile: %.400s",
                              cause.message);
    return status;
}
