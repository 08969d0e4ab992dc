/* tiled.h - parses a TiledMMA of CuTe. */
#ifndef TILED_H
#define TILED_H

#include "command/request.h"

/* Replaces a subject that is a TiledMMA, as CuTe or the CuTe DSL writes or prints it, by its atom,
 * and sets the layout of atoms and the permutation. Leaves other subjects alone. */
enum mapping_status tiled_read(struct request *request, struct mapping_error *error);

#endif
