/* spaces.c - fuzzes the public functions on layouts with arbitrary spaces: none writes outside its
 * memory, divides by zero, or confuses one layout with another. The lines are the sizes of both
 * spaces, "32,4" and "16,8", the bases, a formula, and an atom layout. */
#include "fuzz.h"

/* Larger layouts take more time than they are worth. */
enum { ENTRIES_MAX = 1 << 12 };

/* Reads sizes in any number, of which a space says that it has them all. */
static void read_space(const char *text, const char *const *names, struct mapping_space *space) {
    *space = (struct mapping_space){.count = 0};
    while (text && *text) {
        char *end;
        unsigned long size = strtoul(text, &end, 10);
        if (space->count < MAPPING_AXES_MAX)
            space->axis[space->count] = (struct mapping_axis){names[space->count], (uint32_t)size};
        space->count++;
        text = *end ? end + 1 : end;
    }
}

/* Checks, inverts and composes a layout. */
static void use(const struct mapping_layout *layout) {
    struct mapping_layout inverse, composed;
    struct mapping_error error = {""};
    enum mapping_status status = mapping_layout_check(layout, &error);
    must_say_why(status, &error);
    must(mapping_layout_check(layout, NULL) == status, "a check needs no error");
    must_say_why(layout_compose(layout, layout, &composed, &error), &error);
    mapping_layout_free(&composed);
    status = layout_invert(layout, "copy", &inverse, &error);
    must_say_why(status, &error);
    if (status != MAPPING_OK)
        return;
    must(mapping_layout_entries(&inverse) == mapping_layout_entries(layout),
         "an inverse has as many entries");
    const size_t entries = mapping_layout_entries(layout), copies = mapping_layout_copies(layout);
    char *seen = calloc(entries, 1);
    must(seen != NULL, "there is memory");
    for (size_t place = 0; place < entries; place++) {
        const size_t n = mapping_layout_target(&inverse, place);
        must(n < entries && !seen[n] && mapping_layout_target(layout, n) == place / copies,
             "an inverse leads back");
        seen[n] = 1;
    }
    free(seen);
    mapping_layout_free(&inverse);
}

static void deduce(const struct mapping_layout *layout) {
    struct mapping_formula formulae[MAPPING_AXES_MAX];
    struct mapping_layout again;
    struct mapping_error error = {""};
    for (uint32_t c = 0; c < layout->to.count; c++)
        if (!mapping_deduce(&layout->from, layout->coordinate[c], &formulae[c]))
            return;
    must(mapping_layout_evaluate(&again, &layout->from, &layout->to, formulae, &error) ==
             MAPPING_OK,
         "formulae give a layout");
    must(layout_equal(layout, &again), "the formulae that were deduced give the layout");
    mapping_layout_free(&again);
}

/* Tiles an atom of these sizes, whatever they are. */
static void tile(const struct mapping_layout *layout, const char *atom_layout) {
    struct mapping_tiling tiling;
    struct mapping_layout tiled;
    struct mapping_error error = {""};
    if (mapping_tiling_parse(atom_layout, NULL, &tiling, &error) != MAPPING_OK)
        return;
    struct mapping_atom atom = {.mode = {0, 1}, .from = layout->from};
    for (uint32_t a = 0; a < 2 && a < layout->to.count; a++)
        atom.size[a] = atom.size[2] = layout->to.axis[a].size;
    for (int is_quad_pair = 0; is_quad_pair < 2; is_quad_pair++) {
        atom.is_quad_pair = is_quad_pair;
        enum mapping_status status = mapping_tile(&tiling, &atom, layout, &tiled, &error);
        must_say_why(status, &error);
        if (status == MAPPING_OK)
            mapping_layout_free(&tiled);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const sources[] = {"tid", "i", "block", "step", "x", "y", "z", "w"};
    static const char *const targets[] = {"row", "col", "k", "l", "m", "n", "p", "q"};
    char *copy = text_of(data, size), *next = copy;
    struct mapping_space from, to;
    read_space(cut_line(&next), sources, &from);
    read_space(cut_line(&next), targets, &to);
    const char *bases = cut_line(&next), *formula = cut_line(&next), *atoms = cut_line(&next);
    struct mapping_layout layout;
    struct mapping_error error = {""};
    bool is_space = from.count <= MAPPING_AXES_MAX && to.count <= MAPPING_AXES_MAX;
    size_t entries = is_space ? mapping_space_size(&from) : 0;
    if (entries > ENTRIES_MAX && entries <= UINT32_MAX) {
        free(copy);
        return 0;
    }
    enum mapping_status status = mapping_layout_init(&layout, &from, &to, &error);
    must_say_why(status, &error);
    must((status == MAPPING_OK) ==
             (is_space && entries > 0 && entries <= ENTRIES_MAX && mapping_space_size(&to) > 0),
         "a layout is made of spaces that have points, and not too many");
    if (status == MAPPING_OK) {
        use(&layout);
        deduce(&layout);
        mapping_layout_free(&layout);
    }
    if (mapping_layout_state(&layout, &from, &to, bases ? bases : "", &error) == MAPPING_OK) {
        use(&layout);
        deduce(&layout);
        tile(&layout, atoms);
        mapping_layout_free(&layout);
    }
    struct mapping_formula formulae[MAPPING_AXES_MAX] = {{.constant = 0}};
    if (is_space && formula && mapping_formula_parse(formula, &from, &formulae[0]) &&
        mapping_layout_evaluate(&layout, &from, &to, formulae, &error) == MAPPING_OK) {
        use(&layout);
        mapping_layout_free(&layout);
    }
    free(copy);
    return 0;
}
