/* request.h - what the user wants. Nothing of how it was said. */
#ifndef REQUEST_H
#define REQUEST_H

#include "catalogue/catalogue.h"
#include "layout/banks.h"
#include "output/output.h"
#include "report/derive.h"
#include "report/loading.h"
#include "source/source.h"

/* The actions. X(NAME, FUNCTION, CAN_PRINT): the end of the value ACTION_NAME, the function that
 * does it, and whether a format, a struct output, can print the result. */
#define REQUEST_ACTIONS(X)                                                                         \
    X(SHOW, show, true)               /* grids and formulae */                                     \
    X(ASK, show, output->has_answers) /* a question about a layout */                              \
    X(LIST, list, output->list)                                                                    \
    X(DIFF, diff, output->comparison)                                                              \
    X(CHECK, check, output->can_check)                                                             \
    X(CONFIRM, confirm, output->can_check)                                                         \
    X(VERIFY, verify, output->verified)                                                            \
    X(MAP, map, true)                                                                              \
    X(CONVERT, convert, output->conversions)                                                       \
    X(LOAD, load, output->loadings)                                                                \
    X(SUGGEST, suggest, output->suggestions)                                                       \
    X(ACCESS, access, output->access)

#define ACTION_VALUE(name, function, can_print) ACTION_##name,
enum action { REQUEST_ACTIONS(ACTION_VALUE) ACTIONS };

/* A fragment that is loaded from a matrix in memory, or stored to it. */
struct asked_use {
    const char *name; /* of the fragment; "cp.async" or "tma" for a copy of all, 16 bytes a lane */
    bool is_store;
    const struct mapping_access *with; /* NULL: whatever can */
    bool has_origin;
    uint32_t origin[2]; /* row and column of the matrix */
};

/* When text is tinted, and its grids are framed. */
enum color_when {
    COLOR_AUTO, /* on a terminal */
    COLOR_ALWAYS,
    COLOR_NEVER,
    COLOR_WHEN_COUNT
};

struct request {
    enum action action;
    const char *help_topic;                              /* what --help is given; NULL if nothing */
    const struct mapping_arch *archs[MAPPING_ARCHS_MAX]; /* none: that of the device, or any */
    char suffixes[MAPPING_ARCHS_MAX]; /* what was said behind each; see mapping_arch_suffix */
    size_t arch_count;
    bool every_arch;       /* all of them were asked for: those that lack a fragment are no error */
    const char **subjects; /* fragments, or files to check */
    size_t subject_count;
    bool all;              /* every fragment, instead of subjects */
    const char **formulae; /* of --verify */
    size_t formula_count;
    uint32_t extent[2]; /* of matrices in memory; {0, 0} if nothing was said */
    struct asked_use *uses;
    size_t use_count;
    struct asked_use use_default; /* what was said before the first of them */
    struct matrix_axes axes;      /* of the matrices that they are about */
    bool has_transfer;            /* --with of what is in Tensor Memory ... */
    struct mapping_transfer transfer;
    const char *convert; /* the fragment that others are to become; or NULL */
    const char *outputs; /* the columns of a map that are deduced, with commas between; or NULL */
    const struct mapping_access *access; /* of shared memory; or NULL */
    const char *address;                 /* of its lanes: a list, or an expression; or NULL */
    uint32_t types;                      /* a set: bit MAPPING_F16, and so on; 0: any */
    const char *type_name;               /* what was said for it */
    bool has_operand, has_device, has_style;
    bool is_strict; /* --check fails for what no source could check */
    enum mapping_operand operand;
    const char *atom_layout, *permutation; /* as given, or NULL */
    struct tile_request tile;              /* what that comes to */
    const struct output *output;
    struct style style;
    enum color_when color;
    const struct source *sources[SOURCES_MAX]; /* in the order given */
    size_t source_count; /* none: for each fragment the first that can serve */
    struct machinery machinery;
};

/* True if the architecture, 75 for sm_75, is one that is asked for, or none is. */
static inline bool request_wants(const struct request *request, unsigned arch) {
    for (size_t a = 0; a < request->arch_count; a++)
        if (request->archs[a]->number == arch)
            return true;
    return request->arch_count == 0;
}

/* What each action does: prints to `pages`, which are made by it. MAPPING_OK, MAPPING_DIFFERS and
 * MAPPING_NO_FORMULA come with something to print, and perhaps a sentence; all others with a
 * sentence alone. */
typedef enum mapping_status command_function(const struct request *request, struct pages *pages,
                                             struct mapping_error *error);
#define ACTION_FUNCTION(name, function, can_print) command_function command_##function;
REQUEST_ACTIONS(ACTION_FUNCTION)

#endif
