/* triton.c - fuzzes the parser of Triton files. Each layout has a line of the file and its tensor
 * types. Each type gives a layout whose coordinates are in range, or an error with a message. So
 * does each layout of Gluon. */
#include "fuzz.h"

#include "command/gluon.h"
#include "layout/triton_layout.h"
#include "listing/triton_file.h"
#include "smem/matrix.h"
#include "system/system.h"

/* Makes the layout of a type, of registers, Tensor Memory or shared memory. */
static void check_type(const char *text) {
    struct mapping_triton triton = {.lanes = 0};
    const struct mapping_smem_matrix_request request = {.text = text};
    struct mapping_smem_matrix memory = {.bits = 0};
    struct mapping_error error = {""};
    const uint32_t none[2] = {0, 0};
    const bool is_shared = mapping_smem_matrix_is_meant(text);
    const enum mapping_status status = is_shared
                                           ? mapping_smem_matrix_make(&request, &memory, &error)
                                           : mapping_triton_make(text, none, &triton, &error);
    must(status == MAPPING_OK || *error.message, "a refusal has a sentence");
    if (status != MAPPING_OK)
        return;
    const struct mapping_layout *layout = is_shared ? &memory.layout : &triton.layout;
    for (uint32_t c = 0; c < layout->to.count; c++)
        for (size_t n = 0; n < mapping_layout_entries(layout); n++)
            must(layout->coordinate[c][n] < layout->to.axis[c].size,
                 "coordinates are less than the size of their axis");
}

/* Translates a layout of Gluon, and makes it. */
static void check_gluon(const char *text) {
    struct printer to = {.text = NULL};
    struct mapping_error error = {""};
    const enum mapping_status status = gluon_translate(text, &to, &error);
    must(status == MAPPING_OK || *error.message, "a refusal has a sentence");
    if (status == MAPPING_OK)
        check_type(printer_string(&to));
    printer_free(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = text_of(data, size);
    if (gluon_is_meant(text))
        check_gluon(text);
    struct triton_file file;
    size_t lines = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    triton_file_read(text, &file);
    for (size_t n = 0; n < file.count; n++) {
        const struct triton_definition *item = &file.items[n];
        must(*item->name == '#' && *item->text == '#', "a layout begins with #");
        must(item->line >= 1 && item->line <= lines, "its line is one of the file");
        must(item->types.count == item->expanded.count, "each type is expanded");
        for (size_t t = 0; t < item->expanded.count; t++)
            check_type(item->expanded.text[t]);
    }
    memory_release();
    free(text);
    return 0;
}
