/* options.c - parses a command line into a request; see options.h. The table in option_rows.c
 * describes each option and the actions that it applies to. */
#include "cli/options.h"

#include "catalogue/catalogue.h"
#include "command/descriptor.h"
#include "command/triton_names.h"
#include "layout/nearest.h"
#include "layout/sentence.h"
#include "layout/space.h"
#include "report/braces.h"
#include "smem/matrix.h"
#include "system/system.h"

#include <ctype.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options that are given. */
struct given {
    size_t times[OPTIONS_MAX];       /* for each row, how often the option is given */
    const struct option_row *action; /* the option that requests the action; or NULL */
    const struct option_row *blamed; /* the option that caused an error; NULL if none did */
    enum mode mode;
};

/* The name of the option that requests the action, without dashes; "" if there is none. */
static const char *asked_by(const struct given *given) {
    return given->action ? given->action->name : "";
}

/* ---- Names ---- */

/* The rows as getopt_long requires them. An option's value is LONG plus the index of its row. */
enum { LONG = 256 };
static void make_getopt(struct option options[OPTIONS_MAX + 1], char letters[3 * OPTIONS_MAX + 2]) {
    const struct option_row *row;
    size_t count = 0, length = 0;
    letters[length++] = ':';
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name)
            continue;
        int has = !row->argument     ? no_argument
                  : row->is_optional ? optional_argument
                                     : required_argument;
        options[count++] = (struct option){row->name, has, NULL, LONG + (int)r};
        if (row->letter)
            length += (size_t)snprintf(letters + length, 4, "%c%.*s", row->letter, has, "::");
    }
    options[count] = (struct option){NULL, 0, NULL, 0};
}

/* The index of the row for a value of getopt, which may be a letter; or the number of rows. */
static size_t row_with(int value) {
    size_t r = 0;
    if (value >= LONG)
        return (size_t)(value - LONG);
    while (option_at(r) && (!option_at(r)->letter || option_at(r)->letter != value))
        r++;
    return r;
}

/* The index of the option with a name; the number of rows if there is none. */
static size_t row_named(const char *name) {
    size_t r = 0;
    while (option_at(r) && (!option_at(r)->name || strcmp(option_at(r)->name, name) != 0))
        r++;
    return r;
}

/* Options of other programs that users try, and the option that does the same here. */
static const struct {
    const char *name, *instead, *hint;
} misnamed[] = {
    {"--element", "thread", "--thread=TID,I asks for element I of a thread and its register"},
    {"--row", "at", "--at=ROW,COL asks which thread holds an element; each may be *"},
    {"--col", "at", "--at=ROW,COL asks which thread holds an element; each may be *"},
    {"--compare", "convert",
     "use --convert=FRAGMENT to compare the registers of two fragments, --diff=ARCH,ARCH to "
     "compare two architectures, or --verify=CODE to check a formula"},
    {"--to", "convert", "--convert=FRAGMENT converts the registers to those of another fragment"},
    {"--gpu", "arch", "--arch=sm_90 selects the architecture"},
    {"--sm", "arch", "--arch=sm_90 selects the architecture"},
    {"--output", "format", "output goes to standard output; to write a file, add > FILE"},
    {"--fit", "map", "--map=FILE derives formulae from a table in CSV"},
    {"--table", "map", "--map=FILE derives formulae from a table in CSV"},
    {"--inverse", "at",
     "the inverse, tid and i, is shown with each fragment; --at=ROW,COL asks for it"},
    {"--completion", "help", "'make install' installs completions for bash, zsh and fish"},
    {"--man", "help", "'make install' installs the man page; --help=all has the same text"},
    {"--metadata", "operand", "--operand=e selects sparsity metadata"},
    {"--swizzle", "suggest",
     "a swizzle is part of the layout: 'Sw<3,3,3> o 0 o (64,64):(64,1)'; --suggest finds the best"},
};

/* Refuses options of other programs, also if getopt_long would take them for abbreviations. */
static enum mapping_status check_names(int argc, char **argv, struct given *given,
                                       struct mapping_error *error) {
    for (int n = 1; n < argc && strcmp(argv[n], "--") != 0; n++)
        for (size_t o = 0; o < sizeof misnamed / sizeof *misnamed; o++) {
            const size_t length = strlen(misnamed[o].name);
            if (strncmp(argv[n], misnamed[o].name, length) != 0 ||
                (argv[n][length] && argv[n][length] != '='))
                continue;
            given->blamed = option_at(row_named(misnamed[o].instead));
            return mapping_fail(error, MAPPING_INVALID, "unknown option '%.60s'; %s", argv[n],
                                misnamed[o].hint);
        }
    return MAPPING_OK;
}

