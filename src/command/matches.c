/* matches.c - --verify and --map: formulae and tables of the user, and which known layouts match.
 *
 * Formulae that are wrong for a fragment are checked with all layouts of the catalogue: the user
 * may have mistaken one fragment for another. A table is compared with the same layouts, with tiles
 * of fragments, and with layouts in CuTe's notation. */
#include "command/descriptor.h"
#include "command/show.h"
#include "layout/cute.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "report/compare.h"
#include "report/derive.h"
#include "report/table.h"
#include "source/known.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True unless the library refuses. */
static bool succeeds(enum mapping_status status) {
    return status == MAPPING_OK;
}

/* Makes a known layout, or its inverse. Free it in any case: there are thousands. */
static bool make_known(const struct known_layout *known, bool is_inverse,
                       struct mapping_layout *layout) {
    const struct mapping_fragment *fragment = &known->holders[0].fragment;
    struct mapping_layout forward;
    struct mapping_error ignored;
    if (!succeeds(mapping_fragment_state(fragment, is_inverse ? &forward : layout, &ignored)))
        return false;
    if (!is_inverse)
        return true;
    const char *copy = mapping_fragment_copy_axis(fragment);
    const bool is_made = succeeds(layout_invert(&forward, copy, layout, &ignored));
    mapping_layout_free(&forward);
    return is_made;
}

/* ---- Fragments that match formulae ---- */

/* The known layouts, and which of them the formulae match. */
struct formula_matches {
    const struct check *check;
    const struct report *report; /* of the last search; NULL before the first */
    struct known_list list;
    bool *found; /* for each layout of the list */
};

static void check_known(void *context, size_t index) {
    struct formula_matches *matches = context;
    const struct check *check = matches->check;
    const struct known_layout *known = &matches->list.known[index];
    struct mapping_space from, to;
    struct mapping_layout layout = {.from.count = 0};
    mapping_fragment_spaces(&known->holders[0].fragment, &from, &to);
    matches->found[index] = (check->is_inverse || check_fits(check, &from, &to)) &&
                            make_known(known, check->is_inverse, &layout) &&
                            (!check->is_inverse || check_fits(check, &layout.from, &layout.to)) &&
                            check_holds(check, &layout, false);
    mapping_layout_free(&layout);
}

/* A fragment for which the formulae are right, and its sort key. */
struct match {
    const struct holder *holder;
    uint64_t key;
};

static int compare_matches(const void *a, const void *b) {
    const struct match *one = a, *other = b;
    return one->key < other->key ? -1 : one->key > other->key;
}

/* The sort key of a match; the fragment nearest to the report's has the smallest key. Fragments
 * with fewer entries come last, the largest of them first, since many formulae are right for a few
 * entries. Equally near fragments keep the catalogue's order; `place` is the index of the match. */
static uint64_t key_of(const struct mapping_fragment *other, const struct mapping_fragment *asked,
                       size_t place) {
    enum { SAME_FRAGMENT, SAME_INSTRUCTION, SAME_SIZE, OTHER_SHAPE, LARGER, SMALLER };
    const uint32_t entries = other->threads * other->elements,
                   wanted = asked->threads * asked->elements;
    uint64_t rank = entries > wanted ? LARGER : SMALLER, size = 0;
    if (mapping_fragment_equal(other, asked))
        rank = SAME_FRAGMENT;
    else if (entries == wanted)
        rank = other->instruction == asked->instruction ? SAME_INSTRUCTION : SAME_SIZE;
    else if (other->instruction == asked->instruction && other->operand == asked->operand)
        rank = OTHER_SHAPE;
    if (rank == SMALLER)
        size = UINT32_MAX - entries;
    return rank << 60 | size << 28 | place;
}

/* Adds the names of all fragments for which the formulae of a report, which are wrong for its own
 * fragment, are right; the nearest fragments come first. *all is NULL at the first call, and keeps
 * the matches for the next report of the same series. */
