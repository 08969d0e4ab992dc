/* shared.c - compares the addresses in shared memory that TMA writes and wgmma reads with CuTe, the
 * PTX ISA and the recorded layouts.
 *
 * shared RECORDS NEW [DEVICE]: RECORDS is results/shared.txt, or /dev/null. NEW becomes the same
 * file, with the evidence of this device, and with layouts that are not recorded yet. Prints TAP.
 * The layouts of CuTe and the PTX ISA are computed here from strides and swizzles of byte
 * addresses, without code of the program.
 *
 * Expected values: CuTe's atoms and the PTX ISA, as separate formulae; TMA compared with wgmma. */
#include "output/results.h"
#include "shared_experiments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

static int device;
static unsigned tests, failures;

/* The records, and the text that they were read from. */
static struct records records;
static struct printer text_of_records;

/* ---- TAP ---- */

static void ok(bool is_good, const char *name, const char *diagnosis) {
    printf("%sok %u - %s\n", is_good ? "" : "not ", ++tests, name);
    if (!is_good && *diagnosis)
        printf("# %s\n", diagnosis);
    failures += !is_good;
}

/* ---- Expected layouts ---- */

/* Swizzle<B, 4, 3> of CuTe, applied to a byte address: bits 4, 5 and 6, as many as the swizzle has,
 * are exchanged for their exclusive or with bits 7, 8 and 9. B is 1, 2 and 3 for 32, 64 and 128
 * bytes (cute/atom/mma_traits_sm90_gmma.hpp, cute/swizzle.hpp). */
static uint32_t swizzled(uint32_t address, uint32_t swizzle_bytes) {
    const uint32_t mask = swizzle_bytes ? swizzle_bytes - 16 : 0;
    return address ^ (address >> 3 & mask);
}

static uint32_t line_bytes_of(uint32_t swizzle_bytes) {
    return swizzle_bytes ? swizzle_bytes : 16;
}

/* CuTe's atoms: K-major (8, line) : (line, 1), MN-major (line, 8) : (1, line). In elements. */
static uint32_t expected_in_atom(const struct canonical *which, uint32_t row, uint32_t col) {
    const uint32_t bytes = which->bits / 8, width = line_bytes_of(which->swizzle_bytes);
    const uint32_t address =
        which->is_k_major ? row * width + col * bytes : row * bytes + col * width;
    return swizzled(address, which->swizzle_bytes) / bytes;
}

/* A descriptor and the layout of the elements that it reads. */
struct reading_case {
    uint32_t bits, start;
    struct mapping_descriptor descriptor;
};

/* The PTX ISA 9.0, "Strides" of wgmma: of K-major matrices the stride offset is between groups of 8
 * rows; the leading offset is, without swizzle, between 16 bytes and the next along K, and not used
 * with one. Of MN-major ones the offset between groups of 8 along K is the leading one without
 * swizzle, and the stride one with it; the other is between 16 bytes and the next along M, and with
 * a swizzle between lines as wide as that and the next. In elements. */
static uint32_t expected_by_descriptor(const struct reading_case *asked, uint32_t row,
                                       uint32_t col) {
    const struct mapping_descriptor *d = &asked->descriptor;
    const uint32_t bytes = asked->bits / 8, width = line_bytes_of(d->swizzle_bytes);
    uint32_t address;
    if (d->is_k_major) {
        const uint32_t place = col * bytes;
        address = row / 8 * d->stride_bytes + row % 8 * width;
        address += d->swizzle_bytes ? place : place / 16 * d->leading_bytes + place % 16;
    } else {
        const uint32_t place = row * bytes;
        const uint32_t along_m = d->swizzle_bytes ? d->leading_bytes : d->stride_bytes;
        const uint32_t along_k = d->swizzle_bytes ? d->stride_bytes : d->leading_bytes;
        address = place / width * along_m + place % width + col / 8 * along_k + col % 8 * width;
    }
    return swizzled(asked->start + address, d->swizzle_bytes) / bytes;
}

