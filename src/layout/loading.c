/* loading.c - plans of loads and stores: pieces, steps, addresses, formulae, wavefronts; see
 * loading.h.
 *
 * 1. The registers of a thread are cut into pieces of 8, 16 and 32 bits. A table for each width
 *    says at which byte every piece of every thread lies, or that it is scattered.
 * 2. For an access, choose() says which pieces each step moves, or why the access cannot move them.
 * 3. The plan has a step for each group of pieces, with the addresses that the lanes provide.
 *
 * For example D of m16n8 in f16, stored row by row: registers 0 and 1 of thread 0 have elements
 * (0,0), (0,1) and (8,0), (8,1). st.b32 stores each in a step; st.b64 cannot store both at once,
 * because they are not adjacent. */
#include "layout/loading.h"

#include "layout/sentence.h"

#include <stdlib.h>
#include <string.h>

/* Where the pieces of one width lie, of all threads. Piece p of a thread is the p-th of that width
 * in its string of bits. */
struct pieces {
    uint32_t count;    /* of a thread; 0 if its bits are no whole number of pieces */
    uint32_t *address; /* address[p * threads + tid], in bytes; SCATTERED if the elements of the
                          piece are not adjacent; NULL where elements are wider */
    bool is_whole;     /* no piece is scattered */
};

#define SCATTERED UINT32_MAX

enum { WIDTHS = 3 };

struct table {
    const struct mapping_loading_request *request;
    uint32_t threads, elements;   /* elements of a thread */
    struct pieces pieces[WIDTHS]; /* of 8, 16 and 32 bits */
    uint32_t *order;              /* the pieces of step 0, those of step 1, ... */
    uint32_t *memory;             /* the one allocation; owned */
};

/* ---- Requests ---- */

static enum mapping_status check_spaces(const struct mapping_loading_request *request,
                                        struct mapping_error *error) {
    const struct mapping_space *memory = &request->memory->from, *from = &request->fragment->from;
    uint32_t bits = request->bits;
    if (memory->count != 2 || request->memory->to.count != 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "a matrix in memory must map row and column to an offset");
    if (from->count != 2 || request->fragment->to.count != 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "a loaded or stored fragment must map thread and element to row and "
                            "column of one matrix");
    if (from->axis[1].size == 0)
        return mapping_fail(error, MAPPING_INVALID, "the fragment has no elements");
    if (from->axis[0].size == 0 || from->axis[0].size % LANES != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "the fragment has %u threads, which is not a multiple of 32 (a warp)",
                            (unsigned)from->axis[0].size);
    if (bits == 0 || bits > 64 || (bits & (bits - 1)) != 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "elements of %u bits cannot be addressed; use 1, 2, 4, 8, 16, 32 or 64 bits",
            (unsigned)bits);
    return MAPPING_OK;
}

static uint32_t largest(const uint32_t *values, size_t count) {
    uint32_t most = 0;
    for (size_t n = 0; n < count; n++)
        most = values[n] > most ? values[n] : most;
    return most;
}

/* The fragment has to lie in the matrix, and its elements in the fragment. */
static enum mapping_status check_place(const struct mapping_loading_request *request,
                                       struct mapping_error *error) {
    const struct mapping_layout *fragment = request->fragment;
    const struct mapping_axis *matrix = request->memory->from.axis, *size = fragment->to.axis;
    for (int c = 0; c < 2; c++)
        if ((uint64_t)request->origin[c] + size[c].size > matrix[c].size)
            return mapping_fail(
                error, MAPPING_INVALID,
                "the %ux%u fragment at row %u, column %u does not fit in the %ux%u matrix",
                (unsigned)size[0].size, (unsigned)size[1].size, (unsigned)request->origin[0],
                (unsigned)request->origin[1], (unsigned)matrix[0].size, (unsigned)matrix[1].size);
    size_t entries = mapping_layout_entries(fragment);
    for (int c = 0; c < 2; c++)
        if (largest(fragment->coordinate[c], entries) >= size[c].size)
            return mapping_fail(error, MAPPING_INVALID,
                                "the fragment has elements outside its %u rows and %u columns",
                                (unsigned)size[0].size, (unsigned)size[1].size);
    return MAPPING_OK;
}

