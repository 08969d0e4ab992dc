/* gpu.c - the source that asks the device: many experiments executed at once. They are planned,
 * copied to the device, executed, copied back and read. */
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

/* Fails with the reason why the driver does not work with the runtime of this program. */
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

/* Counts the devices. MAPPING_UNAVAILABLE without a working driver. */
static enum mapping_status count_devices(int *count, struct mapping_error *error) {
    cudaError_t code = cudaGetDeviceCount(count);
    switch (code) {
    case cudaErrorNoDevice:
        return mapping_fail(error, MAPPING_UNAVAILABLE, "the NVIDIA driver finds no GPU");
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
        return fail_driver(error);
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

/* True if nvcc compiled the code, rather than the driver from PTX. */
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

/* ---- Planning ---- */

/* One experiment, and where it is among all. */
struct trial {
    const void *kernel;
    struct experiment experiment;
    bool is_ordered;  /* it has its place in the order */
    size_t first_run; /* among those of all, in the order of launches */
    size_t output;    /* where it starts in all that is stored, in words */
};

struct batch {
    struct contents contents;
    struct observation *const *observations;
    struct trial *trials;
    size_t *order; /* of the trials: those that share a kernel behind each other */
    size_t count, runs, output_words;
};

/* Where it is on the device. */
struct memory {
    uint8_t *all; /* owned */
    uint32_t *contents, *output;
    struct run *runs;
};

/* All parts of memory start at multiples of this many bytes or words. */
static size_t round_up(size_t size) {
    return (size + 127) / 128 * 128;
}

static size_t output_words(const struct experiment *experiment) {
    return experiment->count * experiment->words;
}

static const void *kernel_of(const struct operands *operands) {
    if (operands_read_shared(operands))
        return wgmma_kernel(operands->opcode.shape.n);
    if (mapping_instruction_probe(operands->opcode.instruction) == PROBE_WMMA)
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
    trial->output = batch->output_words;
    batch->output_words += round_up(output_words(&trial->experiment));
    return MAPPING_OK;
}

/* Puts the trials in order, and gives their runs their places. */
static void put_in_order(struct batch *batch) {
    size_t ordered = 0;
    for (size_t first = 0; first < batch->count; first++) {
        if (batch->trials[first].is_ordered)
            continue;
        for (size_t t = first; t < batch->count; t++) {
            struct trial *trial = &batch->trials[t];
            if (trial->kernel != batch->trials[first].kernel)
                continue;
            trial->is_ordered = true;
            trial->first_run = batch->runs;
            batch->runs += trial->experiment.count;
            batch->order[ordered++] = t;
        }
    }
}

/* Plans an experiment for each of `count` observations, at least one; takes no device. These have
 * to live as long as the batch. MAPPING_UNAVAILABLE if there is no kernel for one of them.
 * Free the batch in any case. */
static enum mapping_status batch_plan(struct observation *const *observations, size_t count,
                                      struct batch **batch, struct mapping_error *error) {
    struct batch *made = *batch = memory_get(1, sizeof *made);
    made->trials = memory_get(count, sizeof *made->trials);
    made->order = memory_get(count, sizeof *made->order);
    made->observations = observations;
    enum mapping_status status = MAPPING_OK;
    for (; made->count < count && status == MAPPING_OK; made->count++)
        status = plan_trial(made, &observations[made->count]->fragment, &made->trials[made->count],
                            error);
    if (status == MAPPING_OK)
        put_in_order(made);
    return status;
}

static void batch_free(struct batch *batch) {
    if (!batch)
        return;
    for (size_t t = 0; t < batch->count; t++)
        experiment_free(&batch->trials[t].experiment);
    contents_free(&batch->contents);
    memory_free(batch->trials);
    memory_free(batch->order);
    memory_free(batch);
}

/* ---- The device's memory ---- */

/* Takes the next `size` bytes. */
static void *take(uint8_t **next, size_t size) {
    void *taken = *next;
    *next += round_up(size);
    return taken;
}

static enum mapping_status allocate(const struct batch *batch, struct memory *memory,
                                    struct mapping_error *error) {
    size_t sizes[] = {batch->contents.count * sizeof *memory->contents,
                      batch->runs * sizeof *memory->runs,
                      batch->output_words * sizeof *memory->output};
    size_t total = 0;
    for (size_t part = 0; part < sizeof sizes / sizeof *sizes; part++)
        total += round_up(sizes[part]);
    enum mapping_status status = cuda_check(cudaMalloc((void **)&memory->all, total), error,
                                            "allocate %zu bytes of device memory", total);
    if (status != MAPPING_OK)
        return status;
    uint8_t *next = memory->all;
    memory->contents = take(&next, sizes[0]);
    memory->runs = take(&next, sizes[1]);
    memory->output = take(&next, sizes[2]);
    return cuda_check(cudaMemset(memory->output, POISON, sizes[2]), error,
                      "fill %zu bytes of device memory", sizes[2]);
}

static enum mapping_status copy_to_device(void *to, const void *from, size_t size,
                                          struct mapping_error *error) {
    return cuda_check(cudaMemcpy(to, from, size, cudaMemcpyHostToDevice), error,
                      "copy %zu bytes to the device", size);
}

/* Copies contents and runs to the device. */
static enum mapping_status upload(const struct batch *batch, const struct memory *memory,
                                  struct mapping_error *error) {
    struct run *runs = memory_get(batch->runs, sizeof *runs);
    for (size_t t = 0; t < batch->count; t++) {
        const struct trial *trial = &batch->trials[t];
        const struct experiment *experiment = &trial->experiment;
        for (size_t r = 0; r < experiment->count; r++) {
            runs[trial->first_run + r] = experiment->runs[r];
            runs[trial->first_run + r].d += (uint32_t)trial->output;
        }
    }
    enum mapping_status status =
        copy_to_device(memory->contents, batch->contents.words,
                       batch->contents.count * sizeof *memory->contents, error);
    if (status == MAPPING_OK)
        status = copy_to_device(memory->runs, runs, batch->runs * sizeof *runs, error);
    memory_free(runs);
    return status;
}

/* ---- Launching ---- */

/* Checks that a kernel has code for what some trials execute: there is none where it was compiled
 * for architectures that do not have the instruction. */
static enum mapping_status check_code(const struct batch *batch, const size_t *order, size_t count,
                                      struct mapping_error *error) {
    struct cudaFuncAttributes attributes;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&batch->observations[order[0]]->fragment, name);
    enum mapping_status status =
        cuda_check(cudaFuncGetAttributes(&attributes, batch->trials[order[0]].kernel), error,
                   "load the probe of %s", name);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        unsigned since = batch->trials[order[n]].experiment.operands.opcode.since;
        mapping_fragment_name(&batch->observations[order[n]]->fragment, name);
        if ((unsigned)attributes.ptxVersion < since)
            status = mapping_fail(error, MAPPING_UNAVAILABLE,
                                  "this program was built for sm_%d, but %s needs sm_%u",
                                  attributes.ptxVersion, name, since);
    }
    return status;
}

