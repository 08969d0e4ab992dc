/* loading_reason.c - why an access cannot move a fragment, with thread, elements and bytes; see
 * loading_state.h. */
#include "layout/loading_state.h"
#include "layout/sentence.h"

/* What places are counted in. */
static const char *places_of(const struct loading_table *table) {
    return table->request->bits < 8 ? "bits" : "bytes";
}

/* The first element of a piece, or the one that it is a part of. */
static uint32_t element_of(const struct loading_table *table, uint32_t bits, uint32_t piece) {
    return piece * bits / table->request->bits;
}

/* Elements of one piece that are not adjacent, or begin inside of a byte. */
static enum mapping_status explain_split(const struct loading_table *table, uint32_t bits,
                                         struct mapping_error *error) {
    const struct loading_units *units = mapping_loading_units_of(table, bits);
    uint32_t per = bits / table->request->bits, t, e;
    uint32_t width = table->request->bits < 8 ? table->request->bits : table->request->bits / 8;
    size_t n = 0;
    /* In order of threads: the reader looks at thread 0 first. */
    while (units->address[n % units->count * table->threads + n / units->count] != LOADING_BROKEN)
        n++;
    t = (uint32_t)(n / units->count);
    uint32_t first = (uint32_t)(n % units->count) * per;
    for (e = first; e + 1 < first + per; e++) {
        uint32_t one = mapping_loading_element(table, t, e),
                 other = mapping_loading_element(table, t, e + 1);
        if (other != one + width)
            return mapping_fail(
                error, MAPPING_INVALID,
                "elements %u and %u of thread %u must be adjacent, but are at %s %u and %u",
                (unsigned)e, (unsigned)e + 1, (unsigned)t, places_of(table), (unsigned)one,
                (unsigned)other);
    }
    return mapping_fail(
        error, MAPPING_INVALID, "element %u of thread %u must be byte-aligned, but is at bit %u",
        (unsigned)first, (unsigned)t, (unsigned)mapping_loading_element(table, t, first));
}

static enum mapping_status explain_apart(const struct loading_table *table,
                                         const struct mapping_access *access,
                                         const struct loading_obstacle *obstacle,
                                         struct mapping_error *error) {
    const uint32_t *piece = obstacle->piece, *tid = obstacle->tid;
    uint32_t bits = obstacle->bits, element[2], byte[2];
    int32_t distance = (int32_t)obstacle->distance;
    for (int n = 0; n < 2; n++) {
        element[n] = element_of(table, bits, piece[n]);
        byte[n] = mapping_loading_address(table, bits, piece[n], tid[n]);
    }
    const uint32_t bytes = access->matrices ? bits / 8 : access->bytes;
    if (table->request->bits > bits && access->matrices)
        return mapping_fail(error, MAPPING_INVALID,
                            "%s gives each thread %u bytes of a row, but an element has %u bytes",
                            access->name, (unsigned)bytes, (unsigned)table->request->bits / 8);
    return mapping_fail(
        error, MAPPING_INVALID,
        "%s %s %u %sbytes%s%s, so element %u of thread %u (byte %u) must %s element "
        "%u of thread %u (byte %u) by %d bytes",
        access->name,
        !access->matrices  ? "moves"
        : access->is_store ? "stores"
                           : "gives each thread",
        (unsigned)bytes, access->matrices ? "" : "adjacent ", access->matrices ? " of a row" : "",
        access->matrices && access->is_store ? " from each thread" : "", (unsigned)element[1],
        (unsigned)tid[1], (unsigned)byte[1], distance < 0 ? "precede" : "follow",
        (unsigned)element[0], (unsigned)tid[0], (unsigned)byte[0],
        (int)(distance < 0 ? -distance : distance));
}

