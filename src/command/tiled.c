/* tiled.c - parses a TiledMMA of CuTe, as people write it and as CuTe prints it. The result is the
 * atom, and the values of --atom-layout and --permutation.
 *
 *     TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, Layout<Shape<_2,_2,_1>>, Tile<_32,_32,_16>>
 *     make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{})
 *
 * The print does not contain the name of the atom. It contains the shape and the layouts, which
 * several element types may share:
 *
 *     TiledMMA
 *       ThrLayoutVMNK:  (_32,_2,_2,_1):(_1,_32,_64,_0)
 *       PermutationMNK: (_32,_32,_16)
 *     MMA_Atom
 *       ThrID:      _32:_1
 *       Shape_MNK:  (_16,_8,_16)
 *       LayoutA_TV: ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))
 *       ...
 *
 * The CuTe DSL prints the same with other labels and without '_': "Thr Layout VMNK: (32,2,2,1):..."
 */
#include "command/request.h"

#include "layout/ascii.h"
#include "layout/cute_layout.h"
#include "layout/sentence.h"
#include "smem/matrix_table.h"
#include "system/system.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- Text ---- */

/* Copies `length` bytes without blanks, and without '_' before digits; None of Python becomes "_".
 */
static char *compact(const char *text, size_t length) {
    char *copy = memory_get(length + 1, 1), *end = copy;
    for (size_t c = 0; c < length; c++)
        if (strncmp(text + c, "None", 4) == 0) {
            *end++ = '_';
            c += 3;
        } else if (!isspace((unsigned char)text[c]) &&
                   (text[c] != '_' || !isdigit((unsigned char)text[c + 1])))
            *end++ = text[c];
    *end = '\0';
    return copy;
}

/* Finds the text after one of two labels in compact text; NULL if neither is there. */
static char *value_of(const char *text, const char *label, const char *other) {
    const char *found = strstr(text, label);
    size_t length = strlen(label);
    if (!found) {
        found = strstr(text, other);
        length = strlen(other);
    }
    if (!found)
        return NULL;
    found += length;
    return compact(found, strspn(found, "0123456789_,:()"));
}

/* ---- The atom of a printed TiledMMA ---- */

enum { LAYOUTS = 3 };

/* The layouts of A, B and C: the modes of threads and of values. They have no modes if the text is
 * not a layout. */
struct printed {
    struct mapping_shape shape;
    struct mapping_modes layouts[LAYOUTS][2];
};

static int layout_of(enum mapping_operand operand) {
    return operand == MAPPING_A                           ? 0
           : operand == MAPPING_B                         ? 1
           : operand == MAPPING_C || operand == MAPPING_D ? 2
                                                          : -1;
}

/* True if the fragment has the printed layout of its operand, a function to m + M * k of A, n + N *
 * k of B, and m + M * n of C and D. CuTe has the layout of one quad pair, whose thread t is thread
 * t % 4 + t / 4 * 16 of the warp. */
static bool has_layout(const struct printed *printed, const struct mapping_fragment *fragment) {
    const int number = layout_of(fragment->operand);
    struct mapping_space from, to;
    struct mapping_layout layout;
    struct mapping_error ignored;
    if (number < 0 || !fragment->bases || fragment->place != MAPPING_IN_REGISTERS)
        return false;
    const struct mapping_modes *threads = &printed->layouts[number][0],
                               *values = &printed->layouts[number][1];
    const uint32_t count = mapping_modes_size(threads), held = mapping_modes_size(values);
    mapping_fragment_spaces(fragment, &from, &to);
    const int row = mapping_space_find(&to, MAPPING_AXIS_ROW),
              col = mapping_space_find(&to, MAPPING_AXIS_COL);
    const bool is_quad_pair = fragment->blocks > 1 && count == 8;
    if (threads->count == 0 || row < 0 || col < 0 || from.count != 2 || held != from.axis[1].size ||
        (count != from.axis[0].size && !is_quad_pair) ||
        mapping_layout_state(&layout, &from, &to, fragment->bases, &ignored) != MAPPING_OK)
        return false;
    const bool is_b = fragment->operand == MAPPING_B;
    const uint32_t *fast = layout.coordinate[is_b ? col : row],
                   *slow = layout.coordinate[is_b ? row : col],
                   size = to.axis[is_b ? col : row].size;
    bool is_same = true;
    for (uint32_t t = 0; t < count && is_same; t++)
        for (uint32_t v = 0; v < held && is_same; v++) {
            const size_t entry = (size_t)(is_quad_pair ? t % 4 + t / 4 * 16 : t) * held + v;
            is_same = mapping_modes_at(threads, t) + mapping_modes_at(values, v) ==
                      fast[entry] + size * slow[entry];
        }
    mapping_layout_free(&layout);
    return is_same;
}

