/* unknown.c - explains a name that matches no fragment, and suggests what to type; see unknown.h.
 */
#include "command/unknown.h"

#include "layout/nearest.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "output/output.h"
#include "smem/matrix.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that selects nothing. */
struct unknown {
    const char *name, *atom; /* atom: what an atom without a fragment of its own is, or NULL */
    const struct mapping_name *read;
    unsigned arch; /* that was asked for, or 0 */
    bool is_atom;  /* it looks like the name of an atom */
    struct mapping_error *error;
};

/* Fails with a reason about an unknown name; MAPPING_OK if there is none, "". */
static enum mapping_status fail_because(const char *name, const char *reason,
                                        struct mapping_error *error) {
    return *reason
               ? mapping_fail(error, MAPPING_INVALID, "unknown fragment '%.100s'; %s", name, reason)
               : MAPPING_OK;
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

/* Instructions without fragments, by the start of their names. */
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

/* Other names that people look for here and that are not in the catalogue. */
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

/* Finds the first fragment that has these words and a type of `bits` bits; 0 allows any type. False
 * if there is none. */
static bool find_fitting(const struct mapping_partial *partial, unsigned bits,
                         struct mapping_fragment *found) {
    for (struct mapping_cursor at = {0}; mapping_partial_next(&at, partial, found);)
        if (bits == 0 || mapping_type_bits(found->type) == bits)
            return true;
    return false;
}

/* Finds the largest D of a multiplication of such an opcode; false if there is none. */
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

/* Another K that a multiplication of such an opcode has on the architecture: 96 of mxf4 on sm_103;
 * 0 if there is none. A of other kinds takes more bits. */
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

enum mapping_status unshaped_opcode(const char *asked, const struct mapping_opcode *opcode,
                                    unsigned arch, struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE], depth[32];
    if (arch && !mapping_opcode_on(opcode, arch))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; use sm_%u", arch,
                            opcode->text, opcode->since);
    unsigned other = find_other_depth(opcode, arch);
    snprintf(depth, sizeof depth, other ? "%u or %u" : "%u", opcode->shape.k, other);
    if (!find_largest(opcode, name))
        return mapping_fail(error, MAPPING_INVALID,
                            "%s%sM and N of %s are set in the instruction descriptor, not in the "
                            "opcode, and the catalogue has no fragment with K = %u",
                            asked, *asked ? ": " : "", opcode->text, opcode->shape.k);
    return mapping_fail(error, MAPPING_INVALID,
                        "%s%sM and N of %s are set in the instruction descriptor, not in the "
                        "opcode (K is %s); name a fragment, such as %s, or '%s.m*k%u.*'",
                        asked, *asked ? ": " : "", opcode->text, depth, name,
                        mapping_instruction_name(opcode->instruction), opcode->shape.k);
}

/* True if the operand is one of the name's words: "b" of "wgmma.m64n16k16.b.f16". */
static bool has_word(const char *name, const char *word) {
    for (size_t length; *name; name += length + (name[length] == '.')) {
        length = strcspn(name, ".");
        if (length == strlen(word) && strncasecmp(name, word, length) == 0)
            return true;
    }
    return false;
}

/* True if the text consists of whole words of an opcode: "block_scale", "kind::mxf4". */
static bool is_part_of(const char *text, const char *opcode) {
    const size_t length = strlen(text);
    for (const char *at = strstr(opcode, text); at && length > 1; at = strstr(at + 1, text))
        if (at > opcode && at[-1] == '.' && (at[length] == '.' || !at[length]))
            return true;
    return false;
}

/* The layouts of scale factors that a size may have been meant for, "128x4 or 128x8k"; or "". */
static const char *near_scales(unsigned rows, unsigned cols) {
    const bool is_narrow = cols <= 16;
    return rows == 128 && cols == 8 ? "128x4 or 128x8k"
           : rows == 8 && is_narrow ? "8x4"
           : (rows == 128 && is_narrow) || (rows == 4 && cols == 128) || cols == 4 ? "128x4"
           : rows == 4 && cols == 8                                                ? "8x4"
                                                                                   : "";
}

/* ---- Types of mma.h ---- */

enum { USE, M, N, K, TYPE, ARGUMENTS, ARGUMENT_SIZE = 42 };

