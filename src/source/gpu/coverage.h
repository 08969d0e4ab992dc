/* coverage.h - which fragments there are kernels for. */
#ifndef COVERAGE_H
#define COVERAGE_H

#include "source/gpu/operands.h"

/* Finds the opcode that the fragment is observed with, or its load or store of wmma. False if there
 * is no kernel for it. */
bool coverage_find(const struct mapping_fragment *fragment, struct operands *operands);

#endif
