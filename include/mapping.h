/* mapping.h - layouts of tensor-core fragments, for programs.
 *
 * The whole command `mapping` is one function, mapping_run: the words of a command line in, the
 * text out. This program prints which thread holds row 3, column 5 of an accumulator:
 *
 *     #include <mapping.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *         const char *const words[] = {"mma.m16n8k16.d.f32", "--at=3,5", "--json"}, *text;
 *         size_t size;
 *         mapping *context = mapping_open(NULL);
 *         if (!context || mapping_run(context, 3, words, &text, &size) != MAPPING_OK)
 *             return 1;
 *         fwrite(text, 1, size, stdout);
 *         mapping_close(context);
 *     }
 *
 * mapping_ask takes the same words, and gives values instead of text: tables, formulae, facts,
 * verdicts, plans. Other functions make layouts from a table, bases, CuTe's notation or formulae,
 * and invert, compose and compare them.
 *
 * A layout is a function from one space of named axes to another. The layout of a fragment leads
 * from (tid, i), thread and element, to (row, col); here is one of 4 threads that hold 2 elements
 * each of a 2x4 matrix:
 *
 *     tid   0     1     2     3
 *     i     0  1  0  1  0  1  0  1
 *     row   0  0  0  0  1  1  1  1      row = (tid & 2) >> 1
 *     col   0  1  2  3  0  1  2  3      col = i + 2 * (tid & 1)
 *
 * All numbers count from 0. Errors are values: a status, and a sentence in mapping_message. The
 * library never ends the program and never writes to a stream.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library shows what is declared here, and nothing else. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define MAPPING_VERSION "0.3.0"
#define MAPPING_VERSION_NUMBER 0x000300 /* a byte each for MAJOR, MINOR and PATCH */

/* What a call came to. The numbers are the exit status of the command. */
enum mapping_status {
    MAPPING_OK = 0,
    MAPPING_DIFFERS = 1,     /* a check or comparison found a difference */
    MAPPING_INVALID = 2,     /* no such option, architecture, fragment; a malformed input */
    MAPPING_UNAVAILABLE = 3, /* it exists, but not here */
    MAPPING_NO_FORMULA = 4,  /* the layout is there, but no formula gives it */
    MAPPING_FAILED = 5       /* the machine failed: CUDA, a tool, memory, output */
};

/* ---- The command as a function ---- */

/* A context: memory, and the message of the last call. One thread at a time may use it; several
 * contexts may be used in several threads at once. Layouts, answers and texts live until
 * mapping_close or mapping_release frees them; the text of mapping_run lives until the next call.
 * A call with a pointer that is NULL, unless a comment allows it, does nothing and returns
 * MAPPING_INVALID, NULL, 0 or false. */
typedef struct mapping mapping;

/* What a context may do. Zeroed apart from `size`, it has the defaults. */
struct mapping_options {
    size_t size;          /* sizeof(struct mapping_options), of the header that was compiled */
    bool may_start_tools; /* the sources gpu and sass may start the CUDA driver, ptxas and nvdisasm;
                             else they are unavailable */
    bool catches_signals; /* handlers are installed while such a tool runs, so that a signal removes
                             its temporary folder; for one context of a program */
    bool has_colors;      /* the terminal has them; --color=always prints them anywhere */
    bool has_true_color;  /* it has 24 bits of color */
    unsigned columns;     /* of the terminal that the text is for; 0 if it is for no terminal */
    void (*take)(void *taker, const char *text, size_t size); /* if not NULL, gets the text piece by
                             piece, before mapping_run returns; pieces live as long as its text. If
                             columns is 0, those of --annotate come while the listing is read, and
                             live until this function returns */
    void *taker;
    bool (*has_unread_input)(void); /* if not NULL, asked once when a command shows the default
                             fragment: true if a note has to say that standard input is not read */
};

/* MAPPING_VERSION_NUMBER of the library that is linked. */
unsigned mapping_version(void);

/* Opens a context. NULL stands for the defaults. NULL is returned if memory runs out. */
mapping *mapping_open(const struct mapping_options *options);

/* Closes a context, and frees all that its functions returned. NULL is allowed. */
void mapping_close(mapping *context);

