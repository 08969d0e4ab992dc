/* section.c - a layout as text, written and read: all but its grids, which are in grids.c; see
 * section.h. */
#include "report/section.h"

#include "layout/append.h"
#include "layout/space.h"
#include "report/part.h"
#include "report/tensor_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines that are both written and read. */
#define HEADER_FORM "# %s on sm_%u"
#define SOURCE_LABEL "# source: "
#define TILED_LABEL "# tiled by "
#define PART_LABEL "# by "
#define DEFAULT_ARCH_NOTE "# no GPU here, so sm_%u is shown; --arch=ARCH shows another"
#define CONFIRMED_LABEL "# confirmed on sm_"
#define UNCONFIRMED_NOTE "# not confirmed on hardware"
#define AGREES_LABEL "# the same is stated by "
#define NOTE_LABEL "# note: "
#define CONTINUED_LABEL "#   "
#define MEMORY_LABEL "# in Tensor Memory: "
#define WITH_LABEL "# --with=tcgen05."
#define TARGETS_LABEL "# ptxas takes it for "
#define FORMULAE_TITLE "Formulae:"
#define INVERSE_TITLE "Inverse:"

/* ---- Writing ---- */

/* Prints a note in lines that fit a terminal. */
static void print_note(struct printer *to, const char *note) {
    enum { WIDTH = 79 };
    size_t column = sizeof NOTE_LABEL - 1;
    print_text(to, NOTE_LABEL);
    for (bool is_first = true; *note; is_first = false) {
        const size_t length = strcspn(note, " ");
        if (!is_first && column + 1 + length > WIDTH) {
            print_text(to, "\n" CONTINUED_LABEL);
            column = sizeof CONTINUED_LABEL - 1;
        } else if (!is_first) {
            print_char(to, ' ');
            column++;
        }
        print(to, "%.*s", (int)length, note);
        column += length;
        note += length + (note[length] == ' ');
    }
    print_char(to, '\n');
}

/* Prints who confirmed a statement, who else states it, and what has to be said. */
static void print_confirmation(struct printer *to, const struct report *report) {
    const struct observation *observed = &report->observed;
    if (observed->confirmation.arch)
        print(to, CONFIRMED_LABEL "%u: %s\n", observed->confirmation.arch,
              observed->confirmation.with);
    else
        print(to, UNCONFIRMED_NOTE "\n");
    if (report->has_fragment && observed->fragment.agrees)
        print(to, AGREES_LABEL "%s\n", observed->fragment.agrees);
    if (report->has_fragment && observed->fragment.note)
        print_note(to, observed->fragment.note);
}

/* Prints a line if ptxas does not take the fragment for the target that was asked for. */
static void print_targets(struct printer *to, const struct report *report) {
    char targets[TARGETS_TEXT], letter[] = {report->suffix, '\0'};
    if (!report_wants_suffix(report))
        return;
    report_targets(report, " or ", targets);
    print(to, TARGETS_LABEL "%s, not for sm_%u%s\n", targets, report->arch,
          *letter == ' ' ? "" : letter);
}

void section_part(struct printer *to, const struct report *report) {
    char text[PART_TEXT];
    part_describe(report->part, text);
    print(to, PART_LABEL "%s\n", text);
    part_describe_extent(report, text);
    print(to, *text ? "# %s\n" : "%s", text);
}

/* Prints how much of Tensor Memory it takes, and how to see what threads have of it. */
static void print_memory(struct printer *to, const struct report *report) {
    const struct mapping_fragment *fragment = &report->observed.fragment;
    enum { HALF_OF_WARP = LANES_OF_WARP / 2 };
    struct tensor_memory memory;
    if (!report->has_fragment || fragment->place != MAPPING_IN_TENSOR_MEMORY ||
        !tensor_memory_find(report, &memory))
        return;
    print(to, MEMORY_LABEL "%u lanes, %u column%s of %d bits%s\n", memory.lanes, memory.columns,
          mapping_plural(memory.columns), MAPPING_COLUMN_BITS,
          memory.ctas > 1 ? ", in both CTAs of a pair" : "");
    if (mapping_transfer_takes(fragment) && memory.lanes % HALF_OF_WARP == 0)
        print(to, WITH_LABEL "%s.%s shows what threads %s\n",
              fragment->operand == MAPPING_A ? "st" : "ld",
              tensor_memory_is_in_halves(&memory) ? "16x64b" : "32x32b",
              fragment->operand == MAPPING_A ? "write" : "read");
}

