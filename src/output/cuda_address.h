/* cuda_address.h - where loads from Tensor Memory read, and stores write, as a function of C. */
#ifndef CUDA_ADDRESS_H
#define CUDA_ADDRESS_H

#include "output/output.h"

/* Prints mapping_NAME_address([cta,] [load,] warp), which is added to the address of the operand;
 * nothing of what is no part. */
void print_address_function(struct printer *to, const struct report *report, const char *name);

#endif
