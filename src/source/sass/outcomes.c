/* outcomes.c - what all opcodes become on all architectures, as a table; see outcomes.h. */
#include "source/sass/outcomes.h"

#include "source/assembled.h"
#include "system/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table ---- */

static bool add_opcode(struct outcomes *outcomes, size_t *room,
                       const struct mapping_opcode *opcode) {
    struct mapping_opcode *grown =
        array_grow(outcomes->opcodes, outcomes->count, 1, room, sizeof *grown);
    if (!grown)
        return false;
    outcomes->opcodes = grown;
    outcomes->opcodes[outcomes->count++] = *opcode;
    return true;
}

/* Makes of mma.sp the same with ordered metadata, which is of PTX 8.5. False if it is another
 * opcode, or has that already. */
static bool order_metadata(const struct mapping_opcode *opcode, struct mapping_opcode *ordered) {
    static const char plain[] = "mma.sp.";
    if (strncmp(opcode->text, plain, sizeof plain - 1) != 0)
        return false;
    *ordered = *opcode;
    int length = snprintf(ordered->text, sizeof ordered->text, "mma.sp::ordered_metadata.%s",
                          opcode->text + sizeof plain - 1);
    if (ordered->ptx < 85)
        ordered->ptx = 85;
    return length < (int)sizeof ordered->text;
}

enum mapping_status outcomes_init(struct outcomes *outcomes, struct mapping_error *error) {
    struct mapping_opcode opcode, ordered;
    size_t room = 0;
    bool done = true;
    *outcomes = (struct outcomes){.count = 0};
    for (size_t index = 0; done && mapping_opcode_at(index, &opcode); index++)
        done = add_opcode(outcomes, &room, &opcode) &&
               (!order_metadata(&opcode, &ordered) || add_opcode(outcomes, &room, &ordered));
    if (done)
        outcomes->outcome = calloc(outcomes->count * MAPPING_ARCHS_MAX, sizeof *outcomes->outcome);
    return outcomes->outcome ? MAPPING_OK : mapping_out_of_memory(error);
}

void outcomes_free(struct outcomes *outcomes) {
    for (size_t n = 0; outcomes->outcome && n < outcomes->count * MAPPING_ARCHS_MAX; n++)
        free(outcomes->outcome[n].sass);
    free(outcomes->outcome);
    free(outcomes->opcodes);
    *outcomes = (struct outcomes){.count = 0};
}

struct outcome *outcomes_at(const struct outcomes *outcomes, size_t opcode, size_t arch) {
    return &outcomes->outcome[opcode * MAPPING_ARCHS_MAX + arch];
}

/* The one opcode of PTX 9.4, ldmatrix of s8.s4, is left out: where its code is, nvdisasm 13.5
 * prints nothing at all. */
bool outcomes_has(const struct mapping_opcode *opcode, unsigned arch) {
    return mapping_opcode_on(opcode, arch) && opcode->ptx < 94;
}

size_t outcomes_on(const struct outcomes *outcomes, unsigned arch) {
    size_t count = 0;
    for (size_t n = 0; n < outcomes->count; n++)
        count += outcomes_has(&outcomes->opcodes[n], arch);
    return count;
}

/* ---- Printing ---- */

static const char title[] = "# What every opcode becomes when ptxas assembles it: `make sass`\n";
static const char explanation[] =
    "# opcode on architectures: instructions of tensor cores and those that move matrices, in "
    "order; how many instructions in all\n";

static void print_archs(struct printer *to, uint32_t archs) {
    const char *separator = "";
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        if (!(archs >> n & 1))
            continue;
        print(to, "%ssm_%u", separator, mapping_arch_at(n)->number);
        separator = ", ";
    }
}

static bool same_versions(const struct tool_versions *a, const struct tool_versions *b) {
    return strcmp(a->ptxas, b->ptxas) == 0 && strcmp(a->nvdisasm, b->nvdisasm) == 0;
}

/* Prints a line for each toolkit, with all architectures that are measured with it. */
static void print_sources(const struct outcomes *outcomes, struct printer *to) {
    uint32_t printed = 0;
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        const struct tool_versions *versions = &outcomes->versions[n];
        uint32_t archs = 0;
        if (!*versions->ptxas || printed >> n & 1)
            continue;
        for (uint32_t other = n; mapping_arch_at(other); other++)
            if (same_versions(versions, &outcomes->versions[other]))
                archs |= UINT32_C(1) << other;
        print(to, "# source: ptxas %s, nvdisasm %s: ", versions->ptxas, versions->nvdisasm);
        print_archs(to, archs);
        print_char(to, '\n');
        printed |= archs;
    }
}

void outcome_print(const struct outcome *outcome, struct printer *to) {
    print(to, "%s; %u instruction%s", outcome->sass, outcome->instructions,
          outcome->instructions == 1 ? "" : "s");
}

static bool same_outcome(const struct outcome *a, const struct outcome *b) {
    return a->sass && b->sass && a->instructions == b->instructions &&
           strcmp(a->sass, b->sass) == 0;
}

/* Prints a line for each outcome of an opcode, with all architectures that have it. */
static void print_opcode(const struct outcomes *outcomes, size_t opcode, struct printer *to) {
    uint32_t printed = 0;
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        const struct outcome *outcome = outcomes_at(outcomes, opcode, n);
        uint32_t archs = 0;
        if (!outcome->sass || printed >> n & 1)
            continue;
        for (uint32_t other = n; mapping_arch_at(other); other++)
            if (same_outcome(outcome, outcomes_at(outcomes, opcode, other)))
                archs |= UINT32_C(1) << other;
        print(to, "%s on ", outcomes->opcodes[opcode].text);
        print_archs(to, archs);
        print_text(to, ": ");
        outcome_print(outcome, to);
        print_char(to, '\n');
        printed |= archs;
    }
}