void section_header(struct printer *to, const struct report *report) {
    const struct observation *observed = &report->observed;
    char source[PROVENANCE_TEXT];
    provenance_print(&observed->provenance, source);
    print(to, report->arch ? HEADER_FORM "\n" : "# %s\n", report->name, report->arch);
    if (observed->provenance.count > 0)
        print(to, SOURCE_LABEL "%s\n", source);
    if (report->is_default_arch)
        print(to, DEFAULT_ARCH_NOTE "\n", report->arch);
    for (size_t o = 0; o < report->opcodes.count && report->asked; o++)
        print(to, "# %s %s\n", report->asked, report->opcodes.text[o]);
    if (report->tiling)
        print(to, TILED_LABEL "%s\n", report->tiling);
    if (report->part)
        section_part(to, report);
    if (observed->provenance.count > 0 && provenance_is_statement(&observed->provenance))
        print_confirmation(to, report);
    print_memory(to, report);
    print_targets(to, report);
}

/* Prints the axes of a space as a sentence names them, in the order of formulae: "row, col and
 * copy"; copies if there are several. */
static void print_axes(struct printer *to, const struct mapping_space *space, bool is_inverse) {
    uint8_t order[MAPPING_AXES_MAX];
    uint32_t count = space->count;
    mapping_space_order(space, order); /* copies come last */
    if (is_inverse && space->axis[count - 1].size == 1)
        count--;
    for (uint32_t a = 0; a < count; a++)
        print(to, "%s%s", a == 0 ? "" : a + 1 < count ? ", " : " and ", space->axis[order[a]].name);
}

/* True if a formula could have more terms than are looked for: there is one for each axis and shift
 * at most, and a shift leads from a bit of the axis to one of the target. */
static bool has_many_terms(const struct mapping_layout *layout, uint32_t c) {
    unsigned terms = 0, bits = 0;
    while (bits < 32 && layout->to.axis[c].size - 1 >= UINT32_C(1) << bits)
        bits++;
    for (uint32_t a = 0; a < layout->from.count; a++) {
        unsigned from = 0;
        while (from < 32 && layout->from.axis[a].size - 1 >= UINT32_C(1) << from)
            from++;
        terms += from > 0 && bits > 0 ? from + bits - 1 : 0;
    }
    return terms > MAPPING_MAX_TERMS;
}

static void print_solution(struct printer *to, const struct solved *solved, bool is_inverse) {
    const struct mapping_layout *layout = &solved->layout;
    for (uint32_t c = 0; c < layout->to.count; c++) {
        char formula[FORMULA_TEXT], label[LABEL_SIZE], remark[REMARK_SIZE];
        axis_label(layout->to.axis[c].name, label);
        solved_formula(solved, c, formula);
        if (*formula) {
            solved_remark(solved, c, remark);
            print(to, *remark ? "%s: return %s; // %s\n" : "%s: return %s;\n", label, formula,
                  remark);
            continue;
        }
        print(to, "%s: no sum, and no exclusive or, of ", label);
        if (has_many_terms(layout, c))
            print(to, "up to %d ", MAPPING_MAX_TERMS);
        print_text(to, "masked and shifted ");
        print_axes(to, &layout->from, is_inverse);
        print_char(to, '\n');
    }
}

void section_formulae(struct printer *to, const struct report *report) {
    print_text(to, FORMULAE_TITLE "\n");
    print_solution(to, &report->forward, false);
    if (!report_has_inverse(report))
        return;
    print_text(to, "\n" INVERSE_TITLE "\n");
    print_solution(to, &report->inverse, true);
}

void section_write(struct printer *to, const struct report *report, bool brief) {
    section_header(to, report);
    if (!brief)
        section_grids(to, report);
    section_formulae(to, report);
}

/* ---- Reading ---- */

/* Fails at a line that says that this is no fragment alone. */
static enum mapping_status refuse_others(const struct section_reader *reader,
                                         struct mapping_error *error) {
    const bool is_tile = strncmp(reader->next, TILED_LABEL, sizeof TILED_LABEL - 1) == 0;
    if (!is_tile && strncmp(reader->next, PART_LABEL, sizeof PART_LABEL - 1) != 0)
        return MAPPING_OK;
    return mapping_fail(error, MAPPING_INVALID,
                        "line %u: %s; fragments that are shown without it can be checked",
                        reader->line,
                        is_tile ? "this is a tile, shown with --atom-layout or --permutation"
                                : "this is what threads hold, shown with --with");
}

