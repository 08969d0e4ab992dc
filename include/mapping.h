/* mapping.h - layouts of tensor-core fragments, for programs.
 *
 * mapping_run is the whole command `mapping` as a function: it takes the words of a command line
 * and returns the text. This program prints which thread holds row 3, column 5 of an accumulator:
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
 * mapping_ask takes the same words, and returns values instead of text: tables, formulae, facts,
 * verdicts, plans. Other functions make layouts from a table, lists of bits (bases), CuTe's
 * notation or formulae, and invert, compose and compare them.
 *
 * A layout is a function from one space of named axes to another. The layout of a fragment maps
 * (tid, i), which are thread and element, to (row, col). For example, 4 threads hold a 2x4 matrix,
 * 2 elements each:
 *
 *     tid   0     1     2     3
 *     i     0  1  0  1  0  1  0  1
 *     row   0  0  0  0  1  1  1  1      row = (tid & 2) >> 1
 *     col   0  1  2  3  0  1  2  3      col = i + 2 * (tid & 1)
 *
 * All indices start at 0. Errors are return values: functions return a status, and
 * mapping_message returns the error message. The library never ends the process, and never writes
 * to a stream.
 *
 * The comment of each function ends with an example. tests/cli/header.t compiles and runs it. Each
 * example begins with these lines, which make the layout above:
 *
 *     const struct mapping_axis tid_i[] = {{"tid", 4}, {"i", 2}};
 *     const struct mapping_axis row_col[] = {{"row", 2}, {"col", 4}};
 *     mapping *context = mapping_open(NULL);
 *     const mapping_layout *layout, *other, *inverse;
 *     const char *text, *axis, *key;
 *     size_t size, point;
 *     uint32_t value;
 *     uint64_t number;
 *     mapping_layout_from_bases(context, tid_i, 2, row_col, 2, "t1 | i0 t0", &layout);
 *
 * "// = 8" after a call means that it returns 8; "// value = 8" means that it sets `value` to 8.
 * Calls without "// =" return MAPPING_OK or true.
 */
#ifndef MAPPING_H
#define MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports these functions and nothing else. */
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define MAPPING_VERSION "1.0.0"
#define MAPPING_VERSION_NUMBER 0x010000 /* a byte each for MAJOR, MINOR and PATCH */

/* The result of a call. The exit status of the command has the same values. */
enum mapping_status {
    MAPPING_OK = 0,
    MAPPING_DIFFERS = 1,     /* a check or comparison found a difference */
    MAPPING_INVALID = 2,     /* an unknown option, architecture or fragment; malformed input */
    MAPPING_UNAVAILABLE = 3, /* not available on this machine */
    MAPPING_NO_FORMULA = 4,  /* the layout is known, but has no formula */
    MAPPING_FAILED = 5       /* CUDA, a tool, an allocation or the output failed */
};

/* ---- The command as a function ---- */

/* A context owns all layouts, answers and texts that its functions return, and the message of the
 * last call. mapping_close or mapping_release frees the results; the text of mapping_run and the
 * message are only valid until the next call with the context. Only one thread at a time may use a
 * context; different threads may use different contexts at once. If a pointer is NULL and no
 * comment allows this, the call does nothing and returns MAPPING_INVALID, NULL, 0 or false. A call
 * that fails sets its result, such as *layout or *answer, to NULL. */
typedef struct mapping mapping;

/* The options of a context. Set `size`; zero in all other members means the defaults. */
struct mapping_options {
    size_t size;          /* sizeof(struct mapping_options) */
    bool may_start_tools; /* the sources gpu and sass may start the CUDA driver, ptxas and nvdisasm;
                             otherwise these sources are unavailable */
    bool catches_signals; /* install signal handlers while a tool runs, to remove its temporary
                             folder; only for one context of a program */
    bool has_colors;      /* the terminal has colors; --color=always prints colors anyway */
    bool has_true_color;  /* the terminal has 24-bit colors */
    unsigned columns;     /* width of the terminal in characters; 0 if the text is not for a
                             terminal */
    /* May be NULL. mapping_run passes the text to this function in pieces of `size` bytes, before
     * it returns. A piece is valid until the next call with the context. Exception: if columns
     * is 0, --annotate passes pieces while it reads the listing; such a piece is only valid until
     * `take` returns. */
    void (*take)(void *taker, const char *text, size_t size);
    void *taker; /* the first argument of `take` */
    /* May be NULL. If a command line names no fragment, mapping_run shows the default fragment, and
     * calls this function once. If it returns true, mapping_message warns that standard input has
     * text that nobody reads. */
    bool (*has_unread_input)(void);
};