/* ---- Elements ---- */

/* The offset of an element, in elements. */
static uint32_t offset_of(const struct mapping_loading_request *request, size_t entry) {
    const struct mapping_layout *fragment = request->fragment, *memory = request->memory;
    size_t row = request->origin[0] + fragment->coordinate[0][entry];
    size_t col = request->origin[1] + fragment->coordinate[1][entry];
    return memory->coordinate[0][row * memory->from.axis[1].size + col];
}

/* The byte, or of less than 8 bits the bit, at which an element lies. */
static uint32_t place_of(const struct table *table, uint32_t tid, uint32_t element) {
    uint32_t bits = table->request->bits;
    uint32_t offset = offset_of(table->request, (size_t)tid * table->elements + element);
    return bits < 8 ? offset * bits : offset * (bits / 8);
}

/* All elements have to lie in shared memory; then their places are numbers of 32 bits, too. */
static enum mapping_status check_offsets(const struct table *table, struct mapping_error *error) {
    uint64_t bits = table->request->bits;
    size_t entries = (size_t)table->threads * table->elements;
    for (size_t n = 0; n < entries; n++) {
        uint64_t offset = offset_of(table->request, n);
        if ((offset + 1) * bits > (uint64_t)SHARED_BYTES_MAX * 8)
            return mapping_fail(
                error, MAPPING_INVALID,
                "element %zu of thread %zu is at byte %llu, but shared memory has at most %d bytes",
                n % table->elements, n / table->elements, (unsigned long long)(offset * bits / 8),
                SHARED_BYTES_MAX);
    }
    return MAPPING_OK;
}

/* ---- Pieces ---- */

/* Bytes out of elements of less than 8 bits. */
static void join_elements(const struct table *table, struct pieces *bytes) {
    uint32_t bits = table->request->bits, per = 8 / bits;
    for (uint32_t b = 0; b < bytes->count; b++)
        for (uint32_t t = 0; t < table->threads; t++) {
            uint32_t first = place_of(table, t, b * per);
            bool is_whole = first % 8 == 0;
            for (uint32_t e = 1; e < per; e++)
                is_whole &= place_of(table, t, b * per + e) == first + e * bits;
            bytes->address[b * table->threads + t] = is_whole ? first / 8 : SCATTERED;
            bytes->is_whole &= is_whole;
        }
}

/* Elements that are a piece each, or of 64 bits two. */
static void take_elements(const struct table *table, const struct pieces *pieces) {
    uint32_t bytes = table->request->bits / 8, per = bytes / 4 ? bytes / 4 : 1;
    for (size_t t = 0, n = 0; t < table->threads; t++)
        for (uint32_t e = 0; e < table->elements; e++, n++) {
            uint32_t address = offset_of(table->request, n) * bytes;
            for (uint32_t part = 0; part < per; part++)
                pieces->address[(size_t)(e * per + part) * table->threads + t] = address + 4 * part;
        }
}

/* Pieces of two narrower ones, of `bytes` bytes, each. */
static void join_pieces(uint32_t threads, uint32_t bytes, const struct pieces *narrow,
                        struct pieces *wide) {
    uint32_t broken = 0;
    for (uint32_t p = 0; p < wide->count; p++) {
        const uint32_t *low = narrow->address + (size_t)2 * p * threads, *high = low + threads;
        uint32_t *address = wide->address + (size_t)p * threads;
        for (uint32_t t = 0; t < threads; t++) {
            bool is_whole = low[t] != SCATTERED && high[t] == low[t] + bytes;
            address[t] = is_whole ? low[t] : SCATTERED;
            broken |= !is_whole;
        }
    }
    wide->is_whole = !broken;
}

static void fill_pieces(struct table *table) {
    uint32_t bits = table->request->bits;
    unsigned first = bits <= 8 ? 0 : bits == 16 ? 1 : 2;
    if (bits < 8)
        join_elements(table, &table->pieces[0]);
    else
        take_elements(table, &table->pieces[first]);
    for (unsigned u = first; u + 1 < WIDTHS; u++)
        join_pieces(table->threads, 1U << u, &table->pieces[u], &table->pieces[u + 1]);
}

