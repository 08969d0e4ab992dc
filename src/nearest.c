/* nearest.c - what a mistyped word may have been meant to be; see nearest.h. */
#include "nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 127 };

/* Letters to insert, delete or change to turn one word into the other, upper or lower case
 * (Levenshtein's distance). Both are at most LENGTH_MAX long. */
static size_t distance(const char *a, const char *b) {
    size_t row[LENGTH_MAX + 1], length = strlen(b);
    for (size_t n = 0; n <= length; n++)
        row[n] = n;
    for (size_t m = 1; *a; a++, m++) {
        size_t diagonal = row[0];
        row[0] = m;
        for (size_t n = 1; n <= length; n++) {
            size_t change =
                diagonal + (tolower((unsigned char)*a) != tolower((unsigned char)b[n - 1]));
            diagonal = row[n];
            row[n] = row[n] < row[n - 1] ? row[n] + 1 : row[n - 1] + 1;
            if (change < row[n])
                row[n] = change;
        }
    }
    return row[length];
}

struct nearest nearest_to(const char *word) {
    size_t limit = strlen(word) / 3;
    return (struct nearest){.word = word, .distance = limit > 3 ? limit : 3};
}

void nearest_offer(struct nearest *nearest, const char *candidate) {
    if (strlen(nearest->word) > LENGTH_MAX || strlen(candidate) > LENGTH_MAX)
        return;
    size_t far = distance(nearest->word, candidate);
    if (far > nearest->distance || far >= strlen(candidate))
        return;
    if (far < nearest->distance)
        nearest->count = 0;
    nearest->distance = far;
    if (nearest->count < sizeof nearest->found / sizeof *nearest->found)
        snprintf(nearest->found[nearest->count++], sizeof *nearest->found, "%s", candidate);
}

void nearest_print(const struct nearest *nearest, char *text, size_t size) {
    *text = '\0';
    for (size_t n = 0; n < nearest->count; n++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s",
                 n == 0                   ? "; did you mean "
                 : n + 1 < nearest->count ? ", "
                                          : " or ",
                 nearest->found[n]);
    }
    size_t length = strlen(text);
    if (length > 0)
        snprintf(text + length, size - length, "?");
}