/* Returns MAPPING_VERSION_NUMBER of the library that is linked.
 *
 *     mapping_version(); // = MAPPING_VERSION_NUMBER
 */
unsigned mapping_version(void);

/* Opens a context, which the caller must close. `options` is copied; it may be NULL, for the
 * defaults. Returns NULL if memory runs out.
 *
 *     static struct mapping_options options; // all members are 0
 *     options.size = sizeof options;
 *     options.may_start_tools = true;
 *     mapping *own = mapping_open(&options);
 *     mapping_message(own); // = "": no call has failed
 *     mapping_close(own);
 */
mapping *mapping_open(const struct mapping_options *options);

/* Closes a context, and frees everything that its functions returned. `context` may be NULL.
 *
 *     mapping *own = mapping_open(NULL);
 *     mapping_layout_from_bases(own, tid_i, 2, row_col, 2, "t1 | i0 t0", &other);
 *     mapping_close(own); // frees `other`, too
 */
void mapping_close(mapping *context);

/* Runs a command line of `count` words, without the name of the program, such as {"--list",
 * "--arch=sm_90"}. `words` may be NULL if `count` is 0. Returns the exit status of the command.
 * Sets *text to the command's output, which has *size bytes and a '\0' after them, and is valid
 * until the next call with this context. *text is "" and *size is 0 if the status is not
 * MAPPING_OK, MAPPING_DIFFERS or MAPPING_NO_FORMULA, or if options.take received the text. With
 * "--json", the text follows mapping.schema.json. The file "-" is standard input. Calls in several
 * threads wait for each other only while options are parsed.
 *
 *     const char *const words[] = {"--version"};
 *     mapping_run(context, 1, words, &text, &size); // text = "mapping " MAPPING_VERSION "\n"
 */
enum mapping_status mapping_run(mapping *context, size_t count, const char *const words[],
                                const char **text, size_t *size);

/* mapping_mark sets a mark. mapping_release frees all layouts, answers and texts that were made
 * since the last mark, and removes the mark. If there is no mark, it frees all results of the
 * context. Marks nest. mapping_mark returns MAPPING_FAILED if memory runs out.
 *
 *     mapping_mark(context);
 *     mapping_layout_invert(context, layout, "copy", &inverse);
 *     mapping_release(context);    // frees `inverse`
 *     mapping_layout_size(layout); // = 8: older than the mark, so it still exists
 */
enum mapping_status mapping_mark(mapping *context);
void mapping_release(mapping *context);

/* Returns the text that the command would print on standard error, without "mapping: ": the reason
 * why the last call failed, or a note, or "". The text is valid until the next call with this
 * context.
 *
 *     mapping_layout_formula(context, layout, "k", MAPPING_BITS, &text); // = MAPPING_INVALID
 *     mapping_message(context); // = "the layout has no output axis 'k'"
 */
const char *mapping_message(const mapping *context);

/* ---- Layouts ---- */

/* A coordinate along an axis is 0 .. size - 1, and a size is 1 .. 2^32 - 2. A name is an identifier
 * of C with at most 63 characters. Functions copy names. A space is a list of at most 8 axes with
 * distinct names. Its points are numbered in row-major order: the last axis changes fastest. */
struct mapping_axis {
    const char *name;
    uint32_t size;
};

