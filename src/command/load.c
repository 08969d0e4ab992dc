/* load.c - --load, --store and --suggest: how to load fragments from a matrix in memory or store
 * them there, and which layouts of the matrix take fewer wavefronts. */
#include "command/brought.h"
#include "command/select.h"
#include "command/show.h"
#include "command/smem_matrix.h"

#include "catalogue/catalogue.h"
#include "layout/sentence.h"
#include "layout/tv_layout.h"
#include "report/load_report.h"
#include "report/scale_copy.h"
#include "report/smem_report.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Fragments ---- */

/* True for "cp.async" and "tma", which copy the whole matrix. */
static bool is_copy(const char *name) {
    return strcmp(name, "cp.async") == 0 || strcmp(name, "tma") == 0;
}

/* Makes the report of a layout that the user gives in place of a fragment. MAPPING_INVALID if it
 * does not map (tid, i) to (row, col). */
static enum mapping_status find_brought(const struct request *wanted, const char *name,
                                        struct report **report, struct mapping_error *error) {
    struct request nothing = *wanted;
    unsigned arch;
    bool is_default;
    nothing.subject_count = 0;
    *report = memory_get(1, sizeof **report);
    enum mapping_status status = select_arch(&nothing, &arch, &is_default, error);
    if (status == MAPPING_OK)
        status = make_brought(wanted, name, *report, error);
    if (!has_reports(status))
        return status;
    (*report)->arch = arch;
    (*report)->is_default_arch = is_default;
    if ((*report)->observed.fragment.threads == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--load and --store need what threads hold, from tid and i to row and "
                            "col, but %.100s is something else",
                            (*report)->name);
    return MAPPING_OK;
}

/* If the layout of the user has no element type, sets its type and size to those of the matrix. */
static void take_bits(struct report *fragment, const struct report *matrix) {
    struct mapping_fragment *held = &fragment->observed.fragment;
    const uint32_t bits = matrix->smem->bits;
    if (held->bits > 0)
        return;
    held->bits = bits;
    if (!mapping_type_find(matrix->smem->type, &held->type))
        held->type = bits == 32 ? MAPPING_B32 : bits == 8 ? MAPPING_B8 : MAPPING_B16;
}

/* Makes the report of the fragment of one load or store. MAPPING_INVALID if `name` does not select
 * exactly one fragment. */
static enum mapping_status find_fragment(const struct request *request, const char **name,
                                         struct report **report, struct mapping_error *error) {
    struct request wanted = request_about(request, name);
    size_t count;
    wanted.types = 0; /* --type is the type of the matrix; it selects a fragment only if the name
                         matches several */
    if (!mapping_tv_is_meant(*name) || mapping_tv_is_sized(*name))
        wanted.extent[0] = wanted.extent[1] = 0;
    if (subject_name(request, *name, 0)->kind == NAME_MATRIX)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--load and --store take a fragment, but '%.60s' is a matrix in memory; write, for "
            "example, mapping '%.60s' --load=mma.m16n8k16.a.f16",
            *name, *name);
    if (mapping_access_find(*name))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.60s' is an operation; give it to --with; --load and --store take a "
                            "fragment, such as mma.m16n8k16.a.f16",
                            *name);
    if (is_brought(*name))
        return find_brought(&wanted, *name, report, error);
    enum mapping_status status = make_all_reports(&wanted, report, &count, error);
    if (has_reports(status) && count > 1 && request->types) {
        wanted.types = request->types;
        status = make_all_reports(&wanted, report, &count, error);
    }
    for (size_t r = 0; r < count && *report && request->tile.is_given; r++)
        (*report)[r].tiling = request->tile.text; /* `wanted` is only valid in this function */
    if (status == MAPPING_NO_FORMULA)
        status = MAPPING_OK;
    if (status == MAPPING_OK && count != 1)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--load and --store take one fragment, but '%.100s' matches %zu; give a full "
            "name, such as %s, or a shape with --operand and --type",
            *name, count, (*report)[0].name);
    return status;
}

/* True if ldmatrix can widen the elements of the matrix to those of the fragment: from 4 or 6 bits
 * to 8 bits, or from s4 to s8. */
static bool can_widen(const struct report *matrix, const struct mapping_fragment *held) {
    const enum mapping_type type = held->type == MAPPING_S8 ? MAPPING_S4 : held->type;
    return held->bits == 8 && matrix->smem->bits < 8 &&
           matrix->smem->bits == mapping_type_bits(type) &&
           (held->type != MAPPING_S8 ||
            strcmp(matrix->smem->type, mapping_type_name(MAPPING_S4)) == 0);
}

/* Writes the name of the same fragment with type f16. Does not change `name` if the elements of
 * `wide` do not have 32 bits, or if there is no such fragment. */
static void name_narrow(const struct mapping_fragment *wide, uint32_t arch,
                        char name[MAPPING_NAME_SIZE]) {
    struct mapping_fragment narrow = *wide;
    narrow.type = MAPPING_F16;
    if (wide->bits == 32 && mapping_fragment_find(&narrow, arch, &narrow))
        mapping_fragment_name(&narrow, name);
}

/* Checks that the fragment is one matrix in registers, and that its elements have the size of those
 * in memory, or the size to which ldmatrix widens them. MAPPING_INVALID if not. */
