/* copy_plan_test.c - plans of loads and stores.
 *
 * Simulated warps, written from the PTX ISA (tests/lib/warp.h), execute each plan bit by bit. If
 * the program finds no plan, the test checks by the definition that none exists. */
#include "catalogue/fragment.h"
#include "random.h"
#include "sample.h"
#include "smem/matrix.h"
#include "smem/suggest.h"
#include "system/arena.h"
#include "warp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct warp warp;

/* ---- Matrices in memory ---- */

/* The offset of an element of a matrix of `rows` x `cols` elements of `bits` bits, in the order of
 * memory. */
typedef uint32_t order_of(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits);

static uint32_t row_major(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    (void)rows, (void)bits;
    return row * cols + col;
}

static uint32_t col_major(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    (void)cols, (void)bits;
    return col * rows + row;
}

/* Rows are 16 bytes further apart. */
static uint32_t padded(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    (void)rows;
    return row * (cols + 128 / bits) + col;
}

/* They are one element further apart, and begin with element 1. */
static uint32_t odd(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    (void)rows, (void)bits;
    return row * (cols + 1) + col + 1;
}

/* Columns are 4 bytes further apart. */
static uint32_t col_padded(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols,
                           uint32_t bits) {
    (void)cols;
    return col * (rows + (bits < 32 ? 32 / bits : 1)) + row;
}

/* Pieces of 16 bytes are exchanged with exclusive or, as Sw<3,...> does. */
static uint32_t swizzled(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    uint32_t piece = 128 / bits, offset = row_major(row, col, rows, cols, bits);
    uint32_t pieces = cols / piece < 8 ? cols / piece : 8;
    return pieces < 2 ? offset : offset ^ (row % pieces * piece);
}

static uint32_t col_swizzled(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols,
                             uint32_t bits) {
    uint32_t piece = 128 / bits, offset = col_major(row, col, rows, cols, bits);
    uint32_t pieces = rows / piece < 8 ? rows / piece : 8;
    return pieces < 2 ? offset : offset ^ (col % pieces * piece);
}

/* Tiles of 8 rows of 16 bytes, one after the other. */
static uint32_t in_tiles(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    uint32_t piece = 128 / bits, across = (cols + piece - 1) / piece;
    (void)rows;
    return ((row / 8 * across + col / piece) * 8 + row % 8) * piece + col % piece;
}

/* Rows are permuted without a rule of exclusive or. */
static uint32_t shuffled(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    (void)bits;
    return (row * 5 + 3) % rows * cols + col;
}

/* Pairs of elements are in every other 4 bytes. */
static uint32_t spread(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    (void)rows, (void)bits;
    return (row * cols + col) / 2 * 4 + col % 2;
}

/* Columns 0 to 7 and 8 to 15 by pairs in turn, so that both are 8 bytes, but from row 4 on the
 * second half is that of the row 4 further on. */
static uint32_t crossed(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols, uint32_t bits) {
    uint32_t place = col >= 8 && row % 8 >= 4 ? row ^ 8 : row;
    (void)rows, (void)bits;
    return place * cols + col % 8 / 2 * 4 + col / 8 * 2 + col % 2;
}

static order_of *const orders[] = {row_major,    col_major, padded,   odd,    col_padded, swizzled,
                                   col_swizzled, in_tiles,  shuffled, spread, crossed};
enum { ORDERS = sizeof orders / sizeof *orders };

/* A matrix, as a table. */
static struct mapping_layout lay_out(order_of *order, uint32_t rows, uint32_t cols, uint32_t bits) {
    struct mapping_layout layout;
    struct mapping_error error;
    const struct mapping_space from = {2, {{"row", rows}, {"col", cols}}};
    const struct mapping_space to = {1, {{"offset", UINT32_MAX}}};
    assert_int_equal(mapping_layout_init(&layout, &from, &to, &error), MAPPING_OK);
    for (uint32_t n = 0; n < rows * cols; n++)
        layout.coordinate[0][n] = order(n / cols, n % cols, rows, cols, bits);
    return layout;
}

static struct mapping_layout fragment_of(const char *name) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_layout layout;
    struct mapping_error error;
    assert_int_equal(mapping_catalogue_find(name, found), 1);
    assert_int_equal(mapping_fragment_state(&found[0], &layout, &error), MAPPING_OK);
    return layout;
}

static const struct mapping_access *access_of(const char *name) {
    const struct mapping_access *access = mapping_access_find(name);
    assert_non_null(access);
    return access;
}

/* ---- Plans are right ---- */

static size_t planned, refused;

/* At every tid, the formulae give the address of the plan; lanes without an address get that of a
 * lane that has one. */
