/* absent.c - stands in for the gpu source where the program is built without nvcc. */
#include "source.h"

static enum mapping_status absent(struct mapping_error *error) {
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        "this program was built without nvcc, so it cannot use a GPU");
}

enum mapping_status gpu_arch(int device, unsigned *arch, struct mapping_error *error) {
    (void)device, (void)arch;
    return absent(error);
}

bool gpu_covers(unsigned arch, const struct mapping_fragment *fragment) {
    (void)arch, (void)fragment;
    return true;
}

enum mapping_status gpu_observe(unsigned arch, const struct mapping_fragment *fragments,
                                size_t count, const struct source_options *options,
                                struct mapping_map *maps, struct provenance *provenances,
                                struct mapping_error *error) {
    (void)arch, (void)fragments, (void)count, (void)options, (void)maps, (void)provenances;
    return absent(error);
}
