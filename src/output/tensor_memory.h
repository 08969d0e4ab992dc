/* tensor_memory.h - what is in Tensor Memory, in words: a part of the facts of --detail. */
#ifndef OUTPUT_TENSOR_MEMORY_H
#define OUTPUT_TENSOR_MEMORY_H

#include "report/report.h"
#include "system/system.h"

/* Prints what a fragment takes of Tensor Memory, and who reaches it, in lines of facts; nothing of
 * what is not there. */
void print_tensor_memory(struct printer *to, const struct report *report);

#endif
