/* narrow.cu - numbers of any type as bytes or pairs of bytes; see narrow.h. */
#include "narrow.h"

#include <cuda_fp16.h>

template <typename T>
static __device__ unsigned number_of(const unsigned char *source, unsigned n, unsigned none) {
    double value = double(reinterpret_cast<const T *>(source)[n]);
    return value >= 0 && value < none && value == double(unsigned(value)) ? unsigned(value) : none;
}

/* Half precision is converted by way of float, as it has no conversion to double. */
template <>
__device__ unsigned number_of<half>(const unsigned char *source, unsigned n, unsigned none) {
    float value = __half2float(reinterpret_cast<const half *>(source)[n]);
    return value >= 0 && value < float(none) && value == float(unsigned(value)) ? unsigned(value)
                                                                                : none;
}

static __global__ void narrow(const narrow_task *tasks, const unsigned char *source,
                              unsigned char *target) {
    const narrow_task task = tasks[blockIdx.x];
    const unsigned none = task.bytes == 1 ? 0xff : 0xffff;
    source += task.source;
    target += task.target;
    for (unsigned n = threadIdx.x; n < task.count; n += blockDim.x) {
        unsigned number = none;
        switch (task.type) {
        case MAPPING_F64:
            number = number_of<double>(source, n, none);
            break;
        case MAPPING_F32:
            number = number_of<float>(source, n, none);
            break;
        case MAPPING_F16:
            number = number_of<half>(source, n, none);
            break;
        case MAPPING_S32:
            number = number_of<int>(source, n, none);
            break;
        case MAPPING_B16:
            number = number_of<unsigned short>(source, n, none);
            break;
        default:;
        }
        if (task.bytes == 1)
            target[n] = static_cast<unsigned char>(number);
        else
            reinterpret_cast<unsigned short *>(target)[n] = static_cast<unsigned short>(number);
    }
}

extern "C" const void *const narrow_kernel = reinterpret_cast<const void *>(narrow);
