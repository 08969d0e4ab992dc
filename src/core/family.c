/* family.c - fragments out of the families that the catalogue writes down. */
#include "family.h"

#include <stdio.h>
#include <string.h>

const char *mapping_instruction_name(enum mapping_instruction instruction) {
    static const char *const names[MAPPING_INSTRUCTIONS] = {
        "wmma", "mma", "mma.sp", "ldmatrix", "stmatrix", "movmatrix", "wgmma", "wgmma.sp"};
    return names[instruction];
}

static const struct {
    char letter;
    const char *name;
} layouts[MAPPING_LAYOUTS] = {
    [MAPPING_NO_LAYOUT] = {'-', ""},    [MAPPING_ROW_MAJOR] = {'r', "row"},
    [MAPPING_COL_MAJOR] = {'c', "col"}, [MAPPING_TRANSPOSED] = {'t', "trans"},
    [MAPPING_SCALE_1X] = {'1', "1x"},   [MAPPING_SCALE_2X] = {'2', "2x"},
    [MAPPING_SCALE_4X] = {'4', "4x"},
};

const char *mapping_layout_name(enum mapping_layout layout) {
    return layouts[layout].name;
}

enum mapping_layout family_layout(char letter) {
    int layout = MAPPING_NO_LAYOUT;
    while (layout + 1 < MAPPING_LAYOUTS && layouts[layout].letter != letter)
        layout++;
    return (enum mapping_layout)layout;
}

/* Operands with their letters. */
static const struct {
    char letter;
    const char *name;
} operands[] = {{'a', "a"},   {'b', "b"},   {'c', "c"}, {'d', "d"}, {'e', "e"},
                {'x', "sfa"}, {'y', "sfb"}, {'r', "r"}, {'p', "p"}};

const char *mapping_operand_name(char operand) {
    for (size_t o = 0; o < sizeof operands / sizeof *operands; o++)
        if (operands[o].letter == operand)
            return operands[o].name;
    return "";
}

char mapping_operand_find(const char *name) {
    for (size_t o = 0; o < sizeof operands / sizeof *operands; o++)
        if (strcmp(operands[o].name, name) == 0)
            return operands[o].letter;
    return 0;
}

/* Rows and columns of an operand. Sparse A and its metadata have half the columns of the A that
 * is multiplied. */
static void set_size(struct mapping_fragment *fragment) {
    struct mapping_shape shape = fragment->shape;
    bool sparse =
        fragment->instruction == MAPPING_MMA_SP || fragment->instruction == MAPPING_WGMMA_SP;
    uint32_t k = sparse && fragment->operand != 'b' ? shape.k / 2U : shape.k;
    uint32_t factors = fragment->layout == MAPPING_SCALE_4X   ? 4
                       : fragment->layout == MAPPING_SCALE_2X ? 2
                                                              : 1;
    switch (fragment->operand) {
    case 'a':
        fragment->rows = shape.m;
        fragment->cols = fragment->instruction == MAPPING_MOVMATRIX ? shape.n : k;
        break;
    case 'e': /* of 4 bits an index is for a pair, unless they lie in 8, as e2m1 in m16n8k64 */
        fragment->rows = shape.m;
        fragment->cols = mapping_type_bits(fragment->type) != 4 ||
                                 (fragment->type == MAPPING_E2M1 && shape.k == 64)
                             ? k
                             : k / 2;
        break;
    case 'b':
        fragment->rows = k;
        fragment->cols = shape.n;
        break;
    case 'x':
        fragment->rows = shape.m;
        fragment->cols = factors;
        break;
    case 'y':
        fragment->rows = factors;
        fragment->cols = shape.n;
        break;
    case 'p':
        fragment->rows = shape.m;
        fragment->cols = 1;
        break;
    default:
        fragment->rows = shape.m;
        fragment->cols = shape.n;
    }
}

/* The matrices of an operand. mma.m8n8k4 in half precision multiplies four at once; ldmatrix and
 * stmatrix move as many as the shape says. */
static uint32_t count_blocks(const struct family *family) {
    switch (family->instruction) {
    case MAPPING_LDMATRIX:
    case MAPPING_STMATRIX:
        return family->shape.k;
    case MAPPING_MMA:
        return family->bases && strrchr(family->bases, '|') != strchr(family->bases, '|') ? 4 : 1;
    default:
        return 1;
    }
}

static struct mapping_fragment make(const struct family *family, enum mapping_type type,
                                    enum mapping_layout layout, uint16_t width) {
    struct mapping_fragment fragment = {
        .instruction = family->instruction,
        .shape = family->shape,
        .operand = family->operand,
        .layout = layout,
        .type = type,
        .bits = family->bits ? family->bits : mapping_type_bits(type),
        .blocks = count_blocks(family),
        .threads = 32,
        .registers = family->registers,
        .since = family->since,
        .until = family->until,
        .ptx = family->ptx,
        .section = family->section,
        .bases = family->bases,
    };
    fragment.shape.n = width;
    set_size(&fragment);
    if (family->instruction == MAPPING_WGMMA || family->instruction == MAPPING_WGMMA_SP)
        fragment.threads = 128;
    else if (family->operand == 'p')
        fragment.threads = 8 * fragment.blocks;
    if (fragment.registers == 0)
        fragment.registers =
            fragment.blocks * fragment.rows * fragment.cols * fragment.bits / 32 / fragment.threads;
    fragment.elements = fragment.registers * 32 / fragment.bits;
    return fragment;
}

