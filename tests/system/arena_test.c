/* arena_test.c - arenas: blocks do not overlap, the end of an arena frees them, freed blocks are
 * reused, the arena of a thread that ends joins another, and control returns to the entry if memory
 * runs out.
 *
 * Expected values: a model, which is an array of blocks, each filled with its own number. */
#include "system/system.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"

/* More than any machine has, though its size can be computed. */
static const size_t too_much = SIZE_MAX / 8;

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}
const char *__msan_default_options(void);
const char *__msan_default_options(void) {
    return "allocator_may_return_null=1";
}

/* The bytes that malloc has given out. 0 if they are not counted: sanitizers have a malloc of their
 * own. */
static size_t bytes_in_use(void) {
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33) && !defined __clang__
    const struct mallinfo2 information = mallinfo2();
    return information.uordblks + information.hblkhd;
#else
    return 0;
#endif
}

/* ---- Blocks ---- */

struct model {
    unsigned char *block;
    size_t size;
    unsigned char number; /* in all of its bytes */
};

static void check_and_fill(struct model *model, size_t from, unsigned char number) {
    for (size_t n = 0; n < (from < model->size ? from : model->size); n++)
        assert_int_equal(model->block[n], model->number);
    model->number = number;
    memset(model->block, number, model->size);
}

/* A size: mostly small, some larger than any chunk. */
static size_t draw_size(void) {
    const uint32_t kind = random_below(100);
    return random_below(kind < 80 ? 200 : kind < 99 ? 20000 : 1 << 20);
}

/* Allocates, resizes and frees blocks at random. */
static void churn(unsigned steps) {
    enum { BLOCKS = 50 };
    struct model models[BLOCKS] = {{NULL, 0, 0}};
    for (unsigned step = 1; step <= steps; step++) {
        struct model *model = &models[random_below(BLOCKS)];
        const size_t before = model->size;
        if (!model->block) {
            model->size = draw_size();
            model->number = 0; /* a new block is zero */
            model->block = memory_get(model->size, 1);
            check_and_fill(model, model->size, (unsigned char)step);
        } else if (random_below(3) > 0) {
            model->size = draw_size();
            model->block = memory_resize(model->block, model->size, 1);
            check_and_fill(model, before, (unsigned char)step);
        } else {
            check_and_fill(model, before, 0);
            mapping_free(model->block);
            *model = (struct model){NULL, 0, 0};
        }
        assert_int_equal((uintptr_t)model->block % 16, 0);
    }
    for (unsigned b = 0; b < BLOCKS; b++) {
        if (!models[b].block)
            continue;
        check_and_fill(&models[b], models[b].size, 0);
        mapping_free(models[b].block);
    }
}

static void blocks_keep_their_contents(void **state) {
    (void)state;
    churn(2000); /* begins an arena */
    memory_release();
    const size_t before = bytes_in_use();
    assert_true(mapping_arena_begin(NULL));
    churn(5000);
    assert_true(mapping_arena_begin(NULL));
    churn(5000);
    mapping_arena_end();
    churn(5000);
    mapping_arena_end();
    assert_false(mapping_arena_is_open());
    assert_true(bytes_in_use() <= before);
}

static void freed_blocks_are_used_again(void **state) {
    (void)state;
    enum { ROUNDS = 1000, SIZE = 100000 };
    assert_true(mapping_arena_begin(NULL));
    mapping_free(memory_get(SIZE, 1));
    const size_t before = bytes_in_use();
    for (int n = 0; n < ROUNDS; n++) {
        unsigned char *block = memory_get(SIZE - 10 * (size_t)(n % 3), 1);
        assert_int_equal(block[n], 0);
        block[n] = 1;
        mapping_free(block);
    }
    assert_int_equal(bytes_in_use(), before);
    mapping_arena_end();
}

