/* select.c - which architecture and which fragments a request is about; see select.h. */
#include "command/select.h"

#include "command/nearest.h"
#include "system/memory.h"

#include <ctype.h>
#include <fnmatch.h>
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
    return (!request->has_type || fragment->type == request->type) &&
           (!request->has_operand || fragment->operand == request->operand) &&
           (!request->tile.is_given || is_multiplied);
}

/* More than any opcode takes. */
enum { OPCODE_SIZE = 256 };

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || (c && strchr("._:*?", c));
}

/* Of an instruction as it stands in a program, with operands and all that is around it, its opcode;
 * any other name as it is. */
static const char *without_operands(const char *name, char opcode[OPCODE_SIZE]) {
    const char *start = strstr(name, ".sync."), *end = start;
    if (!start)
        return name;
    while (start > name && is_of_name(start[-1]))
        start--;
    while (is_of_name(*end))
        end++;
    if (end - start >= OPCODE_SIZE)
        return name;
    snprintf(opcode, OPCODE_SIZE, "%.*s", (int)(end - start), start);
    return opcode;
}

/* Whether a name stands for many. */
static bool is_pattern(const char *name) {
    return strpbrk(name, "*?") && !strchr(name, '<');
}

/* True if the fragment's name matches the pattern, any if it is NULL. */
static bool matches(const struct mapping_fragment *fragment, const char *pattern) {
    char name[MAPPING_NAME_SIZE];
    if (!pattern)
        return true;
    mapping_fragment_name(fragment, name);
    return fnmatch(pattern, name, 0) == 0;
}

/* The first architecture with a fragment that matches a pattern, any if it is NULL; 0 if there is
 * none. */
static unsigned first_arch(const struct request *request, const char *pattern) {
    struct mapping_fragment fragment;
    unsigned first = 0;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++)
        if ((first == 0 || fragment.since < first) && is_asked_for(request, &fragment) &&
            matches(&fragment, pattern))
            first = fragment.since;
    return first;
}

/* The architecture that is shown where there is no GPU and nobody asked for one: the default, or
 * the first that has what is named, if that is later. */
static unsigned default_arch(const struct request *request) {
    unsigned arch = DEFAULT_ARCH;
    for (size_t n = 0; n < request->subject_count; n++) {
        char opcode[OPCODE_SIZE];
        struct mapping_fragment found[MAPPING_FOUND_MAX];
        const char *name = without_operands(request->subjects[n], opcode);
        unsigned since = 0;
        if (is_pattern(name))
            since = first_arch(request, name);
        else if (mapping_catalogue_find(name, found) > 0)
            since = found[0].since;
        arch = since > arch ? since : arch;
    }
    return arch;
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
    enum mapping_status status = gpu_arch(request->machinery.device, &device_arch, &cause);
    if (status == MAPPING_UNAVAILABLE && !request->has_device && !needs_gpu(request)) {
        *is_default = true;
        *arch = default_arch(request);
        return MAPPING_OK;
    }
    if (status != MAPPING_OK)
        *error = cause;
    else if (!is_asked)
        *arch = device_arch;
    return status;
}

/* Fragments as they are collected. */
struct collection {
    struct mapping_fragment *fragments;
    size_t count, room;
};

/* Adds one. False if out of memory. */
static bool collect(struct collection *collection, const struct mapping_fragment *fragment) {
    struct mapping_fragment *fragments = array_grow(collection->fragments, collection->count, 1,
                                                    &collection->room, sizeof *fragments);
    if (!fragments)
        return false;
    collection->fragments = fragments;
    collection->fragments[collection->count++] = *fragment;
    return true;
}

/* True if every source that is named has the fragment. */
static bool is_covered(const struct request *request, unsigned arch,
                       const struct mapping_fragment *fragment) {
    for (size_t s = 0; s < request->source_count && arch != 0; s++)
        if (!request->sources[s]->covers(arch, fragment))
            return false;
    return true;
}

/* Collects what the architecture, or any if it is 0, and the named sources have of the fragments
 * whose names match the pattern, all if it is NULL. */
static enum mapping_status find_matching(const struct request *request, unsigned arch,
                                         const char *pattern, struct collection *collection,
                                         struct mapping_error *error) {
    struct mapping_fragment fragment;
    size_t before = collection->count;
    bool exists = false;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        if (!is_asked_for(request, &fragment) || !matches(&fragment, pattern))
            continue;
        exists = true;
        if ((arch == 0 || mapping_fragment_on(&fragment, arch)) &&
            is_covered(request, arch, &fragment) && !collect(collection, &fragment))
            return mapping_out_of_memory(error);
    }
    bool narrowed = request->has_type || request->has_operand;
    if (!exists)
        return mapping_fail(error, MAPPING_INVALID, "no fragment%s%.60s%s%s; --list shows all",
                            pattern ? " matches '" : "", pattern ? pattern : "", pattern ? "'" : "",
                            !narrowed ? ""
                            : pattern ? " and is of that type and operand"
                                      : " is of that type and operand");
    if (collection->count > before)
        return MAPPING_OK;
    char hint[64] = " and that the source covers";
    if (request->source_count == 0)
        snprintf(hint, sizeof hint, "; sm_%u is the first that has one",
                 first_arch(request, pattern));
    return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no fragment %s%.60s%s%s", arch,
                        pattern ? "that matches '" : "that is asked for", pattern ? pattern : "",
                        pattern ? "'" : "", hint);
}

