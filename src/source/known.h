/* known.h - every layout that is known without a GPU or tools, each once: the whole catalogue, on
 * all architectures. */
#ifndef KNOWN_H
#define KNOWN_H

#include "catalogue/fragment.h"

/* A fragment, and the architectures on which it has the layout. */
struct holder {
    struct mapping_fragment fragment; /* with the bases of that layout */
    uint32_t archs, all;              /* bit n: mapping_arch_at(n) has the layout, the fragment */
};

/* One layout, and the fragments that have it. */
struct known_layout {
    struct holder *holders; /* at least one */
    size_t count, capacity;
};

struct known_list {
    struct known_layout *known;
    size_t count, capacity;
};

/* Lists them, without making any. A fragment in many widths has the one with this number of
 * entries, or the widest if there is none. */
struct known_list known_all(size_t entries);

/* Room for the name of a fragment and the architectures on which it has a layout. */
enum { KNOWN_NAME = MAPPING_NAME_SIZE + 160 };

/* Writes the name of a holder: "mma.m16n8k16.d.f32"; with the architectures if only some have the
 * layout: "wmma.m16n16k16.d.f32 on sm_70 to sm_72". */
void known_name(const struct holder *holder, char name[KNOWN_NAME]);

/* Makes the layout, or its inverse. False if there is none. Free it in any case: there are
 * thousands. */
bool known_make(const struct known_layout *known, bool is_inverse, struct mapping_layout *layout);

#endif
