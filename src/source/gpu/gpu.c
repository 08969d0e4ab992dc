/* gpu.c - the source that uses the device. It handles many experiments at once: plans them, copies
 * them to the device, executes them, and copies and reads the results. */
#include "source/gpu/gpu.h"

#include "catalogue/catalogue.h"
#include "source/gpu/experiment.h"
#include "source/gpu/kernels.h"
#include "source/source.h"
#include "system/system.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum mapping_status cuda_check(cudaError_t code, struct mapping_error *error, const char *attempt,
                               ...) {
    if (code == cudaSuccess)
        return MAPPING_OK;
    char attempted[160];
    va_list arguments;
    va_start(arguments, attempt);
    vsnprintf(attempted, sizeof attempted, attempt, arguments);
    va_end(arguments);
    return mapping_fail(error, MAPPING_FAILED, "could not %s: %s (%s)", attempted,
                        cudaGetErrorString(code), cudaGetErrorName(code));
}

/* ---- The device ---- */

/* Fails with the reason why the driver does not support the CUDA runtime of this program. */
static enum mapping_status fail_driver(struct mapping_error *error) {
    int driver = 0, runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no NVIDIA driver");
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "the NVIDIA driver supports CUDA up to %d.%d, but this program was built "
                        "with CUDA %d.%d; use a newer driver or an older toolkit",
                        driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error) {
    int count = 0, major = 0, minor = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorNoDevice)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "the NVIDIA driver finds no GPU");
    if (code == cudaErrorInsufficientDriver || code == cudaErrorStubLibrary)
        return fail_driver(error);
    if (code != cudaSuccess)
        return cuda_check(code, error, "count the CUDA devices");
    if (device >= count)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "no CUDA device %d; this machine has device%s 0%s%.0d", device,
                            count > 1 ? "s" : "",
                            count > 2    ? " to "
                            : count == 2 ? " and "
                                         : "",
                            count - 1);
    code = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (code == cudaSuccess)
        code = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    *arch = (unsigned)(10 * major + minor);
    return cuda_check(code, error, "query the compute capability of device %d", device);
}

/* True if nvcc compiled the code; false if the driver compiled it from PTX. */
static bool was_compiled(int binary_version) {
    bool compiled = nvcc_archs[0] == 0; /* nvcc did not state the architectures */
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
        if (strchr("();", *c)) /* these characters have a meaning in the printed text */
            *c = ' ';
    char code[48] = "";
    if (!was_compiled(attributes.binaryVersion))
        snprintf(code, sizeof code, ", PTX translated by the driver");
    else if ((unsigned)attributes.binaryVersion != arch)
        snprintf(code, sizeof code, ", code of sm_%d", attributes.binaryVersion);
    snprintf(text, DEVICE_TEXT_SIZE, "%.96s, nvcc %s%s", properties.name, nvcc_version, code);
    return MAPPING_OK;
}

/* ---- Planning ---- */

/* An experiment, and the positions of its runs and its output among all experiments. */
struct trial {
    const void *kernel;
    struct experiment experiment;
    size_t first_run;           /* index of its first run among those of all trials */
    size_t output;              /* index of its first word in device_output */
    enum mapping_status status; /* the result of making the layout */
    struct mapping_error error;
};

struct batch {
    int device;
    struct contents contents;
    struct observation *const *observations;
    struct trial *trials;
    size_t count, runs, output_words;
    void *device_contents, *device_runs, *device_output; /* device memory; owned */
};

static size_t output_words(const struct experiment *experiment) {
    return experiment->count * experiment->words;
}

static const void *kernel_of(const struct operands *operands) {
    if (operands_read_shared(operands))
        return wgmma_kernel(operands->opcode.shape.n);
    if (mapping_instruction_form(operands->opcode.instruction) == WMMA_FORM)
        return wmma_kernel;
    if (!operands_are_multiplied(operands))
        return matrix_moves_kernel;
    return operands_are_sparse(operands) ? mma_sp_kernel : mma_kernel;
}

