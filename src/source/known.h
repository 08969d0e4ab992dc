/* known.h - every layout that is known without a GPU or tools, each once: all of the catalogue, on
 * all architectures. */
#ifndef KNOWN_H
#define KNOWN_H

#include "mapping.h"

/* A fragment, and on which architectures it has the layout. */
struct holder {
    struct mapping_fragment fragment; /* with the bases of that layout */
    uint32_t archs, all;              /* bit n: mapping_arch_at(n); of the layout, and in all */
};

/* One layout: that of the fragment of each of its holders. */
struct known_layout {
    struct holder *holders; /* at least one */
    size_t count, room;
    uint32_t hash; /* of what states it */
};

struct known_list {
    struct known_layout *known;
    size_t count, room;
};

/* Lists them, without making any. A fragment in many widths has the one with this number of
 * entries, or the widest if there is none. */
struct known_list known_all(size_t entries);

/* Room for the name of a fragment and the architectures on which it has a layout. */
enum { KNOWN_NAME = MAPPING_NAME_SIZE + 160 };

/* Writes the name of a holder: "mma.m16n8k16.d.f32"; with the architectures where it has the layout
 * on some only: "wmma.m16n16k16.d.f32 on sm_70 to sm_72". */
void known_name(const struct holder *holder, char name[KNOWN_NAME]);

#endif