/* Launches one kernel for `count` trials, whose runs are adjacent. */
static enum mapping_status launch_some(const struct batch *batch, const struct memory *memory,
                                       const size_t *order, size_t count,
                                       struct mapping_error *error) {
    const struct trial *first = &batch->trials[order[0]];
    const unsigned threads = operands_read_shared(&first->experiment.operands) ? WARPGROUP : WARP;
    struct job job = {memory->contents, memory->output, memory->runs + first->first_run};
    void *parameters[] = {&job};
    unsigned runs = 0;
    char name[MAPPING_NAME_SIZE];
    for (size_t n = 0; n < count; n++)
        runs += (unsigned)batch->trials[order[n]].experiment.count;
    mapping_fragment_name(&batch->observations[order[0]]->fragment, name);
    enum mapping_status status = check_code(batch, order, count, error);
    if (status == MAPPING_OK)
        status = cuda_check(cudaLaunchKernel(first->kernel, (dim3){runs, 1, 1},
                                             (dim3){threads, 1, 1}, parameters, 0, NULL),
                            error, "launch the probe of %s", name);
    return status;
}

/* Launches all kernels. */
static enum mapping_status launch(const struct batch *batch, const struct memory *memory,
                                  struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t first = 0, end; first < batch->count && status == MAPPING_OK; first = end) {
        const void *kernel = batch->trials[batch->order[first]].kernel;
        for (end = first + 1; end < batch->count; end++)
            if (batch->trials[batch->order[end]].kernel != kernel)
                break;
        status = launch_some(batch, memory, batch->order + first, end - first, error);
    }
    return status;
}

/* ---- Reading ---- */

/* Trials whose words are copied from the device together, and the result of reading them. */
struct portion {
    size_t first, last;
    enum mapping_status status;
    struct mapping_error error;
};

/* All that was stored, which is copied from the device and read in portions. */
struct readings {
    int device;
    const struct batch *batch;
    const uint32_t *output;   /* on the device */
    struct portion *portions; /* owned */
    size_t count;
};

/* Words of a portion, unless a single trial takes more: so many that it is worth the call, and so
 * few that one portion is read while others are copied. */
