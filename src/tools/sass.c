/* sass.c - `make sass`: assembles every opcode of the catalogue in a kernel of its own, and prints
 * results/sass.txt: which instructions the kernel has more than the same kernel without the opcode.
 * The file is embedded when the program is built; source/assembled.h describes it.
 *
 *     sass [DIR ...]            folders with a ptxas and its nvdisasm; none: all that are found
 *     sass --check [DIR ...]    compares with what is recorded, with the same ptxas
 *     sass --arch=NN ...        of one architecture alone
 *
 * Each architecture is measured with the newest ptxas that knows it. Top down: the table, the PTX,
 * measuring, all of it. */
#include "catalogue/catalogue.h"
#include "report/braces.h"
#include "source/assembled.h"
#include "source/sass/listing.h"
#include "source/sass/ptx.h"
#include "source/sass/tools.h"
#include "system/system.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds for one run of a tool. */
#define TIMEOUT 300

/* ---- The table: what all opcodes become on all architectures ---- */

/* What an opcode becomes on one architecture; see assembled.h. */
struct outcome {
    char *sass; /* NULL where nothing is known */
    unsigned instructions;
};

struct outcomes {
    struct mapping_opcode *opcodes; /* in the order of the file */
    size_t count;
    struct outcome *outcome;                          /* see outcomes_at */
    struct tool_versions versions[MAPPING_ARCHS_MAX]; /* for mapping_arch_at(n); "" where unknown */
};

static void add_to_table(struct outcomes *outcomes, size_t *room,
                         const struct mapping_opcode *opcode) {
    outcomes->opcodes = array_grow(outcomes->opcodes, outcomes->count, 1, room, sizeof *opcode);
    outcomes->opcodes[outcomes->count++] = *opcode;
}

/* Makes of mma.sp the same with ordered metadata, which is of PTX 8.5. False if it is another
 * opcode, or has that already. */
static bool order_metadata(const struct mapping_opcode *opcode, struct mapping_opcode *ordered) {
    static const char plain[] = "mma.sp.";
    if (strncmp(opcode->text, plain, sizeof plain - 1) != 0)
        return false;
    *ordered = *opcode;
    int length = snprintf(ordered->text, sizeof ordered->text, "mma.sp::ordered_metadata.%s",
                          opcode->text + sizeof plain - 1);
    if (ordered->ptx < 85)
        ordered->ptx = 85;
    return length < (int)sizeof ordered->text;
}

static void outcomes_init(struct outcomes *outcomes) {
    struct mapping_opcode opcode, ordered;
    size_t room = 0;
    *outcomes = (struct outcomes){.count = 0};
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        add_to_table(outcomes, &room, &opcode);
        if (order_metadata(&opcode, &ordered))
            add_to_table(outcomes, &room, &ordered);
    }
    outcomes->outcome = memory_get(outcomes->count * MAPPING_ARCHS_MAX, sizeof *outcomes->outcome);
}

static struct outcome *outcomes_at(const struct outcomes *outcomes, size_t opcode, size_t arch) {
    return &outcomes->outcome[opcode * MAPPING_ARCHS_MAX + arch];
}

/* True if the architecture, 75 for sm_75, has the opcode, and nvdisasm prints it: where the code of
 * ldmatrix of s8.s4 is, nvdisasm 13.5 prints nothing at all. */
static bool outcomes_has(const struct mapping_opcode *opcode, unsigned arch) {
    return mapping_opcode_on(opcode, arch) && !strstr(opcode->text, ".s8.s4");
}

static size_t outcomes_on(const struct outcomes *outcomes, unsigned arch) {
    size_t count = 0;
    for (size_t n = 0; n < outcomes->count; n++)
        count += outcomes_has(&outcomes->opcodes[n], arch);
    return count;
}

static const char title[] = "# What every opcode becomes when ptxas assembles it: `make sass`\n";
static const char explanation[] =
    "# opcode on architectures: instructions of tensor cores and those that move matrices, in "
    "order; how many instructions in all\n"
    "# {8..256..8} is 8, 16, 24 ... 256: the same number in both places\n";

static void print_archs(struct printer *to, uint32_t archs) {
    const char *separator = "";
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        if (!(archs >> n & 1))
            continue;
        print(to, "%ssm_%u", separator, mapping_arch_at(n)->number);
        separator = ", ";
    }
}

static bool same_versions(const struct tool_versions *a, const struct tool_versions *b) {
    return strcmp(a->ptxas, b->ptxas) == 0 && strcmp(a->nvdisasm, b->nvdisasm) == 0;
}

