/* conversion.c - converts the registers of one fragment to those of another; see conversion.h. */
#include "report/conversion.h"

#include "report/derive.h"
#include "system/system.h"

#include <stdio.h>

/* The groups of types whose elements can be rounded or truncated to each other. */
enum kind { FLOATING_POINT, INTEGERS, SINGLE_BITS, SCALE_FACTORS, ANY_16_BITS };

static enum kind kind_of(enum mapping_type type) {
    switch (type) {
    case MAPPING_S32:
    case MAPPING_S8:
    case MAPPING_U8:
    case MAPPING_S4:
    case MAPPING_U4:
        return INTEGERS;
    case MAPPING_B1:
        return SINGLE_BITS;
    case MAPPING_UE8M0:
    case MAPPING_UE4M3:
        return SCALE_FACTORS;
    case MAPPING_B16:
        return ANY_16_BITS;
    default:
        return FLOATING_POINT;
    }
}

static bool can_round(const struct mapping_fragment *source,
                      const struct mapping_fragment *target) {
    enum kind from = kind_of(source->type), to = kind_of(target->type);
    if (from == ANY_16_BITS || to == ANY_16_BITS)
        return source->bits == target->bits; /* because no integer type has 16 bits */
    return from == to;
}

bool conversion_rounds(const struct conversion *conversion) {
    const struct mapping_fragment *source = &conversion->source->observed.fragment,
                                  *target = &conversion->target->observed.fragment;
    return source->type != target->type && kind_of(source->type) != ANY_16_BITS &&
           kind_of(target->type) != ANY_16_BITS;
}

/* True for operands that are not matrices of a product: metadata, scale factors and addresses. */
static bool is_special(enum mapping_operand operand) {
    return operand == MAPPING_E || operand == MAPPING_SFA || operand == MAPPING_SFB ||
           operand == MAPPING_P;
}

static bool divides(uint32_t a, uint32_t b) {
    return a % b == 0 || b % a == 0;
}

/* "4 separate 8x8 matrices" or "one 16x16 matrix". */
static const char *matrices_text(const struct mapping_fragment *fragment) {
    if (fragment->blocks == 1)
        return memory_format("one %ux%u matrix", fragment->rows, fragment->cols);
    return memory_format("%u separate %ux%u matrices", fragment->blocks, fragment->rows,
                         fragment->cols);
}

enum mapping_status conversion_check(const struct mapping_fragment *source, const char *from,
                                     const struct mapping_fragment *target, const char *to,
                                     struct mapping_error *error) {
    static const char *const kinds[] = {"floating-point elements", "integer elements",
                                        "1-bit elements", "scale factors",
                                        "untyped 16-bit elements"};
    for (int s = 0; s < 2; s++)
        if ((s ? target : source)->place != MAPPING_IN_REGISTERS)
            return mapping_fail(
                error, MAPPING_INVALID, "%.100s cannot become %.100s: %s %s", from, to,
                s ? to : from,
                (s ? target : source)->place == MAPPING_ACROSS
                    ? "maps registers to lanes of Tensor Memory, not to rows and columns"
                    : "is in Tensor Memory; write a fragment of tcgen05.ld or tcgen05.st "
                      "instead, such as tcgen05.ld.32x32b.x16.r.b32");
    if ((is_special(source->operand) || is_special(target->operand)) &&
        source->operand != target->operand)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s cannot become %.100s: operand %s cannot be used as operand %s%s", from, to,
            mapping_operand_name(source->operand), mapping_operand_name(target->operand),
            source->operand == MAPPING_P || target->operand == MAPPING_P
                ? "; operand p holds row addresses, operand r the elements"
            : source->operand == MAPPING_E || target->operand == MAPPING_E
                ? "; operand e holds the sparsity metadata of A"
                : "; operand sfa holds scale factors of A, sfb those of B");
    if (source->blocks != target->blocks)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s cannot become %.100s: the first has %s, the second has %s",
                            from, to, matrices_text(source), matrices_text(target));
    const bool is_dequantized = kind_of(source->type) == INTEGERS &&
                                kind_of(target->type) == FLOATING_POINT &&
                                source->operand == target->operand;
    const char *advice = "";
    if (is_dequantized && source->bits == 4 && target->bits == 16)
        advice = memory_format(
            "; 'mapping %s --order=%s --format=cuda' packs 4-bit weights and converts them", to,
            mapping_type_name(source->type));
    else if (is_dequantized)
        advice = memory_format("; 'mapping %s --order --format=cuda' shows the order in which to "
                               "store integer weights for it",
                               to);
    if (!can_round(source, target))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s cannot become %.100s: the first has %s, the second has %s%s",
                            from, to, kinds[kind_of(source->type)], kinds[kind_of(target->type)],
                            advice);
    if (source->threads != target->threads) {
        const char *hint = "";
        /* a fragment of m8n8k4 is a quarter of a warp */
        if (source->threads == MAPPING_WARP && source->instruction == MAPPING_MMA &&
            source->shape.m == 16)
            hint = memory_format("; add --atom-layout='(%u,1,1)' to tile the first over %u warps",
                                 target->threads / MAPPING_WARP, target->threads / MAPPING_WARP);
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s cannot become %.100s: the first has %u threads, the second has %u%s", from, to,
            source->threads, target->threads, hint);
    }
    if (!divides(source->rows, target->rows) || !divides(source->cols, target->cols))
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s cannot become %.100s: the sizes %ux%u and %ux%u do not match; in each "
            "dimension, one must be a multiple of the other",
            from, to, source->rows, source->cols, target->rows, target->cols);
    return MAPPING_OK;
}

