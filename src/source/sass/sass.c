/* sass.c - the source `sass`: derives the layouts of wmma from SASS, without a GPU.
 *
 * ptxas compiles a kernel that stores a fragment. The compiled code computes addresses, and so the
 * layout, by arithmetic on the lane's number. This file executes the code, as nvdisasm prints it,
 * to get the layout.
 *
 * From top to bottom: finding the tools, writing the kernels in PTX, running the tools, executing
 * the code that they print, and making the layouts. */
#include "layout/sentence.h"
#include "source/sass/execute.h"
#include "source/source.h"
#include "system/system.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Finding toolkits ---- */

/* A pair of tools of the same release: nvdisasm reads the cubins of its own generation of ptxas. */
struct toolkit {
    const char *ptxas, *nvdisasm, *cuobjdump; /* paths; nvdisasm may be NULL */
};

#define TOOLKITS_MAX 32

struct toolkits {
    size_t count;
    struct toolkit toolkit[TOOLKITS_MAX];
    struct toolkit seen; /* the first ptxas and the first nvdisasm that were found, or NULL; perhaps
                            not of the same release */
};

/* The usual folders of the CUDA Toolkit. */
static const char *const usual_folders[] = {
    "/usr/local/cuda",
    "/usr/local/cuda-*",
    "/opt/cuda",
    "/usr/lib/nvidia-cuda-toolkit",
    "/opt/nvidia/hpc_sdk/Linux_*/*/cuda",
    "/usr",
};

/* The path of a program; NULL if there is none. `below` is "/bin" or "". */
static const char *program_in(const char *folder, const char *below, const char *name) {
    struct printer path = {.text = NULL};
    struct stat information;
    print(&path, "%s%s/%s", folder, below, name);
    const char *text = printer_string(&path);
    bool is_program =
        access(text, X_OK) == 0 && stat(text, &information) == 0 && S_ISREG(information.st_mode);
    return is_program ? text : NULL;
}

/* True if both paths are the same program, perhaps through links. */
static bool is_same(const char *a, const char *b) {
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static void add_toolkit(struct toolkits *toolkits, const struct toolkit *toolkit) {
    for (size_t t = 0; t < toolkits->count; t++)
        if (is_same(toolkits->toolkit[t].ptxas, toolkit->ptxas))
            return;
    if (toolkits->count < TOOLKITS_MAX)
        toolkits->toolkit[toolkits->count++] = *toolkit;
}

/* Adds the pair in the folder, and before it, for a toolkit, the pair in its bin/. */
static void look_into(const char *folder, bool is_toolkit, struct toolkits *toolkits) {
    for (int b = is_toolkit ? 0 : 1; folder && *folder && b < 2; b++) {
        const char *below = b == 0 ? "/bin" : "";
        const struct toolkit here = {program_in(folder, below, "ptxas"),
                                     program_in(folder, below, "nvdisasm"),
                                     program_in(folder, below, "cuobjdump")};
        if (here.ptxas && here.nvdisasm)
            add_toolkit(toolkits, &here);
        if (!toolkits->seen.ptxas)
            toolkits->seen.ptxas = here.ptxas;
        if (!toolkits->seen.nvdisasm)
            toolkits->seen.nvdisasm = here.nvdisasm;
        if (!toolkits->seen.cuobjdump)
            toolkits->seen.cuobjdump = here.cuobjdump;
    }
}

/* Adds the pairs in the folders of $PATH. */
static void look_along_path(struct toolkits *toolkits) {
    const char *list = getenv("PATH");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        struct printer folder = {.text = NULL};
        print(&folder, "%.*s", (int)length, list);
        look_into(printer_string(&folder), false, toolkits);
        list += length + (list[length] == ':');
    }
}

/* Orders paths by the versions in them, the latest first: cuda-13.0, cuda-9.2. */
static int compare_versions(const void *left, const void *right) {
    return strverscmp(*(char *const *)right, *(char *const *)left);
}

/* Adds the toolkits that a pattern finds. */
static void look_into_all(const char *pattern, struct toolkits *toolkits) {
    glob_t found;
    int failed = glob(pattern, 0, NULL, &found);
    if (failed == GLOB_NOSPACE)
        memory_exhausted();
    if (failed)
        return;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, compare_versions);
    for (size_t g = 0; g < found.gl_pathc; g++)
        look_into(found.gl_pathv[g], true, toolkits);
    globfree(&found);
}

