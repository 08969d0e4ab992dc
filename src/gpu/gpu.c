/* gpu.c - the source that asks the device. */
#include "cuda.h"
#include "probe.h"
#include "source.h"

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

/* Observes those fragments that are, or are not, of wmma, and describes with what. */
static enum mapping_status observe_some(bool wmma, unsigned arch,
                                        const struct mapping_fragment *fragments, size_t count,
                                        int device, struct mapping_map *maps,
                                        struct provenance *provenances,
                                        struct mapping_error *error) {
    struct mapping_fragment *some = malloc(count * sizeof *some);
    struct mapping_map *made = calloc(count, sizeof *made);
    enum mapping_status status = MAPPING_OK;
    size_t some_count = 0;
    char with[sizeof provenances->evidence[0].with];
    const void *kernel = NULL;
    if (!some || !made)
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    for (size_t f = 0; f < count && status == MAPPING_OK; f++)
        if ((fragments[f].instruction == MAPPING_WMMA) == wmma)
            some[some_count++] = fragments[f];
    if (status == MAPPING_OK && some_count > 0) {
        status = wmma ? wmma_observe(some, some_count, made, &kernel, error)
                      : execute_observe(some, some_count, made, &kernel, error);
        if (status == MAPPING_OK)
            status = describe(device, arch, kernel, with, sizeof with, error);
    }
    size_t n = 0;
    for (size_t f = 0; f < count && n < some_count; f++)
        if ((fragments[f].instruction == MAPPING_WMMA) == wmma) {
            maps[f] = made[n++];
            if (status == MAPPING_OK)
                provenance_add(&provenances[f], "gpu", with);
        }
    free(some);
    free(made);
    return status;
}

enum mapping_status gpu_observe(unsigned arch, const struct mapping_fragment *fragments,
                                size_t count, const struct source_options *options,
                                struct mapping_map *maps, struct provenance *provenances,
                                struct mapping_error *error) {
    unsigned device_arch;
    int device = options->device;
    enum mapping_status status = gpu_arch(device, &device_arch, error);
    if (status != MAPPING_OK)
        return status;
    if (device_arch != arch)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "device %d is sm_%u, not sm_%u", device,
                            device_arch, arch);
    status = cuda_check(cudaSetDevice(device), error, "use device %d", device);
    for (int wmma = 1; wmma >= 0 && status == MAPPING_OK; wmma--)
        status = observe_some(wmma, arch, fragments, count, device, maps, provenances, error);
    return status;
}
