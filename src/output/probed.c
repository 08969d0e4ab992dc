/* probed.c - findings about a kernel, as text and as JSON. */
#include "output/comments.h"
#include "output/json.h"

#include <string.h>

static void print_attention(struct printer *to, const struct problem *problem, size_t runs) {
    const struct attention *of = &problem->attention;
    struct printer text = {.text = NULL};
    print(&text, "attention, batch %u, heads %u", of->batch, of->heads);
    if (of->kv_heads != of->heads)
        print(&text, ", kv heads %u", of->kv_heads);
    print(&text, ", queries %u, keys %u, head dimension %u, %s", of->queries, of->keys, of->dim,
          of->is_bshd ? "bshd" : "bhsd");
    for (enum probe_role r = 0; r <= PROBE_C; r++) {
        const struct operand_memory *operand = &problem->operand[r];
        print(&text, ", %s %s", probe_operand_name(PROBE_ATTENTION, r),
              mapping_type_name(operand->type));
        if (operand->ld > of->dim)
            print(&text, " ld %u", operand->ld);
    }
    if (of->causal != NOT_CAUSAL)
        print(&text, ", causal %s", of->causal == CAUSAL_TOP_LEFT ? "top-left" : "bottom-right");
    print(&text, ", scale %g, %zu runs", of->scale, runs);
    comment(to, printer_string(&text));
    printer_free(&text);
}

void print_problem(struct printer *to, const struct problem *problem, size_t runs) {
    struct printer text = {.text = NULL};
    if (problem->op == PROBE_ATTENTION) {
        print_attention(to, problem, runs);
        return;
    }
    print(&text, "%s %u x %u", probe_op_name(problem->op), problem->m, problem->n);
    if (problem->k > 0)
        print(&text, " x %u", problem->k);
    if (problem->batches > 1)
        print(&text, ", batch %u", problem->batches);
    if (problem->guard > 0)
        print(&text, ", %u guard row%s", problem->guard, problem->guard > 1 ? "s" : "");
    for (enum probe_role r = 0; r < PROBE_ROLES; r++) {
        const struct operand_memory *of = &problem->operand[r];
        if (!of->is_used)
            continue;
        print(&text, ", %s %s", probe_role_name(r), mapping_type_name(of->type));
        if (r == PROBE_BIAS)
            print_text(&text, problem->bias == BIAS_OF_ROW ? " of rows" : " of columns");
        if (r >= PROBE_SFA)
            print(&text, " %s", problem->scales[r - PROBE_SFA].name);
        if (of->rows > 1)
            print(&text, " %s-major", of->is_column_major ? "column" : "row");
        if (of->ld > memory_cols(of))
            print(&text, " ld %u", of->ld);
        if (r != PROBE_BIAS && of->batches < problem->batches)
            print_text(&text, " shared");
        else if (r != PROBE_BIAS && of->lines > memory_rows(of) + problem->guard)
            print(&text, " batch stride %zu", memory_stride(of));
    }
    if (problem->op == PROBE_GEMM)
        print(&text, ", accumulator %s", mapping_type_name(problem->accumulator));
    if (problem->alpha != 1)
        print(&text, ", alpha %g", problem->alpha);
    if (problem->beta != 0)
        print(&text, ", beta %g", problem->beta);
    if (problem->block > 0)
        print(&text, ", blocks of %u", problem->block);
    if (problem->instruction)
        print(&text, ", %s", problem->instruction);
    print(&text, ", %zu runs", runs);
    comment(to, printer_string(&text));
    printer_free(&text);
}

/* The coordinates of an element of D: batch, head, query and column of O; batch, row and column for
 * a batch of products. */
static size_t place_of(const struct problem *problem, const uint32_t place[3], uint32_t all[4]) {
    const struct attention *of = &problem->attention;
    size_t count = 0;
    if (problem->op == PROBE_ATTENTION) {
        all[count++] = place[0] / of->queries / of->heads;
        all[count++] = place[0] / of->queries % of->heads;
    }
    if (problem->batches > 1)
        all[count++] = place[2];
    all[count++] = problem->op == PROBE_ATTENTION ? place[0] % of->queries : place[0];
    all[count++] = place[1];
    return count;
}

