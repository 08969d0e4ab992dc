/* select.c - selects the architecture and the fragments of a request; see select.h. */
#include "command/select.h"

#include "command/unknown.h"
#include "layout/sentence.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if only these sources may serve and the GPU is one of them. */
static bool needs_gpu(const struct request *request) {
    for (size_t s = 0; s < request->source_count; s++)
        if (request->sources[s]->needs_device)
            return true;
    return false;
}

/* True if the fragment is of the type and operand that are asked for, if any. Metadata and scale
 * factors are not tiled. */
static bool is_asked_for(const struct request *request, const struct mapping_fragment *fragment) {
    bool is_multiplied = fragment->operand != MAPPING_E && fragment->operand != MAPPING_SFA &&
                         fragment->operand != MAPPING_SFB;
    return (request->types == 0 || request->types >> fragment->type & 1) &&
           (!request->has_operand || fragment->operand == request->operand) &&
           (!request->tile.is_given || is_multiplied);
}

/* Finds the next fragment that the subject selects, among a listed fragment and its widths. Without
 * a subject, all listed ones are selected. See subject_next. */
static bool next_meant(const struct subject *subject, const struct mapping_fragment *listed,
                       size_t *position, struct mapping_fragment *found) {
    *found = *listed;
    return subject ? subject_next(subject, listed, position, found) : (*position)++ == 0;
}

/* The first architecture with a selected fragment; 0 if there is none. */
static unsigned first_arch(const struct request *request, const struct subject *subject) {
    struct mapping_fragment fragment, ignored;
    unsigned first = 0;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);) {
        size_t position = 0;
        if ((first == 0 || fragment.since < first) && is_asked_for(request, &fragment) &&
            next_meant(subject, &fragment, &position, &ignored))
            first = fragment.since;
    }
    return first;
}

/* The architecture that shows an opcode of SASS: the default, or the first that has it. */
static unsigned first_with(const struct subject *subject) {
    unsigned first = 0;
    for (uint32_t a = 0; mapping_arch_at(a); a++) {
        unsigned number = mapping_arch_at(a)->number;
        if (subject->archs >> a & 1 && (first == 0 || number == DEFAULT_ARCH))
            first = number;
    }
    return first;
}

/* The subjects of names if no architecture was requested. The default architecture depends on all
 * of them, so they are read before the fragments are chosen, and are not read again. */
struct names {
    struct name_read {
        const char *text; /* of the request, which is compared as a pointer */
        struct subject subject;
        enum mapping_status status;
        struct mapping_error error;
    } * items;
    size_t count, capacity;
};

struct names *make_names(void) {
    return memory_get(1, sizeof(struct names));
}

/* Finds a name that was read, which is often the nth. NULL if it was not. */
static const struct name_read *find_read(const struct names *names, const char *text, size_t n) {
    if (names && n < names->count && names->items[n].text == text)
        return &names->items[n];
    for (n = 0; names && n < names->count; n++)
        if (names->items[n].text == text)
            return &names->items[n];
    return NULL;
}

/* Raises the architecture to the first one that has the fragments of a name. MAPPING_INVALID if the
 * name cannot be read; the message follows later. */
static enum mapping_status raise_arch(const struct request *request, const char *name,
                                      unsigned *arch) {
    struct names *names = request->names ? request->names : make_names();
    names->items =
        array_grow(names->items, names->count, 1, &names->capacity, sizeof *names->items);
    struct name_read *read = &names->items[names->count++];
    const struct subject *subject = &read->subject;
    read->text = name;
    *read->error.message = '\0';
    read->status = subject_read(name, 0, &read->subject, &read->error);
    const bool is_sass = read->status == MAPPING_OK && subject->kind == SUBJECT_SASS;
    const unsigned since = read->status != MAPPING_OK       ? 0
                           : subject->kind == SUBJECT_NAMED ? subject->read.found[0].since
                           : is_sass                        ? first_with(subject)
                                                            : first_arch(request, subject);
    /* An older architecture may be the only one that compiles an opcode to this SASS. */
    if (since > *arch || (is_sass && since > 0))
        *arch = since;
    return read->status;
}

/* The architecture that is shown if there is no GPU and --arch is not given: the default, or a
 * later one that has all that is named. One unknown name is enough to refuse the request, so the
 * names behind it are not read; there may be thousands. */
