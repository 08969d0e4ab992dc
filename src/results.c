/* results.c - reading the sections of a results file; see results.h. */
#include "results.h"

#include "output/output.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest line but for those of grids, with its end. */
enum { LINE_SIZE = 1200 };

struct results_reader results_read(const char *text) {
    return (struct results_reader){text, 1};
}

static enum mapping_status malformed(const struct results_reader *reader, const char *expected,
                                     struct mapping_error *error) {
    if (!*reader->next)
        return mapping_fail(error, MAPPING_INVALID, "line %u: ends early, expected %s",
                            reader->line, expected);
    if (!strchr(reader->next, '\n'))
        return mapping_fail(error, MAPPING_INVALID, "line %u: ends without a newline",
                            reader->line);
    return mapping_fail(error, MAPPING_INVALID, "line %u: expected %s", reader->line, expected);
}

/* Moves on to the next line. */
static void skip_line(struct results_reader *reader) {
    reader->next = strchr(reader->next, '\n') + 1;
    reader->line++;
}

/* True if there is a whole line; a last one without its newline is not. */
static bool has_line(const struct results_reader *reader) {
    return strchr(reader->next, '\n') != NULL;
}

/* Takes the next line if it is exactly `expected`. */
static enum mapping_status take(struct results_reader *reader, const char *expected,
                                const char *description, struct mapping_error *error) {
    size_t length = strlen(expected);
    if (strncmp(reader->next, expected, length) != 0 || reader->next[length] != '\n')
        return malformed(reader, description, error);
    skip_line(reader);
    return MAPPING_OK;
}

/* Copies the next line without its newline, cut off at LINE_SIZE, and moves on. */
static enum mapping_status take_line(struct results_reader *reader, const char *prefix,
                                     const char *description, char line[LINE_SIZE],
                                     struct mapping_error *error) {
    size_t length = strlen(prefix);
    if (!has_line(reader) || strncmp(reader->next, prefix, length) != 0)
        return malformed(reader, description, error);
    size_t size = strcspn(reader->next, "\n") - length;
    if (size >= LINE_SIZE)
        size = LINE_SIZE - 1;
    memcpy(line, reader->next + length, size);
    line[size] = '\0';
    skip_line(reader);
    return MAPPING_OK;
}

/* Reads the line on confirmation, which a section has that the PTX ISA alone states. */
static enum mapping_status read_confirmation(struct results_reader *reader, struct section *section,
                                             struct mapping_error *error) {
    static const char form[] = "'# confirmed on sm_NN: ...' or '" UNCONFIRMED_NOTE "'";
    const struct results_reader start = *reader;
    struct confirmation *confirmation = &section->confirmation;
    char line[LINE_SIZE], arch[] = "sm_NNN";
    if (!is_only_stated(&section->provenance))
        return MAPPING_OK;
    if (take(reader, UNCONFIRMED_NOTE, form, error) == MAPPING_OK)
        return MAPPING_OK;
    enum mapping_status status = take_line(reader, "# confirmed on sm_", form, line, error);
    if (status == MAPPING_OK &&
        sscanf(line, "%3[0-9]: %191[ -~]", arch + 3, confirmation->with) != 2)
        status = malformed(&start, form, error);
    const struct mapping_arch *found = status == MAPPING_OK ? mapping_arch_find(arch) : NULL;
    if (found)
        confirmation->arch = found->number;
    else if (status == MAPPING_OK)
        status = malformed(&start, form, error);
    return status;
}

static enum mapping_status read_header(struct results_reader *reader, struct section *section,
                                       struct mapping_error *error) {
    static const char form[] = "'# FRAGMENT on sm_NN', with a fragment that exists";
    char line[LINE_SIZE], name[MAPPING_NAME_SIZE] = "?", arch[5];
    int end = 0;
    struct results_reader start = *reader;
    enum mapping_status status = take_line(reader, "# ", form, line, error);
    if (status != MAPPING_OK)
        return status;
    struct mapping_fragment found[MAPPING_OPERANDS];
    char canonical[MAPPING_NAME_SIZE] = "";
    if (sscanf(line, "%63s on sm_%4[0-9]%n", name, arch, &end) == 2 && line[end] == '\0' &&
        mapping_catalogue_find(name, found) == 1)
        mapping_fragment_name(&found[0], canonical);
    if (strcmp(name, canonical) != 0)
        return malformed(&start, form, error);
    section->fragment = found[0];
    section->arch = (unsigned)strtoul(arch, NULL, 10);
    if (!mapping_arch_find(arch) || !mapping_fragment_on(&section->fragment, section->arch))
        return malformed(&start, "an architecture that has the fragment", error);
    start = *reader;
    status = take_line(reader, "# source: ", "'# source: ...'", line, error);
    if (status == MAPPING_OK && !provenance_parse(line, &section->provenance))
        status = malformed(&start, "a source as it is printed, e.g. 'sass (ptxas 11.8.89)'", error);
    char note[128];
    snprintf(note, sizeof note, DEFAULT_ARCH_NOTE "\n", section->arch);
    if (status == MAPPING_OK && strncmp(reader->next, note, strlen(note)) == 0) {
        section->default_arch = true;
        skip_line(reader);
    }
    return status == MAPPING_OK ? read_confirmation(reader, section, error) : status;
}

