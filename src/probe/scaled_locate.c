/* scaled_locate.c - finds the scale factors that a kernel uses; see scaled.h.
 *
 * In the runs of GEMM_SCALES, each element of D has one term, in which A and B are 1. So D is the
 * product of two factors. In the runs for SFA, the factors of SFA are digits of their own offsets,
 * and all factors of SFB are 1; in the runs for SFB, vice versa. All named layouts are tried, also
 * transposed, with other blocks and types, and in the array of the other operand. If none fits,
 * formulae are fitted to the factors that were used.
 *
 * A layout or formula is accepted only if its prediction of proof run 0 agrees with D. With a wrong
 * factor, sums are rounded, so D is compared with a tolerance for the rounding. Digits are compared
 * exactly. */
#include "probe/scaled.h"

#include "probe/gemm.h"
#include "probe/locate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 1 << 14, FEWEST = 8, SIDES = 2 };

/* A source of factors: the layout or formula by which a kernel reads the factors of A or B, and the
 * array. */
struct scale_source {
    struct mapping_scales layout;
    const struct piece *pieces; /* the formula, if one was fitted; otherwise NULL */
    size_t parts;
    uint32_t block;
    enum mapping_type type;
    unsigned buffer; /* 0 for SFA, 1 for SFB */
    bool is_none, is_transposed;
    bool is_offset; /* the formula gives an offset in factors, not row and column */
};

/* The source that fits and differs least from the right one, and the names of up to three layouts
 * that fit as well. */
struct match {
    struct scale_source source;
    unsigned distance; /* see distance_of; UINT32_MAX if none fits */
    char names[96];
    size_t count;
};

struct scaled {
    const struct plan *plan;
    struct selection_of_k selection;
    size_t samples, runs;
    uint32_t (*place)[3];             /* row and column of each sample, and the k of its term */
    double *d;                        /* D by run and sample */
    struct scale_source right[SIDES]; /* the sources of a right kernel */
    struct match *match;              /* the result of the search among named layouts, or NULL */
    uint32_t *offsets[SIDES];         /* by sample: the offset of the factor that was used;
                                         UINT32_MAX if unknown */
    uint32_t (*places[SIDES])[2];     /* row and column of each factor, by offset */
    scaled_proof *value;              /* returns A B in proof run 0 */
    const void *context;
    const unsigned char *is_wrong;
    struct findings *findings;
};

/* Returns the source of a right kernel. */
static struct scale_source right_source(const struct problem *problem, unsigned side) {
    const struct mapping_scales *scales = &problem->scales[side];
    return (struct scale_source){.is_none = !scales->kind,
                                 .buffer = side,
                                 .layout = *scales,
                                 .block = scales->block,
                                 .type = problem->operand[PROBE_SFA + side].type};
}

static size_t image_size(const struct problem *problem, unsigned side) {
    const struct operand_memory *of = &problem->operand[PROBE_SFA + side];
    return number_bytes(of->type, memory_elements(of));
}

struct scaled *scaled_begin(const struct plan *plan) {
    const struct problem *problem = &plan->problem;
    const uint64_t total = (uint64_t)problem->m * problem->n;
    struct scaled *scaled = memory_get(1, sizeof *scaled);
    *scaled = (struct scaled){.plan = plan,
                              .selection = gemm_select(plan, 10, false),
                              .runs = plan->addresses[PROBE_SFA].digits +
                                      plan->addresses[PROBE_SFB].digits,
                              .place = memory_get(SAMPLES, sizeof *scaled->place),
                              .right = {right_source(problem, 0), right_source(problem, 1)}};
    for (uint64_t e = 0; e < total && scaled->samples < SAMPLES; e++) {
        const uint32_t row = (uint32_t)(e / problem->n), col = (uint32_t)(e % problem->n);
        if (number_hash(60, e) % total >= SAMPLES - SAMPLES / 16)
            continue;
        uint32_t *place = scaled->place[scaled->samples++];
        place[0] = row;
        place[1] = col;
        place[2] = gemm_selected_k(&scaled->selection, row, col);
    }
    scaled->d = memory_get(scaled->runs * scaled->samples + 1, sizeof *scaled->d);
    return scaled;
}

bool scaled_sample(const struct scaled *scaled, size_t n, uint32_t at[2]) {
    if (n < scaled->samples)
        memcpy(at, scaled->place[n], 2 * sizeof *at);
    return n < scaled->samples;
}

void scaled_take(struct scaled *scaled, size_t index, size_t n, double d) {
    scaled->d[index * scaled->samples + n] = d;
}

