/* proofs.c - the recorded shortest expressions; see proofs.h. */
#include "source/proofs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t proof_key(const struct mapping_space *from, const char *formula, char *text, size_t size) {
    size_t length = 0;
    const char *separator = "[";
    for (uint32_t a = 0; a < from->count; a++) {
        size_t used = length < size ? length : size;
        if (from->axis[a].size == 1)
            continue;
        length += (size_t)snprintf(text + used, size - used, "%s%s %u", separator,
                                   from->axis[a].name, from->axis[a].size);
        separator = ", ";
    }
    size_t used = length < size ? length : size;
    return length + (size_t)snprintf(text + used, size - used, "] %s", formula);
}

/* The start of the line that contains `place`. */
static const char *line_start(const char *place) {
    while (place > recorded_proofs && place[-1] != '\n')
        place--;
    return place;
}

/* Compares a line, up to " = ", with a key. */
static int compare(const char *line, const char *key) {
    size_t length = strlen(key);
    int order = strncmp(line, key, length);
    return order ? order : strncmp(line + length, " = ", 3);
}

/* The line that begins with the key, or NULL. */
static const char *find_line(const char *key) {
    const char *low = recorded_proofs, *high = low + strlen(low);
    while (*low == '#')
        low += strcspn(low, "\n") + 1;
    while (low < high) {
        const char *line = line_start(low + (high - low) / 2);
        int order = compare(line, key);
        if (order == 0)
            return line;
        if (order < 0)
            low = line + strcspn(line, "\n") + 1;
        else
            high = line;
    }
    return NULL;
}

bool proof_find(const struct mapping_space *from, const char *formula, struct proof *proof) {
    char key[4096];
    if (proof_key(from, formula, key, sizeof key) >= sizeof key)
        return false;
    const char *line = find_line(key);
    if (!line)
        return false;
    proof->text = line + strlen(key) + 3;
    proof->length = strcspn(proof->text, ";\n");
    /* "; 4 operators, proved", or "not proved" */
    const char *count = proof->text + proof->length;
    if (*count != ';')
        return false;
    proof->operators = (unsigned)strtoul(count + 1, NULL, 10);
    count += strcspn(count, ",\n");
    proof->is_proved = strncmp(count, ", proved", sizeof ", proved" - 1) == 0;
    return true;
}
