/* nearest.c - finds the valid word that is closest to a mistyped one; see nearest.h. */
#include "layout/nearest.h"

#include "layout/ascii.h"
#include "layout/sentence.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 127, PARTS_MAX = LENGTH_MAX + 1 };

/* The cost of inserting, deleting or changing a letter; of inserting or deleting a part between
 * dots or commas; and of changing a number between equal letters, which increases with the
 * difference of the numbers. */
enum { LETTER = 64, PART = 48, NUMBER = 32 };

/* A word is suggested if it costs at most this much more than the nearest one. */
enum { SLACK = 8 };

/* As many words are offered at most. */
enum { MOST = sizeof((struct nearest *)0)->found / sizeof *((struct nearest *)0)->found };

/* A piece of a text. */
struct part {
    const char *text;
    size_t length;
};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool is_same_letter(char a, char b) {
    return ascii_lower(a) == ascii_lower(b);
}

/* The cost of the letters that must be inserted, deleted or changed to turn one part into the
 * other, ignoring case (Levenshtein's distance). */
static size_t letter_distance(struct part a, struct part b) {
    size_t row[LENGTH_MAX + 1];
    for (size_t n = 0; n <= b.length; n++)
        row[n] = n;
    for (size_t m = 1; m <= a.length; m++) {
        size_t diagonal = row[0];
        row[0] = m;
        for (size_t n = 1; n <= b.length; n++) {
            size_t change = diagonal + !is_same_letter(a.text[m - 1], b.text[n - 1]);
            diagonal = row[n];
            row[n] = least(change, least(row[n], row[n - 1]) + 1);
        }
    }
    return row[b.length] * LETTER;
}

/* Reads a number, at most 10000, at *place of a part, and sets *place to the text after it. */
static size_t read_number(struct part part, size_t *place) {
    size_t number = 0;
    for (; *place < part.length && ascii_is_digit(part.text[*place]); ++*place)
        number = least(10 * number + (size_t)(part.text[*place] - '0'), 10000);
    return number;
}

/* The cost of changing the numbers of one part to those of the other; SIZE_MAX if the parts also
 * differ elsewhere. */
static size_t number_distance(struct part a, struct part b) {
    size_t cost = 0, m = 0, n = 0;
    while (m < a.length && n < b.length) {
        if (!ascii_is_digit(a.text[m]) || !ascii_is_digit(b.text[n])) {
            if (!is_same_letter(a.text[m++], b.text[n++]))
                return SIZE_MAX;
            continue;
        }
        size_t one = read_number(a, &m), other = read_number(b, &n);
        size_t small = least(one, other), large = one + other - small;
        if (small != large)
            cost += NUMBER + LETTER * (large - small) / large;
    }
    return m == a.length && n == b.length ? cost : SIZE_MAX;
}

/* Divides a text of at most LENGTH_MAX letters at dots and commas; if it has none and is no atom of
 * CuTe, at underscores, which replace dots in C. Returns the number of parts. */
static size_t divide(const char *text, struct part parts[PARTS_MAX]) {
    const char *ends = strpbrk(text, ".,:") || (*text >= 'A' && *text <= 'Z') ? ".," : "_";
    for (size_t count = 0;; text++) {
        parts[count].text = text;
        parts[count].length = strcspn(text, ends);
        text += parts[count++].length;
        if (!*text)
            return count;
    }
}

/* The number of equal letters at the start of both parts, or at their end. */
static size_t same_letters(struct part a, struct part b, bool at_end) {
    size_t most = least(a.length, b.length), count = 0;
    while (count < most && is_same_letter(a.text[at_end ? a.length - 1 - count : count],
                                          b.text[at_end ? b.length - 1 - count : count]))
        count++;
    return count;
}

/* The cost of changing one part of several. It is at most that of deleting the one part and
 * inserting the other, which is less than that of two letters. */
