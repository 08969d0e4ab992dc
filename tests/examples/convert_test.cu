/* convert_test.cu - executes conversions of --convert with registers that come from random
 * matrices. The result must equal that of a trip through memory.
 *
 * convert_test.py makes conversions.inc, which has the printed functions, a struct for each of them
 * and the table `conversions`; and the file of maps, which has, for each element of each thread,
 * its number in the whole matrix. It compiles this, and runs
 *     ./convert_test MAPS
 * which prints lines "FROM TO WRONG CHECKED", in registers. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

/* Half of the elements of one bit are right by chance, so that many matrices are tried. */
constexpr unsigned ROUNDS = 64;

/* A conversion: where its maps begin, in the file, and the elements of a thread there. */
struct conversion {
    const char *from, *to;
    size_t from_map, to_map;
    unsigned from_elements, to_elements, bits, threads;
    unsigned mask; /* the bits of an element that are tried; elements of 64 bits have all */
    void (*run)(const unsigned *from, const unsigned *to, unsigned last, unsigned *counters);
};

/* Calls the function with the registers `from`, in every other round with one array for both sides.
 * Counts the registers that are not as in `to`, and all of them. Of the last register of a thread
 * only the bits of `last` count. */
template <typename Function>
__global__ void compare(const unsigned *from, const unsigned *to, unsigned last,
                        unsigned *counters) {
    extern __shared__ __align__(16) unsigned char memory[];
    using word = typename Function::word;
    constexpr unsigned INS = Function::ins, OUTS = Function::outs;
    constexpr unsigned PER = sizeof(word) / sizeof(unsigned);
    size_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    word in[INS > OUTS ? INS : OUTS], other[OUTS], *out = blockIdx.x % 2 ? in : other;
    from += thread * INS * PER;
    to += thread * OUTS * PER;
    for (unsigned n = 0; n < INS; n++) {
        in[n] = from[n * PER];
        if constexpr (PER == 2)
            in[n] |= word(from[n * PER + 1]) << 32;
    }
    Function::call(threadIdx.x, in, out, memory);
    unsigned wrong = 0;
    for (unsigned n = 0; n < OUTS * PER; n++) {
        unsigned found = unsigned(out[n / PER] >> (n % PER * 32));
        wrong += ((found ^ to[n]) & (n + 1 < OUTS * PER ? ~0u : last)) != 0;
    }
    atomicAdd(&counters[0], wrong);
    atomicAdd(&counters[1], OUTS * PER);
}

static void check(cudaError_t code) {
    if (code != cudaSuccess) {
        std::printf("Bail out! %s\n", cudaGetErrorString(code));
        std::exit(5);
    }
}

template <typename Function>
static void compare_all(const unsigned *from, const unsigned *to, unsigned last,
                        unsigned *counters) {
    if (Function::memory > 48 * 1024)
        check(cudaFuncSetAttribute(compare<Function>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   int(Function::memory)));
    compare<Function><<<ROUNDS, Function::threads, Function::memory>>>(from, to, last, counters);
    check(cudaGetLastError());
}

/* The f32 or s32 that rounds to an element, whose bits are the lowest; for functions that round. */
[[maybe_unused]] static __device__ float exact_f16(unsigned element) {
    float value;
    asm("{ .reg .b16 h, zero; mov.b32 {h, zero}, %1; cvt.f32.f16 %0, h; }"
        : "=f"(value)
        : "r"(element));
    return value;
}
[[maybe_unused]] static __device__ float exact_bf16(unsigned element) {
    return __uint_as_float(element << 16);
}
[[maybe_unused]] static __device__ float exact_tf32(unsigned element) {
    return __uint_as_float(element);
}
[[maybe_unused]] static __device__ float exact_e4m3(unsigned element) {
    unsigned both;
    asm("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; cvt.rn.f16x2.e4m3x2 %0, lo; }"
        : "=r"(both)
        : "r"(element));
    return exact_f16(both);
}
[[maybe_unused]] static __device__ float exact_e5m2(unsigned element) {
    return exact_f16(element << 8 & 0xff00); /* the upper half of an f16 */
}
[[maybe_unused]] static __device__ int exact_s8(unsigned element) {
    return static_cast<signed char>(element & 0xff);
}
[[maybe_unused]] static __device__ int exact_u8(unsigned element) {
    return static_cast<int>(element & 0xff);
}
[[maybe_unused]] static __device__ int exact_s4(unsigned element) {
    return static_cast<int>(element << 28) >> 28;
}
[[maybe_unused]] static __device__ int exact_u4(unsigned element) {
    return static_cast<int>(element & 0xf);
}

