/* device.c - the CUDA device; see device.h. */
#include "source/gpu/device.h"

#include "source/gpu/kernels.h"
#include "source/source.h"

#include <stdarg.h>
#include <stdio.h>
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

/* ---- Which device ---- */

/* Why the driver does not work with the runtime that this program was built with. */
static enum mapping_status driver_does_not_do(struct mapping_error *error) {
    int driver = 0, runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no NVIDIA driver");
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "the NVIDIA driver supports CUDA up to %d.%d, but this program was built "
                        "with CUDA %d.%d; use a newer driver or an older toolkit",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

/* Finds out how many devices there are. MAPPING_UNAVAILABLE without a driver that works. */
static enum mapping_status count_devices(int *count, struct mapping_error *error) {
    cudaError_t code = cudaGetDeviceCount(count);
    switch (code) {
    case cudaErrorNoDevice:
        return mapping_fail(error, MAPPING_UNAVAILABLE, "the NVIDIA driver finds no GPU");
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
        return driver_does_not_do(error);
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
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "no CUDA device %d; this machine has device%s 0%s%.0d", device,
                            count > 1 ? "s" : "",
                            count > 2    ? " to "
                            : count == 2 ? " and "
                                         : "",
                            count - 1);
    cudaError_t code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    *arch = (unsigned)(10 * major + minor);
    return cuda_check(code, error, "query the compute capability of device %d", device);
}

/* ---- What it is ---- */

/* True if the code is from nvcc, and not made out of PTX by the driver. */
static bool was_compiled(int binary_version) {
    bool compiled = nvcc_archs[0] == 0; /* nvcc does not say */
    for (const int *arch = nvcc_archs; *arch; arch++)
        compiled |= *arch == 10 * binary_version;
    return compiled;
}

enum mapping_status device_describe(int device, unsigned arch, const void *kernel,
                                    char text[DEVICE_TEXT_SIZE], struct mapping_error *error) {
    struct cudaDeviceProp properties;
    struct cudaFuncAttributes attributes;
    enum mapping_status status = cuda_check(cudaGetDeviceProperties(&properties, device), error,
                                            "query the name of device %d", device);
    if (status == MAPPING_OK)
        status = cuda_check(cudaFuncGetAttributes(&attributes, kernel), error,
                            "load the probe for sm_%u", arch);
    if (status != MAPPING_OK)
        return status;
    for (char *c = properties.name; *c; c++)
        if (strchr("();", *c)) /* they have a meaning where this is printed */
            *c = ' ';
    char code[48] = "";
    if (!was_compiled(attributes.binaryVersion))
        snprintf(code, sizeof code, ", PTX translated by the driver");
    else if ((unsigned)attributes.binaryVersion != arch)
        snprintf(code, sizeof code, ", code of sm_%d", attributes.binaryVersion);
    snprintf(text, DEVICE_TEXT_SIZE, "%.96s, nvcc %s%s", properties.name, nvcc_version, code);
    return MAPPING_OK;
}
