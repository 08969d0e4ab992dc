/* sass.c - the source that needs no GPU.
 *
 * A kernel that stores a fragment is compiled by ptxas. The compiler has to spell the layout out,
 * as arithmetic on the lane's number. So executing its code, as nvdisasm prints it, gives the
 * layout. */
#include "execute.h"
#include "interrupt.h"
#include "process.h"
#include "ptx.h"
#include "source.h"
#include "toolkit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Addresses whose lower halves overflow within a buffer, so that a carry that is lost is noticed.
 */
#define INPUT_ADDRESS UINT64_C(0x7f12ffffff00)
#define OUTPUT_ADDRESS UINT64_C(0x7f34ffffff00)

/* ---- From a program to a map ---- */

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

/* What a kernel moves: `count` elements from the input to `target_count` in the output. */
struct transfer {
    struct buffer input, output;
    uint8_t *written;
    uint32_t count, target_count;
    unsigned bits;
};

/* Runs the kernel with every element of the input holding its own number, a digit that fits into
 * the type in each run, and reads from the output which element each place got. */
static enum mapping_status trace(const struct kernel *kernel, const struct transfer *transfer,
                                 uint32_t *origins, struct mapping_error *error) {
    memset(origins, 0, transfer->target_count * sizeof *origins);
    for (unsigned shift = 0; shift < 32 && transfer->count > UINT32_C(1) << shift;
         shift += transfer->bits) {
        memset(transfer->input.bytes, 0, transfer->input.size);
        memset(transfer->output.bytes, 0, transfer->output.size);
        for (uint32_t e = 0; e < transfer->count; e++)
            write_element(transfer->input.bytes, e, transfer->bits,
                          transfer->bits < 32 ? e >> shift & ((1U << transfer->bits) - 1) : e);
        enum mapping_status status =
            execute(kernel, &transfer->input, &transfer->output, transfer->written, error);
        if (status != MAPPING_OK)
            return status;
        const uint8_t *gap = memchr(transfer->written, 0, transfer->output.size);
        if (gap)
            return mapping_fail(error, MAPPING_FAILED, "byte %zu of the output is never stored",
                                (size_t)(gap - transfer->written));
        for (uint32_t t = 0; t < transfer->target_count; t++) {
            uint64_t digit = read_element(transfer->output.bytes, t, transfer->bits);
            if (digit >= transfer->count)
                digit = transfer->count; /* no element's number, also with further digits */
            origins[t] |= (uint32_t)digit << shift;
        }
    }
    for (uint32_t t = 0; t < transfer->target_count; t++)
        if (origins[t] >= transfer->count)
            return mapping_fail(error, MAPPING_FAILED,
                                "element %u of the output comes from nowhere", t);
    return MAPPING_OK;
}

/* Fills the map from the kernel of one fragment and one layout in memory. */
static enum mapping_status observe_kernel(const struct kernel *kernel,
                                          const struct ptx_kernel *made_from,
                                          struct mapping_map *map, struct mapping_error *error) {
    const struct mapping_fragment *fragment = &made_from->fragment;
    uint32_t entries = (uint32_t)mapping_map_entries(map), cells = map->rows * map->cols;
    bool store = fragment->operand == 'd';
    struct transfer transfer = {.count = store ? entries : cells,
                                .target_count = store ? cells : entries,
                                .bits = mapping_type_bits(fragment->type)};
    transfer.input.size = (size_t)transfer.count * transfer.bits / 8;
    transfer.output.size = (size_t)transfer.target_count * transfer.bits / 8;
    transfer.input.address = INPUT_ADDRESS;
    transfer.output.address = OUTPUT_ADDRESS;
    uint8_t *memory = malloc(transfer.input.size + 2 * transfer.output.size);
    uint32_t *origins = malloc(transfer.target_count * sizeof *origins);
    enum mapping_status status = MAPPING_FAILED;
    if (!memory || !origins) {
        mapping_fail(error, MAPPING_FAILED, "out of memory");
    } else {
        transfer.input.bytes = memory;
        transfer.output.bytes = memory + transfer.input.size;
        transfer.written = transfer.output.bytes + transfer.output.size;
        status = trace(kernel, &transfer, origins, error);
    }
    if (status == MAPPING_OK) {
        mapping_map_trace(map, made_from->layout, store, origins);
        status = mapping_map_check(map, error);
    }
    free(memory);
    free(origins);
    return status;
}

/* Makes the map of kernels[index] from its code in the listing. */
static enum mapping_status observe_listed(const struct listing *listing,
                                          const struct ptx_kernel *kernels, size_t index,
                                          struct mapping_map *map, struct mapping_error *error) {
    char name[KERNEL_NAME_SIZE], fragment_name[MAPPING_NAME_SIZE];
    struct mapping_error cause;
    ptx_kernel_name(index, name);
    mapping_fragment_name(&kernels[index].fragment, fragment_name);
    const struct kernel *kernel = listing_kernel(listing, name);
    if (!kernel)
        return mapping_fail(error, MAPPING_FAILED, "nvdisasm printed no code for %s (kernel %s)",
                            fragment_name, name);
    if (!mapping_map_init(map, &kernels[index].fragment))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (observe_kernel(kernel, &kernels[index], map, &cause) != MAPPING_OK)
        return mapping_fail(error, MAPPING_FAILED, "%s: %.500s", fragment_name, cause.message);
    return MAPPING_OK;
}

