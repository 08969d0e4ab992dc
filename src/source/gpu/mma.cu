/* mma.cu - the kernels of mma, mma.sp, ldmatrix, stmatrix and movmatrix. */
#include "source/gpu/kernels.h"
#include "source/gpu/matrix_moves.cuh"
#include "source/gpu/mma.cuh"

const void *const mma_kernel = reinterpret_cast<const void *>(mma);
const void *const mma_sp_kernel = reinterpret_cast<const void *>(mma_sp);
const void *const matrix_moves_kernel = reinterpret_cast<const void *>(matrix_moves);
