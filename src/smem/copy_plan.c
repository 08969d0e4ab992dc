/* copy_plan.c - plans of loads and stores: pieces, steps, addresses, formulae, wavefronts; see
 * copy_plan.h.
 *
 * 1. A table gives the memory address of every byte of every thread's registers.
 * 2. An access moves pieces: registers, or bytes or half-words of registers. choose() decides which
 *    pieces each step moves, or why the access cannot move them.
 * 3. The plan has a step for each group of pieces, with the addresses that the lanes provide.
 *
 * For example, take D of m16n8 in f16, stored row by row: registers 0 and 1 of thread 0 have
 * elements (0,0), (0,1) and (8,0), (8,1). st.b32 stores each register in a step. st.b64 cannot
 * store both at once, because they are not adjacent. */
#include "smem/copy_plan.h"

#include "layout/cute_layout.h"
#include "layout/sentence.h"
#include "system/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCATTERED UINT32_MAX

/* A fragment whose registers are to be loaded or stored. */
struct job {
    const struct mapping_copy_request *request;
    uint32_t threads, elements, bits; /* of a thread: the number of elements, and the bits of all */
    uint32_t memory_bits;             /* the size of an element in memory */
    bool is_packed;                   /* elements have more bits in registers than in memory */
    uint32_t *place;   /* place[tid * elements + e]: the address of element e of a thread, in bytes,
                          or in bits for elements below 8 bits; owned, with the next two */
    uint32_t *address; /* address[b * threads + tid]: the address of byte b of a thread's registers,
                          in bits for packed elements; SCATTERED if its elements are not adjacent */
    uint32_t *order;   /* the pieces of step 0, then those of step 1, ... */
    const struct mapping_access *access;
    struct mapping_error *error;
};

/* ---- Requests ---- */

/* Checks the spaces, and whether the fragment fits in the matrix. */
static enum mapping_status check_request(const struct mapping_copy_request *request,
                                         struct mapping_error *error) {
    const struct mapping_layout *fragment = request->fragment;
    const struct mapping_space *memory = &request->memory->from, *from = &fragment->from;
    const struct mapping_axis *matrix = memory->axis, *size = fragment->to.axis;
    const uint32_t bits = request->bits;
    if (memory->count != 2 || request->memory->to.count != 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "a matrix in memory must map row and column to an offset");
    if (from->count != 2 || fragment->to.count != 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "a loaded or stored fragment must map thread and element to row and "
                            "column of one matrix");
    if (from->axis[1].size == 0)
        return mapping_fail(error, MAPPING_INVALID, "the fragment has no elements");
    if (from->axis[0].size == 0 || from->axis[0].size % LANES != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "the fragment has %u threads, which is not a multiple of 32 (a warp)",
                            from->axis[0].size);
    if (bits == 0 || bits > 64 || (bits & (bits - 1)) != 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "elements of %u bits cannot be addressed; use 1, 2, 4, 8, 16, 32 or 64 bits", bits);
    if (request->memory_bits && request->memory_bits != bits &&
        (bits != 8 || (request->memory_bits != 4 && request->memory_bits != 6)))
        return mapping_fail(error, MAPPING_INVALID,
                            "no operation turns %u-bit elements in memory into %u bits",
                            request->memory_bits, bits);
    for (int c = 0; c < 2; c++)
        if ((uint64_t)request->origin[c] + size[c].size > matrix[c].size)
            return mapping_fail(
                error, MAPPING_INVALID,
                "the %ux%u fragment at row %u, column %u does not fit in the %ux%u matrix",
                size[0].size, size[1].size, request->origin[0], request->origin[1], matrix[0].size,
                matrix[1].size);
    return MAPPING_OK;
}

/* ---- Where the bytes of registers lie ---- */

/* Finds the place of each element. All must lie within the size of shared memory, so that a place
 * fits in 32 bits. */
static enum mapping_status find_places(const struct job *job) {
    const struct mapping_layout *fragment = job->request->fragment, *memory = job->request->memory;
    const uint32_t bits = job->memory_bits, *origin = job->request->origin;
    const struct mapping_axis *size = fragment->to.axis;
    for (size_t n = 0; n < (size_t)job->threads * job->elements; n++) {
        const uint32_t row = fragment->coordinate[0][n], col = fragment->coordinate[1][n];
        if (row >= size[0].size || col >= size[1].size)
            return mapping_fail(job->error, MAPPING_INVALID,
                                "the fragment has elements outside its %u rows and %u columns",
                                size[0].size, size[1].size);
        const size_t entry =
            (size_t)(origin[0] + row) * memory->from.axis[1].size + origin[1] + col;
        const uint64_t bit = (uint64_t)memory->coordinate[0][entry] * bits;
        if (bit + bits > (uint64_t)SHARED_BYTES_MAX * 8)
            return mapping_fail(
                job->error, MAPPING_INVALID,
                "element %zu of thread %zu is at byte %llu, but shared memory has at most %d bytes",
                n % job->elements, n / job->elements, (unsigned long long)(bit / 8),
                SHARED_BYTES_MAX);
        job->place[n] = (uint32_t)(bits < 8 ? bit : bit / 8);
    }
    return MAPPING_OK;
}

/* Finds the address of each byte of a thread's registers. A byte of several elements is SCATTERED
 * if these are not adjacent in memory or do not begin at a byte boundary. */
static void find_bytes(const struct job *job, uint32_t tid) {
    const uint32_t bits = job->request->bits, per = bits < 8 ? 8 / bits : 1;
    const uint32_t *place = job->place + (size_t)tid * job->elements;
    uint32_t *address = job->address + tid;
    for (uint32_t e = 0; e + per <= job->elements; e += per) {
        uint32_t first = place[e];
        bool is_whole = bits >= 8 || first % 8 == 0;
        for (uint32_t n = 1; n < per; n++)
            is_whole &= place[e + n] == first + n * bits;
        first = bits < 8 ? first / 8 : first;
        for (uint32_t b = 0; b < (bits < 8 ? 1 : bits / 8); b++, address += job->threads)
            *address = is_whole ? first + b : SCATTERED;
    }
}