/* Adds the toolkits of Python packages, such as nvidia/cu13/bin/ptxas. `folders` is a pattern for
 * the folders that contain them, below `root`. */
static void look_into_packages(const char *root, const char *folders, struct toolkits *toolkits) {
    struct printer pattern = {.text = NULL};
    for (const char *c = root; *c; c++)
        print(&pattern, "%s%c", strchr("*?[\\", *c) ? "\\" : "", *c);
    print(&pattern, "%s/nvidia/cu[1-9]*", folders);
    look_into_all(printer_string(&pattern), toolkits);
}

/* The folder of the program or shared library with this code; NULL if it is unknown. */
static const char *own_folder(void) {
    const uintptr_t here = (uintptr_t)own_folder;
    struct printer maps = {.text = NULL};
    struct mapping_error error;
    if (file_read("/proc/self/maps", "maps", &maps, &error) != MAPPING_OK)
        return NULL;
    char *line = printer_string(&maps), *end;
    for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const uintptr_t from = strtoul(line, &end, 16);
        if (*end != '-' || here < from || here >= strtoul(end + 1, &end, 16))
            continue;
        line[strcspn(line, "\n")] = '\0';
        char *path = strchr(end, '/');
        if (path)
            *strrchr(path, '/') = '\0';
        return path;
    }
    return NULL;
}

/* Adds the toolkits that pip has installed in the active virtual environment, or next to this
 * program or library. */
static void look_into_python(struct toolkits *toolkits) {
    static const char environment[] = "/lib/python3*/site-packages";
    const char *active = getenv("VIRTUAL_ENV"), *own = own_folder();
    if (active && *active)
        look_into_packages(active, environment, toolkits);
    if (!own)
        return;
    look_into_packages(own, "/..", toolkits); /* site-packages/cuda_mapping/libmapping.so */
    look_into_packages(own, "/../lib/python3*/site-packages", toolkits); /* bin/mapping */
}

/* Finds the toolkits, in order of preference: only those of --cuda if it is given; otherwise those
 * in $CUDA_HOME, $CUDA_PATH, $PATH, Python packages and the usual install folders. If there are
 * none, returns MAPPING_UNAVAILABLE with a message that names the missing tool. */
static enum mapping_status find_toolkits(const struct machinery *machinery,
                                         struct toolkits *toolkits, struct mapping_error *error) {
    const struct toolkit *seen = &toolkits->seen;
    *toolkits = (struct toolkits){.count = 0};
    for (size_t f = 0; f < machinery->cuda_folder_count; f++)
        look_into(machinery->cuda_folders[f], true, toolkits);
    if (machinery->cuda_folder_count == 0) {
        look_into(getenv("CUDA_HOME"), true, toolkits);
        look_into(getenv("CUDA_PATH"), true, toolkits);
        look_along_path(toolkits);
        look_into_python(toolkits);
        for (size_t f = 0; f < sizeof usual_folders / sizeof *usual_folders; f++)
            look_into_all(usual_folders[f], toolkits);
    }
    if (seen->ptxas && seen->nvdisasm) /* in two folders, but possibly of the same release */
        add_toolkit(toolkits, seen);
    if (toolkits->count > 0)
        return MAPPING_OK;
    const char *where = machinery->cuda_folder_count > 0
                            ? "the folders of --cuda"
                            : "$CUDA_HOME, $CUDA_PATH, $PATH, Python packages and the usual "
                              "folders";
    const char *found = seen->ptxas ? seen->ptxas : seen->nvdisasm;
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "%s%s%s not found in %s; use --cuda=DIR with the folder of a CUDA Toolkit",
                        found ? found : "", found ? " was found, but " : "",
                        seen->ptxas      ? "nvdisasm was"
                        : seen->nvdisasm ? "ptxas was"
                                         : "ptxas and nvdisasm were",
                        where);
}

/* ---- Listings of binaries ---- */

