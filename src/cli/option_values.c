/* option_values.c - how the arguments of options are read, one function for each kind; see
 * options.h. */
#include "cli/options.h"
#include "command/nearest.h"
#include "command/subject.h"
#include "command/unknown.h"
#include "layout/ascii.h"
#include "layout/banks.h"
#include "layout/sentence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Choices ---- */

struct list list_of(name_function *name_at) {
    struct list list = {.count = 0};
    while (name_at(list.count)) {
        list.word[list.count] = name_at(list.count);
        list.count++;
    }
    return list;
}

void write_list(const struct list *list, const char *prefix, const char *last,
                char text[LIST_TEXT]) {
    *text = '\0';
    for (size_t w = 0; w < list->count; w++)
        mapping_append(text, LIST_TEXT, "%s%s%s",
                       w == 0                 ? ""
                       : w + 1 == list->count ? last
                                              : ", ",
                       prefix, list->word[w]);
}

const char *operand_name_at(size_t n) {
    return n < MAPPING_OPERANDS ? mapping_operand_name((enum mapping_operand)n) : NULL;
}

/* All types, then the C++ names and the names for several types that --type takes, too. */
const char *type_name_at(size_t n) {
    static const char *const others[] = {"double", "float", "half", "int", "fp8",
                                         "fp6",    "fp4",   "int8", "int4"};
    size_t other = n - MAPPING_TYPES;
    return n < MAPPING_TYPES                        ? mapping_type_name((enum mapping_type)n)
           : other < sizeof others / sizeof *others ? others[other]
                                                    : NULL;
}

const char *format_name_at(size_t n) {
    const struct output *output = output_at(n);
    return output ? output->name : NULL;
}

const char *style_name_at(size_t n) {
    return n < FORMULA_STYLES ? formula_style_name((enum formula_style)n) : NULL;
}

const char *color_by_name_at(size_t n) {
    return n + COLOR_BY_THREAD < COLOR_BY_COUNT
               ? color_by_name((enum color_by)(n + COLOR_BY_THREAD))
               : NULL;
}

const char *color_name_at(size_t n) {
    static const char *const names[] = {
        [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
    return n < COLOR_WHEN_COUNT ? names[n] : NULL;
}

/* "auto", and behind it the sources. */
const char *source_name_at(size_t n) {
    const struct source *source = n > 0 ? source_at(n - 1) : NULL;
    return n == 0 ? "auto" : source ? source->name : NULL;
}

const char *source_help_at(size_t n) {
    return n == 0 ? "the first source that is available for each fragment (default)"
                  : source_at(n - 1)->help;
}

const char *access_name_at(size_t n) {
    const struct mapping_access *access = mapping_access_at(n);
    return access ? access->name : NULL;
}

/* Refuses a word that is none of the choices. Lists them, and offers the nearest. */
static enum mapping_status unknown_choice(const struct option_row *row, const char *word,
                                          const char *last, struct mapping_error *error) {
    char known[LIST_TEXT], hint[160];
    const struct list list = list_of(row->choices);
    struct nearest nearest = nearest_to(word);
    for (size_t w = 0; w < list.count; w++)
        nearest_offer(&nearest, list.word[w]);
    nearest_print(&nearest, hint, sizeof hint);
    write_list(&list, "", last, known);
    return mapping_fail(error, MAPPING_INVALID, "unknown %s%s '%.40s'; valid %ss: %s%s",
                        row->value ? "" : "--", row->value ? row->value : row->name, word,
                        row->value ? row->value : "value", known, hint);
}

enum mapping_status read_value(const struct option_row *row, char *text, struct request *request,
                               struct mapping_error *error) {
    if (!row->read)
        return MAPPING_OK;
    *error->message = '\0';
    const enum mapping_status status = row->read(row, text, request, error);
    if (status != MAPPING_INVALID || *error->message)
        return status;
    return row->choices ? unknown_choice(row, text, " and ", error)
                        : mapping_fail(error, MAPPING_INVALID, "'%.40s' is not a valid %s", text,
                                       row->value);
}

/* Finds the number of a choice by its name. */
static bool find_choice(const struct option_row *row, const char *text, size_t *choice) {
    for (*choice = 0; row->choices(*choice); ++*choice)
        if (strcmp(text, row->choices(*choice)) == 0)
            return true;
    return false;
}

enum mapping_status read_choice(const struct option_row *row, char *text, struct request *request,
                                struct mapping_error *error) {
    size_t choice;
    (void)error;
    if (!find_choice(row, text, &choice))
        return MAPPING_INVALID;
    *(unsigned *)(void *)((char *)request + row->choice) = row->first + (unsigned)choice;
    return MAPPING_OK;
}

enum mapping_status read_format(const struct option_row *row, char *text, struct request *request,
                                struct mapping_error *error) {
    size_t choice;
    const char *style;
    for (size_t s = 0; (style = style_name_at(s)); s++)
        if (strlen(text) > 2 && strncmp(text, style, strlen(text)) == 0)
            return mapping_fail(error, MAPPING_INVALID, "'%.40s' is not a format; write --style=%s",
                                text, style);
    if (!find_choice(row, text, &choice))
        return MAPPING_INVALID;
    request->output = output_at(choice);
    return MAPPING_OK;
}

/* ---- What to show ---- */

/* Offers the names of all architectures: of a number, such as 5090, those that have it in them if
 * there are any, else those that are near. */
static void offer_archs(const char *word, char *hint, size_t size) {
    struct nearest nearest = nearest_to(word);
    const struct mapping_arch *arch;
    bool is_part = false, is_number = strlen(word) > 2 && word[strspn(word, "0123456789")] == '\0';
    for (int pass = 0; pass < 2 && !is_part; pass++)
        for (size_t a = 0; (arch = mapping_arch_at(a)); a++)
            for (const char *name = arch->names; *name; name += strspn(name, " ")) {
                char one[32];
                snprintf(one, sizeof one, "%.*s", (int)strcspn(name, " "), name);
                name += strlen(one);
                if (pass == 1)
                    nearest_offer(&nearest, one);
                else if (is_number && strstr(one, word))
                    is_part = nearest_offer(&nearest, one) || is_part;
            }
    nearest_print(&nearest, hint, size);
}

/* Finds an architecture by its name. The error lists the valid names. */
static enum mapping_status read_arch(const char *name, const struct mapping_arch **found,
                                     struct mapping_error *error) {
    *found = mapping_arch_find(name);
    if (*found)
        return MAPPING_OK;
    char known[256] = "", hint[256];
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)); a++)
        mapping_append(known, sizeof known, "%ssm_%u", a ? ", " : "", arch->number);
    offer_archs(name, hint, sizeof hint);
    return mapping_fail(
        error, MAPPING_INVALID,
        "unknown architecture '%.40s'; valid architectures: %s, and names such as volta or a100%s",
        name, known, hint);
}

