/* unknown.c - explains why a name selects no fragment, and suggests other names; see unknown.h.
 *
 * The table `reasons` has a row for each reason: the kinds of names, a test, and the sentence. To
 * add a hint, add a row. If the hint is for names that begin with a certain text, a row of
 * `outside` is enough. Then add the command line to tests/cases/first_tries.cases. */
#include "command/unknown.h"

#include "layout/ascii.h"
#include "layout/nearest.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "listing/listing.h"
#include "source/codegen_records.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The arguments of fragment<...> in mma.h. */
enum { USE, M, N, K, TYPE, ARGUMENTS, ARGUMENT_SIZE = 42 };

/* A name, and the results of the tests. */
struct unknown {
    struct name *name;
    const char *text; /* the name without operands */
    unsigned arch;    /* the requested architecture, or 0 */
    const char *atom; /* describes a CuTe atom without fragments; NULL for other names */
    bool is_partial;  /* `partial` contains the words of the name, or of "mma." and the name */
    struct mapping_partial partial;
    char arguments[ARGUMENTS][ARGUMENT_SIZE]; /* arguments of fragment<...> */
    size_t argument_count;
    const struct mapping_opcode *unshaped; /* see find_unshaped() */
    enum mapping_status status;
    char value[5][MAPPING_SENTENCE]; /* values of {0} to {4} in the sentence */
};

/* Formats value {n} of the sentence. Always returns true, so a test can return its result. */
#ifdef __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static bool
set_value(struct unknown *unknown, size_t n, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(unknown->value[n], MAPPING_SENTENCE, format, arguments);
    va_end(arguments);
    return true;
}

/* ---- SASS ---- */

static bool is_ptx_in_capitals(struct unknown *unknown) {
    struct mapping_opcode found;
    set_value(unknown, 0, "%s", unknown->text);
    for (char *c = unknown->value[0]; *c; c++)
        *c = ascii_lower(*c);
    return mapping_opcode_find(unknown->text, &found);
}

static bool is_widening(struct unknown *unknown) {
    return strcmp(unknown->text, SASS_WIDENING) == 0;
}

/* True if a line of SASS has the wrong number of operands; {0} is the right one. Does not check
 * sparse and scaled products, which have more operands. */
static bool has_other_operands(struct unknown *unknown) {
    static const struct {
        const char *names;
        unsigned operands;
        const char *which;
    } forms[] = {{"LDSM LDTM", 2, "a register and an address"},
                 {"STSM STTM", 2, "an address and a register"},
                 {"MOVM", 2, "two registers"},
                 {"HMMA IMMA DMMA QMMA", 4, "D, A, B and C"}};
    const char *opcode = unknown->text;
    const size_t operands = unknown->name->operand_count, length = strcspn(opcode, ".");
    const bool is_other = strstr(opcode, ".SP") || strstr(opcode, ".SF");
    for (size_t f = 0; operands > 0 && !is_other && f < sizeof forms / sizeof *forms; f++)
        if (mapping_word_is_in(forms[f].names, opcode, length) && operands != forms[f].operands)
            return set_value(unknown, 0, "%u operands (%s), not %zu", forms[f].operands,
                             forms[f].which, operands);
    return false;
}

/* Offers all recorded opcodes of SASS as suggestions, or only those that begin with the words of
 * the opcode: HMMA.884.F32.F32.STEP0 for HMMA.884. */
static void offer_sass(const char *opcode, bool only_longer, struct nearest *nearest) {
    struct codegen row;
    const size_t length = strlen(opcode);
    char name[SASS_NAME_SIZE] = "";
    for (size_t position = 0; codegen_next(NULL, &position, &row);) {
        const char *sass = row.sass;
        struct codegen_run run;
        while (codegen_next_run(&sass, &run)) {
            if (strncmp(name, run.name, (size_t)run.length) == 0 && !name[run.length])
                continue; /* same opcode as before */
            snprintf(name, sizeof name, "%.*s", run.length, run.name);
            if (!only_longer || (strncmp(name, opcode, length) == 0 && name[length] == '.'))
                nearest_offer(nearest, name);
        }
    }
}

/* True if the name begins like a tensor-core opcode of SASS; {0} suggests the nearest recorded
 * opcodes. */
static bool is_near_sass(struct unknown *unknown) {
    struct nearest nearest = nearest_to(unknown->text);
    if (!codegen_is_tensor_core(unknown->text))
        return false;
    offer_sass(unknown->text, true, &nearest);
    if (nearest.count == 0)
        offer_sass(unknown->text, false, &nearest);
    nearest_print(&nearest, unknown->value[0], MAPPING_SENTENCE);
    return true;
}

static bool is_sass_in_lower_case(struct unknown *unknown) {
    set_value(unknown, 0, "%s", unknown->name->text);
    for (char *c = unknown->value[0]; *c; c++)
        *c = ascii_upper(*c);
    const char *sass = listing_cut_sass(unknown->value[0]);
    if (!sass || !codegen_is_tensor_core(sass))
        return false;
    const struct name *name = name_read(sass);
    return name->kind == NAME_SASS && set_value(unknown, 0, "%s", name->name);
}

/* ---- Lines of PTX ---- */

/* True if the operands contradict the opcode; {0} is the message about the first contradiction. */
static bool has_wrong_operands(struct unknown *unknown) {
    const struct name *name = unknown->name;
    const struct mapping_name *read = &name->read;
    struct mapping_error error;
    enum mapping_status status =
        name_check_split(name->operands, name->operand_count, read->found, &error);
    for (size_t f = 0; f < read->count && status == MAPPING_OK && name->operand_count > 0; f++) {
        struct strings ignored = {.count = 0};
        status = name_registers(name, false, &read->found[f], &ignored, &error);
    }
    return status != MAPPING_OK && set_value(unknown, 0, "%s", error.message);
}

/* ---- Instructions without a fragment ---- */

static const char element_of_thread[] =
    "is not a fragment; --thread=TID,I shows element I of a thread: mma.m16n8k16.d.f32 "
    "--thread=17,3";
static const char tiled_atom[] = "is not a fragment; name the atom and its tile, for example "
                                 "SM80_16x8x16_F32F16F16F32_TN --atom-layout='(2,2,1)' "
                                 "--permutation=32,32,_";
