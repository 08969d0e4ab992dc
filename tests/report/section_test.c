/* section_test.c - every section of every results file, entry by entry; and what confirms a
 * statement.
 *
 * The grids say where each element is; the formulae, as they stand in the file, have to say the
 * same. */
#include "expression.h"
#include "report/section.h"
#include "source/recorded.h"

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
        struct section_reader reader = section_reader_of(recorded_files[f].text);
        struct mapping_error error;
        struct section section;
        bool more = true;
        enum mapping_status status;
        while ((status = section_read(&reader, &section, &more, &error)) == MAPPING_OK && more) {
            test(&section);
            section_free(&section);
            count++;
        }
        assert_int_equal(status, MAPPING_OK);
    }
    return count;
}

/* ---- Entries and formulae ---- */

/* Each element of the matrix in each copy, and each (tid, i) once. */
static void check_coverage(const struct section *section) {
    const struct mapping_layout *grids = &section->grids;
    uint32_t cells = (uint32_t)mapping_space_size(&section->to);
    uint32_t entries = (uint32_t)mapping_space_size(&section->from);
    static bool seen[128 * 128];
    assert_true(entries > 0 && entries <= sizeof seen);
    assert_int_equal(entries % cells, 0);
    if (section->brief)
        return;
    assert_int_equal(mapping_layout_entries(grids), entries);
    assert_true(mapping_space_equal(&grids->to, &section->from));
    memset(seen, 0, sizeof seen);
    for (uint32_t place = 0; place < entries; place++) {
        uint32_t tid = grids->coordinate[0][place], i = grids->coordinate[1][place];
        assert_true(tid < section->fragment.threads && i < section->fragment.elements);
        assert_false(seen[tid * section->fragment.elements + i]);
        seen[tid * section->fragment.elements + i] = true;
    }
}

/* The formulae of a section as they stand there: for each axis of the target, and for tid and i. */
struct formulae {
    struct mapping_space places; /* the target, and behind it the copy */
    char forward[3][1024], inverse[2][1024];
};

static void find_formulae(const struct section *section, struct formulae *formulae) {
    uint32_t copies = mapping_fragment_copies(&section->fragment);
    formulae->places = section->to;
    formulae->places.axis[formulae->places.count++] =
        (struct mapping_axis){mapping_fragment_copy_axis(&section->fragment), copies};
    find_formula(section, "\nRow: return ", formulae->forward[section->to.count - 2]);
    find_formula(section, "\nCol: return ", formulae->forward[section->to.count - 1]);
    if (section->to.count > 2)
        find_formula(section, "\nBlock: return ", formulae->forward[0]);
    find_formula(section, "\nTid: return ", formulae->inverse[0]);
    find_formula(section, "\nI: return ", formulae->inverse[1]);
}

/* Checks one entry: holder is tid and i, place is where the element is, and the copy. */
static void check_entry(const struct section *section, const struct formulae *formulae,
                        const uint32_t holder[2], const uint32_t place[4]) {
    for (uint32_t c = 0; c < section->to.count; c++)
        assert_int_equal(evaluate(formulae->forward[c], &section->from, holder), place[c]);
    for (int axis = 0; axis < 2; axis++)
        assert_int_equal(evaluate(formulae->inverse[axis], &formulae->places, place), holder[axis]);
}

/* What has been checked already: most architectures repeat the grids and formulae of others. */
static struct {
    const char *text;
    size_t size;
    struct mapping_space from, to;
} checked[512];
static size_t checked_count;

/* True if no section with the same spaces had the same text, the lines on top aside. */
static bool is_new(const struct section *section) {
    const char *text = strstr(section->text, "\n# source: ") + 1;
    text += strcspn(text, "\n");
    size_t size = section->size - (size_t)(text - section->text);
    for (size_t c = 0; c < checked_count; c++)
        if (checked[c].size == size && memcmp(checked[c].text, text, size) == 0 &&
            mapping_space_equal(&checked[c].from, &section->from) &&
            mapping_space_equal(&checked[c].to, &section->to))
            return false;
    assert_true(checked_count < sizeof checked / sizeof *checked);
    checked[checked_count].text = text;
    checked[checked_count].size = size;
    checked[checked_count].from = section->from;
    checked[checked_count++].to = section->to;
    return true;
}

/* Checks the formulae at each place: of a section without grids, with the holder that the inverse
 * gives, which the formulae have to take back. */
