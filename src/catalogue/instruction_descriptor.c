/* instruction_descriptor.c - the 32-bit instruction descriptor, which states the shape and the
 * types of a tcgen05.mma: PTX ISA 9.1, 9.7.16.4.2, Tables 42 to 44; InstrDescriptor and
 * InstrDescriptorBlockScaled of CUTLASS's include/cute/arch/mma_sm100_desc.hpp. The meaning of the
 * bits depends on the kind:
 *
 *             f16, tf32, f8f6f4, i8                  with scale factors: mxf8f6f4, mxf4, mxf4nvf4
 *     0-1     sparsity selector                      0
 *     2       sparse                                 sparse
 *     3       saturate (i8)                          0
 *     4-5     type of D                              scale factor ID of B
 *     7-9     type of A                              type of A
 *     10-12   type of B                              type of B; of mxf4 and mxf4nvf4 only 10-11
 *     13, 14  negate A, B (not i8)                   negate A, B
 *     15, 16  A, B are transposed: not K-major       likewise, only mxf8f6f4
 *     17-22   N / 8                                  N / 8
 *     23      0                                      type of the scale factors
 *     24-28   M / 16                                 27-28: M / 128
 *     29-30   29: 0                                  scale factor ID of A
 *     30-31   maximum shift of B (.ws)               31: K is 96, only mxf4 and mxf4nvf4 */
#include "catalogue/family.h"

#include "layout/ascii.h"

#include <stdio.h>
#include <string.h>

enum { SPARSE = 2, TYPE_OF_D = 4, TYPE_OF_A = 7, TYPE_OF_B = 10, N_BY_8 = 17, UE8M0_SCALES = 23 };
enum { M_BY_16 = 24, K_IS_96 = 31, LONG_K = 96 };

/* A type, and its number in the descriptor. */
struct numbered {
    enum mapping_type type;
    uint8_t number;
};

/* clang-format off */
#define D_OF_FLOATS {{MAPPING_F32, 1}, {MAPPING_F16, 0}}
#define AB_OF_8_TO_4_BITS                                                                          \
    {{MAPPING_E4M3, 0}, {MAPPING_E5M2, 1}, {MAPPING_E2M3, 3}, {MAPPING_E3M2, 4}, {MAPPING_E2M1, 5}}
/* clang-format on */

/* A kind, with the types of D, and those of A and B. With scale factors, there is no type of D. */
static const struct kind {
    const char *name;
    uint16_t depth; /* K of dense matrices, if it is not 96 */
    bool has_scales, has_long_k;
    uint32_t scales; /* set of the types of scale factors */
    uint8_t d_count, ab_count;
    struct numbered d[2], ab[5];
} kinds[] = {
    {"f16", 16, false, false, 0, 2, 2, D_OF_FLOATS, {{MAPPING_F16, 0}, {MAPPING_BF16, 1}}},
    {"tf32", 8, false, false, 0, 1, 1, {{MAPPING_F32, 1}}, {{MAPPING_TF32, 2}}},
    {"f8f6f4", 32, false, false, 0, 2, 5, D_OF_FLOATS, AB_OF_8_TO_4_BITS},
    {"mxf8f6f4", 32, true, false, UE8M0, 1, 5, {{MAPPING_F32, 0}}, AB_OF_8_TO_4_BITS},
    {"i8", 32, false, false, 0, 1, 2, {{MAPPING_S32, 2}}, {{MAPPING_S8, 1}, {MAPPING_U8, 0}}},
    {"mxf4", 64, true, true, UE8M0, 1, 1, {{MAPPING_F32, 0}}, {{MAPPING_E2M1, 1}}},
    {"mxf4nvf4", 64, true, true, UE4M3 | UE8M0, 1, 1, {{MAPPING_F32, 0}}, {{MAPPING_E2M1, 1}}},
};

/* ---- From a fragment ---- */