/* Searches for a permutation that makes shuffles unnecessary: of columns, then of rows. */
static void permute(struct conversion *conversion) {
    const struct mapping_layout *source = &conversion->source->forward.layout,
                                *target = &conversion->target->forward.layout;
    struct mapping_error ignored;
    for (int rows = 0; rows < 2 && !conversion->is_permutable; rows++)
        conversion->is_permutable =
            mapping_permutation_find(&conversion->plan, rows, &conversion->permutation);
    if (conversion->is_permutable)
        mapping_convert_plan(source, target, conversion->plan.bits, &conversion->permutation,
                             &conversion->permuted, &ignored);
    conversion->is_permutable =
        conversion->is_permutable && conversion->permuted.kind < CONVERT_SHUFFLES;
}

/* ---- Scale factors ---- */

static bool is_scale(const struct mapping_fragment *fragment) {
    return (fragment->operand == MAPPING_SFA || fragment->operand == MAPPING_SFB) &&
           fragment->place == MAPPING_IN_REGISTERS;
}

static bool is_accumulator(const struct mapping_fragment *fragment) {
    return (fragment->operand == MAPPING_C || fragment->operand == MAPPING_D) &&
           fragment->place == MAPPING_IN_REGISTERS;
}

bool conversion_is_of_scales(const struct mapping_fragment *source,
                             const struct mapping_fragment *target) {
    return (is_scale(source) && is_accumulator(target)) ||
           (is_accumulator(source) && is_scale(target));
}

/* Finds the factors that the threads of an accumulator need, with the block size of SFA or SFB. */
static enum mapping_status find_scales(const struct report *held, const struct report *operand,
                                       struct line_scales *scales, struct mapping_error *error) {
    const struct mapping_fragment *factors = &operand->observed.fragment,
                                  *of = &held->observed.fragment;
    const bool is_columns = factors->operand == MAPPING_SFB;
    const uint32_t k = factors->shape.k, size = is_columns ? of->rows : of->cols,
                   length = size > k ? size : k;
    struct report *report = &scales->report;
    *scales = (struct line_scales){.of = held,
                                   .is_columns = is_columns,
                                   .block = k / factors->scale_vector,
                                   .tiles = length / size};
    if (of->blocks > 1 || length % size != 0 || length % k != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "the %s of %.100s, %u x %u in %u block%s, are not those of %s for "
                            "%.100s, with K = %u",
                            is_columns ? "rows" : "columns", held->name, of->rows, of->cols,
                            of->blocks, of->blocks == 1 ? "" : "s", is_columns ? "B" : "A",
                            operand->name, k);
    const enum mapping_status status = mapping_line_factors(
        &held->forward.layout, is_columns, scales->block, length, &report->forward.layout, error);
    if (status != MAPPING_OK)
        return status;
    const struct mapping_space *from = &report->forward.layout.from,
                               *to = &report->forward.layout.to;
    scales->has_sharing =
        size <= scales->block &&
        mapping_sharing_find(&held->forward.layout, is_columns, &scales->sharing) == MAPPING_OK;
    derive_formulae(&report->forward);
    report->kind = held->kind;
    report->arch = held->arch;
    report->is_default_arch = held->is_default_arch;
    report->tiling = held->tiling;
    snprintf(report->name, sizeof report->name, "%.150s.scales", held->name);
    report->observed.fragment = *of;
    report->observed.fragment.operand = factors->operand;
    report->observed.fragment.type = factors->type;
    report->observed.fragment.bits = factors->bits;
    report->observed.fragment.elements = from->axis[1].size;
    report->observed.fragment.rows = to->axis[0].size;
    report->observed.fragment.cols = to->axis[1].size;
    return MAPPING_OK;
}

