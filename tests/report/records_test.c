/* records_test.c - every record in results/, entry by entry; records that are written and read
 * again; and malformed records.
 *
 * The formulae in the file determine the places of the elements. The grids must be the printed form
 * of that layout, and the rows of the catalogue and the embedded records must have the same layout.
 *
 * Expected values: the evaluator of the tests. */
#include "expression.h"
#include "output/results.h"
#include "root.h"
#include "smem/matrix.h"
#include "source/recorded.h"
#include "system/system.h"

#include <stdio.h>

static const char *const files[] = {"wmma",  "mma",    "mma.sp",   "ldmatrix",
                                    "wgmma", "shared", "published"};
enum { FILES = sizeof files / sizeof *files };
static struct printer texts[FILES];
static struct records all[FILES];

static int read_all(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES; f++) {
        char path[64];
        struct mapping_error error;
        snprintf(path, sizeof path, "results/%s.txt", files[f]);
        if (file_read(path, "results file", &texts[f], &error) != MAPPING_OK ||
            records_read(texts[f].text, &all[f], &error) != MAPPING_OK) {
            printf("# %s: %s\n", path, error.message);
            return 1;
        }
    }
    return 0;
}

static int free_all(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES; f++)
        printer_free(&texts[f]);
    return 0;
}

/* ---- Entries and formulae ---- */

/* Copies the text after the label in a record: from "Row: return " to ";". */
static void find_formula(const struct record *record, const char *label, char text[1024]) {
    const char *start = strstr(record->body, label);
    assert_non_null(start);
    assert_true(start < record->body + record->size);
    start += strlen(label);
    snprintf(text, 1024, "%.*s", (int)strcspn(start, ";"), start);
}

static void axis_line(const char *axis, char label[64]) {
    snprintf(label, 64, "\n%c%s: return ", *axis - 'a' + 'A', axis + 1);
}

/* Checks a layout at every entry against formulae as they are printed, evaluated by the tests. */
static void check_formulae(const struct record *record, const struct record_entry *entry) {
    struct mapping_error error;
    struct mapping_layout layout;
    static char forward[MAPPING_AXES_MAX][1024], inverse[MAPPING_AXES_MAX][1024];
    assert_int_equal(record_layout(record, entry, &layout, &error), MAPPING_OK);
    const uint32_t from = layout.from.count, to = layout.to.count;
    char label[64];
    for (uint32_t c = 0; c < to; c++) {
        axis_line(layout.to.axis[c].name, label);
        find_formula(record, label, forward[c]);
    }
    for (uint32_t c = 0; c < from && record->has_inverse; c++) {
        axis_line(layout.from.axis[c].name, label);
        find_formula(record, label, inverse[c]);
    }
    struct mapping_space places = layout.to;
    if (!entry->is_atom)
        places.axis[places.count++] =
            (struct mapping_axis){mapping_fragment_copy_axis(&entry->fragment), 1};
    for (size_t n = 0; n < mapping_layout_entries(&layout); n++) {
        uint32_t point[MAPPING_AXES_MAX], place[MAPPING_AXES_MAX] = {0};
        bool is_found = false;
        mapping_space_point(&layout.from, n, point);
        for (uint32_t c = 0; c < to; c++) {
            place[c] = layout.coordinate[c][n];
            assert_int_equal(evaluate(forward[c], &layout.from, point), place[c]);
        }
        /* One of the copies is there. */
        const uint32_t copies = entry->is_atom ? 1 : mapping_layout_copies(&layout);
        for (uint32_t copy = 0; copy < copies && !is_found && record->has_inverse; copy++) {
            place[to] = copy;
            is_found = true;
            for (uint32_t c = 0; c < from; c++)
                is_found = is_found && evaluate(inverse[c], &places, place) == point[c];
        }
        assert_true(is_found || !record->has_inverse);
    }
    mapping_layout_free(&layout);
}

static void formulae_hold_entry_by_entry(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES; f++)
        for (size_t r = 0; r < all[f].count; r++) {
            const struct record *record = &all[f].record[r];
            check_formulae(record, &record->entries[0]);
            check_formulae(record, &record->entries[record->count - 1]);
        }
}

