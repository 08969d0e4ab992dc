/* gpu.c - the source that asks the device.
 *
 * Each probe kernel stores an accumulator whose elements say, one bit in each block, which thread
 * and which i they come from. Every bit is stored once as it is and once inverted, over memory that
 * was filled with neither 0 nor 1, so an element that is not stored is noticed. */
#include "probe.h"
#include "source.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xa5 };

#define ATTEMPT_SIZE 160

/* Fails if `code` is an error, with what was attempted. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static enum mapping_status
check(cudaError_t code, struct mapping_error *error, const char *attempt, ...) {
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
        return check(code, error, "count the CUDA devices");
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
    status = check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), error,
                   "ask device %d for its compute capability", device);
    if (status == MAPPING_OK)
        status = check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device),
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
    enum mapping_status status = check(cudaGetDeviceProperties(&properties, device), error,
                                       "ask device %d for its name", device);
    if (status == MAPPING_OK)
        status = check(cudaFuncGetAttributes(&attributes, kernel), error,
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

/* What is observed of one fragment: where its output lies, and how it is read. */
struct task {
    const struct mapping_fragment *fragment;
    struct probe probe;
    unsigned passes; /* bits of tid * elements + i; each takes two blocks */
    size_t offset, size;
};

/* Plans the tasks. Returns the bytes of all outputs, 0 if a fragment has no kernel. */
static size_t plan(const struct mapping_fragment *fragments, size_t count, struct task *tasks,
                   struct mapping_error *error) {
    size_t total = 0;
    for (size_t f = 0; f < count; f++) {
        const struct mapping_fragment *fragment = &fragments[f];
        struct task *task = &tasks[f];
        task->fragment = fragment;
        if (!probe_find(fragment, &task->probe)) {
            char name[MAPPING_NAME_SIZE];
            mapping_fragment_name(fragment, name);
            mapping_fail(error, MAPPING_UNAVAILABLE, "there is no probe for %s", name);
            return 0;
        }
        task->passes = 0;
        while (UINT32_C(1) << task->passes < (uint32_t)fragment->threads * fragment->elements)
            task->passes++;
        task->offset = total;
        task->size = (size_t)fragment->rows * fragment->cols * 2 * task->passes *
                     mapping_type_bits(fragment->type) / 8;
        total += (task->size + 255) / 256 * 256;
    }
    return total;
}

/* Reads from the stored matrices which entry each element holds. */
static enum mapping_status decode(const struct task *task, const uint8_t *output,
                                  struct mapping_map *map, struct mapping_error *error) {
    const struct mapping_fragment *fragment = task->fragment;
    size_t cells = (size_t)fragment->rows * fragment->cols;
    size_t bytes = mapping_type_bits(fragment->type) / 8;
    for (uint32_t cell = 0; cell < cells; cell++) {
        uint32_t row = cell / fragment->cols, col = cell % fragment->cols, entry = 0;
        for (unsigned pass = 0; pass < task->passes; pass++) {
            uint32_t plain = 0, inverted = 0;
            memcpy(&plain, output + (2 * pass * cells + cell) * bytes, bytes);
            memcpy(&inverted, output + ((2 * pass + 1) * cells + cell) * bytes, bytes);
            bool set = plain == task->probe.one && inverted == 0;
            if (!set && !(plain == 0 && inverted == task->probe.one))
                return mapping_fail(error, MAPPING_FAILED,
                                    "row %u, column %u holds 0x%x and 0x%x after bit %u was stored "
                                    "plain and inverted",
                                    row, col, plain, inverted, pass);
            entry |= (uint32_t)set << pass;
        }
        if (entry >= mapping_map_entries(map))
            return mapping_fail(error, MAPPING_FAILED, "row %u, column %u holds no element", row,
                                col);
        map->plane[MAPPING_ROW][entry] = row;
        map->plane[MAPPING_COL][entry] = col;
    }
    return mapping_map_check(map, error);
}

/* Runs all kernels into `memory` on the device, `total` bytes, and copies it to `output`. */
static enum mapping_status run(const struct task *tasks, size_t count, uint8_t *memory,
                               size_t total, uint8_t *output, struct mapping_error *error) {
    enum mapping_status status =
        check(cudaMemset(memory, POISON, total), error, "fill %zu bytes of device memory", total);
    for (size_t t = 0; t < count && status == MAPPING_OK; t++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(tasks[t].fragment, name);
        void *target = memory + tasks[t].offset;
        void *parameters[] = {&target};
        status =
            check(cudaLaunchKernel(tasks[t].probe.kernel, (dim3){2 * tasks[t].passes, 1, 1},
                                   (dim3){tasks[t].fragment->threads, 1, 1}, parameters, 0, NULL),
                  error, "launch the probe of %s", name);
    }
    if (status == MAPPING_OK)
        status = check(cudaMemcpy(output, memory, total, cudaMemcpyDeviceToHost), error,
                       "run the probes and copy %zu bytes from the device", total);
    return status;
}

/* Makes the maps, given room for everything. */
static enum mapping_status observe_with(struct task *tasks, size_t count, size_t total,
                                        uint8_t *output, struct mapping_map *maps,
                                        struct mapping_error *error) {
    void *memory = NULL;
    enum mapping_status status =
        check(cudaMalloc(&memory, total), error, "allocate %zu bytes of device memory", total);
    if (status != MAPPING_OK)
        return status;
    status = run(tasks, count, memory, total, output, error);
    cudaFree(memory);
    for (size_t t = 0; t < count && status == MAPPING_OK; t++) {
        char name[MAPPING_NAME_SIZE];
        struct mapping_error cause;
        mapping_fragment_name(tasks[t].fragment, name);
        if (!mapping_map_init(&maps[t], tasks[t].fragment))
            return mapping_fail(error, MAPPING_FAILED, "out of memory");
        if (decode(&tasks[t], output + tasks[t].offset, &maps[t], &cause) != MAPPING_OK)
            status = mapping_fail(error, MAPPING_FAILED, "%s: %.600s", name, cause.message);
    }
    return status;
}

enum mapping_status gpu_observe(unsigned arch, const struct mapping_fragment *fragments,
                                size_t count, const struct source_options *options,
                                struct mapping_map *maps, struct provenance *provenances,
                                struct mapping_error *error) {
    unsigned device_arch;
    enum mapping_status status = gpu_arch(options->device, &device_arch, error);
    if (status != MAPPING_OK)
        return status;
    if (device_arch != arch)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "device %d is sm_%u, not sm_%u",
                            options->device, device_arch, arch);
    struct task *tasks = malloc(count * sizeof *tasks);
    size_t total = tasks ? plan(fragments, count, tasks, error) : 0;
    uint8_t *output = total ? malloc(total) : NULL;
    char with[sizeof provenances->evidence[0].with];
    if (!tasks || (total > 0 && !output))
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    else if (total == 0)
        status = MAPPING_UNAVAILABLE;
    else
        status = check(cudaSetDevice(options->device), error, "use device %d", options->device);
    if (status == MAPPING_OK)
        status = observe_with(tasks, count, total, output, maps, error);
    if (status == MAPPING_OK)
        status = describe(options->device, arch, tasks[0].probe.kernel, with, sizeof with, error);
    for (size_t f = 0; f < count && status == MAPPING_OK; f++)
        provenance_add(&provenances[f], "gpu", with);
    free(output);
    free(tasks);
    return status;
}
