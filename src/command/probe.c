/* probe.c - --probe writes inputs for a kernel that runs elsewhere, and --decode reads the outputs
 * of this kernel. */
#include "command/probe_files.h"
#include "command/resolve.h"
#include "command/unknown.h"
#include "probe/causes.h"
#include "probe/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the options say ---- */

/* Reads "copy:64,64". */
static enum mapping_status read_problem(const char *text, struct problem *problem,
                                        struct mapping_error *error) {
    const char *colon = strchr(text, ':'), *next = colon;
    uint32_t sizes[5];
    size_t op = 0, count = 0;
    while (probe_op_name(op) && colon &&
           (strlen(probe_op_name(op)) != (size_t)(colon - text) ||
            strncmp(text, probe_op_name(op), (size_t)(colon - text)) != 0))
        op++;
    while (colon && next && count < 5) {
        char *end;
        const unsigned long size = strtoul(next + 1, &end, 10);
        if (next[1] < '0' || next[1] > '9' || size == 0 || size > 1U << 26 ||
            (*end != ',' && *end != '\0'))
            break;
        sizes[count++] = (uint32_t)size;
        next = *end == ',' ? end : NULL;
    }
    const bool is_gemm = op == PROBE_GEMM, is_attention = op == PROBE_ATTENTION;
    const bool is_right = is_gemm ? count == 3 : is_attention ? count == 5 : count < 3;
    if (!colon || next || op == PROBE_OPS || !is_right)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.60s' is no kernel to probe; --probe takes gemm:M,N,K, "
                            "copy:N, copy:M,N or attention:B,H,LQ,LK,D",
                            text);
    problem->op = (enum probe_op)op;
    if (is_attention) {
        problem->attention = (struct attention){.batch = sizes[0],
                                                .heads = sizes[1],
                                                .kv_heads = sizes[1],
                                                .queries = sizes[2],
                                                .keys = sizes[3],
                                                .dim = sizes[4]};
        return MAPPING_OK;
    }
    problem->m = count == 1 ? 1 : sizes[0];
    problem->n = sizes[count == 1 ? 0 : 1];
    problem->k = is_gemm ? sizes[2] : 0;
    return MAPPING_OK;
}

/* An option that only one kernel has: its value or NULL, and its name. */
struct own_option {
    const char *value, *name;
};

/* MAPPING_INVALID if one of these options is given. */
static enum mapping_status refuse_given(const struct own_option *options, size_t count,
                                        enum probe_op op, struct mapping_error *error) {
    for (size_t n = 0; n < count; n++)
        if (options[n].value)
            return mapping_fail(error, MAPPING_INVALID, "--%s does nothing with --probe=%s",
                                options[n].name, probe_op_name(op));
    return MAPPING_OK;
}

/* Reads the options that only attention has. */
static enum mapping_status read_attention(const struct request *request, struct problem *problem,
                                          struct mapping_error *error) {
    struct attention *of = &problem->attention;
    const struct own_option given[] = {
        {request->kv_heads, "kv-heads"}, {request->causal, "causal"}, {request->scale, "scale"}};
    if (problem->op != PROBE_ATTENTION)
        return refuse_given(given, sizeof given / sizeof *given, problem->op, error);
    if (request->kv_heads) {
        char *end;
        const unsigned long heads = strtoul(request->kv_heads, &end, 10);
        if (*request->kv_heads < '1' || *request->kv_heads > '9' || *end || heads > of->heads)
            return mapping_fail(error, MAPPING_INVALID,
                                "--kv-heads=%.60s is not a number of 1 to %u heads",
                                request->kv_heads, of->heads);
        of->kv_heads = (uint32_t)heads;
    }
    return probe_read_attention(request->layout, request->causal, request->scale, problem, error);
}

/* Reads one type. */
static enum mapping_status read_one_type(const char *text, size_t length, const char *option,
                                         enum mapping_type *type, struct mapping_error *error) {
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const enum mapping_type only = mapping_types_only(mapping_types_find(name), MAPPING_TYPES);
    if (only == MAPPING_TYPES || length >= sizeof name)
        return mapping_fail(error, MAPPING_INVALID, "--%s=%.60s is not one type", option, text);
    *type = only;
    return MAPPING_OK;
}

