/* arguments.c - reads the arguments of options, one function for each kind. argument_type, for
 * example, reads "f16,bf16" for --type; see arguments.h. */
#include "cli/arguments.h"

#include "command/name.h"
#include "command/unknown.h"
#include "layout/ascii.h"
#include "layout/nearest.h"
#include "layout/sentence.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum mapping_status valid_if(bool is_valid) {
    return is_valid ? MAPPING_OK : MAPPING_INVALID;
}

/* ---- Choices ---- */

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

/* The names of all types, then the C++ names and the groups of types that --type accepts. */
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
    static const char *const names[] = {
        [FORMULA_BITS] = "bits", [FORMULA_SHORT] = "short", [FORMULA_DIVIDE] = "divide"};
    _Static_assert(sizeof names / sizeof *names == FORMULA_STYLES, "every style has a name");
    return n < FORMULA_STYLES ? names[n] : NULL;
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

/* "auto", then the names of the sources. */
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

void write_choices(const struct option_row *row, const char *last, char text[LIST_TEXT]) {
    struct list list = {.count = 0};
    while ((list.word[list.count] = row->choices(list.count)))
        list.count++;
    write_list(&list, "", last, text);
}

/* Writes the nearest choices to a word, as a hint for an error message. */
static void offer_choices(const struct option_row *row, const char *word, char *hint, size_t size) {
    struct nearest nearest = nearest_to(word);
    for (size_t n = 0; row->choices(n); n++)
        nearest_offer(&nearest, row->choices(n));
    nearest_print(&nearest, hint, size);
}

enum mapping_status unknown_choice(const struct argument *given, const char *word,
                                   const char *last) {
    const struct option_row *row = given->row;
    char known[LIST_TEXT], hint[160];
    offer_choices(row, word, hint, sizeof hint);
    write_choices(row, last, known);
    return mapping_fail(given->error, MAPPING_INVALID, "unknown %s%s '%.40s'; valid %ss: %s%s",
                        row->value ? "" : "--", row->value ? row->value : row->name, word,
                        row->value ? row->value : "value", known, hint);
}

/* Finds the index of a choice by its name. */
static bool find_choice(const struct option_row *row, const char *text, size_t *choice) {
    for (*choice = 0; row->choices(*choice); ++*choice)
        if (strcmp(text, row->choices(*choice)) == 0)
            return true;
    return false;
}

enum mapping_status argument_choice(const struct argument *given, struct request *request) {
    const struct option_row *row = given->row;
    size_t choice;
    if (!find_choice(row, given->text, &choice))
        return MAPPING_INVALID;
    *(unsigned *)(void *)((char *)request + row->choice) =
        row->is_number ? (unsigned)strtoul(given->text, NULL, 10) : row->first + (unsigned)choice;
    return MAPPING_OK;
}

const char *block_size_at(size_t n) {
    static const char *const sizes[] = {"16", "32", "128"};
    return n < sizeof sizes / sizeof *sizes ? sizes[n] : NULL;
}

const char *warp_size_at(size_t n) {
    static const char *const sizes[] = {"32", "64"};
    return n < sizeof sizes / sizeof *sizes ? sizes[n] : NULL;
}

enum mapping_status argument_order(const struct argument *given, struct request *request) {
    return given->text ? argument_choice(given, request) : MAPPING_OK;
}

enum mapping_status argument_format(const struct argument *given, struct request *request) {
    char *text = given->text;
    size_t choice;
    const char *style;
    for (size_t s = 0; (style = style_name_at(s)); s++)
        if (strlen(text) > 2 && strncmp(text, style, strlen(text)) == 0)
            return mapping_fail(given->error, MAPPING_INVALID,
                                "'%.40s' is not a format; write --style=%s", text, style);
    if (!find_choice(given->row, text, &choice))
        return MAPPING_INVALID;
    request->output = output_at(choice);
    return MAPPING_OK;
}

/* ---- What to show ---- */

/* Suggests names of architectures: for a number such as 5090, the near names that contain it; if
 * there are none, or for any other word, the nearest names. */
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
    if (!*name)
        return mapping_fail(error, MAPPING_INVALID,
                            "an architecture is missing; valid architectures: %s", known);
    offer_archs(name, hint, sizeof hint);
    return mapping_fail(
        error, MAPPING_INVALID,
        "unknown architecture '%.40s'; valid architectures: %s, and names such as volta or a100%s",
        name, known, hint);
}

