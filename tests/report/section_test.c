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

/* Nor is one with a number that 32 bits do not hold, which is not taken modulo 2^32. */
static void numbers_that_are_too_large_are_refused(void **state) {
    (void)state;
    static const char *const numbers[] = {"4294967295", "4294967296", "99999999999999999999999"};
    static const char title[] = "Element / ThreadIdx:\n";
    const char *grid = strstr(recorded_files[0].text, title) + sizeof title - 1;
    const char *behind = grid + strspn(grid, " 0123456789\n") + 1; /* all rows */
    assert_int_equal(strtoul(grid, NULL, 10), 0);
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        static char text[1 << 16];
        struct mapping_error error;
        struct mapping_layout layout;
        struct section section;
        bool more;
        const char *rest = grid + strspn(grid, " ") + 1, *end = strstr(behind, "\n\n# ") + 1;
        snprintf(text, sizeof text, "%.*s%s%.*s", (int)(grid - recorded_files[0].text),
                 recorded_files[0].text, numbers[n], (int)(end - rest), rest);
        struct section_reader reader = section_reader_of(text);
        assert_int_equal(section_read(&reader, &section, &more, &error), MAPPING_OK);
        assert_int_equal(section.grids.coordinate[1][0], UINT32_MAX);
        assert_int_equal(section_layout(&section, &layout, &error), MAPPING_INVALID);
        mapping_layout_free(&layout);
        section_free(&section);
    }
}

/* A section as it is printed, and of a target; D of mma.m16n8k8 as the PTX ISA has it. */
static const char whole[] = "# mma.m16n8k8.d.f16 on sm_80\n"
                            "# source: isa (PTX ISA 9.0 section 9.7.14.5.7)\n"
                            "# confirmed on sm_90: NVIDIA H200, nvcc 13.0.88\n"
                            "# ptxas takes it for sm_80a, not for sm_80f\n"
                            "Formulae:\n"
                            "Row: return ((i & 2) << 2) + ((tid & 28) >> 2);\n"
                            "Col: return (i & 1) + ((tid & 3) << 1);\n"
                            "\n"
                            "Inverse:\n"
                            "Tid: return ((row & 7) << 2) + ((col & 6) >> 1);\n"
                            "I: return ((row & 8) >> 2) + (col & 1);\n";

/* Reads the section with `from` replaced by `to`. */
static enum mapping_status read_changed(const char *from, const char *to, struct section *section,
                                        struct mapping_error *error) {
    static char text[2 * sizeof whole];
    const char *place = strstr(whole, from);
    assert_non_null(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - whole), whole, to, place + strlen(from));
    struct section_reader reader = section_reader_of(text);
    bool more;
    return section_read(&reader, section, &more, error);
}

static void lines_that_are_malformed_are_named(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
        unsigned line; /* that is malformed; 0 if none is */
    } cases[] = {
        {"sm_80a", "sm_80a", 0},
        {"# confirmed on sm_90: NVIDIA H200, nvcc 13.0.88", "# not confirmed on hardware", 0},
        {"mma.m16n8k8.d.f16", "mma.m16n8k8.d.f17", 1},
        {"on sm_80\n", "on sm_81\n", 1},
        {"on sm_80\n", "on sm_70\n", 1},
        {"on sm_80\n", "on sm_80 \n", 1},
        {"isa (PTX", "isa PTX", 2},
        {"isa (PTX", "isa (;PTX", 2},
        {"PTX ISA", "PTX;ISA", 2},
        {"isa (PTX", "isa (\tPTX", 2},
        {"isa (PTX", "isa (\x7fPTX", 2},
        {"5.7)", "5.7", 2},
        {"5.7)", "5.7(", 2},
        {"5.7)", "5.7) ", 2},
        {"sm_90: ", "sm_81: ", 3},
        {"sm_90: ", "sm_: ", 3},
        {"sm_90: ", "sm_90 ", 3},
        {"# confirmed", "# Confirmed", 3},
        {"Formulae:", "Formulas:", 5},
        {"Row: return", "Row: is", 6},
        {"Row: return ((i & 2) << 2) + ((tid & 28) >> 2);", "Row: ;", 6},
        {"(i & 2) <<", "(i & 2) <", 6},
        {"Col: ", "Column: ", 7},
        {"(i & 1)", "(j & 1)", 7},
        {"Inverse:", "Formulae:", 9},
        {"Tid: ", "Thread: ", 10},
        {"I: ", "i: ", 11},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_error error = {.message = ""};
        struct section section;
        char line[32];
        snprintf(line, sizeof line, "line %u:", cases[c].line);
        enum mapping_status status = read_changed(cases[c].from, cases[c].to, &section, &error);
        if (status != (cases[c].line ? MAPPING_INVALID : MAPPING_OK) ||
            (cases[c].line && strncmp(error.message, line, strlen(line)) != 0))
            fail_msg("'%s' for '%s': %s", cases[c].to, cases[c].from, error.message);
        if (status == MAPPING_OK)
            section_free(&section);
    }
}

