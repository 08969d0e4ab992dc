/* csv.c - one line for each element in each place, for spreadsheets and data frames (RFC 4180, with
 * plain newlines). */
#include "output.h"

/* True if one of them is of several matrices; then there is a column for their number. */
static bool has_blocks(const struct report *reports, size_t count) {
    for (size_t r = 0; r < count; r++)
        if (reports[r].map.blocks > 1)
            return true;
    return false;
}

static void print_reports(FILE *file, const struct report *reports, size_t count,
                          const struct style *style) {
    struct question question = style->question;
    if (question.kind == ASK_NOTHING)
        question = question_all();
    bool blocks = has_blocks(reports, count);
    fprintf(file, "arch,fragment,tid,i,row,col,copy%s\n", blocks ? ",block" : "");
    for (size_t r = 0; r < count; r++) {
        char name[MAPPING_NAME_SIZE];
        struct answer answer;
        mapping_fragment_name(&reports[r].fragment, name);
        for (size_t position = 0; question_next(&question, &reports[r], &position, &answer);) {
            fprintf(file, "sm_%u,%s,%u,%u,%u,%u,%u", reports[r].arch, name, answer.tid, answer.i,
                    answer.row, answer.col, answer.copy);
            fprintf(file, blocks ? ",%u\n" : "\n", answer.block);
        }
    }
}

/* Text in quotes; ours has none of its own but what a device is called. */
static void print_quoted(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
    fputc('"', file);
}

static void print_list(FILE *file, const struct list_entry *entries, size_t count) {
    fputs("fragment,operand,layout,type,rows,cols,threads,elements,registers,since,ptx,rests_on,"
          "blocks\n",
          file);
    for (size_t e = 0; e < count; e++) {
        const struct mapping_fragment *f = &entries[e].fragment;
        char name[MAPPING_NAME_SIZE];
        mapping_fragment_name(f, name);
        fprintf(file, "%s,%s,%s,%s,%u,%u,%u,%u,%u,sm_%u,%u.%u,", name,
                mapping_operand_name(f->operand), mapping_layout_name(f->layout),
                mapping_type_name(f->type), f->rows, f->cols, f->threads, f->elements, f->registers,
                f->since, f->ptx / 10, f->ptx % 10);
        print_quoted(file, entries[e].rests_on);
        fprintf(file, ",%u\n", f->blocks);
    }
}

static void print_side(FILE *file, const char *name, unsigned arch, const struct report *report) {
    char row[FORMULA_TEXT] = "", col[FORMULA_TEXT] = "";
    if (report) {
        formula_text(report, MAPPING_ROW, row);
        formula_text(report, MAPPING_COL, col);
    }
    fprintf(file, "%s,sm_%u,%s,%s", name, arch, row, col);
}

static void print_line(FILE *file, const char *name, unsigned arch, const struct report *report) {
    print_side(file, name, arch, report);
    fputc('\n', file);
}

static void print_line_with_block(FILE *file, const char *name, unsigned arch,
                                  const struct report *report) {
    char block[FORMULA_TEXT] = "";
    if (report && report->map.blocks > 1)
        formula_text(report, MAPPING_BLOCK, block);
    print_side(file, name, arch, report);
    fprintf(file, ",%s\n", block);
}

static void print_comparison(FILE *file, const struct comparison *comparison) {
    bool blocks = false;
    for (size_t d = 0; d < comparison->count; d++) {
        const struct difference *difference = &comparison->items[d];
        blocks |= difference->first && has_blocks(difference->first, 1);
        blocks |= difference->second && has_blocks(difference->second, 1);
    }
    fprintf(file, "fragment,arch,row,col%s\n", blocks ? ",block" : "");
    comparison_sides(file, comparison, blocks ? print_line_with_block : print_line);
}

const struct output csv_output = {"csv", print_reports, print_list, print_comparison};
