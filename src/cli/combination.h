/* combination.h - options that make no sense together. */
#ifndef COMBINATION_H
#define COMBINATION_H

#include "command/request.h"

/* The option that asks for an action, without its dashes; of ACTION_SHOW "all". */
const char *action_name(enum action action);

/* MAPPING_INVALID with a sentence if the request contradicts itself. `has_arch` says whether --arch
 * was given, which a comparison has no use for. */
enum mapping_status check_combination(const struct request *request, bool has_arch,
                                      struct mapping_error *error);

#endif