static void add_matches(struct formula_matches **all, const struct check *check,
                        const struct report *report, struct strings *names) {
    const struct mapping_fragment *asked = &report->observed.fragment;
    struct match *found = NULL;
    size_t count = 0, room = 0;
    char name[KNOWN_NAME];
    struct formula_matches *matches = *all;
    if (!matches) {
        matches = *all = memory_get(1, sizeof *matches);
        matches->list = known_all(0);
        matches->found = memory_get(matches->list.count, sizeof *matches->found);
    }
    const struct report *last = matches->report;
    /* Loads of one series have the same name and the same matches. */
    if (!last || !last->part || !report->part || strcmp(last->name, report->name) != 0) {
        matches->check = check;
        matches->report = report;
        parallel_for(matches->list.count, check_known, matches);
    }
    for (size_t index = 0; index < matches->list.count; index++)
        for (size_t n = 0; matches->found[index] && n < matches->list.known[index].count; n++) {
            const struct holder *holder = &matches->list.known[index].holders[n];
            found = array_grow(found, count, 1, &room, sizeof *found);
            found[count] = (struct match){holder, key_of(&holder->fragment, asked, count)};
            count++;
        }
    if (count > 0)
        qsort(found, count, sizeof *found, compare_matches);
    for (size_t m = 0; m < count; m++) {
        known_name(found[m].holder, name);
        strings_add(names, name);
    }
    mapping_free(found);
}

/* True if the formulae are right with parentheses around & ^ | << >>, which C needs beside + and -.
 */
static bool lacks_parentheses(const struct request *request, const struct report *report) {
    struct check check;
    struct mapping_error ignored;
    const bool is_right = check_parse(request->formulae, request->formula_count, report,
                                      MAPPING_BITS_FIRST, &check, &ignored) == MAPPING_OK &&
                          check_compare(&check, NULL, &ignored) == MAPPING_OK &&
                          !check_is_wrong(&check);
    mapping_free(check.program);
    return is_right;
}

/* Checks the formulae for one report. If they are wrong, finds the conditions or the fragments for
 * which they are right. */
static enum mapping_status verify(const struct request *request, const struct report *report,
                                  struct formula_matches **matches, struct verified *verified,
                                  struct mapping_error *error) {
    struct check *check = &verified->check;
    struct mapping_fragment fragment;
    struct mapping_cursor at = {0};
    verified->report = report;
    enum mapping_status status =
        check_parse(request->formulae, request->formula_count, report, 0, check, error);
    if (status == MAPPING_OK)
        status = check_compare(check, report->has_fragment ? &verified->right_for : NULL, error);
    if (status != MAPPING_OK || !check_is_wrong(check))
        return status;
    if (lacks_parentheses(request, report))
        strings_add(&verified->right_for,
                    "& ^ | << >> are in parentheses: in C, a + b & c is (a + b) & c");
    verified->conditions = verified->right_for.count;
    if (!report->has_fragment)
        return MAPPING_DIFFERS; /* there are too many shared-memory layouts to try */
    if (*check->tv)
        return MAPPING_DIFFERS; /* its rows and columns are those of this fragment alone */
    add_matches(matches, check, report, &verified->right_for);
    while (mapping_catalogue_next(&at, &fragment))
        verified->searched++;
    return MAPPING_DIFFERS;
}

enum mapping_status verify_reports(const struct request *request, const struct report *reports,
                                   size_t count, struct pages *pages, struct mapping_error *error) {
    struct verified *verified = memory_get(count, sizeof *verified);
    struct formula_matches *matches = NULL;
    enum mapping_status status = MAPPING_OK, one = MAPPING_OK;
    pages_init(pages, 1);
    for (size_t r = 0; r < count && (one == MAPPING_OK || one == MAPPING_DIFFERS); r++) {
        one = verify(request, &reports[r], &matches, &verified[r], error);
        mapping_free(verified[r].check.program); /* about 60 KB, and there are up to 256 reports */
        verified[r].check.program = NULL;
        status = one == MAPPING_OK ? status : one;
    }
    if (status == MAPPING_OK || status == MAPPING_DIFFERS)
        request->output->verified(pages->page, verified, count, &request->style);
    return status;
}