static enum mapping_status plan_trial(struct batch *batch, const struct mapping_fragment *fragment,
                                      struct trial *trial, struct mapping_error *error) {
    struct operands operands;
    if (!experiment_find(fragment, &operands)) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(fragment, name);
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no probe for %s", name);
    }
    trial->kernel = kernel_of(&operands);
    experiment_plan(&operands, fragment->operand, &batch->contents, &trial->experiment);
    trial->first_run = batch->runs;
    trial->output = batch->output_words;
    batch->runs += trial->experiment.count;
    batch->output_words += (output_words(&trial->experiment) + 31) / 32 * 32;
    return MAPPING_OK;
}

/* Plans an experiment for each of `count` observations, at least one; needs no device.
 * MAPPING_UNAVAILABLE if there is no kernel for one of them. */
static enum mapping_status batch_plan(struct batch *batch, size_t count,
                                      struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    batch->trials = memory_get(count, sizeof *batch->trials);
    for (; batch->count < count && status == MAPPING_OK; batch->count++)
        status = plan_trial(batch, &batch->observations[batch->count]->fragment,
                            &batch->trials[batch->count], error);
    return status;
}

static void batch_free(struct batch *batch) {
    cudaFree(batch->device_contents);
    cudaFree(batch->device_runs);
    cudaFree(batch->device_output);
    for (size_t t = 0; t < batch->count; t++)
        experiment_free(&batch->trials[t].experiment);
    contents_free(&batch->contents);
    mapping_free(batch->trials);
}

/* ---- The device's memory ---- */

/* Allocates `size` bytes of device memory, and copies `from` to it; NULL fills it with POISON. */
static enum mapping_status allocate(void **memory, const void *from, size_t size,
                                    struct mapping_error *error) {
    enum mapping_status status =
        cuda_check(cudaMalloc(memory, size), error, "allocate %zu bytes of device memory", size);
    if (status != MAPPING_OK)
        return status;
    return from ? cuda_check(cudaMemcpy(*memory, from, size, cudaMemcpyHostToDevice), error,
                             "copy %zu bytes to the device", size)
                : cuda_check(cudaMemset(*memory, POISON, size), error,
                             "fill %zu bytes of device memory", size);
}

static enum mapping_status allocate_all(struct batch *batch, struct mapping_error *error) {
    struct run *runs = memory_get(batch->runs, sizeof *runs);
    for (size_t t = 0; t < batch->count; t++) {
        const struct trial *trial = &batch->trials[t];
        for (size_t r = 0; r < trial->experiment.count; r++) {
            runs[trial->first_run + r] = trial->experiment.runs[r];
            runs[trial->first_run + r].d += (uint32_t)trial->output;
        }
    }
    enum mapping_status status = allocate(&batch->device_contents, batch->contents.words,
                                          batch->contents.count * sizeof(uint32_t), error);
    if (status == MAPPING_OK)
        status = allocate(&batch->device_runs, runs, batch->runs * sizeof *runs, error);
    if (status == MAPPING_OK)
        status =
            allocate(&batch->device_output, NULL, batch->output_words * sizeof(uint32_t), error);
    return status;
}

/* ---- Launching ---- */

/* Launches the kernel of one trial. Fails if the kernel was only compiled for architectures without
 * the instruction, because it then has no code. */
static enum mapping_status launch(const struct batch *batch, size_t t,
                                  struct mapping_error *error) {
    const struct trial *trial = &batch->trials[t];
    const struct operands *operands = &trial->experiment.operands;
    const unsigned threads = operands_read_shared(operands) ? WARPGROUP : WARP;
    struct job job = {batch->device_contents, batch->device_output,
                      (const struct run *)batch->device_runs + trial->first_run};
    void *parameters[] = {&job};
    struct cudaFuncAttributes attributes;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&batch->observations[t]->fragment, name);
    enum mapping_status status = cuda_check(cudaFuncGetAttributes(&attributes, trial->kernel),
                                            error, "load the probe of %s", name);
    if (status != MAPPING_OK)
        return status;
    if ((unsigned)attributes.ptxVersion < operands->opcode.since)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "this program was built for sm_%d, but %s needs sm_%u",
                            attributes.ptxVersion, name, operands->opcode.since);
    return cuda_check(cudaLaunchKernel(trial->kernel,
                                       (dim3){(unsigned)trial->experiment.count, 1, 1},
                                       (dim3){threads, 1, 1}, parameters, 0, NULL),
                      error, "launch the probe of %s", name);
}

/* ---- Reading ---- */