/* Makes the maps of all fragments from the listing of their kernels. A fragment with kernels for
 * both layouts in memory has to be the same in registers for both. */
static enum mapping_status observe_listing(const struct listing *listing,
                                           const struct ptx_kernel *kernels, size_t kernel_count,
                                           struct mapping_map *maps, struct mapping_error *error) {
    struct mapping_map *map = maps;
    for (size_t k = 0; k < kernel_count; k++, map++) {
        if (interrupted())
            return mapping_fail(error, MAPPING_FAILED, "interrupted");
        enum mapping_status status = observe_listed(listing, kernels, k, map, error);
        if (status != MAPPING_OK)
            return status;
        if (kernels[k].fragment.layout != MAPPING_NO_LAYOUT)
            continue;
        struct mapping_map other = {0};
        status = observe_listed(listing, kernels, ++k, &other, error);
        if (status == MAPPING_OK && !mapping_map_equal(map, &other)) {
            char name[MAPPING_NAME_SIZE];
            mapping_fragment_name(&kernels[k].fragment, name);
            status = mapping_fail(error, MAPPING_FAILED,
                                  "%s differs between row-major and column-major memory", name);
        }
        mapping_map_free(&other);
        if (status != MAPPING_OK)
            return status;
    }
    return MAPPING_OK;
}

/* Lists the kernels that observe the fragments: one for A and B, which are of one layout, two for C
 * and D. `kernels` has room for two of each. Returns how many they are. */
static size_t list_kernels(const struct mapping_fragment *fragments, size_t count,
                           struct ptx_kernel *kernels) {
    size_t kernel_count = 0;
    for (size_t f = 0; f < count; f++) {
        bool both = fragments[f].layout == MAPPING_NO_LAYOUT;
        kernels[kernel_count++] =
            (struct ptx_kernel){fragments[f], both ? MAPPING_ROW_MAJOR : fragments[f].layout};
        if (both)
            kernels[kernel_count++] = (struct ptx_kernel){fragments[f], MAPPING_COL_MAJOR};
    }
    return kernel_count;
}

/* ---- From fragments to a listing ---- */

static enum mapping_status write_file(const char *path, const char *text,
                                      struct mapping_error *error) {
    FILE *file = fopen(path, "w");
    bool unwritten = !file || fputs(text, file) < 0;
    int cause = errno;
    if (file && fclose(file) != 0 && !unwritten) {
        unwritten = true;
        cause = errno;
    }
    if (unwritten)
        return mapping_fail(error, MAPPING_FAILED, "could not write %s: %s", path, strerror(cause));
    return MAPPING_OK;
}

static bool failed(const struct tool_output *output) {
    return output->exit_status != 0 || output->ended_by != 0;
}

/* Fails with what the tool complained about: the first line that says something. */
static enum mapping_status fail_tool(const char *tool, const struct tool_output *output,
                                     enum mapping_status status, struct mapping_error *error) {
    const char *complaint = output->err_size > 0 ? output->err : output->out;
    complaint += strspn(complaint, " \t\r\n");
    int length = (int)strcspn(complaint, "\r\n");
    if (length > 300)
        length = 300;
    if (output->ended_by)
        return mapping_fail(error, status, "%s was ended by signal %d", tool, output->ended_by);
    return mapping_fail(error, status, "%s failed with exit status %d%s%.*s", tool,
                        output->exit_status, length ? ": " : " and no message", length, complaint);
}