/* Replaces "@FILE" by the text of the file. */
static enum mapping_status read_formulae(const struct request *request,
                                         struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t f = 0; f < request->formula_count && status == MAPPING_OK; f++)
        if (*request->formulae[f] == '@') {
            struct printer content = {.text = NULL};
            status = file_read(request->formulae[f] + 1, "file of formulae", &content, error);
            request->formulae[f] = content.text;
        }
    return status;
}

enum mapping_status command_verify(const struct request *request, struct pages *pages,
                                   struct mapping_error *error) {
    struct report *reports = NULL;
    size_t count = 0;
    bool is_offset = false, is_address = false;
    if (is_about_descriptor(request))
        return verify_descriptor(request, pages, error);
    enum mapping_status status = read_formulae(request, error);
    if (status != MAPPING_OK)
        return status;
    for (size_t f = 0; f < request->formula_count; f++) {
        is_offset |= mapping_text_defines(request->formulae[f], MAPPING_AXIS_OFFSET);
        is_address |= mapping_text_defines(request->formulae[f], "address");
    }
    status = request->use_count > 0
                 ? load_addresses(request, is_offset && !is_address, &reports, &count, error)
                 : make_all_reports(request, &reports, &count, error);
    return status == MAPPING_OK || status == MAPPING_NO_FORMULA
               ? verify_reports(request, reports, count, pages, error)
               : status;
}

/* ---- Comparing tables ---- */

/* The axis of a space that has this name, or is called so in formulae; -1 if there is none. */
static int find_axis_called(const struct mapping_space *space, const char *name) {
    for (uint32_t a = 0; a < space->count; a++)
        if (mapping_axis_is_called(name, space->axis[a].name, strlen(space->axis[a].name)))
            return (int)a;
    return -1;
}

/* Writes the user's axis for each axis of a space: the one of the same name. The other axes are
 * matched in order. */
static bool match_spaces(const struct mapping_space *space, const struct mapping_space *brought,
                         uint8_t match[MAPPING_AXES_MAX]) {
    bool taken[MAPPING_AXES_MAX] = {false};
    uint32_t next = 0;
    if (space->count != brought->count)
        return false;
    for (uint32_t a = 0; a < space->count; a++) {
        const int axis = find_axis_called(brought, space->axis[a].name);
        match[a] = (uint8_t)(axis >= 0 ? axis : MAPPING_AXES_MAX);
        if (axis >= 0)
            taken[axis] = true;
    }
    for (uint32_t a = 0; a < space->count; a++)
        if (match[a] == MAPPING_AXES_MAX) {
            while (taken[next])
                next++;
            match[a] = (uint8_t)next++;
        }
    return true;
}

/* Writes the layout's output for each output of the user. The user may have fewer outputs if the
 * layout has all their names; otherwise outputs are matched like inputs. */
static bool match_outputs(const struct mapping_space *space, const struct mapping_space *brought,
                          uint8_t match[MAPPING_AXES_MAX]) {
    uint8_t order[MAPPING_AXES_MAX] = {0};
    uint32_t named = 0;
    for (uint32_t c = 0; c < brought->count; c++) {
        const char *name = brought->axis[c].name;
        uint32_t a = space->count;
        while (a > 0 && !mapping_axis_is_called(space->axis[a - 1].name, name, strlen(name)))
            a--;
        match[c] = (uint8_t)(a > 0 ? a - 1 : 0);
        named += a > 0;
    }
    if (named == brought->count)
        return true;
    if (!match_spaces(space, brought, order))
        return false;
    for (uint32_t a = 0; a < space->count; a++)
        match[order[a]] = (uint8_t)a;
    return true;
}

/* Counts the entries at which a layout and the user's table differ, up to limit + 1; SIZE_MAX if
 * their axes or the sizes of inputs do. *first is the first such entry of the table. */