#include "conversions.inc"

/* The trip through memory: each thread's elements, as the map has them, out of the matrix of the
 * round, packed, lowest first. A block is a round. */
__global__ void load(const unsigned long long *matrices, unsigned size, const unsigned *map,
                     unsigned elements, unsigned bits, unsigned words, unsigned mask,
                     unsigned *registers) {
    const unsigned long long *matrix = matrices + size_t(blockIdx.x) * size;
    map += threadIdx.x * elements;
    registers += (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * words;
    unsigned per = bits < 32 ? 32 / bits : 1, halves = bits > 32 ? 2 : 1;
    for (unsigned word = 0; word < words; word++) {
        unsigned packed = 0;
        for (unsigned slot = 0; slot < per; slot++) {
            unsigned e = word / halves * per + slot;
            if (e >= elements)
                break;
            unsigned value = unsigned(matrix[map[e]] >> (32 * (word % halves))) & mask;
            packed |= (bits < 32 ? value & ((1u << bits) - 1) : value) << (slot * bits);
        }
        registers[word] = packed;
    }
}

static unsigned words_of(unsigned elements, unsigned bits) {
    return (elements * bits + 31) / 32;
}

static std::vector<unsigned> read_maps(const char *path) {
    std::vector<unsigned> maps;
    std::FILE *file = std::fopen(path, "rb");
    if (!file) {
        std::printf("Bail out! no file %s\n", path);
        std::exit(5);
    }
    unsigned buffer[4096];
    size_t got;
    do {
        got = std::fread(buffer, sizeof *buffer, 4096, file);
        maps.insert(maps.end(), buffer, buffer + got);
    } while (got == 4096);
    std::fclose(file);
    return maps;
}

template <typename T> static T *on_device(const std::vector<T> &host) {
    T *data;
    check(cudaMalloc(&data, host.size() * sizeof(T)));
    check(cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return data;
}

int main(int argc, char **argv) {
    std::vector<unsigned> maps = read_maps(argc > 1 ? argv[1] : "maps");
    constexpr size_t COUNT = sizeof conversions / sizeof *conversions;
    unsigned size = *std::max_element(maps.begin(), maps.end()) + 1, registers = 0;
    for (const conversion &c : conversions) {
        size_t from = c.from_elements * c.threads, to = c.to_elements * c.threads;
        if (std::max(c.from_map + from, c.to_map + to) > maps.size()) {
            std::printf("Bail out! the file of maps is too short for %s\n", c.from);
            return 5;
        }
        unsigned elements = std::max(c.from_elements, c.to_elements);
        registers = std::max(registers, c.threads * words_of(elements, c.bits));
    }
    std::vector<unsigned long long> random_numbers(size_t(size) * ROUNDS);
    std::mt19937_64 random(12);
    std::generate(random_numbers.begin(), random_numbers.end(), [&] { return random(); });
    std::vector<unsigned> counted(2 * COUNT);
    const unsigned long long *matrices = on_device(random_numbers);
    const unsigned *map = on_device(maps);
    unsigned *counters = on_device(counted);
    unsigned *from = on_device(std::vector<unsigned>(size_t(registers) * ROUNDS));
    unsigned *to = on_device(std::vector<unsigned>(size_t(registers) * ROUNDS));

    for (size_t n = 0; n < COUNT; n++) {
        const conversion &c = conversions[n];
        load<<<ROUNDS, c.threads>>>(matrices, size, map + c.from_map, c.from_elements, c.bits,
                                    words_of(c.from_elements, c.bits), c.mask, from);
        load<<<ROUNDS, c.threads>>>(matrices, size, map + c.to_map, c.to_elements, c.bits,
                                    words_of(c.to_elements, c.bits), c.mask, to);
        unsigned used = c.to_elements * c.bits % 32;
        c.run(from, to, used ? (1u << used) - 1 : ~0u, counters + 2 * n);
    }
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(counted.data(), counters, counted.size() * sizeof(unsigned),
                     cudaMemcpyDeviceToHost));
    for (size_t n = 0; n < COUNT; n++)
        std::printf("%s %s %u %u\n", conversions[n].from, conversions[n].to, counted[2 * n],
                    counted[2 * n + 1]);
    return 0;
}
