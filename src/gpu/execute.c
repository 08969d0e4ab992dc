/* execute.c - observing the fragments of all instructions but wmma, by executing them. */
#include "cuda.h"
#include "observe.h"

#include <stdlib.h>
#include <string.h>

/* The kernels, as generate.c has written them in parts; each part ends with a NULL name. */
extern const struct executor executors_0[], executors_1[], executors_2[], executors_3[],
    executors_4[];
static const struct executor *const parts[] = {executors_0, executors_1, executors_2, executors_3,
                                               executors_4};
enum { PARTS = sizeof parts / sizeof *parts };

/* ---- Kernels by fragment ---- */

struct executors {
    const struct executor **items; /* by name; owned */
    size_t count;
};

static int compare_names(const void *a, const void *b) {
    return strcmp((*(const struct executor *const *)a)->name,
                  (*(const struct executor *const *)b)->name);
}

/* Sorts the kernels by name. False if out of memory. */
static bool executors_init(struct executors *executors) {
    size_t count = 0;
    for (size_t p = 0; p < PARTS; p++)
        for (const struct executor *one = parts[p]; one->name; one++)
            count++;
    *executors = (struct executors){malloc((count + 1) * sizeof *executors->items), 0};
    if (!executors->items)
        return false;
    for (size_t p = 0; p < PARTS; p++)
        for (const struct executor *one = parts[p]; one->name; one++)
            executors->items[executors->count++] = one;
    qsort(executors->items, count, sizeof *executors->items, compare_names);
    return true;
}

static const struct executor *executors_find(const struct executors *executors,
                                             const struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    const struct executor wanted = {.name = name}, *key = &wanted;
    const struct executor **found =
        bsearch(&key, executors->items, executors->count, sizeof *executors->items, compare_names);
    return found ? *found : NULL;
}

bool execute_covers(const struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    for (size_t p = 0; p < PARTS; p++)
        for (const struct executor *one = parts[p]; one->name; one++)
            if (strcmp(one->name, name) == 0)
                return true;
    return false;
}

/* ---- Execution ---- */

/* What is done for one fragment. */
struct task {
    const struct executor *executor;
    struct plan plan;
    size_t first_step, first_output; /* among those of all, in steps and words */
};

/* All of it. On the device lie the images, the steps and the output, in this order. */
struct work {
    struct images images;
    struct task *tasks;
    size_t count, steps, output_words;
};

/* Plans what is done for one fragment. */
static enum mapping_status plan_task(const struct executors *executors,
                                     const struct mapping_fragment *fragment, struct work *work,
                                     struct task *task, struct mapping_error *error) {
    struct mapping_opcode opcode;
    struct scene scene;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    task->executor = executors_find(executors, fragment);
    if (!task->executor || !mapping_opcode_at(task->executor->opcode, &opcode))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no probe for %s", name);
    enum mapping_status status =
        scene_init(&scene, &opcode)
            ? observe_plan(&scene, fragment->operand, &work->images, &task->plan, error)
            : mapping_fail(error, MAPPING_FAILED, "out of memory");
    scene_free(&scene);
    task->first_step = work->steps;
    task->first_output = work->output_words;
    work->steps += task->plan.count;
    work->output_words += (task->plan.output_words + 31) / 32 * 32;
    return status;
}

/* Copies images and steps to the device. */
static enum mapping_status upload(const struct work *work, uint32_t *images,
                                  struct executor_step *steps, struct mapping_error *error) {
    struct executor_step *all = malloc(work->steps * sizeof *all);
    if (!all)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    for (size_t t = 0; t < work->count; t++)
        memcpy(all + work->tasks[t].first_step, work->tasks[t].plan.steps,
               work->tasks[t].plan.count * sizeof *all);
    enum mapping_status status =
        cuda_check(cudaMemcpy(images, work->images.words, work->images.count * sizeof *images,
                              cudaMemcpyHostToDevice),
                   error, "copy images to the device");
    if (status == MAPPING_OK)
        status =
            cuda_check(cudaMemcpy(steps, all, work->steps * sizeof *all, cudaMemcpyHostToDevice),
                       error, "copy steps to the device");
    free(all);
    return status;
}