static enum mapping_status build(const struct mapping_copy_request *request, struct job *job,
                                 struct mapping_error *error) {
    *job = (struct job){.request = request, .error = error};
    enum mapping_status status = check_request(request, error);
    if (status != MAPPING_OK)
        return status;
    job->threads = request->fragment->from.axis[0].size;
    job->elements = request->fragment->from.axis[1].size;
    job->bits = job->elements * request->bits;
    job->memory_bits = request->memory_bits ? request->memory_bits : request->bits;
    job->is_packed = job->memory_bits != request->bits;
    const size_t entries = mapping_layout_entries(request->fragment), bytes = job->bits / 8;
    job->place = memory_get(entries + bytes * (job->threads + 2), sizeof *job->place);
    job->address = job->place + entries;
    job->order = job->address + bytes * job->threads;
    status = find_places(job);
    for (uint32_t t = 0; t < job->threads && status == MAPPING_OK; t++)
        find_bytes(job, t);
    return status;
}

/* ---- The pieces of an access ---- */

/* The number of registers of a matrix. */
static uint32_t registers_of(const struct mapping_access *access) {
    return access->rows / 8U;
}

/* The number of pieces that a step moves; width_of: the number of bytes in a piece. */
static uint32_t count_of(const struct mapping_access *access) {
    if (access->matrices)
        return access->matrices * registers_of(access);
    return access->bytes > 4 ? access->bytes / 4 : 1;
}

static uint32_t width_of(const struct mapping_access *access) {
    return access->bytes < 4 ? access->bytes : 4;
}

/* The addresses of a piece of `width` bytes, of all threads. */
static const uint32_t *addresses_of(const struct job *job, uint32_t width, uint32_t piece) {
    return job->address + (size_t)piece * width * job->threads;
}

/* The first element of a piece, or the one that it is a part of. */
static uint32_t element_of(const struct job *job, uint32_t width, uint32_t piece) {
    return piece * width * 8 / job->request->bits;
}

/* True if the access moves whole registers, or if an element fits in the access. */
static bool is_wide_enough(const struct job *job, uint32_t width) {
    return width >= 4 || job->request->bits <= width * 8;
}

/* ---- Whole pieces ---- */

/* Names elements of one piece that are not adjacent, or that begin inside a byte. */
static enum mapping_status fail_scattered(const struct job *job, uint32_t width, uint32_t piece,
                                          uint32_t t) {
    const uint32_t bits = job->request->bits, first = element_of(job, width, piece);
    const uint32_t *place = job->place + (size_t)t * job->elements;
    for (uint32_t e = first; e + 1 < first + width * 8 / bits; e++) {
        const uint32_t one = place[e], other = place[e + 1];
        const char *unit = bits < 8 ? "bit" : "byte";
        if (other != one + (bits < 8 ? bits : bits / 8))
            return mapping_fail(
                job->error, MAPPING_INVALID,
                "element %u of thread %u must follow element %u in memory, but element %u is at "
                "%s %u and element %u at %s %u",
                e + 1, t, e, e, unit, one, e + 1, unit, other);
    }
    return mapping_fail(job->error, MAPPING_INVALID,
                        "element %u of thread %u must be byte-aligned, but is at bit %u", first, t,
                        place[first]);
}

/* The 1, 2 or 4 bytes of each piece must be adjacent. Thread 0 is checked first, since the reader
 * of the message looks there first. */
static enum mapping_status check_whole(const struct job *job, uint32_t width) {
    for (uint32_t t = 0; t < job->threads; t++)
        for (uint32_t b = 0; b < job->bits / 8; b++) {
            const uint32_t *address = addresses_of(job, 1, b) + t;
            if (*address == SCATTERED ||
                ((b & (width - 1)) > 0 && *address != *(address - job->threads) + 1))
                return fail_scattered(job, width, b / width, t);
        }
    return MAPPING_OK;
}

bool mapping_copy_plan_suits(const struct mapping_copy_request *request,
                             const struct mapping_access *access) {
    const uint32_t in_memory = request->memory_bits ? request->memory_bits : request->bits;
    return access->is_store == request->is_store &&
           (request->arch == 0 || mapping_access_since(access) <= request->arch) &&
           access->packed == (in_memory != request->bits ? in_memory : 0) &&
           (access->packed == 0 || access->is_signed == request->is_signed);
}

/* An access moves elements unchanged, or widens packed ones, which may also be in a matrix of
 * bytes: see mapping_copy_plan_make(). */
static enum mapping_status check_packed(const struct job *job) {
    const struct mapping_access *access = job->access;
    if (job->is_packed && access->packed != job->memory_bits)
        return mapping_fail(job->error, MAPPING_INVALID,
                            "elements have %u bits in memory and %u in registers, but %s %s",
                            job->memory_bits, job->request->bits, access->name,
                            access->packed ? "reads others"
                                           : "leaves the size of elements as it is");
    if (access->packed && access->is_signed != job->request->is_signed && job->is_packed)
        return mapping_fail(job->error, MAPPING_INVALID, "%s %s elements", access->name,
                            access->is_signed ? "sign-extends" : "does not sign-extend");
    if (access->packed && job->request->bits != 8)
        return mapping_fail(job->error, MAPPING_INVALID,
                            "%s gives elements of 8 bits, but these have %u", access->name,
                            job->request->bits);
    return MAPPING_OK;
}

