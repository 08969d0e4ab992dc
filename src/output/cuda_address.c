/* cuda_address.c - the address of each load; see cuda_address.h. */
#include "output/cuda_address.h"

#include "report/part.h"

#include <string.h>

enum { LANE_BIT = 16, HALF_OF_WARP = WARP_LANES / 2 };

/* Prints the lane, which is added to that of the operand, and is the same in all CTAs. */
static void print_lane(struct printer *to, const struct part *part) {
    if (part->count > 1 && part->halves > 1)
        print(to, "(warp %% 4 * %d + %s %% 2 * %d)", WARP_LANES, part_word(part), HALF_OF_WARP);
    else
        print(to, "(warp %% 4 * %d)", WARP_LANES);
}

void print_address_function(struct printer *to, const struct report *report, const char *name) {
    const struct part *part = report->part;
    const struct mapping_space *from = &report->forward.layout.from;
    if (!part)
        return;
    const char *word = part_word(part);
    const bool has_columns = part->count > part->halves;
    print(to,
          "/* Returns the offset, (lane << %d) + column, that a warp of the warpgroup adds to the "
          "address\n * of the operand; warp: the number of the warp modulo 4. */\n"
          "MAPPING_FUNCTION unsigned mapping_%s_address(",
          LANE_BIT, name);
    for (uint32_t a = 0; a + 2 < from->count; a++)
        print(to, "unsigned %s, ", from->axis[a].name);
    print_text(to, "unsigned warp) {\n");
    for (uint32_t a = 0; a + 2 < from->count; a++)
        if (strcmp(from->axis[a].name, word) != 0)
            print(to, "    (void)%s;\n", from->axis[a].name);
    print_text(to, "    return (");
    print_lane(to, part);
    print(to, " << %d)", LANE_BIT);
    if (has_columns && part->halves > 1)
        print(to, " + %s / %u * %u", word, part->halves, part->transfer.move.columns);
    else if (has_columns)
        print(to, " + %s * %u", word, part->transfer.move.columns);
    print_text(to, ";\n}\n");
}