/* Prints a line for each toolkit, with all architectures that are measured with it. */
static void print_sources(const struct outcomes *outcomes, struct printer *to) {
    uint32_t printed = 0;
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        const struct tool_versions *versions = &outcomes->versions[n];
        uint32_t archs = 0;
        if (!*versions->ptxas || printed >> n & 1)
            continue;
        for (uint32_t other = n; mapping_arch_at(other); other++)
            if (same_versions(versions, &outcomes->versions[other]))
                archs |= UINT32_C(1) << other;
        print(to, "# source: ptxas %s, nvdisasm %s: ", versions->ptxas, versions->nvdisasm);
        print_archs(to, archs);
        print_char(to, '\n');
        printed |= archs;
    }
}

static void outcome_print(const struct outcome *outcome, struct printer *to) {
    print(to, "%s; %u instruction%s", outcome->sass, outcome->instructions,
          outcome->instructions == 1 ? "" : "s");
}

static bool same_outcome(const struct outcome *a, const struct outcome *b) {
    return a->sass && b->sass && a->instructions == b->instructions &&
           strcmp(a->sass, b->sass) == 0;
}

/* Adds a line for each outcome of an opcode, with all architectures that have it. */
static void add_lines(const struct outcomes *outcomes, size_t opcode, struct strings *lines) {
    uint32_t printed = 0;
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        const struct outcome *outcome = outcomes_at(outcomes, opcode, n);
        uint32_t archs = 0;
        if (!outcome->sass || printed >> n & 1)
            continue;
        for (uint32_t other = n; mapping_arch_at(other); other++)
            if (same_outcome(outcome, outcomes_at(outcomes, opcode, other)))
                archs |= UINT32_C(1) << other;
        struct printer line = {.text = NULL};
        print(&line, "%s on ", outcomes->opcodes[opcode].text);
        print_archs(&line, archs);
        print_text(&line, ": ");
        outcome_print(outcome, &line);
        strings_add(lines, printer_string(&line));
        printed |= archs;
    }
}

/* Takes N of a wgmma, m64nNk16, out of its line, also where SASS has it, 64xNx16: *shape gets "N",
 * and `*` stands for it. False if the line is of another opcode. */
static bool take_width(const char *line, char shape[8], struct printer *without) {
    static const char before[] = ".m64n";
    const char *found = strstr(line, before), *number = found ? found + sizeof before - 1 : "";
    const size_t digits = strspn(number, "0123456789");
    char inside[16];
    if (digits == 0 || digits > 3)
        return false;
    snprintf(shape, 8, "%.*s", (int)digits, number);
    snprintf(inside, sizeof inside, "64x%sx", shape);
    print(without, "%.*s*", (int)(number - line), line);
    line = number + digits;
    for (const char *next; (next = strstr(line, inside)); line = next + strlen(inside) - 1)
        print(without, "%.*s64x*", (int)(next - line), line);
    print_text(without, line);
    printer_string(without);
    return true;
}

/* Prints lines, of those that differ in N one with all N in braces, in both places. */
static void print_lines(const struct strings *lines, struct printer *to) {
    bool *done = memory_get(lines->count, sizeof *done);
    for (size_t n = 0; n < lines->count; n++) {
        struct strings widths = {NULL, 0, 0};
        struct printer line = {.text = NULL}, list = {.text = NULL};
        char width[8];
        if (done[n])
            continue;
        if (!take_width(lines->text[n], width, &line)) {
            print(to, "%s\n", lines->text[n]);
            continue;
        }
        strings_add(&widths, width);
        for (size_t m = n + 1; m < lines->count; m++) {
            struct printer other = {.text = NULL};
            if (!done[m] && take_width(lines->text[m], width, &other) &&
                strcmp(other.text, line.text) == 0) {
                strings_add(&widths, width);
                done[m] = true;
            }
            printer_free(&other);
        }
        braces_print(&widths, &list);
        printer_string(&list);
        for (const char *text = line.text; *text; text++)
            print(to, *text == '*' ? "%s" : "%.1s", *text == '*' ? list.text : text);
        print_char(to, '\n');
    }
}

static void outcomes_print(const struct outcomes *outcomes, struct printer *to) {
    struct strings lines = {NULL, 0, 0};
    print_text(to, title);
    print_text(to, explanation);
    print_sources(outcomes, to);
    for (size_t n = 0; n < outcomes->count; n++)
        add_lines(outcomes, n, &lines);
    print_lines(&lines, to);
}

/* ---- PTX: a kernel that executes one opcode, and the same without it ---- */

/* Version 6.4 is the first with mma.m8n8k4, and no ptxas of today is older. */
enum { OLDEST_PTX = 64, FIRST_WITH_A = 90, TARGET_SIZE = 16 };

