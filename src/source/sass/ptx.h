/* ptx.h - the PTX that makes the compiler spell out a fragment's layout. */
#ifndef PTX_H
#define PTX_H

#include "mapping.h"

/* One kernel. It has two parameters, the addresses of an input and an output buffer.
 *
 * For A, B and C it loads the fragment from the input, a matrix without padding that lies there as
 * `order` says, and thread tid stores its registers to output[tid * registers ..]. For D, thread
 * tid loads its registers from input[tid * registers ..], and the fragment is stored to the output
 * as such a matrix. */
struct ptx_kernel {
    struct mapping_fragment fragment;
    enum mapping_order order; /* in memory */
};

/* Longest name of a kernel with its end. */
#define KERNEL_NAME_SIZE 24

/* The name of kernels[index]. */
void ptx_kernel_name(size_t index, char name[KERNEL_NAME_SIZE]);

/* Returns a PTX module with the kernels. */
char *ptx_module(const struct ptx_kernel *kernels, size_t count);

#endif