/* ---- Sources ---- */

/* Sets the inputs of a formula for a term: row, column and block. */
static void inputs_of(const struct problem *problem, const uint32_t place[3], unsigned side,
                      uint32_t in[FIT_INPUTS]) {
    const struct mapping_scales *scales = &problem->scales[side];
    in[0] = place[0] / (side == 0 ? scales->kind->rows_of_block : 1);
    in[1] = place[1] / (side == 1 ? scales->kind->rows_of_block : 1);
    in[2] = place[2] / scales->block;
    in[3] = 0;
}

/* Returns the offset, in factors, at which a source reads the factor of a term; UINT32_MAX if the
 * formula gives a position outside of the layout. */
static uint32_t offset_of(const struct problem *problem, const struct scale_source *source,
                          unsigned side, const uint32_t place[3]) {
    const struct mapping_scales *layout = &source->layout;
    uint32_t at[2] = {place[side] / layout->kind->rows_of_block,
                      layout->kind->is_of_row ? 0 : place[2] / source->block};
    if (source->pieces) {
        uint32_t in[FIT_INPUTS];
        inputs_of(problem, place, side, in);
        const struct piece *piece = &source->pieces[piece_of(source->pieces, source->parts, in)];
        for (unsigned o = 0; o < 2 && (o == 0 || !source->is_offset); o++)
            at[o] = function_value(&piece->out[o], in);
        if (source->is_offset)
            return at[0];
        if (at[0] >= layout->padded[0] || at[1] >= layout->padded[1])
            return UINT32_MAX;
    }
    return mapping_scales_offset(layout, at[source->is_transposed], at[!source->is_transposed]);
}

/* Reads the factor of a term from SFA or SFB of a run (`image`); it is 1 if the source is none.
 * False if it is outside of the array. */
static bool read_factor(const struct problem *problem, const struct scale_source *source,
                        unsigned side, const uint32_t place[3], unsigned char *const image[SIDES],
                        double *factor) {
    const unsigned bits = number_bits(source->type);
    *factor = 1;
    if (source->is_none)
        return true;
    const uint32_t offset = offset_of(problem, source, side, place);
    if (((uint64_t)offset + 1) * (bits / 8) > image_size(problem, source->buffer))
        return false;
    *factor = scaled_value(source->type, number_get(image[source->buffer], bits, offset));
    return true;
}

/* ---- Sources that match ---- */

/* Makes SFA and SFB of proof run 0, or of a run of GEMM_SCALES. The caller frees them. */
static void make_images(const struct scaled *scaled, bool is_proof, size_t run,
                        unsigned char *image[SIDES]) {
    const struct problem *problem = &scaled->plan->problem;
    const enum probe_role coded = gemm_coded(scaled->plan, GEMM_SCALES, &run);
    for (unsigned side = 0; side < SIDES; side++) {
        image[side] = NULL;
        if (!problem->scales[side].kind)
            continue;
        image[side] = memory_get(image_size(problem, side), 1);
        scaled_fill(scaled->plan, side,
                    is_proof                    ? FACTORS_PROOF
                    : coded == PROBE_SFA + side ? FACTORS_DIGIT
                                                : FACTORS_ONE,
                    is_proof ? 0 : run, image[side]);
    }
}

/* True if D is correct for a product of factors. Small products may be flushed to 0. */
static bool is_product(const struct problem *problem, double product, double d) {
    const enum mapping_type type = problem->operand[PROBE_D].type;
    return d == product || (isnan(d) && isnan(product)) ||
           (!isnan(product) && d == number_rounded(type, product)) ||
           (d == 0 && fabs(product) < 1.2e-38);
}

/* True if a factor of any term of an element of D is NaN. Then D is NaN, although the kernel
 * multiplies the factor by 0. */
static bool has_nan(const struct problem *problem, const struct scale_source *const pair[SIDES],
                    const uint32_t at[3], unsigned char *const image[SIDES]) {
    uint32_t place[3] = {at[0], at[1], 0};
    bool is_nan = false;
    for (; place[2] < problem->k && !is_nan; place[2] += 16) /* 16 is the smallest block */
        for (unsigned side = 0; side < SIDES; side++) {
            double factor;
            is_nan |=
                read_factor(problem, pair[side], side, place, image, &factor) && isnan(factor);
        }
    return is_nan;
}

/* True if a pair of sources for A and B explains D in the runs from `first` to `end` - 1. If D is
 * NaN everywhere, this is true only of the right sources. */