enum mapping_status sass_disassemble(const struct machinery *machinery, const char *path,
                                     bool is_cubin, struct tool_output *output, const char **tool,
                                     struct mapping_error *error) {
    struct toolkits toolkits;
    struct mapping_error ignored;
    const char *name = is_cubin ? "nvdisasm" : "cuobjdump", *option = is_cubin ? "-c" : "-sass";
    *tool = NULL;
    if (machinery->may_start) {
        find_toolkits(machinery, &toolkits, &ignored);
        *tool = is_cubin ? toolkits.seen.nvdisasm : toolkits.seen.cuobjdump;
    }
    if (!*tool)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "%.200s is a binary, and %s %s; run: %s %s %.200s | mapping "
                            "--annotate=-",
                            path, name,
                            machinery->may_start ? "of a CUDA Toolkit was not found (see --cuda)"
                                                 : "may not be started",
                            name, option, path);
    const char *const argv[] = {*tool, option, path, NULL};
    const enum mapping_status status = tool_run(argv, machinery->timeout, output, error);
    if (status != MAPPING_OK)
        return status;
    if (output->exit_status == 0 && output->ended_by == 0)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_FAILED, "%.200s %s %.200s failed: %.*s", *tool, option, path,
                        (int)strcspn(output->err, "\n"), output->err);
}

/* ---- The PTX whose compiled code computes a layout ---- */

/* One kernel. It has two parameters, the addresses of an input and an output buffer.
 *
 * For A, B and C, the kernel loads the fragment from the input, a matrix in memory order `order`
 * without padding, and thread tid stores its registers to output[tid * registers ..]. For D, thread
 * tid loads its registers from input[tid * registers ..], and the kernel stores the fragment to the
 * output as such a matrix. */
struct ptx_kernel {
    struct mapping_fragment fragment;
    enum mapping_order order; /* the order in memory */
};

/* Prints kernels[index], which is called k0, k1 and so on. */
static void print_kernel(struct printer *to, const struct ptx_kernel *kernel, size_t index) {
    const struct mapping_fragment *fragment = &kernel->fragment;
    bool by_row = kernel->order == MAPPING_ROW_MAJOR, store = fragment->operand == MAPPING_D;
    /* In PTX, f32 and f64 fragments are in registers of these types; all others are in untyped
     * 32-bit registers. */
    const char *type = fragment->type == MAPPING_F32   ? "f32"
                       : fragment->type == MAPPING_F64 ? "f64"
                                                       : "b32";
    unsigned size = fragment->type == MAPPING_F64 ? 8 : 4; /* size of a PTX register in bytes */
    unsigned count = fragment->registers * 4U / size;
    print(to,
          "\n.visible .entry k%zu(.param .u64 in, .param .u64 out)\n{\n"
          "    .reg .b32 tid;\n"
          "    .reg .b64 source, target, offset;\n"
          "    .reg .%s r<%u>;\n"
          "    ld.param.u64 source, [in];\n"
          "    ld.param.u64 target, [out];\n"
          "    mov.u32 tid, %%tid.x;\n"
          "    mul.wide.u32 offset, tid, %u;\n"
          "    add.u64 %s, offset;\n",
          index, type, count, fragment->registers * 4U,
          store ? "source, source" : "target, target");
    for (unsigned r = 0; r < count && store; r++)
        print(to, "    ld.global.%s r%u, [source+%u];\n", type, r, r * size);
    print(to, "    wmma.%s.%s.sync.aligned.%s.m%un%uk%u.global.%s %s", store ? "store" : "load",
          mapping_operand_name(fragment->operand), by_row ? "row" : "col", fragment->shape.m,
          fragment->shape.n, fragment->shape.k, mapping_type_name(fragment->type),
          store ? "[target], " : "");
    for (unsigned r = 0; r < count; r++)
        print(to, "%sr%u", r ? ", " : "{", r);
    print(to, "}%s, %u;\n", store ? "" : ", [source]", by_row ? fragment->cols : fragment->rows);
    for (unsigned r = 0; r < count && !store; r++)
        print(to, "    st.global.%s [target+%u], r%u;\n", type, r * size, r);
    print_text(to, "    ret;\n}\n");
}

