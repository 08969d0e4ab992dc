/* output.h - the formats: their names, properties and printing functions. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "catalogue/catalogue.h"
#include "output/grid.h"
#include "probe/problem.h"
#include "report/compare.h"
#include "report/conversion.h"
#include "report/form.h"
#include "report/load_report.h"
#include "report/question.h"
#include "report/view.h"
#include "system/system.h"

/* The styles of formulae. To add one, add a value; its name and its help in --style of
 * cli/option_rows.c; a function in layout/, declared in layout/formula.h, or in report/ as
 * shorten.c; and cases in command/styles.c and in load_formula of plan_formulae.c. */
enum formula_style {
    FORMULA_BITS,   /* masks and shifts, canonical: "((i & 2) << 2) + ((tid & 28) >> 2)" */
    FORMULA_SHORT,  /* the fewest operators that are known */
    FORMULA_DIVIDE, /* quotients, remainders and products: "tid / 4 + i / 2 * 8" */
    FORMULA_STYLES
};

/* Elements of 4 bits that --order packs; by name: packed_name_at. */
enum packed_type { PACKED_NOT, PACKED_U4, PACKED_S4, PACKED_E2M1 };

/* An instruction descriptor is read once for each kind of tcgen05.mma. */
enum { READINGS_MAX = 10 };

/* How and how much of reports is printed. */
struct style {
    enum formula_style formula;
    unsigned warp;            /* threads in a warp of the user's table; 0: MAPPING_WARP */
    bool order;               /* --order: print the permutation into the order of the fragment */
    enum packed_type packed;  /* --order=TYPE: elements of this type, which a kernel converts */
    unsigned width;           /* width of the terminal in columns, 0 if there is none */
    struct grid_style grid;   /* for text; other formats only use color_by */
    bool detail;              /* --detail: print facts about the instruction */
    struct excerpt excerpt;   /* which cells of grids are shown; `whole`: also cells that repeat */
    bool brief;               /* --brief: only formulae without grids, or only answers */
    bool verbose;             /* --verbose: lists in full, instead of the number of items */
    struct question question; /* the question; if there is one, answers replace grids and
                                 formulae */
};

/* A fragment in a list. */
struct list_entry {
    struct mapping_fragment fragment;
    char *evidence;   /* which sources observed the layout, and on which architectures */
    char sources[48]; /* the sources: "isa, gpu (sm_90)" */
    /* Which architectures of those asked for have it, where an opcode that has it is native, and
     * where all that do are emulated: bit n for mapping_arch_at(n). It is unknown on architectures
     * that are neither native nor emulated: results/sass.txt has no opcode with it there. */
    uint32_t archs, native, emulated;
};

/* A fragment that differs between two architectures. NULL if an architecture does not have it. */
struct difference {
    const struct report *first, *second;
};

struct comparison {
    unsigned archs[2];        /* 70 for sm_70 */
    size_t same;              /* number of fragments that do not differ */
    struct difference *items; /* first the fragments that differ, then those that only one
                                 architecture has */
    size_t count, different;  /* number of all items, and of those that differ */
    size_t only[2];           /* number of fragments that only this architecture has */
    /* The instruction of each architecture that reads its operands from shared memory, as wgmma
     * does; "" if there is none. NULL if they are the same, or not requested. */
    const char *replaced[2];
    bool in_tensor_memory[2]; /* D of this instruction is in Tensor Memory */
};

/* Formulae of the user, checked for a report, and the layouts for which they are right. */
struct verified {
    const struct report *report;
    struct check check;
    struct strings right_for; /* sentences of check_compare, then names of fragments */
    size_t conditions;        /* number of sentences in right_for */
    size_t searched;          /* number of fragments that were compared: the whole catalogue */
};

/* A descriptor as one instruction reads it. */
struct reading {
    const char *instruction; /* "tcgen05.mma" */
    const char *kind;        /* "f16" for an instruction descriptor; otherwise NULL */
    struct mapping_fields fields;
    char text[DECODED_TEXT];    /* all fields in a line */
    struct strings results;     /* for an instruction descriptor, the names of D */
    char refusal[DECODED_TEXT]; /* the reason why the number is not a descriptor of the instruction;
                                   or "" */
};

/* A field that has to change, and the correct one; `right` is NULL if the field has to be 0. */
struct correction {
    const struct mapping_field *field, *right;
};

