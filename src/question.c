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

enum mapping_status question_parse(const char *text, enum question_kind kind,
                                   struct question *question, struct mapping_error *error) {
    *question = (struct question){kind, {{0, UINT32_MAX}, {0, UINT32_MAX}}};
    const char *rest = read_range(text, &question->ranges[0]);
    if (rest && *rest == ',')
        rest = read_range(rest + 1, &question->ranges[1]);
    else if (kind == ASK_AT)
        rest = NULL;
    if (rest && *rest == '\0')
        return MAPPING_OK;
    if (kind == ASK_AT)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.40s' is no element; --at takes ROW,COL, as in 3,5 or 0-7,*", text);
    return mapping_fail(error, MAPPING_INVALID,
                        "'%.40s' is no thread; --thread takes TID or TID,I, as in 5 or 0-3,*",
                        text);
}

enum mapping_status question_check(const struct question *question,
                                   const struct mapping_fragment *fragment,
                                   struct mapping_error *error) {
    static const char *const words[][2] = {{"row", "column"}, {"thread", "element"}};
    bool at = question->kind == ASK_AT;
    const uint32_t counts[] = {at ? fragment->rows : fragment->threads,
                               at ? fragment->cols : fragment->elements};
    for (int r = 0; r < 2 && question->kind != ASK_NOTHING; r++) {
        const struct range *range = &question->ranges[r];
        uint32_t last = range->last == UINT32_MAX ? range->first : range->last;
        if (last >= counts[r]) {
            char name[MAPPING_NAME_SIZE];
            mapping_fragment_name(fragment, name);
            return mapping_fail(error, MAPPING_INVALID, "%s has no %s %u, only 0 to %u", name,
                                words[!at][r], last, counts[r] - 1);
        }
    }
    return MAPPING_OK;
}

static bool inside(const struct range *range, uint32_t number) {
    return number >= range->first && number <= range->last;
}

bool question_next(const struct question *question, const struct report *report, size_t *position,
                   struct answer *answer) {
    const struct mapping_map *map = &report->map;
    uint32_t copies = mapping_map_copies(map), cells = map->rows * map->cols;
    while (*position < mapping_map_entries(map)) {
        uint32_t n = (uint32_t)(*position)++, entry = n;
        if (question->kind == ASK_AT) /* n counts copies, then columns, then rows */
            entry = report->holders[(size_t)(n % copies) * cells + n / copies];
        *answer = (struct answer){.row = map->plane[MAPPING_ROW][entry],
                                  .col = map->plane[MAPPING_COL][entry],
                                  .tid = entry / map->elements,
                                  .i = entry % map->elements};
        size_t cell = (size_t)answer->row * map->cols + answer->col;
        while (report->holders[(size_t)answer->copy * cells + cell] != entry)
            answer->copy++;
        bool at = question->kind == ASK_AT;
        if (inside(&question->ranges[0], at ? answer->row : answer->tid) &&
            inside(&question->ranges[1], at ? answer->col : answer->i))
            return true;
    }
    return false;
}
