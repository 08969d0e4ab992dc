/* known.h - every layout that is known without a GPU or tools, each once: all of the catalogue, on
 * all architectures. */
#ifndef KNOWN_H
#define KNOWN_H

#include "mapping.h"

struct known_list;

/* Lists them, without making any. Of a fragment in many widths it has that with so many entries, if
 * there is one, else the widest. */
struct known_list *known_all(size_t entries);

/* How many there are, and the spaces of one. */
size_t known_count(const struct known_list *list);
void known_spaces(const struct known_list *list, size_t index, struct mapping_space *from,
                  struct mapping_space *to);

/* The nth fragment that has the layout; NULL from the end on. */
const struct mapping_fragment *known_fragment(const struct known_list *list, size_t index,
                                              size_t n);

/* Makes a layout, which has to be freed in any case. */
enum mapping_status known_layout(const struct known_list *list, size_t index,
                                 struct mapping_layout *layout, struct mapping_error *error);

/* Room for the name of a fragment and the architectures on which it has a layout. */
enum { KNOWN_NAME = MAPPING_NAME_SIZE + 160 };

/* Writes the name of the nth fragment, which is there: "mma.m16n8k16.d.f32"; with the architectures
 * where it has the layout on some only: "wmma.m16n16k16.d.f32 on sm_70 to sm_72". */
void known_name(const struct known_list *list, size_t index, size_t n, char name[KNOWN_NAME]);

#endif
