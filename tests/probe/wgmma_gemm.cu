// wgmma_gemm.cu - a matrix product by wgmma.m64n64k16 that `mapping --probe` checks on a device. It
// is correct, or has one of ten mistakes.
//
//     mapping --probe=gemm:128,128,128 --type=f16 --into=FOLDER
//     wgmma_gemm FOLDER M N K [MISTAKE]
//     mapping --decode=FOLDER
//
// One warpgroup makes 64 x 64 of D. It copies 64 columns of A and B at a time to shared memory with
// the swizzle of 128 bytes: a row has 8 chunks of 16 bytes, which are exchanged by row % 8. Both
// descriptors are those of a K-major matrix.
#include "gemm.cuh"

enum mistake {
    NONE,
    A_SWIZZLE,   // A is written without the swizzle
    B_SWIZZLE,   // B is written with a swizzle by row / 2
    A_STRIDE,    // the stride dimension byte offset of A is 512 instead of 1024
    STEP,        // A is advanced by 32 elements instead of 16 from step to step
    B_MAJOR,     // B is said to be N-major
    FIRST_STAGE, // accumulators are set to zero in each stage
    LAST_STEP,   // the last 16 of each stage are not multiplied
    D_REGISTERS, // accumulators 1 and 2 are exchanged
    WARPS,       // warps 0 and 1 exchange their rows of D, and warps 2 and 3
    OLD_D        // the old D is added
};

constexpr unsigned TILE = 64, STAGE = 64, CHUNKS = STAGE / 8;

__device__ uint64_t descriptor(const void *matrix, unsigned stride) {
    return uint64_t((shared_address(matrix) & 0x3ffff) >> 4) | uint64_t(1) << 16 |
           uint64_t(stride >> 4) << 32 | uint64_t(1) << 62;
}

template <int B_IS_N_MAJOR>
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b, unsigned scale_d) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                 "%32, %33, p, 1, 1, 0, %35;\n}\n"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
                   "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
                   "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]),
                   "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                   "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                   "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b), "r"(scale_d), "n"(B_IS_N_MAJOR));
}

template <int B_IS_N_MAJOR>
__global__ void __launch_bounds__(128)
    gemm(operand a, operand b, float *d, unsigned ldd, unsigned k, mistake wrong) {
    __shared__ alignas(1024) uint4 shared_a[TILE * CHUNKS];
    __shared__ alignas(1024) uint4 shared_b[TILE * CHUNKS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, first_row = blockIdx.y * TILE,
                   first_column = blockIdx.x * TILE;
    float sums[32] = {};
    for (unsigned at_k = 0; at_k < k; at_k += STAGE) {
        for (unsigned at = threadIdx.x; at < TILE * CHUNKS; at += blockDim.x) {
            const unsigned row = at / CHUNKS, chunk = at % CHUNKS;
            shared_a[row * CHUNKS + (wrong == A_SWIZZLE ? chunk : chunk ^ row % 8)] =
                chunk_of(a, first_row + row, at_k + chunk * 8, k);
            shared_b[row * CHUNKS + (chunk ^ (wrong == B_SWIZZLE ? row / 2 : row) % 8)] =
                chunk_of(b, first_column + row, at_k + chunk * 8, k);
        }
        asm volatile("fence.proxy.async.shared::cta;" ::
                         : "memory"); // wgmma reads by the async proxy
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (unsigned step = 0; step < (wrong == LAST_STEP ? 3 : 4); step++) {
            // 16 elements are 32 bytes. A step of 32 elements leaves the row of 128 bytes in the
            // second half, so it begins again.
            const uint64_t from_a = descriptor(shared_a + (wrong == STEP ? step * 4 % 8 : step * 2),
                                               wrong == A_STRIDE ? 512 : 1024);
            const uint64_t from_b = descriptor(shared_b + step * 2, 1024);
            const unsigned scale_d = wrong != FIRST_STAGE || step > 0;
            multiply<B_IS_N_MAJOR>(sums, from_a, from_b, scale_d);
        }
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::
                         : "memory");
        __syncthreads();
    }
    for (unsigned i = 0; i < 32; i++) {
        const unsigned e = wrong == D_REGISTERS && (i % 4 == 1 || i % 4 == 2) ? i ^ 3 : i;
        const unsigned row =
            first_row + (wrong == WARPS ? warp ^ 1 : warp) * 16 + lane / 4 + e / 2 % 2 * 8;
        const unsigned column = first_column + e / 4 * 8 + lane % 4 * 2 + e % 2;
        if (row >= a.rows || column >= b.rows)
            continue;
        float *at = &d[size_t(row) * ldd + column];
        *at = sums[i] + (wrong == OLD_D ? *at : 0.0f);
    }
}

static void launch(operand a, operand b, float *d, unsigned ldd, unsigned k, unsigned wrong) {
    const dim3 blocks((b.rows + TILE - 1) / TILE, (a.rows + TILE - 1) / TILE);
    if (wrong == B_MAJOR)
        gemm<1><<<blocks, 128>>>(a, b, d, ldd, k, mistake(wrong));
    else
        gemm<0><<<blocks, 128>>>(a, b, d, ldd, k, mistake(wrong));
}
