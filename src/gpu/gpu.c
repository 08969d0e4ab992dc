/* gpu.c - the source that asks the device. */
#include "cuda.h"
#include "probe.h"
#include "source.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPT_SIZE 160

enum mapping_status cuda_check(cudaError_t code, struct mapping_error *error, const char *attempt,
                               ...) {
    if (code == cudaSuccess)
        return MAPPING_OK;
    char attempted[ATTEMPT_SIZE];
    va_list arguments;
    va_start(arguments, attempt);
    vsnprintf(attempted, sizeof attempted, attempt, arguments);
    va_end(arguments);
    return mapping_fail(error, MAPPING_FAILED, "could not %s: %s (%s)", attempted,
                        cudaGetErrorString(code), cudaGetErrorName(code));
}

/* ---- The device ---- */

/* Finds out how many devices there are. MAPPING_UNAVAILABLE without a driver that works. */
static enum mapping_status count_devices(int *count, struct mapping_error *error) {
    int driver = 0, runtime = 0;
    cudaError_t code = cudaGetDeviceCount(count);
    switch (code) {
    case cudaSuccess:
        return MAPPING_OK;
    case cudaErrorNoDevice:
        return mapping_fail(error, MAPPING_UNAVAILABLE, "the NVIDIA driver finds no GPU");
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
        cudaRuntimeGetVersion(&runtime);
        if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
            return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no NVIDIA driver");
        return mapping_fail(
            error, MAPPING_UNAVAILABLE,
            "the NVIDIA driver knows CUDA up to %d.%d, and this program was built with "
            "CUDA %d.%d: a newer driver or an older toolkit is needed",
            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    default:
        return cuda_check(code, error, "count the CUDA devices");
    }
}

enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error) {
    int count = 0, major = 0, minor = 0;
    enum mapping_status status = count_devices(&count, error);
    if (status != MAPPING_OK)
        return status;
    if (device >= count)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no CUDA device %d, only 0%s%.0d",
                            device,
                            count > 2    ? " to "
                            : count == 2 ? " and "
                                         : "",
                            count - 1);
    status = cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
                        error, "ask device %d for its compute capability", device);
    if (status == MAPPING_OK)
        status =
            cuda_check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
                       error, "ask device %d for its compute capability", device);
    *arch = (unsigned)(10 * major + minor);
    return status;
}

/* Describes device and code: "NVIDIA H200, nvcc 13.0.88". Where the device does not run code for
 * its own architecture, that is said too. */
static enum mapping_status describe(int device, unsigned arch, const void *kernel, char *text,
                                    size_t size, struct mapping_error *error) {
    struct cudaDeviceProp properties;
    struct cudaFuncAttributes attributes;
    enum mapping_status status = cuda_check(cudaGetDeviceProperties(&properties, device), error,
                                            "ask device %d for its name", device);
    if (status == MAPPING_OK)
        status = cuda_check(cudaFuncGetAttributes(&attributes, kernel), error,
                            "load the probe for sm_%u", arch);
    if (status != MAPPING_OK)
        return status;
    for (char *c = properties.name; *c; c++)
        if (strchr("();", *c)) /* they have a meaning where this is printed */
            *c = ' ';
    bool compiled = !*probe_archs;
    for (const int *entry = probe_archs; *entry; entry++)
        compiled |= *entry == 10 * attributes.binaryVersion;
    int length = snprintf(text, size, "%s, nvcc %s", properties.name, probe_compiler);
    if (!compiled)
        snprintf(text + length, size - (size_t)length, ", PTX translated by the driver");
    else if ((unsigned)attributes.binaryVersion != arch)
        snprintf(text + length, size - (size_t)length, ", code of sm_%d", attributes.binaryVersion);
    return MAPPING_OK;
}

/* ---- Observation ---- */

bool gpu_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->instruction == MAPPING_WMMA || execute_covers(fragment);
}

