/* derive.c - makes reports from observations; see derive.h. */
#include "report/derive.h"

#include "catalogue/catalogue.h"
#include "layout/space.h"
#include "system/system.h"

#include <string.h>

/* ---- Tiles ---- */

bool can_be_tiled(const struct mapping_fragment *fragment) {
    enum instruction_form form = mapping_instruction_form(fragment->instruction);
    return (form == MMA_FORM || form == WGMMA_FORM) && fragment->operand <= MAPPING_D &&
           !mapping_instruction_is_sparse(fragment->instruction);
}

enum mapping_status derive_atom(const struct mapping_fragment *fragment, struct mapping_atom *atom,
                                struct mapping_error *error) {
    enum { ALONG_M, ALONG_N, ALONG_K };
    static const uint8_t modes[][2] = {[MAPPING_A] = {ALONG_M, ALONG_K},
                                       [MAPPING_B] = {ALONG_K, ALONG_N},
                                       [MAPPING_C] = {ALONG_M, ALONG_N},
                                       [MAPPING_D] = {ALONG_M, ALONG_N}};
    char name[MAPPING_NAME_SIZE];
    struct mapping_space to;
    mapping_fragment_name(fragment, name);
    if (!can_be_tiled(fragment))
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s cannot be tiled; only A, B, C and D of mma and wgmma can be tiled, such as "
            "mma.m16n8k16.d.f32",
            name);
    *atom =
        (struct mapping_atom){.size = {fragment->shape.m, fragment->shape.n, fragment->shape.k},
                              .mode = {modes[fragment->operand][0], modes[fragment->operand][1]},
                              .is_quad_pair = fragment->blocks > 1};
    mapping_fragment_spaces(fragment, &atom->from, &to);
    return MAPPING_OK;
}

/* Replaces the observation of an atom by that of the tile. */
static enum mapping_status tile_observation(struct observation *observed,
                                            const struct tile_request *tile,
                                            struct mapping_error *error) {
    struct mapping_fragment *fragment = &observed->fragment;
    struct mapping_atom atom;
    struct mapping_layout tiled;
    enum mapping_status status = derive_atom(fragment, &atom, error);
    if (status == MAPPING_OK)
        status = mapping_tile(&tile->tiling, &atom, &observed->layout, &tiled, error);
    if (status != MAPPING_OK)
        return status;
    mapping_free(observed->layout.coordinate[0]);
    observed->layout = tiled;
    fragment->blocks = 1;
    fragment->threads = tiled.from.axis[0].size;
    fragment->elements = tiled.from.axis[1].size;
    fragment->rows = tiled.to.axis[0].size;
    fragment->cols = tiled.to.axis[1].size;
    fragment->registers = fragment->elements * fragment->bits / 32;
    return MAPPING_OK;
}

/* ---- Formulae ---- */

enum mapping_status derive_formulae(struct derived *derived) {
    const struct mapping_layout *layout = &derived->layout;
    enum mapping_status status = MAPPING_OK;
    derived->formulae = memory_get(layout->to.count, sizeof *derived->formulae);
    for (uint32_t c = 0; c < layout->to.count; c++) {
        struct deduced *deduced = &derived->formulae[c];
        deduced->found = mapping_deduce(&layout->from, layout->coordinate[c], &deduced->formula);
        if (!deduced->found)
            status = MAPPING_NO_FORMULA;
    }
    return status;
}

static void move_layout(struct report *report) {
    report->forward.layout = report->observed.layout;
    report->observed.layout = (struct mapping_layout){.from.count = 0};
}

enum mapping_status derive_solution(struct report *report, const char *copy,
                                    struct mapping_error *error) {
    move_layout(report);
    enum mapping_status status =
        layout_invert(&report->forward.layout, copy, &report->inverse.layout, error);
    if (status != MAPPING_OK)
        return status;
    derive_formulae(&report->inverse); /* a report without an inverse may be sufficient */
    return derive_formulae(&report->forward);
}

/* ---- Tables ---- */

enum mapping_status derive_table(struct report *report) {
    /* Names for the axis of copies. The first one is used that is not an axis of the output. */
    static const char *const names[] = {MAPPING_AXIS_COPY, MAPPING_AXIS_SELECTOR,
                                        MAPPING_AXIS_ID,   "number",
                                        "which",           "nth",
                                        "again",           "holder",
                                        "held_by"};
    size_t copy = 0;
    struct mapping_error ignored;
    const struct mapping_layout *layout = &report->forward.layout;
    uint64_t points = 1;
    const uint64_t entries = mapping_layout_entries(layout);
    for (uint32_t c = 0; c < layout->to.count && points <= entries; c++)
        points *= layout->to.axis[c].size; /* the loop ends, because there are more names than
                                              axes */
    while (mapping_space_find(&layout->to, names[copy]) >= 0)
        copy++;              /* ends: there are more names than axes */
    if (points <= entries && /* otherwise some points have no entry */
        layout_invert(layout, names[copy], &report->inverse.layout, &ignored) == MAPPING_OK)
        derive_formulae(&report->inverse);
    return derive_formulae(&report->forward);
}