static bool pair_fits(const struct scaled *scaled, const struct scale_source *const pair[SIDES],
                      bool is_right, unsigned char *(*images)[SIDES], size_t first, size_t end) {
    enum { FIRST = 512 };
    const struct problem *problem = &scaled->plan->problem;
    size_t known = 0, numbers = 0, all = 0;
    for (size_t n = 0; n < scaled->samples; n++) {
        const size_t s = n * UINT64_C(2654435761) % scaled->samples; /* a prime, for a random
                                                                        order */
        for (size_t run = first; run < end; run++) {
            double factor[SIDES];
            bool is_known = true;
            for (unsigned side = 0; side < SIDES; side++)
                is_known &= read_factor(problem, pair[side], side, scaled->place[s], images[run],
                                        &factor[side]);
            double product = factor[0] * factor[1];
            const double d = scaled->d[run * scaled->samples + s];
            if (is_known && isnan(d) && has_nan(problem, pair, scaled->place[s], images[run]))
                product = NAN;
            all++;
            known += is_known;
            numbers += is_known && !isnan(product);
            if (is_known && !is_product(problem, product, d))
                return false;
        }
        if (n == FIRST && known * 16 < all)
            return false;
    }
    return known >= FEWEST && known * 8 >= all && (is_right || numbers >= FEWEST);
}

/* The result of the comparison of a prediction of proof run 0 with D. */
struct agreement {
    bool is_there;
    uint64_t compared, outside; /* number of elements of D that were compared; and of those that
                                   were not, because their factors are outside of the arrays */
};

/* Sets *times to the product of the factors of a term in proof run 0, divided by that of the right
 * ones. False if a factor is outside of the arrays. */
static bool read_times(const struct problem *problem, const struct scale_source *const pair[SIDES],
                       const uint32_t place[3], unsigned char *const image[SIDES], double *times) {
    bool is_known = true;
    *times = 1;
    for (unsigned side = 0; side < SIDES; side++) {
        double factor;
        is_known &= read_factor(problem, pair[side], side, place, image, &factor);
        *times *= ldexp(factor, -scaled_exponent(problem, 0, side, place[side], place[2]));
    }
    return is_known;
}

/* Predicts proof run 0 with a pair of sources, and compares it with D. */
static struct agreement compare_proof(const struct scaled *scaled,
                                      const struct scale_source *const pair[SIDES]) {
    enum { TERMS_MAX = 1 << 21 };
    const struct problem *problem = &scaled->plan->problem;
    const uint64_t total = (uint64_t)problem->m * problem->n;
    const uint64_t step = (total * problem->k / TERMS_MAX + 1) | 1;
    const enum mapping_type type = problem->operand[PROBE_D].type;
    int first, last, mantissa;
    unsigned char *image[SIDES];
    int16_t *of[SIDES];
    struct agreement agreement = {.is_there = true};
    number_normals(type, &first, &last, &mantissa);
    make_images(scaled, true, 0, image);
    for (unsigned side = 0; side < SIDES; side++) {
        const uint32_t lines = side == 0 ? problem->m : problem->n;
        of[side] = memory_get((size_t)lines * problem->k, sizeof *of[side]);
        gemm_integers(scaled->plan, 0, (enum probe_role)side, of[side]);
    }
    const double unit = fabs(problem->alpha) * gemm_unit(problem->operand[PROBE_A].type) *
                        gemm_unit(problem->operand[PROBE_B].type);
    const double added = number_counts_to(type) / unit; /* for C, the bias and rounding */
    for (uint64_t e = 0; e < total && agreement.is_there; e += step) {
        uint32_t place[3] = {(uint32_t)(e / problem->n), (uint32_t)(e % problem->n), 0};
        double sum = 0, size = 0, times = 1;
        bool is_known = true;
        for (uint32_t k = 0; k < problem->k && is_known; k++) {
            const double product = (double)of[0][(size_t)place[0] * problem->k + k] *
                                   of[1][(size_t)place[1] * problem->k + k];
            place[2] = k;
            if (k % 16 == 0) /* 16 is the smallest block */
                is_known = read_times(problem, pair, place, image, &times);
            sum += times * product;
            size += fabs(times * product);
        }
        agreement.outside += !is_known;
        if (!is_known)
            continue;
        const double is = scaled->value(scaled->context, place[0], place[1]);
        const bool is_large = fabs(sum) * unit >= ldexp(1, last);
        const double error = ldexp(size, -9) + ldexp(fabs(sum) + added, -mantissa);
        agreement.is_there = isnan(sum) || !isfinite(is) ? isnan(sum) == isnan(is) || is_large
                                                         : is_large || fabs(is - sum) <= error;
        agreement.compared++;
    }
    return agreement;
}

