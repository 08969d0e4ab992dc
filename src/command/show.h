/* show.h - makes reports for a request. */
#ifndef SHOW_H
#define SHOW_H

#include "command/request.h"

/* Makes the reports of a request for all its architectures, one architecture after another, with
 * formulae in the requested style. Returns a status as make_reports does. */
enum mapping_status make_all_reports(const struct request *request, struct report **reports,
                                     size_t *count, struct mapping_error *error);

/* Makes the reports of a request for one architecture, and sets *count: observes layouts, then
 * derives formulae. MAPPING_NO_FORMULA if a layout has no formula. */
enum mapping_status make_reports(const struct request *request, unsigned arch,
                                 struct report **reports, size_t *count,
                                 struct mapping_error *error);

/* Makes a report for each --load and --store: a layout that maps threads to the addresses in bytes
 * that the best operation takes, or to offsets in elements. */
enum mapping_status load_addresses(const struct request *request, bool is_offset,
                                   struct report **reports, size_t *count,
                                   struct mapping_error *error);

/* Prints reports in the format of the request. MAPPING_NO_FORMULA if the format prints one of them
 * incompletely. */
enum mapping_status print_reports(const struct request *request, struct report *reports,
                                  size_t count, struct pages *pages, struct mapping_error *error);

/* Checks the formulae of a request for reports, and prints the verdicts; see matches.c. */
enum mapping_status verify_reports(const struct request *request, const struct report *reports,
                                   size_t count, struct pages *pages, struct mapping_error *error);

/* Which of m, n and k are the rows and columns of an operand; 0 if it is not an operand of a
 * product. */
struct matrix_axes operand_axes(enum mapping_operand operand);

/* MAPPING_INVALID if --axes contradicts the axes of an operand, or if it has none. `name` is
 * printed in the message. */
enum mapping_status check_axes(const struct matrix_axes *asked, const struct matrix_axes *own,
                               const char *name, struct mapping_error *error);

/* Adds the facts of --detail to reports; see detail_facts.c. */
void add_details(struct report *reports, size_t count, const struct tile_request *tile);

/* If the request asks about one element of D, adds to the details of its report the elements of A
 * and B that contribute to it, and the threads that hold them. Takes the layouts of A and B from
 * the reports, or from the rules of the PTX ISA. */
void add_product(const struct report *reports, size_t count, struct report *report,
                 const struct question *question);

/* Rewrites the formulae of all reports in a style; see styles.c. A new formula is used only if it
 * is right at every entry. */
void restyle(struct report *reports, size_t count, enum formula_style style);

#endif