/* The fragments that are of wmma, or those that are not. All arrays are owned. */
struct share {
    struct mapping_fragment *fragments;
    size_t *places; /* of these among all */
    struct mapping_map *maps;
    size_t count;
};

/* Makes one of the two shares. False if out of memory. */
static bool share_init(struct share *share, bool wmma, const struct mapping_fragment *fragments,
                       size_t count) {
    *share = (struct share){.fragments = malloc(count * sizeof *share->fragments),
                            .places = malloc(count * sizeof *share->places),
                            .maps = calloc(count, sizeof *share->maps)};
    if (!share->fragments || !share->places || !share->maps)
        return false;
    for (size_t f = 0; f < count; f++)
        if ((fragments[f].instruction == MAPPING_WMMA) == wmma) {
            share->fragments[share->count] = fragments[f];
            share->places[share->count++] = f;
        }
    return true;
}

/* Hands over what was made. */
static void share_finish(struct share *share, struct mapping_map *maps) {
    for (size_t n = 0; n < share->count; n++)
        maps[share->places[n]] = share->maps[n];
    free(share->fragments);
    free(share->places);
    free(share->maps);
}

/* Adds the evidence of a share that was observed with this kernel among others. */
static enum mapping_status credit(const struct share *share, int device, unsigned arch,
                                  const void *kernel, struct provenance *provenances,
                                  struct mapping_error *error) {
    char with[sizeof provenances->evidence[0].with];
    enum mapping_status status = describe(device, arch, kernel, with, sizeof with, error);
    for (size_t n = 0; n < share->count && status == MAPPING_OK; n++)
        provenance_add(&provenances[share->places[n]], "gpu", with);
    return status;
}

/* Makes the context of a device, which takes most of the time of all. */
static void *make_context(void *device) {
    cudaSetDevice(*(int *)device);
    cudaFree(NULL);
    return NULL;
}

/* Observes both shares. What needs no device is done while its context is made. */
static enum mapping_status observe_shares(struct share *wmma, struct share *others, int device,
                                          unsigned arch, struct provenance *provenances,
                                          struct mapping_error *error) {
    const void *kernel;
    struct execution *execution = NULL;
    pthread_t thread;
    bool ahead = others->count > 0 && pthread_create(&thread, NULL, make_context, &device) == 0;
    enum mapping_status status = MAPPING_OK;
    if (others->count > 0)
        status = execute_prepare(others->fragments, others->count, &execution, error);
    if (ahead)
        pthread_join(thread, NULL);
    if (status == MAPPING_OK)
        status = cuda_check(cudaSetDevice(device), error, "use device %d", device);
    if (status == MAPPING_OK && wmma->count > 0) {
        status = wmma_observe(wmma->fragments, wmma->count, wmma->maps, &kernel, error);
        if (status == MAPPING_OK)
            status = credit(wmma, device, arch, kernel, provenances, error);
    }
    if (status == MAPPING_OK && others->count > 0) {
        status = execute_run(execution, others->maps, &kernel, error);
        if (status == MAPPING_OK)
            status = credit(others, device, arch, kernel, provenances, error);
    }
    execute_free(execution);
    return status;
}

enum mapping_status gpu_observe(unsigned arch, const struct mapping_fragment *fragments,
                                size_t count, const struct source_options *options,
                                struct mapping_map *maps, struct provenance *provenances,
                                struct mapping_error *error) {
    unsigned device_arch;
    int device = options->device;
    struct share wmma, others;
    enum mapping_status status = gpu_arch(device, &device_arch, error);
    if (status != MAPPING_OK)
        return status;
    if (device_arch != arch)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "device %d is sm_%u, not sm_%u", device,
                            device_arch, arch);
    bool made = share_init(&wmma, true, fragments, count);
    made = share_init(&others, false, fragments, count) && made;
    status = made ? observe_shares(&wmma, &others, device, arch, provenances, error)
                  : mapping_fail(error, MAPPING_FAILED, "out of memory");
    share_finish(&wmma, maps);
    share_finish(&others, maps);
    return status;
}
