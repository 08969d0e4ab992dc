/* question.h - who holds this element, what does this thread hold. */
#ifndef QUESTION_H
#define QUESTION_H

#include "report.h"

/* From first to last; last is UINT32_MAX for all that there are. */
struct range {
    uint32_t first, last;
};

enum question_kind { ASK_NOTHING, ASK_AT, ASK_THREAD };

/* ASK_AT: row, column and block. ASK_THREAD: tid and i. */
struct question {
    enum question_kind kind;
    bool asks_block; /* a block is named, not just left open */
    struct range ranges[3];
};

/* The question for all that a fragment holds, by thread. */
struct question question_all(void);

/* One element in one place. */
struct answer {
    uint32_t block, row, col, copy, tid, i;
};

/* Reads "3", "3,5", "3-4,*", "0,3,5"; a part that is missing is all. MAPPING_INVALID with a
 * sentence. */
enum mapping_status question_parse(const char *text, enum question_kind kind,
                                   struct question *question, struct mapping_error *error);

/* Checks that what is asked exists in the fragment; MAPPING_INVALID with a sentence if not. */
enum mapping_status question_check(const struct question *question,
                                   const struct mapping_fragment *fragment,
                                   struct mapping_error *error);

/* Finds the next answer from *position on, and moves *position behind it. False if there is none.
 * For ASK_AT they come by block, row, column and copy, else by thread and element. */
bool question_next(const struct question *question, const struct report *report, size_t *position,
                   struct answer *answer);

#endif
