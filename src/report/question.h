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

/* From first to last; last is UINT32_MAX for all that there are. */
struct range {
    uint32_t first, last;
};

enum question_kind {
    ASK_NOTHING,
    ASK_TARGET, /* --at of a fragment, --offset, --lane of Tensor Memory: places of the target */
    ASK_SOURCE  /* --thread, --at of what lies in memory: places of the source */
};

/* Ranges of the target stand for its last axes, ROW,COL or BLOCK,ROW,COL; those of the source for
 * its first ones, TID or TID,I, or if it is rows and columns for its last. In Tensor Memory they
 * stand for LANE, LANE,COLUMN or LANE,COLUMN,BIT, and of its source for ROW,COL. An axis without a
 * range is open. */
struct question {
    enum question_kind kind;
    bool is_of_last;   /* also of the source, ranges stand for the last axes */
    bool is_of_offset; /* --offset: a place in memory, which only a matrix in memory has */
    bool is_of_lane;   /* --lane: of Tensor Memory where there is some, else a thread */
    uint32_t count;
    struct range ranges[MAPPING_AXES_MAX];
    bool has_registers;     /* --register: only elements in these registers of their thread */
    struct range registers; /* by number, or if there is a name: */
    char register_name[32]; /* "R9", "%f3": of the line of PTX or SASS that is the subject */
};

/* Reads "3", "3,5", "3-4,*", "(0, 3, 5)" into question->ranges. False if it is none of these, or
 * there are fewer or more ranges than that. The error, which may be NULL, gets a sentence only if a
 * range is reversed, as in "5-3". */
bool question_parse(const char *text, uint32_t fewest, uint32_t most, struct question *question,
                    struct mapping_error *error);

/* Reads "8-15", "8" or "*". False if it is none of these; the error is as above. */
bool range_parse(const char *text, struct range *range, struct mapping_error *error);

/* Reads "2", "0-1", "*", "R9" or "%f3" as registers of the question. False if it is none of these.
 * The error is as above. */
bool question_parse_registers(const char *text, struct question *question,
                              struct mapping_error *error);

/* Checks that a fragment has these registers: `names` are those of the line of PTX or SASS, none if
 * there is no such line. MAPPING_INVALID with a sentence on `name` if not. */
enum mapping_status question_check_registers(const struct question *question, const char *name,
                                             const struct mapping_fragment *fragment,
                                             const struct mapping_space *from,
                                             const struct strings *names,
                                             struct mapping_error *error);

/* Checks that what is asked exists in these spaces; MAPPING_INVALID with a sentence on `name` if
 * not. */
enum mapping_status question_check(const struct question *asked, const char *name,
                                   const struct mapping_space *from, const struct mapping_space *to,
                                   struct mapping_error *error);

/* One entry of a layout: its source, its target, and the number of the copy. */
struct answer {
    uint32_t source[MAPPING_AXES_MAX], target[MAPPING_AXES_MAX], copy;
    bool is_by_target; /* the question names a target, and asks for the source */
};

/* Which register of its thread holds the element of an answer, and which bits of it. */
struct register_bits {
    uint32_t first, count; /* the number of the first register of 32 bits; 2 registers for f64 */
    uint32_t bits[2];      /* the first and the last; 0 and 31 of whole registers */
    const char *name[2];   /* what the line of PTX or SASS calls them; or NULL */
};

/* Finds the first and the last bit of an element in the fragment->bits bits that it takes. If an
 * element of 4 or 6 bits takes a byte, e2m1 is in bits 2 to 5, other types begin at bit 0 (PTX ISA
 * 9.0, section 9.7.14.5.14, and CUTLASS 4.2). */
void element_bits(const struct mapping_fragment *fragment, uint32_t bits[2]);

/* Finds the register of an answer. False if no thread holds the element in a register: it is in
 * memory, or the fragment holds addresses. */
bool answer_register(const struct report *report, const struct answer *answer,
                     struct register_bits *place);

/* Writes that as "R8, bits 16-31", "register 0, bits 16-31"; "" if it says no more than i does: of
 * an element of 32 bits or more whose register has no name. */
#define REGISTER_TEXT 160
void answer_register_text(const struct report *report, const struct answer *answer,
                          char text[REGISTER_TEXT]);

/* Writes where an element of a matrix in memory begins: "byte 480, bank 24", "byte 2, bits 4-7,
 * bank 0"; "" if the report is of none. */
void answer_memory_text(const struct report *report, const struct answer *answer,
                        char text[REGISTER_TEXT]);

/* Writes which register holds element i: "element i is in register i / 2, from bit 16 * (i % 2)";
 * "" if no thread holds the fragment in registers, or if no two elements share one. */
void register_of_element(const struct report *report, char text[REGISTER_TEXT]);

/* Finds the next answer from *position on, and moves *position behind it. False if there is none.
 * For ASK_TARGET they come by target and copy, if there is an inverse, else by source. */
bool question_next(const struct question *asked, const struct report *report, size_t *position,
                   struct answer *answer);

/* The entries that a question asks for, as a box: a range in each of the first `axes` axes of the
 * layout. A further axis, of copies, is complete. */
struct question_box {
    const struct mapping_layout *layout; /* the forward layout of a report, or its inverse */
    uint32_t axes;
    struct range ranges[MAPPING_AXES_MAX]; /* within the size of each axis */
};

/* Finds the box of a question. False if the answers are not a box, because the question selects
 * single registers, lanes or parts. */
bool question_box(const struct question *asked, const struct report *report,
                  struct question_box *box);

/* How many of the offsets that a question asks for are padding of scale factors; 0 of other
 * questions and layouts. */
uint32_t question_padding(const struct question *asked, const struct report *report);

#endif
