/* listing.h - finds the instructions in a listing of SASS or PTX, line by line, as tools print it:
 *
 *     cuobjdump     /x0130x/  @P0 HMMA.16816.F32 R4, R8, R16, R4 ;   /x 0x000000100804723c x/
 *     nvdisasm      the same, with labels, lines of sources, "// | 17 : ^ v x" behind it; -json:
 *                   {"opcode":"HMMA.16816.F32","operands":"R4,R8,R16,R4"}; -bbcfg: "\l\ \ HMMA..."
 *     Triton        --:-:1:-:1<tab>HMMA.16816.F32 R4, R8, R16, R4;
 *     Nsight        "12","0x7f...","HMMA.16816.F32 R4, R8, R16, R4",0
 *     cuda-gdb      => 0x7f... <kern+192>:<tab>HMMA.16816.F32 R4, R8, R16, R4
 *     PTX           mma.sync.aligned... on several lines, up to its ';', also in inline assembly
 *
 * Escape sequences of a terminal are removed, and non-breaking spaces of web pages are read as
 * spaces. A line may be a whole listing in a string, as Python prints kernel.asm: 'HMMA.16816.F32
 * R4, R8, R16, R4;\n...'.
 *
 * (/x and x/ are the delimiters of a C comment.) This module does not know the meaning of
 * instructions. */
#ifndef LISTING_H
#define LISTING_H

#include "system/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An instruction. The texts are valid until the function that receives it returns. */
struct listing_instruction {
    bool is_sass;
    bool is_quoted;       /* PTX in text that is not PTX: inline assembly, or a few lines */
    bool is_guarded;      /* it has a guard, "@P0" */
    const char *opcode;   /* "HMMA.16816.F32"; not terminated by '\0' */
    size_t length;        /* of the opcode */
    const char *operands; /* the operands: "R4, R8, R16, R4"; terminated by '\0' */
    bool has_address;
    uint64_t address;
};

/* Functions that are called for the content of a line, in its order. */
struct listing_taker {
    void *context;
    void (*instruction)(void *context, const struct listing_instruction *instruction);
    void (*function)(void *context, const char *name, size_t length); /* a function begins */
    void (*arch)(void *context, unsigned number);                     /* 90 for sm_90a */
    void (*label)(void *context, const char *name, size_t length);    /* a label of the next
                                                                         instruction */
};

/* The state between lines. At first, all but the taker must be zeroed. */
struct listing {
    struct listing_taker taker;
    bool is_ptx;              /* the text is PTX, neither SASS nor the source of a program */
    bool is_in_comment;       /* PTX: inside a comment that began on an earlier line */
    struct printer statement; /* PTX: the statement so far, without its end */
    struct printer plain;     /* a block of a graph */
    struct printer clean;     /* a line without colors */
    uint64_t next_address;    /* for a listing of Triton, which has no addresses */
};

/* Reads a line without its line break, terminated by '\0'. The line is changed, but restored before
 * the function returns. */
void listing_read(struct listing *listing, char *line);

/* Returns the first instruction of SASS in a line of a listing: "HMMA.16816.F32 R4, R8, R16, R4".
 * NULL if the line has none. */
const char *listing_cut_sass(const char *line);

#endif