/* The axes of fragments and matrices. Your own axes may have any other name. */
#define MAPPING_AXIS_TID "tid"     /* thread in the warp, 0..31, or in the warpgroup, 0..127 */
#define MAPPING_AXIS_I "i"         /* index of an element in its thread, in register order */
#define MAPPING_AXIS_ROW "row"     /* row of the matrix: m in A, k in B, m in C and D */
#define MAPPING_AXIS_COL "col"     /* column of the matrix: k in A, n in B, n in C and D */
#define MAPPING_AXIS_BLOCK "block" /* number of the matrix if an operand has several */
#define MAPPING_AXIS_COPY "copy"   /* numbers the (tid, i) that hold the same element */
#define MAPPING_AXIS_SELECTOR "selector" /* sparsity selector: which copy of metadata is read */
#define MAPPING_AXIS_OFFSET "offset"     /* in memory: elements from the start of the matrix */
#define MAPPING_AXIS_STAGE "stage"   /* number of the matrix if a memory layout has a third mode */
#define MAPPING_AXIS_CTA "cta"       /* CTA of a pair: 0 has the even rank in the cluster */
#define MAPPING_AXIS_LANE "lane"     /* lane of Tensor Memory, 0..127, from the operand's address */
#define MAPPING_AXIS_COLUMN "column" /* column of 32 bits in Tensor Memory, from that address */
#define MAPPING_AXIS_BIT "bit"       /* first bit of an element in its 32-bit column, 0..31 */
#define MAPPING_AXIS_ID "id"         /* scale factor ID: which copy of the scale factors is read */
#define MAPPING_AXIS_LOAD "load"     /* number of the tcgen05.ld that reads part of an operand */
#define MAPPING_AXIS_STORE "store"   /* number of the tcgen05.st that writes part of an operand */

/* A layout gives, for each point of the space `from`, the coordinate along each axis of the space
 * `to`. Layouts are immutable. */
typedef struct mapping_layout mapping_layout;

/* The functions that make layouts set *layout (or *inverse, ...) to a layout that the context owns.
 * They return MAPPING_INVALID if an axis or a space is invalid, if `to` has no axes, or if `from`
 * has more than 2^24 points; mapping_message names the mistake. */

/* Makes a layout from a table: values[c][n] is the coordinate of point n of `from` along axis c of
 * `to`, so there are `to_count` arrays with a number for each point of `from`. The function copies
 * the numbers. MAPPING_INVALID if a value is outside its axis.
 *
 *     const uint32_t row[] = {0, 0, 0, 0, 1, 1, 1, 1}, col[] = {0, 1, 2, 3, 0, 1, 2, 3};
 *     const uint32_t *const values[] = {row, col};
 *     mapping_layout_from_table(context, tid_i, 2, row_col, 2, values, &other);
 *     mapping_layout_equal(other, layout); // = true
 */
enum mapping_status mapping_layout_from_table(mapping *context, const struct mapping_axis *from,
                                              size_t from_count, const struct mapping_axis *to,
                                              size_t to_count, const uint32_t *const values[],
                                              const mapping_layout **layout);

/* Makes a layout from bases: lists of bits, one for each axis of `to`, separated by "|". A list has
 * the bits of the coordinate, lowest first; "t2" is bit 2 of tid. For example, "t2 t3 t4 i1 | i0 t0
 * t1" says that bits 0 to 2 of the row are bits 2 to 4 of tid, and bit 3 of the row is bit 1 of i.
 * "i2.." is bit 2 of i and all higher bits, "r0-6" are bits 0 to 6 of row, "0" and "1" are constant
 * bits. The letter of an axis is the first letter of its name that is not already the letter of an
 * earlier axis. MAPPING_INVALID if `bases` is malformed or a coordinate can be outside its axis.
 *
 *     mapping_layout_from_bases(context, tid_i, 2, row_col, 2, "t1 | i0 t0", &other);
 *     mapping_layout_values(other, "col")[3]; // = 3 for point 3: tid 1, i 1
 */
enum mapping_status mapping_layout_from_bases(mapping *context, const struct mapping_axis *from,
                                              size_t from_count, const struct mapping_axis *to,
                                              size_t to_count, const char *bases,
                                              const mapping_layout **layout);

/* Makes a layout from CuTe's notation, such as the TV layout "((4,8),(2,2)):((32,1),(16,8))", as
 * written in C++ or Python, or printed by print(). As in CuTe, the first axis of both spaces
 * changes fastest. MAPPING_INVALID if the notation is malformed, its size is not that of `from`, or
 * a value is outside `to`. Triton's notation, "#ttg.linear<{...}>", defines its own spaces: use
 * mapping_ask and mapping_item_layout for it.
 *
 *     mapping_layout_from_cute(context, tid_i, 2, row_col, 2, "((2,2),2):((4,1),2)", &other);
 *     mapping_layout_equal(other, layout); // = true
 */
