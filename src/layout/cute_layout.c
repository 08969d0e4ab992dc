/* cute_layout.c - layouts in CuTe's algebra: parses them, finds one for a table, and prints them;
 * see cute_layout.h.
 *
 * A layout is a tree of sizes and, after a colon, a tree of strides of the same form:
 * "(4,(2,2)):(1,(8,4))", or "Layout<Shape<_4,Shape<_2,_2>>,Stride<_1,Stride<_8,_4>>>". */
#include "layout/cute_layout.h"

#include "layout/space.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Words ---- */

/* Skips blanks and C++ comments that end with their line. */
static const char *skip_blanks(const char *text) {
    for (;;) {
        text += strspn(text, " \t\n");
        if (strncmp(text, "//", 2) != 0)
            return text;
        text += strcspn(text, "\n");
    }
}

/* Returns the text after its first word; NULL if that is not one of `words`: "C< Int<". The text
 * may have blanks before the punctuation of a word: "Int <". */
static const char *behind(const char *text, const char *words) {
    for (size_t length; *words; words += length + strspn(words + length, " ")) {
        length = strcspn(words, " ");
        const char *rest = text;
        size_t n = 0;
        for (; n < length; n++, rest++) {
            rest = n > 0 && strchr("<(){}:=", words[n]) ? skip_blanks(rest) : rest;
            if (*rest != words[n])
                break;
        }
        if (n == length)
            return rest;
    }
    return NULL;
}

const char *mapping_skip_scopes(const char *text) {
    const char *rest = text;
    if (strncmp(skip_blanks(text), "using ", 6) == 0 && strchr(text, '='))
        rest = strchr(text, '=') + 1;
    for (; rest;
         rest = behind(text, "cutlass:: layout:: cute:: cute. SM90:: SM100:: GMMA:: UMMA::"))
        text = skip_blanks(rest);
    return text;
}

/* Skips a comment on the domain and codomain: "(T32,V4) -> (M16,N8)", "(T32,V4):". */
static const char *skip_spaces(const char *text) {
    while (*text == '(' && isupper((unsigned char)text[1]) && isdigit((unsigned char)text[2])) {
        const char *behind = mapping_behind_parentheses(text);
        if (!behind)
            return text;
        text = skip_blanks(behind);
        text = skip_blanks(text + (strncmp(text, "->", 2) == 0 ? 2 : *text == ':'));
    }
    return text;
}

const char *mapping_behind_label(const char *text) {
    const char *start = skip_spaces(skip_blanks(text)), *end = start;
    while (isalnum((unsigned char)*end) || (*end && strchr("_. ", *end)))
        end++;
    const bool is_label = isalpha((unsigned char)*start) && (*end == ':' || *end == '=') &&
                          end[1] != *end; /* "cute::" */
    return is_label ? skip_spaces(skip_blanks(end + 1)) : start;
}

const char *mapping_behind_word(const char *text, const char *words) {
    return behind(mapping_skip_scopes(text), words);
}

const char *mapping_behind_parentheses(const char *text) {
    size_t depth = 0;
    do {
        depth += *text == '(';
        depth -= *text == ')';
    } while (*text++ && depth > 0);
    return depth == 0 && text[-1] == ')' ? text : NULL;
}

/* ---- Reading ---- */

/* The largest number of leaves in the text of a layout. Layouts derived from it may have more
 * modes. */
enum { LEAVES = 32, DEPTH = 8 };

/* A tree of numbers: its leaves in order, the top-level mode of each leaf, and its form: the
 * parentheses and commas of the text. */
struct tree {
    bool is_stride;
    const char *malformed; /* why a C++ type is malformed; NULL in CuTe's own notation */
    uint32_t leaves[LEAVES];
    unsigned modes[LEAVES];
    unsigned leaf_count, mode_count;
    char form[8 * LEAVES];
    size_t form_length;
};

/* Stores why there is no layout; returns NULL. */
static const char *fail_at(const char *place, const char *reason,
                           struct mapping_modes_fault *fault) {
    *fault = (struct mapping_modes_fault){reason, place};
    return NULL;
}

static bool add_form(struct tree *tree, char c) {
    if (tree->form_length + 1 >= sizeof tree->form)
        return false;
    tree->form[tree->form_length++] = c;
    tree->form[tree->form_length] = '\0';
    return true;
}

