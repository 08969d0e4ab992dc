/* annotate.c - --annotate=FILE: prints a listing of SASS or PTX again. After each instruction, it
 * adds what the instruction computes and the registers of its operands; at the end, it prints a
 * summary.
 *
 * Lines are printed as they are read, so a listing may have any length. If the origin of operands
 * is printed too, the lines of a function are held back until the function ends. */
#include "command/forms.h"
#include "command/origins.h"
#include "command/show.h"
#include "listing/listing.h"
#include "output/annotated.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A copy of the operands in a line of PTX. The reader overwrites the line when it reads the next
 * one. */
struct copied {
    char *text;
    size_t capacity;
};

/* A line that is printed when its function ends. */
struct held_line {
    struct annotated_line line; /* `text` and `instructions` are set when it is printed */
    size_t text, first;         /* indices in `held` and in `instructions` */
};

struct annotator {
    const struct request *request;
    struct printer *to;
    struct writes writes; /* the writes of the current function */
    struct origins origins;
    struct origin *found; /* origins of the operands in `instructions` */
    size_t found_room;
    bool holds;          /* true if lines are held until the function ends */
    struct printer held; /* the texts of the held lines */
    struct held_line *lines;
    size_t line_count, line_capacity;
    size_t first; /* index in `instructions` of the first one of the current line */
    struct forms forms;
    struct constants constants; /* constants in the registers of the current function */
    struct listing_summary summary;
    struct annotated *instructions; /* instructions of the current line, and of the held lines */
    struct copied *copies;          /* copied operands; the array is as large as `instructions` */
    size_t count, capacity;
    unsigned arch;        /* from --arch or from the listing; 0 if it is unknown */
    const char *function; /* "" before the first function */
    bool is_counted;      /* the last entry of summary.functions is the current function */
    bool is_chosen;       /* --function selects this function, or is not given */
    bool has_chosen;      /* --function has selected a function */
    size_t line;
};

/* ---- Comments below an instruction ---- */

/* Makes the report of each operand in registers. For an operand without a report, there are no
 * answers. */
static void make_operand_reports(void *context, struct form *form) {
    struct annotator *annotator = context;
    struct listing_summary *summary = &annotator->summary;
    bool has_report = false;
    if (form->is_reported)
        return;
    form->is_reported = true;
    for (size_t o = 0; o < form->count; o++) {
        const struct mapping_fragment *fragment = &form->operands[o].fragment;
        char name[MAPPING_NAME_SIZE];
        const char *subject = name;
        struct request one = {.subjects = &subject,
                              .subject_count = 1,
                              .output = annotator->request->output,
                              .machinery = annotator->request->machinery};
        struct mapping_error ignored;
        size_t count;
        if (!form->operands[o].has_fragment)
            continue;
        mapping_fragment_name(fragment, name);
        const unsigned arch =
            mapping_fragment_on(fragment, form->arch) ? form->arch : fragment->since;
        if (make_reports(&one, arch, &form->reports[o], &count, &ignored) != MAPPING_OK ||
            count != 1)
            form->reports[o] = NULL;
        else
            restyle(form->reports[o], 1, annotator->request->style.formula);
        has_report |= form->reports[o] != NULL;
    }
    if (!has_report)
        return;
    summary->reported = array_grow(summary->reported, summary->reported_count, 1,
                                   &summary->reported_capacity, sizeof *summary->reported);
    summary->reported[summary->reported_count++] = form;
    form->number = summary->reported_count;
}

/* Adds the formulae of an operand: "D: row = ..., col = ... for R4 + i". */
static void add_formulae(struct annotated *instruction, size_t operand) {
    const struct form_operand *of = &instruction->form->operands[operand];
    const struct report *report = instruction->form->reports[operand];
    const struct mapping_space *to = &report->forward.layout.to;
    const uint32_t per = of->fragment.bits < 32 ? 32 / of->fragment.bits : 1;
    struct printer line = {.text = NULL};
    print(&line, "%s: ", of->label);
    for (uint32_t a = 0; a < to->count; a++) {
        const char *text = derived_formula(&report->forward, a);
        if (!text)
            return;
        print(&line, "%s%s = %s", a > 0 ? ", " : "", to->axis[a].name, text);
    }
    if (instruction->form->is_sass &&
        strncmp(instruction->operands[of->index].start, "RZ", 2) == 0) {
        print_text(&line, "; RZ is 0");
        strings_add(&instruction->below, printer_string(&line));
        return;
    }
    print_text(&line, "; element i in ");
    struct operand first = instruction->operands[of->index];
    const bool is_sass = instruction->form->is_sass && of->offset == 0;
    if (is_sass)
        print(&line, "%.*s + ", (int)strcspn(first.start, "., ;"), first.start);
    else
        print_text(&line, "register ");
    print(&line,
          of->fragment.bits > 32 ? "2 * i"
          : per > 1              ? "i / %u, bit %u * (i %% %u)"
                                 : "i",
          per, of->fragment.bits, per);
    if (!is_sass) {
        print_text(&line, " of ");
        print_annotated_operand(&line, instruction, of);
    }
    strings_add(&instruction->below, printer_string(&line));
}