static size_t count_differing(const struct mapping_layout *layout,
                              const struct mapping_layout *brought, size_t limit, size_t *first) {
    uint8_t from[MAPPING_AXES_MAX] = {0}, to[MAPPING_AXES_MAX] = {0};
    uint32_t point[MAPPING_AXES_MAX] = {0}, other[MAPPING_AXES_MAX] = {0};
    size_t differing = 0;
    if (!match_spaces(&layout->from, &brought->from, from) ||
        !match_outputs(&layout->to, &brought->to, to))
        return SIZE_MAX;
    for (uint32_t a = 0; a < layout->from.count; a++)
        if (layout->from.axis[a].size != brought->from.axis[from[a]].size)
            return SIZE_MAX;
    for (size_t n = 0; n < mapping_layout_entries(layout) && differing <= limit; n++) {
        bool differs = false;
        for (uint32_t a = 0; a < layout->from.count; a++)
            other[from[a]] = point[a];
        const size_t entry = mapping_space_number(&brought->from, other);
        for (uint32_t c = 0; c < brought->to.count; c++)
            differs |= layout->coordinate[to[c]][n] != brought->coordinate[c][entry];
        if (differs && differing++ == 0)
            *first = entry;
        mapping_space_step(&layout->from, point);
    }
    return differing;
}

/* ---- Fragments that match a table ---- */

/* True if the user's table leads from rows and columns to threads and elements. A lane is a thread
 * unless it is a lane of Tensor Memory, with a column. */
static bool is_of_inverse(const struct mapping_layout *layout) {
    return mapping_space_find(&layout->to, MAPPING_AXIS_COLUMN) < 0 &&
           (find_axis_called(&layout->to, MAPPING_AXIS_TID) >= 0 ||
            find_axis_called(&layout->to, MAPPING_AXIS_I) >= 0);
}

/* Counts the entries at which a known layout differs, up to limit + 1; SIZE_MAX if its axes are
 * others. */
static size_t compare_known(const struct report *report, const struct known_layout *known,
                            size_t limit, size_t *first) {
    struct mapping_space from, to;
    struct mapping_layout layout = {.from.count = 0};
    size_t differing = SIZE_MAX;
    mapping_fragment_spaces(&known->holders[0].fragment, &from, &to);
    if (mapping_space_size(&from) != mapping_layout_entries(&report->forward.layout))
        return SIZE_MAX;
    if (make_known(known, is_of_inverse(&report->forward.layout), &layout)) {
        const uint32_t last = layout.from.count - 1;
        if (is_of_inverse(&report->forward.layout) && layout.from.axis[last].size == 1)
            layout.from.count = last; /* one copy needs no number */
        differing = count_differing(&layout, &report->forward.layout, limit, first);
    }
    mapping_layout_free(&layout);
    return differing;
}

static void find_fragments(struct report *report, const struct known_list *list) {
    size_t limit = mapping_layout_entries(&report->forward.layout) / 8;
    char name[KNOWN_NAME], nearest[KNOWN_NAME] = "";
    for (const struct known_layout *known = list->known; known < list->known + list->count;
         known++) {
        size_t first = 0, differing = compare_known(report, known, limit, &first);
        for (size_t n = 0; differing == 0 && n < known->count; n++) {
            known_name(&known->holders[n], name);
            strings_add(&report->same, name);
        }
        if (differing > limit || differing == 0)
            continue;
        limit = differing - 1;
        report->differing = differing;
        report->first_differing = first;
        known_name(&known->holders[0], nearest);
    }
    if (report->same.count == 0 && *nearest)
        report->nearly = memory_text(nearest);
}

/* ---- Tiles ---- */

/* Writes the atom layout with `counts` atoms along M, N and K, whose threads run along order[0]
 * first. */
static void write_atoms(const uint32_t counts[3], const uint8_t order[3], char text[64]) {
    uint32_t stride[3], step = 1;
    for (int o = 0; o < 3; o++) {
        stride[order[o]] = counts[order[o]] > 1 ? step : 0;
        step *= counts[order[o]];
    }
    if (order[0] == 0) /* and 1, and 2 */
        snprintf(text, 64, "(%u,%u,%u)", counts[0], counts[1], counts[2]);
    else
        snprintf(text, 64, "(%u,%u,%u):(%u,%u,%u)", counts[0], counts[1], counts[2], stride[0],
                 stride[1], stride[2]);
}