static void each_fragment_is_recorded_once_on_an_architecture(void **state) {
    (void)state;
    /* wmma: 24 fragments on sm_70, 54 on sm_72, 64 on sm_75, and 88 on each newer one. On sm_90:
     * mma, mma.sp, ldmatrix with stmatrix and movmatrix, wgmma; 24 atoms; published. */
    size_t archs = 0;
    while (mapping_arch_at(archs))
        archs++;
    const size_t expected[FILES] = {24 + 54 + 64 + (archs - 3) * 88, 104, 66, 20, 980, 24, 6};
    for (size_t f = 0; f < FILES; f++) {
        size_t count = 0;
        for (size_t r = 0; r < all[f].count; r++) {
            const struct record *record = &all[f].record[r];
            count += record->count;
            for (size_t n = 0; n < record->count; n++)
                for (size_t other = r; other < all[f].count; other++)
                    for (size_t m = other == r ? n + 1 : 0; m < all[f].record[other].count; m++) {
                        const struct record_entry *one = &record->entries[n],
                                                  *two = &all[f].record[other].entries[m];
                        assert_false(one->arch == two->arch && strcmp(one->name, two->name) == 0);
                    }
        }
        assert_int_equal(count, expected[f]);
    }
}

/* No layout is written down twice in a file. */
static void records_are_distinct(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES; f++)
        for (size_t r = 0; r < all[f].count; r++)
            for (size_t other = 0; other < r; other++) {
                const struct record *a = &all[f].record[r], *b = &all[f].record[other];
                assert_false(a->size == b->size && memcmp(a->body, b->body, a->size) == 0);
            }
}

/* Loading C and storing D are different code of the compiler; the fragment is the same. */
static void c_and_d_are_the_same(void **state) {
    (void)state;
    size_t pairs = 0;
    for (size_t f = 0; f < 3; f++)
        for (size_t r = 0; r < all[f].count; r++)
            for (size_t n = 0; n < all[f].record[r].count; n++) {
                const struct record *record = &all[f].record[r];
                struct mapping_fragment c = record->entries[n].fragment;
                bool is_found = c.operand != MAPPING_D;
                c.operand = MAPPING_C;
                for (size_t m = 0; m < record->count && !is_found; m++)
                    is_found = record->entries[m].arch == record->entries[n].arch &&
                               mapping_fragment_equal(&record->entries[m].fragment, &c);
                if (!is_found)
                    fail_msg("%s on sm_%u", record->entries[n].name, record->entries[n].arch);
                pairs += record->entries[n].fragment.operand == MAPPING_D;
            }
    assert_true(pairs > 150);
}

/* Records that are read and written again give the same file. */
static void files_are_written_as_they_are(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES; f++) {
        struct printer text = {.text = NULL};
        struct mapping_error error;
        struct records records;
        assert_int_equal(records_read(texts[f].text, &records, &error), MAPPING_OK);
        for (size_t r = 0; r < records.count; r++)
            assert_int_equal(record_check(&records.record[r], &error), MAPPING_OK);
        assert_int_equal(records_write(&text, &records, &error), MAPPING_OK);
        assert_string_equal(printer_string(&text), texts[f].text);
        printer_free(&text);
    }
}

/* Reads a file, and writes it after `change`: the result must be the original file. */
static void check_rewritten(const char *text, void (*change)(struct records *records)) {
    struct printer written = {.text = NULL};
    struct mapping_error error;
    struct records records;
    assert_int_equal(records_read(text, &records, &error), MAPPING_OK);
    change(&records);
    assert_int_equal(records_write(&written, &records, &error), MAPPING_OK);
    assert_string_equal(printer_string(&written), text);
    printer_free(&written);
}

static void reverse_entries(struct records *records) {
    for (size_t r = 0; r < records->count; r++) {
        struct record *record = &records->record[r];
        for (size_t n = 0; n < record->count / 2; n++) {
            const struct record_entry last = record->entries[record->count - 1 - n];
            record->entries[record->count - 1 - n] = record->entries[n];
            record->entries[n] = last;
        }
    }
}

