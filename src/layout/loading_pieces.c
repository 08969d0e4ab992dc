/* loading_pieces.c - which pieces of the registers an access moves in each step; see
 * loading_state.h. */
#include "layout/loading_state.h"

#include <string.h>

uint32_t mapping_loading_pieces_of(const struct mapping_access *access) {
    if (access->matrices)
        return access->matrices;
    return access->bytes > 4 ? access->bytes / 4 : 1;
}

uint32_t mapping_loading_bits_of(const struct mapping_access *access) {
    return access->bytes < 4 ? access->bytes * 8U : 32;
}

const struct loading_units *mapping_loading_units_of(const struct loading_table *table,
                                                     uint32_t bits) {
    return &table->units[bits == 8 ? 0 : bits == 16 ? 1 : 2];
}

uint32_t mapping_loading_address(const struct loading_table *table, uint32_t bits, uint32_t piece,
                                 uint32_t tid) {
    return mapping_loading_units_of(table, bits)->address[(size_t)piece * table->threads + tid];
}

uint32_t mapping_loading_piece(const struct loading_table *table,
                               const struct mapping_access *access, uint32_t step, uint32_t n) {
    return table->pieces[(size_t)step * mapping_loading_pieces_of(access) + n];
}

uint32_t mapping_loading_steps(const struct loading_table *table,
                               const struct mapping_access *access) {
    return mapping_loading_units_of(table, mapping_loading_bits_of(access))->count /
           mapping_loading_pieces_of(access);
}

/* ---- One piece at a time ---- */

/* Each piece has to lie at a multiple of `bytes` in each thread. */
static bool are_aligned(const struct loading_table *table, uint32_t bits, uint32_t bytes,
                        struct loading_obstacle *obstacle) {
    const struct loading_units *units = mapping_loading_units_of(table, bits);
    size_t entries = (size_t)units->count * table->threads;
    uint32_t low = 0;
    for (size_t n = 0; n < entries; n++)
        low |= units->address[n];
    if (low % bytes == 0)
        return true;
    size_t n = 0;
    while (units->address[n] % bytes == 0)
        n++;
    *obstacle = (struct loading_obstacle){.hindrance = LOADING_UNALIGNED,
                                          .bits = bits,
                                          .piece = {(uint32_t)(n / table->threads)},
                                          .tid = {(uint32_t)(n % table->threads)},
                                          .distance = bytes};
    return false;
}

static void take_in_order(struct loading_table *table, const struct loading_units *units) {
    for (uint32_t p = 0; p < units->count; p++)
        table->pieces[p] = p;
}

/* ---- 64 and 128 bits ---- */

/* In every thread each register has to lie at the same place of the aligned bytes that an access
 * moves. */
static bool have_places(const struct loading_table *table, uint32_t bytes,
                        struct loading_obstacle *obstacle) {
    const struct loading_units *words = mapping_loading_units_of(table, 32);
    for (uint32_t w = 0; w < words->count; w++) {
        const uint32_t *address = words->address + (size_t)w * table->threads;
        uint32_t differ = 0;
        for (uint32_t t = 1; t < table->threads; t++)
            differ |= address[t] ^ address[0];
        if (differ % bytes == 0)
            continue;
        uint32_t t = 1;
        while ((address[t] ^ address[0]) % bytes == 0)
            t++;
        *obstacle = (struct loading_obstacle){LOADING_SHIFTED, 32, {w}, {0, t}, bytes};
        return false;
    }
    return true;
}

/* The first thread in which register v does not lie as far behind register w as in thread 0;
 * the number of threads if there is none. */
static uint32_t first_apart(const struct loading_table *table, uint32_t w, uint32_t v) {
    const uint32_t *address = mapping_loading_units_of(table, 32)->address;
    const uint32_t *one = address + (size_t)w * table->threads;
    const uint32_t *other = address + (size_t)v * table->threads;
    uint32_t differ = 0;
    for (uint32_t t = 0; t < table->threads; t++)
        differ |= (other[t] - one[t]) ^ (other[0] - one[0]);
    if (differ == 0)
        return table->threads;
    uint32_t t = 0;
    while (other[t] - one[t] == other[0] - one[0])
        t++;
    return t;
}

