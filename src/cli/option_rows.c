/* option_rows.c - the options, and how the argument of each is read; see option_rows.h. Read from
 * the end: the last table has all options, and names what is above it. */
#include "cli/option_rows.h"

#include "command/nearest.h"
#include "command/subject.h"
#include "command/unknown.h"
#include "layout/ascii.h"
#include "layout/banks.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* ---- Choices ---- */

void list_names(name_function *name_at, char *text, size_t size) {
    size_t length = 0;
    *text = '\0';
    for (size_t n = 0; name_at(n) && length < size; n++)
        length += (size_t)snprintf(text + length, size - length, "%s%s",
                                   n == 0           ? ""
                                   : name_at(n + 1) ? ", "
                                                    : " and ",
                                   name_at(n));
}

static const char *operand_name_at(size_t n) {
    return n < MAPPING_OPERANDS ? mapping_operand_name((enum mapping_operand)n) : NULL;
}

/* All types, then the C++ names and the names for several types that --type takes, too. */
static const char *type_name_at(size_t n) {
    static const char *const others[] = {"double", "float", "half", "int", "fp8",
                                         "fp6",    "fp4",   "int8", "int4"};
    size_t other = n - MAPPING_TYPES;
    return n < MAPPING_TYPES                        ? mapping_type_name((enum mapping_type)n)
           : other < sizeof others / sizeof *others ? others[other]
                                                    : NULL;
}

static const char *format_name_at(size_t n) {
    const struct output *output = output_at(n);
    return output ? output->name : NULL;
}

static const char *style_name_at(size_t n) {
    return n < FORMULA_STYLES ? formula_style_name((enum formula_style)n) : NULL;
}

static const char *color_by_name_at(size_t n) {
    return n + COLOR_BY_THREAD < COLOR_BY_COUNT
               ? color_by_name((enum color_by)(n + COLOR_BY_THREAD))
               : NULL;
}

