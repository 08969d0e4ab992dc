/* element.cuh - the element types of mma.h under their PTX names, and their form in memory. */
#ifndef ELEMENT_CUH
#define ELEMENT_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

/* mma.h declares these only for architectures that have them. */
namespace nvcuda {
namespace wmma {
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
} // namespace precision
} // namespace experimental
} // namespace wmma
} // namespace nvcuda

using f64 = double;
using f32 = float;
using tf32 = nvcuda::wmma::precision::tf32;
using bf16 = __nv_bfloat16;
using f16 = half;
using s32 = int;
using s8 = signed char;
using u8 = unsigned char;
using s4 = nvcuda::wmma::experimental::precision::s4;
using u4 = nvcuda::wmma::experimental::precision::u4;
using b1 = nvcuda::wmma::experimental::precision::b1;

/* The storage type of an element, and its size in bits. Sub-byte types are packed into bytes. */
template <typename T> struct element {
    using storage = T;
    static constexpr unsigned bits = 8 * sizeof(T);
};
template <> struct element<tf32> {
    using storage = float;
    static constexpr unsigned bits = 32;
};
template <> struct element<s4> {
    using storage = unsigned char;
    static constexpr unsigned bits = 4;
};
template <> struct element<u4> : element<s4> {};
template <> struct element<b1> {
    using storage = unsigned char;
    static constexpr unsigned bits = 1;
};

#endif
