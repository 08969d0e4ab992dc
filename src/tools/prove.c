/* prove.c - `make prove`: searches for the shortest expression of every formula of the catalogue,
 * and prints results/short.txt, which the build embeds; see source/proofs.h.
 *
 *     prove          searches all expressions of up to 3 operators
 *     prove quick    searches those of up to 2, in a second; see shorten.h */
#include "layout/shorten.h"
#include "source/known.h"
#include "source/proofs.h"
#include "system/system.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096 };

/* A formula, the beginning of its line up to the expression, and its table. */
struct item {
    char *key;
    struct mapping_space from;
    uint32_t *values;
};

struct items {
    struct item *item;
    size_t count, capacity;
};

/* ---- Collecting ---- */

static void add(struct items *items, const struct mapping_layout *layout, uint32_t axis,
                const char *key) {
    size_t size = mapping_layout_entries(layout) * sizeof(uint32_t);
    struct item item = {memory_text(key), layout->from, memory_get(1, size)};
    memcpy(item.values, layout->coordinate[axis], size);
    items->item = array_grow(items->item, items->count, 1, &items->capacity, sizeof item);
    items->item[items->count++] = item;
}

static bool has(const struct items *items, const char *key) {
    for (size_t n = 0; n < items->count; n++)
        if (strcmp(items->item[n].key, key) == 0)
            return true;
    return false;
}

/* Adds the formulae of a layout that are not in the list yet. */
static void add_formulae(struct items *items, const struct mapping_layout *layout) {
    for (uint32_t c = 0; c < layout->to.count; c++) {
        struct mapping_formula formula;
        char written[LINE], key[LINE];
        if (!mapping_deduce(&layout->from, layout->coordinate[c], &formula))
            continue;
        mapping_formula_print(&formula, &layout->from, written, sizeof written);
        size_t length = proof_key(&layout->from, written, key, sizeof key);
        if (length + sizeof " = " > sizeof key)
            continue;
        memcpy(key + length, " = ", sizeof " = ");
        if (!has(items, key))
            add(items, layout, c, key);
    }
}

/* Adds the formulae of every known layout and of its inverse. Layouts of Tensor Memory are left
 * out: they have up to 256 x 256 entries, and simple formulae. False if a layout cannot be made. */
static bool collect(struct items *items) {
    const struct known_list list = known_all(0);
    struct mapping_error error;
    bool done = true;
    for (size_t index = 0; done && index < list.count; index++) {
        struct mapping_layout layout, inverse = {.from.count = 0};
        const struct mapping_fragment *fragment = &list.known[index].holders[0].fragment;
        const char *copy = mapping_fragment_copy_axis(fragment);
        if (fragment->place != MAPPING_IN_REGISTERS)
            continue;
        done = mapping_fragment_state(fragment, &layout, &error) == MAPPING_OK &&
               layout_invert(&layout, copy, &inverse, &error) == MAPPING_OK;
        if (done) {
            add_formulae(items, &layout);
            add_formulae(items, &inverse);
        }
        mapping_layout_free(&layout);
        mapping_layout_free(&inverse);
    }
    return done;
}

static int by_key(const void *a, const void *b) {
    const struct item *one = a, *other = b;
    return strcmp(one->key, other->key);
}

/* ---- Proving ---- */

struct proving {
    const struct items *items;
    enum shorten_effort effort;
    char **lines; /* NULL if the expression is too long */
    atomic_size_t done;
};

/* Writes the line of one formula. */
static void prove(void *context, size_t n) {
    struct proving *proving = context;
    const struct item *item = &proving->items->item[n];
    char text[LINE], line[2 * LINE + 64];
    unsigned operators = 0;
    bool is_proved = false;
    const bool is_found = shorten_values(&item->from, item->values, proving->effort, text,
                                         sizeof text, &operators, &is_proved);
    snprintf(line, sizeof line, "%s%s; %u operator%s, %sproved", item->key, text, operators,
             operators == 1 ? "" : "s", is_proved ? "" : "not ");
    proving->lines[n] = is_found ? memory_text(line) : NULL;
    fprintf(stderr, "\rprove: %zu of %zu", atomic_fetch_add(&proving->done, 1) + 1,
            proving->items->count);
}

/* Searches several formulae in parallel. */
static bool prove_all(const struct items *items, enum shorten_effort effort) {
    struct proving proving = {items, effort, memory_get(items->count, sizeof *proving.lines), 0};
    parallel_for(items->count, prove, &proving);
    fprintf(stderr, "\rprove: %zu of %zu\n", items->count, items->count);
    puts("# The shortest expressions of all formulae of the catalogue: `make prove`\n"
         "# [axes] formula = expression; operators, and whether a search of all expressions has\n"
         "# proved that none has fewer");
    for (size_t n = 0; n < items->count; n++) {
        if (!proving.lines[n])
            return false;
        puts(proving.lines[n]);
    }
    return true;
}

int main(int argc, char **argv) {
    struct items items = {NULL, 0, 0};
    const bool is_quick = argc == 2 && strcmp(argv[1], "quick") == 0;
    if (argc > 1 && !is_quick) {
        fprintf(stderr, "usage: prove [quick]\n");
        return 2;
    }
    bool done = collect(&items);
    if (done && items.count > 0)
        qsort(items.item, items.count, sizeof *items.item, by_key);
    done = done && prove_all(&items, is_quick ? SHORTEN_QUICK : SHORTEN_THOROUGH);
    if (!done)
        fprintf(stderr, "prove: a formula could not be shortened\n");
    return done ? 0 : 5;
}
