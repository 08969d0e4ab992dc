/* json_parts.h - what files of the JSON format share. */
#ifndef JSON_PARTS_H
#define JSON_PARTS_H

#include "output/output.h"

/* Prints a text in quotes. */
void json_string(struct printer *to, const char *text);

/* Prints "name":"formula", or null where there is none. */
void json_formula(struct printer *to, const char *name, const char *formula);

/* Print "name":7 and "name":"text". A list has thousands of them, for which printf takes half of
 * the time. */
void json_number_member(struct printer *to, const char *name, uint32_t number);
void json_text_member(struct printer *to, const char *name, const char *text);

/* Prints the members that a fragment has on every architecture, without braces. */
void json_facts(struct printer *to, const struct mapping_fragment *f);

/* Prints "targets":["sm_100a","sm_100f"]: those that ptxas takes the fragment for, of an
 * architecture or, where that is 0, of all. */
void json_targets(struct printer *to, const struct mapping_fragment *f, unsigned arch);

/* Prints an array of strings. */
void json_strings(struct printer *to, char *const *strings, size_t count);

/* Prints "name":[0,1,2]. */
void json_indices(struct printer *to, const char *name, const uint32_t *numbers, uint32_t count);

/* Prints ,"name":["sm_80","sm_86"]: bit n is mapping_arch_at(n). */
void json_archs(struct printer *to, const char *name, uint32_t archs);

/* Prints "detail":{...}, what follows from the layout of a fragment. */
void json_detail(struct printer *to, const struct report *report);

/* Prints "sass":[...],"instructions":18, what the opcode that was asked for becomes on the
 * architecture of the report, if there is one. */
void json_becomes(struct printer *to, const struct report *report);

/* Prints conversions; see struct output. */
bool json_conversions(struct printer *to, const struct conversion *conversions, size_t count,
                      const struct style *style);

/* Prints an access to shared memory. */
void json_access(struct printer *to, const struct access *access);

/* Prints what a matrix in memory is: members "type" and sizes, and its descriptors. */
void json_placement(struct printer *to, const struct report *report);

#endif