static void reverse_records(struct records *records) {
    for (size_t r = 0; r < records->count / 2; r++) {
        const struct record last = records->record[records->count - 1 - r];
        records->record[records->count - 1 - r] = records->record[r];
        records->record[r] = last;
    }
}

/* Makes the last entry of the first record a record of its own. */
static void split_the_first(struct records *records) {
    struct record *first = &records->record[0];
    const struct record_entry entry = first->entries[first->count - 1];
    struct mapping_layout layout;
    struct mapping_error error;
    if (!first->has_inverse || first->count == 1) /* a new record has an inverse */
        return;
    assert_int_equal(record_layout(first, &entry, &layout, &error), MAPPING_OK);
    first->count--;
    records_add(records, &entry, &layout);
}

/* The order is that of the catalogue, and records of one layout are one. */
static void files_are_written_in_order(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES; f++) {
        check_rewritten(texts[f].text, reverse_entries);
        check_rewritten(texts[f].text, reverse_records);
        check_rewritten(texts[f].text, split_the_first);
    }
}

/* ---- The catalogue, and the embedded records ---- */

static void the_catalogue_states_what_was_observed(void **state) {
    (void)state;
    size_t checked = 0;
    for (size_t f = 0; f < FILES; f++)
        for (size_t r = 0; r < all[f].count; r++)
            for (size_t n = 0; n < all[f].record[r].count; n++) {
                const struct record_entry *entry = &all[f].record[r].entries[n];
                struct mapping_layout recorded, stated;
                struct mapping_fragment fragment;
                struct mapping_error error;
                if (entry->is_atom)
                    continue;
                assert_true(mapping_fragment_find(&entry->fragment, entry->arch, &fragment));
                assert_int_equal(mapping_fragment_state(&fragment, &stated, &error), MAPPING_OK);
                assert_int_equal(record_layout(&all[f].record[r], entry, &recorded, &error),
                                 MAPPING_OK);
                if (!layout_equal(&recorded, &stated))
                    fail_msg("%s on sm_%u: '%s'", entry->name, entry->arch, fragment.bases);
                mapping_layout_free(&recorded);
                mapping_layout_free(&stated);
                checked++;
            }
    assert_true(checked > 2000);
}

static void what_is_built_in_is_what_was_observed(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES; f++)
        for (size_t r = 0; r < all[f].count; r++)
            for (size_t n = 0; n < all[f].record[r].count; n++) {
                const struct record_entry *entry = &all[f].record[r].entries[n];
                const struct recorded_entry *recorded =
                    recorded_on(entry->name, entry->arch, f == FILES - 1);
                struct mapping_layout layout, built_in;
                struct mapping_error error;
                assert_non_null(recorded);
                assert_string_equal(recorded_strings + recorded->evidence, entry->evidence);
                assert_int_equal(record_layout(&all[f].record[r], entry, &layout, &error),
                                 MAPPING_OK);
                assert_int_equal(
                    recorded_layout(recorded, &layout.from, &layout.to, &built_in, &error),
                    MAPPING_OK);
                assert_true(layout_equal(&layout, &built_in));
                mapping_layout_free(&layout);
                mapping_layout_free(&built_in);
            }
    assert_null(recorded_on("wmma.m16n16k16.a.row.s8", 70, false));
    assert_null(recorded_on("wmma.m16n16k16", 70, false));
    assert_null(recorded_on("zzz", 70, false));
    assert_null(recorded_on("wmma.m16n16k16.d.s32", 80, true));
}

/* wmma rests on what compilers make of it, and on sm_90 all on hardware. */
static void all_of_sm_90_was_seen_on_hardware(void **state) {
    (void)state;
    for (size_t f = 0; f < FILES - 1; f++)
        for (size_t r = 0; r < all[f].count; r++)
            for (size_t n = 0; n < all[f].record[r].count; n++) {
                const struct record_entry *entry = &all[f].record[r].entries[n];
                if (entry->fragment.instruction == MAPPING_WMMA && !entry->is_atom)
                    assert_non_null(strstr(entry->evidence, "sass (ptxas "));
                if (entry->arch == 90)
                    assert_non_null(strstr(entry->evidence, "gpu (NVIDIA H200, "));
            }
}

/* A record of a device confirms a statement only if both are the same. */
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
    mapping_layout_free(&observed.layout);
}

