/* check.c - deriving results files again, and comparing; see check.h. */
#include "check.h"

#include "memory.h"
#include "recorded.h"
#include "results.h"
#include "show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

/* Larger than any results file, in bytes. */
enum { FILE_MAX = 64 << 20 };

/* Reads a whole file; "-" is standard input. */
static enum mapping_status read_file(const char *path, char **text, struct mapping_error *error) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "could not open %.200s: %s", path,
                            strerror(errno));
    char *content = NULL, part[1 << 14];
    size_t size = 0, got;
    FILE *memory = open_memstream(&content, &size);
    bool failed = !memory;
    while (!failed && size < FILE_MAX && (got = fread(part, 1, sizeof part, file)) > 0)
        failed = fwrite(part, 1, got, memory) != got || fflush(memory) != 0;
    bool unreadable = ferror(file);
    int cause = errno;
    if (memory && !memory_close(memory, &size))
        failed = true;
    if (file != stdin)
        fclose(file);
    *text = content;
    if (unreadable)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "could not read %.200s: %s", path,
                            strerror(cause));
    if (failed)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    if (size >= FILE_MAX)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s is no results file, it is larger than %d MiB", path,
                            FILE_MAX >> 20);
    if (strlen(content) != size)
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s is no results file, which is text; it has a zero byte", path);
    if (strchr(content, '\r'))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s has carriage returns; a results file has plain newlines", path);
    if (size == 0)
        return mapping_fail(error, MAPPING_INVALID, "%.200s is no results file, it is empty", path);
    return MAPPING_OK;
}

/* A section and the file that it is of. */
struct item {
    struct section section;
    const char *file;
};

struct sections {
    struct item *item;
    size_t count, room;
};

/* Reads the sections of a text, of all architectures, or of `arch` alone if it is not 0. */
static enum mapping_status read_sections(const char *text, const char *name, unsigned arch,
                                         struct sections *sections, struct mapping_error *error) {
    struct results_reader reader = results_read(text);
    for (bool more = true; more;) {
        struct section section;
        struct mapping_error cause;
        enum mapping_status status = results_next(&reader, &section, &more, &cause);
        if (status != MAPPING_OK)
            return mapping_fail(error, status, "%.200s is malformed: %.500s", name, cause.message);
        if (!more || (arch != 0 && section.arch != arch)) {
            section_free(&section);
            continue;
        }
        if (sections->count == sections->room) {
            size_t room = sections->room ? 2 * sections->room : 64;
            struct item *bigger = realloc(sections->item, room * sizeof *bigger);
            if (!bigger) {
                section_free(&section);
                return mapping_fail(error, MAPPING_FAILED, "out of memory");
            }
            sections->item = bigger;
            sections->room = room;
        }
        sections->item[sections->count++] = (struct item){section, name};
    }
    return MAPPING_OK;
}

/* ---- Comparing ---- */

/* What became of one section. */
struct verdict {
    struct provenance confirmed; /* by which sources */
    char difference[384];        /* empty if there is none */
};

/* The most that is shown of a line, in characters. */
enum { EXCERPT = 70 };

/* Prints the part of a line around `column`, from 0. */
static int print_excerpt(char *text, size_t size, const char *label, const char *line,
                         size_t column) {
    size_t length = strcspn(line, "\n");
    size_t start = column > EXCERPT / 2 ? column - EXCERPT / 2 : 0;
    if (start + EXCERPT > length) /* the end of the line, or all of it */
        start = length > EXCERPT ? length - EXCERPT : 0;
    size_t shown = length > start ? length - start : 0;
    return snprintf(text, size, "\n  %s %s%.*s%s", label, start ? "..." : "",
                    (int)(shown < EXCERPT ? shown : EXCERPT), line + start,
                    shown > EXCERPT ? "..." : "");
}

