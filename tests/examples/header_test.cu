/* header_test.cu - calls every function of a header of --format=cuda, from (tid, i) to coordinates
 * and back, for every entry, on the device and on the host. It also copies matrices into the order
 * of each fragment and back.
 *
 * header_test.py makes three files: header.h; fragments.inc, which has a struct for each set of
 * functions and the table `fragments` of all these structs; and MAPS, which has the expected
 * tables. It compiles this, and runs
 *     ./header_test MAPS [host]
 * which prints lines "NAME device|host WRONG CHECKED"; with "host" there is no device. */
#include "header.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

/* The coordinates of an element in MAPS: entry tid * elements + i of a fragment. Blocks or copies
 * that a fragment does not have are 0. */
using place = ushort4;
#define BLOCK(p) p.x
#define ROW(p) p.y
#define COL(p) p.z
#define COPY(p) p.w

static void check(cudaError_t code) {
    if (code != cudaSuccess) {
        std::printf("Bail out! %s\n", cudaGetErrorString(code));
        std::exit(5);
    }
}

/* One fragment: its expected table, and the functions that test it. */
struct fragment {
    const char *name;
    size_t offset; /* of its map, in places */
    unsigned blocks, rows, cols, threads, elements, copies;
    void (*on_device)(const place *map, unsigned *result);
    unsigned (*on_host)(const fragment &f, const place *map); /* or null */
};

/* How many of the functions are wrong at entry n. */
#define WRONG_AT(Functions, n, expected)                                                           \
    [&] {                                                                                          \
        unsigned tid = (n) / Functions::elements, i = (n) % Functions::elements;                   \
        return unsigned(Functions::block(tid, i) != BLOCK(expected)) +                             \
               unsigned(Functions::row(tid, i) != ROW(expected)) +                                 \
               unsigned(Functions::col(tid, i) != COL(expected)) +                                 \
               unsigned(Functions::tid(expected) != tid) + unsigned(Functions::i(expected) != i);  \
    }()

/* Adds the numbers of errors and of comparisons to two counters. */
template <typename Functions> __global__ void compare(const place *map, unsigned *result) {
    unsigned wrong = 0, checked = 0;
    for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < Functions::entries;
         n += gridDim.x * blockDim.x) {
        place expected = map[n];
        wrong += WRONG_AT(Functions, n, expected);
        checked++;
    }
    atomicAdd(&result[0], wrong);
    atomicAdd(&result[1], checked);
}

template <typename Functions> static void compare_on_device(const place *map, unsigned *result) {
    compare<Functions><<<8, 256>>>(map, result);
    check(cudaGetLastError());
}

/* The sizes that the header defines. */
template <typename Functions> static unsigned wrong_sizes(const fragment &f) {
    return unsigned(f.blocks != Functions::blocks) + unsigned(f.rows != Functions::rows) +
           unsigned(f.cols != Functions::cols) + unsigned(f.threads != Functions::threads) +
           unsigned(f.elements != Functions::elements) + unsigned(f.copies != Functions::copies);
}

/* A matrix with rows longer than the fragment's, into its order and back. Around and between
 * elements nothing may be written. */
template <typename Functions> static unsigned wrong_copies(const fragment &f, const place *map) {
    size_t stride = f.cols + 3, rows = size_t(f.blocks) * f.rows;
    std::vector<unsigned> matrix(rows * stride), back(rows * stride, ~0u);
    std::vector<unsigned> ordered(size_t(f.threads) * f.elements);
    for (size_t n = 0; n < matrix.size(); n++)
        matrix[n] = unsigned(n);
    Functions::to_order(ordered.data(), matrix.data(), stride, sizeof(unsigned));
    unsigned wrong = 0;
    for (size_t n = 0; n < ordered.size(); n++)
        wrong += ordered[n] != (BLOCK(map[n]) * f.rows + ROW(map[n])) * stride + COL(map[n]);
    Functions::from_order(back.data(), ordered.data(), stride, sizeof(unsigned));
    for (size_t n = 0; n < back.size(); n++)
        wrong += back[n] != (n % stride < f.cols ? unsigned(n) : ~0u);
    return wrong;
}

template <typename Functions> static unsigned compare_on_host(const fragment &f, const place *map) {
    unsigned wrong = wrong_sizes<Functions>(f) + wrong_copies<Functions>(f, map);
    for (unsigned n = 0; n < Functions::entries; n++)
        wrong += WRONG_AT(Functions, n, map[n]);
    return wrong;
}

#include "fragments.inc"

static std::vector<place> read_maps(const char *path) {
    std::vector<place> maps;
    std::FILE *file = std::fopen(path, "rb");
    if (!file) {
        std::printf("Bail out! no file %s\n", path);
        std::exit(5);
    }
    place buffer[4096];
    size_t got;
    do {
        got = std::fread(buffer, sizeof *buffer, 4096, file);
        maps.insert(maps.end(), buffer, buffer + got);
    } while (got == 4096);
    std::fclose(file);
    return maps;
}

/* Two counters for each fragment. */
static std::vector<unsigned> compare_all_on_device(const std::vector<place> &maps) {
    size_t count = sizeof fragments / sizeof *fragments;
    std::vector<unsigned> results(2 * count);
    place *map;
    unsigned *result;
    check(cudaMalloc(&map, maps.size() * sizeof(place)));
    check(cudaMalloc(&result, results.size() * sizeof(unsigned)));
    check(cudaMemcpy(map, maps.data(), maps.size() * sizeof(place), cudaMemcpyHostToDevice));
    check(cudaMemset(result, 0, results.size() * sizeof(unsigned)));
    for (size_t n = 0; n < count; n++)
        fragments[n].on_device(map + fragments[n].offset, result + 2 * n);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(results.data(), result, results.size() * sizeof(unsigned),
                     cudaMemcpyDeviceToHost));
    check(cudaFree(map));
    check(cudaFree(result));
    return results;
}

int main(int argc, char **argv) {
    std::vector<place> maps = read_maps(argc > 1 ? argv[1] : "maps");
    for (const fragment &f : fragments) {
        if (f.offset + size_t(f.threads) * f.elements > maps.size()) {
            std::printf("Bail out! the file of maps is too short for %s\n", f.name);
            return 5;
        }
        if (f.on_host)
            std::printf("%s host %u %u\n", f.name, f.on_host(f, maps.data() + f.offset),
                        f.threads * f.elements);
    }
    if (argc > 2)
        return 0;
    std::fflush(stdout);
    std::vector<unsigned> results = compare_all_on_device(maps);
    for (size_t n = 0; n < results.size() / 2; n++)
        std::printf("%s device %u %u\n", fragments[n].name, results[2 * n], results[2 * n + 1]);
    return 0;
}
