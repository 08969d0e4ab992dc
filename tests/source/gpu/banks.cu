/* banks.cu - executes accesses to shared memory, so that banks_test.py can count the wavefronts of
 * each.
 *
 *     ./banks PATTERNS once      one kernel for each pattern, which executes it once: ncu counts
 *     ./banks PATTERNS clock     prints the cycles of each pattern, executed again and again
 *
 * PATTERNS has lines "OPERATION ADDRESS...", in bytes, for 32 lanes; -1 is an inactive lane. Shared
 * memory is not initialised, because that would be counted too, so loads return arbitrary data. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr unsigned LANES = 32, INACTIVE = ~0u, ROOM = 48 * 1024;

/* ---- Accesses ---- */

/* Each executes exactly one instruction. Values are stored, or receive the loaded data. */

using values = unsigned[4];

struct load {
    static constexpr bool is_matrix = false;
};
using store = load;
struct matrix {
    static constexpr bool is_matrix = true;
};

struct ld_u8 : load {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(v[0]) : "r"(a) : "memory");
    }
};
struct ld_u16 : load {
    static __device__ void run(unsigned a, values &v) {
        unsigned short half;
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(a) : "memory");
        v[0] = half;
    }
};
struct ld_b32 : load {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v[0]) : "r"(a) : "memory");
    }
};
struct ld_b64 : load {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                     : "=r"(v[0]), "=r"(v[1])
                     : "r"(a)
                     : "memory");
    }
};
struct ld_b128 : load {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                     : "r"(a)
                     : "memory");
    }
};

struct st_u8 : store {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("st.shared.u8 [%0], %1;" ::"r"(a), "r"(v[0]) : "memory");
    }
};
struct st_u16 : store {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(a), "h"((unsigned short)v[0]) : "memory");
    }
};
struct st_b32 : store {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(a), "r"(v[0]) : "memory");
    }
};
struct st_b64 : store {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(a), "r"(v[0]), "r"(v[1]) : "memory");
    }
};
struct st_b128 : store {
    static __device__ void run(unsigned a, values &v) {
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(a), "r"(v[0]), "r"(v[1]),
                     "r"(v[2]), "r"(v[3])
                     : "memory");
    }
};

template <bool is_transposed> struct ldmatrix_x1 : matrix {
    static __device__ void run(unsigned a, values &v) {
        if constexpr (is_transposed)
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                         : "=r"(v[0])
                         : "r"(a)
                         : "memory");
        else
            asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                         : "=r"(v[0])
                         : "r"(a)
                         : "memory");
    }
};
template <bool is_transposed> struct ldmatrix_x2 : matrix {
    static __device__ void run(unsigned a, values &v) {
        if constexpr (is_transposed)
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                         : "=r"(v[0]), "=r"(v[1])
                         : "r"(a)
                         : "memory");
        else
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                         : "=r"(v[0]), "=r"(v[1])
                         : "r"(a)
                         : "memory");
    }
};
template <bool is_transposed> struct ldmatrix_x4 : matrix {
    static __device__ void run(unsigned a, values &v) {
        if constexpr (is_transposed)
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                         : "r"(a)
                         : "memory");
        else
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                         : "r"(a)
                         : "memory");
    }
};

