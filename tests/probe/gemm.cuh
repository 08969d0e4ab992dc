// gemm.cuh - main() and the files of operands of the matrix products that `mapping --probe` checks
// on a device.
//
// A is M x K and B is stored N x K, both in f16; D is f32. A product defines launch().
#include "../examples/npy.hpp"

#include <cstdint>
#include <cstdlib>
#include <cuda_fp16.h>
#include <iostream>

constexpr unsigned MISTAKES = 10; // of each product

struct operand {
    const __half *data;
    unsigned rows, ld;
};

// Starts the kernel, right if `wrong` is 0.
static void launch(operand a, operand b, float *d, unsigned ldd, unsigned k, unsigned wrong);

__device__ inline uint32_t shared_address(const void *pointer) {
    return uint32_t(__cvta_generic_to_shared(pointer));
}

// Eight elements of a row from column k on, with zeros outside of the matrix.
__device__ inline uint4 chunk_of(operand x, unsigned row, unsigned k, unsigned columns) {
    alignas(16) __half elements[8];
    for (unsigned e = 0; e < 8; e++)
        elements[e] =
            row < x.rows && k + e < columns ? x.data[size_t(row) * x.ld + k + e] : __half(0.0f);
    return *reinterpret_cast<const uint4 *>(elements);
}

static void check(cudaError_t status) {
    if (status != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(status));
}

// The bytes of an array on the device, until the program ends.
static void *on_device(const npy::array &data) {
    void *pointer = nullptr;
    check(cudaMalloc(&pointer, data.bytes.size()));
    check(cudaMemcpy(pointer, data.bytes.data(), data.bytes.size(), cudaMemcpyHostToDevice));
    return pointer;
}

int main(int count, char **words) try {
    if (count < 5)
        throw std::runtime_error("usage: FOLDER M N K [MISTAKE]");
    const std::string folder = words[1];
    const auto number = [&](int at) { return unsigned(std::strtoul(words[at], nullptr, 10)); };
    const unsigned m = number(2), n = number(3), k = number(4), wrong = count > 5 ? number(5) : 0;
    if (wrong > MISTAKES)
        throw std::runtime_error("MISTAKE is 0 to " + std::to_string(MISTAKES));
    for (int run = 0; npy::exists(folder + "/A" + std::to_string(run) + ".npy"); run++) {
        const auto path = [&](const char *name) {
            return folder + "/" + name + std::to_string(run) + ".npy";
        };
        const npy::array a = npy::read(path("A")), b = npy::read(path("B"));
        npy::array d = npy::read(path("D"));
        if (a.type != "<f2" || b.type != "<f2" || d.type != "<f4")
            throw std::runtime_error("A and B must be f16, D f32");
        void *at[] = {on_device(a), on_device(b), on_device(d)};
        const operand left = {static_cast<__half *>(at[0]), m, unsigned(a.shape[1])};
        const operand right = {static_cast<__half *>(at[1]), n, unsigned(b.shape[1])};
        launch(left, right, static_cast<float *>(at[2]), unsigned(d.shape[1]), k, wrong);
        check(cudaGetLastError());
        check(cudaMemcpy(d.bytes.data(), at[2], d.bytes.size(), cudaMemcpyDeviceToHost));
        for (void *pointer : at)
            check(cudaFree(pointer));
        npy::write(path("D"), d);
    }
} catch (const std::exception &error) {
    std::cerr << "gemm: " << error.what() << '\n';
    return 1;
}
