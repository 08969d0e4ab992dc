/* question.c - who holds this element, what does this thread hold; see question.h. */
#include "question.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Reads "3", "3-5" or "*" and returns what follows, or NULL. */
static const char *read_range(const char *text, struct range *range) {
    if (*text == '*') {
        *range = (struct range){0, UINT32_MAX};
        return text + 1;
    }
    uint32_t *const ends[] = {&range->first, &range->last};
    for (int e = 0; e < 2; e++) {
        char *end;
        if (!isdigit((unsigned char)*text))
            return NULL;
        unsigned long number = strtoul(text, &end, 10);
        *ends[e] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX - 1;
        text = end;
        if (e == 0 && *text != '-') {
            range->last = range->first;
            return text;
        }
        text += e == 0;
    }
    return range->first <= range->last ? text : NULL;
}

struct question question_all(void) {
    static const struct range all = {0, UINT32_MAX};
    return (struct question){ASK_THREAD, false, {all, all, all}};
}

/* Reads ranges separated by commas, at most three; returns how many, 0 if it is something else. */
static size_t read_ranges(const char *text, struct range ranges[3]) {
    for (size_t count = 0; count < 3; text++) {
        text = read_range(text, &ranges[count++]);
        if (!text || (*text != '\0' && *text != ','))
            return 0;
        if (*text == '\0')
            return count;
    }
    return 0;
}

enum mapping_status question_parse(const char *text, enum question_kind kind,
                                   struct question *question, struct mapping_error *error) {
    struct range ranges[3];
    size_t count = read_ranges(text, ranges);
    *question = question_all();
    question->kind = kind;
    if (kind == ASK_AT && count >= 2) {
        question->asks_block = count == 3;
        question->ranges[0] = ranges[count - 2];
        question->ranges[1] = ranges[count - 1];
        if (count == 3)
            question->ranges[2] = ranges[0];
        return MAPPING_OK;
    }
    for (size_t r = 0; r < count && kind == ASK_THREAD; r++)
        question->ranges[r] = ranges[r];
    if (kind == ASK_THREAD && (count == 1 || count == 2))
        return MAPPING_OK;
    if (kind == ASK_AT)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.40s' is no element; --at takes ROW,COL, as in 3,5 or 0-7,*, or "
                            "BLOCK,ROW,COL",
                            text);
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.40s' is no thread; --thread takes TID or TID,I, as in 5 or 0-3,*",
                        text);
}

enum mapping_status question_check(const struct question *question,
                                   const struct mapping_fragment *fragment,
                                   struct mapping_error *error) {
    static const char *const words[][3] = {{"row", "column", "block"}, {"thread", "element", ""}};
    bool at = question->kind == ASK_AT;
    const uint32_t counts[] = {at ? fragment->rows : fragment->threads,
                               at ? fragment->cols : fragment->elements, fragment->blocks};
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    if (question->asks_block && fragment->blocks == 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s is one matrix, without blocks; --at takes ROW,COL", name);
    for (int r = 0; r < 3 && question->kind != ASK_NOTHING; r++) {
        const struct range *range = &question->ranges[r];
        uint32_t last = range->last == UINT32_MAX ? range->first : range->last;
        if (last >= counts[r])
            return mapping_fail(error, MAPPING_INVALID, "%s has no %s %u, only %s%u", name,
                                words[!at][r], last, counts[r] > 1 ? "0 to " : "", counts[r] - 1);
    }
    return MAPPING_OK;
}

static bool inside(const struct range *range, uint32_t number) {
    return number >= range->first && number <= range->last;
}

bool question_next(const struct question *question, const struct report *report, size_t *position,
                   struct answer *answer) {
    const struct mapping_map *map = &report->map;
    uint32_t copies = mapping_map_copies(map), cells = mapping_map_cells(map);
    while (*position < mapping_map_entries(map)) {
        uint32_t n = (uint32_t)(*position)++, entry = n;
        if (question->kind == ASK_AT) /* n counts copies, then columns, rows and blocks */
            entry = report->holders[(size_t)(n % copies) * cells + n / copies];
        uint32_t cell = mapping_map_cell(map, entry);
        *answer = (struct answer){.block = cell / map->cols / map->rows,
                                  .row = cell / map->cols % map->rows,
                                  .col = cell % map->cols,
                                  .tid = entry / map->elements,
                                  .i = entry % map->elements};
        while (report->holders[(size_t)answer->copy * cells + cell] != entry)
            answer->copy++;
        bool at = question->kind == ASK_AT;
        if (inside(&question->ranges[0], at ? answer->row : answer->tid) &&
            inside(&question->ranges[1], at ? answer->col : answer->i) &&
            (!at || inside(&question->ranges[2], answer->block)))
            return true;
    }
    return false;
}