static void check_formulae(const struct section *section) {
    struct formulae formulae;
    find_formulae(section, &formulae);
    /* Every width has the same formulae but for their masks; some widths will do. */
    if ((section->brief && section->fragment.shape.n % 56 != 8) || !is_new(section))
        return;
    for (size_t n = 0; n < mapping_space_size(&formulae.places); n++) {
        uint32_t place[MAPPING_AXES_MAX], holder[2];
        mapping_space_point(&formulae.places, n, place);
        for (int axis = 0; axis < 2; axis++)
            holder[axis] = section->brief
                               ? evaluate(formulae.inverse[axis], &formulae.places, place)
                               : section->grids.coordinate[axis][n];
        assert_true(holder[0] < section->from.axis[0].size &&
                    holder[1] < section->from.axis[1].size);
        check_entry(section, &formulae, holder, place);
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
    assert_true(checked_count > 40);
}

/* ---- C and D ---- */

/* The layouts of C that were met, to be compared with D, which comes later in a file. */
static struct {
    unsigned arch;
    struct mapping_fragment fragment;
    struct mapping_layout layout;
} accumulators[16];
static size_t accumulator_count;

/* Loading C and storing D are different code of the compiler; the fragment is the same. */
static void check_c_is_d(const struct section *section) {
    struct mapping_error error;
    struct mapping_layout layout;
    struct mapping_fragment c = section->fragment;
    if ((c.operand != MAPPING_C && c.operand != MAPPING_D) ||
        (c.instruction != MAPPING_WMMA && c.instruction != MAPPING_MMA &&
         c.instruction != MAPPING_MMA_SP))
        return;
    assert_int_equal(section_layout(section, &layout, &error), MAPPING_OK);
    c.operand = MAPPING_C;
    if (section->fragment.operand == MAPPING_C) {
        assert_true(accumulator_count < sizeof accumulators / sizeof *accumulators);
        accumulators[accumulator_count].arch = section->arch;
        accumulators[accumulator_count].fragment = c;
        accumulators[accumulator_count++].layout = layout;
        return;
    }
    size_t a = 0;
    while (a < accumulator_count && !(accumulators[a].arch == section->arch &&
                                      mapping_fragment_equal(&accumulators[a].fragment, &c)))
        a++;
    assert_true(a < accumulator_count);
    assert_true(mapping_layout_equal(&accumulators[a].layout, &layout));
    mapping_layout_free(&accumulators[a].layout);
    mapping_layout_free(&layout);
    accumulators[a] = accumulators[--accumulator_count];
}

static void c_and_d_are_the_same(void **state) {
    (void)state;
    for_each_section(check_c_is_d);
    assert_int_equal(accumulator_count, 0);
}

/* ---- Sources ---- */

static void check_source(const struct section *section) {
    char source[PROVENANCE_TEXT];
    provenance_print(&section->provenance, source);
    bool is_wmma = section->fragment.instruction == MAPPING_WMMA;
    assert_non_null(strstr(source, is_wmma ? "sass (ptxas " : "isa (PTX ISA "));
    if (section->arch == 90)
        assert_non_null(strstr(source, "; gpu (NVIDIA H200, "));
}

static void all_of_sm_90_rests_on_hardware(void **state) {
    (void)state;
    for_each_section(check_source);
}

/* What is recorded of a device confirms a statement that is the same, and no other. */
static void statements_are_confirmed(void **state) {
    (void)state;
    struct observation observed = {.arch = 80};
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    struct mapping_error error;
    assert_int_equal(mapping_catalogue_find("mma.m16n8k16.a.f16", found), 1);
    observed.fragment = found[0];
    assert_int_equal(mapping_fragment_state(&found[0], &observed.layout, &error), MAPPING_OK);
    assert_int_equal(recorded_confirm(&observed, &error), MAPPING_OK);
    assert_int_equal(observed.confirmation.arch, 90);
    assert_non_null(strstr(observed.confirmation.with, "NVIDIA"));
    observed.confirmation.arch = 0;
    observed.layout.coordinate[0][5] ^= 8; /* another row */
    assert_int_equal(recorded_confirm(&observed, &error), MAPPING_OK);
    assert_int_equal(observed.confirmation.arch, 0);
    observation_free(&observed);
}

/* ---- Sections that are none ---- */

/* A section whose numbers are no layout is refused, whatever is wrong with them. */
static void sections_that_are_no_layout_are_refused(void **state) {
    (void)state;
    struct section_reader reader = section_reader_of(recorded_files[0].text);
    struct mapping_error error;
    struct mapping_layout layout;
    struct section section;
    bool more;
    assert_int_equal(section_read(&reader, &section, &more, &error), MAPPING_OK);
    for (int axis = 0; axis < 2; axis++) {
        uint32_t *place = &section.grids.coordinate[axis][5], right = *place;
        const uint32_t wrong[] = {section.from.axis[axis].size, UINT32_MAX, right ^ 1};
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            *place = wrong[w];
            assert_int_equal(section_layout(&section, &layout, &error), MAPPING_INVALID);
            mapping_layout_free(&layout);
        }
        *place = right;
    }
    assert_int_equal(section_layout(&section, &layout, &error), MAPPING_OK);
    mapping_layout_free(&layout);
    section_free(&section);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_elements_are_there_in_each_copy),
        cmocka_unit_test(formulae_hold_entry_by_entry),
        cmocka_unit_test(c_and_d_are_the_same),
        cmocka_unit_test(all_of_sm_90_rests_on_hardware),
        cmocka_unit_test(statements_are_confirmed),
        cmocka_unit_test(sections_that_are_no_layout_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
