/* witness.c - who has seen where elements of canonical layouts lie; see witness.h. */
#include "source/witness.h"

#include "layout/memory.h"
#include "report/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void witness_name(const struct canonical *which, char name[WITNESS_NAME_SIZE]) {
    char width[16] = "INTER";
    if (which->swizzle_bytes > 0)
        snprintf(width, sizeof width, "SW%u", which->swizzle_bytes);
    snprintf(name, WITNESS_NAME_SIZE, "Layout_%s_%s_Atom<%s>", which->is_k_major ? "K" : "MN",
             width,
             which->bits == 8    ? "uint8_t"
             : which->bits == 16 ? "half_t"
                                 : "float");
}

/* Makes the layout as it is stated. */
static enum mapping_status state(const struct canonical *which, struct mapping_layout *layout,
                                 struct mapping_error *error) {
    char name[WITNESS_NAME_SIZE];
    struct mapping_memory memory;
    witness_name(which, name);
    enum mapping_status status =
        mapping_memory_make(&(struct mapping_memory_request){.text = name}, &memory, error);
    *layout = memory.layout;
    return status;
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

enum mapping_status witness_find(const struct mapping_layout *layout, uint32_t bits,
                                 struct canonical *which, bool *found, bool *is_whole,
                                 struct mapping_error *error) {
    static const uint32_t widths[] = {128, 64, 32, 0};
    enum mapping_status status = MAPPING_OK;
    *found = *is_whole = false;
    if (layout->from.count != 2 || (bits != 8 && bits != 16 && bits != 32))
        return MAPPING_OK;
    for (size_t w = 0; w < 2 * (sizeof widths / sizeof *widths) && !*found && status == MAPPING_OK;
         w++) {
        struct mapping_layout atom = {.from.count = 0};
        *which = (struct canonical){w % 2 == 0, widths[w / 2], bits};
        status = state(which, &atom, error);
        *found = status == MAPPING_OK && begins_with(layout, &atom);
        *is_whole = mapping_layout_entries(layout) == mapping_layout_entries(&atom);
        mapping_layout_free(&atom);
    }
    return status;
}

/* ---- What is recorded ---- */

/* Finds the section of an atom; NULL if there is none. Writes the architecture. */
static const char *find_section(const struct canonical *which, unsigned *arch) {
    char name[WITNESS_NAME_SIZE], start[WITNESS_NAME_SIZE + 16];
    witness_name(which, name);
    size_t length = (size_t)snprintf(start, sizeof start, "# %s on sm_", name);
    const char *section = strstr(recorded_shared, start);
    *arch = section ? (unsigned)strtoul(section + length, NULL, 10) : 0;
    return section;
}

/* Reads its second line, and the formula of the offset. */
static enum mapping_status read_section(const char *section, const struct mapping_space *from,
                                        struct provenance *provenance,
                                        struct mapping_formula *formula,
                                        struct mapping_error *error) {
    struct section_reader reader = section_reader_of(section);
    char line[LINE_SIZE];
    reader_skip_line(&reader);
    enum mapping_status status =
        reader_take_line(&reader, "# source: ", "'# source: ...'", line, error);
    bool is_read = status == MAPPING_OK && provenance_parse(line, provenance);
    while (is_read && *reader.next == '#')
        reader_skip_line(&reader);
    is_read = is_read && reader_take_title(&reader, "Formulae:", error) == MAPPING_OK &&
              reader_take_line(&reader, "Offset: return ", "'Offset: return ...'", line, error) ==
                  MAPPING_OK;
    size_t length = is_read ? strlen(line) : 0;
    if (length > 0 && line[length - 1] == ';')
        line[length - 1] = '\0';
    return is_read && mapping_formula_parse(line, from, formula)
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_FAILED,
                              "what was built in of shared memory is damaged");
}

/* Makes the layout that is recorded. */
static enum mapping_status read_back(const struct canonical *which, struct mapping_layout *layout,
                                     struct provenance *provenance, unsigned *arch,
                                     struct mapping_error *error) {
    struct mapping_layout stated = {.from.count = 0};
    struct mapping_formula formula;
    const char *section = find_section(which, arch);
    if (!section)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "the layout is not recorded");
    enum mapping_status status = state(which, &stated, error);
    if (status == MAPPING_OK)
        status = read_section(section, &stated.from, provenance, &formula, error);
    if (status == MAPPING_OK)
        status = mapping_layout_evaluate(layout, &stated.from, &stated.to, &formula, error);
    for (unsigned e = 0; e < provenance->count; e++)
        provenance->evidence[e].is_recorded = true;
    mapping_layout_free(&stated);
    return status;
}

enum mapping_status witness_confirm(const struct canonical *which,
                                    struct confirmation *confirmation,
                                    struct mapping_error *error) {
    struct mapping_layout recorded = {.from.count = 0}, stated = {.from.count = 0};
    struct provenance provenance = {.count = 0};
    const struct evidence *seen;
    unsigned arch;
    if (!find_section(which, &arch))
        return MAPPING_OK;
    enum mapping_status status = read_back(which, &recorded, &provenance, &arch, error);
    if (status == MAPPING_OK)
        status = state(which, &stated, error);
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
    provenance_add(provenance, "isa", "PTX ISA 9.0 section 9.7.15.5.1.2");
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
                            "it knows no layouts of shared memory; isa, gpu and recorded do");
    witness_add_statement(provenance);
    return state(which, layout, error);
}