/* Adds the answers to the question about an operand. */
static void add_answers(const struct question *question, struct annotated *instruction,
                        size_t operand) {
    const struct form_operand *of = &instruction->form->operands[operand];
    struct report *report = instruction->form->reports[operand];
    const struct mapping_layout *layout = &report->forward.layout;
    struct mapping_error ignored;
    report->registers = (struct strings){.count = 0};
    annotated_registers(instruction, of, &report->registers);
    if (question_check_fragment(question, report->name, &of->fragment, &layout->from, &layout->to,
                                &report->registers, &ignored) != MAPPING_OK)
        return;
    for (size_t position = 0;;) {
        struct printer line = {.text = NULL};
        print(&line, "%s: ", of->label);
        if (!print_answer(&line, report, question, &position))
            return;
        strings_add(&instruction->below, printer_string(&line));
    }
}

/* Adds the text of --detail and of questions for the instructions of a line. */
static void add_below(const struct annotator *annotator, struct annotated *instructions,
                      size_t count) {
    const struct style *style = &annotator->request->style;
    for (size_t n = 0; n < count; n++) {
        struct annotated *one = &instructions[n];
        for (size_t o = 0; o < one->form->count; o++) {
            if (one->form->reports[o] && style->detail)
                add_formulae(one, o);
            if (one->form->reports[o] && style->question.kind != ASK_NOTHING)
                add_answers(&style->question, one, o);
        }
    }
}

/* ---- The end of a function ---- */

/* Passes the printed text to the caller, if the caller takes it in pieces. */
static void flush(struct annotator *annotator) {
    const struct request *request = annotator->request;
    if (!request->take || annotator->to->size == 0)
        return;
    request->take(request->taker, annotator->to->text, annotator->to->size);
    annotator->to->size = 0;
}

/* Prints a line with the meaning of its instructions. */
static void print_line(struct annotator *annotator, struct annotated_line *line,
                       struct annotated *instructions) {
    const struct request *request = annotator->request;
    const bool has_below =
        line->count > 0 && (request->style.detail || request->style.question.kind != ASK_NOTHING);
    const bool has_arena = line->count > 0 && !request->output->keeps;
    line->is_first = annotator->summary.printed++ == 0;
    for (size_t n = 0; n < line->count && (has_below || request->output->has_listed_fragments); n++)
        make_operand_reports(annotator, instructions[n].form);
    if (has_arena)
        arena_begin();
    if (has_below)
        add_below(annotator, instructions, line->count);
    request->output->listing_line(annotator->to, line);
    if (has_arena)
        mapping_arena_end();
}

/* Counts a load whose result is an operand of a product. */
static void count_load(struct function_summary *function, const char *label,
                       const struct origin *origin, size_t line) {
    const char *name = origin->from[0].name;
    size_t l = 0;
    while (l < function->load_count && (strcmp(function->loads[l].label, label) != 0 ||
                                        strcmp(function->loads[l].name, name) != 0 ||
                                        function->loads[l].agreement != origin->agreement))
        l++;
    if (l == function->load_count) {
        function->loads = array_grow(function->loads, function->load_count, 1,
                                     &function->load_capacity, sizeof *function->loads);
        function->loads[function->load_count++] =
            (struct load_count){.label = label,
                                .name = name,
                                .agreement = origin->agreement,
                                .order = origin->order,
                                .line = line};
    }
    function->loads[l].count++;
}