/* Writes which entry is not as expected. */
static void write_difference(char *text, size_t size, const struct mapping_layout *layout, size_t n,
                             uint32_t expected, uint32_t bits) {
    const uint32_t columns = layout->from.axis[1].size;
    snprintf(text, size, "row %zu, column %zu is at byte %u, not %u", n / columns, n % columns,
             layout->coordinate[0][n] * bits / 8, expected * bits / 8);
}

/* ---- Canonical layouts ---- */

/* Writes the name that the layout has in records: "Layout_K_SW128_Atom<half_t>". */
static void name_layout(const struct canonical *which, char name[NAME]) {
    char mode[16] = "INTER";
    if (which->swizzle_bytes)
        snprintf(mode, sizeof mode, "SW%u", which->swizzle_bytes);
    snprintf(name, NAME, "Layout_%s_%s_Atom<%s>", which->is_k_major ? "K" : "MN", mode,
             which->bits == 8    ? "uint8_t"
             : which->bits == 16 ? "half_t"
                                 : "float");
}

/* Compares a layout with CuTe's. */
static bool is_as_in_cute(const struct canonical *which, const struct mapping_layout *layout,
                          char *difference, size_t size) {
    const uint32_t line = line_bytes_of(which->swizzle_bytes) * 8 / which->bits;
    const uint32_t rows = which->is_k_major ? 8 : line, columns = which->is_k_major ? line : 8;
    if (layout->from.count != 2 || layout->from.axis[0].size != rows ||
        layout->from.axis[1].size != columns || layout->to.axis[0].size != rows * columns) {
        snprintf(difference, size, "it is not %u x %u", rows, columns);
        return false;
    }
    for (size_t n = 0; n < (size_t)rows * columns; n++) {
        const uint32_t expected =
            expected_in_atom(which, (uint32_t)n / columns, (uint32_t)n % columns);
        if (layout->coordinate[0][n] != expected) {
            write_difference(difference, size, layout, n, expected, which->bits);
            return false;
        }
    }
    return true;
}

/* Finds the record of a layout and its entry. NULL if it is not recorded. */
static struct record *find_record(const char *name, struct record_entry **entry) {
    for (size_t r = 0; r < records.count; r++)
        for (size_t n = 0; n < records.record[r].count; n++) {
            *entry = &records.record[r].entries[n];
            if (strcmp((*entry)->name, name) == 0 && (*entry)->arch == 90)
                return &records.record[r];
        }
    return NULL;
}

/* Compares a layout with the recorded one, and adds to the records who has seen it now. Records
 * take over the layout if they do not have it. */
static bool is_as_recorded(const char *name, struct mapping_layout *layout, const char *with,
                           struct mapping_error *difference) {
    struct record_entry *entry, added;
    struct mapping_layout recorded;
    struct provenance provenance = {.count = 0}, seen = {.count = 0};
    const struct record *record = find_record(name, &entry);
    if (record) {
        const bool is_equal = record_layout(record, entry, &recorded, difference) == MAPPING_OK &&
                              layout_equal(layout, &recorded);
        mapping_layout_free(&recorded);
        if (!is_equal) {
            mapping_fail(difference, MAPPING_DIFFERS, "the record differs");
            return false;
        }
        provenance_parse(entry->evidence, &provenance);
    }
    provenance_add(&seen, "gpu", with);
    provenance_merge(&provenance, &seen);
    const char *evidence = provenance_text(&provenance);
    if (record) {
        records_set_evidence(&records, entry, evidence);
        return true;
    }
    record_entry_make(name, &added);
    added.arch = 90;
    added.evidence = evidence;
    records_add(&records, &added, layout);
    *layout = (struct mapping_layout){.from = {.count = 0}};
    mapping_fail(difference, MAPPING_DIFFERS, "it is not recorded");
    return false;
}

