/* nearest.h - finds the valid word that is closest to a mistyped one. */
#ifndef LAYOUT_NEAREST_H
#define LAYOUT_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* The few words that are nearest to a given one and are suggested, with the nearest first. */
struct nearest {
    const char *word, *lead; /* lead: "; did you mean ", the text that nearest_print writes first */
    size_t limit, count;
    struct {
        size_t distance;
        char word[128];
    } found[3];
};

/* Starts a search for words near `word`, which must stay alive. The distance counts inserted,
 * deleted and changed letters. Inserting or deleting a whole part between dots costs less, and
 * changing a number costs less the closer the numbers are. A word is not near if it needs changes
 * of more than a third of the letters (at least three), or of more than half of its own letters. */
struct nearest nearest_to(const char *word);

/* Adds a valid word to the search. True if it is near. */
bool nearest_offer(struct nearest *nearest, const char *candidate);

/* Inserts a word by its distance, after those with the same or a smaller one. False if the list is
 * full. */
bool nearest_insert(struct nearest *nearest, size_t distance, const char *word);

/* Writes "; did you mean X or Y?", or nothing if no word is near. */
void nearest_print(const struct nearest *nearest, char *text, size_t size);

#endif