/* Finds the origins of the operands of a function. */
static void find_origins(struct annotator *annotator) {
    struct writes *writes = &annotator->writes;
    struct listing_summary *summary = &annotator->summary;
    if (writes->asked_count == 0)
        return;
    writes_reach(writes);
    if (annotator->holds)
        annotator->found = array_grow(annotator->found, 0, writes->asked_count,
                                      &annotator->found_room, sizeof *annotator->found);
    for (size_t a = 0; a < writes->asked_count; a++) {
        const struct asked *asked = &writes->asked[a];
        struct origin own = {.count = 0}, *origin = annotator->holds ? &annotator->found[a] : &own;
        origins_find(&annotator->origins, writes, asked, origin);
        if (annotator->holds) {
            struct annotated *one = &annotator->instructions[asked->instruction];
            one->origins = one->origin_count++ > 0 ? one->origins : origin;
        }
        if (origin->count == 0 || !origin->from[0].is_load || !annotator->is_counted)
            continue;
        const struct told *told = &writes->told[asked->place];
        count_load(&summary->functions[summary->count - 1],
                   told->form->operands[asked->operand].label, origin, told->line);
    }
}

/* Prints the held lines. The instructions of the current line stay, because several functions may
 * share a line. */
static void print_held(struct annotator *annotator) {
    enum { FLUSHED = 1 << 16 };
    for (size_t l = 0; l < annotator->line_count; l++) {
        struct held_line *held = &annotator->lines[l];
        held->line.text = annotator->held.text + held->text;
        held->line.instructions = annotator->instructions + held->first;
        print_line(annotator, &held->line, annotator->instructions + held->first);
        if (annotator->to->size > FLUSHED)
            flush(annotator);
    }
    annotator->line_count = annotator->held.size = 0;
    const size_t first = annotator->first;
    annotator->count -= first;
    annotator->first = 0;
    for (size_t n = 0; n < annotator->count && first > 0; n++) {
        const struct copied copied = annotator->copies[n];
        annotator->instructions[n] = annotator->instructions[first + n];
        annotator->copies[n] = annotator->copies[first + n];
        annotator->copies[first + n] = copied;
    }
    if (annotator->count > 0 && annotator->holds) { /* the printed instructions keep their
                                                       origins */
        annotator->found = NULL;
        annotator->found_room = 0;
    }
}

/* Ends a function. */
static void end_function(struct annotator *annotator) {
    find_origins(annotator);
    print_held(annotator);
    writes_reset(&annotator->writes);
}

/* Holds a line. If the lines of a function take more than HELD_MAX bytes, their origins are not
 * shown. */
static void hold(struct annotator *annotator, const struct annotated_line *line) {
    enum { HELD_MAX = 32 << 20 };
    annotator->lines = array_grow(annotator->lines, annotator->line_count, 1,
                                  &annotator->line_capacity, sizeof *annotator->lines);
    annotator->lines[annotator->line_count++] =
        (struct held_line){*line, annotator->held.size, annotator->first};
    print_raw(&annotator->held, line->text, line->size);
    printer_string(&annotator->held);
    annotator->first = annotator->count;
    if (annotator->held.size > HELD_MAX) {
        print_held(annotator);
        annotator->writes.asked_count = 0;
        annotator->writes.flow.is_lost = true;
    }
}

/* ---- What the listing says ---- */

static void take_arch(void *context, unsigned number) {
    struct annotator *annotator = context;
    if (annotator->request->arch_count > 0)
        return;
    const unsigned arch = mapping_arch_bit(number) ? number : 0;
    if (arch != annotator->arch)
        annotator->is_counted = false;
    annotator->arch = arch;
}

static void take_function(void *context, const char *name, size_t length) {
    struct annotator *annotator = context;
    const struct request *request = annotator->request;
    if (strlen(annotator->function) == length && memcmp(annotator->function, name, length) == 0)
        return;
    end_function(annotator);
    if (*annotator->function && !annotator->is_counted)
        annotator->summary.passed++;
    char *text = memory_text_room(length + 1);
    memcpy(text, name, length);
    text[length] = '\0';
    annotator->function = text;
    memset(&annotator->constants, 0, sizeof annotator->constants);
    annotator->is_counted = false;
    annotator->is_chosen = !request->function || fnmatch(request->function, text, 0) == 0;
    annotator->has_chosen |= annotator->is_chosen;
}

/* True if --lines and --function select the current line. */
static bool is_chosen(const struct annotator *annotator) {
    const struct request *request = annotator->request;
    return annotator->is_chosen &&
           (request->last_line == 0 ||
            (annotator->line >= request->first_line && annotator->line <= request->last_line));
}