uint16_t wgmma_width(uint32_t types, size_t index) {
    /* PTX ISA, "Register Fragments and Shared Memory Matrix Layouts": of integers and single bits
     * there are fewer. */
    static const uint16_t some[] = {8,   16,  24,  32,  48,  64,  80,  96,  112,
                                    128, 144, 160, 176, 192, 208, 224, 240, 256};
    static const uint32_t integers =
        1 << MAPPING_S32 | 1 << MAPPING_S8 | 1 << MAPPING_U8 | 1 << MAPPING_B1;
    if (types & integers)
        return index < sizeof some / sizeof *some ? some[index] : 0;
    return index < 32 ? (uint16_t)(8 * index + 8) : 0;
}

/* How many widths a family has. */
static size_t count_widths(const struct family *family) {
    size_t count = 1;
    if (family->shape.n == 0)
        while (wgmma_width(family->types, count) != 0)
            count++;
    return count;
}

enum mapping_type nth_type(uint32_t types, size_t n) {
    for (; n > 0; n--)
        types &= types - 1;
    return (enum mapping_type)__builtin_ctz(types);
}

bool mapping_catalogue_at(size_t index, struct mapping_fragment *fragment) {
    for (size_t f = 0; f < family_count; f++) {
        const struct family *family = &families[f];
        size_t layout_count = strlen(family->layouts), width_count = count_widths(family);
        size_t members = (size_t)__builtin_popcount(family->types) * layout_count * width_count;
        if (index < members) {
            size_t width = index % width_count, layout = index / width_count % layout_count;
            *fragment = make(family, nth_type(family->types, index / width_count / layout_count),
                             family_layout(family->layouts[layout]),
                             family->shape.n ? family->shape.n : wgmma_width(family->types, width));
            return true;
        }
        index -= members;
    }
    return false;
}

/* True if the family has this width. */
static bool has_width(const struct family *family, uint16_t width) {
    if (family->shape.n != 0)
        return family->shape.n == width;
    for (size_t w = 0; wgmma_width(family->types, w) != 0; w++)
        if (wgmma_width(family->types, w) == width)
            return true;
    return false;
}

bool family_find(const struct mapping_fragment *wanted, struct mapping_fragment *fragment) {
    for (size_t f = 0; f < family_count; f++) {
        const struct family *family = &families[f];
        if (family->instruction == wanted->instruction && family->operand == wanted->operand &&
            family->shape.m == wanted->shape.m && family->shape.k == wanted->shape.k &&
            family->types >> wanted->type & 1 &&
            strchr(family->layouts, layouts[wanted->layout].letter) &&
            has_width(family, wanted->shape.n)) {
            *fragment = make(family, wanted->type, wanted->layout, wanted->shape.n);
            return true;
        }
    }
    return false;
}

bool mapping_fragment_equal(const struct mapping_fragment *a, const struct mapping_fragment *b) {
    return a->instruction == b->instruction && a->shape.m == b->shape.m &&
           a->shape.n == b->shape.n && a->shape.k == b->shape.k && a->operand == b->operand &&
           a->layout == b->layout && a->type == b->type;
}

bool mapping_fragment_on(const struct mapping_fragment *fragment, unsigned arch) {
    return fragment->since <= arch && (fragment->until == 0 || arch <= fragment->until);
}

/* Writes m16n16k16, or for matrices that are only moved m8n8.x4. */
static void print_shape(const struct mapping_fragment *fragment, char text[24]) {
    struct mapping_shape shape = fragment->shape;
    if (fragment->instruction == MAPPING_MOVMATRIX)
        snprintf(text, 24, "m%un%u", shape.m, shape.n);
    else if (fragment->instruction == MAPPING_LDMATRIX || fragment->instruction == MAPPING_STMATRIX)
        snprintf(text, 24, "m%un%u.x%u", shape.m, shape.n, shape.k);
    else
        snprintf(text, 24, "m%un%uk%u", shape.m, shape.n, shape.k);
}

void mapping_fragment_name(const struct mapping_fragment *fragment, char name[MAPPING_NAME_SIZE]) {
    char shape[24];
    print_shape(fragment, shape);
    snprintf(name, MAPPING_NAME_SIZE, "%s.%s.%s%s%s.%s",
             mapping_instruction_name(fragment->instruction), shape,
             mapping_operand_name(fragment->operand),
             fragment->layout == MAPPING_NO_LAYOUT ? "" : ".",
             mapping_layout_name(fragment->layout), mapping_type_name(fragment->type));
}
