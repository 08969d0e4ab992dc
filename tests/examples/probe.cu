/* probe.cu - how `mapping` observes a fragment. A kernel fills an accumulator with numbers that
 * encode (tid, i), and stores it. Thread 1 fills its element 2 with 1 * 8 + 2 = 10, so the place of
 * 10 in the stored matrix is that of (tid 1, i 2). libmapping deduces formulae from these places.
 * The output is that of `mapping --source=gpu wmma.m16n16k16.d.f32`, except for the version of
 * nvcc. In the root folder of the project:
 *     make && nvcc -std=c++17 -arch=sm_90 -I include tests/examples/probe.cu build/libmapping.a &&
 *         ./a.out */
#include "mapping.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mma.h>

using accumulator = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
constexpr unsigned THREADS = 32, ELEMENTS = accumulator::num_elements, ROWS = 16, COLS = 16;

__global__ void probe(float *matrix) {
    accumulator d;
    for (unsigned i = 0; i < ELEMENTS; i++)
        d.x[i] = float(threadIdx.x * ELEMENTS + i);
    nvcuda::wmma::store_matrix_sync(matrix, d, COLS, nvcuda::wmma::mem_row_major);
}

static void require(bool ok, const char *why) {
    if (!ok) {
        std::fprintf(stderr, "probe: %s\n", why);
        std::exit(EXIT_FAILURE);
    }
}

/* Prints the formula of one coordinate of a layout. */
static void print_formula(mapping *context, const char *name, const mapping_layout *layout,
                          const char *axis) {
    const char *text;
    require(mapping_layout_formula(context, layout, axis, MAPPING_BITS, &text) == MAPPING_OK,
            mapping_message(context));
    std::printf("%s: return %s;\n", name, text);
}

int main() {
    static float matrix[ROWS][COLS];
    float *stored = nullptr;
    cudaDeviceProp gpu = {};
    cudaGetDeviceProperties(&gpu, 0);
    cudaMalloc(&stored, sizeof matrix);
    cudaMemset(stored, 0, sizeof matrix);
    probe<<<1, THREADS>>>(stored);
    cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess)
        code = cudaMemcpy(matrix, stored, sizeof matrix, cudaMemcpyDeviceToHost);
    require(code == cudaSuccess, cudaGetErrorString(code));
    cudaFree(stored);

    /* A layout is a table: entry tid * ELEMENTS + i has the row and the column of that element. */
    static std::uint32_t rows[THREADS * ELEMENTS], cols[THREADS * ELEMENTS];
    const std::uint32_t *values[] = {rows, cols};
    const mapping_axis from[] = {{MAPPING_AXIS_TID, THREADS}, {MAPPING_AXIS_I, ELEMENTS}};
    const mapping_axis to[] = {{MAPPING_AXIS_ROW, ROWS}, {MAPPING_AXIS_COL, COLS}};
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned col = 0; col < COLS; col++) {
            rows[unsigned(matrix[row][col])] = row;
            cols[unsigned(matrix[row][col])] = col;
        }
    mapping *context = mapping_open(nullptr);
    require(context, "out of memory");
    const mapping_layout *layout, *inverse;
    require(mapping_layout_from_table(context, from, 2, to, 2, values, &layout) == MAPPING_OK,
            mapping_message(context));
    /* Refuses a table without an entry for some element, which is the effect of a wrong store. */
    require(mapping_layout_invert(context, layout, MAPPING_AXIS_COPY, &inverse) == MAPPING_OK,
            mapping_message(context));
    const std::uint32_t *threads = mapping_layout_values(inverse, MAPPING_AXIS_TID);
    const std::uint32_t *elements = mapping_layout_values(inverse, MAPPING_AXIS_I);

    std::printf("# wmma.m16n16k16.d.f32 on sm_%d%d\n", gpu.major, gpu.minor);
    std::printf("# source: gpu (%s)\nElement / ThreadIdx:\n", gpu.name);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned col = 0; col < 2 * COLS; col++)
            std::printf("%s%2u%s", col == COLS ? "        " : "",
                        (col < COLS ? elements : threads)[row * COLS + col % COLS],
                        col + 1 < 2 * COLS ? " " : "\n");
    std::printf("\nFormulae:\n");
    print_formula(context, "Row", layout, MAPPING_AXIS_ROW);
    print_formula(context, "Col", layout, MAPPING_AXIS_COL);
    std::printf("\nInverse:\n");
    print_formula(context, "Tid", inverse, MAPPING_AXIS_TID);
    print_formula(context, "I", inverse, MAPPING_AXIS_I);
    mapping_close(context);
}
