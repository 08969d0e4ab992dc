/* access.h - an access to shared memory, and how many wavefronts it takes. */
#ifndef ACCESS_H
#define ACCESS_H

#include "layout/banks.h"

/* Where the rule of layout/banks.h was counted. On other architectures it is assumed. */
#define ACCESS_COUNTED_ARCH "sm_90"
#define ACCESS_COUNTED_DEVICE "NVIDIA H200"
#define ACCESS_RULE                                                                                \
    "measured with ncu on an H200 (" ACCESS_COUNTED_ARCH "), assumed for other architectures"

struct access {
    const struct mapping_access *operation;
    const char *text; /* as the addresses were given */
    bool is_list;     /* as numbers; else as an expression */
    uint32_t address[LANES];
    struct mapping_wavefronts counted;
};

#endif