/* Runs a command line: `count` words, without the name of the program, such as {"--list",
 * "--arch=sm_90"}. Returns what the command returns as its exit status, and in *text what it
 * prints, `*size` bytes with '\0' behind them; "" if the status is none of MAPPING_OK,
 * MAPPING_DIFFERS and MAPPING_NO_FORMULA, or if options.take took the text. With "--json", the text
 * follows mapping.schema.json. "-" for a file is standard input. The text lives until the next call
 * with this context. Calls in several threads wait for each other only while options are parsed.
 */
enum mapping_status mapping_run(mapping *context, size_t count, const char *const words[],
                                const char **text, size_t *size);

/* Sets a mark: mapping_release frees what functions returned after it. Marks nest. MAPPING_FAILED
 * if memory runs out. */
enum mapping_status mapping_mark(mapping *context);

/* Frees all layouts, answers and texts since the last mark, and removes the mark; without a mark,
 * frees all of the context. */
void mapping_release(mapping *context);

/* What the command would print on standard error, without "mapping: ": why the last call failed, or
 * a note; "" if there is nothing to say. It lives until the next call with this context. */
const char *mapping_message(const mapping *context);

/* ---- Layouts ---- */

/* An axis takes the values 0 .. size - 1. A space is a list of at most 8 axes with distinct names;
 * its points are numbered with the last axis running fastest. Names are copied. */
struct mapping_axis {
    const char *name;
    uint32_t size;
};

/* The axes that fragments have. Any other name will do for an axis of one's own. */
#define MAPPING_AXIS_TID "tid" /* thread in the warp, 0..31, or in the warpgroup, 0..127 */
#define MAPPING_AXIS_I "i" /* matrix element among those that a thread holds, in register order */
#define MAPPING_AXIS_ROW "row"     /* of A m, of B k, of C and D m */
#define MAPPING_AXIS_COL "col"     /* of A k, of B n, of C and D n */
#define MAPPING_AXIS_BLOCK "block" /* matrix, where an operand has several */
#define MAPPING_AXIS_COPY "copy"   /* numbers the (tid, i) that hold the same element */
#define MAPPING_AXIS_SELECTOR                                                                      \
    "selector" /* the same of sparsity metadata, chosen by the sparsity selector */
#define MAPPING_AXIS_OFFSET "offset" /* of matrices in memory: in elements from the first byte */
#define MAPPING_AXIS_STAGE "stage"   /* matrix, where a layout of memory has a third mode */
#define MAPPING_AXIS_CTA "cta"       /* of a pair: 0 is that of the even rank in the cluster */
#define MAPPING_AXIS_LANE "lane" /* of Tensor Memory, 0..127; of a load or store, from its own */
#define MAPPING_AXIS_COLUMN "column" /* of 32 bits, from the address on; of a matrix see col */
#define MAPPING_AXIS_BIT "bit"       /* of a column, in which a narrow element begins, 0..31 */
#define MAPPING_AXIS_ID "id"       /* chosen by the scale factor ID of the instruction descriptor */
#define MAPPING_AXIS_LOAD "load"   /* from Tensor Memory, of those that read an operand */
#define MAPPING_AXIS_STORE "store" /* the other way round */

/* A layout: the coordinates, along each axis of one space, `to`, of each point of another, `from`.
 * It does not change. */
typedef struct mapping_layout mapping_layout;

/* The functions that make layouts return MAPPING_INVALID with a sentence if a space has no points,
 * more than 8 axes, or axes of the same name, or if `from` has more than 2^24 points. */

/* From a table: values[c][n] is where point n of `from` lies along axis c of `to`.
 * MAPPING_INVALID if a value lies outside of its axis. */
enum mapping_status mapping_layout_from_table(mapping *context, const struct mapping_axis *from,
                                              size_t from_count, const struct mapping_axis *to,
                                              size_t to_count, const uint32_t *const values[],
                                              const mapping_layout **layout);

