/* probe_files.c - reads and writes the folder of a probe; see probe_files.h. */
#include "command/probe_files.h"

#include "output/json.h"
#include "probe/causes.h"
#include "probe/npy.h"
#include "probe/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static enum mapping_status fail(const char *path, const char *verb, int number,
                                struct mapping_error *error) {
    const bool is_missing = number == ENOENT || number == EACCES || number == ENOTDIR ||
                            number == EISDIR || number == EROFS || number == EPERM;
    return mapping_fail(error, is_missing ? MAPPING_UNAVAILABLE : MAPPING_FAILED,
                        "cannot %s '%.300s': %s", verb, path, strerror(number));
}

/* "FOLDER/A0.npy" */
static void path_of(const char *folder, enum probe_op op, enum probe_role role, size_t run,
                    char path[PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "%s/%s%zu.npy", folder, probe_operand_name(op, role), run);
}

/* The name of a role in plan.json. */
static const char *key_of(enum probe_op op, enum probe_role role) {
    static const char *const of_gemm[PROBE_ROLES] = {"a", "b", "d", "c", "bias", "sfa", "sfb"};
    static const char *const of_attention[PROBE_ROLES] = {"q", "k", "o", "v", "bias", "sfa", "sfb"};
    return (op == PROBE_ATTENTION ? of_attention : of_gemm)[role];
}

static struct npy shape_of(const struct problem *problem, enum probe_role role) {
    const struct operand_memory *of = &problem->operand[role];
    const struct attention *attention = &problem->attention;
    const bool is_q = role == PROBE_A || role == PROBE_D;
    struct npy npy = npy_shape(of->type, of->batches, of->lines, of->ld);
    if (problem->op == PROBE_ATTENTION) {
        npy.axes = 4;
        npy.shape[0] = attention->batch;
        npy.shape[1 + attention->is_bshd] = is_q ? attention->heads : attention->kv_heads;
        npy.shape[2 - attention->is_bshd] = is_q ? attention->queries : attention->keys;
        npy.shape[3] = of->ld;
    }
    return npy;
}

enum mapping_status probe_read_factors(const char *alpha, const char *beta, const char *bias,
                                       struct problem *problem, struct mapping_error *error) {
    for (unsigned n = 0; n < 2; n++) {
        const char *text = n == 0 ? alpha : beta;
        char *end = NULL;
        double factor = text ? strtod(text, &end) : 1;
        if (text && end > text && *end == '/') { /* 1/8 */
            const char *below = end + 1;
            factor /= strtod(below, &end);
            end = end == below ? NULL : end;
        }
        if (text && factor == 0 && end > text)
            return mapping_fail(error, MAPPING_INVALID, "--%s must not be 0%s",
                                n == 0 ? "alpha" : "beta",
                                n == 0 ? "" : "; without --beta, the product has no C");
        if (text && (!end || end == text || *end != '\0'))
            return mapping_fail(error, MAPPING_INVALID,
                                "--%s=%.60s is not a number such as 2, -1, 0.5 or 1/8",
                                n == 0 ? "alpha" : "beta", text);
        if (text)
            *(n == 0 ? &problem->alpha : &problem->beta) = factor;
    }
    if (bias && strcmp(bias, "row") != 0 && strcmp(bias, "col") != 0)
        return mapping_fail(error, MAPPING_INVALID, "--bias is row or col, not '%.60s'", bias);
    if (bias)
        problem->bias = *bias == 'r' ? BIAS_OF_ROW : BIAS_OF_COL;
    return MAPPING_OK;
}

static const char *const causal_names[] = {"none", "top-left", "bottom-right"};

