/* published.h - what others have printed on hardware, as text; published.c says its form. */
#ifndef PUBLISHED_H
#define PUBLISHED_H

#include "source/source.h"

/* results/published.txt, embedded when the program is built; ends with '\0'. */
extern const char recorded_published[];

#endif