/* Copies the words that a trial stored from the device, and makes the layout. */
static void read_trial(void *context, size_t t) {
    const struct batch *batch = context;
    struct trial *trial = &batch->trials[t];
    const struct mapping_fragment *fragment = &batch->observations[t]->fragment;
    const uint32_t *from = (const uint32_t *)batch->device_output + trial->output;
    const size_t size = output_words(&trial->experiment) * sizeof *from;
    uint32_t *words = memory_get(1, size);
    char name[MAPPING_NAME_SIZE];
    struct mapping_error cause;
    trial->status =
        cuda_check(cudaSetDevice(batch->device), &cause, "use device %d", batch->device);
    if (trial->status == MAPPING_OK)
        trial->status = cuda_check(cudaMemcpy(words, from, size, cudaMemcpyDeviceToHost), &cause,
                                   "copy %zu bytes from the device", size);
    if (trial->status == MAPPING_OK)
        trial->status =
            experiment_read(&trial->experiment, words, &batch->observations[t]->layout, &cause);
    mapping_free(words);
    if (trial->status == MAPPING_OK)
        return;
    mapping_fragment_name(fragment, name);
    if (mapping_instruction_form(fragment->instruction) == WMMA_FORM)
        mapping_fail(&trial->error, trial->status, "%s: %-s", name, cause.message);
    else
        mapping_fail(&trial->error, trial->status, "%s, observed with %s: %-s", name,
                     trial->experiment.operands.opcode.text, cause.message);
}

/* ---- All of it ---- */

/* Executes all trials on the device, and makes the layouts of the observations. MAPPING_UNAVAILABLE
 * if the kernels were not compiled for an architecture that has a fragment, MAPPING_FAILED if CUDA
 * fails or the stored words make no sense. */
static enum mapping_status batch_execute(struct batch *batch, struct mapping_error *error) {
    enum mapping_status status =
        cuda_check(cudaSetDevice(batch->device), error, "use device %d", batch->device);
    if (status == MAPPING_OK)
        status = allocate_all(batch, error);
    for (size_t t = 0; t < batch->count && status == MAPPING_OK; t++)
        status = launch(batch, t, error);
    if (status == MAPPING_OK)
        status = cuda_check(cudaDeviceSynchronize(), error, "run the probes");
    if (status == MAPPING_OK)
        parallel_for(batch->count, read_trial, batch);
    for (size_t t = 0; t < batch->count && status == MAPPING_OK; t++)
        if ((status = batch->trials[t].status) != MAPPING_OK)
            *error = batch->trials[t].error;
    return status;
}

/* ---- The source ---- */

/* Creates the context of a device, in a separate thread, because this takes longer than all other
 * work here. An error is reported when the device is used later. */
static void *make_context(void *device) {
    if (cudaSetDevice(*(const int *)device) == cudaSuccess)
        cudaFree(NULL);
    return NULL;
}

/* Plans the experiments while the context is created, and executes them. */
static enum mapping_status execute(struct batch *batch, size_t count, struct mapping_error *error) {
    pthread_t thread;
    bool is_beside = pthread_create(&thread, NULL, make_context, &batch->device) == 0;
    enum mapping_status status = batch_plan(batch, count, error);
    if (is_beside)
        pthread_join(thread, NULL);
    return status == MAPPING_OK ? batch_execute(batch, error) : status;
}

enum mapping_status gpu_observe(unsigned arch, struct observation *const *observations,
                                size_t count, const struct machinery *machinery,
                                struct mapping_error *error) {
    unsigned device_arch = 0;
    const int device = machinery->device;
    struct batch batch = {.device = device, .observations = observations};
    char with[DEVICE_TEXT_SIZE];
    enum mapping_status status = gpu_arch(device, &device_arch, error);
    if (status != MAPPING_OK)
        return status;
    if (device_arch != arch)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "device %d is sm_%u, not sm_%u", device,
                            device_arch, arch);
    status = execute(&batch, count, error);
    if (status == MAPPING_OK)
        status = device_describe(device, arch, batch.trials[0].kernel, with, error);
    for (size_t o = 0; o < count && status == MAPPING_OK; o++)
        provenance_add(&observations[o]->provenance, "gpu", with);
    batch_free(&batch);
    return status;
}
