/* recorded.h - the text of results/, embedded by the Makefile. */
#ifndef RECORDED_H
#define RECORDED_H

/* All results files one after the other; ends with '\0'. */
extern const char recorded_text[];

#endif
