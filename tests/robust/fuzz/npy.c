/* npy.c - fuzzes headers of NumPy's files: one that is read lies inside of the file, and written
 * and read again it is the same. */
#include "fuzz.h"

#include "probe/npy.h"

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
