/* json_conversion.c - conversions, as JSON. */
#include "output/cuda_convert.h"
#include "output/json_parts.h"

/* Prints the members of a plan: its kind, the registers where it only renames them, and the
 * shuffles. */
static void print_plan(struct printer *to, const struct conversion *conversion,
                       const struct shuffle_plan *plan) {
    print(to, "\"kind\":\"%s\",", mapping_convert_kind_name(plan->kind));
    if (plan->kind <= CONVERT_WORDS)
        json_indices(to, "registers", plan->outputs, plan->target.words);
    else
        print_text(to, "\"registers\":null");
    print(to, ",\"shuffles\":%u,\"function\":%s,\"lanes\":[", plan->shuffles,
          conversion_has_function(conversion, plan, "") ? "true" : "false");
    for (uint32_t n = 0; n < plan->lanes_count; n++) {
        char lane[FORMULA_TEXT];
        lanes_text(&plan->lanes[n], plan->threads, lane);
        print_text(to, n ? "," : "");
        json_string(to, lane);
    }
    print_char(to, ']');
}

/* Prints what a permutation of columns or rows saves, or null. */
static void print_permuted(struct printer *to, const struct conversion *conversion) {
    const struct mapping_permutation *permutation = &conversion->permutation;
    char formula[FORMULA_TEXT];
    if (!conversion->is_permutable) {
        print_text(to, "null");
        return;
    }
    permutation_text(permutation, formula);
    print(to, "{\"axis\":\"%s\",", permutation->axis);
    json_formula(to, "formula", formula);
    print_char(to, ',');
    json_indices(to, "permutation", permutation->table, permutation->count);
    print_char(to, ',');
    print_plan(to, conversion, &conversion->permuted);
    print_char(to, '}');
}

bool json_conversions(struct printer *to, const struct conversion *conversions, size_t count,
                      const struct style *style) {
    (void)style;
    print_text(to, count > 1 ? "[\n" : "");
    for (size_t c = 0; c < count; c++) {
        const struct shuffle_plan *plan = &conversions[c].plan;
        print(to, "%s{\"convert\":\"%s\",\"to\":\"%s\",\"arch\":\"sm_%u\",", c ? ",\n" : "",
              conversions[c].source->name, conversions[c].target->name,
              conversions[c].source->arch);
        print(to, "\"threads\":%u,\"bits\":%u,\n ", plan->threads, plan->bits);
        json_indices(to, "from_tiles", plan->source.grid + 1, 2);
        print_char(to, ',');
        json_indices(to, "to_tiles", plan->target.grid + 1, 2);
        print(to, ",\"in\":%u,\"out\":%u,\n ", plan->source.words, plan->target.words);
        print_plan(to, &conversions[c], plan);
        print_text(to, ",\n \"permuted\":");
        print_permuted(to, &conversions[c]);
        print_char(to, '}');
    }
    print_text(to, count > 1 ? "\n]\n" : "\n");
    return true;
}