/* The types of A, or of A and B; of D and of its accumulator. */
static enum mapping_status read_types(const struct request *request, struct problem *problem,
                                      struct mapping_error *error) {
    struct operand_memory *operand = problem->operand;
    const bool is_gemm = problem->op == PROBE_GEMM;
    const char *text = request->type_name;
    if (!text)
        return mapping_fail(error, MAPPING_INVALID, "--probe needs --type, such as --type=f16");
    const struct own_option of_gemm[] = {
        {request->d_type, "d-type"},
        {request->accumulator, "accumulator"},
        {request->alpha, "alpha"},
        {request->beta, "beta"},
        {request->bias, "bias"},
        {request->instruction, "instruction"},
        {request->batch, "batch"},
        {request->batch_stride, "batch-stride"},
        {request->sfa, "sfa"},
        {request->sfb, "sfb"},
        {request->scale_type, "scale-type"},
    };
    const size_t first = problem->op == PROBE_ATTENTION; /* O has a type */
    if (!is_gemm && refuse_given(of_gemm + first, sizeof of_gemm / sizeof *of_gemm - first,
                                 problem->op, error) != MAPPING_OK)
        return MAPPING_INVALID;
    const size_t length = strcspn(text, ",");
    const char *second = text[length] && is_gemm ? text + length + 1 : text;
    const size_t rest = second == text && is_gemm ? length : strlen(second);
    enum mapping_status status = read_one_type(second, rest, "type", &operand[PROBE_B].type, error);
    if (status == MAPPING_OK)
        status =
            read_one_type(text, is_gemm ? length : rest, "type", &operand[PROBE_A].type, error);
    const enum mapping_type a = operand[PROBE_A].type;
    problem->accumulator = !number_is_float(a) ? MAPPING_S32
                           : a == MAPPING_F64  ? MAPPING_F64
                                               : MAPPING_F32;
    if (status == MAPPING_OK && request->accumulator)
        status = read_one_type(request->accumulator, strlen(request->accumulator), "accumulator",
                               &problem->accumulator, error);
    operand[PROBE_C].type = a;
    operand[PROBE_D].type = problem->op == PROBE_ATTENTION && number_bits(a) == 8 ? MAPPING_BF16
                            : !is_gemm                                            ? a
                            : problem->accumulator == MAPPING_F16                 ? MAPPING_F32
                                                                  : problem->accumulator;
    if (status == MAPPING_OK && request->d_type)
        status = read_one_type(request->d_type, strlen(request->d_type), "d-type",
                               &operand[PROBE_D].type, error);
    return status;
}

/* The layouts of scale factors of A and B, and their type. */
static enum mapping_status read_scales(const struct request *request, struct problem *problem,
                                       struct mapping_error *error) {
    enum mapping_type type = (enum mapping_type)0;
    enum mapping_status status = MAPPING_OK;
    problem->block = request->block;
    if (request->scale_type && !request->sfa && !request->sfb)
        return mapping_fail(error, MAPPING_INVALID,
                            "--scale-type does nothing without --sfa or --sfb");
    if (request->scale_type)
        status = read_one_type(request->scale_type, strlen(request->scale_type), "scale-type",
                               &type, error);
    if (request->scale_type && status == MAPPING_OK && type == MAPPING_F64)
        return mapping_fail(error, MAPPING_INVALID,
                            "--scale-type is ue8m0, ue4m3 or f32, not %.60s", request->scale_type);
    for (unsigned side = 0; side < 2 && status == MAPPING_OK; side++) {
        const char *name = side == 0 ? request->sfa : request->sfb;
        if (!name)
            continue;
        problem->operand[PROBE_SFA + side].type = type;
        status = mapping_scales_read(name, &problem->scales[side], error);
    }
    return status;
}

/* The operands in the order of --layout and --ld. */
static size_t order_of(const struct problem *problem, enum probe_role order[PROBE_ROLES]) {
    size_t count = 0;
    order[count++] = PROBE_A;
    if (problem->op != PROBE_COPY)
        order[count++] = PROBE_B;
    if (problem->op == PROBE_ATTENTION)
        order[count++] = PROBE_C;
    order[count++] = PROBE_D;
    return count;
}

/* Letters of BLAS, also CUTLASS's third one, for D: t is row-major, n column-major. */
static enum mapping_status read_layouts(const char *text, struct problem *problem,
                                        struct mapping_error *error) {
    enum probe_role order[PROBE_ROLES];
    const size_t count = order_of(problem, order);
    problem->operand[PROBE_B].is_column_major = problem->op == PROBE_GEMM;
    if (!text || problem->op == PROBE_ATTENTION)
        return MAPPING_OK;
    const size_t length = strlen(text);
    if (length > count || length < 2 || strspn(text, "tn") != length)
        return mapping_fail(error, MAPPING_INVALID,
                            "--layout takes a letter each for %s: t is row-major, n is "
                            "column-major",
                            problem->op == PROBE_GEMM ? "A and B, and maybe D" : "A and D");
    for (size_t o = 0; o < length; o++)
        problem->operand[order[o]].is_column_major = text[o] == 'n';
    return MAPPING_OK;
}