/* Skips the braces of a value: "Shape<_4>{}", "_4{}". */
static const char *skip_braces(const char *text) {
    const char *rest = mapping_behind_word(text, "{}");
    return rest ? rest : text;
}

/* Reads "4", "_4", "C<4>" or "Int<4>{}". Offsets are below 2^31, so every stride that
 * mapping_cute_print writes for a matrix in memory can be read again. */
static const char *read_leaf(const char *start, struct tree *tree,
                             struct mapping_modes_fault *fault) {
    uint64_t number = 0;
    const char *constant = mapping_behind_word(start, "C< Int<");
    start = constant ? skip_blanks(constant) : start;
    const char *digits = start + (*start == '_'), *text = digits;
    for (; *text >= '0' && *text <= '9' && number <= INT32_MAX; text++)
        number = 10 * number + (uint64_t)(*text - '0');
    if (*digits == '?')
        return fail_at(start, "'?' is known only when the kernel runs; write the number", fault);
    if (mapping_behind_word(digits, "int uint32_t int32_t int64_t"))
        return fail_at(start, "this type has no value; write the number, such as C<8>", fault);
    if (*text == '@' || mapping_behind_word(digits, "E< ScaledBasis< @"))
        return fail_at(start,
                       "this step is one of coordinates, as in a tensor of TMA; a matrix in "
                       "memory has strides that are numbers",
                       fault);
    if (*digits == '-' && tree->is_stride)
        return fail_at(start, "strides must not be negative", fault);
    if (*digits == '-' && tree->form_length > 0)
        return fail_at(start, "sizes must not be negative", fault);
    if (text == digits || (constant && *skip_blanks(text) != '>'))
        return tree->malformed ? fail_at(text, tree->malformed, fault)
                               : fail_at(start, "a number is missing", fault);
    if (number > INT32_MAX)
        return fail_at(start, "a number is too large (2^31 or more)", fault);
    if (tree->leaf_count == LEAVES)
        return fail_at(start, "there are more than 32 numbers", fault);
    tree->modes[tree->leaf_count] = tree->mode_count - 1;
    tree->leaves[tree->leaf_count++] = (uint32_t)number;
    return skip_braces(constant ? skip_blanks(text) + 1 : text);
}

/* Reads a number or a tuple of trees. `depth` is 0 for the whole. */
static const char *read_tree(const char *text, struct tree *tree, unsigned depth,
                             struct mapping_modes_fault *fault) {
    const char *next = mapping_behind_word(text, MAPPING_TUPLES);
    text = mapping_skip_scopes(text);
    if (!next) {
        tree->mode_count += depth == 0;
        return read_leaf(text, tree, fault);
    }
    const char close = next[-1] == '(' ? ')' : '>';
    if (depth > DEPTH)
        return fail_at(text, "parentheses are nested more than 9 deep", fault);
    for (char mark = '('; next; mark = ',') {
        if (depth == 0 && tree->mode_count == LEAVES)
            return fail_at(text, "there are more than 32 modes", fault);
        tree->mode_count += depth == 0;
        if (!add_form(tree, mark))
            return fail_at(text, "there are too many parentheses", fault);
        if (!(text = read_tree(next, tree, depth + 1, fault)))
            return NULL;
        text = skip_blanks(text);
        next = *text == ',' ? text + 1 : NULL;
    }
    if (*text != close)
        return fail_at(text, tree->malformed ? tree->malformed : "a parenthesis is not closed",
                       fault);
    return add_form(tree, ')') ? skip_braces(text + 1)
                               : fail_at(text, "there are too many parentheses", fault);
}

/* Replaces each number in `order` by the stride of that mode, the lowest number first, as
 * make_ordered_layout does. The order of a nested mode applies to all its numbers. False if the
 * order has another form than the shape. */
