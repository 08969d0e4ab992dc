/* on_host.cuh - runs printed CUDA functions on the host, in C++17, for up to 128 threads.
 *
 * A shuffle returns the value that the other lane sent with the same shuffle in the previous run of
 * all threads. So all threads run again until nothing changes. A value depends only on earlier
 * shuffles, so the result is the same as in lockstep. Shared memory, and the addresses that lanes
 * bring to ldmatrix and stmatrix, work in the same way.
 *
 * The effect of the instructions is written from the PTX ISA and CUDA's documentation. */
#ifndef ON_HOST_CUH
#define ON_HOST_CUH

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#define __host__
#define __device__
#define __forceinline__ inline

enum { SENT_MAX = 4096, THREADS_MAX = 128, RUNS_MAX = 66 };

inline unsigned long long sent[SENT_MAX][THREADS_MAX]; /* in each exchange, by each thread */
inline unsigned self, exchange;                        /* the thread that runs, its next exchange */
inline bool has_changed;

/* Runs function(tid) in all threads. */
template <typename Function> void run_threads(unsigned threads, Function function) {
    memset(sent, 0, sizeof sent);
    has_changed = true;
    for (unsigned run = 0; has_changed; run++) {
        if (run == RUNS_MAX)
            abort(); /* lanes wait for each other */
        has_changed = run < 2;
        for (self = 0; self < threads; self++) {
            exchange = 0;
            function(self);
        }
    }
}

/* ---- Shuffles and bytes ---- */

/* Sends a value to the warp; returns what `lane` of it sends. */
template <typename T> T trade(T value, unsigned lane) {
    unsigned long long *all = sent[exchange++], word = 0;
    memcpy(&word, &value, sizeof value);
    has_changed |= all[self] != word;
    all[self] = word;
    memcpy(&value, &all[self / 32 * 32 + lane % 32], sizeof value);
    return value;
}

template <typename T> T __shfl_sync(unsigned mask, T value, int lane) {
    if (mask != 0xffffffff)
        abort();
    return trade(value, (unsigned)lane);
}

template <typename T> T __shfl_xor_sync(unsigned mask, T value, int lanes) {
    return __shfl_sync(mask, value, (int)self ^ lanes);
}

inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (unsigned b = 0; b < 4; b++)
        result |= (unsigned)(both >> (selector >> 4 * b & 7) * 8 & 255) << 8 * b;
    return result;
}

inline void __syncwarp() {}

/* ---- Shared memory ---- */

/* Shared memory, which begins at an address above 0. What stores move before all addresses are
 * known lands below. */
enum { SHARED_BEGIN = 1024, SHARED_SIZE = 232448 };
alignas(1024) inline unsigned char shared[SHARED_BEGIN + SHARED_SIZE];

inline bool has(const char *text, const char *word) {
    return strstr(text, word) != nullptr;
}

inline unsigned number_behind(const char *text, const char *word, unsigned otherwise) {
    const char *at = strstr(text, word);
    return at ? (unsigned)atoi(at + strlen(word)) : otherwise;
}

/* A place in shared memory: bit `shift` of byte `at`. */
struct bits_at {
    unsigned at, shift;
};

/* The first bit of byte `byte` of register `n` of this thread. Its elements have `bits` bits in
 * memory; `address` has the addresses that the threads of the block provide. */
inline bits_at place_of(const char *text, const unsigned long long *address, unsigned n,
                        unsigned byte, unsigned bits) {
    const unsigned lane = self % 32, warp = self - lane;
    unsigned row, col; /* of a matrix, in elements */
    if (!has(text, "matrix"))
        return {(unsigned)address[self] + 4 * n + byte, 0};
    if (has(text, ".m8n8.")) {
        const bool is_transposed = has(text, ".trans");
        const unsigned first = lane / 4, second = lane % 4 * 2 + byte / 2;
        row = is_transposed ? second : first;
        col = is_transposed ? first : second;
        return {(unsigned)address[warp + 8 * n + row] + 2 * col + byte % 2, 0};
    }
    if (has(text, ".m16n16.")) {
        row = n / 2 * 16 + lane % 4 * 4 + byte;
        col = lane / 4 + n % 2 * 8;
    } else if (has(text, ".m16n8.")) {
        row = n * 8 + lane % 4 * 2 + byte % 2;
        col = lane / 4 + byte / 2 * 8;
    } else {
        row = n * 8 + lane / 4;
        col = lane % 4 * 4 + byte;
    }
    return {(unsigned)address[warp + row] + col * bits / 8, col * bits % 8};
}

/* Executes ld, st, ldmatrix or stmatrix: their text, the registers that they write, and the address
 * and the registers that they read. Aborts if an address is not aligned. */
inline void execute(const char *text, std::initializer_list<unsigned *> out,
                    std::initializer_list<unsigned> in) {
    const unsigned bytes = has(text, ".u8") ? 1 : has(text, ".u16") ? 2 : 4;
    const unsigned whole = has(text, "matrix") ? 16 : bytes * number_behind(text, ".v", 1);
    const unsigned bits = has(text, ".b4x16") ? 4 : has(text, ".b6x16") ? 6 : 8;
    const unsigned address = *in.begin() + number_behind(text, " + ", 0);
    const unsigned long long *all = sent[exchange];
    if (address % whole != 0)
        abort();
    trade(address, 0);
    for (unsigned n = 0; n < out.size(); n++) {
        *out.begin()[n] = 0;
        for (unsigned byte = 0; byte < bytes; byte++) {
            const bits_at from = place_of(text, all, n, byte, bits);
            const unsigned value = (shared[from.at] | shared[from.at + 1] << 8) >> from.shift;
            *out.begin()[n] |= (value & ((1U << bits) - 1)) << 8 * byte;
        }
    }
    for (unsigned n = 0; n + 1 < in.size() && text[0] == 's'; n++)
        for (unsigned byte = 0; byte < bytes; byte++)
            shared[place_of(text, all, n, byte, 8).at] =
                (unsigned char)(in.begin()[n + 1] >> 8 * byte);
}

#endif
