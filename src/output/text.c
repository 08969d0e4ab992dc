/* text.c - grids and formulae for people, and for results files. */
#include "memory.h"
#include "output.h"
#include "parallel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Blanks between the two grids, as in the tables that this format comes from. */
enum { GAP = 9 };

/* Columns that a matrix has at most, 256 so far, and that are printed in one line. */
enum { COLUMNS_MAX = 512 };

/* Digits of the largest value below `count`, at least 2. */
static unsigned width_of(uint32_t count) {
    unsigned width = 2;
    for (uint32_t limit = 100; count > limit; limit *= 10)
        width++;
    return width;
}

/* Writes the number right-aligned and returns what is behind it. */
static char *put_number(char *text, uint32_t number, unsigned width) {
    char *place = text + width;
    do {
        *--place = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 && place > text);
    while (place > text)
        *--place = ' ';
    return text + width;
}

static char *put_blanks(char *text, unsigned count) {
    memset(text, ' ', count);
    return text + count;
}

/* Prints, for the columns from first to end - 1 of the matrix, which i holds each element, and
 * beside it which tid. `holders` is of one copy. */
static void print_columns(FILE *file, const struct mapping_map *map, const uint32_t *holders,
                          uint32_t first, uint32_t end) {
    unsigned element_width = width_of(map->elements), thread_width = width_of(map->threads);
    for (uint32_t row = 0; row < map->rows; row++) {
        char line[COLUMNS_MAX * 24], *text = line;
        const uint32_t *cells = holders + (size_t)row * map->cols;
        for (uint32_t col = first; col < end; col++) {
            text = put_number(text, cells[col] % map->elements, element_width);
            *text++ = ' ';
        }
        text = put_blanks(text, GAP - 1);
        for (uint32_t col = first; col < end; col++) {
            text = put_number(text, cells[col] / map->elements, thread_width);
            *text++ = ' ';
        }
        text[-1] = '\n';
        fwrite(line, 1, (size_t)(text - line), file);
    }
}

/* The most columns that fit into the width side by side with their threads: a power of two. */
static uint32_t columns_that_fit(const struct mapping_map *map, unsigned width) {
    unsigned each = width_of(map->elements) + width_of(map->threads) + 2;
    uint32_t columns = 1;
    while (columns < map->cols && columns < COLUMNS_MAX && columns * 2 * each + GAP - 2 <= width)
        columns *= 2;
    return columns;
}

/* Prints the grids of one copy; in blocks of columns where the whole is wider than the terminal. */
static void print_grids(FILE *file, const struct mapping_map *map, const uint32_t *holders,
                        unsigned width) {
    uint32_t columns = width || map->cols > COLUMNS_MAX
                           ? columns_that_fit(map, width ? width : COLUMNS_MAX * 6)
                           : map->cols;
    if (columns >= map->cols) {
        print_columns(file, map, holders, 0, map->cols);
        return;
    }
    for (uint32_t first = 0; first < map->cols; first += columns) {
        uint32_t end = first + columns < map->cols ? first + columns : map->cols;
        fprintf(file, "columns %u to %u:\n", first, end - 1);
        print_columns(file, map, holders, first, end);
    }
}

static void print_header(FILE *file, const struct report *report) {
    char name[MAPPING_NAME_SIZE], source[PROVENANCE_TEXT];
    mapping_fragment_name(&report->fragment, name);
    provenance_print(&report->provenance, source);
    fprintf(file, "# %s on sm_%u\n# source: %s\n", name, report->arch, source);
    if (report->default_arch)
        fprintf(file, DEFAULT_ARCH_NOTE "\n", report->arch);
    if (report->tiling)
        fprintf(file, "# tiled by %s\n", report->tiling);
    if (is_only_stated(&report->provenance) && report->confirmation.arch)
        fprintf(file, CONFIRMED_NOTE "\n", report->confirmation.arch, report->confirmation.with);
    else if (is_only_stated(&report->provenance))
        fprintf(file, UNCONFIRMED_NOTE "\n");
}

static void print_formula(FILE *file, const char *label, const char *formula,
                          const char *variables) {
    if (*formula)
        fprintf(file, "%s: return %s;\n", label, formula);
    else
        fprintf(file, "%s: no sum, and no exclusive or, of masked and shifted %s\n", label,
                variables);
}

