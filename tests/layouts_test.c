/* layouts_test.c - every section of every results file, entry by entry.
 *
 * The grids say where each element is; the formulae, as they stand in the file, have to say the
 * same. */
#include "expression.h"
#include "recorded.h"
#include "report.h"
#include "results.h"

#include <stdio.h>

/* Sections of sm_90 that are not of wmma: of mma, of mma.sp, of ldmatrix, stmatrix and movmatrix,
 * of wgmma and wgmma.sp. */
enum { OTHERS = 104 + 66 + 20 + 980 };

/* Copies what stands behind the label in a section: "Row: return " up to ";". */
static void find_formula(const struct section *section, const char *label, char text[1024]) {
    const char *start = strstr(section->text, label);
    assert_non_null(start);
    assert_true(start < section->text + section->size);
    start += strlen(label);
    snprintf(text, 1024, "%.*s", (int)strcspn(start, ";"), start);
}

/* Calls `test` with every section of every file; returns how many they are. */
static unsigned for_each_section(void (*test)(const struct section *section)) {
    unsigned count = 0;
    for (size_t f = 0; recorded_files[f].name; f++) {
        struct results_reader reader = results_read(recorded_files[f].text);
        struct mapping_error error;
        struct section section;
        bool more = true;
        enum mapping_status status;
        while ((status = results_next(&reader, &section, &more, &error)) == MAPPING_OK && more) {
            test(&section);
            section_free(&section);
            count++;
        }
        assert_int_equal(status, MAPPING_OK);
    }
    return count;
}

/* Each element of the matrix in each copy, and each (tid, i) once. */
static void check_coverage(const struct section *section) {
    const struct mapping_fragment *fragment = &section->fragment;
    uint32_t cells = fragment->blocks * fragment->rows * fragment->cols;
    uint32_t entries = fragment->threads * fragment->elements;
    static bool seen[128 * 128];
    assert_true(entries > 0 && entries <= sizeof seen);
    assert_int_equal(entries % cells, 0);
    if (section->brief)
        return;
    memset(seen, 0, sizeof seen);
    for (uint32_t place = 0; place < entries; place++) {
        uint32_t tid = section->threads[place], i = section->elements[place];
        assert_true(tid < fragment->threads && i < fragment->elements);
        assert_false(seen[tid * fragment->elements + i]);
        seen[tid * fragment->elements + i] = true;
    }
}

/* The formulae of a section as they stand there. */
struct formulae {
    char row[1024], col[1024], block[1024], tid[1024], i[1024];
};

/* Checks one entry: holder is i and tid, element is row, column, block and copy. */
static void check_entry(const struct section *section, const struct formulae *formulae,
                        const uint32_t holder[2], const uint32_t element[4]) {
    const struct mapping_variable forward[] = {{"i", 128}, {"tid", 128}};
    const struct mapping_variable backward[] = {
        {"row", 64}, {"col", 256}, {"block", 4}, {copy_word(&section->fragment), 4}};
    assert_int_equal(evaluate(formulae->row, forward, 2, holder), element[0]);
    assert_int_equal(evaluate(formulae->col, forward, 2, holder), element[1]);
    if (section->fragment.blocks > 1)
        assert_int_equal(evaluate(formulae->block, forward, 2, holder), element[2]);
    assert_int_equal(evaluate(formulae->i, backward, 4, element), holder[0]);
    assert_int_equal(evaluate(formulae->tid, backward, 4, element), holder[1]);
}

/* Of a section without grids: what the inverse gives for each element, the formulae take back. */
static void check_brief(const struct section *section, const struct formulae *formulae) {
    const struct mapping_fragment *fragment = &section->fragment;
    const struct mapping_variable backward[] = {
        {"row", 64}, {"col", 256}, {"block", 4}, {copy_word(fragment), 4}};
    uint32_t cells = fragment->blocks * fragment->rows * fragment->cols;
    uint32_t entries = fragment->threads * fragment->elements;
    for (uint32_t place = 0; place < entries; place++) {
        const uint32_t element[] = {place / fragment->cols % fragment->rows, place % fragment->cols,
                                    place / fragment->cols / fragment->rows % fragment->blocks,
                                    place / cells};
        const uint32_t holder[] = {evaluate(formulae->i, backward, 4, element),
                                   evaluate(formulae->tid, backward, 4, element)};
        assert_true(holder[0] < fragment->elements && holder[1] < fragment->threads);
        check_entry(section, formulae, holder, element);
    }
}

