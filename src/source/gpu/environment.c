/* environment.c - what the CUDA driver reads from the environment; see gpu.h. */
#include "source/gpu/gpu.h"

#include <stdlib.h>

void gpu_prepare_environment(void) {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
}