/* The letter behind the target for which ptxas does not take it; a blank where there is none. */
static void the_target_of_a_section_is_read(void **state) {
    (void)state;
    struct mapping_error error;
    struct section section;
    assert_int_equal(read_changed("sm_80a", "sm_80a", &section, &error), MAPPING_OK);
    assert_int_equal(section.suffix, 'f');
    section_free(&section);
    assert_int_equal(read_changed("sm_80f\n", "sm_80\n", &section, &error), MAPPING_OK);
    assert_int_equal(section.suffix, ' ');
    section_free(&section);
    assert_int_equal(
        read_changed("# ptxas takes it for sm_80a, not for sm_80f\n", "", &section, &error),
        MAPPING_OK);
    assert_int_equal(section.suffix, '\0');
    section_free(&section);
}

/* ---- What a layout rests on ---- */

/* As much evidence as there is room for is kept, and one line says all of it. */
static void evidence_is_kept_while_there_is_room(void **state) {
    (void)state;
    struct provenance full = {.count = 0}, read, other = {.count = 0};
    char text[PROVENANCE_TEXT + 64], with[32];
    for (int n = 0; n < PROVENANCE_MAX; n++) {
        snprintf(with, sizeof with, "ptxas %d", n);
        provenance_add(&full, "sass", with);
    }
    provenance_print(&full, text);
    assert_string_equal(text,
                        "sass (ptxas 0; ptxas 1; ptxas 2; ptxas 3; ptxas 4; ptxas 5; ptxas 6; "
                        "ptxas 7; ptxas 8; ptxas 9)");
    assert_true(provenance_parse(text, &read));
    assert_int_equal(read.count, PROVENANCE_MAX);
    provenance_add(&full, "sass", "ptxas 10");
    provenance_add(&other, "gpu", "NVIDIA H200");
    provenance_merge(&full, &other);
    assert_int_equal(full.count, PROVENANCE_MAX);
    assert_null(provenance_find(&full, "gpu"));
    text[strlen(text) - 1] = '\0';
    strcat(text, "; ptxas 10)");
    assert_false(provenance_parse(text, &read));
    snprintf(text, sizeof text, "isa (%0192d)", 0);
    assert_false(provenance_parse(text, &read));
    snprintf(text, sizeof text, "isa (%0191d)", 0);
    assert_true(provenance_parse(text, &read));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_elements_are_there_in_each_copy),
        cmocka_unit_test(formulae_hold_entry_by_entry),
        cmocka_unit_test(c_and_d_are_the_same),
        cmocka_unit_test(all_of_sm_90_rests_on_hardware),
        cmocka_unit_test(statements_are_confirmed),
        cmocka_unit_test(sections_that_are_no_layout_are_refused),
        cmocka_unit_test(numbers_that_are_too_large_are_refused),
        cmocka_unit_test(lines_that_are_malformed_are_named),
        cmocka_unit_test(the_target_of_a_section_is_read),
        cmocka_unit_test(evidence_is_kept_while_there_is_room),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
