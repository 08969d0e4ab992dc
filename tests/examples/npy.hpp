// npy.hpp - reads and writes the arrays of `mapping --probe --into=FOLDER`, in C++17 and CUDA.
//
//     const npy::array a = npy::read(folder + "/A0.npy");
//     npy::array d = npy::read(folder + "/D0.npy");
//     my_gemm(a.as<float>(), ..., d.as<float>()); // or cudaMemcpy from a.bytes, and to d.bytes
//     npy::write(folder + "/D0.npy", d);
//
// These files have a header of exactly 128 bytes. D exists before the kernel runs, and writing it
// keeps its header; so nobody has to make a header. In C, the same takes three lines:
//
//     FILE *file = fopen("A0.npy", "rb"); // or "r+b", and fwrite
//     fseek(file, 128, SEEK_SET);
//     fread(a, sizeof *a, count, file);
#ifndef NPY_HPP
#define NPY_HPP

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace npy {

constexpr long header = 128;

struct array {
    // As NumPy writes it: "<f4"; "<u2" for bf16, "|u1" for fp8, for pairs of 4-bit elements,
    // and for scale factors of 8 bits, which have one axis.
    std::string type;
    std::vector<std::size_t> shape; // rows, columns with padding
    std::vector<unsigned char> bytes;

    template <typename T> T *as() {
        return reinterpret_cast<T *>(bytes.data());
    }
    template <typename T> const T *as() const {
        return reinterpret_cast<const T *>(bytes.data());
    }
};

using file = std::unique_ptr<std::FILE, int (*)(std::FILE *)>;

inline file open(const std::string &path, const char *mode) {
    file opened(std::fopen(path.c_str(), mode), std::fclose);
    if (!opened)
        throw std::runtime_error(path + " cannot be opened");
    return opened;
}

inline bool exists(const std::string &path) {
    return std::ifstream(path).good();
}

inline array read(const std::string &path) {
    file in = open(path, "rb");
    std::string text(header, ' ');
    if (std::fread(&text[0], 1, header, in.get()) != header ||
        text.compare(0, 6, "\x93NUMPY") != 0 || text[header - 1] != '\n')
        throw std::runtime_error(path + " is no .npy file with a header of 128 bytes");
    array result;
    const std::size_t type = text.find("'descr': '"), shape = text.find("'shape': (");
    if (type == text.npos || shape == text.npos)
        throw std::runtime_error(path + " has a header without a type or a shape");
    result.type = text.substr(type + 10, text.find('\'', type + 10) - type - 10);
    for (std::size_t at = shape + 10; at < text.size() && text[at] != ')'; at++) {
        if (text[at] < '0' || text[at] > '9')
            continue;
        std::size_t length;
        result.shape.push_back(std::stoull(text.substr(at), &length));
        at += length - 1;
    }
    unsigned char block[4096];
    for (std::size_t count; (count = std::fread(block, 1, sizeof block, in.get())) > 0;)
        result.bytes.insert(result.bytes.end(), block, block + count);
    return result;
}

inline void write(const std::string &path, const array &data) {
    file out = open(path, "r+b");
    if (std::fseek(out.get(), header, SEEK_SET) != 0 ||
        std::fwrite(data.bytes.data(), 1, data.bytes.size(), out.get()) != data.bytes.size() ||
        std::fflush(out.get()) != 0)
        throw std::runtime_error(path + " cannot be written");
}

} // namespace npy

#endif