/* The fragments with the printed shape and layouts: the types of A, of B, and of C and D, as bits;
 * and the orders of A and B, if their layouts depend on the order, as those of quad pairs do. */
struct matching {
    uint32_t types[LAYOUTS], orders[LAYOUTS];
};

/* Compares the layouts with those of all fragments with the printed shape. Returns the first
 * instruction that matches the most of the three layouts; MAPPING_INSTRUCTIONS if none matches. */
static enum mapping_instruction find_matching(const struct printed *printed,
                                              struct matching *matching) {
    struct matching all[MAPPING_INSTRUCTIONS] = {{{0}, {0}}};
    const struct mapping_partial narrow = {.shape.n = printed->shape.n};
    struct mapping_fragment fragment;
    enum mapping_instruction best = MAPPING_INSTRUCTIONS;
    int most = 0;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        const struct mapping_shape *shape = &fragment.shape;
        mapping_partial_narrow(&narrow, &fragment);
        if (shape->m == printed->shape.m && shape->k == printed->shape.k &&
            (shape->n == 0 || shape->n == printed->shape.n) &&
            mapping_instruction_multiplies(fragment.instruction) &&
            mapping_instruction_form(fragment.instruction) != WMMA_FORM &&
            has_layout(printed, &fragment)) {
            struct matching *one = &all[fragment.instruction];
            one->types[layout_of(fragment.operand)] |= UINT32_C(1) << fragment.type;
            if (fragment.order != MAPPING_NO_ORDER)
                one->orders[layout_of(fragment.operand)] |= UINT32_C(1) << fragment.order;
        }
    }
    for (int i = 0; i < MAPPING_INSTRUCTIONS; i++) {
        const uint32_t *types = all[i].types;
        const int count = (types[0] != 0) + (types[1] != 0) + (types[2] != 0);
        if (count > most) {
            most = count;
            best = (enum mapping_instruction)i;
            *matching = all[i];
        }
    }
    return best;
}

/* Replaces the subject by the instruction with the printed shape and layouts, and selects the types
 * of all its opcodes that have them; if A and B have orders, replaces it by the opcode. If A is not
 * in registers, selects D. False if there is no such instruction. */
static bool find_instruction(const struct printed *printed, struct request *request) {
    struct matching matching = {{0}, {0}};
    const enum mapping_instruction instruction = find_matching(printed, &matching);
    struct mapping_opcode opcode;
    uint32_t types = 0;
    char *name = memory_get(MAPPING_OPCODE_SIZE, 1), *type_name = memory_get(MAPPING_NAME_SIZE, 1);
    if (instruction == MAPPING_INSTRUCTIONS)
        return false;
    for (size_t o = 0; mapping_opcode_at(o, &opcode); o++)
        if (opcode.instruction == instruction && opcode.shape.m == printed->shape.m &&
            opcode.shape.k == printed->shape.k &&
            (!matching.types[0] || matching.types[0] >> opcode.a & 1) &&
            (!matching.types[1] || matching.types[1] >> opcode.b & 1) &&
            matching.types[2] >> opcode.d & 1 &&
            (!matching.orders[0] || matching.orders[0] >> opcode.a_order & 1) &&
            (!matching.orders[1] || matching.orders[1] >> opcode.b_order & 1)) {
            types |= UINT32_C(1) << opcode.a | UINT32_C(1) << opcode.b | UINT32_C(1) << opcode.d;
            if (matching.orders[0] && matching.orders[1] && opcode.c == opcode.d)
                snprintf(name, MAPPING_OPCODE_SIZE, "%s", opcode.text);
        }
    if (!*name)
        snprintf(name, MAPPING_OPCODE_SIZE, "%s.m%un%uk%u", mapping_instruction_name(instruction),
                 printed->shape.m, printed->shape.n, printed->shape.k);
    for (int t = 0; t < MAPPING_TYPES; t++)
        if (types >> t & 1)
            mapping_append(type_name, MAPPING_NAME_SIZE, "%s%s", *type_name ? "," : "",
                           mapping_type_name((enum mapping_type)t));
    request->subjects[0] = name;
    if (!request->types) {
        request->types = types;
        request->type_name = type_name;
    }
    if (!matching.types[0] && !request->has_operand) {
        request->has_operand = true;
        request->operand = MAPPING_D;
    }
    return types != 0;
}