/* Counts the pieces of each width, and gets room for them and for the list of pieces. */
static bool allocate(struct table *table) {
    uint64_t bits = (uint64_t)table->elements * table->request->bits, total = 0, most = 0;
    for (unsigned u = 0; u < WIDTHS; u++) {
        unsigned width = 8U << u;
        bool is_there = table->request->bits <= width || width == 32;
        uint64_t count = is_there && bits % width == 0 ? bits / width : 0;
        table->pieces[u] = (struct pieces){.count = (uint32_t)count, .is_whole = true};
        total += count * table->threads;
        most = count > most ? count : most;
    }
    table->memory = malloc((size_t)(total + 2 * most + 1) * sizeof *table->memory);
    uint32_t *room = table->memory;
    for (unsigned u = 0; u < WIDTHS && room; u++) {
        bool is_there = table->request->bits <= 8U << u || u == 2;
        table->pieces[u].address = is_there ? room : NULL;
        room += (size_t)table->pieces[u].count * table->threads;
    }
    table->order = room;
    return room != NULL;
}

static enum mapping_status build(const struct mapping_loading_request *request, struct table *table,
                                 struct mapping_error *error) {
    *table = (struct table){.request = request};
    enum mapping_status status = check_spaces(request, error);
    if (status == MAPPING_OK)
        status = check_place(request, error);
    if (status != MAPPING_OK)
        return status;
    table->threads = request->fragment->from.axis[0].size;
    table->elements = request->fragment->from.axis[1].size;
    status = check_offsets(table, error);
    if (status == MAPPING_OK && !allocate(table))
        status = mapping_out_of_memory(error);
    if (status == MAPPING_OK)
        fill_pieces(table);
    return status;
}

/* ---- The pieces of an access ---- */

/* How many pieces a step moves, and of how many bits they are. */
static uint32_t count_of(const struct mapping_access *access) {
    if (access->matrices)
        return access->matrices;
    return access->bytes > 4 ? access->bytes / 4 : 1;
}

static uint32_t bits_of(const struct mapping_access *access) {
    return access->bytes < 4 ? access->bytes * 8U : 32;
}

static const struct pieces *pieces_of(const struct table *table, uint32_t bits) {
    return &table->pieces[bits == 8 ? 0 : bits == 16 ? 1 : 2];
}

static uint32_t address_of(const struct table *table, uint32_t bits, uint32_t piece, uint32_t tid) {
    return pieces_of(table, bits)->address[(size_t)piece * table->threads + tid];
}

/* The first element of a piece, or the one that it is a part of. */
static uint32_t element_of(const struct table *table, uint32_t bits, uint32_t piece) {
    return piece * bits / table->request->bits;
}

static uint32_t steps_of(const struct table *table, const struct mapping_access *access) {
    return pieces_of(table, bits_of(access))->count / count_of(access);
}

/* The n-th piece of a step, once choose() has returned MAPPING_OK. */
static uint32_t piece_of(const struct table *table, const struct mapping_access *access,
                         uint32_t step, uint32_t n) {
    return table->order[(size_t)step * count_of(access) + n];
}

static void take_in_order(struct table *table, uint32_t count) {
    for (uint32_t p = 0; p < count; p++)
        table->order[p] = p;
}

/* ---- Whole pieces ---- */

