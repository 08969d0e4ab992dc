/* problem.c - the problem that a kernel should solve; see problem.h. */
#include "probe/problem.h"

#include <math.h>

const char *probe_op_name(size_t op) {
    static const char *const names[] = {
        [PROBE_COPY] = "copy", [PROBE_GEMM] = "gemm", [PROBE_ATTENTION] = "attention"};
    return op < PROBE_OPS ? names[op] : NULL;
}

const char *probe_role_name(enum probe_role role) {
    static const char *const names[] = {
        [PROBE_A] = "A",       [PROBE_B] = "B",     [PROBE_D] = "D",    [PROBE_C] = "C",
        [PROBE_BIAS] = "bias", [PROBE_SFA] = "SFA", [PROBE_SFB] = "SFB"};
    return role < PROBE_ROLES ? names[role] : NULL;
}

const char *probe_operand_name(enum probe_op op, enum probe_role role) {
    static const char *const names[] = {
        [PROBE_A] = "Q", [PROBE_B] = "K", [PROBE_D] = "O", [PROBE_C] = "V"};
    return op == PROBE_ATTENTION && role <= PROBE_C ? names[role] : probe_role_name(role);
}

/* Checks the types of a product. MAPPING_INVALID, with a message, if no tensor-core product has
 * this combination. */
static enum mapping_status check_types(const struct problem *problem, struct mapping_error *error) {
    const enum mapping_type a = problem->operand[PROBE_A].type, b = problem->operand[PROBE_B].type;
    const enum mapping_type d = problem->operand[PROBE_D].type, in = problem->accumulator;
    const bool is_float = number_is_float(a);
    if (number_is_float(b) != is_float || a == MAPPING_S32 || b == MAPPING_S32)
        return mapping_fail(error, MAPPING_INVALID, "a product of %s and %s is not probed",
                            mapping_type_name(a), mapping_type_name(b));
    if (is_float ? in != MAPPING_F64 && in != MAPPING_F32 && in != MAPPING_F16 : in != MAPPING_S32)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s is no accumulator for %s; it is f64, f32 or f16 for floats, s32 "
                            "for integers",
                            mapping_type_name(in), mapping_type_name(a));
    if (number_is_float(d) ? number_bits(d) < 8 : d != MAPPING_S32 && d != MAPPING_S8)
        return mapping_fail(error, MAPPING_INVALID, "D of type %s is not probed",
                            mapping_type_name(d));
    if (d == MAPPING_S8 && is_float)
        return mapping_fail(error, MAPPING_INVALID, "D of type s8 needs A and B of integers");
    if (d != MAPPING_S32 && number_is_unsigned(a) && number_is_unsigned(b))
        return mapping_fail(error, MAPPING_INVALID,
                            "D of a product of %s and %s is only probed with type s32",
                            mapping_type_name(a), mapping_type_name(b));
    for (unsigned n = 0; n < 2; n++) {
        const double factor = fabs(n == 0 ? problem->alpha : problem->beta);
        int power;
        if (factor != 0 && (frexp(factor, &power) != 0.5 || power < -2 || power > 4 ||
                            (!number_is_float(d) && factor != 1)))
            return mapping_fail(
                error, MAPPING_INVALID, "--%s must be 1 or -1%s", n == 0 ? "alpha" : "beta",
                number_is_float(d) ? ", or a power of two from 1/8 to 8" : " if D has integers");
    }
    if (is_float && d == MAPPING_S32)
        return mapping_fail(error, MAPPING_INVALID, "D of type s32 needs A and B of integers");
    return MAPPING_OK;
}

/* ---- Scale factors ---- */

/* Returns the block size of a layout, if it is used with only one; otherwise 0. */
static uint32_t only_block(const struct mapping_scales *scales) {
    const uint32_t blocks = scales->kind->blocks;
    return scales->block ? scales->block : (blocks & (blocks - 1)) == 0 ? blocks : 0;
}

