/* sass.c - the source that needs no GPU.
 *
 * A kernel that stores a fragment is compiled by ptxas. The compiler has to spell the layout out,
 * as arithmetic on the lane's number. So executing its code, as nvdisasm prints it, gives the
 * layout. */
#include "catalogue/catalogue.h"
#include "source/sass/execute.h"
#include "source/sass/ptx.h"
#include "source/sass/tools.h"
#include "source/source.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- From what a load or store moved to the layout of a fragment ----
 *
 * A load is observed as (tid, i) -> place, a store as place -> (tid, i), which is inverted. The
 * matrix in memory is place -> (row, col). One behind the other they are the fragment. */

/* What was moved between a fragment and a matrix that lies in memory without padding. */
struct transfer {
    const struct mapping_fragment
        *fragment;            /* of one block, each element of it held equally often */
    enum mapping_order order; /* of the matrix in memory */
    bool is_store;
    /* Of a load, origins[tid * elements + i] is the place in memory, in elements, that (tid, i) was
     * loaded from; of a store, origins[place] is the tid * elements + i that was stored there. */
    const uint32_t *origins;
};

static uint32_t entries_of(const struct mapping_fragment *fragment) {
    return fragment->threads * fragment->elements;
}

static uint32_t cells_of(const struct mapping_fragment *fragment) {
    return fragment->rows * fragment->cols;
}

static uint32_t transfer_targets(const struct transfer *transfer) {
    return transfer->is_store ? cells_of(transfer->fragment) : entries_of(transfer->fragment);
}

/* How many origins there are, and how many there can be of each. */
static uint32_t transfer_sources(const struct transfer *transfer) {
    return transfer->is_store ? entries_of(transfer->fragment) : cells_of(transfer->fragment);
}

/* place -> (row, col) */
static enum mapping_status make_memory(const struct transfer *transfer,
                                       const struct mapping_space *places,
                                       const struct mapping_space *elements,
                                       struct mapping_layout *memory, struct mapping_error *error) {
    const struct mapping_fragment *fragment = transfer->fragment;
    bool by_row = transfer->order == MAPPING_ROW_MAJOR;
    enum mapping_status status = mapping_layout_init(memory, places, elements, error);
    for (uint32_t place = 0; place < cells_of(fragment) && status == MAPPING_OK; place++) {
        memory->coordinate[0][place] = by_row ? place / fragment->cols : place % fragment->rows;
        memory->coordinate[1][place] = by_row ? place % fragment->cols : place / fragment->rows;
    }
    return status;
}

/* (tid, i) -> place, out of the origins of a load. */
static enum mapping_status read_load(const struct transfer *transfer,
                                     const struct mapping_space *holders,
                                     const struct mapping_space *places,
                                     struct mapping_layout *held, struct mapping_error *error) {
    enum mapping_status status = mapping_layout_init(held, holders, places, error);
    if (status == MAPPING_OK)
        memcpy(held->coordinate[0], transfer->origins,
               transfer_targets(transfer) * sizeof *transfer->origins);
    return status;
}

/* The same out of the origins of a store. */
static enum mapping_status read_store(const struct transfer *transfer,
                                      const struct mapping_space *holders,
                                      const struct mapping_space *places,
                                      struct mapping_layout *held, struct mapping_error *error) {
    struct mapping_layout stored;
    enum mapping_status status = mapping_layout_init(&stored, places, holders, error);
    if (status != MAPPING_OK)
        return status;
    for (uint32_t place = 0; place < transfer_targets(transfer); place++) {
        stored.coordinate[0][place] = transfer->origins[place] / transfer->fragment->elements;
        stored.coordinate[1][place] = transfer->origins[place] % transfer->fragment->elements;
    }
    status = mapping_layout_invert(&stored, MAPPING_AXIS_COPY, held, error);
    if (status == MAPPING_OK)
        held->from = *holders; /* without the axis of the only copy */
    mapping_layout_free(&stored);
    return status;
}

/* Makes the layout. MAPPING_INVALID if what was moved is none. */
static enum mapping_status transfer_layout(const struct transfer *transfer,
                                           struct mapping_layout *layout,
                                           struct mapping_error *error) {
    struct mapping_space holders, elements, places = {1, {{"place", cells_of(transfer->fragment)}}};
    struct mapping_layout memory = {.from.count = 0}, held = {.from.count = 0};
    mapping_fragment_spaces(transfer->fragment, &holders, &elements);
    enum mapping_status status = make_memory(transfer, &places, &elements, &memory, error);
    if (status == MAPPING_OK)
        status = transfer->is_store ? read_store(transfer, &holders, &places, &held, error)
                                    : read_load(transfer, &holders, &places, &held, error);
    if (status == MAPPING_OK)
        status = mapping_layout_compose(&held, &memory, layout, error);
    mapping_layout_free(&held);
    mapping_layout_free(&memory);
    return status == MAPPING_OK ? mapping_layout_check(layout, error) : status;
}