/* Fails because there is no such option, and suggests the nearest ones, or because the name is an
 * ambiguous abbreviation. */
static enum mapping_status unknown_option(const char *word, struct mapping_error *error) {
    char name[64], option[64], hint[LIST_TEXT], begun[LIST_TEXT] = "";
    const char *start = word + strspn(word, "-");
    const struct option_row *row;
    snprintf(name, sizeof name, "--%.*s", (int)strcspn(start, "="), start);
    struct nearest nearest = nearest_to(name);
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (!row->name)
            continue;
        snprintf(option, sizeof option, "--%s", row->name);
        nearest_offer(&nearest, option);
        if (strncmp(option, name, strlen(name)) == 0)
            mapping_append(begun, sizeof begun, "%s%s", *begun ? ", " : "; it matches ", option);
    }
    nearest_print(&nearest, hint, sizeof hint);
    return mapping_fail(error, MAPPING_INVALID, "%s option '%.60s'%s",
                        *begun ? "ambiguous" : "unknown", word, *begun ? begun : hint);
}

/* Explains an error of getopt_long; `word` is the last word that it read. */
static enum mapping_status bad_option(int kind, const char *word, struct given *given,
                                      struct mapping_error *error) {
    given->blamed = optopt ? option_at(row_with(optopt)) : NULL;
    if (given->blamed)
        return mapping_fail(error, MAPPING_INVALID, "option '--%s' %s", given->blamed->name,
                            kind == ':' ? "needs an argument" : "takes no argument");
    if (optopt != 0)
        return mapping_fail(error, MAPPING_INVALID, "unknown option '-%c'", optopt);
    return unknown_option(word, error);
}

/* ---- Taking options ---- */

/* Sets the action. Refuses a second action, except --suggest or --verify with --load or --store,
 * and --map with a question about a fragment. */
static enum mapping_status set_action(const struct option_row *row, struct request *request,
                                      struct given *given, struct mapping_error *error) {
    const enum action one = request->action, other = row->action;
    const enum action about = one == ACTION_LOAD ? other : other == ACTION_LOAD ? one : ACTION_SHOW;
    const bool is_of_load = about == ACTION_SUGGEST || about == ACTION_VERIFY;
    const bool is_of_listing = (one == ACTION_ANNOTATE && other == ACTION_ASK) ||
                               (one == ACTION_ASK && other == ACTION_ANNOTATE);
    const enum action beside = one == ACTION_MAP ? other : other == ACTION_MAP ? one : ACTION_SHOW;
    const bool is_of_table = beside == ACTION_EQUALS || beside == ACTION_ASK ||
                             beside == ACTION_VERIFY || beside == ACTION_CONVERT ||
                             beside == ACTION_LOAD;
    if (given->action && one != other && !is_of_load && !is_of_listing && !is_of_table)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s and --%s cannot be combined; give only one of them",
                            asked_by(given), row->name);
    if (given->action &&
        ((is_of_load && other == ACTION_LOAD) || (is_of_listing && other == ACTION_ASK) ||
         (is_of_table && other == ACTION_MAP)))
        return MAPPING_OK;
    request->action = other;
    given->action = row;
    return MAPPING_OK;
}

/* Handles one option. */
static enum mapping_status take_row(size_t number, char *text, struct request *request,
                                    struct given *given, struct mapping_error *error) {
    const struct option_row *row = option_at(number);
    given->blamed = row;
    if (given->times[number]++ > 0 && !row->may_repeat && row->argument)
        return mapping_fail(error, MAPPING_INVALID, "--%s may be given only once", row->name);
    enum mapping_status status = read_value(row, text, request, error);
    if (status == MAPPING_OK && row->action != ACTION_SHOW)
        status = set_action(row, request, given, error);
    if (row->flag)
        *(bool *)((char *)request + row->flag) = true;
    if (row->text)
        *(const char **)((char *)request + row->text) = text;
    if (row->is_subject && text)
        request->subjects[request->subject_count++] = text;
    if (row->mode != MODE_REQUEST)
        given->mode = row->mode;
    return status;
}