/* "all", or architectures separated by commas. Without a suffix, the suffix is stored as ' '. */
enum mapping_status argument_archs(const struct argument *given, struct request *request) {
    char *text = given->text;
    const struct mapping_arch *arch;
    text += strncmp(text, "rch=", 4) == 0 ? 4 : 0; /* -arch=sm_90, as for nvcc */
    request->arch_count = 0;
    request->every_arch = strcmp(text, "all") == 0;
    memset(request->suffixes, '\0', sizeof request->suffixes);
    while (request->every_arch && (arch = mapping_arch_at(request->arch_count)))
        request->archs[request->arch_count++] = arch;
    while (!request->every_arch && text) {
        const char *name = strsep(&text, ",");
        if (read_arch(name, &arch, given->error) != MAPPING_OK)
            return MAPPING_INVALID;
        if (request->arch_count > 0 && request_wants(request, arch->number))
            continue;
        char *suffix = &request->suffixes[request->arch_count];
        *suffix = mapping_arch_suffix(name);
        if (!*suffix)
            *suffix = ' ';
        request->archs[request->arch_count++] = arch;
    }
    return MAPPING_OK;
}

/* True if the text before the first comma names one or more fragments. */
static bool names_fragment(const char *text) {
    struct mapping_partial partial;
    struct mapping_fragment found[MAPPING_FOUND_MAX];
    char name[MAPPING_OPCODE_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
    return !mapping_arch_find(name) &&
           (mapping_catalogue_find(name, found) > 0 || mapping_partial_read(name, &partial));
}

/* Two architectures, separated by a comma. */
enum mapping_status argument_diff(const struct argument *given, struct request *request) {
    char *text = given->text, *comma = strchr(text, ',');
    const bool is_fragment = names_fragment(text);
    if (is_fragment && comma)
        return mapping_fail(given->error, MAPPING_INVALID,
                            "--diff takes two architectures, as in sm_75,sm_80; to compare two "
                            "fragments, use %.*s --convert=%.60s",
                            (int)(comma - text < 60 ? comma - text : 60), text, comma + 1);
    if (!comma || strchr(comma + 1, ',') || is_fragment)
        return mapping_fail(
            given->error, MAPPING_INVALID,
            "--diff takes two architectures, as in sm_75,sm_80, not '%.60s'%s%s", text,
            is_fragment ? "; to compare two fragments, use FRAGMENT --convert=" : "",
            is_fragment ? text : "");
    *comma = '\0';
    request->arch_count = 2;
    enum mapping_status status = read_arch(text, &request->archs[0], given->error);
    return status == MAPPING_OK ? read_arch(comma + 1, &request->archs[1], given->error) : status;
}

/* Types separated by commas. */
enum mapping_status argument_type(const struct argument *given, struct request *request) {
    char name[64], sentence[MAPPING_SENTENCE];
    request->types = 0;
    request->type_name = given->text;
    for (const char *next = given->text;; next++) {
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
    return *sentence ? mapping_fail(given->error, MAPPING_INVALID, "unknown type '%.40s'; %s", name,
                                    sentence)
                     : unknown_choice(given, name, ", ");
}

enum mapping_status argument_operand(const struct argument *given, struct request *request) {
    char name[8];
    if (strchr(given->text, '.')) /* frag.h */
        return mapping_fail(given->error, MAPPING_INVALID,
                            "'%.60s' is no operand; to write a file, add > FILE", given->text);
    snprintf(name, sizeof name, "%s", given->text);
    for (char *c = name; *c; c++)
        *c = ascii_lower(*c);
    return valid_if(strlen(given->text) < sizeof name &&
                    mapping_operand_find(name, &request->operand));
}

/* ---- Questions ---- */

enum mapping_status argument_question(const struct argument *given, struct request *request) {
    struct question *question = &request->style.question;
    if (question->count > 0)
        return mapping_fail(given->error, MAPPING_INVALID,
                            "give only one of --at, --thread, --lane and --offset");
    question->kind = given->row->question.kind;
    return valid_if(question_parse(given->text, given->row->question.fewest,
                                   given->row->question.most, question, given->error));
}

/* A thread: 5, or T5 as grids print it. */
enum mapping_status argument_thread(const struct argument *given, struct request *request) {
    char *text = given->text;
    const bool is_named = (*text == 'T' || *text == 't') && ascii_is_digit(text[1]);
    return argument_question(&(struct argument){given->row, text + is_named, given->error},
                             request);
}

enum mapping_status argument_register(const struct argument *given, struct request *request) {
    struct question *question = &request->style.question;
    if (question->kind == ASK_NOTHING)
        question->kind = ASK_SOURCE;
    return valid_if(question_parse_registers(given->text, question, given->error));
}

enum mapping_status argument_excerpt(const struct argument *given, struct request *request) {
    return valid_if(
        range_parse(given->text, &request->style.excerpt.range[given->row->first], given->error));
}

/* ---- Shared memory ---- */

/* Reads two numbers n with least <= n < end. */
static enum mapping_status read_pair(const char *text, uint32_t least, uint32_t end,
                                     uint32_t pair[2]) {
    struct question sizes;
    bool is_read = question_parse(text, 2, 2, &sizes, NULL);
    for (uint32_t n = 0; n < 2 && is_read; n++) {
        pair[n] = sizes.ranges[n].first;
        is_read = pair[n] == sizes.ranges[n].last && pair[n] >= least && pair[n] < end;
    }
    return valid_if(is_read);
}

enum mapping_status argument_extent(const struct argument *given, struct request *request) {
    return read_pair(given->text, 1, RANGE_BEYOND, request->extent);
}

/* The preceding --load or --store; if there is none, the defaults for all that follow. */
static struct asked_use *last_use(struct request *request) {
    return request->use_count > 0 ? &request->uses[request->use_count - 1] : &request->use_default;
}

enum mapping_status argument_origin(const struct argument *given, struct request *request) {
    struct asked_use *use = last_use(request);
    use->has_origin = true;
    use->takes_origin = strcmp(given->text, "row,col") == 0;
    use->origin[0] = use->origin[1] = 0;
    return use->takes_origin ? MAPPING_OK : read_pair(given->text, 0, INT32_MAX, use->origin);
}

/* Two of m, n and k. */
enum mapping_status argument_axes(const struct argument *given, struct request *request) {
    const char *text = given->text;
    if (strlen(text) != 3 || text[1] != ',')
        return MAPPING_INVALID;
    const char rows = ascii_lower(text[0]), cols = ascii_lower(text[2]);
    if (rows == cols || !strchr("mnk", rows) || !strchr("mnk", cols))
        return MAPPING_INVALID;
    request->axes = (struct matrix_axes){rows, cols};
    return MAPPING_OK;
}

/* Finds an operation on shared memory by its name. */
static enum mapping_status find_access(const struct argument *given, const char *name,
                                       const struct mapping_access **access) {
    *access = mapping_access_find(name);
    if (*access)
        return MAPPING_OK;
    const char *elsewhere = mapping_access_elsewhere(name);
    if (elsewhere)
        return mapping_fail(given->error, MAPPING_INVALID, "%.60s %s; --%s models shared memory",
                            name, elsewhere, given->row->name);
    char hint[160];
    offer_choices(given->row, name, hint, sizeof hint);
    return mapping_fail(given->error, MAPPING_INVALID,
                        "unknown operation '%.60s'; valid operations: ld and st with .u8, .u16, "
                        ".b32, .b64 or .b128, ldmatrix and stmatrix such as ldmatrix.x4.trans or "
                        "ldmatrix.m16n16.x2.trans.b8, cp.async, and their SASS names%s",
                        name, hint);
}

enum mapping_status argument_access(const struct argument *given, struct request *request) {
    char *text = given->text;
    /* The user gives 32 addresses; only .x4 takes 32. */
    if (strcmp(text, "ldmatrix") == 0 || strcmp(text, "stmatrix") == 0)
        return find_access(given, *text == 'l' ? "ldmatrix.x4" : "stmatrix.x4", &request->access);
    return find_access(given, text, &request->access);
}

/* An operation on shared memory, or a load or store of Tensor Memory. */
enum mapping_status argument_with(const struct argument *given, struct request *request) {
    char *text = given->text;
    struct operand operands[OPERANDS_MAX];
    if (!mapping_tmem_load_is_meant(text))
        return request->has_tmem_load && request->use_count == 0
                   ? mapping_fail(given->error, MAPPING_INVALID,
                                  "--with=%.40s is for shared memory, and another --with is for "
                                  "Tensor Memory; give only one of them",
                                  text)
                   : find_access(given, text, &last_use(request)->with);
    if (request->has_tmem_load)
        return mapping_fail(given->error, MAPPING_INVALID,
                            "--with is given twice; the second one is '%.60s'", text);
    request->has_tmem_load = mapping_tmem_load_read(text, &request->tmem_load);
    return request->has_tmem_load
               ? name_check_split(operands, name_split(text, operands), &request->tmem_load.move,
                                  given->error)
               : mapping_fail(given->error, MAPPING_INVALID,
                              "'%.80s' is not a valid load or store of Tensor Memory; write "
                              "tcgen05.ld.SHAPE or tcgen05.st.SHAPE, such as "
                              "tcgen05.ld.32x32b.x32; valid shapes: .32x32b, .16x64b and .16x32bx2 "
                              "with .x1 to .x128, .16x128b with .x1 to .x64, .16x256b with .x1 to "
                              ".x32; .pack::16b (ld) or .unpack::16b (st) may follow; "
                              "--help=tensor-memory describes them",
                              text);
}

/* The fragment of --load or --store. */
enum mapping_status argument_use(const struct argument *given, struct request *request) {
    struct asked_use *use = &request->uses[request->use_count++];
    *use = request->use_default;
    use->name = given->text;
    use->is_store = strcmp(given->row->name, "store") == 0;
    return MAPPING_OK;
}

/* ---- Formulae and sources ---- */

enum mapping_status argument_formula(const struct argument *given, struct request *request) {
    request->formulae[request->formula_count++] = given->text;
    return MAPPING_OK;
}

/* "auto", or sources separated by commas. */
enum mapping_status argument_sources(const struct argument *given, struct request *request) {
    char *text = given->text;
    const char *const any = source_name_at(0);
    request->source_count = 0;
    if (strcmp(text, any) == 0)
        return MAPPING_OK;
    while (text) {
        const char *name = strsep(&text, ",");
        const struct source *source = source_find(name);
        if (strcmp(name, any) == 0)
            return mapping_fail(given->error, MAPPING_INVALID,
                                "source 'auto' cannot be combined with others");
        if (!source)
            return unknown_choice(given, name, " and ");
        for (size_t s = 0; s < request->source_count; s++)
            if (request->sources[s] == source)
                return mapping_fail(given->error, MAPPING_INVALID, "source '%s' is named twice",
                                    name);
        request->sources[request->source_count++] = source;
    }
    return MAPPING_OK;
}

enum mapping_status argument_device(const struct argument *given, struct request *request) {
    char *end;
    const long number = strtol(given->text, &end, 10);
    request->machinery.device = (int)number;
    return valid_if(end > given->text && !*end && 0 <= number && number <= 1000000);
}

enum mapping_status argument_timeout(const struct argument *given, struct request *request) {
    char *end;
    const double seconds = request->machinery.timeout = strtod(given->text, &end);
    return valid_if(end > given->text && !*end && seconds > 0 && seconds <= 1e6);
}

/* The folder of a CUDA toolkit. */
enum mapping_status argument_cuda(const struct argument *given, struct request *request) {
    struct machinery *machinery = &request->machinery;
    struct stat information;
    if (machinery->cuda_folder_count == CUDA_FOLDERS_MAX)
        return mapping_fail(given->error, MAPPING_INVALID, "--cuda is given more than %d times",
                            CUDA_FOLDERS_MAX);
    if (stat(given->text, &information) != 0 || !S_ISDIR(information.st_mode))
        return mapping_fail(given->error, MAPPING_UNAVAILABLE,
                            "there is no folder '%.200s' for --cuda", given->text);
    machinery->cuda_folders[machinery->cuda_folder_count++] = given->text;
    return MAPPING_OK;
}

/* The lines of a listing, "100-250" or "7". */
enum mapping_status argument_lines(const struct argument *given, struct request *request) {
    struct question range = {.count = 0};
    if (!question_parse(given->text, 1, 1, &range, NULL) || range.ranges[0].first == 0)
        return MAPPING_INVALID;
    request->first_line = range.ranges[0].first;
    request->last_line = range.ranges[0].last;
    return MAPPING_OK;
}
