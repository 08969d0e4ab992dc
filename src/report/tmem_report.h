/* tmem_report.h - an operand in Tensor Memory, as threads hold it after tcgen05.ld or before
 * tcgen05.st: one report for each load or store, or one report for all of them. */
#ifndef TMEM_REPORT_H
#define TMEM_REPORT_H

#include "catalogue/catalogue.h"
#include "report/report.h"

/* A load or store of an operand, or all of its loads or stores; see `form`. */
struct tmem_report {
    struct mapping_tmem_load tmem_load;
    enum tmem_load_form form;
    uint32_t number, count; /* if TMEM_LOADS_EACH, the index of the load in its CTA; and the number
                               of loads of a CTA */
    uint32_t cta, ctas;     /* the index of the CTA, and the number of CTAs */
    uint32_t lane, column;  /* offsets of the address: the lane is relative to 32 * warp */
    uint32_t halves;        /* number of loads with the same column: 2 if each accesses 16 lanes of
                               a warp */
    uint32_t *rows, *cols;  /* the rows and columns of the matrix that the report has, in ascending
                               order */
    uint32_t row_count, col_count;
    bool is_left_out;      /* set by fold_tmem_loads: not shown, because an earlier load has a rule
                              for it */
    struct strings others; /* the rule for later loads, printed below this one */
};

/* Returns "load" or "store": the kind of instruction, and the name of the axis that numbers them.
 */
const char *tmem_word(const struct tmem_report *tmem);

/* Replaces the array of reports of operands in Tensor Memory, which are observed but not derived,
 * by an array of reports of their loads or stores. If one of the operands is D, the others are
 * dropped. MAPPING_INVALID, with a message, if an operand cannot be loaded with this instruction.
 */
enum mapping_status split_reports(struct report **reports, size_t *count,
                                  const struct mapping_tmem_load *tmem_load,
                                  enum tmem_load_form form, struct mapping_error *error);

/* tmem_describe returns one line about a load: "tcgen05.ld.32x32b.x32, load 1 of 4: warp w at lane
 * 32 * w, column 32". tmem_describe_extent returns its rows and columns, or "" if it has all. */
char *tmem_describe(const struct tmem_report *tmem);
char *tmem_describe_extent(const struct report *report);

/* The address for warp w as C code: "taddr + (32 * w << 16) + 32". */
char *tmem_address(const struct tmem_report *tmem);

#endif