/* Reads the line on confirmation, which a section has that the PTX ISA alone states. */
static enum mapping_status read_confirmation(struct section_reader *reader, struct section *section,
                                             struct mapping_error *error) {
    static const char form[] = "'# confirmed on sm_NN: ...' or '" UNCONFIRMED_NOTE "'";
    const struct section_reader start = *reader;
    struct confirmation *confirmation = &section->confirmation;
    char line[LINE_SIZE], arch[] = "sm_NNN";
    if (!provenance_is_statement(&section->provenance))
        return MAPPING_OK;
    if (reader_take(reader, UNCONFIRMED_NOTE, form, error) == MAPPING_OK)
        return MAPPING_OK;
    enum mapping_status status = reader_take_line(reader, CONFIRMED_LABEL, form, line, error);
    if (status != MAPPING_OK)
        return status;
    const struct mapping_arch *found =
        sscanf(line, "%3[0-9]: %191[ -~]", arch + 3, confirmation->with) == 2
            ? mapping_arch_find(arch)
            : NULL;
    if (!found)
        return reader_malformed(&start, form, error);
    confirmation->arch = found->number;
    return MAPPING_OK;
}

/* Reads the first line: the fragment and the architecture. */
static enum mapping_status read_name(struct section_reader *reader, struct section *section,
                                     struct mapping_error *error) {
    static const char form[] = "'# FRAGMENT on sm_NN', with a fragment that exists";
    const struct section_reader start = *reader;
    char line[LINE_SIZE], name[MAPPING_NAME_SIZE] = "?", canonical[MAPPING_NAME_SIZE] = "", arch[5];
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    int end = 0;
    enum mapping_status status = reader_take_line(reader, "# ", form, line, error);
    if (status != MAPPING_OK)
        return status;
    if (sscanf(line, "%63s on sm_%4[0-9]%n", name, arch, &end) == 2 && line[end] == '\0' &&
        mapping_catalogue_find(name, found) == 1)
        mapping_fragment_name(&found[0], canonical);
    if (strcmp(name, canonical) != 0)
        return reader_malformed(&start, form, error);
    section->fragment = found[0];
    section->arch = (unsigned)strtoul(arch, NULL, 10);
    mapping_fragment_spaces(&section->fragment, &section->from, &section->to);
    if (!mapping_arch_find(arch) || !mapping_fragment_on(&section->fragment, section->arch))
        return reader_malformed(&start, "an architecture that has the fragment", error);
    return MAPPING_OK;
}

/* True in front of a line that says what else is known of the fragment. */
static bool is_known_otherwise(const struct section_reader *reader) {
    static const char *const labels[] = {AGREES_LABEL, NOTE_LABEL, CONTINUED_LABEL, MEMORY_LABEL,
                                         WITH_LABEL};
    for (size_t n = 0; n < sizeof labels / sizeof *labels; n++)
        if (strncmp(reader->next, labels[n], strlen(labels[n])) == 0)
            return true;
    return false;
}

/* Reads the line about targets, if there is one. */
static void read_suffix(struct section_reader *reader, struct section *section) {
    if (strncmp(reader->next, TARGETS_LABEL, sizeof TARGETS_LABEL - 1) != 0)
        return;
    char last = reader->next[strcspn(reader->next, "\n") - 1];
    section->suffix = ' ';
    if (last == 'f')
        section->suffix = last;
    reader_skip_line(reader);
}

static enum mapping_status read_header(struct section_reader *reader, struct section *section,
                                       struct mapping_error *error) {
    char line[LINE_SIZE], note[128];
    enum mapping_status status = read_name(reader, section, error);
    if (status != MAPPING_OK)
        return status;
    const struct section_reader start = *reader;
    status = reader_take_line(reader, SOURCE_LABEL, "'# source: ...'", line, error);
    if (status != MAPPING_OK)
        return status;
    if (!provenance_parse(line, &section->provenance))
        return reader_malformed(&start, "a source as it is printed, e.g. 'sass (ptxas 11.8.89)'",
                                error);
    snprintf(note, sizeof note, DEFAULT_ARCH_NOTE "\n", section->arch);
    section->is_default_arch = strncmp(reader->next, note, strlen(note)) == 0;
    if (section->is_default_arch)
        reader_skip_line(reader);
    status = refuse_others(reader, error);
    if (status == MAPPING_OK)
        status = read_confirmation(reader, section, error);
    while (status == MAPPING_OK && is_known_otherwise(reader))
        reader_skip_line(reader);
    if (status == MAPPING_OK)
        read_suffix(reader, section);
    return status;
}