/* Writes where the section first differs from `expected`. */
static void describe_difference(const struct section *section, const char *expected,
                                const char *source, char *text, size_t size) {
    size_t place = 0, line_start = 0;
    unsigned line = section->line;
    while (place < section->size && expected[place] == section->text[place])
        if (section->text[place++] == '\n') {
            line++;
            line_start = place;
        }
    size_t column = place - line_start;
    int length =
        snprintf(text, size, "line %u, column %zu differs from %s", line, column + 1, source);
    length += print_excerpt(text + length, size - (size_t)length, "has  ",
                            section->text + line_start, column);
    print_excerpt(text + length, size - (size_t)length, "wants", expected + line_start, column);
}

/* Compares one section with what a source gives, as text. */
static enum mapping_status compare(const struct section *section, struct report *report,
                                   const char *source, struct verdict *verdict,
                                   struct mapping_error *error) {
    char *expected = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&expected, &size);
    if (!memory)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    struct provenance evidence = report->provenance;
    report->provenance =
        section->provenance; /* the header says who made the file, not who checks */
    report->default_arch = section->default_arch;
    report->confirmation = section->confirmation;
    text_section(memory, report, section->brief);
    if (!memory_close(memory, &size) || !expected) {
        free(expected);
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    }
    if (size != section->size || memcmp(expected, section->text, size) != 0)
        describe_difference(section, expected, source, verdict->difference,
                            sizeof verdict->difference);
    else
        provenance_add(&verdict->confirmed, evidence.evidence[0].kind, evidence.evidence[0].with);
    free(expected);
    return MAPPING_OK;
}

/* How many sections came out how, and what the sources lacked that could not check the first ones.
 */
struct tally {
    size_t confirmed, different, unchecked;
    char reasons[512];
};

/* Notes that the source cannot serve. */
static void note_unavailable(unsigned arch, const char *reason, FILE *file, struct tally *tally) {
    size_t length = strlen(tally->reasons);
    fprintf(file, "note  sm_%u is not checked by %s\n", arch, reason);
    if (tally->confirmed + tally->unchecked + tally->different == 0)
        snprintf(tally->reasons + length, sizeof tally->reasons - length, "; %.240s", reason);
}

/* Checks those of `count` sections of one architecture that a source covers against it. A source
 * that cannot serve is noted. */
static enum mapping_status check_against(const struct source *source, const struct item *items,
                                         size_t count, const struct source_options *options,
                                         struct verdict *verdicts, FILE *file, struct tally *tally,
                                         struct mapping_error *error) {
    struct mapping_fragment *fragments = malloc(count * sizeof *fragments);
    struct report *reports = calloc(count, sizeof *reports);
    size_t *places = malloc(count * sizeof *places), covered = 0;
    enum mapping_status status = MAPPING_OK;
    unsigned arch = items[0].section.arch;
    if (!fragments || !reports || !places)
        status = mapping_fail(error, MAPPING_FAILED, "out of memory");
    for (size_t s = 0; s < count && status == MAPPING_OK; s++)
        if (source->covers(arch, &items[s].section.fragment)) {
            fragments[covered] = items[s].section.fragment;
            places[covered++] = s;
        }
    struct mapping_error cause;
    bool observed = false;
    if (status == MAPPING_OK && covered > 0) {
        status = show_from(source, arch, fragments, covered, options, reports, &cause);
        observed = status == MAPPING_OK || status == MAPPING_NO_FORMULA;
        if (status == MAPPING_UNAVAILABLE)
            note_unavailable(arch, cause.message, file, tally);
        else if (!observed)
            *error = cause;
        if (observed || status == MAPPING_UNAVAILABLE)
            status = MAPPING_OK;
    }
    for (size_t n = 0; n < covered && observed && status == MAPPING_OK; n++) {
        struct verdict *verdict = &verdicts[places[n]];
        if (!*verdict->difference)
            status = compare(&items[places[n]].section, &reports[n], source->name, verdict, error);
    }
    free(fragments);
    free(places);
    show_free(reports, reports ? count : 0);
    return status;
}