/* A descriptor as a number, with all its readings, or with the one that is compared with a matrix.
 */
struct described {
    uint64_t value;
    bool is_wide; /* true for the 64-bit descriptor of a matrix, false for a 32-bit instruction
                     descriptor */
    struct reading readings[READINGS_MAX];
    size_t count;
    const struct report *matrix; /* the matrix to compare with, or NULL */
    uint32_t stage, slice;       /* the stage, and the slice along K, at which the descriptor
                                    begins */
    bool has_right;              /* the instruction can read the matrix */
    struct mapping_fields right; /* the correct descriptor of the matrix */
    struct correction corrections[FIELDS_MAX];
    size_t differing; /* number of corrections */
};

/* An entry of --check: a fragment or an atom on an architecture. */
struct checked_entry {
    const char *name, *file; /* the name of the entry, and the file that contains it */
    unsigned arch;
    enum { CHECK_CONFIRMED, CHECK_DIFFERS, CHECK_SKIPPED } verdict;
    const char *sources; /* the sources with the same layout; "" if there are none */
    const char *reason;  /* the difference, or the reason why the entry was not compared; or "" */
};

struct checked_summary {
    size_t confirmed, different, skipped;
    struct strings causes; /* sentences with the reasons why a source could not compare some
                              entries */
};

struct triton_file; /* listing/triton_file.h */
struct equality;    /* report/equality.h */
struct scale_copy;  /* report/scale_copy.h */

/* The output, in parts that may be printed in parallel. */
struct pages {
    struct printer *page;
    size_t count;
    char note[640]; /* a note for standard error if the command succeeds; or "" */
};

/* The results to which --detail adds facts. */
enum detailed {
    DETAIL_OF_NOTHING,
    DETAIL_OF_FRAGMENTS,
    DETAIL_OF_LAYOUTS /* to fragments and to all other layouts */
};

/* All reports of an output. */
struct batch {
    const struct report *reports;
    size_t count;
};

/* Prints a report to its page, in parallel with other reports. */
typedef void print_report_function(struct printer *to, const struct report *report,
                                   const struct style *style, const void *context);