/* The target that has all that an architecture has: "sm_89", and from sm_90 on "sm_90a". */
static void print_target(unsigned arch, char target[TARGET_SIZE]) {
    snprintf(target, TARGET_SIZE, "sm_%u%s", arch, arch >= FIRST_WITH_A ? "a" : "");
}

/* Prints the directives in front of the kernels, with the oldest PTX version that has the target,
 * or `ptx` if that is newer, 85 for 8.5. */
static void print_start(struct printer *to, const struct mapping_arch *arch, unsigned ptx) {
    char target[TARGET_SIZE];
    unsigned version = ptx > OLDEST_PTX ? ptx : OLDEST_PTX;
    if (arch->ptx > version)
        version = arch->ptx;
    print_target(arch->number, target);
    print(to, ".version %u.%u\n.target %s\n.address_size 64\n", version / 10, version % 10, target);
}

/* The registers of one operand: a0, a1 and so on of `type`, of `size` bytes each. */
struct ptx_registers {
    char name;
    const char *type;
    unsigned count, size;
};

/* Those of all operands: A, B, C, D, metadata, two scale factors, and an address. */
enum { NAME_ADDRESS = 'p', REGISTERS_MAX = 9 };

struct ptx_operands {
    const struct mapping_opcode *opcode;
    struct ptx_registers registers[REGISTERS_MAX];
    size_t count;
};

/* The registers of an operand. f32 is the type that ptxas wants of C and D. */
static struct ptx_registers registers_of(const struct mapping_fragment *fragment) {
    static const char names[MAPPING_OPERANDS] = {
        [MAPPING_A] = 'a', [MAPPING_B] = 'b',   [MAPPING_C] = 'c',   [MAPPING_D] = 'd',
        [MAPPING_E] = 'e', [MAPPING_SFA] = 'x', [MAPPING_SFB] = 'y',
    };
    bool is_double = fragment->type == MAPPING_F64;
    return (struct ptx_registers){
        .name = names[fragment->operand],
        .type = is_double                       ? "b64"
                : fragment->type == MAPPING_F32 ? "f32"
                                                : "b32",
        .count = fragment->registers / (is_double ? 2 : 1),
        .size = is_double ? 8 : 4,
    };
}

/* The operands of a load or store: an address, and registers that are loaded or stored. */
static void add_moved(struct ptx_operands *operands, const struct mapping_fragment *moved) {
    operands->registers[operands->count++] = (struct ptx_registers){NAME_ADDRESS, "b32", 1, 4};
    const bool is_load = mapping_instruction_loads(moved->instruction);
    operands->registers[operands->count++] =
        (struct ptx_registers){is_load ? 'd' : 'a', "b32", moved->registers, 4};
}

static struct ptx_operands operands_of(const struct mapping_opcode *opcode) {
    struct ptx_operands operands = {.opcode = opcode};
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    size_t count = mapping_opcode_fragments(opcode, fragments);
    for (size_t f = 0; f < count; f++) {
        if (fragments[f].operand == MAPPING_R)
            add_moved(&operands, &fragments[f]);
        else if (fragments[f].operand != MAPPING_P)
            operands.registers[operands.count++] = registers_of(&fragments[f]);
    }
    return operands;
}

static const struct ptx_registers *find_registers(const struct ptx_operands *operands, char name) {
    for (size_t r = 0; r < operands->count; r++)
        if (operands->registers[r].name == name)
            return &operands->registers[r];
    return NULL;
}

static bool is_wgmma(const struct ptx_operands *operands) {
    return mapping_instruction_probe(operands->opcode->instruction) == PROBE_WGMMA;
}

/* Prints {a0, a1}. */
static void print_registers(struct printer *to, const struct ptx_operands *operands, char name) {
    const struct ptx_registers *registers = find_registers(operands, name);
    for (unsigned n = 0; registers && n < registers->count; n++)
        print(to, "%s%c%u", n ? ", " : "{", name, n);
    print_char(to, '}');
}

/* Prints ldmatrix or stmatrix up to the operands, with the state space in front of the type. */
static void print_shared(struct printer *to, const char *opcode) {
    const char *type = strrchr(opcode, '.');
    print(to, "    %.*s.shared%s ", (int)(type - opcode), opcode, type);
}

/* The descriptor of B, that D is added to; in floating point the signs of A and B; in 16 bits that
 * B is not transposed. */
static void print_wgmma(struct printer *to, const struct ptx_operands *operands) {
    const struct mapping_opcode *opcode = operands->opcode;
    print_registers(to, operands, 'd');
    print_text(to, ", ");
    print_registers(to, operands, 'a');
    print(to, ", descriptor%s, 1%s%s", find_registers(operands, 'e') ? ", e0, 0" : "",
          opcode->d == MAPPING_S32 ? "" : ", 1, 1",
          mapping_type_bits(opcode->a) == 16 ? ", 0" : "");
}

