/* measure.c - measuring what opcodes become; see measure.h. */
#include "source/sass/measure.h"

#include "source/assembled.h"
#include "source/sass/listing.h"
#include "source/sass/opcode_ptx.h"
#include "source/sass/ptx.h"
#include "system/folder.h"
#include "system/interrupt.h"
#include "system/memory.h"
#include "system/parallel.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Modules ---- */

/* Opcodes that are assembled together, for one architecture. Kernel n executes opcodes[n]; the
 * kernels behind these execute none, and are shared by opcodes of the same operands. Which opcodes
 * are together does not depend on anything: some emulations differ by one or two instructions with
 * what else is in the module. */
struct module {
    size_t arch;     /* mapping_arch_at(arch) */
    size_t *opcodes; /* owned; indices */
    size_t *bare;    /* owned; for each opcode its kernel without it */
    size_t count, opcode_room, bare_room;
    const struct tool_versions *versions; /* of the toolkit that it is measured with */
    enum mapping_status status;
    struct mapping_error error;
};

struct modules {
    struct module *module; /* owned */
    size_t count, room;
};

/* wgmma, and what loads and stores Tensor Memory, have so many opcodes that they are apart from
 * all others, in several modules of so many. */
enum { APART_MODULE = 64 };

static struct module *add_module(struct modules *modules, size_t arch) {
    struct module *grown =
        array_grow(modules->module, modules->count, 1, &modules->room, sizeof *grown);
    if (!grown)
        return NULL;
    modules->module = grown;
    grown[modules->count] = (struct module){.arch = arch};
    return &grown[modules->count++];
}

static bool add_opcode(struct module *module, size_t opcode) {
    size_t *opcodes =
        array_grow(module->opcodes, module->count, 1, &module->opcode_room, sizeof *opcodes);
    if (opcodes)
        module->opcodes = opcodes;
    size_t *bare = array_grow(module->bare, module->count, 1, &module->bare_room, sizeof *bare);
    if (bare)
        module->bare = bare;
    if (!opcodes || !bare)
        return false;
    module->opcodes[module->count++] = opcode;
    return true;
}

static bool is_apart(const struct mapping_opcode *opcode) {
    return mapping_instruction_reads_shared(opcode->instruction) ||
           opcode->instruction == MAPPING_TCGEN05_LD || opcode->instruction == MAPPING_TCGEN05_ST;
}

/* Adds the modules of an architecture: of what is apart, or of all others. False if out of memory.
 */
static bool add_modules(struct modules *modules, const struct outcomes *outcomes, size_t arch,
                        bool those_apart) {
    struct module *module = NULL;
    for (size_t n = 0; n < outcomes->count; n++) {
        const struct mapping_opcode *opcode = &outcomes->opcodes[n];
        if (is_apart(opcode) != those_apart || !outcomes_has(opcode, mapping_arch_at(arch)->number))
            continue;
        if ((!module || (those_apart && module->count == APART_MODULE)) &&
            !(module = add_module(modules, arch)))
            return false;
        if (!add_opcode(module, n))
            return false;
    }
    return true;
}

static void modules_free(struct modules *modules) {
    for (size_t m = 0; m < modules->count; m++) {
        free(modules->module[m].opcodes);
        free(modules->module[m].bare);
    }
    free(modules->module);
}

/* ---- PTX ---- */

static void print_kernel(struct printer *to, size_t number, const char *body) {
    char name[KERNEL_NAME_SIZE];
    ptx_kernel_name(number, name);
    print(to, ".visible .entry %s", name);
    print_text(to, body);
}

/* Finds the kernel without opcode that has this body among `bodies`, or adds it. False if out of
 * memory. */
static bool find_bare(struct strings *bodies, const char *body, size_t *place) {
    for (*place = 0; *place < bodies->count; ++*place)
        if (strcmp(bodies->text[*place], body) == 0)
            return true;
    return strings_add(bodies, body);
}