/* Finds the lowest register that is not used yet and lies in the same aligned bytes as register w,
 * at `place`, in all threads. */
static bool find_beside(const struct loading_table *table, const uint32_t *is_used, uint32_t bytes,
                        uint32_t w, uint32_t place, uint32_t *found,
                        struct loading_obstacle *obstacle) {
    const struct loading_units *words = mapping_loading_units_of(table, 32);
    uint32_t address = words->address[(size_t)w * table->threads];
    uint32_t wanted = address - address % bytes + place;
    *obstacle = (struct loading_obstacle){LOADING_ALONE, 32, {w}, {0}, place};
    for (uint32_t v = 0; v < words->count; v++) {
        if (words->address[(size_t)v * table->threads] != wanted || is_used[v])
            continue;
        uint32_t t = first_apart(table, w, v);
        *found = v;
        if (t == table->threads)
            return true;
        *obstacle = (struct loading_obstacle){LOADING_APART, 32, {w, v}, {t, t}, wanted - address};
    }
    return false;
}

/* Finds all registers of one step: those in the same aligned bytes as register w. */
static bool take_vector(const struct loading_table *table, uint32_t *is_used, uint32_t bytes,
                        uint32_t w, uint32_t *pieces, struct loading_obstacle *obstacle) {
    for (uint32_t n = 0; n < bytes / 4; n++) {
        if (!find_beside(table, is_used, bytes, w, 4 * n, &pieces[n], obstacle))
            return false;
    }
    for (uint32_t n = 0; n < bytes / 4; n++)
        is_used[pieces[n]] = true;
    return true;
}

/* Registers that lie in the same aligned bytes in all threads are moved together, whatever their
 * numbers. Where a thread holds an element several times there is a choice; but registers at the
 * same place of the same bytes stand for each other, so that any will do. */
static bool choose_vectors(struct loading_table *table, const struct mapping_access *access,
                           struct loading_obstacle *obstacle) {
    const struct loading_units *words = mapping_loading_units_of(table, 32);
    uint32_t bytes = access->bytes, *pieces = table->pieces;
    uint32_t *is_used = table->pieces + words->count;
    if (!are_aligned(table, 32, 4, obstacle) || !have_places(table, bytes, obstacle))
        return false;
    memset(is_used, 0, words->count * sizeof *is_used);
    for (uint32_t w = 0; w < words->count; w++) {
        if (is_used[w])
            continue;
        if (!take_vector(table, is_used, bytes, w, pieces, obstacle))
            return false;
        pieces += bytes / 4;
    }
    return true;
}

/* ---- Matrices ---- */

/* PTX ISA, ldmatrix: thread t of a warp gets bytes 4 * (t % 4) to 4 * (t % 4) + 3 of row t / 4.
 * With .trans half-word h of its register is element t / 4 of row 2 * (t % 4) + h, of 2 bytes. The
 * thread of the warp that gets the beginning of the row: */
static uint32_t leader_of(uint32_t tid, bool is_transposed) {
    return is_transposed ? tid / LANES * LANES + tid % 4 : tid / 4 * 4;
}

/* How many bytes behind it a thread's piece has to lie. */
static uint32_t distance_of(uint32_t tid, bool is_transposed) {
    return is_transposed ? tid % LANES / 4 * 2 : tid % 4 * 4;
}