static const char dsl_operation[] =
    "is not a fragment; an MMA of the CuTe DSL needs its types and shape, for example "
    "warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))";
static const char no_order[] =
    "lacks .row or .col; an example is wmma.load.a.sync.aligned.row.m16n16k16.f16";
static const char amd[] = "is an instruction of AMD GPUs; this program is about NVIDIA GPUs";
static const char of_tma[] =
    "is not a fragment; Layout_K_SW128_Atom is a matrix with the 128-byte swizzle of TMA "
    "(SW64, SW32 and INTER likewise), 'Sw<3,4,3> o 0 o (64,128):(128,1)' the same for bytes";

/* Instructions without fragments. `start` is the beginning of the opcode. */
static const struct {
    const char *start, *does;
} managing[] = {
    {"UTCBAR", "signals a barrier when earlier tcgen05 instructions are done (tcgen05.commit)"},
    {"UTCATOMSWS", "allocates or frees columns of Tensor Memory (tcgen05.alloc, tcgen05.dealloc)"},
    {"tcgen05.alloc", "allocates columns of Tensor Memory"},
    {"tcgen05.dealloc", "frees columns of Tensor Memory"},
    {"tcgen05.relinquish_alloc_permit", "gives up the right to allocate Tensor Memory"},
    {"tcgen05.commit", "signals a barrier when earlier tcgen05 instructions are done"},
    {"tcgen05.wait", "waits for earlier loads or stores of Tensor Memory"},
    {"tcgen05.fence", "orders tcgen05 instructions around a synchronization of threads"},
    {"wgmma.fence", "orders accesses to registers before wgmma"},
    {"wgmma.commit_group", "closes a group of earlier wgmma"},
    {"wgmma.wait_group", "waits for groups of wgmma"},
};

/* Names that users try, but that are not in the catalogue. `start` is the beginning of the name. */
static const struct {
    const char *start, *what;
} outside[] = {
    {"tcgen05.ld.red",
     "is not in the catalogue; use tcgen05.ld of the same shape: its registers have "
     "the same layout; .red writes one more register, with the minimum or maximum"},
    {"tcgen05.cp.",
     "is not a valid copy: .64x128b needs .warpx2::02_13 or .warpx2::01_23, "
     ".32x128b needs .warpx4, the valid formats are .b8x16.b6x16_p32 and .b8x16.b4x16_p64, and "
     "every copy needs one of .cta_group::1 and .cta_group::2"},
    {"tcgen05.shift.", "is not a valid shift; valid: tcgen05.shift.cta_group::1.down and "
                       "tcgen05.shift.cta_group::2.down"},
    {"wmma.load.a.sync.aligned.m", no_order},
    {"wmma.load.b.sync.aligned.m", no_order},
    {"UTCCP", "is not a valid opcode of tcgen05.cp; valid: UTCCP.T.S[.2CTA][SHAPE][FORMAT], where "
              "SHAPE is .128dp128bit, .4dp256bit, .4x32dp128bit, .2x64dp128bit_lw02_lw13 or "
              ".2x64dp128bit_lw01_lw23, and FORMAT is .U6x16P32 or .U4x16P64"},
    {"UTCSHIFT", "is not a valid opcode of tcgen05.shift; valid: UTCSHIFT.DOWN and "
                 "UTCSHIFT.2CTA.DOWN"},
    {"UTC", "has no fragment; it manages Tensor Memory"},
    {"UTMA", "has no fragment; it copies to or from shared memory with TMA"},
    {"cp.async",
     "has no fragment; it copies to shared memory: '(64,64):(64,1)' --store=cp.async shows it"},
    {"lane", element_of_thread},
    {"thread", element_of_thread},
    {"tid", element_of_thread},
    {"row", "is not a fragment; --at=ROW,COL shows the thread that holds an element: "
            "mma.m16n8k16.d.f32 --at=3,5"},
    {"Mma", dsl_operation},
    {"warp.Mma", dsl_operation},
    {"warpgroup.Mma", dsl_operation},
    {"tcgen05.Mma", dsl_operation},
    {"cute.nvgpu.", dsl_operation},
    {"TiledM", tiled_atom},
    {"composition(", "is not a fragment; a swizzled matrix in memory is 'Sw<3,3,3> o 0 o "
                     "(64,64):(64,1)'"},
    {"#ttg.", "is a layout of Triton, but --list, --diff and --confirm take fragments"},
    {"v_mfma_", amd},
    {"v_wmma_", amd},
    {"V_MFMA_", amd},
    {"mfma", amd},
    {"MFMA", amd},
    {"CU_TENSOR_MAP_SWIZZLE_", of_tma},
    {"SWIZZLE_", of_tma},
    {"SW128", of_tma},
    {"SW64", of_tma},
    {"SW32", of_tma},
    {"TMA", "has no fragment; to see the bank conflicts when TMA writes to shared memory, use "
            "mapping '(64,64):(64,1)' --store=tma"},
    {"help", "is not a fragment; 'mapping --help' explains the options"},
    {"dp4a", "has no fragment; it is not a matrix instruction"},
    {"dp2a", "has no fragment; it is not a matrix instruction"},
};

const char *instruction_without_fragment(const char *opcode) {
    for (size_t m = 0; m < sizeof managing / sizeof *managing; m++)
        if (strncmp(opcode, managing[m].start, strlen(managing[m].start)) == 0)
            return managing[m].does;
    return NULL;
}

static bool is_managing(struct unknown *unknown) {
    const char *does = instruction_without_fragment(unknown->text);
    return does && set_value(unknown, 0, "%s", does);
}

static bool is_outside(struct unknown *unknown) {
    for (size_t o = 0; o < sizeof outside / sizeof *outside; o++)
        if (strncmp(unknown->text, outside[o].start, strlen(outside[o].start)) == 0)
            return set_value(unknown, 0, "%s", outside[o].what);
    return false;
}

/* ---- Searches ---- */

/* Finds the first fragment that matches the partial name and whose type has `bits` bits; 0 means
 * any type. False if there is none. */
static bool find_fitting(const struct mapping_partial *partial, unsigned bits,
                         struct mapping_fragment *found) {
    for (struct mapping_cursor at = {0}; mapping_partial_next(&at, partial, found);)
        if (bits == 0 || mapping_type_bits(found->type) == bits)
            return true;
    return false;
}

