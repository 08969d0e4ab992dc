/* lines.c - reads command lines from a file; see lines.h. */
#include "robust/faults/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Takes the next word from the text, without its quotes; NULL if there is none. */
static char *next_word(char **text) {
    char *from = *text + strspn(*text, " "), *word = from, *to = from;
    bool quoted = false;
    if (!*from)
        return NULL;
    for (; *from && (quoted || *from != ' '); from++)
        if (*from == '\'')
            quoted = !quoted;
        else
            *to++ = *from;
    *text = from + (*from == ' ');
    *to = '\0';
    return word;
}

static bool is_variable(const char *word) {
    return isupper((unsigned char)*word) &&
           word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == '=';
}

static bool split(struct line *line) {
    char *rest = line->words = strdup(line->text);
    line->arguments[line->argument_count++] = "mapping";
    for (char *word; rest && (word = next_word(&rest));)
        if (line->argument_count + 1 >= LINE_WORDS || line->variable_count + 1 >= LINE_WORDS)
            return false;
        else if (strcmp(word, "<") == 0)
            line->input = next_word(&rest);
        else if (is_variable(word))
            line->variables[line->variable_count++] = word;
        else
            line->arguments[line->argument_count++] = word;
    return rest != NULL;
}

bool lines_read(const char *path, const char *text, struct lines *lines) {
    char read[1024];
    FILE *file = fopen(path, "r");
    bool fits = file != NULL;
    while (fits && fgets(read, sizeof read, file)) {
        read[strcspn(read, "\n")] = '\0';
        if (*read == '#' || !*read || !strstr(read, text))
            continue;
        fits = lines->count < LINES_MAX;
        if (fits) {
            lines->line[lines->count].text = strdup(read);
            fits = lines->line[lines->count].text && split(&lines->line[lines->count]);
            lines->count++;
        }
    }
    if (file)
        fclose(file);
    return fits;
}
