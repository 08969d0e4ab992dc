/* run.c - mapping_run: takes the words of a command line and returns the text. The context owns the
 * arena that holds the text of its last call; see mapping.h. */
#include "cli/context.h"
#include "cli/options.h"
#include "command/select.h"
#include "system/system.h"

#include <stdio.h>
#include <string.h>

/* Sets the style of text. A terminal gets numbers around grids and, with --color=auto, colors.
 * --color=always gives both to any output. */
static void set_style(struct request *request, const struct mapping_options *options) {
    const bool always = request->color == COLOR_ALWAYS, is_there = options->columns > 0;
    request->style.width = options->columns;
    request->style.grid.is_framed = always || is_there;
    request->style.grid.is_tinted =
        always || (request->color == COLOR_AUTO && is_there && options->has_colors);
    request->style.grid.has_true_color = options->has_true_color;
}

enum mapping_status request_parse(const mapping *context, size_t count, const char *const words[],
                                  struct request *request, enum mode *mode,
                                  struct mapping_error *error) {
    enum { WORDS_MAX = 1 << 20 };
    *mode = MODE_REQUEST;
    if (count > WORDS_MAX)
        return mapping_fail(error, MAPPING_INVALID, "%zu words are too many", count);
    char **argv = memory_get(count + 2, sizeof *argv);
    argv[0] = memory_text("mapping");
    for (size_t w = 0; w < count; w++)
        argv[w + 1] = memory_text(words[w]);
    const enum mapping_status status = options_parse((int)count + 1, argv, request, mode, error);
    set_style(request, &context->options);
    request->names = make_names();
    if (context->options.columns == 0) { /* otherwise the pager needs all text at once */
        request->take = context->options.take;
        request->taker = context->options.taker;
    }
    request->machinery.may_start = context->options.may_start_tools;
    request->machinery.catches_signals = context->options.catches_signals;
    return status;
}

enum mapping_status request_run(const struct request *request, struct pages *pages,
                                struct mapping_error *error) {
#define COMMAND(name, function, can_print) command_##function,
    static command_function *const commands[ACTIONS] = {REQUEST_ACTIONS(COMMAND)};
    return commands[request->action](request, pages, error);
}

/* True if the request shows the default fragment: it has no subject and no question. */
static bool names_nothing(const struct request *request) {
    return request->action == ACTION_SHOW && request->subject_count == 0 && !request->all;
}

/* Parses the words, and performs the action, or prints help or the version. */
static enum mapping_status act(const mapping *context, size_t count, const char *const words[],
                               struct pages *pages, struct mapping_error *error) {
    struct request request = {.action = ACTION_SHOW};
    enum mode mode;
    enum mapping_status status = request_parse(context, count, words, &request, &mode, error);
    if (status != MAPPING_OK)
        return status;
    if (mode == MODE_REQUEST) {
        status = request_run(&request, pages, error);
        if (request.output == &text_output && request.style.width > 0 &&
            request.action != ACTION_ANNOTATE && request.action != ACTION_CONFIRM)
            for (size_t p = 0; p < pages->count; p++)
                fold_lines(&pages->page[p], request.style.width);
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

/* Passes the pages to the caller's function `take`, or joins them to one text. */
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
            print_raw(&whole, page->text, page->size);
            printer_free(page);
        }
    }
    if (whole.size > 0)
        *text = printer_string(&whole);
    *size = whole.size;
}

/* The arguments of mapping_run. */
struct running {
    const mapping *context;
    size_t count;
    const char *const *words;
    const char **text;
    size_t *size;
};

static enum mapping_status run(void *arguments, struct mapping_error *error) {
    const struct running *running = arguments;
    struct pages pages = {.page = NULL};
    const enum mapping_status status =
        act(running->context, running->count, running->words, &pages, error);
    if (status == MAPPING_OK || status == MAPPING_DIFFERS || status == MAPPING_NO_FORMULA)
        hand_over(running->context, &pages, running->text, running->size);
    if (!*error->message || status == MAPPING_OK)
        memcpy(error->message, pages.note, sizeof pages.note);
    return status;
}

enum mapping_status mapping_run(mapping *context, size_t count, const char *const words[],
                                const char **text, size_t *size) {
    struct running running = {context, count, words, text, size};
    if (!context || !text || !size || !context_has_words(count, words))
        return context_refuse_null(context);
    context_free(&context->arena);
    *text = "";
    *size = 0;
    if (!mapping_arena_begin(NULL))
        return mapping_out_of_memory(&context->message);
    context->arena = mapping_arena_leave();
    return context_work_in(context, &context->arena, run, &running);
}