static void the_end_of_an_arena_frees_its_blocks(void **state) {
    (void)state;
    enum { BLOCKS = 1000, SIZE = 1000, HALF = BLOCKS / 2 * SIZE };
    struct strings texts = {.count = 0};
    strings_add(&texts, "before");
    strings_add(&texts, "resized in the inner arena");
    arena_begin();
    const size_t before = bytes_in_use();
    for (int n = 0; n < BLOCKS; n++) {
        memory_get(1, SIZE);
        if (n == BLOCKS / 2)
            arena_begin();
    }
    texts.text = memory_resize(texts.text, SIZE, sizeof *texts.text);
    mapping_arena_end();
    assert_true(bytes_in_use() == 0 || bytes_in_use() > before + HALF);
    mapping_arena_end();
    assert_true(bytes_in_use() < before + HALF);
    assert_string_equal(texts.text[0], "before");
    assert_string_equal(texts.text[1], "resized in the inner arena");
    memory_release();
}

/* Texts of 2 to 199 bytes, made in two arenas in turn; each holds its own number. */
static void texts_do_not_overlap(void **state) {
    (void)state;
    enum { TEXTS = 500, LONGEST = 199 };
    const char *kept[TEXTS];
    for (unsigned n = 0; n < TEXTS; n++) {
        char text[LONGEST + 1] = "";
        memset(text, 'a' + (int)(n % 26), 1 + n % (LONGEST - 1));
        kept[n] = memory_text(text);
        arena_begin();
        memset(memory_text_room(LONGEST), 0xff, LONGEST);
        memset(memory_text_room(2), 0xff, 2);
        mapping_arena_end();
    }
    for (unsigned n = 0; n < TEXTS; n++) {
        char letters[] = {(char)('a' + n % 26), '\0'};
        assert_int_equal(strlen(kept[n]), 1 + n % (LONGEST - 1));
        assert_int_equal(strspn(kept[n], letters), strlen(kept[n]));
    }
    memory_release();
    assert_string_equal(memory_text("after"), "after");
    memory_release();
}

/* ---- Memory that runs out ---- */

static void control_returns_to_the_entry(void **state) {
    (void)state;
    jmp_buf entry;
    static volatile int returns;
    returns = 0;
    char *outer = NULL;
    assert_true(mapping_arena_begin(&entry));
    outer = memory_text("outer");
    if (setjmp(entry) == 0) {
        assert_true(mapping_arena_begin(NULL)); /* ended before control returns */
        assert_null(mapping_reallocate_or_null(NULL, too_much, 1));
        memory_get(too_much, 1);
        fail();
    } else {
        returns++;
    }
    assert_int_equal(returns, 1);
    assert_string_equal(outer, "outer");
    mapping_arena_end();
    assert_false(mapping_arena_is_open());
}

enum { CALLS = 1000 };

/* Each call leaves a text that the caller reads; one may run out of memory. */
struct calls {
    char *text[CALLS];
    size_t exhausted; /* the index of that call; CALLS for none */
};

static void call(void *context, size_t index) {
    struct calls *calls = context;
    char text[32];
    snprintf(text, sizeof text, "%zu", index);
    calls->text[index] = memory_text(text);
    mapping_free(memory_get(index, sizeof(uint64_t)));
    if (index == calls->exhausted)
        memory_get(too_much, 1);
}

static void threads_leave_their_blocks_to_the_caller(void **state) {
    (void)state;
    struct calls calls = {.exhausted = CALLS};
    parallel_for(CALLS, call, &calls);
    for (size_t n = 0; n < CALLS; n++)
        assert_int_equal(strtoul(calls.text[n], NULL, 10), n);
    memory_release();
    assert_false(mapping_arena_is_open());
}

static void exhaustion_in_a_thread_reaches_the_caller(void **state) {
    (void)state;
    for (volatile size_t index = 0; index < CALLS; index += CALLS / 7) {
        static volatile int returns;
        static jmp_buf entry;
        static struct calls calls;
        returns = 0;
        calls.exhausted = index;
        assert_true(mapping_arena_begin(&entry));
        if (setjmp(entry) == 0) {
            parallel_for(CALLS, call, &calls);
            fail();
        } else {
            returns++;
        }
        assert_int_equal(returns, 1);
        memory_release();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_their_contents),
        cmocka_unit_test(freed_blocks_are_used_again),
        cmocka_unit_test(the_end_of_an_arena_frees_its_blocks),
        cmocka_unit_test(texts_do_not_overlap),
        cmocka_unit_test(control_returns_to_the_entry),
        cmocka_unit_test(threads_leave_their_blocks_to_the_caller),
        cmocka_unit_test(exhaustion_in_a_thread_reaches_the_caller),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
