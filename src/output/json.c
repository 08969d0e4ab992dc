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

/* What the map was taken from, and all observations that it rests on. */
static void print_source(FILE *file, const struct provenance *provenance) {
    const struct evidence *first = &provenance->evidence[0];
    fputs("{\"kind\":", file);
    print_string(file, first->recorded ? "recorded" : first->kind);
    fputs(",\"evidence\":[", file);
    for (unsigned e = 0; e < provenance->count; e++) {
        const struct evidence *evidence = &provenance->evidence[e];
        fputs(e > 0 ? ",{\"kind\":" : "{\"kind\":", file);
        print_string(file, evidence->kind);
        fputs(",\"with\":", file);
        print_string(file, evidence->with);
        fprintf(file, ",\"recorded\":%s}", evidence->recorded ? "true" : "false");
    }
    fputs("]}", file);
}

/* What confirmed the statement of the PTX ISA, or null. */
static void print_confirmation(FILE *file, const struct confirmation *confirmation) {
    fputs("\"confirmed\":", file);
    if (confirmation->arch) {
        fprintf(file, "{\"arch\":\"sm_%u\",\"with\":", confirmation->arch);
        print_string(file, confirmation->with);
        fputs("},\n ", file);
    } else {
        fputs("null,\n ", file);
    }
}

static void print_map(FILE *file, const struct mapping_map *map) {
    for (uint32_t tid = 0; tid < map->threads; tid++) {
        fputs(tid ? ",\n  [" : "[\n  [", file);
        for (uint32_t i = 0; i < map->elements; i++) {
            size_t entry = (size_t)tid * map->elements + i;
            fputs(i ? ",[" : "[", file);
            for (int c = 0; c < mapping_map_coordinates(map); c++)
                fprintf(file, c ? ",%u" : "%u", map->plane[coordinate_at(map, c)][entry]);
            fputc(']', file);
        }
        fputc(']', file);
    }
    fputc(']', file);
}

/* Prints "name":"formula", or null where there is none. */
static void print_formula(FILE *file, const char *name, const char *formula) {
    fprintf(file, "\"%s\":", name);
    if (*formula)
        print_string(file, formula);
    else
        fputs("null", file);
}

/* Prints the members "row" and "col", and before them "block" where there are several. */
static void print_formulae(FILE *file, const struct report *report) {
    char text[FORMULA_TEXT];
    for (int c = 0; c < mapping_map_coordinates(&report->map); c++) {
        int coordinate = coordinate_at(&report->map, c);
        formula_text(report, coordinate, text);
        fputs(c ? "," : "", file);
        print_formula(file, coordinate_name(coordinate), text);
    }
}

/* Prints the members that a fragment has on every architecture, without braces. */
static void print_facts(FILE *file, const struct mapping_fragment *f) {
    fprintf(file, "\"instruction\":\"%s\",\"shape\":[%u,%u,%u],\"operand\":\"%s\",\"layout\":",
            mapping_instruction_name(f->instruction), f->shape.m, f->shape.n, f->shape.k,
            mapping_operand_name(f->operand));
    if (f->layout == MAPPING_NO_LAYOUT)
        fputs("null", file);
    else
        print_string(file, mapping_layout_name(f->layout));
    fprintf(file,
            ",\"type\":\"%s\",\"bits\":%u,\"registers\":%u,\"bytes\":%u,\"since\":\"sm_%u\","
            "\"until\":",
            mapping_type_name(f->type), f->bits, f->registers,
            f->blocks * f->rows * f->cols * f->bits / 8, f->since);
    fprintf(file, f->until ? "\"sm_%u\"" : "null", f->until);
    fprintf(file, ",\"ptx\":\"%u.%u\"", f->ptx / 10, f->ptx % 10);
}

static void print_sizes(FILE *file, const struct mapping_fragment *f) {
    if (f->blocks > 1)
        fprintf(file, "\"blocks\":%u,", f->blocks);
    fprintf(file, "\"rows\":%u,\"cols\":%u,\"threads\":%u,\"elements\":%u,\"copies\":%u", f->rows,
            f->cols, f->threads, f->elements,
            f->threads * f->elements / (f->blocks * f->rows * f->cols));
}

