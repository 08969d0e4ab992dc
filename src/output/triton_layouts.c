/* triton_layouts.c - prints the layouts of a Triton file as text and as JSON. */
#include "listing/triton_file.h"

#include "layout/sentence.h"
#include "output/json.h"
#include "output/output.h"

#include <string.h>

/* The suffix of the file name that selects a layout: ":90#mma", or "#mma". */
static void print_name(struct printer *to, const char *path, const struct triton_definition *item) {
    if (item->is_ambiguous)
        print(to, "%s:%zu%s", path, item->line, item->name);
    else
        print(to, "%s%s", path, item->name);
}

void print_defined(struct printer *to, const char *path, const struct triton_file *file) {
    print(to, "# %s: %zu layout%s; to show one: mapping '", path, file->count,
          mapping_plural((uint32_t)file->count));
    print_name(to, path, file->items);
    print_text(to, "'\n");
    for (size_t n = 0; n < file->count; n++) {
        const struct triton_definition *item = &file->items[n];
        print(to, "%s", item->name);
        if (!strchr(item->name, '.')) /* a layout without a name: this is its text */
            print(to, " = %s", item->text);
        if (item->is_ambiguous)
            print(to, " (line %zu)", item->line);
        print_char(to, '\n');
        for (size_t t = 0; t < item->types.count; t++)
            print(to, "    %s\n", item->types.text[t]);
    }
}

void json_defined(struct printer *to, const char *path, const struct triton_file *file) {
    json(to, "{kind:\"layouts\",defined_in:%s,layouts:[", path);
    for (size_t n = 0; n < file->count; n++) {
        const struct triton_definition *item = &file->items[n];
        struct printer subject = {.text = NULL};
        print_name(&subject, path, item);
        json(to, "\n {name:%s,line:%zu,layout:%s,subject:%s,types:", item->name, item->line,
             item->text, printer_string(&subject));
        json_strings(to, &item->types);
        print_char(to, '}');
    }
    print_text(to, "]}\n");
}