static unsigned default_arch(const struct request *request) {
    enum mapping_status status = MAPPING_OK;
    unsigned chosen = DEFAULT_ARCH;
    for (size_t n = 0; n < request->subject_count && status == MAPPING_OK; n++)
        status = raise_arch(request, request->subjects[n], &chosen);
    if (status == MAPPING_OK && request->convert)
        raise_arch(request, request->convert, &chosen);
    for (size_t u = 0; u < request->use_count; u++) {
        const struct mapping_access *with = request->uses[u].with;
        raise_arch(request, request->uses[u].name, &chosen);
        if (with && mapping_access_since(with) > chosen)
            chosen = mapping_access_since(with);
    }
    return chosen;
}

enum mapping_status select_arch(const struct request *request, unsigned *arch, bool *is_default,
                                struct mapping_error *error) {
    *is_default = false;
    bool is_asked = request->arch_count > 0;
    *arch = is_asked ? request->archs[0]->number : DEFAULT_ARCH;
    if (is_asked && !request->has_device)
        return MAPPING_OK;
    unsigned device_arch = 0;
    struct mapping_error cause;
    enum mapping_status status =
        request->machinery.may_start
            ? gpu_arch(request->machinery.device, &device_arch, &cause)
            : mapping_fail(&cause, MAPPING_UNAVAILABLE,
                           "mapping_options do not allow the library to use a GPU");
    if (status == MAPPING_UNAVAILABLE && !request->has_device && !needs_gpu(request)) {
        *is_default = true;
        *arch = request->default_arch ? request->default_arch : default_arch(request);
        return MAPPING_OK;
    }
    if (status != MAPPING_OK)
        *error = cause;
    else if (!is_asked)
        *arch = device_arch;
    return status;
}

enum mapping_status access_check_arch(const struct mapping_access *access, uint32_t arch,
                                      struct mapping_error *error) {
    return mapping_access_since(access) > arch
               ? mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; use sm_%u%s or later",
                              arch, access->name, mapping_access_since(access),
                              mapping_access_needs_letter(access) ? "a" : "")
               : MAPPING_OK;
}

/* Adds a fragment that is at `index` of the catalogue. */
static void collect(struct selection *selection, const struct mapping_fragment *fragment,
                    size_t index, size_t subject) {
    selection->items = array_grow(selection->items, selection->count, 1, &selection->capacity,
                                  sizeof *selection->items);
    selection->items[selection->count++] = (struct selected){*fragment, index, subject};
}

/* True if every source that is named has the fragment. */
static bool is_covered(const struct request *request, unsigned arch,
                       const struct mapping_fragment *fragment) {
    for (size_t s = 0; s < request->source_count && arch != 0; s++)
        if (!request->sources[s]->covers(arch, fragment))
            return false;
    return true;
}

/* Says that nothing of what exists is meant. */
static enum mapping_status fail_unknown(const struct request *request,
                                        const struct subject *subject,
                                        struct mapping_error *error) {
    if (subject && subject->kind == SUBJECT_PARTIAL) {
        struct mapping_partial partial = subject->read.partial;
        char text[OTHER_TYPE_TEXT];
        partial.types = request->types ? request->types : partial.types;
        if (request->has_operand) {
            partial.has_operand = true;
            partial.operand = request->operand;
        }
        if (other_type(&partial, text))
            return mapping_fail(error, MAPPING_INVALID, "%s", text);
    }
    char wanted[96] = "";
    if (request->has_operand)
        mapping_append(wanted, sizeof wanted, " has operand %s",
                       mapping_operand_name(request->operand));
    if (request->types)
        mapping_append(wanted, sizeof wanted, "%s type %s", *wanted ? " of" : " has",
                       request->type_name);
    return mapping_fail(error, MAPPING_INVALID,
                        "no fragment%s%.60s%s%s; --list shows all fragments",
                        !subject  ? ""
                        : *wanted ? " that matches '"
                                  : " matches '",
                        subject ? subject->text : "", subject ? "'" : "", wanted);
}

/* The instruction that takes the place of wgmma or tcgen05.mma on an architecture without it and
 * has such an operand: "tcgen05.mma", or else "mma". NULL if there is none, if the fragment is of
 * another instruction, or if the architecture has that instruction. */
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