/* ---- Named layouts ---- */

/* Returns all named layouts for A or B as sources, transposed or not, with blocks of 16 to 128, or
 * of the problem. The caller frees them. */
static struct scale_source *make_sources(const struct problem *problem, unsigned side,
                                         size_t *count) {
    static const uint32_t blocks[] = {16, 32, 64, 128};
    enum { BLOCKS = sizeof blocks / sizeof *blocks, WARPS = 6 };
    struct scale_source *sources = NULL;
    size_t capacity = 0;
    const uint32_t lines = side == 0 ? problem->m : problem->n;
    *count = 0;
    for (size_t n = 0; mapping_scale_name_at(n); n++)
        for (unsigned warps = 0; warps < WARPS; warps++) {
            struct scale_source source = {.buffer = side};
            struct mapping_error error;
            char name[64];
            snprintf(name, sizeof name, "%s", mapping_scale_name_at(n));
            if (mapping_scales_read(name, &source.layout, &error) != MAPPING_OK ||
                strcmp(source.layout.kind->name, name) != 0 ||
                (warps > 0 && source.layout.argument == 0))
                break; /* skip aliases, and variants of layouts without an argument */
            const struct mapping_scale_kind *kind = source.layout.kind;
            if (kind->argument)
                source.layout.argument = 1U << warps;
            for (size_t b = 0; b <= BLOCKS; b++)
                for (unsigned transposed = 0; transposed < 2; transposed++) {
                    const uint32_t own =
                        problem->scales[side].kind ? problem->scales[side].block : blocks[1];
                    struct scale_source *added;
                    source.block = b == 0 ? own : blocks[b - 1];
                    source.is_transposed = transposed == 1;
                    if ((b > 0 && (source.block == own || kind->is_of_row)) ||
                        (transposed == 1 && kind->is_of_row))
                        continue;
                    uint32_t size[2] = {(lines + kind->rows_of_block - 1) / kind->rows_of_block,
                                        (problem->k + source.block - 1) / source.block};
                    size[1] = kind->is_of_row ? 1 : size[1];
                    struct mapping_scales layout = source.layout;
                    layout.block = 0;
                    if (mapping_scales_resize(&layout,
                                              (uint32_t[]){size[transposed], size[1 - transposed]},
                                              0, &error) != MAPPING_OK)
                        continue;
                    sources = array_grow(sources, *count, 1, &capacity, sizeof *sources);
                    added = &sources[(*count)++];
                    *added = source;
                    added->layout = layout;
                }
        }
    return sources;
}

/* Returns a measure of how much a source differs from the right one; 0 if it is the right one.
 * Layouts that are not used with such blocks or types are farther away. */
static unsigned distance_of(const struct scale_source *right, const struct scale_source *source,
                            unsigned side) {
    if (source->is_none || right->is_none)
        return source->is_none == right->is_none ? 0 : 1;
    const struct mapping_scale_kind *kind = source->layout.kind;
    const bool is_other = strcmp(source->layout.name, right->layout.name) != 0;
    const bool is_usual = (kind->blocks & right->block) != 0 &&
                          (kind->bits == 0 || kind->bits == number_bits(source->type));
    return (source->buffer != side ? 2U : 0) + (is_other ? 1U : 0) +
           (is_other && !is_usual ? 2U : 0) + (source->block != right->block ? 2U : 0) +
           (source->is_transposed ? 2U : 0) + (source->type != right->type ? 3U : 0);
}

static void offer(struct match *match, const struct scale_source *source, unsigned distance) {
    const struct scale_source *is = &match->source;
    const bool is_nearer = distance < match->distance;
    const bool is_like = distance == match->distance && is->is_none == source->is_none &&
                         is->buffer == source->buffer && is->block == source->block &&
                         is->is_transposed == source->is_transposed && is->type == source->type;
    if (!is_nearer && (!is_like || match->count >= 3))
        return;
    if (is_nearer)
        *match = (struct match){.source = *source, .distance = distance};
    const size_t used = strlen(match->names);
    snprintf(match->names + used, sizeof match->names - used, "%s%s", used > 0 ? " or " : "",
             source->is_none ? "" : source->layout.name);
    match->count++;
}

/* Tries all sources of one side, in its own array, with the given source of the other side. Returns
 * the nearest that fit. */
