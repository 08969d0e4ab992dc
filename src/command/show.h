/* show.h - from a request to reports. */
#ifndef SHOW_H
#define SHOW_H

#include "command/request.h"

/* Makes the reports of a request on one architecture, `*count` of them: observes, then derives.
 * They belong to the caller, also after a failure: free them with reports_free. MAPPING_NO_FORMULA
 * if one has no formula. */
enum mapping_status make_reports(const struct request *request, unsigned arch,
                                 struct report **reports, size_t *count,
                                 struct mapping_error *error);

#endif