enum mapping_status probe_read_attention(const char *layout, const char *causal, const char *scale,
                                         struct problem *problem, struct mapping_error *error) {
    struct attention *of = &problem->attention;
    char *end = NULL;
    if (layout && strcmp(layout, "bhsd") != 0 && strcmp(layout, "bshd") != 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--layout of attention is bhsd, as in PyTorch, or bshd, as in "
                            "flash-attn, not '%.60s'",
                            layout);
    if (layout)
        of->is_bshd = strcmp(layout, "bshd") == 0;
    size_t c = NOT_CAUSAL;
    while (causal && c <= CAUSAL_BOTTOM_RIGHT && strcmp(causal, causal_names[c]) != 0)
        c++;
    if (causal && c > CAUSAL_BOTTOM_RIGHT)
        return mapping_fail(error, MAPPING_INVALID,
                            "--causal is bottom-right, as in flash-attn, or top-left, as in "
                            "PyTorch, not '%.60s'",
                            causal);
    if (causal)
        of->causal = (enum causal_mask)c;
    if (scale)
        of->scale = strtod(scale, &end);
    if (scale && (end == scale || *end != '\0' || !(of->scale > 0)))
        return mapping_fail(error, MAPPING_INVALID,
                            "--scale=%.60s is not a positive number such as 0.125", scale);
    return MAPPING_OK;
}

/* ---- Writing ---- */

/* Prints the members of the problem that only attention has. */
static void print_attention(struct printer *to, const struct attention *of) {
    json(to,
         "batch:%u,heads:%u,kv_heads:%u,queries:%u,keys:%u,dim:%u,attention_layout:%s,causal:%s",
         of->batch, of->heads, of->kv_heads, of->queries, of->keys, of->dim,
         of->is_bshd ? "bshd" : "bhsd", causal_names[of->causal]);
    print(to, ",\"scale\":\"%.17g\"", of->scale);
}

static enum mapping_status write_file(const char *path, const void *first, size_t first_size,
                                      const void *second, size_t second_size,
                                      struct mapping_error *error) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail(path, "write", errno, error);
    int number = write_all(fd, first, first_size);
    if (number == 0)
        number = write_all(fd, second, second_size);
    if (close(fd) != 0 && number == 0)
        number = errno;
    return number == 0 ? MAPPING_OK : fail(path, "write", number, error);
}

static void print_plan(struct printer *to, const struct plan *plan) {
    const struct problem *problem = &plan->problem;
    bool is_first = true;
    const enum probe_op op = problem->op;
    json(to, "{kind:\"plan\",problem:{op:%s,m:%u,n:%u", probe_op_name(op), problem->m, problem->n);
    if (problem->k > 0)
        json(to, "k:%u", problem->k);
    if (op == PROBE_ATTENTION)
        print_attention(to, &problem->attention);
    if (problem->batches > 1)
        json(to, "batch:%u", problem->batches);
    if (problem->guard > 0)
        json(to, "guard:%u", problem->guard);
    if (problem->instruction)
        json(to, "instruction:%s", problem->instruction);
    if (problem->op == PROBE_GEMM && problem->alpha != 1)
        print(to, ",\"alpha\":\"%g\"", problem->alpha);
    if (problem->beta != 0)
        print(to, ",\"beta\":\"%g\"", problem->beta);
    if (problem->bias != NO_BIAS)
        json(to, "bias:%s", problem->bias == BIAS_OF_ROW ? "row" : "col");
    for (uint32_t n = 0; n < problem->focus_count; n++)
        print(to, "%s%u%s", n == 0 ? ",\"focus\":[" : ",", problem->focus[n],
              n + 1 == problem->focus_count ? "]" : "");
    json(to, "types:{");
    for (enum probe_role r = 0; r < PROBE_ROLES; r++)
        if (problem->operand[r].is_used) {
            print(to, "%s\"%s\":\"%s\"", is_first ? "" : ",", key_of(op, r),
                  mapping_type_name(problem->operand[r].type));
            is_first = false;
        }
    if (problem->op == PROBE_GEMM)
        print(to, ",\"accumulator\":\"%s\"", mapping_type_name(problem->accumulator));
    print_char(to, '}');
    if (problem->block > 0)
        json(to, "block:%u", problem->block);
    for (enum probe_role r = PROBE_SFA; r < PROBE_ROLES; r++)
        if (problem->operand[r].is_used) {
            const struct mapping_scales *scales = &problem->scales[r - PROBE_SFA];
            print(to, ",\"%s_layout\":\"%s\",\"%s_shape\":[%u,%u]", key_of(op, r), scales->name,
                  key_of(op, r), scales->padded[0], scales->padded[1]);
        }
    for (enum probe_role r = 0; r < PROBE_SFA; r++)
        if (problem->operand[r].is_used)
            print(to, ",\"%s_layout\":\"%s\",\"ld%s\":%u", key_of(op, r),
                  problem->operand[r].is_column_major ? "col" : "row", key_of(op, r),
                  problem->operand[r].ld);
    for (enum probe_role r = 0; r < PROBE_ROLES; r++) {
        const struct operand_memory *of = &problem->operand[r];
        if (of->is_used && problem->batches > 1 && r != PROBE_BIAS)
            print(to, ",\"batch_stride_%s\":%zu", key_of(op, r),
                  of->batches > 1 ? memory_stride(of) : 0);
    }
    print_text(to, "},\n \"runs\":[");
    for (size_t run = 0; run < plan->runs; run++) {
        print(to, "%s\n  {", run > 0 ? "," : "");
        is_first = true;
        for (enum probe_role r = 0; r < PROBE_ROLES; r++)
            if (problem->operand[r].is_used) {
                print(to, "%s\"%s\":\"%s%zu.npy\"", is_first ? "" : ",", key_of(op, r),
                      probe_operand_name(op, r), run);
                is_first = false;
            }
        print_char(to, '}');
    }
    print_text(to, "]}\n");
}

