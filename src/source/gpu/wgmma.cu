/* wgmma.cu - the kernels of wgmma and wgmma.sp, a quarter of them: PART is 0, 1, 2 or 3, and
 * WGMMA_ROWS_FILE has the rows of that part. */
#include "source/gpu/kernels.h"
#include "source/gpu/wgmma.cuh"

#define NAME_(part) wgmma_kernels_##part
#define NAME(part) NAME_(part)

template <uint32_t KERNEL> static const void *kernel() {
    return reinterpret_cast<const void *>(wgmma<8 * (1 + PART + WGMMA_PARTS * KERNEL)>);
}

const void *const NAME(PART)[WGMMA_KERNELS] = {kernel<0>(), kernel<1>(), kernel<2>(), kernel<3>(),
                                               kernel<4>(), kernel<5>(), kernel<6>(), kernel<7>()};