/* Says that the architecture, or the sources that were named, have no fragment that the subject
 * matches. `fragment` is one that it matches; if the architecture has any, one of these. */
static enum mapping_status fail_absent(const struct request *request, unsigned arch,
                                       const struct subject *subject,
                                       const struct mapping_fragment *fragment,
                                       struct mapping_error *error) {
    char meant[80], sources[SOURCES_TEXT], named[SOURCES_TEXT] = "";
    snprintf(meant, sizeof meant, subject ? "'%.60s'" : "%s",
             subject ? subject->text : "the request");
    if (mapping_fragment_on(fragment, arch)) {
        for (size_t s = 0; s < request->source_count; s++)
            mapping_append(named, sizeof named, "%s%s", s > 0 ? "," : "",
                           request->sources[s]->name);
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
                        arch, meant, first_arch(request, subject), instead, arch);
}

/* Collects the fragments of one subject, or all fragments without a subject, that the architecture
 * (any if it is 0) and the named sources have. */
static enum mapping_status find_matching(const struct request *request, unsigned arch,
                                         size_t subject, struct selection *selection,
                                         struct mapping_error *error) {
    const struct subject *meant = subject == NO_SUBJECT ? NULL : &selection->subjects[subject];
    struct mapping_fragment listed, fragment, absent;
    size_t before = selection->count;
    bool exists = false;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &listed);) {
        if (!is_asked_for(request, &listed))
            continue;
        for (size_t n = 0; next_meant(meant, &listed, &n, &fragment);) {
            if (!exists || mapping_fragment_on(&fragment, arch))
                absent = fragment;
            exists = true;
            if ((arch == 0 || mapping_fragment_on(&fragment, arch)) &&
                is_covered(request, arch, &fragment))
                collect(selection, &fragment, at.passed - 1, subject);
        }
    }
    if (!exists)
        return fail_unknown(request, meant, error);
    return selection->count > before || (meant && request->every_arch)
               ? MAPPING_OK
               : fail_absent(request, arch, meant, &absent, error);
}

/* Writes which architectures have the fragment: "sm_80 and later have", "only sm_90 has", "sm_100,
 * sm_103 and sm_110 have". */
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
                       count == 1      ? "only "
                       : n == 0        ? ""
                       : n + 1 < count ? ", "
                                       : " and ",
                       having[n]);
    mapping_append(text, 96, count == 1 ? " has it" : " have it");
}

/* Fails unless the architecture has the named fragment; 0 means any architecture. */
static enum mapping_status check_arch(unsigned arch, const char *name,
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

/* Fails because --type, --operand or a tiling excludes all named fragments. */
static enum mapping_status fail_left(const struct request *request, const char *name, bool is_one,
                                     struct mapping_error *error) {
    if (request->types)
        return mapping_fail(error, MAPPING_INVALID, "--type=%s contradicts %.100s; drop --type",
                            request->type_name, name);
    if (!request->has_operand)
        return mapping_fail(
            error, MAPPING_INVALID,
            "%.100s cannot be tiled; only operands a, b, c and d of mma and wgmma can be tiled",
            name);
    if (is_one && strchr(name, '<')) /* SM100_MMA_MXF4_SS<...> */
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s stands for another operand; --list --operand=%s shows names",
                            name, mapping_operand_name(request->operand));
    return is_one ? mapping_fail(error, MAPPING_INVALID,
                                 "--operand=%s contradicts %.100s; drop --operand",
                                 mapping_operand_name(request->operand), name)
                  : mapping_fail(error, MAPPING_INVALID, "%.100s has no operand %s%s", name,
                                 mapping_operand_name(request->operand),
                                 request->operand == MAPPING_B
                                     ? " in registers; B is in shared memory, with a layout such "
                                       "as Layout_K_SW128_Atom"
                                 : request->operand <= MAPPING_D ? " in registers"
                                 : request->operand == MAPPING_E
                                     ? "; only sparse instructions have it, such as mma.sp"
                                     : "");
}

