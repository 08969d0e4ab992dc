/* tensor_memory_test.c - the layouts and shapes of Tensor Memory.
 *
 * Tests every fragment of tcgen05, in every width, at every entry. The expected values are rules of
 * the PTX ISA 9.1, written here a second time with divisions and remainders, for each operand
 * separately. The PTX ISA shows some layouts only in figures (9.7.16.2.3.1, 9.7.16.10.5, .7 and
 * .8); tensor_memory.t compares these with CUTLASS and Triton.
 *
 * Expected values: the PTX ISA, as separate formulae. */
#include "catalogue/fragment.h"
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- Table 39, 9.7.16.2.1: shapes ---- */

struct form {
    const char *name;
    enum mapping_instruction instruction;
    bool is_pair, is_ws, is_sparse;
};

static const struct form forms[] = {
    {"tcgen05.mma", MAPPING_TCGEN05_MMA, false, false, false},
    {"tcgen05.mma.sp", MAPPING_TCGEN05_MMA_SP, false, false, true},
    {"tcgen05.mma.cta2", MAPPING_TCGEN05_MMA_CTA2, true, false, false},
    {"tcgen05.mma.cta2.sp", MAPPING_TCGEN05_MMA_CTA2_SP, true, false, true},
    {"tcgen05.mma.ws", MAPPING_TCGEN05_MMA_WS, false, true, false},
    {"tcgen05.mma.ws.sp", MAPPING_TCGEN05_MMA_WS_SP, false, true, true},
};

enum kind { F16, TF32, F8F6F4, I8, MXF8F6F4, MXF4, MXF4NVF4, MXF4_96, KINDS };

/* K is that of dense matrices, twice as much of sparse ones. Scales: numbers of factors, one by a
 * letter, "1x.ue8m0". */