void outcomes_print(const struct outcomes *outcomes, struct printer *to) {
    print_text(to, title);
    print_text(to, explanation);
    print_sources(outcomes, to);
    for (size_t n = 0; n < outcomes->count; n++)
        print_opcode(outcomes, n, to);
}

/* ---- Reading ---- */

bool outcomes_begin(const char *text) {
    return strncmp(text, title, sizeof title - 1) == 0;
}

/* Where in a file the reader is. */
struct reader {
    const char *line;
    unsigned number;
    struct outcomes *outcomes;
    struct mapping_error *error;
};

static void next_line(struct reader *reader) {
    reader->line += strcspn(reader->line, "\n");
    reader->line += *reader->line == '\n';
    reader->number++;
}

static enum mapping_status malformed(const struct reader *reader, const char *expected) {
    return mapping_fail(reader->error, MAPPING_INVALID, "line %u: expected %s", reader->number,
                        expected);
}

/* Takes over the versions of "# source: ptxas 13.5.37, nvdisasm 13.5.37: sm_75, sm_80". False if
 * the line is not that. */
static bool read_source(struct reader *reader) {
    struct tool_versions versions;
    struct assembled row;
    char made_up[512];
    int length = 0;
    if (sscanf(reader->line, "# source: ptxas %31[0-9.], nvdisasm %31[0-9.]: %n", versions.ptxas,
               versions.nvdisasm, &length) != 2 ||
        length == 0)
        return false;
    /* The architectures are written as those of a row. */
    snprintf(made_up, sizeof made_up, "x on %.*s: none; 1 instruction\n",
             (int)strcspn(reader->line + length, "\n"), reader->line + length);
    if (!assembled_parse(made_up, &row))
        return false;
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        if (!(row.archs >> n & 1))
            continue;
        if (*reader->outcomes->versions[n].ptxas)
            return false;
        reader->outcomes->versions[n] = versions;
    }
    return true;
}

/* Reads all lines up to the first row. */
static enum mapping_status read_head(struct reader *reader) {
    if (!outcomes_begin(reader->line))
        return malformed(reader, "'# What every opcode becomes ...'");
    next_line(reader);
    for (bool is_first = true; *reader->line == '#'; next_line(reader)) {
        bool is_source = strncmp(reader->line, "# source", 8) == 0;
        if ((is_source || !is_first) && !read_source(reader))
            return malformed(reader, "'# source: ptxas VERSION, nvdisasm VERSION: sm_NN, ...' with "
                                     "architectures that no other line has");
        is_first = false;
    }
    return MAPPING_OK;
}

/* Notes what a row says of an opcode. */
static enum mapping_status note(struct reader *reader, size_t opcode, const struct assembled *row) {
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        struct outcome *outcome = outcomes_at(reader->outcomes, opcode, n);
        if (!(row->archs >> n & 1))
            continue;
        if (outcome->sass || !*reader->outcomes->versions[n].ptxas ||
            !outcomes_has(&reader->outcomes->opcodes[opcode], mapping_arch_at(n)->number))
            return malformed(reader, "architectures that have the opcode, that a source is named "
                                     "for, and each once");
        outcome->instructions = row->instructions;
        if (!(outcome->sass = strdup(row->sass)))
            return mapping_out_of_memory(reader->error);
    }
    return MAPPING_OK;
}

/* Fails unless all that the head promises is known of the opcode. */
static enum mapping_status check_whole(const struct reader *reader, size_t opcode) {
    const struct mapping_opcode *wanted = &reader->outcomes->opcodes[opcode];
    for (uint32_t n = 0; mapping_arch_at(n); n++) {
        unsigned arch = mapping_arch_at(n)->number;
        if (*reader->outcomes->versions[n].ptxas && outcomes_has(wanted, arch) &&
            !outcomes_at(reader->outcomes, opcode, n)->sass)
            return mapping_fail(reader->error, MAPPING_INVALID, "line %u: expected %s on sm_%u",
                                reader->number, wanted->text, arch);
    }
    return MAPPING_OK;
}

enum mapping_status outcomes_read(const char *text, struct outcomes *outcomes,
                                  struct mapping_error *error) {
    struct reader reader = {text, 1, outcomes, error};
    struct assembled row;
    enum mapping_status status = read_head(&reader);
    for (size_t opcode = 0; opcode < outcomes->count && status == MAPPING_OK; opcode++) {
        const char *wanted = outcomes->opcodes[opcode].text;
        size_t length = strlen(wanted);
        for (; status == MAPPING_OK && strncmp(reader.line, wanted, length) == 0 &&
               reader.line[length] == ' ';
             next_line(&reader))
            status =
                assembled_parse(reader.line, &row)
                    ? note(&reader, opcode, &row)
                    : malformed(&reader, "'OPCODE on sm_NN, ...: 2 NAME, ...; 3 instructions'");
        if (status == MAPPING_OK)
            status = check_whole(&reader, opcode);
    }
    if (status == MAPPING_OK && *reader.line)
        status = malformed(&reader, "no other line");
    return status;
}
