/* resolve.c - finds the fragments of a name on an architecture; see resolve.h. */
#include "command/resolve.h"

#include "command/unknown.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <string.h>

/* ---- Filters of the request ---- */

bool resolve_allows(const struct request *limits, const struct mapping_fragment *fragment) {
    bool is_multiplied = fragment->operand != MAPPING_E && fragment->operand != MAPPING_SFA &&
                         fragment->operand != MAPPING_SFB;
    return (limits->types == 0 || limits->types >> fragment->type & 1) &&
           (!limits->has_operand || fragment->operand == limits->operand) &&
           (!limits->tile.is_given || is_multiplied);
}

/* True if every requested source has the fragment on the architecture; always true if `arch` is 0.
 */
static bool is_covered(const struct request *limits, unsigned arch,
                       const struct mapping_fragment *fragment) {
    for (size_t s = 0; s < limits->source_count && arch != 0; s++)
        if (!limits->sources[s]->covers(arch, fragment))
            return false;
    return true;
}

/* Returns the first architecture with a fragment that the name and the request select; 0 if there
 * is none. */
static unsigned first_match(const struct name *name, const struct request *limits) {
    unsigned first = 0;
    for (const struct name_match *one = name->matches; one < name->matches + name->match_count;
         one++)
        if ((first == 0 || one->fragment.since < first) && resolve_allows(limits, &one->fragment))
            first = one->fragment.since;
    return first;
}

/* Returns DEFAULT_ARCH if a PTX opcode compiles to this SASS there; otherwise the first
 * architecture where one does, which can be older than DEFAULT_ARCH. 0 if there is none. */
static unsigned first_with(const struct name *name) {
    unsigned first = 0;
    for (uint32_t a = 0; mapping_arch_at(a); a++) {
        unsigned number = mapping_arch_at(a)->number;
        if (name->archs >> a & 1 && (first == 0 || number == DEFAULT_ARCH))
            first = number;
    }
    return first;
}

unsigned resolve_arch(const struct name *name, const struct request *limits, unsigned arch) {
    if (name->kind == NAME_SASS)
        return first_with(name);
    const unsigned since = name->kind == NAME_PARTIAL || name->kind == NAME_PATTERN
                               ? first_match(name, limits)
                               : name->read.found[0].since;
    return since > arch ? since : arch;
}

/* ---- Error messages ---- */

/* Fails with MAPPING_INVALID: no fragment in the catalogue matches the name, --operand and --type.
 * The message suggests another type if other_type() finds one. */
static enum mapping_status fail_unknown(const struct request *limits, const struct name *name,
                                        struct mapping_error *error) {
    if (name->kind == NAME_PARTIAL) {
        struct mapping_partial partial = name->read.partial;
        char text[OTHER_TYPE_TEXT];
        partial.types = limits->types ? limits->types : partial.types;
        if (limits->has_operand) {
            partial.has_operand = true;
            partial.operand = limits->operand;
        }
        if (other_type(&partial, text))
            return mapping_fail(error, MAPPING_INVALID, "%s", text);
    }
    char wanted[96] = "";
    if (limits->has_operand)
        mapping_append(wanted, sizeof wanted, " has operand %s",
                       mapping_operand_name(limits->operand));
    if (limits->types)
        mapping_append(wanted, sizeof wanted, "%s type %s", *wanted ? " of" : " has",
                       limits->type_name);
    return mapping_fail(error, MAPPING_INVALID,
                        "no fragment%s%.60s%s%s; --list shows all fragments",
                        !name->text ? ""
                        : *wanted   ? " that matches '"
                                    : " matches '",
                        name->text ? name->text : "", name->text ? "'" : "", wanted);
}

/* Finds a replacement for wgmma or tcgen05.mma on an architecture that does not have it: an
 * instruction with the same operand, type and sparsity. Returns the name of another wgmma or
 * tcgen05.mma if possible, otherwise of an mma. NULL if there is none, if the fragment belongs to
 * another instruction, or if the architecture has the instruction. */