/* Reads the arguments of "fragment<matrix_a, 16, 16, 16, half, ..."; returns their number. */
static size_t read_arguments(const char *name, char arguments[ARGUMENTS][ARGUMENT_SIZE]) {
    static const char start[] = "fragment<";
    const char *at = strstr(name, start);
    size_t count = 0;
    for (at = at ? at + sizeof start - 1 : ""; *at && *at != '>' && count < ARGUMENTS;) {
        at += strspn(at, " \t\n");
        size_t length = strcspn(at, ",>");
        const char *end = at + length;
        while (length > 0 && isspace((unsigned char)at[length - 1]))
            length--;
        snprintf(arguments[count++], ARGUMENT_SIZE, "%.*s", (int)length, at);
        at = end + (*end == ',');
    }
    return count;
}

/* Says which types an operand of mma.h may have in a shape, or which shapes it may have. */
static void explain_combination(enum mapping_operand operand,
                                char arguments[ARGUMENTS][ARGUMENT_SIZE],
                                char text[MAPPING_SENTENCE]) {
    const struct mapping_partial any = {
        .instruction = MAPPING_WMMA, .has_operand = true, .operand = operand};
    char shapes[MAPPING_SENTENCE] = "", shape[32];
    struct mapping_fragment fragment;
    uint32_t types = 0;
    for (struct mapping_cursor at = {0}; mapping_partial_next(&at, &any, &fragment);) {
        const struct mapping_shape *has = &fragment.shape;
        snprintf(shape, sizeof shape, "%u, %u, %u", has->m, has->n, has->k);
        if (!strstr(shapes, shape))
            mapping_append(shapes, sizeof shapes, "%s%s", *shapes ? " or " : "", shape);
        if (has->m == strtoul(arguments[M], NULL, 10) &&
            has->n == strtoul(arguments[N], NULL, 10) && has->k == strtoul(arguments[K], NULL, 10))
            types |= UINT32_C(1) << fragment.type;
    }
    for (int t = 0; t < MAPPING_TYPES; t++)
        if (types >> t & 1)
            mapping_append(text, MAPPING_SENTENCE, "%s%s",
                           *text ? ", " : "the types of this operand with this shape are ",
                           mapping_type_alias((enum mapping_type)t));
    if (!types)
        snprintf(text, MAPPING_SENTENCE, "M, N and K of this operand are %.400s", shapes);
}

/* Explains what is wrong with a type of mma.h: sizes that are names or expressions, an unknown
 * element type, a missing argument, or a combination that no fragment has. Writes "" if it finds no
 * reason. */
static void explain_type(const char *name, char text[MAPPING_SENTENCE]) {
    static const struct {
        const char *name;
        enum mapping_operand operand;
    } uses[] = {{"matrix_a", MAPPING_A}, {"matrix_b", MAPPING_B}, {"accumulator", MAPPING_D}};
    char arguments[ARGUMENTS][ARGUMENT_SIZE] = {""};
    const size_t count = read_arguments(name, arguments);
    const char *wrong[ARGUMENTS];
    size_t wrong_count = 0;
    *text = '\0';
    for (size_t a = M; a <= K && a < count; a++) {
        const size_t length = strlen(arguments[a]);
        if (length == 0 || length + 1 == ARGUMENT_SIZE)
            return;
        if (strspn(arguments[a], "0123456789") < length)
            wrong[wrong_count++] = arguments[a];
    }
    for (size_t w = 0; w < wrong_count; w++)
        mapping_append(text, MAPPING_SENTENCE, "%s%s",
                       w == 0                 ? "replace "
                       : w + 1 == wrong_count ? " and "
                                              : ", ",
                       wrong[w]);
    if (wrong_count > 0)
        mapping_append(text, MAPPING_SENTENCE, " by %s", wrong_count == 1 ? "a number" : "numbers");
    else if (*arguments[TYPE] && !strchr(arguments[TYPE], ':') &&
             !mapping_types_find(arguments[TYPE]))
        snprintf(text, MAPPING_SENTENCE, "replace %s by a type, such as half or float",
                 arguments[TYPE]);
    else if (count > 0 && count <= TYPE)
        snprintf(text, MAPPING_SENTENCE, "an example with all arguments: fragment<%s",
                 strstr(name, "accumulator") ? "accumulator, 16, 16, 16, float>"
                                             : "matrix_a, 16, 16, 16, half, row_major>");
    else if (strstr(name, "matrix_") && !strstr(name, "_major"))
        snprintf(text, MAPPING_SENTENCE, "add the last argument, row_major or col_major");
    for (size_t u = 0; u < sizeof uses / sizeof *uses && count > TYPE && !*text; u++)
        if (strstr(name, uses[u].name))
            explain_combination(uses[u].operand, arguments, text);
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

/* ---- Names whose words are known, but that no fragment has ---- */

/* The extra cost of each size that differs: shapes with fewer different sizes are nearer. */
enum { ONE_SIZE = 1U << 20 };

/* The distance of two sizes; 0 if no size is wanted. */
static unsigned size_distance(unsigned wanted, unsigned other) {
    return wanted == 0 || wanted == other ? 0
           : wanted > other               ? ONE_SIZE + wanted - other
                                          : ONE_SIZE + other - wanted;
}

/* Offers a fragment, or if no operand and type are wanted its shape alone, mma.m16n8k16, with the
 * distance between its shape and the one that is wanted. */
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

/* Finds fragments of the same operand and type whose shapes are near. */
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

/* If the catalogue has such fragments, or such a D, in several widths, but not with this N, writes
 * " N is a multiple of 8 from 8 to 256" or " N is 8, 16, 24 or a multiple of 16 from 32 to 256". */
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
    unsigned first = count - 1; /* the multiples of step begin here */
    while (first > 0 && found[first] % step == 0 && found[first - 1] == found[first] - step)
        first--;
    mapping_append(text, WIDTH_RULE, " N is ");
    for (unsigned w = 0; w < first; w++)
        mapping_append(text, WIDTH_RULE, w + 1 < first ? "%u, " : "%u or ", found[w]);
    mapping_append(text, WIDTH_RULE, "a multiple of %u from %u to %u", step, found[first], last);
}