static enum mapping_status check_fragment(const struct report *matrix,
                                          const struct report *fragment,
                                          struct mapping_error *error) {
    const struct mapping_fragment *held = &fragment->observed.fragment;
    const struct mapping_space *to = &fragment->forward.layout.to;
    const uint32_t bits = matrix->smem->bits;
    if (is_in_lanes(&fragment->forward.layout.from, to))
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s is in Tensor Memory, so --load and --store do not apply; tcgen05.cp copies it from "
            "shared memory, and --with=tcgen05.ld.32x32b shows its registers",
            fragment->name);
    if (mapping_space_find(to, MAPPING_AXIS_LANE) >= 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--load and --store need a fragment with rows and columns, but %s "
                            "maps registers to lanes of Tensor Memory",
                            fragment->name);
    if (held->operand == MAPPING_E || held->operand == MAPPING_P)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s holds %s, not elements of a matrix; use operand %s", fragment->name,
                            held->operand == MAPPING_E ? "sparsity metadata" : "row addresses",
                            held->operand == MAPPING_E ? "a, b, c or d" : "r, the registers");
    if (to->count != 2)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%s has %u matrices, whose positions relative to each other are not fixed%s",
            fragment->name, to->axis[0].size,
            can_be_tiled(held) ? "; place them with --atom-layout and "
                                 "--permutation, as in --atom-layout='(2,2,1)'"
                               : "; use .x1, which has one matrix");
    if (held->bits == bits || can_widen(matrix, held))
        return MAPPING_OK;
    if (matrix->smem->scales.kind)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s has %u-bit elements, but the scale factors of %.100s have %u bits; "
                            "%s",
                            fragment->name, held->bits, matrix->name, bits,
                            bits == 8 ? "use operand sfa or sfb, such as mma.m16n8k64.sfa.4x.ue4m3"
                                      : "no fragment has such scale factors");
    char name[MAPPING_NAME_SIZE] = "";
    if (bits == 16)
        name_narrow(held, fragment->arch, name);
    return mapping_fail(error, MAPPING_INVALID,
                        "%s has %u-bit elements, but %.100s has %u-bit elements; use a matrix, "
                        "or a --type, with %u-bit elements%s%s",
                        fragment->name, held->bits, matrix->name, bits, held->bits,
                        *name ? "; to load or store it converted to 16 bits, use " : "", name);
}

/* ---- Rows and columns ---- */

/* Finds which of m, n and k are the rows and the columns of the matrix. Sets `axes`, `has_axes` and
 * `is_turned`. MAPPING_INVALID if the requested axes do not fit. */
static enum mapping_status find_axes(struct load *load, const struct matrix_axes *asked,
                                     struct mapping_error *error) {
    const struct matrix_axes own = operand_axes(load->fragment->observed.fragment.operand);
    bool is_named = load->matrix->smem->is_mn_by_k && own.rows == 'k';
    load->axes = is_named ? (struct matrix_axes){own.cols, own.rows} : own;
    load->has_axes = asked->rows != 0;
    if (!load->has_axes) {
        load->is_turned = is_named;
        return MAPPING_OK;
    }
    if (check_axes(asked, &own, load->name, error) != MAPPING_OK)
        return MAPPING_INVALID;
    if (load->matrix->smem->is_mn_by_k && asked->rows == 'k') {
        char hint[MEMORY_ADVICE];
        memory_other_atom(load->matrix->name, hint);
        return mapping_fail(error, MAPPING_INVALID,
                            "the rows of %.100s run along %c and its columns along k; "
                            "--axes=%c,%c is wrong%s",
                            load->matrix->name, asked->cols, asked->rows, asked->cols, hint);
    }
    load->axes = *asked;
    load->is_turned = asked->rows != own.rows;
    return MAPPING_OK;
}

/* Returns the layout of stage 0 of a matrix, without an axis of stages. The table is shared with
 * the matrix, since the entries of stage 0 are its first entries. */
static struct mapping_layout first_stage(const struct report *matrix) {
    struct mapping_layout layout = matrix->forward.layout;
    if (layout.from.count > 2)
        layout.from = (struct mapping_space){2, {layout.from.axis[1], layout.from.axis[2]}};
    return layout;
}

/* Chooses the columns of scale factors that one load or store moves, for SFA or SFB with several
 * copies of the factors in each register. If 4 bytes in memory hold the factors of several columns,
 * one ld.b32 loads all of them in place of the copies; each MMA then selects its factors with
 * byte-id. Otherwise one copy is loaded. A store always writes one copy. Sets `layout`, which can
 * have other columns than the fragment, and `served`, the number of MMAs that a load serves. */
