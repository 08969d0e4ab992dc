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
enum { READINGS_MAX = 8 };

/* How reports are printed, and which parts of them. */
struct style {
    enum formula_style formula;
    unsigned warp;            /* threads in a warp, of the user's table; 0: MAPPING_WARP */
    bool order;               /* with the permutation into the order of the fragment */
    enum packed_type packed;  /* of elements of this type, which a kernel converts */
    unsigned width;           /* columns of the terminal, 0 if there is none */
    struct grid_style grid;   /* of text; other formats have its color_by alone */
    bool detail;              /* with the facts about the instruction */
    struct excerpt excerpt;   /* which cells of grids are shown; whole: also if they repeat */
    bool brief;               /* formulae alone, without the grids; answers alone */
    bool verbose;             /* also what else there is, instead of how much */
    struct question question; /* if one is asked, the answers instead of grids and formulae */
};

/* A fragment in a list. */
struct list_entry {
    struct mapping_fragment fragment;
    char *evidence;   /* what its layout was observed by, and where */
    char sources[48]; /* the same in few words: "isa, gpu (sm_90)" */
    /* Which architectures of those asked for have it, where an opcode that has it is native, and
     * where all that do are emulated: bit n for mapping_arch_at(n). It is unknown on architectures
     * that are neither native nor emulated: results/sass.txt has no opcode with it there. */
    uint32_t archs, native, emulated;
};

/* A fragment that differs between two architectures; NULL where one does not have it. */
struct difference {
    const struct report *first, *second;
};

struct comparison {
    unsigned archs[2];        /* 70 for sm_70 */
    size_t same;              /* fragments that do not differ */
    struct difference *items; /* first those that differ, then those that only one has */
    size_t count, different;  /* all items; those that differ */
    size_t only[2];           /* that only one has */
    /* Which instruction each has that multiplies out of shared memory, as wgmma does; "" if none.
     * NULL where that is the same, or was not asked for. */
    const char *replaced[2];
    bool in_tensor_memory[2]; /* its D is there */
};

/* Formulae of the user, checked for a report, and the layouts for which they are right. */
struct verified {
    const struct report *report;
    struct check check;
    struct strings right_for; /* sentences of check_compare, then names of fragments */
    size_t conditions;        /* how many are sentences */
    size_t searched;          /* fragments that were tried: all of the catalogue */
};

/* A descriptor, as an instruction reads it. */
struct reading {
    const char *instruction; /* "tcgen05.mma" */
    const char *kind;        /* of an instruction descriptor: "f16"; else NULL */
    struct mapping_fields fields;
    char text[DECODED_TEXT];    /* all of it in a line */
    struct strings results;     /* names of D, of an instruction descriptor */
    char refusal[DECODED_TEXT]; /* why it cannot be one of the instruction; or "" */
};

/* A field that has to change, and the right one; NULL if it has to be 0. */
struct correction {
    const struct mapping_field *field, *right;
};

/* A descriptor as a number: all its readings; or the one with which a matrix is compared. */
struct described {
    uint64_t value;
    bool is_wide; /* of 64 bits, of a matrix; else of an instruction */
    struct reading readings[READINGS_MAX];
    size_t count;
    const struct report *matrix; /* NULL if it is not compared with one */
    uint32_t stage, slice;       /* the slice along K, of this stage, with which it begins */
    bool has_right;              /* the instruction can read the matrix: */
    struct mapping_fields right; /* the descriptor with which it does */
    struct correction corrections[FIELDS_MAX];
    size_t differing; /* how many corrections there are */
};

/* An entry of --check: a fragment or an atom on an architecture. */
struct checked_entry {
    const char *name, *file; /* of the entry, and of the file that has it */
    unsigned arch;
    enum { CHECK_CONFIRMED, CHECK_DIFFERS, CHECK_SKIPPED } verdict;
    const char *sources; /* that have the same layout; "" if none */
    const char
        *reason; /* how the layout differs, or why it was not compared; "" if it is the same */
};

struct checked_summary {
    size_t confirmed, different, skipped;
    struct strings causes; /* sentences: why a source could not compare some entries */
};

struct triton_file; /* listing/triton_file.h */
struct equality;    /* report/equality.h */
struct scale_copy;  /* report/scale_copy.h */

/* The output, in parts that may be printed in parallel. */
struct pages {
    struct printer *page;
    size_t count;
    char note[640]; /* for standard error, though all went well; or "" */
};

