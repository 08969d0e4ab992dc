/* tmem_fold.c - shortens the reports of a series of tmem loads to the first ones; see tmem_fold.h.
 */
#include "report/tmem_fold.h"

#include "report/tmem_report.h"
#include "report/view.h"

#include <string.h>

/* True if the layout equals another one after a constant is added to each coordinate. */
static bool is_shifted(const struct mapping_layout *layout, const struct mapping_layout *first) {
    if (!mapping_space_equal(&layout->from, &first->from) || layout->to.count != first->to.count)
        return false;
    for (uint32_t c = 0; c < layout->to.count; c++)
        for (size_t n = 0; n < mapping_layout_entries(layout); n++)
            if (layout->coordinate[c][n] - first->coordinate[c][n] !=
                layout->coordinate[c][0] - first->coordinate[c][0])
                return false;
    return true;
}

/* Makes a layout that maps the number of a load to its address and its first element. False if the
 * layouts of the loads differ by more than constants. */
static bool make_places(const struct report *reports, uint32_t count,
                        struct mapping_layout *places) {
    const struct mapping_space *to = &reports->forward.layout.to;
    const struct mapping_space from = {.count = 1, .axis = {{tmem_word(reports->tmem), count}}};
    struct mapping_space target = {
        .count = 2, .axis = {{"address column", UINT32_MAX}, {"address lane", UINT32_MAX}}};
    struct mapping_error ignored;
    for (uint32_t c = to->count; c-- > 0;)
        target.axis[target.count++] = to->axis[c];
    if (mapping_layout_init(places, &from, &target, &ignored) != MAPPING_OK)
        return false;
    for (uint32_t p = 0; p < count; p++) {
        if (!is_shifted(&reports[p].forward.layout, &reports->forward.layout))
            return false;
        places->coordinate[0][p] = reports[p].tmem->column;
        places->coordinate[1][p] = reports[p].tmem->lane;
        for (uint32_t c = 0; c < to->count; c++)
            places->coordinate[2 + to->count - 1 - c][p] =
                reports[p].forward.layout.coordinate[c][0];
    }
    return true;
}

static void fold_one(struct report *reports, uint32_t count) {
    struct mapping_layout places;
    struct strings lines = {.count = 0};
    if (!make_places(reports, count, &places))
        return;
    const struct mapping_grid grid = {
        .layout = &places, .count = 1, .size = {count}, .stride = {1}};
    const struct mapping_period period = mapping_period_find(&grid, 0, 1, 1);
    const char *word = tmem_word(reports->tmem);
    for (uint32_t l = 0; l < period.levels; l++) {
        const struct mapping_repeat *repeat = &period.level[l];
        struct printer line = {.text = NULL};
        if (repeat->period + 1 == repeat->end)
            print(&line, "%s %u: ", word, repeat->period);
        else
            print(&line, "%ss %u to %u: ", word, repeat->period, repeat->end - 1);
        print_text(&line, growth_text(&places.to, repeat->growth, 0));
        if (repeat->period == 1)
            print(&line, " for each %s", word);
        else
            print(&line, " for each %u %ss", repeat->period, word);
        strings_add(&lines, printer_string(&line));
    }
    if (period.levels > 0)
        reports[period.size - 1].tmem->others = lines;
    for (uint32_t p = period.size; p < count; p++)
        reports[p].tmem->is_left_out = true;
    mapping_layout_free(&places);
}

void fold_tmem_loads(struct report *reports, size_t count) {
    for (size_t r = 0; r < count; r++) {
        const struct tmem_report *tmem = reports[r].tmem;
        if (tmem && tmem->form == TMEM_LOADS_EACH && tmem->number == 0 && tmem->count > 1 &&
            tmem->count <= count - r)
            fold_one(&reports[r], tmem->count);
    }
}