/* The type of scale factors in the descriptor for a fragment: the one that only this kind has. */
static enum mapping_type usual_scales(const struct kind *kind) {
    return kind->scales & UE4M3 ? MAPPING_UE4M3 : kind->scales ? MAPPING_UE8M0 : MAPPING_F32;
}

/* True if the kind can compute this D (scale factors: PTX ISA 9.1, Table 39). */
static bool makes(const struct kind *kind, const struct numbered *d, uint32_t depth,
                  const struct mapping_fragment *fragment, bool is_sparse) {
    const uint16_t scaled_from = mapping_family(fragment->instruction)->scaled_from;
    return fragment->shape.k == depth << is_sparse && fragment->type == d->type &&
           (!kind->has_scales || (scaled_from > 0 && fragment->shape.m >= scaled_from));
}

/* The bits of the descriptor, with the first type of the kind for A and B. */
static uint32_t encode(const struct kind *kind, const struct numbered *d, uint32_t depth,
                       struct mapping_shape shape, bool is_sparse) {
    const bool has_ue8m0 = usual_scales(kind) == MAPPING_UE8M0;
    const uint32_t ab = kind->ab[0].number;
    return (uint32_t)is_sparse << SPARSE | (uint32_t)d->number << TYPE_OF_D | ab << TYPE_OF_A |
           ab << TYPE_OF_B | shape.n / 8U << N_BY_8 | (uint32_t)has_ue8m0 << UE8M0_SCALES |
           shape.m / 16U << M_BY_16 | (uint32_t)(depth == LONG_K) << K_IS_96;
}

bool mapping_instruction_descriptor(const struct mapping_fragment *fragment, size_t n,
                                    struct mapping_instruction_descriptor *descriptor) {
    const bool is_sparse = mapping_instruction_is_sparse(fragment->instruction);
    if (mapping_instruction_form(fragment->instruction) != TCGEN05_FORM ||
        !mapping_instruction_multiplies(fragment->instruction) || fragment->operand != MAPPING_D)
        return false;
    for (const struct kind *kind = kinds; kind < kinds + COUNT(kinds); kind++)
        for (size_t d = 0; d < kind->d_count; d++)
            for (int is_long = 0; is_long <= (kind->has_long_k ? 1 : 0); is_long++) {
                const uint32_t depth = is_long ? LONG_K : kind->depth;
                if (!makes(kind, &kind->d[d], depth, fragment, is_sparse) || n-- > 0)
                    continue;
                *descriptor = (struct mapping_instruction_descriptor){
                    encode(kind, &kind->d[d], depth, fragment->shape, is_sparse), kind->name,
                    kind->ab[0].type, kind->has_scales, usual_scales(kind)};
                return true;
            }
    return false;
}

/* ---- From a number ---- */

const char *mapping_kind_name(size_t kind) {
    return kind < COUNT(kinds) ? kinds[kind].name : NULL;
}

/* Adds a field with a type from a list. */
static enum mapping_type add_type(struct mapping_fields *fields, const char *name, unsigned low,
                                  unsigned high, const struct numbered *types, size_t count) {
    const uint64_t number = mapping_fields_add(fields, name, low, high);
    char valid[FIELD_TEXT] = "";
    for (size_t t = 0; t < count; t++) {
        const char *type = mapping_type_name(types[t].type);
        if (types[t].number == number) {
            mapping_fields_say(fields, true, "%s", type);
            return types[t].type;
        }
        const size_t length = strlen(valid);
        snprintf(valid + length, sizeof valid - length, "%s%u (%s)", t ? ", " : "", types[t].number,
                 type);
    }
    mapping_fields_say(fields, false, "no type; valid: %s", valid);
    return types[0].type;
}

/* Adds a one-bit field with its two meanings; NULL if the bit must not be 1. */
static bool add_flag(struct mapping_fields *fields, const char *name, unsigned bit,
                     const char *unset, const char *set, const char *refused) {
    const bool is_set = mapping_fields_add(fields, name, bit, bit) != 0;
    mapping_fields_say(fields, !is_set || set, "%s", !is_set ? unset : set ? set : refused);
    return is_set;
}

