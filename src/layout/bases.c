/* bases.c - layouts as they are stated: which bits of the source each coordinate consists of.
 *
 * "t2 t3 t4 i1 | i0 t0 t1" for (tid, i) -> (row, col): see mapping_layout_state in mapping.h. */
#include "layout/space.h"

#include <stdlib.h>
#include <string.h>

/* One base: bits of an axis of the source, and where they go in a coordinate. */
struct base {
    uint32_t axis, bit, place;
    bool and_above; /* that bit and all above */
};

/* Reads the next base, and moves *text behind it. False if it is none. */
static bool read_base(const char **text, const struct mapping_space *from, struct base *base) {
    for (base->axis = 0; base->axis < from->count; base->axis++)
        if (**text == *from->axis[base->axis].name)
            break;
    if (base->axis == from->count || (*text)[1] < '0' || (*text)[1] > '9')
        return false;
    char *end;
    unsigned long bit = strtoul(*text + 1, &end, 10);
    base->and_above = strncmp(end, "..", 2) == 0;
    *text = end + (base->and_above ? 2 : 0);
    base->bit = bit < 32 ? (uint32_t)bit : 32;
    /* A bit that is always 0 may be named only as where all above begin. */
    bool exists = base->bit < 32 && from->axis[base->axis].size > UINT32_C(1) << base->bit;
    return (exists || base->and_above) && (**text == ' ' || **text == '|' || **text == '\0');
}

/* Adds to parts[] what a base contributes at each value of its axis. */
static void add_base(const struct mapping_space *from, const struct base *base, uint32_t *parts) {
    for (uint32_t a = 0; a < base->axis; a++)
        parts += from->axis[a].size;
    for (uint32_t x = 0; x < from->axis[base->axis].size; x++) {
        uint32_t bits = base->bit < 32 ? x >> base->bit : 0;
        parts[x] |= (base->and_above ? bits : bits & 1) << base->place;
    }
}

/* Reads the bases of one coordinate into parts[], and moves *text behind them. False if they are
 * none. */
static bool read_coordinate(const char **text, const struct mapping_space *from, uint32_t *parts) {
    memset(parts, 0, mapping_space_parts(from) * sizeof *parts);
    uint32_t place = 0;
    bool closed = false; /* nothing can stand above all bits above */
    for (*text += strspn(*text, " "); **text && **text != '|'; *text += strspn(*text, " ")) {
        struct base base = {.place = place};
        if (closed || ++place > 32 || !read_base(text, from, &base))
            return false;
        add_base(from, &base, parts);
        closed = base.and_above;
    }
    return true;
}

/* Fills all coordinates. False if the bases are none of this space; *text is where. */
static bool read_bases(const char **text, struct mapping_layout *layout, uint32_t *parts) {
    for (uint32_t c = 0; c < layout->to.count; c++) {
        if (!read_coordinate(text, &layout->from, parts) ||
            **text != (c + 1 < layout->to.count ? '|' : '\0'))
            return false;
        mapping_space_combine(&layout->from, parts, '+', layout->coordinate[c]);
        *text += **text == '|';
    }
    return true;
}

enum mapping_status mapping_layout_state(struct mapping_layout *layout,
                                         const struct mapping_space *from,
                                         const struct mapping_space *to, const char *bases,
                                         struct mapping_error *error) {
    const char *text = bases;
    uint32_t *parts = malloc((mapping_space_parts(from) + 1) * sizeof *parts);
    if (!parts)
        return mapping_out_of_memory(error);
    enum mapping_status status = mapping_layout_init(layout, from, to, error);
    if (status == MAPPING_OK && !read_bases(&text, layout, parts)) {
        mapping_layout_free(layout);
        status = mapping_fail(error, MAPPING_INVALID,
                              "'%.80s' are no bases of this layout, at '%.20s'", bases, text);
    }
    free(parts);
    return status;
}
