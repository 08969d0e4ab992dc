/* causal_mask.cu - masks the scores of flash attention: if a key comes after the query, the score
 * becomes minus infinity. The accumulators of mma.m16n8k16 are masked in registers.
 *
 * run.sh compiles and runs it; alone:
 *     mapping --arch=sm_90 --format=cuda --order 'mma.m16n8k16.*.f16' mma.m16n8k16.d.f32 \
 *         > FOLDER/fragments.h
 *     nvcc -O3 -std=c++17 -arch=sm_90 -I FOLDER -o causal_mask causal_mask.cu && ./causal_mask */
#include "example.cuh"

struct header {
    __device__ void operator()(accumulators &d, unsigned row, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (col + n * 8 + mapping_mma_m16n8k16_d_f32_col(lane, i) >
                    row + mapping_mma_m16n8k16_d_f32_row(lane, i))
                    d[n][i] = -INFINITY;
    }
};

struct by_hand {
    __device__ void operator()(accumulators &d, unsigned row, unsigned col) const {
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int n = 0; n < TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (col + n * 8 + (lane & 3) * 2 + (i & 1) > row + (lane >> 2) + 8 * (i >> 1))
                    d[n][i] = -INFINITY;
    }
};

struct shared {
    __device__ void operator()(accumulators &d, unsigned row, unsigned col) const {
        shared_tile &tile = tile_of_warp();
        unsigned first = col + threadIdx.x % 32 * 2;
        tile.put(d);
#pragma unroll
        for (int r = 0; r < 16; r++) {
            float2 *pair = tile.pair(r), value = *pair;
            if (first > row + r)
                value.x = -INFINITY;
            if (first + 1 > row + r)
                value.y = -INFINITY;
            *pair = value;
        }
        tile.get(d);
    }
};

int main() {
    return run_example("causal_mask", header(), by_hand(), shared(),
                       each_element([](float score, unsigned row, unsigned col) {
                           return col > row ? -INFINITY : score;
                       }));
}
