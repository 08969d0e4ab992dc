/* wmma.cu - the kernel of wmma, and what every observation needs beside. */
#include "source/gpu/narrow.cuh"
#include "source/gpu/wmma.cuh"

const void *const wmma_kernel = reinterpret_cast<const void *>(wmma);
const void *const narrow_kernel = reinterpret_cast<const void *>(narrow);

const unsigned nvcc_ptx = known_ptx;

#define TEXT_OF(number) #number
#define VERSION(major, minor, build) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(build)
const char nvcc_version[] =
    VERSION(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);

const int nvcc_archs[] = {
#ifdef __CUDA_ARCH_LIST__
    __CUDA_ARCH_LIST__,
#endif
    0};