/* D, A, B, C; metadata with selector 0; scale factors of byte and thread 0. */
static void print_mma(struct printer *to, const struct ptx_operands *operands) {
    for (const char *name = "dabc"; *name; name++) {
        print_text(to, *name == 'd' ? "" : ", ");
        print_registers(to, operands, *name);
    }
    print_text(to, find_registers(operands, 'e') ? ", e0, 0" : "");
    print_text(to, find_registers(operands, 'x') ? ", x0, {0, 0}, y0, {0, 0}" : "");
}

static bool is_of_tensor_memory(const struct ptx_operands *operands) {
    return mapping_instruction_probe(operands->opcode->instruction) == PROBE_TCGEN05 &&
           !mapping_instruction_multiplies(operands->opcode->instruction);
}

/* The address, and of 16x32bx2 how far behind it the other half lies. */
static void print_columns(struct printer *to, const struct mapping_opcode *opcode) {
    print_text(to, "[p0]");
    if (opcode->shape.m == 16 && opcode->shape.n == 32)
        print(to, ", %u", opcode->shape.k * (opcode->form ? 2U : 1U));
}

static void print_instruction(struct printer *to, const struct ptx_operands *operands) {
    const struct mapping_opcode *opcode = operands->opcode;
    switch (mapping_instruction_probe(opcode->instruction)) {
    case PROBE_LDMATRIX:
        print_shared(to, opcode->text);
        print_registers(to, operands, 'd');
        print_text(to, ", [p0]");
        break;
    case PROBE_STMATRIX:
        print_shared(to, opcode->text);
        print_text(to, "[p0], ");
        print_registers(to, operands, 'a');
        break;
    case PROBE_MOVMATRIX:
        print(to, "    %s d0, a0", opcode->text);
        break;
    case PROBE_WGMMA:
        print(to, "    %s ", opcode->text);
        print_wgmma(to, operands);
        break;
    case PROBE_WMMA:
    case PROBE_MMA:
        print(to, "    %s ", opcode->text);
        print_mma(to, operands);
        break;
    case PROBE_TCGEN05: /* a load or store; see print_tcgen05 for multiplications */
        print(to, "    %s ", opcode->text);
        if (mapping_instruction_loads(opcode->instruction)) {
            print_registers(to, operands, 'd');
            print_text(to, ", ");
            print_columns(to, opcode);
        } else {
            print_columns(to, opcode);
            print_text(to, ", ");
            print_registers(to, operands, 'a');
        }
        break;
    case PROBE_NONE: /* nothing is known of its operands */
    case PROBES:
        break;
    }
    print_text(to, ";\n");
}

static void print_executed(struct printer *to, const struct ptx_operands *operands, bool is_bare) {
    if (is_wgmma(operands))
        print_text(to, "    wgmma.fence.sync.aligned;\n");
    if (!is_bare)
        print_instruction(to, operands);
    if (is_wgmma(operands) && !is_bare)
        print_text(to, "    wgmma.commit_group.sync.aligned;\n");
    if (is_wgmma(operands))
        print_text(to, "    wgmma.wait_group.sync.aligned 0;\n");
    if (is_of_tensor_memory(operands))
        print(to, "    tcgen05.wait::%s.sync.aligned;\n",
              find_registers(operands, 'd') ? "ld" : "st");
}

/* True if the registers are loaded: those of D only where it is what is added to. */
static bool is_loaded(const struct ptx_operands *operands, const struct ptx_registers *registers) {
    return registers->name != 'd' || is_wgmma(operands);
}

static void print_loads(struct printer *to, const struct ptx_operands *operands) {
    unsigned offset = 0; /* bytes */
    for (const struct ptx_registers *one = operands->registers;
         one < operands->registers + operands->count; one++)
        for (unsigned n = 0; is_loaded(operands, one) && n < one->count; n++, offset += one->size)
            print(to, "    ld.volatile.global.%s %c%u, [source+%u];\n", one->type, one->name, n,
                  offset);
}

/* The registers that are stored in place of D, again and again if they are too few: those of C, or
 * others of the same size. */
static const struct ptx_registers *substitute(const struct ptx_operands *operands,
                                              const struct ptx_registers *d) {
    for (const char *name = is_wgmma(operands) ? "d" : "cabp"; *name; name++) {
        const struct ptx_registers *found = find_registers(operands, *name);
        if (found && found->size == d->size)
            return found;
    }
    return d;
}