/* Collects the fragments that are named. */
static enum mapping_status find_named(const struct request *request, unsigned arch, size_t subject,
                                      struct selection *selection, struct mapping_error *error) {
    const struct subject *named = &selection->subjects[subject];
    const struct mapping_name *read = &named->read;
    size_t taken = 0;
    for (const struct mapping_fragment *one = read->found; one < read->found + read->count; one++) {
        if (!is_asked_for(request, one) || subject_in_memory(named, one))
            continue;
        taken++;
        if (request->every_arch && arch != 0 && !mapping_fragment_on(one, arch))
            continue;
        enum mapping_status status = check_arch(arch, named->name, one, error);
        if (status != MAPPING_OK)
            return status;
        collect(selection, one, mapping_fragment_index(one), subject);
    }
    return taken > 0 ? MAPPING_OK : fail_left(request, named->name, read->count == 1, error);
}

/* True if the fragment was collected for the subject before. */
static bool is_collected(const struct selection *selection, size_t subject,
                         const struct mapping_fragment *fragment) {
    for (size_t s = 0; s < selection->count; s++)
        if (selection->items[s].subject == subject &&
            mapping_fragment_equal(&selection->items[s].fragment, fragment))
            return true;
    return false;
}

/* Collects the fragments of all opcodes that compile to an opcode of SASS. */
static enum mapping_status find_sass(const struct request *request, unsigned arch, size_t number,
                                     struct selection *selection, struct mapping_error *error) {
    struct subject *subject = &selection->subjects[number];
    size_t before = selection->count;
    struct strings all = {.count = 0};
    subject_opcodes(subject->name, arch, &all, &subject->is_part);
    for (size_t o = 0; o < all.count; o++)
        if (subject_is_meant(subject, all.text[o]))
            strings_add(&subject->opcodes, all.text[o]);
    for (size_t o = 0; o < subject->opcodes.count; o++) {
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        const size_t count = mapping_catalogue_find(subject->opcodes.text[o], found);
        for (size_t f = 0; f < count; f++)
            if (is_asked_for(request, &found[f]) && !is_collected(selection, number, &found[f]) &&
                !subject_in_memory(subject, &found[f]))
                collect(selection, &found[f], mapping_fragment_index(&found[f]), number);
    }
    if (selection->count > before || (subject->opcodes.count == 0 && request->every_arch))
        return MAPPING_OK;
    return subject->opcodes.count > 0
               ? fail_left(request, subject->name, false, error)
               : mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %s; use sm_%u", arch,
                              subject->name, first_with(subject));
}

/* Collects the fragments of all subjects. */
static enum mapping_status find_all(const struct request *request, unsigned arch,
                                    struct selection *selection, struct mapping_error *error) {
    const unsigned asked = request->arch_count > 0 && !request->every_arch ? arch : 0;
    enum mapping_status status = MAPPING_OK;
    selection->subjects = memory_get(request->subject_count, sizeof *selection->subjects);
    selection->subject_count = request->subject_count;
    for (size_t n = 0; n < request->subject_count && status == MAPPING_OK; n++) {
        struct subject *subject = &selection->subjects[n];
        const struct name_read *read =
            asked ? NULL : find_read(request->names, request->subjects[n], n);
        if (read) {
            *subject = read->subject;
            *error = read->error;
        }
        status = read ? read->status : subject_read(request->subjects[n], asked, subject, error);
        if (status == MAPPING_OK)
            status = subject->kind == SUBJECT_NAMED ? find_named(request, arch, n, selection, error)
                     : subject->kind == SUBJECT_SASS
                         ? find_sass(request, arch, n, selection, error)
                         : find_matching(request, arch, n, selection, error);
    }
    return status;
}

/* Collects the first fragment in the catalogue with the requested operand and type; by default D,
 * and f32 for C or D. Fails if there is none, or the architecture does not have it. */