enum mapping_status mapping_layout_from_cute(mapping *context, const struct mapping_axis *from,
                                             size_t from_count, const struct mapping_axis *to,
                                             size_t to_count, const char *notation,
                                             const mapping_layout **layout);

/* Makes a layout from statements in C or Python that assign to each axis of `to`, as for --verify:
 * "row = tid / 4; col = tid % 4 * 2 + i;". MAPPING_INVALID if they cannot be parsed, have no
 * defined value at a point, or give a value outside its axis. If they cannot be parsed, a line of
 * mapping_message has a caret under the mistake.
 *
 *     const char *statements = "row = tid / 2; col = tid % 2 * 2 + i;";
 *     mapping_layout_from_formulas(context, tid_i, 2, row_col, 2, statements, &other);
 *     mapping_layout_equal(other, layout); // = true
 */
enum mapping_status mapping_layout_from_formulas(mapping *context, const struct mapping_axis *from,
                                                 size_t from_count, const struct mapping_axis *to,
                                                 size_t to_count, const char *statements,
                                                 const mapping_layout **layout);

/* The two spaces of a layout. */
enum mapping_side { MAPPING_FROM = 0, MAPPING_TO = 1 };

/* Returns the name of axis n of a space, or NULL if the space has at most n axes. Writes the axis's
 * size to *size; `size` may be NULL. The name is valid as long as the layout.
 *
 *     mapping_layout_axis(layout, MAPPING_TO, 1, &value);   // = "col", value = 4
 *     mapping_layout_axis(layout, MAPPING_FROM, 2, &value); // = NULL
 */
const char *mapping_layout_axis(const mapping_layout *layout, enum mapping_side side, size_t n,
                                uint32_t *size);

/* Returns the number of points of `from`.
 *
 *     mapping_layout_size(layout); // = 8
 */
size_t mapping_layout_size(const mapping_layout *layout);

/* Returns the table of an axis of `to`: mapping_layout_size numbers, the coordinate of each point
 * of `from`. UINT32_MAX means that the layout has no value at this point, for example no address
 * for an inactive thread. The table is valid as long as the layout. NULL if there is no such axis.
 *
 *     const uint32_t *rows = mapping_layout_values(layout, "row");
 *     rows[3 * 2 + 1]; // = 1 for tid 3, i 1
 */
const uint32_t *mapping_layout_values(const mapping_layout *layout, const char *axis);

/* Makes the inverse. It maps the axes of `to`, followed by an axis with the name `copy`, to the
 * axes of `from`. If several points of `from` map to one point of `to`, they are copy 0, 1, ... of
 * the inverse, in ascending order. MAPPING_INVALID unless the same number of points of `from`
 * map to each point of `to`, and `copy` is an identifier of C that no axis of `to` has as name.
 *
 *     mapping_layout_invert(context, layout, "copy", &inverse); // (row, col, copy) -> (tid, i)
 *     mapping_layout_values(inverse, "tid")[1 * 4 + 3];         // = 3 for row 1, col 3
 */
enum mapping_status mapping_layout_invert(mapping *context, const mapping_layout *layout,
                                          const char *copy, const mapping_layout **inverse);

/* Makes the layout that applies `first` and then `second`. MAPPING_INVALID unless the space `to` of
 * `first` is the space `from` of `second`. Axes of size 1 at the end of `from` of `second`, such as
 * `copy` of an inverse, are ignored.
 *
 *     mapping_layout_invert(context, layout, "copy", &inverse);
 *     mapping_layout_compose(context, layout, inverse, &other); // (tid, i) -> (tid, i)
 *     mapping_layout_values(other, "tid")[3 * 2 + 1];           // = 3 for tid 3, i 1
 */
enum mapping_status mapping_layout_compose(mapping *context, const mapping_layout *first,
                                           const mapping_layout *second,
                                           const mapping_layout **composed);

/* Makes the product, as for Triton's linear layouts: `outer` repeats `inner`. If both have an axis
 * of the same name, the product has one such axis, with coordinate inner + size_of_inner * outer.
 * MAPPING_INVALID if the product has too many axes or points.
 *
 *     mapping_layout_product(context, layout, layout, &other); // tiles of 2x4, 2 down and 4 across
 *     mapping_layout_axis(other, MAPPING_TO, 1, &value);       // = "col", value = 16
 */