/* ---- Malformed records ---- */

/* A record as it is written; D of mma.m16n8k8 as the PTX ISA has it. */
static const char whole[] =
    "# Layouts, each once, with what has it, where, and who has seen it: make results\n"
    "# architectures: sm_75 sm_80 sm_86 sm_90\n"
    "\n"
    "# mma.m16n8k8.{c,d}.{f32,f16},\n"
    "# mma.m8n8k128.c.s32\n"
    "#   sm_75, sm_80 to sm_90: sass (ptxas 11.8.89; ptxas 13.0.88);\n"
    "#     gpu (NVIDIA H200, nvcc 13.0.88)\n"
    "Formulae:\n"
    "Row: return ((i & 2) << 2) + ((tid & 28) >> 2);\n"
    "Col: return (i & 1) + ((tid & 3) << 1);\n"
    "\n"
    "Inverse:\n"
    "Tid: return ((row & 7) << 2) + ((col & 6) >> 1);\n"
    "I: return ((row & 8) >> 2) + (col & 1);\n";

/* Reads the record with `from` replaced by `to`. */
static enum mapping_status read_changed(const char *from, const char *to, struct records *records,
                                        struct mapping_error *error) {
    static char text[2 * sizeof whole + 4096];
    const char *place = strstr(whole, from);
    assert_non_null(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - whole), whole, to, place + strlen(from));
    return records_read(text, records, error);
}

static void lines_that_are_malformed_are_named(void **state) {
    (void)state;
    static const struct {
        const char *from, *to;
        unsigned line; /* that is malformed; 0 if none is */
    } cases[] = {
        {",\n# mma.m8n8k128.c.s32", "", 0},
        {"{c,d}.{f32,f16},\n# mma.m8n8k128.c.s32", "d.f16", 0},
        {"# Layouts", "# layouts", 1},
        {"# arch", "# Arch", 2},
        {"sm_80 sm_86", "sm_80  sm_86", 2},
        {"sm_80 sm_86", "sm_80 sm_81", 2},
        {"sm_80 sm_86", "80 sm_86", 2},
        {"sm_90\n\n", "sm_90\n", 3},
        {",\n# mma.m8n8k128.c.s32", ",\n# mma.m8n8k128.c.s31", 4},
        {"mma.m16n8k8.{c,d}", "mma.m16n8k8.{c,d", 4},
        {"mma.m16n8k8.{c,d}", "mma.m16n8k8.{c,e}", 4},
        {"mma.m16n8k8.{c,d}", "mma.m16n8k8.{1..99999..1}", 4},
        {"mma.m16n8k8.{c,d}", "mma.m16n8k8.{1..999999..1}{1..999999..1}", 4},
        {"# mma.m16", "# mma m16", 4},
        {"sm_75, sm_80", "sm_80, sm_75", 6},
        {"sm_75, ", "sm_70, ", 6},
        {"sm_75, ", "sm_81, ", 6},
        {"sm_80 to sm_90: ", "sm_80 to sm_90 ", 6},
        {"sm_80 to sm_90: ", "sm_80 to: ", 6},
        {"sass (ptxas", "sass ptxas", 6},
        {"sass (ptxas", "sass (;ptxas", 6},
        {"sass (ptxas", "sass (\tptxas", 6},
        {"sass (ptxas", "recorded: sass (ptxas", 6},
        {"sass (ptxas", "wish (ptxas", 6},
        {"nvcc 13.0.88)", "nvcc 13.0.88", 6},
        {"nvcc 13.0.88)", "nvcc 13.0.88) ", 6},
        {"#   sm_75", "# sm_75", 6},
        {"#   sm_75, sm_80 to sm_90: sass (ptxas 11.8.89; ptxas 13.0.88);\n", "", 6},
        {"Formulae:", "Formulas:", 15}, /* the file ends without any */
        {"Row: return", "Row: is", 9},
        {"Row: return ((i & 2) << 2) + ((tid & 28) >> 2);", "Row: ;", 9},
        {"(i & 2) <<", "(i & 2) <", 9},
        {"Col: ", "Column: ", 10},
        {"(i & 1)", "(j & 1)", 10},
        {"Inverse:", "Formulae:", 12},
        {"Tid: ", "Thread: ", 13},
        {"I: ", "i: ", 14},
        {"(col & 1);\n", "(col & 1);", 14},
        {"(col & 1);\n", "(col & 1);\n\n", 16},
        {"(col & 1);\n", "(col & 1);\nmore\n", 15},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct mapping_error error = {.message = ""};
        struct records records;
        char line[32];
        snprintf(line, sizeof line, "line %u:", cases[c].line);
        enum mapping_status status = read_changed(cases[c].from, cases[c].to, &records, &error);
        if (cases[c].line
                ? status != MAPPING_INVALID || strncmp(error.message, line, strlen(line)) != 0
                : status != MAPPING_OK)
            fail_msg("'%s' for '%s': %s", cases[c].to, cases[c].from, error.message);
    }
}

