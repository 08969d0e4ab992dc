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
 * (x is a star here.) It does not know what an instruction means. */
#ifndef LISTING_H
#define LISTING_H

#include "system/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An instruction. The texts live until the function that is called with it returns. */
struct listing_instruction {
    bool is_sass;
    bool is_quoted;       /* of PTX, in text that is no PTX: inline assembly, or a few lines */
    bool is_guarded;      /* by a predicate, "@P0" */
    const char *opcode;   /* "HMMA.16816.F32", not ended by '\0' */
    size_t length;        /* of the opcode */
    const char *operands; /* what follows: "R4, R8, R16, R4"; ends with '\0' */
    bool has_address;
    uint64_t address;
};

/* Functions that are called with the content of a line, in its order. */
struct listing_taker {
    void *context;
    void (*instruction)(void *context, const struct listing_instruction *instruction);
    void (*function)(void *context, const char *name, size_t length); /* one begins */
    void (*arch)(void *context, unsigned number);                     /* 90 for sm_90a */
    void (*label)(void *context, const char *name, size_t length);    /* of the next instruction */
};

/* The state between lines. Begins zeroed, but for the taker. */
struct listing {
    struct listing_taker taker;
    bool is_ptx;              /* the text is PTX, not SASS or the source of a program */
    bool is_in_comment;       /* of PTX, that began on a line before */
    struct printer statement; /* of PTX, without its end so far */
    struct printer plain;     /* a block of a graph */
    uint64_t next_address;    /* of a listing of Triton, which prints none */
};

/* Reads a line without its end, '\0' behind it. The line is changed, and is restored. */
void listing_read(struct listing *listing, char *line);

/* Cuts the first instruction of SASS out of a line of a listing: "HMMA.16816.F32 R4, R8, R16, R4".
 * NULL if the line has none. */
const char *listing_cut_sass(const char *line);

#endif
