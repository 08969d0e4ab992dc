/* known.h - every layout that is known without a GPU or tools, each listed once: the whole
 * catalogue, on all architectures. */
#ifndef KNOWN_H
#define KNOWN_H

#include "catalogue/fragment.h"

/* A fragment, and the architectures on which it has the layout. */
struct holder {
    struct mapping_fragment fragment; /* the fragment with the bases of this layout */
    uint32_t archs, all;              /* architectures where it has this layout, and where it
                                         exists; bit n: mapping_arch_at(n) */
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

/* Lists the layouts, without making their tables. A fragment in many widths has the width with this
 * number of entries, or the largest if there is none. */
struct known_list known_all(size_t entries);

/* The size of the buffer for a fragment's name with the architectures of a layout. */
enum { KNOWN_NAME = MAPPING_NAME_SIZE + 160 };

/* Writes the name of a holder: "mma.m16n8k16.d.f32"; with the architectures if only some have the
 * layout: "wmma.m16n16k16.d.f32 on sm_70 to sm_72". */
void known_name(const struct holder *holder, char name[KNOWN_NAME]);

/* Makes the table of the layout, or of its inverse. False if that is impossible. Free it in any
 * case, because there are thousands. */
bool known_make(const struct known_layout *known, bool is_inverse, struct mapping_layout *layout);

#endif