/* Names elements of one piece that are not adjacent, or begin inside of a byte. */
static enum mapping_status fail_scattered(const struct table *table, uint32_t bits,
                                          struct mapping_error *error) {
    const struct pieces *pieces = pieces_of(table, bits);
    const uint32_t of_element = table->request->bits, per = bits / of_element;
    const uint32_t width = of_element < 8 ? of_element : of_element / 8;
    const char *unit = of_element < 8 ? "bit" : "byte";
    size_t n = 0;
    /* In order of threads: the reader looks at thread 0 first. */
    while (pieces->address[n % pieces->count * table->threads + n / pieces->count] != SCATTERED)
        n++;
    const uint32_t t = (uint32_t)(n / pieces->count), first = (uint32_t)(n % pieces->count) * per;
    for (uint32_t e = first; e + 1 < first + per; e++) {
        uint32_t one = place_of(table, t, e), other = place_of(table, t, e + 1);
        if (other != one + width)
            return mapping_fail(
                error, MAPPING_INVALID,
                "element %u of thread %u must come directly after element %u, but element %u is at "
                "%s %u and element %u at %s %u",
                (unsigned)e + 1, (unsigned)t, (unsigned)e, (unsigned)e, unit, (unsigned)one,
                (unsigned)e + 1, unit, (unsigned)other);
    }
    return mapping_fail(error, MAPPING_INVALID,
                        "element %u of thread %u must be byte-aligned, but is at bit %u",
                        (unsigned)first, (unsigned)t, (unsigned)place_of(table, t, first));
}

/* Checks all but the addresses. */
static enum mapping_status check_widths(const struct table *table,
                                        const struct mapping_access *access,
                                        struct mapping_error *error) {
    const uint32_t width = bits_of(access),
                   bits = access->matrices && access->is_transposed ? 16 : width;
    const uint32_t count = pieces_of(table, width)->count;
    if (access->is_store != table->request->is_store)
        return mapping_fail(error, MAPPING_INVALID, "%s is a %s, but a %s such as %s%s is needed",
                            access->name, access->is_store ? "store" : "load",
                            access->is_store ? "load" : "store", access->is_store ? "ld" : "st",
                            access->name + 2);
    if (!pieces_of(table, bits)->address)
        return mapping_fail(error, MAPPING_INVALID, "%s moves %u bits, but an element has %u",
                            access->name, (unsigned)bits, (unsigned)table->request->bits);
    if (count == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "a thread holds %u bits, which is not a multiple of the %u bits of %s",
                            (unsigned)(table->elements * table->request->bits), (unsigned)width,
                            access->name);
    if (!pieces_of(table, bits)->is_whole)
        return fail_scattered(table, bits, error);
    if (count % count_of(access) != 0)
        return mapping_fail(
            error, MAPPING_INVALID, "each thread holds %u register%s, but %s moves %u at a time",
            (unsigned)count, mapping_plural(count), access->name, (unsigned)count_of(access));
    return MAPPING_OK;
}

/* ---- Alignment ---- */

static enum mapping_status fail_unaligned(const struct table *table,
                                          const struct mapping_access *access, uint32_t bits,
                                          uint32_t piece, uint32_t tid, uint32_t bytes,
                                          struct mapping_error *error) {
    return mapping_fail(
        error, MAPPING_INVALID,
        "element %u of thread %u is at byte %u, but %s of %s must begin at a multiple "
        "of %u bytes",
        (unsigned)element_of(table, bits, piece), (unsigned)tid,
        (unsigned)address_of(table, bits, piece, tid), access->matrices ? "a row" : "an access",
        access->name, (unsigned)bytes);
}

/* Each piece has to lie at a multiple of `bytes` in each thread. */
static enum mapping_status check_aligned(const struct table *table,
                                         const struct mapping_access *access, uint32_t bytes,
                                         struct mapping_error *error) {
    const struct pieces *pieces = pieces_of(table, bits_of(access));
    size_t entries = (size_t)pieces->count * table->threads, n = 0;
    uint32_t low = 0;
    for (size_t e = 0; e < entries; e++)
        low |= pieces->address[e];
    if (low % bytes == 0)
        return MAPPING_OK;
    while (pieces->address[n] % bytes == 0)
        n++;
    return fail_unaligned(table, access, bits_of(access), (uint32_t)(n / table->threads),
                          (uint32_t)(n % table->threads), bytes, error);
}

