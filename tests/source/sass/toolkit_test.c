/* toolkit_test.c - of several toolkits in the usual folders the latest is the first, by the number
 * and not by the text; none is there twice. The order was written out by hand. */
#include "source/sass/toolkit.h"
#include "system/folder.h"

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct temporary_folder folder;

/* Stand in for those of libc: the usual folders are in a folder of ours, and nowhere else. */
int glob(const char *pattern, int flags, int (*errfunc)(const char *, int), glob_t *pglob) {
    static const char *const names[] = {"10.2", "11.8", "12.10", "12.9", "13.0", "9.2"};
    (void)flags, (void)errfunc;
    if (strcmp(pattern, "/usr/local/cuda-*") != 0)
        return GLOB_NOMATCH;
    pglob->gl_pathc = sizeof names / sizeof *names;
    pglob->gl_pathv = calloc(pglob->gl_pathc + 1, sizeof *pglob->gl_pathv);
    assert_non_null(pglob->gl_pathv);
    for (size_t n = 0; n < pglob->gl_pathc; n++) {
        pglob->gl_pathv[n] = malloc(PATH_MAX);
        assert_non_null(pglob->gl_pathv[n]);
        snprintf(pglob->gl_pathv[n], PATH_MAX, "%s/cuda-%s", folder.path, names[n]);
    }
    return 0;
}

void globfree(glob_t *pglob) {
    for (size_t n = 0; n < pglob->gl_pathc; n++)
        free(pglob->gl_pathv[n]);
    free(pglob->gl_pathv);
}

static void add_tool(const char *toolkit, const char *name) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cuda-%s", folder.path, toolkit);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/cuda-%s/%s", folder.path, toolkit, name);
    int fd = open(path, O_CREAT | O_WRONLY, 0700);
    assert_true(fd >= 0);
    close(fd);
}

static int set_up(void **state) {
    struct mapping_error error;
    (void)state;
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    setenv("PATH", "", 1);
    return temporary_folder_make(&folder, &error) == MAPPING_OK ? 0 : -1;
}

static int tear_down(void **state) {
    struct mapping_error error;
    (void)state;
    return temporary_folder_remove(&folder, MAPPING_OK, &error) == MAPPING_OK ? 0 : -1;
}

static void the_latest_is_the_first(void **state) {
    static const char *const order[] = {"13.0", "12.10", "12.9", "11.8", "10.2", "9.2"};
    static struct toolkits toolkits;
    struct machinery machinery = {.cuda_folder_count = 0};
    struct mapping_error error;
    (void)state;
    for (size_t n = 0; n < sizeof order / sizeof *order; n++) {
        add_tool(order[n], "ptxas");
        add_tool(order[n], "nvdisasm");
    }
    assert_int_equal(toolkits_find(&machinery, &toolkits, &error), MAPPING_OK);
    assert_int_equal(toolkits.count, sizeof order / sizeof *order);
    for (size_t n = 0; n < toolkits.count; n++) {
        char expected[PATH_MAX + 32];
        snprintf(expected, sizeof expected, "%s/cuda-%s/ptxas", folder.path, order[n]);
        assert_string_equal(toolkits.toolkit[n].ptxas, expected);
    }
}

static void a_link_is_no_other_toolkit(void **state) {
    static struct toolkits toolkits;
    struct mapping_error error;
    char link[PATH_MAX], home[PATH_MAX];
    (void)state;
    snprintf(link, sizeof link, "%s/cuda", folder.path);
    snprintf(home, sizeof home, "%s/cuda-13.0", folder.path);
    assert_int_equal(symlink(home, link), 0);
    struct machinery machinery = {.cuda_folders = {link, home}, .cuda_folder_count = 2};
    assert_int_equal(toolkits_find(&machinery, &toolkits, &error), MAPPING_OK);
    assert_int_equal(toolkits.count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_is_the_first),
        cmocka_unit_test(a_link_is_no_other_toolkit),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
