/* request.h - a parsed command line: the action and its parameters.
 *
 * To add an action, add
 * - a file in command/ and a line of REQUEST_ACTIONS;
 * - its option in cli/option_rows.c, and its name in .actions of the options that apply to it;
 * - in cli/answers.c a function that keeps its result for mapping_ask, and a MAPPING_KIND_ in
 *   mapping.h;
 * - its name in ACTIONS of tests/cli/every_option_test.py, and in ALIKE there if its option is a
 *   flag. */
#ifndef REQUEST_H
#define REQUEST_H

#include "catalogue/catalogue.h"
#include "output/output.h"
#include "report/derive.h"
#include "report/load_report.h"
#include "smem/banks.h"
#include "source/source.h"

/* The actions. X(NAME, FUNCTION, CAN_PRINT): ACTION_NAME is its value, command_FUNCTION performs
 * it, and CAN_PRINT tells if a format, a struct output, can print the result. */
#define REQUEST_ACTIONS(X)                                                                         \
    X(SHOW, show, true)               /* grids and formulae */                                     \
    X(ASK, show, output->has_answers) /* a question about a layout */                              \
    X(LIST, list, output->list)                                                                    \
    X(DIFF, diff, output->comparison)                                                              \
    X(CHECK, check, output->checked)                                                               \
    X(CONFIRM, confirm, output->has_records)                                                       \
    X(VERIFY, verify, output->verified)                                                            \
    X(MAP, map, true)                                                                              \
    X(CONVERT, convert, output->conversions)                                                       \
    X(LOAD, load, output->loads)                                                                   \
    X(SUGGEST, suggest, output->suggestions)                                                       \
    X(ACCESS, access, output->access)                                                              \
    X(ANNOTATE, annotate, output->listing_end)                                                     \
    X(DESCRIBE, describe, output->descriptors) /* a descriptor as a number */                      \
    X(DEFINED, defined, output->defined)       /* the layouts that a file of Triton has */         \
    X(PROBE, probe, output->has_records)       /* writes the inputs of a kernel */                 \
    X(DECODE, decode, output->probed)          /* reads its outputs */                             \
    X(EQUALS, equals, output->equality)        /* two layouts, compared */

#define ACTION_VALUE(name, function, can_print) ACTION_##name,
enum action { REQUEST_ACTIONS(ACTION_VALUE) ACTIONS };

/* A fragment that is loaded from a matrix in memory, or stored to it. */
struct asked_use {
    const char *name; /* a fragment; "cp.async" and "tma" copy the whole matrix */
    bool is_store;
    const struct mapping_access *with; /* the operation; NULL for the best one */
    bool has_origin;
    bool takes_origin;  /* --origin=row,col: the printed function has parameters for the origin */
    uint32_t origin[2]; /* row and column of the matrix */
};

/* --color: when the cells of text output are tinted and its grids are framed. */
enum color_when {
    COLOR_AUTO, /* on a terminal */
    COLOR_ALWAYS,
    COLOR_NEVER,
    COLOR_WHEN_COUNT
};

struct names;