/* Returns a PTX module with the kernels. */
static char *ptx_module(const struct ptx_kernel *kernels, size_t count) {
    struct printer to = {.text = NULL};
    /* Version 6.3 is the first with .aligned for wmma. ptxas refuses versions and targets newer
     * than itself, so both are the oldest that the fragments permit. */
    unsigned target = 70, version = 63;
    for (size_t k = 0; k < count; k++) {
        if (kernels[k].fragment.since > target)
            target = kernels[k].fragment.since;
        if (kernels[k].fragment.ptx > version)
            version = kernels[k].fragment.ptx;
    }
    print(&to, ".version %u.%u\n.target sm_%u\n.address_size 64\n", version / 10, version % 10,
          target);
    for (size_t k = 0; k < count; k++)
        print_kernel(&to, &kernels[k], k);
    return printer_string(&to);
}

/* ---- Running ptxas and nvdisasm; `timeout` is seconds for one run ---- */

/* Writes a text to a file. */
static enum mapping_status write_file(const char *path, const char *text,
                                      struct mapping_error *error) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int cause = fd < 0 ? errno : write_all(fd, text, strlen(text));
    if (fd >= 0 && close(fd) != 0 && cause == 0)
        cause = errno;
    if (cause == ENOMEM)
        memory_exhausted();
    if (cause != 0)
        return mapping_fail(error, MAPPING_FAILED, "could not write %s: %s", path, strerror(cause));
    return MAPPING_OK;
}

static bool failed(const struct tool_output *output) {
    return output->exit_status != 0 || output->ended_by != 0;
}

/* The tool's error message: the first line with an error, otherwise the first non-blank line. ptxas
 * also prints advice. */
static const char *complaint_of(const struct tool_output *output) {
    const char *text = output->err_size > 0 ? output->err : output->out;
    const char *place = strstr(text, " error   :");
    while (place && place > text && place[-1] != '\n')
        place--;
    return place ? place : text + strspn(text, " \t\r\n");
}

/* Fails with the tool's error message. */
static enum mapping_status fail_tool(const char *tool, const struct tool_output *output,
                                     enum mapping_status status, struct mapping_error *error) {
    const char *complaint = complaint_of(output);
    int length = (int)strcspn(complaint, "\r\n");
    if (length > 300)
        length = 300;
    if (output->ended_by)
        return mapping_fail(error, status, "%s was killed by signal %d", tool, output->ended_by);
    return mapping_fail(error, status, "%s failed with exit status %d%s%.*s", tool,
                        output->exit_status, length ? ": " : " and no message", length, complaint);
}

/* Assembles the file `ptx` for an architecture. MAPPING_UNAVAILABLE if this ptxas does not know the
 * architecture or the version of the PTX. */
static enum mapping_status assemble(const char *ptxas, unsigned arch, const char *ptx,
                                    const char *cubin, double timeout,
                                    struct mapping_error *error) {
    char option[32];
    snprintf(option, sizeof option, "-arch=sm_%u", arch);
    const char *const argv[] = {ptxas, option, ptx, "-o", cubin, NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    if (status != MAPPING_OK || !failed(&output))
        return status;
    if (strstr(output.err, "is not defined for option 'gpu-name'"))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s does not support sm_%u", ptxas, arch);
    if (strstr(output.err, "Unsupported .version"))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "%s is too old for the PTX of sm_%u", ptxas,
                            arch);
    return fail_tool(ptxas, &output, MAPPING_FAILED, error);
}

/* True if the text has no control characters other than white space. */
static bool is_text(const char *text, size_t size) {
    for (size_t n = 0; n < size; n++)
        if (iscntrl((unsigned char)text[n]) && !isspace((unsigned char)text[n]))
            return false;
    return true;
}

/* Disassembles the cubin. On success *text is the listing. MAPPING_UNAVAILABLE if this nvdisasm
 * does not know the architecture. */
