/* locate.h - finds out where a kernel takes the elements from that it combines.
 *
 * A map describes a wrong D in one way. Its samples say what elements of D were made of, as the
 * runs with digits have shown: row 3 and column 5 of D with k = 2 of B and k = 6 of A. fit.h finds
 * formulae for them, k of A = k ^ 4. A formula counts only if its prediction of other runs agrees
 * with D. Copies, products, scale factors and attention differ in their maps. */
#ifndef PROBE_LOCATE_H
#define PROBE_LOCATE_H

#include "probe/fit.h"
#include "probe/problem.h"

struct map {
    void *context;
    struct fit_space space;
    uint64_t elements;   /* of D, or whatever has a sample each */
    unsigned free_input; /* an element of D has all values of it, FIT_K; or FIT_NO_INPUT */

    /* Makes the sample of an element. False if it has none. Makes its inputs in any case, and they
     * alone if `is_wrong` is NULL. */
    bool (*sample)(const struct map *map, uint64_t element, struct sample *sample, bool *is_wrong);
    /* True if the formulae agree with D. NULL: with the samples of all elements. */
    bool (*agrees)(struct map *map);
    /* True if a formula should only be taken if no other map has one. NULL: never. */
    bool (*is_late)(const struct map *map);
    /* Notes an element, or what belongs to it, if it is wrong. */
    void (*note)(const struct map *map, uint64_t element, struct finding *finding);
    /* Sets the name, the text and the causes of a piece. */
    void (*name)(const struct map *map, struct piece *piece, struct finding *finding);

    struct sample *samples; /* set by maps_find */
    size_t count, parts;
    struct piece pieces[FIT_PIECES];
};

/* Fits all maps in steps, the simplest formulae first. Returns the first map that agrees with D, or
 * NULL. */
struct map *maps_find(struct map *maps, size_t count);

/* Adds a finding for each piece that is not that of a right kernel. */
void map_report(const struct map *map, struct findings *findings);

/* The values of the formulae for some inputs. */
void map_values(const struct map *map, const uint32_t in[FIT_INPUTS], uint32_t out[FIT_OUTPUTS]);

#endif