/* ---- Inverses with gaps ---- */

void derive_places(const struct mapping_layout *layout, struct mapping_layout *inverse) {
    struct mapping_space from = layout->to;
    struct mapping_error ignored;
    uint32_t point[MAPPING_AXES_MAX] = {0};
    from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_COPY, 1};
    mapping_layout_init(inverse, &from, &layout->from, &ignored);
    size_t entries = mapping_layout_entries(layout);
    for (size_t n = 0; n < entries; n++, mapping_space_step(&layout->from, point)) {
        size_t target = layout->coordinate[0][n]; /* as in mapping_layout_target, but inlined */
        for (uint32_t c = 1; c < layout->to.count; c++)
            target = target * layout->to.axis[c].size + layout->coordinate[c][n];
        for (uint32_t c = 0; c < layout->from.count; c++)
            inverse->coordinate[c][target] = point[c];
    }
}

/* Fills gaps, so that a formula may exist for them. Uses only bits of the coordinates that some,
 * but not all entries of the layout have. Each bit adds the difference between the element at the
 * position with only this bit and the element at the first position, which has no bit. False if one
 * of these positions has no element. */
static bool fill_gaps(const struct mapping_layout *layout, struct mapping_layout *inverse) {
    const struct mapping_space *from = &inverse->from;
    const size_t places = mapping_layout_entries(inverse), parts = mapping_space_parts(from);
    uint32_t varies[MAPPING_AXES_MAX] = {0}; /* copy 0; all bits of other axes are 0 */
    size_t first = 0;
    for (uint32_t a = 0; a < layout->to.count; a++) {
        uint32_t some = 0, all = UINT32_MAX;
        for (size_t n = 0; n < mapping_layout_entries(layout); n++) {
            some |= layout->coordinate[a][n];
            all &= layout->coordinate[a][n];
        }
        varies[a] = some & ~all;
        first += all * mapping_space_stride(from, a);
    }
    uint32_t *capacity = memory_get(parts + places, sizeof *capacity), *sums = capacity + parts;
    bool fits = !is_gap(inverse, first);
    /* fill the coordinate that marks gaps last */
    for (uint32_t c = inverse->to.count; c-- > 0 && fits;) {
        uint32_t *values = inverse->coordinate[c], *part = capacity;
        for (uint32_t a = 0; a < from->count; part += from->axis[a++].size)
            for (uint32_t x = 1; x < from->axis[a].size; x++) {
                const uint32_t bit = x & -x & varies[a];
                const size_t alone = first + bit * mapping_space_stride(from, a);
                fits = fits && !is_gap(inverse, alone);
                part[x] = part[x & (x - 1)] + values[alone] - values[first];
            }
        mapping_space_combine(from, capacity, '+', sums);
        for (size_t n = 0; n < places && fits; n++)
            if (is_gap(inverse, n))
                values[n] = values[first] + sums[n];
    }
    mapping_free(capacity);
    return fits;
}

/* Removes the inverse, because it has no formula or is ambiguous. */
static void drop_inverse(struct report *report) {
    mapping_free(report->inverse.layout.coordinate[0]);
    report->inverse = (struct derived){.formulae = NULL};
}

/* Derives formulae for the inverse of a layout with gaps. They must give the right values at all
 * entries that are not gaps. The gaps are filled while the formulae are deduced. */
static void derive_around_gaps(struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout;
    struct mapping_layout *inverse = &report->inverse.layout;
    if (!fill_gaps(layout, inverse)) {
        drop_inverse(report);
        return;
    }
    derive_formulae(&report->inverse);
    mapping_free(inverse->coordinate[0]);
    derive_places(layout, inverse);
}

/* Derives a layout of Tensor Memory. It may have gaps, and several scale factors with different IDs
 * may share a place. */
enum mapping_status derive_lanes(struct report *report) {
    const struct mapping_layout *layout = &report->forward.layout,
                                *inverse = &report->inverse.layout;
    derive_places(layout, &report->inverse.layout);
    const size_t gaps = count_gaps(inverse), taken = mapping_layout_entries(inverse) - gaps;
    if (taken < mapping_layout_entries(layout))
        drop_inverse(report);
    else if (gaps)
        derive_around_gaps(report);
    else
        derive_formulae(&report->inverse);
    return derive_formulae(&report->forward);
}

