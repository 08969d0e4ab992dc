/* nearest.h - what a mistyped word may have been meant to be. */
#ifndef NEAREST_H
#define NEAREST_H

#include <stddef.h>

/* The few words that are nearest to one, by edit distance, as they are offered. */
struct nearest {
    const char *word;
    size_t distance, count;
    char found[3][128];
};

/* Starts to look for what is near to `word`, which has to live on. Nothing is near that takes more
 * changes than a third of its letters, or three. */
struct nearest nearest_to(const char *word);

/* Offers a word that exists. */
void nearest_offer(struct nearest *nearest, const char *candidate);

/* Writes "; did you mean X or Y?", or nothing if nothing is near. */
void nearest_print(const struct nearest *nearest, char *text, size_t size);

#endif
