/* subject.h - what one name on the command line stands for. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "catalogue/catalogue.h"

enum subject_kind {
    SUBJECT_PATTERN, /* 'mma.m16n8k16.*': fragments whose names match */
    SUBJECT_PARTIAL, /* mma.m16n8k16: fragments that the words fit */
    SUBJECT_NAMED    /* one fragment, or all of an opcode, an atom or a line of SASS */
};

/* A name with its opcode cut out of what stands around it is no longer than this. */
enum { SUBJECT_SIZE = 256 };

struct subject {
    const char *text;        /* as it was given */
    char name[SUBJECT_SIZE]; /* without operands and what is around it */
    enum subject_kind kind;
    struct mapping_partial partial;
    struct mapping_fragment found[MAPPING_FOUND_MAX]; /* of what is named */
    size_t count;
    char opcode[MAPPING_OPCODE_SIZE]; /* that is named; "" if none is */
    bool is_translated; /* the opcode is called otherwise here: an atom of CuTe, for one */
};

/* Reads a name. MAPPING_INVALID with the nearest that exists if it stands for nothing. */
enum mapping_status subject_read(const char *text, struct subject *subject,
                                 struct mapping_error *error);

/* True if the fragment is one of those that a pattern or a name with words left out stands for. */
bool subject_fits(const struct subject *subject, const struct mapping_fragment *fragment);

#endif
