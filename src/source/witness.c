/* witness.c - who has seen where elements of canonical layouts lie; see witness.h. */
#include "source/witness.h"

#include "layout/memory.h"
#include "source/recorded.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the name of an atom: "Layout_K_SW128_Atom<half_t>". */
enum { NAME_SIZE = 64 };
static void atom_name(const struct canonical *which, char name[NAME_SIZE]) {
    char width[16] = "INTER";
    if (which->swizzle_bytes > 0)
        snprintf(width, sizeof width, "SW%u", which->swizzle_bytes);
    snprintf(name, NAME_SIZE, "Layout_%s_%s_Atom<%s>", which->is_k_major ? "K" : "MN", width,
             which->bits == 8    ? "uint8_t"
             : which->bits == 16 ? "half_t"
                                 : "float");
}

/* Makes the layout as it is stated. */
static struct mapping_layout state(const struct canonical *which) {
    char name[NAME_SIZE];
    struct mapping_memory memory;
    struct mapping_error ignored;
    atom_name(which, name);
    memory_enough(
        mapping_memory_make(&(struct mapping_memory_request){.text = name}, &memory, &ignored));
    return memory.layout;
}

/* True if the first rows and columns of one layout are the other. */
static bool begins_with(const struct mapping_layout *layout, const struct mapping_layout *atom) {
    const struct mapping_axis *size = atom->from.axis;
    if (layout->from.axis[0].size < size[0].size || layout->from.axis[1].size < size[1].size)
        return false;
    for (uint32_t row = 0; row < size[0].size; row++)
        if (memcmp(layout->coordinate[0] + (size_t)row * layout->from.axis[1].size,
                   atom->coordinate[0] + (size_t)row * size[1].size,
                   size[1].size * sizeof(uint32_t)) != 0)
            return false;
    return true;
}

bool witness_find(const struct mapping_layout *layout, uint32_t bits, struct canonical *which,
                  bool *is_whole) {
    static const uint32_t widths[] = {128, 64, 32, 0};
    bool found = *is_whole = false;
    if (layout->from.count != 2 || (bits != 8 && bits != 16 && bits != 32))
        return false;
    for (size_t w = 0; w < 2 * (sizeof widths / sizeof *widths) && !found; w++) {
        *which = (struct canonical){w % 2 == 0, widths[w / 2], bits};
        struct mapping_layout atom = state(which);
        found = begins_with(layout, &atom);
        *is_whole = mapping_layout_entries(layout) == mapping_layout_entries(&atom);
        mapping_layout_free(&atom);
    }
    return found;
}

enum mapping_status witness_read(const char *name, struct canonical *which,
                                 struct mapping_error *error) {
    struct mapping_memory memory;
    bool is_whole;
    enum mapping_status status =
        mapping_memory_make(&(struct mapping_memory_request){.text = name}, &memory, error);
    if (status != MAPPING_OK)
        return status;
    const bool is_atom = witness_find(&memory.layout, memory.bits, which, &is_whole);
    mapping_memory_free(&memory);
    return is_atom && is_whole
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID, "no source has observed %s", name);
}

/* ---- What is recorded ---- */

/* The entry of an atom; NULL if there is none. */
static const struct recorded_entry *find_recorded(const struct canonical *which) {
    char name[NAME_SIZE];
    size_t count;
    atom_name(which, name);
    const struct recorded_entry *entry = recorded_find(name, &count);
    return count > 0 ? entry : NULL;
}

/* Makes the layout that is recorded. */
static enum mapping_status read_back(const struct canonical *which, struct mapping_layout *layout,
                                     struct provenance *provenance, unsigned *arch,
                                     struct mapping_error *error) {
    const struct recorded_entry *entry = find_recorded(which);
    if (!entry)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "the layout is not recorded");
    *arch = mapping_arch_at((size_t)__builtin_ctz(entry->archs))->number;
    struct mapping_layout stated = state(which);
    enum mapping_status status = recorded_layout(entry, &stated.from, &stated.to, layout, error);
    if (!recorded_provenance(entry, NULL, provenance))
        provenance->count = 0;
    for (unsigned e = 0; e < provenance->count; e++)
        provenance->evidence[e].is_recorded = true;
    mapping_layout_free(&stated);
    return status;
}

enum mapping_status witness_confirm(const struct canonical *which,
                                    struct confirmation *confirmation,
                                    struct mapping_error *error) {
    struct mapping_layout recorded = {.from.count = 0};
    struct provenance provenance = {.count = 0};
    const struct evidence *seen;
    unsigned arch;
    if (!find_recorded(which))
        return MAPPING_OK;
    struct mapping_layout stated = state(which);
    enum mapping_status status = read_back(which, &recorded, &provenance, &arch, error);
    if (status == MAPPING_OK && mapping_layout_equal(&recorded, &stated) &&
        (seen = provenance_find(&provenance, "gpu"))) {
        confirmation->arch = arch;
        snprintf(confirmation->with, sizeof confirmation->with, "%s", seen->with);
    }
    mapping_layout_free(&recorded);
    mapping_layout_free(&stated);
    return status;
}

/* ---- Sources ---- */

void witness_add_statement(struct provenance *provenance) {
    char with[ISA_TEXT];
    isa_print("9.7.15.5.1.2", 0, with);
    provenance_add(provenance, "isa", with);
}

/* Lets the device say it. */
static enum mapping_status observe_on_device(const struct canonical *which, int device,
                                             struct mapping_layout *layout,
                                             struct provenance *provenance, unsigned *arch,
                                             struct mapping_error *error) {
    char with[DEVICE_TEXT_SIZE];
    enum mapping_status status = gpu_arch(device, arch, error);
    if (status == MAPPING_OK)
        status = gpu_observe_shared(device, which, layout, with, error);
    if (status == MAPPING_OK)
        provenance_add(provenance, "gpu", with);
    return status;
}

enum mapping_status witness_observe(const struct source *source, const struct canonical *which,
                                    const struct machinery *machinery,
                                    struct mapping_layout *layout, struct provenance *provenance,
                                    unsigned *arch, struct mapping_error *error) {
    struct provenance recorded = {.count = 0};
    enum mapping_status status = MAPPING_OK;
    *layout = (struct mapping_layout){.from.count = 0};
    if (source->needs_device)
        return observe_on_device(which, machinery->device, layout, provenance, arch, error);
    if (source->is_recorded) {
        status = read_back(which, layout, &recorded, arch, error);
        provenance_merge(provenance, &recorded);
        return status;
    }
    if (!source->is_statement)
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "it has no layouts of shared memory; use isa, gpu or recorded");
    witness_add_statement(provenance);
    *layout = state(which);
    return MAPPING_OK;
}
