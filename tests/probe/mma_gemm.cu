// mma_gemm.cu - a matrix product by mma.m16n8k16 that `mapping --probe` checks on a device. It is
// correct, or has one of ten mistakes.
//
//     mapping --probe=gemm:128,128,64 --type=f16 --ld=72,72,_ --into=FOLDER
//     mma_gemm FOLDER M N K [MISTAKE]
//     mapping --decode=FOLDER
//
// A is M x K and B is stored N x K, both in f16; D is f32. A block of four warps makes 64 x 64 of
// D, each warp 32 x 32. It copies 32 columns of A and B at a time to shared memory, where chunks of
// 16 bytes are exchanged by row / 2 % 4, and loads fragments by ldmatrix. So no two rows that one
// ldmatrix reads share a bank.
#include "gemm.cuh"

enum mistake {
    NONE,
    A_REGISTERS,   // registers 1 and 2 of A are exchanged
    B_REGISTERS,   // the two registers of B are exchanged
    A_SWIZZLE,     // A is read without the swizzle
    A_LANES,       // lanes 8-15 and 16-23 give each other's addresses to ldmatrix
    B_TRANS,       // ldmatrix of B with .trans
    D_REGISTERS,   // accumulators 1 and 2 are exchanged
    A_STRIDE,      // A is read as if it had no padding
    LAST_STAGE,    // the last 32 of K are not multiplied
    EPILOGUE_TILE, // D is stored 8 columns too far
    WARPS          // warps exchange their rows of A
};

constexpr unsigned TILE = 64, STAGE = 32, CHUNKS = STAGE / 8;

__device__ unsigned chunk_at(unsigned row, unsigned chunk) {
    return row * CHUNKS + (chunk ^ (row / 2 % CHUNKS));
}

// Rows of one tile, and 32 of K, with zeros outside of the matrix.
__device__ void load(uint4 *shared, operand x, unsigned first, unsigned k, unsigned columns) {
    for (unsigned at = threadIdx.x; at < TILE * CHUNKS; at += blockDim.x) {
        const unsigned row = at / CHUNKS, chunk = at % CHUNKS;
        shared[chunk_at(row, chunk)] = chunk_of(x, first + row, k + chunk * 8, columns);
    }
}

__global__ void gemm(operand a, operand b, float *d, unsigned ldd, unsigned k, mistake wrong) {
    __shared__ uint4 shared_a[TILE * CHUNKS], shared_b[TILE * CHUNKS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, first_row = blockIdx.y * TILE,
                   first_column = blockIdx.x * TILE;
    const unsigned row_of_warp = (wrong == WARPS ? 1 - warp / 2 : warp / 2) * 32,
                   column_of_warp = warp % 2 * 32;
    float sums[2][4][4] = {};
    if (wrong == A_STRIDE)
        a.ld = k;
    const unsigned stages = (k + STAGE - 1) / STAGE - (wrong == LAST_STAGE);
    for (unsigned stage = 0; stage < stages; stage++) {
        load(shared_a, a, first_row, stage * STAGE, k);
        load(shared_b, b, first_column, stage * STAGE, k);
        __syncthreads();
        for (unsigned step = 0; step < 2; step++) {
            uint32_t fragment_a[2][4], fragment_b[4][2];
            for (unsigned m = 0; m < 2; m++) {
                // Matrices 0 to 3: rows 0-7 and 8-15 of columns 0-7, then of columns 8-15.
                unsigned row = lane % 16, chunk = lane / 16;
                if (wrong == A_LANES)
                    row = lane % 8 + lane / 16 * 8, chunk = lane / 8 % 2;
                row += row_of_warp + m * 16, chunk += step * 2;
                const unsigned at =
                    wrong == A_SWIZZLE ? row * CHUNKS + chunk : chunk_at(row, chunk);
                uint32_t *r = fragment_a[m];
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                             : "r"(shared_address(shared_a + at)));
                if (wrong == A_REGISTERS) {
                    const uint32_t other = r[1];
                    r[1] = r[2], r[2] = other;
                }
            }
            for (unsigned n = 0; n < 4; n++) {
                const unsigned row = column_of_warp + n * 8 + lane % 8,
                               chunk = step * 2 + lane / 8 % 2;
                const uint32_t address = shared_address(shared_b + chunk_at(row, chunk));
                uint32_t *r = fragment_b[n];
                if (wrong == B_TRANS)
                    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                                 : "=r"(r[0]), "=r"(r[1])
                                 : "r"(address));
                else
                    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                                 : "=r"(r[0]), "=r"(r[1])
                                 : "r"(address));
                if (wrong == B_REGISTERS) {
                    const uint32_t other = r[0];
                    r[0] = r[1], r[1] = other;
                }
            }
            for (unsigned m = 0; m < 2; m++)
                for (unsigned n = 0; n < 4; n++) {
                    float *s = sums[m][n];
                    const uint32_t *x = fragment_a[m], *y = fragment_b[n];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, "
                                 "%3}, {%4, %5, %6, %7}, {%8, %9}, "
                                 "{%0, %1, %2, %3};"
                                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]),
                                   "r"(y[1]));
                }
        }
        __syncthreads();
    }
    for (unsigned m = 0; m < 2; m++)
        for (unsigned n = 0; n < 4; n++)
            for (unsigned i = 0; i < 4; i++) {
                const unsigned e = wrong == D_REGISTERS && (i == 1 || i == 2) ? 3 - i : i;
                const unsigned row = first_row + warp / 2 * 32 + m * 16 + lane / 4 + e / 2 * 8;
                const unsigned column = first_column + column_of_warp + n * 8 + lane % 4 * 2 +
                                        e % 2 + (wrong == EPILOGUE_TILE ? 8 : 0);
                if (row < a.rows && column < b.rows)
                    d[size_t(row) * ldd + column] = sums[m][n][i];
            }
}

static void launch(operand a, operand b, float *d, unsigned ldd, unsigned k, unsigned wrong) {
    const dim3 blocks((b.rows + TILE - 1) / TILE, (a.rows + TILE - 1) / TILE);
    gemm<<<blocks, 128>>>(a, b, d, ldd, k, mistake(wrong));
}