/* Reads the printed form of a TiledMMA or an MMA_Atom, without blanks. */
static enum mapping_status read_print(const char *text, struct request *request,
                                      const char *tile[2], struct mapping_error *error) {
    static const char *const labels[LAYOUTS][2] = {{"LayoutA_TV:", "TVLayoutA:"},
                                                   {"LayoutB_TV:", "TVLayoutB:"},
                                                   {"LayoutC_TV:", "TVLayoutC:"}};
    struct printed printed = {.shape.m = 0};
    struct mapping_modes_fault fault;
    const char *shape = value_of(text, "Shape_MNK:", "ShapeMNK:");
    struct mapping_modes mnk[3];
    unsigned count = 0;
    const char *behind = shape ? mapping_modes_read(shape, mnk, 3, &count, &fault) : NULL;
    bool is_read = behind && !*behind && count == 3;
    for (unsigned mode = 0; mode < 3 && is_read; mode++)
        is_read = mapping_modes_size(&mnk[mode]) <= UINT16_MAX;
    if (is_read)
        printed.shape = (struct mapping_shape){.m = (uint16_t)mapping_modes_size(&mnk[0]),
                                               .n = (uint16_t)mapping_modes_size(&mnk[1]),
                                               .k = (uint16_t)mapping_modes_size(&mnk[2])};
    for (int l = 0; l < LAYOUTS && is_read; l++) {
        const char *layout = value_of(text, labels[l][0], labels[l][1]);
        const char *end =
            layout ? mapping_modes_read(layout, printed.layouts[l], 2, &count, &fault) : NULL;
        is_read = !layout || (end && !*end && count == 2);
    }
    if (!is_read)
        return mapping_fail(error, MAPPING_INVALID,
                            "the print of an MMA_Atom needs a Shape_MNK of three numbers, and "
                            "LayoutA_TV, LayoutB_TV and LayoutC_TV of a thread and a value");
    tile[0] = value_of(text, "ThrLayoutVMNK:", "ThrLayoutVMNK:");
    tile[1] = value_of(text, "PermutationMNK:", "PermutationMNK:");
    return find_instruction(&printed, request)
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "no mma and wgmma has the shape m%un%uk%u and these layouts",
                              printed.shape.m, printed.shape.n, printed.shape.k);
}

/* ---- Types and calls ---- */

/* Returns the text after the opening bracket of "TiledMMA<" or "make_tiled_mma("; NULL for other
 * texts. */
static const char *behind_tiled(const char *text) {
    static const char words[] = "TiledMMA< TiledMma< make_tiled_mma(";
    const char *equals = strchr(text, '=');
    const char *found = mapping_behind_word(text, words);
    return !found && equals && equals < text + strcspn(text, "<(")
               ? mapping_behind_word(equals + 1, words)
               : found;
}

/* Splits the arguments up to the closing bracket, at most three, and drops "name=" before them.
 * Returns their number, 0 if there is no closing bracket. */
