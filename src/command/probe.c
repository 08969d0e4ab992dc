/* probe.c - --probe writes the inputs of a kernel that runs elsewhere, and --decode reads what it
 * has made of them. */
#include "command/probe_files.h"
#include "command/request.h"
#include "probe/copy.h"

#include <stdlib.h>
#include <string.h>

/* ---- What the options say ---- */

/* Reads "copy:64,64". */
static enum mapping_status read_problem(const char *text, struct problem *problem,
                                        struct mapping_error *error) {
    const char *colon = strchr(text, ':'), *next = colon;
    uint32_t sizes[3];
    size_t op = 0, count = 0;
    while (probe_op_name(op) && colon &&
           (strlen(probe_op_name(op)) != (size_t)(colon - text) ||
            strncmp(text, probe_op_name(op), (size_t)(colon - text)) != 0))
        op++;
    while (colon && next && count < 3) {
        char *end;
        const unsigned long size = strtoul(next + 1, &end, 10);
        if (next[1] < '0' || next[1] > '9' || size == 0 || size > 1U << 26 ||
            (*end != ',' && *end != '\0'))
            break;
        sizes[count++] = (uint32_t)size;
        next = *end == ',' ? end : NULL;
    }
    if (!colon || next || op == PROBE_OPS || count > 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.60s' is no kernel to probe; --probe takes copy:N or copy:M,N",
                            text);
    problem->op = (enum probe_op)op;
    problem->m = count == 1 ? 1 : sizes[0];
    problem->n = sizes[count - 1];
    return MAPPING_OK;
}

/* The one type that --type names. */
static enum mapping_status read_one_type(const struct request *request, enum mapping_type *type,
                                         struct mapping_error *error) {
    if (!request->types)
        return mapping_fail(error, MAPPING_INVALID, "--probe needs --type, such as --type=f16");
    if ((request->types & (request->types - 1)) != 0)
        return mapping_fail(error, MAPPING_INVALID, "--probe=copy takes one type, not '%.60s'",
                            request->type_name);
    *type = (enum mapping_type)__builtin_ctz(request->types);
    return MAPPING_OK;
}

/* Letters of BLAS for A and D: t is row-major, n column-major. */
static enum mapping_status read_layouts(const char *text, struct problem *problem,
                                        struct mapping_error *error) {
    static const enum probe_role order[] = {PROBE_A, PROBE_D};
    const size_t count = sizeof order / sizeof *order;
    if (!text)
        return MAPPING_OK;
    if (strlen(text) != count || strspn(text, "tn") != count)
        return mapping_fail(error, MAPPING_INVALID,
                            "--layout takes a letter each for A and D: t is row-major, n is "
                            "column-major");
    for (size_t o = 0; o < count; o++)
        problem->operand[order[o]].is_column_major = text[o] == 'n';
    return MAPPING_OK;
}

/* The leading dimensions of A and D, "_" of those that have no padding. */
static enum mapping_status read_ld(const char *text, struct problem *problem,
                                   struct mapping_error *error) {
    static const enum probe_role order[] = {PROBE_A, PROBE_D};
    const size_t count = sizeof order / sizeof *order;
    const char *next = text;
    for (size_t o = 0; next && o < count; o++) {
        const size_t length = strcspn(next, ",");
        const bool is_number = strspn(next, "0123456789") == length && length > 0 && length < 9;
        if (!is_number && (length != 1 || *next != '_'))
            break;
        problem->operand[order[o]].ld = is_number ? (uint32_t)strtoul(next, NULL, 10) : 0;
        next = next[length] == ',' ? next + length + 1 : NULL;
    }
    return next ? mapping_fail(error, MAPPING_INVALID,
                               "--ld takes leading dimensions in elements, of A and D, such as "
                               "72,_; _ is one without padding")
                : MAPPING_OK;
}

enum mapping_status command_probe(const struct request *request, struct pages *pages,
                                  struct mapping_error *error) {
    struct problem problem = {.m = 0};
    enum mapping_type type = MAPPING_F16;
    enum mapping_status status = read_problem(request->probe, &problem, error);
    if (status == MAPPING_OK)
        status = read_one_type(request, &type, error);
    problem.operand[PROBE_A].type = problem.operand[PROBE_D].type = type;
    if (status == MAPPING_OK)
        status = read_layouts(request->layout, &problem, error);
    if (status == MAPPING_OK)
        status = read_ld(request->ld, &problem, error);
    if (status == MAPPING_OK)
        status = problem_complete(&problem, error);
    if (status != MAPPING_OK)
        return status;
    const struct plan plan = problem_plan(&problem);
    status = probe_write(request->folder, &plan, 0, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    print_text(pages->page, "# ");
    print_problem(pages->page, &problem);
    print(
        pages->page,
        "\nWrote the inputs of %zu runs. For each run r, read A<r>.npy and overwrite the elements "
        "of D<r>.npy;\nthen --decode tells what the kernel did.\n",
        plan.runs);
    return MAPPING_OK;
}

/* ---- Decoding ---- */

enum mapping_status command_decode(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct problem problem;
    size_t runs, changed = 0;
    enum mapping_status status = probe_read_plan(request->folder, &problem, &runs, error);
    if (status != MAPPING_OK)
        return status;
    const struct plan plan = problem_plan(&problem);
    const struct operand_memory *of = &problem.operand[PROBE_D];
    if (plan.runs != runs)
        return mapping_fail(error, MAPPING_INVALID,
                            "the plan in '%.300s' has %zu runs, but its problem needs %zu",
                            request->folder, runs, plan.runs);
    void *d = memory_get(number_bytes(of->type, memory_elements(of)), 1);
    struct copied *copied = copied_begin(&plan);
    size_t unchanged = plan.runs;
    for (size_t run = 0; run < plan.runs && status == MAPPING_OK; run++) {
        status = probe_read_d(request->folder, &plan, run, d, error);
        if (status != MAPPING_OK)
            return status;
        const bool is_changed = copied_take(copied, run, d);
        changed += is_changed;
        unchanged = !is_changed && unchanged == plan.runs ? run : unchanged;
    }
    if (changed < plan.runs)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "the kernel has not run: D%zu.npy in '%.300s' is as --probe wrote it",
                            unchanged, request->folder);
    struct findings findings = {.plan = &plan};
    copied_end(copied, &findings);
    pages_init(pages, 1);
    request->output->probed(pages->page, &findings);
    return findings.count == 0 ? MAPPING_OK : MAPPING_DIFFERS;
}
