/* loading_header.c - loads and stores as a header of device functions: of each the best plan. */
#include "layout/sentence.h"
#include "output/guard.h"
#include "output/loading.h"
#include "output/loading_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 2 * REPORT_NAME_SIZE + 64 };

/* Writes the words and numbers of a text with '_' between: "sw_3_3_3_o_0_o_64_64_64_1". */
static void write_words(const char *text, char *name, size_t size) {
    size_t length = strlen(name);
    for (const char *c = text; *c && length + 2 < size; c++)
        if (isalnum((unsigned char)*c))
            name[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && name[length - 1] != '_')
            name[length++] = '_';
    while (length > 0 && name[length - 1] == '_')
        length--;
    name[length] = '\0';
}

/* What a function is called, whatever operation it does it with. */
static void write_base_name(const struct loading *loading, char name[NAME_SIZE]) {
    *name = '\0';
    write_words(loading->name, name, NAME_SIZE);
    if (loading->fragment && loading->fragment->tiling)
        guard_add_tiling(loading->fragment->tiling, name, NAME_SIZE);
    strncat(name, loading->is_store ? "_to_" : "_from_", NAME_SIZE - strlen(name) - 1);
    write_words(loading->matrix->name, name, NAME_SIZE);
    if (loading->has_axes && loading->is_turned)
        mapping_append(name, NAME_SIZE, "_%c%c", loading->axes.rows, loading->axes.cols);
    if (loading->origin[0] > 0 || loading->origin[1] > 0)
        mapping_append(name, NAME_SIZE, "_at_%u_%u", loading->origin[0], loading->origin[1]);
}

/* What a function is called: "mma_m16n8k16_a_f16_from_64_64_64_1_at_16_32"; with "_by_ldmatrix_x4"
 * behind it where the same is done in two ways. */
static void write_name(const struct loading *loadings, size_t count, size_t number,
                       char name[NAME_SIZE]) {
    char other[NAME_SIZE];
    write_base_name(&loadings[number], name);
    for (size_t l = 0; l < count; l++) {
        if (loadings[l].plans->access == loadings[number].plans->access)
            continue;
        write_base_name(&loadings[l], other);
        if (strcmp(name, other) != 0)
            continue;
        mapping_append(name, NAME_SIZE, "_by_");
        write_words(loadings[number].plans->access->name, name, NAME_SIZE);
        return;
    }
}

/* Whether two plans do the same. */
static bool are_equal(const struct mapping_loading *one, const struct mapping_loading *other) {
    bool is_equal = one->access == other->access && one->threads == other->threads &&
                    one->step_count == other->step_count;
    for (uint32_t s = 0; s < one->step_count && is_equal; s++)
        is_equal = memcmp(one->steps[s].address, other->steps[s].address,
                          one->threads * sizeof *one->steps[s].address) == 0;
    return is_equal;
}

enum mapping_status check_loadings_cuda(const struct loading *loadings, size_t count,
                                        struct mapping_error *error) {
    char one[NAME_SIZE], other[NAME_SIZE];
    for (size_t l = 1; l < count; l++) {
        write_name(loadings, count, l, one);
        for (size_t before = 0; before < l; before++) {
            write_name(loadings, count, before, other);
            if (strcmp(one, other) == 0 && !are_equal(loadings[before].plans, loadings[l].plans))
                return mapping_fail(error, MAPPING_INVALID,
                                    "'%.100s' and '%.100s' would both be %.100s in C; use two "
                                    "headers, in two programs",
                                    loadings[before].matrix->name, loadings[l].matrix->name, one);
        }
    }
    return MAPPING_OK;
}

/* How many pieces of 16 bytes a copy has. */
static uint32_t count_pieces(const struct mapping_loading *plan) {
    uint32_t pieces = (plan->step_count - 1) * LANES;
    for (uint32_t lane = 0; lane < LANES; lane++)
        pieces += plan->steps[plan->step_count - 1].address[lane] != MAPPING_INACTIVE;
    return pieces;
}