/* From bases: for each axis of `to`, behind bars, the bits that its coordinate consists of, lowest
 * first; each is the letter of an axis of `from` and the number of a bit of it. In "t2 t3 t4 i1 |
 * i0 t0 t1" bits 2, 3 and 4 of tid are bits 0 to 2 of the row, and bit 1 of i is bit 3; "i2.." is
 * bit 2 of i and all above, "r0-6" bits 0 to 6, "0" and "1" a bit that always is. The letter of an
 * axis is the first of its name that no axis before it has. */
enum mapping_status mapping_layout_from_bases(mapping *context, const struct mapping_axis *from,
                                              size_t from_count, const struct mapping_axis *to,
                                              size_t to_count, const char *bases,
                                              const mapping_layout **layout);

/* From CuTe's notation, such as the TV layout "((4,8),(2,2)):((32,1),(16,8))", as C++, Python or
 * print() have it. As in CuTe, points of both spaces are numbered with the first axis running
 * fastest. MAPPING_INVALID if the sizes differ, or a value lies outside of `to`. */
enum mapping_status mapping_layout_from_cute(mapping *context, const struct mapping_axis *from,
                                             size_t from_count, const struct mapping_axis *to,
                                             size_t to_count, const char *notation,
                                             const mapping_layout **layout);

/* From statements of C or Python that assign to each axis of `to`, as --verify takes them:
 * "row = tid / 4; col = tid % 4 * 2 + i;". MAPPING_INVALID with a caret under the place if they
 * cannot be parsed, are undefined at a point, or give a value outside of its axis. */
enum mapping_status mapping_layout_from_formulas(mapping *context, const struct mapping_axis *from,
                                                 size_t from_count, const struct mapping_axis *to,
                                                 size_t to_count, const char *statements,
                                                 const mapping_layout **layout);

/* The two spaces of a layout. */
enum mapping_side { MAPPING_FROM = 0, MAPPING_TO = 1 };

/* Axis n of a space: its name, and in *size, which may be NULL, its size. NULL from the end on. */
const char *mapping_layout_axis(const mapping_layout *layout, enum mapping_side side, size_t n,
                                uint32_t *size);

/* How many points `from` has. */
size_t mapping_layout_size(const mapping_layout *layout);

/* The table of an axis of `to`: its coordinate at each point of `from`, mapping_layout_size
 * numbers; UINT32_MAX where nothing lies. NULL if there is no such axis. It belongs to the layout.
 */
const uint32_t *mapping_layout_values(const mapping_layout *layout, const char *axis);

/* Makes the inverse: from the axes of `to`, and behind them one called `copy` that numbers the
 * points that are the same in ascending order, to the axes of `from`. MAPPING_INVALID unless each
 * point of `to` is reached equally often. */
enum mapping_status mapping_layout_invert(mapping *context, const mapping_layout *layout,
                                          const char *copy, const mapping_layout **inverse);

/* Makes the layout that applies `first` and then `second`. MAPPING_INVALID unless `to` of the first
 * is `from` of the second; axes of one value at the end of the latter are no matter, such as the
 * copy of an inverse. */
enum mapping_status mapping_layout_compose(mapping *context, const mapping_layout *first,
                                           const mapping_layout *second,
                                           const mapping_layout **composed);

/* Makes the product, as of Triton's linear layouts: `outer` repeats `inner`. An axis that both have
 * is joined, and its coordinate is that of `inner` plus the size there times that of `outer`.
 * MAPPING_INVALID if there are too many axes or points. */
enum mapping_status mapping_layout_product(mapping *context, const mapping_layout *inner,
                                           const mapping_layout *outer,
                                           const mapping_layout **product);

/* Makes the part of a layout where the coordinate along an axis of `from` is first .. first + count
 * - 1; there it counts from 0. MAPPING_INVALID if there is no such axis or coordinate. */
enum mapping_status mapping_layout_restrict(mapping *context, const mapping_layout *layout,
                                            const char *axis, uint32_t first, uint32_t count,
                                            const mapping_layout **part);

/* True if both have the same spaces and the same values. */
bool mapping_layout_equal(const mapping_layout *a, const mapping_layout *b);

/* How formulae are written. */
enum mapping_style {
    MAPPING_BITS = 0,  /* masks and shifts, canonical: ((i & 2) << 2) + ((tid & 28) >> 2) */
    MAPPING_SHORT = 1, /* with the fewest operators that are known */
    MAPPING_DIVIDE = 2 /* tid / 4 + i / 2 * 8 */
};

