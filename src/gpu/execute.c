/* execute.c - observing the fragments of all instructions but wmma, by executing them. */
#include "cuda.h"
#include "narrow.h"
#include "observe.h"
#include "parallel.h"

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
    bool wgmma = fragment->threads == 128;
    mapping_fragment_name(fragment, name);
    for (const struct executor *one = parts[executor_part(wgmma, fragment->shape.n, PARTS)];
         one->name; one++)
        if (strcmp(one->name, name) == 0)
            return true;
    return false;
}

/* ---- Execution ---- */

/* What is done for one fragment. */
struct task {
    const struct executor *executor;
    struct plan plan;
    bool is_ordered;        /* it has its place in the order */
    size_t first_step;      /* among those of all */
    size_t output, numbers; /* where they start, in words, and in bytes */
};

/* All of it, and how much that is on the device. */
struct execution {
    struct images images;
    const struct mapping_fragment *fragments;
    struct task *tasks;
    size_t *order; /* of the tasks: by kernel */
    size_t count, steps, output_words, number_bytes;
};

/* Where it is on the device. */
struct memory {
    uint8_t *all; /* owned */
    uint32_t *images, *output;
    struct executor_step *steps;
    struct narrow_task *narrow;
    uint8_t *numbers;
};

/* All parts of memory start at multiples of this many bytes or words. */
static size_t round_up(size_t size) {
    return (size + 127) / 128 * 128;
}

/* Plans what is done for one fragment. */
static enum mapping_status plan_task(const struct executors *executors,
                                     const struct mapping_fragment *fragment,
                                     struct execution *work, struct task *task,
                                     struct mapping_error *error) {
    struct mapping_opcode opcode;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    task->executor = executors_find(executors, fragment);
    if (!task->executor || !mapping_opcode_at(task->executor->opcode, &opcode))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no probe for %s", name);
    const struct scene scene = scene_of(&opcode);
    enum mapping_status status =
        observe_plan(&scene, fragment->operand, &work->images, &task->plan, error);
    task->output = work->output_words;
    task->numbers = work->number_bytes;
    work->output_words += round_up(task->plan.output_words);
    work->number_bytes += round_up(task->plan.count * task->plan.numbers * task->plan.bytes);
    return status;
}

/* Takes the next `size` bytes of the device's memory. */
static void *take(uint8_t **next, size_t size) {
    void *taken = *next;
    *next += round_up(size);
    return taken;
}

static enum mapping_status allocate(const struct execution *work, struct memory *memory,
                                    struct mapping_error *error) {
    size_t sizes[] = {work->images.count * sizeof *memory->images,
                      work->steps * sizeof *memory->steps, work->count * sizeof *memory->narrow,
                      work->output_words * sizeof *memory->output, work->number_bytes};
    size_t total = 0;
    for (size_t part = 0; part < sizeof sizes / sizeof *sizes; part++)
        total += round_up(sizes[part]);
    enum mapping_status status = cuda_check(cudaMalloc((void **)&memory->all, total), error,
                                            "allocate %zu bytes of device memory", total);
    if (status != MAPPING_OK)
        return status;
    uint8_t *next = memory->all;
    memory->images = take(&next, sizes[0]);
    memory->steps = take(&next, sizes[1]);
    memory->narrow = take(&next, sizes[2]);
    memory->output = take(&next, sizes[3]);
    memory->numbers = take(&next, sizes[4]);
    return cuda_check(cudaMemset(memory->output, POISON, sizes[3]), error,
                      "fill %zu bytes of device memory", sizes[3]);
}

/* Copies images, steps and the tasks of narrowing to the device. */
static enum mapping_status upload(const struct execution *work, const struct memory *memory,
                                  struct mapping_error *error) {
    struct executor_step *steps = malloc(work->steps * sizeof *steps);
    struct narrow_task *narrow = malloc(work->count * sizeof *narrow);
    enum mapping_status status =
        steps && narrow ? MAPPING_OK : mapping_fail(error, MAPPING_FAILED, "out of memory");
    for (size_t t = 0; t < work->count && status == MAPPING_OK; t++) {
        const struct task *task = &work->tasks[t];
        for (size_t step = 0; step < task->plan.count; step++) {
            struct executor_step *copy = &steps[task->first_step + step];
            *copy = task->plan.steps[step];
            copy->opcode = (uint32_t)task->executor->opcode;
            copy->d += (uint32_t)task->output;
        }
        narrow[t] = (struct narrow_task){task->output * sizeof *memory->output, task->numbers,
                                         (uint32_t)task->plan.count * task->plan.numbers,
                                         (uint8_t)task->plan.type, (uint8_t)task->plan.bytes};
    }
    const struct {
        void *to;
        const void *from;
        size_t size;
    } copies[] = {{memory->images, work->images.words, work->images.count * sizeof *memory->images},
                  {memory->steps, steps, work->steps * sizeof *steps},
                  {memory->narrow, narrow, work->count * sizeof *narrow}};
    for (size_t c = 0; c < sizeof copies / sizeof *copies && status == MAPPING_OK; c++)
        status = cuda_check(
            cudaMemcpy(copies[c].to, copies[c].from, copies[c].size, cudaMemcpyHostToDevice), error,
            "copy %zu bytes to the device", copies[c].size);
    free(steps);
    free(narrow);
    return status;
}