/* Reads a number of 1 to 8 digits; false for any other text of this length. */
static bool read_digits(const char *text, size_t length, uint32_t *number) {
    enum { DIGITS_MAX = 8 };
    if (length == 0 || length > DIGITS_MAX || strspn(text, "0123456789") < length)
        return false;
    *number = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

/* Reads the next number of a list, "72,_": *is_number is false for "_", and *number is then 0.
 * *next becomes the next item, or NULL after the last one. False for any other text. */
static bool read_item(const char **next, bool *is_number, uint32_t *number) {
    const size_t length = strcspn(*next, ",");
    *number = 0;
    *is_number = read_digits(*next, length, number);
    if (!*is_number && (length != 1 || **next != '_'))
        return false;
    *next = (*next)[length] == ',' ? *next + length + 1 : NULL;
    return true;
}

/* Reads the leading dimensions of A, B and D; "_" means no padding. */
static enum mapping_status read_ld(const char *text, struct problem *problem,
                                   struct mapping_error *error) {
    enum probe_role order[PROBE_ROLES];
    const size_t count = order_of(problem, order);
    const char *next = text;
    bool is_number;
    for (size_t o = 0; next && o < count; o++)
        if (!read_item(&next, &is_number, &problem->operand[order[o]].ld))
            break;
    return next ? mapping_fail(error, MAPPING_INVALID,
                               "--ld takes leading dimensions in elements, of %s, such as "
                               "72,_; _ is one without padding",
                               problem->op == PROBE_GEMM        ? "A, B and D"
                               : problem->op == PROBE_ATTENTION ? "Q, K, V and O"
                                                                : "A and D")
                : MAPPING_OK;
}

/* Reads --guard. */
static enum mapping_status read_guard(const char *text, struct problem *problem,
                                      struct mapping_error *error) {
    return text && (!read_digits(text, strlen(text), &problem->guard) ||
                    problem->guard > PROBE_GUARD_MAX)
               ? mapping_fail(error, MAPPING_INVALID, "--guard=%.60s is no number of rows up to %d",
                              text, PROBE_GUARD_MAX)
               : MAPPING_OK;
}

/* Reads --batch, and the batch strides of A, B and D; "_" means that the matrices are contiguous.
 * All other members of the problem are already set. */
static enum mapping_status read_batch(const char *batch, const char *stride,
                                      struct problem *problem, struct mapping_error *error) {
    const char *next = stride;
    if (batch && (!read_digits(batch, strlen(batch), &problem->batches) || problem->batches == 0))
        return mapping_fail(error, MAPPING_INVALID,
                            "--batch=%.60s is no number of products, such as 8", batch);
    if (stride && !batch)
        return mapping_fail(error, MAPPING_INVALID, "--batch-stride does nothing without --batch");
    if (!batch)
        return MAPPING_OK;
    for (enum probe_role r = 0; r <= PROBE_D; r++)
        problem->operand[r].batches = problem->batches;
    for (enum probe_role r = 0; next && r <= PROBE_D; r++) {
        struct operand_memory *of = &problem->operand[r];
        const char *item = next;
        bool is_number;
        uint32_t number;
        if (!read_item(&next, &is_number, &number) || (is_number && number == 0 && r == PROBE_D)) {
            next = item;
            break;
        }
        if (is_number && number % of->ld != 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "the batch stride of %s is %u; it has to be a multiple of the "
                                "leading dimension, %u",
                                probe_role_name(r), number, of->ld);
        if (is_number && number == 0)
            of->batches = 1;
        else if (is_number)
            of->lines = number / of->ld;
    }
    if (!next)
        return problem_complete(problem, error);
    return mapping_fail(error, MAPPING_INVALID,
                        "--batch-stride takes numbers of elements, of A, B and D, such as "
                        "_,0,_; 0 shares A or B, _ is one without padding");
}

/* Finds the instruction that --instruction names, without the operands of a line. SASS is the first
 * opcode of PTX that compiles to it. */
static enum mapping_status read_instruction(const char *text, struct problem *problem,
                                            struct mapping_error *error) {
    struct name *name = name_read(text);
    struct resolution resolution;
    problem->instruction = text;
    if (name->is_sass) {
        const enum mapping_status status = refuse(name, 0, error);
        if (status != MAPPING_OK)
            return status;
        resolve_opcodes(name, 0, &resolution);
        problem->instruction = resolution.opcodes->text;
    } else if (name->kind < NAME_SASS) {
        problem->instruction = name->name;
    }
    return problem_instruction(problem, error);
}

/* Says what was written, and what to do with it. */
static void print_written(struct printer *to, const struct plan *plan) {
    const struct problem *problem = &plan->problem;
    print_problem(to, problem, plan->runs);
    print(to, "For each run r, read %s<r>.npy", probe_operand_name(problem->op, PROBE_A));
    for (enum probe_role r = PROBE_B; r < PROBE_ROLES; r++)
        if (r != PROBE_D && problem->operand[r].is_used)
            print(to, ", %s<r>.npy", probe_operand_name(problem->op, r));
    bool is_long = false;
    for (enum probe_role r = PROBE_C; r < PROBE_ROLES; r++)
        is_long |= problem->operand[r].is_used;
    print(to,
          " and%soverwrite %s<r>.npy behind its%sheader of 128 bytes.%sThen --decode says what "
          "the kernel did.\n",
          is_long ? "\n" : " ", probe_operand_name(problem->op, PROBE_D), is_long ? " " : "\n",
          is_long ? "\n" : " ");
}

enum mapping_status command_probe(const struct request *request, struct pages *pages,
                                  struct mapping_error *error) {
    struct problem problem = {.m = 0};
    enum mapping_status status = read_problem(request->probe, &problem, error);
    if (status == MAPPING_OK)
        status = read_types(request, &problem, error);
    if (status == MAPPING_OK)
        status = read_layouts(request->layout, &problem, error);
    if (status == MAPPING_OK)
        status = read_ld(request->ld, &problem, error);
    if (status == MAPPING_OK)
        status = read_guard(request->guard, &problem, error);
    if (status == MAPPING_OK)
        status = probe_read_factors(request->alpha, request->beta, request->bias, &problem, error);
    if (status == MAPPING_OK)
        status = read_attention(request, &problem, error);
    if (status == MAPPING_OK)
        status = read_scales(request, &problem, error);
    if (status == MAPPING_OK)
        status = plan_complete(&problem, error);
    if (status == MAPPING_OK)
        status = read_batch(request->batch, request->batch_stride, &problem, error);
    if (status == MAPPING_OK && request->instruction)
        status = read_instruction(request->instruction, &problem, error);
    if (status != MAPPING_OK)
        return status;
    const struct plan plan = plan_make(&problem, false);
    status = probe_write(request->folder, &plan, 0, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    print_written(pages->page, &plan);
    return MAPPING_OK;
}

/* ---- Decoding ---- */

enum mapping_status command_decode(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct problem problem;
    size_t runs;
    enum mapping_status status = probe_read_plan(request->folder, &problem, &runs, error);
    if (status != MAPPING_OK)
        return status;
    struct plan plan = plan_make(&problem, false);
    const size_t first = plan.runs; /* the number of runs that locate an error */
    if (runs > first && problem.op == PROBE_GEMM)
        plan = plan_make(&problem, true);
    const struct operand_memory *of = &problem.operand[PROBE_D];
    if (plan.runs != runs)
        return mapping_fail(error, MAPPING_INVALID,
                            "the plan in '%.300s' has %zu runs, but its problem needs %zu",
                            request->folder, runs, plan.runs);
    void *d = memory_get(number_bytes(of->type, memory_elements(of)), 1);
    struct reading *reading = reading_begin(&plan);
    /* In runs that locate an error, D begins as 0 (except in canary runs), and may stay 0. */
    size_t changed[2] = {0, 0}, unchanged[2] = {SIZE_MAX, SIZE_MAX};
    for (size_t run = 0; run < plan.runs; run++) {
        status = probe_read_d(request->folder, &plan, run, d, error);
        if (status != MAPPING_OK)
            return status;
        const size_t part = run >= first;
        if (reading_take(reading, run, d))
            changed[part] += part == 0 || run >= first + plan.canaries;
        else if (unchanged[part] == SIZE_MAX)
            unchanged[part] = run;
    }
    const char *d_name = probe_operand_name(problem.op, PROBE_D);
    if (unchanged[0] != SIZE_MAX)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "the kernel has not run: %s%zu.npy in '%.300s' is as it was written",
                            d_name, unchanged[0], request->folder);
    if (unchanged[1] != SIZE_MAX && changed[1] > 1)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "the kernel has not run in run %zu, or computes only zeros there: "
                            "%s%zu.npy in '%.300s' is 0, as it was written, but other runs have "
                            "results",
                            unchanged[1], d_name, unchanged[1], request->folder);
    struct findings findings = {.plan = &plan};
    reading_end(reading, &findings);
    mapping_free(d);
    if (findings.needs_locating) {
        problem.focus = findings.focus;
        problem.focus_count = findings.focus_count;
    }
    const struct plan more = plan_make(&problem, true);
    if (findings.needs_locating && plan.runs < more.runs)
        status = probe_write(request->folder, &more, first, error);
    if (status != MAPPING_OK)
        return status;
    findings.first_locating = first;
    findings.last_locating = more.runs - 1;
    pages_init(pages, 1);
    request->output->probed(pages->page, &findings);
    return findings.count == 0 ? MAPPING_OK : MAPPING_DIFFERS;
}
