/* warp.h - for tests of loads and stores: simulated warps that execute them, written from the PTX
 * ISA, and a check, by its definition, of whether an access can move a fragment. */
#ifndef WARP_H
#define WARP_H

#include "smem/copy_plan.h"

#include <stdlib.h>
#include <string.h>

enum { WARP_MEMORY = SHARED_BYTES_MAX, WARP_REGISTERS = 256, WARP_THREADS = 128 };

/* Memory, and registers of all threads as bytes, the lowest first. */
struct warp {
    uint8_t memory[WARP_MEMORY];
    uint8_t string[WARP_THREADS][4 * WARP_REGISTERS];
    bool is_outside; /* an address was not aligned, or too large */
};

/* ---- Bits ---- */

/* Bits of an element in memory: fewer than in the string if elements are packed. */
static inline uint32_t bits_in_memory(const struct mapping_copy_request *request) {
    return request->memory_bits ? request->memory_bits : request->bits;
}

/* True if bit `bit` of a string is one of those that its element has in memory. */
static inline bool is_of_element(const struct mapping_copy_request *request, uint32_t bit) {
    return bit % request->bits < bits_in_memory(request);
}

/* The bit of memory at which bit `bit` of a thread's string belongs. */
static inline uint64_t bit_in_memory(const struct mapping_copy_request *request, uint32_t tid,
                                     uint32_t bit) {
    const struct mapping_layout *fragment = request->fragment;
    size_t entry = (size_t)tid * fragment->from.axis[1].size + bit / request->bits;
    uint32_t row = request->origin[0] + fragment->coordinate[0][entry];
    uint32_t col = request->origin[1] + fragment->coordinate[1][entry];
    size_t point = (size_t)row * request->memory->from.axis[1].size + col;
    return (uint64_t)request->memory->coordinate[0][point] * bits_in_memory(request) +
           bit % request->bits;
}

static inline uint32_t string_bits(const struct mapping_copy_request *request) {
    return request->fragment->from.axis[1].size * request->bits;
}

/* ---- Execution ---- */

/* Sets or compares bit `bit` of bytes. */
static inline void set_bit(uint8_t *bytes, uint64_t bit, bool value) {
    bytes[bit / 8] = (uint8_t)((bytes[bit / 8] & ~(1U << bit % 8)) | (unsigned)value << bit % 8);
}

static inline bool get_bit(const uint8_t *bytes, uint64_t bit) {
    return bytes[bit / 8] >> bit % 8 & 1;
}

/* Moves one byte between memory and byte `place` of a thread's string. */
static inline void move_byte(struct warp *warp, const struct mapping_access *access, uint32_t tid,
                             uint32_t place, uint32_t address) {
    if (address >= WARP_MEMORY || place >= sizeof warp->string[0]) {
        warp->is_outside = true;
        return;
    }
    if (access->is_store)
        warp->memory[address] = warp->string[tid][place];
    else
        warp->string[tid][place] = warp->memory[address];
}

/* PTX ISA, Data Movement and Conversion Instructions: ldmatrix. Matrix j is loaded into register j,
 * and its row r is at the address that thread 8j + r provides. Thread T holds elements 2 * (T % 4)
 * and 2 * (T % 4) + 1 of row T / 4, of 16 bits each; with .trans, the matrix is transposed.
 * stmatrix: likewise. */
static inline void execute_matrices(struct warp *warp, const struct mapping_access *access,
                                    const uint32_t *registers, const uint32_t *address,
                                    uint32_t first) {
    for (uint32_t j = 0; j < access->matrices; j++)
        for (uint32_t t = 0; t < 32; t++)
            for (uint32_t h = 0; h < 2; h++) {
                uint32_t row = t / 4, col = t % 4 * 2 + h;
                if (access->is_transposed) {
                    row = t % 4 * 2 + h;
                    col = t / 4;
                }
                uint32_t base = address[8 * j + row];
                warp->is_outside |= base % 16 != 0;
                for (uint32_t byte = 0; byte < 2; byte++)
                    move_byte(warp, access, first + t, 4 * registers[j] + 2 * h + byte,
                              base + 2 * col + byte);
            }
}