/* A format. Requests that it cannot serve are rejected before anything is observed. */
struct output {
    const char *name;
    bool has_formulae;              /* the format prints formulae */
    bool styles_loads;              /* --style also applies to the addresses of --load and
                                       --store */
    enum formula_style usual_loads; /* the default style of these addresses */
    bool takes_origins;             /* functions can have the row and column of a load or store as
                                       parameters */
    bool has_brief;                 /* --brief omits the grids, or the lines above them */
    bool has_brief_answers;         /* --brief omits the lines above answers and conversions */
    bool has_origins;               /* lines of listings have the origin of operands, also without
                                       --detail */
    bool has_listed_fragments; /* lines of listings have the fragments of instructions, also without
                                  --detail */
    bool answers_are_brief;    /* answers never have lines above them; listings are not answers */
    enum formula_style usual;  /* the default style of formulae */
    bool is_picture;           /* a picture: formulae are below the grids, and never alone */
    bool has_colors;           /* the user can choose what colors mean */
    bool folds;                /* the format can show only the first period of rows and columns */
    bool has_descriptors;      /* the format prints the descriptors of a matrix in memory */
    bool has_cells;            /* the format has grids whose cells can show tid:i */
    bool has_answers;          /* the format can print answers to questions */
    bool has_warps;            /* the format divides threads into warps */
    bool has_order;            /* the format can print the permutation into the order of the
                                  fragment */
    enum detailed detail;      /* the results to which --detail adds facts */
    enum tmem_load_form tmem_loads; /* how the format prints several loads from Tensor Memory */
    bool has_records;               /* the format can print the records of --confirm, and lines of
                                       --probe */
    bool keeps;                     /* the format keeps pointers to its arguments, which must not be
                                       freed */
    bool merges_alike;              /* the format prints a layout of several fragments once; see
                                       alike.h */
    /* True if the format can print the layout; NULL if it can print every layout with formulae. */
    bool (*can_show)(const struct report *report);
    /* MAPPING_INVALID with a message if the format cannot print the reports; NULL if it can print
     * all. */
    enum mapping_status (*check)(const struct report *reports, size_t count,
                                 struct mapping_error *error);
    /* Prints a report; the context is the batch. NULL if `reports` prints all reports instead,
     * because there is text around them or they are printed together. Page 0 precedes all other
     * pages. */
    print_report_function *report;
    void (*reports)(struct pages *pages, struct report *reports, size_t count,
                    const struct style *style);
    /* Functions for further results. A function is NULL if the format cannot print such a result.
     * These are lists, comparisons, checks of formulae, and conversions. */
    void (*list)(struct printer *to, const struct list_entry *entries, size_t count,
                 const struct style *style);
    void (*comparison)(struct printer *to, const struct comparison *comparison,
                       const struct style *style);
    void (*verified)(struct printer *to, const struct verified *verified, size_t count,
                     const struct style *style);
    /* False if the format cannot print one of the conversions. */
    bool (*conversions)(struct printer *to, const struct conversion *conversions, size_t count,
                        const struct style *style);
    /* Loads and stores, suggested layouts, accesses to shared memory; may be NULL. `check_loads`
     * returns MAPPING_INVALID with a message if the loads cannot be printed together. */
    enum mapping_status (*check_loads)(const struct load *loads, size_t count,
                                       struct mapping_error *error);
    void (*loads)(struct printer *to, const struct load *loads, size_t count,
                  const struct style *style);
    void (*suggestions)(struct printer *to, const struct suggested *suggested,
                        const struct style *style);
    void (*access)(struct printer *to, const struct access *access);
    /* A listing, whose lines are printed one by one, and its summary; may be NULL. */
    void (*listing_line)(struct printer *to, const struct annotated_line *line);
    void (*listing_end)(struct printer *to, const struct listing_summary *summary,
                        const struct style *style);
    /* An entry of --check, printed after it is compared, and the sums at the end; may be NULL. */
    void (*checked)(struct printer *to, const struct checked_entry *entry);
    void (*checked_end)(struct printer *to, const struct checked_summary *summary);
    /* A copy of scale factors to Tensor Memory, which replaces `loads`; may be NULL. */
    void (*scale_copy)(struct printer *to, const struct scale_copy *copy,
                       const struct style *style);
    /* Two layouts that are compared; may be NULL. */
    void (*equality)(struct printer *to, const struct equality *equality);
    /* Descriptors as numbers; may be NULL. */
    void (*descriptors)(struct printer *to, const struct described *described, size_t count,
                        const struct style *style);
    /* The layouts of a Triton file; may be NULL. */
    void (*defined)(struct printer *to, const char *path, const struct triton_file *file);
    /* The mistakes of a kernel; may be NULL. */
    void (*probed)(struct printer *to, const struct findings *findings);
};

/* The formats in the order of help and messages. The struct for svg is svg_output. */
#define OUTPUTS(X)                                                                                 \
    X(text) X(json) X(csv) X(markdown) X(cuda) X(cute) X(triton) X(svg) X(html) X(tikz)
#define OUTPUT_DECLARATION(name) extern const struct output name##_output;
OUTPUTS(OUTPUT_DECLARATION)

/* The format at `index`; NULL from the end on. */
const struct output *output_at(size_t index);

/* Makes `count` empty pages. */
void pages_init(struct pages *pages, size_t count);

/* Prints `count` reports, at least one, to pages that pages_init has made: one for each report, and
 * page 0 before them. Releases each report (report_release) as soon as the format no longer needs
 * it. */
void output_reports(const struct output *output, struct pages *pages, struct report *reports,
                    size_t count, const struct style *style);

/* Prints the next answer from *position on, without the end of the line: "row  3, col  5: tid 14, i
 * 1 in R9". False if there is none. */
bool print_answer(struct printer *to, const struct report *report, const struct question *question,
                  size_t *position);

/* Prints each report to its page with `print_one`, several in parallel. If `is_last`, releases each
 * report afterwards. */
void pages_print(struct pages *pages, struct report *reports, size_t count,
                 const struct style *style, print_report_function *print_one, const void *context,
                 bool is_last);

/* Prints the facts of --detail as lines of text: the type, registers and bytes of a fragment, its
 * place in Tensor Memory, and facts that follow from its layout and its opcode: "rows       4
 * threads per row ...". If `has_table`, leaves out the size and the registers, which are in a table
 * above. If `is_brief`, shortens the SASS. */
