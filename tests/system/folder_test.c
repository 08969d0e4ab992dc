/* folder_test.c - temporary folders are removed, even if no memory is left to walk through their
 * folders; otherwise a message says so. */
#include "system/system.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Replaces the function of libc, and fails as that does without memory. */
int nftw(const char *dir, int (*func)(const char *, const struct stat *, int, struct FTW *),
         int descriptors, int flag) {
    (void)dir, (void)func, (void)descriptors, (void)flag;
    errno = ENOMEM;
    return -1;
}

static void make(struct temporary_folder *folder) {
    struct mapping_error error;
    if (temporary_folder_make(folder, true, &error) != MAPPING_OK)
        fail_msg("%s", error.message);
}

static void add_file(const struct temporary_folder *folder, int number) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d", folder->path, number);
    int fd = open(path, O_CREAT | O_WRONLY, 0400);
    assert_true(fd >= 0);
    close(fd);
}

static void files_need_no_memory(void **state) {
    (void)state;
    struct temporary_folder folder;
    struct mapping_error error;
    make(&folder);
    for (int n = 0; n < 1000; n++)
        add_file(&folder, n);
    assert_int_equal(temporary_folder_remove(&folder, MAPPING_OK, &error), MAPPING_OK);
    assert_int_equal(access(folder.path, F_OK), -1);
}

/* If memory runs out, mapping_run removes the folder of a function that no longer runs. */
static void a_folder_is_removed_after_memory_ran_out(void **state) {
    (void)state;
    static char path[sizeof((struct temporary_folder *)NULL)->path];
    static jmp_buf entry;
    assert_true(mapping_arena_begin(&entry));
    if (setjmp(entry) == 0) {
        struct temporary_folder folder;
        make(&folder);
        add_file(&folder, 1);
        memcpy(path, folder.path, sizeof path);
        memory_get(SIZE_MAX / 8, 1);
        fail();
    }
    assert_int_equal(access(path, F_OK), 0);
    temporary_folder_clean();
    assert_int_equal(access(path, F_OK), -1);
    temporary_folder_clean(); /* there is none */
    memory_release();
}

static void what_is_left_is_said(void **state) {
    (void)state;
    struct temporary_folder folder;
    struct mapping_error error = {"an earlier reason"};
    char path[PATH_MAX];
    make(&folder);
    snprintf(path, sizeof path, "%s/inner", folder.path);
    assert_int_equal(mkdir(path, 0700), 0);
    DIR *list = opendir(folder.path);
    assert_non_null(list);
    assert_int_equal(temporary_folder_remove(&folder, MAPPING_UNAVAILABLE, &error),
                     MAPPING_UNAVAILABLE);
    assert_string_equal(error.message, "an earlier reason");
    folder.list = list;
    assert_int_equal(temporary_folder_remove(&folder, MAPPING_OK, &error), MAPPING_FAILED);
    char expected[PATH_MAX + 100];
    snprintf(expected, sizeof expected, "could not remove the temporary folder %s: %s", folder.path,
             strerror(ENOMEM));
    assert_string_equal(error.message, expected);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder.path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_need_no_memory),
        cmocka_unit_test(a_folder_is_removed_after_memory_ran_out),
        cmocka_unit_test(what_is_left_is_said),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