/* Adds one architecture, unless it is there. The suffix is ' ' if its name has none. */
static void add_arch(const struct mapping_arch *arch, char suffix, struct request *request) {
    if (request->arch_count > 0 && request_wants(request, arch->number))
        return;
    request->suffixes[request->arch_count] = suffix;
    request->archs[request->arch_count++] = arch;
}

/* "all", or architectures separated by commas. */
enum mapping_status read_archs(const struct option_row *row, char *text, struct request *request,
                               struct mapping_error *error) {
    const struct mapping_arch *arch;
    (void)row;
    text += strncmp(text, "rch=", 4) == 0 ? 4 : 0; /* -arch=sm_90, as nvcc has it */
    request->arch_count = 0;
    request->every_arch = strcmp(text, "all") == 0;
    for (size_t a = 0; request->every_arch && (arch = mapping_arch_at(a)); a++)
        add_arch(arch, '\0', request);
    while (!request->every_arch && text) {
        const char *name = strsep(&text, ",");
        if (read_arch(name, &arch, error) != MAPPING_OK)
            return MAPPING_INVALID;
        char suffix = mapping_arch_suffix(name);
        if (!suffix)
            suffix = ' ';
        add_arch(arch, suffix, request);
    }
    return MAPPING_OK;
}

/* True if the text up to a comma is the name of a fragment, or of several. */
static bool names_fragment(const char *text) {
    struct mapping_partial partial;
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    char name[MAPPING_OPCODE_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
    return !mapping_arch_find(name) &&
           (mapping_catalogue_find(name, found) > 0 || mapping_partial_read(name, &partial));
}

/* Two architectures with a comma between them. */
enum mapping_status read_diff(const struct option_row *row, char *text, struct request *request,
                              struct mapping_error *error) {
    char *comma = strchr(text, ',');
    const bool is_fragment = names_fragment(text);
    (void)row;
    if (is_fragment && comma)
        return mapping_fail(error, MAPPING_INVALID,
                            "--diff takes two architectures, as in sm_75,sm_80; to compare two "
                            "fragments, use %.*s --convert=%.60s",
                            (int)(comma - text < 60 ? comma - text : 60), text, comma + 1);
    if (!comma || strchr(comma + 1, ',') || is_fragment)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--diff takes two architectures, as in sm_75,sm_80, not '%.60s'%s%s", text,
            is_fragment ? "; to compare two fragments, use FRAGMENT --convert=" : "",
            is_fragment ? text : "");
    *comma = '\0';
    request->arch_count = 2;
    enum mapping_status status = read_arch(text, &request->archs[0], error);
    return status == MAPPING_OK ? read_arch(comma + 1, &request->archs[1], error) : status;
}