/* The length of a cast to an integer, "(unsigned int)", in front of a digit; 0 if there is none. */
static size_t cast_length(const char *text) {
    size_t length = strcspn(text, ")") + 1;
    if (*text != '(' || strspn(text + 1, "abcdefghijklmnopqrstuvwxyz ") + 2 != length ||
        !isdigit((unsigned char)text[length]))
        return 0;
    for (size_t word = 1; word + 1 < length; word += 1 + strcspn(text + word, " )"))
        if (!mapping_word_is_in("int unsigned signed long short char bool", text + word,
                                strcspn(text + word, " )")))
            return 0;
    return length;
}

/* The length of the type of a constant, "constant<int, " or "integral_constant<int,", that older
 * versions of CuTe have in place of "C<"; 0 if there is none. */
static size_t constant_length(const char *text) {
    static const char *const types[] = {"std::integral_constant<int,", "integral_constant<int,",
                                        "constant<int,"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (strncmp(text, types[t], strlen(types[t])) == 0)
            return strlen(types[t]) + strspn(text + strlen(types[t]), " ");
    return 0;
}

/* Replaces the arguments of templates, as demanglers write them, by those of the source:
 * cute::C<(int)64> of Nsight Compute and cu++filt by cute::C<64>. Without these, returns the word.
 */
static char *without_casts(char *word) {
    struct printer plain = {.text = NULL};
    bool is_changed = false;
    if (!strchr(word, '<') || strncmp(word, "--verify", strlen("--verify")) == 0)
        return word;
    for (const char *c = word, *last = ""; *c; c++) {
        const size_t cast = *last && strchr("<,", *last) ? cast_length(c) : 0;
        const bool is_word = *last && (isalnum((unsigned char)*last) || *last == '_');
        const size_t constant = is_word ? 0 : constant_length(c);
        print_text(&plain, constant ? "C<" : "");
        is_changed |= cast + constant > 0;
        c += cast + constant;
        print_char(&plain, *c);
        last = *c == ' ' ? last : c;
    }
    return is_changed ? printer_string(&plain) : word;
}

/* Replaces --json by --format=json; the same for every format, except cuda: --cuda is an option.
 * Replaces -arch, which nvcc has with its value behind it, by --arch. */
static void spell_out(int argc, char **argv) {
    static char arch[] = "--arch";
    const struct output *output;
    for (int n = 1; n < argc && strcmp(argv[n], "--") != 0; n++) {
        if (strcmp(argv[n - 1], "--verify") != 0)
            argv[n] = without_casts(argv[n]);
        if (strcmp(argv[n], "-arch") == 0)
            argv[n] = arch;
        if (strncmp(argv[n], "--:", 3) == 0) { /* one line of the output of Triton's get_sass */
            struct printer line = {.text = NULL};
            print(&line, " %s", argv[n]);
            argv[n] = printer_string(&line);
            continue;
        }
        for (size_t f = 0; (output = output_at(f)); f++) {
            struct printer spelled = {.text = NULL};
            if (strncmp(argv[n], "--", 2) != 0 || strcmp(argv[n] + 2, output->name) != 0 ||
                option_at(row_named(output->name)))
                continue;
            print(&spelled, "--format=%s", output->name);
            argv[n] = printer_string(&spelled);
        }
    }
}

/* Reads options until the last one, an error, or a request for help or the version. */
static enum mapping_status read_options(int argc, char **argv, struct request *request,
                                        struct given *given, struct mapping_error *error) {
    struct option options[OPTIONS_MAX + 1];
    char letters[3 * OPTIONS_MAX + 2];
    enum mapping_status status = MAPPING_OK;
    make_getopt(options, letters);
    opterr = 0;
    optind = 0; /* restart getopt_long */
    while (status == MAPPING_OK && given->mode == MODE_REQUEST) {
        const int value = getopt_long(argc, argv, letters, options, NULL);
        if (value == -1)
            break;
        status = value == '?' || value == ':'
                     ? bad_option(value, argv[optind - 1], given, error)
                     : take_row(row_with(value), optarg, request, given, error);
    }
    return status;
}

/* getopt_long uses global variables. A fork waits for the lock, so that the child can take it. */
static pthread_mutex_t getopt_lock = PTHREAD_MUTEX_INITIALIZER;

static void take_lock(void) {
    pthread_mutex_lock(&getopt_lock);
}

static void drop_lock(void) {
    pthread_mutex_unlock(&getopt_lock);
}

static void guard_forks(void) {
    pthread_atfork(take_lock, drop_lock, drop_lock);
}

/* Reads all options; *first becomes the index of the first word that is not an option. */
static enum mapping_status take_options(int argc, char **argv, struct request *request,
                                        struct given *given, int *first,
                                        struct mapping_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    enum mapping_status status = check_names(argc, argv, given, error);
    jmp_buf exhausted;
    spell_out(argc, argv);
    pthread_once(&once, guard_forks);
    take_lock();
    jmp_buf *const before = mapping_arena_catch(&exhausted);
    if (setjmp(exhausted) != 0) {
        drop_lock();
        mapping_arena_catch(before);
        memory_exhausted();
    }
    if (status == MAPPING_OK)
        status = read_options(argc, argv, request, given, error);
    *first = status == MAPPING_OK || optind > 0 ? optind : 1;
    drop_lock();
    mapping_arena_catch(before);
    return status;
}

/* True for a name of an architecture, "sm_90" or "SM90a": letters, a number, perhaps a letter. */
static bool is_arch(const char *word) {
    if (strncasecmp(word, "sm", 2) != 0)
        return false;
    word += 2 + (word[2] == '_');
    const size_t digits = strspn(word, "0123456789");
    return digits >= 2 && digits <= 3 && (!word[digits] || !word[digits + 1]);
}

/* Joins a shape to the instruction before it, "mma m16n8k16", once. False for other words. */
static bool is_shape_of(struct request *request, const char *word) {
    struct mapping_partial partial;
    if (request->subject_count == 0 || request->is_joined || word[0] != 'm' ||
        !isdigit((unsigned char)word[1]))
        return false;
    const char *last = request->subjects[request->subject_count - 1];
    if (!mapping_partial_read(last, &partial) ||
        strcmp(last, mapping_instruction_name(partial.instruction)) != 0)
        return false;
    const size_t size = strlen(last) + strlen(word) + 2;
    char *joined = memory_text_room(size);
    snprintf(joined, size, "%s.%s", last, word);
    request->subjects[request->subject_count - 1] = joined;
    return request->is_joined = true;
}

/* The number of a descriptor behind its name, as CuTe prints it, "GmmaDescriptor: 0x4000...", with
 * its fields in further lines, or as code has it, "desc = 0x4000...;". NULL if there is none. */
static char *behind_label(const char *word) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_: ";
    const char *const number = strstr(word, "0x"), *label = number;
    if (!number)
        return NULL;
    while (label > word && label[-1] == ' ')
        label--;
    if (label == word || !strchr(":=", label[-1]) ||
        strspn(word, letters) + 1 < (size_t)(label - word))
        return NULL;
    const char *const end = number + 2 + strspn(number + 2, "0123456789abcdefABCDEF");
    if (end - number == 2 || (*end && !strchr(" \n;,", *end)))
        return NULL;
    struct printer text = {.text = NULL};
    print(&text, "%.*s", (int)(end - number), number);
    return printer_string(&text);
}