static const char *color_name_at(size_t n) {
    static const char *const names[] = {
        [COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};
    return n < COLOR_WHEN_COUNT ? names[n] : NULL;
}

const char *source_name_at(size_t n) {
    const struct source *source = n > 0 ? source_at(n - 1) : NULL;
    return n == 0 ? "auto" : source ? source->name : NULL;
}

static const char *access_name_at(size_t n) {
    const struct mapping_access *access = mapping_access_at(n);
    return access ? access->name : NULL;
}

/* The topics of --help, and "all". */
static const char *topic_name_at(size_t n) {
    const struct topic_row *topic = topic_at(n);
    return topic ? topic->name : n == TOPIC_FURTHER ? "all" : NULL;
}

/* Writes "; did you mean X?" with the names that are nearest to a word; nothing if none is near. */
#define HINT_SIZE 160
static void offer_names(const char *word, name_function *name_at, char hint[HINT_SIZE]) {
    struct nearest nearest = nearest_to(word);
    for (size_t n = 0; name_at(n); n++)
        nearest_offer(&nearest, name_at(n));
    nearest_print(&nearest, hint, HINT_SIZE);
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
    size_t length = 0;
    const struct mapping_arch *arch;
    for (size_t a = 0; (arch = mapping_arch_at(a)) && length < sizeof known; a++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%ssm_%u", a ? ", " : "",
                                   arch->number);
    offer_archs(name, hint, sizeof hint);
    return mapping_fail(
        error, MAPPING_INVALID,
        "unknown architecture '%.40s'; valid architectures: %s, and names such as volta or a100%s",
        name, known, hint);
}

/* Adds one architecture, unless it is there. */
static enum mapping_status add_arch(const char *name, struct request *request,
                                    struct mapping_error *error) {
    const struct mapping_arch *arch;
    enum mapping_status status = read_arch(name, &arch, error);
    if (status == MAPPING_OK &&
        (request->arch_count == 0 || !request_wants(request, arch->number))) {
        char suffix = mapping_arch_suffix(name);
        if (!suffix)
            suffix = ' '; /* the name of a product has no letter */
        request->suffixes[request->arch_count] = suffix;
        request->archs[request->arch_count++] = arch;
    }
    return status;
}

/* "all", or architectures separated by commas. */
static enum mapping_status take_archs(char *text, struct request *request,
                                      struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    text += strncmp(text, "rch=", 4) == 0 ? 4 : 0; /* -arch=sm_90, as nvcc has it */
    request->arch_count = 0;
    request->every_arch = strcmp(text, "all") == 0;
    while (request->every_arch && mapping_arch_at(request->arch_count)) {
        request->suffixes[request->arch_count] = '\0';
        request->archs[request->arch_count] = mapping_arch_at(request->arch_count);
        request->arch_count++;
    }
    for (char *name = request->every_arch ? NULL : text; name && status == MAPPING_OK;
         name = text) {
        if ((text = strchr(name, ',')))
            *text++ = '\0';
        status = add_arch(name, request, error);
    }
    return status;
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
static enum mapping_status take_diff(char *text, struct request *request,
                                     struct mapping_error *error) {
    char *comma = strchr(text, ',');
    const bool is_fragment = names_fragment(text);
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

/* Fails, and lists the valid types. */
static enum mapping_status unknown_type(const char *text, struct mapping_error *error) {
    char known[256] = "", hint[HINT_SIZE], sentence[MAPPING_SENTENCE];
    size_t length = 0;
    unknown_scaled(text, sentence);
    if (*sentence)
        return mapping_fail(error, MAPPING_INVALID, "unknown type '%.40s'; %s", text, sentence);
    for (size_t t = 0; type_name_at(t) && length < sizeof known; t++)
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", t ? ", " : "",
                                   type_name_at(t));
    offer_names(text, type_name_at, hint);
    return mapping_fail(error, MAPPING_INVALID, "unknown type '%.40s'; valid types: %s%s", text,
                        known, hint);
}

/* Types separated by commas. */
static enum mapping_status take_type(char *text, struct request *request,
                                     struct mapping_error *error) {
    char name[64];
    request->types = 0;
    request->type_name = text;
    for (const char *next = text;; next++) {
        const size_t length = strcspn(next, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, next);
        const uint32_t types = mapping_types_find(name);
        if (!types || length >= sizeof name)
            return unknown_type(name, error);
        request->types |= types;
        next += length;
        if (!*next)
            return MAPPING_OK;
    }
}

static enum mapping_status take_operand(char *text, struct request *request,
                                        struct mapping_error *error) {
    char known[128], hint[HINT_SIZE];
    char name[8];
    snprintf(name, sizeof name, "%s", text);
    for (char *c = name; *c; c++)
        *c = ascii_lower(*c);
    request->has_operand =
        strlen(text) < sizeof name && mapping_operand_find(name, &request->operand);
    if (request->has_operand)
        return MAPPING_OK;
    list_names(operand_name_at, known, sizeof known);
    offer_names(text, operand_name_at, hint);
    return mapping_fail(error, MAPPING_INVALID, "unknown operand '%.40s'; valid operands: %s%s",
                        text, known, hint);
}

/* Finds the number of a choice by its name. The error lists the valid names. */
static enum mapping_status read_choice(const char *text, const char *what, name_function *name_at,
                                       size_t *choice, struct mapping_error *error) {
    char known[128], hint[HINT_SIZE];
    *choice = 0;
    for (const char *name; (name = name_at(*choice)); ++*choice)
        if (strcmp(text, name) == 0)
            return MAPPING_OK;
    list_names(name_at, known, sizeof known);
    offer_names(text, name_at, hint);
    return mapping_fail(error, MAPPING_INVALID, "unknown %s '%.40s'; valid %ss: %s%s", what, text,
                        *what == '-' ? "value" : what, known, hint);
}

static enum mapping_status take_topic(char *text, struct request *request,
                                      struct mapping_error *error) {
    size_t choice;
    struct mapping_error unknown;
    request->help_topic = text;
    if (!text || read_choice(text, "topic", topic_name_at, &choice, &unknown) == MAPPING_OK)
        return MAPPING_OK;
    for (size_t o = 0; option_at(o); o++) { /* --help=verify is --help=compare */
        const struct option_row *row = option_at(o);
        const struct topic_row *topic = topic_at(row->topic);
        if (row->name && topic && strcmp(row->name, text) == 0) {
            request->help_topic = topic->name;
            return MAPPING_OK;
        }
    }
    *error = unknown;
    return MAPPING_INVALID;
}

static enum mapping_status take_format(char *text, struct request *request,
                                       struct mapping_error *error) {
    size_t choice;
    const char *style;
    for (size_t s = 0; (style = style_name_at(s)); s++)
        if (strlen(text) > 2 && strncmp(text, style, strlen(text)) == 0)
            return mapping_fail(error, MAPPING_INVALID, "'%.40s' is not a format; write --style=%s",
                                text, style);
    enum mapping_status status = read_choice(text, "format", format_name_at, &choice, error);
    if (status == MAPPING_OK)
        request->output = output_at(choice);
    return status;
}

static enum mapping_status take_style(char *text, struct request *request,
                                      struct mapping_error *error) {
    size_t choice;
    enum mapping_status status = read_choice(text, "style", style_name_at, &choice, error);
    if (status == MAPPING_OK) {
        request->style.formula = (enum formula_style)choice;
        request->has_style = true;
    }
    return status;
}

static enum mapping_status take_color_by(char *text, struct request *request,
                                         struct mapping_error *error) {
    size_t choice;
    enum mapping_status status = read_choice(text, "--color-by", color_by_name_at, &choice, error);
    if (status == MAPPING_OK)
        request->style.color_by = (enum color_by)(choice + COLOR_BY_THREAD);
    return status;
}

static enum mapping_status take_color(char *text, struct request *request,
                                      struct mapping_error *error) {
    size_t choice;
    enum mapping_status status = read_choice(text, "--color", color_name_at, &choice, error);
    if (status == MAPPING_OK)
        request->color = (enum color_when)choice;
    return status;
}

/* ---- Questions ---- */

static enum mapping_status take_question(const char *text, enum question_kind kind, uint32_t fewest,
                                         uint32_t most, const char *form, struct request *request,
                                         struct mapping_error *error) {
    struct question *question = &request->style.question;
    if (question->count > 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "give only one of --at, --thread, --lane and --offset");
    question->kind = kind;
    return question_parse(text, fewest, most, question)
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID, "'%.40s' is not a valid %s", text, form);
}

static enum mapping_status take_at(char *text, struct request *request,
                                   struct mapping_error *error) {
    request->style.question.is_of_last = true;
    return take_question(text, ASK_TARGET, 2, 3,
                         "element; --at takes ROW,COL (such as 3,5 or '0-7,*') or BLOCK,ROW,COL",
                         request, error);
}

static enum mapping_status take_thread(char *text, struct request *request,
                                       struct mapping_error *error) {
    if ((*text == 'T' || *text == 't') && ascii_is_digit(text[1]))
        text++; /* as grids name threads */
    return take_question(text, ASK_SOURCE, 1, 2,
                         "thread; --thread takes TID or TID,I (such as 5 or '0-3,*')", request,
                         error);
}

static enum mapping_status take_register(char *text, struct request *request,
                                         struct mapping_error *error) {
    struct question *question = &request->style.question;
    if (question->kind == ASK_NOTHING)
        question->kind = ASK_SOURCE;
    return question_parse_registers(text, question)
               ? MAPPING_OK
               : mapping_fail(error, MAPPING_INVALID,
                              "'%.40s' is not a valid register; --register takes a number (2), a "
                              "range (0-1), or a register of the given SASS or PTX instruction "
                              "(R9)",
                              text);
}

static enum mapping_status take_lane(char *text, struct request *request,
                                     struct mapping_error *error) {
    request->style.question.is_of_lane = true;
    return take_question(
        text, ASK_SOURCE, 1, 3,
        "lane; in Tensor Memory, --lane takes LANE, LANE,COLUMN or LANE,COLUMN,BIT (such as 5 or "
        "'0-3,*'); for registers, it takes TID or TID,I",
        request, error);
}

static enum mapping_status take_offset(char *text, struct request *request,
                                       struct mapping_error *error) {
    request->style.question.is_of_offset = true;
    return take_question(
        text, ASK_TARGET, 1, 1,
        "offset; --offset takes an offset in elements or a range, such as 72 or 64-127", request,
        error);
}

/* Two numbers. */
static enum mapping_status take_extent(char *text, struct request *request,
                                       struct mapping_error *error) {
    struct question sizes;
    bool is_read = question_parse(text, 2, 2, &sizes);
    for (uint32_t e = 0; e < 2 && is_read; e++) {
        const struct range *range = &sizes.ranges[e];
        is_read = range->first == range->last && range->first > 0 && range->first < RANGE_BEYOND;
        request->extent[e] = range->first;
    }
    return is_read ? MAPPING_OK
                   : mapping_fail(
                         error, MAPPING_INVALID,
                         "'%.40s' is not a valid extent; --extent takes two sizes, such as 64,16",
                         text);
}

/* ---- Shared memory ---- */

/* Finds an operation by its name. The error lists the valid names. */
static enum mapping_status read_access(const char *text, const struct mapping_access **access,
                                       struct mapping_error *error) {
    char known[512], hint[HINT_SIZE];
    *access = mapping_access_find(text);
    if (*access)
        return MAPPING_OK;
    list_names(access_name_at, known, sizeof known);
    offer_names(text, access_name_at, hint);
    return mapping_fail(error, MAPPING_INVALID, "unknown operation '%.40s'; valid operations: %s%s",
                        text, known, hint);
}

/* The load or store that was named last, or what all that follow begin with. */
static struct asked_use *last_use(struct request *request) {
    return request->use_count > 0 ? &request->uses[request->use_count - 1] : &request->use_default;
}

static enum mapping_status take_origin(char *text, struct request *request,
                                       struct mapping_error *error) {
    struct asked_use *use = last_use(request);
    struct question place;
    bool is_read = question_parse(text, 2, 2, &place);
    for (uint32_t a = 0; a < 2 && is_read; a++) {
        is_read =
            place.ranges[a].first == place.ranges[a].last && place.ranges[a].first < INT32_MAX;
        use->origin[a] = place.ranges[a].first;
    }
    use->has_origin = true;
    return is_read
               ? MAPPING_OK
               : mapping_fail(
                     error, MAPPING_INVALID,
                     "'%.40s' is not a valid origin; --origin takes ROW,COL, such as 16,32", text);
}

/* Two of m, n and k. */
static enum mapping_status take_axes(char *text, struct request *request,
                                     struct mapping_error *error) {
    bool is_read = strlen(text) == 3 && text[1] == ',' && text[0] != text[2] &&
                   strchr("mnk", text[0]) && strchr("mnk", text[2]);
    if (!is_read)
        return mapping_fail(
            error, MAPPING_INVALID,
            "'%.40s' is not a valid pair of axes; --axes takes the axis of the rows, then the axis "
            "of the columns: m,k or k,m for A, k,n or n,k for B, m,n or n,m for C and D",
            text);
    request->axes = (struct matrix_axes){text[0], text[2]};
    return MAPPING_OK;
}

/* Reads what loads from Tensor Memory, or stores there. */
static enum mapping_status read_transfer(const char *text, struct request *request,
                                         struct mapping_error *error) {
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

static enum mapping_status take_with(char *text, struct request *request,
                                     struct mapping_error *error) {
    if (mapping_transfer_is_meant(text))
        return read_transfer(text, request, error);
    if (!request->has_transfer || request->use_count > 0)
        return read_access(text, &last_use(request)->with, error);
    return mapping_fail(error, MAPPING_INVALID,
                        "--with=%.40s is for shared memory, and another --with is for Tensor "
                        "Memory; give only one of them",
                        text);
}

static enum mapping_status take_access(char *text, struct request *request,
                                       struct mapping_error *error) {
    /* All 32 addresses are given, so it is the operation that reads 32. */
    if (strcmp(text, "ldmatrix") == 0 || strcmp(text, "stmatrix") == 0)
        return read_access(*text == 'l' ? "ldmatrix.x4" : "stmatrix.x4", &request->access, error);
    text += strspn(text, " \t");
    text[strcspn(text, " \t[")] = '\0'; /* without operands */
    return read_access(text, &request->access, error);
}

static enum mapping_status add_use(const char *text, bool is_store, struct request *request) {
    struct asked_use *use = &request->uses[request->use_count++];
    *use = request->use_default;
    use->name = text;
    use->is_store = is_store;
    return MAPPING_OK;
}

static enum mapping_status take_load(char *text, struct request *request,
                                     struct mapping_error *error) {
    (void)error;
    return add_use(text, false, request);
}

static enum mapping_status take_store(char *text, struct request *request,
                                      struct mapping_error *error) {
    (void)error;
    return add_use(text, true, request);
}

/* ---- Formulae ---- */

static enum mapping_status take_formula(char *text, struct request *request,
                                        struct mapping_error *error) {
    (void)error;
    request->formulae[request->formula_count++] = text;
    return MAPPING_OK;
}

/* ---- Where it comes from ---- */

/* Adds one source by name. */
static enum mapping_status add_source(const char *name, struct request *request,
                                      struct mapping_error *error) {
    char known[128];
    const struct source *source = source_find(name);
    if (strcmp(name, source_name_at(0)) == 0)
        return mapping_fail(error, MAPPING_INVALID, "source 'auto' cannot be combined with others");
    if (!source) {
        char hint[HINT_SIZE];
        list_names(source_name_at, known, sizeof known);
        offer_names(name, source_name_at, hint);
        return mapping_fail(error, MAPPING_INVALID, "unknown source '%.40s'; valid sources: %s%s",
                            name, known, hint);
    }
    for (size_t s = 0; s < request->source_count; s++)
        if (request->sources[s] == source)
            return mapping_fail(error, MAPPING_INVALID, "source '%s' is named twice", name);
    request->sources[request->source_count++] = source;
    return MAPPING_OK;
}

/* "auto", or sources separated by commas. */
static enum mapping_status take_sources(char *text, struct request *request,
                                        struct mapping_error *error) {
    enum mapping_status status = MAPPING_OK;
    request->source_count = 0;
    if (strcmp(text, source_name_at(0)) == 0)
        return MAPPING_OK;
    for (char *name = text; name && status == MAPPING_OK; name = text) {
        if ((text = strchr(name, ',')))
            *text++ = '\0';
        status = add_source(name, request, error);
    }
    return status;
}

static enum mapping_status take_device(char *text, struct request *request,
                                       struct mapping_error *error) {
    char *end;
    long number = strtol(text, &end, 10);
    if (end == text || *end || number < 0 || number > 1000000)
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.40s' is not a valid device; --device takes a number, 0 or more",
                            text);
    request->machinery.device = (int)number;
    request->has_device = true;
    return MAPPING_OK;
}

static enum mapping_status take_timeout(char *text, struct request *request,
                                        struct mapping_error *error) {
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds > 0 && seconds <= 1e6))
        return mapping_fail(error, MAPPING_INVALID,
                            "'%.40s' is not a valid time limit; --timeout takes a number of "
                            "seconds, at most 1000000",
                            text);
    request->machinery.timeout = seconds;
    return MAPPING_OK;
}

