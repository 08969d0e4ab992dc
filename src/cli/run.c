/* run.c - the command as a function: words in, text out. A context owns the arena that holds the
 * text of its last call; see mapping.h. */
#include "cli/options.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mapping {
    struct mapping_options options;
    struct mapping_arena *arena; /* of the last call; NULL before the first */
    struct mapping_error message;
};

unsigned mapping_version(void) {
    return MAPPING_VERSION_NUMBER;
}

mapping *mapping_open(const struct mapping_options *options) {
    mapping *context = calloc(1, sizeof *context);
    const size_t known = sizeof context->options;
    if (context && options)
        memcpy(&context->options, options, options->size < known ? options->size : known);
    return context;
}

/* Frees what the last call has returned. */
static void release(mapping *context) {
    if (!context->arena)
        return;
    mapping_arena_enter(context->arena);
    mapping_arena_end();
    context->arena = NULL;
}

void mapping_close(mapping *context) {
    if (context)
        release(context);
    free(context);
}

const char *mapping_message(const mapping *context) {
    return context->message.message;
}

/* Sets the style of text. A terminal gets numbers around grids and, with --color=auto, colors.
 * --color=always gives both to any output. */
static void set_style(struct request *request, const struct mapping_options *options) {
    const bool always = request->color == COLOR_ALWAYS, is_there = options->columns > 0;
    request->style.width = options->columns;
    request->style.is_framed = always || is_there;
    request->style.is_tinted =
        always || (request->color == COLOR_AUTO && is_there && options->has_colors);
    request->style.has_true_color = options->has_true_color;
}

/* True if the request shows the default fragment: it has no subject, and asks nothing about it. */
static bool names_nothing(const struct request *request) {
    return request->action == ACTION_SHOW && request->subject_count == 0 && !request->all;
}

/* Parses the words, and runs their action, or prints help or the version. */
static enum mapping_status act(const mapping *context, size_t count, const char *const words[],
                               struct pages *pages, struct mapping_error *error) {
#define COMMAND(name, function, can_print) command_##function,
    static command_function *const commands[ACTIONS] = {REQUEST_ACTIONS(COMMAND)};
    struct request request;
    enum mode mode;
    char **argv = memory_get(count + 2, sizeof *argv);
    argv[0] = memory_text("mapping");
    for (size_t w = 0; w < count; w++)
        argv[w + 1] = memory_text(words[w]);
    enum mapping_status status = options_parse((int)count + 1, argv, &request, &mode, error);
    set_style(&request, &context->options);
    if (context->options.columns == 0) { /* a terminal gets all at once, for its pager */
        request.take = context->options.take;
        request.taker = context->options.taker;
    }
    request.machinery.may_start = context->options.may_start_tools;
    request.machinery.catches_signals = context->options.catches_signals;
    if (status != MAPPING_OK)
        return status;
    if (mode == MODE_REQUEST) {
        status = commands[request.action](&request, pages, error);
        if (status == MAPPING_OK && names_nothing(&request) && !*pages->note &&
            context->options.has_unread_input && context->options.has_unread_input())
            snprintf(pages->note, sizeof pages->note,
                     "standard input is not read; --annotate=- reads a listing of SASS or PTX from "
                     "it, --map=- a table in CSV");
        return status;
    }
    pages_init(pages, 1);
    if (mode == MODE_HELP)
        options_help(pages->page, request.help_topic);
    else
        print_text(pages->page, "mapping " MAPPING_VERSION "\n");
    return MAPPING_OK;
}

/* Gives the pages to the caller's function, or joins them. */
static void hand_over(const mapping *context, const struct pages *pages, const char **text,
                      size_t *size) {
    const struct mapping_options *options = &context->options;
    struct printer whole = {.text = NULL};
    for (size_t p = 0; p < pages->count; p++) {
        struct printer *page = &pages->page[p];
        if (page->size == 0)
            continue;
        if (options->take)
            options->take(options->taker, page->text, page->size);
        else if (whole.size == 0)
            whole = *page;
        else {
            memcpy(printer_room(&whole, page->size), page->text, page->size);
            whole.size += page->size;
            printer_free(page);
        }
    }
    if (whole.size > 0)
        *text = printer_string(&whole);
    *size = whole.size;
}

/* What mapping_run does, in an arena. */
static enum mapping_status run(mapping *context, size_t count, const char *const words[],
                               const char **text, size_t *size) {
    struct pages pages = {.page = NULL};
    struct mapping_error error = {""};
    const enum mapping_status status = act(context, count, words, &pages, &error);
    if (status == MAPPING_OK || status == MAPPING_DIFFERS || status == MAPPING_NO_FORMULA)
        hand_over(context, &pages, text, size);
    if (*error.message && status != MAPPING_OK)
        context->message = error;
    else
        memcpy(context->message.message, pages.note, sizeof pages.note);
    return status;
}

enum mapping_status mapping_run(mapping *context, size_t count, const char *const words[],
                                const char **text, size_t *size) {
    enum { WORDS_MAX = 1 << 20 };
    jmp_buf exhausted;
    volatile enum mapping_status status = MAPPING_FAILED;
    release(context);
    *text = "";
    *size = 0;
    *context->message.message = '\0';
    if (count > WORDS_MAX)
        return mapping_fail(&context->message, MAPPING_INVALID, "%zu words are too many", count);
    if (!mapping_arena_begin(&exhausted))
        return mapping_out_of_memory(&context->message);
    if (setjmp(exhausted) == 0) {
        status = run(context, count, words, text, size);
    } else {
        temporary_folder_clean();
        status = mapping_out_of_memory(&context->message);
    }
    mapping_arena_catch(NULL);
    context->arena = mapping_arena_leave();
    return status;
}