/* Takes names as the program prints them, "mma.m16n8k16.{c,d}.{f32,f16}, mma.m16n8k8.d.f32". `room`
 * subjects may follow. False if the word is something else. */
static bool take_braces(const char *word, size_t capacity, struct request *request) {
    static const char characters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:*?{}, ";
    struct strings names = {.count = 0};
    struct mapping_error ignored;
    const size_t length = strlen(word);
    if (strspn(word, characters) < length || strspn(word, " ,.") > 0 ||
        !(strchr(word, '{') || strstr(word, ", ")) || strstr(word, "{}"))
        return false;
    for (const char *blank = strchr(word, ' '); blank; blank = strchr(blank + 1, ' '))
        if (blank[-1] != ',')
            return false;
    if (braces_read(word, length, &names, &ignored) != MAPPING_OK)
        return false;
    for (size_t n = 0; n < names.count; n++)
        if (!strchr(names.text[n], '.'))
            return false;
    const char **subjects =
        memory_get(request->subject_count + names.count + capacity, sizeof *subjects);
    for (size_t n = 0; n < request->subject_count; n++)
        subjects[n] = request->subjects[n];
    request->subjects = subjects;
    for (size_t n = 0; n < names.count; n++)
        request->subjects[request->subject_count++] = names.text[n];
    return true;
}

/* Takes a word that is no option, which at most `room` others follow. A type, an operand or an
 * architecture means the option: "mma.m16n8k16 d f32 sm_90". */