void print_facts(struct printer *to, const struct report *report, bool has_table, bool is_brief);

/* ---- Matrices: smem_grid.c ---- */

/* Prints the grids of a matrix: by element, the offset and the bank at each row and column; by
 * address, the elements in each line of 128 bytes. */
void print_smem_grid(struct printer *to, const struct report *report, const struct style *style);

/* Reduces a view of the matrix to the cells that the style shows: the first period, in pieces of 16
 * bytes if a swizzle moves these. Bit c of `wraps` means that coordinate c is modulo the size of
 * its axis. */
void fold_smem_grid(struct view *view, const struct report *report, const struct style *style,
                    uint32_t wraps);

/* Prints the descriptors with which wgmma and tcgen05.mma read the matrix, and the first byte of
 * each slice along K. If neither can read it, prints nothing, or the properties that an atom lacks.
 */
void print_descriptor(struct printer *to, const struct report *report);

/* ---- Accesses: shared_access.c ---- */

/* Prints the addresses, the wavefronts, and for each phase the lanes that conflict in a bank. */
void print_access(struct printer *to, const struct access *access);

/* ---- Formulae of the addresses of loads and stores: plan_formulae.c ---- */

/* The addresses of a step as a formula of tid. If `step` is NULL, the addresses of all steps as a
 * formula of step and tid. NULL if there is no formula. */
const char *load_formula(const struct mapping_copy_plan *plan, const struct mapping_copy_step *step,
                         enum formula_style style);

/* The addresses of a step as formulae of their places in the matrix:
 *
 *     row = tid % 16 + 3, chunk = tid / 16 + 1      place; a chunk is 16 bytes of a row
 *     row * 128 + (chunk ^ row % 8) * 16            address
 *
 * If a fragment does not begin where the swizzle's period does, its addresses have this form, but
 * no formula of tid. False if they do not have this form. */
bool load_place(const struct report *matrix, const struct mapping_copy_plan *plan,
                const struct mapping_copy_step *step, enum formula_style style, const char **place,
                const char **address);

/* How the addresses of a step are computed from those of its leader, an earlier step. */
struct relation {
    uint32_t leader;   /* the leader; the step itself if it has none */
    char operation;    /* '+' or '^' */
    uint32_t constant; /* for '+', modulo 2^32 */
};

/* Finds the relations of all steps: relations[step_count]. They also hold at all origins of
 * `moves`, which may be NULL. */
void load_relate(const struct mapping_copy_plan *plan, const struct mapping_copy_moves *moves,
                 struct relation *relations);

/* How the addresses of all other steps are computed from those of the first, as a function of the
 * step: "^ s * 32", or "- s * 16". NULL if there is no such function. */
const char *load_change(const struct mapping_copy_plan *plan);

/* ---- Loads and stores: shared_access.c ---- */

void print_loads(struct printer *to, const struct load *loads, size_t count,
                 const struct style *style);
void print_suggestions(struct printer *to, const struct suggested *suggested,
                       const struct style *style);

/* ---- Packed elements: cuda_pack.c ---- */

/* The name of a type. packed_name_at returns the n-th name; NULL from the end on. */
const char *packed_name(enum packed_type type);
const char *packed_name_at(size_t n);

/* True if elements of 4 bits can be packed for the fragment: its type is f16 or bf16, and the
 * elements of each thread fill whole words. */
bool can_pack(const struct report *report);

/* Prints two functions for CUDA: mapping_NAME_pack_u4 packs a matrix of 4-bit elements in the order
 * of a fragment of f16 or bf16, and mapping_NAME_from_u4 converts them in a kernel. The first calls
 * the functions mapping_NAME_row, _col and _block with the suffix `suffix`. The second does not
 * depend on the layout, and is only printed if `is_first`. */
void print_packed_order(struct printer *to, const struct report *report, const char *name,
                        const char *suffix, enum packed_type type, bool is_first);

/* ---- Lists: text_list.c ---- */

/* Prints a list of fragments, in groups if it does not fit the screen of a terminal. */
void print_text_list(struct printer *to, const struct list_entry *entries, size_t count,
                     const struct style *style);

/* ---- Descriptors as numbers ---- */

void print_descriptors(struct printer *to, const struct described *described, size_t count,
                       const struct style *style);
void json_descriptors(struct printer *to, const struct described *described, size_t count,
                      const struct style *style);

