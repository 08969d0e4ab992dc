/* embed.c - run when the program is built: prints assembly with the records of results/ in the
 * compact form of source/recorded.h, and with the architectures that have each fragment natively.
 *
 *     embed [--new] results/sass.txt results/published.txt results/wmma.txt results/mma.txt ...
 *
 * The build stops if a family lacks a member, if the formulae and the grids of a record differ, or
 * if an architecture has no records. With --new, an architecture may have no records:
 * `make results` needs the program to make them. */
#include "catalogue/family.h"
#include "output/results.h"
#include "report/braces.h"
#include "report/codegen.h"
#include "source/recorded.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *path, const char *what) {
    fprintf(stderr, "embed: %s: %s\n", path, what);
    exit(1);
}

/* ---- Families ---- */

/* The first member that every family needs and this one lacks; or NULL. */
static const char *missing_member(const struct family *family, size_t index) {
    if (family->instruction != (enum mapping_instruction)index)
        return "instruction";
    if (!family->name || family->shape_style == 0)
        return family->name ? "shape_style" : "name";
    if (family->threads == 0 && family->place != MAPPING_IN_TENSOR_MEMORY)
        return "threads";
    if (family->group_count == 0 || family->form_count == 0)
        return family->group_count == 0 ? "groups" : "forms";
    for (const struct opcode_form *form = family->forms; form < family->forms + family->form_count;
         form++) {
        if (!form->start && (!form->mnemonic || form->row_count > 0))
            return "forms[].start";
        if (!form->words)
            return "forms[].words";
    }
    return NULL;
}

static void check_families(void) {
#define OBJECT(constant, object) #object,
    static const char *const objects[] = {MAPPING_FAMILIES(OBJECT)};
    for (size_t n = 0; n < MAPPING_INSTRUCTIONS; n++) {
        const char *missing = missing_member(mapping_family((enum mapping_instruction)n), n);
        char what[64];
        if (!missing)
            continue;
        snprintf(what, sizeof what, ".%s is missing or wrong", missing);
        fail(objects[n], what);
    }
}

/* ---- Strings, each stored once ---- */

static struct printer strings;

/* The offset of a text with `size` bytes and its '\0' in the strings. */
static uint32_t place(const char *text, size_t size) {
    for (size_t at = 0; at + size <= strings.size; at += strlen(strings.text + at) + 1)
        if (memcmp(strings.text + at, text, size) == 0)
            return (uint32_t)at;
    memcpy(printer_room(&strings, size), text, size);
    strings.size += size;
    return (uint32_t)(strings.size - size);
}

static void print_pool(void) {
    printf("    .global recorded_strings\nrecorded_strings:\n");
    for (const char *text = strings.text; text < strings.text + strings.size;
         text += strlen(text) + 1)
        printf("    .asciz \"%s\"\n", text); /* provenance_parse accepts no quotes and
                                                backslashes */
}

/* ---- Records ---- */

static struct recorded_entry *entries;
static size_t entry_count, entry_room;

/* Adds an entry of a record, whose formulae are at an offset of the strings. If another entry has
 * the same evidence, adds the architectures to it. */
static void add_entry(const struct record_entry *entry, uint32_t formulae, bool is_published) {
    const uint32_t arch = mapping_arch_bit(entry->arch);
    const struct recorded_entry added = {
        .name = place(entry->name, strlen(entry->name) + 1),
        .archs = arch,
        .evidence = place(entry->evidence, strlen(entry->evidence) + 1),
        .formulae = formulae,
        .is_published = is_published,
    };
    for (size_t n = entry_count; n-- > 0 && entries[n].name == added.name;)
        if (entries[n].evidence == added.evidence && entries[n].formulae == formulae) {
            entries[n].archs |= arch;
            return;
        }
    entries = array_grow(entries, entry_count, 1, &entry_room, sizeof *entries);
    entries[entry_count++] = added;
}