/* Addresses whose lower halves overflow within a buffer, so that a carry that is lost is noticed.
 */
#define INPUT_ADDRESS UINT64_C(0x7f12ffffff00)
#define OUTPUT_ADDRESS UINT64_C(0x7f34ffffff00)

/* ---- From a program to a layout ---- */

/* Reads element `index` of a packed array of elements of `bits` bits, lowest bits first. */
static uint64_t read_element(const uint8_t *bytes, size_t index, unsigned bits) {
    if (bits < 8)
        return (unsigned)bytes[index * bits / 8] >> (index * bits % 8) & ((1U << bits) - 1);
    uint64_t value = 0;
    memcpy(&value, bytes + index * bits / 8, bits / 8); /* little-endian, as the GPU is */
    return value;
}

static void write_element(uint8_t *bytes, size_t index, unsigned bits, uint64_t value) {
    if (bits < 8)
        bytes[index * bits / 8] |= (uint8_t)(value << (index * bits % 8));
    else
        memcpy(bytes + index * bits / 8, &value, bits / 8);
}

/* A run of a kernel: what it reads and writes, in elements of `bits` bits. */
struct kernel_run {
    const struct kernel *kernel;
    struct buffer input, output;
    uint8_t *written;
    uint32_t sources, targets; /* elements of the input and of the output */
    unsigned bits;
    const struct limit *limit;
};

/* Runs the kernel with every element of the input holding one digit of its own number, that which
 * begins at bit `shift`, and adds what each place of the output got to its origin. */
static enum mapping_status trace_digit(const struct kernel_run *run, unsigned shift,
                                       uint32_t *origins, struct mapping_error *error) {
    memset(run->input.bytes, 0, run->input.size);
    memset(run->output.bytes, 0, run->output.size);
    for (uint32_t e = 0; e < run->sources; e++)
        write_element(run->input.bytes, e, run->bits,
                      run->bits < 32 ? e >> shift & ((1U << run->bits) - 1) : e);
    enum mapping_status status =
        execute(run->kernel, &run->input, &run->output, run->written, run->limit, error);
    if (status != MAPPING_OK)
        return status;
    const uint8_t *gap = memchr(run->written, 0, run->output.size);
    if (gap)
        return mapping_fail(error, MAPPING_FAILED, "byte %zu of the output is never stored",
                            (size_t)(gap - run->written));
    for (uint32_t t = 0; t < run->targets; t++) {
        uint64_t digit = read_element(run->output.bytes, t, run->bits);
        if (digit >= run->sources)
            digit = run->sources; /* no element's number, also with further digits */
        origins[t] |= (uint32_t)digit << shift;
    }
    return MAPPING_OK;
}

/* Finds for each element of the output the element of the input that it is. */
static enum mapping_status trace(const struct kernel_run *run, uint32_t *origins,
                                 struct mapping_error *error) {
    memset(origins, 0, run->targets * sizeof *origins);
    for (unsigned shift = 0; shift < 32 && run->sources > UINT32_C(1) << shift;
         shift += run->bits) {
        enum mapping_status status = trace_digit(run, shift, origins, error);
        if (status != MAPPING_OK)
            return status;
    }
    for (uint32_t t = 0; t < run->targets; t++)
        if (origins[t] >= run->sources)
            return mapping_fail(error, MAPPING_FAILED,
                                "element %u of the output is not an element of the input", t);
    return MAPPING_OK;
}

/* Makes the layout from the kernel of one fragment and one order in memory. */
static enum mapping_status observe_kernel(const struct kernel *kernel,
                                          const struct ptx_kernel *made_from,
                                          const struct limit *limit, struct mapping_layout *layout,
                                          struct mapping_error *error) {
    const struct mapping_fragment *fragment = &made_from->fragment;
    struct transfer transfer = {.fragment = fragment,
                                .order = made_from->order,
                                .is_store = fragment->operand == MAPPING_D};
    struct kernel_run run = {.kernel = kernel,
                             .sources = transfer_sources(&transfer),
                             .targets = transfer_targets(&transfer),
                             .bits = mapping_type_bits(fragment->type),
                             .limit = limit};
    run.input = (struct buffer){INPUT_ADDRESS, (size_t)run.sources * run.bits / 8, NULL};
    run.output = (struct buffer){OUTPUT_ADDRESS, (size_t)run.targets * run.bits / 8, NULL};
    uint8_t *memory = memory_get(1, run.input.size + 2 * run.output.size);
    uint32_t *origins = memory_get(run.targets, sizeof *origins);
    run.input.bytes = memory;
    run.output.bytes = memory + run.input.size;
    run.written = run.output.bytes + run.output.size;
    transfer.origins = origins;
    enum mapping_status status = trace(&run, origins, error);
    if (status == MAPPING_OK)
        status = transfer_layout(&transfer, layout, error);
    memory_free(memory);
    memory_free(origins);
    return status;
}