/* Fails with the names that are nearest to one that does not exist. */
static enum mapping_status unknown_fragment(const char *name, struct mapping_error *error) {
    char candidate[MAPPING_NAME_SIZE], hint[448];
    struct mapping_fragment fragment;
    struct mapping_opcode opcode;
    struct nearest nearest = nearest_to(name);
    for (size_t index = 0; strstr(name, ".sync.") && mapping_opcode_at(index, &opcode); index++)
        nearest_offer(&nearest, opcode.text);
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, candidate);
        nearest_offer(&nearest, candidate);
    }
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(error, MAPPING_INVALID, "unknown fragment '%.100s'%s", name,
                        *hint ? hint : "; --list shows all that there are");
}

/* Fails unless the architecture has what is called so; 0 stands for any. */
static enum mapping_status check_arch(unsigned arch, const char *name,
                                      const struct mapping_fragment *fragment,
                                      struct mapping_error *error) {
    if (arch == 0 || mapping_fragment_on(fragment, arch))
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_UNAVAILABLE, "sm_%u has no %.100s; %ssm_%u %s", arch, name,
                        fragment->until == fragment->since ? "only " : "", fragment->since,
                        fragment->until == fragment->since ? "has" : "and later have");
}

/* Finds the fragments that one name stands for. */
static enum mapping_status find_one(const struct request *request, unsigned arch, const char *name,
                                    struct collection *collection, struct mapping_error *error) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    size_t count = mapping_catalogue_find(name, found), taken = 0;
    if (count == 0)
        return unknown_fragment(name, error);
    for (size_t f = 0; f < count; f++) {
        if (!is_asked_for(request, &found[f]))
            continue;
        taken++;
        if (request->every_arch && arch != 0 && !mapping_fragment_on(&found[f], arch))
            continue;
        enum mapping_status status = check_arch(arch, name, &found[f], error);
        if (status != MAPPING_OK)
            return status;
        if (!collect(collection, &found[f]))
            return mapping_out_of_memory(error);
    }
    if (taken == 0 && request->has_type)
        return mapping_fail(error, MAPPING_INVALID, "--type=%s contradicts %.100s",
                            mapping_type_name(request->type), name);
    if (taken == 0 && !request->has_operand)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s cannot be tiled; a, b, c and d of mma and wgmma can", name);
    if (taken == 0)
        return mapping_fail(error, MAPPING_INVALID, "%.100s has no operand %s in registers", name,
                            mapping_operand_name(request->operand));
    return MAPPING_OK;
}

/* Finds the fragments that are named. */
static enum mapping_status find_named(const struct request *request, unsigned arch,
                                      struct collection *collection, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t n = 0; n < request->subject_count && status == MAPPING_OK; n++) {
        char opcode[OPCODE_SIZE];
        const char *name = without_operands(request->subjects[n], opcode);
        status = is_pattern(name) ? find_matching(request, arch, name, collection, error)
                                  : find_one(request, arch, name, collection, error);
    }
    return status;
}

/* The first accumulator of a type: the 16x16 one, where there is one; or the first of another
 * operand. */
static enum mapping_status find_default(const struct request *request,
                                        struct collection *collection,
                                        struct mapping_error *error) {
    struct mapping_fragment fragment;
    struct request wanted = *request;
    if (!wanted.has_operand) {
        wanted.has_operand = true;
        wanted.operand = MAPPING_D;
    }
    if (!wanted.has_type && (wanted.operand == MAPPING_C || wanted.operand == MAPPING_D)) {
        wanted.has_type = true;
        wanted.type = MAPPING_F32;
    }
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++)
        if (is_asked_for(&wanted, &fragment))
            return collect(collection, &fragment) ? MAPPING_OK : mapping_out_of_memory(error);
    if (request->has_operand)
        return mapping_fail(error, MAPPING_INVALID,
                            "there is no operand %s of %s; --list shows the fragments that are",
                            mapping_operand_name(wanted.operand), mapping_type_name(wanted.type));
    return mapping_fail(
        error, MAPPING_INVALID,
        "there is no accumulator of %s; --list --type=%s shows the fragments that are",
        mapping_type_name(wanted.type), mapping_type_name(wanted.type));
}

/* Checks that the architecture has the fragment, and what is asked about it. */
static enum mapping_status check_fragment(const struct request *request, unsigned arch,
                                          const struct mapping_fragment *fragment,
                                          struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    struct mapping_space from, to;
    if (request->style.question.kind == ASK_NOTHING && !request->tile.is_given &&
        mapping_fragment_on(fragment, arch))
        return MAPPING_OK;
    mapping_fragment_name(fragment, name);
    enum mapping_status status = check_arch(arch, name, fragment, error);
    if (status == MAPPING_OK)
        status = derive_spaces(&request->tile, fragment, &from, &to, error);
    return status == MAPPING_OK ? question_check(&request->style.question, name, &from, &to, error)
                                : status;
}

enum mapping_status select_fragments(const struct request *request, unsigned arch,
                                     struct mapping_fragment **fragments, size_t *count,
                                     struct mapping_error *error) {
    struct collection collection = {NULL, 0, 0};
    enum mapping_status status =
        request->all                 ? find_matching(request, arch, NULL, &collection, error)
        : request->subject_count > 0 ? find_named(request, arch, &collection, error)
                                     : find_default(request, &collection, error);
    for (size_t f = 0; f < collection.count && status == MAPPING_OK && arch != 0; f++)
        status = check_fragment(request, arch, &collection.fragments[f], error);
    *fragments = collection.fragments;
    *count = collection.count;
    if (status == MAPPING_OK && collection.count == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "no architecture has %.100s",
                            request->subject_count > 0 ? request->subjects[0] : "it");
    return status;
}