/* Assembles the PTX file. MAPPING_UNAVAILABLE if this ptxas does not know the architecture. */
static enum mapping_status assemble(const char *ptxas, unsigned arch, const char *ptx,
                                    const char *cubin, double timeout,
                                    struct mapping_error *error) {
    char option[32];
    snprintf(option, sizeof option, "-arch=sm_%u", arch);
    const char *const argv[] = {ptxas, option, ptx, "-o", cubin, NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    if (status == MAPPING_OK && failed(&output)) {
        if (strstr(output.err, "is not defined for option 'gpu-name'"))
            status =
                mapping_fail(error, MAPPING_UNAVAILABLE, "%s does not know sm_%u", ptxas, arch);
        else
            status = fail_tool(ptxas, &output, MAPPING_FAILED, error);
    }
    tool_output_free(&output);
    return status;
}

/* Disassembles the cubin. On success *text is the listing; free it. MAPPING_UNAVAILABLE if this
 * nvdisasm does not know the architecture. */
static enum mapping_status disassemble(const char *nvdisasm, const char *cubin, double timeout,
                                       char **text, struct mapping_error *error) {
    const char *const argv[] = {nvdisasm, cubin, NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    if (status == MAPPING_OK && failed(&output)) {
        bool unknown = strstr(output.err, "does not contain Cuda architecture information") ||
                       strstr(output.err, "is deprecated");
        status =
            fail_tool(nvdisasm, &output, unknown ? MAPPING_UNAVAILABLE : MAPPING_FAILED, error);
    }
    if (status == MAPPING_OK && strlen(output.out) != output.out_size)
        status = mapping_fail(error, MAPPING_FAILED, "%s printed no text", nvdisasm);
    if (status == MAPPING_OK) {
        *text = output.out;
        output.out = NULL;
    }
    tool_output_free(&output);
    return status;
}

/* Reads the version that a tool has, e.g. "11.8.89". */
static enum mapping_status read_version(const char *tool, double timeout, char version[32],
                                        struct mapping_error *error) {
    const char *const argv[] = {tool, "--version", NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    if (status == MAPPING_OK) {
        const char *place = strstr(output.out, ", V");
        if (failed(&output))
            status = fail_tool(tool, &output, MAPPING_FAILED, error);
        else if (!place || sscanf(place, ", V%31[0-9.]", version) != 1)
            status = mapping_fail(error, MAPPING_FAILED, "%s --version names no version", tool);
    }
    tool_output_free(&output);
    return status;
}

/* What is to be done, whatever the toolkit. */
struct job {
    unsigned arch;
    double timeout;
    const struct ptx_kernel *kernels;
    size_t kernel_count, fragment_count;
    char ptx[PATH_MAX], cubin[PATH_MAX]; /* files in the temporary folder */
    struct mapping_map *maps;
    struct provenance *provenances;
};

/* Compiles the kernels with one toolkit, and makes the maps. */
static enum mapping_status observe_with(const struct toolkit *toolkit, const struct job *job,
                                        struct mapping_error *error) {
    char *text = NULL, ptxas_version[32], nvdisasm_version[32], with[160];
    enum mapping_status status =
        assemble(toolkit->ptxas, job->arch, job->ptx, job->cubin, job->timeout, error);
    if (status == MAPPING_OK)
        status = disassemble(toolkit->nvdisasm, job->cubin, job->timeout, &text, error);
    if (status == MAPPING_OK)
        status = read_version(toolkit->ptxas, job->timeout, ptxas_version, error);
    if (status == MAPPING_OK)
        status = read_version(toolkit->nvdisasm, job->timeout, nvdisasm_version, error);
    if (status != MAPPING_OK) {
        free(text);
        return status;
    }
    struct listing listing;
    struct mapping_error cause;
    status = listing_parse(text, &listing, &cause);
    if (status == MAPPING_OK)
        status = observe_listing(&listing, job->kernels, job->kernel_count, job->maps, &cause);
    listing_free(&listing);
    snprintf(with, sizeof with, "ptxas %s, nvdisasm %s", ptxas_version, nvdisasm_version);
    if (status != MAPPING_OK)
        return mapping_fail(error, status, "code of %s for sm_%u: %.600s", with, job->arch,
                            cause.message);
    for (size_t f = 0; f < job->fragment_count; f++)
        provenance_add(&job->provenances[f], "sass", with);
    return MAPPING_OK;
}

/* Writes the PTX, and tries the toolkits one after the other until one knows the architecture. */
static enum mapping_status observe_in(const char *folder, const struct toolkits *toolkits,
                                      struct job *job, struct mapping_error *error) {
    snprintf(job->ptx, sizeof job->ptx, "%s/mapping.ptx", folder);
    snprintf(job->cubin, sizeof job->cubin, "%s/mapping.cubin", folder);
    char *ptx = ptx_module(job->kernels, job->kernel_count);
    if (!ptx)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = write_file(job->ptx, ptx, error);
    free(ptx);
    if (status != MAPPING_OK)
        return status;
    status = MAPPING_UNAVAILABLE;
    for (size_t t = 0; t < toolkits->count && status == MAPPING_UNAVAILABLE; t++)
        status = observe_with(&toolkits->toolkit[t], job, error);
    return status;
}

bool sass_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch;
    return fragment->instruction == MAPPING_WMMA;
}

enum mapping_status sass_observe(unsigned arch, const struct mapping_fragment *fragments,
                                 size_t count, const struct source_options *options,
                                 struct mapping_map *maps, struct provenance *provenances,
                                 struct mapping_error *error) {
    struct toolkits *toolkits = malloc(sizeof *toolkits);
    struct ptx_kernel *kernels = malloc(2 * count * sizeof *kernels);
    enum mapping_status status = toolkits && kernels
                                     ? toolkits_find(options, toolkits, error)
                                     : mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (status == MAPPING_OK) {
        struct job job = {.arch = arch,
                          .timeout = options->timeout,
                          .kernels = kernels,
                          .kernel_count = list_kernels(fragments, count, kernels),
                          .fragment_count = count,
                          .maps = maps,
                          .provenances = provenances};
        char folder[PATH_MAX - 32];
        interrupt_begin();
        status = temporary_folder_make(folder, sizeof folder, error);
        if (status == MAPPING_OK) {
            status = observe_in(folder, toolkits, &job, error);
            temporary_folder_remove(folder);
        }
        interrupt_end();
    }
    free(kernels);
    free(toolkits);
    return status;
}