/* The folder of a toolkit. */
static enum mapping_status take_cuda(char *text, struct request *request,
                                     struct mapping_error *error) {
    struct machinery *machinery = &request->machinery;
    struct stat information;
    if (machinery->cuda_folder_count == CUDA_FOLDERS_MAX)
        return mapping_fail(error, MAPPING_INVALID, "--cuda is given more than %d times",
                            CUDA_FOLDERS_MAX);
    if (stat(text, &information) != 0 || !S_ISDIR(information.st_mode))
        return mapping_fail(error, MAPPING_UNAVAILABLE, "there is no folder '%.200s' for --cuda",
                            text);
    machinery->cuda_folders[machinery->cuda_folder_count++] = text;
    return MAPPING_OK;
}

/* Sets of actions. */
enum {
    SHOW = 1 << ACTION_SHOW,
    ASK = 1 << ACTION_ASK,
    LIST = 1 << ACTION_LIST,
    DIFF = 1 << ACTION_DIFF,
    CHECK = 1 << ACTION_CHECK | 1 << ACTION_CONFIRM,
    VERIFY = 1 << ACTION_VERIFY,
    MAP = 1 << ACTION_MAP,
    CONVERT = 1 << ACTION_CONVERT,
    LOAD = 1 << ACTION_LOAD,
    SUGGEST = 1 << ACTION_SUGGEST,
    ACCESS = 1 << ACTION_ACCESS,
    TILES = SHOW | ASK | VERIFY | LOAD | SUGGEST,
    SUBJECTS = TILES | CONVERT,         /* fragments by name */
    OBSERVED = SUBJECTS | DIFF | CHECK, /* out of sources */
    ANY = (1 << ACTIONS) - 1
};

