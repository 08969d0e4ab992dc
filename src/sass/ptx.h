/* ptx.h - the PTX that makes the compiler spell out a fragment's layout. */
#ifndef PTX_H
#define PTX_H

#include "mapping.h"

/* Longest name of a kernel with its end. */
#define KERNEL_NAME_SIZE 24

/* The name of the kernel for fragments[index]. */
void ptx_kernel_name(size_t index, char name[KERNEL_NAME_SIZE]);

/* Returns a PTX module with one kernel for each fragment, or NULL if out of memory. Free it.
 *
 * A kernel has two parameters, the addresses of an input and an output buffer. For D, the thread
 * tid loads its registers from input[tid * registers ..] and stores the fragment as a row-major
 * matrix without padding to the output. */
char *ptx_module(const struct mapping_fragment *fragments, size_t count);

#endif