/* Writes the name of the D with the largest M that has the instruction, K and D type of the opcode.
 * False if there is none. */
static bool find_largest(const struct mapping_opcode *opcode, char name[MAPPING_NAME_SIZE]) {
    const struct mapping_partial any = {.instruction = opcode->instruction,
                                        .shape.k = opcode->shape.k,
                                        .has_operand = true,
                                        .operand = MAPPING_D,
                                        .types = UINT32_C(1) << opcode->d};
    struct mapping_fragment fragment;
    unsigned m = 0;
    for (struct mapping_cursor at = {0}; mapping_partial_next(&at, &any, &fragment);)
        if (fragment.shape.m > m) {
            m = fragment.shape.m;
            mapping_fragment_name(&fragment, name);
        }
    return m > 0;
}

/* Returns another K that the opcode can have on the architecture: 96 for mxf4 on sm_103; 0 if there
 * is none. Only compares fragments whose A has 4-bit elements; other kinds store e2m1 in more bits.
 */
static unsigned find_other_depth(const struct mapping_opcode *opcode, unsigned arch) {
    const struct mapping_partial any = {.instruction = opcode->instruction,
                                        .has_operand = true,
                                        .operand = MAPPING_A,
                                        .types = UINT32_C(1) << opcode->a};
    struct mapping_fragment fragment;
    if (opcode->a != MAPPING_E2M1)
        return 0;
    for (struct mapping_cursor at = {0}; mapping_partial_next(&at, &any, &fragment);)
        if (fragment.bits == mapping_type_bits(opcode->a) && fragment.shape.k != opcode->shape.k &&
            mapping_fragment_on(&fragment, arch))
            return fragment.shape.k;
    return 0;
}

/* ---- Opcodes of tcgen05.mma, which do not contain M and N ---- */

/* Returns the PTX opcode of the name if it has no fragments, since M and N are not in the opcode.
 * For SASS, checks the first PTX opcode that compiles to it. NULL for other names. */
static const struct mapping_opcode *find_unshaped(struct name *name) {
    const struct mapping_name *read = &name->read;
    const char **ptx;
    bool is_part;
    if (name->kind == NAME_SASS)
        read = name_ptx(name, 0, &ptx, &is_part) > 0 ? name_opcode(name, *ptx).read : NULL;
    return read && read->count == 0 && *read->opcode.text && !read->is_atom ? &read->opcode : NULL;
}

static bool is_absent_opcode(struct unknown *unknown) {
    const struct mapping_opcode *opcode = unknown->unshaped;
    if (!opcode || !unknown->arch || mapping_opcode_on(opcode, unknown->arch) ||
        unknown->name->kind == NAME_SASS)
        return false;
    unknown->status = MAPPING_UNAVAILABLE;
    return set_value(unknown, 0, "sm_%u has no %s; use sm_%u", unknown->arch, opcode->text,
                     opcode->since);
}

static bool is_unshaped(struct unknown *unknown) {
    const struct mapping_opcode *opcode = unknown->unshaped;
    if (!opcode)
        return false;
    const bool is_sass = unknown->name->kind == NAME_SASS;
    const unsigned other = find_other_depth(opcode, is_sass ? 0 : unknown->arch);
    set_value(unknown, 0, "%s%s", is_sass ? unknown->text : "", is_sass ? ": " : "");
    set_value(unknown, 1, "%s", opcode->text);
    set_value(unknown, 2, other ? "%u or %u" : "%u", opcode->shape.k, other);
    set_value(unknown, 4, "%s.m*k%u.*", mapping_instruction_name(opcode->instruction),
              opcode->shape.k);
    return find_largest(opcode, unknown->value[3]);
}

/* True for an opcode that is_unshaped() rejects, since no fragment has its K. {0} and {1} are those
 * of is_unshaped(). */
static bool is_unshaped_alone(struct unknown *unknown) {
    const struct mapping_opcode *opcode = unknown->unshaped;
    return opcode && set_value(unknown, 2, "%u", opcode->shape.k);
}

/* ---- Types of mma.h ---- */

/* Parses the arguments of "fragment<matrix_a, 16, 16, 16, half, ...". argument_count is 0 if a size
 * is empty or too long. */
static void read_arguments(struct unknown *unknown) {
    static const char start[] = "fragment<";
    const char *at = strstr(unknown->text, start);
    size_t count = 0;
    for (at = at ? at + sizeof start - 1 : ""; *at && *at != '>' && count < ARGUMENTS;) {
        at += strspn(at, " \t\n");
        size_t length = strcspn(at, ",>");
        const char *end = at + length;
        while (length > 0 && isspace((unsigned char)at[length - 1]))
            length--;
        const bool is_size = count >= M && count <= K;
        if (is_size && (length == 0 || length + 1 >= ARGUMENT_SIZE))
            return;
        snprintf(unknown->arguments[count++], ARGUMENT_SIZE, "%.*s", (int)length, at);
        at = end + (*end == ',');
    }
    unknown->argument_count = count;
}

/* True if M, N or K is not a number but a name or an expression; {0} lists these sizes. */
static bool has_other_sizes(struct unknown *unknown) {
    const char *wrong[ARGUMENTS];
    size_t count = 0;
    for (size_t a = M; a <= K && a < unknown->argument_count; a++)
        if (strspn(unknown->arguments[a], "0123456789") < strlen(unknown->arguments[a]))
            wrong[count++] = unknown->arguments[a];
    *unknown->value[0] = '\0';
    for (size_t w = 0; w < count; w++)
        mapping_append(unknown->value[0], MAPPING_SENTENCE, "%s%s",
                       mapping_separator(w, count, " and "), wrong[w]);
    return count > 0 && set_value(unknown, 1, count == 1 ? "a number" : "numbers");
}

static bool has_other_type(struct unknown *unknown) {
    const char *type = unknown->arguments[TYPE];
    return unknown->argument_count > TYPE && *type && !strchr(type, ':') &&
           !mapping_types_find(type) && set_value(unknown, 0, "%s", type);
}