enum mapping_status probe_write(const char *folder, const struct plan *plan, size_t first,
                                struct mapping_error *error) {
    char path[PATH_SIZE], header[NPY_HEADER];
    struct printer text = {.text = NULL};
    enum mapping_status status = MAPPING_OK;
    if (strlen(folder) > PATH_SIZE - 64)
        return fail(folder, "write", ENAMETOOLONG, error);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail(folder, "make", errno, error);
    for (size_t run = first; run < plan->runs; run++)
        for (enum probe_role r = 0; r < PROBE_ROLES && status == MAPPING_OK; r++) {
            const struct operand_memory *of = &plan->problem.operand[r];
            if (!of->is_used)
                continue;
            const size_t size = number_bytes(of->type, memory_elements(of));
            const struct npy shape = shape_of(&plan->problem, r);
            void *array = memory_get(size, 1);
            plan_fill(plan, run, r, array);
            npy_write(header, &shape);
            path_of(folder, plan->problem.op, r, run, path);
            status = write_file(path, header, sizeof header, array, size, error);
            mapping_free(array);
        }
    /* Remove runs of an earlier probe, so that they are not read as runs of this one. */
    for (size_t run = plan->runs, removed = 1; removed > 0 && status == MAPPING_OK; run++) {
        removed = 0;
        for (enum probe_role r = 0; r < PROBE_ROLES; r++) {
            path_of(folder, plan->problem.op, r, run, path);
            removed += unlink(path) == 0;
        }
    }
    if (status != MAPPING_OK)
        return status;
    print_plan(&text, plan);
    snprintf(path, sizeof path, "%s/plan.json", folder);
    return write_file(path, text.text, text.size, "", 0, error);
}

/* ---- Reading plan.json ---- */

/* A text of JSON, and the path of the member that is being read: "problem.types.a", "runs[].d". */
struct json_text {
    const char *at, *end;
    char path[64];
    unsigned depth;
    struct problem *problem;
    size_t runs;
    bool is_plan, is_wrong;
    struct mapping_error error; /* replaced by the message of plan_make */
};