/* Runs all kernels, and copies what they write. */
static enum mapping_status run(const struct work *work, const struct mapping_fragment *fragments,
                               uint32_t *output, struct mapping_error *error) {
    size_t image_size = work->images.count * sizeof(uint32_t);
    size_t step_size = (work->steps * sizeof(struct executor_step) + 127) / 128 * 128;
    size_t output_size = work->output_words * sizeof(uint32_t);
    uint8_t *memory = NULL;
    enum mapping_status status =
        cuda_check(cudaMalloc((void **)&memory, image_size + step_size + output_size), error,
                   "allocate %zu bytes of device memory", image_size + step_size + output_size);
    uint32_t *images = (uint32_t *)memory;
    struct executor_step *steps = (struct executor_step *)(memory + image_size);
    uint32_t *device_output = (uint32_t *)(memory + image_size + step_size);
    if (status == MAPPING_OK)
        status = upload(work, images, steps, error);
    if (status == MAPPING_OK)
        status = cuda_check(cudaMemset(device_output, POISON, output_size), error,
                            "fill %zu bytes of device memory", output_size);
    for (size_t t = 0; t < work->count && status == MAPPING_OK; t++) {
        const struct task *task = &work->tasks[t];
        struct executor_job job = {images,
                                   images,
                                   images,
                                   images,
                                   device_output + task->first_output,
                                   steps + task->first_step,
                                   task->plan.outputs};
        void *parameters[] = {&job};
        unsigned threads = fragments[t].threads == 128 ? 128 : 32;
        status = cuda_check(cudaLaunchKernel(task->executor->kernel,
                                             (dim3){(unsigned)task->plan.count, 1, 1},
                                             (dim3){threads, 1, 1}, parameters, 0, NULL),
                            error, "launch the probe of %s", task->executor->name);
    }
    if (status == MAPPING_OK)
        status =
            cuda_check(cudaMemcpy(output, device_output, output_size, cudaMemcpyDeviceToHost),
                       error, "run the probes and copy %zu bytes from the device", output_size);
    cudaFree(memory);
    return status;
}

/* Makes the map of one fragment from what its kernel has written. */
static enum mapping_status read_task(const struct task *task,
                                     const struct mapping_fragment *fragment,
                                     const uint32_t *output, struct mapping_map *map,
                                     struct mapping_error *error) {
    struct mapping_opcode opcode;
    struct scene scene;
    struct mapping_error cause;
    mapping_opcode_at(task->executor->opcode, &opcode);
    enum mapping_status status = scene_init(&scene, &opcode)
                                     ? observe_read(&scene, fragment->operand, &task->plan,
                                                    output + task->first_output, map, &cause)
                                     : mapping_fail(&cause, MAPPING_FAILED, "out of memory");
    scene_free(&scene);
    return status == MAPPING_OK ? status
                                : mapping_fail(error, status, "%s, observed with %s: %.500s",
                                               task->executor->name, opcode.text, cause.message);
}

enum mapping_status execute_observe(const struct mapping_fragment *fragments, size_t count,
                                    struct mapping_map *maps, const void **kernel,
                                    struct mapping_error *error) {
    struct executors executors = {NULL, 0};
    struct work work = {.tasks = calloc(count, sizeof *work.tasks), .count = count};
    uint32_t *output = NULL;
    enum mapping_status status = work.tasks && executors_init(&executors)
                                     ? MAPPING_OK
                                     : mapping_fail(error, MAPPING_FAILED, "out of memory");
    for (size_t t = 0; t < count && status == MAPPING_OK; t++)
        status = plan_task(&executors, &fragments[t], &work, &work.tasks[t], error);
    if (status == MAPPING_OK && !(output = malloc(work.output_words * sizeof *output)))
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (status == MAPPING_OK)
        status = run(&work, fragments, output, error);
    for (size_t t = 0; t < count && status == MAPPING_OK; t++)
        status = read_task(&work.tasks[t], &fragments[t], output, &maps[t], error);
    if (status == MAPPING_OK)
        *kernel = work.tasks[0].executor->kernel;
    for (size_t t = 0; t < count && work.tasks; t++)
        plan_free(&work.tasks[t].plan);
    images_free(&work.images);
    free(work.tasks);
    free(executors.items);
    free(output);
    return status;
}