/* Prints the kernels of the opcodes, and collects the bodies of those without. */
static bool print_opcodes(struct module *module, const struct outcomes *outcomes,
                          struct printer *to, struct strings *bodies) {
    bool done = true;
    for (size_t n = 0; n < module->count && done; n++) {
        const struct mapping_opcode *opcode = &outcomes->opcodes[module->opcodes[n]];
        struct printer body = {.text = NULL}, bare = {.text = NULL};
        opcode_ptx_body(&body, opcode, false);
        opcode_ptx_body(&bare, opcode, true);
        done = printer_string(&body) && printer_string(&bare) &&
               find_bare(bodies, bare.text, &module->bare[n]);
        if (done)
            print_kernel(to, n, body.text);
        module->bare[n] += module->count;
        printer_free(&body);
        printer_free(&bare);
    }
    return done;
}

/* Makes the PTX of a module. NULL if out of memory; free it. */
static char *print_module(struct module *module, const struct outcomes *outcomes) {
    struct printer to = {.text = NULL};
    struct strings bodies = {.count = 0};
    unsigned ptx = 0;
    for (size_t n = 0; n < module->count; n++)
        if (outcomes->opcodes[module->opcodes[n]].ptx > ptx)
            ptx = outcomes->opcodes[module->opcodes[n]].ptx;
    opcode_ptx_start(&to, mapping_arch_at(module->arch)->number, ptx);
    bool done = print_opcodes(module, outcomes, &to, &bodies);
    for (size_t b = 0; b < bodies.count && done; b++)
        print_kernel(&to, module->count + b, bodies.text[b]);
    strings_free(&bodies);
    if (!done || !printer_string(&to))
        printer_free(&to);
    return to.text;
}

/* ---- Counting ---- */

/* True under @!PT: ptxas puts such instructions where hardware wants a distance. */
static bool is_never_executed(const struct instruction *instruction) {
    const struct operand *guard = &instruction->guard;
    return guard->inverted && guard->index == TRUE_PREDICATE;
}

/* True of loads of constants, of which there are more where registers are scarce. */
static bool loads_constant(const char *opcode) {
    static const char *const names[] = {"LDC", "LDCU", "ULDC"};
    size_t length = strcspn(opcode, ".");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (length == strlen(names[n]) && memcmp(opcode, names[n], length) == 0)
            return true;
    return false;
}

static size_t count_instructions(const struct kernel *kernel) {
    size_t count = 0;
    for (const struct instruction *one = kernel->code; one < kernel->code + kernel->count; one++)
        count += !is_never_executed(one) && !loads_constant(one->opcode) &&
                 strcmp(one->opcode, "NOP") != 0;
    return count;
}

/* Prints the runs of tensor-core instructions: "2 HMMA.16816.F32". Returns how many they are. */
static size_t print_tensor_cores(const struct kernel *kernel, struct printer *to) {
    const char *last = NULL;
    size_t run = 0, count = 0;
    for (size_t n = 0; n <= kernel->count; n++) {
        const char *opcode = n < kernel->count ? kernel->code[n].opcode : NULL;
        if (opcode && (!assembled_is_tensor_core(opcode) || is_never_executed(&kernel->code[n])))
            continue;
        if (last && (!opcode || strcmp(last, opcode) != 0)) {
            print(to, "%s%zu %s", count > run ? ", " : "", run, last);
            run = 0;
        }
        last = opcode;
        count += opcode != NULL;
        run++;
    }
    if (count == 0)
        print_text(to, "none");
    return count;
}