static void sizes_in_which_formulae_do_not_hold_are_refused(void **state) {
    (void)state;
    struct mapping_error error = {.message = ""};
    struct records records;
    assert_int_equal(read_changed("m8n8k128.c.s32", "m8n8k16.a.s8", &records, &error),
                     MAPPING_INVALID);
    assert_non_null(strstr(error.message, "line 4: mma.m8n8k16.a.s8: "));
}

static void evidence_goes_on_in_the_next_line(void **state) {
    (void)state;
    struct mapping_error error = {.message = ""};
    struct records records;
    assert_int_equal(read_changed(",\n# mma.m8n8k128.c.s32", "", &records, &error), MAPPING_OK);
    assert_int_equal(records.count, 1);
    assert_int_equal(records.record[0].count, 4 * 4);
    const struct record_entry *last = &records.record[0].entries[15];
    assert_string_equal(last->name, "mma.m16n8k8.d.f16");
    assert_int_equal(last->arch, 90);
    assert_string_equal(last->evidence, "sass (ptxas 11.8.89; ptxas 13.0.88); gpu (NVIDIA H200, "
                                        "nvcc 13.0.88)");
}

/* A line that does not follow from the layout is found, and the correct line is shown. */
static void a_line_that_does_not_follow_is_found(void **state) {
    (void)state;
    struct mapping_error error = {.message = ""};
    struct records records;
    assert_int_equal(read_changed("col & 6) >> 1);", "col & 6) >> 0);", &records, &error),
                     MAPPING_INVALID); /* no formula as it is printed */
    static char text[1 << 18];
    snprintf(text, sizeof text, "%s", texts[0].text);
    char *formula = strstr(text, "\nI: return (col & 15);");
    assert_non_null(formula);
    memcpy(strstr(formula, "15"), "14", 2);
    assert_int_equal(records_read(text, &records, &error), MAPPING_OK);
    assert_int_equal(record_check(&records.record[0], &error), MAPPING_DIFFERS);
    assert_non_null(strstr(error.message, "expected 'I: return (col & 15);'"));
}

/* Another number in a grid, and texts that are not numbers. */
static void grids_that_do_not_follow_are_found(void **state) {
    (void)state;
    static const char *const numbers[] = {"32", "4294967296", "1", "x", ""};
    static const char title[] = "Element / ThreadIdx:\n 0";
    const char *grid = strstr(texts[0].text, title) + sizeof title - 2;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        static char text[1 << 18];
        struct mapping_error error = {.message = ""};
        struct records records;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(grid - texts[0].text), texts[0].text,
                 numbers[n], grid + 1);
        assert_int_equal(records_read(text, &records, &error), MAPPING_OK);
        assert_int_equal(record_check(&records.record[0], &error), MAPPING_DIFFERS);
        assert_non_null(strstr(error.message, " does not match the layout; expected ' 0  1"));
    }
}

/* A layout without formulae is not written, because a record needs them. Here one thread holds two
 * elements in the opposite order. */
