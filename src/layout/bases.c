/* bases.c - layouts stated as bases: lists of the source bits that make up each coordinate.
 *
 * For example, "t2 t3 t4 i1 | i0 t0 t1" for (tid, i) -> (row, col): see mapping_layout_state in
 * layouts.h. */
#include "layout/space.h"
#include "system/arena.h"

#include <stdlib.h>
#include <string.h>

/* One base: bits of the coordinate along an axis of the source, or of its quotient or remainder,
 * and the bit of the target coordinate where they begin. */
struct base {
    uint32_t axis, bit, place;
    uint32_t width;    /* the number of bits: 32 for all bits from `bit` on */
    uint32_t divisor;  /* the coordinate is first divided by this, */
    uint32_t modulus;  /* or replaced by its remainder; 0: neither */
    uint32_t added;    /* to the quotient or remainder */
    uint32_t constant; /* used instead of the axis if width is 0 */
};

enum { ALL_ABOVE = 32 };

/* The letter of an axis: the first one of its name that is not that of an axis before it. */
static char letter_of(const struct mapping_space *space, uint32_t axis) {
    const char *name = space->axis[axis].name;
    for (; *name; name++) {
        uint32_t before = 0;
        while (before < axis && letter_of(space, before) != *name)
            before++;
        if (before == axis)
            break;
    }
    return *name;
}

/* Reads a decimal number below 2^31; false if there is none, or a larger one. */
static bool read_number(const char **text, uint32_t *number) {
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    *number = (uint32_t)value;
    *text = end;
    return value <= INT32_MAX;
}

/* Reads "2", "2-4" or "2.." after the letter of an axis, or after "%2:". */
static bool read_range(const char **text, struct base *base) {
    uint32_t last;
    base->width = 1;
    if (!read_number(text, &base->bit))
        return false;
    if (strncmp(*text, "..", 2) == 0) { /* also if there are no bits above */
        *text += 2;
        base->width = ALL_ABOVE;
    } else if (**text == '-') {
        ++*text;
        if (!read_number(text, &last) || last <= base->bit || last >= 32)
            return false;
        base->width = last - base->bit + 1;
    }
    return true;
}

/* A single bit must exist in numbers below `size`; the bits of a range need not, and are 0 then. */
static bool has_bit(const struct base *base, uint32_t size) {
    return base->width > 1 || (base->bit < 32 && size > UINT32_C(1) << base->bit);
}

/* Reads the text after the letter of an axis of that size. */
static bool read_bits(const char **text, uint32_t size, struct base *base) {
    const char kind = **text;
    uint32_t parts;
    if (kind == '*') {
        ++*text;
        base->width = mapping_bits_below(size);
        return (size & (size - 1)) == 0; /* otherwise some of these numbers do not occur */
    }
    if (kind == '/' || kind == '%') {
        ++*text;
        if (!read_number(text, &parts) || parts == 0 || size % parts != 0)
            return false;
        base->divisor = kind == '/' ? size / parts : 1;
        base->modulus = kind == '%' ? size / parts : 0;
        base->width = kind == '/' ? mapping_bits_below(parts) : ALL_ABOVE;
        if (kind == '/' || **text != ':')
            return true;
        ++*text;
        return read_range(text, base) && has_bit(base, base->modulus);
    }
    if (kind == '+') {
        ++*text;
        base->width = ALL_ABOVE;
        return read_number(text, &base->added);
    }
    return read_range(text, base) && has_bit(base, size);
}

/* Reads the next base, and sets *text to the text after it. False if there is no valid base. */
static bool read_base(const char **text, const struct mapping_space *from, struct base *base) {
    base->divisor = 1;
    if (**text == '0' || **text == '1') {
        base->width = 0;
        base->constant = (uint32_t)(*(*text)++ - '0');
    } else {
        while (base->axis < from->count && letter_of(from, base->axis) != **text)
            base->axis++;
        if (base->axis == from->count)
            return false;
        ++*text;
        if (!read_bits(text, from->axis[base->axis].size, base))
            return false;
    }
    return **text == ' ' || **text == '|' || **text == '\0';
}

/* Adds to parts[] the contribution of a base for each value of its axis. */
static void add_base(const struct mapping_space *from, const struct base *base, uint32_t *parts) {
    for (uint32_t a = 0; a < base->axis; a++)
        parts += from->axis[a].size;
    for (uint32_t x = 0; x < from->axis[base->axis].size; x++) {
        uint32_t value = (base->modulus ? x % base->modulus : x) / base->divisor + base->added;
        uint32_t bits = base->bit < 32 ? value >> base->bit : 0;
        if (base->width < ALL_ABOVE)
            bits &= (UINT32_C(1) << base->width) - 1;
        parts[x] |= (base->width ? bits : base->constant) << base->place;
    }
}

/* Reads the bases of one coordinate into parts[], and sets *text to the text after them. False if
 * they are not valid. */
static bool read_coordinate(const char **text, const struct mapping_space *from, uint32_t *parts) {
    memset(parts, 0, mapping_space_parts(from) * sizeof *parts);
    uint32_t place = 0;
    bool closed = false; /* no base can follow a base with all bits above */
    for (*text += strspn(*text, " "); **text && **text != '|'; *text += strspn(*text, " ")) {
        struct base base = {.place = place};
        const char *start = *text;
        if (closed || place >= 32 || from->count == 0 || !read_base(text, from, &base)) {
            *text = start;
            return false;
        }
        add_base(from, &base, parts);
        closed = base.width == ALL_ABOVE;
        place += *start == '0' || *start == '1' ? 1 : base.width;
    }
    return true;
}

/* Fills all coordinates. False if the bases are not valid for this space; *text is then the place
 * of the error. */
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
    enum mapping_status status = layout_allocate(layout, from, to, error);
    if (status != MAPPING_OK)
        return status;
    uint32_t *parts = memory_get(mapping_space_parts(from) + 1, sizeof *parts);
    if (!read_bases(&text, layout, parts))
        status = *text
                     ? mapping_fail(error, MAPPING_INVALID,
                                    "'%.80s' are not bases of this layout: error at '%.20s'", bases,
                                    text)
                     : mapping_fail(error, MAPPING_INVALID,
                                    "'%.80s' are not bases of this layout: it has %u coordinates, "
                                    "so it needs %u lists, with '|' between them",
                                    bases, to->count, to->count);
    mapping_free(parts);
    if (status != MAPPING_OK)
        mapping_layout_free(layout);
    return status;
}