static enum mapping_status take_columns(struct load *load, struct mapping_error *error) {
    const struct mapping_fragment *held = &load->fragment->observed.fragment;
    const struct mapping_layout own = load->layout;
    const struct mapping_layout matrix = first_stage(load->matrix);
    const uint32_t axis = load->axes.cols == 'k', vector = held->scale_vector,
                   count = own.from.axis[1].size;
    const bool is_scale = held->operand == MAPPING_SFA || held->operand == MAPPING_SFB;
    if (!is_scale || count <= vector || count % vector != 0)
        return MAPPING_OK;
    struct mapping_space from = own.from, to = own.to;
    for (load->served = load->is_store ? 1 : count / vector;; load->served = 1) {
        struct mapping_copy_plan plan;
        struct mapping_error ignored;
        struct mapping_layout *layout = &load->layout;
        to.axis[axis].size = from.axis[1].size = load->served * vector;
        const enum mapping_status status = mapping_layout_init(layout, &from, &to, error);
        for (size_t n = 0; status == MAPPING_OK && n < mapping_layout_entries(layout); n++) {
            const size_t t = n / from.axis[1].size, i = n % from.axis[1].size;
            layout->coordinate[axis][n] = (uint32_t)i;
            layout->coordinate[!axis][n] = own.coordinate[!axis][t * count];
        }
        const struct mapping_copy_request request = {.memory = &matrix,
                                                     .fragment = layout,
                                                     .bits = held->bits,
                                                     .memory_bits = load->matrix->smem->bits,
                                                     .arch = load->fragment->arch,
                                                     .origin = {load->origin[0], load->origin[1]}};
        if (status != MAPPING_OK || load->served == 1 ||
            mapping_copy_plan_make(&request, mapping_access_find("ld.b32"), &plan, &ignored) ==
                MAPPING_OK)
            return status;
    }
}

/* Sets `alignment` to the alignment of the matrix in bytes that the plans need: one wavefront, or
 * the period of the swizzle if that is larger. */
static void find_alignment(struct load *load) {
    const struct mapping_layout *layout = &load->matrix->forward.layout;
    const size_t entries = mapping_layout_entries(layout);
    uint32_t *offset = memory_get(entries, sizeof *offset); /* relative to element (0, 0) */
    struct mapping_cute cute;
    for (size_t n = 0; n < entries; n++)
        offset[n] = layout->coordinate[0][n] - layout->coordinate[0][0];
    load->alignment = (uint32_t)BANKS * BANK_BYTES;
    const bool is_found = mapping_cute_find(&layout->from, offset, &cute);
    mapping_free(offset);
    if (!is_found || cute.swizzle.bits == 0)
        return;
    const int bits = cute.swizzle.bits + cute.swizzle.base + cute.swizzle.shift;
    uint64_t bytes = ((uint64_t)load->matrix->smem->bits << bits) / 8;
    if (bytes > load->alignment)
        load->alignment = (uint32_t)bytes;
}

/* Checks the fragment, and finds the axes of the matrix in memory. These are the requested axes;
 * or, for a CuTe atom whose name contains them, M or N by K; otherwise those of the operand: A is M
 * x K, B is K x N, C and D are M x N. Sets `axes`, `has_axes`, `is_turned`, `alignment`, `layout`
 * and `served`. MAPPING_INVALID if the fragment or the axes do not fit. */
static enum mapping_status prepare(struct load *load, const struct matrix_axes *asked,
                                   struct mapping_error *error) {
    enum mapping_status status = check_fragment(load->matrix, load->fragment, error);
    if (status == MAPPING_OK)
        status = find_axes(load, asked, error);
    if (status != MAPPING_OK)
        return status;
    find_alignment(load);
    struct mapping_layout *layout = &load->layout;
    *layout = load->fragment->forward.layout;
    if (!load->is_turned)
        return take_columns(load, error);
    uint32_t *rows = layout->coordinate[0], size = layout->to.axis[0].size;
    layout->coordinate[0] = layout->coordinate[1];
    layout->coordinate[1] = rows;
    layout->to.axis[0].size = layout->to.axis[1].size;
    layout->to.axis[1].size = size;
    return take_columns(load, error);
}

/* ---- Plans ---- */

/* Drops the plans before the first one (they are sorted, the best first) that is valid at every
 * origin, and sets `moves`. MAPPING_INVALID if there is none; *error is the reason for the first
 * plan. */
static enum mapping_status choose_movable(struct load *load,
                                          const struct mapping_copy_request *request,
                                          struct mapping_error *error) {
    const struct mapping_space *from = &load->matrix->forward.layout.from;
    const uint32_t stages = from->count > 2 ? from->axis[0].size : 1;
    struct mapping_error other;
    enum mapping_status status =
        mapping_copy_plan_move(request, stages, load->plans, &load->moves, error);
    while (status == MAPPING_INVALID && load->count > 1) {
        load->plans++;
        load->count--;
        status = mapping_copy_plan_move(request, stages, load->plans, &load->moves, &other);
    }
    return status;
}

/* If the best plan for SFA has bank conflicts, looks for other rows of the matrix to use as rows 8
 * to 15 of the fragment, so that there are none: in 128x4, rows with a distance of 32 are adjacent
 * in memory. Sets `apart` to the distance of the first of these rows from the origin; leaves it 0
 * if there are no such rows. */