static const char *find_instead(unsigned arch, const struct mapping_fragment *fragment) {
    const char *large = NULL, *small = NULL;
    struct mapping_fragment other;
    if (!mapping_instruction_reads_shared(fragment->instruction) || fragment->operand > MAPPING_D)
        return NULL;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &other);) {
        if (!mapping_fragment_on(&other, arch))
            continue;
        if (other.instruction == fragment->instruction)
            return NULL;
        if (other.operand != fragment->operand || other.type != fragment->type ||
            mapping_instruction_is_sparse(other.instruction) !=
                mapping_instruction_is_sparse(fragment->instruction))
            continue;
        const char *name = mapping_instruction_name(other.instruction);
        if (mapping_instruction_reads_shared(other.instruction))
            large = large ? large : name;
        else if (mapping_instruction_form(other.instruction) == MMA_FORM)
            small = small ? small : name;
    }
    return large ? large : small;
}

/* Fails with MAPPING_UNAVAILABLE: the name matches fragments, but the architecture does not have
 * them, or the requested sources do not. `fragment` is one of the matches, on this architecture if
 * possible. */
static enum mapping_status fail_absent(const struct request *limits, unsigned arch,
                                       const struct name *name,
                                       const struct mapping_fragment *fragment,
                                       struct mapping_error *error) {
    char meant[80], sources[SOURCES_TEXT], named[SOURCES_TEXT] = "";
    snprintf(meant, sizeof meant, name->text ? "'%.60s'" : "%s",
             name->text ? name->text : "the request");
    if (mapping_fragment_on(fragment, arch)) {
        for (size_t s = 0; s < limits->source_count; s++)
            mapping_append(named, sizeof named, "%s%s", s > 0 ? "," : "", limits->sources[s]->name);
        sources_covering(arch, fragment, sources);
        return mapping_fail(error, MAPPING_UNAVAILABLE,
                            "--source=%s has no fragment of sm_%u that matches %s; use %s", named,
                            arch, meant, sources);
    }
    const char *instead = find_instead(arch, fragment);
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        instead ? "sm_%u has no fragment that matches %s; use --arch=sm_%u, or %s "
                                  "on sm_%u"
                                : "sm_%u has no fragment that matches %s; use --arch=sm_%u",
                        arch, meant, first_match(name, limits), instead, arch);
}

/* Writes which architectures have the fragment: "sm_80 and later have it", "only sm_90 has it",
 * "sm_100, sm_103 and sm_110 have it". */
static void describe_archs(const struct mapping_fragment *fragment, char text[96]) {
    unsigned having[MAPPING_ARCHS_MAX], count = 0;
    *text = '\0';
    for (size_t a = 0; mapping_arch_at(a); a++)
        if (mapping_fragment_on(fragment, mapping_arch_at(a)->number))
            having[count++] = mapping_arch_at(a)->number;
    if (fragment->until == 0) {
        snprintf(text, 96, "sm_%u and later have it", fragment->since);
        return;
    }
    for (unsigned n = 0; n < count; n++)
        mapping_append(text, 96, "%ssm_%u",
                       count == 1 ? "only " : mapping_separator(n, count, " and "), having[n]);
    mapping_append(text, 96, count == 1 ? " has it" : " have it");
}

enum mapping_status resolve_check_arch(unsigned arch, const char *name,
                                       const struct mapping_fragment *fragment,
                                       struct mapping_error *error) {
    char having[96];
    if (arch == 0 || mapping_fragment_on(fragment, arch))
        return MAPPING_OK;
    describe_archs(fragment, having);
    const char *instead = find_instead(arch, fragment);
    return mapping_fail(error, MAPPING_UNAVAILABLE,
                        instead ? "sm_%u has no %.100s; %s; on sm_%u, use %s"
                                : "sm_%u has no %.100s; %s",
                        arch, name, having, arch, instead);
}