/* Takes a line such as "Row: return (i & 1);", and copies what is behind the axis. */
static enum mapping_status take_axis_line(struct section_reader *reader, const char *axis,
                                          char line[LINE_SIZE], struct mapping_error *error) {
    char label[LABEL_SIZE], prefix[LABEL_SIZE + 2], form[LABEL_SIZE + 8];
    axis_label(axis, label);
    snprintf(prefix, sizeof prefix, "%s: ", label);
    snprintf(form, sizeof form, "'%s...'", prefix);
    return reader_take_line(reader, prefix, form, line, error);
}

/* Reads a line such as "Row: return (i & 1);". Of a brief section the formula has to be one; of
 * others it follows from the grids, and is compared as text. */
static enum mapping_status read_formula(struct section_reader *reader, struct section *section,
                                        uint32_t axis, struct mapping_error *error) {
    static const char start_word[] = "return ";
    const struct section_reader start = *reader;
    char line[LINE_SIZE];
    enum mapping_status status = take_axis_line(reader, section->to.axis[axis].name, line, error);
    if (status != MAPPING_OK || !section->brief)
        return status;
    size_t length = strlen(line);
    if (length > sizeof start_word && line[length - 1] == ';')
        line[length - 1] = '\0';
    if (strncmp(line, start_word, sizeof start_word - 1) != 0 ||
        !mapping_formula_parse(line + sizeof start_word - 1, &section->from,
                               &section->formulae[axis]))
        return reader_malformed(&start, "a formula as it is printed, e.g. 'Row: return (i & 1);'",
                                error);
    return MAPPING_OK;
}

/* True if the section ends with its formulae: of some places in Tensor Memory no formula says what
 * lies there. */
static bool lacks_inverse(const struct section_reader *reader, const struct section *section) {
    return is_in_lanes(&section->from, &section->to) &&
           (!*reader->next || strncmp(reader->next, "\n# ", 3) == 0);
}

/* Reads the lines of the inverse, whose formulae are compared as text. */
static enum mapping_status read_inverse(struct section_reader *reader, struct section *section,
                                        struct mapping_error *error) {
    char line[LINE_SIZE];
    enum mapping_status status = reader_take(reader, "", "an empty line before the inverse", error);
    if (status == MAPPING_OK)
        status = reader_take_title(reader, INVERSE_TITLE, error);
    for (uint32_t c = 0; c < section->from.count && status == MAPPING_OK; c++)
        status = take_axis_line(reader, section->from.axis[c].name, line, error);
    return status;
}

static enum mapping_status read_body(struct section_reader *reader, struct section *section,
                                     struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    section->brief = strncmp(reader->next, FORMULAE_TITLE, strlen(FORMULAE_TITLE)) == 0;
    if (!section->brief)
        status = section_read_grids(reader, &section->from, &section->to,
                                    mapping_fragment_copy_axis(&section->fragment), &section->grids,
                                    error);
    else if (!(section->formulae = calloc(section->to.count, sizeof *section->formulae)))
        status = mapping_out_of_memory(error);
    if (status == MAPPING_OK)
        status = reader_take_title(reader, FORMULAE_TITLE, error);
    for (uint32_t c = 0; c < section->to.count && status == MAPPING_OK; c++)
        status = read_formula(reader, section, c, error);
    if (status != MAPPING_OK || lacks_inverse(reader, section))
        return status;
    return read_inverse(reader, section, error);
}

enum mapping_status section_read(struct section_reader *reader, struct section *section, bool *more,
                                 struct mapping_error *error) {
    *section = (struct section){.text = reader->next, .line = reader->line};
    *more = *reader->next != '\0';
    if (!*more)
        return MAPPING_OK;
    enum mapping_status status = read_header(reader, section, error);
    if (status == MAPPING_OK)
        status = read_body(reader, section, error);
    section->size = (size_t)(reader->next - section->text);
    if (status == MAPPING_OK && *reader->next)
        status = reader_take(reader, "", "an empty line between sections", error);
    if (status == MAPPING_OK && reader->next > section->text + section->size && !*reader->next)
        status = reader_malformed(reader, "another section after the empty line", error);
    if (status != MAPPING_OK) {
        section_free(section);
        *more = false;
    }
    return status;
}

void section_free(struct section *section) {
    mapping_layout_free(&section->grids);
    free(section->formulae);
    section->formulae = NULL;
}

enum mapping_status section_layout(const struct section *section, struct mapping_layout *layout,
                                   struct mapping_error *error) {
    *layout = (struct mapping_layout){.from.count = 0};
    if (!section->brief)
        return section_layout_of_grids(&section->grids, &section->from, &section->to, layout,
                                       error);
    enum mapping_status status =
        mapping_layout_evaluate(layout, &section->from, &section->to, section->formulae, error);
    return status == MAPPING_OK ? mapping_layout_check(layout, error) : status;
}