/* The matrices of elements with 8 bits in registers, by the name of their shape. CUTLASS,
 * copy_traits_sm100.hpp: m16n16 has two registers, m8n16 and m16n8 one. In memory a row is 16
 * elements from a multiple of 16 bytes on. */
struct shape {
    uint32_t rows, registers, bits; /* bits of an element in memory */
};

static inline bool has_shape(const struct mapping_access *access, struct shape *shape) {
    const bool is_square = strstr(access->name, ".m16n16.") != NULL;
    *shape = (struct shape){is_square ? 16 : 8, is_square ? 2 : 1,
                            strstr(access->name, "p64") || strstr(access->name, ".s4") ? 4
                            : strstr(access->name, "p32")                              ? 6
                                                                                       : 8};
    return is_square || strstr(access->name, ".m8n16.") || strstr(access->name, ".m16n8.");
}

/* The lane, register and byte that hold the element at (row, col) of a matrix. */
struct holder {
    uint32_t lane, reg, byte;
};

static inline struct holder holder_of(const struct mapping_access *access, uint32_t row,
                                      uint32_t col) {
    if (strstr(access->name, ".m8n16."))
        return (struct holder){4 * row + col / 4, 0, col % 4};
    if (strstr(access->name, ".m16n8."))
        return (struct holder){col % 8 * 4 + row / 2, 0, col / 8 * 2 + row % 2};
    return (struct holder){col % 8 * 4 + row / 4, col / 8, row % 4};
}

static inline void execute_shape(struct warp *warp, const struct mapping_access *access,
                                 struct shape shape, const uint32_t *registers,
                                 const uint32_t *address, uint32_t first) {
    for (uint32_t j = 0; j < access->matrices; j++)
        for (uint32_t row = 0; row < shape.rows; row++)
            for (uint32_t n = 0; n < 16 * shape.bits; n++) {
                const struct holder holder = holder_of(access, row, n / shape.bits);
                const uint64_t base = address[shape.rows * j + row], at = 8 * base + n;
                uint8_t *string = warp->string[first + holder.lane];
                const uint32_t to = 32 * registers[shape.registers * j + holder.reg] +
                                    8 * holder.byte + n % shape.bits;
                if (base % 16 != 0 || at >= (uint64_t)8 * WARP_MEMORY ||
                    to >= 8 * sizeof warp->string[0])
                    warp->is_outside = true;
                else if (access->is_store)
                    set_bit(warp->memory, at, get_bit(string, to));
                else
                    set_bit(string, to, get_bit(warp->memory, at));
            }
}

/* PTX ISA, ld: a vector's elements go to its registers in order; the address is aligned to the
 * size of the whole. */
static inline void execute_plain(struct warp *warp, const struct mapping_access *access,
                                 const uint32_t *pieces, const uint32_t *address, uint32_t first) {
    for (uint32_t t = 0; t < 32; t++) {
        warp->is_outside |= address[t] % access->bytes != 0;
        for (uint32_t k = 0; k < access->bytes; k++) {
            uint32_t place =
                access->bytes < 4 ? pieces[0] * access->bytes + k : 4 * pieces[k / 4] + k % 4;
            move_byte(warp, access, first + t, place, address[t] + k);
        }
    }
}

static inline void execute_plan(struct warp *warp, const struct mapping_copy_plan *plan) {
    for (uint32_t s = 0; s < plan->step_count; s++)
        for (uint32_t first = 0; first < plan->threads; first += 32) {
            const struct mapping_copy_step *step = &plan->steps[s];
            const uint32_t *address = step->address + first;
            struct shape shape;
            if (has_shape(plan->access, &shape))
                execute_shape(warp, plan->access, shape, step->pieces, address, first);
            else if (plan->access->matrices)
                execute_matrices(warp, plan->access, step->pieces, address, first);
            else
                execute_plain(warp, plan->access, step->pieces, address, first);
        }
}

/* ---- What can be moved ---- */

/* True if `bits` bits of the string from `bit` on are in memory in the same order. */
static inline bool lies_whole(const struct mapping_copy_request *request, uint32_t tid,
                              uint32_t bit, uint32_t bits) {
    uint64_t base = bit_in_memory(request, tid, bit);
    for (uint32_t b = 0; b < bits; b++)
        if (bit_in_memory(request, tid, bit + b) != base + b)
            return false;
    return true;
}