static struct match find_match(const struct scaled *scaled, unsigned side,
                               const struct scale_source *other, unsigned char *(*images)[SIDES]) {
    const struct problem *problem = &scaled->plan->problem;
    const enum mapping_type own = problem->operand[PROBE_SFA + side].type;
    const enum mapping_type types[] = {own, MAPPING_UE8M0, MAPPING_UE4M3, MAPPING_F32};
    const struct addresses *addresses = &scaled->plan->addresses[PROBE_SFA];
    const size_t first = side == 0 ? 0 : addresses[0].digits;
    const size_t end = first + addresses[side].digits;
    struct match match = {.distance = UINT32_MAX};
    const struct scale_source none = {.is_none = true}, *pair[SIDES] = {other, other};
    size_t count;
    pair[side] = &none;
    if (pair_fits(scaled, pair, false, images, first, end))
        offer(&match, &none, 1);
    struct scale_source *sources = make_sources(problem, side, &count);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < count && (t == 0 || types[t] != own); s++) {
            pair[side] = &sources[s];
            sources[s].type = types[t];
            const unsigned distance = distance_of(&scaled->right[side], &sources[s], side);
            if (distance <= match.distance &&
                pair_fits(scaled, pair, distance == 0, images, first, end))
                offer(&match, &sources[s], distance);
        }
    mapping_free(sources);
    return match;
}

/* Returns all sources for A or B that read from this array, and are inside of it often enough for
 * pair_fits. The caller frees them. */
static struct scale_source *sources_in(const struct scaled *scaled, unsigned side, unsigned buffer,
                                       size_t *count) {
    const struct problem *problem = &scaled->plan->problem;
    const unsigned bits = number_bits(problem->operand[PROBE_SFA + buffer].type);
    const uint64_t size = image_size(problem, buffer) / (bits / 8);
    size_t all;
    struct scale_source *sources = make_sources(problem, side, &all);
    *count = 0;
    for (size_t n = 0; n < all; n++) {
        size_t inside = 0;
        for (size_t s = 0; s < scaled->samples; s++)
            inside += offset_of(problem, &sources[n], side, scaled->place[s]) < size;
        sources[n].buffer = buffer;
        sources[n].type = problem->operand[PROBE_SFA + buffer].type;
        if (inside * 8 >= scaled->samples)
            sources[(*count)++] = sources[n];
    }
    return sources;
}

/* Tries all pairs of sources of which at least one reads the array of the other side. Replaces
 * `match` if a pair fits. */
static void find_crossed(const struct scaled *scaled, unsigned char *(*images)[SIDES],
                         struct match match[SIDES]) {
    struct scale_source *sources[SIDES][2];
    size_t counts[SIDES][2];
    for (unsigned n = 0; n < SIDES * 2; n++)
        sources[n / 2][n % 2] = sources_in(scaled, n / 2, n % 2, &counts[n / 2][n % 2]);
    struct match best[SIDES] = {{.distance = UINT32_MAX}, {.distance = UINT32_MAX}};
    unsigned least = UINT32_MAX;
    for (unsigned buffers = 0; buffers < 4; buffers++) { /* bit 1: array for A; bit 0: array for
                                                            B */
        const unsigned buffer[SIDES] = {buffers >> 1, buffers & 1};
        for (size_t a = 0; a < counts[0][buffer[0]] && buffers != 1; a++) {
            const struct scale_source *of_a = &sources[0][buffer[0]][a];
            const unsigned distance = distance_of(&scaled->right[0], of_a, 0);
            for (size_t b = 0; b < counts[1][buffer[1]]; b++) {
                const struct scale_source *of_b = &sources[1][buffer[1]][b];
                const unsigned other = distance_of(&scaled->right[1], of_b, 1);
                if (distance + other >= least ||
                    !pair_fits(scaled, (const struct scale_source *[]){of_a, of_b}, false, images,
                               0, scaled->runs))
                    continue;
                least = distance + other;
                best[0] = best[1] = (struct match){.distance = UINT32_MAX};
                offer(&best[0], of_a, distance);
                offer(&best[1], of_b, other);
            }
        }
    }
    if (least != UINT32_MAX)
        memcpy(match, best, sizeof best);
    for (unsigned n = 0; n < SIDES * 2; n++)
        mapping_free(sources[n / 2][n % 2]);
}