/* Checks that a kernel has code for what some tasks execute: there is none where it was compiled
 * for architectures that do not have the instruction. */
static enum mapping_status check_code(const struct execution *work, const size_t *order,
                                      size_t count, struct mapping_error *error) {
    struct cudaFuncAttributes attributes;
    const struct executor *executor = work->tasks[order[0]].executor;
    enum mapping_status status = cuda_check(cudaFuncGetAttributes(&attributes, executor->kernel),
                                            error, "load the probe of %s", executor->name);
    for (size_t n = 0; n < count && status == MAPPING_OK; n++)
        if ((unsigned)attributes.ptxVersion < work->fragments[order[n]].since)
            status = mapping_fail(error, MAPPING_UNAVAILABLE,
                                  "this program was built for sm_%d, and %s needs sm_%u",
                                  attributes.ptxVersion, work->tasks[order[n]].executor->name,
                                  work->fragments[order[n]].since);
    return status;
}

/* Starts the kernel that a number of tasks share, whose steps follow each other. */
static enum mapping_status launch_some(const struct execution *work, const struct memory *memory,
                                       const size_t *order, size_t count,
                                       struct mapping_error *error) {
    const struct task *first = &work->tasks[order[0]];
    const unsigned threads = work->fragments[order[0]].threads == 128 ? 128 : 32;
    struct executor_job job = {memory->images, memory->output, memory->steps + first->first_step};
    void *parameters[] = {&job};
    unsigned steps = 0;
    for (size_t n = 0; n < count; n++)
        steps += (unsigned)work->tasks[order[n]].plan.count;
    enum mapping_status status = check_code(work, order, count, error);
    if (status == MAPPING_OK)
        status = cuda_check(cudaLaunchKernel(first->executor->kernel, (dim3){steps, 1, 1},
                                             (dim3){threads, 1, 1}, parameters, 0, NULL),
                            error, "launch the probe of %s", first->executor->name);
    return status;
}

/* Starts all kernels. */
static enum mapping_status launch(const struct execution *work, const struct memory *memory,
                                  struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t first = 0, end; first < work->count && status == MAPPING_OK; first = end) {
        const void *kernel = work->tasks[work->order[first]].executor->kernel;
        for (end = first + 1; end < work->count; end++)
            if (work->tasks[work->order[end]].executor->kernel != kernel)
                break;
        status = launch_some(work, memory, work->order + first, end - first, error);
    }
    const void *tasks = memory->narrow, *source = memory->output;
    void *target = memory->numbers, *parameters[] = {&tasks, &source, &target};
    if (status == MAPPING_OK)
        status = cuda_check(cudaLaunchKernel(narrow_kernel, (dim3){(unsigned)work->count, 1, 1},
                                             (dim3){256, 1, 1}, parameters, 0, NULL),
                            error, "launch what reads the probes");
    return status;
}

/* ---- Reading ---- */

/* The numbers of all tasks, which are copied from the device and read in portions. */
struct readings {
    int device;
    const struct execution *work;
    const uint8_t *numbers; /* on the device */
    size_t *portions;       /* the first task of each, and behind the last one the end; owned */
    size_t portion_count;
    struct mapping_map *maps;
    enum mapping_status *statuses; /* of the portions; owned */
    struct mapping_error *errors;  /* likewise */
};

/* Bytes of a portion, unless a single task takes more: so many that it is worth the call, and so
 * few that one portion is read while others are copied. */
enum { PORTION = 256 << 10 };

/* Divides all tasks into portions. False if out of memory. */
static bool divide(struct readings *readings) {
    const struct execution *work = readings->work;
    readings->portions = malloc((work->count + 1) * sizeof *readings->portions);
    readings->statuses = calloc(work->count, sizeof *readings->statuses);
    readings->errors = calloc(work->count, sizeof *readings->errors);
    if (!readings->portions || !readings->statuses || !readings->errors)
        return false;
    for (size_t t = 0, start = 0; t < work->count; t++) {
        size_t end = t + 1 < work->count ? work->tasks[t + 1].numbers : work->number_bytes;
        if (t == 0 || end - start > PORTION) {
            start = work->tasks[t].numbers;
            readings->portions[readings->portion_count++] = t;
        }
    }
    readings->portions[readings->portion_count] = work->count;
    return true;
}