/* Checks everything except the addresses. */
static enum mapping_status check_widths(const struct job *job) {
    const struct mapping_access *access = job->access;
    const uint32_t width = width_of(access), registers = job->bits / 8 / width;
    const uint32_t whole = access->matrices ? access->unit : width;
    if (access->is_store != job->request->is_store)
        return mapping_fail(job->error, MAPPING_INVALID,
                            "%s is a %s, but a %s such as %s%s is needed", access->name,
                            access->is_store ? "store" : "load",
                            access->is_store ? "load" : "store", access->is_store ? "ld" : "st",
                            whole == 1 && access->matrices ? ".b32" : access->name + 2);
    if (check_packed(job) != MAPPING_OK)
        return MAPPING_INVALID;
    if (!is_wide_enough(job, whole))
        return mapping_fail(job->error, MAPPING_INVALID,
                            "%s moves %u-bit elements, but these have %u bits", access->name,
                            whole * 8, job->request->bits);
    if (job->bits % (width * 8) != 0)
        return mapping_fail(job->error, MAPPING_INVALID,
                            "a thread holds %u bits, which is not a multiple of the %u bits of %s",
                            job->bits, width * 8, access->name);
    enum mapping_status status = check_whole(job, whole);
    if (status == MAPPING_OK && registers % count_of(access) != 0)
        return mapping_fail(job->error, MAPPING_INVALID,
                            "each thread holds %u register%s, but %s moves %u at a time", registers,
                            mapping_plural(registers), access->name, count_of(access));
    return status;
}

/* ---- Alignment ---- */

static enum mapping_status fail_unaligned(const struct job *job, uint32_t width, uint32_t piece,
                                          uint32_t tid, uint32_t bytes) {
    return mapping_fail(job->error, MAPPING_INVALID,
                        "%s of %s would begin at element %u of thread %u, which is at %s %u, not "
                        "at a multiple of %u bytes%s",
                        job->access->matrices ? "a row" : "an access", job->access->name,
                        element_of(job, width, piece), tid, job->is_packed ? "bit" : "byte",
                        addresses_of(job, width, piece)[tid], bytes,
                        job->is_packed ? "; 16 packed elements take 16 bytes in memory" : "");
}

/* The address of each piece must be a multiple of `bytes` in each thread. */
static enum mapping_status check_aligned(const struct job *job, uint32_t bytes) {
    const uint32_t width = width_of(job->access);
    for (uint32_t p = 0; p < job->bits / 8 / width; p++)
        for (uint32_t t = 0; t < job->threads; t++)
            if (addresses_of(job, width, p)[t] % bytes != 0)
                return fail_unaligned(job, width, p, t, bytes);
    return MAPPING_OK;
}

/* Fails because piece[1] of tid[1] is not `distance` bytes after piece[0] of tid[0]. */
static enum mapping_status fail_apart(const struct job *job, uint32_t width,
                                      const uint32_t piece[2], const uint32_t tid[2],
                                      int32_t distance) {
    const struct mapping_access *access = job->access;
    const unsigned bytes = access->matrices ? width : access->bytes;
    if (access->matrices && access->unit == 1)
        return mapping_fail(
            job->error, MAPPING_INVALID,
            "%s moves rows of 16 adjacent elements, so element %u of thread %u must be %d %ss %s "
            "element %u of thread %u, but they are at %ss %u and %u",
            access->name, element_of(job, width, piece[1]), tid[1],
            (int)(distance < 0 ? -distance : distance), job->is_packed ? "bit" : "byte",
            distance < 0 ? "before" : "after", element_of(job, width, piece[0]), tid[0],
            job->is_packed ? "bit" : "byte", addresses_of(job, width, piece[0])[tid[0]],
            addresses_of(job, width, piece[1])[tid[1]]);
    if (access->matrices && job->request->bits > width * 8)
        return mapping_fail(job->error, MAPPING_INVALID,
                            "%s gives each thread %u bytes of a row, but an element has %u bytes",
                            access->name, bytes, job->request->bits / 8);
    return mapping_fail(
        job->error, MAPPING_INVALID,
        "%s %s %u %sbytes%s%s, so element %u of thread %u must be %d bytes %s element %u of thread "
        "%u, but they are at bytes %u and %u",
        access->name,
        !access->matrices  ? "moves"
        : access->is_store ? "stores"
                           : "gives each thread",
        bytes, access->matrices ? "" : "adjacent ", access->matrices ? " of a row" : "",
        access->matrices && access->is_store ? " from each thread" : "",
        element_of(job, width, piece[1]), tid[1], (int)(distance < 0 ? -distance : distance),
        distance < 0 ? "before" : "after", element_of(job, width, piece[0]), tid[0],
        addresses_of(job, width, piece[1])[tid[1]], addresses_of(job, width, piece[0])[tid[0]]);
}

/* ---- 64 and 128 bits ---- */

/* In all threads, a register must have the same position in the aligned bytes of an access. */
static enum mapping_status check_places(const struct job *job) {
    const uint32_t bytes = job->access->bytes;
    for (uint32_t w = 0; w < job->bits / 32; w++) {
        const uint32_t *address = addresses_of(job, 4, w);
        for (uint32_t t = 1; t < job->threads; t++)
            if ((address[t] ^ address[0]) % bytes != 0)
                return mapping_fail(
                    job->error, MAPPING_INVALID,
                    "%s needs addresses that are multiples of %u, but element %u is at byte %u in "
                    "thread 0 and at byte %u in thread %u",
                    job->access->name, bytes, element_of(job, 4, w), address[0], address[t], t);
    }
    return MAPPING_OK;
}

/* Finds the lowest register that is not used yet and lies in the same aligned bytes as register w,
 * at `place`, in all threads. */
static enum mapping_status find_beside(const struct job *job, const uint32_t *is_used, uint32_t w,
                                       uint32_t place, uint32_t *found) {
    const uint32_t *one = addresses_of(job, 4, w), bytes = job->access->bytes;
    const uint32_t base = one[0] - one[0] % bytes, wanted = base + place;
    uint32_t piece[2] = {w, w}, tid[2] = {0, 0};
    for (uint32_t v = 0; v < job->bits / 32; v++) {
        const uint32_t *other = addresses_of(job, 4, v);
        uint32_t t = 0;
        if (other[0] != wanted || is_used[v])
            continue;
        while (t < job->threads && other[t] - one[t] == other[0] - one[0])
            t++;
        *found = piece[1] = v;
        if (t == job->threads)
            return MAPPING_OK;
        tid[0] = tid[1] = t;
    }
    if (tid[0] > 0)
        return fail_apart(job, 4, piece, tid, (int32_t)(wanted - one[0]));
    return mapping_fail(
        job->error, MAPPING_INVALID,
        "%s moves bytes %u to %u of thread 0 together, but the thread holds more elements of the "
        "32-bit word at byte %u (element %u and others) than of the one at byte %u",
        job->access->name, base, base + bytes - 1, one[0], element_of(job, 4, w), wanted);
}

