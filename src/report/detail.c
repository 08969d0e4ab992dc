/* detail.c - what follows from a layout; see detail.h. */
#include "report/detail.h"

#include <stdlib.h>

void detail_free(struct detail *detail) {
    if (!detail)
        return;
    free(detail->assembled);
    for (size_t r = 0; r < detail->reuse_count; r++)
        strings_free(&detail->reuses[r].types);
    free(detail->reuses);
    mapping_permutation_free(&detail->k_order.k);
    mapping_convert_free(&detail->composition.a);
    mapping_convert_free(&detail->composition.b);
    mapping_convert_free(&detail->composition.d);
    free(detail);
}