/* Describes how a source differs from the right one. */
static void print_match(struct printer *to, const struct scale_source *right,
                        const struct match *match, unsigned side) {
    const struct scale_source *source = &match->source;
    const char *name = probe_role_name((enum probe_role)side);
    if (source->is_none) {
        print(to, "%s is not multiplied by its scales", name);
        return;
    }
    print(to, "scales of %s are read", name);
    if (source->buffer != side)
        print(to, " from %s", probe_role_name((enum probe_role)(PROBE_SFA + source->buffer)));
    if (strcmp(source->layout.name, right->layout.name) != 0)
        print(to, " as if their layout was %s instead of %s", match->names, right->layout.name);
    if (source->is_transposed)
        print_text(to, strcmp(source->layout.name, right->layout.name) != 0 ? ", transposed"
                                                                            : " transposed");
    if (source->block != right->block)
        print(to, " with blocks of %u instead of %u", source->block, right->block);
    if (source->type != right->type)
        print(to, " as %s instead of %s", mapping_type_name(source->type),
              mapping_type_name(right->type));
}

/* ---- Formulae ---- */

/* Returns the row and column of the factor at each offset. */
static uint32_t (*make_places(const struct mapping_scales *scales))[2] {
    uint32_t(*places)[2] = memory_get(mapping_scales_size(scales), sizeof *places);
    for (uint32_t row = 0; row < scales->padded[0]; row++)
        for (uint32_t col = 0; col < scales->padded[1]; col++) {
            uint32_t *place = places[mapping_scales_offset(scales, row, col)];
            place[0] = row;
            place[1] = col;
        }
    return places;
}

/* Returns, for each sample, the offset of the factor of one side that it used; UINT32_MAX if it is
 * unknown. */
static uint32_t *decode_offsets(const struct scaled *scaled, unsigned side) {
    const enum mapping_type type = scaled->plan->problem.operand[PROBE_SFA + side].type;
    const struct addresses *addresses = &scaled->plan->addresses[PROBE_SFA];
    const size_t first = side == 0 ? 0 : addresses[0].digits;
    uint32_t *offsets = memory_get(scaled->samples + 1, sizeof *offsets);
    for (size_t s = 0; s < scaled->samples; s++) {
        uint32_t rank = 0;
        uint64_t bits;
        bool is_digit = true;
        for (size_t n = 0; n < addresses[side].digits && is_digit; n++)
            is_digit = scaled_find(type, scaled->d[(first + n) * scaled->samples + s], &bits) &&
                       address_read(&addresses[side], n, bits, &rank);
        offsets[s] = is_digit ? address_of_rank(&addresses[side], rank) : UINT32_MAX;
    }
    return offsets;
}

static struct fit_space space_of(const struct problem *problem, unsigned side, bool is_offset) {
    const struct mapping_scales *scales = &problem->scales[side];
    const bool is_tall = scales->kind->rows_of_block > 1;
    const uint32_t last[3] = {problem->m - 1, problem->n - 1, problem->k - 1};
    uint32_t in[FIT_INPUTS];
    inputs_of(problem, last, side, in);
    struct fit_space space = {
        .in_size = {in[0] + 1, in[1] + 1, in[2] + 1},
        .in_name = {is_tall && side == 0 ? "row / 128" : "row",
                    is_tall && side == 1 ? "col / 128" : "col", "block"},
        .outs = is_offset ? 1 : 2,
        .out_size = {is_offset ? mapping_scales_size(scales) : scales->padded[0],
                     scales->padded[1]},
        .right = {is_offset ? FIT_NO_INPUT : side, 2}};
    return space;
}

/* The context of a map of the factors that samples used: by their rows and columns, or by their
 * offsets. */
struct factor_map {
    const struct scaled *scaled;
    unsigned side;
    bool is_offset;
    struct scale_source *const *pair; /* the sources for predictions of proof run 0 */
    struct agreement *agreement;
};

static bool sample_of(const struct map *map, uint64_t element, struct sample *sample,
                      bool *is_wrong) {
    const struct factor_map *of = map->context;
    const struct problem *problem = &of->scaled->plan->problem;
    const uint32_t *place = of->scaled->place[element];
    const uint32_t offset = of->scaled->offsets[of->side][element];
    inputs_of(problem, place, of->side, sample->in);
    if (offset == UINT32_MAX)
        return false;
    *is_wrong = offset != scaled_offset(problem, of->side, place[of->side], place[2]);
    memcpy(sample->out, of->is_offset ? &offset : of->scaled->places[of->side][offset],
           map->space.outs * sizeof *sample->out);
    return true;
}