/* Registers that lie in the same aligned bytes in all threads are moved together, whatever their
 * numbers. If a thread holds an element several times, any of these registers works, because they
 * are at the same place of the same bytes. */
static enum mapping_status choose_vectors(const struct job *job) {
    const uint32_t count = job->bits / 32, per = count_of(job->access);
    uint32_t *next = job->order, *is_used = job->order + count;
    enum mapping_status status = check_aligned(job, 4);
    if (status == MAPPING_OK)
        status = check_places(job);
    memset(is_used, 0, count * sizeof *is_used);
    for (uint32_t w = 0; w < count && status == MAPPING_OK; w++) {
        if (is_used[w])
            continue;
        for (uint32_t n = 0; n < per && status == MAPPING_OK; n++)
            status = find_beside(job, is_used, w, 4 * n, &next[n]);
        for (uint32_t n = 0; n < per && status == MAPPING_OK; n++)
            is_used[next[n]] = true;
        next += per;
    }
    return status;
}

/* ---- Matrices ---- */

/* The place of a unit of a register in a matrix: the row, and the units before it in the row. */
struct in_matrix {
    uint32_t row, distance;
};

/* PTX ISA, ldmatrix: thread t of a warp receives bytes 4 * (t % 4) to 4 * (t % 4) + 3 of row t / 4;
 * if elements are widened, it receives as many elements. With .trans, unit u of its register (2
 * bytes or 1 byte) is element t / 4 of row 2 * (t % 4) + u, or for m16n16, of row 4 * (t % 4) + u.
 * The rest of the register, or the second register, holds the element 8 columns further. */
static struct in_matrix locate(const struct mapping_access *access, uint32_t reg, uint32_t unit,
                               uint32_t lane) {
    const uint32_t units = 4U / access->unit, rows = access->rows / 4U; /* of a lane */
    if (!access->is_transposed)
        return (struct in_matrix){lane / 4, lane % 4 * units + unit};
    return (struct in_matrix){lane % 4 * rows + unit % rows, lane / 4 + 8 * (reg + unit / rows)};
}

/* The distance of two neighbours in a row, in bytes, or in bits if they are packed. */
static uint32_t distance_of(const struct job *job) {
    return job->is_packed ? job->access->packed : job->access->unit;
}

static const uint32_t *unit_addresses(const struct job *job, uint32_t reg, uint32_t unit) {
    return addresses_of(job, job->access->unit, reg * (4U / job->access->unit) + unit);
}

/* m16n16 fills two registers for each matrix. Finds the second one, which has the second half of
 * each row. Registers with the same addresses are interchangeable, as in choose_vectors(). */
static enum mapping_status choose_pairs(struct job *job) {
    const uint32_t count = job->bits / 32, row = (job->is_packed ? 8 : 1) * 16U;
    const uint32_t half = 8 * distance_of(job);
    uint32_t *next = job->order, *is_used = job->order + count;
    memset(is_used, 0, count * sizeof *is_used);
    for (uint32_t w = 0; w < count; w++) {
        uint32_t v = 0;
        if (is_used[w] || *unit_addresses(job, w, 0) % row != 0)
            continue;
        for (; v < count; v++) {
            bool is_second = !is_used[v] && v != w;
            for (uint32_t u = 0; u < 4 && is_second; u++)
                for (uint32_t t = 0; t < job->threads && is_second; t++)
                    is_second = unit_addresses(job, v, u)[t] == unit_addresses(job, w, u)[t] + half;
            if (is_second)
                break;
        }
        if (v == count)
            return mapping_fail(job->error, MAPPING_INVALID,
                                "%s needs a register whose elements are 8 behind those of register "
                                "%u in memory in all threads, but there is none",
                                job->access->name, w);
        is_used[w] = is_used[v] = true;
        *next++ = w;
        *next++ = v;
    }
    for (uint32_t w = 0; w < count; w++)
        if (!is_used[w])
            return fail_unaligned(job, 1, 4 * w, 0, 16);
    return MAPPING_OK;
}

/* The address of a unit must follow from that of its row, which is a multiple of 16 bytes. */
static enum mapping_status check_rows(const struct job *job) {
    const struct mapping_access *access = job->access;
    const uint32_t registers = registers_of(access), units = 4U / access->unit;
    for (uint32_t n = 0; n < job->bits / 32 * units; n++) {
        const uint32_t r = n / units, reg = job->order[r], unit = n % units;
        const uint32_t of_row = access->is_transposed ? unit % (access->rows / 4U) : 0;
        const uint32_t piece[2] = {job->order[r - r % registers] * units + of_row,
                                   reg * units + unit};
        const uint32_t *address = unit_addresses(job, reg, unit);
        for (uint32_t t = 0; t < job->threads; t++) {
            const struct in_matrix at = locate(access, r % registers, unit, t % LANES);
            const uint32_t distance = at.distance * distance_of(job);
            /* the thread that has the first element of the row */
            const uint32_t tid[2] = {access->is_transposed ? t / LANES * LANES + t % 4 : t / 4 * 4,
                                     t};
            const uint32_t start = addresses_of(job, access->unit, piece[0])[tid[0]];
            if (at.distance == 0 && start % (job->is_packed ? 128 : 16) != 0)
                return fail_unaligned(job, access->unit, piece[1], t, 16);
            if (address[t] != start + distance)
                return fail_apart(job, access->unit, piece, tid, (int32_t)distance);
        }
    }
    return MAPPING_OK;
}