static size_t change_among_others(struct part a, struct part b) {
    size_t numbers = number_distance(a, b),
           longer = a.length + b.length - least(a.length, b.length);
    if (numbers == 0)
        return 0;
    /* m128n256 for m128n256k16: the rest was left out */
    if (same_letters(a, b, false) == least(a.length, b.length) && a.length > 0 && b.length > 0)
        return PART;
    bool is_one_letter = same_letters(a, b, false) + same_letters(a, b, true) + 1 >= longer;
    return least(numbers, is_one_letter ? LETTER : 2 * PART);
}

/* The cost of turning one text into the other, part by part; SIZE_MAX if it is more than `most`, or
 * if all parts would be deleted and others inserted, because any two texts are that close. */
static size_t distance(const char *a, const char *b, size_t most) {
    struct part parts_a[PARTS_MAX], parts_b[PARTS_MAX];
    size_t row[PARTS_MAX + 1], count_a = divide(a, parts_a), count_b = divide(b, parts_b);
    if ((count_a > count_b ? count_a - count_b : count_b - count_a) * PART > most)
        return SIZE_MAX;
    if (count_a == 1 && count_b == 1) {
        const size_t numbers = number_distance(*parts_a, *parts_b);
        return numbers == 0 ? 0 : least(numbers, letter_distance(*parts_a, *parts_b));
    }
    for (size_t n = 0; n <= count_b; n++)
        row[n] = n * PART;
    for (size_t m = 1; m <= count_a; m++) {
        size_t diagonal = row[0], cheapest = row[0] = m * PART;
        for (size_t n = 1; n <= count_b; n++) {
            /* A change is only worth a look if it can be cheaper than to insert or to delete. */
            const size_t other = least(row[n], row[n - 1]) + PART;
            const size_t change =
                diagonal < other ? diagonal + change_among_others(parts_a[m - 1], parts_b[n - 1])
                                 : other;
            diagonal = row[n];
            row[n] = least(change, other);
            cheapest = least(cheapest, row[n]);
        }
        if (cheapest > most)
            return SIZE_MAX;
    }
    return row[count_b] < (count_a + count_b) * PART ? row[count_b] : SIZE_MAX;
}

struct nearest nearest_to(const char *word) {
    size_t letters = strlen(word) / 3;
    return (struct nearest){
        .word = word, .lead = "; did you mean ", .limit = (letters > 3 ? letters : 3) * LETTER};
}

bool nearest_insert(struct nearest *nearest, size_t distance, const char *word) {
    size_t place = nearest->count;
    for (size_t n = 0; n < nearest->count; n++)
        if (strcmp(nearest->found[n].word, word) == 0)
            return true;
    while (place > 0 && nearest->found[place - 1].distance > distance)
        place--;
    if (place == MOST)
        return false;
    nearest->count = least(nearest->count + 1, MOST);
    memmove(&nearest->found[place + 1], &nearest->found[place],
            (nearest->count - 1 - place) * sizeof *nearest->found);
    nearest->found[place].distance = distance;
    snprintf(nearest->found[place].word, sizeof nearest->found[place].word, "%s", word);
    return true;
}

bool nearest_offer(struct nearest *nearest, const char *candidate) {
    if (strlen(nearest->word) > LENGTH_MAX || strlen(candidate) > LENGTH_MAX)
        return false;
    size_t most = least(nearest->limit, strlen(candidate) * LETTER / 2);
    if (nearest->count == MOST) /* it has to be nearer than the last */
        most = least(most, nearest->found[MOST - 1].distance);
    const size_t far = distance(nearest->word, candidate, most);
    return far <= most && nearest_insert(nearest, far, candidate);
}

void nearest_print(const struct nearest *nearest, char *text, size_t size) {
    size_t count = 0;
    *text = '\0';
    while (count < nearest->count &&
           nearest->found[count].distance <= nearest->found[0].distance + SLACK)
        count++;
    for (size_t n = 0; n < count; n++)
        mapping_append(text, size, "%s%s%s",
                       n == 0 ? nearest->lead : mapping_separator(n, count, " or "),
                       nearest->found[n].word, n + 1 < count ? "" : "?");
}