enum mapping_status mapping_layout_product(mapping *context, const mapping_layout *inner,
                                           const mapping_layout *outer,
                                           const mapping_layout **product);

/* Makes the part of a layout whose coordinate along `axis` of `from` is first .. first + count - 1.
 * In the part, this coordinate starts at 0. MAPPING_INVALID if the axis or a coordinate does not
 * exist.
 *
 *     mapping_layout_restrict(context, layout, "tid", 2, 2, &other); // threads 2 and 3
 *     mapping_layout_values(other, "row")[0];                        // = 1: the row of thread 2
 */
enum mapping_status mapping_layout_restrict(mapping *context, const mapping_layout *layout,
                                            const char *axis, uint32_t first, uint32_t count,
                                            const mapping_layout **part);

/* Returns true if both have the same spaces and the same values.
 *
 *     mapping_layout_restrict(context, layout, "tid", 0, 2, &other);
 *     mapping_layout_equal(layout, other); // = false: `other` has only 2 threads
 */
bool mapping_layout_equal(const mapping_layout *a, const mapping_layout *b);

/* How formulae are written. */
enum mapping_style {
    MAPPING_BITS = 0,  /* masks and shifts, canonical: ((i & 2) << 2) + ((tid & 28) >> 2) */
    MAPPING_SHORT = 1, /* the shortest known formula, by the number of operators */
    MAPPING_DIVIDE = 2 /* tid / 4 + i / 2 * 8 */
};

/* Sets *text to the formula of an axis of `to`, a C expression in the axes of `from`. The function
 * has checked that the formula gives the value of the layout at every point.
 * MAPPING_NO_FORMULA if no formula of masks and shifts that are combined with + or ^ gives these
 * values. MAPPING_INVALID if there is no such axis.
 *
 *     mapping_layout_formula(context, layout, "col", MAPPING_DIVIDE, &text);
 *     // text = "tid % 2 * 2 + i"
 */
enum mapping_status mapping_layout_formula(mapping *context, const mapping_layout *layout,
                                           const char *axis, enum mapping_style style,
                                           const char **text);

/* ---- Answers ---- */

/* An answer is a list of items of one kind. The examples below also begin with a question: which
 * thread holds row 3, column 5 of the accumulator of mma.m16n8k16?
 *
 *     const char *const words[] = {"mma.m16n8k16.d.f32", "--at=3,5"};
 *     const mapping_answer *answer;
 *     mapping_ask(context, 2, words, &answer);
 *     const mapping_item *item = mapping_answer_item(answer, 0); // tid 14, i 1
 */
typedef struct mapping_answer mapping_answer;
typedef struct mapping_item mapping_item;

enum mapping_kind {
    MAPPING_KIND_LAYOUT = 1,     /* fragments, operands in Tensor Memory, matrices, tables */
    MAPPING_KIND_PLACE = 2,      /* --at, --thread, --offset: an element and its register or
                                    address */
    MAPPING_KIND_VERDICT = 3,    /* --verify */
    MAPPING_KIND_CONVERSION = 4, /* --convert */
    MAPPING_KIND_PLAN = 5,       /* --load and --store: one plan per operation, best first */
    MAPPING_KIND_SUGGESTION = 6, /* --suggest, best first */
    MAPPING_KIND_ACCESS = 7,     /* --access */
    MAPPING_KIND_FRAGMENT = 8,   /* --list */
    MAPPING_KIND_DIFFERENCE = 9, /* --diff */
    MAPPING_KIND_DESCRIPTOR =
        10, /* a descriptor as a number, "0x4000004000010000"; only in text and JSON */
    MAPPING_KIND_EQUALITY = 11,    /* --equals: elements that differ; only text and JSON print it */
    MAPPING_KIND_INSTRUCTION = 12, /* --annotate: an operand of a tensor-core instruction, or an
                                      instruction without operands; cannot be printed */
    MAPPING_KIND_CHECK = 13,       /* --check: an entry of a file; cannot be printed */
    MAPPING_KIND_DEFINITION = 14,  /* a file of Triton: a layout that it defines */
    MAPPING_KIND_FINDING = 15,     /* --decode: a mistake of a kernel; a correct kernel has none */
    MAPPING_KIND_SCALE_COPY = 16   /* --load of scale factors; only text, JSON and CUDA print it */
};

