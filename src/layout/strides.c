/* strides.c - from a table to the layout in CuTe's algebra that gives it, and that as text; see
 * cute.h.
 *
 * A layout of CuTe is a sum over the axes, and along an axis a sum over the digits of a mixed
 * radix. So along each axis, where all other coordinates are 0, it can be read off digit by digit:
 * the stride is the value where the digit is 1, and the digit goes on as long as multiples of the
 * stride follow. Then it is compared at all points. */
#include "layout/cute.h"

#include "layout/space.h"

#include <stdio.h>
#include <string.h>

/* ---- Finding ---- */

uint32_t mapping_swizzled(const struct mapping_swizzle *swizzle, uint32_t value) {
    uint32_t mask = ((UINT32_C(1) << swizzle->bits) - 1) << swizzle->base;
    return value ^ (value >> swizzle->shift & mask);
}

/* The largest divisor of `size` that is not above `limit`, and at least 1. */
static uint32_t divisor_below(uint32_t size, uint32_t limit) {
    uint32_t divisor = limit < size ? limit : size;
    while (divisor > 1 && size % divisor != 0)
        divisor--;
    return divisor;
}

/* Reads the modes of one axis off its values, which are `step` apart. */
static bool find_modes(const uint32_t *values, size_t step, uint32_t size,
                       const struct mapping_swizzle *swizzle, struct mapping_modes *modes) {
    modes->count = 0;
    for (uint32_t done = 1, left = size; left > 1;) { /* done * left is the size */
        uint32_t stride = mapping_swizzled(swizzle, values[done * step]), run = 2;
        while ((uint64_t)run * done < size &&
               mapping_swizzled(swizzle, values[(size_t)run * done * step]) ==
                   (uint64_t)run * stride)
            run++;
        uint32_t digit = divisor_below(left, run);
        if (digit <= 1 || modes->count == MAPPING_MODES)
            return false;
        modes->shape[modes->count] = digit;
        modes->stride[modes->count++] = stride;
        done *= digit;
        left /= digit;
    }
    return true;
}

/* True if, whatever the coordinates of the axes inside of this one are, each of its values adds
 * what the modes give. */
static bool adds_up(const uint32_t *values, size_t step, uint32_t size,
                    const struct mapping_swizzle *swizzle, const struct mapping_modes *modes) {
    uint32_t difference = 0;
    for (uint32_t x = 1; x < size; x++) {
        const uint32_t added = mapping_modes_at(modes, x), *there = values + x * step;
        for (size_t n = 0; n < step; n++)
            difference |= mapping_swizzled(swizzle, there[n]) ^
                          (mapping_swizzled(swizzle, values[n]) + added);
    }
    return difference == 0;
}

/* Finds the layout that has these values behind a swizzle, which undoes itself: the innermost axis
 * first, so that in the end every value has been compared. */
static bool find_behind(const struct mapping_space *from, const uint32_t *values,
                        struct mapping_cute *cute) {
    size_t step = 1;
    uint64_t largest = 0; /* sums are of 32 bits, and must not wrap */
    if (values[0] != 0)
        return false;
    cute->count = from->count;
    for (uint32_t a = from->count; a-- > 0; step *= from->axis[a].size) {
        const uint32_t size = from->axis[a].size;
        struct mapping_modes *modes = &cute->axis[a];
        if (!find_modes(values, step, size, &cute->swizzle, modes))
            return false;
        for (uint32_t m = 0; m < modes->count; m++)
            largest += (uint64_t)(modes->shape[m] - 1) * modes->stride[m];
        if (largest > UINT32_MAX || !adds_up(values, step, size, &cute->swizzle, modes))
            return false;
    }
    return true;
}

