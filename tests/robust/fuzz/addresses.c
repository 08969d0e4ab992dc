/* addresses.c - fuzzes the addresses of an access to shared memory: an expression gives the same
 * answer as the list of its values. The first byte chooses the access. */
#include "fuzz.h"

#include "command/request.h"

/* Prints what an access comes to. False if the addresses are refused. */
static bool run(const struct mapping_access *access, const char *address,
                const struct output *output, struct pages *pages) {
    const struct request request = {
        .action = ACTION_ACCESS, .access = access, .address = address, .output = output};
    struct mapping_error error = {""};
    *pages = (struct pages){.page = NULL};
    enum mapping_status status = command_access(&request, pages, &error);
    must(status == MAPPING_OK || status == MAPPING_INVALID, "addresses are right or wrong");
    must_say_why(status, &error);
    return status == MAPPING_OK;
}

/* Makes a list of the addresses that JSON has. */
static char *list_of(const char *json) {
    static const char start[] = "\"address\":[";
    const char *next = strstr(json, start) + sizeof start - 1;
    struct printer list = {.text = NULL};
    for (; *next != ']'; next++)
        if (*next == 'n') {
            print_char(&list, '-');
            next += strlen("ull");
        } else {
            print_char(&list, *next);
        }
    return printer_string(&list);
}

static void check(const struct mapping_access *access, const char *address) {
    struct pages pages, again, text;
    if (run(access, address, &json_output, &pages)) {
        const char *json = printer_string(pages.page);
        char *list = list_of(json);
        must(run(access, list, &json_output, &again), "addresses can be given as a list");
        must(strcmp(json, printer_string(again.page)) == 0, "as a list they come to the same");
        must(run(access, address, &text_output, &text), "they can be printed as text");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static size_t count;
    while (mapping_access_at(count))
        count++;
    if (size == 0 || count == 0)
        return 0;
    char *address = text_of(data + 1, size - 1);
    check(mapping_access_at(*data % count), address);
    free(address);
    memory_release();
    return 0;
}
