/* catalogue.h - what the rest of the program asks a family of instructions beside what mapping.h
 * tells everybody. */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include "mapping.h"

/* The form of an instruction: how a kernel has to be written that executes it. */
enum probe {
    PROBE_WMMA,      /* load_matrix_sync and store_matrix_sync of mma.h */
    PROBE_MMA,       /* A, B, C, D and metadata in registers: mma, mma.sp */
    PROBE_LDMATRIX,  /* rows of shared memory into registers */
    PROBE_STMATRIX,  /* the other way round */
    PROBE_MOVMATRIX, /* registers into registers */
    PROBE_WGMMA,     /* a warpgroup; B in shared memory, A in shared memory or registers */
    PROBES
};

enum probe mapping_instruction_probe(enum mapping_instruction instruction);

/* The name of the file under results/ that the fragment is recorded in, without ".txt": "mma"; NULL
 * where each architecture has a file of its own, "sm_80". */
const char *mapping_fragment_results(const struct mapping_fragment *fragment);

#endif