/* Says that piece[1] of tid[1] does not lie `distance` bytes behind piece[0] of tid[0]. */
static enum mapping_status fail_apart(const struct table *table,
                                      const struct mapping_access *access, uint32_t bits,
                                      const uint32_t piece[2], const uint32_t tid[2],
                                      int32_t distance, struct mapping_error *error) {
    const unsigned bytes = access->matrices ? bits / 8 : access->bytes;
    const unsigned element_bits = table->request->bits;
    if (element_bits > bits && access->matrices)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s gives each thread %u bytes of a row, but an element has %u bytes",
                            access->name, bytes, element_bits / 8);
    return mapping_fail(
        error, MAPPING_INVALID,
        "%s %s %u %sbytes%s%s, so element %u of thread %u must be %d bytes %s element %u of thread "
        "%u, but they are at bytes %u and %u",
        access->name,
        !access->matrices  ? "moves"
        : access->is_store ? "stores"
                           : "gives each thread",
        bytes, access->matrices ? "" : "adjacent ", access->matrices ? " of a row" : "",
        access->matrices && access->is_store ? " from each thread" : "",
        (unsigned)element_of(table, bits, piece[1]), (unsigned)tid[1],
        (int)(distance < 0 ? -distance : distance), distance < 0 ? "before" : "after",
        (unsigned)element_of(table, bits, piece[0]), (unsigned)tid[0],
        (unsigned)address_of(table, bits, piece[1], tid[1]),
        (unsigned)address_of(table, bits, piece[0], tid[0]));
}

/* ---- 64 and 128 bits ---- */

/* In every thread each register has to lie at the same place of the aligned bytes that an access
 * moves. */
static enum mapping_status check_places(const struct table *table,
                                        const struct mapping_access *access,
                                        struct mapping_error *error) {
    const struct pieces *words = pieces_of(table, 32);
    const uint32_t bytes = access->bytes;
    for (uint32_t w = 0; w < words->count; w++) {
        const uint32_t *address = words->address + (size_t)w * table->threads;
        uint32_t differ = 0, t = 1;
        for (uint32_t other = 1; other < table->threads; other++)
            differ |= address[other] ^ address[0];
        if (differ % bytes == 0)
            continue;
        while ((address[t] ^ address[0]) % bytes == 0)
            t++;
        return mapping_fail(error, MAPPING_INVALID,
                            "%s moves %u aligned bytes, so the address of element %u modulo %u "
                            "must be the same in all "
                            "threads, but it is at byte %u in thread 0 and at byte %u in thread %u",
                            access->name, (unsigned)bytes, (unsigned)element_of(table, 32, w),
                            (unsigned)bytes, (unsigned)address[0], (unsigned)address[t],
                            (unsigned)t);
    }
    return MAPPING_OK;
}

/* The first thread in which register v does not lie as far behind register w as in thread 0;
 * the number of threads if there is none. */
static uint32_t first_apart(const struct table *table, uint32_t w, uint32_t v) {
    const uint32_t *one = pieces_of(table, 32)->address + (size_t)w * table->threads;
    const uint32_t *other = pieces_of(table, 32)->address + (size_t)v * table->threads;
    uint32_t differ = 0, t = 0;
    for (uint32_t n = 0; n < table->threads; n++)
        differ |= (other[n] - one[n]) ^ (other[0] - one[0]);
    if (differ == 0)
        return table->threads;
    while (other[t] - one[t] == other[0] - one[0])
        t++;
    return t;
}

/* Finds the lowest register that is not used yet and lies in the same aligned bytes as register w,
 * at `place`, in all threads. */
static enum mapping_status find_beside(const struct table *table,
                                       const struct mapping_access *access, const uint32_t *is_used,
                                       uint32_t w, uint32_t place, uint32_t *found,
                                       struct mapping_error *error) {
    const struct pieces *words = pieces_of(table, 32);
    const uint32_t address = words->address[(size_t)w * table->threads];
    const uint32_t base = address - address % access->bytes, wanted = base + place;
    uint32_t piece[2] = {w, w}, tid[2] = {0, 0};
    for (uint32_t v = 0; v < words->count; v++) {
        if (words->address[(size_t)v * table->threads] != wanted || is_used[v])
            continue;
        const uint32_t t = first_apart(table, w, v);
        *found = piece[1] = v;
        if (t == table->threads)
            return MAPPING_OK;
        tid[0] = tid[1] = t;
    }
    if (tid[0] > 0)
        return fail_apart(table, access, 32, piece, tid, (int32_t)(wanted - address), error);
    return mapping_fail(
        error, MAPPING_INVALID,
        "%s moves bytes %u to %u together, so thread 0 must hold equally many elements in each of "
        "their 32-bit words, but it holds more at byte %u (element %u and others) than at byte %u",
        access->name, (unsigned)base, (unsigned)(base + access->bytes - 1), (unsigned)address,
        (unsigned)element_of(table, 32, w), (unsigned)wanted);
}

