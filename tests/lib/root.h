/* root.h - for C tests that read files of the repository: their paths start at its top folder. */
#ifndef ROOT_H
#define ROOT_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ends the test with a sentence if it runs in another folder. */
static inline void need_root(void) {
    if (access("tests/lib/root.h", R_OK) == 0)
        return;
    puts("Bail out! This test reads tests/ and results/: run it in the top folder of the "
         "repository");
    exit(1);
}

#endif