/* Types separated by commas. */
enum mapping_status read_type(const struct option_row *row, char *text, struct request *request,
                              struct mapping_error *error) {
    char name[64], sentence[MAPPING_SENTENCE];
    request->types = 0;
    request->type_name = text;
    for (const char *next = text;; next++) {
        const size_t length = strcspn(next, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, next);
        const uint32_t types = mapping_types_find(name);
        if (!types || length >= sizeof name)
            break;
        request->types |= types;
        next += length;
        if (!*next)
            return MAPPING_OK;
    }
    unknown_scaled(name, sentence);
    return *sentence
               ? mapping_fail(error, MAPPING_INVALID, "unknown type '%.40s'; %s", name, sentence)
               : unknown_choice(row, name, ", ", error);
}

enum mapping_status read_operand(const struct option_row *row, char *text, struct request *request,
                                 struct mapping_error *error) {
    char name[8];
    (void)row, (void)error;
    snprintf(name, sizeof name, "%s", text);
    for (char *c = name; *c; c++)
        *c = ascii_lower(*c);
    return strlen(text) < sizeof name && mapping_operand_find(name, &request->operand)
               ? MAPPING_OK
               : MAPPING_INVALID;
}

/* ---- Questions ---- */

enum mapping_status read_question(const struct option_row *row, char *text, struct request *request,
                                  struct mapping_error *error) {
    struct question *question = &request->style.question;
    if (question->count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "give only one of --at, --thread, --lane and --offset");
    question->kind = row->question.kind;
    return question_parse(text, row->question.fewest, row->question.most, question)
               ? MAPPING_OK
               : MAPPING_INVALID;
}

/* A thread, also as grids name it: T5. */
enum mapping_status read_thread(const struct option_row *row, char *text, struct request *request,
                                struct mapping_error *error) {
    const bool is_named = (*text == 'T' || *text == 't') && ascii_is_digit(text[1]);
    return read_question(row, text + is_named, request, error);
}

enum mapping_status read_register(const struct option_row *row, char *text, struct request *request,
                                  struct mapping_error *error) {
    struct question *question = &request->style.question;
    (void)row, (void)error;
    if (question->kind == ASK_NOTHING)
        question->kind = ASK_SOURCE;
    return question_parse_registers(text, question) ? MAPPING_OK : MAPPING_INVALID;
}

/* ---- Shared memory ---- */

/* Reads two numbers from `least` on and below `end`. */
static enum mapping_status read_pair(const char *text, uint32_t least, uint32_t end,
                                     uint32_t pair[2]) {
    struct question sizes;
    bool is_read = question_parse(text, 2, 2, &sizes);
    for (uint32_t n = 0; n < 2 && is_read; n++) {
        pair[n] = sizes.ranges[n].first;
        is_read = pair[n] == sizes.ranges[n].last && pair[n] >= least && pair[n] < end;
    }
    return is_read ? MAPPING_OK : MAPPING_INVALID;
}

enum mapping_status read_extent(const struct option_row *row, char *text, struct request *request,
                                struct mapping_error *error) {
    (void)row, (void)error;
    return read_pair(text, 1, RANGE_BEYOND, request->extent);
}

/* The load or store that was named last, or what all that follow begin with. */
static struct asked_use *last_use(struct request *request) {
    return request->use_count > 0 ? &request->uses[request->use_count - 1] : &request->use_default;
}

enum mapping_status read_origin(const struct option_row *row, char *text, struct request *request,
                                struct mapping_error *error) {
    (void)row, (void)error;
    last_use(request)->has_origin = true;
    return read_pair(text, 0, INT32_MAX, last_use(request)->origin);
}

/* Two of m, n and k. */
enum mapping_status read_axes(const struct option_row *row, char *text, struct request *request,
                              struct mapping_error *error) {
    (void)row, (void)error;
    if (strlen(text) != 3 || text[1] != ',' || text[0] == text[2] || !strchr("mnk", text[0]) ||
        !strchr("mnk", text[2]))
        return MAPPING_INVALID;
    request->axes = (struct matrix_axes){text[0], text[2]};
    return MAPPING_OK;
}

/* Finds an operation on shared memory by its name. */
static enum mapping_status find_access(const struct option_row *row, const char *name,
                                       const struct mapping_access **access,
                                       struct mapping_error *error) {
    *access = mapping_access_find(name);
    return *access ? MAPPING_OK : unknown_choice(row, name, " and ", error);
}