static void print_verdict(FILE *file, const struct item *item, const struct verdict *verdict,
                          struct tally *tally) {
    char name[MAPPING_NAME_SIZE], sources[PROVENANCE_TEXT];
    const struct section *section = &item->section;
    mapping_fragment_name(&section->fragment, name);
    provenance_print(&verdict->confirmed, sources);
    if (*verdict->difference) {
        tally->different++;
        fprintf(file, "FAIL  %s on sm_%u: %s, %s\n", name, section->arch, item->file,
                verdict->difference);
    } else if (verdict->confirmed.count == 0) {
        tally->unchecked++;
        fprintf(file, "skip  %s on sm_%u: no source could check it\n", name, section->arch);
    } else {
        tally->confirmed++;
        fprintf(file, "ok    %s on sm_%u: %s\n", name, section->arch, sources);
    }
}

/* Checks `count` sections of one architecture against every source that may be used. */
static enum mapping_status check_group(const struct options *options, const struct item *items,
                                       size_t count, FILE *file, struct tally *tally,
                                       struct mapping_error *error) {
    struct verdict *verdicts = calloc(count, sizeof *verdicts);
    if (!verdicts)
        return mapping_fail(error, MAPPING_FAILED, "out of memory");
    enum mapping_status status = MAPPING_OK;
    const struct source *source;
    for (size_t s = 0; (source = source_at(s)) && status == MAPPING_OK; s++) {
        bool wanted = options->source_count == 0 && source->observe != recorded_observe;
        for (size_t n = 0; n < options->source_count; n++)
            wanted |= options->sources[n] == source;
        if (wanted)
            status = check_against(source, items, count, &options->machinery, verdicts, file, tally,
                                   error);
    }
    for (size_t s = 0; s < count && status == MAPPING_OK; s++)
        print_verdict(file, &items[s], &verdicts[s], tally);
    free(verdicts);
    return status;
}

/* True if one section follows the other in the same file, and is of the same architecture. */
static bool belong_together(const struct section *first, const struct section *second) {
    return second->arch == first->arch && second->text == first->text + first->size + 1;
}

/* Checks all sections, those that belong together in one go. */
static enum mapping_status check_sections(const struct options *options,
                                          const struct sections *sections, FILE *file,
                                          struct mapping_error *error) {
    struct tally tally = {0};
    enum mapping_status status = MAPPING_OK;
    for (size_t start = 0, end; start < sections->count && status == MAPPING_OK; start = end) {
        for (end = start + 1; end < sections->count; end++)
            if (!belong_together(&sections->item[end - 1].section, &sections->item[end].section))
                break;
        status = check_group(options, sections->item + start, end - start, file, &tally, error);
    }
    if (status != MAPPING_OK)
        return status;
    fprintf(file, "%zu sections: %zu confirmed, %zu different, %zu not checked\n", sections->count,
            tally.confirmed, tally.different, tally.unchecked);
    if (tally.different > 0)
        return MAPPING_DIFFERS;
    if (sections->count == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no section of sm_%u to check",
                            options->arch->number);
    if (tally.confirmed == 0)
        return mapping_fail(error, MAPPING_UNAVAILABLE, "nothing could be checked%s",
                            tally.reasons);
    return MAPPING_OK;
}

enum mapping_status check(const struct options *options, FILE *file, struct mapping_error *error) {
    struct sections sections = {0};
    size_t count = options->name_count;
    char **texts = calloc(count + 1, sizeof *texts);
    enum mapping_status status =
        texts ? MAPPING_OK : mapping_fail(error, MAPPING_FAILED, "out of memory");
    unsigned arch = options->arch ? options->arch->number : 0;
    for (size_t n = 0; n < count && status == MAPPING_OK; n++) {
        const char *name = options->names[n];
        bool is_stdin = strcmp(name, "-") == 0;
        status = read_file(name, &texts[n], error);
        if (status == MAPPING_OK)
            status =
                read_sections(texts[n], is_stdin ? "standard input" : name, arch, &sections, error);
    }
    for (size_t f = 0; count == 0 && recorded_files[f].name && status == MAPPING_OK; f++)
        status = read_sections(recorded_files[f].text, "recorded", arch, &sections, error);
    if (status == MAPPING_OK)
        status = check_sections(options, &sections, file, error);
    for (size_t s = 0; s < sections.count; s++)
        section_free(&sections.item[s].section);
    free(sections.item);
    for (size_t n = 0; n < count && texts; n++)
        free(texts[n]);
    free(texts);
    return status;
}