struct request {
    enum action action;
    const char *help_topic;                              /* the argument of --help, or NULL */
    const struct mapping_arch *archs[MAPPING_ARCHS_MAX]; /* --arch, in the order given */
    char suffixes[MAPPING_ARCHS_MAX];                    /* the letter after each architecture: 'a'
                                                            for sm_90a, 0 for none */
    size_t arch_count;                                   /* 0: that of the device, or the default */
    bool every_arch;       /* --arch=all: an architecture may lack the fragment */
    const char **subjects; /* fragments, or files to check */
    size_t subject_count;
    bool all;              /* --all: every fragment, instead of subjects */
    const char **formulae; /* the arguments of --verify */
    size_t formula_count;
    uint32_t extent[2];     /* --extent, rows and columns of a matrix in memory; {0, 0} if not
                               given */
    unsigned block;         /* --block, elements along K that share a scale factor; 0 if not
                               given */
    struct asked_use *uses; /* --load and --store, in the order given */
    size_t use_count;
    unsigned default_arch;        /* the default for the fragments on the command line; 0 before it
                                     is found */
    struct names *names;          /* the resolved names of these fragments; see select.c */
    struct asked_use use_default; /* --with and --origin before the first --load or --store */
    struct matrix_axes axes;      /* which of M, N and K are the rows and columns of matrices */
    bool has_tmem_load;           /* --with=tcgen05.ld or tcgen05.st, which is `tmem_load` */
    struct mapping_tmem_load tmem_load;
    const char *convert;     /* the target of --convert, or NULL */
    const char *equals;      /* the layout of --equals, or NULL */
    uint32_t usual_bits;     /* size of elements of a matrix in memory without a type; or 0 */
    const char *probe;       /* --probe, "copy:64,64"; or NULL */
    const char *folder;      /* the argument of --into or --decode; or NULL */
    const char *layout, *ld; /* --layout and --ld of --probe, "tn" and
                                "72,72,_"; or NULL */
    const char *batch, *batch_stride;               /* --batch and --batch-stride, "8" and "_,0,_";
                                                       or NULL */
    const char *guard;                              /* --guard, a number of rows, "16"; or NULL */
    const char *d_type, *accumulator, *instruction; /* options of --probe=gemm; or NULL */
    const char *alpha, *beta, *bias;                /* options of --probe=gemm; or NULL */
    const char *kv_heads, *causal, *scale;          /* options of --probe=attention; or NULL */
    const char *sfa, *sfb, *scale_type;             /* options of scale factors; or NULL */
    const char *function;                           /* --function of --annotate, a pattern of names;
                                                       or NULL */
    uint32_t first_line, last_line;                 /* --lines; {0, 0} if not given */
    void (*take)(void *taker, const char *text,
                 size_t size); /* gets text before the end; or NULL */
    void *taker;
    const char *table;                   /* --map, a file that is also a subject; or NULL */
    const char *shape;                   /* --shape, "64,64"; or NULL */
    const char *outputs;                 /* --outputs of --map, "row,col"; or NULL */
    const struct mapping_access *access; /* the operation of --access, or NULL */
    const char *address;                 /* --address of --access, a list or an expression; or
                                            NULL */
    uint32_t types;                      /* --type: bit MAPPING_F16 for f16, ...; 0: any */
    const char *type_name;               /* the argument of --type */
    bool has_operand, has_device, has_style;
    bool is_strict; /* --check fails if no source can check an entry */
    enum mapping_operand operand;
    const char *atom_layout, *permutation; /* both options as given, or NULL */
    struct tile_request tile;              /* both options, parsed */
    const struct output *output;
    struct style style;
    enum color_when color;
    const struct source *sources[SOURCES_MAX]; /* --source, in the order given */
    size_t source_count;                       /* 0: use the first source that has the fragment */
    bool is_joined; /* a subject was given as two words, "mma m16n8k16" */
    struct machinery machinery;
};

/* True if --arch names this architecture (75 for sm_75) or is not given. */
static inline bool request_wants(const struct request *request, unsigned arch) {
    for (size_t a = 0; a < request->arch_count; a++)
        if (request->archs[a]->number == arch)
            return true;
    return request->arch_count == 0;
}

/* True if an action has reports after this status. Reports without formulae can also be shown. */
static inline bool has_reports(enum mapping_status status) {
    return status == MAPPING_OK || status == MAPPING_NO_FORMULA;
}

/* A copy of the request whose only subject is *name. */
static inline struct request request_about(const struct request *request, const char **name) {
    struct request one = *request;
    one.subjects = name;
    one.subject_count = 1;
    return one;
}

/* If a subject is a TiledMMA, as CuTe or the CuTe DSL writes or prints it, replaces it by its atom,
 * and sets the layout of atoms and the permutation. Does not change other subjects. See tiled.c. */
enum mapping_status tiled_read(struct request *request, struct mapping_error *error);

/* Performs an action: makes `pages` and prints the result to them. With MAPPING_OK, MAPPING_DIFFERS
 * and MAPPING_NO_FORMULA, the pages have a result, and `error` may have a message. With any other
 * status, `error` has a message, and the pages are empty. */
typedef enum mapping_status command_function(const struct request *request, struct pages *pages,
                                             struct mapping_error *error);
#define ACTION_FUNCTION(name, function, can_print) command_function command_##function;
REQUEST_ACTIONS(ACTION_FUNCTION)

#endif