/* ---- Findings about a kernel: probed.c ---- */

void print_findings(struct printer *to, const struct findings *findings);
void json_findings(struct printer *to, const struct findings *findings);

/* Prints what the kernel computes, as a comment: "# copy 64 x 64, A f16 row-major, D f16
 * column-major, 2 runs". */
void print_problem(struct printer *to, const struct problem *problem, size_t runs);

/* ---- Copies of scale factors to Tensor Memory: scale_copy.c ---- */

void print_scale_copy(struct printer *to, const struct scale_copy *copy, const struct style *style);
void json_scale_copy(struct printer *to, const struct scale_copy *copy, const struct style *style);
void cuda_scale_copy(struct printer *to, const struct scale_copy *copy, const struct style *style);

/* ---- Two layouts that are compared: equality.c ---- */

void print_defined(struct printer *to, const char *path, const struct triton_file *file);
void json_defined(struct printer *to, const char *path, const struct triton_file *file);
void print_equality(struct printer *to, const struct equality *equality);
void json_equality(struct printer *to, const struct equality *equality);

/* ---- Other ---- */

/* The text for a layout of a file that equals no known layout. */
#define NOTHING_IS_THE_SAME "No known fragment, tile or memory layout is the same.\n"

/* Writes the name of the fragment that differs. */
const char *difference_name(const struct difference *difference);

/* Describes which instruction replaces one that only the other architecture has, in lines that fit
 * a terminal, without a period at the end; "" if there is none. */
#define REPLACED_TEXT 384
void replaced_text(const struct comparison *comparison, char text[REPLACED_TEXT]);

/* The number of items of a comparison that are printed: those that differ; with --verbose, all. */
size_t comparison_shown(const struct comparison *comparison, const struct style *style);

/* Prints one side of a conversion: "mma.m16n8k16.d.f32 (16x8), side by side". */
void print_side_by_side(struct printer *to, const struct report *report,
                        const struct plan_side *side);

/* The lane from which a thread reads, within its warp: "tid ^ 1". */
const char *lanes_text(const struct source_lanes *lanes, uint32_t threads);

/* True if a plan moves elements through shared memory because a layout is not linear over bits. */
bool plan_is_not_linear(const struct shuffle_plan *plan);

/* The formula of a permutation of columns or rows; NULL if there is none. */
const char *permutation_text(const struct mapping_permutation *permutation);

/* True if only the first of several loads is shown. */
bool folds_tmem_loads(const struct output *output, const struct style *style);

/* The maximum number of lines of an answer in a terminal, 50 with the prompt; and the number of
 * lines after `start`. */
enum { SCREEN_LINES = 48 };
size_t count_lines(const struct printer *printed, size_t start);

/* Prints a point: "block 1, row  2, col  3". The last two coordinates stand below each other. */
void print_point(struct printer *to, const struct mapping_space *space, const uint32_t *point);

/* Prints a word of a list, with ", " before it unless it is the first, in lines of 79 characters
 * with `indent` blanks at the beginning. `column` is the length of the current line; returns its
 * new length. */
size_t print_folded(struct printer *to, const char *word, bool is_first, size_t column,
                    size_t indent);

/* Prints a list of words so, and the end of the line. */
void print_listed(struct printer *to, const struct strings *words, size_t column, size_t indent);

/* Breaks lines that are wider than the terminal: formulae after an operator, other lines after a
 * word. Does not break grids. */
void fold_lines(struct printer *page, size_t width);

/* Prints a text in quotes, as a field of CSV. */
void csv_quoted(struct printer *to, const char *text);

/* Prints `length` bytes of printable text (layout/sentence.h), escaped for the content of an
 * element of XML or HTML. */
void print_markup(struct printer *to, const char *text, size_t length);

/* The size of a fragment's matrix in memory, in bytes. */
uint32_t fragment_bytes(const struct mapping_fragment *fragment);

/* Writes all widths n of a fragment, "8 to 256 by 8"; a list contains only one of them. "" if the
 * fragment has only one width. */
#define WIDTHS_TEXT 96
void widths_text(const struct mapping_fragment *fragment, char text[WIDTHS_TEXT]);

/* Prints the widths with a separator. */
void widths_print(struct printer *to, const struct mapping_fragment *fragment, char between);

#endif
