/* choose.c - which architecture and which fragments are wanted; see choose.h. */
#include "choose.h"

#include "nearest.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if only these sources may serve and the GPU is one of them. */
static bool needs_gpu(const struct options *options) {
    for (size_t s = 0; s < options->source_count; s++)
        if (strcmp(options->sources[s]->name, "gpu") == 0)
            return true;
    return false;
}

/* True if the fragment is of the type and operand that are asked for, if any. Metadata and scale
 * factors are not tiled. */
static bool is_asked_for(const struct options *options, const struct mapping_fragment *fragment) {
    return (!options->type_given || fragment->type == options->type) &&
           (!options->operand || fragment->operand == options->operand) &&
           !(*options->tiling_text && strchr("exy", fragment->operand));
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

/* The first architecture with a fragment that matches a pattern, any if it is NULL; 0 if there is
 * none. */
static unsigned first_arch(const struct options *options, const char *pattern) {
    struct mapping_fragment fragment;
    char name[MAPPING_NAME_SIZE];
    unsigned first = 0;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, name);
        if ((!pattern || fnmatch(pattern, name, 0) == 0) && is_asked_for(options, &fragment) &&
            (first == 0 || fragment.since < first))
            first = fragment.since;
    }
    return first;
}

/* The architecture that is shown where there is no GPU and nobody asked for one: the default, or
 * the first that has what is named, if that is later. */
static unsigned default_arch(const struct options *options) {
    unsigned arch = DEFAULT_ARCH;
    for (size_t n = 0; n < options->name_count; n++) {
        char opcode[OPCODE_SIZE];
        struct mapping_fragment found[MAPPING_OPERANDS];
        const char *name = without_operands(options->names[n], opcode);
        unsigned since = 0;
        if (is_pattern(name))
            since = first_arch(options, name);
        else if (mapping_catalogue_find(name, found) > 0)
            since = found[0].since;
        arch = since > arch ? since : arch;
    }
    return arch;
}

enum mapping_status choose_arch(const struct options *options, unsigned *arch, bool *is_default,
                                struct mapping_error *error) {
    *is_default = false;
    *arch = options->arch ? options->arch->number : DEFAULT_ARCH;
    if (options->arch && !options->device_given)
        return MAPPING_OK;
    unsigned device_arch = 0;
    struct mapping_error cause;
    enum mapping_status status = gpu_arch(options->machinery.device, &device_arch, &cause);
    if (status == MAPPING_UNAVAILABLE && !options->device_given && !needs_gpu(options)) {
        *is_default = true;
        *arch = default_arch(options);
        return MAPPING_OK;
    }
    if (status != MAPPING_OK)
        *error = cause;
    else if (!options->arch)
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
    if (collection->count == collection->room) {
        size_t room = collection->room ? 2 * collection->room : 64;
        struct mapping_fragment *bigger =
            realloc(collection->fragments, room * sizeof *collection->fragments);
        if (!bigger)
            return false;
        collection->fragments = bigger;
        collection->room = room;
    }
    collection->fragments[collection->count++] = *fragment;
    return true;
}

/* True if every source that is named has the fragment. */
static bool is_covered(const struct options *options, unsigned arch,
                       const struct mapping_fragment *fragment) {
    for (size_t s = 0; s < options->source_count && arch != 0; s++)
        if (!options->sources[s]->covers(arch, fragment))
            return false;
    return true;
}

/* Collects what the architecture, or any if it is 0, and the named sources have of the fragments
 * whose names match the pattern, all if it is NULL. */