/* Chooses the pieces of all steps. MAPPING_INVALID with the reason if this is impossible. */
static enum mapping_status choose(struct job *job, const struct mapping_access *access) {
    job->access = access;
    enum mapping_status status = check_widths(job);
    for (uint32_t p = 0; status == MAPPING_OK && p < job->bits / 8 / width_of(access); p++)
        job->order[p] = p;
    if (status == MAPPING_OK && access->rows == 16)
        status = choose_pairs(job);
    if (status != MAPPING_OK)
        return status;
    return access->matrices    ? check_rows(job)
           : access->bytes > 4 ? choose_vectors(job)
                               : check_aligned(job, access->bytes);
}

/* ---- Plans ---- */

/* The address that a lane of a warp provides for a step that moves these pieces. For matrices of 8
 * rows, lane 8j + r provides the address of row r of matrix j. */
static uint32_t lane_address(const struct job *job, const uint32_t *pieces, uint32_t warp,
                             uint32_t lane) {
    const struct mapping_access *access = job->access;
    const uint32_t first = warp * LANES;
    if (lane >= mapping_access_lanes(access))
        return MAPPING_INACTIVE;
    if (!access->matrices)
        return addresses_of(job, width_of(access), pieces[0])[first + lane];
    const uint32_t row = lane % access->rows, rows = access->rows / 4U;
    const size_t piece = (size_t)(lane / access->rows) * registers_of(access);
    const uint32_t reg = pieces[piece];
    const uint32_t *address = unit_addresses(job, reg, access->is_transposed ? row % rows : 0);
    const size_t behind = access->is_transposed ? row / rows : (size_t)4 * row;
    return address[first + behind] / (job->is_packed ? 8 : 1);
}

/* Begins a plan: allocates its steps and addresses, all 0. */
static void begin(struct mapping_copy_plan *plan, const struct mapping_access *access,
                  uint32_t threads, uint32_t steps) {
    const size_t addresses = (size_t)steps * threads;
    *plan = (struct mapping_copy_plan){.access = access, .threads = threads};
    plan->steps =
        memory_get(1, (steps + !steps) * sizeof *plan->steps + 2 * addresses * sizeof(uint32_t));
    plan->step_count = steps;
    for (uint32_t s = 0; s < steps; s++)
        plan->steps[s].address = (uint32_t *)(plan->steps + steps) + (size_t)s * threads;
}

/* Counts the wavefronts of all steps, once they have addresses. */
static void count_wavefronts(struct mapping_copy_plan *plan) {
    for (uint32_t s = 0; s < plan->step_count; s++) {
        struct mapping_copy_step *step = &plan->steps[s];
        for (uint32_t first = 0; first < plan->threads; first += LANES) {
            struct mapping_wavefronts result;
            mapping_access_count(plan->access, step->address + first, &result);
            step->wavefronts += result.wavefronts;
            step->minimum += result.minimum;
        }
        plan->wavefronts += step->wavefronts;
        plan->minimum += step->minimum;
    }
}

/* Plans with one access. */
static enum mapping_status make(struct job *job, const struct mapping_access *access,
                                struct mapping_copy_plan *plan) {
    const uint32_t per = count_of(access);
    enum mapping_status status = choose(job, access);
    if (status != MAPPING_OK)
        return status;
    begin(plan, access, job->threads, job->bits / 8 / width_of(access) / per);
    for (uint32_t s = 0; s < plan->step_count; s++) {
        struct mapping_copy_step *step = &plan->steps[s];
        step->piece_count = per;
        memcpy(step->pieces, job->order + (size_t)s * per, per * sizeof *step->pieces);
        for (uint32_t t = 0; t < plan->threads; t++)
            step->address[t] = lane_address(job, step->pieces, t / LANES, t % LANES);
    }
    count_wavefronts(plan);
    return MAPPING_OK;
}

void mapping_copy_plan_deduce(struct mapping_copy_plan *plan) {
    const uint32_t lanes = mapping_access_lanes(plan->access), threads = plan->threads;
    const struct mapping_space all = {
        2, {{MAPPING_AXIS_STEP, plan->step_count}, {MAPPING_AXIS_TID, threads}}};
    const uint32_t *address = plan->steps[0].address;
    uint32_t *repeated = plan->steps[0].address + (size_t)plan->step_count * threads;
    bool is_whole = plan->step_count > 1;
    for (uint32_t s = 0; s < plan->step_count; s++) {
        uint32_t *of_step = repeated + (size_t)s * threads, active = 0;
        for (uint32_t t = 0; t < threads; t++)
            of_step[t] = address[(size_t)s * threads + t - t % LANES + t % LANES % lanes];
        while (active < threads && of_step[active] != MAPPING_INACTIVE)
            active++;
        const struct mapping_space space = {1, {{MAPPING_AXIS_TID, active}}};
        plan->steps[s].has_formula = mapping_deduce(&space, of_step, &plan->steps[s].formula);
        is_whole &= active == threads;
    }
    plan->has_formula = is_whole && mapping_deduce(&all, repeated, &plan->formula);
}

enum mapping_status mapping_copy_plan_make(const struct mapping_copy_request *request,
                                           const struct mapping_access *access,
                                           struct mapping_copy_plan *plan,
                                           struct mapping_error *error) {
    struct job job;
    memset(plan, 0, sizeof *plan);
    enum mapping_status status = build(request, &job, error);
    if (status == MAPPING_OK)
        status = make(&job, access, plan);
    mapping_free(job.place);
    return status;
}

void mapping_copy_plan_free(struct mapping_copy_plan *plan) {
    mapping_free(plan->steps);
    memset(plan, 0, sizeof *plan);
}

/* ---- Other origins ---- */

/* True if a plan has the addresses of another one with a byte offset added or xored. */
static bool is_moved(const struct mapping_copy_plan *plan, const struct mapping_copy_plan *other,
                     char operation, uint32_t byte) {
    for (uint32_t s = 0; s < plan->step_count; s++) {
        const struct mapping_copy_step *one = &plan->steps[s], *moved = &other->steps[s];
        if (memcmp(one->pieces, moved->pieces, one->piece_count * sizeof *one->pieces) != 0)
            return false;
        for (uint32_t t = 0; t < plan->threads; t++) {
            const uint32_t from = one->address[t], to = moved->address[t];
            if (from == MAPPING_INACTIVE || to == MAPPING_INACTIVE
                    ? from != to
                    : to != (operation == '+' ? from + byte : from ^ byte))
                return false;
        }
    }
    return true;
}