bool mapping_cute_find(const struct mapping_space *from, const uint32_t *values,
                       struct mapping_cute *cute) {
    enum { BITS_MAX = 5, BASE_MAX = 7, SHIFT_MAX = 7 };
    cute->swizzle = (struct mapping_swizzle){0, 0, 0};
    if (find_behind(from, values, cute))
        return true;
    for (unsigned bits = 1; bits <= BITS_MAX; bits++)
        for (unsigned base = 0; base <= BASE_MAX; base++)
            for (unsigned shift = bits; shift <= SHIFT_MAX; shift++) {
                cute->swizzle =
                    (struct mapping_swizzle){(uint8_t)bits, (uint8_t)base, (uint8_t)shift};
                if (find_behind(from, values, cute))
                    return true;
            }
    return false;
}

/* ---- Printing ---- */

/* Text that is appended to, as snprintf does. */
struct text {
    char *text;
    size_t size, length;
};

static void append(struct text *to, const char *piece) {
    for (; *piece; piece++, to->length++)
        if (to->length + 1 < to->size) {
            to->text[to->length] = *piece;
            to->text[to->length + 1] = '\0';
        }
}

/* How nesting is written. */
struct form {
    const char *open, *close, *number;
};

/* Prints the shape or the stride of an axis. */
static void print_axis(struct text *to, const struct mapping_modes *modes, bool is_shape,
                       const struct form *form) {
    const uint32_t *numbers = is_shape ? modes->shape : modes->stride;
    char number[24];
    if (modes->count > 1)
        append(to, form->open);
    for (uint32_t m = 0; m < modes->count || m == 0; m++) {
        uint32_t value = m < modes->count ? numbers[m] : is_shape;
        snprintf(number, sizeof number, form->number, m > 0 ? "," : "", value);
        append(to, number);
    }
    if (modes->count > 1)
        append(to, form->close);
}

static void print_side(struct text *to, const struct mapping_cute *cute, bool is_shape,
                       const struct form *form) {
    if (cute->count > 1)
        append(to, form->open);
    for (uint32_t a = 0; a < cute->count; a++) {
        append(to, a > 0 ? "," : "");
        print_axis(to, &cute->axis[a], is_shape, form);
    }
    if (cute->count > 1)
        append(to, form->close);
}

static void print_swizzle(struct text *to, const struct mapping_swizzle *swizzle,
                          const char *format) {
    char start[40];
    snprintf(start, sizeof start, format, swizzle->bits, swizzle->base, swizzle->shift);
    if (swizzle->bits > 0)
        append(to, start);
}

void mapping_cute_put_stages_last(const struct mapping_space *from, struct mapping_cute *cute) {
    if (from->count == 0 || strcmp(from->axis[0].name, MAPPING_AXIS_STAGE) != 0)
        return;
    const struct mapping_modes stages = cute->axis[0];
    for (uint32_t a = 0; a + 1 < cute->count; a++)
        cute->axis[a] = cute->axis[a + 1];
    cute->axis[cute->count - 1] = stages;
}

size_t mapping_cute_print(const struct mapping_cute *cute, char *text, size_t size) {
    static const struct form plain = {"(", ")", "%s%u"};
    struct text to = {text, size, 0};
    print_swizzle(&to, &cute->swizzle, "Sw<%u,%u,%u> o 0 o ");
    print_side(&to, cute, true, &plain);
    append(&to, ":");
    print_side(&to, cute, false, &plain);
    return to.length;
}

size_t mapping_cute_print_type(const struct mapping_cute *cute, char *text, size_t size) {
    static const struct form shape = {"Shape<", ">", "%s_%u"}, stride = {"Stride<", ">", "%s_%u"};
    struct text to = {text, size, 0};
    print_swizzle(&to, &cute->swizzle, "ComposedLayout<Swizzle<%u,%u,%u>,_0,");
    append(&to, "Layout<");
    print_side(&to, cute, true, &shape);
    append(&to, ",");
    print_side(&to, cute, false, &stride);
    append(&to, cute->swizzle.bits > 0 ? ">>" : ">");
    return to.length;
}