enum { PORTION = 64 << 10 };

/* Divides all trials into portions. */
static void divide(struct readings *readings) {
    const struct batch *batch = readings->batch;
    readings->portions = memory_get(batch->count, sizeof *readings->portions);
    for (size_t t = 0, start = 0; t < batch->count; t++) {
        const struct trial *trial = &batch->trials[t];
        if (t == 0 || trial->output + output_words(&trial->experiment) - start > PORTION) {
            start = trial->output;
            readings->portions[readings->count++].first = t;
        }
        readings->portions[readings->count - 1].last = t;
    }
}

/* Makes one layout from the words of its trial. */
static enum mapping_status read_trial(const struct batch *batch, size_t t, const uint32_t *words,
                                      struct mapping_error *error) {
    const struct trial *trial = &batch->trials[t];
    const struct mapping_fragment *fragment = &batch->observations[t]->fragment;
    char name[MAPPING_NAME_SIZE];
    struct mapping_error cause;
    enum mapping_status status =
        experiment_read(&trial->experiment, words, &batch->observations[t]->layout, &cause);
    if (status == MAPPING_OK)
        return MAPPING_OK;
    mapping_fragment_name(fragment, name);
    if (mapping_instruction_probe(fragment->instruction) == PROBE_WMMA)
        return mapping_fail(error, status, "%s: %-s", name, cause.message);
    return mapping_fail(error, status, "%s, observed with %s: %-s", name,
                        trial->experiment.operands.opcode.text, cause.message);
}

/* Copies one portion from the device, and makes the layouts of its trials. */
static void read_portion(void *context, size_t p) {
    const struct readings *readings = context;
    struct portion *portion = &readings->portions[p];
    const struct trial *trials = readings->batch->trials, *last = &trials[portion->last];
    size_t start = trials[portion->first].output;
    size_t size = (last->output - start + output_words(&last->experiment)) * sizeof(uint32_t);
    uint32_t *words = memory_get(1, size);
    enum mapping_status status = cuda_check(cudaSetDevice(readings->device), &portion->error,
                                            "use device %d", readings->device);
    if (status == MAPPING_OK)
        status =
            cuda_check(cudaMemcpy(words, readings->output + start, size, cudaMemcpyDeviceToHost),
                       &portion->error, "copy %zu bytes from the device", size);
    for (size_t t = portion->first; t <= portion->last && status == MAPPING_OK; t++)
        status =
            read_trial(readings->batch, t, words + (trials[t].output - start), &portion->error);
    portion->status = status;
    memory_free(words);
}

/* Makes all layouts. */
static enum mapping_status read_all(const struct batch *batch, int device, const uint32_t *output,
                                    struct mapping_error *error) {
    struct readings readings = {.device = device, .batch = batch, .output = output};
    enum mapping_status status = MAPPING_OK;
    divide(&readings);
    parallel_for(readings.count, read_portion, &readings);
    for (size_t p = 0; p < readings.count && status == MAPPING_OK; p++)
        if ((status = readings.portions[p].status) != MAPPING_OK)
            *error = readings.portions[p].error;
    memory_free(readings.portions);
    return status;
}

/* ---- All of it ---- */

/* Executes all of them on a device, and makes the layouts of the observations. MAPPING_UNAVAILABLE
 * if the kernels were not compiled for an architecture that has a fragment, MAPPING_FAILED if CUDA
 * fails or what came out makes no sense. */
static enum mapping_status batch_execute(const struct batch *batch, int device,
                                         struct mapping_error *error) {
    struct memory memory = {.all = NULL};
    enum mapping_status status = cuda_check(cudaSetDevice(device), error, "use device %d", device);
    if (status == MAPPING_OK)
        status = allocate(batch, &memory, error);
    if (status == MAPPING_OK)
        status = upload(batch, &memory, error);
    if (status == MAPPING_OK)
        status = launch(batch, &memory, error);
    if (status == MAPPING_OK)
        status = cuda_check(cudaDeviceSynchronize(), error, "run the probes");
    if (status == MAPPING_OK)
        status = read_all(batch, device, memory.output, error);
    cudaFree(memory.all);
    return status;
}

/* ---- The source ---- */

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
    enum mapping_status status =
        device_describe(device, arch, batch->trials[0].kernel, with, error);
    for (size_t o = 0; o < count && status == MAPPING_OK; o++)
        provenance_add(&observations[o]->provenance, "gpu", with);
    return status;
}

enum mapping_status gpu_observe(unsigned arch, struct observation *const *observations,
                                size_t count, const struct machinery *machinery,
                                struct mapping_error *error) {
    unsigned device_arch = 0;
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
