/* notation.c - fuzzes layouts in the notations of CuTe and CUTLASS 2, and tilings: a layout that is
 * parsed, printed in CuTe's notation and parsed again is the same. An error message names a place
 * in the text. A second line, "64,32", is the extent. */
#include "fuzz.h"

#include "layout/cute_layout.h"
#include "layout/tv_layout.h"
#include "smem/matrix.h"

#include <ctype.h>

/* More elements take more time than they are worth; there may be 2^20. */
enum { ELEMENTS_MAX = 1 << 12, EXTENT_MAX = 64, TEXT_SIZE = 2048 };

/* True if a shape has few elements: the product of all numbers before the strides. */
static bool is_small(const char *text) {
    uint64_t product = 1;
    for (const char *c = text; *c && *c != ':' && product <= ELEMENTS_MAX;)
        if (isdigit((unsigned char)*c)) {
            char *end;
            unsigned long number = strtoul(c, &end, 10);
            product *= number < 1 ? 1 : number > ELEMENTS_MAX ? ELEMENTS_MAX + 1 : number;
            c = end;
        } else {
            c++;
        }
    return product <= ELEMENTS_MAX;
}

/* Writes the layout of a matrix in CuTe's notation, and reads that. */
static void check_memory(const struct mapping_smem_matrix *memory) {
    const struct mapping_layout *layout = &memory->layout;
    struct mapping_cute cute;
    struct mapping_smem_matrix again;
    struct mapping_error error = {""};
    char text[TEXT_SIZE];
    if (!mapping_cute_find(&layout->from, layout->coordinate[0], &cute))
        return;
    mapping_cute_put_stages_last(&layout->from, &cute);
    if (mapping_cute_print(&cute, text, sizeof text) >= sizeof text)
        return;
    const struct mapping_smem_matrix_request request = {.text = text, .bits = memory->bits};
    enum mapping_status status = mapping_smem_matrix_make(&request, &again, &error);
    if (status != MAPPING_OK)
        fprintf(stderr, "%s: %s\n", text, error.message);
    must(status == MAPPING_OK, "a layout is written in notation that can be read");
    must(layout_equal(layout, &again.layout), "it is the same layout");
    mapping_smem_matrix_free(&again);
}

static void check_descriptors(const struct mapping_smem_matrix *memory) {
    struct mapping_descriptor descriptor;
    mapping_smem_matrix_descriptor(memory, READER_WGMMA, &descriptor);
    if (mapping_smem_matrix_descriptor(memory, READER_TCGEN05, &descriptor))
        must(descriptor.value != 0, "a descriptor has a value");
}

/* Makes a TV layout: coordinates are in range, or there is an error message. */
static void check_tv(const char *text) {
    const uint32_t extent[2] = {16, 16};
    struct mapping_tv tv;
    struct mapping_error error = {""};
    const enum mapping_status status = mapping_tv_make(text, extent, &tv, &error);
    must(status == MAPPING_OK || *error.message, "a refusal has a sentence");
    for (uint32_t c = 0; status == MAPPING_OK && c < 2; c++)
        for (size_t n = 0; n < mapping_layout_entries(&tv.layout); n++)
            must(tv.layout.coordinate[c][n] < tv.layout.to.axis[c].size,
                 "coordinates are less than the size of their axis");
}

static void make(const char *text, const char *extent) {
    struct mapping_smem_matrix_request request = {.text = text};
    struct mapping_smem_matrix memory;
    struct mapping_error error = {""};
    if (extent && sscanf(extent, "%u,%u", &request.extent[0], &request.extent[1]) == 2 &&
        (request.extent[0] > EXTENT_MAX || request.extent[1] > EXTENT_MAX))
        return;
    enum mapping_status status = mapping_smem_matrix_make(&request, &memory, &error);
    must(status == MAPPING_OK || status == MAPPING_INVALID, "a layout is one or not");
    must_say_why(status, &error);
    if (status == MAPPING_OK) {
        check_memory(&memory);
        check_descriptors(&memory);
    }
    mapping_smem_matrix_free(&memory);
}

/* Modes of a layout, and tilings of multiplications. */
static void read_modes(const char *text, const char *second) {
    struct mapping_modes modes[3];
    struct mapping_modes_fault fault = {NULL, NULL};
    struct mapping_tiling tiling;
    struct mapping_error error = {""};
    unsigned count;
    const char *rest = mapping_modes_read(text, modes, 3, &count, &fault);
    must(rest ? rest > text && rest <= text + strlen(text) && count >= 1
              : fault.reason && fault.place >= text && fault.place <= text + strlen(text),
         "what is no layout is no layout somewhere");
    must_say_why(mapping_tiling_parse(text, second, &tiling, &error), &error);
    must_say_why(mapping_tiling_parse(NULL, text, &tiling, &error), &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = text_of(data, size), *next = copy;
    const char *text = cut_line(&next), *second = cut_line(&next);
    read_modes(text, second);
    if (mapping_tv_is_meant(text) && is_small(text))
        check_tv(text);
    if (mapping_smem_matrix_is_meant(text) && is_small(text))
        make(text, second);
    free(copy);
    return 0;
}