static bool lacks_arguments(struct unknown *unknown) {
    return unknown->argument_count > 0 && unknown->argument_count <= TYPE &&
           set_value(unknown, 0, "%s",
                     strstr(unknown->text, "accumulator")
                         ? "accumulator, 16, 16, 16, float>"
                         : "matrix_a, 16, 16, 16, half, row_major>");
}

static bool lacks_order(struct unknown *unknown) {
    return (unknown->argument_count > 0 || !strchr(unknown->text, '<')) &&
           strstr(unknown->text, "matrix_") && !strstr(unknown->text, "_major");
}

/* Sets {0} to the types that an operand of mma.h can have with this M, N and K, and {1} to all
 * shapes of the operand. True if there is such a type. */
static bool is_other_type_of_shape(struct unknown *unknown) {
    char shape[32];
    char *types = unknown->value[0], *shapes = unknown->value[1];
    struct mapping_partial any = {.instruction = MAPPING_WMMA};
    struct mapping_fragment fragment;
    uint32_t set = 0;
    *types = *shapes = '\0';
    any.has_operand =
        unknown->argument_count > TYPE && mapping_use_find(unknown->arguments[USE], &any.operand);
    for (struct mapping_cursor at = {0};
         any.has_operand && mapping_partial_next(&at, &any, &fragment);) {
        const struct mapping_shape *has = &fragment.shape;
        snprintf(shape, sizeof shape, "%u, %u, %u", has->m, has->n, has->k);
        if (!strstr(shapes, shape))
            mapping_append(shapes, MAPPING_SENTENCE, "%s%s", *shapes ? " or " : "", shape);
        if (has->m == strtoul(unknown->arguments[M], NULL, 10) &&
            has->n == strtoul(unknown->arguments[N], NULL, 10) &&
            has->k == strtoul(unknown->arguments[K], NULL, 10))
            set |= UINT32_C(1) << fragment.type;
    }
    for (int t = 0; t < MAPPING_TYPES; t++)
        if (set >> t & 1)
            mapping_append(types, MAPPING_SENTENCE, "%s%s", *types ? ", " : "",
                           mapping_type_alias((enum mapping_type)t));
    return set;
}

/* True if the operand does not exist with this M, N and K; {1} lists all its shapes. */
static bool is_other_shape(struct unknown *unknown) {
    return !is_other_type_of_shape(unknown) && *unknown->value[1];
}

static bool is_scaled_kind(struct unknown *unknown) {
    unknown_scaled(unknown->text, unknown->value[0]);
    return *unknown->value[0];
}

void unknown_scaled(const char *name, char text[MAPPING_SENTENCE]) {
    static const struct {
        const char *words, *elements, *factors;
    } kinds[] = {
        {"mxf4", "m16n8k64.a.e2m1", "m16n8k64.sfa.2x.ue8m0"},
        {"nvf4 mxf4nvf4", "m16n8k64.a.e2m1", "m16n8k64.sfa.4x.ue4m3"},
        {"mxf8 mxf8f6f4", "m16n8k32.a.e4m3", "m16n8k32.sfa.1x.ue8m0"},
        {"mxf6", "m16n8k32.a.e3m2", "m16n8k32.sfa.1x.ue8m0"},
    };
    *text = '\0';
    for (size_t length; *name; name += length + (name[length] == '.')) {
        length = strcspn(name, ".");
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (mapping_word_is_in(kinds[k].words, name, length))
                snprintf(text, MAPPING_SENTENCE,
                         "%.*s is no type: name the elements, such as mma.%s, or their scale "
                         "factors, mma.%s",
                         (int)length, name, kinds[k].elements, kinds[k].factors);
    }
}

/* ---- Partial names that match no fragment ---- */

/* Distance that each different size adds, so that shapes with fewer different sizes are nearer. */
enum { ONE_SIZE = 1U << 20 };

/* Returns the distance of two sizes; 0 if `wanted` is 0, which means any size. */
static unsigned size_distance(unsigned wanted, unsigned other) {
    return wanted == 0 || wanted == other ? 0
           : wanted > other               ? ONE_SIZE + wanted - other
                                          : ONE_SIZE + other - wanted;
}

/* Adds a fragment to the suggestions, sorted by the distance between its shape and the requested
 * one. If no operand, type or variant is requested, adds only the start of its name: mma.m16n8k16.
 */
static void offer_shape(struct nearest *close, const struct mapping_partial *partial,
                        const struct mapping_fragment *fragment) {
    const struct mapping_shape *wanted = &partial->shape, *shape = &fragment->shape;
    char name[MAPPING_NAME_SIZE], operand[8];
    mapping_fragment_name(fragment, name);
    snprintf(operand, sizeof operand, ".%s.", mapping_operand_name(fragment->operand));
    char *behind = strstr(name, operand);
    if (behind && !partial->has_operand && !partial->types && !partial->variant &&
        mapping_instruction_multiplies(fragment->instruction))
        *behind = '\0';
    nearest_insert(close,
                   size_distance(wanted->m, shape->m) + size_distance(wanted->n, shape->n) +
                       size_distance(wanted->k, shape->k),
                   name);
}

/* Finds the fragments with the nearest shapes among those that have all other words of the partial
 * name. */
static void find_close_shapes(const struct mapping_partial *partial, struct nearest *close) {
    struct mapping_partial any = *partial;
    struct mapping_fragment fragment, one;
    any.shape = (struct mapping_shape){0};
    for (struct mapping_cursor at = {0}; mapping_partial_next(&at, &any, &fragment);) {
        if (partial->shape.n == 0)
            offer_shape(close, partial, &fragment);
        for (size_t w = 0; partial->shape.n > 0 && mapping_fragment_at_width(&fragment, w, &one);
             w++)
            offer_shape(close, partial, &one);
    }
}

/* Writes the rule for N of a partial name: " N is a multiple of 8 from 8 to 256" or " N is 8, 16,
 * 24 or a multiple of 16 from 32 to 256". Writes "" if `n` is 0 or valid, or if there are fewer
 * than four valid N. Without an operand, uses the rule of D. */