/* Fails with MAPPING_INVALID: --type, --operand or a tiling excludes all fragments of the name.
 * `is_one` is true if the name is that of one fragment. */
static enum mapping_status fail_left(const struct request *limits, const char *name, bool is_one,
                                     struct mapping_error *error) {
    if (limits->types)
        return mapping_fail(error, MAPPING_INVALID, "--type=%s contradicts %.100s; drop --type",
                            limits->type_name, name);
    if (!limits->has_operand)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s cannot be tiled; only operands a, b, c and d of mma and wgmma can be tiled",
            name);
    if (is_one && strchr(name, '<')) /* SM100_MMA_MXF4_SS<...> */
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s stands for another operand; --list --operand=%s shows names",
                            name, mapping_operand_name(limits->operand));
    return is_one ? mapping_fail(error, MAPPING_INVALID,
                                 "--operand=%s contradicts %.100s; drop --operand",
                                 mapping_operand_name(limits->operand), name)
                  : mapping_fail(error, MAPPING_INVALID, "%.100s has no operand %s%s", name,
                                 mapping_operand_name(limits->operand),
                                 limits->operand == MAPPING_B
                                     ? " in registers; B is in shared memory, with a layout such "
                                       "as Layout_K_SW128_Atom"
                                 : limits->operand <= MAPPING_D ? " in registers"
                                 : limits->operand == MAPPING_E
                                     ? "; only sparse instructions have it, such as mma.sp"
                                     : "");
}

/* ---- Opcodes ---- */

static void add_opcode(struct resolution *resolution, struct name_opcode opcode) {
    resolution->opcodes = memory_resize(resolution->opcodes, resolution->opcode_count + 1,
                                        sizeof *resolution->opcodes);
    resolution->opcodes[resolution->opcode_count++] = opcode;
}

void resolve_opcodes(struct name *name, unsigned arch, struct resolution *resolution) {
    *resolution = (struct resolution){.name = name};
    if (name->kind != NAME_SASS) {
        const char *text = name->ptx ? name->ptx : name->read.opcode.text;
        if (*text)
            add_opcode(resolution, (struct name_opcode){text, &name->read});
        return;
    }
    const char **ptx;
    const size_t count = name_ptx(name, arch, &ptx, &resolution->is_part);
    for (size_t o = 0; o < count; o++)
        add_opcode(resolution, name_opcode(name, ptx[o]));
}

/* ---- Matrices in shared memory ---- */

/* The requested type; NULL if there is none, or if it is a group of types. Sets *bits to the common
 * size of the group, otherwise to 0. MAPPING_INVALID if the types of the group have several sizes.
 */
static enum mapping_status find_type(const struct request *request, const char **type,
                                     uint32_t *bits, struct mapping_error *error) {
    *type = NULL;
    *bits = 0;
    for (int t = 0; t < MAPPING_TYPES && request->types; t++) {
        if (!(request->types >> t & 1))
            continue;
        uint32_t size = mapping_type_bits((enum mapping_type)t);
        if (*bits && size != *bits)
            return mapping_fail(error, MAPPING_INVALID,
                                "--type=%s stands for several types; a matrix in memory needs one",
                                request->type_name);
        *type = *bits ? NULL : mapping_type_name((enum mapping_type)t);
        *bits = size;
    }
    return MAPPING_OK;
}

/* Makes the matrix that a name describes. */
static enum mapping_status make_matrix(const struct name *name, const struct request *limits,
                                       struct resolution *resolution, struct mapping_error *error) {
    struct mapping_smem_matrix_request wanted = {.text = name->text,
                                                 .usual_bits = limits->usual_bits,
                                                 .extent = {limits->extent[0], limits->extent[1]},
                                                 .block = limits->block,
                                                 .is_k_by_mn = limits->axes.rows == 'k'};
    *resolution = (struct resolution){.name = name};
    resolution->matrix = memory_get(1, sizeof *resolution->matrix);
    const enum mapping_status status =
        find_type(limits, &resolution->matrix_type, &wanted.bits, error);
    return status == MAPPING_OK ? mapping_smem_matrix_make(&wanted, resolution->matrix, error)
                                : status;
}

