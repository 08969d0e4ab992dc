/* text.c - grids and formulae for people, and for results files. */
#include "output.h"

/* Blanks between the two grids, as in the tables that this format comes from. */
enum { GAP = 9 };

/* Digits of the largest value below `count`, at least 2. */
static int width_of(uint32_t count) {
    int width = 2;
    for (uint32_t limit = 100; count > limit; limit *= 10)
        width++;
    return width;
}

/* Prints for each element of the matrix which i, and beside it which tid, holds the copy. */
static void print_grids(FILE *file, const struct mapping_map *map, const uint32_t *holders) {
    int element_width = width_of(map->elements), thread_width = width_of(map->threads);
    for (uint32_t row = 0; row < map->rows; row++) {
        const uint32_t *line = holders + (size_t)row * map->cols;
        for (uint32_t col = 0; col < map->cols; col++)
            fprintf(file, "%s%*u", col ? " " : "", element_width, line[col] % map->elements);
        for (uint32_t col = 0; col < map->cols; col++)
            fprintf(file, "%*s%*u", col ? 1 : GAP, "", thread_width, line[col] / map->elements);
        fputc('\n', file);
    }
}

static void print_formula(FILE *file, const char *label, const struct deduced *deduced,
                          const struct mapping_variable *variables) {
    if (!deduced->found) {
        fprintf(file, "%s: no sum, and no exclusive or, of masked and shifted i and tid\n", label);
        return;
    }
    char text[2048];
    mapping_formula_print(&deduced->formula, variables, FORWARD_VARIABLES, text, sizeof text);
    fprintf(file, "%s: return %s;\n", label, text);
}

void text_section(FILE *file, const struct report *report) {
    const struct mapping_map *map = &report->map;
    char name[MAPPING_NAME_SIZE], source[PROVENANCE_TEXT];
    mapping_fragment_name(&report->fragment, name);
    provenance_print(&report->provenance, source);
    fprintf(file, "# %s on sm_%u\n# source: %s\n", name, report->arch, source);
    if (report->default_arch)
        fprintf(file, "# no GPU here, so sm_%u is shown; --arch=ARCH shows another\n",
                report->arch);
    for (uint32_t copy = 0; copy < mapping_map_copies(map); copy++) {
        fputs(GRID_TITLE "\n", file);
        print_grids(file, map, report->holders + (size_t)copy * map->rows * map->cols);
        fputc('\n', file);
    }
    struct mapping_variable variables[FORWARD_VARIABLES];
    forward_variables(map, variables);
    fputs(FORMULAE_TITLE "\n", file);
    print_formula(file, "Row", &report->formulae[MAPPING_ROW], variables);
    print_formula(file, "Col", &report->formulae[MAPPING_COL], variables);
}

static void print_reports(FILE *file, const struct report *reports, size_t count) {
    for (size_t r = 0; r < count; r++) {
        if (r > 0)
            fputc('\n', file);
        text_section(file, &reports[r]);
    }
}

static void print_list(FILE *file, const struct mapping_fragment *fragments, size_t count) {
    for (size_t f = 0; f < count; f++) {
        char name[MAPPING_NAME_SIZE], size[32];
        mapping_fragment_name(&fragments[f], name);
        snprintf(size, sizeof size, "%ux%u", fragments[f].rows, fragments[f].cols);
        fprintf(file, "%-24s %-6s %3u elements per thread, sm_%u and later\n", name, size,
                fragments[f].elements, fragments[f].since);
    }
}

const struct output text_output = {"text", print_reports, print_list};
