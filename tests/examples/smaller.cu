/* smaller.cu - several small multiplications give the registers of a large one:
 *     m16n8k32 of s8 is four m8n8k16, on random bytes
 *     m16n8k16 of f16 is two m16n8k8, on random integers from -2 to 2
 * All sums are exact, so every register must be the same, bit by bit.
 *
 * run.sh compiles and runs it; alone, in a folder with the fragments.h of scale.cu:
 *     nvcc -O3 -std=c++17 -arch=sm_90 -I FOLDER -o smaller smaller.cu && ./smaller
 *
 * Expected values: the large mma. */
#include "example.cuh"

/* The registers of a thread for A (4), B (2), and C and D (4), unchanged. */
constexpr unsigned A = 4, B = 2, D = 4;

struct s8 {
    using result = int;
    static constexpr const char *name = "m16n8k32 of s8 out of m8n8k16";

    static __device__ void large(int (&d)[D], const unsigned (&a)[A], const unsigned (&b)[B]) {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    static __device__ void small(int &d0, int &d1, unsigned a, unsigned b) {
        asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 "
                     "{%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+r"(d0), "+r"(d1)
                     : "r"(a), "r"(b));
    }
    static __device__ void smaller(int (&d)[D], const unsigned (&a)[A], const unsigned (&b)[B]) {
        small(d[0], d[1], a[0], b[0]);
        small(d[2], d[3], a[1], b[0]);
        small(d[0], d[1], a[2], b[1]);
        small(d[2], d[3], a[3], b[1]);
    }
    static unsigned random_register(std::mt19937 &random) {
        return random();
    }
};

struct f16 {
    using result = float;
    static constexpr const char *name = "m16n8k16 of f16 out of m16n8k8";

    static __device__ void large(float (&d)[D], const unsigned (&a)[A], const unsigned (&b)[B]) {
        mma(d, make_uint4(a[0], a[1], a[2], a[3]), make_uint2(b[0], b[1]));
    }
    static __device__ void small(float (&d)[D], unsigned a0, unsigned a1, unsigned b) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a0), "r"(a1), "r"(b));
    }
    static __device__ void smaller(float (&d)[D], const unsigned (&a)[A], const unsigned (&b)[B]) {
        small(d, a[0], a[1], b[0]);
        small(d, a[2], a[3], b[1]);
    }
    static unsigned random_register(std::mt19937 &random) {
        half two[2] = {__float2half(float(random() % 5) - 2),
                       __float2half(float(random() % 5) - 2)};
        unsigned bits;
        std::memcpy(&bits, two, sizeof bits);
        return bits;
    }
};

/* Each warp multiplies its own A and B, adds C, and does it again in smaller parts. */
template <typename Type>
__global__ void multiply_both(const unsigned *a, const unsigned *b, const typename Type::result *c,
                              typename Type::result *large, typename Type::result *smaller) {
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned of_a[A], of_b[B];
    typename Type::result whole[D], parts[D];
    for (unsigned n = 0; n < A; n++)
        of_a[n] = a[thread * A + n];
    for (unsigned n = 0; n < B; n++)
        of_b[n] = b[thread * B + n];
    for (unsigned n = 0; n < D; n++)
        whole[n] = parts[n] = c[thread * D + n];
    Type::large(whole, of_a, of_b);
    Type::smaller(parts, of_a, of_b);
    for (unsigned n = 0; n < D; n++) {
        large[thread * D + n] = whole[n];
        smaller[thread * D + n] = parts[n];
    }
}

template <typename Type> static bool same_in_parts() {
    using result = typename Type::result;
    constexpr unsigned BLOCKS = 64, THREADS = 32 * 4, ALL = BLOCKS * THREADS;
    std::mt19937 random(11);
    std::vector<unsigned> a(ALL * A), b(ALL * B);
    std::vector<result> c(ALL * D);
    std::generate(a.begin(), a.end(), [&] { return Type::random_register(random); });
    std::generate(b.begin(), b.end(), [&] { return Type::random_register(random); });
    std::generate(c.begin(), c.end(), [&] { return result(random() % 2001) - 1000; });
    device_array<unsigned> of_a(a), of_b(b);
    device_array<result> of_c(c), large(c.size()), smaller(c.size());
    multiply_both<Type>
        <<<BLOCKS, THREADS>>>(of_a.data, of_b.data, of_c.data, large.data, smaller.data);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    std::vector<result> expected = large.on_host(), found = smaller.on_host();
    size_t changed = 0, different = 0;
    for (size_t n = 0; n < c.size(); n++) {
        changed += expected[n] != c[n];
        // Bits, of which -0 has others than 0.
        // NOLINTNEXTLINE(*-suspicious-memory-comparison,cert-*)
        different += std::memcmp(&found[n], &expected[n], sizeof found[n]) != 0;
    }
    std::printf("# %s: %zu of %zu numbers differ\n", Type::name, different, found.size());
    return different == 0 && changed > c.size() / 2;
}

int main() {
    bool ok = same_in_parts<s8>();
    ok &= same_in_parts<f16>();
    return conclude("smaller", ok);
}