static void find_apart(struct load *load, const struct mapping_copy_request *request) {
    enum { HALF = 8 };
    const uint32_t axis = load->axes.cols != 'k'; /* the axis with the rows of A */
    const uint32_t most = request->memory->from.axis[axis].size - request->origin[axis];
    if (!load->fragment || load->is_store || load->takes_origin ||
        load->fragment->observed.fragment.operand != MAPPING_SFA ||
        load->plans[0].wavefronts == load->plans[0].minimum)
        return;
    for (uint32_t apart = 2 * HALF; apart + HALF <= most && !load->apart; apart *= 2) {
        struct mapping_copy_request moved = *request;
        struct mapping_layout layout;
        struct mapping_copy_plan plan;
        struct mapping_space to = load->layout.to;
        struct mapping_error ignored;
        to.axis[axis].size = apart + HALF;
        mapping_layout_init(&layout, &load->layout.from, &to, &ignored);
        for (size_t n = 0; n < mapping_layout_entries(&layout); n++) {
            const uint32_t row = load->layout.coordinate[axis][n];
            layout.coordinate[axis][n] = row < HALF ? row : row - HALF + apart;
            layout.coordinate[!axis][n] = load->layout.coordinate[!axis][n];
        }
        moved.fragment = &layout;
        if (mapping_copy_plan_make(&moved, load->plans[0].access, &plan, &ignored) == MAPPING_OK &&
            plan.wavefronts == plan.minimum)
            load->apart = apart;
    }
}

/* Adds facts about ldmatrix and stmatrix shapes for 8, 6 and 4-bit elements: targets, format in
 * memory and format in registers. */
static void add_shapes(struct load *load) {
    const struct mapping_access *specific = NULL, *packed = NULL;
    const unsigned arch = load->fragment ? load->fragment->arch : 0;
    for (size_t p = 0; p < load->count; p++) {
        const struct mapping_access *access = load->plans[p].access;
        specific = mapping_access_needs_letter(access) && !specific ? access : specific;
        packed = access->packed && !packed ? access : packed;
    }
    if (specific && load->fragment)
        facts_add(&load->facts, "targets",
                  arch < 100 ? "%s needs sm_%ua" : "%s needs sm_%ua or sm_%uf", specific->name,
                  arch, arch);
    if (packed)
        facts_add(&load->facts, "packed",
                  "in memory, 16 elements of %u bits take 16 bytes; the last %u bits are not used",
                  packed->packed, 128 - 16U * packed->packed);
    if (packed && packed->packed == 4 && !packed->is_signed)
        facts_add(&load->facts, "registers",
                  "in registers, an element is in bits 3:0 of its byte (CUTLASS 4.2); "
                  "kind::f8f6f4 needs it in bits 5:2");
}

/* Adds the facts of the plans: requirements of shapes, the byte-id of each MMA, and how to avoid
 * bank conflicts. Replaces earlier facts. */
static void add_facts(struct load *load) {
    load->facts.count = 0;
    add_shapes(load);
    if (!load->fragment)
        return;
    const struct mapping_fragment *held = &load->fragment->observed.fragment;
    const char side = held->operand == MAPPING_SFA ? 'a' : 'b';
    const uint32_t first = load->origin[load->axes.cols != 'k'] + load->apart;
    if (load->served && load->is_store)
        facts_add(&load->facts, "copies", "only the first of the copies in a register is stored");
    else if (load->served == 1)
        facts_add(&load->facts, "selector",
                  "byte-id-%c = 0 reads them; the other bytes of the register are not used", side);
    else if (load->served)
        facts_add(&load->facts, "selector",
                  "a register has %u factors along k, for %u MMAs of K = %u: MMA s (0 to %u) has "
                  "byte-id-%c = %s",
                  load->served * held->scale_vector, load->served, held->shape.k, load->served - 1,
                  side, held->scale_vector == 1 ? "s" : "2 * s");
    if (load->apart)
        facts_add(&load->facts, "conflicts",
                  "no bank conflicts if rows 8 to 15 of the fragment are %s %u to %u of the "
                  "matrix: permute the rows of A and D alike",
                  load->axes.cols == 'k' ? "rows" : "columns", first, first + 7);
}

/* Sets the plans of a load, a store, or a copy of the whole matrix, and the facts about them. If
 * `with` is NULL, makes a plan for each operation of the architecture that can move the fragment;
 * otherwise only for `with`. MAPPING_INVALID with the reason if no plan is possible;
 * MAPPING_UNAVAILABLE if the architecture does not have `with`. */