/* Runs a command line without a format, such as {"mma.m16n8k16.d.f32", "--arch=sm_90"}, and sets
 * *answer. Returns the same status as mapping_run. Exception: if the command's result is only text,
 * as for --help and --confirm, it returns MAPPING_INVALID. *answer is NULL unless the status is
 * MAPPING_OK, MAPPING_DIFFERS or MAPPING_NO_FORMULA.
 *
 *     mapping_ask(context, 1, words, &answer); // without --at: the whole layout
 *     mapping_answer_kind(answer);             // = MAPPING_KIND_LAYOUT
 */
enum mapping_status mapping_ask(mapping *context, size_t count, const char *const words[],
                                const mapping_answer **answer);

/* Makes an answer with one item from your own layout, so that you can print it and ask for facts.
 * `name` is copied. MAPPING_NO_FORMULA, with an answer, if the layout has no formula.
 *
 *     mapping_describe(context, layout, "mine", &answer);
 *     mapping_answer_print(context, answer, "svg", &text, &size); // a picture
 */
enum mapping_status mapping_describe(mapping *context, const mapping_layout *layout,
                                     const char *name, const mapping_answer **answer);

/* Compares statements, as for --verify, with your own layout. MAPPING_DIFFERS, with an answer, if
 * they are wrong; MAPPING_INVALID if they cannot be parsed.
 *
 *     mapping_verify(context, layout, "row = tid / 2; col = i;", &answer); // = MAPPING_DIFFERS
 *     item = mapping_answer_item(answer, 0);
 *     mapping_item_number(item, MAPPING_WRONG, &number); // number = 4: col of threads 1 and 3
 */
enum mapping_status mapping_verify(mapping *context, const mapping_layout *layout,
                                   const char *statements, const mapping_answer **answer);

/* Counts the wavefronts of one access of a warp to shared memory, by a rule that was measured on an
 * H200 with ncu. `operation` is a name that --access takes, such as "ld.b64". address[n] is the
 * address of lane n in bytes, less than 232,448, or UINT32_MAX if the lane is inactive. `count` is
 * 32, or the number of addresses that the operation takes, such as 8 for "ldmatrix.x1". Sets
 * *wavefronts to the number of wavefronts, and *least to their number without bank conflicts.
 * MAPPING_INVALID if there is no such operation, `count` is another number, or an address is not
 * aligned or not in shared memory.
 *
 *     uint32_t address[32], wavefronts, least;
 *     for (uint32_t lane = 0; lane < 32; lane++)
 *         address[lane] = 8 * lane; // lanes n and n + 16 access the same bank
 *     mapping_count_wavefronts(context, "ld.b32", address, 32, &wavefronts, &least);
 *     // wavefronts = 2, least = 1
 */
enum mapping_status mapping_count_wavefronts(mapping *context, const char *operation,
                                             const uint32_t *address, size_t count,
                                             uint32_t *wavefronts, uint32_t *least);

/* Return the kind of the items, and their number.
 *
 *     mapping_answer_kind(answer);  // = MAPPING_KIND_PLACE
 *     mapping_answer_count(answer); // = 1
 */
enum mapping_kind mapping_answer_kind(const mapping_answer *answer);
size_t mapping_answer_count(const mapping_answer *answer);

/* Returns item n, which is valid as long as the answer; NULL if the answer has at most n items.
 *
 *     item = mapping_answer_item(answer, 0);
 *     mapping_answer_item(answer, 1); // = NULL
 */
const mapping_item *mapping_answer_item(const mapping_answer *answer, size_t n);

/* Print an answer, or one item, in a format of --format. *text has *size bytes and a '\0' after
 * them; the context owns it until mapping_release or mapping_close. A picture or CUDA header
 * contains all items of an answer. MAPPING_INVALID if the format does not exist or cannot print the
 * answer. MAPPING_NO_FORMULA, with a text, if the format needs formulae and some layouts of the
 * answer have none.
 *
 *     mapping_answer_print(context, answer, "json", &text, &size); // all items in one document
 *     mapping_item_print(context, item, "cuda", &text, &size);     // = MAPPING_INVALID for a place
 */