/* Makes the map of one fragment from the numbers of its task. */
static enum mapping_status read_task(const struct readings *readings, size_t t,
                                     const uint8_t *numbers, struct mapping_error *error) {
    const struct task *task = &readings->work->tasks[t];
    struct mapping_opcode opcode;
    struct mapping_error cause;
    mapping_opcode_at(task->executor->opcode, &opcode);
    const struct scene scene = scene_of(&opcode);
    enum mapping_status status = observe_read(&scene, readings->work->fragments[t].operand,
                                              &task->plan, numbers, &readings->maps[t], &cause);
    return status == MAPPING_OK ? MAPPING_OK
                                : mapping_fail(error, status, "%s, observed with %s: %.500s",
                                               task->executor->name, opcode.text, cause.message);
}

/* Copies one portion from the device, and makes the maps of its tasks. */
static void read_portion(void *context, size_t portion) {
    struct readings *readings = context;
    struct mapping_error *error = &readings->errors[portion];
    const struct task *tasks = readings->work->tasks;
    size_t first = readings->portions[portion], last = readings->portions[portion + 1] - 1;
    size_t start = tasks[first].numbers;
    size_t size = tasks[last].numbers - start +
                  tasks[last].plan.count * tasks[last].plan.numbers * tasks[last].plan.bytes;
    uint8_t *numbers = malloc(size);
    enum mapping_status status = numbers ? cuda_check(cudaSetDevice(readings->device), error,
                                                      "use device %d", readings->device)
                                         : mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (status == MAPPING_OK)
        status =
            cuda_check(cudaMemcpy(numbers, readings->numbers + start, size, cudaMemcpyDeviceToHost),
                       error, "copy %zu bytes from the device", size);
    for (size_t t = first; t <= last && status == MAPPING_OK; t++)
        status = read_task(readings, t, numbers + (tasks[t].numbers - start), error);
    readings->statuses[portion] = status;
    free(numbers);
}

/* Makes all maps. */
static enum mapping_status read_all(int device, const struct execution *work,
                                    const uint8_t *numbers, struct mapping_map *maps,
                                    struct mapping_error *error) {
    struct readings readings = {.device = device, .work = work, .numbers = numbers, .maps = maps};
    enum mapping_status status =
        divide(&readings) ? MAPPING_OK : mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (status == MAPPING_OK)
        parallel_for(readings.portion_count, read_portion, &readings);
    for (size_t p = 0; p < readings.portion_count && status == MAPPING_OK; p++)
        if ((status = readings.statuses[p]) != MAPPING_OK)
            *error = readings.errors[p];
    free(readings.portions);
    free(readings.statuses);
    free(readings.errors);
    return status;
}

/* ---- All of it ---- */

/* Puts the tasks in order, those that share a kernel behind each other, and their steps likewise.
 */
static void put_in_order(struct execution *work) {
    size_t ordered = 0;
    for (size_t first = 0; first < work->count; first++) {
        if (work->tasks[first].is_ordered)
            continue;
        for (size_t t = first; t < work->count; t++) {
            struct task *task = &work->tasks[t];
            if (task->executor->kernel != work->tasks[first].executor->kernel)
                continue;
            task->is_ordered = true;
            task->first_step = work->steps;
            work->steps += task->plan.count;
            work->order[ordered++] = t;
        }
    }
}

enum mapping_status execute_prepare(const struct mapping_fragment *fragments, size_t count,
                                    struct execution **execution, struct mapping_error *error) {
    struct executors executors = {NULL, 0};
    struct execution *work = calloc(1, sizeof *work);
    *execution = work;
    if (!work || !(work->tasks = calloc(count, sizeof *work->tasks)) ||
        !(work->order = calloc(count, sizeof *work->order)) || !executors_init(&executors))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    work->fragments = fragments;
    work->count = count;
    enum mapping_status status = MAPPING_OK;
    for (size_t t = 0; t < count && status == MAPPING_OK; t++)
        status = plan_task(&executors, &fragments[t], work, &work->tasks[t], error);
    if (status == MAPPING_OK)
        put_in_order(work);
    free(executors.items);
    return status;
}

enum mapping_status execute_run(int device, const struct execution *execution,
                                struct mapping_map *maps, const void **kernel,
                                struct mapping_error *error) {
    struct memory memory = {.all = NULL};
    *kernel = execution->tasks[0].executor->kernel;
    enum mapping_status status = cuda_check(cudaSetDevice(device), error, "use device %d", device);
    if (status == MAPPING_OK)
        status = allocate(execution, &memory, error);
    if (status == MAPPING_OK)
        status = upload(execution, &memory, error);
    if (status == MAPPING_OK)
        status = launch(execution, &memory, error);
    if (status == MAPPING_OK)
        status = cuda_check(cudaDeviceSynchronize(), error, "run the probes");
    if (status == MAPPING_OK)
        status = read_all(device, execution, memory.numbers, maps, error);
    cudaFree(memory.all);
    return status;
}

void execute_free(struct execution *execution) {
    if (!execution)
        return;
    for (size_t t = 0; t < execution->count; t++)
        plan_free(&execution->tasks[t].plan);
    images_free(&execution->images);
    free(execution->tasks);
    free(execution->order);
    free(execution);
}