static void check_formulae(const struct section *section) {
    struct formulae formulae;
    find_formula(section, "Row: return ", formulae.row);
    find_formula(section, "Col: return ", formulae.col);
    if (section->fragment.blocks > 1)
        find_formula(section, "Block: return ", formulae.block);
    find_formula(section, "Tid: return ", formulae.tid);
    find_formula(section, "I: return ", formulae.i);
    if (section->brief) {
        /* Every width has the same formulae but for their masks; some widths will do. */
        if (section->fragment.shape.n % 56 == 8)
            check_brief(section, &formulae);
        return;
    }
    uint32_t rows = section->fragment.rows, cols = section->fragment.cols;
    uint32_t blocks = section->fragment.blocks;
    uint32_t entries = (uint32_t)section->fragment.threads * section->fragment.elements;
    for (uint32_t place = 0; place < entries; place++) {
        const uint32_t holder[] = {section->elements[place], section->threads[place]};
        const uint32_t element[] = {place / cols % rows, place % cols, place / cols / rows % blocks,
                                    place / cols / rows / blocks};
        check_entry(section, &formulae, holder, element);
    }
}

static void all_elements_are_there_in_each_copy(void **state) {
    (void)state;
    /* wmma: 24 fragments on sm_70, 54 on sm_72, 64 on sm_75, and 88 on each of the 11 others. */
    assert_int_equal(for_each_section(check_coverage), 24 + 54 + 64 + 11 * 88 + OTHERS);
}

static void formulae_hold_entry_by_entry(void **state) {
    (void)state;
    for_each_section(check_formulae);
}

/* The maps of C that were met, to be compared with D, which comes later in a file. */
static struct {
    unsigned arch;
    struct mapping_fragment fragment;
    struct mapping_map map;
} accumulators[16];
static size_t accumulator_count;

/* Loading C and storing D are different code of the compiler; the fragment is the same. */
static void check_c_is_d(const struct section *section) {
    struct mapping_error error;
    struct mapping_map map;
    if ((section->fragment.operand != 'c' && section->fragment.operand != 'd') ||
        section->fragment.instruction >= MAPPING_LDMATRIX)
        return;
    assert_int_equal(section_map(section, &map, &error), MAPPING_OK);
    struct mapping_fragment c = section->fragment;
    c.operand = 'c';
    if (section->fragment.operand == 'c') {
        assert_true(accumulator_count < sizeof accumulators / sizeof *accumulators);
        accumulators[accumulator_count].arch = section->arch;
        accumulators[accumulator_count].fragment = c;
        accumulators[accumulator_count++].map = map;
        return;
    }
    size_t a = 0;
    while (a < accumulator_count && !(accumulators[a].arch == section->arch &&
                                      mapping_fragment_equal(&accumulators[a].fragment, &c)))
        a++;
    assert_true(a < accumulator_count);
    assert_true(mapping_map_equal(&accumulators[a].map, &map));
    mapping_map_free(&accumulators[a].map);
    mapping_map_free(&map);
    accumulators[a] = accumulators[--accumulator_count];
}

static void c_and_d_are_the_same(void **state) {
    (void)state;
    for_each_section(check_c_is_d);
    assert_int_equal(accumulator_count, 0);
}

static void all_of_sm_90_rests_on_hardware(const struct section *section) {
    char source[PROVENANCE_TEXT];
    provenance_print(&section->provenance, source);
    bool is_wmma = section->fragment.instruction == MAPPING_WMMA;
    assert_non_null(strstr(source, is_wmma ? "sass (ptxas " : "isa (PTX ISA "));
    if (section->arch == 90)
        assert_non_null(strstr(source, "; gpu (NVIDIA H200, "));
}

static void sources_are_said(void **state) {
    (void)state;
    for_each_section(all_of_sm_90_rests_on_hardware);
}

/* A section whose numbers are no map is refused, whatever is wrong with them. */
static void sections_that_are_no_map_are_refused(void **state) {
    (void)state;
    struct results_reader reader = results_read(recorded_files[0].text);
    struct mapping_error error;
    struct mapping_map map;
    struct section section;
    bool more;
    assert_int_equal(results_next(&reader, &section, &more, &error), MAPPING_OK);
    uint32_t *const places[] = {&section.threads[5], &section.elements[5]};
    const uint32_t limits[] = {section.fragment.threads, section.fragment.elements};
    for (int which = 0; which < 2; which++) {
        uint32_t right = *places[which];
        const uint32_t wrong[] = {limits[which], UINT32_MAX, right ^ 1};
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            *places[which] = wrong[w];
            assert_int_equal(section_map(&section, &map, &error), MAPPING_INVALID);
            mapping_map_free(&map);
        }
        *places[which] = right;
    }
    assert_int_equal(section_map(&section, &map, &error), MAPPING_OK);
    mapping_map_free(&map);
    section_free(&section);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_elements_are_there_in_each_copy),
        cmocka_unit_test(formulae_hold_entry_by_entry),
        cmocka_unit_test(c_and_d_are_the_same),
        cmocka_unit_test(sources_are_said),
        cmocka_unit_test(sections_that_are_no_map_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
