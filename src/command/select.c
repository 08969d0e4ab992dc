/* select.c - selects the architecture and the fragments of a request; see select.h. */
#include "command/select.h"

#include "command/unknown.h"
#include "layout/sentence.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if the request names a source that needs a GPU. */
static bool needs_gpu(const struct request *request) {
    for (size_t s = 0; s < request->source_count; s++)
        if (request->sources[s]->needs_device)
            return true;
    return false;
}

/* A cache of parsed names; each text is parsed once. */
struct names {
    struct name **items;
    size_t count, capacity;
};

struct names *make_names(void) {
    return memory_get(1, sizeof(struct names));
}

static bool is_name(const struct name *name, const char *text) {
    return name->text && text ? strcmp(name->text, text) == 0 : name->text == text;
}

struct name *subject_name(const struct request *request, const char *text, size_t n) {
    struct names *names = request->names ? request->names : make_names();
    if (n < names->count && is_name(names->items[n], text))
        return names->items[n];
    for (size_t i = 0; n < names->count && i < names->count; i++)
        if (is_name(names->items[i], text))
            return names->items[i];
    struct name *name = text ? name_read(text) : name_all();
    names->items = array_grow(names->items, names->count, 1, &names->capacity, sizeof name);
    return names->items[names->count++] = name;
}

/* Sets *arch to the architecture of resolve_arch() for a name. False if the name selects nothing;
 * resolve() later fails with the reason. */
static bool raise_arch(const struct request *request, const char *text, size_t n, unsigned *arch) {
    struct name *name = subject_name(request, text, n);
    if (name->kind >= NAME_OTHER_SASS || refuse(name, 0, NULL) != MAPPING_OK)
        return false;
    *arch = resolve_arch(name, request, *arch);
    return true;
}

/* Returns the architecture to use if there is no GPU and --arch is not given: DEFAULT_ARCH, or a
 * later one that has the named fragments and operations. Stops at the first unknown subject, since
 * the request then fails, and there can be thousands of subjects. */