static const struct {
    int k;
    bool is_scaled;
    const char *a[6], *d[3], *scales[4];
} kinds[KINDS] = {
    [F16] = {16, false, {"f16", "bf16"}, {"f16", "f32"}, {NULL}},
    [TF32] = {8, false, {"tf32"}, {"f32"}, {NULL}},
    [F8F6F4] = {32, false, {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"}, {"f32", "f16"}, {NULL}},
    [I8] = {32, false, {"s8", "u8"}, {"s32"}, {NULL}},
    [MXF8F6F4] = {32, true, {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"}, {"f32"}, {"1x.ue8m0", NULL}},
    [MXF4] = {64, true, {"e2m1"}, {"f32"}, {"2x.ue8m0", NULL}},
    [MXF4NVF4] = {64, true, {"e2m1"}, {"f32"}, {"2x.ue8m0", "4x.ue8m0", "4x.ue4m3", NULL}},
    [MXF4_96] = {96, true, {"e2m1"}, {"f32"}, {"3x.ue8m0", "6x.ue8m0", "6x.ue4m3", NULL}},
};

static bool has_m(const struct form *form, enum kind kind, int m) {
    if (kinds[kind].is_scaled) {
        if (form->is_ws || (kind == MXF4_96 && form->is_sparse))
            return false;
        if (!form->is_pair)
            return m == 128;
        return m == 256 || (m == 128 && !form->is_sparse && kind != MXF4_96);
    }
    if (form->is_ws)
        return m == 32 || m == 64 || m == 128;
    return form->is_pair ? m == 128 || m == 256 : m == 64 || m == 128;
}

static bool has_n(const struct form *form, enum kind kind, int n) {
    if (form->is_ws)
        return n == 64 || n == 128 || (n == 256 && !form->is_sparse);
    if (n > 256 || n <= 0)
        return false;
    if (form->is_pair)
        return n % (kind == I8 ? 32 : 16) == 0;
    return n % (kind == I8 && n > 32 ? 16 : 8) == 0;
}

static bool is_legal(const struct form *form, enum kind kind, int m, int n, int k) {
    return k == kinds[kind].k * (form->is_sparse ? 2 : 1) && has_m(form, kind, m) &&
           has_n(form, kind, n);
}

/* Finds one fragment by its name; false if there is none. */
static bool find(struct mapping_fragment *fragment, const char *name) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    size_t count = mapping_catalogue_find(name, found);
    assert_in_range(count, 0, 1);
    *fragment = found[0];
    return count == 1;
}

/* ---- Rules: where an element is ---- */

/* The shape of the product, and the width of a row of A and of metadata as stored. */
struct product {
    int m, n, k;
    bool is_pair, is_ws, is_sparse;
};

struct place {
    int cta, lane, column, bit;
};

/* The table of 9.7.16.10.5. */
static char layout_of(const struct product *p) {
    if (p->is_pair && p->m == 256)
        return 'A';
    if (p->is_pair)
        return (char)(p->is_sparse ? 'C' : 'B');
    if (p->m == 128)
        return 'D';
    if (p->m == 32)
        return 'G';
    return (char)(p->is_ws ? 'E' : 'F');
}

/* The CTA and the lane of a row, of the first columns. */
static struct place row_place(const struct product *p, int row) {
    switch (layout_of(p)) {
    case 'A':
        return (struct place){.cta = row / 128, .lane = row % 128};
    case 'B':
        return (struct place){.cta = row / 64, .lane = row % 64};
    case 'C': /* 16 rows in each 32 lanes */
        return (struct place){.cta = row / 64, .lane = row % 64 / 16 * 32 + row % 16};
    case 'F':
        return (struct place){.lane = row / 16 * 32 + row % 16};
    default:
        return (struct place){.lane = row};
    }
}

/* The number of parts of the columns, one above the other: 9.7.16.10.5, and for .ws 9.7.16.4.3. */
static int column_parts(const struct product *p) {
    char layout = layout_of(p);
    return layout == 'G' ? 4 : layout == 'E' || layout == 'B' ? 2 : 1;
}

/* 9.7.16.10.5; an element of D takes a column, f16 its lower half (9.7.16.10.4.1). */
static struct place d_place(const struct product *p, int row, int col) {
    struct place place = row_place(p, row);
    int width = p->n / column_parts(p);
    if (width == 0)
        abort();
    place.lane += col / width * (128 / column_parts(p));
    place.column = col % width;
    return place;
}

/* 9.7.16.10.4: elements are adjacent, the first one lowest; for f8f6f4 and mxf8f6f4 each is in a
 * byte, those of 4 bits in its middle. */
static struct place a_place(const struct product *p, int row, int col, int copy, int bits,
                            bool is_four_in_a_byte) {
    struct place place = row_place(p, row);
    place.lane += 64 * copy;
    place.column = col * bits / 32;
    place.bit = col * bits % 32 + (is_four_in_a_byte ? 2 : 0);
    return place;
}

/* The byte that the ID selects, out of the IDs that exist for that number of factors. */
static int first_byte(int factors, int id) {
    return factors == 2 || factors == 6 ? 2 * id : id;
}

/* 9.7.16.10.7.2 and .3: of a row of A or column of B; each in all four quarters of the lanes. Of a
 * pair each CTA has its rows of A, and all columns of B. Of K = 96 factors go on behind the columns
 * of the first four: 4 of them, 8 where N is above 128. */
static struct place factor_place(const struct product *p, bool is_of_a, int line, int factor,
                                 int copy, int id, int factors) {
    int lines = is_of_a && p->is_pair ? p->m / 2 : 256, byte = factor + first_byte(factors, id);
    return (struct place){
        .cta = !p->is_pair ? 0
               : is_of_a   ? line / lines
                           : copy / 4,
        .lane = line % 32 + copy % 4 * 32,
        .column = line % lines / 32 + byte / 4 * (!is_of_a && p->n > 128 ? 8 : 4),
        .bit = byte % 4 * 8,
    };
}

/* B of a pair with M = 128, by CUTLASS 4.2, mma_traits_sm100.hpp: either half of N has half of the
 * lanes, in both of its quarters. */
static bool is_in_halves(const struct product *p) {
    return p->is_pair && p->m == 128;
}

static struct place halved_factor_place(const struct product *p, int line, int factor, int copy,
                                        int id, int factors) {
    int half = p->n / 2, byte = factor + first_byte(factors, id);
    return (struct place){
        .cta = copy / 2,
        .lane = line % half % 32 + copy % 2 * 32 + line / half * 64,
        .column = line % half / 32,
        .bit = byte * 8,
    };
}

/* How many IDs there are: 9.7.16.10.7.2 has their drawings. */
static int id_count(int factors) {
    return factors == 1 || factors == 3 ? 4 : factors == 4 ? 1 : 2;
}

/* 9.7.16.10.8: of elements of 8 and 4 bits a row has 64 bits of metadata, in two columns. */
static struct place narrow_e_place(const struct product *p, int row, int col, int copy) {
    struct place place = row_place(p, row);
    place.lane += 128 / column_parts(p) * copy;
    place.column = 2 * col / 32;
    place.bit = 2 * col % 32;
    return place;
}

/* The same: of 16 and 32 bits it has 32; of rows r and r + 8 the first halves share a column in
 * lane r, the second halves in lane r + 8. */
static struct place wide_e_place(const struct product *p, int row, int col, int copy, int selector,
                                 int bits) {
    struct place place = row_place(p, row / 16 * 16 + row % 8 + bits * col / 16 * 8);
    place.lane += 128 / column_parts(p) * copy;
    place.column = selector;
    place.bit = row % 16 / 8 * 16 + bits * col % 16;
    return place;
}

/* ---- The rows of the catalogue ---- */

static struct product product_of(const struct form *form, const struct mapping_fragment *fragment,
                                 int n) {
    return (struct product){.m = fragment->shape.m,
                            .n = n,
                            .k = fragment->shape.k,
                            .is_pair = form->is_pair,
                            .is_ws = form->is_ws,
                            .is_sparse = form->is_sparse};
}

static int element_bits(const struct mapping_fragment *fragment) {
    switch (fragment->type) {
    case MAPPING_TF32:
        return 32;
    case MAPPING_F16:
    case MAPPING_BF16:
        return 16;
    case MAPPING_E2M1: /* of mxf4 and mxf4nvf4 that is all, of the others a byte */
        return fragment->shape.k >=
                       (mapping_instruction_is_sparse(fragment->instruction) ? 128 : 64)
                   ? 4
                   : 8;
    default:
        return 8;
    }
}

static struct place rule(const struct product *p, const struct mapping_fragment *fragment, int row,
                         int col, int copy, int choice) {
    int bits = element_bits(fragment);
    switch (fragment->operand) {
    case MAPPING_D:
        return d_place(p, row, col);
    case MAPPING_A:
        return a_place(p, row, col, copy, bits, fragment->type == MAPPING_E2M1 && bits == 8);
    case MAPPING_SFA:
        return factor_place(p, true, row, col, copy, choice, fragment->scale_vector);
    case MAPPING_SFB:
        if (is_in_halves(p))
            return halved_factor_place(p, col, row, copy, choice, fragment->scale_vector);
        return factor_place(p, false, col, row, copy, choice, fragment->scale_vector);
    default:
        return bits >= 16 ? wide_e_place(p, row, col, copy, choice, bits == 32 ? 4 : 2)
                          : narrow_e_place(p, row, col, copy);
    }
}

/* Rows, columns, copies and choices that an operand must have. */
struct extent {
    int rows, cols, copies, choices;
};

static struct extent extent_of(const struct product *p, const struct mapping_fragment *fragment) {
    int bits = element_bits(fragment), held = p->is_sparse ? p->k / 2 : p->k,
        vector = fragment->scale_vector, ids = id_count(vector);
    switch (fragment->operand) {
    case MAPPING_D:
        return (struct extent){p->m, p->n, 1, 1};
    case MAPPING_A:
        return (struct extent){p->m, held, layout_of(p) == 'B' ? 2 : 1, 1};
    case MAPPING_SFA:
        return (struct extent){p->m, vector, 4, ids};
    case MAPPING_SFB:
        return (struct extent){vector, p->n, p->is_pair && !is_in_halves(p) ? 8 : 4, ids};
    default: /* of 4 bits there is one index for two elements */
        return (struct extent){p->m, bits == 4 ? held / 2 : held, column_parts(p),
                               bits >= 16 ? 2 : 1};
    }
}

/* The expected coordinate along an axis of the target at an entry. */
static int expected_at(const struct mapping_axis *axis, const struct place *place) {
    if (strcmp(axis->name, MAPPING_AXIS_CTA) == 0)
        return place->cta;
    if (strcmp(axis->name, MAPPING_AXIS_LANE) == 0)
        return place->lane;
    if (strcmp(axis->name, MAPPING_AXIS_COLUMN) == 0)
        return place->column;
    assert_string_equal(axis->name, MAPPING_AXIS_BIT);
    return place->bit;
}

/* Compares one entry. A place that is no axis is 0. */
static void check_entry(const struct mapping_layout *layout, size_t entry,
                        const struct place *place, const char *name) {
    int sum = 0;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        int expected = expected_at(&layout->to.axis[c], place);
        sum += expected;
        if ((int)layout->coordinate[c][entry] != expected)
            fail_msg("%s: %s of entry %zu is %u, not %d", name, layout->to.axis[c].name, entry,
                     layout->coordinate[c][entry], expected);
    }
    assert_int_equal(sum, place->cta + place->lane + place->column + place->bit);
}

/* Checks that it is said to take as many columns as it reaches. Scale
 * factors of B may take more. */
static void check_columns(const struct mapping_fragment *fragment,
                          const struct mapping_layout *layout, uint32_t last, const char *name) {
    const uint32_t reached = last + 1;
    const struct mapping_axis *column = &layout->to.axis[layout->to.count - 1];
    column -= strcmp(column->name, MAPPING_AXIS_BIT) == 0;
    assert_string_equal(column->name, MAPPING_AXIS_COLUMN);
    if (fragment->operand == MAPPING_SFB ? column->size < reached : column->size != reached)
        fail_msg("%s takes %u columns, not %u", name, reached, column->size);
}

/* Compares all entries of a fragment, and returns how many there are. */
static size_t check_fragment(const struct form *form, const struct mapping_fragment *fragment,
                             int n) {
    const struct product p = product_of(form, fragment, n);
    const struct extent size = extent_of(&p, fragment);
    struct mapping_layout layout;
    struct mapping_error error;
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    assert_int_equal(mapping_fragment_state(fragment, &layout, &error), MAPPING_OK);
    size_t entry = 0, count = mapping_layout_entries(&layout);
    int expected = size.rows * size.cols * size.copies * size.choices, last = 0;
    if (count != (size_t)expected)
        fail_msg("%s has %zu entries", name, count);
    for (int row = 0; row < size.rows; row++)
        for (int col = 0; col < size.cols; col++)
            for (int copy = 0; copy < size.copies; copy++)
                for (int choice = 0; choice < size.choices; choice++) {
                    const struct place place = rule(&p, fragment, row, col, copy, choice);
                    check_entry(&layout, entry++, &place, name);
                    last = place.column > last ? place.column : last;
                }
    check_columns(fragment, &layout, (uint32_t)last, name);
    mapping_layout_free(&layout);
    return count;
}

static const struct form *form_of(enum mapping_instruction instruction) {
    for (size_t f = 0; f < COUNT(forms); f++)
        if (forms[f].instruction == instruction)
            return &forms[f];
    return NULL;
}

/* The fragment with another width. */
static void widen(const struct mapping_fragment *listed, uint16_t n,
                  struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    struct mapping_fragment wide = *listed;
    wide.shape.n = n;
    mapping_fragment_name(&wide, name);
    assert_true(find(fragment, name));
}

static void every_operand_lies_as_the_isa_says(void **state) {
    (void)state;
    struct mapping_fragment listed, fragment;
    size_t fragments = 0, entries = 0, number = 0, step = one_in(11, 41);
    for (size_t index = 0; mapping_catalogue_at(index, &listed); index++) {
        const struct form *form = form_of(listed.instruction);
        if (listed.place != MAPPING_IN_TENSOR_MEMORY ||
            !mapping_instruction_multiplies(listed.instruction)) /* copies: copies_test.c */
            continue;
        assert_non_null(form);
        size_t widths = listed.shape.n ? listed.widths->count : 1;
        for (size_t w = 0; w < widths; w++) {
            if (!is_in_sample(number++, step))
                continue;
            widen(&listed, listed.shape.n ? listed.widths->n[w] : 0, &fragment);
            entries += check_fragment(form, &fragment, fragment.shape.n);
            fragments++;
        }
    }
    printf("# %zu fragments, %zu entries\n", fragments, entries);
    assert_true(fragments > 1000 / step && entries > 5000000 / step);
}

/* ---- 9.7.16.2.3.1: tcgen05.ld and tcgen05.st ---- */

/* The lane and column of what thread t has in register i. */
static struct place moved_place(int lanes, int bits, int t, int i) {
    switch (bits) {
    case 64:
        return (struct place){.lane = t / 4 + t % 2 * 8, .column = t / 2 % 2 + 2 * i};
    case 128:
        return (struct place){.lane = t / 4 + i % 2 * 8, .column = t % 4 + i / 2 * 4};
    case 256:
        return (struct place){.lane = t / 4 + i / 2 % 2 * 8,
                              .column = t % 4 * 2 + i % 2 + i / 4 * 8};
    default:
        return (struct place){.lane = t % lanes, .column = i};
    }
}

/* Halves: i / 2 is the register, and each takes a column (9.7.16.8.2). Threads 16 to 31 of
 * .16x32bx2 are immHalfSplitoff columns behind, here as many as the others load. */
static struct place moved_element(int lanes, int bits, int repeats, bool is_packed, int t, int i) {
    struct place place = moved_place(lanes, bits, t, is_packed ? i / 2 : i);
    if (is_packed)
        place.column = 2 * place.column + i % 2;
    if (lanes == 16 && bits == 32)
        place.column += t / 16 * (is_packed ? 2 * repeats : repeats);
    return place;
}

static size_t check_move(const char *name, int lanes, int bits, int repeats, bool is_packed) {
    struct mapping_fragment fragment;
    struct mapping_layout layout;
    struct mapping_error error;
    int registers = bits <= 64 ? repeats : bits / 64 * repeats,
        elements = is_packed ? 2 * registers : registers;
    if (!find(&fragment, name))
        fail_msg("there is no %s", name);
    assert_int_equal(fragment.registers, registers);
    assert_int_equal(mapping_fragment_state(&fragment, &layout, &error), MAPPING_OK);
    assert_int_equal(mapping_layout_entries(&layout), 32 * elements);
    assert_int_equal(layout.to.axis[0].size, lanes);
    assert_int_equal(layout.to.axis[1].size, 32 * elements / lanes);
    for (int t = 0; t < 32; t++)
        for (int i = 0; i < elements; i++) {
            const struct place place = moved_element(lanes, bits, repeats, is_packed, t, i);
            check_entry(&layout, (size_t)t * (size_t)elements + (size_t)i, &place, name);
        }
    mapping_layout_free(&layout);
    return 32 * (size_t)elements;
}

static void every_load_and_store_moves_as_the_isa_says(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int lanes, bits, most;
    } shapes[] = {{"32x32b", 32, 32, 128},
                  {"16x64b", 16, 64, 128},
                  {"16x128b", 16, 128, 64},
                  {"16x256b", 16, 256, 32},
                  {"16x32bx2", 16, 32, 128}};
    static const char *const endings[2][2] = {{"ld", "pack.b16"}, {"st", "unpack.b16"}};
    size_t found = 0, listed = 0, entries = 0;
    struct mapping_fragment fragment;
    char name[MAPPING_NAME_SIZE];
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (int x = 1; x <= 256; x++)
            for (int e = 0; e < 4; e++) {
                snprintf(name, sizeof name, "tcgen05.%s.%s.x%d.r.%s", endings[e / 2][0],
                         shapes[s].name, x, e % 2 ? endings[e / 2][1] : "b32");
                bool is_there = x <= shapes[s].most && (x & (x - 1)) == 0;
                if (is_there)
                    entries += check_move(name, shapes[s].lanes, shapes[s].bits, x, e % 2);
                else if (find(&fragment, name))
                    fail_msg("there is a %s", name);
                found += is_there;
            }
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++)
        listed += fragment.place == MAPPING_ACROSS;
    printf("# %zu fragments, %zu entries\n", found, entries);
    assert_int_equal(found, 148);
    assert_int_equal(listed, found);
}