/* The results to which --detail adds facts. */
enum detailed { DETAIL_OF_NOTHING, DETAIL_OF_FRAGMENTS, DETAIL_OF_LAYOUTS /* and of fragments */ };

/* All reports that are printed. */
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
    bool has_formulae;              /* it prints them */
    bool styles_loads;              /* --style holds for the addresses of --load and --store too */
    enum formula_style usual_loads; /* how it writes these unless it is told */
    bool takes_origins;     /* its functions can take the row and column of a load or store */
    bool has_brief;         /* it can print them without grids, or without the lines above them */
    bool has_brief_answers; /* it can print answers and conversions without lines above them */
    bool has_origins; /* lines of listings say where operands are from, also without --detail */
    bool has_listed_fragments; /* of the instructions of listings, also without --detail */
    bool answers_are_brief;    /* it never prints such lines; listings are no answers */
    enum formula_style usual;  /* how it writes them unless it is told */
    bool is_picture;           /* formulae stand below, and are never alone */
    bool has_colors;           /* the meaning of colors can be chosen */
    bool folds;                /* it shows the first period of rows and columns that repeat */
    bool has_descriptors;      /* it prints the descriptors of a matrix in memory */
    bool has_cells;            /* it has grids, whose cells can say tid:i */
    bool has_answers;          /* it can print answers to questions */
    bool has_warps;            /* it divides threads into warps */
    bool has_order;            /* it can print the permutation into the order of the fragment */
    enum detailed detail;      /* what --detail adds to */
    enum tmem_load_form tmem_loads; /* how it prints loads from Tensor Memory */
    bool has_records;  /* it can print the records of --confirm, and lines of --probe */
    bool keeps;        /* it keeps pointers to what it gets, which must not be freed */
    bool merges_alike; /* it prints the layout of several fragments once. See alike.h */
    /* True if it can print the layout; NULL if it can print any that has formulae. */
    bool (*can_show)(const struct report *report);
    /* MAPPING_INVALID with a sentence if it cannot print the reports; NULL if it can print any. */
    enum mapping_status (*check)(const struct report *reports, size_t count,
                                 struct mapping_error *error);
    /* Prints a report; the context is the batch. NULL if `reports` prints all reports instead,
     * because they need text around them or are printed together: page 0 precedes all pages. */
    print_report_function *report;
    void (*reports)(struct pages *pages, struct report *reports, size_t count,
                    const struct style *style);
    /* Each of the following is NULL if the format cannot print such a result: lists, comparisons,
     * checks of formulae, conversions. */
    void (*list)(struct printer *to, const struct list_entry *entries, size_t count,
                 const struct style *style);
    void (*comparison)(struct printer *to, const struct comparison *comparison,
                       const struct style *style);
    void (*verified)(struct printer *to, const struct verified *verified, size_t count,
                     const struct style *style);
    /* Also false where it cannot print one of them. */
    bool (*conversions)(struct printer *to, const struct conversion *conversions, size_t count,
                        const struct style *style);
    /* NULL as above: loads and stores, suggested layouts, accesses to shared memory.
     * `check_loads` returns MAPPING_INVALID with a sentence if loads cannot stand together; it
     * may be NULL. */
    enum mapping_status (*check_loads)(const struct load *loads, size_t count,
                                       struct mapping_error *error);
    void (*loads)(struct printer *to, const struct load *loads, size_t count,
                  const struct style *style);
    void (*suggestions)(struct printer *to, const struct suggested *suggested,
                        const struct style *style);
    void (*access)(struct printer *to, const struct access *access);
    /* NULL as above: a listing, whose lines are printed one by one, and its summary. */
    void (*listing_line)(struct printer *to, const struct annotated_line *line,
                         const struct style *style);
    void (*listing_end)(struct printer *to, const struct listing_summary *summary,
                        const struct style *style);
    /* NULL as above: an entry of --check, when it was compared, and at the end the sums. */
    void (*checked)(struct printer *to, const struct checked_entry *entry);
    void (*checked_end)(struct printer *to, const struct checked_summary *summary);
    /* NULL as above: a copy of scale factors to Tensor Memory, in place of `loads`. */
    void (*scale_copy)(struct printer *to, const struct scale_copy *copy,
                       const struct style *style);
    /* NULL as above: two layouts that are compared. */
    void (*equality)(struct printer *to, const struct equality *equality,
                     const struct style *style);
    /* NULL as above: descriptors as numbers. */
    void (*descriptors)(struct printer *to, const struct described *described, size_t count,
                        const struct style *style);
    /* Prints the layouts of a Triton file. May be NULL as above. */
    void (*defined)(struct printer *to, const char *path, const struct triton_file *file);
    /* NULL as above: errors of a kernel. */
    void (*probed)(struct printer *to, const struct findings *findings);
};

