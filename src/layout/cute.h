/* cute.h - layouts in the algebra of CuTe. */
#ifndef CUTE_H
#define CUTE_H

#include "mapping.h"

/* The largest size of a layout that is allowed here. */
enum { MODES_SIZE_MAX = 1 << 20 };

/* Reads a layout, "(4,(2,2)):(1,(8,4))", "32" or "32:1", and returns what follows it, or NULL. The
 * modes of its top level are written to modes[], at most `rank` of them; *count becomes how many
 * they are, or 1 where it is one number. */
const char *mapping_modes_parse(const char *text, struct mapping_modes *modes, unsigned rank,
                                unsigned *count);

/* The number of arguments, and the value for one. From its size on the last mode goes on. */
uint32_t mapping_modes_size(const struct mapping_modes *modes);
uint32_t mapping_modes_at(const struct mapping_modes *modes, uint32_t argument);

/* The layout of what `modes` leaves out of the numbers below `bound`, in ascending order: CuTe's
 * complement. False if the strides of `modes` overlap. */
bool mapping_modes_complement(const struct mapping_modes *modes, uint32_t bound,
                              struct mapping_modes *complement);

#endif
