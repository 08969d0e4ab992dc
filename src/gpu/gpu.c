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

/* The driver makes queues for work and for copies, 8 and more, which takes longer than all that is
 * done here: on an H200 a context is made in 45 ms instead of 90 with one of each, and gone in 55
 * instead of 85. Whoever has set these variables has the last word. */
static void ask_for_little(void) {
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    setenv("CUDA_DEVICE_MAX_COPY_CONNECTIONS", "1", 0);
}

enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error) {
    int count = 0, major = 0, minor = 0;
    ask_for_little();
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

/* ---- Observation ---- */

bool gpu_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->instruction == MAPPING_WMMA || execute_covers(fragment);
}

/* The fragments that are of wmma, or those that are not, and how observing them went. All arrays
 * are owned. */
struct share {
    int device;
    unsigned arch; /* of the device */
    struct mapping_fragment *fragments;
    size_t *places; /* of these among all */
    struct mapping_map *maps;
    size_t count;
    char with[192]; /* the device, and what the kernels were compiled with */
    enum mapping_status status;
    struct mapping_error error;
};

/* Makes one of the two shares. False if out of memory. */
static bool share_init(struct share *share, bool wmma, int device, unsigned arch,
                       const struct mapping_fragment *fragments, size_t count) {
    *share = (struct share){.device = device,
                            .arch = arch,
                            .fragments = malloc(count * sizeof *share->fragments),
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

/* Describes device and code, one kernel of it: "NVIDIA H200, nvcc 13.0.88". Where the device does
 * not run code for its own architecture, that is said too. */
static enum mapping_status describe(struct share *share, const void *kernel) {
    struct cudaDeviceProp properties;
    struct cudaFuncAttributes attributes;
    enum mapping_status status =
        cuda_check(cudaGetDeviceProperties(&properties, share->device), &share->error,
                   "ask device %d for its name", share->device);
    if (status == MAPPING_OK)
        status = cuda_check(cudaFuncGetAttributes(&attributes, kernel), &share->error,
                            "load the probe for sm_%u", share->arch);
    if (status != MAPPING_OK)
        return status;
    for (char *c = properties.name; *c; c++)
        if (strchr("();", *c)) /* they have a meaning where this is printed */
            *c = ' ';
    bool compiled = !*probe_archs;
    for (const int *entry = probe_archs; *entry; entry++)
        compiled |= *entry == 10 * attributes.binaryVersion;
    char code[48] = "";
    if (!compiled)
        snprintf(code, sizeof code, ", PTX translated by the driver");
    else if ((unsigned)attributes.binaryVersion != share->arch)
        snprintf(code, sizeof code, ", code of sm_%d", attributes.binaryVersion);
    snprintf(share->with, sizeof share->with, "%.96s, nvcc %s%s", properties.name, probe_compiler,
             code);
    return MAPPING_OK;
}

/* Hands over what was made. */
static void share_finish(struct share *share, struct mapping_map *maps,
                         struct provenance *provenances) {
    for (size_t n = 0; n < share->count; n++) {
        maps[share->places[n]] = share->maps[n];
        provenance_add(&provenances[share->places[n]], "gpu", share->with);
    }
    free(share->fragments);
    free(share->places);
    free(share->maps);
}

/* Makes the context of the device, which takes most of the time of all, and observes what is of
 * wmma. */
static void *observe_wmma(void *argument) {
    struct share *share = argument;
    const void *kernel;
    cudaSetDevice(share->device);
    cudaFree(NULL);
    if (share->count == 0)
        return NULL;
    share->status = wmma_observe(share->device, share->fragments, share->count, share->maps,
                                 &kernel, &share->error);
    if (share->status == MAPPING_OK)
        share->status = describe(share, kernel);
    return NULL;
}

/* Observes what is not, and needs no device for the first part of it. */
static void observe_others(struct share *share) {
    const void *kernel;
    struct execution *execution;
    share->status = execute_prepare(share->fragments, share->count, &execution, &share->error);
    if (share->status == MAPPING_OK)
        share->status = execute_run(share->device, execution, share->maps, &kernel, &share->error);
    if (share->status == MAPPING_OK)
        share->status = describe(share, kernel);
    execute_free(execution);
}

/* Observes both shares, side by side. */
static enum mapping_status observe_shares(struct share *wmma, struct share *others,
                                          struct mapping_error *error) {
    pthread_t thread;
    bool beside = others->count > 0 && pthread_create(&thread, NULL, observe_wmma, wmma) == 0;
    if (!beside)
        observe_wmma(wmma);
    if (others->count > 0)
        observe_others(others);
    if (beside)
        pthread_join(thread, NULL);
    const struct share *failed = wmma->status != MAPPING_OK ? wmma : others;
    if (failed->status != MAPPING_OK)
        *error = failed->error;
    return failed->status;
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
    bool made = share_init(&wmma, true, device, arch, fragments, count);
    made = share_init(&others, false, device, arch, fragments, count) && made;
    status = made ? observe_shares(&wmma, &others, error)
                  : mapping_fail(error, MAPPING_FAILED, "out of memory");
    share_finish(&wmma, maps, provenances);
    share_finish(&others, maps, provenances);
    return status;
}
