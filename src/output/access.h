/* access.h - accesses to shared memory, as text. */
#ifndef OUTPUT_ACCESS_H
#define OUTPUT_ACCESS_H

#include "output/output.h"

#include "layout/banks.h"

/* Takes the next lanes that follow each other out of a set. False if it is empty. */
bool next_lanes(uint32_t *set, uint32_t *first, uint32_t *last);

/* Prints the operation and what it was given: "ld.b32, address: tid * 8". */
void print_access_name(struct printer *to, const struct access *access);

/* Prints what a phase is and takes, in one line without its end: "lanes 0-7 (phase 0): 2
 * wavefronts, 2 words conflict in bank 0". */
void print_phase_line(struct printer *to, const struct mapping_phase *phase, uint32_t number);

/* Prints what it takes: "Wavefronts: 2 (minimum: 1), 2-way bank conflicts on average", and where
 * lanes with the same addresses make phases fewer, that they do. */
void print_access_total(struct printer *to, const struct mapping_access *operation,
                        const struct mapping_wavefronts *counted);

/* Ends a line that begins at `line`: prints by how much the wavefronts exceed the minimum, as
 * profilers do: " (minimum: 4), 8-way bank conflicts on average". */
void print_conflicts(struct printer *to, size_t line, uint32_t wavefronts, uint32_t minimum);

/* Prints the addresses, the wavefronts, and of each phase which lanes meet in which bank. */
void print_access(struct printer *to, const struct access *access);

#endif
