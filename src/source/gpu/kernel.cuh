/* kernel.cuh - declarations that all kernels share. */
#ifndef KERNEL_CUH
#define KERNEL_CUH

#include "source/gpu/kernels.h"

/* nvcc 11.6 does not know __grid_constant__. */
#if __CUDACC_VER_MAJOR__ == 11 && __CUDACC_VER_MINOR__ < 7
#define __grid_constant__
#endif

/* The target architecture, 75 for sm_75; 0 for host code. */
#ifdef __CUDA_ARCH__
constexpr unsigned compiled_for = __CUDA_ARCH__ / 10;
#else
constexpr unsigned compiled_for = 0;
#endif

/* The version of PTX that this nvcc generates, 87 for 8.7, which came with CUDA 12.8 (PTX ISA,
 * release notes). */
constexpr unsigned ptx_of_nvcc(unsigned major, unsigned minor) {
    return major >= 13                 ? 90 + minor
           : major == 12 && minor >= 6 ? 79 + minor
           : major == 12               ? 80 + minor
                                       : 70 + minor;
}
constexpr unsigned known_ptx = ptx_of_nvcc(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);

/* True if an opcode can be compiled for this target. Opcodes that ptxas does not know must not be
 * passed to it. */
__host__ __device__ constexpr bool has(unsigned since, unsigned ptx) {
    return since <= compiled_for && ptx <= known_ptx;
}

#endif
