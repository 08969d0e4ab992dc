/* locate.h - finds formulae for the positions of the elements that a kernel combines.
 *
 * A map is one way to describe a wrong D. Each sample of a map says which elements of the inputs an
 * element of D was computed from, as decoded from runs with digits. For example, D(3, 5) has a term
 * with k = 2 of B and k = 6 of A. fit.h fits formulae to the samples, such as k of A = k ^ 4. A
 * formula is accepted only if its prediction agrees with D. Copies, products, scale factors and
 * attention have different maps. */
#ifndef PROBE_LOCATE_H
#define PROBE_LOCATE_H

#include "probe/fit.h"
#include "probe/problem.h"

struct map {
    void *context;
    struct fit_space space;
    uint64_t elements;   /* number of elements of D, or of other items that have one sample each */
    unsigned free_input; /* FIT_K if an element of D has a term for each k; otherwise
                            FIT_NO_INPUT */

    /* Makes the sample of an element, and sets *is_wrong if the kernel is wrong there. False if the
     * element has no sample. Always sets the inputs of the sample, except for free_input. Sets
     * nothing else if is_wrong is NULL. */
    bool (*sample)(const struct map *map, uint64_t element, struct sample *sample, bool *is_wrong);
    /* True if the predictions of `pieces` agree with D. NULL: the formulae are compared with the
     * samples of all elements. */
    bool (*agrees)(struct map *map);
    /* True if the formulae are complicated, so another map may have simpler ones. Within a step,
     * maps_find tries such formulae after those of all other maps. NULL: never. */
    bool (*is_late)(const struct map *map);
    /* Adds the wrong elements of D that belong to this element to a finding. */
    void (*note)(const struct map *map, uint64_t element, struct finding *finding);
    /* Sets the name, the text and the causes of the finding about a piece. May change the
     * conditions of the piece before it prints them. */
    void (*name)(const struct map *map, struct piece *piece, struct finding *finding);

    struct sample *samples; /* these four are set by maps_find */
    size_t count, parts;
    struct piece pieces[FIT_PIECES];
};

/* Fits all maps in the steps of fit_step, which begin with the simplest formulae. Returns the first
 * map whose formulae agree with D, or NULL. */
struct map *maps_find(struct map *maps, size_t count);

/* Adds a finding for each piece whose functions are not those of a right kernel. */
void map_report(const struct map *map, struct findings *findings);

/* Evaluates the formulae of a map: sets `out` to the outputs for these inputs. */
void map_values(const struct map *map, const uint32_t in[FIT_INPUTS], uint32_t out[FIT_OUTPUTS]);

#endif