static bool order_to_stride(const struct tree *shape, struct tree *order) {
    uint32_t orders[LEAVES];
    const bool is_congruent = strcmp(shape->form, order->form) == 0,
               is_of_modes =
                   order->leaf_count == order->mode_count && order->mode_count == shape->mode_count;
    if (!is_congruent && !is_of_modes)
        return false;
    for (unsigned leaf = 0; leaf < shape->leaf_count; leaf++)
        orders[leaf] = order->leaves[is_congruent ? leaf : shape->modes[leaf]];
    for (unsigned leaf = 0; leaf < shape->leaf_count; leaf++) {
        uint64_t size = 1; /* of the modes that precede it in the order */
        for (unsigned o = 0; o < shape->leaf_count; o++)
            if (orders[o] < orders[leaf] || (o < leaf && orders[o] == orders[leaf])) {
                size *= shape->leaves[o];
                size = size < MODES_SIZE_MAX ? size : MODES_SIZE_MAX; /* more is refused */
            }
        order->leaves[leaf] = shape->leaves[leaf] == 1 ? 0 : (uint32_t)size;
    }
    order->leaf_count = shape->leaf_count;
    return true;
}

/* Reads LayoutRight{}, or GenRowMajor{} of older versions, and computes the strides. LayoutLeft{}
 * and GenColMajor{} have the same strides as a shape alone. NULL if it is neither. */
static const char *read_majorness(const char *text, const struct tree *shape, struct tree *stride) {
    const char *right = mapping_behind_word(text, "LayoutRight GenRowMajor"),
               *rest = right ? right : mapping_behind_word(text, "LayoutLeft GenColMajor");
    if (!rest)
        return NULL;
    *stride = *shape;
    for (unsigned leaf = 0; leaf < shape->leaf_count; leaf++)
        stride->leaves[leaf] = right ? shape->leaf_count - leaf : leaf;
    order_to_stride(shape, stride);
    return skip_braces(rest);
}

/* Reads the shape and, if present, the stride. */
static const char *read_trees(const char *text, unsigned rank, struct tree *shape,
                              struct tree *stride, struct mapping_modes_fault *fault) {
    const char *whole = text, *type = mapping_behind_word(text, MAPPING_LAYOUTS);
    const char *start = type ? type : text;
    const char close = type && type[-1] == '(' ? ')' : '>';
    if (type) {
        shape->malformed = "a shape is malformed";
        stride->malformed = "a stride is malformed";
    }
    if (!(text = read_tree(start, shape, 0, fault)))
        return NULL;
    if (rank > 0 && shape->mode_count > rank)
        return fail_at(start, "there are too many modes", fault);
    text = skip_blanks(text);
    if (*text == (type ? ',' : ':')) {
        const char *keyword = mapping_behind_word(text + 1, "stride= order="); /* of Python */
        start = keyword ? keyword : text + 1;
        const char *major = close == ')' && type ? read_majorness(start, shape, stride) : NULL;
        const bool is_ordered = mapping_behind_word(whole, "make_ordered_layout(");
        if (!(text = major ? major : read_tree(start, stride, 0, fault)))
            return NULL;
        if (!major && is_ordered && !order_to_stride(shape, stride))
            return fail_at(start, "the order is not congruent with the shape", fault);
        if (!major && !is_ordered && strcmp(shape->form, stride->form) != 0)
            return fail_at(start, "the stride is not congruent with the shape", fault);
        text = skip_blanks(text);
    }
    if (type && *text++ != close)
        return fail_at(text - 1, close == '>' ? "a '>' is missing" : "a ')' is missing", fault);
    text = skip_blanks(close == '>' ? skip_braces(text) : text);
    return type && *text == ';' ? skip_blanks(text + 1) : text;
}

const char *mapping_modes_read(const char *text, struct mapping_modes *modes, unsigned rank,
                               unsigned *count, struct mapping_modes_fault *fault) {
    struct tree shape = {.form = ""}, stride = {.is_stride = true};
    const char *rest = read_trees(text, rank, &shape, &stride, fault);
    if (!rest)
        return NULL;
    uint64_t size = 1;
    *count = rank > 0 ? shape.mode_count : 1;
    for (unsigned m = 0; m < *count; m++)
        modes[m].count = 0;
    for (unsigned leaf = 0; leaf < shape.leaf_count; leaf++) {
        struct mapping_modes *mode = &modes[rank > 0 ? shape.modes[leaf] : 0];
        /* By default a mode of size 1 has stride 0. */
        const uint32_t compact = shape.leaves[leaf] == 1 ? 0 : (uint32_t)size;
        mode->shape[mode->count] = shape.leaves[leaf];
        mode->stride[mode->count++] = stride.leaf_count > 0 ? stride.leaves[leaf] : compact;
        size *= shape.leaves[leaf];
        if (size == 0)
            return fail_at(text, "a mode has size 0", fault);
        if (size > MODES_SIZE_MAX)
            return fail_at(text, "a layout has at most 2^20 elements", fault);
    }
    return rest;
}