static void a_layout_without_formulae_is_not_written(void **state) {
    (void)state;
    struct mapping_error error = {.message = ""};
    struct records records = {.count = 0};
    struct record_entry entry;
    struct mapping_layout layout;
    struct printer written = {.text = NULL};
    assert_true(record_entry_make("mma.m16n8k16.d.f32", &entry));
    entry.arch = 90;
    entry.evidence = "gpu (NVIDIA H200, nvcc 13.0.88)";
    assert_int_equal(mapping_fragment_state(&entry.fragment, &layout, &error), MAPPING_OK);
    layout.coordinate[1][0] = 1;
    layout.coordinate[1][1] = 0;
    records_add(&records, &entry, &layout);
    assert_int_equal(records_write(&written, &records, &error), MAPPING_NO_FORMULA);
    assert_non_null(strstr(error.message, "has no formula, but a record needs one"));
    printer_free(&written);
}

/* A fragment of a warpgroup has many sizes, so that its record has formulae alone. */
static void a_new_record_of_a_warpgroup_has_no_grids(void **state) {
    (void)state;
    struct mapping_error error = {.message = ""};
    struct records records = {.count = 0};
    struct record_entry entry;
    struct mapping_layout layout;
    struct printer written = {.text = NULL};
    assert_true(record_entry_make("wgmma.m64n16k16.d.f32", &entry));
    entry.arch = 90;
    entry.evidence = "gpu (NVIDIA H200, nvcc 13.0.88)";
    assert_int_equal(mapping_fragment_state(&entry.fragment, &layout, &error), MAPPING_OK);
    records_add(&records, &entry, &layout);
    assert_int_equal(records_write(&written, &records, &error), MAPPING_OK);
    assert_null(strstr(printer_string(&written), "Element / ThreadIdx"));
    assert_non_null(strstr(printer_string(&written), "Formulae:"));
    printer_free(&written);
}

/* Evidence with two blanks in a row is written and read back unchanged. */
static void evidence_with_two_blanks_is_written_as_it_is(void **state) {
    (void)state;
    struct mapping_error error = {.message = ""};
    struct records records, again;
    struct printer written = {.text = NULL};
    assert_int_equal(read_changed("; ptxas 13.0.88)", ";  ptxas 13.0.88)", &records, &error),
                     MAPPING_OK);
    assert_int_equal(records_write(&written, &records, &error), MAPPING_OK);
    assert_int_equal(records_read(printer_string(&written), &again, &error), MAPPING_OK);
    assert_string_equal(again.record[0].entries[0].evidence, records.record[0].entries[0].evidence);
    printer_free(&written);
}

/* ---- Evidence ---- */

/* As much evidence as there is room for is kept, and one line says all of it. */
static void evidence_is_kept_while_there_is_room(void **state) {
    (void)state;
    struct provenance full = {.count = 0}, read, other = {.count = 0};
    char with[32], text[1024];
    for (int n = 0; n < PROVENANCE_MAX; n++) {
        snprintf(with, sizeof with, "ptxas %d", n);
        provenance_add(&full, "sass", with);
    }
    snprintf(text, sizeof text, "%s", provenance_text(&full));
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
        cmocka_unit_test(formulae_hold_entry_by_entry),
        cmocka_unit_test(each_fragment_is_recorded_once_on_an_architecture),
        cmocka_unit_test(records_are_distinct),
        cmocka_unit_test(c_and_d_are_the_same),
        cmocka_unit_test(files_are_written_as_they_are),
        cmocka_unit_test(files_are_written_in_order),
        cmocka_unit_test(the_catalogue_states_what_was_observed),
        cmocka_unit_test(what_is_built_in_is_what_was_observed),
        cmocka_unit_test(all_of_sm_90_was_seen_on_hardware),
        cmocka_unit_test(statements_are_confirmed),
        cmocka_unit_test(lines_that_are_malformed_are_named),
        cmocka_unit_test(sizes_in_which_formulae_do_not_hold_are_refused),
        cmocka_unit_test(evidence_goes_on_in_the_next_line),
        cmocka_unit_test(a_line_that_does_not_follow_is_found),
        cmocka_unit_test(grids_that_do_not_follow_are_found),
        cmocka_unit_test(a_layout_without_formulae_is_not_written),
        cmocka_unit_test(a_new_record_of_a_warpgroup_has_no_grids),
        cmocka_unit_test(evidence_with_two_blanks_is_written_as_it_is),
        cmocka_unit_test(evidence_is_kept_while_there_is_room),
    };
    need_root();
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, read_all, free_all);
}
