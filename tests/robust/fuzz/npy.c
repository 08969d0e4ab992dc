/* npy.c - fuzzes headers of .npy files. A header that can be read is within the file, and survives
 * a round trip through writing and reading. As a table, an array has a line for each source or
 * place. */
#include "fuzz.h"

#include "command/array_table.h"
#include "probe/npy.h"

/* Reads the array as a table of --map. */
static void check_table(const uint8_t *data, size_t size, const struct npy *npy) {
    struct mapping_error error = {""};
    struct printer content = {.text = NULL};
    const char *outputs = NULL;
    char *reading = NULL;
    uint64_t lines = 1, elements = 1;
    print_raw(&content, (const char *)data, size);
    printer_string(&content);
    must(array_is_meant(&content), "a file with a header is an array");
    const enum mapping_status status = array_read(&content, "a file", &outputs, &reading, &error);
    must_say_why(status, &error);
    if (status != MAPPING_OK)
        return;
    for (size_t a = 0; a < npy->axes; a++)
        elements *= npy->shape[a];
    for (size_t c = 0; c < content.size; c++)
        lines -= content.text[c] == '\n';
    must(elements <= size, "all elements are in the file");
    must(lines + elements / (outputs ? 1 : npy->shape[2]) == 0, "each element has a line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char header[NPY_HEADER], text[NPY_TEXT];
    struct mapping_error error = {""};
    struct npy npy, again;
    const enum mapping_status status = npy_read(data, size, "a file", &npy, &error);
    bool is_held = false;
    must_say_why(status, &error);
    if (status != MAPPING_OK)
        return 0;
    must(npy.data <= size && npy.axes <= NPY_AXES_MAX, "the header is in the file");
    check_table(data, size, &npy);
    for (enum mapping_type type = 0; type < MAPPING_TYPES; type++)
        is_held |= npy_holds(&npy, type);
    npy_shape_text(&npy, text);
    if (!is_held || npy.axes == 0 || strlen(text) > 60)
        return 0;
    npy_write(header, &npy);
    must(npy_read(header, sizeof header, "a file", &again, &error) == MAPPING_OK &&
             again.data == NPY_HEADER && !again.is_fortran,
         "a header that is written can be read");
    must(again.axes == npy.axes && strcmp(again.descr, npy.descr) == 0 &&
             memcmp(again.shape, npy.shape, npy.axes * sizeof *npy.shape) == 0,
         "it is the same header");
    return 0;
}