/* Where an option is noted in a request. */
#define FIELD(member) offsetof(struct request, member)

/* ---- Topics ---- */

static const struct topic_row topics[] = {
    [TOPIC_FRAGMENTS] = {"fragments", "names, types and operands; grids; questions; tiles"},
    [TOPIC_MEMORY] = {"memory", "matrices in shared memory; loads, stores, bank conflicts"},
    [TOPIC_TENSOR_MEMORY] = {"tensor-memory",
                             "operands in Tensor Memory; tcgen05.ld and tcgen05.st"},
    [TOPIC_COMPARE] = {"compare", "check formulae; derive them from tables; convert"},
    [TOPIC_CODE] = {"code", "output formats: CUDA code, CuTe and Triton notation"},
    [TOPIC_PICTURES] = {"pictures", "colors and cells of grids and pictures"},
    [TOPIC_SOURCES] = {"sources", "where layouts come from; check the recorded results"},
    [TOPIC_ARCHITECTURES] = {"architectures",
                             "architecture numbers (sm_XX); GPU families and products"},
};

const struct topic_row *topic_at(size_t index) {
    return index < sizeof topics / sizeof *topics ? &topics[index] : NULL;
}

/* ---- Options ---- */

static const struct option_row rows[] = {
    {
        .argument = "FRAGMENT",
        .help = "one of these forms:\n"
                "- a name from --list: mma.m16n8k16.a.bf16\n"
                "- an instruction or pattern: mma.m16n8k16, 'mma.*.d.f32'\n"
                "- a PTX opcode:\n"
                "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
                "- a CuTe atom: SM80_16x8x16_F32F16F16F32_TN\n"
                "- a PTX or SASS instruction; --at and --thread print its\n"
                "  registers: 'HMMA.16816.F32 R4, R8, R16, R4'\n"
                "- a C++ type:\n"
                "  'fragment<matrix_a,16,16,16,half,row_major>'\n"
                "- an operand in Tensor Memory:\n"
                "  tcgen05.mma.m128n128k16.d.f32",
    },
    {
        .letter = 't',
        .name = "type",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS | LIST | DIFF,
        .argument = "TYPE",
        .help = "show only fragments of this type. Without FRAGMENT, show D of wmma in this type. "
                "Types: f64 (double), f32 (float), tf32, bf16, f16 (half), s32 (int), s8, u8, s4, "
                "u4, b1, e4m3, ...; groups: fp8, fp6, fp4, int8, int4; or a list: f16,bf16",
        .take = take_type,
    },
    {
        .letter = 'o',
        .name = "operand",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS | LIST | DIFF,
        .argument = "NAME",
        .help = "show only this operand: a, b, c, d, e (sparsity metadata), sfa and sfb (scale "
                "factors), r (registers) or p (row addresses) of ldmatrix and stmatrix",
        .choices = operand_name_at,
        .take = take_operand,
    },
    {
        .letter = 'A',
        .name = "all",
        .topic = TOPIC_FRAGMENTS,
        .actions = SHOW | ASK | LIST | VERIFY,
        .flag = FIELD(all),
        .help = "show all fragments of the architecture",
    },
    {
        .letter = 'l',
        .name = "list",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_LIST,
        .help = "list the fragments and the sources of their layouts. 'emulated' marks "
                "fragments whose opcodes ptxas replaces by other instructions, and where",
    },
    {
        .name = "detail",
        .topic = TOPIC_FRAGMENTS,
        .actions = SHOW | ASK | MAP,
        .flag = FIELD(style.detail),
        .needs = NEEDS_DETAIL,
        .help =
            "also print all evidence, types, registers, bytes, the number of threads that share a "
            "row or column, the conversion to an operand of a following MMA, and the SASS of "
            "opcodes "
            "on each architecture",
    },
    {
        .name = "brief",
        .topic = TOPIC_FRAGMENTS,
        .actions = SHOW | ASK | MAP | CONVERT,
        .flag = FIELD(style.brief),
        .needs = NEEDS_BRIEF,
        .help = "print only formulae, without grids; with --at, --thread, --lane or --convert, "
                "only the answer, without the lines above it",
    },
    {
        .name = "at",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_ASK,
        .argument = "ROW,COL",
        .group = "Questions; each number may also be a range, 3-5, or * for all:",
        .help = "print the thread, i and register that hold this element. If there are several "
                "matrices, use BLOCK,ROW,COL. If FRAGMENT is an opcode, the output omits operands "
                "that do not have this element",
        .take = take_at,
    },
    {
        .name = "thread",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_ASK,
        .argument = "TID[,I]",
        .help =
            "print the elements that this thread holds, and their registers. --tid and --lane mean "
            "the same; but for an operand in Tensor Memory, --lane selects a lane of Tensor Memory",
        .take = take_thread,
    },
    {
        .name = "register",
        .topic = TOPIC_FRAGMENTS,
        .action = ACTION_ASK,
        .argument = "REG",
        .help = "print only the elements in this register of the thread: a number from 0, or a "
                "register of the SASS or PTX instruction, such as R9. Without --thread, of all "
                "threads",
        .take = take_register,
    },
    {
        .name = "tid",
        .topic = TOPIC_FRAGMENTS,
        .actions = ASK,
        .action = ACTION_ASK,
        .argument = "TID[,I]",
        .take = take_thread,
        .is_alias = true,
    },
    {
        .name = "atom-layout",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS,
        .text = FIELD(atom_layout),
        .argument = "L",
        .group = "A tile of several mma or wgmma, as CuTe's make_tiled_mma builds it:",
        .help = "the layout of atoms in M, N and K: '(2,2,1):(2,1,0)'. Each atom uses different "
                "threads. Default: one atom",
    },
    {
        .name = "permutation",
        .topic = TOPIC_FRAGMENTS,
        .actions = SUBJECTS,
        .text = FIELD(permutation),
        .argument = "P",
        .help = "the size of the tile in M, N and K: 64,32,16, or _ for the size of the atoms. "
                "Atoms are repeated to fill the tile. A layout in place of a size also orders "
                "rows, columns or K: '((16,2,4):(1,64,16)),128,_'. The cookbook has an example",
    },
    {
        .topic = TOPIC_MEMORY,
        .argument = "LAYOUT",
        .help = "a matrix in memory: '(64,64):(64,1)',\n'Sw<3,3,3> o 0 o (64,64):(64,1)', "
                "Layout_K_SW128_Atom,\n'TensorOpMultiplicand<16,64>', RowMajor, ...; --type\nsets "
                "the type of its elements",
    },
    {
        .name = "extent",
        .topic = TOPIC_MEMORY,
        .actions = SHOW | ASK | VERIFY | LOAD | SUGGEST,
        .argument = "N,N",
        .help = "the size of LAYOUT, if its name does not give it: ROWS,COLUMNS. For a CUTLASS 2 "
                "layout whose name contains neither Row nor Column, it is COLUMNS,ROWS, which "
                "CUTLASS calls contiguous and strided",
        .take = take_extent,
    },
    {
        .name = "offset",
        .topic = TOPIC_MEMORY,
        .action = ACTION_ASK,
        .argument = "N",
        .help = "print the element at this offset (in elements) of a matrix in memory. "
                "--at=ROW,COL prints the offset of an element",
        .take = take_offset,
    },
    {
        .name = "load",
        .topic = TOPIC_MEMORY,
        .action = ACTION_LOAD,
        .actions = SUGGEST | VERIFY,
        .times = MANY,
        .argument = "FRAGMENT",
        .help =
            "print the accesses that load the fragment from LAYOUT, the address of each thread, "
            "and the wavefronts; with --format=cuda, print a function that loads it. The fragment"
            " can be a tile (--atom-layout, --permutation). The option may be repeated",
        .take = take_load,
    },
    {
        .name = "store",
        .topic = TOPIC_MEMORY,
        .action = ACTION_LOAD,
        .actions = SUGGEST | VERIFY,
        .times = MANY,
        .argument = "FRAGMENT",
        .help = "the same for stores of the fragment from registers. --store=cp.async copies the "
                "whole matrix, 16 bytes per lane; --store=tma copies it with TMA",
        .take = take_store,
    },
    {
        .name = "origin",
        .topic = TOPIC_MEMORY,
        .actions = LOAD,
        .times = MANY,
        .argument = "ROW,COL",
        .help = "the row and column of the matrix where the fragment begins (default: 0,0)",
        .take = take_origin,
    },
    {
        .name = "axes",
        .topic = TOPIC_MEMORY,
        .actions = LOAD | SUGGEST,
        .argument = "ROWS,COLS",
        .help = "the axes (M, N or K) of the rows and columns of LAYOUT: n,k for a B that is "
                "stored N x K. Default: m,k for A; k,n for B; m,n for C and D. For B in a CuTe "
                "layout atom such as Layout_K_SW128_Atom, the default is n,k",
        .take = take_axes,
    },
    {
        .name = "with",
        .topic = TOPIC_MEMORY,
        .actions = SHOW | ASK | VERIFY | LOAD | SUGGEST,
        .times = MANY,
        .argument = "OP",
        .help = "use only this operation: ld.b128, ldmatrix.x4.trans, ... --with and --origin "
                "apply to the --load or --store before them. If they come before the first --load "
                "or --store, they apply to all. --help=tensor-memory describes --with=tcgen05.ld",
        .choices = access_name_at,
        .take = take_with,
    },
    {
        .name = "suggest",
        .topic = TOPIC_MEMORY,
        .action = ACTION_SUGGEST,
        .help =
            "list the swizzles and paddings of LAYOUT with the fewest wavefronts for all --load "
            "and --store options, best first",
    },
    {
        .name = "access",
        .topic = TOPIC_MEMORY,
        .action = ACTION_ACCESS,
        .argument = "OP",
        .help = "count the wavefronts of a warp's access, and show the lanes that conflict in each "
                "bank. OP is ld or st with .u8, .u16, .b32, .b64 or .b128; ldmatrix or stmatrix "
                "with .x1, .x2 or .x4, with or without .trans; or a PTX or SASS instruction: "
                "ld.shared.v4.f32, LDS.64",
        .choices = access_name_at,
        .take = take_access,
    },
    {
        .name = "address",
        .topic = TOPIC_MEMORY,
        .actions = ACCESS,
        .text = FIELD(address),
        .argument = "LIST|CODE",
        .help = "the byte address of each lane: a C expression,\n'tid * 16', or 32 numbers, with - "
                "for an inactive lane:\n0,4,-,12,...",
    },
    {
        .name = "lane",
        .topic = TOPIC_TENSOR_MEMORY,
        .action = ACTION_ASK,
        .argument = "LANE[,COLUMN]",
        .help = "print the elements in this lane of Tensor Memory, or at this lane and column; "
                "FRAGMENT is an operand such as tcgen05.mma.m128n128k16.d.f32",
        .take = take_lane,
    },
    {
        .topic = TOPIC_TENSOR_MEMORY,
        .argument = "    --with=tcgen05.ld.OP",
        .help =
            "show the elements of D or A that each thread loads with a tcgen05.ld, such as "
            "tcgen05.ld.32x32b.x32, or stores with a tcgen05.st. There is one grid for each load "
            "or store. If you omit .x32, the program uses the largest load that fits the matrix",
    },
    {
        .name = "verify",
        .topic = TOPIC_COMPARE,
        .action = ACTION_VERIFY,
        .times = MANY,
        .take = take_formula,
        .argument = "CODE",
        .help =
            "check C formulae for row and col, or for tid and i (the inverse): 'row = lane / 4 + i "
            "/ 2 * 8; col = ...'; or a TV layout of CuTe, '((4,8),(2,2)):((32,1),(16,8))'. "
            "You can define variables and use them in later statements. If a "
            "formula is wrong, the program lists the layouts for which it is right. With --load or "
            "--store, check the byte address of each thread (address = ...) or its offset in "
            "elements (offset = ...); step is the number of the instruction",
    },
    {
        .name = "diff",
        .topic = TOPIC_COMPARE,
        .action = ACTION_DIFF,
        .argument = "ARCH,ARCH",
        .help = "list the fragments whose layouts differ between two architectures",
        .take = take_diff,
    },
    {
        .name = "map",
        .topic = TOPIC_COMPARE,
        .action = ACTION_MAP,
        .is_subject = true,
        .argument = "FILE",
        .help = "read a table in CSV, derive formulae for its columns row, col, block and offset "
                "from the other columns, and list the layouts with the same table. If there are no "
                "other columns, offset is derived from row and col. --map=- reads standard input",
    },
    {
        .name = "outputs",
        .topic = TOPIC_COMPARE,
        .actions = MAP,
        .text = FIELD(outputs),
        .argument = "NAME,...",
        .help = "with --map, derive formulae for these columns instead",
    },
    {
        .name = "convert",
        .topic = TOPIC_COMPARE,
        .action = ACTION_CONVERT,
        .text = FIELD(convert),
        .argument = "FRAGMENT",
        .help = "show how to convert the registers of each FRAGMENT on the command line to this "
                "fragment: by renaming registers, with shuffles, or through shared memory; with "
                "--format=cuda, print a function that converts them. FRAGMENT can be a tile "
                "(--atom-layout, --permutation)",
    },
    {
        .name = "verbose",
        .topic = TOPIC_COMPARE,
        .actions = DIFF | VERIFY | MAP | SUGGEST,
        .flag = FIELD(style.verbose),
        .help = "print more: with --diff, also the fragments that only one architecture has; with "
                "--verify and --map, all layouts that match; with --suggest, all swizzles and "
                "paddings that were tried",
    },
    {
        .letter = 'f',
        .name = "format",
        .topic = TOPIC_CODE,
        .actions = ANY,
        .times = LAST,
        .argument = "FORMAT",
        .help = "output format (default: text; --json is short for --format=json): ",
        .choices = format_name_at,
        .take = take_format,
    },
    {
        .name = "style",
        .topic = TOPIC_CODE,
        .actions = SHOW | ASK | MAP | LOAD,
        .times = LAST,
        .needs = NEEDS_FORMULAE,
        .argument = "STYLE",
        .help = "the operators of formulae: bits (masks and shifts), short (the fewest operators "
                "that the program finds) or divide (the operators /, % and *). Default: bits; for "
                "--format=cuda, divide",
        .choices = style_name_at,
        .take = take_style,
    },
    {
        .name = "order",
        .topic = TOPIC_CODE,
        .actions = SHOW,
        .flag = FIELD(style.order),
        .needs = NEEDS_ORDER,
        .help = "with --format=cuda, add functions that reorder a row-major matrix so that the "
                "elements of each thread are contiguous, and functions that restore the row-major "
                "order",
    },
    {
        .name = "cells",
        .topic = TOPIC_PICTURES,
        .actions = SHOW,
        .flag = FIELD(style.cells),
        .needs = NEEDS_CELLS,
        .help = "print one grid with tid:i in each cell instead of two grids; for a matrix in "
                "memory, each cell has offset and bank",
    },
    {
        .name = "color",
        .topic = TOPIC_PICTURES,
        .actions = ANY,
        .times = LAST,
        .argument = "WHEN",
        .help = "color the grids of text output: auto (default), always or never. With auto, only "
                "a terminal gets colors, unless $NO_COLOR is set or $TERM is dumb; with always, "
                "files too. Other formats ignore this option",
        .choices = color_name_at,
        .take = take_color,
    },
    {
        .name = "color-by",
        .topic = TOPIC_PICTURES,
        .actions = SHOW | ASK | MAP | LOAD | ACCESS,
        .times = LAST,
        .needs = NEEDS_COLORS,
        .argument = "WHAT",
        .help = "color grids and pictures by thread, element, bank, lane or column. Default: "
                "thread; for a matrix in memory, bank; for Tensor Memory, lane",
        .choices = color_by_name_at,
        .take = take_color_by,
    },
    {
        .name = "whole",
        .topic = TOPIC_PICTURES,
        .actions = SHOW | MAP,
        .flag = FIELD(style.whole),
        .needs = NEEDS_CUT,
        .help = "draw all columns. By default, if a matrix has more than 32 columns and their "
                "pattern repeats, a picture shows the first period, and a caption describes the "
                "others; with --at or --thread, it has all columns",
    },
    {
        .letter = 's',
        .name = "source",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = LAST,
        .argument = "SOURCE",
        .take = take_sources, /* its help is the table of sources */
    },
    {
        .letter = 'd',
        .name = "device",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = LAST,
        .argument = "N",
        .help = "the CUDA device to use (default: 0)",
        .take = take_device,
    },
    {
        .name = "cuda",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = MANY,
        .argument = "DIR",
        .help = "use ptxas and nvdisasm of this CUDA Toolkit only; may be repeated. Default: "
                "search $CUDA_HOME, $CUDA_PATH, $PATH and the usual folders",
        .take = take_cuda,
    },
    {
        .name = "timeout",
        .topic = TOPIC_SOURCES,
        .actions = OBSERVED,
        .times = LAST,
        .argument = "SECS",
        .help = "time limit in seconds for each run of ptxas or nvdisasm, and for parsing its "
                "output (default: 60)",
        .take = take_timeout,
    },
    {
        .letter = 'c',
        .name = "check",
        .topic = TOPIC_SOURCES,
        .action = ACTION_CHECK,
        .times = MANY,
        .is_subject = true,
        .argument = "FILE",
        .is_optional = true,
        .help =
            "check the records in FILE, a file under results/: derive each layout again from all "
            "sources except recorded, with each toolkit of --cuda, and compare it with the record. "
            "Without FILE, check all records of the program. --arch and --source restrict the "
            "check",
    },
    {
        .name = "confirm",
        .topic = TOPIC_SOURCES,
        .action = ACTION_CONFIRM,
        .times = MANY,
        .is_subject = true,
        .argument = "FILE",
        .help =
            "check FILE as --check does. Then print its records with the new evidence added, and "
            "a new record for each FRAGMENT on the command line. FILE is not changed. To print "
            "new records only, use --confirm=/dev/null",
    },
    {
        .name = "strict",
        .topic = TOPIC_SOURCES,
        .actions = CHECK,
        .flag = FIELD(is_strict),
        .help = "with --check and --confirm, fail if a record could not be checked",
    },
    {
        .letter = 'a',
        .name = "arch",
        .topic = TOPIC_ARCHITECTURES,
        .actions = SUBJECTS | LIST | CHECK,
        .times = LAST,
        .argument = "ARCH",
        .help = "the architecture: sm_75, 75, 7.5, or a name below. To show fragments, you can "
                "also give a list (sm_70,sm_80) or the word all. Default: the architecture of the "
                "GPU. Without a GPU, it is sm_80; if sm_80 does not have the fragment, it is the "
                "next newer architecture that has it",
        .take = take_archs,
    },
    {
        .letter = 'h',
        .name = "help",
        .topic = TOPIC_FURTHER,
        .actions = ANY,
        .argument = "TOPIC",
        .is_optional = true,
        .choices = topic_name_at,
        .help = "print examples and topics, or the options of one topic: ",
        .take = take_topic,
        .wish = WISH_HELP,
    },
    {
        .letter = 'V',
        .name = "version",
        .topic = TOPIC_FURTHER,
        .actions = ANY,
        .wish = WISH_VERSION,
        .help = "print the version",
    },
};

_Static_assert(sizeof rows / sizeof *rows <= OPTIONS_MAX, "more than option_rows.h says");

const struct option_row *option_at(size_t index) {
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}