static void print_stores(struct printer *to, const struct ptx_operands *operands, bool is_bare) {
    const struct ptx_registers *d = find_registers(operands, 'd');
    const struct ptx_registers *stored = d && is_bare ? substitute(operands, d) : d;
    for (unsigned n = 0; d && n < d->count; n++)
        print(to, "    st.volatile.global.%s [target+%u], %c%u;\n", stored->type, n * d->size,
              stored->name, n % stored->count);
}

/* Of tcgen05.mma one thread issues the instruction. All operands are parameters, which are loaded
 * into registers that the warp shares: addresses of D, A, metadata and scale factors in Tensor
 * Memory, the instruction descriptor, and the descriptor of B, which is that of A where A is not
 * shifted. D is added to. */
static void print_tcgen05(struct printer *to, const struct mapping_opcode *opcode, bool is_bare) {
    bool is_shifted = strstr(opcode->text, ".ashift"),
         is_sparse = mapping_instruction_is_sparse(opcode->instruction),
         is_scaled = strstr(opcode->text, ".block_scale");
    print_text(to, "(.param .u64 out, .param .u64 b, .param .align 8 .b8 p[24])\n{\n"
                   "    .reg .b64 target, descriptor;\n    .reg .b32 p<6>;\n    .reg .pred one;\n"
                   "    ld.param.u64 target, [out];\n    ld.param.u64 descriptor, [b];\n");
    for (unsigned n = 0; n < 6; n++)
        print(to, "    ld.param.u32 p%u, [p+%u];\n", n, 4 * n);
    print_text(to, "    elect.sync _|one, 0xffffffff;\n    @!one bra end;\n");
    if (!is_bare)
        print(to, "    %s [p0], %s, descriptor%s, p3%s, 1;\n", opcode->text,
              is_shifted ? "[p1]" : "descriptor", is_sparse ? ", [p2]" : "",
              is_scaled ? ", [p4], [p5]" : "");
    print_text(to, "    st.volatile.global.b32 [target], p3;\nend:\n    ret;\n}\n");
}

static bool is_tcgen05_mma(const struct mapping_opcode *opcode) {
    return mapping_instruction_probe(opcode->instruction) == PROBE_TCGEN05 &&
           mapping_instruction_multiplies(opcode->instruction);
}

/* Prints what follows the name of a kernel that loads all operands of the opcode, executes it, and
 * stores the result. Loads and stores are volatile, one for each register, so that ptxas keeps all
 * of them.
 *
 * With `is_bare` the opcode itself is left out, and stored are as many of the operands. What the
 * kernel has more than this one, the opcode has become.
 *
 * Of ldmatrix and stmatrix the address is one of shared memory; a generic one takes up to two
 * instructions more. Of wgmma, A is in registers; what has to surround it, from wgmma.fence to
 * wgmma.wait_group, is in both kernels, but for wgmma.commit_group, which turns into an instruction
 * of its own where there is nothing to commit. The descriptor of B is a parameter. */
static void print_body(struct printer *to, const struct mapping_opcode *opcode, bool is_bare) {
    if (is_tcgen05_mma(opcode)) {
        print_tcgen05(to, opcode, is_bare);
        return;
    }
    const struct ptx_operands operands = operands_of(opcode);
    bool has_descriptor = is_wgmma(&operands);
    print(to, "(.param .u64 in, .param .u64 out%s)\n{\n    .reg .b64 source, target, descriptor;\n",
          has_descriptor ? ", .param .u64 b" : "");
    for (const struct ptx_registers *one = operands.registers;
         one < operands.registers + operands.count; one++)
        print(to, "    .reg .%s %c<%u>;\n", one->type, one->name, one->count);
    print_text(to, "    ld.param.u64 source, [in];\n    ld.param.u64 target, [out];\n");
    if (has_descriptor)
        print_text(to, "    ld.param.u64 descriptor, [b];\n");
    print_loads(to, &operands);
    print_executed(to, &operands, is_bare);
    print_stores(to, &operands, is_bare);
    print_text(to, "    ret;\n}\n");
}

/* ---- Measuring ---- */

/* With which tools. */
struct measurement {
    const struct toolkits *toolkits;
    const struct tool_versions *versions; /* of each toolkit */
    /* For mapping_arch_at(n), bit t: toolkits->toolkit[t] may be used. Of those that may, the first
     * is that knows the architecture. */
    uint32_t allowed[MAPPING_ARCHS_MAX];
    double timeout; /* seconds for one run of a tool */
};

/* Opcodes that are assembled together, for one architecture. Kernel n executes opcodes[n]; the
 * kernels behind these execute none, and are shared by opcodes of the same operands. Which opcodes
 * are together does not depend on anything: some emulations differ by one or two instructions with
 * what else is in the module. */