static unsigned split(const char *text, char *arguments[3]) {
    int depth = 0;
    unsigned count = 0;
    const char *start = text;
    for (;; text++) {
        if (!*text)
            return 0;
        if (strchr("<({", *text))
            depth++;
        const bool is_end = strchr(">)}", *text) && depth-- == 0;
        if ((*text != ',' || depth > 0) && !is_end)
            continue;
        while (isspace((unsigned char)*start))
            start++;
        const size_t name = ascii_identifier_length(start);
        if (start[name] == '=' && start[name + 1] != '=')
            start += name + 1;
        if (count == 3)
            return 0;
        arguments[count] = memory_get((size_t)(text - start) + 1, 1);
        memcpy(arguments[count++], start, (size_t)(text - start));
        start = text + 1;
        if (is_end)
            return count;
    }
}

static enum mapping_status read_type(const char *text, struct request *request, const char *tile[2],
                                     struct mapping_error *error) {
    char *arguments[3] = {NULL};
    if (split(text, arguments) == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "a TiledMMA has an atom, a layout of atoms, and a permutation, such as "
                            "TiledMMA<MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>, "
                            "Layout<Shape<_2,_2,_1>>, Tile<_32,_32,_16>>");
    request->subjects[0] = arguments[0];
    for (int a = 0; a < 2; a++)
        tile[a] = arguments[1 + a] ? compact(arguments[1 + a], strlen(arguments[1 + a])) : NULL;
    return MAPPING_OK;
}

/* ---- Both ---- */

/* Writes the tile in the notation of the options: "(2,2,1):(1,2,0)" and "32,(4,4):(1,8),_". The
 * threads of an atom, which only the printed form has, are dropped. */
static void write_tile(const struct mapping_tiling *tiling, struct request *request) {
    enum { TILE = 512 };
    char *atoms = memory_get(TILE, 1), *permutation = memory_get(TILE, 1);
    struct mapping_cute cute = {.count = 3};
    bool has_atoms = false, has_permutation = false;
    memcpy(cute.axis, tiling->atoms, sizeof tiling->atoms);
    mapping_cute_print(&cute, atoms, TILE);
    for (int mode = 0; mode < 3; mode++) {
        const struct mapping_modes *of_mode = &tiling->permutations[mode];
        char text[TILE] = "_";
        cute.count = 1;
        cute.axis[0] = *of_mode;
        if (of_mode->count == 1 && of_mode->stride[0] == 1)
            snprintf(text, TILE, "%u", of_mode->shape[0]);
        else if (of_mode->count > 0)
            mapping_cute_print(&cute, text, TILE);
        has_permutation |= of_mode->count > 0;
        has_atoms |= mapping_modes_size(&tiling->atoms[mode]) > 1;
        mapping_append(permutation, TILE, "%s%s", mode > 0 ? "," : "", text);
    }
    if (has_atoms)
        request->atom_layout = atoms;
    if (has_permutation)
        request->permutation = permutation;
}

enum mapping_status tiled_read(struct request *request, struct mapping_error *error) {
    const char *tile[2] = {NULL, NULL}, *type = NULL;
    size_t s = 0;
    char *text = NULL;
    for (; s < request->subject_count; s++) {
        const char *subject = request->subjects[s];
        type = behind_tiled(subject);
        text = compact(subject, strlen(subject));
        if (type || strstr(text, "Shape_MNK:") || strstr(text, "ShapeMNK:"))
            break;
    }
    if (s == request->subject_count)
        return MAPPING_OK;
    if (request->subject_count > 1)
        return mapping_fail(error, MAPPING_INVALID, "a TiledMMA must be the only subject");
    if (request->atom_layout || request->permutation)
        return mapping_fail(error, MAPPING_INVALID,
                            "the TiledMMA says how its atoms are tiled; drop --%s",
                            request->atom_layout ? "atom-layout" : "permutation");
    const enum mapping_status status =
        type ? read_type(type, request, tile, error) : read_print(text, request, tile, error);
    if (status != MAPPING_OK)
        return status;
    struct mapping_tiling tiling;
    if (mapping_tiling_parse(tile[0], tile[1], &tiling, error) != MAPPING_OK)
        return MAPPING_INVALID;
    write_tile(&tiling, request);
    return MAPPING_OK;
}