static inline bool can_piecewise(const struct mapping_copy_request *request, uint32_t bits) {
    uint32_t threads = request->fragment->from.axis[0].size;
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t bit = 0; bit < string_bits(request); bit += bits)
            if (bit_in_memory(request, t, bit) % bits != 0 || !lies_whole(request, t, bit, bits))
                return false;
    return true;
}

/* True if each row of 16 bytes that belongs to a register is somewhere in memory, aligned. */
static inline bool can_row(const struct mapping_copy_request *request, uint32_t first, uint32_t reg,
                           uint32_t row, bool is_transposed) {
    uint64_t base = 0;
    for (uint32_t bit = 0; bit < 128; bit++) {
        uint32_t t = is_transposed ? bit / 16 * 4 + row / 2 : row * 4 + bit / 32;
        uint32_t in_register = is_transposed ? row % 2 * 16 + bit % 16 : bit % 32;
        uint64_t at = bit_in_memory(request, first + t, reg * 32 + in_register);
        if (bit == 0)
            base = at;
        if (base % 128 != 0 || at != base + bit)
            return false;
    }
    return true;
}

static inline bool can_matrices(const struct mapping_copy_request *request,
                                const struct mapping_access *access) {
    uint32_t registers = string_bits(request) / 32;
    if (registers % access->matrices != 0)
        return false;
    for (uint32_t first = 0; first < request->fragment->from.axis[0].size; first += 32)
        for (uint32_t r = 0; r < registers; r++)
            for (uint32_t row = 0; row < 8; row++)
                if (!can_row(request, first, r, row, access->is_transposed))
                    return false;
    return true;
}

/* True if register b is 32 bits after a in all threads. */
static inline bool follows(const struct mapping_copy_request *request, uint32_t a, uint32_t b) {
    for (uint32_t t = 0; t < request->fragment->from.axis[0].size; t++)
        if (bit_in_memory(request, t, 32 * b) != bit_in_memory(request, t, 32 * a) + 32)
            return false;
    return true;
}

/* Registers as nodes of a graph, which is to be cut into chains of `length`. */
struct chains {
    uint32_t registers, length;
    bool starts[WARP_REGISTERS], is_used[WARP_REGISTERS];
    bool behind[WARP_REGISTERS][WARP_REGISTERS];
};

static inline bool cover(struct chains *chains);

/* Tries all ways to continue a chain, and to split the rest into chains. */
static inline bool go_on(struct chains *chains, uint32_t last, uint32_t length) {
    if (length == chains->length)
        return cover(chains);
    for (uint32_t r = 0; r < chains->registers; r++)
        if (chains->behind[last][r] && !chains->is_used[r]) {
            chains->is_used[r] = true;
            if (go_on(chains, r, length + 1))
                return true;
            chains->is_used[r] = false;
        }
    return false;
}

/* Every register that can start a chain must start one, so the first of them may be taken. */
static inline bool cover(struct chains *chains) {
    uint32_t left = 0, first = chains->registers;
    for (uint32_t r = chains->registers; r-- > 0;)
        if (!chains->is_used[r]) {
            left++;
            first = chains->starts[r] ? r : first;
        }
    if (left == 0)
        return true;
    if (first == chains->registers)
        return false;
    chains->is_used[first] = true;
    bool covered = go_on(chains, first, 1);
    chains->is_used[first] = covered;
    return covered;
}

static inline bool can_vectors(const struct mapping_copy_request *request, uint32_t bytes) {
    struct chains chains = {string_bits(request) / 32, bytes / 4, {0}, {0}, {{0}}};
    for (uint32_t a = 0; a < chains.registers; a++) {
        chains.starts[a] = true;
        for (uint32_t t = 0; t < request->fragment->from.axis[0].size; t++)
            chains.starts[a] &= bit_in_memory(request, t, 32 * a) % (bytes * 8) == 0;
        for (uint32_t b = 0; b < chains.registers; b++)
            chains.behind[a][b] = follows(request, a, b);
    }
    return cover(&chains);
}

/* True if two registers, or one, hold a matrix whose rows are 16 elements from a multiple of 16
 * bytes on, in each warp. */
