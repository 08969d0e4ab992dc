/* triton_file.c - finds layouts in files of Triton; see triton_file.h. */
#include "listing/triton_file.h"

#include "layout/ascii.h"

#include <string.h>

/* Limits. Longer types are ignored. Names in longer texts are not expanded. Further layouts, and
 * further types of a layout, are ignored. */
enum { TEXT_MAX = 4096, LAYOUTS_MAX = 4096, TYPES_MAX = 256 };

static bool is_word(char c) {
    return ascii_is_letter(c) || ascii_is_digit(c) || c == '_' || c == '$';
}

static size_t word_length(const char *text) {
    size_t length = 0;
    while (is_word(text[length]))
        length++;
    return length;
}

/* The text begins with a bracket. Returns the text after the matching one; NULL if it is not in
 * this line. */
static const char *skip_brackets(const char *text) {
    unsigned depth = 0;
    for (const char *c = text; *c && *c != '\n' && c - text < TEXT_MAX; c++) {
        depth += *c == '<';
        depth -= *c == '>';
        if (depth == 0)
            return c + 1;
    }
    return NULL;
}

/* The text after a layout such as "#ttg.blocked<{...}>" or "#mma"; NULL if the text does not begin
 * with one. */
static const char *skip_layout(const char *text) {
    const size_t length = *text == '#' ? word_length(text + 1) : 0;
    const char *end = text + 1 + length;
    if (length == 0 || *end != '.')
        return length ? end : NULL;
    end += 1 + word_length(end + 1);
    return *end == '<' ? skip_brackets(end) : NULL;
}

static bool is_of_triton(const char *text) {
    static const char *const dialects[] = {"#ttg.", "#triton_gpu.", "#ttng.",
                                           "#triton_nvidia_gpu."};
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++)
        if (strncmp(text, dialects[d], strlen(dialects[d])) == 0)
            return true;
    return false;
}

/* The last layout with this name; NULL if there is none. */
static struct triton_definition *find(const struct triton_file *file, const char *name,
                                      size_t length) {
    for (size_t n = file->count; n-- > 0;)
        if (strncmp(file->items[n].name, name, length) == 0 && !file->items[n].name[length])
            return &file->items[n];
    return NULL;
}

void triton_file_expand(const struct triton_file *file, const char *text, size_t length,
                        struct printer *to) {
    const size_t before = to->size;
    const char *end = text + length;
    while (text < end) {
        const char *next = memchr(text, '#', (size_t)(end - text));
        next = next ? next : end;
        print(to, "%.*s", (int)(next - text), text);
        if (next == end)
            break;
        const size_t word = 1 + word_length(next + 1);
        const struct triton_definition *found = next[word] == '.' ? NULL : find(file, next, word);
        text = next + word;
        if (found && to->size - before < TEXT_MAX)
            print(to, "%s", found->text);
        else
            print(to, "%.*s", (int)word, next);
    }
}

/* Adds a layout, unless it equals the last one with its name; NULL if there are too many. */
static struct triton_definition *add(struct triton_file *file, const char *name, size_t name_length,
                                     const char *text, size_t length, size_t line) {
    struct printer expanded = {.text = NULL}, called = {.text = NULL};
    triton_file_expand(file, text, length, &expanded);
    printer_string(&expanded);
    struct triton_definition *last = find(file, name, name_length);
    if (last && strcmp(last->text, expanded.text) == 0) {
        printer_free(&expanded);
        return last;
    }
    if (file->count == LAYOUTS_MAX)
        return NULL;
    if (last)
        last->is_ambiguous = true;
    print(&called, "%.*s", (int)name_length, name);
    file->items = array_grow(file->items, file->count, 1, &file->capacity, sizeof *file->items);
    file->items[file->count] = (struct triton_definition){.name = printer_string(&called),
                                                          .text = expanded.text,
                                                          .line = line,
                                                          .is_ambiguous = last != NULL};
    return &file->items[file->count++];
}

/* Adds the definition in a line "#mma = #ttg.nvidia_mma<{...}>"; false if the line is not a
 * definition. */
static bool add_definition(struct triton_file *file, const char *start, size_t line) {
    if (*start != '#')
        return false;
    const size_t length = 1 + word_length(start + 1);
    const char *layout = start + length + strspn(start + length, " \t");
    if (length == 1 || *layout != '=')
        return false;
    layout += 1 + strspn(layout + 1, " \t");
    const char *end = is_of_triton(layout) ? skip_layout(layout) : NULL;
    if (end && end[-1] == '>')
        add(file, start, length, layout, (size_t)(end - layout), line);
    return true;
}

/* The start of the type with this bracket: "tensor" or "!ttg.memdesc"; NULL if it is not a type. */
static const char *type_before(const char *bracket, const char *line) {
    static const char *const types[] = {"tensor", "!ttg.memdesc", "!tt.memdesc",
                                        "!triton_gpu.memdesc"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const size_t length = strlen(types[t]);
        if ((size_t)(bracket - line) >= length &&
            strncmp(bracket - length, types[t], length) == 0 &&
            (bracket == line + length || !is_word(bracket[-(ptrdiff_t)length - 1])))
            return bracket - length;
    }
    return NULL;
}

/* Adds a type to its layout, unless it is there. */
static void add_type(struct triton_file *file, const char *type, const char *end, size_t line) {
    const char *layout = memchr(type, '#', (size_t)(end - type));
    const char *behind = layout ? skip_layout(layout) : NULL;
    if (!behind || behind > end)
        return;
    const size_t length = (size_t)(behind - layout);
    struct triton_definition *item = is_of_triton(layout)
                                         ? add(file, layout, length, layout, length, line)
                                         : find(file, layout, length);
    const size_t size = (size_t)(end - type);
    for (size_t t = 0; item && t < item->types.count; t++)
        if (strncmp(item->types.text[t], type, size) == 0 && !item->types.text[t][size])
            return;
    if (!item || item->types.count == TYPES_MAX)
        return;
    struct printer text = {.text = NULL};
    print(&text, "%.*s", (int)size, type);
    strings_add(&item->types, printer_string(&text));
    text.size = 0;
    print(&text, "%.*s%s%.*s", (int)(layout - type), type, item->text, (int)(end - behind), behind);
    strings_add(&item->expanded, printer_string(&text));
    printer_free(&text);
}

void triton_file_read(const char *text, struct triton_file *file) {
    *file = (struct triton_file){.items = NULL};
    for (size_t line = 1; *text; line++) {
        const char *start = text + strspn(text, " \t"), *end = start + strcspn(start, "\n");
        text = *end ? end + 1 : end;
        if (strncmp(start, "//", 2) == 0 || add_definition(file, start, line))
            continue;
        const char *bracket = start;
        while ((bracket = memchr(bracket, '<', (size_t)(end - bracket)))) {
            const char *type = type_before(bracket, start);
            const char *behind = type ? skip_brackets(bracket) : NULL;
            if (behind)
                add_type(file, type, behind, line);
            bracket++;
        }
    }
}
