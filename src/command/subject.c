/* subject.c - what one name on the command line stands for; see subject.h. */
#include "command/subject.h"

#include "catalogue/transfer.h"
#include "command/operands.h"
#include "command/sass_name.h"
#include "command/unknown.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Instructions as they stand in programs ---- */

static bool is_of_name(char c) {
    return isalnum((unsigned char)c) || (c && strchr("._:*?", c));
}

/* Where in an instruction its opcode is; NULL if the text is none. One of tcgen05.mma, which a
 * single thread issues, has operands behind it, or the kind alone would say that it is one. */
static const char *find_opcode(const char *text) {
    const char *start = strstr(text, ".sync."), *kind = strstr(text, ".kind::");
    return start ? start : kind ? kind : strchr(text, '[') ? strstr(text, "tcgen05.") : NULL;
}

/* Cuts the opcode out of an instruction with operands and all that is around it, and returns what
 * follows it; any other name stays as it is, if it is not too long, and NULL is returned. */
static const char *cut_opcode(const char *text, char name[SUBJECT_SIZE]) {
    const char *start = find_opcode(text), *end = start;
    while (start && start > text && is_of_name(start[-1]))
        start--;
    while (end && is_of_name(*end))
        end++;
    bool is_cut = start && end - start < SUBJECT_SIZE;
    snprintf(name, SUBJECT_SIZE, "%.*s", is_cut ? (int)(end - start) : SUBJECT_SIZE - 1,
             is_cut ? start : text);
    return is_cut ? end : NULL;
}

enum mapping_status subject_registers(const struct subject *subject,
                                      const struct mapping_fragment *fragment,
                                      struct strings *names, struct mapping_error *error) {
    if (!subject->operands || subject->is_part)
        return MAPPING_OK;
    if (!subject->is_sass)
        return operands_ptx(subject->operands, subject->name, fragment, names, error);
    operands_sass(subject->operands, subject->name, fragment, names);
    return MAPPING_OK;
}

/* Checks the lists of registers behind an opcode, as far as there are any. */
static enum mapping_status check_lists(const struct subject *subject, struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    for (size_t f = 0; f < subject->count && status == MAPPING_OK; f++) {
        struct strings names = {.count = 0};
        status = subject_registers(subject, &subject->found[f], &names, error);
    }
    return status;
}

enum mapping_status subject_check_split(const char *operands, const struct mapping_fragment *move,
                                        struct mapping_error *error) {
    const char *number = strchr(operands, ']');
    if (!number || !mapping_transfer_is_split(move))
        return MAPPING_OK;
    number += 1 + strspn(number + 1, " \t\n");
    number += *number == ',';
    number += strspn(number, " \t\n");
    const unsigned shown = move->columns / 2;
    if (!isdigit((unsigned char)*number) || strtoul(number, NULL, 0) == shown)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "immHalfSplitoff is %lu, but only %u is supported: the columns of "
                        "threads 16 to 31 must start where those of threads 0 to 15 end",
                        strtoul(number, NULL, 0), shown);
}

/* ---- All of them ---- */

/* Whether a name stands for many: not a C++ type, or a line with a comment. */
static bool is_pattern(const char *name) {
    return strpbrk(name, "*?") && !strchr(name, '<') && !strstr(name, "/*");
}

/* True if the fragment is one of those that a pattern or a name with words left out stands for. */
static bool subject_fits(const struct subject *subject, const struct mapping_fragment *fragment) {
    char name[MAPPING_NAME_SIZE];
    if (subject->kind == SUBJECT_PARTIAL)
        return mapping_partial_fits(&subject->partial, fragment);
    mapping_fragment_name(fragment, name);
    return fnmatch(subject->name, name, 0) == 0;
}

/* True if the name begins as the pattern does, up to what stands for anything, and as far as the
 * name of the instruction goes. */
static bool begins_alike(const char *pattern, const struct mapping_fragment *fragment) {
    const char *instruction = mapping_instruction_name(fragment->instruction);
    size_t fixed = strcspn(pattern, "*?["), length = strlen(instruction);
    return strncmp(pattern, instruction, fixed < length ? fixed : length) == 0;
}

bool subject_next(const struct subject *subject, const struct mapping_fragment *listed,
                  size_t *position, struct mapping_fragment *found) {
    const struct mapping_widths *widths = listed->widths;
    const size_t others = widths && listed->shape.n > 0 ? widths->count : 0;
    *found = *listed;
    if (*position == 0 && subject_fits(subject, listed)) {
        *position = others + 1; /* the one that is listed stands for all */
        if (subject->kind == SUBJECT_PARTIAL)
            mapping_partial_narrow(&subject->partial, found);
        return true;
    }
    if (subject->kind == SUBJECT_PARTIAL || !begins_alike(subject->name, listed))
        return false;
    while (*position < others) {
        const struct mapping_partial narrow = {.shape.n = widths->n[(*position)++]};
        mapping_partial_narrow(&narrow, found);
        if (subject_fits(subject, found))
            return true;
    }
    return false;
}