/* ---- Fragments that exist and that do not ---- */

static const unsigned archs[] = {90, 100, 103, 110, 120, 121};

/* The architectures of a kind; 9.7.16.2.1.1, and the notes of 9.7.16.10.9 on targets. */
static bool is_on(enum kind kind, unsigned arch) {
    if (kind == MXF4_96)
        return arch == 103;
    return arch == 100 || arch == 110 || (arch == 103 && kind != I8);
}

/* Which of the architectures have a legal shape whose kind has the type, as a set. */
static unsigned where(const struct form *form, int m, int n, int k, const char *operand,
                      const char *type) {
    unsigned set = 0;
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const char *const *types = *operand == 'd'   ? kinds[kind].d
                                   : *operand == 's' ? kinds[kind].scales
                                                     : kinds[kind].a;
        bool has_type = false;
        for (; *types; types++)
            has_type |= strcmp(*types, type) == 0;
        for (unsigned a = 0; has_type && a < COUNT(archs); a++)
            if (is_legal(form, kind, m, n, k) && is_on(kind, archs[a]))
                set |= 1U << a;
    }
    return set;
}

/* The architectures that the catalogue has the operand on. */
static unsigned found_on(const char *name) {
    struct mapping_fragment fragment;
    unsigned set = 0;
    if (find(&fragment, name))
        for (unsigned a = 0; a < COUNT(archs); a++)
            set |= mapping_fragment_on(&fragment, archs[a]) ? 1U << a : 0;
    return set;
}