struct module {
    size_t arch;     /* mapping_arch_at(arch) */
    size_t *opcodes; /* indices */
    size_t *bare;    /* for each opcode its kernel without it */
    size_t count, opcode_room, bare_room;
    const struct tool_versions *versions; /* of the toolkit that it is measured with */
    enum mapping_status status;
    struct mapping_error error;
};

struct modules {
    struct module *module;
    size_t count, room;
};

/* wgmma, and what loads and stores Tensor Memory, have so many opcodes that they are apart from
 * all others, in several modules of so many. */
enum { APART_MODULE = 64 };

static struct module *add_module(struct modules *modules, size_t arch) {
    modules->module =
        array_grow(modules->module, modules->count, 1, &modules->room, sizeof *modules->module);
    modules->module[modules->count] = (struct module){.arch = arch};
    return &modules->module[modules->count++];
}

static void add_opcode(struct module *module, size_t opcode) {
    module->opcodes =
        array_grow(module->opcodes, module->count, 1, &module->opcode_room, sizeof opcode);
    module->bare =
        array_grow(module->bare, module->count, 1, &module->bare_room, sizeof *module->bare);
    module->opcodes[module->count++] = opcode;
}

static bool is_apart(const struct mapping_opcode *opcode) {
    return mapping_instruction_reads_shared(opcode->instruction) ||
           mapping_instruction_probe(opcode->instruction) == PROBE_TCGEN05;
}

/* Adds the modules of an architecture: of what is apart, or of all others. */
static void add_modules(struct modules *modules, const struct outcomes *outcomes, size_t arch,
                        bool those_apart) {
    struct module *module = NULL;
    for (size_t n = 0; n < outcomes->count; n++) {
        const struct mapping_opcode *opcode = &outcomes->opcodes[n];
        if (is_apart(opcode) != those_apart || !outcomes_has(opcode, mapping_arch_at(arch)->number))
            continue;
        if (!module || (those_apart && module->count == APART_MODULE))
            module = add_module(modules, arch);
        add_opcode(module, n);
    }
}

static void print_kernel(struct printer *to, size_t number, const char *body) {
    char name[KERNEL_NAME_SIZE];
    ptx_kernel_name(number, name);
    print(to, ".visible .entry %s", name);
    print_text(to, body);
}

/* The place of the kernel without opcode that has this body among `bodies`; adds it if it is new.
 */
static size_t find_bare(struct strings *bodies, const char *body) {
    for (size_t place = 0; place < bodies->count; place++)
        if (strcmp(bodies->text[place], body) == 0)
            return place;
    strings_add(bodies, body);
    return bodies->count - 1;
}

/* Prints the kernels of the opcodes, and collects the bodies of those without. */
static void print_kernels(struct module *module, const struct outcomes *outcomes,
                          struct printer *to, struct strings *bodies) {
    for (size_t n = 0; n < module->count; n++) {
        const struct mapping_opcode *opcode = &outcomes->opcodes[module->opcodes[n]];
        struct printer body = {.text = NULL}, bare = {.text = NULL};
        print_body(&body, opcode, false);
        print_body(&bare, opcode, true);
        print_kernel(to, n, printer_string(&body));
        module->bare[n] = module->count + find_bare(bodies, printer_string(&bare));
    }
}

/* Makes the PTX of a module. */
static char *print_module(struct module *module, const struct outcomes *outcomes) {
    struct printer to = {.text = NULL};
    struct strings bodies = {.count = 0};
    unsigned ptx = 0;
    for (size_t n = 0; n < module->count; n++)
        if (outcomes->opcodes[module->opcodes[n]].ptx > ptx)
            ptx = outcomes->opcodes[module->opcodes[n]].ptx;
    print_start(&to, mapping_arch_at(module->arch), ptx);
    print_kernels(module, outcomes, &to, &bodies);
    for (size_t b = 0; b < bodies.count; b++)
        print_kernel(&to, module->count + b, bodies.text[b]);
    return printer_string(&to);
}

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
    printer_string(&sass);
    if (more <= bare || more - bare < tensor_cores || sass.size >= ASSEMBLED_SASS_SIZE)
        return mapping_fail(error, MAPPING_FAILED,
                            "%s makes %zu instructions of %zu, %zu of tensor cores", opcode, more,
                            bare, tensor_cores);
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

/* What is measured with what, and how far that has come. */
struct progress {
    const struct measurement *measurement;
    struct outcomes *outcomes;
    struct temporary_folder folder;
    struct modules modules;
};

