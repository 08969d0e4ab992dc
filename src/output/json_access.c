/* json_access.c - accesses to shared memory, as JSON. */
#include "output/json_parts.h"
#include "report/access.h"

/* Prints "name":[0,1,2], the numbers of the lanes in a set. */
static void print_lanes(struct printer *to, const char *name, uint32_t set) {
    uint32_t lanes[LANES], count = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (set >> lane & 1)
            lanes[count++] = lane;
    json_indices(to, name, lanes, count);
}

static void print_phase(struct printer *to, const struct mapping_phase *phase) {
    bool is_conflict = phase->wavefronts > 1;
    print_char(to, '{');
    print_lanes(to, "lanes", phase->lanes);
    print(to, ",\"wavefronts\":%u,", phase->wavefronts);
    if (is_conflict)
        json_number_member(to, "bank", phase->bank);
    else
        print_text(to, "\"bank\":null");
    print_char(to, ',');
    print_lanes(to, "meeting", is_conflict ? phase->meeting : 0);
    print_char(to, '}');
}

void json_access(struct printer *to, const struct access *access) {
    const struct mapping_wavefronts *counted = &access->counted;
    print(to, "{\"access\":\"%s\",\"wavefronts\":%u,\"minimum\":%u,\"phases\":[",
          access->operation->name, counted->wavefronts, counted->minimum);
    for (uint32_t p = 0; p < counted->phase_count; p++) {
        print_text(to, p ? ",\n  " : "\n  ");
        print_phase(to, &counted->phases[p]);
    }
    print_text(to, "],\n \"address\":[");
    for (uint32_t lane = 0; lane < LANES; lane++) {
        print_text(to, lane ? "," : "");
        if (access->address[lane] == MAPPING_INACTIVE)
            print_text(to, "null");
        else
            print_number(to, access->address[lane]);
    }
    print_text(to, "],\n \"counted\":{\"arch\":\"" ACCESS_COUNTED_ARCH
                   "\",\"device\":\"" ACCESS_COUNTED_DEVICE "\"}}\n");
}