#define WIDTH_RULE 128
static void explain_width(const struct mapping_partial *like, unsigned n, char text[WIDTH_RULE]) {
    enum { WIDTH_MAX = 256, MANY = 4 };
    struct mapping_partial any = *like;
    struct mapping_fragment fragment, one;
    bool is_there[WIDTH_MAX + 1] = {false};
    unsigned found[WIDTH_MAX], count = 0;
    any.shape.n = 0;
    if (!any.has_operand && mapping_instruction_multiplies(any.instruction)) {
        any.has_operand = true; /* only B, C and D have N */
        any.operand = MAPPING_D;
    }
    for (struct mapping_cursor at = {0}; mapping_partial_next(&at, &any, &fragment);)
        for (size_t w = 0; mapping_fragment_at_width(&fragment, w, &one); w++)
            is_there[one.shape.n <= WIDTH_MAX ? one.shape.n : 0] = true;
    for (unsigned w = 1; w <= WIDTH_MAX; w++)
        if (is_there[w])
            found[count++] = w;
    *text = '\0';
    if (n == 0 || (n <= WIDTH_MAX && is_there[n]) || count < MANY)
        return;
    const unsigned last = found[count - 1], step = last - found[count - 2];
    unsigned first = count - 1; /* where the multiples of `step` begin */
    while (first > 0 && found[first] % step == 0 && found[first - 1] == found[first] - step)
        first--;
    mapping_append(text, WIDTH_RULE, " N is ");
    for (unsigned w = 0; w < first; w++)
        mapping_append(text, WIDTH_RULE, w + 1 < first ? "%u, " : "%u or ", found[w]);
    mapping_append(text, WIDTH_RULE, "a multiple of %u from %u to %u", step, found[first], last);
}

/* Finds a fragment of another instruction with the same words; false if there is none. Prefers a
 * variant of the same instruction, such as tcgen05.mma.cta2 for tcgen05.mma, and then an
 * instruction of the same sparsity. */
static bool find_other_instruction(const struct mapping_partial *partial,
                                   struct mapping_fragment *found) {
    struct mapping_partial other = *partial;
    struct mapping_fragment fragment;
    int best = 0;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        const enum mapping_instruction one = fragment.instruction, named = partial->instruction;
        const int alike =
            1 + 2 * (mapping_instruction_form(one) == mapping_instruction_form(named)) +
            (mapping_instruction_is_sparse(one) == mapping_instruction_is_sparse(named));
        other.instruction = one;
        if (alike > best && mapping_instruction_multiplies(one) &&
            mapping_partial_fits(&other, &fragment)) {
            best = alike;
            *found = fragment;
            mapping_partial_narrow(&other, found);
        }
    }
    return best > 0;
}

/* True if the partial name can select A, B, C or D of a product. */
static bool is_of_product(const struct mapping_partial *partial) {
    return mapping_instruction_multiplies(partial->instruction) &&
           (!partial->has_operand || partial->operand <= MAPPING_D);
}

/* Writes the name of C or D (as in the partial name) of products whose A has this type, preferably
 * a 32-bit one. Does not change `name` if there is none. */
static void find_result(const struct mapping_partial *partial, enum mapping_type type,
                        char name[MAPPING_NAME_SIZE]) {
    struct mapping_partial of_result = *partial;
    struct mapping_opcode opcode;
    struct mapping_fragment fragment;
    of_result.types = 0;
    for (size_t o = 0; mapping_opcode_at(o, &opcode); o++)
        if (opcode.instruction == partial->instruction && opcode.a == type &&
            (partial->shape.k == 0 || opcode.shape.k == partial->shape.k))
            of_result.types |= UINT32_C(1) << (partial->operand == MAPPING_C ? opcode.c : opcode.d);
    if (of_result.types != 0 &&
        (find_fitting(&of_result, 32, &fragment) || find_fitting(&of_result, 0, &fragment)))
        mapping_fragment_name(&fragment, name);
}

bool other_type(const struct mapping_partial *partial, char text[OTHER_TYPE_TEXT]) {
    struct mapping_fragment other;
    char candidate[MAPPING_NAME_SIZE] = "", result[MAPPING_NAME_SIZE] = "";
    struct mapping_partial of_any_shape = *partial, of_any_type = *partial;
    const enum mapping_type type = mapping_types_only(partial->types, MAPPING_TYPES);
    of_any_shape.shape = (struct mapping_shape){0};
    of_any_type.types = 0;
    if (type == MAPPING_TYPES || !partial->has_operand || !is_of_product(partial) ||
        find_fitting(&of_any_shape, 0, &other))
        return false;
    const char *name = mapping_type_name(type);
    const unsigned bits = mapping_type_bits(type);
    const char operand = (char)toupper(mapping_operand_name(partial->operand)[0]);
    const bool is_result = partial->operand == MAPPING_C || partial->operand == MAPPING_D;
    if (find_fitting(&of_any_type, bits, &other))
        mapping_fragment_name(&other, candidate);
    if (is_result)
        find_result(partial, type, result);
    if (!*candidate && !*result)
        return false;
    const size_t size = OTHER_TYPE_TEXT;
    snprintf(text, size, "%s has no %c of type %s", mapping_instruction_name(partial->instruction),
             operand, name);
    if (*result)
        mapping_append(text, size, "; if A is %s, use %s", name, result);
    if (*candidate && is_result)
        mapping_append(text, size,
                       "; to load or store %c as %s, use %s with --type=%s: every %u-bit %c has "
                       "this layout",
                       operand, name, candidate, name, bits, operand);
    else if (*candidate)
        mapping_append(text, size, "; use %s, which has the layout of every %u-bit %c", candidate,
                       bits, operand);
    return true;
}

/* True if a name contains the word between dots, in any case: "b" in "wgmma.m64n16k16.b.f16". */
static bool has_word(const char *name, const char *word) {
    for (size_t length; *name; name += length + (name[length] == '.')) {
        length = strcspn(name, ".");
        if (length == strlen(word) && strncasecmp(name, word, length) == 0)
            return true;
    }
    return false;
}

/* True if fragments with other shapes are near. {0} suggests them; a fragment of another
 * instruction with exactly this shape comes first. {1} is the rule for N. A count such as .x4 is
 * compared as the K of a move. */