static enum mapping_status take_word(char *word, size_t capacity, struct request *request,
                                     struct given *given, struct mapping_error *error) {
    enum mapping_operand operand;
    const bool takes_files = request->action == ACTION_CHECK || request->action == ACTION_CONFIRM ||
                             request->action == ACTION_MAP || request->action == ACTION_ANNOTATE;
    const char *option = NULL;
    if (mapping_types_find(word) != 0)
        option = "type";
    else if (mapping_operand_find(word, &operand))
        option = "operand";
    else if (is_arch(word))
        option = "arch";
    if (option && !takes_files)
        return take_row(row_named(option), word, request, given, error);
    if (is_shape_of(request, word))
        return MAPPING_OK;
    if (!takes_files && take_braces(word, capacity, request))
        return MAPPING_OK;
    char *number = takes_files ? NULL : behind_label(word);
    word = number ? number : word;
    request->subjects[request->subject_count++] = word;
    return MAPPING_OK;
}

/* ---- Options without effect ---- */

/* True if an option applies to an action. ACTIONS stands for --verify with --load or --store. */
static bool serves(const struct option_row *row, enum action action) {
    return (row->action == action && action != ACTION_SHOW) || row->actions >> action & 1;
}

/* Writes the options for the actions that a row applies to: "--diff, --verify or --map". */
static void write_actions(const struct option_row *row, char text[LIST_TEXT]) {
    const struct option_row *other;
    struct list list = {.count = 0};
    for (size_t r = 0; (other = option_at(r)); r++)
        if (other->name && !other->is_alias && other->action != ACTION_SHOW &&
            serves(row, other->action))
            list.word[list.count++] = other->name;
    write_list(&list, "--", " or ", text);
}

/* Refuses an option that has no effect on the action. */
static enum mapping_status check_served(const struct request *request, struct given *given,
                                        struct mapping_error *error) {
    const bool verifies_load = request->action == ACTION_VERIFY && request->use_count > 0;
    const struct option_row *row;
    char names[LIST_TEXT];
    if (request->outputs && !request->table) {
        given->blamed = option_at(row_named("outputs"));
        return mapping_fail(error, MAPPING_INVALID, "--outputs does nothing without --map");
    }
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (given->times[r] == 0 || serves(row, request->action) ||
            (verifies_load && serves(row, ACTIONS)))
            continue;
        given->blamed = row;
        write_actions(row, names);
        if (request->action == ACTION_DESCRIBE)
            return mapping_fail(error, MAPPING_INVALID, "--%s does nothing with a descriptor",
                                row->name);
        if (request->action == ACTION_DEFINED)
            return mapping_fail(error, MAPPING_INVALID,
                                "--%s does nothing with a file of Triton; name one of its layouts, "
                                "such as '%.100s#blocked'",
                                row->name, request->subjects[0]);
        if (!given->action)
            return mapping_fail(error, MAPPING_INVALID, "--%s does nothing without %s", row->name,
                                names);
        const bool is_of_shown = serves(row, ACTION_SHOW);
        return mapping_fail(error, MAPPING_INVALID, "--%s does nothing with --%s%s%s", row->name,
                            asked_by(given), is_of_shown ? "" : "; it is for ",
                            is_of_shown ? "" : names);
    }
    return MAPPING_OK;
}

/* True if the format supports an option. In answers, only pictures have formulae and colors. */
static bool has_needed(const struct output *output, enum action action, enum needs needs) {
    const bool is_answer = action == ACTION_ASK;
    const bool is_short = is_answer || action == ACTION_ANNOTATE || action == ACTION_CONVERT ||
                          action == ACTION_LOAD || action == ACTION_VERIFY ||
                          action == ACTION_DESCRIBE;
    const bool is_listed = action == ACTION_LIST || action == ACTION_LOAD;
    const enum detailed detail = action == ACTION_MAP ? DETAIL_OF_LAYOUTS : DETAIL_OF_FRAGMENTS;
    const bool has[] = {
        [NEEDS_NOTHING] = true,
        [NEEDS_FORMULAE] = is_answer                   ? output->is_picture
                           : action == ACTION_LOAD     ? output->styles_loads
                           : action == ACTION_ANNOTATE ? true
                                                       : output->has_formulae,
        [NEEDS_BRIEF] = is_short ? output->has_brief_answers ||
                                       (output->answers_are_brief && action != ACTION_ANNOTATE)
                                 : output->has_brief,
        [NEEDS_CELLS] = output->has_cells,
        [NEEDS_COLORS] = is_answer ? output->is_picture : output->has_colors,
        [NEEDS_FOLD] = is_listed              ? output->has_cells
                       : action == ACTION_MAP ? output->is_picture
                                              : output->folds,
        [NEEDS_ORDER] = output->has_order,
        [NEEDS_WARPS] = output->has_warps,
        [NEEDS_DETAIL] = output->detail >= detail,
        [NEEDS_DESCRIPTORS] = action != ACTION_SHOW || output->has_descriptors,
    };
    return has[needs];
}