static void print_formulae(FILE *file, const struct report *report) {
    char text[FORMULA_TEXT], backward[64];
    const struct mapping_map *map = &report->map;
    bool several = mapping_map_copies(map) > 1;
    snprintf(backward, sizeof backward, "row%s col%s%s%s",
             several || map->blocks > 1 ? "," : " and",
             map->blocks > 1 ? (several ? ", block" : " and block") : "", several ? " and " : "",
             several ? copy_word(&report->fragment) : "");
    fputs(FORMULAE_TITLE "\n", file);
    for (int c = 0; c < mapping_map_coordinates(map); c++) {
        int coordinate = coordinate_at(map, c);
        formula_text(report, coordinate, text);
        print_formula(file, coordinate_label(coordinate), text, "i and tid");
    }
    fputs("\n" INVERSE_TITLE "\n", file);
    inverse_text(report, INVERSE_TID, copy_word(&report->fragment), text);
    print_formula(file, "Tid", text, backward);
    inverse_text(report, INVERSE_I, copy_word(&report->fragment), text);
    print_formula(file, "I", text, backward);
}

static void print_detail(FILE *file, const struct report *report) {
    const struct mapping_fragment *fragment = &report->fragment;
    unsigned bits = fragment->bits;
    uint32_t copies = mapping_map_copies(&report->map);
    fprintf(file, "\nDetail:\n");
    fprintf(file, "matrix     %s is %u x %u", mapping_operand_name(fragment->operand),
            fragment->rows, fragment->cols);
    fprintf(file, fragment->blocks > 1 ? ", in %u blocks\n" : "\n", fragment->blocks);
    fprintf(file, "type       %s (%s), %u bit%s\n", mapping_type_name(fragment->type),
            mapping_type_alias(fragment->type), bits, bits == 1 ? "" : "s");
    if (bits <= 32)
        fprintf(file, "registers  %u per thread, %u element%s in each\n", fragment->registers,
                32 / bits, bits == 32 ? "" : "s");
    else
        fprintf(file, "registers  %u per thread, %u for each element\n", fragment->registers,
                bits / 32);
    fprintf(file, "elements   %u per thread; each held %u time%s\n", fragment->elements, copies,
            copies == 1 ? "" : "s");
    fprintf(file, "bytes      %u in memory, %u in the registers of all %u threads\n",
            fragment->blocks * fragment->rows * fragment->cols * bits / 8,
            fragment->threads * fragment->registers * 4U, fragment->threads);
    fprintf(file, "since      sm_%u, PTX %u.%u", fragment->since, fragment->ptx / 10,
            fragment->ptx % 10);
    fprintf(file, fragment->until ? "; until sm_%u\n" : "\n", fragment->until);
}

static void print_map(FILE *file, const struct report *report, const struct style *style) {
    const struct mapping_map *map = &report->map;
    size_t copies = mapping_map_copies(map), blocks = map->blocks;
    for (size_t n = 0; n < copies * blocks; n++) {
        if (copies > 1)
            fprintf(file, PART_TITLE "\n", copy_word(&report->fragment), n / blocks, copies);
        if (blocks > 1)
            fprintf(file, PART_TITLE "\n", "block", n % blocks, blocks);
        fputs(GRID_TITLE "\n", file);
        print_grids(file, map, report->holders + n * map->rows * map->cols, style->width);
        fputc('\n', file);
    }
}

static void print_answers(FILE *file, const struct report *report,
                          const struct question *question) {
    bool several = mapping_map_copies(&report->map) > 1;
    struct answer answer;
    for (size_t position = 0; question_next(question, report, &position, &answer);) {
        char block[32] = "";
        if (report->map.blocks > 1)
            snprintf(block, sizeof block, "block %u, ", answer.block);
        if (question->kind == ASK_AT)
            fprintf(file, "%srow %2u, col %2u: tid %2u, i %2u", block, answer.row, answer.col,
                    answer.tid, answer.i);
        else
            fprintf(file, "tid %2u, i %2u: %srow %2u, col %2u", answer.tid, answer.i, block,
                    answer.row, answer.col);
        if (several)
            fprintf(file, " (%s %u)", copy_word(&report->fragment), answer.copy);
        fputc('\n', file);
    }
}

static void print_report(FILE *file, const struct report *report, const struct style *style) {
    print_header(file, report);
    if (style->question.kind != ASK_NOTHING) {
        print_answers(file, report, &style->question);
    } else {
        if (!style->brief)
            print_map(file, report, style);
        print_formulae(file, report);
    }
    if (style->detail)
        print_detail(file, report);
}