static void check_shape(const struct form *form, int m, int n, int k, const char *operand,
                        const char *type) {
    char name[MAPPING_NAME_SIZE];
    snprintf(name, sizeof name, "%s.m%dn%dk%d.%s.%s", form->name, m, n, k, operand, type);
    unsigned expected = where(form, m, n, k, operand, type), shown = found_on(name);
    /* A of .ws is stated for M = 128 alone; metadata is of sparse ones. */
    if ((*operand == 'a' && form->is_ws && m != 128) || (*operand == 'e' && !form->is_sparse))
        expected = 0;
    if (expected != shown)
        fail_msg("%s: found on %#x, is on %#x", name, shown, expected);
}

/* True if there is a legal shape with these rows and this depth. */
static bool has_widths(const struct form *form, int m, int k) {
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int n = 8; n <= 256; n += 8)
            if (is_legal(form, kind, m, n, k))
                return true;
    return false;
}

/* With valid rows and depth, each width is tried; otherwise one in N. */
static void shapes_are_those_of_the_isa(void **state) {
    (void)state;
    static const int rows[] = {16, 32, 48, 64, 96, 128, 192, 256, 512},
                     depths[] = {4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256};
    static const char *const results[] = {"f32", "f16", "s32", "bf16", "f64", "tf32", "e4m3"},
                             *const factors[] = {"1x.ue8m0", "2x.ue8m0", "4x.ue8m0", "3x.ue8m0",
                                                 "6x.ue8m0", "1x.ue4m3", "2x.ue4m3", "4x.ue4m3",
                                                 "3x.ue4m3", "6x.ue4m3"},
                             *const elements[] = {"f16",  "bf16", "tf32", "e4m3", "e5m2",
                                                  "e2m3", "e3m2", "e2m1", "s8",   "u8",
                                                  "s4",   "b1",   "f32",  "f64"};
    size_t number = 0;
    for (size_t f = 0; f < COUNT(forms); f++)
        for (size_t m = 0; m < COUNT(rows); m++)
            for (size_t k = 0; k < COUNT(depths); k++) {
                bool is_near = has_widths(&forms[f], rows[m], depths[k]);
                size_t step = one_in(is_near ? 1 : 29, 41);
                for (int n = 4; n <= 272; n += 4) {
                    if (!is_in_sample(number++, step))
                        continue;
                    for (size_t t = 0; t < COUNT(results); t++)
                        check_shape(&forms[f], rows[m], n, depths[k], "d", results[t]);
                    if (n % 24) /* of the others some will do */
                        continue;
                    for (size_t t = 0; t < COUNT(factors); t++) {
                        check_shape(&forms[f], rows[m], n, depths[k], "sfa", factors[t]);
                        check_shape(&forms[f], rows[m], n, depths[k], "sfb", factors[t]);
                    }
                    for (size_t t = 0; t < COUNT(elements); t++) {
                        check_shape(&forms[f], rows[m], n, depths[k], "a", elements[t]);
                        check_shape(&forms[f], rows[m], n, depths[k], "e", elements[t]);
                    }
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operand_lies_as_the_isa_says),
        cmocka_unit_test(every_load_and_store_moves_as_the_isa_says),
        cmocka_unit_test(shapes_are_those_of_the_isa),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