/* Reads `count` numbers with blanks between them. Returns what follows, or NULL. */
static const char *read_numbers(const char *text, uint32_t *numbers, size_t count) {
    for (size_t n = 0; n < count; n++) {
        char *end;
        text += strspn(text, " ");
        if (!isdigit((unsigned char)*text))
            return NULL;
        unsigned long number = strtoul(text, &end, 10);
        numbers[n] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
        text = end;
    }
    return text;
}

/* Takes the title of the nth of several copies or blocks; there is none if there is one. */
static enum mapping_status take_title(struct results_reader *reader, const char *word, size_t n,
                                      size_t count, struct mapping_error *error) {
    char title[64], form[80];
    if (count == 1)
        return MAPPING_OK;
    snprintf(title, sizeof title, PART_TITLE, word, n, count);
    snprintf(form, sizeof form, "'%s'", title);
    return take(reader, title, form, error);
}

/* Reads the lines of one pair of grids: a row of elements, then a row of threads. `n` counts
 * blocks, then copies. */
static enum mapping_status read_grids(struct results_reader *reader, const struct section *section,
                                      size_t n, size_t copies, struct mapping_error *error) {
    const struct mapping_fragment *fragment = &section->fragment;
    size_t rows = fragment->rows, cols = fragment->cols, blocks = fragment->blocks;
    enum mapping_status status =
        n % blocks == 0 || copies > 1
            ? take_title(reader, copy_word(fragment), n / blocks, copies, error)
            : MAPPING_OK;
    if (status == MAPPING_OK)
        status = take_title(reader, "block", n % blocks, blocks, error);
    if (status == MAPPING_OK)
        status = take(reader, GRID_TITLE, "'" GRID_TITLE "'", error);
    for (size_t row = 0; row < rows && status == MAPPING_OK; row++) {
        size_t place = (n * rows + row) * cols;
        const char *rest = read_numbers(reader->next, section->elements + place, cols);
        if (rest)
            rest = read_numbers(rest, section->threads + place, cols);
        if (rest)
            rest += strspn(rest, " ");
        if (!rest || *rest != '\n') {
            char expected[64];
            snprintf(expected, sizeof expected, "%zu elements and %zu threads", cols, cols);
            return malformed(reader, expected, error);
        }
        skip_line(reader);
    }
    return status == MAPPING_OK ? take(reader, "", "an empty line after the grids", error) : status;
}

/* Reads all grids. */
static enum mapping_status read_map(struct results_reader *reader, struct section *section,
                                    struct mapping_error *error) {
    const struct mapping_fragment *fragment = &section->fragment;
    size_t entries = (size_t)fragment->threads * fragment->elements;
    size_t cells = (size_t)fragment->blocks * fragment->rows * fragment->cols;
    size_t copies = entries / cells;
    section->elements = malloc(2 * entries * sizeof(uint32_t));
    if (!section->elements)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    section->threads = section->elements + entries;
    enum mapping_status status = MAPPING_OK;
    for (size_t n = 0; n < copies * fragment->blocks && status == MAPPING_OK; n++)
        status = read_grids(reader, section, n, copies, error);
    return status;
}

/* Reads a line such as "Row: return (i & 1);". Of a brief section the formula has to be one; of
 * others it follows from the grids, and is compared as text. */