template <bool is_transposed> struct stmatrix_x1 : matrix {
    static __device__ void run(unsigned a, values &v) {
        if constexpr (is_transposed)
            asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(a),
                         "r"(v[0])
                         : "memory");
        else
            asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(a), "r"(v[0])
                         : "memory");
    }
};
template <bool is_transposed> struct stmatrix_x2 : matrix {
    static __device__ void run(unsigned a, values &v) {
        if constexpr (is_transposed)
            asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(a),
                         "r"(v[0]), "r"(v[1])
                         : "memory");
        else
            asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(a),
                         "r"(v[0]), "r"(v[1])
                         : "memory");
    }
};
template <bool is_transposed> struct stmatrix_x4 : matrix {
    static __device__ void run(unsigned a, values &v) {
        if constexpr (is_transposed)
            asm volatile(
                "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(a),
                "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                : "memory");
        else
            asm volatile(
                "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(a),
                "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
                : "memory");
    }
};

/* ---- Kernels ---- */

extern __shared__ __align__(1024) unsigned char memory[];

__device__ unsigned shared_address(unsigned offset) {
    return (unsigned)__cvta_generic_to_shared(memory) + offset;
}

/* One warp executes the access once. */
template <typename Access> __global__ void once(const unsigned *addresses, unsigned *sink) {
    values v = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
    unsigned address = addresses[threadIdx.x];
    if (Access::is_matrix || address != INACTIVE)
        Access::run(shared_address(address), v);
    sink[threadIdx.x] = v[0] ^ v[1] ^ v[2] ^ v[3];
}

constexpr unsigned WARPS = 8, UNROLLED = 16;

/* Some warps, so that they wait only for shared memory, execute it `rounds` * UNROLLED times. */
template <typename Access>
__global__ void again(const unsigned *addresses, unsigned rounds, unsigned *sink,
                      long long *cycles) {
    values v = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
    unsigned address = addresses[threadIdx.x % LANES], sum = 0;
    __syncthreads();
    long long start = clock64();
    if (Access::is_matrix || address != INACTIVE)
        for (unsigned round = 0; round < rounds; round++) {
            values all[UNROLLED];
#pragma unroll
            for (unsigned n = 0; n < UNROLLED; n++) {
                memcpy(all[n], v, sizeof v);
                Access::run(shared_address(address), all[n]);
            }
#pragma unroll
            for (unsigned n = 0; n < UNROLLED; n++)
                sum ^= all[n][0] ^ all[n][1] ^ all[n][2] ^ all[n][3];
        }
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - start;
    sink[threadIdx.x] = sum;
}

struct operation {
    const char *name;
    void (*once)(const unsigned *, unsigned *);
    void (*again)(const unsigned *, unsigned, unsigned *, long long *);
};

template <typename Access> operation make(const char *name) {
    return {name, once<Access>, again<Access>};
}

static const operation operations[] = {
    make<ld_u8>("ld.u8"),
    make<ld_u16>("ld.u16"),
    make<ld_b32>("ld.b32"),
    make<ld_b64>("ld.b64"),
    make<ld_b128>("ld.b128"),
    make<st_u8>("st.u8"),
    make<st_u16>("st.u16"),
    make<st_b32>("st.b32"),
    make<st_b64>("st.b64"),
    make<st_b128>("st.b128"),
    make<ldmatrix_x1<false>>("ldmatrix.x1"),
    make<ldmatrix_x2<false>>("ldmatrix.x2"),
    make<ldmatrix_x4<false>>("ldmatrix.x4"),
    make<ldmatrix_x1<true>>("ldmatrix.x1.trans"),
    make<ldmatrix_x2<true>>("ldmatrix.x2.trans"),
    make<ldmatrix_x4<true>>("ldmatrix.x4.trans"),
    make<stmatrix_x1<false>>("stmatrix.x1"),
    make<stmatrix_x2<false>>("stmatrix.x2"),
    make<stmatrix_x4<false>>("stmatrix.x4"),
    make<stmatrix_x1<true>>("stmatrix.x1.trans"),
    make<stmatrix_x2<true>>("stmatrix.x2.trans"),
    make<stmatrix_x4<true>>("stmatrix.x4.trans"),
};

/* ---- The host ---- */

[[noreturn]] static void fail(const char *why) {
    std::fprintf(stderr, "banks: %s\n", why);
    std::exit(5);
}

static void check(cudaError_t code) {
    if (code != cudaSuccess)
        fail(cudaGetErrorString(code));
}

struct pattern {
    const struct operation *operation;
    unsigned address[LANES];
};

static const operation *find(const char *name) {
    for (const operation &operation : operations)
        if (std::strcmp(operation.name, name) == 0)
            return &operation;
    fail("there is no such operation");
}

static std::vector<pattern> read(const char *path) {
    std::vector<pattern> patterns;
    std::FILE *file = std::fopen(path, "r");
    char name[64];
    if (!file)
        fail("the patterns cannot be read");
    while (std::fscanf(file, "%63s", name) == 1) {
        pattern pattern{find(name), {}};
        for (unsigned &address : pattern.address) {
            long value;
            if (std::fscanf(file, "%ld", &value) != 1 || value < -1 || value > long(ROOM) - 16)
                fail("a pattern has no 32 addresses inside of shared memory");
            address = value < 0 ? INACTIVE : unsigned(value);
        }
        patterns.push_back(pattern);
    }
    std::fclose(file);
    return patterns;
}

/* The cycles of one more access, by how much longer more rounds take: the fewest of some tries. */
static double slope(const operation &operation, const unsigned *addresses, unsigned *sink,
                    long long *cycles) {
    constexpr unsigned FEW = 4, MANY = 20, TRIES = 5;
    long long least[2] = {0, 0};
    for (unsigned n = 0; n < 2 * TRIES; n++) {
        long long taken;
        operation.again<<<1, WARPS * LANES, ROOM>>>(addresses, n % 2 ? MANY : FEW, sink, cycles);
        check(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
        least[n % 2] = n < 2 ? taken : std::min(least[n % 2], taken);
    }
    return double(least[1] - least[0]) / ((MANY - FEW) * UNROLLED * WARPS);
}

int main(int argc, char **argv) {
    if (argc != 3)
        fail("banks PATTERNS once|clock");
    const std::vector<pattern> patterns = read(argv[1]);
    std::vector<unsigned> addresses;
    for (const pattern &pattern : patterns)
        addresses.insert(addresses.end(), pattern.address, pattern.address + LANES);
    unsigned *device, *sink;
    long long *cycles;
    check(cudaMalloc(&device, addresses.size() * sizeof *device));
    check(cudaMalloc(&sink, sizeof *sink * WARPS * LANES));
    check(cudaMalloc(&cycles, sizeof *cycles));
    check(cudaMemcpy(device, addresses.data(), addresses.size() * sizeof *device,
                     cudaMemcpyHostToDevice));
    for (size_t p = 0; p < patterns.size(); p++) {
        const operation &operation = *patterns[p].operation;
        if (std::strcmp(argv[2], "once") == 0)
            operation.once<<<1, LANES, ROOM>>>(device + p * LANES, sink);
        else
            std::printf("%.4f\n", slope(operation, device + p * LANES, sink, cycles));
        check(cudaGetLastError());
    }
    check(cudaDeviceSynchronize());
    return 0;
}
