/* coverage.c - which fragments there are kernels for; see coverage.h. */
#include "source/gpu/coverage.h"

#include "catalogue/catalogue.h"
#include "source/gpu/kernels.h"
#include "source/source.h"

#include <stdlib.h>
#include <string.h>

/* A fragment by name, and the index of the opcode, or of wmma the fragment's own, in the catalogue;
 * the architecture and the PTX that this needs. The fragment may be older: mma.m8n8k128 of b1 is of
 * sm_75, but there it has no products, only the exclusive or. */
struct row {
    const char *name;
    uint32_t number, since, ptx;
};

/* Printed by generate.c, sorted by name: {"ldmatrix.m8n8.x1.p.b16", 354, 75, 65}, */
static const struct row rows[] = {
#include "fragments.inc"
};

static int compare(const void *name, const void *row) {
    return strcmp(name, ((const struct row *)row)->name);
}

/* NULL if there is none, or if nvcc did not know the opcode. */
static const struct row *find_row(const struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    mapping_fragment_name(fragment, name);
    const struct row *row = bsearch(name, rows, sizeof rows / sizeof *rows, sizeof *rows, compare);
    return row && row->ptx <= nvcc_ptx ? row : NULL;
}

bool coverage_find(const struct mapping_fragment *fragment, struct operands *operands) {
    const struct row *row = find_row(fragment);
    if (!row)
        return false;
    return mapping_instruction_probe(fragment->instruction) == PROBE_WMMA
               ? operands_of_wmma(row->number, operands)
               : operands_of_opcode(row->number, operands);
}

bool gpu_covers(unsigned arch, const struct mapping_fragment *fragment) {
    const struct row *row = find_row(fragment);
    return row && row->since <= arch;
}