/* Registers that lie in the same aligned bytes in all threads are moved together, whatever their
 * numbers. Where a thread holds an element several times there is a choice; but registers at the
 * same place of the same bytes stand for each other, so that any will do. */
static enum mapping_status choose_vectors(struct table *table, const struct mapping_access *access,
                                          struct mapping_error *error) {
    const uint32_t count = pieces_of(table, 32)->count, per = count_of(access);
    uint32_t *next = table->order, *is_used = table->order + count;
    enum mapping_status status = check_aligned(table, access, 4, error);
    if (status == MAPPING_OK)
        status = check_places(table, access, error);
    memset(is_used, 0, count * sizeof *is_used);
    for (uint32_t w = 0; w < count && status == MAPPING_OK; w++) {
        if (is_used[w])
            continue;
        for (uint32_t n = 0; n < per && status == MAPPING_OK; n++)
            status = find_beside(table, access, is_used, w, 4 * n, &next[n], error);
        for (uint32_t n = 0; n < per && status == MAPPING_OK; n++)
            is_used[next[n]] = true;
        next += per;
    }
    return status;
}

/* ---- Matrices ---- */

/* PTX ISA, ldmatrix: thread t of a warp gets bytes 4 * (t % 4) to 4 * (t % 4) + 3 of row t / 4.
 * With .trans half-word h of its register is element t / 4 of row 2 * (t % 4) + h, of 2 bytes. So
 * each piece, a register or with .trans a half-word, comes from rows of 16 aligned bytes. */
static enum mapping_status choose_matrices(struct table *table, const struct mapping_access *access,
                                           struct mapping_error *error) {
    const bool is_transposed = access->is_transposed;
    const uint32_t bits = is_transposed ? 16 : 32, count = pieces_of(table, bits)->count;
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t *address = pieces_of(table, bits)->address + (size_t)p * table->threads;
        for (uint32_t t = 0; t < table->threads; t++) {
            /* the thread that gets the beginning of the row, and how far behind it this one is */
            const uint32_t leader = is_transposed ? t / LANES * LANES + t % 4 : t / 4 * 4;
            const uint32_t distance = is_transposed ? t % LANES / 4 * 2 : t % 4 * 4;
            const uint32_t piece[2] = {p, p}, tid[2] = {leader, t};
            if (leader == t && address[t] % 16 != 0)
                return fail_unaligned(table, access, bits, p, t, 16, error);
            if (address[t] != address[leader] + distance)
                return fail_apart(table, access, bits, piece, tid, (int32_t)distance, error);
        }
    }
    take_in_order(table, pieces_of(table, 32)->count);
    return MAPPING_OK;
}

/* Chooses the pieces of all steps. MAPPING_INVALID, with the reason, if the access cannot move the
 * fragment. */
static enum mapping_status choose(struct table *table, const struct mapping_access *access,
                                  struct mapping_error *error) {
    enum mapping_status status = check_widths(table, access, error);
    if (status != MAPPING_OK)
        return status;
    if (access->matrices)
        return choose_matrices(table, access, error);
    if (access->bytes > 4)
        return choose_vectors(table, access, error);
    take_in_order(table, pieces_of(table, bits_of(access))->count);
    return check_aligned(table, access, access->bytes, error);
}

/* ---- Addresses ---- */

/* Lane 8j + r brings the address of row r of matrix j. */
static uint32_t row_address(const struct table *table, const struct mapping_access *access,
                            uint32_t step, uint32_t warp, uint32_t lane) {
    const uint32_t piece = piece_of(table, access, step, lane / 8), row = lane % 8;
    const uint32_t first = warp * LANES;
    return access->is_transposed ? address_of(table, 16, 2 * piece + row % 2, first + row / 2)
                                 : address_of(table, 32, piece, first + 4 * row);
}