static enum mapping_status complete_side(struct problem *problem, unsigned side,
                                         struct mapping_error *error) {
    struct mapping_scales *scales = &problem->scales[side];
    struct operand_memory *of = &problem->operand[PROBE_SFA + side];
    const char *name = side == 0 ? "A" : "B", *option = side == 0 ? "sfa" : "sfb";
    const uint32_t extent[2] = {side == 0 ? problem->m : problem->n, problem->k};
    if (!number_is_float(problem->operand[side].type))
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s: %s has integers; only floats have scale factors", option, name);
    uint32_t block = problem->block ? problem->block : only_block(scales);
    if (scales->kind->is_of_row)
        block = scales->block = 0;
    else if (block == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s=%s needs --block, the number of elements that share a factor",
                            option, scales->name);
    const uint32_t of_row[2] = {extent[0], 1};
    const enum mapping_status status =
        mapping_scales_resize(scales, block ? extent : of_row, block, error);
    if (status != MAPPING_OK)
        return status;
    if (scales->kind->is_of_row)
        scales->block = problem->k;
    if (of->type == MAPPING_F64) { /* MAPPING_F64 is 0: the type is not set */
        const uint32_t types = mapping_types_find(mapping_scales_type(scales));
        of->type = (enum mapping_type)__builtin_ctz(types);
    }
    of->type = of->type == MAPPING_E4M3 ? MAPPING_UE4M3 : of->type;
    const uint32_t bits = scales->kind->bits;
    if ((of->type != MAPPING_UE8M0 && of->type != MAPPING_UE4M3 && of->type != MAPPING_F32) ||
        (bits != 0 && number_bits(of->type) != bits))
        return mapping_fail(error, MAPPING_INVALID,
                            "scale factors in the layout %s have type %s, not %s", scales->name,
                            bits == 8    ? "ue8m0 or ue4m3"
                            : bits == 32 ? "f32"
                                         : "ue8m0, ue4m3 or f32",
                            mapping_type_name(of->type));
    of->is_used = true;
    of->is_column_major = false;
    of->rows = of->lines = of->batches = 1;
    of->cols = of->ld = mapping_scales_size(scales);
    return MAPPING_OK;
}

/* Sets the block sizes and sizes of the scale factors, and the operands SFA and SFB.
 * MAPPING_INVALID, with a message, if they cannot be probed. */
static enum mapping_status complete_scales(struct problem *problem, struct mapping_error *error) {
    if (problem->block && !problem_is_scaled(problem))
        return mapping_fail(error, MAPPING_INVALID, "--block does nothing without --sfa or --sfb");
    if (problem_is_scaled(problem) && problem->batches > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "a batch of products with scale factors is not probed; leave --batch "
                            "out");
    if (problem_is_scaled(problem) && problem->op != PROBE_GEMM)
        return mapping_fail(error, MAPPING_INVALID, "only a product has scale factors");
    const uint32_t block = problem->block;
    if (block != 0 && block != 16 && block != 32 && block != 128)
        return mapping_fail(error, MAPPING_INVALID, "--block is 16, 32 or 128, not %u", block);
    for (unsigned side = 0; side < 2; side++) {
        problem->operand[PROBE_SFA + side].is_used = false;
        const enum mapping_status status =
            problem->scales[side].kind ? complete_side(problem, side, error) : MAPPING_OK;
        if (status != MAPPING_OK)
            return status;
    }
    return MAPPING_OK;
}

/* ---- All operands ---- */

enum mapping_status problem_complete(struct problem *problem, struct mapping_error *error) {
    const uint64_t most = UINT64_C(1) << 26;
    struct operand_memory *operand = problem->operand;
    const bool is_gemm = problem->op == PROBE_GEMM;
    const bool is_attention = problem->op == PROBE_ATTENTION;
    const bool by_row = problem->bias == BIAS_OF_ROW,
               has_bias = is_gemm && problem->bias != NO_BIAS;
    const bool has_c = is_gemm && problem->beta != 0;
    problem->alpha = problem->alpha != 0 ? problem->alpha : 1;
    problem->batches = problem->batches != 0 ? problem->batches : 1;
    if (!is_attention)
        operand[PROBE_C] = operand[PROBE_D];
    operand[PROBE_BIAS] = (struct operand_memory){.type = operand[PROBE_D].type};
    const uint32_t sizes[PROBE_ROLES][2] = {
        [PROBE_A] = {problem->m, is_gemm ? problem->k : problem->n},
        [PROBE_B] = {problem->k, is_gemm || is_attention ? problem->n : 0},
        [PROBE_D] = {problem->m, problem->n},
        [PROBE_C] = {is_attention ? problem->k
                     : has_c      ? problem->m
                                  : 0,
                     problem->n},
        [PROBE_BIAS] = {has_bias, by_row ? problem->m : problem->n},
    };
    if (is_gemm && (problem->m > GEMM_MOST || problem->n > GEMM_MOST || problem->k > GEMM_MOST ||
                    problem->k == 0))
        return mapping_fail(error, MAPPING_INVALID, "M, N and K of a product are 1 to %d",
                            GEMM_MOST);
    const enum mapping_status status = complete_scales(problem, error);
    if (status != MAPPING_OK)
        return status;
    for (enum probe_role r = 0; r < PROBE_SFA; r++) {
        struct operand_memory *of = &operand[r];
        const uint32_t guard = r == PROBE_BIAS ? 0 : problem->guard;
        of->is_used = sizes[r][0] > 0 && sizes[r][1] > 0;
        if (!of->is_used)
            continue;
        of->rows = sizes[r][0];
        of->cols = sizes[r][1];
        if (of->ld == 0)
            of->ld = memory_cols(of);
        if (of->batches == 0)
            of->batches = r == PROBE_BIAS ? 1 : problem->batches;
        if (of->lines == 0)
            of->lines = memory_rows(of) + guard;
        if (!number_has(of->type))
            return mapping_fail(error, MAPPING_INVALID,
                                "%s has type %s; a probe has f64, f32, tf32, bf16, f16, e4m3, "
                                "e5m2, e2m1, s32, s8, u8, s4 or u4",
                                probe_operand_name(problem->op, r), mapping_type_name(of->type));
        if (of->ld < memory_cols(of))
            return mapping_fail(error, MAPPING_INVALID,
                                "the leading dimension of %s is %u, but its %s have %u elements",
                                probe_operand_name(problem->op, r), of->ld,
                                of->is_column_major ? "columns" : "rows", memory_cols(of));
        if (number_bits(of->type) == 4 && of->ld % 2 != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "the leading dimension of %s is %u; of elements of 4 bits it has "
                                "to be even",
                                probe_operand_name(problem->op, r), of->ld);
        if ((of->batches != 1 && (of->batches != problem->batches || !is_gemm)) ||
            (r == PROBE_D && of->batches != problem->batches))
            return mapping_fail(error, MAPPING_INVALID, "%s has %u batches, but the product %u",
                                probe_operand_name(problem->op, r), of->batches, problem->batches);
        if (of->lines < (uint64_t)memory_rows(of) + guard)
            return mapping_fail(error, MAPPING_INVALID,
                                "the batch stride of %s is %llu, but a batch has %llu elements",
                                probe_operand_name(problem->op, r),
                                (unsigned long long)memory_stride(of),
                                ((unsigned long long)memory_rows(of) + guard) * of->ld);
        if ((double)(of->lines - guard) * of->ld * of->batches > (double)most)
            return mapping_fail(error, MAPPING_INVALID, "%s has more than %u elements",
                                probe_operand_name(problem->op, r), (unsigned)most);
    }
    return is_gemm ? check_types(problem, error) : MAPPING_OK;
}

