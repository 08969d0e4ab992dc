/* json_access.c - loads, stores, suggestions and accesses, as JSON. */
#include "output/json.h"
#include "output/shared_memory.h"

/* ---- Loads and stores ---- */

/* The address of each thread, null of a thread that brings none. */
static void print_addresses(struct printer *to, const uint32_t *address, uint32_t threads) {
    json(to, "address:[");
    for (uint32_t t = 0; t < threads; t++)
        json(to, address[t] == MAPPING_INACTIVE ? "null" : "%u", address[t]);
    print_char(to, ']');
}

static void print_step(struct printer *to, const struct loading *loading,
                       const struct mapping_loading *plan, const struct mapping_loading_step *step,
                       enum formula_style style) {
    char formula[FORMULA_TEXT];
    json(to, "\n  {");
    print_addresses(to, step->address, plan->threads);
    json(to, "\n   formula:%s,wavefronts:%u,minimum:%u",
         loading_formula(plan, step, style, formula) ? formula : NULL, step->wavefronts,
         step->minimum);
    json_numbers(to, "pieces", step->pieces, loading->fragment ? step->piece_count : 0);
    print_char(to, '}');
}

static void print_plan(struct printer *to, const struct loading *loading,
                       const struct mapping_loading *plan, enum formula_style style) {
    const struct report *fragment = loading->fragment;
    char formula[FORMULA_TEXT];
    json(to, "{%s:%s,with:%s,layout:%s,type:%s,origin:[%u,%u]",
         loading->is_store ? "store" : "load", loading->name, plan->access->name,
         loading->matrix->name, loading->matrix->placement->type, loading->origin[0],
         loading->origin[1]);
    if (fragment && loading->axes.rows)
        json(to, "axes:[%s,%s]", (char[]){loading->axes.rows, '\0'},
             (char[]){loading->axes.cols, '\0'});
    if (fragment)
        json(to, "arch:\"sm_%u\"", fragment->arch);
    if (fragment && fragment->tiling)
        json(to, "tiling:%s", fragment->tiling);
    json(to, "\n wavefronts:%u,minimum:%u,piece_bits:%u,formula:%s,\n steps:[", plan->wavefronts,
         plan->minimum, plan->access->bytes < 4 ? plan->access->bytes * 8U : 32U,
         loading_formula(plan, NULL, style, formula) ? formula : NULL);
    for (uint32_t s = 0; s < plan->step_count; s++)
        print_step(to, loading, plan, &plan->steps[s], style);
    print_text(to, "]}");
}

void json_loadings(struct printer *to, const struct loading *loadings, size_t count,
                   const struct style *style) {
    size_t plans = 0;
    for (size_t l = 0; l < count; l++)
        plans += loadings[l].count;
    print_text(to, plans > 1 ? "[" : "");
    for (size_t l = 0; l < count; l++)
        for (size_t p = 0; p < loadings[l].count; p++) {
            print_text(to, l + p > 0 ? ",\n" : "");
            print_plan(to, &loadings[l], &loadings[l].plans[p], style->formula);
        }
    print_text(to, plans > 1 ? "]\n" : "\n");
}

/* ---- Suggestions ---- */

void json_suggestions(struct printer *to, const struct suggested *suggested,
                      const struct style *style) {
    const struct mapping_suggestions *found = &suggested->suggestions;
    (void)style;
    json(to, "{suggest:%s,type:%s,\n suggestions:[", suggested->matrix->name,
         suggested->matrix->placement->type);
    for (size_t n = 0; n < found->count; n++) {
        const struct mapping_suggestion *item = &found->items[n];
        const struct mapping_swizzle *swizzle = &item->layout.swizzle;
        char layout[512];
        mapping_cute_print(&item->layout, layout, sizeof layout);
        json(to, "\n  {layout:%s", layout);
        json(to, swizzle->bits > 0 ? "swizzle:[%lld,%lld,%lld]" : "swizzle:null",
             (long long)swizzle->bits, (long long)swizzle->base, (long long)swizzle->shift);
        json(to, "padding:%u,wasted:%u,wavefronts:%u,minimum:%u,uses:[", item->padding,
             item->wasted, item->wavefronts, item->minimum);
        for (size_t u = 0; u < suggested->use_count; u++)
            json(to, "{%s:%s,with:%s,wavefronts:%u}",
                 suggested->uses[u].is_store ? "store" : "load", suggested->uses[u].name,
                 item->with[u] ? item->with[u]->name : "st.b128", item->each[u]);
        print_text(to, "]}");
    }
    print_text(to, "]}\n");
}

/* ---- Accesses ---- */

/* The numbers of the lanes in a set. */
static void print_lanes(struct printer *to, const char *key, uint32_t set) {
    json(to, "%s:[", key);
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (set >> lane & 1)
            json(to, "%u", lane);
    print_char(to, ']');
}

void json_access(struct printer *to, const struct access *access) {
    const struct mapping_wavefronts *counted = &access->counted;
    json(to, "{access:%s,wavefronts:%u,minimum:%u,phases:[", access->operation->name,
         counted->wavefronts, counted->minimum);
    for (uint32_t p = 0; p < counted->phase_count; p++) {
        const struct mapping_phase *phase = &counted->phases[p];
        const bool is_conflict = phase->wavefronts > 1;
        json(to, "\n  {");
        print_lanes(to, "lanes", phase->lanes);
        json(to, is_conflict ? "wavefronts:%u,bank:%u" : "wavefronts:%u,bank:null",
             phase->wavefronts, phase->bank);
        print_lanes(to, "meeting", is_conflict ? phase->meeting : 0);
        print_char(to, '}');
    }
    print_text(to, "],\n ");
    print_addresses(to, access->address, LANES);
    json(to, "\n counted:{arch:%s,device:%s}}\n", ACCESS_COUNTED_ARCH, ACCESS_COUNTED_DEVICE);
}
