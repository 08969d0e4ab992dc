/* context.c - opens, closes, marks and releases contexts. */
#include "cli/context.h"

#include "system/system.h"

#include <stdlib.h>
#include <string.h>

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

void context_free(struct mapping_arena **arena) {
    if (!*arena)
        return;
    mapping_arena_enter(*arena);
    mapping_arena_end();
    *arena = NULL;
}

void mapping_close(mapping *context) {
    if (!context)
        return;
    while (context->kept)
        mapping_release(context);
    context_free(&context->arena);
    free(context);
}

const char *mapping_message(const mapping *context) {
    return context ? context->message.message : "";
}

/* Begins a new arena for results. It becomes the innermost one. */
static enum mapping_status begin(mapping *context, bool is_marked) {
    struct kept *kept = calloc(1, sizeof *kept);
    *context->message.message = '\0';
    if (!kept || !mapping_arena_begin(NULL)) {
        free(kept);
        return mapping_out_of_memory(&context->message);
    }
    *kept = (struct kept){context->kept, mapping_arena_leave(), is_marked};
    context->kept = kept;
    return MAPPING_OK;
}

enum mapping_status mapping_mark(mapping *context) {
    return context ? begin(context, true) : MAPPING_INVALID;
}

void mapping_release(mapping *context) {
    for (bool is_done = !context; !is_done && context->kept;) {
        struct kept *kept = context->kept;
        is_done = kept->is_marked;
        context->kept = kept->outer;
        context_free(&kept->arena);
        free(kept);
    }
}

enum mapping_status context_refuse_null(mapping *context) {
    return context ? mapping_fail(&context->message, MAPPING_INVALID, "an argument is NULL")
                   : MAPPING_INVALID;
}

bool context_has_words(size_t count, const char *const words[]) {
    for (size_t w = 0; w < count; w++)
        if (!words || !words[w])
            return false;
    return true;
}

enum mapping_status context_work_in(mapping *context, struct mapping_arena **arena,
                                    arena_work *work, void *arguments) {
    jmp_buf exhausted;
    volatile enum mapping_status status = MAPPING_FAILED;
    struct mapping_error error = {""};
    *context->message.message = '\0';
    mapping_arena_enter(*arena);
    mapping_arena_catch(&exhausted);
    if (setjmp(exhausted) == 0) {
        status = work(arguments, &error);
        context->message = error;
    } else {
        temporary_folder_clean();
        status = mapping_out_of_memory(&context->message);
    }
    mapping_arena_catch(NULL);
    *arena = mapping_arena_leave();
    return status;
}

enum mapping_status context_work(mapping *context, arena_work *work, void *arguments) {
    if (!context->kept && begin(context, false) != MAPPING_OK)
        return MAPPING_FAILED;
    return context_work_in(context, &context->kept->arena, work, arguments);
}