static enum mapping_status disassemble(const char *nvdisasm, const char *cubin, double timeout,
                                       char **text, struct mapping_error *error) {
    const char *const argv[] = {nvdisasm, cubin, NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    *text = output.out;
    if (status == MAPPING_OK && failed(&output)) {
        bool unknown = strstr(output.err, "does not contain Cuda architecture information") ||
                       strstr(output.err, "Cannot decode architecture") ||
                       strstr(output.err, "is deprecated");
        return fail_tool(nvdisasm, &output, unknown ? MAPPING_UNAVAILABLE : MAPPING_FAILED, error);
    }
    return status != MAPPING_OK || is_text(output.out, output.out_size)
               ? status
               : mapping_fail(error, MAPPING_FAILED, "%s printed no text", nvdisasm);
}

/* Longest version of a tool, including its '\0'. */
#define TOOL_VERSION_SIZE 32

/* Reads the version of a tool, e.g. "11.8.89". */
static enum mapping_status read_version(const char *tool, double timeout,
                                        char version[TOOL_VERSION_SIZE],
                                        struct mapping_error *error) {
    const char *const argv[] = {tool, "--version", NULL};
    struct tool_output output;
    enum mapping_status status = tool_run(argv, timeout, &output, error);
    if (status != MAPPING_OK)
        return status;
    const char *place = strstr(output.out, ", V");
    if (failed(&output))
        return fail_tool(tool, &output, MAPPING_FAILED, error);
    return place && sscanf(place, ", V%31[0-9.]", version) == 1
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_FAILED, "%s --version printed no version", tool);
}

/* The work for one run of ptxas and nvdisasm, with any toolkit. */
struct job {
    unsigned arch;
    double timeout;
    struct observation *const *observations; /* the observations that get the layouts */
    size_t count;
    const struct ptx_kernel *kernels;
    size_t kernel_count;
    char ptx[PATH_MAX], cubin[PATH_MAX]; /* files in the temporary folder */
    struct listing listing;              /* the code of the kernels */
    struct limit limit;                  /* the time limit for executing the code */
};

/* ---- Executing a kernel ---- */

/* Addresses whose lower halves overflow within a buffer, so that a lost carry is noticed. */
#define INPUT_ADDRESS UINT64_C(0x7f12ffffff00)
#define OUTPUT_ADDRESS UINT64_C(0x7f34ffffff00)

/* Reads element `index` of a packed array of elements of `bits` bits, the lowest first. */
static uint64_t read_element(const uint8_t *bytes, size_t index, unsigned bits) {
    if (bits < 8)
        return (unsigned)bytes[index * bits / 8] >> (index * bits % 8) & ((1U << bits) - 1);
    uint64_t value = 0;
    memcpy(&value, bytes + index * bits / 8, bits / 8); /* little-endian, like the GPU */
    return value;
}

static void write_element(uint8_t *bytes, size_t index, unsigned bits, uint64_t value) {
    if (bits < 8)
        bytes[index * bits / 8] |= (uint8_t)(value << (index * bits % 8));
    else
        memcpy(bytes + index * bits / 8, &value, bits / 8);
}

/* A run of a kernel: its input and output, as elements of `bits` bits. */
struct kernel_run {
    const struct kernel *kernel;
    struct buffer input, output;
    uint8_t *written;
    uint32_t sources, targets; /* number of elements of the input and of the output */
    unsigned bits;
    const struct limit *limit;
};

/* Runs the kernel once. Each element of the input is the digit of its index from bit `shift` on.
 * Adds the digit in each element of the output to the origin of this element. */
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
            digit = run->sources; /* not the index of an element, whatever the other digits are */
        origins[t] |= (uint32_t)digit << shift;
    }
    return MAPPING_OK;
}

/* Finds for each element of the output the index of the input element that was copied there. */
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

/* ---- The layout that follows from the moves of a program ---- */

/* Makes the layout of a fragment of one block. For a load, origins[tid * elements + i] is the
 * position in memory, in elements, from which (tid, i) was loaded. For D, which is stored,
 * origins[position] is the index tid * elements + i that was stored there. MAPPING_INVALID if the
 * moves do not define a layout. */