static bool next_is(struct json_text *text, char c) {
    while (text->at < text->end && strchr(" \t\r\n", *text->at))
        text->at++;
    const bool is = text->at < text->end && *text->at == c;
    text->at += is;
    return is;
}

/* Reads a string without escapes; a longer one is truncated. */
static bool read_string(struct json_text *text, char *string, size_t size) {
    size_t length = 0;
    if (!next_is(text, '"'))
        return false;
    for (; text->at < text->end && *text->at != '"' && *text->at != '\\'; text->at++)
        if (length + 1 < size)
            string[length++] = *text->at;
    string[length] = '\0';
    return text->at < text->end && *text->at++ == '"';
}

/* The role that a member belongs to: "types.a", "a_layout", "lda". */
static struct operand_memory *operand_named(struct json_text *text, const char *format) {
    const enum probe_op op = text->problem->op;
    for (enum probe_role r = 0; r < PROBE_ROLES; r++) {
        char name[sizeof text->path];
        snprintf(name, sizeof name, format, key_of(op, r));
        if (strcmp(text->path, name) == 0)
            return &text->problem->operand[r];
    }
    return NULL;
}

static void take_string(struct json_text *text, const char *string) {
    const struct operand_memory *scales = &text->problem->operand[PROBE_SFA];
    struct operand_memory *of;
    if (strcmp(text->path, "kind") == 0)
        text->is_plan = strcmp(string, "plan") == 0;
    if (strcmp(text->path, "problem.op") == 0) {
        size_t op = 0;
        while (probe_op_name(op) && strcmp(probe_op_name(op), string) != 0)
            op++;
        text->problem->op = (enum probe_op)op;
        text->is_wrong |= op == PROBE_OPS;
    }
    if (strcmp(text->path, "problem.instruction") == 0)
        text->problem->instruction = memory_text(string);
    const char *const *keys =
        (const char *const[]){"problem.alpha", "problem.beta", "problem.bias"};
    const char *factor[3];
    for (size_t n = 0; n < 3; n++)
        factor[n] = strcmp(text->path, keys[n]) == 0 ? string : NULL;
    text->is_wrong |= probe_read_factors(factor[0], factor[1], factor[2], text->problem,
                                         &text->error) != MAPPING_OK;
    const bool is_accumulator = strcmp(text->path, "problem.types.accumulator") == 0;
    of = operand_named(text, "problem.types.%s");
    if (of || is_accumulator) {
        size_t type = 0;
        while (type < MAPPING_TYPES &&
               strcmp(mapping_type_name((enum mapping_type)type), string) != 0)
            type++;
        text->is_wrong |= type == MAPPING_TYPES;
        if (is_accumulator)
            text->problem->accumulator = (enum mapping_type)type;
        if (of) {
            of->type = (enum mapping_type)type;
            of->is_used = true;
        }
    }
    if ((of = operand_named(text, "problem.%s_layout")) >= scales) {
        const size_t side = (size_t)(of - scales);
        text->is_wrong |=
            mapping_scales_read(string, &text->problem->scales[side], &text->error) != MAPPING_OK;
    } else if (of) {
        of->is_column_major = strcmp(string, "col") == 0;
        text->is_wrong |= !of->is_column_major && strcmp(string, "row") != 0;
    }
    keys = (const char *const[]){"problem.attention_layout", "problem.causal", "problem.scale"};
    for (size_t n = 0; n < 3; n++)
        factor[n] = strcmp(text->path, keys[n]) == 0 ? string : NULL;
    text->is_wrong |= probe_read_attention(factor[0], factor[1], factor[2], text->problem,
                                           &text->error) != MAPPING_OK;
    text->runs += strcmp(text->path, "runs[].d") == 0 || strcmp(text->path, "runs[].o") == 0;
}