/* Assembles and disassembles a module. On success *text is the listing. */
static enum mapping_status list_module(const struct progress *progress, size_t number,
                                       const struct toolkit *toolkit, char **text,
                                       struct mapping_error *error) {
    struct module *module = &progress->modules.module[number];
    char ptx[PATH_MAX], cubin[PATH_MAX], target[TARGET_SIZE];
    double timeout = progress->measurement->timeout;
    snprintf(ptx, sizeof ptx, "%s/%zu.ptx", progress->folder.path, number);
    snprintf(cubin, sizeof cubin, "%s/%zu.cubin", progress->folder.path, number);
    print_target(mapping_arch_at(module->arch)->number, target);
    char *code = print_module(module, progress->outcomes);
    enum mapping_status status = tools_write(ptx, code, error);
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
    for (size_t arch = 0; mapping_arch_at(arch); arch++)
        if (progress->measurement->allowed[arch] &&
            (!those_apart || *outcomes->versions[arch].ptxas))
            add_modules(&progress->modules, outcomes, arch, those_apart);
    parallel_for_long(progress->modules.count, measure_nth, progress);
    for (size_t m = 0; m < progress->modules.count && status == MAPPING_OK; m++) {
        const struct module *module = &progress->modules.module[m];
        if (module->status == MAPPING_OK)
            outcomes->versions[module->arch] = *module->versions;
        else if (those_apart || module->status != MAPPING_UNAVAILABLE)
            status = mapping_fail(error, MAPPING_FAILED, "%-s", module->error.message);
    }
    progress->modules = (struct modules){.count = 0};
    return status;
}

/* Measures all opcodes on all architectures that have an allowed toolkit. An architecture that none
 * of these knows stays unknown. MAPPING_FAILED with the first thing that went wrong. It takes about
 * 25 seconds on 2 cores. */