static enum mapping_status plan(struct load *load, const struct mapping_access *with,
                                struct mapping_error *error) {
    const struct mapping_layout matrix = first_stage(load->matrix);
    const uint32_t bits = load->matrix->smem->bits;
    const bool is_store = load->is_store;
    const char *verb = is_store ? "store" : "load";
    struct mapping_copy_request request = {.memory = &matrix,
                                           .fragment = &load->layout,
                                           .bits = bits,
                                           .memory_bits = bits,
                                           .origin = {load->origin[0], load->origin[1]},
                                           .is_store = is_store};
    struct mapping_error cause;
    enum mapping_status status = MAPPING_OK;
    if (load->fragment) {
        request.arch = load->fragment->arch;
        request.bits = load->fragment->observed.fragment.bits;
        request.is_signed = load->fragment->observed.fragment.type == MAPPING_S8;
    }
    if (load->fragment && with && with->is_store != is_store)
        return mapping_fail(error, MAPPING_INVALID, "%s is a %s, but --%s needs %s", with->name,
                            is_store ? "load" : "store", verb,
                            is_store ? "st or stmatrix" : "ld or ldmatrix");
    if (load->fragment && with)
        status = access_check_arch(with, request.arch, error);
    if (status != MAPPING_OK)
        return status;
    if (load->fragment && !with) {
        status = mapping_copy_plan_all(&request, &load->plans, &load->count, &cause);
    } else {
        load->plans = memory_get(1, sizeof *load->plans);
        load->count = 1;
        if (load->is_tma)
            status = mapping_tma_find(&matrix, bits, &load->tma, &cause);
        if (status == MAPPING_OK)
            status = load->fragment ? mapping_copy_plan_make(&request, with, load->plans, &cause)
                                    : mapping_copy_plan_matrix(&matrix, bits, load->plans, &cause);
    }
    if (status == MAPPING_OK && load->takes_origin)
        status = choose_movable(load, &request, &cause);
    for (size_t p = 0; p < load->count && status == MAPPING_OK; p++)
        mapping_copy_plan_deduce(&load->plans[p]);
    if (status == MAPPING_OK) {
        find_apart(load, &request);
        add_facts(load);
    }
    const char *tiling = load->fragment ? load->fragment->tiling : NULL;
    if (status == MAPPING_INVALID && load->fragment)
        return mapping_fail(error, status, "%s can%s %s %s%s%s: %-s",
                            with ? with->name : "no operation", with ? "not" : "", verb, load->name,
                            tiling ? ", tiled by " : "", tiling ? tiling : "", cause.message);
    if (status != MAPPING_OK)
        *error = cause;
    return status;
}

/* True if the operation that failed can load or store the fragment in a tile with a permutation. */
static bool can_tiled(const struct request *request, const struct load *failed,
                      const struct mapping_access *with, const char *permutation) {
    struct request tiled = *request;
    struct mapping_error ignored;
    struct report *fragment = NULL;
    char text[64];
    const char *name = failed->name;
    snprintf(text, sizeof text, "%s", permutation);
    tiled.tile = (struct tile_request){.is_given = true, .text = text};
    struct load load = *failed;
    if (mapping_tiling_parse(NULL, permutation, &tiled.tile.tiling, &ignored) != MAPPING_OK ||
        find_fragment(&tiled, &name, &fragment, &ignored) != MAPPING_OK || !fragment)
        return false;
    load.fragment = fragment;
    return prepare(&load, &request->axes, &ignored) == MAPPING_OK &&
           plan(&load, with, &ignored) == MAPPING_OK;
}

/* Fails with MAPPING_INVALID: `with` cannot load or store the fragment. Appends alternatives to the
 * reason in *error: another operation; --axes=n,k if that would help; and, if `with` moves more
 * registers than the fragment has, a tile of several fragments. */
static enum mapping_status name_way_out(const struct request *request, struct load *load,
                                        const struct mapping_access *with,
                                        struct mapping_error *error) {
    const struct mapping_error cause = *error;
    struct mapping_error ignored;
    char other[96] = "", tiled[128] = "", permutation[32];
    if (plan(load, NULL, &ignored) == MAPPING_OK)
        snprintf(other, sizeof other, "; use %s", load->plans[0].access->name);
    struct load turned = *load;
    const struct matrix_axes by_n = {'n', 'k'};
    if (*other && !load->has_axes && load->axes.rows == 'k' &&
        prepare(&turned, &by_n, &ignored) == MAPPING_OK &&
        plan(&turned, with, &ignored) == MAPPING_OK)
        mapping_append(other, sizeof other, "; if B is stored as N x K, add --axes=n,k");
    const struct mapping_fragment *fragment = &load->fragment->observed.fragment;
    const unsigned moved = with->matrices ? with->matrices * with->rows / 8U : with->bytes / 4;
    const unsigned held = fragment->registers;
    const bool is_short = moved > held && moved % held == 0 && !request->tile.is_given;
    for (const char *axis = "nmk"; *axis && !*tiled && is_short; axis++) {
        if (*axis != load->axes.rows && *axis != load->axes.cols)
            continue;
        /* A tile with enough fragments along this axis: "_,16,_". */
        snprintf(permutation, sizeof permutation,
                 *axis == 'm'   ? "%u,_,_"
                 : *axis == 'n' ? "_,%u,_"
                                : "_,_,%u",
                 moved / held *
                     (*axis == 'm'   ? fragment->shape.m
                      : *axis == 'n' ? fragment->shape.n
                                     : fragment->shape.k));
        if (can_tiled(request, load, with, permutation))
            snprintf(tiled, sizeof tiled, "%s %s with a tile of %u fragments: add --permutation=%s",
                     *other ? ", or" : "; use", with->name, moved / held, permutation);
    }
    return mapping_fail(error, MAPPING_INVALID, "%-s%s%s", cause.message, other, tiled);
}

/* MAPPING_INVALID if stmatrix is requested for 32-bit elements that can be packed to f16 first; the
 * message names the fragment of f16. For an accumulator, whose layout does not depend on K, this
 * fragment can have a larger K. MAPPING_OK in all other cases. */