static bool agrees(struct map *map) {
    const struct factor_map *of = map->context;
    struct scale_source *source = of->pair[of->side];
    if (map->count * 8 < map->elements)
        return false;
    *source = of->scaled->right[of->side];
    source->pieces = map->pieces;
    source->parts = map->parts;
    source->is_offset = of->is_offset;
    *of->agreement = compare_proof(of->scaled, (const struct scale_source *const *)of->pair);
    return of->agreement->is_there;
}

/* Finds a formula for the factors of one side, and sets pair[side] to it. False if there is none.
 */
static bool find_formula(const struct scaled *scaled, unsigned side,
                         struct scale_source *const pair[SIDES], struct agreement *agreement) {
    struct map *maps = memory_get(2, sizeof *maps); /* the source keeps their pieces */
    struct factor_map factors[2];
    for (unsigned n = 0; n < 2; n++) {
        factors[n] = (struct factor_map){scaled, side, n == 1, pair, agreement};
        maps[n] = (struct map){.context = &factors[n],
                               .space = space_of(&scaled->plan->problem, side, n == 1),
                               .elements = scaled->samples,
                               .sample = sample_of,
                               .agrees = agrees};
    }
    return maps_find(maps, 2) != NULL;
}

/* Describes the factors that are read, for one piece of a formula. */
static void print_piece(struct printer *to, const struct problem *problem,
                        const struct scale_source *source, unsigned side,
                        const struct piece *piece) {
    const struct fit_space space = space_of(problem, side, source->is_offset);
    const char *name = probe_role_name((enum probe_role)side);
    if (source->is_offset) {
        print(to, "scales of %s are read at offset ", name);
        function_print(to, &space, piece->out);
    } else {
        print(to, "the scale of %s at (%s, block) is that at (", name, space.in_name[side]);
        function_print(to, &space, &piece->out[0]);
        print_text(to, ", ");
        function_print(to, &space, &piece->out[1]);
        print_char(to, ')');
    }
    piece_print(to, &space, piece);
}

/* Describes the factors that the first samples with a wrong factor used. Prints nothing if there
 * are none. */
static void print_first(struct printer *to, const struct scaled *scaled, unsigned side) {
    const struct problem *problem = &scaled->plan->problem;
    const uint32_t *offsets = scaled->offsets[side];
    uint32_t(*places)[2] = scaled->places[side];
    const char *name = probe_role_name((enum probe_role)side);
    size_t shown = 0, other = 0;
    for (size_t s = 0; s < scaled->samples; s++) {
        const uint32_t *place = scaled->place[s];
        const uint32_t right = scaled_offset(problem, side, place[side], place[2]);
        if (offsets[s] == UINT32_MAX)
            other++;
        if (offsets[s] == right || offsets[s] == UINT32_MAX || shown == PLACES_MAX)
            continue;
        print(to,
              "%sD(%u, %u) has for A(%u, %u) B(%u, %u) the scale (%u, %u) of %s instead of "
              "(%u, %u)",
              to->size > 0 ? "; " : "", place[0], place[1], place[0], place[2], place[2], place[1],
              places[offsets[s]][0], places[offsets[s]][1], name, places[right][0],
              places[right][1]);
        shown++;
    }
    if (other > 0)
        print(to, "%s%zu of %zu elements of D have no single scale of %s", to->size > 0 ? "; " : "",
              other, scaled->samples, name);
}

/* ---- Findings ---- */

/* Adds a finding about all wrong elements of D, and takes ownership of its text. */
static void add(const struct scaled *scaled, struct printer *text, const char *name,
                const struct agreement *agreement) {
    const struct problem *problem = &scaled->plan->problem;
    const bool is_explained = agreement && agreement->compared > 0;
    struct finding finding = {.name = name, .is_explained = is_explained};
    if (agreement && agreement->outside > 0)
        print_text(text, "; some reads are outside of the array");
    for (uint32_t row = 0; row < problem->m; row++)
        for (uint32_t col = 0; col < problem->n; col++)
            if (scaled->is_wrong[(size_t)row * problem->n + col])
                finding_note(&finding, row, col);
    finding.text = printer_string(text);
    findings_add(scaled->findings, &finding);
}

/* Adds the finding about one side, whose layout is not the right one. */
static void add_match(const struct scaled *scaled, unsigned side,
                      const struct agreement *agreement) {
    struct printer text = {.text = NULL};
    print_match(&text, &scaled->right[side], &scaled->match[side], side);
    add(scaled, &text, "scales", agreement);
}