/* Reads one k of the focus. They follow k, in ascending order. */
static void take_focus(struct json_text *text, uint32_t number) {
    struct problem *problem = text->problem;
    const uint32_t count = problem->focus_count;
    text->is_wrong |= problem->k > GEMM_MOST || number >= problem->k ||
                      (count > 0 && number <= problem->focus[count - 1]);
    if (!problem->focus && !text->is_wrong)
        problem->focus = memory_get(problem->k, sizeof *problem->focus);
    if (!text->is_wrong)
        problem->focus[problem->focus_count++] = number;
}

static void take_number(struct json_text *text, uint32_t number) {
    struct operand_memory *of = operand_named(text, "problem.ld%s");
    struct problem *problem = text->problem;
    struct attention *attention = &problem->attention;
    const struct {
        const char *path;
        uint32_t *number;
    } members[] = {
        {"problem.m", &problem->m},
        {"problem.n", &problem->n},
        {"problem.k", &problem->k},
        {"problem.guard", &problem->guard},
        {"problem.block", &problem->block},
        {"problem.batch", problem->op == PROBE_ATTENTION ? &attention->batch : &problem->batches},
        {"problem.heads", &attention->heads},
        {"problem.kv_heads", &attention->kv_heads},
        {"problem.queries", &attention->queries},
        {"problem.keys", &attention->keys},
        {"problem.dim", &attention->dim},
    };
    for (size_t n = 0; n < sizeof members / sizeof *members; n++)
        if (strcmp(text->path, members[n].path) == 0)
            *members[n].number = number;
    text->is_wrong |= problem->guard > PROBE_GUARD_MAX;
    if (strcmp(text->path, "problem.focus[]") == 0)
        take_focus(text, number);
    if (of)
        of->ld = number;
    if ((of = operand_named(text, "problem.batch_stride_%s"))) {
        text->is_wrong |= of->ld == 0 || number % of->ld != 0; /* "lines" follows all leading
                                                                  dimensions */
        of->lines = of->ld > 0 ? number / of->ld : 0;
        of->batches = number == 0;
    }
}

static bool read_json(struct json_text *text);

/* Reads the members of an object or an array, after its opening bracket. */
static bool read_members(struct json_text *text, char last) {
    const size_t length = strlen(text->path);
    bool is_first = true, is_right = ++text->depth < 8;
    while (is_right && !next_is(text, last)) {
        char key[24] = "[]";
        is_right = is_first || next_is(text, ',');
        is_first = false;
        if (is_right && last == '}')
            is_right = read_string(text, key, sizeof key) && next_is(text, ':');
        snprintf(text->path + length, sizeof text->path - length, "%s%s",
                 last == '}' && length > 0 ? "." : "", key);
        is_right = is_right && read_json(text);
        text->path[length] = '\0';
    }
    text->depth--;
    return is_right;
}

static bool read_json(struct json_text *text) {
    char string[MAPPING_OPCODE_SIZE];
    uint64_t number = 0;
    size_t digits = 0;
    if (next_is(text, '{'))
        return read_members(text, '}');
    if (next_is(text, '['))
        return read_members(text, ']');
    if (text->at < text->end && *text->at == '"') {
        if (!read_string(text, string, sizeof string))
            return false;
        take_string(text, string);
        return true;
    }
    for (; text->at < text->end && *text->at >= '0' && *text->at <= '9' && digits < 10; digits++)
        number = number * 10 + (uint64_t)(*text->at++ - '0');
    if (digits > 0 && number <= UINT32_MAX)
        take_number(text, (uint32_t)number);
    return digits > 0 && number <= UINT32_MAX;
}