static enum mapping_status check_packing(const struct load *load, const struct mapping_access *with,
                                         struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE] = "";
    if (!load->fragment || !with || with->unit < 2 || !load->is_store)
        return MAPPING_OK;
    struct mapping_fragment wide = load->fragment->observed.fragment;
    for (int times = 0; times < 3 && !*name && wide.type == MAPPING_F32; times++) {
        name_narrow(&wide, load->fragment->arch, name);
        if (wide.operand == MAPPING_C || wide.operand == MAPPING_D)
            wide.shape.k = (uint16_t)(2 * wide.shape.k);
    }
    return *name ? mapping_fail(error, MAPPING_INVALID,
                                "%s stores 16-bit elements, but %s has 32-bit elements; pack to "
                                "f16 first: --store=%s",
                                with->name, load->name, name)
                 : MAPPING_OK;
}

/* Plans loads and stores. */
static enum mapping_status plan_all(const struct request *request, struct load *loads, size_t count,
                                    struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t l = 0; l < count && status == MAPPING_OK; l++) {
        const struct mapping_access *with = request->uses[l % request->use_count].with;
        status = plan(&loads[l], with, error);
        if (status == MAPPING_INVALID && with && loads[l].fragment &&
            check_packing(&loads[l], with, error) == MAPPING_OK)
            status = name_way_out(request, &loads[l], with, error);
    }
    return status;
}

/* ---- Requests ---- */

/* All loads and stores of a request: for each matrix, in the order of the options. */
struct uses {
    struct report *matrices;
    size_t matrix_count;
    struct load *loads;
    size_t count;
};

/* Makes the fragments, the matrices, and the loads and stores of each matrix, without plans. A
 * matrix without an element type gets that of the first fragment. The arrays of *uses are in the
 * arena. */
static enum mapping_status uses_make(const struct request *request, struct uses *uses,
                                     struct mapping_error *error) {
    struct report **fragments = memory_get(request->use_count, sizeof *fragments);
    const struct mapping_fragment *fragment = NULL;
    struct request wanted = *request;
    bool is_default;
    unsigned arch;
    wanted.subject_count = 0;
    enum mapping_status status = select_arch(&wanted, &arch, &is_default, error);
    wanted = *request;
    wanted.default_arch = status == MAPPING_OK && is_default ? arch : 0;
    status = MAPPING_OK; /* the same error is reported again for the first fragment */
    *uses = (struct uses){.count = 0};
    for (size_t u = 0; u < request->use_count && status == MAPPING_OK; u++) {
        const char *name = request->uses[u].name;
        if (is_copy(name) && !request->uses[u].is_store)
            status = mapping_fail(error, MAPPING_INVALID,
                                  "%s writes to shared memory; use --store=%s", name, name);
        else if (!is_copy(name))
            status = find_fragment(&wanted, &name, &fragments[u], error);
        if (fragments[u] && !fragment && fragments[u]->observed.fragment.bits)
            fragment = &fragments[u]->observed.fragment;
    }
    if (status != MAPPING_OK)
        return status;
    wanted = *request;
    status = brought_as_memory(&wanted, error); /* --map=FILE becomes a layout of CuTe */
    if (status != MAPPING_OK)
        return status;
    if (request->subject_count == 0 || !is_about_memory(&wanted))
        return mapping_fail(error, MAPPING_INVALID,
                            "--load and --store need a matrix in memory, such as '(64,64):(64,1)'"
                            "%s",
                            is_about_brought(request)
                                ? ", or a table of offsets that CuTe's notation describes"
                                : "");
    status = make_memory_reports(&wanted, fragment, &uses->matrices, &uses->matrix_count, error);
    if (!has_reports(status))
        return status;
    uses->count = uses->matrix_count * request->use_count;
    uses->loads = memory_get(uses->count, sizeof *uses->loads);
    status = MAPPING_OK;
    for (size_t l = 0; l < uses->count && status == MAPPING_OK; l++) {
        const struct asked_use *use = &request->uses[l % request->use_count];
        const struct report *of = fragments[l % request->use_count];
        struct load *load = &uses->loads[l];
        if (of)
            take_bits(fragments[l % request->use_count], &uses->matrices[l / request->use_count]);
        *load = (struct load){.matrix = &uses->matrices[l / request->use_count],
                              .fragment = of,
                              .name = of ? of->name : use->name,
                              .is_store = use->is_store,
                              .is_tma = strcmp(use->name, "tma") == 0,
                              .takes_origin = use->takes_origin,
                              .origin = {use->origin[0], use->origin[1]}};
        if (use->takes_origin &&
            (request->action != ACTION_LOAD || !request->output->takes_origins))
            status = mapping_fail(error, MAPPING_INVALID,
                                  "--origin=row,col is for functions that take the row and column; "
                                  "add --format=cuda, or use numbers: --origin=16,32");
        else if (of)
            status = prepare(load, &request->axes, error);
        else if (use->with || use->has_origin)
            status =
                mapping_fail(error, MAPPING_INVALID, "%s copies the whole matrix and takes no --%s",
                             use->name, use->with ? "with" : "origin");
    }
    return status;
}

/* ---- Addresses as a layout ---- */

