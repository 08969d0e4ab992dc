/* wmma.c - observing fragments of wmma.
 *
 * Each probe kernel loads or stores a matrix whose elements say, one bit in each block, which they
 * are. Every bit is moved once as it is and once inverted, over memory that holds neither 0 nor 1,
 * so an element that is not moved is noticed. */
#include "cuda.h"
#include "probe.h"

#include <stdlib.h>

/* One kernel on one layout in memory: what it reads, and where its output lies. */
struct task {
    size_t fragment; /* index of the fragment and its map */
    enum mapping_layout layout;
    bool store;
    const void *kernel;
    uint32_t sources, targets; /* elements that are moved, and places that they are moved to */
    unsigned passes;           /* bits of an element's number; each takes two blocks */
    size_t offset, size;       /* of the output, in bytes */
};

/* Plans the tasks: one for A and B, which are of one layout, two for C and D. `tasks` has room for
 * two for each fragment. Returns how many they are, 0 if a fragment has no kernel. */
static size_t plan(const struct mapping_fragment *fragments, size_t count, struct task *tasks,
                   struct mapping_error *error) {
    size_t task_count = 0, offset = 0;
    for (size_t f = 0; f < count; f++) {
        const struct mapping_fragment *fragment = &fragments[f];
        uint32_t entries = (uint32_t)fragment->threads * fragment->elements;
        uint32_t cells = (uint32_t)fragment->rows * fragment->cols;
        bool store = fragment->operand == 'd', both = fragment->layout == MAPPING_NO_LAYOUT;
        struct task task = {.fragment = f,
                            .layout = both ? MAPPING_ROW_MAJOR : fragment->layout,
                            .store = store,
                            .kernel = probe_find(fragment),
                            .sources = store ? entries : cells,
                            .targets = store ? cells : entries};
        if (!task.kernel) {
            char name[MAPPING_NAME_SIZE];
            mapping_fragment_name(fragment, name);
            mapping_fail(error, MAPPING_UNAVAILABLE, "there is no probe for %s", name);
            return 0;
        }
        while (UINT32_C(1) << task.passes < task.sources)
            task.passes++;
        task.size = (size_t)2 * task.passes * task.targets;
        for (int t = 0; t <= both; t++) {
            task.offset = offset;
            tasks[task_count++] = task;
            task.layout = MAPPING_COL_MAJOR;
            offset += (task.size + 255) / 256 * 256;
        }
    }
    return task_count;
}

/* Reads from the output of one task which element each place got. */
static enum mapping_status decode(const struct task *task, const uint8_t *output,
                                  struct mapping_map *map, struct mapping_error *error) {
    uint32_t *origins = calloc(task->targets, sizeof *origins);
    if (!origins)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = MAPPING_OK;
    for (uint32_t t = 0; t < task->targets && status == MAPPING_OK; t++) {
        for (unsigned pass = 0; pass < task->passes && status == MAPPING_OK; pass++) {
            unsigned plain = output[2 * pass * task->targets + t];
            unsigned inverted = output[(2 * pass + 1) * task->targets + t];
            if (plain > 1 || inverted > 1 || plain == inverted)
                status = mapping_fail(error, MAPPING_FAILED,
                                      "place %u holds %u and %u after bit %u was moved plain and "
                                      "inverted",
                                      t, plain, inverted, pass);
            origins[t] |= plain << pass;
        }
        if (status == MAPPING_OK && origins[t] >= task->sources)
            status = mapping_fail(error, MAPPING_FAILED, "place %u holds no element", t);
    }
    if (status == MAPPING_OK) {
        mapping_map_trace(map, task->layout, task->store, origins);
        status = mapping_map_check(map, error);
    }
    free(origins);
    return status;
}

/* Makes the map of one task's fragment. The second of two tasks for one fragment has to agree. */
static enum mapping_status decode_task(const struct task *task, bool is_second,
                                       const struct mapping_fragment *fragment,
                                       const uint8_t *output, struct mapping_map *map,
                                       struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    struct mapping_error cause;
    struct mapping_map made;
    mapping_fragment_name(fragment, name);
    if (!mapping_map_init(&made, fragment))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = decode(task, output + task->offset, &made, &cause);
    if (status == MAPPING_OK && is_second && !mapping_map_equal(map, &made))
        status = mapping_fail(&cause, MAPPING_FAILED,
                              "it differs between row-major and column-major memory");
    if (status != MAPPING_OK || is_second) {
        mapping_map_free(&made);
    } else {
        *map = made;
    }
    return status == MAPPING_OK
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_FAILED, "%s: %.600s", name, cause.message);
}

/* Runs all kernels into `memory` on the device, `total` bytes, and copies it to `output`. */
static enum mapping_status run(const struct task *tasks, size_t count,
                               const struct mapping_fragment *fragments, uint8_t *memory,
                               size_t total, uint8_t *output, struct mapping_error *error) {
    enum mapping_status status = cuda_check(cudaMemset(memory, POISON, total), error,
                                            "fill %zu bytes of device memory", total);
    for (size_t t = 0; t < count && status == MAPPING_OK; t++) {
        char name[MAPPING_NAME_SIZE];
        const struct mapping_fragment *fragment = &fragments[tasks[t].fragment];
        mapping_fragment_name(fragment, name);
        void *target = memory + tasks[t].offset;
        int by_column = tasks[t].layout == MAPPING_COL_MAJOR;
        void *parameters[] = {&target, &by_column};
        status = cuda_check(cudaLaunchKernel(tasks[t].kernel, (dim3){2 * tasks[t].passes, 1, 1},
                                             (dim3){fragment->threads, 1, 1}, parameters, 0, NULL),
                            error, "launch the probe of %s", name);
    }
    if (status == MAPPING_OK)
        status = cuda_check(cudaMemcpy(output, memory, total, cudaMemcpyDeviceToHost), error,
                            "run the probes and copy %zu bytes from the device", total);
    return status;
}

/* Makes the maps. */
static enum mapping_status observe_tasks(const struct task *tasks, size_t count,
                                         const struct mapping_fragment *fragments,
                                         struct mapping_map *maps, struct mapping_error *error) {
    size_t total = tasks[count - 1].offset + tasks[count - 1].size;
    void *memory = NULL;
    uint8_t *output = malloc(total);
    if (!output)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status =
        cuda_check(cudaMalloc(&memory, total), error, "allocate %zu bytes of device memory", total);
    if (status == MAPPING_OK)
        status = run(tasks, count, fragments, memory, total, output, error);
    cudaFree(memory);
    for (size_t t = 0; t < count && status == MAPPING_OK; t++) {
        size_t f = tasks[t].fragment;
        status = decode_task(&tasks[t], t > 0 && tasks[t - 1].fragment == f, &fragments[f], output,
                             &maps[f], error);
    }
    free(output);
    return status;
}

enum mapping_status wmma_observe(int device, const struct mapping_fragment *fragments, size_t count,
                                 struct mapping_map *maps, const void **kernel,
                                 struct mapping_error *error) {
    struct task *tasks = malloc(2 * count * sizeof *tasks);
    size_t task_count = tasks ? plan(fragments, count, tasks, error) : 0;
    enum mapping_status status = cuda_check(cudaSetDevice(device), error, "use device %d", device);
    if (!tasks)
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    else if (task_count == 0)
        status = MAPPING_UNAVAILABLE;
    if (status == MAPPING_OK) {
        *kernel = tasks[0].kernel;
        status = observe_tasks(tasks, task_count, fragments, maps, error);
    }
    free(tasks);
    return status;
}