/* Adds the findings about the sides whose layout is not the right one. False if both are right, if
 * no layout matches a side, or if the prediction disagrees with D. */
static bool add_matches(const struct scaled *scaled) {
    const struct match *match = scaled->match;
    const struct scale_source *pair[SIDES] = {&match[0].source, &match[1].source};
    if (match[0].distance + (uint64_t)match[1].distance == 0 || match[0].distance == UINT32_MAX ||
        match[1].distance == UINT32_MAX)
        return false;
    const struct agreement agreement = compare_proof(scaled, pair);
    for (unsigned side = 0; side < SIDES && agreement.is_there; side++)
        if (match[side].distance > 0)
            add_match(scaled, side, &agreement);
    return agreement.is_there;
}

/* For the sides that no named layout matches, adds findings with formulae, or lists the first wrong
 * factors. False if there is nothing to add. */
static bool add_formulae(struct scaled *scaled) {
    const struct problem *problem = &scaled->plan->problem;
    const struct match *match = scaled->match;
    struct scale_source sources[SIDES], *pair[SIDES] = {&sources[0], &sources[1]};
    struct agreement agreement = {.is_there = false};
    bool is_found = false;
    for (unsigned side = 0; side < SIDES; side++)
        sources[side] =
            match[side].distance == UINT32_MAX ? scaled->right[side] : match[side].source;
    for (unsigned side = 0; side < SIDES; side++)
        if (match[side].distance == UINT32_MAX && problem->scales[side].kind) {
            scaled->offsets[side] = decode_offsets(scaled, side);
            scaled->places[side] = make_places(&problem->scales[side]);
            is_found |= find_formula(scaled, side, pair, &agreement);
        }
    for (unsigned side = 0; side < SIDES; side++) {
        const struct scale_source *source = &sources[side];
        struct printer text = {.text = NULL};
        if (is_found && match[side].distance > 0 && match[side].distance != UINT32_MAX)
            add_match(scaled, side, &agreement);
        if (match[side].distance != UINT32_MAX)
            continue;
        const struct fit_space space = space_of(problem, side, source->is_offset);
        for (size_t p = 0; is_found && source->pieces && p < source->parts; p++)
            if (!piece_is_right(&source->pieces[p], &space)) {
                text = (struct printer){.text = NULL};
                print_piece(&text, problem, source, side, &source->pieces[p]);
                add(scaled, &text, "scales", &agreement);
            }
        if (is_found)
            continue;
        print_first(&text, scaled, side);
        if (text.size > 0)
            add(scaled, &text, "no formula", NULL);
        is_found |= text.size > 0;
    }
    return is_found;
}

/* Searches the named layouts for both sides. Returns a match for each. */
static struct match *search(const struct scaled *scaled) {
    const struct mapping_scales *scales = scaled->plan->problem.scales;
    const struct scale_source *right = scaled->right;
    struct match *match = memory_get(SIDES, sizeof *match);
    unsigned char *(*images)[SIDES] = memory_get(scaled->runs, sizeof *images);
    for (size_t run = 0; run < scaled->runs; run++)
        make_images(scaled, false, run, images[run]);
    for (unsigned first = 0; first < SIDES; first++) { /* the second time, B comes first */
        for (unsigned side = 0; side < SIDES; side++)
            match[side] = (struct match){.source = right[side]};
        for (unsigned n = 0; n < SIDES; n++) {
            const unsigned side = first ^ n;
            const struct match *other = &match[1 - side];
            if (scales[side].kind)
                match[side] = find_match(
                    scaled, side, other->distance == UINT32_MAX ? &right[1 - side] : &other->source,
                    images);
        }
        if (match[0].distance != UINT32_MAX && match[1].distance != UINT32_MAX)
            break;
    }
    if ((match[0].distance == UINT32_MAX || match[1].distance == UINT32_MAX) && scales[0].kind &&
        scales[1].kind)
        find_crossed(scaled, images, match);
    for (size_t run = 0; run < scaled->runs; run++)
        for (unsigned side = 0; side < SIDES; side++)
            mapping_free(images[run][side]);
    mapping_free(images);
    return match;
}

bool scaled_end(struct scaled *scaled, bool has_formulae, scaled_proof *value, const void *context,
                const unsigned char *is_wrong, struct findings *findings) {
    scaled->value = value;
    scaled->context = context;
    scaled->is_wrong = is_wrong;
    scaled->findings = findings;
    if (!scaled->match)
        scaled->match = search(scaled);
    return has_formulae ? add_formulae(scaled) : add_matches(scaled);
}
