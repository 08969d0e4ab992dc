/* tmem_report.h - an operand in Tensor Memory as threads hold it after tcgen05.ld, or before
 * tcgen05.st: one report for each load, or one for all loads. */
#ifndef TMEM_REPORT_H
#define TMEM_REPORT_H

#include "catalogue/catalogue.h"
#include "report/report.h"

/* The series of loads, or stores, to which a report belongs, and its number in the series. */
struct tmem_report {
    struct mapping_tmem_load tmem_load;
    enum tmem_load_form form;
    uint32_t number, count; /* of loads in a CTA: the index, if TMEM_LOADS_EACH, and how many */
    uint32_t cta, ctas;     /* the same of CTAs */
    uint32_t lane, column;  /* added to the address; the lane beside 32 for each warp */
    uint32_t halves;        /* loads with the same column */
    uint32_t *rows, *cols;  /* those of the matrix that it has, in ascending order */
    uint32_t row_count, col_count;
    bool is_left_out;      /* by fold_tmem_loads: an earlier part says how it follows, ... */
    struct strings others; /* ... in these lines below it */
};

/* "load" or "store": what instructions of the series are called, and the axis that numbers them. */
const char *tmem_word(const struct tmem_report *tmem);

/* Replaces reports of what is in Tensor Memory, which are observed and not derived yet, by those of
 * its parts. Of several operands D alone stays, where there is one. MAPPING_INVALID with a sentence
 * if one cannot be loaded so. */
enum mapping_status split_reports(struct report **reports, size_t *count,
                                  const struct mapping_tmem_load *tmem_load,
                                  enum tmem_load_form form, struct mapping_error *error);

/* Writes what the part is, in one line: "tcgen05.ld.32x32b.x32, load 1 of 4 at lane 32 * w,
 * column 32"; and which rows and columns it has, "" if it has all. */
#define TMEM_TEXT 256
void tmem_describe(const struct tmem_report *tmem, char text[TMEM_TEXT]);
void tmem_describe_extent(const struct report *report, char text[TMEM_TEXT]);

/* Writes the address that warp w gives, in C: "taddr + (32 * w << 16) + 32". */
void tmem_address(const struct tmem_report *tmem, char text[TMEM_TEXT]);

#endif