/* Finds the fragment of another instruction that has all the words; false if there is none.
 * Prefers a variant of the same instruction, such as tcgen05.mma.cta2 for tcgen05.mma; then one
 * that is sparse if this one is. */
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

/* Fails with the fragments whose shapes are nearest, first of all one of another instruction in
 * this shape; MAPPING_OK if there are none. */
static enum mapping_status other_shape(const char *name, const struct mapping_partial *partial,
                                       struct mapping_error *error) {
    struct mapping_fragment other;
    struct mapping_partial shaped;
    struct nearest nearest = nearest_to(name), close = nearest;
    char hint[3 * MAPPING_NAME_SIZE + 32], rule[WIDTH_RULE], candidate[MAPPING_NAME_SIZE];
    if (partial->shape.m == 0)
        return MAPPING_OK;
    find_close_shapes(partial, &close);
    if (close.count == 0)
        return MAPPING_OK;
    if (partial->shape.k > 0 && find_other_instruction(partial, &other)) {
        mapping_fragment_name(&other, candidate);
        nearest_insert(&nearest, 0, candidate);
    }
    const size_t best = close.found[0].distance;
    for (size_t c = 0; c < close.count && close.found[c].distance / ONE_SIZE == best / ONE_SIZE &&
                       close.found[c].distance % ONE_SIZE * 4 <= best % ONE_SIZE * 5;
         c++)
        nearest_insert(&nearest, 0, close.found[c].word);
    nearest_print(&nearest, hint, sizeof hint);
    *rule = '\0';
    if (mapping_partial_read(close.found[0].word, &shaped))
        explain_width(&shaped, partial->shape.n, rule);
    return mapping_fail(error, MAPPING_INVALID, "unknown fragment '%.100s'%s%s", name, hint, rule);
}

/* True if it is about a matrix that an instruction multiplies. */
static bool is_of_product(const struct mapping_partial *partial) {
    return mapping_instruction_multiplies(partial->instruction) &&
           (!partial->has_operand || partial->operand <= MAPPING_D);
}

/* Finds the C or D, of 32 bits if there is one, of the multiplications whose A is of a type. The
 * name stays as it is if there is none. */
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
    int type = 0;
    of_any_shape.shape = (struct mapping_shape){0};
    of_any_type.types = 0;
    while (type < MAPPING_TYPES && partial->types != UINT32_C(1) << type)
        type++;
    if (type == MAPPING_TYPES || !partial->has_operand || !is_of_product(partial) ||
        find_fitting(&of_any_shape, 0, &other))
        return false;
    const char *name = mapping_type_name((enum mapping_type)type);
    const unsigned bits = mapping_type_bits((enum mapping_type)type);
    const char operand = (char)toupper(mapping_operand_name(partial->operand)[0]);
    const bool is_result = partial->operand == MAPPING_C || partial->operand == MAPPING_D;
    if (find_fitting(&of_any_type, bits, &other))
        mapping_fragment_name(&other, candidate);
    if (is_result)
        find_result(partial, (enum mapping_type)type, result);
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