/* Prints where each piece is, that of lane 0 in step 0 first. */
static void print_table(struct printer *to, const struct mapping_loading *plan) {
    uint32_t pieces = count_pieces(plan);
    print(to, "    static const unsigned table[%u] = {", pieces);
    for (uint32_t n = 0; n < pieces; n++) {
        print_text(to, n % 16 == 0 ? "\n        " : " ");
        print_number(to, plan->steps[n / LANES].address[n % LANES]);
        print_char(to, ',');
    }
    print_text(to, "\n    };\n    return table[step * 32 + tid];\n}\n");
}

static void print_copy_guard(struct printer *to, const struct mapping_loading *plan,
                             const char *name) {
    char guard[NAME_SIZE + 16];
    uint32_t hash = GUARD_START;
    for (uint32_t s = 0; s < plan->step_count; s++)
        hash = guard_add(hash, plan->steps[s].address, LANES * sizeof(uint32_t));
    snprintf(guard, sizeof guard, "mapping_%s", name);
    guard_open(to, guard, hash);
}

/* Prints where each lane writes in each step, which is all that a copy needs. */
static void print_copy(struct printer *to, const struct loading *loading, const char *name) {
    const struct mapping_loading *plan = loading->plans;
    char formula[FORMULA_TEXT];
    bool is_one = plan->step_count == 1;
    bool has_formula = is_one ? loading_formula(plan, &plan->steps[0], FORMULA_DIVIDE, formula)
                              : loading_common_formula(plan, FORMULA_DIVIDE, formula);
    print_copy_guard(to, plan, name);
    print(to,
          "/* The byte offset at which lane tid of a warp writes 16 bytes in step 0 to %u, from "
          "the start of\n * %s; %u wavefronts in total (minimum: %u)\n",
          plan->step_count - 1, loading->matrix->name, plan->wavefronts, plan->minimum);
    if (count_pieces(plan) % LANES != 0)
        print(to, " * A lane writes only if step * 32 + tid is less than %u.\n",
              count_pieces(plan));
    print(to,
          " */\nstatic __device__ __forceinline__ unsigned mapping_%s(unsigned step,\n"
          "                                                          unsigned tid) {\n",
          name);
    if (has_formula)
        print(to, is_one ? "    (void)step;\n    return %s;\n}\n" : "    return %s;\n}\n", formula);
    else
        print_table(to, plan);
    print_text(to, "#endif\n");
}

static void print_loading(struct printer *to, const struct loading *loading, const char *name) {
    char comment[NAME_SIZE];
    const struct report *fragment = loading->fragment;
    print_char(to, '\n');
    if (!fragment) {
        print_copy(to, loading, name);
        return;
    }
    char axes[48] = "";
    if (has_axes_to_say(loading))
        snprintf(axes, sizeof axes, "; rows are %c, columns are %c", loading->axes.rows,
                 loading->axes.cols);
    snprintf(comment, sizeof comment, "%s %s %.255s,\nrow %u, column %u%s%s%.255s", loading->name,
             loading->is_store ? "to" : "from", loading->matrix->name, loading->origin[0],
             loading->origin[1], axes, fragment->tiling ? "; tiled by " : "",
             fragment->tiling ? fragment->tiling : "");
    loading_cuda(to, loading->plans, loading->alignment, name, comment);
}

void print_loadings_cuda(struct printer *to, const struct loading *loadings, size_t count,
                         const struct style *style) {
    (void)style;
    print_text(to,
               "/* Loads and stores of fragments, for CUDA C++. Made by mapping " MAPPING_VERSION
               ". */\n");
    for (size_t l = 0; l < count; l++) {
        char name[NAME_SIZE];
        write_name(loadings, count, l, name);
        print_loading(to, &loadings[l], name);
    }
}