static void check_formulae(const struct mapping_copy_plan *plan) {
    uint32_t lanes = mapping_access_lanes(plan->access);
    for (uint32_t s = 0; s < plan->step_count; s++)
        for (uint32_t t = 0; t < plan->threads; t++) {
            const struct mapping_copy_step *step = &plan->steps[s];
            const uint32_t point[] = {s, t};
            uint32_t expected = step->address[t / 32 * 32 + t % lanes];
            assert_int_equal(step->address[t], t % 32 < lanes ? expected : MAPPING_INACTIVE);
            if (step->has_formula)
                assert_int_equal(mapping_formula_evaluate(&step->formula, 1, &t), expected);
            if (plan->has_formula)
                assert_int_equal(mapping_formula_evaluate(&plan->formula, 2, point), expected);
        }
    if (plan->has_formula)
        assert_true(plan->step_count > 1);
}

/* Adds up the wavefronts of all steps and warps, and compares them with a count that does not use a
 * plan. */
static void check_wavefronts(const struct mapping_copy_plan *plan) {
    uint32_t wavefronts = 0, minimum = 0;
    for (uint32_t s = 0; s < plan->step_count; s++) {
        uint32_t before[] = {wavefronts, minimum};
        for (uint32_t first = 0; first < plan->threads; first += 32) {
            struct mapping_wavefronts result;
            mapping_access_count(plan->access, plan->steps[s].address + first, &result);
            wavefronts += result.wavefronts;
            minimum += result.minimum;
        }
        assert_int_equal(plan->steps[s].wavefronts, wavefronts - before[0]);
        assert_int_equal(plan->steps[s].minimum, minimum - before[1]);
    }
    assert_int_equal(plan->wavefronts, wavefronts);
    assert_int_equal(plan->minimum, minimum);
}

/* Plans with one access. If there is no plan, none may exist by the definition. */
static bool check_access(const struct mapping_copy_request *request,
                         const struct mapping_access *access, const char *name) {
    struct mapping_copy_plan plan;
    struct mapping_error error = {"?"};
    enum mapping_status status = mapping_copy_plan_make(request, access, &plan, &error);
    bool can = can_move(request, access);
    if ((status == MAPPING_OK) != can)
        fail_msg("%s of %s, %u bits: %s, but %s", access->name, name, request->bits,
                 can ? "can" : "cannot", status == MAPPING_OK ? "has a plan" : error.message);
    if (can) {
        prepare(&warp, request);
        execute_plan(&warp, &plan);
        if (!has_moved(&warp, request))
            fail_msg("%s of %s, %u bits, moves something else", access->name, name, request->bits);
        mapping_copy_plan_deduce(&plan);
        check_formulae(&plan);
        check_wavefronts(&plan);
        planned++;
    } else {
        assert_int_equal(status, MAPPING_INVALID);
        refused++;
    }
    mapping_copy_plan_free(&plan);
    return can;
}

/* True if the access would take the matrix for bytes that hold packed elements: a test of its own.
 */
static bool is_for_bytes(const struct mapping_copy_request *request,
                         const struct mapping_access *access) {
    return access->packed && !request->memory_bits;
}

static size_t index_of(const struct mapping_access *access) {
    size_t index = 0;
    while (mapping_access_at(index) != access)
        index++;
    return index;
}

/* All accesses, one by one and at once: by wavefronts, steps, and their own order. */
static void check_all(const struct mapping_copy_request *request, const char *name) {
    const struct mapping_access *access;
    struct mapping_copy_plan *plans;
    struct mapping_error error;
    size_t count, can = 0;
    enum mapping_status status = mapping_copy_plan_all(request, &plans, &count, &error);
    for (size_t a = 0; (access = mapping_access_at(a)); a++)
        if (!is_for_bytes(request, access) && check_access(request, access, name)) {
            size_t p = 0;
            while (p < count && plans[p].access != access)
                p++;
            assert_true(p < count);
            can++;
        }
    assert_int_equal(count, can);
    assert_int_equal(status, can > 0 ? MAPPING_OK : MAPPING_INVALID);
    for (size_t p = 1; p < count; p++)
        assert_true(plans[p - 1].wavefronts < plans[p].wavefronts ||
                    (plans[p - 1].wavefronts == plans[p].wavefronts &&
                     (plans[p - 1].step_count < plans[p].step_count ||
                      (plans[p - 1].step_count == plans[p].step_count &&
                       index_of(plans[p - 1].access) < index_of(plans[p].access)))));
    for (size_t p = 0; p < count; p++)
        mapping_copy_plan_free(&plans[p]);
    mapping_free(plans);
}

/* A fragment in a matrix that is larger than it, at several origins, both ways; elements of
 * `memory_bits` if that is not 0. */