/* Compares with one tiling of a fragment, and notes it if it is the same. */
static bool try_tiling(struct report *report, const struct mapping_fragment *fragment,
                       const struct mapping_layout *atom_layout, const struct mapping_atom *atom,
                       const char *atoms, const char *permutation) {
    struct mapping_tiling tiling;
    struct mapping_layout tiled;
    struct mapping_space from, to;
    struct mapping_error ignored;
    char name[MAPPING_NAME_SIZE], text[256];
    size_t first;
    if (mapping_tiling_parse(atoms, permutation, &tiling, &ignored) != MAPPING_OK ||
        mapping_tile_spaces(&tiling, atom, &from, &to, &ignored) != MAPPING_OK ||
        mapping_space_size(&from) != mapping_layout_entries(&report->forward.layout) ||
        !succeeds(mapping_tile(&tiling, atom, atom_layout, &tiled, &ignored)))
        return false;
    bool is_same = count_differing(&tiled, &report->forward.layout, 0, &first) == 0;
    mapping_layout_free(&tiled);
    if (!is_same)
        return false;
    mapping_fragment_name(fragment, name);
    snprintf(text, sizeof text, "%s --atom-layout='%s' --permutation='%s'", name, atoms,
             permutation);
    strings_add(&report->same, text);
    return true;
}

/* Tries the orders of these numbers of atoms: threads run along M, N and K in turn. */
static bool try_orders(struct report *report, const struct mapping_fragment *fragment,
                       const struct mapping_layout *layout, const struct mapping_atom *atom,
                       const uint32_t counts[3]) {
    static const uint8_t orders[][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}};
    const struct mapping_space *to = &report->forward.layout.to;
    char sizes[3][16] = {"_", "_", "_"}, permutation[64], atoms[64];
    for (int a = 0; a < 2; a++)
        snprintf(sizes[atom->mode[a]], sizeof sizes[0], "%u", to->axis[a].size);
    snprintf(permutation, sizeof permutation, "%s,%s,%s", sizes[0], sizes[1], sizes[2]);
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        write_atoms(counts, orders[o], atoms);
        if (try_tiling(report, fragment, layout, atom, atoms, permutation))
            return true;
    }
    return false;
}

/* Whether the first threads hold in their first elements what the fragment alone holds, as in every
 * tile. A quad pair is threads 0 to 3 and 16 to 19; only the first four are compared. */
static bool begins_like(const struct mapping_layout *map, const struct mapping_layout *fragment,
                        const struct mapping_atom *atom) {
    size_t elements = map->from.axis[1].size, own = fragment->from.axis[1].size;
    size_t threads = atom->is_quad_pair ? 4 : fragment->from.axis[0].size;
    uint32_t *const *place = fragment->coordinate + fragment->to.count - 2; /* without blocks */
    for (size_t tid = 0; tid < threads && tid < map->from.axis[0].size; tid++)
        for (size_t i = 0; i < own && i < elements; i++)
            for (uint32_t c = 0; c < 2; c++)
                if (map->coordinate[c][tid * elements + i] != place[c][tid * own + i])
                    return false;
    return true;
}

/* Tries all tiles of one fragment that have as many threads as the table. */
static void try_tiles(struct report *report, const struct mapping_fragment *fragment) {
    struct mapping_atom atom;
    struct mapping_layout layout;
    struct mapping_error ignored;
    uint32_t threads = report->forward.layout.from.axis[0].size;
    if (!can_be_tiled(fragment) || !succeeds(derive_atom(fragment, &atom, &ignored)))
        return;
    uint32_t own = atom.is_quad_pair ? 8 : fragment->threads, all = threads / own;
    if (threads % own != 0 || !succeeds(mapping_fragment_state(fragment, &layout, &ignored)))
        return;
    /* One way is enough, along K last. */
    bool found = !begins_like(&report->forward.layout, &layout, &atom);
    for (uint32_t k = 1; k <= all && !found; k++)
        for (uint32_t n = 1; all % k == 0 && n <= all / k && !found; n++) {
            const uint32_t counts[] = {all / k / n, n, k};
            found = all / k % n == 0 && try_orders(report, fragment, &layout, &atom, counts);
        }
    mapping_layout_free(&layout);
}

/* Tries tiles of one fragment for each layout and operand. The operand matters because A, B and D
 * are tiled along different modes. */