static bool has_near_shape(struct unknown *unknown) {
    struct mapping_partial partial = unknown->partial, shaped;
    struct mapping_fragment other;
    struct nearest nearest = nearest_to(unknown->text), close = nearest;
    char candidate[MAPPING_NAME_SIZE];
    if (!unknown->is_partial || (!is_of_product(&partial) && !partial.count))
        return false;
    if (partial.count) {
        partial.shape.k = partial.count;
        partial.count = 0;
    }
    if (partial.shape.m > 0)
        find_close_shapes(&partial, &close);
    if (close.count == 0)
        return false;
    if (partial.shape.k > 0 && find_other_instruction(&partial, &other)) {
        mapping_fragment_name(&other, candidate);
        nearest_insert(&nearest, 0, candidate);
    }
    const size_t best = close.found[0].distance;
    for (size_t c = 0; c < close.count && close.found[c].distance / ONE_SIZE == best / ONE_SIZE &&
                       close.found[c].distance % ONE_SIZE * 4 <= best % ONE_SIZE * 5;
         c++)
        nearest_insert(&nearest, 0, close.found[c].word);
    nearest_print(&nearest, unknown->value[0], MAPPING_SENTENCE);
    if (mapping_partial_read(close.found[0].word, &shaped))
        explain_width(&shaped, partial.shape.n, unknown->value[1]);
    return true;
}

/* ---- Operands of tcgen05.mma and wgmma that are not in registers ---- */

static bool begins(const struct unknown *unknown, const char *start) {
    return strncasecmp(unknown->text, start, strlen(start)) == 0;
}

static bool is_group(struct unknown *unknown) {
    return strcmp(unknown->text, "tcgen05") == 0;
}

static bool is_in_shared_memory(struct unknown *unknown) {
    const bool is_wgmma = begins(unknown, "wgmma");
    return (is_wgmma || begins(unknown, "tcgen05.mma")) && has_word(unknown->text, "b") &&
           set_value(unknown, 0, is_wgmma ? "wgmma" : "tcgen05.mma");
}

static bool is_in_place(struct unknown *unknown) {
    return begins(unknown, "tcgen05.mma") && has_word(unknown->text, "c");
}

static bool lacks_block_scale(struct unknown *unknown) {
    const char *kind = strstr(unknown->text, "kind::mx");
    const size_t length = kind ? strcspn(kind, ". ") : 0;
    return kind && begins(unknown, "tcgen05.mma") && !strstr(unknown->text, "block_scale") &&
           mapping_word_is_in("kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4", kind, length) &&
           set_value(unknown, 0, "%.*s", (int)length, kind) &&
           set_value(unknown, 1, "%s",
                     length > strlen("kind::mxf4") && kind[strlen("kind::mxf4")] == 'n'
                         ? ", and .block16, .block32, .scale_vec::2X or .scale_vec::4X"
                         : "");
}

/* True for A of tcgen05.mma if the PTX ISA does not specify its location in Tensor Memory: the
 * catalogue has D with this M and K, but no A with this M. {0} is the instruction and M. */
static bool is_unspecified(struct unknown *unknown) {
    const struct mapping_partial *read = &unknown->name->read.partial;
    struct mapping_fragment found;
    if (!begins(unknown, "tcgen05.mma") || !unknown->name->read.is_partial || !read->has_operand ||
        read->operand != MAPPING_A || read->shape.m == 0)
        return false;
    struct mapping_partial any = {
        .instruction = read->instruction, .shape.m = read->shape.m, .has_operand = true};
    any.operand = MAPPING_A;
    if (find_fitting(&any, 0, &found))
        return false;
    any.operand = MAPPING_D;
    any.shape.k = read->shape.k;
    return find_fitting(&any, 0, &found) &&
           set_value(unknown, 0, "%s with M = %u", mapping_instruction_name(read->instruction),
                     read->shape.m);
}

/* Returns the layouts of scale factors that the user may mean by a size, "128x4 or 128x8k"; "" if
 * there are none. */
static const char *near_scales(unsigned rows, unsigned cols) {
    const bool is_narrow = cols <= 16;
    return rows == 128 && cols == 8 ? "128x4 or 128x8k"
           : rows == 8 && is_narrow ? "8x4"
           : (rows == 128 && is_narrow) || (rows == 4 && cols == 128) || cols == 4 ? "128x4"
           : rows == 4 && cols == 8                                                ? "8x4"
                                                                                   : "";
}

static bool has_no_such_type(struct unknown *unknown) {
    const struct mapping_partial *partial = &unknown->partial;
    return unknown->is_partial && (is_of_product(partial) || partial->count) &&
           other_type(partial, unknown->value[0]);
}

/* ---- Names of other kinds ---- */

static bool is_any(struct unknown *unknown) {
    (void)unknown;
    return true;
}

static bool is_file(struct unknown *unknown) {
    return strpbrk(unknown->text, "./") && access(unknown->text, R_OK) == 0;
}

/* True for an atom of tcgen05.mma without M and N; {0} describes it, {1} is its D. */
static bool is_atom_of_any_size(struct unknown *unknown) {
    const struct mapping_name *read = &unknown->name->read;
    if (!unknown->atom || !read->has_accumulator)
        return false;
    mapping_fragment_name(read->found, unknown->value[1]);
    return set_value(unknown, 0, "%s", unknown->atom);
}

static bool is_atom_without_fragment(struct unknown *unknown) {
    static const char multiply[] = "tcgen05.mma";
    return unknown->atom && strchr(unknown->text, '<') &&
           strncmp(unknown->atom, multiply, sizeof multiply - 1) == 0;
}

static bool is_other_atom(struct unknown *unknown) {
    return unknown->atom && set_value(unknown, 0, "%s", unknown->atom);
}

static bool is_wrong_layout(struct unknown *unknown) {
    return strpbrk(unknown->text, "()") && strpbrk(unknown->text, "0123456789") &&
           strspn(unknown->text, "0123456789,:()_ ") == strlen(unknown->text);
}

/* True for a size such as 64x32; {0} is the number of rows, {1} of columns. */
static bool is_size(struct unknown *unknown) {
    unsigned rows, cols;
    int end = 0;
    /* NOLINTNEXTLINE(cert-err34-c): five digits are always in range */
    return sscanf(unknown->text, "%5ux%5u%n", &rows, &cols, &end) == 2 && !unknown->text[end] &&
           rows <= UINT16_MAX && cols <= UINT16_MAX && set_value(unknown, 0, "%u", rows) &&
           set_value(unknown, 1, "%u", cols);
}

