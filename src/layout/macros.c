/* macros.c - replaces macros in a text; see macros.h. */
#include "layout/macros.h"
#include "layout/ascii.h"
#include "system/arena.h"

#include <stdio.h>

/* The text that is made; `text` is NULL while only its length is counted. */
struct expansion {
    struct mapping_program *program;
    char *text;
    size_t length;
};

enum { LENGTH_MAX = 1 << 20 };

static void add(struct expansion *to, const char *text, size_t length) {
    if (to->text)
        memcpy(to->text + to->length, text, length);
    to->length += length;
}

static struct macro *find(struct mapping_program *program, const char *name, size_t length) {
    for (uint32_t m = program->macros; m-- > 0;) {
        struct macro *macro = &program->macro[m];
        if (macro->name_length == length && memcmp(macro->name, name, length) == 0)
            return macro;
    }
    return NULL;
}

/* The length of a number or a name, with "." and digits. */
static size_t word_length(const char *text, const char *end) {
    size_t length = 0;
    while (text + length < end &&
           (ascii_is_letter(text[length]) || ascii_is_digit(text[length]) || text[length] == '_'))
        length++;
    return length;
}

/* The end of a line of a macro: a newline after "\" does not end it, and a comment does. */
static const char *behind_body(const char *body) {
    while (*body && *body != '\n' && strncmp(body, "//", 2) != 0 && strncmp(body, "/*", 2) != 0)
        body += *body == '\\' && body[1] == '\n' ? 2 : 1;
    return body;
}

/* Takes "#define NAME BODY". Returns the text behind it; NULL if there is none, or if the macro has
 * parameters. */
static const char *take_definition(struct mapping_program *program, const char *text) {
    const char *name = text + 1 + strspn(text + 1, " \t");
    if (*text != '#' || strncmp(name, "define", 6) != 0 || !ascii_is_blank(name[6]))
        return NULL;
    name += 6 + strspn(name + 6, " \t");
    const size_t length = ascii_identifier_length(name);
    const char *body = name + length, *end = behind_body(body);
    if (length == 0 || ascii_is_digit(*name) || *body == '(' || strchr("\"'", *body) == body ||
        memchr(body, '#', (size_t)(end - body)) || program->macros == MACROS_MAX)
        return NULL;
    program->macro[program->macros++] = (struct macro){
        .name = name, .body = body, .name_length = length, .body_length = (size_t)(end - body)};
    return end;
}

/* Adds a text without definitions. */
static void add_words(struct expansion *to, const char *text, const char *end) {
    while (text < end && to->length < LENGTH_MAX) {
        const size_t length = word_length(text, end);
        struct macro *macro = find(to->program, text, length);
        if (macro && !macro->is_used) {
            macro->is_used = true;
            add(to, " ", 1);
            add_words(to, macro->body, macro->body + macro->body_length);
            add(to, " ", 1);
            macro->is_used = false;
        } else if (length == 0 && text[0] == '\\' && text[1] == '\n') {
            add(to, " ", 1);
            text++;
        } else {
            add(to, text, length > 0 ? length : 1);
        }
        text += length > 0 ? length : 1;
    }
}

/* Adds a whole text, line by line. */
static void expand(struct expansion *to, const char *text) {
    bool is_comment = false;
    while (*text && to->length < LENGTH_MAX) {
        const char *start = text + strspn(text, " \t"),
                   *behind = is_comment ? NULL : take_definition(to->program, start);
        text = behind ? behind : text;
        const char *end = text + strcspn(text, "\n");
        end += *end == '\n';
        for (const char *c = text; c < end; c++)
            is_comment = is_comment ? !(c[0] == '*' && c[1] == '/') : c[0] == '/' && c[1] == '*';
        if (is_comment || *start == '#')
            add(to, text, (size_t)(end - text));
        else
            add_words(to, text, end);
        text = end;
    }
}

const char *macros_expand(struct mapping_program *program, const char *text) {
    const uint32_t before = program->macros;
    if (before == 0 && !strstr(text, "define"))
        return text;
    struct expansion to = {.program = program};
    expand(&to, text);
    program->macros = before;
    if (to.length >= LENGTH_MAX)
        return text;
    to.text = memory_text_room(to.length + 1);
    to.length = 0;
    expand(&to, text);
    to.text[to.length] = '\0';
    return to.text;
}