static void check_fragment(const struct mapping_layout *fragment, uint32_t bits,
                           uint32_t memory_bits, order_of *order, const char *name) {
    uint32_t rows = fragment->to.axis[0].size, cols = fragment->to.axis[1].size;
    struct mapping_layout memory = lay_out(order, 2 * rows, 2 * cols, bits);
    const uint32_t origins[][2] = {{0, 0}, {rows, cols}, {1, cols < 2 ? 1 : 2}};
    for (size_t n = 0; n < 3; n++) {
        struct mapping_copy_request request = {.memory = &memory,
                                               .fragment = fragment,
                                               .bits = bits,
                                               .memory_bits = memory_bits,
                                               .is_signed = memory_bits == 4 && rows % 16 == 0,
                                               .origin = {origins[n][0], origins[n][1]},
                                               .is_store = n == 1};
        if ((uint64_t)8 * rows * cols * bits <= (uint64_t)WARP_MEMORY * 8)
            check_all(&request, name);
        request.is_store = !request.is_store;
        if (n == 0 && (uint64_t)8 * rows * cols * bits <= (uint64_t)WARP_MEMORY * 8)
            check_all(&request, name);
    }
    mapping_layout_free(&memory);
}

/* Every layout of the catalogue that is stated, once for each width, but the widest. */
static void fragments_of_the_catalogue(void **state) {
    (void)state;
    enum { SEEN = 512 };
    static struct mapping_layout seen[SEEN];
    static uint32_t widths[SEEN];
    struct mapping_fragment fragment;
    struct mapping_error error;
    size_t count = 0, step = one_in(31, 41);
    planned = refused = 0;
    for (size_t f = 0; mapping_catalogue_at(f, &fragment); f++) {
        char name[MAPPING_NAME_SIZE];
        size_t same = 0;
        if (!is_in_sample(f, step) || fragment.place != MAPPING_IN_REGISTERS || !fragment.bases ||
            fragment.blocks > 1 || fragment.elements > 32 || count == SEEN ||
            fragment.threads % 32 != 0 || (fragment.bits & (fragment.bits - 1)) ||
            mapping_fragment_state(&fragment, &seen[count], &error) != MAPPING_OK)
            continue;
        while (same < count &&
               (widths[same] != fragment.bits || !layout_equal(&seen[same], &seen[count])))
            same++;
        widths[count] = fragment.bits;
        mapping_fragment_name(&fragment, name);
        for (size_t o = 0; o < ORDERS && same == count; o++)
            check_fragment(&seen[count], fragment.bits, 0, orders[o], name);
        if (same == count)
            count++;
        else
            mapping_layout_free(&seen[count]);
    }
    for (size_t n = 0; n < count; n++)
        mapping_layout_free(&seen[n]);
    print_message("# %zu layouts, %zu plans, %zu refusals\n", count, planned, refused);
    assert_true(planned > 0 && refused > 0);
}

/* ---- Packed elements ---- */

/* 16 elements of 4 bits and 64 bits of padding; of 6 bits, 48 bytes from one row of 16 to the next.
 */
static uint32_t spaced(uint32_t line, uint32_t place, uint32_t length) {
    return line * length * 4 + place / 16 * 64 + place % 16;
}

static uint32_t spaced_rows(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols,
                            uint32_t bits) {
    (void)rows, (void)bits;
    return spaced(row, col, cols);
}

static uint32_t spaced_cols(uint32_t row, uint32_t col, uint32_t rows, uint32_t cols,
                            uint32_t bits) {
    (void)cols, (void)bits;
    return spaced(col, row, rows);
}

/* Elements of 4 and 6 bits in memory that have 8 in registers. */
static void packed_elements(void **state) {
    (void)state;
    static const char *const names[] = {
        "mma.m16n8k32.a.e2m1",          "mma.m16n8k32.b.e3m2",    "mma.m16n8k32.d.f32",
        "ldmatrix.m8n16.x1.r.b4",       "ldmatrix.m8n16.x1.r.b6", "ldmatrix.m16n16.x1.r.trans.b4",
        "ldmatrix.m16n16.x1.r.trans.b6"};
    static order_of *const packed_orders[] = {spaced_rows, spaced_cols, row_major, col_major,
                                              swizzled};
    planned = refused = 0;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t o = 0; o < sizeof packed_orders / sizeof *packed_orders; o++)
            for (uint32_t bits = 4; bits <= 6; bits += 2) {
                struct mapping_layout fragment = fragment_of(names[n]);
                check_fragment(&fragment, 8, bits, packed_orders[o], names[n]);
                mapping_layout_free(&fragment);
            }
    print_message("# %zu plans, %zu refusals\n", planned, refused);
    assert_true(planned > 20 && refused > 0);
}

/* TMA spreads 16 packed elements over 16 bytes (CUDA driver API,
 * CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B), so rows begin at the same addresses as for bytes: those
 * of m8n8, whose rows also have 16 bytes. */