/* ---- Values ---- */

uint32_t mapping_modes_size(const struct mapping_modes *modes) {
    uint32_t size = 1;
    for (uint32_t m = 0; m < modes->count; m++)
        size *= modes->shape[m];
    return size;
}

uint32_t mapping_modes_at(const struct mapping_modes *modes, uint32_t argument) {
    uint32_t value = 0;
    for (uint32_t m = 0; m + 1 < modes->count; m++) {
        value += argument % modes->shape[m] * modes->stride[m];
        argument /= modes->shape[m];
    }
    return modes->count > 0 ? value + argument * modes->stride[modes->count - 1] : 0;
}

uint32_t mapping_swizzled(const struct mapping_swizzle *swizzle, uint32_t value) {
    uint32_t mask = ((UINT32_C(1) << swizzle->bits) - 1) << swizzle->base;
    return value ^ (swizzle->shift < 0 ? (value & mask) << -swizzle->shift
                                       : value >> swizzle->shift & mask);
}

uint32_t mapping_cute_fill(const struct mapping_cute *cute, uint32_t start, uint32_t *values) {
    size_t count = 1;
    uint32_t largest = 0;
    values[0] = start;
    for (uint32_t a = cute->count; a-- > 0;) {
        const uint32_t size = mapping_modes_size(&cute->axis[a]);
        const size_t inner = count; /* the entries where this coordinate is 0 */
        for (uint32_t x = 1; x < size; x++) {
            const uint32_t added = mapping_modes_at(&cute->axis[a], x);
            for (size_t n = 0; n < inner; n++)
                values[count++] = values[n] + added;
        }
    }
    for (size_t n = 0; n < count; n++) {
        values[n] = mapping_swizzled(&cute->swizzle, values[n]);
        largest = values[n] > largest ? values[n] : largest;
    }
    return largest;
}

/* ---- Finding ----
 *
 * A layout of CuTe is a sum over the axes, and along an axis a sum over the digits of a mixed-radix
 * number. So the modes of an axis can be found digit by digit from the values at which all other
 * coordinates are 0. The stride is the value where the digit is 1. The digit ends at the first
 * value that is not a multiple of the stride. Then the layout is compared at all points. */

/* The largest divisor of `size` that is at most `limit`; at least 1. */
static uint32_t divisor_below(uint32_t size, uint32_t limit) {
    uint32_t divisor = limit < size ? limit : size;
    while (divisor > 1 && size % divisor != 0)
        divisor--;
    return divisor;
}

/* Finds the modes of one axis from its values, which are `step` apart. */
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

/* True if each coordinate along this axis adds the number that the modes give, for all coordinates
 * of the axes inside it. */
static bool adds_up(const uint32_t *values, size_t step, uint32_t size,
                    const struct mapping_swizzle *swizzle, const struct mapping_modes *modes) {
    uint32_t difference = 0;
    for (uint32_t x = 1; x < size && difference == 0; x++) {
        const uint32_t added = mapping_modes_at(modes, x), *there = values + x * step;
        for (size_t n = 0; n < step; n++)
            difference |= mapping_swizzled(swizzle, there[n]) ^
                          (mapping_swizzled(swizzle, values[n]) + added);
    }
    return difference == 0;
}

/* True if the last of all values is the sum of the last values along each axis: a fast test that
 * most swizzles fail. */
static bool may_add_up(const struct mapping_space *from, const uint32_t *values,
                       const struct mapping_swizzle *swizzle) {
    size_t step = 1, last = 0;
    uint32_t sum = 0;
    for (uint32_t a = from->count; a-- > 0; step *= from->axis[a].size) {
        sum += mapping_swizzled(swizzle, values[(from->axis[a].size - 1) * step]);
        last += (from->axis[a].size - 1) * step;
    }
    return mapping_swizzled(swizzle, values[last]) == sum;
}