static enum mapping_status measure(const struct measurement *measurement, struct outcomes *outcomes,
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

/* ---- All of it ---- */

/* True if version a is newer than b: "13.5.37" than "12.8.61". */
static bool is_newer(const char *a, const char *b) {
    while (*a && *b) {
        char *a_end, *b_end;
        unsigned long left = strtoul(a, &a_end, 10), right = strtoul(b, &b_end, 10);
        if (left != right)
            return left > right;
        a = a_end + (*a_end == '.');
        b = b_end + (*b_end == '.');
        if (a_end == a || b_end == b)
            break;
    }
    return false;
}

/* Sorts toolkits with their versions, the newest first. */
static void sort(struct toolkits *toolkits, struct tool_versions *versions) {
    for (size_t n = 1; n < toolkits->count; n++) {
        for (size_t p = n; p > 0 && is_newer(versions[p].ptxas, versions[p - 1].ptxas); p--) {
            struct toolkit toolkit = toolkits->toolkit[p];
            struct tool_versions version = versions[p];
            toolkits->toolkit[p] = toolkits->toolkit[p - 1];
            versions[p] = versions[p - 1];
            toolkits->toolkit[p - 1] = toolkit;
            versions[p - 1] = version;
        }
    }
}

static enum mapping_status find_toolkits(const struct machinery *machinery,
                                         struct toolkits *toolkits, struct tool_versions *versions,
                                         struct mapping_error *error) {
    enum mapping_status status = toolkits_find(machinery, toolkits, error);
    for (size_t t = 0; t < toolkits->count && status == MAPPING_OK; t++)
        status = tools_versions(&toolkits->toolkit[t], TIMEOUT, &versions[t], error);
    if (status == MAPPING_OK)
        sort(toolkits, versions);
    return status;
}

/* True if the file says that an architecture was measured with this ptxas: "# source:
 * ptxas 13.5.37, nvdisasm 13.5.37: sm_75, sm_80". */
static bool is_recorded_with(size_t arch, const struct tool_versions *versions) {
    char start[64], name[16];
    snprintf(start, sizeof start, "\n# source: ptxas %s, ", versions->ptxas);
    snprintf(name, sizeof name, "sm_%u", mapping_arch_at(arch)->number);
    const char *line = strstr(recorded_assembled, start),
               *end = line ? strchr(line + 1, '\n') : NULL;
    for (const char *at = line; at && (at = strstr(at, name)) && at < end; at++)
        if (strchr(",\n", at[strlen(name)]))
            return true;
    return false;
}

/* Measures with these toolkits, or those of them with the ptxas that is recorded of an
 * architecture.
 */
static enum mapping_status measure_with_toolkits(const struct machinery *machinery, bool is_check,
                                                 const struct mapping_arch *only,
                                                 struct outcomes *outcomes,
                                                 struct mapping_error *error) {
    static struct toolkits toolkits;
    static struct tool_versions versions[TOOLKITS_MAX];
    struct measurement measurement = {
        .toolkits = &toolkits, .versions = versions, .timeout = TIMEOUT};
    enum mapping_status status = find_toolkits(machinery, &toolkits, versions, error);
    for (size_t arch = 0; mapping_arch_at(arch); arch++)
        for (size_t t = 0; t < toolkits.count; t++)
            if ((!only || only == mapping_arch_at(arch)) &&
                (!is_check || is_recorded_with(arch, &versions[t])))
                measurement.allowed[arch] |= UINT32_C(1) << t;
    outcomes_init(outcomes);
    return status == MAPPING_OK ? measure(&measurement, outcomes, error) : status;
}

/* Compares what was measured with what is recorded, and prints how that went. MAPPING_DIFFERS if an
 * opcode differs, MAPPING_UNAVAILABLE if nothing was measured. */
static enum mapping_status check(const struct outcomes *outcomes, const struct mapping_arch *only,
                                 struct printer *to, struct mapping_error *error) {
    size_t different = 0, checked = 0;
    for (size_t arch = 0; mapping_arch_at(arch); arch++) {
        const unsigned number = mapping_arch_at(arch)->number;
        const struct tool_versions *versions = &outcomes->versions[arch];
        size_t same = 0;
        if (only && only != mapping_arch_at(arch))
            continue;
        if (!*versions->ptxas) {
            print(to, "skip  %zu opcodes on sm_%u: the ptxas that is recorded is not here\n",
                  outcomes_on(outcomes, number), number);
            continue;
        }
        for (size_t n = 0; n < outcomes->count; n++) {
            const struct outcome *outcome = outcomes_at(outcomes, n, arch);
            const char *opcode = outcomes->opcodes[n].text;
            struct assembled row;
            if (!outcome->sass)
                continue;
            checked++;
            const bool is_there = assembled_find(opcode, number, &row);
            if (is_there && strcmp(row.sass, outcome->sass) == 0 &&
                row.instructions == outcome->instructions) {
                same++;
                continue;
            }
            different++;
            print(to, "FAIL  %s on sm_%u: ptxas %s gives ", opcode, number, versions->ptxas);
            outcome_print(outcome, to);
            print(to, is_there ? "; recorded is %s; %u\n" : "; nothing is recorded\n", row.sass,
                  row.instructions);
        }
        print(to, "ok    %zu opcodes on sm_%u: sass (ptxas %s, nvdisasm %s)\n", same, number,
              versions->ptxas, versions->nvdisasm);
    }
    if (checked == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "nothing could be checked");
    return different > 0 ? mapping_fail(error, MAPPING_DIFFERS, "%zu outcomes differ", different)
                         : MAPPING_OK;
}

/* Prints the file, if all architectures were measured. */
static enum mapping_status print_file(const struct outcomes *outcomes,
                                      const struct mapping_arch *only, struct printer *to,
                                      struct mapping_error *error) {
    for (size_t arch = 0; mapping_arch_at(arch); arch++)
        if (!*outcomes->versions[arch].ptxas && (!only || only == mapping_arch_at(arch)))
            return mapping_fail(error, MAPPING_UNAVAILABLE,
                                "no ptxas here knows all opcodes of sm_%u; name one more folder",
                                mapping_arch_at(arch)->number);
    outcomes_print(outcomes, to);
    return MAPPING_OK;
}

int main(int argc, char **argv) {
    const struct mapping_arch *only = NULL;
    bool is_check = false;
    struct machinery machinery = {.timeout = TIMEOUT};
    struct outcomes outcomes = {.count = 0};
    struct printer text = {.text = NULL};
    struct mapping_error error;
    for (int a = 1; a < argc && machinery.cuda_folder_count < CUDA_FOLDERS_MAX; a++)
        if (strcmp(argv[a], "--check") == 0)
            is_check = true;
        else if (strncmp(argv[a], "--arch=", 7) == 0)
            only = mapping_arch_find(argv[a] + 7);
        else
            machinery.cuda_folders[machinery.cuda_folder_count++] = argv[a];
    enum mapping_status status =
        measure_with_toolkits(&machinery, is_check, only, &outcomes, &error);
    if (status == MAPPING_OK)
        status = is_check ? check(&outcomes, only, &text, &error)
                          : print_file(&outcomes, only, &text, &error);
    if ((status == MAPPING_OK || status == MAPPING_DIFFERS) && printer_write(&text, 1) != 0)
        status = mapping_fail(&error, MAPPING_FAILED, "standard output could not be written");
    if (status != MAPPING_OK)
        fprintf(stderr, "sass: %s\n", error.message);
    return (int)status;
}