/* The code of all kernels, and what each was made from. */
struct listed {
    struct listing listing;
    const struct ptx_kernel *kernels;
    struct limit limit;
};

/* Makes the layout of kernels[index] from its code in the listing. */
static enum mapping_status observe_listed(const struct listed *listed, size_t index,
                                          struct mapping_layout *layout,
                                          struct mapping_error *error) {
    char name[KERNEL_NAME_SIZE], fragment_name[MAPPING_NAME_SIZE];
    struct mapping_error cause;
    ptx_kernel_name(index, name);
    const struct ptx_kernel *made_from = &listed->kernels[index];
    mapping_fragment_name(&made_from->fragment, fragment_name);
    const struct kernel *kernel = listing_kernel(&listed->listing, name);
    if (!kernel)
        return mapping_fail(error, MAPPING_FAILED, "nvdisasm printed no code for %s (kernel %s)",
                            fragment_name, name);
    if (observe_kernel(kernel, made_from, &listed->limit, layout, &cause) != MAPPING_OK)
        return mapping_fail(error, MAPPING_FAILED, "%s: %-s", fragment_name, cause.message);
    return MAPPING_OK;
}

/* Makes the layout of one fragment, which kernels[*next] and the one behind it are of if it has
 * kernels for both orders in memory. Then it has to be the same in registers for both. */
static enum mapping_status observe_fragment(const struct listed *listed, size_t *next,
                                            struct mapping_layout *layout,
                                            struct mapping_error *error) {
    const struct mapping_fragment *fragment = &listed->kernels[*next].fragment;
    enum mapping_status status = observe_listed(listed, (*next)++, layout, error);
    if (status != MAPPING_OK || fragment->order != MAPPING_NO_ORDER)
        return status;
    struct mapping_layout other = {.from.count = 0};
    status = observe_listed(listed, (*next)++, &other, error);
    if (status == MAPPING_OK && !mapping_layout_equal(layout, &other)) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(fragment, name);
        status = mapping_fail(error, MAPPING_FAILED,
                              "%s: row-major and column-major memory give different layouts", name);
    }
    mapping_layout_free(&other);
    return status;
}

/* Makes the layouts of all fragments from the listing of their kernels. */
static enum mapping_status observe_listing(const struct listed *listed,
                                           struct observation *const *observations, size_t count,
                                           struct mapping_error *error) {
    size_t next = 0;
    enum mapping_status status = MAPPING_OK;
    for (size_t n = 0; n < count && status == MAPPING_OK; n++)
        status = observe_fragment(listed, &next, &observations[n]->layout, error);
    return status;
}

/* Lists the kernels that observe the fragments: one for A and B, which are of one order, two for C
 * and D. `kernels` has room for two of each. Returns how many they are. */
static size_t list_kernels(struct observation *const *observations, size_t count,
                           struct ptx_kernel *kernels) {
    size_t kernel_count = 0;
    for (size_t n = 0; n < count; n++) {
        const struct mapping_fragment *fragment = &observations[n]->fragment;
        bool both = fragment->order == MAPPING_NO_ORDER;
        kernels[kernel_count++] =
            (struct ptx_kernel){*fragment, both ? MAPPING_ROW_MAJOR : fragment->order};
        if (both)
            kernels[kernel_count++] = (struct ptx_kernel){*fragment, MAPPING_COL_MAJOR};
    }
    return kernel_count;
}

/* ---- From fragments to a listing ---- */

/* What is to be done, whatever the toolkit. */
struct job {
    unsigned arch;
    double timeout;
    const struct ptx_kernel *kernels;
    size_t kernel_count;
    char ptx[PATH_MAX], cubin[PATH_MAX]; /* files in the temporary folder */
    struct observation *const *observations;
    size_t count;
};

