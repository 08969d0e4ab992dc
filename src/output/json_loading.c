/* json_loading.c - loads, stores and suggestions for programs. */
#include "output/json_parts.h"
#include "output/loading_parts.h"

#include <stdio.h>

/* Prints the formula as a string, or null. */
static void print_formula(struct printer *to, bool is_found, const char *formula) {
    if (is_found)
        json_string(to, formula);
    else
        print_text(to, "null");
}

static void print_step(struct printer *to, const struct loading *loading,
                       const struct mapping_loading *plan, const struct mapping_loading_step *step,
                       enum formula_style style) {
    char formula[FORMULA_TEXT];
    print_text(to, "\n  {\"address\":[");
    for (uint32_t t = 0; t < plan->threads; t++) {
        if (t > 0)
            print_char(to, ',');
        if (step->address[t] == MAPPING_INACTIVE)
            print_text(to, "null");
        else
            print_number(to, step->address[t]);
    }
    print_text(to, "],\n   \"formula\":");
    print_formula(to, loading_formula(plan, step, style, formula), formula);
    print(to, ",\"wavefronts\":%u,\"minimum\":%u,", step->wavefronts, step->minimum);
    json_indices(to, "pieces", step->pieces, loading->fragment ? step->piece_count : 0);
    print_char(to, '}');
}

static void print_plan(struct printer *to, const struct loading *loading,
                       const struct mapping_loading *plan, enum formula_style style) {
    const struct report *fragment = loading->fragment;
    char formula[FORMULA_TEXT];
    print_char(to, '{');
    json_text_member(to, loading->is_store ? "store" : "load", loading->name);
    print_char(to, ',');
    json_text_member(to, "with", plan->access->name);
    print_text(to, ",\"layout\":");
    json_string(to, loading->matrix->name);
    print(to, ",\"type\":\"%s\",\"origin\":[%u,%u],", loading->matrix->placement->type,
          loading->origin[0], loading->origin[1]);
    if (fragment && loading->axes.rows)
        print(to, "\"axes\":[\"%c\",\"%c\"],", loading->axes.rows, loading->axes.cols);
    if (fragment)
        print(to, "\"arch\":\"sm_%u\",", fragment->arch);
    if (fragment && fragment->tiling) {
        json_text_member(to, "tiling", fragment->tiling);
        print_char(to, ',');
    }
    print(to,
          "\n \"wavefronts\":%u,\"minimum\":%u,\"piece_bits\":%u,\"formula\":", plan->wavefronts,
          plan->minimum, plan->access->bytes < 4 ? plan->access->bytes * 8U : 32U);
    print_formula(to, loading_common_formula(plan, style, formula), formula);
    print_text(to, ",\n \"steps\":[");
    for (uint32_t s = 0; s < plan->step_count; s++) {
        if (s > 0)
            print_char(to, ',');
        print_step(to, loading, plan, &plan->steps[s], style);
    }
    print_text(to, "]}");
}

void json_loadings(struct printer *to, const struct loading *loadings, size_t count,
                   const struct style *style) {
    const char *separator = "";
    size_t plans = 0;
    for (size_t l = 0; l < count; l++)
        plans += loadings[l].count;
    print_text(to, plans > 1 ? "[" : "");
    for (size_t l = 0; l < count; l++)
        for (size_t p = 0; p < loadings[l].count; p++) {
            print_text(to, separator);
            print_plan(to, &loadings[l], &loadings[l].plans[p], style->formula);
            separator = ",\n";
        }
    print_text(to, plans > 1 ? "]\n" : "\n");
}

/* ---- Suggestions ---- */

static void print_suggestion(struct printer *to, const struct suggested *suggested,
                             const struct mapping_suggestion *suggestion) {
    const struct mapping_swizzle *swizzle = &suggestion->layout.swizzle;
    char text[512];
    mapping_cute_print(&suggestion->layout, text, sizeof text);
    print_text(to, "{\"layout\":");
    json_string(to, text);
    if (swizzle->bits > 0)
        print(to, ",\"swizzle\":[%d,%d,%d]", swizzle->bits, swizzle->base, swizzle->shift);
    else
        print_text(to, ",\"swizzle\":null");
    print(to, ",\"padding\":%u,\"wasted\":%u,\"wavefronts\":%u,\"minimum\":%u,\"uses\":[",
          suggestion->padding, suggestion->wasted, suggestion->wavefronts, suggestion->minimum);
    for (size_t u = 0; u < suggested->use_count; u++) {
        const struct loading *use = &suggested->uses[u];
        print_text(to, u ? ",{" : "{");
        json_text_member(to, use->is_store ? "store" : "load", use->name);
        print_char(to, ',');
        json_text_member(to, "with", suggestion->with[u] ? suggestion->with[u]->name : "st.b128");
        print(to, ",\"wavefronts\":%u}", suggestion->each[u]);
    }
    print_text(to, "]}");
}

void json_suggestions(struct printer *to, const struct suggested *suggested,
                      const struct style *style) {
    const struct mapping_suggestions *found = &suggested->suggestions;
    (void)style;
    print_text(to, "{\"suggest\":");
    json_string(to, suggested->matrix->name);
    print(to, ",\"type\":\"%s\",\n \"suggestions\":[", suggested->matrix->placement->type);
    for (size_t n = 0; n < found->count; n++) {
        print_text(to, n ? ",\n  " : "\n  ");
        print_suggestion(to, suggested, &found->items[n]);
    }
    print_text(to, "]}\n");
}