static enum mapping_status read_formula(struct results_reader *reader, struct section *section,
                                        int coordinate, struct mapping_error *error) {
    const struct results_reader start = *reader;
    char line[LINE_SIZE], prefix[16], form[32];
    snprintf(prefix, sizeof prefix, "%s: ", coordinate_label(coordinate));
    snprintf(form, sizeof form, "'%s...'", prefix);
    enum mapping_status status = take_line(reader, prefix, form, line, error);
    if (status != MAPPING_OK || !section->brief)
        return status;
    static const char start_word[] = "return ";
    const struct mapping_variable variables[] = {{"i", section->fragment.elements},
                                                 {"tid", section->fragment.threads}};
    size_t length = strlen(line);
    if (length > sizeof start_word && line[length - 1] == ';')
        line[length - 1] = '\0';
    if (strncmp(line, start_word, sizeof start_word - 1) != 0 ||
        !mapping_formula_parse(line + sizeof start_word - 1, variables, 2,
                               &section->formulae[coordinate]))
        return malformed(&start, "a formula as it is printed, e.g. 'Row: return (i & 1);'", error);
    return MAPPING_OK;
}

static enum mapping_status read_body(struct results_reader *reader, struct section *section,
                                     struct mapping_error *error) {
    char line[LINE_SIZE];
    section->brief = strncmp(reader->next, FORMULAE_TITLE, strlen(FORMULAE_TITLE)) == 0;
    enum mapping_status status = section->brief ? MAPPING_OK : read_map(reader, section, error);
    if (status == MAPPING_OK)
        status = take(reader, FORMULAE_TITLE, "'" FORMULAE_TITLE "'", error);
    if (status == MAPPING_OK && section->fragment.blocks > 1)
        status = read_formula(reader, section, MAPPING_BLOCK, error);
    if (status == MAPPING_OK)
        status = read_formula(reader, section, MAPPING_ROW, error);
    if (status == MAPPING_OK)
        status = read_formula(reader, section, MAPPING_COL, error);
    if (status == MAPPING_OK)
        status = take(reader, "", "an empty line before the inverse", error);
    if (status == MAPPING_OK)
        status = take(reader, INVERSE_TITLE, "'" INVERSE_TITLE "'", error);
    if (status == MAPPING_OK)
        status = take_line(reader, "Tid: ", "'Tid: ...'", line, error);
    if (status == MAPPING_OK)
        status = take_line(reader, "I: ", "'I: ...'", line, error);
    return status;
}

enum mapping_status results_next(struct results_reader *reader, struct section *section, bool *more,
                                 struct mapping_error *error) {
    *section = (struct section){.text = reader->next, .line = reader->line};
    *more = *reader->next != '\0';
    if (!*more)
        return MAPPING_OK;
    enum mapping_status status = read_header(reader, section, error);
    if (status == MAPPING_OK)
        status = read_body(reader, section, error);
    section->size = (size_t)(reader->next - section->text);
    if (status == MAPPING_OK && *reader->next)
        status = take(reader, "", "an empty line between sections", error);
    if (status == MAPPING_OK && reader->next > section->text + section->size && !*reader->next)
        status = malformed(reader, "another section after the empty line", error);
    if (status != MAPPING_OK) {
        section_free(section);
        *more = false;
    }
    return status;
}

void section_free(struct section *section) {
    free(section->elements);
    section->elements = section->threads = NULL;
}

/* Makes the map of the grids. */
static enum mapping_status map_grids(const struct section *section, struct mapping_map *map,
                                     struct mapping_error *error) {
    uint32_t cells = mapping_map_cells(map);
    for (uint32_t place = 0; place < mapping_map_entries(map); place++) {
        uint32_t tid = section->threads[place], i = section->elements[place];
        uint32_t cell = place % cells;
        uint32_t row = cell / map->cols % map->rows, col = cell % map->cols;
        if (tid >= map->threads || i >= map->elements)
            return mapping_fail(error, MAPPING_INVALID,
                                "thread %u, element %u at row %u, column %u does not exist", tid, i,
                                row, col);
        size_t entry = (size_t)tid * map->elements + i;
        map->plane[MAPPING_ROW][entry] = row;
        map->plane[MAPPING_COL][entry] = col;
        if (map->plane[MAPPING_BLOCK])
            map->plane[MAPPING_BLOCK][entry] = cell / map->cols / map->rows;
    }
    return MAPPING_OK;
}

enum mapping_status section_map(const struct section *section, struct mapping_map *map,
                                struct mapping_error *error) {
    if (section->brief ? !mapping_map_evaluate(map, &section->fragment, section->formulae)
                       : !mapping_map_init(map, &section->fragment))
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = section->brief ? MAPPING_OK : map_grids(section, map, error);
    return status == MAPPING_OK ? mapping_map_check(map, error) : status;
}