/* Adds the entries of a record. The text has one formula for each axis. */
static void add_record(const struct record *record, bool is_published) {
    struct mapping_space from, to;
    struct mapping_error error;
    struct printer text = {.text = NULL};
    if (record_spaces(&record->entries[0], &from, &to, &error) != MAPPING_OK)
        fail(record->entries[0].name, error.message);
    for (uint32_t c = 0; c < to.count; c++) {
        static char formula[1 << 16];
        mapping_formula_print(&record->formulae[c], &from, formula, sizeof formula);
        print_text(&text, formula);
        print_char(&text, '\0');
    }
    printer_string(&text);
    const uint32_t formulae = place(text.text, text.size);
    for (size_t n = 0; n < record->count; n++)
        add_entry(&record->entries[n], formulae, is_published);
}

static void read_records(const char *path) {
    struct printer content = {.text = NULL};
    struct records records = {.count = 0};
    struct mapping_error error;
    const char *name = strrchr(path, '/');
    const bool is_published = strcmp(name ? name + 1 : path, "published.txt") == 0;
    enum mapping_status status = file_read(path, "results file", &content, &error);
    if (status == MAPPING_OK)
        status = records_read(content.text, &records, &error);
    for (size_t r = 0; status == MAPPING_OK && r < records.count; r++) {
        status = record_check(&records.record[r], &error);
        if (status == MAPPING_OK)
            add_record(&records.record[r], is_published);
    }
    if (status != MAPPING_OK)
        fail(path, error.message);
}

static int by_name(const void *a, const void *b) {
    const struct recorded_entry *one = a, *other = b;
    const int order = strcmp(strings.text + one->name, strings.text + other->name);
    return order ? order : __builtin_ctz(one->archs) - __builtin_ctz(other->archs);
}

static void print_entries(bool is_new_allowed) {
    uint32_t archs = 0;
    if (entry_count > 0)
        qsort(entries, entry_count, sizeof *entries, by_name);
    printf("    .balign 4\n    .global recorded_count\nrecorded_count: .long %zu\n"
           "    .global recorded_entries\nrecorded_entries:\n",
           entry_count);
    for (size_t n = 0; n < entry_count; n++) {
        const struct recorded_entry *entry = &entries[n];
        archs |= entry->archs;
        printf("    .long %u, %u, %u, %u\n    .byte %d\n    .balign 4\n", entry->name, entry->archs,
               entry->evidence, entry->formulae, entry->is_published);
    }
    for (size_t a = 0; mapping_arch_at(a) && !is_new_allowed; a++)
        if (!(archs >> a & 1)) {
            char what[160];
            snprintf(what, sizeof what,
                     "has no records of sm_%u; make them: make results FILES=results/wmma.txt "
                     "NEW=\"--arch=sm_%u 'wmma.*'\" TOOLKITS=DIR",
                     mapping_arch_at(a)->number, mapping_arch_at(a)->number);
            fail("results", what);
        }
}

/* ---- The SASS of opcodes ---- */

/* All fragments in the order of the catalogue, with the architectures where opcodes that have them
 * are native, or emulated. */
static struct counted {
    struct mapping_fragment fragment;
    uint32_t native, emulated;
} * fragments;
static size_t fragment_count, fragment_room;

static void note_fragment(const struct codegen *row, size_t n) {
    if (codegen_is_native(row))
        fragments[n].native |= row->archs;
    else
        fragments[n].emulated |= row->archs;
}

static bool is_integer(enum mapping_type type) {
    return type == MAPPING_S8 || type == MAPPING_U8 || type == MAPPING_S32;
}

/* Records the kind of an opcode of tcgen05.mma, which has no M and N. K and integer types
 * distinguish the kinds: with K = 32 there are f8f6f4, mxf8f6f4 and i8. */
static void note_kind(const struct codegen *row) {
    struct mapping_opcode opcode;
    if (!mapping_opcode_find(row->opcode, &opcode))
        fail(row->opcode, "is no opcode");
    for (size_t n = 0; n < fragment_count; n++) {
        const struct mapping_fragment *fragment = &fragments[n].fragment;
        if (fragment->instruction == opcode.instruction && fragment->shape.k == opcode.shape.k &&
            is_integer(fragment->type) == is_integer(opcode.a))
            note_fragment(row, n);
    }
}

static void note_row(const struct codegen *row) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    size_t count = mapping_catalogue_find(row->opcode, found);
    for (size_t f = 0; f < count; f++)
        note_fragment(row, mapping_fragment_index(&found[f]));
    if (count == 0)
        note_kind(row);
}

/* The lines of results/sass.txt for single opcodes. */
static struct strings lines;