static bool is_size_of_scales(struct unknown *unknown) {
    if (!is_size(unknown))
        return false;
    const char *scales = near_scales((unsigned)strtoul(unknown->value[0], NULL, 10),
                                     (unsigned)strtoul(unknown->value[1], NULL, 10));
    return *scales && set_value(unknown, 2, "%s", scales);
}

/* True for whole words of an opcode, "block_scale" or "kind::mxf4". {0} is the first recorded
 * opcode with these words, {1} suggests one of its fragments. */
static bool is_part_of_opcode(struct unknown *unknown) {
    const size_t length = strlen(unknown->text);
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    for (const char *at = recorded_codegen; length > 1 && (at = strstr(at, unknown->text)); at++) {
        const char *line = at;
        while (line > recorded_codegen && line[-1] != '\n' && line[-1] != ' ')
            line--;
        const bool is_opcode = line == recorded_codegen || line[-1] == '\n';
        if (!is_opcode || *line == '#' || at == line || at[-1] != '.' ||
            (at[length] != '.' && at[length] != ' '))
            continue;
        set_value(unknown, 0, "%.*s", (int)strcspn(line, " "), line);
        *unknown->value[1] = '\0';
        if (mapping_catalogue_find(unknown->value[0], fragments) > 0) {
            set_value(unknown, 1, ", or a fragment of it, ");
            mapping_fragment_name(fragments, unknown->value[1] + strlen(unknown->value[1]));
        }
        return true;
    }
    return false;
}

/* True if similar names exist. {0} is "atom" or "fragment"; {1} suggests the nearest opcodes,
 * atoms, fragments or layouts of scale factors. */
static bool is_near(struct unknown *unknown) {
    const char *name = unknown->text, *known;
    const bool is_atom = mapping_atom_is_meant(name);
    const bool is_wmma = strstr(name, "wmma.mma"); /* false for wmma.load and wmma.store */
    const bool is_opcode = strstr(name, ".sync.") || strstr(name, ".kind::");
    char candidate[MAPPING_NAME_SIZE];
    struct mapping_fragment fragment;
    struct nearest nearest = nearest_to(name);
    struct mapping_opcode opcode;
    for (size_t index = 0; is_opcode && mapping_opcode_at(index, &opcode); index++)
        if (is_wmma || mapping_instruction_form(opcode.instruction) != WMMA_FORM)
            nearest_offer(&nearest, opcode.text);
    for (size_t index = 0; is_atom && mapping_atom_at(index, candidate); index++)
        nearest_offer(&nearest, candidate);
    for (struct mapping_cursor at = {0}; !is_atom && mapping_catalogue_next(&at, &fragment);) {
        mapping_fragment_name(&fragment, candidate);
        nearest_offer(&nearest, candidate);
    }
    for (size_t n = 0; !is_atom && strlen(name) > 3 && (known = mapping_scale_name_at(n)); n++)
        nearest_offer(&nearest, known);
    set_value(unknown, 0, is_atom ? "atom" : "fragment");
    if (!is_atom && strpbrk(name, "(<[{=")) /* the name is code, not a misspelled name */
        return false;
    nearest_print(&nearest, unknown->value[1], MAPPING_SENTENCE);
    return *unknown->value[1];
}

static bool is_atom_of_tensor_memory(struct unknown *unknown) {
    return strncmp(unknown->text, "SM100_TMEM_", strlen("SM100_TMEM_")) == 0;
}

static bool is_atom(struct unknown *unknown) {
    return mapping_atom_is_meant(unknown->text);
}

/* ---- Reasons, in order: the first that applies is used ---- */

/* Sets of name kinds. */
enum {
    OF_LINES = 1 << NAME_FRAGMENT | 1 << NAME_OPCODE | 1 << NAME_ATOM,
    OF_SASS = 1 << NAME_SASS,
    OF_CAPITALS = 1 << NAME_OTHER_SASS,
    OF_MATRICES = 1 << NAME_MATRIX,
    OF_OTHERS = 1 << NAME_UNKNOWN
};

/* The kinds of names to which a reason applies, its test, and its sentence. The sentence contains
 * {name}, and the values {0} to {4} that the test sets. If the sentence begins with a semicolon,
 * "unknown fragment '{name}'" is printed before it. */
