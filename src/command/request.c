/* request.c - from what is wanted to what does it. */
#include "command/request.h"

enum mapping_status command_run(const struct request *request, struct pages *pages,
                                struct mapping_error *error) {
    static command_function *const commands[] = {
        [ACTION_SHOW] = command_show,       [ACTION_ASK] = command_show,
        [ACTION_LIST] = command_list,       [ACTION_DIFF] = command_diff,
        [ACTION_CHECK] = command_check,     [ACTION_CONFIRM] = command_confirm,
        [ACTION_VERIFY] = command_verify,   [ACTION_MAP] = command_map,
        [ACTION_CONVERT] = command_convert, [ACTION_LOAD] = command_load,
        [ACTION_SUGGEST] = command_suggest, [ACTION_ACCESS] = command_access};
    _Static_assert(sizeof commands / sizeof *commands == ACTIONS, "every action has a command");
    *pages = (struct pages){.page = NULL};
    return commands[request->action](request, pages, error);
}