/* True if the format can print the result of the action. */
bool options_can_print(const struct output *output, enum action action) {
#define CAN_PRINT(name, function, can_print) can_print,
    const bool can[ACTIONS] = {REQUEST_ACTIONS(CAN_PRINT)};
    return can[action];
}

/* Writes the names of formats that print the result of an action and support an option. */
static void write_formats(enum action action, enum needs needs, char text[LIST_TEXT]) {
    const struct output *output;
    struct list list = {.count = 0};
    for (size_t o = 0; (output = output_at(o)) && list.count < OPTIONS_MAX; o++)
        if (options_can_print(output, action) && has_needed(output, action, needs))
            list.word[list.count++] = output->name;
    write_list(&list, "", " or ", text);
}

/* Refuses a format that cannot print the result of the action. */
static enum mapping_status check_format(const struct request *request, struct given *given,
                                        struct mapping_error *error) {
    char names[LIST_TEXT];
    if (options_can_print(request->output, request->action))
        return MAPPING_OK;
    given->blamed = option_at(row_named("format"));
    write_formats(request->action, NEEDS_NOTHING, names);
    const char *subject = request->action == ACTION_DESCRIBE  ? "a descriptor"
                          : request->action == ACTION_DEFINED ? "a list of layouts"
                                                              : NULL;
    return mapping_fail(error, MAPPING_INVALID, "%s%s does not support --format=%s; use %s",
                        subject ? "" : "--", subject ? subject : asked_by(given),
                        request->output->name, names);
}

/* True if --axes gives axes of scale factors. With rows along K, it transposes them, so it is valid
 * with every format. */
static bool has_axes_of_scales(const struct request *request) {
    bool is_all = request->subject_count > 0 && request->axes.rows;
    for (size_t s = 0; s < request->subject_count; s++)
        is_all = is_all && mapping_scales_is_meant(request->subjects[s]);
    return is_all;
}

/* Refuses an option that has no effect in the format. */
static enum mapping_status check_needs(const struct request *request, struct given *given,
                                       struct mapping_error *error) {
    const struct option_row *row;
    char names[LIST_TEXT];
    for (size_t r = 0; (row = option_at(r)); r++) {
        if (given->times[r] == 0 || has_needed(request->output, request->action, row->needs) ||
            (strcmp(row->name, "axes") == 0 && has_axes_of_scales(request)))
            continue;
        given->blamed = row;
        write_formats(request->action, row->needs, names);
        const bool is_of_action = has_needed(request->output, ACTION_SHOW, row->needs);
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s does nothing with %s%s%s--format=%s; it needs --format=%s",
                            row->name, is_of_action ? "--" : "",
                            is_of_action ? asked_by(given) : "", is_of_action ? " and " : "",
                            request->output->name, names);
    }
    return MAPPING_OK;
}

/* ---- What one option needs of another ---- */