/* Compiles the kernels with one toolkit, and makes the layouts. */
static enum mapping_status observe_with_toolkit(const struct toolkit *toolkit,
                                                const struct job *job,
                                                struct mapping_error *error) {
    char *text = NULL, target[32], with[160];
    struct tool_versions versions;
    snprintf(target, sizeof target, "sm_%u", job->arch);
    enum mapping_status status =
        tools_assemble(toolkit, target, job->ptx, job->cubin, job->timeout, error);
    if (status == MAPPING_OK)
        status = tools_disassemble(toolkit, job->cubin, job->timeout, &text, error);
    if (status == MAPPING_OK)
        status = tools_versions(toolkit, job->timeout, &versions, error);
    if (status != MAPPING_OK)
        return status;
    struct listed listed = {.kernels = job->kernels, .limit = limit_begin(job->timeout)};
    struct mapping_error cause;
    status = listing_parse(text, &listed.limit, &listed.listing, &cause);
    if (status == MAPPING_OK)
        status = observe_listing(&listed, job->observations, job->count, &cause);
    listing_free(&listed.listing);
    snprintf(with, sizeof with, "ptxas %s, nvdisasm %s", versions.ptxas, versions.nvdisasm);
    if (status != MAPPING_OK)
        return mapping_fail(error, status, "code of %s for sm_%u: %-s", with, job->arch,
                            cause.message);
    for (size_t n = 0; n < job->count; n++)
        provenance_add(&job->observations[n]->provenance, "sass", with);
    return MAPPING_OK;
}

/* Adds why a toolkit will not do to the sentence, or counts it where there is no room. */
static void note_refusal(char *tried, size_t size, const char *reason, size_t *left_out) {
    size_t length = strlen(tried), more = strlen(reason) + 1;
    if (*left_out > 0 || length + more + 2 > size) {
        ++*left_out;
        return;
    }
    if (length > 0) {
        memcpy(tried + length, "; ", 2);
        length += 2;
    }
    memcpy(tried + length, reason, more);
}

/* Tries the toolkits one after the other until one knows the architecture. */
static enum mapping_status try_toolkits(const struct toolkits *toolkits, const struct job *job,
                                        struct mapping_error *error) {
    enum mapping_status status = MAPPING_UNAVAILABLE;
    char tried[512] = "", more[32] = "";
    size_t left_out = 0;
    for (size_t t = 0; t < toolkits->count && status == MAPPING_UNAVAILABLE; t++) {
        status = observe_with_toolkit(&toolkits->toolkit[t], job, error);
        if (status == MAPPING_UNAVAILABLE)
            note_refusal(tried, sizeof tried, error->message, &left_out);
    }
    if (left_out > 0)
        snprintf(more, sizeof more, "; and %zu more", left_out);
    if (status == MAPPING_UNAVAILABLE && toolkits->count > 1)
        mapping_fail(error, status, "none of the %zu CUDA Toolkits works: %s%s", toolkits->count,
                     tried, more);
    return status;
}

/* Writes the PTX into the folder, and makes the layouts. */
static enum mapping_status observe_in(const char *folder, const struct toolkits *toolkits,
                                      struct job *job, struct mapping_error *error) {
    snprintf(job->ptx, sizeof job->ptx, "%s/mapping.ptx", folder);
    snprintf(job->cubin, sizeof job->cubin, "%s/mapping.cubin", folder);
    char *ptx = ptx_module(job->kernels, job->kernel_count);
    enum mapping_status status = tools_write(job->ptx, ptx, error);
    memory_free(ptx);
    return status == MAPPING_OK ? try_toolkits(toolkits, job, error) : status;
}

bool sass_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return mapping_instruction_probe(fragment->instruction) == PROBE_WMMA;
}

/* Does the job in a temporary folder. */
static enum mapping_status observe_in_folder(const struct toolkits *toolkits, struct job *job,
                                             struct mapping_error *error) {
    struct temporary_folder folder;
    interrupt_begin();
    enum mapping_status status = temporary_folder_make(&folder, error);
    if (status == MAPPING_OK) {
        status = observe_in(folder.path, toolkits, job, error);
        status = temporary_folder_remove(&folder, status, error);
    }
    interrupt_end();
    return status;
}

enum mapping_status sass_observe(unsigned arch, struct observation *const *observations,
                                 size_t count, const struct machinery *machinery,
                                 struct mapping_error *error) {
    static struct toolkits toolkits;
    struct ptx_kernel *kernels = memory_get(2 * count, sizeof *kernels);
    struct job job = {.arch = arch,
                      .timeout = machinery->timeout,
                      .kernels = kernels,
                      .kernel_count = list_kernels(observations, count, kernels),
                      .observations = observations,
                      .count = count};
    enum mapping_status status = toolkits_find(machinery, &toolkits, error);
    return status == MAPPING_OK ? observe_in_folder(&toolkits, &job, error) : status;
}