/* Of 64 and 128 bits: what is missing of the bytes that are moved at once. */
static enum mapping_status explain_alone(const struct loading_table *table,
                                         const struct mapping_access *access,
                                         const struct loading_obstacle *obstacle,
                                         struct mapping_error *error) {
    uint32_t byte = mapping_loading_address(table, 32, obstacle->piece[0], 0);
    uint32_t base = byte - byte % access->bytes;
    return mapping_fail(error, MAPPING_INVALID,
                        "%s moves bytes %u to %u together, but thread 0 holds byte %u (in element "
                        "%u) more times than byte %u",
                        access->name, (unsigned)base, (unsigned)(base + access->bytes - 1),
                        (unsigned)byte, (unsigned)element_of(table, 32, obstacle->piece[0]),
                        (unsigned)(base + obstacle->distance));
}

/* Where a piece lies that should lie at a multiple, or at the same place as in another thread. */
static enum mapping_status explain_place(const struct loading_table *table,
                                         const struct mapping_access *access,
                                         const struct loading_obstacle *obstacle,
                                         struct mapping_error *error) {
    uint32_t piece = obstacle->piece[0], bits = obstacle->bits;
    const uint32_t *tid = obstacle->tid;
    unsigned element = element_of(table, bits, piece);
    if (obstacle->hindrance == LOADING_UNALIGNED)
        return mapping_fail(error, MAPPING_INVALID,
                            "element %u of thread %u is at byte %u, but %s needs a multiple of %u",
                            element, (unsigned)tid[0],
                            (unsigned)mapping_loading_address(table, bits, piece, tid[0]),
                            access->name, (unsigned)obstacle->distance);
    return mapping_fail(error, MAPPING_INVALID,
                        "element %u is at byte %u in thread %u and at byte %u in thread %u, but %s "
                        "needs the same offset modulo %u bytes in all threads",
                        element, (unsigned)mapping_loading_address(table, bits, piece, tid[0]),
                        (unsigned)tid[0],
                        (unsigned)mapping_loading_address(table, bits, piece, tid[1]),
                        (unsigned)tid[1], access->name, (unsigned)obstacle->distance);
}

/* What has to do with the numbers of bits alone. */
static enum mapping_status explain_number(const struct loading_table *table,
                                          const struct mapping_access *access,
                                          const struct loading_obstacle *obstacle,
                                          struct mapping_error *error) {
    unsigned bits = table->request->bits;
    switch (obstacle->hindrance) {
    case LOADING_DIRECTION:
        return mapping_fail(error, MAPPING_INVALID, "%s is a %s, but a %s is needed", access->name,
                            access->is_store ? "store" : "load",
                            access->is_store ? "load" : "store");
    case LOADING_NARROW:
        return mapping_fail(error, MAPPING_INVALID, "%s moves %u bits, but an element has %u",
                            access->name, (unsigned)obstacle->bits, bits);
    case LOADING_RAGGED:
        return mapping_fail(error, MAPPING_INVALID,
                            "a thread holds %u bits, which is not a multiple of the %u bits of %s",
                            (unsigned)table->elements * bits,
                            (unsigned)mapping_loading_bits_of(access), access->name);
    default:
        return mapping_fail(error, MAPPING_INVALID,
                            "each thread holds %u register%s, but %s moves %u at a time",
                            (unsigned)table->units[2].count, mapping_plural(table->units[2].count),
                            access->name, (unsigned)mapping_loading_pieces_of(access));
    }
}

enum mapping_status mapping_loading_explain(const struct loading_table *table,
                                            const struct mapping_access *access,
                                            const struct loading_obstacle *obstacle,
                                            struct mapping_error *error) {
    switch (obstacle->hindrance) {
    case LOADING_SPLIT:
        return explain_split(table, obstacle->bits, error);
    case LOADING_APART:
        return explain_apart(table, access, obstacle, error);
    case LOADING_ALONE:
        return explain_alone(table, access, obstacle, error);
    case LOADING_UNALIGNED:
    case LOADING_SHIFTED:
        return explain_place(table, access, obstacle, error);
    default:
        return explain_number(table, access, obstacle, error);
    }
}