/* Measures one opcode by the two kernels. */
static enum mapping_status compare(const struct kernel *with, const struct kernel *without,
                                   const char *opcode, struct outcome *outcome,
                                   struct mapping_error *error) {
    struct printer sass = {.text = NULL};
    size_t more = count_instructions(with), bare = count_instructions(without);
    size_t tensor_cores = print_tensor_cores(with, &sass);
    if (!printer_string(&sass)) {
        printer_free(&sass);
        return mapping_out_of_memory(error);
    }
    if (more <= bare || more - bare < tensor_cores || sass.size >= ASSEMBLED_SASS_SIZE) {
        printer_free(&sass);
        return mapping_fail(error, MAPPING_FAILED,
                            "%s makes %zu instructions of %zu, %zu of tensor cores", opcode, more,
                            bare, tensor_cores);
    }
    *outcome = (struct outcome){.sass = sass.text, .instructions = (unsigned)(more - bare)};
    return MAPPING_OK;
}

static const struct kernel *find_kernel(const struct listing *listing, size_t number) {
    char name[KERNEL_NAME_SIZE];
    ptx_kernel_name(number, name);
    return listing_kernel(listing, name);
}

/* Fails if there is code in none of the kernels: subroutines belong to the one that calls them. */
static enum mapping_status check_kernels(const struct listing *listing,
                                         struct mapping_error *error) {
    for (size_t k = 0; k < listing->count; k++) {
        const char *name = listing->kernels[k].name;
        if (listing->kernels[k].count > 0 &&
            (*name != 'k' || strspn(name + 1, "0123456789") != strlen(name + 1)))
            return mapping_fail(error, MAPPING_FAILED, "there is code of %.80s, which is no kernel",
                                name);
    }
    return MAPPING_OK;
}

/* Measures all opcodes of a module by the listing of its kernels. */
static enum mapping_status compare_all(const struct module *module, const struct listing *listing,
                                       const struct limit *limit, struct outcomes *outcomes,
                                       struct mapping_error *error) {
    enum mapping_status status = check_kernels(listing, error);
    for (size_t n = 0; n < module->count && status == MAPPING_OK; n++) {
        const char *opcode = outcomes->opcodes[module->opcodes[n]].text;
        const struct kernel *with = find_kernel(listing, n),
                            *without = find_kernel(listing, module->bare[n]);
        if (!with || !without)
            return mapping_fail(error, MAPPING_FAILED, "nvdisasm printed no code for %s", opcode);
        status = compare(with, without, opcode,
                         outcomes_at(outcomes, module->opcodes[n], module->arch), error);
        if (status == MAPPING_OK)
            status = limit_check(limit, error);
    }
    return status;
}

/* ---- Running the tools ---- */

/* What is measured with what, and how far that has come. */
struct progress {
    const struct measurement *measurement;
    struct outcomes *outcomes;
    struct temporary_folder folder;
    struct modules modules;
};

/* Assembles and disassembles a module. On success *text is the listing; free it. */
static enum mapping_status list_module(const struct progress *progress, size_t number,
                                       const struct toolkit *toolkit, char **text,
                                       struct mapping_error *error) {
    struct module *module = &progress->modules.module[number];
    char ptx[PATH_MAX], cubin[PATH_MAX], target[TARGET_SIZE];
    double timeout = progress->measurement->timeout;
    snprintf(ptx, sizeof ptx, "%s/%zu.ptx", progress->folder.path, number);
    snprintf(cubin, sizeof cubin, "%s/%zu.cubin", progress->folder.path, number);
    opcode_ptx_target(mapping_arch_at(module->arch)->number, target);
    char *code = print_module(module, progress->outcomes);
    if (!code)
        return mapping_out_of_memory(error);
    enum mapping_status status = tools_write(ptx, code, error);
    free(code);
    if (status == MAPPING_OK)
        status = tools_assemble(toolkit, target, ptx, cubin, timeout, error);
    if (status == MAPPING_OK)
        status = tools_disassemble(toolkit, cubin, timeout, text, error);
    remove(ptx);
    remove(cubin);
    return status;
}