/* Counts an instruction of the function. */
static void count(struct annotator *annotator, struct form *form) {
    struct listing_summary *summary = &annotator->summary;
    if (!annotator->is_counted) {
        summary->functions = array_grow(summary->functions, summary->count, 1, &summary->capacity,
                                        sizeof *summary->functions);
        summary->functions[summary->count++] =
            (struct function_summary){.name = annotator->function, .arch = annotator->arch};
        annotator->is_counted = true;
    }
    struct function_summary *function = &summary->functions[summary->count - 1];
    size_t f = 0;
    while (f < function->count && (strcmp(function->forms[f].form->opcode, form->opcode) != 0 ||
                                   strcmp(function->forms[f].form->what, form->what) != 0))
        f++;
    if (f == function->count) {
        function->forms = array_grow(function->forms, function->count, 1, &function->capacity,
                                     sizeof *function->forms);
        function->forms[function->count++] = (struct form_count){.form = form};
    }
    function->forms[f].count++;
    summary->instructions++;
    summary->unknown += form->kind == FORM_UNKNOWN;
}

/* Copies the text to which the operands of an instruction point. */
static void copy_operands(struct copied *copied, const char *text, struct annotated *one) {
    const size_t size = strlen(text) + 1;
    if (size > copied->capacity) {
        copied->capacity = 2 * size;
        copied->text = memory_resize(copied->text, copied->capacity, 1);
    }
    memcpy(copied->text, text, size);
    for (size_t o = 0; o < one->count; o++)
        one->operands[o].start = copied->text + (one->operands[o].start - text);
}

static void take_label(void *context, const char *name, size_t length) {
    struct annotator *annotator = context;
    if (annotator->is_chosen)
        writes_label(&annotator->writes, name, length);
}

static void take_instruction(void *context, const struct listing_instruction *instruction) {
    struct annotator *annotator = context;
    constants_note(&annotator->constants, instruction);
    struct annotated one = {.has_address = instruction->has_address,
                            .address = instruction->address};
    one.form = forms_find(&annotator->forms, instruction, annotator->arch, &annotator->constants,
                          one.operands, &one.count);
    if (annotator->is_chosen)
        writes_note(&annotator->writes, instruction, one.form, one.operands, one.count,
                    annotator->line, is_chosen(annotator), annotator->count);
    if (!one.form || !is_chosen(annotator))
        return;
    count(annotator, one.form);
    if (annotator->request->style.brief)
        return;
    const size_t before = annotator->capacity;
    annotator->instructions = array_grow(annotator->instructions, annotator->count, 1,
                                         &annotator->capacity, sizeof *annotator->instructions);
    if (annotator->capacity > before) {
        annotator->copies =
            memory_resize(annotator->copies, annotator->capacity, sizeof *annotator->copies);
        memset(annotator->copies + before, 0,
               (annotator->capacity - before) * sizeof *annotator->copies);
    }
    if (!instruction->is_sass || annotator->holds)
        copy_operands(&annotator->copies[annotator->count], instruction->operands, &one);
    annotator->instructions[annotator->count++] = one;
}

/* ---- Reading and printing ---- */

/* Reads a whole file. */
static enum mapping_status read_lines(struct annotator *annotator, struct lines *lines,
                                      struct mapping_error *error) {
    enum { FLUSHED = 1 << 16 };
    const struct request *request = annotator->request;
    struct listing listing = {
        .taker = {annotator, take_instruction, take_function, take_arch, take_label},
    };
    annotator->line = 0;
    for (;;) {
        struct line line;
        if (annotator->to->size > FLUSHED || lines_must_wait(lines))
            flush(annotator);
        enum mapping_status status = lines_next(lines, &line, error);
        if (status != MAPPING_OK)
            return status;
        if (!line.text) {
            end_function(annotator);
            return MAPPING_OK;
        }
        annotator->line++;
        annotator->count = annotator->first;
        size_t before = annotator->summary.instructions;
        if (!line.is_piece)
            listing_read(&listing, line.text);
        struct annotated_line read = {
            .text = line.text,
            .size = line.size,
            .end = line.end,
            .is_last = !*line.end && !line.is_piece,
            .number = annotator->line,
            .function = annotator->function,
            .instructions = annotator->instructions + annotator->first,
            .count = annotator->count - annotator->first,
            .before = before,
        };
        if (request->style.brief || !is_chosen(annotator))
            continue;
        if (annotator->holds)
            hold(annotator, &read);
        else
            print_line(annotator, &read, annotator->instructions);
    }
}

