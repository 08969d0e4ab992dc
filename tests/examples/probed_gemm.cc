// probed_gemm.cc - a matrix product on the CPU that `mapping --probe` can check, in C++17. In place
// of gemm() stands your kernel.
//
//     mapping --probe=gemm:64,64,64 --type=f32 --into=FOLDER
//     probed_gemm FOLDER 64 64 64 [MISTAKE]
//     mapping --decode=FOLDER
//
// MISTAKE is rows (rows 0-15 and 16-31 of D are exchanged), lost (the last element of K is not
// read) or written (the last row of D is not written).
#include "npy.hpp"

#include <cstdlib>
#include <cstring>
#include <iostream>

// D[m, n] = sum of A[m, k] * B[n, k].
static void gemm(const float *a, std::size_t lda, const float *b, std::size_t ldb, float *d,
                 std::size_t ldd, std::size_t m, std::size_t n, std::size_t k,
                 const std::string &mistake) {
    for (std::size_t row = 0; row < m - (mistake == "written"); row++)
        for (std::size_t column = 0; column < n; column++) {
            float sum = 0;
            for (std::size_t at = 0; at < k - (mistake == "lost"); at++)
                sum += a[row * lda + at] * b[column * ldb + at];
            d[(mistake == "rows" && row < 32 ? row ^ 16 : row) * ldd + column] = sum;
        }
}

int main(int count, char **words) try {
    if (count < 5)
        throw std::runtime_error("usage: probed_gemm FOLDER M N K [MISTAKE]");
    const std::string folder = words[1], mistake = count > 5 ? words[5] : "";
    const auto number = [&](int at) { return std::size_t(std::strtoul(words[at], nullptr, 10)); };
    for (int run = 0; npy::exists(folder + "/A" + std::to_string(run) + ".npy"); run++) {
        const auto path = [&](const char *name) {
            return folder + "/" + name + std::to_string(run) + ".npy";
        };
        const npy::array a = npy::read(path("A")), b = npy::read(path("B"));
        npy::array d = npy::read(path("D"));
        if (a.type != "<f4" || b.type != "<f4" || d.type != "<f4")
            throw std::runtime_error("A, B and D must be f32");
        gemm(a.as<float>(), a.shape[1], b.as<float>(), b.shape[1], d.as<float>(), d.shape[1],
             number(2), number(3), number(4), mistake);
        npy::write(path("D"), d);
    }
} catch (const std::exception &error) {
    std::cerr << "probed_gemm: " << error.what() << '\n';
    return 1;
}
