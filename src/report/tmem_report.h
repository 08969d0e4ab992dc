/* tmem_report.h - an operand in Tensor Memory, as threads hold it after tcgen05.ld or before
 * tcgen05.st: one report for each load, or one for all loads. */
#ifndef TMEM_REPORT_H
#define TMEM_REPORT_H

#include "catalogue/catalogue.h"
#include "report/report.h"

/* The series of loads, or stores, to which a report belongs, and its number in the series. */
struct tmem_report {
    struct mapping_tmem_load tmem_load;
    enum tmem_load_form form;
    uint32_t number, count; /* the index of the load in its CTA, if TMEM_LOADS_EACH, and the number
                               of loads */
    uint32_t cta, ctas;     /* the index of the CTA, and the number of CTAs */
    uint32_t lane, column;  /* offsets of the address; the lane is added to 32 for each warp */
    uint32_t halves;        /* number of loads with the same column */
    uint32_t *rows, *cols;  /* the rows and columns of the matrix that the part has, in ascending
                               order */
    uint32_t row_count, col_count;
    bool is_left_out;      /* by fold_tmem_loads: an earlier part says how it follows, ... */
    struct strings others; /* ... in these lines below it */
};

/* "load" or "store": the kind of instruction in the series, and the name of the axis that numbers
 * them. */
const char *tmem_word(const struct tmem_report *tmem);

/* Replaces reports of operands in Tensor Memory, which are observed but not derived, by reports of
 * their parts. If D is among several operands, only D stays. MAPPING_INVALID with a message if an
 * operand cannot be loaded so. */
enum mapping_status split_reports(struct report **reports, size_t *count,
                                  const struct mapping_tmem_load *tmem_load,
                                  enum tmem_load_form form, struct mapping_error *error);

/* Describes the part in one line: "tcgen05.ld.32x32b.x32, load 1 of 4 at lane 32 * w, column 32";
 * and its rows and columns, or "" if it has all. */
#define TMEM_TEXT 256
void tmem_describe(const struct tmem_report *tmem, char text[TMEM_TEXT]);
void tmem_describe_extent(const struct report *report, char text[TMEM_TEXT]);

/* Writes the address for warp w as C: "taddr + (32 * w << 16) + 32". */
void tmem_address(const struct tmem_report *tmem, char text[TMEM_TEXT]);

#endif
