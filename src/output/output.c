/* output.c - the table of formats, and what they share. */
#include "output.h"

#include <string.h>

const struct output *output_at(size_t index) {
    static const struct output *const outputs[] = {&text_output, &json_output, &csv_output,
                                                   &markdown_output, NULL};
    return outputs[index];
}

const struct output *output_find(const char *name) {
    const struct output *output;
    for (size_t o = 0; (output = output_at(o)); o++)
        if (strcmp(name, output->name) == 0)
            return output;
    return NULL;
}

void difference_name(const struct difference *difference, char name[MAPPING_NAME_SIZE]) {
    const struct report *any = difference->first ? difference->first : difference->second;
    mapping_fragment_name(&any->fragment, name);
}

void comparison_sides(FILE *file, const struct comparison *comparison,
                      void (*print)(FILE *file, const char *name, unsigned arch,
                                    const struct report *report)) {
    for (size_t d = 0; d < comparison->count; d++) {
        const struct difference *difference = &comparison->items[d];
        char name[MAPPING_NAME_SIZE];
        difference_name(difference, name);
        print(file, name, comparison->first, difference->first);
        print(file, name, comparison->second, difference->second);
    }
}

int coordinate_at(const struct mapping_map *map, int index) {
    static const int with_block[] = {MAPPING_BLOCK, MAPPING_ROW, MAPPING_COL};
    return map->blocks > 1 ? with_block[index] : index;
}

const char *coordinate_name(int coordinate) {
    return coordinate == MAPPING_ROW ? "row" : coordinate == MAPPING_COL ? "col" : "block";
}

const char *coordinate_label(int coordinate) {
    return coordinate == MAPPING_ROW ? "Row" : coordinate == MAPPING_COL ? "Col" : "Block";
}

void formula_text(const struct report *report, int coordinate, char text[FORMULA_TEXT]) {
    struct mapping_variable variables[FORWARD_VARIABLES];
    const struct deduced *deduced = &report->formulae[coordinate];
    forward_variables(&report->map, variables);
    *text = '\0';
    if (deduced->found)
        mapping_formula_print(&deduced->formula, variables, FORWARD_VARIABLES, text, FORMULA_TEXT);
}

void inverse_text(const struct report *report, int which, const char *copy,
                  char text[FORMULA_TEXT]) {
    struct mapping_variable variables[INVERSE_VARIABLES];
    const struct deduced *deduced = &report->inverse[which];
    inverse_variables(report, variables);
    variables[INVERSE_VARIABLES - 1].name = copy;
    *text = '\0';
    if (deduced->found)
        mapping_formula_print(&deduced->formula, variables, INVERSE_VARIABLES, text, FORMULA_TEXT);
}