enum mapping_status mapping_copy_plan_move(const struct mapping_copy_request *request,
                                           uint32_t stages, struct mapping_copy_plan *plan,
                                           struct mapping_copy_moves *moves,
                                           struct mapping_error *error) {
    const struct mapping_axis *matrix = request->memory->from.axis;
    const struct mapping_axis *size = request->fragment->to.axis;
    const uint32_t bits = request->memory_bits ? request->memory_bits : request->bits;
    const size_t across = matrix[1].size / size[1].size;
    const size_t in_stage = matrix[0].size / size[0].size * across, most = in_stage * stages;
    const size_t entries = (size_t)matrix[0].size * matrix[1].size;
    struct mapping_layout memory = *request->memory;
    struct mapping_copy_request at = *request;
    at.memory = &memory;
    bool can_add = true, can_xor = true;
    const uint32_t start = (uint32_t)((uint64_t)memory.coordinate[0][0] * bits / 8);
    *moves =
        (struct mapping_copy_moves){.rows = size[0].size, .cols = size[1].size, .stages = stages};
    moves->bytes = memory_get(most, sizeof *moves->bytes);
    for (size_t n = 0; n < most; n++) {
        struct mapping_copy_plan other;
        memory.coordinate[0] = request->memory->coordinate[0] + n / in_stage * entries;
        at.origin[0] = (uint32_t)(n % in_stage / across) * size[0].size;
        at.origin[1] = (uint32_t)(n % across) * size[1].size;
        const size_t entry = (size_t)at.origin[0] * matrix[1].size + at.origin[1];
        const uint32_t byte = (uint32_t)((uint64_t)memory.coordinate[0][entry] * bits / 8);
        const enum mapping_status status = mapping_copy_plan_make(&at, plan->access, &other, error);
        if (status == MAPPING_OK) {
            can_add = can_add && byte >= start && is_moved(plan, &other, '+', byte - start);
            can_xor = can_xor && is_moved(plan, &other, '^', byte ^ start);
            plan->wavefronts =
                other.wavefronts > plan->wavefronts ? other.wavefronts : plan->wavefronts;
        }
        mapping_copy_plan_free(&other);
        if (status != MAPPING_OK)
            return status;
        if (!can_add && !can_xor)
            return mapping_fail(error, MAPPING_INVALID,
                                "the addresses at row %u, column %u%s are not those at row 0, "
                                "column 0 with an offset added or xored",
                                at.origin[0], at.origin[1],
                                n < in_stage ? "" : " of a later stage");
        moves->bytes[moves->count++] = byte;
    }
    moves->operation = can_add ? '+' : '^';
    for (size_t n = 0; n < moves->count; n++)
        moves->bytes[n] = can_add ? moves->bytes[n] - start : moves->bytes[n] ^ start;
    return MAPPING_OK;
}

/* ---- All plans ---- */

/* Sorts the last plan in, after those with as many wavefronts: they came before it in the order of
 * operations, the widest first, so they do not have more steps. */
static void sort_in(struct mapping_copy_plan *plans, size_t last) {
    struct mapping_copy_plan plan = plans[last];
    size_t at = last;
    while (at > 0 && plans[at - 1].wavefronts > plan.wavefronts)
        at--;
    memmove(plans + at + 1, plans + at, (last - at) * sizeof *plans);
    plans[at] = plan;
}

enum mapping_status mapping_copy_plan_all(const struct mapping_copy_request *request,
                                          struct mapping_copy_plan **plans, size_t *count,
                                          struct mapping_error *error) {
    struct job job;
    const struct mapping_access *access, *narrowest = NULL;
    size_t accesses = 0;
    *plans = NULL;
    *count = 0;
    while (mapping_access_at(accesses))
        accesses++;
    enum mapping_status status = build(request, &job, error);
    *plans = memory_get(accesses + 1, sizeof **plans);
    for (size_t a = 0; status == MAPPING_OK && (access = mapping_access_at(a)); a++) {
        if (!mapping_copy_plan_suits(request, access))
            continue;
        if (make(&job, access, &(*plans)[*count]) == MAPPING_OK)
            sort_in(*plans, (*count)++);
        if (access->packed || (!access->matrices && is_wide_enough(&job, access->bytes)))
            narrowest = access; /* operations are tried from the widest on */
    }
    *plans = memory_resize(*plans, *count + 1, sizeof **plans); /* a plan has several KiB */
    if (status == MAPPING_OK && *count == 0 && narrowest)
        status = choose(&job, narrowest);
    else if (status == MAPPING_OK && *count == 0)
        status = mapping_fail(error, MAPPING_INVALID,
                              "elements have %u bits in memory and %u in registers, and only "
                              "ldmatrix of m8n16 and m16n16 widens elements, on sm_%u or later",
                              job.memory_bits, request->bits, request->is_signed ? 90U : 100U);
    mapping_free(job.place);
    return status;
}

/* ---- Copies of a whole matrix with 16 bytes per lane, as cp.async does ----
 *
 * Piece 0 is the first 16 bytes of the first row, or of the first column if columns are contiguous
 * in memory. Piece 1 is the next 16 bytes, and so on to the end of the matrix. Lane l of step s
 * writes piece 32 s + l.
 *
 * If 16 bytes do not hold a whole number of elements, the smallest group of pieces that does is
 * copied as one: 64 elements of 6 bits are 48 bytes, 3 pieces. */

enum { PIECE_BITS = 128, PIECE_BYTES = 16 };

/* The smallest number of pieces that hold a whole number of elements. */
static uint32_t find_group(uint32_t bits) {
    uint32_t pieces = bits;
    while (pieces % 2 == 0 && pieces * (PIECE_BITS / 2) % bits == 0)
        pieces /= 2;
    return pieces;
}