/* Names an access: "ldmatrix.x4 of mma.m16n8k16.a.f16 from (64,64):(72,1) at 0,16". */
static void name_addresses(const struct load *load, const char *operation, struct report *report) {
    report->kind = load->is_store ? "store" : "load";
    if (load->fragment)
        snprintf(report->name, sizeof report->name, "%s of ", operation);
    mapping_append(report->name, sizeof report->name, "%.80s %s %.100s", load->name,
                   load->is_store ? "to" : "from", load->matrix->name);
    if (load->origin[0] || load->origin[1])
        mapping_append(report->name, sizeof report->name, " at %u,%u", load->origin[0],
                       load->origin[1]);
}

/* Makes a report with the addresses of the best plan: a layout from (tid), or from (step, tid) if
 * the plan has several steps, to the address in bytes; if `is_offset`, to the offset in elements.
 * Threads that pass no address have no entry. MAPPING_INVALID for TMA. */
static enum mapping_status make_addresses(const struct load *load, bool is_offset,
                                          struct report *report, struct mapping_error *error) {
    if (load->is_tma)
        return mapping_fail(error, MAPPING_INVALID,
                            "TMA takes no addresses from threads, so --verify cannot check them; "
                            "use --store=cp.async or a fragment");
    const struct mapping_copy_plan *plan = &load->plans[0];
    const uint32_t bits = load->matrix->smem->bits;
    const struct mapping_space to = {1,
                                     {{is_offset ? MAPPING_AXIS_OFFSET : "address", UINT32_MAX}}};
    struct mapping_space from = {0};
    if (plan->step_count > 1)
        from.axis[from.count++] = (struct mapping_axis){"step", plan->step_count};
    from.axis[from.count++] = (struct mapping_axis){MAPPING_AXIS_TID, plan->threads};
    name_addresses(load, plan->access->name, report);
    if (load->fragment) {
        report->arch = load->fragment->arch;
        report->is_default_arch = load->fragment->is_default_arch;
    }
    enum mapping_status status = mapping_layout_init(&report->forward.layout, &from, &to, error);
    for (uint32_t s = 0; s < plan->step_count && status == MAPPING_OK; s++)
        for (uint32_t t = 0; t < plan->threads; t++) {
            const uint32_t address = plan->steps[s].address[t];
            if (address != MAPPING_INACTIVE)
                report->forward.layout.coordinate[0][(size_t)s * plan->threads + t] =
                    is_offset ? (uint32_t)((uint64_t)address * 8 / bits) : address;
        }
    return status;
}

enum mapping_status load_addresses(const struct request *request, bool is_offset,
                                   struct report **reports, size_t *count,
                                   struct mapping_error *error) {
    struct uses uses;
    *count = 0;
    enum mapping_status status = uses_make(request, &uses, error);
    if (status == MAPPING_OK)
        status = plan_all(request, uses.loads, uses.count, error);
    if (status != MAPPING_OK)
        return status;
    *reports = memory_get(uses.count, sizeof **reports);
    for (; *count < uses.count && status == MAPPING_OK; ++*count)
        status = make_addresses(&uses.loads[*count], is_offset, &(*reports)[*count], error);
    return status;
}

/* ---- Scale factors: tcgen05.cp copies them to Tensor Memory ---- */

/* True if the request loads scale factors for Tensor Memory from a matrix in memory. */
static bool is_scale_copy(const struct request *request) {
    bool is_any = false;
    for (size_t u = 0; u < request->use_count && !is_any; u++) {
        const struct mapping_name *read = &subject_name(request, request->uses[u].name, u)->read;
        is_any = read->count == 1 && is_scale_operand(read->found);
    }
    return is_any && is_about_memory(request);
}

/* MAPPING_INVALID if the request is not for one copy to Tensor Memory, or has options that do not
 * apply to tcgen05.cp. */
static enum mapping_status check_scale_copy(const struct request *request,
                                            struct mapping_error *error) {
    const struct asked_use *use = &request->uses[0];
    const char axis = strstr(use->name, ".sfb.") ? 'n' : 'm';
    const char *too_many = request->tile.is_given ? "a tile" : use->with ? "--with" : NULL;
    if (request->use_count > 1 || request->subject_count > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "a copy to Tensor Memory is one matrix and one --load");
    if (use->is_store)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s is in Tensor Memory; tcgen05.cp only copies to it: use --load",
                            use->name);
    if (too_many)
        return mapping_fail(error, MAPPING_INVALID, "%s: tcgen05.cp takes no %s", use->name,
                            too_many);
    if (use->takes_origin)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s: tcgen05.cp copies from one place; use numbers: --origin=128,0",
                            use->name);
    const bool is_named = request->axes.rows == axis && request->axes.cols == 'k';
    const bool is_turned = request->axes.rows == 'k' && request->axes.cols == axis;
    if (request->axes.rows && !is_named && !is_turned)
        return mapping_fail(error, MAPPING_INVALID,
                            "the axes of scale factors for %s are %c and k; --axes=%c,%c is wrong",
                            use->name, axis, request->axes.rows, request->axes.cols);
    if (is_turned && !mapping_scales_is_meant(request->subjects[0]))
        return mapping_fail(error, MAPPING_INVALID,
                            "--axes=k,%c needs scale factors by name, such as 128x4; write "
                            "%.100s with rows along %c",
                            axis, request->subjects[0], axis);
    if (!request->output->scale_copy)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--format=%s cannot show a copy to Tensor Memory; use text, json or cuda",
            request->output->name);
    return MAPPING_OK;
}