static enum mapping_status make_layout(const struct ptx_kernel *made_from, const uint32_t *origins,
                                       size_t origin_count, struct mapping_layout *layout,
                                       struct mapping_error *error) {
    const struct mapping_fragment *fragment = &made_from->fragment;
    struct mapping_space holders, elements;
    mapping_fragment_spaces(fragment, &holders, &elements);
    enum mapping_status status = mapping_layout_init(layout, &holders, &elements, error);
    if (status != MAPPING_OK)
        return status;
    size_t entries = (size_t)fragment->threads * fragment->elements;
    for (size_t entry = 0; entry < entries; entry++)
        layout->coordinate[0][entry] = UINT32_MAX; /* mapping_layout_check refuses it */
    for (uint32_t n = 0; n < origin_count; n++) {
        bool is_store = fragment->operand == MAPPING_D;
        uint32_t entry = is_store ? origins[n] : n, place = is_store ? n : origins[n];
        if (layout->coordinate[0][entry] != UINT32_MAX)
            return mapping_fail(error, MAPPING_INVALID,
                                "thread %u, element %u occurs too often; its last occurrence is "
                                "in place %u",
                                entry / fragment->elements, entry % fragment->elements, place);
        bool by_row = made_from->order == MAPPING_ROW_MAJOR;
        layout->coordinate[0][entry] = by_row ? place / fragment->cols : place % fragment->rows;
        layout->coordinate[1][entry] = by_row ? place % fragment->cols : place / fragment->rows;
    }
    return mapping_layout_check(layout, error);
}

/* Makes the layout from the kernel of one fragment and one order in memory. */
static enum mapping_status observe_kernel(const struct kernel *kernel,
                                          const struct ptx_kernel *made_from,
                                          const struct limit *limit, struct mapping_layout *layout,
                                          struct mapping_error *error) {
    const struct mapping_fragment *fragment = &made_from->fragment;
    uint32_t entries = fragment->threads * fragment->elements;
    uint32_t cells = fragment->rows * fragment->cols;
    bool is_store = fragment->operand == MAPPING_D;
    struct kernel_run run = {.kernel = kernel,
                             .sources = is_store ? entries : cells,
                             .targets = is_store ? cells : entries,
                             .bits = mapping_type_bits(fragment->type),
                             .limit = limit};
    run.input = (struct buffer){INPUT_ADDRESS, (size_t)run.sources * run.bits / 8, NULL};
    run.output = (struct buffer){OUTPUT_ADDRESS, (size_t)run.targets * run.bits / 8, NULL};
    uint8_t *memory = memory_get(1, run.input.size + 2 * run.output.size);
    uint32_t *origins = memory_get(run.targets, sizeof *origins);
    run.input.bytes = memory;
    run.output.bytes = memory + run.input.size;
    run.written = run.output.bytes + run.output.size;
    enum mapping_status status = trace(&run, origins, error);
    if (status == MAPPING_OK)
        status = make_layout(made_from, origins, run.targets, layout, error);
    mapping_free(memory);
    mapping_free(origins);
    return status;
}

/* Makes the layout of kernels[index] from its code in the listing. */
static enum mapping_status observe_listed(const struct job *job, size_t index,
                                          struct mapping_layout *layout,
                                          struct mapping_error *error) {
    char name[24], fragment_name[MAPPING_NAME_SIZE];
    struct mapping_error cause;
    struct kernel kernel;
    const struct ptx_kernel *made_from = &job->kernels[index];
    snprintf(name, sizeof name, "k%zu", index);
    mapping_fragment_name(&made_from->fragment, fragment_name);
    if (listing_kernel(&job->listing, name, &kernel, error) != MAPPING_OK)
        return MAPPING_FAILED;
    if (kernel.count == 0)
        return mapping_fail(error, MAPPING_FAILED, "nvdisasm printed no code for %s (kernel %s)",
                            fragment_name, name);
    if (observe_kernel(&kernel, made_from, &job->limit, layout, &cause) != MAPPING_OK)
        return mapping_fail(error, MAPPING_FAILED, "%s: %-s", fragment_name, cause.message);
    return MAPPING_OK;
}

/* Makes the layouts of all fragments from the listing of their kernels. C and D must have the same
 * layout in both memory orders. */
static enum mapping_status observe_listing(const struct job *job, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    size_t next = 0;
    for (size_t n = 0; n < job->count && status == MAPPING_OK; n++) {
        const struct mapping_fragment *fragment = &job->observations[n]->fragment;
        struct mapping_layout *layout = &job->observations[n]->layout, other = {.from.count = 0};
        char name[MAPPING_NAME_SIZE];
        status = observe_listed(job, next++, layout, error);
        if (status != MAPPING_OK || fragment->order != MAPPING_NO_ORDER)
            continue;
        status = observe_listed(job, next++, &other, error);
        if (status == MAPPING_OK && !layout_equal(layout, &other)) {
            mapping_fragment_name(fragment, name);
            status =
                mapping_fail(error, MAPPING_FAILED,
                             "%s: row-major and column-major memory give different layouts", name);
        }
        mapping_layout_free(&other);
    }
    return status;
}

