/* execute.h - executes a warp's integer program on the host. */
#ifndef EXECUTE_H
#define EXECUTE_H

#include "source/sass/disassembly.h"

/* A piece of global memory. Programs read only the input and write only the output. */
struct buffer {
    uint64_t address; /* that the program sees */
    size_t size;      /* bytes */
    uint8_t *bytes;   /* owned by the caller */
};

/* Runs the kernel for 32 threads with two parameters, the addresses of `input` and `output`.
 *
 * `written` has a place for each byte of the output, and tells afterwards whether it was written.
 * MAPPING_FAILED with the instruction and its address for everything that cannot be followed with
 * certainty: an instruction or operand that is not supported; a register that was never written
 * where its value matters, i.e. in an address, a condition or what is stored; an access outside the
 * buffers or not aligned; two threads storing different values in one place; a program that does
 * not end, or not within the limit. A branch on such a register is tried both ways, and does not
 * matter if both give the same output. */
enum mapping_status execute(const struct kernel *kernel, const struct buffer *input,
                            const struct buffer *output, uint8_t *written,
                            const struct limit *limit, struct mapping_error *error);

#endif