static void packed_elements_in_a_matrix_of_bytes(void **state) {
    (void)state;
    struct mapping_layout fragment = fragment_of("mma.m16n8k32.a.e2m1");
    struct mapping_layout memory = lay_out(swizzled, 64, 64, 8);
    const struct mapping_copy_request request = {
        .memory = &memory, .fragment = &fragment, .bits = 8};
    struct mapping_copy_plan packed, plain;
    struct mapping_error error;
    for (size_t a = 0; mapping_access_at(a); a++) {
        const struct mapping_access *access = mapping_access_at(a);
        if (!access->packed || access->is_transposed)
            continue;
        const char *m8n8 = access->matrices == 4   ? "ldmatrix.x4"
                           : access->matrices == 2 ? "ldmatrix.x2"
                                                   : "ldmatrix.x1";
        assert_int_equal(mapping_copy_plan_make(&request, access, &packed, &error), MAPPING_OK);
        assert_int_equal(mapping_copy_plan_make(&request, access_of(m8n8), &plain, &error),
                         MAPPING_OK);
        assert_int_equal(packed.step_count, plain.step_count);
        for (uint32_t s = 0; s < plain.step_count; s++)
            assert_memory_equal(packed.steps[s].address, plain.steps[s].address,
                                32 * sizeof(uint32_t));
        mapping_copy_plan_free(&packed);
        mapping_copy_plan_free(&plain);
    }
    mapping_layout_free(&fragment);
    mapping_layout_free(&memory);
}

/* ---- Made-up fragments ---- */

/* A fragment whose bits of tid and i are those of row and column in any order; a few of them are no
 * bits of row and column, so that there are copies. */
static void make_any(struct mapping_layout *layout, uint32_t tid_bits, uint32_t i_bits) {
    struct mapping_error error;
    char names[16][16], bases[128] = "";
    uint32_t count = 0;
    for (uint32_t b = 0; b < tid_bits; b++)
        snprintf(names[count++], 16, "t%u ", b);
    for (uint32_t b = 0; b < i_bits; b++)
        snprintf(names[count++], 16, "i%u ", b);
    uint32_t copies = random_below(3) == 0, used = count - copies, rows = random_below(used + 1);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t other = n + random_below(count - n);
        char name[16];
        memcpy(name, names[n], 16);
        memcpy(names[n], names[other], 16);
        memcpy(names[other], name, 16);
    }
    for (uint32_t n = 0; n < used; n++) {
        if (n == rows)
            strcat(bases, "| ");
        strcat(bases, names[n]);
    }
    if (rows == used)
        strcat(bases, "| ");
    const struct mapping_space from = {
        2, {{"tid", UINT32_C(1) << tid_bits}, {"i", UINT32_C(1) << i_bits}}};
    const struct mapping_space to = {
        2, {{"row", UINT32_C(1) << rows}, {"col", UINT32_C(1) << (used - rows)}}};
    if (mapping_layout_state(layout, &from, &to, bases, &error) != MAPPING_OK)
        fail_msg("%s: %s", bases, error.message);
}

/* A matrix from which the fragment is loaded by few wide accesses: the elements of a thread one
 * after the other, or rows as ldmatrix reads them; then some elements are exchanged. */
static struct mapping_layout memory_for(const struct mapping_layout *fragment, uint32_t bits,
                                        uint32_t kind) {
    uint32_t rows = fragment->to.axis[0].size, cols = fragment->to.axis[1].size;
    uint32_t threads = fragment->from.axis[0].size, elements = fragment->from.axis[1].size;
    struct mapping_layout memory = lay_out(row_major, rows, cols, bits);
    uint32_t per = bits < 32 ? 32 / bits : 1, registers = elements / per, flip = 1 + kind / 8 % 4;
    const uint32_t shape = kind / 32 % 6;
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t e = 0; e < elements; e++) {
            size_t entry = (size_t)t * elements + e;
            uint32_t w = e / per, offset = t * elements + e;
            uint32_t half = 16 / bits ? 16 / bits : 1;
            if (shape == 1 && registers > 0) /* registers in another order */
                offset = t * elements + (w ^ (flip % registers)) * per + e % per;
            if (shape == 2 && registers > 0) /* rows of ldmatrix, registers beside each other */
                offset = (w * threads + t) * per + e % per;
            if (shape == 3 && registers > 0 && bits <= 16) /* with .trans */
                offset = ((w * threads / 32 + t / 32) * 64 + (t % 4 * 2 + e % per / half) * 8 +
                          t % 32 / 4) *
                             half +
                         e % half;
            if (shape == 4 && registers > 1 && bits == 8) /* m16n16 */
                offset = (w / 2 * threads / 32 + t / 32) * 256 + (t % 4 * 4 + e % 4) * 16 +
                         8 * (w % 2) + t % 32 / 4;
            if (shape == 5 && registers > 0 && bits == 8) /* m16n8 */
                offset = (w * threads / 32 + t / 32) * 128 + (t % 4 * 2 + e % 2) * 16 +
                         8 * (e % 4 / 2) + t % 32 / 4;
            if (kind / 4 % 2 && t == kind % threads) /* one thread is different */
                offset ^= per;
            memory.coordinate[0][(size_t)fragment->coordinate[0][entry] * cols +
                                 fragment->coordinate[1][entry]] = offset;
        }
    return memory;
}