/* The addresses that the lanes of a warp bring in a step. */
static void fill_addresses(const struct table *table, const struct mapping_access *access,
                           uint32_t step, uint32_t warp, uint32_t address[LANES]) {
    const uint32_t active = mapping_access_lanes(access), bits = bits_of(access);
    const uint32_t piece = piece_of(table, access, step, 0);
    for (uint32_t lane = 0; lane < LANES; lane++)
        address[lane] = !access->matrices ? address_of(table, bits, piece, warp * LANES + lane)
                        : lane < active   ? row_address(table, access, step, warp, lane)
                                          : MAPPING_INACTIVE;
}

/* ---- Wavefronts ---- */

/* Counts those of one step, of all warps. */
static void count_step(const struct table *table, const struct mapping_access *access,
                       uint32_t step, uint32_t *wavefronts, uint32_t *minimum) {
    for (uint32_t warp = 0; warp < table->threads / LANES; warp++) {
        uint32_t address[LANES];
        struct mapping_wavefronts result;
        fill_addresses(table, access, step, warp, address);
        mapping_access_count(access, address, &result);
        *wavefronts += result.wavefronts;
        *minimum += result.minimum;
    }
}

enum mapping_status mapping_loading_count(const struct mapping_loading_request *request,
                                          const struct mapping_access *access, uint32_t *wavefronts,
                                          uint32_t *minimum) {
    struct table table;
    *wavefronts = *minimum = 0;
    enum mapping_status status = build(request, &table, NULL);
    if (status == MAPPING_OK)
        status = choose(&table, access, NULL);
    for (uint32_t s = 0; status == MAPPING_OK && s < steps_of(&table, access); s++)
        count_step(&table, access, s, wavefronts, minimum);
    free(table.memory);
    return status;
}

/* ---- Formulae ---- */

/* Deduces a formula for each step, and one for all of them. `address` has those of all steps and
 * threads, where lanes that bring none repeat those that do. */
static void deduce(struct mapping_loading *plan, const uint32_t *address) {
    const struct mapping_space of_step = {1, {{MAPPING_AXIS_TID, plan->threads}}};
    const struct mapping_space of_all = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, plan->threads}}};
    for (uint32_t s = 0; s < plan->step_count; s++)
        plan->steps[s].has_formula =
            mapping_deduce(&of_step, address + (size_t)s * plan->threads, &plan->steps[s].formula);
    plan->has_formula = plan->step_count > 1 && mapping_deduce(&of_all, address, &plan->formula);
}

/* Fills in the addresses that lanes of x1 and x2 do not bring: those of lane % 8 or lane % 16. Then
 * the formula is a function of every tid, and all addresses are those of rows, as sm_75 needs it
 * (PTX ISA, ldmatrix). */
static void repeat(const struct mapping_loading *plan, const uint32_t *address, uint32_t *all) {
    uint32_t lanes = mapping_access_lanes(plan->access);
    size_t count = (size_t)plan->step_count * plan->threads;
    for (size_t n = 0; n < count; n++)
        all[n] = address[n - n % LANES + n % LANES % lanes];
}

/* ---- Plans ---- */

/* Makes room for all steps, their addresses, and these once more. */
static bool allocate_steps(struct mapping_loading *plan) {
    size_t addresses = (size_t)plan->step_count * plan->threads;
    plan->steps =
        calloc(1, plan->step_count * sizeof *plan->steps + 2 * addresses * sizeof(uint32_t));
    return plan->steps != NULL;
}

static void fill_step(const struct table *table, struct mapping_loading *plan, uint32_t s,
                      uint32_t *address) {
    struct mapping_loading_step *step = &plan->steps[s];
    step->piece_count = count_of(plan->access);
    for (uint32_t p = 0; p < step->piece_count; p++)
        step->pieces[p] = piece_of(table, plan->access, s, p);
    step->address = address;
    for (uint32_t warp = 0; warp < plan->threads / LANES; warp++)
        fill_addresses(table, plan->access, s, warp, address + (size_t)warp * LANES);
    step->wavefronts = step->minimum = 0;
    count_step(table, plan->access, s, &step->wavefronts, &step->minimum);
    plan->wavefronts += step->wavefronts;
    plan->minimum += step->minimum;
}