enum mapping_status mapping_answer_print(mapping *context, const mapping_answer *answer,
                                         const char *format, const char **text, size_t *size);
enum mapping_status mapping_item_print(mapping *context, const mapping_item *item,
                                       const char *format, const char **text, size_t *size);

/* Returns the name of format n of --format, such as "csv", in the order of mapping --help; NULL if
 * there are at most n formats. The first is "text", the second "json". Not every format can print
 * every answer.
 *
 *     mapping_format(0);   // = "text"
 *     mapping_format(100); // = NULL
 */
const char *mapping_format(size_t n);

/* ---- Items ---- */

enum mapping_text {
    MAPPING_NAME = 0,      /* "mma.m16n8k16.d.f32", "(64,64):(64,1)" */
    MAPPING_TYPE = 1,      /* element type, "f32" */
    MAPPING_OPERAND = 2,   /* operand of a fragment, "d"; of an instruction of a listing, "D" or
                              "metadata" */
    MAPPING_TILING = 3,    /* a sentence that describes how a fragment is repeated over a tile */
    MAPPING_SOURCE = 4,    /* the source of the layout, in one line */
    MAPPING_OPERATION = 5, /* of a plan or access: "ldmatrix.x4"; the opcode of an instruction */
    MAPPING_NOTATION = 6,  /* of a suggestion, for CuTe: "Sw<3,3,3> o 0 o (64,64):(64,1)"; of a
                              definition: "#ttg.nvidia_mma<{...}>" */
    MAPPING_REGISTER = 7,  /* of a place: "R8, bits 16-31"; of an operand: "R4-R7" */
    MAPPING_FUNCTION = 8,  /* the function or kernel of the listing that contains the instruction */
    MAPPING_MEANING = 9,   /* of an instruction: "mma.m16n8k16 f32 += f16 f16" */
    MAPPING_REASON = 10    /* of a check: the difference, or the reason why the layout was not
                              compared; of a finding: a sentence */
};

/* Returns a text of an item, which is valid as long as the item; NULL if the item has no such text.
 *
 *     mapping_item_text(item, MAPPING_TYPE); // = "f32"
 */
const char *mapping_item_text(const mapping_item *item, enum mapping_text which);

enum mapping_number {
    MAPPING_ARCH = 0,  /* 90 for sm_90 */
    MAPPING_SINCE = 1, /* the first architecture that has the fragment, 80 for sm_80 */
    MAPPING_PTX = 2,   /* the first PTX version that has the fragment, 78 for 7.8 */
    MAPPING_ROWS = 3,  /* rows of one matrix */
    MAPPING_COLS = 4,
    MAPPING_BLOCKS = 5,    /* matrices of a fragment: 4 for mma.m8n8k4 in f16, usually 1 */
    MAPPING_THREADS = 6,   /* threads that hold a fragment; 32 or 128 */
    MAPPING_ELEMENTS = 7,  /* elements per thread */
    MAPPING_REGISTERS = 8, /* 32-bit registers per thread */
    MAPPING_ELEMENT_BITS = 9,
    MAPPING_COPIES = 10,   /* number of (tid, i) that hold the same element */
    MAPPING_COMPARED = 11, /* compared entries of a verdict or of --equals; elements of D that a
                              finding is about; for a check, 1 if the entry was compared with a
                              source, else 0 */
    MAPPING_WRONG = 12,    /* wrong values of a verdict, the sum over all axes; differing entries of
                              --equals; wrong elements of a finding; for a check, 1 if the entry
                              differs, else 0 */
    MAPPING_SHUFFLES = 13, /* shuffle instructions of a conversion */
    MAPPING_STEPS = 14,    /* instructions of a plan */
    MAPPING_WAVEFRONTS = 15,
    MAPPING_LEAST = 16,     /* wavefronts without bank conflicts */
    MAPPING_WASTED = 17,    /* bytes of a suggestion that hold no element */
    MAPPING_FIRST_BIT = 18, /* first bit of a place in its register */
    MAPPING_LAST_BIT = 19,
    MAPPING_LINE = 20,       /* line of an instruction or definition in its file; the first is 1 */
    MAPPING_ADDRESS = 21,    /* address of an instruction in its function, in bytes, if the listing
                                has addresses */
    MAPPING_INSTRUCTION = 22 /* index of an instruction in the listing; each operand has that of its
                                instruction */
};