/* The formula of an axis of `to`, a C expression in the axes of `from`. It has been evaluated and
 * compared at every point. MAPPING_NO_FORMULA if no formula of masks, shifts and sums or exclusive
 * or gives the values; MAPPING_INVALID if there is no such axis. */
enum mapping_status mapping_layout_formula(mapping *context, const mapping_layout *layout,
                                           const char *axis, enum mapping_style style,
                                           const char **text);

/* ---- Answers ---- */

/* What a question came to: items of one kind. */
typedef struct mapping_answer mapping_answer;
typedef struct mapping_item mapping_item;

enum mapping_kind {
    MAPPING_KIND_LAYOUT = 1,      /* fragments, operands in Tensor Memory, matrices, tables */
    MAPPING_KIND_PLACE = 2,       /* of --at, --thread, --offset: elements, and where each is */
    MAPPING_KIND_VERDICT = 3,     /* of --verify */
    MAPPING_KIND_CONVERSION = 4,  /* of --convert */
    MAPPING_KIND_PLAN = 5,        /* of --load and --store: how an operation does it, best first */
    MAPPING_KIND_SUGGESTION = 6,  /* of --suggest, best first */
    MAPPING_KIND_ACCESS = 7,      /* of --access */
    MAPPING_KIND_FRAGMENT = 8,    /* of --list */
    MAPPING_KIND_DIFFERENCE = 9,  /* of --diff */
    MAPPING_KIND_DESCRIPTOR = 10, /* of a number, "0x4000004000010000"; print it as text or JSON */
    MAPPING_KIND_EQUALITY = 11    /* of --equals: how many elements differ; print it likewise */
};

/* Asks a question in the words of a command line, without a format: {"mma.m16n8k16.d.f32",
 * "--arch=sm_90"}. The status is that of mapping_run. MAPPING_INVALID, too, if the answer is
 * only text, as that of --help, --check and --annotate. *answer is NULL unless the status is
 * MAPPING_OK, MAPPING_DIFFERS or MAPPING_NO_FORMULA. */
enum mapping_status mapping_ask(mapping *context, size_t count, const char *const words[],
                                const mapping_answer **answer);

/* Makes an answer of one item from a layout of one's own, so that it can be printed and has facts.
 * MAPPING_NO_FORMULA, with an answer, if it has no formula. */
enum mapping_status mapping_describe(mapping *context, const mapping_layout *layout,
                                     const char *name, const mapping_answer **answer);

/* Compares statements as --verify takes them with a layout of one's own. MAPPING_DIFFERS if they
 * are wrong; MAPPING_INVALID if they cannot be parsed. */
enum mapping_status mapping_verify(mapping *context, const mapping_layout *layout,
                                   const char *statements, const mapping_answer **answer);

/* The wavefronts of an access to shared memory: `operation` is one of --access, address[n] the byte
 * address of lane n, UINT32_MAX of one that takes no part. *least is what the access takes without
 * bank conflicts. MAPPING_INVALID if `count` is not the number of lanes, or an address is not
 * aligned or not in shared memory. */
enum mapping_status mapping_count_wavefronts(mapping *context, const char *operation,
                                             const uint32_t *address, size_t count,
                                             uint32_t *wavefronts, uint32_t *least);

enum mapping_kind mapping_answer_kind(const mapping_answer *answer);
size_t mapping_answer_count(const mapping_answer *answer);

/* Item n; NULL from the end on. */
const mapping_item *mapping_answer_item(const mapping_answer *answer, size_t n);

/* Prints an answer, or one item, in a format of --format. Pictures and CUDA headers have all items
 * of an answer. MAPPING_INVALID if there is no such format, or it cannot show this;
 * MAPPING_NO_FORMULA, with a text, if it shows it only in part. */
enum mapping_status mapping_answer_print(mapping *context, const mapping_answer *answer,
                                         const char *format, const char **text, size_t *size);
enum mapping_status mapping_item_print(mapping *context, const mapping_item *item,
                                       const char *format, const char **text, size_t *size);

/* ---- Items ---- */

