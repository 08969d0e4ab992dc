/* signed_moves.cu - observes where ldmatrix .s8.s4 puts each element. It is a separate program,
 * because it needs nvcc 13.4 (PTX 9.4) and sm_90a.
 *
 *     nvcc -gencode arch=compute_90a,code=sm_90a -o signed_moves signed_moves.cu
 *     ./signed_moves FOLDER     writes x1.txt, x2.txt, x4.txt and device.txt there
 *
 * Lane L points at slot L of shared memory: 16 packed elements of 4 bits, and then 64 bits that
 * must not be read. An element is number 16 L + n. Its octal digits are loaded one after the other,
 * as 0 to 7. The last load has negative elements, whose sign must be extended. Each map is checked;
 * the status is 1 if any value is impossible. */
#include <cstdint>
#include <cstdio>

enum { WARP = 32, ELEMENTS = 16, DIGITS = 3, PASSES = DIGITS + 1, REGISTERS = 4 };

/* The element as 4 bits. */
static __host__ __device__ uint32_t digit_of(uint32_t number, int pass) {
    return pass < DIGITS ? number >> 3 * pass & 7 : 8 | (number & 7);
}

/* output[pass][register][lane] */
template <int COUNT> __global__ void load(uint32_t *output) {
    __shared__ __align__(128) uint32_t slots[WARP][4];
    for (int pass = 0; pass < PASSES; pass++) {
        for (int word = 0; word < 2; word++) {
            uint32_t packed = 0;
            for (int n = 0; n < 8; n++)
                packed |= digit_of(threadIdx.x * ELEMENTS + word * 8 + n, pass) << 4 * n;
            slots[threadIdx.x][word] = packed;
            slots[threadIdx.x][2 + word] = 0x99999999;
        }
        __syncwarp();
        const auto address = uint32_t(__cvta_generic_to_shared(slots[threadIdx.x]));
        uint32_t r[REGISTERS] = {};
        if constexpr (COUNT == 1)
            asm volatile("ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {%0}, [%1];"
                         : "=r"(r[0])
                         : "r"(address)
                         : "memory");
        else if constexpr (COUNT == 2)
            asm volatile("ldmatrix.sync.aligned.m8n16.x2.shared.s8.s4 {%0, %1}, [%2];"
                         : "=r"(r[0]), "=r"(r[1])
                         : "r"(address)
                         : "memory");
        else
            asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.s8.s4 {%0, %1, %2, %3}, [%4];"
                         : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                         : "r"(address)
                         : "memory");
        for (int n = 0; n < COUNT; n++)
            output[(pass * REGISTERS + n) * WARP + threadIdx.x] = r[n];
        __syncwarp();
    }
}

/* Element i of a thread, as a signed byte. */
static int element(const uint32_t *output, int pass, int tid, int i) {
    return int8_t(output[(pass * REGISTERS + i / 4) * WARP + tid] >> 8 * (i % 4));
}

/* Writes the map of one form: for each thread, a line with the row and column of its elements in
 * order; if there are several matrices, also the number of the matrix. False if a number is no
 * element. */
static bool write_map(const char *folder, int count, const uint32_t *output) {
    char path[4096];
    snprintf(path, sizeof path, "%s/x%d.txt", folder, count);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool is_good = true;
    for (int tid = 0; tid < WARP; tid++) {
        fprintf(file, "%d:", tid);
        for (int i = 0; i < 4 * count; i++) {
            int number = 0;
            for (int pass = 0; pass < DIGITS; pass++) {
                int digit = element(output, pass, tid, i);
                is_good &= digit >= 0 && digit < 8;
                number |= digit << 3 * pass;
            }
            is_good &= element(output, DIGITS, tid, i) == (number & 7) - 8;
            int lane = number / ELEMENTS, col = number % ELEMENTS;
            is_good &= lane < 8 * count;
            if (count > 1)
                fprintf(file, " %d,%d,%d", lane / 8, lane % 8, col);
            else
                fprintf(file, " %d,%d", lane, col);
        }
        fputc('\n', file);
    }
    return fclose(file) == 0 && is_good;
}

template <int COUNT> static bool observe(const char *folder, uint32_t *output) {
    for (int n = 0; n < PASSES * REGISTERS * WARP; n++)
        output[n] = 0xdeadbeef;
    load<COUNT><<<1, WARP>>>(output);
    cudaError_t cause = cudaDeviceSynchronize();
    if (cause != cudaSuccess)
        fprintf(stderr, "x%d: %s\n", COUNT, cudaGetErrorString(cause));
    bool is_good = cause == cudaSuccess && write_map(folder, COUNT, output);
    printf("%sok - ldmatrix.m8n16.x%d .s8.s4: every register has elements of the matrix, with "
           "their sign\n",
           is_good ? "" : "not ", COUNT);
    return is_good;
}

int main(int argc, char **argv) {
    uint32_t *output = nullptr;
    cudaDeviceProp device;
    char path[4096];
    if (argc != 2 || cudaGetDeviceProperties(&device, 0) != cudaSuccess ||
        cudaMallocManaged(&output, PASSES * REGISTERS * WARP * sizeof *output) != cudaSuccess) {
        fputs("usage: signed_moves FOLDER, with a device of sm_90\n", stderr);
        return 1;
    }
    bool is_good = observe<1>(argv[1], output);
    is_good = observe<2>(argv[1], output) && is_good;
    is_good = observe<4>(argv[1], output) && is_good;
    snprintf(path, sizeof path, "%s/device.txt", argv[1]);
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "%s, nvcc %d.%d.%d\n", device.name, __CUDACC_VER_MAJOR__,
                __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
        fclose(file);
    }
    cudaFree(output);
    return is_good && file ? 0 : 1;
}