/* True if there is a fragment that it stands for. */
static bool fits_any(const struct subject *subject) {
    struct mapping_fragment fragment, found;
    for (struct mapping_cursor at = {0}; mapping_catalogue_next(&at, &fragment);)
        for (size_t position = 0; subject_next(subject, &fragment, &position, &found);)
            return true;
    return false;
}

/* Reads what is named, which has been found. */
static enum mapping_status read_named(struct subject *subject, struct mapping_error *error) {
    struct mapping_opcode opcode;
    char text[MAPPING_OPCODE_SIZE];
    bool is_a_shared;
    subject->is_translated = mapping_atom_read(subject->name, text, &is_a_shared);
    if (mapping_opcode_find(subject->is_translated ? text : subject->name, &opcode))
        strings_add(&subject->opcodes, opcode.text);
    if (!subject->operands)
        return MAPPING_OK;
    enum mapping_status status = subject_check_split(subject->operands, &subject->found[0], error);
    return status == MAPPING_OK ? check_lists(subject, error) : status;
}

/* Fails if an opcode of SASS stands for one of tcgen05.mma. */
static enum mapping_status check_shaped(const char *sass, struct mapping_error *error) {
    struct strings opcodes = {.count = 0};
    struct mapping_opcode opcode;
    struct mapping_fragment fragments[MAPPING_FOUND_MAX];
    bool is_part;
    sass_name_opcodes(sass, 0, &opcodes, &is_part);
    bool is_unshaped = opcodes.count > 0 && mapping_opcode_find(opcodes.text[0], &opcode) &&
                       mapping_opcode_fragments(&opcode, fragments) == 0;
    return is_unshaped ? unshaped_opcode(sass, &opcode, 0, error) : MAPPING_OK;
}

/* True if the text is a line of SASS but for its case; writes the opcode. */
static bool is_in_lower_case(const char *text, char opcode[SASS_NAME_SIZE]) {
    char upper[SUBJECT_SIZE];
    const char *operands;
    struct mapping_error ignored;
    uint32_t archs;
    size_t length = 0;
    for (; text[length] && length + 1 < sizeof upper; length++)
        upper[length] = (char)toupper((unsigned char)text[length]);
    upper[length] = '\0';
    return sass_name_read(upper, opcode, &operands) &&
           sass_name_check(opcode, operands_count(operands), &archs, &ignored) == MAPPING_OK;
}

/* Reads a line of SASS, or says that the name stands for nothing. */
static enum mapping_status read_sass(const char *text, unsigned arch, struct subject *subject,
                                     struct mapping_error *error) {
    char opcode[SASS_NAME_SIZE], ptx[MAPPING_OPCODE_SIZE];
    const char *operands;
    if (!sass_name_read(text, opcode, &operands))
        return is_in_lower_case(text, opcode)
                   ? mapping_fail(error, MAPPING_INVALID,
                                  "unknown fragment '%.100s'; SASS is in upper case: %s", text,
                                  opcode)
                   : unknown_fragment(subject->name, arch, error);
    subject->is_translated = subject->is_sass = true;
    subject->operands = operands;
    snprintf(subject->name, sizeof subject->name, "%s", opcode);
    if (sass_name_copy(opcode, ptx)) {
        subject->kind = SUBJECT_NAMED;
        subject->count = mapping_catalogue_find(ptx, subject->found);
        strings_add(&subject->opcodes, ptx);
        return MAPPING_OK;
    }
    subject->kind = SUBJECT_SASS;
    enum mapping_status status =
        sass_name_check(opcode, operands_count(operands), &subject->archs, error);
    return status == MAPPING_OK ? check_shaped(opcode, error) : status;
}

enum mapping_status subject_read(const char *text, unsigned arch, struct subject *subject,
                                 struct mapping_error *error) {
    *subject = (struct subject){.text = text, .kind = SUBJECT_PATTERN};
    subject->operands = cut_opcode(text, subject->name);
    if (is_pattern(subject->name))
        return MAPPING_OK;
    subject->kind = SUBJECT_NAMED;
    subject->count = mapping_catalogue_find(subject->name, subject->found);
    if (subject->count > 0)
        return read_named(subject, error);
    subject->kind = SUBJECT_PARTIAL;
    if (mapping_partial_read(subject->name, &subject->partial) && fits_any(subject))
        return MAPPING_OK;
    return read_sass(text, arch, subject, error);
}
