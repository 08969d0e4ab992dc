/* records.c - fuzzes files of records: records that are read, written and read again are the same,
 * and their grids follow from their layouts. */
#include "fuzz.h"

#include "output/results.h"

/* More than most mutated files have; for larger files, the part that is read is enough. */
enum { ENTRIES_MAX = 64, POINTS_MAX = 1024 };

static bool is_small(const struct records *records) {
    size_t entries = 0;
    bool is_so = true;
    for (size_t r = 0; r < records->count && is_so; r++) {
        struct mapping_space from, to;
        struct mapping_error error;
        entries += records->record[r].count;
        is_so = record_spaces(&records->record[r].entries[0], &from, &to, &error) == MAPPING_OK &&
                mapping_space_size(&from) <= POINTS_MAX && entries <= ENTRIES_MAX;
    }
    return is_so;
}

/* Writes what was read, reads that, and writes it once more. */
static void check(struct records *records) {
    struct printer text = {.text = NULL}, again = {.text = NULL};
    struct records copy = {.count = 0};
    struct mapping_error error = {""};
    if (records_write(&text, records, &error) == MAPPING_OK) {
        must(records_read(printer_string(&text), &copy, &error) == MAPPING_OK,
             "what is written can be read");
        for (size_t r = 0; r < copy.count; r++)
            must(record_check(&copy.record[r], &error) == MAPPING_OK, "it follows from its layout");
        must(records_write(&again, &copy, &error) == MAPPING_OK &&
                 strcmp(printer_string(&text), printer_string(&again)) == 0,
             "it is the same text");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = text_of(data, size);
    struct mapping_error error = {""};
    struct records records;
    const enum mapping_status status = records_read(text, &records, &error);
    must_say_why(status, &error);
    if (status == MAPPING_OK && is_small(&records))
        check(&records);
    memory_release();
    free(text);
    return 0;
}