static void test_layout(const struct canonical *which) {
    char layout_name[NAME], name[2 * NAME], difference[NAME] = "it was not observed";
    char with[DEVICE_TEXT_SIZE] = "";
    struct mapping_layout layout;
    struct mapping_error error = {""};
    const bool has_wgmma = is_read_by_wgmma(which);
    enum mapping_status status = observe_atom(device, which, &layout, with, &error);
    name_layout(which, layout_name);
    snprintf(name, sizeof name, has_wgmma ? "%s: TMA and wgmma agree" : "%s: TMA shows it",
             layout_name);
    ok(status == MAPPING_OK, name, error.message);
    snprintf(name, sizeof name, "%s: it is as CuTe has it", layout_name);
    ok(status == MAPPING_OK && is_as_in_cute(which, &layout, difference, sizeof difference), name,
       difference);
    snprintf(name, sizeof name, "%s: it is as recorded", layout_name);
    ok(status == MAPPING_OK && is_as_recorded(layout_name, &layout, with, &error), name,
       error.message);
    mapping_layout_free(&layout);
}

/* ---- Descriptors ---- */

#define K_MAJOR true
#define MN_MAJOR false

/* bits, start, {major, swizzle, mode, leading, stride}. */
static const struct reading_case reading_cases[] = {
    {8, 0, {K_MAJOR, 0, 0, 128, 256, true, 0, 0}},
    {16, 0, {K_MAJOR, 0, 0, 128, 256, true, 0, 0}},
    {32, 0, {K_MAJOR, 0, 0, 128, 256, true, 0, 0}},
    {16, 0, {K_MAJOR, 0, 0, 2048, 128, true, 0, 0}},
    {16, 16, {K_MAJOR, 0, 0, 1040, 272, true, 0, 0}},
    {8, 0, {K_MAJOR, 32, 3, 0, 256, false, 0, 0}},
    {16, 0, {K_MAJOR, 32, 3, 0, 512, false, 0, 0}},
    {32, 256, {K_MAJOR, 32, 3, 0, 1280, false, 0, 0}},
    {16, 0, {K_MAJOR, 32, 3, 16, 256, false, 0, 0}},
    {16, 0, {K_MAJOR, 32, 3, 2048, 256, false, 0, 0}},
    {8, 0, {K_MAJOR, 64, 2, 0, 512, false, 0, 0}},
    {16, 32, {K_MAJOR, 64, 2, 0, 512, false, 0, 0}},
    {32, 512, {K_MAJOR, 64, 2, 0, 1536, false, 0, 0}},
    {16, 0, {K_MAJOR, 64, 2, 2048, 512, false, 0, 0}},
    {8, 0, {K_MAJOR, 128, 1, 0, 1024, false, 0, 0}},
    {16, 96, {K_MAJOR, 128, 1, 0, 1024, false, 0, 0}},
    {32, 1024, {K_MAJOR, 128, 1, 0, 2048, false, 0, 0}},
    {16, 0, {K_MAJOR, 128, 1, 2048, 1024, false, 0, 0}},
    {16, 0, {MN_MAJOR, 0, 0, 128, 256, true, 0, 0}},
    {16, 0, {MN_MAJOR, 0, 0, 1024, 128, true, 0, 0}},
    {16, 16, {MN_MAJOR, 0, 0, 1040, 272, true, 0, 0}},
    {16, 0, {MN_MAJOR, 32, 3, 256, 1024, true, 0, 0}},
    {16, 256, {MN_MAJOR, 32, 3, 512, 256, true, 0, 0}},
    {16, 0, {MN_MAJOR, 64, 2, 512, 1024, true, 0, 0}},
    {16, 512, {MN_MAJOR, 64, 2, 1024, 512, true, 0, 0}},
    {16, 0, {MN_MAJOR, 128, 1, 0, 1024, true, 0, 0}},
    {16, 1024, {MN_MAJOR, 128, 1, 1024, 2048, true, 0, 0}},
};

