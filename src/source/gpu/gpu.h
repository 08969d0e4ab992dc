/* gpu.h - what the program asks of the gpu source beside what source.h has. */
#ifndef GPU_H
#define GPU_H

/* Asks the CUDA driver for one queue for work and one for copies, where it makes 8 and more by
 * itself: on an H200 a context is then made in 45 ms in place of 90, and gone in 55 in place of 85.
 * Does so by the environment variables CUDA_DEVICE_MAX_CONNECTIONS and
 * CUDA_DEVICE_MAX_COPY_CONNECTIONS, unless the user has set them. To be called once, before
 * anything else is done with CUDA and before there are threads. */
void gpu_prepare_environment(void);

/* Longest description of a device with its end. */
#define DEVICE_TEXT_SIZE 192

#endif
