/* embed.c - run when the program is built: prints assembly that embeds results files, each ended by
 * '\0', with an index of their sections; see recorded.h.
 *
 *     embed results/short.txt results/sass.txt results/shared.txt results/published.txt \
 *         results/emulated.txt results/sm_70.txt ...
 *
 * The first five have no sections of fragments: they are what proofs.h, assembled.h, witness.h,
 * published.h and, of the last, assembled.h say. */
#include "report/assembled.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Among the arguments. */
enum { ASSEMBLED = 2, FIRST_WITH_SECTIONS = 6 };

struct section {
    char name[64];
    unsigned file, arch;
    unsigned long offset;
    size_t source; /* number of what it rests on */
};

static struct section *sections;
static size_t section_count, section_room;

/* What sections rest on, each once; the first is for those that do not say it. */
static char *sources[1024] = {""};
static size_t source_count = 1;

static void fail(const char *path, const char *what) {
    fprintf(stderr, "embed: %s: %s\n", path, what);
    exit(1);
}

static void add(const struct section *section, const char *path) {
    if (section_count == section_room) {
        section_room = section_room ? 2 * section_room : 1024;
        sections = realloc(sections, section_room * sizeof *sections);
        if (!sections)
            fail(path, "out of memory");
    }
    sections[section_count++] = *section;
}

/* ---- What opcodes become ---- */

/* All fragments in the order of the catalogue, and on which architectures opcodes that have them
 * are native, or emulated. */
static struct {
    struct mapping_fragment fragment;
    uint32_t native, emulated;
} fragments[4096];
static size_t fragment_count;

static void note_row(const struct assembled *row) {
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    size_t count = mapping_catalogue_find(row->opcode, found);
    for (size_t f = 0; f < count; f++)
        for (size_t n = 0; n < fragment_count; n++) {
            if (!mapping_fragment_equal(&fragments[n].fragment, &found[f]))
                continue;
            if (assembled_is_native(row))
                fragments[n].native |= row->archs;
            else
                fragments[n].emulated |= row->archs;
            break;
        }
}

/* Notes all rows of results/sass.txt. */
static void read_assembled(const char *path) {
    static char line[4096];
    struct assembled row;
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path, "cannot be opened");
    while (fragment_count < sizeof fragments / sizeof *fragments &&
           mapping_catalogue_at(fragment_count, &fragments[fragment_count].fragment))
        fragment_count++;
    while (fgets(line, sizeof line, file))
        if (assembled_parse(line, &row))
            note_row(&row);
        else if (*line != '#')
            fail(path, "has a line that is no row");
    fclose(file);
}

static void print_archs(void) {
    printf("    .balign 4\n    .global recorded_archs\nrecorded_archs:\n");
    for (size_t n = 0; n < fragment_count; n++)
        printf("    .long %u, %u\n", fragments[n].native, fragments[n].emulated);
}

/* ---- Sections ---- */

/* Notes what a section rests on, if that is what the line says. Returns its number. */
static size_t note_source(const char *line, const char *path) {
    static const char label[] = "# source: ";
    if (strncmp(line, label, sizeof label - 1) != 0)
        return 0;
    char *source = strdup(line + sizeof label - 1);
    if (!source || source_count == sizeof sources / sizeof *sources)
        fail(path, "has too many sources");
    source[strcspn(source, "\n")] = '\0';
    for (size_t s = 1; s < source_count; s++)
        if (strcmp(sources[s], source) == 0) {
            free(source);
            return s;
        }
    sources[source_count] = source;
    return source_count++;
}

/* Notes the sections of a file: each starts with a line "# FRAGMENT on sm_NN", and then says what
 * it rests on. */