static void made_up_fragments(void **state) {
    (void)state;
    static const uint32_t widths[] = {1, 4, 8, 16, 32, 64};
    size_t rounds = 3000 / one_in(5, 150);
    planned = refused = 0;
    for (size_t n = 0; n < rounds; n++) {
        struct mapping_layout fragment, memory;
        uint32_t bits = widths[random_below(6)], kind = random_below(1024);
        make_any(&fragment, 5 + random_below(3), random_below(5) + (bits == 1));
        memory = n % 4 == 0 ? lay_out(orders[random_below(ORDERS)], fragment.to.axis[0].size,
                                      fragment.to.axis[1].size, bits)
                            : memory_for(&fragment, bits, kind);
        const struct mapping_copy_request request = {
            .memory = &memory, .fragment = &fragment, .bits = bits, .is_store = n % 2};
        check_all(&request, "a fragment that is made up");
        mapping_layout_free(&fragment);
        mapping_layout_free(&memory);
    }
    print_message("# %zu plans, %zu refusals\n", planned, refused);
    assert_true(planned > 0 && refused > 0);
}

/* ---- Known cases ---- */

/* The formula of a step, as it is printed with / and %. */
static void check_text(const struct mapping_copy_plan *plan, uint32_t step, const char *expected) {
    const struct mapping_space space = {1, {{"tid", plan->threads}}};
    char text[256];
    assert_true(plan->steps[step].has_formula);
    mapping_formula_print_divided(&plan->steps[step].formula, &space, text, sizeof text);
    assert_string_equal(text, expected);
}

/* One plan of a fragment of f16 in a matrix. */
static void plan_f16(const char *fragment_name, order_of *order, uint32_t rows, uint32_t cols,
                     const char *access, struct mapping_copy_plan *plan,
                     struct mapping_error *error, enum mapping_status expected) {
    struct mapping_layout memory = lay_out(order, rows, cols, 16);
    struct mapping_layout fragment = fragment_of(fragment_name);
    const struct mapping_access *used = access_of(access);
    const struct mapping_copy_request request = {
        .memory = &memory, .fragment = &fragment, .bits = 16, .is_store = used->is_store};
    assert_int_equal(mapping_copy_plan_make(&request, used, plan, error), expected);
    if (expected == MAPPING_OK)
        mapping_copy_plan_deduce(plan);
    mapping_layout_free(&memory);
    mapping_layout_free(&fragment);
}

/* A of 16x16 in rows of 128 bytes: all 8 rows of a matrix begin in the same bank. With 128 bytes
 * swizzled, in different ones. */
static void a_with_ldmatrix(void **state) {
    (void)state;
    struct mapping_copy_plan plan;
    struct mapping_error error;
    plan_f16("mma.m16n8k16.a.f16", row_major, 64, 64, "ldmatrix.x4", &plan, &error, MAPPING_OK);
    assert_int_equal(plan.step_count, 1);
    assert_int_equal(plan.steps[0].piece_count, 4);
    for (uint32_t p = 0; p < 4; p++)
        assert_int_equal(plan.steps[0].pieces[p], p);
    check_text(&plan, 0, "tid % 16 * 128 + tid / 16 * 16");
    assert_int_equal(plan.wavefronts, 32);
    assert_int_equal(plan.minimum, 4);
    assert_false(plan.has_formula);
    mapping_copy_plan_free(&plan);
    plan_f16("mma.m16n8k16.a.f16", swizzled, 64, 64, "ldmatrix.x4", &plan, &error, MAPPING_OK);
    assert_int_equal(plan.wavefronts, 4);
    assert_int_equal(plan.minimum, 4);
    mapping_copy_plan_free(&plan);
}

/* B is K x N: from columns plainly, from rows transposed. */
static void b_with_ldmatrix(void **state) {
    (void)state;
    static const char b[] = "mma.m16n8k16.b.f16";
    struct mapping_copy_plan plan;
    struct mapping_error error;
    plan_f16(b, row_major, 64, 64, "ldmatrix.x2.trans", &plan, &error, MAPPING_OK);
    check_text(&plan, 0, "tid % 16 * 128");
    assert_int_equal(plan.steps[0].address[16], MAPPING_INACTIVE);
    mapping_copy_plan_free(&plan);
    plan_f16(b, col_major, 64, 64, "ldmatrix.x2", &plan, &error, MAPPING_OK);
    check_text(&plan, 0, "tid % 8 * 128 + tid % 16 / 8 * 16");
    mapping_copy_plan_free(&plan);
    plan_f16(b, col_major, 64, 64, "ldmatrix.x1", &plan, &error, MAPPING_OK);
    assert_int_equal(plan.step_count, 2);
    assert_true(plan.has_formula);
    mapping_copy_plan_free(&plan);
    plan_f16(b, row_major, 64, 64, "ldmatrix.x2", &plan, &error, MAPPING_INVALID);
    assert_string_equal(error.message, "element 1 of thread 0 must follow element 0 in memory, "
                                       "but element 0 is at byte 0 and element 1 at byte 128");
    plan_f16(b, col_major, 64, 64, "ldmatrix.x2.trans", &plan, &error, MAPPING_INVALID);
    assert_string_equal(error.message, "a row of ldmatrix.x2.trans would begin at element 0 of "
                                       "thread 1, which is at byte 4, not at "
                                       "a multiple of 16 bytes");
}

