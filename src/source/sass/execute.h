/* execute.h - executes a warp's integer program on the host. */
#ifndef EXECUTE_H
#define EXECUTE_H

#include "source/sass/disassembly.h"

/* A piece of global memory. Programs read only the input and write only the output. */
struct buffer {
    uint64_t address; /* address that the program uses */
    size_t size;      /* bytes */
    uint8_t *bytes;   /* owned by the caller */
};

/* Runs the kernel for 32 threads with two parameters, the addresses of `input` and `output`.
 *
 * `written` has an element for each byte of the output, which becomes true if the program writes
 * the byte. MAPPING_FAILED, with the instruction and its address, if the result is not certain: an
 * instruction or operand is not supported; an address, a condition or a stored value depends on a
 * register that was never written; an access is outside the buffers or not aligned; two threads
 * store different values at one address; or the program does not end, or not within the limit. A
 * branch on an unwritten register is tried both ways, and is accepted if both give the same output.
 */
enum mapping_status execute(const struct kernel *kernel, const struct buffer *input,
                            const struct buffer *output, uint8_t *written,
                            const struct limit *limit, struct mapping_error *error);

#endif