static void exchange(uint32_t pair[2]) {
    const uint32_t first = pair[0];
    pair[0] = pair[1];
    pair[1] = first;
}

/* Returns the request with rows along M or N and columns along K, as the names of scale factors
 * assume: for --axes=k,m or --axes=k,n, swaps the extent, the origin and the axes. *use becomes its
 * load. */
static struct request along_mn(const struct request *request, struct asked_use *use) {
    struct request turned = *request;
    *use = request->uses[0];
    if (request->axes.rows != 'k')
        return turned;
    exchange(turned.extent);
    exchange(use->origin);
    turned.axes = (struct matrix_axes){request->axes.cols, 'k'};
    return turned;
}

/* Prints the tcgen05.cp instructions that copy the factors. */
static enum mapping_status load_scales(const struct request *asked, struct pages *pages,
                                       struct mapping_error *error) {
    struct asked_use use;
    const struct request turned = along_mn(asked, &use), *request = &turned;
    struct request wanted = request_about(request, &use.name);
    struct report *fragment = NULL, *matrix = NULL;
    struct scale_copy copy;
    size_t count;
    enum mapping_status status = check_scale_copy(asked, error);
    if (status != MAPPING_OK)
        return status;
    wanted.types = 0;
    wanted.extent[0] = wanted.extent[1] = wanted.block = 0;
    wanted.use_count = 0;
    wanted.axes = (struct matrix_axes){0, 0};
    status = make_all_reports(&wanted, &fragment, &count, error);
    if (!has_reports(status))
        return status;
    status = make_memory_reports(request, &fragment->observed.fragment, &matrix, &count, error);
    if (!has_reports(status))
        return status;
    status = scale_copy_find(matrix, fragment, use.origin, &copy, error);
    if (status != MAPPING_OK)
        return status;
    pages_init(pages, 1);
    request->output->scale_copy(pages->page, &copy, &request->style);
    return MAPPING_OK;
}

/* ---- Commands ---- */

enum mapping_status command_load(const struct request *request, struct pages *pages,
                                 struct mapping_error *error) {
    struct uses uses;
    if (is_scale_copy(request))
        return load_scales(request, pages, error);
    enum mapping_status status = uses_make(request, &uses, error);
    pages_init(pages, 1);
    if (status == MAPPING_OK)
        status = plan_all(request, uses.loads, uses.count, error);
    if (status == MAPPING_OK && request->output->check_loads)
        status = request->output->check_loads(uses.loads, uses.count, error);
    if (status == MAPPING_OK)
        request->output->loads(pages->page, uses.loads, uses.count, &request->style);
    return status;
}

enum mapping_status command_suggest(const struct request *request, struct pages *pages,
                                    struct mapping_error *error) {
    struct uses uses;
    pages_init(pages, 1);
    if (request->use_count > SUGGEST_USES_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "--suggest takes at most %d loads and stores, but %zu are given",
                            SUGGEST_USES_MAX, request->use_count);
    for (size_t u = 0; u < request->use_count; u++)
        if (request->uses[u].has_origin)
            return mapping_fail(error, MAPPING_INVALID,
                                "--suggest uses the whole matrix; drop --origin");
    enum mapping_status status = uses_make(request, &uses, error);
    if (status != MAPPING_OK)
        return status;
    if (uses.matrix_count != 1)
        return mapping_fail(error, MAPPING_INVALID, "--suggest takes one matrix, but %zu are named",
                            uses.matrix_count);
    const struct report *matrix = uses.matrices;
    struct suggested suggested = {
        .matrix = matrix, .uses = uses.loads, .use_count = request->use_count};
    const struct mapping_space *from = &matrix->forward.layout.from;
    struct mapping_suggest_request wanted = {.matrix = &matrix->forward.layout,
                                             .bits = matrix->smem->bits};
    if (from->count > 2)
        return mapping_fail(error, MAPPING_INVALID,
                            "--suggest takes one matrix, but %.100s has %u stages", matrix->name,
                            from->axis[0].size);
    for (size_t u = 0; u < request->use_count && status == MAPPING_OK; u++) {
        const struct load *use = &uses.loads[u];
        const struct mapping_access *with = request->uses[u].with;
        if (use->fragment)
            wanted.arch = use->fragment->arch;
        if (use->fragment && with)
            status = access_check_arch(with, wanted.arch, error);
        wanted.uses[wanted.use_count++] =
            (struct mapping_use){.fragment = use->fragment ? &use->layout : NULL,
                                 .is_store = use->is_store,
                                 .is_tma = use->is_tma,
                                 .with = with,
                                 .bits = use->fragment ? use->fragment->observed.fragment.bits : 0};
        if (use->fragment)
            wanted.is_signed = use->fragment->observed.fragment.type == MAPPING_S8;
    }
    if (status == MAPPING_OK)
        status = mapping_suggest(&wanted, &suggested.suggestions, error);
    for (size_t u = 0; u < request->use_count && status == MAPPING_INVALID; u++)
        if (check_packing(&uses.loads[u], request->uses[u].with, error) != MAPPING_OK)
            break;
    if (status == MAPPING_OK)
        request->output->suggestions(pages->page, &suggested, &request->style);
    return status;
}