/* Fails with the nearest fragments if all words of the name are known, and it names a matrix of a
 * product or has a count such as .x4. MAPPING_OK if it is another name, or no fragment is near. */
static enum mapping_status explain_shape(const struct unknown *unknown) {
    struct mapping_partial partial = unknown->read->partial;
    char text[OTHER_TYPE_TEXT], with_mma[MAPPING_NAME_SIZE];
    snprintf(with_mma, sizeof with_mma, "mma.%.32s", unknown->name); /* m16n8k17 may be that */
    if ((!unknown->read->is_partial && !mapping_partial_read(with_mma, &partial)) ||
        (!is_of_product(&partial) && !partial.count))
        return MAPPING_OK;
    if (other_type(&partial, text))
        return fail_because(unknown->name, text, unknown->error);
    if (partial.count) {
        partial.shape.k = partial.count;
        partial.count = 0;
    }
    return other_shape(unknown->name, &partial, unknown->error);
}

/* True if it is an A whose location in Tensor Memory the PTX ISA does not specify: the instruction
 * has a D with this M and K, and no A with this M. */
static bool is_unspecified(const struct mapping_partial *read) {
    struct mapping_fragment found;
    if (!read->has_operand || read->operand != MAPPING_A || read->shape.m == 0)
        return false;
    struct mapping_partial any = {
        .instruction = read->instruction, .shape.m = read->shape.m, .has_operand = true};
    any.operand = MAPPING_A;
    if (find_fitting(&any, 0, &found))
        return false;
    any.operand = MAPPING_D;
    any.shape.k = read->shape.k;
    return find_fitting(&any, 0, &found);
}

/* Explains a name of wgmma or tcgen05 without a fragment: where its operand is instead, or what its
 * kind needs. */
static enum mapping_status explain_place(const struct unknown *unknown) {
    const char *name = unknown->name;
    const struct mapping_partial *partial = &unknown->read->partial;
    char text[MAPPING_SENTENCE] = "";
    static const char wgmma[] = "wgmma", multiply[] = "tcgen05.mma";
    const bool is_wgmma = strncasecmp(name, wgmma, sizeof wgmma - 1) == 0;
    const bool is_tcgen05 = strncasecmp(name, multiply, sizeof multiply - 1) == 0;
    const char *kind = strstr(name, "kind::mx");
    const size_t length = kind ? strcspn(kind, ". ") : 0;
    if (strcmp(name, "tcgen05") == 0)
        snprintf(text, MAPPING_SENTENCE,
                 "it is a group of instructions: tcgen05.mma (D, A and scale factors are in Tensor "
                 "Memory), tcgen05.ld and tcgen05.st (to and from registers), tcgen05.cp and "
                 "tcgen05.shift; name a fragment, such as the accumulator "
                 "tcgen05.mma.m128n128k16.d.f32; --with=tcgen05.ld.32x32b shows its registers");
    else if ((is_wgmma || is_tcgen05) && has_word(name, "b"))
        snprintf(text, MAPPING_SENTENCE,
                 "B of %s is in shared memory, with a layout such as Layout_K_SW128_Atom",
                 is_wgmma ? wgmma : multiply);
    else if (is_tcgen05 && has_word(name, "c"))
        snprintf(text, MAPPING_SENTENCE, "tcgen05.mma accumulates in place: C is D");
    else if (is_tcgen05 && kind && !strstr(name, "block_scale") &&
             mapping_word_is_in("kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4", kind, length))
        snprintf(text, MAPPING_SENTENCE, ".%.*s needs .block_scale%s", (int)length, kind,
                 strncmp(kind, "kind::mxf4n", strlen("kind::mxf4n")) == 0
                     ? ", and .block16, .block32, .scale_vec::2X or .scale_vec::4X"
                     : "");
    else if (is_tcgen05 && unknown->read->is_partial && is_unspecified(partial))
        snprintf(
            text, MAPPING_SENTENCE,
            "the PTX ISA does not specify the location of A of %s with M = %u in Tensor Memory",
            mapping_instruction_name(partial->instruction), partial->shape.m);
    return fail_because(name, text, unknown->error);
}

