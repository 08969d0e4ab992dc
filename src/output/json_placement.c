/* json_placement.c - what there is to say of a matrix in memory, for programs. */
#include "output/json_parts.h"
#include "report/placement.h"

/* Prints the members of a descriptor, without braces. */
static void print_members(struct printer *to, const struct report *report,
                          const struct mapping_descriptor *descriptor) {
    const struct mapping_layout *layout = &report->forward.layout;
    print(to, "\"major\":\"%s\",\"swizzle\":%u,\"mode\":%u,\"leading\":",
          descriptor->is_k_major ? "k" : "mn", descriptor->swizzle_bytes, descriptor->mode);
    if (descriptor->has_leading)
        print_number(to, descriptor->leading_bytes);
    else
        print_text(to, "null");
    print(to, ",\"stride\":%u,\"starts\":[", descriptor->stride_bytes);
    for (uint32_t col = 0; col < layout->from.axis[1].size;
         col += placement_slice(report->placement))
        print(to, col ? ",%u" : "%u",
              (unsigned)((uint64_t)layout->coordinate[0][col] * report->placement->bits / 8));
    print_char(to, ']');
}

/* Prints the descriptors of wgmma and of tcgen05.mma, or null. */
static void print_descriptors(struct printer *to, const struct report *report) {
    const struct placement *placement = report->placement;
    const struct mapping_descriptor *tcgen05 = &placement->tcgen05;
    print_text(to, "\"descriptor\":");
    print_text(to, placement->has_descriptor ? "{" : "null");
    if (placement->has_descriptor)
        print_members(to, report, &placement->descriptor);
    print_text(to, placement->has_descriptor ? "},\n " : ",\n ");
    print_text(to, "\"tcgen05_descriptor\":");
    print_text(to, placement->has_tcgen05 ? "{" : "null");
    if (placement->has_tcgen05) {
        print_members(to, report, tcgen05);
        print(to, ",\"atomicity\":%u,\"base_offset\":0,\"value\":\"0x%016llx\"}",
              tcgen05->piece_bytes, (unsigned long long)mapping_tcgen05_descriptor_value(tcgen05));
    }
    print_text(to, ",\n ");
}

void json_placement(struct printer *to, const struct report *report) {
    const struct placement *placement = report->placement;
    const struct mapping_space *from = &report->forward.layout.from;
    json_text_member(to, "type", placement->type);
    for (uint32_t a = 0; a < from->count; a++) { /* rows and columns first */
        const struct mapping_axis *axis = &from->axis[(from->count - 2 + a) % from->count];
        print_char(to, ',');
        json_number_member(to, mapping_axis_plural(axis->name), axis->size);
    }
    print(to, ",\"bits\":%u,\"offsets\":%u,\"bytes\":%llu,\n ", placement->bits,
          report->forward.layout.to.axis[0].size, (unsigned long long)placement_bytes(report));
    print_descriptors(to, report);
}
