/* bias.cu - adds a layer's bias, one number for each column, to the accumulators of mma.m16n8k16 in
 * registers.
 *
 * run.sh compiles and runs it; alone:
 *     mapping --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' mma.m16n8k16.d.f32 \
 *         > FOLDER/fragments.h
 *     nvcc -O3 -std=c++17 -arch=sm_90 -I FOLDER -o bias bias.cu && ./bias */
#include "example.cuh"

struct header {
    const float *__restrict__ bias;
    __device__ void operator()(accumulators &d, unsigned /*row*/, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                d[n][i] += __ldg(&bias[col + n * 8 + mapping_mma_m16n8k16_d_f32_col(lane, i)]);
    }
};

struct by_hand {
    const float *__restrict__ bias;
    __device__ void operator()(accumulators &d, unsigned /*row*/, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                d[n][i] += __ldg(&bias[col + n * 8 + (lane & 3) * 2 + (i & 1)]);
    }
};

struct shared {
    const float *__restrict__ bias;
    __device__ void operator()(accumulators &d, unsigned /*row*/, unsigned col) const {
        shared_tile &tile = tile_of_warp();
        float2 add = __ldg(reinterpret_cast<const float2 *>(bias + col) + threadIdx.x % 32);
        tile.put(d);
#pragma unroll
        for (int r = 0; r < 16; r++) {
            float2 *pair = tile.pair(r), value = *pair;
            *pair = make_float2(value.x + add.x, value.y + add.y);
        }
        tile.get(d);
    }
};

int main() {
    std::mt19937 random(3);
    std::vector<float> bias(LARGE_COLS);
    for (float &value : bias)
        value = float(random() % 2001) - 1000;
    device_array<float> memory(bias);
    return run_example(
        "bias", header{memory.data}, by_hand{memory.data}, shared{memory.data},
        each_element([&](float value, unsigned, unsigned col) { return value + bias[col]; }));
}