static inline bool can_shape(const struct mapping_copy_request *request,
                             const struct mapping_access *access, struct shape shape,
                             const uint32_t registers[2]) {
    for (uint32_t first = 0; first < request->fragment->from.axis[0].size; first += 32)
        for (uint32_t row = 0; row < shape.rows; row++) {
            uint64_t base = 0;
            for (uint32_t n = 0; n < 16 * shape.bits; n++) {
                const struct holder holder = holder_of(access, row, n / shape.bits);
                const uint64_t at =
                    bit_in_memory(request, first + holder.lane,
                                  32 * registers[holder.reg] + 8 * holder.byte + n % shape.bits);
                base = n == 0 ? at : base;
                if (base % 128 != 0 || at != base + n)
                    return false;
            }
        }
    return true;
}

/* Tries all ways to make matrices of the registers. */
static inline bool can_shapes(const struct mapping_copy_request *request,
                              const struct mapping_access *access, struct shape shape) {
    struct chains chains = {string_bits(request) / 32, shape.registers, {0}, {0}, {{0}}};
    const bool is_packed = bits_in_memory(request) != request->bits;
    const bool is_signed = strstr(access->name, ".s4") != NULL;
    if (shape.bits != (is_packed ? bits_in_memory(request) : 8) || request->bits > 8 ||
        (is_packed && is_signed != request->is_signed))
        return false;
    if (string_bits(request) % (32 * access->matrices * shape.registers) != 0)
        return false;
    for (uint32_t a = 0; a < chains.registers; a++)
        for (uint32_t b = 0; b < chains.registers; b++) {
            chains.behind[a][b] = can_shape(request, access, shape, (uint32_t[]){a, b});
            chains.starts[a] |= chains.behind[a][b];
        }
    return cover(&chains);
}

/* By the definitions: whether the access can move the whole fragment. */
static inline bool can_move(const struct mapping_copy_request *request,
                            const struct mapping_access *access) {
    uint32_t width = access->bytes < 4 ? access->bytes * 8U : 32;
    if (access->is_store != request->is_store || string_bits(request) % width != 0)
        return false;
    struct shape shape;
    if (has_shape(access, &shape))
        return can_shapes(request, access, shape);
    if (bits_in_memory(request) != request->bits)
        return false;
    if (access->matrices)
        return (!access->is_transposed || request->bits <= 16) && can_matrices(request, access);
    if (width < 32 && width < request->bits)
        return false;
    if (request->bits <= 32 && !can_piecewise(request, width))
        return false;
    return access->bytes <= 4 || can_vectors(request, access->bytes);
}

/* ---- Contents ---- */

static inline bool contents_of(uint64_t bit) {
    uint64_t value = (bit + 1) * UINT64_C(0x9e3779b97f4a7c15);
    value ^= value >> 29;
    value *= UINT64_C(0xbf58476d1ce4e5b9);
    return value >> 40 & 1;
}

/* Fills the source, memory or registers, and fills the destination with other values. */
static inline void prepare(struct warp *warp, const struct mapping_copy_request *request) {
    memset(warp, 0, sizeof *warp);
    for (uint32_t t = 0; t < request->fragment->from.axis[0].size; t++)
        for (uint32_t bit = 0; bit < string_bits(request); bit++) {
            uint64_t at = bit_in_memory(request, t, bit);
            if (!is_of_element(request, bit))
                continue;
            set_bit(warp->memory, at, contents_of(at) != request->is_store);
            set_bit(warp->string[t], bit, contents_of(at) == request->is_store);
        }
}

/* True if all registers and all of memory have the expected contents. */
static inline bool has_moved(const struct warp *warp, const struct mapping_copy_request *request) {
    static uint8_t expected[WARP_MEMORY];
    memset(expected, 0, sizeof expected);
    for (uint32_t t = 0; t < request->fragment->from.axis[0].size; t++)
        for (uint32_t bit = 0; bit < string_bits(request); bit++) {
            uint64_t at = bit_in_memory(request, t, bit);
            if (!is_of_element(request, bit))
                continue;
            set_bit(expected, at, contents_of(at));
            if (get_bit(warp->string[t], bit) != contents_of(at))
                return false;
        }
    return !warp->is_outside && memcmp(expected, warp->memory, sizeof expected) == 0;
}

#endif