/* Writes a number of an item to *value. Returns false if the item has no such number.
 *
 *     mapping_item_number(item, MAPPING_REGISTERS, &number); // number = 4
 *     mapping_item_number(item, MAPPING_WASTED, &number);    // = false
 */
bool mapping_item_number(const mapping_item *item, enum mapping_number which, uint64_t *value);

/* Writes the coordinate of a place along an axis, such as "tid", "row", "offset" or "copy", to
 * *value. Returns false if the place has no such axis.
 *
 *     mapping_item_coordinate(item, "tid", &value); // value = 14
 *     mapping_item_coordinate(item, "i", &value);   // value = 1
 */
bool mapping_item_coordinate(const mapping_item *item, const char *axis, uint32_t *value);

enum mapping_which {
    MAPPING_FORWARD = 0, /* fragment: (tid, i) -> (row, col); matrix: (row, col) -> offset in
                            elements; plan: (step, tid) -> address in bytes, UINT32_MAX if the
                            thread is inactive; conversion: the layout of the source; difference:
                            the layout on the first architecture */
    MAPPING_INVERSE = 1, /* the inverse of a layout; the last axis of its space `from` is the number
                            of the copy */
    MAPPING_OTHER = 2    /* conversion: the layout of the target; difference: the layout on the
                            second architecture */
};

/* Returns a layout of an item, which is valid as long as the item; NULL if the item has no such
 * layout.
 *
 *     other = mapping_item_layout(item, MAPPING_FORWARD); // (tid, i) -> (row, col)
 *     mapping_layout_size(other);                         // = 128: 32 threads, 4 elements each
 */
const mapping_layout *mapping_item_layout(const mapping_item *item, enum mapping_which which);

/* Sets *key and *text to fact n of an item. The key is the kind of the fact. Layouts have facts
 * with the keys "source", "note" and others, such as the use of Tensor Memory; plans have notes on
 * registers and targets. Operands of instructions have facts with the keys "origin" and "note",
 * definitions with the key "type", and findings with the key "cause". Both texts are valid as long
 * as the item. Returns false if the item has at most n facts.
 *
 *     mapping_ask(context, 1, words, &answer);
 *     item = mapping_answer_item(answer, 0);
 *     mapping_item_fact(item, 0, &key, &text);
 *     // key = "source", text = "source: isa (PTX ISA 9.0 section 9.7.14.5.8)"
 */
bool mapping_item_fact(const mapping_item *item, size_t n, const char **key, const char **text);

/* Describes wrong entry n of a verdict: at point *entry of `from`, the statements give the value
 * *says for the axis *axis, but the layout has the value *is. A verdict has the first three wrong
 * entries of each axis. *axis is valid as long as the item. Returns false if the verdict has at
 * most n such entries.
 *
 *     int64_t says;
 *     mapping_verify(context, layout, "row = tid / 2; col = i;", &answer); // = MAPPING_DIFFERS
 *     item = mapping_answer_item(answer, 0);
 *     mapping_item_wrong(item, 0, &axis, &point, &says, &value);
 *     // axis = "col", point = 2 (tid 1, i 0), says = 0, value = 2
 */
bool mapping_item_wrong(const mapping_item *item, size_t n, const char **axis, size_t *entry,
                        int64_t *says, uint32_t *is);

/* Returns hint n of a verdict with wrong entries: the name of a fragment for which the statements
 * are right, or a sentence with the condition under which they are right. It is valid as long as
 * the item. NULL if the verdict has at most n hints.
 *
 *     const char *const check[] = {words[0], "--verify=row = tid / 4; col = tid % 4 * 2 + i;"};
 *     mapping_ask(context, 2, check, &answer); // = MAPPING_DIFFERS
 *     item = mapping_answer_item(answer, 0);
 *     mapping_item_right_for(item, 0); // = "mma.m8n8k4.d.f64"
 */
const char *mapping_item_right_for(const mapping_item *item, size_t n);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