static enum mapping_status find_default(const struct request *request, unsigned arch,
                                        struct selection *selection, struct mapping_error *error) {
    struct mapping_fragment fragment;
    char name[MAPPING_NAME_SIZE];
    struct request wanted = *request;
    if (!wanted.has_operand) {
        wanted.has_operand = true;
        wanted.operand = MAPPING_D;
    }
    if (!wanted.types && (wanted.operand == MAPPING_C || wanted.operand == MAPPING_D)) {
        wanted.types = UINT32_C(1) << MAPPING_F32;
        wanted.type_name = mapping_type_name(MAPPING_F32);
    }
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);)
        if (is_asked_for(&wanted, &fragment)) {
            collect(selection, &fragment, at.passed - 1, NO_SUBJECT);
            mapping_fragment_name(&fragment, name);
            if (request->tile.is_given && !can_be_tiled(&fragment))
                return mapping_fail(error, MAPPING_INVALID,
                                    "--atom-layout and --permutation need a fragment name, such as "
                                    "mma.m16n8k16.d.f32");
            return check_arch(arch, name, &fragment, error);
        }
    if (request->tile.is_given && wanted.operand > MAPPING_D)
        return mapping_fail(
            error, MAPPING_INVALID,
            "operand %s cannot be tiled; only operands a, b, c and d of mma and wgmma can be tiled",
            mapping_operand_name(wanted.operand));
    if (request->has_operand)
        return mapping_fail(
            error, MAPPING_INVALID, "no fragment %s operand %s%s%s%s; --list shows all fragments",
            request->tile.is_given ? "of" : "has", mapping_operand_name(wanted.operand),
            wanted.types ? " with type " : "", wanted.types ? wanted.type_name : "",
            request->tile.is_given ? " can be tiled" : "");
    return mapping_fail(
        error, MAPPING_INVALID,
        "without a name, the program shows an accumulator, and none has the type %s; --list "
        "--type=%s shows the fragments of this type",
        wanted.type_name, wanted.type_name);
}

/* Finds the spaces of a fragment, or of its tile if one is requested. MAPPING_INVALID if the
 * fragment does not allow this tile. */
static enum mapping_status find_spaces(const struct tile_request *tile,
                                       const struct mapping_fragment *fragment,
                                       struct mapping_space *from, struct mapping_space *to,
                                       struct mapping_error *error) {
    struct mapping_atom atom;
    mapping_fragment_spaces(fragment, from, to);
    if (!tile->is_given)
        return MAPPING_OK;
    enum mapping_status status = derive_atom(fragment, &atom, error);
    return status == MAPPING_OK ? mapping_tile_spaces(&tile->tiling, &atom, from, to, error)
                                : status;
}

/* Checks that a fragment can be tiled as requested. Fails if --thread asks about an operand in
 * Tensor Memory without --with: threads hold such an operand only after they load it. */
static enum mapping_status check_fragment(const struct request *request,
                                          const struct mapping_fragment *fragment,
                                          struct mapping_error *error) {
    const struct question *question = &request->style.question;
    char name[MAPPING_NAME_SIZE];
    struct mapping_space from, to;
    enum mapping_status status = find_spaces(&request->tile, fragment, &from, &to, error);
    if (status != MAPPING_OK || request->has_tmem_load || question->kind != ASK_SOURCE ||
        question->is_of_lane || !mapping_tmem_load_takes(fragment))
        return status;
    mapping_fragment_name(fragment, name);
    return mapping_fail(error, MAPPING_INVALID,
                        "no thread holds %s, since it is in Tensor Memory; use --lane=LANE,COLUMN, "
                        "or --with=tcgen05.ld.%s to see which thread loads each element",
                        name, fragment->shape.m == 64 ? "16x64b" : "32x32b");
}

/* Checks that a fragment has the rows, columns, threads or elements of the question. */
static enum mapping_status check_question(const struct request *request,
                                          const struct selection *selection,
                                          const struct selected *selected,
                                          struct mapping_error *error) {
    const struct mapping_fragment *fragment = &selected->fragment;
    char name[MAPPING_NAME_SIZE];
    struct mapping_space from, to;
    struct strings registers = {.count = 0};
    mapping_fragment_name(fragment, name);
    enum mapping_status status = find_spaces(&request->tile, fragment, &from, &to, error);
    if (status == MAPPING_OK)
        status = question_check(&request->style.question, name, &from, &to, error);
    if (status == MAPPING_OK && selected->subject != NO_SUBJECT && !request->tile.is_given)
        status =
            subject_registers(&selection->subjects[selected->subject], fragment, &registers, error);
    if (status == MAPPING_OK && request->tile.is_given && *request->style.question.register_name)
        return mapping_fail(error, MAPPING_INVALID,
                            "the instruction names registers of one atom; with --atom-layout or "
                            "--permutation, use a number: --register=0");
    if (status == MAPPING_OK)
        status = question_check_registers(&request->style.question, name, fragment, &from,
                                          &registers, error);
    return status;
}

