/* search_test.c - the search of expressions with constants of up to 7 alone, which is quick enough
 * to be tried to its end, four operators: random expressions are found again, and what is found is
 * right. With constants of a byte shorten_test.c tries it. */
#define SEARCH_CONSTANT_MAX 7

#include "layout/found_again.h"
#include "sample.h"

/* NOLINTBEGIN(bugprone-suspicious-include): what follows is to have that limit. */
#include "layout/search.c"
#include "layout/search_filters.c"
#include "layout/search_finish.c"
#include "layout/search_make.c"
/* NOLINTEND(bugprone-suspicious-include) */

static void expressions_are_found_again(void **state) {
    (void)state;
    search_finds(1, 1, 1000 / (unsigned)one_in(5, 50));
    search_finds(2, 2, 1000 / (unsigned)one_in(5, 50));
    search_finds(3, 3, 200 / (unsigned)one_in(10, 100));
    search_finds(4, 4, 50 / (unsigned)one_in(5, 50));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(expressions_are_found_again)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
