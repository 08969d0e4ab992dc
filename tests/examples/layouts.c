/* layouts.c - uses libmapping: deduces the formulae of a layout of its own, asks for a fragment by
 * name, and checks a formula. In the root folder of the project:
 *     make install PREFIX=$HOME/.local
 *     cc tests/examples/layouts.c $(pkg-config --cflags --libs mapping) && ./a.out */
#include <mapping.h>

#include <stdio.h>

/* Prints why a call failed. */
static int fail(const mapping *context) {
    fprintf(stderr, "layouts: %s\n", mapping_message(context));
    return 1;
}

/* A 4x8 matrix that 8 threads hold as 4 elements each: thread t has column t. */
static int deduce(mapping *context) {
    const struct mapping_axis from[] = {{"tid", 8}, {"i", 4}}, to[] = {{"row", 4}, {"col", 8}};
    uint32_t row[32], col[32];
    const uint32_t *const values[] = {row, col};
    const mapping_layout *layout, *inverse;
    const char *formula;
    for (uint32_t n = 0; n < 32; n++) {
        row[n] = (n + n / 4) % 4; /* each thread begins one row further down */
        col[n] = n / 4;
    }
    if (mapping_layout_from_table(context, from, 2, to, 2, values, &layout) != MAPPING_OK ||
        mapping_layout_formula(context, layout, "col", MAPPING_BITS, &formula) != MAPPING_OK)
        return fail(context);
    printf("col = %s\n", formula);
    if (mapping_layout_formula(context, layout, "row", MAPPING_BITS, &formula) != MAPPING_OK)
        printf("row: %s\n", mapping_message(context));
    if (mapping_layout_invert(context, layout, "copy", &inverse) != MAPPING_OK)
        return fail(context);
    printf("row 0, column 5 is element %u of thread %u\n",
           (unsigned)mapping_layout_values(inverse, "i")[5],
           (unsigned)mapping_layout_values(inverse, "tid")[5]);
    return 0;
}

/* Which registers of which threads hold row 3 of an accumulator in f16. */
static int ask(mapping *context) {
    const char *const words[] = {"mma.m16n8k16.d.f16", "--arch=sm_90", "--at=3,*"};
    const mapping_answer *answer;
    const mapping_item *item;
    if (mapping_ask(context, 3, words, &answer) != MAPPING_OK)
        return fail(context);
    for (size_t n = 0; (item = mapping_answer_item(answer, n)); n++) {
        uint32_t tid, col;
        if (mapping_item_coordinate(item, "tid", &tid) &&
            mapping_item_coordinate(item, "col", &col))
            printf("column %u: thread %u, %s\n", (unsigned)col, (unsigned)tid,
                   mapping_item_text(item, MAPPING_REGISTER));
    }
    return 0;
}

/* Whether a formula is right, and the first point at which it is wrong. */
static int verify(mapping *context) {
    const char *const words[] = {"mma.m16n8k16.d.f32",
                                 "--verify=row = lane / 4; col = lane % 4 * 2 + i % 2"};
    const mapping_answer *answer;
    const char *axis;
    size_t entry;
    int64_t says;
    uint32_t is;
    const enum mapping_status status = mapping_ask(context, 2, words, &answer);
    if (status != MAPPING_DIFFERS)
        return status == MAPPING_OK ? 0 : fail(context);
    const mapping_item *item = mapping_answer_item(answer, 0);
    if (mapping_item_wrong(item, 0, &axis, &entry, &says, &is))
        printf("wrong: entry %zu has %s %u, not %d\n", entry, axis, (unsigned)is, (int)says);
    return 0;
}

int main(void) {
    mapping *context = mapping_open(NULL);
    if (!context)
        return 1;
    const int failed = deduce(context) || ask(context) || verify(context);
    mapping_close(context);
    return failed;
}