/* Says that no operand of an instruction is in the register of the question, and which registers
 * each operand has. If the subject names no registers, the error stays as it is. */
static enum mapping_status fail_register(const struct request *request,
                                         const struct selection *selection, size_t first,
                                         size_t end, struct mapping_error *error) {
    enum { MOST = 8 }; /* registers of one operand in the message */
    const struct question *question = &request->style.question;
    char places[256] = "";
    for (size_t f = first; f < end && !request->tile.is_given; f++) {
        const struct selected *selected = &selection->items[f];
        struct strings names = {.count = 0};
        struct mapping_error ignored;
        if (selected->subject == NO_SUBJECT ||
            subject_registers(&selection->subjects[selected->subject], &selected->fragment, &names,
                              &ignored) != MAPPING_OK ||
            names.count == 0)
            continue;
        mapping_append(places, sizeof places, "%s%s is in ", *places ? "; " : "",
                       mapping_operand_name(selected->fragment.operand));
        /* "R8 to R11", without unnamed registers at the ends; or "%r1, %r7" */
        size_t low = 0, high = names.count - 1;
        while (low < high && !*names.text[low])
            low++;
        while (low < high && !*names.text[high])
            high--;
        if (*names.text[low] == 'R' && strcmp(names.text[low], names.text[high]) != 0) {
            mapping_append(places, sizeof places, "%s to %s", names.text[low], names.text[high]);
            continue;
        }
        high = *names.text[low] == 'R' ? low : high;
        for (size_t n = low; n <= high && n < low + MOST; n++)
            mapping_append(places, sizeof places, "%s%s", n > low ? ", " : "", names.text[n]);
        mapping_append(places, sizeof places, high >= low + MOST ? " ..." : "");
    }
    return !*places ? MAPPING_INVALID
                    : mapping_fail(error, MAPPING_INVALID, "no operand%s is in %s: %s",
                                   question->count > 0 ? " with such an element" : "",
                                   question->register_name, places);
}

/* Drops fragments that cannot answer the question if another fragment of the same subject can: B of
 * an m16n8k16 has no element (3, 10), but A has. Fails if none can. */
static enum mapping_status drop_unanswered(const struct request *request,
                                           struct selection *selection,
                                           struct mapping_error *error) {
    size_t kept = 0;
    if (request->style.question.kind == ASK_NOTHING || request->has_tmem_load)
        return MAPPING_OK; /* what is loaded from Tensor Memory is checked later */
    for (size_t f = 0; f < selection->count;) {
        const size_t before = kept, start = f, subject = selection->items[f].subject;
        enum mapping_status status = MAPPING_OK;
        struct mapping_error first = {""}, ignored;
        for (; f < selection->count && selection->items[f].subject == subject; f++) {
            enum mapping_status one = check_question(request, selection, &selection->items[f],
                                                     status == MAPPING_OK ? &first : &ignored);
            if (one == MAPPING_OK)
                selection->items[kept++] = selection->items[f];
            else if (status == MAPPING_OK)
                status = one;
        }
        if (kept == before) {
            *error = first;
            return *request->style.question.register_name
                       ? fail_register(request, selection, start, f, error)
                       : status;
        }
    }
    selection->count = kept;
    return MAPPING_OK;
}

enum mapping_status select_fragments(const struct request *request, unsigned arch,
                                     struct selection *selection, struct mapping_error *error) {
    *selection = (struct selection){NULL, 0, 0, NULL, 0};
    enum mapping_status status =
        request->all                 ? find_matching(request, arch, NO_SUBJECT, selection, error)
        : request->subject_count > 0 ? find_all(request, arch, selection, error)
                                     : find_default(request, arch, selection, error);
    for (size_t f = 0; f < selection->count && status == MAPPING_OK && arch != 0; f++)
        status = check_fragment(request, &selection->items[f].fragment, error);
    if (status == MAPPING_OK && arch != 0)
        status = drop_unanswered(request, selection, error);
    if (status == MAPPING_OK && selection->count == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "no architecture has %.100s",
                            request->subject_count > 0 ? request->subjects[0] : "it");
    return status;
}
