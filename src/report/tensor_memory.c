/* tensor_memory.c - what a layout takes of Tensor Memory; see tensor_memory.h. */
#include "report/tensor_memory.h"

/* tcgen05.alloc takes powers of two from this on (PTX ISA, "tcgen05.alloc"). */
enum { ALLOCATED_MIN = 32 };

/* Notes which lanes are taken as ranges. */
static void find_ranges(const bool taken[MAPPING_LANES], struct tensor_memory *memory) {
    for (uint32_t lane = 0; lane < MAPPING_LANES; lane++) {
        if (!taken[lane])
            continue;
        memory->lanes++;
        if (lane == 0 || !taken[lane - 1])
            memory->first[memory->ranges++] = lane;
        memory->last[memory->ranges - 1] = lane;
    }
    memory->is_of_each_warp = memory->ranges == MAPPING_LANES / WARP_LANES;
    for (uint32_t r = 0; r < memory->ranges; r++)
        memory->is_of_each_warp = memory->is_of_each_warp &&
                                  memory->first[r] == memory->first[0] + r * WARP_LANES &&
                                  memory->last[r] == memory->last[0] + r * WARP_LANES;
}

/* Notes at which bits of a column elements begin. */
static void find_bits(const struct mapping_layout *layout, struct tensor_memory *memory) {
    const int axis = mapping_space_find(&layout->to, MAPPING_AXIS_BIT);
    const uint32_t *place = axis < 0 ? NULL : layout->coordinate[axis];
    bool begins[MAPPING_COLUMN_BITS] = {false};
    for (size_t n = 0; n < mapping_layout_entries(layout); n++)
        begins[place ? place[n] % MAPPING_COLUMN_BITS : 0] = true;
    for (uint32_t bit = 0; bit < MAPPING_COLUMN_BITS; bit++)
        if (begins[bit])
            memory->bits[memory->places++] = bit;
}

bool tensor_memory_find(const struct report *report, struct tensor_memory *memory) {
    const struct mapping_layout *layout = &report->forward.layout;
    const int lane = mapping_space_find(&layout->to, MAPPING_AXIS_LANE),
              column = mapping_space_find(&layout->to, MAPPING_AXIS_COLUMN),
              cta = mapping_space_find(&layout->to, MAPPING_AXIS_CTA);
    bool taken[MAPPING_LANES] = {false};
    if (lane < 0)
        return false;
    *memory = (struct tensor_memory){.ctas = cta >= 0 ? layout->to.axis[cta].size : 1};
    for (size_t n = 0, entries = mapping_layout_entries(layout); n < entries; n++) {
        taken[layout->coordinate[lane][n]] = true;
        if (layout->coordinate[column][n] >= memory->columns)
            memory->columns = layout->coordinate[column][n] + 1;
    }
    find_ranges(taken, memory);
    find_bits(layout, memory);
    memory->allocated = ALLOCATED_MIN;
    while (memory->allocated < memory->columns)
        memory->allocated *= 2;
    return true;
}

bool tensor_memory_is_in_halves(const struct tensor_memory *memory) {
    return memory->is_of_each_warp && memory->last[0] - memory->first[0] < WARP_LANES / 2;
}
