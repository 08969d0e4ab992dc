/* question.h - questions about a layout: who holds this element, and what does this thread hold?
 *
 * To add a question, add its option with .read = argument_question. A flag of struct question is
 * often enough, as for --lane. A new enum question_kind also needs question_between in question.c,
 * the places in command/ that compare the kind, its name in the messages of argument_question and
 * command/smem_matrix.c, and `misnamed` in cli/options.c. Try it on a fragment, on a matrix in
 * memory, and on an operand in Tensor Memory with and without --with. */
#ifndef QUESTION_H
#define QUESTION_H

#include "report/report.h"

/* Larger than any valid index. */
#define RANGE_BEYOND (UINT32_MAX - 1)

/* From `first` to `last`; `last` is UINT32_MAX for the end of the axis. */
struct range {
    uint32_t first, last;
};

enum question_kind {
    ASK_NOTHING,
    ASK_TARGET, /* about points of the output: --at of a fragment, --offset, --lane of Tensor
                   Memory */
    ASK_SOURCE  /* about points of the input: --thread, --at in memory */
};

/* Ranges about the output belong to its last axes, ROW,COL or BLOCK,ROW,COL. Ranges about the input
 * belong to its first axes, TID or TID,I; if the input is rows and columns, to its last axes. In
 * Tensor Memory, they are LANE, LANE,COLUMN or LANE,COLUMN,BIT, and ROW,COL for its input. An axis
 * without a range is not restricted. */
struct question {
    enum question_kind kind;
    bool is_of_last;   /* ranges belong to the last axes, also of the input */
    bool is_of_offset; /* --offset, which only a matrix in memory has */
    bool is_of_lane;   /* --lane: a lane of Tensor Memory, or a thread if the fragment is not
                          there */
    uint32_t count;
    struct range ranges[MAPPING_AXES_MAX];
    bool has_registers;     /* --register: only elements in these registers of their thread */
    struct range registers; /* by number; or, if there is a name, */
    char register_name[32]; /* by name: "R9", "%f3" in the line of PTX or SASS that is the
                               subject */
};

/* Parses "3", "3,5", "3-4,*", "(0, 3, 5)" into question->ranges. False for other texts, and if
 * there are fewer than `fewest` or more than the maximum number of ranges. The error, which may be
 * NULL, gets a message only if a range is reversed, as in "5-3". */
bool question_parse(const char *text, uint32_t fewest, uint32_t most, struct question *question,
                    struct mapping_error *error);

/* Parses "8-15", "8" or "*". False for other texts; the error is as in question_parse. */
bool range_parse(const char *text, struct range *range, struct mapping_error *error);

/* Parses "2", "0-1", "*", "R9" or "%f3" as registers of the question. False for other texts; the
 * error is as in question_parse. */
bool question_parse_registers(const char *text, struct question *question,
                              struct mapping_error *error);

/* Checks that the ranges are inside these spaces. MAPPING_INVALID with a message about `name` if
 * they are not. */
enum mapping_status question_check(const struct question *asked, const char *name,
                                   const struct mapping_space *from, const struct mapping_space *to,
                                   struct mapping_error *error);

/* Checks the ranges, and that a fragment has the registers of the question; `names` are those in
 * the line of PTX or SASS, empty if there is no such line. Fails as question_check does. */
enum mapping_status question_check_fragment(const struct question *question, const char *name,
                                            const struct mapping_fragment *fragment,
                                            const struct mapping_space *from,
                                            const struct mapping_space *to,
                                            const struct strings *names,
                                            struct mapping_error *error);

/* One entry of a layout: its input, its output, and the number of the copy. */
struct answer {
    uint32_t source[MAPPING_AXES_MAX], target[MAPPING_AXES_MAX], copy;
    bool is_by_target; /* true if the question gives an output point, and asks for the input */
};

/* The register that holds the element of an answer, and its bits in this register. */
struct register_bits {
    uint32_t first, count; /* the index of the first 32-bit register; an f64 has 2 registers */
    uint32_t bits[2];      /* the first and the last bit; 0 and 31 for whole registers */
    const char *name[2];   /* the names in the line of PTX or SASS; or NULL */
};

/* Finds the first and the last bit of an element in its fragment->bits bits. If an element of 4 or
 * 6 bits occupies a byte, e2m1 is in bits 2 to 5, and other types begin at bit 0 (PTX ISA 9.0,
 * section 9.7.14.5.14, and CUTLASS 4.2). */
void element_bits(const struct mapping_fragment *fragment, uint32_t bits[2]);

/* Finds the register of an answer. False if no thread holds the element in a register: it is in
 * memory, or the fragment holds addresses. */
bool answer_register(const struct report *report, const struct answer *answer,
                     struct register_bits *place);

/* These texts may be freed with mapping_free, because there may be many answers.
 *
 * The register as "R8, bits 16-31" or "register 0, bits 16-31"; NULL as in answer_register. */
char *answer_register_text(const struct report *report, const struct answer *answer);

/* The position of an element of a matrix in memory: "byte 480, bank 24", "byte 2, bits 4-7, bank
 * 0"; NULL for other reports. */
char *answer_memory_text(const struct report *report, const struct answer *answer);

/* The register of element i: "element i is in register i / 2, from bit 16 * (i % 2)"; NULL if the
 * fragment is not in registers, or if elements do not share registers. */
char *register_of_element(const struct report *report);

/* Finds the next answer from *position on, and advances *position. False if there is none. For
 * ASK_TARGET, answers are ordered by output and copy if there is an inverse, otherwise by input. */
bool question_next(const struct question *asked, const struct report *report, size_t *position,
                   struct answer *answer);

/* The entries that a question selects, as a box: a range for each of the first `axes` axes of the
 * layout. An axis of copies after them is complete. */
struct question_box {
    const struct mapping_layout *layout; /* the forward layout of a report, or its inverse */
    uint32_t axes;
    struct range ranges[MAPPING_AXES_MAX]; /* inside the size of each axis */
};

/* Finds the box of a question. False if the answers are not a box, because the question selects
 * single registers, lanes or parts. */
bool question_box(const struct question *asked, const struct report *report,
                  struct question_box *box);

/* The number of offsets in the question that are padding of scale factors; 0 for other questions
 * and layouts. */
uint32_t question_padding(const struct question *asked, const struct report *report);

#endif