/* Checks that addresses fit in 32 bits. */
static enum mapping_status check_size(const struct mapping_layout *matrix, uint32_t bits,
                                      struct mapping_error *error) {
    uint64_t bytes = ((uint64_t)matrix->to.axis[0].size * bits + 7) / 8;
    if (bytes <= UINT32_MAX)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "the matrix takes %llu bytes, but addresses in shared memory have 32 bits",
                        (unsigned long long)bytes);
}

/* Distances in the table of a matrix, in entries: from one element of a line to the next, and from
 * one line to the next. Lines are columns if they run along axis 0, rows if along axis 1. */
struct strides {
    size_t inner, line;
};

static struct strides strides_of(const struct mapping_layout *matrix, uint32_t axis) {
    const size_t cols = matrix->from.axis[1].size;
    return axis == 0 ? (struct strides){cols, 1} : (struct strides){1, cols};
}

/* Writes the address of each piece, with pieces along `axis`. False if a line is not a whole number
 * of groups, or if a group is not adjacent or does not begin at a multiple of 16 bytes. */
static bool write_addresses(const struct mapping_layout *matrix, uint32_t bits, uint32_t axis,
                            uint32_t *address) {
    const struct strides stride = strides_of(matrix, axis);
    const uint32_t pieces = find_group(bits), elements = PIECE_BITS * pieces / bits;
    const uint32_t size = matrix->from.axis[axis].size, lines = matrix->from.axis[!axis].size;
    for (uint32_t line = 0; line < lines && size % elements == 0; line++)
        for (uint32_t x = 0; x < size; x += elements) {
            const uint32_t *offset = matrix->coordinate[0] + line * stride.line + x * stride.inner;
            if ((uint64_t)*offset * bits % PIECE_BITS != 0)
                return false;
            for (uint32_t e = 1; e < elements; e++)
                if (offset[e * stride.inner] != *offset + e)
                    return false;
            for (uint32_t p = 0; p < pieces; p++)
                *address++ = (uint32_t)((uint64_t)*offset * bits / 8) + p * PIECE_BYTES;
        }
    return size % elements == 0;
}

enum mapping_status mapping_copy_plan_matrix(const struct mapping_layout *matrix, uint32_t bits,
                                             struct mapping_copy_plan *plan,
                                             struct mapping_error *error) {
    const uint32_t group = find_group(bits), elements = PIECE_BITS * group / bits;
    const size_t pieces = mapping_layout_entries(matrix) / elements * group;
    *plan = (struct mapping_copy_plan){.steps = NULL};
    enum mapping_status status = check_size(matrix, bits, error);
    if (status != MAPPING_OK)
        return status;
    begin(plan, mapping_access_find("st.b128"), LANES, (uint32_t)((pieces + LANES - 1) / LANES));
    if (plan->step_count > 0 && /* otherwise the matrix has less than 16 bytes */
        (write_addresses(matrix, bits, 1, plan->steps[0].address) ||
         write_addresses(matrix, bits, 0, plan->steps[0].address))) {
        for (size_t n = pieces; n < (size_t)plan->step_count * LANES; n++)
            plan->steps[0].address[n] = MAPPING_INACTIVE;
        count_wavefronts(plan);
        return MAPPING_OK;
    }
    char whole[48] = " (16 bytes)";
    if (group > 1)
        snprintf(whole, sizeof whole, " of %u bits (%u bytes)", bits, group * PIECE_BYTES);
    return mapping_fail(
        error, MAPPING_INVALID,
        "cp.async copies %u adjacent elements%s that start at a multiple of 16 bytes, but the "
        "rows or columns of this %ux%u matrix do not divide into such groups; choose one stride "
        "of 1, and make the size along it and the other stride multiples of %u",
        elements, whole, matrix->from.axis[0].size, matrix->from.axis[1].size, elements);
}

/* ---- TMA ---- */

/* The largest number of units along a side of a box. */
enum { TMA_SIDE = 256 };

/* The swizzle modes of TMA, on byte addresses. 128B_ATOM_32B keeps 32 bytes together. */
static const struct mode {
    const char *name;
    struct mapping_swizzle swizzle;
    uint32_t line;  /* bytes from one line of a box to the next; 0: the size of a line */
    uint16_t since; /* the first architecture */
} modes[] = {
    {"CU_TENSOR_MAP_SWIZZLE_NONE", {.bits = 0}, 0, 90},
    {"CU_TENSOR_MAP_SWIZZLE_128B", {3, 4, 3}, 128, 90},
    {"CU_TENSOR_MAP_SWIZZLE_64B", {2, 4, 3}, 64, 90},
    {"CU_TENSOR_MAP_SWIZZLE_32B", {1, 4, 3}, 32, 90},
    {"CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B", {2, 5, 2}, 128, 100},
    {"CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B", {1, 6, 1}, 128, 100},
};

/* The size of a tensor map's unit: an element, if there is a type of that size. */
static uint32_t tma_unit(uint32_t bits) {
    return bits == 16 || bits == 32 || bits == 64 ? bits : 8;
}

/* A matrix, and a swizzle mode with which TMA might write it. */
struct boxes {
    const struct mapping_layout *matrix;
    uint32_t bits;
    const struct mode *mode;
    struct strides stride;
};

/* The bit offset of an element without the swizzle, which is its own inverse. */
static uint64_t bit_at(const struct boxes *boxes, uint32_t line, uint32_t x) {
    const size_t entry = line * boxes->stride.line + x * boxes->stride.inner;
    const uint64_t bit = (uint64_t)boxes->matrix->coordinate[0][entry] * boxes->bits;
    return (uint64_t)mapping_swizzled(&boxes->mode->swizzle, (uint32_t)(bit / 8)) * 8 + bit % 8;
}

/* Finds the boxes if the matrix consists of boxes with lines along `axis`. All have the size of the
 * first one. Stacked boxes have whole repeats of the swizzle, such as 8 lines. */
