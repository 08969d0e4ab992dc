/* gpu.c - the source that asks the device. */
#include "source/gpu/batch.h"
#include "source/gpu/device.h"
#include "source/source.h"

#include <pthread.h>

/* Makes the context of a device, which takes longer than all else that is done here. What fails
 * will fail again where the device is used. */
static void *make_context(void *device) {
    if (cudaSetDevice(*(const int *)device) == cudaSuccess)
        cudaFree(NULL);
    return NULL;
}

/* Plans what is executed while the context is made, and executes it. */
static enum mapping_status execute(int device, struct observation *const *observations,
                                   size_t count, struct batch **batch,
                                   struct mapping_error *error) {
    pthread_t thread;
    bool is_beside = pthread_create(&thread, NULL, make_context, &device) == 0;
    enum mapping_status status = batch_plan(observations, count, batch, error);
    if (is_beside)
        pthread_join(thread, NULL);
    return status == MAPPING_OK ? batch_execute(*batch, device, error) : status;
}

/* Appends what was seen with, to all of them. */
static enum mapping_status add_provenance(int device, unsigned arch, const struct batch *batch,
                                          struct observation *const *observations, size_t count,
                                          struct mapping_error *error) {
    char with[DEVICE_TEXT_SIZE];
    enum mapping_status status = device_describe(device, arch, batch_kernel(batch), with, error);
    for (size_t o = 0; o < count && status == MAPPING_OK; o++)
        provenance_add(&observations[o]->provenance, "gpu", with);
    return status;
}

enum mapping_status gpu_observe(unsigned arch, struct observation *const *observations,
                                size_t count, const struct machinery *machinery,
                                struct mapping_error *error) {
    unsigned device_arch;
    int device = machinery->device;
    struct batch *batch = NULL;
    enum mapping_status status = gpu_arch(device, &device_arch, error);
    if (status == MAPPING_OK && device_arch != arch)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "device %d is sm_%u, not sm_%u", device,
                            device_arch, arch);
    if (status == MAPPING_OK)
        status = execute(device, observations, count, &batch, error);
    if (status == MAPPING_OK)
        status = add_provenance(device, arch, batch, observations, count, error);
    batch_free(batch);
    return status;
}
