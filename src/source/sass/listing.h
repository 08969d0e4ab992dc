/* listing.h - what nvdisasm prints, as instructions. */
#ifndef LISTING_H
#define LISTING_H

#include "source/sass/operand.h"
#include "system/system.h"

#define OPERANDS_MAX 10

struct instruction {
    unsigned address;
    struct operand guard; /* the predicate that the instruction is under, PT if none */
    const char *opcode;   /* with all its modifiers: "IMAD.WIDE.U32" */
    unsigned count;
    struct operand operands[OPERANDS_MAX];
};

struct label {
    const char *name;
    size_t target; /* index of the instruction that follows it */
};

struct kernel {
    const char *name;
    unsigned parameters; /* offset of the first parameter in constant bank 0 */
    size_t count;
    const struct instruction *code; /* the listing's, as are the labels */
    size_t label_count;
    const struct label *labels; /* sorted by name */
};

struct listing {
    char *text; /* what all names point into */
    size_t count, instruction_count, label_count;
    struct kernel *kernels; /* sorted by name; each once */
    struct instruction *code;
    struct label *labels;
};

/* Parses the output of `nvdisasm CUBIN`, which it takes over and changes. All kernels of the cubin
 * are in the listing afterwards. MAPPING_FAILED with the number of the line that is not understood;
 * if there is more of something than any listing has; if it takes longer than the limit. Whatever
 * the text, that takes no more memory than 400 MiB, and time in proportion to the text's size, but
 * for sorting names. Free the listing with listing_free in any case. */
enum mapping_status listing_parse(char *text, const struct limit *limit, struct listing *listing,
                                  struct mapping_error *error);

void listing_free(struct listing *listing);

/* Finds a kernel with code; NULL if there is none of that name. */
const struct kernel *listing_kernel(const struct listing *listing, const char *name);

/* Finds a label of the kernel, the first of that name; NULL if there is none. */
const struct label *kernel_label(const struct kernel *kernel, const char *name);

#endif