const char *instruction_without_fragment(const char *opcode) {
    for (size_t m = 0; m < sizeof managing / sizeof *managing; m++)
        if (strncmp(opcode, managing[m].start, strlen(managing[m].start)) == 0)
            return managing[m].does;
    return NULL;
}

enum mapping_status outside_fragment(const char *name, struct mapping_error *error) {
    const char *does = instruction_without_fragment(name);
    if (does)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.100s' has no fragment; it %s; --list shows all fragments", name,
                            does);
    for (size_t o = 0; o < sizeof outside / sizeof *outside; o++)
        if (strncmp(name, outside[o].start, strlen(outside[o].start)) == 0)
            return mapping_fail(error, MAPPING_INVALID, "'%.100s' %s; --list shows all fragments",
                                name, outside[o].what);
    return MAPPING_OK;
}

static enum mapping_status explain_outside(const struct unknown *unknown) {
    return outside_fragment(unknown->name, unknown->error);
}

/* ---- Explanations, the first that fits counts ---- */

/* Fails with a sentence about the name if it is of a kind; else MAPPING_OK. */
typedef enum mapping_status explain_function(const struct unknown *unknown);

static enum mapping_status explain_matrix(const struct unknown *unknown) {
    return mapping_smem_matrix_is_meant(unknown->name)
               ? mapping_fail(unknown->error, MAPPING_INVALID,
                              "'%.100s' is a matrix in memory, but --list, --diff and --confirm "
                              "take fragments",
                              unknown->name)
               : MAPPING_OK;
}

static enum mapping_status explain_file(const struct unknown *unknown) {
    const char *name = unknown->name;
    return strpbrk(name, "./") && access(name, R_OK) == 0
               ? mapping_fail(unknown->error, MAPPING_INVALID,
                              "'%.100s' is a file; --annotate=%.100s annotates a listing of SASS "
                              "or PTX, and --map=%.100s derives formulae from a CSV file",
                              name, name, name)
               : MAPPING_OK;
}

/* An operation of the CuTe DSL, with a wrong shape for example, is a name of an opcode. */
static enum mapping_status explain_operation(const struct unknown *unknown) {
    char name[MAPPING_SENTENCE];
    struct mapping_name read;
    bool is_a_shared;
    if (unknown->atom || !mapping_operation_read(unknown->name, name, &is_a_shared))
        return MAPPING_OK;
    mapping_name_read(name, &read);
    return unknown_fragment(name, &read, unknown->arch, unknown->error);
}

static enum mapping_status explain_atom(const struct unknown *unknown) {
    char candidate[MAPPING_NAME_SIZE];
    const char *name = unknown->name, *atom = unknown->atom;
    if (!atom)
        return MAPPING_OK;
    if (unknown->read->has_accumulator) {
        mapping_fragment_name(&unknown->read->found[0], candidate);
        return mapping_fail(unknown->error, MAPPING_INVALID,
                            "%.100s is %s; add them, or name a fragment, such as %s", name, atom,
                            candidate);
    }
    if (strchr(name, '<') && strncmp(atom, "tcgen05.mma", strlen("tcgen05.mma")) == 0)
        return mapping_fail(unknown->error, MAPPING_INVALID,
                            "%.100s: tcgen05.mma has no D with this combination of types, M and N; "
                            "--list 'tcgen05.mma.*.d.*' shows all D fragments",
                            name);
    return mapping_fail(unknown->error, MAPPING_INVALID,
                        "%.100s has no fragment of its own; it is %s; --list shows all fragments",
                        name, atom);
}

static enum mapping_status explain_opcode(const struct unknown *unknown) {
    const struct mapping_opcode *opcode = &unknown->read->opcode;
    return *opcode->text && !unknown->read->is_atom
               ? unshaped_opcode("", opcode, unknown->arch, unknown->error)
               : MAPPING_OK;
}

/* Parts of names and types of mma.h that need a change. */
static enum mapping_status explain_words(const struct unknown *unknown) {
    char sentence[MAPPING_SENTENCE];
    explain_type(unknown->name, sentence);
    if (!*sentence)
        unknown_scaled(unknown->name, sentence);
    return fail_because(unknown->name, sentence, unknown->error);
}

