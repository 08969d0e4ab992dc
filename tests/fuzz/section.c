/* section.c - fuzzes files of results: what is read is written and read again, and is the same. */
#include "fuzz.h"

#include "report/derive.h"
#include "report/section.h"

/* More than most fragments have; of others, what is read is enough. */
enum { ENTRIES_MAX = 1024 };

/* Makes of a section what is printed of it. False if it shows no layout. */
static bool report_of(const struct section *section, struct report *report) {
    struct mapping_error error = {""};
    *report = (struct report){.kind = "fragment",
                              .arch = section->arch,
                              .is_default_arch = section->is_default_arch,
                              .suffix = section->suffix,
                              .has_fragment = true,
                              .observed = {.arch = section->arch,
                                           .fragment = section->fragment,
                                           .provenance = section->provenance,
                                           .confirmation = section->confirmation}};
    mapping_fragment_name(&section->fragment, report->name);
    enum mapping_status status = section_layout(section, &report->observed.layout, &error);
    if (status == MAPPING_OK)
        status = derive_solution(report, mapping_fragment_copy_axis(&section->fragment), &error);
    if (status != MAPPING_NO_FORMULA) /* which a formula that is missing says */
        must_say_why(status, &error);
    return status == MAPPING_OK || (status == MAPPING_NO_FORMULA && !section->brief);
}

/* Reads one section; false if there is none. */
static bool read_one(const char *text, struct section *section) {
    struct section_reader reader = section_reader_of(text);
    struct mapping_error error = {""};
    bool more;
    return section_read(&reader, section, &more, &error) == MAPPING_OK && more;
}

/* Writes a section that was read, reads that, and writes it once more. */
static void check(const struct section *section) {
    struct report first, second = {.kind = ""};
    struct printer text = {.text = NULL}, again = {.text = NULL};
    struct section copy = {.text = NULL};
    if (report_of(section, &first)) {
        section_write(&text, &first, section->brief);
        must(read_one(printer_string(&text), &copy), "what is written can be read");
        must(mapping_fragment_equal(&copy.fragment, &section->fragment) &&
                 copy.arch == section->arch && copy.brief == section->brief,
             "it is the same fragment");
        must(memcmp(&copy.confirmation, &section->confirmation, sizeof copy.confirmation) == 0,
             "it is confirmed by the same");
        must(report_of(&copy, &second) &&
                 mapping_layout_equal(&first.forward.layout, &second.forward.layout),
             "it is the same layout");
        section_write(&again, &second, section->brief);
        must(strcmp(printer_string(&text), printer_string(&again)) == 0, "it is the same text");
    }
    section_free(&copy);
    report_free(&first);
    report_free(&second);
    printer_free(&text);
    printer_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = text_of(data, size);
    struct section_reader reader = section_reader_of(text);
    struct mapping_error error = {""};
    struct section section;
    bool more = true;
    while (more) {
        enum mapping_status status = section_read(&reader, &section, &more, &error);
        must_say_why(status, &error);
        if (status != MAPPING_OK || !more)
            break;
        if (mapping_space_size(&section.from) <= ENTRIES_MAX)
            check(&section);
        section_free(&section);
    }
    free(text);
    return 0;
}