/* Prints a line, wrapped to fit a terminal; `column` characters of it are printed. */
static void print_line(struct printer *to, const char *text, size_t column) {
    print_wrapped(to, text, strlen(text), &(struct wrapping){column, 80, " ", "    "});
    print_char(to, '\n');
}

static void print_finding(struct printer *to, const struct problem *problem,
                          const struct finding *finding) {
    print(to, "%s: ", finding->name);
    print_line(to, finding->text, strlen(finding->name) + strlen(": "));
    for (size_t r = 0; r < finding->causes; r++) {
        print_text(to, "  ");
        print_line(to, finding->cause[r], strlen("  "));
    }
    print(to, "  %llu element%s:", (unsigned long long)finding->count,
          finding->count == 1 ? "" : "s");
    for (size_t p = 0; p < finding->places; p++) {
        uint32_t place[4];
        const size_t axes = place_of(problem, finding->place[p], place);
        print_text(to, p > 0 ? ", " : " ");
        if (problem->m == 1 && axes == 2) {
            print(to, "%u", place[1]);
            continue;
        }
        for (size_t a = 0; a < axes; a++)
            print(to, "%s%u", a > 0 ? ", " : "(", place[a]);
        print_char(to, ')');
    }
    print_text(to, finding->count > finding->places ? ", ...\n" : "\n");
}

/* The number of elements of D. */
static unsigned long long elements_of(const struct problem *problem) {
    return (unsigned long long)problem->batches * problem->m * problem->n;
}

void print_findings(struct printer *to, const struct findings *findings) {
    const struct plan *plan = findings->plan;
    const unsigned long long elements = elements_of(&plan->problem);
    const char *d = probe_operand_name(plan->problem.op, PROBE_D);
    print_problem(to, &plan->problem, plan->runs);
    if (findings->count == 0 && plan->problem.op == PROBE_GEMM)
        print(to,
              "Right: every element of D (%llu)\nA kernel with one wrong term in one element "
              "passes with a probability of at\nmost 2^-%u.\n",
              elements, plan->doubt_bits);
    else if (findings->count == 0)
        print(to, "Right: every element of %s (%llu)\n", d, elements);
    else
        print(to, "Wrong: %llu of %llu elements of %s\n", (unsigned long long)findings->wrong,
              elements, d);
    for (size_t f = 0; f < findings->count; f++)
        print_finding(to, &plan->problem, &findings->item[f]);
    if (findings->needs_locating)
        print(to,
              "Runs %zu to %zu find out why: run the kernel on them, too, then --decode again.\n",
              findings->first_locating, findings->last_locating);
}

void json_findings(struct printer *to, const struct findings *findings) {
    const struct problem *problem = &findings->plan->problem;
    json(to, "{kind:\"probe\",op:%s,right:%d,runs:%zu,elements:%llu,wrong:%llu,findings:[",
         probe_op_name(problem->op), findings->count == 0, findings->plan->runs,
         elements_of(problem), (unsigned long long)findings->wrong);
    for (size_t f = 0; f < findings->count; f++) {
        const struct finding *finding = &findings->item[f];
        json(to, "\n  {finding:%s,text:%s,count:%llu,explained:%d,first:[", finding->name,
             finding->text, (unsigned long long)finding->count, finding->is_explained);
        for (size_t p = 0; p < finding->places; p++) {
            uint32_t place[4];
            const size_t axes = place_of(problem, finding->place[p], place);
            print_text(to, p > 0 ? "," : "");
            json_array(to, place, axes);
        }
        print_text(to, "],\"causes\":[");
        for (size_t r = 0; r < finding->causes; r++)
            json(to, "%s", finding->cause[r]);
        print_text(to, "]}");
    }
    print_char(to, ']');
    if (problem->op == PROBE_GEMM)
        json(to, "doubt_bits:%u,more_runs:%d", findings->plan->doubt_bits,
             findings->needs_locating);
    print_text(to, "}\n");
}