/* Derives the inverse for the copy that a line of PTX or SASS selects. */
static void derive_chosen(struct report *report) {
    const struct mapping_layout *inverse = &report->inverse.layout;
    struct mapping_error ignored;
    struct derived chosen;
    if (!report->has_choice || !report_has_inverse(report) ||
        layout_restrict(inverse, inverse->from.axis[inverse->from.count - 1].name, report->choice,
                        1, &chosen.layout, &ignored) != MAPPING_OK)
        return;
    derive_formulae(&chosen);
    report->chosen = memcpy(memory_get(1, sizeof chosen), &chosen, sizeof chosen);
}

/* Derives the inverse and the formulae of one fragment. */
static enum mapping_status derive_fragment(struct report *report, const struct tile_request *tile,
                                           struct mapping_error *error) {
    struct observation *observed = &report->observed;
    struct mapping_error cause;
    enum mapping_status status =
        tile->is_given ? tile_observation(observed, tile, error) : MAPPING_OK;
    if (status != MAPPING_OK)
        return status;
    if (report->tmem) { /* the inverse was already made */
        move_layout(report);
        return derive_formulae(&report->forward);
    }
    if (observed->fragment.place == MAPPING_IN_TENSOR_MEMORY) {
        move_layout(report);
        return derive_lanes(report);
    }
    status = derive_solution(report, mapping_fragment_copy_axis(&observed->fragment), &cause);
    return status == MAPPING_INVALID
               ? mapping_fail(error, status, "%s: %s: %-s", observed->provenance.evidence[0].kind,
                              report->name, cause.message)
               : status;
}

/* ---- Many ----
 *
 * Many fragments share the table of their layout. The first report of each table is derived, and
 * the others share its inverse and formulae. */

struct derivation {
    struct report *reports;
    size_t *derived; /* the first reports with each table */
    const struct tile_request *tile;
    enum mapping_status *statuses;
    struct mapping_error **errors; /* NULL if there is no tile; owned */
};

/* True if the reports share a table, and have the same inverse and formulae. */
static bool is_same(const struct report *a, const struct report *b) {
    const struct mapping_fragment *one = &a->observed.fragment, *other = &b->observed.fragment;
    return a->observed.layout.coordinate[0] == b->observed.layout.coordinate[0] &&
           one->place == other->place &&
           strcmp(mapping_fragment_copy_axis(one), mapping_fragment_copy_axis(other)) == 0;
}

static void derive_one(void *context, size_t n) {
    struct derivation *work = context;
    const size_t r = work->derived[n];
    struct mapping_error error = {""};
    work->statuses[r] = derive_fragment(&work->reports[r], work->tile, &error);
    if (*error.message)
        work->errors[r] = memcpy(memory_get(1, sizeof error), &error, sizeof error);
}

enum mapping_status derive_all(struct report *reports, size_t count,
                               const struct tile_request *tile, struct mapping_error *error) {
    struct derivation work = {reports, memory_get(count, sizeof *work.derived), tile,
                              memory_get(count, sizeof *work.statuses),
                              memory_get(count, sizeof *work.errors)};
    size_t *first = memory_get(count, sizeof *first), derived = 0;
    enum mapping_status status = MAPPING_OK;
    for (size_t r = 0; r < count; r++) {
        struct report *report = &reports[r];
        size_t n = report->is_shared ? 0 : derived;
        report->kind = "fragment";
        report->arch = report->observed.arch;
        report->has_fragment = true;
        report->tiling = tile->is_given ? tile->text : NULL;
        mapping_fragment_name(&report->observed.fragment, report->name);
        while (n < derived && !is_same(&reports[work.derived[n]], report))
            n++;
        if (n == derived) {
            work.derived[derived++] = r;
            report->users = memory_get(1, sizeof *report->users);
        }
        first[r] = work.derived[n];
    }
    parallel_for(derived, derive_one, &work);
    for (size_t r = 0; r < count && (status == MAPPING_OK || status == MAPPING_NO_FORMULA); r++) {
        reports[r].forward = reports[first[r]].forward;
        reports[r].inverse = reports[first[r]].inverse;
        reports[r].observed.layout = reports[first[r]].observed.layout;
        reports[r].users = reports[first[r]].users;
        atomic_fetch_add(reports[r].users, 1);
        derive_chosen(&reports[r]);
        if (work.statuses[r] != MAPPING_OK)
            status = work.statuses[r];
        if (status != MAPPING_OK && status != MAPPING_NO_FORMULA && work.errors[r])
            *error = *work.errors[r];
    }
    mapping_free(first);
    mapping_free(work.errors);
    return status;
}
