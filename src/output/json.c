/* json.c - the same for programs. */
#include "output.h"

static void print_string(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

/* Prints the members that evidence has: "kind":"sass","with":"ptxas ...". */
static void print_evidence(FILE *file, const struct evidence *evidence) {
    fputs("\"kind\":", file);
    print_string(file, evidence->kind);
    fputs(",\"with\":", file);
    print_string(file, evidence->with);
}

/* The first observation is the source; others that agree with it follow in a list. Recorded maps
 * list all that they were observed by. */
static void print_source(FILE *file, const struct provenance *provenance) {
    unsigned first = provenance->recorded ? 0 : 1;
    fputs("{", file);
    if (provenance->recorded)
        fputs("\"kind\":\"recorded\"", file);
    else
        print_evidence(file, &provenance->evidence[0]);
    if (provenance->count > first) {
        fprintf(file, ",\"%s\":[", provenance->recorded ? "observed_by" : "confirmed_by");
        for (unsigned e = first; e < provenance->count; e++) {
            fputs(e > first ? ",{" : "{", file);
            print_evidence(file, &provenance->evidence[e]);
            fputc('}', file);
        }
        fputc(']', file);
    }
    fputc('}', file);
}

static void print_map(FILE *file, const struct mapping_map *map) {
    for (uint32_t tid = 0; tid < map->threads; tid++) {
        fputs(tid ? ",\n  [" : "[\n  [", file);
        for (uint32_t i = 0; i < map->elements; i++) {
            size_t entry = (size_t)tid * map->elements + i;
            fprintf(file, "%s[%u,%u]", i ? "," : "", map->plane[MAPPING_ROW][entry],
                    map->plane[MAPPING_COL][entry]);
        }
        fputc(']', file);
    }
    fputc(']', file);
}

/* Prints "name":"formula", or null where there is none. */
static void print_formula(FILE *file, const char *name, const struct deduced *deduced,
                          const struct mapping_variable *variables, size_t count) {
    fprintf(file, "\"%s\":", name);
    if (!deduced->found) {
        fputs("null", file);
        return;
    }
    char text[2048];
    mapping_formula_print(&deduced->formula, variables, count, text, sizeof text);
    print_string(file, text);
}

static void print_report(FILE *file, const struct report *report) {
    const struct mapping_map *map = &report->map;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&report->fragment, name);
    fprintf(file,
            "{\"arch\":\"sm_%u\",\"fragment\":\"%s\",\"rows\":%u,\"cols\":%u,\"threads\":%u,"
            "\"elements\":%u,\"copies\":%u,\n \"source\":",
            report->arch, name, map->rows, map->cols, map->threads, map->elements,
            mapping_map_copies(map));
    print_source(file, &report->provenance);
    fputs(",\n \"coordinates\":[\"row\",\"col\"],\n \"map\":", file);
    print_map(file, map);

    struct mapping_variable forward[FORWARD_VARIABLES], inverse[INVERSE_VARIABLES];
    forward_variables(map, forward);
    inverse_variables(map, inverse);
    fputs(",\n \"formulae\":{", file);
    print_formula(file, "row", &report->formulae[MAPPING_ROW], forward, FORWARD_VARIABLES);
    fputc(',', file);
    print_formula(file, "col", &report->formulae[MAPPING_COL], forward, FORWARD_VARIABLES);
    fputs("},\n \"inverse\":{", file);
    print_formula(file, "tid", &report->inverse[INVERSE_TID], inverse, INVERSE_VARIABLES);
    fputc(',', file);
    print_formula(file, "i", &report->inverse[INVERSE_I], inverse, INVERSE_VARIABLES);
    fputs("}}", file);
}

static void print_reports(FILE *file, const struct report *reports, size_t count) {
    if (count > 1)
        fputc('[', file);
    for (size_t r = 0; r < count; r++) {
        if (r > 0)
            fputs(",\n", file);
        print_report(file, &reports[r]);
    }
    fputs(count > 1 ? "]\n" : "\n", file);
}

static void print_list(FILE *file, const struct mapping_fragment *fragments, size_t count) {
    fputc('[', file);
    for (size_t f = 0; f < count; f++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&fragments[f], name);
        fprintf(file,
                "%s{\"fragment\":\"%s\",\"rows\":%u,\"cols\":%u,\"threads\":%u,\"elements\":%u,"
                "\"since\":\"sm_%u\"}",
                f ? ",\n " : "", name, fragments[f].rows, fragments[f].cols, fragments[f].threads,
                fragments[f].elements, fragments[f].since);
    }
    fputs("]\n", file);
}

const struct output json_output = {"json", print_reports, print_list};