enum mapping_status probe_read_plan(const char *folder, struct problem *problem, size_t *runs,
                                    struct mapping_error *error) {
    char path[PATH_SIZE];
    struct printer content = {.text = NULL};
    if (strlen(folder) > PATH_SIZE - 64)
        return fail(folder, "read", ENAMETOOLONG, error);
    snprintf(path, sizeof path, "%s/plan.json", folder);
    enum mapping_status status = file_read(path, "plan", &content, error);
    if (status != MAPPING_OK)
        return status;
    *problem = (struct problem){.m = 0};
    struct json_text text = {.at = content.text, .end = content.text + content.size};
    text.problem = problem;
    const bool is_read = read_json(&text);
    next_is(&text, '\0');
    if (!is_read || text.at < text.end || !text.is_plan || text.is_wrong || problem->m == 0 ||
        problem->n == 0 || text.runs == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.300s' is not a plan that --into has written", path);
    const struct problem given = *problem;
    *runs = text.runs;
    status = plan_complete(problem, error);
    if (status == MAPPING_OK && problem->instruction)
        status = problem_instruction(problem, error);
    for (enum probe_role r = 0; r < PROBE_ROLES && status == MAPPING_OK; r++)
        if (problem->operand[r].is_used != given.operand[r].is_used)
            return mapping_fail(error, MAPPING_INVALID, "'%.300s' %s a type of %s", path,
                                given.operand[r].is_used ? "must not have" : "lacks",
                                probe_operand_name(problem->op, r));
    return status;
}

/* ---- Reading arrays ---- */

static int read_all(int fd, char *bytes, size_t size, size_t *got) {
    for (*got = 0; *got < size;) {
        const ssize_t more = read(fd, bytes + *got, size - *got);
        if (more == 0)
            break;
        if (more < 0 && errno != EINTR)
            return errno;
        *got += more > 0 ? (size_t)more : 0;
    }
    return 0;
}

/* Reads the header and the array. Fails if the shape or the type is not the expected one. */
static enum mapping_status read_array(int fd, const char *path, const struct plan *plan, void *d,
                                      struct mapping_error *error) {
    const struct operand_memory *of = &plan->problem.operand[PROBE_D];
    const struct npy right = shape_of(&plan->problem, PROBE_D);
    const size_t size = number_bytes(of->type, memory_elements(of));
    char header[NPY_HEADER_MAX], is_shape[NPY_TEXT], right_shape[NPY_TEXT], more;
    struct npy npy;
    size_t got;
    int number = read_all(fd, header, sizeof header, &got);
    if (number != 0)
        return fail(path, "read", number, error);
    const enum mapping_status status = npy_read(header, got, path, &npy, error);
    if (status != MAPPING_OK)
        return status;
    npy_shape_text(&npy, is_shape);
    npy_shape_text(&right, right_shape);
    if (!npy_holds(&npy, of->type))
        return mapping_fail(error, MAPPING_INVALID, "%.300s has elements of type '%s', not '%s'",
                            path, npy.descr, right.descr);
    if (strcmp(is_shape, right_shape) != 0)
        return mapping_fail(error, MAPPING_INVALID, "%.300s has shape %s, not %s", path, is_shape,
                            right_shape);
    if (npy.is_fortran && npy.axes > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.300s is in Fortran order; write it in C order, with "
                            "numpy.ascontiguousarray",
                            path);
    if (lseek(fd, (off_t)npy.data, SEEK_SET) < 0)
        return fail(path, "read", errno, error);
    number = read_all(fd, d, size, &got);
    if (number != 0)
        return fail(path, "read", number, error);
    if (got < size)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.300s ends after %zu of %zu bytes of elements", path, got, size);
    number = read_all(fd, &more, 1, &got);
    if (number == 0 && got > 0)
        return mapping_fail(error, MAPPING_INVALID, "%.300s has more bytes than its shape %s", path,
                            is_shape);
    return MAPPING_OK;
}

enum mapping_status probe_read_d(const char *folder, const struct plan *plan, size_t run, void *d,
                                 struct mapping_error *error) {
    char path[PATH_SIZE];
    path_of(folder, plan->problem.op, PROBE_D, run, path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(path, "read", errno, error);
    const enum mapping_status status = read_array(fd, path, plan, d, error);
    close(fd);
    return status;
}
