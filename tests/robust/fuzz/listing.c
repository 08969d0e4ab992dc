/* listing.c - fuzzes the output of nvdisasm, which is parsed and executed. Running a kernel twice
 * gives the same result, and a kernel stores only to its output. If an input has no section, its
 * lines are the instructions of one; the test adds their addresses. */
#include "fuzz.h"

#include "source/sass/execute.h"

#define INPUT UINT64_C(0x7000fffffff0)
#define OUTPUT UINT64_C(0x7100ffffff00)

enum { BYTES = 256, KERNELS = 2, SECONDS = 60 };

/* Writes the listing of a kernel with these instructions and labels. */
static char *listing_of(char *program) {
    char *text = NULL, *line;
    size_t size = 0;
    unsigned address = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        abort();
    fputs(".section\t.nv.info.k,\"\"\n//----- nvinfo : EIATTR_PARAM_CBANK\n.short\t0x0160\n"
          ".section\t.text.k,\"ax\"\n",
          file);
    while ((line = cut_line(&program)))
        if (*line == '.')
            fprintf(file, "%s\n", line);
        else
            fprintf(file, "/*%04x*/ %s ;\n", 16 * address++, line);
    if (fclose(file) != 0)
        abort();
    return text;
}

/* Executes a kernel with an output that holds one byte everywhere. */
static enum mapping_status run(const struct kernel *kernel, int fill, uint8_t bytes[BYTES],
                               uint8_t written[BYTES]) {
    static uint8_t given[BYTES];
    const struct buffer input = {INPUT, BYTES, given}, output = {OUTPUT, BYTES, bytes};
    struct mapping_error error = {""};
    for (int n = 0; n < BYTES; n++)
        given[n] = (uint8_t)n;
    memset(bytes, fill, BYTES);
    const struct limit limit = limit_begin(SECONDS);
    enum mapping_status status = execute(kernel, &input, &output, written, &limit, &error);
    must(status == MAPPING_OK || status == MAPPING_FAILED, "a kernel ends or fails");
    must_say_why(status, &error);
    for (int n = 0; n < BYTES; n++)
        must(given[n] == n, "the input stays as it is");
    return status;
}

/* Stored values do not depend on the old content, and all other bytes keep theirs. */
static void check(const struct kernel *kernel) {
    uint8_t bytes[2][BYTES], written[2][BYTES];
    enum mapping_status status = run(kernel, 0, bytes[0], written[0]);
    must(status == run(kernel, 255, bytes[1], written[1]), "a kernel does the same again");
    for (int n = 0; n < BYTES && status == MAPPING_OK; n++) {
        must(written[0][n] == written[1][n], "a kernel stores in the same places again");
        must(written[0][n] ? bytes[0][n] == bytes[1][n] : bytes[0][n] == 0 && bytes[1][n] == 255,
             "nothing is stored elsewhere");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *input = text_of(data, size), *made = NULL;
    struct listing listing;
    struct mapping_error error = {""};
    if (!strstr(input, ".section"))
        made = listing_of(input);
    const char *from = made ? made : input;
    char *text = strcpy(memory_get(strlen(from) + 1, 1), from);
    free(made);
    free(input);
    const struct limit limit = limit_begin(SECONDS);
    enum mapping_status status = listing_parse(text, &limit, &listing, &error);
    must(status == MAPPING_OK || status == MAPPING_FAILED, "a listing is read or not");
    must_say_why(status, &error);
    for (size_t p = 0; p < listing.part_count && p < KERNELS && status == MAPPING_OK; p++) {
        struct kernel kernel;
        if (listing_kernel(&listing, listing.parts[p].name, &kernel, &error) == MAPPING_OK &&
            kernel.count > 0)
            check(&kernel);
    }
    listing_free(&listing);
    memory_release();
    return 0;
}