void text_section(FILE *file, const struct report *report, bool brief) {
    print_report(file, report, &(struct style){.brief = brief});
}

/* Reports that are printed to memory, several at a time, and written one after the other. */
struct printing {
    FILE *file;
    const struct report *reports;
    const struct style *style;
    struct text {
        bool printed;
        char *content; /* owned; NULL if there was no memory for it */
        size_t size;
    } * texts;
    size_t count, written;
    bool writing; /* somebody does, who goes on with what is printed meanwhile */
    pthread_mutex_t lock;
};

/* Writes what is printed up to a report that is not. Called with the lock, which is free while
 * something is written. */
static void write_printed(struct printing *printing) {
    printing->writing = true;
    while (printing->written < printing->count && printing->texts[printing->written].printed) {
        size_t r = printing->written;
        struct text *text = &printing->texts[r];
        pthread_mutex_unlock(&printing->lock);
        if (r > 0)
            fputc('\n', printing->file);
        if (text->content)
            fwrite(text->content, 1, text->size, printing->file);
        else
            print_report(printing->file, &printing->reports[r], printing->style);
        free(text->content);
        pthread_mutex_lock(&printing->lock);
        printing->written++;
    }
    printing->writing = false;
}

static void print_one(void *context, size_t r) {
    struct printing *printing = context;
    struct text *text = &printing->texts[r];
    FILE *memory = open_memstream(&text->content, &text->size);
    if (memory)
        print_report(memory, &printing->reports[r], printing->style);
    if (memory && !memory_close(memory, &text->size)) {
        free(text->content);
        text->content = NULL;
    }
    pthread_mutex_lock(&printing->lock);
    text->printed = true;
    if (!printing->writing)
        write_printed(printing);
    pthread_mutex_unlock(&printing->lock);
}

static void print_reports(FILE *file, const struct report *reports, size_t count,
                          const struct style *style) {
    struct printing printing = {.file = file,
                                .reports = reports,
                                .style = style,
                                .texts = calloc(count, sizeof *printing.texts),
                                .count = count,
                                .lock = PTHREAD_MUTEX_INITIALIZER};
    if (printing.texts)
        parallel_for(count, print_one, &printing);
    for (size_t r = printing.written; r < count; r++) { /* without memory for texts */
        if (r > 0)
            fputc('\n', file);
        print_report(file, &reports[r], style);
    }
    free(printing.texts);
}

static void print_list(FILE *file, const struct list_entry *entries, size_t count) {
    for (size_t e = 0; e < count; e++) {
        const struct mapping_fragment *fragment = &entries[e].fragment;
        char name[MAPPING_NAME_SIZE], size[32];
        mapping_fragment_name(fragment, name);
        snprintf(size, sizeof size, "%ux%u", fragment->rows, fragment->cols);
        fprintf(file, "%-29s %-7s sm_%u%s  %s\n", name, size, fragment->since,
                fragment->until ? " " : "+", entries[e].rests_on);
    }
}

/* Prints both formulae of one fragment on one architecture. */
static void print_side(FILE *file, unsigned arch, const struct report *report) {
    char formula[FORMULA_TEXT];
    if (!report) {
        fprintf(file, "  sm_%u does not have it\n", arch);
        return;
    }
    fprintf(file, "  sm_%-4u ", arch);
    for (int c = 0; c < mapping_map_coordinates(&report->map); c++) {
        int coordinate = coordinate_at(&report->map, c);
        formula_text(report, coordinate, formula);
        fprintf(file, "%s%s: %s\n", c ? "          " : "", coordinate_label(coordinate),
                *formula ? formula : "no formula");
    }
}

static void print_comparison(FILE *file, const struct comparison *comparison) {
    fprintf(file, "# sm_%u and sm_%u: %zu fragments are the same, %zu differ\n", comparison->first,
            comparison->second, comparison->same, comparison->count);
    for (size_t d = 0; d < comparison->count; d++) {
        const struct difference *difference = &comparison->items[d];
        char name[MAPPING_NAME_SIZE];
        difference_name(difference, name);
        fprintf(file, "%s\n", name);
        print_side(file, comparison->first, difference->first);
        print_side(file, comparison->second, difference->second);
    }
}

const struct output text_output = {"text", print_reports, print_list, print_comparison};
