/* html_data.h - what a page is made of, as JSON that may stand inside of a script element. */
#ifndef HTML_DATA_H
#define HTML_DATA_H

#include "output/output.h"

/* Prints a string of JSON. What could end the element, or a line of a script, is escaped. */
void html_string(struct printer *to, const char *text);

/* Prints the layout of a report with its formulae, as small as it can be: coordinates to which each
 * bit of the source contributes by itself as what the bits contribute, all others as tables. Either
 * gives every entry; that has been compared. */
void html_layout(struct printer *to, const struct report *report);

/* Texts of which each is kept once. A zeroed one is empty. */
struct pool {
    struct printer text; /* all of them, with a comma between */
    struct pooled *items;
    size_t count, room;
    uint32_t *slots; /* numbers of items by their hashes */
    size_t slot_count;
};

/* Adds a text unless it is there. Returns its number. */
uint32_t pool_add(struct pool *pool, const char *text, size_t size);

/* Prints all texts in the order of their numbers, with commas between. */
void pool_print(struct printer *to, const struct pool *pool);

#endif