static const struct reason {
    unsigned kinds;
    bool (*applies)(struct unknown *unknown);
    const char *sentence;
} reasons[] = {
    {OF_LINES, has_wrong_operands, "{0}"},
    {OF_SASS, has_other_operands, "{name} has {0}"},
    {OF_CAPITALS, is_ptx_in_capitals, "; PTX is in lower case: {0}"},
    {OF_CAPITALS, is_widening,
     "{name} moves an 8x32 matrix and widens u4 to 8 bits, as a part of emulated instructions; it "
     "is no instruction of PTX, so it has no fragment here"},
    {OF_CAPITALS, is_near_sass, "no PTX opcode in the catalogue compiles to {name}{0}"},
    {OF_OTHERS, is_sass_in_lower_case, "; SASS is in upper case: {0}"},
    {OF_MATRICES, is_any,
     "'{name}' is a matrix in memory, but --list, --diff and --confirm take fragments"},
    {OF_OTHERS, is_file,
     "'{name}' is a file; --annotate={name} annotates a listing of SASS or PTX, and --map={name} "
     "derives formulae from a CSV file"},
    {OF_OTHERS, is_atom_of_any_size, "{name} is {0}; add them, or name a fragment, such as {1}"},
    {OF_OTHERS, is_atom_without_fragment,
     "{name}: tcgen05.mma has no D with this combination of types, M and N; --list "
     "'tcgen05.mma.*.d.*' shows all D fragments"},
    {OF_OTHERS, is_other_atom,
     "{name} has no fragment of its own; it is {0}; --list shows all fragments"},
    {OF_OTHERS, is_absent_opcode, "{0}"},
    {OF_OTHERS | OF_SASS, is_unshaped,
     "{0}M and N of {1} are set in the instruction descriptor, not in the opcode (K is {2}); name "
     "a fragment, such as {3}, or '{4}'"},
    {OF_OTHERS | OF_SASS, is_unshaped_alone,
     "{0}M and N of {1} are set in the instruction descriptor, not in the opcode, and the "
     "catalogue has no fragment with K = {2}"},
    {OF_OTHERS | OF_CAPITALS, is_managing,
     "'{name}' has no fragment; it {0}; --list shows all fragments"},
    {OF_OTHERS | OF_CAPITALS, is_outside, "'{name}' {0}; --list shows all fragments"},
    {OF_CAPITALS, is_any,
     "{name} is not a matrix instruction; the matrix instructions of SASS are HMMA, IMMA, BMMA, "
     "DMMA, QMMA, OMMA, HGMMA, IGMMA, BGMMA, QGMMA, LDSM, STSM, MOVM, LDTM, STTM, UTCCP and "
     "UTCSHIFT"},
    {OF_OTHERS, has_other_sizes, "; replace {0} by {1}"},
    {OF_OTHERS, has_other_type, "; replace {0} by a type, such as half or float"},
    {OF_OTHERS, lacks_arguments, "; an example with all arguments: fragment<{0}"},
    {OF_OTHERS, lacks_order, "; add the last argument, row_major or col_major"},
    {OF_OTHERS, is_other_type_of_shape, "; the types of this operand with this shape are {0}"},
    {OF_OTHERS, is_other_shape, "; M, N and K of this operand are {1}"},
    {OF_OTHERS, is_scaled_kind, "; {0}"},
    {OF_OTHERS, is_wrong_layout, "'{name}' is not a valid layout; an example is '(64,64):(64,1)'"},
    {OF_OTHERS, is_size_of_scales,
     "'{name}' is not a layout of scale factors; did you mean {2}? (a row-major matrix in memory "
     "is '({0},{1}):({1},1)')"},
    {OF_OTHERS, is_size,
     "'{name}' is not a fragment; a row-major matrix in memory is '({0},{1}):({1},1)', a "
     "column-major matrix is '({0},{1}):(1,{0})'"},
    {OF_OTHERS, is_part_of_opcode,
     "'{name}' is only part of an opcode; name a whole opcode, such as {0}{1}"},
    {OF_OTHERS, is_group,
     "; it is a group of instructions: tcgen05.mma (D, A and scale factors are in Tensor Memory), "
     "tcgen05.ld and tcgen05.st (to and from registers), tcgen05.cp and tcgen05.shift; name a "
     "fragment, such as the accumulator tcgen05.mma.m128n128k16.d.f32; --with=tcgen05.ld.32x32b "
     "shows its registers"},
    {OF_OTHERS, is_in_shared_memory,
     "; B of {0} is in shared memory, with a layout such as Layout_K_SW128_Atom"},
    {OF_OTHERS, is_in_place, "; tcgen05.mma accumulates in place: C is D"},
    {OF_OTHERS, lacks_block_scale, "; .{0} needs .block_scale{1}"},
    {OF_OTHERS, is_unspecified,
     "; the PTX ISA does not specify the location of A of {0} in Tensor Memory"},
    {OF_OTHERS, has_no_such_type, "; {0}"},
    {OF_OTHERS, has_near_shape, "unknown fragment '{name}'{0}{1}"},
    {OF_OTHERS, is_near, "unknown {0} '{name}'{1}"},
    {OF_OTHERS, is_atom_of_tensor_memory,
     "unknown atom '{name}'; an atom for Tensor Memory has a name such as "
     "SM100_TMEM_LOAD_32dp32b32x"},
    {OF_OTHERS, is_atom,
     "unknown atom '{name}'; an atom has a name such as SM80_16x8x16_F32F16F16F32_TN or "
     "SM120_16x8x32_TN<float_e4m3_t, float_e4m3_t, float>"},
    {OF_OTHERS, is_any, "; --list shows all fragments"},
};

/* Returns the status of `unknown`, and writes the sentence with its values to *error. */
static enum mapping_status fail(const struct unknown *unknown, const char *sentence,
                                struct mapping_error *error) {
    enum { NAME_MOST = 100 };
    static const char name[] = "{name}";
    char printed[MAPPING_SENTENCE];
    struct printer text = {.text = NULL};
    if (!error) /* the caller only needs the status */
        return unknown->status;
    mapping_printable(unknown->text, strlen(unknown->text), printed, NAME_MOST);
    if (*sentence == ';')
        print(&text, "unknown fragment '%s'", printed);
    while (*sentence) {
        const size_t length = strcspn(sentence, "{");
        print(&text, "%.*s", (int)length, sentence);
        sentence += length;
        if (strncmp(sentence, name, sizeof name - 1) == 0) {
            print_text(&text, printed);
            sentence += sizeof name - 1;
        } else if (*sentence) {
            const char *value = unknown->value[sentence[1] - '0'];
            char shown[MAPPING_SENTENCE];
            mapping_printable(value, strlen(value), shown, sizeof shown - 1);
            print_text(&text, shown);
            sentence += strlen("{0}");
        }
    }
    return mapping_fail(error, unknown->status, "%-s", printer_string(&text));
}

enum mapping_status refuse(struct name *name, unsigned arch, struct mapping_error *error) {
    struct unknown unknown = {.name = name,
                              .text = name->name,
                              .arch = arch,
                              .unshaped = find_unshaped(name),
                              .status = MAPPING_INVALID};
    char other[MAPPING_SENTENCE];
    bool is_a_shared;
    if (name->kind == NAME_UNKNOWN) {
        unknown.atom = mapping_atom_outside(name->name);
        /* Translate an operation of the CuTe DSL, for example with a wrong shape, and explain the
         * translated name. */
        if (!unknown.atom && mapping_operation_read(name->name, other, &is_a_shared))
            return refuse(name_read(other), arch, error);
        snprintf(other, sizeof other, "mma.%.32s", name->name); /* m16n8k17 can mean mma.m16n8k17 */
        unknown.is_partial = name->read.is_partial || mapping_partial_read(other, &unknown.partial);
        if (name->read.is_partial)
            unknown.partial = name->read.partial;
        read_arguments(&unknown);
    }
    for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++)
        if (reasons[r].kinds >> name->kind & 1 && reasons[r].applies(&unknown))
            return fail(&unknown, reasons[r].sentence, error);
    return MAPPING_OK;
}