static enum mapping_status find_matching(const struct options *options, unsigned arch,
                                         const char *pattern, struct collection *collection,
                                         struct mapping_error *error) {
    struct mapping_fragment fragment;
    char name[MAPPING_NAME_SIZE];
    size_t before = collection->count;
    bool exists = false;
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++) {
        mapping_fragment_name(&fragment, name);
        if ((pattern && fnmatch(pattern, name, 0) != 0) || !is_asked_for(options, &fragment))
            continue;
        exists = true;
        if ((arch == 0 || mapping_fragment_on(&fragment, arch)) &&
            is_covered(options, arch, &fragment) && !collect(collection, &fragment))
            return mapping_fail(error, MAPPING_FAILED, "out of memory");
    }
    bool narrowed = options->type_given || options->operand;
    if (!exists)
        return mapping_fail(error, MAPPING_INVALID, "no fragment%s%.60s%s%s; --list shows all",
                            pattern ? " matches '" : "", pattern ? pattern : "", pattern ? "'" : "",
                            !narrowed ? ""
                            : pattern ? " and is of that type and operand"
                                      : " is of that type and operand");
    if (collection->count > before)
        return MAPPING_OK;
    char hint[64] = " and that the source covers";
    if (options->source_count == 0)
        snprintf(hint, sizeof hint, "; sm_%u is the first that has one",
                 first_arch(options, pattern));
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
static enum mapping_status find_one(const struct options *options, unsigned arch, const char *name,
                                    struct collection *collection, struct mapping_error *error) {
    struct mapping_fragment found[MAPPING_OPERANDS];
    size_t count = mapping_catalogue_find(name, found), taken = 0;
    if (count == 0)
        return unknown_fragment(name, error);
    for (size_t f = 0; f < count; f++) {
        if (!is_asked_for(options, &found[f]))
            continue;
        taken++;
        enum mapping_status status = check_arch(arch, name, &found[f], error);
        if (status != MAPPING_OK)
            return status;
        if (!collect(collection, &found[f]))
            return mapping_fail(error, MAPPING_FAILED, "out of memory");
    }
    if (taken == 0 && options->type_given)
        return mapping_fail(error, MAPPING_INVALID, "--type=%s contradicts %.100s",
                            mapping_type_name(options->type), name);
    if (taken == 0 && !options->operand)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.100s cannot be tiled; a, b, c and d of mma and wgmma can", name);
    if (taken == 0)
        return mapping_fail(error, MAPPING_INVALID, "%.100s has no operand %s in registers", name,
                            mapping_operand_name(options->operand));
    return MAPPING_OK;
}

/* Finds the fragments that are named. */
static enum mapping_status find_named(const struct options *options, unsigned arch,
                                      struct collection *collection, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t n = 0; n < options->name_count && status == MAPPING_OK; n++) {
        char opcode[OPCODE_SIZE];
        const char *name = without_operands(options->names[n], opcode);
        status = is_pattern(name) ? find_matching(options, arch, name, collection, error)
                                  : find_one(options, arch, name, collection, error);
    }
    return status;
}

/* The first accumulator of a type: the 16x16 one, where there is one; or the first of another
 * operand. */
static enum mapping_status find_default(const struct options *options,
                                        struct collection *collection,
                                        struct mapping_error *error) {
    struct mapping_fragment fragment;
    struct options wanted = *options;
    if (!wanted.operand)
        wanted.operand = 'd';
    if (!wanted.type_given && (wanted.operand == 'c' || wanted.operand == 'd')) {
        wanted.type_given = true;
        wanted.type = MAPPING_F32;
    }
    for (size_t index = 0; mapping_catalogue_at(index, &fragment); index++)
        if (is_asked_for(&wanted, &fragment))
            return collect(collection, &fragment)
                       ? MAPPING_OK
                       : mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (options->operand)
        return mapping_fail(error, MAPPING_INVALID,
                            "there is no operand %s of %s; --list shows the fragments that are",
                            mapping_operand_name(wanted.operand), mapping_type_name(wanted.type));
    return mapping_fail(
        error, MAPPING_INVALID,
        "there is no accumulator of %s; --list --type=%s shows the fragments that are",
        mapping_type_name(wanted.type), mapping_type_name(wanted.type));
}

/* Checks that the architecture has the fragment, and what is asked about it. */
static enum mapping_status check_fragment(const struct options *options, unsigned arch,
                                          const struct mapping_fragment *fragment,
                                          struct mapping_error *error) {
    char name[MAPPING_NAME_SIZE];
    struct mapping_fragment shown = *fragment;
    mapping_fragment_name(fragment, name);
    enum mapping_status status = check_arch(arch, name, fragment, error);
    if (status == MAPPING_OK && *options->tiling_text)
        status = mapping_tile_fragment(&options->tiling, fragment, &shown, error);
    return status == MAPPING_OK ? question_check(&options->style.question, &shown, error) : status;
}

enum mapping_status choose_fragments(const struct options *options, unsigned arch,
                                     struct mapping_fragment **fragments, size_t *count,
                                     struct mapping_error *error) {
    struct collection collection = {NULL, 0, 0};
    enum mapping_status status =
        options->all              ? find_matching(options, arch, NULL, &collection, error)
        : options->name_count > 0 ? find_named(options, arch, &collection, error)
                                  : find_default(options, &collection, error);
    for (size_t f = 0; f < collection.count && status == MAPPING_OK && arch != 0; f++)
        status = check_fragment(options, arch, &collection.fragments[f], error);
    *fragments = collection.fragments;
    *count = collection.count;
    return status;
}
