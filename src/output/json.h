/* json.h - prints JSON by patterns such as "lane:%u,name:%s", and declares the functions that the
 * files of this format share.
 */
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
 * of a page, nor after an opening bracket, a colon or a comma. */
void json(struct printer *to, const char *pattern, ...) __attribute__((format(printf, 2, 3)));

/* Prints the start of a member, as json(to, "%s:", key) does, in a fifth of the time. */
void json_key(struct printer *to, const char *key);

/* Prints an array of numbers. json_numbers prints it as the member `key`. */
void json_array(struct printer *to, const uint32_t *numbers, size_t count);
void json_numbers(struct printer *to, const char *key, const uint32_t *numbers, size_t count);

/* Prints an array of texts. */
void json_strings(struct printer *to, const struct strings *strings);

#endif