/* Refuses options that conflict, and actions without a required option. */
static enum mapping_status check_together(const struct request *request, const struct given *given,
                                          struct mapping_error *error) {
    const enum action action = request->action;
    const char *asked = asked_by(given);
    const char *first = request->subject_count > 0 ? request->subjects[0] : NULL;
    if (request->style.grid.cells && request->style.brief)
        return mapping_fail(error, MAPPING_INVALID,
                            "--cells changes grids, but --brief omits them");
    const struct excerpt *excerpt = &request->style.excerpt;
    if ((excerpt->has[VIEW_ROWS] || excerpt->has[VIEW_COLS]) && request->style.brief &&
        action == ACTION_SHOW)
        return mapping_fail(error, MAPPING_INVALID, "--%s changes grids, but --brief omits them",
                            excerpt->has[VIEW_ROWS] ? "rows" : "cols");

    if (action == ACTION_MAP && request->subject_count > 1)
        return mapping_fail(error, MAPPING_INVALID, "--map reads one file; drop '%.60s'",
                            request->subjects[request->subject_count - 1]);
    if (action == ACTION_ACCESS && first)
        return mapping_fail(error, MAPPING_INVALID,
                            "--access takes addresses in shared memory (--address), not a fragment "
                            "or matrix; drop '%.60s'",
                            first);
    if (request->all && first)
        return mapping_fail(error, MAPPING_INVALID, "--all shows every fragment; drop '%.60s'",
                            first);

    if (action == ACTION_ACCESS && !request->address)
        return mapping_fail(error, MAPPING_INVALID,
                            "--access needs the address of each lane: --address='tid * %u'",
                            request->access->bytes);
    if (action == ACTION_SUGGEST && request->use_count == 0)
        return mapping_fail(error, MAPPING_INVALID,
                            "--suggest needs --load=FRAGMENT, --store=FRAGMENT or both");
    if (action == ACTION_PROBE && !request->folder)
        return mapping_fail(error, MAPPING_INVALID, "--probe needs --into=DIR, a folder to write");
    if ((action == ACTION_PROBE || action == ACTION_DECODE) && first)
        return mapping_fail(error, MAPPING_INVALID, "--%s takes no FRAGMENT; drop '%.60s'", asked,
                            first);
    if (request->use_count == 0 && request->use_default.with)
        return mapping_fail(error, MAPPING_INVALID,
                            "--with needs --load or --store; for an operand in Tensor Memory, use "
                            "--with=tcgen05.ld.32x32b or --with=tcgen05.st.32x32b");
    if ((action == ACTION_ACCESS || action == ACTION_LOAD) &&
        request->style.grid.color_by != COLOR_BY_USUAL &&
        request->style.grid.color_by != COLOR_BY_BANK)
        return mapping_fail(error, MAPPING_INVALID,
                            "--color-by=%s does nothing with --%s; the colors of --load, --store "
                            "and --access show banks",
                            color_by_name(request->style.grid.color_by), asked);

    if (request->has_tmem_load && request->use_count > 0)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--with=tcgen05.%s shows an operand in Tensor Memory; it cannot be used with --%s; "
            "--help=tensor-memory describes it",
            mapping_instruction_loads(request->tmem_load.move.instruction) ? "ld" : "st", asked);
    if (request->has_tmem_load && request->style.question.is_of_lane)
        return mapping_fail(
            error, MAPPING_INVALID,
            "--lane selects a lane of Tensor Memory, but --with shows registers; use --thread=TID");

    if (action == ACTION_LIST && request->arch_count > 1 && !request->every_arch)
        return mapping_fail(error, MAPPING_INVALID,
                            "with --list, --arch takes one architecture or 'all', not %zu "
                            "architectures",
                            request->arch_count);
    if (action == ACTION_ANNOTATE && request->has_style && !request->style.detail &&
        !request->output->has_listed_fragments)
        return mapping_fail(error, MAPPING_INVALID,
                            "with --annotate, --style needs --detail, which prints formulae");
    const bool verifies_descriptor = action == ACTION_VERIFY && is_about_descriptor(request);
    if ((action == ACTION_CONVERT || action == ACTION_ANNOTATE || request->use_count > 0 ||
         verifies_descriptor) &&
        request->arch_count > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "with --%s, --arch takes one architecture, not %zu", asked,
                            request->arch_count);
    if (action == ACTION_DESCRIBE && request->arch_count > 1)
        return mapping_fail(error, MAPPING_INVALID,
                            "with a descriptor, --arch takes one architecture, not %zu",
                            request->arch_count);
    if (verifies_descriptor && request->style.verbose)
        return mapping_fail(error, MAPPING_INVALID, "--verbose does nothing with a descriptor");
    const char *unread = request->address                                     ? "address"
                         : request->axes.rows && !has_axes_of_scales(request) ? "axes"
                                                                              : NULL;
    if (action == ACTION_VERIFY && request->use_count == 0 && !verifies_descriptor && unread)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s does nothing with --verify, unless it is given a descriptor or "
                            "--load or --store",
                            unread);

    const bool is_checking = action == ACTION_CHECK || action == ACTION_CONFIRM;
    const struct source *source;
    struct list others = {.count = 0};
    char names[LIST_TEXT];
    for (size_t s = 0; (source = source_at(s)); s++)
        if (!source->is_recorded)
            others.word[others.count++] = source->name;
    write_list(&others, "", " or ", names);
    for (size_t s = 0; s < request->source_count; s++)
        if (is_checking && request->sources[s]->is_recorded)
            return mapping_fail(error, MAPPING_INVALID,
                                "--%s checks the recorded results, so it needs another source: %s",
                                asked, names);
    return MAPPING_OK;
}

/* ---- All of it ---- */