enum mapping_status read_access(const struct option_row *row, char *text, struct request *request,
                                struct mapping_error *error) {
    /* All 32 addresses are given, so it is the operation that reads 32. */
    if (strcmp(text, "ldmatrix") == 0 || strcmp(text, "stmatrix") == 0)
        return find_access(row, *text == 'l' ? "ldmatrix.x4" : "stmatrix.x4", &request->access,
                           error);
    text += strspn(text, " \t");
    text[strcspn(text, " \t[")] = '\0'; /* without operands */
    return find_access(row, text, &request->access, error);
}

/* An operation on shared memory, or a load or store of Tensor Memory. */
enum mapping_status read_with(const struct option_row *row, char *text, struct request *request,
                              struct mapping_error *error) {
    if (!mapping_transfer_is_meant(text))
        return request->has_transfer && request->use_count == 0
                   ? mapping_fail(error, MAPPING_INVALID,
                                  "--with=%.40s is for shared memory, and another --with is for "
                                  "Tensor Memory; give only one of them",
                                  text)
                   : find_access(row, text, &last_use(request)->with, error);
    if (request->has_transfer)
        return mapping_fail(error, MAPPING_INVALID,
                            "--with is given twice; the second one is '%.60s'", text);
    request->has_transfer = mapping_transfer_read(text, &request->transfer);
    return request->has_transfer
               ? subject_check_split(text, &request->transfer.move, error)
               : mapping_fail(error, MAPPING_INVALID,
                              "'%.80s' is not a valid load or store of Tensor Memory; write "
                              "tcgen05.ld.SHAPE or tcgen05.st.SHAPE, such as "
                              "tcgen05.ld.32x32b.x32; valid shapes: .32x32b, .16x64b and .16x32bx2 "
                              "with .x1 to .x128, .16x128b with .x1 to .x64, .16x256b with .x1 to "
                              ".x32; .pack::16b (ld) or .unpack::16b (st) may follow",
                              text);
}

/* A fragment that is loaded or stored. */
enum mapping_status read_use(const struct option_row *row, char *text, struct request *request,
                             struct mapping_error *error) {
    struct asked_use *use = &request->uses[request->use_count++];
    (void)error;
    *use = request->use_default;
    use->name = text;
    use->is_store = strcmp(row->name, "store") == 0;
    return MAPPING_OK;
}

/* ---- Formulae and sources ---- */

enum mapping_status read_formula(const struct option_row *row, char *text, struct request *request,
                                 struct mapping_error *error) {
    (void)row, (void)error;
    request->formulae[request->formula_count++] = text;
    return MAPPING_OK;
}

/* "auto", or sources separated by commas. */
enum mapping_status read_sources(const struct option_row *row, char *text, struct request *request,
                                 struct mapping_error *error) {
    const char *const any = source_name_at(0);
    request->source_count = 0;
    if (strcmp(text, any) == 0)
        return MAPPING_OK;
    while (text) {
        const char *name = strsep(&text, ",");
        const struct source *source = source_find(name);
        if (strcmp(name, any) == 0)
            return mapping_fail(error, MAPPING_INVALID,
                                "source 'auto' cannot be combined with others");
        if (!source)
            return unknown_choice(row, name, " and ", error);
        for (size_t s = 0; s < request->source_count; s++)
            if (request->sources[s] == source)
                return mapping_fail(error, MAPPING_INVALID, "source '%s' is named twice", name);
        request->sources[request->source_count++] = source;
    }
    return MAPPING_OK;
}

enum mapping_status read_device(const struct option_row *row, char *text, struct request *request,
                                struct mapping_error *error) {
    char *end;
    const long number = strtol(text, &end, 10);
    (void)row, (void)error;
    request->machinery.device = (int)number;
    return end > text && !*end && 0 <= number && number <= 1000000 ? MAPPING_OK : MAPPING_INVALID;
}

enum mapping_status read_timeout(const struct option_row *row, char *text, struct request *request,
                                 struct mapping_error *error) {
    char *end;
    (void)row, (void)error;
    const double seconds = request->machinery.timeout = strtod(text, &end);
    return end > text && !*end && seconds > 0 && seconds <= 1e6 ? MAPPING_OK : MAPPING_INVALID;
}

/* The folder of a toolkit. */
enum mapping_status read_cuda(const struct option_row *row, char *text, struct request *request,
                              struct mapping_error *error) {
    struct machinery *machinery = &request->machinery;
    struct stat information;
    (void)row;
    if (machinery->cuda_folder_count == CUDA_FOLDERS_MAX)
        return mapping_fail(error, MAPPING_INVALID, "--cuda is given more than %d times",
                            CUDA_FOLDERS_MAX);
    if (stat(text, &information) != 0 || !S_ISDIR(information.st_mode))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no folder '%.200s' for --cuda",
                            text);
    machinery->cuda_folders[machinery->cuda_folder_count++] = text;
    return MAPPING_OK;
}
