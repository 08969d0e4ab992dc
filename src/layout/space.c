/* space.c - spaces: lists of axes with names and sizes. */
#include "layout/space.h"

#include "layout/sentence.h"

#include <string.h>

/* Properties of axes, by name. An axis that is not listed is called by its own name, and is sorted
 * like a row. */
static const struct known_axis {
    const char *name;
    const char *word;   /* its name in messages */
    const char *plural; /* the name of a number of its values */
    const char *title;  /* the title of a grid of its coordinates */
    const char *names;  /* other names in expressions, separated by blanks */
    uint8_t outermost;  /* an axis with a smaller number is inside one with a greater number, and
                           precedes it in formulae */
} known[] = {
    {MAPPING_AXIS_TID, .word = "thread", .plural = "threads", .title = "ThreadIdx",
     .names = MAPPING_LANE_NAMES " threadIdx.x t thread thread_idx tidx", .outermost = 1},
    {MAPPING_AXIS_I, .word = "element", .plural = "elements", .title = "Element",
     .names = "e idx reg element"},
    {MAPPING_AXIS_ROW, .word = "row", .plural = "rows", .title = "Row"},
    {MAPPING_AXIS_COL, .word = "column", .plural = "cols", .title = "Col", .names = "column"},
    {MAPPING_AXIS_BLOCK, .word = "block", .plural = "blocks", .title = "Block", .outermost = 1},
    {MAPPING_AXIS_COPY, .word = "copy", .plural = "copies", .title = "Copy", .outermost = 2},
    {MAPPING_AXIS_SELECTOR, .word = "selector", .plural = "selectors", .title = "Selector",
     .names = "copy", .outermost = 2},
    {MAPPING_AXIS_OFFSET, .word = "offset", .plural = "offsets", .title = "Offset",
     .names = "off idx index address"},
    {MAPPING_AXIS_STAGE, .word = "stage", .plural = "stages", .title = "Stage", .names = "pipe",
     .outermost = 1},
    {MAPPING_AXIS_CTA, .word = "CTA", .plural = "ctas", .title = "CTA", .outermost = 1},
    {MAPPING_AXIS_LANE, .word = "lane", .plural = "lanes", .title = "Lane"},
    {MAPPING_AXIS_COLUMN, .word = "column", .plural = "columns", .title = "Column"},
    {MAPPING_AXIS_BIT, .word = "bit", .plural = "column_bits", .title = "Bit"},
    {MAPPING_AXIS_ID, .word = "scale factor ID", .plural = "ids", .title = "ID", .outermost = 3},
    {MAPPING_AXIS_LOAD, .word = "load", .plural = "loads", .title = "Load", .outermost = 2},
    {MAPPING_AXIS_STORE, .word = "store", .plural = "stores", .title = "Store", .outermost = 2},
    {"bank", .word = "bank", .plural = "banks", .title = "Bank"},
};

static struct known_axis find_known(const char *name) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].name, name) == 0)
            return known[k];
    return (struct known_axis){name, .word = name, .plural = name, .title = name};
}

const char *mapping_axis_word(const char *name) {
    return find_known(name).word;
}

const char *mapping_axis_plural(const char *name) {
    return find_known(name).plural;
}

const char *mapping_axis_title(const char *name) {
    return find_known(name).title;
}

const char *mapping_axis_names(const char *name) {
    const char *names = find_known(name).names;
    return names ? names : "";
}

bool mapping_word_is_in(const char *list, const char *word, size_t length) {
    for (; *list; list += strspn(list, " ,")) {
        size_t one = strcspn(list, " ,");
        if (one == length && memcmp(list, word, one) == 0)
            return true;
        list += one;
    }
    return false;
}

bool mapping_axis_is_called(const char *name, const char *word, size_t length) {
    return mapping_word_is_in(name, word, length) ||
           mapping_word_is_in(mapping_axis_names(name), word, length);
}

void mapping_space_order(const struct mapping_space *space, uint8_t order[MAPPING_AXES_MAX]) {
    for (uint32_t a = 0; a < space->count; a++) {
        uint32_t place = a;
        for (; place > 0; place--) {
            uint8_t before = order[place - 1];
            if (find_known(space->axis[before].name).outermost <=
                find_known(space->axis[a].name).outermost)
                break;
            order[place] = before;
        }
        order[place] = (uint8_t)a;
    }
}

size_t mapping_space_size(const struct mapping_space *space) {
    size_t size = 1;
    bool overflows = false;
    for (uint32_t a = 0; a < space->count; a++) {
        if (space->axis[a].size == 0)
            return 0;
        overflows |= __builtin_mul_overflow(size, (size_t)space->axis[a].size, &size);
    }
    return overflows ? SIZE_MAX : size;
}

int mapping_space_find(const struct mapping_space *space, const char *name) {
    for (uint32_t a = 0; a < space->count; a++)
        if (strcmp(space->axis[a].name, name) == 0)
            return (int)a;
    return -1;
}

bool mapping_space_alike(const struct mapping_space *a, const struct mapping_space *b) {
    bool is_alike = a->count == b->count;
    for (uint32_t n = 0; n < a->count && is_alike; n++)
        is_alike = strcmp(a->axis[n].name, b->axis[n].name) == 0;
    return is_alike;
}

bool mapping_space_equal(const struct mapping_space *a, const struct mapping_space *b) {
    bool is_equal = mapping_space_alike(a, b);
    for (uint32_t n = 0; n < a->count && is_equal; n++)
        is_equal = a->axis[n].size == b->axis[n].size;
    return is_equal;
}

size_t mapping_space_number(const struct mapping_space *space, const uint32_t *point) {
    size_t number = 0;
    for (uint32_t a = 0; a < space->count; a++)
        number = number * space->axis[a].size + point[a];
    return number;
}

void mapping_space_point(const struct mapping_space *space, size_t number, uint32_t *point) {
    for (uint32_t a = space->count; a-- > 0;) {
        uint32_t size = space->axis[a].size;
        point[a] = size > 0 ? (uint32_t)(number % size) : 0;
        number = size > 0 ? number / size : 0;
    }
}

void mapping_space_describe(const struct mapping_space *space, size_t number, char *text,
                            size_t size) {
    uint32_t point[MAPPING_AXES_MAX] = {0};
    mapping_space_point(space, number, point);
    *text = '\0';
    for (uint32_t a = 0; a < space->count; a++)
        mapping_append(text, size, "%s%s %u", a ? ", " : "", mapping_axis_word(space->axis[a].name),
                       point[a]);
}

/* ---- Functions of a point ---- */

size_t mapping_space_stride(const struct mapping_space *space, uint32_t axis) {
    size_t stride = 1;
    for (uint32_t a = axis + 1; a < space->count; a++)
        stride *= space->axis[a].size;
    return stride;
}

size_t mapping_space_parts(const struct mapping_space *space) {
    size_t parts = 0;
    for (uint32_t a = 0; a < space->count; a++)
        parts += space->axis[a].size;
    return parts;
}

void mapping_space_combine(const struct mapping_space *space, const uint32_t *parts, char operation,
                           uint32_t *values) {
    size_t block = 1; /* the number of points that differ only along the axes after this one */
    values[0] = 0;
    parts += mapping_space_parts(space);
    for (uint32_t a = space->count; a-- > 0; block *= space->axis[a].size) {
        parts -= space->axis[a].size;
        /* Block 0 comes last, because the others are computed from it. */
        for (uint32_t x = space->axis[a].size; x-- > 0;)
            for (size_t k = 0; k < block; k++)
                values[x * block + k] =
                    operation == '+' ? values[k] + parts[x] : values[k] ^ parts[x];
    }
}