/* If one side is an accumulator and the other its scale factors, replaces the accumulator by the
 * factors that it needs. */
static enum mapping_status take_scales(struct conversion *conversion, struct mapping_error *error) {
    const struct report *source = conversion->source, *target = conversion->target;
    const bool is_from = is_accumulator(&source->observed.fragment);
    if (!conversion_is_of_scales(&source->observed.fragment, &target->observed.fragment))
        return MAPPING_OK;
    conversion->scales = memory_get(1, sizeof *conversion->scales);
    const enum mapping_status status = find_scales(
        is_from ? source : target, is_from ? target : source, conversion->scales, error);
    *(is_from ? &conversion->source : &conversion->target) = &conversion->scales->report;
    return status;
}

/* Prints "row = tid / 4 + i / 4 * 8, col = i % 4"; nothing if there is no formula. */
static void print_places(struct printer *to, const struct line_scales *scales) {
    const struct mapping_layout *layout = &scales->report.forward.layout;
    for (uint32_t c = 0; c < 2; c++) {
        const char *formula = factored_formula(&layout->from, layout->coordinate[c]);
        if (!formula) {
            to->size = 0;
            return;
        }
        print(to, "%s%s = %s", c ? ", " : "factor i: ", layout->to.axis[c].name, formula);
    }
}

struct strings line_scales_describe(const struct line_scales *scales) {
    const bool is_columns = scales->is_columns;
    const struct mapping_sharing *sharing = &scales->sharing;
    const bool is_alone = sharing->threads == 1;
    struct strings lines = {.count = 0};
    struct printer places = {.text = NULL}, sharers = {.text = NULL};
    strings_add(&lines, memory_format("%.150s: each thread has the factors for its elements",
                                      scales->report.name));
    strings_add(&lines, memory_format("of %u %.150s%s", scales->tiles, scales->of->name,
                                      scales->tiles == 1 ? ""
                                      : is_columns       ? ", one below the other"
                                                         : ", side by side"));
    strings_add(&lines, memory_format("%u elements of a %s share a factor; %s of D has factor %s / "
                                      "%u",
                                      scales->block, is_columns ? "column" : "row",
                                      is_columns ? "row r" : "column c", is_columns ? "r" : "c",
                                      scales->block));
    print_places(&places, scales);
    if (places.size > 0)
        strings_add(&lines, printer_string(&places));
    if (!scales->has_sharing || sharing->crosses_warps)
        return lines;
    print(&sharers, "%u thread%s %s a block%s", sharing->threads, is_alone ? "" : "s",
          is_alone ? "has" : "share",
          is_alone ? "" : "; find its largest element with __shfl_xor_sync, laneMask");
    for (uint32_t g = 0; g < sharing->generator_count; g++)
        print(&sharers, "%s %u", g ? "," : "", sharing->generators[g]);
    strings_add(&lines, printer_string(&sharers));
    return lines;
}

enum mapping_status conversion_make(const struct report *source, const struct report *target,
                                    struct conversion *conversion, struct mapping_error *error) {
    *conversion = (struct conversion){.source = source, .target = target};
    enum mapping_status status = take_scales(conversion, error);
    if (status != MAPPING_OK)
        return status;
    source = conversion->source;
    target = conversion->target;
    const struct mapping_fragment *to = &target->observed.fragment;
    status = conversion_check(&source->observed.fragment, source->name, to, target->name, error);
    if (status == MAPPING_OK)
        status = mapping_convert_plan(&source->forward.layout, &target->forward.layout, to->bits,
                                      NULL, &conversion->plan, error);
    /* the columns of a sparse A are not K */
    bool may_permute = to->operand != MAPPING_A || !mapping_instruction_is_sparse(to->instruction);
    may_permute = may_permute && !conversion->scales; /* its rows are those of the accumulator */
    if (status == MAPPING_OK && may_permute && conversion->plan.kind >= CONVERT_SHUFFLES)
        permute(conversion);
    return status;
}
