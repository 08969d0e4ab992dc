/* report.c - from a map to everything that is printed of it. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void provenance_add(struct provenance *provenance, const char *kind, const char *with) {
    if (provenance->count == PROVENANCE_MAX)
        return;
    struct evidence *evidence = &provenance->evidence[provenance->count++];
    snprintf(evidence->kind, sizeof evidence->kind, "%s", kind);
    snprintf(evidence->with, sizeof evidence->with, "%s", with);
}

void provenance_append(struct provenance *provenance, const struct provenance *other) {
    for (unsigned e = 0; e < other->count && provenance->count < PROVENANCE_MAX; e++)
        provenance->evidence[provenance->count++] = other->evidence[e];
}

void provenance_print(const struct provenance *provenance, char text[PROVENANCE_TEXT]) {
    int length = 0;
    *text = '\0';
    for (unsigned e = 0; e < provenance->count; e++) {
        const struct evidence *evidence = &provenance->evidence[e];
        length += snprintf(text + length, PROVENANCE_TEXT - (size_t)length, "%s%s%s (%s)",
                           e > 0 ? "; " : "", evidence->recorded ? "recorded: " : "",
                           evidence->kind, evidence->with);
    }
}

/* Reads one observation, and returns what follows it or NULL. */
static const char *parse_evidence(const char *text, struct evidence *evidence) {
    static const char recorded[] = "recorded: ", *const kinds[] = {"gpu", "sass", "isa"};
    *evidence = (struct evidence){.recorded = false};
    if (strncmp(text, recorded, sizeof recorded - 1) == 0) {
        evidence->recorded = true;
        text += sizeof recorded - 1;
    }
    int length = 0;
    if (sscanf(text, "%15[a-z] (%191[ -'*-~])%n", evidence->kind, evidence->with, &length) != 2 ||
        length == 0)
        return NULL;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(evidence->kind, kinds[k]) == 0)
            return text + length;
    return NULL;
}

bool provenance_parse(const char *text, struct provenance *provenance) {
    *provenance = (struct provenance){.count = 0};
    while (provenance->count < PROVENANCE_MAX) {
        text = parse_evidence(text, &provenance->evidence[provenance->count++]);
        if (text && *text == '\0')
            return true;
        if (!text || strncmp(text, "; ", 2) != 0)
            return false;
        text += 2;
    }
    return false;
}

void forward_variables(const struct mapping_map *map,
                       struct mapping_variable variables[FORWARD_VARIABLES]) {
    variables[0] = (struct mapping_variable){"i", map->elements};
    variables[1] = (struct mapping_variable){"tid", map->threads};
}

const char *copy_word(const struct mapping_fragment *fragment) {
    return fragment->operand == 'e' ? "selector" : "copy";
}

bool is_only_stated(const struct provenance *provenance) {
    for (unsigned e = 0; e < provenance->count; e++)
        if (strcmp(provenance->evidence[e].kind, "isa") != 0)
            return false;
    return true;
}

void inverse_variables(const struct report *report,
                       struct mapping_variable variables[INVERSE_VARIABLES]) {
    const struct mapping_map *map = &report->map;
    variables[0] = (struct mapping_variable){"row", map->rows};
    variables[1] = (struct mapping_variable){"col", map->cols};
    variables[2] = (struct mapping_variable){"block", map->blocks};
    variables[3] = (struct mapping_variable){copy_word(&report->fragment), mapping_map_copies(map)};
}

/* Deduces tid and i from row, col, block and copy. False if out of memory. */
static bool deduce_inverse(struct report *report) {
    const struct mapping_map *map = &report->map;
    size_t entries = mapping_map_entries(map);
    uint32_t *values = malloc(INVERSES * entries * sizeof *values);
    if (!values)
        return false;
    uint32_t *tid = values + INVERSE_TID * entries, *i = values + INVERSE_I * entries;
    const uint32_t *holders = report->holders; /* of one block in one copy */
    for (uint32_t n = 0; n < mapping_map_copies(map) * map->blocks; n++) {
        for (uint32_t col = 0; col < map->cols; col++)
            for (uint32_t row = 0; row < map->rows; row++) {
                uint32_t holder = holders[row * map->cols + col];
                *tid++ = holder / map->elements;
                *i++ = holder % map->elements;
            }
        holders += (size_t)map->rows * map->cols;
    }
    struct mapping_variable variables[INVERSE_VARIABLES];
    inverse_variables(report, variables);
    for (int which = 0; which < INVERSES; which++) {
        struct deduced *deduced = &report->inverse[which];
        deduced->found = mapping_deduce(variables, INVERSE_VARIABLES,
                                        values + (size_t)which * entries, &deduced->formula);
    }
    free(values);
    return true;
}

enum mapping_status report_deduce(struct report *report, struct mapping_error *error) {
    report->holders = malloc(mapping_map_entries(&report->map) * sizeof *report->holders);
    if (!report->holders)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    struct mapping_error cause;
    enum mapping_status status = mapping_map_invert(&report->map, report->holders, &cause);
    if (status != MAPPING_OK) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&report->fragment, name);
        return mapping_fail(error, status, "%s: %.700s", name, cause.message);
    }
    struct mapping_variable variables[FORWARD_VARIABLES];
    forward_variables(&report->map, variables);
    for (int c = 0; c < mapping_map_coordinates(&report->map); c++) {
        struct deduced *deduced = &report->formulae[c];
        deduced->found =
            mapping_deduce(variables, FORWARD_VARIABLES, report->map.plane[c], &deduced->formula);
        if (!deduced->found)
            status = MAPPING_NO_FORMULA;
    }
    if (!deduce_inverse(report))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    return status;
}

void report_free(struct report *report) {
    mapping_map_free(&report->map);
    free(report->holders);
    report->holders = NULL;
}
