/* scale.cu - dequantization: each accumulator of mma.m16n8k16 is multiplied with the scale of its
 * row and with that of its column, in registers.
 *
 * run.sh compiles and runs it; alone:
 *     mapping --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' mma.m16n8k16.d.f32 \
 *         > FOLDER/fragments.h
 *     nvcc -O3 -std=c++17 -arch=sm_90 -I FOLDER -o scale scale.cu && ./scale */
#include "example.cuh"

struct header {
    const float *__restrict__ of_row, *__restrict__ of_col;
    __device__ void operator()(accumulators &d, unsigned row, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                d[n][i] *= __ldg(&of_row[row + mapping_mma_m16n8k16_d_f32_row(lane, i)]) *
                           __ldg(&of_col[col + n * 8 + mapping_mma_m16n8k16_d_f32_col(lane, i)]);
    }
};

struct by_hand {
    const float *__restrict__ of_row, *__restrict__ of_col;
    __device__ void operator()(accumulators &d, unsigned row, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                d[n][i] *= __ldg(&of_row[row + (lane >> 2) + 8 * (i >> 1)]) *
                           __ldg(&of_col[col + n * 8 + (lane & 3) * 2 + (i & 1)]);
    }
};

struct shared {
    const float *__restrict__ of_row, *__restrict__ of_col;
    __device__ void operator()(accumulators &d, unsigned row, unsigned col) const {
        shared_tile &tile = tile_of_warp();
        float2 across = __ldg(reinterpret_cast<const float2 *>(of_col + col) + threadIdx.x % 32);
        tile.put(d);
#pragma unroll
        for (int r = 0; r < 16; r++) {
            float2 *pair = tile.pair(r), value = *pair;
            float down = __ldg(&of_row[row + r]);
            *pair = make_float2(value.x * (down * across.x), value.y * (down * across.y));
        }
        tile.get(d);
    }
};

/* Multiples of 1/4 up to 4: products with integers below 2^18 are exact. */
static std::vector<float> random_scales(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> scales(count);
    for (float &scale : scales)
        scale = float(random() % 16 + 1) / 4;
    return scales;
}

int main() {
    std::vector<float> of_row = random_scales(LARGE_ROWS, 4), of_col = random_scales(LARGE_COLS, 5);
    device_array<float> rows(of_row), cols(of_col);
    return run_example("scale", header{rows.data, cols.data}, by_hand{rows.data, cols.data},
                       shared{rows.data, cols.data},
                       each_element([&](float value, unsigned row, unsigned col) {
                           return value * (of_row[row] * of_col[col]);
                       }));
}
