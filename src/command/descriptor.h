/* descriptor.h - requests about descriptors given as numbers: "0x4000004000010000". */
#ifndef DESCRIPTOR_COMMAND_H
#define DESCRIPTOR_COMMAND_H

#include "command/request.h"

/* True if a subject is meant as a descriptor: a number with as many digits as the shortest
 * descriptor. */
bool descriptor_is_meant(const char *text);

/* True if the argument of --verify is the descriptor of a matrix instead of formulae. */
bool is_about_descriptor(const struct request *request);

/* Does --verify with the descriptor of a matrix: compares it with the one that the matrix needs. */
enum mapping_status verify_descriptor(const struct request *request, struct pages *pages,
                                      struct mapping_error *error);

#endif