/* The formats in the order in which help and messages list them: svg is svg_output. */
#define OUTPUTS(X)                                                                                 \
    X(text) X(json) X(csv) X(markdown) X(cuda) X(cute) X(triton) X(svg) X(html) X(tikz)
#define OUTPUT_DECLARATION(name) extern const struct output name##_output;
OUTPUTS(OUTPUT_DECLARATION)

/* The format at `index`; NULL from the end on. */
const struct output *output_at(size_t index);

/* Makes `count` empty pages. */
void pages_init(struct pages *pages, size_t count);

/* Prints `count` reports, at least one, to pages that pages_init has made: one for each report, and
 * page 0 before them. Releases each report (report_release) when the format no longer needs it. */
void output_reports(const struct output *output, struct pages *pages, struct report *reports,
                    size_t count, const struct style *style);

/* Prints the next answer from *position on, without the end of the line: "row  3, col  5: tid 14, i
 * 1 in R9". False if there is none. */
bool print_answer(struct printer *to, const struct report *report, const struct question *question,
                  size_t *position);

/* Prints each report to its page with `print_one`, several at a time; if `is_last`, releases each
 * report then. */
void pages_print(struct pages *pages, struct report *reports, size_t count,
                 const struct style *style, print_report_function *print_one, const void *context,
                 bool is_last);

/* Prints the facts of --detail as lines of text: the type, registers and bytes of a fragment, its
 * place in Tensor Memory, and facts that follow from its layout and its opcode: "rows       4
 * threads per row ...". If `has_table`, leaves out the size and the registers, which are in a table
 * above. */
void print_facts(struct printer *to, const struct report *report, bool has_table);

/* ---- Matrices: smem_grid.c ---- */

/* Prints the grids of a matrix: the offset and the bank at each row and column; and by address,
 * which elements lie in each line of 128 bytes. */
void print_smem_grid(struct printer *to, const struct report *report, const struct style *style);

/* Leaves what the style shows of a view of the matrix: its first period, in pieces of 16 bytes if a
 * swizzle moves these; bit c of `wraps`: coordinate c counts modulo the size of its axis. */
void fold_smem_grid(struct view *view, const struct report *report, const struct style *style,
                    uint32_t wraps);

/* Prints the descriptors with which wgmma and tcgen05.mma read the matrix, and the byte at which
 * each slice along K begins. If neither can read it, prints nothing, or what an atom lacks. */
void print_descriptor(struct printer *to, const struct report *report);

/* ---- Accesses: shared_access.c ---- */

/* Prints the addresses, the wavefronts, and for each phase which lanes conflict in which bank. */
void print_access(struct printer *to, const struct access *access);

/* ---- Formulae of the addresses of loads and stores: plan_formulae.c ---- */

/* Writes the addresses of a step as a formula of tid or, if `step` is NULL, those of all steps as a
 * formula of step and tid. False if there is no formula. */
bool load_formula(const struct mapping_copy_plan *plan, const struct mapping_copy_step *step,
                  enum formula_style style, char text[FORMULA_TEXT]);

/* Writes the addresses of a step as formulae of their places in the matrix:
 *
 *     row = tid % 16 + 3, chunk = tid / 16 + 1      place; a chunk is 16 bytes of a row
 *     row * 128 + (chunk ^ row % 8) * 16            address
 *
 * If a fragment does not begin where the swizzle's period does, its addresses have this form, but
 * no formula of tid. False if they do not have this form. */
enum { PLACE_TEXT = 2 * FORMULA_TEXT };
bool load_place(const struct report *matrix, const struct mapping_copy_plan *plan,
                const struct mapping_copy_step *step, enum formula_style style,
                char place[PLACE_TEXT], char address[FORMULA_TEXT]);

/* How the addresses of a step follow from those of its leader, an earlier step. */
struct relation {
    uint32_t leader;   /* the step itself if it follows from none */
    char operation;    /* '+' or '^' */
    uint32_t constant; /* of '+' modulo 2^32 */
};

/* Finds the relations of all steps: relations[step_count]. They also hold at all origins of
 * `moves`, which may be NULL. */
