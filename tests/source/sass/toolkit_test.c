/* toolkit_test.c - the order of toolkits in the usual folders: the latest is first, by number and
 * not by text, and none occurs twice.
 *
 * Expected values: the order, by hand. */
#include "source/sass/sass.c" /* NOLINT(bugprone-suspicious-include) */

#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct temporary_folder folder;
static int glob_fails_with = 0;

/* Replace functions of libc: the usual folders are in a folder of the test, and nowhere else. */
int glob(const char *pattern, int flags, int (*errfunc)(const char *, int), glob_t *pglob) {
    static const char *const names[] = {"10.2", "11.8", "12.10", "12.9", "13.0", "9.2"};
    (void)flags, (void)errfunc;
    if (glob_fails_with)
        return glob_fails_with;
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
    unsetenv("VIRTUAL_ENV");
    setenv("PATH", "", 1);
    return temporary_folder_make(&folder, true, &error) == MAPPING_OK ? 0 : -1;
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
    assert_int_equal(find_toolkits(&machinery, &toolkits, &error), MAPPING_OK);
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
    assert_int_equal(find_toolkits(&machinery, &toolkits, &error), MAPPING_OK);
    assert_int_equal(toolkits.count, 1);
}

/* `name` below the folder, in a buffer that the next call but three writes over. */
static const char *below(const char *name) {
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/cuda-%s", folder.path, name);
    return path;
}

/* The sentence if there is no toolkit, else the path of the first one's ptxas. */
static const char *find_in(const char *const *folders, unsigned count) {
    static struct toolkits toolkits;
    static struct mapping_error error;
    struct machinery machinery = {.cuda_folder_count = count};
    for (unsigned f = 0; f < count; f++)
        machinery.cuda_folders[f] = folders[f];
    enum mapping_status status = find_toolkits(&machinery, &toolkits, &error);
    assert_int_equal(status, toolkits.count > 0 ? MAPPING_OK : MAPPING_UNAVAILABLE);
    return status == MAPPING_OK ? toolkits.toolkit[0].ptxas : error.message;
}

static void half_a_toolkit_is_none(void **state) {
    (void)state;
    add_tool("ptxas-alone", "ptxas");
    add_tool("nvdisasm-alone", "nvdisasm");
    add_tool("folders", "ptxas");
    assert_int_equal(mkdir(below("folders/nvdisasm"), 0700), 0); /* no program */
    const char *ptxas = below("ptxas-alone"), *nvdisasm = below("nvdisasm-alone");
    const char *const both[] = {ptxas, nvdisasm, ptxas, nvdisasm};
    assert_non_null(strstr(find_in(&both[0], 1), "nvdisasm was not found in"));
    assert_non_null(strstr(find_in(&both[1], 1), "ptxas was not found in"));
    assert_string_equal(find_in(both, 4), below("ptxas-alone/ptxas"));
    const char *folders = below("folders"), *nowhere = below("nowhere");
    assert_non_null(strstr(find_in(&folders, 1), "nvdisasm was not found in"));
    assert_non_null(strstr(find_in(&nowhere, 1), "ptxas and nvdisasm were not found in"));
}

static void variables_name_toolkits(void **state) {
    enum { LONG = 2 * PATH_MAX };
    static char path[LONG + PATH_MAX + 16];
    (void)state;
    add_tool("home", "ptxas");
    add_tool("home", "nvdisasm");
    glob_fails_with = GLOB_NOMATCH;
    assert_non_null(strstr(find_in(NULL, 0), "ptxas and nvdisasm were not found in "
                                             "$CUDA_HOME, $CUDA_PATH, $PATH"));
    setenv("CUDA_HOME", "", 1);
    setenv("CUDA_PATH", below("home"), 1);
    assert_string_equal(find_in(NULL, 0), below("home/ptxas"));
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    /* Entries of $PATH that are empty, or longer than any path, are skipped. */
    memset(path, 'x', sizeof path);
    path[0] = path[1] = ':';
    snprintf(path + LONG, sizeof path - LONG, ":%s", below("home"));
    setenv("PATH", path, 1);
    assert_string_equal(find_in(NULL, 0), below("home/ptxas"));
    unsetenv("PATH");
    assert_non_null(strstr(find_in(NULL, 0), "ptxas and nvdisasm were not found"));
    glob_fails_with = 0;
}

static void without_memory_none_is_missed_in_silence(void **state) {
    struct toolkits toolkits;
    struct machinery machinery = {.cuda_folder_count = 0};
    struct mapping_error error;
    int status;
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        static struct temporary_folder other; /* which the end of the program removes */
        if (temporary_folder_make(&other, true, &error) != MAPPING_OK)
            _exit(0);
        glob_fails_with = GLOB_NOSPACE;
        close(STDERR_FILENO);
        find_toolkits(&machinery, &toolkits, &error);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), MAPPING_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_is_the_first),
        cmocka_unit_test(a_link_is_no_other_toolkit),
        cmocka_unit_test(half_a_toolkit_is_none),
        cmocka_unit_test(variables_name_toolkits),
        cmocka_unit_test(without_memory_none_is_missed_in_silence),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
