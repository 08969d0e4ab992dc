/* equality_formats.c - the comparison of two layouts, as text and as JSON. */
#include "report/equality.h"

#include "output/json.h"

#include <string.h>

/* The name of a side in sentences, if it is short enough. */
static const char *name_of(const struct equality *equality, int side) {
    enum { SHORT = 32 };
    const char *name = equality->sides[side]->name;
    return strlen(name) <= SHORT ? name : side == 0 ? "the first" : "the second";
}

/* Prints a formula in lines of 80 characters, broken before a term. */
static void print_move(struct printer *to, const char *formula) {
    enum { WIDTH = 78 };
    size_t column = 2;
    print_text(to, "  ");
    for (const char *term = formula, *end; *term; term = end) {
        end = strpbrk(term + 3, "+^");
        end = end ? end : term + strlen(term);
        if (column > 2 && column + (size_t)(end - term) > WIDTH) {
            to->size -= to->text[to->size - 1] == ' ';
            print_text(to, "\n    ");
            column = 4;
        }
        print(to, "%.*s", (int)(end - term), term);
        column += (size_t)(end - term);
    }
    print_char(to, '\n');
}

/* Prints "offset 32" or "row 1, col 2". */
static void print_target(struct printer *to, const struct equality *equality,
                         const struct equality_difference *difference, int side) {
    const struct mapping_space *space = &equality->sides[0]->forward.layout.to;
    for (uint32_t c = 0; c < space->count; c++)
        print(to, "%s%s %llu", c ? ", " : "", equality->is_in_bytes ? "byte" : space->axis[c].name,
              (unsigned long long)difference->target[side][c]);
}

void print_equality(struct printer *to, const struct equality *equality) {
    const struct mapping_space *from = &equality->sides[0]->forward.layout.from;
    const char *const names[2] = {equality->sides[0]->name, equality->sides[1]->name};
    print(to,
          strlen(names[0]) + strlen(names[1]) < 56 ? "# %s and %s: " : "# %s and\n# %s: ", names[0],
          names[1]);
    for (uint32_t a = 0; a < from->count; a++)
        print(to, "%s%u", a ? " x " : "", from->axis[a].size);
    print_char(to, '\n');
    if (equality->different == 0)
        print(to, "the same at all %zu elements\n", equality->entries);
    else
        print(to, "different at %zu of %zu elements\n", equality->different, equality->entries);
    for (size_t d = 0; d < equality->different && d < EQUALITY_SHOWN; d++) {
        print_text(to, "  ");
        print_point(to, from, equality->first[d].source);
        for (int side = 0; side < 2; side++) {
            print_text(to, side == 0 ? ": " : ", ");
            print_target(to, equality, &equality->first[d], side);
            print(to, " in %s", name_of(equality, side));
        }
        print_char(to, '\n');
    }
    if (equality->bytes[0] != equality->bytes[1])
        print(to, "The buffers differ in size: %llu bytes and %llu bytes.\n",
              (unsigned long long)equality->bytes[0], (unsigned long long)equality->bytes[1]);
    else if (equality->bytes[0] > 0)
        print(to, "Both buffers have %llu bytes.\n", (unsigned long long)equality->bytes[0]);
    for (size_t m = 0; m < equality->moves.count; m++) {
        if (m == 0)
            print(to, "An element of %s is in %s at\n", name_of(equality, 0), name_of(equality, 1));
        print_move(to, equality->moves.text[m]);
    }
    if (!equality->condition)
        return;
    print(to, *equality->condition ? "The same if and only if %s\n" : "The same%s for every size\n",
          equality->condition);
    print(to, "(checked for %u sizes up to %u x %u).\n", equality->extents, equality->largest[0],
          equality->largest[1]);
}

void json_equality(struct printer *to, const struct equality *equality) {
    const struct mapping_layout *layout = &equality->sides[0]->forward.layout;
    json(to, "{kind:\"equals\",layouts:[%s,%s],\n ", equality->sides[0]->name,
         equality->sides[1]->name);
    for (uint32_t a = 0; a < layout->from.count; a++)
        json(to, "%s:%u,", mapping_axis_plural(layout->from.axis[a].name),
             layout->from.axis[a].size);
    json(to, "entries:%zu,different:%zu,unit:%s,\n first:[", equality->entries, equality->different,
         equality->sides[0]->smem ? equality->is_in_bytes ? "byte" : "element" : NULL);
    for (size_t d = 0; d < equality->different && d < EQUALITY_SHOWN; d++) {
        json(to, "\n  {");
        for (uint32_t a = 0; a < layout->from.count; a++)
            json(to, "%s:%u", layout->from.axis[a].name, equality->first[d].source[a]);
        json(to, "at:[");
        for (int side = 0; side < 2; side++) {
            json(to, "{");
            for (uint32_t c = 0; c < layout->to.count; c++)
                json(to, "%s:%llu", layout->to.axis[c].name,
                     (unsigned long long)equality->first[d].target[side][c]);
            print_char(to, '}');
        }
        print_text(to, "]}");
    }
    print_char(to, ']');
    if (equality->sides[0]->smem && equality->sides[1]->smem)
        json(to, "\n bytes:[%llu,%llu]", (unsigned long long)equality->bytes[0],
             (unsigned long long)equality->bytes[1]);
    else
        json(to, "\n bytes:null");
    json(to, "\n moves:");
    json_strings(to, &equality->moves);
    json(to, "\n condition:%s", equality->condition);
    if (equality->condition)
        json(to, "checked:{sizes:%u,largest:[%u,%u]}", equality->extents, equality->largest[0],
             equality->largest[1]);
    print_text(to, "}\n");
}