static uint32_t add_scale_id(struct mapping_fields *fields, const char *name, unsigned low,
                             bool is_even) {
    const uint32_t id = (uint32_t)mapping_fields_add(fields, name, low, low + 1);
    mapping_fields_say(fields, !is_even || id % 2 == 0,
                       is_even && id % 2 != 0 ? "must be 0 or 2 for this kind" : "%u", id);
    return id;
}

/* Adds M or N, which is stored without its lowest bits. */
static uint32_t add_size(struct mapping_fields *fields, const char *name, unsigned low,
                         unsigned high, uint32_t unit) {
    const uint32_t size = (uint32_t)mapping_fields_add(fields, name, low, high) * unit;
    mapping_fields_say(fields, size > 0 && size <= 256,
                       size == 0     ? "%c must not be 0"
                       : size <= 256 ? "%c = %u"
                                     : "%c = %u, more than 256",
                       ascii_upper(*name), size);
    return size;
}

static void add_lowest(const struct kind *kind, struct mapping_decoded *decoded) {
    struct mapping_fields *fields = &decoded->fields;
    decoded->is_sparse = fields->value >> SPARSE & 1;
    if (!kind->has_scales) {
        const unsigned selector = (unsigned)mapping_fields_add(fields, "sparsity_selector", 0, 1);
        mapping_fields_say(fields, true, decoded->is_sparse ? "%u" : "not used, because A is dense",
                           selector);
    }
    add_flag(fields, "sparse", SPARSE, "A is dense", "A is sparse", NULL);
    if (!kind->has_scales)
        add_flag(fields, "saturate", 3, "no", kind->d[0].type == MAPPING_S32 ? "yes" : NULL,
                 "only for kind::i8");
}

static void add_types(const struct kind *kind, struct mapping_decoded *decoded) {
    struct mapping_fields *fields = &decoded->fields;
    decoded->d = kind->d[0].type;
    if (kind->has_scales)
        decoded->b_scale_id = add_scale_id(fields, "b_scale_factor_id", 4, kind->has_long_k);
    else
        decoded->d = add_type(fields, "d_type", TYPE_OF_D, 5, kind->d, kind->d_count);
    decoded->a = add_type(fields, "a_type", TYPE_OF_A, 9, kind->ab, kind->ab_count);
    decoded->b =
        add_type(fields, "b_type", TYPE_OF_B, kind->has_long_k ? 11 : 12, kind->ab, kind->ab_count);
    const char *negated = kind->d[0].type == MAPPING_S32 ? NULL : "yes";
    decoded->is_a_negated = add_flag(fields, "negate_a", 13, "no", negated, "not for kind::i8");
    decoded->is_b_negated = add_flag(fields, "negate_b", 14, "no", negated, "not for kind::i8");
    const bool turns = !kind->has_long_k;
    const char *refused = "A and B of 4 bits are K-major for this kind";
    decoded->is_a_mn_major =
        add_flag(fields, "transpose_a", 15, "A is K-major", turns ? "A is M-major" : NULL, refused);
    decoded->is_b_mn_major =
        add_flag(fields, "transpose_b", 16, "B is K-major", turns ? "B is N-major" : NULL, refused);
}

static void add_scales(const struct kind *kind, struct mapping_decoded *decoded) {
    struct mapping_fields *fields = &decoded->fields;
    const bool is_ue8m0 = mapping_fields_add(fields, "scale_type", UE8M0_SCALES, UE8M0_SCALES) != 0;
    decoded->scales = is_ue8m0 ? MAPPING_UE8M0 : MAPPING_UE4M3;
    mapping_fields_say(fields, kind->scales >> decoded->scales & 1,
                       kind->scales >> decoded->scales & 1 ? "%s" : "%s; this kind needs ue8m0 (1)",
                       mapping_type_name(decoded->scales));
    decoded->m = add_size(fields, "m", 27, 28, 128);
    decoded->a_scale_id = add_scale_id(fields, "a_scale_factor_id", 29, kind->has_long_k);
    if (!kind->has_long_k)
        return;
    const bool is_long = mapping_fields_add(fields, "k", K_IS_96, K_IS_96) != 0;
    decoded->k = is_long ? LONG_K : decoded->k;
    mapping_fields_say(fields, !is_long || !decoded->is_sparse,
                       is_long && decoded->is_sparse ? "K = 96 is only for dense A" : "K = %u",
                       decoded->k);
}

