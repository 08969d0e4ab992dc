/* markdown.c - tables for documents and issues. */
#include "output.h"

/* Prints the grid of one block: in each cell tid:i, that of all copies. */
static void print_grid(FILE *file, const struct report *report, uint32_t block) {
    const struct mapping_map *map = &report->map;
    uint32_t cells = mapping_map_cells(map);
    fprintf(file, map->blocks > 1 ? "| block %u, tid:i |" : "| tid:i |", block);
    for (uint32_t col = 0; col < map->cols; col++)
        fprintf(file, " %u |", col);
    fputs("\n| --- |", file);
    for (uint32_t col = 0; col < map->cols; col++)
        fputs(" --- |", file);
    for (uint32_t row = 0; row < map->rows; row++) {
        fprintf(file, "\n| **%u** |", row);
        for (uint32_t col = 0; col < map->cols; col++) {
            for (uint32_t copy = 0; copy < mapping_map_copies(map); copy++) {
                uint32_t cell = (block * map->rows + row) * map->cols + col;
                uint32_t holder = report->holders[(size_t)copy * cells + cell];
                fprintf(file, " %u:%u", holder / map->elements, holder % map->elements);
            }
            fputs(" |", file);
        }
    }
    fputc('\n', file);
}

static void print_formula(FILE *file, const char *name, const char *formula) {
    fprintf(file, *formula ? "| %s | `%s` |\n" : "| %s | no formula%s |\n", name, formula);
}

static void print_formulae(FILE *file, const struct report *report) {
    char text[FORMULA_TEXT];
    fputs("| | formula |\n| --- | --- |\n", file);
    for (int c = 0; c < mapping_map_coordinates(&report->map); c++) {
        int coordinate = coordinate_at(&report->map, c);
        formula_text(report, coordinate, text);
        print_formula(file, coordinate_name(coordinate), text);
    }
    inverse_text(report, INVERSE_TID, copy_word(&report->fragment), text);
    print_formula(file, "tid", text);
    inverse_text(report, INVERSE_I, copy_word(&report->fragment), text);
    print_formula(file, "i", text);
}

static void print_answers(FILE *file, const struct report *report,
                          const struct question *question) {
    struct answer answer;
    bool blocks = report->map.blocks > 1;
    fprintf(file, "%s| row | col | %s | tid | i |\n%s| --- | --- | --- | --- | --- |\n",
            blocks ? "| block " : "", copy_word(&report->fragment), blocks ? "| --- " : "");
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        if (blocks)
            fprintf(file, "| %u ", answer.block);
        fprintf(file, "| %u | %u | %u | %u | %u |\n", answer.row, answer.col, answer.copy,
                answer.tid, answer.i);
    }
}

static void print_detail(FILE *file, const struct report *report) {
    const struct mapping_fragment *f = &report->fragment;
    fprintf(file,
            "\n| operand | type | registers per thread | elements per thread | copies | since |\n"
            "| --- | --- | --- | --- | --- | --- |\n| %u x %u | %s | %u | %u | %u | sm_%u, PTX "
            "%u.%u |\n",
            f->rows, f->cols, mapping_type_name(f->type), f->registers, f->elements,
            mapping_map_copies(&report->map), f->since, f->ptx / 10, f->ptx % 10);
}

static void print_confirmation(FILE *file, const struct confirmation *confirmation) {
    if (confirmation->arch)
        fprintf(file, "Confirmed on sm_%u: %s\n\n", confirmation->arch, confirmation->with);
    else
        fputs("Not confirmed on hardware.\n\n", file);
}

static void print_reports(FILE *file, const struct report *reports, size_t count,
                          const struct style *style) {
    for (size_t r = 0; r < count; r++) {
        char name[MAPPING_NAME_SIZE], source[PROVENANCE_TEXT];
        mapping_fragment_name(&reports[r].fragment, name);
        provenance_print(&reports[r].provenance, source);
        fprintf(file, "%s### %s on sm_%u\n\nSource: %s\n\n", r ? "\n" : "", name, reports[r].arch,
                source);
        if (reports[r].tiling)
            fprintf(file, "Tiled by %s\n\n", reports[r].tiling);
        if (is_only_stated(&reports[r].provenance))
            print_confirmation(file, &reports[r].confirmation);
        if (style->question.kind == ASK_NOTHING) {
            for (uint32_t block = 0; block < reports[r].map.blocks && !style->brief; block++) {
                print_grid(file, &reports[r], block);
                fputc('\n', file);
            }
            print_formulae(file, &reports[r]);
        } else {
            print_answers(file, &reports[r], &style->question);
        }
        if (style->detail)
            print_detail(file, &reports[r]);
    }
}

static void print_list(FILE *file, const struct list_entry *entries, size_t count) {
    fputs("| fragment | size | elements per thread | since | rests on |\n"
          "| --- | --- | --- | --- | --- |\n",
          file);
    for (size_t e = 0; e < count; e++) {
        const struct mapping_fragment *f = &entries[e].fragment;
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(f, name);
        fprintf(file, "| `%s` | %ux%u | %u | sm_%u | %s |\n", name, f->rows, f->cols, f->elements,
                f->since, entries[e].rests_on);
    }
}

static void print_side(FILE *file, const char *name, unsigned arch, const struct report *report) {
    char row[FORMULA_TEXT] = "", col[FORMULA_TEXT] = "", block[FORMULA_TEXT] = "";
    if (report) {
        formula_text(report, MAPPING_ROW, row);
        formula_text(report, MAPPING_COL, col);
        if (report->map.blocks > 1)
            formula_text(report, MAPPING_BLOCK, block);
        fprintf(file, "| `%s` | sm_%u | `%s` | `%s`%s%s%s |\n", name, arch, row, col,
                *block ? ", block `" : "", block, *block ? "`" : "");
    } else {
        fprintf(file, "| `%s` | sm_%u | not there | |\n", name, arch);
    }
}

static void print_comparison(FILE *file, const struct comparison *comparison) {
    fputs("| fragment | architecture | row | col |\n| --- | --- | --- | --- |\n", file);
    comparison_sides(file, comparison, print_side);
}

const struct output markdown_output = {"markdown", print_reports, print_list, print_comparison};