static unsigned default_arch(const struct request *request) {
    unsigned chosen = DEFAULT_ARCH;
    bool is_known = true;
    for (size_t n = 0; n < request->subject_count && is_known; n++)
        is_known = raise_arch(request, request->subjects[n], n, &chosen);
    if (is_known && request->convert)
        raise_arch(request, request->convert, 0, &chosen);
    for (size_t u = 0; u < request->use_count; u++) {
        const struct mapping_access *with = request->uses[u].with;
        raise_arch(request, request->uses[u].name, u, &chosen);
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

/* Appends a fragment, its index in the catalogue, and its subject. */
static void collect(struct selection *selection, const struct mapping_fragment *fragment,
                    size_t index, size_t subject) {
    selection->items = array_grow(selection->items, selection->count, 1, &selection->capacity,
                                  sizeof *selection->items);
    selection->items[selection->count++] = (struct selected){*fragment, index, subject};
}

/* Appends the fragments of all subjects, or of --all. Fails at the first subject that cannot be
 * resolved, as resolve() does; MAPPING_INVALID if it is a matrix. */
static enum mapping_status find_all(const struct request *request, unsigned arch,
                                    struct selection *selection, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    selection->subject_count = request->all ? 1 : request->subject_count;
    selection->subjects = memory_get(selection->subject_count, sizeof *selection->subjects);
    for (size_t n = 0; n < selection->subject_count && status == MAPPING_OK; n++) {
        struct resolution *found = &selection->subjects[n];
        struct name *name = subject_name(request, request->all ? NULL : request->subjects[n], n);
        status = name->kind == NAME_MATRIX ? refuse(name, arch, error)
                                           : resolve(name, arch, request, found, error);
        for (size_t f = 0; f < found->count && status == MAPPING_OK; f++)
            collect(selection, &found->items[f].fragment, found->items[f].index,
                    request->all ? NO_SUBJECT : n);
    }
    return status;
}

/* Appends the first fragment of the catalogue with the requested operand and type. The default
 * operand is D; the default type of C and D is f32. MAPPING_INVALID if there is none, or if it
 * cannot be tiled; MAPPING_UNAVAILABLE if the architecture does not have it. */
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
        if (resolve_allows(&wanted, &fragment)) {
            collect(selection, &fragment, at.passed - 1, NO_SUBJECT);
            mapping_fragment_name(&fragment, name);
            if (request->tile.is_given && !can_be_tiled(&fragment))
                return mapping_fail(error, MAPPING_INVALID,
                                    "--atom-layout and --permutation need a fragment name, such as "
                                    "mma.m16n8k16.d.f32");
            return resolve_check_arch(arch, name, &fragment, error);
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

/* Sets *from and *to to the spaces of a fragment, or of its tile if one is requested. Fails if the
 * fragment cannot be tiled in this way. */
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

/* Checks that a fragment can be tiled as requested. MAPPING_INVALID also if --thread is used for an
 * operand in Tensor Memory without --with: threads hold such an operand only after a load. */
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

/* Returns the resolved subject that selected a fragment; NULL if there is none. */
static const struct resolution *resolution_of(const struct selection *selection,
                                              const struct selected *selected) {
    return selected->subject == NO_SUBJECT ? NULL : &selection->subjects[selected->subject];
}

/* MAPPING_INVALID if a fragment does not have the rows, columns, threads, elements or registers of
 * the question. */
static enum mapping_status check_question(const struct request *request,
                                          const struct selection *selection,
                                          const struct selected *selected,
                                          struct mapping_error *error) {
    const struct mapping_fragment *fragment = &selected->fragment;
    const struct resolution *resolution = resolution_of(selection, selected);
    char name[MAPPING_NAME_SIZE];
    struct mapping_space from, to;
    struct strings registers = {.count = 0};
    mapping_fragment_name(fragment, name);
    enum mapping_status status = find_spaces(&request->tile, fragment, &from, &to, error);
    if (status == MAPPING_OK && resolution && !request->tile.is_given)
        status = name_registers(resolution->name, resolution->is_part, fragment, &registers, error);
    if (status == MAPPING_OK && request->tile.is_given && *request->style.question.register_name)
        return mapping_fail(error, MAPPING_INVALID,
                            "the instruction names registers of one atom; with --atom-layout or "
                            "--permutation, use a number: --register=0");
    return status == MAPPING_OK ? question_check_fragment(&request->style.question, name, fragment,
                                                          &from, &to, &registers, error)
                                : status;
}

/* Fails with MAPPING_INVALID: the register of the question holds no operand of the subject whose
 * fragments are at `first` to `end` - 1. The message lists the registers of each operand. If the
 * subject names no registers, *error is not changed. */
static enum mapping_status fail_register(const struct request *request,
                                         const struct selection *selection, size_t first,
                                         size_t end, struct mapping_error *error) {
    enum { MOST = 8 }; /* the largest number of registers per operand in the message */
    const struct question *question = &request->style.question;
    char places[256] = "";
    for (size_t f = first; f < end && !request->tile.is_given; f++) {
        const struct selected *selected = &selection->items[f];
        const struct resolution *resolution = resolution_of(selection, selected);
        struct strings names = {.count = 0};
        struct mapping_error ignored;
        if (!resolution ||
            name_registers(resolution->name, resolution->is_part, &selected->fragment, &names,
                           &ignored) != MAPPING_OK ||
            names.count == 0)
            continue;
        mapping_append(places, sizeof places, "%s%s is in ", *places ? "; " : "",
                       mapping_operand_name(selected->fragment.operand));
        /* Print "R8 to R11" without unnamed registers at both ends, or "%r1, %r7". */
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
 * m16n8k16 has no element (3, 10), but A has. Fails if no fragment of a subject can. */
static enum mapping_status drop_unanswered(const struct request *request,
                                           struct selection *selection,
                                           struct mapping_error *error) {
    size_t kept = 0;
    if (request->style.question.kind == ASK_NOTHING || request->has_tmem_load)
        return MAPPING_OK; /* loads from Tensor Memory are checked later */
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
    enum mapping_status status = request->all || request->subject_count > 0
                                     ? find_all(request, arch, selection, error)
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