bool mapping_instruction_decode(uint32_t value, size_t number, struct mapping_decoded *decoded) {
    const struct kind *kind = &kinds[number];
    struct mapping_fields *fields = &decoded->fields;
    *decoded = (struct mapping_decoded){.kind = kind->name, .has_scales = kind->has_scales};
    mapping_fields_begin(fields, value);
    add_lowest(kind, decoded);
    add_types(kind, decoded);
    decoded->k = (uint32_t)kind->depth << decoded->is_sparse;
    decoded->n = add_size(fields, "n", N_BY_8, 22, 8);
    if (kind->has_scales) {
        add_scales(kind, decoded);
    } else {
        decoded->m = add_size(fields, "m", M_BY_16, 28, 16);
        const unsigned shift = (unsigned)mapping_fields_add(fields, "maximum_shift", 30, 31);
        mapping_fields_say(fields, true, shift ? "at most %u, for tcgen05.mma.ws" : "no shift of B",
                           shift ? 4U << shift : 0);
    }
    mapping_fields_end(fields, 31);
    return fields->wrong == 0;
}

size_t mapping_instruction_results(const struct mapping_decoded *decoded, unsigned arch,
                                   struct mapping_fragment found[RESULTS_MAX]) {
    static const char *const ways[] = {"", ".cta2", ".ws"};
    size_t count = 0;
    for (size_t w = 0; w < COUNT(ways) && decoded->fields.wrong == 0; w++) {
        char name[MAPPING_NAME_SIZE];
        struct mapping_fragment named[MAPPING_FOUND_MAX];
        struct mapping_instruction_descriptor descriptor = {.kind = ""};
        snprintf(name, sizeof name, "tcgen05.mma%s%s.m%un%uk%u.d.%s", ways[w],
                 decoded->is_sparse ? ".sp" : "", decoded->m, decoded->n, decoded->k,
                 mapping_type_name(decoded->d));
        if (mapping_catalogue_find(name, named) != 1 ||
            (arch && !mapping_fragment_on(&named[0], arch)))
            continue;
        for (size_t n = 0; strcmp(descriptor.kind, decoded->kind) != 0; n++)
            if (!mapping_instruction_descriptor(&named[0], n, &descriptor))
                break;
        if (strcmp(descriptor.kind, decoded->kind) == 0)
            found[count++] = named[0];
    }
    return count;
}

void mapping_instruction_text(const struct mapping_decoded *decoded, char text[DECODED_TEXT]) {
    const char *const a = decoded->is_a_negated ? "-" : "", *const b =
                                                                decoded->is_b_negated ? "-" : "";
    int length =
        snprintf(text, DECODED_TEXT, "kind::%s m%un%uk%u%s, D %s, A %s%s %s, B %s%s %s",
                 decoded->kind, decoded->m, decoded->n, decoded->k,
                 decoded->is_sparse ? " sparse" : "", mapping_type_name(decoded->d), a,
                 mapping_type_name(decoded->a), decoded->is_a_mn_major ? "M-major" : "K-major", b,
                 mapping_type_name(decoded->b), decoded->is_b_mn_major ? "N-major" : "K-major");
    if (decoded->has_scales)
        snprintf(text + length, DECODED_TEXT - (size_t)length, ", scales %s (IDs %u, %u)",
                 mapping_type_name(decoded->scales), decoded->a_scale_id, decoded->b_scale_id);
}
