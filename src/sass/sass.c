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

/* Runs the kernel with element e of the thread registers holding e, and reads from the matrix that
 * it stores which element went where. */
static enum mapping_status observe_store(const struct kernel *kernel,
                                         const struct mapping_fragment *fragment,
                                         struct mapping_map *map, struct mapping_error *error) {
    size_t entries = mapping_map_entries(map), cells = (size_t)fragment->rows * fragment->cols;
    size_t bytes = mapping_type_bits(fragment->type) / 8;
    uint8_t *memory = calloc(entries + 2 * cells, bytes);
    if (!memory)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    struct buffer input = {INPUT_ADDRESS, entries * bytes, memory};
    struct buffer output = {OUTPUT_ADDRESS, cells * bytes, memory + input.size};
    uint8_t *written = output.bytes + output.size;
    for (uint32_t entry = 0; entry < entries; entry++)
        memcpy(input.bytes + entry * bytes, &entry, bytes); /* little-endian, as the GPU is */
    enum mapping_status status = execute(kernel, &input, &output, written, error);
    for (uint32_t cell = 0; cell < cells && status == MAPPING_OK; cell++) {
        uint32_t row = cell / fragment->cols, col = cell % fragment->cols, entry = 0;
        memcpy(&entry, output.bytes + cell * bytes, bytes);
        if (memchr(written + cell * bytes, 0, bytes))
            status =
                mapping_fail(error, MAPPING_FAILED, "row %u, column %u is never stored", row, col);
        else if (entry >= entries)
            status = mapping_fail(error, MAPPING_FAILED,
                                  "row %u, column %u is stored from no element", row, col);
        else {
            map->plane[MAPPING_ROW][entry] = row;
            map->plane[MAPPING_COL][entry] = col;
        }
    }
    free(memory);
    return status;
}

/* Makes the maps of all fragments from the listing of their kernels. */
static enum mapping_status observe_listing(const struct listing *listing,
                                           const struct mapping_fragment *fragments, size_t count,
                                           struct mapping_map *maps, struct mapping_error *error) {
    for (size_t f = 0; f < count; f++) {
        char name[KERNEL_NAME_SIZE], fragment_name[MAPPING_NAME_SIZE];
        ptx_kernel_name(f, name);
        mapping_fragment_name(&fragments[f], fragment_name);
        const struct kernel *kernel = listing_kernel(listing, name);
        if (!kernel)
            return mapping_fail(error, MAPPING_FAILED,
                                "nvdisasm printed no code for %s (kernel %s)", fragment_name, name);
        if (!mapping_map_init(&maps[f], &fragments[f]))
            return mapping_fail(error, MAPPING_FAILED, "out of memory");
        struct mapping_error cause;
        enum mapping_status status = observe_store(kernel, &fragments[f], &maps[f], &cause);
        if (status == MAPPING_OK)
            status = mapping_map_check(&maps[f], &cause);
        if (status != MAPPING_OK)
            return mapping_fail(error, MAPPING_FAILED, "%s: %.500s", fragment_name, cause.message);
    }
    return MAPPING_OK;
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
    return mapping_fail(error, status, "%s failed with exit status %d: %.*s", tool,
                        output->exit_status, length, complaint);
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

/* Compiles the fragments' kernels with one toolkit in the folder, and makes the maps. */
static enum mapping_status observe_with(const struct toolkit *toolkit, const char *folder,
                                        unsigned arch, const struct mapping_fragment *fragments,
                                        size_t count, double timeout, struct mapping_map *maps,
                                        struct provenance *provenances,
                                        struct mapping_error *error) {
    char ptx[PATH_MAX], cubin[PATH_MAX], *text = NULL;
    char ptxas_version[32], nvdisasm_version[32], with[160];
    snprintf(ptx, sizeof ptx, "%s/mapping.ptx", folder);
    snprintf(cubin, sizeof cubin, "%s/mapping.cubin", folder);
    enum mapping_status status = assemble(toolkit->ptxas, arch, ptx, cubin, timeout, error);
    if (status == MAPPING_OK)
        status = disassemble(toolkit->nvdisasm, cubin, timeout, &text, error);
    if (status == MAPPING_OK)
        status = read_version(toolkit->ptxas, timeout, ptxas_version, error);
    if (status == MAPPING_OK)
        status = read_version(toolkit->nvdisasm, timeout, nvdisasm_version, error);
    if (status != MAPPING_OK) {
        free(text);
        return status;
    }
    struct listing listing;
    struct mapping_error cause;
    status = listing_parse(text, &listing, &cause);
    if (status == MAPPING_OK)
        status = observe_listing(&listing, fragments, count, maps, &cause);
    listing_free(&listing);
    snprintf(with, sizeof with, "ptxas %s, nvdisasm %s", ptxas_version, nvdisasm_version);
    if (status != MAPPING_OK)
        return mapping_fail(error, status, "code of %s for sm_%u: %.600s", with, arch,
                            cause.message);
    for (size_t f = 0; f < count; f++)
        provenance_add(&provenances[f], "sass", with);
    return MAPPING_OK;
}

/* Tries the toolkits one after the other until one knows the architecture. */
static enum mapping_status observe_in(const char *folder, const struct toolkits *toolkits,
                                      unsigned arch, const struct mapping_fragment *fragments,
                                      size_t count, double timeout, struct mapping_map *maps,
                                      struct provenance *provenances, struct mapping_error *error) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/mapping.ptx", folder);
    char *ptx = ptx_module(fragments, count);
    if (!ptx)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = write_file(path, ptx, error);
    free(ptx);
    if (status != MAPPING_OK)
        return status;
    status = MAPPING_UNAVAILABLE;
    for (size_t t = 0; t < toolkits->count && status == MAPPING_UNAVAILABLE; t++)
        status = observe_with(&toolkits->toolkit[t], folder, arch, fragments, count, timeout, maps,
                              provenances, error);
    return status;
}

enum mapping_status sass_observe(unsigned arch, const struct mapping_fragment *fragments,
                                 size_t count, const struct source_options *options,
                                 struct mapping_map *maps, struct provenance *provenances,
                                 struct mapping_error *error) {
    struct toolkits *toolkits = malloc(sizeof *toolkits);
    if (!toolkits)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = toolkits_find(options, toolkits, error);
    if (status == MAPPING_OK) {
        char folder[PATH_MAX - 32];
        interrupt_begin();
        status = temporary_folder_make(folder, sizeof folder, error);
        if (status == MAPPING_OK) {
            status = observe_in(folder, toolkits, arch, fragments, count, options->timeout, maps,
                                provenances, error);
            temporary_folder_remove(folder);
        }
        interrupt_end();
    }
    free(toolkits);
    return status;
}
