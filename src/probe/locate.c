/* locate.c - finds formulae for the positions of the elements that a kernel combines; see locate.h.
 */
#include "probe/locate.h"

enum { SAMPLES = 1 << 15 };

/* Chooses the samples of a map. If there are too many, chooses at random about as many wrong ones
 * as right ones. */
static void choose(struct map *map) {
    uint64_t wrong = 0, right = 0;
    struct sample sample;
    bool is_wrong;
    map->samples =
        memory_get(map->elements < SAMPLES ? map->elements : SAMPLES, sizeof *map->samples);
    for (uint64_t e = 0; e < map->elements && map->elements > SAMPLES / 2; e++)
        if (map->sample(map, e, &sample, &is_wrong))
            *(is_wrong ? &wrong : &right) += 1;
    for (uint64_t e = 0; e < map->elements && map->count < SAMPLES; e++)
        if (map->sample(map, e, &sample, &is_wrong) &&
            number_hash(30, e) % (1 + (is_wrong ? wrong : right)) < SAMPLES / 2)
            map->samples[map->count++] = sample;
    fit_shuffle(map->samples, map->count);
}

void map_values(const struct map *map, const uint32_t in[FIT_INPUTS], uint32_t out[FIT_OUTPUTS]) {
    const struct piece *piece = &map->pieces[piece_of(map->pieces, map->parts, in)];
    for (size_t o = 0; o < map->space.outs; o++)
        out[o] = function_value(&piece->out[o], in);
}

static bool agrees_with_samples(const struct map *map) {
    for (uint64_t e = 0; e < map->elements; e++) {
        struct sample sample;
        uint32_t out[FIT_OUTPUTS];
        bool is_wrong;
        if (!map->sample(map, e, &sample, &is_wrong))
            continue;
        map_values(map, sample.in, out);
        for (size_t o = 0; o < map->space.outs; o++)
            if (out[o] != sample.out[o])
                return false;
    }
    return true;
}

/* True if the functions of all pieces are those of a right kernel. Such a map explains nothing, but
 * it can agree with D: an error may be lost by rounding in the runs that are compared. */
static bool is_right(const struct map *map) {
    size_t right = 0;
    while (right < map->parts && piece_is_right(&map->pieces[right], &map->space))
        right++;
    return right == map->parts;
}

struct map *maps_find(struct map *maps, size_t count) {
    for (size_t step = 0; step < FIT_STEPS; step++)
        for (size_t n = 0; n < 2 * count; n++) { /* the second pass tries those with is_late */
            struct map *map = &maps[n % count];
            const bool is_second = n >= count;
            if (!map->samples)
                choose(map);
            if (!is_second)
                map->parts = fit_step(&map->space, map->samples, map->count, step, map->pieces);
            if (!is_right(map) && (map->is_late && map->is_late(map)) == is_second &&
                (map->agrees ? map->agrees(map) : agrees_with_samples(map)))
                return map;
        }
    return NULL;
}

void map_report(const struct map *map, struct findings *findings) {
    for (size_t p = 0; p < map->parts; p++) {
        struct piece piece = map->pieces[p];
        struct finding finding = {.is_explained = true};
        if (piece_is_right(&piece, &map->space))
            continue;
        piece_tighten(&piece, &map->space);
        for (uint64_t e = 0; e < map->elements; e++) {
            struct sample sample;
            map->sample(map, e, &sample, NULL);
            if (piece_has_apart(&piece, sample.in, map->free_input))
                map->note(map, e, &finding);
        }
        if (finding.count > 0)
            map->name(map, &piece, &finding);
        findings_add(findings, &finding);
    }
}
