/* cute.c - layouts in the algebra of CuTe; see cute.h.
 *
 * A layout is a tree of sizes and, after a colon, a tree of strides of the same form. */
#include "layout/cute.h"

#include <string.h>

/* ---- Reading ---- */

/* A tree of numbers: its leaves in order, where each mode of its top level begins, and its form, as
 * the parentheses and commas in it. */
struct tree {
    uint32_t leaves[MAPPING_MODES];
    unsigned leaf_count;
    unsigned starts[MAPPING_MODES + 1], mode_count;
    char form[8 * MAPPING_MODES];
    size_t form_length;
};

static bool add_form(struct tree *tree, char c) {
    if (tree->form_length + 1 >= sizeof tree->form)
        return false;
    tree->form[tree->form_length++] = c;
    tree->form[tree->form_length] = '\0';
    return true;
}

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " ");
}

/* Reads "4" or "_4". */
static const char *read_leaf(const char *text, struct tree *tree) {
    uint64_t number = 0;
    unsigned digits = 0;
    text += *text == '_';
    for (; *text >= '0' && *text <= '9' && digits < 8; text++, digits++)
        number = 10 * number + (uint64_t)(*text - '0');
    if (digits == 0 || (*text >= '0' && *text <= '9') || tree->leaf_count == MAPPING_MODES)
        return NULL;
    tree->leaves[tree->leaf_count++] = (uint32_t)number;
    return text;
}

/* Reads a number or a tuple of trees. `depth` is 0 for the whole. */
static const char *read_tree(const char *text, struct tree *tree, unsigned depth) {
    text = skip_blanks(text);
    if (*text != '(') {
        if (depth == 0)
            tree->starts[tree->mode_count++] = tree->leaf_count;
        return read_leaf(text, tree);
    }
    if (depth > 8)
        return NULL;
    do {
        if (depth == 0 && tree->mode_count == MAPPING_MODES)
            return NULL;
        if (depth == 0)
            tree->starts[tree->mode_count++] = tree->leaf_count;
        if (!add_form(tree, *text) || !(text = read_tree(text + 1, tree, depth + 1)))
            return NULL;
        text = skip_blanks(text);
    } while (*text == ',');
    return *text == ')' && add_form(tree, ')') ? text + 1 : NULL;
}

const char *mapping_modes_parse(const char *text, struct mapping_modes *modes, unsigned rank,
                                unsigned *count) {
    struct tree shape = {.form = ""}, stride = {.form = ""};
    text = read_tree(text, &shape, 0);
    if (!text || shape.mode_count > rank)
        return NULL;
    shape.starts[shape.mode_count] = shape.leaf_count;
    text = skip_blanks(text);
    bool has_strides = *text == ':';
    if (has_strides && !(text = read_tree(text + 1, &stride, 0)))
        return NULL;
    if (has_strides && strcmp(shape.form, stride.form) != 0)
        return NULL;
    uint64_t size = 1;
    *count = shape.mode_count;
    for (unsigned m = 0; m < shape.mode_count; m++) {
        modes[m].count = 0;
        for (unsigned leaf = shape.starts[m]; leaf < shape.starts[m + 1]; leaf++) {
            struct mapping_modes *mode = &modes[m];
            mode->shape[mode->count] = shape.leaves[leaf];
            mode->stride[mode->count++] = has_strides ? stride.leaves[leaf] : (uint32_t)size;
            size *= shape.leaves[leaf];
            if (size == 0 || size > MODES_SIZE_MAX)
                return NULL;
        }
    }
    return skip_blanks(text);
}

/* ---- Algebra ---- */

uint32_t mapping_modes_size(const struct mapping_modes *modes) {
    uint32_t size = 1;
    for (uint32_t m = 0; m < modes->count; m++)
        size *= modes->shape[m];
    return size;
}

uint32_t mapping_modes_at(const struct mapping_modes *modes, uint32_t argument) {
    uint32_t value = 0;
    for (uint32_t m = 0; m < modes->count; m++) {
        bool last = m + 1 == modes->count;
        value += (last ? argument : argument % modes->shape[m]) * modes->stride[m];
        argument /= modes->shape[m];
    }
    return value;
}

bool mapping_modes_complement(const struct mapping_modes *modes, uint32_t bound,
                              struct mapping_modes *complement) {
    uint32_t reached = 1, low = 0;
    *complement = (struct mapping_modes){.count = 0};
    for (;;) { /* modes by ascending stride; those of size 1 or stride 0 leave nothing out */
        uint32_t next = modes->count;
        for (uint32_t m = 0; m < modes->count; m++)
            if (modes->shape[m] > 1 && modes->stride[m] > low &&
                (next == modes->count || modes->stride[m] < modes->stride[next]))
                next = m;
        if (next == modes->count)
            break;
        low = modes->stride[next];
        if (low % reached != 0 || complement->count == MAPPING_MODES - 1)
            return false;
        complement->shape[complement->count] = low / reached;
        complement->stride[complement->count++] = reached;
        uint64_t far = (uint64_t)low * modes->shape[next];
        if (far > INT32_MAX)
            return false;
        reached = (uint32_t)far;
    }
    complement->shape[complement->count] = bound / reached + (bound % reached != 0);
    complement->stride[complement->count++] = reached;
    return true;
}