/* True if one piece, a register or with .trans a half-word, comes from rows of 16 aligned bytes. */
static bool is_in_rows(const struct loading_table *table, uint32_t piece, bool is_transposed,
                       struct loading_obstacle *obstacle) {
    uint32_t bits = is_transposed ? 16 : 32;
    const uint32_t *address =
        mapping_loading_units_of(table, bits)->address + (size_t)piece * table->threads;
    for (uint32_t t = 0; t < table->threads; t++) {
        uint32_t leader = leader_of(t, is_transposed), distance = distance_of(t, is_transposed);
        if (leader == t && address[t] % 16 != 0) {
            *obstacle = (struct loading_obstacle){LOADING_UNALIGNED, bits, {piece}, {t}, 16};
            return false;
        }
        if (address[t] != address[leader] + distance) {
            *obstacle = (struct loading_obstacle){
                LOADING_APART, bits, {piece, piece}, {leader, t}, distance};
            return false;
        }
    }
    return true;
}

static bool choose_matrices(struct loading_table *table, const struct mapping_access *access,
                            struct loading_obstacle *obstacle) {
    uint32_t count = mapping_loading_units_of(table, access->is_transposed ? 16 : 32)->count;
    for (uint32_t p = 0; p < count; p++)
        if (!is_in_rows(table, p, access->is_transposed, obstacle))
            return false;
    take_in_order(table, mapping_loading_units_of(table, 32));
    return true;
}

/* ---- Any ---- */

/* What can be said without a look at the addresses, but that pieces are whole. */
static bool is_possible(const struct loading_table *table, const struct mapping_access *access,
                        struct loading_obstacle *obstacle) {
    bool is_transposed = access->matrices && access->is_transposed;
    uint32_t bits = is_transposed ? 16 : mapping_loading_bits_of(access);
    const struct loading_units *units = mapping_loading_units_of(table, bits);
    *obstacle = (struct loading_obstacle){.bits = bits};
    if (access->is_store != table->request->is_store)
        obstacle->hindrance = LOADING_DIRECTION;
    else if (!units->address)
        obstacle->hindrance = LOADING_NARROW;
    else if (mapping_loading_units_of(table, mapping_loading_bits_of(access))->count == 0)
        obstacle->hindrance = LOADING_RAGGED;
    else if (!units->is_whole)
        obstacle->hindrance = LOADING_SPLIT;
    else if (mapping_loading_units_of(table, mapping_loading_bits_of(access))->count %
             mapping_loading_pieces_of(access))
        obstacle->hindrance = LOADING_REMAINDER;
    else
        return true;
    return false;
}

bool mapping_loading_choose(struct loading_table *table, const struct mapping_access *access,
                            struct loading_obstacle *obstacle) {
    if (!is_possible(table, access, obstacle))
        return false;
    if (access->matrices)
        return choose_matrices(table, access, obstacle);
    if (access->bytes > 4)
        return choose_vectors(table, access, obstacle);
    take_in_order(table, mapping_loading_units_of(table, mapping_loading_bits_of(access)));
    return are_aligned(table, mapping_loading_bits_of(access), access->bytes, obstacle);
}

/* Lane 8j + r brings the address of row r of matrix j. */
static uint32_t row_address(const struct loading_table *table, const struct mapping_access *access,
                            uint32_t step, uint32_t warp, uint32_t lane) {
    uint32_t piece = mapping_loading_piece(table, access, step, lane / 8), row = lane % 8;
    uint32_t first = warp * LANES;
    return access->is_transposed
               ? mapping_loading_address(table, 16, 2 * piece + row % 2, first + row / 2)
               : mapping_loading_address(table, 32, piece, first + 4 * row);
}

void mapping_loading_addresses(const struct loading_table *table,
                               const struct mapping_access *access, uint32_t step, uint32_t warp,
                               uint32_t address[LANES]) {
    uint32_t active = mapping_access_lanes(access),
             piece = mapping_loading_piece(table, access, step, 0);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (!access->matrices)
            address[lane] = mapping_loading_address(table, mapping_loading_bits_of(access), piece,
                                                    warp * LANES + lane);
        else
            address[lane] =
                lane < active ? row_address(table, access, step, warp, lane) : MAPPING_INACTIVE;
}