static void read_file(const char *path, unsigned number) {
    static char line[4096];
    bool is_behind_name = false;
    FILE *file = fopen(path, "r");
    if (!file)
        fail(path, "cannot be opened");
    for (unsigned long offset = 0; fgets(line, sizeof line, file); offset += strlen(line)) {
        struct section section = {.file = number, .offset = offset};
        int end = 0;
        if (is_behind_name)
            sections[section_count - 1].source = note_source(line, path);
        is_behind_name = false;
        /* NOLINTNEXTLINE(cert-err34-c): three digits are a number */
        if (sscanf(line, "# %63s on sm_%3u%n", section.name, &section.arch, &end) == 2 &&
            strcmp(line + end, "\n") == 0) {
            add(&section, path);
            is_behind_name = true;
        }
    }
    fclose(file);
}

static int by_name(const void *a, const void *b) {
    const struct section *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->arch > y->arch) - (x->arch < y->arch);
}

/* The name of a file without folder and ".txt". */
static void print_name(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    printf("%.*s", (int)(length > 4 ? length - 4 : length), name);
}

/* Prints what sections rest on. Returns where each starts. */
static size_t *print_sources(void) {
    size_t *starts = calloc(source_count, sizeof *starts), start = 0;
    if (!starts)
        fail("recorded_sources", "out of memory");
    printf("    .global recorded_sources\nrecorded_sources:\n");
    for (size_t s = 0; s < source_count; s++) {
        printf("    .asciz \"");
        for (const char *c = sources[s]; *c; c++)
            printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        printf("\"\n");
        starts[s] = start;
        start += strlen(sources[s]) + 1;
    }
    return starts;
}

/* Prints the names of all fragments, each once, and the index. */
static void print_index(void) {
    size_t name = 0, *starts = print_sources();
    printf("    .global recorded_names\nrecorded_names:\n");
    for (size_t s = 0; s < section_count; s++)
        if (s == 0 || strcmp(sections[s].name, sections[s - 1].name) != 0)
            printf("    .asciz \"%s\"\n", sections[s].name);
    printf("    .balign 4\n    .global recorded_index_count\nrecorded_index_count: .long %zu\n"
           "    .global recorded_index\nrecorded_index:\n",
           section_count);
    for (size_t s = 0; s < section_count; s++) {
        if (s > 0 && strcmp(sections[s].name, sections[s - 1].name) != 0)
            name += strlen(sections[s - 1].name) + 1;
        printf("    .short %u, %u\n    .long %lu, %zu, %zu\n", sections[s].file, sections[s].arch,
               sections[s].offset, name, starts[sections[s].source]);
    }
    free(starts);
}

int main(int argc, char **argv) {
    printf("    .section .rodata\n");
    static const char *const whole[] = {"recorded_proofs", "recorded_assembled", "recorded_shared",
                                        "recorded_published", "recorded_emulated"};
    for (int f = 1; f < argc && f < FIRST_WITH_SECTIONS; f++)
        printf("    .global %s\n%s: .incbin \"%s\"\n    .byte 0\n", whole[f - 1], whole[f - 1],
               argv[f]);
    for (int f = FIRST_WITH_SECTIONS; f < argc; f++) {
        read_file(argv[f], (unsigned)(f - FIRST_WITH_SECTIONS));
        printf("name_%d: .asciz \"", f);
        print_name(argv[f]);
        printf("\"\ntext_%d: .incbin \"%s\"\n    .byte 0\n", f, argv[f]);
    }
    if (section_count > 0)
        qsort(sections, section_count, sizeof *sections, by_name);
    print_index();
    if (argc > ASSEMBLED)
        read_assembled(argv[ASSEMBLED]);
    print_archs();
    printf("    .section .data.rel.ro, \"aw\"\n    .balign 8\n    .global recorded_files\n"
           "recorded_files:\n");
    for (int f = FIRST_WITH_SECTIONS; f < argc; f++)
        printf("    .quad name_%d, text_%d\n", f, f);
    printf("    .quad 0, 0\n    .section .note.GNU-stack, \"\", %%progbits\n");
    free(sections);
    return 0;
}