void load_relate(const struct mapping_copy_plan *plan, const struct mapping_copy_moves *moves,
                 struct relation *relations);

/* Writes what all steps but the first do to its addresses, as a function of the step: "^ s * 32",
 * or "- s * 16". False if there is none. */
bool load_change(const struct mapping_copy_plan *plan, char text[FORMULA_TEXT]);

/* ---- Loads and stores: shared_access.c ---- */

void print_loads(struct printer *to, const struct load *loads, size_t count,
                 const struct style *style);
void print_suggestions(struct printer *to, const struct suggested *suggested,
                       const struct style *style);

/* ---- Packed elements: cuda_pack.c ---- */

/* The name of a type, and the n-th name; NULL from the end on. */
const char *packed_name(enum packed_type type);
const char *packed_name_at(size_t n);

/* True if elements of 4 bits can be packed for it: it is a fragment of f16 or bf16, and what each
 * thread holds fills whole words. */
bool can_pack(const struct report *report);

/* Prints two functions for CUDA: mapping_NAME_pack_u4 packs a matrix of 4-bit elements in the order
 * of a fragment of f16 or bf16, and mapping_NAME_from_u4 converts them in a kernel. The first calls
 * the functions mapping_NAME_row, _col and _block whose names end with `suffix`; the second, which
 * depends on no layout, is printed only if `is_first`. */
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
void print_equality(struct printer *to, const struct equality *equality, const struct style *style);
void json_equality(struct printer *to, const struct equality *equality, const struct style *style);

/* ---- Other ---- */

/* What formats say of a layout from a file that nothing else has. */
#define NOTHING_IS_THE_SAME "No known fragment, tile or memory layout is the same.\n"

/* Writes the name of the fragment that differs. */
const char *difference_name(const struct difference *difference);

/* Says what replaces what only one architecture multiplies with, in lines that fit a terminal,
 * without a final stop; "" if there is nothing to say. */
#define REPLACED_TEXT 384
void replaced_text(const struct comparison *comparison, char text[REPLACED_TEXT]);

/* The number of items of a comparison that are printed: those that differ; with --verbose, all. */
size_t comparison_shown(const struct comparison *comparison, const struct style *style);

/* Writes from which lane of its warp a thread reads: "tid ^ 1". */
void lanes_text(const struct source_lanes *lanes, uint32_t threads, char text[FORMULA_TEXT]);

/* True if a plan moves elements through shared memory because a layout is not linear over bits. */
bool plan_is_not_linear(const struct shuffle_plan *plan);

/* Writes the formula of a permutation of columns or rows: ""  if there is none. */
void permutation_text(const struct mapping_permutation *permutation, char text[FORMULA_TEXT]);

/* True if only the first of a series of loads is shown. */
bool folds_tmem_loads(const struct output *output, const struct style *style);

/* The lines that an answer should take at most in a terminal: 50, without the prompt; and how many
 * begin behind `start`. */
enum { SCREEN_LINES = 48 };
size_t count_lines(const struct printer *printed, size_t start);

/* Prints a point: "block 1, row  2, col  3". The last two coordinates stand below each other. */
void print_point(struct printer *to, const struct mapping_space *space, const uint32_t *point);

/* Prints a word of a list, with ", " before it unless it is the first, in lines of 79 characters
 * that begin with `indent` blanks. `column` is where the line ends; returns its new end. */
size_t print_folded(struct printer *to, const char *word, bool is_first, size_t column,
                    size_t indent);

/* Folds lines that are wider than the terminal: formulae after an operator, other lines after a
 * word. Grids are not folded. */
void fold_lines(struct printer *page, size_t width);

/* Prints a text in quotes, as a field of CSV. */
void csv_quoted(struct printer *to, const char *text);

/* Prints `length` bytes of printable text (layout/sentence.h), escaped, between elements of XML or
 * HTML. */
void print_markup(struct printer *to, const char *text, size_t length);

/* Bytes that the matrix of a fragment takes in memory. */
uint32_t fragment_bytes(const struct mapping_fragment *fragment);

/* Writes all widths n of a fragment, "8 to 256 by 8"; a list shows only one of them. "" if the
 * fragment has only one width. */
#define WIDTHS_TEXT 96
void widths_text(const struct mapping_fragment *fragment, char text[WIDTHS_TEXT]);

/* Prints them with a character between. */
void widths_print(struct printer *to, const struct mapping_fragment *fragment, char between);

#endif