enum mapping_text {
    MAPPING_NAME = 0,      /* "mma.m16n8k16.d.f32", "(64,64):(64,1)" */
    MAPPING_TYPE = 1,      /* of an element, "f32" */
    MAPPING_OPERAND = 2,   /* of a fragment, "d" */
    MAPPING_TILING = 3,    /* how it is repeated over a tile, in words */
    MAPPING_SOURCE = 4,    /* who observed or states it, in one line */
    MAPPING_OPERATION = 5, /* of a plan or access: "ldmatrix.x4" */
    MAPPING_NOTATION = 6,  /* of a suggestion, CuTe's: "Sw<3,3,3> o 0 o (64,64):(64,1)" */
    MAPPING_REGISTER = 7   /* of a place: "R8, bits 16-31" */
};

/* A text of an item; NULL if it has none of this kind. It belongs to the item. */
const char *mapping_item_text(const mapping_item *item, enum mapping_text which);

enum mapping_number {
    MAPPING_ARCH = 0,  /* 90 for sm_90 */
    MAPPING_SINCE = 1, /* the first architecture that has the fragment, 80 for sm_80 */
    MAPPING_PTX = 2,   /* the first PTX version that has it, 78 for 7.8 */
    MAPPING_ROWS = 3,  /* of one matrix */
    MAPPING_COLS = 4,
    MAPPING_BLOCKS = 5,    /* matrices of a fragment: 4 of mma.m8n8k4 in f16, else mostly 1 */
    MAPPING_THREADS = 6,   /* that hold a fragment; 32 or 128 */
    MAPPING_ELEMENTS = 7,  /* of each thread */
    MAPPING_REGISTERS = 8, /* of each thread, of 32 bits */
    MAPPING_ELEMENT_BITS = 9,
    MAPPING_COPIES = 10,   /* how many (tid, i) hold the same element */
    MAPPING_COMPARED = 11, /* of a verdict, or of --equals: entries */
    MAPPING_WRONG = 12,    /* of a verdict: wrong values, of all axes; of --equals: entries */
    MAPPING_SHUFFLES = 13, /* of a conversion: shuffle instructions */
    MAPPING_STEPS = 14,    /* of a plan: instructions */
    MAPPING_WAVEFRONTS = 15,
    MAPPING_LEAST = 16,     /* wavefronts without bank conflicts */
    MAPPING_WASTED = 17,    /* of a suggestion: bytes without an element */
    MAPPING_FIRST_BIT = 18, /* of a place, in its register */
    MAPPING_LAST_BIT = 19
};

/* Writes a number of an item to *value; false if it has none of this kind. */
bool mapping_item_number(const mapping_item *item, enum mapping_number which, uint64_t *value);

/* Writes the coordinate of a place along an axis, "tid", "i", "row", "offset", or of the copy;
 * false if it has none. */
bool mapping_item_coordinate(const mapping_item *item, const char *axis, uint32_t *value);

enum mapping_which {
    MAPPING_FORWARD = 0, /* of a fragment (tid, i) -> (row, col); of a matrix (row, col) -> offset;
                            of a plan (step, tid) -> address, in bytes; of a conversion that of the
                            source, of a difference that on the first architecture */
    MAPPING_INVERSE = 1, /* of a layout; an axis for copies stands last */
    MAPPING_OTHER = 2    /* of the target of a conversion; on the second architecture */
};

/* A layout of an item; NULL if it has none. It belongs to the item. */
const mapping_layout *mapping_item_layout(const mapping_item *item, enum mapping_which which);

/* Fact n of a layout: evidence, notes, use of Tensor Memory. The key says what it is about,
 * "source", "note". False from the end on. */
bool mapping_item_fact(const mapping_item *item, size_t n, const char **key, const char **text);

/* Wrong entry n of a verdict, of those that are kept, three for each axis: point `entry`, where the
 * statements say `says` and the layout `is`. False from the end on. */
bool mapping_item_wrong(const mapping_item *item, size_t n, const char **axis, size_t *entry,
                        int64_t *says, uint32_t *is);

/* What wrong statements would be right for: a sentence, or the name of a fragment. NULL from the
 * end on. */
const char *mapping_item_right_for(const mapping_item *item, size_t n);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
