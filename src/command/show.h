/* show.h - makes reports for a request. */
#ifndef SHOW_H
#define SHOW_H

#include "command/request.h"

/* Makes the reports of a request on every architecture that it is about, those of one behind those
 * of another, with formulae in the style that is asked for. Status as below. */
enum mapping_status make_all_reports(const struct request *request, struct report **reports,
                                     size_t *count, struct mapping_error *error);

/* Makes the reports of a request on one architecture, `*count` of them: observes, then derives.
 * MAPPING_NO_FORMULA if one has no formula. */
enum mapping_status make_reports(const struct request *request, unsigned arch,
                                 struct report **reports, size_t *count,
                                 struct mapping_error *error);

/* Makes a report for each --load and --store: a layout from threads to the byte addresses that the
 * best operation takes, or to offsets in elements. */
enum mapping_status load_addresses(const struct request *request, bool is_offset,
                                   struct report **reports, size_t *count,
                                   struct mapping_error *error);

/* Prints reports in the format of the request. MAPPING_NO_FORMULA if it can print one of them only
 * in part. */
enum mapping_status print_reports(const struct request *request, struct report *reports,
                                  size_t count, struct pages *pages, struct mapping_error *error);

/* Checks the formulae of a request for reports, and prints the verdicts; see matches.c. */
enum mapping_status verify_reports(const struct request *request, const struct report *reports,
                                   size_t count, struct pages *pages, struct mapping_error *error);

/* The meaning of rows and columns of an operand, such as 'm' and 'k'; 0 if it is not an operand of
 * a product. */
struct matrix_axes operand_axes(enum mapping_operand operand);

/* Adds the facts of --detail to reports; see detail_facts.c. */
void add_details(struct report *reports, size_t count, const struct tile_request *tile);

/* Adds to the details of a report of D, if one element of it is asked for, which elements of A and
 * B it is made of, and who holds them. The layouts of A and B are those of the reports, or as
 * stated.
 */
void add_product(const struct report *reports, size_t count, struct report *report,
                 const struct question *question);

/* Rewrites the formulae of all reports in a style; see styles.c. A new formula is used only if it
 * is right at every entry. */
void restyle(struct report *reports, size_t count, enum formula_style style);

#endif