static enum mapping_status explain_layout(const struct unknown *unknown) {
    const char *name = unknown->name;
    return strpbrk(name, "()") && strpbrk(name, "0123456789") &&
                   strspn(name, "0123456789,:()_ ") == strlen(name)
               ? mapping_fail(unknown->error, MAPPING_INVALID,
                              "'%.100s' is not a valid layout; an example is '(64,64):(64,1)'",
                              name)
               : MAPPING_OK;
}

static enum mapping_status explain_size(const struct unknown *unknown) {
    const char *name = unknown->name;
    unsigned rows, cols;
    int end = 0;
    /* NOLINTNEXTLINE(cert-err34-c): five digits are always in range */
    if (sscanf(name, "%5ux%5u%n", &rows, &cols, &end) != 2 || name[end] || rows > UINT16_MAX ||
        cols > UINT16_MAX)
        return MAPPING_OK;
    const char *scales = near_scales(rows, cols);
    return *scales ? mapping_fail(unknown->error, MAPPING_INVALID,
                                  "'%.100s' is not a layout of scale factors; did you mean %s? "
                                  "(a row-major matrix in memory is '(%u,%u):(%u,1)')",
                                  name, scales, rows, cols, cols)
                   : mapping_fail(unknown->error, MAPPING_INVALID,
                                  "'%.100s' is not a fragment; a row-major matrix in memory is "
                                  "'(%u,%u):(%u,1)', a column-major matrix is "
                                  "'(%u,%u):(1,%u)'",
                                  name, rows, cols, cols, rows, cols, rows);
}

/* Words of opcodes: names the first opcode with them. */
static enum mapping_status explain_part(const struct unknown *unknown) {
    struct mapping_opcode opcode;
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    char example[MAPPING_NAME_SIZE] = "";
    size_t index = 0;
    while (mapping_opcode_at(index, &opcode) && !is_part_of(unknown->name, opcode.text))
        index++;
    if (!mapping_opcode_at(index, &opcode))
        return MAPPING_OK;
    if (mapping_opcode_fragments(&opcode, fragments) > 0)
        mapping_fragment_name(&fragments[0], example);
    return mapping_fail(unknown->error, MAPPING_INVALID,
                        "'%.100s' is only part of an opcode; name a whole opcode, such as %s%s%s",
                        unknown->name, opcode.text, *example ? ", or a fragment of it, " : "",
                        example);
}

/* The names that are nearest; of any kind. */
static enum mapping_status explain_nearest(const struct unknown *unknown) {
    const char *name = unknown->name, *known;
    const bool is_atom = unknown->is_atom, is_wmma = strstr(name, "wmma.mma"); /* no load, store */
    const bool is_opcode = strstr(name, ".sync.") || strstr(name, ".kind::");
    char candidate[MAPPING_NAME_SIZE], hint[448];
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
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(unknown->error, MAPPING_INVALID, "unknown %s '%.100s'%s",
                        is_atom ? "atom" : "fragment", name,
                        *hint ? hint
                        : strncmp(name, "SM100_TMEM_", 11) == 0
                            ? "; an atom for Tensor Memory has a name such as "
                              "SM100_TMEM_LOAD_32dp32b32x"
                        : is_atom ? "; an atom has a name such as SM80_16x8x16_F32F16F16F32_TN or "
                                    "SM120_16x8x32_TN<float_e4m3_t, float_e4m3_t, float>"
                                  : "; --list shows all fragments");
}

enum mapping_status unknown_fragment(const char *name, const struct mapping_name *read,
                                     unsigned arch, struct mapping_error *error) {
    static explain_function *const explanations[] = {
        explain_matrix,  explain_file,  explain_operation, explain_atom, explain_opcode,
        explain_outside, explain_words, explain_layout,    explain_size, explain_part,
        explain_place,   explain_shape, explain_nearest};
    const struct unknown unknown = {.name = name,
                                    .read = read,
                                    .atom = mapping_atom_outside(name),
                                    .arch = arch,
                                    .is_atom = mapping_atom_is_meant(name),
                                    .error = error};
    enum mapping_status status = MAPPING_OK;
    for (size_t e = 0; e < sizeof explanations / sizeof *explanations && status == MAPPING_OK; e++)
        status = explanations[e](&unknown);
    return status;
}