/* ---- Reasons ---- */

/* A matrix in which each thread has its elements one after the other, with `flip` exchanged, after
 * a few that are `skipped`. If no reason is given, there must be a plan. */
static void check_reason(const char *name, uint32_t bits, uint32_t flip, uint32_t skipped,
                         const char *access, const char *reason) {
    struct mapping_layout fragment = fragment_of(name);
    uint32_t cols = fragment.to.axis[1].size;
    struct mapping_layout memory = lay_out(row_major, fragment.to.axis[0].size, cols, bits);
    struct mapping_copy_plan plan;
    struct mapping_error error = {""};
    for (uint32_t n = 0; n < mapping_layout_entries(&fragment); n++)
        memory.coordinate[0][fragment.coordinate[0][n] * cols + fragment.coordinate[1][n]] =
            (n ^ flip) + skipped;
    const struct mapping_copy_request request = {
        .memory = &memory, .fragment = &fragment, .bits = bits, .is_store = false};
    assert_int_equal(mapping_copy_plan_make(&request, access_of(access), &plan, &error),
                     *reason ? MAPPING_INVALID : MAPPING_OK);
    assert_string_equal(error.message, reason);
    mapping_copy_plan_free(&plan);
    mapping_layout_free(&fragment);
    mapping_layout_free(&memory);
}

static void reasons_of_other_kinds(void **state) {
    (void)state;
    check_reason("mma.m16n8k16.a.f16", 16, 0, 0, "st.b32",
                 "st.b32 is a store, but a load such as ld.b32 is needed");
    check_reason("mma.m8n8k4.a.f64", 64, 0, 0, "ld.b128",
                 "each thread holds 2 registers, but ld.b128 moves 4 at a time");
    check_reason("mma.m8n8k4.a.f64", 32, 0, 0, "ldmatrix.x1.trans",
                 "ldmatrix.x1.trans moves 16-bit elements, but these have 32 bits");
    check_reason("mma.m8n8k4.a.f64", 16, 0, 0, "ld.b32",
                 "a thread holds 16 bits, which is not a multiple of the 32 bits of ld.b32");
    check_reason("mma.m8n8k32.a.s4", 4, 1, 0, "ld.u8",
                 "element 1 of thread 0 must follow element 0 in memory, but element 0 is at "
                 "bit 4 and element 1 at bit 0");
    check_reason("mma.m8n8k16.a.s8", 8, 1, 0, "ld.b32",
                 "element 1 of thread 0 must follow element 0 in memory, but element 0 is at "
                 "byte 1 and element 1 at byte 0");
    check_reason("mma.m8n8k32.a.s4", 4, 0, 1, "ld.u8",
                 "element 0 of thread 0 must be byte-aligned, but is at bit 4");
    /* Up to the last byte, and 4 bytes further. */
    check_reason("mma.m16n8k16.a.f16", 16, 0, SHARED_BYTES_MAX / 2 - 256, "ld.b32", "");
    check_reason("mma.m16n8k16.a.f16", 16, 0, SHARED_BYTES_MAX / 2 - 254, "ld.b32",
                 "element 6 of thread 31 is at byte 232448, but shared memory has at most 232448 "
                 "bytes");
}

/* A load of a layout between these spaces, all of whose elements are the first. */
static void expect_refused(const struct mapping_space *from, const struct mapping_space *to,
                           uint32_t bits, const char *reason) {
    struct mapping_layout memory = lay_out(row_major, 16, 16, 16), fragment;
    struct mapping_copy_plan plan;
    struct mapping_error error;
    assert_int_equal(mapping_layout_init(&fragment, from, to, &error), MAPPING_OK);
    const struct mapping_copy_request request = {
        .memory = &memory, .fragment = &fragment, .bits = bits};
    assert_int_equal(mapping_copy_plan_make(&request, access_of("ld.b32"), &plan, &error),
                     MAPPING_INVALID);
    assert_string_equal(error.message, reason);
    mapping_layout_free(&fragment);
    mapping_layout_free(&memory);
}

