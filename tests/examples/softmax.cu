/* softmax.cu - the softmax of flash attention: scores become weights whose sum over a row is 1. The
 * maximum of a row, and the sum of its weights, are reduced over the threads that share the row.
 *     header     --detail prints ROW_MASKS, the masks for __shfl_xor_sync; the header's function
 *                mapping_..._row gives the elements of a thread that are in one row
 *     by_hand    by the PTX ISA: a thread has elements of two rows, which four neighbours share
 *     shared     two threads for each row of a tile in shared memory
 *
 * The weight of a score s is a power of 2: 2^round((s - maximum) / 32). Scores are integers of at
 * most 256, so weights are 2^-16 to 1, and sums of 64 are exact in f32 in any order. So the results
 * must equal those of the host, bit by bit.
 *
 * run.sh makes fragments.h and masks.h, compiles and runs it; alone, with the masks of
 * mapping --arch=sm_90 --detail mma.m16n8k16.d.f32:
 *     mapping --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' mma.m16n8k16.d.f32 \
 *         > FOLDER/fragments.h
 *     echo '#define ROW_MASKS 1, 2' > FOLDER/masks.h
 *     nvcc -O3 -std=c++17 -arch=sm_90 -I FOLDER -o softmax softmax.cu && ./softmax */
#include "example.cuh"

#include "masks.h"

static_assert(DEPTH * 2 * 2 <= 256, "what a score can be");

/* 2^round(x / 32) of x from -512 to 0: the sum is rounded to an integer, whose lowest bits become
 * the exponent. */
__host__ __device__ inline float power(float x) {
    float sum = fmaf(x, 1.0f / 32, 0x1.8p23f + 127);
    unsigned bits;
    memcpy(&bits, &sum, sizeof bits);
    bits <<= 23;
    memcpy(&x, &bits, sizeof x);
    return x;
}

struct header {
    template <typename Operation>
    static __device__ float over_row(float value, const Operation &operation) {
        constexpr unsigned masks[] = {ROW_MASKS};
#pragma unroll
        for (unsigned mask : masks)
            value = operation(value, __shfl_xor_sync(~0u, value, int(mask)));
        return value;
    }
    static __device__ bool same_row(int i, int j) {
        unsigned lane = threadIdx.x % 32;
        return mapping_mma_m16n8k16_d_f32_row(lane, i) == mapping_mma_m16n8k16_d_f32_row(lane, j);
    }
    static __device__ bool first_of_row(int i) {
        bool first = true;
#pragma unroll
        for (int j = 0; j < 4; j++)
            first &= j >= i || !same_row(i, j);
        return first;
    }
    __device__ void operator()(accumulators &d, unsigned /*row*/, unsigned /*col*/) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (!first_of_row(i))
                continue;
            float greatest = -INFINITY, sum = 0;
#pragma unroll
            for (int n = 0; n < TILES; n++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (same_row(i, j))
                        greatest = fmaxf(greatest, d[n][j]);
            greatest = over_row(greatest, [](float a, float b) { return fmaxf(a, b); });
#pragma unroll
            for (int n = 0; n < TILES; n++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (same_row(i, j))
                        sum += d[n][j] = power(d[n][j] - greatest);
            sum = over_row(sum, [](float a, float b) { return a + b; });
            float inverse = 1.0f / sum;
#pragma unroll
            for (int n = 0; n < TILES; n++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (same_row(i, j))
                        d[n][j] *= inverse;
        }
    }
};

struct by_hand {
    __device__ void operator()(accumulators &d, unsigned /*row*/, unsigned /*col*/) const {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float greatest = -INFINITY, sum = 0;
#pragma unroll
            for (int n = 0; n < TILES; n++)
#pragma unroll
                for (int c = 0; c < 2; c++)
                    greatest = fmaxf(greatest, d[n][2 * r + c]);
            greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, 2));
            greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, 1));
#pragma unroll
            for (int n = 0; n < TILES; n++)
#pragma unroll
                for (int c = 0; c < 2; c++)
                    sum += d[n][2 * r + c] = power(d[n][2 * r + c] - greatest);
            sum += __shfl_xor_sync(~0u, sum, 2);
            sum += __shfl_xor_sync(~0u, sum, 1);
            float inverse = 1.0f / sum;
#pragma unroll
            for (int n = 0; n < TILES; n++)
#pragma unroll
                for (int c = 0; c < 2; c++)
                    d[n][2 * r + c] *= inverse;
        }
    }
};

struct shared {
    /* Four neighbours of the thread's half of its row. Rows 4 apart are in the same banks, and
     * take the neighbours in another order. */
    static __device__ float4 *four(shared_tile &tile, int n) {
        unsigned lane = threadIdx.x % 32, row = lane % 16;
        return reinterpret_cast<float4 *>(
            &tile.row[row][(lane / 16 * 8 + (unsigned(n) ^ (row / 4 % 2))) * 4]);
    }
    __device__ void operator()(accumulators &d, unsigned /*row*/, unsigned /*col*/) const {
        shared_tile &tile = tile_of_warp();
        tile.put(d);
        float4 part[8];
        float greatest = -INFINITY, sum = 0;
#pragma unroll
        for (int n = 0; n < 8; n++) {
            float4 p = part[n] = *four(tile, n);
            greatest = fmaxf(greatest, fmaxf(fmaxf(p.x, p.y), fmaxf(p.z, p.w)));
        }
        greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, 16));
#pragma unroll
        for (int n = 0; n < 8; n++) {
            float4 p = part[n];
            p = make_float4(power(p.x - greatest), power(p.y - greatest), power(p.z - greatest),
                            power(p.w - greatest));
            sum += (p.x + p.y) + (p.z + p.w);
            part[n] = p;
        }
        sum += __shfl_xor_sync(~0u, sum, 16);
        float inverse = 1.0f / sum;
#pragma unroll
        for (int n = 0; n < 8; n++) {
            float4 p = part[n];
            *four(tile, n) =
                make_float4(p.x * inverse, p.y * inverse, p.z * inverse, p.w * inverse);
        }
        tile.get(d);
    }
};

static_assert(STRIP == 2 * 8 * 4, "a row of a tile is 8 times four neighbours for two threads");

int main() {
    return run_example("softmax", header(), by_hand(), shared(),
                       [](float *values, unsigned, unsigned cols) {
                           for (float *row = values; row < values + cols; row += STRIP) {
                               float greatest = *std::max_element(row, row + STRIP), sum = 0;
                               for (int col = 0; col < STRIP; col++)
                                   sum += row[col] = power(row[col] - greatest);
                               for (int col = 0; col < STRIP; col++)
                                   row[col] *= 1.0f / sum;
                           }
                       });
}