/* True if the bytes begin an ELF file or a fatbin; *is_cubin if it is an ELF file for a GPU. */
static bool is_binary(const char *bytes, size_t size, bool *is_cubin) {
    enum { MACHINE = 18, CUDA = 190 };
    static const char elf[] = "\177ELF", fatbin[] = "\x50\xed\x55\xba";
    const bool is_elf = size >= 4 && memcmp(bytes, elf, 4) == 0;
    *is_cubin = is_elf && size > MACHINE && (unsigned char)bytes[MACHINE] == CUDA;
    return is_elf || (size >= 4 && memcmp(bytes, fatbin, 4) == 0);
}

/* Reads the first bytes of a file. If they are those of a binary, fails, and a note names the CUDA
 * tool that disassembles it. Refuses any other file that is not text. */
static enum mapping_status begin_file(const struct request *request, struct lines *lines,
                                      struct pages *pages, struct mapping_error *error) {
    const char *text, *tool;
    struct tool_output output;
    size_t size;
    bool is_cubin;
    enum mapping_status status = lines_peek(lines, &text, &size, error);
    if (status != MAPPING_OK)
        return status;
    if (size == 0)
        return mapping_fail(error, MAPPING_INVALID, "%.200s is not a listing: it is empty",
                            lines->name);
    if (is_binary(text, size, &is_cubin)) {
        if (lines->fd == STDIN_FILENO)
            return mapping_fail(error, MAPPING_INVALID,
                                "standard input is a binary; give the name of the file");
        status =
            sass_disassemble(&request->machinery, lines->name, is_cubin, &output, &tool, error);
        if (status != MAPPING_OK)
            return status;
        lines_replace(lines, output.out, output.out_size);
        snprintf(pages->note, sizeof pages->note, "%.300s is disassembled by %.300s", lines->name,
                 tool);
        return MAPPING_OK;
    }
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return mapping_fail(error, MAPPING_INVALID,
                            "%.200s is in UTF-16, as PowerShell writes files; convert it: iconv -f "
                            "UTF-16 -t UTF-8 %.200s",
                            lines->name, lines->fd == STDIN_FILENO ? "FILE" : lines->name);
    return strlen(text) == size
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "%.200s is not a listing: it has a zero byte, so it is not text",
                              lines->name);
}

enum mapping_status command_annotate(const struct request *request, struct pages *pages,
                                     struct mapping_error *error) {
    struct annotator annotator = {.request = request, .function = ""};
    struct lines *files = memory_get(request->subject_count + 1, sizeof *files);
    enum mapping_status status = MAPPING_OK;
    size_t opened = 0, standard = 0;
    for (size_t s = 0; s < request->subject_count; s++)
        standard += strcmp(request->subjects[s], "-") == 0;
    if (request->subject_count == 0 || !*request->subjects[0])
        return mapping_fail(error, MAPPING_INVALID,
                            "--annotate needs a file, or - for standard "
                            "input");
    if (standard > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "--annotate reads standard input once; name - once");
    pages_init(pages, 1);
    annotator.to = pages->page;
    annotator.holds =
        !request->style.brief && (request->style.detail || request->output->has_origins);
    annotator.origins.make_reports = make_operand_reports;
    annotator.origins.context = &annotator;
    writes_reset(&annotator.writes);
    printer_string(annotator.to); /* allocated in the caller's arena, which outlives the arenas of
                                     lines */
    /* Open all files before anything is printed. */
    while (opened < request->subject_count && status == MAPPING_OK) {
        status = lines_open(request->subjects[opened], &files[opened], error);
        opened += status == MAPPING_OK;
    }
    for (size_t f = 0; f < opened && status == MAPPING_OK; f++)
        status = begin_file(request, &files[f], pages, error);
    for (size_t f = 0; f < opened && status == MAPPING_OK; f++) {
        annotator.arch = request->arch_count > 0 ? request->archs[0]->number : 0;
        annotator.function = "";
        annotator.is_counted = false;
        annotator.is_chosen = !request->function;
        status = read_lines(&annotator, &files[f], error);
        if (*annotator.function && !annotator.is_counted)
            annotator.summary.passed++;
    }
    for (size_t f = 0; f < opened; f++)
        lines_close(&files[f]);
    if (status == MAPPING_OK && request->function && !annotator.has_chosen)
        return mapping_fail(error, MAPPING_INVALID,
                            "no function of the listing has the name '%.100s'; * stands for any "
                            "letters: --function='*%.80s*'",
                            request->function, request->function);
    if (status == MAPPING_OK)
        request->output->listing_end(annotator.to, &annotator.summary, &request->style);
    return status;
}