/* Finds the layout that has these values before the swizzle, which is its own inverse. Begins with
 * the innermost axis, so that at the end every value has been compared. */
static bool find_behind(const struct mapping_space *from, const uint32_t *values,
                        struct mapping_cute *cute) {
    size_t step = 1;
    uint64_t largest = 0; /* sums have 32 bits and must not wrap */
    if (values[0] != 0 || !may_add_up(from, values, &cute->swizzle))
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
    for (int bits = 1; bits <= BITS_MAX; bits++)
        for (int base = 0; base <= BASE_MAX; base++)
            for (int shift = bits; shift <= SHIFT_MAX; shift++) {
                cute->swizzle = (struct mapping_swizzle){bits, base, shift};
                if (find_behind(from, values, cute))
                    return true;
            }
    return false;
}

/* ---- Printing ---- */

/* A text to which snprintf-like functions append. */
struct text {
    char *text;
    size_t size, length;
};

static void append_text(struct text *to, const char *piece) {
    for (; *piece; piece++, to->length++)
        if (to->length + 1 < to->size) {
            to->text[to->length] = *piece;
            to->text[to->length + 1] = '\0';
        }
}

/* A way to write a layout. */
struct form {
    const char *swizzle, *start; /* text before the shape */
    const char *open[2], *close; /* around the shapes, and strides, of an axis with several modes */
    const char *number, *between, *end;
};

/* Prints the shape or the stride of an axis. */
static void print_axis(struct text *to, const struct mapping_modes *modes, bool is_stride,
                       const struct form *form) {
    const uint32_t *numbers = is_stride ? modes->stride : modes->shape;
    char number[24];
    append_text(to, modes->count > 1 ? form->open[is_stride] : "");
    for (uint32_t m = 0; m < modes->count || m == 0; m++) {
        uint32_t value = m < modes->count ? numbers[m] : !is_stride;
        snprintf(number, sizeof number, form->number, m > 0 ? "," : "", value);
        append_text(to, number);
    }
    append_text(to, modes->count > 1 ? form->close : "");
}

static size_t print_cute(const struct mapping_cute *cute, const struct form *form, char *text,
                         size_t size) {
    const struct mapping_swizzle *swizzle = &cute->swizzle;
    struct text to = {text, size, 0};
    char start[40];
    snprintf(start, sizeof start, form->swizzle, swizzle->bits, swizzle->base, swizzle->shift);
    append_text(&to, swizzle->bits > 0 ? start : "");
    append_text(&to, form->start);
    for (int is_stride = 0; is_stride < 2; is_stride++) {
        append_text(&to, is_stride ? form->between : "");
        append_text(&to, cute->count > 1 ? form->open[is_stride] : "");
        for (uint32_t a = 0; a < cute->count; a++) {
            append_text(&to, a > 0 ? "," : "");
            print_axis(&to, &cute->axis[a], is_stride, form);
        }
        append_text(&to, cute->count > 1 ? form->close : "");
    }
    append_text(&to, form->end);
    append_text(&to, swizzle->bits > 0 ? form->end : "");
    return to.length;
}

size_t mapping_cute_print(const struct mapping_cute *cute, char *text, size_t size) {
    static const struct form plain = {"Sw<%d,%d,%d> o 0 o ", "", {"(", "("}, ")", "%s%u", ":", ""};
    return print_cute(cute, &plain, text, size);
}

size_t mapping_cute_print_type(const struct mapping_cute *cute, char *text, size_t size) {
    static const struct form type = {"ComposedLayout<Swizzle<%d,%d,%d>,_0,",
                                     "Layout<",
                                     {"Shape<", "Stride<"},
                                     ">",
                                     "%s_%u",
                                     ",",
                                     ">"};
    return print_cute(cute, &type, text, size);
}

void mapping_cute_put_stages_last(const struct mapping_space *from, struct mapping_cute *cute) {
    if (from->count == 0 || strcmp(from->axis[0].name, MAPPING_AXIS_STAGE) != 0)
        return;
    const struct mapping_modes stages = cute->axis[0];
    for (uint32_t a = 0; a + 1 < cute->count; a++)
        cute->axis[a] = cute->axis[a + 1];
    cute->axis[cute->count - 1] = stages;
}