static void print_answers(FILE *file, const struct report *report,
                          const struct question *question) {
    struct answer answer;
    const char *separator = "\n  ";
    fputs("\"answers\":[", file);
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        fprintf(file, "%s{", separator);
        if (report->map.blocks > 1)
            fprintf(file, "\"block\":%u,", answer.block);
        fprintf(file, "\"row\":%u,\"col\":%u,\"copy\":%u,\"tid\":%u,\"i\":%u}", answer.row,
                answer.col, answer.copy, answer.tid, answer.i);
        separator = ",\n  ";
    }
    fputc(']', file);
}

static void print_layout(FILE *file, const struct report *report, bool brief) {
    char text[FORMULA_TEXT];
    fputs(report->map.blocks > 1 ? "\"coordinates\":[\"block\",\"row\",\"col\"],\n "
                                 : "\"coordinates\":[\"row\",\"col\"],\n ",
          file);
    if (!brief) {
        fputs("\"map\":", file);
        print_map(file, &report->map);
        fputs(",\n ", file);
    }
    fputs("\"formulae\":{", file);
    print_formulae(file, report);
    fputs("},\n \"inverse\":{", file);
    inverse_text(report, INVERSE_TID, "copy", text);
    print_formula(file, "tid", text);
    fputc(',', file);
    inverse_text(report, INVERSE_I, "copy", text);
    print_formula(file, "i", text);
    fputc('}', file);
}

static void print_report(FILE *file, const struct report *report, const struct style *style) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(&report->fragment, name);
    fprintf(file, "{\"arch\":\"sm_%u\",\"fragment\":\"%s\",", report->arch, name);
    print_sizes(file, &report->fragment);
    fputs(",\n \"source\":", file);
    print_source(file, &report->provenance);
    fputs(",\n ", file);
    if (report->tiling) {
        fputs("\"tiling\":", file);
        print_string(file, report->tiling);
        fputs(",\n ", file);
    }
    if (is_only_stated(&report->provenance))
        print_confirmation(file, &report->confirmation);
    if (style->detail) {
        fputs("\"detail\":{", file);
        print_facts(file, &report->fragment);
        fputs("},\n ", file);
    }
    if (style->question.kind == ASK_NOTHING)
        print_layout(file, report, style->brief);
    else
        print_answers(file, report, &style->question);
    fputc('}', file);
}

static void print_reports(FILE *file, const struct report *reports, size_t count,
                          const struct style *style) {
    if (count > 1)
        fputc('[', file);
    for (size_t r = 0; r < count; r++) {
        if (r > 0)
            fputs(",\n", file);
        print_report(file, &reports[r], style);
    }
    fputs(count > 1 ? "]\n" : "\n", file);
}

static void print_list(FILE *file, const struct list_entry *entries, size_t count) {
    fputc('[', file);
    for (size_t e = 0; e < count; e++) {
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(&entries[e].fragment, name);
        fprintf(file, "%s{\"fragment\":\"%s\",", e ? ",\n " : "", name);
        print_sizes(file, &entries[e].fragment);
        fputc(',', file);
        print_facts(file, &entries[e].fragment);
        fputs(",\"rests_on\":", file);
        print_string(file, entries[e].rests_on);
        fputc('}', file);
    }
    fputs("]\n", file);
}

static void print_side(FILE *file, unsigned arch, const struct report *report) {
    fprintf(file, "\"sm_%u\":", arch);
    if (!report) {
        fputs("null", file);
        return;
    }
    fputc('{', file);
    print_formulae(file, report);
    fputc('}', file);
}

static void print_comparison(FILE *file, const struct comparison *comparison) {
    fprintf(file, "{\"archs\":[\"sm_%u\",\"sm_%u\"],\"same\":%zu,\n \"different\":[",
            comparison->first, comparison->second, comparison->same);
    for (size_t d = 0; d < comparison->count; d++) {
        const struct difference *difference = &comparison->items[d];
        char name[MAPPING_NAME_SIZE];
        difference_name(difference, name);
        fprintf(file, "%s\n  {\"fragment\":\"%s\",", d ? "," : "", name);
        print_side(file, comparison->first, difference->first);
        fputc(',', file);
        print_side(file, comparison->second, difference->second);
        fputc('}', file);
    }
    fputs("]}\n", file);
}

const struct output json_output = {"json", print_reports, print_list, print_comparison};