static void find_tiles(struct report *report, const struct known_list *list) {
    const struct mapping_layout *layout = &report->forward.layout;
    const struct mapping_space *from = &layout->from, *to = &layout->to;
    if (report->same.count > 0 || from->count != 2 || to->count != 2 ||
        find_axis_called(from, MAPPING_AXIS_TID) != 0 ||
        find_axis_called(to, MAPPING_AXIS_ROW) != 0 || from->axis[0].size > 1024)
        return;
    for (size_t k = 0; k < list->count; k++) {
        unsigned tried = 0;
        for (size_t n = 0; n < list->known[k].count; n++) {
            const struct mapping_fragment *fragment = &list->known[k].holders[n].fragment;
            enum mapping_operand operand =
                fragment->operand == MAPPING_C ? MAPPING_D : fragment->operand;
            if (!fragment->section || tried >> operand & 1 ||
                to->axis[0].size % fragment->rows != 0 || to->axis[1].size % fragment->cols != 0)
                continue;
            tried |= 1U << operand;
            try_tiles(report, fragment);
        }
    }
}

/* ---- Layouts of CuTe ---- */

/* An offset is a layout of memory. */
static void find_cute(struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct mapping_cute cute;
    char text[512];
    const char *target = layout->to.axis[0].name;
    if (layout->to.count != 1 || is_of_inverse(layout) || strcmp(target, MAPPING_AXIS_ROW) == 0 ||
        strcmp(target, MAPPING_AXIS_COL) == 0 ||
        !mapping_cute_find(&layout->from, layout->coordinate[0], &cute))
        return;
    mapping_cute_put_stages_last(&layout->from, &cute);
    if (mapping_cute_print(&cute, text, sizeof text) < sizeof text)
        strings_add(&report->same, text);
}

/* ---- Tables of the user ---- */

enum mapping_status make_table_report(const struct request *request, struct table *table,
                                      struct report *report, struct mapping_error *error) {
    const char *path = request->subjects[0];
    struct printer content = {.text = NULL};
    struct mapping_error cause;
    enum mapping_status status = file_read(path, "map", &content, error);
    if (status == MAPPING_UNAVAILABLE &&
        (strncmp(path, "row", 3) == 0 || strncmp(path, "col", 3) == 0) &&
        path[3 + strspn(path + 3, " ")] == '=') /* "row = ..." */
        status = mapping_fail(error, MAPPING_INVALID,
                              "--map reads a file with the columns tid,i,row,col, not a formula; "
                              "--verify=CODE checks a formula");
    if (status == MAPPING_OK) {
        status = table_read(content.text, request->outputs, table, &cause);
        if (status == MAPPING_INVALID)
            mapping_fail(error, status, "%.200s: %-s",
                         strcmp(path, "-") == 0 ? "standard input" : path, cause.message);
        else if (status != MAPPING_OK)
            *error = cause;
    }
    printer_free(&content);
    if (status != MAPPING_OK)
        return status;
    *report = (struct report){.kind = "file", .is_of_file = true};
    const char *slash = strrchr(path, '/');
    const char *name = strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
    mapping_printable(name, strlen(name), report->name, sizeof report->name - 1);
    report->forward.layout = table->layout;
    return derive_table(report);
}

enum mapping_status command_map(const struct request *request, struct pages *pages,
                                struct mapping_error *error) {
    struct table table = {.names = NULL};
    struct report report = {.kind = "file"};
    enum mapping_status status = make_table_report(request, &table, &report, error);
    if (status == MAPPING_OK || status == MAPPING_NO_FORMULA) {
        const struct known_list list = known_all(mapping_layout_entries(&report.forward.layout));
        find_fragments(&report, &list);
        find_tiles(&report, &list);
        for (size_t k = 0; k < list.count; k++)
            mapping_free(list.known[k].holders); /* about 400 KB in all */
        find_cute(&report);
        restyle(&report, 1, request->style.formula);
        enum mapping_status other = print_reports(request, &report, 1, pages, error);
        if (other != MAPPING_OK || request->output->can_show)
            status = other;
    }
    return status;
}
