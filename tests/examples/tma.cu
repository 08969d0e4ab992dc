/* tma.cu - a kernel of tma_test.py: copies parts of a matrix to shared memory by TMA, and stores
 * the contents of shared memory. copy.h has the printed functions MAP and COPY; offsets.h has the
 * offset of each of ROWS x COLS elements. Prints the number of elements at other offsets. */
#include "copy.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned offsets[] = {
#include "offsets.h"
};
using number = ELEMENT;
constexpr unsigned BYTES = ROWS * COLS * sizeof(number);
constexpr unsigned ALIGNMENT = 1024; /* the most that a swizzle needs */

__global__ void copy(const __grid_constant__ CUtensorMap map, number *out, unsigned row,
                     unsigned col) {
    extern __shared__ unsigned char shared[];
    __shared__ unsigned long long barrier;
    const unsigned start = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const unsigned skipped = (ALIGNMENT - start % ALIGNMENT) % ALIGNMENT;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(BYTES)
                     : "memory");
        COPY(start + skipped, &map, row, col, at);
    }
    __syncthreads();
    for (unsigned is_over = 0; !is_over;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }"
                     : "=r"(is_over)
                     : "r"(at)
                     : "memory");
    for (unsigned n = threadIdx.x; n < ROWS * COLS; n += blockDim.x)
        out[n] = reinterpret_cast<number *>(shared + skipped)[n];
}

static void check(bool is_right, const char *what) {
    if (is_right)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    exit(1);
}

int main() {
    const unsigned rows = 200, cols = 272;
    const unsigned origins[][2] = {{0, 0}, {8, 16}, {3, 32}, {64, 128}, {190, 256}, {37, 96}};
    std::vector<number> matrix(rows * cols), found(ROWS * COLS);
    srand(1);
    for (number &one : matrix)
        one = static_cast<number>(rand() >> 7);
    number *device, *out;
    CUtensorMap map;
    check(!cudaMalloc(&device, matrix.size() * sizeof(number)) && !cudaMalloc(&out, BYTES) &&
              !cudaMemcpy(device, matrix.data(), matrix.size() * sizeof(number),
                          cudaMemcpyHostToDevice),
          "memory");
    check(!MAP(&map, device, rows, cols, cols * sizeof(number)), "cuTensorMapEncodeTiled");
    check(
        !cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES + ALIGNMENT),
        "cudaFuncSetAttribute");
    unsigned count = 0, wrong = 0;
    for (const unsigned *origin : origins) {
        copy<<<1, 128, BYTES + ALIGNMENT>>>(map, out, origin[0], origin[1]);
        check(!cudaDeviceSynchronize(), "copy");
        check(!cudaMemcpy(found.data(), out, BYTES, cudaMemcpyDeviceToHost), "memory");
        for (unsigned n = 0; n < ROWS * COLS; n++, count++) {
            const unsigned row = origin[0] + n / COLS, col = origin[1] + n % COLS;
            const bool is_inside = row < rows && col < cols;
            wrong += found[offsets[n]] != (is_inside ? matrix[row * cols + col] : number());
        }
    }
    printf("%u elements, %u elsewhere\n", count, wrong);
    return wrong > 0;
}