/* ---- From fragments to a listing ---- */

/* Lists the kernels that observe the fragments: one for A and B, which have one memory order, two
 * for C and D. `kernels` has room for two for each fragment. Returns their number. */
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

/* Compiles the kernels with one toolkit, and makes the layouts. */
static enum mapping_status observe_with_toolkit(const struct toolkit *toolkit, struct job *job,
                                                struct mapping_error *error) {
    const char *ptxas = toolkit->ptxas, *nvdisasm = toolkit->nvdisasm;
    char *text = NULL, version[2][TOOL_VERSION_SIZE], with[160];
    struct mapping_error cause;
    enum mapping_status status =
        assemble(ptxas, job->arch, job->ptx, job->cubin, job->timeout, error);
    if (status == MAPPING_OK)
        status = disassemble(nvdisasm, job->cubin, job->timeout, &text, error);
    if (status == MAPPING_OK)
        status = read_version(ptxas, job->timeout, version[0], error);
    if (status == MAPPING_OK)
        status = read_version(nvdisasm, job->timeout, version[1], error);
    if (status != MAPPING_OK)
        return status;
    job->limit = limit_begin(job->timeout);
    status = listing_parse(text, &job->limit, &job->listing, &cause);
    if (status == MAPPING_OK)
        status = observe_listing(job, &cause);
    listing_free(&job->listing);
    snprintf(with, sizeof with, "ptxas %s, nvdisasm %s", version[0], version[1]);
    if (status != MAPPING_OK)
        return mapping_fail(error, status, "code of %s for sm_%u: %-s", with, job->arch,
                            cause.message);
    for (size_t n = 0; n < job->count; n++)
        provenance_add(&job->observations[n]->provenance, "sass", with);
    return MAPPING_OK;
}

/* Tries the toolkits one after another until one supports the architecture. */
static enum mapping_status try_toolkits(const struct toolkits *toolkits, struct job *job,
                                        struct mapping_error *error) {
    enum mapping_status status = MAPPING_UNAVAILABLE;
    char tried[512] = "", more[32] = "";
    size_t left_out = 0; /* toolkits whose reasons do not fit into `tried` */
    for (size_t t = 0; t < toolkits->count; t++) {
        status = observe_with_toolkit(&toolkits->toolkit[t], job, error);
        if (status != MAPPING_UNAVAILABLE)
            return status;
        if (left_out > 0 || strlen(tried) + strlen(error->message) + 3 > sizeof tried)
            left_out++;
        else
            mapping_append(tried, sizeof tried, "%s%s", *tried ? "; " : "", error->message);
    }
    if (left_out > 0)
        snprintf(more, sizeof more, "; and %zu more", left_out);
    if (toolkits->count > 1)
        mapping_fail(error, status, "none of the %zu CUDA Toolkits works: %s%s", toolkits->count,
                     tried, more);
    return status;
}

enum mapping_status sass_observe(unsigned arch, struct observation *const *observations,
                                 size_t count, const struct machinery *machinery,
                                 struct mapping_error *error) {
    struct toolkits toolkits;
    enum mapping_status status = find_toolkits(machinery, &toolkits, error);
    if (status != MAPPING_OK)
        return status;
    struct ptx_kernel *kernels = memory_get(2 * count, sizeof *kernels);
    struct job job = {.arch = arch,
                      .timeout = machinery->timeout,
                      .observations = observations,
                      .count = count,
                      .kernels = kernels,
                      .kernel_count = list_kernels(observations, count, kernels)};
    struct temporary_folder folder;
    status = temporary_folder_make(&folder, machinery->catches_signals, error);
    if (status != MAPPING_OK)
        return status;
    snprintf(job.ptx, sizeof job.ptx, "%s/mapping.ptx", folder.path);
    snprintf(job.cubin, sizeof job.cubin, "%s/mapping.cubin", folder.path);
    status = write_file(job.ptx, ptx_module(kernels, job.kernel_count), error);
    if (status == MAPPING_OK)
        status = try_toolkits(&toolkits, &job, error);
    return temporary_folder_remove(&folder, status, error);
}