/* Adds a line. Numbers in braces give a line for each number, which replaces all braces. */
static void add_line(const char *path, const char *text) {
    const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL;
    struct strings numbers = {NULL, 0, 0};
    struct mapping_error error;
    struct codegen row;
    if (!close) {
        if (!codegen_parse(text, &row)) {
            struct printer what = {.text = NULL};
            print(&what, "cannot read this line, or its SASS instruction is unknown: %.*s",
                  (int)strcspn(text, "\n"), text);
            fail(path, printer_string(&what));
        }
        note_row(&row);
        strings_add(&lines, text);
        return;
    }
    /* a list may contain a range in braces */
    for (const char *next = close; next && (close[1] == '}' || close[1] == ','); close = next)
        if (!(next = strchr(close + 1, '}')))
            break;
    const size_t size = (size_t)(close + 1 - open);
    if (braces_read(open, size, &numbers, &error) != MAPPING_OK)
        fail(path, error.message);
    for (size_t n = 0; n < numbers.count; n++) {
        struct printer one = {.text = NULL};
        for (const char *next = text; *next; next++) {
            const bool is_list = strncmp(next, open, size) == 0;
            print(&one, is_list ? "%s" : "%.1s", is_list ? numbers.text[n] : next);
            next += is_list ? size - 1 : 0;
        }
        add_line(path, printer_string(&one));
    }
}

/* Prints the lines of an opcode, and returns their number. */
static size_t print_lines(const char *opcode) {
    const size_t length = strlen(opcode);
    size_t count = 0;
    for (size_t n = 0; n < lines.count; n++)
        if (strncmp(lines.text[n], opcode, length) == 0 && lines.text[n][length] == ' ') {
            printf("    .ascii \"%.*s\\n\"\n", (int)strcspn(lines.text[n], "\n"), lines.text[n]);
            count++;
        }
    return count;
}

/* Prints the lines of all opcodes. Each mma.sp::ordered_metadata follows the same mma.sp. */
static void print_all_lines(const char *path) {
    struct mapping_opcode opcode;
    size_t count = 0;
    for (size_t index = 0; mapping_opcode_at(index, &opcode); index++) {
        char ordered[2 * MAPPING_OPCODE_SIZE];
        count += print_lines(opcode.text);
        if (strncmp(opcode.text, "mma.sp.", 7) != 0)
            continue;
        snprintf(ordered, sizeof ordered, "mma.sp::ordered_metadata.%s", opcode.text + 7);
        count += print_lines(ordered);
    }
    if (count != lines.count)
        fail(path, "spells an opcode in another way");
}

/* Reads all rows of results/sass.txt, and prints them in the order of the catalogue. */
static void read_codegen(const char *path) {
    static char text[1 << 14];
    struct mapping_cursor at = {0};
    struct mapping_fragment fragment;
    while (mapping_catalogue_next(&at, &fragment)) {
        fragments = array_grow(fragments, fragment_count, 1, &fragment_room, sizeof *fragments);
        fragments[fragment_count++] = (struct counted){.fragment = fragment};
    }
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path, "cannot be opened");
    printf("    .global recorded_codegen\nrecorded_codegen:\n");
    while (fgets(text, sizeof text, file))
        if (*text != '#')
            add_line(path, text);
        else
            printf("    .ascii \"%.*s\\n\"\n", (int)strcspn(text, "\n"), text);
    fclose(file);
    print_all_lines(path);
    printf("    .byte 0\n    .balign 4\n    .global recorded_archs\nrecorded_archs:\n");
    for (size_t n = 0; n < fragment_count; n++)
        printf("    .long %u, %u\n", fragments[n].native, fragments[n].emulated);
}

int main(int argc, char **argv) {
    const bool is_new_allowed = argc > 1 && strcmp(argv[1], "--new") == 0;
    char **file = argv + 1 + is_new_allowed;
    if (argc < 3 + is_new_allowed) {
        fputs("usage: embed [--new] results/sass.txt RECORDS...\n", stderr);
        return 2;
    }
    check_families();
    printf("    .section .rodata\n");
    read_codegen(*file++);
    for (; *file; file++)
        read_records(*file);
    print_entries(is_new_allowed);
    print_pool();
    printf("    .section .note.GNU-stack, \"\", %%progbits\n");
    return 0;
}