static bool is_as_in_isa(const struct reading_case *asked, const struct mapping_layout *layout,
                         char *difference, size_t size) {
    const uint32_t columns = 256 / asked->bits;
    unsigned different = 0;
    if (layout->from.count != 2 || layout->from.axis[0].size != 64 ||
        layout->from.axis[1].size != columns) {
        snprintf(difference, size, "A is not 64 x %u", columns);
        return false;
    }
    for (size_t n = (size_t)64 * columns; n-- > 0;) {
        const uint32_t expected =
            expected_by_descriptor(asked, (uint32_t)n / columns, (uint32_t)n % columns);
        if (layout->coordinate[0][n] == expected)
            continue;
        different++;
        write_difference(difference, size, layout, n, expected, asked->bits);
    }
    const size_t length = strlen(difference);
    snprintf(difference + length, size - length, "; %u of %u are different", different,
             64 * columns);
    return different == 0;
}

static void test_descriptor(const struct reading_case *asked) {
    const struct mapping_descriptor *d = &asked->descriptor;
    char name[2 * NAME], difference[2 * NAME] = "";
    struct mapping_layout layout;
    struct mapping_error error = {""};
    snprintf(name, sizeof name,
             "%s-major, swizzle %u, %u bits, start %u, leading %u, stride %u: wgmma reads what the "
             "PTX ISA says",
             d->is_k_major ? "K" : "MN", d->swizzle_bytes, asked->bits, asked->start,
             d->leading_bytes, d->stride_bytes);
    if (observe_descriptor(device, asked->bits, asked->start, d, &layout, &error) == MAPPING_OK)
        ok(is_as_in_isa(asked, &layout, difference, sizeof difference), name, difference);
    else
        ok(false, name, error.message);
    mapping_layout_free(&layout);
}

/* ---- All of it ---- */

/* Ends the program if something that is no test failed. */
static void check(enum mapping_status status, const struct mapping_error *error) {
    if (status == MAPPING_OK)
        return;
    printf("Bail out! %s\n", error->message);
    exit(5);
}

/* Ends the program if the experiments are not possible. */
static void check_available(void) {
    struct mapping_layout layout;
    char with[DEVICE_TEXT_SIZE];
    struct mapping_error error;
    const struct canonical which = {true, 128, 16};
    enum mapping_status status = observe_atom(device, &which, &layout, with, &error);
    mapping_layout_free(&layout);
    if (status != MAPPING_UNAVAILABLE)
        return;
    printf("1..0 # SKIP %s\n", error.message);
    exit(0);
}

static void read_records(const char *path) {
    struct mapping_error error;
    if (strcmp(path, "/dev/null") == 0)
        return;
    check(file_read(path, "file of records", &text_of_records, &error), &error);
    check(records_read(text_of_records.text, &records, &error), &error);
}

static void write_records(const char *path) {
    struct printer text = {.text = NULL};
    struct mapping_error error;
    check(records_write(&text, &records, &error), &error);
    FILE *file = fopen(path, "w");
    const bool is_written = file && fputs(printer_string(&text), file) >= 0;
    if (!file || fclose(file) != 0 || !is_written)
        check(mapping_fail(&error, MAPPING_FAILED, "could not write %s", path), &error);
}

int main(int argc, char **argv) {
    static const uint32_t swizzles[] = {0, 32, 64, 128};
    if (argc < 3) {
        fprintf(stderr, "usage: %s RECORDS NEW [DEVICE]\n", argv[0]);
        return 2;
    }
    device = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
    check_available();
    read_records(argv[1]);
    for (unsigned major = 0; major < 2; major++)
        for (unsigned s = 0; s < 4; s++)
            for (uint32_t bits = 8; bits <= 32; bits *= 2)
                test_layout(&(struct canonical){major == 0, swizzles[s], bits});
    for (size_t c = 0; c < sizeof reading_cases / sizeof *reading_cases; c++)
        test_descriptor(&reading_cases[c]);
    write_records(argv[2]);
    printf("1..%u\n", tests);
    return failures > 0;
}