/* Parses the options about tiles, if they are given. */
static enum mapping_status read_tile(struct request *request, struct given *given,
                                     struct mapping_error *error) {
    const char *atoms = request->atom_layout, *permutation = request->permutation;
    struct printer text = {.text = NULL};
    if (!atoms && !permutation)
        return MAPPING_OK;
    given->blamed = option_at(row_named(atoms ? "atom-layout" : "permutation"));
    if (request->all)
        return mapping_fail(error, MAPPING_INVALID,
                            "--%s needs named fragments; it cannot be used with --all",
                            given->blamed->name);
    if (atoms)
        print(&text, "atom layout %s%s", atoms, permutation ? ", " : "");
    if (permutation)
        print(&text, "permutation %s", permutation);
    request->tile.is_given = true;
    request->tile.text = printer_string(&text);
    return mapping_tiling_parse(atoms, permutation, &request->tile.tiling, error);
}

/* Subjects that are numbers are descriptors. If there are also matrices in memory, the descriptor
 * is compared with theirs, as with --verify: "Layout_K_SW128_Atom 0x4000004000010000". */
static void find_descriptors(struct request *request, struct given *given) {
    size_t numbers = 0, matrices = 0;
    for (size_t s = 0; s < request->subject_count; s++) {
        numbers += descriptor_is_meant(request->subjects[s]);
        matrices += mapping_smem_matrix_is_meant(request->subjects[s]);
    }
    if (numbers > 0)
        request->action = ACTION_DESCRIBE;
    if (numbers != 1 || matrices == 0 || numbers + matrices < request->subject_count)
        return;
    size_t kept = 0;
    for (size_t s = 0; s < request->subject_count; s++)
        if (descriptor_is_meant(request->subjects[s]))
            request->formulae[request->formula_count++] = request->subjects[s];
        else
            request->subjects[kept++] = request->subjects[s];
    request->subject_count = kept;
    request->action = ACTION_VERIFY;
    given->action = option_at(row_named("verify"));
}

/* Parses the command line, and records its first error. */
static enum mapping_status parse(int argc, char **argv, struct request *request, enum mode *mode,
                                 struct given *given, struct mapping_error *error) {
    *mode = MODE_REQUEST;
    *request = (struct request){.output = output_at(0), .machinery.timeout = 60};
    request->subjects = memory_get((size_t)argc, sizeof *request->subjects);
    request->formulae = memory_get((size_t)argc, sizeof *request->formulae);
    request->uses = memory_get((size_t)argc, sizeof *request->uses);
    int word = argc;
    enum mapping_status status = take_options(argc, argv, request, given, &word, error);
    *mode = given->mode;
    if (given->mode == MODE_HELP && !request->help_topic && word < argc) /* --help verify */
        option_at(row_named("help"))->read(&(struct argument){.text = argv[word]}, request);
    if (status != MAPPING_OK || given->mode != MODE_REQUEST)
        return status;
    while (word < argc && status == MAPPING_OK)
        status = take_word(argv[word++], (size_t)argc, request, given, error);
    if (status != MAPPING_OK)
        return status;
    status = defined_resolve(request, error);
    if (status != MAPPING_OK)
        return status;
    if (request->action == ACTION_SHOW)
        find_descriptors(request, given);
    if (!request->has_style)
        request->style.formula = request->action == ACTION_ANNOTATE && !request->output->is_picture
                                     ? FORMULA_DIVIDE
                                 : request->action == ACTION_LOAD ? request->output->usual_loads
                                                                  : request->output->usual;
    given->blamed = given->action;
    status = check_served(request, given, error);
    if (status == MAPPING_OK)
        status = check_format(request, given, error);
    if (status == MAPPING_OK)
        status = check_needs(request, given, error);
    if (status == MAPPING_OK)
        status = check_together(request, given, error);
    if (status == MAPPING_OK)
        status = tiled_read(request, error);
    return status == MAPPING_OK ? read_tile(request, given, error) : status;
}

enum mapping_status options_parse(int argc, char **argv, struct request *request, enum mode *mode,
                                  struct mapping_error *error) {
    struct given given = {.mode = MODE_REQUEST};
    const enum mapping_status status = parse(argc, argv, request, mode, &given, error);
    const char *topic = topic_of(given.blamed); /* that explains the error */
    if (status == MAPPING_INVALID && !strstr(error->message, "--help="))
        mapping_append(error->message, sizeof error->message,
                       topic ? " ('mapping --help=%s' explains it)"
                             : " ('mapping --help' explains the options)",
                       topic);
    return status;
}