void plan_add(struct plan *plan, unsigned kind, size_t runs, bool is_focused) {
    plan->runs += runs;
    plan->stage[plan->stages++] = (struct stage){kind, runs, is_focused};
}

/* ---- Findings ---- */

void findings_add(struct findings *findings, const struct finding *finding) {
    if (finding->count == 0)
        return;
    findings->item =
        array_grow(findings->item, findings->count, 1, &findings->capacity, sizeof *findings->item);
    findings->item[findings->count++] = *finding;
}

void finding_note_of(struct finding *finding, uint32_t row, uint32_t col, uint32_t batch) {
    if (finding->places < PLACES_MAX) {
        uint32_t *place = finding->place[finding->places++];
        place[0] = row;
        place[1] = col;
        place[2] = batch;
    }
    finding->count++;
}

void finding_note(struct finding *finding, uint32_t row, uint32_t col) {
    finding_note_of(finding, row, col, 0);
}

void print_beyond(struct printer *to, const struct problem *problem, enum probe_role role,
                  bool has_rows, bool has_cols) {
    const bool is_gemm = problem->op == PROBE_GEMM;
    const char *rows = is_gemm && role == PROBE_B ? "k beyond K" : "rows beyond M";
    const char *cols = is_gemm && role == PROBE_A ? "k beyond K" : "columns beyond N";
    print(to, "%s%s%s of %s", has_rows ? rows : "", has_rows && has_cols ? " and " : "",
          has_cols ? cols : "", probe_role_name(role));
}

struct written written_begin(const struct problem *problem) {
    return (struct written){.poison =
                                memory_get((size_t)problem->batches * problem->m * problem->n, 1)};
}

bool written_take(struct written *written, const struct problem *problem, uint64_t poison,
                  bool has_poison, const void *d) {
    const struct operand_memory *of = &problem->operand[PROBE_D];
    const unsigned bits = number_bits(of->type);
    struct finding outside = {.name = "written outside"};
    bool is_changed = false, is_beyond[2] = {false, false};
    for (uint32_t batch = 0; batch < of->batches; batch++)
        for (uint32_t outer = 0; outer < of->lines; outer++)
            for (uint32_t inner = 0; inner < of->ld; inner++) {
                const size_t at = (batch * (size_t)of->lines + outer) * of->ld + inner;
                const bool is_same = number_get(d, bits, at) == poison;
                const bool is_inside = outer < memory_rows(of) && inner < memory_cols(of);
                is_changed |= !is_same;
                if (is_inside != is_same)
                    continue;
                const uint32_t row = of->is_column_major ? inner : outer;
                const uint32_t col = of->is_column_major ? outer : inner;
                if (!is_inside) {
                    finding_note_of(&outside, row, col, batch);
                    is_beyond[0] |= row >= of->rows;
                    is_beyond[1] |= col >= of->cols;
                }
                if (is_inside && has_poison)
                    written->poison[((size_t)batch * of->rows + row) * of->cols + col]++;
            }
    if (outside.count > written->outside.count) {
        struct printer text = {.text = NULL};
        print_text(&text, "the kernel writes ");
        print_beyond(&text, problem, PROBE_D, is_beyond[0], is_beyond[1]);
        outside.text = printer_string(&text);
        written->outside = outside;
    }
    return is_changed;
}
