/* json.h - JSON by patterns, and what the files of this format share. */
#ifndef JSON_H
#define JSON_H

#include "output/output.h"

/* Prints what a pattern says: json(to, "lane:%u,name:%s,moved:%d", 3, "a", true) prints
 * "lane":3,"name":"a","moved":true.
 *
 * Words before a colon are put in quotes. %s is a text in quotes, or null for NULL; %d is true or
 * false; %u, %zu, %llu and %lld are numbers. Between quotes in the pattern %s and %u are printed
 * as they are: arch:"sm_%u". json() itself prints the comma between the text before and
 * the pattern, also before a line break at the start of the pattern. There is no comma at the start
 * of a page, nor behind an opening bracket, a colon or a comma. */
void json(struct printer *to, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* Members of the name `key` that are arrays: of texts, of numbers, and of architectures, bit n
 * being mapping_arch_at(n). */
void json_texts(struct printer *to, const char *key, char *const *texts, size_t count);
void json_numbers(struct printer *to, const char *key, const uint32_t *numbers, size_t count);
void json_archs(struct printer *to, const char *key, uint32_t archs);

/* The members that a fragment has on every architecture. */
void json_facts(struct printer *to, const struct mapping_fragment *fragment);

/* "targets":["sm_100a","sm_100f"]: the targets for which ptxas accepts the fragment, on one
 * architecture, or on all if `arch` is 0. */
void json_targets(struct printer *to, const struct mapping_fragment *fragment, unsigned arch);

/* "detail":{...}: what follows from the layout of a fragment. */
void json_detail(struct printer *to, const struct report *report);

/* "sass":[...],"instructions":18: what the opcode that was asked for becomes on the architecture of
 * the report, if there is one. */
void json_becomes(struct printer *to, const struct report *report);

/* What a matrix in memory is: members "type" and sizes, and its descriptors. */
void json_placement(struct printer *to, const struct report *report);

/* As struct output has them. */
void json_loadings(struct printer *to, const struct loading *loadings, size_t count,
                   const struct style *style);
void json_suggestions(struct printer *to, const struct suggested *suggested,
                      const struct style *style);
void json_access(struct printer *to, const struct access *access);

#endif
