/* tensor_memory.c - what is in Tensor Memory, in words; see output/tensor_memory.h.
 *
 * Who does what is that of the PTX ISA, "tcgen05 family instructions". */
#include "output/tensor_memory.h"

#include "catalogue/catalogue.h"

#include "layout/sentence.h"
#include "report/part.h"
#include "report/tensor_memory.h"

static bool is_moved(const struct report *report) {
    return report->observed.fragment.place == MAPPING_ACROSS;
}

/* Prints "lanes 0 to 127", "lanes 0 to 15 of each 32", or "lane 0 of each 32". */
static void print_lanes(struct printer *to, const struct tensor_memory *memory) {
    const bool is_of_each = memory->is_of_each_warp;
    print_text(to, memory->lanes == memory->ranges ? "lane" : "lanes");
    for (uint32_t r = 0; r < (is_of_each ? 1 : memory->ranges); r++) {
        print(to, "%s %u", r ? "," : "", memory->first[r]);
        if (memory->last[r] > memory->first[r])
            print(to, " to %u", memory->last[r]);
    }
    if (is_of_each)
        print(to, " of each %d-lane group", WARP_LANES);
}

/* The bits of an element, which may be fewer than it takes. */
static uint32_t bits_of(const struct mapping_fragment *fragment) {
    const uint32_t bits = mapping_type_bits(fragment->type);
    return fragment->operand != MAPPING_E && bits < fragment->bits ? bits : fragment->bits;
}

/* Prints where in their columns elements are. */
static void print_bits(struct printer *to, const struct report *report,
                       const struct tensor_memory *memory) {
    enum { SHOWN = 8 };
    const uint32_t bits = bits_of(&report->observed.fragment);
    if (bits >= MAPPING_COLUMN_BITS) {
        print_text(to, "columns    have 32 bits; each holds one element\n");
        return;
    }
    print(to, "columns    have 32 bits; elements of %u bit%s begin at bit", bits,
          mapping_plural(bits));
    const bool is_long = memory->places > SHOWN;
    for (uint32_t b = 0; b < (is_long ? 2 : memory->places); b++)
        print(to, "%s%u", b ? ", " : " ", memory->bits[b]);
    print(to, is_long ? " .. %u\n" : "\n", memory->bits[memory->places - 1]);
}

/* Prints how often each element is there, and which choices there are. */
static void print_copies(struct printer *to, const struct report *report) {
    const struct mapping_space *from = &report->forward.layout.from;
    const int copy = mapping_space_find(from, MAPPING_AXIS_COPY),
              id = mapping_space_find(from, MAPPING_AXIS_ID),
              selector = mapping_space_find(from, MAPPING_AXIS_SELECTOR);
    if (copy >= 0)
        print(to, "copies     each element must be stored in %u places\n", from->axis[copy].size);
    if (id >= 0)
        print(to,
              "id         the instruction descriptor selects one of %u places for each element\n",
              from->axis[id].size);
    if (selector >= 0)
        print(to,
              "selector   the instruction descriptor selects one of %u places for each element\n",
              from->axis[selector].size);
}

/* The instruction that one thread issues. */
static const char *issued_name(enum mapping_instruction instruction) {
    return mapping_instruction_multiplies(instruction) ? "tcgen05.mma"
                                                       : mapping_instruction_name(instruction);
}

/* Prints what an operand of a multiplication, or what is copied, takes. */
static void print_operand(struct printer *to, const struct report *report,
                          const struct tensor_memory *memory) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    if (mapping_fragment_letter(fragment))
        print(to, "layout     %s\n", mapping_fragment_letter(fragment));
    print_text(to, "memory     Tensor Memory: ");
    print_lanes(to, memory);
    print(to, ", %u column%s%s\n", memory->columns, mapping_plural(memory->columns),
          memory->ctas > 1 ? ", in both CTAs of a pair" : "");
    print_bits(to, report, memory);
    print_copies(to, report);
    print(to, "allocate   %u columns%s, with tcgen05.alloc (valid: 32, 64, 128, 256, 512)\n",
          memory->allocated, memory->ctas > 1 ? " in each CTA" : "");
    print(to, "issued by  one thread%s: %s\n", memory->ctas > 1 ? " of one CTA of the pair" : "",
          issued_name(fragment->instruction));
    print_text(to, "done       when the mbarrier of tcgen05.commit completes its phase\n");
    print(to,
          "warps      access only lanes 32 * w to 32 * w + %d (w: warp number %% 4):\n           "
          "tcgen05.ld reads them to registers, tcgen05.st writes them\n",
          WARP_LANES - 1);
}

/* Prints what a load or store moves. */
static void print_move(struct printer *to, const struct report *report,
                       const struct tensor_memory *memory) {
    const bool is_load = mapping_instruction_loads(report->observed.fragment.instruction);
    print(to, "memory     %s Tensor Memory: %u lanes x %u column%s, starting at the address\n",
          is_load ? "reads" : "writes", memory->lanes, memory->columns,
          mapping_plural(memory->columns));
    if (report->observed.fragment.bits < MAPPING_COLUMN_BITS)
        print(to, "columns    have 32 bits, of which the lower %u are moved\n",
              report->observed.fragment.bits);
    print(to,
          "issued by  one warp, all threads together; warp w can access only lanes\n"
          "           32 * w to 32 * w + %d (w: warp number %% 4)\n",
          WARP_LANES - 1);
    print(to,
          memory->lanes < WARP_LANES ? "address    lane 32 * w or 32 * w + %u\n"
                                     : "address    lane 32 * w\n",
          memory->lanes);
    print(to, "done       after tcgen05.wait::%s.sync.aligned\n", is_load ? "ld" : "st");
}

/* Prints how threads come to what they hold of it. */
static void print_part(struct printer *to, const struct report *report) {
    const bool is_load = mapping_instruction_loads(report->part->transfer.move.instruction);
    char address[PART_TEXT];
    part_address(report->part, address);
    print(to,
          "issued by  each warp of the warpgroup, all threads of the warp together\n"
          "address    %s\n           (w: warp number %% 4; the lane is in bits 16-31)\n",
          address);
    print_text(to,
               is_load
                   ? "before     wait on the mbarrier of tcgen05.commit, then execute\n           "
                     "tcgen05.fence::after_thread_sync\n"
                     "done       after tcgen05.wait::ld.sync.aligned\n"
                   : "done       after tcgen05.wait::st.sync.aligned. If another thread issues\n"
                     "           tcgen05.mma, execute tcgen05.fence::before_thread_sync, and then\n"
                     "           synchronize with that thread\n");
}

void print_tensor_memory(struct printer *to, const struct report *report) {
    struct tensor_memory memory;
    if (report->part)
        print_part(to, report);
    if (!tensor_memory_find(report, &memory))
        return;
    if (is_moved(report))
        print_move(to, report, &memory);
    else
        print_operand(to, report, &memory);
}