/* Layouts with axes, threads or elements that cannot be loaded. */
static void other_requests_are_refused(void **state) {
    (void)state;
    static const struct mapping_space threads = {2, {{"tid", 32}, {"i", 2}}};
    static const struct mapping_space half = {2, {{"tid", 16}, {"i", 2}}};
    static const struct mapping_space lanes = {1, {{"tid", 32}}};
    static const struct mapping_space matrix = {2, {{"row", 8}, {"col", 8}}};
    static const struct mapping_space blocks = {3, {{"block", 2}, {"row", 8}, {"col", 8}}};
    static const char *const spaces =
        "a loaded or stored fragment must map thread and element to row and column of one matrix";
    expect_refused(&lanes, &matrix, 16, spaces);
    expect_refused(&threads, &blocks, 16, spaces);
    expect_refused(&half, &matrix, 16,
                   "the fragment has 16 threads, which is not a multiple of 32 (a warp)");
    static const uint32_t sizes[] = {0, 12, 128};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        char reason[128];
        snprintf(reason, sizeof reason,
                 "elements of %u bits cannot be addressed; use 1, 2, 4, 8, 16, 32 or 64 bits",
                 sizes[n]);
        expect_refused(&threads, &matrix, sizes[n], reason);
    }
    struct mapping_layout memory = lay_out(row_major, 16, 16, 16);
    struct mapping_layout fragment = fragment_of("mma.m16n8k16.a.f16");
    const struct mapping_copy_request request = {
        .memory = &memory, .fragment = &fragment, .bits = 16};
    struct mapping_copy_plan plan;
    struct mapping_error error;
    fragment.coordinate[1][7] = 16;
    assert_int_equal(mapping_copy_plan_make(&request, access_of("ld.b32"), &plan, &error),
                     MAPPING_INVALID);
    assert_string_equal(error.message,
                        "the fragment has elements outside its 16 rows and 16 columns");
    const struct mapping_copy_request crossed = {
        .memory = &fragment, .fragment = &fragment, .bits = 16};
    assert_int_equal(mapping_copy_plan_make(&crossed, access_of("ld.b32"), &plan, &error),
                     MAPPING_INVALID);
    assert_string_equal(error.message, "a matrix in memory must map row and column to an offset");
    /* spaces alone, which are looked at first */
    const struct mapping_layout stages = {.from = {3, {{"stage", 2}, {"row", 16}, {"col", 16}}},
                                          .to = memory.to},
                                nobody = {.from = {2, {{"tid", 0}, {"i", 8}}}, .to = fragment.to},
                                nothing = {.from = {2, {{"tid", 32}, {"i", 0}}}, .to = fragment.to};
    const struct {
        const struct mapping_layout *memory, *fragment;
        const char *reason;
    } cases[] = {
        {&stages, &fragment, "a matrix in memory must map row and column to an offset"},
        {&memory, &nobody, "the fragment has 0 threads, which is not a multiple of 32 (a warp)"},
        {&memory, &nothing, "the fragment has no elements"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct mapping_copy_request spaces_alone = {
            .memory = cases[c].memory, .fragment = cases[c].fragment, .bits = 16};
        assert_int_equal(mapping_copy_plan_make(&spaces_alone, access_of("ld.b32"), &plan, &error),
                         MAPPING_INVALID);
        assert_string_equal(error.message, cases[c].reason);
    }
    mapping_layout_free(&fragment);
    mapping_layout_free(&memory);
}

/* ---- Suggestions ---- */

static enum mapping_status suggest(const char *tile, uint32_t bits, const char *fragment,
                                   const char *with, uint32_t arch,
                                   struct mapping_suggestions *found, struct mapping_error *error) {
    const struct mapping_smem_matrix_request text = {.text = tile, .bits = bits};
    struct mapping_smem_matrix memory;
    struct mapping_layout layout = fragment_of(fragment);
    assert_int_equal(mapping_smem_matrix_make(&text, &memory, error), MAPPING_OK);
    const struct mapping_suggest_request request = {
        .matrix = &memory.layout,
        .bits = bits,
        .arch = arch,
        .use_count = 1,
        .uses = {{.fragment = &layout, .with = with ? access_of(with) : NULL}}};
    enum mapping_status status = mapping_suggest(&request, found, error);
    mapping_layout_free(&layout);
    mapping_smem_matrix_free(&memory);
    return status;
}