static bool find_boxes(const struct boxes *boxes, uint32_t axis, struct mapping_tma *tma) {
    const uint32_t inner = boxes->matrix->from.axis[axis].size, bits = boxes->bits;
    const uint32_t lines = boxes->matrix->from.axis[!axis].size;
    const uint32_t line_bits = boxes->mode->line * 8, most = line_bits ? line_bits / bits : inner;
    const uint64_t start = bit_at(boxes, 0, 0);
    uint32_t width = 1, height = 1;
    while (width < inner && width < most && (width + 1) * bits <= TMA_SIDE * tma_unit(bits) &&
           bit_at(boxes, 0, width) == start + (uint64_t)width * bits)
        width++;
    const uint64_t pitch = line_bits ? line_bits : (uint64_t)width * bits;
    while (height < lines && height < TMA_SIDE &&
           bit_at(boxes, height, 0) == start + height * pitch)
        height++;
    while (lines % height != 0)
        height--;
    const struct mapping_swizzle *swizzle = &boxes->mode->swizzle;
    const uint32_t repeat =
        swizzle->bits ? 1U << (swizzle->bits + swizzle->base + swizzle->shift) : 0;
    if (inner % width != 0 ||
        (height < lines && height * pitch % (UINT64_C(8) * (repeat ? repeat : 1))) ||
        (uint64_t)width * bits % PIECE_BITS != 0)
        return false;
    for (uint32_t line = 0; line < lines; line++)
        for (uint32_t x = 0; x < inner; x++) {
            const uint64_t first = bit_at(boxes, line - line % height, x - x % width);
            if (first % (UINT64_C(8) * BANKS * BANK_BYTES) != 0 ||
                bit_at(boxes, line, x) !=
                    first + line % height * pitch + (uint64_t)(x % width) * bits)
                return false;
        }
    *tma = (struct mapping_tma){.swizzle = boxes->mode->name,
                                .since = boxes->mode->since,
                                .inner = axis,
                                .unit = tma_unit(bits),
                                .alignment = repeat ? repeat : BANKS * BANK_BYTES};
    tma->box[axis] = width;
    tma->box[!axis] = height;
    tma->boxes[axis] = inner / width;
    tma->boxes[!axis] = lines / height;
    return true;
}

/* Says why TMA cannot write a matrix. Lines are the rows or columns with more adjacent elements. */
static enum mapping_status refuse_tma(const struct mapping_layout *matrix, uint32_t bits,
                                      struct mapping_error *error) {
    char reason[256];
    uint32_t run = 0, axis = 0;
    for (uint32_t a = 0; a < 2; a++) {
        const struct boxes boxes = {matrix, bits, &modes[0], strides_of(matrix, a)};
        uint32_t width = 1;
        while (width < matrix->from.axis[a].size &&
               bit_at(&boxes, 0, width) == bit_at(&boxes, 0, 0) + (uint64_t)width * bits)
            width++;
        if (width > run) {
            run = width;
            axis = a;
        }
    }
    const struct boxes boxes = {matrix, bits, &modes[0], strides_of(matrix, axis)};
    const uint32_t size = matrix->from.axis[axis].size, lines = matrix->from.axis[!axis].size;
    const uint64_t pitch = lines > 1 ? bit_at(&boxes, 1, 0) - bit_at(&boxes, 0, 0) : 0;
    const char *line = axis == 1 ? "row" : "column";
    bool is_affine = run == size;
    for (uint32_t l = 0; l < lines && is_affine; l++)
        for (uint32_t x = 0; x < size && is_affine; x++)
            is_affine =
                bit_at(&boxes, l, x) == bit_at(&boxes, 0, 0) + l * pitch + (uint64_t)x * bits;
    if (run == size && (uint64_t)run * bits % PIECE_BITS != 0)
        snprintf(reason, sizeof reason,
                 "its %ss have %u elements of %u bits, but TMA writes multiples of 16 bytes", line,
                 size, bits);
    else if ((uint64_t)run * bits % PIECE_BITS != 0)
        snprintf(reason, sizeof reason,
                 "only %u elements of a %s are adjacent (%u bits), but TMA writes multiples of 16 "
                 "bytes",
                 run, line, run * bits);
    else if (is_affine && pitch != (uint64_t)size * bits && pitch % 8 == 0)
        snprintf(reason, sizeof reason,
                 "its %ss have %llu bytes, but are %llu bytes apart, and TMA writes no padding",
                 line, (unsigned long long)size * bits / 8, (unsigned long long)pitch / 8);
    else if (is_affine)
        snprintf(reason, sizeof reason,
                 "its %ss do not divide into boxes of at most 256 elements that begin at multiples "
                 "of 128 bytes",
                 line);
    else
        snprintf(reason, sizeof reason,
                 "TMA's swizzles are Sw<1,4,3>, Sw<2,4,3> and Sw<3,4,3> of byte addresses, with "
                 "%ss of exactly 32, 64 and 128 bytes; on sm_100 also Sw<2,5,2> and Sw<1,6,1>",
                 line);
    return mapping_fail(error, MAPPING_INVALID, "TMA cannot write this %ux%u matrix: %s",
                        matrix->from.axis[0].size, matrix->from.axis[1].size, reason);
}

enum mapping_status mapping_tma_find(const struct mapping_layout *matrix, uint32_t bits,
                                     struct mapping_tma *tma, struct mapping_error *error) {
    struct mapping_tma best = {.swizzle = NULL}, found;
    enum mapping_status status = check_size(matrix, bits, error);
    if (status != MAPPING_OK)
        return status;
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        for (uint32_t axis = 0; axis < 2; axis++)
            if (find_boxes(&(struct boxes){matrix, bits, &modes[m], strides_of(matrix, axis)}, axis,
                           &found) &&
                (!best.swizzle || found.boxes[0] * found.boxes[1] < best.boxes[0] * best.boxes[1]))
                best = found;
    if (best.swizzle && tma)
        *tma = best;
    if (best.swizzle)
        return MAPPING_OK;
    return refuse_tma(matrix, bits, error);
}