/* Measures a module with a toolkit. MAPPING_UNAVAILABLE if that does not know the architecture. */
static enum mapping_status measure_with(const struct progress *progress, size_t number,
                                        size_t toolkit, struct mapping_error *error) {
    struct module *module = &progress->modules.module[number];
    const struct tool_versions *versions = &progress->measurement->versions[toolkit];
    char *text = NULL;
    struct listing listing;
    struct mapping_error cause;
    enum mapping_status status = list_module(
        progress, number, &progress->measurement->toolkits->toolkit[toolkit], &text, error);
    if (status != MAPPING_OK)
        return status;
    struct limit limit = limit_begin(progress->measurement->timeout);
    status = listing_parse(text, &limit, &listing, &cause);
    if (status == MAPPING_OK)
        status = compare_all(module, &listing, &limit, progress->outcomes, &cause);
    listing_free(&listing);
    if (status != MAPPING_OK)
        return mapping_fail(error, status, "code of ptxas %s, nvdisasm %s for sm_%u: %-s",
                            versions->ptxas, versions->nvdisasm,
                            mapping_arch_at(module->arch)->number, cause.message);
    module->versions = versions;
    return MAPPING_OK;
}

/* Measures a module with the first toolkit that may be used and knows the architecture. */
static void measure_nth(void *context, size_t number) {
    struct progress *progress = context;
    struct module *module = &progress->modules.module[number];
    uint32_t allowed = progress->measurement->allowed[module->arch];
    module->status = MAPPING_UNAVAILABLE;
    for (size_t t = 0; allowed >> t != 0 && module->status == MAPPING_UNAVAILABLE; t++) {
        if (interrupted())
            module->status = mapping_fail(&module->error, MAPPING_FAILED, "interrupted");
        else if (allowed >> t & 1)
            module->status = measure_with(progress, number, t, &module->error);
    }
    interrupted(); /* takes what only this thread gets, as SIGXFSZ for what it has written */
}

/* Measures all that are apart, with what the others have been measured with, or these. */
static enum mapping_status measure_all(struct progress *progress, bool those_apart,
                                       struct mapping_error *error) {
    struct outcomes *outcomes = progress->outcomes;
    enum mapping_status status = MAPPING_OK;
    bool done = true;
    for (size_t arch = 0; done && mapping_arch_at(arch); arch++)
        if (progress->measurement->allowed[arch] &&
            (!those_apart || *outcomes->versions[arch].ptxas))
            done = add_modules(&progress->modules, outcomes, arch, those_apart);
    if (done)
        parallel_for_long(progress->modules.count, measure_nth, progress);
    else
        status = mapping_out_of_memory(error);
    for (size_t m = 0; m < progress->modules.count && status == MAPPING_OK; m++) {
        const struct module *module = &progress->modules.module[m];
        if (module->status == MAPPING_OK)
            outcomes->versions[module->arch] = *module->versions;
        else if (those_apart || module->status != MAPPING_UNAVAILABLE)
            status = mapping_fail(error, MAPPING_FAILED, "%-s", module->error.message);
    }
    modules_free(&progress->modules);
    progress->modules = (struct modules){.count = 0};
    return status;
}

enum mapping_status measure(const struct measurement *measurement, struct outcomes *outcomes,
                            struct mapping_error *error) {
    struct progress progress = {.measurement = measurement, .outcomes = outcomes};
    /* Once for all threads: a tool whose end nobody may know of would not end. */
    struct sigaction inherited, defaults = {.sa_handler = SIG_DFL};
    interrupt_begin();
    sigaction(SIGCHLD, &defaults, &inherited);
    enum mapping_status status = temporary_folder_make(&progress.folder, error);
    if (status == MAPPING_OK) {
        status = measure_all(&progress, false, error);
        if (status == MAPPING_OK)
            status = measure_all(&progress, true, error);
        status = temporary_folder_remove(&progress.folder, status, error);
    }
    sigaction(SIGCHLD, &inherited, NULL);
    interrupt_end();
    return status;
}