/* ---- Fragments ---- */

static bool is_among(const struct name_match *items, size_t count,
                     const struct mapping_fragment *fragment) {
    size_t m = 0;
    while (m < count && !mapping_fragment_equal(&items[m].fragment, fragment))
        m++;
    return m < count;
}

/* Sets *items to the fragments of a name before the filters of the request, and returns their
 * number. For a pattern or a partial name, these are its matches on any architecture, which the
 * name owns. For SASS, they are the fragments of the opcodes, each once; otherwise the fragments of
 * the name itself. Their `index` is then not set. */
static size_t list(const struct resolution *resolution, struct name_match **items) {
    const struct name *name = resolution->name;
    const struct name_opcode own = {.read = &name->read};
    const bool is_sass = name->kind == NAME_SASS;
    size_t count = 0, capacity = 0;
    *items = name->matches;
    if (name->kind == NAME_PARTIAL || name->kind == NAME_PATTERN)
        return name->match_count;
    for (size_t o = 0; o < (is_sass ? resolution->opcode_count : 1); o++) {
        const struct mapping_name *read = (is_sass ? &resolution->opcodes[o] : &own)->read;
        *items = array_grow(*items, count, read->count, &capacity, sizeof **items);
        for (size_t f = 0; f < read->count; f++)
            if (!is_among(*items, count, &read->found[f]))
                (*items)[count++] = (struct name_match){.fragment = read->found[f]};
    }
    return count;
}

enum mapping_status resolve(struct name *name, unsigned arch, const struct request *limits,
                            struct resolution *resolution, struct mapping_error *error) {
    const bool is_sass = name->kind == NAME_SASS, is_every = limits->every_arch;
    const bool is_matched = name->kind == NAME_PARTIAL || name->kind == NAME_PATTERN;
    const struct mapping_fragment *best = NULL; /* an allowed fragment, preferably one on `arch` */
    struct name_match *items;
    if (name->kind == NAME_MATRIX)
        return make_matrix(name, limits, resolution, error);
    const enum mapping_status status =
        refuse(name, limits->arch_count > 0 && !is_every ? arch : 0, error);
    if (status != MAPPING_OK)
        return status;
    resolve_opcodes(name, arch, resolution);
    const size_t count = list(resolution, &items);
    resolution->items = memory_get(count, sizeof *items);
    for (const struct name_match *one = items; one < items + count; one++) {
        const struct mapping_fragment *fragment = &one->fragment;
        if (!resolve_allows(limits, fragment) || name_in_memory(name, fragment))
            continue;
        const bool is_there = arch == 0 || is_sass || mapping_fragment_on(fragment, arch);
        if (!is_there && !is_matched && !is_every)
            return resolve_check_arch(arch, name->name, fragment, error);
        best = best && !is_there ? best : fragment;
        if (is_there && (!is_matched || is_covered(limits, arch, fragment)))
            resolution->items[resolution->count++] = (struct name_match){
                *fragment, is_matched ? one->index : mapping_fragment_index(fragment)};
    }
    if (is_matched && !best)
        return fail_unknown(limits, name, error);
    if (is_matched && resolution->count == 0 && !(name->text && is_every))
        return fail_absent(limits, arch, name, best, error);
    if (is_sass && resolution->opcode_count == 0 && !is_every)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; use sm_%u", arch,
                            name->name, first_with(name));
    return best || (is_sass && resolution->opcode_count == 0)
               ? MAPPING_OK
               : fail_left(limits, name->name, !is_sass && count == 1, error);
}