/* A tile with rows of 128 bytes, as in Layout_K_SW128; ldmatrix exists from sm_75 on. */
static void operations_are_those_of_the_architecture(void **state) {
    (void)state;
    static const struct {
        uint32_t arch;
        bool has_matrices;
    } cases[] = {{0, true}, {80, true}, {75, true}, {70, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_suggestions found;
        struct mapping_error error;
        assert_int_equal(suggest("(64,64):(64,1)", 16, "mma.m16n8k16.a.f16", NULL, cases[c].arch,
                                 &found, &error),
                         MAPPING_OK);
        assert_int_equal(found.items[0].wavefronts, found.items[0].minimum);
        assert_int_equal(found.items[0].with[0]->matrices > 0, cases[c].has_matrices);
        mapping_free(found.items);
    }
}

/* Rows and columns of several strides have swizzles, and no padding. */
static void tiles_of_several_strides_are_not_padded(void **state) {
    (void)state;
    static const struct {
        const char *tile;
        bool is_padded;
    } cases[] = {{"(32,32):(32,1)", true},
                 {"((16,2),32):((32,512),1)", true}, /* the same */
                 {"((16,2),32):((64,32),1)", false},
                 {"(32,(16,2)):(16,(1,512))", false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_suggestions found;
        struct mapping_error error;
        bool is_padded = false, is_swizzled = false;
        assert_int_equal(suggest(cases[c].tile, 16, "mma.m16n8k16.a.f16", NULL, 80, &found, &error),
                         MAPPING_OK);
        for (size_t n = 0; n < found.count; n++) {
            is_padded = is_padded || found.items[n].kind == SUGGEST_PADDING;
            is_swizzled = is_swizzled || found.items[n].kind == SUGGEST_SWIZZLE;
        }
        assert_int_equal(is_padded, cases[c].is_padded);
        assert_true(is_swizzled);
        mapping_free(found.items);
    }
}

static void what_no_tile_serves_is_said(void **state) {
    (void)state;
    static const struct {
        const char *tile;
        uint32_t bits;
        const char *fragment, *with, *reason;
    } cases[] = {
        /* from row 16 on no two elements are where an access of 32 bits is, or one of a byte */
        {"((16,2),16):((16,257),1)", 16, "mma.m16n8k16.a.f16", "ld.b32",
         "no swizzle or padding works for all of these accesses in the whole tile"},
        {"((8,2),32):((32,257),1)", 4, "mma.m8n8k32.a.s4", NULL,
         "no swizzle or padding works for all of these accesses in the whole tile"},
        {"VoltaTensorOpMultiplicandCrosswise<16,32>", 16, "mma.m16n8k16.a.f16", NULL,
         "--suggest needs a layout of CuTe, such as"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_suggestions found;
        struct mapping_error error = {""};
        assert_int_equal(suggest(cases[c].tile, cases[c].bits, cases[c].fragment, cases[c].with, 0,
                                 &found, &error),
                         MAPPING_INVALID);
        if (!strstr(error.message, cases[c].reason))
            fail_msg("%s: %s", cases[c].tile, error.message);
        mapping_free(found.items);
    }
}

static void reasons_have_numbers(void **state) {
    (void)state;
    static const struct {
        const char *fragment;
        order_of *order;
        uint32_t rows, cols;
        const char *access, *reason;
    } cases[] = {
        {"mma.m16n8k16.a.f16", row_major, 64, 64, "ld.u8",
         "ld.u8 moves 8-bit elements, but these have 16 bits"},
        {"mma.m16n8k16.b.f16", col_major, 64, 64, "ldmatrix.x4",
         "each thread holds 2 registers, but ldmatrix.x4 moves 4 at a time"},
        {"mma.m16n8k16.a.f16", odd, 64, 64, "ld.b32",
         "an access of ld.b32 would begin at element 0 of thread 0, which is at byte 2, not at a "
         "multiple of 4 bytes"},
        {"mma.m16n8k16.a.f16", row_major, 64, 64, "st.b64",
         "st.b64 needs addresses that are multiples of 8, but element 0 is at byte 0 in thread 0 "
         "and at byte 4 in thread 1"},
        {"mma.m16n8k16.d.f16", row_major, 16, 8, "st.b128",
         "each thread holds 2 registers, but st.b128 moves 4 at a time"},
        {"mma.m16n8k16.a.f16", spread, 64, 64, "ld.b64",
         "ld.b64 moves bytes 0 to 7 of thread 0 together, but the thread holds more elements of "
         "the "
         "32-bit word at byte 0 (element 0 and others) than of the one at byte 4"},
        {"mma.m16n8k16.a.f16", crossed, 16, 16, "ld.b64",
         "ld.b64 moves 8 adjacent bytes, so element 4 of thread 16 must be 4 bytes after "
         "element 0 of thread 16, but they are at bytes 388 and 128"},
        {"mma.m16n8k16.a.f16", row_major, 12, 64, "ld.b32",
         "the 16x16 fragment at row 0, column 0 does not fit in the 12x64 matrix"},
        {"mma.m16n8k16.a.f16", row_major, 16, 20000, "ld.b32",
         "element 2 of thread 0 is at byte 320000, but shared memory has at most 232448 bytes"},
        {"mma.m16n8k16.a.f16", col_padded, 16, 16, "ldmatrix.x4.trans",
         "a row of ldmatrix.x4.trans would begin at element 0 of thread 1, which is at byte 72, "
         "not "
         "at a multiple of 16 bytes"},
    };
    struct mapping_copy_plan plan;
    struct mapping_error error;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plan_f16(cases[c].fragment, cases[c].order, cases[c].rows, cases[c].cols, cases[c].access,
                 &plan, &error, MAPPING_INVALID);
        assert_string_equal(error.message, cases[c].reason);
        mapping_copy_plan_free(&plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_of_the_catalogue),
        cmocka_unit_test(made_up_fragments),
        cmocka_unit_test(packed_elements),
        cmocka_unit_test(packed_elements_in_a_matrix_of_bytes),
        cmocka_unit_test(a_with_ldmatrix),
        cmocka_unit_test(b_with_ldmatrix),
        cmocka_unit_test(reasons_have_numbers),
        cmocka_unit_test(other_requests_are_refused),
        cmocka_unit_test(reasons_of_other_kinds),
        cmocka_unit_test(operations_are_those_of_the_architecture),
        cmocka_unit_test(tiles_of_several_strides_are_not_padded),
        cmocka_unit_test(what_no_tile_serves_is_said),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