/* Plans with one access, of a request that has been read. */
static enum mapping_status make(struct table *table, const struct mapping_access *access,
                                struct mapping_loading *plan, struct mapping_error *error) {
    enum mapping_status status = choose(table, access, error);
    if (status != MAPPING_OK)
        return status;
    plan->access = access;
    plan->threads = table->threads;
    plan->step_count = steps_of(table, access);
    if (!allocate_steps(plan))
        return mapping_out_of_memory(error);
    uint32_t *address = (uint32_t *)(plan->steps + plan->step_count);
    uint32_t *all = address + (size_t)plan->step_count * plan->threads;
    for (uint32_t s = 0; s < plan->step_count; s++)
        fill_step(table, plan, s, address + (size_t)s * plan->threads);
    repeat(plan, address, all);
    deduce(plan, all);
    return MAPPING_OK;
}

enum mapping_status mapping_loading_plan(const struct mapping_loading_request *request,
                                         const struct mapping_access *access,
                                         struct mapping_loading *plan,
                                         struct mapping_error *error) {
    struct table table;
    memset(plan, 0, sizeof *plan);
    enum mapping_status status = build(request, &table, error);
    if (status == MAPPING_OK)
        status = make(&table, access, plan, error);
    free(table.memory);
    return status;
}

void mapping_loading_free(struct mapping_loading *plan) {
    free(plan->steps);
    memset(plan, 0, sizeof *plan);
}

/* ---- All plans ---- */

/* Puts the last plan where it belongs: behind those of as many wavefronts, which came before it in
 * the order of operations, the widest first, and so have no more steps. */
static void sort_in(struct mapping_loading *plans, size_t last) {
    struct mapping_loading plan = plans[last];
    size_t at = last;
    while (at > 0 && plans[at - 1].wavefronts > plan.wavefronts)
        at--;
    memmove(plans + at + 1, plans + at, (last - at) * sizeof *plans);
    plans[at] = plan;
}

/* Makes every plan that there is. */
static enum mapping_status make_all(struct table *table, struct mapping_loading *plans,
                                    size_t *count, struct mapping_error *error) {
    const struct mapping_access *access;
    for (size_t a = 0; (access = mapping_access_at(a)); a++) {
        struct mapping_loading plan = {.steps = NULL};
        uint32_t arch = table->request->arch;
        if (arch != 0 && mapping_access_since(access) > arch)
            continue;
        enum mapping_status status = make(table, access, &plan, error);
        if (status == MAPPING_FAILED)
            return status;
        if (status != MAPPING_OK)
            continue;
        plans[*count] = plan;
        sort_in(plans, (*count)++);
    }
    return MAPPING_OK;
}

/* Says why the narrowest access that is as wide as an element, or 32 bits, cannot. */
static enum mapping_status explain_narrowest(struct table *table, struct mapping_error *error) {
    const struct mapping_access *access, *narrowest = NULL;
    for (size_t a = 0; (access = mapping_access_at(a)); a++)
        if (!access->matrices && access->is_store == table->request->is_store &&
            pieces_of(table, bits_of(access))->address &&
            (!narrowest || access->bytes < narrowest->bytes))
            narrowest = access;
    return narrowest ? choose(table, narrowest, error) : MAPPING_OK;
}

enum mapping_status mapping_loading_all(const struct mapping_loading_request *request,
                                        struct mapping_loading **plans, size_t *count,
                                        struct mapping_error *error) {
    struct table table;
    size_t accesses = 0;
    *plans = NULL;
    *count = 0;
    while (mapping_access_at(accesses))
        accesses++;
    enum mapping_status status = build(request, &table, error);
    if (status == MAPPING_OK && !(*plans = calloc(accesses + 1, sizeof **plans)))
        status = mapping_out_of_memory(error);
    if (status == MAPPING_OK)
        status = make_all(&table, *plans, count, error);
    if (status == MAPPING_OK && *count == 0)
        status = explain_narrowest(&table, error);
    free(table.memory);
    return status;
}
